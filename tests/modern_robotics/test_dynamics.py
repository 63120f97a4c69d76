"""Chapter 8 against the package: any lists it takes, every function, and both ways of simulating."""

from typing import Any, NamedTuple

import modern_robotics as package
import numpy as np
import pytest

import armdyn.modern_robotics as mr
from armdyn.base.threads import Once
from armdyn.modern_robotics import integration, own_code
from oracles.screw_lists import BOOK, CASES, Lists, general_lists, with_wild_inertias
from oracles.short_run import each_once
from oracles.states import assert_close


class State(NamedTuple):
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray
    g: np.ndarray
    f: np.ndarray


def state(n: int, seed: int = 0) -> State:
    rng = np.random.default_rng([n, seed])
    return State(
        rng.uniform(-3, 3, n), *(s * rng.normal(size=k) for s, k in ((2, n), (5, n), (20, n), (6, 3), (10, 6)))
    )


@pytest.fixture(params=CASES, ids=str)
def lists(request: pytest.FixtureRequest) -> Lists:
    return CASES[request.param]


def calls(s: State, lists: Lists) -> dict[str, tuple[Any, ...]]:
    q, qd, qdd, tau, g, f = s
    return {
        "InverseDynamics": (q, qd, qdd, g, f, *lists),
        "MassMatrix": (q, *lists),
        "VelQuadraticForces": (q, qd, *lists),
        "GravityForces": (q, g, *lists),
        "EndEffectorForces": (q, f, *lists),
        "ForwardDynamics": (q, qd, tau, g, f, *lists),
    }


SINGULAR = {"massless last link", "an axis of zeros"}
FORCES = ["InverseDynamics", "MassMatrix", "VelQuadraticForces", "GravityForces", "EndEffectorForces"]


def assert_forces(ours: np.ndarray, theirs: np.ndarray, terms: float = 0.0) -> None:
    """At 1e-12 of the largest number, or of the terms it is a difference of."""
    assert ours.shape == theirs.shape
    assert ours.dtype == np.float64
    assert np.abs(ours - theirs).max() <= 1e-12 * max(np.abs(theirs).max(), terms)


@pytest.mark.short_run(
    without=(
        "twelve joints-InverseDynamics",
        "wild inertias-InverseDynamics",
        "of any length-InverseDynamics",
        "twelve joints-MassMatrix",
    )
)
@pytest.mark.parametrize("name", FORCES)
def test_joint_forces(name: str, lists: Lists) -> None:
    for seed in range(4):
        arguments = calls(state(len(lists.G), seed), lists)[name]
        ours, theirs = getattr(mr, name)(*arguments), getattr(package, name)(*arguments)
        # One sliding joint has no velocity products: what is left in the package is rounding.
        assert_forces(ours, theirs, terms=1.0)
        assert name in ("VelQuadraticForces", "GravityForces") or np.abs(theirs).max() > 1e-3


@pytest.mark.parametrize("name", FORCES)
def test_results_have_the_shape_of_an_arm_of_one_joint(name: str) -> None:
    lists = CASES["one turning"]
    ours = getattr(mr, name)(*calls(state(1), lists)[name])
    assert ours.shape == ((1, 1) if name == "MassMatrix" else (1,))


@pytest.mark.short_run(without=("twelve joints",))
@pytest.mark.parametrize("name", sorted(set(CASES) - SINGULAR))
def test_forward_dynamics(name: str) -> None:
    """The accelerations satisfy the package's equation of motion, and are the package's as far as M is conditioned."""
    lists = CASES[name]
    for seed in range(4):
        s = state(len(lists.G), seed)
        qdd = mr.ForwardDynamics(*calls(s, lists)["ForwardDynamics"])
        M = package.MassMatrix(s.q, *lists)
        bias = package.InverseDynamics(s.q, s.qd, 0 * s.q, s.g, s.f, *lists)
        terms = np.abs(M) @ np.abs(qdd) + np.abs(bias) + np.abs(s.tau)
        assert (np.abs(M @ qdd + bias - s.tau) <= 1e-12 * terms.max()).all()
        theirs = package.ForwardDynamics(*calls(s, lists)["ForwardDynamics"])
        assert_close(qdd, theirs, relative=1e-14 * max(100.0, np.linalg.cond(M)))


@pytest.mark.parametrize("name", sorted(SINGULAR))
def test_a_singular_mass_matrix_is_said_to_be(name: str) -> None:
    lists = CASES[name]
    for library in (package, mr):
        with pytest.raises(np.linalg.LinAlgError, match="Singular"):
            library.ForwardDynamics(*calls(state(3), lists)["ForwardDynamics"])


def as_lists(values: Any) -> Any:
    return values.tolist() if isinstance(values, np.ndarray) else values


KINDS = {
    "lists": as_lists,
    "lists of arrays": lambda a: list(a) if a.ndim == 3 else a,
    "tuples": lambda a: tuple(a) if a.ndim == 1 else tuple(map(np.array, a)) if a.ndim == 3 else a,
    "Fortran order": np.asfortranarray,
    "views": lambda a: np.repeat(a, 2, axis=0)[::2],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [*FORCES, "ForwardDynamics"])
