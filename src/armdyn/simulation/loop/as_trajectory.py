"""A closed loop's motion as a `Trajectory`, with the states and results of its controller as signals."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from armdyn.functions import RolloutResults
from armdyn.motion.labels import is_reference
from armdyn.motion.motion_data import Occurrence
from armdyn.motion.trajectory import Trajectory
from armdyn.robot.editing import LEFT_OUT
from armdyn.simulation.elements.bristles import NAME as BRISTLES
from armdyn.simulation.elements.bristles import bending, without_bristles
from armdyn.simulation.elements.own import element_motion, without_elements_with_states
from armdyn.simulation.loop.run_at_times import RunAtTimes
from armdyn.simulation.loop.step import LOADS, pushes_of
from armdyn.simulation.loop.within_steps import DenseOfLoop
from armdyn.simulation.samples import ELEMENTS, Effort, Samples
from armdyn.simulation.system.frictional_arm import motion_of_rows
from armdyn.simulation.system.system import System
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.simulation.loop.closed_loop import ClosedLoop

NO_SIGNALS = ("q", "qd", "tau", "work", "heat", "cost", LOADS, BRISTLES)
"""States and recorded quantities that are not signals: a trajectory has them in other fields, or does not need them."""


class LoopRun(NamedTuple):
    """A run of a closed loop.

    Args:
        loop: the loop that recorded.
        arguments: of the rollout, by name.
        rolled: the results of the rollout.
        began: the time at which it began, by `time.perf_counter`.
    """

    loop: ClosedLoop
    arguments: Mapping[str, Any]
    rolled: RolloutResults
    began: float


def trajectory_of(
    run: LoopRun, times: Array | None = None, *, dense: bool = False, events: Sequence[Occurrence] = ()
) -> Trajectory:
    """The trajectory of a loop, from everything that it recorded.

    Args:
        run: of the loop.
        times: at which states are kept, s, from 0 to the end, within steps that begin with a row; those of all rows by
            default.
        dense: true to keep the states at any time, of a loop that recorded each step.
        events: that occurred.
    """
    loop, arguments, rolled = run.loop, run.arguments, run.rolled
    from armdyn.simulation.results import made_trajectory  # noqa: PLC0415 - which imports methods of every kind

    at = RunAtTimes(loop.rollout, arguments, rolled, times)
    q, qd, steps = at.whole("q"), at.whole("qd"), at.steps
    forces = [at.whole("tau") if "tau" in rolled.rows._fields else _over_time(loop, arguments, "tau", steps, q.shape)]
    if arguments.get("f_tip") is not None:
        forces.append(_over_time(loop, arguments, "f_tip", steps, (*q.shape[:-1], 6)))
    samples = Samples(at.t, q, qd, at.whole("work"), tuple(forces), count=len(steps))
    each = loop.method.scheme.evaluations * int(np.prod(q.shape[1:-1]))
    samples.lost, samples.events = rolled.divergence, list(events)
    samples.notes += [note for note in loop.robot.notes if note.startswith(LEFT_OUT)]
    samples.effort = Effort(rolled.steps, rolled.steps * each)
    samples.bristles = at.whole(BRISTLES) if BRISTLES in rolled.rows._fields else None
    samples.signals = {name: at.signal(name) for name in rolled.rows._fields if name not in NO_SIGNALS}
    for name in loop.inputs:
        if is_reference(name) and arguments.get(name) is not None and name not in samples.signals:
            shape = loop.rollout.shape_of(name)
            values = _over_time(loop, arguments, name, steps, (*q.shape[:-1], *shape))
            samples.signals[name] = values.reshape(*q.shape[:-1], -1)
    samples.labels = {} if loop.barriers is None else loop.barriers.labels()
    sticks = loop.friction.sticks(energy=True)
    if sticks or ELEMENTS in samples.signals:
        samples.qdd = _accelerations(loop, samples, at.last_change())
    method = dataclasses.replace(loop.method, step=at.h)
    system = System(loop.robot, "error", carries=samples.bristles is not None)
    if dense:
        states = at.states
        samples.dense = {index: DenseOfLoop.of(states, index) for index in np.ndindex(q.shape[1:-1])}
    found = made_trajectory(system, method, samples, time.perf_counter() - run.began)
    if sticks and "friction" not in samples.signals:  # what holds joints is not known; that at rest is not it
        known = {name: values for name, values in found.signals.items() if name not in ("friction", "rotor_friction")}
        labels = {name: labels for name, labels in found.signal_labels.items() if name in known}
        found = dataclasses.replace(found, signals=known, signal_labels=labels)
    return found


def recorded(loop: ClosedLoop) -> tuple[str, ...]:
    """Names that a loop has to record for its trajectory: its state with the energies, and its controller's results."""
    results = () if loop.controller is None else loop.controller.results
    heat = ("heat",) if loop.barriers is not None or loop.friction.sticks(energy=True) else ()
    loads = (LOADS,) if loop.friction.loads(energy=True) else ()
    names = (*loop.state, "work", *heat, *loads, *results, *pushes_of(loop.barriers))
    return tuple(dict.fromkeys(name for name in names if name != "cost"))


def _over_time(loop: ClosedLoop, given: Mapping[str, Any], name: str, steps: Array, shape: tuple[int, ...]) -> Array:
    """An input at these steps, of a shape with time and batch; at the end as in the last step."""
    values = np.array(given[name], dtype=float)  # a copy: accelerations are computed from it later
    if name in loop.rollout.over_time:
        rows = values[np.minimum(steps, len(values) - 1)]
        return np.broadcast_to(rows.reshape(len(steps), *(1,) * (len(shape) - rows.ndim), *rows.shape[1:]), shape)
    return np.broadcast_to(values, shape)


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
