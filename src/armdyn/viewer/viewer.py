"""A view of robots in the browser: the object that scripts, notebooks and the command line use."""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
import time
from collections.abc import Callable, Collection, Sequence
from html import escape
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import joint_array, number, whole_number
from armdyn.base.errors import UnknownName
from armdyn.base.writing import write_bytes
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array
from armdyn.viewer.errors import ViewerError
from armdyn.viewer.film import film_of, seen_by
from armdyn.viewer.framing import camera_around
from armdyn.viewer.numbers import status_html
from armdyn.viewer.origins import Guard, checked_origins
from armdyn.viewer.panels.camera import CameraPanel, distance_of
from armdyn.viewer.panels.playing import PlayPanel
from armdyn.viewer.panels.showing import ShowPanel
from armdyn.viewer.pictures import ENDINGS, MOST_PIXELS, checked, screenshot, write_png
from armdyn.viewer.playback import Playback
from armdyn.viewer.screen_arm import Show
from armdyn.viewer.server import address_of, open_browser, start, stop
from armdyn.viewer.shown_robot import RobotEntry, ShownRobot
from armdyn.viewer.sources import LineSource
from armdyn.viewer.stream_lines import LineReader, StreamState, complaint
from armdyn.viewer.tab import name_tab, page_html

TICK = 1.0 / 30.0
"""Time between two frames of a motion, s."""

NUMBERS_EVERY, CURVES_EVERY = 0.1, 0.2
"""Time between two updates of numbers and of curves, s."""

TELL_EVERY = 5.0
"""Time between two messages on skipped lines, s."""

MOST_SENDERS = 100
"""Largest number of senders of a stream whose headers and line counts are stored."""

FPS = 25.0
"""Frames per second in files."""

ASIDE = 0.25
"""Distance of the camera's target from the middle of the motion, as a fraction of its radius."""

ROOM = 0.08
"""Room in the picture of a saved page around the lines of an arm for its surfaces, as a fraction of its size."""

HEIGHT = 480
"""Height of a view in a notebook, in pixels."""


