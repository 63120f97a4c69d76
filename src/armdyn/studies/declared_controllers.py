"""Controllers of `armdyn.control` by the keys of a scenario, from their declarations."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache

from armdyn import control
from armdyn.base.errors import MissingInput
from armdyn.declaration import Function
from armdyn.functions import CompiledFunction
from armdyn.functions.binding import Inputs
from armdyn.robot import Robot
from armdyn.simulation.loop.controller import Controller
from armdyn.studies.object_of import object_of

BESIDE_JOINTS = ("theta", "thetad")
"""Arguments of controllers of flexible joints, which a scenario does not offer."""

AROUND = {
    "saturated": "{limits: 28}",
    "sampled": "{every: 2}",
    "delayed": "{steps: 2}",
    "quantised": "{resolution: 1e-3}",
    "differencing": "{time_constant: 5e-3}",
    "friction_compensated": "{}",
    "momentum_observer": "{}",
    "through_motors": "{}",
}
"""Wrappers of a controller: functions of `armdyn.control`, and an example of the settings of each."""


def _is_ready(value: object) -> bool:
    """True if a value is a controller of arms that needs nothing further."""
    if not isinstance(value, Function) or value.outputs[0] != ("n",) or value.required_options:
        return False
    return not any(argument.name in BESIDE_JOINTS for argument in value.arguments)


@cache
def declared() -> Mapping[str, Function]:
    """The controllers of `armdyn.control` by name; all of its modules are imported."""
    every = ((name, getattr(control, name)) for name in control.__all__)
    return {name: value for name, value in every if _is_ready(value)}


def declared_controller(name: str, options: Mapping[str, object]) -> Function:
    """A controller with its options.

    Raises:
        UnknownName: an option that it does not have.
    """
    chosen = {key: tuple(value) if isinstance(value, list) else value for key, value in options.items()}
    return control.with_options(declared()[name], **chosen)


def placed_around(controller: Function, name: str, settings: Mapping[str, object]) -> Function:
    """A controller with one of the wrappers of ``AROUND``.

    Raises:
        UnknownName: a setting that this does not have.
        SettingError: an invalid setting.
        StudyError: a setting that is missing.
    """
    result: Function = object_of(getattr(control, name), name, settings, f"{{{name}: {AROUND[name]}}}", controller)
    return result


def refuse_missing(controller: Function, names: Collection[str]) -> None:
    """Raise a `MissingInput` if a controller requires inputs other than those of these names."""
    inputs = Controller(controller).inputs
    missing = [
        name for name, argument in inputs.items() if not (argument.optional or argument.zero) and name not in names
    ]
    if missing:
        raise MissingInput(f"the controller has no {', '.join(missing)}; expected in inputs, or by --input")


def traced(controller: Function, robot: Robot, names: Collection[str]) -> CompiledFunction:
    """The controller compiled for a robot; it has been traced with the inputs of these names.

    Raises:
        MissingInput: one of inputs that belong together is given without the other.
        ArmdynError: an error of the controller about the robot, its options or its wrappers.
    """
    compiled = robot.compile(controller)
    compiled.program(optional_inputs=[name for name in Controller(controller).optional if name in names])
    return compiled


def shape_of(controller: Function, robot: Robot, name: str) -> tuple[int, ...] | None:
    """The shape of an input or a state of a controller of this robot; None for a name that it does not have."""
    inputs = Inputs(controller, robot.model, ())
    return inputs.lengths(inputs.shapes[name]) if name in inputs.shapes else None
