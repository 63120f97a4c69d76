"""Torques and energies over time as curves: from a recording up to the present time, or the latest of a stream."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

import numpy as np

from armdyn.robot import Robot
from armdyn.spatial.rotations import Array
from armdyn.viewer.numbers import Now
from armdyn.viewer.recording import Recording

MOST_POINTS = 400
"""Largest number of points of a curve on the screen."""

WINDOW = 20.0
"""Time span of a stream that is shown, s."""


@dataclass(frozen=True, eq=False)
class Curves:
    """Some quantities over time.

    Args:
        title: name of the quantities, with their unit.
        names: names of the curves.
        t: times, s, shape (points,).
        values: a column for each curve, shape (points, curves).
        t_range: range of the time axis, s.
        range: range of the axis of values.
        ghosts: number of curves of another motion, the last columns, NaN at times at which it is unknown.
    """

    title: str
    names: tuple[str, ...]
    t: Array
    values: Array
    t_range: tuple[float, float]
    range: tuple[float, float]
    ghosts: int = 0

    def until(self, t: float) -> Curves:
        """The curves up to a time, in the same axes."""
        count = int(np.searchsorted(self.t, t, side="right"))
        count = min(max(count, 1), len(self.t))
        return replace(self, t=self.t[:count], values=self.values[:count])


def force_title(robot: Robot) -> str:
    """The heading of joint forces with their units."""
    kinds = {joint.kind for joint in robot.joints}
    return {1: "Torques, N m" if "revolute" in kinds else "Forces, N"}.get(len(kinds), "Torques, N m, and forces, N")


def curves_of(robot: Robot, recording: Recording, other: Recording | None = None) -> list[Curves]:
    """The joint forces and energies of a recording that has them, with those of another one at the same times."""
    own = _own_curves(robot, recording)
    if other is None:
        return own
    quantities = {each.title.split(",")[0]: each for each in _own_curves(robot, other)}
    return [_with_ghosts(each, quantities.get(each.title.split(",")[0])) for each in own]


def _with_ghosts(curves: Curves, other: Curves | None) -> Curves:
    """Curves with those of the same quantities of another motion, interpolated; unchanged if it has none."""
    if other is None:
        return curves
    columns = [np.interp(curves.t, other.t, column, left=np.nan, right=np.nan) for column in other.values.T]
    values = np.column_stack([curves.values, *columns])
    names = (*curves.names, *(f"{name}, ghost" for name in other.names))
    both = _make(curves.title, names, curves.t, values, curves.t_range)
    return replace(both, ghosts=len(columns))


def _own_curves(robot: Robot, recording: Recording) -> list[Curves]:
    step = max(-(-len(recording.t) // MOST_POINTS), 1)
    thin = slice(None, None, step)
    result = []
    if recording.tau is not None:
        title = f"{force_title(robot)}, {recording.tau_of}"
        result.append(_make(title, robot.joint_names, recording.t[thin], recording.tau[thin]))
    if recording.kinetic is not None and recording.potential is not None:
        parts = [recording.kinetic, recording.potential, recording.kinetic + recording.potential]
        result.append(
            _make("Energy, J", ("kinetic", "potential", "together"), recording.t[thin], np.stack(parts, -1)[thin])
        )
    return result


class History:
    """The latest torques and energies of a stream."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self._rows: deque[tuple[float, Array, Array]] = deque(maxlen=MOST_POINTS)
        self.forces_of = "g(q)"

    def add(self, t: float, now: Now) -> None:
        """Store a state at a time, s, if it is later than the last one by more than the spacing of points."""
        if self._rows and t < self._rows[-1][0]:
            self._rows.clear()  # the sender has restarted its clock
        if self._rows and t - self._rows[-1][0] < WINDOW / MOST_POINTS:
            return
        measured = now.tau is not None
        if self._rows and measured != (self.forces_of == "measured"):
            self._rows.clear()
        self.forces_of = "measured" if measured else "g(q)"
        forces = now.tau if now.tau is not None else self.robot.gravity_forces(now.q)
        potential = float(self.robot.potential_energy(now.q))
        kinetic = np.nan if now.qd is None else float(self.robot.kinetic_energy(now.q, now.qd))
        self._rows.append((t, np.asarray(forces), np.array([kinetic, potential, kinetic + potential])))

    def curves(self) -> list[Curves]:
        """Curves of the rows stored so far; empty before the second row."""
        if len(self._rows) < 2:
            return []
        t = np.array([row[0] for row in self._rows])
        forces, energies = np.array([row[1] for row in self._rows]), np.array([row[2] for row in self._rows])
        is_finite = np.isfinite(energies[:, 0]).all()
        names, columns = (("kinetic", "potential", "together"), [0, 1, 2]) if is_finite else (("potential",), [1])
        window = (max(float(t[0]), float(t[-1]) - WINDOW), max(float(t[-1]), float(t[0]) + 1.0))
        return [
            _make(f"{force_title(self.robot)}, {self.forces_of}", self.robot.joint_names, t, forces, window),
            _make("Energy, J", names, t, energies[:, columns], window),
        ]


def _make(
    title: str, names: tuple[str, ...], t: Array, values: Array, window: tuple[float, float] | None = None
) -> Curves:
    """Curves in axes that hold all of them."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    around = 0.06 * (high - low) if high - low > 1e-9 * max(abs(low), abs(high), 1.0) else 0.1 * max(abs(high), 1.0)
    whole = (float(t[0]), float(t[-1]) if t[-1] > t[0] else float(t[0]) + 1.0)
    return Curves(title, names, t, values, window or whole, (low - around, high + around))
