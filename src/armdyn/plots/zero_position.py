"""A serial arm in its zero reference position: axes, points, body vectors, the hand and its path (KG fig. 4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import patheffects
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from armdyn.base.checks import array, joint_array
from armdyn.base.exact import exact, rounded
from armdyn.formats.export.serial import SerialArm
from armdyn.masp.units import InputUnits
from armdyn.plots.drawing import fill_figure, frame_picture
from armdyn.plots.sheet import Palette, Sheet, Size, sheet_of
from armdyn.plots.stick_figure import stick_lines
from armdyn.plots.style import INK, new_figure
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array
from armdyn.trajectory import CartesianPath

AXIS = 0.13
"""Length of the arrow of an axis, by the size of the picture."""

HEAD = 0.18
"""Length of the head of an arrow, by its own length."""

PATH_POINTS = 181
"""Number of points of the drawn path."""

HALO = [patheffects.withStroke(linewidth=2.0, foreground="white")]
"""A white rim of texts over lines."""

GREY = "#9AA3AD"
ZERO = 1e-9
"""Vectors shorter than this, by the size of the picture, are points."""


def draw_zero_position(
    robot: Robot,
    path: CartesianPath | None = None,
    *,
    start: ArrayLike | None = None,
    units: InputUnits | None = None,
    view: tuple[float, float] = (18.0, -52.0),
    size: Size = "report",
    palette: Palette = "colour",
) -> Figure:
    """A serial arm at q = 0 with the vectors of its zero reference position (Kazerounian and Gupta 1985, figure 4).

    At each joint centre P_k there is the arrow of its axis u_k. Body vectors lead from P_k to the centre of mass of the
    next link (c, solid) and on to P_{k+1} (d, dashed); the last one ends at the hand point h with its axes u_a and u_t.
    All lengths are in one unit.

    Args:
        robot: a serial arm.
        path: path of the hand to draw.
        start: joint positions at the begin of the path, rad or m, shape (n,); the arm is drawn there as a ghost.
        units: unit of lengths; m by default.
        view: elevation and azimuth of the eye, degrees.
        size: font and line sizes: "report", "paper" or "slide".
        palette: "colour" or "grey".

    Raises:
        Unsupported: a robot that branches.
        ShapeError: start of other joints.
        SettingError: another size or palette.

    >>> figure = armdyn.plots.draw_zero_position(armdyn.load("kg_puma"), units=armdyn.masp.InputUnits("in", "lbf"))
    >>> figure.axes[0].get_zlabel()
    'z [in]'
    """
    sheet, length = sheet_of(size, palette), (units or InputUnits()).of_length
    eye: Any = tuple(array("view", view, (2,), "degrees").tolist())
    arm = SerialArm.of(robot.model, "a zero reference position")
    numbers = range(len(arm.joints))
    points = rounded([arm.point(k) for k in numbers]) / length.si
    directions = rounded([arm.axis(k) for k in numbers])
    offsets = rounded([arm.poses[k][:3, :3] @ exact(arm.inertia(k).com) for k in numbers]) / length.si
    tip = rounded(arm.tip)
    hand, masses = tip[:3, 3] / length.si, points + offsets
    ghost = [] if start is None else stick_lines(robot, joint_array(robot, "start", start, (robot.dof,), "rad or m"))
    lines = [line / length.si for line in ghost]
    track = np.empty((0, 3)) if path is None else path.sampled(PATH_POINTS)[1].pose[:, :3, 3] / length.si
    everything = np.concatenate([points, masses, hand[None], track, *lines])
    reach = max(float(np.linalg.norm(np.ptp(everything, axis=0))), 1e-9)
    width = 0.6 * sheet.size.width
    figure = new_figure(width, width, constrained=False)
    axes: Any = figure.add_subplot(projection="3d")
    axes.computed_zorder = False
    picture = _SpacePicture(axes, sheet, reach)
    for line in lines:
        picture.line(line, GREY, 1.6, "arm at the start of the path" if line is lines[0] else None)
    if len(track):
        picture.line(track, sheet.colour(4 if palette == "colour" else 1), 1.2, "path of the hand")
    ends, blue = np.vstack([points[1:], hand]), sheet.colour(0)
    text = ("vector c: joint centre to centre of mass", "vector d: centre of mass to next joint", "centre of mass")
    for k, (P, G, end) in enumerate(zip(points, masses, ends, strict=True)):
        labels = (None, None, None) if k else text
        picture.vector(P, G, blue, "-", labels[0])
        picture.vector(G, end, blue, "--", labels[1])
        picture.point(G, "s", blue, labels[2])
        picture.point(P, "o", INK, None if k else "joint centre P")
    corners = [points, masses, hand[None], track, *lines]
    for number, (P, u, name) in enumerate(_named_axes(points, directions, reach)):
        corners.append(picture.arrow(P, u, sheet.colour(1), name, None if number else "axis u of joint"))
    picture.point(hand, "D", INK, "hand point h")
    corners.append(picture.arrow(hand, tip[:3, 2], sheet.colour(2), "$u_a$", "axes $u_a$, $u_t$ of hand"))
    corners.append(picture.arrow(hand, tip[:3, 0], sheet.colour(2), "$u_t$", None))
    picture.names([(P, f"$P_{{{k}}}$") for k, P in enumerate(points, start=1)] + [(hand, "$h$")])
    frame_picture(axes, np.concatenate(corners), None, eye, unit=length.name, font=sheet.size.font)
    title = f"{robot.name}: zero reference position".replace("$", r"\$")
    font = sheet.size.font
    figure.suptitle(title, x=0.03, y=0.99, ha="left", va="top", fontsize=1.35 * font, color=INK, fontweight="bold")
    handles, words = axes.get_legend_handles_labels()
    rows = -(-len(words) // 2)
    fill_figure(figure, axes, above=(0.28 + 0.17 * rows) * sheet.scale)
    high = float(figure.get_figheight())
    figure.legend(
        handles, words, loc="upper left", bbox_to_anchor=(0.02, 1.0 - 0.26 * sheet.scale / high), ncols=2,
        frameon=False, fontsize=font, labelcolor=INK, borderaxespad=0.0, columnspacing=1.4,
    )  # fmt: skip
    return figure


def _named_axes(points: Array, axes: Array, reach: float) -> list[tuple[Array, Array, str]]:
    """The arrows of axes: point, direction and names; axes of one point and direction share an arrow."""
    arrows: list[tuple[Array, Array, list[str]]] = []
    for k, (P, u) in enumerate(zip(points, axes, strict=True), start=1):
        same = (np.linalg.norm(P - at) < ZERO * reach and np.linalg.norm(u - way) < ZERO for at, way, _ in arrows)
        shared = next((arrow[2] for arrow, fits in zip(arrows, same, strict=True) if fits), None)
        if shared is None:
            arrows.append((P, u, [f"$u_{{{k}}}$"]))
        else:
            shared.append(f"$u_{{{k}}}$")
    return [(at, way, ", ".join(names)) for at, way, names in arrows]


class _SpacePicture:
    """Drawing functions for points, vectors and arrows in space.

    Args:
        axes: axes of ``projection="3d"``.
        sheet: fonts and lines.
        reach: size of the picture, in its unit.
    """

    def __init__(self, axes: Any, sheet: Sheet, reach: float) -> None:
        self.axes, self.sheet, self.reach = axes, sheet, reach

    def line(self, points: Array, colour: str, width: float, label: str | None = None, **style: object) -> None:
        """Draw a line that may extend beyond the square of its axes."""
        wide = width * self.sheet.size.line
        line = self.axes.plot(*points.T, color=colour, linewidth=wide, label=label, zorder=2, **style)[0]
        line.set_clip_on(False)

    def vector(self, begin: Array, end: Array, colour: str, dashes: str, label: str | None) -> None:
        """Draw a line from one point to another; none if they coincide, except for its label."""
        if float(np.linalg.norm(end - begin)) > ZERO * self.reach or label is not None:
            self.line(np.array([begin, end]), colour, 1.3, label, linestyle=dashes)

    def point(self, at: Array, mark: str, colour: str, label: str | None) -> None:
        """Draw a mark at a point."""
        line = self.axes.plot(
            *at[:, None], linestyle="none", marker=mark, markersize=0.5 * self.sheet.size.font, color=colour,
            markerfacecolor="white" if mark == "s" else colour, label=label, zorder=4,
        )[0]  # fmt: skip
        line.set_clip_on(False)

    def arrow(self, at: Array, direction: Array, colour: str, name: str, label: str | None) -> Array:
        """Draw an arrow with its name at the tip and return its ends, shape (2, 3)."""
        way = AXIS * self.reach * direction
        arrow = self.axes.quiver(
            *at,
            *way,
            color=colour,
            linewidth=1.2 * self.sheet.size.line,
            arrow_length_ratio=HEAD,
            label=label,
            zorder=3,
        )
        arrow.set_clip_on(False)
        end = at + 1.12 * way
        self.axes.text(
            *end, name, fontsize=1.15 * self.sheet.size.font, color=colour, ha="center", va="center", zorder=6
        )
        return np.array([at, at + 1.2 * way])

    def names(self, places: Sequence[tuple[Array, str]]) -> None:
        """Write the names of points next to them; points that coincide share one text."""
        shared: list[tuple[Array, list[str]]] = []
        for at, name in places:
            near = next((names for point, names in shared if np.linalg.norm(point - at) < ZERO * self.reach), None)
            if near is None:
                shared.append((at, [name]))
            else:
                near.append(name)
        for at, names in shared:
            self.axes.text(
                *(at + 0.02 * self.reach * np.array([-1.0, 0.0, 1.0])), ", ".join(names), fontsize=self.sheet.size.font,
                color=INK, ha="right", va="bottom", zorder=6, path_effects=HALO,
            )  # fmt: skip
