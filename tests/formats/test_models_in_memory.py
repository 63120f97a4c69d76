"""`armdyn.load` of what is in memory: text, models of MuJoCo and Pinocchio; the same robot as from its file."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pinocchio
import pytest

import armdyn
from armdyn.base.errors import ModelError, Unsupported
from armdyn.formats.mjcf.reader import read_mjmodel
from armdyn.formats.pinocchio_model import read_pinocchio_model
from oracles.robot_data import bare

MJCF = """<mujoco model="pair"><option gravity="0.3 -1 -9"/><worldbody>
  <body name="a" pos="0 0.1 0.2" euler="10 20 30">
    <joint name="turn" axis="0.6 0 0.8" pos="0.1 0 0" damping="0.3" armature="0.02" limited="true" range="-60 60"/>
    <geom type="box" size="0.1 0.2 0.3" mass="1.5" pos="0.3 0 0.1"/>
    <body name="b" pos="0.6 0.1 0"><joint name="slide" type="slide" axis="0 0.8 0.6"/>
      <geom type="capsule" size="0.1 0.2" mass="0.5" euler="30 0 0"/><site name="tool0" pos="0.1 0.2 0.3"/></body>
  </body></worldbody></mujoco>"""

STATES = np.random.default_rng(5).uniform(-1.0, 1.0, (3, 4, 7))


def urdf_text(path: str) -> str:
    from xml.etree.ElementTree import tostring

    return tostring(bare(path).getroot(), encoding="unicode")


@pytest.mark.short_run("ur_description/urdf/ur5_robot.urdf")
@pytest.mark.filterwarnings("ignore::armdyn.DescriptionWarning")
@pytest.mark.parametrize("path", ["ur_description/urdf/ur5_robot.urdf", "talos_data/robots/talos_left_arm.urdf"])
def test_pinocchio_models_have_pinocchios_dynamics(path: str) -> None:
    """Revolute joints about axes of the frame and others; the peer's own RNEA and CRBA are the oracle."""
    text = urdf_text(path)
    model = pinocchio.buildModelFromXML(text)
    robot = armdyn.load(model, friction="ignore")
    data = model.createData()
    assert robot.joint_names == tuple(model.names)[1:]
    for q, qd, qdd in np.moveaxis(STATES[..., : robot.dof], 0, 1):
        expected = pinocchio.rnea(model, data, q, qd, qdd)
        np.testing.assert_allclose(
            robot.inverse_dynamics(q, qd, qdd), expected, atol=1e-12 * np.abs(expected).max(), rtol=0
        )
        upper = np.triu(pinocchio.crba(model, data, q))
        M = upper + np.triu(upper, 1).T
        np.testing.assert_allclose(robot.mass_matrix(q), M, atol=1e-12 * np.abs(M).max(), rtol=0)
    from_text = armdyn.load(text, friction="ignore")
    np.testing.assert_array_equal(from_text.upper, robot.upper)
    np.testing.assert_array_equal(from_text.velocity_limits, robot.velocity_limits)


def sliding() -> pinocchio.Model:
    """A slide, an unbounded joint and a joint about an oblique axis, with armature, damping and friction."""
    model, at = pinocchio.Model(), pinocchio.SE3.Random
    model.gravity.linear = np.array([1.0, -2.0, -8.0])
    oblique = np.array([0.48, 0.6, 0.64])
    joints = [
        pinocchio.JointModelPrismaticUnaligned(oblique), pinocchio.JointModelRUBY(), pinocchio.JointModelRX(),
        pinocchio.JointModelRevoluteUnaligned(oblique),
    ]  # fmt: skip
    parent = 0
    for k, joint in enumerate(joints):
        parent = model.addJoint(parent, joint, at(), f"j{k}")
        solid = pinocchio.Inertia.FromBox(1.0 + k, 0.2, 0.3, 0.4)
        model.appendBodyToJoint(parent, solid, at())
    model.addFrame(pinocchio.Frame("tool0", parent, 0, at(), pinocchio.FrameType.OP_FRAME))
    model.armature = np.array([0.1, 0.2, 0.3, 0.4])
    model.damping = np.array([0.5, 0.0, 0.7, 0.0])
    return model


