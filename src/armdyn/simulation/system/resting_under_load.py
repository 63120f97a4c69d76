"""Contact modes of joints at rest if friction depends on the load: stick, or slip in a direction, by Newton's method.

With the mass matrix M and rotors a, a joint takes g(y) = f + a y of its joint force if it accelerates by y: f is
anything between its bounds if y = 0, else the solution of l + f(l) = t for t = tau - d - a y. l grows with t, so
that g = tau - d - l grows with y: M_links qdd + h + g(qdd) = tau - d + A^T p has one solution, which Newton's method
finds. In each step the friction of joints that slip is linearized in t, by which rotors count less, and the modes of
joints and barriers are the boxed LCP of `armdyn.simulation.system.pushing`. Constraints of a robot, A qdd = b, add
forces of their own, and leave one solution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from armdyn.constraints.projection import DRIFTED
from armdyn.constraints.redundant_under_load import rotors_before_friction
from armdyn.constraints.solving import constrained_least_squares
from armdyn.model.friction import TINY
from armdyn.robot import Robot
from armdyn.simulation.elements.dry_joints import DryJoints
from armdyn.simulation.system.bounded import least_squares, sizes_of
from armdyn.simulation.system.pushing import MOVES, Forces, Metric, refuse_lost
from armdyn.simulation.system.under_load import (
    available_forces,
    breakaway_of_available,
    friction_of_available,
    sliding_rates,
)
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array

SETTLED = 1e-9
"""Newton's method stops when the relative change of the accelerations is below this."""

OF_ROUNDING = 1e-14
"""Rounding error of accelerations that cancel, over those that all forces alone would cause."""

BY_ROUNDING = 1e-13
"""Friction, over the forces that cancel, that holds a joint of zero friction because its load is zero to rounding."""

MOST_STEPS = 100
"""Iterations of Newton's method for the modes of the joints."""


class LoadedFriction:
    """The friction of a robot that depends on the load, in numbers.

    Args:
        robot: the robot with friction.
        dry: its joints that can stick.
    """

    def __init__(self, robot: Robot, dry: DryJoints) -> None:
        self.robot, self.dry = robot, dry
        self.of_available, self.breakaway = robot.compile(friction_of_available), robot.compile(breakaway_of_available)
        self.available, self.rates = robot.compile(available_forces), robot.compile(sliding_rates)
        self.rotors = rotors_before_friction(robot.mechanism)

    def at_rest(self, tau: Array) -> tuple[Array, Array]:
        """The least and the largest friction of all joints that can stick at rest, under joint forces."""
        dry, own = self.dry, self.dry.moved_by
        alone = own >= 0
        backwards, forwards = tau.copy(), tau.copy()
        backwards[own[alone]] -= dry.least[alone]
        forwards[own[alone]] -= dry.most[alone]
        of_load = self.breakaway(backwards, forwards)[:2]
        least, most = (np.where(alone, both[own], 0.0) for both in of_load)
        return dry.least + least, dry.most + most


def forces_that_cancel(M: Array, forces: Array, rows: Array) -> Array:
    """The size of the forces, in the units of each row; their rounding errors are a small fraction of it.

    |a|_M |F|_(1/M), where |a|_M^2 = a^T M a and |F|_(1/M)^2 = F^T M^-1 F.
    """
    L = np.linalg.cholesky(M)
    size: Array = np.linalg.norm(rows @ L, axis=1) * np.linalg.norm(np.linalg.solve(L, forces))
    return size


class Kept(NamedTuple):
    """The constraints of a robot at a state: A qdd = target."""

    A: Array
    target: Array

    @classmethod
    def of(cls, robot: Robot, q: Array, qd: Array) -> Kept:
        """The constraints of a robot at a state."""
        return cls(np.asarray(robot.constraint_jacobian(q)), -np.asarray(robot.constraint_drift(q, qd)))

    def moved(self, M: Array, forces: Array) -> tuple[Array, Array]:
        """Accelerations within them by joint forces, and A^T lambda."""
        qdd, multipliers, _ = constrained_least_squares(M, self.A, forces, self.target, DRIFTED)
        return qdd, self.A.T @ multipliers


class Side(NamedTuple):
    """The friction with which joints start in one direction, on a straight line of their acceleration.

    Args:
        force: the friction at zero acceleration.
        hidden: the inertia of the rotor that it hides.
    """

    force: Array
    hidden: Array


class Straight(NamedTuple):
    """The bounded problem of one step.

    Args:
        M: mass matrix.
        forces: without those of the rows at rest.
        low: least forces of the rows at rest.
        high: largest.
    """

    M: Array
    forces: Array
    low: Array
    high: Array


