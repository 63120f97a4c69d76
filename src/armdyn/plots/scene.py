"""The picture of a moving arm: fixed axes, and parts that change from frame to frame."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.text import Text

from armdyn.base.errors import SettingError
from armdyn.plots.bodies import ShapeTriangles, corners_of, place_bodies
from armdyn.plots.drawing import FORWARD, fill_figure, frame_picture
from armdyn.plots.shaded_triangles import draw_to_measure
from armdyn.plots.stick_figure import SHORTEST, draw_arm, held_lines, stick_lines
from armdyn.plots.style import COLOURS, INK, new_figure
from armdyn.plots.surroundings import PlanePatch, draw_surfaces
from armdyn.plots.symbols import draw_solids
from armdyn.plots.thinning import box_around
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

DPI = 120.0
SIZE = (5.2, 5.0)
"""Width and height of the figure, inches."""

ABOVE = 0.45
"""Height above the axes for title, time and energies, inches."""

FARTHEST = 1e100
"""Largest coordinate in a picture in space, m, because squares of lengths are computed for it."""

GHOST = "#CFCFCF"
GHOST_OPACITY = 0.25
"""Opacity of the bodies of ghosts."""

MOST_EXTENTS = 50
"""Largest number of frames whose bodies determine the size of the axes."""

MARGIN_UCL = 0.2
"""Distance between UCL's outstretched arm and the frame of the picture, m."""

MATLAB = ("#0072BD", "#D95319", "#EDB120", "#7E2F8E", "#77AC30", "#4DBEEE", "#A2142F")
"""The colours of lines that MATLAB draws one after another."""


@dataclass(frozen=True, eq=False)
class Frames:
    """The displayed states.

    Args:
        t: times, s, shape (frames,).
        q: joint positions, rad or m, shape (frames, arms, n).
        energy: kinetic and potential energy, J, shape (frames,) each; None for a batch.
        indices: index in the batch of the motion of each arm.
        pace: text on the speed, printed next to the time.
    """

    t: Array
    q: Array
    energy: tuple[Array, Array] | None
    indices: tuple[tuple[int, ...], ...]
    pace: str = ""


@dataclass(frozen=True, eq=False)
class FramePaths:
    """The paths of frames of the robot, by name: times, s, shape (T,), and positions, m, shape (T, arms, names, 3)."""

    names: tuple[str, ...]
    t: Array
    points: Array


@dataclass(frozen=True, eq=False)
class Look:
    """Plane directions, (3, 2), or None in space; elevation and azimuth, degrees; ghosts; heading; planes; bodies."""

    plane: Array | None
    view: tuple[float, ...] | None
    ghosts: int
    title: str
    surfaces: tuple[PlanePatch, ...] = ()
    bodies: tuple[ShapeTriangles, ...] = ()


