"""The time derivative of Jacobians against Pinocchio, against differences, and against itself in other axes."""

import numpy as np
import pinocchio as pin
import pytest
from mpmath import mp, mpf

import armdyn
from armdyn import algorithms
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
    return list(dict.fromkeys([case.robot.tip, names[0], *names[:: max(1, len(names) // 3)]]))


@pytest.mark.parametrize("way", WAYS)
def test_time_variation_of_frame_jacobians(case: Case, way: str) -> None:
    s = random_states(case.n, 8, seed=221)
    for frame in some_frames(case):
        index = case.pin.getFrameId(frame)
        expected = []
        for q, qd in zip(s.q, s.qd, strict=True):
            pin.computeJointJacobiansTimeVariation(case.pin, case.data, case.pin_q(q), case.to_pin(qd))
            pin.updateFramePlacements(case.pin, case.data)
            variation = pin.getFrameJacobianTimeVariation(case.pin, case.data, index, WAYS[way])
            expected.append(case.from_pin(variation)[ANGULAR_FIRST])
        actual = case.robot.jacobian_dot(s.q, s.qd, frame=frame, expressed_in=way)
        assert_close(np.broadcast_to(actual, np.shape(expected)), np.array(expected), floor=1.0)


@pytest.mark.parametrize("way", WAYS)
def test_difference_of_jacobians_in_thirty_digits(way: str) -> None:
    """(J(q + h qd) - J(q - h qd)) / 2 h with h = 1e-12 in 50 digits, of the very algorithm that `jacobian` compiles."""
    from oracles.trees import random_tree, to_armdyn

    robot = armdyn.Robot(to_armdyn(random_tree(31, 6, chain=True)))
    s, h = random_states(6, 3, seed=222), mpf("1e-12")
    program = robot.program(algorithms.jacobian, expressed_in=way)

    def exact_jacobian(q: np.ndarray) -> np.ndarray:
        return np.array(evaluated(program, list(q)), dtype=object)

    for q, qd in zip(s.q, s.qd, strict=True):
        at, rate = (np.array([mpf(x) for x in v], dtype=object) for v in (q, qd))
        with mp.workdps(50):
            difference = (exact_jacobian(at + h * rate) - exact_jacobian(at - h * rate)) / (2 * h)
        actual = robot.jacobian_dot(q, qd, expressed_in=way)
        assert_close(actual.reshape(1, -1), difference.astype(float).reshape(1, -1))


def evaluated(program: armdyn.program.Program, inputs: list) -> list:
    """A program run in mpmath's arithmetic."""
    rules = {
        "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "neg": lambda a: -a,
        "sin": mp.sin, "cos": mp.cos, "div": lambda a, b: a / b,
    }  # fmt: skip
    values: list = []
    for name, *arguments in program.nodes:
        if name == "input":
            values.append(inputs[arguments[0]])
        elif name == "const":
            values.append(mpf(arguments[0]))
        else:
            values.append(rules[name](*(values[a] for a in arguments)))
    return [values[result] for result in program.results]


def test_body_and_space_are_one_motion(case: Case) -> None:
    """Jdot_s = Ad (Jdot_b + ad_V J_b): the two derivatives differ by the motion of the frame alone."""
    s, robot = random_states(case.n, 5, seed=223), case.robot
    for q, qd in zip(s.q, s.qd, strict=True):
        T, J = robot.forward_kinematics(q), robot.jacobian(q)
        R, p = T[:3, :3], T[:3, 3]
        Ad = np.block([[R, np.zeros((3, 3))], [skew(p) @ R, R]])
        w, v = np.split(J @ qd, 2)
        ad = np.block([[skew(w), np.zeros((3, 3))], [skew(v), skew(w)]])
        expected = Ad @ (robot.jacobian_dot(q, qd) + ad @ J)
        actual = robot.jacobian_dot(q, qd, expressed_in="space")
        assert_close(actual.reshape(1, -1), expected.reshape(1, -1), floor=1.0)


def skew(v: np.ndarray) -> np.ndarray:
    return np.cross(np.eye(3), v)


def test_a_frame_of_the_base_does_not_move(ur5: Case) -> None:
    frame = ur5.robot.model.base
    np.testing.assert_array_equal(ur5.robot.jacobian_dot(np.ones(6), np.ones(6), frame=frame), np.zeros((6, 6)))


def test_unknown_words(ur5: Case) -> None:
    with pytest.raises(armdyn.UnknownName, match=r"no way 'bodies' in expressed_in=.*Did you mean 'body'\?"):
        ur5.robot.jacobian_dot(np.ones(6), np.ones(6), expressed_in="bodies")
    with pytest.raises(armdyn.UnknownName, match=r"no frame 'tool0x' in 'ur5'.*mean 'tool0'"):
        ur5.robot.jacobian_dot(np.ones(6), np.ones(6), frame="tool0x")
