"""A closed loop's motion as a `Trajectory`, with its events; states and results of its controller are signals."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.base.checks import array
from armdyn.base.errors import SettingError
from armdyn.functions import RolloutResults
from armdyn.functions.rollout_runs import Report
from armdyn.motion.labels import is_reference
from armdyn.motion.motion_data import Occurrence
from armdyn.motion.trajectory import Trajectory
from armdyn.robot.editing import LEFT_OUT
from armdyn.simulation.drivers.grid import ROUNDING, SaveAt, StepGrid, times_to_save
from armdyn.simulation.elements.bristles import NAME as BRISTLES
from armdyn.simulation.elements.bristles import bending, without_bristles
from armdyn.simulation.elements.events import Event
from armdyn.simulation.elements.own import element_motion, without_elements_with_states
from armdyn.simulation.loop.controlled_rollout import ControlledRollout
from armdyn.simulation.loop.events_of_loop import EventsOfLoop
from armdyn.simulation.loop.step import LOADS, pushes_of
from armdyn.simulation.loop.unfinished_runs import trajectory_in_errors
from armdyn.simulation.loop.within_steps import DenseOfLoop, StatesWithin, StepTimes, input_at
from armdyn.simulation.samples import ELEMENTS, Effort, Samples
from armdyn.simulation.system.frictional_arm import motion_of_rows
from armdyn.simulation.system.system import System
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.simulation.loop.closed_loop import ClosedLoop


class RunAtTimes:
    """The recorded quantities of a run at some times.

    Args:
        rollout: of the loop.
        arguments: of the rollout, by name.
        rolled: its results.
        times: s since the beginning, from 0 to the end, within steps that begin with a row.
        t0: the time at which the motion begins, s.
    """

    def __init__(
        self, rollout: ControlledRollout, arguments: Mapping[str, Any], rolled: RolloutResults, times: Array, t0: float
    ) -> None:
        self.rolled, self.h = rolled, float(arguments["h"])
        rows, final = rolled.rows._asdict(), rolled.final._asdict()
        self.states = StatesWithin.of(rollout, arguments, rows, final, t0=t0, every=rolled.every, steps=rolled.steps)
        """The states at any time whose step begins with a row."""
        places, last = StepTimes.of(times, self.h, rolled.steps), -(-rolled.steps // rolled.every)
        self.steps, self.since = places.step, float(places.since[-1])
        """The numbers of the steps that begin at the times or before them."""
        self.t = self.states.t0 + np.where(places.within, times, self.h * places.step)
        """The times, s."""
        chosen = np.where(places.step == rolled.steps, last, places.step // rolled.every)
        self._rows = None if np.array_equal(chosen, np.arange(last + 1)) else chosen
        self._within: Mapping[str, Array] = self.states.at(places) if places.within.any() else {}

    def whole(self, name: str) -> Array:
        """A quantity over time; quantities of a step only have at the end the value of the last step."""
        if name in self._within:
            return self._within[name]
        rolled = self.rolled
        final = getattr(rolled.final if name in rolled.final._fields else rolled.last, name)
        recorded = np.concatenate([getattr(rolled.rows, name), np.asarray(final)[None]])
        return recorded if self._rows is None else recorded[self._rows]

    def signal(self, name: str) -> Array:
        """A quantity over time with one axis after those of time and batch."""
        values = self.whole(name)
        return values.reshape(*values.shape[: values.ndim - len(self.rolled.shapes[name])], -1)

    def last_change(self) -> Array:
        """The change of the velocities in the last step, or in the part of it until the end, by time."""
        rolled, begin = self.rolled, int(self.steps[-1]) - (self.since == 0.0)
        before = rolled.last.qd if begin == rolled.steps - 1 else rolled.rows.qd[begin // rolled.every]
        change: Array = (self.whole("qd")[-1] - before) / (self.since or self.h)
        return change


NO_SIGNALS = ("q", "qd", "tau", "work", "heat", "cost", LOADS, BRISTLES)
"""States and recorded quantities that are not signals: a trajectory has them in other fields, or does not need them."""


def motion_of(
    loop: ClosedLoop,
    arguments: Mapping[str, Any],
    *,
    t0: float,
    steps: int,
    duration: float | None = None,
    every: int = 1,
    save: SaveAt,
    events: Sequence[Event] = (),
    workers: int | None = None,
    report: Report | None = None,
) -> Trajectory:
    """Run a closed loop, and keep its motion.

    Args:
        loop: one that records everything that its trajectory contains (`recorded`).
        arguments: of the rollout, by name.
        t0: the time at which the motion begins, s.
        steps: the number of steps.
        duration: s, if the motion ends within the last step.
        every: the number of steps from one row to the next, if ``save`` has no times.
        save: the times at which states are kept, and true to keep the states at any time.
        events: to locate.
        workers: the number of threads that share the arms.
        report: called now and then with the fraction that is done.
    """
    began = time.perf_counter()
    if np.ndim(arguments["h"]) > 0:
        raise SettingError("h has a step for each arm or time; a trajectory has one for all, such as h=1e-3")
    h = float(arguments["h"])
    grid = StepGrid(steps * h if duration is None else duration, h)
    times = _times(grid, save, every, t0)
    watched = [one for event in events for one in event.watched(loop.robot)]
    located = EventsOfLoop(watched, grid.duration, t0) if watched else None
    each = 1 if watched or save.dense else _steps_between(times, h, steps)
    options: dict[str, Any] = {"workers": workers, "report": report, "watch": located}

    def trajectory(rolled: RolloutResults) -> Trajectory:
        end = min(rolled.steps * h, grid.duration)
        if located is not None and located.ended is not None:
            end = located.ended - t0
        until = np.append(times[times < end - ROUNDING * h], end)
        at = RunAtTimes(loop.rollout, arguments, rolled, until, t0)
        return _trajectory_of(loop, arguments, at, [] if located is None else located.occurred, save.dense, began)

    with trajectory_in_errors(loop.robot.name, grid.duration, trajectory):
        rolled = loop.rollout.with_last_row(**arguments, steps=steps, every=each, **options)
    loop.warn_of_dead_points(rolled)
    return trajectory(rolled)


def _trajectory_of(
    loop: ClosedLoop,
    arguments: Mapping[str, Any],
    at: RunAtTimes,
    events: list[Occurrence],
    dense: bool,
    began: float,
) -> Trajectory:
    """The trajectory of a run at some times, of a loop with these arguments that began at a time of the clock, s."""
    from armdyn.simulation.results import made_trajectory  # noqa: PLC0415 - which imports methods of every kind

    rolled, input_of = at.rolled, partial(input_at, loop.rollout, arguments, steps=at.steps)
    q, qd = at.whole("q"), at.whole("qd")
    batch = q.shape[1:-1]
    forces = [at.whole("tau") if "tau" in rolled.rows._fields else input_of("tau", batch=batch)]
    if arguments.get("f_tip") is not None:
        forces.append(input_of("f_tip", batch=batch))
    samples = Samples(at.t, q, qd, at.whole("work"), tuple(forces), count=len(at.t))
    each = loop.method.scheme.evaluations * int(np.prod(batch))
    samples.lost, samples.events = rolled.divergence, events
    samples.notes += [note for note in loop.robot.notes if note.startswith(LEFT_OUT)]
    samples.effort = Effort(rolled.steps, rolled.steps * each)
    samples.bristles = at.whole(BRISTLES) if BRISTLES in rolled.rows._fields else None
    samples.signals = {name: at.signal(name) for name in rolled.rows._fields if name not in NO_SIGNALS}
    for name in loop.inputs:
        if is_reference(name) and arguments.get(name) is not None and name not in samples.signals:
            samples.signals[name] = input_of(name, batch=batch).reshape(*q.shape[:-1], -1)
    samples.labels = {} if loop.barriers is None else loop.barriers.labels()
    sticks = loop.friction.sticks(energy=True)
    if sticks or ELEMENTS in samples.signals:
        samples.qdd = _accelerations(loop, samples, at.last_change())
    method = dataclasses.replace(loop.method, step=at.h)
    system = System(loop.robot, "error", carries=samples.bristles is not None)
    if dense:
        samples.dense = {index: DenseOfLoop.of(at.states, index) for index in np.ndindex(batch)}
    trajectory = made_trajectory(system, method, samples, time.perf_counter() - began)
    if sticks and "friction" not in samples.signals:  # what holds joints is not known; that at rest is not it
        signals = {
            name: values for name, values in trajectory.signals.items() if name not in ("friction", "rotor_friction")
        }
        labels = {name: labels for name, labels in trajectory.signal_labels.items() if name in signals}
        trajectory = dataclasses.replace(trajectory, signals=signals, signal_labels=labels)
    return trajectory


def recorded(loop: ClosedLoop) -> tuple[str, ...]:
    """Names that a loop has to record for its trajectory: its state with the energies, and its controller's results."""
    results = () if loop.controller is None else loop.controller.results
    heat = ("heat",) if loop.barriers is not None or loop.friction.sticks(energy=True) else ()
    loads = (LOADS,) if loop.friction.loads(energy=True) else ()
    names = (*loop.state, "work", *heat, *loads, *results, *pushes_of(loop.barriers))
    return tuple(dict.fromkeys(name for name in names if name != "cost"))


