"""Accelerations by the articulated-body algorithm, ABA (Featherstone 2008, 7.3).

A link with everything outboard of it, whose joints move under their forces, responds to an acceleration A = (wd, a) of
its frame's origin by a wrench that is linear in it:

    (n, f) = J A + p,        J = [[K, H], [H^T, M]].

J is its articulated inertia I^A, p its bias wrench p^A at A = 0. Through a joint of axis S and rotor inertia r, with
U = J S, D = S^T U + r and u = tau - S^T p, the link inboard carries J - U U^T / D and p + U u / D.

The mass matrix is not formed. If two axes are nearly in line, its entries nearly cancel in the elimination, and digits
are lost; here the remainder in the joint's own direction is an exact zero before the next rotation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from armdyn.algorithms.newton_euler import BodyMotion, Wrench, twist_in_child, wrench_in_parent
from armdyn.base.advice import option
from armdyn.base.errors import ModelError
from armdyn.base.exact import is_zero
from armdyn.base.scalars import Scalar
from armdyn.model.mechanism import Body, Mechanism
from armdyn.spatial.rotations import Array, Z, skew
from armdyn.spatial.turns import Turns, symmetric_to_parent, tensor_to_parent


class JointProjection(NamedTuple):
    """The articulated body that a joint moves, seen along the joint's axis S.

    Args:
        axis: the component of the six that is the joint's own: 2 for turning about z, 5 for sliding along it.
        U: J S, the wrench of a unit acceleration of the joint, (6,).
        rotor: r, the reflected inertia of the joint's rotor, which follows this joint alone.
        reciprocal: 1 / D, with D = S^T U + r.
        p: S^T p, the force that holds the joint's acceleration at zero.
    """

    axis: int
    U: Array
    rotor: Scalar
    reciprocal: Scalar
    p: Scalar


def accelerations(
    mechanism: Mechanism, q: Array, motions: Sequence[BodyMotion], wrenches: Sequence[Wrench], tau: Sequence[Scalar]
) -> list[Scalar]:
    """The joint accelerations that joint forces cause, by body; q and tau by body.

    ``motions`` of the links, and the ``wrenches`` they need, are those without any joint acceleration; this function
    adds the linear response to it.
    """
    J = [articulated_inertia_of_link(body) for body in mechanism.bodies]
    p = list(wrenches)
    joints: list[JointProjection] = []
    for k in reversed(range(len(mechanism.bodies))):  # tips to base
        body = mechanism.bodies[k]
        joint = project_onto_joint(mechanism, k, J[k], p[k])
        joints.insert(0, joint)
        if body.parent >= 0:
            inertia, wrench = through_joint(joint, J[k], p[k], tau[k])
            to_parent = wrench_in_parent(body, q[k], motions[k].turns, wrench)
            of_parent = p[body.parent]
            p[body.parent] = Wrench(of_parent.n + to_parent.n, of_parent.f + to_parent.f)
            J[body.parent] = J[body.parent] + inertia_in_parent(body, q[k], motions[k].turns, inertia)
    qdd: list[Scalar] = []
    added: list[Array] = []  # the acceleration A of every link
    for k, body in enumerate(mechanism.bodies):  # base to tips
        carrier = np.split(np.zeros(6) if body.parent < 0 else added[body.parent], 2)
        A = np.concatenate(twist_in_child(body, q[k], motions[k].turns, *carrier))  # without the joint's own part
        joint = joints[k]
        # The small terms first: tau is rounded with them once.
        qdd.append((tau[k] - (joint.p + joint.U @ A)) * joint.reciprocal)
        added.append(A + qdd[k] * np.eye(6)[joint.axis])
    return qdd


def articulated_inertia_of_link(body: Body) -> Array:
    """J of a link by itself: K = tr(Sigma) 1 - Sigma, H = [h], M = m 1."""
    S, H = body.second_moment, skew(body.first_moment)
    x, y, z = np.diagonal(S)
    K = np.diag([y + z, x + z, x + y]) - (S - np.diag([x, y, z]))
    return np.block([[K, H], [H.T, body.mass * np.eye(3)]])


def project_onto_joint(mechanism: Mechanism, k: int, J: Array, p: Wrench) -> JointProjection:
    """U = J S and D = S^T U + r of the joint that moves body k."""
    body, rotor = mechanism.bodies[k], mechanism.drive.armature[k]
    axis, force = (2, p.n[2]) if body.revolute else (5, p.f[2])
    U = J[:, axis]
    D = U[axis] + rotor
    require_joint_inertia(mechanism, mechanism.model.joints[body.joint].name, D)
    return JointProjection(axis, U, rotor, 1.0 / D, force)


def through_joint(joint: JointProjection, J: Array, p: Wrench, tau: Scalar) -> tuple[Array, Wrench]:
    """J - U U^T / D and p + U u / D with u = tau - S^T p: J and p on the other side of the joint.

    In the joint's own direction only the rotor's part of J remains, and of p the force of the joint. These values are
    assigned exactly, not left to the cancellation of rounded numbers.
    """
    U, u = joint.U, tau - joint.p
    rotor = joint.rotor * joint.reciprocal
    L = U * joint.reciprocal
    L[joint.axis] = 1.0 - rotor
    wrench = np.concatenate(p) + L * u
    wrench[joint.axis] = tau - rotor * u
    remainder = np.triu(J - np.outer(L, U))
    return remainder + np.triu(remainder, 1).T, Wrench(*np.split(wrench, 2))


def inertia_in_parent(body: Body, position: Scalar, turns: Turns, J: Array) -> Array:
    """An articulated inertia of ``body`` in the axes of its parent, about the parent's origin."""
    K, H, M = J[:3, :3], J[:3, 3:], J[3:, 3:]
    if not body.revolute:
        K, H = shift(K, H, M, position * Z)
    K, H, M = symmetric_to_parent(turns, K), tensor_to_parent(turns, H), tensor_to_parent(turns, M)
    K, H = shift(K, H, M, body.offset)
    return np.block([[K, H], [H.T, M]])


def shift(K: Array, H: Array, M: Array, p: Array) -> tuple[Array, Array]:
    """H' = H + [p] M and K' = K + [p] H'^T - H [p]: about a point that lies at -p from the present one."""
    P = skew(p)
    shifted = H + P @ M
    moved = np.array(K, dtype=object)
    for i, j in zip(*np.triu_indices(3), strict=True):
        added = P[i] @ (H[i] + shifted[i]) if i == j else P[i] @ shifted[j] + P[j] @ H[i]
        moved[i, j] = moved[j, i] = K[i, j] + added
    return moved, shifted


def require_joint_inertia(mechanism: Mechanism, joint: str, inertia: Scalar) -> None:
    """Refuse a joint whose articulated inertia D is zero in every configuration."""
    if is_zero(inertia):
        raise ModelError(
            f"joint {joint!r} of {mechanism.name!r} moves no inertia, so no force decides its acceleration; "
            f"give the links it moves mass, or hold it with {option('locked', {joint: 0.0})}."
        )
