"""Transfer between NumPy's layout, state after state, and that of kernels, one vector register of states per scalar.

Scratch memory holds one vector per scalar, one state per lane. There are four ways to load and store:

- *rows*: the numbers of a state are contiguous. Pieces of the rows are transposed in registers.
- *columns*: the states of a number are contiguous, as in arrays of shape (n, states) given as ``a.T``. Vectors are read
  and written unchanged.
- *runs*: the last axis of a result is contiguous, the others are not, as in a block of larger matrices. Each run is
  moved as a row is.
- *elements*: any other strides. Numbers are gathered and scattered one by one.

All but the first find the numbers by a table of their byte offsets in a state. Lanes beyond the last state repeat it:
they read and write the numbers of that state, so no masks are needed. A group with such lanes has no columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from armdyn.program.ports import Port
from armdyn.targets.llvm.streaming_columns import LINE
from armdyn.targets.llvm.transposition import load_piece, pieces, store_piece
from armdyn.targets.llvm.vectors import FunctionBody, Vector, slot_pointer

_PIECES, _NUMBERS = 16, 128
"""The most moves of one function, pieces of rows or columns: compile time grows much faster than its length."""

_TOGETHER = 2
"""Numbers that are gathered or scattered between two jumps."""

_AHEAD = 256
"""Bytes from a column's vector to the prefetched one: processors track fewer columns than an arm may have."""

Column = tuple[int, float | None]
"""The slot of a result in scratch memory, and its value if that is a constant."""

Move = TypeVar("Move", int, tuple[int, int])
"""A number of a state, or a piece of its row: start and width."""


def _loader(vector: Vector, size: int) -> str:
    """The function ``@load_<size>`` for arrays of ``size`` numbers per state, which are stored side by side.

    ``%data`` points to the first state of a group, ``%outer`` is the stride from state to state, ``%last`` the last
    valid lane; ``%contiguous`` and ``%offsets`` are the results of ``@layout`` for the numbers of one state.
    """

    def row(out: FunctionBody, places: list[str], start: int, width: int) -> None:
        for k, column in enumerate(load_piece(out, vector, places, width)):
            _put(out, vector, slot_pointer(out, vector, "%scratch", start + k), column)

    def column(out: FunctionBody, place: str, k: int) -> None:
        _prefetch(out, place, writes=False)
        states = out.let(f"load {vector.type}, ptr {place}, align 1")
        _put(out, vector, slot_pointer(out, vector, "%scratch", k), states)

    def others(out: FunctionBody) -> None:
        out.put(f"call void @load_elements({_GROUP}, i64 {size})")

    return _function(f"load_{size}", vector, size, row, column, others)


def storer(vector: Vector, number: int, columns: Sequence[Column], run: int) -> str:
    """The function ``@store<number>`` for one result, whose numbers lie anywhere in scratch memory.

    Its arguments are those of ``@load_<size>``; ``run`` is the `run_length` of the result's shape.
    """

    def row(out: FunctionBody, places: list[str], start: int, width: int) -> None:
        store_piece(out, vector, places, [_column(out, vector, one) for one in columns[start : start + width]])

    def column(out: FunctionBody, place: str, k: int) -> None:
        if vector.bytes < LINE:  # of whole lines, those of large results are streamed
            _prefetch(out, place, writes=True)
        out.put(f"store {vector.type} {_column(out, vector, columns[k])}, ptr {place}, align 1")

    def others(out: FunctionBody) -> None:
        if run > 1:
            close = out.let(f"icmp eq i64 {_entry(out, '%offsets', 1)}, {vector.itemsize}")
            out.put(f"br i1 {close}, label %runs, label %elements")
            out.put("runs:")
            out.put(f"call void @store_runs_{run}({_GROUP}, i64 {size}, ptr @slots{number})")
            out.put("ret void")
            out.put("elements:")
        out.put(f"call void @store_runs_1({_GROUP}, i64 {size}, ptr @slots{number})")

    size, slots = len(columns), ", ".join(f"i64 {slot}" for slot, _ in columns)
    return (
        f"@slots{number} = private unnamed_addr constant [{size} x i64] [{slots}]\n"
        f"{_function(f'store{number}', vector, size, row, column, others)}"
    )


