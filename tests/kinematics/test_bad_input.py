"""What inverse kinematics refuses, and what it reports without refusing."""

import dataclasses

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import ArmdynError, DTypeError, ShapeError, UnknownName
from armdyn.kinematics import NoSolution, Orientation, Pointing, Pose, Position, TaskError
from kinematics.arms import reachable
from oracles.cases import Case

GOOD = armdyn.load("ur5").forward_kinematics([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])


def changed(row: int, column: int, value: float) -> np.ndarray:
    T = GOOD.copy()
    T[row, column] = value
    return T


REFUSED = [
    ({"target": changed(3, 0, 0.1)}, TaskError, r"not a rigid motion: its last row is \[0.1, 0.0, 0.0, 1.0\]"),
    (
        {"target": np.stack([GOOD, changed(0, 0, 2.0)])},
        TaskError,
        r"target\[1\] is not a rotation: .*R\^T R is off .*from_matrix",
    ),
    ({"target": GOOD @ np.diag([1.0, 1.0, -1.0, 1.0])}, TaskError, "left-handed"),
    ({"target": GOOD.astype(np.float32)}, TaskError, "not a rotation"),
    ({"target": changed(0, 3, np.nan)}, TaskError, "the target is not finite"),
    (
        {"target": [1e200, 0.0, 0.0]},
        TaskError,
        r"target is not finite: .* infinity, or more than 1e\+50",
    ),
    ({"target": changed(1, 1, np.inf)}, TaskError, "the target is not finite"),
    ({"target": GOOD, "q0": np.full(6, np.nan)}, TaskError, "q0 is not finite"),
    ({"target": np.zeros((5, 4))}, ShapeError, r"target has shape \(5, 4\); expected poses"),
    ({"target": 3.0}, ShapeError, r"target has shape \(\)"),
    ({"target": np.eye(3)}, TaskError, "one rotation or three positions"),
    ({"target": [[1.0], [1.0, 2.0]]}, ShapeError, "ragged"),
    ({"target": "home"}, DTypeError, "text"),
    ({"target": np.zeros((0, 3))}, ShapeError, "there is no target"),
    (
        {"target": GOOD, "q0": np.zeros(5)},
        ShapeError,
        r"q0 has shape \(5,\); expected \(\.\.\., 6\).*shoulder_pan",
    ),
    ({"target": GOOD, "q0": [0, 0, 3.5, 0, 0, 0]}, TaskError, "'elbow_joint' is at 3.5, and may be from -3.14159"),
    ({"target": np.stack([GOOD] * 3), "q0": np.zeros((2, 6))}, ShapeError, "do not broadcast"),
    ({"target": GOOD, "frame": "tool"}, UnknownName, "Did you mean 'tool0'"),
    ({"target": GOOD, "frame": "base_link"}, TaskError, "welded to the base"),
    ({"target": GOOD, "choose": "best"}, UnknownName, "no choice 'best'"),
    ({"target": GOOD, "tolerance": 0.0}, TaskError, "tolerance is 0.0; expected a number above zero"),
    ({"target": GOOD, "starts": 0}, TaskError, "starts is 0; expected a whole number"),
    ({"target": GOOD, "iterations": 2.5}, TaskError, "iterations is 2.5"),
    ({"target": GOOD, "point": (0, 0)}, TaskError, r"point has shape \(2,\); expected \(3,\)"),
    ({"target": Position([0, 0, 0.5]), "point": (0, 0, 0.1)}, TaskError, "a task takes it itself"),
    ({"target": [Position([0, 0, 0.5]), np.eye(4)]}, TaskError, "mixes tasks and ndarray"),
    ({"target": Position([0.0, 0.5])}, ShapeError, r"p of Position has shape \(2,\)"),
    ({"target": Position([0, 0, 0.5], axes="xw")}, TaskError, "axes='xw' of Position"),
    ({"target": Position([0, 0, 0.5], weight=-1)}, TaskError, "weight of Position is -1"),
    ({"target": Position([0, 0, 0.5], weight=0)}, TaskError, "no task has a weight"),
    ({"target": Orientation(np.eye(4))}, ShapeError, r"R of Orientation has shape \(4, 4\)"),
    ({"target": Pose(np.eye(3))}, ShapeError, r"T of Pose has shape \(3, 3\)"),
    (
        {"target": Pointing([0, 1, 1])},
        TaskError,
        "along of Pointing has length 1.41421356; expected a unit",
    ),
    ({"target": Pointing([0, 0, 0])}, TaskError, "along of Pointing has length 0; expected a unit vector such as"),
    ({"target": Pointing([0, 0, 1], axis="w")}, TaskError, "axis='w' of Pointing"),
    ({"target": Pointing([0, 0, 1], axis=(1, 1, 0))}, TaskError, "axis of Pointing has length"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), REFUSED)
def test_refused(arguments: dict, error: type[ArmdynError], message: str) -> None:
    with pytest.raises(error, match=message):
        armdyn.load("ur5").inverse_kinematics(**arguments)


def test_bad_targets_of_a_batch_stay_alone(ur5: Case) -> None:
    T = ur5.robot.forward_kinematics(reachable(ur5.robot, 5, seed=1))
    alone = ur5.robot.inverse_kinematics(T)
    bad = T.copy()
    bad[2, 0, 3] = np.nan
    q0 = np.zeros((5, 6))
    q0[4, 1] = np.nan
    solution = ur5.robot.inverse_kinematics(bad, q0)
    assert solution.status.tolist() == ["converged", "converged", "not a number", "converged", "not a number"]
    assert np.isnan(solution.q[[2, 4]]).all()
    np.testing.assert_array_equal(solution.q[[0, 1, 3]], ur5.robot.inverse_kinematics(T, np.zeros(6)).q[[0, 1, 3]])
    assert "not finite" in solution.reason(2)
    assert alone.success.all()


