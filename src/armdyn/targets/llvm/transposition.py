"""Transposition in registers between rows of states' numbers and vectors with one number of all states of a group.

Each state's numbers lie side by side at a separate address. Pieces of up to eight of them are read and written whole,
and as many vectors are transposed in registers: the wider the pieces, the fewer loads and stores. Single numbers are
gathered and scattered lane by lane.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.targets.llvm.vectors import FunctionBody, Vector

_WIDEST = 8
"""The most vectors transposed together: with as many results, more would not fit into the registers."""


def pieces(vector: Vector, length: int) -> list[tuple[int, int]]:
    """(start, width) of the pieces of a row: as wide as they fit, the last one overlapping.

    The shortest piece has 16 bytes; shorter rows are moved number by number.
    """
    narrow, width = 16 // vector.itemsize, min(_WIDEST, vector.lanes)
    if length < narrow:
        return [(start, 1) for start in range(length)]
    result, start = [], 0
    while width >= narrow:
        while start + width <= length:
            result.append((start, width))
            start += width
        width //= 2
    if start < length:
        result.append((length - narrow, narrow))
    return result


def load_piece(out: FunctionBody, vector: Vector, places: Sequence[str], width: int) -> list[str]:
    """A vector for each of the ``width`` numbers at the address of every lane."""
    if width == 1:
        return [_gather(out, vector, places)]
    blocks = []
    for first in range(width):  # the lanes first, first + width, ... side by side, a sublane each
        parts = [out.let(f"load <{width} x {vector.scalar}>, ptr {place}, align 1") for place in places[first::width]]
        blocks.append(_join(out, vector, parts, width))
    return _transpose_sublanes(out, vector, blocks)


def store_piece(out: FunctionBody, vector: Vector, places: Sequence[str], vectors: Sequence[str]) -> None:
    """Store the numbers of ``vectors`` side by side at the address of every lane."""
    width = len(vectors)
    if width == 1:
        _scatter(out, vector, vectors[0], places)
        return
    for first, block in enumerate(_transpose_sublanes(out, vector, vectors)):
        for sublane, place in enumerate(places[first::width]):
            lanes = range(sublane * width, (sublane + 1) * width)
            piece = _shuffle(out, vector, vector.lanes, block, "poison", lanes)
            out.put(f"store <{width} x {vector.scalar}> {piece}, ptr {place}, align 1")


def _gather(out: FunctionBody, vector: Vector, places: Sequence[str]) -> str:
    gathered = "poison"
    for lane, place in enumerate(places):
        number = out.let(f"load {vector.scalar}, ptr {place}, align 1")
        gathered = out.let(f"insertelement {vector.type} {gathered}, {vector.scalar} {number}, i64 {lane}")
    return gathered


def _scatter(out: FunctionBody, vector: Vector, scattered: str, places: Sequence[str]) -> None:
    for lane, place in enumerate(places):
        number = out.let(f"extractelement {vector.type} {scattered}, i64 {lane}")
        out.put(f"store {vector.scalar} {number}, ptr {place}, align 1")


def _join(out: FunctionBody, vector: Vector, parts: list[str], width: int) -> str:
    """Short vectors side by side in a long one."""
    while len(parts) > 1:
        parts = [
            _shuffle(out, vector, width, a, b, range(2 * width)) for a, b in zip(parts[::2], parts[1::2], strict=True)
        ]
        width *= 2
    return parts[0]


def _transpose_sublanes(out: FunctionBody, vector: Vector, vectors: Sequence[str]) -> list[str]:
    """Transpose, in every sublane, the square matrix whose rows are that sublane of the vectors."""
    blocks = list(vectors)
    width, step = len(blocks), 1
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


def _shuffle(out: FunctionBody, vector: Vector, lanes: int, a: str, b: str, order: Sequence[int]) -> str:
    source = f"<{lanes} x {vector.scalar}>"
    mask = ", ".join(f"i32 {k}" for k in order)
    return out.let(f"shufflevector {source} {a}, {source} {b}, <{len(order)} x i32> <{mask}>")
