"""A program cut into sections: arithmetic that compiles to one straight block, and batches of library functions.

Sines and the like are computed a batch at a time, between stretches of arithmetic. So a stretch has no branch (a
branch for huge angles would cut the block the instruction scheduler works on) and no call (a call would spill every
register). Stretches too long for the compiler, whose time grows faster than their length, are cut as well. Values pass
from section to section in numbered slots of a scratch array: the inputs first, the results last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from armdyn.program.graph import Node
from armdyn.program.program import Program

LIBRARY = frozenset({"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "log", "pow"})
LONGEST_STRETCH = 2000
LONGEST_HANDING_ON = 100
"""Results that the last stretch does not compute itself: where there are more, as in large sparse matrices, they are
handed over in sections of their own, for the compiler's time grows faster than the number of stores in a block."""

T = TypeVar("T")


@dataclass(frozen=True)
class Arithmetic:
    """A stretch of arithmetic nodes in order of evaluation, and (slot, node) for each value it leaves behind."""

    nodes: tuple[int, ...]
    stores: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Library:
    """Calls that do not depend on each other: nodes whose operation is in `LIBRARY`."""

    nodes: tuple[int, ...]


@dataclass(frozen=True)
class Sections:
    """A program ready to be written out. ``slots`` gives the slot of every node that is read across sections."""

    nodes: tuple[Node, ...]
    sections: tuple[Arithmetic | Library, ...]
    slots: dict[int, int]
    first_result: int
    slot_count: int


def arguments_of(node: Node) -> tuple[int, ...]:
    """The nodes a node reads."""
    return () if node[0] in ("input", "const") else node[1:]  # type: ignore[return-value]


def cut(program: Program) -> Sections:
    """The sections of a program, in order of execution."""
    stages = _stages(program)
    arithmetic: list[list[int]] = [[] for _ in range(max(stages, default=0) + 1)]
    library: list[list[int]] = [[] for _ in arithmetic]
    for index, node in enumerate(program.nodes):
        if node[0] in LIBRARY:
            library[stages[index]].append(index)
        elif node[0] not in ("input", "const"):
            arithmetic[stages[index]].append(index)

    order: list[tuple[str, list[int]]] = []
    for stage, nodes in enumerate(arithmetic):
        if library[stage]:
            order.append(("library", library[stage]))
        pieces = _pieces(nodes)
        if stage == len(arithmetic) - 1 and not pieces:
            pieces = [[]]  # the last stretch also hands over results that are inputs, constants or library values
        for piece in pieces:
            order.append(("arithmetic", piece))
    return _with_slots(program, order)


def _stages(program: Program) -> list[int]:
    """The stage of every node: how many batches of library calls lie before it.

    Library calls come as early, arithmetic as late as possible, so that few values wait in memory.
    """
    nodes = program.nodes
    stages = [0] * len(nodes)
    for index, node in enumerate(nodes):
        stages[index] = max((stages[a] for a in arguments_of(node)), default=0) + (node[0] in LIBRARY)
    last = max(stages, default=0)
    latest = [last] * len(nodes)
    for index in range(len(nodes) - 1, -1, -1):
        node = nodes[index]
        if node[0] not in LIBRARY:
            stages[index] = latest[index]
        needed_at = stages[index] - (node[0] in LIBRARY)
        for a in arguments_of(node):
            latest[a] = min(latest[a], needed_at)
    return stages


def _pieces(nodes: list[T], longest: int = LONGEST_STRETCH) -> list[list[T]]:
    count = -(-len(nodes) // longest)
    return [nodes[k * len(nodes) // count : (k + 1) * len(nodes) // count] for k in range(count)]


def _with_slots(program: Program, order: list[tuple[str, list[int]]]) -> Sections:
    slots = _slots(program, order)
    first_result = max(slots.values(), default=-1) + 1
    first_result = max(first_result, sum(port.size for port in program.inputs))
    results = [(first_result + k, index) for k, index in enumerate(program.results)]
    last = set(order[-1][1])
    handed_on = [store for store in results if store[1] not in last]
    if len(handed_on) <= LONGEST_HANDING_ON:
        handed_on = []
    sections: list[Arithmetic | Library] = []
    for number, (kind, members) in enumerate(order):
        if kind == "library":
            sections.append(Library(tuple(members)))
            continue
        stores = [(slots[index], index) for index in members if index in slots]
        if number == len(order) - 1:
            stores += [store for store in results if store[1] in last] if handed_on else results
        sections.append(Arithmetic(tuple(members), tuple(stores)))
    sections += [Arithmetic((), tuple(stores)) for stores in _pieces(handed_on, LONGEST_HANDING_ON)]
    return Sections(program.nodes, tuple(sections), slots, first_result, first_result + len(program.results))


def _slots(program: Program, order: list[tuple[str, list[int]]]) -> dict[int, int]:
    """A slot for every input, and for every value that is read outside the section it is computed in.

    Library sections work on memory only: what they read and write has slots too, constants included.
    """
    nodes = program.nodes
    home = {index: number for number, (_, members) in enumerate(order) for index in members}
    slots: dict[int, int] = {i: node[1] for i, node in enumerate(nodes) if node[0] == "input"}  # type: ignore[misc]
    next_slot = sum(port.size for port in program.inputs)

    def give(index: int) -> None:
        nonlocal next_slot
        if index not in slots:
            slots[index] = next_slot
            next_slot += 1

    def read(index: int, number: int) -> None:
        if index in home and home[index] != number:
            give(index)

    for number, (kind, members) in enumerate(order):
        for index in members:
            for argument in arguments_of(nodes[index]):
                if kind == "library":
                    give(argument)
                else:
                    read(argument, number)
            if kind == "library":
                give(index)
    for index in program.results:
        read(index, len(order) - 1)
    return slots
