"""The rate of the mass matrix: composite bodies, and the rates of their moments (Modern Robotics 8.17).

The columns of M are wrenches on composite bodies, carried inwards; here each wrench is carried together with the rate
of its components. A vector of rate v' relative to a body changes by v' + qd z x v relative to the body's carrier.
"""

from __future__ import annotations

import numpy as np

from armdyn.algorithms.declared import function
from armdyn.algorithms.joint_frames import JointFrame, across_z, composite_to_parent, joint_frames, to_carrier
from armdyn.algorithms.mass_matrix import Composite, composites, wrench_of_unit_acceleration
from armdyn.algorithms.newton_euler import Wrench, along
from armdyn.base.scalars import Scalar
from armdyn.model.mechanism import Body, Mechanism
from armdyn.model.regrouping import regroup
from armdyn.spatial.rotations import Array, Z, cross
from armdyn.spatial.turns import tensor_to_parent, to_parent


@function("(n),(n)->(n,n)")
def mass_matrix_dot(mechanism: Mechanism, q: Array, qd: Array) -> Array:
    """Time derivative Mdot(q, qd) of the mass matrix, N m s/rad, N s or N s/m, shape (..., n, n), both sides filled.

    Mdot_ij = sum_k dM_ij/dq_k qd_k, by composite bodies; it is C + C^T of `coriolis_matrix` (Modern Robotics 8.17,
    Proposition 8.1).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).

    >>> armdyn.load("rp").mass_matrix_dot([0.5, 1.2], [1.0, -0.4]).round(3) + 0.0
    array([[-1.92,  0.  ],
           [ 0.  ,  0.  ]])
    """
    q, qd = mechanism.drive.positions(q), mechanism.drive.rates(qd)
    return mechanism.drive.filled(mechanism.drive.matrix(columns(regroup(mechanism), q, qd)))


def columns(mechanism: Mechanism, q: Array, qd: Array) -> list[dict[int, Scalar]]:
    """The rates of the entries M_jk, for every body k, for k and the bodies j that carry it; q, qd by body."""
    joints = joint_frames(mechanism, q)
    result = []
    for k, (whole, rate) in enumerate(changing_composites(mechanism, q, qd, joints)):
        W, Wd = (wrench_of_unit_acceleration(mechanism.bodies[k], moments) for moments in (whole, rate))
        column, j = {k: along(mechanism.bodies[k], Wd)}, k
        while mechanism.bodies[j].parent >= 0:
            carried, frame, position, speed = mechanism.bodies[j], joints[j], q[j], qd[j]
            j = carried.parent
            Wd = rate_seen_from_parent(carried, speed, W, Wd)
            W, Wd = (to_carrier(carried, position, frame, joints[j], wrench) for wrench in (W, Wd))
            column[j] = along(mechanism.bodies[j], Wd)
        result.append(column)
    return result


def rate_seen_from_parent(body: Body, rate: Scalar, W: Wrench, Wd: Wrench) -> Wrench:
    """The rate of a wrench on ``body`` relative to its parent, from the rate Wd relative to the body; in its axes."""
    if body.revolute:
        return Wrench(Wd.n + rate * across_z(W.n), Wd.f + rate * across_z(W.f))
    return Wrench(Wd.n + cross(rate * Z, W.f), Wd.f)


def changing_composites(
    mechanism: Mechanism, q: Array, qd: Array, joints: list[JointFrame]
) -> list[tuple[Composite, Composite]]:
    """The composite body of every joint, and the rates of its moments seen from the joint's own link."""
    result = []
    rates = [Composite(0.0, np.zeros(3), np.zeros((3, 3))) for _ in mechanism.bodies]
    for k, whole in reversed([*enumerate(composites(mechanism, q))]):
        body, (rest, spin) = mechanism.bodies[k], joints[k]
        moments, rate = composite_to_parent(spin, whole), composite_to_parent(spin, rates[k])
        result.append((moments, rate))
        (mass, h, S), (_, hd, Sd) = moments, rate
        if body.parent >= 0:
            if body.revolute:
                hd, turned = hd + qd[k] * across_z(h), across_z(S)
                Sd = Sd + qd[k] * (turned + turned.T)
            else:
                lever = np.outer(q[k] * Z, hd) + np.outer(qd[k] * (h + mass * (q[k] * Z)), Z)
                hd, Sd = hd + mass * (qd[k] * Z), Sd + (lever + lever.T)
            hd, Sd = to_parent(rest, hd), tensor_to_parent(rest, Sd)
            carrier, lever = rates[body.parent], np.outer(body.offset, hd)
            rates[body.parent] = Composite(0.0, carrier.h + hd, carrier.S + (Sd + (lever + lever.T)))
    return result[::-1]
