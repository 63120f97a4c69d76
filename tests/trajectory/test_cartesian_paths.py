"""Paths of the tip: poses of the curves they claim to be, twists and twist rates that belong to them."""

import modern_robotics as mr
import mpmath as mp
import numpy as np
import pytest

import armdyn
from armdyn.base.exact import rounded
from armdyn.spatial.rotations import rotation_about
from armdyn.trajectory import (
    Arc,
    CartesianPath,
    CartesianPathSequence,
    Cubic,
    CurvePath,
    Cycloidal,
    Line,
    MotionError,
    PoseSpline,
    Quintic,
    Screw,
    Through,
)
from oracles.integrals import assert_is_derivative
from oracles.trees import random_rotation

RNG = np.random.default_rng(9)


def random_pose() -> np.ndarray:
    return mr.RpToTrans(random_rotation(RNG), RNG.normal(size=3))


LAW = Cycloidal(4.1, 1.0, 2.0, 1.5)
T0, T1, T2 = random_pose(), random_pose(), random_pose()
AXIS = RNG.normal(size=3)
CENTER = T0[:3, 3] + np.cross(AXIS, RNG.normal(size=3))
KINDS = ("turning", "fixed", T1[:3, :3])
PATHS: dict[str, tuple[CartesianPath, list[float]]] = {
    "line": (CurvePath(Line(T0, T1), Quintic(1.0, 1.7, 0.3, -0.2, 0.1, 0.4)), [0.0, 1.7]),
    "screw": (CurvePath(Screw(T0, T1), Quintic(1.0, 1.7, 0.3, 0.2, 0.1, 0.4)), [0.0, 1.7]),
    **{
        f"arc {i}": (
            CurvePath(Arc(T0, center=CENTER, axis=AXIS, angle=4.1, orientation=kind), LAW), [0.0, 1.0, 3.0, 4.5]
        )
        for i, kind in enumerate(KINDS)
    },
    "spline": (PoseSpline([0.5, 1.5, 2.0, 4.0], [T0, T1, T2, T0]), [0.0, 1.0, 1.5, 3.5]),
    "sequence": (
        CartesianPathSequence([CurvePath(Line(T0, T1), Cubic(1.0, 1.2)), CurvePath(Screw(T1, T2), Cubic(1.0, 0.8))]),
        [0.0, 1.2, 2.0],
    ),
}  # fmt: skip


def skew(w: np.ndarray) -> np.ndarray:
    return np.stack([mr.VecToso3(x) for x in w])


def angular_rate(path: CartesianPath, t: np.ndarray) -> np.ndarray:
    """dR/dt by the twist in base axes."""
    motion = path.evaluate(t)
    return skew(motion.twist[:, :3]) @ motion.pose[:, :3, :3]


@pytest.mark.parametrize("name", PATHS)
def test_twist_is_the_velocity_of_the_pose(name: str) -> None:
    path, switches = PATHS[name]
    assert_is_derivative(
        lambda t: path.evaluate(t).pose[:, :3, 3], lambda t: path.evaluate(t).twist[:, 3:], switches, tolerance=1e-12
    )
    assert_is_derivative(
        lambda t: path.evaluate(t).pose[:, :3, :3], lambda t: angular_rate(path, t), switches, tolerance=1e-12
    )


@pytest.mark.parametrize("expressed_in", ["world", "space", "body"])
@pytest.mark.parametrize("name", PATHS)
def test_twist_rate_is_the_derivative_of_the_twist(name: str, expressed_in: str) -> None:
    path, switches = PATHS[name]
    assert_is_derivative(
        lambda t: path.evaluate(t, expressed_in=expressed_in).twist,
        lambda t: path.evaluate(t, expressed_in=expressed_in).twist_rate,
        switches,
        tolerance=2e-12,
    )


