"""Backlash as a contact mode: rotor and link touch at one end of the gap, at the other, or at neither.

When they begin to touch and when they separate, the equations have a kink, or a jump if the spring is damped. Each such
time is located, and the motion goes on from there with a new solver: no step goes over it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from armdyn.actuators.actuator import Actuator
from armdyn.actuators.flexible_joints import flexible_places
from armdyn.actuators.spring import Spring
from armdyn.robot import Robot
from armdyn.simulation.drivers.crossings import Function
from armdyn.simulation.drivers.located import At, Found, LocatedFunctions, crossing, found_in
from armdyn.simulation.drivers.pieces import Step
from armdyn.simulation.elements.contact_modes import ContactModes
from armdyn.simulation.methods.catalogue import Adaptive
from armdyn.spatial.rotations import Array

CORRECTIONS, APART = 4, 1e-3
"""Newton steps for the time at which an end of backlash is reached, and the part of a step for its slope."""


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
    ends: list[End] = []
    names = [coordinate.name for coordinate in robot.model.coordinates]
    size = robot.dof + len(flexible_places(robot.model))
    for k, place in enumerate(flexible_places(robot.model)):
        actuator = robot.model.joint(names[place]).actuator
        if isinstance(actuator, Actuator) and actuator.spring is not None and actuator.spring.is_loose:
            spring, rotor = actuator.spring, robot.dof + k
            ends += [End(names[place], spring, place, rotor, size, side) for side in (1, -1)]
    return ends


class BacklashInMotion(LocatedFunctions):
    """The ends of backlash gaps of one motion: an end in contact opens, those of a gap without contact close.

    Args:
        modes: of the motion; its equations have the ends that touch.
        ends: of the gaps.
    """

    def __init__(self, modes: ContactModes, ends: list[End]) -> None:
        self.modes, self.motion, self.ends = modes, modes.motion, ends

    def begun(self, t: float, y: Array) -> Array:
        """The first state; rotors and links that are pressed at an end of their gap touch there."""
        touches = np.zeros(len(self.modes.pushing.touches))
        for end in self.ends:
            if end.press(y) > 0.0:
                touches[end.link] = end.side
        self.modes.pushing.touches = touches
        return y

    def zeros(self, step: Step, times: Array, *, starts: bool) -> Iterator[Found]:
        """Ends that begin to touch or separate."""
        for place, end in enumerate(self.ends):
            touch = self.modes.pushing.touches[end.link]
            if touch in (0.0, end.side):
                press, way = partial(self._press, place, step.t), -1 if touch else 1
                yield from found_in(step, "touch", place, press, partial(crossing, press, times, way))

    def _press(self, place: int, begin: float, at: At) -> Function:
        """Pressure function of an end of a gap; at the begin, when it may be zero to rounding, its sign by the mode."""
        end, touches = self.ends[place], bool(self.modes.pushing.touches[self.ends[place].link])
        return lambda t: end.press(at(t)) if t > begin else 1.0 if touches else -1.0

    def state_at(self, step: Step, event: Found) -> tuple[float, Array]:
        """The time at which an end touches or separates, and the state there, by integration up to it.

        The interpolant of a step has a larger error than the step, and Newton's method corrects the time by it.
        """
        t, y = super().state_at(step, event)
        if not isinstance(self.motion.method, Adaptive):
            return t, y
        press = self.ends[event.place].press
        for _ in range(CORRECTIONS):
            if t <= step.t:
                break
            last = self._integrated(step, t)
            y, earlier = last.y_end, max(last.t, t - APART * (t - step.t))
            value = press(y)
            if not earlier < t:
                break
            slope = (value - press(last.at(earlier))) / (t - earlier)
            after = t - value / slope if slope else t
            if abs(after - t) <= 4.0 * np.spacing(t) or not step.t < after <= step.end:
                break
            t = after
        return t, y

    def _integrated(self, step: Step, t: float) -> Step:
        """The last step of a motion integrated from the beginning of a step up to a time, by a solver of its own."""
        solver, last, begin, y = self.motion.new_integrator(), step, step.t, step.y
        while begin < t:
            following = solver.step(begin, y, t)
            if following is None:
                raise solver.stuck(begin, y)
            last, begin, y = following, following.end, following.y_end
        return last

    def changed(self, t: float, y: Array, event: Found) -> Array:
        """The state after an end has begun to touch or to separate."""
        pushing, end = self.modes.pushing, self.ends[event.place]
        touches = pushing.touches.copy()
        touches[end.link] = 0.0 if touches[end.link] else end.side
        pushing.touches = touches
        self.motion.note(t, end.joint, "contact" if touches[end.link] else "release", y)
        return self.modes.settled(t, y)
