"""Every simplification rule of a trace: what is left to compute, written as the instructions that remain."""

import numpy as np
import pytest

import armdyn
from armdyn.program import Expr, Port, Program, trace


def traced(function, size: int = 3) -> Program:
    """The program of a function of ``size`` scalars."""
    return trace(lambda x: np.array([function(*x)]), [Port("x", (size,))])


def written(program: Program) -> str:
    """The only result as a formula of x0, x1, x2."""
    text: list[str] = []
    signs = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
    for name, *arguments in program.nodes:
        if name == "input":
            text.append(f"x{arguments[0]}")
        elif name == "const":
            text.append(f"{arguments[0]:g}")
        elif name in signs:
            text.append(f"({text[arguments[0]]} {signs[name]} {text[arguments[1]]})")
        else:
            text.append(f"{name}({', '.join(text[a] for a in arguments)})")
    return text[program.results[0]]


RULES = {
    "x + 0": (lambda x, y, z: x + 0.0, "x0"),
    "0 + x": (lambda x, y, z: 0 + x, "x0"),
    "x - 0": (lambda x, y, z: x - 0, "x0"),
    "0 - x": (lambda x, y, z: 0 - x, "neg(x0)"),
    "x - x": (lambda x, y, z: x - x, "0"),
    "x * 0": (lambda x, y, z: x * 0.0, "0"),
    "x * -0": (lambda x, y, z: -0.0 * x, "0"),
    "x * 1": (lambda x, y, z: x * 1, "x0"),
    "x * -1": (lambda x, y, z: -1 * x, "neg(x0)"),
    "x / 1": (lambda x, y, z: x / 1, "x0"),
    "x / 4": (lambda x, y, z: x / 4, "(x0 * 0.25)"),
    "0 / x": (lambda x, y, z: 0.0 / x, "0"),
    "x / c, where 1 / c is infinite": (lambda x, y, z: x / 1e-310, "(x0 / 1e-310)"),
    "x / infinity": (lambda x, y, z: x / np.inf, "0"),
    "constant factors whose product is infinite": (lambda x, y, z: 1e200 * x * 1e200, "((x0 * 1e+200) * 1e+200)"),
    "constant factors whose product is 0": (lambda x, y, z: 1e-200 * x * 1e-200, "((x0 * 1e-200) * 1e-200)"),
    "constants": (lambda x, y, z: x + np.float64(2) * 3 + 1, "(x0 + 7)"),
    "constant stands second": (lambda x, y, z: 3 * x, "(x0 * 3)"),
    "constant factors meet": (lambda x, y, z: 3 * x * 2, "(x0 * 6)"),
    "constant factors become one": (lambda x, y, z: 4 * x * 0.25, "x0"),
    "constant factors with a sign": (lambda x, y, z: -3 * x * 2, "neg((x0 * 6))"),
    "constant terms meet": (lambda x, y, z: (x + 1) + 2, "(x0 + 3)"),
    "what rounding took of a constant stays apart": (lambda x, y, z: (x + 1e-17) + 3, "((x0 + 1e-17) + 3)"),
    "constant terms of both signs": (lambda x, y, z: (x - 1) + 1, "x0"),
    "c x + c x": (lambda x, y, z: 3 * x + x * 3, "(x0 * 6)"),
    "c x + d x": (lambda x, y, z: 3 * (x * y) + 2 * (y * x), "((x0 * x1) * 5)"),
    "c x - d x": (lambda x, y, z: 3 * x - 5 * x, "neg((x0 * 2))"),
    "c x - c x": (lambda x, y, z: 3 * x - x * 3, "0"),
    "c x + x": (lambda x, y, z: 3 * x + x, "(x0 * 4)"),
    "x - c x": (lambda x, y, z: x - 0.75 * x, "(x0 * 0.25)"),
    "-c x + d x": (lambda x, y, z: -3 * x + 4 * x, "x0"),
    "x + x": (lambda x, y, z: x + x, "(x0 + x0)"),
    "multiples of one number whose sum is infinite": (
        lambda x, y, z: 1e308 * x + 1.5e308 * x,
        "((x0 * 1e+308) + (x0 * 1.5e+308))",
    ),
    "minus minus x": (lambda x, y, z: np.negative(-x), "x0"),
    "x + -y": (lambda x, y, z: x + -y, "(x0 - x1)"),
    "-x + y": (lambda x, y, z: -x + y, "(x1 - x0)"),
    "-x + -y": (lambda x, y, z: -x + -y, "neg((x0 + x1))"),
    "x - -y": (lambda x, y, z: x - -y, "(x0 + x1)"),
    "-x - y": (lambda x, y, z: -x - y, "neg((x0 + x1))"),
    "-x - -y": (lambda x, y, z: -x - -y, "(x1 - x0)"),
    "-x * y": (lambda x, y, z: -x * y, "neg((x0 * x1))"),
    "x * -y": (lambda x, y, z: x * -y, "neg((x0 * x1))"),
    "-x * -y": (lambda x, y, z: -x * -y, "(x0 * x1)"),
    "-x / y": (lambda x, y, z: -x / y, "neg((x0 / x1))"),
    "x / -y": (lambda x, y, z: x / -y, "neg((x0 / x1))"),
    "-x / -y": (lambda x, y, z: -x / -y, "(x0 / x1)"),
    "sin(-x)": (lambda x, y, z: np.sin(-x), "neg(sin(x0))"),
    "tan(-x)": (lambda x, y, z: np.tan(-x), "neg(tan(x0))"),
    "arcsin(-x)": (lambda x, y, z: np.arcsin(-x), "neg(asin(x0))"),
    "arctan(-x)": (lambda x, y, z: np.arctan(-x), "neg(atan(x0))"),
    "tanh(-x)": (lambda x, y, z: np.tanh(-x), "neg(tanh(x0))"),
    "sign(-x)": (lambda x, y, z: armdyn.sign(-x), "neg(sign(x0))"),
    "cos(-x)": (lambda x, y, z: np.cos(-x), "cos(x0)"),
    "abs(-x)": (lambda x, y, z: np.abs(-x), "abs(x0)"),
    "exp(-x) is left": (lambda x, y, z: np.exp(-x), "exp(neg(x0))"),
    "select of a known condition": (lambda x, y, z: armdyn.select(False, x, y), "x1"),
    "select between equals": (lambda x, y, z: armdyn.select(x < y, z, z), "x2"),
    "x > y": (lambda x, y, z: x > y, "less(x1, x0)"),
    "x >= y": (lambda x, y, z: x >= y, "less_equal(x1, x0)"),
    "x <= y": (lambda x, y, z: x <= y, "less_equal(x0, x1)"),
    "2 < x": (lambda x, y, z: x > 2.0, "less(2, x0)"),
    "x**0": (lambda x, y, z: x**0, "1"),
    "x**1": (lambda x, y, z: x**1, "x0"),
    "x**2": (lambda x, y, z: x**2, "(x0 * x0)"),
    "x**-1": (lambda x, y, z: x**-1, "(1 / x0)"),
    "x**0.5": (lambda x, y, z: x**0.5, "sqrt(x0)"),
    "x**y": (lambda x, y, z: x**y, "pow(x0, x1)"),
    "2**x": (lambda x, y, z: 2.0**x, "pow(2, x0)"),
    "arctan2": (lambda x, y, z: np.arctan2(x, y), "atan2(x0, x1)"),
    "sin of a constant": (lambda x, y, z: x * np.sin(0.0), "0"),
}


