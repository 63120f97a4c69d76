"""Notes on effects missing in a sizing: jumps between cycles, missing numbers of data sheets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from armdyn.actuators.motor import Motor
from armdyn.sizing.task import MotionCycle

OF_REST = 1e-3
"""Differences of velocities or positions below this fraction of the largest in the task count as zero."""

NUMBERS: dict[str, Callable[[Motor], bool]] = {
    "rotor_inertia": lambda motor: motor.rotor_inertia == 0.0,
    "nominal_voltage": lambda motor: math.isinf(motor.limits.voltage),
}
"""Entries of data sheets, with a function that returns True if a motor lacks them."""


def notes_on_task(task: MotionCycle, joints: Sequence[str]) -> Iterator[str]:
    """Notes on jumps between the end of a cycle and the next one, or at a repeated time, which are not counted."""
    if task.jumps:
        return
    seams = [*np.flatnonzero(np.diff(task.t) == 0.0).tolist(), -1]
    moved, faster = _differences(task.q, seams), _differences(task.qd, seams)
    jumping = [joints[k] for k in np.flatnonzero(faster > OF_REST * np.abs(task.qd).max(axis=0)).tolist()]
    elsewhere = [joints[k] for k in np.flatnonzero(moved > OF_REST * np.ptp(task.q, axis=0)).tolist()]
    if jumping:
        yield (
            f"the velocity of {', '.join(jumping)} jumps where the task ends, begins again, or is held: what that "
            "takes is not counted. Let the task end as it begins, and at rest before a hold"
        )
    if elsewhere:
        yield (
            f"{', '.join(elsewhere)} ends elsewhere than it begins: the way back, and its heat, is not counted. Let "
            "the task come back"
        )


def _differences(x: np.ndarray, seams: Iterable[int]) -> np.ndarray:
    """The largest change of each column from a sample to the next, cyclically, at the seams."""
    result: np.ndarray = np.abs([x[(k + 1) % len(x)] - x[k] for k in seams]).max(axis=0)
    return result


def notes_on_motor(name: str, motor: Motor) -> Iterator[str]:
    """Notes on criteria not applied to a chosen motor because its data sheet lacks numbers."""
    missing = [entry for entry, lacks in NUMBERS.items() if lacks(motor)]
    if motor.thermal is None and math.isinf(motor.limits.continuous_current):
        yield (
            f"heating of motor {name!r} is not judged: its sheet has neither nominal_current nor a thermal model "
            "(winding_to_housing, winding_time_constant, ...)"
        )
    elif motor.thermal is not None and math.isinf(motor.thermal.winding_limit):
        missing.append("winding_temperature_limit")
    if missing:
        yield f"motor {name!r} has no {' and no '.join(missing)}: not judged by it, and counted as none"
