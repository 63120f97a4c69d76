"""An iteration with a bounded number of steps inside a program; compiled code skips steps that no state needs.

A program has no loops: all steps of the iteration are part of it. A step after the end is an arm of a ``select`` that
is not taken, and nodes read only by such an arm are skipped if no state of a group takes it
(`armdyn.targets.llvm.conditional`): a group of states makes the steps that the slowest of them needs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from armdyn.base.errors import TraceError
from armdyn.base.scalars import Scalar
from armdyn.program.expr import Expr
from armdyn.program.functions import select


class Iterated(NamedTuple):
    """The result of an iteration.

    Args:
        value: the last value, an array of the shape of the first one.
        settled: 1 if the iteration converged within the bound, else 0.
        count: the number of steps taken.
    """

    value: Scalar
    settled: Scalar
    count: Scalar


def iterated(
    step: Callable[[Scalar], Scalar], first: Scalar, *, until: Callable[[Scalar, Scalar], Scalar], most: int
) -> Iterated:
    """The values x, step(x), step(step(x)), ... up to the first one at which ``until`` holds, or the bound.

    Each state has its own end: its result does not depend on the states it is computed with. Derivatives are those of
    the steps taken.

    Args:
        step: the function that returns the next value, with an unchanged shape.
        first: the initial value, a number or an array.
        until: the stopping condition, a function of a value and the one before it.
        most: the most steps; the operations of the program are those of all of them.

    Raises:
        TraceError: if the bound is below 1, or a step returns another shape.

    The root of x = cos(x), by Newton's method:

    >>> def newton(x):
    ...     return x + (np.cos(x) - x) / (1.0 + np.sin(x))
    >>> found = iterated(newton, 1.0, until=lambda x, before: abs(x - before) < 1e-12, most=8)
    >>> float(found.value), int(found.settled), int(found.count)
    (0.7390851332151607, 1, 5)
    """
    if not isinstance(most, int | np.integer) or isinstance(most, bool) or most < 1:
        raise TraceError(f"most is {most!r}: an iteration has a whole number of steps at most, from 1")
    value = _next(step, first)
    ended, count = _one(until(value, first)), 1.0
    for _ in range(1, most):
        if not isinstance(ended, Expr) and ended:  # a number, already while tracing
            break
        further = _next(step, value)
        now = _one(until(further, value))
        value, count = select(ended, value, further), count + select(ended, 0.0, 1.0)
        ended = select(ended, 1.0, now)
    return Iterated(value, ended, count)


def _next(step: Callable[[Scalar], Scalar], before: Scalar) -> Scalar:
    value = step(before)
    if np.shape(value) != np.shape(before):
        raise TraceError(
            f"a step of the iteration gives shape {np.shape(value)} of a value of shape {np.shape(before)}"
        )
    return value


def _one(condition: Scalar) -> Scalar:
    """The condition as 1 or 0, a single number."""
    if np.shape(condition) != ():
        raise TraceError(
            f"until gives shape {np.shape(condition)}, and has to be one condition for the whole value: "
            "of the largest change, say"
        )
    return select(condition, 1.0, 0.0)