def _times(grid: StepGrid, save: SaveAt, every: int, t0: float) -> Array:
    """The times at which states are kept, s since the time t0, s, of the beginning."""
    if save.times is not None:
        times = array("times", save.times, ("T",), "seconds, rising", finite=SettingError) - t0
        for end in (0.0, grid.duration):  # which sums and products of steps miss by rounding
            times[abs(times - end) <= ROUNDING * grid.step] = end
        save = SaveAt(times)
    elif save.every is None:
        return grid.times(np.append(np.arange(0, grid.steps, every), grid.steps))
    return times_to_save(grid.duration, save, otherwise=grid.step)


def _steps_between(times: Array, h: float, steps: int) -> int:
    """The most steps from one row to the next, so that the steps of all these times begin with a row."""
    first = StepTimes.of(times, h, steps).step
    return int(np.gcd.reduce(first[first < steps])) or steps


def _accelerations(loop: ClosedLoop, samples: Samples, last: Array) -> Array:
    """Accelerations of joints that stick: from the equations with resting joints held, or by differences of velocities.

    The equations also give the friction, which becomes a signal.

    Args:
        loop: the loop of these joints.
        samples: its states and forces.
        last: the change of the velocities in the last step, by time.
    """
    if not (loop.flexible or loop.friction.under_load or loop.brakes):
        robot, (tau, *f_tip), bends = loop.robot, samples.forces, np.zeros(samples.q.shape)
        q, qd = samples.q, samples.qd
        if ELEMENTS in samples.signals:
            tau = tau + robot.compile(element_motion)(samples.signals[ELEMENTS], q, qd, tau)[0]
        if samples.bristles is not None:
            bends = robot.compile(bending)(samples.bristles, qd)[0]
            robot = without_bristles(robot)
        qdd, friction = without_elements_with_states(robot).compile(motion_of_rows)(q, qd, tau - bends, *f_tip)
        if loop.friction.sticks(energy=True):
            samples.signals["friction"] = friction + bends
        return np.asarray(qdd)
    rates = np.diff(samples.qd, axis=0) / np.diff(samples.t).reshape(-1, *(1,) * (samples.qd.ndim - 1))
    return np.concatenate([rates, last[None]])
