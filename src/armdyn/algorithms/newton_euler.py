"""Recursive Newton-Euler, RNEA: motions outwards, forces inwards (Craig 6.5, Modern Robotics 8.3.2).

The motion of a link is carried as its acceleration tensor U = [wd] + [w][w], which gives the acceleration of any point
r of the link as a + U r; its inertia as m, h = m c and Sigma, the integral of r r^T dm. Both enter linearly:

    F = m a + U h                                    Newton, Craig 6.47
    N = h x a + axial(U Sigma)                       Euler about the link frame's origin, Craig 6.48

Here axial(U Sigma) is I wd + w x I w of the books with I = tr(Sigma) 1 - Sigma. The textbook form, twist by twist, is
`armdyn.modern_robotics.recursion`; this one needs fewer operations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from armdyn.algorithms.declared import function
from armdyn.algorithms.elements import against_elements
from armdyn.base.scalars import Scalar
from armdyn.model.mechanism import Body, Mechanism
from armdyn.model.regrouping import regroup, with_rotors_on_base
from armdyn.spatial.rotations import Array, Z, cross
from armdyn.spatial.turns import Turns, to_child, to_parent


class BodyMotion(NamedTuple):
    """The motion of a link in its own axes, and the rotations R_PB from its parent's."""

    turns: Turns
    w: Array
    wd: Array
    a: Array
    U: Array


class Wrench(NamedTuple):
    """A moment about the origin of the frame it is expressed in, and a force."""

    n: Array
    f: Array


@function("(n),(n),(n),(6)?,(6)?,(6)?,(links,6)?->(n)")
def inverse_dynamics(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    f_tip: Array | None = None,
    base_twist: Array | None = None,
    base_twist_rate: Array | None = None,
    f_ext: Array | None = None,
) -> Array:
    """Joint forces tau = M(q) qdd + h(q, qd) + J^T(q) f_tip - sum J_k^T f_ext_k, N m or N, shape (..., n).

    Recursive Newton-Euler (Modern Robotics 8.50-8.54, 8.77), with h = c + g + s + tau_fric, s of
    `parallel_spring_forces`, tau_fric of `friction_forces`. The effect of a base in motion is part of tau; gravity is
    constant in base axes, so if the base tilts, make "gravity" an input (``robot.compile``).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
        base_twist: V_0 = (w, v) of the base frame in base axes, rad/s and m/s, shape (..., 6); at rest if left out.
        base_twist_rate: the rate at which those six numbers change, rad/s^2 and m/s^2, shape (..., 6); the
            acceleration of the base's origin is its linear part plus w x v. Zero if left out.
        f_ext: wrenches (m, f) of the surroundings on the links, in link frames, N m and N, shape (..., links, 6), rows
            as in ``robot.link_names``; see `external_wrench`. The base's has no effect.

    Raises:
        ShapeError: an array does not have one value per joint.

    >>> robot = armdyn.load("ur5")
    >>> holding = robot.inverse_dynamics([0.0, -1.0, 1.0, 0.2, 0.5, 0.0], np.zeros(6), np.zeros(6))
    >>> holding.round(1) + 0.0
    array([  0. , -39.1, -15.6,   0. ,   0. ,   0. ])
    """
    mechanism = regroup(mechanism)  # only joint forces are computed
    if base_twist is None and base_twist_rate is None:
        mechanism = with_rotors_on_base(mechanism)
    q, qd, qdd = mechanism.drive.positions(q), mechanism.drive.rates(qd), mechanism.drive.rates(qdd)
    base = base_motion(mechanism.gravity, base_twist, base_twist_rate)
    _, wrenches = links_in_motion(mechanism, q, qd, qdd, base, f_tip, f_ext)
    return mechanism.drive.forces(loads_of_drives(mechanism, q, wrenches, qd), qdd, rubbing_at=qd)


