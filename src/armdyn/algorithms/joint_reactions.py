"""The wrenches that the joints transmit: the inward pass of Newton and Euler (Craig 6.51, 6.52; Modern Robotics 8.53).

An actuator provides one of the six components that a joint transmits, and the bearings or the collar the other five.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from armdyn.algorithms.declared import function
from armdyn.algorithms.expressed_in import PINOCCHIO_OF_LINKS, way
from armdyn.algorithms.kinematics import body_poses
from armdyn.algorithms.newton_euler import Wrench, base_motion, links_in_motion, summed_inwards
from armdyn.base.errors import UnknownName
from armdyn.base.scalars import Scalar
from armdyn.base.tabular import TextTable, vector_table
from armdyn.model.mechanism import Body, Mechanism
from armdyn.spatial.rotations import Array, Z, cross
from armdyn.spatial.turns import to_parent

if TYPE_CHECKING:
    from pandas import DataFrame

AXES = ("link", "parent", "base")
COLLARS = ("child", "parent")


OF_JOINTS = (("force of the joint", "f", "N"), ("moment of the joint", "n", "N m"))
"""Name, symbol (Craig's) and unit of the vectors of a joint."""


class JointReactions(NamedTuple):
    """Force ``f`` (N) and moment ``n`` (N m) that joints transmit to their child links, shape (..., joints, 3) each."""

    f: Array
    n: Array

    def table(self, joints: Sequence[str] | None = None) -> TextTable:
        """A table of one state, one row per vector of each joint; ``robot.model.joint_names`` has their names."""
        return vector_table(joints, OF_JOINTS, self, "joint")

    def to_dataframe(self, joints: Sequence[str] | None = None) -> DataFrame:
        """The `table` as a ``pandas.DataFrame``."""
        return self.table(joints).to_dataframe()

    def to_latex(self, joints: Sequence[str] | None = None) -> str:
        """The `table` as a LaTeX ``tabular``."""
        return self.table(joints).to_latex()

    def _repr_html_(self) -> str | None:
        return self.table().html() if np.ndim(self[0]) == 2 else None


@function("(n),(n),(n),(6)?,(6)?,(6)?,(links,6)?->(joints,3),(joints,3)", result=JointReactions)
def joint_reactions(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    f_tip: Array | None = None,
    base_twist: Array | None = None,
    base_twist_rate: Array | None = None,
    f_ext: Array | None = None,
    *,
    expressed_in: str = "link",
    collar: str | None = None,
) -> JointReactions:
    """Force f(q, qd, qdd) and moment n that the joints transmit, N and N m, shape (..., joints, 3).

    Row k is the wrench of the parent of joint k on its child, the actuator's part included: the component along the
    joint's axis, of n if it turns and of f if it slides, is tau_k (Craig 6.49-6.53), less the part of its rotor:
    armature_k qdd_k, or G times the moment along the rotor's axis (tau_gear of Modern Robotics 8.111). The forces in
    the bearings of a rotor are part of those that move the link that carries it. The moment is taken about the origin
    of the child link's frame, which lies on the axis.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
        base_twist: V_0 = (w, v) of the base frame in base axes, rad/s and m/s, shape (..., 6); at rest if left out.
        base_twist_rate: the rate at which those six numbers change, rad/s^2 and m/s^2, shape (..., 6).
        f_ext: wrenches (m, f) of the surroundings on the links, in link frames, N m and N, shape (..., links, 6), rows
            as in ``robot.link_names``; see `external_wrench`. The base's has no effect.
        expressed_in: "link": every row in the axes of the child link's frame; "parent": of the parent link's frame;
            "base": all in base axes. Pinocchio's LOCAL and LOCAL_WORLD_ALIGNED mean "link" and "base".
        collar: the link that carries the collars of all sliding joints. "child": the collar moves with the child link's
            frame, and the moment is about that frame's origin; "parent": it is fixed to the parent, at the place of
            that origin at q = 0, and the moment is about that point. None: each joint's own, by its description.
            Forces, and the moments of joints that turn, do not depend on it (Kazerounian and Gupta 7, 8); a joint's row
            depends on its own collar alone.

    Returns:
        A `JointReactions`: named arrays ``f`` and ``n``.

    Raises:
        UnknownName: ``expressed_in`` or ``collar`` is not one of the keys above.

    >>> robot = armdyn.load("planar_2r")
    >>> f, n = robot.joint_reactions([0.3, 0.4], np.zeros(2), np.zeros(2), expressed_in="base")
    >>> bool(np.allclose(f[0], -sum(link.inertia.mass for link in robot.model.links[1:]) * robot.gravity))
    True
    """
    expressed_in = way(expressed_in, AXES, PINOCCHIO_OF_LINKS)
    if collar is not None and collar not in COLLARS:
        raise UnknownName.of("collar", collar, COLLARS, "collar=")
    q, qd, qdd = mechanism.drive.positions(q), mechanism.drive.rates(qd), mechanism.drive.rates(qdd)
    base = base_motion(mechanism.gravity, base_twist, base_twist_rate)
    _, wrenches = links_in_motion(mechanism, q, qd, qdd, base, f_tip, f_ext)
    passed_on = summed_inwards(mechanism, q, wrenches)
    own = [mechanism.model.joints[body.joint].collar for body in mechanism.links]
    collars = own if collar is None else [collar] * len(own)
    rows = [about_collar(*of_link) for of_link in zip(mechanism.links, q, passed_on, collars, strict=False)]
    return JointReactions(*in_axes(mechanism, q, rows, expressed_in))


def about_collar(body: Body, position: Scalar, wrench: Wrench, collar: str) -> tuple[Array, Array]:
    """The force, and its moment about the collar's point instead of B's origin, in B's axes."""
    point = body.link_pose[:3, 3]  # the child link's own origin
    if collar == "parent" and not body.revolute:
        point = point - position * Z
    return wrench.f, wrench.n - cross(point, wrench.f)


def in_axes(mechanism: Mechanism, q: Array, rows: list[tuple[Array, Array]], axes: str) -> tuple[Array, Array]:
    """Forces and moments, each (joints, 3), brought from the axes of the bodies to the requested ones."""
    f, n = (np.zeros((len(mechanism.links), 3), dtype=object) for _ in range(2))
    poses = body_poses(mechanism, q)
    for k, body in enumerate(mechanism.links):
        for vector, result in zip(rows[k], (f, n), strict=True):
            if axes == "link":
                result[body.joint] = body.link_pose[:3, :3].T @ vector
            elif axes == "base" or body.parent < 0:
                result[body.joint] = poses[k][0] @ vector
            else:
                in_parent = to_parent(body.turns_at(q[k]), vector)
                result[body.joint] = mechanism.bodies[body.parent].link_pose[:3, :3].T @ in_parent
    return f, n
