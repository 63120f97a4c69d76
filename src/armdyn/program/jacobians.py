"""Derivatives of a program as a program."""

from __future__ import annotations

from functools import partial

from armdyn.base.errors import UnknownName
from armdyn.program.accumulation import both_ways, chosen, entries, shortest
from armdyn.program.graph import Graph
from armdyn.program.operations import OPERATIONS
from armdyn.program.program import Names, Port, Program, inputs_of, live
from armdyn.program.replay import replay


class Differentiable:
    """A program in a separate graph, to which derivatives of some outputs by some inputs can be added.

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
        self.of_results = [outputs[program.outputs.index(port)] for port in self.results]
        self.of_variables = [inputs[program.inputs.index(port)] for port in self.variables]


def differentiated(program: Program, of: Names, wrt: Names) -> Program:
    """The program of the derivatives of outputs ``of`` by inputs ``wrt``, as in `Program.derivative`."""
    work = Differentiable(program, of, wrt)
    both = both_ways(work.graph, work.of_results, work.of_variables)
    blocks = chosen(both, shortest(work.graph, both, present=0))
    nodes, live_results = live(work.graph, entries(blocks))
    pairs = [(y, x) for y in work.results for x in work.variables]
    outputs = tuple(Port(f"d_{y.name}_d_{x.name}", (*y.shape, *x.shape)) for y, x in pairs)
    return Program(f"{program.name}_derivative", program.inputs, outputs, nodes, live_results)


def _chosen(ports: tuple[Port, ...], names: Names, kind: str, where: str) -> list[Port]:
    """The ports with these names, or all."""
    if names is None:
        return list(ports)
    by_name = {port.name: port for port in ports}
    wanted = [names] if isinstance(names, str) else list(names)
    for name in wanted:
        if name not in by_name:
            raise UnknownName.of(kind, name, by_name, repr(where))
    return [by_name[name] for name in wanted]
