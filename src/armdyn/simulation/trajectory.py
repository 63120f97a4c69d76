"""A motion over time, with everything that belongs to it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.checks import array
from armdyn.errors import ShapeError
from armdyn.simulation.dense import Dense, StateAt, between_saved
from armdyn.simulation.energy import EnergyAccount
from armdyn.simulation.errors import SettingError
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Statistics:
    """What a simulation took.

    Args:
        method: and its settings, in words.
        steps: over all states of the batch where each has its own.
        evaluations: of the equations of motion, counted in the same way.
        wall_time: s.
    """

    method: str
    steps: int
    evaluations: int
    wall_time: float


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A motion over time: states, accelerations, forces, energies. Immutable.

    Args:
        robot: the robot's name.
        joint_names: in the order of q.
        joint_kinds: "revolute" or "prismatic", for the units.
        t: times, s, shape (T,); the first is 0.
        q: joint positions, rad or m, shape (T, ..., n).
        qd: joint velocities, rad/s or m/s, shape (T, ..., n).
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (T, ..., n).
        tau: joint forces, N m or N, shape (T, ..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, shape (T, ..., 6); None without one.
        energy: the energy account, J.
        statistics: method, steps, evaluations, wall time.
        notes: what the equations left out, and which limits the motion did not keep, one sentence each.
        dense: the solver's interpolants by index in the batch, of ``simulate(..., dense_output=True)``; not in files.

    >>> trajectory = armdyn.simulate(armdyn.load("ur5"), np.zeros(6), duration=0.5)
    >>> trajectory
    <Trajectory of 'ur5': 1001 times from 0 to 0.5 s, 6 joints; DOP853, rtol 1e-10, atol 1e-10>
    >>> trajectory.q.shape
    (1001, 6)
    >>> bool(abs(trajectory.energy.relative_drift).max() < 1e-9)
    True
    """

    robot: str
    joint_names: tuple[str, ...]
    joint_kinds: tuple[str, ...]
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    f_tip: Array | None
    energy: EnergyAccount
    statistics: Statistics
    notes: tuple[str, ...] = ()
    dense: Mapping[tuple[int, ...], Dense] | None = None

    def __post_init__(self) -> None:
        for holder in (self, self.energy):
            for field in fields(holder):
                value = getattr(holder, field.name)
                if isinstance(value, np.ndarray):
                    value.flags.writeable = False

    @property
    def batch(self) -> tuple[int, ...]:
        """The shape of the batch; () for one motion."""
        return self.q.shape[1:-1]

    def pick(self, *index: int) -> Trajectory:
        """One motion of the batch.

        >>> batch = armdyn.simulate(armdyn.load("rp"), [[0.0, 1.0], [0.1, 1.0]], duration=0.1)
        >>> batch.batch, batch.pick(1).q.shape
        ((2,), (1001, 2))
        """
        if len(index) != len(self.batch) or any(not -m <= k < m for k, m in zip(index, self.batch, strict=True)):
            raise ShapeError(f"pick{index} of a batch of shape {self.batch}; expected one index for each of its axes")
        at: Any = (slice(None), *index)
        energy = EnergyAccount(self.energy.kinetic[at], self.energy.potential[at], self.energy.work[at])
        f_tip = None if self.f_tip is None else self.f_tip[at]
        arrays = {name: getattr(self, name)[at] for name in ("q", "qd", "qdd", "tau")}
        dense: dict[tuple[int, ...], Dense] | None = None
        if self.dense is not None:
            forward = tuple(k % m for k, m in zip(index, self.batch, strict=True))
            dense = {(): self.dense[forward]}
        return replace(self, **arrays, f_tip=f_tip, energy=energy, dense=dense)

    def at(self, t: ArrayLike) -> StateAt:
        """Positions and velocities at any times of the motion, named arrays ``q`` and ``qd``.

        With ``simulate(..., dense_output=True)`` by the interpolants of the solver, as accurate as its steps. Otherwise
        between the saved states on both sides, by the polynomial of fourth degree with their q and qd and the first
        one's qdd: its error goes with the fifth power of the time between them.

        Args:
            t: times, s, any shape, from 0 to the last.

        Returns:
            A `StateAt`: q, rad or m, and qd, rad/s or m/s, of shape (*t.shape, ..., n).

        Raises:
            SettingError: a time before 0 or behind the end.

        >>> fall = armdyn.simulate(armdyn.load("planar_2r"), [0.0, 0.0], duration=1.0, dense_output=True)
        >>> fall.at(0.12345).q.round(6)
        array([-0.074655,  0.074489])
        """
        times = array("t", t, None, "seconds, of any shape", finite=SettingError)
        if times.size and not (self.t[0] <= times.min() and times.max() <= self.t[-1]):
            raise SettingError(
                f"t reaches from {times.min():g} to {times.max():g} s; the motion is known from {self.t[0]:g} to "
                f"{self.t[-1]:g} s"
            )
        if self.dense is None:
            return between_saved(times, self.t, self.q, self.qd, self.qdd)
        q = np.empty((*times.shape, *self.q.shape[1:]))
        qd = np.empty_like(q)
        for index, dense in self.dense.items():
            where: Any = (*(slice(None),) * times.ndim, *index)
            q[where], qd[where] = dense.at(times)
        return StateAt(q, qd)

    def to_dict(self) -> dict[str, Array]:
        """The columns of a table, ready for ``pandas.DataFrame``: t, q_JOINT, qd_JOINT, ..., kinetic, ..., drift.

        A batch becomes long: one row for each time and state, with its indices in columns batch_0, batch_1, ...

        >>> columns = armdyn.simulate(armdyn.load("rp"), [0.0, 1.0], duration=0.1).to_dict()
        >>> list(columns)[:3], columns["t"].shape
        (['t', 'q_joint_1', 'q_joint_2'], (1001,))
        """
        from armdyn.simulation.columns import table  # noqa: PLC0415 - they need this class

        return table(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write to a file, over one that exists: everything to ``.npz``, the columns of one motion to ``.csv``.

        Numbers come back exactly from both. A csv file has no place for notes and statistics.

        Raises:
            TrajectoryFileError: another ending, a batch to csv, or a file that cannot be written.
        """
        from armdyn.simulation.files import save  # noqa: PLC0415 - they need this class

        save(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Trajectory:
        """Read what `save` wrote. Nothing in the file is executed or unpickled.

        Raises:
            TrajectoryFileError: a file that is missing, damaged, or no trajectory.
        """
        from armdyn.simulation.files import load  # noqa: PLC0415 - they need this class

        return load(path)

    def plot(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Figure:
        """A picture of joint positions, velocities and the energy account, as a matplotlib Figure.

        Args:
            path: also write it there; the ending chooses the format (png, pdf, svg).
            options: of `armdyn.plots.plot_trajectory`.
        """
        from armdyn.plots import plot_trajectory, write_figure  # noqa: PLC0415 - matplotlib is slow to import

        figure = plot_trajectory(self, **options)
        if path is not None:
            write_figure(figure, path)
        return figure

    def __repr__(self) -> str:
        batch = f", batch {self.batch}" if self.batch else ""
        return (
            f"<Trajectory of {self.robot!r}: {len(self.t)} times from 0 to {self.t[-1]:g} s, "
            f"{len(self.joint_names)} joints{batch}; {self.statistics.method}>"
        )
