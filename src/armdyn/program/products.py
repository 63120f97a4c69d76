"""Products of a program's Jacobian with vectors, as programs: adjoint programs (vjp) and tangent programs (jvp).

Each is one accumulation over the nodes, in reverse or forward, of all results and variables together; no Jacobian is
formed. So a product takes two to three times the operations of the function, however many inputs and outputs it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from armdyn.program.accumulation import dependents, forward, reverse
from armdyn.program.graph import cone
from armdyn.program.jacobians import Differentiable, inputs_of
from armdyn.program.program import Names, Port, Program, live


def vjp(program: Program, of: Names = None, wrt: Names = None, *, primal: bool = False) -> Program:
    """What `Program.vjp` gives."""
    work = Differentiable(program, of, wrt)
    ports, seeds = _seeds(program, work, "cotangent", work.results, work.of_results)
    adjoints = reverse(work.graph, _between(work), seeds)
    values = [(x, adjoints) for x in work.of_variables]
    return _product("vjp", program, work, ports, primal, _named("cotangent", work.variables, work.results), values)


def jvp(program: Program, of: Names = None, wrt: Names = None, *, primal: bool = False) -> Program:
    """What `Program.jvp` gives."""
    work = Differentiable(program, of, wrt)
    ports, seeds = _seeds(program, work, "tangent", work.variables, work.of_variables)
    tangents = forward(work.graph, _between(work), seeds)
    values = [(y, tangents) for y in work.of_results]
    return _product("jvp", program, work, ports, primal, _named("tangent", work.results, work.results), values)


def _seeds(
    program: Program, work: Differentiable, word: str, ports: Sequence[Port], nodes_of: Sequence[Sequence[int]]
) -> tuple[list[Port], dict[int, int]]:
    """The inputs for the vector, behind those of the program, and what it adds up to at each node."""
    named = _named(word, ports, program.inputs)
    given = inputs_of(work.graph, named, start=sum(port.size for port in program.inputs))
    seeds: dict[int, int] = {}
    for nodes, scalars in zip(nodes_of, given, strict=True):
        for node, seed in zip(nodes, scalars, strict=True):  # one node may be several results
            seeds[node] = work.graph.add(seeds[node], seed) if node in seeds else seed
    return named, seeds


def _between(work: Differentiable) -> list[int]:
    """The nodes through which the results depend on the variables."""
    needed = cone(work.graph, (node for nodes in work.of_results for node in nodes))
    return dependents(work.graph, needed, (node for nodes in work.of_variables for node in nodes))


def _product(
    kind: str,
    program: Program,
    work: Differentiable,
    seeds: Sequence[Port],
    primal: bool,
    outputs: Sequence[Port],
    values: Iterable[tuple[Sequence[int], Mapping[int, int]]],
) -> Program:
    zero = work.graph.constant(0.0)
    products = [found.get(node, zero) for nodes, found in values for node in nodes]
    own = [node for nodes in work.of_results for node in nodes]
    nodes, results = live(work.graph.nodes, [*own, *products] if primal else products)
    ports = (*work.results, *outputs) if primal else tuple(outputs)
    return Program(f"{program.name}_{kind}", (*program.inputs, *seeds), ports, nodes, results)


def _named(word: str, ports: Sequence[Port], taken: Sequence[Port]) -> list[Port]:
    """Ports of the same shapes, ``WORD_X`` for X; with a number behind it where a port is called that already."""
    names = {port.name for port in taken}
    named = []
    for port in ports:
        tries = (f"{word}_{port.name}" + (f"_{k}" if k > 1 else "") for k in range(1, len(names) + 2))
        name = next(name for name in tries if name not in names)
        names.add(name)
        named.append(Port(name, port.shape))
    return named
