"""Positions of all joints from the coordinates q of coupled ones."""

from __future__ import annotations

import numpy as np

from armdyn.algorithms.declared import function
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array


@function("(n)->(joints)")
def joint_positions(mechanism: Mechanism, q: Array) -> Array:
    """Positions q_joints(q) = A q + b of all joints, rad or m, shape (..., joints).

    They are in the order of ``robot.model.joints``, and equal q if no joints are coupled. They are the positions for a
    viewer, or for a robot without the coupling (Featherstone 2008, 3.2: explicit constraints).

    Args:
        q: coordinates, rad or m, shape (..., n).

    >>> robot = armdyn.load("planar_2r").with_mimic({"joint_2": ("joint_1", -2.0, 0.5)})
    >>> robot.joint_positions([0.25])
    array([0.25, 0.  ])
    """
    by_joint = {body.joint: x for body, x in zip(mechanism.links, mechanism.drive.positions(q), strict=False)}
    return np.array([by_joint[k] for k in range(len(by_joint))])