def test_arguments_of_every_kind(name: str, kind: str) -> None:
    arguments = calls(state(5), CASES["rounded to 3 digits"])[name]
    as_kind = [KINDS[kind](value) for value in arguments]
    np.testing.assert_array_equal(getattr(mr, name)(*as_kind), getattr(mr, name)(*arguments))


def test_integers() -> None:
    ours = mr.InverseDynamics([0, 1, 2], [1, 0, 0], [0, 0, 0], [0, 0, -9], [0] * 6, *BOOK)
    assert_forces(ours, package.InverseDynamics([0, 1, 2], [1, 0, 0], [0, 0, 0], [0, 0, -9], [0] * 6, *BOOK))


def test_single_precision_is_computed_in_double() -> None:
    s, lists = state(6), CASES["turning"]
    short = [np.asarray(a, dtype=np.float32) for a in calls(s, lists)["InverseDynamics"]]
    ours = mr.InverseDynamics(*short)
    assert ours.dtype == np.float64
    assert_forces(ours, package.InverseDynamics(*(a.astype(float) for a in short)))


def test_columns_count_as_vectors() -> None:
    s = state(3)
    columns = [v[:, None] for v in (s.q, s.qd, s.qdd)]
    expected = mr.InverseDynamics(*s[:3], s.g, s.f, *BOOK)
    np.testing.assert_array_equal(mr.InverseDynamics(*columns, s.g, s.f, *BOOK), expected)
    np.testing.assert_array_equal(mr.MassMatrix(columns[0], *BOOK), mr.MassMatrix(s.q, *BOOK))
    one = CASES["one turning"]
    s = state(1)
    assert mr.InverseDynamics(*(v[:, None] for v in s[:3]), s.g, s.f, *one).shape == (1,)


def test_lists_of_more_joints_than_are_asked_for() -> None:
    """As in the package the first n joints count, and what follows the n-th is the end-effector."""
    lists, s = CASES["turning"], state(4)
    for name in [*FORCES, "ForwardDynamics"]:
        arguments = calls(s, lists)[name]
        assert_close(getattr(mr, name)(*arguments), getattr(package, name)(*arguments), relative=1e-11)


def test_arguments_are_left_alone() -> None:
    s, lists = state(6), Lists(*(a.copy() for a in CASES["turning"]))
    before = [a.copy() for a in (*s, *lists)]
    for name, arguments in calls(s, lists).items():
        getattr(mr, name)(*arguments)
    for a, b in zip((*s, *lists), before, strict=True):
        np.testing.assert_array_equal(a, b)


def test_lists_changed_in_place_are_seen() -> None:
    lists, s = Lists(*(a.copy() for a in CASES["turning"])), state(6)
    first = mr.MassMatrix(s.q, *lists)
    lists.G[2] *= 3.0
    second = mr.MassMatrix(s.q, *lists)
    assert np.abs(second - first).max() > 1e-3
    assert_forces(second, package.MassMatrix(s.q, *lists))


def test_euler_step() -> None:
    s = state(4)
    for arguments in (
        (s.q, s.qd, s.qdd, 0.01),
        (s.q.tolist(), s.qd.tolist(), s.qdd.tolist(), 0.01),
        ([1], [2], [3], 1),
    ):
        ours, theirs = mr.EulerStep(*arguments), package.EulerStep(*arguments)
        assert type(ours) is type(theirs) is tuple
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(a, b)
            assert a.dtype == b.dtype


