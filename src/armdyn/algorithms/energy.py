"""Kinetic and potential energy of the links (Modern Robotics 8.55, 8.1)."""

from __future__ import annotations

import numpy as np

from armdyn.algorithms.declared import function
from armdyn.algorithms.elements import energy_of_elements
from armdyn.base.scalars import Scalar
from armdyn.model.mechanism import Body, Mechanism
from armdyn.model.regrouping import regroup
from armdyn.spatial.rotations import Array, Z, cross
from armdyn.spatial.turns import to_child, to_parent


@function("(n),(n),(6)?->()")
def kinetic_energy(mechanism: Mechanism, q: Array, qd: Array, base_twist: Array | None = None) -> Scalar:
    """Kinetic energy K(q, qd) = qd^T M(q) qd / 2, J, scalar.

    The sum over the links and the rotors that are bodies of their own from their twists (Modern Robotics 8.55), and
    over the rotors of armature. If the base moves, it is the energy relative to the ground, of the links that joints
    move: the base's own does not count, and of armature only its turning against its joint does.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        base_twist: V_0 = (w, v) of the base frame in base axes, rad/s and m/s, shape (..., 6); at rest if left out.
    """
    if base_twist is None:
        mechanism = regroup(mechanism)  # inertia moved to a base at rest has no energy
    q, qd = mechanism.drive.positions(q), mechanism.drive.rates(qd)
    twists = link_twists(mechanism, q, qd, base_twist)
    links = sum(
        (kinetic_energy_of(body, *twist) for body, twist in zip(mechanism.bodies, twists, strict=True)), start=0.0
    )
    return links + mechanism.drive.rotors_energy(qd)


@function("(n)->()")
def potential_energy(mechanism: Mechanism, q: Array) -> Scalar:
    """Potential energy P(q) = -g . sum m p_0C + E(q), J, scalar: in the gravity field, and of parallel springs.

    Zero if the common centre of mass of the moving links is at the height of the base frame's origin; the base's
    own mass does not count (Modern Robotics 8.7). E is the energy of springs in parallel with the drives of joints;
    that of flexible joints is `spring_energy`. The gradient of P is `gravity_forces` + `parallel_spring_forces`.

    Args:
        q: joint positions, rad or m, shape (..., n).
    """
    energy = energy_of_elements(mechanism, q)
    q = mechanism.drive.positions(q)
    energy = energy + mechanism.drive.springs_energy(q)
    outboard = [(body.mass, body.first_moment) for body in mechanism.bodies]
    for k in reversed(range(len(mechanism.bodies))):
        body = mechanism.bodies[k]
        mass, h = outboard[k]  # mass and first moment of all bodies that joint k moves, about B
        if not body.revolute:
            h = h + mass * q[k] * Z
        h = to_parent((body.joint_turn(q[k]),), h)
        if body.parent < 0:  # in the joint's axes gravity is a constant
            energy = energy - (mechanism.gravity @ body.offset) * mass - to_child(body.turns, mechanism.gravity) @ h
        else:
            of_parent = outboard[body.parent]
            h = to_parent(body.turns, h)
            outboard[body.parent] = (of_parent[0] + mass, (of_parent[1] + mass * body.offset) + h)
    return energy


def link_twists(
    mechanism: Mechanism, q: Array, qd: Array, base_twist: Array | None = None
) -> list[tuple[Array, Array]]:
    """Angular velocity and velocity of the origin of every body, in its own axes (Craig 5.45, 5.47); q, qd by body."""
    base = np.split(np.zeros(6) if base_twist is None else base_twist, 2)
    twists: list[tuple[Array, Array]] = []
    for i, body in enumerate(mechanism.bodies):
        w, v = twists[body.parent] if body.parent >= 0 else base
        v = v + cross(w, body.offset)
        turns = body.turns_at(q[i])
        w, v = to_child(turns, w), to_child(turns, v)
        if body.revolute:
            w = w + qd[i] * Z
        else:
            v = v + cross(w, q[i] * Z) + qd[i] * Z
        twists.append((w, v))
    return twists


def kinetic_energy_of(body: Body, w: Array, v: Array) -> Scalar:
    """m v.v / 2 + h.(v x w) + w.I w / 2 about the body frame's origin, with I = tr(Sigma) 1 - Sigma."""
    m, h, S = body.mass, body.first_moment, body.second_moment
    Iw = (S[0, 0] + S[1, 1] + S[2, 2]) * w - S @ w
    return 0.5 * (m * (v @ v) + w @ Iw) + h @ cross(v, w)
