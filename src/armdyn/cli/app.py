"""The application: its verbs, and its messages of errors and warnings."""

from __future__ import annotations

import inspect
import os
import re
import sys
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import typer
import typer.main

from armdyn._version import __version__
from armdyn.base.advice import spelled
from armdyn.base.errors import ArmdynError
from armdyn.cli.arguments import as_flag, of_named_robot, of_robot
from armdyn.cli.bench import bench
from armdyn.cli.collisions import collisions
from armdyn.cli.compensate import compensate
from armdyn.cli.convert import convert
from armdyn.cli.derive import derive
from armdyn.cli.diff import diff
from armdyn.cli.doctor import doctor
from armdyn.cli.excite import excite
from armdyn.cli.export import export
from armdyn.cli.fk import fk
from armdyn.cli.gains import gains
from armdyn.cli.identify import identify
from armdyn.cli.ik import ik
from armdyn.cli.info import info
from armdyn.cli.jacobian import jacobian
from armdyn.cli.list_robots import list_robots
from armdyn.cli.masp import PAPERS_ARM, masp
from armdyn.cli.page import page
from armdyn.cli.payload import payload
from armdyn.cli.report import report
from armdyn.cli.screen import labelled, screen
from armdyn.cli.simulate import ROBOT_OR_SCENARIO, simulate
from armdyn.cli.size import size
from armdyn.cli.study import study
from armdyn.cli.torque import torque
from armdyn.cli.view import view

app = typer.Typer(
    name="armdyn",
    help="The equations of motion of your robot arm. "
    "ROBOT is a bundled name (ur5, puma560, ...), or a URDF or MJCF file.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _paragraphs(verb: Callable[..., None]) -> str:
    """The documentation of a verb with paragraphs in one line, which the window wraps."""
    return re.sub(r"(?<=\S)\n(?=\S)", " ", inspect.getdoc(verb) or "")


def _add(verb: Callable[..., None], name: str | None = None) -> None:
    app.command(name, help=_paragraphs(verb))(verb)


OF_ROBOTS: tuple[Callable[..., None], ...] = (
    *(
        fk,
        ik,
        jacobian,
        torque,
        size,
        excite,
        identify,
        gains,
        payload,
        compensate,
        collisions,
        derive,
        export,
        convert,
        view,
        page,
        bench,
    ),
)
"""The verbs that are called with the robot that ROBOT names."""

_add(list_robots, "list")
_add(of_robot(info, opened=False))
for verb in OF_ROBOTS:
    _add(of_robot(verb))
_add(of_robot(simulate, opened=False, annotation=ROBOT_OR_SCENARIO))
_add(doctor)
_add(diff)
_add(study)
_add(of_named_robot(report))
_add(of_robot(masp, opened=False, default="kg_puma", annotation=PAPERS_ARM))


@app.callback(invoke_without_command=True)
def _root(version: bool = typer.Option(False, "--version", help="Say the version and stop.")) -> None:
    if version:
        typer.echo(f"armdyn {__version__}")
        raise typer.Exit


@cache
def command() -> Callable[..., Any]:
    """The verbs and their options as one command, made of the application once a process."""
    return typer.main.get_command(app)


def main() -> None:
    """Run the command line; bad input ends with exit code 2 and one message, never a traceback."""
    errors = screen(stderr=True)
    warnings.showwarning = lambda message, *_, **__: errors.print(labelled("warning:", "yellow", str(message)))
    try:
        with spelled(as_flag):
            try:
                command()(prog_name="armdyn")
            finally:
                if sys.stdout is not None:  # as it is in a shell after >&-
                    sys.stdout.flush()
    except BrokenPipeError:  # whoever read the output has gone, as in "armdyn list | head -1"
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for Python flushes once more at its end
        sys.exit(1)
    except (ArmdynError, OSError) as error:
        errors.print(labelled(f"{type(error).__name__}:", "bold red", str(error)), soft_wrap=True)
        sys.exit(2)
    except MemoryError as error:
        reason = f": {error}" if str(error) else ""
        advice = f"not enough memory{reason}. Ask for less at once, such as fewer states."
        errors.print(labelled("MemoryError:", "bold red", advice), soft_wrap=True)
        sys.exit(2)
    except KeyboardInterrupt:
        errors.print("interrupted")
        sys.exit(130)
