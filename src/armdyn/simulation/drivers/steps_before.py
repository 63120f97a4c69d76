"""The steps of one length that a motion has made under smooth forces: the past of a formula of several steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from armdyn.simulation.drivers.grid import ROUNDING
from armdyn.simulation.forces import Forces
from armdyn.simulation.over_time import Scheduled
from armdyn.spatial.rotations import Array


class StepsBefore:
    """Counts the steps since the last jump or corner of the forces, or the last step of another length."""

    def __init__(self, forces: Forces) -> None:
        several = [force for force in (forces.torque, forces.f_tip) if force is not None]
        corners = [force.times for force in several if isinstance(force, Scheduled) and not force.held]
        self._corners: Array = np.sort(np.concatenate([np.zeros(0), *corners]))
        self._corners_passed, self._length, self._count = 0, 0.0, 0
        self._held: tuple[Array | None, ...] = ()

    def count(self, t: float, h: Any, held: tuple[Array | None, ...]) -> int:
        """The steps before one of length h that begins at t, whose past they are; that one is counted from now on.

        Args:
            t: s.
            h: s.
            held: the forces that are held during the step; None of others.
        """
        passed = int(np.searchsorted(self._corners, t + ROUNDING * h, side="right"))
        other = abs(h - self._length) > ROUNDING * h
        if other or passed != self._corners_passed or any(map(_jumped, held, self._held)):
            self._count = 0
        self._corners_passed, self._length, self._held = passed, h, held
        self._count += 1
        return self._count - 1

    def forget(self) -> None:
        """Begin anew: the motion has changed otherwise."""
        self._count = 0


def _jumped(now: Array | None, before: Array | None) -> bool:
    """True if a force that is held during each step differs from the one before."""
    return now is not None and before is not None and not np.array_equal(now, before)
