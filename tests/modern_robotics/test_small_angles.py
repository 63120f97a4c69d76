"""Near zero, where the package takes turns by less than 1e-6 rad for none; and turns by half a turn and many."""

import modern_robotics as package
import numpy as np
import pytest
from scipy.linalg import expm

import armdyn.modern_robotics as mr
from armdyn.modern_robotics import integration
from oracles.screw_lists import CASES, general_lists
from oracles.states import assert_close

LISTS = CASES["turning"]
TINY = [9e-7, 1e-7, 1e-9, 1e-12]


@pytest.mark.parametrize("angle", [0.0, *TINY, 9.999e-7, 1.0001e-6, -5e-7, -1.5e-6])
def test_turns_below_the_threshold_are_none_as_in_the_package(angle: float) -> None:
    rng = np.random.default_rng(2)
    q, qd, qdd, g, f = np.full(6, angle), rng.normal(size=6), rng.normal(size=6), rng.normal(size=3), rng.normal(size=6)
    pairs = [
        (library.FKinSpace(LISTS.home, LISTS.S, q), library.FKinBody(LISTS.home, LISTS.S, q),
         library.JacobianSpace(LISTS.S, q), library.JacobianBody(LISTS.S, q), library.MassMatrix(q, *LISTS),
         library.InverseDynamics(q, qd, qdd, g, f, *LISTS))
        for library in (mr, package)
    ]  # fmt: skip
    for ours, theirs in zip(*pairs, strict=True):
        assert_close(ours.reshape(1, -1), theirs.reshape(1, -1))


@pytest.mark.parametrize("angle", [0.0, *TINY])
def test_what_that_costs(angle: float) -> None:
    """The pose is the exact one to the angle that is left out."""
    exact = np.linalg.multi_dot([*(expm(package.VecTose3(S * angle)) for S in LISTS.S.T), LISTS.home])
    ours = mr.FKinSpace(LISTS.home, LISTS.S, np.full(6, angle))
    assert np.abs(ours - exact).max() <= (10 * angle + 1e-14) * np.abs(exact).max()


@pytest.mark.parametrize("angle", [0.0, *TINY])
def test_long_simulations_turn_by_small_angles_too(angle: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code compiled for one arm knows no threshold: it differs by no more than the package leaves out."""
    tau, g = np.ones((2, 6)), [1.0, 2.0, -9.0]
    arguments = (np.full(6, angle), np.full(6, 0.1), tau, g, 0, *LISTS, 1e-3, 1)
    short = mr.ForwardDynamicsTrajectory(*arguments)[1][1] - 0.1
    monkeypatch.setattr(integration, "LONG", 1)
    long = mr.ForwardDynamicsTrajectory(*arguments)[1][1] - 0.1
    assert np.abs(long - short).max() <= (1000 * angle + 1e-12) * np.abs(short).max()


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
