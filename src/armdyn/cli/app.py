"""The application: its verbs, and its messages of errors and warnings."""

from __future__ import annotations

import sys
import warnings

import typer

from armdyn._version import __version__
from armdyn.advice import spelled
from armdyn.cli.arguments import as_flag, of_robot
from armdyn.cli.bench import bench
from armdyn.cli.derive import derive
from armdyn.cli.export import export
from armdyn.cli.info import info
from armdyn.cli.masp import PAPERS_ARM, masp
from armdyn.cli.screen import labelled, screen
from armdyn.cli.simulate import ROBOT_OR_SCENARIO, simulate
from armdyn.cli.size import size
from armdyn.cli.study import study
from armdyn.cli.torque import torque
from armdyn.errors import ArmdynError

app = typer.Typer(
    name="armdyn",
    help="The equations of motion of your robot arm. "
    "ROBOT is a bundled name (ur5, puma560, ...), or a URDF or MJCF file.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for verb in (info, torque, size, derive, export, bench):
    app.command()(of_robot(verb))
app.command()(of_robot(simulate, opened=False, annotation=ROBOT_OR_SCENARIO))
app.command()(study)
app.command()(of_robot(masp, opened=False, default="kg_puma", annotation=PAPERS_ARM))


@app.callback(invoke_without_command=True)
def _root(version: bool = typer.Option(False, "--version", help="Say the version and stop.")) -> None:
    if version:
        typer.echo(f"armdyn {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line; bad input ends with exit code 2 and one message, never a traceback."""
    errors = screen(stderr=True)
    warnings.showwarning = lambda message, *_, **__: errors.print(labelled("warning:", "yellow", str(message)))
    try:
        with spelled(as_flag):
            app()
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
