"""A controller whose joint forces are made by motors: currents that amplifiers drive, and windings that get warm."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from armdyn.actuators.bus_step import bus_step
from armdyn.actuators.flexible_joints import flexible_places, spring_count
from armdyn.actuators.joint_motors import COMMANDS, CONSTANTS, JointMotor, motors_of
from armdyn.actuators.supply import Supply
from armdyn.actuators.thermal import Rises
from armdyn.base.advice import either
from armdyn.base.checks import choice, switch
from armdyn.base.errors import DTypeError, ModelError, SettingError, UnknownName, Unsupported, excerpt
from armdyn.base.scalars import Scalar
from armdyn.control.wrapping import QD, H, Inside, Q, Run, Values
from armdyn.declaration import Argument, Function
from armdyn.model.mechanism import Mechanism
from armdyn.program import clip, minimum, select
from armdyn.spatial.rotations import Array

THETA, THETAD = Argument("theta", ("n",)), Argument("thetad", ("n",))

STATES = ("current", "winding_rise", "housing_rise")


OF_SUPPLY = ("bus_voltage", "supply_current", "burnt_power")


class _Step(NamedTuple):
    """A step of a motor: the joint force, N m or N, the voltage, V, and its state at the end of the step.

    ``slope`` is the rise of the current per volt of the bus, A/V.
    """

    force: Scalar
    voltage: Scalar
    current: Scalar
    rises: Rises
    slope: Scalar


def through_motors(
    controller: Function,
    *,
    command: str = "torque",
    flexible: bool = False,
    supply: Supply | Mapping[str, Scalar] | None = None,
) -> Function:
    """A controller that commands the motors of the joints, whose currents then give tau, N m or N.

    With ``command="torque"`` its tau is the command I_com = tau / (G k_t) (Modern Robotics 8.9.2), within the limit of
    the current; the amplifier puts on the voltage, within its limit, that brings the current there in one step. With
    ``command="voltage"`` its first result is that voltage, V, of each joint's motor, which the amplifier lowers if
    the current would be above its limit. A motor whose back-EMF is above the available voltage may have more.

    The current moves by L dI/dt = V - k_t w - R I exactly, with inputs held during the step, and within the limit of
    its rate; its value at the end of the step acts during it: tau = G (k_t I + tau_cogging), with k_t I within the
    limit of the torque. Winding and housing get warmer by I^2 R, exactly but for R, which is held
    during the step; R rises and k_t falls with them. The amplifier's own k_t and R are those of the reference
    temperature.

    With a ``supply`` all motors are on one DC bus, whose voltage U falls with the current they draw and rises with that
    they return. No motor is given more than U. The bus moves by C dU/dt = I_s - sum(V I)/U, with I_s = (V_s - U)/R_s
    within the supply's limits, by the implicit Euler rule (`armdyn.actuators.bus_step`); above the braking voltage a
    resistor dissipates the power.

    States, shape (n), which begin at zero: ``current``, A, ``winding_rise`` and ``housing_rise``, K above the ambient.
    Signals: ``voltage``, V, and ``electrical_power``, W: V I. A joint without a motor gets the controller's tau; the
    voltage and power there are 0. With a supply one state more, ``bus_sag``, V, the supply's voltage less U, and three
    signals: ``bus_voltage`` U, V, ``supply_current``, A, and ``burnt_power``, W.

    The motors turn at the speeds that this controller receives, so wrappers for sensors, e.g. `armdyn.control.noisy`
    and `armdyn.control.differencing`, belong inside it.

    Args:
        controller: the controller that commands.
        command: "torque" or "voltage".
        flexible: whether the motors' angles and speeds are theta and thetad, those of the rotors: for arms with
            flexible joints.
        supply: of all motors, an `armdyn.actuators.Supply` or a mapping of its arguments; none if each motor's own
            limit of the voltage is all that counts.

    Raises:
        ModelError: a supply that makes no sense, or with limits and without a capacitor, whose voltage would jump;
            when it is traced, a robot without motors, or motors without torque constant or resistance.
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
    source = _supply_of(supply)
    inside = Inside(controller)
    current, winding, housing = states = [inside.new(name) for name in STATES]
    voltage, power = inside.new("voltage"), inside.new("electrical_power")
    sag, *of_supply = [inside.new(name) for name in ("bus_sag", *OF_SUPPLY)]

    def law(model: Mechanism, values: Values, run: Run) -> Values:
        _check_springs(model, flexible=flexible)
        result = run(values)
        q, qd = _of_rotors(model, values) if flexible else (values["q"], values["qd"])
        tau = np.array(result["tau"], dtype=object)
        new = {name: np.zeros(len(tau), dtype=object) for name in (*states, voltage, power)}
        bus: Scalar = None if source is None else source.voltage - values[sag]
        slopes: list[Scalar] = []
        for own in motors_of(model, *CONSTANTS):
            i = own.coordinate
            state = values[current][i], Rises(values[winding][i], values[housing][i])
            step = _step(own, command, result["tau"][i], *state, q, qd, values["h"], bus)
            slopes.append(step.slope)
            tau[i], new[voltage][i], new[power][i] = step.force, step.voltage, step.voltage * step.current
            new[current][i], (new[winding][i], new[housing][i]) = step.current, step.rises
        if source is not None:
            per_volt = select(bus > 0.0, 1.0 / bus, 0.0)
            after = bus_step(source, bus, sum(new[power]) * per_volt, sum(slopes), values["h"])
            burnt = after.voltage * after.burnt_current
            new |= {sag: source.voltage - after.voltage}
            new |= dict(zip(of_supply, (after.voltage, after.supply_current, burnt), strict=True))
        return result | new | {"tau": tau}

    doc = "Joint forces tau that the motors give at their currents, N m or N, shape (..., n)."
    n = ("n",)
    return inside.wrapped(
        through_motors, law, doc, more=(Q, QD, *((THETA, THETAD) if flexible else ()), H),
        states=dict.fromkeys(states, n) | ({} if source is None else {sag: ()}),
        signals={voltage: n, power: n} | ({} if source is None else dict.fromkeys(of_supply, ())),
        settings={"command": command} | ({"flexible": True} if flexible else {})
        | ({} if source is None else {"supply": source}),
    )  # fmt: skip


