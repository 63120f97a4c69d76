"""Arguments that several verbs share, and how they are read."""

from __future__ import annotations

import inspect
import math
import shlex
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from armdyn.base.advice import NO_VALUE
from armdyn.base.errors import ArmdynError, DescriptionWarning, ShapeError, UnknownName
from armdyn.base.quantities import quantity as read_quantity
from armdyn.base.quantities import split_quantities
from armdyn.cli.completion import complete_frames, complete_locks, complete_robots
from armdyn.cli.outputs import refuse_lost_of
from armdyn.cli.screen import screen
from armdyn.cli.tables import show_notes
from armdyn.model.joint_units import UNITS
from armdyn.motion.limits_passed import perhaps_degrees
from armdyn.robot import Robot
from armdyn.robots import load
from armdyn.simulation import SettingError
from armdyn.spatial.rotations import Array

ROBOT = "A bundled robot (ur5, puma560, planar_2r, ...; see armdyn list) or the path of a URDF or MJCF file."
LOCK = "Hold a joint at this many rad or m, or 90deg, pi/2, 20mm; may be repeated."
GRAVITY = "Acceleration of free fall in base axes, m/s^2."
ACCEPT_INERTIA = "Take inertias that no rigid body has as they stand."
ACCEPT = "Read past faults that no equation contains, such as swapped limits; the notes list them."
ACTUATORS = "A file of actuators, YAML or JSON: motors, gears and friction laws by joint."
JOINT_ORDER = "Order of q: chain, from base to tip; file, as the description lists the joints; or NAME,NAME,..."
XACRO = "Expand ROBOT, a xacro file that you trust (pip install xacrodoc)."
XACRO_ARG = "Expand ROBOT, a xacro file, with this value of one of its arguments; may be repeated."
IGNORE_FRICTION = "Leave damping and friction of the description out: the bare rigid bodies."

FLAGS = {
    "friction": "--ignore-friction",
    "locked": "--lock",
    "xacro_args": "--xacro-arg",
    "check_inertia": "--accept-inertia",
    "problems": "--accept",
    "limits": "--ignore-limits",
    "leads": "--lead",
    "mounts": "--mount",
}
"""The flags of keywords that are called differently on the command line."""


OF_SET = ("redundant", "project", "record")
"""Keywords that the command line has by --set."""


def as_flag(name: str, value: object) -> str:
    """A keyword as it is typed here, for the messages that recommend one.

    >>> as_flag("check_inertia", False), as_flag("tip", "tool0"), as_flag("locked", {"left finger": 0.5})
    ('--accept-inertia', '--tip tool0', "--lock 'left finger=0.5'")
    """
    if name in OF_SET:
        return f"--set {name}" if value is NO_VALUE else f"--set {name}={value}"
    flag = FLAGS.get(name, f"--{name.replace('_', '-')}")
    if value is NO_VALUE or isinstance(value, bool) or name in ("problems", "friction"):
        return flag
    if isinstance(value, Mapping):
        return " ".join(
            f"{flag} {shlex.quote(f'{joint}={at}' if isinstance(at, str) else f'{joint}={at!r}')}"
            for joint, at in value.items()
        )
    return f"{flag} {shlex.quote(str(value))}"


