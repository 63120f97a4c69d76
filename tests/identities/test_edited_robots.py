"""Robots made from others: joints locked, other inertias, limits, armatures, names. As if the file had said so."""

import pickle
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn import Inertia, Limits, Robot
from armdyn.algorithms import inverse_dynamics, mass_matrix
from armdyn.constraints import Holonomic, JointCoupling, PointOnPlane, RowsOf, ball
from armdyn.formats.urdf import read_urdf_text
from armdyn.model.constraints import Constraint
from oracles.robot_data import ROBOTS
from oracles.short_run import short_run
from oracles.states import assert_close, random_states

pytestmark = pytest.mark.filterwarnings("ignore::armdyn.DescriptionWarning")

LOCKED: Mapping[str, dict[str, float]] = {
    "panda_description/urdf/panda.urdf": {"panda_finger_joint1": 0.02, "panda_joint4": -1.3},
    "ur_description/urdf/ur5_robot.urdf": {"elbow_joint": 0.7, "wrist_2_joint": -1.1, "wrist_3_joint": 0.1},
    "baxter_description/urdf/baxter.urdf": {"head_pan": 0.4, "left_s0": 0.3, "left_s1": -0.9},
    "tiago_pro_description/robots/tiago_pro.urdf": {"arm_left_2_joint": 0.3, "gripper_right_finger_joint": 0.2},
}


def digest(robot: Robot) -> str:
    return robot.program(inverse_dynamics).digest


TWO_ARMS = "baxter_description/urdf/baxter.urdf"


@pytest.mark.short_run("panda_description/urdf/panda.urdf", "ur_description/urdf/ur5_robot.urdf")
@pytest.mark.parametrize("path", short_run(LOCKED, *(path for path in LOCKED if path != TWO_ARMS)))
def test_locked_later_or_while_reading(path: str) -> None:
    """The same model to the last bit: every number, coupling, limit and frame; one joint after the other too."""
    whole = Robot.from_urdf(ROBOTS / path)
    read = Robot.from_urdf(ROBOTS / path, locked=LOCKED[path])
    robot = whole.with_locked(LOCKED[path])
    assert robot == read
    assert digest(robot) == digest(read)
    one_by_one = whole
    for joint, at in reversed(LOCKED[path].items()):
        one_by_one = pickle.loads(pickle.dumps(one_by_one)).with_locked({joint: at})  # noqa: S301 - our own
    assert one_by_one == read
    q = random_states(read.dof, 1).q[0]
    ours, theirs = ({(g.link, g.purpose, repr(g.shape), g.name) for g in r.model.geometry} for r in (robot, read))
    assert ours == theirs
    places = [
        np.array([r.link_poses(q)[r.link_names.index(g.link)] @ g.pose for g in r.model.geometry])
        for r in (robot, read)
    ]
    np.testing.assert_allclose(places[0], places[1], rtol=0, atol=1e-14)


def test_locked_is_the_motion_with_the_joint_at_rest() -> None:
    robot = armdyn.load("puma560")
    locked = robot.with_locked({"joint_3": 0.7})
    s = random_states(5, 20)
    q, qd, qdd = (np.insert(x, 2, at, axis=1) for x, at in ((s.q, 0.7), (s.qd, 0.0), (s.qdd, 0.0)))
    tau = np.delete(robot.inverse_dynamics(q, qd, qdd), 2, axis=1)
    assert_close(locked.inverse_dynamics(s.q, s.qd, s.qdd), tau)
    assert_close(locked.forward_kinematics(s.q), robot.forward_kinematics(q))


def test_coordinates_of_several_joints() -> None:
    robot = armdyn.load("puma560")
    A = np.eye(6)
    A[1:3, 1:3] = [[0.5, 0.5], [0.5, -0.5]]
    geared = robot.with_coordinates(["a", "left", "right", "d", "e", "f"], A, offset=[0, 0.1, 0, 0, 0, 0])
    s = random_states(5, 20)
    q, qd, qdd = (np.insert(x, 2, at, axis=1) for x, at in ((s.q, 0.4), (s.qd, 0.0), (s.qdd, 0.0)))
    half = geared.with_locked({"right": 0.4})
    assert (half.joint_names, half.model.joint_names) == (("a", "left", "d", "e", "f"), robot.joint_names)
    assert_close(half.inverse_dynamics(s.q, s.qd, s.qdd), np.delete(geared.inverse_dynamics(q, qd, qdd), 2, axis=1))
    both = geared.with_locked({"left": 0.2, "right": 0.4})
    assert both.model.joint_names == ("joint_1", "joint_4", "joint_5", "joint_6")
    alone = robot.with_locked({"joint_2": 0.5 * 0.2 + 0.5 * 0.4 + 0.1, "joint_3": -0.1})
    assert_close(both.mass_matrix(s.q[:, :4]), alone.mass_matrix(s.q[:, :4]))
    with pytest.raises(armdyn.ModelError, match="'joint_2' of 'puma560' follows 'left' and 'right' already"):
        geared.with_locked({"joint_2": 0.0})


