"""Christoffel symbols of the mass matrix, from composite bodies (Modern Robotics 8.16, 8.17).

With d_j x the velocity of a particle of the arm at unit rate of joint j alone, Gamma_ijk is the integral of d_i x . d_j
d_k x dm. If joint k carries joint j, or is it, d_j d_k x = z_k x d_j x: turning joint k turns that velocity along (a
slide does not). So all symbols are components, along joints' axes, of one vector per pair of joints:

    X_ba = integral of d_b x x d_a x dm,     Gamma_abk = z_k . X_ba = -Gamma_bak,

taken over the bodies that joint b moves, for a that carries b; the first for every k that carries b or is it, the
second for every k that carries a or is it.
"""

from __future__ import annotations

import numpy as np

from armdyn.algorithms.declared import function
from armdyn.algorithms.joint_frames import JointFrame, composite_to_parent, joint_frames
from armdyn.algorithms.kinematics import path_to
from armdyn.algorithms.mass_matrix import Composite, composites, wrench_of_unit_acceleration
from armdyn.base.scalars import Scalar
from armdyn.model.mechanism import Body, Mechanism
from armdyn.model.regrouping import regroup
from armdyn.spatial.rotations import Array, Z, cross
from armdyn.spatial.turns import to_child

Screw = tuple[Array, Array]
"""The twist (z, u) of a body at unit rate of one joint that carries it: angular, and of the body's origin."""


@function("(n)->(n,n,n)")
def christoffel(mechanism: Mechanism, q: Array) -> Array:
    """Christoffel symbols of the first kind Gamma_ijk(q) of M, kg m^2, kg m or kg, over rad or m, shape (..., n, n, n).

    Gamma_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2, symmetric in j and k, so that the velocity forces are
    c_i = sum_jk Gamma_ijk qd_j qd_k and the Coriolis matrix is C_ij = sum_k Gamma_ijk qd_k (Modern Robotics 8.16, 8.17,
    8.19). Then dM_ij/dq_k = Gamma_ijk + Gamma_jik.

    Args:
        q: joint positions, rad or m, shape (..., n).

    >>> robot, q, qd = armdyn.load("furuta"), [0.5, 1.2], np.array([1.0, -0.4])
    >>> bool(np.allclose(robot.christoffel(q) @ qd @ qd, robot.velocity_forces(q, qd)))
    True
    """
    Gamma = mechanism.drive.tensor(entries(regroup(mechanism), mechanism.drive.positions(q)), rank=3)  # M alone decides
    for j in range(mechanism.dof):
        Gamma[:, :j, j] = Gamma[:, j, :j]
    return Gamma


@function("(n)->(n,n)")
def centrifugal_coefficients(mechanism: Mechanism, q: Array) -> Array:
    """Coefficients C(q) of the squares qd_j^2 in the velocity forces, N m s^2/rad^2 and the like, shape (..., n, n).

    The configuration-space form of the velocity forces is c(q, qd) = B(q) [qd_j qd_k] + C(q) [qd_j^2], with C_ij =
    Gamma_ijj (Craig 6.8; Modern Robotics 8.16); `coriolis_coefficients` is B. Not to be mistaken for the Coriolis
    matrix C(q, qd).

    Args:
        q: joint positions, rad or m, shape (..., n).

    >>> armdyn.load("planar_2r").centrifugal_coefficients([0.0, np.pi / 2]).round(6) + 0.0
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    C: Array = np.einsum("ijj->ij", christoffel(mechanism, q))
    return C


@function("(n)->(n,pairs)")
def coriolis_coefficients(mechanism: Mechanism, q: Array) -> Array:
    """Coefficients B(q) of the products qd_j qd_k in the velocity forces, kg m^2 or the like, shape (..., n, pairs).

    A column for each of the n (n - 1) / 2 pairs j < k: (0, 1), (0, 2), ..., (0, n - 1), (1, 2), ..., in the order of
    ``np.triu_indices(n, 1)``. The configuration-space form is c(q, qd) = B(q) [qd_j qd_k] + C(q) [qd_j^2], with
    B_i,jk = 2 Gamma_ijk (Craig 6.8; Modern Robotics 8.16) and `centrifugal_coefficients` C.

    Args:
        q: joint positions, rad or m, shape (..., n).

    >>> robot, q, qd = armdyn.load("ur5"), np.full(6, 0.3), np.arange(6.0)
    >>> j, k = np.triu_indices(6, 1)
    >>> c = robot.coriolis_coefficients(q) @ (qd[j] * qd[k]) + robot.centrifugal_coefficients(q) @ qd**2
    >>> bool(np.allclose(c, robot.velocity_forces(q, qd)))
    True
    """
    Gamma = christoffel(mechanism, q)
    j, k = np.triu_indices(mechanism.dof, 1)
    B: Array = Gamma[:, j, k] + Gamma[:, j, k]
    return B


def entries(mechanism: Mechanism, q: Array) -> dict[tuple[int, ...], Scalar]:
    """Gamma_ijk by body, if all three joints lie on one way outwards; the others are zero. q by body."""
    Gamma: dict[tuple[int, ...], Scalar] = {}
    joints = joint_frames(mechanism, q)
    screws = joint_screws(mechanism, q, joints)
    for b, (body, whole) in enumerate(zip(mechanism.bodies, composites(mechanism, q), strict=True)):
        path, turned = path_to(mechanism, b), composite_to_parent(joints[b].spin, whole)
        for a in path[1:]:
            X = product_of_velocities(body, turned, screws[b][a])
            for k in path:
                if mechanism.bodies[k].revolute:
                    along = screws[b][k][0] @ X
                    Gamma[a, b, k] = Gamma[a, k, b] = along
                    if k <= a:  # k carries a, or is it: bodies stand after those that carry them
                        Gamma[b, a, k] = Gamma[b, k, a] = -along
    return Gamma


def joint_screws(mechanism: Mechanism, q: Array, joints: list[JointFrame]) -> list[dict[int, Screw]]:
    """The screws of the joints that move each body, in its joint's axes (Modern Robotics 5.18)."""
    screws: list[dict[int, Screw]] = []
    for k, body in enumerate(mechanism.bodies):
        own, zero = {}, np.zeros(3)
        for a, (z, u) in (screws[body.parent] if body.parent >= 0 else {}).items():
            z, u = (to_child(joints[body.parent].spin, x) for x in (z, u))  # noqa: PLW2901
            z, u = (to_child(joints[k].rest, x) for x in (z, u + cross(z, body.offset)))  # noqa: PLW2901
            own[a] = (z, u if body.revolute else u + cross(z, q[k] * Z))
        own[k] = (Z, zero) if body.revolute else (zero, Z)
        screws.append(own)
    return screws


def product_of_velocities(body: Body, whole: Composite, screw: Screw) -> Array:
    """X_ba, the integral of d_b x x d_a x dm over the bodies that the joint of ``body`` moves; d_a x = u + z x r."""
    (mass, h, S), (z, u) = whole, screw
    if not body.revolute:  # d_b x is the axis
        return cross(Z, mass * u + cross(z, h))
    force, turned = wrench_of_unit_acceleration(body, whole).f, cross(Z, z)
    X: Array = cross(force, u) + S @ turned  # (z_b x r) x (z x r) = r (r . (z_b x z))
    return X