def open_robot(
    robot: Annotated[str, typer.Argument(metavar="ROBOT", help=ROBOT, autocompletion=complete_robots)],
    base: Annotated[
        str | None,
        typer.Option("--base", help="Keep only this link and the links it carries.", autocompletion=complete_frames),
    ] = None,
    tip: Annotated[
        str | None,
        typer.Option("--tip", help="The link that counts as the tip.", autocompletion=complete_frames),
    ] = None,
    chain: Annotated[bool, typer.Option("--chain", help="Keep only the joints between base and tip.")] = False,
    lock: Annotated[
        list[str] | None,
        typer.Option("--lock", metavar="JOINT=VALUE", help=LOCK, autocompletion=complete_locks),
    ] = None,
    gravity: Annotated[str | None, typer.Option("--gravity", metavar="X,Y,Z", help=GRAVITY)] = None,
    accept: Annotated[bool, typer.Option("--accept-inertia", help=ACCEPT_INERTIA)] = False,
    accept_faults: Annotated[bool, typer.Option("--accept", help=ACCEPT)] = False,
    ignore_friction: Annotated[bool, typer.Option("--ignore-friction", help=IGNORE_FRICTION)] = False,
    joint_order: Annotated[str | None, typer.Option("--joint-order", metavar="ORDER", help=JOINT_ORDER)] = None,
    xacro: Annotated[bool, typer.Option("--xacro", help=XACRO)] = False,
    xacro_arg: Annotated[list[str] | None, typer.Option("--xacro-arg", metavar="NAME=VALUE", help=XACRO_ARG)] = None,
    actuators: Annotated[Path | None, typer.Option("--actuators", metavar="FILE", help=ACTUATORS)] = None,
) -> Robot:
    """The robot that the arguments of every verb describe; see `of_robot`."""
    options = load_options(
        partial(load_robot, robot),
        base=base,
        tip=tip,
        chain=chain,
        lock=lock,
        gravity=gravity,
        accept=accept,
        accept_faults=accept_faults,
        ignore_friction=ignore_friction,
        joint_order=joint_order,
        xacro=xacro,
        xacro_arg=xacro_arg,
    )
    return with_drives(load_robot(robot, **options), actuators, ignore_friction=ignore_friction)


def with_drives(robot: Robot, actuators: Path | None, *, ignore_friction: bool) -> Robot:
    """The robot with the actuators of a file, if one is given, with or without their friction."""
    if actuators is None:
        return robot
    from armdyn.actuators import read  # noqa: PLC0415 - slow to import

    driven = robot.with_actuators(read(actuators))
    return driven.without_friction() if ignore_friction else driven


def load_options(
    reader: Callable[..., Robot],
    *,
    base: str | None,
    tip: str | None,
    chain: bool,
    lock: list[str] | None,
    gravity: str | None,
    accept: bool,
    accept_faults: bool,
    ignore_friction: bool,
    joint_order: str | None = None,
    xacro: bool = False,
    xacro_arg: list[str] | None = None,
) -> dict[str, object]:
    """The options of `armdyn.load` that the texts of `open_robot` mean, those given only.

    Args:
        reader: makes the robot of options of `armdyn.load`; called for the kinds of joints if locks have units.
        base, tip, chain, lock, gravity, accept, accept_faults, ignore_friction: as of `open_robot`.
        joint_order, xacro, xacro_arg: likewise.
    """
    options: dict[str, Any] = {"base": base, "tip": tip, "chain": chain}
    if xacro or xacro_arg:
        reader = partial(reader, xacro_args=named_values("--xacro-arg", xacro_arg or [], "ur_type=ur5e"))
    options["locked"] = _locked(lock or [], partial(_kinds_of_joints, reader))
    result = {name: value for name, value in options.items() if value}
    if accept:
        result["check_inertia"] = False
    if accept_faults:
        result["problems"] = "warn"
    if ignore_friction:
        result["friction"] = "ignore"
    if xacro or xacro_arg:
        result["xacro_args"] = named_values("--xacro-arg", xacro_arg or [], "ur_type=ur5e")
    if joint_order is not None:
        result["joint_order"] = joint_order.split(",") if joint_order not in ("chain", "file") else joint_order
    if gravity is not None:
        result["gravity"] = read_vector(gravity, "--gravity", 3, unit="m/s^2")
    return result


def named_values(option: str, texts: Iterable[str], example: str) -> dict[str, str]:
    """The values of an option that is given as NAME=VALUE, by name; ``example`` is for the message of another text."""
    values: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise ShapeError(f"{option} {text!r}: expected NAME=VALUE, for example {example}")
        values[name] = value
    return values


@dataclass(frozen=True)
class UnopenedRobot:
    """A robot that has not been opened: the text of ROBOT, and the options of `open_robot`."""

    name: str
    options: Mapping[str, Any]

    def opened(self) -> Robot:
        """The robot."""
        return open_robot(self.name, **self.options)

    def read_by(self, reader: Callable[..., Robot]) -> Robot:
        """The robot that a reader makes of the options of `armdyn.load`, with its actuators."""
        options = dict(self.options)
        actuators = options.pop("actuators")
        robot = reader(**load_options(reader, **options))
        return with_drives(robot, actuators, ignore_friction=options["ignore_friction"])


