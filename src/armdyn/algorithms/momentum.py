"""Momentum of the whole arm, angular and linear, and its centre of mass.

Momenta are (k, l), angular part first, in base axes: l = m dc/dt, and k about the base frame's origin or about the
common centre of mass c, in which case it is called centroidal. The moving links count, and the rotors that are bodies
of their own; the base does not, nor does armature, which is a rotor that turns with its own joint alone.
"""

from __future__ import annotations

import numpy as np

from armdyn.algorithms.declared import function
from armdyn.algorithms.energy import link_twists
from armdyn.algorithms.generalized_momentum import joint_momenta
from armdyn.algorithms.kinematics import body_poses
from armdyn.algorithms.mass_matrix import composites, wrench_of_unit_acceleration
from armdyn.algorithms.newton_euler import Wrench, base_motion, links_in_motion, summed_inwards, wrench_in_parent
from armdyn.base.errors import ModelError, UnknownName
from armdyn.base.exact import is_zero
from armdyn.base.scalars import Scalar
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array, Z, cross
from armdyn.spatial.turns import to_parent

ABOUT = ("base", "center_of_mass")


@function("(n),(n)->(6)")
def momentum(mechanism: Mechanism, q: Array, qd: Array, *, about: str = "base") -> Array:
    """Momentum h(q, qd) = (k, l) of all moving links, kg m^2/s and kg m/s, base axes, shape (..., 6).

    The momenta G_i V_i of the links, summed inwards (Modern Robotics 8.34).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        about: the point k is taken about: "base", the origin of the base frame, or "center_of_mass".

    Raises:
        UnknownName: ``about`` is neither of the two.
        ModelError: no moving link has mass, and the momentum about its centre is requested.

    >>> robot, q, qd = armdyn.load("ur5"), np.full(6, 0.4), np.arange(6.0)
    >>> bool(np.allclose(robot.momentum(q, qd), robot.momentum_matrix(q) @ qd))
    True
    """
    q, qd = mechanism.drive.positions(q), mechanism.drive.rates(qd)
    momenta = joint_momenta(mechanism, q, link_twists(mechanism, q, qd))
    return about_point(mechanism, q, on_base(mechanism, q, momenta), about)


@function("(n)->(6,n)")
def momentum_matrix(mechanism: Mechanism, q: Array, *, about: str = "base") -> Array:
    """Momentum matrix A(q) with h = A qd = (k, l), kg m^2 or kg m and kg m or kg, base axes, shape (..., 6, n).

    Column j is the momentum of the bodies that joint j moves, as one, at unit rate of the joint (Featherstone 2008,
    6.2). About the common centre of mass it is called the centroidal momentum matrix (Orin, Goswami and Lee 2013).

    Args:
        q: joint positions, rad or m, shape (..., n).
        about: the point k is taken about: "base", the origin of the base frame, or "center_of_mass".

    Raises:
        UnknownName: ``about`` is neither of the two.
        ModelError: no moving link has mass, and the momentum about its centre is requested.
    """
    q = mechanism.drive.positions(q)
    columns = column_wrenches(mechanism, q)
    return mechanism.drive.columns({j: about_point(mechanism, q, column, about) for j, column in enumerate(columns)})


@function("(n),(n),(n)->(6)")
def momentum_rate(mechanism: Mechanism, q: Array, qd: Array, qdd: Array, *, about: str = "base") -> Array:
    """Rate of the momentum dh/dt(q, qd, qdd) = A qdd + Adot qd, N m and N, base axes, shape (..., 6).

    The wrenches that move the links, summed inwards (Modern Robotics 8.53). By Newton and Euler it is the wrench of the
    base on the arm together with that of gravity.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (..., n).
        about: the point k is taken about: "base", the origin of the base frame, or "center_of_mass", which moves.

    Raises:
        UnknownName: ``about`` is neither of the two.
        ModelError: no moving link has mass, and the momentum about its centre is requested.

    >>> robot, q = armdyn.load("ur5"), np.full(6, 0.4)
    >>> bool(np.allclose(robot.momentum_rate(q, np.zeros(6), np.ones(6)), robot.momentum_matrix(q) @ np.ones(6)))
    True
    """
    q, qd, qdd = mechanism.drive.positions(q), mechanism.drive.rates(qd), mechanism.drive.rates(qdd)
    _, wrenches = links_in_motion(mechanism, q, qd, qdd, base_motion(np.zeros(3)))
    # dk/dt about a moving centre of mass is that about a point at rest: its velocity is along l.
    return about_point(mechanism, q, on_base(mechanism, q, summed_inwards(mechanism, q, wrenches)), about)


