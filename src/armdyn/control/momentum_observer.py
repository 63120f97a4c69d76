"""Detection of collisions by the momentum observer: an estimate of joint forces outside the model."""

from __future__ import annotations

from armdyn.algorithms import (
    friction_forces,
    generalized_momentum,
    gravity_forces,
    parallel_spring_forces,
    transposed_coriolis_forces,
)
from armdyn.control.with_gains import scaled
from armdyn.control.wrapping import QD, H, Inside, Q, Run, Values, refuse_springs
from armdyn.declaration import Argument, Function
from armdyn.model.mechanism import Mechanism
from armdyn.program import select


def momentum_observer(controller: Function) -> Function:
    """A controller with a momentum observer, whose signal ``residual`` follows the joint forces from outside.

    The momentum p = M qd changes by dp/dt = tau + C^T qd - g - tau_fric + tau_ext, and tau_ext = -J^T f_tip of a wrench
    at the tip. With p^ the observer's momentum,

        r = K_observer (p - p^),    dp^/dt = tau + C^T qd - g - tau_fric + r

    so that dr/dt = K_observer (tau_ext - r): each r_i is tau_ext,i through a filter of first order, without
    accelerations and without M^-1 (De Luca and Mattone 2005; De Luca et al. 2006). p^ is the state
    ``observed_momentum``, integrated by steps of Euler; it begins at p. ``observer_started`` is the flag that it has
    begun.

    tau is that of the controller inside: wrap `saturated` and `delayed`, not the controllers inside them. tau_fric is 0
    at rest: of a joint that sticks the residual is less by the friction that holds it, up to its breakaway force, as if
    it were pushed from outside. A threshold for collisions has to be larger than that.

    Args:
        controller: whose tau is known to the observer. The input K_observer, 1/s, comes to its own: a number
            for all joints, one for each, shape (..., n), or a full matrix.

    >>> robot, q0 = armdyn.load("ur5"), np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])
    >>> watched = armdyn.control.momentum_observer(armdyn.control.pd_gravity)
    >>> loop = armdyn.ClosedLoop(robot, watched, record=["q", "residual"])
    >>> M = robot.mass_matrix(q0).diagonal()
    >>> aim = {"q_ref": q0, "qd_ref": np.zeros(6), "Kp": 100 * M, "Kd": 20 * M}
    >>> hit = np.array([0, 0, 0, 5.0, -3.0, 8.0])
    >>> rolled = loop(q0, steps=3000, f_tip=hit, K_observer=np.full(6, 20.0), **aim)
    >>> bool(abs(rolled.rows.residual[-1] + robot.tip_forces(rolled.rows.q[-1], hit)).max() < 1e-6)
    True
    """
    inside = Inside(controller)
    gain, estimate = inside.new("K_observer"), inside.new("observed_momentum")
    started, residual = inside.new("observer_started"), inside.new("residual")

    def law(model: Mechanism, values: Values, run: Run) -> Values:
        refuse_springs(
            model,
            f"momentum_observer compares the momentum of the stiff arm with the motors' forces, and {model.name!r} "
            "has flexible joints, between which springs stand",
        )
        result = run(values)
        q, qd = values["q"], values["qd"]
        p = generalized_momentum(model, q, qd)
        reference = select(values[started], values[estimate], p)
        r = scaled(values[gain], p - reference)
        static = gravity_forces(model, q) + parallel_spring_forces(model, q)
        rate = result["tau"] + transposed_coriolis_forces(model, q, qd) - static + r
        if model.drive.has_friction:
            rate = rate - friction_forces(model, q, qd)
        return result | {estimate: reference + values["h"] * rate, started: 1.0, residual: r}

    doc = "Joint forces tau, N m or N, shape (..., n), and the residual of a momentum observer."
    return inside.wrapped(
        momentum_observer, law, doc, more=[Q, QD, H, Argument(gain, ("n",))], gains=[gain],
        states={estimate: ("n",), started: ()}, signals={residual: ("n",)},
    )  # fmt: skip