SHARED: Mapping[str, inspect.Parameter] = inspect.signature(open_robot, eval_str=True).parameters
"""The arguments of `open_robot`, which every verb of a robot has."""


def of_robot(verb: Callable[..., None], *, opened: bool = True, **changes: Any) -> Callable[..., None]:
    """A verb for the command line: a function of a robot and options of its own, with the arguments of `open_robot`.

    Args:
        verb: called with the robot, and its own options by name.
        opened: True to call it with the `Robot`, False with an `UnopenedRobot`.
        changes: of the argument ROBOT, such as its default.
    """
    own = [p for p in inspect.signature(verb, eval_str=True).parameters.values() if p.name != "arm"]
    robot, *others = SHARED.values()

    @wraps(verb)
    def run(**arguments: Any) -> None:
        name, *options = (arguments.pop(each) for each in SHARED)
        refuse_lost_of(arguments, name, *(option for option in options if isinstance(option, Path)))
        arm = UnopenedRobot(name, dict(zip(list(SHARED)[1:], options, strict=True)))
        verb(arm.opened() if opened else arm, **arguments)

    parameters = [p.replace(kind=p.KEYWORD_ONLY) for p in (robot.replace(**changes), *own, *others)]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # what Typer reads
    run.__annotations__ = {p.name: p.annotation for p in parameters}  # evaluated, which Typer would do again
    return run


def of_named_robot(verb: Callable[..., None]) -> Callable[..., None]:
    """A verb of files, whose robot is named by --robot or not at all, with the other arguments of `open_robot`.

    Args:
        verb: called with ``arm``, an `UnopenedRobot` or None, and its own options by name.
    """
    own = [p for p in inspect.signature(verb, eval_str=True).parameters.values() if p.name != "arm"]
    _, *others = SHARED.values()
    named = Annotated[
        str | None,
        typer.Option("--robot", metavar="ROBOT", help=f"What moved. {ROBOT}", autocompletion=complete_robots),
    ]

    @wraps(verb)
    def run(**arguments: Any) -> None:
        name, *options = (arguments.pop(each) for each in SHARED)
        refuse_lost_of(arguments, name or "", *(option for option in options if isinstance(option, Path)))
        chosen = dict(zip(list(SHARED)[1:], options, strict=True))
        for option, value in chosen.items():
            if name is None and value not in (None, False, []):
                raise SettingError(f"{_flag_of(option)} is of a robot, and none is named; expected --robot ROBOT too")
        verb(None if name is None else UnopenedRobot(name, chosen), **arguments)

    robot = inspect.Parameter("robot", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=named)
    parameters = [p.replace(kind=p.KEYWORD_ONLY) for p in (*own[:1], robot, *own[1:], *others)]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # what Typer reads
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def _flag_of(name: str) -> str:
    """The flag of an argument of `open_robot`."""
    option = SHARED[name].annotation.__metadata__[0]
    return str((option.default, *option.param_decls)[0])  # Typer's first word, which it takes for a default at first


