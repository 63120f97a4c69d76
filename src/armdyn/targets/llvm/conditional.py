"""Nodes of a program that only one branch of a select needs; a group of states without such a state skips them.

A program has no branches: ``select`` computes both of its arms. Nodes that are read only by one arm of the selects of
one condition are useless to a group of states that all take the other arm. If they are many, e.g. the later steps of
an iteration that has converged, they become sections of their own after one jump. No state reads the values of skipped
nodes, so that its results do not depend on the other states of its group.

Large arms within another arm are sections of their own within its sections, e.g. nodes that only few of the corrected
states need.

Traced code has to compute both arms completely before the first select of their condition. Nodes of an arm that come
after it are computed for every group.

Selects at the end of such a section are part of it: their slots contain the other arm before, and keep it if the
section is skipped.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from armdyn.program.graph import Node

LEAST_NODES = 40
"""The fewest nodes of an arm; fewer cost less than a jump and moving their arguments and results through memory."""

ALWAYS = "always"
"""The operation that marks a value as computed for every group: the more frequent arm of a select."""

NODES_OF_A_CALL = 20
"""The nodes of arithmetic that a library function, e.g. a sine, counts as."""

ARMS = {1: True, 2: False}
"""The arguments of a select, (condition, a, b), and the condition at which each counts."""


class Condition(NamedTuple):
    """The node of the condition, and the truth value for which the nodes that depend on it count."""

    node: int
    value: bool


Conditions = tuple[Condition, ...]
"""The arms that contain a node: an outermost arm, one within it, and so on; empty for nodes that always count."""


def conditions(nodes: Sequence[Node], results: Sequence[int], library: frozenset[str]) -> dict[int, Conditions]:
    """The conditions of every node that has any; ``library`` operations count as `NODES_OF_A_CALL`.

    The node of an arm's condition is not in that arm, nor in any other arm that its selects are not in. So it is
    computed before the nodes that depend on it, if the arms around it are not skipped.
    """
    if all(node[0] != "select" for node in nodes):
        return {}
    arms = Arms(nodes)
    readers: list[set[Condition | None]] = [set() for _ in nodes]
    for index in results:
        readers[index].add(None)
    place: dict[int, Condition | None] = {}  # the innermost arm that contains every reader of a node
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
    result = {index: arms.around(own) for index, own in place.items() if own is not None}
    return _of_many(result, {index: NODES_OF_A_CALL if nodes[index][0] in library else 1 for index in result})


def _of_many(conditions: dict[int, Conditions], counts: dict[int, int]) -> dict[int, Conditions]:
    """The conditions of nodes without the arms of fewer than `LEAST_NODES` nodes, nested arms included."""
    alone: dict[Conditions, int] = {}
    for index, own in conditions.items():
        alone[own] = alone.get(own, 0) + counts[index]
    sizes: dict[Conditions, int] = {}
    for own, size in alone.items():
        for depth in range(1, len(own) + 1):
            sizes[own[:depth]] = sizes.get(own[:depth], 0) + size
    return without(conditions, {own for own, size in sizes.items() if size < LEAST_NODES})


def without(conditions: dict[int, Conditions], arms: Collection[Conditions]) -> dict[int, Conditions]:
    """The conditions of nodes without some arms; nodes within these keep their other conditions."""
    remaining = {own: tuple(c for k, c in enumerate(own) if own[: k + 1] not in arms) for own in {*conditions.values()}}
    return {index: remaining[own] for index, own in conditions.items() if remaining[own]}


def select_conditions(node: Node) -> Iterator[tuple[Condition, int]]:
    """The conditions under which a select may wait for its arm, each with its other arm."""
    if node[0] == "select":
        condition, *arms = (int(a) for a in node[1:])
        for k, value in ARMS.items():
            yield Condition(condition, value), arms[2 - k]


class Arms:
    """The arms of selects, each within another one's or in none.

    Args:
        nodes: the nodes of the program.
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
        """The innermost arm that contains all these readers of the node ``index``; later nodes have places already."""
        result = list(readers)
        if not result:
            return None
        if len(result) == 1 and (result[0] is None or result[0] in self._within):
            return result[0]
        common = self._chain(result[0], index, place)
        for reader in result[1:]:
            chain = self._chain(reader, index, place)
            common = [arm for arm in common if arm in chain]
        return common[0] if common else None

    def decides_outermost(self, index: int, place: dict[int, Condition | None]) -> bool:
        """True if a node is the condition of an arm that is in no other one."""
        if index not in self._selects:
            return False
        return any(len(self._chain(Condition(index, value), index, place)) == 1 for value in ARMS.values())

    def around(self, arm: Condition) -> Conditions:
        """An arm after those that contain it, the outermost first."""
        within = self._within[arm]
        return (arm,) if within is None else (*self.around(within), arm)

    def _chain(self, arm: Condition | None, index: int, place: dict[int, Condition | None]) -> list[Condition]:
        """An arm and those that contain it, the innermost first."""
        chain: list[Condition] = []
        while arm is not None:
            chain.append(arm)
            if arm not in self._within:
                self._within[arm] = self._around(arm, index, place)
            arm = self._within[arm]
        return chain

    def _around(self, arm: Condition, index: int, place: dict[int, Condition | None]) -> Condition | None:
        """The arm that contains all selects of an arm; None if one of them comes before the node ``index``."""
        selects = self._selects[arm.node]
        if selects[0] <= index:
            return None
        return self.common({place[select] for select in selects}, index, place)
