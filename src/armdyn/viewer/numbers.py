"""The numbers of a state next to the picture, as HTML: pose of the tip, joint forces, energy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

import numpy as np

from armdyn.base.errors import ArmdynError
from armdyn.formats.export.numbers import rpy_of
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

UNITS = {"revolute": ("deg", 180.0 / math.pi, "N m"), "prismatic": ("mm", 1000.0, "N")}
"""By kind of joint: displayed unit of positions, its number per rad or m, and unit of forces."""

STYLE = (
    "<style>.armdyn{font-size:12px;line-height:1.45;padding:0 .9em .4em;font-variant-numeric:tabular-nums}"
    ".armdyn table{border-collapse:collapse;width:100%}.armdyn th{font-weight:600;opacity:.65;text-align:right}"
    ".armdyn td{text-align:right;white-space:nowrap}.armdyn tr :first-child{text-align:left;max-width:11em;"
    "overflow:hidden;text-overflow:ellipsis}.armdyn caption{text-align:left;font-weight:600;padding-top:.5em}"
    ".armdyn .over{color:#d6336c;font-weight:600}"
    ".armdyn .bar{display:inline-block;width:3.4em;height:.55em;margin-right:.5em;border-radius:.3em;overflow:hidden;"
    "background:rgba(128,128,128,.22)}.armdyn .bar+span{display:inline-block;min-width:3.2em}"
    ".armdyn .bar i{display:block;height:100%;background:#0072b2}"
    ".armdyn .bar:has(+.over) i{background:#d6336c}</style>"
)


@dataclass(frozen=True, eq=False)
class Now:
    """A state whose numbers are shown.

    Args:
        q: joint positions, rad or m, shape (n,).
        qd: joint velocities, rad/s or m/s, shape (n,); None if unknown.
        tau: joint forces of a motion, N m or N, shape (n,); None if the arm is at rest.
        tau_of: description of the source of ``tau``.
        kinetic: kinetic energy, J; None if it follows from qd, or is unknown.
        potential: potential energy, J; None if it follows from q.
        load: mass at the tip, kg.
    """

    q: Array
    qd: Array | None = None
    tau: Array | None = None
    tau_of: str = ""
    kinetic: float | None = None
    potential: float | None = None
    load: float = 0.0


def holding_torques(robot: Robot, q: Array, load: float = 0.0) -> Array:
    """The joint forces g(q) + J^T f that hold an arm and a mass at its tip still, N m or N, shape (n,).

    Args:
        robot: the arm.
        q: joint positions, rad or m, shape (n,).
        load: mass of a body whose centre is at the tip, kg.
    """
    forces: Array = robot.gravity_forces(q)
    if load and robot.tip is not None:
        R = robot.forward_kinematics(q)[:3, :3]
        upwards = -load * (R.T @ robot.gravity)  # force of the tip on the load, in the tip frame
        forces = forces + robot.tip_forces(q, np.concatenate([np.zeros(3), upwards]))
    return forces


def numbers_html(robot: Robot, now: Now) -> str:
    """HTML tables of a state of a robot."""
    tables = (_tip(robot, now.q), _forces(robot, now), _driven(robot, now.q), _energy(robot, now))
    return f"{STYLE}<div class='armdyn'>{''.join(tables)}</div>"


def _tip(robot: Robot, q: Array) -> str:
    if robot.tip is None:
        return ""
    T = robot.forward_kinematics(q)
    angles = np.degrees(rpy_of(T[:3, :3]))
    rows = [
        ["position, m", *(_figure(x, 4) for x in T[:3, 3])],
        ["roll, pitch, yaw, deg", *(_figure(x, 2) for x in angles)],
    ]
    return _table(f"Tip {robot.tip}", ["", "x", "y", "z"], rows)


def _forces(robot: Robot, now: Now) -> str:
    """Gravity force g(q) and motor force of each joint, with its fraction of the limit."""
    gravity = robot.gravity_forces(now.q)
    others, heading = _other_forces(robot, now)
    rows = []
    for k, joint in enumerate(robot.joints):
        limit = float(robot.effort_limits[k])
        force = gravity[k] if others is None else others[k]
        part = abs(force) / limit if math.isfinite(limit) and limit > 0.0 else math.nan
        share = "" if math.isnan(part) else f"{100.0 * part:.0f} %"
        over = " class='over'" if part > 1.0 else ""
        bar = "" if math.isnan(part) else f"<i class='bar'><i style='width:{min(100.0 * part, 100.0):.0f}%'></i></i>"
        own = [] if others is None else [_figure(others[k], 3)]
        rows.append(
            [joint.name, *own, _figure(gravity[k], 3), UNITS[joint.kind][2], f"{bar}<span{over}>{share}</span>"]
        )
    heads = ["", *([heading] if others is not None else []), "g(q)", "", "of limit"]
    return _table("Joint forces", heads, rows, raw=len(heads) - 1)


def _other_forces(robot: Robot, now: Now) -> tuple[Array | None, str]:
    if now.tau is not None:
        return now.tau, now.tau_of
    if now.load:
        return holding_torques(robot, now.q, now.load), f"with {now.load:g} kg"
    return None, ""


def _driven(robot: Robot, q: Array) -> str:
    """The positions of dependent joints, which are not coordinates: other joints move them."""
    if robot.model.coupling is None:
        return ""
    rows = []
    for joint, value in zip(robot.model.joints, robot.joint_positions(q), strict=True):
        if joint.name in robot.joint_names:
            continue
        unit, scale, _ = UNITS[joint.kind]
        rows.append([joint.name, _figure(scale * value, 2), unit])
    return _table("Joints that others move", ["", "position", ""], rows) if rows else ""


def _energy(robot: Robot, now: Now) -> str:
    potential = float(robot.potential_energy(now.q)) if now.potential is None else now.potential
    kinetic = now.kinetic
    if kinetic is None and now.qd is not None:
        kinetic = float(robot.kinetic_energy(now.q, now.qd))
    rows = [["potential", _figure(potential, 4)]]
    if kinetic is not None:
        rows += [["kinetic", _figure(kinetic, 4)], ["together", _figure(kinetic + potential, 4)]]
    return _table("Energy, J", [], rows)


def status_html(sentences: list[str]) -> str:
    """Sentences as HTML, one per line; empty for an empty list."""
    if not sentences:
        return ""
    return f"{STYLE}<div class='armdyn'>{''.join(f'<div>{escape(each)}</div>' for each in sentences)}</div>"


def _figure(value: float, digits: int) -> str:
    """A formatted number of a table; without a minus sign if it is rounded to zero."""
    text = f"{float(value):.{digits}f}"
    return text.lstrip("-") if float(text) == 0.0 else text.replace("-", "\u2212")


def _table(title: str, heads: list[str], rows: list[list[str]], raw: int = -1) -> str:
    """A table with a title; cells of the column ``raw`` are HTML already."""
    head = f"<tr>{''.join(f'<th>{escape(each)}</th>' for each in heads)}</tr>" if heads else ""
    body = "".join(
        f"<tr>{''.join(f'<td>{cell if k == raw else escape(cell)}</td>' for k, cell in enumerate(row))}</tr>"
        for row in rows
    )
    return f"<table><caption>{escape(title)}</caption>{head}{body}</table>"


def explained(error: ArmdynError) -> str:
    """The first sentence of an error."""
    return str(error).partition(". ")[0]
