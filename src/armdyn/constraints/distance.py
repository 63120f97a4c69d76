"""Two points that keep their distance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.errors import ModelError
from armdyn.constraints.fields import ORIGIN, distinct, vector
from armdyn.model.constraints import Constraint, Equations, Numbers, Row
from armdyn.spatial.rotations import rigid

if TYPE_CHECKING:
    from armdyn.constraints.state import State


@dataclass(frozen=True)
class Distance(Constraint):
    """Two points keep their distance: a massless rod with a ball at each end, one row, m.

    Args:
        frame: name of the frame of the first point.
        to: name of the frame of the second; the base by default.
        length: of the rod, m, above zero.
        point: the first point in the axes of ``frame``, m.
        to_point: the second in the axes of ``to``, m.
        name: of the constraint.

    The multiplier is the tension of the rod, N; negative if it is compressed.
    """

    frame: str
    to: str = ""
    length: float = math.nan
    point: ArrayLike = ORIGIN
    to_point: ArrayLike = ORIGIN
    name: str = ""

    def __post_init__(self) -> None:
        self._set(to=self.to or "", name=self.name or f"distance of {self.frame} from {self.to or 'base'}")
        if isinstance(self.length, float) and math.isnan(self.length):
            raise ModelError(f"constraint {self.name!r} has no length; give the rod's, length=..., m")
        distinct(self)
        length = vector([self.length], f"length of constraint {self.name!r}", 1)[0]
        if not length > 0.0:
            raise ModelError(f"length of constraint {self.name!r} is {length:g}; expected one above zero. See ball()")
        self._set(
            length=length,
            point=vector(self.point, f"point of constraint {self.name!r}"),
            to_point=vector(self.to_point, f"to_point of constraint {self.name!r}"),
        )

    @property
    def frames(self) -> tuple[str, ...]:
        """The frames it names."""
        return self.frame, self.to

    @property
    def places(self) -> tuple[tuple[str, Numbers], ...]:
        """Both points."""
        return (self.frame, tuple(self.point)), (self.to, tuple(self.to_point))  # type: ignore[arg-type]

    @property
    def rows(self) -> tuple[Row, ...]:
        """The distance minus the length of the rod."""
        return self.named(("", "m"))

    def equations_at(self, state: State) -> Equations:
        """|d| = L, with d from the one point to the other: A = d^T J / |d|."""
        A = state.moving(self.frame, rigid(p=np.array(self.point)))
        B = state.moving(self.to, rigid(p=np.array(self.to_point)))
        d, J, dd, ddd = A.p - B.p, A.J_v - B.J_v, A.v - B.v, A.a - B.a
        length = np.sqrt(d @ d)
        e = d / length
        stretching = e @ dd
        drift = e @ ddd + (dd @ dd - stretching * stretching) / length
        return Equations(np.array([length - self.length]), np.array([e @ J]), np.array([drift]))
