"""The forms into which ``armdyn convert`` puts a robot: tables for the screen, data for JSON, a module of Python."""

from __future__ import annotations

import dataclasses
import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from rich.table import Table

from armdyn.base.errors import ModelError
from armdyn.cli.tables import figure, figures, new_table
from armdyn.formats.dh import DHTable
from armdyn.formats.export.screws import Screws
from armdyn.formats.zero_reference import ZeroReference
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

LONGEST = 80
"""Characters of a call that stays on a line of Python."""


class Converted:
    """A robot in another description."""

    def tables(self) -> list[Table]:
        """The tables for the screen; none if the text itself is shown."""
        return []

    @abstractmethod
    def data(self) -> dict[str, Any]:
        """Everything, for JSON."""

    def xml(self) -> str:
        """The text of a URDF or MJCF file."""
        raise NotImplementedError

    def python(self) -> str:
        """A module of Python that makes the robot."""
        raise NotImplementedError


@dataclasses.dataclass(frozen=True)
class InXml(Converted):
    """A robot as the text of a URDF or MJCF file.

    Args:
        kind: "urdf" or "mjcf".
        write: returns the text.
    """

    kind: str
    write: Callable[[], str]

    def xml(self) -> str:
        """The text."""
        return self.write()

    def data(self) -> dict[str, Any]:
        """The text as one string."""
        return {self.kind: self.xml()}


@dataclasses.dataclass(frozen=True)
class AsArguments(Converted):
    """A robot as the arguments of a function that makes one.

    Args:
        reader: its name, such as "from_dh".
        arguments: by name.
    """

    reader: str
    arguments: Mapping[str, Any]

    def data(self) -> dict[str, Any]:
        """The arguments, under the name of the function."""
        return {self.reader: jsonable(self.arguments)}

    def python(self) -> str:
        """A module that calls the function."""
        lines = [f"    {name}={literal(value, '    ')},\n" for name, value in self.arguments.items()]
        text = "".join(lines)
        classes = [name for name in ("DHRow", "Inertia", "Limits", "Robot") if f"{name}(" in text or name == "Robot"]
        return (
            f'"""The robot {self.arguments["name"]!a}, written by armdyn: SI units, angles in rad."""\n\n'
            f"from armdyn import {', '.join(classes)}\n\n"
            f"robot = Robot.{self.reader}(\n{text})\n"
        )


@dataclasses.dataclass(frozen=True)
class InDH(AsArguments):
    """A Denavit-Hartenberg table."""

    def tables(self) -> list[Table]:
        """A row a joint, and the poses at both ends."""
        angles = ("alpha,\ndeg", "theta,\ndeg")
        table = new_table(
            f"Denavit-Hartenberg table of {self.arguments['name']}, {self.arguments['convention']} convention",
            *("joint", "type", "a, m", angles[0], "d, m", angles[1]),
        )
        for name, row in zip(self.arguments["joint_names"], self.arguments["rows"], strict=True):
            lengths = _length(row.a), _angle(row.alpha), _length(row.d), _angle(row.theta)
            table.add_row(name, row.kind, *lengths)
        return [table, *_pose_tables({"base": self.arguments["base"], "tool": self.arguments["tool"]})]


@dataclasses.dataclass(frozen=True)
class InScrews(AsArguments):
    """Modern Robotics' lists."""

    def tables(self) -> list[Table]:
        """A space screw axis a joint, and the home pose of the tip."""
        table = new_table(
            f"Space screw axes of {self.arguments['name']}", "joint", "wx", "wy", "wz", "vx, m", "vy, m", "vz, m"
        )
        for name, screw in zip(self.arguments["joint_names"], self.arguments["Slist"].T, strict=True):
            table.add_row(name, *_vector(screw))
        M = np.linalg.multi_dot(self.arguments["Mlist"])
        return [table, *_pose_tables({"M": M})]


@dataclasses.dataclass(frozen=True)
class InZeroReference(AsArguments):
    """A zero reference position."""

    def tables(self) -> list[Table]:
        """Axis, point and body vector of every joint; the hand."""
        table = new_table(
            f"Zero reference position of {self.arguments['name']}, base axes",
            *("joint", "type", "axis u", "point Q, m", "c, m", "mass, kg"),
        )
        a = self.arguments
        columns = (a["joint_names"], a["kinds"], a["axes"], a["points"], a["c"], a["masses"])
        for name, kind, *vectors, mass in zip(*columns, strict=True):
            table.add_row(name, kind, *(figures(v, size=1.0) for v in vectors), figure(mass))
        hand = new_table("Hand", "point h, m", "axial u_a", "transverse u_t")
        hand.add_row(*(figures(a[key], size=1.0) for key in ("hand", "axial", "transverse")))
        return [table, hand]


