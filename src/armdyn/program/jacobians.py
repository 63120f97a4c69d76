"""The derivatives of a program as a program."""

from __future__ import annotations

from collections.abc import Iterable

from armdyn.errors import UnknownName
from armdyn.program.accumulation import both_ways, chosen, entries, shortest
from armdyn.program.graph import Graph
from armdyn.program.program import Port, Program, live


def differentiated(program: Program, of: Iterable[str] | None, wrt: Iterable[str] | None) -> Program:
    """What `Program.derivative` gives."""
    results = _chosen(program.outputs, of, "output", program.name)
    variables = _chosen(program.inputs, wrt, "input", program.name)
    graph, place = Graph(), dict[int, int]()
    inputs = [graph.input(k) for k in range(sum(port.size for port in program.inputs))]
    for index, (name, *arguments) in enumerate(program.nodes):
        if name == "input":
            place[index] = inputs[arguments[0]]  # type: ignore[index]
        elif name == "const":
            place[index] = graph.constant(arguments[0])  # type: ignore[arg-type]
        else:
            place[index] = graph.apply(str(name), *(place[a] for a in arguments))  # type: ignore[index]
    scalars = {port.name: nodes for port, nodes in zip(program.inputs, _split(inputs, program.inputs), strict=True)}
    of_output = {
        port.name: [place[r] for r in nodes]
        for port, nodes in zip(program.outputs, _split(program.results, program.outputs), strict=True)
    }
    both = both_ways(graph, [of_output[y.name] for y in results], [scalars[x.name] for x in variables])
    blocks = chosen(both, shortest(graph, both, present=0))
    nodes, live_results = live(graph.nodes, entries(blocks))
    outputs = tuple(Port(f"d_{y.name}_d_{x.name}", (*y.shape, *x.shape)) for y in results for x in variables)
    return Program(f"{program.name}_derivative", program.inputs, outputs, nodes, live_results)


def _chosen(ports: tuple[Port, ...], names: Iterable[str] | None, kind: str, where: str) -> list[Port]:
    """The ports of these names, or all."""
    if names is None:
        return list(ports)
    by_name = {port.name: port for port in ports}
    wanted = [names] if isinstance(names, str) else list(names)
    for name in wanted:
        if name not in by_name:
            raise UnknownName.of(kind, name, by_name, repr(where))
    return [by_name[name] for name in wanted]


def _split(flat: Iterable[int], ports: tuple[Port, ...]) -> list[list[int]]:
    scalars = iter(flat)
    return [[next(scalars) for _ in range(port.size)] for port in ports]
