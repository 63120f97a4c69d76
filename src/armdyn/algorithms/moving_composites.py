"""Composite bodies in motion: rates of their moments, and wrenches by the effect of one joint on the velocities.

Take the arm as particles at x(q), and d_j x for the velocity of a particle at unit rate of joint j alone. If joint i
carries joint j, the integrals of d_i x . d/dt(d_j x) and d_j x . d/dt(d_i x) over the bodies that both move, which are
C_ij and C_ji of the Coriolis matrix by Christoffel symbols, are those of a composite body:

    C_ij = s_i . N_j                    N_j: the wrench of the accelerations d/dt(d_j x)
    C_ji = ds_i/dt . W_j + s_i . Y_j    W_j: the wrench of the accelerations d_j x, whose s_i . W_j is M_ij;
                                        Y_j: the couple, integral of dx/dt x d_j x dm

with s_i the screw of joint i and ds_i/dt = ad_{V_i}(s_i), because the screw is fixed in a body that moves with V_i. In
addition to m, h and Sigma of the composite they use the rates r' of its particles r, relative to the frame of its first
link:

    h' = integral of r' dm,    P = integral of r r'^T dm.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.algorithms.joint_frames import JointFrame, across_z, composite_to_parent
from armdyn.algorithms.mass_matrix import Composite, composites
from armdyn.algorithms.newton_euler import Wrench
from armdyn.base.scalars import Scalar
from armdyn.model.mechanism import Body, Mechanism
from armdyn.spatial.rotations import Array, Z, cross
from armdyn.spatial.turns import tensor_to_parent, to_parent

Twist = tuple[Array, Array]
"""w, and v of the body's origin, in its joint's axes."""


class CompositeRates(NamedTuple):
    """h' and P of a composite: the rates of its parts relative to its first link."""

    h: Array
    P: Array


def moving_composites(
    mechanism: Mechanism, q: Array, qd: Array, joints: list[JointFrame]
) -> list[tuple[Composite, CompositeRates]]:
    """The composite body of every joint, and its rates seen from the joint's own link; in the joint's axes."""
    result: list[tuple[Composite, CompositeRates]] = []
    seen = [CompositeRates(np.zeros(3), np.zeros((3, 3))) for _ in mechanism.bodies]
    for k, whole in reversed([*enumerate(composites(mechanism, q))]):
        body, (rest, spin), (hd, P) = mechanism.bodies[k], joints[k], seen[k]
        moments = mass, h, S = composite_to_parent(spin, whole)
        hd, P = to_parent(spin, hd), tensor_to_parent(spin, P)
        result.append((moments, CompositeRates(hd, P)))
        if body.parent >= 0:
            if body.revolute:  # seen from the parent the particles also have the rate qd z x r
                hd, P = hd + qd[k] * across_z(h), P + qd[k] * across_z(S)
            else:  # or qd z, and they lie at q z + r
                P = P + np.outer(q[k] * Z, hd) + np.outer(qd[k] * (h + mass * (q[k] * Z)), Z)
                hd = hd + mass * (qd[k] * Z)
            hd, P = to_parent(rest, hd), tensor_to_parent(rest, P)
            carrier = seen[body.parent]
            seen[body.parent] = CompositeRates(carrier.h + hd, carrier.P + (P + np.outer(body.offset, hd)))
    return result[::-1]


def along_rate(body: Body, twist: Twist, wrench: Wrench) -> Scalar:
    """ds/dt . F, with the rate ad_V(s) = (w x z, v x z) of the screw z of a body that moves with V = (w, v)."""
    (w, v), (n, f) = twist, wrench
    if body.revolute:
        return w[1] * n[0] - w[0] * n[1] + v[1] * f[0] - v[0] * f[1]
    return w[1] * f[0] - w[0] * f[1]


def wrench_of_rate(body: Body, whole: Composite, rates: CompositeRates, w: Array) -> Wrench:
    """N_j, the wrench of the accelerations d/dt(z x r) = w x (z x r) + z x r', or of d/dt z = w x z."""
    (mass, h, S), (hd, P) = whole, rates
    if not body.revolute:
        a = np.array([w[1], -w[0], 0.0])
        return Wrench(cross(h, a), mass * a)
    n = np.array([w @ S[1] - P[2, 0], -(w @ S[0]) - P[2, 1], P[0, 0] + P[1, 1]])
    f = np.array([-(w[2] * h[0]) - hd[1], hd[0] - w[2] * h[1], w[0] * h[0] + w[1] * h[1]])
    return Wrench(n, f)


def couple_of_unit_rate(body: Body, whole: Composite, rates: CompositeRates, w: Array) -> Array:
    """Y_j, the integral of dx/dt x d_j x dm with dx/dt = w x r + r' and d_j x = z x r, or z."""
    (_, h, S), (hd, P) = whole, rates
    if not body.revolute:
        return cross(hd + cross(w, h), Z)
    return np.array(
        [
            w[1] * S[0, 0] - w[0] * S[0, 1] - P[0, 2],
            w[1] * S[0, 1] - w[0] * S[1, 1] - P[1, 2],
            w[1] * S[0, 2] - w[0] * S[1, 2] + P[0, 0] + P[1, 1],
        ]
    )