class Viewer:
    """A view of robots, served to browsers until it is closed; returned by `armdyn.view` and ``robot.view``.

    Attributes:
        url: the address to open in a browser.
        notes: differences between the view and the given data, one sentence each.
        tell: callback, called at intervals with a message when lines of a stream were skipped or a page was refused.

    In a script ``viewer.wait()`` keeps it open until Ctrl-C; in a notebook it is displayed.
    """

    def __init__(
        self,
        entries: Sequence[RobotEntry],
        *,
        show: Show | None = None,
        dark: bool = False,
        host: str = "127.0.0.1",
        port: int | None = None,
        source: LineSource | None = None,
        speed: float = 1.0,
        loop: bool = False,
        notes: Sequence[str] = (),
        clock: Callable[[], float] = time.monotonic,
        running: bool = True,
        origins: Collection[str] = (),
    ) -> None:
        self.tell: Callable[[str], None] = lambda words: None
        self._clock, self._dark, self._show = clock, dark, show or Show()
        self._lock = threading.RLock()
        self._closed = threading.Event()
        allowed = checked_origins(origins)
        title = ", ".join(dict.fromkeys(entry.arm.robot.name for entry in entries))
        self._server = start(title, host, port)
        try:
            self.guard = Guard(self._server, allowed, self._tell)
            self._server.gui.configure_theme(
                dark_mode=dark,
                show_logo=False,
                show_share_button=False,
                control_width="large",
                brand_color=(0, 114, 178),
            )
            self._light()
            self._robots = [ShownRobot(self._server, entry, self._show) for entry in entries]
            recordings = [recording for robot in self._robots for recording in robot.recordings]
            of_looks = [f"{entry.arm.robot.name}: {note}" for entry in entries for note in entry.arm.looks.notes]
            self.notes = (*notes, *dict.fromkeys(of_looks), *(note for each in recordings for note in each.notes))
            self.playback: Playback | None = None
            if recordings:
                first, last = min(float(r.t[0]) for r in recordings), max(float(r.t[-1]) for r in recordings)
                self.playback = Playback(first, last, speed=speed, loop=loop)
            self._source, self._stream_said, self._received = source, "", 0
            self._passed_over, self._told, self._told_at = 0, 0, -np.inf
            self._readers: dict[str, tuple[LineReader, list[int]]] = {}
            self._newest: tuple[float, StreamState] | None = None
            self._began = clock()
            self._last_t: float | None = None
            self._shown_t: float | None = None
            self._numbers_at, self._curves_at = -np.inf, -np.inf
            self._set_camera()
            self._add_controls()
            name_tab(self._server, f"{title} · armdyn")
        except BaseException:
            stop(self._server)
            raise
        self.url = address_of(self._server)
        atexit.register(self.close)
        if source is not None:
            source.start(self._line, self._stream_ended)
        self._thread = threading.Thread(target=self._run, name="armdyn viewer", daemon=True)
        if running:
            self._thread.start()

    # Controls.

    def _add_controls(self) -> None:
        gui = self._server.gui
        if self.playback is not None:
            with gui.add_folder("Motion"):
                self.play_panel = PlayPanel(gui, self.playback, self._clock)
        if self._source is not None:
            with gui.add_folder("Stream"):
                self._stream_box = gui.add_html(status_html([f"waiting for states: {self._source.label}"]))
        self.camera_panel = CameraPanel(gui, *self._camera_place)
        self._server.on_client_connect(self.camera_panel.connected)
        with gui.add_folder("Show", expand_by_default=False):
            looks_of_robots = [look for each in self._robots for look in each.entry.arm.known_looks]
            looks = [look for look in ("visual", "collision", "skeleton") if look in looks_of_robots]
            tips = any(each.robot.tip is not None for each in self._robots)
            self.show_panel = ShowPanel(
                gui,
                self._show,
                looks,
                dark=self._dark,
                with_tip=tips,
                changed=self._selected,
                darkened=self._darken,
                lit=self._light,
            )
        if len(self._robots) == 1:
            self._robots[0].add_controls()
        else:
            tabs = gui.add_tab_group()
            for each in self._robots:
                with tabs.add_tab(each.entry.arm.name):
                    each.add_controls()
        if self.notes:
            with gui.add_folder("Notes"):
                gui.add_html(status_html(list(self.notes)))

    def _set_camera(self) -> None:
        """Aim the camera at all robots and motions, from the front and above; for planar arms, along their axis."""
        points = np.concatenate([
            points @ arm.arm.base[:3, :3].T + arm.arm.base[:3, 3]
            for each in self._robots for arm in each.arms for points in (arm.drawn.rods.reshape(-1, 3), each.reached)
        ])  # fmt: skip
        size = max(each.entry.arm.size for each in self._robots)
        low, high = points.min(axis=0), points.max(axis=0)
        around = max(float(np.linalg.norm(high - low)), size)
        up, towards = _view_of([each.robot for each in self._robots])
        centre = 0.5 * (low + high)
        radius = max(float(np.linalg.norm(points - centre, axis=1).max()), 0.5 * size)
        middle = centre + ASIDE * radius * np.cross(up, towards)  # not covered by the controls
        scene, camera = self._server.scene, self._server.initial_camera
        distance = distance_of(radius, camera.fov)
        scene.set_up_direction(tuple(up))
        camera.up, camera.look_at = tuple(up), tuple(middle)
        camera.position = tuple(middle + distance * towards)
        camera.near, camera.far = 0.01 * around, 100.0 * around
        self._add_floor(up, around)
        self._camera_place = (centre, middle, distance, up, _directions(up, towards))
        self._camera_of_pages = camera_around(points, ROOM * size, up, towards, camera.fov)

    def _light(self, shadows: bool = False) -> None:
        """Lights without an environment, and without shadows at first.

        Without a graphics card, each of these makes rendering ten times slower.
        """
        scene = self._server.scene
        scene.configure_environment_map(None)
        scene.configure_default_lights(enabled=True, cast_shadow=shadows)
        scene.add_light_hemisphere("/light", sky_color=(255, 255, 255), ground_color=(150, 150, 155), intensity=2.2)

    def _add_floor(self, up: Array, around: float) -> None:
        """Add a grid through the base as a floor."""
        cell = 10.0 ** np.floor(np.log10(around / 2.0))
        width = 2.0 * np.ceil(2.0 * around / (5.0 * cell)) * 5.0 * cell
        plane = ("yz", "xz", "xy")[int(np.abs(up).argmax())]
        self._grid = self._server.scene.add_grid(
            "/grid", width=width, height=width, plane=plane, cell_size=cell, section_size=5.0 * cell,
            fade_distance=2.2 * around, fade_from="origin", **_grid_colours(self._dark),
        )  # fmt: skip

    def _selected(self) -> None:
        with self._lock:
            for each in self._robots:
                with each.lock:
                    if not self._show.trace:
                        each.clear_trace()
                    for arm in each.arms:
                        arm.show(self._show)
                    each.stale = True

    def _darken(self, dark: bool) -> None:
        self._dark = dark
        self._server.gui.configure_theme(
            dark_mode=dark, show_logo=False, show_share_button=False, control_width="large", brand_color=(0, 114, 178)
        )
        for name, colour in _grid_colours(dark).items():
            setattr(self._grid, name, colour)

    # Main loop.

    def _run(self) -> None:
        while not self._closed.wait(TICK):
            try:
                self.tick()
            except Exception as error:  # the view continues, and reports the error
                if self._closed.is_set():
                    return
                for each in self._robots:
                    each.problem, each.stale = str(error), True

    def tick(self) -> None:
        """Update the scene: the played motion, the newest state of a stream, numbers and curves."""
        now = self._clock()
        with self._lock, self._server.atomic():
            t = self._play(now)
            self._take_newest()
            if now - self._numbers_at >= NUMBERS_EVERY:
                self._numbers_at = now
                for each in self._robots:
                    if each.stale:
                        each.refresh()
                self._say_stream()
                self._tell_passed_over(now)
            if now - self._curves_at >= CURVES_EVERY:
                self._curves_at = now
                self._draw_curves(t)

    def _play(self, now: float) -> float | None:
        if self.playback is None:
            return None
        t = self.playback.time(now)
        if t != self._last_t:
            self._last_t = t
            for each in self._robots:
                if each.recordings:
                    each.play_at(t)
            self.play_panel.refresh(t)
        else:
            self.play_panel.refresh()
        return t

    def _draw_curves(self, t: float | None) -> None:
        for each in self._robots:
            if each.recordings and t is not None and t != self._shown_t:
                each.refresh_curves(t)
            elif each.entry.streamed:
                each.refresh_curves(None)
        if t is not None:
            self._shown_t = t

    # The stream.

    def _line(self, sender: str, line: str) -> None:
        """Read a line of the stream; a line without a valid state is skipped, counted and reported."""
        if sender not in self._readers:
            self._readers[sender] = LineReader(self._robots[0].robot), [0]
        reader, count = self._readers[sender] = self._readers.pop(sender)  # the newest last
        count[0] += 1
        if len(self._readers) > MOST_SENDERS:  # drop senders without recent lines
            self._readers.pop(next(iter(self._readers)))
        try:
            state = reader.read(line)
        except Exception as error:  # the stream continues after any line
            self._stream_said = complaint(error, count[0])
            self._passed_over += 1
            return
        if state is not None:
            self._received += 1
            self._newest = (self._clock() - self._began if state.t is None else state.t, state)

    def _take_newest(self) -> None:
        newest, self._newest = self._newest, None
        if newest is not None:
            self._robots[0].receive(*newest)

    def _stream_ended(self) -> None:
        self._stream_said = "the stream has ended" + (f"; {self._stream_said}" if self._stream_said else "")

    def _say_stream(self) -> None:
        if self._source is not None and (self._received or self._stream_said or self._source.problem):
            lines = [f"{self._received:,} states: {self._source.label}"]
            lines += [_passed_over(self._passed_over)] if self._passed_over else []
            lines += [each for each in (self._stream_said, self._source.problem) if each]
            content = status_html(lines)
            if self._stream_box.content != content:
                self._stream_box.content = content

    def _tell(self, words: str) -> None:
        self.tell(words)

    def _tell_passed_over(self, now: float) -> None:
        """Report the lines skipped since the last report, at most every ``TELL_EVERY`` seconds."""
        if self._passed_over > self._told and now - self._told_at >= TELL_EVERY:
            self._told, self._told_at = self._passed_over, now
            self.tell(f"{_passed_over(self._passed_over)}; the last: {self._stream_said}")

    # Methods for scripts.

    @property
    def robots(self) -> tuple[Robot, ...]:
        """The robots that are shown."""
        return tuple(each.robot for each in self._robots)

    @property
    def q(self) -> Array:
        """The displayed configuration of the first robot, rad or m, shape (n,), including changes by sliders."""
        return np.array(self._robots[0].q)

    @property
    def port(self) -> int:
        """The port of this machine at which the view is served."""
        return int(self._server.get_port())

    @property
    def passed_over(self) -> int:
        """The number of lines of the stream that were skipped because they contained no state of the robot."""
        return self._passed_over

    @property
    def stream_said(self) -> str:
        """The reason for the last skipped line of the stream; empty if none was skipped."""
        return self._stream_said

    def show(self, q: ArrayLike, robot: int | str = 0) -> None:
        """Show a robot at another configuration at once, e.g. from a user's own loop.

        Args:
            q: joint positions, rad or m, shape (n,); kinematic loops are closed near them.
            robot: index or name of one of several robots.

        Raises:
            ShapeError: positions of other joints.
            ViewerError: positions that are not finite; a closed view.
        """
        self._refuse_closed()
        each = self._robots[self._place(robot)]
        names = ", ".join(each.robot.joint_names)
        checked_q = joint_array(
            each.robot, "q", q, (each.robot.dof,), f"one value per joint: {names}", finite=ViewerError
        )
        with self._server.atomic():
            each.place(checked_q)

    def _place(self, robot: int | str) -> int:
        names = [each.entry.arm.name for each in self._robots]
        if isinstance(robot, str):
            if robot not in names:
                raise UnknownName.of("robot", robot, names, "the view")
            return names.index(robot)
        place = whole_number("robot", robot, least=0, error=ViewerError)
        if place >= len(names):
            raise ViewerError(f"robot is {place}; the view has {len(names)}: {', '.join(names)}")
        return place

    def play(self) -> None:
        """Play the motion, from its beginning if it is at its end."""
        self._motion().play(self._clock())

    def pause(self) -> None:
        """Stop the motion at its present time."""
        self._motion().pause(self._clock())

    def seek(self, t: float) -> None:
        """Go to a time of the motion, s."""
        self._motion().seek(number("t", t, unit="s", error=ViewerError), self._clock())

    def _motion(self) -> Playback:
        self._refuse_closed()
        if self.playback is None:
            raise ViewerError("the view has no motion; give one: trajectory.view(robot=robot), or motion=")
        return self.playback

    def screenshot(
        self, path: str | os.PathLike[str] | None = None, *, width: int = 1280, height: int = 960, timeout: float = 60.0
    ) -> Array:
        """The scene as rendered by a browser from its camera, RGB, shape (height, width, 3).

        If no browser shows the view, a headless Chromium or Chrome is started.

        Args:
            path: file to write, a .png; None to write none.
            width: width, in pixels.
            height: height, in pixels.
            timeout: longest wait for a browser, s.

        Raises:
            ViewerError: no browser that renders; a file that cannot be written.
        """
        self._refuse_closed()
        if path is not None:
            checked(path, (".png",))
        wide, high = (
            whole_number(name, size, least=16, error=ViewerError)
            for name, size in (("width", width), ("height", height))
        )
        if max(wide, high) > MOST_PIXELS:
            raise ViewerError(f"a picture of {wide} by {high} pixels; expected {MOST_PIXELS} at most on a side")
        within = number("timeout", timeout, above=0.0, unit="s", error=ViewerError)
        pixels = screenshot(self._server, wide, high, dark=self._dark, timeout=within)
        if path is not None:
            write_png(path, pixels)
        return pixels

    def save(self, path: str | os.PathLike[str], *, fps: float = FPS) -> None:
        """Write the scene, and the motion if there is one, to a file that plays without a server.

        The page plays the motion in a loop; it can be paused, scrubbed and rotated. It shows the present content of the
        view, except the ellipsoid of the tip during a motion.

        Args:
            path: ``.html``, one self-contained page; or ``.viser``, for pages that embed viser's client.
            fps: frames per second of the motion, at the view's speed.

        Raises:
            ViewerError: another file extension, or a file that cannot be written.
        """
        self._refuse_closed()
        target = checked(path, ENDINGS)
        rate = number("fps", fps, above=0.0, unit="Hz", error=ViewerError)
        with contextlib.ExitStack() as stack:
            for lock in (self._lock, *(each.lock for each in self._robots)):
                stack.enter_context(lock)  # so that no slider changes the film
            serializer = self._server.get_scene_serializer()
            if self.playback is not None:
                for t in self.playback.times(rate):
                    for each in self._robots:
                        if each.recordings:
                            each.play_at(t)
                    serializer.insert_sleep(1.0 / rate)
                self._last_t = None  # back to the present time of the motion
            serializer._messages = seen_by(film_of(serializer._messages), self._camera_of_pages)
            html = target.suffix.lower() == ".html"
            content = page_html(serializer, dark=self._dark).encode() if html else serializer.serialize()
        write_bytes(target, content, error=ViewerError)

    def open(self) -> bool:
        """Open the view in the browser; return True on success."""
        return open_browser(self.url)

    def wait(self, timeout: float | None = None) -> bool:
        """Keep the view open until Ctrl-C, which closes it, until it is closed, or for ``timeout`` seconds.

        Returns:
            True if Ctrl-C ended it.
        """
        with contextlib.suppress(KeyboardInterrupt):
            until = (
                None if timeout is None else time.monotonic() + number("timeout", timeout, least=0.0, error=ViewerError)
            )
            while not self._closed.wait(0.2 if until is None else min(0.2, max(until - time.monotonic(), 0.0))):
                if until is not None and time.monotonic() >= until:
                    return False
            return False
        self.close()
        return True

    def close(self) -> None:
        """Close the view and free its port; closing twice has no effect."""
        if self._closed.is_set():
            return
        self._closed.set()
        atexit.unregister(self.close)
        if self._source is not None:
            self._source.close()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=5.0)
        self._tell_passed_over(np.inf)
        stop(self._server)

    @property
    def closed(self) -> bool:
        """True after the view was closed."""
        return self._closed.is_set()

    def _refuse_closed(self) -> None:
        if self._closed.is_set():
            raise ViewerError("the view is closed; make another by robot.view()")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _repr_html_(self) -> str:
        """The view in a notebook."""
        if self.closed:
            return f"<p>{escape(repr(self))}</p>"
        return (
            f"<iframe src='{escape(self.url)}' width='100%' height='{HEIGHT}' style='border:1px solid #ccc' "
            f"title='{escape(repr(self))}'></iframe>"
        )

    def __repr__(self) -> str:
        names = ", ".join(each.entry.arm.name for each in self._robots)
        return f"<Viewer of {names}: {'closed' if self.closed else self.url}>"


