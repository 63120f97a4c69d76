"""A picture of a robot: links with their shapes, joints with their kinds and axes, frames, the tip."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d import proj3d  # type: ignore[import-untyped]
from numpy.typing import ArrayLike

from armdyn.base.checks import array, number, switch
from armdyn.plots.bodies import ShapeTriangles, bodies, corners_of, place_bodies
from armdyn.plots.configurations import shown_configurations
from armdyn.plots.drawing import fill_figure, frame_picture
from armdyn.plots.joint_places import symbol_centres
from armdyn.plots.leaders import GAP, LINE, PointLabel, column_width, draw_labels
from armdyn.plots.plane import plane_of_motion
from armdyn.plots.shaded_triangles import draw_to_measure
from armdyn.plots.stick_figure import held_lines, stick_lines
from armdyn.plots.style import INK, PictureError, new_figure, write_figure
from armdyn.plots.symbols import JOINT_COLOURS, LENGTH, along, draw_line, draw_solids, draw_triad, symbol
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

WIDTH = 5.2
"""Width of the picture without its labels, inches."""

ABOVE = 0.5
MARGIN = 0.12
AROUND = 0.02
"""Distance between a line and a text in front of it, inches."""

GHOST = "#9DA3AA"
AXIS = 2.2
"""The length of the line along a joint's axis, by the length of its symbol."""

SMALLEST = 1e-6
"""Sizes below this, m, of robots all of whose frames coincide, are replaced by 1 m."""


@dataclass(frozen=True, eq=False)
class _Pose:
    """One configuration: q, and the pose of every link in base axes, by its name."""

    q: Array
    links: dict[str, Array]

    @classmethod
    def of(cls, robot: Robot, q: Array) -> _Pose:
        return cls(q, dict(zip(robot.link_names, robot.link_poses(q), strict=True)))


def plot(
    robot: Robot,
    q: ArrayLike | None = None,
    path: str | os.PathLike[str] | None = None,
    *,
    meshes: bool = True,
    frames: Iterable[str] = (),
    labels: bool = True,
    view: tuple[float, float] = (24.0, -58.0),
    width: float = WIDTH,
    title: str | None = None,
    ax: Axes | None = None,
) -> Figure:
    """A picture of the robot as a matplotlib Figure: links with their shapes, joints with kinds and axes, base, tip.

    Planar arms are drawn in their plane, with gravity downwards, others in space, with equal scales. Drums are revolute
    joints, blocks are prismatic joints. Shapes and meshes of the description are drawn around the lines of the links;
    for meshes that cannot be opened, the line below the picture gives the reason.

    Args:
        q: joint positions, rad or m, shape (n,); or several configurations, shape (k, n), of which the last is drawn
            and the others are ghosts. Zero if not given.
            path: path of a file to write; its extension selects the format (png, pdf, svg).
            meshes: True to draw shapes and meshes of the description.
        frames: names of further frames to draw, in addition to base and tip.
        labels: True to print names of joints, frames and tip next to the picture.
        view: elevation and azimuth of the eye, degrees, of a spatial arm.
        width: width of the picture without its labels, inches.
        title: title above the picture; by default the robot's name.
        ax: existing axes to draw into, of ``projection="3d"`` for a spatial arm; without labels and title.

    Raises:
        ShapeError: q of other joints.
        UnknownName: a frame that the robot does not have.
        PictureError: plane axes for a spatial arm; a file that cannot be written.

    >>> figure = armdyn.load("ur5").plot([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])
    >>> figure.axes[0].get_zlabel()
    'z [m]'
    """
    poses = [_Pose.of(robot, each) for each in shown_configurations(robot, q, PictureError)]
    eye: Any = tuple(array("view", view, (2,), "degrees").tolist())
    wide = number("width", width, above=0.0, unit="inches")
    scene = _Scene(robot, poses, plane_of_motion(robot), [robot.model.frame(name).name for name in frames])
    looks, notes = bodies(robot.model) if switch("meshes", meshes) else ([], [])
    if ax is not None:
        figure = _into(ax, scene, looks, eye)
    else:
        figure = _new_figure(
            scene, looks, notes, eye, wide, robot.name if title is None else title, switch("labels", labels)
        )
    if path is not None:
        write_figure(figure, path)
    return figure


def _into(ax: Axes, scene: _Scene, looks: list[ShapeTriangles], eye: tuple[float, float]) -> Figure:
    """Draw into existing axes."""
    spatial = hasattr(ax, "get_zlim")
    if spatial == (scene.plane is not None):
        kind = 'projection="3d"' if scene.plane is None else "no projection"
        raise PictureError(f"the axes given do not fit {scene.robot.name!r}: expected axes of {kind}")
    points = scene.draw(ax, looks)
    frame_picture(ax, points, scene.plane, eye)
    return ax.get_figure(root=True)  # type: ignore[return-value]


