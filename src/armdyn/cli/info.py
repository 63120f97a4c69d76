"""``armdyn info``: joints, limits, links, constraints and operation counts of a robot, as tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import is_dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.table import Table
from rich.text import Text

from armdyn.actuators import Actuator
from armdyn.actuators.data import entries_of, shown_part
from armdyn.base.errors import ArmdynError, ModelError, Unsupported
from armdyn.cli.arguments import UnopenedRobot
from armdyn.cli.description import compiled_methods, description, moving_mass
from armdyn.cli.json_output import AsJson, print_json
from armdyn.cli.screen import labelled, screen, visible
from armdyn.cli.tables import figure, figures, new_table, show, show_notes
from armdyn.constraints import RedundantConstraints
from armdyn.doctor.examine import doctor as examine
from armdyn.doctor.finding import SEVERITIES
from armdyn.doctor.findings import Findings
from armdyn.formats.export.numbers import rpy_of
from armdyn.model.coordinates import coupling_of
from armdyn.model.coupling import Coordinate
from armdyn.model.joint import Joint
from armdyn.model.limits import Limits
from armdyn.model.model import Frame
from armdyn.robot import Robot
from armdyn.robots import bundled_robots


def info(
    arm: UnopenedRobot,
    cost: Annotated[bool, typer.Option("--cost", help="Only operation counts, with those of the literature.")] = False,
    json: AsJson = False,
) -> None:
    """Show joints, limits, masses and inertias; operation counts with --cost.

    Of a file the findings of armdyn doctor are counted by severity.

    [bold]Examples[/]

      armdyn info ur5

      armdyn info puma560 --cost

      armdyn info puma560 --json

      armdyn info panda.urdf --lock panda_finger_joint1=0

      armdyn info ur5 --actuators drives.yaml
    """
    robot = arm.opened()
    findings = _findings(arm)
    if json:
        counts = {} if findings is None else {"findings": {one: findings.count(one) for one in SEVERITIES}}
        more = {"operations": _counts(robot)} if cost else {}
        print_json({**description(robot), **more, "notes": robot.notes, **counts})
        return
    console = screen()
    console.print(_summary(robot))
    for table in (_cost_table, _literature_table) if cost else _tables(robot):
        show(console, table(robot))
    if not cost:
        show_notes(console, robot.notes)
        if findings:
            console.print(labelled("doctor:", "yellow", f"{findings.counts()}; see armdyn doctor"))


def _findings(arm: UnopenedRobot) -> Findings | None:
    """The findings of a file, with its meshes closed; None of a bundled robot, or of what is expanded or no file."""
    if arm.name in bundled_robots() or arm.options["xacro"] or arm.options["xacro_arg"] or not Path(arm.name).is_file():
        return None
    with suppress(ArmdynError):
        return examine(arm.name, meshes=False)
    return None


def _tables(arm: Robot) -> list[Callable[[Robot], Table]]:
    """The tables that apply to a robot."""
    coupled = [coupling_table] if arm.model.coupling is not None else []
    constrained = [_constraint_table] if arm.constraint_rows else []
    driven = [_drive_table] if any(j.actuator is not None or j.armature for j in arm.model.joints) else []
    driven += [_spring_table] if arm.model.parallel_springs else []
    framed = [_frame_table] if _other_frames(arm) else []
    return [_limit_table, _joint_table, *coupled, *constrained, *driven, _link_table, *framed]


def _summary(arm: Robot) -> Text:
    mass = moving_mass(arm)
    g = ", ".join(f"{x:g}" for x in arm.gravity)
    tip = arm.tip if arm.tip else "none"
    joints = _count_text(len(arm.model.joints), "joint")
    if arm.model.coupling is not None:
        joints += f" moved by {_count_text(arm.dof, 'coordinate')}"
    summary = f": {joints}, base {arm.model.base}, tip {tip}, moving mass {mass:.6g} kg, gravity ({g}) m/s²"
    return Text.assemble((visible(arm.name), "bold"), visible(summary))


def _count_text(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _joint_table(arm: Robot) -> Table:
    table = new_table("Places", "#", "joint", "type", "on link", "moves link", "axis")
    for index, joint in enumerate(arm.model.joints):
        axis = figures(joint.axis)
        table.add_row(str(index), joint.name, joint.kind, joint.parent, joint.child, axis)
    return table


def coupling_table(arm: Robot) -> Table:
    """Each joint of a coupled robot as a function of the coordinates, except joints that equal one of them."""
    coupling = coupling_of(arm.model)
    table = new_table("Couplings: what q holds, and what follows it", "joint", "stands at")
    for joint, row, offset in zip(arm.model.joints, coupling.matrix, coupling.offset, strict=True):
        terms = [f"{factor:+.6g} {name}" for factor, name in zip(row, arm.joint_names, strict=True) if factor]
        text = " ".join([*terms, *([f"{offset:+.6g}"] if offset or not terms else [])])
        if text != f"+1 {joint.name}":
            table.add_row(joint.name, text.removeprefix("+"))
    return table


def _limit_table(arm: Robot) -> Table:
    heading = "joint" if arm.model.coupling is None else "coordinate"
    title = f"{heading.capitalize()}s"
    units = "rad, rad/s, N m" + ("; m, m/s, N" if any(j.kind == "prismatic" for j in arm.joints) else "")
    table = new_table(f"{title}  ({units})", heading, "unit", "range", "speed", "effort", "damping", "friction")
    for joint in arm.joints:
        table.add_row(joint.name, *_limits(joint))
    return table


def _limits(joint: Joint | Coordinate) -> tuple[str, ...]:
    limits = joint.limits
    return (
        "rad" if joint.kind == "revolute" else "m",
        _range(limits) if math.isfinite(limits.upper - limits.lower) else "unlimited",
        *(figure(x) if math.isfinite(x) else "-" for x in (limits.velocity, limits.effort)),
        *(figure(x) if x else "-" for x in (joint.damping, joint.friction)),
    )


def _range(limits: Limits) -> str:
    if limits.lower == -limits.upper:
        return f"±{figure(limits.upper)}"
    return f"{figure(limits.lower)} … {figure(limits.upper)}"


def _drive_table(arm: Robot) -> Table:
    headings = ("gear\nratio", "rotor,\nkg m²", "armature,\nkg m²" + ("; kg" if _slides(arm) else ""))
    table = new_table("Drives", "joint", *headings, "motor and\nother parts", "friction laws")
    for joint in arm.model.joints:
        if joint.armature or joint.actuator is not None:
            table.add_row(joint.name, *_drive(joint))
    return table


def _spring_table(arm: Robot) -> Table:
    table = new_table("Springs in parallel with drives", "joint", "spring")
    for joint in arm.model.joints:
        if joint.parallel_springs:
            table.add_row(joint.name, "\n".join(map(_in_words, joint.parallel_springs)))
    return table


def _drive(joint: Joint) -> tuple[str, ...]:
    """Ratio, rotor inertia, armature, other fields of motor and gear, other parts, and friction laws, a line each."""
    drive, armature = joint.actuator, figure(joint.armature) if joint.armature else "-"
    if not isinstance(drive, Actuator):
        return "-", "-", armature, "-" if drive is None else str(drive), "-"
    motor = {} if drive.motor is None else entries_of(drive.motor)
    rotor = motor.pop("rotor_inertia", 0.0)
    gear = {} if drive.gear is None else entries_of(drive.gear)
    fields = [
        *_lines("", {name: value for name, value in motor.items() if not is_dataclass(value)}),
        *(line for name, part in motor.items() if is_dataclass(part) for line in _lines(f"{name} ", entries_of(part))),
        *_lines("gear ", {name: value for name, value in gear.items() if name != "ratio"}),
    ]
    others = {name: value for name, value in entries_of(drive).items() if name not in ("motor", "gear", "friction")}
    for value in others.values():
        fields += map(_in_words, value if isinstance(value, tuple) else (value,))
    laws = ["none"] if drive.laws == () else [_in_words(law) for law in drive.laws or ()]
    ratio = "-" if drive.gear is None else figure(drive.gear.ratio)
    return ratio, figure(rotor) if rotor else "-", armature, "\n".join(fields) or "-", "\n".join(laws) or "-"


def _lines(part: str, fields: Mapping[str, object]) -> list[str]:
    """A line for each field of a part."""
    return [f"{part}{name}={_value(value)}" for name, value in fields.items()]


def _in_words(part: object) -> str:
    """A part in words between which a line may end: "Stribeck static=3, kinetic=2, speed=0.1"."""
    return f"{type(part).__name__} {', '.join(_lines('', entries_of(part)))}".strip()


def _value(value: object) -> str:
    if is_dataclass(value):
        return f"({_in_words(value)})"
    return f"({', '.join(map(_value, value))})" if isinstance(value, tuple) else shown_part(value)


def _slides(arm: Robot) -> bool:
    return any(joint.kind == "prismatic" for joint in arm.model.joints)


def _link_table(arm: Robot) -> Table:
    table = new_table(
        "Links (what fixed joints weld together counts as one)",
        *("link", "mass,\nkg", "centre of mass,\nm", "principal inertia,\nkg m²"),
    )
    for link in arm.model.links:
        i = link.inertia
        com, moments = figures(i.com, size=1.0), figures(i.principal_moments, width=7)
        table.add_row(link.name, figure(i.mass, digits=5, width=6), com, moments)
    return table


def _frame_table(arm: Robot) -> Table:
    table = new_table("Other frames", "frame", "on link", "origin, m", "roll, pitch, yaw,\ndeg")
    for frame in _other_frames(arm):
        angles = np.degrees(rpy_of(frame.pose[:3, :3]))
        table.add_row(frame.name, frame.link, figures(frame.pose[:3, 3], size=1.0), figures(angles, size=1.0))
    return table


def _other_frames(arm: Robot) -> list[Frame]:
    """Frames that are no link's own."""
    return [frame for frame in arm.model.frames if frame.name not in arm.link_names]


