"""Forward dynamics: the accelerations that given joint forces cause (Modern Robotics 8.5)."""

from __future__ import annotations

import numpy as np

from armdyn.algorithms.articulated_bodies import accelerations
from armdyn.algorithms.declared import function
from armdyn.algorithms.elements import against_elements
from armdyn.algorithms.factors import factored_mass_matrix
from armdyn.algorithms.load_friction import accelerations_under_load
from armdyn.algorithms.newton_euler import base_motion, inverse_dynamics, links_in_motion
from armdyn.base.errors import UnknownName
from armdyn.model.constraints import refuse_constraints
from armdyn.model.mechanism import Mechanism
from armdyn.model.regrouping import regroup
from armdyn.spatial.rotations import Array

METHODS = ("articulated", "mass_matrix")


@function("(n),(n),(n),(6)?,(6)?,(6)?,(links,6)?->(n)")
def forward_dynamics(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_tip: Array | None = None,
    base_twist: Array | None = None,
    base_twist_rate: Array | None = None,
    f_ext: Array | None = None,
    *,
    method: str = "articulated",
) -> Array:
    """Joint accelerations qdd = M^-1(q) (tau - h - J^T f_tip + sum J_k^T f_ext_k), rad/s^2 or m/s^2, shape (..., n).

    The articulated-body algorithm keeps all digits if axes are nearly in line (Featherstone 2008, 7.3); "mass_matrix"
    uses the mass matrix and its factors M = L^T D L from the tips inwards, which keep the zeros of branches in M
    (Modern Robotics 8.81; Featherstone 2008, 6.5): fewer operations, with fewer dependences between them, on arms of up
    to nine joints, at the cost of about half a decimal digit on industrial arms, and more if light links lie between
    axes in line.

    Friction opposes the motion. At rest the friction of a joint counts as 0, the middle of its range while the joint
    sticks; `armdyn.simulate` decides there between rest and motion. So there is no loss in a gear at rest.

    Friction that depends on the load is solved together with the accelerations: in closed form if no rotor is on the
    drive's side of it and it is piecewise linear in the load, e.g. the loss of a gear; else by 6 steps of Newton's
    method (8 if joints are coupled or turn rotors that are bodies of their own), 12 for a curve, after which every
    joint's equation must hold to 1e-12 of its terms, to 5e-4 in float32. If one does not, e.g. because a coupled gear
    locks, all accelerations of that state are NaN. Such friction always uses the mass matrix, independent of
    ``method``.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        tau: joint forces, N m or N, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
        base_twist: V_0 = (w, v) of the base frame in base axes, rad/s and m/s, shape (..., 6); at rest if left out.
        base_twist_rate: the rate at which those six numbers change, rad/s^2 and m/s^2, shape (..., 6).
        f_ext: wrenches (m, f) of the surroundings on the links, in link frames, N m and N, shape (..., links, 6), rows
            as in ``robot.link_names``; see `external_wrench`. The base's has no effect.
        method: "articulated" or "mass_matrix". If joints are coupled, or turn rotors that are bodies of their own, the
            mass matrix is used in either case.

    Raises:
        UnknownName: a method that is neither of the two.
        ModelError: a joint moves no inertia, so that no force determines its acceleration.
    """
    refuse_constraints(mechanism.model, "forward_dynamics", "constrained_forward_dynamics")
    if method not in METHODS:
        raise UnknownName.of("method", method, METHODS, "method=")
    if mechanism.drive.depends_on_load:
        return accelerations_under_load(mechanism, q, qd, tau, f_tip, base_twist, base_twist_rate, f_ext).qdd
    if method == "mass_matrix" or not mechanism.drive.is_one_to_one:
        rest = inverse_dynamics(mechanism, q, qd, np.zeros(mechanism.dof), f_tip, base_twist, base_twist_rate, f_ext)
        return factored_mass_matrix(mechanism, q).solve(tau - rest)
    mechanism, order = regroup(mechanism), mechanism.drive.order
    q, qd, at_rest = mechanism.drive.positions(q), mechanism.drive.rates(qd), np.zeros(mechanism.dof)
    base = base_motion(mechanism.gravity, base_twist, base_twist_rate)
    motions, wrenches = links_in_motion(mechanism, q, qd, at_rest, base, f_tip, f_ext)
    drive, none = mechanism.drive, [0.0] * mechanism.dof
    beside = drive.with_springs(drive.friction_forces(qd, none), q)
    beside = [force + other for force, other in zip(beside, against_elements(mechanism, q, qd), strict=True)]
    qdd = np.zeros(mechanism.dof, dtype=object)
    qdd[order] = accelerations(
        mechanism, q, motions, wrenches, [tau[i] - f for i, f in zip(order, beside, strict=True)]
    )
    return qdd
