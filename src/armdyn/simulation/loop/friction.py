"""Dry friction in a closed loop: the joints that can stick, the obstacle if they cannot, brakes that are engaged."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.actuators.dry import DryFriction
from armdyn.actuators.flexible_joints import flexible_joints
from armdyn.base.checks import number
from armdyn.base.errors import SettingError, ShapeError, warn_outside
from armdyn.model.mechanism import Mechanism
from armdyn.robot import Robot
from armdyn.simulation.drivers.grid import ROUNDING
from armdyn.simulation.elements.brakes import EXPECTED, engaged_joints, require_brake, switches_of, with_brakes
from armdyn.simulation.elements.bristles import behind_springs, motion_carries, without_bristles
from armdyn.simulation.elements.dry_joints import can_hold, can_stick, drive_of_links
from armdyn.simulation.errors import FrictionWarning
from armdyn.simulation.methods.catalogue import FixedStep
from armdyn.spatial.rotations import Array

BRAKES = "brakes"
"""Name of the input, or of the controller's result, that is 1 for each engaged brake and 0 for a released one."""


@dataclass(frozen=True, eq=False)
class EngagedBrake(DryFriction):
    """The friction of a brake that an input engages."""

    size: Any

    def magnitude(self, speed: Any, load: Any) -> Any:
        """The given brake torque, independent of speed and load."""
        return self.size


@dataclass(frozen=True, eq=False)
class LoopBrakes:
    """The brakes of some joints of a loop.

    ``at_first`` is 1 for each that the description has engaged; the robot has these brakes released.
    """

    robot: Robot
    joints: tuple[str, ...]
    torques: tuple[float, ...]
    at_first: tuple[float, ...]

    @classmethod
    def of(cls, robot: Robot, joints: Iterable[str]) -> LoopBrakes:
        """The brakes of joints by name.

        Raises:
            UnknownName: a joint that the robot does not have.
            SettingError: a joint without a brake, or one that is given twice.
        """
        joints = (joints,) if isinstance(joints, str) else tuple(joints)
        torques = tuple(require_brake(robot, name).brake_torque for name in joints)
        twice = sorted({name for name in joints if joints.count(name) > 1})
        if twice:
            raise SettingError(f"brakes has joint {twice[0]!r} twice; expected each joint once")
        engaged = engaged_joints(robot)
        released = with_brakes(robot, dict.fromkeys(joints, False))
        return cls(released, joints, torques, tuple(float(name in engaged) for name in joints))

    def __len__(self) -> int:
        return len(self.joints)

    def on(self, mechanism: Mechanism, engaged: Any) -> Mechanism:
        """The traced arm with its brakes engaged by the fractions ``engaged`` from 0 to 1, shape (brakes,).

        The friction of a flexible joint acts at its link; the friction of its actuator acts at the rotor.
        """
        drive, names = mechanism.drive, [joint.name for joint in mechanism.model.joints]
        friction, laws = list(drive.friction), list(drive.laws)
        behind = {joint.body for joint in flexible_joints(mechanism)}
        for k, body in enumerate(mechanism.links):
            if names[body.joint] in self.joints:
                place = self.joints.index(names[body.joint])
                holds = self.torques[place] * engaged[place]
                if k in behind:
                    laws[k] = (*laws[k], EngagedBrake(holds))
                else:
                    friction[k] = friction[k] + holds
        changed = dataclasses.replace(drive, friction=tuple(friction), laws=tuple(laws))
        return dataclasses.replace(mechanism, drive=changed)

    def over_time(self, given: Any, t0: float, h: Any, steps: int) -> ArrayLike:
        """The input, one row a step, from switches by joint as `armdyn.simulate` has them; arrays stay as they are.

        Raises:
            SettingError: switches of other joints or states, events in the place of times, times outside the motion;
                numbers that are not from 0 to 1.
            ShapeError: an array that has no number for each of the brakes.
        """
        if not isinstance(given, Mapping):
            return self._checked(given)
        h = number("h", h, above=0.0, unit="s", error=SettingError)
        table: Array = np.tile(self.at_first, (steps, 1))
        for name, pairs in given.items():
            if name not in self.joints:
                raise SettingError(
                    f"brakes switches joint {name!r}, whose brake is not among those of the loop: "
                    f"{', '.join(self.joints)}; name it in ClosedLoop(..., elements=[BrakeSwitches({{'joint': []}})])"
                )
            switches = switches_of(self.robot, name, pairs, t0 + steps * h)
            for switch in switches:
                if switch.t is None or switch.t < t0:
                    raise SettingError(
                        f"brakes of joint {name!r} are switched by {'an event' if switch.t is None else switch.t}; a "
                        f"closed loop takes times from {t0:g} s on, {EXPECTED.partition(', (')[0]}]}}, or a controller "
                        "whose result 'brakes' says which are engaged"
                    )
            for switch in sorted(switches, key=lambda one: float(one.t or 0.0)):
                first = int(np.ceil((float(switch.t or 0.0) - t0) / h - ROUNDING))
                table[first:, self.joints.index(name)] = float(switch.engages)
        return table

    def _checked(self, given: Any) -> ArrayLike:
        shape = np.shape(given)
        if len(shape) < 2 or shape[-1] != len(self):
            raise ShapeError(
                f"brakes has shape {shape}; expected (steps, ..., {len(self)}), a number from 0, released, to 1, "
                f"engaged, for each step and brake: {', '.join(self.joints)}; or switches such as {EXPECTED}"
            )
        values = np.asarray(given)
        wrong = np.argwhere(~((values >= 0.0) & (values <= 1.0)))
        if len(wrong):
            step, *arm, place = wrong[0].tolist()
            whose = f" of arm {tuple(arm)}" if arm else ""
            raise SettingError(
                f"brakes is {values[tuple(wrong[0])]} for joint {self.joints[place]!r}{whose} in step {step}; expected "
                "a number from 0, released, to 1, engaged"
            )
        return given  # type: ignore[no-any-return]


