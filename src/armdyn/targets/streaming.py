"""Large results past the cache: blocks stored with non-temporal hints, so that memory is written without being read.

A result array of many megabytes does not stay in the cache until anybody reads it. Ordinary stores would fetch each of
its lines before they overwrite it, and that is half of the traffic that bounds such a loop. So a group's rows are put
together in a block of scratch memory and streamed out from there. Only where that pays: see `_STREAMED_BYTES`.
"""

from __future__ import annotations

from armdyn.program.program import Port
from armdyn.targets.vectors import Lines, Vector

_STREAMED_BYTES = 1 << 23
"""Results at least as large are streamed: 8 MiB, more than what is left of a shared cache for one thread."""

_UNIT = 16
"""Bytes of one streaming store, and its alignment, which NumPy's large arrays have."""


def can_stream(triple: str) -> bool:
    """Whether this module knows the processor's fence; elsewhere all stores are ordinary ones."""
    return triple.startswith("x86_64")


def stream_function(vector: Vector) -> str:
    """``@stream``: copies ``%bytes``, a multiple of a vector's, from a block to memory, not through the cache."""
    out = Lines()
    out.put("entry:")
    out.put("br label %copy")
    out.put("copy:")
    out.put("%at = phi i64 [ 0, %entry ], [ %next, %copy ]")
    for start in range(0, vector.bytes, _UNIT):
        offset = out.let(f"add i64 %at, {start}")
        source = out.let(f"getelementptr i8, ptr %block, i64 {offset}")
        target = out.let(f"getelementptr i8, ptr %data, i64 {offset}")
        piece = out.let(f"load <2 x double>, ptr {source}, align {_UNIT}")
        out.put(f"store <2 x double> {piece}, ptr {target}, align {_UNIT}, !nontemporal !1")
    out.put(f"%next = add i64 %at, {vector.bytes}")
    out.put("%more = icmp ult i64 %next, %bytes")
    out.put("br i1 %more, label %copy, label %done")
    out.put("done:")
    out.put("ret void")
    return f"define internal void @stream(ptr noalias %data, ptr noalias %block, i64 %bytes) #0 {{\n{out}\n}}\n"


def block_size(vector: Vector, outputs: tuple[Port, ...]) -> int:
    """Numbers of the largest output's group."""
    return vector.lanes * max((port.size for port in outputs), default=1)


def decide(out: Lines, vector: Vector, number: int, port: Port) -> None:
    """Set ``%streams<number>``: rows without gaps, aligned, and many."""
    row = port.size * vector.itemsize
    packed = out.let(f"icmp eq i64 %outer{number}, {row}")
    total = out.let(f"mul i64 %count, {row}")
    large = out.let(f"icmp uge i64 {total}, {_STREAMED_BYTES}")
    address = out.let(f"ptrtoint ptr %data{number} to i64")
    low = out.let(f"and i64 {address}, {_UNIT - 1}")
    aligned = out.let(f"icmp eq i64 {low}, 0")
    both = out.let(f"and i1 {packed}, {large}")
    all_three = out.let(f"and i1 {both}, {aligned}")
    out.put(f"%streams{number} = and i1 {all_three}, %contiguous{number}")


def store_streamed(out: Lines, vector: Vector, number: int, port: Port, data: str, scratch: str) -> None:
    """Store a whole group's rows through the block."""
    row = port.size * vector.itemsize
    out.put(
        f"call void @store_{port.size}(ptr %block, i64 {row}, i64 %last, ptr {scratch}, i1 true, ptr %offsets{number})"
    )
    out.put(f"call void @stream(ptr {data}, ptr %block, i64 {row * vector.lanes})")


def fence(out: Lines, numbers: list[int]) -> None:
    """After the last group: what was streamed is in memory before anybody is told that it is there."""
    streamed = "false"
    for number in numbers:
        streamed = out.let(f"or i1 {streamed}, %streams{number}")
    out.put(f"br i1 {streamed}, label %fence, label %fenced")
    out.put("fence:")
    out.put("call void @llvm.x86.sse.sfence()")
    out.put("br label %fenced")
    out.put("fenced:")
