"""The derivative of every operation, both ways, against differences in 50 digits of mpmath's own functions."""

from collections.abc import Callable

import numpy as np
import pytest
from mpmath import mp, mpf

import armdyn
from armdyn.program import Expr, Port, interpret, trace
from armdyn.program.accumulation import both_ways, entries
from armdyn.program.functions import less, less_equal
from armdyn.program.graph import Graph
from armdyn.program.operations import OPERATIONS
from armdyn.program.partials import PARTIALS
from armdyn.program.program import Program, live
from armdyn.targets import compile_program

STEP = mpf(10) ** -20


def mp_select(condition: mpf, if_true: mpf, if_false: mpf) -> mpf:
    return if_true if condition != 0 else if_false


UNARY: dict[str, tuple[Callable, Callable, tuple[float, ...]]] = {
    "neg": (lambda a: -a, lambda a: -a, (0.7, -1.3)),
    "sin": (np.sin, mp.sin, (0.7, -2.9)),
    "cos": (np.cos, mp.cos, (0.7, -2.9)),
    "tan": (np.tan, mp.tan, (0.7, -1.2)),
    "asin": (np.arcsin, mp.asin, (0.7, -0.2)),
    "acos": (np.arccos, mp.acos, (0.7, -0.2)),
    "atan": (np.arctan, mp.atan, (0.7, -8.0)),
    "sqrt": (np.sqrt, mp.sqrt, (0.7, 13.0)),
    "exp": (np.exp, mp.exp, (0.7, -3.0)),
    "log": (np.log, mp.log, (0.7, 13.0)),
    "tanh": (np.tanh, mp.tanh, (0.7, -2.0)),
    "abs": (abs, abs, (0.7, -2.0)),
    "sign": (armdyn.sign, mp.sign, (0.7, -2.0)),
    "floor": (np.floor, mp.floor, (0.7, -2.4)),
}
BINARY = {
    "add": (lambda a, b: a + b, lambda a, b: a + b, ((0.7, -1.3),)),
    "sub": (lambda a, b: a - b, lambda a, b: a - b, ((0.7, -1.3),)),
    "mul": (lambda a, b: a * b, lambda a, b: a * b, ((0.7, -1.3),)),
    "div": (lambda a, b: a / b, lambda a, b: a / b, ((0.7, -1.3), (-2.0, 5.0))),
    "atan2": (armdyn.arctan2, mp.atan2, ((0.7, 1.3), (0.7, -1.3), (-0.7, -1.3), (-2.0, 0.1))),
    "pow": (lambda a, b: a**b, lambda a, b: a**b, ((0.7, -1.3), (2.5, 0.5), (3.0, 2.0))),
    "min": (armdyn.minimum, min, ((0.7, -1.3), (-1.3, 0.7))),
    "max": (armdyn.maximum, max, ((0.7, -1.3), (-1.3, 0.7))),
    "less": (less, lambda a, b: mpf(a < b), ((0.7, -1.3), (-1.3, 0.7))),
    "less_equal": (less_equal, lambda a, b: mpf(a <= b), ((0.7, -1.3), (-1.3, 0.7))),
}
TERNARY = {"select": (armdyn.select, mp_select, ((1.0, 0.7, -1.3), (0.0, 0.7, -1.3)))}
RULES = {name: (f, exact, [np.atleast_1d(p) for p in points])
         for table in (UNARY, BINARY, TERNARY) for name, (f, exact, points) in table.items()}  # fmt: skip


def differences(exact: Callable, point: np.ndarray) -> np.ndarray:
    """Central differences in 50 digits; their error is the square of the step."""
    result = []
    with mp.workdps(50):
        at = [mpf(float(p)) for p in point]
        for k in range(len(at)):
            high, low = (exact(*(a + s * STEP if k == j else a for j, a in enumerate(at))) for s in (1, -1))
            result.append(float((high - low) / (2 * STEP)))
    return np.array(result)


def way(name: str, f: Callable, size: int) -> Program:
    """df/dx of a function of ``size`` scalars, accumulated one way."""
    graph = Graph()
    x = [graph.input(k) for k in range(size)]
    y: Expr = f(*(Expr(graph, k) for k in x))
    blocks = both_ways(graph, [[y.index]], [x])[name]
    nodes, results = live(graph, entries(blocks))
    return Program(name, (Port("x", (size,)),), (Port("dydx", (size,)),), nodes, results)


def test_every_operation_has_a_rule_and_every_rule_a_test() -> None:
    ways_of_their_own = {"select", "guard"}
    assert set(PARTIALS) | ways_of_their_own == set(OPERATIONS)
    assert set(RULES) | {"guard"} == set(OPERATIONS)
    assert all(len(partials) == OPERATIONS[name].arity for name, partials in PARTIALS.items())


@pytest.mark.parametrize("name", RULES)
def test_rule(name: str) -> None:
    """Steps have the derivative 0 wherever they are continuous, which the differences say as well."""
    f, exact, points = RULES[name]
    programs = [way(w, f, len(points[0])) for w in ("forward", "reverse")]
    for point in points:
        expected = differences(exact, point)
        for program in programs:
            np.testing.assert_allclose(interpret(program, point)[0], expected, rtol=1e-14, atol=0)


