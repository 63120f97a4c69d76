"""Paths of the tip over time: poses, twists and twist rates that belong together exactly."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armdyn.algorithms.expressed_in import way_of_twist
from armdyn.base.errors import ShapeError
from armdyn.spatial.rotations import Array, rigid
from armdyn.trajectory.checks import fixed_pose, rising, times_within
from armdyn.trajectory.curves import Curve
from armdyn.trajectory.joint_path import check_reach
from armdyn.trajectory.law import MotionLaw
from armdyn.trajectory.sequences import checked_paths, fill, switches_of


class TipMotion(NamedTuple):
    """Poses T, twists (w, v) and twist rates at some times: (..., 4, 4), (..., 6), (..., 6), angular part first."""

    pose: Array
    twist: Array
    twist_rate: Array


class CartesianPath(ABC):
    """A motion T(t) of the tip from t = 0 to ``duration``, with its exact derivatives. Immutable."""

    duration: float
    """T, s."""

    @property
    def switches(self) -> Array:
        """Times between which the motion is smooth, s, from 0 to the duration."""
        return np.array([0.0, self.duration])

    @abstractmethod
    def _at(self, t: Array) -> TipMotion:
        """The motion at times that are within the duration, in base axes, v that of the frame's origin."""

    def evaluate(self, t: ArrayLike, *, expressed_in: str = "world") -> TipMotion:
        """Pose, twist and twist rate at times t, shapes (..., 4, 4), (..., 6), (..., 6), m, rad/s, m/s, ...

        Args:
            t: times, s, from 0 to the duration, any shape.
            expressed_in: axes of the twist, as for `Robot.jacobian`: "world": base axes, v and a are velocity and
                acceleration of the frame's origin; "space": base axes and origin; "body": the frame's axes and origin.
                Pinocchio's LOCAL_WORLD_ALIGNED is "world", its WORLD "space".
                The twist rate is the derivative of the twist's components.

        Raises:
            MotionError: a time outside the motion.
        """
        way, motion = way_of_twist(expressed_in), self._at(times_within(t, self.duration))
        return motion if way == "world" else (_in_space if way == "space" else _in_body)(motion)

    def sampled(self, samples: int, *, expressed_in: str = "world") -> tuple[Array, TipMotion]:
        """Equally spaced times from start to end, s, shape (samples,), and the motion at them."""
        t = np.linspace(0.0, self.duration, samples)
        return t, self.evaluate(t, expressed_in=expressed_in)


class CurvePath(CartesianPath):
    """A curve with the timing of a law.

    Args:
        curve: `Line`, `Arc`, `Screw` or `Through`.
        law: s(t), from 0 to the curve's extent: the angle for arcs, 1 for the others.

    >>> lift = armdyn.trajectory.Line(np.eye(4), [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.5], [0, 0, 0, 1]])
    >>> path = armdyn.trajectory.CurvePath(lift, armdyn.trajectory.Quintic(1.0, duration=2.0))
    >>> path.evaluate(1.0).twist
    array([0.     , 0.     , 0.     , 0.     , 0.     , 0.46875])
    """

    def __init__(self, curve: Curve, law: MotionLaw) -> None:
        check_reach(law, curve.extent, "the curve ends at")
        self.curve, self.law, self.duration = curve, law, law.duration

    @property
    def switches(self) -> Array:
        """The switches of the law, s."""
        return self.law.switches

    def _at(self, t: Array) -> TipMotion:
        s, sd, sdd, _ = self.law.evaluate(t)
        R, p, w, dp, dw, ddp = self.curve.at(s)
        first, second = np.concatenate([w, dp], axis=-1), np.concatenate([dw, ddp], axis=-1)
        sd, sdd = sd[..., None], sdd[..., None]
        return TipMotion(rigid(R, p), first * sd, second * sd**2 + first * sdd)


