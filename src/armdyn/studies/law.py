"""A controller of a scenario's motion: called once per sample time, with its states and signals recorded."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from armdyn.actuators.flexible_joints import flexible_places
from armdyn.base.errors import UnknownName
from armdyn.declaration import Function
from armdyn.functions.binding import Inputs
from armdyn.motion.labels import is_reference, of_joints, of_robot
from armdyn.motion.motion_data import Occurrence
from armdyn.robot import Robot
from armdyn.simulation.elements.bristles import count
from armdyn.simulation.loop.controller import Controller, singular_task, warn_of_negative_gains
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array
from armdyn.studies.declared_controllers import refuse_missing, shape_of, traced
from armdyn.studies.thresholds import Passing, Threshold

OF_SAMPLE_TIME = 1e-9
"""Allowed rounding of the time of a sample, in sample times."""


def of_motion(robot: Robot) -> tuple[str, ...]:
    """The states and signals of the motions of a robot, independent of their controller."""
    bends = ("theta", "thetad") if flexible_places(robot.model) else ()
    return ("q", "qd", "tau", *bends, *(("bristles",) if count(robot.model) else ()))


class DeclaredLaw:
    """A controller as a function of (t, q, qd) that keeps its states between calls.

    Args:
        robot: the robot of the controller's equations.
        controller: the controller.
        given: inputs, and states that do not begin at zero, by name.
        over_time: inputs at a time, s, by name.
        h: seconds from call to call.
        name: of the controller, for messages.
        thresholds: of its signals and states.
        record: states to record, in addition to all signals.

    Raises:
        MissingInput: an input that is missing, or one of several inputs that belong together.
        UnknownName: a state, or the signal of a threshold, that the controller does not have.
    """

    def __init__(
        self,
        robot: Robot,
        controller: Function,
        arrays: Mapping[str, Array],
        over_time: Callable[[float], Mapping[str, Array]],
        h: float,
        name: str,
        thresholds: Sequence[Threshold] = (),
        record: Iterable[str] = (),
    ) -> None:
        read, self.__qualname__ = Controller(controller), name
        self.given, self.thresholds, self.record = arrays, thresholds, tuple(record)
        self._inputs = {name: value for name, value in arrays.items() if name in read.inputs}
        given_to_it = {*self._inputs, *over_time(0.0)}
        refuse_missing(controller, given_to_it)
        self._begin = {
            name: arrays[name] if name in arrays else np.zeros(shape_of(controller, robot, name) or ())
            for name in read.state
        }
        self._takes = {argument.name for argument in controller.arguments}
        self._results, self._over_time, self._h = read.results, over_time, h
        self._kept = recorded(controller, robot, self.record)
        shapes = result_shapes(controller, robot)
        warn_of_negative_gains(robot.joint_names, controller, arrays)
        self._robot, self._controller = robot, controller
        self._thresholds = [(one, one.limits(shapes)) for one in thresholds]
        self._joints = robot.joint_names
        kinds = [joint.kind for joint in robot.joints]
        per_joint = [name for name, shape in zip(read.results, controller.outputs, strict=True) if shape == ("n",)]
        self.labels = {name: of_joints(name, robot.joint_names, kinds) for name in per_joint}
        self.labels |= of_robot(robot, {name: math.prod(shapes[name]) for name in self._kept if name in shapes})
        self._references = {name: value for name, value in self._inputs.items() if is_reference(name)}
        self.labels |= of_robot(robot, {name: value.size for name, value in self._references.items()})
        self._compute = traced(controller, robot, given_to_it)
        self._start()

    def _start(self) -> None:
        """Reset the states and the records."""
        self._state = self._begin
        self._times: list[float] = []
        self._samples: dict[str, list[Array]] = {name: [] for name in self._kept}
        self._passings = [Passing(one, limits, self._joints) for one, limits in self._thresholds]
        self.events: list[Occurrence] = []
        self._ended = False

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """Joint forces, N m or N, shape (n,); a call at t = 0 begins anew.

        Raises:
            SimulationError: a configuration in which the task of the controller is singular.
        """
        if t == 0.0:
            self._start()
        by_name = self._results_at(t, q, qd)
        tau = by_name["tau"]
        now = by_name | self._state  # states as the step begins, as in the rows of a closed loop
        self._state = {name: by_name[name] for name in self._state}
        for name, samples in self._samples.items():
            samples.append(np.ravel(now[name]))
        self._times.append(t)  # last: Ctrl-C may come in between, and what has a time has its values
        for passing in self._passings:
            new = passing.seen(t, q, qd, now[passing.threshold.signal])
            self.events += new
            if new and passing.threshold.terminal:
                self._ended = True
        return tau

    def _results_at(self, t: float, q: Array, qd: Array) -> dict[str, Array]:
        """The results of the controller by name."""
        of_loop = {"q": q, "qd": qd, "t": t, "h": self._h}
        values = {name: value for name, value in of_loop.items() if name in self._takes}
        result = self._compute(**values, **self._inputs, **self._over_time(t), **self._state)
        by_name = dict(zip(self._results, result if isinstance(result, tuple) else (result,), strict=True))
        if not np.isfinite(by_name["tau"]).all():
            self._refuse_singular_task(q, t)
        return by_name

    def has_ended(self) -> bool:
        """True if a signal has passed a terminal threshold."""
        return self._ended

    def _refuse_singular_task(self, q: Array, t: float) -> None:
        """Raise if torques are not finite because the task of the controller is singular."""
        if why := singular_task(self._robot, self._controller, q):
            raise SimulationError(f"at t = {t:g} s {why}.")

    def signals_at(self, t: Array) -> dict[str, Array]:
        """References, and held states and signals, at times of the motion, s, shape (T,); by name, shape (T, k)."""
        if not self._times:
            return {}
        rows = np.searchsorted(self._times, t + OF_SAMPLE_TIME * self._h, side="right") - 1
        return self._references_at(t) | {name: np.array(samples)[rows] for name, samples in self._samples.items()}

    def _references_at(self, t: Array) -> dict[str, Array]:
        """The references that are constant."""
        return {name: np.tile(np.ravel(value), (len(t), 1)) for name, value in self._references.items()}


class ContinuousLaw(DeclaredLaw):
    """A continuous-time controller without states and signals: a function of (t, q, qd) alone."""

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """Joint forces, N m or N, shape (n,)."""
        return self._results_at(t, q, qd)["tau"]

    def signals_at(self, t: Array) -> dict[str, Array]:
        """References at times of the motion, by name, shape (T, k)."""
        return self._references_at(t)


def result_shapes(controller: Function, robot: Robot) -> dict[str, tuple[int, ...]]:
    """The shapes of the states and signals of a controller of this robot, by name."""
    inputs = Inputs(controller, robot.model, ())
    shapes = zip(Controller(controller).results, controller.outputs, strict=True)
    return {name: inputs.lengths(shape) for name, shape in shapes if name != "tau"}


def recorded(controller: Function, robot: Robot, record: Iterable[str]) -> tuple[str, ...]:
    """The signals of a controller, and its states of some names.

    Raises:
        UnknownName: a name that neither the controller nor the motion has.
    """
    read, of_the_motion = Controller(controller), of_motion(robot)
    for name in record:
        if name not in (*read.results, *of_the_motion):
            raise UnknownName.of("state or signal", name, (*of_the_motion, *read.results[1:]), "the controller")
    names = set(record)
    return tuple(name for name in read.results[1:] if name not in read.state or name in names)