def _supply_of(supply: Supply | Mapping[str, Scalar] | None) -> Supply | None:
    """The supply, if its voltage can be simulated in a motion.

    Raises:
        ModelError: a supply that makes no sense, or has limits and no capacitor.
        UnknownName: an argument that `Supply` does not have.
        DTypeError: not a supply.
    """
    if supply is None:
        return None
    if isinstance(supply, Mapping):
        fields = [field.name for field in dataclasses.fields(Supply)]
        for name in supply:
            if name not in fields:
                raise UnknownName.of("argument", name, fields, "supply")
        if "voltage" not in supply:
            raise ModelError("supply has no voltage; expected such as {voltage: 48, resistance: 0.1}")
        supply = Supply(**supply)
    if not isinstance(supply, Supply):
        raise DTypeError(f"supply is {excerpt(supply)}; expected an armdyn.actuators.Supply, or its arguments by name")
    if supply.capacitance == 0.0 and not (math.isinf(supply.current_limit) and math.isinf(supply.power_limit)):
        raise ModelError(
            "supply has a limit of current or power and no capacitance, so that its voltage would jump where the "
            "limit is reached; expected the capacitance of the bus, in F, such as 1e-3"
        )
    return supply


def _check_springs(model: Mechanism, *, flexible: bool) -> None:
    """Refuse an arm with flexible joints if ``flexible`` is false, and a rigid arm if it is true."""
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


def _of_rotors(model: Mechanism, values: Values) -> tuple[Array, Array]:
    """Positions and velocities of the rotors at the joints: at rigid joints those of the links."""
    result = np.array(values["q"], dtype=object), np.array(values["qd"], dtype=object)
    for place in flexible_places(model.model):
        result[0][place], result[1][place] = values["theta"][place], values["thetad"][place]
    return result


def _step(
    own: JointMotor,
    command: str,
    demand: Scalar,
    current: Scalar,
    rises: Rises,
    q: Array,
    qd: Array,
    h: Scalar,
    bus: Scalar,
) -> _Step:
    """One step of one motor, from the joint force or the voltage that is wanted, at a voltage of the bus."""
    motor, limits, w = own.motor, own.motor.limits, own.speed(qd)
    if command == "torque":
        commanded = _clamp(motor.current(demand / own.ratio), limits.current)  # I_com = tau / (G k_t)
        demand = motor.voltage_for(commanded, current, w, h)
    warm = motor if motor.thermal is None else motor.at(*rises)
    if command == "voltage" and math.isfinite(limits.current):  # the amplifier takes back what would drive more
        demand = clip(demand, *(warm.voltage_for(most, current, w, h) for most in (-limits.current, limits.current)))
    voltage = _clamp(demand, _least(limits.voltage, bus))
    later = warm.next_current(current, voltage, w, h, limits.current_rate)
    torque = _clamp(warm.torque(later), limits.torque)
    if motor.thermal is not None:
        rises = motor.thermal.next_rises(rises, warm.heat(later), h)
    slope = 0.0
    if bus is not None:
        follows = select(abs(demand) > bus, 1.0, 0.0) * select(bus < limits.voltage, 1.0, 0.0)
        slope = follows * warm.next_current(0.0, 1.0, 0.0, h)  # current per volt after a step
    return _Step(own.joint_force(torque, q), voltage, later, rises, slope)


def _least(limit: float, bus: Scalar) -> Scalar:
    """The most voltage that a motor is given."""
    if bus is None:
        return limit
    return bus if math.isinf(limit) else minimum(bus, limit)


def _clamp(x: Scalar, limit: Scalar) -> Scalar:
    return x if isinstance(limit, float) and math.isinf(limit) else clip(x, -limit, limit)
