"""Written as URDF and read again: the same model to the last bit, for armdyn; the same robot, for Pinocchio."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

import armdyn
from armdyn import Inertia, Limits, Part, Robot
from armdyn.base.exact import rounded
from armdyn.formats.export.numbers import rpy_of
from armdyn.formats.urdf import read_urdf, read_urdf_text
from armdyn.spatial.rotations import rotation_from_rpy
from oracles.robot_data import bare, written
from oracles.states import assert_close, random_states
from oracles.trees import random_rotation, random_tree, right_angled_rotation, to_armdyn

FILES = {
    "xarm7": "xarm_description/urdf/xarm7.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "tiago": "tiago_description/robots/tiago_no_hand.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
}


def again(arm: Robot) -> Robot:
    return Robot(read_urdf_text(arm.to_urdf(), check_inertia=False))


def as_numbers(arm: Robot) -> Robot:
    """The robot by what its actuators add to joints and links: a file has these numbers."""
    return Robot(arm.model.replace(joints=tuple(joint.replace(actuator=None) for joint in arm.model.joints)))


@pytest.mark.parametrize("name", armdyn.bundled_robots())
def test_bundled_robots_come_back_bit_by_bit(name: str) -> None:
    arm = as_numbers(armdyn.load(name))
    assert again(arm) == arm
    assert again(arm).to_urdf() == arm.to_urdf()


@pytest.mark.parametrize("name", FILES)
def test_robots_of_files_come_back(name: str) -> None:
    arm = Robot(read_urdf(written(bare(FILES[name]), f"{name}_to_write")))
    other = again(arm)
    one, two = arm.model, other.model
    assert [link.name for link in one.links] == [link.name for link in two.links]
    for a, b in zip(one.joints, two.joints, strict=True):
        assert (a.name, a.kind, a.parent, a.child, a.limits) == (b.name, b.kind, b.parent, b.child, b.limits)
        assert (a.damping, a.friction) == (b.damping, b.friction)
        np.testing.assert_array_equal(a.axis, b.axis)
        np.testing.assert_array_equal(a.placement[:3, 3], b.placement[:3, 3])
        np.testing.assert_allclose(a.placement, b.placement, rtol=0, atol=3e-16)
    for a, b in zip(one.links, two.links, strict=True):
        assert a.inertia.mass == b.inertia.mass
        np.testing.assert_array_equal(a.inertia.com, b.inertia.com)
        np.testing.assert_array_equal(np.triu(a.inertia.tensor), np.triu(b.inertia.tensor))
    poses = {frame.name: frame.pose for frame in two.frames}
    assert poses.keys() == {frame.name for frame in one.frames}
    for frame in one.frames:
        np.testing.assert_allclose(poses[frame.name], frame.pose, rtol=0, atol=3e-16)


@pytest.mark.parametrize("seed", range(3))
def test_pinocchio_reads_what_is_written(seed: int, tmp_path: Path) -> None:
    """Trees with slides, unlimited joints and welded frames, through urdfdom."""
    arm = Robot(to_armdyn(random_tree(seed, 7)))
    text = arm.to_urdf(tmp_path / "arm.urdf")
    assert (tmp_path / "arm.urdf").read_text(encoding="utf-8") == text
    model = pin.buildModelFromUrdf(str(tmp_path / "arm.urdf"))
    model.gravity.linear = np.array([0.0, 0.0, -np.linalg.norm(arm.gravity)])  # its direction is in the file
    data = model.createData()
    for q, qd, qdd, *_ in zip(*random_states(7, 3, seed=61), strict=True):
        given = [np.zeros(model.nq), np.zeros(7), np.zeros(7)]
        ids = [model.getJointId(name) for name in arm.joint_names]
        for i, a, b, c in zip(ids, q, qd, qdd, strict=True):
            joint = model.joints[i]
            given[0][joint.idx_q : joint.idx_q + joint.nq] = a if joint.nq == 1 else (np.cos(a), np.sin(a))
            given[1][joint.idx_v], given[2][joint.idx_v] = b, c
        expected = pin.rnea(model, data, *given)[[model.joints[i].idx_v for i in ids]]
        assert_close(arm.inverse_dynamics(q, qd, qdd)[None], expected[None])


@pytest.mark.parametrize("seed", range(30))
def test_turns_of_a_rotation(seed: int) -> None:
    """Those that made it, or at least its numbers; right angles exactly."""
    rng = np.random.default_rng(seed)
    rpy = rng.uniform(-1.5, 1.5, 3)
    R = rounded(rotation_from_rpy(*rpy))
    np.testing.assert_array_equal(turned_back(R), R)
    general = random_rotation(rng)
    np.testing.assert_allclose(turned_back(general), general, rtol=0, atol=1e-15)
    right = right_angled_rotation(rng)
    np.testing.assert_array_equal(turned_back(right), right)
    upright = rounded(rotation_from_rpy(rng.uniform(-3, 3), np.pi / 2, 0.0))
    np.testing.assert_allclose(turned_back(upright), upright, rtol=0, atol=1e-15)


def turned_back(R: np.ndarray) -> np.ndarray:
    """The rotation of the turns that are written for R."""
    return rounded(rotation_from_rpy(*rpy_of(R)))


def boom(**changes: object) -> Robot:
    heavy = Inertia(2.0, [0.3, 0.1, -0.2], np.diag([0.1, 0.2, 0.25]))
    part = Part("boom", "base", "prismatic", axis=(0, 0, 1), inertia=heavy, **changes)
    return Robot.from_links([part, Part("eye & ear", "boom", "fixed", xyz=(1, 2, 3), rpy=(0.1, 0.2, 0.3))], tip="boom")


def test_limits_friction_and_names() -> None:
    limits = Limits(-0.1, 0.7, 1.5, 30.0)
    arm = boom(limits=limits, damping=0.4, friction=0.05, joint="<lift>")
    joint = again(arm).joints[0]
    assert (joint.limits, joint.damping, joint.friction, joint.name) == (limits, 0.4, 0.05, "<lift>")
    assert again(arm) == arm


@pytest.mark.parametrize("limits", [Limits(), Limits(-1.0, 2.0), Limits(velocity=3.0), Limits(lower=0.0, effort=2.0)])
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_limits_that_are_not_there(kind: str, limits: Limits) -> None:
    """Infinity is written as the largest number, which every reader takes, and read as infinity again."""
    load = Inertia.point(1.0, [0.0, 1.0, 0.0])
    arm = Robot.from_links([Part("boom", "base", kind, axis=(1, 0, 0), limits=limits, inertia=load)])
    assert again(arm).joints[0].limits == limits
    assert "inf" not in arm.to_urdf()
    pin.buildModelFromXML(arm.to_urdf())


def test_gravity_tip_collar_and_armature_come_back() -> None:
    """URDF has no words for them; the element <armdyn> has."""
    arm = boom(collar="parent", armature=0.3).with_gravity([0.0, -9.81, 0.25])
    for tip in ("boom", "eye & ear"):
        other = again(arm.with_tip(tip))
        assert other == arm.with_tip(tip)
        assert (other.tip, other.gravity.tolist()) == (tip, [0.0, -9.81, 0.25])
        assert (other.joints[0].collar, other.joints[0].armature) == ("parent", 0.3)


def test_what_the_caller_says_comes_first() -> None:
    text = boom().with_gravity([0.0, -9.81, 0.25]).to_urdf()
    model = read_urdf_text(text, tip="eye & ear", gravity=[1.0, 2.0, 3.0])
    assert (model.tip, model.gravity.tolist()) == ("eye & ear", [1.0, 2.0, 3.0])
    part = read_urdf_text(armdyn.load("planar_2r").to_urdf(), base="link_1")  # with joint_1 held at 0
    assert part.gravity.tolist() == [0.0, -9.81, 0.0]
    assert any("'joint_1' held at 0; gravity is that of this position" in note for note in part.notes)


@pytest.mark.parametrize(
    ("own", "fault"),
    [
        ('tip="eyes"', "<armdyn> tip 'eyes' is no link of this file. Did you mean 'eye'?"),
        ('gravity="0 0"', "<armdyn> gravity is '0 0'; expected 3 numbers"),
        ('Tip="eye"', "<armdyn> has 'Tip', which is unknown. Did you mean 'tip'?"),
        (
            '><of_joint joint="lifts" armature="1"/',
            "<of_joint> joint 'lifts' is no joint of this file. Did you mean 'li",
        ),
        ('><of_joint armature="1"/', "<of_joint> has no joint"),
        ('><of_joint joint="lift" armature="x"/', "<of_joint> armature is 'x'; expected a number"),
        ('><of_joint joint="lift" armature="-1"/', "armature -1; expected an inertia"),
        ('><of_joint joint="lift" collar="both"/', "<of_joint> collar is 'both'; expected 'parent' or 'child'"),
        ('><of_joint joint="turn" collar="parent"/', "<of_joint> collar is 'parent'; expected"),
    ],
)
def test_own_words_that_are_wrong(own: str, fault: str) -> None:
    load = Inertia.point(1.0, [0.0, 1.0, 0.0])
    parts = [
        Part("boom", "base", "prismatic", axis=(1, 0, 0), inertia=load, joint="lift"),
        Part("eye", "boom", "revolute", axis=(1, 0, 0), inertia=load, joint="turn"),
    ]
    (line,) = [line for line in Robot.from_links(parts).to_urdf().splitlines() if "<armdyn " in line]
    text = Robot.from_links(parts).to_urdf().replace(line, f"<armdyn {own}{'></armdyn>' if '><' in own else '/>'}")
    with pytest.raises(armdyn.ModelError, match=re.escape(fault)):
        read_urdf_text(text)


@pytest.mark.parametrize("name", ["stanford", "ur5"])
def test_other_readers_pass_over_them(name: str, tmp_path: Path) -> None:
    """MuJoCo and Drake read the file with the element in it, and have the same mass matrix."""
    arm, path = armdyn.load(name), str(tmp_path / "arm.urdf")
    arm.to_urdf(path)
    q = random_states(6, 1, seed=5).q[0]  # a serial arm: theirs is in the same order
    m = mujoco.MjModel.from_xml_path(path)
    d, M = mujoco.MjData(m), np.zeros((6, 6))
    d.qpos[:] = q
    mujoco.mj_forward(m, d)
    mujoco.mj_fullM(m, d, M)
    assert_close(M[None], arm.mass_matrix(q)[None])
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModels(path)
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(arm.model.base))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    plant.SetPositions(context, q)
    assert_close(plant.CalcMassMatrix(context)[None], arm.mass_matrix(q)[None])


def test_text_is_xml_in_any_script(tmp_path: Path) -> None:
    load = Inertia.point(1.0, [0.0, 1.0, 0.0])
    arm = Robot.from_links([Part("Löffel-匙 ---", "base", "revolute", axis=(1, 0, 0), inertia=load)])
    ET.fromstring(arm.to_urdf().encode())
    arm.to_urdf(tmp_path / "a.urdf")
    assert Robot.from_urdf(tmp_path / "a.urdf").link_names == arm.link_names
