"""Stores of a warp's results through shared memory: the layout ``"packed"``, for contiguous results of many numbers.

If every thread stores its own row of a large result, neighbouring threads write far from each other, in parts of
memory's sectors: a sixth of the speed of a GPU's memory was measured. So the threads of a warp put their rows into
shared memory, and then store them together, 32 consecutive numbers at once. All threads of a warp take part, also those
beyond the last state, which compute the last state again.

A block needs `stage_numbers` of shared memory per thread, and a multiple of `WARP` threads. On a processor a warp is
one thread, so that the rest of the code is tested there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from armdyn.program.program import Program
from armdyn.program.rollout import Rollout
from armdyn.targets.cuda.arguments import KernelArgument, arguments
from armdyn.targets.cuda.scalars import GLOBAL
from armdyn.targets.llvm.evaluation import Blocks
from armdyn.targets.llvm.scalars import ScalarRegister

WARP = 32

SHARED = "ptr addrspace(3)"
"""A pointer to a block's shared memory; on a processor it is an ordinary pointer."""

SMALL = 64
"""The largest row that a thread stores itself, bytes, because neighbouring rows share sectors."""

MOST = 46
"""The most numbers of a row staged at once: with float64, 128 threads stay below a block's 48 KiB."""


def is_staged(argument: KernelArgument, scalar: ScalarRegister) -> bool:
    """True if an array is stored through shared memory."""
    return argument.is_output and argument.size * scalar.itemsize > SMALL


def stage_numbers(source: Program | Rollout, scalar: ScalarRegister) -> int:
    """The count of numbers in shared memory per thread; 0 if nothing is staged."""
    if not isinstance(source, Program):
        return 0
    return max((_pitch(n) for a in arguments(source) if is_staged(a, scalar) for _, n in _chunks(a.size)), default=0)


def _pitch(numbers: int) -> int:
    """The distance from one thread's row to the next: odd, so that the threads of a warp access different banks."""
    return numbers | 1


def _chunks(size: int) -> Iterator[tuple[int, int]]:
    """The start and length of the parts of a row that are staged one after the other."""
    count = -(-size // MOST)
    ends = [size * k // count for k in range(count + 1)]
    for begin, end in pairwise(ends):
        yield begin, end - begin


class Staging:
    """The stores of a warp.

    Args:
        out: the function.
        scalar: the type of its numbers.
        on_gpu: a warp has 32 threads; else one.
    """

    def __init__(self, out: Blocks, scalar: ScalarRegister, *, on_gpu: bool) -> None:
        self._out, self._scalar = out, scalar
        self._lanes = WARP if on_gpu else 1
        self._stores = 0

    @staticmethod
    def memory(scalar: ScalarRegister, numbers: int, *, on_gpu: bool) -> str:
        """The declaration of shared memory: on a GPU the launch sets its size, on a processor it is one row."""
        if on_gpu:
            return f"@stage = external addrspace(3) global [0 x {scalar.type}], align 16\n"
        return f"@stage = internal addrspace(3) global [{numbers} x {scalar.type}] zeroinitializer, align 16\n"

    def begin(self, numbers: int) -> None:
        """Set ``%lane``, the number of a thread in its warp, and ``%stage``, the warp's part of shared memory."""
        out, t = self._out, self._scalar.type
        within = "%within" if self._lanes > 1 else "0"
        out.put(f"%lane = and i32 {within}, {self._lanes - 1}")
        out.put("%lane.wide = zext i32 %lane to i64")
        before = out.let(f"mul i32 {out.let(f'sub i32 {within}, %lane')}, {numbers}")
        out.put(f"%stage = getelementptr {t}, {SHARED} @stage, i32 {before}")

    def of_states(self) -> None:
        """Set ``%first``, the warp's first state, the number of states from it on, and the thread's own ``%state``."""
        out = self._out
        out.put("%first = sub i64 %here, %lane.wide")
        remaining = out.let("sub i64 %count, %first")
        out.put(f"%states.left = trunc i64 {out.let(f'call i64 @llvm.smin.i64(i64 {remaining}, i64 {WARP})')} to i32")
        last = out.let("sub i64 %count, 1")
        out.put(f"%state = call i64 @llvm.smin.i64(i64 %here, i64 {last})")

    def store(self, argument: KernelArgument, numbers: Sequence[str]) -> None:
        """Write the rows of the warp's states."""
        for begin, extent in _chunks(argument.size):
            self._fill(numbers[begin : begin + extent])
            self._together()
            self._empty(argument, begin, extent)
            self._together()

    def _fill(self, numbers: Sequence[str]) -> None:
        out, t = self._out, self._scalar.type
        own = out.let(f"mul i32 %lane, {_pitch(len(numbers))}")
        row = out.let(f"getelementptr {t}, {SHARED} %stage, i32 {own}")
        for k, number in enumerate(numbers):
            at = out.let(f"getelementptr {t}, {SHARED} {row}, i32 {k}")
            out.put(f"store {t} {number}, {SHARED} {at}, align {self._scalar.itemsize}")

    def _together(self) -> None:
        """Wait for all threads of the warp."""
        if self._lanes > 1:
            self._out.put("call void @llvm.nvvm.bar.warp.sync(i32 -1)")

    def _empty(self, argument: KernelArgument, begin: int, extent: int) -> None:
        """Store the numbers of a chunk of all rows, each thread every 32nd of them."""
        out, t, size = self._out, self._scalar.type, self._scalar.itemsize
        offset = out.let(f"mul i64 %first, %outer{argument.number}")
        start = out.let(f"getelementptr i8, {GLOBAL} %data{argument.number}, i64 {offset}")
        start = out.let(f"getelementptr i8, {GLOBAL} {start}, i64 {begin * size}")
        for k in range(extent):
            number = out.let(f"add i32 %lane, {k * self._lanes}")
            row, column = out.let(f"udiv i32 {number}, {extent}"), out.let(f"urem i32 {number}, {extent}")
            at = out.let(f"add i32 {out.let(f'mul i32 {row}, {_pitch(extent)}')}, {column}")
            staged = out.let(f"getelementptr {t}, {SHARED} %stage, i32 {at}")
            value = out.let(f"load {t}, {SHARED} {staged}, align {size}")
            self._store_if_state(row, self._address(start, argument.size, extent, number, row, column), value)

    def _address(self, start: str, size: int, extent: int, number: str, row: str, column: str) -> str:
        """The address of a number in the result; rows follow each other without gaps."""
        out, t = self._out, self._scalar.type
        further = number
        if extent < size:
            further = out.let(f"add i32 {out.let(f'mul i32 {row}, {size}')}, {column}")
        return out.let(f"getelementptr {t}, {GLOBAL} {start}, i64 {out.let(f'zext i32 {further} to i64')}")

    def _store_if_state(self, row: str, at: str, value: str) -> None:
        """A store that is skipped for rows beyond the last state."""
        out, label = self._out, f"staged{self._stores}"
        self._stores += 1
        there = out.let(f"icmp ult i32 {row}, %states.left")
        out.put(f"br i1 {there}, label %{label}, label %{label}.end")
        out.begin(label)
        out.put(f"store {self._scalar.type} {value}, {GLOBAL} {at}, align {self._scalar.itemsize}")
        out.put(f"br label %{label}.end")
        out.begin(f"{label}.end")
