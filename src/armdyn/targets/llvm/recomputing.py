"""What sections that few states need compute once more, instead of reading it from memory.

A value that such a section reads would be stored in every step, whether the section is needed or left out. A store of
a whole register takes as long as several sums. So a section computes again what it reads of the arithmetic that all
states need, from inputs, sines and values that are in memory anyway. Where that is more than the section itself, the
values are stored, and other sections read them, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from armdyn.program.graph import Node
    from armdyn.targets.llvm.sections import Arithmetic, Library

MOST = 1.0
"""Nodes that a section computes again, over its own, where it computes all of them."""

FEW = 6
"""Else, nodes for one value."""


def computing_again(
    nodes: Sequence[Node],
    results: Iterable[int],
    sections: Sequence[Arithmetic | Library],
    before: Mapping[int, int],
) -> list[Arithmetic | Library]:
    """The sections, of which those with a condition compute again what would be stored for them alone.

    Args:
        nodes: of the program.
        results: of the program, by node.
        sections: in order of execution.
        before: of a select in a section with a condition the arm that stands in its slot before the section.
    """
    home = {index: section for section in sections for index in section.nodes}
    common = {index for index, section in home.items() if section.is_arithmetic and section.condition is None}
    stored = {*results, *_read_by_all(nodes, sections, home)}
    found = list(sections)
    rare = [number for number, section in enumerate(sections) if section.condition is not None]
    for number in sorted(rare, key=lambda number: len(sections[number].nodes)):
        section = sections[number]
        wanted = {
            a for index in section.nodes for a in _arguments(nodes[index]) if a in common and before.get(index) != a
        }
        again = _with_arguments(nodes, wanted - stored, common - stored)
        if len(again) > MOST * len(section.nodes):
            stored |= _dear(nodes, wanted - stored, common - stored)
            again = _with_arguments(nodes, wanted - stored, common - stored)
        if again:
            found[number] = replace(section, again=tuple(sorted(again)))  # type: ignore[arg-type]  # has a condition
    return found


def _dear(nodes: Sequence[Node], wanted: set[int], within: set[int]) -> set[int]:
    """Those that take more than `FEW` nodes each, from what is stored and from one another."""
    left = set(within)
    sizes = {index: len(_with_arguments(nodes, [index], within)) for index in wanted}
    for index in sorted(wanted, key=lambda index: -sizes[index]):
        if len(_with_arguments(nodes, [index], left)) > FEW:
            left.discard(index)
    return wanted - left


def _read_by_all(
    nodes: Sequence[Node], sections: Sequence[Arithmetic | Library], home: Mapping[int, Arithmetic | Library]
) -> Iterator[int]:
    """What is in memory for other reasons: the nodes that decide, and what sections without a condition read."""
    for section in sections:
        if section.condition is not None:
            yield section.condition.node
            continue
        for index in section.nodes:
            yield from (a for a in _arguments(nodes[index]) if not section.is_arithmetic or home.get(a) is not section)


def _with_arguments(nodes: Sequence[Node], wanted: Iterable[int], within: set[int]) -> set[int]:
    """These nodes, and all that they are computed from, as far as it is ``within``."""
    found: set[int] = set()
    left = list(wanted)
    while left:
        index = left.pop()
        if index not in found:
            found.add(index)
            left += [a for a in _arguments(nodes[index]) if a in within]
    return found


def _arguments(node: Node) -> tuple[int, ...]:
    return () if node[0] in ("input", "const") else node[1:]  # type: ignore[return-value]
