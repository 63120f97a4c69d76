"""Adjoint and tangent programs: against the Jacobian times vectors, and differences in fifty digits."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

import armdyn
from armdyn.base.errors import ShapeError, UnknownName
from armdyn.program import Port, Program, interpret, maximum, select, sign, trace
from armdyn.program.differentiation import cotangents_along
from armdyn.program.functions import less_equal
from armdyn.program.jacobians import jvp, vjp
from armdyn.program.operations import OPERATIONS
from armdyn.targets import compile_program
from oracles.scalar_tables import in_fifty_digits

RNG = np.random.default_rng(86)
STEP = mpf(10) ** -20


def all_operations(x: Any, A: Any, s: Any) -> tuple[Any, ...]:
    """Every operation between others, of arrays of three ranks, with results of three ranks."""
    u, v, w = (0.1 + 0.8 * np.sin(x[k] + s * A[0, k]) ** 2 for k in range(3))
    functions = [
        np.tan(u), np.arcsin(u * v), np.arccos(v * w), np.arctan(w - u), armdyn.arctan2(u - v, w), np.sqrt(u),
        np.exp(v), np.cos(v + s), np.log(w), np.tanh(u - w), u**v, abs(v - w), sign(u - v), np.floor(3.0 * w),
        u / v, -w,
        armdyn.minimum(u, v), maximum(v * w, s), u < v, less_equal(v, w), select(u < w, u * v, np.sqrt(w) * s),
    ]  # fmt: skip
    values = np.array(functions)
    return values, np.outer(values[:4], A @ x), s * (values @ values)


EVERY = trace(all_operations, [Port("x", (3,)), Port("A", (2, 3)), Port("s", ())], ["y", "P", "e"], name="every")


def programs() -> dict[str, Program]:
    ur5, scara = armdyn.load("ur5"), armdyn.load("scara")
    return {
        "every operation": EVERY,
        "inverse dynamics": ur5.inverse_dynamics.program(optional_inputs=["f_tip"]),
        "forward dynamics": scara.forward_dynamics.program(),
        "poses": ur5.forward_kinematics.program(),
        "mass matrix": ur5.mass_matrix.program(),
    }


PROGRAMS = programs()


def at(program: Program) -> list[np.ndarray]:
    return [RNG.uniform(-1.0, 1.0, port.shape) for port in program.inputs]


def contracted(jacobian: np.ndarray, y: np.ndarray, rank: int) -> np.ndarray:
    """y_bar^T dY/dX, for a result of ``rank`` axes."""
    return np.tensordot(y, jacobian, axes=rank)


def expected_vjp(program: Program, arrays: list[np.ndarray], cotangents: list[np.ndarray]) -> list[np.ndarray]:
    blocks = iter(interpret(program.derivative(), *arrays))
    total = [np.zeros(port.shape) for port in program.inputs]
    for y in cotangents:
        for k in range(len(total)):
            total[k] = total[k] + contracted(next(blocks), y, y.ndim)
    return total


def expected_jvp(program: Program, arrays: list[np.ndarray], tangents: list[np.ndarray]) -> list[np.ndarray]:
    blocks = iter(interpret(program.derivative(), *arrays))
    return [sum(np.tensordot(next(blocks), x, axes=x.ndim) for x in tangents) for _ in program.outputs]


def assert_close(found: Any, expected: Any) -> None:
    for a, b in zip(found, expected, strict=True):
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12 * max(1.0, float(np.max(np.abs(b), initial=0.0))))


def test_every_operation_is_in_the_test() -> None:
    assert {str(node[0]) for node in EVERY.nodes} >= set(OPERATIONS) - {"guard", "neg"}


@pytest.mark.short_run(without=("inverse dynamics",))
@pytest.mark.parametrize("name", PROGRAMS)
def test_products_are_those_of_the_jacobian(name: str) -> None:
    program = PROGRAMS[name]
    for _ in range(3):
        arrays = at(program)
        cotangents = [RNG.normal(size=port.shape) for port in program.outputs]
        tangents = [RNG.normal(size=port.shape) for port in program.inputs]
        assert_close(interpret(program.vjp(), *arrays, *cotangents), expected_vjp(program, arrays, cotangents))
        assert_close(interpret(program.jvp(), *arrays, *tangents), expected_jvp(program, arrays, tangents))


def directional_difference(program: Program, arrays: list[np.ndarray], tangents: list[np.ndarray]) -> list[np.ndarray]:
    """The rate of every result, by central differences in 50 digits."""
    with mp.workdps(50):
        pairs = [(mpf(x), mpf(t)) for a, b in zip(arrays, tangents, strict=True)
                 for x, t in zip(map(float, a.flat), map(float, b.flat), strict=True)]  # fmt: skip
        high, low = (in_fifty_digits(program, [x + sign_ * STEP * t for x, t in pairs]) for sign_ in (1, -1))
        return [
            np.array([float((h - b) / (2 * STEP)) for h, b in zip(hs, ls, strict=True)]).reshape(port.shape)
            for hs, ls, port in zip(high, low, program.outputs, strict=True)
        ]


@pytest.mark.parametrize("name", PROGRAMS)
def test_differences_in_fifty_digits(name: str) -> None:
    """The tangents are the differences; and cotangents and tangents make the same number with them."""
    program = PROGRAMS[name]
    arrays = at(program)
    tangents = [RNG.normal(size=port.shape) for port in program.inputs]
    cotangents = [RNG.normal(size=port.shape) for port in program.outputs]
    exact = directional_difference(program, arrays, tangents)
    assert_close(interpret(program.jvp(), *arrays, *tangents), exact)
    pulled = interpret(program.vjp(), *arrays, *cotangents)
    left = sum(float(np.sum(y * r)) for y, r in zip(cotangents, exact, strict=True))
    right = sum(float(np.sum(a * b)) for a, b in zip(pulled, tangents, strict=True))
    assert left == pytest.approx(right, rel=1e-11)


def test_chosen_inputs_and_outputs_and_their_names() -> None:
    adjoint = EVERY.vjp(of=["e", "y"], wrt="A")
    assert adjoint.inputs == (*EVERY.inputs, Port("cotangent_e", ()), Port("cotangent_y", (21,)))
    assert (adjoint.outputs, adjoint.name) == ((Port("cotangent_A", (2, 3)),), "every_vjp")
    tangent = EVERY.jvp(of="P", wrt=["s", "x"])
    assert tangent.inputs == (*EVERY.inputs, Port("tangent_s", ()), Port("tangent_x", (3,)))
    assert (tangent.outputs, tangent.name) == ((Port("tangent_P", (4, 2)),), "every_jvp")
    arrays = at(EVERY)
    e, y, s, x = 1.7, RNG.normal(size=21), -0.4, RNG.normal(size=3)
    every = expected_vjp(EVERY, arrays, [y, np.zeros((4, 2)), np.array(e)])
    assert_close(interpret(adjoint, *arrays, e, y), every[1:2])
    assert_close(
        interpret(tangent, *arrays, s, x), expected_jvp(EVERY, arrays, [x, np.zeros((2, 3)), np.array(s)])[1:2]
    )


def test_the_functions_are_the_methods() -> None:
    assert vjp(EVERY, "e", "s", primal=True).digest == EVERY.vjp("e", "s", primal=True).digest
    assert jvp(EVERY, "e", "s", primal=True).digest == EVERY.jvp("e", "s", primal=True).digest


@pytest.mark.parametrize("product", [Program.vjp, Program.jvp])
def test_names_that_do_not_exist(product: Callable[..., Program]) -> None:
    with pytest.raises(UnknownName, match=r"no output 'z' in 'every'"):
        product(EVERY, of=["z"])
    with pytest.raises(UnknownName, match=r"no input 'y' in 'every'"):
        product(EVERY, wrt=["y"])


@pytest.mark.parametrize("product", [Program.vjp, Program.jvp])
def test_with_the_outputs_themselves(product: Callable[..., Program]) -> None:
    alone, together = product(EVERY, of=["P", "y"]), product(EVERY, of=["P", "y"], primal=True)
    assert [port.name for port in together.outputs[:2]] == ["P", "y"]
    assert (together.inputs, together.outputs[2:]) == (alone.inputs, alone.outputs)
    arrays = [*at(EVERY), *(RNG.normal(size=port.shape) for port in alone.inputs[3:])]
    y, P, _ = interpret(EVERY, *arrays[:3])
    assert_close(interpret(together, *arrays), [P, y, *interpret(alone, *arrays)])


def test_products_of_products() -> None:
    """Of J^T y_bar, which is linear in y_bar: by y_bar it is J again; by x it is Hessians times both vectors."""
    adjoint = EVERY.vjp(of="e", wrt="x", primal=True)
    second = adjoint.vjp()
    assert [port.name for port in second.inputs] == [
        "x", "A", "s", "cotangent_e", "cotangent_e_2", "cotangent_cotangent_x"
    ]  # fmt: skip
    assert [port.name for port in second.outputs] == [
        "cotangent_x_2", "cotangent_A", "cotangent_s", "cotangent_cotangent_e"
    ]  # fmt: skip
    arrays = at(adjoint)
    cotangents = [RNG.normal(size=port.shape) for port in adjoint.outputs]
    assert_close(interpret(second, *arrays, *cotangents), expected_vjp(adjoint, arrays, cotangents))
    tangents = [RNG.normal(size=port.shape) for port in adjoint.inputs]
    exact = directional_difference(adjoint, arrays, tangents)
    assert_close(interpret(adjoint.jvp(), *arrays, *tangents), exact)
    rates = EVERY.jvp(wrt="x")
    arrays = at(rates)
    tangents = [RNG.normal(size=port.shape) for port in rates.inputs]
    assert_close(interpret(rates.jvp(), *arrays, *tangents), directional_difference(rates, arrays, tangents))


def test_names_never_clash() -> None:
    taken = trace(
        lambda x, c: (x * c, x + c), [Port("x", ()), Port("cotangent_y", ())], ["y", "cotangent_x"], name="taken"
    )
    adjoint = taken.vjp(primal=True)
    assert [port.name for port in adjoint.inputs] == [
        "x", "cotangent_y", "cotangent_y_2", "cotangent_cotangent_x"
    ]  # fmt: skip
    assert [port.name for port in adjoint.outputs] == [
        "y", "cotangent_x", "cotangent_x_2", "cotangent_cotangent_y"
    ]  # fmt: skip
    for program in (adjoint.vjp(primal=True), adjoint.jvp(primal=True), taken.jvp().jvp(primal=True).vjp(primal=True)):
        for ports in (program.inputs, program.outputs):
            assert len({port.name for port in ports}) == len(ports)


ODD = trace(
    lambda x, e, t: (
        np.full((2, 2), 3.0), x, np.array([x[0], x[0], 2.0 * x[0]]), np.empty((0, 2)), np.array([1.0, x[1] * t]), t
    ),
    [Port("x", (2,)), Port("e", (0,)), Port("t", ())],
    ["constant", "same", "twice", "nothing", "half", "number"],
    name="odd",
)  # fmt: skip


def test_constants_empty_arrays_and_results_that_are_inputs() -> None:
    arrays = [np.array([0.7, -1.3]), np.empty(0), np.array(1.9)]
    cotangents = [RNG.normal(size=port.shape) for port in ODD.outputs]
    _, same, twice, _, half, number = cotangents
    x = [same[0] + twice[0] + twice[1] + 2.0 * twice[2], same[1] + 1.9 * half[1]]
    expected = [np.array(x), np.empty(0), number - 1.3 * half[1]]
    assert_close(interpret(ODD.vjp(), *arrays, *cotangents), expected)
    tangents = [np.array([0.4, 0.3]), np.empty(0), np.array(-2.0)]
    found = interpret(ODD.jvp(), *arrays, *tangents)
    rates = [np.zeros((2, 2)), tangents[0], [0.4, 0.4, 0.8], np.empty((0, 2)), [0.0, 0.3 * 1.9 + 2.6], -2.0]
    assert_close(found, rates)
    assert_close(interpret(ODD.vjp(of=[], wrt=["t"]), *arrays), [0.0])
    assert interpret(ODD.vjp(of=["half"], wrt=[]), *arrays, half) == ()


def test_what_nothing_depends_on_costs_nothing() -> None:
    program = armdyn.load("ur5").inverse_dynamics.program()
    by_acceleration = program.vjp(wrt="qdd")
    assert by_acceleration.op_counts.arithmetic < 0.6 * program.vjp().op_counts.arithmetic
    assert EVERY.vjp(of=[], wrt="x").op_counts.arithmetic == 0


def test_a_branch_not_taken_passes_on_nothing() -> None:
    program = trace(
        lambda x: select(x < 1.5, 1.0 + x, 2.0 + np.sqrt(x - 1.0)) + select(x < 0.75, x, 3.0 * x), [Port("x", ())]
    )
    x, seed = np.array([1.0, 0.5, 2.0]), np.array([1.0, 10.0, 100.0])
    expected = [4.0, 20.0, 350.0]
    np.testing.assert_array_equal(interpret(program.vjp(), x, seed)[0], expected)
    np.testing.assert_array_equal(interpret(program.jvp(), x, seed)[0], expected)


def both_branches(y: Any, k: int) -> Any:
    return select(y < 0.1 * k, np.sin(y), 2.0 * y)


def one_branch(y: Any, k: int) -> Any:
    return y + select(y < 0.1 * k, select(y < 0.05 * k, np.sin(y), y * y), 0.0)


def beside_it(y: Any, k: int) -> Any:
    return y + select(y < 0.1 * k, np.sqrt(y + 0.1 * k), 0.0) + select(y < 0.2 * k, 0.0, 0.1 * y * k)


@pytest.mark.parametrize("step", [both_branches, one_branch, beside_it])
def test_the_length_grows_with_the_number_of_selects(step: Callable[[Any, int], Any]) -> None:
    """And not like its power of two, as if every way through the branches were kept apart."""

    def chain(steps: int) -> Program:
        def run(x: Any) -> Any:
            for k in range(steps):
                x = step(x, k)
            return x

        return trace(run, [Port("x", ())])

    lengths = [len(chain(steps).vjp().nodes) for steps in (10, 20, 30)]
    assert lengths[2] - lengths[1] < 1.2 * (lengths[1] - lengths[0])
    program = chain(30)
    for x in (-0.2, 0.05, 0.3, 0.8):
        if step is beside_it and x < 0:
            continue
        np.testing.assert_allclose(interpret(program.vjp(), x, 1.0), interpret(program.jvp(), x, 1.0), rtol=1e-12)


def test_cotangents_of_a_function() -> None:
    """On numbers, and traced with everything else."""
    arrays = at(EVERY)
    cotangents = [RNG.normal(size=port.shape) for port in EVERY.outputs]
    expected = interpret(EVERY.vjp(), *arrays, *cotangents)
    assert_close(cotangents_along(all_operations, arrays, cotangents), expected)
    ports = [*EVERY.inputs, *(Port(f"c{k}", port.shape) for k, port in enumerate(EVERY.outputs))]
    traced = trace(lambda *given: tuple(cotangents_along(all_operations, given[:3], given[3:])), ports)
    assert_close(interpret(traced, *arrays, *cotangents), expected)
    of_its_own = cotangents_along(lambda x: (x, x * x, x), [3.0], [1.0, 10.0, 100.0])  # one node is two results
    assert of_its_own == [161.0]
    with pytest.raises(ShapeError, match=r"the cotangents have the shapes \[\(2,\)\]; expected \[\(\)\]"):
        cotangents_along(lambda x: x @ x, [np.ones(3)], [np.ones(2)])


def test_compiled_in_batches() -> None:
    program = PROGRAMS["inverse dynamics"]
    adjoint = program.vjp(primal=True)
    arrays = [RNG.normal(size=(37, *port.shape)) for port in adjoint.inputs]
    assert_close(compile_program(adjoint)(*arrays), interpret(adjoint, *arrays))


@pytest.mark.parametrize(
    ("function", "adjoint", "tangent"),
    [("inverse_dynamics", 684, 701), ("forward_dynamics", 1562, 1583), ("mass_matrix", 373, 344)],
)
def test_counts(function: str, adjoint: int, tangent: int) -> None:
    """UR5: they may fall, not rise. Of inverse dynamics 2.5 times its 276 operations, all gradients together."""
    program = getattr(armdyn.load("ur5"), function).program()
    assert program.vjp().op_counts.arithmetic <= adjoint
    assert program.jvp().op_counts.arithmetic <= tangent
