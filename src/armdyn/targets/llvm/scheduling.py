"""The order of the instructions of a stretch of arithmetic, so that chains of them overlap.

A processor begins two vector instructions a cycle and waits some cycles for each result. It looks ahead for what it can
begin meanwhile, but some hundred instructions at most, and recursions over the joints of an arm are longer chains than
that. So the instructions are put into the order in which a processor that sees all of them would begin them: list
scheduling (Graham 1966), of what is ready the longest chain first. More values at a time than there are registers for
would go through memory; where there are so many, what ends most of them comes first.
"""

from __future__ import annotations

import heapq
from bisect import insort
from collections.abc import Collection, Sequence

from armdyn.program.graph import Node
from armdyn.targets.llvm.sections import arguments_of

AT_ONCE = 2
"""Instructions that begin in one cycle."""

CYCLES = {"div": 24, "sqrt": 30, "neg": 1, "abs": 1, "min": 4, "max": 4}
"""Until the result of an operation is there; others take `CYCLES_OF_OTHERS`."""

CYCLES_OF_OTHERS = 4

import os
WINDOW = int(os.environ.get("W", 100000))
VALUES = int(os.environ.get("V", 16))
"""At a time; the other registers are for constants, and for what is read from memory."""

LOOKED_AT = 16
"""Of the instructions that are ready, those with the longest chains behind them."""


def scheduled(nodes: Sequence[Node], stretch: Sequence[int], kept: Collection[int]) -> list[int]:
    """The nodes of a stretch in a new order of evaluation.

    Args:
        nodes: of the program.
        stretch: the indices of its nodes, in an order of evaluation.
        kept: the values that are stored, too.
    """
    units = _Units(nodes, stretch, kept)
    order: list[int] = []
    ready: list[tuple[int, int]] = []  # the longest chain first: (-cycles, unit)
    coming = [(0, unit) for unit in units.members if not units.waits_for[unit]]  # a heap: (cycle, unit)
    cycle = living = 0
    place = {unit: k for k, unit in enumerate(units.members)}
    done = [False] * len(place)
    first = 0
    later: list[tuple[int, int, int]] = []
    while ready or coming or later:
        while first < len(done) and done[first]:
            first += 1
        while later and later[0][0] < first + WINDOW:
            heapq.heappush(coming, heapq.heappop(later)[1:])
        if not ready and coming:
            cycle = max(cycle, coming[0][0])
        while coming and coming[0][0] <= cycle:
            begins, unit = heapq.heappop(coming)
            if place[unit] >= first + WINDOW:
                heapq.heappush(later, (place[unit], begins, unit))
                continue
            insort(ready, (-units.chain[unit], unit))
        for _ in range(min(AT_ONCE, len(ready))):
            unit = ready.pop(0 if living < VALUES else units.best_for_registers(ready))[1]
            order += units.members[unit]
            done[place[unit]] = True
            living += units.more_living(unit)
            for other, begins in units.begun(unit, cycle):
                heapq.heappush(coming, (begins, other))
        cycle += 1
    return order


class _Units:
    """What is scheduled as one: a node, with the product that it is fused with, by the index of the node.

    Args:
        nodes, stretch, kept: of `scheduled`.
    """

    def __init__(self, nodes: Sequence[Node], stretch: Sequence[int], kept: Collection[int]) -> None:
        inside, readers = set(stretch), {index: 0 for index in stretch}
        for index in stretch:
            for a in arguments_of(nodes[index]):
                if a in inside:
                    readers[a] += 1
        unit_of = {index: index for index in stretch}
        for index in stretch:
            if nodes[index][0] in ("add", "sub"):
                for a in arguments_of(nodes[index]):
                    if a in inside and nodes[a][0] == "mul" and readers[a] == 1 and a not in kept:
                        unit_of[a] = index
                        break
        self.members: dict[int, list[int]] = {unit_of[index]: [] for index in stretch}
        self.reads: dict[int, set[int]] = {unit: set() for unit in self.members}
        self.read_by: dict[int, list[int]] = {unit: [] for unit in self.members}
        for index in stretch:
            unit = unit_of[index]
            self.members[unit].append(index)
            self.reads[unit] |= {unit_of[a] for a in arguments_of(nodes[index]) if a in inside} - {unit}
        for unit, read in self.reads.items():
            for other in read:
                self.read_by[other].append(unit)
        self.cycles = {unit: CYCLES.get(str(nodes[unit][0]), CYCLES_OF_OTHERS) for unit in self.members}
        self.waits_for = {unit: len(read) for unit, read in self.reads.items()}
        self._awaited_by = {unit: len(read) for unit, read in self.read_by.items()}
        self._begins = dict.fromkeys(self.members, 0)
        self.chain: dict[int, int] = {}
        for unit in sorted(self.members, reverse=True):  # a node comes behind those that it reads
            longest = max((self.chain[other] for other in self.read_by[unit]), default=0)
            self.chain[unit] = self.cycles[unit] + longest

    def best_for_registers(self, ready: Sequence[tuple[int, int]]) -> int:
        """The place of the one of the ready units that leaves the fewest values to keep."""
        looked_at = ready[:LOOKED_AT]
        return min(range(len(looked_at)), key=lambda place: self._change(looked_at[place][1]))

    def _change(self, unit: int) -> int:
        """How many more values there are behind a unit."""
        ends = sum(self._awaited_by[other] == 1 for other in self.reads[unit])
        return bool(self.read_by[unit]) - ends

    def more_living(self, unit: int) -> int:
        """The same of a unit that is begun now."""
        more = self._change(unit)
        for other in self.reads[unit]:
            self._awaited_by[other] -= 1
        return more

    def begun(self, unit: int, cycle: int) -> list[tuple[int, int]]:
        """The units that have waited for this one alone, each with the cycle in which it can begin."""
        found = []
        for other in self.read_by[unit]:
            self.waits_for[other] -= 1
            self._begins[other] = max(self._begins[other], cycle + self.cycles[unit])
            if not self.waits_for[other]:
                found.append((other, self._begins[other]))
        return found
