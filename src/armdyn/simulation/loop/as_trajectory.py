"""A closed loop's motion as a `Trajectory`, with the states and results of its controller as signals."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.base.errors import SettingError
from armdyn.functions import RolloutResults
from armdyn.motion.labels import is_reference
from armdyn.motion.trajectory import Trajectory
from armdyn.robot.editing import LEFT_OUT
from armdyn.simulation.elements.bristles import NAME as BRISTLES
from armdyn.simulation.elements.bristles import bending, without_bristles
from armdyn.simulation.elements.own import element_motion, without_elements_with_states
from armdyn.simulation.loop.step import LOADS, pushes_of
from armdyn.simulation.samples import ELEMENTS, Effort, Samples
from armdyn.simulation.system.frictional_arm import motion_of_rows
from armdyn.simulation.system.system import System
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.simulation.loop.closed_loop import ClosedLoop

NO_SIGNALS = ("q", "qd", "tau", "work", "heat", "cost", LOADS, BRISTLES)
"""States and recorded quantities that are not signals: a trajectory has them in other fields, or does not need them."""


def trajectory_of(loop: ClosedLoop, given: Mapping[str, Any], rolled: RolloutResults, began: float) -> Trajectory:
    """The trajectory of a loop, from everything that it recorded.

    Args:
        loop: the loop that recorded.
        given: the arguments of its rollout, by name.
        rolled: the results of the rollout.
        began: the time at which it began, by `time.perf_counter`.
    """
    from armdyn.simulation.trajectory_of_samples import made_trajectory  # noqa: PLC0415 - which imports methods of every kind

    if np.ndim(given["h"]) > 0:
        raise SettingError("h has a step for each arm or time; a trajectory has one for all, such as h=1e-3")
    h, t0 = float(given["h"]), float(np.ravel(given["t"])[0]) if "t" in given else 0.0
    steps = np.array([*range(0, rolled.steps, rolled.every), rolled.steps])

    def whole(name: str) -> Array:
        """A quantity over time; quantities of a step only have at the end the value of the last step."""
        rows: Array = getattr(rolled.rows, name)
        final = getattr(rolled.final if name in rolled.final._fields else rolled.last, name)
        return np.concatenate([rows, np.asarray(final)[None]])

    def signal(name: str) -> Array:
        """A quantity over time with one axis after those of time and batch."""
        values = whole(name)
        return values.reshape(*values.shape[: values.ndim - len(rolled.shapes[name])], -1)

    q, qd = whole("q"), whole("qd")
    forces = [whole("tau") if "tau" in rolled.rows._fields else _over_time(loop, given, "tau", steps, q.shape)]
    if given.get("f_tip") is not None:
        forces.append(_over_time(loop, given, "f_tip", steps, (*q.shape[:-1], 6)))
    samples = Samples(t0 + h * steps, q, qd, whole("work"), tuple(forces), count=len(steps))
    each = loop.method.scheme.evaluations * int(np.prod(q.shape[1:-1]))
    samples.lost = rolled.divergence
    samples.notes += [note for note in loop.robot.notes if note.startswith(LEFT_OUT)]
    samples.effort = Effort(rolled.steps, rolled.steps * each)
    samples.bristles = whole(BRISTLES) if BRISTLES in rolled.rows._fields else None
    samples.signals = {name: signal(name) for name in rolled.rows._fields if name not in NO_SIGNALS}
    for name in loop.inputs:
        if is_reference(name) and given.get(name) is not None and name not in samples.signals:
            shape = loop.rollout.shape_of(name)
            values = _over_time(loop, given, name, steps, (*q.shape[:-1], *shape))
            samples.signals[name] = values.reshape(*q.shape[:-1], -1)
    samples.labels = {} if loop.barriers is None else loop.barriers.labels()
    sticks = loop.friction.sticks(energy=True)
    if sticks or ELEMENTS in samples.signals:
        samples.qdd = _accelerations(loop, samples, (rolled.final.qd - rolled.last.qd) / h)
    method = dataclasses.replace(loop.method, step=h)
    system = System(loop.robot, "error", carries=samples.bristles is not None)
    found = made_trajectory(system, method, samples, time.perf_counter() - began)
    if sticks and "friction" not in samples.signals:  # what holds joints is not known; that at rest is not it
        known = {name: values for name, values in found.signals.items() if name not in ("friction", "rotor_friction")}
        labels = {name: labels for name, labels in found.signal_labels.items() if name in known}
        found = dataclasses.replace(found, signals=known, signal_labels=labels)
    return found


def recorded(loop: ClosedLoop) -> tuple[str, ...]:
    """Names that a loop has to record for its trajectory: its state with the work, and its controller's results."""
    results = () if loop.controller is None else loop.controller.results
    names = (*loop.state, "work", *results)
    names += tuple(pushes_of(loop.barriers))
    return tuple(dict.fromkeys(name for name in names if name not in ("heat", "cost", LOADS)))


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
