"""Prefetching of cache lines for large results with gaps between states.

Such results are not streamed (`armdyn.targets.llvm.streaming`), because a line may contain numbers of other arrays, and
a processor does not predict the addresses of the next states in time. So the lines of a group's states are prefetched
while the previous group is computed, some of them before each part of the program: all at once would be more lines than
a core can have in flight.
"""

from __future__ import annotations

from armdyn.program.ports import Port
from armdyn.targets.llvm.streaming_columns import LINE
from armdyn.targets.llvm.vectors import FunctionBody, Vector


def decide(out: FunctionBody, vector: Vector, number: int, port: Port) -> None:
    """Set ``%span<number>``, the bytes of a state's numbers and the gaps between them, and ``%fetches<number>``.

    The latter is set if the result is large and not streamed, the last number lies after the first, and there are no
    more lines between them than numbers.
    """
    last = out.let(f"getelementptr i64, ptr %offsets{number}, i64 {max(port.size, 1) - 1}")
    distance = out.let(f"load i64, ptr {last}")  # undefined if there are no gaps
    close = port.size * vector.itemsize
    span = out.let(f"add i64 {distance}, {vector.itemsize}")
    out.put(f"%span{number} = select i1 %contiguous{number}, i64 {close}, i64 {span}")
    behind = out.let(f"icmp sge i64 %span{number}, {vector.itemsize}")
    close_by = out.let(f"icmp sle i64 %span{number}, {port.size * LINE}")
    near = out.let(f"and i1 {behind}, {close_by}")
    streamed = out.let(f"or i1 %streams{number}, %columns{number}")
    others = out.let(f"xor i1 {streamed}, true")
    much = out.let(f"and i1 %much{number}, {others}")
    out.put(f"%fetches{number} = and i1 {much}, {near}")


def fetch_ahead(out: FunctionBody, vector: Vector, results: list[tuple[int, Port]], part: int, parts: int) -> None:
    """Prefetch the lines of some states of the next group, before this part of the program."""
    first, end = (vector.lanes * k // parts for k in (part, part + 1))
    if first == end:
        return
    for number, _ in results:
        here = f"{number}.{part}"
        out.put(f"br i1 %fetches{number}, label %fetch{here}, label %fetched{here}")
        out.put(f"fetch{here}:")
        distance = out.let(f"mul i64 {out.let(f'add i64 %state, {vector.lanes + first}')}, %outer{number}")
        states = out.let(f"getelementptr i8, ptr %data{number}, i64 {distance}")
        out.put(f"call void @fetch_states(ptr {states}, i64 %outer{number}, i64 %span{number}, i64 {end - first})")
        out.put(f"br label %fetched{here}")
        out.put(f"fetched{here}:")


FUNCTION = f"""\
define internal void @fetch_states(ptr %states, i64 %outer, i64 %span, i64 %count) #0 {{
entry:
  %latest = sub i64 %span, 1
  br label %state
state:
  %k = phi i64 [ 0, %entry ], [ %k.next, %last ]
  %distance = mul i64 %k, %outer
  %row = getelementptr i8, ptr %states, i64 %distance
  br label %line
line:
  %at = phi i64 [ 0, %state ], [ %at.next, %line ]
  %line.at = getelementptr i8, ptr %row, i64 %at
  call void @llvm.prefetch.p0(ptr %line.at, i32 1, i32 3, i32 1)
  %at.next = add i64 %at, {LINE}
  %more.lines = icmp ult i64 %at.next, %latest
  br i1 %more.lines, label %line, label %last
last:
  %last.at = getelementptr i8, ptr %row, i64 %latest
  call void @llvm.prefetch.p0(ptr %last.at, i32 1, i32 3, i32 1)
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %count
  br i1 %more, label %state, label %return
return:
  ret void
}}
"""
"""``@fetch_states`` prefetches each of ``%count`` states, from the first to the last byte; shared by all programs."""
