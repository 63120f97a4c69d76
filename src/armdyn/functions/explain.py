"""Errors of the arrays of a call, in terms of the argument, the robot and its joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.base.arrays import overlapping, takes_results
from armdyn.base.errors import LONGEST_SHOWN, DTypeError, OverlapError, ShapeError, excerpt
from armdyn.model.joint_units import UNITS
from armdyn.program import Expr, NeedsNumbers, Port
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.functions.binding import Inputs

_HELD = {"c": "complex numbers", "U": "text", "S": "text", "O": "Python objects"}


MEANING = {"f_tip": "moment and force (mx, my, mz, fx, fy, fz), N m and N"}
"""Arguments that are not of joints."""


def check_arguments(inputs: Inputs, arguments: Mapping[str, Any], options: Sequence[tuple[str, object]]) -> None:
    """Raise for arrays that do not fit the robot or each other."""
    for name, value in arguments.items():
        check_argument(inputs, inputs.port(name, options), value)
    if _batch(inputs, arguments) is None:
        text = ", ".join(f"{name} {batch}" for name, batch in inputs.batches(arguments).items())
        raise ShapeError(f"the batches of the arguments of {_subject(inputs)} do not broadcast together: {text}")


def check_argument(inputs: Inputs, port: Port, value: object, *, steps: int | None = None) -> None:
    """Raise for an array that does not fit the robot; one over time has an axis of ``steps`` before its batch."""
    expected = _expected(inputs, port, steps)
    try:
        array = np.asarray(value)
    except ValueError:
        raise ShapeError(f"{port.name} is ragged: its rows differ in length; expected {expected}") from None
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        _refuse_traced(inputs, port.name, array)
        content = _HELD.get(array.dtype.kind, str(array.dtype))
        if array.dtype == object and all(isinstance(x, int) for x in array.flat):
            content = "integers beyond 64 bits"
        text = excerpt(value.tolist() if isinstance(value, np.ndarray) else value)
        what = f", {text}" if len(text) < LONGEST_SHOWN else ""
        raise DTypeError(f"{port.name} holds {content}{what}; expected real numbers: {expected}")
    leading, own = array.shape[: array.ndim - len(port.shape)], array.shape[array.ndim - len(port.shape) :]
    if array.ndim < len(port.shape) or own != port.shape or (steps is not None and leading[:1] != (steps,)):
        raise ShapeError(f"{port.name} has shape {array.shape}; expected {expected}")


def _refuse_traced(inputs: Inputs, name: str, array: Array) -> None:
    """Raise for traced scalars, which a compiled function does not take: its declared function does."""
    if any(isinstance(x, Expr) for x in array.flat):
        function = inputs.function
        module = "armdyn.algorithms." if function.__module__.startswith("armdyn.algorithms") else ""
        raise NeedsNumbers(
            f"{name} is traced, but {_subject(inputs)} is compiled and takes numbers only; what is traced calls the "
            f"declared function, {module}{function.name}(model, ...)"
        )


def _expected(inputs: Inputs, port: Port, steps: int | None) -> str:
    model = inputs.model
    shape = _dimensions(port.shape)
    if steps is not None:
        shape = f"{_dimensions(port.shape, 'steps')}, a row for each of {steps} steps"
    meaning = MEANING.get(port.name)
    if inputs.shapes[port.name] != ("n",):
        return f"{shape}, {meaning}, for {model.name!r}" if meaning else f"{shape} for {model.name!r}"
    joints = [coordinate.name for coordinate in model.coordinates]
    names = joints if len(joints) <= 3 else (joints[0], "...", joints[-1])
    each = "joint" if model.coupling is None else "coordinate"
    units = dict.fromkeys(UNITS[coordinate.kind].get(port.name, "") for coordinate in model.coordinates)
    unit = f", {' or '.join(units)}" if all(units) else ""
    return f"{shape}, one value per {each} of {model.name!r}: {' '.join(names)}{unit}"


def _dimensions(shape: tuple[int, ...], *before: str) -> str:
    return f"({', '.join([*before, '...', *map(str, shape)])})"


def _subject(inputs: Inputs) -> str:
    return f"{inputs.function.name} of {inputs.model.name!r}"


def _batch(inputs: Inputs, arguments: Mapping[str, Any]) -> tuple[int, ...] | None:
    """The shape of the batch; None if the arguments have none in common."""
    try:
        return np.broadcast_shapes(*inputs.batches(arguments).values())
    except ValueError:
        return None


def is_writable(out: Any) -> bool:
    """True if NumPy writes results to ``out``, an array or a tuple with some, as to its own arrays, without overlap."""
    if type(out) is np.ndarray:
        return True
    arrays = [a for a in (out if isinstance(out, tuple) else (out,)) if a is not None]
    return all(map(takes_results, arrays)) and (len(arrays) < 2 or overlapping(arrays) is None)


def check_out(inputs: Inputs, out: Any, options: Sequence[tuple[str, object]]) -> None:
    """Raise for arrays that cannot take the results of any batch."""
    for array, shape in _out_arrays(inputs, out, options):
        if not takes_results(array):
            raise DTypeError(f"out is {type(array).__name__}; expected a NumPy array of shape {_dimensions(shape)}")
        if array.shape[array.ndim - len(shape) :] != shape:
            expected = f"{_dimensions(shape)} for {inputs.model.name!r}"
            raise ShapeError(f"out has shape {array.shape}; expected {expected}")
    arrays = out if isinstance(out, tuple) else (out,)
    shared = overlapping([np.empty(0) if a is None else a for a in arrays])
    if shared is not None:
        raise OverlapError(
            f"arrays {shared[0]} and {shared[1]} of out share memory; expected an array of its own for each result"
        )


def check_out_of_batch(
    inputs: Inputs, out: object, options: Sequence[tuple[str, object]], arguments: Mapping[str, Any]
) -> None:
    """Raise for arrays that cannot take the results of this batch."""
    batch = _batch(inputs, arguments)
    for array, shape in _out_arrays(inputs, out, options):
        if batch is not None and array.shape != batch + shape:
            raise ShapeError(f"out has shape {array.shape}; expected {batch + shape} for a batch of shape {batch}")
        if array.dtype.kind != "f":
            raise DTypeError(f"out holds {array.dtype}; results are float64, or float32 of float32 arrays")
        if not array.flags.writeable:
            raise DTypeError("out is read-only; give an array that can be written to")


def _out_arrays(
    inputs: Inputs, out: object, options: Sequence[tuple[str, object]]
) -> list[tuple[Any, tuple[int, ...]]]:
    """The arrays for results that are given, each with the shape of one state's result; NumPy makes the others."""
    arrays = () if out is None else out if isinstance(out, tuple) else (out,)
    outputs = inputs.function.outputs
    if out is not None and len(arrays) != len(outputs):
        raise ShapeError(f"out holds {len(arrays)} arrays; {_subject(inputs)} has {len(outputs)} results")
    pairs = zip(arrays, outputs, strict=False)
    return [(array, inputs.lengths(shape, options)) for array, shape in pairs if array is not None]