def history(n: int, count: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng([seed, n, count])
    return tuple(rng.normal(size=(count, k)) for k in (n, n, n, 6))


def test_inverse_dynamics_along_a_trajectory(lists: Lists) -> None:
    n = len(lists.G)
    q, qd, qdd, f = history(n, 7)
    g = state(n).g
    ours = mr.InverseDynamicsTrajectory(q, qd, qdd, g, f, *lists)
    theirs = package.InverseDynamicsTrajectory(q, qd, qdd, g, f, *lists)
    assert ours.shape == theirs.shape == (7, n)
    assert_forces(ours, theirs)
    from_lists = mr.InverseDynamicsTrajectory(*map(as_lists, (q, qd, qdd, g, f, *lists)))
    np.testing.assert_array_equal(from_lists, ours)


def test_rows_are_single_states() -> None:
    q, qd, qdd, f = history(6, 33)
    lists, g = CASES["turning"], state(6).g
    all_at_once = mr.InverseDynamicsTrajectory(q, qd, qdd, g, f, *lists)
    one_by_one = [mr.InverseDynamics(*row[:3], g, row[3], *lists) for row in zip(q, qd, qdd, f, strict=True)]
    np.testing.assert_allclose(all_at_once, one_by_one, rtol=1e-13, atol=1e-12)


def test_zero_means_no_tip_forces() -> None:
    """The package's documentation promises it; its code stops with an IndexError."""
    q, qd, qdd, f = history(3, 5)
    g = state(3).g
    ours = mr.InverseDynamicsTrajectory(q, qd, qdd, g, 0, *BOOK)
    np.testing.assert_array_equal(ours, mr.InverseDynamicsTrajectory(q, qd, qdd, g, 0 * f, *BOOK))
    for a, b in zip(
        mr.ForwardDynamicsTrajectory(q[0], qd[0], qdd, g, 0, *BOOK, 0.01, 2),
        mr.ForwardDynamicsTrajectory(q[0], qd[0], qdd, g, 0 * f, *BOOK, 0.01, 2),
        strict=True,
    ):
        np.testing.assert_array_equal(a, b)


def test_whole_numbers_give_whole_results_no_more() -> None:
    """Given integers, the package cuts the joint forces of a trajectory off to integers."""
    q = np.ones((2, 3), dtype=int)
    theirs = package.InverseDynamicsTrajectory(q, q, q, [0, 0, -9], np.ones((2, 6)), *BOOK)
    ours = mr.InverseDynamicsTrajectory(q, q, q, [0, 0, -9], np.ones((2, 6)), *BOOK)
    assert theirs.dtype.kind == "i"
    np.testing.assert_array_equal(np.trunc(ours), theirs)
    assert_forces(ours, package.InverseDynamicsTrajectory(1.0 * q, q, q, [0, 0, -9], np.ones((2, 6)), *BOOK))


SIMULATED = ["book", "turning", "turning and sliding", "of any length", "with pitch", "rounded to 3 digits"]
OWN = {"book", "turning", "turning and sliding", "of any length"}
"""The arms that a robot can be made of."""


@pytest.mark.short_run(
    without=("of any length-True", "turning-False", "turning-True", "with pitch-False", "turning and sliding-False")
)
@pytest.mark.parametrize(("name", "long"), each_once(SIMULATED, [False, True]))
def test_forward_dynamics_along_a_trajectory(name: str, long: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Euler's method step for step, through the recursion and through code compiled for the arm."""
    monkeypatch.setattr(integration, "LONG", 1 if long else 10**9)
    lists = CASES[name]
    n = len(lists.G)
    tau, q, qd, f = history(n, 6)
    arguments = (q[0], qd[0], tau, state(n).g, f, *lists, 0.01, 3)
    ours, theirs = mr.ForwardDynamicsTrajectory(*arguments), package.ForwardDynamicsTrajectory(*arguments)
    assert type(ours) is tuple
    for a, b in zip(ours, theirs, strict=True):
        assert a.shape == b.shape == (6, n)
        assert_close(a, b, relative=1e-9)
    assert np.abs(ours[0][-1] - ours[0][0]).max() > 1e-3
    if long:
        assert (own_code.own_step(tuple(lists)) is not None) is (name in OWN)


def test_the_last_row_of_forces_is_not_needed() -> None:
    tau, q, qd, f = history(3, 5)
    g = state(3).g
    whole = mr.ForwardDynamicsTrajectory(q[0], qd[0], tau, g, f, *BOOK, 0.01, 2)
    without = mr.ForwardDynamicsTrajectory(q[0], qd[0], tau, g, f[:4], *BOOK, 0.01, 2)
    tau = tau.copy()
    tau[-1] = np.nan
    for result in (without, mr.ForwardDynamicsTrajectory(q[0], qd[0], tau, g, f, *BOOK, 0.01, 2)):
        for a, b in zip(whole, result, strict=True):
            np.testing.assert_array_equal(a, b)


def test_a_singular_arm_in_a_long_run_is_said_to_be_singular(monkeypatch: pytest.MonkeyPatch) -> None:
    """A point mass on its own axis: a body that can be, on a joint that nothing resists."""
    monkeypatch.setattr(integration, "LONG", 1)
    G = np.diag([0.0, 0, 0, 2, 2, 2])
    lists = (np.array([np.eye(4)] * 2), np.array([G]), np.array([[0.0, 0, 1, 0, 0, 0]]).T)
    for library in (package, mr):
        with pytest.raises(np.linalg.LinAlgError, match="Singular"):
            library.ForwardDynamicsTrajectory(
                [0.1], [0.2], np.ones((3, 1)), [0, 0, -9.8], np.ones((3, 6)), *lists, 0.1, 1
            )


def test_only_so_many_arms_get_code_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_code, "_own_steps", Once())
    monkeypatch.setattr(own_code, "MOST", 1)
    first, second = (tuple(general_lists("RR", seed)) for seed in (51, 52))
    assert own_code.own_step(first) is not None
    assert own_code.own_step(second) is None
    assert own_code.own_step(first) is own_code.own_step(tuple(a.copy() for a in first))


def test_inertias_that_no_body_has_never_get_code_of_their_own() -> None:
    assert own_code.own_step(tuple(with_wild_inertias(general_lists("RR", 53)))) is None
