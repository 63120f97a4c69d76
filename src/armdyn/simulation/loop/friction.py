"""Dry friction in a closed loop: the joints that can stick, and the obstacle if they cannot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from armdyn.actuators.flexible_joints import flexible_joints
from armdyn.base.errors import warn_outside
from armdyn.robot import Robot
from armdyn.simulation.elements.bristles import behind_springs, motion_carries, without_bristles
from armdyn.simulation.elements.dry_joints import can_hold, can_stick, drive_of_links
from armdyn.simulation.errors import FrictionWarning
from armdyn.simulation.methods.catalogue import FixedStep


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