@function("(n),(n),(6)?,(6)?,(links,6)?->(n)")
def bias_forces(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    base_twist: Array | None = None,
    base_twist_rate: Array | None = None,
    f_ext: Array | None = None,
) -> Array:
    """Joint forces at zero acceleration h(q, qd) = c + g + s + tau_fric - sum J_k^T f_ext_k, N m or N, shape (..., n).

    Inverse dynamics with qdd = 0 (Modern Robotics 8.1, 8.5): `velocity_forces`, `gravity_forces`,
    `parallel_spring_forces` and `friction_forces`.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        base_twist: V_0 = (w, v) of the base frame in base axes, rad/s and m/s, shape (..., 6); at rest if left out.
        base_twist_rate: the rate at which those six numbers change, rad/s^2 and m/s^2, shape (..., 6).
        f_ext: wrenches (m, f) of the surroundings on the links, in link frames, N m and N, shape (..., links, 6), rows
            as in ``robot.link_names``; see `external_wrench`. The base's has no effect.

    >>> armdyn.load("rp").bias_forces([0.5, 1.2], [1.0, -0.4]).round(6)
    array([29.072706,  7.006329])
    """
    tau: Array = inverse_dynamics(mechanism, q, qd, np.zeros(mechanism.dof), None, base_twist, base_twist_rate, f_ext)
    return tau


@function("(n)->(n)")
def gravity_forces(mechanism: Mechanism, q: Array) -> Array:
    """Joint forces that hold the arm still g(q), N m or N, shape (..., n).

    Inverse dynamics with qd = qdd = 0; the gradient of the potential energy (Modern Robotics 8.80).

    Args:
        q: joint positions, rad or m, shape (..., n).
    """
    at_rest = np.zeros(mechanism.dof)
    bare = mechanism.without_friction.without_parallel_springs
    tau: Array = inverse_dynamics(bare, q, at_rest, at_rest)
    return tau


@function("(n)->(n)")
def parallel_spring_forces(mechanism: Mechanism, q: Array) -> Array:
    """Joint forces s(q) that hold the springs in parallel with the drives, N m or N, shape (..., n).

    They are the gradient of their energy, which is part of `potential_energy` (Lagrange's equations,
    Modern Robotics 8.1 and 8.2); ``robot.with_parallel_springs`` adds such springs. They are part of `inverse_dynamics`
    and `bias_forces`, not of `gravity_forces`. Forces of flexible joints are others. Elements of a
    user's own count at rest.

    Args:
        q: joint positions, rad or m, shape (..., n).

    >>> arm = armdyn.load("planar_2r").with_parallel_springs({"joint_2": (50.0, -0.2)})
    >>> arm.parallel_spring_forces([0.3, 0.4])
    array([ 0., 30.])
    """
    drive, q = mechanism.drive, mechanism.drive.positions(q)
    return drive.forces(drive.with_springs(against_elements(mechanism, q), q))


@function("(n),(n),(6)?->(n)")
def velocity_forces(mechanism: Mechanism, q: Array, qd: Array, base_twist: Array | None = None) -> Array:
    """Coriolis and centripetal joint forces c(q, qd), N m or N, shape (..., n).

    Inverse dynamics with qdd = 0 and no gravity (Modern Robotics 8.79): the terms quadratic in the velocities, with
    those of the base if it moves.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        base_twist: V_0 = (w, v) of the base frame in base axes, rad/s and m/s, shape (..., 6); at rest if left out.
    """
    mechanism = regroup(mechanism)  # only joint forces are computed
    q, qd, qdd = mechanism.drive.positions(q), mechanism.drive.rates(qd), mechanism.drive.rates(np.zeros(mechanism.dof))
    _, wrenches = links_in_motion(mechanism, q, qd, qdd, base_motion(np.zeros(3), base_twist))
    return mechanism.drive.forces(inward(mechanism, q, wrenches))


@function("(n),(6)->(n)")
def tip_forces(mechanism: Mechanism, q: Array, f_tip: Array) -> Array:
    """Joint forces J^T(q) f_tip that balance a wrench of the tip on its surroundings, N m or N, shape (..., n).

    The inward pass alone (Modern Robotics 8.77).

    Args:
        q: joint positions, rad or m, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
    """
    q, at_rest = mechanism.drive.positions(q), mechanism.drive.rates(np.zeros(mechanism.dof))
    _, wrenches = links_in_motion(mechanism, q, at_rest, at_rest, base_motion(np.zeros(3)), f_tip)
    return mechanism.drive.forces(inward(mechanism, q, wrenches))


