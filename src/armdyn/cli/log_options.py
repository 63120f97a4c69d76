"""Options of verbs that read logs: their columns, units, and gains of drives."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from armdyn.base.errors import ShapeError
from armdyn.cli.arguments import read_joint_vector, read_vector
from armdyn.cli.screen import screen
from armdyn.cli.tables import show_notes
from armdyn.logs import Log, read
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

COLUMNS = (
    "The columns of a quantity (t, q, qd, qdd, tau, current, q_ref): a label with {i} or {joint}, a number from 0, or "
    "a range of numbers FIRST:END without its end; may be repeated."
)

Gains = Annotated[
    str | None,
    typer.Option("--gains", metavar="G,G,...", help="Joint force per current, N m/A or N/A: one or one a joint."),
]
Columns = Annotated[list[str] | None, typer.Option("--columns", metavar="QUANTITY=COLUMNS", help=COLUMNS)]
Units = Annotated[
    list[str] | None,
    typer.Option("--units", metavar="QUANTITY=UNIT", help="The unit of a quantity, such as q=deg; may be repeated."),
]

Drives = Annotated[
    str | None,
    typer.Option(
        "--drives",
        metavar="R,R,...",
        help="Of a log of motors: the gear ratio of each joint, or the file of a matrix, turns of the motor of a row "
        "per turn of the joint of a column.",
    ),
]
Zeros = Annotated[
    str | None,
    typer.Option("--zeros", metavar="Q,Q,...", help="Positions of the joints at which those of the log are zero."),
]

Rate = Annotated[float | None, typer.Option("--rate", help="Rows a second of a log without times, Hz.")]
Topic = Annotated[str | None, typer.Option("--topic", help="Of the joint states in a bag with several.")]


def log_reader(
    robot: Robot,
    gains: str | None,
    columns: Sequence[str] | None,
    units: Sequence[str] | None,
    drives: str | None = None,
    zeros: str | None = None,
) -> Callable[[Any], Log]:
    """The function that reads logs of a robot by these options, and shows what is unusual in them on the terminal.

    Raises:
        ShapeError: gains that are not numbers, texts without an equals sign.
    """
    options = options_of(robot, gains=gains, columns=columns, units=units, drives=drives, zeros=zeros)

    def read_log(source: Any) -> Log:
        log = read(source, robot, **options)
        show_notes(screen(stderr=True), (f"log {log.name!r}: {note}" for note in log.notes))
        return log

    return read_log


def options_of(
    robot: Robot,
    *,
    gains: str | None = None,
    columns: Sequence[str] | None = None,
    units: Sequence[str] | None = None,
    rate: float | None = None,
    topic: str | None = None,
    drives: str | None = None,
    zeros: str | None = None,
) -> dict[str, Any]:
    """The options of `armdyn.logs.read` that are given.

    Raises:
        ShapeError: gains that are not numbers, texts without an equals sign.
    """
    options: dict[str, Any] = (
        {} if gains is None else {"gains": read_joint_vector(gains, "--gains", robot, "gain", spread=True)}
    )
    if columns:
        options["columns"] = {name: _place(text) for name, text in (_pair("--columns", each) for each in columns)}
    if units:
        options["units"] = dict(_pair("--units", each) for each in units)
    if drives is not None:
        options["drives"] = drives_of(drives, robot)
    if zeros is not None:
        options["zeros"] = read_joint_vector(zeros, "--zeros", robot)
    return options | {name: value for name, value in (("rate", rate), ("topic", topic)) if value is not None}


def drives_of(text: str, robot: Robot) -> Array:
    """Gear ratios, or the matrix in a file, with rows of numbers.

    Raises:
        ShapeError: a text that is neither.
    """
    if not Path(text).is_file():
        return read_vector(text, "--drives", robot.dof, labels=robot.joint_names)
    try:
        lines = [re.sub(r"[,;]", " ", line).split() for line in Path(text).read_text().splitlines()]
        return np.array([[float(word) for word in line] for line in lines if line])
    except ValueError as problem:
        raise ShapeError(
            f"--drives {text}: {problem}; expected a file of {robot.dof} rows of {robot.dof} numbers"
        ) from None


def _pair(option: str, text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise ShapeError(
            f"{option} {text!r}: expected QUANTITY=VALUE, for example q={'1:7' if 'c' in option else 'deg'}"
        )
    return name, value


def _place(text: str) -> str | int | slice:
    """A column's number, a range of them, or a label."""
    if re.fullmatch(r"\d+", text):
        return int(text)
    ends = re.fullmatch(r"(\d+):(\d+)", text)
    return slice(int(ends[1]), int(ends[2])) if ends else text
