"""Rest-to-rest motions of several joints at once, of given durations or within limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.errors import ShapeError, UnknownName
from armdyn.trajectory.checks import MotionError, fixed, limit_of_each
from armdyn.trajectory.joint_path import JointPathSequence, PointToPoint, joint_pair
from armdyn.trajectory.law import MotionLaw
from armdyn.trajectory.polynomial_law import Quintic
from armdyn.trajectory.s_curve import SCurve
from armdyn.trajectory.trapezoidal import Trapezoidal

Together = Literal["phase", "time"]


def point_to_point(start: ArrayLike, end: ArrayLike, law: MotionLaw) -> PointToPoint:
    """Joint motion q(t) = start + (end - start) s(t), rad or m, a `PointToPoint`.

    Args:
        start: q at t = 0, rad or m, shape (n,).
        end: q at the end, shape (n,).
        law: s(t) from 0 to 1.

    >>> law = armdyn.trajectory.Cubic(1.0, duration=2.0)
    >>> armdyn.trajectory.point_to_point([0.0, 1.0], [1.0, 3.0], law).evaluate(1.0).q
    array([0.5, 2. ])
    """
    return PointToPoint(start, end, law)


def fastest(
    start: ArrayLike,
    end: ArrayLike,
    *,
    velocity: ArrayLike,
    acceleration: ArrayLike,
    jerk: ArrayLike | None = None,
    together: Together = "phase",
) -> PointToPoint:
    """Fast joint motion q(t) from rest to rest within limits, rad or m, all joints starting and stopping together.

    A trapezoid of velocity, or an S-curve with a jerk limit.

    Args:
        start: q at t = 0, rad or m, shape (n,).
        end: q at the end, shape (n,).
        velocity: limit of each joint, or one for all, rad/s or m/s, (n,) or ().
        acceleration: limit of each joint, or one for all, rad/s^2 or m/s^2, (n,) or ().
        jerk: limit of each joint, or one for all, rad/s^3 or m/s^3, (n,) or ().
        together: "phase": on a straight line in joint space, with one law within every joint's limits; "time": each
            joint by its own fastest law, stretched to last as long as the slowest joint's. This takes the least time
            of such laws, and leaves the straight line.

    Raises:
        MotionError: a limit that is not above zero, or a motion that goes nowhere.

    >>> path = armdyn.trajectory.fastest([0.0, 0.0], [2.0, -0.5], velocity=1.0, acceleration=2.0)
    >>> path.duration
    2.5
    """
    a, b = joint_pair(start, end)
    way = np.abs(b - a)
    limits = {"velocity": velocity, "acceleration": acceleration} | ({} if jerk is None else {"jerk": jerk})
    per_joint = {name: limit_of_each(name, values, len(a)) for name, values in limits.items()}
    moving = way > 0.0
    if not moving.any():
        raise MotionError("start and end are the same; limits determine no duration of a motion without a distance")
    law_within: Callable[..., MotionLaw] = Trapezoidal.from_limits if jerk is None else SCurve.from_limits
    if together == "phase":
        # The joint with the least limit for its way sets that of s; it may differ for each derivative.
        return PointToPoint(
            a, b, law_within(1.0, **{k: float((v[moving] / way[moving]).min()) for k, v in per_joint.items()})
        )
    if together != "time":
        raise UnknownName.of("way", together, ("phase", "time"), "together=")
    laws = [
        law_within(1.0, **{k: float(v[i] / way[i]) for k, v in per_joint.items()}) if moving[i] else None
        for i in range(len(a))
    ]
    duration = max(law.duration for law in laws if law is not None)
    return PointToPoint(a, b, [(Quintic(1.0, duration) if law is None else law.stretched(duration)) for law in laws])


def rest_to_rest(waypoints: ArrayLike, laws: Sequence[MotionLaw]) -> JointPathSequence:
    """Joint motion q(t) through waypoints, rad or m, that rests at each of them.

    Args:
        waypoints: q at each, rad or m, shape (m, n).
        laws: s(t) from 0 to 1 for each of the m - 1 segments, with no velocity at their ends.

    Raises:
        MotionError: velocities that jump at a waypoint.

    >>> laws = [armdyn.trajectory.Quintic(1.0, duration=T) for T in (1.0, 2.0)]
    >>> armdyn.trajectory.rest_to_rest([[0, 0], [1, 2], [0, 1]], laws).evaluate([1.0, 3.0]).q
    array([[1., 2.],
           [0., 1.]])
    """
    q = fixed("waypoints", waypoints, ("m", "n"))
    if len(laws) != len(q) - 1:
        raise ShapeError(f"{len(laws)} laws for {len(q)} waypoints; expected {len(q) - 1}, one for each segment")
    return JointPathSequence([PointToPoint(q[k], q[k + 1], law) for k, law in enumerate(laws)])
