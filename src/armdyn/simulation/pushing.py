"""The equations of motion under forces that only push: accelerations at stops and contacts, and impacts.

With the rows a_i of the barriers that are touched, stacked as A, and qdd_0 the acceleration without their forces,

    qdd = qdd_0 + M^-1 A^T lambda,    lambda >= 0,  A qdd + Adot qd >= 0,  lambda . (A qdd + Adot qd) = 0

(the constraint of Modern Robotics 8.7 made one-sided). An impact is the same for impulses p and velocities,

    M qd+ = M qd- + A^T p,    p >= 0,  v+ + e v- >= 0,  p . (v+ + e v-) = 0,    v = A qd

(Newton's law of restitution). Constraints of the robot are kept by both: their reactions are taken out of A^T by the
projection P, M^-1 then being P M^-1. Both are least-squares problems with x >= 0, for W = A P M^-1 A^T = B^T B.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.constraints.arguments import Redundant
from armdyn.constraints.projection import DRIFTED
from armdyn.robot import Robot
from armdyn.simulation.equations import motion_of
from armdyn.simulation.stops import Barriers
from armdyn.spatial.rotations import Array

Forces = tuple[Array, ...]


class Rates(NamedTuple):
    """Accelerations, power of the forces, and the forces of all barriers, N or N m."""

    qdd: Array
    power: float
    push: Array


class Metric(NamedTuple):
    """M = L L^T, and B = P L^-1 A^T: W = B^T B, M^-1 A^T p = L^-T B p."""

    L: Array
    B: Array

    def change(self, p: Array) -> Array:
        """The change of acceleration or velocity by forces or impulses p."""
        change: Array = np.linalg.solve(self.L.T, self.B @ p)
        return change


class Pushing:
    """A robot between its barriers."""

    def __init__(self, robot: Robot, barriers: Barriers, redundant: Redundant) -> None:
        self.robot, self.barriers = robot, barriers
        self.motion = motion_of(robot, redundant)

    def metric(self, q: Array, touched: Array) -> Metric:
        """Of the barriers that are touched, true in ``touched``."""
        L = np.linalg.cholesky(self.robot.mass_matrix(q))
        B = np.linalg.solve(L, self.barriers.rows(q)[touched].T)
        if self.robot.model.constraints:
            C = np.linalg.solve(L, self.robot.constraint_jacobian(q).T)
            C = C / np.where(np.linalg.norm(C, axis=0) == 0, 1.0, np.linalg.norm(C, axis=0))
            B = B - C @ (np.linalg.pinv(C, rcond=DRIFTED) @ B)
        return Metric(L, B)

    def rates(self, q: Array, qd: Array, acting: Forces, held: Array) -> Rates:
        """With the barriers in ``held`` kept closed, whatever force that takes."""
        qdd, power = self.motion(q, qd, *acting)
        push = np.zeros(len(self.barriers))
        if held.any():
            metric = self.metric(q, held)
            approach = self._approach(q, qd, qdd, held)
            push[held] = np.linalg.lstsq(metric.B.T @ metric.B, -approach, rcond=None)[0]
            qdd = qdd + metric.change(push[held])
        return Rates(qdd, float(power), push)

    def held(self, q: Array, qd: Array, acting: Forces, touched: Array) -> Array:
        """Those of the barriers touched at no speed that push, so that they stay closed."""
        held = np.zeros(len(self.barriers), dtype=bool)
        if touched.any():
            qdd, _ = self.motion(q, qd, *acting)
            metric = self.metric(q, touched)
            held[touched] = _complementary(metric.B, self._approach(q, qd, qdd, touched)) > 0
        return held

    def after_impact(self, q: Array, qd: Array, touched: Array) -> tuple[Array, float]:
        """Velocities behind an impact on the barriers touched, and the kinetic energy it took, J."""
        metric = self.metric(q, touched)
        speed = self.barriers.rows(q)[touched] @ qd
        e = self.barriers.restitution[touched]
        e = np.where(-e * speed > self.barriers.resting_speed[touched], e, 0.0)
        p = _complementary(metric.B, (1.0 + e) * speed)
        after = qd + metric.change(p)
        kinetic = self.robot.kinetic_energy
        return after, float(kinetic(q, qd) - kinetic(q, after))

    def closed(self, q: Array, qd: Array, held: Array) -> tuple[Array, Array]:
        """The state with the held gaps and their speeds put to zero, by the least change in the metric of M."""
        metric = self.metric(q, held)
        q = q - metric.change(np.linalg.lstsq(metric.B.T @ metric.B, self.barriers.gaps(q)[held], rcond=None)[0])
        metric = self.metric(q, held)
        speed = self.barriers.rows(q)[held] @ qd
        return q, qd - metric.change(np.linalg.lstsq(metric.B.T @ metric.B, speed, rcond=None)[0])

    def _approach(self, q: Array, qd: Array, qdd: Array, touched: Array) -> Array:
        """A qdd + Adot qd."""
        approach: Array = self.barriers.rows(q)[touched] @ qdd + self.barriers.drift(q, qd)[touched]
        return approach


def _complementary(B: Array, b: Array) -> Array:
    """The x >= 0 with W x + b >= 0 and x . (W x + b) = 0, W = B^T B: that of the least |B x - d|, B^T d = -b."""
    from scipy.optimize import nnls  # noqa: PLC0415 - slow to import

    d = np.linalg.lstsq(B.T, -b, rcond=None)[0]
    x: Array = nnls(B, d)[0]
    return x
