"""Inverse kinematics against closed forms, forward kinematics of other libraries, and SciPy's least squares."""

import numpy as np
import pinocchio as pin
import pytest
from scipy.optimize import least_squares

import armdyn
from armdyn.kinematics import Orientation, Pointing, Pose, Position
from kinematics.arms import apart, chain, reachable, rotation_between
from kinematics.closed_form import position, solutions
from oracles.cases import CASES, Case
from oracles.short_run import each_once, short_run

TOLERANCE = 1e-10


def pose_by_pinocchio(case: Case, q: np.ndarray, frame: str) -> np.ndarray:
    pin.framesForwardKinematics(case.pin, case.data, case.pin_q(q))
    return case.data.oMf[case.pin.getFrameId(frame)].homogeneous.copy()


def test_the_closed_form_is_right(ur5: Case) -> None:
    """Eight different solutions at most, each of which leads to the pose, one of which is where the pose came from."""
    q = reachable(ur5.robot, 200, seed=1)
    counts = set()
    for x, T in zip(q, ur5.robot.forward_kinematics(q), strict=True):
        all_of_it = solutions(T)
        counts.add(len(all_of_it))
        assert apart(all_of_it, x).min() < 1e-7
        np.testing.assert_allclose([position(s) for s in all_of_it], np.tile(T[:3, 3], (len(all_of_it), 1)), atol=1e-12)
        np.testing.assert_allclose(
            ur5.robot.forward_kinematics(all_of_it), np.tile(T, (len(all_of_it), 1, 1)), atol=1e-12
        )
    assert counts <= {2, 4, 6, 8}
    assert 8 in counts


def test_every_solution_of_the_ur5_is_one_of_the_closed_form(ur5: Case) -> None:
    q = reachable(ur5.robot, 300, seed=2)
    T = ur5.robot.forward_kinematics(q)
    solution = ur5.robot.inverse_kinematics(T, reachable(ur5.robot, 300, seed=3))
    assert solution.success.all()
    known = [solutions(one) for one in T]
    # Near a singularity a pose error of 1e-10 is a joint error of 1e-10 over the smallest singular value.
    smallest = np.linalg.svd(ur5.robot.jacobian(solution.q), compute_uv=False)[:, -1]
    off = np.array([apart(all_of_it, x).min() for all_of_it, x in zip(known, solution.q, strict=True)])
    assert np.all(off <= 2e-10 / smallest + 1e-12)
    assert np.median(off) < 1e-11


def test_nearest_is_the_nearest_of_the_closed_form(ur5: Case) -> None:
    q, q0 = reachable(ur5.robot, 60, seed=4), 0.5 * reachable(ur5.robot, 60, seed=5)
    T = ur5.robot.forward_kinematics(q)
    solution = ur5.robot.inverse_kinematics(T, q0, choose="nearest", starts=200)
    assert solution.success.all()
    for one, near, x in zip(T, q0, solution.q, strict=True):
        known = solutions(one)
        known = near + np.remainder(known - near + np.pi, 2 * np.pi) - np.pi  # the turn that is nearest to q0
        elbow = known[:, 2]
        known = known[np.abs(elbow) <= np.pi]
        expected = np.linalg.norm(known - near, axis=1).min()
        assert np.linalg.norm(x - near) <= expected + 1e-6


@pytest.mark.short_run("ur5")
@pytest.mark.parametrize("name", short_run(CASES, "ur5", "panda_fingers", "random_tree"))
def test_pose_of_every_robot(name: str) -> None:
    case = CASES[name]()
    limited = "tree" not in name  # the random trees' files give every joint the limits 0 and 0
    q = reachable(case.robot, 40, seed=6) if limited else np.random.default_rng(6).uniform(-1.5, 1.5, (40, case.n))
    T = case.robot.forward_kinematics(q)
    solution = case.robot.inverse_kinematics(T, limits=limited)
    assert solution.success.all(), solution
    assert (solution.status == "converged").all()
    reached = np.array([pose_by_pinocchio(case, x, case.robot.tip) for x in solution.q])
    np.testing.assert_allclose(reached[:, :3, 3], T[:, :3, 3], rtol=0, atol=1.01 * TOLERANCE)
    assert rotation_between(reached[:, :3, :3], T[:, :3, :3]).max() <= 1.01 * TOLERANCE
    if limited:
        limits = np.array([[j.limits.lower, j.limits.upper] for j in case.robot.joints]).T
        assert ((solution.q >= limits[0]) & (solution.q <= limits[1])).all()