def _constraint_table(arm: Robot) -> Table:
    table = new_table("Constraints", "name", "kind", "frame", "to", "rows")
    for constraint in arm.model.constraints:
        frame, to = (*constraint.frames, "", "")[:2]
        rows = ", ".join(row.name.removeprefix(f"{constraint.name}: ") for row in constraint.rows)
        kind = type(constraint).__name__
        table.add_row(constraint.name, kind, frame, to or arm.model.base, rows)
    return table


def _cost_table(arm: Robot) -> Table:
    headings = ("function", "multiply", "add", "divide", "sin, cos")
    table = new_table("Operations a state (exact; negations not counted)", *headings)
    for name, counts in _counts(arm).items():
        table.add_row(name, *(map(str, counts.values()) if counts else ["not defined"] * len(COUNTED)))
    return table


COUNTED = ("multiplications", "additions", "divisions", "trigonometric")


def _counts(arm: Robot) -> dict[str, dict[str, int] | None]:
    """Operations of every function; None of those that are not defined for the robot."""
    result: dict[str, dict[str, int] | None] = {}
    for name, function in compiled_methods(arm).items():
        if arm.tip is None and ("frame" in function.function.options or name == "tip_forces"):
            continue  # needs a tip, and the robot has none
        try:
            counts = function.op_counts
        except (ModelError, RedundantConstraints, Unsupported):  # no mass moves, constraints that follow from others
            result[name] = None
        else:
            result[name] = {operation: getattr(counts, operation) for operation in COUNTED}
    return result