def _view_of(robots: Sequence[Robot]) -> tuple[Array, Array]:
    """The upward direction, and the direction from the target to the camera: unit vectors in base axes."""
    from armdyn.plots.plane import plane_of_motion  # noqa: PLC0415 - only when a view is opened

    planes = [plane_of_motion(robot) for robot in robots]
    if all(plane is not None for plane in planes):
        first = planes[0]
        assert first is not None  # noqa: S101 - looked at above
        return first[:, 1], np.cross(first[:, 0], first[:, 1])
    towards = np.array([0.75, -0.85, 0.55])
    return np.array([0.0, 0.0, 1.0]), towards / np.linalg.norm(towards)


def _directions(up: Array, towards: Array) -> dict[str, Array]:
    """Directions to the camera by name: the initial one, along the level axes, and from above."""
    level = towards - (towards @ up) * up
    front = level / np.linalg.norm(level)
    axis = np.eye(3)[int(np.abs(front).argmax())]
    front = axis * np.sign(front @ axis)
    high = up + 0.02 * front
    return {"all": towards, "front": front, "side": np.cross(up, front), "top": high / np.linalg.norm(high)}


def _passed_over(count: int) -> str:
    return f"{count:,} line{'s' * (count != 1)} of the stream passed over"


def _grid_colours(dark: bool) -> dict[str, tuple[int, int, int]]:
    shades = ((58, 61, 66), (78, 82, 88)) if dark else ((226, 228, 232), (205, 208, 213))
    return {"cell_color": shades[0], "section_color": shades[1]}
