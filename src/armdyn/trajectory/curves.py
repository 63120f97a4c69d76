"""Curves of poses: straight line, arc, screw. They are geometry alone; a `MotionLaw` gives the timing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from armdyn.base.errors import UnknownName
from armdyn.spatial.rotations import Array, rigid, skew
from armdyn.trajectory.checks import MotionError, fixed, fixed_pose, number


class CurvePoint(NamedTuple):
    """A pose (R, p) on a curve and its derivatives by the curve's parameter, in base axes.

    ``w`` is the angular velocity for unit speed of the parameter, ``dw`` its derivative; dp and ddp are p' and p''.
    """

    R: Array
    p: Array
    w: Array
    dp: Array
    dw: Array
    ddp: Array


class Curve(ABC):
    """Poses T(s) for s from 0 to ``extent``, which rotate evenly about one axis: R(s) = exp([w] s) R_0. Immutable."""

    extent: float
    _T0: Array
    _w: Array

    @abstractmethod
    def _points(self, s: Array, turn: Array) -> tuple[Array, Array, Array]:
        """p, p' and p'' at parameters s, with ``turn`` = exp([w] s), shape (..., 3, 3)."""

    def _turned(self, start: ArrayLike, end: ArrayLike) -> Array:
        """Begin at ``start`` and turn to ``end``, by the shorter way, from s = 0 to 1; the pose there."""
        self._T0, T1 = fixed_pose("start", start), fixed_pose("end", end)
        self._w = turn_between(self._T0[:3, :3], T1[:3, :3])
        return T1

    def at(self, s: Array) -> CurvePoint:
        """Poses and their derivatives at parameters of any shape (...)."""
        s = np.asarray(s, dtype=float)
        turn = Rotation.from_rotvec(s.reshape(-1, 1) * self._w).as_matrix().reshape(*s.shape, 3, 3)
        zero = np.zeros((*s.shape, 3))
        p, dp, ddp = self._points(s, turn)
        return CurvePoint(turn @ self._T0[:3, :3], p, zero + self._w, zero + dp, zero, zero + ddp)

    @property
    def start(self) -> Array:
        """The pose at s = 0, shape (4, 4)."""
        return self.pose(0.0)

    @property
    def end(self) -> Array:
        """The pose at the end, shape (4, 4)."""
        return self.pose(self.extent)

    def pose(self, s: ArrayLike) -> Array:
        """T(s), shape (..., 4, 4)."""
        point = self.at(np.asarray(s, dtype=float))
        return rigid(point.R, point.p)


class Line(Curve):
    """The straight line from pose to pose: the point moves evenly, the orientation turns evenly about one axis.

    Orientations are R(s) = exp([w] s) R_0: the great circle between two quaternions, known as slerp (Modern Robotics
    9.2.1, CartesianTrajectory).

    Args:
        start: T at s = 0, lengths in m, shape (4, 4).
        end: T at s = 1, shape (4, 4).

    Raises:
        MotionError: not poses, or orientations half a turn apart, for which there is no shorter way.
    """

    extent = 1.0

    def __init__(self, start: ArrayLike, end: ArrayLike) -> None:
        self._way = self._turned(start, end)[:3, 3] - self._T0[:3, 3]

    def _points(self, s: Array, _: Array) -> tuple[Array, Array, Array]:
        return self._T0[:3, 3] + s[..., None] * self._way, self._way, np.zeros(3)


