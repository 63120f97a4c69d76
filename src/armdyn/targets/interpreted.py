"""The inner loop of a ufunc without a compiler: the NumPy interpreter behind a C callback. Slower, never wrong."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.program.interpret import evaluate
from armdyn.program.program import Port, Program
from armdyn.targets.gufunc import Loop


def interpreted_loop(make_program: Callable[[], Program], dtype: str) -> Any:
    """A ctypes callback that evaluates the whole batch at once; keep it alive while NumPy may call it."""

    def loop(args: int, dimensions: int, steps: int, data: int) -> None:
        # An error cannot leave a C callback: ctypes prints it, and NumPy goes on with whatever is in the results.
        outputs: list[NDArray[Any]] = []
        try:
            program = make_program()
            inputs, outputs = _arguments(program, np.dtype(dtype), args, dimensions, steps)
            pairs = zip(inputs, program.inputs, strict=True)
            scalars = [column for array, port in pairs for column in _columns(array, port)]
            results = evaluate(program, scalars, np.dtype(dtype))
        except BaseException:
            for array in outputs:
                array[...] = np.nan
            raise
        start = 0
        for array, port in zip(outputs, program.outputs, strict=True):
            flat = np.empty((array.shape[0], port.size), dtype)
            for k in range(port.size):
                flat[:, k] = results[start + k]
            array[...] = flat.reshape(array.shape)
            start += port.size

    return Loop(loop)


def _columns(array: NDArray[Any], port: Port) -> list[NDArray[Any]]:
    flat = array.reshape(array.shape[0], port.size)
    return [flat[:, k] for k in range(port.size)]


def _arguments(
    program: Program, dtype: np.dtype[Any], args: int, dimensions: int, steps: int
) -> tuple[list[NDArray[Any]], list[NDArray[Any]]]:
    """The operands NumPy handed to the loop, as arrays over its memory; the inputs copied."""
    ports = (*program.inputs, *program.outputs)
    (count,) = (ctypes.c_ssize_t * 1).from_address(dimensions)
    pointers = (ctypes.c_void_p * len(ports)).from_address(args)
    strides = (ctypes.c_ssize_t * (len(ports) + sum(len(port.shape) for port in ports))).from_address(steps)
    arrays = []
    core = len(ports)
    for number, port in enumerate(ports):
        rank = len(port.shape)
        arrays.append(
            _view(pointers[number] or 0, (count, *port.shape), (strides[number], *strides[core : core + rank]), dtype)
        )
        core += rank
    inputs = len(program.inputs)
    return [array.copy() for array in arrays[:inputs]], arrays[inputs:]


def _view(address: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    if 0 in shape:
        return np.empty(shape, dtype)
    reach = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    first, last = sum(r for r in reach if r < 0), sum(r for r in reach if r > 0)
    memory = (ctypes.c_char * (last - first + dtype.itemsize)).from_address(address + first)
    return np.ndarray(shape, dtype, memoryview(memory), offset=-first, strides=strides)
