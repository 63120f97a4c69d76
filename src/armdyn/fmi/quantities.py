"""The arrays of FMUs: their units, descriptions and start values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from armdyn.checks import array
from armdyn.errors import ShapeError, UnknownName
from armdyn.functions.robot_like import RobotLike
from armdyn.model.parameters import parameter_value
from armdyn.program import Program
from armdyn.targets.fmi.system import Variable

OF_JOINTS: Mapping[str, tuple[str, str, str]] = {
    "q": ("rad", "m", "positions of the joints"),
    "qd": ("rad/s", "m/s", "velocities of the joints"),
    "qdd": ("rad/s2", "m/s2", "accelerations of the joints"),
    "tau": ("N.m", "N", "forces at the joints"),
    "theta": ("rad", "m", "positions of the rotors at the joints"),
    "thetad": ("rad/s", "m/s", "velocities of the rotors at the joints"),
    "thetadd": ("rad/s2", "m/s2", "accelerations of the rotors at the joints"),
    "q_ref": ("rad", "m", "positions to hold or follow"),
    "qd_ref": ("rad/s", "m/s", "velocities to follow"),
    "qdd_ref": ("rad/s2", "m/s2", "accelerations to follow"),
}
"""Of arrays with a number for each joint: the unit where it turns, the unit where it slides, and what it is."""

OTHERS: Mapping[str, tuple[str, str]] = {
    "f_tip": ("", "wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N"),
    "f_ext": ("", "wrenches (m, f) of the surroundings on the links, in link frames, N m and N"),
    "base_twist": ("", "twist (w, v) of the base in base axes, rad/s and m/s"),
    "base_twist_rate": ("", "the rate at which base_twist changes, rad/s^2 and m/s^2"),
    "tip_pose": ("", "pose T of the tip in the base, 4 x 4, lengths in m"),
    "tip_twist": ("", "twist (w, v) of the tip in base axes, v that of its origin, rad/s and m/s"),
    "kinetic_energy": ("J", "kinetic energy"),
    "potential_energy": ("J", "potential energy, that of springs included"),
    "work": ("J", "work of the joint forces"),
    "current": ("A", "currents of the motors"),
    "voltage": ("V", "voltages at the terminals of the motors"),
    "winding_rise": ("K", "how much warmer than the ambient the windings are"),
    "housing_rise": ("K", "how much warmer than the ambient the housings are"),
    "electrical_power": ("W", "electrical power of the motors"),
    "h": ("s", "length of a step"),
}

OF_PARAMETER: Mapping[str, tuple[str, str]] = {
    "gravity": ("m/s2", "acceleration of free fall, in base axes"),
    "mass": ("kg", "mass"),
    "com": ("m", "centre of mass"),
    "inertia": ("kg.m2", "moments and products of inertia about the centre of mass"),
    "rotor": ("kg.m2", "inertia of the rotor about its axis"),
}

OF_JOINT_PARAMETER: Mapping[str, tuple[str, str, str]] = {
    "armature": ("kg.m2", "kg", "inertia of what turns with the joint"),
    "damping": ("N.m.s/rad", "N.s/m", "viscous friction"),
    "friction": ("N.m", "N", "Coulomb friction"),
}


def variable(robot: RobotLike, name: str, said: str = "", **shown: Any) -> Variable:
    """An array of a function of the robot, by its name; ``said`` where it is none of those above."""
    if name in OF_JOINTS:
        turns, slides, what = OF_JOINTS[name]
        return Variable(name, _common(robot, turns, slides), f"{what}: {_joints(robot, turns, slides)}", **shown)
    unit, known = OTHERS.get(name, ("", said))
    return Variable(name, unit, known or said, **shown)


def parameter(robot: RobotLike, name: str) -> Variable:
    """A parameter of the robot's model, which begins at the model's own value."""
    start = tuple(np.asarray(parameter_value(robot.model, name), dtype=float).ravel().tolist())
    owner, _, quantity = name.rpartition(".")
    if quantity in OF_JOINT_PARAMETER and owner in robot.model.joint_names:
        turns, slides, what = OF_JOINT_PARAMETER[quantity]
        unit = turns if robot.model.joint(owner).kind == "revolute" else slides
        return Variable(name, unit, f"{what} of {owner}", start)
    unit, what = OF_PARAMETER.get(quantity or name, ("", "parameter of the model"))
    return Variable(name, unit, f"{what} of {owner}" if owner else what, start)


def starts(program: Program, given: Mapping[str, Any], known: Iterable[str]) -> dict[str, tuple[float, ...]]:
    """Arrays that variables begin with, checked against the inputs of the program; rotors where the links are.

    Raises:
        UnknownName: a name that is no state, input or parameter.
        ShapeError: another shape, or numbers that are not finite.
    """
    names = list(known)
    shapes = {port.name: port.shape for port in program.inputs}
    found = {}
    for name, value in given.items():
        if name not in names:
            raise UnknownName.of("state, input or parameter", name, names, "start=")
        found[name] = tuple(array(name, value, shapes[name], finite=ShapeError).ravel().tolist())
    for rotors, links in (("theta", "q"), ("thetad", "qd")):
        if rotors in names and links in found:
            found.setdefault(rotors, found[links])
    return found


def _common(robot: RobotLike, turns: str, slides: str) -> str:
    """The unit of all numbers; none where they differ."""
    units = {turns if joint.kind == "revolute" else slides for joint in robot.joints}
    return units.pop() if len(units) == 1 else ""


def _joints(robot: RobotLike, turns: str, slides: str) -> str:
    return ", ".join(f"{joint.name} ({turns if joint.kind == 'revolute' else slides})" for joint in robot.joints)
