"""Guards: results are NaN for NaN inputs, also if they do not depend on the input that is NaN.

The torque of an arm on a vertical axis does not depend on the first angle, but a state whose first angle is NaN is
invalid. Compiled functions have a guard for inputs that their program does not read; the program itself is unchanged.
"""

from __future__ import annotations

import dataclasses

from armdyn.program.graph import Node
from armdyn.program.program import Program


def guarded(program: Program) -> Program:
    """The program with every non-constant result made NaN if an input it does not read is NaN or infinite."""
    read = {node[1] for node in program.nodes if node[0] == "input"}
    unread = [k for k in range(sum(port.size for port in program.inputs)) if k not in read]
    if not unread:
        return program
    nodes: list[Node] = list(program.nodes)

    def append(*node: str | int) -> int:
        nodes.append(node)
        return len(nodes) - 1

    sentinel = append("input", unread[0])
    for position in unread[1:]:
        sentinel = append("guard", sentinel, append("input", position))
    of_value: dict[int, int] = {}
    for index in program.results:
        if index not in of_value:
            is_constant = program.nodes[index][0] == "const"
            of_value[index] = index if is_constant else append("guard", index, sentinel)
    return dataclasses.replace(program, nodes=tuple(nodes), results=tuple(of_value[r] for r in program.results))
