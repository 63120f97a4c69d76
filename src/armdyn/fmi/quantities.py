"""The arrays of FMUs: their units, descriptions and start values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from armdyn.base.checks import array
from armdyn.base.errors import ShapeError, UnknownName
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
"""Units for revolute and prismatic joints, and description, of arrays with one number per joint."""

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

_TWIST = [("rad/s", f"w{axis}") for axis in "xyz"] + [("m/s", f"v{axis}") for axis in "xyz"]
_WRENCH = [("N.m", f"m{axis}") for axis in "xyz"] + [("N", f"f{axis}") for axis in "xyz"]
_POSE = [("m" if column == 4 and row < 4 else "", f"T{row}{column}") for row in range(1, 5) for column in range(1, 5)]

NUMBERS: Mapping[str, Sequence[tuple[str, str]]] = {
    "f_tip": _WRENCH,
    "f_ext": _WRENCH,
    "base_twist": _TWIST,
    "base_twist_rate": [("rad/s2" if name[0] == "w" else "m/s2", f"{name} rate") for _, name in _TWIST],
    "tip_pose": _POSE,
    "tip_twist": _TWIST,
}
"""Unit and name of each number of an array with different units or names."""

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


def variable(robot: RobotLike, name: str, text: str = "", **attributes: Any) -> Variable:
    """An array of a function of the robot, by its name; ``description`` describes it if it is none of those above."""
    if name in OF_JOINTS:
        turns, slides, meaning = OF_JOINTS[name]
        each = [(turns if joint.kind == "revolute" else slides, f"{meaning}: {joint.name}") for joint in robot.joints]
        units = {unit for unit, _ in each}
        listed = ", ".join(f"{joint.name} ({unit})" for joint, (unit, _) in zip(robot.joints, each, strict=True))
        common = units.pop() if len(units) == 1 else ""
        return Variable(name, common, f"{meaning}: {listed}", each=tuple(each), **attributes)
    unit, meaning_of_other = OTHERS.get(name, ("", text))
    numbers = tuple((unit, f"{of}: {meaning_of_other}") for unit, of in NUMBERS.get(name, ()))
    return Variable(name, unit, meaning_of_other or text, each=numbers, **attributes)


def parameter(robot: RobotLike, name: str) -> Variable:
    """A parameter of the robot's model, with the model's own value as start value."""
    start = tuple(np.asarray(parameter_value(robot.model, name), dtype=float).ravel().tolist())
    owner, _, quantity = name.rpartition(".")
    if quantity in OF_JOINT_PARAMETER and owner in robot.model.joint_names:
        turns, slides, meaning = OF_JOINT_PARAMETER[quantity]
        unit = turns if robot.model.joint(owner).kind == "revolute" else slides
        return Variable(name, unit, f"{meaning} of {owner}", start)
    if name in robot.model.numbers_of_parallel_springs:
        return Variable(name, "", f"{quantity} of {owner}", start)
    unit, meaning = OF_PARAMETER.get(quantity or name, ("", "parameter of the model"))
    return Variable(name, unit, f"{meaning} of {owner}" if owner else meaning, start)


def starts(
    program: Program, values: Mapping[str, Any], choices: Iterable[str], gains: Collection[str] = ()
) -> dict[str, tuple[float, ...]]:
    """Start values of variables, checked against the inputs of the program; rotors start at the links' positions.

    Args:
        program: program with these inputs.
        values: start values by name.
        choices: the existing names.
        gains: names of inputs for which one number is used for all components.

    Raises:
        UnknownName: a name that is not a state, input or parameter.
        ShapeError: another shape, or numbers that are not finite.
    """
    names = list(choices)
    shapes = {port.name: port.shape for port in program.inputs}
    result = {}
    for name, value in values.items():
        if name not in names:
            raise UnknownName.of("state, input or parameter", name, names, "start=")
        is_number = name in gains and np.ndim(value) == 0 and len(shapes[name]) == 1
        begins = np.full(shapes[name], value) if is_number else value
        result[name] = tuple(array(name, begins, shapes[name], finite=ShapeError).ravel().tolist())
    for rotors, links in (("theta", "q"), ("thetad", "qd")):
        if rotors in names and links in result:
            result.setdefault(rotors, result[links])
    return result
