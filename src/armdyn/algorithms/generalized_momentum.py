"""Generalised momentum, and the transpose of the Coriolis matrix on a vector, in one pass outwards and one inwards.

The momentum of all bodies that joint i moves is a wrench Pi_i about the joint, with p_i = s_i . Pi_i along it; the
screw s_i turns with its body, so d/dt s_i . Pi_i is the part of pdot_i that no force causes. Let Pi be the momentum not
of the motion qd, but of other rates v, with velocities y in addition to the dx/dt of qd. Then (see `moving_composites`)

    (C^T v)_i = ds_i/dt . Pi_i + s_i . (integral of dx/dt x y dm),

and for v = qd the last integral is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from armdyn.algorithms.declared import function
from armdyn.algorithms.energy import link_twists
from armdyn.algorithms.moving_composites import Twist, along_rate
from armdyn.algorithms.newton_euler import Wrench, along_joints, inward, summed_inwards
from armdyn.base.scalars import Scalar
from armdyn.model.mechanism import Body, Mechanism
from armdyn.model.regrouping import regroup
from armdyn.spatial.rotations import Array, cross


class KineticEnergyDerivatives(NamedTuple):
    """Derivatives of the kinetic energy by ``q``, N m or N, and by ``qd``, N m s or N s, shape (..., n) each."""

    d_q: Array
    d_qd: Array


@function("(n),(n)->(n)")
def generalized_momentum(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """Generalised momentum p(q, qd) = M(q) qd, N m s or N s, shape (..., n).

    The momenta of the links, summed inwards, along the joints (Modern Robotics 8.57). Its rate is
    pdot = tau + C^T qd - g, with C^T qd of `transposed_coriolis_forces`, which momentum observers integrate.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).

    >>> robot, q, qd = armdyn.load("ur5"), np.full(6, 0.4), np.arange(6.0)
    >>> bool(np.allclose(robot.generalized_momentum(q, qd), robot.mass_matrix(q) @ qd))
    True
    """
    mechanism = regroup(mechanism)  # it depends on M alone
    q, qd = mechanism.drive.positions(q), mechanism.drive.rates(qd)
    momenta = joint_momenta(mechanism, q, link_twists(mechanism, q, qd))
    return mechanism.drive.forces(along_joints(mechanism, momenta), qd)


@function("(n),(n),(n)?->(n)")
def transposed_coriolis_forces(mechanism: Mechanism, q: Array, qd: Array, v: Array | None = None) -> Array:
    """Joint forces C^T(q, qd) v, without forming C, N m or N, shape (..., n).

    C is `coriolis_matrix`, by Christoffel symbols (Modern Robotics 8.19). C^T qd is the derivative of the kinetic
    energy by q, and the part of the rate of the generalised momentum that is not a force: pdot = tau + C^T qd - g.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        v: the vector that C^T multiplies, rad/s or m/s, shape (..., n); qd itself if None.

    >>> robot, q, qd = armdyn.load("furuta"), [0.5, 1.2], [1.0, -0.4]
    >>> bool(np.allclose(robot.transposed_coriolis_forces(q, qd), robot.coriolis_matrix(q, qd).T @ qd))
    True
    """
    mechanism = regroup(mechanism)  # it depends on M alone
    q, qd = mechanism.drive.positions(q), mechanism.drive.rates(qd)
    twists = link_twists(mechanism, q, qd)
    if v is None:
        return mechanism.drive.forces(along_rates(mechanism, twists, joint_momenta(mechanism, q, twists)))
    of_v = link_twists(mechanism, q, mechanism.drive.rates(v))
    couples = [Wrench(couple_of(*x), np.zeros(3)) for x in zip(mechanism.bodies, twists, of_v, strict=True)]
    of_rates = along_rates(mechanism, twists, joint_momenta(mechanism, q, of_v))
    return mechanism.drive.forces([a + b for a, b in zip(of_rates, inward(mechanism, q, couples), strict=True)])


@function("(n),(n)->(n),(n)", result=KineticEnergyDerivatives)
def kinetic_energy_derivatives(mechanism: Mechanism, q: Array, qd: Array) -> KineticEnergyDerivatives:
    """Derivatives of the kinetic energy K(q, qd) by q, N m or N, and by qd, N m s or N s, shape (..., n) each.

    The derivative by q is C^T qd, that by qd the generalised momentum M qd; one pass gives both. The derivative of the
    potential energy by q is `gravity_forces`, so Lagrange's equations are tau = d/dt dK/dqd - dK/dq + g
    (Modern Robotics 8.15).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).

    Returns:
        A `KineticEnergyDerivatives`: named arrays ``d_q`` and ``d_qd``.

    >>> armdyn.load("rp").kinetic_energy_derivatives([0.5, 1.2], [0.0, 2.0]).d_qd.round(6) + 0.0
    array([0., 4.])
    """
    mechanism = regroup(mechanism)  # it depends on M alone
    q, qd = mechanism.drive.positions(q), mechanism.drive.rates(qd)
    twists = link_twists(mechanism, q, qd)
    momenta = joint_momenta(mechanism, q, twists)
    d_q, d_qd = along_rates(mechanism, twists, momenta), along_joints(mechanism, momenta)
    return KineticEnergyDerivatives(mechanism.drive.forces(d_q), mechanism.drive.forces(d_qd, qd))


def momentum_of(body: Body, twist: Twist) -> Wrench:
    """L = h x v + I w and m v + w x h, about the body frame's origin, with I = tr(Sigma) 1 - Sigma."""
    (w, v), m, h, S = twist, body.mass, body.first_moment, body.second_moment
    inertia = np.trace(S) * np.eye(3) - S
    return Wrench(inertia @ w + cross(h, v), m * v + cross(w, h))


def couple_of(body: Body, twist: Twist, other: Twist) -> Array:
    """The integral over a body of dx/dt x y dm, with dx/dt = v + w x r of one twist and y of the other."""
    (w, v), (w_y, y), h, S = twist, other, body.first_moment, body.second_moment
    _, momentum = momentum_of(body, other)
    couple: Array = cross(v, momentum) + cross(cross(w, h), y) + S @ cross(w, w_y)
    return couple


def joint_momenta(mechanism: Mechanism, q: Array, twists: Sequence[Twist]) -> list[Wrench]:
    """Pi: the momentum of all bodies that each joint moves, about the origin of its body."""
    return summed_inwards(mechanism, q, [momentum_of(*x) for x in zip(mechanism.bodies, twists, strict=True)])


def along_rates(mechanism: Mechanism, twists: Sequence[Twist], momenta: Sequence[Wrench]) -> list[Scalar]:
    """ds/dt . Pi for every body."""
    return [along_rate(*x) for x in zip(mechanism.bodies, twists, momenta, strict=True)]
