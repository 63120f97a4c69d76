"""Brakes that are engaged and released during a motion, at given times or at events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from armdyn.actuators import Actuator
from armdyn.actuators.brake import STATES
from armdyn.base.advice import either
from armdyn.base.checks import choice, number
from armdyn.base.errors import SettingError
from armdyn.robot import Robot
from armdyn.simulation.elements.dry_joints import can_hold
from armdyn.simulation.elements.events import Event, Watched

EXPECTED = "{'joint': [(0.5, 'engaged'), (Crossing(...), 'released')]}"


@dataclass(frozen=True)
class BrakeSwitches:
    """The times or events at which brakes of actuators are engaged and released during a motion.

    Brakes begin as the robot has them. An engaged brake is dry friction: the joint slows down, sticks, and slips if
    more than the brake's torque acts on it. At a flexible joint the brake holds the rotor.

    Args:
        switches: by joint, pairs of a time, s, or an event, and "engaged" or "released".

    Raises:
        SettingError: not a mapping.

    >>> from armdyn.actuators import Actuator, Brake, Gear
    >>> arm = armdyn.load("planar_2r").with_actuators({"joint_2": Actuator(gear=Gear(50.0), brake=Brake(0.5))})
    >>> brakes = BrakeSwitches({"joint_2": [(0.1, "engaged"), (0.8, "released")]})
    >>> [event.kind for event in armdyn.simulate(arm, [0.0, 0.5], duration=1.0, elements=[brakes]).events]
    ['engaged', 'stick', 'released']
    """

    switches: Mapping[str, Sequence[tuple[float | Event, str]]]

    def __post_init__(self) -> None:
        if not isinstance(self.switches, Mapping):
            raise SettingError(
                f"BrakeSwitches({self.switches!r}): expected a mapping from joints to switches, {EXPECTED}"
            )


@dataclass(frozen=True, eq=False)
class Switch:
    """A switch that engages or releases a brake.

    Args:
        joint: the joint of the brake.
        engages: true if the brake is engaged, false if it is released.
        t: the time, s; None if a condition is given.
        watched: the condition, a function whose zeros count; None if a time is given.
    """

    joint: str
    engages: bool
    t: float | None
    watched: Watched | None

    @property
    def kind(self) -> str:
        """Kind of the event."""
        return "engaged" if self.engages else "released"


@dataclass(frozen=True, eq=False)
class Brakes:
    """The brakes of a robot over a motion: their switches, and the robot with some of them engaged."""

    robot: Robot
    switches: tuple[Switch, ...]

    @classmethod
    def of(cls, robot: Robot, given: Mapping[str, Any], duration: float) -> Brakes | None:
        """The brakes of some switches by joint; None if there is nothing to switch.

        Raises:
            SettingError: a joint without a brake, times that are not within
                the motion, states that do not exist, terminal events, friction that depends on the load of joints
                that do not stick.
            UnknownName: a joint that the robot does not have.
        """
        switches = tuple(one for name, pairs in given.items() for one in switches_of(robot, name, pairs, duration))
        if switches and not can_hold(robot):
            raise SettingError(
                f"friction of {robot.name!r} depends on the load of gears whose joints are coupled, turn rotors that "
                "are bodies or stand in constraints, so that its joints do not stick, and brakes that switch would not "
                "hold them; give gears efficiencies of 1"
            )
        return cls(robot, switches) if switches else None

    def braked(self, engaged: frozenset[str]) -> Robot:
        """The robot with the brakes of these joints engaged, and the others that switch released."""
        return with_brakes(self.robot, {one.joint: one.joint in engaged for one in self.switches})


def engaged_joints(robot: Robot) -> frozenset[str]:
    """The joints whose brakes a robot has engaged."""
    return frozenset(
        joint.name
        for joint in robot.model.joints
        if isinstance(joint.actuator, Actuator)
        and joint.actuator.brake is not None
        and joint.actuator.brake.state == "engaged"
    )


def with_brakes(robot: Robot, engaged: Mapping[str, bool]) -> Robot:
    """The robot with the brakes of some joints engaged or released; its joints are unchanged otherwise."""
    joints = [
        joint.replace(actuator=joint.actuator.with_brake(STATES[engaged[joint.name]]))  # type: ignore[union-attr]
        if joint.name in engaged
        else joint
        for joint in robot.model.joints
    ]
    return Robot(robot.model.replace(joints=tuple(joints)))


def require_brake(robot: Robot, name: str) -> Actuator:
    """The actuator of a joint that has a brake.

    Raises:
        UnknownName: a joint that the robot does not have.
        SettingError: one without a brake.
    """
    joint = robot.model.joint(name)
    if not isinstance(joint.actuator, Actuator) or joint.actuator.brake is None:
        raise SettingError(
            f"brakes has joint {name!r} of {robot.name!r}, which has no brake; give it one: "
            + either(
                f"robot.with_actuators({{{name!r}: Actuator(motor, gear, brake=Brake(0.4))}}), N m",
                f"--actuators FILE with {name}: {{gear: {{ratio: 100}}, brake: {{torque: 0.4}}}}, N m",
            )
        )
    return joint.actuator


def switches_of(robot: Robot, name: str, pairs: Any, duration: float) -> list[Switch]:
    """The switches of one joint's brake."""
    require_brake(robot, name)
    listed = isinstance(pairs, list | tuple)
    if not listed or not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in pairs):
        raise SettingError(
            f"brakes of joint {name!r} are {pairs!r}; expected pairs of a time or event and a state, {EXPECTED}"
        )
    return [one for when, state in pairs for one in _of_pair(robot, name, when, state, duration)]


def _of_pair(robot: Robot, name: str, when: Any, state: Any, duration: float) -> list[Switch]:
    """The switches of a time, or of an event, which may be several functions."""
    what = f"brake of joint {name!r}"
    engages = choice(f"state of the {what}", state, STATES) == "engaged"
    if not hasattr(when, "watched") or isinstance(when, type):
        t = number(f"time of the {what}", when, least=0.0, unit="s", error=SettingError)
        if t > duration:
            raise SettingError(f"time of the {what} is {t:g} s, behind the end of the motion at {duration:g} s")
        return [Switch(name, engages, t, None)]
    watched: list[Watched] = when.watched(robot)
    if any(one.terminal for one in watched):
        raise SettingError(f"the event that switches the {what} is terminal; it ends nothing. List it in events= too")
    return [Switch(name, engages, None, one) for one in watched]
