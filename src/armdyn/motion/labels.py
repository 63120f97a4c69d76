"""Names and units of the values of a signal: of joints, stops, contacts, constraints, bristles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from armdyn.base.errors import ShapeError, UnknownName
from armdyn.base.scalars import Array
from armdyn.model.constraints import Constraint
from armdyn.model.joint_units import UNITS
from armdyn.motion.signal_words import base_name
from armdyn.robot import Robot


class Label(NamedTuple):
    """The name and the unit of one value of a signal; either may be empty."""

    name: str
    unit: str = ""


Labels = Mapping[str, tuple[Label, ...]]
"""Labels of the values of signals, one per value, by the names of the signals."""

QUANTITIES = {
    **dict.fromkeys(("theta", "theta_ref", "q_ref", "target", "last_q"), "q"),
    **dict.fromkeys(("thetad", "qd_ref", "filtered_velocity"), "qd"),
    "qdd_ref": "qdd",
    "jerk_ref": "jerk",
    "snap_ref": "snap",
    "integral": "integral",
    "observed_momentum": "momentum",
    **dict.fromkeys(("friction", "rotor_friction", "residual", "last_loads"), "tau"),
    **dict.fromkeys(("tau_unlimited", "delayed_tau", "sampled_tau"), "tau"),
}
"""The quantity of joints of signals that armdyn makes."""

TIP_REFERENCES: Mapping[str, Sequence[tuple[str, str]]] = {
    "T_ref": [
        (f"{row}{column}", "m" if column == 4 and row < 4 else "") for row in range(1, 5) for column in range(1, 5)
    ],
    "V_ref": [(f"{part}{axis}", unit) for part, unit in (("w", "rad/s"), ("v", "m/s")) for axis in "xyz"],
    "Vdot_ref": [(f"{part}{axis}", unit) for part, unit in (("wd", "rad/s^2"), ("vd", "m/s^2")) for axis in "xyz"],
    "shift": [(axis, "m") for axis in "xyz"],
    "shift_rate": [(axis, "m/s") for axis in "xyz"],
}
"""Names and units of the values of a pose by row and column, of a twist, of its rate, and of a shift of the tip."""

ELECTRICAL = {"voltage": "V", "electrical_power": "W", "current": "A", "winding_rise": "K", "housing_rise": "K"}
"""The units of signals of `armdyn.control.through_motors`."""

OF_SUPPLY = {"bus_sag": "V", "bus_voltage": "V", "supply_current": "A", "burnt_power": "W"}
"""The units of its signals of a supply, one value each."""

OF_CONSTRAINTS = ("multipliers", "multipliers_ref", "force_integral")
"""Signals with a value for each row of the constraints."""

MULTIPLIERS = {"m": "N", "rad": "N m", "": ""}
"""Units of the multiplier of a row, by the unit of the row."""


def is_reference(name: str) -> bool:
    """True for the name of a reference input of a controller, X_ref."""
    return name.endswith("_ref")


def of_joints(signal: str, names: Sequence[str], kinds: Sequence[str]) -> tuple[Label, ...]:
    """Labels of a signal with a value for each joint: names of the joints, units by their kinds."""
    return tuple(map(Label, names, units_of_joints(signal, kinds)))


def units_of_joints(signal: str, kinds: Sequence[str]) -> list[str]:
    """The unit of each value of a signal of joints, by their kinds; empty of a signal that armdyn does not record."""
    base = base_name(signal)
    quantity = QUANTITIES.get(base)
    return [ELECTRICAL.get(base, "") if quantity is None else UNITS[kind][quantity] for kind in kinds]


def of_constraints(constraints: Iterable[Constraint], *, integral: bool = False) -> tuple[Label, ...]:
    """Labels of the force that the arm applies to each row of its constraints, or of the force's integral over time."""
    units = [(row.name, MULTIPLIERS[row.unit]) for one in constraints for row in one.rows]
    return tuple(Label(name, f"{unit} s".strip() if integral else unit) for name, unit in units)


def of_robot(robot: Robot, signals: Mapping[str, int]) -> dict[str, tuple[Label, ...]]:
    """Labels of signals of a simulation that have one value per joint, and of references of the tip.

    Args:
        robot: the simulated robot.
        signals: the number of values of each signal, by name.
    """
    result = {name: _labels(robot, name, size) for name, size in signals.items()}
    return {name: labels for name, labels in result.items() if labels}


def _labels(robot: Robot, name: str, size: int) -> tuple[Label, ...]:
    """Labels of one signal; none if it is not one that armdyn records, or of another size."""
    base, n = base_name(name), robot.dof
    kinds = [joint.kind for joint in robot.joints]
    if base in TIP_REFERENCES and size == len(TIP_REFERENCES[base]):
        return tuple(Label(*label) for label in TIP_REFERENCES[base])
    if size == 1 and base in OF_SUPPLY:
        return (Label("", OF_SUPPLY[base]),)
    if base in OF_CONSTRAINTS:
        labels = of_constraints(robot.model.constraints, integral=base == "force_integral")
        return labels if len(labels) == size else ()
    if base == "delayed_tau" and size % n == 0:  # the first to act first
        units = units_of_joints(name, kinds)
        steps = range(1, size // n + 1)
        return tuple(
            Label(f"{joint}, {_steps(k)}", unit)
            for k in steps
            for joint, unit in zip(robot.joint_names, units, strict=True)
        )
    return known_of_joints(name, size, robot.joint_names, kinds)


def known_of_joints(name: str, size: int, names: Sequence[str], kinds: Sequence[str]) -> tuple[Label, ...]:
    """Labels of a signal of joints that armdyn records; none of another signal, or of one with another size."""
    base = base_name(name)
    is_per_joint = size == len(names) and (base in QUANTITIES or base in ELECTRICAL)
    return of_joints(name, names, kinds) if is_per_joint else ()


def known_labels(
    signals: Mapping[str, Array], names: Sequence[str], kinds: Sequence[str]
) -> dict[str, tuple[Label, ...]]:
    """Labels of those signals of joints that have a name that armdyn uses, by the name.

    Args:
        signals: each of shape (T, ..., k).
        names: of the joints.
        kinds: of the joints.
    """
    result = {name: known_of_joints(name, values.shape[-1], names, kinds) for name, values in signals.items()}
    return {name: labels for name, labels in result.items() if labels}


def _steps(count: int) -> str:
    return "next step" if count == 1 else f"in {count} steps"


def checked_labels(signal: str, pairs: Iterable[Sequence[str]], signals: Mapping[str, Array]) -> tuple[Label, ...]:
    """Names and units as they were given, one for each value of a signal.

    Raises:
        UnknownName: a signal that there is not.
        ShapeError: more or fewer labels than values.
    """
    if signal not in signals:
        raise UnknownName.of("signal", signal, signals, "the trajectory")
    labels, size = tuple(Label(*map(str, one)) for one in pairs), signals[signal].shape[-1]
    if len(labels) != size:
        raise ShapeError(f"{signal} has {len(labels)} labels; expected {size}, a name and a unit for each value")
    return labels