class Scene:
    """A figure with axes that contain the whole motion; `show` draws the arm in one frame."""

    def __init__(self, robot: Robot, frames: Frames, trace: FramePaths | None, look: Look) -> None:
        self.robot, self.frames, self.trace, self.look = robot, frames, trace, look
        flat = look.plane is not None
        self.figure = new_figure(*SIZE, constrained=flat)
        self.figure.set_dpi(DPI)
        self.axes: Any = self.figure.add_subplot() if flat else self.figure.add_subplot(projection="3d")
        self._passing: list[Any] = []
        self._bodies = look.bodies if _is_whole(robot, look.bodies) else ()
        self._boxes = [replace(body, triangles=box_around(body.triangles)) for body in self._bodies]
        self._words: list[Text] = []
        self._prepare()
        self._ways: list[Line2D] = (
            [] if trace is None else [self._way(arm) for arm in range(frames.q.shape[1]) for _ in trace.names]
        )

    def show(self, frame: int) -> None:
        """Draw the arms, their traces and the title of one frame."""
        for line in self._passing:
            line.remove()
        self._passing = []
        for arm, q in enumerate(self.frames.q[frame]):
            if np.isfinite(q).all():
                self._passing += self._draw(q, self._colour(arm))
        for number, way in enumerate(self._ways):
            self._draw_way(way, self._places_until(frame, number))
        self._say(frame)

    def images(self, frames: Iterable[int]) -> Iterator[Array]:
        """The pixels of frames one after another, RGBA bytes, shape (height, width, 4), valid until the next.

        Fixed parts are drawn once, and changing parts over a copy of them, several times faster than the whole figure.
        """
        canvas: Any = self.figure.canvas
        changing = [*self._passing, *self._ways, *self._words]
        for artist in changing:
            artist.set_visible(False)
        canvas.draw()
        still = canvas.copy_from_bbox(self.figure.bbox)
        for artist in changing:
            artist.set_visible(True)
        for frame in frames:
            self.show(frame)
            canvas.restore_region(still)
            for artist in sorted([*self._passing, *self._ways, *self._words], key=lambda each: each.get_zorder()):
                artist.draw(canvas.get_renderer())
            yield np.asarray(canvas.buffer_rgba())

    # Content of the axes

    def _points(self) -> Array:
        """All points of the drawing, (points, 3)."""
        states = [q for q in self.frames.q.reshape(-1, self.robot.dof) if np.isfinite(q).all()]
        if not states:
            raise SettingError("no frame has a finite state; nothing can be drawn")
        points = [line for q in states for line in _lines(self.robot, q)]
        for q in states[:: -(-len(states) // MOST_EXTENTS)] if self._bodies else ():
            points += corners_of(self._boxes, self._poses(q))
        if self.trace is not None:
            points.append(self.trace.points.reshape(-1, 3))
        flat = self.look.plane is not None
        points += [one.centre[None] if flat else one.corners for one in self.look.surfaces]
        places = np.concatenate(points)
        finite: Array = places[np.isfinite(places).all(axis=1)]
        if (farthest := float(np.abs(finite).max(initial=0.0))) > FARTHEST:
            raise SettingError(
                f"the motion goes {farthest:.3g} m away, farther than a picture shows; animate what was before, as of "
                "trajectory.between(0, 0.5), or of a batch other motions="
            )
        return finite

    def _prepare(self) -> None:
        """Create fixed axes around the whole motion, the heading, ghosts and legend."""
        plane, view = self.look.plane, self.look.view
        eye = None if view is None else (view[0], view[1])
        points = self._points()
        frame_picture(self.axes, points if plane is None else points @ plane, plane, eye)
        draw_surfaces(self.axes, self.look.surfaces, plane)
        self._draw_ghosts()
        self._settle()
        self._words = list(self._heading())
        self._legend()

    def _settle(self) -> None:
        """Set the final position of the axes, below the heading."""
        engine = self.figure.get_layout_engine()
        if isinstance(engine, ConstrainedLayoutEngine):
            engine.set(rect=(0.0, 0.0, 1.0, 1.0 - ABOVE / self.figure.get_figheight()))
            draw_to_measure(self.figure)
            self.figure.set_layout_engine("none")
        else:
            fill_figure(self.figure, self.axes, above=ABOVE)

    def _heading(self) -> Iterator[Text]:
        """The title, and the texts that each frame updates, each at a fixed position, so that nothing jumps."""
        high = self.figure.get_figheight()
        style: dict[str, Any] = {"color": INK, "ha": "left", "va": "top"}
        title = self.look.title.replace("$", r"\$")
        self.figure.text(0.03, 1.0 - 0.08 / high, title, fontsize=11, fontweight="bold", **style)
        self.figure.text(0.97, 1.0 - 0.1 / high, self.frames.pace, fontsize=8, **{**style, "ha": "right"})
        for x in (0.03, 0.22, 0.45, 0.70):
            yield self.figure.text(x, 1.0 - 0.31 / high, "", fontsize=8, **style)

    def _legend(self) -> None:
        """Draw the legend of the motions of a batch, in the line of the time."""
        handles = [
            Line2D([], [], color=self._colour(arm), linewidth=2.5, label=",".join(map(str, index)))
            for arm, index in enumerate(self.frames.indices)
            if index
        ]
        if handles:
            self.figure.legend(
                handles=handles, loc="upper right", bbox_to_anchor=(0.98, 1.0 - 0.28 / self.figure.get_figheight()),
                ncols=len(handles), frameon=False, fontsize=7, handlelength=0.9, handletextpad=0.4, columnspacing=0.9,
                borderpad=0.0, borderaxespad=0.0, labelcolor=INK,
            )  # fmt: skip

    # Changing parts

    def _colour(self, arm: int) -> str:
        return INK if len(self.frames.indices) == 1 else COLOURS[arm]

    def _draw(self, q: Array, colour: str) -> list[Any]:
        """Draw an arm in one state and return its artists: its bodies, or lines if links have none."""
        drawn = len(self.axes.lines)
        if self._bodies:
            alpha = GHOST_OPACITY if colour == GHOST else 1.0
            solids = place_bodies(self._bodies, self._poses(q))
            return [draw_solids(self.axes, *solids, self.look.plane, alpha=alpha, z=1.0)]
        draw_arm(self.axes, self.robot, q, plane=self.look.plane, colour=colour)
        return list(self.axes.lines[drawn:])

    def _poses(self, q: Array) -> dict[str, Array]:
        return dict(zip(self.robot.link_names, self.robot.link_poses(q), strict=True))

    def _draw_ghosts(self) -> None:
        """Draw the ghost poses, below everything else."""
        for frame in np.linspace(0, len(self.frames.t) - 1, self.look.ghosts).round().astype(int):
            for q in self.frames.q[frame]:
                if np.isfinite(q).all():
                    for artist in self._draw(q, GHOST):
                        artist.set_zorder(0.2)

    def _way(self, arm: int) -> Line2D:
        """A line for a trace."""
        nowhere = np.empty((3 if self.look.plane is None else 2, 0))
        colour = FORWARD if len(self.frames.indices) == 1 else COLOURS[arm]
        line: Line2D = self.axes.plot(*nowhere, color=colour, linewidth=1.1, alpha=0.8, zorder=1.5)[0]
        line.set_clip_on(self.look.plane is not None)
        return line

    def _places_until(self, frame: int, number: int) -> Array:
        """The path of one frame of one arm up to the present time, m, (points, 3)."""
        trace, now = self.trace, self.frames.t[frame]
        assert trace is not None  # noqa: S101 - without one there are no ways
        arm, name = divmod(number, len(trace.names))
        before = trace.points[trace.t < now, arm, name]
        T = self.robot.forward_kinematics(self.frames.q[frame, arm], frame=trace.names[name])
        return np.concatenate([before, T[None, :3, 3]])

    def _draw_way(self, line: Any, places: Array) -> None:
        if self.look.plane is None:
            line.set_data_3d(*places.T)
        else:
            line.set_data(*(places @ self.look.plane).T)

    def _say(self, frame: int) -> None:
        for text, word in zip(self._words, self._status(frame), strict=False):
            text.set_text(word)

    def _status(self, frame: int) -> Iterator[str]:
        """The time, and the energies of a single motion."""
        t = self.frames.t
        apart = float(np.diff(t).min()) if len(t) > 1 else 1.0
        yield f"t = {t[frame]:.{min(max(2, math.ceil(-math.log10(apart) - 1e-6)), 9)}f} s"
        if self.frames.energy is not None:
            kinetic, potential = self.frames.energy
            total = kinetic + potential
            decimals = _decimals(np.abs([kinetic, potential, total]))
            for name, values in (("kinetic", kinetic), ("potential", potential), ("total", total)):
                text = f"{round(float(values[frame]), decimals) + 0.0:.{decimals}f}".replace("-", "\u2212")
                yield f"{name} {text} J"


class UclScene(Scene):
    """A scene in the style of the UCL lecture's program: thin lines in MATLAB's colours, fixed axes, no text."""

    def _prepare(self) -> None:
        states = self.frames.q.reshape(-1, self.robot.dof)
        reach = max(
            sum(float(np.linalg.norm(piece[1] - piece[0])) for piece in _pieces(self.robot, q))
            for q in states
            if np.isfinite(q).all()
        )
        self.axes.set_xlim(-reach - MARGIN_UCL, reach + MARGIN_UCL)
        self.axes.set_ylim(-reach - MARGIN_UCL, reach + MARGIN_UCL)
        self.axes.set_aspect("equal")
        self.axes.tick_params(direction="in", top=True, right=True, labelsize=8)
        self._draw_ghosts()
        self.figure.canvas.draw()
        self.figure.set_layout_engine("none")

    def _draw(self, q: Array, colour: str) -> list[Any]:
        assert self.look.plane is not None  # noqa: S101 - spatial arms are refused
        drawn = len(self.axes.lines)
        for k, piece in enumerate(_pieces(self.robot, q)):
            of_link = colour if colour == GHOST else MATLAB[k % len(MATLAB)]
            self.axes.plot(*(piece @ self.look.plane).T, color=of_link, linewidth=1.0)
        return list(self.axes.lines[drawn:])


def _is_whole(robot: Robot, looks: tuple[ShapeTriangles, ...]) -> bool:
    """Return True if every moving link with a mass has a body; otherwise parts of the arm would be missing."""
    with_body = {body.link for body in looks}
    return all(
        joint.child in with_body
        for joint, link in zip(robot.model.joints, robot.model.links[1:], strict=True)
        if link.inertia.mass > 0.0
    )


def _lines(robot: Robot, q: Array) -> list[Array]:
    return [*stick_lines(robot, q), *held_lines(robot, q)]


def _pieces(robot: Robot, q: Array) -> list[Array]:
    """The links as lines from joint to joint or to the tip, shape (2, 3) each."""
    pieces = [line[k : k + 2] for line in _lines(robot, q) for k in range(len(line) - 1)]
    return [piece for piece in pieces if np.abs(np.diff(piece, axis=0)).max() > SHORTEST]


def _decimals(values: Array) -> int:
    """The number of decimals with which the largest value has three digits."""
    largest = float(values[np.isfinite(values)].max(initial=0.0))
    return 2 if largest == 0.0 else min(max(2 - math.floor(math.log10(largest)), 0), 9)