def _vector(values: Array) -> list[str]:
    return figures(values, size=1.0, digits=6, width=10).split()


def _length(x: float) -> str:
    return figure(x, digits=6, width=10)


def _angle(x: float) -> str:
    return figure(math.degrees(x), digits=6, width=10)


def _pose_tables(poses: Mapping[str, Array]) -> list[Table]:
    """Those that are not the identity."""
    tables = []
    for name, T in poses.items():
        if np.abs(T - np.eye(4)).max() > 1e-12:
            table = new_table(name, "", "", "", "")
            table.show_header = False
            for row in T:
                table.add_row(*_vector(row))
            tables.append(table)
    return tables


def _dh(robot: Robot, convention: str | None) -> Converted:
    table: DHTable = robot.to_dh(convention)  # type: ignore[arg-type] # None is refused with the reason
    return InDH("from_dh", _that_read("from_dh", table.arguments()))


def _screws(robot: Robot, _: str | None) -> Converted:
    lists: Screws = robot.to_screws()
    others = {"gravity": robot.gravity, "name": robot.name, "joint_names": robot.joint_names}
    return InScrews("from_screws", _that_read("from_screws", {**lists._asdict(), **others}))


def _zero_reference(robot: Robot, _: str | None) -> Converted:
    zero: ZeroReference = robot.to_zero_reference()
    return InZeroReference("from_zero_reference", _that_read("from_zero_reference", zero.arguments()))


def _that_read(reader: str, arguments: dict[str, Any]) -> dict[str, object]:
    """The arguments, with check_inertia=False if the robot's inertias require it."""
    try:
        getattr(Robot, reader)(**arguments)
    except ModelError:
        arguments = {**arguments, "check_inertia": False}
        getattr(Robot, reader)(**arguments)
    return arguments


CONVERSIONS: dict[str, Callable[[Robot, str | None], Converted]] = {
    "urdf": lambda robot, _: InXml("urdf", robot.to_urdf),
    "mjcf": lambda robot, _: InXml("mjcf", robot.to_mjcf),
    "dh": _dh,
    "screws": _screws,
    "zero_reference": _zero_reference,
}
"""The writers by the word of --to."""


def jsonable(value: object) -> Any:
    """A value with dataclasses as mappings."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: jsonable(getattr(value, f.name)) for f in dataclasses.fields(value) if f.init}
    if isinstance(value, Mapping):
        return {key: jsonable(part) for key, part in value.items()}
    return [jsonable(part) for part in value] if isinstance(value, list | tuple) else value


def literal(value: object, indent: str = "") -> str:
    """A value as Python writes it, arrays as lists; fields of dataclasses that have their defaults are left out.

    >>> literal({"q": np.array([0.5, np.inf])})
    "{'q': [0.5, float('inf')]}"
    """
    if isinstance(value, np.ndarray):
        return literal(value.tolist(), indent)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f"float({str(value)!r})"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _call(value, indent)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!a}: {literal(part, indent)}" for key, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        return _list(value, indent)
    return ascii(value)


def _list(values: list[Any] | tuple[object, ...], indent: str) -> str:
    """On one line if it holds numbers or names alone."""
    if not any(isinstance(part, list | tuple | np.ndarray) or dataclasses.is_dataclass(part) for part in values):
        return f"[{', '.join(literal(part) for part in values)}]"
    inner = indent + "    "
    return "[\n" + "".join(f"{inner}{literal(part, inner)},\n" for part in values) + f"{indent}]"


def _call(value: object, indent: str) -> str:
    """A dataclass, a field a line if it is long."""
    name, fields = type(value).__name__, ", ".join(_fields(value, indent))
    if len(fields) <= LONGEST and "\n" not in fields:
        return f"{name}({fields})"
    inner = indent + "    "
    return f"{name}(\n" + "".join(f"{inner}{field},\n" for field in _fields(value, inner)) + f"{indent})"


def _fields(value: Any, indent: str) -> list[str]:
    result = []
    for field in dataclasses.fields(value):
        part = getattr(value, field.name)
        default = field.default_factory() if callable(field.default_factory) else field.default
        if not field.init or _same(part, default):
            continue
        result.append(f"{field.name}={literal(part, indent)}")
    return result


def _same(one: Any, other: Any) -> bool:
    if other is dataclasses.MISSING:
        return False
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, other))
    if dataclasses.is_dataclass(one):
        return all(_same(getattr(one, f.name), getattr(other, f.name)) for f in dataclasses.fields(one))
    return bool(one == other)
