"""Tracing: ports, several results, and clear words for what cannot be traced."""

import math
import pickle

import numpy as np
import pytest

import armdyn
from armdyn.program import Expr, Port, Program, interpret, trace

X = [Port("x", (3,))]


def test_ports_keep_names_and_shapes() -> None:
    program = trace(lambda A, s: (A * s, s + 1.0), [Port("A", (2, 2)), Port("s", ())], ["B", "t"], name="scale")
    assert program.name == "scale"
    assert program.inputs == (Port("A", (2, 2)), Port("s", ()))
    assert program.outputs == (Port("B", (2, 2)), Port("t", ()))
    B, t = interpret(program, [[1, 2], [3, 4]], 10.0)
    np.testing.assert_array_equal(B, [[10, 20], [30, 40]])
    assert t == 11.0


def test_unnamed_outputs_are_numbered() -> None:
    assert [p.name for p in trace(lambda x: (x, x[0]), X).outputs] == ["out0", "out1"]
    assert [p.name for p in trace(lambda x: x, X).outputs] == ["out"]


def test_constant_results() -> None:
    program = trace(lambda x: np.eye(3), X)
    (I,) = interpret(program, np.zeros((5, 3)))  # noqa: E741
    np.testing.assert_array_equal(I, np.broadcast_to(np.eye(3), (5, 3, 3)))


@pytest.mark.parametrize("branch", [
    lambda x: x if x[0] > 0 else -x,
    lambda x: x[0] and x[1],
    lambda x: np.array([max(x)]),
    lambda x: np.where(x > 0, x, -x),
    np.sort,
], ids=["if", "and", "max", "where", "sort"])  # fmt: skip
def test_branching_on_a_traced_value_says_what_to_use_instead(branch) -> None:
    with pytest.raises(armdyn.TraceError, match=r"cannot branch on it.*armdyn\.select.*armdyn\.clip"):
        trace(branch, X)


@pytest.mark.parametrize(
    "convert", [lambda x: float(x[0]), lambda x: math.sin(x[0]), lambda x: np.array(x, dtype=float)]
)
def test_turning_a_traced_value_into_a_number(convert) -> None:
    with pytest.raises(armdyn.TraceError, match="has no value yet"):
        trace(convert, X)


def test_a_folded_constant_may_become_a_number() -> None:
    program = trace(lambda x: np.array([x[0] * float(x[1] - x[1] + 2.0)]), X)
    assert interpret(program, [3.0, 1.0, 1.0])[0] == [6.0]


def test_nan_constant() -> None:
    with pytest.raises(armdyn.TraceError, match="constant in the traced function is NaN"):
        trace(lambda x: x * np.nan, X)


def test_nan_made_of_constants() -> None:
    with pytest.raises(armdyn.TraceError, match="is NaN"), np.errstate(invalid="ignore"):
        trace(lambda x: x + (x[0] * 0.0 + np.inf) * 0.0, X)


@pytest.mark.parametrize("zero", [0, 0.0, -0.0, np.float64(0)])
def test_division_by_the_constant_zero(zero: float) -> None:
    with pytest.raises(armdyn.TraceError, match="divides by the constant zero"):
        trace(lambda x: x / zero, X)


def test_division_by_what_folds_to_zero() -> None:
    with pytest.raises(armdyn.TraceError, match="divides by the constant zero"):
        trace(lambda x: x / (x - x), X)


def test_a_value_kept_from_an_earlier_trace_used_in_another() -> None:
    kept: list[Expr] = []
    trace(lambda x: (kept.append(x[0]), x)[1], X)
    with pytest.raises(armdyn.TraceError, match="two traces are mixed"):
        trace(lambda x: x + kept[0], X)


def test_a_value_kept_from_an_earlier_trace_returned() -> None:
    kept: list[Expr] = []
    trace(lambda x: (kept.append(x[0]), x)[1], X)
    with pytest.raises(armdyn.TraceError, match="kept from an earlier trace"):
        trace(lambda x: np.array(kept), X)


@pytest.mark.parametrize("wrong", ["text", None, {"a": 1}], ids=repr)
def test_a_result_that_is_no_number(wrong: object) -> None:
    with pytest.raises(armdyn.TraceError, match=r"mine returned .*; expected real numbers"):
        trace(lambda x: wrong, X, name="mine")


def test_a_result_too_many() -> None:
    with pytest.raises(armdyn.TraceError, match=r"mine returned 2 arrays; expected 1: \['y'\]"):
        trace(lambda x: (x, x), X, ["y"], name="mine")


def test_digest_is_of_the_content() -> None:
    def program(factor: float = 2.0, name: str = "f", port: str = "x") -> Program:
        return trace(lambda x: np.sin(x) * factor, [Port(port, (3,))], name=name)

    assert program().digest == program().digest
    assert len({p.digest for p in (program(), program(2.0000000000000004), program(name="g"), program(port="y"))}) == 4


def test_digest_is_the_same_in_another_process() -> None:
    import subprocess
    import sys

    code = (
        "import numpy as np; from armdyn.program import Port, trace; "
        "print(trace(lambda x: np.sin(x) * 0.1, [Port('x', (3,))], name='f').digest)"
    )
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert there == trace(lambda x: np.sin(x) * 0.1, X, name="f").digest


def test_pickled_program_is_the_program() -> None:
    program = trace(lambda x: (np.cos(x) / 3.0, x @ x), X)
    again = pickle.loads(pickle.dumps(program))  # noqa: S301
    assert again == program
    assert again.digest == program.digest
    assert again.op_counts == program.op_counts


def test_numbers_of_many_kinds_are_operands() -> None:
    from fractions import Fraction

    program = trace(lambda x: np.array([x[0] + True, x[1] * np.int32(3), x[2] - Fraction(1, 4) + np.float32(0.5)]), X)
    np.testing.assert_array_equal(interpret(program, [1.0, 2.0, 3.0])[0], [2.0, 6.0, 3.25])


@pytest.mark.parametrize("operand", ["a", None, 1j, [1]], ids=repr)
def test_other_operands_are_a_type_error(operand: object) -> None:
    def function(x: np.ndarray) -> object:
        return np.array([x[0].__add__(operand) if operand == [1] else x[0] + operand], dtype=object)

    with pytest.raises(TypeError):
        trace(function, X)


def test_undeclared_function_says_how_to_declare_it(ur5) -> None:
    with pytest.raises(armdyn.TraceError, match=r"@armdyn\.function"):
        ur5.robot.compile(lambda model, q: q)


@pytest.mark.parametrize("signature", ["", "(n)", "n->n", "(n),(n)", "(n->(n)", "(n)->", "->"])
def test_malformed_signature(signature: str) -> None:
    with pytest.raises(armdyn.TraceError, match="is not of the form"):
        armdyn.function(signature)


def test_signature_with_another_number_of_arrays() -> None:
    with pytest.raises(armdyn.TraceError, match=r"takes 1 arrays after the model, but its signature .* names 2"):

        @armdyn.function("(n),(n)->(n)")
        def wrong(model, q):
            return q


def test_returned_shape_must_be_the_declared_one(ur5) -> None:
    with pytest.raises(armdyn.ShapeError, match=r"returned shapes \[\(6,\)\]; its signature names \[\(6, 6\)\]"):
        ur5.robot.compile(lambda model, q: q, signature="(n)->(n,n)").program()
