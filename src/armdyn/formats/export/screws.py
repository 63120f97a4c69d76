"""A serial arm as the product-of-exponentials lists of Modern Robotics 8.3."""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

import numpy as np

from armdyn.base.exact import exact, rounded
from armdyn.base.tabular import TextTable, figures
from armdyn.formats.export.serial import SerialArm
from armdyn.model.model import Model
from armdyn.spatial.rotations import Array, inverse_rigid, rigid, skew

WHAT = "a product of exponentials"


class Screws(NamedTuple):
    """M_01 ... M_{n,n+1}, shape (n + 1, 4, 4); G_i, shape (n, 6, 6); space screw axes S_i as columns, shape (6, n)."""

    Mlist: Array
    Glist: Array
    Slist: Array

    def table(self) -> TextTable:
        """One row per joint: the space screw axis S_i, angular part first; below it the tip's pose at q = 0."""
        rows = [(str(i), *figures(S, size=1.0)) for i, S in enumerate(self.Slist.T, start=1)]
        home = reduce(np.matmul, self.Mlist)
        below = [f"  {'  '.join(f'{cell:>10}' for cell in figures(row, size=1.0))}" for row in home]
        headings = ("i", "w_x", "w_y", "w_z", "v_x", "v_y", "v_z")
        return TextTable(headings, rows, "rrrrrrr", "Space screw axes", ("M, the tip's pose at q = 0:", *below))

    def to_latex(self) -> str:
        """The space screw axes as a LaTeX ``tabular``."""
        symbols = tuple(rf"${letter}_{axis}$" for letter in (r"\omega", "v") for axis in "xyz")
        return TextTable(("$i$", *symbols), self.table().rows, "rrrrrrr").latex()

    def _repr_html_(self) -> str:
        return self.table().html()

    def __str__(self) -> str:
        return str(self.table())


def write_screws(model: Model) -> Screws:
    """Modern Robotics' lists (Mlist, Glist, Slist) of a serial arm, which `Robot.from_screws` reads (MR 8.3).

    The frames of the lists are at the centres of mass, with the axes of the links' frames. Names, limits and gravity
    are not part of them.

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
