"""Velocity and acceleration of a point or a frame, seen from another frame that moves (Craig 6.2).

Frame B moves relative to frame A by a `FrameMotion`. The functions convert motions seen from B to motions seen from A.
Every function takes arrays of floats or of symbols, and all results are in A's axes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import PRINTED, rotation, scalars
from armdyn.spatial.rotations import Array, cross


class FrameMotion(NamedTuple):
    """The motion of frame B, seen from frame A.

    Args:
        R: R_AB, B's axes as columns in A's, shape (3, 3).
        p: position of B's origin in A, m, shape (3,).
        w: Omega, angular velocity of B, in A's axes, rad/s, shape (3,).
        v: velocity of B's origin, in A's axes, m/s, shape (3,).
        alpha: angular acceleration of B, in A's axes, rad/s^2, shape (3,).
        a: acceleration of B's origin, in A's axes, m/s^2, shape (3,).
    """

    R: Array
    p: Array
    w: Array
    v: Array
    alpha: Array
    a: Array

    @classmethod
    def of(
        cls,
        *,
        R: ArrayLike = ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
        p: ArrayLike = (0, 0, 0),
        w: ArrayLike = (0, 0, 0),
        v: ArrayLike = (0, 0, 0),
        alpha: ArrayLike = (0, 0, 0),
        a: ArrayLike = (0, 0, 0),
    ) -> FrameMotion:
        """The motion with these parts, checked; a part left out is zero, R the identity."""
        vectors = {"p": p, "w": w, "v": v, "alpha": alpha, "a": a}
        exact = any(np.asarray(x).dtype == object for x in (R, *vectors.values()))
        parts = {name: scalars(name, x, (3,), exact=exact) for name, x in vectors.items()}
        return cls(rotation("R", scalars("R", R, (3, 3), exact=exact), tolerance=PRINTED), **parts)


class AccelerationTerms(NamedTuple):
    """The five parts of a point's acceleration seen from A, in A's axes, m/s^2, each of shape (3,)."""

    origin: Array
    """a_BORG, the acceleration of B's origin."""
    relative: Array
    """R a_Q, the acceleration seen from B."""
    coriolis: Array
    """2 Omega x R v_Q, the Coriolis acceleration of a point that moves in B."""
    euler: Array
    """alpha x R Q, for a B with angular acceleration."""
    centripetal: Array
    """Omega x (Omega x R Q), the centripetal acceleration, towards the axis that B turns about."""

    @property
    def total(self) -> Array:
        """Their sum, the acceleration seen from A, m/s^2, shape (3,)."""
        return self.origin + self.relative + self.coriolis + self.euler + self.centripetal


def point_velocity(B: FrameMotion, Q: ArrayLike, v_Q: ArrayLike = (0, 0, 0)) -> Array:
    """v = v_BORG + R v_Q + Omega x R Q, velocity of a point seen from A, m/s, shape (3,) (Craig 6.2).

    Args:
        B: motion of frame B, seen from A.
        Q: position of the point in B, m, shape (3,).
        v_Q: its velocity seen from B, in B's axes, m/s, shape (3,); at rest in B by default.

    >>> turntable = armdyn.spatial.FrameMotion.of(w=[0, 0, 2])
    >>> armdyn.spatial.point_velocity(turntable, [3, 0, 0])
    array([0., 6., 0.])
    """
    r = B.R @ scalars("Q", Q, (3,))
    velocity: Array = B.v + B.R @ scalars("v_Q", v_Q, (3,)) + cross(B.w, r)
    return velocity


def point_acceleration(
    B: FrameMotion, Q: ArrayLike, v_Q: ArrayLike = (0, 0, 0), a_Q: ArrayLike = (0, 0, 0)
) -> AccelerationTerms:
    """a = a_BORG + R a_Q + 2 Omega x R v_Q + alpha x R Q + Omega x (Omega x R Q), its terms, m/s^2 (Craig 6.2).

    ``.total`` is the acceleration seen from A, shape (3,).

    Args:
        B: how frame B moves, seen from A.
        Q: position of the point in B, m, shape (3,).
        v_Q: its velocity seen from B, in B's axes, m/s, shape (3,).
        a_Q: its acceleration seen from B, in B's axes, m/s^2, shape (3,).

    >>> turntable = armdyn.spatial.FrameMotion.of(w=[0, 0, 2])
    >>> walking_outwards = armdyn.spatial.point_acceleration(turntable, [3, 0, 0], [1, 0, 0])
    >>> walking_outwards.coriolis, walking_outwards.centripetal
    (array([0., 4., 0.]), array([-12.,   0.,   0.]))
    """
    r = B.R @ scalars("Q", Q, (3,))
    v = B.R @ scalars("v_Q", v_Q, (3,))
    return AccelerationTerms(
        origin=B.a,
        relative=B.R @ scalars("a_Q", a_Q, (3,)),
        coriolis=2 * cross(B.w, v),
        euler=cross(B.alpha, r),
        centripetal=cross(B.w, cross(B.w, r)),
    )


def angular_velocity(B: FrameMotion, w_C: ArrayLike) -> Array:
    """Omega_C = Omega_B + R w_C, angular velocity of a frame C seen from A, rad/s, shape (3,) (Craig 6.2).

    Args:
        B: how frame B moves, seen from A.
        w_C: angular velocity of C seen from B, in B's axes, rad/s, shape (3,).

    >>> armdyn.spatial.angular_velocity(armdyn.spatial.FrameMotion.of(w=[0, 0, 2]), [0, 1, 0])
    array([0., 1., 2.])
    """
    w: Array = B.w + B.R @ scalars("w_C", w_C, (3,))
    return w


def angular_acceleration(B: FrameMotion, w_C: ArrayLike, alpha_C: ArrayLike = (0, 0, 0)) -> Array:
    """alpha = alpha_B + R alpha_C + Omega_B x R w_C, of a frame C seen from A, rad/s^2, shape (3,) (Craig 6.2).

    Args:
        B: how frame B moves, seen from A.
        w_C: angular velocity of C seen from B, in B's axes, rad/s, shape (3,).
        alpha_C: angular acceleration of C seen from B, in B's axes, rad/s^2, shape (3,).

    >>> armdyn.spatial.angular_acceleration(armdyn.spatial.FrameMotion.of(w=[0, 0, 2]), [0, 1, 0])
    array([-2.,  0.,  0.])
    """
    carried = B.R @ scalars("w_C", w_C, (3,))
    alpha: Array = B.alpha + B.R @ scalars("alpha_C", alpha_C, (3,)) + cross(B.w, carried)
    return alpha


def frame_motion(B: FrameMotion, C: FrameMotion) -> FrameMotion:
    """The motion of frame C, seen from A, for B the motion of B seen from A, and C that of C seen from B.

    Craig 6.2, all four equations: link after link, this is the outward half of the Newton-Euler recursion.

    >>> shoulder = armdyn.spatial.FrameMotion.of(w=[0, 0, 2])
    >>> elbow = armdyn.spatial.FrameMotion.of(p=[1, 0, 0], w=[0, 0, -2])
    >>> hand = armdyn.spatial.frame_motion(shoulder, elbow)
    >>> hand.w, hand.v, hand.a
    (array([0., 0., 0.]), array([0., 2., 0.]), array([-4.,  0.,  0.]))
    """
    return FrameMotion(
        R=B.R @ C.R,
        p=B.p + B.R @ C.p,
        w=angular_velocity(B, C.w),
        v=point_velocity(B, C.p, C.v),
        alpha=angular_acceleration(B, C.w, C.alpha),
        a=point_acceleration(B, C.p, C.v, C.a).total,
    )
