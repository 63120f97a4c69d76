"""Which nodes of a program are needed only where a condition holds: a group without such states leaves them out.

A program has no branches: ``select`` computes both of its arms. The nodes that nothing but one arm of the selects of
one condition reads are of no use to a group of states that all take the other arm. Where they are many, as the later
steps of an iteration that has come to its end, they become sections of their own behind one jump. No state reads what
was left out, so that its results do not depend on the other states of its group.

Where arms are many nodes within another arm, they are sections of their own within its sections: what a correction
needs that few of the states need which are corrected at all.

Selects that such a section ends with are part of it: their slots hold the other arm before, and keep it where the
section is left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from armdyn.program.graph import Node

LEAST_NODES = 40
"""Fewer cost less than a jump and the way through memory of what they read and give."""

ALWAYS = "always"
"""The operation of a value that is computed for every group: the more frequent arm of a select."""

NODES_OF_A_CALL = 20
"""The nodes of arithmetic that a library function, such as a sine, counts as."""

ARMS = {1: True, 2: False}
"""The arguments of a select, (condition, a, b), and the condition at which each counts."""


class Condition(NamedTuple):
    """The node that decides, and whether what hangs on it counts where that is true, or where it is false."""

    node: int
    value: bool


Conditions = tuple[Condition, ...]
"""What a node hangs on: an arm that is in no other one, one that is in it, and so on; empty of what always counts."""


def conditions(nodes: Sequence[Node], results: Sequence[int], library: frozenset[str]) -> dict[int, Conditions]:
    """The conditions of every node that has any; ``library`` operations count as `NODES_OF_A_CALL`.

    The node that decides about an arm is not in it, nor in any other that its selects are not in. So it is known before
    what hangs on it, where the arms around it are not left out.
    """
    arms = Arms(nodes)
    readers: list[set[Condition | None]] = [set() for _ in nodes]
    for index in results:
        readers[index].add(None)
    place: dict[int, Condition | None] = {}  # the innermost arm that every reader of a node is in
    for index in reversed(range(len(nodes))):
        operation = str(nodes[index][0])
        if operation in ("input", "const"):
            continue
        is_free = operation == ALWAYS or arms.decides_outermost(index, place)
        own = None if is_free else arms.common(readers[index], index, place)
        place[index] = own
        arguments = [int(a) for a in nodes[index][1:]]
        for k, argument in enumerate(arguments):
            readers[argument].add(Condition(arguments[0], ARMS[k]) if operation == "select" and k in ARMS else own)
    found = {index: arms.around(own) for index, own in place.items() if own is not None}
    return _of_many(found, {index: NODES_OF_A_CALL if nodes[index][0] in library else 1 for index in found})


def _of_many(found: dict[int, Conditions], counts: dict[int, int]) -> dict[int, Conditions]:
    """The conditions of nodes without those arms that are fewer than `LEAST_NODES`, with what is within them."""
    sizes: dict[Conditions, int] = {}
    for index, own in found.items():
        for depth in range(1, len(own) + 1):
            sizes[own[:depth]] = sizes.get(own[:depth], 0) + counts[index]
    return without(found, {own for own, size in sizes.items() if size < LEAST_NODES})


def without(found: dict[int, Conditions], arms: Collection[Conditions]) -> dict[int, Conditions]:
    """The conditions of nodes, but for those of some arms: what is within these hangs on its own conditions alone."""
    kept = {index: tuple(c for k, c in enumerate(own) if own[: k + 1] not in arms) for index, own in found.items()}
    return {index: own for index, own in kept.items() if own}


def merged(node: Node) -> Iterator[tuple[Condition, int]]:
    """The conditions by which a select may wait for its arm, each with its other arm, which counts elsewhere."""
    if node[0] == "select":
        condition, *arms = (int(a) for a in node[1:])
        for k, value in ARMS.items():
            yield Condition(condition, value), arms[2 - k]


class Arms:
    """The arms of selects, each within another one's or in none.

    Args:
        nodes: of the program.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._selects: dict[int, list[int]] = {}
        for index, node in enumerate(nodes):
            if node[0] == "select":
                self._selects.setdefault(int(node[1]), []).append(index)
        self._within: dict[Condition, Condition | None] = {}

    def common(
        self, readers: set[Condition | None], index: int, place: dict[int, Condition | None]
    ) -> Condition | None:
        """The innermost arm that all of these are in, which read the node ``index``; those behind it have places."""
        found = list(readers)
        if not found:
            return None
        common = self._chain(found[0], index, place)
        for reader in found[1:]:
            chain = self._chain(reader, index, place)
            common = [arm for arm in common if arm in chain]
        return common[0] if common else None

    def decides_outermost(self, index: int, place: dict[int, Condition | None]) -> bool:
        """Whether a node decides about an arm that is in no other one."""
        if index not in self._selects:
            return False
        return any(len(self._chain(Condition(index, value), index, place)) == 1 for value in ARMS.values())

    def around(self, arm: Condition) -> Conditions:
        """An arm that has been looked at, behind those that it is in, the outermost first."""
        within = self._within[arm]
        return (arm,) if within is None else (*self.around(within), arm)

    def _chain(self, arm: Condition | None, index: int, place: dict[int, Condition | None]) -> list[Condition]:
        """An arm and those it is in, the innermost first."""
        chain: list[Condition] = []
        while arm is not None:
            chain.append(arm)
            if arm not in self._within:
                self._within[arm] = self._around(arm, index, place)
            arm = self._within[arm]
        return chain

    def _around(self, arm: Condition, index: int, place: dict[int, Condition | None]) -> Condition | None:
        """The arm that all selects of an arm are in; none where one of them comes before the node ``index``."""
        selects = self._selects[arm.node]
        if selects[0] <= index:
            return None
        return self.common({place[select] for select in selects}, index, place)
