"""The verbs of the command line by name; the module of a verb is imported when the verb runs or its help is shown."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, Literal, NamedTuple

import typer
import typer.core
import typer.main


class Verb(NamedTuple):
    """The function of a verb, its first argument, and the first paragraph of its documentation.

    Args:
        function: module in `armdyn.cli` and function, e.g. "fk.fk".
        robot: the first argument: "opened", a Robot; "described", the text of ROBOT and its options; "named", ROBOT as
            an option; "none".
        summary: first paragraph of the function's documentation.
    """

    function: str
    robot: Literal["opened", "described", "named", "none"]
    summary: str


VERBS: Mapping[str, Verb] = {
    "list": Verb(
        "list_robots.list_robots",
        "none",
        "The bundled robots: their joints, their kinds, and the sources of their numbers.",
    ),
    "info": Verb("info.info", "described", "Show joints, limits, masses and inertias; operation counts with --cost."),
    "fk": Verb("fk.fk", "opened", "Forward kinematics: poses of frames in base axes."),
    "ik": Verb("ik.ik", "opened", "Inverse kinematics: joint positions that bring a frame to its target."),
    "jacobian": Verb(
        "jacobian.jacobian",
        "opened",
        "Jacobian of a frame: (w, v) = J qd, angular part first, rad and m for a rad or m of each joint.",
    ),
    "torque": Verb("torque.torque", "opened", "Joint forces of a motion by inverse dynamics, N m or N."),
    "size": Verb(
        "size.size", "opened", "Motors and gears that do a task: every motor with every gear, for each joint."
    ),
    "excite": Verb("excite.excite", "opened", "A motion whose logs determine the arm's parameters best."),
    "identify": Verb(
        "identify.identify",
        "opened",
        "Inertias, friction and armatures of the arm from logs of its joints, with intervals of 95 %.",
    ),
    "gains": Verb(
        "gains.gains",
        "opened",
        "Gains of the drives, joint force per current, with intervals of 95 %, from a body of known mass.",
    ),
    "payload": Verb(
        "payload.payload",
        "opened",
        "Mass, centre of mass and inertia of a body on the arm, with intervals of 95 %.",
    ),
    "compensate": Verb(
        "compensate.compensate",
        "opened",
        "Gravity and friction compensation as C99: limits, a ramp, a payload as an argument, a self-test.",
    ),
    "collisions": Verb(
        "collisions.collisions",
        "opened",
        "Forces from outside in a log, by the residual of a momentum observer: when, at which joints, how large.",
    ),
    "derive": Verb("derive.derive", "opened", "Equations of motion in closed form, derived step by step."),
    "export": Verb("export.export", "opened", "Functions of a robot as code for other languages and tools."),
    "convert": Verb(
        "convert.convert",
        "opened",
        "Write a robot as URDF, MJCF, Denavit-Hartenberg table, screws or zero reference position.",
    ),
    "view": Verb("view.view", "opened", "A view of the robot in the browser, until Ctrl-C."),
    "page": Verb(
        "page.page",
        "opened",
        "A robot as one HTML file: seen, moved by sliders, let fall, with its equations and parameters.",
    ),
    "bench": Verb(
        "bench.bench",
        "opened",
        "Time every function: first call, one state a call, large batches; and motions by the adaptive method.",
    ),
    "simulate": Verb(
        "simulate.simulate",
        "described",
        "Let the arm move, and show its motion and the balance of its energy.",
    ),
    "doctor": Verb("doctor.doctor", "none", "Find what is wrong with URDF, MJCF and xacro files, and propose repairs."),
    "diff": Verb(
        "diff.diff",
        "none",
        "Show how two descriptions of a robot differ, the largest difference first; exit code 1 if they do.",
    ),
    "study": Verb(
        "study.study",
        "none",
        "Run an arm many times, from other states or with other parameters, on all cores.",
    ),
    "report": Verb(
        "report.report",
        "named",
        "A motion as a document, HTML or PDF: limits, forces, energy, figures, the tip's path, versions and digests.",
    ),
    "masp": Verb(
        "masp.masp",
        "described",
        "Manipulator analysis and simulation, as Kazerounian and Gupta's program of 1985: from a FILE, or a circle.",
    ),
}
"""The verbs in the order of the help; the summaries show in it without their modules being imported."""

MARKUP: Any = "rich"


def callback_of(name: str) -> Callable[..., None]:
    """The function of a verb with all its arguments, as Typer reads them; imports its module."""
    from armdyn.cli.arguments import of_named_robot, of_robot  # noqa: PLC0415 - it imports NumPy and the robots

    verb = VERBS[name]
    module_name, _, function = verb.function.partition(".")
    module = import_module(f"armdyn.cli.{module_name}")
    run: Callable[..., None] = getattr(module, function)
    if verb.robot == "opened":
        return of_robot(run)
    if verb.robot == "described":
        return of_robot(run, opened=False, **getattr(module, "ROBOT_ARGUMENT", {}))
    return of_named_robot(run) if verb.robot == "named" else run


def documentation(run: Callable[..., None]) -> str:
    """The documentation of a verb with paragraphs in one line, which the window wraps."""
    return re.sub(r"(?<=\S)\n(?=\S)", " ", inspect.getdoc(run) or "")


class VerbCommand(typer.core.TyperCommand):
    """A verb, whose error for an option that is a word of the table names the word."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options of the verb.

        Raises:
            SettingError: an option that is given by another one, or by --set.
        """
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            option = getattr(error, "option_name", None)  # of an option that does not exist
            if option is None or not any(param.name == "settings" for param in self.params):
                raise
            from armdyn.base.errors import SettingError  # noqa: PLC0415
            from armdyn.cli.word_options import advice  # noqa: PLC0415 - for errors only

            if (instead := advice(option)) is None:
                raise
            raise SettingError(f"no option {option}; expected {instead}. --words lists all words.") from None


class Commands(dict[str, Any]):
    """The commands of the verbs by name; each is made when it is looked up."""

    def __missing__(self, name: str) -> Any:
        if name not in VERBS:
            raise KeyError(name)
        alone = typer.Typer(add_completion=False, rich_markup_mode=MARKUP, pretty_exceptions_enable=False)
        run = callback_of(name)
        alone.command(name, cls=VerbCommand, help=documentation(run))(run)
        self[name] = typer.main.get_command(alone)
        return self[name]

    def __iter__(self) -> Iterator[str]:
        return iter(VERBS)

    def __len__(self) -> int:
        return len(VERBS)

    def __contains__(self, name: object) -> bool:
        return name in VERBS

    def get(self, name: str, default: object = None) -> Any:
        """The command of a verb, or a default for another name."""
        return self[name] if name in VERBS else default

    def items(self) -> Any:
        """Names and commands of all verbs."""
        return [(name, self[name]) for name in VERBS]

    def values(self) -> Any:
        """The commands of all verbs."""
        return [self[name] for name in VERBS]

    def keys(self) -> Any:
        """The names of all verbs."""
        return VERBS.keys()


class VerbGroup(typer.core.TyperGroup):
    """The verbs as commands that are imported one at a time; its help lists the summaries of `VERBS`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.commands = Commands()
        self._only_summaries = False

    def list_commands(self, ctx: object) -> list[str]:
        """The names of the verbs, in the order of the help."""
        return list(VERBS)

    def get_command(self, ctx: object, cmd_name: str) -> Any:
        """The command of a verb; while the verbs are listed, one with its summary alone."""
        if self._only_summaries and cmd_name in VERBS:
            return typer.core.TyperCommand(cmd_name, help=VERBS[cmd_name].summary)
        return self.commands.get(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of the application."""
        self._only_summaries = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._only_summaries = False

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """The verbs and options that begin with a text."""
        self._only_summaries = True
        try:
            return super().shell_complete(ctx, incomplete)
        finally:
            self._only_summaries = False