def _new_figure(
    scene: _Scene,
    looks: list[ShapeTriangles],
    notes: list[str],
    eye: tuple[float, float],
    width: float,
    title: str,
    labels: bool,
) -> Figure:
    """A new figure, with a title, labels in a column and notes below."""
    flat = scene.plane is not None
    figure = new_figure(width, width, constrained=flat)
    axes: Any = figure.add_subplot() if flat else figure.add_subplot(projection="3d")
    points = scene.draw(axes, looks)
    frame_picture(axes, points, scene.plane, eye)
    below = 0.16 * len(notes)
    if flat:
        _settle_flat(figure, axes, width)
    else:
        fill_figure(figure, axes, above=0.0)
    _move(figure, axes, wider=0.0, above=ABOVE, below=below)
    named = [scene.label(axes, figure, *each) for each in scene.named()] if labels else []
    if named:
        _label(figure, axes, named, width, below)
    high = float(figure.get_figheight())
    plain = title.replace("$", r"\$")
    margin = MARGIN / float(figure.get_figwidth())
    figure.text(margin, 1.0 - 0.1 / high, plain, fontsize=11, fontweight="bold", color=INK, va="top")
    for k, note in enumerate(notes):
        figure.text(
            margin, (0.06 + 0.16 * k) / high, note.replace("$", r"\$"), fontsize=7, color="#666666", va="bottom"
        )
    return figure


def _label(figure: Figure, axes: object, named: list[PointLabel], width: float, below: float) -> None:
    """Make room for the column of labels, and draw it."""
    needed = LINE * len(named) + ABOVE + below + 2.0 * MARGIN
    lacking = max(needed - float(figure.get_figheight()), 0.0)
    _move(
        figure, axes, wider=GAP + 1.05 * column_width(figure, named) + MARGIN, above=lacking / 2.0, below=lacking / 2.0
    )
    moved = [PointLabel(one.name, one.below, (one.anchor[0], one.anchor[1] + lacking / 2.0)) for one in named]
    top = float(figure.get_figheight()) - ABOVE
    draw_labels(figure, moved, width + GAP, below + MARGIN, top, _texts(figure, axes))


def _texts(figure: Figure, axes: Any) -> list[Array]:
    """The rectangles around the numbers and names of the axes, inches."""
    draw_to_measure(figure)
    texts = []
    for axis in (axes.xaxis, axes.yaxis, *([axes.zaxis] if hasattr(axes, "zaxis") else [])):
        low, high = sorted(axis.get_view_interval())
        texts += [axis.label, *(tick.label1 for tick in axis.majorTicks if low <= tick.get_loc() <= high)]
    boxes = [np.array(text.get_window_extent().get_points()) / figure.dpi for text in texts if text.get_text()]
    return [box + np.array([[-AROUND, -AROUND], [AROUND, AROUND]]) for box in boxes]


def _settle_flat(figure: Figure, axes: Any, width: float) -> None:
    """Fix plane axes at the position set by the layout, and set the height of the figure to their height."""
    draw_to_measure(figure)
    figure.set_layout_engine("none")
    low, high = np.array(axes.get_tightbbox().get_points()) / figure.dpi
    box = axes.get_position(original=False)
    bottom = box.y0 * width - low[1] + MARGIN
    height = high[1] - low[1] + 2.0 * MARGIN
    figure.set_size_inches(width, height)
    axes.set_position((box.x0, bottom / height, box.width, box.height * width / height))


def _move(figure: Figure, axes: Any, *, wider: float, above: float, below: float) -> None:
    """Add inches to a figure on the right, above and below, without changing the size of its axes."""
    width, height = map(float, figure.get_size_inches())
    box = axes.get_position(original=True)
    x, y, w, h = box.x0 * width, box.y0 * height + below, box.width * width, box.height * height
    figure.set_size_inches(width + wider, height + above + below)
    width, height = map(float, figure.get_size_inches())
    axes.set_position((x / width, y / height, w / width, h / height))


