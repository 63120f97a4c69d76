"""Joint forces that compensate friction for a controller without a friction model."""

from __future__ import annotations

from armdyn.algorithms import forward_dynamics, friction_forces
from armdyn.base.errors import TraceError, UnknownName, Unsupported
from armdyn.control.with_model import with_model
from armdyn.control.wrapping import QD, Inside, Q, Run, Values, refuse_springs
from armdyn.declaration import Function
from armdyn.model.mechanism import Mechanism

OVERCOME_FRICTION = ("armdyn.control.computed_torque", "armdyn.control.hybrid_motion_force")
"""Packages of controllers that compensate friction themselves, by inverse dynamics."""


def friction_compensated(controller: Function, velocities: str = "qd") -> Function:
    """A controller whose tau is that without friction plus the friction forces: tau + tau_fric, N m or N.

    So the arm moves as one without friction would under the controller inside: `operational_space`, `impedance` and
    `admittance` with their specified behaviour, `pd_gravity` without the error that viscous friction makes. If friction
    depends on the load, it is that of the accelerations which tau causes without friction, so that the accelerations
    are equal, too. The friction is that of `friction_forces`: 0 at rest, so that it does not get a joint going that
    sticks. A wrench at the tip is not included.

    Args:
        controller: one that does not overcome friction itself; `with_model` around one that does may give it a model
            without friction.
        velocities: whose friction is compensated: ``qd``, the arm's, or an argument of the controller with one number
            for each joint, as ``qd_ref``, which has no noise and gets joints going that are to move.

    Raises:
        TraceError: a controller that overcomes friction itself.
        UnknownName: an argument that the controller does not have, or not for each joint.
        Unsupported: when it is traced, a robot with flexible joints, or with constraints and friction that depends on
            the load.

    A tip that is pulled aside by friction as it goes up, and one that is not:

    >>> robot, q0 = armdyn.load("ur5"), np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])
    >>> robot = robot.with_friction({name: (5.0, 0.0) for name in robot.joint_names})
    >>> unaware = armdyn.control.with_options(armdyn.control.operational_space, components="position")
    >>> T = robot.forward_kinematics(q0)
    >>> T[2, 3] += 0.1
    >>> gains = {"Kp": np.full(3, 100.0), "Kd": np.full(3, 20.0), "Kd_null": np.full(6, 5.0)}
    >>> for controller in (unaware, armdyn.control.friction_compensated(unaware)):
    ...     rows = armdyn.ClosedLoop(robot, controller, record=["q"])(q0, steps=1500, T_ref=T, **gains).rows
    ...     print(bool(abs(robot.forward_kinematics(rows.q)[:, :2, 3] - T[:2, 3]).max() < 1e-3))
    False
    True
    """
    inside = Inside(controller)
    knows = controller.implementation.__module__ in OVERCOME_FRICTION and with_model.__name__ not in controller.name
    if knows or friction_compensated.__name__ in controller.name:
        raise TraceError(f"{controller.name} overcomes friction itself; it would be counted twice")
    choices = ["qd", *(name for name, a in inside.arguments.items() if a.shape == ("n",) and name not in ("q", "qd"))]
    if velocities not in choices:
        raise UnknownName.of("argument", velocities, choices, controller.name)

    def law(model: Mechanism, values: Values, run: Run) -> Values:
        refuse_springs(
            model,
            f"friction_compensated has the velocities of the links of {model.name!r}; friction of its flexible "
            "joints is that of their rotors",
        )
        result, drive = run(values), model.drive
        if not drive.has_friction:
            return result
        if drive.depends_on_load and model.model.constraints:
            raise Unsupported(
                f"friction of {model.name!r} depends on the load, which its constraints share in; friction_compensated "
                "does not know their part. Use computed_torque or hybrid_motion_force, or friction of velocities alone"
            )
        q, qd, tau = values["q"], values["qd"], result["tau"]
        qdd = forward_dynamics(model.without_friction, q, qd, tau) if drive.depends_on_load else None
        return result | {"tau": tau + friction_forces(model, q, values[velocities], qdd)}

    doc = "Joint forces tau, N m or N, shape (..., n), that overcome friction too."
    return inside.wrapped(friction_compensated, law, doc, more=[Q, QD], settings={"velocities": velocities})
