# ruff: noqa: E501 - a row of the table is a line
"""What armdyn does with each word of a URDF file that bears on the motion: the rows of docs/descriptions.md.

A word is "counted", with a number to prove it; `Unsupported`, and passed over with ``problems="warn"``; or a note.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Word:
    """One row.

    Args:
        word: as the documentation prints it.
        obeyed_by: the programs that obey it.
        outcome: what armdyn does.
        text: how, for the documentation.
        robot, joint, link: XML in the element of that tag; "{...}" in none of it.
        proof: of "counted", a quantity of `QUANTITIES` in tests/formats/test_urdf_words.py, and its value; of the
            others, a part of the message or of the note.
    """

    word: str
    obeyed_by: str
    outcome: Literal["counted", "Unsupported", "note"]
    text: str
    proof: tuple[str, object] | str
    robot: str = ""
    joint: str = ""
    link: str = ""

    @property
    def row(self) -> str:
        """The row of the table in docs/descriptions.md."""
        return f"| {self.word} | {self.obeyed_by} | {self.outcome}{': ' * bool(self.text)}{self.text} |"


FINGER = (
    '<link name="finger"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>'
    '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>'
    '<joint name="bend" type="continuous"><parent link="lever"/><child link="finger"/><axis xyz="0 1 0"/>{}</joint>'
)
ACTUATOR = '<type>transmission_interface/{}</type>{}<actuator name="m">{}</actuator>'
SIMPLE = (
    '<transmission name="t">' + ACTUATOR.format("SimpleTransmission", '<joint name="turn"/>', "{}") + "</transmission>"
)
TWO = '<joint name="turn"/><joint name="bend"/>'
DIFFERENTIAL = (
    FINGER.format("")
    + '<transmission name="d">'
    + ACTUATOR.format("DifferentialTransmission", TWO, "{}")
    + '<actuator name="n"/></transmission>'
)
OF_JOINT = '<gazebo reference="turn">{}</gazebo>'
OF_LINK = '<gazebo reference="lever">{}</gazebo>'
BALL = (
    FINGER.format("") + '<drake:ball_constraint><drake:ball_constraint_body_A name="base"/>'
    '<drake:ball_constraint_p_AP value="0.2 0 0.1"/><drake:ball_constraint_body_B name="finger"/>'
    '<drake:ball_constraint_p_BQ value="0.2 0 0"/></drake:ball_constraint>'
)
BUSHING = (
    '<frame name="a" link="base"/><frame name="c" link="lever"/><drake:linear_bushing_rpy>'
    '<drake:bushing_frameA name="a"/><drake:bushing_frameC name="c"/>'
    '<drake:bushing_torque_stiffness value="1 2 3"/><drake:bushing_torque_damping value="0 0 0"/>'
    '<drake:bushing_force_stiffness value="0 0 0"/><drake:bushing_force_damping value="0 0 0"/>'
    "</drake:linear_bushing_rpy>"
)
SPRING = (
    '<drake:linear_spring_damper><drake:linear_spring_damper_body_A name="base"/>'
    '<drake:linear_spring_damper_p_AP value="0 0 1"/><drake:linear_spring_damper_body_B name="lever"/>'
    '<drake:linear_spring_damper_p_BQ value="0.2 0 0"/><drake:linear_spring_damper_free_length value="0.5"/>'
    '<drake:linear_spring_damper_stiffness value="10"/>'
    '<drake:linear_spring_damper_damping value="0"/></drake:linear_spring_damper>'
)
TENDON = (
    '<drake:tendon_constraint><drake:tendon_constraint_joint name="turn" a="1"/><drake:tendon_constraint_offset value="0"/>'
    '<drake:tendon_constraint_lower_limit value="-1"/><drake:tendon_constraint_upper_limit value="1"/>'
    '<drake:tendon_constraint_stiffness value="10"/><drake:tendon_constraint_damping value="1"/></drake:tendon_constraint>'
)
ROS2 = '<ros2_control name="c" type="system">{}</ros2_control>'
ROS2_TRANSMISSION = ROS2.format(
    '<transmission name="t"><plugin>transmission_interface/SimpleTransmission</plugin><actuator name="m"/>'
    '<joint name="turn">{}</joint></transmission>'
)
LOOP = '<{0} name="pin" type="revolute"><{1} link="base"{3}/><{2} link="finger"/><axis xyz="0 1 0"/></{0}>'

WORDS = [
    # what is counted
    Word("`<dynamics damping= friction=>`", "Pinocchio, Gazebo; Drake: damping", "counted", "viscous and Coulomb friction",
         ("friction", 2.5), joint='<dynamics damping="0.5" friction="2"/>'),
    Word("`<dynamics armature=>`", "", "counted", "armature", ("M", 0.36), joint='<dynamics armature="0.3"/>'),
    Word("`<limit lower= upper= velocity= effort=>`", "all", "counted", "limits",
         ("limits", (-2.0, 2.0, 4.0, 20.0))),
    Word("`<mimic>`", "Pinocchio, Drake, Gazebo, ros2_control", "counted", "a coupling: no entry of q",
         ("coordinates", ("turn",)), robot=FINGER.format('<mimic joint="turn" multiplier="-2" offset="0.1"/>')),
    Word("`<joint type=\"fixed\">` that turns the base against a link `world`", "all", "counted", "gravity in the axes of the base",
         ("gravity", (0.0, -9.81, 0.0)),
         robot='<link name="world"/><joint name="mount" type="fixed"><parent link="world"/><child link="base"/>'
               '<origin rpy="1.5707963267948966 0 0"/></joint>'),
    Word("`<mechanicalReduction>` of ROS 1, `<mechanical_reduction>` of ros2_control, of one joint", "ROS 1, ros2_control",
         "counted", "`Gear(ratio)`; 1 is no gear", ("ratio", -50.0),
         robot=ROS2_TRANSMISSION.format("<mechanical_reduction>-50</mechanical_reduction>")),
    Word("`<motorInertia>` in such a transmission", "ROS 1", "counted",
         "`Motor(rotor_inertia)`: armature G² I", ("M", 0.06 + 113.90625**2 * 1.2e-5),
         robot=SIMPLE.format("<mechanicalReduction>113.90625</mechanicalReduction><motorInertia>1.2e-5</motorInertia>")),
    Word("`<drake:gear_ratio>`, `<drake:rotor_inertia>`", "Drake", "counted", "`Gear(ratio)`, `Motor(rotor_inertia)`: armature G² I",
         ("M", 0.06 + 0.09), robot=SIMPLE.format('<drake:gear_ratio value="30"/><drake:rotor_inertia value="1e-4"/>')),
    Word("`<drake:ball_constraint>`", "Drake", "counted", "a constraint between two points", ("rows", 3), robot=BALL),
    Word("`<loop_joint>`", "Isaac Sim", "counted", "a constraint", ("rows", 5),
         robot=FINGER.format("") + LOOP.format("loop_joint", "link1", "link2", ' xyz="0 0 0"')),
    Word("`<loop>`", "URDF+", "counted", "a constraint", ("rows", 5),
         robot=FINGER.format("") + LOOP.format("loop", "predecessor", "successor", "")),
    Word("`<armdyn>`", "armdyn", "counted", "gravity, tip, actuators with every law, springs, collars, armature",
         ("M", 0.36), robot='<armdyn><of_joint joint="turn" armature="0.3"/></armdyn>'),
    # what changes the motion and is not modelled
    Word("`<joint type=\"floating\">`, `\"planar\"` below a link that moves", "all", "Unsupported", "another `base`, or a fixed joint",
         "planar joint 'free'", robot='<link name="sled"/><joint name="free" type="planar"><parent link="lever"/><child link="sled"/></joint>'),
    Word("`<drake:joint>` (ball, planar, universal, screw, curvilinear)", "Drake", "Unsupported", "likewise",
         "screw joint 'free'", robot='<link name="sled"/><drake:joint name="free" type="screw"><parent link="lever"/><child link="sled"/></drake:joint>'),
    Word("`<dynamics spring_stiffness= stiffness=>`", "", "Unsupported", "`<parallel_spring>` of `<armdyn>` counts", "of joint 'turn' is a spring",
         joint='<dynamics spring_stiffness="5"/>'),
    Word("`<dynamics rotor_inertia=>`", "", "Unsupported", "its ratio is open; `armature=` counts", "an inertia whose ratio is open",
         joint='<dynamics rotor_inertia="1e-4"/>'),
    Word("`<constraint>`, `<coupling>` of URDF+", "URDF+", "Unsupported", "`<mimic>` and `<loop>` count", "<coupling> 'k' is a coupling of URDF+",
         robot='<coupling name="k"><predecessor link="base"/><successor link="lever"/><ratio value="3"/></coupling>'),
    Word("`<drake:linear_bushing_rpy>`", "Drake", "Unsupported", "", "is a bushing of Drake's", robot=BUSHING),
    Word("`<drake:linear_spring_damper>`", "Drake", "Unsupported", "", "is a spring of Drake's", robot=SPRING),
    Word("`<drake:tendon_constraint>`", "Drake", "Unsupported", "", "is a constraint of Drake's", robot=TENDON),
    Word("`<drake:mimic>` in a `<joint>`", "Drake, of SDF", "Unsupported", "`<mimic>` counts", "<drake:mimic> of joint 'turn' is a coupling",
         joint='<drake:mimic joint="other" multiplier="2"/>'),
    Word("`drake_ignore=\"true\"`", "Drake", "Unsupported", "", "takes it out of the robot",
         robot='<link name="ghost" drake_ignore="true"/><joint name="g" type="fixed"><parent link="lever"/><child link="ghost"/></joint>'),
    Word("`<motorInertia>`, `<drake:rotor_inertia>` of a differential, a four-bar linkage, several joints", "ROS 1", "Unsupported",
         "`with_coordinates`, and armature there", "between several joints, or of a linkage, has rotors with an inertia",
         robot=DIFFERENTIAL.format("<motorInertia>1e-5</motorInertia>")),
    Word("`<param name=\"mimic\">` of a joint of `<ros2_control>` without `<mimic>`", "ros2_control", "Unsupported", "`<mimic>` counts",
         "mimic of <ros2_control> of joint 'turn' is a coupling", robot=ROS2.format('<joint name="turn"><param name="mimic">other</param></joint>')),
    Word("`<springStiffness>` of a joint", "Gazebo", "Unsupported", "`<parallel_spring>` of `<armdyn>` counts; or lock the joint",
         "<springStiffness> 5 of <gazebo> of joint 'turn' is a spring", robot=OF_JOINT.format("<springStiffness>5</springStiffness>")),
    Word("`<damping>`, `<friction>`, `<spring_stiffness>`, `<thread_pitch>`, `<gearbox_ratio>` inside `<gazebo>` of a joint", "Gazebo",
         "Unsupported", "`<dynamics>` counts", "<damping> 3 of <gazebo> of joint 'turn' is friction besides",
         robot=OF_JOINT.format("<axis><dynamics><damping>3</damping></dynamics></axis>")),
    Word("`<turnGravityOff>true`, `<gravity>0` of a moving link with a mass", "Gazebo", "Unsupported", "",
         "of <gazebo> of link 'lever' takes its weight away", robot=OF_LINK.format("<turnGravityOff>true</turnGravityOff>")),
    Word("`<dampingFactor>`, `<velocity_decay>` of a moving link", "Gazebo", "Unsupported", "", "is a damping of the link's velocity",
         robot=OF_LINK.format("<dampingFactor>0.01</dampingFactor>")),
    Word("`<kinematic>`, `<inertial>` inside `<gazebo>` of a moving link", "Gazebo", "Unsupported", "", "is a link that no force moves",
         robot=OF_LINK.format("<kinematic>true</kinematic>")),
    Word("`<static>true` of the robot", "Gazebo", "Unsupported", "", "holds the whole robot still", robot="<gazebo><static>true</static></gazebo>"),
    Word("`<joint>`, `<link>`, `<model>`, `<include>` inside `<gazebo>`", "Gazebo", "Unsupported", "`<loop_joint>` counts", "is a joint that only Gazebo has",
         robot='<gazebo><joint name="pin" type="revolute"><parent>base</parent><child>lever</child></joint></gazebo>'),
    Word("a plugin of Gazebo's that couples joints without `<mimic>`", "Gazebo", "Unsupported", "`<mimic>` counts", "couples joints",
         robot='<gazebo><plugin name="p" filename="libroboticsgroup_gazebo_mimic_joint_plugin.so"><joint>a</joint><mimicJoint>turn</mimicJoint></plugin></gazebo>'),
    Word("`<origin rpy=>` of `<robot>` with roll or pitch", "Gazebo", "Unsupported", "a link `world` counts", "turns it against gravity",
         robot='<origin rpy="0.3 0 0"/>'),
    Word("`<inertia_scaling>` of a link's `<contact>`", "PyBullet", "Unsupported", "", "is another inertia",
         link='<contact><inertia_scaling value="3"/></contact>'),
    # what does not bear on the motion
    Word("a differential or four-bar `<transmission>` without inertias", "ROS 1, ros2_control", "note", "q and tau are the joints'",
         "<transmission> is not used (q and tau are the joint's, not the motor's), nor its reduction: 'd' (DifferentialTransmission, 50)",
         robot=DIFFERENTIAL.format("<mechanicalReduction>50</mechanicalReduction>")),
    Word("`<offset>` of a transmission", "ros2_control", "note", "the motor's zero", "<offset> of <transmission> is not used: transmission 't'",
         robot=ROS2_TRANSMISSION.format("<mechanical_reduction>-50</mechanical_reduction><offset>0.1</offset>")),
    Word("`<motorTorqueConstant>`, `<drake:controller_gains>`", "ROS 1, Drake", "note", "of controllers",
         "<drake:controller_gains> of <transmission> is not used: transmission 't'", robot=SIMPLE.format('<drake:controller_gains p="100" d="1"/>')),
    Word("the rest of `<ros2_control>`: hardware, interfaces, `initial_value`", "ros2_control", "note", "", "<ros2_control> is not used: 'c'",
         robot=ROS2.format('<joint name="turn"><state_interface name="position"><param name="initial_value">1</param></state_interface></joint>')),
    Word("`<safety_controller>`, `<calibration>`", "ros_control", "note", "", "<safety_controller> is not used: joint 'turn'",
         joint='<safety_controller k_velocity="10" k_position="5" soft_lower_limit="-1" soft_upper_limit="1"/>'),
    Word("`<limit acceleration= jerk= drake:acceleration=>`", "Drake, ros2_control", "note", "", "'drake:acceleration' of <limit> is not used: joint 'turn'",
         joint='<limit lower="-2" upper="2" effort="20" velocity="4" drake:acceleration="3"/>'),
    Word("`<dynamics coulomb_window=>` and further attributes", "", "note", "", "'coulomb_window' of <dynamics> is not used: joint 'turn'",
         joint='<dynamics damping="0" coulomb_window="0.1"/>'),
    Word("`<springReference>`, `<implicitSpringDamper>`, `<stopCfm>`, `<stopErp>`, `<fudgeFactor>`, `<provideFeedback>`", "Gazebo", "note",
         "of its solver, or without a spring", "<springReference> of <gazebo> is not used: 'turn'",
         robot=OF_JOINT.format("<springReference>0.3</springReference><implicitSpringDamper>1</implicitSpringDamper>")),
    Word("`<mu1>`, `<kp>`, `<selfCollide>`, sensors and materials inside `<gazebo>`", "Gazebo", "note", "contacts and sensors", "<gazebo> is not used: 'lever'",
         robot=OF_LINK.format("<mu1>0.5</mu1><kp>1e5</kp><selfCollide>true</selfCollide>")),
    Word("other plugins of Gazebo's", "Gazebo", "note", "controllers", "<gazebo> is not used: line ",
         robot='<gazebo><plugin name="control" filename="libgazebo_ros_control.so"/></gazebo>'),
    Word("`<frame>`, `<drake:collision_filter_group>`", "Drake", "note", "", "<frame> is not used: 'a'", robot='<frame name="a" link="lever"/>'),
    Word("what acts on a link that does not move, or on a joint that is locked or left out", "", "note", "",
         "<turnGravityOff> of <gazebo> is not used: 'base'", robot='<gazebo reference="base"><turnGravityOff>true</turnGravityOff></gazebo>'),
]  # fmt: skip
"""The rows, in the order of the documentation."""
