"""Forward dynamics and Euler's method: by the recursion, or in long runs by code compiled for the arm.

In the recursion, one call computes the joint forces of the state without acceleration and of a unit acceleration of
each joint; M is solved for the accelerations. This accepts any lists. For many steps, and if the lists define an
`armdyn.Robot`, the whole Euler step is compiled for that arm.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from armdyn.modern_robotics import recursion
from armdyn.modern_robotics.kernels import compile_kernel
from armdyn.modern_robotics.own_code import Lists, OwnStep, own_step
from armdyn.spatial.rotations import Array

LONG = 5000
"""Least number of steps for which compilation for one arm, a tenth of a second, is faster."""


class ArmStepper:
    """The motion of one arm under one gravity.

    Args:
        n: number of joints.
        g: acceleration of free fall, shape (3,).
        arm: Mlist, Glist, Slist.
        expected: expected number of steps.
    """

    def __init__(self, n: int, g: Array, arm: Lists, expected: int = 1) -> None:
        self._torques, self._arm = compile_kernel(recursion.inverse_dynamics, n), arm
        self._qd, self._g, self._f_tip = np.zeros((n + 1, n)), np.zeros((n + 1, 3)), np.zeros((n + 1, 6))
        self._g[0] = g
        self._qdd = _no_and_unit_accelerations(n)
        self._own: OwnStep | None = own_step(arm) if expected >= LONG else None

    def accelerations(self, q: Array, qd: Array, tau: Array, f_tip: Array) -> Array:
        """The qdd that solve M(q) qdd = tau - c - g - J^T f_tip."""
        self._qd[0], self._f_tip[0] = qd, f_tip
        torques = self._torques(q, self._qd, self._qdd, self._g, self._f_tip, *self._arm)
        qdd: Array = np.linalg.solve(torques[1:].T, tau - torques[0])
        return qdd

    def advance(self, q: Array, qd: Array, tau: Array, f_tip: Array, h: float, steps: int) -> tuple[Array, Array]:
        """Joint positions and velocities after ``steps`` Euler steps of length h with tau and f_tip held."""
        if self._own is not None:
            later = self._own.advance(q, qd, tau, f_tip, self._g[0], h, steps)
            if math.isfinite(later[1].sum()):
                return later
            self._own = None  # M may be singular here: the solver raises
        for _ in range(steps):
            qdd = self.accelerations(q, qd, tau, f_tip)
            q, qd = q + h * qd, qd + h * qdd
        return q, qd


@cache
def _no_and_unit_accelerations(n: int) -> Array:
    return np.vstack([np.zeros(n), np.eye(n)])
