"""A controller's declaration, read: its state, inputs and results; its call; the reasons it drives an arm away."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from armdyn.algorithms.task_rows import SingularTask
from armdyn.base.checks import one_per_joint
from armdyn.base.errors import DTypeError, ShapeError, TraceError, excerpt, warn_outside
from armdyn.declaration import Argument, Function, Shape, on_numbers
from armdyn.functions.binding import Inputs
from armdyn.functions.locating import are_traced, call_traced, locating
from armdyn.robot import Robot
from armdyn.simulation.errors import GainWarning
from armdyn.spatial.rotations import Array

MOTION = ("q", "qd", "t", "h")
"""Arguments of a controller that the loop itself gives."""

TAKEN = ("work", "heat", "cost", "f_tip", "q0", "qd0", "t0", "steps", "every", "out", "workers", "report")
"""Names that mean something else to the loop, or to its call."""

UNTRACED = (
    "armdyn.ClosedLoop and armdyn.study run such a controller in Python; derivatives, exports and require_traced=True "
    "need one that is traced: change that line"
)
"""Advice on a controller that cannot be traced."""

OF_TASKS = {"frame", "components", "damping"}
"""Options of the controllers whose torques come from the inverse of J M^-1 J^T."""

ROUNDING = 1e-12
"""An eigenvalue is zero if its size, over the largest entry of the matrix, is below this."""


def _is_no_number(value: Any) -> bool:
    return value is None or isinstance(value, str | bytes)


@dataclass(frozen=True)
class Controller:
    """The declaration of a controller: its arguments, results and states."""

    function: Function

    def __post_init__(self) -> None:
        if isinstance(self.function, str):
            name = self.function if self.function.isidentifier() else "pd_gravity"
            raise TraceError(
                f"controller={excerpt(self.function)} is text, which scenarios have; expected a function, such as "
                f"armdyn.control.{name}"
            )
        if not isinstance(self.function, Function):
            raise TraceError(
                f"controller={excerpt(self.function)} is not a declared function; write "
                f"@armdyn.function({_signature_for(self.function)!r}) above it, with a shape for each array after the "
                "model. A function of (t, q, qd) is for armdyn.simulate(..., "
                "torque=armdyn.control.callback(function, sample_time=1e-3))"
            )
        if self.function.required_options:
            missing = ", ".join(f"{name}=" for name in self.function.required_options)
            raise TraceError(
                f"{self.function.name} must be given {missing}; armdyn.control.with_options({self.function.name}, "
                f"{missing}...) does"
            )
        for name in TAKEN:
            if name in self.state or name in self.inputs:
                raise TraceError(f"{self.function.name} has an argument {name!r}, as the loop itself has; rename it")
        if self.function.outputs[0] != ("n",):
            raise ShapeError(
                f"the first result of {self.function.name} has shape {self.function.outputs[0]}; expected (n), tau"
            )

    @property
    def results(self) -> tuple[str, ...]:
        """The names of its results, the first of which is tau."""
        fields = getattr(self.function.result, "_fields", None)
        if fields is None:
            return ("tau", *(f"signal_{k}" for k in range(1, len(self.function.outputs))))
        return ("tau", *fields[1:])

    @property
    def state(self) -> dict[str, Argument]:
        """The arguments that are the controller's own states, by name."""
        results = self.results[1:]
        return {a.name: a for a in self.function.arguments if a.name in results}

    @property
    def inputs(self) -> dict[str, Argument]:
        """References, gains and the like."""
        others = {*MOTION, *self.state}
        return {a.name: a for a in self.function.arguments if a.name not in others}

    @property
    def optional(self) -> tuple[str, ...]:
        """The inputs that may be left out."""
        return tuple(name for name, argument in self.inputs.items() if argument.optional)

    @property
    def zeros(self) -> tuple[str, ...]:
        """The inputs that default to zero."""
        return tuple(name for name, argument in self.inputs.items() if argument.zero)

    def state_beside(self, taken: Iterable[str]) -> dict[str, Shape]:
        """The shapes of the controller's own states by name, besides names that the loop has.

        Raises:
            TraceError: a result with a name of the loop, whose value it would replace.
        """
        for name in taken:
            if name in self.results:
                raise TraceError(f"{self.function.name} has a result {name!r}, as the loop itself has; rename it")
        return {name: argument.shape for name, argument in self.state.items()}

    def run(self, model: Any, values: Mapping[str, Any], **options: Any) -> dict[str, Any]:
        """The results of the controller by name, from arguments by name.

        Raises:
            TraceError: naming the line of the controller that cannot be traced.
            ShapeError: results of other shapes than it declares.
            DTypeError: results that are no numbers.
        """
        call = partial(self._called, model, values, options)
        results = call_traced(self.function.name, call, UNTRACED, twice=are_traced(values))
        with locating(self.function.name, UNTRACED):
            for name, array in zip(self.results, results if isinstance(results, tuple) else (results,), strict=False):
                if any(map(_is_no_number, np.ravel(np.asarray(array, dtype=object)))):
                    raise DTypeError(f"{self.function.name} returned {name} = {excerpt(array)}; expected real numbers")
        return self._by_name(model, results, options)

    def run_on_numbers(self, model: Any, values: Mapping[str, Any]) -> dict[str, Any]:
        """Run the controller untraced on numbers; functions of the robot that it calls return arrays of float64.

        Raises:
            ShapeError: results of other shapes than it declares.
        """
        with on_numbers():
            results = self._called(model, values, {})
        return self._by_name(model, results, {})

    def _called(self, model: Any, values: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
        """The results of the controller for copies of the arrays, so that it may change them."""
        arguments = (values.get(a.name) for a in self.function.arguments)
        return self.function(model, *(a.copy() if isinstance(a, np.ndarray) else a for a in arguments), **options)

    def _by_name(self, model: Any, given: Any, options: Mapping[str, Any]) -> dict[str, Any]:
        """Results by name, of the shapes that it declares."""
        name = self.function.name
        values = given if isinstance(given, tuple) else (given,)
        if len(values) != len(self.results):
            raise ShapeError(f"{name} returned {len(values)} results; expected {len(self.results)}: {self.results}")
        inputs = Inputs(self.function, model.model, ())
        for result, array, declared in zip(self.results, values, self.function.outputs, strict=True):
            shape = inputs.lengths(declared, options.items())
            if np.shape(array) != shape:
                meaning = f", {one_per_joint(model.model)}" if declared == ("n",) else ""
                raise ShapeError(f"{name} returned {result} of shape {np.shape(array)}; expected {shape}{meaning}")
        return dict(zip(self.results, values, strict=True))

    @property
    def uses_time(self) -> bool:
        """True if the controller takes the time."""
        return any(a.name == "t" for a in self.function.arguments)


def _signature_for(function: Any) -> str:
    """A possible declaration of a function, by the names of its arguments after the first."""
    try:
        names = list(inspect.signature(function).parameters)[1:]
    except (TypeError, ValueError):
        names = ["q", "qd"]
    return ",".join("()" if name in ("t", "h") else "(n)" for name in names) + "->(n)"


def warn_of_negative_gains(joint_names: Sequence[str], controller: Function, given: Mapping[str, Array]) -> None:
    """Warn of gains below zero of a controller of armdyn; the names may have another meaning in other controllers.

    For a full matrix K the eigenvalues of (K + K^T) / 2 count: with one below zero, K e has a part against e.
    """
    if not str(controller.implementation.__module__).startswith("armdyn."):
        return
    gains = [a for a in controller.arguments if a.name in controller.gains and a.name in given]
    for gain in gains:
        array = given[gain.name]
        below = _of_matrices(array) if len(gain.shape) == 2 else _of_components(gain, array, joint_names)
        if below:
            whose, value = below
            warn_outside(
                f"{gain.name}{whose} of {controller.name} {value}, below zero: with it the controller drives the arm "
                "away from its reference, or feeds energy into it. Expected gains of at least zero",
                GainWarning,
            )


def _of_components(gain: Argument, array: Array, joint_names: Sequence[str]) -> tuple[str, str] | None:
    """Texts of the component with the smallest gain, and of that gain; None if it is not below zero."""
    if not array.size or not np.min(array) < 0.0:
        return None
    where = ""
    if gain.shape:
        k = int(np.unravel_index(int(np.argmin(array)), array.shape)[-1])
        where = f" of joint {joint_names[k]!r}" if gain.shape == ("n",) else f" of component {k}"
    return where, f"is {np.min(array):g}"


def _of_matrices(array: Array) -> tuple[str, str] | None:
    """The smallest eigenvalue of all arms; None if it is not below zero."""
    if not array.size or not np.isfinite(array).all():
        return None
    symmetric = 0.5 * (array + np.swapaxes(array, -1, -2)).astype(np.float64)
    least = float(np.linalg.eigvalsh(symmetric).min())
    return ("", f"has the eigenvalue {least:g}") if least < -ROUNDING * float(np.abs(array).max()) else None


def singular_task(robot: Robot, controller: Function, q: Array) -> str:
    """A text with the singularity of a task at q, and the remedy; empty if it is regular, or there is no task."""
    options = controller.options
    if not options.keys() >= OF_TASKS or options["damping"] or robot.model.constraints or not np.isfinite(q).all():
        return ""
    try:
        robot.task_space(
            q, np.zeros(robot.dof), frame=options["frame"], components=options["components"], expressed_in="world"
        )
    except SingularTask as error:
        message = str(error).removesuffix(".")
        return f"the task of the controller is singular, so that it has no torque: {message}; both are its options"
    return ""
