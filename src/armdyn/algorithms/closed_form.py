"""The equations of motion in closed form: the twists and wrenches of all links stacked (Modern Robotics 8.58-8.80).

Link i has its frame {i} at its centre of mass, in the axes of the link's own frame, as in `armdyn.Robot.to_screws`.
With the blocks in the order of the model's joints,

    V = W V + A qd + V_base                           (8.68)
    F = W^T F + G Vdot - [ad_V]^T G V + F_tip         (8.70)

which L = (1 - W)^-1 solves. Trees are treated alike: in W the row of a link holds its parent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.algorithms.declared import function
from armdyn.algorithms.kinematics import path_to
from armdyn.algorithms.link_motion import centre_of_mass
from armdyn.base.errors import Unsupported
from armdyn.model.mechanism import Body, Mechanism
from armdyn.spatial.rotations import Array, Z, adjoint, cross, inverse_rigid, rigid
from armdyn.spatial.turns import matrix, to_parent
from armdyn.spatial.twists import ad


class ClosedForm(NamedTuple):
    """The stacked arrays of Modern Robotics 8.58-8.67 and 8.72, for N links, shape (..., 6 N, ...).

    ``A`` holds the screw axes (8.60), ``G`` the spatial inertias (8.61), ``ad_V`` and ``ad_Aqd`` the brackets of the
    twists and of what the joints add to them (8.62, 8.63), ``W`` the adjoints from parents to links (8.64), ``L`` those
    twists and of the joints' contributions (8.62, 8.63), ``W`` the adjoints from parents to links (8.64), ``L`` those
    from all links inwards to all they carry (8.72), ``V_base`` and ``Vdot_base`` the contributions of the base to its
    links (8.65, 8.66), and ``F_tip`` the wrench of the tip at its link (8.67). ``V`` holds the twists of the links
    (8.58, 8.73),
    """

    W: Array
    L: Array
    A: Array
    G: Array
    ad_V: Array  # noqa: N815 - the book's symbols
    ad_Aqd: Array  # noqa: N815
    V_base: Array
    Vdot_base: Array
    F_tip: Array
    V: Array
    Vdot: Array
    F: Array


@function(
    "(n),(n),(n)?,(6)?,(6)?,(6)?->(6joints,6joints),(6joints,6joints),(6joints,n),(6joints,6joints),(6joints,6joints),"
    "(6joints,6joints),(6joints),(6joints),(6joints),(6joints),(6joints),(6joints)",
    result=ClosedForm,
)
def closed_form(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array | None = None,
    f_tip: Array | None = None,
    base_twist: Array | None = None,
    base_twist_rate: Array | None = None,
) -> ClosedForm:
    """Stacked arrays W(q), L, A, G, ..., kg, m, rad, shape (..., 6joints, 6joints), (..., 6joints, n), (..., 6joints).

    Modern Robotics' closed form of the equations of motion, six rows and columns per link.

    For reading and checking; the recursions cost far less. With the results' names,

        M(q) = A^T L^T G L A                                                        (Modern Robotics 8.78)
        c(q, qd) = -A^T L^T (G L [ad_Aqd] W + [ad_V]^T G) L A qd, base at rest      (8.79)
        g(q) = A^T L^T G L Vdot_base, base at rest                                  (8.80)
        J^T f_tip = A^T L^T F_tip                                                   (8.77)

    and for a base in motion, with the joint forces A^T F (8.76),

        V = L (A qd + V_base)                                                       (8.73)
        Vdot = L (A qdd - [ad_Aqd] (W V + V_base) + Vdot_base)                      (8.74)
        F = L^T (G Vdot - [ad_V]^T G V + F_tip)                                     (8.75)

    As in the book, Vdot holds gravity as an acceleration of the base. If the joints are coupled, A has a column for
    each coordinate. Rotors of joints with armature are not links: they add A^T diag(armature) A of the
    coupling, and are not in F. The book's form has no place for rotors that are bodies of their own.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (..., n), in Vdot and F; zero if left out.
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
        base_twist: V_0 = (w, v) of the base frame in base axes, rad/s and m/s, shape (..., 6); at rest if left out.
        base_twist_rate: the rate at which those six numbers change, rad/s^2 and m/s^2, shape (..., 6).

    Returns:
        A `ClosedForm`: named arrays.

    Raises:
        Unsupported: a robot with such rotors.

    >>> robot, q, qd, qdd = armdyn.load("furuta"), [0.5, 1.2], [1.0, -0.4], [0.3, 2.0]
    >>> form = robot.closed_form(q, qd, qdd)
    >>> bool(np.allclose(form.A.T @ form.L.T @ form.G @ form.L @ form.A, robot.mass_matrix(q)))
    True
    >>> bool(np.allclose(form.A.T @ form.F, robot.inverse_dynamics(q, qd, qdd)))
    True
    """
    if mechanism.rotors:
        names = ", ".join(rotor.name for rotor in mechanism.rotors)
        raise Unsupported(
            f"the closed form of {mechanism.name!r} stacks its links, and has no place for its rotors ({names}). The "
            "recursions have them: mass_matrix, velocity_forces, gravity_forces, inverse_dynamics."
        )
    positions, rates = mechanism.drive.positions(q), mechanism.drive.rates(qd)
    at_com = [com_pose(mechanism, body) for body in mechanism.bodies]
    inwards = transforms(mechanism, positions, at_com)
    S = [screw_at(body, T) for body, T in zip(mechanism.bodies, at_com, strict=True)]
    G = diagonal(
        mechanism, [spatial_inertia(body, T) for body, T in zip(mechanism.bodies, at_com, strict=True)]
    )  # 8.61
    ad_Aqd = diagonal(mechanism, [ad(A_i * rate) for A_i, rate in zip(S, rates, strict=True)])  # 8.63
    A = mechanism.drive.columns(dict(enumerate(diagonal(mechanism, S).T)), rows=len(G))  # 8.60
    W, L = stacked_adjoints(mechanism, inwards)
    V_0 = np.zeros(6) if base_twist is None else base_twist
    Vdot_0 = np.concatenate([np.zeros(3), -mechanism.gravity]) + (0.0 if base_twist_rate is None else base_twist_rate)
    V_base, Vdot_base = (of_first_links(mechanism, inwards, x) for x in (V_0, Vdot_0))
    V = L @ (A @ qd + V_base)  # 8.73
    ad_V = diagonal(mechanism, [ad(V[rows(body)]) for body in mechanism.bodies])  # 8.62
    of_joints = -(ad_Aqd @ (W @ V + V_base))
    if qdd is not None:
        of_joints = of_joints + A @ qdd
    Vdot = L @ (of_joints + Vdot_base)  # 8.74
    F_tip = tip_wrench(mechanism, at_com, f_tip)
    F = L.T @ (G @ Vdot - ad_V.T @ (G @ V) + F_tip)  # 8.75
    return ClosedForm(W, L, A, G, ad_V, ad_Aqd, V_base, Vdot_base, F_tip, V, Vdot, F)


def rows(body: Body) -> slice:
    """The rows of the body's link in all stacked arrays."""
    return slice(6 * body.joint, 6 * body.joint + 6)


