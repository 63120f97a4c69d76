"""The derivatives of a program as a program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice

from armdyn.errors import UnknownName
from armdyn.program.accumulation import both_ways, chosen, entries, shortest
from armdyn.program.graph import Graph
from armdyn.program.operations import OPERATIONS
from armdyn.program.program import Names, Port, Program, live
from armdyn.program.replay import replay


class Differentiable:
    """A program in a graph of its own, to which derivatives of some outputs by some inputs can be added.

    Attributes:
        graph: the program's nodes.
        results: the chosen outputs, and ``of_results`` the nodes of each.
        variables: the chosen inputs, and ``of_variables`` the nodes of each.
    """

    def __init__(self, program: Program, of: Names, wrt: Names) -> None:
        self.results = _chosen(program.outputs, of, "output", program.name)
        self.variables = _chosen(program.inputs, wrt, "input", program.name)
        self.graph = Graph()
        inputs = inputs_of(self.graph, program.inputs)
        operations = {name: partial(self.graph.apply, name) for name in OPERATIONS}
        outputs = replay(program, [node for nodes in inputs for node in nodes], operations, self.graph.constant)
        self.of_results = _of(self.results, program.outputs, outputs)
        self.of_variables = _of(self.variables, program.inputs, inputs)


def differentiated(program: Program, of: Names, wrt: Names) -> Program:
    """What `Program.derivative` gives."""
    work = Differentiable(program, of, wrt)
    both = both_ways(work.graph, work.of_results, work.of_variables)
    blocks = chosen(both, shortest(work.graph, both, present=0))
    nodes, live_results = live(work.graph.nodes, entries(blocks))
    pairs = [(y, x) for y in work.results for x in work.variables]
    outputs = tuple(Port(f"d_{y.name}_d_{x.name}", (*y.shape, *x.shape)) for y, x in pairs)
    return Program(f"{program.name}_derivative", program.inputs, outputs, nodes, live_results)


def inputs_of(graph: Graph, ports: Iterable[Port], start: int = 0) -> list[list[int]]:
    """The nodes of the scalars of input ports, the first of which is number ``start``."""
    positions = iter(range(start, start + sum(port.size for port in ports)))
    return [[graph.input(k) for k in islice(positions, port.size)] for port in ports]


def _of(wanted: Sequence[Port], ports: Sequence[Port], nodes: Sequence[list[int]]) -> list[list[int]]:
    by_name = {port.name: own for port, own in zip(ports, nodes, strict=True)}
    return [by_name[port.name] for port in wanted]


def _chosen(ports: tuple[Port, ...], names: Names, kind: str, where: str) -> list[Port]:
    """The ports of these names, or all."""
    if names is None:
        return list(ports)
    by_name = {port.name: port for port in ports}
    wanted = [names] if isinstance(names, str) else list(names)
    for name in wanted:
        if name not in by_name:
            raise UnknownName.of(kind, name, by_name, repr(where))
    return [by_name[name] for name in wanted]
