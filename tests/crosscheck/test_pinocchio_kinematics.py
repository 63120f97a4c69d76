"""Poses and Jacobians of all frames of real arms and random trees against Pinocchio."""

import numpy as np
import pinocchio as pin
import pytest

from armdyn import UnknownName
from oracles.cases import ANGULAR_FIRST, Case
from oracles.states import assert_close, random_states

WAYS = {
    "body": pin.ReferenceFrame.LOCAL,
    "space": pin.ReferenceFrame.WORLD,
    "world": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
}


def some_frames(case: Case) -> list[str]:
    """The tip, a frame of the base, and frames spread over the robot, welded ones among them."""
    known = {f.name for f in case.pin.frames}
    names = [name for name in case.robot.frame_names if name in known]
    return list(dict.fromkeys([case.robot.tip, names[0], *names[:: max(1, len(names) // 4)]]))


def pose(case: Case, q: np.ndarray, frame: str) -> np.ndarray:
    pin.framesForwardKinematics(case.pin, case.data, case.pin_q(q))
    return case.data.oMf[case.pin.getFrameId(frame)].homogeneous.copy()


def test_pose_of_the_tip_and_other_frames(case: Case) -> None:
    q = random_states(case.n, 10, seed=2).q
    for frame in some_frames(case):
        expected = np.array([pose(case, x, frame) for x in q])
        actual = case.robot.forward_kinematics(q, frame=frame)
        assert_close(np.broadcast_to(actual, expected.shape), expected)


def test_tip_is_the_default_frame(case: Case) -> None:
    q = random_states(case.n, 5, seed=3).q
    tip = case.robot.forward_kinematics(q, frame=case.robot.tip)
    np.testing.assert_array_equal(case.robot.forward_kinematics(q), tip)


def test_poses_of_all_links(case: Case) -> None:
    q = random_states(case.n, 10, seed=4).q
    poses = case.robot.link_poses(q)
    np.testing.assert_array_equal(poses[:, 0], np.broadcast_to(np.eye(4), (10, 4, 4)))
    for index, link in enumerate(case.robot.link_names[1:], start=1):
        assert_close(poses[:, index], np.array([pose(case, x, link) for x in q]))


@pytest.mark.parametrize("way", WAYS)
def test_jacobian(case: Case, way: str) -> None:
    q = random_states(case.n, 10, seed=5).q
    for frame in some_frames(case):
        index = case.pin.getFrameId(frame)
        expected = np.array([
            case.from_pin(pin.computeFrameJacobian(case.pin, case.data, case.pin_q(x), index, WAYS[way]))[ANGULAR_FIRST]
            for x in q
        ])  # fmt: skip
        actual = case.robot.jacobian(q, frame=frame, expressed_in=way)
        assert_close(np.broadcast_to(actual, expected.shape), expected)


WORDS = {
    "LOCAL": pin.ReferenceFrame.LOCAL,
    "local": pin.ReferenceFrame.LOCAL,
    "Body": pin.ReferenceFrame.LOCAL,
    "SPACE": pin.ReferenceFrame.WORLD,
    "LOCAL_WORLD_ALIGNED": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
    "local_world_aligned": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
}


@pytest.mark.short_run("local_world_aligned", "Body", "local")
@pytest.mark.parametrize("word", WORDS)
def test_words_in_any_case_and_pinocchios(tree: Case, word: str) -> None:
    s, index = random_states(tree.n, 3, seed=7), tree.pin.getFrameId(tree.robot.tip)
    expected = np.array([
        tree.from_pin(pin.computeFrameJacobian(tree.pin, tree.data, tree.pin_q(x), index, WORDS[word]))[ANGULAR_FIRST]
        for x in s.q
    ])  # fmt: skip
    robot = tree.robot
    assert_close(robot.jacobian(s.q, expressed_in=word), expected)
    same = {pin.ReferenceFrame.LOCAL: "body", pin.ReferenceFrame.WORLD: "space"}.get(WORDS[word], "world")
    for ask in (
        lambda way: robot.jacobian_dot(s.q, s.qd, expressed_in=way),
        lambda way: robot.bias_acceleration(s.q, s.qd, expressed_in=way),
        lambda way: robot.external_wrench(s.q, s.f_tip, frame=robot.tip, expressed_in=way),
        lambda way: robot.joint_rates(s.q, robot.jacobian(s.q) @ s.qd[0], components=("wx",), expressed_in=way).values,
        lambda way: robot.task_space(s.q, s.qd, components="position", expressed_in=way).Lambda,
    ):
        np.testing.assert_array_equal(ask(word), ask(same))


@pytest.mark.parametrize("word", ["WORLD", "World"])
def test_pinocchios_world_is_asked_back(tree: Case, word: str) -> None:
    q = np.zeros(tree.n)
    for ask in (tree.robot.jacobian, tree.robot.cartesian_dynamics, tree.robot.joint_rates):
        arrays = {"jacobian": [q], "cartesian_dynamics": [q, q], "joint_rates": [q, np.zeros(6)]}[ask.__name__]
        with pytest.raises(UnknownName, match=r"Pinocchio's WORLD .* is 'space' here, and 'world' .* LOCAL_WORLD_ALI"):
            ask(*arrays, expressed_in=word)


def test_words_of_links(tree: Case) -> None:
    s, robot = random_states(tree.n, 3, seed=8), tree.robot
    for word, same in (("LOCAL", "link"), ("Link", "link"), ("LOCAL_WORLD_ALIGNED", "base"), ("BASE", "base")):
        for ask in (robot.link_motion, robot.joint_reactions):
            ours, theirs = (ask(s.q, s.qd, s.qdd, expressed_in=way) for way in (word, same))
            for one, other in zip(ours, theirs, strict=True):
                np.testing.assert_array_equal(one, other)
    with pytest.raises(UnknownName, match="no way 'WORLD'"):
        robot.link_motion(s.q, s.qd, s.qdd, expressed_in="WORLD")


def test_body_jacobian_is_the_default(case: Case) -> None:
    q = random_states(case.n, 5, seed=6).q
    np.testing.assert_array_equal(case.robot.jacobian(q), case.robot.jacobian(q, expressed_in="body"))
