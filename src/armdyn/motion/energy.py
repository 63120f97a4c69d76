"""The energy account of a motion: kinetic and potential energy, and the work of joints and surroundings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class EnergyAccount:
    """Energies along a motion, J, each of shape (T, ...); derived quantities are NaN after a motion diverged.

    Args:
        kinetic: K(q, qd).
        potential: P(q), in the field of gravity.
        work: done on the arm since t = 0 by the joint torques, less the energy dissipated by friction and the work of
            the tip on its surroundings: the integral of (tau - friction) . qd - f_tip . V_tip.
    """

    kinetic: Array
    potential: Array
    work: Array

    @property
    @np.errstate(all="ignore")
    def total(self) -> Array:
        """Kinetic and potential energy K + P, J, shape (T, ...)."""
        return self.kinetic + self.potential

    @property
    @np.errstate(all="ignore")
    def drift(self) -> Array:
        """Drift of K + P - W from its value at the first time, J, shape (T, ...).

        The error of the integration.
        """
        drift: Array = self.total - self.total[0] - (self.work - self.work[0])
        return drift

    @property
    @np.errstate(all="ignore")
    def scale(self) -> Array:
        """The energy that changed hands, J, shape (...): the most that K, or the changes of P and W reach."""
        parts = (self.kinetic, self.potential - self.potential[0], self.work - self.work[0])
        return np.asarray(np.abs(parts).max(axis=(0, 1)))

    @property
    @np.errstate(all="ignore")
    def relative_drift(self) -> Array:
        """The drift over the `scale`, a pure number, shape (T, ...); zero if nothing moves."""
        return self.drift / np.where(self.scale == 0, 1.0, self.scale)