class CartesianPathSequence(CartesianPath):
    """Paths one after another, each from the last pose of the one before.

    Args:
        paths: in order.

    Raises:
        MotionError: poses or twists that jump between one path and the next.
    """

    def __init__(self, paths: Sequence[CartesianPath]) -> None:
        self.paths: tuple[CartesianPath, ...] = checked_paths(tuple(paths), ("the pose", "the twist"), "\n")
        self.duration = float(sum(path.duration for path in self.paths))

    @property
    def switches(self) -> Array:
        """The switches of all paths, and the times at which one follows another, s."""
        return switches_of(self.paths)

    def _at(self, t: Array) -> TipMotion:
        result = TipMotion(np.empty((*t.shape, 4, 4)), np.empty((*t.shape, 6)), np.empty((*t.shape, 6)))
        fill(result, self.paths, t)
        return result


class PoseSpline(CartesianPath):
    """A smooth motion through poses at given times, from rest to rest in place, free in orientation.

    Positions by the clamped cubic spline, orientations by the spline of rotations with continuous angular acceleration
    (`scipy.spatial.transform.RotationSpline`).

    Args:
        times: of the poses, s, rising, shape (m,); the motion begins at the first, which becomes t = 0.
        poses: T at each, lengths in m, shape (m, 4, 4).
    """

    def __init__(self, times: ArrayLike, poses: Sequence[ArrayLike]) -> None:
        t = rising(times)
        if len(poses) != len(t):
            raise ShapeError(f"{len(poses)} poses at {len(t)} times; expected one time for each pose")
        from scipy.interpolate import CubicSpline  # noqa: PLC0415 - both take half a second to import
        from scipy.spatial.transform import Rotation, RotationSpline  # noqa: PLC0415

        T = np.stack([fixed_pose(f"poses[{k}]", p) for k, p in enumerate(poses)])
        self.duration = float(t[-1] - t[0])
        self._position = CubicSpline(t - t[0], T[:, :3, 3], bc_type="clamped")
        self._orientation = RotationSpline(t - t[0], Rotation.from_matrix(T[:, :3, :3]))

    def _at(self, t: Array) -> TipMotion:
        flat = t.reshape(-1)
        R = self._orientation(flat).as_matrix()
        w, dw = (_times(R, self._orientation(flat, order)) for order in (1, 2))  # SciPy's are in the turning axes
        parts = [np.concatenate([a, self._position(flat, order)], axis=-1) for order, a in ((1, w), (2, dw))]
        T = rigid(R, self._position(flat))
        return TipMotion(T.reshape(*t.shape, 4, 4), *(x.reshape(*t.shape, 6) for x in parts))


def _in_space(motion: TipMotion) -> TipMotion:
    """v_s = v - w x p, the velocity of the point of the moving body that passes the base's origin."""
    p, (w, v), (dw, a) = motion.pose[..., :3, 3], _halves(motion.twist), _halves(motion.twist_rate)
    at_origin = v - np.cross(w, p)
    rate = a - np.cross(dw, p) - np.cross(w, v)
    return TipMotion(motion.pose, np.concatenate([w, at_origin], axis=-1), np.concatenate([dw, rate], axis=-1))


def _in_body(motion: TipMotion) -> TipMotion:
    """w_b = R^T w and v_b = R^T v, whose rates are R^T (dw - w x w) and R^T (a - w x v)."""
    into = np.swapaxes(motion.pose[..., :3, :3], -1, -2)
    (w, v), (dw, a) = _halves(motion.twist), _halves(motion.twist_rate)
    twist = [_times(into, w), _times(into, v)]
    rate = [_times(into, dw), _times(into, a - np.cross(w, v))]
    return TipMotion(motion.pose, np.concatenate(twist, axis=-1), np.concatenate(rate, axis=-1))


def _halves(twist: Array) -> tuple[Array, Array]:
    return twist[..., :3], twist[..., 3:]


def _times(R: Array, v: Array) -> Array:
    return (R @ v[..., None])[..., 0]
