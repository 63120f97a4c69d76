"""The arrays of a kernel: its parameters for them, and a thread's loads and stores of its state's numbers.

The parameters of every array are its address and the bytes from one state to the next (0: all share one), and for an
array over time the bytes from one step to the next. In the layout ``"strided"`` the bytes along each axis of a state
follow: any array fits, and if neighbouring states are neighbours in memory, a warp's loads are coalesced. In the layout
``"rows"`` a state's numbers follow each other, row-major, and are moved two or four at a time. The layout ``"packed"``
has the parameters of ``"rows"``, but rows of large results follow each other too (`armdyn.targets.cuda.staging`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from armdyn.program.ports import Port
from armdyn.program.program import Program
from armdyn.program.rollout import Rollout
from armdyn.targets.cuda.scalars import GLOBAL
from armdyn.targets.llvm.scalars import ScalarRegister
from armdyn.targets.llvm.vectors import FunctionBody

LAYOUTS = ("strided", "rows", "packed")


@dataclass(frozen=True)
class KernelArgument:
    """An array of a kernel.

    Args:
        number: its number among the arrays, the inputs first.
        port: its name and the shape of one state.
        over_time: it has an axis of steps.
        is_output: the kernel writes it.
    """

    number: int
    port: Port
    over_time: bool = False
    is_output: bool = False

    @property
    def size(self) -> int:
        """The count of numbers of one state."""
        return self.port.size

    def strides(self, layout: str) -> list[str]:
        """Its strides, bytes, in the order of the parameters."""
        axes = [f"stride{self.number}.{axis}" for axis in range(len(self.port.shape))] if layout == "strided" else []
        return [f"outer{self.number}", *([f"step{self.number}"] if self.over_time else []), *axes]

    def parameters(self, layout: str) -> list[str]:
        """Its parameters in LLVM IR."""
        return [f"{GLOBAL} %data{self.number}", *(f"i64 %{name}" for name in self.strides(layout))]

    def width(self, scalar: ScalarRegister) -> int:
        """The count of numbers of a row moved at once, such that each row begins at a multiple of their size."""
        return math.gcd(self.size, 16 // scalar.itemsize) if self.size else 1


def arguments(source: Program | Rollout) -> list[KernelArgument]:
    """The arrays of a kernel: inputs, then outputs; for a rollout the final state and the records."""
    if isinstance(source, Program):
        over_time: set[str] = set()
        inputs, outputs = source.inputs, [(port, False) for port in source.outputs]
    else:
        over_time = set(source.stepwise)
        inputs = source.inputs
        outputs = [*((port, False) for port in source.state), *((port, True) for port in source.records)]
    read = [KernelArgument(k, port, port.name in over_time) for k, port in enumerate(inputs)]
    return read + [KernelArgument(k, port, timed, True) for k, (port, timed) in enumerate(outputs, start=len(inputs))]


class Transfers:
    """Loads and stores of a thread.

    Args:
        out: the function.
        scalar: the type of its numbers.
        layout: the layout of the arrays.
    """

    def __init__(self, out: FunctionBody, scalar: ScalarRegister, layout: str) -> None:
        self._out, self._scalar, self._layout = out, scalar, layout

    def load(self, argument: KernelArgument, step: str = "") -> list[str]:
        """The numbers of a state, row-major; ``step`` is the row of an array over time."""
        if not argument.size:
            return []
        at = self._start(argument, step)
        if self._layout == "strided":
            t = self._scalar.type
            align = self._scalar.itemsize
            return [self._out.let(f"load {t}, {GLOBAL} {p}, align {align}") for p in self._addresses(argument, at)]
        return [number for p in self._groups(argument, at) for number in self._load_group(argument, p)]

    def store(self, argument: KernelArgument, numbers: Sequence[str], step: str = "") -> None:
        """Write the numbers of a state."""
        if not argument.size:
            return
        at, t = self._start(argument, step), self._scalar.type
        if self._layout == "strided":
            for p, number in zip(self._addresses(argument, at), numbers, strict=True):
                self._out.put(f"store {t} {number}, {GLOBAL} {p}, align {self._scalar.itemsize}")
            return
        width = argument.width(self._scalar)
        for k, p in enumerate(self._groups(argument, at)):
            self._store_group(p, numbers[k * width : (k + 1) * width])

    def _start(self, argument: KernelArgument, step: str) -> str:
        """The address of the first number of a state."""
        offset = self._out.let(f"mul i64 %state, %outer{argument.number}")
        if step:
            further = self._out.let(f"mul i64 {step}, %step{argument.number}")
            offset = self._out.let(f"add i64 {offset}, {further}")
        return self._plus(f"%data{argument.number}", offset)

    def _plus(self, pointer: str, offset: str) -> str:
        return self._out.let(f"getelementptr i8, {GLOBAL} {pointer}, i64 {offset}")

    def _addresses(self, argument: KernelArgument, at: str, axis: int = 0) -> Iterator[str]:
        """The address of every number, each computed from the previous one."""
        if axis == len(argument.port.shape):
            yield at
            return
        for k in range(argument.port.shape[axis]):
            at = self._plus(at, f"%stride{argument.number}.{axis}") if k else at
            yield from self._addresses(argument, at, axis + 1)

    def _groups(self, argument: KernelArgument, at: str) -> Iterator[str]:
        step = argument.width(self._scalar) * self._scalar.itemsize
        for k in range(argument.size * self._scalar.itemsize // step):
            yield self._plus(at, str(k * step)) if k else at

    def _load_group(self, argument: KernelArgument, at: str) -> list[str]:
        width, t = argument.width(self._scalar), self._scalar.type
        if width == 1:
            return [self._out.let(f"load {t}, {GLOBAL} {at}, align {self._scalar.itemsize}")]
        group = f"<{width} x {t}>"
        loaded = self._out.let(f"load {group}, {GLOBAL} {at}, align {width * self._scalar.itemsize}")
        return [self._out.let(f"extractelement {group} {loaded}, i32 {k}") for k in range(width)]

    def _store_group(self, at: str, numbers: Sequence[str]) -> None:
        t = self._scalar.type
        if len(numbers) == 1:
            self._out.put(f"store {t} {numbers[0]}, {GLOBAL} {at}, align {self._scalar.itemsize}")
            return
        group, value = f"<{len(numbers)} x {t}>", "poison"
        for k, number in enumerate(numbers):
            value = self._out.let(f"insertelement {group} {value}, {t} {number}, i32 {k}")
        self._out.put(f"store {group} {value}, {GLOBAL} {at}, align {len(numbers) * self._scalar.itemsize}")
