"""Between NumPy's layout, state after state, and the kernels', a vector register of states for every scalar.

Scratch memory holds one vector per scalar, a state per lane. Where an array's core dimensions are contiguous, rows are
read and written in pieces of up to eight numbers, and as many columns are transposed in registers: the wider the
pieces, the fewer the stores. Any other layout goes element by element through a table of byte offsets. Lanes beyond the
last state repeat it: they read what it reads and write what it writes, so no masks are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from armdyn.targets.llvm.vectors import Lines, Vector, slot_pointer

_WIDEST = 8
"""Columns that are transposed together: with as many vectors as results, more would not fit into the registers."""

_LONGEST = 16
"""Pieces of a row that one function moves: the compiler's time grows much faster than the length of a function."""


Column = tuple[int, float | None]
"""Where a result stands in scratch memory: its slot; and its value, where that is a constant."""


def loader(vector: Vector, size: int) -> str:
    """The function ``@load_<size>`` for arrays of ``size`` numbers a state, which come to stand side by side.

    ``%data`` points to the first state of a group, ``%outer`` is the stride from state to state, ``%last`` the last
    valid lane; ``%contiguous`` and ``%offsets`` are what ``@layout`` found out about the numbers of one state.
    """

    def piece(out: Lines, rows: list[str], start: int, width: int) -> None:
        for k, column in enumerate(_load_piece(out, vector, rows, start, width)):
            to = slot_pointer(out, vector, "%scratch", start + k)
            out.put(f"store {vector.type} {column}, ptr {to}, align {vector.bytes}")

    by_elements = f"call void @load_elements({_GROUP}, i64 {size}, ptr %offsets)"
    return _by_pieces(f"load_{size}", vector, size, piece, by_elements)


def storer(vector: Vector, number: int, columns: Sequence[Column]) -> str:
    """The function ``@store<number>`` for one result, whose numbers stand anywhere in scratch memory.

    Its arguments are those of ``@load_<size>``.
    """
    size = len(columns)
    slots = ", ".join(f"i64 {slot}" for slot, _ in columns)

    def piece(out: Lines, rows: list[str], start: int, width: int) -> None:
        _store_piece(out, vector, rows, start, columns[start : start + width])

    by_elements = f"call void @store_elements({_GROUP}, i64 {size}, ptr %offsets, ptr @slots{number})"
    return (
        f"@slots{number} = private unnamed_addr constant [{size} x i64] [{slots}]\n"
        f"{_by_pieces(f'store{number}', vector, size, piece, by_elements)}"
    )


_GROUP = "ptr %data, i64 %outer, i64 %last, ptr %scratch"
_ROWS = "ptr noalias %data, i64 %outer, i64 %last, ptr noalias %scratch"
_PARAMETERS = f"{_ROWS}, i1 %contiguous, ptr %offsets"


def _by_pieces(
    name: str, vector: Vector, size: int, piece: Callable[[Lines, list[str], int, int], None], by_elements: str
) -> str:
    """The function ``@<name>`` that moves rows without gaps piece by piece, in functions of their own where many are.

    ``piece(out, rows, start, width)`` writes what moves one; any other layout is left to ``by_elements``.
    """
    out = _by_layout(by_elements)
    pieces = _pieces(size, narrow=_sublane(vector), wide=min(_WIDEST, vector.lanes))
    parts = [pieces[first : first + _LONGEST] for first in range(0, len(pieces), _LONGEST)]
    functions = []
    for number, part in enumerate(parts):
        body = out if len(parts) == 1 else Lines()
        rows = _row_pointers(body, vector)
        for start, width in part:
            piece(body, rows, start, width)
        if len(parts) > 1:
            functions.append(f"define internal void @{name}.{number}({_ROWS}) #0 {{\n{body}\n  ret void\n}}\n")
            out.put(f"call void @{name}.{number}({_GROUP})")
    return "".join([*functions, f"define internal void @{name}({_PARAMETERS}) #0 {{\n{out}\n  ret void\n}}\n"])


def _by_layout(element_by_element: str) -> Lines:
    """The beginning of a function for rows without gaps, which leaves all others to a loop over the elements."""
    out = Lines()
    out.put("br i1 %contiguous, label %rows, label %elements")
    out.put("elements:")
    out.put(element_by_element)
    out.put("ret void")
    out.put("rows:")
    return out


