"""Streaming stores of large results with the axis of states last in memory, one line of every column at a time.

If the numbers of one result, of all states, lie side by side (arrays of shape (n, states) given as ``a.T``), a
group's vector of a column begins anywhere in a line of the cache. Among those of many columns a line is streamed well
only as a whole. So the vectors of some groups, `LINES` lines of each column, are put together in a block of scratch
memory. There, a column begins as many bytes after a line, its *phase*, as in memory. A group later, when they have
reached the cache, the lines are streamed out, and the rest of the last one is moved to the beginning. The incomplete
lines at both ends of a column are stored number by number. `armdyn.targets.llvm.streaming` decides about streaming.
"""

from __future__ import annotations

from armdyn.program.ports import Port
from armdyn.targets.llvm.vectors import FunctionBody, Vector

LINE = 64
"""The size of a cache line, bytes."""

LINES = 4
"""The number of lines of a column that are streamed together."""

MOST_COLUMNS = 1024
"""The most columns of a streamed result: the block of more, which is on the stack, would not stay in the cache.
"""

_TOGETHER = LINES * LINE
_COLUMN = _TOGETHER + LINE


def block_bytes(port: Port) -> int:
    """The size of the block of a result's columns, bytes."""
    return port.size * _COLUMN if port.size <= MOST_COLUMNS else 0


def reserve_places(out: FunctionBody, number: int, port: Port) -> None:
    """Reserve the table of the places of one output's numbers in the block."""
    out.put(f"%places{number}.table = alloca [{max(port.size, 1)} x i64], align 8")


def column_functions(vector: Vector) -> list[str]:
    """The functions that `decide`, `store_columns` and `finish_columns` call: one group, shared by all programs."""
    names = {"itemsize": vector.itemsize, "line": LINE, "last": LINE - 1, "together": _TOGETHER, "column": _COLUMN}
    pieces = range(0, LINE, vector.bytes)
    first, others = FunctionBody("first"), FunctionBody("other")
    for at in pieces:
        _move(first, vector, "%line", at, at, ", !nontemporal !1")
    for at in range(LINE, _TOGETHER, vector.bytes):
        _move(others, vector, "%line", at, at, ", !nontemporal !1")
    for at in pieces:
        _move(others, vector, "%kept", at, _TOGETHER + at)
    return [_FUNCTIONS.format(first=first, others=others, **names)]


def _move(out: FunctionBody, vector: Vector, to: str, at: int, kept_at: int, hint: str = "") -> None:
    source = out.let(f"getelementptr i8, ptr %kept, i64 {kept_at}")
    piece = out.let(f"load {vector.type}, ptr {source}, align {vector.bytes}")
    target = out.let(f"getelementptr i8, ptr {to}, i64 {at}")
    out.put(f"store {vector.type} {piece}, ptr {target}, align {vector.bytes}{hint}")


def decide(out: FunctionBody, vector: Vector, number: int, port: Port) -> None:
    """Set ``%columns<number>``: columns without gaps, numbers aligned, and as many as ``%much<number>`` requires."""
    if port.size > MOST_COLUMNS:
        out.put(f"%columns{number} = and i1 false, false")
        return
    dense = out.let(f"icmp eq i64 %outer{number}, {vector.itemsize}")
    large = out.let(f"and i1 %much{number}, {dense}")
    gaps = out.let(f"xor i1 %contiguous{number}, true")
    condition = out.let(f"and i1 {large}, {gaps}")
    size = out.let(f"select i1 {condition}, i64 {port.size}, i64 0")  # else there may be no table
    whole = out.let(f"call i1 @whole_numbers(ptr %offsets{number}, i64 {size})")
    out.put(f"%columns{number} = and i1 {condition}, {whole}")
    out.put(f"br i1 %columns{number}, label %places{number}, label %chosen{number}")
    out.put(f"places{number}:")
    table = f"ptr %data{number}, ptr %offsets{number}, i64 {port.size}, ptr %places{number}.table"
    out.put(f"call void @places_of_columns({table})")
    out.put(f"br label %chosen{number}")
    out.put(f"chosen{number}:")


def store_columns(out: FunctionBody, vector: Vector, number: int, port: Port) -> None:
    """Stream the block if it is full, then put this whole group's vectors into it."""
    states = _TOGETHER // vector.itemsize
    within = out.let(f"and i64 %state, {states - 1}")
    begins = out.let(f"icmp eq i64 {within}, 0")
    follows = out.let("icmp ne i64 %state, 0")
    full = out.let(f"and i1 {begins}, {follows}")
    out.put(f"br i1 {full}, label %full{number}, label %fill{number}")
    out.put(f"full{number}:")
    done = out.let(f"mul i64 %state, {vector.itemsize}")
    out.put(f"call void @stream_columns({_columns(number, port)}, i64 {done})")
    out.put(f"br label %fill{number}")
    out.put(f"fill{number}:")
    distance = out.let(f"mul i64 {within}, {vector.itemsize}")
    to = out.let(f"getelementptr i8, ptr %block{number}, i64 {distance}")
    group = f"ptr {to}, i64 {vector.itemsize}, i64 %last, ptr %values, i1 false, ptr %places{number}.table"
    out.put(f"call void @store{number}({group})")


