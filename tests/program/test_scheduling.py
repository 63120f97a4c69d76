"""The order of the arithmetic of compiled functions: a valid one, always the same, with shorter waiting."""

import pytest

import armdyn
from armdyn.program.graph import Node
from armdyn.targets.llvm.scheduling import CYCLES, CYCLES_OF_OTHERS, REGISTER_LIMITS, RegisterLimits, schedule
from armdyn.targets.llvm.sections import Arithmetic, arguments_of, cut

FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_dynamics_derivatives")
LOOKS_AHEAD = 97
"""Instructions that wait at a time in a scheduler of today, which looks for those that can begin."""


def stretches(robot: str, function: str) -> list[tuple[tuple[Node, ...], tuple[int, ...], dict[int, int]]]:
    """Nodes of the program, the indices of a stretch in their traced order, the slots of what is stored."""
    plan = cut(armdyn.load(robot).program(function))
    return [(plan.nodes, one.nodes, plan.slots) for one in plan.sections if isinstance(one, Arithmetic)]


def cycles(nodes: tuple[Node, ...], order: list[int]) -> int:
    """Until all results are there, of a processor that begins two instructions a cycle, the first of a few that can."""
    known = set(order)
    there: dict[int, int] = {}
    waiting, cycle = list(order), 0
    while waiting:
        can = [
            index
            for index in waiting[:LOOKS_AHEAD]
            if all(a not in known or there.get(a, cycle + 1) <= cycle for a in arguments_of(nodes[index]))
        ][:2]
        there |= {index: cycle + CYCLES.get(str(nodes[index][0]), CYCLES_OF_OTHERS) for index in can}
        waiting = [index for index in waiting if index not in can]
        cycle += 1
    return max(there.values())


@pytest.mark.parametrize("room", REGISTER_LIMITS.values(), ids=map(str, REGISTER_LIMITS))
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("robot", ["ur5", "stanford"])
def test_every_node_once_behind_those_that_it_reads(robot: str, function: str, room: RegisterLimits) -> None:
    for nodes, stretch, slots in stretches(robot, function):
        order = schedule(nodes, stretch, slots, room)
        assert sorted(order) == sorted(stretch)
        place = {index: k for k, index in enumerate(order)}
        assert all(place.get(a, -1) < place[index] for index in order for a in arguments_of(nodes[index]))
        assert schedule(nodes, stretch, slots, room) == order


@pytest.mark.parametrize("robot", ["ur5", "stanford", "puma560"])
def test_chains_overlap(robot: str) -> None:
    nodes, stretch, slots = max(stretches(robot, "forward_dynamics"), key=lambda one: len(one[1]))
    assert cycles(nodes, schedule(nodes, stretch, slots, REGISTER_LIMITS[32])) < 0.85 * cycles(nodes, list(stretch))


@pytest.mark.parametrize("room", REGISTER_LIMITS.values(), ids=map(str, REGISTER_LIMITS))
def test_independent_values_do_not_fill_the_registers(room: RegisterLimits) -> None:
    """Many products that only a sum at the end reads: they are not all computed first."""
    count = 8 * room.values
    nodes: list[Node] = [("input", 0), ("input", 1)]
    products = []
    for k in range(count):
        nodes += [("const", float(k + 2)), ("sub", 0, len(nodes)), ("mul", len(nodes) + 1, 1)]
        products.append(len(nodes) - 1)
    total = products[0]
    for product in products[1:]:
        nodes.append(("add", total, product))
        total = len(nodes) - 1
    stretch = [index for index, node in enumerate(nodes) if node[0] not in ("input", "const")]
    order = schedule(nodes, stretch, {total}, room)
    read_last = {a: place for place, index in enumerate(order) for a in arguments_of(nodes[index])}
    most = max(sum(read_last.get(order[j], k) > k for j in range(k + 1)) for k in range(len(order)))
    assert most < 2 * room.values
