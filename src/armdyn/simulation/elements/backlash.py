"""Backlash as a mode: rotor and link touch on one side of the play, on the other, or on neither.

Where they begin to touch and where they part the equations have a kink, or a jump where the spring is damped. Each such
time is located, the motion is integrated up to it, and goes on from there with a new solver: so no step goes over it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from armdyn.actuators.actuator import Actuator
from armdyn.actuators.flexible_joints import flexible_places
from armdyn.actuators.spring import Spring
from armdyn.robot import Robot
from armdyn.simulation.drivers.crossings import crossed, points_of, zero
from armdyn.spatial.rotations import Array

At = Callable[[float], Array]
"""y(t) = (x, xd, W) along a step, x the stacked positions of links and rotors."""


@dataclass(frozen=True)
class End:
    """One end of a joint's play, and whether its gap or the push of what touches there is looked at.

    Args:
        joint: its name.
        spring: with a backlash.
        link: place of the link in x.
        rotor: place of the rotor in x.
        size: how many positions x has; their velocities follow in y, and what else there is.
        side: 1 of the end where the rotor is ahead, -1 of the other.
        of_push: whether it is the push that is looked at; it ends before the gap opens where the spring is damped.
    """

    joint: str
    spring: Spring
    link: int
    rotor: int
    size: int
    side: int
    of_push: bool = False

    def bending(self, y: Array) -> float:
        """How far the spring is pressed at this end, rad or m; below zero within the play."""
        return float(self.side * (y[self.rotor] - y[self.link]) - 0.5 * self.spring.backlash)

    def rate(self, y: Array) -> float:
        """The rate of that."""
        return float(self.side * (y[self.size + self.rotor] - y[self.size + self.link]))

    def value(self, y: Array) -> float:
        """What becomes zero: the bending, or the push over the stiffness."""
        e = self.bending(y)
        if not self.of_push:
            return e
        k, c, d = self.spring.stiffness, self.spring.cubic, self.spring.damping
        return e + (c / k) * e**3 + (d / k) * self.rate(y)

    def press(self, y: Array) -> float:
        """Above zero where rotor and link touch and push, rad or m: with damping, the less of bending and push."""
        e = self.bending(y)
        return min(e, replace(self, of_push=True).value(y)) if self.spring.is_damped else e

    def happens(self, y: Array) -> bool:
        """Whether a zero of it there changes the force: a push counts where the spring is pressed alone."""
        return not self.of_push or self.bending(y) > 0.0

    def kind(self, *, rises: bool) -> str | None:
        """The event's name; none where a gap opens behind a push that has ended before."""
        if rises:
            return "contact"
        return None if self.spring.is_damped and not self.of_push else "release"


def ends_of(robot: Robot) -> list[End]:
    """Both ends of every play of a robot."""
    found: list[End] = []
    names = [coordinate.name for coordinate in robot.model.coordinates]
    size = robot.dof + len(flexible_places(robot.model))
    for k, place in enumerate(flexible_places(robot.model)):
        actuator = robot.model.joint(names[place]).actuator
        if not isinstance(actuator, Actuator) or actuator.spring is None or not actuator.spring.is_loose:
            continue
        pushes = (False, True) if actuator.spring.is_damped else (False,)
        found += [
            End(names[place], actuator.spring, place, robot.dof + k, size, side, push)
            for side in (1, -1)
            for push in pushes
        ]
    return found


class Reached(NamedTuple):
    """An end that is reached at a time, s, and whether its value rises."""

    t: float
    end: End
    rises: bool


def first_reached(ends: list[End], begin: float, until: float, at: At, left: Reached | None) -> Reached | None:
    """The first end that is reached in a step; ``left`` is the one at which the step begins, if it does."""
    times, found = points_of(begin, until), list[Reached]()
    for end in ends:
        starts_at = left is not None and left.end is end

        def value(t: float, end: End = end, starts_at: bool = starts_at) -> float:
            if starts_at and t == begin and left is not None:
                return 1.0 if left.rises else -1.0  # it is zero but for rounding
            return end.value(at(t))

        bracket = crossed(value, times, 0)
        if bracket is not None:
            t = zero(value, *bracket)
            if t > begin and end.happens(at(t)):
                found.append(Reached(t, end, value(bracket[1]) >= 0.0))
    return min(found, key=lambda one: one.t, default=None)


def nearer(reached: Reached, at: At, begin: float) -> float:
    """The time at which the value is zero, by its slope at the end of a motion integrated from ``begin`` up to it."""
    apart = 1e-3 * (reached.t - begin)
    value = reached.end.value(at(reached.t))
    slope = (value - reached.end.value(at(reached.t - apart))) / apart
    return reached.t - value / slope if slope != 0.0 else reached.t
