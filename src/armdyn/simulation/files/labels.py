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
    "revolute": {"q": "rad", "qd": "rad/s", "qdd": "rad/s^2", "tau": "N m"},
    "prismatic": {"q": "m", "qd": "m/s", "qdd": "m/s^2", "tau": "N"},
}
"""Of the quantities of a joint."""

QUANTITIES = {
    **dict.fromkeys(("theta", "q_ref", "last_q"), "q"),
    **dict.fromkeys(("thetad", "qd_ref", "filtered_velocity"), "qd"),
    "qdd_ref": "qdd",
    **dict.fromkeys(("friction", "rotor_friction", "residual", "last_loads"), "tau"),
    **dict.fromkeys(("tau_unlimited", "delayed_tau", "sampled_tau"), "tau"),
}
"""The quantity of joints of signals that armdyn makes."""

ELECTRICAL = {"voltage": "V", "electrical_power": "W", "current": "A", "winding_rise": "K", "housing_rise": "K"}
"""The units of signals of `armdyn.control.through_motors`."""

OF_SUPPLY = {"bus_sag": "V", "bus_voltage": "V", "supply_current": "A", "burnt_power": "W"}
"""The units of its signals of a supply, one value each."""

MULTIPLIERS = {"m": "N", "rad": "N m", "": ""}
"""The units of what is pushed along a row of this unit."""


def of_joints(signal: str, names: Sequence[str], kinds: Sequence[str]) -> tuple[Label, ...]:
    """Of a signal with a value for each joint, by their names and kinds."""
    quantity = QUANTITIES.get(signal)
    units = [ELECTRICAL.get(signal, "") if quantity is None else UNITS[kind][quantity] for kind in kinds]
    return tuple(map(Label, names, units))


def of_constraints(constraints: Iterable[Constraint]) -> tuple[Label, ...]:
    """Of what the arm applies to each row of its constraints."""
    return tuple(Label(row.name, MULTIPLIERS[row.unit]) for one in constraints for row in one.rows)


def of_robot(robot: Robot, signals: Mapping[str, int]) -> dict[str, tuple[Label, ...]]:
    """Of the signals of a simulation that have a value for each joint.

    Args:
        robot: that moves.
        signals: how many values each has, by name.
    """
    kinds = [joint.kind for joint in robot.joints]
    return {
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
