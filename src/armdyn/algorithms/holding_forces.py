"""The set of joint forces that hold an arm still with the help of dry friction (Modern Robotics 8.9.4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.algorithms.declared import function
from armdyn.algorithms.newton_euler import base_motion, links_in_motion, loads_of_drives
from armdyn.model.constraints import refuse_constraints
from armdyn.model.drive import Drive
from armdyn.model.mechanism import Mechanism
from armdyn.model.regrouping import regroup
from armdyn.spatial.rotations import Array


class HoldingForces(NamedTuple):
    """The joint forces between which an arm stays at rest, N m or N, shape (..., n) each.

    Args:
        lower: the forces below which joints begin to move backwards.
        upper: the forces above which they begin to move forwards.
    """

    lower: Array
    upper: Array


@function("(n),(6)?,(links,6)?->(n),(n)", result=HoldingForces)
def holding_forces(
    mechanism: Mechanism, q: Array, f_tip: Array | None = None, f_ext: Array | None = None
) -> HoldingForces:
    """Holding set of joint forces tau(q) that keep the arm at rest, N m or N, shape (..., n) each: least and largest.

    An arm at rest stays at rest under the forces g(q) + s(q) + J^T f_tip - sum J_k^T f_ext_k + x, with the friction x
    of each joint between minus its breakaway force and that force (Modern Robotics 8.9.4), or between other bounds if a
    law differs by direction or, as the loss of a gear, by load. Without dry friction both are equal. If one coordinate
    moves several joints, their friction adds up; if one joint is moved by several coordinates, each coordinate has the
    friction that could act on it alone, and the holding set lies within these bounds. NaN in an argument makes both
    NaN, as in all compiled functions.

    Args:
        q: joint positions, rad or m, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
        f_ext: wrenches (m, f) of the surroundings on the links, in link frames, N m and N, shape (..., links, 6).

    Raises:
        Unsupported: a robot with constraints, whose forces contribute to holding it.

    >>> arm = armdyn.load("planar_2r").with_friction({"joint_1": (0.1, 2.0), "joint_2": (0.1, 0.5)})
    >>> lower, upper = arm.holding_forces([0.1, 0.2])
    >>> (upper - lower).round(12)
    array([4., 1.])
    """
    refuse_constraints(mechanism.model, "holding_forces", "armdyn.simulate, whose arm stays at rest or does not")
    mechanism = regroup(mechanism)
    drive, at_rest = mechanism.drive, mechanism.drive.rates(np.zeros(mechanism.dof))
    q = drive.positions(q)
    _, wrenches = links_in_motion(mechanism, q, at_rest, at_rest, base_motion(mechanism.gravity), f_tip, f_ext)
    loads = loads_of_drives(mechanism, q, wrenches)
    total = drive.forces(loads)
    least, most = friction_at_rest(drive, loads)
    return HoldingForces(total + least, total + most)


def friction_at_rest(drive: Drive, loads: list[Array]) -> tuple[Array, Array]:
    """The least and the largest force of friction on each coordinate at rest, from the loads by body."""
    least, most = np.zeros(drive.size, dtype=object), np.zeros(drive.size, dtype=object)
    for terms, friction, laws, load in zip(drive.terms, drive.friction, drive.laws, loads, strict=True):
        ranges = [(-friction, friction), *(law.at_rest(load) for law in laws)]
        low, high = (sum(bounds) for bounds in zip(*ranges, strict=True))
        for i, factor in terms:
            backwards = factor < 0.0
            least[i] = least[i] + factor * (high if backwards else low)
            most[i] = most[i] + factor * (low if backwards else high)
    return least, most
