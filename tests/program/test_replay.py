"""A program walked with other tables of operations: the numbers of the interpreter, and source code that gives them."""

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
import sympy

import armdyn
from armdyn.base.errors import Unsupported
from armdyn.program import Port, Program, guarded, interpret, replay, trace
from armdyn.program.graph import Graph
from armdyn.program.operations import OPERATIONS
from oracles.scalar_tables import MATH, MPMATH, SYMPY, in_fifty_digits

RNG = np.random.default_rng(85)


def single(name: str) -> Program:
    """One operation of inputs between 0 and 1."""
    graph = Graph()
    arguments = [graph.input(k) for k in range(OPERATIONS[name].arity)]
    nodes = (*graph.nodes, (name, *arguments))
    return Program(name, (Port("x", (len(arguments),)),), (Port("y", ()),), nodes, (len(arguments),))


def robots() -> list[Program]:
    ur5, scara = armdyn.load("ur5"), armdyn.load("scara")
    return [
        ur5.inverse_dynamics.program(optional_inputs=["f_tip"]),
        ur5.forward_kinematics.program(),
        scara.forward_dynamics.program(),
        guarded(scara.gravity_forces.program()),
        scara.inverse_dynamics_derivatives.program(),
    ]


def flat(program: Program) -> list[np.ndarray]:
    """Arguments in 64ths: SymPy would factor the numerators of others before it took a power of one."""
    return [RNG.integers(7, 58, port.shape) / 64 for port in program.inputs]


def assert_agrees(found: list[list[Any]], program: Program, arrays: list[np.ndarray], rtol: float = 1e-13) -> None:
    expected = interpret(program, *arrays)
    assert [len(scalars) for scalars in found] == [port.size for port in program.outputs]
    for scalars, output in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.array(scalars, float), output.ravel(), rtol=rtol, atol=rtol)


def numbers(arrays: list[np.ndarray]) -> list[float]:
    return [float(x) for array in arrays for x in array.flat]


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_of_every_table(name: str) -> None:
    program = single(name)
    for _ in range(3):
        arrays = flat(program)
        scalars = numbers(arrays)
        assert_agrees(program.replay(scalars, MATH), program, arrays)
        assert_agrees(in_fifty_digits(program, scalars), program, arrays)
        assert_agrees(program.replay([sympy.Rational(x) for x in scalars], SYMPY, sympy.Rational), program, arrays)


def test_robots_on_floats_and_in_fifty_digits() -> None:
    for program in robots():
        arrays = flat(program)
        assert_agrees(replay(program, numbers(arrays), MATH), program, arrays, rtol=1e-11)
        assert_agrees(in_fifty_digits(program, numbers(arrays)), program, arrays, rtol=1e-11)


def test_symbols() -> None:
    program = armdyn.load("planar_2r").mass_matrix.program()
    q = sympy.symbols("q1 q2")
    (entries,) = program.replay(q, SYMPY, sympy.Rational)
    M = sympy.Matrix(2, 2, entries)
    assert M[0, 1] == M[1, 0]
    assert M.free_symbols == {q[1]}
    at = [0.3, -1.2]
    assert_agrees([list(M.subs(dict(zip(q, at, strict=True))).evalf())], program, [np.array(at)])


def test_source_code() -> None:
    """Operations that write a line and return a name: no recursion, however long the program."""

    def long(x: Any) -> Any:
        for _ in range(3000):
            x = np.sin(x) + 0.5 * np.cos(x[::-1])
        return x

    for program in (*robots(), trace(long, [Port("x", (2,))])):
        lines: list[str] = []

        def written(operation: str, lines: list[str] = lines) -> Any:
            def write(*arguments: str) -> str:
                lines.append(f"t{len(lines)} = {operation}({', '.join(arguments)})")
                return f"t{len(lines) - 1}"

            return write

        count = sum(port.size for port in program.inputs)
        names = program.replay([f"x[{k}]" for k in range(count)], {name: written(name) for name in MATH}, repr)
        assert len(lines) == sum(name in OPERATIONS for name, *_ in program.nodes)  # every node once
        returned = ", ".join(f"[{', '.join(port)}]" for port in names)
        scope: dict[str, Any] = dict(MATH)
        body = "\n  ".join([*lines, f"return [{returned}]"])
        exec(f"def run(x):\n  {body}", scope)  # noqa: S102
        arrays = flat(program)
        assert_agrees(scope["run"](numbers(arrays)), program, arrays, rtol=1e-10)


def test_results_by_output() -> None:
    """Constants, an input that is a result, one node that is several results, and nothing."""
    program = trace(
        lambda A, s: (np.full((2, 2), 3.5), A, np.array([s * 2.0, s * 2.0]), np.empty((0, 3)), s),
        [Port("A", (2, 3)), Port("s", ())],
    )
    letters = list("abcdef")
    found = program.replay([*letters, "s"], {"mul": "{}*{}".format}, constant=repr)
    assert found == [["3.5"] * 4, letters, ["s*2.0", "s*2.0"], [], ["s"]]
    empty = interpret(program, np.ones((5, 2, 3)), 1.0)[3]
    assert empty.shape == (5, 0, 3)


def test_every_constant_is_handed_over_once() -> None:
    made: Counter[float] = Counter()

    def constant(value: float) -> float:
        made[value] += 1
        return value

    program = trace(lambda x: np.array([x * 2.0, x + 2.0, np.float64(2.0), x * math.pi]), [Port("x", ())])
    program.replay([1.0], MATH, constant)
    assert made == {2.0: 1, math.pi: 1}


def test_the_guard_is_an_operation_like_others() -> None:
    program = guarded(trace(lambda x: x[0] * 2.0, [Port("x", (2,))]))
    table = {"mul": "{}*{}".format, "guard": "nan_if({1}, {0})".format}
    assert program.replay(["a", "b"], table) == [["nan_if(b, a*2.0)"]]


def test_an_operation_that_the_target_lacks() -> None:
    program = trace(lambda x: np.tanh(x) + np.exp(x), [Port("x", ())], name="smooth")
    with pytest.raises(Unsupported, match=r"smooth contains exp, tanh, which the target does not have"):
        program.replay([1.0], {"add": MATH["add"]})


def test_the_tables_are_complete() -> None:
    assert set(MATH) == set(MPMATH) == set(SYMPY) == set(OPERATIONS)
