"""Gains of a controller in a call: numbers, vectors and full matrices, distinguished by their shapes.

A gain of k components is a number, shape (), which serves all of them, or (..., 1), one for each arm of a batch; a
vector (..., k); or a full matrix (..., k, k). Of these only (..., k, k) is also something else, vectors of a batch
whose last axis has the length k: the meaning that fits the batch of the other arguments counts, and if both do, the
call is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from armdyn.base.errors import ShapeError, UnknownName
from armdyn.declaration import Argument, Function, MadeFunction

KINDS = ("number", "vector", "matrix")
"""The kinds of gains; a gain has as many axes as its kind's place here."""

Shape = tuple[int, ...]


def with_kinds(function: Function, kinds: Mapping[str, str]) -> Function:
    """A function whose gains of these names are of these kinds, for every call.

    Raises:
        UnknownName: an argument that is not a gain, or a kind that does not exist.
        ShapeError: a gain whose kind was chosen before.
    """
    for name, kind in kinds.items():
        if name not in function.gains:
            raise UnknownName.of("gain", name, function.gains, function.name)
        if kind not in KINDS:
            raise UnknownName.of("kind of gain", kind, KINDS, f"{name}= of {function.name}")
        if function.gains[name] != "any":
            raise ShapeError(f"{name} of {function.name} is a {function.gains[name]} already; choose its kind once")
    arguments = tuple(_of_kind(a, kinds[a.name]) if a.name in kinds else a for a in function.arguments)
    result = partial(with_kinds, function, dict(kinds))
    return MadeFunction(
        function.implementation, function.name, function.signature, arguments, function.outputs, function.options,
        function.result, function.sizes, function.choices, result, gains={**function.gains, **kinds},
    )  # fmt: skip


def _of_kind(argument: Argument, kind: str) -> Argument:
    """The argument with the number of axes of its kind."""
    (components,) = argument.shape[-1:]
    return replace(argument, shape=(components,) * KINDS.index(kind))


def free(function: Function) -> list[str]:
    """The gains whose kind depends on the shape of a value."""
    return [name for name, kind in function.gains.items() if kind == "any"]


def kinds_of(
    function: Function, arguments: Mapping[str, Any], shapes: Mapping[str, Shape], over_time: Collection[str] = ()
) -> dict[str, str]:
    """The kinds of the free gains of a call by name, of all but vectors.

    Args:
        function: the function with the gains.
        arguments: the arguments of the call by name; those of names missing in ``shapes`` are ignored.
        shapes: of one value of each argument, for gains as vectors.
        over_time: arguments whose first axis is time.

    Raises:
        ShapeError: a matrix that could be the vectors of a batch.
    """
    shapes_of_arrays = {
        name: shape for name, value in arguments.items() if name in shapes and (shape := _shape(value)) is not None
    }
    leading = {name: shape[name in over_time :] for name, shape in shapes_of_arrays.items()}
    kinds = {name: _kind(leading[name], shapes[name][0]) for name in free(function) if name in leading}
    batches = [shape[: len(shape) - len(shapes[name])] for name, shape in leading.items() if name not in kinds]
    batches += [leading[name][:-1] for name, kind in kinds.items() if kind in ("number", "vector")]
    batch = _common_batch(batches)
    for name, kind in kinds.items():
        if kind == "either" and batch is not None:
            is_vectors, is_matrix = (_common_batch([batch, leading[name][:end]]) is not None for end in (-1, -2))
            if is_vectors and is_matrix:
                raise _ambiguous(function, name, shapes_of_arrays[name], leading[name])
            kinds[name] = "matrix" if is_matrix else "vector"
    return {name: kind for name, kind in kinds.items() if kind in ("number", "matrix")}


def _kind(shape: Shape, components: int) -> str:
    """The kind by a shape alone: "either" a matrix or the vectors of a batch; "vector" if it fits nothing."""
    if shape == () or (shape[-1] == 1 != components):
        return "number"
    return "either" if len(shape) > 1 and shape[-2:] == (components,) * 2 and components > 1 else "vector"


def _shape(value: object) -> Shape | None:
    """The shape of numbers; None for other objects, which are checked later."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        return None
    return array.shape if array.dtype.kind in "biuf" else None


def _common_batch(batches: Iterable[Shape]) -> Shape | None:
    """The shape of a batch; None if the arguments have none in common."""
    try:
        return np.broadcast_shapes(*batches)
    except ValueError:
        return None


def _ambiguous(function: Function, name: str, shape: Shape, leading: Shape) -> ShapeError:
    """The error for a shape with two meanings: both, and the way to write each."""
    k, batch = leading[-1], leading[:-2]
    matrices = f"a full matrix of {k} x {k}" if not batch else f"full matrices of {k} x {k}, of a batch {batch} of arms"
    vectors = f"{k} numbers for each arm of a batch {leading[:-1]}"
    say = [f"armdyn.control.with_gains({function.name}, {name}={kind!r})" for kind in ("matrix", "vector")]
    return ShapeError(
        f"{name} has shape {shape}, which is either {matrices}, or {vectors}; expected {say[0]} in the place of "
        f"{function.name} for the first, {say[1]} for the second"
    )


def dtype_of(arrays: Iterable[Any]) -> Any:
    """The type of numbers that are repeated to match these arrays: float32 if it holds all of them."""
    types = [np.asarray(value).dtype for value in arrays if np.ndim(value)]
    return np.float32 if types and all(np.can_cast(one, np.float32) for one in types) else np.float64


def spread(value: Any, components: int, dtype: Any) -> Any:
    """A number, or one for each arm, shape (..., 1), for all of the components."""
    array = np.asarray(value)
    array = array.reshape(1) if array.ndim == 0 else array
    result_type = array.dtype if array.dtype.kind == "f" and np.ndim(value) else dtype
    return np.repeat(array.astype(result_type, copy=False), components, axis=-1)


def single(value: Any) -> Any:
    """A number for each arm without the axis of components."""
    return value if np.ndim(value) == 0 else np.asarray(value)[..., 0]
