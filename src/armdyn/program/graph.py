"""The graph of one trace: every distinct operation once, zeros, ones and constants folded away.

A node is a tuple ``(operation, argument, ...)`` whose arguments are indices of earlier nodes, or
``("const", value)``, or ``("input", position)``. Nodes are hash-consed: a request for an existing
node returns that node, so common subexpressions are computed once.

The rules below keep two normal forms that make more subexpressions equal: negations move outwards
(-a * b is written -(a * b)), and a constant factor is positive and comes second.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Iterable, Mapping

from armdyn.base.errors import TraceError
from armdyn.program.operations import OPERATIONS

Node = tuple[str | int | float, ...]

ODD_FUNCTIONS = frozenset({"sin", "tan", "asin", "atan", "tanh", "sign"})
EVEN_FUNCTIONS = frozenset({"cos", "abs"})


class Graph:
    """The growing list of nodes to which the `Expr` of one trace refer."""

    __slots__ = ("_known", "nodes")

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._known: dict[Node, int] = {}

    def _node(self, node: Node) -> int:
        index = self._known.get(node)
        if index is None:
            index = self._known[node] = len(self.nodes)
            self.nodes.append(node)
        return index

    def copy(self) -> Graph:
        """An independent copy with equal nodes and indices."""
        twin = Graph()
        twin.nodes, twin._known = self.nodes.copy(), self._known.copy()
        return twin

    def input(self, position: int) -> int:
        """The node of the input scalar at ``position``."""
        return self._node(("input", position))

    def variable(self) -> int:
        """A new node in place of a value that `replayed` inserts later."""
        return self._node(("input", -1 - len(self.nodes)))  # no other has this position: the list only grows

    def arguments(self, index: int) -> tuple[int, ...]:
        """The nodes that a node is computed from."""
        node = self.nodes[index]
        return () if node[0] in ("input", "const") else node[1:]  # type: ignore[return-value]

    def constant(self, value: float) -> int:
        """The node of a constant; NaN is refused, because no equation of motion contains it."""
        value = float(value)
        if math.isnan(value):
            raise TraceError("a constant in the traced function is NaN; find where it was made and give it a number")
        return self._node(("const", value + 0.0))  # + 0.0 turns -0.0 into 0.0

    def value_of(self, index: int) -> float | None:
        """The number that a node is, or None if it depends on an input."""
        node = self.nodes[index]
        return node[1] if node[0] == "const" else None  # type: ignore[return-value]

    def _negated(self, index: int) -> int | None:
        """a, if the node is -a; else None."""
        node = self.nodes[index]
        return node[1] if node[0] == "neg" else None  # type: ignore[return-value]

    def apply(self, name: str, *arguments: int) -> int:
        """The node of an operation on nodes, simplified."""
        nodes = self.nodes
        for a in arguments:
            if nodes[a][0] != "const":
                break
        else:
            return self.constant(_of_constants(name, *(nodes[a][1] for a in arguments)))  # type: ignore[arg-type]
        rule = _RULES.get(name)
        return rule(self, *arguments) if rule else self._node((name, *arguments))

    def neg(self, a: int) -> int:
        """-a."""
        value = self.value_of(a)
        if value is not None:
            return self.constant(-value)
        inner = self._negated(a)
        return self._node(("neg", a)) if inner is None else inner

    def _is_plain(self, index: int) -> bool:
        """True if no rule for sums applies to a node: it is not a constant, a negation or a product with a constant."""
        node = self.nodes[index]
        if node[0] == "mul":
            return self.nodes[node[2]][0] != "const"  # type: ignore[index]
        return node[0] not in ("const", "neg")

    def add(self, a: int, b: int) -> int:
        """a + b."""
        if self._is_plain(a) and self._is_plain(b):
            return self._node(("add", a, b) if a <= b else ("add", b, a))
        if self.value_of(a) is not None:
            a, b = b, a
        constant = self.value_of(b)
        if constant == 0.0:
            return a
        minus_a, minus_b = self._negated(a), self._negated(b)
        if minus_b is not None:
            return self.sub(a, minus_b)  # if a is negated too, sub factors out both signs
        if minus_a is not None:
            return self.sub(b, minus_a)
        together = self._multiple_of_both(a, b, 1.0)
        if together is not None:
            return together
        if constant is None and b < a:
            a, b = b, a
        return self._node(("add", a, b)) if constant is None else self._add_constant(a, b, constant)

    def _add_constant(self, a: int, b: int, constant: float) -> int:
        node = self.nodes[a]
        inner = self.value_of(node[2]) if node[0] == "add" else None  # type: ignore[arg-type]
        if inner is not None and inner + constant != constant:  # (x + c1) + c2, unless c1 is below the rounding of c2
            return self.add(node[1], self.constant(inner + constant))  # type: ignore[arg-type]
        return self._node(("add", a, b))

    def sub(self, a: int, b: int) -> int:
        """a - b."""
        if a != b and self._is_plain(a) and self._is_plain(b):
            return self._difference(a, b)
        together = self.constant(0.0) if a == b else self._multiple_of_both(a, b, -1.0)
        if together is not None:
            return together
        constant = self.value_of(b)
        if constant is not None:
            return self.add(a, self.constant(-constant))
        minus_a, minus_b = self._negated(a), self._negated(b)
        if minus_b is not None:
            return self.sub(minus_b, minus_a) if minus_a is not None else self.add(a, minus_b)
        if minus_a is not None:
            return self.neg(self.add(minus_a, b))
        return self.neg(b) if self.value_of(a) == 0.0 else self._difference(a, b)

    def _difference(self, a: int, b: int) -> int:
        """a - b without further rules, as -(b - a) if that node exists."""
        opposite = self._known.get(("sub", b, a))
        return self._node(("sub", a, b)) if opposite is None else self.neg(opposite)

    def _multiple_of_both(self, a: int, b: int, sign: float) -> int | None:
        """(c1 + sign c2) x, if the nodes are c1 x and c2 x; x + x stays a sum."""
        (x, c1), (y, c2) = self._factors(a), self._factors(b)
        c = c1 + sign * c2
        if x != y or c1 == c2 == sign == 1.0 or not (c == 0.0 or _is_ordinary(c)):
            return None
        return self._mul_constant(x, c)

    def _factors(self, index: int) -> tuple[int, float]:
        """The node without its constant factor, and the factor."""
        node = self.nodes[index]
        factor = self.value_of(node[2]) if node[0] == "mul" else None  # type: ignore[arg-type]
        return (index, 1.0) if factor is None else (node[1], factor)  # type: ignore[return-value]

    def mul(self, a: int, b: int) -> int:
        """a * b."""
        first, second = self.nodes[a], self.nodes[b]
        if first[0] == "neg" or second[0] == "neg":
            minus_a, minus_b = self._negated(a), self._negated(b)
            product = self.mul(a if minus_a is None else minus_a, b if minus_b is None else minus_b)
            return product if minus_a is not None and minus_b is not None else self.neg(product)
        if first[0] == "const":
            a, b, first, second = b, a, second, first
        if second[0] == "const":
            return self._mul_constant(a, second[1])  # type: ignore[arg-type]
        if ("sign", a) == second or ("sign", b) == first:
            return self._even("abs", a if ("sign", a) == second else b)
        return self._node(("mul", a, b) if a <= b else ("mul", b, a))

    def _mul_constant(self, a: int, constant: float) -> int:
        if constant == 0.0:
            return self.constant(0.0)
        if constant == 1.0:
            return a
        if constant < 0.0:
            return self.neg(self._mul_constant(a, -constant))
        node = self.nodes[a]
        inner = self.value_of(node[2]) if node[0] == "mul" else None  # type: ignore[arg-type]
        if inner is not None and _is_ordinary(inner * constant):  # (x * c1) * c2
            return self._mul_constant(node[1], inner * constant)  # type: ignore[arg-type]
        return self._node(("mul", a, self.constant(constant)))

    def div(self, a: int, b: int) -> int:
        """a / b."""
        constant = self.value_of(b)
        if constant == 0.0:
            raise TraceError("the traced function divides by the constant zero")
        if constant is not None and (math.isinf(constant) or _is_ordinary(1.0 / constant)):
            return self.mul(a, self.constant(1.0 / constant))
        minus_a, minus_b = self._negated(a), self._negated(b)
        if minus_a is not None or minus_b is not None:
            quotient = self.div(a if minus_a is None else minus_a, b if minus_b is None else minus_b)
            return quotient if minus_a is not None and minus_b is not None else self.neg(quotient)
        if self.value_of(a) == 0.0:
            return a
        return self._node(("div", a, b))

    def _odd(self, name: str, a: int) -> int:
        """f(-a) = -f(a)."""
        inner = self._negated(a)
        return self._node((name, a)) if inner is None else self.neg(self._node((name, inner)))

    def _even(self, name: str, a: int) -> int:
        """f(-a) = f(a)."""
        inner = self._negated(a)
        return self._node((name, a if inner is None else inner))

    def _max(self, a: int, b: int) -> int:
        """The larger one of two; for a magnitude and a constant that is not positive it is the magnitude."""
        for size, constant in ((a, self.value_of(b)), (b, self.value_of(a))):
            if self.nodes[size][0] == "abs" and constant is not None and constant <= 0.0:
                return size
        return self._node(("max", a, b))

    def _select(self, condition: int, if_true: int, if_false: int) -> int:
        value = self.value_of(condition)
        if value is not None:
            return if_true if value else if_false
        return if_true if if_true == if_false else self._node(("select", condition, if_true, if_false))


def _of_constants(name: str, *values: float) -> float:
    """An operation on constants. Python's arithmetic is NumPy's if the result is finite, and ten times as fast."""
    arithmetic = _ARITHMETIC.get(name)
    value = math.inf if arithmetic is None else arithmetic(*values)
    return value if math.isfinite(value) else OPERATIONS[name].of_constants(*values)


_ARITHMETIC: dict[str, Callable[..., float]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
}


def _is_ordinary(constant: float) -> bool:
    """True if a constant computed from others has full precision, without overflow or underflow."""
    return sys.float_info.min <= abs(constant) < math.inf


def replayed(source: Graph, target: Graph, results: Iterable[int], values: Mapping[int, int]) -> dict[int, int]:
    """Indices in ``target`` of the nodes that ``results`` need, after replacing nodes of ``source`` by ``values``.

    ``source`` began as a copy of ``target``, or of an earlier state of it: nodes from then that do not depend on the
    replaced ones keep their indices.
    """
    place = dict(values)
    for index in cone(source, results):
        if index in place:
            continue
        node = source.nodes[index]
        arguments = source.arguments(index)
        moved = tuple(place[a] for a in arguments)
        if moved == arguments and index < len(target.nodes) and target.nodes[index] == node:
            place[index] = index
        elif arguments:
            place[index] = target.apply(str(node[0]), *moved)
        else:
            place[index] = target._node(node)
    return place


def cone(graph: Graph, results: Iterable[int]) -> list[int]:
    """The nodes from which ``results`` are computed, themselves included, in order."""
    nodes, needed = graph.nodes, set(results)
    pending = list(needed)
    while pending:
        node = nodes[pending.pop()]
        if node[0] in ("input", "const"):
            continue
        for argument in node[1:]:
            if argument not in needed:
                needed.add(argument)  # type: ignore[arg-type]
                pending.append(argument)  # type: ignore[arg-type]
    return sorted(needed)


def _parity_rule(name: str, rule: Callable[[Graph, str, int], int]) -> Callable[[Graph, int], int]:
    return lambda graph, a: rule(graph, name, a)


_RULES: dict[str, Callable[..., int]] = {
    "add": Graph.add,
    "sub": Graph.sub,
    "mul": Graph.mul,
    "div": Graph.div,
    "neg": Graph.neg,
    "max": Graph._max,
    "select": Graph._select,
    **{name: _parity_rule(name, Graph._odd) for name in ODD_FUNCTIONS},
    **{name: _parity_rule(name, Graph._even) for name in EVEN_FUNCTIONS},
}
