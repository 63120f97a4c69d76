"""Derivatives asked of armdyn's programs, by the name of the function, for functions cannot be sent."""

from collections.abc import Callable
from typing import Any

import numpy as np

import armdyn
from armdyn.program import Expr, Port, Program, derivative, interpret, rate, trace
from armdyn.program.accumulation import both_ways, entries
from armdyn.program.differentiation import cotangents_along
from armdyn.program.functions import less, less_equal
from armdyn.program.graph import Graph
from armdyn.program.operations import OPERATIONS

OPERATIONS_BY_NAME: dict[str, Callable[..., Any]] = {
    "neg": lambda a: -a, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "sqrt": np.sqrt, "exp": np.exp, "log": np.log, "tanh": np.tanh, "abs": abs, "sign": armdyn.sign,
    "floor": np.floor, "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b, "atan2": armdyn.arctan2, "pow": lambda a, b: a**b, "min": armdyn.minimum,
    "max": armdyn.maximum, "less": less, "less_equal": less_equal, "select": armdyn.select,
    "guard": lambda a, b: Expr(a.graph, a.graph.apply("guard", a.index, b.index)),
}  # fmt: skip


def weights(size: int) -> np.ndarray:
    """Of general values, the same in every process."""
    return np.cos(np.arange(1.0, size + 1.0))


def general(x: Any) -> Any:
    """(2, 3) of four scalars: products, a quotient, and what does not depend on x."""
    a, b, c, d = x
    return np.array([[a * b, np.sin(c) / d, 1.5], [b - d, a * b * c * d, np.exp(a) * np.cos(b)]])


def funnel(x: Any) -> Any:
    """One number of twelve, which is short in reverse."""
    return np.sin(x @ weights(12)) * (x[0] + x[1])


def fan(x: Any) -> Any:
    """Twelve numbers of one, at the end of a chain, which is short forward."""
    s = np.tanh(np.sin(np.exp(np.sin(x[0]))))
    return np.array([np.sin(w * s) for w in weights(12)])


def halves(x: Any) -> tuple[Any, Any]:
    """One result that wants the one way, and one that wants the other."""
    return funnel(x[:12]), fan(x[12:])


def branches(x: Any) -> Any:
    """Branches in branches, and what is used inside and outside of them."""
    a, b, c = x
    inner = armdyn.select(b < 0.5, a * a * c, b * c)
    return np.array([armdyn.select(a < b, inner * np.sin(c), a / c) + inner * a, armdyn.minimum(a * c, inner)])


def infinite_beside(x: Any) -> Any:
    """A branch whose derivative is infinite where it is not taken."""
    return armdyn.select(x[0] > 0.0, np.sqrt(x[0]) * x[1], x[0] * x[1] * x[1])


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    f.__name__: f for f in (general, funnel, fan, halves, branches, infinite_beside)
}


def by_operation(way: str, name: str, point: list[float]) -> np.ndarray:
    """The derivatives of one operation, accumulated one way, alone and within a product and a sum."""
    f = OPERATIONS_BY_NAME[name]
    graph = Graph()
    x = [graph.input(k) for k in range(len(point))]
    z: Expr = f(*(Expr(graph, k) for k in x))
    within = z * 3.0 + Expr(graph, x[-1])
    blocks = both_ways(graph, [[z.index, within.index]], [x])[way]
    return evaluated(graph, entries(blocks), point)


def one_way(way: str, name: str, point: list[float]) -> np.ndarray:
    """The Jacobian of a function, accumulated one way, flat."""
    graph = Graph()
    x = [graph.input(k) for k in range(len(point))]
    results = np.asarray(FUNCTIONS[name](np.array([Expr(graph, k) for k in x], dtype=object)))
    nodes = [y.index if isinstance(y, Expr) else graph.constant(y) for y in results.flat]
    return evaluated(graph, entries(both_ways(graph, [nodes], [x])[way]), point)


