"""Poses and Jacobians of all frames of real arms and random trees against Pinocchio."""

import numpy as np
import pinocchio as pin
import pytest

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


def test_body_jacobian_is_the_default(case: Case) -> None:
    q = random_states(case.n, 5, seed=6).q
    np.testing.assert_array_equal(case.robot.jacobian(q), case.robot.jacobian(q, expressed_in="body"))