@pytest.mark.parametrize("rule", RULES)
def test_rule(rule: str) -> None:
    function, expected = RULES[rule]
    assert written(traced(function)) == expected


def test_power_by_squaring() -> None:
    assert traced(lambda x, y, z: x**13).op_counts.multiplications == 5  # x^2, x^4, x^8, x^4 x, x^8 (x^4 x)


def test_whole_powers_beyond_sense_are_left_to_the_library() -> None:
    assert traced(lambda x, y, z: x**65).op_counts.multiplications == 0


def test_commuted_operands_are_one_expression() -> None:
    assert traced(lambda x, y, z: (x * y + z) * (z + y * x)).op_counts.multiplications == 2


def test_a_difference_and_its_opposite_are_one_subtraction() -> None:
    assert traced(lambda x, y, z: (x - y) * (y - x)).op_counts.additions == 1


def test_signs_do_not_hide_common_expressions() -> None:
    program = traced(lambda x, y, z: 2 * np.sin(-x * y) + np.sin(x * y) + np.cos(x * -y) * np.cos(y * x))
    assert program.op_counts.trigonometric == 2


def test_negations_are_free() -> None:
    assert str(traced(lambda x, y, z: -(x * y)).op_counts) == "1m"


def test_inputs_and_constants_are_one_node_each() -> None:
    program = traced(lambda x, y, z: (x + 2.5) * (y + 2.5) * (z + 2.5))
    assert sum(node[0] == "const" for node in program.nodes) == 1
    assert sum(node[0] == "input" for node in program.nodes) == 3


def test_what_no_result_needs_is_not_in_the_program() -> None:
    def function(x: Expr, y: Expr, z: Expr) -> Expr:
        np.sin(y) * 3.0 + z / x  # computed, then dropped
        return x + y

    assert [node[0] for node in traced(function).nodes] == ["input", "input", "add"]


def test_nodes_come_after_what_they_use() -> None:
    program = traced(lambda x, y, z: np.sin(x * y) / (z + x * y) - x)
    for index, (name, *arguments) in enumerate(program.nodes):
        assert name in ("input", "const") or max(arguments) < index
