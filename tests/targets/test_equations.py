"""Programs as equations: what is printed reads back as the program, operation for operation."""

import ast
import math
import operator
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import armdyn
from armdyn.program import Port, Program, trace
from armdyn.program.interpret import evaluate
from armdyn.program.operations import OPERATIONS
from armdyn.targets.equations import Equations
from armdyn.targets.equations.symbol import Symbol
from oracles.short_run import each_once
from targets.exported import ROBOTS, arguments, assert_same, public_programs, single_operations
from targets.printed_mathematics import from_latex, from_unicode

MATH: dict[str, Callable[..., Any]] = {
    **{name: getattr(math, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt", "exp")},
    **{name: getattr(math, name) for name in ("log", "tanh", "pow")},
    **{name: getattr(operator, name) for name in ("add", "sub", "mul", "neg", "abs")},
    "div": operator.truediv,
    "sign": lambda x: float(np.sign(x)),
    "floor": lambda x: float(math.floor(x)),
    "min": min,
    "max": max,
    "less": lambda a, b: float(a < b),
    "less_equal": lambda a, b: float(a <= b),
    "select": lambda condition, a, b: a if condition != 0 else b,
    "guard": lambda value, unused: value + 0.0 * unused,
}
"""The operations on Python's floats."""

OPTIONS: list[dict[str, Any]] = [{}, {"longest": 1}, {"longest": 10_000}, {"named_constants": True}]


def module(source: str) -> Callable[..., Any]:
    """The function of a printed module."""
    names: dict[str, Any] = {}
    exec(compile(source, "printed", "exec"), names)  # noqa: S102
    return names[next(n.name for n in reversed(ast.parse(source).body) if isinstance(n, ast.FunctionDef))]


def flat(result: Any) -> list[float]:
    """The numbers of nested lists and tuples."""
    return [x for part in result for x in flat(part)] if isinstance(result, list | tuple) else [result]


def counted(source: str) -> Counter[str]:
    """The operations in the last function of a module, by the columns of operation counts."""
    columns = {ast.Add: "additions", ast.Sub: "additions", ast.Mult: "multiplications", ast.Div: "divisions"}
    words = {"quotient": "divisions", "minimum": "other", "maximum": "other", "power": "other"}
    words |= {name: operation.cost for name, operation in OPERATIONS.items() if operation.cost}
    words |= {f"arc{name[1:]}": "trigonometric" for name in ("asin", "acos", "atan", "atan2")}
    counts: Counter[str] = Counter()
    for node in ast.walk(ast.parse(source).body[-1]):
        if isinstance(node, ast.BinOp):
            counts[columns[type(node.op)]] += 1
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in words:
            counts[words[node.func.id]] += 1
    return counts


def assert_counts(source: str, program: Program) -> None:
    assert counted(source) == Counter({k: n for k, n in vars(program.op_counts).items() if n})


def assert_python_is_program(program: Program, **options: Any) -> None:
    """Bit by bit, on numbers and on arrays, and with its number of operations."""
    arrays = arguments(program)
    source = program.to_python(**options)
    function = module(source)
    assert_counts(source, program)
    for k in range(2):
        scalars = [float(x) for a in arrays for x in np.asarray(a[k]).flat]
        expected = program.replay(scalars, MATH)
        found = function(*(a[k].tolist() for a in arrays))
        assert flat(found) == [x for output in expected for x in output], program.name
    of_arrays = program.to_python(numpy=True, **options)
    assert_counts(of_arrays, program)
    results = module(of_arrays)(*arrays)
    results = results if isinstance(results, tuple) else (results,)
    assert_same(list(results), program, arrays)
    views = [
        a.reshape(len(a), port.size)[:, k]
        for a, port in zip(arrays, program.inputs, strict=True)
        for k in range(port.size)
    ]
    for result, expected in zip(results, evaluate(program, views), strict=True):
        columns = result.reshape(3, -1) if arrays else result.reshape(1, -1)
        for k, column in enumerate(expected):
            np.testing.assert_array_equal(columns[:, k], column, err_msg=program.name)


@pytest.mark.parametrize("robot", ROBOTS)
def test_python_of_every_public_function(robot: str) -> None:
    for _, program in public_programs(robot):
        assert_python_is_program(program)


def test_python_of_every_operation() -> None:
    for program in single_operations():
        assert_python_is_program(program)


@pytest.mark.short_run("puma560-{}", "puma560-{'named_constants': True}", "stanford-{'longest': 1}")
@pytest.mark.parametrize(("robot", "options"), each_once(["puma560", "stanford", "ur5"], OPTIONS), ids=str)
def test_options(robot: str, options: dict[str, Any]) -> None:
    arm = armdyn.load(robot)
    for function in (arm.inverse_dynamics, arm.forward_dynamics, arm.mass_matrix):
        assert_python_is_program(function.program(), **options)


NUMBERS = st.sampled_from([0.5, 2.0, -3.25, 1e-7, 1.0])
LEAVES = st.one_of(NUMBERS, st.integers(0, 3))
TREES = st.recursive(
    LEAVES, lambda t: st.tuples(st.sampled_from(["+", "-", "*", "/", "neg", "**"]), t, t), max_leaves=14
)


def value(tree: Any, x: Any) -> Any:
    """An expression of x[0] to x[3] with general numbers in it, far from divisions by zero."""
    if isinstance(tree, int):
        return x[tree]
    if isinstance(tree, float):
        return tree
    sign, a, b = tree[0], value(tree[1], x), value(tree[2], x)
    if sign == "neg":
        return -a
    if sign == "**":
        return a**2
    if sign == "/":
        return a / (b * b + 2.0)
    return {"+": operator.add, "-": operator.sub, "*": operator.mul}[sign](a, b)


def assert_reads_back(program: Program, x: list[float], **options: Any) -> None:
    """What a reader computes from the text and from LaTeX is what the program computes."""
    shown = program.equations(**options)
    terms = [term for array in shown.inputs for term in array.terms]
    expected = terms_by_symbol(program, shown, x)
    for read, spelling in ((from_unicode, "unicode"), (from_latex, "latex")):
        names = {getattr(shown.symbols[term], spelling): number for term, number in zip(terms, x, strict=True)}
        found = read(shown, names)
        for symbol, number in expected.items():
            scale = max(1.0, abs(number))
            assert abs(found[getattr(symbol, spelling)] - number) <= 1e-9 * scale, (spelling, symbol)


def terms_by_symbol(program: Program, shown: Equations, x: list[float]) -> dict[Symbol, float]:
    """The value of every left side, from the program."""
    values = dict(zip((t for a in shown.inputs for t in a.terms), x, strict=True))
    for term in shown.terms.evaluated:
        constant = term.operation == "const"
        values[term] = term.value if constant else MATH[term.operation](*(values[a] for a in term.arguments))
    return {shown.symbols[term]: values[term] for term in shown.defined}


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(TREES, st.sampled_from(OPTIONS))
def test_any_expression_reads_back(tree: Any, options: dict[str, Any]) -> None:
    program = trace(lambda x: np.array([value(tree, x), value(tree, x[::-1])]), [Port("x", (4,))], name="f")
    assert_python_is_program(program, **options)
    assert_reads_back(program, [0.37, -1.21, 0.83, 2.9], **options)


@pytest.mark.short_run("{'named_constants': True}", "{'longest': 10000}")
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_mathematics_of_arms_reads_back(options: dict[str, Any]) -> None:
    for robot in ("ur5", "stanford"):
        for function in ("inverse_dynamics", "forward_dynamics"):
            program = getattr(armdyn.load(robot), function).program()
            x = np.random.default_rng(5).uniform(0.2, 1.4, sum(port.size for port in program.inputs))
            assert_reads_back(program, x.tolist(), **options)


def test_operations_read_back() -> None:
    """Those of one sign each; comparisons and choices are looked at in `test_printed_operations`."""
    for program in single_operations():
        if program.name not in ("less", "less_equal", "select", "floor", "abs"):
            shown = program.equations()
            x = [0.4, 0.7, 0.2][: program.inputs[0].size]
            found = from_latex(
                shown, {shown.symbols[t].latex: v for t, v in zip(shown.inputs[0].terms, x, strict=True)}
            )
            assert found["y"] == pytest.approx(MATH[program.name](*x), rel=1e-15)