@pytest.mark.parametrize("name", PATHS)
def test_twists_in_other_axes_are_adjoints(name: str) -> None:
    path, _ = PATHS[name]
    t = np.linspace(0, path.duration, 6).reshape(2, 3)
    world, space, body = (path.evaluate(t, expressed_in=axes) for axes in ("world", "space", "body"))
    for k in np.ndindex(2, 3):
        T = world.pose[k]
        np.testing.assert_allclose(space.twist[k], mr.Adjoint(T) @ body.twist[k], rtol=0, atol=1e-12)
        turned = mr.Adjoint(mr.RpToTrans(T[:3, :3], np.zeros(3))) @ body.twist[k]
        np.testing.assert_allclose(world.twist[k], turned, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", PATHS)
def test_poses_are_poses(name: str) -> None:
    path, _ = PATHS[name]
    _, motion = path.sampled(9)
    R = motion.pose[:, :3, :3]
    np.testing.assert_allclose(R @ np.swapaxes(R, 1, 2), np.broadcast_to(np.eye(3), R.shape), rtol=0, atol=1e-14)
    np.testing.assert_array_equal(motion.pose[:, 3], np.broadcast_to([0, 0, 0, 1], (9, 4)))


def test_line_and_screw_are_modern_robotics() -> None:
    for curve, function in ((Line, mr.CartesianTrajectory), (Screw, mr.ScrewTrajectory)):
        _, motion = CurvePath(curve(T0, T1), Quintic(1.0, 2.0)).sampled(9)
        np.testing.assert_allclose(motion.pose, function(T0, T1, 2.0, 9, 5), rtol=0, atol=1e-12)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-7, 1e-3, 0.3, 0.49, 0.51, 3.0])
def test_screws_of_small_and_large_turns_in_fifty_digits(angle: float) -> None:
    """T(s) = exp([V] s) T_0 with V read off the curve, and the end it was asked for."""
    axis = AXIS / np.linalg.norm(AXIS)
    end = mr.RpToTrans(rounded(rotation_about(axis, angle)) @ T0[:3, :3], T1[:3, 3])
    screw = Screw(T0, end)
    with mp.workdps(50):
        V = mp.matrix(mr.VecTose3(screw.twist).tolist())
        for s in (0.0, 0.3, 1.0):
            expected = np.array((mp.expm(V * s) * mp.matrix(T0.tolist())).tolist(), dtype=float)
            np.testing.assert_allclose(screw.pose(s), expected, rtol=0, atol=1e-14)
    np.testing.assert_allclose(screw.end, end, rtol=0, atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(screw.twist[:3]), angle, rtol=0, atol=2e-15)


def test_arc_stays_on_its_circle_and_turns_as_it_says() -> None:
    s = np.linspace(0, 4.1, 50)
    for kind in KINDS:
        arc = Arc(T0, center=CENTER, axis=AXIS, angle=4.1, orientation=kind)
        spoke = arc.pose(s)[:, :3, 3] - CENTER
        np.testing.assert_allclose(np.linalg.norm(spoke, axis=1), arc.radius, rtol=1e-14)
        np.testing.assert_allclose(spoke @ AXIS, 0.0, rtol=0, atol=1e-14)
        way = np.cross(spoke[0], spoke[-1]) @ AXIS / np.linalg.norm(AXIS), spoke[0] @ spoke[-1]
        assert np.arctan2(*way) % (2 * np.pi) == pytest.approx(4.1, rel=1e-13)
    R = {i: Arc(T0, center=CENTER, axis=AXIS, angle=4.1, orientation=k).end[:3, :3] for i, k in enumerate(KINDS)}
    about = mr.MatrixExp3(mr.VecToso3(AXIS / np.linalg.norm(AXIS) * 4.1))
    np.testing.assert_allclose(R[0], about @ T0[:3, :3], rtol=0, atol=1e-13)
    np.testing.assert_allclose(R[1], T0[:3, :3], rtol=0, atol=1e-15)
    np.testing.assert_allclose(R[2], T1[:3, :3], rtol=0, atol=1e-14)


@pytest.mark.parametrize("via_angle", [0.4, 2.5, 6.0])
def test_arc_through_three_points(via_angle: float) -> None:
    whole = Arc(T0, center=CENTER, axis=AXIS, angle=2 * np.pi - 0.1)
    end = whole.end
    end[:3, :3] = T1[:3, :3]
    arc = Arc.through(T0, whole.pose(via_angle)[:3, 3], end)
    assert arc.extent == pytest.approx(2 * np.pi - 0.1, rel=1e-11)
    np.testing.assert_allclose(arc.end, end, rtol=0, atol=1e-12)
    np.testing.assert_allclose(arc.pose(via_angle)[:3, 3], whole.pose(via_angle)[:3, 3], rtol=0, atol=1e-11)


def test_spline_passes_its_poses_at_rest_in_place() -> None:
    path = PATHS["spline"][0]
    motion = path.evaluate([0.0, 1.0, 1.5, 3.5])
    np.testing.assert_allclose(motion.pose, [T0, T1, T2, T0], rtol=0, atol=1e-13)
    np.testing.assert_allclose(motion.twist[[0, -1], 3:], 0.0, rtol=0, atol=1e-12)


