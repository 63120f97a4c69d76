"""The motion of a rigid arm by joint forces, within its constraints if it has some, with the friction of its joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from armdyn.algorithms.elements import dissipated_power
from armdyn.algorithms.forward_dynamics import forward_dynamics
from armdyn.algorithms.friction_forces import friction_forces
from armdyn.algorithms.load_friction import accelerations_under_load
from armdyn.algorithms.load_laws import other_friction
from armdyn.algorithms.newton_euler import tip_forces
from armdyn.base.scalars import Scalar
from armdyn.constraints.dynamics import constrained_forward_dynamics
from armdyn.constraints.equations import all_equations
from armdyn.constraints.multipliers import ConstrainedMotion
from armdyn.constraints.under_load import constrained_under_load
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array


class RigidMotion(NamedTuple):
    """Accelerations and friction of a rigid arm in a state.

    Args:
        qdd: accelerations, rad/s^2 or m/s^2, (n,).
        friction: of all joints, N m or N, (n,).
        loads: transmitted by the joints whose friction depends on them, by body.
        constrained: multipliers and independence of the constraints, if the arm has some.
    """

    qdd: Array
    friction: Array
    loads: Mapping[int, Scalar]
    constrained: ConstrainedMotion | None = None

    def power(self, model: Mechanism, q: Array, qd: Array, tau: Array, f_tip: Array | None = None) -> Scalar:
        """Power of joint forces and surroundings less that dissipated by friction and elements, W.

        (tau - tau_fric) . qd - f_tip . V_tip, with f_tip . V_tip = (J^T f_tip) . qd (Modern Robotics 5.26, 8.81), and
        the power of elements that does not come from their energy.
        """
        forces = tau if f_tip is None else tau - tip_forces(model, q, f_tip)
        if model.drive.has_friction:
            forces = forces - self.friction
        return forces @ qd + dissipated_power(model, q, qd)


def rigid_motion(
    model: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_tip: Array | None = None,
    f_ext: Array | None = None,
    *,
    near: Mapping[int, Scalar] | None = None,
    method: str = "articulated",
) -> RigidMotion:
    """The motion by joint forces.

    Args:
        model: the arm.
        q: joint positions.
        qd: joint velocities.
        tau: joint forces.
        f_tip: wrench of the tip.
        f_ext: wrenches on the links.
        near: loads of a state nearby, as of `armdyn.algorithms.load_newton.solution_under_load`.
        method: of `forward_dynamics`.
    """
    drive, within = model.drive, None
    if not drive.depends_on_load:
        if model.model.constraints:
            within = constrained_forward_dynamics(model, q, qd, tau, f_tip, f_ext)
            return RigidMotion(within.qdd, friction_forces(model, q, qd), {}, within)
        qdd = forward_dynamics(model, q, qd, tau, f_tip, f_ext=f_ext, method=method)
        return RigidMotion(qdd, friction_forces(model, q, qd), {})
    if model.model.constraints:
        _, A, drift = all_equations(model, q, qd)
        within, solution = constrained_under_load(model, q, qd, tau, A, drift, f_tip, f_ext, near=near)
    else:
        solution = accelerations_under_load(model, q, qd, tau, f_tip, None, None, f_ext, near=near)
    others = other_friction(drive, drive.rates(qd))
    friction = drive.forces([own + solution.friction.get(k, 0.0) for k, own in enumerate(others)])
    return RigidMotion(solution.qdd, np.asarray(friction), solution.loads, within)
