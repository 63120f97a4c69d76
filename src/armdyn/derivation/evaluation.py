"""Results of a derivation as NumPy functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import sympy

from armdyn.base.errors import ModelError, ShapeError
from armdyn.base.scalars import Scalar
from armdyn.derivation.printing import VECTORS
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.derivation.named_results import NamedResults


def numeric_function(
    derivation: NamedResults, name: str, values: Mapping[Scalar, float] | None
) -> Callable[..., Scalar]:
    """A function of q, qd, qdd, each shape (n,)."""
    expression = derivation[name]
    numbers = dict(derivation.values) | {sympy.Symbol(str(key)): value for key, value in (values or {}).items()}
    missing = sorted(str(symbol) for symbol in derivation.arm.parameters if symbol not in numbers)
    if missing:
        raise ModelError(f"no number for {', '.join(missing)}; give it in values")
    parameters = list(derivation.arm.parameters)
    motion = [derivation.q, derivation.qd, derivation.qdd]
    shape = getattr(expression, "shape", ())
    flat = [expression[index] for index in np.ndindex(*shape)] if shape else [expression]
    f = sympy.lambdify([*motion, parameters], flat, "numpy", cse=True, dummify=True)
    shape = shape[:1] if str(derivation.equation(name).symbol) in VECTORS else shape
    arguments = [numbers[symbol] for symbol in parameters]

    def evaluate(q: object, qd: object, qdd: object) -> Scalar:
        motion = [
            _vector(x, array, derivation.arm.dof) for x, array in zip(("q", "qd", "qdd"), (q, qd, qdd), strict=True)
        ]
        with np.errstate(divide="ignore", invalid="ignore"):
            result = np.array(f(*motion, arguments), dtype=float).reshape(shape)
        if not np.isfinite(result).all() and all(np.isfinite(x).all() for x in motion):
            raise ModelError(
                f"{name} of {derivation.arm.name!r} has no finite value at q = {motion[0].tolist()}: a denominator is "
                "zero there, as where a task is singular or constraints depend on each other"
            )
        return result

    return evaluate


def _vector(name: str, values: Scalar, n: int) -> Array:
    """A validated array of the motion, shape (n,)."""
    array = np.asarray(values)
    if array.shape != (n,):
        raise ShapeError(f"{name} has shape {array.shape}; expected {(n,)}, one state: a derivation takes no batches")
    return array
