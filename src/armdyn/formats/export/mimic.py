"""A coupling as joints that mimic others, if it has that form; `armdyn.formats.export.coupling` writes the others."""

from __future__ import annotations

import numpy as np

from armdyn.model.joint_equations import JointEquation
from armdyn.model.mimic import with_mimics
from armdyn.model.model import Model


def mimics_of(model: Model) -> dict[str, JointEquation] | None:
    """The joints that follow others, by name; None for a coupling that is more than mimicry."""
    if model.coupling is None:
        return {}
    coordinates = [coordinate.name for coordinate in model.coupling.coordinates]
    mimics, independent = {}, []
    for joint, row, offset in zip(model.joints, model.coupling.matrix, model.coupling.offset, strict=True):
        moved_by = np.flatnonzero(row)
        if len(moved_by) != 1:
            return None
        leader, factor = coordinates[moved_by[0]], float(row[moved_by[0]])
        if joint.name == leader and (factor, offset) == (1.0, 0.0):
            independent.append(joint.name)
        else:
            mimics[joint.name] = JointEquation.mimic(joint.name, leader, factor, float(offset))
    if independent != coordinates:
        return None
    free = model.replace(coupling=None)
    return mimics if with_mimics(free, list(mimics.values())).coordinates == model.coordinates else None
