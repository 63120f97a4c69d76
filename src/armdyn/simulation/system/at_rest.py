"""Contact modes of rows at rest: held, or slipping in a direction: a boxed LCP, within Newton's method under load.

A joint that rests sticks if static friction can hold it. Those that it cannot hold have kinetic friction from then on,
which may release others: each turn of a loop is for one more joint at least. With kinetic friction for all, the boxed
LCP has one solution, which determines the sticking and slipping joints.

Friction under load is that of the equations of motion (`armdyn.simulation.system.mode_motion`): of a joint at rest it
is anything between its bounds, and of one that begins to slip that of its direction. With a rotor a it falls by h qdd
as the joint accelerates, h = a s/(1 + s) of its slope s by the load, so that the problem with the inertia M - diag(h)
touches the equations, and Newton's method repeats it with the motion that it gives. The joint force that friction and
load share grows with qdd, so that there is one solution, also within constraints A qdd = b.

The time-stepping driver, and batches, have the same problem in a program (`armdyn.simulation.system.frictional_arm`),
with Newton's method around the LCP. Single motions have it on numbers: rows that follow from others, dead points
and constraints by least squares take singular values, which a program does not have; a program of a fixed number of
rounds decides one of 600 random states of a UR5 with dry friction otherwise; and its compilation takes as long as 300
decisions on numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from armdyn.base.advice import option
from armdyn.constraints.projection import DRIFTED
from armdyn.simulation.system.bounded import bounded_forces, motion_sizes
from armdyn.simulation.system.holding import Metric
from armdyn.simulation.system.mode_motion import Motion
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.simulation.system.bounded_rows import BoundedRows

MOVES = 1e-10
"""An acceleration is zero if it is below this fraction of the one without the bounded forces."""

LARGEST = 1e150
"""rad/s^2 or m/s^2: a motion with larger accelerations has diverged; their squares are finite."""

SETTLED = 1e-9
"""Newton's method stops when the relative change of the accelerations is below this."""

OF_ROUNDING = 1e-14
"""Rounding error of accelerations that cancel, over those that all forces alone would cause."""

BY_ROUNDING = 1e-13
"""Friction, over the forces that cancel, that holds a joint of zero friction because its load is zero to rounding."""

MOST_STEPS = 100
"""Iterations of Newton's method for the modes of the joints."""


def forces_that_cancel(M: Array, forces: Array, rows: Array) -> Array:
    """The size of the forces, in the units of each row; their rounding errors are a small fraction of it.

    |a|_M |F|_(1/M), where |a|_M^2 = a^T M a and |F|_(1/M)^2 = F^T M^-1 F.
    """
    L = np.linalg.cholesky(M)
    size: Array = np.linalg.norm(rows @ L, axis=1) * np.linalg.norm(np.linalg.solve(L, forces))
    return size


class Mode(NamedTuple):
    """The contact mode of all rows.

    Args:
        held: true for barriers that are held closed and, after them, for the dry joints that stick.
        slip: 1 or -1 for the dry joints that slip forwards or backwards, else 0.
    """

    held: Array
    slip: Array


