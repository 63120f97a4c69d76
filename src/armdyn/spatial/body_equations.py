"""The equations of motion of one rigid body: Newton's, Euler's, and both at once with twist and wrench.

Every function takes arrays of floats or of symbols.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import scalars
from armdyn.base.scalars import Scalar
from armdyn.spatial.rotations import Array, cross
from armdyn.spatial.twists import coadjoint


def newton(mass: Scalar, acceleration: ArrayLike) -> Array:
    """F = m a_C, the force that accelerates a body, N, shape (3,) (Craig 6.4, Newton's equation).

    Args:
        mass: m, kg.
        acceleration: a_C, of the centre of mass, seen from a frame at rest, m/s^2, shape (3,).

    >>> armdyn.spatial.newton(2.0, [0, 0, 3])
    array([0., 0., 6.])
    """
    force: Array = mass * scalars("acceleration", acceleration, (3,))
    return force


def euler(tensor: ArrayLike, w: ArrayLike, alpha: ArrayLike) -> Array:
    """N = I_c alpha + w x I_c w, the moment about the centre of mass that turns a body, N m, shape (3,).

    Craig 6.4, Modern Robotics 8.23: Euler's equation. All in the same axes.

    Args:
        tensor: I_c, rotational inertia about the centre of mass, kg m^2, shape (3, 3).
        w: angular velocity, rad/s, shape (3,).
        alpha: angular acceleration, rad/s^2, shape (3,).

    >>> armdyn.spatial.euler(np.diag([1, 2, 3]), [1, 1, 0], [0, 0, 0])
    array([0., 0., 1.])
    """
    tensor, w = scalars("tensor", tensor, (3, 3)), scalars("w", w, (3,))
    return tensor @ scalars("alpha", alpha, (3,)) + cross(w, tensor @ w)


def euler_principal(moments: ArrayLike, w: ArrayLike, alpha: ArrayLike) -> Array:
    """N = (I_x alpha_x + (I_z - I_y) w_y w_z, ...), Euler's equation in principal axes, N m, shape (3,).

    Modern Robotics 8.25.

    Args:
        moments: (I_x, I_y, I_z), principal moments of inertia about the centre of mass, kg m^2, shape (3,).
        w: angular velocity in principal axes, rad/s, shape (3,).
        alpha: angular acceleration in principal axes, rad/s^2, shape (3,).

    >>> armdyn.spatial.euler_principal([1, 2, 3], [1, 1, 0], [0, 0, 0])
    array([0., 0., 1.])
    """
    x, y, z = scalars("moments", moments, (3,))
    wx, wy, wz = scalars("w", w, (3,))
    ax, ay, az = scalars("alpha", alpha, (3,))
    return np.array([
        x * ax + (z - y) * wy * wz,
        y * ay + (x - z) * wx * wz,
        z * az + (y - x) * wx * wy,
    ])  # fmt: skip


def body_wrench(G: ArrayLike, V: ArrayLike, Vdot: ArrayLike) -> Array:
    """F = G Vdot - ad_V^T G V, the wrench that moves a body, N m and N, shape (6,) (Modern Robotics 8.40, 8.43).

    It has this form in every frame: fixed to the body, with G constant, or at rest, with G as it is at that instant.

    Args:
        G: spatial inertia of the body, in the frame, kg m^2, kg m and kg, shape (6, 6).
        V: twist (w, v) of the body, in the frame, rad/s and m/s, shape (6,).
        Vdot: its time derivative, component by component, rad/s^2 and m/s^2, shape (6,). For a turning body its linear
            half is not the acceleration of a point: that is vdot + w x v (Modern Robotics 8.22).

    >>> G = armdyn.inertia.sphere(0.1, mass=2.0).spatial_inertia
    >>> armdyn.spatial.body_wrench(G, [0, 0, 1, 3, 0, 0], np.zeros(6))
    array([0., 0., 0., 0., 6., 0.])
    """
    G = scalars("G", G, (6, 6))
    wrench: Array = G @ scalars("Vdot", Vdot, (6,)) - coadjoint(V, G @ scalars("V", V, (6,)))
    return wrench