class Arc(Curve):
    """An arc of a circle; the parameter is the angle along it, rad.

    Args:
        start: T at s = 0, lengths in m, shape (4, 4).
        center: of the circle, m, shape (3,).
        axis: the motion is right-handed about it, shape (3,), of any length; perpendicular to the way from the center
            to the start.
        angle: the angle of the arc, rad; 2 pi is the full circle.
        orientation: "turning" with the arc, "fixed", or an orientation R to end in, shape (3, 3), to which it turns
            evenly by the shorter way.

    Raises:
        MotionError: an axis that is not perpendicular, a center that is the start, an angle that is not above zero.

    >>> arc = armdyn.trajectory.Arc(np.eye(4), center=[0, 1, 0], axis=[0, 0, 1], angle=np.pi / 2)
    >>> arc.end[:3, 3].round(12)
    array([1., 1., 0.])
    """

    def __init__(
        self,
        start: ArrayLike,
        *,
        center: ArrayLike,
        axis: ArrayLike,
        angle: float = 2 * np.pi,
        orientation: Literal["turning", "fixed"] | ArrayLike = "turning",
    ) -> None:
        self._T0, self._center = fixed_pose("start", start), fixed("center", center, (3,))
        self._axis = _unit("axis", fixed("axis", axis, (3,)))
        self._spoke = self._T0[:3, 3] - self._center
        self.extent = number("angle", angle, unit="rad")
        radius = float(np.linalg.norm(self._spoke))
        if self.extent <= 0.0:
            raise MotionError(
                f"angle={angle!r} rad; expected a number above zero (for the other way, turn the axis round)"
            )
        if radius == 0.0:
            raise MotionError("center is the start of the arc; expected another point")
        if abs(self._axis @ self._spoke) > 1e-9 * radius:
            off = np.degrees(np.arccos(self._axis @ self._spoke / radius))
            raise MotionError(
                f"axis is {off:.6g} deg from the way between center and start; expected 90: the axis of a circle is "
                "perpendicular to its plane"
            )
        self._w = self._turning(orientation)

    @classmethod
    def through(cls, start: ArrayLike, via: ArrayLike, end: ArrayLike) -> Arc:
        """The arc from one pose through a point to another pose; the orientation turns evenly by the shorter way.

        Args:
            start: T at the start, lengths in m, shape (4, 4).
            via: a point on the way, m, shape (3,).
            end: T at the end, shape (4, 4).

        Raises:
            MotionError: three points on a straight line.
        """
        T0, b, T1 = fixed_pose("start", start), fixed("via", via, (3,)), fixed_pose("end", end)
        u, v = b - T0[:3, 3], T1[:3, 3] - T0[:3, 3]
        normal = np.cross(u, v)
        n2 = float(normal @ normal)
        if n2 <= 1e-18 * (u @ u) * (v @ v) or not n2:
            raise MotionError("start, via and end lie on a straight line; no circle passes through them: use a Line")
        # The point at equal distance from all three (in the plane of u and v):
        spoke = ((u @ u) * np.cross(v, normal) + (v @ v) * np.cross(normal, u)) / (2 * n2)
        n = normal / np.sqrt(n2)
        x, y = v - spoke, -spoke
        angle = np.arctan2(n @ np.cross(y, x), y @ x) % (2 * np.pi)
        return cls(T0, center=T0[:3, 3] + spoke, axis=n, angle=float(angle), orientation=T1[:3, :3])

    @property
    def radius(self) -> float:
        """The radius of the circle, m."""
        return float(np.linalg.norm(self._spoke))

    def _points(self, s: Array, _: Array) -> tuple[Array, Array, Array]:
        c, sn = np.cos(s)[..., None], np.sin(s)[..., None]
        across = np.cross(self._axis, self._spoke)  # the axis is perpendicular to the spoke: Rodrigues has two terms
        spoke, tangent = c * self._spoke + sn * across, c * across - sn * self._spoke
        return self._center + spoke, tangent, -spoke

    def _turning(self, orientation: str | ArrayLike) -> Array:
        if isinstance(orientation, str):
            ways = {"turning": self._axis, "fixed": np.zeros(3)}
            if orientation not in ways:
                raise UnknownName.of("way", orientation, ways, "orientation=")
            return ways[orientation]
        T1 = np.eye(4)
        T1[:3, :3] = fixed("orientation", orientation, (3, 3))
        return turn_between(self._T0[:3, :3], fixed_pose("orientation", T1)[:3, :3]) / self.extent


class Screw(Curve):
    """The screw motion T(s) = exp([V] s) T_0 from pose to pose, of constant twist (Modern Robotics 9.2.1).

    Args:
        start: T at s = 0, lengths in m, shape (4, 4).
        end: T at s = 1, shape (4, 4).

    Raises:
        MotionError: not poses, or orientations half a turn apart, for which there are two such screws.
    """

    extent = 1.0

    def __init__(self, start: ArrayLike, end: ArrayLike) -> None:
        T1 = self._turned(start, end)
        R0, p0, R1, p1 = self._T0[:3, :3], self._T0[:3, 3], T1[:3, :3], T1[:3, 3]
        self._u = np.linalg.solve(_shift(self._w, np.array(1.0)), p1 - R1 @ R0.T @ p0)  # p_1 = exp([w]) p_0 + G(1) u

    @property
    def twist(self) -> Array:
        """V = (w, v), the constant twist in base axes about the base's origin, for unit speed of s, shape (6,)."""
        return np.concatenate([self._w, self._u])

    def _points(self, s: Array, turn: Array) -> tuple[Array, Array, Array]:
        p = turn @ self._T0[:3, 3] + _shift(self._w, s) @ self._u
        dp = self._u + np.cross(self._w, p)
        return p, dp, np.cross(self._w, dp)


def turn_between(R0: Array, R1: Array) -> Array:
    """w with exp([w]) R_0 = R_1, by the shorter way, rad, shape (3,)."""
    w: Array = Rotation.from_matrix(R1 @ R0.T).as_rotvec()
    if np.linalg.norm(w) > np.pi - 1e-6:
        raise MotionError(
            "the orientations are half a turn apart, so neither way between them is shorter; "
            "go through an orientation in between"
        )
    return w


def _shift(w: Array, s: Array) -> Array:
    """G(s) = 1 s + (1 - cos)/|w|^2 [w] + (s - sin/|w|)/|w|^2 [w]^2, the integral of exp([w] s) (3.86), (..., 3, 3).

    The functions used are smooth at |w| = 0.
    """
    x = s * np.linalg.norm(w)
    half = np.sinc(x / (2 * np.pi))  # sin(x/2) / (x/2)
    k = skew(w)
    first, second = s**2 * half**2 / 2, s**3 * _cubic_rest(x)
    shift: Array = s[..., None, None] * np.eye(3) + first[..., None, None] * k + second[..., None, None] * (k @ k)
    return shift


def _cubic_rest(x: Array) -> Array:
    """(x - sin x) / x^3, by its series if the difference would cancel."""
    near = np.abs(x) < 0.5
    y = np.where(near, x, 1.0) ** 2
    series = 1 / 6 - y / 120 * (1 - y / 42 * (1 - y / 72 * (1 - y / 110 * (1 - y / 156 * (1 - y / 210)))))
    far = np.where(near, 1.0, x)
    rest: Array = np.where(near, series, (far - np.sin(far)) / far**3)
    return rest


def _unit(name: str, v: Array) -> Array:
    length = float(np.linalg.norm(v))
    if length == 0.0:
        raise MotionError(f"{name} is zero; expected a direction")
    return v / length
