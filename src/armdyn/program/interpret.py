"""The reference target: a program evaluated instruction by instruction with NumPy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import DTypeLike, NDArray

from armdyn.base.scalars import Scalar
from armdyn.program.operations import OPERATIONS
from armdyn.program.program import Program
from armdyn.program.replay import replay

_NUMPY = {name: operation.evaluate for name, operation in OPERATIONS.items()}


def interpret(program: Program, *arrays: Scalar, dtype: DTypeLike = np.float64) -> tuple[NDArray[Scalar], ...]:
    """The outputs of ``program`` on input arrays of shape (..., *port.shape), leading axes broadcast.

    It is slow and simple: the reference for checks of the compiled targets, and the fallback if none is installed.
    """
    prepared = [np.asarray(a, dtype=dtype) for a in arrays]
    batch = np.broadcast_shapes(
        *(a.shape[: a.ndim - len(port.shape)] for a, port in zip(prepared, program.inputs, strict=True))
    )
    scalars: list[NDArray[Scalar]] = []
    for array, port in zip(prepared, program.inputs, strict=True):
        flat = array.reshape(*array.shape[: array.ndim - len(port.shape)], port.size)
        scalars += [flat[..., k] for k in range(port.size)]
    outputs = []
    for port, results in zip(program.outputs, evaluate(program, scalars, dtype), strict=True):
        output = np.empty((*batch, port.size), dtype)
        for k, result in enumerate(results):
            output[..., k] = result
        outputs.append(output.reshape((*batch, *port.shape)))
    return tuple(outputs)


def evaluate(program: Program, scalars: Sequence[object], dtype: DTypeLike = np.float64) -> list[list[Scalar]]:
    """The scalars of every output for the flat input ``scalars``, each a number or an array."""
    with np.errstate(all="ignore"):  # NaN and infinity propagate to the result, as in compiled code
        return replay(program, scalars, _NUMPY, np.dtype(dtype).type)
