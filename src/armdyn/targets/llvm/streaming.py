"""Streaming stores of large results: non-temporal hints write memory past the cache, without reading it first.

A result array of many megabytes does not stay in the cache until it is read. Ordinary stores would fetch each of
its lines before they overwrite it, which is half of the traffic that bounds such a loop. So a group's rows are put
together in a block of scratch memory and streamed out from there, a group later, when they have reached the cache.
Only results of at least `STREAMED_BYTES` are streamed.

A streaming store requires an address that is a multiple of its size, and NumPy's arrays begin *phase* bytes after one.
Groups follow each other without gaps, and the rows of a group are a whole number of vectors long. So the block begins
with the same phase and has one vector more than a group's rows; its last vector, not yet complete, is carried over to
become the first one of the next group. The incomplete vectors at both ends of the array are stored number by number.
"""

from __future__ import annotations

from armdyn.program.ports import Port
from armdyn.targets.llvm.arguments import side_by_side
from armdyn.targets.llvm.streaming_columns import block_bytes, reserve_places
from armdyn.targets.llvm.vectors import FunctionBody, Vector

STREAMED_BYTES = 1 << 23
"""The least total size of streamed results, bytes: 8 MiB, more than one thread's part of a shared cache."""

_PAGE = 4096
"""The size of a memory page, bytes: a store across its end costs as much as streaming a few dozen lines."""

_UNROLLED = 8
"""The number of vectors copied between two jumps."""


def can_stream(triple: str) -> bool:
    """True on processors with a fence supported here, x86-64; elsewhere all stores are ordinary ones."""
    return triple.startswith("x86_64")


def stream_functions(vector: Vector, outputs: tuple[Port, ...]) -> list[str]:
    """``@stream_<size>`` for each size of output, and the function that they call, in groups that programs share."""
    sizes = sorted({port.size for port in outputs})
    return [_COPY_NUMBERS.format(itemsize=vector.itemsize, scalar=vector.scalar)] + [
        _stream_function(vector, size) for size in sizes
    ]


def _stream_function(vector: Vector, size: int) -> str:
    """``@stream_<size>`` copies a block of ``size`` vectors to ``%data``, the address of a group's rows.

    The memory before the ``%first`` group does not belong to the array.
    """
    out = FunctionBody()
    out.put("entry:")
    back = out.let("sub i64 0, %phase")
    out.put(f"%lines = getelementptr i8, ptr %data, i64 {back}")
    shifted = out.let("icmp ne i64 %phase, 0")
    incomplete = out.let(f"and i1 %first, {shifted}")
    out.put(f"br i1 {incomplete}, label %beginning, label %whole")
    out.put("beginning:")
    start = out.let("getelementptr i8, ptr %block, i64 %phase")
    count = out.let(f"sub i64 {vector.bytes}, %phase")
    out.put(f"call void @copy_numbers(ptr %data, ptr {start}, i64 {count})")
    out.put("br label %others")
    out.put("whole:")
    _copy(out, vector, "0")
    out.put("br label %others")
    out.put("others:")
    many = (size - 1) // _UNROLLED * _UNROLLED
    if many:
        out.put("br label %copy")
        out.put("copy:")
        out.put(f"%at = phi i64 [ {vector.bytes}, %others ], [ %next, %copy ]")
        for k in range(_UNROLLED):
            _copy(out, vector, out.let(f"add i64 %at, {k * vector.bytes}"))
        out.put(f"%next = add i64 %at, {_UNROLLED * vector.bytes}")
        out.put(f"%more = icmp ult i64 %next, {(many + 1) * vector.bytes}")
        out.put("br i1 %more, label %copy, label %rest")
        out.put("rest:")
    for k in range(many + 1, size):
        _copy(out, vector, str(k * vector.bytes))
    last = out.let(f"getelementptr i8, ptr %block, i64 {size * vector.bytes}")
    carried = out.let(f"load {vector.type}, ptr {last}, align {vector.bytes}")
    out.put(f"store {vector.type} {carried}, ptr %block, align {vector.bytes}")
    parameters = "ptr noalias %data, ptr noalias %block, i64 %phase, i1 %first"
    return f"define internal void @stream_{size}({parameters}) #0 {{\n{out}\n  ret void\n}}\n"


def _copy(out: FunctionBody, vector: Vector, offset: str) -> None:
    source = out.let(f"getelementptr i8, ptr %block, i64 {offset}")
    target = out.let(f"getelementptr i8, ptr %lines, i64 {offset}")
    piece = out.let(f"load {vector.type}, ptr {source}, align {vector.bytes}")
    out.put(f"store {vector.type} {piece}, ptr {target}, align {vector.bytes}, !nontemporal !1")


