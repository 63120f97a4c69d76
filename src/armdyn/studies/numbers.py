"""Numbers with units in the values of a scenario: "30deg", [0, 50 mm], "pi/4"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from armdyn.base.errors import UnknownName
from armdyn.base.quantities import quantity
from armdyn.model.joint_units import UNITS
from armdyn.motion.columns import WRENCH
from armdyn.robot import Robot
from armdyn.studies.errors import StudyError
from armdyn.studies.labels import OF_JOINTS, unit_of_parameter

Units = str | Sequence[tuple[str, str]]
"""The unit of SI of a value, or the label and the unit of each of its components."""


def units_of(robot: Robot, name: str) -> Units:
    """The units of a quantity of a scenario by its name; "" if its numbers have no unit, or an unknown one."""
    if (of_joint := OF_JOINTS.get(name)) and "." not in name:
        return [(joint.name, UNITS[joint.kind].get(of_joint, "")) for joint in robot.joints]
    if name == "f_tip":
        return [(f"f_tip_{part}", "N m" if part.startswith("m") else "N") for part in WRENCH]
    return unit_of_parameter(robot, name)


def in_si(name: str, value: object, units: Units, leading: int = 0) -> Any:
    """A value whose texts are replaced by numbers in SI; one text for all components becomes a list.

    Args:
        name: of the value, for messages.
        value: numbers, texts, lists of them, and mappings of all components.
        units: of the value.
        leading: the number of axes before those of one value.

    Raises:
        StudyError: a text that is not a number, or has a unit of another quantity; a component without a number.
        UnknownName: a number of a component that does not exist.

    >>> in_si("q0", ["90deg", 0.5], "rad")
    [1.5707963267948966, 0.5]
    """
    if isinstance(value, str):
        if isinstance(units, str):
            return quantity(name, value, units, error=StudyError)
        return [quantity(f"{name} of {label}", value, unit, error=StudyError) for label, unit in units]
    if isinstance(value, Mapping) and not isinstance(units, str):
        value = _in_order(name, value, [label for label, _ in units])
    if not isinstance(value, list):
        return value
    if leading:
        return [in_si(name, one, units, leading - 1) for one in value]
    if isinstance(units, str) or len(value) != len(units):
        unit = units if isinstance(units, str) else units[0][1]  # of a list of another length, which is refused later
        return [in_si(name, one, unit) for one in value]
    return [in_si(f"{name} of {label}", one, unit) for one, (label, unit) in zip(value, units, strict=True)]


def _in_order(name: str, value: Mapping[str, Any], labels: Sequence[str]) -> list[Any]:
    """The values of a mapping in the order of the components."""
    for label in value:
        if label not in labels:
            raise UnknownName.of("component", label, labels, name)
    if missing := [label for label in labels if label not in value]:
        raise StudyError(f"{name} lacks {', '.join(missing)}; expected a number for each of {', '.join(labels)}")
    return [value[label] for label in labels]