def links_in_motion(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    base: BodyMotion,
    f_tip: Array | None = None,
    f_ext: Array | None = None,
) -> tuple[list[BodyMotion], list[Wrench]]:
    """The motions of the links, and the wrenches that move them under the loads; q, qd, qdd by body."""
    motions = outward(mechanism, q, qd, qdd, base)
    wrenches = [inertial_wrench(body, motion) for body, motion in zip(mechanism.bodies, motions, strict=True)]
    if f_tip is not None:
        add_tip_wrench(mechanism, wrenches, f_tip)
    if f_ext is not None:
        subtract_external_wrenches(mechanism, wrenches, f_ext)
    return motions, wrenches


def base_motion(gravity: Array, twist: Array | None = None, rate: Array | None = None) -> BodyMotion:
    """The motion of the base in its own axes, and gravity as an acceleration by -g (Modern Robotics 8.52: V_0, Vdot_0).

    ``rate`` is the rate of the components of ``twist`` in the moving axes, so the origin accelerates by vd + w x v.
    """
    at_rest = np.zeros(6)
    w, v = np.split(at_rest if twist is None else twist, 2)
    wd, vd = np.split(at_rest if rate is None else rate, 2)
    return BodyMotion((), w, wd, vd + cross(w, v) - gravity, acceleration_tensor(w, wd))


def outward(mechanism: Mechanism, q: Array, qd: Array, qdd: Array, base: BodyMotion) -> list[BodyMotion]:
    """The motion of every link, base to tips (Craig 6.45, 6.46; Modern Robotics 8.50-8.52); q, qd, qdd by body."""
    motions: list[BodyMotion] = []
    for i, body in enumerate(mechanism.bodies):
        turns = body.turns_at(q[i])
        parent = motions[body.parent] if body.parent >= 0 else base
        w, wd, a = (
            to_child(turns, parent.w),
            to_child(turns, parent.wd),
            to_child(turns, parent.a + parent.U @ body.offset),
        )
        if body.revolute:
            wd = wd + cross(w, qd[i] * Z) + qdd[i] * Z
            w = w + qd[i] * Z
        U = acceleration_tensor(w, wd)
        if not body.revolute:
            a = a + U @ (q[i] * Z) + 2.0 * cross(w, qd[i] * Z) + qdd[i] * Z  # with Coriolis' term
        motions.append(BodyMotion(turns, w, wd, a, U))
    return motions


def acceleration_tensor(w: Array, wd: Array) -> Array:
    """U = [wd] + [w][w], with [w][w] = w w^T - (w.w) 1."""
    xx, yy, zz = w * w
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    return np.array(
        [
            [-(yy + zz), xy - wd[2], xz + wd[1]],
            [xy + wd[2], -(xx + zz), yz - wd[0]],
            [xz - wd[1], yz + wd[0], -(xx + yy)],
        ]
    )


def inertial_wrench(body: Body, motion: BodyMotion) -> Wrench:
    """F = m a + U h and N = h x a + axial(U Sigma), the wrench that moves the link."""
    if body.spins:
        inertia = body.second_moment[0, 0] + body.second_moment[1, 1]
        return Wrench(gyroscopic_moment(inertia, motion), np.zeros(3))
    m, h, a, U = body.mass, body.first_moment, motion.a, motion.U
    return Wrench(cross(h, a) + axial_of_product(U, body.second_moment), m * a + U @ h)


def gyroscopic_moment(inertia: Scalar, motion: BodyMotion) -> Array:
    """I wd + w x I w of a spin, with I = diag(0, 0, I_a): it turns a rotor about its axis, and the axis with it."""
    wx, wy, wz = motion.w
    along = inertia * wz
    return np.array([wy * along, -(wx * along), inertia * motion.wd[2]])


def axial_of_product(U: Array, S: Array) -> Array:
    """The vector v with [v] = U S - (U S)^T for symmetric S: I wd + w x I w with I = tr(S) 1 - S."""
    xy, xz, yz = S[0, 1], S[0, 2], S[1, 2]
    across_x, across_y, across_z = U[2, 2] - U[1, 1], U[0, 0] - U[2, 2], U[1, 1] - U[0, 0]
    return np.array(
        [
            U[2, 1] * S[1, 1] - U[1, 2] * S[2, 2] + U[2, 0] * xy - U[1, 0] * xz + across_x * yz,
            U[0, 2] * S[2, 2] - U[2, 0] * S[0, 0] + U[0, 1] * yz - U[2, 1] * xy + across_y * xz,
            U[1, 0] * S[0, 0] - U[0, 1] * S[1, 1] + U[1, 2] * xz - U[0, 2] * yz + across_z * xy,
        ]
    )


