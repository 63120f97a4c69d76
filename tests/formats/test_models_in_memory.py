"""`armdyn.load` of what is in memory: text, models of MuJoCo and Pinocchio; the same robot as from its file."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pinocchio
import pytest

import armdyn
from armdyn.errors import ModelError, Unsupported
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


def test_pinocchio_models_of_other_joints() -> None:
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
