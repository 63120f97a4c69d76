"""Completions of the Tab key: robots, frames, joints and words of options.

A function here receives the words typed so far as a context, and never fails: without a candidate it returns none,
and the shell completes file names. Annotations here are evaluated at import: Typer reads them for each option.
"""

import warnings
from collections.abc import Callable, Iterable

import typer

from armdyn.base.errors import ArmdynError
from armdyn.cli.description import compiled_methods
from armdyn.robot import Robot
from armdyn.robots import bundled_robots, load

Completion = Callable[[str], list[str]]


def complete_robots(incomplete: str) -> list[str]:
    """Bundled robots; files are completed by the shell."""
    return _beginning(incomplete, bundled_robots())


def complete_frames(context: typer.Context, incomplete: str) -> list[str]:
    """Frames of the robot that was typed."""
    robot = _robot(context)
    return [] if robot is None else _beginning(incomplete, robot.frame_names)


def complete_joints(context: typer.Context, incomplete: str) -> list[str]:
    """Joints of the robot that was typed."""
    robot = _robot(context)
    return [] if robot is None else _beginning(incomplete, (joint.name for joint in robot.model.joints))


def complete_locks(context: typer.Context, incomplete: str) -> list[str]:
    """JOINT= for every joint of the robot that was typed."""
    return [] if "=" in incomplete else [f"{name}=" for name in complete_joints(context, incomplete)]


def complete_functions(context: typer.Context, incomplete: str) -> list[str]:
    """Compiled methods that the robot that was typed has."""
    robot = _robot(context)
    return [] if robot is None else _beginning(incomplete, compiled_methods(robot))


def words(*choices: str) -> Completion:
    """Completes one of several words."""
    return lambda incomplete: _beginning(incomplete, choices)


def _beginning(incomplete: str, choices: Iterable[str]) -> list[str]:
    """The names that begin so, in any case of letters."""
    return [name for name in choices if name.lower().startswith(incomplete.lower())]


def _robot(context: typer.Context) -> Robot | None:
    """The robot that was typed, or None without one."""
    typed = (word for word in context.args if not word.startswith("-"))  # if an option still lacks its value
    name = context.params.get("robot") or next(typed, None)
    if not isinstance(name, str):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return load(name, check_inertia=False, problems="warn")
    except (ArmdynError, OSError):
        return None
