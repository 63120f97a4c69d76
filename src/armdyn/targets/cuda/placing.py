"""Addresses of the numbers of a batch: an array's axes sorted into steps, states and those of one state."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from armdyn.base.errors import ShapeError
from armdyn.targets.cuda.arguments import KernelArgument
from armdyn.targets.cuda.device_arrays import DeviceArray
from armdyn.targets.llvm.scalars import ScalarRegister


@dataclass(frozen=True)
class SortedAxes:
    """An array with its axes sorted; extents and strides (bytes) of the batch's axes and of a state's axes."""

    argument: KernelArgument
    array: DeviceArray
    batch: tuple[int, ...]
    batch_strides: tuple[int, ...]
    core_strides: tuple[int, ...]
    step: int

    def outer(self, batch: tuple[int, ...]) -> int | None:
        """Bytes from one state of a whole batch to the next, 0 if all share one; None if they vary."""
        missing = len(batch) - len(self.batch)
        own = ((0,) * missing) + tuple(
            0 if extent == 1 else stride for extent, stride in zip(self.batch, self.batch_strides, strict=True)
        )
        axes = [(extent, stride) for extent, stride in zip(batch, own, strict=True) if extent != 1]
        if any(stride != after * extent for (_, stride), (extent, after) in pairwise(axes)):
            return None
        return axes[-1][1] if axes else 0

    def fits_rows(self, outer: int, scalar: ScalarRegister) -> bool:
        """True if a state's numbers follow each other, and begin at a multiple of the size of their moves."""
        shape, width = self.argument.port.shape, self.argument.width(scalar) * scalar.itemsize
        expected = scalar.itemsize
        for extent, stride in zip(reversed(shape), reversed(self.core_strides), strict=True):
            if extent > 1 and stride != expected:
                return False
            expected *= extent
        return all(number % width == 0 for number in (self.array.pointer, outer, self.step))

    def values(self, outer: int, layout: str) -> list[int]:
        """The values of the kernel's parameters for the array."""
        steps = [self.step] if self.argument.over_time else []
        return [self.array.pointer, outer, *steps, *(self.core_strides if layout == "strided" else ())]


def sort_axes(argument: KernelArgument, array: DeviceArray, states: str, steps: int) -> SortedAxes:
    """Sort the axes of an array.

    Args:
        argument: the argument of the kernel.
        array: the array in the GPU's memory.
        states: ``"first"`` if the axes of the batch come first, ``"last"`` if they come after those of a state.
        steps: the number of rows of an array over time.

    Raises:
        ShapeError: if the shape is not that of a batch of states.
    """
    name, core, timed = argument.port.name, argument.port.shape, int(argument.over_time)
    shape, strides = array.shape, array.strides
    rows_fit = not timed or shape[:1] == (steps,)
    others, apart = shape[timed:], strides[timed:]
    first = len(others) - len(core) if states == "first" else 0
    here = slice(first, first + len(core))
    if first < 0 or others[here] != core or not rows_fit:
        raise ShapeError(f"{name} has shape {shape}; expected {expected_shape(argument, states, steps)}")
    batch, batch_strides = (
        (others[:first], apart[:first]) if states == "first" else (others[len(core) :], apart[len(core) :])
    )
    return SortedAxes(argument, array, batch, batch_strides, apart[here], strides[0] if timed else 0)


def expected_shape(argument: KernelArgument, states: str, steps: int) -> str:
    """The expected shape of an array, as text for messages."""
    core = [str(extent) for extent in argument.port.shape]
    axes = [*([str(steps)] if argument.over_time else []), *(["...", *core] if states == "first" else [*core, "..."])]
    return f"({', '.join(axes)}), the states along the {states} axes"


def batch_of(arrays: Sequence[SortedAxes], name: str) -> tuple[int, ...]:
    """The common batch to which those of all arrays broadcast.

    Raises:
        ShapeError: if the batches do not broadcast.
    """
    try:
        return np.broadcast_shapes(*(one.batch for one in arrays))
    except ValueError:
        shapes = ", ".join(f"{one.argument.port.name} {one.batch}" for one in arrays)
        raise ShapeError(f"{name}: the batches of states do not broadcast: {shapes}") from None


def shape_of(argument: KernelArgument, batch: Sequence[int], states: str, rows: int) -> tuple[int, ...]:
    """The shape of an array of a batch."""
    steps = (rows,) if argument.over_time else ()
    core = argument.port.shape
    return (*steps, *batch, *core) if states == "first" else (*steps, *core, *batch)


def count_of(batch: Sequence[int]) -> int:
    """The number of states of a batch."""
    return math.prod(batch)