@dataclass(frozen=True)
class Resting:
    """Rows at rest, barriers before joints, of an arm whose other joints slip.

    Args:
        friction: of the robot.
        M: mass matrix, with rotors.
        available: tau - d.
        h: of the links.
        rates: of the coordinates that slip; zero of those at rest.
        rows: a of the rows at rest.
        drift: adot qd of these.
        places: of the joints at rest among all that can stick.
        kept: the constraints of the robot, if it has some.
    """

    friction: LoadedFriction
    M: Array
    available: Array
    h: Array
    rates: Array
    rows: Array
    drift: Array
    places: Array
    kept: Kept | None = None

    @classmethod
    def of(
        cls,
        friction: LoadedFriction,
        q: Array,
        qd: Array,
        acting: Forces,
        rows: Array,
        drift: Array,
        places: Array,
        slip: Array,
        kept: Kept | None = None,
    ) -> Resting:
        """The rows at rest of a state under forces, given the directions in which the other joints slip."""
        tau, *f_tip = acting
        directions = friction.dry.directions(slip)
        available, h = friction.available(q, qd, tau, directions, *f_tip)
        rates = friction.rates(qd, directions)
        return cls(friction, friction.robot.mass_matrix(q), available, h, rates, rows, drift, places, kept)

    def decided(self) -> tuple[Array, Array, Array]:
        """The held rows, the directions of the joints that slip, and the accelerations.

        A joint that rests sticks if static friction can hold it, as in `Pushing.decided`.
        """
        joints = self._is_joint
        kinetic, qdd = np.zeros(len(joints), dtype=bool), np.zeros(len(self.h))
        while True:
            qdd, p, way = self._balanced(kinetic, qdd)
            if not ((way != 0) & ~kinetic).any():
                return np.where(joints, way == 0, p > 0), way, qdd
            kinetic |= way != 0

    @property
    def _is_joint(self) -> Array:
        barriers = len(self.rows) - len(self.places)
        return np.arange(len(self.rows)) >= barriers

    def _balanced(self, kinetic: Array, qdd: Array) -> tuple[Array, Array, Array]:
        """Consistent accelerations, forces and directions; with static friction for joints not in ``kinetic``."""
        way, joints, against = np.zeros(len(self.rows), dtype=int), self._is_joint, np.zeros(len(self.h))
        for _ in range(MOST_STEPS):
            straight = self._on_straight_lines(kinetic, qdd, way, against)
            metric = Metric.of(straight.M, self.rows, None if self.kept is None else self.kept.A)
            free, against = self._moved(straight)
            refuse_lost(self.friction.robot, free)
            approach = self.rows @ free + self.drift
            p = least_squares(metric.B, approach, straight.low, straight.high)
            after, size = metric.B.T @ (metric.B @ p) + approach, sizes_of(metric.B, approach)
            before, qdd = (qdd, way), free + metric.change(p)
            rounding = OF_ROUNDING * np.abs(np.linalg.inv(straight.M)) @ self._sizes(against)
            least = MOVES * size + np.abs(self.rows) @ rounding
            way = np.where(joints & (np.abs(after) > least), np.sign(after), 0).astype(int)
            little = SETTLED * (np.abs(qdd).max() + np.abs(free).max()) + rounding.max()
            if np.array_equal(way, before[1]) and np.abs(qdd - before[0]).max() <= little:
                return qdd, p, way
        raise SimulationError(
            f"which joints of {self.friction.robot.name!r} stick was not found in {MOST_STEPS} steps, for their "
            "friction depends on the load. Use friction that does not, or a smooth law"
        )

    def _moved(self, straight: Straight) -> tuple[Array, Array]:
        """Accelerations without the forces of the rows at rest, and the forces of the constraints."""
        if self.kept is None:
            return np.linalg.solve(straight.M, straight.forces), np.zeros(len(self.h))
        return self.kept.moved(straight.M, straight.forces)

    def _sizes(self, against: Array) -> Array:
        """Size of the forces that cancel if nothing moves, those of constraints included."""
        sizes: Array = np.abs(self.available) + np.abs(self.h) + np.abs(against)
        return sizes

    def _on_straight_lines(self, kinetic: Array, qdd: Array, way: Array, against: Array) -> Straight:
        """The problem with friction on straight lines, which touch it at these accelerations."""
        rotors, own = self.friction.rotors, self.friction.dry.moved_by[self.places]
        barriers, alone = len(self.rows) - len(self.places), own >= 0
        rests = np.zeros(len(self.h), dtype=bool)
        rests[own[alone]] = True
        force, slope = self.friction.of_available(self.available - rotors * qdd, self.rates)
        force, hidden = (np.where(rests, 0.0, x) for x in (force + slope * rotors * qdd, slope * rotors))
        kinetic, way = kinetic[barriers:], way[barriers:]
        least, most = (self._side(sign, kinetic, qdd, way == sign) for sign in (-1, 1))
        hidden[own[alone]] = (least.hidden + most.hidden)[alone]
        low, high = np.zeros(len(self.rows)), np.full(len(self.rows), np.inf)
        little = BY_ROUNDING * forces_that_cancel(self.M, self._sizes(against), self.rows[barriers:])
        little = np.maximum(little - np.abs(most.force - least.force), 0.0)  # if the bounds close
        low[barriers:], high[barriers:] = -most.force - little, -least.force + little
        low[barriers:] = np.where(way < 0, np.minimum(low, high)[barriers:], low[barriers:])
        high[barriers:] = np.where(way > 0, np.maximum(low, high)[barriers:], high[barriers:])
        return Straight(self.M - np.diag(hidden), self.available - self.h - force, low, high)

    def _side(self, sign: int, kinetic: Array, qdd: Array, towards: Array) -> Side:
        """The friction of the joints at rest if they start in one direction; linearized in qdd for those that do."""
        friction, dry, n = self.friction, self.friction.dry, len(self.h)
        static, sliding = (dry.most, dry.most_sliding) if sign > 0 else (dry.least, dry.least_sliding)
        constant = np.where(kinetic, sliding[self.places], static[self.places])
        own = dry.moved_by[self.places]
        alone = own >= 0
        rotor = np.where(alone & towards, friction.rotors[own], 0.0)
        available = self.available.copy()
        available[own[alone]] -= (constant + rotor * qdd[own])[alone]
        of_kinetic = friction.of_available(available, np.full(n, sign * TINY))
        least, most, of_least, of_most = friction.breakaway(available, available)
        of_static = (most, of_most) if sign > 0 else (least, of_least)
        force, slope = (
            np.where(alone, np.where(kinetic, a[own], b[own]), 0.0) for a, b in zip(of_kinetic, of_static, strict=True)
        )
        return Side(constant + force + slope * rotor * qdd[own], slope * rotor)
