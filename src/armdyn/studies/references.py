"""The reference of a controller of a scenario: states over time."""

from __future__ import annotations

import numpy as np

from armdyn.logs.joint_tables import ReferenceMotion
from armdyn.motion.interpolation import Interval, quintic
from armdyn.spatial.rotations import Array


class Reference:
    """States over time: quintic polynomials between rows, at rest before the first and after the last.

    Args:
        motion: rows with times.
    """

    def __init__(self, motion: ReferenceMotion) -> None:
        self.t, *self._kept = motion

    @property
    def lasts(self) -> float:
        """The time of the last row, s."""
        return float(self.t[-1])

    def at(self, t: float) -> tuple[Array, Array, Array]:
        """q, qd and qdd, rad or m and their rates, each of shape (n,)."""
        within = np.clip([t], self.t[0], self.t[-1])
        q, qd, qdd = (x[0] for x in quintic(Interval(self.t, within), *self._kept))
        moves = float(self.t[0] <= t <= self.t[-1])
        return q, moves * qd, moves * qdd
