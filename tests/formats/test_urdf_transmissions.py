"""Transmissions of URDF files: what each form says of gear and rotor, against Drake where it reads the same."""

import dataclasses

import pinocchio as pin
import pytest
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import MultibodyForces

from armdyn import ModelError, Robot
from armdyn.actuators import Actuator, Gear, Motor, Rotor, Viscous
from armdyn.formats.urdf import read_urdf_text
from oracles.states import assert_close, random_states

BODY = (
    '<inertial><origin xyz="0.1 0.2 0.3"/><mass value="3"/>'
    '<inertia ixx="1" ixy="0.1" ixz="0.2" iyy="2" iyz="0.3" izz="2.5"/></inertial>'
)
JOINT = '<limit lower="-1" upper="2" velocity="3" effort="4"/>'


def arm(more: str) -> str:
    return f"""<robot name="arm">
  <link name="base"/> <link name="one">{BODY}</link> <link name="two">{BODY}</link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="one"/><axis xyz="0 0.6 0.8"/>{JOINT}</joint>
  <joint name="slide" type="prismatic"><parent link="one"/><child link="two"/><axis xyz="0.8 0.6 0"/>{JOINT}</joint>
  {more}
</robot>"""


def simple(joint: str, motor: str = "", more: str = "", kind: str = "transmission_interface/SimpleTransmission") -> str:
    return (
        f'<transmission name="of_{joint}"><type>{kind}</type><joint name="{joint}">'
        "<hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface></joint>"
        f'<actuator name="motor_of_{joint}">{motor}</actuator>{more}</transmission>'
    )


def actuators(more: str, **options: object) -> dict[str, object]:
    model = read_urdf_text(arm(more), **options)  # type: ignore[arg-type]
    return {joint.name: joint.actuator for joint in model.joints if joint.actuator is not None}


REDUCED = "<mechanicalReduction> -50.5 </mechanicalReduction>"


@pytest.mark.parametrize(
    "more",
    [
        simple("turn", REDUCED),
        simple("turn", "", REDUCED),
        simple("turn", REDUCED, kind=""),
        f'<transmission type="pr2_mechanism_model/SimpleTransmission" name="t"><actuator name="m"/><joint name="turn"/>'
        f"{REDUCED}</transmission>",
        '<ros2_control name="c" type="system"><transmission name="t">'
        "<plugin>transmission_interface/SimpleTransmission</plugin>"
        '<joint name="turn" role="joint1"><mechanical_reduction>-50.5</mechanical_reduction></joint>'
        '<actuator name="a" role="actuator1"><mechanical_reduction>1.0</mechanical_reduction></actuator>'
        "</transmission></ros2_control>",
        simple("turn", '<drake:gear_ratio value="-50.5"/>'),
        simple("turn", REDUCED + '<drake:gear_ratio value="-50.5"/>'),
    ],
    ids=["ros1", "outside", "no_type", "pr2", "ros2", "drake", "both"],
)
def test_every_form_of_a_reduction(more: str) -> None:
    assert actuators(more) == {"turn": Actuator(gear=Gear(-50.5))}


def test_a_ratio_of_one_says_nothing() -> None:
    model = read_urdf_text(arm(simple("turn", "<mechanicalReduction>1</mechanicalReduction>") + simple("slide")))
    assert [joint.actuator for joint in model.joints] == [None, None]
    assert model.notes == ()


def test_rotor_inertia() -> None:
    rotor = '<drake:rotor_inertia value="1.5e-4"/>'
    model = read_urdf_text(arm(simple("turn", rotor + '<drake:gear_ratio value="30"/>') + simple("slide", rotor)))
    motor = Motor(rotor_inertia=1.5e-4)
    assert [joint.actuator for joint in model.joints] == [Actuator(motor, Gear(30.0)), Actuator(motor, Gear(1.0))]
    assert [joint.armature for joint in model.joints] == [30.0**2 * 1.5e-4, 1.5e-4]


def test_rotor_inertia_and_damping_are_drakes() -> None:
    """Drake counts the rotor as G^2 I, and the joint's damping; it leaves friction out."""
    text = arm(
        simple("turn", '<drake:rotor_inertia value="1.5e-3"/><drake:gear_ratio value="30"/>')
        + simple("slide", '<drake:rotor_inertia value="2e-2"/><drake:gear_ratio value="-7"/>')
    )
    text = text.replace(JOINT, JOINT + '<dynamics damping="0.7" friction="0.9"/>')
    check_against_drake(Robot(read_urdf_text(text)), text)


def test_written_gears_and_rotors_are_drakes() -> None:
    """Drake's M of a file that `to_urdf` wrote has G^2 (I_rotor + I_gear) too, and its damping is that of the laws."""
    drives = {
        "turn": Actuator(Motor(1.5e-4, damping=3e-4), Gear(30.3, inertia=2e-5), Viscous(0.7)),
        "slide": Actuator(Motor(2e-3), Gear(-70.0), [Viscous(0.2), Viscous(0.4)]),
    }
    robot = Robot(read_urdf_text(arm(""))).with_actuators(drives)
    check_against_drake(robot, robot.to_urdf())
    pin.buildModelFromXML(robot.to_urdf())
    bodies = {name: dataclasses.replace(drive, rotor=Rotor()) for name, drive in drives.items()}
    check_against_drake(robot, robot.with_actuators(bodies).to_urdf())


