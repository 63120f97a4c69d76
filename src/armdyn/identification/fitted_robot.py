"""The robot with fitted parameters: inertias of links, armatures, friction laws."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from armdyn.actuators.actuator import Actuator
from armdyn.identification.friction_terms import laws_of
from armdyn.model.passive import Passive
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.identification.design import Parameters
    from armdyn.robot import Robot

NUMBERS_OF_A_JOINT = {"viscous", "coulomb"}
"""Terms that are numbers of a joint itself, which every format of descriptions has."""


def fitted_robot(robot: Robot, parameters: Parameters, values: Array) -> Robot:
    """The robot with these parameters.

    Friction of viscous and Coulomb terms alone is the joint's damping and friction, which a URDF holds; other terms are
    laws of its actuator. An offset is a difference between the friction of both directions.

    Args:
        robot: as described.
        parameters: of the regression.
        values: of all of them.
    """
    standard = robot.standard_parameters()
    changed = dict(zip(standard.names, standard.values.tolist(), strict=True))
    bodies = parameters.standard.names
    changed |= dict(zip(bodies, values[: len(bodies)].tolist(), strict=True))
    fitted = robot.with_standard_parameters(np.array([changed[name] for name in standard.names]))
    if parameters.armature:
        armatures = dict(zip(robot.joint_names, values[parameters.place("armature")].tolist(), strict=True))
        fitted = fitted.with_armature(armatures)
    if not parameters.terms:
        return fitted
    numbers = {
        joint: {term.name: float(values[parameters.place(term.name)][k]) for term in parameters.terms}
        for k, joint in enumerate(robot.joint_names)
    }
    return _with_friction(fitted, numbers)


def fitted_actuators(robot: Robot) -> dict[str, Actuator]:
    """Friction and armature of each joint as actuators, which have the same joint forces as the robot's joints.

    Args:
        robot: with fitted joints.
    """
    actuators = {}
    for joint in robot.model.joints:
        own = joint.actuator
        if isinstance(own, Actuator) and own.armature == joint.armature:
            actuators[joint.name] = own
            continue
        numbers = Passive(joint.armature, joint.damping, joint.friction)
        laws = own.friction if isinstance(own, Actuator) else None
        actuators[joint.name] = Actuator(friction=laws, passive=numbers)
    return actuators


def _with_friction(robot: Robot, numbers: dict[str, dict[str, float]]) -> Robot:
    """The robot whose joints have these numbers of friction and no other."""
    actuators, frictions = {}, {}
    for joint in robot.joints:
        terms = numbers[joint.name]
        actuator = getattr(joint, "actuator", None)
        own = {name for name, number in terms.items() if number}
        if actuator is None and own <= NUMBERS_OF_A_JOINT:
            frictions[joint.name] = (terms.get("viscous", 0.0), terms.get("coulomb", 0.0))
        elif isinstance(actuator, Actuator):
            actuators[joint.name] = replace(actuator, friction=laws_of(terms))
        else:
            actuators[joint.name] = Actuator(friction=laws_of(terms))
    if frictions:
        robot = robot.with_friction(frictions)
    return robot.with_actuators(actuators) if actuators else robot
