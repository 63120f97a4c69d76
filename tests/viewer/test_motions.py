"""Recordings, logs, playback and streams: the right state at the right time, and an error for everything else."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import ArmdynError, ShapeError, UnknownName
from armdyn.logs import LogError
from armdyn.viewer import PortInUse, Recording, StreamError, ViewerError
from armdyn.viewer.curves import History, curves_of
from armdyn.viewer.numbers import Now
from armdyn.viewer.panels.curves import CurvesPanel
from armdyn.viewer.playback import Playback
from armdyn.viewer.recording import recordings_of
from armdyn.viewer.sources import IterableLines, PortLines, source_of
from armdyn.viewer.stream_lines import LineReader

RP = armdyn.load("rp")


def test_playback_index_by_time() -> None:
    t = np.array([0.0, 0.1, 0.4, 0.5])
    motion = Recording(t, np.array([[0.0], [1.0], [4.0], [3.0]]))
    assert [motion.index(x) for x in (-1.0, 0.0, 0.05, 0.1, 0.39, 0.4, 9.0)] == [0, 0, 0, 1, 1, 2, 3]
    assert [float(motion.at(x)[0]) for x in (-1.0, 0.05, 0.25, 0.5, 9.0)] == pytest.approx([0.0, 0.5, 2.5, 3.0, 3.0])


def test_the_clock_plays_pauses_seeks_and_loops() -> None:
    film = Playback(1.0, 3.0)
    assert film.time(5.0) == 1.0
    film.play(10.0)
    assert film.time(10.5) == 1.5
    film.set_speed(2.0, 11.0)
    assert film.time(11.25) == 2.5
    film.pause(11.25)
    assert film.time(99.0) == 2.5
    film.seek(9.0, 100.0)
    assert film.time(100.0) == 3.0
    film.play(101.0)  # at its end: from the beginning
    film.loop = True
    assert film.time(101.5) == 2.0
    assert film.time(102.25) == pytest.approx(1.5)
    film.loop = False
    assert film.time(110.0) == 3.0
    assert not film.playing
    with pytest.raises(ViewerError, match="speed"):
        film.set_speed(0.0, 0.0)


def test_recordings_have_what_was_simulated() -> None:
    fall = armdyn.simulate(RP, [0.0, 1.0], duration=0.2)
    (recording,) = recordings_of(fall, RP)
    assert recording.completed(RP).tau is recording.tau
    total = curves_of(RP, recording)[1]
    np.testing.assert_allclose(total.values[:, 2], fall.energy.total[:: -(-len(fall.t) // 400)], rtol=0, atol=1e-12)
    assert total.until(0.1).t[-1] <= 0.1 < total.t[-1]
    batch = armdyn.simulate(RP, [[0.0, 1.0], [0.1, 1.0]], duration=0.1)
    assert [each.q[0, 0] for each in recordings_of(batch, RP)] == [0.0, 0.1]
    with pytest.raises(ShapeError, match="joint"):
        recordings_of(fall, armdyn.load("ur5"))
    lost = Recording(recording.t, np.where(recording.t[:, None] == recording.t[3], np.nan, recording.q))
    assert len(recordings_of(lost, RP)[0].t) == len(recording.t) - 1
    assert "not finite" in recordings_of(lost, RP)[0].notes[0]


def test_curves_of_another_motion_are_behind_those_of_the_motion() -> None:
    """At the same times, NaN where it has ended; drawn first, broad and pale."""
    fall, short = (armdyn.simulate(RP, [0.0, 1.0], duration=end) for end in (0.2, 0.1))
    heavy = armdyn.simulate(RP.with_payload(mass=1.0), [0.0, 1.0], [0.5, 0.0], torque=[1.0, 2.0], duration=0.2)
    recording, other = Recording.of(fall), Recording.of(heavy)
    forces, energy = curves_of(RP, recording, other)
    assert forces.names == (*RP.joint_names, *(f"{name}, ghost" for name in RP.joint_names))
    assert forces.ghosts == 2
    total = energy.values[:, 3] + energy.values[:, 4]
    np.testing.assert_allclose(energy.values[:, 5], total, atol=1e-12)
    np.testing.assert_allclose(energy.values[:, 5], np.interp(energy.t, heavy.t, heavy.energy.total), atol=1e-12)
    np.testing.assert_allclose(forces.values[:, 2:], np.broadcast_to([1.0, 2.0], (len(forces.t), 2)))
    assert forces.range[0] < 0.0
    assert forces.range[1] > 2.0
    late = curves_of(RP, recording, Recording.of(short))[1]
    np.testing.assert_array_equal(np.isnan(late.values[:, 3]), late.t > 0.1)
    gui = Drawn()
    CurvesPanel(gui, late, full=True)
    np.testing.assert_array_equal(gui.data[1], late.values[:, 3])
    np.testing.assert_array_equal(gui.data[4], late.values[:, 0])
    assert [each["width"] for each in gui.series[1:]] == [4.5, 4.5, 4.5, 1.6, 1.6, 1.6]


class Drawn:
    """The part of a viser GUI that a panel of curves uses."""

    data: tuple[np.ndarray, ...]
    series: tuple[dict[str, Any], ...]

    def add_markdown(self, text: str) -> Any:
        return text

    def add_uplot(self, data: Any, series: Any, **options: Any) -> Any:
        self.data, self.series = data, series
        return self


def _csv(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_logs_are_read_with_units_and_completed_by_the_equations(tmp_path: Path) -> None:
    t = np.linspace(0.0, 1.0, 201)
    rows = "\n".join(f"{1000 * x!r},{float(np.degrees(np.sin(x)))!r},{1000 + 100 * x * x!r}" for x in t.tolist())
    path = _csv(tmp_path / "log.csv", f"t [ms],q_joint_1 [deg],q_joint_2 [mm]\n{rows}\n")
    log = Recording.of_log(armdyn.logs.read(path, RP))
    np.testing.assert_allclose(log.t, t, rtol=0, atol=1e-12)
    np.testing.assert_allclose(log.q[:, 0], np.sin(t), rtol=0, atol=1e-12)
    done = log.completed(RP)
    tau = RP.inverse_dynamics(
        log.q, np.stack([np.cos(t), 0.2 * t], -1), np.stack([-np.sin(t), np.full(t.shape, 0.2)], -1)
    )
    assert done.tau is not None
    np.testing.assert_allclose(done.tau, tau, rtol=0, atol=1e-6)  # up to the first and last row
    assert any("quintic spline" in note for note in done.notes)


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("q_joint_1,q_joint_2\n0,1\n0,1\n", LogError, "no column t.*rate"),
        ("t,q_joint_1\n0,1\n", LogError, "no column q_joint_2"),
        ("t,q_joint_1,q_elbow\n0,1,2\n", UnknownName, "q_elbow"),
        ("t,q_joint_1,q_joint_2\n", LogError, "has a header and no rows below it"),
        ("t,q_joint_1,q_joint_2\n0,nan,2\n", LogError, "has 0 rows of numbers, without 1 that were left out"),
        ("1,2,3,4,5,6,7,8,9\n", LogError, "9 columns and no header"),
        ("t,q_joint_1 [mm],q_joint_2\n0,1,2\n", LogError, "unit 'mm'"),
    ],
)
def test_bad_logs(tmp_path: Path, text: str, error: type[ArmdynError], words: str) -> None:
    with pytest.raises(error, match=words):
        armdyn.view(RP, motion=_csv(tmp_path / "log.csv", text), port=0, browser=False)


def test_logs_without_times_at_a_rate_and_with_gaps(tmp_path: Path) -> None:
    path = _csv(tmp_path / "log.csv", "0,1\n0.5,nan\n1,1.5\n")
    log = Recording.of_log(armdyn.logs.read(path, RP, rate=4.0))
    assert log.t.tolist() == [0.0, 0.5]
    assert "line 2" in log.notes[0]


# Streams.


def test_lines_in_all_formats() -> None:
    reader = LineReader(RP)
    whole = reader.read('{"t": 2.5, "q": [0.1, 1.0], "qd": [1, 2], "tau": [3, 4]}')
    assert whole is not None
    assert (whole.t, whole.q.tolist(), whole.tau is not None and whole.tau.tolist()) == (2.5, [0.1, 1.0], [3.0, 4.0])
    ros = {
        "name": ["joint_2", "other", "joint_1"],
        "position": [9, 8, 7],
        "header": {"stamp": {"sec": 3, "nanosec": 5e8}},
    }
    found = reader.read(json.dumps(ros))
    assert found is not None
    assert (found.q.tolist(), found.t) == ([7.0, 9.0], 3.5)
    partly = reader.read('{"name": ["joint_2"], "position": [1]}')
    assert partly is not None
    assert partly.q.tolist() == [7.0, 1.0]  # joint_1 stays where it was
    for line, q, t in (
        ("[1, 2]", [1, 2], None),
        ("1,2", [1, 2], None),
        ("0.5;1;2", [1, 2], 0.5),
        ("1,2,3,4", [1, 2], None),
    ):
        state = reader.read(line)
        assert state is not None
        assert (state.q.tolist(), state.t) == (q, t)
    assert reader.read("  ") is None


@pytest.mark.parametrize(
    ("line", "error", "words"),
    [
        ('{"q": [1]}', StreamError, "1 numbers; expected 2"),
        ('{"q": [NaN, 1]}', StreamError, "q of joint_1 is nan"),
        ('{"q": [true, 1]}', StreamError, "q of joint_1 is True"),
        ('{"p": [1, 1]}', StreamError, "no q"),
        ('{"q": [1', StreamError, "not JSON"),
        ('{"t": "now", "q": [1, 2]}', StreamError, "t is 'now'"),
        ("1,2,3,4,5,6,7,8", StreamError, "8 columns and no header; expected 2, 4 or 6"),
        ("inf,2", StreamError, "q_joint_1 is 'inf'"),
        ('{"name": ["elbow"], "position": [1]}', UnknownName, "no joint 'elbow'"),
        ("t,q_joint_1,q_joint3", UnknownName, "q_joint3"),
        ("x" * 200_000, StreamError, "200000 characters"),
    ],
)
def test_bad_lines(line: str, error: type[ArmdynError], words: str) -> None:
    reader = LineReader(RP)
    with pytest.raises(error, match=words):
        reader.read(line)
    state = reader.read("[1, 2]")
    assert state is not None  # the stream goes on


def test_a_single_joint_needs_a_header_for_its_time() -> None:
    locked = RP.with_locked({"joint_2": 1.0})
    reader = LineReader(locked)
    with pytest.raises(StreamError, match="with a time in front or without"):
        reader.read("1,2")
    reader.read("t,q_joint_1")
    state = reader.read("1,2")
    assert state is not None
    assert (state.t, state.q.tolist()) == (1.0, [2.0])


def _gather(port: PortLines, count: int) -> tuple[list[tuple[str, str]], threading.Event]:
    got: list[tuple[str, str]] = []
    done = threading.Event()

    def receive(sender: str, line: str) -> None:
        if line.strip():
            got.append((sender, line))
        if len(got) == count:
            done.set()

    port.start(receive, lambda: None)
    return got, done


def test_a_port_takes_lines_by_tcp_and_udp_and_is_freed() -> None:
    with contextlib.closing(PortLines(0)) as port:
        got, done = _gather(port, 4)
        with socket.create_connection(("127.0.0.1", port.port)) as tcp:
            tcp.sendall(b"[1, 2]\n[3,")
            time.sleep(0.05)
            tcp.sendall(b" 4]\n[5, 6]")  # the last without an end
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            udp.sendto(b"[7, 8]\n", ("127.0.0.1", port.port))
        assert done.wait(60.0)
        assert sorted(line for _, line in got) == ["[1, 2]", "[3, 4]", "[5, 6]", "[7, 8]"]
        assert len({sender for sender, _ in got}) == 2
        with pytest.raises(PortInUse, match=f"port {port.port}"):
            PortLines(port.port)
    PortLines(port.port).close()


def test_sources() -> None:
    heard: list[str] = []
    ended = threading.Event()
    source = source_of(["[1, 2]", b"[3, 4]"])
    source.start(lambda _, line: heard.append(line), ended.set)
    assert ended.wait(60.0)
    assert heard == ["[1, 2]", "[3, 4]"]
    assert isinstance(source_of("-"), IterableLines)
    bad: list[Any] = ["5005", 3.5, True, 70_000, -1]
    for stream in bad:
        with pytest.raises(ViewerError, match=r"stream is|port is"):
            source_of(stream)
    with pytest.raises(ViewerError, match="no address"):
        PortLines(0, "192.0.2.1")


def test_the_history_of_a_stream_is_a_window() -> None:
    history = History(RP)
    assert history.curves() == []
    for k in range(1000):
        history.add(0.1 * k, Now(np.array([0.1, 1.0]), qd=np.array([1.0, 0.0])))
    forces, energy = history.curves()
    assert forces.t_range == (pytest.approx(79.9), pytest.approx(99.9))
    np.testing.assert_allclose(forces.values[-1], RP.gravity_forces([0.1, 1.0]))
    assert energy.values[-1, 0] == pytest.approx(float(RP.kinetic_energy([0.1, 1.0], [1.0, 0.0])))
    history.add(0.0, Now(np.array([0.1, 1.0]), tau=np.array([5.0, 6.0])))  # the sender has started again
    history.add(1.0, Now(np.array([0.1, 1.0]), tau=np.array([5.0, 6.0])))
    forces, energy = history.curves()
    assert "measured" in forces.title
    assert energy.names == ("potential",)
