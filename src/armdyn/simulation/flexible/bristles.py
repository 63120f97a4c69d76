"""Friction with a state of its own at flexible joints, where it rubs at the rotor, on stacked positions.

What an actuator says rubs is behind the spring of its joint: the bending of its laws follows the rotor. At rigid joints
the rotor is where the link is. So all that bends follows the rotors, and takes its force from those of the motors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from armdyn import algorithms
from armdyn.actuators.flexible_joints import flexible_joints, flexible_places, links_side
from armdyn.declaration import function
from armdyn.robot import Robot
from armdyn.simulation.equations import SOURCES
from armdyn.simulation.integration.pieces import can_stop
from armdyn.simulation.methods.catalogue import Adaptive, Method
from armdyn.simulation.results.samples import Samples
from armdyn.simulation.sticking.bristles import (
    bending,
    bendings,
    carries,
    without_bristles,
)
from armdyn.simulation.sticking.dry_joints import can_hold
from armdyn.spatial.rotations import Array


def motion_carries(robot: Robot, method: Method) -> bool:
    """Whether a motion by this method has the state of such laws, of an arm with flexible joints or without."""
    if not flexible_places(robot.model):
        return carries(robot, method)
    if not bendings(robot.model) or not can_hold(robot) or behind_springs(robot):
        return False
    return isinstance(method, Adaptive) or can_stop(method)


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


@function("(n),(n),(n),(n),(n),(6)?->(n),(n)", sources=(*SOURCES, "actuators"))
def other_friction(
    model: Any, q: Array, qd: Array, theta: Array, thetad: Array, qdd: Array, f_tip: Array | None = None
) -> tuple[Array, Array]:
    """Friction at links and at rotors of flexible joints of an arm in which nothing sticks, N m or N, shapes (..., n).

    Args:
        q: positions of the links, rad or m, shape (..., n).
        qd: velocities of the links, rad/s or m/s, shape (..., n).
        theta: positions of the rotors at the joints, rad or m, shape (..., n).
        thetad: velocities of the rotors, rad/s or m/s, shape (..., n).
        qdd: accelerations of the links, rad/s^2 or m/s^2, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
    """
    joints, of_rotors = flexible_joints(model), np.zeros(model.dof, dtype=object)
    for joint in joints:
        i = joint.coordinate
        of_rotors[i] = joint.friction(thetad[i], joint.force(q, qd, theta, thetad))
    return algorithms.friction_forces(links_side(model, joints), q, qd, qdd, f_tip), of_rotors


def frictions(robot: Robot, samples: Samples, qdd: Array) -> dict[str, Array]:
    """The signals of friction where nothing sticks, that of what bends with it."""
    (_, *f_tip), theta, thetad = samples.forces, samples.signals["theta"], samples.signals["thetad"]
    known = without_bristles(robot).compile(other_friction)(samples.q, samples.qd, theta, thetad, qdd, *f_tip)
    bends, flexible = robot.compile(bending)(samples.bristles, thetad)[0], np.zeros(robot.dof)
    flexible[list(flexible_places(robot.model))] = 1.0
    return {"friction": known[0] + (1.0 - flexible) * bends, "rotor_friction": known[1] + flexible * bends}
