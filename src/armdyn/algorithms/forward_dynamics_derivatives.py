"""First derivatives of forward dynamics from those of inverse dynamics, at the accelerations it gives.

For a constant tau(q, qd, qdd), M d qdd = -(d tau/dx) dx for x = q or qd, and M d qdd = d tau (Carpentier and
Mansard 2018, section III). With friction that depends on the load, d tau/d qdd replaces M
(`armdyn.algorithms.load_friction`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.algorithms.declared import function
from armdyn.algorithms.factors import factored_mass_matrix
from armdyn.algorithms.forward_dynamics import forward_dynamics
from armdyn.algorithms.inverse_dynamics_derivatives import inverse_dynamics_derivatives
from armdyn.algorithms.load_friction import accelerations_under_load
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array


class ForwardDynamicsDerivatives(NamedTuple):
    """Derivatives of acceleration qdd_i (row i) by q_j, qd_j and tau_j (column j), shape (..., n, n) each."""

    d_q: Array
    d_qd: Array
    d_tau: Array


@function("(n),(n),(n),(6)?,(6)?,(6)?,(links,6)?->(n,n),(n,n),(n,n)", result=ForwardDynamicsDerivatives)
def forward_dynamics_derivatives(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_tip: Array | None = None,
    base_twist: Array | None = None,
    base_twist_rate: Array | None = None,
    f_ext: Array | None = None,
) -> ForwardDynamicsDerivatives:
    """Derivatives of the accelerations qdd(q, qd, tau) by each, 1/s^2, 1/s, 1/(kg m^2), shape (..., n, n) each.

    The derivatives are exact: -M^-1 d tau/d q and -M^-1 d tau/d qd of `inverse_dynamics_derivatives` at the
    accelerations that tau causes, and M^-1 (Modern Robotics 8.5); if friction depends on the load, d tau/d qdd replaces
    M. Wrenches are constant in their own frames, which move with q.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        tau: joint forces, N m or N, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
        base_twist: V_0 = (w, v) of the base frame in base axes, rad/s and m/s, shape (..., 6); at rest if left out.
        base_twist_rate: the rate at which those six numbers change, rad/s^2 and m/s^2, shape (..., 6).
        f_ext: wrenches (m, f) of the surroundings on the links, in link frames, N m and N, shape (..., links, 6), rows
            as in ``robot.link_names``; see `external_wrench`. The base's has no effect.

    Returns:
        A `ForwardDynamicsDerivatives`: named arrays ``d_q``, ``d_qd``, ``d_tau``; rows belong to qdd.

    Raises:
        ModelError: a joint moves no inertia, so that no force determines its acceleration.

    >>> robot = armdyn.load("ur5")
    >>> d_q, d_qd, d_tau = robot.forward_dynamics_derivatives(np.ones(6), np.ones(6), np.ones(6))
    >>> bool(np.allclose(d_tau @ robot.mass_matrix(np.ones(6)), np.eye(6)))
    True
    """
    loads = (f_tip, base_twist, base_twist_rate, f_ext)
    if mechanism.drive.depends_on_load:
        solution = accelerations_under_load(mechanism, q, qd, tau, *loads)
        by_q, by_qd, _ = inverse_dynamics_derivatives(mechanism, q, qd, solution.qdd, *loads)
        return ForwardDynamicsDerivatives(*map(solution.solve, (-by_q, -by_qd, np.eye(mechanism.dof))))
    qdd = forward_dynamics(mechanism, q, qd, tau, *loads, method="mass_matrix")  # shares its factors
    by_q, by_qd, _ = inverse_dynamics_derivatives(mechanism, q, qd, qdd, *loads)
    M = factored_mass_matrix(mechanism, q)
    return ForwardDynamicsDerivatives(M.solve(-by_q), M.solve(-by_qd), M.inverse())
