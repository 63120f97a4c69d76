"""Backlash as a contact mode: rotor and link touch at one end of the gap, at the other, or at neither.

When they begin to touch and when they separate, the equations have a kink, or a jump if the spring is damped. Each such
time is located, and the motion goes on from there with a new solver: no step goes over it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.actuators.actuator import Actuator
from armdyn.actuators.flexible_joints import flexible_places
from armdyn.actuators.spring import Spring
from armdyn.robot import Robot
from armdyn.simulation.drivers.located import Found
from armdyn.simulation.elements.contact_modes import ContactModes
from armdyn.simulation.elements.sign_changes import SignChanges
from armdyn.simulation.elements.springs import pressure
from armdyn.spatial.rotations import Array


@dataclass(frozen=True)
class End:
    """One end of the backlash gap of a joint.

    Args:
        joint: its name.
        spring: with a backlash.
        link: place of the link in x.
        rotor: place of the rotor in x.
        size: number of coordinates x; their velocities follow in y.
        side: 1 of the end at which the rotor is ahead, -1 of the other.
    """

    joint: str
    spring: Spring
    link: int
    rotor: int
    size: int
    side: int

    def press(self, y: Array) -> float:
        """The pressure between rotor and link at this end."""
        n = self.size
        x, xd = y[self.rotor] - y[self.link], y[n + self.rotor] - y[n + self.link]
        return float(pressure(self.spring, self.side, x, xd))


def ends_of(robot: Robot) -> list[End]:
    """Both ends of every backlash gap of a robot."""
    ends: list[End] = []
    names = [coordinate.name for coordinate in robot.model.coordinates]
    size = robot.dof + len(flexible_places(robot.model))
    for k, place in enumerate(flexible_places(robot.model)):
        actuator = robot.model.joint(names[place]).actuator
        if isinstance(actuator, Actuator) and actuator.spring is not None and actuator.spring.is_loose:
            spring, rotor = actuator.spring, robot.dof + k
            ends += [End(names[place], spring, place, rotor, size, side) for side in (1, -1)]
    return ends


class BacklashInMotion(SignChanges):
    """The ends of backlash gaps of one motion: an end in contact opens, those of a gap without contact close."""

    kind = "touch"

    def __init__(self, modes: ContactModes, ends: list[End]) -> None:
        super().__init__(modes.motion, len(ends))
        self.modes, self.ends = modes, ends

    def begun(self, t: float, y: Array) -> Array:
        """The first state; rotors and links that are pressed at an end of their gap touch there."""
        touches = np.zeros(len(self.modes.rows.touches))
        for end in self.ends:
            if end.press(y) > 0.0:
                touches[end.link] = end.side
        self.modes.rows.touches = touches
        return y

    def value(self, k: int, y: Array) -> float:
        """The pressure at an end of a gap."""
        return self.ends[k].press(y)

    def ways(self, k: int) -> tuple[int, ...]:
        """The sign to which the pressure at an end may change: none if the other end touches."""
        touch = self.modes.rows.touches[self.ends[k].link]
        return () if touch not in (0.0, self.ends[k].side) else (-1,) if touch else (1,)

    def sign(self, k: int) -> float:
        """The sign of the pressure, which is the mode of the end."""
        return 1.0 if self.modes.rows.touches[self.ends[k].link] else -1.0

    def changed(self, t: float, y: Array, event: Found) -> Array:
        """The state after an end has begun to touch or to separate."""
        rows, end = self.modes.rows, self.ends[abs(event.place) - 1]
        touches = rows.touches.copy()
        touches[end.link] = 0.0 if touches[end.link] else end.side
        rows.touches = touches
        self.motion.note(t, end.joint, "contact" if touches[end.link] else "release", y)
        return self.modes.settled(t, y)
