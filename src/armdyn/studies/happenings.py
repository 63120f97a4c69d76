"""Contacts and events of a motion, and constraints of the robot, from the keys of a scenario: one object per name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from armdyn import constraints
from armdyn.base.errors import UnknownName
from armdyn.constraints import PointOnPlane
from armdyn.model.constraints import Constraint
from armdyn.robot import Robot
from armdyn.simulation import Contact, JointLimit, Plane
from armdyn.simulation.elements.events import Event
from armdyn.simulation.elements.stops import RESTING_SPEED
from armdyn.studies.errors import StudyError
from armdyn.studies.made import made
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


def with_constraint(robot: Robot, name: str, given: Any) -> Robot:
    """The robot with one more constraint.

    Args:
        robot: the robot.
        name: of the constraint.
        given: a mapping from its kind to its arguments.

    Raises:
        StudyError: not the description of a constraint.
        UnknownName: a kind, a setting, a frame or a joint that does not exist.
        ModelError: an invalid constraint.
    """
    constraint: Constraint = _made("constraint", name, given, CONSTRAINTS)
    return robot.with_constraints(constraint)


def contact_of(robot: Robot, name: str, given: Any) -> Contact:
    """A contact.

    Args:
        robot: the robot.
        name: of the contact.
        given: a mapping of the arguments of its plane and its own.

    Raises:
        StudyError, SettingError: not the description of a contact.
        UnknownName: a setting or a frame that does not exist.
        ModelError: an invalid plane.
    """
    contact: Contact = made(_contact, f"contact {name!r}", given, CONTACT, own={"name": name})
    robot.without_constraints().with_constraints(contact.plane)  # or the error of a frame that is not there
    return contact


def _contact(
    frame: str,
    normal: ArrayLike,
    through: ArrayLike = (0.0, 0.0, 0.0),
    point: ArrayLike = (0.0, 0.0, 0.0),
    of: str = "",
    restitution: float = 0.0,
    resting_speed: float = RESTING_SPEED,
    *,
    name: str,
) -> Contact:
    """A contact, by the arguments of its plane and its own."""
    return Contact(PointOnPlane(frame, normal, through, point, of, name), restitution, resting_speed)


def event_of(robot: Robot, name: str, given: Any) -> Event | Threshold:
    """An event of the motion, or one of the controller's signals.

    Args:
        robot: the robot.
        name: of the event.
        given: a mapping from its kind to its arguments.

    Raises:
        StudyError, SettingError: not the description of an event.
        UnknownName: a kind, a setting, a frame or a joint that does not exist.
    """
    event: Event | Threshold = _made("event", name, given, EVENTS)
    if not isinstance(event, Threshold):
        event.watched(robot)  # or the error of a joint or frame that is not there
    return event


def _made(what: str, name: str, given: Any, kinds: Kinds) -> Any:
    """The object that a mapping from its kind to its arguments describes."""
    if not isinstance(given, Mapping) or len(given) != 1:
        kind, (_, example) = next(iter(kinds.items()))
        raise StudyError(f"{what} {name!r} is {given!r}; expected its kind, such as {{{kind}: {example}}}")
    ((kind, settings),) = given.items()
    if kind not in kinds:
        raise UnknownName.of(f"kind of {what}", kind, kinds, f"{what} {name!r}")
    make, example = kinds[kind]
    own = {} if make is JointLimit else {"name": name}  # its events have the names of the joints
    return made(make, f"{kind} {name!r}", settings, example, own=own)
