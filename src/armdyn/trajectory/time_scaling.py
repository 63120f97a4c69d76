"""The fastest motion along a path within limits of its joints, by TOPP-RA (Pham and Pham 2018)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import PPoly

from armdyn.actuators.flexible_joints import flexible_places
from armdyn.base.checks import whole_number
from armdyn.base.errors import ShapeError, Unsupported
from armdyn.base.fields import set_fields
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array
from armdyn.trajectory.by_length import ByLength, angles
from armdyn.trajectory.checks import MotionError, fixed, limit_of_each
from armdyn.trajectory.joint_path import JointPath, Retimed
from armdyn.trajectory.law import Progress
from armdyn.trajectory.path_rows import AT_REST, Excess, PathLimits, PathRows, reversals
from armdyn.trajectory.polynomial_law import PolynomialLaw, constant_in_segments
from armdyn.trajectory.reachability import Unreachable, greatest_squares

FIRST_PARTS = 1.0 / np.array([64.0, 16.0, 4.0])
"""Subdivisions of the first and the last interval, in which the friction changes from rest to motion."""

NEAR = 1e-3
"""The part of an interval within which two places count as one."""

SAMPLES = 16
"""Directions of the path per interval, from which its bends are found."""

CHORDS = 4
"""Number of solutions with chords of the friction, which are safe, before those with tangents, which are quick."""

SAME_DURATION, NEARLY_SAME_DURATION = 1e-10, 1e-5
"""Relative changes of the duration at which iterations end, and at which limits are lowered."""

KEPT = 1.0 + 1e-6
"""The largest part of a limit that counts as kept."""

MOST_SOLUTIONS = 60
"""Number of iterations after which the motion is returned with notes on exceeded limits."""


class GridLaw(PolynomialLaw):
    """A law of constant acceleration between grid points; made by `fastest_along`.

    Args:
        s: grid points, rising from 0, shape (m,).
        sd: velocity at each, shape (m,); not zero at two in a row.
    """

    def __init__(self, s: Array, sd: Array) -> None:
        steps = 2 * np.diff(s) / (sd[:-1] + sd[1:])  # the mean velocity of a constant acceleration is that of its ends
        set_fields(self, _steps=steps, _accelerations=np.diff(sd) / steps)
        super().__init__(float(s[-1]), float(steps.sum()))

    def _polynomials(self) -> PPoly:
        return constant_in_segments(2, self._steps, self._accelerations)  # type: ignore[attr-defined]

    def _at(self, t: Array) -> Progress:
        s, sd, *higher = super()._at(t)
        return Progress(s, np.maximum(sd, 0.0), *higher)  # rounding at rest, because the sign determines friction


class UsedLimits(NamedTuple):
    """The largest part of each limit that a motion uses, 1 at the limit, 0 without one; each of shape (n,)."""

    torque: Array
    velocity: Array
    acceleration: Array


class FastestMotion(Retimed):
    """The fastest motion along a path within limits; made by `fastest_along`.

    Args:
        path: by its length.
        law: of the length over time.
        used: the largest parts of the limits, by inverse dynamics at 16 places of each interval.
        notes: sentences on exceeded limits; empty if all limits are kept to 1e-5.
    """

    def __init__(self, path: ByLength, law: GridLaw, used: UsedLimits, notes: tuple[str, ...]) -> None:
        super().__init__(path, law)
        self.used, self.notes = used, notes


def fastest_along(
    robot: Robot,
    path: JointPath,
    *,
    torque: ArrayLike | None = None,
    velocity: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    f_tip: ArrayLike | None = None,
    grid: int = 500,
) -> FastestMotion:
    """Joint motion along a path in the least time, rad or m, from rest to rest within limits of its joints.

    The path keeps its shape, and its own timing is dropped. Torques are those of `armdyn.Robot.inverse_dynamics`,
    friction and gear losses included. Reachability analysis (Pham and Pham 2018) finds the velocity at each of
    ``grid`` + 1 places of the path, closer together at its ends and in bends; between them the length of the path
    accelerates evenly. Friction that depends on the velocity or the load is found by iteration. Limits hold between the
    places too: they are lowered in the intervals in which they would be exceeded. `FastestMotion.used` has the parts of
    the limits that the motion uses.

    Args:
        robot: the robot with its dynamics, friction and limits.
        path: without corners; rests of the path drop out.
        torque: limits of |tau|, N m or N, shape (n,), or one for all; by default the description's effort limits.
        velocity: limits of |qd|, rad/s or m/s, shape (n,), or one for all; by default the description's.
        acceleration: limits of |qdd|, rad/s^2 or m/s^2, shape (n,), or one for all; none by default.
        f_tip: constant wrench (m, f) the tip applies to its surroundings, tip frame, N m and N, shape (6,).
        grid: number of intervals.

    Raises:
        MotionError: torques too small to hold or to move the arm, no limit of torques or accelerations at all, or a
            path with a corner.
        Unsupported: a robot with constraints or flexible joints, whose motors' forces follow from more than the path.

    >>> robot = armdyn.load("ur5").with_friction({"elbow_joint": (2.0, 5.0)})
    >>> way = armdyn.trajectory.point_to_point(np.zeros(6), np.ones(6), armdyn.trajectory.Quintic(1.0, duration=1.0))
    >>> motion = armdyn.trajectory.fastest_along(robot, way, acceleration=8.0)
    >>> round(motion.duration, 2), motion.used.acceleration.round(4), motion.notes
    (0.71, array([1., 1., 1., 1., 1., 1.]), ())
    """
    _refuse_other_forces(robot)
    limits = _limits(robot, torque, velocity, acceleration)
    if path.dof != robot.dof:
        raise ShapeError(f"the path has {path.dof} joints, {robot.name!r} has {robot.dof}")
    intervals = whole_number("grid", grid, least=2, error=MotionError)
    wrench = () if f_tip is None else (fixed("f_tip", f_tip, (6,)),)
    way = ByLength(path)
    places = _places(way, intervals)
    rows = PathRows.of(robot, way, places, limits, wrench)
    _refuse_unlimited(robot, rows)
    _refuse_weak_arm(robot, way, places, limits.torque, wrench)
    x, excess = _fastest(robot, rows, places)
    used = UsedLimits(*(part.max(axis=0) for part in excess))
    return FastestMotion(way, GridLaw(places, np.sqrt(x)), used, tuple(_notes(robot, limits, used)))


def _refuse_other_forces(robot: Robot) -> None:
    """Raise an Unsupported for a robot whose motors' forces are not those of inverse dynamics."""
    if robot.model.constraints:
        raise Unsupported(
            f"fastest_along of {robot.name!r}: several joint forces give one motion of an arm with constraints, so no "
            "limit of a single joint follows. robot.without_constraints() has the tree that its joints make"
        )
    if flexible_places(robot.model):
        raise Unsupported(
            f"fastest_along of {robot.name!r}: the motors of its flexible joints follow jerks and snaps too, which "
            "jump in the fastest motion. robot.without_springs() has stiff joints"
        )


