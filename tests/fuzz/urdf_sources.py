# ruff: noqa: E501 - pieces of descriptions stand whole on their lines
"""URDF files to begin with: bundled ones, those of example-robot-data, and grown ones that use all the format has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import deepcopy
from functools import cache
from importlib import resources
from random import Random
from xml.etree.ElementTree import Element, SubElement, fromstring

from fuzz import numbers
from fuzz.trees import Words
from oracles.robot_data import ROBOTS

BUNDLED = ("planar_2r", "planar_3r", "rp", "furuta", "scara", "ur5")
OTHERS = (
    *("double_pendulum_description/urdf/double_pendulum.urdf", "asr_twodof_description/urdf/TwoDofs.urdf"),
    *("finger_edu_description/robots/finger_edu.urdf", "so_arm_description/urdf/so100.urdf"),
    *("ur_description/urdf/ur5_gripper.urdf", "z1_description/urdf/z1.urdf", "panda_description/urdf/panda.urdf"),
    *("xarm_description/urdf/xarm7.urdf", "kinova_description/robots/kinova.urdf"),
    *("allegro_hand_description/urdf/allegro_right_hand.urdf", "hextilt_description/urdf/hextilt_flying_arm_5.urdf"),
)

WORDS = Words(
    tags=(
        *(
            "robot",
            "link",
            "joint",
            "inertial",
            "origin",
            "mass",
            "inertia",
            "parent",
            "child",
            "axis",
            "limit",
            "mimic",
        ),
        *(
            "dynamics",
            "visual",
            "collision",
            "geometry",
            "mesh",
            "box",
            "transmission",
            "gazebo",
            "material",
            "loop_joint",
        ),
        *(
            "loop",
            "link1",
            "link2",
            "predecessor",
            "successor",
            "safety_controller",
            "calibration",
            "xacro:macro",
            "group",
        ),
    ),
    attributes=(
        *(
            "name",
            "type",
            "link",
            "joint",
            "xyz",
            "rpy",
            "quat_xyzw",
            "value",
            "ixx",
            "ixy",
            "ixz",
            "iyy",
            "iyz",
            "izz",
        ),
        *("lower", "upper", "velocity", "effort", "damping", "friction", "multiplier", "offset", "filename", "size"),
        *("version", "xmlns:xacro", "reference", "length", "radius", "rising", "soft_lower_limit"),
    ),
    values={
        "type": (
            "revolute",
            "continuous",
            "prismatic",
            "fixed",
            "floating",
            "planar",
            "spherical",
            "Revolute",
            "hinge",
        ),
        "version": ("1.0", "1.1", "1.2", "2.0", "1", "x"),
    },
    references=frozenset({"name", "link", "joint"}),
    pieces=(
        '<origin xyz="0.1 -0.2 0.3" rpy="0.4 0.5 -0.6"/>',
        '<origin quat_xyzw="0.5 -0.5 0.5 0.5"/>',
        '<inertial><origin xyz="0 0 0.1"/><mass value="1.5"/><inertia ixx="1" ixy="0.1" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>',
        '<mass value="2"/>',
        '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.15"/>',
        '<axis xyz="0 0.6 -0.8"/>',
        '<limit lower="-1" upper="1" velocity="2" effort="3"/>',
        '<limit lower="1" upper="-1" velocity="-2" effort="-3"/>',
        '<dynamics damping="0.1" friction="0.2"/>',
        '<mimic joint="j0" multiplier="-1.5" offset="0.2"/>',
        '<parent link="l0"/>',
        '<child link="l1"/>',
        '<link name="world"/>',
        '<link name="extra"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>',
        '<joint name="stray" type="fixed"><parent link="world"/><child link="l0"/></joint>',
        '<joint name="hang" type="revolute"><parent link="l0"/><child link="extra"/><limit velocity="1" effort="1"/></joint>',
        '<loop_joint name="p" type="spherical"><link1 link="l1" xyz="0.1 0 0"/><link2 link="l0"/></loop_joint>',
        '<loop name="o" type="revolute"><predecessor link="l1"/><successor link="l0"/><axis xyz="0 0 1"/></loop>',
        '<transmission name="t"><actuator name="m"><mechanicalReduction>50</mechanicalReduction></actuator></transmission>',
        '<transmission name="s"><type>transmission_interface/SimpleTransmission</type><joint name="j0"/><actuator name="m"><mechanicalReduction>50</mechanicalReduction></actuator></transmission>',
        '<ros2_control name="c" type="system"><transmission name="r"><joint name="j1"><mechanical_reduction>-7.5</mechanical_reduction></joint></transmission></ros2_control>',
        '<armdyn tip="l1"><of_joint joint="j0" armature="0.1"><actuator><motor rotor_inertia="1e-4"/><gear ratio="9"/><friction><Coulomb size="0.3"/></friction></actuator></of_joint></armdyn>',
        '<gazebo reference="l0"><turnGravityOff>true</turnGravityOff></gazebo>',
        '<gazebo reference="j0"><springStiffness>3</springStiffness><axis><dynamics><damping>1</damping></dynamics></axis></gazebo>',
        '<gazebo><static>false</static><plugin name="p" filename="mimic.so"><mimicJoint>j1</mimicJoint></plugin></gazebo>',
        '<dynamics damping="0.1" armature="0.2" spring_stiffness="0"/>',
        '<transmission name="u"><joint name="j0"/><actuator name="m"><motorInertia>1e-4</motorInertia><mechanicalReduction>9</mechanicalReduction></actuator></transmission>',
        '<transmission name="v"><joint name="j0"/><joint name="j1"/><actuator name="m"><motorInertia>1e-4</motorInertia></actuator></transmission>',
        '<armdyn base="l0" gravity="0 -9.81 0"><coupling><coordinate name="c" kind="revolute"><moves joint="j0" factor="2"/></coordinate><offset joint="j0" value="0.1"/></coupling></armdyn>',
        '<visual><geometry><mesh filename="package://a/b.stl" scale="1 1 1"/></geometry></visual>',
        '<collision><geometry><cylinder radius="0.1" length="1"/></geometry></collision>',
        '<safety_controller k_velocity="10" soft_lower_limit="-1"/>',
        '<calibration rising="0"/>',
        "<remark>text</remark>",
    ),
)


@cache
def _known(name: str) -> Element:
    if "/" in name:
        return fromstring((ROBOTS / name).read_bytes())
    return fromstring((resources.files("armdyn.robots") / f"{name}.urdf").read_bytes())


def base(rng: Random) -> Element:
    """A file to change: mostly a small grown one."""
    pick = rng.random()
    if pick < 0.98:
        return grown(rng)
    return deepcopy(_known(rng.choice(BUNDLED if pick < 0.993 else OTHERS)))


def grown(rng: Random) -> Element:
    """A small tree of one to three joints that move, and now and then a fixed one."""
    robot = Element("robot", name="grown")
    links = ["l0"]
    _link(robot, "l0", rng, inertial=rng.random() < 0.3)
    moving: list[str] = []
    for k in range(rng.choice((1, 1, 2, 2, 3)) + rng.choice((0, 0, 0, 1))):
        kind = "fixed" if k and rng.random() < 0.2 else rng.choice(("revolute", "revolute", "continuous", "prismatic"))
        parent, child, name = rng.choice((links[-1], links[-1], *links)), f"l{k + 1}", f"j{k}"
        _link(robot, child, rng, inertial=kind != "fixed" or rng.random() < 0.6)
        joint = SubElement(robot, "joint", name=name, type=kind)
        _joint(joint, parent, child, kind, rng, moving)
        if kind != "fixed":
            moving.append(name)
        links.append(child)
    for name in moving:
        if rng.random() < 0.15:
            robot.append(_transmission(name, rng))
    return robot


def _transmission(joint: str, rng: Random) -> Element:
    """A gear between a motor and a joint, now and then with the inertia of the rotor."""
    transmission = Element("transmission", name=f"of_{joint}")
    SubElement(transmission, "joint", name=joint)
    actuator = SubElement(transmission, "actuator", name=f"motor_of_{joint}")
    SubElement(actuator, "mechanicalReduction").text = repr(rng.uniform(-100.0, 100.0))
    if rng.random() < 0.3:
        SubElement(actuator, "drake:rotor_inertia", value=repr(rng.uniform(0.0, 1e-3)))
    return transmission


def _origin(holder: Element, rng: Random) -> None:
    if rng.random() < 0.1:
        return
    origin = SubElement(holder, "origin", xyz=numbers.shown([numbers.plain(rng) for _ in range(3)]))
    if rng.random() < 0.8:
        origin.set("rpy", numbers.shown([numbers.angle(rng) for _ in range(3)]))


def _link(robot: Element, name: str, rng: Random, *, inertial: bool) -> None:
    link = SubElement(robot, "link", name=name)
    if not inertial:
        return
    holder = SubElement(link, "inertial")
    _origin(holder, rng)
    mass = rng.uniform(0.1, 5.0)
    SubElement(holder, "mass", value=repr(mass))
    a, b, c = (mass * rng.uniform(0.001, 0.1) for _ in range(3))
    values = {"ixx": b + c, "ixy": 0.0, "ixz": 0.0, "iyy": a + c, "iyz": 0.0, "izz": a + b}
    if rng.random() < 0.7:  # x y below the geometric mean of two second moments: a body that can exist
        values |= {
            "ixy": 0.5 * math.sqrt(a * b) * rng.uniform(-1, 1),
            "iyz": 0.5 * math.sqrt(b * c) * rng.uniform(-1, 1),
        }
    SubElement(holder, "inertia", {key: repr(value) for key, value in values.items()})
    if rng.random() < 0.1:
        link.append(fromstring(next(piece for piece in WORDS.pieces if piece.startswith("<visual>"))))


def _joint(joint: Element, parent: str, child: str, kind: str, rng: Random, moving: Sequence[str]) -> None:
    parts: list[Element] = [Element("parent", link=parent), Element("child", link=child)]
    if kind != "fixed":
        axis = (
            [numbers.plain(rng) for _ in range(3)]
            if rng.random() < 0.5
            else rng.choice(([0.0, 0.0, 1.0], [0.0, -1.0, 0.0]))
        )
        parts.append(Element("axis", xyz=numbers.shown(axis if any(axis) else [1.0, 0.0, 0.0])))
        lower, upper = sorted((rng.uniform(-3, 3), rng.uniform(-3, 3)))
        parts.append(Element("limit", lower=repr(lower), upper=repr(upper), velocity="1.5", effort="100"))
        if rng.random() < 0.15:
            parts.append(Element("dynamics", damping="0.1", friction="0"))
        if moving and rng.random() < 0.1:
            parts.append(Element("mimic", joint=rng.choice(moving), multiplier=repr(rng.uniform(-2, 2)), offset="0.1"))
    if rng.random() < 0.3:
        rng.shuffle(parts)
    joint.extend(parts)
    _origin(joint, rng)