def test_out_of_reach_is_said_with_the_distance() -> None:
    robot = armdyn.load("ur5")
    solution = robot.inverse_kinematics([[0.3, 0.2, 0.4], [2.0, 0.0, 0.089159]])
    assert solution.success.tolist() == [True, False]
    assert solution.status[1] == "out of reach"
    assert "the target is 2 m from the axis of 'shoulder_pan_joint'" in solution.reason(1)
    # Stretched, the tool reaches 0.9... m; what is left says the same as the place it got to.
    left = np.linalg.norm(robot.forward_kinematics(solution.q[1])[:3, 3] - [2.0, 0.0, 0.089159])
    assert solution.position_error[1] == pytest.approx(left, abs=1e-14)
    with pytest.raises(NoSolution, match=r"1 of 2 targets .*\n  target\[1\] out of reach"):
        solution.required()


def test_limits_that_hold_are_named() -> None:
    """An elbow that stays bent between 0.5 and 2: places nearer and farther are not reached, and it is said why."""
    full = armdyn.load("planar_2r").model
    elbow = dataclasses.replace(full.joints[1], limits=armdyn.Limits(0.5, 2.0))
    robot = armdyn.Robot(full.replace(joints=(full.joints[0], elbow)))
    reached = [np.linalg.norm(robot.forward_kinematics([0.0, bend])[:2, 3]) for bend in (0.5, 2.0)]
    places = np.array([[1.99, 0.0, 0.0], [0.0, 0.3, 0.0], [1.3, 0.2, 0.0]])
    solution = robot.inverse_kinematics(Position(places, axes="xy"))
    assert solution.status.tolist() == ["held by limits", "held by limits", "converged"]
    np.testing.assert_array_equal(solution.held, [[0, -1], [0, 1], [0, 0]])
    np.testing.assert_array_equal(solution.q[:2, 1], [0.5, 2.0])
    np.testing.assert_allclose(solution.position_error[:2], [1.99 - reached[0], reached[1] - 0.3], rtol=1e-12)
    assert "barred by the lower limit of 'joint_2' (0.5)" in solution.reason(0)
    assert "barred by the upper limit of 'joint_2' (2)" in solution.reason(1)
    assert robot.inverse_kinematics(Position(places, axes="xy"), limits=False).success.all()


def test_singular_start_is_left() -> None:
    """Stretched out, where no joint moves the tip outwards or inwards, towards a target straight inwards."""
    robot = armdyn.load("planar_2r")
    task = Position([1.2, 0.0, 0.0], axes="xy")
    stuck = robot.inverse_kinematics(task, [0.0, 0.0], starts=1)
    assert (stuck.status, bool(stuck.success)) == ("singular", False)
    assert "cannot move towards the target" in stuck.reason()
    solution = robot.inverse_kinematics(task, [0.0, 0.0])
    assert solution.success
    assert solution.starts > 1


def test_too_few_joints() -> None:
    robot = armdyn.load("planar_2r")
    T = robot.forward_kinematics([0.4, 0.7])
    assert robot.inverse_kinematics(T).success
    T[2, 3] = 0.3  # out of the plane
    solution = robot.inverse_kinematics(T)
    assert solution.status == "too few joints"
    assert solution.position_error == pytest.approx(0.3, rel=1e-9)
    np.testing.assert_allclose(solution.q, [0.4, 0.7], atol=1e-9)


def test_iteration_limit_is_said() -> None:
    robot = armdyn.load("ur5")
    short = robot.inverse_kinematics(GOOD, [0.5, -1.0, 1.0, -1.0, 1.0, 0.5], starts=1, iterations=2, tolerance=1e-14)
    assert short.starts == 1
    assert short.success  # the best of a failed search goes on for longer
    stretched = GOOD.copy()
    stretched[:3, 3] *= 1.05 / np.linalg.norm(GOOD[:3, 3])  # nowhere near to be reached in this orientation
    none = robot.inverse_kinematics(stretched, starts=1, iterations=1)
    assert (bool(none.success), str(none.status)) == (False, "iteration limit")
    assert "more iterations= or starts= may help" in none.reason()
    assert robot.inverse_kinematics(stretched).status == "singular"


def test_success_is_never_claimed_beyond_the_tolerance(panda: Case) -> None:
    """Targets half of which are out of reach: what is called met is met, what is not is not."""
    robot = panda.robot
    T = robot.forward_kinematics(reachable(robot, 100, seed=3))
    T[:, :3, 3] *= np.linspace(0.8, 1.5, 100)[:, None]
    solution = robot.inverse_kinematics(T, starts=8)
    reached = robot.forward_kinematics(solution.q)
    position = np.linalg.norm((reached - T)[:, :3, 3], axis=1)
    angle = np.arccos(np.clip(0.5 * (np.einsum("kij,kij->k", reached[:, :3, :3], T[:, :3, :3]) - 1), -1, 1))
    assert 10 < solution.success.sum() < 90
    assert position[solution.success].max() <= 1e-10
    assert angle[solution.success].max() < 1e-7  # what arccos can tell
    assert (np.maximum(position, angle)[~solution.success] > 1e-10).all()
    assert (solution.success == (solution.status == "converged")).all()


def test_results_cannot_be_changed() -> None:
    solution = armdyn.load("ur5").inverse_kinematics(GOOD)
    with pytest.raises(ValueError, match="read-only"):
        solution.q[0] = 1.0
    with pytest.raises(ShapeError, match=r"reason\(0,\) of a batch of shape \(\)"):
        solution.reason(0)