def test_locked_joints_outside_their_limits_are_noted() -> None:
    robot = armdyn.load("planar_2r").with_limits({"joint_2": (-1.0, 1.0)})
    assert any(
        note.startswith("locked outside their limits: joint_2") for note in robot.with_locked({"joint_2": 2}).notes
    )
    assert robot.with_locked({}) == robot


def test_constraints_of_locked_joints() -> None:
    def level(model: object, q: np.ndarray) -> object:
        return q[0] + q[1]

    robot = armdyn.load("planar_3r").with_constraints(JointCoupling({"joint_1": 1, "joint_2": 2, "joint_3": 4}, 0.5))
    (left,) = robot.with_locked({"joint_2": 0.1}).model.constraints
    assert isinstance(left, JointCoupling)
    assert (left.factors, left.value) == ((("joint_1", 1.0), ("joint_3", 4.0)), 0.3)
    pair = armdyn.load("planar_3r").with_constraints(JointCoupling({"joint_1": 1, "joint_2": 2}, 0.5, "pair"))
    assert pair.with_locked({"joint_1": 0.1, "joint_2": 0.2}).model.constraints == ()
    with pytest.raises(
        armdyn.ModelError, match=r"constraint 'pair' does not hold where its joints are locked: .* 0\.1"
    ):
        pair.with_locked({"joint_1": 0.2, "joint_2": 0.2})
    welded = armdyn.load("planar_3r").with_constraints(ball("link_2", "link_3", name="pin"))
    assert "constraint 'pin' is left out: its frames do not move against each other" in (
        welded.with_locked({"joint_3": 0.1}).notes
    )
    assert len(welded.with_locked({"joint_1": 0.1}).model.constraints) == 1
    with pytest.raises(armdyn.Unsupported, match="constraint 'level' of 'planar_3r' is a function of all of q"):
        armdyn.load("planar_3r").with_constraints(Holonomic(level, ["level"])).with_locked({"joint_1": 0})


FILE = ROBOTS / "ur_description/urdf/ur5_robot.urdf"
BODY = Inertia(4.0, [0.1, 0.2, 0.3], np.diag([0.3, 0.4, 0.5]))


def edited(tmp_path: Path, old: str, new: str) -> Robot:
    text = FILE.read_text()
    assert len(re.findall(old, text, re.S)) == 1
    (tmp_path / "ur5.urdf").write_text(re.sub(old, lambda _: new, text, flags=re.S))
    return Robot.from_urdf(tmp_path / "ur5.urdf")


def test_inertias_as_in_an_edited_file(tmp_path: Path) -> None:
    inertial = """<link name="forearm_link"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="4"/>
      <inertia ixx="0.3" ixy="0" ixz="0" iyy="0.4" iyz="0" izz="0.5"/></inertial></link>"""
    there = edited(tmp_path, '<link name="forearm_link">.*?</link>', inertial)
    robot = Robot.from_urdf(FILE).with_inertia({"forearm_link": BODY})
    assert robot == there
    assert digest(robot) == digest(there)


def test_limits_as_in_an_edited_file(tmp_path: Path) -> None:
    text = FILE.read_text()
    joint = re.search(r'<joint name="elbow_joint".*?</joint>', text, re.S)
    assert joint is not None
    changed = re.sub("<limit .*?/>", '<limit lower="-1" upper="2" velocity="3" effort="4"/>', joint[0])
    (tmp_path / "ur5.urdf").write_text(text.replace(joint[0], changed))
    there = Robot.from_urdf(tmp_path / "ur5.urdf")
    assert Robot.from_urdf(FILE).with_limits({"elbow_joint": Limits(-1.0, 2.0, 3.0, 4.0)}) == there
    pair = Robot.from_urdf(FILE).with_limits({"elbow_joint": (-1, 2)}).model.joint("elbow_joint").limits
    before = Robot.from_urdf(FILE).model.joint("elbow_joint").limits
    assert pair == Limits(-1.0, 2.0, before.velocity, before.effort)


