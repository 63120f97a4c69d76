"""Lines of a stream, damaged: JSON, joint states as ROS has them, csv with a header or without."""

from __future__ import annotations

import json
import math
import warnings
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

import armdyn
from armdyn.viewer.curves import History
from armdyn.viewer.numbers import Now, numbers_html
from armdyn.viewer.stream_lines import LineReader, StreamState, complaint
from fuzz import plain_data
from fuzz.cases import Finding, Stage, Verdict
from fuzz.damage import now_and_then_damaged

JOINTS = ("turn", "slide")
WORDS = ("t", "q", "qd", "qdd", "tau", "name", "position", "velocity", "effort", "header", "stamp", "sec", "nanosec",
         "secs", "nsecs", "turn", "slide", "joint")  # fmt: skip
ODD = (
    *(10**400, -(10**400), 10**5000, 1e308, -1e308, 5e-324, [], [[]], {}, None, "\ud800", "\0", "turn", ["turn"]),
    *("1e400", -0.0, 1e17, "q"),
)
HEADERS = (
    *("t,q_turn,q_slide", "q_turn [deg],q_slide [mm]", "t [ms],q_slide,q_turn,tau_turn,tau_slide", "t", "q_turn", ""),
    *("t,q_turn,q_slide,qd_turn", "q_turn,q_turn", '"q_turn","q_slide"', "q_slide\tq_turn", "t;q_turn;q_slide;x", "x"),
    *("t,q_turn,q_slide,", "tau_turn,tau_slide", "q_turn [lb],q_slide", "\ufeffq_turn,q_slide", "q_turn ,q_slide,,"),
)


class StreamLines:
    """A few lines of one sender, most of them changed."""

    name, suffix = "stream_lines", ".txt"

    @cached_property
    def robot(self) -> armdyn.Robot:
        """A joint that turns and one that slides."""
        body = armdyn.Inertia(1.0, [0.1, 0.0, 0.0], 0.01 * np.eye(3))
        parts = [
            armdyn.Part("a", "base", joint="turn", axis=(0, 0, 1), inertia=body),
            armdyn.Part("b", "a", "prismatic", joint="slide", axis=(1, 0, 0), inertia=body),
        ]
        return armdyn.Robot.from_links(parts, tip="b")

    def make(self, rng: Random) -> bytes:
        """One to four lines."""
        lines = [rng.choice((_json, _json, _ros, _ros, _csv, _header))(rng) for _ in range(rng.choice((1, 2, 2, 4)))]
        return b"\n".join(now_and_then_damaged(line, rng, 4) for line in lines)

    def judge(self, data: bytes, stage: Stage) -> Verdict:
        """Each line is a state that can be shown, nothing, or an error of ours in one line that can be printed."""
        stage("armdyn")
        reader, history = LineReader(self.robot), History(self.robot)
        outcomes = [
            self._line(reader, history, line.decode(errors="replace"), k) for k, line in enumerate(_lines(data))
        ]
        found = next((one for one in outcomes if isinstance(one, Finding)), None)
        return Verdict("states" if "state" in outcomes else "no state", found)

    def _line(self, reader: LineReader, history: History, line: str, k: int) -> Finding | str:
        try:
            state = reader.read(line)
        except armdyn.ArmdynError as error:
            words = complaint(error, k)
            words.encode()
            return "refused" if "\n" not in words and words.isprintable() else Finding("exception", "message", words)
        if state is None:
            return "nothing"
        if not _is_whole(state):
            return Finding("difference", "no state", repr(state))
        now = Now(state.q, qd=state.qd, tau=state.tau, tau_of="measured")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            history.add(float(k) if state.t is None else state.t, now)
            history.curves()
            numbers_html(self.robot, now).encode()
        return "state"


def _lines(data: bytes) -> list[bytes]:
    return data.split(b"\n")


def _is_whole(state: StreamState) -> bool:
    """Whether it has a finite number for each joint, of all that it has."""
    arrays = [values for values in (state.q, state.qd, state.qdd, state.tau) if values is not None]
    shapes = all(values.shape == (2,) and values.dtype == np.float64 for values in arrays)
    return shapes and all(np.isfinite(values).all() for values in arrays) and math.isfinite(state.t or 0.0)


def _two(rng: Random) -> list[Any]:
    return [rng.choice((rng.uniform(-4, 4), rng.randint(-3, 3), 0)) for _ in JOINTS]


def _json(rng: Random) -> bytes:
    data: Any = {"q": _two(rng)}
    data |= {name: _two(rng) for name in ("qd", "qdd", "tau") if rng.random() < 0.3}
    if rng.random() < 0.5:
        data["t"] = rng.uniform(0, 100)
    return _changed(data if rng.random() < 0.8 else data["q"], rng)


def _ros(rng: Random) -> bytes:
    names = list(JOINTS)
    rng.shuffle(names)
    if rng.random() < 0.3:
        names.insert(rng.randrange(3), "gripper")
    numbers = lambda: [rng.uniform(-3, 3) for _ in names]  # noqa: E731
    data: Any = {"name": names, "position": numbers(), "velocity": [], "effort": []}
    for name in ("position", "velocity", "effort"):
        data[name] = rng.choice((numbers(), numbers(), numbers(), []))
    if rng.random() < 0.6:
        second, part = rng.choice((("sec", "nanosec"), ("secs", "nsecs")))
        data["header"] = {"stamp": {second: rng.randrange(2**31), part: rng.randrange(10**9)}, "frame_id": ""}
    return _changed(data, rng)


def _changed(data: Any, rng: Random) -> bytes:
    """As JSON, with a change or two."""
    for _ in range(rng.choice((0, 0, 1, 2))):
        plain_data.changed(data, rng, WORDS)
    if rng.random() < 0.4:
        _put(data, rng.choice(ODD), rng)
    return json.dumps(data, ensure_ascii=rng.random() < 0.5, default=str).encode(errors="replace")


def _put(data: Any, value: Any, rng: Random) -> None:
    """An odd value somewhere."""
    place = data
    while place:
        key: Any = rng.choice(list(place) if isinstance(place, dict) else range(len(place)))
        if not isinstance(place[key], dict | list) or rng.random() < 0.3:
            place[key] = value if value != 10**5000 else int("9" * 4300)
            return
        place = place[key]


def _csv(rng: Random) -> bytes:
    words = [repr(rng.uniform(-3, 3)) for _ in range(rng.choice((2, 2, 3, 3, 4, 5, 6, 7, 1, 9)))]
    if rng.random() < 0.4:
        words[rng.randrange(len(words))] = rng.choice(
            ("", "nan", "inf", "1e400", "x", '"1"', "1,5", "0x1", " 2 ", "9" * 400)
        )
    return rng.choice((",", ",", ", ", ";", "\t")).join(words).encode()


def _header(rng: Random) -> bytes:
    return rng.choice(HEADERS).encode()