@function("(n)->(3)")
def center_of_mass(mechanism: Mechanism, q: Array) -> Array:
    """Centre of mass c(q) of all moving links together, in the base frame, m, shape (..., 3).

    The first moments over the mass, summed inwards (Modern Robotics 8.2.1). The base's own mass does not count.

    Args:
        q: joint positions, rad or m, shape (..., n).

    Raises:
        ModelError: no moving link has mass.

    >>> armdyn.load("planar_2r").center_of_mass([0.0, np.pi / 2]).round(6) + 0.0
    array([1. , 0.5, 0. ])
    """
    return center(mechanism, mechanism.drive.positions(q))


@function("(n)->(3,n)")
def center_of_mass_jacobian(mechanism: Mechanism, q: Array) -> Array:
    """Jacobian J_c(q) of the common centre of mass, dc/dt = J_c qd, m/rad or 1, base axes, shape (..., 3, n).

    Column j is the velocity of the centre of mass of the bodies that joint j moves, times its share of the mass:
    composite bodies (Featherstone 2008, 6.2).

    Args:
        q: joint positions, rad or m, shape (..., n).

    Raises:
        ModelError: no moving link has mass.
    """
    share = 1.0 / mass_of(mechanism)
    columns = column_wrenches(mechanism, mechanism.drive.positions(q))
    return mechanism.drive.columns({j: column.f * share for j, column in enumerate(columns)}, rows=3)


@function("(n),(n)->(3)")
def center_of_mass_velocity(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """Velocity dc/dt(q, qd) of the common centre of mass of all moving links, base axes, m/s, shape (..., 3).

    The linear momentum (Modern Robotics 8.34) over the mass.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).

    Raises:
        ModelError: no moving link has mass.
    """
    share = 1.0 / mass_of(mechanism)
    velocity: Array = momentum(mechanism, q, qd)[3:] * share
    return velocity


def on_base(mechanism: Mechanism, q: Array, sums: list[Wrench]) -> Wrench:
    """The sum over the links on the base, in base axes about the base's origin."""
    n, f = np.zeros(3), np.zeros(3)
    for k, body in enumerate(mechanism.bodies):
        if body.parent < 0:
            here = wrench_in_parent(body, q[k], body.turns_at(q[k]), sums[k])
            n, f = n + here.n, f + here.f
    return Wrench(n, f)


def column_wrenches(mechanism: Mechanism, q: Array) -> list[Wrench]:
    """The momentum of bodies that a joint moves at its unit rate, in base axes about the base's origin; q by body."""
    columns = []
    for body, whole, (R, p) in zip(mechanism.bodies, composites(mechanism, q), body_poses(mechanism, q), strict=True):
        n, f = wrench_of_unit_acceleration(body, whole)
        force = R @ f
        columns.append(Wrench(R @ n + cross(p, force), force))
    return columns


def about_point(mechanism: Mechanism, q: Array, wrench: Wrench, about: str) -> Array:
    """The six numbers (k, l), from those about the base's origin; q by body."""
    if about not in ABOUT:
        raise UnknownName.of("point", about, ABOUT, "about=")
    n, f = wrench
    return np.concatenate([n if about == "base" else n - cross(center(mechanism, q), f), f])


def center(mechanism: Mechanism, q: Array) -> Array:
    """c in base axes; q by body."""
    moment = np.zeros(3)
    for k, (body, (mass, h, _)) in enumerate(zip(mechanism.bodies, composites(mechanism, q), strict=True)):
        if body.parent < 0:
            shifted = h if body.revolute else h + mass * (q[k] * Z)
            moment = moment + to_parent(body.turns_at(q[k]), shifted) + mass * body.offset
    c: Array = moment * (1.0 / mass_of(mechanism))
    return c


def mass_of(mechanism: Mechanism) -> Scalar:
    """The mass of all moving links."""
    mass = sum(body.mass for body in mechanism.bodies)
    if is_zero(mass):
        raise ModelError(
            f"no moving link of {mechanism.name!r} has mass, so they have no centre of mass; give them mass."
        )
    return mass
