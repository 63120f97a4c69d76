"""A robot in a view: its arms in the scene, its controls, its motion and its stream."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.base.errors import ArmdynError
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array
from armdyn.viewer.arm import DrawnArm
from armdyn.viewer.curves import Curves, History, curves_of
from armdyn.viewer.numbers import Now, explained, numbers_html, status_html
from armdyn.viewer.panels.curves import CurvesPanel
from armdyn.viewer.panels.joints import JointPanel, heading
from armdyn.viewer.recording import Recording
from armdyn.viewer.screen_arm import ScreenArm, Show
from armdyn.viewer.stream_lines import StreamState
from armdyn.viewer.trace import TipTrace, trace_of

GHOST = 0.22
"""The opacity of ghosts."""

MEASURED = (0.0, 0.62, 0.45)
"""The colour of the streamed arm, drawn together with the model."""

OTHERS = ((0.0, 0.45, 0.70), (0.84, 0.37, 0.0), (0.80, 0.47, 0.65), (0.90, 0.62, 0.0), (0.34, 0.71, 0.91))
"""The colours of the further motions of a batch."""


@dataclass(frozen=True, eq=False)
class RobotEntry:
    """A robot to be shown.

    Args:
        arm: its look and the pose of its base.
        q: its configuration, rad or m, shape (n,).
        ghosts: further configurations that are drawn once, rad or m, shape (k, n).
        recordings: recordings of its motion; those after the first move as ghosts.
        streamed: True if a stream moves it.
    """

    arm: DrawnArm
    q: Array
    ghosts: Array
    recordings: Sequence[Recording] = ()
    streamed: bool = False


class ShownRobot:
    """A robot in the scene of a viser server, with its controls.

    Args:
        server: the viser server.
        entry: the robot to be shown.
        show: its visible parts.
    """

    def __init__(self, server: Any, entry: RobotEntry, show: Show) -> None:
        self.robot: Robot = entry.arm.robot
        self.entry, self._gui = entry, server.gui
        self.lock = threading.RLock()
        self.q = np.array(entry.q, dtype=float)
        self.problem, self.load, self.follows = "", 0.0, entry.streamed
        self.stale = True
        self._state: StreamState | None = None
        self._recorded: Now | None = None
        self.arm = ScreenArm(server.scene, entry.arm, self.q, show)
        self.ghosts = [self._ghost(server, f"ghost {k}", q, None, show) for k, q in enumerate(entry.ghosts)]
        self.recordings = [recording.completed(self.robot) for recording in entry.recordings[:1]]
        self.recordings += entry.recordings[1:]
        self.moving = [
            self._ghost(server, f"motion {k + 1}", recording.q[0], OTHERS[k % len(OTHERS)], show)
            for k, recording in enumerate(entry.recordings[1:])
        ]
        self.measured = self._ghost(server, "measured", self.q, MEASURED, show) if entry.streamed else None
        if self.measured is not None:
            self.measured.set_visible(False)
        self._trace = TipTrace(entry.arm.size)
        self.history = History(self.robot)
        other = self.recordings[1].completed(self.robot) if len(self.recordings) == 2 else None
        self._curves: list[Curves] = curves_of(self.robot, self.recordings[0], other) if self.recordings else []
        if self.recordings:
            self.arm.trace(trace_of(self.robot, self.recordings[0]))

    def _ghost(
        self, server: Any, name: str, q: Array, colour: tuple[float, float, float] | None, show: Show
    ) -> ScreenArm:
        arm = self.entry.arm
        ghost = DrawnArm(
            self.robot, f"{arm.name} {name}", arm.looks, arm.base, colour, GHOST if colour is None else 0.4, arm.length
        )
        return ScreenArm(server.scene, ghost, q, show)

    @property
    def arms(self) -> list[ScreenArm]:
        """All arms drawn for the robot: model, ghosts and further motions."""
        return [self.arm, *self.ghosts, *self.moving, *([self.measured] if self.measured else [])]

    @property
    def reached(self) -> Array:
        """The origins of links and the tip at some moments of its motions, in axes of its own base, m, shape (k, 3)."""
        moments = [recording.moments() for recording in self.recordings]
        origins = [np.asarray(self.robot.link_poses(q))[..., :3, 3].reshape(-1, 3) for q in moments]
        if self.robot.tip is not None:
            origins += [np.asarray(self.robot.forward_kinematics(q))[..., :3, 3] for q in moments]
        points: Array = np.concatenate([np.empty((0, 3)), *origins])
        finite: Array = points[np.isfinite(points).all(axis=1)]
        return finite

    # Controls.

    def add_controls(self) -> None:
        """Add its controls to the current folder of the server's GUI."""
        gui = self._gui
        with gui.add_folder(heading(self.robot)):
            if self.entry.streamed:
                self.follow_box = gui.add_checkbox("Follow the stream", True)
                self.follow_box.on_update(self.follow_chosen)
            reached = np.concatenate([self.q[None], *(recording.q for recording in self.recordings)])
            self.joints = JointPanel(gui, self.robot, self.q, reached, self.moved, self.lock)
            self.joints.enable(not self.follows)
        with gui.add_folder("Numbers"):
            self.numbers = gui.add_html("")
            if self.robot.tip is not None and not self.recordings:
                self.load_box = gui.add_number("Load at the tip, kg", 0.0, min=0.0, max=1e6, step=0.1)
                self.load_box.on_update(self.load_chosen)
        self._plots_folder = gui.add_folder("Torque and energy", visible=bool(self._curves))
        self.plots: list[CurvesPanel] = []
        with self._plots_folder:
            self.plots = [CurvesPanel(gui, curves) for curves in self._curves]
        self.refresh()

    def moved(self, q: Array, joint: str) -> None:
        """Handle a slider moved by a user."""
        with self.lock:
            if self.follows:
                return
            self.place(q, joint=joint)

    def load_chosen(self, _: object = None) -> None:
        """Handle a load chosen by a user."""
        self.load, self.stale = max(float(self.load_box.value), 0.0), True

    def follow_chosen(self, _: object = None) -> None:
        """Let the model follow the stream, or be moved by the sliders independently of it."""
        with self.lock:
            self.follows = bool(self.follow_box.value)
            if self.measured is not None:
                self.measured.set_visible(not self.follows)
            self.joints.enable(not self.follows)
            self.stale = True

    # Configurations.

    def place(self, q: Array, *, joint: str = "") -> None:
        """Move the arm to a configuration, rad or m, shape (n,); loops are closed, with joint ``joint`` fixed."""
        with self.lock:
            self._recorded = self._state = None
            try:
                self.q, self.problem = closed(self.robot, q, joint), ""
            except ArmdynError as error:
                self.problem = explained(error)
            self._draw(self.q)

    def _draw(self, q: Array) -> None:
        self.q = np.array(q)
        drawn = self.arm.draw(self.q)
        if hasattr(self, "joints"):
            self.joints.set(self.q)
        if (
            not self.recordings
            and drawn.tip is not None
            and self.arm.show_what.trace
            and self._trace.add(drawn.tip[:3, 3])
        ):
            self.arm.trace(self._trace.points)
        self.stale = True

    def play_at(self, t: float) -> None:
        """Move the arm, and those of its other motions, to their configurations at a time, s."""
        with self.lock:
            first, *others = self.recordings
            parts: dict[str, Any] = {}
            for name in ("qd", "tau"):
                values = getattr(first, name)
                parts[name] = None if values is None else first.at(t, values)
            for name in ("kinetic", "potential"):
                values = getattr(first, name)
                parts[name] = None if values is None else float(first.at(t, values))
            q = first.at(t)
            self._recorded = Now(q, tau_of=first.tau_of, **parts)
            self._draw(q)
            for arm, recording in zip(self.moving, others, strict=True):
                arm.draw(recording.at(t))

    def receive(self, t: float, state: StreamState) -> None:
        """Show a state of the stream, received at a time, s."""
        with self.lock:
            self.history.add(t, Now(state.q, qd=state.qd, tau=state.tau))
            if self.measured is not None and not self.follows:
                self.measured.draw(state.q)
                return
            self._state, self._recorded = state, None
            self._draw(state.q)

    def clear_trace(self) -> None:
        """Clear the path of the tip."""
        with self.lock:
            self._trace.clear()
            if not self.recordings:
                self.arm.trace(self._trace.points)

    # Numbers and curves.

    def now(self) -> Now:
        """The state whose numbers are shown."""
        if self._recorded is not None:
            return self._recorded
        if self._state is not None:
            state = self._state
            return Now(state.q, qd=state.qd, tau=state.tau, tau_of="measured", load=self.load)
        return Now(self.q, load=self.load)

    def refresh(self) -> None:
        """Show the numbers of the present state."""
        with self.lock:
            self.stale = False
            texts = [each for each in (self.problem, self.arm.problem) if each]
            self.numbers.content = numbers_html(self.robot, self.now()) + status_html(texts)

    def refresh_curves(self, t: float | None) -> None:
        """Draw the curves up to a time of the motion, s, or those of the stream."""
        with self.lock:
            curves = [each.until(t) for each in self._curves] if t is not None else self.history.curves()
            if not curves:
                return
            if [each.names for each in curves] != [plot.names for plot in self.plots]:
                for plot in self.plots:
                    plot.remove()
                with self._plots_folder:
                    self.plots = [CurvesPanel(self._gui, each, full=True) for each in curves]
                self._plots_folder.visible = True
            for plot, each in zip(self.plots, curves, strict=True):
                plot.draw(each)


def closed(robot: Robot, q: Array, joint: str = "") -> Array:
    """A configuration of a robot near q, at which its loops are closed; q itself if it has none.

    Args:
        robot: robot with or without holonomic constraints.
        q: joint positions, rad or m, shape (n,).
        joint: name of a joint that keeps its position; "" for none.

    Raises:
        OpenLoop: the loops cannot be closed near q.
    """
    if not any(row.holonomic for row in robot.constraint_rows):
        return np.array(q)
    result: Array = robot.close_loop(q, locked=[joint] if joint else [], tolerance=1e-8)
    return result
