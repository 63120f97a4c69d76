"""List scheduling of the instructions of a stretch of arithmetic, so that dependency chains overlap.

A processor issues two vector instructions per cycle and waits some cycles for each result. It issues others meanwhile
out of order, from a window of some hundred instructions, and the recursions over the joints of an arm are longer chains
than that. So the instructions are put into the order in which a processor with a larger window would issue them: among
those that are ready, the longest chain first. Values beyond the number of registers go through memory; when all
registers are in use, the instruction that ends most values comes first, and those too far ahead have to wait.
"""

from __future__ import annotations

import heapq
from bisect import insort
from collections.abc import Collection, Sequence
from typing import NamedTuple

from armdyn.program.graph import Node
from armdyn.targets.llvm.sections import arguments_of

AT_ONCE = 2
"""The number of instructions that are issued in one cycle."""

CYCLES = {"div": 24, "sqrt": 30, "neg": 1, "abs": 1}
"""The latency of operations; others take `CYCLES_OF_OTHERS`."""

CYCLES_OF_OTHERS = 3

LOOKED_AT = 64
"""The most ready instructions that are compared, those with the longest chains after them."""


class RegisterLimits(NamedTuple):
    """The limits that a processor's vector registers set to scheduling.

    Args:
        values: the most live values; the other registers are for constants, and for values read from memory.
        window: the distance from the first instruction that has not begun to the last that may begin, in their
            previous order, so that values stay near.
    """

    values: int
    window: int


REGISTER_LIMITS = {32: RegisterLimits(28, 768), 16: RegisterLimits(10, 64)}
"""The limits by number of vector registers: 32 of AVX-512, measured and by llvm-mca's model; 16 of AVX2, measured."""


def schedule(
    nodes: Sequence[Node], stretch: Sequence[int], stored: Collection[int], limits: RegisterLimits
) -> list[int]:
    """The nodes of a stretch in a new order of evaluation.

    Args:
        nodes: the nodes of the program.
        stretch: the indices of its nodes, in an order of evaluation.
        stored: the values that are also stored.
        limits: those of the processor's registers.
    """
    units = _Units(nodes, stretch, stored, limits)
    order: list[int] = []
    ready: list[tuple[int, int]] = []  # ranks of units, the longest chain first
    cycle = values = 0
    while units.window_moved():
        cycle = max(cycle, units.next_cycle() if not ready else 0)
        for unit in units.come_until(cycle):
            insort(ready, units.rank[unit])
        for _ in range(min(AT_ONCE, len(ready))):
            place = 0 if values < limits.values else units.best_for_registers(ready)
            unit = ready[place][1]
            change = units.change_of_values[unit]
            if change > 0 and values >= limits.values and units.waiting_for_results:
                break  # an instruction that ends some of the values can begin soon
            del ready[place]
            order += units.members[unit]
            values += change
            units.begin(unit, cycle)
        cycle += 1
    return order


