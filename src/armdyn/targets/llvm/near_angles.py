"""Sine and cosine of an angle close to another one by addition theorems, for later stages of a step of a rollout.

A stage of a Runge-Kutta step requires sin(q + h v); sin q and cos q are known and h v is small. For x = a + b,

    sin x = sin a + (sin a (cos b - 1) + cos a sin b),    cos x = cos a + (cos a (cos b - 1) - sin a sin b),

where b = x - a is exact for a >= b, and short polynomials give sin b and cos b - 1: there is no multiple of pi/2 to
subtract and no quadrant to choose. The results are right to 1.5 units in the last place of 1. If b is not small for
some state, an arm of a select has the usual functions, which a group of states skips if it does not need them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import factorial

from armdyn.base.scalars import Scalar
from armdyn.program.expr import Expr
from armdyn.program.functions import less_equal, select
from armdyn.program.graph import Graph, Node
from armdyn.program.program import Program, live
from armdyn.targets.llvm.conditional import ALWAYS, LEAST_NODES, NODES_OF_A_CALL
from armdyn.targets.llvm.sections import LIBRARY, arguments_of, in_order

LIMIT = Fraction(1, 64)
"""The largest sum of b^2 of the angles of a stage."""

# Taylor polynomials, the last term of which is spread over the others (z^4 = 2 R z^3 - 5/4 R^2 z^2 + 1/4 R^3 z for
# z from 0 to R, to R^4/128): sin b = b + b^3 (s0 + s1 b^2 + ...), to 3e-20, and cos b - 1 = b^2 (c0 + c1 b^2 + ...),
# to 4e-18.
SPREAD = (0, LIMIT**3 / 4, -(LIMIT**2) * 5 / 4, LIMIT * 2)
SIN = tuple(float(Fraction((-1) ** k, factorial(2 * k + 1)) - SPREAD[k - 1] / factorial(11)) for k in (1, 2, 3, 4))
COS = tuple(float(Fraction((-1) ** k, factorial(2 * k)) - SPREAD[k - 1] / factorial(10)) for k in (1, 2, 3, 4))

Angles = dict[int, dict[str, int]]
"""The nodes of the sine and the cosine of an angle, as far as they exist, by angle and operation."""


def with_near_angles(program: Program) -> Program:
    """The program with sines of a sum by those of a part of the sum, if all other terms are products."""
    nodes, angles = program.nodes, _angles(program.nodes)
    close = _close(nodes, angles)
    if not close:
        return program
    needed = _nodes_needed(nodes, angles, close)
    groups = _groups(nodes, angles, close, needed)
    if not groups:
        return program
    arrays = {x: (x, a, angles[a]["sin"], angles[a]["cos"]) for x, a in close.items()}
    group_of = {index: group for group in groups for x in group for index in angles[x].values()}
    needed |= {index: [one for x in group for one in arrays[x]] for index, group in group_of.items()}
    graph, place = Graph(), dict[int, int]()
    for index in in_order(needed):
        if index not in group_of:
            place[index] = _copied(graph, nodes[index], place)
        elif index not in place:
            result = _near({x: [Expr(graph, place[one]) for one in arrays[x]] for x in group_of[index]})
            place |= {angles[x][operation]: result[x][operation].index for x in result for operation in angles[x]}
    return Program(program.name, program.inputs, program.outputs, *live(graph, [place[r] for r in program.results]))


def _angles(nodes: Sequence[Node]) -> Angles:
    """The angles of which a program has sines or cosines."""
    result: Angles = {}
    for index, node in enumerate(nodes):
        if node[0] in ("sin", "cos"):
            result.setdefault(arguments_of(node)[0], {})[str(node[0])] = index
    return result


def _close(nodes: Sequence[Node], angles: Angles) -> dict[int, int]:
    """The angles that are another angle plus products, which may be small, each with that of the fewest products."""
    terms_of_angles = {a: _terms(nodes, a) for a, of in angles.items() if len(of) == 2}
    result: dict[int, int] = {}
    for x in angles:
        terms, fewest = _terms(nodes, x), len(nodes)
        for a, own in terms_of_angles.items():
            rest = terms - own
            if rest and not own - terms and all(nodes[term][0] == "mul" for term in rest) and rest.total() < fewest:
                result[x], fewest = a, rest.total()
    return {x: a for x, a in result.items() if a not in result}


def _terms(nodes: Sequence[Node], index: int) -> Counter[int]:
    """The terms of the sum that an angle is."""
    terms, remaining = Counter[int](), [index]
    while remaining:
        one = remaining.pop()
        if nodes[one][0] == "add":
            remaining += arguments_of(nodes[one])
        else:
            terms[one] += 1
    return terms


def _nodes_needed(nodes: Sequence[Node], angles: Angles, close: Mapping[int, int]) -> dict[int, list[int]]:
    """The nodes from which every node is computed; for a close angle the other angle's sine and cosine too."""
    needed = {index: [*arguments_of(node)] for index, node in enumerate(nodes)}
    for x, a in close.items():
        for index in angles[x].values():
            needed[index] += angles[a].values()
    return needed


def _groups(
    nodes: Sequence[Node], angles: Angles, close: Iterable[int], needed: Mapping[int, Sequence[int]]
) -> list[list[int]]:
    """The angles computed together, after equally many batches of library functions, unless they are few."""
    behind = [0] * len(nodes)
    for index in in_order(needed):
        behind[index] = max((behind[a] for a in needed[index]), default=0) + (nodes[index][0] in LIBRARY)
    groups: dict[int, list[int]] = {}
    for x in close:
        groups.setdefault(max(behind[index] for index in angles[x].values()), []).append(x)
    fewest = LEAST_NODES / NODES_OF_A_CALL
    return [group for group in groups.values() if sum(len(angles[x]) for x in group) >= fewest]


def _copied(graph: Graph, node: Node, place: Mapping[int, int]) -> int:
    """A node of a program in another graph."""
    operation = str(node[0])
    if operation == "input":
        return graph.input(int(node[1]))
    if operation == "const":
        return graph.constant(float(node[1]))
    return graph.apply(operation, *(place[a] for a in arguments_of(node)))


def _near(arrays: Mapping[int, Sequence[Scalar]]) -> dict[int, dict[str, Expr]]:
    """sin x and cos x of angles that are computed together, from x, a, sin a and cos a of each."""
    offsets = {angle: x - a for angle, (x, a, _, _) in arrays.items()}
    squares = {angle: b * b for angle, b in offsets.items()}
    are_near = less_equal(sum(squares.values()), float(LIMIT))
    result = {}
    for angle, (x, _, sin_a, cos_a) in arrays.items():
        b, z = offsets[angle], squares[angle]
        sin_b, less_one = b + (b * z) * _polynomial(z, SIN), z * _polynomial(z, COS)
        sin_x, cos_x = sin_a + (sin_a * less_one + cos_a * sin_b), cos_a + (cos_a * less_one - sin_a * sin_b)
        result[angle] = {
            "sin": select(are_near, _always(sin_x), x.sin()),
            "cos": select(are_near, _always(cos_x), x.cos()),
        }
    return result


def _always(value: Expr) -> Expr:
    """A value that is computed also if it does not count, which is rare."""
    return Expr(value.graph, value.graph.apply(ALWAYS, value.index))


def _polynomial(z: Expr, coefficients: Sequence[float]) -> Scalar:
    value: Scalar = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        value = coefficient + z * value
    return value
