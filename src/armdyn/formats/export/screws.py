"""A serial arm as the product-of-exponentials lists of Modern Robotics 8.3."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.exact import exact, rounded
from armdyn.formats.export.serial import SerialArm
from armdyn.model.model import Model
from armdyn.spatial.rotations import Array, inverse_rigid, rigid, skew

WHAT = "a product of exponentials"


class Screws(NamedTuple):
    """M_01 ... M_{n,n+1}, shape (n + 1, 4, 4); G_i, shape (n, 6, 6); space screw axes S_i as columns, shape (6, n)."""

    Mlist: Array
    Glist: Array
    Slist: Array


def write_screws(model: Model) -> Screws:
    """Modern Robotics' lists (Mlist, Glist, Slist) of a serial arm, which `Robot.from_screws` reads (MR 8.3).

    The frames of the lists stand at the centres of mass, with the axes of the links' frames. Names, limits and
    gravity are not part of them.

    Raises:
        Unsupported: a robot that branches, whose tip is not on its last link, or whose joints have armature.

    >>> Mlist, Glist, Slist = armdyn.load("ur5").to_screws()
    >>> Slist[:, 0] + 0.0
    array([0., 0., 1., 0., 0., 0.])
    """
    arm = SerialArm.of(model, WHAT).without_actuators(WHAT).without_armature(WHAT)
    n = len(arm.joints)
    at_masses = [arm.poses[k] @ rigid(p=exact(arm.inertia(k).com)) for k in range(n)]  # M_0i
    steps = zip([exact(np.eye(4)), *at_masses], [*at_masses, arm.tip], strict=True)
    G = np.zeros((n, 6, 6))
    S = np.zeros((6, n))
    for k, joint in enumerate(arm.joints):
        G[k, :3, :3] = arm.inertia(k).tensor
        G[k, 3:, 3:] = arm.inertia(k).mass * np.eye(3)
        u = arm.axis(k)
        S[:, k] = [*u, *(-skew(u) @ arm.point(k))] if joint.kind == "revolute" else [0.0, 0.0, 0.0, *u]
    return Screws(rounded([inverse_rigid(a) @ b for a, b in steps]), G, S)
