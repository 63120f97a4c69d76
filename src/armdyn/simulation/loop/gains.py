"""A warning of gains below zero, with which a controller of armdyn drives an arm away from its reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from armdyn.declaration import Function
from armdyn.errors import warn_outside
from armdyn.simulation.errors import GainWarning
from armdyn.spatial.rotations import Array

GAINS = {
    "Kp",
    "Ki",
    "Kd",
    "Kp_null",
    "Kd_null",
    "Kp_force",
    "Ki_force",
    "K_observer",
    "K",
    "B",
    "M_virtual",
    "kp",
    "kd",
}
"""Inputs of the controllers of `armdyn.control` and of scenarios that are gains, stiffnesses, dampings and masses."""


def warn_of_negative_gains(joint_names: Sequence[str], controller: Function, given: Mapping[str, Array]) -> None:
    """Warn of gains below zero of a controller of armdyn; what the names mean in others is not known.

    Args:
        joint_names: of the robot.
        controller: that takes them.
        given: arrays by name, whose last axis is that of joints or components.
    """
    if not controller.implementation.__module__.startswith("armdyn."):
        return
    for name, array in given.items():
        if name not in GAINS or not array.size or not np.min(array) < 0.0:
            continue
        where = ""
        if array.ndim:
            k = int(np.unravel_index(int(np.argmin(array)), array.shape)[-1])
            of_joints = any(a.name == name and a.shape == ("n",) for a in controller.arguments)
            where = f" of joint {joint_names[k]!r}" if of_joints else f" of component {k}"
        warn_outside(
            f"{name}{where} of {controller.name} is {np.min(array):g}, below zero: with it the controller drives the "
            "arm away from its reference, or feeds energy into it. Expected gains of at least zero",
            GainWarning,
        )