class _Units:
    """The units of scheduling: a node, with the product that it is fused with, by the index of the node.

    Args:
        nodes, stretch, kept, limits: the arguments of `schedule`.

    Its `members` are the nodes of each unit, `rank` sorts units by the chain after them, `change_of_values` is the
    increase of the number of live values by each unit that has not begun.
    """

    def __init__(
        self, nodes: Sequence[Node], stretch: Sequence[int], stored: Collection[int], limits: RegisterLimits
    ) -> None:
        unit_of = _fused(nodes, stretch, stored)
        self.members: dict[int, list[int]] = {unit_of[index]: [] for index in stretch}
        self._reads: dict[int, set[int]] = {unit: set() for unit in self.members}
        self._read_by: dict[int, list[int]] = {unit: [] for unit in self.members}
        for index in stretch:
            unit = unit_of[index]
            self.members[unit].append(index)
            read = self._reads[unit]
            for a in arguments_of(nodes[index]):
                other = unit_of.get(a, unit)
                if other != unit and other not in read:
                    read.add(other)
                    self._read_by[other].append(unit)
        self._cycles = {unit: CYCLES.get(str(nodes[unit][0]), CYCLES_OF_OTHERS) for unit in self.members}
        chain: dict[int, int] = {}
        for unit in sorted(self.members, reverse=True):  # a node comes after those that it reads
            longest = max([chain[other] for other in self._read_by[unit]], default=0)
            chain[unit] = self._cycles[unit] + longest
        self.rank = {unit: (-cycles, unit) for unit, cycles in chain.items()}
        self._waits_for = {unit: len(read) for unit, read in self._reads.items()}
        self._awaited_by = {unit: len(reading) for unit, reading in self._read_by.items()}
        self.change_of_values = {
            unit: bool(self._read_by[unit]) - sum([self._awaited_by[other] == 1 for other in read])
            for unit, read in self._reads.items()
        }
        self._places = sorted(self.members)
        self._window = limits.window
        self._first = self._behind = 0  # of the window
        self._begins: dict[int, int] = {}  # of the units in the window, and of those before it
        self._begun: set[int] = set()
        self._coming: list[tuple[int, int]] = []  # a heap: (cycle, unit)

    def window_moved(self) -> bool:
        """Advance the window over begun units and admit new ones; returns True if any unit has not begun."""
        while self._first < len(self._places) and self._places[self._first] in self._begun:
            self._first += 1
        for unit in self._places[self._behind : self._first + self._window]:
            self._behind += 1
            self._begins.setdefault(unit, 0)
            self._let_come(unit)
        return self._first < len(self._places)

    @property
    def waiting_for_results(self) -> bool:
        """True if any unit in the window waits only for results that are being computed."""
        return bool(self._coming)

    def next_cycle(self) -> int:
        """The cycle in which the next unit can begin."""
        return self._coming[0][0]

    def come_until(self, cycle: int) -> list[int]:
        """The units that can begin by a cycle, removed from the heap."""
        result = []
        while self._coming and self._coming[0][0] <= cycle:
            result.append(heapq.heappop(self._coming)[1])
        return result

    def best_for_registers(self, ready: Sequence[tuple[int, int]]) -> int:
        """The index of the ready unit that leaves the fewest live values."""
        changes = [self.change_of_values[unit] for _, unit in ready[:LOOKED_AT]]
        return changes.index(min(changes))

    def begin(self, unit: int, cycle: int) -> None:
        """Begin a unit; those that have waited for it alone become ready with its result."""
        self._begun.add(unit)
        for other in self._reads[unit]:
            self._awaited_by[other] -= 1
            if self._awaited_by[other] == 1:  # its last reader ends it
                self.change_of_values[next(one for one in self._read_by[other] if one not in self._begun)] -= 1
        result, last = cycle + self._cycles[unit], self._places[self._behind - 1]
        for other in self._read_by[unit]:
            self._waits_for[other] -= 1
            if result > self._begins.get(other, 0):
                self._begins[other] = result
            if other <= last:
                self._let_come(other)

    def _let_come(self, unit: int) -> None:
        if not self._waits_for[unit]:
            heapq.heappush(self._coming, (self._begins[unit], unit))


def _fused(nodes: Sequence[Node], stretch: Sequence[int], stored: Collection[int]) -> dict[int, int]:
    """The unit of each node; a product belongs to the sum that is its only reader, because both are one instruction."""
    readers = dict.fromkeys(stretch, 0)
    for index in stretch:
        for a in arguments_of(nodes[index]):
            if a in readers:
                readers[a] += 1
    unit_of = {index: index for index in stretch}
    for index in stretch:
        if nodes[index][0] in ("add", "sub"):
            products = (a for a in arguments_of(nodes[index]) if a in readers and nodes[a][0] == "mul")
            alone = next((a for a in products if readers[a] == 1 and a not in stored), None)
            if alone is not None:
                unit_of[alone] = index
    return unit_of
