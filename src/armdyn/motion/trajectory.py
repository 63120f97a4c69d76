"""A motion over time, with everything that belongs to it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from armdyn.base.checks import array, text_problems
from armdyn.base.errors import SettingError, ShapeError
from armdyn.base.extras import extra
from armdyn.base.imported import Imported, exported
from armdyn.base.tabular import Tabulated, TextTable
from armdyn.motion.columns import DERIVED, names_and_units_of, quantities_of, table
from armdyn.motion.dense import Dense, RotorsAt, StateAt, of_batch
from armdyn.motion.interpolation import cubic, quartic
from armdyn.motion.labels import checked_labels, known_labels
from armdyn.motion.motion_data import MotionData
from armdyn.motion.recorded import from_arrays, from_log
from armdyn.motion.resampling import part, resampled
from armdyn.motion.saving import load, save
from armdyn.motion.summary import summary
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    import armdyn.motion.comparison
    import armdyn.motion.drives
    import armdyn.motion.with_robot
    from armdyn.plots.animation import Animation

else:
    armdyn = sys.modules["armdyn"]  # its modules, imported at first access


@dataclass(frozen=True, eq=False)
class Trajectory(Tabulated, MotionData):
    """A motion over time: states, accelerations, forces, energies. Immutable.

    Args:
        robot: the robot's name.
        joint_names: in the order of q.
        joint_kinds: "revolute" or "prismatic", for the units.
        t: times, s, rising, shape (T,); the first is 0, in a part of a motion (`between`, `resample`) any.
        q: joint positions, rad or m, shape (T, ..., n).
        qd: joint velocities, rad/s or m/s, shape (T, ..., n).
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (T, ..., n).
        tau: joint forces, N m or N, shape (T, ..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, shape (T, ..., 6); None without one.
        energy: the energy account, J.
        statistics: method, steps, evaluations, wall time.
        notes: effects that the equations left out, and limits that the motion exceeded, one sentence each.
        dense: the solver's interpolants by index in the batch, of `SaveAt(dense=True)`; not in files.
        signals: further recorded quantities, by name: references, a controller's state, forces of stops and contacts,
            the friction of joints that can stick, each of shape (T, ..., k).
        events: events in order of time, of ``simulate(..., events=, elements=)``, and of joints that
            stick and slip.
        signal_labels: names and units of the values of signals, by the names of signals, if they are known.
        limits: the limits of each joint, `armdyn.Limits`; empty if they are not known.

    >>> trajectory = armdyn.simulate(armdyn.load("ur5"), np.zeros(6), duration=0.5)
    >>> trajectory
    <Trajectory of 'ur5': 1001 times from 0 to 0.5 s, 6 joints; DOP853, rtol 1e-10, atol 1e-10>
    >>> trajectory.q.shape
    (1001, 6)
    >>> bool(abs(trajectory.energy.relative_drift).max() < 1e-9)
    True
    """

    @classmethod
    def from_arrays(
        cls,
        t: ArrayLike,
        q: ArrayLike,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        *,
        robot: Robot,
        f_tip: ArrayLike | None = None,
        signals: Mapping[str, ArrayLike] | None = None,
        name: str | None = None,
    ) -> Trajectory:
        """A planned or measured motion as a trajectory, to plot, animate, view, report and compare.

        Velocities and accelerations that are not given are derivatives of the quintic spline through the positions, or
        through the velocities; joint forces that are not given are inverse dynamics. Notes state it.

        Args:
            t: times, s, rising, shape (T,), two at least.
            q: joint positions, rad or m, shape (T, ..., n).
            qd: joint velocities, rad/s or m/s, of the shape of q.
            qdd: joint accelerations, rad/s^2 or m/s^2, of the shape of q.
            tau: joint forces, N m or N, of the shape of q.
            robot: the robot that moves.
            f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, shape (6,) or (T, ..., 6).
            signals: further quantities over time by name, as of `with_signals`.
            name: of the source, for the summary.

        Raises:
            ShapeError: arrays of other shapes.
            SettingError: times that do not rise, or entries that are not finite; `armdyn.logs.read` leaves such rows
                out.

        >>> arm = armdyn.load("rp")
        >>> t = np.linspace(0.0, 2.0, 201)
        >>> q = np.stack([np.sin(t), 1.0 + 0.1 * t], axis=1)
        >>> armdyn.Trajectory.from_arrays(t, q, robot=arm)
        <Trajectory of 'rp': 201 times from 0 to 2 s, 2 joints; given>
        """
        motion = from_arrays(cls, robot, t, q, qd, qdd, tau, f_tip, name)
        return motion.with_signals(**signals) if signals else motion

    @classmethod
    def from_dataframe(cls, frame: object, *, robot: Robot, **options: object) -> Trajectory:
        """The motion of a data frame of pandas, polars or pyarrow, as `from_log` makes it of any table.

        Args:
            frame: with columns of times and positions, e.g. t and q_JOINT, or those that ``columns`` names.
            robot: the robot that moved.
            options: of `armdyn.logs.read`: columns, units, gains, rate, name.

        Raises:
            LogError: a frame without these columns, or with fewer than three rows of numbers.
            UnknownName: a column or joint that does not exist.

        >>> arm = armdyn.load("rp")
        >>> frame = armdyn.simulate(arm, [0.0, 1.0], duration=0.1).to_dataframe()
        >>> armdyn.Trajectory.from_dataframe(frame, robot=arm).q.shape
        (1001, 2)
        """
        return cls.from_log(frame, robot, **options)

    @classmethod
    def from_log(cls, source: object, robot: Robot, **options: object) -> Trajectory:
        """The motion of a log as a trajectory, to plot, animate, view, report and compare.

        Velocities and accelerations that were not recorded are derivatives of the quintic spline through the
        positions, or through the velocities, which amplifies noise; joint forces that were not recorded are inverse
        dynamics. The notes list these, rows that the log leaves out, and guesses. Times are the stamps; those
        of a date count from the first row. Currents are the signal ``current``.

        Args:
            source: a `armdyn.logs.Log`, or a source of `armdyn.logs.read`: the path of a csv, Parquet, npz, MCAP or
                ROS bag, a data frame, a mapping of arrays, lines of text.
            robot: the robot that moved.
            options: of `armdyn.logs.read`: columns, units, gains, rate, topic, name.

        Raises:
            LogError: a source that is not a log of the robot's joints, or with fewer than three rows of numbers.
            UnknownName: a column or joint that does not exist.

        >>> t = np.linspace(0.0, 1.0, 101)
        >>> log = {"timestamp": 5.0 + t, "actual_q_0": np.sin(t), "actual_q_1": 1.0 + 0.1 * t}
        >>> motion = armdyn.Trajectory.from_log(log, armdyn.load("rp"))
        >>> motion
        <Trajectory of 'rp': 101 times from 5 to 6 s, 2 joints; recorded: arrays>
        >>> bool(abs(motion.qd[:, 0] - np.cos(t)).max() < 1e-8)
        True
        """
        return from_log(cls, source, robot, **options)

    def pick(self, *index: int) -> Trajectory:
        """One motion of the batch.

        >>> batch = armdyn.simulate(armdyn.load("rp"), [[0.0, 1.0], [0.1, 1.0]], duration=0.1)
        >>> batch.batch, batch.pick(1).q.shape
        ((2,), (1001, 2))
        """
        if len(index) != len(self.batch) or any(not -m <= k < m for k, m in zip(index, self.batch, strict=True)):
            raise ShapeError(f"pick{index} of a batch of shape {self.batch}; expected one index for each of its axes")
        at: Any = (slice(None), *index)
        forward = tuple(k % m for k, m in zip(index, self.batch, strict=True))
        dense: Mapping[tuple[int, ...], Dense] | None = None if self.dense is None else {(): self.dense[forward]}
        events = tuple(replace(one, index=()) for one in self.events if one.index == forward)
        return replace(self.changed(lambda values: values[at]), dense=dense, events=events)

    def at(self, t: ArrayLike) -> StateAt:
        """Positions and velocities at any times of the motion, named arrays ``q`` and ``qd``.

        After `SaveAt(dense=True)` they are the interpolants of the solver, as accurate as its steps.
        Otherwise they are the Hermite polynomial of fourth degree between the saved states on both sides, with their q
        and qd and the first one's qdd: its error is of the fifth order in the time between them, if no impact lies
        there. Across a velocity jump dv it is up to 0.26 dv H, H the time between them.

        Args:
            t: times, s, any shape, from 0 to the last.

        Returns:
            A `StateAt`: q, rad or m, and qd, rad/s or m/s, of shape (*t.shape, ..., n).

        Raises:
            SettingError: a time before 0 or after the end.

        >>> save = armdyn.simulation.SaveAt(dense=True)
        >>> fall = armdyn.simulate(armdyn.load("planar_2r"), [0.0, 0.0], duration=1.0, save=save)
        >>> fall.at(0.12345).q.round(6)
        array([-0.074655,  0.074489])
        """
        times = self._within(t)
        if self.dense is None:
            return quartic(times, self.t, self.q, self.qd, self.qdd)
        return StateAt(*of_batch(self.dense, times, self.q.shape[1:], Dense.at))

    def rotors_at(self, t: ArrayLike) -> RotorsAt:
        """Positions and velocities of the rotors of an arm with flexible joints, ``theta`` and ``thetad``.

        After `SaveAt(dense=True)` they are the interpolants of the solver. Otherwise they are the cubic
        Hermite polynomial between the saved states on both sides, with their theta and thetad: its error is of the
        fourth order in the time between them.

        Args:
            t: times, s, any shape, from 0 to the last.

        Returns:
            A `RotorsAt`: theta, rad or m, and thetad, rad/s or m/s, as the joints see them, of shape
            (*t.shape, ..., n); q and qd at rigid joints.

        Raises:
            SettingError: a time before 0 or after the end, or a motion that has no rotors.
        """
        times = self._within(t)
        if self.dense is not None and all(dense.flexible for dense in self.dense.values()):
            return RotorsAt(*of_batch(self.dense, times, self.q.shape[1:], Dense.rotors_at))
        if "theta" not in self.signals or "thetad" not in self.signals:
            raise SettingError(
                f"the motion of {self.robot!r} has no rotors: no joint has a spring, or signals 'theta' and 'thetad' "
                "were not recorded. If joints are rigid use trajectory.at"
            )
        return cubic(times, self.t, self.signals["theta"], self.signals["thetad"])

    def _within(self, t: ArrayLike) -> Array:
        """Times of the motion, s."""
        times = array("t", t, None, "seconds, of any shape", finite=SettingError)
        if times.size and not (self.t[0] <= times.min() and times.max() <= self.t[-1]):
            raise SettingError(
                f"t reaches from {times.min():g} to {times.max():g} s; the motion is known from {self.t[0]:g} to "
                f"{self.t[-1]:g} s"
            )
        return times

    def between(self, start: float, end: float) -> Trajectory:
        """The states kept from one time to another, both included, without interpolation.

        Times are unchanged, and work is still counted from t = 0; drift is the change of the energy account since the
        first state of the part.

        Args:
            start: s.
            end: s.

        Raises:
            SettingError: no state kept between them.

        >>> motion = armdyn.simulate(armdyn.load("rp"), [0.0, 1.0], duration=1.0)
        >>> motion.between(0.25, 0.5)
        <Trajectory of 'rp': 251 times from 0.25 to 0.5 s, 2 joints; DOP853, rtol 1e-10, atol 1e-10>
        """
        return part(self, start, end)

    def resample(self, times: ArrayLike | None = None, *, rate: float | None = None) -> Trajectory:
        """The motion at other times: exact at kept times, quintic Hermite interpolation between them.

        Between two kept times q is the polynomial of fifth degree with the q, qd and qdd of both (quintic Hermite), and
        qd and qdd are its derivatives; their errors are of the sixth, fifth and fourth order in the interval if forces
        are smooth. If forces jump at kept times, e.g. a table of forces held during each step, `at` is more accurate.
        Across an impact the error of q is up to 0.2 dv H, dv the jump of the velocity and H the time between the kept
        times. After `SaveAt(dense=True)` q and qd are those of the solver's interpolants, as in `at`,
        which end at impacts. Forces, wrench, energies and signals are interpolated linearly, so that the drift of the
        energy account is interpolated too.

        Args:
            times: s, rising, shape (T,), within the motion.
            rate: as an alternative, times per second from the first time on, Hz.

        Raises:
            SettingError: times outside the motion or that do not rise; both times and rate, or neither.

        >>> motion = armdyn.simulate(armdyn.load("rp"), [0.0, 1.0], duration=1.0)
        >>> motion.resample(rate=25).t[:3]
        array([0.  , 0.04, 0.08])
        """
        return resampled(self, times, rate)

    def with_signals(self, **signals: ArrayLike) -> Trajectory:
        """A copy of the trajectory with further quantities over time, which slices, files and plots keep.

        Signals of joints with a name that armdyn uses, e.g. q_ref and current, get names of joints and units.

        Args:
            signals: by name, each of shape (T, ..., k): one row per time, the batch, k values. A signal replaces an
                existing one of its name.

        Raises:
            ShapeError: another shape.
            SettingError: a blank name.

        >>> motion = armdyn.simulate(armdyn.load("rp"), [0.0, 1.0], duration=1.0)
        >>> motion.with_signals(reference=np.zeros((1001, 2))).signals["reference"].shape
        (1001, 2)
        """
        shape = (*self.q.shape[:-1], "k")
        new_labels = {}
        for name, values in signals.items():
            if problems := list(text_problems(name, "the name of a signal")):
                raise SettingError(" ".join(problems))
            new_labels[name] = array(f"signal {name!r}", values, shape, "a row for each time", missing=True)
            if not new_labels[name].size:
                raise ShapeError(
                    f"signal {name!r} holds no values: shape {new_labels[name].shape}; expected k above zero"
                )
        labels = {name: label for name, label in self.signal_labels.items() if name not in new_labels}
        labels |= known_labels(new_labels, self.joint_names, self.joint_kinds)
        return replace(self, signals={**self.signals, **new_labels}, signal_labels=labels)

    def with_signal_labels(self, **labels: Sequence[tuple[str, str]]) -> Trajectory:
        """A copy of the trajectory with names and units of the values of signals, which pictures show and files keep.

        Args:
            labels: by the name of the signal, a name and a unit for each of its values.

        Raises:
            UnknownName: a signal that it does not have.
            ShapeError: more or fewer labels than values.

        >>> motion = armdyn.simulate(armdyn.load("rp"), [0.0, 1.0], duration=1.0)
        >>> motion.with_signals(error=np.zeros((1001, 2))).with_signal_labels(error=[("turn", "rad"), ("slide", "m")])
        <Trajectory of 'rp': 1001 times from 0 to 1 s, 2 joints; DOP853, rtol 1e-10, atol 1e-10>
        """
        checked = {name: checked_labels(name, new_labels, self.signals) for name, new_labels in labels.items()}
        return replace(self, signal_labels={**self.signal_labels, **checked})

    def to_dict(self) -> dict[str, Array]:
        """The columns of a table by name, each an array: t, q_JOINT, qd_JOINT, ..., kinetic, ..., drift.

        Signals whose values have labels are named after them, ``signal_current_elbow``; others are numbered.

        A batch becomes long: one row for each time and state, with its indices in columns batch_0, batch_1, ...

        >>> columns = armdyn.simulate(armdyn.load("rp"), [0.0, 1.0], duration=0.1).to_dict()
        >>> list(columns)[:3], columns["t"].shape
        (['t', 'q_joint_1', 'q_joint_2'], (1001,))
        """
        return table(self)

    def to_dataframe(self) -> DataFrame:
        """The table of `to_dict` as a ``pandas.DataFrame``, one row per time and state; it needs the library pandas.

        ``attrs["units"]`` has the unit of each column that has one, ``attrs["quantities"]`` the quantity of each column
        of a signal, e.g. "motor current I".

        Raises:
            MissingLibrary: if pandas is not installed.

        >>> table = armdyn.simulate(armdyn.load("rp"), [0.0, 1.0], duration=0.1).to_dataframe()
        >>> table.shape, list(table.columns)[:3], table.attrs["units"]["q_joint_2"]
        ((1001, 14), ['t', 'q_joint_1', 'q_joint_2'], 'm')
        """
        frame = extra("pandas", "to_dataframe").DataFrame(self.to_dict())
        named = [*names_and_units_of(self), *((name, "J") for name in DERIVED)]
        frame.attrs["units"] = {name: unit for name, unit in named if unit}
        frame.attrs["quantities"] = quantities_of(self)
        return frame

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write to a file, over one that exists: everything to ``.npz`` or ``.parquet``, one motion to ``.csv``.

        Numbers are read back exactly from all formats. A csv file cannot store notes, statistics and labels that its
        header does not identify. A Parquet file is a table with the columns of `to_dict`, with units and quantities in
        their metadata; it needs the library pyarrow.

        Raises:
            TrajectoryFileError: another ending, a batch to csv, or a file that cannot be written.
            MissingLibrary: Parquet, if pyarrow is not installed.
        """
        save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Trajectory:
        """Read a trajectory that `save` wrote. Nothing in the file is executed or unpickled.

        Raises:
            TrajectoryFileError: a file that is missing, damaged, or not a trajectory.
        """
        return load(path, cls)

    def plot(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Figure:
        """A picture of joint positions, velocities, forces and the energy account, as a matplotlib Figure.

        Args:
            path: also write it there; the ending chooses the format (png, pdf, svg).
            options: of `armdyn.plots.plot_trajectory`: over, joints, panels, signals, layout, limits, reference, size,
                palette, degrees and others.
        """
        from armdyn.plots.style import write_figure  # noqa: PLC0415 - matplotlib is slow to import
        from armdyn.plots.trajectory import plot_trajectory  # noqa: PLC0415

        figure = plot_trajectory(self, **options)
        if path is not None:
            write_figure(figure, path)
        return figure

    def animate(
        self, path: str | os.PathLike[str] | None = None, *, robot: Robot, progress: bool = False, **options: Any
    ) -> Animation:
        """The arm in motion, in a plane or in space, as an `armdyn.plots.Animation`; notebooks play it.

        Args:
            path: also write it there: ``.gif``, ``.mp4`` if ffmpeg is present, or ``.html``.
            robot: the robot that moved.
            progress: of writing, as a bar on stderr.
            options: of `armdyn.plots.animate_trajectory`: fps, speed, every, trace, view and others.
        """
        from armdyn.plots.animate import animate_trajectory  # noqa: PLC0415 - matplotlib is slow to import

        animation = animate_trajectory(self, robot, **options)
        if path is not None:
            animation.save(path, progress=progress)
        return animation

    tip_motion = Imported(lambda: armdyn.motion.with_robot.tip_motion)

    constraint_forces = Imported(lambda: armdyn.motion.with_robot.constraint_forces)

    drives = Imported(lambda: armdyn.motion.drives.drive_histories)

    compare = Imported(lambda: armdyn.motion.comparison.compared)

    report = exported("armdyn.report")

    page = exported("armdyn.page", "motion_page")

    view = exported("armdyn.viewer", "view_trajectory")

    def table(self) -> TextTable:
        """The table that ``print`` shows: joints with their positions, speeds and forces; energy and notes below it."""
        return summary(self)

    def __repr__(self) -> str:
        batch = f", batch {self.batch}" if self.batch else ""
        return (
            f"<Trajectory of {self.robot!r}: {len(self.t)} times from {self.t[0]:g} to {self.t[-1]:g} s, "
            f"{len(self.joint_names)} joints{batch}; {self.statistics.method}>"
        )
