"""Jacobians of stretches of a graph: forward from the variables, in reverse from the results, whichever is shorter.

Both add nodes to the graph they differentiate, so that terms shared with the function, and with other derivatives, are
one node. The length of each is the number of operations that are needed and were not in the graph before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from armdyn.program.graph import Graph, cone
from armdyn.program.operations import OPERATIONS
from armdyn.program.partials import carried

Block = list[list[int]]
"""dy_i/dx_j as nodes, for the scalars of one result and one variable."""

Blocks = list[list[Block]]
"""A block for every result (rows) and variable (columns)."""

Branches = tuple[tuple[int, bool], ...]
"""Conditions of selects, each with the required truth value."""

Ways = dict[tuple[int, int], str]
"""The direction of accumulation of every block, "forward" or "reverse"."""


def dependents(graph: Graph, nodes: Iterable[int], variables: Iterable[int]) -> list[int]:
    """The nodes among ``nodes``, which are in order, that depend on some variable."""
    dependent = set(variables)
    choose_blocks = []
    for index in nodes:
        if index in dependent or any(a in dependent for a in graph.arguments(index)):
            dependent.add(index)
            choose_blocks.append(index)
    return choose_blocks


def tangents(graph: Graph, seeds: Mapping[int, int], results: Iterable[int]) -> dict[int, int]:
    """Tangents of the nodes between variables and results; ``seeds`` are those of the variables."""
    return forward(graph, dependents(graph, cone(graph, results), seeds), seeds)


def adjoints(graph: Graph, seeds: Mapping[int, int], variables: Iterable[int]) -> dict[int, int]:
    """Adjoints of the nodes between variables and results; ``seeds`` are those of the results."""
    return reverse(graph, dependents(graph, cone(graph, seeds), variables), seeds)


def seeds_of(graph: Graph, nodes: Iterable[int], vector: Iterable[int]) -> dict[int, int]:
    """The entries of a vector summed by node: one node may be several of the results ``nodes``."""
    seeds: dict[int, int] = {}
    for node, entry in zip(nodes, vector, strict=True):
        seeds[node] = graph.add(seeds[node], entry) if node in seeds else entry
    return seeds


def forward(graph: Graph, nodes: Sequence[int], seeds: Mapping[int, int]) -> dict[int, int]:
    """Tangents of ``nodes``, in order, from ``seeds``, those of the variables; nodes not in the result have zero."""
    tangents = dict(seeds)
    for index in nodes:
        if index in seeds:
            continue
        total: int | None = None
        for place, argument in enumerate(graph.arguments(index)):
            if argument in tangents:
                total = _sum(graph, total, carried(graph, index, place, tangents[argument]))
        if total is not None:
            tangents[index] = total
    return tangents


def reverse(graph: Graph, nodes: Sequence[int], seeds: Mapping[int, int]) -> dict[int, int]:
    """Adjoints of ``nodes``, in order, from ``seeds``, those of results; nodes not in the result have zero.

    With the seed 1 of one result they are its derivatives. A contribution through a branch of a select counts only if
    the branch is taken. It is kept separate and selected at the end: a product with zero would not vanish if the
    contribution is infinite or NaN.
    """
    active = set(nodes)
    adjoints: dict[int, dict[Branches, int]] = {result: {(): seed} for result, seed in seeds.items()}
    for index in reversed(nodes):
        name, arguments = graph.nodes[index][0], graph.arguments(index)
        for branches, amount in _folded(graph, adjoints.get(index, {})).items():
            for place, argument in enumerate(arguments):
                if argument not in active or (name == "select" and place == 0):
                    continue
                path = (*branches, (arguments[0], place == 1)) if name == "select" else branches
                share = amount if name == "select" else carried(graph, index, place, amount)
                of_argument = adjoints.setdefault(argument, {})
                total = _sum(graph, of_argument.get(path), share)
                if total is not None:
                    of_argument[path] = total
    results = {index: _where_taken(graph, parts) for index, parts in adjoints.items()}
    return {index: adjoint for index, adjoint in results.items() if adjoint is not None}


def _folded(graph: Graph, parts: dict[Branches, int]) -> dict[Branches, int]:
    """An adjoint in as few parts as possible, because otherwise their number would double from select to select.

    The parts through both branches of a select are joined; and a part is joined with a part that counts wherever the
    first does: the node's own derivatives then count there too.
    """
    for length in range(max(map(len, parts), default=0), 0, -1):
        for branches in [key for key in parts if len(key) == length]:
            rest, (condition, if_true) = branches[:-1], branches[-1]
            opposite = (*rest, (condition, not if_true))
            within = [branches[:k] for k in range(length) if branches[:k] in parts]
            if branches in parts and opposite in parts:
                amounts = parts.pop(branches), parts.pop(opposite)
                both = graph.apply("select", condition, *(amounts if if_true else amounts[::-1]))
                parts[rest] = graph.add(parts[rest], both) if rest in parts else both
            elif branches in parts and within:
                own = _under(graph, branches[len(within[-1]) :], parts.pop(branches))
                parts[within[-1]] = graph.add(parts[within[-1]], own)
    return parts


def _where_taken(graph: Graph, parts: Mapping[Branches, int]) -> int | None:
    """The sum of the contributions through branches, each if all of its branches are taken."""
    total: int | None = None
    for branches, amount in parts.items():
        total = _sum(graph, total, _under(graph, branches, amount))
    return total


def _under(graph: Graph, branches: Branches, amount: int) -> int:
    """An amount if all of these branches are taken, else zero."""
    zero = graph.constant(0.0)
    for condition, if_true in branches:
        amount = graph.apply("select", condition, *((amount, zero) if if_true else (zero, amount)))
    return amount


def _sum(graph: Graph, a: int | None, b: int | None) -> int | None:
    if a is None or b is None:
        return b if a is None else a
    return graph.add(a, b)


def both_ways(graph: Graph, results: Sequence[Sequence[int]], variables: Sequence[Sequence[int]]) -> dict[str, Blocks]:
    """The derivatives of every result by every variable, accumulated forward and in reverse."""
    every_x = [x for xs in variables for x in xs]
    every_y = [y for ys in results for y in ys]
    nodes = dependents(graph, cone(graph, every_y), every_x)
    zero, one = graph.constant(0.0), graph.constant(1.0)
    tangents = {x: forward(graph, nodes, {x: one}) for x in every_x}
    adjoints = {y: reverse(graph, nodes, {y: one}) for y in every_y}
    return {
        "forward": [[[[tangents[x].get(y, zero) for x in xs] for y in ys] for xs in variables] for ys in results],
        "reverse": [[[[adjoints[y].get(x, zero) for x in xs] for y in ys] for xs in variables] for ys in results],
    }


def shortest(graph: Graph, both: Mapping[str, Blocks], present: int) -> Ways:
    """The directions with the fewest operations for all blocks, beyond the first ``present`` nodes of the graph.

    Greedy search: it starts with the better direction for all blocks, then changes blocks one by one if that saves
    operations.
    """
    places = [(i, j) for i, row in enumerate(both["forward"]) for j in range(len(row))]
    ways, least = min(
        (
            (ways, _length(graph, choose_blocks(both, ways), present))
            for ways in (dict.fromkeys(places, way) for way in both)
        ),
        key=lambda pair: pair[1],
    )
    for place in places if len(places) > 1 else ():
        other = ways | {place: "reverse" if ways[place] == "forward" else "forward"}
        length = _length(graph, choose_blocks(both, other), present)
        if length < least:
            ways, least = other, length
    return ways


def choose_blocks(both: Mapping[str, Blocks], ways: Ways) -> Blocks:
    """Every block by the direction chosen for it."""
    return [[both[ways[i, j]][i][j] for j in range(len(row))] for i, row in enumerate(both["forward"])]


def entries(blocks: Blocks) -> list[int]:
    """All nodes of all blocks in one list."""
    return [entry for row in blocks for block in row for line in block for entry in line]


def _length(graph: Graph, blocks: Blocks, present: int) -> int:
    """The number of operations of the blocks beyond the first ``present`` nodes of the graph."""
    names = (str(graph.nodes[index][0]) for index in cone(graph, entries(blocks)) if index >= present)
    return sum(name in OPERATIONS and OPERATIONS[name].cost is not None for name in names)
