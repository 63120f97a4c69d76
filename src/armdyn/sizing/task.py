"""The motion for which drives are sized: a cycle that is repeated forever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.advice import either
from armdyn.base.checks import array, number, switch
from armdyn.base.errors import DTypeError, ModelError, ShapeError, Unsupported, excerpt
from armdyn.base.fields import set_fields
from armdyn.simulation import Trajectory
from armdyn.sizing.rates import contradiction
from armdyn.spatial.rotations import Array

PUSHES = ("stop_force", "contact_force")
"""Signals of trajectories with forces on the arm that are neither drive forces nor at its tip."""


class CycleError(ModelError):
    """A task that is not a valid cycle."""


@dataclass(frozen=True, eq=False)
class MotionCycle:
    """Positions, velocities and accelerations of all joints over one cycle, which is repeated.

    Means over the cycle use the trapezoidal rule: the weight of a sample is half of each neighbouring interval. A
    repeated time is a jump.

    Args:
        t: times, s, not decreasing, shape (samples,), at least two; intervals may differ.
        q: joint positions, rad or m, shape (samples, n).
        qd: joint velocities, rad/s or m/s, shape (samples, n).
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (samples, n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, shape (6,) or (samples, 6).
        joint_names: names of the joints of the robot, in the order of q.
        jumps: True if positions and velocities may jump between samples, e.g. in a duty cycle of constant states or at
            impacts. Otherwise qd must be the rate of q, and qdd that of qd, within the accuracy of the samples.

    Raises:
        TaskError: fewer than two samples, decreasing times or zero duration, numbers that are not finite, velocities
            that are not the rates of the positions, accelerations that are not those of the velocities.
        ShapeError: arrays of different lengths.

    >>> t = np.linspace(0.0, 2.0, 201)
    >>> swing = np.sin(np.pi * t)[:, None] * [0.5, 0.3]
    >>> rate = np.pi * np.cos(np.pi * t)[:, None] * [0.5, 0.3]
    >>> armdyn.sizing.MotionCycle(t, swing, rate, -np.pi**2 * swing).then_hold(1.0)
    <MotionCycle: 203 samples of 2 joints in 3 s>
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    f_tip: Array | None = None
    joint_names: Sequence[str] | None = None
    jumps: bool = False

    def __post_init__(self) -> None:
        times = array("t of MotionCycle", self.t, ("samples",), "s", finite=CycleError)
        if len(times) < 2:
            raise CycleError(f"the task has {len(times)} sample{'' if len(times) else 's'}; expected two at least")
        if (falls := np.flatnonzero(np.diff(times) < 0.0)).size:
            k = int(falls[0])
            raise CycleError(
                f"t of MotionCycle falls from {times[k]:g} to {times[k + 1]:g} s at sample {k + 1}; sort the rows"
            )
        if times[-1] == times[0]:
            raise CycleError(f"the task takes no time: all of its {len(times)} times are {times[0]:g} s")
        set_fields(self, t=times)
        rows: dict[str, object] = {"q": self.q, "qd": self.qd, "qdd": self.qdd}
        for name, arguments in rows.items():
            values = array(
                f"{name} of MotionCycle",
                arguments,
                ("samples", "n"),
                "a row for each time",
                finite=CycleError,
                names=None if self.joint_names is None else tuple(self.joint_names),
                owner="joint_names",
            )
            if values.shape[1] == 0:
                raise ShapeError(f"{name} of MotionCycle has no columns; expected one for each joint")
            columns = values.shape[1] if name == "q" else self.q.shape[1]
            if values.shape != (len(times), columns):
                raise ShapeError(
                    f"{name} of MotionCycle has shape {values.shape}; expected ({len(times)}, {columns}), a row "
                    "for each time and a column for each joint"
                )
            set_fields(self, **{name: values})
        if self.f_tip is not None:
            wrench = array("f_tip of MotionCycle", self.f_tip, (..., 6), finite=CycleError)
            if wrench.shape not in ((6,), (len(times), 6)):
                raise ShapeError(f"f_tip of MotionCycle has shape {wrench.shape}; expected (6,) or ({len(times)}, 6)")
            set_fields(self, f_tip=np.broadcast_to(wrench, (len(times), 6)))
        if self.joint_names is not None and len(self.joint_names) != self.q.shape[1]:
            raise ShapeError(
                f"{len(self.joint_names)} joint_names of MotionCycle for {self.q.shape[1]} joints; one each"
            )
        if not switch("jumps of MotionCycle", self.jumps):
            self._check_rates()

    def _check_rates(self) -> None:
        """Raise TaskError unless qd is the rate of q, and qdd that of qd."""
        for (position, x), (rate, v) in ((("q", self.q), ("qd", self.qd)), (("qd", self.qd), ("qdd", self.qdd))):
            result = contradiction(self.t, x, v)
            if result is None:
                continue
            k, names = result.column, self.joint_names
            of_joint = f"{position}[:, {k}]" if names is None else f"{position} of joint {names[k]!r}"
            raise CycleError(
                f"{rate} of MotionCycle is not the rate of {position}: from {result.start:g} to {result.end:g} s "
                f"{of_joint} moves by {result.moved:.6g}, and the integral of its {rate} is {result.integral:.6g}. "
                "Give the samples of one motion in rad, m and s, closer together if it is fast"
                + either("; or MotionCycle(..., jumps=True) where it jumps", "")
            )

    @classmethod
    def of_trajectory(cls, trajectory: Trajectory) -> MotionCycle:
        """The task of a simulated motion, or of one read from a file; a motion with events may jump.

        Raises:
            Unsupported: a motion with forces of stops or contacts.
        """
        if not isinstance(trajectory, Trajectory):
            raise DTypeError(f"trajectory is {excerpt(trajectory)}; expected an armdyn.Trajectory")
        if trajectory.batch:
            raise ShapeError(f"the trajectory is a batch of shape {trajectory.batch}; pick one of its motions")
        pushed = [name for name in PUSHES if np.any(trajectory.signals.get(name, 0.0))]
        if pushed:
            raise Unsupported(
                f"{' and '.join(pushed)} of the trajectory push the arm, and a task has no forces but f_tip; give the "
                "motion without stops and contacts, between(start, end)"
            )
        names, jumps = trajectory.joint_names, bool(trajectory.events)
        return cls(trajectory.t, trajectory.q, trajectory.qd, trajectory.qdd, trajectory.f_tip, names, jumps)

    @classmethod
    def of_phases(cls, durations: ArrayLike, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> MotionCycle:
        """A duty cycle: consecutive phases with a constant state each.

        Args:
            durations: durations of the phases, s, shape (phases,).
            q: joint positions in each phase, rad or m, shape (phases, n).
            qd: joint velocities in each phase, shape (phases, n).
            qdd: joint accelerations in each phase, shape (phases, n).
        """
        lasting = array("durations", durations, ("phases",), "s", finite=CycleError)
        if not len(lasting) or (lasting <= 0.0).any():
            raise CycleError(f"durations are {lasting.tolist()}; expected one phase or more, each above zero seconds")
        ends = np.cumsum(lasting)
        t = np.column_stack([ends - lasting, ends]).ravel()
        t[2::2] = ends[:-1]  # a phase begins exactly at the end of the last one
        rests = []
        for name, arguments in (("q", q), ("qd", qd), ("qdd", qdd)):
            values = array(name, arguments, ("phases", "n"), "a row for each phase", finite=CycleError)
            if len(values) != len(lasting):
                raise ShapeError(f"{name} has {len(values)} rows; expected one for each of {len(lasting)} durations")
            rests.append(np.repeat(values, 2, axis=0))
        return cls(t, rests[0], rests[1], rests[2], jumps=True)

    def then_hold(self, seconds: float) -> MotionCycle:
        """The task followed by a pause at the last position."""
        pause = number("seconds", seconds, above=0.0, unit="s", error=CycleError)
        still = np.zeros((2, self.q.shape[1]))
        return MotionCycle(
            np.concatenate([self.t, [self.t[-1], self.t[-1] + pause]]),
            np.concatenate([self.q, self.q[[-1, -1]]]),
            np.concatenate([self.qd, still]),
            np.concatenate([self.qdd, still]),
            None if self.f_tip is None else np.concatenate([self.f_tip, self.f_tip[[-1, -1]]]),
            self.joint_names,
            self.jumps,
        )

    @property
    def duration(self) -> float:
        """Duration of one cycle, s."""
        return float(self.t[-1] - self.t[0])

    @property
    def steps(self) -> Array:
        """Lengths of the intervals between samples, s, shape (samples - 1,)."""
        lengths: Array = np.diff(self.t)
        return lengths

    @property
    def weights(self) -> Array:
        """The weight of each sample in a mean over the cycle, shape (samples,): half of the adjacent intervals."""
        half: Array = 0.5 * self.steps / self.duration
        shares: Array = np.concatenate([half, [0.0]]) + np.concatenate([[0.0], half])
        return shares

    def __repr__(self) -> str:
        return f"<MotionCycle: {len(self.t)} samples of {self.q.shape[1]} joints in {self.duration:g} s>"
