"""The two-rate loop of Modern Robotics, figure 8.9: torques at a low rate, the amplifier's current at a high one."""

from __future__ import annotations

import math

import numpy as np

from armdyn.actuators.joint_motors import CONSTANTS, motors_of
from armdyn.base.checks import number
from armdyn.base.scalars import Scalar
from armdyn.control.sampled import sampled
from armdyn.control.wrapping import QD, H, Inside, Q, Run, Values, refuse_springs
from armdyn.declaration import Argument, Function
from armdyn.model.mechanism import Mechanism
from armdyn.program import clip, less, select
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array


def current_loop(controller: Function, every: int = 10) -> Function:
    """A controller whose torques are commands to a PI current controller that runs at every step (MR fig. 8.9).

    The controller runs at the steps 0, m, 2 m, ..., e.g. at 1 kHz, and its tau is held in between. At each step of
    the loop, e.g. at 10 kHz, each motor's amplifier compares the command I_com = tau / (G k_t), within the limit of
    the current, with the current I, and puts on

        V = K e + z,    e = I_com - I,    z grows by K_i h e,

    within the limit of the voltage; there z keeps its value (anti-windup). The current moves exactly by
    L dI/dt = V - k_t w - R I with V and the motor's speed w held during the step, and its value at the end of the step
    acts during it: tau = G (k_t I + tau_cogging). A joint without a motor gets the controller's tau.

    Gains are inputs of the loop, for each joint: ``Kp_current``, V/A, and ``Ki_current``, V/(A s); `current_gains` has
    those of a bandwidth. States: ``current``, A, and ``current_integral``, V. Signals: ``voltage``, V, and
    ``current_command``, A. Winding temperatures and a common supply are those of `through_motors`, whose amplifier
    reaches the command in one step.

    Args:
        controller: the controller that commands the torques.
        every: m, the steps of the current loop for one of the controller.

    Raises:
        SettingError: a number of steps below 1.
        ModelError: when it is traced, a robot without motors, or motors without torque constant or resistance.
        Unsupported: when it is traced, a robot with flexible joints.

    >>> from armdyn.actuators import Actuator, Gear, Motor
    >>> motor = Motor(1.4e-5, torque_constant=0.03, resistance=0.3, inductance=3e-4)
    >>> drive = Actuator(motor, Gear(100.0))
    >>> robot = armdyn.load("planar_2r").with_actuators({"joint_1": drive, "joint_2": drive})
    >>> two_rates = armdyn.control.current_loop(armdyn.control.pd_gravity, every=10)
    >>> method = armdyn.simulation.SemiImplicitEuler(step=1e-4)
    >>> loop = armdyn.ClosedLoop(robot, two_rates, method=method, record=["current", "current_command"])
    >>> gains = armdyn.control.current_gains(robot, bandwidth=3000.0)
    >>> rolled = loop([0.0, 0.0], steps=10000, q_ref=[0.5, 0.4], Kp=[400.0, 100.0], Kd=[60.0, 20.0], **gains)
    >>> bool(abs(rolled.final.q - [0.5, 0.4]).max() < 2e-2)
    True
    """
    return current_controlled(sampled(controller, every))


def current_controlled(controller: Function) -> Function:
    """A controller whose torques are commands to PI current controllers, which run at the same steps: `current_loop`.

    Args:
        controller: the controller that commands the torques.
    """
    inside = Inside(controller)
    current, integral = inside.new("current"), inside.new("current_integral")
    voltage, command = inside.new("voltage"), inside.new("current_command")
    proportional, rate = inside.new("Kp_current"), inside.new("Ki_current")

    def law(model: Mechanism, values: Values, run: Run) -> Values:
        refuse_springs(
            model,
            f"current_loop takes the speeds of the motors from qd, and {model.name!r} has flexible joints, whose "
            "rotors move by themselves",
        )
        results = run(values)
        tau, h = np.array(results["tau"], dtype=object), values["h"]
        new = {name: np.zeros(len(tau), dtype=object) for name in (current, integral, voltage, command)}
        for own in motors_of(model, *CONSTANTS):
            i, motor = own.coordinate, own.motor
            now, z = values[current][i], values[integral][i]
            reference = _clamp(motor.current(tau[i] / own.ratio), motor.limits.current)
            error = reference - now
            unlimited = values[proportional][i] * error + z
            V = _clamp(unlimited, motor.limits.voltage)
            grown = z + values[rate][i] * h * error
            w = own.speed(values["qd"])
            later = motor.next_current(now, V, w, h, motor.limits.current_rate)
            tau[i] = own.joint_force(_clamp(motor.torque(later), motor.limits.torque), values["q"])
            new[current][i], new[voltage][i], new[command][i] = later, V, reference
            is_limited = not math.isinf(motor.limits.voltage)
            new[integral][i] = select(less(motor.limits.voltage, abs(unlimited)), z, grown) if is_limited else grown
        return results | new | {"tau": tau}

    doc = "Joint forces tau of motors whose currents follow commands by PI controllers, N m or N, shape (..., n)."
    n = ("n",)
    return inside.wrapped(
        current_controlled, law, doc, more=(Q, QD, H, Argument(proportional, n), Argument(rate, n)),
        states={current: n, integral: n}, signals={voltage: n, command: n},
    )  # fmt: skip


def current_gains(robot: Robot, bandwidth: float) -> dict[str, Array]:
    """Gains of `current_loop` for a bandwidth: Kp_current = L w_c, V/A, and Ki_current = R w_c, V/(A s), shape (n,).

    The zero of the controller cancels the pole R/L of the winding, so that at rest the current follows its command as
    1/(1 + s/w_c). A loop that runs every h seconds needs w_c well below 1/h. A motor without inductance has an integral
    controller alone. Joints without a motor have gains of zero.

    Args:
        robot: with motors.
        bandwidth: w_c, rad/s.

    Raises:
        ModelError: a robot without motors, motors without torque constant or resistance; a bandwidth that is not above
            zero.

    >>> from armdyn.actuators import Actuator, Gear, Motor
    >>> motor = Motor(1.4e-5, torque_constant=0.03, resistance=0.3, inductance=3e-4)
    >>> arm = armdyn.load("planar_2r").with_actuators({"joint_2": Actuator(motor, Gear(100.0))})
    >>> armdyn.control.current_gains(arm, bandwidth=2000.0)
    {'Kp_current': array([0. , 0.6]), 'Ki_current': array([  0., 600.])}
    """
    w = number("bandwidth", bandwidth, above=0.0, unit="rad/s")
    gains = {"Kp_current": np.zeros(robot.dof), "Ki_current": np.zeros(robot.dof)}
    for own in motors_of(robot.mechanism, *CONSTANTS):
        gains["Kp_current"][own.coordinate] = own.motor.L * w
        gains["Ki_current"][own.coordinate] = own.motor.R * w
    return gains


def _clamp(x: Scalar, limit: float) -> Scalar:
    return x if math.isinf(limit) else clip(x, -limit, limit)
