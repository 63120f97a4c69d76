"""JSON, one state a line, as a running robot sends it and the viewer shows it: read as a log."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.logs import Log, LogError, read
from armdyn.viewer.stream_lines import LineReader

ARM = armdyn.load("planar_2r")
NAMES = list(ARM.joint_names)
T = np.arange(60) * 0.01
Q = np.stack([0.5 * np.sin(2.0 * T), 0.7 * np.sin(3.0 * T) + 0.1], axis=-1)
QD = np.stack([np.cos(2.0 * T), 2.1 * np.cos(3.0 * T)], axis=-1)
TAU = np.random.default_rng(1).normal(size=Q.shape)


def states() -> list[str]:
    rows = zip(T.tolist(), Q.tolist(), QD.tolist(), TAU.tolist(), strict=True)
    return [json.dumps({"t": t, "q": q, "qd": qd, "tau": tau}) for t, q, qd, tau in rows]


def ros() -> list[str]:
    """ROS's joint states, in another order of joints in every second line, with a gripper."""
    lines = []
    for k, t in enumerate(T):
        places = [1, 0] if k % 2 else [0, 1]
        ns = 1_764_400_000_000_000_000 + round(1e9 * t)
        lines.append(
            json.dumps(
                {
                    "header": {"stamp": {"sec": ns // 10**9, "nanosec": ns % 10**9}},
                    "name": [*(NAMES[p] for p in places), "gripper"],
                    "position": [*(Q[k, p] for p in places), 0.5],
                    "velocity": [*(QD[k, p] for p in places), 0.0],
                    "effort": [*(TAU[k, p] for p in places), 0.0],
                }
            )
        )
    return lines


def assert_states(log: Log) -> None:
    np.testing.assert_array_equal(log.q, Q)
    np.testing.assert_array_equal(log.qd, QD)
    np.testing.assert_array_equal(log.tau, TAU)
    np.testing.assert_allclose(log.t, T, rtol=0, atol=1e-15)


@pytest.mark.parametrize("lines", [states(), ros()], ids=["armdyn", "ROS"])
def test_lines_of_a_stream_files_and_standard_input(
    lines: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def running() -> Iterator[bytes]:
        for line in lines:
            yield line.encode() + b"\n"

    assert_states(read(running(), ARM))
    (tmp_path / "run.jsonl").write_text("\n".join(lines) + "\n")
    assert_states(read(tmp_path / "run.jsonl", ARM))
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))
    assert_states(read("-", ARM))


@pytest.mark.parametrize("lines", [states(), ros()], ids=["armdyn", "ROS"])
def test_a_log_has_the_states_that_the_viewer_shows(lines: list[str]) -> None:
    reader = LineReader(ARM)
    shown = [reader.read(line) for line in lines]
    log = read(lines, ARM)
    np.testing.assert_array_equal(log.q, [state.q for state in shown if state is not None])
    np.testing.assert_array_equal(log.tau, [state.tau for state in shown if state is not None])


def test_lines_without_a_state_are_left_out_and_named() -> None:
    lines = states()
    lines[3] = lines[3][:20]
    lines[5] = '{"status": "moving"}'
    lines[7] = '{"t": 0.07, "q": [1.0]}'
    lines[9] = '{"t": 0.09, "q": [null, 0.1], "qd": [0, 0], "tau": [0, 0]}'
    lines[11] = json.dumps({"t": 0.11, "q": Q[11].tolist(), "qd": [0.0], "tau": [0.0, 0.0]})
    lines[13] = '{"name": ["joint_1"], "position": [0.5]}'
    log = read(lines, ARM)
    np.testing.assert_array_equal(log.q, np.delete(Q, [3, 5, 7, 9, 11, 13], axis=0))
    said = " ".join(log.notes)
    for words in (
        "1 line without JSON left out: line 4",
        "1 line without q and without names of joints left out: line 6",
        "1 line whose q has another number of joints than 2 left out: line 8",
        "2 rows with NaN or infinity left out: lines 10, 12",
        "1 line with names of joints left out: line 14",
    ):
        assert words in said


def test_positions_alone_need_a_rate() -> None:
    lines = [json.dumps(q) for q in Q.tolist()]
    np.testing.assert_array_equal(read(lines, ARM, rate=100.0).q, Q)
    with pytest.raises(LogError, match="has no column t, so that its rows have no times"):
        read(lines, ARM)
    by_name = [json.dumps({"name": NAMES, "position": q}) for q in Q.tolist()]
    np.testing.assert_array_equal(read(by_name, ARM, rate=100.0).q, Q)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1}\n{}\n', "has no line with a state"),
        ('{"t": 0, "q": [1, 2, 3]}\n', r"q has shape \(1, 3\); expected \(rows, 2\)"),
        ('{"t": 0, "name": ["a", "b"], "position": [1, 2]}\n', "no column 'q_a'"),
    ],
)
def test_streams_of_something_else(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_text(text)
    with pytest.raises(armdyn.ArmdynError, match=words):
        read(tmp_path / "run.jsonl", ARM)


@pytest.mark.parametrize("seed", range(20))
def test_damaged_lines_raise_no_other_errors(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lines: list[Any] = [*states()[:20], *ros()[:10]]
    for _ in range(30):
        k = int(rng.integers(len(lines)))
        line = list(lines[k])
        if line:
            line[int(rng.integers(len(line)))] = chr(int(rng.integers(32, 127)))
        lines[k] = "".join(line)
    with contextlib.suppress(armdyn.ArmdynError):
        read(lines, ARM)
