"""Chapter 9 against the package."""

import math

import modern_robotics as package
import numpy as np
import pytest

import armdyn
import armdyn.modern_robotics as mr
from oracles.screw_lists import pose

RNG = np.random.default_rng(9)
STARTS, ENDS = [pose(RNG) for _ in range(3)], [pose(RNG) for _ in range(3)]


def about_z(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0, 0.4], [s, c, 0, -0.2], [0, 0, 1, 1.1], [0, 0, 0, 1]])


PAIRS = [
    *zip(STARTS, ENDS, strict=True),
    (np.eye(4), np.eye(4)),
    (STARTS[0], STARTS[0] + np.array([[0, 0, 0, 1.0]] * 3 + [[0, 0, 0, 0]])),
    (np.eye(4), about_z(math.pi)),
    (about_z(0.3), about_z(3.0)),
    (np.eye(4), about_z(1e-3)),
]


@pytest.mark.parametrize("name", ["CubicTimeScaling", "QuinticTimeScaling"])
@pytest.mark.parametrize("t", [0, 0.0, 0.6, 1.0, 2, 2.0, 3.1, np.array([0.0, 0.4, 2.0])], ids=str)
def test_time_scaling(name: str, t: float) -> None:
    ours, theirs = getattr(mr, name)(2, t), getattr(package, name)(2, t)
    assert type(ours) is type(theirs)
    np.testing.assert_allclose(ours, theirs, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("method", [3, 5, 4])
@pytest.mark.parametrize("count", [2, 3, 50, 7.0, 4.9])
def test_joint_trajectory(method: int, count: float) -> None:
    start, end = RNG.normal(size=(2, 5))
    ours, theirs = (library.JointTrajectory(start, end, 1.7, count, method) for library in (mr, package))
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-14)
    from_lists = mr.JointTrajectory(start.tolist(), end.tolist(), 1.7, count, method)
    np.testing.assert_array_equal(from_lists, ours)


def test_whole_numbers_make_no_whole_rows() -> None:
    ours, theirs = (library.JointTrajectory([1, 0], [2, 3], 4, 6, 3) for library in (mr, package))
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-15)


@pytest.mark.parametrize("method", [3, 5])
@pytest.mark.parametrize("name", ["ScrewTrajectory", "CartesianTrajectory"])
@pytest.mark.parametrize("which", range(len(PAIRS)))
def test_trajectories_of_poses(name: str, method: int, which: int) -> None:
    start, end = PAIRS[which]
    ours, theirs = (getattr(library, name)(start, end, 5, 11, method) for library in (mr, package))
    assert type(ours) is type(theirs) is list
    assert len(ours) == 11
    for a, b in zip(ours, theirs, strict=True):
        assert a.shape == (4, 4)
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-12 * max(1.0, np.abs(b).max()))
    np.testing.assert_array_equal(getattr(mr, name)(start.tolist(), end.tolist(), 5, 11, method), ours)


@pytest.mark.parametrize("name", ["ScrewTrajectory", "CartesianTrajectory"])
def test_first_small_turns_are_none_as_in_the_package(name: str) -> None:
    """Of a thousand points with quintic scaling the first few turn by less than 1e-6 rad."""
    ours, theirs = (getattr(library, name)(STARTS[0], ENDS[0], 1.0, 1000, 5) for library in (mr, package))
    assert np.array_equal(theirs[1][:3, :3], STARTS[0][:3, :3])
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12 * np.abs(theirs).max())


def test_ends_are_the_given_poses() -> None:
    for start, end in PAIRS:
        for name in ("ScrewTrajectory", "CartesianTrajectory"):
            path = getattr(mr, name)(start, end, 2.0, 5, 5)
            np.testing.assert_allclose(path[0], start, rtol=0, atol=1e-15)
            np.testing.assert_allclose(path[-1], end, rtol=0, atol=1e-9)


def test_poses_can_be_written_to_one_by_one() -> None:
    path = mr.CartesianTrajectory(STARTS[0], ENDS[0], 2.0, 3, 3)
    before = path[1].copy()
    path[0][:] = 0.0
    np.testing.assert_array_equal(path[1], before)


@pytest.mark.parametrize("count", [1, 0, -3])
def test_too_few_points(count: int) -> None:
    with pytest.raises(armdyn.ArmdynError, match="at least 2 points"):
        mr.JointTrajectory([0.0], [1.0], 2.0, count, 3)
    with pytest.raises(ValueError, match=f"N is {count}"):
        mr.ScrewTrajectory(np.eye(4), np.eye(4), 2.0, count, 3)


def test_no_time() -> None:
    with pytest.raises(armdyn.ArmdynError, match="Tf is 0"):
        mr.JointTrajectory([0.0], [1.0], 0, 5, 3)
