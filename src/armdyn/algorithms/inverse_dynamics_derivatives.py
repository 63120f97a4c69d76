"""First derivatives of inverse dynamics from composite bodies: a few operations for every pair of joints.

Let T be the 4x4 pose of a body, r = T x its points, and J the integral of r r^T dm. With free fall counted as an
acceleration of the base, the skew part of A J, the integral of (d^2r/dt^2) r^T dm, is the wrench that moves the body:

    V = Tdot T^-1 = [[w], v; 0, 0]    its velocities
    A = Tddot T^-1 = Vdot + V V = [U, a; 0, 0]    its accelerations

A change of q_j turns all bodies that joint j carries by exp(S dq_j), where the screw S of the joint moves with the link
that carries the joint: Sdot = [V, S] and Sddot = [A, S] - 2 Sdot V, with the V and A of that link. Tddot becomes Tddot
+ (Sddot T + 2 Sdot Tdot + S Tddot) dq_j. So, summed over all bodies that the outer of two joints j, k carries, with K
the sum of V J,

            change of the sum of A J          torques
    dq_j    Sddot_j J + 2 Sdot_j K            of k, while the carried bodies, with k's screw, turn along with j
    dq_k    Sddot_k J + 2 Sdot_k K            of k and j, while the wrench turns along with k
    dqd_j   2 Sdot_j J + 2 S_j K              of k; with S_k of both: with the base at rest, twice the Coriolis
                                              matrix of Christoffel's symbols
    dqdd_j  S_j J                             of k; with S_k of both: the mass matrix

With J, K and the wrench of composite k, in the axes of joint k, these are a wrench for each derivative by joint k, and
for the derivatives of torque k by joints further in, the coefficients of S_j, Sdot_j and Sddot_j: again a wrench, the
one of qdd_k, and a couple. All are carried inwards, and meet the joints there. Velocities are taken relative to the
origin of the joint at hand; from one joint to the next inwards all of them change by the same u, and the couple by
u x f. Compare Carpentier and Mansard 2018 and Singh, Russell and Wensing 2022, who use 6x6 matrices.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.algorithms.declared import function
from armdyn.algorithms.elements import refuse_elements
from armdyn.algorithms.joint_frames import JointFrame, across_z, joint_frames, to_carrier
from armdyn.algorithms.mass_matrix import Composite, wrench_of_unit_acceleration
from armdyn.algorithms.moving_composites import (
    CompositeRates,
    along_rate,
    couple_of_unit_rate,
    moving_composites,
    wrench_of_rate,
)
from armdyn.algorithms.newton_euler import (
    BodyMotion,
    Wrench,
    acceleration_tensor,
    along,
    along_joints,
    axial_of_product,
    base_motion,
    links_in_motion,
    summed_inwards,
)
from armdyn.base.scalars import Scalar
from armdyn.model.mechanism import Body, Mechanism
from armdyn.model.regrouping import regroup
from armdyn.spatial.rotations import Array, Z, cross, skew
from armdyn.spatial.turns import to_child, to_parent

AT_REST = np.zeros(3)

Entries = dict[tuple[int, ...], Scalar]
"""Entries of a matrix by row and column body; missing ones are zero."""


class InverseDynamicsDerivatives(NamedTuple):
    """Derivatives of joint force tau_i (row i) by q_j, qd_j and qdd_j (column j), shape (..., n, n) each."""

    d_q: Array
    d_qd: Array
    d_qdd: Array


@function("(n),(n),(n),(6)?,(6)?,(6)?,(links,6)?->(n,n),(n,n),(n,n)", result=InverseDynamicsDerivatives)
def inverse_dynamics_derivatives(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    f_tip: Array | None = None,
    base_twist: Array | None = None,
    base_twist_rate: Array | None = None,
    f_ext: Array | None = None,
) -> InverseDynamicsDerivatives:
    """Derivatives of the joint forces tau(q, qd, qdd) by each, N m/rad, N m s/rad, kg m^2, shape (..., n, n) each.

    The derivatives are exact, from composite bodies. d tau/d qdd is the mass matrix, d tau/d qd twice the Coriolis
    matrix of Christoffel's symbols (Modern Robotics 8.18) and the slope of the friction, which at rest is that of
    neither side: Coulomb's counts as 0. Wrenches are constant in their own frames, which move with q.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
        base_twist: V_0 = (w, v) of the base frame in base axes, rad/s and m/s, shape (..., 6); at rest if left out.
        base_twist_rate: the rate at which those six numbers change, rad/s^2 and m/s^2, shape (..., 6).
        f_ext: wrenches (m, f) of the surroundings on the links, in link frames, N m and N, shape (..., links, 6), rows
            as in ``robot.link_names``; see `external_wrench`. The base's has no effect.

    Returns:
        An `InverseDynamicsDerivatives`: named arrays ``d_q``, ``d_qd``, ``d_qdd``; rows belong to tau.

    >>> robot = armdyn.load("ur5")
    >>> d_q, d_qd, d_qdd = robot.inverse_dynamics_derivatives(np.ones(6), np.ones(6), np.ones(6))
    >>> bool(np.allclose(d_qdd, robot.mass_matrix(np.ones(6))))
    True
    """
    refuse_elements(mechanism, "inverse_dynamics_derivatives")
    mechanism = regroup(mechanism)  # only joint forces are computed
    q, qd, qdd = mechanism.drive.positions(q), mechanism.drive.rates(qd), mechanism.drive.rates(qdd)
    base = base_motion(mechanism.gravity, base_twist, base_twist_rate)
    motions, wrenches = links_in_motion(mechanism, q, qd, qdd, base, f_tip, f_ext)
    joints = joint_frames(mechanism, q)
    parents = motions_of_parents(mechanism, q, qd, joints, motions, base)
    wrenches = summed_inwards(mechanism, q, wrenches)
    d_q, d_qd, d_qdd = entries(mechanism, q, qd, joints, parents, wrenches)
    drive = mechanism.drive
    loads = drive.with_springs(along_joints(mechanism, wrenches), q)
    by_body = drive.with_friction(drive.with_stiffness(d_q, q), d_qd, d_qdd, qd, loads)
    return InverseDynamicsDerivatives(*(drive.tensor(matrix, rank=2) for matrix in by_body))


class ParentMotion(NamedTuple):
    """The motion of the link that carries a joint, in the joint's axes.

    ``w``, ``U``, the acceleration ``a`` of its point at the joint's origin, and the velocity of that point relative to
    the origin of the joint before, the part by turning of the link and extension of a slide between the two:
    ``twice_u``.
    """

    w: Array
    a: Array
    U: Array
    twice_w: Array
    twice_u: Array


class WrenchDerivatives(NamedTuple):
    """Derivatives by q_k, qd_k, qdd_k of the wrench on all that joint k carries, in axes of a joint inwards of it.

    ``couple`` meets the angular part of a screw X in the sum of X K; ``qdd`` also meets the whole of X in the
    sum of X J.
    """

    q: Wrench
    qd: Wrench
    qdd: Wrench
    couple: Array


def entries(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    joints: list[JointFrame],
    parents: list[ParentMotion],
    wrenches: list[Wrench],
) -> tuple[Entries, Entries, Entries]:
    """d tau/d q, d qd, d qdd by body, for joints of which one carries the other. q, qd by body.

    Velocities are doubled, because all but a few terms need twice them.
    """
    d_q: Entries = {}
    d_qd: Entries = {}
    d_qdd: Entries = {}
    for k, (whole, rates) in enumerate(moving_composites(mechanism, q, 2.0 * qd, joints)):
        body, parent = mechanism.bodies[k], parents[k]
        seen = rates_in_parent(body, 2.0 * qd[k], whole, rates)
        W = wrench_of_unit_acceleration(body, whole)
        derivatives = WrenchDerivatives(
            wrench_of_displacement(body, whole, seen, parent, in_joint_axes(joints[k], wrenches[k])),
            wrench_of_rate(body, whole, seen, parent.twice_w),
            W,
            couple_of_unit_rate(body, whole, seen, parent.twice_w),
        )
        d_q[k, k], d_qd[k, k] = along(body, derivatives.q), along(body, derivatives.qd)
        d_qdd[k, k] = along(body, W)
        j = k
        while mechanism.bodies[j].parent >= 0:
            i, j = j, mechanism.bodies[j].parent
            derivatives = inwards(mechanism.bodies[i], q[i], parents[i], joints[i], joints[j], derivatives)
            body, parent = mechanism.bodies[j], parents[j]
            d_q[j, k], d_qd[j, k] = along(body, derivatives.q), along(body, derivatives.qd)
            d_qdd[j, k] = d_qdd[k, j] = along(body, derivatives.qdd)
            d_qd[k, j] = along_rate(body, (parent.twice_w, AT_REST), derivatives.qdd)
            d_qd[k, j] = d_qd[k, j] + along_couple(body, derivatives.couple)
            d_q[k, j] = second_derivative_along_axis(body, parent, derivatives)
    return d_q, d_qd, d_qdd


def motions_of_parents(
    mechanism: Mechanism, q: Array, qd: Array, joints: list[JointFrame], motions: list[BodyMotion], base: BodyMotion
) -> list[ParentMotion]:
    """The motion of the link that carries each joint (Craig 6.45, 6.46 without the joint's own terms)."""
    parents: list[ParentMotion] = []
    for k, (body, joint) in enumerate(zip(mechanism.bodies, joints, strict=True)):
        link = motions[body.parent] if body.parent >= 0 else base
        slides = body.parent >= 0 and not mechanism.bodies[body.parent].revolute
        slide = (2.0 * qd[body.parent]) * Z if slides else AT_REST
        a, u = link.a + link.U @ body.offset, cross(2.0 * link.w, body.offset) + slide
        w, wd, a, u = (to_child(joint.rest, x) for x in (link.w, link.wd, a, u))
        U = acceleration_tensor(w, wd)
        if not body.revolute:
            a, u = a + U @ (q[k] * Z), u + cross(2.0 * w, q[k] * Z)
        parents.append(ParentMotion(w, a, U, 2.0 * w, u))
    return parents


def rates_in_parent(body: Body, rate: Scalar, whole: Composite, rates: CompositeRates) -> CompositeRates:
    """The rates of a composite relative to the link that carries its joint, about the joint's origin."""
    (mass, h, S), (hd, P) = whole, rates
    if body.revolute:
        return CompositeRates(hd + rate * across_z(h), P + rate * across_z(S))
    return CompositeRates(hd + mass * (rate * Z), P + np.outer(rate * h, Z))


def in_joint_axes(joint: JointFrame, wrench: Wrench) -> Wrench:
    """A wrench on a body, from its axes to those of its joint."""
    return Wrench(to_parent(joint.spin, wrench.n), to_parent(joint.spin, wrench.f))


def wrench_of_displacement(
    body: Body, whole: Composite, rates: CompositeRates, parent: ParentMotion, wrench: Wrench
) -> Wrench:
    """The derivative by q_k of the wrench on all bodies that joint k carries.

    With K = V J + the part that moves relative to the parent, Sddot J + 2 Sdot K = [A, S] J + 2 Sdot K_relative; and
    the wrench turns or slides along.
    """
    (mass, h, S), (n, f) = whole, wrench
    w, a, U = parent.w, parent.a, parent.U
    if body.spins:  # it is symmetric about its axis
        return Wrench(np.zeros(3), np.zeros(3))
    if not body.revolute:  # [A, S] = [0, U z; 0, 0], and Sdot has no angular part
        Uz = U[:, 2]
        return Wrench(cross(h, Uz) + cross(Z, f), mass * Uz)
    bracket, of_origin = U @ skew(Z) - skew(Z) @ U, cross(a, Z)  # [A, S] = [U[z] - [z]U, a x z; 0, 0]
    across = cross(w, Z)  # the angular part of Sdot
    n = cross(h, of_origin) + axial_of_product(bracket, S) + couple_on(across, rates.P) + cross(Z, n)
    return Wrench(n, mass * of_origin + bracket @ h + cross(across, rates.h) + cross(Z, f))


def couple_on(s: Array, P: Array) -> Array:
    """The integral of r x (s x r') dm, which is tr(P) s - P^T s, where P is the integral of r r'^T dm."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = P
    return np.array(
        [
            (yy + zz) * s[0] - yx * s[1] - zx * s[2],
            (xx + zz) * s[1] - xy * s[0] - zy * s[2],
            (xx + yy) * s[2] - xz * s[0] - yz * s[1],
        ]
    )


def inwards(
    body: Body,
    position: Scalar,
    parent: ParentMotion,
    frame: JointFrame,
    parents_frame: JointFrame,
    derivatives: WrenchDerivatives,
) -> WrenchDerivatives:
    """The derivatives one joint further in, seen from there: a couple changes if velocities do."""
    q, qd, qdd = (
        to_carrier(body, position, frame, parents_frame, wrench)
        for wrench in (derivatives.q, derivatives.qd, derivatives.qdd)
    )
    couple = derivatives.couple + cross(parent.twice_u, derivatives.qdd.f)
    return WrenchDerivatives(q, qd, qdd, to_parent(parents_frame.spin, to_parent(frame.rest, couple)))


def along_couple(body: Body, couple: Array) -> Scalar:
    """The component of a couple along the angular part of the screw S."""
    return couple[2] if body.revolute else 0.0


def second_derivative_along_axis(body: Body, parent: ParentMotion, derivatives: WrenchDerivatives) -> Scalar:
    """The products of the derivatives with Sddot = (U z, a x z) of a turn or (0, U z) of a slide, and with Sdot."""
    Uz = parent.U[:, 2]
    if not body.revolute:
        return Uz @ derivatives.qdd.f
    across = cross(parent.w, Z)
    return Uz @ derivatives.qdd.n + cross(parent.a, Z) @ derivatives.qdd.f + across @ derivatives.couple