def test_general_pinocchio_joints() -> None:
    pinocchio.seed(3)
    model = sliding()
    robot = armdyn.load(model)
    assert [joint.kind for joint in robot.joints] == ["prismatic", "revolute", "revolute", "revolute"]
    assert robot.tip == "tool0"
    q, qd, qdd = STATES[:, 0, :4]
    theirs = np.array([q[0], np.cos(q[1]), np.sin(q[1]), *q[2:]])
    expected = pinocchio.rnea(model, model.createData(), theirs, qd, qdd) + model.damping * qd
    np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd), expected, rtol=1e-12)
    data = model.createData()
    pinocchio.framesForwardKinematics(model, data, theirs)
    tool = data.oMf[model.getFrameId("tool0")].homogeneous
    np.testing.assert_allclose(robot.forward_kinematics(q), tool, atol=1e-13)
    undamped = armdyn.load(model, friction="ignore", gravity=(0.0, 0.0, 0.0))
    assert not undamped.gravity.any()
    assert not any(joint.damping for joint in undamped.joints)


def test_dry_friction_of_a_pinocchio_model_differs_with_the_direction() -> None:
    """The least force that Pinocchio allows acts on a joint that moves forwards, beside damping 0.5."""
    model = pinocchio.Model()
    parent = model.addJoint(0, pinocchio.JointModelRX(), pinocchio.SE3.Identity(), "turn")
    model.appendBodyToJoint(parent, pinocchio.Inertia.FromBox(1.0, 0.2, 0.3, 0.4), pinocchio.SE3.Identity())
    model.lowerDryFrictionLimit, model.upperDryFrictionLimit = np.array([-3.0]), np.array([2.0])
    model.damping, model.armature = np.array([0.5]), np.array([0.25])
    robot = armdyn.load(model)
    forces = robot.friction_forces(np.zeros((2, 1)), [[1.0], [-1.0]])
    np.testing.assert_array_equal(forces, [[3.5], [-2.5]])
    assert robot.with_actuators({"turn": None}).model.joint("turn").damping == 0.5
    assert not any(joint.rubs for joint in armdyn.load(model, friction="ignore").joints)
    if hasattr(pinocchio, "JointFrictionConstraintModel"):  # the forces on the joint that its solver allows
        friction = pinocchio.JointFrictionConstraintModel(model, [parent])
        data = friction.createData()  # which the set refers to
        allowed = friction.set(data)
        np.testing.assert_array_equal(
            [allowed.project(np.array([far])).copy() for far in (-1e3, 1e3)], -forces + [[0.5], [-0.5]]
        )
    model.lowerDryFrictionLimit = np.array([1.0])
    with pytest.raises(Unsupported, match=r"joint 1 'turn' .*dry friction between 1 and 2"):
        armdyn.load(model)


def test_limits_of_a_pinocchio_model_that_differ_with_the_direction() -> None:
    model = pinocchio.buildModelFromXML(
        '<robot name="one"><link name="base"/><link name="arm"><inertial><mass value="1"/><inertia ixx="1" ixy="0" '
        'ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><joint name="turn" type="revolute"><parent link="base"/>'
        '<child link="arm"/><axis xyz="0 0 1"/><limit lower="-1" upper="2" velocity="3" effort="7"/></joint></robot>'
    )
    limits = armdyn.load(model).joints[0].limits
    assert (limits.velocity, limits.effort) == (3.0, 7.0)
    assert not any("limit" in note for note in armdyn.load(model).notes)
    if not hasattr(model, "lowerEffortLimit"):
        pytest.skip("this version of Pinocchio has one limit for both directions")
    model.lowerEffortLimit, model.lowerVelocityLimit = np.array([-9.0]), np.array([-2.0])
    model.rotorInertia = np.array([1e-4])
    robot = armdyn.load(model)
    assert (robot.joints[0].limits.velocity, robot.joints[0].limits.effort) == (3.0, 9.0)
    end = "differs with the direction; its larger end is taken"
    assert f"the velocity limit of joint 'turn' (-2 to 3) {end}" in robot.notes
    assert f"the effort limit of joint 'turn' (-9 to 7) {end}" in robot.notes
    assert any(note.startswith("rotorInertia and rotorGearRatio are not counted") for note in robot.notes)


