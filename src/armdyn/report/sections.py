"""The parts of a report as HTML: the run, the joints, limits, tip, events, and data to repeat it."""

from __future__ import annotations

import hashlib
import math
import platform
from html import escape

import numpy as np

from armdyn._version import __version__
from armdyn.base.tabular import figure
from armdyn.page.tables import html_table
from armdyn.report.account import JointAccount, joint_accounts
from armdyn.robot import Robot
from armdyn.simulation import Trajectory, limits_passed
from armdyn.spatial.rotations import Array

UNITS = {
    "revolute": {"position": "rad", "speed": "rad/s", "force": "N m"},
    "prismatic": {"position": "m", "speed": "m/s", "force": "N"},
}

MOST_EVENTS = 40
"""Largest number of listed events."""

RESTING = 1e-12
"""An arm is at rest if its exchanged energy is below this, J."""


def run(motion: Trajectory, robot: Robot | None) -> str:
    """Times, integrator and energy account as pairs; the exceeded limits."""
    energy, statistics = motion.energy, motion.statistics
    drift, scale = float(np.abs(energy.drift).max()), float(energy.scale)
    part = f", {figure(drift / scale, digits=2)} of the {figure(scale, digits=4)} J that changed hands"
    pairs = [
        ("time", f"{figure(motion.t[0])} to {figure(motion.t[-1])} s, {len(motion.t):,} moments"),
        ("method", statistics.method),
        (
            "effort",
            f"{statistics.steps:,} steps, {statistics.evaluations:,} evaluations, "
            f"{figure(statistics.wall_time, digits=3)} s",
        ),
        ("energy at start, at end", f"{figure(float(energy.total[0]))} J, {figure(float(energy.total[-1]))} J"),
        ("kinetic energy, largest", f"{figure(float(energy.kinetic.max()))} J"),
        ("work of joints and tip", f"{figure(float(energy.work[-1] - energy.work[0]))} J"),
        ("drift of the account, largest", f"{figure(drift, size=0.0, digits=3)} J{part if scale > RESTING else ''}"),
    ]
    if not statistics.steps:
        del pairs[2]
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in pairs)
    return f"<dl>{rows}</dl>{_verdict(motion, robot)}"


def _verdict(motion: Trajectory, robot: Robot | None) -> str:
    if robot is None:
        return (
            '<p class="note">The robot is not known, so that nothing is said of its limits, its tip and parameters.</p>'
        )
    if not any(np.isfinite([j.limits.upper, j.limits.velocity, j.limits.effort]).any() for j in robot.joints):
        return '<p class="note">The description states no limits.</p>'
    passed = limits_passed(robot, motion.t, motion.q, motion.qd, motion.tau)
    if not passed:
        return '<p class="good">All positions, speeds and forces stay within the limits of the description.</p>'
    items = "".join(f"<li>{escape(str(one))}</li>" for one in passed)
    return f'<div class="over"><b>Limits passed</b><ul>{items}</ul></div>'


def joints(motion: Trajectory, robot: Robot | None) -> str:
    """One row per joint: range, speed, force, rms and power with the limits; exceeded limits are marked."""
    headings = ["joint", "unit", "lowest", "highest", "range", "speed", "limit", "force", "limit", "rms"]
    headings += ["power, W", "put in, J", "taken, J"]
    accounts = joint_accounts(motion, robot)
    table = html_table(headings, [_row(one) for one in accounts])
    return _mark(table, accounts) + (
        '<p class="caption">Speed and force are the largest without their signs; rms is the root of the mean square of '
        "the force over the time, which warms a motor; power is that of the joint's force.</p>"
    )


def _row(one: JointAccount) -> list[str]:
    units, bounds = UNITS[one.kind], one.bounds
    limits = (
        [_limits(bounds.lower, bounds.upper), _bound(bounds.velocity), _bound(bounds.effort)]
        if bounds
        else ["", "", ""]
    )
    numbers = [figure(x, digits=4) for x in (one.lowest, one.highest, one.fastest, one.strongest, one.rms)]
    power = [figure(x, digits=4) for x in (one.peak_power, one.delivered, one.absorbed_energy)]
    low, high, fast, strong, rms = numbers
    unit = f"{units['position']}, {units['force']}"
    return [one.name, unit, low, high, limits[0], fast, limits[1], strong, limits[2], rms, *power]