def run_length(shape: Sequence[int]) -> int:
    """The numbers along the last axis; 1 if that is the only one, or too long for one function."""
    return shape[-1] if len(shape) > 1 and shape[-1] <= _NUMBERS else 1


_GROUP = "ptr %data, i64 %outer, i64 %last, ptr %scratch, ptr %offsets"
_PARAMETERS = "ptr noalias %data, i64 %outer, i64 %last, ptr noalias %scratch, ptr %offsets"


def _function(
    name: str,
    vector: Vector,
    size: int,
    row: Callable[[FunctionBody, list[str], int, int], None],
    column: Callable[[FunctionBody, str, int], None],
    others: Callable[[FunctionBody], None],
) -> str:
    """The function ``@<name>``, which chooses the way of transfer of a group.

    ``row(out, places, start, width)`` moves a piece of every state's row, ``column(out, place, k)`` the number k of all
    states; ``others(out)`` moves all numbers of any other layout.
    """

    def rows(out: FunctionBody, moves: Sequence[tuple[int, int]]) -> None:
        states = _state_pointers(out, vector)
        for start, width in moves:
            row(out, [_place(out, state, start * vector.itemsize) for state in states], start, width)

    def columns(out: FunctionBody, moves: Sequence[int]) -> None:
        for k in moves:
            column(out, _place(out, "%data", _entry(out, "%offsets", k)), k)

    out = FunctionBody()
    out.put("br i1 %contiguous, label %rows, label %gaps")
    out.put("rows:")
    parts = _in_parts(out, f"{name}.rows", rows, pieces(vector, size), _PIECES)
    out.put("ret void")
    out.put("gaps:")
    dense = out.let(f"icmp eq i64 %outer, {vector.itemsize}")
    whole = out.let(f"icmp eq i64 %last, {vector.lanes - 1}")
    out.put(f"br i1 {out.let(f'and i1 {dense}, {whole}')}, label %columns, label %others")
    out.put("columns:")
    parts += _in_parts(out, f"{name}.columns", columns, range(size), _NUMBERS)
    out.put("ret void")
    out.put("others:")
    others(out)
    out.put("ret void")
    parameters = "ptr noalias %data, i64 %outer, i64 %last, ptr noalias %scratch, i1 %contiguous, ptr %offsets"
    return "".join([*parts, f"define internal void @{name}({parameters}) #0 {{\n{out}\n}}\n"])


def _in_parts(
    out: FunctionBody,
    name: str,
    write: Callable[[FunctionBody, Sequence[Move]], None],
    moves: Sequence[Move],
    longest: int,
) -> list[str]:
    """Append the moves, or calls of functions with ``longest`` moves each; returns those functions."""
    if len(moves) <= longest:
        write(out, moves)
        return []
    functions = []
    for number, first in enumerate(range(0, len(moves), longest)):
        body = FunctionBody()
        write(body, moves[first : first + longest])
        functions.append(f"define internal void @{name}{number}({_PARAMETERS}) #0 {{\n{body}\n  ret void\n}}\n")
        out.put(f"call void @{name}{number}({_GROUP})")
    return functions


def layout_functions(vector: Vector, inputs: Sequence[Port], outputs: Sequence[Port]) -> list[str]:
    """The functions that transfer numbers of these arrays, in groups that programs share.

    ``@layout``, ``@load_elements`` and ``@store_runs_1`` are for all arrays, ``@load_<size>`` for inputs of a size, and
    ``@store_runs_<run>`` for results with a last axis of that length.
    """
    sizes = sorted({port.size for port in inputs})
    runs = sorted({run_length(port.shape) for port in outputs} - {1})
    return [
        "".join([_LAYOUT.format(itemsize=vector.itemsize), _load_elements(vector), _store_runs(vector, 1)]),
        *(_loader(vector, size) for size in sizes),
        *(_store_runs(vector, run) for run in runs),
    ]


