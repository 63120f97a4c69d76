"""Large results with the axis of states last in memory, stored past the cache a line of every column at a time.

Where the numbers of one result, of all states, lie side by side (arrays of shape (n, states) given as ``a.T``), a
group's vector of a column is as long as a line of the cache, but begins *phase* bytes after one. So the vector of the
group before is kept, and the line is put together of the end of that one and the beginning of this one. What is
missing at both ends of a column is stored number by number. `armdyn.targets.llvm.streaming` says when it pays.
"""

from __future__ import annotations

from armdyn.program.program import Port
from armdyn.targets.llvm.machine import Machine
from armdyn.targets.llvm.vectors import Lines, Vector

LINE = 64
"""Bytes of a line of the cache."""


def can_stream_columns(vector: Vector, machine: Machine) -> bool:
    """Whether a vector is a whole line, which alone is streamed well among many others, and can be put together."""
    return machine.has("avx512f") and vector.bytes == LINE


def column_functions(vector: Vector) -> list[str]:
    """``@stream_columns``, ``@end_columns`` and ``@whole_numbers``: one group, that all programs share."""
    kind, integer = ("pd", "i64") if vector.scalar == "double" else ("ps", "i32")
    names = {
        "V": vector.type,
        "I": f"<{vector.lanes} x {integer}>",
        "integer": integer,
        "lanes": vector.lanes,
        "itemsize": vector.itemsize,
        "last": LINE - 1,
        "line": LINE,
        "shift": vector.itemsize.bit_length() - 1,
        "iota": ", ".join(f"{integer} {lane}" for lane in range(vector.lanes)),
        "permute": f"llvm.x86.avx512.vpermi2var.{kind}.512",
        "narrow": "" if integer == "i64" else "%shift.word = trunc i64 %shift to i32",
        "shift_word": "%shift" if integer == "i64" else "%shift.word",
    }
    return [_FUNCTIONS.format(**names)]


def decide(out: Lines, vector: Vector, number: int, port: Port) -> None:
    """Set ``%columns<number>``: columns without gaps, numbers aligned, and as many as ``%much<number>`` asks for."""
    dense = out.let(f"icmp eq i64 %outer{number}, {vector.itemsize}")
    large = out.let(f"and i1 %much{number}, {dense}")
    gaps = out.let(f"xor i1 %contiguous{number}, true")
    wanted = out.let(f"and i1 {large}, {gaps}")
    size = out.let(f"select i1 {wanted}, i64 {port.size}, i64 0")  # else there may be no table
    whole = out.let(f"call i1 @whole_numbers(ptr %offsets{number}, i64 {size})")
    out.put(f"%columns{number} = and i1 {wanted}, {whole}")


def store_columns(out: Lines, vector: Vector, number: int, port: Port) -> None:
    """Stream a whole group's lines."""
    distance = out.let(f"mul i64 %state, {vector.itemsize}")
    data = out.let(f"getelementptr i8, ptr %data{number}, i64 {distance}")
    first = out.let("icmp eq i64 %state, 0")
    out.put(
        f"call void @stream_columns(ptr {data}, ptr %values, ptr %block{number}, ptr %offsets{number}, "
        f"ptr @slots{number}, i64 {port.size}, i1 {first})"
    )


def finish_columns(out: Lines, vector: Vector, results: list[tuple[int, Port]]) -> None:
    """After the last group: store the ends of the columns."""
    for number, port in results:
        out.put(f"br i1 %columns{number}, label %ends{number}, label %complete{number}")
        out.put(f"ends{number}:")
        end = out.let(f"and i64 %count, {-vector.lanes}")
        distance = out.let(f"mul i64 {end}, {vector.itemsize}")
        data = out.let(f"getelementptr i8, ptr %data{number}, i64 {distance}")
        out.put(f"call void @end_columns(ptr {data}, ptr %block{number}, ptr %offsets{number}, i64 {port.size})")
        out.put("call void @llvm.x86.sse.sfence()")
        out.put(f"br label %complete{number}")
        out.put(f"complete{number}:")


_FUNCTIONS = """\
declare {V} @{permute}({V}, {I}, {V})

define internal void @stream_columns(
    ptr %data, ptr %scratch, ptr %block, ptr %offsets, ptr %slots, i64 %size, i1 %first
) #0 {{
entry:
  br label %column
column:
  %k = phi i64 [ 0, %entry ], [ %next, %stored ]
  %offset.at = getelementptr i64, ptr %offsets, i64 %k
  %offset = load i64, ptr %offset.at
  %at = getelementptr i8, ptr %data, i64 %offset
  %slot.at = getelementptr i64, ptr %slots, i64 %k
  %slot = load i64, ptr %slot.at
  %new.at = getelementptr {V}, ptr %scratch, i64 %slot
  %new = load {V}, ptr %new.at
  %kept.at = getelementptr {V}, ptr %block, i64 %k
  %address = ptrtoint ptr %at to i64
  %phase = and i64 %address, {last}
  br i1 %first, label %beginning, label %whole
beginning:
  %rest = sub i64 {line}, %phase
  call void @copy_numbers(ptr %at, ptr %new.at, i64 %rest)
  br label %stored
whole:
  %old = load {V}, ptr %kept.at
  %numbers = lshr i64 %phase, {shift}
  %shift = sub i64 {lanes}, %numbers
  {narrow}
  %one = insertelement {I} poison, {integer} {shift_word}, i64 0
  %all = shufflevector {I} %one, {I} poison, <{lanes} x i32> zeroinitializer
  %from = add {I} %all, <{iota}>
  %line = call {V} @{permute}({V} %old, {I} %from, {V} %new)
  %back = sub i64 0, %phase
  %to = getelementptr i8, ptr %at, i64 %back
  store {V} %line, ptr %to, align {line}, !nontemporal !1
  br label %stored
stored:
  store {V} %new, ptr %kept.at
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %size
  br i1 %more, label %column, label %end
end:
  ret void
}}

define internal void @end_columns(ptr %data, ptr %block, ptr %offsets, i64 %size) #0 {{
entry:
  br label %column
column:
  %k = phi i64 [ 0, %entry ], [ %next, %column ]
  %offset.at = getelementptr i64, ptr %offsets, i64 %k
  %offset = load i64, ptr %offset.at
  %at = getelementptr i8, ptr %data, i64 %offset
  %address = ptrtoint ptr %at to i64
  %phase = and i64 %address, {last}
  %back = sub i64 0, %phase
  %to = getelementptr i8, ptr %at, i64 %back
  %after = add i64 %k, 1
  %kept.end = getelementptr {V}, ptr %block, i64 %after
  %from = getelementptr i8, ptr %kept.end, i64 %back
  call void @copy_numbers(ptr %to, ptr %from, i64 %phase)
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %size
  br i1 %more, label %column, label %end
end:
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
