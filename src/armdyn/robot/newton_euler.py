"""Newton and Euler's recursion of one state, link by link and with numbers, as it is written on paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from armdyn.algorithms.joint_reactions import OF_JOINTS, JointReactions
from armdyn.algorithms.link_motion import OF_LINKS, LinkMotion
from armdyn.base.checks import per_joint
from armdyn.base.errors import ShapeError, Unsupported
from armdyn.base.tabular import Tabulated, TextTable, vector_rows
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.robot.robot import Robot


@dataclass(frozen=True, eq=False)
class NewtonEuler(Tabulated):
    """Motion of each link, the force and moment that cause it, and the force and moment of its joint, at one state.

    Args:
        robot: the robot's name.
        links: names of the links that joints move.
        kinds: "revolute" or "prismatic", of their joints.
        motion: omega, alpha, a, a_com, F, N of these links, in their own axes, shape (links, 3) each.
        reactions: f, n that their joints transmit to them, in these axes, shape (links, 3) each.
        tau: joint forces, N m or N, shape (links,).
    """

    robot: str
    links: tuple[str, ...]
    kinds: tuple[str, ...]
    motion: LinkMotion
    reactions: JointReactions
    tau: Array

    def table(self) -> TextTable:
        """A row for each vector of each link, components in the link's axes; its last row is the joint's force."""
        rows: list[tuple[object, ...]] = []
        of_links = vector_rows(self.links, OF_LINKS, self.motion)
        of_joints = vector_rows(self.links, OF_JOINTS, self.reactions)
        for k, link in enumerate(self.links):
            unit = "N m" if self.kinds[k] == "revolute" else "N"
            rows += [(*row, None) for row in (*of_links[k], *of_joints[k])]
            rows.append((link, "joint force", "τ", unit, None, None, None, float(self.tau[k])))
        headings = ("link", "quantity", "symbol", "unit", "x", "y", "z", "joint")
        return TextTable.of(headings, rows, title=repr(self))

    def __repr__(self) -> str:
        return f"<Newton-Euler recursion of {self.robot!r}: {len(self.links)} links, in their own axes>"


def newton_euler(
    robot: Robot, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, f_tip: ArrayLike | None = None
) -> NewtonEuler:
    r"""Newton-Euler recursion omega, alpha, a, a_com, F, N, f, n, tau of every link at one state, with numbers.

    Outwards the motion of each link and its resultant force and moment, inwards the force and moment that its joint
    transmits (Craig 6.45-6.53), in the link's own axes; accelerations are against the ground, and gravity is a force.
    ``print`` shows a row for each vector.

    Args:
        q: joint positions, rad or m, shape (n,).
        qd: joint velocities, rad/s or m/s, shape (n,).
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (n,).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (6,).

    Raises:
        ShapeError: several states.
        Unsupported: a robot with constraints or coupled joints, because a joint has no force of its own there.

    >>> arm = armdyn.load("planar_2r")
    >>> print(arm.newton_euler([0.0, 0.0], [1.0, 0.0], [0.0, 0.0]).to_latex().splitlines()[-3])
    link\_2 & joint force & $\tau$ & N m &  &  &  & 9.81 \\
    """
    if robot.model.coupling is not None:
        raise Unsupported(
            f"newton_euler of {robot.name!r}: its joints are coupled, so a joint has no force of its own; "
            "robot.without_couplings() has one for each, link_motion and joint_reactions have the vectors"
        )
    q, qd, qdd = per_joint(robot, q=q, qd=qd, qdd=qdd)
    if q.ndim != 1:
        raise ShapeError(f"q has shape {q.shape}; expected ({robot.dof},), for the recursion is shown of one state")
    wrench = {} if f_tip is None else {"f_tip": f_tip}
    reactions = robot.joint_reactions(q, qd, qdd, **wrench)
    moved = [robot.link_names.index(joint.child) for joint in robot.model.joints]
    motion = LinkMotion(*(values[moved] for values in robot.link_motion(q, qd, qdd)))
    tau = robot.inverse_dynamics(q, qd, qdd, **wrench)
    links = tuple(robot.link_names[k] for k in moved)
    return NewtonEuler(robot.name, links, tuple(joint.kind for joint in robot.model.joints), motion, reactions, tau)