HALF_TURN = mr.RpToTrans(np.diag([1.0, -1.0, -1.0]) @ T0[:3, :3], np.zeros(3))
BAD = [
    (lambda: Line(T0, np.eye(3)), "end has shape (3, 3); expected (4, 4)"),
    (lambda: Line(2 * np.eye(4), T1), "the rotation of start is not a rotation: its columns are not orthonormal"),
    (lambda: Line(np.diag([1.0, 1.0, -1.0, 1.0]), T1), "det R = -1"),
    (lambda: Line(T0, np.block([[np.eye(3), np.ones((3, 1))], [np.ones((1, 4))]])), "its last row is"),
    (lambda: Line(T0, HALF_TURN), "half a turn apart"),
    (lambda: Screw(T0, HALF_TURN), "half a turn apart"),
    (lambda: Arc(T0, center=CENTER + AXIS, axis=AXIS), "the axis of a circle is perpendicular to its plane"),
    (lambda: Arc(T0, center=T0[:3, 3], axis=AXIS), "center is the start of the arc"),
    (lambda: Arc(T0, center=CENTER, axis=[0, 0, 0]), "axis is zero; expected a direction"),
    (lambda: Arc(T0, center=CENTER, axis=AXIS, angle=-1.0), "turn the axis round"),
    (lambda: Arc(T0, center=CENTER, axis=AXIS, orientation="fixd"), "Did you mean 'fixed'?"),
    (lambda: Arc.through(T0, (T0[:3, 3] + T1[:3, 3]) / 2, T1), "on a straight line"),
    (lambda: CurvePath(Line(T0, T1), Cubic(2.0, 1.0)), "the law covers 2, but the curve ends at 1"),
    (lambda: PATHS["line"][0].evaluate(1.0, expressed_in="tool"), "no way 'tool'"),
    (lambda: PATHS["line"][0].evaluate(1.8), "t = 1.8 s is outside the motion"),
    (lambda: PoseSpline([0, 1], [T0]), "1 poses at 2 times"),
    (lambda: PoseSpline([0, 1], [T0, 2 * T1]), "the rotation of poses[1] is not a rotation"),
    (
        lambda: CartesianPathSequence([CurvePath(Line(T0, T1), Cubic(1.0, 1.0))] * 2),
        "the pose jumps between path 0 and path 1",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "message"), BAD, ids=[m for _, m in BAD])
def test_what_makes_no_sense_is_refused(wrong, message: str) -> None:
    with pytest.raises(armdyn.ArmdynError) as caught:
        wrong()
    assert message in str(caught.value)
    assert isinstance(caught.value, MotionError | armdyn.ShapeError | armdyn.UnknownName)


def test_a_curve_through_points_is_smooth_and_turns_evenly() -> None:
    """It passes every point; p' and p'' are derivatives, p'' has a continuous second one; orientations as on a line."""
    start, end = T0, T1
    between = np.random.default_rng(5).normal(size=(3, 3))
    curve = Through(start, between, end)
    points = np.vstack([start[:3, 3], between, end[:3, 3]])
    ways = np.linalg.norm(np.diff(points, axis=0), axis=1)
    knots = np.concatenate([[0.0], np.cumsum(ways) / ways.sum()])
    np.testing.assert_allclose(curve.pose(knots)[:, :3, 3], points, rtol=0, atol=1e-13)
    np.testing.assert_allclose(
        curve.pose(knots)[:, :3, :3], Line(start, end).pose(knots)[:, :3, :3], rtol=0, atol=1e-14
    )
    assert_is_derivative(lambda s: curve.at(s).p, lambda s: curve.at(s).dp, knots)
    assert_is_derivative(lambda s: curve.at(s).dp, lambda s: curve.at(s).ddp, knots)
    h = 1e-4
    third = [(curve.at(knots[1:-1] + sign * h).ddp - curve.at(knots[1:-1]).ddp) / (sign * h) for sign in (1, -1)]
    np.testing.assert_allclose(third[0], third[1], rtol=0, atol=0.05 * np.abs(third).max())
    with pytest.raises(MotionError, match="points 1 and 2 of the curve, the start being 0, are the same"):
        Through(start, [[1, 2, 3], [1, 2, 3]], end)
