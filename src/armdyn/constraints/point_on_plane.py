"""A point of a frame on a plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armdyn.constraints.fields import ORIGIN, direction, vector
from armdyn.constraints.point_of import PointOf, at_rest_along
from armdyn.model.constraints import Equations, Row

if TYPE_CHECKING:
    from armdyn.constraints.state import State


@dataclass(frozen=True)
class PointOnPlane(PointOf):
    """A point of a frame stays on a plane: n . (p - p_0) = 0, one row, m.

    Args:
        frame: name of the frame of the point.
        normal: n, of any length.
        through: p_0, a point of the plane, m.
        point: the point, in axes of the frame, m.
        of: name of the frame that carries the plane, in whose axes ``normal`` and ``through`` are; the base's by
            default.
        name: of the constraint.

    The multiplier is the force of the point on the plane along n, N.

    >>> armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0)).rows
    (Row(name='tip on plane', unit='m', holonomic=True),)
    """

    frame: str
    normal: ArrayLike
    through: ArrayLike = ORIGIN
    point: ArrayLike = ORIGIN
    of: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        self._name_and_point("plane")
        self._set(
            normal=direction(self.normal, f"normal of constraint {self.name!r}"),
            through=vector(self.through, f"through of constraint {self.name!r}"),
        )

    @property
    def rows(self) -> tuple[Row, ...]:
        """The distance from the plane."""
        return self.named(("", "m"))

    def equations_at(self, state: State) -> Equations:
        """n . (r - p_0) = 0."""
        return at_rest_along(np.array([self.normal]), self.through, self._relative(state))
