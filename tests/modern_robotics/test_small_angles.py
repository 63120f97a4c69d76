"""Near zero: the package takes angles below 1e-6 rad for none; compiled functions take them as they are."""

import modern_robotics as package
import numpy as np
import pytest
from oracles.screw_lists import CASES, general_lists
from scipy.linalg import expm

import armdyn.modern_robotics as mr

LISTS = CASES["turning"]
TINY = [9e-7, 1e-7, 1e-9, 1e-12]


@pytest.mark.parametrize("angle", [0.0, *TINY])
def test_poses_are_the_exponentials_and_near_the_packages(angle: float) -> None:
    q = np.full(6, angle)
    exact = np.linalg.multi_dot([*(expm(package.VecTose3(S * angle)) for S in LISTS.S.T), LISTS.home])
    scale = np.abs(exact).max()
    ours = mr.FKinSpace(LISTS.home, LISTS.S, q)
    assert np.abs(ours - exact).max() <= 1e-14 * scale
    assert np.abs(ours - package.FKinSpace(LISTS.home, LISTS.S, q)).max() <= 10 * angle * scale + 1e-14 * scale


@pytest.mark.parametrize("angle", [0.0, *TINY])
def test_joint_forces_are_near_the_packages(angle: float) -> None:
    rng = np.random.default_rng(2)
    q, qd, qdd, g, f = np.full(6, angle), rng.normal(size=6), rng.normal(size=6), rng.normal(size=3), rng.normal(size=6)
    ours, theirs = (library.InverseDynamics(q, qd, qdd, g, f, *LISTS) for library in (mr, package))
    scale = np.abs(theirs).max()
    assert np.abs(ours - theirs).max() <= 100 * angle * scale + 1e-12 * scale


def test_a_step_too_small_for_the_package_still_turns_the_hand() -> None:
    """A difference quotient over 1e-7 rad gives the Jacobian; the package's rotation does not move at all."""
    step, S = 1e-7, LISTS.S[:, :1]
    for library, turns in ((mr, True), (package, False)):
        R = library.FKinSpace(np.eye(4), S, [step])[:3, :3]
        w = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (2 * step)
        assert np.allclose(w, S[:3, 0], atol=1e-6) is turns


@pytest.mark.parametrize("length", [1e-3, 1e-5, 1e-8, 1e-200])
def test_screws_of_hardly_any_length(length: float) -> None:
    S = LISTS.S[:, :2] * length
    q = np.array([0.4, -0.9]) * min(1.0 / length, 1e4)
    exact = expm(package.VecTose3(S[:, 0] * q[0])) @ expm(package.VecTose3(S[:, 1] * q[1]))
    np.testing.assert_allclose(mr.FKinSpace(np.eye(4), S, q), exact, rtol=0, atol=1e-12)


@pytest.mark.parametrize("turns", [1.0, 3.5, 1000.25])
def test_many_turns(turns: float) -> None:
    lists = general_lists("RH", 21)
    q = np.array([2 * np.pi * turns, -np.pi])
    ours, theirs = mr.FKinSpace(lists.home, lists.S, q), package.FKinSpace(lists.home, lists.S, q)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12 * max(1.0, np.abs(theirs).max()) * max(1.0, turns))


@pytest.mark.parametrize("which", [0, 1, 2])
def test_half_turns(which: int) -> None:
    lists = CASES["book"]
    q = np.array([[np.pi, 0, 0], [0, np.pi, -np.pi], [np.pi / 2, -np.pi, np.pi]])[which]
    for ours, theirs in (
        (mr.FKinSpace(lists.home, lists.S, q), package.FKinSpace(lists.home, lists.S, q)),
        (mr.JacobianSpace(lists.S, q), package.JacobianSpace(lists.S, q)),
        (mr.MassMatrix(q, *lists), package.MassMatrix(q, *lists)),
        (mr.GravityForces(q, [1.0, 2.0, -9.8], *lists), package.GravityForces(q, [1.0, 2.0, -9.8], *lists)),
    ):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12 * np.abs(theirs).max())
