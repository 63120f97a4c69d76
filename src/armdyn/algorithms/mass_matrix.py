"""The mass matrix by composite rigid bodies, CRBA: all bodies outboard of a joint move as one (Featherstone 6.2).

A unit acceleration of joint k moves the composite body k about z; the wrench for that, carried inwards, is the k-th
column of M.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.algorithms.declared import function
from armdyn.algorithms.newton_euler import Wrench, along, wrench_in_parent
from armdyn.base.scalars import Scalar
from armdyn.model.inertial_constants import in_two_parts
from armdyn.model.mechanism import Body, Mechanism
from armdyn.model.regrouping import regroup
from armdyn.spatial.rotations import Array, Z
from armdyn.spatial.turns import tensor_to_parent, to_parent


class Composite(NamedTuple):
    """Mass, first moment h and second moment Sigma of several bodies as one, about one frame's origin."""

    mass: Scalar
    h: Array
    S: Array


@function("(n)->(n,n)")
def mass_matrix(mechanism: Mechanism, q: Array) -> Array:
    """Mass matrix M(q), kg m^2, kg m or kg, shape (..., n, n), filled on both sides.

    The composite-rigid-body algorithm; the kinetic energy is qd^T M qd / 2 (Modern Robotics 8.57, 8.78).

    Args:
        q: joint positions, rad or m, shape (..., n).
    """
    return mechanism.drive.filled(mechanism.drive.mass_matrix(columns(mechanism, mechanism.drive.positions(q))))


def columns(mechanism: Mechanism, q: Array) -> list[dict[int, Scalar]]:
    """The entries M_jk, for every body k, for k and the bodies j that carry it; the others are zero. q by body."""
    mechanism = regroup(mechanism)  # only joint forces are computed
    turns = [body.turns_at(position) for body, position in zip(mechanism.bodies, q, strict=True)]
    result = []
    for k, composite in enumerate(composites(mechanism, q)):
        column, j = {}, k
        wrench = wrench_of_unit_acceleration(mechanism.bodies[k], composite)
        while True:
            body = mechanism.bodies[j]
            column[j] = along(body, wrench)
            if body.parent < 0:
                break
            wrench, j = wrench_in_parent(body, q[j], turns[j], wrench), body.parent
        result.append(column)
    return result


def composites(mechanism: Mechanism, q: Array) -> list[Composite]:
    """The composite body of every joint, in the canonical frame of the joint's own link."""
    result = [Composite(body.mass, body.first_moment, body.second_moment) for body in mechanism.bodies]
    for k in reversed(range(len(mechanism.bodies))):
        body = mechanism.bodies[k]
        if body.parent >= 0:
            turns = body.turns_at(q[k])
            mass, h, S = result[k]
            if not body.revolute:
                h, S = shift(mass, h, S, q[k] * Z)
            h, S = to_parent(turns, h), tensor_to_parent(turns, S)
            carrier, p = result[body.parent], body.offset
            # Steiner's constants first: with constant inertias they are one number, not one more addition.
            S = (carrier.S + mass * np.outer(p, p)) + (S + (np.outer(h, p) + np.outer(p, h)))
            h_carrier, rest = in_two_parts(carrier.h + mass * p)
            result[body.parent] = Composite(carrier.mass + mass, h_carrier + (h + rest), S)
    return result


def shift(mass: Scalar, h: Array, S: Array, p: Array) -> tuple[Array, Array]:
    """First and second moment about a point that lies at -p from the present one."""
    return h + mass * p, S + (np.outer(h, p) + np.outer(p, h)) + mass * np.outer(p, p)


def wrench_of_unit_acceleration(body: Body, composite: Composite) -> Wrench:
    """The wrench that accelerates the composite from rest by 1 rad/s^2 about z, or 1 m/s^2 along it."""
    mass, h, S = composite
    if body.revolute:
        return Wrench(np.array([-S[0, 2], -S[1, 2], S[0, 0] + S[1, 1]]), np.array([-h[1], h[0], 0.0]))
    return Wrench(np.array([h[1], -h[0], 0.0]), np.array([0.0, 0.0, mass]))
