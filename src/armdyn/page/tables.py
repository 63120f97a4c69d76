"""The tables of a page, as HTML with every name escaped: joints, links, base parameters, operations, findings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import is_dataclass
from html import escape
from typing import Any

import numpy as np

from armdyn.actuators import Actuator
from armdyn.actuators.data import entries_of, shown_part
from armdyn.base.errors import ArmdynError
from armdyn.base.tabular import figure, figures
from armdyn.page.findings import PageFinding
from armdyn.robot import Robot
from armdyn.targets.wasm import WasmModule

UNITS = {"revolute": ("rad", "rad/s", "N m"), "prismatic": ("m", "m/s", "N")}

NONE = "\u2013"
"""The text of a cell without a value in the description."""

LEFT = frozenset(
    {
        "log",
        "recorded",
        "parameter",
        "and",
        "source",
        "joint",
        "actuator",
        "link",
        "constraint",
        "frame",
        "to",
        "rows",
        "kind",
        "moves",
        "function",
        "combination",
        "unit",
        "quantity",
    }
)
"""Headings of text columns."""

MOST_COMBINATIONS = 120
"""Largest number of listed base parameters; of more only the number is shown."""

CALLS = {
    "at": "M(q), g(q), potential energy, poses of all links, pose and Jacobian of the tip",
    "moving": "inverse dynamics, velocity forces, friction torques, kinetic energy",
    "accelerations": "forward dynamics",
    "released": "damping and stops",
    "fall_semi_implicit_euler": "one step of the fall, semi-implicit Euler",
    "fall_rk4": "one step of the fall, Runge-Kutta 4",
}
"""The results of each function of the module."""


def html_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table that scrolls sideways if it is wider than the page."""
    sides = ["" if heading.split(",")[0] in LEFT else ' class="number"' for heading in headings]
    head = "".join(f"<th{side}>{escape(heading)}</th>" for side, heading in zip(sides, headings, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{side}>{escape(cell)}</td>" for side, cell in zip(sides, row, strict=True)) + "</tr>"
        for row in rows
    )
    return f'<div class="scroll" tabindex="0"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def joint_table(robot: Robot) -> str:
    """Kinds, limits, damping, friction and armature of joints, and a table of their actuators if they have some."""
    headings = ["joint", "kind", "unit", "lower", "upper", "speed", "effort", "damping", "friction", "armature"]
    return html_table(
        headings, [_joint_row(*each) for each in zip(robot.joints, _armatures(robot), strict=True)]
    ) + _actuator_table(robot)


def _actuator_table(robot: Robot) -> str:
    """One row per part of an actuator with its numbers: motor, gear, friction laws, spring, brake."""
    rows = [
        (joint.name, *row)
        for joint in robot.model.joints
        if joint.actuator is not None
        for row in _part_rows(joint.actuator)
    ]
    return f"<h3>Actuators</h3>{html_table(['joint', 'actuator', 'quantity'], rows)}" if rows else ""


def _part_rows(actuator: object) -> Iterator[tuple[str, str]]:
    """The name and the numbers of each part, motor first; limits and thermal model of a motor in separate rows."""
    if not isinstance(actuator, Actuator):
        yield type(actuator).__name__, str(actuator)
        return
    for value in entries_of(actuator).values():
        for part in value if isinstance(value, tuple) else (value,):
            fields = entries_of(part)
            within = {name: field for name, field in fields.items() if is_dataclass(field)}
            numbers = ", ".join(f"{name} {shown_part(field)}" for name, field in fields.items() if name not in within)
            yield type(part).__name__, numbers
            for field in within.values():
                own = ", ".join(f"{name} {shown_part(each)}" for name, each in entries_of(field).items())
                yield type(field).__name__, own


def _armatures(robot: Robot) -> list[float]:
    """The armature of each entry of q: of coupled joints the sum of theirs, as the coordinate sees them."""
    own = np.array([joint.armature for joint in robot.model.joints], dtype=float)
    coupling = robot.model.coupling
    values: list[float] = (own if coupling is None else own @ coupling.matrix**2).tolist()
    return values


def _joint_row(joint: Any, armature: float) -> list[str]:
    limits, units = joint.limits, UNITS[joint.kind]
    bounds = [_bound(x) for x in (limits.lower, limits.upper, limits.velocity, limits.effort)]
    losses = [figure(x, digits=5) if x else NONE for x in (joint.damping, joint.friction)]
    rotor = figure(armature, digits=5) if armature else NONE
    return [joint.name, joint.kind, ", ".join(units), *bounds, *losses, rotor]


def _bound(value: float) -> str:
    return figure(value, digits=5) if math.isfinite(value) else NONE


def constraint_table(robot: Robot) -> str:
    """One row per constraint: loop, contact, coupling; empty for a robot without constraints."""
    rows = []
    for constraint in robot.model.constraints:
        frame, to = (*constraint.frames, "", "")[:2]
        equations = ", ".join(row.name.removeprefix(f"{constraint.name}: ") for row in constraint.rows)
        rows.append([constraint.name, type(constraint).__name__, frame, to or robot.model.base, equations])
    headings = ["constraint", "kind", "frame", "to", "rows"]
    return f"<h3>Constraints and contacts</h3>{html_table(headings, rows)}" if rows else ""


def link_table(robot: Robot) -> str:
    """Masses, centres of mass and principal moments of inertia."""
    headings = ["link", "mass, kg", "centre of mass, m", "principal inertia, kg m²"]
    rows = []
    for link in robot.model.links:
        inertia = link.inertia
        com = "  ".join(figures(inertia.com, size=1.0, digits=5))
        moments = "  ".join(figures(inertia.principal_moments, digits=4))
        rows.append([link.name, figure(inertia.mass, digits=6), com, moments])
    return html_table(headings, rows)


def base_parameter_table(robot: Robot) -> str:
    """The base parameters: combinations of inertial parameters that determine joint forces."""
    try:
        base = robot.base_parameters()
    except (ArmdynError, np.linalg.LinAlgError) as error:
        return f"<p>{escape(str(error))}</p>"
    standard = len(robot.standard_parameters().values)
    text = f"<p>{base.rank} of {standard} parameters can be identified, in these combinations.</p>"
    if base.rank > MOST_COMBINATIONS:
        return f"<p>{base.rank} of {standard} parameters can be identified: robot.base_parameters() lists them.</p>"
    lines = [line for line in str(base).splitlines() if line.strip()]
    return f'{text}<pre class="scroll" tabindex="0">{escape(chr(10).join(lines))}</pre>'


def operation_table(module: WasmModule) -> str:
    """The operations of each function of the page's module, as a table."""
    rows = [(CALLS.get(f.name, f.name), f.operations) for f in module.functions]
    return html_table(["function", "operations"], rows)


def findings_list(findings: Iterable[PageFinding]) -> str:
    """Sentences, warnings first."""
    order = {"warning": 0, "note": 1, "good": 2}
    marks = {"good": "✓", "note": "i", "warning": "!"}
    items = sorted(findings, key=lambda one: order[one.kind])
    rows = "".join(
        f'<li class="{f.kind}"><b aria-label="{f.kind}">{marks[f.kind]}</b>{escape(f.text)}</li>' for f in items
    )
    return f'<ul class="findings">{rows}</ul>'
