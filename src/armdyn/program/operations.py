"""The operations a program is made of: name, number of arguments, meaning on NumPy arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from armdyn.base.exact import Exact
from armdyn.base.scalars import Scalar


def _select(condition: Scalar, if_true: Scalar, if_false: Scalar) -> Scalar:
    return np.where(condition != 0, if_true, if_false)


def _less(a: Scalar, b: Scalar) -> Scalar:
    return _as_number(np.less(a, b), a, b)


def _less_equal(a: Scalar, b: Scalar) -> Scalar:
    return _as_number(np.less_equal(a, b), a, b)


def _as_number(holds: Scalar, a: Scalar, b: Scalar) -> Scalar:
    """1 or 0 of the type of the numbers that were compared, which may be `Exact`."""
    return np.asarray(holds).astype(np.result_type(np.asarray(a), np.asarray(b)))[()]


def _guard(value: Scalar, unused: Scalar) -> Scalar:
    return value + 0.0 * unused


@dataclass(frozen=True)
class Operation:
    """One kind of instruction.

    ``evaluate`` returns its value on floats and NumPy arrays. ``cost`` is the column of
    `OperationCounts` it is counted in; None for a negation, which hardware folds into its user, and for
    a guard, which is not part of the function: it is the value, but NaN if an input the value does not depend
    on is NaN or infinite. ``exact`` is its value on constants if float64 arithmetic alone does not determine it.
    """

    name: str
    arity: int
    evaluate: Callable[..., Scalar]
    cost: str | None
    exact: Callable[..., Exact] | None = None

    def of_constants(self, *values: float) -> float:
        """Its value on constants of a program, identical on every platform."""
        if self.exact is not None and all(map(math.isfinite, values)):
            return float(self.exact(*map(Exact, values)))
        return float(self.evaluate(*map(float, values)))


_TABLE = (
    Operation("add", 2, np.add, "additions"),
    Operation("sub", 2, np.subtract, "additions"),
    Operation("mul", 2, np.multiply, "multiplications"),
    Operation("div", 2, np.divide, "divisions"),
    Operation("neg", 1, np.negative, None),
    Operation("sin", 1, np.sin, "trigonometric", Exact.sin),
    Operation("cos", 1, np.cos, "trigonometric", Exact.cos),
    Operation("tan", 1, np.tan, "trigonometric", Exact.tan),
    Operation("asin", 1, np.arcsin, "trigonometric", Exact.arcsin),
    Operation("acos", 1, np.arccos, "trigonometric", Exact.arccos),
    Operation("atan", 1, np.arctan, "trigonometric", Exact.arctan),
    Operation("atan2", 2, np.arctan2, "trigonometric", Exact.arctan2),
    Operation("sqrt", 1, np.sqrt, "square_roots"),
    Operation("exp", 1, np.exp, "other", Exact.exp),
    Operation("log", 1, np.log, "other", Exact.log),
    Operation("tanh", 1, np.tanh, "other", Exact.tanh),
    Operation("pow", 2, np.power, "other", Exact.__pow__),
    Operation("abs", 1, np.abs, "other"),
    Operation("sign", 1, np.sign, "other"),
    Operation("floor", 1, np.floor, "other"),
    Operation("min", 2, np.minimum, "other"),
    Operation("max", 2, np.maximum, "other"),
    Operation("less", 2, _less, "other"),
    Operation("less_equal", 2, _less_equal, "other"),
    Operation("select", 3, _select, "other"),
    Operation("guard", 2, _guard, None),
)

OPERATIONS: Mapping[str, Operation] = {operation.name: operation for operation in _TABLE}