@dataclass(frozen=True)
class LoopFriction:
    """The treatment of joint friction in a closed loop.

    Args:
        robot: its name.
        dry: the names of the joints with dry friction.
        rubs: true if any joint has friction.
        obstacle: the reason joints do not stick in this loop, and the remedy; None if they do.
        under_load: true if the friction of any joint depends on a load that follows from the accelerations.
        steady: the names of joints whose friction has a state that this loop does not carry, but for an obstacle.
    """

    robot: str
    dry: tuple[str, ...]
    rubs: bool
    obstacle: str | None
    under_load: bool
    steady: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, robot: Robot, method: FixedStep, parameters: Iterable[str] = (), brakes: Iterable[str] = ()
    ) -> LoopFriction:
        """The treatment of friction in a loop.

        Friction that is among the ``parameters`` may be above zero; ``brakes`` are joints whose brakes are inputs.
        """
        bends = motion_carries(robot, method)
        rest = without_bristles(robot) if bends else robot
        drive, steady = rest.mechanism.drive, [] if bends else behind_springs(robot)
        inputs = {*parameters, *(f"{name}.friction" for name in brakes)}
        dry = []
        for k, body in enumerate(robot.mechanism.links):
            name = robot.model.joints[body.joint].name
            if can_stick(drive, k) or f"{name}.friction" in inputs:
                dry.append(name)
        rubs = bends or drive.has_friction or bool(dry) or any(name.endswith(".damping") for name in inputs)
        rubs = rubs or any(joint.spring.is_damped for joint in flexible_joints(rest.mechanism))
        loaded = drive_of_links(rest).depends_on_load
        return cls(robot.name, tuple(dry), rubs, _obstacle(rest), loaded, tuple(steady))

    def sticks(self, *, energy: bool) -> bool:
        """True for the steps of `armdyn.simulation.drivers.time_stepping`, which compute the dissipated energy."""
        return self.obstacle is None and bool(self.dry or (energy and self.rubs))

    def loads(self, *, energy: bool) -> bool:
        """True if the state of the loop has the loads on which friction depends."""
        return self.sticks(energy=energy) and self.under_load

    def warn(self) -> None:
        """Warn of joints that should stick and do not."""
        if self.dry and self.obstacle is not None:
            warn_outside(
                f"joints of {self.robot!r} with dry friction do not stick in this closed loop, for {self.obstacle}; at "
                f"rest friction counts as 0, and a joint that should stick creeps or chatters about rest: "
                f"{', '.join(self.dry)}",
                FrictionWarning,
            )
        elif self.steady:
            warn_outside(
                f"joints of {self.robot!r} move with the links of flexible joints, so friction with a state of its own "
                "counts at its steady force in this closed loop, and nothing bends before it slips (use friction "
                f"without a state there): {', '.join(self.steady)}",
                FrictionWarning,
            )


def _obstacle(robot: Robot) -> str | None:
    """The reason joints do not stick, and the remedy; None if they stick."""
    if not can_hold(robot):
        return (
            "friction depends on the load of joints that are coupled, or that turn rotors which are bodies (use "
            "friction that does not, or a smooth law)"
        )
    return None
