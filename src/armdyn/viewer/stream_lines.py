"""Streams with one state per line, JSON or CSV, from a running robot, a growing log, or any program."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.base.errors import ArmdynError, UnknownName, excerpt
from armdyn.formats.tables.words import csv_rows, is_number
from armdyn.logs.errors import LogError
from armdyn.logs.headings import Heading, heading_of
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array
from armdyn.viewer.errors import StreamError

LONGEST_LINE = 100_000
"""Largest number of characters of a line; longer ones are refused."""

LONGEST_COMPLAINT = 300
"""Largest number of characters of the reason for which a line is skipped."""

ROS_NAMES = {"position": "q", "velocity": "qd", "effort": "tau"}
"""Quantities by array of a ROS JointState message, in addition to ``name``."""

FORMAT = """one state a line. JSON: {"q": [...]} with a number for each joint, rad or m, and "t", s, "qd", "qdd", "tau"
if they are known; or an array of q alone; or ROS's {"name": [...], "position": [...], "velocity": [...], "effort":
[...]}. csv: q, then qd, then qdd of all joints, with the time in front or not; or any columns named by a first line
such as "t,q_elbow [deg],tau_elbow"."""
"""A description of the format, for help texts."""


@dataclass(frozen=True, eq=False)
class StreamState:
    """The state of a line: q, rad or m, shape (n,), and, if present, t, s, qd, qdd and tau."""

    q: Array
    t: float | None = None
    qd: Array | None = None
    qdd: Array | None = None
    tau: Array | None = None


class LineReader:
    """Reads the lines of one stream; its first line may contain the names of the columns.

    >>> reader = LineReader(armdyn.load("rp"))
    >>> reader.read('{"q": [0.5, 0.1]}').q
    array([0.5, 0.1])
    >>> reader.read("t, q_joint_2 [mm], q_joint_1 [deg]") is None
    True
    >>> reader.read("0.01, 100, 180").q.round(6)
    array([3.141593, 0.1     ])
    """

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self._named: Heading | None = None
        self._unnamed: dict[int, Heading] = {}
        self._last: Array | None = None

    def read(self, line: str) -> StreamState | None:
        """The state in a line; None if it is blank or a header.

        Raises:
            StreamError: a wrong number of values, a value that is not a finite number, invalid JSON, a line that is too
                long.
            UnknownName: a joint that the robot does not have.
        """
        text = line.strip().removeprefix("\ufeff")
        if not text:
            return None
        if len(text) > LONGEST_LINE:
            raise StreamError(f"a line of {len(text)} characters; expected one state, {LONGEST_LINE} at most")
        state = self._json(text) if text[0] in "{[" else self._csv(text)
        if state is not None:
            self._last = state.q
        return state

    def _csv(self, text: str) -> StreamState | None:
        (_, row), *_ = csv_rows(text, "stream", "a state", StreamError)
        words = [word.strip() for word in row]
        if not is_number(words[0]):
            self._named = self._heading(words, "stream")
            return None
        heading = self._named
        if heading is None:
            if len(words) not in self._unnamed:
                self._unnamed[len(words)] = self._heading(len(words), "a line")
            heading = self._unnamed[len(words)]
        elif len(words) != heading.width:
            raise StreamError(f"a line has {len(words)} values; expected {heading.width}, as its header has")
        result: dict[str, Any] = {name: np.empty(self.robot.dof) for name in heading.quantities if name != "t"}
        for column in heading.columns:
            value = _number(column.name, words[column.place]) * column.factor
            if column.quantity == "t":
                result["t"] = value
            else:
                result[column.quantity][column.joint] = value
        return StreamState(**result)

    def _heading(self, labels: list[str] | int, source: str) -> Heading:
        try:
            return heading_of(labels, self.robot, source)
        except LogError as error:
            raise StreamError(str(error)) from None

    def _json(self, text: str) -> StreamState:
        try:
            data = json.loads(text, parse_constant=float)
        except (ValueError, RecursionError) as error:
            raise StreamError(f"a line is not JSON: {error}") from None
        if isinstance(data, list):
            data = {"q": data}
        if "name" in data:
            return self._ros(data)
        if data.get("q") is None:
            raise StreamError(f'a line has no q: {excerpt(text)}; expected {{"q": [...]}}, a number for each joint')
        arrays = {
            name: self._array(name, data[name]) for name in ("q", "qd", "qdd", "tau") if data.get(name) is not None
        }
        t = data.get("t")
        return StreamState(t=None if t is None else _number("t", t), **arrays)

    def _array(self, name: str, values: object) -> Array:
        n = self.robot.dof
        if not isinstance(values, list) or len(values) != n:
            has = f"{len(values)} numbers" if isinstance(values, list) else excerpt(values)
            joints = ", ".join(self.robot.joint_names)
            raise StreamError(f"{name} of a line has {has}; expected {n}, one for each joint: {joints}")
        return np.array(
            [_number(f"{name} of {joint}", x) for joint, x in zip(self.robot.joint_names, values, strict=True)]
        )

    def _ros(self, data: Mapping[str, object]) -> StreamState:
        """A joint state of ROS: joints by name, in any order; omitted joints keep their positions."""
        names, joints = data["name"], self.robot.joint_names
        if not isinstance(names, list) or not isinstance(data.get("position"), list):
            raise StreamError('a line has "name" and no "position"; expected a list of each, as of ROS\'s JointState')
        places = {name: k for k, name in enumerate(names) if name in joints}
        if not places:
            raise UnknownName.of("joint", str(names[0]) if names else "", joints, f"{self.robot.name!r}, in a line")
        result: dict[str, Array] = {}
        for key, quantity in ROS_NAMES.items():
            values = data.get(key) or []
            if not isinstance(values, list) or (values and len(values) != len(names)):
                raise StreamError(f"{key} of a line does not have {len(names)} numbers, one for each of its names")
            if values and (key == "position" or set(places) == set(joints)):
                start = (
                    (np.zeros(len(joints)) if self._last is None else self._last)
                    if quantity == "q"
                    else np.zeros(len(joints))
                )
                result[quantity] = np.array(start)
                for name, k in places.items():
                    result[quantity][joints.index(name)] = _number(f"{key} of {name}", values[k])
        if "q" not in result:
            raise StreamError("a line has no positions; expected one for each of its names")
        return StreamState(t=_stamp(data), **result)


def _stamp(data: Mapping[str, object]) -> float | None:
    """The time of a joint state of ROS, s; None if it has none."""
    header = data.get("header")
    stamp = header.get("stamp") if isinstance(header, Mapping) else None
    if not isinstance(stamp, Mapping):
        return None
    try:
        parts = float(stamp.get("sec", stamp.get("secs", 0))), float(stamp.get("nanosec", stamp.get("nsecs", 0)))
    except (TypeError, ValueError, OverflowError):
        return None
    seconds = parts[0] + 1e-9 * parts[1]
    return seconds if seconds > 0.0 and math.isfinite(seconds) else None


def _number(name: str, value: Any) -> float:
    """A finite number in a line; raises StreamError for anything else."""
    try:
        result = (
            math.nan if isinstance(value, bool) or (isinstance(value, str) and not is_number(value)) else float(value)
        )
    except (TypeError, ValueError, OverflowError):
        result = math.nan
    if not math.isfinite(result):
        raise StreamError(f"{name} is {excerpt(value)}; expected a finite number")
    return result


def complaint(error: Exception, line: int) -> str:
    """The reason why a line contains no state, as one line of printable characters.

    >>> complaint(StreamError("t is nan"), 7)
    'line 7 passed over: t is nan'
    """
    words = str(error) if isinstance(error, ArmdynError) else f"it cannot be shown ({type(error).__name__})"
    printable = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in words)
    return f"line {line} passed over: {printable[:LONGEST_COMPLAINT]}"
