"""Programs of some of the results of another program."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from armdyn.base.errors import UnknownName
from armdyn.program.graph import Graph
from armdyn.program.operations import OPERATIONS
from armdyn.program.ports import inputs_of
from armdyn.program.program import Program, live


def with_results(program: Program, names: Iterable[str]) -> Program:
    """The program with these results only, in this order, and the nodes that they need; its inputs are unchanged.

    Raises:
        UnknownName: if the program does not have such a result.

    >>> from armdyn.program import Port, trace
    >>> both = trace(lambda x: (x * x, np.sin(x)), [Port("x", (2,))], ["squares", "sines"])
    >>> str(both.op_counts), str(with_results(both, ["sines"]).op_counts)
    ('2m + 2t', '2t')
    """
    outputs = {port.name: port for port in program.outputs}
    chosen = list(names)
    for name in chosen:
        if name not in outputs:
            raise UnknownName.of("result", name, outputs, program.name)
    graph = Graph()
    scalars = [node for nodes in inputs_of(graph, program.inputs) for node in nodes]
    operations = {name: partial(graph.apply, name) for name in OPERATIONS}
    result = dict(zip(outputs, program.replay(scalars, operations, graph.constant), strict=True))
    results = [node for name in chosen for node in result[name]]
    return Program(program.name, program.inputs, tuple(outputs[name] for name in chosen), *live(graph, results))
