"""Regrouping: inertias moved inwards without a change of any joint force, for fewer parameters (base parameters).

Mass on the axis of a revolute joint moves as part of the link before it: a point mass on the axis is not affected by
the joint. So a thin rod on the axis with the link's mass m, first moment h_z and second moment Sigma_zz can be taken
from the link and given to its parent. A prismatic joint does not turn, so it is the whole second moment that its link
and the parent share. Inertia moved to the base is dropped, because the base's inertia loads no joint.

These are the base parameters of Khalil and Kleinfinger (1987), in the form m, h, Sigma: of the ten parameters of a link
seven remain after a revolute joint and four after a prismatic one. Joint forces, mass matrix and accelerations are
exactly those of the robot; the forces between links and the energies of single links are not.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from armdyn.base.exact import Exact, is_traced, is_zero
from armdyn.base.scalars import Scalar
from armdyn.model.clean import total
from armdyn.model.mechanism import Body, Mechanism
from armdyn.spatial.rotations import Array, symmetrize
from armdyn.spatial.turns import matrix

ON_AXIS = np.diag([0.0, 0.0, 1.0])
"""Selects Sigma_zz: the second moment of mass on the axis."""


def regroup(mechanism: Mechanism) -> Mechanism:
    """The mechanism with its inertias moved inwards; links whose inertia is an input of the function keep theirs."""
    bodies = list(mechanism.bodies)
    for k in reversed(range(len(bodies))):
        body = bodies[k]
        if is_constant(body) and not body.spins:  # a spin has no inertia to share
            bodies[k] = _without_shared(body)
            if body.parent >= 0:
                bodies[body.parent] = _with_shared(bodies[body.parent], body)
    return dataclasses.replace(mechanism, bodies=tuple(bodies))


def with_rotors_on_base(mechanism: Mechanism) -> Mechanism:
    """The mechanism with rotors as inertia of the links that they turn, if both turn about axes of a base at rest.

    Such a link and such a rotor depend only on the acceleration of their joint, so that only the sum of I_zz and the
    reflected inertia matters. A joint whose friction depends on the force that it transmits to its link keeps them
    apart.
    """
    bodies, drive = list(mechanism.bodies), mechanism.drive
    armature = list(drive.armature)
    of_joints = {body.joint: k for k, body in enumerate(mechanism.links)}
    for k, rotor in enumerate(mechanism.bodies):
        link = of_joints[rotor.joint]
        body, loaded = bodies[link], any(law.depends_on_load for law in drive.laws[link])
        if rotor.parent >= 0 or body.parent >= 0 or not body.revolute or loaded:
            continue
        if rotor.spins:
            inertia, bodies[k] = (
                _reflected(mechanism, k, link),
                dataclasses.replace(rotor, second_moment=np.zeros((3, 3))),
            )
        else:
            inertia, armature[k] = armature[k], 0.0
        if not is_zero(inertia):
            moment = body.second_moment.copy()
            moment[0, 0] = moment[0, 0] + inertia
            bodies[link] = dataclasses.replace(body, second_moment=moment)
    return dataclasses.replace(
        mechanism, bodies=tuple(bodies), drive=dataclasses.replace(drive, armature=tuple(armature))
    )


def _reflected(mechanism: Mechanism, spin: int, link: int) -> Scalar:
    """G^2 I of a rotor that is a body of its own, kg m^2."""
    turns, of_link = mechanism.drive.terms[spin], mechanism.drive.terms[link]
    if not turns:
        return 0.0
    G, moment = Exact(turns[0][1]) / Exact(of_link[0][1]), mechanism.bodies[spin].second_moment
    return G * G * (moment[0, 0] + moment[1, 1])


def is_constant(body: Body) -> bool:
    """True if mass, first and second moment are numbers."""
    return not any(map(is_traced, (body.mass, body.first_moment, body.second_moment)))


def _without_shared(body: Body) -> Body:
    if not body.revolute:
        return dataclasses.replace(body, second_moment=np.zeros((3, 3)))
    across = body.first_moment * np.array([1.0, 1.0, 0.0])
    return dataclasses.replace(body, mass=0.0, first_moment=across, second_moment=body.second_moment * (1.0 - ON_AXIS))


def _with_shared(parent: Body, body: Body) -> Body:
    """The parent with the inertia that ``body`` gives it, at rest in the parent's frame."""
    if not body.revolute:
        R = matrix((*body.turns, body.joint_turn(0.0)))
        return dataclasses.replace(
            parent, second_moment=symmetrize(total(parent.second_moment, R @ body.second_moment @ R.T))
        )
    z, p = matrix(body.turns)[:, 2], body.offset
    m, along = body.mass, body.first_moment[2]
    return dataclasses.replace(
        parent,
        mass=parent.mass + m,
        first_moment=total(parent.first_moment, m * p, along * z),
        second_moment=total(parent.second_moment, *_rod(z, p, m, along, body.second_moment[2, 2])),
    )


def _rod(z: Array, p: Array, m: float, along: float, second: float) -> tuple[Array, Array, Array]:
    """The terms of the second moment about the parent's origin of a rod along z through p."""
    crossed = np.outer(p, z)
    return m * np.outer(p, p), along * (crossed + crossed.T), second * np.outer(z, z)