def _limits(
    robot: Robot, torque: ArrayLike | None, velocity: ArrayLike | None, acceleration: ArrayLike | None
) -> PathLimits:
    """Given limits, or those of the description."""
    n = robot.dof
    described = np.array([(joint.limits.effort, joint.limits.velocity) for joint in robot.joints]).T
    return PathLimits(
        described[0] if torque is None else limit_of_each("torque", torque, n, robot),
        described[1] if velocity is None else limit_of_each("velocity", velocity, n, robot),
        np.full(n, np.inf) if acceleration is None else limit_of_each("acceleration", acceleration, n, robot),
    )


def _places(way: ByLength, intervals: int) -> Array:
    """Lengths, closer together in bends and at the ends, with speed a root of the length; joints reverse at some."""
    part = np.linspace(0.0, 1.0, intervals + 1)
    shares = part**2 * (3.0 - 2.0 * part)
    first = shares[1] * FIRST_PARTS
    shares = np.concatenate([[0.0], first, shares[1:-1], 1.0 - first[::-1], [1.0]])
    even = np.linspace(0.0, way.duration, SAMPLES * intervals + 1)
    turns = np.concatenate([[0.0], np.cumsum(angles(*_pairs(way.evaluate(even).qd)))])
    measure = even / way.duration + turns / np.pi
    places = np.interp(shares * measure[-1], measure, even)
    turning = reversals(way, places)
    width = np.diff(places)
    far = np.abs(places[1:-1, None] - turning).min(axis=1, initial=np.inf) > NEAR * np.minimum(width[1:], width[:-1])
    inside = turning[(turning > NEAR * places[1]) & (turning < places[-1] - NEAR * width[-1])]
    return np.union1d(np.concatenate([places[[0, -1]], places[1:-1][far]]), inside)  # others give way to a reversal


def _pairs(values: Array) -> tuple[Array, Array]:
    """All but the last, and all but the first."""
    return values[:-1], values[1:]


