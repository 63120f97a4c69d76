"""Arms whose joints are moved by DC motors at given voltages: accelerations and rates of the currents."""

from __future__ import annotations

import math

import numpy as np

from armdyn.actuators.actuator import Actuator
from armdyn.actuators.joint_motors import CONSTANTS, JointMotor, motors_of
from armdyn.actuators.motor_functions import MOTORS
from armdyn.algorithms import forward_dynamics
from armdyn.base.errors import Unsupported
from armdyn.base.named_tuples import named_tuple
from armdyn.base.scalars import Scalar
from armdyn.declaration import Argument, Function, MadeFunction
from armdyn.model.model import Model
from armdyn.program import clip


def driven_motion(model: Model) -> Function:
    """tau = G (k_t I + tau_cogging) + tau_else, and L dI/dt = V - k_t w - R I (Modern Robotics 8.9.1, 8.103).

    Results are qdd and, for motors with an inductance, current_rate; without one the steady-state current is a result.
    Voltages and torques are within the motors' limits; windings have the temperature of the data sheet.

    Raises:
        ModelError: when it is traced, a robot without motors, or motors without torque constant or resistance.
    """
    has_current = has_inductance(model)
    kind = named_tuple("DrivenMotion", ["qdd", "current_rate" if has_current else "current"])
    arguments = [Argument("q", ("n",)), Argument("qd", ("n",))]
    arguments += [Argument("current", ("motors",))] if has_current else []
    arguments += [Argument("voltage", ("motors",)), Argument("tau", ("n",)), Argument("f_tip", (6,), optional=True)]
    names = [a.name for a in arguments]

    def motion(mechanism: Scalar, *arrays: Scalar) -> Scalar:
        values = dict(zip(names, arrays, strict=True))
        q, qd = values["q"], values["qd"]
        tau = np.array(values["tau"], dtype=object)
        result = []
        for k, own in enumerate(motors_of(mechanism, *CONSTANTS)):
            V, w = _clamp(values["voltage"][k], own.motor.limits.voltage), own.speed(qd)
            current = values["current"][k] if has_current else own.motor.steady_current(V, w)
            result.append(own.motor.current_rate(current, V, w) if has_current else current)
            tau[own.coordinate] = tau[own.coordinate] + _force(own, current, q)
        return kind(forward_dynamics(mechanism, q, qd, tau, values.get("f_tip")), np.array(result, dtype=object))

    motion.__name__, motion.__doc__ = "driven_motion", "Accelerations of an arm whose motors have given voltages."
    outputs = (("n",), ("motors",))
    return MadeFunction(
        motion, "driven_motion", "fmu", tuple(arguments), outputs, {}, kind, MOTORS, made=lambda: driven_motion(model)
    )


def has_inductance(model: Model) -> bool:
    """Return True if the motors' currents are states.

    Raises:
        Unsupported: some are and others are not.
    """
    actuators = [joint.actuator for joint in model.joints]
    result = {a.motor.inductance > 0.0 for a in actuators if isinstance(a, Actuator) and a.motor is not None}
    if len(result) == 2:
        raise Unsupported(
            f"some motors of {model.name!r} have an inductance and others have none; give "
            "all of them an inductance, or none"
        )
    return result == {True}


def _force(own: JointMotor, current: Scalar, q: Scalar) -> Scalar:
    return own.joint_force(_clamp(own.motor.torque(current), own.motor.limits.torque), q)


def _clamp(x: Scalar, limit: float) -> Scalar:
    return x if math.isinf(limit) else clip(x, -limit, limit)
