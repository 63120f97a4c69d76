"""Limits of torques, velocities and accelerations on a path, as rows that are linear in x = sd^2 and u = sdd.

With q' = dq/ds and q'' along the path, qd = q' sd and qdd = q' u + q'' x, so the joint forces are

    tau = a(s) u + b(s) x + g(s) + friction(qd, load)        Pham and Pham 2018, with the friction added

Dry friction is constant in each direction and so a part of the constant term. Viscous friction grows as sqrt(x), and
other laws with other functions of the speed: they are replaced by their tangent in x at the last solution, or by their
chord from rest, until convergence. Friction under load is a convex function of u in the direction of the motion,
e.g. the larger one of two lines for a gear that drives or is driven: it has a row for each of three accelerations.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from armdyn.algorithms.load_laws import loaded_bodies
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array
from armdyn.trajectory.joint_path import JointPath
from armdyn.trajectory.reachability import IntervalRows

ROW_PLACES = 4
"""Number of parts of an interval at whose ends all limits are rows."""

CHECKED_PLACES = 16
"""Number of parts of an interval at whose ends the limits are checked."""

AT_REST = 1e-7
"""The speed of an arm that begins to move, as a part of its mean speed."""

DIFFERENCE = 1e-4
"""The step of difference quotients, as a part of x or of the largest u; slopes need not be exact."""

NEARLY_AT_REST = 1e-4
"""The part of the mean x below which a chord from rest replaces the tangent."""

BISECTIONS = 50

TURNING = 1e-9
"""|q'| of a joint that reverses."""

VALID = 1e-9
"""The part of a limit by which a tangent may lie above a convex function: rounding."""


class PathLimits(NamedTuple):
    """The limits of each joint; infinite without a limit.

    Args:
        torque: of |tau|, N m or N, shape (n,).
        velocity: of |qd|, rad/s or m/s, shape (n,).
        acceleration: of |qdd|, rad/s^2 or m/s^2, shape (n,).
    """

    torque: Array
    velocity: Array
    acceleration: Array


@dataclass(frozen=True)
class Stations:
    """Places within the intervals of a path, and the path there, each of shape (intervals, places, n)."""

    widths: Array
    fractions: Array
    q: Array
    dq: Array
    ddq: Array

    @classmethod
    def of(cls, path: JointPath, places: Array, parts: int) -> Stations:
        """The ends of equal parts of each interval between places."""
        widths, fractions = np.diff(places), np.linspace(0.0, 1.0, parts + 1)
        s = np.minimum(places[:-1, None] + widths[:, None] * fractions, path.duration)
        q, dq, ddq = path.evaluate(s)
        return cls(widths, fractions, q, _of_one_direction(dq), ddq)

    def squares(self, x: Array) -> Array:
        """x at the stations, if it is linear between the places, shape (intervals, places)."""
        return np.asarray(x[:-1, None] + np.diff(x)[:, None] * self.fractions)

    def accelerations(self, x: Array) -> Array:
        """u at the stations, constant in each interval, shape (intervals, places)."""
        return np.broadcast_to((np.diff(x) / (2.0 * self.widths))[:, None], self.q.shape[:2])

    def only(self, interval: int, place: int) -> Stations:
        """One of the stations."""
        path = (part[[interval], [place]][None] for part in (self.q, self.dq, self.ddq))
        return Stations(self.widths[[interval]], self.fractions[[place]], *path)

    def rows(self, by_u: Array, by_x: Array, rest: Array) -> IntervalRows:
        """by_u u + by_x x <= rest at each station, as rows in x at the start of the interval: x + 2 u times the way."""
        way = 2.0 * self.widths[:, None, None] * self.fractions[:, None]
        count = len(self.widths)
        return IntervalRows(*(part.reshape(count, -1) for part in (by_u + way * by_x, by_x, rest)))


class Tangent(NamedTuple):
    """Joint forces tau + by_u (u' - u) + by_x (x' - x) as parts of their limits, shape (intervals, places, n) each."""

    tau: Array
    by_u: Array
    by_x: Array


class Excess(NamedTuple):
    """The largest part of each limit that is used in each interval, shape (intervals, n) each."""

    torque: Array
    velocity: Array
    acceleration: Array