def _fastest(robot: Robot, rows: PathRows, places: Array) -> tuple[Array, Excess]:
    """Squares of the speeds at the places, and the used parts of the limits, by iterating on friction and excess."""
    time = _estimated_duration(rows, places)
    x = np.full(len(places), (places[-1] / time) ** 2)
    excess = rows.excess(x)
    chords = CHORDS
    for count in range(MOST_SOLUTIONS):
        mean_speed = places[-1] / time
        linear = rows.rows(x, AT_REST * mean_speed, chords=count < chords)
        try:
            x = greatest_squares(places, linear, mean_speed)
        except Unreachable as error:
            if count < chords:
                raise _not_passed(robot, places, error) from None
            chords = MOST_SOLUTIONS  # tangents at a solution far from the right one may leave no motion at all
            continue
        before, time = time, _duration(places, x)
        excess, change = rows.excess(x), abs(time - before) / time
        if change <= SAME_DURATION and max(part.max() for part in excess) <= KEPT:
            break
        if change <= NEARLY_SAME_DURATION:
            rows = rows.lowered_by(excess)
    return x, excess


def _duration(places: Array, x: Array) -> float:
    sd = np.sqrt(x)
    return float((2.0 * np.diff(places) / (sd[1:] + sd[:-1])).sum())


def _estimated_duration(rows: PathRows, places: Array) -> float:
    """A duration of the right size, s: as if the arm began to move everywhere, and by the velocities."""
    at = rows.stations
    tau, more = rows.torques_at_rest(at)
    with np.errstate(divide="ignore", invalid="ignore"):
        by_torque = ((1.0 - np.abs(tau)) / np.abs(more - tau)).min(axis=-1)
        by_acceleration = (rows.limits.acceleration / np.abs(at.dq)).min(axis=-1)
        slowest = (np.abs(at.dq) / rows.limits.velocity).max(axis=-1).mean() * places[-1]
    u = np.fmin(by_torque, by_acceleration)
    return max(2.0 * float(np.sqrt(places[-1] / np.median(u[u > 0.0]))), float(slowest))


def _refuse_unlimited(robot: Robot, rows: PathRows) -> None:
    """Raise a MotionError if no limit bounds the acceleration along the path."""
    if not (np.isfinite(rows.limits.torque).any() or np.isfinite(rows.limits.acceleration).any()):
        raise MotionError(f"{robot.name!r} has no torque limit; give torque= or acceleration=")
    at = rows.stations
    tau, more = rows.torques_at_rest(at)
    bounded = np.isfinite(rows.limits.acceleration) & (at.dq != 0.0) | (more != tau)
    free = ~bounded.any(axis=-1)
    if free.any():
        k = int(np.argwhere(free)[0, 0])
        raise MotionError(
            f"no limit of {robot.name!r} bounds the acceleration at {k / len(free):.0%} of the path: the joints that "
            "move there have none; give torque= or acceleration= of all joints"
        )


def _refuse_weak_arm(robot: Robot, path: JointPath, s: Array, tau: Array, wrench: tuple[Array, ...]) -> None:
    q = path.evaluate(s).q
    holding = np.abs(robot.inverse_dynamics(q, np.zeros_like(q), np.zeros_like(q), *wrench))
    excess = holding - tau
    if (excess > 0.0).any():
        k, joint = np.unravel_index(int(np.argmax(excess)), excess.shape)
        raise MotionError(
            f"joint {robot.joint_names[joint]!r} of {robot.name!r} needs {holding[k, joint]:.4g} N m or N to hold the "
            f"arm at {s[k] / s[-1]:.0%} of the path; its limit is {tau[joint]:.4g}"
        )


def _not_passed(robot: Robot, places: Array, error: Unreachable) -> MotionError:
    place = f"{places[error.place] / places[-1]:.0%} of its length"
    return MotionError(
        f"{robot.name!r} cannot run through this path within its limits: at {place} no velocity and acceleration keep "
        "all of them; raise the limits, or choose a smoother path"
    )


def _notes(robot: Robot, limits: PathLimits, used: UsedLimits) -> Iterator[str]:
    """The limits that are exceeded."""
    for quantity, parts, limit in zip(UsedLimits._fields, used, limits, strict=True):
        for joint in np.flatnonzero(parts > KEPT):
            yield (
                f"joint {robot.joint_names[joint]!r} of {robot.name!r} exceeds its {quantity} limit "
                f"{limit[joint]:.6g} by {parts[joint] - 1.0:.2%}; a larger grid= brings it nearer"
            )
