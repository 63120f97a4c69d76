"""Contacts and events of a motion, and constraints of the robot, from the keys of a scenario: one object per name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from armdyn import constraints
from armdyn.base.errors import UnknownName
from armdyn.constraints import PointOnPlane
from armdyn.model.constraints import Constraint
from armdyn.robot import Robot
from armdyn.simulation import Contact, JointLimit, Plane
from armdyn.simulation.elements.events import Event
from armdyn.studies.errors import StudyError
from armdyn.studies.object_of import object_of
from armdyn.studies.thresholds import Threshold

Kinds = Mapping[str, tuple[Callable[..., Any], str]]
"""Constructors of objects by kind, and an example of the arguments of each."""

OF_PLANE = "{frame: tip, normal: [0, 0, 1], through: [0, 0, 0.1]}"

CONSTRAINTS: Kinds = {
    "point_on_plane": (constraints.PointOnPlane, OF_PLANE),
    "point_on_line": (constraints.PointOnLine, "{frame: tip, direction: [1, 0, 0], through: [0, 0, 0.1]}"),
    "distance": (constraints.Distance, "{frame: tip, length: 0.5}"),
    "joint_coupling": (constraints.JointCoupling, "{factors: {finger_1: 1, finger_2: -1}}"),
    "ball": (constraints.ball, "{frame: rod_end, to: crank_pin}"),
    "hinge": (constraints.hinge, "{frame: rod_end, to: crank_pin}"),
    "slide": (constraints.slide, "{frame: carriage, axis: [1, 0, 0]}"),
    "weld": (constraints.weld, "{frame: tool, to: table}"),
}

EVENTS: Kinds = {
    "joint_limit": (JointLimit, "{joint: elbow}"),
    "plane": (Plane, OF_PLANE),
    "threshold": (Threshold, "{signal: residual, above: 5}"),
}

CONTACT = "{frame: tip, normal: [0, 0, 1], through: [0, 0, 0.1], restitution: 0.3}"


def with_constraint(robot: Robot, name: str, arguments: object) -> Robot:
    """The robot with one more constraint.

    Args:
        robot: the robot.
        name: of the constraint.
        arguments: a mapping from its kind to its arguments.

    Raises:
        StudyError: not the description of a constraint.
        UnknownName: a kind, a setting, a frame or a joint that does not exist.
        ModelError: an invalid constraint.
    """
    constraint: Constraint = _of_kind("constraint", name, arguments, CONSTRAINTS)
    return robot.with_constraints(constraint)


def contact_of(robot: Robot, name: str, arguments: object) -> Contact:
    """A contact.

    Args:
        robot: the robot.
        name: of the contact.
        arguments: a mapping of the arguments of its plane and its own.

    Raises:
        StudyError, SettingError: not the description of a contact.
        UnknownName: a setting or a frame that does not exist.
        ModelError: an invalid plane.
    """
    contact: Contact = object_of(contact_by_arguments, f"contact {name!r}", arguments, CONTACT, own={"name": name})
    robot.without_constraints().with_constraints(contact.plane)  # or the error of a frame that is not there
    return contact


def contact_by_arguments(*, name: str, **arguments: Any) -> Contact:
    """A contact by the arguments of its plane and its own.

    Args:
        name: of the contact.
        arguments: of `PointOnPlane` and of `Contact`.
    """
    of_plane = {key: value for key, value in arguments.items() if key in _PLANE}
    own = {key: value for key, value in arguments.items() if key not in _PLANE}
    return Contact(PointOnPlane(**of_plane, name=name), **own)


_PLANE = inspect.signature(PointOnPlane).parameters
contact_by_arguments.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in (*_PLANE.values(), *inspect.signature(Contact).parameters.values())
        if parameter.name != "plane"
    ]
)


def event_of(robot: Robot, name: str, arguments: object) -> Event | Threshold:
    """An event of the motion, or one of the controller's signals.

    Args:
        robot: the robot.
        name: of the event.
        arguments: a mapping from its kind to its arguments.

    Raises:
        StudyError, SettingError: not the description of an event.
        UnknownName: a kind, a setting, a frame or a joint that does not exist.
    """
    event: Event | Threshold = _of_kind("event", name, arguments, EVENTS)
    if not isinstance(event, Threshold):
        event.watched(robot)  # or the error of a joint or frame that is not there
    return event


def _of_kind(subject: str, name: str, arguments: object, kinds: Kinds) -> Any:
    """The object that a mapping from its kind to its arguments describes."""
    if not isinstance(arguments, Mapping) or len(arguments) != 1:
        kind, (_, example) = next(iter(kinds.items()))
        raise StudyError(f"{subject} {name!r} is {arguments!r}; expected its kind, such as {{{kind}: {example}}}")
    ((kind, settings),) = arguments.items()
    if kind not in kinds:
        raise UnknownName.of(f"kind of {subject}", kind, kinds, f"{subject} {name!r}")
    make, example = kinds[kind]
    own = {} if make is JointLimit else {"name": name}  # its events have the names of the joints
    return object_of(make, f"{kind} {name!r}", settings, example, own=own)
