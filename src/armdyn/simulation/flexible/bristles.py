"""Friction with a state of its own at flexible joints, where it rubs at the rotor, on stacked positions.

What an actuator says rubs is behind the spring of its joint: the bending of its laws follows the rotor. At rigid joints
the rotor is where the link is. So all that bends follows the rotors, and takes its force from those of the motors.
"""

from __future__ import annotations

from armdyn.actuators.flexible_joints import flexible_places
from armdyn.robot import Robot
from armdyn.simulation.flexible.stacked import parted
from armdyn.simulation.integration.methods import Method
from armdyn.simulation.integration.pieces import can_stop
from armdyn.simulation.sticking.bristles import (
    bending,
    bendings,
    bent_along,
    bristle_energy,
    carries,
    without_bristles,
)
from armdyn.simulation.sticking.dry_joints import can_hold
from armdyn.spatial.rotations import Array


def motion_carries(robot: Robot, method: Method) -> bool:
    """Whether a motion by this method has the state of such laws, of an arm with flexible joints or without."""
    if not flexible_places(robot.model):
        return carries(robot, method)
    return bool(bendings(robot.model)) and can_stop(method) and can_hold(robot) and not behind_springs(robot)


def behind_springs(robot: Robot) -> list[str]:
    """The joints with such laws that move with the link of a flexible joint, and not with its rotor."""
    joints, places = robot.model.joints, set(flexible_places(robot.model))
    bends = {one.joint for one in bendings(robot.model)}
    mechanism = robot.mechanism
    return [
        joints[body.joint].name
        for body, terms in zip(mechanism.bodies, mechanism.drive.terms, strict=True)
        if body.joint in bends and not joints[body.joint].has_spring and any(place in places for place, _ in terms)
    ]


class StackedBristles:
    """The laws with a state on numbers, compiled.

    Args:
        robot: with flexible joints and all its laws.
    """

    def __init__(self, robot: Robot) -> None:
        self.dof, self.places, self.bare = robot.dof, flexible_places(robot.model), without_bristles(robot)
        self._bending, self._along = robot.compile(bending), robot.compile(bent_along)
        self.energy = robot.compile(bristle_energy)

    def bending(self, z: Array, xd: Array) -> tuple[Array, Array]:
        """What bends takes from motors' forces, N m or N, (..., n), and dz/dt, rad/s or m/s, (..., bristles)."""
        force, rate = self._bending(z, self._rotors(xd))
        return force, rate

    def along(self, z: Array, moved: Array, xd: Array) -> Array:
        """z behind a motion of links and rotors, at these velocities."""
        after: Array = self._along(z, self._rotors(moved), self._rotors(xd))
        return after

    def _rotors(self, x: Array) -> Array:
        return parted(x, self.dof, self.places)[1]