def _limits(lower: float, upper: float) -> str:
    if not (math.isfinite(lower) or math.isfinite(upper)):
        return "–"  # noqa: RUF001
    if lower == -upper:
        return f"±{figure(upper, digits=4)}"
    return f"{figure(lower, digits=4)} … {figure(upper, digits=4)}"


def _bound(value: float) -> str:
    return figure(value, digits=4) if math.isfinite(value) else "–"  # noqa: RUF001


def _mark(table: str, accounts: list[JointAccount]) -> str:
    """The table with a mark on the cells of values beyond their limits."""
    rows = table.split("<tr>")
    for k, one in enumerate(accounts, start=2):  # after the table's head
        if one.bounds is None:
            continue
        beyond = {
            2: one.lowest < one.bounds.lower,
            3: one.highest > one.bounds.upper,
            5: one.fastest > one.bounds.velocity,
            7: one.strongest > one.bounds.effort,
        }
        cells = rows[k].split("<td")
        for column, over in beyond.items():
            if over:
                cells[column + 1] = cells[column + 1].replace('class="number"', 'class="number beyond"', 1)
        rows[k] = "<td".join(cells)
    return "<tr>".join(rows)


def tip(motion: Trajectory, robot: Robot) -> str:
    """A table on the tip: its start and end, the length of its path, its greatest speed."""
    hand = motion.tip_motion(robot)
    p, speed = hand.position, np.linalg.norm(hand.twist[:, 3:], axis=-1)
    length = float(np.linalg.norm(np.diff(p, axis=0), axis=-1).sum())
    k = int(speed.argmax())
    pairs = [
        ("frame", str(robot.tip)),
        ("at start", _place(p[0])),
        ("at end", _place(p[-1])),
        ("within", f"{_place(p.min(axis=0))} and {_place(p.max(axis=0))}"),
        ("length of its path", f"{figure(length, digits=4)} m"),
        ("largest speed", f"{figure(float(speed[k]), digits=4)} m/s at {figure(float(motion.t[k]), digits=4)} s"),
    ]
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in pairs)
    return f"<dl>{rows}</dl>"


def _place(point: Array) -> str:
    return f"({', '.join(figure(float(x), digits=4) for x in point)}) m"


def events(motion: Trajectory) -> str:
    """A table of the events, in order; empty if there are none."""
    if not motion.events:
        return ""
    rows = [(f"{one.t:.6g}", one.name, one.kind) for one in motion.events[:MOST_EVENTS]]
    more = len(motion.events) - len(rows)
    text = f"<p>and {more} more</p>" if more > 0 else ""
    return f"<h2>Events</h2>{html_table(['time, s', 'joint', 'kind'], rows)}{text}"


def notes(motion: Trajectory, robot: Robot | None) -> str:
    """The notes of the motion and of the robot."""
    sentences = dict.fromkeys([*motion.notes, *(robot.notes if robot is not None else ())])
    if not sentences:
        return ""
    return "<h2>Notes</h2><ul>" + "".join(f"<li>{escape(note)}</li>" for note in sentences) + "</ul>"


def repeat(motion: Trajectory, robot: Robot | None) -> str:
    """Versions and digests that identify the run."""
    pairs = [
        ("armdyn", __version__),
        ("Python, NumPy", f"{platform.python_version()}, {np.__version__}"),
        ("machine", f"{platform.system()} {platform.machine()}"),
        ("method", motion.statistics.method),
        ("digest of the model", robot.model.digest if robot is not None else "not known"),
        ("digest of the motion", digest(motion)),
    ]
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in pairs)
    q0, qd0 = (", ".join(repr(float(x)) for x in values[0]) for values in (motion.q, motion.qd))
    state = f"<dt>q at start</dt><dd>{escape(q0)}</dd><dt>qd at start</dt><dd>{escape(qd0)}</dd>"
    return f'<dl class="long">{rows}{state}</dl>'


def digest(motion: Trajectory) -> str:
    """A digest of times, states and joint forces."""
    result = hashlib.sha256()
    for values in (motion.t, motion.q, motion.qd, motion.tau):
        result.update(np.ascontiguousarray(values, dtype="<f8").tobytes())
    return result.hexdigest()