def _sublane(vector: Vector) -> int:
    """How many numbers 16 bytes hold: the shortest pieces, unless the row is shorter."""
    return 16 // vector.itemsize


def _pieces(size: int, narrow: int, wide: int) -> list[tuple[int, int]]:
    """(start, width) of the pieces of a row: as wide as they fit, the last one overlapping; short rows one by one."""
    if size < narrow:
        return [(start, 1) for start in range(size)]
    pieces, start, width = [], 0, wide
    while width >= narrow:
        while start + width <= size:
            pieces.append((start, width))
            start += width
        width //= 2
    if start < size:
        pieces.append((size - narrow, narrow))
    return pieces


def _row_pointers(out: Lines, vector: Vector) -> list[str]:
    pointers = []
    for lane in range(vector.lanes):
        row = out.let(f"call i64 @llvm.umin.i64(i64 %last, i64 {lane})")
        offset = out.let(f"mul i64 {row}, %outer")
        pointers.append(out.let(f"getelementptr i8, ptr %data, i64 {offset}"))
    return pointers


def _column(out: Lines, vector: Vector, column: Column) -> str:
    slot, constant = column
    if constant is not None:
        return vector.splat(constant)
    return out.let(f"load {vector.type}, ptr {slot_pointer(out, vector, '%scratch', slot)}, align {vector.bytes}")


def _element(out: Lines, vector: Vector, row: str, start: int) -> str:
    return out.let(f"getelementptr i8, ptr {row}, i64 {start * vector.itemsize}")


def _load_piece(out: Lines, vector: Vector, rows: list[str], start: int, width: int) -> list[str]:
    """The columns start, ..., start + width - 1, a vector each."""
    if width == 1:
        column = "poison"
        for lane, row in enumerate(rows):
            number = out.let(f"load {vector.scalar}, ptr {_element(out, vector, row, start)}, align 1")
            column = out.let(f"insertelement {vector.type} {column}, {vector.scalar} {number}, i64 {lane}")
        return [column]
    blocks = []
    for first_row in range(width):  # the rows first_row, first_row + width, ... side by side, a sublane each
        parts = [
            out.let(f"load <{width} x {vector.scalar}>, ptr {_element(out, vector, row, start)}, align 1")
            for row in rows[first_row::width]
        ]
        blocks.append(_joined(out, vector, parts, width))
    return _transpose_sublanes(out, vector, blocks)


def _store_piece(out: Lines, vector: Vector, rows: list[str], start: int, columns: Sequence[Column]) -> None:
    width = len(columns)
    vectors = [_column(out, vector, column) for column in columns]
    if width == 1:
        for lane, row in enumerate(rows):
            number = out.let(f"extractelement {vector.type} {vectors[0]}, i64 {lane}")
            out.put(f"store {vector.scalar} {number}, ptr {_element(out, vector, row, start)}, align 1")
        return
    for first_row, block in enumerate(_transpose_sublanes(out, vector, vectors)):
        for sublane, target in enumerate(rows[first_row::width]):
            lanes = range(sublane * width, (sublane + 1) * width)
            piece = _shuffle(out, vector, vector.lanes, block, "poison", lanes)
            out.put(f"store <{width} x {vector.scalar}> {piece}, ptr {_element(out, vector, target, start)}, align 1")


def _joined(out: Lines, vector: Vector, parts: list[str], width: int) -> str:
    """Short vectors side by side in a long one."""
    while len(parts) > 1:
        parts = [
            _shuffle(out, vector, width, a, b, range(2 * width)) for a, b in zip(parts[::2], parts[1::2], strict=True)
        ]
        width *= 2
    return parts[0]


def _transpose_sublanes(out: Lines, vector: Vector, blocks: list[str]) -> list[str]:
    """Transpose, in every sublane, the square matrix whose rows are that sublane of the blocks."""
    width = len(blocks)
    step = 1
    while step < width:  # swap the off-diagonal quarters of 2 step x 2 step matrices
        swapped = list(blocks)
        for i in range(width):
            if not i & step:
                a, b = blocks[i], blocks[i + step]
                low, high = [], []
                for lane in range(vector.lanes):
                    column = lane % width
                    low.append(lane if not column & step else vector.lanes + lane - step)
                    high.append(lane + step if not column & step else vector.lanes + lane)
                swapped[i] = _shuffle(out, vector, vector.lanes, a, b, low)
                swapped[i + step] = _shuffle(out, vector, vector.lanes, a, b, high)
        blocks = swapped
        step *= 2
    return blocks


