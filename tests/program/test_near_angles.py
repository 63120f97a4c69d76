"""Sines of angles close to others, in rollouts: by what is known of these, right wherever the angles are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from armdyn.program import Port, Program, Rollout, interpret, trace
from armdyn.simulation.methods.formulas import runge_kutta_4
from armdyn.targets.kernels import kernel_of
from armdyn.targets.llvm.conditional import ALWAYS
from armdyn.targets.llvm.machine import host
from armdyn.targets.llvm.near_angles import COS, LIMIT, SIN, with_near_angles
from armdyn.targets.llvm.sections import Library, cut
from program.test_llvm import compiled_for, narrower_machines

rng = np.random.default_rng(11)
SIZES = [1e-300, 1e-9, 1e-3, 0.06, 0.07, 0.12, 0.13, 0.5, 3.0, 1e4, 1e9]
"""Of the changes of two angles: the square root of the sum of their squares, 1.41 times that, decides at 0.125."""


def two_stages(q: Any, v: Any, h: Any) -> Any:
    """Of two angles, their sum, and of all three a little later; and of the second stage's own ones."""
    first = [np.sin(q[0]), np.cos(q[0]), np.sin(q[1]), np.cos(q[1]), np.sin(q[0] + q[1]), np.cos(q[0] + q[1])]
    x = q + h * v
    second = [np.sin(x[0]), np.cos(x[0]), np.cos(x[1]), np.sin(x[0] + x[1]), np.cos(x[0] + x[1])]
    y = q + h * (v + np.array([second[0], second[3]]))
    return [np.array([*first, *second]), np.array([np.sin(y[0]), np.cos(y[1])])]


def traced(function: Any) -> Program:
    return trace(lambda q, v, h: np.concatenate(function(q, v, h)), [Port("q", (2,)), Port("v", (2,)), Port("h", ())])


