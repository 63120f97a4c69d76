"""A controller whose joint forces are made by motors: currents that amplifiers drive, and windings that get warm."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from armdyn.actuators.driven import COMMANDS, CONSTANTS, Driven, motors_of
from armdyn.actuators.flexible_joints import flexible_places, spring_count
from armdyn.actuators.thermal import Rises
from armdyn.advice import either
from armdyn.checks import choice, switch
from armdyn.control.wrapping import QD, H, Inside, Q, Run, Values
from armdyn.declaration import Argument, Function
from armdyn.errors import Unsupported
from armdyn.program import clip
from armdyn.simulation.errors import SettingError
from armdyn.spatial.rotations import Array

THETA, THETAD = Argument("theta", ("n",)), Argument("thetad", ("n",))

STATES = ("current", "winding_rise", "housing_rise")


class _Step(NamedTuple):
    """A step of a motor: the joint force, N m or N, the voltage, V, and its state at the end of the step."""

    force: Any
    voltage: Any
    current: Any
    rises: Rises


def through_motors(controller: Function, *, command: str = "torque", flexible: bool = False) -> Function:
    """A controller that commands the motors of the joints, whose currents then give tau, N m or N.

    With ``command="torque"`` its tau asks for I_com = tau / (G k_t) (Modern Robotics 8.9.2), within the limit of the
    current; the amplifier puts on the voltage, within its limit, that brings the current there in one step. With
    ``command="voltage"`` its first result is that voltage, V, of each joint's motor.

    The current moves by L dI/dt = V - k_t w - R I with what is held during the step, exactly, and within the limit of
    its rate; what it is at the end of the step acts during it: tau = G (k_t I + tau_cogging), with k_t I within the
    limit of the torque. Winding and housing get warmer by I^2 R, exactly; R rises and k_t falls with them. The
    amplifier's own k_t and R are those of the reference temperature. The limit of the voltage is the motor's own,
    whatever the others draw: a supply that falls under load, `armdyn.actuators.Supply`, does not count here.

    States, shape (n), which begin at zero: ``current``, A, ``winding_rise`` and ``housing_rise``, K above the ambient.
    Signals: ``voltage``, V, and ``electrical_power``, W: V I. A joint without a motor gets the controller's tau; the
    voltage and power there are 0.

    Args:
        controller: what commands.
        command: "torque" or "voltage".
        flexible: whether the motors' angles and speeds are theta and thetad, those of the rotors: for arms with
            flexible joints.

    Raises:
        ModelError: when it is traced, a robot without motors, or motors without torque constant or resistance.
        Unsupported: when it is traced, a robot with flexible joints without ``flexible``, or the other way round.

    >>> from armdyn.actuators import Actuator, Gear, Motor, MotorLimits
    >>> limits = MotorLimits(voltage=24.0, current=20.0)
    >>> motor = Motor(1.4e-5, torque_constant=0.03, resistance=0.3, inductance=8e-5, limits=limits)
    >>> drive = Actuator(motor, Gear(100.0))
    >>> robot = armdyn.load("planar_2r").with_actuators({"joint_1": drive, "joint_2": drive})
    >>> driven = armdyn.control.through_motors(armdyn.control.pd_gravity)
    >>> loop = armdyn.ClosedLoop(robot, driven, record=["tau", "current", "voltage"])
    >>> aim = {"q_ref": [0.5, 0.5], "qd_ref": np.zeros(2), "Kp": [400.0, 100.0], "Kd": [60.0, 20.0]}
    >>> rolled = loop([0.0, 0.0], steps=500, **aim)
    >>> float(abs(rolled.rows.current).max()), float(abs(rolled.rows.tau).max().round(9))
    (20.0, 60.0)
    """
    command = choice("command", command, COMMANDS, error=SettingError)
    flexible = switch("flexible", flexible)
    inside = Inside(controller)
    current, winding, housing = states = [inside.new(name) for name in STATES]
    voltage, power = inside.new("voltage"), inside.new("electrical_power")

    def law(model: Any, values: Values, run: Run) -> Values:
        _check_springs(model, flexible=flexible)
        found = run(values)
        q, qd = _of_rotors(model, values) if flexible else (values["q"], values["qd"])
        tau = np.array(found["tau"], dtype=object)
        new = {name: np.zeros(len(tau), dtype=object) for name in (*states, voltage, power)}
        for own in motors_of(model, *CONSTANTS):
            i = own.coordinate
            state = values[current][i], Rises(values[winding][i], values[housing][i])
            step = _step(own, command, found["tau"][i], *state, q, qd, values["h"])
            tau[i], new[voltage][i], new[power][i] = step.force, step.voltage, step.voltage * step.current
            new[current][i], (new[winding][i], new[housing][i]) = step.current, step.rises
        return found | new | {"tau": tau}

    doc = "Joint forces tau that the motors give at their currents, N m or N, shape (..., n)."
    n = ("n",)
    return inside.wrapped(
        through_motors, law, doc, more=(Q, QD, *((THETA, THETAD) if flexible else ()), H),
        states=dict.fromkeys(states, n), signals={voltage: n, power: n},
        settings={"command": command} | ({"flexible": True} if flexible else {}),
    )  # fmt: skip


def _check_springs(model: Any, *, flexible: bool) -> None:
    """Refuse an arm whose rotors move by themselves where none are looked for, and the other way round."""
    has_springs = spring_count(model.model) > 0
    if has_springs and not flexible:
        raise Unsupported(
            f"through_motors takes the speeds of the motors from qd, and {model.name!r} has flexible joints, whose "
            "rotors move by themselves; give "
            + either(
                "through_motors(..., flexible=True), or robot.without_springs()",
                "{through_motors: {flexible: true}}, or actuators without springs",
            )
        )
    if flexible and not has_springs:
        raise Unsupported(
            f"through_motors(..., flexible=True) takes the speeds of the motors from thetad, and {model.name!r} has no "
            "flexible joints; leave flexible out"
        )


def _of_rotors(model: Any, values: Values) -> tuple[Array, Array]:
    """Positions and velocities of the rotors at the joints: at rigid joints those of the links."""
    found = np.array(values["q"], dtype=object), np.array(values["qd"], dtype=object)
    for place in flexible_places(model.model):
        found[0][place], found[1][place] = values["theta"][place], values["thetad"][place]
    return found


def _step(own: Driven, command: str, wanted: Any, current: Any, rises: Rises, q: Array, qd: Array, h: Any) -> _Step:
    """One step of one motor, from the joint force or the voltage that is wanted."""
    motor, limits, w = own.motor, own.motor.limits, own.speed(qd)
    if command == "torque":
        commanded = _within(motor.current(wanted / own.ratio), limits.current)  # I_com = tau / (G k_t)
        wanted = motor.voltage_for(commanded, current, w, h)
    voltage = _within(wanted, limits.voltage)
    warm = motor if motor.thermal is None else motor.at(*rises)
    later = warm.next_current(current, voltage, w, h, limits.current_rate)
    torque = _within(warm.torque(later), limits.torque)
    if motor.thermal is not None:
        rises = motor.thermal.next_rises(rises, warm.heat(later), h)
    return _Step(own.joint_force(torque, q), voltage, later, rises)


def _within(x: Any, limit: float) -> Any:
    return x if math.isinf(limit) else clip(x, -limit, limit)
