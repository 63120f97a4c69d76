"""Contact modes of rows at rest: held, or slipping in a direction: a boxed LCP, within Newton's method under load.

A joint that rests sticks if static friction can hold it. Those that it cannot hold have kinetic friction from then on,
which may release others: each turn of a loop is for one more joint at least. With kinetic friction for all, the boxed
LCP has one solution, which determines the sticking and slipping joints.

With the mass matrix M and rotors a, a joint whose friction depends on its load takes g(y) = f + a y of its joint force
if it accelerates by y: f is anything between its bounds if y = 0, else the solution of l + f(l) = t for t = tau - d -
a y. l grows with t, so that g = tau - d - l grows with y: M_links qdd + h + g(qdd) = tau - d + A^T p has one solution,
which Newton's method finds. In each step the friction of joints that slip is linearized in t, by which rotors count
less, and the modes are the boxed LCP. Constraints of a robot, A qdd = b, add forces of their own, and leave one
solution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from armdyn.base.advice import option
from armdyn.base.threads import cached_property
from armdyn.constraints.projection import DRIFTED
from armdyn.constraints.redundant_under_load import rotors_before_friction
from armdyn.constraints.solving import constrained_least_squares
from armdyn.constraints.under_load import breakaway_of_available, friction_of_available
from armdyn.declaration import function
from armdyn.model.friction import TINY
from armdyn.program import less_equal
from armdyn.robot import Robot
from armdyn.simulation.elements.dry_joints import DryJoints
from armdyn.simulation.equations import SOURCES
from armdyn.simulation.system.bounded import BoxedProblem, bounded_forces, motion_sizes
from armdyn.simulation.system.metric import Metric
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array

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


class Bounds(NamedTuple):
    """The least and the largest force of every row, N or N m: at rest, and when a joint begins to slip."""

    low: Array
    high: Array
    low_sliding: Array
    high_sliding: Array

    @classmethod
    def of(cls, dry: DryJoints, barriers: int) -> Bounds:
        """The bounds of barriers and, after them, of dry joints, whose friction is the negative of their force."""
        none, infinite = np.zeros(barriers), np.full(barriers, np.inf)
        low, low_sliding = (np.concatenate([none, -most]) for most in (dry.most, dry.most_sliding))
        high, high_sliding = (np.concatenate([infinite, -least]) for least in (dry.least, dry.least_sliding))
        return cls(low, high, low_sliding, high_sliding)


class LoadFriction:
    """The friction of a robot that depends on the load, in numbers.

    Args:
        robot: the robot with friction.
        dry: its joints that can stick and, after them, its rotors.
    """

    def __init__(self, robot: Robot, dry: DryJoints) -> None:
        self.of_available, self.breakaway = robot.compile(friction_of_available), robot.compile(breakaway_of_available)
        self.own = dry.moved_by[dry.moved_by < robot.dof]
        """The coordinate that alone moves each joint, -1 if several do."""
        self.least, self.most = dry.least[: len(self.own)], dry.most[: len(self.own)]
        self.rotors = rotors_before_friction(robot.mechanism)

    def at_rest(self, tau: Array) -> tuple[Array, Array]:
        """The least and the largest friction of all joints that can stick at rest, under joint forces."""
        own, alone = self.own, self.own >= 0
        backwards, forwards = tau.copy(), tau.copy()
        backwards[own[alone]] -= self.least[alone]
        forwards[own[alone]] -= self.most[alone]
        least, most = (np.where(alone, both[own], 0.0) for both in self.breakaway(backwards, forwards)[:2])
        return self.least + least, self.most + most


def forces_that_cancel(M: Array, forces: Array, rows: Array) -> Array:
    """The size of the forces, in the units of each row; their rounding errors are a small fraction of it.

    |a|_M |F|_(1/M), where |a|_M^2 = a^T M a and |F|_(1/M)^2 = F^T M^-1 F.
    """
    L = np.linalg.cholesky(M)
    size: Array = np.linalg.norm(rows @ L, axis=1) * np.linalg.norm(np.linalg.solve(L, forces))
    return size


class Straight(NamedTuple):
    """The bounded problem of one step.

    Args:
        M: mass matrix.
        free: accelerations without the forces of the rows at rest.
        against: forces of the constraints.
        low: least forces of the rows at rest.
        high: largest.
    """

    M: Array
    free: Array
    against: Array
    low: Array
    high: Array


@dataclass(frozen=True)
class AtRest:
    """Rows at rest, barriers before joints and rotors, of an arm whose other joints slip.

    Args:
        name: of the robot.
        M: mass matrix, with rotors, of all coordinates.
        available: tau - d.
        h: of the links.
        free: accelerations without the forces of the rows at rest, if friction does not depend on the load.
        rows: a of the rows at rest.
        drift: adot v of these.
        is_joint: true for joints and rotors.
        bounds: of the forces of these rows without the friction that depends on the load.
        constraints: A of the robot and the A qdd that they keep, if it has some.
        loaded: the friction that depends on the load; None without any.
        rates: of the links' coordinates that slip; zero of those at rest.
        places: of the links' joints at rest among all that can stick.
    """

    name: str
    M: Array
    available: Array
    h: Array
    free: Array
    rows: Array
    drift: Array
    is_joint: Array
    bounds: Bounds
    constraints: tuple[Array, Array] | None
    loaded: LoadFriction | None
    rates: Array
    places: Array

    def decided(self) -> tuple[Array, Array, Array]:
        """The held rows, the directions of the joints that slip, and the accelerations."""
        kinetic, xdd = np.zeros(len(self.rows), dtype=bool), np.zeros(len(self.h))
        while True:
            xdd, p, way = self._balanced(kinetic, xdd)
            if not ((way != 0) & ~kinetic).any():
                return np.where(self.is_joint, way == 0, p > 0), way, xdd
            kinetic |= way != 0

    @cached_property
    def dead(self) -> Array:
        """True for rows that the constraints keep at rest."""
        return np.logical_not(self._metric(self.M).B.any(axis=0))

    def of_forces_alone(self, M: Array, against: Array | float = 0.0) -> Array:
        """The sizes of the accelerations that forces would cause if nothing cancelled."""
        sizes: Array = np.abs(np.linalg.inv(M)) @ (self._sizes + np.abs(against))
        return sizes

    def _metric(self, M: Array) -> Metric:
        return Metric.of(M, self.rows, None if self.constraints is None else self.constraints[0])

    def _balanced(self, kinetic: Array, xdd: Array) -> tuple[Array, Array, Array]:
        """Consistent accelerations, forces and directions; with static friction for joints not in ``kinetic``."""
        way, joints, against = np.zeros(len(self.rows), dtype=int), self.is_joint, np.zeros(len(self.h))
        for _ in range(MOST_STEPS):
            straight = self._on_straight_lines(kinetic, xdd, way, against)
            metric, against, before = self._metric(straight.M), straight.against, (xdd, way)
            refuse_diverged(self.name, straight.free)
            approach = self.rows @ straight.free + self.drift
            p = bounded_forces(metric.B, approach, straight.low, straight.high)
            S, alone = metric.B.T @ metric.B, self.of_forces_alone(straight.M, against)
            after, cancelled = S @ p + approach, motion_sizes(S, approach) + np.abs(S) @ np.abs(p)
            xdd, rounding = straight.free + metric.change(p), OF_ROUNDING * alone
            size = np.where(metric.B.any(axis=0), cancelled, np.abs(self.rows) @ alone)
            moves = np.abs(after) > MOVES * size + np.abs(self.rows) @ rounding
            way = np.where(joints & moves, np.sign(after), 0).astype(int)
            little = SETTLED * (np.abs(xdd).max() + np.abs(straight.free).max()) + rounding.max()
            if self.loaded is None or (np.array_equal(way, before[1]) and np.abs(xdd - before[0]).max() <= little):
                return xdd, p, way
        raise SimulationError(
            f"which joints of {self.name!r} stick was not found in {MOST_STEPS} steps, for their "
            "friction depends on the load. Use friction that does not, or a smooth law"
        )

    @property
    def _sizes(self) -> Array:
        """Size of the forces that cancel if nothing moves, without those of constraints."""
        sizes: Array = np.abs(self.available) + np.abs(self.h)
        return sizes

    def _on_straight_lines(self, kinetic: Array, xdd: Array, way: Array, against: Array) -> Straight:
        """The problem with friction on straight lines, which touch it at these accelerations."""
        bounds = self.bounds
        low, high = np.where(kinetic, [bounds.low_sliding, bounds.high_sliding], [bounds.low, bounds.high])
        if self.loaded is None:
            return Straight(self.M, self.free, against, low, high)
        n, own, rotors = len(self.rates), self.loaded.own[self.places], self.loaded.rotors
        links, alone, qdd = slice(np.argmax(self.is_joint), np.argmax(self.is_joint) + len(own)), own >= 0, xdd[:n]
        force, hidden = np.zeros(len(self.h)), np.zeros(len(self.h))
        rests = np.zeros(n, dtype=bool)
        rests[own[alone]] = True
        sliding, slope = self.loaded.of_available(self.available[:n] - rotors * qdd, self.rates)
        force[:n], hidden[:n] = (np.where(rests, 0.0, x) for x in (sliding + slope * rotors * qdd, slope * rotors))
        (least, of_least), (most, of_most) = (
            self._side(side, kinetic[links], qdd, way[links] == side, -of_sides[links])
            for side, of_sides in ((-1, high), (1, low))
        )
        hidden[own[alone]] = (of_least + of_most)[alone]
        little = BY_ROUNDING * forces_that_cancel(
            self.M[:n, :n], (self._sizes + np.abs(against))[:n], self.rows[links, :n]
        )
        little = np.maximum(little - np.abs(most - least), 0.0)  # if the bounds close
        low[links], high[links] = -most - little, -least + little
        low, high = np.where(way < 0, np.minimum(low, high), low), np.where(way > 0, np.maximum(low, high), high)
        M, forces = self.M - np.diag(hidden), self.available - self.h - force
        if self.constraints is None:
            return Straight(M, np.linalg.solve(M, forces), np.zeros(len(self.h)), low, high)
        A, target = self.constraints
        free, multipliers, _ = constrained_least_squares(M, A, forces, target, DRIFTED)
        return Straight(M, free, A.T @ multipliers, low, high)

    def _side(self, side: int, kinetic: Array, qdd: Array, towards: Array, constant: Array) -> tuple[Array, Array]:
        """The friction of the joints at rest if they start to one side, and the inertia of rotors that it hides.

        It is linearized in qdd for those that start, and the friction is that at zero acceleration.
        ``constant`` is their friction that does not depend on the load.
        """
        assert self.loaded is not None  # noqa: S101 - by `_on_straight_lines`
        loaded, own, n = self.loaded, self.loaded.own[self.places], len(qdd)
        alone = own >= 0
        rotor = np.where(alone & towards, loaded.rotors[own], 0.0)
        available = self.available[:n].copy()
        available[own[alone]] -= (constant + rotor * qdd[own])[alone]
        of_kinetic = loaded.of_available(available, np.full(n, side * TINY))
        least, most, of_least, of_most = loaded.breakaway(available, available)
        of_static = (most, of_most) if side > 0 else (least, of_least)
        force, slope = (
            np.where(alone, np.where(kinetic, a[own], b[own]), 0.0) for a, b in zip(of_kinetic, of_static, strict=True)
        )
        return constant + force + slope * rotor * qdd[own], slope * rotor


def refuse_diverged(robot: str, xdd: Array) -> None:
    """Refuse accelerations that are not finite, or whose squares would not be."""
    if not np.abs(xdd).max(initial=0.0) < LARGEST:
        raise SimulationError(
            f"the accelerations of {robot!r} have grown to {np.abs(xdd).max():g}. Use a shorter step, or "
            f"{option('method', 'adaptive')}; check torque and f_tip"
        )


@function("(n,n),(n),(n),(n)->(n),(n),()", sources=SOURCES)
def boxed_accelerations(model: Any, W: Array, b: Array, low: Array, high: Array) -> tuple[Array, Array, Any]:
    """Bounded forces p, N m or N, accelerations w = W p + b, rad/s^2 or m/s^2, shape (..., n) each, and 1 if right.

    Args:
        W: M^-1, shape (..., n, n).
        b: accelerations without p, rad/s^2 or m/s^2, shape (..., n).
        low: the least forces, N m or N, shape (..., n).
        high: the largest forces, N m or N, shape (..., n).
    """
    solution = BoxedProblem(W, b, low, high, sizes=abs(b)).solved()
    return solution.p, solution.after, less_equal(solution.wrong, 0.0)


class DecidedModes(NamedTuple):
    """Directions of slip, 1, -1, or 0 for joints that stick, (states, n), and success, (states,)."""

    slip: Array
    found: Array


def modes_of_many(
    robot: Robot, W: Array, b: Array, slip: Array, rests: Array, bounds: tuple[Array, ...]
) -> DecidedModes:
    """Modes of joints that rest, stick or a direction of slip, for many states whose friction does not depend on load.

    Args:
        robot: whose coordinates are the rows.
        W: M^-1, shape (states, n, n).
        b: accelerations without the friction of the joints that rest, shape (states, n).
        slip: directions of the others.
        rests: true of the joints that rest.
        bounds: low and high at rest, low and high of a joint that begins to slip, shape (n,) each.
    """
    low, high, low_sliding, high_sliding = (np.where(rests, bound, 0.0) for bound in bounds)
    kinetic, found = np.zeros(b.shape, dtype=bool), np.abs(b).max(axis=-1, initial=0.0) < LARGEST
    solve, sizes = robot.compile(boxed_accelerations), motion_sizes(W, rests * b)
    while True:
        p, w, right = solve(W, b, np.where(kinetic, low_sliding, low), np.where(kinetic, high_sliding, high))
        found &= right == 1.0
        moves = rests & (np.abs(w) > MOVES * (sizes + np.einsum("sij,sj->si", np.abs(W), np.abs(p))))
        if not (moves & ~kinetic).any():
            return DecidedModes(np.where(rests, np.where(moves, np.sign(w), 0.0), slip), found)
        kinetic |= moves
