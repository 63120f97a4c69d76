"""Channels of a log that cannot be what they are read as: constant, saturated, in degrees, of another joint."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from armdyn.base.advice import for_each
from armdyn.formats.tables.table import row_list
from armdyn.logs.errors import LogError
from armdyn.logs.log import Finding, Log
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.functions.robot_like import RobotLike

PLAUSIBLE = 1e6
"""Numbers above this in SI are not of an arm: the row was damaged."""

FASTEST = 100.0
"""Positions that change faster than this, rad/s or m/s, there and back, are those of a damaged row."""

SATURATED_ROWS = 5
"""Rows in succession at the largest or smallest number of a channel of forces, from which it counts as saturated."""

AGREE = 0.02
"""The tolerance of a ratio between recorded and differentiated velocities."""

DEGREE = float(np.pi / 180)
RATIOS = {
    1.0 / DEGREE: ("positions are in degrees, or velocities in rad/s are divided by 57.3", {"q": "'deg'"}),
    DEGREE: ("velocities are in deg/s", {"qd": "'deg/s'"}),
    2.0 * np.pi / 60.0: ("velocities are in rpm", {"qd": "'rpm'"}),
}
"""Slopes of differentiated positions over recorded velocities that other units cause, and the remedy."""


def damaged_rows(arrays: dict[str, Array], t: Array) -> Array:
    """Rows with numbers that are not finite or above `PLAUSIBLE`, a mask of shape (rows,)."""
    bad = ~np.isfinite(t)
    for values in arrays.values():
        with np.errstate(invalid="ignore"):
            bad |= ~(np.abs(values) <= PLAUSIBLE).all(axis=1)
    return np.asarray(bad)


def spikes(q: Array, t: Array) -> Array:
    """Rows whose positions are reached and left again faster than `FASTEST`, a mask of shape (rows,)."""
    mask = np.zeros(len(t), dtype=bool)
    if len(t) < 3:
        return mask
    rates = np.diff(q, axis=0) / np.diff(t)[:, None]
    jumps = (np.abs(rates[:-1]) > FASTEST) & (np.abs(rates[1:]) > FASTEST) & (rates[:-1] * rates[1:] < 0.0)
    mask[1:-1] = jumps.any(axis=1)
    return mask


def channel_findings(log: Log, rows: Array, word: str) -> list[Finding]:
    """Constant and saturated channels."""
    result = []
    for quantity in log.quantities:
        values = getattr(log, quantity)
        still = [name for name, column in zip(log.joint_names, values.T, strict=True) if np.ptp(column) == 0.0]
        if still and len(log) > 2:
            joints = "all joints" if len(still) == len(log.joint_names) else ", ".join(still)
            result.append(Finding("constant channel", f"{quantity} of {joints} is constant"))
    for quantity in ("tau", "current"):
        values = getattr(log, quantity)
        if values is None:
            continue
        for name, column in zip(log.joint_names, values.T, strict=True):
            at_bound = saturated_rows(column)
            if at_bound.any():
                text = (
                    f"{quantity} of {name} is at its bound of {column[at_bound][0]:.4g} in {int(at_bound.sum())} rows, "
                    f"which a fit leaves out: {row_list(rows[at_bound], word)}"
                )
                result.append(Finding("saturated channel", text, used=False))
    return result


def saturated_rows(column: Array) -> Array:
    """Rows in which a channel of forces is at its largest or smallest number, in runs of `SATURATED_ROWS` or more."""
    mask = np.zeros(len(column), dtype=bool)
    if np.ptp(column) == 0.0:
        return mask
    for bound in (column.max(), column.min()):
        at = np.concatenate([[0], (column == bound).astype(int), [0]])
        changes = np.diff(at)
        starts, ends = np.flatnonzero(changes == 1), np.flatnonzero(changes == -1)
        for start, end in zip(starts, ends, strict=True):
            if end - start >= SATURATED_ROWS and bound != 0.0:
                mask[start:end] = True
    return mask


def check_units_of_motion(log: Log, robot: RobotLike) -> list[Finding]:
    """Compare recorded with differentiated velocities, and positions with the limits.

    Raises:
        LogError: degrees that are read as radians, velocities in other units or of other joints.
    """
    findings, confirmed = _compare_velocities(log)
    return [*findings, *_compare_limits(log, robot, confirmed)]


def _compare_velocities(log: Log) -> tuple[list[Finding], set[str]]:
    """Slopes and correlations of differentiated positions over recorded velocities; joints with equal units."""
    if log.qd is None or len(log) < 20:
        return [], set()
    piece = max(log.pieces(), key=lambda part: part.stop - part.start)
    t, q, qd = log.t[piece], log.q[piece], log.qd[piece]
    step = max(1, int(0.05 * log.rate))
    if len(t) < 4 * step + 4:
        return [], set()
    rates = (q[2 * step :] - q[: -2 * step]) / (t[2 * step :] - t[: -2 * step])[:, None]
    mean = np.cumsum(np.vstack([np.zeros((1, qd.shape[1])), qd]), axis=0)
    recorded = (mean[2 * step + 1 :] - mean[: -2 * step - 1]) / (2 * step + 1)
    moving = (np.std(rates, axis=0) > 1e-3) & (np.std(recorded, axis=0) > 1e-4)
    with np.errstate(all="ignore"):
        alike = np.corrcoef(rates.T, recorded.T)[: len(moving), len(moving) :]
    findings, confirmed = [], set()
    wrong: dict[float, list[str]] = {}
    for k, name in enumerate(log.joint_names):
        if not moving[k]:
            continue
        if abs(alike[k, k]) > 0.9:
            slope = float(rates[:, k] @ recorded[:, k] / (recorded[:, k] @ recorded[:, k]))
            ratio = next((ratio for ratio in RATIOS if abs(abs(slope) / ratio - 1.0) < AGREE), None)
            if ratio is not None:
                wrong.setdefault(ratio, []).append(name)
            elif slope < 0.0:
                findings.append(Finding("velocity sign", f"qd of {name} has the opposite sign of the change of q"))
            elif abs(slope - 1.0) > 0.2:
                findings.append(Finding("velocity size", f"q of {name} changes {slope:.3g} times as fast as qd states"))
            else:
                confirmed.add(name)
        elif moving.sum() > 1:
            row = np.where(moving, np.abs(alike[k]), 0.0)
            other = int(np.argmax(row))
            if row[other] > 0.95 and abs(alike[k, k]) < 0.7:
                raise LogError(
                    f"log {log.name!r}: q of {name} changes as qd of {log.joint_names[other]} states (correlation "
                    f"{row[other]:.3f}; with its own {alike[k, k]:.3f}): columns of joints are in another order. Name "
                    f"the columns of each joint: {for_each('columns', q='[...]', qd='[...]')}"
                )
    for ratio, names in wrong.items():
        text, remedy = RATIOS[ratio]
        raise LogError(
            f"log {log.name!r}: q of {', '.join(names)} changes {ratio:.4g} times as fast as qd states: {text}. State "
            f"the unit: {for_each('units', **remedy)}"
        )
    return findings, confirmed


def _compare_limits(log: Log, robot: RobotLike, confirmed: Collection[str]) -> list[Finding]:
    """Positions beyond the description's limits; all of them so far that they must be degrees are an error.

    Args:
        log: with positions.
        robot: with the limits.
        confirmed: joints whose velocities have the unit of their positions.
    """
    beyond, degrees = [], []
    for k, joint in enumerate(robot.joints):
        limits = getattr(joint, "limits", None)
        lower, upper = getattr(limits, "lower", None), getattr(limits, "upper", None)
        if joint.kind != "revolute" or lower is None or upper is None or not np.isfinite([lower, upper]).all():
            continue
        least, most = float(log.q[:, k].min()), float(log.q[:, k].max())
        margin = 0.05 + 0.02 * (upper - lower)
        if least < lower - margin or most > upper + margin:
            beyond.append((joint.name, least, most, lower, upper))
        far = joint.name not in confirmed and np.percentile(np.abs(log.q[:, k]), 90) > 4.0 * np.pi
        if far and lower <= DEGREE * least and DEGREE * most <= upper:
            degrees.append(joint.name)
    if (degrees and log.qd is None) or len(degrees) > 1:
        raise LogError(
            f"log {log.name!r}: positions of {', '.join(degrees)} reach beyond two turns, and within the limits if "
            f"they are degrees. State the unit: {for_each('units', q=repr('deg'))}, or 'rad' if they are radians"
        )
    return [
        Finding(
            "beyond limits",
            f"q of {name} reaches from {least:.4g} to {most:.4g}, beyond its limits {lower:.4g} to {upper:.4g}",
        )
        for name, least, most, lower, upper in beyond
    ]