def _load_elements(vector: Vector) -> str:
    """``@load_elements`` copies ``%size`` numbers from the places in the table to consecutive slots.

    Volatile stores stay whole. Sections read whole vectors back, and would wait for one that was written in halves.
    """

    def several(out: FunctionBody, states: list[str], first: str) -> None:
        offsets, slots = _word(out, "%offsets", first), _slot(out, vector, first)
        for k in range(_TOGETHER):
            offset = _entry(out, offsets, k)
            (column,) = load_piece(out, vector, [_place(out, state, offset) for state in states], 1)
            to = slot_pointer(out, vector, slots, k)
            out.put(f"store volatile {vector.type} {column}, ptr {to}, align {vector.bytes}")

    body = _loop(vector, _TOGETHER, several)
    return f"define internal void @load_elements({_PARAMETERS}, i64 %size) #0 {{\n{body}\n}}\n"


def _store_runs(vector: Vector, run: int) -> str:
    """``@store_runs_<run>`` copies ``%size`` numbers from the slots of a table to places of another, run by run."""
    moves = pieces(vector, run) if run > 1 else [(k, 1) for k in range(_TOGETHER)]
    together = max(run, _TOGETHER)

    def several(out: FunctionBody, states: list[str], first: str) -> None:
        offsets, slots = _word(out, "%offsets", first), _word(out, "%slots", first)
        for start, width in moves:
            offset = _entry(out, offsets, start)
            places = [_place(out, state, offset) for state in states]
            froms = [_slot(out, vector, _entry(out, slots, k)) for k in range(start, start + width)]
            columns = [out.let(f"load {vector.type}, ptr {slot}, align {vector.bytes}") for slot in froms]
            store_piece(out, vector, places, columns)

    body = _loop(vector, together, several)
    return f"define internal void @store_runs_{run}({_PARAMETERS}, i64 %size, ptr %slots) #0 {{\n{body}\n}}\n"


def _loop(vector: Vector, step: int, several: Callable[[FunctionBody, list[str], str], None]) -> FunctionBody:
    """The body of a function that moves ``step`` numbers at a time; the last moves may overlap."""
    out = FunctionBody()
    out.put("entry:")
    states = _state_pointers(out, vector)
    latest = out.let(f"sub i64 %size, {step}")
    out.put("br label %several")
    out.put("several:")
    out.put("%k = phi i64 [ 0, %entry ], [ %next, %several ]")
    several(out, states, out.let(f"call i64 @llvm.umin.i64(i64 %k, i64 {latest})"))
    out.put(f"%next = add i64 %k, {step}")
    out.put(f"br i1 {out.let('icmp ult i64 %next, %size')}, label %several, label %end")
    out.put("end:")
    out.put("ret void")
    return out


def _state_pointers(out: FunctionBody, vector: Vector) -> list[str]:
    """The address of every lane's state."""
    pointers = []
    for lane in range(vector.lanes):
        state = out.let(f"call i64 @llvm.umin.i64(i64 %last, i64 {lane})")
        pointers.append(_place(out, "%data", out.let(f"mul i64 {state}, %outer")))
    return pointers


def _place(out: FunctionBody, base: str, offset: str | int) -> str:
    return out.let(f"getelementptr i8, ptr {base}, i64 {offset}")


def _word(out: FunctionBody, table: str, k: str | int) -> str:
    return out.let(f"getelementptr i64, ptr {table}, i64 {k}")


def _entry(out: FunctionBody, table: str, k: int) -> str:
    return out.let(f"load i64, ptr {_word(out, table, k)}")


def _slot(out: FunctionBody, vector: Vector, slot: str) -> str:
    """The address of a slot of scratch memory that is only known when the code runs."""
    return out.let(f"getelementptr {vector.type}, ptr %scratch, i64 {slot}")