class AtRest:
    """Rows at rest of a state, barriers before joints and rotors, of an arm whose other joints slip.

    Args:
        arm: with all its rows.
        x, v: positions and velocities.
        acting: the forces.
        resting: true for the barriers touched at zero speed, and for the joints at rest.
        slip: directions of the other joints.
    """

    def __init__(
        self, arm: BoundedRows, x: Array, v: Array, acting: tuple[Array, ...], resting: Array, slip: Array
    ) -> None:
        self.arm, self.x, self.v, self.resting, self.slip = arm, x, v, resting, slip
        self.on = arm.acting(x, v, acting, slip)
        self.rows, self.drift, self.is_joint = arm.rows(x)[resting], arm.drift(x, v)[resting], arm.is_joint[resting]
        self.M, self.sizes = arm.mass_matrix(x), arm.sizes(self.on, arm.directions(slip))
        self.bounds = arm.bounds(self.on).of(resting)
        self.A = arm.constraint_rows(x) if arm.robot.model.constraints else None
        own = np.where(arm.of_rotors, -1, np.append(np.full(len(arm.barriers), -1), arm.dry.own))[resting]
        self.own = own if arm.loaded else np.full(len(own), -1)
        """The coordinate of each joint whose friction may depend on the load, else -1."""

    def decided(self) -> Mode:
        """The held rows, and the directions of all joints that slip."""
        kinetic, way, p = np.zeros(len(self.rows), dtype=bool), np.zeros(len(self.rows), dtype=int), 0.0 * self.drift
        while True:
            xdd, p, way = self._balanced(kinetic, p, way)
            if not ((way != 0) & ~kinetic).any():
                break
            kinetic |= way != 0
        if self.A is not None:
            way = way + self._from_dead_points(xdd, way)
        held, starts = np.zeros((2, len(self.resting)), dtype=int)
        held[self.resting], starts[self.resting] = np.where(self.is_joint, way == 0, p > 0), way
        return Mode(held > 0, self.slip + starts[self.arm.is_joint])

    def _moved(self, p: Array, slips: Array) -> Motion:
        """The motion with forces of these rows, of which joints slip in directions, (m,) each."""
        starts = np.zeros(len(self.resting), dtype=int)
        starts[self.resting] = slips
        directions = self.arm.directions(self.slip + starts[self.arm.is_joint])
        motion = self.arm.moved(self.on, directions, np.ones(len(self.M)), p @ self.rows)
        refuse_diverged(self.arm.robot.name, motion.qdd)
        return motion

    def _of_forces_alone(self, M: Array, against: Array | float = 0.0) -> Array:
        """The sizes of the accelerations that forces would cause if nothing cancelled."""
        sizes: Array = np.abs(np.linalg.inv(M)) @ (self.sizes + np.abs(against))
        return sizes

    def _balanced(self, kinetic: Array, p: Array, way: Array) -> tuple[Array, Array, Array]:
        """Consistent accelerations, forces and directions; with static friction for joints not in ``kinetic``."""
        bounds, loaded = self.bounds, self.arm.loaded
        high, low = -np.where(kinetic, [bounds.backwards, bounds.forwards], [bounds.least, bounds.most])
        for _ in range(MOST_STEPS):
            slips = np.where(kinetic & (self.own >= 0), way, 0)  # their friction is that of the motion
            p, M, against = np.where(slips == 0, p, 0.0), self.M, np.zeros(len(self.M))
            motion, least, most = self._moved(p, slips), low, high
            if loaded:
                M, against = M - np.diag(motion.hidden), against if self.A is None else motion.holding
                p = np.where(slips == 0, p, -(motion.sliding + motion.hidden * motion.qdd)[self.own])  # at no motion
                little = BY_ROUNDING * forces_that_cancel(self.M, self.sizes + np.abs(against), self.rows)
                little = np.where(self.own >= 0, np.maximum(little - np.abs(high - low), 0.0), 0.0)
                least, most = np.where(slips > 0, p, low - little), np.where(slips < 0, p, high + little)
                least, most = np.where(slips < 0, np.minimum(least, most), least), np.maximum(least, most)
            metric, alone, before = Metric.of(M, self.rows, self.A), self._of_forces_alone(M, against), way
            S, free = metric.B.T @ metric.B, motion.qdd - metric.change(p)
            approach = self.rows @ free + self.drift
            p = bounded_forces(metric.B, approach, least, most)
            after, cancelled = S @ p + approach, motion_sizes(S, approach) + np.abs(S) @ np.abs(p)
            xdd, rounding = free + metric.change(p), OF_ROUNDING * alone
            size = np.where(metric.B.any(axis=0), cancelled, np.abs(self.rows) @ alone)
            moves = np.abs(after) > MOVES * size + np.abs(self.rows) @ rounding
            way = np.where(self.is_joint & moves, np.sign(after), 0).astype(int)
            little = SETTLED * (np.abs(xdd).max() + np.abs(free).max()) + rounding.max()
            if not loaded or (np.array_equal(way, before) and np.abs(xdd - motion.qdd).max() <= little):
                return xdd, p, way
        raise SimulationError(
            f"which joints of {self.arm.robot.name!r} stick was not found in {MOST_STEPS} steps, for their "
            "friction depends on the load. Use friction that does not, or a smooth law"
        )

    def _from_dead_points(self, xdd: Array, way: Array) -> Array:
        """The directions in which constraints will move joints that have neither speed nor acceleration; else 0.

        If the row a of a joint is c^T A, constraints alone determine its motion. If the whole arm starts from rest,
        A qdd = 0, and A qdd + Adot qd = 0 differentiated twice is A q(4) + 3 Adot(qdd) qdd = 0, q(4) being d4q/dt4.
        """
        directions, n, robot = np.zeros(len(way), dtype=int), self.arm.n, self.arm.robot
        dead = ~Metric.of(self.M, self.rows, self.A).B.any(axis=0) & self.is_joint & (way == 0)
        if not dead.any() or self.v[:n].any() or (np.abs(xdd) <= MOVES * self._of_forces_alone(self.M))[:n].all():
            return directions
        q = self.x[:n]
        c = np.linalg.lstsq(robot.constraint_jacobian(q).T, self.rows[dead, :n].T, rcond=DRIFTED)[0]
        bends = np.asarray(robot.constraint_drift(q, xdd[:n]))
        fourth = -3.0 * c.T @ bends
        directions[dead] = np.where(np.abs(fourth) > MOVES * np.abs(c.T) @ np.abs(bends), np.sign(fourth), 0)
        return directions


def refuse_diverged(robot: str, xdd: Array) -> None:
    """Refuse accelerations that are not finite, or whose squares would not be."""
    if not np.abs(xdd).max(initial=0.0) < LARGEST:
        raise SimulationError(
            f"the accelerations of {robot!r} have grown to {np.abs(xdd).max():g}. Use a shorter step, or "
            f"{option('method', 'adaptive')}; check torque and f_tip"
        )
