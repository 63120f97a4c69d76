"""The printer of statements: precedence, literals, names; what they compute is tested by compiling them."""

import math
import re

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import Unsupported
from armdyn.program import Port, Program, less, select, trace
from armdyn.targets.c.body import statements
from armdyn.targets.c.dialect import DOUBLE, FLOAT, Dialect
from targets.exported import single


def printed(function: object, *, dialect: Dialect = DOUBLE, longest: int = 60) -> list[str]:
    program = trace(function, [Port(name, ()) for name in "abc"])
    return statements(program, "abc", [f"y{k}" for k in range(len(program.results))], dialect, longest=longest)


def test_parentheses_stand_where_rounding_depends_on_them() -> None:
    assert printed(lambda a, b, c: a + (b + c)) == ["y0 = b + c + a;"]  # the order of two operands changes nothing
    assert printed(lambda a, b, c: a - (b - c)) == ["y0 = a - (b - c);"]
    assert printed(lambda a, b, c: (a - b) - c) == ["y0 = a - b - c;"]
    assert printed(lambda a, b, c: a / (b / c)) == ["y0 = a / (b / c);"]
    assert printed(lambda a, b, c: a * (b - c)) == ["y0 = a * (b - c);"]
    assert printed(lambda a, b, c: -(a * b)) == ["y0 = -(a * b);"]
    assert printed(lambda a, b, c: select(less(a, b), a, b + c)) == ["y0 = a < b ? a : b + c;"]
    assert printed(lambda a, b, c: select(c, a, b) * 2.0) == ["y0 = (c != 0.0 ? a : b) * 2.0;"]
    assert printed(lambda a, b, c: less(a, b) + c) == ["y0 = c + (a < b ? 1.0 : 0.0);"]


def test_sine_and_cosine_of_one_angle_are_one_call() -> None:
    both = DOUBLE.with_functions({}, sincos="sincos")
    lines = printed(lambda a, b, c: np.cos(a + b) * np.sin(a + b) + np.sin(c), dialect=both)
    assert lines[0] == "const double t0 = a + b;"
    assert lines[1:3] == ["double t1, t2;", "sincos(t0, &t1, &t2);"]
    assert lines[3] == "y0 = t2 * t1 + sin(c);"


def test_a_statement_for_every_node() -> None:
    program = armdyn.load("ur5").inverse_dynamics.program()
    lines = statements(program, [f"x{k}" for k in range(18)], [f"y{k}" for k in range(6)], DOUBLE, longest=0)
    operations = [node for node in program.nodes if node[0] not in ("const", "input")]
    assert sum(line.startswith("const double t") for line in lines) == len(operations)
    for line in lines:
        assert len(re.findall(r" [-+*/] |\(", line)) <= 1, line


@pytest.mark.parametrize("value", [0.1, 1.0, 1e300, 2.5e-310, 123456789.123, math.pi, 1e16, 3e-39, 16777217.0, -0.1])
def test_literals_are_exact(value: float) -> None:
    assert float(DOUBLE.literal(value)) == value
    text = FLOAT.literal(value)
    assert text.endswith("f") or text == "INFINITY"
    with np.errstate(all="ignore"):
        assert np.float32(float(text.removesuffix("f").replace("INFINITY", "inf"))) == np.float32(value)


def test_an_operation_the_language_lacks() -> None:
    program: Program = single("tanh")
    without = Dialect(functions={"sin": "sin"})
    with pytest.raises(Unsupported, match="tanh contains tanh, for which double has no function"):
        statements(program, ["x"], ["y"], without)
