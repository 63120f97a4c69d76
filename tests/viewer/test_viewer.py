"""The view itself, served on a port, without a browser: what handles show, what callbacks do, what is refused."""

from __future__ import annotations

import contextlib
import http.client
import inspect
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import armdyn
from armdyn.base.errors import ShapeError, UnknownName
from armdyn.simulation import RungeKutta4
from armdyn.viewer import PortInUse, Viewer, ViewerError
from armdyn.viewer import view as view_module  # the function
from armdyn.viewer.pictures import over

pytest.importorskip("viser")

Q = np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])


@pytest.fixture
def view() -> Iterator[Callable[..., Viewer]]:
    """Views on any free port, closed at the end."""
    with contextlib.ExitStack() as opened:

        def make(robot: Any, *given: Any, **options: Any) -> Viewer:
            viewer = view_module(robot, *given, **{"port": 0, "browser": False, **options})
            opened.callback(viewer.close)
            return viewer

        yield make


def until(viewer: Viewer, true: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait for what another thread draws; looked at between two drawings, so that all of one has been drawn."""
    end = time.monotonic() + seconds
    while True:
        with viewer._lock, contextlib.ExitStack() as locks:
            for shown in viewer._robots:
                locks.enter_context(shown.lock)
            if true():
                return
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def pose(node: Any) -> Any:
    T = np.eye(4)
    w, x, y, z = node.wxyz
    T[:3, :3], T[:3, 3] = Rotation.from_quat([x, y, z, w]).as_matrix(), node.position
    return T


def check_poses(viewer: Viewer, q: Any, robot: int = 0) -> None:
    shown = viewer._robots[robot]
    poses = np.array([pose(node) for node in shown.arm._nodes.links])
    np.testing.assert_allclose(poses, shown.robot.link_poses(q), rtol=0, atol=1e-12)


def test_handles_stand_where_forward_kinematics_says(view: Callable[..., Viewer]) -> None:
    robot = armdyn.load("ur5")
    viewer = view(robot, Q)
    check_poses(viewer, Q)
    other = robot.random_configuration(3)
    viewer.show(other)
    check_poses(viewer, other)
    np.testing.assert_array_equal(viewer.q, other)
    tip = viewer._robots[0].arm._tip
    np.testing.assert_allclose(pose(tip), robot.forward_kinematics(other), rtol=0, atol=1e-12)
    rods = viewer._robots[0].arm._nodes.rods
    assert all(rod.visible for rod in rods)  # the bundled arm has no shapes


def test_a_slider_moves_the_links(view: Callable[..., Viewer]) -> None:
    viewer = view(armdyn.load("ur5"), Q)
    joints = viewer._robots[0].joints
    joints.handles[2].value = 90.0
    expected = Q.copy()
    expected[2] = np.pi / 2
    until(viewer, lambda: viewer.q[2] == expected[2])
    np.testing.assert_array_equal(viewer.q, expected)  # the others keep all their digits
    check_poses(viewer, expected)
    joints.buttons.value = "zero"
    joints.clicked()
    np.testing.assert_array_equal(viewer.q, np.zeros(6))
    joints.buttons.value = "random"
    joints.clicked()
    assert ((viewer.robots[0].lower <= viewer.q) & (viewer.q <= viewer.robots[0].upper)).all()
    assert viewer.q.any()


def test_coupled_joints_follow_and_loops_stay_closed(view: Callable[..., Viewer]) -> None:
    geared = armdyn.load("ur5").with_mimic({"wrist_3_joint": ("wrist_2_joint", -2.0, 0.1)})
    viewer = view(geared)
    assert len(viewer._robots[0].joints.handles) == 5
    viewer.show([0.1, 0.2, 0.3, 0.4, 0.5])
    check_poses(viewer, [0.1, 0.2, 0.3, 0.4, 0.5])
    viewer.tick()
    until(viewer, lambda: "wrist_3_joint" in viewer._robots[0].numbers.content)
    channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    arm = armdyn.load("planar_2r").with_constraints(channel)
    looped = view(arm, [-1.0, 2.0])
    looped._robots[0].joints.handles[0].value = -60.0
    until(looped, lambda: abs(looped.q[0] + np.pi / 3) < 1e-12)
    assert np.abs(arm.constraint_error(looped.q)).max() < 1e-8
    before = looped.q
    looped._robots[0].moved(np.array([-2.5, 0.0]), "joint_1")  # out of reach
    np.testing.assert_array_equal(looped.q, before)
    assert looped._robots[0].problem


def test_what_is_shown_is_chosen(view: Callable[..., Viewer]) -> None:
    viewer = view(armdyn.load("ur5"), Q)
    panel, arm = viewer.show_panel, viewer._robots[0].arm
    assert [node.show_axes for node in arm._nodes.links] == [True] + [False] * (len(arm._nodes.links) - 1)
    panel.frames.value = "all"
    panel.ellipsoid.value = "velocity"
    for box in panel.boxes.values():
        box.value = True
    panel.redraw()
    assert all(node.show_axes for node in arm._nodes.links)
    assert all(node.visible for node in [*arm._nodes.names, *arm._nodes.inertias, arm._centre, arm._tip_solid])
    np.testing.assert_allclose(arm._centre.position, viewer.robots[0].center_of_mass(Q), atol=1e-12)
    assert "velocity ellipsoid: semi-axes" in arm.problem
    viewer.show(Q + 0.5)
    viewer.show(Q + 0.7)
    way = arm._trace_node.points
    np.testing.assert_allclose(way[-1, 1], viewer.robots[0].forward_kinematics(Q + 0.7)[:3, 3], atol=1e-6)
    panel.boxes["trace"].value = False
    panel.dark.value = True
    panel.redraw()
    assert arm._trace_node is None


def test_a_motion_plays_by_the_clock(view: Callable[..., Viewer]) -> None:
    robot = armdyn.load("planar_2r")
    fall = armdyn.simulate(robot, [[0.0, 0.0], [0.5, 0.0]], duration=1.0)
    viewer = fall.view(robot=robot, port=0, browser=False)
    with viewer:
        viewer.seek(0.5)
        until(viewer, lambda: viewer._last_t == 0.5)
        both = fall.at(0.5).q
        check_poses(viewer, viewer.q)
        np.testing.assert_allclose(viewer.q, both[0], rtol=0, atol=1e-6)
        np.testing.assert_allclose(viewer._robots[0].moving[0].drawn.q, both[1], rtol=0, atol=1e-6)
        until(viewer, lambda: viewer.play_panel.slider.value == 0.5)
        until(viewer, lambda: len(viewer._robots[0].plots[1].plot.data[0]) > 1)
        assert viewer._robots[0].plots[1].plot.data[0][-1] <= 0.5
        viewer.play_panel.toggle()
        until(viewer, lambda: viewer._last_t is not None and viewer._last_t == 1.0)
        until(viewer, lambda: viewer.play_panel.button.label == "Play")
        viewer.play_panel.slider.value = 0.25
        until(viewer, lambda: viewer._last_t == 0.25)
        viewer.pause()
    assert viewer.closed
    with pytest.raises(ViewerError, match="closed"):
        viewer.play()
    with pytest.raises(ViewerError, match="bundled"):
        armdyn.simulate(robot.renamed(name="mine"), [0.0, 0.0], duration=0.01).view()


def test_the_camera_has_the_whole_motion_in_its_picture(view: Callable[..., Viewer]) -> None:
    """An arm that slides 30 m away: every joint is within 35 degrees of the middle of the picture."""
    robot = armdyn.load("rp").with_gravity((0.0, 0.0, 0.0))
    away = armdyn.simulate(robot, [0.3, 1.0], [0.0, 15.0], duration=2.0, method=RungeKutta4(step=0.01))
    assert away.q[-1, 1] > 25.0
    camera = view(robot, motion=away)._server.initial_camera
    at, middle = np.array(camera.position), np.array(camera.look_at)
    towards = (middle - at) / np.linalg.norm(middle - at)
    points = robot.link_poses(away.q[::20])[..., :3, 3].reshape(-1, 3) - at
    cosines = points @ towards / np.linalg.norm(points, axis=1)
    assert np.degrees(np.arccos(cosines.min())) < 35.0


@pytest.mark.parametrize("name", ["planar_2r", "ur5", "scara"])
def test_the_camera_is_no_further_than_the_motion_needs(view: Callable[..., Viewer], name: str) -> None:
    """The motion fills more than half of the height of the picture, and is within it."""
    robot = armdyn.load(name)
    falls = armdyn.simulate(robot, np.full(robot.dof, 0.3), duration=0.5)
    viewer = view(robot, motion=falls)
    camera = viewer._server.initial_camera
    towards = np.array(camera.look_at) - np.array(camera.position)
    points = np.concatenate([shown.reached for shown in viewer._robots])
    angles = 2.0 * np.arctan(0.5 * np.ptp(points, axis=0).max() / np.linalg.norm(towards))
    assert 0.25 * camera.fov < angles < camera.fov


def test_the_buttons_of_the_camera(view: Callable[..., Viewer]) -> None:
    """Directions are unit vectors; a high window gets a larger distance, for its width is less."""
    panel = view(armdyn.load("ur5")).camera_panel
    moved: dict[str, Any] = {}
    camera = SimpleNamespace(aspect=2.0, fov=np.pi / 2)
    client = SimpleNamespace(camera=camera, atomic=contextlib.nullcontext)
    for word in ("all", "front", "side", "top"):
        panel.buttons.value = word
        panel.clicked(SimpleNamespace(client=client))
        moved[word] = np.array(camera.position) - np.array(camera.look_at)
    lengths = [np.linalg.norm(each) for each in moved.values()]
    np.testing.assert_allclose(lengths, lengths[0])
    assert abs(moved["front"] @ moved["side"]) < 1e-9
    assert moved["top"][2] > 0.99 * lengths[0]
    camera.aspect = 0.5
    panel.connected(client)
    far = np.linalg.norm(np.array(camera.position) - np.array(camera.look_at))
    assert far == pytest.approx(lengths[0] * np.sin(np.pi / 4) / np.sin(np.arctan(0.5)))


def test_another_motion_is_a_ghost(view: Callable[..., Viewer]) -> None:
    robot = armdyn.load("planar_2r")
    one, other = (armdyn.simulate(robot, [0.0, angle], duration=0.5) for angle in (0.0, 0.3))
    viewer = view(robot, motion=one, over=other)
    assert "blue ghost: planar_2r, other motion" in viewer.notes
    viewer.seek(0.0)
    viewer.tick()
    (shown,) = viewer._robots
    np.testing.assert_allclose(shown.recordings[1].at(0.0), [0.0, 0.3])
    with one.compare(other).view(robot, port=0, browser=False, quiet=True) as compared:
        assert len(compared._robots[0].moving) == 1
    with pytest.raises(ViewerError, match=r"over= is drawn over the motion of one robot; give it by motion="):
        view(robot, over=other)


def test_the_tab_has_a_title_and_an_icon(view: Callable[..., Viewer], tmp_path: Path) -> None:
    viewer = view(armdyn.load("planar_2r"))
    messages = viewer._server.get_scene_serializer()._messages
    (script,) = [each["source"] for _, each in messages if each["type"] == "RunJavascriptMessage"]
    assert 'document.title = "planar_2r \\u00b7 armdyn"' in script
    assert "data:image/svg+xml,%3Csvg" in script


def test_a_motion_is_written_to_a_page_that_needs_no_server(view: Callable[..., Viewer], tmp_path: Path) -> None:
    robot = armdyn.load("planar_2r")
    viewer = view(robot, motion=armdyn.simulate(robot, [0.0, 0.0], duration=0.5))
    viewer.save(tmp_path / "fall.html", fps=10)
    page = (tmp_path / "fall.html").read_text()
    assert "__VISER_EMBED_DATA__" in page
    assert "<script src=" not in page
    viewer.save(tmp_path / "fall.viser")
    assert (tmp_path / "fall.viser").stat().st_size > 500
    for bad in ("fall.txt", "nowhere/fall.html"):
        with pytest.raises(ViewerError, match=r"expected a file name|there is no folder"):
            viewer.save(tmp_path / bad)


def test_a_stream_moves_the_robot_or_a_ghost_beside_it(view: Callable[..., Viewer]) -> None:
    viewer = view(armdyn.load("ur5"), stream=0)
    source: Any = viewer._source
    with socket.create_connection(("127.0.0.1", source.port)) as sender:
        sender.sendall(json.dumps({"t": 1.0, "q": Q.tolist(), "tau": [1, 2, 3, 4, 5, 6]}).encode() + b"\n")
        until(viewer, lambda: "measured" in viewer._robots[0].numbers.content)  # written when all has been drawn
        np.testing.assert_array_equal(viewer.q, Q)
        check_poses(viewer, Q)
        sender.sendall(b'{"q": [NaN, 0, 0, 0, 0, 0]}\n1,2\n')
        until(viewer, lambda: "line 3" in viewer.stream_said)
        assert "2 columns" in viewer.stream_said
        np.testing.assert_array_equal(viewer.q, Q)  # it is still shown where it was
        viewer._robots[0].follow_box.value = False
        until(viewer, lambda: not viewer._robots[0].follows)
        sender.sendall(b"0,0,0,0,0,0\n")
        measured = viewer._robots[0].measured
        assert measured is not None
        until(viewer, lambda: not measured.drawn.q.any())
        np.testing.assert_array_equal(viewer.q, Q)  # the model is moved by the sliders now
    with pytest.raises(ViewerError, match="choose one"):
        view(armdyn.load("rp"), stream=0, motion=armdyn.simulate(armdyn.load("rp"), [0, 1], duration=0.1))


def test_several_robots_and_ghosts(view: Callable[..., Viewer]) -> None:
    one, two = armdyn.load("planar_2r"), armdyn.load("rp")
    viewer = view([one, two, one], [[[0.0, 0.0], [0.5, 0.5]], None, [1.0, 1.0]], spacing=3.0)
    assert [shown.entry.arm.name for shown in viewer._robots] == ["planar_2r 1", "rp", "planar_2r 2"]
    assert [shown.arm._base.position[1] for shown in viewer._robots] == [0.0, 3.0, 6.0]
    (ghost,) = viewer._robots[0].ghosts
    np.testing.assert_array_equal(ghost.drawn.q, [0.0, 0.0])
    viewer.show([0.2, 0.3], robot="planar_2r 2")
    check_poses(viewer, [0.2, 0.3], 2)
    with pytest.raises(UnknownName, match="rq"):
        viewer.show([0, 0], robot="rq")


def test_what_is_refused(view: Callable[..., Viewer], tmp_path: Path) -> None:
    robot = armdyn.load("ur5")
    viewer = view(robot)
    with pytest.raises(PortInUse, match=f"port {viewer.port} .*in use"):
        view(robot, port=viewer.port)
    for error, words, call in (
        (ShapeError, "q has shape", lambda: view(robot, [1.0])),
        (ShapeError, "q has shape", lambda: viewer.show([1.0])),
        (ViewerError, "nan", lambda: viewer.show([np.nan] * 6)),
        (ViewerError, "look", lambda: view(robot, look="pretty")),
        (ViewerError, "expected a Robot", lambda: view([])),
        (ViewerError, "expected a Robot", lambda: view("ur5")),
        (ViewerError, "expected 2, one for each", lambda: view([robot, robot], [[0] * 6])),
        (ViewerError, "rate=5 Hz belongs to a log without times", lambda: view(robot, rate=5.0)),
        (ViewerError, "motion is 3", lambda: view(robot, motion=3)),
        (ViewerError, "port is 70000", lambda: view(robot, port=70_000)),
        (ViewerError, "no address", lambda: view(robot, host="192.0.2.1")),
        (ViewerError, "has no motion", viewer.play),
        (ViewerError, "ends in .png", lambda: viewer.screenshot("picture.jpg")),
        (ViewerError, "8192 at most", lambda: viewer.screenshot(width=9000)),
    ):
        with pytest.raises(error, match=words):
            call()


def test_a_view_is_quiet_served_and_closed(
    view: Callable[..., Viewer], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(variable, raising=False)
    viewer = view(armdyn.load("rp"))
    assert capsys.readouterr().out == f"rp: {viewer.url}\n"
    connection = http.client.HTTPConnection("127.0.0.1", viewer.port, timeout=60)
    with contextlib.closing(connection):
        connection.request("GET", "/")
        assert connection.getresponse().status == 200
    assert viewer.url in viewer._repr_html_()
    started = time.monotonic()
    assert not viewer.wait(timeout=0.2)
    assert 0.15 < time.monotonic() - started < 60.0
    monkeypatch.setattr(viewer._closed, "wait", _interrupted)
    assert viewer.wait()  # Ctrl-C closes without a word
    assert viewer.closed
    viewer.close()
    assert "closed" in repr(viewer)
    assert "<iframe" not in viewer._repr_html_()
    assert capsys.readouterr().out == ""
    with pytest.raises(OSError, match=r".*"):
        socket.create_connection(("127.0.0.1", viewer.port), timeout=2.0)


def _interrupted(_: float | None = None) -> bool:
    raise KeyboardInterrupt


@pytest.mark.skipif(not hasattr(os, "fork"), reason="signals of POSIX")
def test_control_c_ends_the_command_as_it_ends_others() -> None:
    code = """
import signal
from armdyn.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # a process started in the background ignores it
main()
"""
    command = [sys.executable, "-c", code, "view", "rp", "--port", "0", "--no-browser"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            assert said.startswith("rp: http://localhost:")
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=120)
        finally:
            process.kill()  # else a test that fails would wait for it
    assert (process.returncode, out, err) == (130, "", "")


def test_options_stand_in_signatures() -> None:
    shown = inspect.signature(armdyn.Trajectory.view).parameters
    of_view = inspect.signature(view_module).parameters
    assert list(shown) == [
        *("trajectory", "robot", "over", "look", "dark", "speed", "loop", "host", "port", "origins", "browser", "quiet")
    ]
    for name in list(shown)[2:]:
        assert (shown[name].default, shown[name].kind) == (of_view[name].default, of_view[name].kind)
    assert "loop: True to restart the motion at its end" in (armdyn.Trajectory.view.__doc__ or "")


def test_no_browser_for_a_screenshot(view: Callable[..., Viewer], monkeypatch: pytest.MonkeyPatch) -> None:
    viewer = view(armdyn.load("rp"))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ViewerError, match=f"no browser shows the view.*{viewer.url}"):
        viewer.screenshot()
    white = over(np.zeros((2, 2, 4), dtype=np.uint8), (255, 255, 255))
    assert (white == 255).all()
