"""Regressors of Lagrange's equation d/dt dL/dqd = tau + dL/dq, for identification without accelerations.

p = dL/dqd = M qd is the generalised momentum, and dL/dq = C^T qd - g: with Y_p pi and Y_L pi for the two,

    tau = d/dt (Y_p) pi - Y_L pi                     (Modern Robotics 8.2)

and passing both sides through the same low-pass filter leaves only filtered values of Y_p, Y_L and tau.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.algorithms.declared import function
from armdyn.algorithms.energy import link_twists
from armdyn.algorithms.energy_regressors import gravity_of_bodies
from armdyn.algorithms.link_screws import LinkScrew, carried_outwards, in_link_frame, link_frame, unit_screws
from armdyn.algorithms.regressor import PARAMETERS, by_coordinate, empty_rows, joint_columns, of_link, rotor_columns
from armdyn.base.scalars import Scalar
from armdyn.model.mechanism import Mechanism
from armdyn.model.standard_parameters import joint_quantities
from armdyn.spatial.rotations import Array, cross
from armdyn.spatial.twists import lie_bracket


@function("(n),(n),(6)?->(n,parameters)", sizes=PARAMETERS)
def momentum_regressor(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    base_twist: Array | None = None,
    *,
    armature: bool | None = None,
    damping: bool | None = None,
    friction: bool | None = None,
) -> Array:
    """Regressor of the momentum p(q, qd) = M qd = Y_p pi, N m s or N s over the unit of pi, shape (..., n, parameters).

    The generalised momentum dK/dqd; pi are the standard parameters in the order of `regressor` (Modern Robotics 8.1,
    8.2).

    With constraints, the regressor is that of the tree: momenta do not depend on them.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        base_twist: V_0 = (w, v) of the base frame in base axes, rad/s and m/s, shape (..., 6); at rest if left out.
        armature: add one column per joint for the inertia of its rotor. If None, they are present if some joint of the
            robot has armature.
        damping: add one column per joint for its viscous friction, zero; if None, likewise.
        friction: add one column per joint for its Coulomb friction, zero; if None, likewise.

    >>> robot, q, qd = armdyn.load("ur5"), np.full(6, 0.3), np.ones(6)
    >>> p = robot.momentum_regressor(q, qd) @ robot.standard_parameters().values
    >>> bool(np.allclose(p, robot.mass_matrix(q) @ qd))
    True
    """
    q, qd = mechanism.drive.positions(q), mechanism.drive.rates(qd)
    rows = empty_rows(mechanism, len(mechanism.bodies))
    twists = link_twists(mechanism, q, qd, base_twist)
    paths = carried_outwards(mechanism, q, unit_screws(mechanism))
    for k, body in enumerate(mechanism.links):
        twist = in_link_frame(body, LinkScrew(*twists[k]))
        for j, screw in paths[k].items():
            rows[j, of_link(body)] = momentum_per_parameter(in_link_frame(body, screw), twist)
    chosen = joint_quantities(mechanism.model, armature=armature, damping=damping, friction=friction)
    at_rest = np.zeros(len(qd))
    columns = [joint_columns(mechanism, qd if name == "armature" else at_rest) for name in chosen]
    return by_coordinate(mechanism, np.hstack([rows, *columns, rotor_columns(mechanism, paths, spins_of(twists))]))


@function("(n),(n),(6)?->(n,parameters)", sizes=PARAMETERS)
def lagrangian_gradient_regressor(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    base_twist: Array | None = None,
    *,
    armature: bool | None = None,
    damping: bool | None = None,
    friction: bool | None = None,
) -> Array:
    """Regressor of dL/dq = C^T qd - g(q, qd) = Y_L pi, N m or N over the unit of pi, shape (..., n, parameters).

    The momentum changes at dp/dt = tau + Y_L pi (Modern Robotics 8.2); C is the Coriolis matrix by Christoffel symbols.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        base_twist: V_0 = (w, v) of the base frame in base axes, rad/s and m/s, shape (..., 6); at rest if left out.
        armature: add one column per joint for the inertia of its rotor, zero, so that one pi suits all regressors. If
            None, they are present if some joint of the robot has armature.
        damping: add one column per joint for its viscous friction, zero; if None, likewise.
        friction: add one column per joint for its Coulomb friction, zero; if None, likewise.

    >>> robot, q = armdyn.load("ur5"), np.full(6, 0.3)
    >>> force = robot.lagrangian_gradient_regressor(q, np.zeros(6)) @ robot.standard_parameters().values
    >>> bool(np.allclose(force, -robot.gravity_forces(q)))
    True
    """
    q, qd = mechanism.drive.positions(q), mechanism.drive.rates(qd)
    rows = empty_rows(mechanism, len(mechanism.bodies))
    twists, units = [LinkScrew(*twist) for twist in link_twists(mechanism, q, qd, base_twist)], unit_screws(mechanism)
    # dV_j/dq_j = ad_{V_j}(S_j), and bodies that move with body j carry it along
    slopes = [
        LinkScrew(*np.split(lie_bracket(np.concatenate(twist), np.concatenate(unit)), 2))
        for twist, unit in zip(twists, units, strict=True)
    ]
    screws, slopes_outwards = carried_outwards(mechanism, q, units), carried_outwards(mechanism, q, slopes)
    gravities = gravity_of_bodies(mechanism, q)
    for k, body in enumerate(mechanism.links):
        R, _ = link_frame(body)
        twist, g = in_link_frame(body, twists[k]), R.T @ gravities[k][0]
        for j, screw in screws[k].items():
            kinetic = momentum_per_parameter(in_link_frame(body, slopes_outwards[k][j]), twist)
            s, u = in_link_frame(body, screw)
            gravity = [u @ g, *cross(g, s), *np.zeros(6)]  # weight m g, and its moment h x g
            rows[j, of_link(body)] = [x + y for x, y in zip(kinetic, gravity, strict=True)]
    chosen = joint_quantities(mechanism.model, armature=armature, damping=damping, friction=friction)
    at_rest = np.zeros(len(qd))
    columns = [joint_columns(mechanism, at_rest) for _ in chosen]
    spins = rotor_columns(mechanism, slopes_outwards, spins_of(twists))
    return by_coordinate(mechanism, np.hstack([rows, *columns, spins]))


def spins_of(twists: Sequence[tuple[Array, Array]]) -> list[Array]:
    """The angular momentum of a rotor whose inertia about its axis z is 1, for every body."""
    return [np.array([0.0, 0.0, w[2]]) for w, _ in twists]


def momentum_per_parameter(screw: LinkScrew, twist: LinkScrew) -> list[Scalar]:
    """The part along ``screw`` of the momentum P = m v + w x h, L = h x v + I w, for each parameter alone."""
    (s, u), (w, v) = screw, twist
    (x, y, z), (wx, wy, wz) = s, w
    first_moment = cross(u, w) + cross(v, s)
    return [u @ v, *first_moment, x * wx, x * wy + y * wx, y * wy, x * wz + z * wx, y * wz + z * wy, z * wz]