@dataclass(frozen=True)
class PathRows:
    """Limits of a robot on a path.

    Args:
        robot: the robot with its dynamics and friction.
        wrench: the wrench of the tip, or empty.
        limits: of the joints.
        stations: the stations at which the limits are rows.
        checked: the stations at which they are checked.
        lowered: the limit parts of the limits, which keep them between stations, (intervals, n) each.
    """

    robot: Robot
    wrench: tuple[Array, ...]
    limits: PathLimits
    stations: Stations
    checked: Stations
    lowered: Excess

    @classmethod
    def of(
        cls, robot: Robot, path: JointPath, places: Array, limits: PathLimits, wrench: tuple[Array, ...]
    ) -> PathRows:
        """The limits between the places of a path."""
        whole = np.ones((len(places) - 1, robot.dof))
        stations, checked = (Stations.of(path, places, parts) for parts in (ROW_PLACES, CHECKED_PLACES))
        return cls(robot, wrench, limits, stations, checked, Excess(whole, whole, whole))

    def lowered_by(self, excess: Excess) -> PathRows:
        """The rows with lower limits in the intervals in which they were exceeded."""
        lowered = Excess(*(limit / np.maximum(one, 1.0) for limit, one in zip(self.lowered, excess, strict=True)))
        return dataclasses.replace(self, lowered=lowered)

    def excess(self, x: Array) -> Excess:
        """The largest part of each limit that a motion uses in each interval."""
        at = self.checked
        squares, u = at.squares(x), at.accelerations(x)
        tau = self.torques(at, squares, u)
        qd, qdd = at.dq * np.sqrt(squares)[..., None], at.dq * u[..., None] + at.ddq * squares[..., None]
        of_limits = (tau, qd / self.limits.velocity, qdd / self.limits.acceleration)
        return Excess(*(np.abs(part).max(axis=1) for part in of_limits))

    def rows(self, x: Array, slow: float, *, chords: bool) -> IntervalRows:
        """All rows, with the friction's tangents or chords at a solution.

        Args:
            x: squares of the speeds at the places, shape (intervals + 1,).
            slow: sd of an arm that begins to move.
            chords: replace friction by its chord from rest to x, not by its tangent.
        """
        return IntervalRows.together(self._torque_rows(x, slow, chords), self._rows_at_rest(), *self._motion_rows())

    def _motion_rows(self) -> list[IntervalRows]:
        """Rows q'^2 x <= v^2 and |q' u + q'' x| <= a."""
        at, (_, velocity, acceleration) = self.stations, self.limits
        rows = []
        if np.isfinite(velocity).any():
            squares = (at.dq / velocity) ** 2
            rest = np.broadcast_to(self.lowered.velocity[:, None] ** 2, squares.shape)
            rows.append(at.rows(np.zeros_like(squares), squares, rest))
        if np.isfinite(acceleration).any():
            by_u, by_x = at.dq / acceleration, at.ddq / acceleration
            rest = np.broadcast_to(self.lowered.acceleration[:, None], by_u.shape)
            rows += [at.rows(sign * by_u, sign * by_x, rest) for sign in (1.0, -1.0)]
        return rows

    def _torque_rows(self, x: Array, slow: float, chords: bool) -> IntervalRows:
        """|tau| <= its limit at the stations."""
        at = self.stations
        squares, u = np.maximum(at.squares(x), slow**2), at.accelerations(x)
        here = self._tangent(squares, u, slow, chords)
        limit = self.lowered.torque[:, None]
        rows = [self._below(here, squares, u, sign, limit) for sign in (1.0, -1.0)]
        if loaded_bodies(self.robot.mechanism.drive):
            far = 2.0 * np.abs(u).max() + _acceleration_scale(x, at)
            for other in (u - far, u + far):
                there = self._tangent(squares, other, slow, chords)
                for sign in (1.0, -1.0):
                    line = sign * (there.tau + there.by_u * (u - other)[..., None])
                    convex = line <= sign * here.tau + VALID * (1.0 + np.abs(line))
                    rows.append(self._below(there, squares, other, sign, limit, convex))
        return IntervalRows.together(*rows)

    def _below(
        self, tangent: Tangent, x: Array, u: Array, sign: float, limit: Array, valid: Array | bool = True
    ) -> IntervalRows:
        """Rows sign tau <= the limit, with tau on a tangent at x and u; rows that are not valid always hold."""
        tau, by_u, by_x = (sign * np.where(valid, part, 0.0) for part in tangent)
        return self.stations.rows(by_u, by_x, limit - tau + by_u * u[..., None] + by_x * x[..., None])

    def _rows_at_rest(self) -> IntervalRows:
        """|tau| <= its limit at both ends, at which friction may be zero, because the arm rests there."""
        at, n = self.stations, self.robot.dof
        by_u, rest = (np.zeros((len(at.widths), 2 * n)) for _ in range(2))
        rest += 1.0
        for interval, end in ((0, 0), (-1, -1)):
            tau, more = (part[0, 0] for part in self.torques_at_rest(at.only(interval, end)))
            by_u[interval] = np.concatenate([more - tau, tau - more])
            rest[interval] = np.concatenate([1.0 - tau, 1.0 + tau])
        return IntervalRows(by_u, np.zeros_like(by_u), rest)

    def _tangent(self, x: Array, u: Array, slow: float, chords: bool) -> Tangent:
        """tau at x and u, and its slopes by difference quotients."""
        at = self.stations
        tau = self.torques(at, x, u)
        du = DIFFERENCE * _acceleration_scale(x, at)
        by_u = (self.torques(at, x, u + du) - self.torques(at, x, u - du)) / (2.0 * du)
        rest = np.full_like(x, slow**2)
        if chords:
            chord_end = np.maximum(x, 2.0 * rest)
            by_x = (self.torques(at, chord_end, u) - self.torques(at, rest, u)) / (chord_end - rest)[..., None]
            return Tangent(tau, by_u, by_x)
        least = NEARLY_AT_REST * x.mean()
        above, below = np.maximum(x * (1.0 + DIFFERENCE), least), np.where(x < least, rest, x * (1.0 - DIFFERENCE))
        by_x = (self.torques(at, above, u) - self.torques(at, below, u)) / (above - below)[..., None]
        return Tangent(tau, by_u, by_x)

    def torques_at_rest(self, at: Stations) -> tuple[Array, Array]:
        """tau of an arm at rest at stations, at u = 0 and at u = 1, as parts of the limits."""
        rest = np.zeros(at.q.shape[:2])
        return self.torques(at, rest, rest), self.torques(at, rest, rest + 1.0)

    def torques(self, at: Stations, x: Array, u: Array) -> Array:
        """tau at stations, as parts of the limits, shape (intervals, places, n)."""
        sd, sdd = np.sqrt(x)[..., None], u[..., None]
        tau = self.robot.inverse_dynamics(at.q, at.dq * sd, at.dq * sdd + at.ddq * sd**2, *self.wrench)
        return np.asarray(tau / self.limits.torque)


def reversals(path: JointPath, s: Array) -> Array:
    """Places of a path at which a joint reverses, found between the places by bisection.

    Args:
        path: by its length.
        s: places, rising, at most one reversal of each joint between two.
    """
    forwards = path.evaluate(s).qd > 0.0
    before, joint = np.nonzero(forwards[1:] != forwards[:-1])
    low, high = s[before], s[before + 1]
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        same = (path.evaluate(middle).qd[np.arange(len(joint)), joint] > 0.0) == forwards[before, joint]
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return np.unique(high)


def _of_one_direction(dq: Array) -> Array:
    """q' of intervals in which joints reverse at the ends alone, at which they keep the sign that they have inside."""
    turned = dq.copy()
    for end, beside in ((0, 1), (-1, -2)):
        turned[:, end] = np.where(dq[:, end] * dq[:, beside] > 0.0, dq[:, end], TURNING * np.sign(dq[:, beside]))
    return turned


def _acceleration_scale(x: Array, at: Stations) -> float:
    """An acceleration of the size of those of a motion whose squared speeds are x."""
    return float(x.max() / at.widths.sum())