def check_against_drake(robot: Robot, text: str) -> None:
    """M and the inverse dynamics, but for dry friction."""
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModelsFromString(text, "urdf")
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("base"))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    frictionless = robot.with_friction({joint.name: (joint.damping, 0.0) for joint in robot.model.joints})
    s = random_states(2, 5, seed=91)
    for q, qd, qdd in zip(s.q, s.qd, s.qdd, strict=True):
        plant.SetPositions(context, q)
        plant.SetVelocities(context, qd)
        forces = MultibodyForces(plant)
        plant.CalcForceElementsContribution(context, forces)
        assert_close(robot.mass_matrix(q), plant.CalcMassMatrix(context))
        assert_close(frictionless.inverse_dynamics(q, qd, qdd), plant.CalcInverseDynamics(context, qdd, forces))


@pytest.mark.parametrize(
    ("more", "note"),
    [
        (
            '<transmission name="d"><type>transmission_interface/DifferentialTransmission</type>'
            '<joint name="turn"/><joint name="slide"/>'
            '<actuator name="a"><mechanicalReduction>50</mechanicalReduction></actuator><actuator name="b"/>'
            "</transmission>",
            "<transmission> is not used (q and tau are the joint's, not the motor's), nor its reduction: 'd' "
            "(DifferentialTransmission, 50)",
        ),
        (
            simple("turn", kind="transmission_interface/FourBarLinkageTransmission"),
            "<transmission> is not used: 'of_turn' (FourBarLinkageTransmission)",
        ),
        (simple("trun", REDUCED), "<transmission> is not used: 'of_trun' (drives 'trun', no joint of this file)"),
        ('<transmission name="t"><actuator name="a"/></transmission>', "<transmission> is not used: 't'"),
        (
            simple("turn", "<motorTorqueConstant>0.1</motorTorqueConstant>"),
            "<motorTorqueConstant> of <transmission> is not used: transmission 'of_turn'",
        ),
        (
            simple("turn", REDUCED + '<drake:gear_ratio value="3"/>'),
            "the reduction is not that of <drake:gear_ratio>, which is taken: transmission 'of_turn'",
        ),
        (
            simple("turn", '<mechanicalReduction offset="3">1</mechanicalReduction>'),
            "<mechanicalReduction> offset of <transmission> is not used: transmission 'of_turn'",
        ),
        (
            simple("turn", '<drake:gear_ratio value="3" type="7"/>'),
            "<drake:gear_ratio> type of <transmission> is not used: transmission 'of_turn'",
        ),
        (
            simple("turn", REDUCED).replace("<actuator ", '<actuator value="3" '),
            "<actuator> value of <transmission> is not used: transmission 'of_turn'",
        ),
        (
            '<ros2_control name="c"><transmission name="t"><joint name="turn"/></transmission></ros2_control>',
            "<ros2_control> is not used, but for its transmissions: 'c'",
        ),
    ],
)
def test_notes(more: str, note: str) -> None:
    assert read_urdf_text(arm(more)).notes == (note,)


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (
            simple("turn", "<mechanicalReduction>0</mechanicalReduction>"),
            "<mechanicalReduction> is '0'; expected a number that is not zero",
        ),
        (simple("turn", "<mechanicalReduction>1:50</mechanicalReduction>"), "is '1:50'; expected a number"),
        (simple("turn", "<mechanicalReduction>inf</mechanicalReduction>"), "is 'inf'; expected a number"),
        (simple("turn", REDUCED, "<mechanicalReduction>3</mechanicalReduction>"), "is given as -50.5 and 3"),
        (simple("turn", '<drake:gear_ratio value="3">1</drake:gear_ratio>'), "is '1' and its value '3'"),
        (
            simple("turn", REDUCED)
            + '<armdyn><of_joint joint="turn"><actuator><gear ratio="9"/></actuator></of_joint></armdyn>',
            "it says gear ratio -50.5, and <armdyn> says gear ratio 9, rotor inertia 0 kg m^2 of joint 'turn'",
        ),
        (simple("turn", REDUCED) + simple("turn"), "joint 'turn' has another transmission, of ratio -50.5"),
    ],
)
def test_faults_can_be_accepted(more: str, problem: str) -> None:
    with pytest.raises(ModelError) as caught:
        actuators(more)
    assert problem in str(caught.value)
    with pytest.warns(match="another transmission|the transmission is not used|<armdyn> is taken"):
        actuators(more, problems="warn")


def test_rotor_inertia_stands_once() -> None:
    with pytest.raises(ModelError, match="stands here again"):
        actuators(simple("turn", 2 * '<drake:rotor_inertia value="1e-4"/>'), problems="warn")


@pytest.mark.parametrize("value", ["-1e-4", "heavy", "nan", ""])
def test_wrong_rotor_inertia_is_a_problem(value: str) -> None:
    text = simple("turn", f'<drake:rotor_inertia value="{value}"/>')
    with pytest.raises(ModelError, match=r"robot:5 transmission 'of_turn': <drake:rotor_inertia> value is"):
        actuators(text, problems="warn")


def test_ignored_friction_leaves_the_drive() -> None:
    model = read_urdf_text(arm(simple("turn", REDUCED)), friction="ignore")
    assert model.joints[0].actuator == Actuator(gear=Gear(-50.5))
