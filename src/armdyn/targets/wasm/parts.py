"""A program in parts, each a function of its own, that pass values on in memory.

Engines accept 50,000 locals and bodies of 7,654,321 bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from armdyn.program.graph import Node
from armdyn.program.ports import Port
from armdyn.program.program import Program
from armdyn.targets.llvm.sections import arguments_of

PART = 2_500
"""The most operations of one function.

The time of LLVM's back end grows with the square of the length of a basic block: the page of eight joints with friction
exports in a sixth of the time of parts of 20,000 operations. Its code is 6 % larger, and it steps as fast in Wasmtime.
"""

BYTES = 8
"""The size of a number, bytes."""


class NumberAddress(NamedTuple):
    """The place of a number: a pointer in LLVM IR, and a distance from it in bytes."""

    pointer: str
    offset: int


@dataclass(frozen=True)
class ProgramPart:
    """Consecutive operations of a program.

    Args:
        program: the operations; its inputs are the loaded numbers, its results the stored ones.
        loads: the addresses of the loaded numbers.
        stores: the addresses of the stored numbers.
    """

    program: Program
    loads: tuple[NumberAddress, ...]
    stores: tuple[NumberAddress, ...]


def input_pointer(k: int) -> str:
    """The pointer to the k-th input."""
    return f"%in{k}"


def output_pointer(k: int) -> str:
    """The pointer to the k-th output."""
    return f"%out{k}"


def address_constant(address: int) -> str:
    """A pointer to a fixed place in memory."""
    return f"inttoptr (i32 {address} to ptr)"


def count_of(program: Program, part: int = PART) -> int:
    """The number of functions into which a program is divided; 1 if it is not."""
    return len(_stretches(program, part))


def passed_on(program: Program, part: int = PART) -> int:
    """The number of values that parts of a program pass on to later ones."""
    return len(_crossing(program, _stretches(program, part)))


def parts_of(program: Program, scratch: int, part: int = PART) -> list[ProgramPart]:
    """The parts of a program, in order.

    Args:
        program: the program to divide.
        scratch: the address of memory for the values that parts pass on, `passed_on` in number.
        part: the most operations of a part.
    """
    stretches = _stretches(program, part)
    writer = _Parts(program, _crossing(program, stretches), address_constant(scratch))
    return [writer.part(inside, last=inside is stretches[-1]) for inside in stretches]


def _stretches(program: Program, part: int) -> list[list[int]]:
    """The operations of each part."""
    operations = [k for k, node in enumerate(program.nodes) if node[0] not in ("const", "input")]
    return [operations[k : k + part] for k in range(0, len(operations), part)] or [[]]


def _crossing(program: Program, stretches: Sequence[Sequence[int]]) -> dict[int, int]:
    """The values that a later part reads, numbered."""
    part_of = {index: k for k, inside in enumerate(stretches) for index in inside}
    result: dict[int, int] = {}
    for index, k in part_of.items():
        for argument in arguments_of(program.nodes[index]):
            if part_of.get(argument, k) != k:
                result.setdefault(argument, len(result))
    return result


class _Parts:
    """The places of a program's numbers, from which its parts follow."""

    def __init__(self, program: Program, crossing: Mapping[int, int], scratch: str) -> None:
        self.nodes, self.crossing = program.nodes, crossing
        self.inputs = _addresses(program.inputs, input_pointer)
        self.results = list(zip(program.results, _addresses(program.outputs, output_pointer), strict=True))
        self.slots = {index: NumberAddress(scratch, BYTES * slot) for index, slot in crossing.items()}

    def part(self, inside: Sequence[int], *, last: bool) -> ProgramPart:
        """A part of these operations; results that are inputs or constants are stored by the last one."""
        nodes: list[Node] = []
        places: dict[int, int] = {}
        loads: list[NumberAddress] = []

        def place(index: int) -> int:
            if index not in places:
                node = self.nodes[index]
                if node[0] != "const":
                    loads.append(self.inputs[int(node[1])] if node[0] == "input" else self.slots[index])
                    node = ("input", len(loads) - 1)
                places[index] = len(nodes)
                nodes.append(node)
            return places[index]

        for index in inside:
            arguments = [place(argument) for argument in arguments_of(self.nodes[index])]
            places[index] = len(nodes)
            nodes.append((str(self.nodes[index][0]), *arguments))
        mine = set(inside)
        stored = [
            (index, address)
            for index, address in self.results
            if index in mine or (last and self.nodes[index][0] in ("const", "input"))
        ]
        stored += [(index, address) for index, address in self.slots.items() if index in mine]
        results = tuple(place(index) for index, _ in stored)
        ports = (Port("loaded", (len(loads),)),), (Port("stored", (len(stored),)),)
        return ProgramPart(
            Program("part", *ports, tuple(nodes), results), tuple(loads), tuple(address for _, address in stored)
        )


def _addresses(ports: Sequence[Port], pointer: Callable[[int], str]) -> list[NumberAddress]:
    """The address of each number of the arrays, row-major."""
    return [NumberAddress(pointer(k), BYTES * j) for k, port in enumerate(ports) for j in range(port.size)]
