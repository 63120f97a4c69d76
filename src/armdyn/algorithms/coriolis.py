"""The Coriolis matrix by Christoffel symbols, without forming them all (Modern Robotics 8.16-8.19).

C_ij is the sum over k of Gamma_ijk qd_k, and every Gamma is a component, along a joint's axis, of a vector X_ba of two
joints of which a carries b (see `christoffel`). In C the same X_ba meets the axes of all joints up to some place, whose
sum with the rates is an angular velocity; and an axis meets the X of all joints beyond some place, summed inwards:

    C_ab =  w_p . X_ba + z_b . sum over k = b and joints that b carries of qd_k X_ka
    C_ba = -w_a . X_ba + z_a . (sum over joints that b carries of qd_k X_kb - sum over k between a and b of qd_k X_bk)

with w_a the angular velocity of a's body, and w_p of the body that carries joint b. Echeandia and Wensing (2021) reach
this matrix by another way, through a factorisation of the rate of every body's 6x6 inertia.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.algorithms.christoffel import Screw, joint_screws, product_of_velocities
from armdyn.algorithms.declared import function
from armdyn.algorithms.joint_frames import composite_to_parent, joint_frames
from armdyn.algorithms.kinematics import path_to
from armdyn.algorithms.mass_matrix import composites
from armdyn.base.scalars import Scalar
from armdyn.model.mechanism import Mechanism
from armdyn.model.regrouping import regroup
from armdyn.spatial.rotations import Array
from armdyn.spatial.turns import to_parent


@function("(n),(n)->(n,n)")
def coriolis_matrix(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """Coriolis matrix C(q, qd) by Christoffel symbols, N m s/rad, N s or N s/m, shape (..., n, n).

    C_ij = sum_k Gamma_ijk(q) qd_k, by composite bodies (Modern Robotics 8.17-8.19). So C qd = c(q, qd), the velocity
    forces; C + C^T = Mdot, hence Mdot - 2 C is skew-symmetric (Proposition 8.1); and C(q, u) v = C(q, v) u.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).

    >>> robot, q, qd = armdyn.load("furuta"), [0.5, 1.2], [1.0, -0.4]
    >>> C = robot.coriolis_matrix(q, qd)
    >>> bool(np.allclose(C @ qd, robot.velocity_forces(q, qd)))
    True
    >>> bool(np.allclose(C + C.T, robot.mass_matrix_dot(q, qd)))
    True
    """
    q, qd = mechanism.drive.positions(q), mechanism.drive.rates(qd)
    return mechanism.drive.tensor(entries(regroup(mechanism), q, qd), rank=2)  # C depends on M alone


def entries(mechanism: Mechanism, q: Array, qd: Array) -> dict[tuple[int, ...], Scalar]:
    """C_ij by body, for joints i that carry j or j that carry i; the others are zero. q, qd by body."""
    C: dict[tuple[int, ...], Scalar] = {}
    joints, whole = joint_frames(mechanism, q), composites(mechanism, q)
    screws = joint_screws(mechanism, q, joints)
    beyond: list[dict[int, Array]] = [{} for _ in mechanism.bodies]  # by b and a: sum of qd_k X_ka over k outboard of b
    for b in reversed(range(len(mechanism.bodies))):
        body, path = mechanism.bodies[b], path_to(mechanism, b)
        moved, z_b = composite_to_parent(joints[b].spin, whole[b]), screws[b][b][0]
        w = angular_velocities(screws[b], path, qd)
        rest = beyond[b].get(b, np.zeros(3))
        C[b, b] = z_b @ rest
        for a in path[1:]:  # inwards
            X = product_of_velocities(body, moved, screws[b][a])
            with_b = beyond[b].get(a, np.zeros(3)) + qd[b] * X
            C[a, b] = w[body.parent] @ X + z_b @ with_b
            C[b, a] = screws[b][a][0] @ rest - w[a] @ X
            rest = rest - qd[a] * X
            seen_by_parent = to_parent(joints[body.parent].spin, to_parent(joints[b].rest, with_b))
            beyond[body.parent][a] = beyond[body.parent].get(a, np.zeros(3)) + seen_by_parent
    return C


def angular_velocities(screws: dict[int, Screw], path: Sequence[int], qd: Array) -> dict[int, Array]:
    """w of every body that carries the outermost of ``path``, in the axes in which ``screws`` are given."""
    w, velocities = np.zeros(3), {}
    for k in reversed(path):  # from the base outwards
        w = w + qd[k] * screws[k][0]
        velocities[k] = w
    return velocities
