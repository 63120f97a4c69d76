"""Joint forces split into the part that moves an arm and the part on its constraint (Modern Robotics fig. 8.8)."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from armdyn.base.checks import joint_array
from armdyn.base.errors import ShapeError
from armdyn.model.joint_units import UNITS
from armdyn.plots.sheet import Palette, Size, sheet_of
from armdyn.plots.style import INK, SPINE, new_figure, prepare
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

TINY = 1e-9
"""Coefficients below this, relative to the largest, are rounding errors of zero."""


def draw_torque_split(
    robot: Robot, q: ArrayLike, tau: ArrayLike, *, size: Size = "report", palette: Palette = "colour"
) -> Figure:
    r"""The plane of joint forces of an arm of two joints with one constraint: tau = P tau + (I - P) tau (MR 8.100).

    P tau moves the arm without constraint force; (I - P) tau acts on the constraint without motion. All joint forces on
    the dashed line cause the motion of tau, those on the dotted line the constraint force of tau. The equations of both
    lines through the origin, the constraint force and P are printed with their numbers.

    Args:
        robot: robot with two joints and one independent constraint.
        q: joint positions that fulfil it, rad or m, shape (2,).
        tau: joint forces, N m or N, shape (2,).
        size: font and line sizes: "report", "paper" or "slide".
        palette: "colour" or "grey".

    Raises:
        ShapeError: a robot whose number of joints is not two, or whose number of constraint rows is not one.
        SettingError: another size or palette.

    >>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0))
    >>> arm = armdyn.load("planar_2r").with_constraints(channel)
    >>> figure = armdyn.plots.draw_torque_split(arm, [-np.pi / 3, 2 * np.pi / 3], [1.2, 1.0])
    >>> figure.axes[0].get_xlabel()
    'joint_1: $\\tau_1$ [N m]'
    """
    if robot.dof != 2 or len(robot.constraint_rows) != 1:
        raise ShapeError(
            f"{robot.name!r} has {robot.dof} joints and {len(robot.constraint_rows)} constraint rows; the split is "
            "drawn of two joints and one row"
        )
    sheet = sheet_of(size, palette)
    tau = joint_array(robot, "tau", tau, (2,), "N m or N")
    q = joint_array(robot, "q", q, (2,), "rad or m")
    P = robot.force_projection(q)
    moving, loading = P @ tau, tau - P @ tau
    font, along, against = sheet.size.font, sheet.colour(0), sheet.colour(1)
    figure = new_figure(5.2 * sheet.scale, 0.56 * sheet.size.width)
    axes = figure.subplots()
    prepare(axes, size=font)
    axes.set_aspect("equal")
    # The ranges of P and of I - P for any tau: the free directions, and those of A^T.
    free, blocked = _range(P), _range(np.eye(2) - P)
    half = 1.35 * max(float(np.abs([tau, moving, loading]).max()), 1e-12)
    force, motion = _force_row(robot, q), _range(P.T)
    for through, direction, colour, line, label in (
        (np.zeros(2), free, along, "-", f"no constraint force: {_equation(force)}"),
        (np.zeros(2), blocked, against, "-", f"no motion: {_equation(motion / motion[np.abs(motion).argmax()])}"),
        (tau, blocked, against, "--", r"the motion of $\tau$"),
        (tau, free, along, ":", r"the constraint force of $\tau$"),
    ):
        ends = through + 4.0 * half * np.array([-direction, direction])
        axes.plot(*ends.T, color=colour, linestyle=line, linewidth=0.9 * sheet.size.line, label=label)
    forces = (moving, r"$P\tau$", along), (loading, r"$(I-P)\tau$", against), (tau, r"$\tau$", INK)
    for vector, name, colour in forces:
        _draw_force(axes, vector, name, colour, half, 1.2 * font)
    axes.set_xlim(-half, half)
    axes.set_ylim(-half, half)
    axes.axhline(0.0, color=SPINE, linewidth=0.5, zorder=0)
    axes.axvline(0.0, color=SPINE, linewidth=0.5, zorder=0)
    labels = [rf"{joint.name}: $\tau_{k}$ [{UNITS[joint.kind]['tau']}]" for k, joint in enumerate(robot.joints, 1)]
    axes.set_xlabel(labels[0], fontsize=1.1 * font, color=INK)
    axes.set_ylabel(labels[1], fontsize=1.1 * font, color=INK)
    axes.set_title(_split_in_numbers(P, force), fontsize=font, color=INK, loc="left")
    figure.legend(loc="outside lower center", fontsize=font, frameon=False, ncols=2, labelcolor=INK)
    return figure


def _force_row(robot: Robot, q: Array) -> Array:
    """The coefficients of tau in the multiplier: (A M^-1 A^T)^-1 A M^-1 (MR 8.98), shape (2,)."""
    A = np.asarray(robot.constraint_jacobian(q)).reshape(1, 2)
    through = np.linalg.solve(robot.mass_matrix(q), A.T)
    row: Array = (through / (A @ through)).ravel()
    return row


def _split_in_numbers(P: Array, force: Array) -> str:
    """P with its numbers in rows, and the part of the constraint force that the joint forces cause."""
    rows = "; ".join(", ".join(_number(x) for x in row) for row in P)
    return f"P = [{rows}],  $\\lambda$ = {_sum_of(force)} + $\\lambda_0$"


def _equation(row: Array) -> str:
    return f"{_sum_of(row)} = 0"


def _sum_of(row: Array) -> str:
    """A sum of multiples of tau_1 and tau_2, with three digits."""
    terms: list[str] = []
    for k, x in enumerate(row, start=1):
        if abs(x) < TINY * float(np.abs(row).max()):
            continue
        sign = "\u2212" if x < 0.0 else "+" if terms else ""
        value = "" if abs(abs(x) - 1.0) < TINY else f"{abs(x):.4g} "
        terms.append(f"{sign}{' ' if terms else ''}{value}$\\tau_{k}$")
    return " ".join(terms)


def _number(x: float) -> str:
    return f"{x if abs(x) > TINY else 0.0:.3g}".replace("-", "\u2212")


def _range(matrix: Array) -> Array:
    """The unit vector that spans the range of a matrix of rank one."""
    left_vectors, _, _ = np.linalg.svd(matrix)
    direction: Array = left_vectors[:, 0]
    return direction


def _draw_force(axes: Axes, vector: Array, name: str, colour: str, half: float, font: float) -> None:
    """Draw an arrow from the origin, with its name at the right of its end."""
    axes.quiver(0, 0, *vector, color=colour, angles="xy", scale_units="xy", scale=1.0, width=0.009, zorder=4)
    length = float(np.linalg.norm(vector))
    if length > 0.0:
        across = np.array([vector[1], -vector[0]])
        x, y = vector + 0.07 * half * (vector + across) / length
        side = "left" if across[0] > 0.0 else "right"
        paper = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}  # lines end at the name
        axes.text(x, y, name, color=colour, ha=side, va="center", zorder=5, bbox=paper, fontsize=font)
