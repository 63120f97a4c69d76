"""Several programs merged into one, which computes their common terms once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from armdyn.base.errors import ShapeError, UnknownName
from armdyn.program.graph import Graph
from armdyn.program.operations import OPERATIONS
from armdyn.program.ports import Port, inputs_of
from armdyn.program.program import Program, live


def merged(programs: Sequence[Program], name: str, result: Callable[[Program, Port], str] | None = None) -> Program:
    """One program with the inputs and the results of all; inputs of one name are one input.

    Args:
        programs: the programs, in order.
        name: the name of the merged program.
        result: the name of a result; by default the program's own name, followed by that of the result if the program
            has several.

    Raises:
        ShapeError: if two inputs of one name have different shapes.
        UnknownName: if two results have one name.

    >>> robot = armdyn.load("ur5")
    >>> both = merged([robot.inverse_dynamics.program(), robot.mass_matrix.program()], "both")
    >>> [port.name for port in both.inputs], [port.name for port in both.outputs]
    (['q', 'qd', 'qdd'], ['inverse_dynamics', 'mass_matrix'])
    """
    ports: dict[str, Port] = {}
    for program in programs:
        for port in program.inputs:
            if ports.setdefault(port.name, port) != port:
                raise ShapeError(
                    f"{port.name!r} has shape {port.shape} in {program.name}, and {ports[port.name].shape} in another "
                    "function; functions that share work share their inputs"
                )
    graph = Graph()
    nodes = dict(zip(ports, inputs_of(graph, list(ports.values())), strict=True))
    operations = {name: partial(graph.apply, name) for name in OPERATIONS}
    results, outputs = [], []
    for program in programs:
        scalars = [node for port in program.inputs for node in nodes[port.name]]
        results += [node for array in program.replay(scalars, operations, graph.constant) for node in array]
        outputs += [Port((result or _renamed_ports)(program, port), port.shape) for port in program.outputs]
    _refuse_same([port.name for port in outputs], name)
    return Program(name, tuple(ports.values()), tuple(outputs), *live(graph, results))


def _renamed_ports(program: Program, port: Port) -> str:
    return program.name if len(program.outputs) == 1 else f"{program.name}_{port.name}"


def _refuse_same(names: Sequence[str], program: str) -> None:
    duplicates = sorted({name for name in names if names.count(name) > 1})
    if duplicates:
        raise UnknownName(
            f"{program}: several results are called {', '.join(duplicates)}; give the programs other names"
        )
