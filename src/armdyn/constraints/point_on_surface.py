"""A point of a frame on a surface, or the intersection curve of surfaces, given by functions of its coordinates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.errors import ModelError
from armdyn.base.scalars import Scalar
from armdyn.constraints.fields import ORIGIN, check_function
from armdyn.constraints.own_function import wrong_shape
from armdyn.constraints.point_of import PointOf
from armdyn.model.constraints import Equations, Row
from armdyn.program import derivative, rate
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.constraints.state import State


@dataclass(frozen=True)
class PointOnSurface(PointOf):
    """A point of a frame stays at zeros of functions of its coordinates: a surface, or the intersection of two.

    Args:
        frame: name of the frame of the point.
        function: of (x, y, z) as an array, shape (3,), that returns one number or an array of up to three: arithmetic
            and NumPy's functions, which are traced and differentiated exactly.
        size: the number of values that it returns.
        point: of the frame, m, in its axes.
        of: name of the frame in whose coordinates the function is; the base by default.
        name: of the constraint.

    The values may have any unit. For comparison with a tolerance, each is divided by the length of its gradient by q,
    |A_i|, so that the tolerance is a motion of the joints, rad or m: ten times the function is the same surface. If the
    gradient vanishes there is no such measure, and the value itself is compared.

    >>> sphere = armdyn.constraints.PointOnSurface("tip", lambda p: p @ p - 1.0)
    >>> len(sphere.rows)
    1
    """

    frame: str
    function: Callable[[Scalar], Scalar]
    size: int = 1
    point: ArrayLike = ORIGIN
    of: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        self._name_and_point("surface")
        check_function(self.function, "function", self.name, ("p",))
        if self.size not in (1, 2, 3):
            raise ModelError(f"size of constraint {self.name!r} is {self.size!r}; expected 1, 2 or 3 equations")

    @property
    def rows(self) -> tuple[Row, ...]:
        """The values of the function."""
        return self.named(*((f"function {k + 1}" if self.size > 1 else "", "") for k in range(self.size)))

    def equations_at(self, state: State) -> Equations:
        """F(r) = 0, with A = F'(r) J and Adot qd = F'(r) rdd + (dF'/dt) rd."""
        seen = self._relative(state)

        def F(r: Array) -> Array:
            values = np.asarray(self.function(r))
            if values.shape not in ((self.size,), () if self.size == 1 else (self.size,)):
                raise wrong_shape(self, values.shape, state.mechanism.dof)
            return values.reshape(self.size)

        phi, dF = F(seen.r), derivative(F, seen.r)
        dF_rd = rate(lambda x: derivative(F, x) @ seen.rd, seen.r, seen.rd)  # with rd held
        return Equations(phi, dF @ seen.J, dF @ seen.rdd + dF_rd)