def _shuffle(out: Lines, vector: Vector, lanes: int, a: str, b: str, order: Sequence[int]) -> str:
    source = f"<{lanes} x {vector.scalar}>"
    mask = ", ".join(f"i32 {k}" for k in order)
    return out.let(f"shufflevector {source} {a}, {source} {b}, <{len(order)} x i32> <{mask}>")


def layout_functions(vector: Vector) -> str:
    """The functions for any layout at all: ``@layout``, ``@load_elements``, ``@store_elements``."""
    return _ANY_LAYOUT.format(scalar=vector.scalar, itemsize=vector.itemsize, lanes=vector.lanes)


# @layout: whether the core dimensions are contiguous; if not, the table of the elements' offsets is written.
_ANY_LAYOUT = """\
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
  %k = phi i64 [ 0, %look ], [ %k.next, %write ]
  br label %axes
axes:
  %e = phi i64 [ %rank, %element ], [ %this, %one ]
  %rest = phi i64 [ %k, %element ], [ %rest.next, %one ]
  %offset = phi i64 [ 0, %element ], [ %offset.next, %one ]
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
  %offset.next = add i64 %offset, %way
  br label %axes
write:
  %to = getelementptr i64, ptr %offsets, i64 %k
  store i64 %offset, ptr %to
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %size
  br i1 %more, label %element, label %end
end:
  ret i1 false
}}

define internal void @load_elements(ptr %data, i64 %outer, i64 %last, ptr %scratch, i64 %size, ptr %offsets) #0 {{
entry:
  %none = icmp eq i64 %size, 0
  br i1 %none, label %end, label %element
element:
  %k = phi i64 [ 0, %entry ], [ %k.next, %element.end ]
  %from = getelementptr i64, ptr %offsets, i64 %k
  %offset = load i64, ptr %from
  %first = getelementptr i8, ptr %data, i64 %offset
  br label %lane
lane:
  %r = phi i64 [ 0, %element ], [ %r.next, %lane ]
  %row = call i64 @llvm.umin.i64(i64 %r, i64 %last)
  %row.offset = mul i64 %row, %outer
  %at = getelementptr i8, ptr %first, i64 %row.offset
  %number = load {scalar}, ptr %at, align 1
  %position = mul i64 %k, {lanes}
  %place = add i64 %position, %r
  %to = getelementptr {scalar}, ptr %scratch, i64 %place
  store {scalar} %number, ptr %to
  %r.next = add i64 %r, 1
  %more.lanes = icmp ult i64 %r.next, {lanes}
  br i1 %more.lanes, label %lane, label %element.end
element.end:
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %size
  br i1 %more, label %element, label %end
end:
  ret void
}}

define internal void @store_elements(
  ptr %data, i64 %outer, i64 %last, ptr %scratch, i64 %size, ptr %offsets, ptr %slots
) #0 {{
entry:
  %none = icmp eq i64 %size, 0
  br i1 %none, label %end, label %element
element:
  %k = phi i64 [ 0, %entry ], [ %k.next, %element.end ]
  %from = getelementptr i64, ptr %offsets, i64 %k
  %offset = load i64, ptr %from
  %slot.at = getelementptr i64, ptr %slots, i64 %k
  %slot = load i64, ptr %slot.at
  %first = getelementptr i8, ptr %data, i64 %offset
  br label %lane
lane:
  %r = phi i64 [ 0, %element ], [ %r.next, %lane ]
  %position = mul i64 %slot, {lanes}
  %place = add i64 %position, %r
  %at = getelementptr {scalar}, ptr %scratch, i64 %place
  %number = load {scalar}, ptr %at
  %row.offset = mul i64 %r, %outer
  %to = getelementptr i8, ptr %first, i64 %row.offset
  store {scalar} %number, ptr %to, align 1
  %r.next = add i64 %r, 1
  %more.lanes = icmp ule i64 %r.next, %last
  br i1 %more.lanes, label %lane, label %element.end
element.end:
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %size
  br i1 %more, label %element, label %end
end:
  ret void
}}
"""
