"""Events of a motion: joints at their limits, points at planes, functions that cross zero, and their records."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.advice import either
from armdyn.base.checks import as_float, objects_with, switch
from armdyn.base.errors import SettingError, UnknownName, excerpt
from armdyn.constraints import PointOnPlane
from armdyn.motion.limits_passed import joints_of_several
from armdyn.robot import Robot
from armdyn.simulation.drivers.crossings import THERE
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array

Direction = Literal[-1, 0, 1]
"""Crossings that count: falling through zero, both, or rising."""


class Watched(NamedTuple):
    """A function of time and state whose zeros are events.

    Args:
        name: of the event.
        value: the function of (t, q, qd).
        direction: the sign of the rate of crossings that count.
        terminal: true if the simulation ends there.
        band: distance from zero within which it is zero up to rounding, if something may hold it there. Its arrival
            counts once.
    """

    name: str
    value: Callable[[float, Array, Array], float]
    direction: Direction = 0
    terminal: bool = False
    band: float = 0.0


class Event(Protocol):
    """An event for which `armdyn.simulate` watches."""

    def watched(self, robot: Robot) -> list[Watched]:
        """The functions whose zeros are these events."""


@dataclass(frozen=True)
class JointLimit:
    """Event: a joint leaves the range of its limits; if a stop holds it at one, its arrival counts once.

    Args:
        joint: its name, or that of a joint of the description that several coordinates move; all that have limits by
            default.
        terminal: true if the simulation ends there.
    """

    joint: str | None = None
    terminal: bool = False

    def watched(self, robot: Robot) -> list[Watched]:
        """The distances from both limits, if they are finite."""
        switch("terminal", self.terminal, error=SettingError)
        functions = [
            Watched(f"{one.joint} {one.side} limit", _distance(one), -1, self.terminal, THERE)
            for one in limits_of(robot, None if self.joint is None else [self.joint])
        ]
        if not functions:
            missing = "no joint has" if self.joint is None else f"joint {self.joint!r} has no"
            remedy = either("with_limits gives some", "the description gives some")
            raise SettingError(f"JointLimit: {missing} limits in {robot.name!r}; {remedy}")
        return functions


@dataclass(frozen=True)
class Plane:
    """Event: a point of a frame passes a plane, n . (p - p_0) = 0; if it is held there, its arrival counts once.

    Args:
        frame: name of the frame.
        normal: n, in base axes, of any length.
        through: p_0, a point of the plane, m.
        point: of the frame, m, in its axes.
        direction: 1 counts passages along the normal, -1 those against it, 0 both.
        terminal: true if the simulation ends there.
        name: of the event.
    """

    frame: str
    normal: ArrayLike
    through: ArrayLike = (0.0, 0.0, 0.0)
    point: ArrayLike = (0.0, 0.0, 0.0)
    direction: Direction = 0
    terminal: bool = False
    name: str = ""

    def watched(self, robot: Robot) -> list[Watched]:
        """The distance from the plane."""
        switch("terminal", self.terminal, error=SettingError)
        plane = PointOnPlane(self.frame, self.normal, self.through, self.point, name=self.name)
        distance = robot.without_constraints().with_constraints(plane).constraint_error
        way = _checked(self.direction)
        return [Watched(plane.name, lambda t, q, qd: float(distance(q)[0]), way, self.terminal, THERE)]


@dataclass(frozen=True)
class Crossing:
    """Event: a function of time and state passes zero.

    Args:
        function: of (t, q, qd), s, rad or m, rad/s or m/s, the last two of shape (n,): one number, continuous.
        name: of the event.
        direction: 1 counts it rising, -1 falling, 0 both.
        terminal: true if the simulation ends there.

    Raises:
        SettingError: by `armdyn.simulate`, for what is not a function of (t, q, qd), or another direction.
        SimulationError: by `armdyn.simulate`, for a result that is not one finite number.

    >>> level = armdyn.simulation.Crossing(lambda t, q, qd: q[0], "level", direction=-1)
    >>> fall = armdyn.simulate(armdyn.load("planar_2r"), [0.5, 0.0], duration=1.0, events=[level])
    >>> [event.name for event in fall.events]
    ['level']
    """

    function: Callable[[float, Array, Array], Any]
    name: str = "crossing"
    direction: Direction = 0
    terminal: bool = False

    def watched(self, robot: Robot) -> list[Watched]:
        """The function itself, its values checked."""
        switch("terminal", self.terminal, error=SettingError)
        if not callable(self.function):
            raise SettingError(f"Crossing {self.name!r}: {self.function!r} is not a function of (t, q, qd)")
        self._refuse_other_arguments()

        def value(t: float, q: Array, qd: Array) -> float:
            try:
                result = self.function(t, q, qd)
            except Exception as error:
                error.add_note(f"while simulate() called the function of Crossing {self.name!r} at t = {t:g} s")
                raise
            number = as_float(result)
            if not np.isfinite(number):
                raise SimulationError(
                    f"the function of Crossing {self.name!r} returned {excerpt(result)} at t = {t:g} s; expected one "
                    "finite number, positive on one side of the event and negative on the other, such as q[0] - 0.5"
                )
            return number

        return [Watched(self.name, value, _checked(self.direction), self.terminal)]

    def _refuse_other_arguments(self) -> None:
        """Raise for a function that does not take (t, q, qd)."""
        try:
            inspect.signature(self.function).bind(0.0, np.zeros(1), np.zeros(1))
        except ValueError:  # the callable has no signature
            return
        except TypeError as error:
            raise SettingError(
                f"the function of Crossing {self.name!r} cannot be called as function(t, q, qd): {error}"
            ) from None


def checked_events(events: Sequence[Event]) -> list[Event]:
    """Objects that have functions to watch.

    Raises:
        SettingError: another object.
    """
    return objects_with("events", events, "watched", "JointLimit, Plane and Crossing")


class JointBound(NamedTuple):
    """One finite limit of the position of a joint, sign (row q + offset - limit) >= 0.

    Args:
        joint: its name.
        kind: "revolute" or "prismatic".
        row: of the coordinates that move it, (n,).
        offset: its position at q = 0, rad or m.
        side: "lower" or "upper".
        limit: rad or m.
        sign: 1 for the lower one, -1 for the upper one.
    """

    joint: str
    kind: str
    row: Array
    offset: float
    side: str
    limit: float
    sign: float


def limits_of(robot: Robot, names: Sequence[str] | None) -> list[JointBound]:
    """The finite limits of coordinates, then of joints that several coordinates move; of all, or of those named."""
    several = joints_of_several(robot)
    candidates = (*robot.joint_names, *(joint.name for joint, *_ in several))
    for name in names or ():
        if name not in candidates:
            raise UnknownName.of("joint", name, candidates, repr(robot.name))
    moved = [(joint, row, 0.0) for joint, row in zip(robot.joints, np.eye(robot.dof), strict=True)]
    return [
        JointBound(joint.name, joint.kind, row, offset, side, float(limit), sign)
        for joint, row, offset in (*moved, *several)
        if names is None or joint.name in names
        for side, limit, sign in (("lower", joint.limits.lower, 1.0), ("upper", joint.limits.upper, -1.0))
        if np.isfinite(limit)
    ]


def refuse_terminal(watched: Sequence[Watched], batch: tuple[int, ...]) -> None:
    """Refuse an event that ends the simulation of a batch."""
    if batch and any(one.terminal for one in watched):
        raise SettingError("a terminal event ends the simulation, of a single state; simulate the states one by one")


def _distance(one: JointBound) -> Callable[[float, Array, Array], float]:
    return lambda t, q, qd: float(one.sign * (one.row @ q + one.offset - one.limit))


def _checked(direction: Any) -> Direction:
    if direction not in (-1, 0, 1):
        raise SettingError(f"direction is {direction!r}; expected 1 (rising), -1 (falling) or 0 (both)")
    return direction  # type: ignore[no-any-return]
