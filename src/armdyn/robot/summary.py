"""A robot as a table: its joints, their kinds, limits and links, and further properties."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from armdyn.base.tabular import TextTable, figure, figures
from armdyn.model.joint import Joint
from armdyn.model.limits import Limits

if TYPE_CHECKING:
    from armdyn.model.model import Model

UNITS = {"revolute": "rad", "prismatic": "m"}

SHOWN_NAMES = 8
"""The largest number of names of further frames and of notes that are listed."""


def summary(model: Model) -> TextTable:
    """A row for each entry of q; above it base, tip, mass and gravity, below it actuators and notes."""
    coupled = model.coupling is not None
    headings: tuple[str, ...] = ("#", "coordinate" if coupled else "joint", "kind", "range", "unit", "speed", "effort")
    rows: list[tuple[str, ...]] = [
        (str(k), joint.name, joint.kind, *_limits(joint)) for k, joint in enumerate(model.coordinates)
    ]
    if not coupled:
        headings = (*headings, "moves link", "mass [kg]")
        rows = [(*row, *_moves(model, joint)) for row, joint in zip(rows, model.joints, strict=True)]
    return TextTable(headings, rows, "rllrlrr" if coupled else "rllrlrrlr", _title(model), _below(model))


def _title(model: Model) -> str:
    mass = math.fsum(link.inertia.mass for link in model.links[1:])
    gravity = ", ".join(figures(model.gravity))
    count = _count_text(len(model.joints), "joint")
    if model.coupling is not None:
        count += f" moved by {_count_text(len(model.coordinates), 'coordinate')}"
    tip = "no tip" if model.tip is None else f"tip {model.tip!r}"
    return (
        f"{model.name!r}: {count}, base {model.base!r}, {tip}, moving mass {figure(mass)} kg, gravity ({gravity}) m/s²"
    )


def _count_text(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _limits(joint: Any) -> tuple[str, ...]:
    limits: Limits = joint.limits
    numbers = (figure(x, digits=4) if math.isfinite(x) else "-" for x in (limits.velocity, limits.effort))
    return (_range(limits), UNITS[joint.kind], *numbers)


def _range(limits: Limits) -> str:
    low, high = (figure(x, digits=4) for x in (limits.lower, limits.upper))
    if not math.isfinite(limits.lower) and not math.isfinite(limits.upper):
        return "unlimited"
    return f"±{high}" if limits.lower == -limits.upper else f"{low} … {high}"


def _moves(model: Model, joint: Joint) -> tuple[str, str]:
    return joint.child, figure(model.link(joint.child).inertia.mass, digits=5)


def _below(model: Model) -> tuple[str, ...]:
    lines = []
    others = [frame.name for frame in model.frames if frame.name not in (*model.link_names, model.tip)]
    if others:
        lines.append(f"further frames: {_some(others)}")
    if model.coupling is not None:
        lines.append(f"joints that they move: {_some(list(model.joint_names))}")
    if model.constraints:
        lines.append(f"constraints: {_some([constraint.name for constraint in model.constraints])}")
    driven = [joint for joint in model.joints if joint.actuator is not None]
    lines += [f"actuator of {joint.name}: {joint.actuator}" for joint in driven]
    lines += [f"note: {note}" for note in model.notes[:SHOWN_NAMES]]
    if len(model.notes) > SHOWN_NAMES:
        lines.append(f"and {len(model.notes) - SHOWN_NAMES} more in robot.notes")
    return tuple(lines)


def _some(names: list[str]) -> str:
    more = len(names) - SHOWN_NAMES
    return ", ".join(names[:SHOWN_NAMES]) + (f" and {more} more" if more > 0 else "")
