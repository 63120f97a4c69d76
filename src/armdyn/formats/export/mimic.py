"""A coupling as joints that mimic others, where it is one: every other coupling has no place in a URDF file."""

from __future__ import annotations

import numpy as np

from armdyn.errors import Unsupported
from armdyn.model.joint_equations import JointEquation
from armdyn.model.mimic import with_mimics
from armdyn.model.model import Model


def mimics_of(model: Model) -> dict[str, JointEquation]:
    """The joints that follow others, by name.

    Raises:
        Unsupported: a coupling that is more than mimicry.
    """
    if model.coupling is None:
        return {}
    coordinates = [coordinate.name for coordinate in model.coupling.coordinates]
    mimics, independent = {}, []
    for joint, row, offset in zip(model.joints, model.coupling.matrix, model.coupling.offset, strict=True):
        moved_by = np.flatnonzero(row)
        if len(moved_by) != 1:
            how = f"{len(moved_by)} coordinates move it" if len(moved_by) else f"it is held at {offset:g}"
            raise Unsupported(_refusal(model, f"joint {joint.name!r} follows no single joint: {how}"))
        leader, factor = coordinates[moved_by[0]], float(row[moved_by[0]])
        if joint.name == leader and (factor, offset) == (1.0, 0.0):
            independent.append(joint.name)
        else:
            mimics[joint.name] = JointEquation.mimic(joint.name, leader, factor, float(offset))
    if independent != coordinates:
        raise Unsupported(_refusal(model, f"its coordinates {', '.join(coordinates)} are not joints in their order"))
    if with_mimics(model.replace(coupling=None), list(mimics.values())).coordinates != model.coordinates:
        raise Unsupported(_refusal(model, "its coordinates have limits or kinds besides those of the joints"))
    return mimics


def _refusal(model: Model, why: str) -> str:
    return (
        f"{model.name!r}: {why}; URDF knows joints that mimic one other. Write the robot with every joint free, "
        "robot.without_couplings(), and couple it after reading."
    )