def _prefetch(out: FunctionBody, place: str, *, writes: bool) -> None:
    out.put(f"call void @llvm.prefetch.p0(ptr {_place(out, place, _AHEAD)}, i32 {int(writes)}, i32 3, i32 1)")


def _put(out: FunctionBody, vector: Vector, slot: str, column: str) -> None:
    out.put(f"store {vector.type} {column}, ptr {slot}, align {vector.bytes}")


def _column(out: FunctionBody, vector: Vector, column: Column) -> str:
    slot, constant = column
    if constant is not None:
        return vector.splat(constant)
    return out.let(f"load {vector.type}, ptr {slot_pointer(out, vector, '%scratch', slot)}, align {vector.bytes}")


# @layout returns true if the core dimensions are contiguous; if not, it writes the table of the numbers' offsets, one
# run along the last axis at a time.
_LAYOUT = """\
define internal i1 @layout(i64 %size, i64 %rank, ptr %shape, ptr %strides, ptr %offsets) #0 {{
entry:
  br label %check
check:
  %d = phi i64 [ %rank, %entry ], [ %axis, %look ]
  %expected = phi i64 [ {itemsize}, %entry ], [ %larger, %look ]
  %checked = icmp eq i64 %d, 0
  br i1 %checked, label %contiguous, label %look
look:
  %axis = sub i64 %d, 1
  %extent.at = getelementptr i64, ptr %shape, i64 %axis
  %extent = load i64, ptr %extent.at
  %stride.at = getelementptr i64, ptr %strides, i64 %axis
  %stride = load i64, ptr %stride.at
  %larger = mul i64 %expected, %extent
  %fits = icmp eq i64 %stride, %expected
  %single = icmp eq i64 %extent, 1
  %fine = or i1 %fits, %single
  br i1 %fine, label %check, label %element
contiguous:
  ret i1 true
element:
  %final = sub i64 %rank, 1
  %run.extent.at = getelementptr i64, ptr %shape, i64 %final
  %run.extent = load i64, ptr %run.extent.at
  %run.stride.at = getelementptr i64, ptr %strides, i64 %final
  %run.stride = load i64, ptr %run.stride.at
  br label %run
run:
  %r = phi i64 [ 0, %element ], [ %r.next, %written ]
  %k.first = phi i64 [ 0, %element ], [ %k.next, %written ]
  br label %axes
axes:
  %e = phi i64 [ %final, %run ], [ %this, %one ]
  %rest = phi i64 [ %r, %run ], [ %rest.next, %one ]
  %start = phi i64 [ 0, %run ], [ %start.next, %one ]
  %done = icmp eq i64 %e, 0
  br i1 %done, label %write, label %one
one:
  %this = sub i64 %e, 1
  %length.at = getelementptr i64, ptr %shape, i64 %this
  %length = load i64, ptr %length.at
  %step.at = getelementptr i64, ptr %strides, i64 %this
  %step = load i64, ptr %step.at
  %index = urem i64 %rest, %length
  %rest.next = udiv i64 %rest, %length
  %way = mul i64 %index, %step
  %start.next = add i64 %start, %way
  br label %axes
write:
  %j = phi i64 [ 0, %axes ], [ %j.next, %write ]
  %k = phi i64 [ %k.first, %axes ], [ %k.next, %write ]
  %offset = phi i64 [ %start, %axes ], [ %offset.next, %write ]
  %to = getelementptr i64, ptr %offsets, i64 %k
  store i64 %offset, ptr %to
  %j.next = add i64 %j, 1
  %k.next = add i64 %k, 1
  %offset.next = add i64 %offset, %run.stride
  %longer = icmp ult i64 %j.next, %run.extent
  br i1 %longer, label %write, label %written
written:
  %r.next = add i64 %r, 1
  %more = icmp ult i64 %k.next, %size
  br i1 %more, label %run, label %end
end:
  ret i1 false
}}
"""
