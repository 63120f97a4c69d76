"""Names and units of the numbers of a study's samples and results."""

from __future__ import annotations

import math

from armdyn.model.joint_units import UNITS
from armdyn.motion.columns import WRENCH
from armdyn.motion.labels import QUANTITIES
from armdyn.robot import Robot

GAINS = dict.fromkeys(("Kp", "Ki", "Kd", "Kp_null", "Kd_null", "K_observer", "armature", "damping"), "")
OF_JOINTS = {**GAINS, **QUANTITIES, **{name: name for name in ("q", "qd", "qdd", "tau")}, "q0": "q", "qd0": "qd"}
"""The quantity of joints, by the name of a sample or a result without "final."."""

ALONG_AXES = {"gravity": "m/s^2", "tip_position": "m", "com": "m"}
"""Names of quantities with three numbers, along x, y and z, and their unit."""

OF_BODIES = {"inertia": "kg m^2"}

ALONE = {"tip_error": "m", "mass": "kg", "t": "s", "h": "s", "duration": "s"}
"""The units of single numbers, by the last part of their name."""


def unit_of_parameter(robot: Robot, name: str) -> str:
    """The unit of SI of a parameter or a single number by its name; "" if it is not known.

    >>> unit_of_parameter(armdyn.load("planar_2r"), "link_2.mass")
    'kg'
    """
    owner, _, last = name.rpartition(".")
    if owner in robot.joint_names:
        return UNITS[robot.joints[robot.joint_names.index(owner)].kind].get(last, "")
    return ALONE.get(last) or ALONG_AXES.get(last) or OF_BODIES.get(last, "")


def component_labels(robot: Robot, name: str, shape: tuple[int, ...]) -> list[str]:
    """Labels of the numbers of a value, with the unit if it is known; the value itself is ``name``.

    >>> component_labels(armdyn.load("planar_2r"), "final.q", (2,))
    ['final.q joint_1 [rad]', 'final.q joint_2 [rad]']
    >>> component_labels(armdyn.load("planar_2r"), "payload.mass", ())
    ['payload.mass [kg]']
    """
    last = name.rpartition(".")[2]
    if shape == ():
        unit = ALONE.get(last, "")
        if last == "joint_error":
            unit = " or ".join(dict.fromkeys(UNITS[joint.kind]["q"] for joint in robot.joints))
        return [name + _bracketed(unit)]
    if shape == (3,) and last in ALONG_AXES:
        return [f"{name} {axis}{_bracketed(ALONG_AXES[last])}" for axis in "xyz"]
    if last == "f_tip" and shape == (6,):
        return [f"{name} {axis} [{unit}]" for axis, unit in zip(WRENCH, ["N m"] * 3 + ["N"] * 3, strict=True)]
    if shape == (robot.dof,) and last in OF_JOINTS:
        quantity = OF_JOINTS[last]
        return [f"{name} {joint.name}{_bracketed(UNITS[joint.kind].get(quantity, ''))}" for joint in robot.joints]
    return [f"{name} {k}" for k in range(math.prod(shape))]


def _bracketed(unit: str) -> str:
    return f" [{unit}]" if unit else ""
