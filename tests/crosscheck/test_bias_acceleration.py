"""The acceleration of a frame without qdd: against Pinocchio's frame accelerations, and against Jdot times qd."""

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from oracles.cases import ANGULAR_FIRST, Case
from oracles.plain import plainly
from oracles.short_run import each_once
from oracles.states import assert_close, random_states

WAYS = ("body", "space", "world")


def some_frames(case: Case) -> list[str]:
    known = {f.name for f in case.pin.frames}
    names = [name for name in case.robot.frame_names if name in known]
    return list(dict.fromkeys([case.robot.tip, names[0], *names[:: max(1, len(names) // 3)]]))


@pytest.mark.short_run("random_tree")
def test_pinocchios_frame_acceleration(case: Case) -> None:
    """Its spatial acceleration in the frame's axes is the rate of the body twist; the classical one that of a point."""
    s = random_states(case.n, 8, seed=311)
    for frame in some_frames(case):
        index = case.pin.getFrameId(frame)
        body, world = [], []
        for q, qd in zip(s.q, s.qd, strict=True):
            pin.forwardKinematics(case.pin, case.data, case.pin_q(q), case.to_pin(qd), np.zeros(case.pin.nv))
            pin.updateFramePlacements(case.pin, case.data)
            spatial = pin.getFrameAcceleration(case.pin, case.data, index, pin.LOCAL).vector
            axes = pin.LOCAL_WORLD_ALIGNED
            classical = pin.getFrameClassicalAcceleration(case.pin, case.data, index, axes).vector
            body.append(spatial[ANGULAR_FIRST])
            world.append(classical[ANGULAR_FIRST])
        for way, expected in (("body", body), ("world", world)):
            actual = case.robot.bias_acceleration(s.q, s.qd, frame=frame, expressed_in=way)
            assert_close(np.broadcast_to(actual, np.shape(expected)), np.array(expected), floor=1.0)


@pytest.mark.parametrize(("case", "way"), each_once(["random_tree", "ur5"], WAYS), indirect=["case"])
def test_is_the_rate_of_the_jacobian_times_the_velocities(case: Case, way: str) -> None:
    s = random_states(case.n, 8, seed=312)
    for frame in some_frames(case):
        Jdot = plainly(case.robot, "jacobian_dot", s.q, s.qd, frame=frame, expressed_in=way)
        actual = case.robot.bias_acceleration(s.q, s.qd, frame=frame, expressed_in=way)
        expected = np.einsum("...ij,...j->...i", Jdot, s.qd)
        assert_close(np.broadcast_to(actual, expected.shape), expected, floor=1.0)


def test_unknown_ways_and_frames_are_named() -> None:
    robot = armdyn.load("ur5")
    with pytest.raises(armdyn.UnknownName, match="expressed_in"):
        robot.bias_acceleration(np.zeros(6), np.zeros(6), expressed_in="tool")
    with pytest.raises(armdyn.UnknownName, match="no frame 'tool'"):
        robot.bias_acceleration(np.zeros(6), np.zeros(6), frame="tool")
