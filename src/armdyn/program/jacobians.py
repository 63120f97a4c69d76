"""Derivatives of a program as programs: its Jacobian, and products of the Jacobian with vectors.

A product is an adjoint program (vjp) or a tangent program (jvp): one accumulation over the nodes, in reverse or
forward, of all results and variables together; no Jacobian is formed. So a product takes two to three times the
operations of the function, however many inputs and outputs it has.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.program.accumulation import adjoints, both_ways, choose_blocks, entries, seeds_of, shortest, tangents
from armdyn.program.differentiable import Differentiable
from armdyn.program.ports import Names, Port, inputs_of, unused
from armdyn.program.program import Program, live


def differentiated(program: Program, of: Names, wrt: Names) -> Program:
    """The program of the derivatives of outputs ``of`` by inputs ``wrt``, as in `Program.derivative`."""
    work = Differentiable(program, of, wrt)
    both = both_ways(work.graph, work.of_results, work.of_variables)
    blocks = choose_blocks(both, shortest(work.graph, both, present=0))
    nodes, live_results = live(work.graph, entries(blocks))
    pairs = [(y, x) for y in work.results for x in work.variables]
    outputs = tuple(Port(f"d_{y.name}_d_{x.name}", (*y.shape, *x.shape)) for y, x in pairs)
    return Program(f"{program.name}_derivative", program.inputs, outputs, nodes, live_results)


def vjp(program: Program, of: Names = None, wrt: Names = None, *, primal: bool = False) -> Program:
    """The adjoint program, with the inputs and outputs of `Program.vjp`."""
    work = Differentiable(program, of, wrt)
    results, variables = _all(work.of_results), _all(work.of_variables)
    ports, vector = _vector(program, work, "cotangent", work.results)
    result = adjoints(work.graph, seeds_of(work.graph, results, vector), variables)
    outputs = _derived_ports("cotangent", work.variables, work.results)
    return _product("vjp", program, work, ports, primal, outputs, [result.get(x) for x in variables])


def jvp(program: Program, of: Names = None, wrt: Names = None, *, primal: bool = False) -> Program:
    """The tangent program, with the inputs and outputs of `Program.jvp`."""
    work = Differentiable(program, of, wrt)
    results, variables = _all(work.of_results), _all(work.of_variables)
    ports, vector = _vector(program, work, "tangent", work.variables)
    result = tangents(work.graph, seeds_of(work.graph, variables, vector), results)
    outputs = _derived_ports("tangent", work.results, work.results)
    return _product("jvp", program, work, ports, primal, outputs, [result.get(y) for y in results])


def _all(nodes_of: Sequence[Sequence[int]]) -> list[int]:
    return [node for nodes in nodes_of for node in nodes]


def _vector(program: Program, work: Differentiable, word: str, like: Sequence[Port]) -> tuple[list[Port], list[int]]:
    """The inputs for a vector, after those of the program, and their nodes."""
    ports = _derived_ports(word, like, program.inputs)
    return ports, _all(inputs_of(work.graph, ports, start=sum(port.size for port in program.inputs)))


def _product(
    kind: str,
    program: Program,
    work: Differentiable,
    vectors: Sequence[Port],
    primal: bool,
    outputs: Sequence[Port],
    of_entries: Sequence[int | None],
) -> Program:
    """The program of a product, with zero for entries that are None."""
    zero = work.graph.constant(0.0)
    products = [zero if entry is None else entry for entry in of_entries]
    nodes, results = live(work.graph, [*_all(work.of_results), *products] if primal else products)
    ports = (*work.results, *outputs) if primal else tuple(outputs)
    return Program(f"{program.name}_{kind}", (*program.inputs, *vectors), ports, nodes, results)


def _derived_ports(word: str, ports: Sequence[Port], taken: Sequence[Port]) -> list[Port]:
    """Ports with the shapes of ``ports``, ``WORD_X`` for X, with a number appended if that name is taken."""
    names = [port.name for port in taken]
    for port in ports:
        names.append(unused(f"{word}_{port.name}", names))
    return [Port(name, port.shape) for name, port in zip(names[len(taken) :], ports, strict=True)]