REF = """<mujoco><compiler angle="radian"/><worldbody><body name="one">
  <joint name="a" axis="0 1 0" range="-1 2" ref="0.5"/><inertial pos="0.1 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>
</body></worldbody></mujoco>"""


def test_limits_that_pinocchio_shifts_by_ref_are_noted(tmp_path: Path) -> None:
    """The file's range is that of q, in MuJoCo and here; Pinocchio's kinematics has that q, and other limits."""
    path = tmp_path / "ref.xml"
    path.write_text(REF)
    model, file = pinocchio.buildModelFromMJCF(str(path)), armdyn.load(path)
    (limits,) = [joint.limits for joint in file.joints]
    assert (limits.lower, limits.upper) == (-1.0, 2.0)
    robot = armdyn.load(model)
    for q in ([0.3], [1.7]):
        np.testing.assert_allclose(robot.inverse_dynamics(q, [0.0], [0.0]), file.inverse_dynamics(q, [0.0], [0.0]))
    if model.lowerPositionLimit[0] != -1.0:
        assert (
            "limits of 'a': Pinocchio's reader of MJCF shifts those of joints with a ref; armdyn.load of the file "
            "itself has those of the file"
        ) in robot.notes


def test_pinocchio_models_of_other_joints(tmp_path: Path) -> None:
    path = tmp_path / "two.xml"
    path.write_text(REF.replace("<inertial", '<joint name="b" axis="1 0 0"/><inertial'))
    composite = pinocchio.buildModelFromMJCF(str(path))
    with pytest.raises(
        Unsupported, match=r"JointModelComposite; .*armdyn.load of the file that the model is made of reads such"
    ):
        armdyn.load(composite)
    assert armdyn.load(path).joint_names == ("a", "b")
    with pytest.raises(Unsupported, match=r"'root_joint' .* is a JointModelFreeFlyer; expected revolute and prismatic"):
        armdyn.load(pinocchio.buildSampleModelHumanoid())
    with pytest.raises(ModelError, match=r"expected a pinocchio\.Model, got 5"):
        read_pinocchio_model(5)


def test_mujoco_models_and_texts_are_their_files(tmp_path: Path) -> None:
    path = tmp_path / "text.xml"
    path.write_text(MJCF)
    file = armdyn.load(path)
    assert armdyn.load(MJCF) == file
    model = mujoco.MjModel.from_xml_string(MJCF)
    robot = armdyn.load(model)
    assert robot == file
    assert robot.name == "pair"
    data = mujoco.MjData(model)
    data.qpos, data.qvel, data.qacc = STATES[:, 0, :2]
    mujoco.mj_inverse(model, data)
    np.testing.assert_allclose(robot.inverse_dynamics(*STATES[:, 0, :2]), data.qfrc_inverse, rtol=1e-12)
    with pytest.raises(ModelError, match=r"expected a mujoco\.MjModel, got 'pair\.xml'"):
        read_mjmodel("pair.xml")
    assert armdyn.load(model, tip="a").tip == "a"


@pytest.mark.usefixtures("compiled_here")
def test_texts(tmp_path: Path) -> None:
    path = tmp_path / "planar_2r.urdf"
    text = armdyn.load("planar_2r").to_urdf()
    path.write_text(text)
    assert text.startswith("<?xml")
    for given in (text, f"\n  {text}", text.partition("?>")[2]):
        assert armdyn.load(given) == armdyn.load(path)
    with pytest.raises(ModelError, match="robot:2 "):
        armdyn.load("\n<robot><link/></robot>")
    with pytest.raises(ModelError, match=r"text\.xml"):
        armdyn.load("<mujoco><worldbody><bodi/></worldbody></mujoco>")


@pytest.mark.parametrize("other", [5, None, [1, 2], np.zeros(3)])
def test_what_is_no_robot(other: object) -> None:
    with pytest.raises(ModelError, match="expected a bundled name or the path of a file, the text of a description"):
        armdyn.load(other)
