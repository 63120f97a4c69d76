"""Backlash as a contact mode: rotor and link touch at one end of the gap, at the other, or at neither.

When they begin to touch and when they separate, the equations have a kink, or a jump if the spring is damped. Each such
time is located, and the motion goes on from there with a new solver: no step goes over it.
"""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.actuators.actuator import Actuator
from armdyn.actuators.flexible_joints import flexible_places
from armdyn.actuators.spring import Spring
from armdyn.robot import Robot
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
        """Above zero if rotor and link touch and push, rad or m: the deflection, if damped at most push/stiffness.

        The push ends before the gap opens if the spring is damped.
        """
        spring = self.spring
        e = float(self.side * (y[self.rotor] - y[self.link]) - 0.5 * spring.backlash)
        if not spring.is_damped:
            return e
        rate = float(self.side * (y[self.size + self.rotor] - y[self.size + self.link]))
        k, c, d = spring.stiffness, spring.cubic, spring.damping
        return min(e, e + (c / k) * e**3 + (d / k) * rate)


def ends_of(robot: Robot) -> list[End]:
    """Both ends of every backlash gap of a robot."""
    found: list[End] = []
    names = [coordinate.name for coordinate in robot.model.coordinates]
    size = robot.dof + len(flexible_places(robot.model))
    for k, place in enumerate(flexible_places(robot.model)):
        actuator = robot.model.joint(names[place]).actuator
        if isinstance(actuator, Actuator) and actuator.spring is not None and actuator.spring.is_loose:
            spring, rotor = actuator.spring, robot.dof + k
            found += [End(names[place], spring, place, rotor, size, side) for side in (1, -1)]
    return found