def test_limits_of_coupled_joints_bound_what_moves_them() -> None:
    arm = (
        armdyn.load("planar_2r")
        .with_limits({"joint_1": (-3, 3), "joint_2": (-2, 2)})
        .with_mimic({"joint_2": ("joint_1", -2.0)})
    )
    assert (arm.joints[0].limits.lower, arm.joints[0].limits.upper) == (-1.0, 1.0)
    wide = arm.with_limits({"joint_2": (-4, 8)}).joints[0].limits
    assert (wide.lower, wide.upper) == (-3.0, 2.0)
    own = armdyn.load("planar_2r").with_coordinates(["m"], [[1], [2]], limits={"m": Limits(-0.5, 9.0)})
    both = own.with_limits({"joint_2": (-4, 4)}).joints[0].limits
    assert (both.lower, both.upper) == (-0.5, 2.0)
    with pytest.raises(armdyn.ModelError, match="leave no position"):
        own.with_limits({"joint_2": (-4, -3)})


def test_armature_as_in_another_description() -> None:
    robot = Robot.from_urdf(FILE).with_armature({"elbow_joint": 0.25})
    own = '<armdyn><of_joint joint="elbow_joint" armature="0.25"/></armdyn></robot>'
    there = Robot(read_urdf_text(FILE.read_text().replace("</robot>", own)))
    assert robot == there
    assert digest(robot) == digest(there)
    assert robot.with_armature({"elbow_joint": 0}) == Robot.from_urdf(FILE)


NAMES = {"elbow_joint": "elbow", "forearm_link": "forearm", "base_link": "stand", "tool0": "tcp"}


def test_renamed_robots_move_as_before() -> None:
    robot = Robot.from_urdf(FILE)
    other = robot.renamed(NAMES, name="arm")
    assert (other.name, other.tip, other.model.base) == (
        "arm",
        "tcp" if robot.tip == "tool0" else robot.tip,
        robot.model.base,
    )
    assert {NAMES.get(name, name) for name in robot.frame_names} == set(other.frame_names)
    assert other.joint_names == tuple(NAMES.get(name, name) for name in robot.joint_names)
    for function in (inverse_dynamics, mass_matrix):
        assert robot.program(function).digest == other.program(function).digest
    assert [NAMES.get(g.link, g.link) for g in robot.model.geometry] == [g.link for g in other.model.geometry]
    assert other.renamed({new: old for old, new in NAMES.items()}, name=robot.name) == robot
    assert robot.renamed() == robot


def test_what_names_frames_and_joints_is_renamed_too() -> None:
    constraints: tuple[Constraint, ...] = (
        ball("tip", name="pin"),
        PointOnPlane("tip", normal=(0, 0, 1), of="link_1", name="plane"),
        JointCoupling({"joint_1": 1.0}, 0.5, "held"),
        RowsOf(ball("link_3", "link_1", name="loop"), ["loop: x"]),
    )
    arm = armdyn.load("planar_3r").with_constraints(*constraints)
    other = arm.renamed({"tip": "hand", "link_1": "upper", "joint_1": "shoulder", "link_3": "to"})
    assert [constraint.frames for constraint in other.model.constraints] == [
        ("hand", ""), ("hand", "upper"), (), ("to", "upper"),
    ]  # fmt: skip
    assert [constraint.name for constraint in other.model.constraints] == ["pin", "plane", "held", "loop"]
    q = random_states(3, 1).q
    np.testing.assert_array_equal(other.constraint_error(q), arm.constraint_error(q))
    mimic = armdyn.load("planar_2r").with_mimic({"joint_2": "joint_1"}).renamed({"joint_1": "a", "joint_2": "b"})
    assert (mimic.joint_names, mimic.model.joint_names) == (("a",), ("a", "b"))


def test_edits_in_any_order() -> None:
    robot = Robot.from_urdf(FILE)
    edits: list[Callable[[Robot], Robot]] = [
        lambda r: r.with_locked({"wrist_2_joint": 0.4}),
        lambda r: r.with_inertia({"forearm_link": BODY}),
        lambda r: r.with_limits({"elbow_joint": (-1, 1)}),
        lambda r: r.with_armature({"elbow_joint": 0.25}),
        lambda r: r.renamed({"shoulder_pan_joint": "pan", "wrist_3_link": "hand"}, name="arm"),
        lambda r: r.with_gravity([1, 2, 3]),
        lambda r: r.with_tip("base"),
    ]
    forward, backward = robot, robot
    for edit in edits:
        forward = edit(forward)
    for edit in reversed(edits):
        backward = edit(backward)
    assert forward == backward
    assert digest(forward) == digest(backward)


