"""Paths of the joints over time: positions, velocities and accelerations that belong together exactly."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.errors import ShapeError, excerpt
from armdyn.spatial.rotations import Array
from armdyn.trajectory.checks import MotionError, fixed, times_within
from armdyn.trajectory.law import MotionLaw
from armdyn.trajectory.sequences import checked_paths, fill


class JointStates(NamedTuple):
    """Joint positions, velocities and accelerations at some times, each of shape (..., n).

    Their order is that of the arguments of ``robot.inverse_dynamics(*motion)``.
    """

    q: Array
    qd: Array
    qdd: Array


class JointRates(NamedTuple):
    """Jerk and snap of joints at some times, rad/s^3 and rad/s^4, or m/s^3 and m/s^4, each of shape (..., n).

    Their order is that of ``robot.flexible_inverse_dynamics(*motion, *rates)``, after a `JointStates`.
    """

    jerk: Array
    snap: Array


class JointPath(ABC):
    """A motion q(t) of n joints from t = 0 to ``duration``, with its exact derivatives. Immutable."""

    duration: float
    """T, s."""

    dof: int
    """n, the number of joints."""

    @abstractmethod
    def _at(self, t: Array) -> JointStates:
        """The motion at times that are within the duration."""

    def evaluate(self, t: ArrayLike) -> JointStates:
        """q, qd, qdd at times t, each of shape (..., n) for t of shape (...).

        Args:
            t: times, s, from 0 to the duration, any shape.

        Raises:
            MotionError: a time outside the motion.

        >>> robot = armdyn.load("ur5")
        >>> law = armdyn.trajectory.Quintic(1.0, duration=2.0)
        >>> path = armdyn.trajectory.point_to_point(np.zeros(6), np.ones(6), law)
        >>> robot.inverse_dynamics(*path.evaluate([0.0, 1.0, 2.0])).shape
        (3, 6)
        """
        return self._at(times_within(t, self.duration))

    def jerk_and_snap(self, t: ArrayLike) -> JointRates:
        """The third and fourth derivative at times t, each of shape (..., n) for t of shape (...); exact.

        Args:
            t: times, s, from 0 to the duration, any shape.

        Raises:
            MotionError: a time outside the motion, or a path without them.

        >>> law = armdyn.trajectory.Nonic(1.0, duration=2.0)
        >>> path = armdyn.trajectory.point_to_point([0.0, 0.0], [1.0, 2.0], law)
        >>> path.jerk_and_snap(1.0).jerk
        array([ -9.84375, -19.6875 ])
        """
        raise MotionError(
            f"{type(self).__name__} does not have its jerk and snap; expected a path of point_to_point or a spline"
        )

    def sampled(self, samples: int) -> tuple[Array, JointStates]:
        """Equally spaced times from start to end, s, shape (samples,), and the motion at them."""
        t = np.linspace(0.0, self.duration, samples)
        return t, self.evaluate(t)

    def along(self, law: MotionLaw) -> Retimed:
        """The path with the timing of a law, whose s is the time of this path.

        Args:
            law: from 0 to this path's duration, never outside of them.
        """
        return Retimed(self, law)

    def stretched(self, duration: float) -> Retimed:
        """The motion in another duration, s: velocities change with its ratio, accelerations with its square."""
        from armdyn.trajectory.polynomial_law import ConstantVelocity  # noqa: PLC0415 - a law needs no joints

        return Retimed(self, ConstantVelocity(self.duration, duration))


class Retimed(JointPath):
    """A path with the timing of a law: q(s(t)), qd = q' sd, qdd = q'' sd^2 + q' sdd.

    Args:
        path: the path; its time is the parameter s.
        law: s(t), from 0 to the path's duration.
    """

    def __init__(self, path: JointPath, law: MotionLaw) -> None:
        check_reach(law, path.duration, "the path lasts")
        self.path, self.law = path, law
        self.duration, self.dof = law.duration, path.dof

    def _at(self, t: Array) -> JointStates:
        s, sd, sdd, _ = (x[..., None] for x in self.law.evaluate(t))
        q, dq, ddq = self.path.evaluate(s[..., 0])
        return JointStates(q, dq * sd, ddq * sd**2 + dq * sdd)


class PointToPoint(JointPath):
    """Joints on a straight line of joint space, or each with a law of its own.

    Args:
        start: q at t = 0, rad or m, shape (n,).
        end: q at the end, shape (n,).
        laws: from 0 to 1, one for all joints, or one for each; all of one duration.
    """

    def __init__(self, start: ArrayLike, end: ArrayLike, laws: MotionLaw | Sequence[MotionLaw]) -> None:
        self.start, self.end = joint_pair(start, end)
        self.laws = (laws,) if isinstance(laws, MotionLaw) else tuple(laws)
        if not all(isinstance(law, MotionLaw) for law in self.laws):
            raise MotionError(f"laws is {excerpt(laws)}; expected such as armdyn.trajectory.Quintic(1.0, duration=1.0)")
        if len(self.laws) not in (1, len(self.start)):
            raise ShapeError(f"{len(self.laws)} laws for {len(self.start)} joints; expected one, or one for each joint")
        for law in self.laws:
            check_reach(law, 1.0, "the way from start to end ends at")
            if abs(law.duration - self.laws[0].duration) > 1e-12 * law.duration:
                raise MotionError(
                    f"laws of different durations, {self.laws[0].duration:g} s and {law.duration:g} s; "
                    "law.stretched(duration) makes one last longer"
                )
        self.duration, self.dof = self.laws[0].duration, len(self.start)

    def _at(self, t: Array) -> JointStates:
        progress = [np.stack(parts, axis=-1) for parts in zip(*(law.evaluate(t) for law in self.laws), strict=True)]
        s, sd, sdd, _ = progress
        way = self.end - self.start
        return JointStates(self.start + way * s, way * sd, way * sdd)

    def jerk_and_snap(self, t: ArrayLike) -> JointRates:
        """The third and fourth derivative at times t, each of shape (..., n)."""
        times, way = times_within(t, self.duration), self.end - self.start
        jerk, snap = (
            np.stack(parts, axis=-1)
            for parts in zip(*((law.evaluate(times).sddd, law.snap(times)) for law in self.laws), strict=True)
        )
        return JointRates(way * jerk, way * snap)


class JointPathSequence(JointPath):
    """Paths one after another, each from the end of the one before.

    Args:
        paths: in order.

    Raises:
        MotionError: positions or velocities that jump between one path and the next.
    """

    def __init__(self, paths: Sequence[JointPath]) -> None:
        self.paths: tuple[JointPath, ...] = checked_paths(tuple(paths), ("q", "qd"), " ")
        self.duration, self.dof = float(sum(path.duration for path in self.paths)), self.paths[0].dof

    def _at(self, t: Array) -> JointStates:
        result = JointStates(*(np.empty((*t.shape, self.dof)) for _ in JointStates._fields))
        fill(result, self.paths, t)
        return result


def joint_pair(start: ArrayLike, end: ArrayLike) -> tuple[Array, Array]:
    """Start and end of a motion, with an equal number of joints."""
    a, b = fixed("start", start, ("n",)), fixed("end", end, ("n",))
    if len(a) != len(b) or not len(a):
        raise ShapeError(f"start has {len(a)} values, end has {len(b)}; expected one a joint in both")
    return a, b


def check_reach(law: MotionLaw, extent: float, subject: str) -> None:
    """Raise if the end of a law is not the end of its path."""
    if abs(law.distance - extent) > 1e-12 * extent:
        raise MotionError(f"the law covers {law.distance:.9g}, but {subject} {extent:.9g}; give the law that distance")
