"""Results of a derivation as NumPy functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from armdyn.errors import ModelError

if TYPE_CHECKING:
    from armdyn.derivation.derivation import Derivation


def evaluated(derivation: Derivation, name: str, values: Mapping[Any, float] | None) -> Callable[..., Any]:
    """A function of q, qd, qdd, each shape (n,)."""
    expression = derivation[name]
    numbers = dict(derivation.values) | {sympy.Symbol(str(key)): value for key, value in (values or {}).items()}
    missing = sorted(str(symbol) for symbol in derivation.arm.parameters if symbol not in numbers)
    if missing:
        raise ModelError(f"no number for {', '.join(missing)}; give it in values")
    parameters = list(derivation.arm.parameters)
    motion = [derivation.q, derivation.qd, derivation.qdd]
    flat = [expression[index] for index in np.ndindex(*expression.shape)]
    f = sympy.lambdify([*motion, parameters], flat, "numpy", cse=True)
    shape = expression.shape if name in ("christoffel",) or expression.shape[1:] != (1,) else expression.shape[:1]
    given = [numbers[symbol] for symbol in parameters]
    return lambda q, qd, qdd: np.array(f(q, qd, qdd, given), dtype=float).reshape(shape)
