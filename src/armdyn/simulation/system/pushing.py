"""The equations of motion with unilateral constraints (stops, contacts) and dry friction at rest, as a boxed LCP.

With the rows a_i of the barriers that are touched and of the joints at rest that can stick, stacked as A, and qdd_0 the
acceleration without their forces p,

    qdd = qdd_0 + M^-1 A^T p,    low <= p <= high,

    (A qdd + Adot qd)_i = 0 if low_i < p_i < high_i,  <= 0 if p_i = high_i,  >= 0 if p_i = low_i.

A barrier has 0 <= p (the constraint of Modern Robotics 8.7 made one-sided), dry friction at rest has bounds on either
side (8.9.4). An impact is the complementarity problem of the impulses p of barriers and velocities,

    M qd+ = M qd- + A^T p,    p >= 0,  v+ + e v- >= 0,  p . (v+ + e v-) = 0,    v = A qd

(Newton's law of restitution). Constraints of the robot are kept by both: their reactions are taken out of A^T by the
projection P, M^-1 then being P M^-1. Both are least-squares problems with bounds, for W = A P M^-1 A^T = B^T B.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from armdyn.base.advice import option
from armdyn.constraints.arguments import Redundant
from armdyn.constraints.projection import DRIFTED
from armdyn.constraints.row_sizes import unit_rows
from armdyn.robot import Robot
from armdyn.simulation.elements.dry_joints import DryJoints
from armdyn.simulation.elements.stops import Barriers
from armdyn.simulation.equations import rubbing_motion_of, sliding_motion_of
from armdyn.simulation.system.bounded import Holding, least_squares, sizes_of
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array

Forces = tuple[Array, ...]

MOVES = 1e-10
"""An acceleration is zero if it is below this fraction of the one without the bounded forces."""

ROUNDING, HALVINGS = 1e-12, 60
"""Relative gain of kinetic energy that an impact may have; halvings to find the rebound without a gain."""

LARGEST = 1e150
"""rad/s^2 or m/s^2: a motion with larger accelerations has diverged; their squares are finite."""


class Mode(NamedTuple):
    """The contact mode of all rows.

    Args:
        held: true for barriers that are held closed and, after them, for the dry joints that stick.
        slip: 1 or -1 for the dry joints that slip forwards or backwards, else 0.
    """

    held: Array
    slip: Array


class Rates(NamedTuple):
    """Accelerations, power of the forces, the forces of all barriers, N or N m, and the friction, N m or N, (n,)."""

    qdd: Array
    power: float
    push: Array
    friction: Array


class Bounds(NamedTuple):
    """The least and the largest force of every row, N or N m: at rest, and when a joint begins to slip."""

    low: Array
    high: Array
    low_sliding: Array
    high_sliding: Array


class Metric(NamedTuple):
    """M = L L^T, and B = P L^-1 A^T: W = B^T B, M^-1 A^T p = L^-T B p; P = 1 - Q of the constraints."""

    L: Array
    B: Array
    Q: Array | None

    @classmethod
    def of(cls, M: Array, rows: Array, A: Array | None = None) -> Metric:
        """The metric of a mass matrix and rows, within the constraints whose Jacobian is A."""
        L = np.linalg.cholesky(M)
        B = np.linalg.solve(L, rows.T)
        if A is None:
            return cls(L, B, None)
        C, _ = unit_rows(A, M)
        Q = C @ np.linalg.pinv(C, rcond=DRIFTED)
        free = B - Q @ B
        nothing = np.linalg.norm(free, axis=0) < DRIFTED * np.linalg.norm(B, axis=0)  # a joint at a dead point
        return cls(L, np.where(nothing, 0.0, free), Q)

    def change(self, p: Array) -> Array:
        """The change of acceleration or velocity by forces or impulses p."""
        change: Array = np.linalg.solve(self.L.T, self.B @ p)
        return change

    def within_constraints(self, qd: Array) -> Array:
        """The velocities without the part that leaves the constraints."""
        if self.Q is None:
            return qd
        within: Array = qd - np.linalg.solve(self.L.T, self.Q @ (self.L.T @ qd))
        return within


class Pushing:
    """A robot between its barriers, with joints that can stick. Rows are those of the barriers, then of the joints."""

    touches: Array = np.zeros(0)
    """1 and -1 for joints whose rotor and link touch at an end of their backlash gap; the motion keeps it."""

    def __init__(self, robot: Robot, barriers: Barriers, dry: DryJoints, redundant: Redundant) -> None:
        self.robot, self.barriers, self.dry, self.redundant = robot, barriers, dry, redundant
        self._motion, self._sliding = rubbing_motion_of(robot, redundant), sliding_motion_of(robot, redundant)
        self.dof = robot.dof
        self.is_joint = np.arange(len(barriers) + len(dry)) >= len(barriers)
        none, infinite = np.zeros(len(barriers)), np.full(len(barriers), np.inf)
        low, low_sliding = (np.concatenate([none, -most]) for most in (dry.most, dry.most_sliding))
        high, high_sliding = (np.concatenate([infinite, -least]) for least in (dry.least, dry.least_sliding))
        self.bounds = Bounds(low, high, low_sliding, high_sliding)

    def of(self, robot: Robot) -> Pushing:
        """The equations of a robot whose brakes are others, between the same barriers."""
        return type(self)(robot, self.barriers, DryJoints.of(robot), self.redundant)

    def rows(self, q: Array) -> Array:
        """a(q) of all barriers and joints that can stick, shape (rows, n)."""
        if not len(self.barriers):
            return self.dry.rows
        return np.vstack([self.barriers.rows(q), self.dry.rows])

    def mass_matrix(self, q: Array) -> Array:
        """M(q), shape (n, n)."""
        M: Array = self.robot.mass_matrix(q)
        return M

    def constraint_rows(self, q: Array) -> Array:
        """A(q) of the robot's constraints, shape (constraints, n)."""
        A: Array = self.robot.constraint_jacobian(q)
        return A

    def kinetic_energy(self, q: Array, qd: Array) -> float:
        """J."""
        return float(self.robot.kinetic_energy(q, qd))

    def metric(self, q: Array, active: Array, M: Array | None = None) -> Metric:
        """The metric of the rows that are true in ``active``, with the inertia M if one is given."""
        A = self.constraint_rows(q) if self.robot.model.constraints else None
        return Metric.of(self.mass_matrix(q) if M is None else M, self.rows(q)[active], A)

    def rates(self, q: Array, qd: Array, acting: Forces, mode: Mode, *, shared: bool = False) -> Rates:
        """Rates with the rows held by the mode kept at rest, whatever force that takes.

        Args:
            q: joint positions.
            qd: joint velocities.
            acting: the forces.
            mode: held rows, and directions of slip.
            shared: if the motion does not determine the forces of held rows, take some within their bounds.
        """
        qdd, power, friction = self._without_held(q, qd, acting, mode.slip)
        held, p = mode.held, np.zeros(len(self.is_joint))
        if held.any():
            metric, approach = self.metric(q, held), self._approach(q, qd, qdd, held)
            if shared:
                p[held] = Holding(metric.B, approach, self.bounds.low[held], self.bounds.high[held]).within_bounds()
            else:
                p[held] = Holding.of(metric.B, approach).forces
            qdd = qdd + metric.change(p[held])
            stuck = p[self.is_joint]
            friction = friction - self.dry.rows.T @ stuck
            qdd[self.dry.coordinates(held[self.is_joint])] = 0.0
        return Rates(qdd, float(power), p[~self.is_joint], friction)

    def holding(self, q: Array, qd: Array, acting: Forces, mode: Mode) -> Holding:
        """The forces of the rows that the mode holds, with their bounds."""
        qdd, _, _ = self._without_held(q, qd, acting, mode.slip)
        held, bounds = mode.held, self.bounds
        return Holding(self.metric(q, held).B, self._approach(q, qd, qdd, held), bounds.low[held], bounds.high[held])

    def decided(self, q: Array, qd: Array, acting: Forces, resting: Array, slip: Array) -> Mode:
        """The rows at rest that are held, and the directions in which joints slip.

        A joint that rests sticks if static friction can hold it. Those that it cannot hold have kinetic friction
        from then on, which may release others: each turn of the loop is for one more joint at least. With kinetic
        friction for all, the boxed LCP has one solution, which determines the sticking and slipping joints.

        Args:
            q: joint positions.
            qd: joint velocities.
            acting: the forces.
            resting: true for the barriers touched at zero speed, and for the joints at rest.
            slip: directions of the other joints.
        """
        held, slip = np.zeros(len(self.is_joint), dtype=bool), np.where(resting[self.is_joint], 0, slip)
        if not resting.any():
            return Mode(held, slip)
        qdd, _, _ = self._without_held(q, qd, acting, slip)
        refuse_lost(self.robot, qdd)
        metric, approach = self.metric(q, resting), self._approach(q, qd, qdd, resting)
        B = metric.B
        bounds = Bounds(*(bound[resting] for bound in self.bounds))
        low, high, joints = bounds.low, bounds.high, self.is_joint[resting]
        kinetic = np.zeros(len(joints), dtype=bool)
        size, dead = sizes_of(B, approach), joints & ~B.any(axis=0)
        if dead.any():
            size[dead] = (np.abs(self.rows(q)[resting]) @ self._of_forces_alone(q, qd, acting))[dead]
        while True:
            p = least_squares(B, approach, low, high)
            after = B.T @ (B @ p) + approach
            moves = joints & (np.abs(after) > MOVES * size)
            if not (moves & ~kinetic).any():
                break
            kinetic |= moves
            low = np.where(kinetic, bounds.low_sliding, low)
            high = np.where(kinetic, bounds.high_sliding, high)
        ways = np.where(moves, np.sign(after), 0).astype(int)
        ways += self._from_dead_points(q, qd, acting, qdd + metric.change(p), resting, dead & ~moves)
        held[resting] = np.where(joints, ways == 0, p > 0)
        directions = np.zeros(len(held), dtype=int)
        directions[resting] = ways
        return Mode(held, slip + directions[self.is_joint])

    def _from_dead_points(self, q: Array, qd: Array, acting: Forces, qdd: Array, resting: Array, dead: Array) -> Array:
        """The directions in which constraints will move joints that have neither speed nor acceleration; else 0.

        If the row a of a joint is c^T A, constraints alone determine its motion. If the whole arm starts from rest,
        A qdd = 0, and A qdd + Adot qd = 0 differentiated twice is A q(4) + 3 Adot(qdd) qdd = 0, q(4) being d4q/dt4.

        Args:
            q: joint positions.
            qd: joint velocities.
            acting: the forces.
            qdd: accelerations, some of which are zero to rounding.
            resting: true for the rows at rest.
            dead: true for those of them that are joints at a dead point without acceleration.
        """
        ways = np.zeros(len(dead), dtype=int)
        if not dead.any() or qd.any() or (np.abs(qdd) <= MOVES * self._of_forces_alone(q, qd, acting)).all():
            return ways
        c = np.linalg.lstsq(self.constraint_rows(q).T, self.rows(q)[resting][dead].T, rcond=DRIFTED)[0]
        bends = np.asarray(self.robot.constraint_drift(q, qdd))
        fourth = -3.0 * c.T @ bends
        ways[dead] = np.where(np.abs(fourth) > MOVES * np.abs(c.T) @ np.abs(bends), np.sign(fourth), 0)
        return ways

    def _of_forces_alone(self, q: Array, qd: Array, acting: Forces) -> Array:
        """The sizes of the accelerations that forces would cause if nothing cancelled."""
        tau, *f_tip = acting
        forces = np.abs(tau) + np.abs(self.robot.bias_forces(q, qd))
        for wrench in f_tip:
            forces = forces + np.abs(self.robot.tip_forces(q, wrench))
        sizes: Array = np.abs(np.linalg.inv(self.mass_matrix(q))) @ forces
        return sizes

    def after_impact(self, q: Array, qd: Array, touched: Array) -> tuple[Array, float]:
        """Velocities after an impact on the touched barriers, and the kinetic energy it dissipated, J.

        A barrier that is just being left may have to push as well. With the restitutions of the others the energy could
        increase by that; then they rebound by the fraction of their restitution with which it does not.
        """
        metric = self.metric(q, self._rows_of(touched))
        speed = self.barriers.rows(q)[touched] @ qd
        e = self.barriers.restitution[touched]
        e = np.where(-e * speed > self.barriers.resting_speed[touched], e, 0.0)
        none, before = np.zeros(len(speed)), self.kinetic_energy(q, qd)

        def rebound(part: float) -> tuple[Array, float]:
            p = least_squares(metric.B, (1.0 + part * e) * speed, none, none + np.inf)
            after = qd + metric.change(p)
            return after, before - self.kinetic_energy(q, after)

        found = rebound(1.0)
        if found[1] < -ROUNDING * before:
            return rebound(_largest_part(lambda part: rebound(part)[1]))
        return found

    def closed(self, q: Array, qd: Array, held: Array) -> tuple[Array, Array]:
        """The state with the held gaps and all held speeds put to zero, by the least change in the metric of M."""
        stand = self.dry.coordinates(held[self.is_joint])
        gaps = np.zeros(len(held))
        gaps[~self.is_joint] = self.barriers.gaps(q)
        if gaps[held].any():
            before, metric = q, self.metric(q, held)
            q = q - metric.change(Holding.of(metric.B, -gaps[held]).forces)
            q[stand] = before[stand]
        metric = self.metric(q, held)
        qd = metric.within_constraints(qd)
        qd = qd - metric.change(Holding.of(metric.B, -(self.rows(q)[held] @ qd)).forces)
        qd[stand] = 0.0
        return self.barriers.at_held_stops(q, qd, held[~self.is_joint])

    def _rows_of(self, barriers: Array) -> Array:
        """True of these barriers, false of all joints."""
        return np.concatenate([barriers, np.zeros(len(self.dry), dtype=bool)])

    def _without_held(self, q: Array, qd: Array, acting: Forces, slip: Array) -> tuple[Array, float, Array]:
        """Accelerations, power and friction without the forces of the held rows."""
        tau, *f_tip = acting
        if not len(self.dry):
            return self._motion(q, qd, *acting)
        return self._sliding(q, qd, tau, self.dry.directions(slip), *f_tip)

    def _approach(self, q: Array, qd: Array, qdd: Array, active: Array) -> Array:
        """A qdd + Adot qd."""
        approach: Array = self.rows(q)[active] @ qdd
        if len(self.barriers):
            approach = approach + np.concatenate([self.barriers.drift(q, qd), np.zeros(len(self.dry))])[active]
        return approach


def _largest_part(taken: Callable[[float], float]) -> float:
    """The largest part, between 0 and 1, at which no energy comes of an impact: none does at 0."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if taken(middle) >= 0.0 else (low, middle)
    return low


def refuse_lost(robot: Robot, qdd: Array) -> None:
    """Refuse accelerations that are not finite, or whose squares would not be."""
    if not np.abs(qdd).max(initial=0.0) < LARGEST:
        raise SimulationError(
            f"the accelerations of {robot.name!r} have grown to {np.abs(qdd).max():g}. Use a shorter step, or "
            f"{option('method', 'adaptive')}; check torque and f_tip"
        )
