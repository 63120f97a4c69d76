"""A program in a graph of its own, to which nodes of derivatives are added."""

from __future__ import annotations

from functools import partial

from armdyn.base.errors import UnknownName
from armdyn.program.graph import Graph
from armdyn.program.operations import OPERATIONS
from armdyn.program.ports import Names, Port, inputs_of
from armdyn.program.replay import Replayed, replay


class Differentiable:
    """A program in a separate graph, to which derivatives of some outputs by some inputs can be added.

    Attributes:
        graph: the program's nodes.
        results: the chosen outputs, and ``of_results`` the nodes of each.
        variables: the chosen inputs, and ``of_variables`` the nodes of each.
    """

    def __init__(self, program: Replayed, of: Names, wrt: Names) -> None:
        self.results = _ports_named(program.outputs, of, "output", program.name)
        self.variables = _ports_named(program.inputs, wrt, "input", program.name)
        self.graph = Graph()
        inputs = inputs_of(self.graph, program.inputs)
        operations = {name: partial(self.graph.apply, name) for name in OPERATIONS}
        outputs = replay(program, [node for nodes in inputs for node in nodes], operations, self.graph.constant)
        self.of_results = [outputs[program.outputs.index(port)] for port in self.results]
        self.of_variables = [inputs[program.inputs.index(port)] for port in self.variables]


def _ports_named(ports: tuple[Port, ...], names: Names, kind: str, where: str) -> list[Port]:
    """The ports with these names, or all."""
    if names is None:
        return list(ports)
    by_name = {port.name: port for port in ports}
    selection = [names] if isinstance(names, str) else list(names)
    for name in selection:
        if name not in by_name:
            raise UnknownName.of(kind, name, by_name, repr(where))
    return [by_name[name] for name in selection]
