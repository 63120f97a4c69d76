"""The motion that drives are sized for: a cycle that is repeated for ever."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.checks import array, number
from armdyn.errors import ModelError, ShapeError
from armdyn.simulation import Trajectory
from armdyn.spatial.rotations import Array


class TaskError(ModelError):
    """A task that describes no cycle."""


@dataclass(frozen=True, eq=False)
class Task:
    """Positions, velocities and accelerations of all joints over one cycle, which is repeated.

    Between two times all quantities are taken as trapezoids: means over the cycle have half of each neighbouring
    interval at a sample. A time that stands twice is a jump.

    Args:
        t: times, s, not falling, shape (samples,), two at least; their distances may differ.
        q: joint positions, rad or m, shape (samples, n).
        qd: joint velocities, rad/s or m/s, shape (samples, n).
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (samples, n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, shape (6,) or (samples, 6).

    Raises:
        TaskError: fewer than two samples, times that fall or take no time, numbers that are not finite.
        ShapeError: arrays of different lengths.

    >>> t = np.linspace(0.0, 2.0, 201)
    >>> swing = np.sin(np.pi * t)[:, None] * [0.5, 0.3]
    >>> rate = np.pi * np.cos(np.pi * t)[:, None] * [0.5, 0.3]
    >>> armdyn.sizing.Task(t, swing, rate, -np.pi**2 * swing).then_hold(1.0)
    <Task: 203 samples of 2 joints in 3 s>
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    f_tip: Array | None = None

    def __post_init__(self) -> None:
        times = array("t of Task", self.t, ("samples",), "s", finite=TaskError)
        if len(times) < 2:
            raise TaskError(f"the task has {len(times)} sample{'' if len(times) else 's'}; expected two at least")
        if (falls := np.flatnonzero(np.diff(times) < 0.0)).size:
            k = int(falls[0])
            raise TaskError(f"t of Task falls from {times[k]:g} to {times[k + 1]:g} s at sample {k + 1}; sort the rows")
        if times[-1] == times[0]:
            raise TaskError(f"the task takes no time: all of its {len(times)} times are {times[0]:g} s")
        object.__setattr__(self, "t", times)
        rows: dict[str, Any] = {"q": self.q, "qd": self.qd, "qdd": self.qdd}
        for name, given in rows.items():
            values = array(f"{name} of Task", given, ("samples", "n"), "a row for each time", finite=TaskError)
            if values.shape != (len(times), np.shape(self.q)[1]):
                raise ShapeError(
                    f"{name} of Task has shape {values.shape}; expected ({len(times)}, {np.shape(self.q)[1]}), a row "
                    "for each time and a column for each joint"
                )
            object.__setattr__(self, name, values)
        if self.f_tip is not None:
            wrench = array("f_tip of Task", self.f_tip, (..., 6), finite=TaskError)
            if wrench.shape not in ((6,), (len(times), 6)):
                raise ShapeError(f"f_tip of Task has shape {wrench.shape}; expected (6,) or ({len(times)}, 6)")
            object.__setattr__(self, "f_tip", np.broadcast_to(wrench, (len(times), 6)))

    @classmethod
    def of_trajectory(cls, trajectory: Trajectory) -> Task:
        """The motion of a simulation, or of one read from a file."""
        if trajectory.batch:
            raise ShapeError(f"the trajectory is a batch of shape {trajectory.batch}; pick one of its motions")
        return cls(trajectory.t, trajectory.q, trajectory.qd, trajectory.qdd, trajectory.f_tip)

    @classmethod
    def of_phases(cls, durations: ArrayLike, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Task:
        """A duty cycle: states that are each held for some seconds, one after the other.

        Args:
            durations: s, shape (phases,).
            q: joint positions in each phase, rad or m, shape (phases, n).
            qd: joint velocities in each phase, shape (phases, n).
            qdd: joint accelerations in each phase, shape (phases, n).
        """
        lasting = array("durations", durations, ("phases",), "s", finite=TaskError)
        if not len(lasting) or (lasting <= 0.0).any():
            raise TaskError(f"durations are {lasting.tolist()}; expected one phase or more, each above zero seconds")
        ends = np.cumsum(lasting)
        t = np.column_stack([ends - lasting, ends]).ravel()
        t[2::2] = ends[:-1]  # a phase begins exactly where the last one ends
        states = []
        for name, given in (("q", q), ("qd", qd), ("qdd", qdd)):
            values = array(name, given, ("phases", "n"), "a row for each phase", finite=TaskError)
            if len(values) != len(lasting):
                raise ShapeError(f"{name} has {len(values)} rows; expected one for each of {len(lasting)} durations")
            states.append(np.repeat(values, 2, axis=0))
        return cls(t, *states)

    def then_hold(self, seconds: float) -> Task:
        """The same, and after it a pause at the last position."""
        pause = number("seconds", seconds, above=0.0, unit="s", error=TaskError)
        still = np.zeros((2, self.q.shape[1]))
        return Task(
            np.concatenate([self.t, [self.t[-1], self.t[-1] + pause]]),
            np.concatenate([self.q, self.q[[-1, -1]]]),
            np.concatenate([self.qd, still]),
            np.concatenate([self.qdd, still]),
            None if self.f_tip is None else np.concatenate([self.f_tip, self.f_tip[[-1, -1]]]),
        )

    @property
    def duration(self) -> float:
        """Of one cycle, s."""
        return float(self.t[-1] - self.t[0])

    @property
    def steps(self) -> Array:
        """Lengths of the intervals between samples, s, shape (samples - 1,)."""
        lengths: Array = np.diff(self.t)
        return lengths

    @property
    def weights(self) -> Array:
        """The share of each sample in a mean over the cycle, shape (samples,): half of the intervals beside it."""
        half: Array = 0.5 * self.steps / self.duration
        shares: Array = np.concatenate([half, [0.0]]) + np.concatenate([[0.0], half])
        return shares

    def __repr__(self) -> str:
        return f"<Task: {len(self.t)} samples of {self.q.shape[1]} joints in {self.duration:g} s>"