@pytest.mark.short_run("3-6")
@pytest.mark.parametrize(("seed", "joints"), each_once(range(4), [6, 7, 9]))
def test_general_arms(seed: int, joints: int) -> None:
    """Revolute and prismatic joints in general directions, six and more."""
    robot = chain(seed, joints)
    T = robot.forward_kinematics(np.random.default_rng(seed).uniform(-1.5, 1.5, (50, joints)))
    solution = robot.inverse_kinematics(T)
    assert solution.success.all()
    reached = robot.forward_kinematics(solution.q)
    assert np.abs(reached - T).max() <= 2 * TOLERANCE
    assert np.abs(solution.position_error - np.linalg.norm((reached - T)[:, :3, 3], axis=1)).max() < 1e-15
    angle = rotation_between(reached[:, :3, :3], T[:, :3, :3])
    assert np.abs(solution.angle_error - angle).max() < 1e-14


def test_tasks_of_every_kind(panda: Case) -> None:
    robot, rng = panda.robot, np.random.default_rng(8)
    q = reachable(robot, 50, seed=7)
    point, axis, frame = (0.11, -0.07, 0.2), np.array([0.48, -0.6, 0.64]), "panda_link6"
    T = robot.forward_kinematics(q, frame=frame)
    place = T[:, :3, 3] + T[:, :3, :3] @ point

    at_place = robot.inverse_kinematics(place, frame=frame, point=point).required()
    T1 = robot.forward_kinematics(at_place, frame=frame)
    np.testing.assert_allclose(T1[:, :3, 3] + T1[:, :3, :3] @ point, place, rtol=0, atol=TOLERANCE)

    oriented = robot.inverse_kinematics(Orientation(T[:, :3, :3], frame=frame)).required()
    R = robot.forward_kinematics(oriented, frame=frame)[:, :3, :3]
    assert rotation_between(R, T[:, :3, :3]).max() <= TOLERANCE

    along = T[:, :3, :3] @ axis
    pointed = robot.inverse_kinematics([Position(place, point, frame), Pointing(along, axis, frame)]).required()
    T2 = robot.forward_kinematics(pointed, frame=frame)
    np.testing.assert_allclose(T2[:, :3, 3] + T2[:, :3, :3] @ point, place, rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(T2[:, :3, :3] @ axis, along, rtol=0, atol=TOLERANCE)
    assert rotation_between(T2[:, :3, :3], T[:, :3, :3]).max() > 0.1  # it turned about the axis

    only = robot.inverse_kinematics(Pointing(along, axis), frame=frame).required()
    np.testing.assert_allclose(robot.forward_kinematics(only, frame=frame)[:, :3, :3] @ axis, along, rtol=0,
                               atol=TOLERANCE)  # fmt: skip

    posed = robot.inverse_kinematics(Pose(with_origin(T, place), point, frame)).required()
    np.testing.assert_allclose(robot.forward_kinematics(posed, frame=frame), T, rtol=0, atol=2 * TOLERANCE)

    height = rng.uniform(0.1, 0.6, 50)
    level = np.stack([np.full(50, np.nan), np.full(50, 7.0), height], axis=1)
    level[:, 0] = 7.0
    flat = robot.inverse_kinematics(Position(level, axes="z")).required()
    np.testing.assert_allclose(robot.forward_kinematics(flat)[:, 2, 3], height, rtol=0, atol=TOLERANCE)


def with_origin(T: np.ndarray, p: np.ndarray) -> np.ndarray:
    moved = T.copy()
    moved[:, :3, 3] = p
    return moved


@pytest.mark.slow
def test_two_frames_at_once() -> None:
    """Both hands of a robot with two arms, each with its own target, in one search."""
    robot = CASES["baxter"]().robot
    q = reachable(robot, 20, seed=9)
    left, right = (robot.forward_kinematics(q, frame=f) for f in ("left_gripper", "right_gripper"))
    solution = robot.inverse_kinematics([Pose(left, frame="left_gripper"), Pose(right, frame="right_gripper")])
    assert solution.success.all()
    for frame, T in (("left_gripper", left), ("right_gripper", right)):
        assert np.abs(robot.forward_kinematics(solution.q, frame=frame) - T).max() <= 2 * TOLERANCE


def test_opposite_orientations_are_found(panda: Case) -> None:
    """Half a turn away from the start about every axis, where the rotation vector has no single direction."""
    robot = panda.robot
    q0 = np.array([0.2, -0.3, 0.4, 0.1, 0.5, -0.2, 0.3])
    R = robot.forward_kinematics(q0)[:3, :3]
    half_turns = np.array([np.diag(d) for d in ([1.0, -1, -1], [-1.0, 1, -1], [-1.0, -1, 1])])
    solution = robot.inverse_kinematics(Orientation(half_turns @ R), q0, starts=1, iterations=300, limits=False)
    assert solution.success.all()
    assert rotation_between(robot.forward_kinematics(solution.q)[:, :3, :3], half_turns @ R).max() <= TOLERANCE
    a = R[:, 2]
    pointed = robot.inverse_kinematics(Pointing(-a), q0, starts=1, iterations=300, limits=False)
    np.testing.assert_allclose(robot.forward_kinematics(pointed.required())[:3, 2], -a, rtol=0, atol=TOLERANCE)


def test_closest_turn_and_joints_that_do_not_matter() -> None:
    """Whole turns come out next to q0, and joints that do not carry the frame stay where they are."""
    robot = armdyn.load("ur5")
    q = np.array([3.0, -1.2, 1.4, -0.7, 1.1, -3.0])
    T = robot.forward_kinematics(q)
    for turn in (-2 * np.pi, 0.0, 2 * np.pi):
        near = np.clip(q + 0.05 + turn * np.array([1, 0, 0, 0, 0, 1]), -6.28, 6.28)
        x = robot.inverse_kinematics(T, near).required()
        limits = np.array([j.limits.upper for j in robot.joints])
        assert (np.abs(x) <= limits).all()
        distances = [np.abs(q + 2 * np.pi * k - near) for k in (-1, 0, 1)]
        inside = [
            np.where(np.abs(q + 2 * np.pi * k) <= limits, d, np.inf) for k, d in zip((-1, 0, 1), distances, strict=True)
        ]
        np.testing.assert_allclose(np.abs(x - near), np.min(inside, axis=0), atol=1e-8)
    elbow = robot.inverse_kinematics(robot.forward_kinematics(q, frame="wrist_1_link"), q + 0.01, frame="wrist_1_link")
    np.testing.assert_array_equal(elbow.q[4:], q[4:] + 0.01)


def weighted_residuals(robot: armdyn.Robot, T: np.ndarray, length: float, q: np.ndarray) -> np.ndarray:
    from scipy.spatial.transform import Rotation

    at = robot.forward_kinematics(q)
    turn = Rotation.from_matrix(T[:3, :3] @ at[:3, :3].T).as_rotvec()
    return np.concatenate([(T[:3, 3] - at[:3, 3]) / length, turn])


@pytest.mark.parametrize("name", ["panda_locked", "ur5"])
def test_nearest_configuration_of_unreachable_poses_is_a_minimum_scipy_does_not_better(name: str) -> None:
    from armdyn.kinematics.limits import Range, length_of

    robot = CASES[name]().robot
    length = length_of(robot, {robot.tip})
    T = robot.forward_kinematics(reachable(robot, 12, seed=10))
    T[:, :3, 3] *= np.linspace(1.6, 3.0, 12)[:, None]
    solution = robot.inverse_kinematics(T, iterations=400)
    assert not solution.success[solution.position_error > TOLERANCE].any()
    failed = np.flatnonzero(~solution.success)
    assert len(failed) >= 8
    lower, upper = np.array(Range.of(robot, length, limited=True).bounds).T
    for k in failed:
        start = np.clip(solution.q[k], lower + 1e-9, upper - 1e-9)
        polished = least_squares(
            lambda x, k=k: weighted_residuals(robot, T[k], length, x), start, bounds=(lower, upper), xtol=1e-15,
            ftol=1e-15, gtol=1e-12, max_nfev=2000,
        )  # fmt: skip
        own = 0.5 * np.sum(weighted_residuals(robot, T[k], length, solution.q[k]) ** 2)
        assert own <= polished.cost * (1 + 1e-6) + 1e-15, (k, solution.reason(k))


@pytest.mark.slow
def test_scipy_does_not_find_what_is_missed(panda: Case) -> None:
    """Targets near the edge of what the limits allow: where all starts fail, least squares from as many fail too."""
    from armdyn.kinematics.limits import Range, length_of

    robot, length = panda.robot, length_of(panda.robot, {panda.robot.tip})
    T = robot.forward_kinematics(reachable(robot, 30, seed=11))
    T[:, :3, 3] *= 1.15
    solution = robot.inverse_kinematics(T)
    missed = np.flatnonzero(~solution.success)
    assert 0 < len(missed) < 30
    allowed = Range.of(robot, length, limited=True)
    for k in missed[:4]:
        costs = [
            least_squares(lambda x, k=k: weighted_residuals(robot, T[k], length, x), start,
                          bounds=(allowed.lower, allowed.upper), max_nfev=60).cost
            for start in allowed.random(8, seed=100 + int(k))
        ]  # fmt: skip
        own = 0.5 * np.sum(weighted_residuals(robot, T[k], length, solution.q[k]) ** 2)
        assert own <= min(costs) * (1 + 1e-6) + 1e-12
        assert min(costs) > 1e-12


def test_result_does_not_depend_on_the_batch(ur5: Case) -> None:
    T = ur5.robot.forward_kinematics(reachable(ur5.robot, 37, seed=12))
    together = ur5.robot.inverse_kinematics(T)
    for k in (0, 5, 36):
        alone = ur5.robot.inverse_kinematics(T[k])
        np.testing.assert_array_equal(alone.q, together.q[k])
        assert (alone.iterations, alone.starts) == (together.iterations[k], together.starts[k])
    again = ur5.robot.inverse_kinematics(T.reshape(37, 1, 4, 4), np.zeros((1, 2, 6)), workers=2)
    assert again.q.shape == (37, 2, 6)
    assert again.success.all()


def test_seed_decides_and_repeats(panda: Case) -> None:
    T = panda.robot.forward_kinematics(reachable(panda.robot, 100, seed=13))
    first, same, other = (panda.robot.inverse_kinematics(T, seed=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(first.q, same.q)
    assert (first.q != other.q).any()


def test_prismatic_arm_in_closed_form() -> None:
    """A revolute joint and a slide in a plane: q = (angle, distance)."""
    robot = armdyn.load("rp")
    straight = robot.forward_kinematics([0.0, 1.0])[:2, 3]
    place = np.array([0.3, 0.7, 0.0])
    q = robot.inverse_kinematics(Position(place, axes="xy"), [1.0, 1.0]).required()
    assert abs(np.hypot(*robot.forward_kinematics(q)[:2, 3]) - np.hypot(0.3, 0.7)) < 1e-12
    assert abs(np.hypot(*straight) - 1.0 - (np.hypot(0.3, 0.7) - q[1])) < 1e-9
    assert (
        abs(np.remainder(q[0] - np.arctan2(0.7, 0.3) + np.arctan2(*straight[::-1]) + np.pi, 2 * np.pi) - np.pi) < 1e-9
    )
