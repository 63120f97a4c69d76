"""Controllers of `armdyn.control` in the words of a scenario, read from their declarations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from armdyn import control
from armdyn.declaration import Function
from armdyn.errors import ArmdynError, UnknownName
from armdyn.functions.binding import Inputs
from armdyn.robot import Robot
from armdyn.simulation.controller import Controller
from armdyn.simulation.errors import SettingError
from armdyn.spatial.rotations import Array

BESIDE_JOINTS = ("theta", "thetad")
"""Arguments of controllers of flexible joints, which a scenario does not offer."""

AROUND = ("saturated", "sampled", "delayed", "quantised")
"""What may stand around a controller: functions of `armdyn.control`."""


def _is_ready(value: Any) -> bool:
    """Whether a value is a controller of arms that needs nothing further."""
    if not isinstance(value, Function) or value.outputs[0] != ("n",) or value.required_options:
        return False
    return not any(argument.name in BESIDE_JOINTS for argument in value.arguments)


@cache
def declared() -> Mapping[str, Function]:
    """The controllers of `armdyn.control` by name; all of its modules are imported."""
    every = ((name, getattr(control, name)) for name in control.__all__)
    return {name: value for name, value in every if _is_ready(value)}


def declared_controller(name: str, options: Mapping[str, Any], robot: Robot) -> Function:
    """A controller with its options, which computes with the robot as described.

    Raises:
        UnknownName: an option that it does not have.
    """
    chosen = {key: tuple(value) if isinstance(value, list) else value for key, value in options.items()}
    return control.with_model(control.with_options(declared()[name], **chosen), robot)


def placed_around(controller: Function, name: str, settings: Mapping[str, Any]) -> Function:
    """A controller with something of ``AROUND`` around it.

    Raises:
        UnknownName: a setting that this does not have.
        SettingError: a setting that is missing, or makes no sense.
    """
    wrapper: Callable[..., Function] = getattr(control, name)
    parameters = list(inspect.signature(wrapper).parameters.values())[1:]
    known = [parameter.name for parameter in parameters]
    for key in settings:
        if key not in known:
            raise UnknownName.of("setting", key, known, name)
    missing = [p.name for p in parameters if p.default is p.empty and p.name not in settings]
    if missing:
        raise SettingError(
            f"{name} has no {' and no '.join(missing)}; expected such as {{{name}: {{{missing[0]}: 2}}}}"
        )
    return wrapper(controller, **settings)


def shape_of(controller: Function, robot: Robot, name: str) -> tuple[int, ...] | None:
    """The shape of an input or a state of a controller of this robot; None of a name that it does not have."""
    inputs = Inputs(controller, robot.model, ())
    return inputs.lengths(inputs.shapes[name]) if name in inputs.shapes else None


class DeclaredLaw:
    """A controller as a function of (t, q, qd) that keeps its states from one call to the next.

    Args:
        robot: what it computes with.
        controller: what computes.
        given: inputs, and states where they begin at another value than zero, by name.
        over_time: inputs at a time, s, by name.
        h: seconds from call to call.

    Raises:
        SettingError: an input that is missing.
    """

    def __init__(
        self,
        robot: Robot,
        controller: Function,
        given: Mapping[str, Array],
        over_time: Callable[[float], Mapping[str, Array]],
        h: float,
    ) -> None:
        read = Controller(controller)
        self._inputs = {name: value for name, value in given.items() if name in read.inputs}
        there = {*self._inputs, *over_time(0.0)}
        missing = [name for name, argument in read.inputs.items() if not argument.optional and name not in there]
        if missing:
            raise SettingError(f"the controller has no {' and no '.join(missing)}; expected them in inputs")
        self._begin = {
            name: given[name] if name in given else np.zeros(shape_of(controller, robot, name) or ())
            for name in read.state
        }
        self._takes = {argument.name for argument in controller.arguments}
        self._results, self._over_time, self._h = read.results, over_time, h
        self._compute, self._state = robot.compile(controller), self._begin

    def __call__(self, t: float, q: Array, qd: Array) -> Array:
        """Joint forces, N m or N, shape (n,); a call at t = 0 begins anew."""
        state = self._begin if t == 0.0 else self._state
        of_loop = {"q": q, "qd": qd, "t": t, "h": self._h}
        values = {name: value for name, value in of_loop.items() if name in self._takes}
        try:
            found = self._compute(**values, **self._inputs, **self._over_time(t), **state)
        except TypeError as error:  # arrays that belong together
            raise ArmdynError(str(error)) from error
        by_name = dict(zip(self._results, found if isinstance(found, tuple) else (found,), strict=True))
        self._state = {name: by_name[name] for name in state}
        tau: Array = by_name["tau"]
        return tau