@pytest.mark.parametrize("w", ["forward", "reverse"])
def test_compiled_rules(w: str) -> None:
    """All rules in one program, each of inputs of its own."""
    graph, derivatives = Graph(), []
    sizes = [len(points[0]) for _, _, points in RULES.values()]
    inputs = iter([graph.input(k) for k in range(sum(sizes))])
    for (f, _, _), size in zip(RULES.values(), sizes, strict=True):
        x = [next(inputs) for _ in range(size)]
        y: Expr = f(*(Expr(graph, k) for k in x))
        derivatives += entries(both_ways(graph, [[y.index]], [x])[w])
    nodes, results = live(graph, derivatives)
    port = Port("x", (sum(sizes),))
    compiled = compile_program(Program(w, (port,), (Port("dydx", port.shape),), nodes, results))
    most = max(len(points) for _, _, points in RULES.values())
    for k in range(most):
        at = [points[k % len(points)] for _, _, points in RULES.values()]
        found = np.split(compiled(np.concatenate(at)), np.cumsum(sizes)[:-1])
        for (name, (_, exact, _)), point, derivative in zip(RULES.items(), at, found, strict=True):
            np.testing.assert_allclose(derivative, differences(exact, point), rtol=1e-14, atol=0, err_msg=name)


@pytest.mark.parametrize("name", RULES)
def test_chain_of_the_rule(name: str) -> None:
    """The operation between others: tangents and adjoints that are not 1."""
    f, exact, points = RULES[name]
    conditions = 1 if name == "select" else 0  # no derivative passes through a condition

    def chained(*x: Expr) -> Expr:
        inner = [v * 1.0 if k < conditions else v * 1.03 + x[-1] * 1e-3 for k, v in enumerate(x)]
        return np.sin(f(*inner)) * 2.0

    def exactly(*x: mpf) -> mpf:
        factors = mpf(1.03), mpf(1e-3)
        inner = [v if k < conditions else v * factors[0] + x[-1] * factors[1] for k, v in enumerate(x)]
        return mp.sin(exact(*inner)) * 2

    for w in ("forward", "reverse"):
        program = way(w, chained, len(points[0]))
        for point in points:
            actual, expected = interpret(program, point)[0], differences(exactly, point)
            np.testing.assert_allclose(actual, expected, rtol=1e-13, atol=1e-15)


def test_guard_passes_the_derivative_of_its_value_on_and_nan_with_it() -> None:
    for w in ("forward", "reverse"):
        graph = Graph()
        x = [graph.input(k) for k in range(2)]
        y = graph.apply("guard", graph.apply("mul", x[0], x[0]), x[1])
        blocks = both_ways(graph, [[y]], [x])[w]
        nodes, results = live(graph, entries(blocks))
        program = Program("g", (Port("x", (2,)),), (Port("y", (2,)),), nodes, results)
        np.testing.assert_array_equal(interpret(program, [3.0, 1.0])[0], [6.0, 0.0])
        assert np.isnan(interpret(program, [3.0, np.nan])[0][0])


@pytest.mark.parametrize(
    ("f", "at", "mean"),
    [
        (abs, 0.0, 0.0),
        (lambda x: armdyn.maximum(x, 2.0), 2.0, 0.5),
        (lambda x: armdyn.minimum(3.0 * x, x), 0.0, 2.0),
        (lambda x: armdyn.clip(x, -1.0, 1.0), 1.0, 0.5),
    ],
)
def test_at_a_kink_it_is_the_mean_of_both_sides(f: Callable, at: float, mean: float) -> None:
    assert armdyn.program.derivative(f, at) == mean


@pytest.mark.parametrize("f", [abs, np.sqrt, lambda x: armdyn.minimum(x, 1.0), lambda x: armdyn.maximum(0.0, x)])
def test_nan_is_not_lost(f: Callable) -> None:
    assert np.isnan(armdyn.program.derivative(f, np.nan))


@pytest.mark.parametrize("w", ["forward", "reverse"])
def test_a_branch_not_taken_passes_on_nothing(w: str) -> None:
    """Not even where its own derivative is infinite: d/dx of 1 + x below 1, of 2 + sqrt(x - 1) from there."""
    program = way(w, lambda x: armdyn.select(x < 1.5, 1.0 + x, 2.0 + np.sqrt(x - 1.0)), 1)
    np.testing.assert_array_equal(interpret(program, [[1.0], [0.5], [2.0]])[0].ravel(), [1.0, 1.0, 0.5])


@pytest.mark.parametrize(
    ("f", "cost"),
    [
        (lambda x: (np.sin(x), np.cos(x), np.sin(x) * np.cos(x)), {"sin": 1, "cos": 1}),
        (lambda x: (np.tan(x), np.tan(x) ** 2), {"tan": 1}),
        (lambda x: (np.exp(x), np.exp(x) * 3.0), {"exp": 1}),
        (lambda x: (np.tanh(x), 2.0 * np.tanh(x)), {"tanh": 1}),
        (lambda x: (np.sqrt(x), np.sqrt(x) * 2.0), {"sqrt": 1, "div": 1}),
    ],
)
def test_what_the_function_has_computed_is_used(f: Callable, cost: dict[str, int]) -> None:
    def with_derivative(x: Expr) -> tuple[Expr, ...]:
        return (*f(x), *armdyn.program.derivative(f, x))

    names = [node[0] for node in trace(with_derivative, [Port("x", ())]).nodes]
    dear = [name for name in names if name not in ("input", "const", "mul", "add", "sub", "neg")]
    assert {name: dear.count(name) for name in dear} == cost