def _kinds_of_joints(reader: Callable[..., Robot]) -> dict[str, str]:
    """Kinds of joints by name, without locks; empty if the robot cannot be read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            arm = reader(check_inertia=False, problems="warn")
    except (ArmdynError, OSError):
        return {}
    return {joint.name: joint.kind for joint in (*arm.joints, *arm.model.joints)}


def load_robot(robot: str, **options: Any) -> Robot:
    """`armdyn.load`, for the text of an argument: an empty one is not the folder we are in."""
    if not robot:
        raise UnknownName("ROBOT is empty; expected a bundled robot, such as ur5, or the path of a URDF or MJCF file")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DescriptionWarning)  # every verb prints the notes, which contain them
        return load(robot, **options)


def _locked(texts: list[str], joint_kinds: Callable[[], Mapping[str, str]]) -> dict[str, float]:
    """The values of --lock by joint; ``joint_kinds`` returns the kinds of joints, called if a value has a unit."""
    locked: dict[str, float] = {}
    for text in texts:
        joint, equals, value = text.rpartition("=")
        if not equals:
            raise ShapeError(f"--lock {text!r}: expected JOINT=VALUE, for example finger_joint=0.02 or elbow=90deg")
        if joint in locked:
            raise ShapeError(f"--lock names {joint!r} more than once; expected one value for each joint")
        locked[joint] = _locked_value(joint, value, joint_kinds)
    return locked


def _locked_value(joint: str, value: str, joint_kinds: Callable[[], Mapping[str, str]]) -> float:
    """A position, rad or m; zero for a joint that does not exist, which `load` names."""
    has_unit = any(map(str.isalpha, value)) or "°" in value
    kind = joint_kinds().get(joint) if has_unit else "revolute"  # the robot is read only for a unit
    return 0.0 if kind is None else float(read_vector(value, f"--lock {joint}", 1, unit=UNITS[kind]["q"])[0])


def read_vector(
    text: str,
    name: str,
    size: int,
    *,
    meaning: str = "",
    labels: Sequence[str] = (),
    unit: str = "",
    units: Sequence[str] = (),
) -> Array:
    """Finite numbers separated by commas or blanks, with or without units.

    Args:
        text: as it is typed.
        name: of the option, for messages.
        size: the number of numbers.
        meaning: of the numbers, for messages.
        labels: of each number, for messages.
        unit: the SI unit of all numbers; "" of numbers without one.
        units: those of each, in its place.

    Raises:
        ShapeError: another number of them, a value that is not a finite number, or a unit of another quantity.
    """
    words = split_quantities(text)
    if len(words) != size:
        has = f"{len(words)} number{'' if len(words) == 1 else 's'}" if words else "no number"
        expected = "one number" if size == 1 else f"{size} numbers separated by commas"
        raise ShapeError(f"{name} has {has}; expected {expected}{f', {meaning}' if meaning else ''}")
    values = np.zeros(size)
    for k, word in enumerate(words):
        place = f" of {labels[k]}" if k < len(labels) else f"[{k}]" * (size > 1)
        values[k] = read_quantity(f"{name}{place}", word, units[k] if units else unit, error=ShapeError)
        if not math.isfinite(values[k]):
            raise ShapeError(f"{name}{place} is {word}; expected a finite number")
    return values


WRENCH_UNITS = (*("N m",) * 3, *("N",) * 3)


def read_wrench(text: str, name: str) -> Array:
    """Moment and force of a wrench, N m and N, shape (6,)."""
    return read_vector(text, name, 6, meaning="mx,my,mz,fx,fy,fz", units=WRENCH_UNITS)


def read_joint_vector(
    text: str | None, name: str, robot: Robot, quantity: str | None = "q", *, spread: bool = False
) -> Array:
    """One number per joint; zeros if the option is not given. Positions that may be degrees are noted.

    Args:
        text: such as "0.5,-90deg,20mm".
        name: of the option, for messages.
        robot: whose joints they are of.
        quantity: "q", "qd", "qdd" or "tau", whose units the numbers may have; None for numbers alone.
        spread: True if one number is for all joints.
    """
    if text is None:
        return np.zeros(robot.dof)
    meaning = f"one per joint of {robot.name!r}: {', '.join(robot.joint_names)}"
    units = [UNITS[joint.kind][quantity] if quantity else "" for joint in robot.joints]
    words = split_quantities(text)
    if spread and len(words) == 1:
        text = ",".join(words * robot.dof)
    elif spread:
        meaning = f"or one for all joints, or {meaning}"
    values = read_vector(text, name, robot.dof, meaning=meaning, labels=robot.joint_names, units=units)
    if quantity == "q" and name in ("--q", "--q0"):
        has_unit = [any(map(str.isalpha, word)) or "°" in word for word in words]
        show_notes(screen(stderr=True), perhaps_degrees(robot, np.where(has_unit, 0.0, values)))
    return values
