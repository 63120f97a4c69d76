"""A point of a frame on a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from armdyn.constraints.fields import ORIGIN, axes_along, direction, vector
from armdyn.constraints.point_of import PointOf, at_rest_along
from armdyn.model.constraints import Equations, Row

if TYPE_CHECKING:
    from armdyn.constraints.state import State


@dataclass(frozen=True)
class PointOnLine(PointOf):
    """A point of a frame stays on a line, two rows, m: its distances along two directions across the line.

    Args:
        frame: name of the frame of the point.
        direction: of the line, of any length.
        through: a point of the line, m.
        point: of the frame, m, in its axes.
        of: name of the frame that carries the line, in whose axes it is described; the base by default.
        name: of the constraint.
    """

    frame: str
    direction: ArrayLike
    through: ArrayLike = ORIGIN
    point: ArrayLike = ORIGIN
    of: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        self._name_and_point("line")
        self._set(
            direction=direction(self.direction, f"direction of constraint {self.name!r}"),
            through=vector(self.through, f"through of constraint {self.name!r}"),
        )

    @property
    def rows(self) -> tuple[Row, ...]:
        """Two distances across the line."""
        return self.named(("across 1", "m"), ("across 2", "m"))

    def equations_at(self, state: State) -> Equations:
        """n . (r - p_0) = 0 for two directions n across the line."""
        across = axes_along(self.direction)[:, :2].T  # type: ignore[arg-type]
        return at_rest_along(across, self.through, self._relative(state))