def evaluated(graph: Graph, results: list[int], point: Any) -> np.ndarray:
    """The values of nodes, one by one: what `live` and `Program` make of them has no part in it."""
    values: list[float] = []
    for name, *arguments in graph.nodes:
        if name == "input":
            values.append(float(point[arguments[0]]))
        elif name == "const":
            values.append(float(arguments[0]))
        else:
            values.append(float(OPERATIONS[str(name)].evaluate(*(np.float64(values[a]) for a in arguments))))
    return np.array([values[r] for r in results])


def traced(name: str, size: int) -> Program:
    """The function as a program of an array and of a number it does not use."""
    return trace(lambda x, unused: FUNCTIONS[name](x), [Port("x", (size,)), Port("unused", ())])


def derivative_of(name: str, point: Any) -> Any:
    """On numbers."""
    return derivative(FUNCTIONS[name], np.array(point))


def derivative_in_trace(name: str, point: Any) -> Any:
    """On traced scalars, beside the function itself, at 2 x and x / 2 in turn."""

    def both(x: Any) -> Any:
        at = np.array([s * 2.0 if k % 2 else s * 0.5 for k, s in enumerate(x)], dtype=object)
        jacobian = derivative(FUNCTIONS[name], at)
        return jacobian if isinstance(jacobian, tuple) else (jacobian,)

    found = interpret(trace(both, [Port("x", (len(point),))]), np.array(point))
    return tuple(found) if len(found) > 1 else found[0]


def rate_of(name: str, point: Any, direction: Any) -> Any:
    """On numbers."""
    return rate(FUNCTIONS[name], np.array(point), np.array(direction))


def gradient_of(name: str, point: Any, cotangents: list[Any]) -> Any:
    """Of the results with these cotangents, the first result twice among them, by x and by what nothing reads."""

    def first_twice(x: Any, unread: Any) -> Any:
        results = FUNCTIONS[name](x)
        results = results if isinstance(results, tuple) else (results,)
        return (*results, results[0])

    return tuple(cotangents_along(first_twice, [np.array(point), np.ones(2)], cotangents))


def second_derivative(point: Any) -> Any:
    """Of a * b * sin(c), an inner derivative at the very values of the outer one's argument."""
    return derivative(lambda x: derivative(lambda y: y[0] * y[1] * np.sin(x[2] * y[2]), x), np.array(point))


def with_numbers_from_elsewhere(point: Any, number: float) -> Any:
    """The argument is numbers, and what the function takes from elsewhere is traced."""
    program = trace(lambda s: derivative(lambda y: y * y * s, np.array(point)), [Port("s", ())])
    return interpret(program, number)[0]


def of_program(name: str, point: Any, of: Any, wrt: Any) -> Any:
    """Of a program, some outputs by some inputs."""
    program = traced(name, len(point)).derivative(of, wrt)
    return tuple(interpret(program, np.array(point), 0.3))


def product_of(way: str, name: str, point: Any, vectors: list[Any], primal: bool) -> Any:
    """Products of a program's Jacobian with vectors, "vjp" or "jvp", of both inputs; after the results, or alone."""
    program = getattr(traced(name, len(point)), way)(primal=primal)
    return tuple(interpret(program, np.array(point), 0.3, *vectors))


def length_of_derivative(name: str, size: int) -> str:
    """What it costs: the shorter way, block by block."""
    return str(traced(name, size).derivative().op_counts)


def length_in_trace(name: str, size: int) -> str:
    """What it costs beside the function itself, with which it shares what it can."""

    def beside(x: Any) -> Any:
        jacobian = derivative(FUNCTIONS[name], x)
        values = FUNCTIONS[name](x)
        return (
            *(values if isinstance(values, tuple) else (values,)),
            *(jacobian if isinstance(jacobian, tuple) else (jacobian,)),
        )

    return str(trace(beside, [Port("x", (size,))]).op_counts)


def length_of_rate(name: str, size: int) -> str:
    """What a rate along the first argument alone costs."""
    direction = np.eye(size)[0]
    return str(trace(lambda x: rate(FUNCTIONS[name], x, direction), [Port("x", (size,))]).op_counts)