class _Scene:
    """The lines, solids and frames of a robot in its configurations."""

    def __init__(self, robot: Robot, poses: list[_Pose], plane: Array | None, frames: list[str]) -> None:
        self.robot, self.poses, self.plane = robot, poses, plane
        self.now = poses[-1]
        tip = [] if robot.tip is None else [robot.tip]
        self.frames = list(dict.fromkeys([robot.model.base, *tip, *frames]))
        points = np.concatenate([line for pose in poses for line in self._lines(pose)])
        reach = float(np.linalg.norm(np.ptp(points, axis=0)))
        self.size = reach if reach > SMALLEST else 1.0
        self.points = points

    def _lines(self, pose: _Pose) -> list[Array]:
        return [*stick_lines(self.robot, pose.q), *held_lines(self.robot, pose.q)]

    def draw(self, axes: Any, looks: list[ShapeTriangles]) -> Array:
        """Draw everything and return the points that the axes must contain, (points, 2) or (points, 3)."""
        if self.plane is None:
            axes.computed_zorder = False
        points = [self.points, *self._symbols()]
        for pose in self.poses[:-1]:
            points += self._draw_looks(axes, looks, pose, alpha=0.16, z=0.5)
            self._draw_lines(axes, pose, GHOST, width=1.6, z=1.0)
        points += self._draw_looks(axes, looks, self.now, alpha=1.0 if self.plane is None else 0.5, z=2.0)
        self._draw_axes(axes)
        self._draw_lines(axes, self.now, INK, width=2.2, z=4.0)
        self._draw_joints(axes)
        for name in self.frames:
            T = self._frame(name)
            draw_triad(axes, T, self.size, self.plane, z=6.0)
            points.append(T[:3, 3] + 0.12 * self.size * np.vstack([T[:3, :3].T, np.zeros(3)]))
        everything = np.concatenate(points)
        return everything if self.plane is None else everything @ self.plane

    def _frame(self, name: str) -> Array:
        """A frame's pose from that of its link, because then no function is compiled per frame."""
        frame = self.robot.model.frame(name)
        return self.now.links[frame.link] @ frame.pose

    def _draw_lines(self, axes: object, pose: _Pose, colour: str, *, width: float, z: float) -> None:
        around = [patheffects.withStroke(linewidth=width + 1.2, foreground="white", alpha=0.6)]  # on dark links too
        for line in self._lines(pose):
            style: dict[str, object] = {"solid_capstyle": "round", "zorder": z, "path_effects": around}
            draw_line(axes, line, self.plane, color=colour, linewidth=width, **style)

    def _draw_looks(
        self, axes: object, looks: list[ShapeTriangles], pose: _Pose, *, alpha: float, z: float
    ) -> list[Array]:
        """Draw the shapes of the links and return the corners of their bounding boxes."""
        draw_solids(axes, *place_bodies(looks, pose.links), self.plane, alpha=alpha, z=z)
        return corners_of(looks, pose.links)

    def _places(self) -> list[tuple[Any, Array, Array, Array]]:
        """Every joint with its origin, its axis and the centre of its symbol in base axes."""
        joints = self.robot.model.joints
        poses = [self.now.links[joint.child] for joint in joints]
        origins = [T[:3, 3] for T in poses]
        axes = [T[:3, :3] @ joint.axis for joint, T in zip(joints, poses, strict=True)]
        centres = symbol_centres(origins, axes, LENGTH * self.size)
        return list(zip(joints, origins, axes, centres, strict=True))

    def _draw_axes(self, axes: object) -> None:
        dashes = (0, (6, 2, 1, 2))
        for joint, origin, axis, centre in self._places():
            reach = 0.5 * AXIS * LENGTH * self.size
            steps = [float(axis @ (centre - origin)), 0.0]  # from the origin past the symbol
            ends = origin + np.outer([min(steps) - reach, max(steps) + reach], axis)
            style: dict[str, object] = {"color": JOINT_COLOURS[joint.kind], "linestyle": dashes}
            draw_line(axes, ends, self.plane, linewidth=0.8, zorder=3, **style)

    def _symbols(self) -> list[Array]:
        """The corners of all joints' symbols, (points, 3) each."""
        place_bodies = [
            symbol(joint.kind, self.size) @ along(axis).T + centre for joint, _, axis, centre in self._places()
        ]
        return [triangles.reshape(-1, 3) for triangles in place_bodies]

    def _draw_joints(self, axes: object) -> None:
        solids = [corners.reshape(-1, 3, 3) for corners in self._symbols()]
        kinds = [np.array(to_rgb(JOINT_COLOURS[joint.kind])) for joint, *_ in self._places()]
        colours = [np.tile(colour, (len(triangles), 1)) for triangles, colour in zip(solids, kinds, strict=True)]
        draw_solids(axes, np.concatenate(solids), np.concatenate(colours), self.plane, alpha=1.0, z=5.0)

    def named(self) -> list[tuple[str, str, Array]]:
        """The labels: a name, the text below it, and the labelled point in base axes, m."""
        positions = self.robot.joint_positions(self.now.q)
        result = []
        for k, ((joint, *_, centre), value) in enumerate(zip(self._places(), positions, strict=True)):
            text = f"{math.degrees(value):.4g}\u00b0" if joint.kind == "revolute" else f"{value:.4g} m"
            result.append((f"{k} {joint.name}", f"{joint.kind}, at {text.replace('-', chr(0x2212))}", centre))
        for name in self.frames:
            kind = "base" if name == self.robot.model.base else "tip" if name == self.robot.tip else "frame"
            at = ", ".join(f"{x:.3f}" for x in self._frame(name)[:3, 3] + 0.0)
            result.append((name, f"{kind}, at ({at}) m".replace("-", "\u2212"), self._frame(name)[:3, 3]))
        return result

    def label(self, axes: Any, figure: Figure, name: str, below: str, place: Array) -> PointLabel:
        """A label with its labelled point in the figure, inches."""
        if self.plane is None:
            x, y, _ = proj3d.proj_transform(*place, axes.get_proj())
        else:
            x, y = place @ self.plane
        at = axes.transData.transform((x, y)) / figure.dpi
        return PointLabel(name, below, (float(at[0]), float(at[1])))
