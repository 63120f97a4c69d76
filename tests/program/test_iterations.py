"""An iteration with a bound: Python's loop with a break, of every state, compiled, repeated and differentiated."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.algorithms import forward_dynamics
from armdyn.base.errors import TraceError
from armdyn.functions import CompiledRollout
from armdyn.program import Port, interpret, iterated, trace
from armdyn.targets.llvm.machine import host
from program.test_conditional import conditional, long_way
from program.test_llvm import compiled_for

RNG = np.random.default_rng(31)
MOST = 9
Next = namedtuple("Next", ["q", "qd", "count", "settled"])


def cube_root(x: Any) -> Any:
    """Newton's method for y^3 = a, of a value (y, a), at a cost that is worth a jump."""
    y, a = x
    return np.array([y - (y * y * y - a) / (3.0 * y * y) + 1e-300 * long_way(y), a])


def near(x: Any, before: Any) -> Any:
    return abs(x[0] - before[0]) < 1e-9


def by_a_loop(first: np.ndarray) -> tuple[float, float, float]:
    x = first
    for count in range(1, MOST + 1):
        x, before = cube_root(x), x
        if near(x, before):
            return x[0], 1.0, float(count)
    return x[0], 0.0, float(MOST)


def program() -> Any:
    def root(x: Any) -> Any:
        found = iterated(cube_root, x, until=near, most=MOST)
        return found.value[0], found.settled, found.count

    return trace(root, [Port("x", (2,))], ["root", "settled", "count"])


def test_is_the_loop_with_a_break() -> None:
    """Near and far states side by side: each has its own end, some none within the bound."""
    made = program()
    states = np.column_stack([10.0 ** RNG.uniform(-2, 2, 100), RNG.uniform(0.5, 3.0, 100)])
    expected = np.array([by_a_loop(one) for one in states])
    assert {0.0, 1.0} == set(expected[:, 1])
    assert len(set(expected[:, 2])) > 4
    for found in (interpret(made, states), compiled_for(made, host(), "d")(states)):
        np.testing.assert_allclose(np.column_stack(found), expected, rtol=1e-14)
    assert len(conditional(made)) == MOST - 1


def test_numbers_end_at_once() -> None:
    """Of numbers no step is taken behind the end."""
    seen: list[float] = []

    def halved(x: float) -> float:
        seen.append(x)
        return 0.5 * x

    assert tuple(map(float, iterated(halved, 8.0, until=lambda x, before: x < 1.5, most=100))) == (1.0, 1.0, 3.0)
    assert seen == [8.0, 4.0, 2.0]


def test_derivatives_are_those_of_the_steps() -> None:
    """Of x^(1/3), a settled iteration's to rounding."""

    @armdyn.function("()->()")
    def root(model: Any, a: Any) -> Any:
        return iterated(cube_root, np.array([a, a]), until=near, most=MOST).value[0]

    a = RNG.uniform(0.5, 3.0, 40)
    slope = armdyn.load("planar_2r").compile(root).derivative("a")(a)
    np.testing.assert_allclose(slope, a ** (-2 / 3) / 3, rtol=1e-12)


def test_an_implicit_step_in_a_rollout() -> None:
    """The implicit midpoint rule, whose equations hold at every step, and how many iterations each took."""
    robot, h = armdyn.load("planar_2r"), 2e-3

    @armdyn.function("(n),(n)->(n),(n),(),()", result=Next)
    def midpoint(model: Any, q: Any, qd: Any) -> Any:
        def improved(change: Any) -> Any:
            middle = qd + 0.5 * change
            return h * forward_dynamics(model, q + 0.5 * h * middle, middle, 0.0 * q)

        found = iterated(improved, 0.0 * q, until=lambda a, b: (a - b) @ (a - b) < 1e-28, most=20)
        return Next(q + h * (qd + 0.5 * found.value), qd + found.value, found.count, found.settled)

    falls = CompiledRollout(robot, midpoint, record=["q", "qd", "count", "settled"])
    q, qd = RNG.uniform(-1, 1, (5, 2)), RNG.uniform(-1, 1, (5, 2))
    rows = falls(q, qd, steps=200).rows
    assert rows.settled.all()
    assert 2 < rows.count.min() <= rows.count.max() < 12
    (qa, va), (qb, vb) = ((rows.q[k], rows.qd[k]) for k in (slice(None, -1), slice(1, None)))
    qdd = robot.forward_dynamics((qa + qb) / 2, (va + vb) / 2, np.zeros(2))
    np.testing.assert_allclose(vb - va, h * qdd, atol=1e-13)
    np.testing.assert_allclose(qb - qa, h * (va + vb) / 2, atol=1e-15)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"most": 0}, "most is 0"),
        ({"most": 2.5}, "most is 2.5"),
        ({"step": lambda x: x[:1]}, r"gives shape \(1,\) of a value of shape \(2,\)"),
        ({"until": lambda a, b: abs(a - b) < 1.0}, "one condition"),
    ],
)
def test_complaints(change: dict[str, Any], named: str) -> None:
    given = {"step": lambda x: 0.5 * x, "until": near, "most": 3} | change
    with pytest.raises(TraceError, match=named):
        iterated(given.pop("step"), np.ones(2), **given)
