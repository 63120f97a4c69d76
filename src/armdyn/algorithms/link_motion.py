"""Motions of all links, and the forces and moments that cause them: RNEA's outward pass (Craig 6.45-6.48).

The motions are those of `newton_euler`, brought from the canonical frames to the frames of the description.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from armdyn.algorithms.declared import function
from armdyn.algorithms.expressed_in import PINOCCHIO_OF_LINKS, way
from armdyn.algorithms.kinematics import body_poses
from armdyn.algorithms.newton_euler import BodyMotion, axial_of_product, base_motion, outward
from armdyn.base.exact import is_zero
from armdyn.base.tabular import TextTable, vector_table
from armdyn.model.mechanism import Body, Mechanism
from armdyn.spatial.rotations import Array, cross

if TYPE_CHECKING:
    from pandas import DataFrame

AXES = ("link", "base")


OF_LINKS = (
    ("angular velocity", "ω", "rad/s"),
    ("angular acceleration", "ω̇", "rad/s²"),
    ("acceleration of the frame", "v̇", "m/s²"),
    ("acceleration of the centre of mass", "v̇_C", "m/s²"),
    ("resultant force", "F", "N"),
    ("resultant moment", "N", "N m"),
)
"""Name, symbol (Craig's) and unit of the vectors of a link."""


class LinkMotion(NamedTuple):
    """The motion of all links and the forces that cause it, each of shape (..., links, 3), the base first.

    ``omega`` (rad/s) and ``alpha`` (rad/s^2) are angular velocity and acceleration, ``a`` the acceleration of the link
    frame's origin and ``a_com`` that of the centre of mass (m/s^2), ``F`` (N) and ``N`` (N m) the resultant force and
    the moment about the centre of mass: F = m a_com, N = I alpha + omega x I omega.
    """

    omega: Array
    alpha: Array
    a: Array
    a_com: Array
    F: Array
    N: Array

    def table(self, links: Sequence[str] | None = None) -> TextTable:
        """A table of one state, one row per vector of each link; ``robot.link_names`` has names of the links."""
        return vector_table(links, OF_LINKS, self, "link")

    def to_dataframe(self, links: Sequence[str] | None = None) -> DataFrame:
        """The `table` as a ``pandas.DataFrame``."""
        return self.table(links).to_dataframe()

    def to_latex(self, links: Sequence[str] | None = None) -> str:
        """The `table` as a LaTeX ``tabular``."""
        return self.table(links).to_latex()

    def _repr_html_(self) -> str | None:
        return self.table().html() if np.ndim(self[0]) == 2 else None


@function(
    "(n),(n),(n),(6)?,(6)?->(links,3),(links,3),(links,3),(links,3),(links,3),(links,3)",
    result=LinkMotion,
)
def link_motion(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    base_twist: Array | None = None,
    base_twist_rate: Array | None = None,
    *,
    expressed_in: str = "link",
    minus_gravity: bool = False,
) -> LinkMotion:
    """Motion omega(q, qd), alpha, a, a_com of all links and force F, moment N of it, rad, m, N, shape (..., links, 3).

    The outward pass of Newton and Euler, base first, in the order of ``robot.link_names`` (Craig 6.45-6.48). Velocities
    and accelerations are those against the ground. A link includes the masses of the motors on it; the moment on their
    rotors is not in N.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (..., n).
        base_twist: V_0 = (w, v) of the base frame in base axes, rad/s and m/s, shape (..., 6); at rest if left out.
        base_twist_rate: the rate at which those six numbers change, rad/s^2 and m/s^2, shape (..., 6).
        expressed_in: "link": every row in the axes of its own link frame (Pinocchio's LOCAL); "base": all in base axes
            (its LOCAL_WORLD_ALIGNED).
        minus_gravity: return a - g in place of a: the reading of an accelerometer, and the quantity of Craig's base
            that accelerates upwards. F is then m (a_com - g), the force of the joints without the weight.

    Returns:
        A `LinkMotion`: named arrays ``omega``, ``alpha``, ``a``, ``a_com``, ``F``, ``N``.

    Raises:
        UnknownName: ``expressed_in`` is neither of the two.

    >>> motion = armdyn.load("planar_2r").link_motion([0.0, 0.0], [1.0, 0.0], [0.0, 0.0], expressed_in="base")
    >>> motion.a[-1] + 0.0  # the second link's frame goes round in a circle of 1 m
    array([-1.,  0.,  0.])
    """
    expressed_in = way(expressed_in, AXES, PINOCCHIO_OF_LINKS)
    q, qd, qdd = mechanism.drive.positions(q), mechanism.drive.rates(qd), mechanism.drive.rates(qdd)
    base = base_motion(mechanism.gravity if minus_gravity else np.zeros(3), base_twist, base_twist_rate)
    motions = outward(mechanism, q, qd, qdd, base)
    rows = {mechanism.model.base: of_base(mechanism, base)}
    for body, motion, (R, _) in zip(mechanism.links, motions, body_poses(mechanism, q), strict=False):
        to_axes = body.link_pose[:3, :3].T if expressed_in == "link" else R
        rows[body.name] = [to_axes @ vector for vector in of_body(mechanism, body, motion)]
    return LinkMotion(*(np.array([rows[name][k] for name in mechanism.model.link_names]) for k in range(6)))


def of_body(mechanism: Mechanism, body: Body, motion: BodyMotion) -> list[Array]:
    """A row of `LinkMotion`, in the axes of the canonical frame B."""
    _, w, wd, a, U = motion
    c = centre_of_mass(mechanism, body)
    a_com = a + U @ c
    about_com = body.second_moment - np.outer(c, body.first_moment)  # Sigma about C: Sigma - m c c^T
    return [w, wd, a + U @ body.link_pose[:3, 3], a_com, body.mass * a_com, axial_of_product(U, about_com)]


def centre_of_mass(mechanism: Mechanism, body: Body) -> Array:
    """p_BC; for a link without mass, the centre of mass in its description."""
    if is_zero(body.mass):
        named: Array = body.link_pose[:3, :3] @ mechanism.model.link(body.name).inertia.com + body.link_pose[:3, 3]
        return named
    c: Array = body.first_moment / body.mass
    return c


def of_base(mechanism: Mechanism, base: BodyMotion) -> list[Array]:
    """The row of the base, in its own axes, which are the base axes."""
    inertia = mechanism.model.links[0].inertia
    w: Array = base.w
    a_com = base.a + base.U @ inertia.com
    return [w, base.wd, base.a, a_com, inertia.mass * a_com, inertia.tensor @ base.wd + cross(w, inertia.tensor @ w)]
