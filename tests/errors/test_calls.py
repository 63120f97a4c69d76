"""Ways to call a compiled function: what one call leaves behind never changes what another one means."""

from itertools import combinations

import numpy as np
import pytest

import armdyn
from armdyn import algorithms
from oracles.states import random_states

OPTIONAL = ("f_tip", "base_twist", "base_twist_rate", "f_ext")


def values(robot: armdyn.Robot) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(77)
    return {name: rng.normal(size=(len(robot.link_names), 6) if name == "f_ext" else 6) for name in OPTIONAL}


@pytest.mark.parametrize(("first", "second"), list(combinations(OPTIONAL, 2)))
def test_none_by_position_and_an_array_by_name(first: str, second: str) -> None:
    """A call with None in one optional place and another by name leaves positional calls what they are."""
    used, fresh = (armdyn.Robot(armdyn.load("planar_2r").model.replace(name=name)) for name in ("used", "fresh"))
    given = values(used)
    q, qd, qdd = (x[0] for x in random_states(2, 1, seed=3)[:3])
    before = [None] * OPTIONAL.index(first)
    used.inverse_dynamics(q, qd, qdd, *before, None, **{second: given[second]})
    for make in (np.asarray, np.ndarray.tolist, lambda a: np.stack([a, a])):
        arrays = [make(x) for x in (q, qd, qdd)]
        actual = used.inverse_dynamics(*arrays, *before, make(given[first]))
        expected = fresh.inverse_dynamics(*arrays, **{first: make(given[first])})
        np.testing.assert_array_equal(actual, expected)


def test_out_of_another_batch_is_refused_with_and_without_threads() -> None:
    robot = armdyn.load("planar_2r")
    for workers in (None, 2):
        for length in (3000, 1500):
            with pytest.raises(armdyn.ShapeError, match=r"out has shape .*; expected \(2000, 2\)"):
                robot.gravity_forces(np.zeros((2000, 2)), out=np.zeros((length, 2)), workers=workers)


def test_out_that_overlaps_an_argument_in_threads() -> None:
    robot = armdyn.load("planar_2r")
    a = np.random.default_rng(0).normal(size=(5001, 2))
    expected = robot.gravity_forces(a[:-1].copy())
    np.testing.assert_array_equal(robot.gravity_forces(a[:-1], out=a[1:], workers=2), expected)


def test_out_with_places_left_open_in_threads() -> None:
    robot = armdyn.load("planar_2r")
    q = np.random.default_rng(1).normal(size=(3000, 2))
    mine = np.empty((3000, 2, 2))
    d_q, d_qd, _ = robot.inverse_dynamics_derivatives(q, q, q, out=(mine, None, None), workers=2)
    assert d_q is mine
    np.testing.assert_array_equal(d_qd, robot.inverse_dynamics_derivatives(q, q, q).d_qd)


@pytest.mark.parametrize(
    ("out", "match"),
    [
        (np.zeros(2, int), "out holds int64"),
        (np.broadcast_to(0.0, 2), "out is read-only"),
        ((np.zeros(2), np.zeros(2)), "out holds 2 arrays"),
    ],
)
def test_out_that_takes_no_results_is_named(out: object, match: str) -> None:
    with pytest.raises((armdyn.ShapeError, armdyn.DTypeError), match=match):
        armdyn.load("planar_2r").gravity_forces(np.zeros(2), out=out)


def test_parameters_by_names_that_python_can_say() -> None:
    robot = armdyn.load("planar_2r")
    by = robot.compile(algorithms.inverse_dynamics, parameters=["tip.payload.mass"])
    q = np.array([0.3, -0.4])
    loaded = robot.with_payload(armdyn.Inertia.point(2.0, [0.0, 0.0, 0.0])).inverse_dynamics(q, q, q)
    np.testing.assert_allclose(by(q, q, q, tip_payload_mass=2.0), loaded, rtol=1e-14)
    np.testing.assert_allclose(by(q, q, q, **{"tip.payload.mass": 2.0}), loaded, rtol=1e-14)
    with pytest.raises(TypeError, match="give tip_payload_mass= by name"):
        by(q, q, q, 2.0)


def test_complaints_stand_alone() -> None:
    """One error, not what led to it."""
    with pytest.raises(armdyn.ShapeError) as caught:
        armdyn.load("planar_2r").inverse_dynamics(np.zeros(5), np.zeros(2), np.zeros(2))
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_numbers_of_other_kinds_are_named() -> None:
    robot = armdyn.load("planar_2r")
    with pytest.raises(armdyn.DTypeError, match="integers beyond 64 bits"):
        robot.mass_matrix([10**30, 0])
    if np.dtype(np.longdouble).itemsize > 8:
        with pytest.raises(armdyn.DTypeError, match=str(np.dtype(np.longdouble))):
            robot.mass_matrix(np.zeros(2, np.longdouble))
    with pytest.raises(TypeError, match="method is a list"):
        robot.forward_dynamics(np.zeros(2), np.zeros(2), np.zeros(2), method=["mass_matrix"])


def test_linear_algebra_of_numpy_is_refused_with_what_to_use() -> None:
    def solved(model, q):
        return np.linalg.solve(algorithms.mass_matrix(model, q), q)

    with pytest.raises(armdyn.TraceError, match="factored_mass_matrix"):
        armdyn.load("planar_2r").compile(solved, signature="(n)->(n)")(np.zeros(2))


def test_algorithms_that_leave_constraints_out_are_refused_when_compiled() -> None:
    channel = armdyn.constraints.PointOnPlane("tip", (1, 0, 0), (1, 0, 0))
    robot = armdyn.load("planar_2r").with_constraints(channel)
    for function in (algorithms.inverse_dynamics, algorithms.joint_reactions, algorithms.inverse_dynamics_derivatives):
        with pytest.raises(armdyn.Unsupported, match="constrain"):
            robot.compile(function)


def test_a_mass_matrix_without_an_inverse_is_named_by_every_function() -> None:
    """Two slides along one line, the first without mass: no configuration tells them apart."""
    part, z = armdyn.Part, (0, 0, 1)
    robot = armdyn.Robot.from_links([
        part("a", "base", "prismatic", axis=z),
        part("b", "a", "prismatic", axis=z, inertia=armdyn.Inertia.point(1.0, [0, 0, 0])),
    ])  # fmt: skip
    q = np.array([0.1, 0.2])
    calls = (
        lambda: robot.forward_dynamics(q, q, q),
        lambda: robot.forward_dynamics(q, q, q, method="mass_matrix"),
        lambda: robot.inverse_mass_matrix(q),
        lambda: robot.forward_dynamics_derivatives(q, q, q),
    )
    for call in calls:
        with pytest.raises(armdyn.ModelError, match="'joint_of_a' of 'links' moves no inertia"):
            call()
