"""Parts of a description: gravity in the axes of a base that is not the root, and what else is left out below it.

The right numbers are those of the whole robot, by Pinocchio or MuJoCo, with the joints below the base held.
"""

import re

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn import Robot
from armdyn.actuators import Actuator, Gear, Motor, Rotor
from armdyn.formats.urdf import read_urdf_text
from oracles.states import assert_close

BODY = '<inertial><origin xyz="0.2 0.05 0.1"/><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"/></inertial>'  # noqa: E501
LIMIT = '<limit lower="-3" upper="3" effort="9" velocity="2"/>'

TURRET = f"""<robot name="turret">
  <link name="world"/> <link name="pillar">{BODY}</link> <link name="foot">{BODY}</link>
  <link name="upper">{BODY}</link> <link name="lower">{BODY}</link>
  <joint name="lean" type="revolute"> <parent link="world"/><child link="pillar"/>
    <origin xyz="0 0 1" rpy="0.4 -0.3 0.2"/><axis xyz="0 0.6 0.8"/>{LIMIT} </joint>
  <joint name="mount" type="fixed"> <parent link="pillar"/><child link="foot"/><origin rpy="1.1 0.2 -0.5"/> </joint>
  <joint name="raise" type="revolute"> <parent link="foot"/><child link="upper"/><axis xyz="0 1 0"/>{LIMIT} </joint>
  <joint name="bend" type="revolute"> <parent link="upper"/><child link="lower"/>
    <origin xyz="0.5 0 0"/><axis xyz="0.6 0 0.8"/>{LIMIT} </joint>
</robot>"""

Q = np.array([0.3, -0.7])


def of_pinocchio(lean: float) -> np.ndarray:
    """g of the joints above the foot, with the joint below it held."""
    model = pin.buildModelFromXML(TURRET)
    return pin.computeGeneralizedGravity(model, model.createData(), np.array([lean, *Q]))[1:]


def test_a_base_that_is_bolted_to_the_side_of_a_pillar() -> None:
    """Its foot's y points down: g = (-(2 0.25 + 1 (0.5 + 0.15)) 9.81, 0)."""
    text = f"""<robot name="side"><link name="world"/><link name="foot"/>
      <joint name="mount" type="fixed"><parent link="world"/><child link="foot"/>
        <origin xyz="0 0.1 0.8" rpy="-1.570796326794897 0 0"/></joint>
      <link name="upper"><inertial><origin xyz="0.25 0 0.05"/><mass value="2"/>
        <inertia ixx="0.002" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.03"/></inertial></link>
      <joint name="raise" type="revolute"><parent link="foot"/><child link="upper"/><axis xyz="0 0 1"/>{LIMIT}</joint>
      <link name="lower"><inertial><origin xyz="0.15 0 0"/><mass value="1"/>
        <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
      <joint name="bend" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0.5 0 0"/>
        <axis xyz="0 1 0"/>{LIMIT}</joint></robot>"""
    robot = Robot(read_urdf_text(text, base="foot"))
    assert robot.gravity.tolist() == [0.0, 9.81, 0.0]
    assert_close(robot.gravity_forces([0.0, 0.0]), np.array([-11.2815, 0.0]))
    assert robot.notes == ()


@pytest.mark.parametrize("lean", [0.0, 0.9])
def test_joints_below_the_base_are_held(lean: float) -> None:
    robot = Robot(read_urdf_text(TURRET, base="foot", locked={"lean": lean} if lean else {}))
    assert_close(robot.gravity_forces(Q), of_pinocchio(lean))
    (note,) = robot.notes
    how = "locked at 0.9" if lean else "held at 0"
    assert note.startswith(f"base 'foot' stands on joints that are left out: 'lean' {how}; gravity is that of this")


def test_a_model_of_pinocchio() -> None:
    robot = armdyn.load(pin.buildModelFromXML(TURRET), base="pillar", locked={"lean": 0.9})
    assert_close(robot.gravity_forces(Q), of_pinocchio(0.9))


MJCF = """<mujoco model="turret"><option gravity="1 2 -9"/><worldbody><body name="pillar" euler="20 -15 10">
  <joint name="lean" axis="0 0.6 0.8" range="-3 3" ref="{ref}"/> <geom type="sphere" size="0.1" mass="1"/>
  <body name="upper" pos="0.1 0 0.2" euler="50 10 -30"> <joint name="raise" axis="0 1 0"/>
    <geom type="sphere" size="0.1" pos="0.3 0.1 0" mass="2"/>
    <body name="lower" pos="0.5 0 0"> <joint name="bend" axis="0.6 0 0.8"/>
      <geom type="sphere" size="0.1" pos="0.3 0.1 0" mass="2"/> </body> </body> </body></worldbody></mujoco>"""


@pytest.mark.parametrize(("ref", "locked"), [(0.0, None), (0.0, 0.9), (30.0, None), (30.0, 0.9)])
def test_mjcf(ref: float, locked: float | None) -> None:
    """Where a joint below the base is not locked it is held where the file draws it, as before."""
    text = MJCF.format(ref=ref)
    options = {} if locked is None else {"locked": {"lean": locked}}
    robot = armdyn.load(text, base="pillar", **options)  # type: ignore[arg-type]
    m = mujoco.MjModel.from_xml_string(text)
    d = mujoco.MjData(m)
    d.qpos[:] = [np.deg2rad(ref) if locked is None else locked, *Q]
    mujoco.mj_forward(m, d)
    assert_close(robot.gravity_forces(Q), d.qfrc_bias[1:], 1e-9)  # which rounds the quaternions of bodies
    assert any("'lean'" in note for note in robot.notes)


