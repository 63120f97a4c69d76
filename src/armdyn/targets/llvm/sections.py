"""A program cut into sections: arithmetic that compiles to one basic block, and batches of library functions.

Sines and the like are computed a batch at a time, between stretches of arithmetic. So a stretch has no branch (a
branch for huge angles would cut the block the instruction scheduler works on) and no call (a call would spill every
register). Nodes that only some states need are stretches of their own (`armdyn.targets.llvm.conditional`).
Stretches too long for the compiler, whose time grows faster than their length, are cut as well.
Values pass between sections, and to the code that stores the results, in numbered slots of a scratch array, the inputs
first. A value has one slot, however often it is a result; after its last use the slot serves another value.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from armdyn.base.threads import cached_property
from armdyn.program.graph import Node
from armdyn.program.program import Program
from armdyn.targets.llvm.conditional import NODES_OF_A_CALL, Conditions, conditions, select_conditions, without

LIBRARY = frozenset({"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "log", "pow", "exp", "tanh", "decay"})
INLINE = frozenset({"exp", "tanh", "decay"})
"""The operations of `LIBRARY` that never call libm, for any argument."""
LONGEST_STRETCH = 2000
LEAST_PIECE = 8
"""The fewest nodes of the sections of one condition on average; fewer cost less than a jump."""
T = TypeVar("T")


@dataclass(frozen=True)
class Arithmetic:
    """A stretch of arithmetic nodes in order of evaluation; with conditions, skipped if no state meets all of them."""

    nodes: tuple[int, ...]
    conditions: Conditions = ()

    @property
    def size(self) -> int:
        """The number of arithmetic nodes that take as long."""
        return len(self.nodes)


@dataclass(frozen=True)
class Library:
    """Functions independent of each other: nodes with operations in `LIBRARY`; skipped like `Arithmetic`."""

    nodes: tuple[int, ...]
    conditions: Conditions = ()

    @property
    def size(self) -> int:
        """The number of arithmetic nodes that take as long."""
        return NODES_OF_A_CALL * len(self.nodes)


@dataclass(frozen=True)
class Sections:
    """A program ready to be written out.

    Args:
        nodes: the nodes of the program.
        sections: in order of execution.
        slots: the slot of every node that is read outside its section.
        slot_count: the number of slots.
        before: for a select in a section with a condition, the arm in its slot before the section.
    """

    nodes: tuple[Node, ...]
    sections: tuple[Arithmetic | Library, ...]
    slots: dict[int, int]
    slot_count: int
    before: dict[int, int]

    @cached_property
    def parts(self) -> list[list[Arithmetic | Library]]:
        """The sections in runs that one jump skips: those of one outermost arm together, all others one by one."""
        result: list[list[Arithmetic | Library]] = []
        for section in self.sections:
            arm = section.conditions[:1]
            if result and arm and arm == result[-1][0].conditions[:1]:
                result[-1].append(section)
            else:
                result.append([section])
        return result

    @cached_property
    def slots_always_used(self) -> int:
        """The number of slots that the sections without conditions read or write."""
        always = (index for section in self.sections if not section.conditions for index in section.nodes)
        touched = (one for index in always for one in (index, *arguments_of(self.nodes[index])))
        return len({slot for one in touched for slot in (self.slots.get(one), *self.stored.get(one, ()))} - {None})

    @cached_property
    def stored(self) -> dict[int, list[int]]:
        """The slots of each stored node: its own, and those of selects that have it as the arm before."""
        result = {index: {slot: None} for index, slot in self.slots.items()}
        for select, arm in self.before.items():
            for index in _arms_before(self.before, arm):
                result.setdefault(index, {})[self.slots[select]] = None
        return {index: [*slots] for index, slots in result.items()}

    def places(self, results: Iterable[int]) -> list[tuple[int, float | None]]:
        """The slot of each result, and its value if it is a constant."""
        nodes = [(index, self.nodes[index]) for index in results]
        return [(self.slots[index], float(node[1]) if node[0] == "const" else None) for index, node in nodes]


def arguments_of(node: Node) -> tuple[int, ...]:
    """The nodes a node reads."""
    return () if node[0] in ("input", "const") else node[1:]  # type: ignore[return-value]


def cut(program: Program) -> Sections:
    """The sections of a program, in order of execution."""
    result = conditions(program.nodes, program.results, LIBRARY)
    sections, before = _sections(program, result)
    while short := _in_short_pieces(sections):
        result = without(result, short)
        sections, before = _sections(program, result)
    slots = _slots(program, sections, before)
    inputs = sum(port.size for port in program.inputs)  # loaded whether they are read or not
    return Sections(
        program.nodes, tuple(sections), slots, max(inputs, *(slot + 1 for slot in slots.values()), 0), before
    )


def _sections(
    program: Program, conditions: Mapping[int, Conditions]
) -> tuple[list[Arithmetic | Library], dict[int, int]]:
    """The sections of nodes, some with conditions, and for selects in them the arm in their slots before."""
    stages = _stages(program, conditions)
    arithmetic: list[list[int]] = [[] for _ in range(max(stages, default=0) + 1)]
    library: list[list[int]] = [[] for _ in arithmetic]
    for index, node in enumerate(program.nodes):
        if node[0] in LIBRARY:
            library[stages[index]].append(index)
        elif node[0] not in ("input", "const"):
            arithmetic[stages[index]].append(index)
    sections: list[Arithmetic | Library] = []
    with_selects, before = dict(conditions), dict[int, int]()
    for calls, nodes in zip(library, arithmetic, strict=True):
        sections += _batches(calls, conditions)
        for own, stretch in _stretches(program.nodes, nodes, with_selects, before):
            sections += [Arithmetic(tuple(piece), own) for piece in _pieces(stretch)]
    return sections, before


def _in_short_pieces(sections: Iterable[Arithmetic | Library]) -> set[Conditions]:
    """The conditions with short sections, which cost more than computing them for all states."""
    count, size = Counter[Conditions](), Counter[Conditions]()
    for section in sections:
        count[section.conditions] += 1
        size[section.conditions] += section.size
    return {own for own in count if own and size[own] < LEAST_PIECE * count[own]}


def _arms_before(before: Mapping[int, int], arm: int) -> Iterator[int]:
    """An arm, and if it is a select with an arm before it, that one, and so on."""
    yield arm
    while arm in before:
        arm = before[arm]
        yield arm


def _stages(program: Program, conditions: Mapping[int, Conditions]) -> list[int]:
    """The stage of every node: the number of batches of library calls before it.

    Library calls come as early, arithmetic as late as possible, so that few values wait in memory. The condition of a
    library call comes before it.
    """
    nodes = program.nodes
    calls = {index for index, node in enumerate(nodes) if node[0] in LIBRARY}
    if not calls:
        return [0] * len(nodes)
    needed = [
        _nodes_before(nodes, index, conditions) if index in calls else arguments_of(node)
        for index, node in enumerate(nodes)
    ]
    order = in_order(dict(enumerate(needed))) if calls & conditions.keys() else range(len(nodes))
    stages = [0] * len(nodes)
    for index in order:
        stages[index] = max([stages[a] for a in needed[index]], default=0) + (index in calls)
    last = max(stages)
    latest = [last] * len(nodes)
    for index in reversed(order):
        if index not in calls:
            stages[index] = latest[index]
        before = stages[index] - (index in calls)
        for a in needed[index]:
            latest[a] = min(latest[a], before)
    return stages


def _batches(calls: Iterable[int], conditions: Mapping[int, Conditions]) -> Iterator[Library]:
    """The library calls of a stage, those of the same conditions together."""
    batches: dict[Conditions, list[int]] = {}
    for index in calls:
        batches.setdefault(conditions.get(index, ()), []).append(index)
    for own in sorted(batches, key=len):
        yield Library(tuple(batches[own]), own)


def _stretches(
    nodes: Sequence[Node], indices: Sequence[int], conditions: dict[int, Conditions], before: dict[int, int]
) -> Iterator[tuple[Conditions, list[int]]]:
    """The nodes of a stage in stretches with identical conditions, or without any.

    Nodes with conditions, and their selects, wait until another node needs them or the stage ends: all values that they
    read are computed by then, and they are together. The selects are written into ``conditions`` and ``before``.
    """
    if conditions.keys().isdisjoint(indices):
        yield (), [*indices]
        return
    needed = {index: _nodes_before(nodes, index, conditions) for index in indices}
    waiting: dict[Conditions, list[int]] = {}
    complete: list[tuple[Conditions, list[int]]] = []  # still waiting, but complete
    wait, are_complete = set[int](), set[int]()  # all nodes of these
    others: list[int] = []
    wants = _Wants()

    def end(own: Conditions) -> None:
        stretch = waiting.pop(own)
        wait.difference_update(stretch)
        wants.forget(own)
        end_what_is_read(stretch)
        complete.append((own, stretch))
        are_complete.update(stretch)

    def end_what_is_read(reading: Iterable[int]) -> None:
        for index in reading:
            for a in needed[index]:
                if a in wait:
                    end(conditions[a])

    for index in in_order(needed):
        for condition, arm in select_conditions(nodes[index]):
            if index not in conditions and (condition,) in waiting and _is_stored(nodes, arm, conditions, before):
                conditions[index], before[index] = (condition,), arm  # the condition is among the arguments of a select
        own = conditions.get(index, ())
        if own:
            read = {conditions[a] for a in wait.intersection(needed[index])}
            read.discard(own)
            if read:
                if own in waiting and wants.any_wants(read, own):  # neither could be first
                    end(own)
                wants.add(own, read & waiting.keys())
            waiting.setdefault(own, []).append(index)
            wait.add(index)
            continue
        if not wait.isdisjoint(needed[index]):
            end_what_is_read([index])
        if not are_complete.isdisjoint(needed[index]):
            yield (), others
            yield from complete
            others, complete = [], []
            are_complete.clear()
        others.append(index)
    yield (), others
    while waiting:
        end(next(iter(waiting)))
    yield from complete


def in_order(needed: Mapping[int, Sequence[int]]) -> list[int]:
    """Topological order: nodes by their numbers, but each after those of these nodes that it needs."""
    order: list[int] = []
    waits_for: dict[int, int] = {}  # passed nodes, each with the number of those that it still needs
    awaited_by: dict[int, list[int]] = {}
    for index in sorted(needed):
        those = needed[index]
        if those and (max(those) > index or not waits_for.keys().isdisjoint(those)):
            missing = [a for a in those if a in waits_for or (a > index and a in needed)]  # twice if needed twice
            if missing:
                waits_for[index] = len(missing)
                for a in missing:
                    awaited_by.setdefault(a, []).append(index)
                continue
        ready = [index]
        while ready:
            one = heapq.heappop(ready)
            order.append(one)
            for other in awaited_by.pop(one, ()):
                waits_for[other] -= 1
                if not waits_for[other]:
                    del waits_for[other]
                    heapq.heappush(ready, other)
    return order


def _nodes_before(nodes: Sequence[Node], index: int, conditions: Mapping[int, Conditions]) -> tuple[int, ...]:
    """The nodes that must be computed before one: those it reads, and those of its conditions."""
    own = conditions.get(index)
    read = arguments_of(nodes[index])
    return (*read, *(condition.node for condition in own)) if own else read


class _Wants:
    """The dependencies between waiting stretches."""

    def __init__(self) -> None:
        self._read_by: dict[Conditions, set[Conditions]] = {}

    def add(self, reader: Conditions, read: Iterable[Conditions]) -> None:
        """Record that a stretch reads from others."""
        self._read_by.setdefault(reader, set()).update(read)

    def forget(self, own: Conditions) -> None:
        """Remove a stretch that waits no longer."""
        self._read_by.pop(own, None)
        for read in self._read_by.values():
            read.discard(own)

    def any_wants(self, readers: Iterable[Conditions], conditions: Conditions) -> bool:
        """True if any of some stretches reads from another one, directly or through others."""
        remaining, seen = list(readers), set[Conditions]()
        while remaining:
            one = remaining.pop()
            if one == conditions:
                return True
            if one not in seen:
                seen.add(one)
                remaining += self._read_by.get(one, ())
        return False


def _is_stored(
    nodes: Sequence[Node], arm: int, conditions: Mapping[int, Conditions], before: Mapping[int, int]
) -> bool:
    """True if arithmetic without a condition stores an arm, or the arm before it."""
    return all(
        nodes[index][0] not in ("input", "const", *LIBRARY) and (index not in conditions or index in before)
        for index in _arms_before(before, arm)
    )


def _pieces(nodes: list[T], longest: int = LONGEST_STRETCH) -> list[list[T]]:
    count = -(-len(nodes) // longest)
    return [nodes[k * len(nodes) // count : (k + 1) * len(nodes) // count] for k in range(count)]


def _slots(program: Program, sections: Sequence[Arithmetic | Library], before: Mapping[int, int]) -> dict[int, int]:
    """A slot for every input, every result, and every value that is read outside the section it is computed in.

    Library sections work on memory only: their arguments and results have slots too, constants included. A slot is
    reused after the section that reads its value last, so that memory stays small and in cache. The slot of a select
    with an arm before it is allocated when the first such arm is computed.
    """
    nodes, last = program.nodes, _last_readings(program, sections, before)
    slots: dict[int, int] = {i: node[1] for i, node in enumerate(nodes) if node[0] == "input"}  # type: ignore[misc]
    first = sum(port.size for port in program.inputs)
    constants = [i for i in last if nodes[i][0] == "const"]
    constants += [i for i in dict.fromkeys(program.results) if i not in slots and nodes[i][0] != "const"]
    slots |= {index: first + k for k, index in enumerate(dict.fromkeys(constants))}
    count, free = first + len(set(constants)), list[int]()
    ending: list[list[int]] = [[] for _ in sections]  # the slots that are free after each section
    begun_by: dict[int, list[int]] = {}
    passing = _passing(program, sections, before)
    for select in before:
        *_, first_arm = _arms_before(before, select)
        if select not in passing:
            begun_by.setdefault(first_arm, []).append(select)
    for number, section in enumerate(sections):
        for index in (one for node in section.nodes for one in (node, *begun_by.get(node, ()))):
            if index in last and index not in slots and index not in passing:
                slots[index] = heapq.heappop(free) if free else count
                count = max(count, slots[index] + 1)
                ending[last[index]].append(slots[index])
        for slot in ending[number]:
            heapq.heappush(free, slot)
    for select in sorted(passing, reverse=True):  # of a chain the last one first
        slots[select] = slots[passing[select]]
    return slots


def _passing(program: Program, sections: Sequence[Arithmetic | Library], before: Mapping[int, int]) -> dict[int, int]:
    """Selects whose only reader is another select, as the arm before it, and that select: both share one slot."""
    read = set(program.results)
    for section in sections if before else ():
        for index in section.nodes:
            read.update(a for a in arguments_of(program.nodes[index]) if before.get(index) != a)
    return {arm: select for select, arm in before.items() if arm in before and arm not in read}


def _last_readings(
    program: Program, sections: Sequence[Arithmetic | Library], before: Mapping[int, int]
) -> dict[int, int]:
    """The values that are read from memory, results among them, and the number of the last section that reads each."""
    nodes = program.nodes
    home = {index: number for number, section in enumerate(sections) for index in section.nodes}
    last: dict[int, int] = {}
    for number, section in enumerate(sections):
        in_memory = isinstance(section, Library)
        last |= {condition.node: number for condition in section.conditions}
        for index in section.nodes:
            arm = before.get(index)  # it is in the slot of the select
            for a in arguments_of(nodes[index]):
                if a != arm and (in_memory or home.get(a, number) != number):
                    last[a] = number
            if in_memory:
                last.setdefault(index, number)
    for select in before:
        last.setdefault(select, home[select])
    return last | dict.fromkeys(program.results, len(sections))