def subtract_external_wrenches(mechanism: Mechanism, wrenches: list[Wrench], f_ext: Array) -> None:
    """Subtract the wrenches of the surroundings on the links, given in link frames (Featherstone 2008, 5.20)."""
    of_link = dict(zip(mechanism.model.link_names, f_ext, strict=True))
    for k, body in enumerate(mechanism.links):
        n, f = transform_wrench(body.link_pose, of_link[body.name])
        wrenches[k] = Wrench(wrenches[k].n - n, wrenches[k].f - f)


def transform_wrench(T: Array, wrench: Array) -> Wrench:
    """A wrench (m, f) given in frame F as one in frame A, with T = T_AF (Modern Robotics 3.98)."""
    R, p = T[:3, :3], T[:3, 3]
    f = R @ wrench[3:]
    return Wrench(R @ wrench[:3] + cross(p, f), f)


def add_tip_wrench(mechanism: Mechanism, wrenches: list[Wrench], f_tip: Array) -> None:
    """Add the wrench of the tip on its surroundings to that of its link (F_{n+1} of Modern Robotics 8.53)."""
    k, T = mechanism.frame()
    if k < 0:
        return  # the tip is on the base, which needs no joint to hold it
    n, f = transform_wrench(T, f_tip)
    wrenches[k] = Wrench(wrenches[k].n + n, wrenches[k].f + f)


def inward(mechanism: Mechanism, q: Array, wrenches: Sequence[Wrench]) -> list[Scalar]:
    """The joint forces, by body, that transmit the wrenches of all links (Craig 6.53, Modern Robotics 8.54)."""
    return along_joints(mechanism, summed_inwards(mechanism, q, wrenches))


def loads_of_drives(
    mechanism: Mechanism, q: Array, wrenches: Sequence[Wrench], qd: Array | None = None
) -> list[Scalar]:
    """The forces, by body, that the drives of the joints transmit: `inward`, of parallel springs and of elements."""
    forces = mechanism.drive.with_springs(inward(mechanism, q, wrenches), q)
    return [force + other for force, other in zip(forces, against_elements(mechanism, q, qd), strict=True)]


def along_joints(mechanism: Mechanism, wrenches: Sequence[Wrench]) -> list[Scalar]:
    """S^T F of every joint and the wrench on its body."""
    return [along(body, wrench) for body, wrench in zip(mechanism.bodies, wrenches, strict=True)]


def along(body: Body, wrench: Wrench) -> Scalar:
    """S^T F: the component of a wrench along the joint of ``body``, its moment about z or its force along z."""
    return wrench.n[2] if body.revolute else wrench.f[2]


def summed_inwards(mechanism: Mechanism, q: Array, wrenches: Sequence[Wrench]) -> list[Wrench]:
    """The sum over each body and all bodies that it carries, about its own origin (Craig 6.51, 6.52; MR 8.53).

    For the wrenches that move the links, the sum is the wrench that each joint transmits to its body.
    """
    sums = list(wrenches)
    for k in reversed(range(len(mechanism.bodies))):
        body = mechanism.bodies[k]
        if body.parent >= 0:
            n, f = wrench_in_parent(body, q[k], body.turns_at(q[k]), sums[k])
            sums[body.parent] = Wrench(sums[body.parent].n + n, sums[body.parent].f + f)
    return sums


def wrench_in_parent(body: Body, position: Scalar, turns: Turns, wrench: Wrench) -> Wrench:
    """A wrench on ``body`` in the axes of its parent, its moment about the parent's origin."""
    n, f = wrench
    if not body.revolute:
        n = n + cross(position * Z, f)
    f = to_parent(turns, f)
    return Wrench(to_parent(turns, n) + cross(body.offset, f), f)


def twist_in_child(body: Body, position: Scalar, turns: Turns, w: Array, v: Array) -> tuple[Array, Array]:
    """A twist about the parent's origin, in the parent's axes, as one about the origin and in the axes of ``body``."""
    w, v = to_child(turns, w), to_child(turns, v + cross(w, body.offset))
    return w, v if body.revolute else v + cross(w, position * Z)
