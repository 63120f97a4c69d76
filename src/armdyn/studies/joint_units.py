"""Numbers of a scenario that may have units, one per joint: "30deg", "50 mm", "pi/4"."""

from __future__ import annotations

from typing import Any

from armdyn.formats.quantities import UnknownUnit, joint_units, read_quantity
from armdyn.robot import Robot
from armdyn.studies.errors import StudyError

IN_UNITS = {
    **{"q_ref": "q", "q_null": "q", "qd_ref": "qd", "qdd_ref": "qdd", "tau": "tau"},
    **{"q0": "q", "qd0": "qd"},
}
"""The values that may have units, and the quantity of the joint of these units."""


def in_si(robot: Robot, name: str, value: Any) -> Any:
    """A value with numbers in SI in place of texts; unchanged if it has none, or may have no units.

    Raises:
        StudyError: a text that is not a number with a unit of the joint.
    """
    if name not in IN_UNITS or not _has_text(value):
        return value
    if isinstance(value, str):
        return [_of_joint(joint, name, value) for joint in robot.joints]
    if len(value) != robot.dof or any(isinstance(one, list) for one in value):
        return [in_si(robot, name, one) if isinstance(one, list) else one for one in value]
    return [_of_joint(joint, name, one) for joint, one in zip(robot.joints, value, strict=True)]


def _has_text(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and any(map(_has_text, value)))


def _of_joint(joint: Any, name: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    units = joint_units(joint.kind, IN_UNITS[name])
    try:
        return read_quantity(value, units)
    except (UnknownUnit, ValueError):
        text = ", ".join(units)
        raise StudyError(
            f"{name} has {value!r} for joint {joint.name!r}; expected a number, or one with a unit of a {joint.kind} "
            f"joint: {text}"
        ) from None
