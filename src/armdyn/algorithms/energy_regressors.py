"""Regressors of the energies: kinetic and potential energy are linear in the inertial parameters as well."""

from __future__ import annotations

import numpy as np

from armdyn.algorithms.declared import function
from armdyn.algorithms.energy import link_twists
from armdyn.algorithms.link_screws import LinkScrew, in_link_frame, link_frame
from armdyn.algorithms.regressor import PARAMETERS, empty_rows, of_link
from armdyn.base.scalars import Scalar
from armdyn.model.mechanism import Mechanism
from armdyn.model.standard_parameters import joint_quantities
from armdyn.spatial.rotations import Array, cross
from armdyn.spatial.turns import to_child


@function("(n),(n),(6)?->(parameters)", sizes=PARAMETERS)
def kinetic_energy_regressor(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    base_twist: Array | None = None,
    *,
    armature: bool | None = None,
    damping: bool | None = None,
    friction: bool | None = None,
) -> Array:
    """Regressor of the kinetic energy K(q, qd) = y . pi, J over the unit of pi, shape (..., parameters).

    pi are the standard parameters in the order of `regressor` (Modern Robotics 8.55).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        base_twist: V_0 = (w, v) of the base frame in base axes, rad/s and m/s, shape (..., 6); at rest if left out.
        armature: add one column per joint for the inertia of its rotor. If None, they are present if some joint of the
            robot has armature.
        damping: add one column per joint for its viscous friction, zero; if None, likewise.
        friction: add one column per joint for its Coulomb friction, zero; if None, likewise.

    >>> robot, q, qd = armdyn.load("ur5"), np.full(6, 0.3), np.ones(6)
    >>> y = robot.kinetic_energy_regressor(q, qd)
    >>> bool(np.isclose(y @ robot.standard_parameters().values, robot.kinetic_energy(q, qd)))
    True
    """
    q, qd = mechanism.drive.positions(q), mechanism.drive.rates(qd)
    row = empty_rows(mechanism, 1)[0]
    twists = link_twists(mechanism, q, qd, base_twist)
    for body, twist in zip(mechanism.links, twists, strict=False):
        row[of_link(body)] = kinetic_energy_per_parameter(in_link_frame(body, LinkScrew(*twist)))
    armatures = np.zeros(len(mechanism.links), dtype=object)
    for body, rate in zip(mechanism.links, qd, strict=False):
        armatures[body.joint] = 0.5 * (rate * rate)
    spins = [0.5 * (w[2] * w[2]) for w, _ in twists[len(mechanism.links) :]]
    chosen = joint_quantities(mechanism.model, armature=armature, damping=damping, friction=friction)
    of_joints = [armatures if name == "armature" else np.zeros(len(armatures)) for name in chosen]
    return np.hstack([row, *of_joints, spins])


@function("(n)->(parameters)", sizes=PARAMETERS)
def potential_energy_regressor(
    mechanism: Mechanism,
    q: Array,
    *,
    armature: bool | None = None,
    damping: bool | None = None,
    friction: bool | None = None,
) -> Array:
    """Regressor of the potential energy P(q) = y . pi, J over the unit of pi, shape (..., parameters).

    pi are the standard parameters in the order of `regressor`. Zero if a link's centre of mass is at the height of
    the base frame's origin (Modern Robotics 8.7).

    Args:
        q: joint positions, rad or m, shape (..., n).
        armature: add one column per joint for the inertia of its rotor, zero, so that one pi suits all regressors. If
            None, they are present if some joint of the robot has armature.
        damping: add one column per joint for its viscous friction, zero; if None, likewise.
        friction: add one column per joint for its Coulomb friction, zero; if None, likewise.

    >>> armdyn.load("planar_2r").potential_energy_regressor([np.pi / 2, 0.0])[10:13].round(9) + 0.0
    array([9.81, 9.81, 0.  ])
    """
    row = empty_rows(mechanism, 1)[0]
    gravities = gravity_of_bodies(mechanism, mechanism.drive.positions(q))
    for body, (g, fallen) in zip(mechanism.links, gravities, strict=False):
        R, p = link_frame(body)
        row[of_link(body)] = [-(fallen + g @ p), *-(R.T @ g), *np.zeros(6)]
    chosen = joint_quantities(mechanism.model, armature=armature, damping=damping, friction=friction)
    return np.hstack([row, np.zeros(len(chosen) * len(mechanism.links) + len(mechanism.rotors))])


def gravity_of_bodies(mechanism: Mechanism, q: Array) -> list[tuple[Array, Scalar]]:
    """g in the axes of every body, and g . p_0B, minus the potential energy per unit mass at its origin; q by body."""
    result: list[tuple[Array, Scalar]] = []
    for body, position in zip(mechanism.bodies, q, strict=True):
        g, fallen = result[body.parent] if body.parent >= 0 else (mechanism.gravity, 0.0)
        fallen = fallen + g @ body.offset
        g = to_child(body.turns_at(position), g)
        result.append((g, fallen if body.revolute else fallen + g[2] * position))
    return result


def kinetic_energy_per_parameter(twist: LinkScrew) -> list[Scalar]:
    """m v.v / 2 + h.(v x w) + w.I w / 2, for each parameter alone."""
    w, v = twist
    x, y, z = w
    half = 0.5 * np.array([v @ v, x * x, y * y, z * z])
    return [half[0], *cross(v, w), half[1], x * y, half[2], x * z, y * z, half[3]]
