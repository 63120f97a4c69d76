"""Names and units of the values of a signal: of joints, stops, contacts, constraints, bristles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from armdyn.errors import ShapeError, UnknownName
from armdyn.model.constraints import Constraint
from armdyn.robot import Robot


class Label(NamedTuple):
    """The name and the unit of one value of a signal; either may be empty."""

    name: str
    unit: str = ""


Labels = Mapping[str, tuple[Label, ...]]
"""By the names of signals; a label for each of their values."""

UNITS = {
    "revolute": {"q": "rad", "qd": "rad/s", "qdd": "rad/s^2", "tau": "N m", "integral": "rad s"},
    "prismatic": {"q": "m", "qd": "m/s", "qdd": "m/s^2", "tau": "N", "integral": "m s"},
}
"""Of the quantities of a joint."""

QUANTITIES = {
    **dict.fromkeys(("theta", "q_ref", "target", "last_q"), "q"),
    **dict.fromkeys(("thetad", "qd_ref", "filtered_velocity"), "qd"),
    "qdd_ref": "qdd",
    "integral": "integral",
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
}
"""Names and units of the values of a pose by row and column, of a twist, and of its rate."""

ELECTRICAL = {"voltage": "V", "electrical_power": "W", "current": "A", "winding_rise": "K", "housing_rise": "K"}
"""The units of signals of `armdyn.control.through_motors`."""

OF_SUPPLY = {"bus_sag": "V", "bus_voltage": "V", "supply_current": "A", "burnt_power": "W"}
"""The units of its signals of a supply, one value each."""

MULTIPLIERS = {"m": "N", "rad": "N m", "": ""}
"""The units of what is pushed along a row of this unit."""


def is_reference(name: str) -> bool:
    """Whether an input of a controller with this name is a reference, X_ref."""
    return name.endswith("_ref")


def of_joints(signal: str, names: Sequence[str], kinds: Sequence[str]) -> tuple[Label, ...]:
    """Of a signal with a value for each joint, by their names and kinds."""
    quantity = QUANTITIES.get(signal)
    units = [ELECTRICAL.get(signal, "") if quantity is None else UNITS[kind][quantity] for kind in kinds]
    return tuple(map(Label, names, units))


def of_constraints(constraints: Iterable[Constraint]) -> tuple[Label, ...]:
    """Of what the arm applies to each row of its constraints."""
    return tuple(Label(row.name, MULTIPLIERS[row.unit]) for one in constraints for row in one.rows)


def of_robot(robot: Robot, signals: Mapping[str, int]) -> dict[str, tuple[Label, ...]]:
    """Of the signals of a simulation that have a value for each joint, and of references of the tip.

    Args:
        robot: that moves.
        signals: how many values each has, by name.
    """
    kinds = [joint.kind for joint in robot.joints]
    of_tip = {
        name: tuple(Label(*label) for label in labels)
        for name, labels in TIP_REFERENCES.items()
        if signals.get(name) == len(labels)
    }
    return of_tip | {
        name: of_joints(name, robot.joint_names, kinds)
        for name, size in signals.items()
        if name in QUANTITIES and size == robot.dof
    }


def checked_labels(
    signal: str, given: Iterable[Sequence[str]], signals: Mapping[str, np.ndarray[Any, Any]]
) -> tuple[Label, ...]:
    """Names and units as they were given, one for each value of a signal.

    Raises:
        UnknownName: a signal that there is not.
        ShapeError: more or fewer labels than values.
    """
    if signal not in signals:
        raise UnknownName.of("signal", signal, signals, "the trajectory")
    labels, size = tuple(Label(*map(str, one)) for one in given), signals[signal].shape[-1]
    if len(labels) != size:
        raise ShapeError(f"{signal} has {len(labels)} labels; expected {size}, a name and a unit for each value")
    return labels