def diagonal(mechanism: Mechanism, blocks: list[Array]) -> Array:
    """The block-diagonal matrix of 6x6 blocks, one per body, or of columns of 6."""
    width = blocks[0].size // 6
    stacked = np.zeros((6 * len(blocks), width * len(blocks)), dtype=object)
    for k, (body, block) in enumerate(zip(mechanism.bodies, blocks, strict=True)):
        place = slice(k, k + 1) if width == 1 else rows(body)  # columns are by body: the drive orders them
        stacked[rows(body), place] = block.reshape(6, width)
    return stacked


def com_pose(mechanism: Mechanism, body: Body) -> Array:
    """T_Bi: the frame {i} at the centre of mass, in link axes, seen from the canonical frame B."""
    return rigid(body.link_pose[:3, :3], centre_of_mass(mechanism, body))


def screw_at(body: Body, T: Array) -> Array:
    """A_i, the screw axis of the body's joint in {i}; T is T_Bi."""
    R, p = T[:3, :3], T[:3, 3]
    if not body.revolute:
        return np.concatenate([np.zeros(3), R.T @ Z])
    return np.concatenate([R.T @ Z, R.T @ cross(Z, p)])


def spatial_inertia(body: Body, T: Array) -> Array:
    """G_i in {i}, with I = tr(Sigma) 1 - Sigma about the centre of mass (8.32); T is T_Bi."""
    R, p = T[:3, :3], T[:3, 3]
    S = R.T @ (body.second_moment - np.outer(p, body.first_moment)) @ R
    zero = np.zeros((3, 3))
    return np.block([[np.trace(S) * np.eye(3) - S, zero], [zero, body.mass * np.eye(3)]])


def transforms(mechanism: Mechanism, q: Array, at_com: list[Array]) -> list[Array]:
    """T_ip of every body, with {p} the frame of its parent, or of the base (8.50); q by body."""
    result = []
    for k, body in enumerate(mechanism.bodies):
        turns = body.turns_at(q[k])
        slide = np.zeros(3) if body.revolute else to_parent(turns, q[k] * Z)
        step = rigid(matrix(turns), body.offset + slide)  # T_PB
        to_com = inverse_rigid(at_com[body.parent]) if body.parent >= 0 else np.eye(4)
        result.append(inverse_rigid(to_com @ step @ at_com[k]))
    return result


def stacked_adjoints(mechanism: Mechanism, inwards: list[Array]) -> tuple[Array, Array]:
    """The matrices W of 8.64 and L of 8.72."""
    size = 6 * len(mechanism.bodies)
    W, L = np.zeros((size, size), dtype=object), np.zeros((size, size), dtype=object)
    for k, body in enumerate(mechanism.bodies):
        T = np.eye(4)
        for j in path_to(mechanism, k):
            L[rows(body), rows(mechanism.bodies[j])] = adjoint(T)  # T_ij
            T = T @ inwards[j]
        if body.parent >= 0:
            W[rows(body), rows(mechanism.bodies[body.parent])] = adjoint(inwards[k])
    return W, L


def of_first_links(mechanism: Mechanism, inwards: list[Array], V: Array) -> Array:
    """[Ad_T_i0] V in the rows of the links on the base (8.65, 8.66)."""
    stacked = np.zeros(6 * len(mechanism.bodies), dtype=object)
    for body, T in zip(mechanism.bodies, inwards, strict=True):
        if body.parent < 0:
            stacked[rows(body)] = adjoint(T) @ V
    return stacked


def tip_wrench(mechanism: Mechanism, at_com: list[Array], f_tip: Array | None) -> Array:
    """[Ad_T_{n+1,n}]^T F_{n+1} in the rows of the tip's link (8.67)."""
    stacked = np.zeros(6 * len(mechanism.bodies), dtype=object)
    if f_tip is not None:
        k, T = mechanism.frame()
        if k >= 0:
            to_tip = inverse_rigid(T) @ at_com[k]  # T_{n+1,n}
            stacked[rows(mechanism.bodies[k])] = adjoint(to_tip).T @ f_tip
    return stacked
