"""The operations a program is made of: name, number of arguments, meaning on NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


def _select(condition: Any, if_true: Any, if_false: Any) -> Any:
    return np.where(condition != 0, if_true, if_false)


def _less(a: Any, b: Any) -> Any:
    return np.less(a, b).astype(np.result_type(a, b))


def _less_equal(a: Any, b: Any) -> Any:
    return np.less_equal(a, b).astype(np.result_type(a, b))


def _guard(value: Any, unused: Any) -> Any:
    return value + 0.0 * unused


@dataclass(frozen=True)
class Operation:
    """One kind of instruction.

    ``evaluate`` gives its value on floats and NumPy arrays. ``cost`` is the column of
    `OperationCounts` it is counted in; None for a negation, which hardware folds into its user, and for
    a guard, which is no part of the function: it passes on a value, but NaN where an input the value does not depend
    on is NaN or infinite.
    """

    name: str
    arity: int
    evaluate: Callable[..., Any]
    cost: str | None


_TABLE = (
    Operation("add", 2, np.add, "additions"),
    Operation("sub", 2, np.subtract, "additions"),
    Operation("mul", 2, np.multiply, "multiplications"),
    Operation("div", 2, np.divide, "divisions"),
    Operation("neg", 1, np.negative, None),
    Operation("sin", 1, np.sin, "trigonometric"),
    Operation("cos", 1, np.cos, "trigonometric"),
    Operation("tan", 1, np.tan, "trigonometric"),
    Operation("asin", 1, np.arcsin, "trigonometric"),
    Operation("acos", 1, np.arccos, "trigonometric"),
    Operation("atan", 1, np.arctan, "trigonometric"),
    Operation("atan2", 2, np.arctan2, "trigonometric"),
    Operation("sqrt", 1, np.sqrt, "square_roots"),
    Operation("exp", 1, np.exp, "other"),
    Operation("log", 1, np.log, "other"),
    Operation("tanh", 1, np.tanh, "other"),
    Operation("pow", 2, np.power, "other"),
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
