"""A kernel as a handler of XLA's typed foreign function interface, which JAX calls on a CPU without Python.

One handler serves all kernels: LLVM IR, compiled once for this processor and stored on disk as kernels are. It is
loaded once for every kernel, and calls the kernel's address by name. In addition to the buffers it receives a *plan*,
an attribute of 8-byte integers: their number, numbers of inputs and of all arrays, XLA's number for the type of their
elements, rows, states per row; then for every array its size, then its steps in bytes from row to row, then the steps
of the inner loop as in NumPy. The plan is part of the program that XLA compiles, and equal in every process.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.targets.gufunc import Shape, keep
from armdyn.targets.llvm.machine import host
from armdyn.targets.llvm.module import Module
from armdyn.targets.machine_code import load_or_build
from armdyn.targets.native import is_on
from armdyn.targets.native.xla_handler_ir import ENTRY, KERNEL, MOST_ARRAYS, handler_ir

XLA_TYPES = {"f": 11, "d": 12}  # XLA_FFI_DataType_F32, XLA_FFI_DataType_F64


class HandlerError(Exception):
    """No handler can be made; the message gives the reason.

    ``is_known`` is True if there is nothing to report: a choice of the user, a limit, or a warning by kernels.
    """

    def __init__(self, reason: str, *, is_known: bool = False) -> None:
        super().__init__(reason)
        self.is_known = is_known


@dataclass(frozen=True)
class Axis:
    """An axis of a batch: the number of states, and every array's step from one to the next, in its states."""

    extent: int
    steps: tuple[int, ...]


def handler(loop: int, arrays: int) -> int:
    """The address of a handler for the inner loop at an address, with ``arrays`` arrays in all; never freed.

    Raises:
        HandlerError: if no handler can be made.
    """
    if not is_on("xla"):
        raise HandlerError("ARMDYN_NATIVE turns it off", is_known=True)
    if arrays > MOST_ARRAYS:
        raise HandlerError(f"it takes {MOST_ARRAYS} arrays and results together, not {arrays}", is_known=True)
    try:
        code = load_or_build(
            "handler of XLA", lambda: Module(handler_ir(host().triple)), ENTRY, functions={KERNEL: loop}
        )
    except Exception as error:  # e.g. no compiler
        raise HandlerError(f"it cannot be compiled ({error})") from error
    if code is None:
        raise HandlerError("its code cannot be loaded")
    keep(code)
    return code[0]


def plan(
    letter: str, cores: Sequence[Shape], inputs: int, counts: Sequence[int], rows: Axis, states: Axis
) -> list[int]:
    """The words of a plan.

    Args:
        letter: ``"f"`` for float32, ``"d"`` for float64.
        cores: the shapes of one state's arguments and results.
        inputs: the number of arguments among them.
        counts: the number of states in every array.
        rows: the outer axis of the batch.
        states: its inner axis.
    """
    item = 4 if letter == "f" else 8
    sizes = [math.prod(core) for core in cores]
    sizes_of_states = [count * size for count, size in zip(counts, sizes, strict=True)]
    outer, inner = (
        [item * step * size for step, size in zip(axis.steps, sizes, strict=True)] for axis in (rows, states)
    )
    within = [item * math.prod(core[axis + 1 :]) for core in cores for axis in range(len(core))]
    words = [
        inputs,
        len(cores),
        XLA_TYPES[letter],
        rows.extent,
        states.extent,
        *sizes_of_states,
        *outer,
        *inner,
        *within,
    ]
    return [len(words) + 1, *words]
