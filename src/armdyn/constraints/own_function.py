"""Constraints given by functions of the user: checks of the functions and of the arrays they return."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.base.errors import ModelError
from armdyn.base.scalars import Scalar
from armdyn.constraints.fields import check_function
from armdyn.model.constraints import Constraint
from armdyn.spatial.rotations import Array


@dataclass(frozen=True)
class OwnFunction(Constraint):
    """A function of (model, q), and the names of the equations whose values it returns."""

    function: Callable[[Scalar, Scalar], Scalar]
    equations: Scalar
    name: str = ""

    def __post_init__(self) -> None:
        function = self.function
        name = self.name or getattr(function, "__name__", "equations")
        check_function(function, "function", name, ("model", "q"))
        names = self.equations
        equations = (names,) if isinstance(names, str) or not isinstance(names, Iterable) else tuple(names)
        if not equations or not all(isinstance(equation, str) and equation for equation in equations):
            raise ModelError(f"equations of constraint {name!r} are {equations!r}; expected a name for each")
        self._set(name=name, equations=equations)

    def _values(self, model: Any, q: Array, *shapes: tuple[int, ...]) -> Array:
        """The values of the function, brought to the first of the shapes that it may have."""
        values = function_values(self, self.function(model, q), model.dof)
        if values.shape not in shapes:
            raise wrong_shape(self, values.shape, model.dof)
        return values.reshape(shapes[0])


def function_values(constraint: Constraint, values: object, n: int) -> Array:
    """The values that a function of the user returned, as an array of numbers."""
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.array(None)
    if any(x is None or isinstance(x, str | bytes | dict | set) for x in array.flat):
        raise ModelError(
            f"the function of constraint {constraint.name!r} returned {values!r}; expected numbers of shape "
            f"{_shape_in_words(constraint, n)}"
        )
    return array


def wrong_shape(constraint: Constraint, shape: Sequence[int], n: int) -> ModelError:
    """The error of a function that returned an array of another shape."""
    return ModelError(
        f"the function of constraint {constraint.name!r} returned shape {tuple(shape)}; expected "
        f"{_shape_in_words(constraint, n)}"
    )


def _shape_in_words(constraint: Constraint, n: int) -> str:
    k = len(constraint.rows)
    holonomic = constraint.rows[0].holonomic
    return f"({k},), a number for each equation" if holonomic else f"({k}, {n}), a row for each equation"
