"""Twists V = (w, v) and wrenches F = (m, f), angular part first: Lie brackets, and the same ones in other frames.

Every function takes arrays of floats or of symbols.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import printed_pose, scalars
from armdyn.spatial.rotations import Array, adjoint, cross, inverse_rigid, skew


def ad(V: ArrayLike) -> Array:
    """[ad_V] = [[[w], 0], [[v], [w]]], the Lie bracket with the twist V as a matrix, shape (6, 6).

    Modern Robotics 8.38.

    Args:
        V: twist (w, v), rad/s and m/s, shape (6,).

    >>> bool((armdyn.spatial.ad([0, 0, 1, 2, 0, 0]) @ [0, 0, 1, 2, 0, 0] == 0).all())
    True
    """
    w, v = _halves(V, "V")
    W = skew(w)
    return np.block([[W, np.zeros_like(W)], [skew(v), W]])


def lie_bracket(V1: ArrayLike, V2: ArrayLike) -> Array:
    """ad_V1(V2) = (w1 x w2, v1 x w2 + w1 x v2), the Lie bracket of two twists, shape (6,).

    Modern Robotics 8.37. It is the change of V2, seen from a frame at rest, when V2 is constant in a frame that moves
    with V1.

    Args:
        V1: twist (w1, v1), rad/s and m/s, shape (6,).
        V2: twist (w2, v2), in the same frame, rad/s and m/s, shape (6,).

    >>> armdyn.spatial.lie_bracket([0, 0, 1, 0, 0, 0], [1, 0, 0, 0, 2, 0])
    array([ 0.,  1.,  0., -2.,  0.,  0.])
    """
    (w1, v1), (w2, v2) = _halves(V1, "V1"), _halves(V2, "V2")
    return np.concatenate([cross(w1, w2), cross(v1, w2) + cross(w1, v2)])


def coadjoint(V: ArrayLike, F: ArrayLike) -> Array:
    """ad_V^T(F) = (-w x m - v x f, -w x f), of a twist and a wrench, shape (6,).

    Modern Robotics 8.39. Minus this is the rate at which a wrench, or a momentum, that is constant in a frame
    moving with V changes, seen from a frame at rest.

    Args:
        V: twist (w, v), rad/s and m/s, shape (6,).
        F: wrench or momentum (m, f), in the same frame, shape (6,).

    >>> armdyn.spatial.coadjoint([0, 0, 1, 0, 0, 0], [0, 0, 0, 3, 0, 0])
    array([ 0.,  0.,  0.,  0., -3.,  0.])
    """
    (w, v), (m, f) = _halves(V, "V"), _halves(F, "F")
    return np.concatenate([cross(m, w) + cross(f, v), cross(f, w)])


def twist_in(T_ab: ArrayLike, V_b: ArrayLike) -> Array:
    """V_a = [Ad_T_ab] V_b, the same twist in another frame, rad/s and m/s, shape (6,) (Modern Robotics 3.83).

    Args:
        T_ab: pose of frame b in frame a, shape (4, 4), lengths in m.
        V_b: twist (w, v) in frame b, shape (6,).

    >>> T = np.eye(4)
    >>> T[0, 3] = 2.0  # b stands 2 m along x from a
    >>> armdyn.spatial.twist_in(T, [0, 0, 1, 0, 0, 0])
    array([ 0.,  0.,  1.,  0., -2.,  0.])
    """
    V_a: Array = adjoint(printed_pose("T_ab", T_ab)) @ scalars("V_b", V_b, (6,))
    return V_a


def wrench_in(T_ab: ArrayLike, F_b: ArrayLike) -> Array:
    """F_a = [Ad_T_ba]^T F_b = (R m + p x R f, R f), the same wrench in another frame, N m and N, shape (6,).

    Modern Robotics 3.98: power V^T F is the same in both frames.

    Args:
        T_ab: pose (R, p) of frame b in frame a, shape (4, 4), lengths in m.
        F_b: wrench (m, f) in frame b, N m and N, shape (6,).

    >>> T = np.eye(4)
    >>> T[0, 3] = 2.0  # b stands 2 m along x from a
    >>> armdyn.spatial.wrench_in(T, [0, 0, 0, 0, 5, 0])
    array([ 0.,  0., 10.,  0.,  5.,  0.])
    """
    T, (m, f) = printed_pose("T_ab", T_ab), _halves(F_b, "F_b")
    R, p = T[:3, :3], T[:3, 3]
    return np.concatenate([R @ m + cross(p, R @ f), R @ f])


def spatial_inertia_in(T_ab: ArrayLike, G_b: ArrayLike) -> Array:
    """G_a = [Ad_T_ba]^T G_b [Ad_T_ba], the same spatial inertia in another frame, shape (6, 6).

    Modern Robotics 8.42, Steiner's theorem for spatial inertias: kinetic energy is the same in both frames.

    Args:
        T_ab: pose of frame b in frame a, shape (4, 4), lengths in m.
        G_b: spatial inertia in frame b, kg m^2, kg m and kg, shape (6, 6).

    >>> T = np.eye(4)
    >>> T[0, 3] = 2.0  # a point mass of 3 kg, 2 m along x from a
    >>> armdyn.spatial.spatial_inertia_in(T, np.diag([0, 0, 0, 3, 3, 3]))[2, 2]
    np.float64(12.0)
    """
    X = adjoint(inverse_rigid(printed_pose("T_ab", T_ab)))
    G_a: Array = X.T @ scalars("G_b", G_b, (6, 6)) @ X
    return G_a


def _halves(values: ArrayLike, name: str) -> tuple[Array, Array]:
    """The angular and the linear half."""
    vector = scalars(name, values, (6,))
    return vector[:3], vector[3:]