_COPY_NUMBERS = """\
define internal void @copy_numbers(ptr noalias %to, ptr noalias %from, i64 %bytes) #0 {{
entry:
  br label %check
check:
  %at = phi i64 [ 0, %entry ], [ %next, %copy ]
  %more = icmp ult i64 %at, %bytes
  br i1 %more, label %copy, label %done
copy:
  %source = getelementptr i8, ptr %from, i64 %at
  %target = getelementptr i8, ptr %to, i64 %at
  %number = load {scalar}, ptr %source
  store {scalar} %number, ptr %target
  %next = add i64 %at, {itemsize}
  br label %check
done:
  ret void
}}
"""


def reserve(out: FunctionBody, vector: Vector, number: int, port: Port) -> None:
    """Reserve scratch memory for one output's block of rows or columns; rows lie within a page if they fit."""
    rows = (port.size + 1) * vector.bytes
    alignment = min(1 << (rows - 1).bit_length(), _PAGE)
    out.put(f"%block{number} = alloca [{max(rows, block_bytes(port))} x i8], align {alignment}")
    reserve_places(out, number, port)


def decide(out: FunctionBody, vector: Vector, number: int, port: Port, numbers: int) -> None:
    """Set ``%phase<number>``, ``%much<number>``, and ``%streams<number>``: much, and rows without gaps.

    ``%much`` requires a whole group, aligned numbers, and many of them: all results, ``numbers`` of them per state,
    compete for one cache, so their total size counts.
    """
    total = out.let(f"mul i64 %states, {numbers * vector.itemsize}")
    much = out.let(f"icmp uge i64 {total}, {STREAMED_BYTES}")
    group = out.let(f"icmp uge i64 %count, {vector.lanes}")
    large = out.let(f"and i1 {much}, {group}")
    address = out.let(f"ptrtoint ptr %data{number} to i64")
    out.put(f"%phase{number} = and i64 {address}, {vector.bytes - 1}")
    low = out.let(f"and i64 {address}, {vector.itemsize - 1}")
    aligned = out.let(f"icmp eq i64 {low}, 0")
    out.put(f"%much{number} = and i1 {large}, {aligned}")
    rows = side_by_side(out, number, port.size * vector.itemsize)
    out.put(f"%streams{number} = and i1 %much{number}, {rows}")


def store_streamed(out: FunctionBody, vector: Vector, number: int, port: Port) -> None:
    """Stream the previous group's rows, then put this whole group's into the block."""
    row = port.size * vector.itemsize
    follows = out.let("icmp ne i64 %state, 0")
    out.put(f"br i1 {follows}, label %previous{number}, label %place{number}")
    out.put(f"previous{number}:")
    _stream(out, vector, number, port, "%state")
    out.put(f"br label %place{number}")
    out.put(f"place{number}:")
    rows = out.let(f"getelementptr i8, ptr %block{number}, i64 %phase{number}")
    out.put(f"call void @store{number}(ptr {rows}, i64 {row}, i64 %last, ptr %values, i1 true, ptr %offsets{number})")


def _stream(out: FunctionBody, vector: Vector, number: int, port: Port, end: str) -> None:
    """Stream the block of the group that ends before state ``end``."""
    state = out.let(f"sub i64 {end}, {vector.lanes}")
    distance = out.let(f"mul i64 {state}, {port.size * vector.itemsize}")
    data = out.let(f"getelementptr i8, ptr %data{number}, i64 {distance}")
    first = out.let(f"icmp eq i64 {state}, 0")
    out.put(f"call void @stream_{port.size}(ptr {data}, ptr %block{number}, i64 %phase{number}, i1 {first})")


def finish(out: FunctionBody, vector: Vector, results: list[tuple[int, Port]]) -> None:
    """After the last group: stream the rest, and fence, so that all is in memory before the loop returns."""
    for number, port in results:
        out.put(f"br i1 %streams{number}, label %left{number}, label %ended{number}")
        out.put(f"left{number}:")
        end = out.let(f"and i64 %count, {-vector.lanes}")
        _stream(out, vector, number, port, end)
        distance = out.let(f"mul i64 {end}, {port.size * vector.itemsize}")
        complete = out.let(f"sub i64 {distance}, %phase{number}")
        data = out.let(f"getelementptr i8, ptr %data{number}, i64 {complete}")
        out.put(f"call void @copy_numbers(ptr {data}, ptr %block{number}, i64 %phase{number})")
        out.put("call void @llvm.x86.sse.sfence()")
        out.put(f"br label %ended{number}")
        out.put(f"ended{number}:")
