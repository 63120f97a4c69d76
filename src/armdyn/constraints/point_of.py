"""The base of the constraints of a point of one frame to a shape in another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.scalars import Scalar
from armdyn.constraints.fields import distinct, vector
from armdyn.model.constraints import Constraint, Equations, Numbers
from armdyn.spatial.rotations import Array, rigid

if TYPE_CHECKING:
    from armdyn.constraints.state import Relative, State


class PointOf(Constraint):
    """A point of a frame, seen from another frame; its kinds are dataclasses with these fields among others."""

    frame: str
    point: ArrayLike
    of: str

    @property
    def frames(self) -> tuple[str, ...]:
        """The frames it names."""
        return self.frame, self.of

    @property
    def places(self) -> tuple[tuple[str, Numbers], ...]:
        """The point."""
        return ((self.frame, tuple(np.asarray(self.point).tolist())),)

    def _name_and_point(self, shape: str) -> None:
        name = self.name or f"{self.frame} on {shape}"
        self._set(name=name, of=self.of or "", point=vector(self.point, f"point of constraint {name!r}"))
        distinct(self)

    def _relative(self, state: State) -> Relative:
        """The point in the axes of the frame that carries the shape."""
        return state.relative(self.frame, rigid(p=np.array(self.point)), self.of, np.eye(4))


def at_rest_along(directions: Array, through: Scalar, seen: Relative) -> Equations:
    """n . (r - p_0) = 0 for each row n."""
    return Equations(directions @ (seen.r - np.array(through)), directions @ seen.J, directions @ seen.rdd)