def states(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Angles next to multiples of pi/2 and elsewhere, and changes of every size, NaN and infinity among them."""
    q = rng.uniform(-4.0, 4.0, (count, 2))
    q[::3] = np.pi / 2 * rng.integers(-3, 4, (len(q[::3]), 2)) + 1e-12 * rng.normal(size=(len(q[::3]), 2))
    v = np.array(SIZES)[rng.integers(len(SIZES), size=count), None] * rng.choice([-1.0, 1.0], (count, 2))
    v[7], v[8], v[9] = np.nan, np.inf, 0.0
    return q, v


@pytest.mark.parametrize("dtype", "df")
def test_results_are_those_of_the_interpreter(dtype: str) -> None:
    program = traced(two_stages)
    q, v = (one.astype(dtype) for one in states(403))
    h = np.asarray(1.0, dtype)
    (expected,) = interpret(program, q, v, h, dtype=dtype)
    last = np.spacing(np.asarray(1.0, dtype))
    tolerance = 2.0 * last + last * np.abs(q + v).max(axis=1, keepdims=True)  # sums of angles are rounded elsewhere
    near, machines = with_near_angles(program), (host(), *narrower_machines())
    assert near != program
    with np.errstate(invalid="ignore"):
        for machine in machines:
            found = compiled_for(near, machine, dtype)(q, v, h)
            assert np.isnan(found[7:9, 6:]).all()
            np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
            assert not (np.abs(found - expected) > tolerance).any()


def test_right_to_the_last_place_of_one() -> None:
    """By mpmath, at angles and changes that are sums without rounding."""
    mpmath, program = pytest.importorskip("mpmath"), traced(two_stages)
    q = np.ldexp(np.round(np.ldexp(rng.uniform(-3.0, 3.0, (4000, 2)), 40)), -40)
    v = np.ldexp(np.round(np.ldexp(rng.uniform(-0.0883, 0.0883, (4000, 2)), 40)), -40)
    found = compiled_for(with_near_angles(program), host(), "d")(q, v, 1.0)
    with mpmath.workdps(30):
        for k, (function, of) in enumerate(
            [(mpmath.sin, [0]), (mpmath.cos, [0]), (mpmath.cos, [1]), (mpmath.sin, [0, 1])]
        ):
            angles = (q + v)[:, of].sum(axis=1)
            errors = [
                abs(mpmath.mpf(float(one)) - function(float(x))) for one, x in zip(found[:, 6 + k], angles, strict=True)
            ]
            assert max(errors) < 1.5 * np.spacing(1.0)


def test_a_state_does_not_depend_on_its_group() -> None:
    """Bit for bit: alone, and among others whose angles are near or not."""
    ufunc, (q, v) = compiled_for(with_near_angles(traced(two_stages)), host(), "d"), states(120)
    alone = np.stack([ufunc(*one, 1.0) for one in zip(q, v, strict=True)])
    np.testing.assert_array_equal(ufunc(q, v, 1.0), alone)


def test_polynomials() -> None:
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(40):
        for b in np.linspace(1e-3, float(LIMIT) ** 0.5, 200):
            x = mpmath.mpf(float(b))
            sin_b, less_one = (mpmath.fsum(c * x ** (2 * k) for k, c in enumerate(of)) for of in (SIN, COS))
            assert abs(x + x**3 * sin_b - mpmath.sin(x)) < 1e-19
            assert abs(x**2 * less_one - (mpmath.cos(x) - 1)) < 4e-18


def test_which_angles_are_near() -> None:
    """Sums of an angle of which both functions are known, and of products; those of a stage are decided together."""

    def kinds(function: Any) -> list[tuple[int, int]]:
        """Of the batches of library functions that may be left out, how many; and of all others."""
        plan = cut(with_near_angles(traced(function)))
        batches = [section for section in plan.sections if isinstance(section, Library)]
        return [(len(batch.nodes), len(batch.conditions)) for batch in batches]

    assert kinds(two_stages) == [(6, 0), (5, 1), (2, 1)]
    far_apart = [
        lambda q, v, h: [[np.sin(q[0]), np.cos(q[0]), np.sin(q[0] + v[0]), np.cos(q[0] + v[0])]],  # no product
        lambda q, v, h: [[np.sin(q[0]), np.sin(q[0] + h * v[0]), np.cos(q[0] + h * v[0])]],  # no cosine
        lambda q, v, h: [
            [np.sin(q[0]), np.cos(q[0]), np.sin(q[1] + h * v[0]), np.cos(q[1] + h * v[0])]
        ],  # another angle
        lambda q, v, h: [[np.sin(q[0]), np.cos(q[0]), np.sin(q[0] + h * v[0])]],  # one function alone
    ]
    for function in far_apart:
        program = traced(function)
        assert with_near_angles(program) is program


def test_three_of_four_stages_of_a_runge_kutta_step() -> None:
    """A pendulum's rollout: the compiled one is the interpreted one, slow and fast."""

    def step(q: Any, v: Any, h: Any) -> Any:
        def f(t: Any, q: Any, v: Any) -> Any:
            return -np.sin(q) - 0.1 * np.cos(q) * v, 0.0 * q

        return runge_kutta_4(f, f(0.0, q, v), 0.0, (q, v, 0.0 * q), h)[:2]

    program = trace(step, [Port("q", ()), Port("v", ()), Port("h", ())], ["q", "v"])
    always = [node for node in with_near_angles(program).nodes if node[0] == ALWAYS]
    assert len(always) == 2 * 3
    rollout = Rollout(program, carry=[("q", "q"), ("v", "v")])
    start = rng.uniform(-2.0, 2.0, 21), np.repeat([0.5, 30.0, 400.0], 7)
    q, v = (one.copy() for one in start)
    for _ in range(50):
        q, v = interpret(program, q, v, 1e-3)
    found = np.empty((2, 21))
    arrays = [*start, np.full(21, 1e-3)]
    kernel_of(rollout).for_arrays(arrays)(50.0, 1.0, *arrays, out=(found[0], found[1]))
    np.testing.assert_allclose(found[0], q, rtol=0, atol=1e-13)
    np.testing.assert_allclose(found[1], v, rtol=0, atol=1e-12)
