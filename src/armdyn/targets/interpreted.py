"""A program without machine code, called like a ufunc and evaluated with NumPy: slower, with correct results.

It is plain Python, not an inner loop of a ufunc: an error, or Ctrl-C, cannot leave a C callback.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from armdyn.base.scalars import Array
from armdyn.program.integration import Integration
from armdyn.program.interpret import interpret
from armdyn.program.ports import Port
from armdyn.program.program import Program
from armdyn.program.rollout import Rollout
from armdyn.targets.gufunc import GufuncInterface

Source = TypeVar("Source", bound=Program | Rollout | Integration)

_NUMBERS_AT_ONCE = 1 << 24
"""Intermediate values in memory at a time; larger batches are evaluated one block after the other."""


class InPlaceOfUfunc(Generic[Source]):
    """The attributes of a ufunc, for the interpreter in its place.

    Args:
        make_program: returns the program or rollout; called at each evaluation.
        interface: the interface of the ufunc.
        letters: the types it computes in, float32 ("f") and float64 ("d").
    """

    def __init__(self, make_program: Callable[[], Source], interface: GufuncInterface, letters: str = "fd") -> None:
        self._make_program = make_program
        self._letters = letters
        self.nin, self.nout, self.signature = interface.inputs, interface.outputs, interface.signature
        self.__name__, self.__doc__ = interface.name, interface.doc

    def _type(self, arrays: Sequence[Any]) -> np.dtype[Any]:
        """float32 if the kernel has it and it represents all arrays exactly, else float64; numbers adapt to arrays."""
        types = [np.asarray(a).dtype for a in arrays if type(a) not in (bool, int, float)]
        single = "f" in self._letters and bool(types) and all(np.can_cast(one, np.float32) for one in types)
        return np.dtype(np.float32 if single else np.float64)


class InterpretedFunction(InPlaceOfUfunc[Program]):
    """A program called like the ufunc it would be compiled to: broadcasting, types, ``out=``, errors."""

    def __call__(self, *arrays: object, out: Any = None) -> Any:
        """The results for arrays with the states along their leading axes."""
        program = self._make_program()
        if len(arrays) != self.nin:
            raise TypeError(f"{self.__name__} takes {self.nin} arrays; got {len(arrays)}")
        dtype = self._type(arrays)
        inputs = [_check(array, port, dtype) for array, port in zip(arrays, program.inputs, strict=True)]
        batch = np.broadcast_shapes(*(a.shape[: a.ndim - len(p.shape)] for a, p in _with(inputs, program.inputs)))
        return _handed_over(_evaluated(program, inputs, batch, dtype), out)


def _with(arrays: Sequence[Array], ports: Sequence[Port]) -> list[tuple[Array, Port]]:
    return list(zip(arrays, ports, strict=True))


def _check(array: Any, port: Port, dtype: np.dtype[Any]) -> Array:
    array = np.asarray(array)
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > np.dtype(np.float64).itemsize:
        raise TypeError(f"{port.name} holds {array.dtype}, which is not computed with")
    core = len(port.shape)
    if array.ndim < core or array.shape[array.ndim - core :] != port.shape:
        raise ValueError(f"{port.name} has shape {array.shape}; expected (..., {port.shape})")
    numbers: Array = array.astype(dtype, copy=False)
    return numbers


def _evaluated(program: Program, inputs: Sequence[Array], batch: tuple[int, ...], dtype: np.dtype[Any]) -> list[Array]:
    """The results for a batch, computed in blocks of states; a state broadcast over the batch is not repeated."""
    count = math.prod(batch)
    states = []
    for array, port in _with(inputs, program.inputs):
        is_one = math.prod(array.shape[: array.ndim - len(port.shape)]) == 1
        whole = array if is_one else np.broadcast_to(array, batch + port.shape)
        states.append(whole.reshape(1 if is_one else count, *port.shape))
    block = max(1, _NUMBERS_AT_ONCE // max(1, len(program.nodes)))
    blocks = [
        interpret(program, *(a[k : k + block] if len(a) == count else a for a in states), dtype=dtype)
        for k in range(0, max(count, 1), block)
    ]
    wholes = [np.concatenate(parts) if len(parts) > 1 else parts[0] for parts in zip(*blocks, strict=True)]
    return [whole.reshape(batch + port.shape) for whole, port in _with(wholes, program.outputs)]


def _handed_over(results: list[Array], out: object) -> Any:
    """The results as a ufunc returns them: scalars for a single state, or in the arrays of ``out``."""
    places = out if isinstance(out, tuple) else (None,) * len(results) if out is None else (out,)
    if len(places) != len(results):
        raise ValueError(f"out holds {len(places)} arrays for {len(results)} results")
    for place, result in zip(places, results, strict=True):
        if place is not None:
            np.copyto(place, result, casting="same_kind")
    returned = tuple(r[()] if p is None else p for p, r in zip(places, results, strict=True))
    return returned[0] if len(returned) == 1 else returned


class InterpretedRollout(InPlaceOfUfunc[Rollout]):
    """A rollout called like its compiled ufunc, with the arrays of `armdyn.targets.gufunc.GufuncInterface`."""

    def __call__(self, *counts_and_arrays: Any, out: Any = None) -> Any:
        """Write the state after the last step, and the recorded rows, to the arrays of ``out``."""
        rollout, (steps, every, *arrays) = self._make_program(), counts_and_arrays
        dtype = self._type(arrays)
        values = {port.name: np.asarray(a, dtype) for port, a in zip(rollout.inputs, arrays, strict=True)}
        over_time = {
            port.name: _time_first(values.pop(port.name), port)
            for port in rollout.inputs
            if port.name in rollout.stepwise
        }
        final, rows = out[: len(rollout.state)], out[len(rollout.state) :]
        records = {port.name: _time_first(array, port) for port, array in zip(rollout.records, rows, strict=True)}
        for k in range(int(steps)):
            now = values | {name: array[k] for name, array in over_time.items()}
            computed = interpret(rollout.step, *(now[port.name] for port in rollout.inputs), dtype=dtype)
            results = {port.name: result for port, result in zip(rollout.step.outputs, computed, strict=True)}
            carried = {port.name: now[port.name] for port in rollout.state}
            if k % int(every) == 0:
                for name, array in records.items():
                    array[k // int(every)] = (results | carried)[name]
            values |= {name: results[result] for result, name in rollout.carry}
        for port, place in zip(rollout.state, final, strict=True):
            place[...] = values[port.name]
        return out


def _time_first(array: Array, port: Port) -> Array:
    """A view of an array over time, (..., steps, *shape), with the axis of time first."""
    seen: Array = np.moveaxis(array, -1 - len(port.shape), 0)
    return seen
