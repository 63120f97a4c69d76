"""Joint forces split into the part that moves an arm and the part on its constraint (Modern Robotics fig. 8.8)."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from armdyn.base.checks import joint_array
from armdyn.base.errors import ShapeError
from armdyn.plots.style import COLOURS, INK, SPINE, new_figure, prepare
from armdyn.robot import Robot
from armdyn.simulation.files.labels import UNITS
from armdyn.spatial.rotations import Array

ALONG, AGAINST = COLOURS[0], COLOURS[1]


def draw_torque_split(robot: Robot, q: ArrayLike, tau: ArrayLike) -> Figure:
    """The plane of joint forces of an arm of two joints with one constraint: tau = P tau + (I - P) tau (MR 8.100).

    P tau moves the arm without constraint force; (I - P) tau acts on the constraint without motion. All joint forces on
    the dashed line cause the motion of tau, those on the dotted line the constraint force of tau.

    Args:
        robot: robot with two joints and one independent constraint.
        q: joint positions that fulfil it, rad or m, shape (2,).
        tau: joint forces, N m or N, shape (2,).

    Raises:
        ShapeError: a robot whose number of joints is not two, or whose number of constraint rows is not one.

    >>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0))
    >>> arm = armdyn.load("planar_2r").with_constraints(channel)
    >>> figure = armdyn.plots.draw_torque_split(arm, [-np.pi / 3, 2 * np.pi / 3], [1.2, 1.0])
    >>> figure.axes[0].get_xlabel()
    'joint_1 [N m]'
    """
    if robot.dof != 2 or len(robot.constraint_rows) != 1:
        raise ShapeError(
            f"{robot.name!r} has {robot.dof} joints and {len(robot.constraint_rows)} constraint rows; the split is "
            "drawn of two joints and one row"
        )
    tau = joint_array(robot, "tau", tau, (2,), "N m or N")
    P = robot.force_projection(joint_array(robot, "q", q, (2,), "rad or m"))
    moving, loading = P @ tau, tau - P @ tau
    figure = new_figure(4.8, 4.6)
    axes = figure.subplots()
    prepare(axes)
    axes.set_aspect("equal")
    # The ranges of P and of I - P for any tau: the free directions, and those of A^T.
    free, held = _range(P), _range(np.eye(2) - P)
    half = 1.35 * max(float(np.abs([tau, moving, loading]).max()), 1e-12)
    for through, direction, colour, line, label in (
        (np.zeros(2), free, ALONG, "-", r"moves the arm alone: $P\tau$"),
        (np.zeros(2), held, AGAINST, "-", r"loads the constraint alone: $(I - P)\tau$"),
        (tau, held, AGAINST, "--", r"the motion of $\tau$"),
        (tau, free, ALONG, ":", r"the constraint force of $\tau$"),
    ):
        ends = through + 4.0 * half * np.array([-direction, direction])
        axes.plot(*ends.T, color=colour, linestyle=line, linewidth=1.1, label=label)
    forces = (moving, r"$P\tau$", ALONG), (loading, r"$(I-P)\tau$", AGAINST), (tau, r"$\tau$", INK)
    for vector, name, colour in forces:
        _draw_force(axes, vector, name, colour, half)
    axes.set_xlim(-half, half)
    axes.set_ylim(-half, half)
    axes.axhline(0.0, color=SPINE, linewidth=0.5, zorder=0)
    axes.axvline(0.0, color=SPINE, linewidth=0.5, zorder=0)
    labels = [f"{joint.name} [{UNITS[joint.kind]['tau']}]" for joint in robot.joints]
    axes.set_xlabel(labels[0], fontsize=9, color=INK)
    axes.set_ylabel(labels[1], fontsize=9, color=INK)
    figure.legend(loc="outside lower center", fontsize=8, frameon=False, ncols=2, labelcolor=INK)
    return figure


def _range(matrix: Array) -> Array:
    """The unit vector that spans the range of a matrix of rank one."""
    left, _, _ = np.linalg.svd(matrix)
    direction: Array = left[:, 0]
    return direction


def _draw_force(axes: Axes, vector: Array, name: str, colour: str, half: float) -> None:
    """Draw an arrow from the origin, with its name at the right of its end."""
    axes.quiver(0, 0, *vector, color=colour, angles="xy", scale_units="xy", scale=1.0, width=0.009, zorder=4)
    length = float(np.linalg.norm(vector))
    if length > 0.0:
        across = np.array([vector[1], -vector[0]])
        x, y = vector + 0.07 * half * (vector + across) / length
        side = "left" if across[0] > 0.0 else "right"
        paper = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}  # lines end at the name
        axes.text(x, y, name, color=colour, ha=side, va="center", zorder=5, bbox=paper)