def test_unknown_names_are_suggested() -> None:
    robot = armdyn.load("ur5")
    for edit in (
        lambda: robot.with_locked({"elbow_jiont": 0.0}),
        lambda: robot.with_limits({"elbow_jiont": (0, 1)}),
        lambda: robot.with_armature({"elbow_jiont": 1.0}),
        lambda: robot.renamed({"elbow_jiont": "elbow"}),
    ):
        with pytest.raises(armdyn.UnknownName, match=r"joint 'elbow_jiont' in 'ur5'.*Did you mean 'elbow_joint'\?"):
            edit()
    with pytest.raises(armdyn.UnknownName, match=r"no link 'forearm' in 'ur5'.*Did you mean 'forearm_link'\?"):
        robot.with_inertia({"forearm": BODY})
    with pytest.raises(armdyn.UnknownName, match="'tool0' of 'ur5' is a frame welded to link 'wrist_3_link'"):
        Robot.from_urdf(FILE).with_inertia({"tool0": BODY})


WRONG: list[tuple[Callable[[Robot], object], str]] = [
    (lambda r: r.with_locked([1]), "locked is [1]; expected a mapping"),
    (lambda r: r.with_locked({"joint_1": np.nan}), "locked['joint_1'] is nan"),
    (lambda r: r.with_locked({"joint_1": 0, "joint_2": 0}), "'planar_2r' has no moving joint"),
    (lambda r: r.with_inertia(BODY), "inertias are Inertia("),
    (lambda r: r.with_inertia({"link_2": 3}), "expected an armdyn.Inertia"),
    (lambda r: r.with_inertia({"link_2": Inertia(-1.0)}), "link 'link_2': mass -1 kg is negative; expected 0 or more."),
    (lambda r: r.with_inertia({"link_2": Inertia(1.0, tensor=np.diag([1, 1, 9]))}), "breaks a+b>=c"),
    (lambda r: r.with_limits({"joint_2": (1, -1)}), "'joint_2': lower limit 1 is above upper limit -1; swap them."),
    (lambda r: r.with_limits({"joint_2": (np.nan, 1)}), "joint 'joint_2': lower limit is nan; expected a number."),
    (lambda r: r.with_limits({"joint_2": Limits(velocity=-1.0)}), "velocity limit -1 is negative; expected 0 or more."),
    (lambda r: r.with_limits({"joint_2": 3}), "limits of joint 'joint_2' has shape (); expected (2,)"),
    (lambda r: r.with_limits(3), "limits are 3; expected a mapping"),
    (lambda r: r.with_armature({"joint_2": -1}), "armature of joint 'joint_2' is -1; expected an inertia"),
    (lambda r: r.with_armature({"joint_2": np.inf}), "armature of joint 'joint_2' is inf"),
    (lambda r: r.with_armature(0.1), "armatures are 0.1; expected a mapping"),
    (lambda r: r.renamed({"joint_1": "joint_2"}), "joints 'joint_1' and 'joint_2' would both be called 'joint_2'"),
    (lambda r: r.renamed({"link_1": "tip"}), "frames 'link_1' and 'tip' would both be called 'tip'"),
    (lambda r: r.renamed({"joint_1": " "}), "a new name is ' '; expected a text that is not blank."),
    (lambda r: r.renamed(name=3), "name is 3; expected a text."),
    (lambda r: r.renamed("joint_1"), "names are 'joint_1'; expected"),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "message"), WRONG)
def test_what_is_none_is_refused(edit: Callable[[Robot], object], message: str) -> None:
    with pytest.raises(armdyn.ArmdynError, match=re.escape(message)):
        edit(armdyn.load("planar_2r"))


def test_impossible_inertias_on_request() -> None:
    robot = armdyn.load("planar_2r").with_inertia(
        {"link_2": Inertia(1.0, tensor=np.diag([1, 1, 9]))}, check_inertia=False
    )
    assert any("taken as it stands" in note for note in robot.notes)


def test_swapped_names() -> None:
    robot = armdyn.load("planar_2r").renamed({"joint_1": "joint_2", "joint_2": "joint_1"})
    assert robot.joint_names == ("joint_2", "joint_1")