def test_gravity_of_armdyn_is_turned_too() -> None:
    """As of a whole robot that hangs from the ceiling; a base above it is read with the same gravity in its axes."""
    whole = Robot(read_urdf_text(TURRET)).with_gravity([1.0, -2.0, 9.0])
    part = Robot(read_urdf_text(whole.to_urdf(), base="pillar", locked={"lean": 0.9}))
    assert_close(part.gravity_forces(Q), whole.gravity_forces([0.9, *Q])[1:])


@pytest.mark.parametrize("name", ["planar_2r", "ucl_2r", "furuta"])
def test_bundled_robots(name: str) -> None:
    robot = armdyn.load(name)
    part = armdyn.load(name, base=robot.model.joints[0].child, locked={robot.joint_names[0]: 0.4})
    assert_close(part.gravity_forces([0.7]), robot.gravity_forces([0.4, 0.7])[1:])


def test_gravity_of_the_caller_is_in_the_axes_of_the_base() -> None:
    robot = Robot(read_urdf_text(TURRET, base="foot", gravity=(1, 2, 3), locked={"lean": 0.9}))
    assert robot.gravity.tolist() == [1.0, 2.0, 3.0]
    assert robot.notes == ("locked without effect, being left out: 'lean'",)


def test_locks_beside_the_chain_are_without_effect() -> None:
    more = f"""<link name="arm">{BODY}</link>
      <joint name="other" type="revolute"><parent link="pillar"/><child link="arm"/><axis xyz="0 1 0"/>{LIMIT}</joint>
      <link name="tip"/> <joint name="more" type="revolute"><parent link="arm"/><child link="tip"/>{LIMIT}</joint>
    </robot>"""
    text = TURRET.replace("</robot>", more)
    model = read_urdf_text(text, tip="lower", chain=True, locked={"more": 0.2})
    assert "locked without effect, being left out: 'more'" in model.notes


def test_a_rotor_on_the_chain_whose_joint_is_left_out_is_held() -> None:
    """Its moment about its axis is part of the link that carries it, as where its joint is locked."""
    drive = Actuator(Motor(rotor_inertia=0.02), Gear(50.0), rotor=Rotor(mass=0.3, transverse=0.01))
    whole = Robot(read_urdf_text(TURRET)).with_actuators({"bend": drive})
    chain = Robot(read_urdf_text(whole.to_urdf(), tip="upper", chain=True)).model.link("upper").inertia
    carrier = whole.model.link("upper").inertia  # with the rotor's mass and its moment across its axis
    (rotor,) = (part for part in whole.model.joint("bend").motor_parts if isinstance(part, Rotor))
    u = np.array([0.6, 0.0, 0.8])
    assert_close(chain.tensor - carrier.tensor, rotor.moment_about_axis * np.outer(u, u))
    assert chain.mass == carrier.mass


@pytest.mark.parametrize(
    "gravity",
    [
        (0.0, -9.81, 0.0),
        (9.81, 0.0, 0.0),
        (0.0, 0.0, 9.81),
        9.81 * np.array([0.48, -0.6, 0.64]),
        9.81 * np.array([0, 0.6, -0.8]),
    ],
)
def test_gravity_that_is_written_is_that_of_other_readers(gravity: tuple[float, ...]) -> None:
    """The file is the same robot again, its base too; Pinocchio counts the same g(q), and so do we without <armdyn>."""
    robot = Robot(read_urdf_text(TURRET)).with_gravity(gravity)
    text = robot.to_urdf()
    again = Robot(read_urdf_text(text))
    assert again == robot
    assert again.model.base == "world"
    assert again.gravity.tolist() == robot.gravity.tolist()
    q = np.array([0.9, *Q])
    expected = robot.gravity_forces(q)
    model = pin.buildModelFromXML(text)
    assert_close(pin.computeGeneralizedGravity(model, model.createData(), q), expected)
    bare = Robot(read_urdf_text(re.sub("<armdyn .*?/>", "", text)))
    assert_close(bare.gravity_forces(q), expected)
    assert_close(Robot(read_urdf_text(text, base=bare.model.base)).gravity_forces(q), expected)
    assert bare.model.base == "world_"  # as the robot has a world of its own


def test_gravity_along_the_base_needs_no_mounting() -> None:
    text = Robot(read_urdf_text(TURRET)).to_urdf()
    assert "joint_of_world" not in text
    assert "base=" not in text


@pytest.mark.parametrize("gravity", [(0.0, 0.0, -9.8), (0.0, -1.62, 0.0), (0.0, 0.0, 0.0)])
def test_other_sizes_of_gravity_stand_in_armdyn_alone(gravity: tuple[float, ...]) -> None:
    robot = Robot(read_urdf_text(TURRET)).with_gravity(gravity)
    with pytest.warns(armdyn.DescriptionWarning, match=r"stands in <armdyn> alone: other readers of URDF count 9\.81"):
        text = robot.to_urdf()
    assert re.search(r"<!-- gravity of \S+ m/s\^2 stands in <armdyn> alone", text)
    assert Robot(read_urdf_text(text)) == robot


def test_a_base_of_armdyn_that_does_not_exist() -> None:
    text = Robot(read_urdf_text(TURRET)).with_gravity([9.81, 0, 0]).to_urdf().replace('base="world"', 'base="wrold"')
    with pytest.raises(armdyn.ModelError, match="<armdyn> base 'wrold' is no link of this file"):
        read_urdf_text(text)