LITERATURE = (  # multiplications, additions of a general arm with six revolute joints
    ("Kazerounian, Gupta 1985", "inverse dynamics", "816", "708"),
    ("Balafoutis, Patel 1991", "inverse dynamics", "450", "386"),
    ("Khalil, Kleinfinger 1987", "inverse dynamics", "425", "369"),
    ("armdyn, joint offsets zero", "inverse dynamics", "373", "314"),
    ("armdyn, joint offsets general", "inverse dynamics", "373", "318"),
    ("Kazerounian, Gupta 1985", "forward dynamics", "2468", "1879"),
    ("Featherstone 2008, the best", "forward dynamics", "996", "846"),
    ("armdyn, joint offsets zero", "forward dynamics", "937", "811"),
    ("armdyn, joint offsets general", "forward dynamics", "937", "815"),
    ('armdyn, zero, method="mass_matrix"', "forward dynamics", "766", "631 or 632"),
    ('armdyn, general, method="mass_matrix"', "forward dynamics", "766", "635 or 636"),
)
"""A test keeps armdyn's rows true. Which of two numbers it is depends on the constants of the last link."""


def _literature_table(_: Robot) -> Table:
    table = new_table(
        "For comparison: a general arm with six revolute joints", *("source", "what", "multiplications"), "additions"
    )
    for row in LITERATURE:
        table.add_row(*row)
    return table
