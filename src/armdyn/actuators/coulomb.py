"""Coulomb's dry friction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from armdyn.actuators.law import Law
from armdyn.program import sign


@dataclass(frozen=True)
class Coulomb(Law):
    """Dry friction c sign(qd): of one size whatever the speed (Modern Robotics fig. 8.15 b).

    Args:
        size: c, N m, or N of a slide.

    >>> float(armdyn.actuators.Coulomb(2.0).force(-3.0, 0.0))
    -2.0
    """

    size: float

    def __post_init__(self) -> None:
        self._not_below_zero(size="N m or N")

    def force(self, rate: Any, load: Any) -> Any:
        """c sign(qd)."""
        return self.size * sign(rate)

    def breakaway(self, load: Any) -> Any:
        """c."""
        return self.size