def finish_columns(out: FunctionBody, vector: Vector, results: list[tuple[int, Port]]) -> None:
    """After the last group: store the rest of the block."""
    for number, port in results:
        out.put(f"br i1 %columns{number}, label %ends{number}, label %complete{number}")
        out.put(f"ends{number}:")
        placed = out.let(f"and i64 %count, {-vector.lanes}")
        done = out.let(f"mul i64 {placed}, {vector.itemsize}")
        out.put(f"call void @end_columns({_columns(number, port)}, i64 {done})")
        out.put("call void @llvm.x86.sse.sfence()")
        out.put(f"br label %complete{number}")
        out.put(f"complete{number}:")


def _columns(number: int, port: Port) -> str:
    return f"ptr %data{number}, ptr %offsets{number}, i64 {port.size}, ptr %block{number}"


# %done: bytes of every column that were computed; @stream_columns is called when the block is full of them.
_FUNCTIONS = """\
define internal void @places_of_columns(ptr %data, ptr %offsets, i64 %size, ptr %places) #0 {{
entry:
  br label %column
column:
  %k = phi i64 [ 0, %entry ], [ %next, %column ]
  %offset.at = getelementptr i64, ptr %offsets, i64 %k
  %offset = load i64, ptr %offset.at
  %start = getelementptr i8, ptr %data, i64 %offset
  %address = ptrtoint ptr %start to i64
  %phase = and i64 %address, {last}
  %distance = mul i64 %k, {column}
  %place = add i64 %distance, %phase
  %place.at = getelementptr i64, ptr %places, i64 %k
  store i64 %place, ptr %place.at
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %size
  br i1 %more, label %column, label %return
return:
  ret void
}}

define internal void @stream_columns(ptr %data, ptr %offsets, i64 %size, ptr noalias %block, i64 %done) #0 {{
entry:
  %before = sub i64 %done, {together}
  %beginning = icmp eq i64 %before, 0
  br label %column
column:
  %k = phi i64 [ 0, %entry ], [ %next, %others ]
  %kept = phi ptr [ %block, %entry ], [ %kept.next, %others ]
  %offset.at = getelementptr i64, ptr %offsets, i64 %k
  %offset = load i64, ptr %offset.at
  %start = getelementptr i8, ptr %data, i64 %offset
  %from = getelementptr i8, ptr %start, i64 %before
  %line = call ptr @llvm.ptrmask.p0.i64(ptr %from, i64 -{line})
  br i1 %beginning, label %part, label %whole
part:
  %address = ptrtoint ptr %start to i64
  %phase = and i64 %address, {last}
  %part.at = getelementptr i8, ptr %kept, i64 %phase
  %length = sub i64 {line}, %phase
  call void @copy_numbers(ptr %start, ptr %part.at, i64 %length)
  br label %others
whole:
{first}
  br label %others
others:
{others}
  %kept.next = getelementptr i8, ptr %kept, i64 {column}
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %size
  br i1 %more, label %column, label %return
return:
  ret void
}}

define internal void @end_columns(ptr %data, ptr %offsets, i64 %size, ptr %block, i64 %done) #0 {{
entry:
  %latest = sub i64 %done, 1
  %streamed = and i64 %latest, -{together}
  %beginning = icmp eq i64 %streamed, 0
  %left = sub i64 %done, %streamed
  br label %column
column:
  %k = phi i64 [ 0, %entry ], [ %next, %column ]
  %offset.at = getelementptr i64, ptr %offsets, i64 %k
  %offset = load i64, ptr %offset.at
  %start = getelementptr i8, ptr %data, i64 %offset
  %address = ptrtoint ptr %start to i64
  %phase = and i64 %address, {last}
  %carried = select i1 %beginning, i64 0, i64 %phase
  %skipped = sub i64 %phase, %carried
  %distance = mul i64 %k, {column}
  %kept = getelementptr i8, ptr %block, i64 %distance
  %from = getelementptr i8, ptr %kept, i64 %skipped
  %to.distance = sub i64 %streamed, %carried
  %to = getelementptr i8, ptr %start, i64 %to.distance
  %length = add i64 %left, %carried
  call void @copy_numbers(ptr %to, ptr %from, i64 %length)
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %size
  br i1 %more, label %column, label %return
return:
  ret void
}}

define internal i1 @whole_numbers(ptr %offsets, i64 %size) #0 {{
entry:
  br label %check
check:
  %k = phi i64 [ 0, %entry ], [ %next, %look ]
  %more = icmp ult i64 %k, %size
  br i1 %more, label %look, label %whole
look:
  %offset.at = getelementptr i64, ptr %offsets, i64 %k
  %offset = load i64, ptr %offset.at
  %part = urem i64 %offset, {itemsize}
  %next = add i64 %k, 1
  %fine = icmp eq i64 %part, 0
  br i1 %fine, label %check, label %broken
whole:
  ret i1 true
broken:
  ret i1 false
}}
"""
