"""The reference target: a program evaluated instruction by instruction with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.program.operations import OPERATIONS
from armdyn.program.program import Program


def interpret(program: Program, *arrays: Any, dtype: Any = np.float64) -> tuple[NDArray[Any], ...]:
    """The outputs of ``program`` on input arrays of shape (..., *port.shape), leading axes broadcast.

    Slow and plain: what the compiled targets are checked against, and what runs where none is installed.
    """
    prepared = [np.asarray(a, dtype=dtype) for a in arrays]
    batch = np.broadcast_shapes(
        *(a.shape[: a.ndim - len(port.shape)] for a, port in zip(prepared, program.inputs, strict=True))
    )
    scalars: list[NDArray[Any]] = []
    for array, port in zip(prepared, program.inputs, strict=True):
        flat = array.reshape(*array.shape[: array.ndim - len(port.shape)], port.size)
        scalars += [flat[..., k] for k in range(port.size)]
    flat_results = evaluate(program, scalars, dtype)
    outputs, start = [], 0
    for port in program.outputs:
        columns = [np.broadcast_to(r, batch) for r in flat_results[start : start + port.size]]
        outputs.append(np.stack(columns, axis=-1).reshape((*batch, *port.shape)))
        start += port.size
    return tuple(outputs)


def evaluate(program: Program, scalars: list[Any], dtype: Any = np.float64) -> list[Any]:
    """The flat results of ``program`` for the flat input ``scalars``, each a number or an array."""
    number = np.dtype(dtype).type
    values: list[Any] = []
    with np.errstate(all="ignore"):  # NaN and infinity travel to the result, as in compiled code
        for name, *arguments in program.nodes:
            if name == "const":
                values.append(number(arguments[0]))
            elif name == "input":
                values.append(scalars[arguments[0]])  # type: ignore[index]
            else:
                values.append(OPERATIONS[str(name)].evaluate(*(values[a] for a in arguments)))  # type: ignore[index]
    return [values[r] for r in program.results]
