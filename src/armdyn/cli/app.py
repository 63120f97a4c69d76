"""The application: its verbs, and its messages of errors and warnings."""

from __future__ import annotations

import os
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
from armdyn.base.writing import making_folders
from armdyn.cli.screen import labelled, screen
from armdyn.cli.verbs import MARKUP, VerbGroup

app = typer.Typer(
    name="armdyn",
    cls=VerbGroup,
    help="The equations of motion of your robot arm. "
    "ROBOT is a bundled name (ur5, puma560, ...), or a URDF or MJCF file.",
    no_args_is_help=True,
    rich_markup_mode=MARKUP,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _root(version: bool = typer.Option(False, "--version", help="Print the version and exit.")) -> None:
    if version:
        typer.echo(f"armdyn {__version__}")
        raise typer.Exit


@cache
def command() -> Callable[..., Any]:
    """The verbs and their options as one command, made of the application once a process."""
    return typer.main.get_command(app)


def _as_flag(name: str, value: object) -> str:
    from armdyn.cli.arguments import as_flag  # noqa: PLC0415 - an error of a robot has imported it before

    return as_flag(name, value)


def main() -> None:
    """Run the command line; bad input ends with exit code 2 and one message, never a traceback."""
    errors = screen(stderr=True)
    warnings.showwarning = lambda message, *_, **__: errors.print(labelled("warning:", "yellow", str(message)))
    try:
        with spelled(_as_flag), making_folders():
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
        advice = f"not enough memory{reason}. Use fewer states at once."
        errors.print(labelled("MemoryError:", "bold red", advice), soft_wrap=True)
        sys.exit(2)
    except KeyboardInterrupt:
        errors.print("interrupted")
        sys.exit(130)
