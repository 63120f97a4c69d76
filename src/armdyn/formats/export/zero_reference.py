"""A serial arm in its zero reference position (Kazerounian and Gupta 1985)."""

from __future__ import annotations

import numpy as np

from armdyn.base.exact import exact, rounded
from armdyn.formats.export.serial import SerialArm
from armdyn.formats.zero_reference import ZeroReference
from armdyn.model.model import Model

WHAT = "a zero reference position"


def write_zero_reference(model: Model) -> ZeroReference:
    """The zero reference position of a serial arm, SI units (Kazerounian and Gupta 1985).

    ``Robot.from_zero_reference(**zero.arguments())`` reads it back. Damping and friction are not part of it.

    Raises:
        Unsupported: a robot that branches, whose tip is not on its last link, or whose joints have armature.

    >>> armdyn.load("planar_2r").to_zero_reference().points
    array([[0., 0., 0.],
           [1., 0., 0.]])
    """
    arm = SerialArm.of(model, WHAT).without_actuators(WHAT).without_armature(WHAT)
    n = len(arm.joints)
    R = [pose[:3, :3] for pose in arm.poses]
    tensors = [R[k] @ exact(arm.inertia(k).tensor) @ R[k].T for k in range(n)]
    parent = ["base", *(f"link_{k}" for k in range(1, n))]
    return ZeroReference(
        axes=rounded([arm.axis(k) for k in range(n)]),
        kinds=tuple(joint.kind for joint in arm.joints),
        points=rounded([arm.point(k) for k in range(n)]),
        hand=rounded(arm.tip[:3, 3]),
        axial=rounded(arm.tip[:3, 2]),
        transverse=rounded(arm.tip[:3, 0]),
        c=rounded([R[k] @ exact(arm.inertia(k).com) for k in range(n)]),
        masses=np.array([arm.inertia(k).mass for k in range(n)]),
        inertias=rounded(tensors),
        collars={
            joint.name: parent[k] if joint.collar == "parent" else f"link_{k + 1}"
            for k, joint in enumerate(arm.joints)
            if joint.kind == "prismatic"
        },
        joint_names=arm.joint_names,
        limits=tuple(joint.limits for joint in arm.joints),
        gravity=model.gravity,
        name=model.name,
    )
