"""Motors from their data sheets: numbers with units, checked against each other."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from armdyn.actuators.cogging import Cogging
from armdyn.actuators.limits import MotorLimits
from armdyn.actuators.motor import Motor
from armdyn.actuators.thermal import COPPER, Thermal
from armdyn.base.advice import option
from armdyn.base.checks import choice, switch
from armdyn.base.errors import ModelError, UnknownName, warn_of_description
from armdyn.base.quantities import quantity

LEAST = 1e-30
"""No motor has numbers below this, or above its inverse: their products would overflow or underflow."""

TOLERANCE = 0.05
"""Allowed relative difference of printed numbers from those by the others: they are rounded, measured warm or cold."""

WARM = 0.2
"""Relative difference allowed at the nominal point, whose windings are warm: R is larger there, and k_t smaller."""

ENTRIES = {
    "nominal_voltage": "V",
    "no_load_speed": "rad/s",
    "no_load_current": "A",
    "nominal_current": "A",
    "nominal_torque": "N m",
    "nominal_speed": "rad/s",
    "stall_torque": "N m",
    "stall_current": "A",
    "terminal_resistance": "ohm",
    "phase_resistance": "ohm",
    "terminal_inductance": "H",
    "phase_inductance": "H",
    "torque_constant": "N m/A",
    "speed_constant": "rad/s/V",
    "voltage_constant": "V s/rad",
    "speed_torque_gradient": "rad/s/N m",
    "mechanical_time_constant": "s",
    "rotor_inertia": "kg m^2",
    "damping": "N m s/rad",
    "peak_current": "A",
    "current_rate": "A/s",
    "maximum_speed": "rad/s",
    "maximum_torque": "N m",
    "cogging_torque": "N m",
    "mass": "kg",
    "winding_to_housing": "K/W",
    "housing_to_ambient": "K/W",
    "winding_time_constant": "s",
    "motor_time_constant": "s",
    "ambient_temperature": "degC",
    "winding_temperature_limit": "degC",
    "resistance_coefficient": "K^-1",
    "magnet_coefficient": "K^-1",
}
"""The entries of a data sheet, and the unit of a number without one."""

MAY_BE_ZERO = ("no_load_current", "damping", "phase_inductance", "terminal_inductance", "cogging_torque")
SIGNED = ("ambient_temperature", "winding_temperature_limit", "magnet_coefficient", "resistance_coefficient")

BETWEEN_TERMINALS = {"star": 2.0, "delta": 2.0 / 3.0}
"""Resistance between terminals over that of a phase: two phases in series; one in parallel with the other two."""

THERMAL = ("winding_to_housing", "housing_to_ambient", "winding_time_constant", "motor_time_constant")


class DataSheetError(ModelError):
    """A data sheet whose numbers contradict each other, or do not suffice."""


def read(
    *,
    connection: str | None = None,
    cogging_periods: float | None = None,
    check: bool = True,
    **entries: str | float | None,
) -> Motor:
    """A motor from the entries of its data sheet, each a text with its unit, or a number in SI units.

    k_t comes from the first that is given of torque_constant, voltage_constant, speed_constant, and nominal_voltage
    with no_load_speed (and stall_torque and damping, if the shaft has friction); R from terminal_resistance,
    phase_resistance, stall_current and stall_torque. The shaft's friction is k_t I_0 less damping w_0. The limit of the
    voltage is nominal_voltage, that of the continuous current nominal_current, or nominal_torque/k_t + I_0; for another
    supply or amplifier give ``dataclasses.replace(motor, limits=MotorLimits(...))``.

    Args:
        connection: "star" or "delta", of phase_resistance and phase_inductance.
        cogging_periods: of cogging_torque in one turn.
        check: refuse numbers that differ by more than 5 % from the values that follow from the others; nominal_torque
            and nominal_speed, which are those of warm windings, by more than 20 %. Without the check k_t and R are as
            above, and entries that contradict them are not used.
        entries: see `ENTRIES`: nominal_voltage, no_load_speed, no_load_current, nominal_current, nominal_torque,
            nominal_speed, stall_torque, stall_current, terminal_resistance or phase_resistance, terminal_inductance or
            phase_inductance, torque_constant, speed_constant, voltage_constant, speed_torque_gradient,
            mechanical_time_constant, rotor_inertia, damping, peak_current, current_rate, maximum_speed, maximum_torque,
            cogging_torque, mass, winding_to_housing, housing_to_ambient, winding_time_constant, motor_time_constant,
            ambient_temperature, winding_temperature_limit, resistance_coefficient, magnet_coefficient.

    Warns (`armdyn.DescriptionWarning`) of entries from which nothing follows and that nothing can be compared with,
    e.g. a stall_current without nominal_voltage.

    Raises:
        DataSheetError: naming all contradictions with their numbers, or missing entries.
        UnknownName: an entry that no motor has.
        ModelError: a unit of another quantity, or a value that is not a number.

    >>> motor = armdyn.actuators.Motor.from_data_sheet(
    ...     nominal_voltage="24 V", torque_constant="30.2 mN m/A", speed_constant="317 rpm/V",
    ...     terminal_resistance="0.299 ohm", rotor_inertia="142 g cm^2", no_load_current="137 mA",
    ... )
    >>> round(motor.no_load_speed() * 30 / np.pi), round(motor.rotor_inertia, 9)
    (7576, 1.42e-05)
    """
    check = switch("check", check)
    values = _in_si(entries)
    _to_terminals(values, connection)
    k_t = _torque_constant(values)
    R = _resistance(values, k_t)
    expected = _derived_values(values, k_t, R)
    if check and (contradictions := list(_contradictions(values, expected, k_t, R))):
        unchecked = option("check", False)
        advice = f"Mend the sheet; {unchecked} takes torque constant and resistance, and leaves out the rest"
        raise DataSheetError([*contradictions[:-1], f"{contradictions[-1]}. {advice}"])
    if (cogging_periods is None) != ("cogging_torque" not in values):
        raise DataSheetError("cogging_torque and cogging_periods belong together; give both or neither")
    _warn_of_unused(values, expected)
    return Motor(
        values.get("rotor_inertia", 0.0),
        torque_constant=k_t,
        resistance=R,
        inductance=values.get("terminal_inductance", 0.0),
        friction=_friction(values, k_t, R),
        damping=values.get("damping", 0.0),
        limits=MotorLimits(
            voltage=values.get("nominal_voltage", math.inf),
            current=values.get("peak_current", math.inf),
            continuous_current=_continuous_current(values, k_t),
            current_rate=values.get("current_rate", math.inf),
            speed=values.get("maximum_speed", math.inf),
            torque=values.get("maximum_torque", math.inf),
        ),
        cogging=None if cogging_periods is None else Cogging(values["cogging_torque"], cogging_periods),
        thermal=_thermal(values),
        mass=values.get("mass", 0.0),
    )


def _in_si(entries: dict[str, str | float | None]) -> dict[str, float]:
    """Every entry in the unit of `ENTRIES`; those that are None are not given."""
    result: dict[str, float] = {}
    for name, text in entries.items():
        if name not in ENTRIES:
            raise UnknownName.of("field", name, ENTRIES, "a data sheet")
        if text is None:
            continue
        value = quantity(name, text, ENTRIES[name], needs_unit=True)
        if name not in SIGNED and not (value > 0.0 or (value == 0.0 and name in MAY_BE_ZERO)):
            raise ModelError(f"{name} is {text!r}; expected a number above zero")
        if value and not LEAST < abs(value) < 1.0 / LEAST:
            raise ModelError(f"{name} is {text!r}; expected a number between {LEAST:g} and {1.0 / LEAST:g} in SI")
        result[name] = value
    return result


def _to_terminals(values: dict[str, float], connection: str | None) -> None:
    """Values between two terminals in the place of those of a phase."""
    of_phases = [name for name in ("phase_resistance", "phase_inductance") if name in values]
    if connection is not None:
        connection = choice("connection", connection, BETWEEN_TERMINALS)
    if bool(of_phases) != (connection is not None):
        raise DataSheetError(
            f"{' and '.join(of_phases) or 'connection'} is given alone; a phase's value needs connection='star' (twice "
            "it between terminals) or 'delta' (two thirds of it), and a connection needs a phase's value"
        )
    for name in of_phases:
        terminal = name.replace("phase", "terminal")
        if terminal in values:
            raise DataSheetError(f"{name} and {terminal} are both given; expected one of them")
        values[terminal] = BETWEEN_TERMINALS[str(connection)] * values.pop(name)


def _torque_constant(values: dict[str, float]) -> float:
    """k_t, N m/A."""
    if "torque_constant" in values:
        return values["torque_constant"]
    if "voltage_constant" in values:
        return values["voltage_constant"]
    if "speed_constant" in values:
        return 1.0 / values["speed_constant"]
    if {"nominal_voltage", "no_load_speed"} <= values.keys():
        return _from_no_load(values)
    raise DataSheetError(
        "the torque constant is missing; give torque_constant, speed_constant, voltage_constant, or nominal_voltage "
        "and no_load_speed"
    )


def _from_no_load(values: dict[str, float]) -> float:
    """k_t from V = k_t w_0 + R I_0, with the no-load torque k_t I_0 by the no-load current, or damping w_0."""
    V, w, b = values["nominal_voltage"], values["no_load_speed"], values.get("damping", 0.0)
    R, stall = values.get("terminal_resistance"), values.get("stall_torque")
    if R is None and "stall_current" in values:
        R = V / values["stall_current"]
    if R is not None and "no_load_current" in values:
        k_t = (V - R * values["no_load_current"]) / w
    elif R is not None:
        inside = V**2 - 4.0 * R * b * w**2  # k_t^2 w - V k_t + R b w = 0
        k_t = (V + math.sqrt(inside)) / (2.0 * w) if inside >= 0.0 else math.nan
    elif stall is not None and "no_load_current" in values:
        k_t = V / (w + V * values["no_load_current"] / stall)  # R = k_t V/stall
    else:
        k_t = V / w - (V * b / stall if stall is not None else 0.0)  # so too
    if not k_t > 0.0:
        raise DataSheetError(
            f"no torque constant gives no_load_speed {w:g} rad/s at {V:g} V: resistance and friction take all of it"
        )
    return k_t


def _resistance(values: dict[str, float], k_t: float) -> float | None:
    """R between the terminals, ohm; None if it does not follow from the entries."""
    if "terminal_resistance" in values:
        return values["terminal_resistance"]
    V = values.get("nominal_voltage")
    if V is not None and "stall_current" in values:
        return V / values["stall_current"]
    if V is not None and "stall_torque" in values:
        return k_t * V / values["stall_torque"]
    return None


def _continuous_current(values: dict[str, float], k_t: float) -> float:
    """The current that the motor bears continuously, A."""
    if "nominal_current" not in values and "nominal_torque" in values:
        return values["nominal_torque"] / k_t + _no_load_current(values, k_t)
    return values.get("nominal_current", math.inf)


def _no_load_current(values: dict[str, float], k_t: float) -> float:
    """I_0, A."""
    return values.get("no_load_current", values.get("damping", 0.0) * values.get("no_load_speed", 0.0) / k_t)


def _friction(values: dict[str, float], k_t: float, R: float | None) -> float:
    """Coulomb friction of the shaft, N m: k_t I_0 - damping w_0."""
    I_0, b = values.get("no_load_current", 0.0), values.get("damping", 0.0)
    if not (I_0 and b):
        return k_t * I_0
    if "nominal_voltage" not in values:
        raise DataSheetError("no_load_current with damping needs nominal_voltage, at which the motor ran")
    w_0 = values.get("no_load_speed", (values["nominal_voltage"] - (R or 0.0) * I_0) / k_t)
    friction = k_t * I_0 - b * w_0
    if friction < -TOLERANCE * k_t * I_0:
        raise DataSheetError(
            f"damping takes {b * w_0:g} N m at the no-load speed of {w_0:g} rad/s, more than the no-load current's "
            f"{k_t * I_0:g} N m"
        )
    return max(0.0, friction)


class _Follows(NamedTuple):
    """The value of an entry by the other entries; None if an entry is missing that it ``needs``."""

    value: float | None
    formula: str
    needs: str


def _derived_values(values: dict[str, float], k_t: float, R: float | None) -> dict[str, _Follows]:
    """The values of entries that only confirm others, by torque constant and resistance."""
    V, J = values.get("nominal_voltage"), values.get("rotor_inertia")
    I_0, I_n = _no_load_current(values, k_t), _continuous_current(values, k_t)
    stall = None if V is None or R is None else V / R
    gradient = None if R is None else R / k_t**2
    stall_torque = None if stall is None else k_t * stall
    of_current, of_torque = "V/R", "k_t V/R"
    if stall is None and {"stall_current", "stall_torque"} <= values.keys():
        stall, of_current = values["stall_torque"] / k_t, "stall_torque/k_t"
        stall_torque, of_torque = k_t * values["stall_current"], "k_t stall_current"
    return {
        "speed_constant": _Follows(1.0 / k_t, "1/k_t", ""),
        "voltage_constant": _Follows(k_t, "k_t", ""),
        "no_load_speed": _Follows(
            None if V is None else (V - (R or 0.0) * I_0) / k_t, "(V - R I_0)/k_t", "nominal_voltage"
        ),
        "stall_current": _Follows(stall, of_current, "nominal_voltage"),
        "stall_torque": _Follows(stall_torque, of_torque, "nominal_voltage"),
        "speed_torque_gradient": _Follows(gradient, "R/k_t^2", "terminal_resistance"),
        "mechanical_time_constant": _Follows(
            None if gradient is None or J is None else J * gradient,
            "I_rotor R/k_t^2",
            "terminal_resistance" if gradient is None else "rotor_inertia",
        ),
        "nominal_torque": _Follows(k_t * (I_n - I_0), "k_t (I_n - I_0)", ""),
        "nominal_speed": _Follows(
            None if V is None or R is None or math.isinf(I_n) else (V - R * I_n) / k_t,
            "(V - R I_n)/k_t",
            "nominal_voltage" if V is None else "terminal_resistance" if R is None else "nominal_current",
        ),
    }


def _warn_of_unused(values: dict[str, float], expected: dict[str, _Follows]) -> None:
    """Warn of entries that do not affect the motor and cannot be compared with anything."""
    formulas = ((name, formula) for name, formula in expected.items() if name in values)
    unused = [f"{name} without {formula.needs}" for name, formula in formulas if formula.value is None]
    if unused:
        warn_of_description(f"not used of a motor's data sheet: {', '.join(unused)}")


def _contradictions(
    values: dict[str, float], expected: dict[str, _Follows], k_t: float, R: float | None
) -> Iterator[str]:
    """Sentences about printed numbers that differ from the values by the others by more than the tolerance."""
    for name, (value, formula, _) in expected.items():
        if value is None or name not in values:
            continue
        off = (values[name] - value) / abs(value) if value else math.inf
        if abs(off) > (WARM if name.startswith("nominal_") else TOLERANCE):
            used = f"k_t = {k_t:.5g} N m/A" + ("" if R is None else f", R = {R:.5g} ohm")
            yield (
                f"{name} is {values[name]:.5g} {ENTRIES[name]}, but {formula} is {value:.5g} ({off:+.1%}), with {used}"
            )
    winding, whole = values.get("winding_time_constant", 0.0), values.get("motor_time_constant", math.inf)
    if winding > whole:
        yield f"winding_time_constant is {winding:.5g} s, above motor_time_constant, {whole:.5g} s"


def _thermal(values: dict[str, float]) -> Thermal | None:
    """The two-body thermal model, if the sheet has its resistances and time constants."""
    there = [name for name in THERMAL if name in values]
    others = [name for name in SIGNED if name in values]
    if not there and not others:
        return None
    if missing := [name for name in THERMAL if name not in values]:
        raise DataSheetError(f"the thermal model has {', '.join([*there, *others])} but lacks {', '.join(missing)}")
    return Thermal.of_time_constants(
        *(values[name] for name in ("winding_to_housing", "winding_time_constant")),
        *(values[name] for name in ("housing_to_ambient", "motor_time_constant")),
        ambient=values.get("ambient_temperature", 25.0),
        winding_limit=values.get("winding_temperature_limit", math.inf),
        resistance_coefficient=values.get("resistance_coefficient", COPPER),
        magnet_coefficient=values.get("magnet_coefficient", 0.0),
    )
