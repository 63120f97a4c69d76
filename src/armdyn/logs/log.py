"""`Log`: a recording of the joints of a robot over time, and what is unusual in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from armdyn.base.errors import ShapeError
from armdyn.logs.errors import LogError
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.functions.robot_like import RobotLike

QUANTITIES = ("q", "qd", "qdd", "tau", "current", "q_ref")

LONG_INTERVAL = 2.5
"""An interval between stamps is a gap if it exceeds this many usual ones."""


@dataclass(frozen=True)
class Finding:
    """Something unusual in a log.

    Args:
        kind: such as "gap", "repeated stamp", "constant channel".
        text: one sentence: the rows, and if they are used or left out.
        used: False for rows or channels that are left out.
    """

    kind: str
    text: str
    used: bool = True

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, eq=False)
class Log:
    """A recording of the joints of a robot. Immutable.

    Args:
        name: of the file, without its ending.
        joint_names: in the order of q.
        t: times from the first row on, s, rising, shape (T,).
        q: joint positions, rad or m, shape (T, n).
        qd: joint velocities, rad/s or m/s, shape (T, n); None if they were not recorded.
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (T, n); None if they were not recorded.
        tau: joint forces, N m or N, shape (T, n); None if they were not recorded.
        current: motor currents, A, shape (T, n); None if they were not recorded.
        q_ref: goals of position servos, rad or m, shape (T, n); None if they were not recorded.
        start: the stamp of the first row, s.
        findings: gaps, rows that were left out, channels that stand still, and so on.
        guesses: the columns that were taken by their labels, one sentence each.
        drives: A, turns of the motor of a row per turn of the joint of a column, of logs of motors, shape (n, n); None
            of logs of joints. Currents are those of the motors.

    >>> log = armdyn.logs.read({"t": [0.0, 0.1, 0.2], "q": np.zeros((3, 2))}, armdyn.load("rp"))
    >>> log
    <Log 'arrays' of 2 joints: 3 rows in 0.2 s, 10 Hz; q>
    """

    name: str
    joint_names: tuple[str, ...]
    t: Array
    q: Array
    qd: Array | None = None
    qdd: Array | None = None
    tau: Array | None = None
    current: Array | None = None
    q_ref: Array | None = None
    start: float = 0.0
    findings: tuple[Finding, ...] = ()
    guesses: tuple[str, ...] = ()
    drives: Array | None = None

    def __post_init__(self) -> None:
        rows, n = len(self.t), len(self.joint_names)
        for quantity in QUANTITIES:
            values = getattr(self, quantity)
            if values is not None and values.shape != (rows, n):
                raise ShapeError(
                    f"{quantity} of a log has shape {values.shape}; expected ({rows}, {n}): a row for each time, a "
                    f"column for each joint: {', '.join(self.joint_names)}"
                )
        for name in ("t", *QUANTITIES):
            values = getattr(self, name)
            if values is not None:
                values.flags.writeable = False

    def __len__(self) -> int:
        return len(self.t)

    @property
    def stamps(self) -> Array:
        """The times of the rows as the source counts them, s, shape (T,): t + start."""
        return np.asarray(self.t + self.start)

    @property
    def duration(self) -> float:
        """The time from the first to the last row, s."""
        return float(self.t[-1] - self.t[0])

    @property
    def rate(self) -> float:
        """The usual number of rows per second, Hz: one by the median interval."""
        return 1.0 / float(np.median(np.diff(self.t))) if len(self) > 1 else 0.0

    @property
    def quantities(self) -> tuple[str, ...]:
        """The names of the quantities that were recorded."""
        return tuple(name for name in QUANTITIES if getattr(self, name) is not None)

    @property
    def notes(self) -> tuple[str, ...]:
        """Guesses and findings, one sentence each."""
        return (*self.guesses, *map(str, self.findings))

    def pieces(self, longest: float | None = None) -> list[slice]:
        """The parts of the log without a gap.

        Args:
            longest: intervals above this are gaps, s; `LONG_INTERVAL` usual ones if None.
        """
        intervals = np.diff(self.t)
        if not len(intervals):
            return [slice(0, len(self))]
        limit = LONG_INTERVAL * float(np.median(intervals)) if longest is None else longest
        ends = [*(np.flatnonzero(intervals > limit) + 1).tolist(), len(self)]
        return [slice(a, b) for a, b in zip([0, *ends[:-1]], ends, strict=True)]

    def between(self, start: float, end: float) -> Log:
        """The rows from one time to another, both included; times stay as they are.

        Raises:
            LogError: no row between them.
        """
        keep = (self.t >= start) & (self.t <= end)
        if not keep.any():
            raise LogError(
                f"log {self.name!r} has no rows between {start:g} and {end:g} s; it reaches from {self.t[0]:g} to "
                f"{self.t[-1]:g} s"
            )
        arrays = {name: getattr(self, name)[keep] for name in self.quantities}
        return replace(self, t=self.t[keep], **arrays)

    def with_torques(self, tau: Array) -> Log:
        """The log with other joint forces, N m or N, shape (T, n)."""
        return replace(self, tau=np.array(tau, dtype=np.float64))

    def require_joints_of(self, robot: RobotLike) -> None:
        """Raise unless the log has the joints of the robot, in its order.

        Raises:
            LogError: other joints.
        """
        if self.joint_names != tuple(robot.joint_names):
            raise LogError(
                f"log {self.name!r} has joints {', '.join(self.joint_names)}; expected those of {robot.name!r}: "
                f"{', '.join(robot.joint_names)}. Read it with this robot: armdyn.logs.read(path, robot)"
            )

    def __repr__(self) -> str:
        return (
            f"<Log {self.name!r} of {len(self.joint_names)} joints: {len(self):,} rows in {self.duration:.6g} s, "
            f"{self.rate:.4g} Hz; {', '.join(self.quantities)}>"
        )

    def __str__(self) -> str:
        return "\n".join([repr(self), *(f"  {note}" for note in self.notes)])
