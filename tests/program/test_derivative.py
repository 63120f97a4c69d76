"""Differentiation of functions and programs: shapes, nesting, what is constant, and which way is shorter."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import armdyn
from armdyn.base.errors import ShapeError, TraceError, UnknownName
from armdyn.program import Expr, Port, Program, derivative, interpret, rate, trace

RNG = np.random.default_rng(401)


def general(x: np.ndarray) -> np.ndarray:
    """A (2, 3) of four scalars, with products, a quotient and what does not depend on x."""
    a, b, c, d = x
    return np.array([[a * b, np.sin(c) / d, 1.5], [b - d, a * b * c * d, np.exp(a) * np.cos(b)]])


def jacobian_of_general(x: np.ndarray) -> np.ndarray:
    a, b, c, d = x
    J = np.zeros((2, 3, 4))
    J[0, 0] = b, a, 0, 0
    J[0, 1] = 0, 0, np.cos(c) / d, -np.sin(c) / d**2
    J[1, 0] = 0, 1, 0, -1
    J[1, 1] = b * c * d, a * c * d, a * b * d, a * b * c
    J[1, 2] = np.exp(a) * np.cos(b), -np.exp(a) * np.sin(b), 0, 0
    return J


def traced(f, *shapes: tuple[int, ...]) -> Program:
    return trace(f, [Port(f"x{k}", shape) for k, shape in enumerate(shapes)])


def test_on_numbers() -> None:
    x = RNG.uniform(0.5, 2.0, 4)
    np.testing.assert_allclose(derivative(general, x), jacobian_of_general(x), rtol=1e-14, atol=1e-15)


def test_on_traced_scalars() -> None:
    x = RNG.uniform(0.5, 2.0, (7, 4))
    (J,) = interpret(traced(lambda y: derivative(general, y), (4,)), x)
    np.testing.assert_allclose(J, [jacobian_of_general(row) for row in x], rtol=1e-14, atol=1e-15)


def test_rate_is_the_jacobian_times_the_direction() -> None:
    x, v = RNG.uniform(0.5, 2.0, 4), RNG.normal(size=4)
    expected = jacobian_of_general(x) @ v
    np.testing.assert_allclose(rate(general, x, v), expected, rtol=1e-13)
    (along,) = interpret(traced(lambda y, w: rate(general, y, w), (4,), (4,)), x, v)
    np.testing.assert_allclose(along, expected, rtol=1e-13)


@pytest.mark.parametrize("shape", [(), (3,), (2, 2), (1, 2, 2)])
def test_shapes(shape: tuple[int, ...]) -> None:
    x = RNG.normal(size=shape)
    J = derivative(lambda y: np.stack([y * 2.0, y * y]), x)
    assert J.shape == (2, *shape, *shape)
    diagonal = J.reshape(2, x.size, x.size)
    np.testing.assert_allclose(diagonal[0], 2.0 * np.eye(x.size))
    np.testing.assert_allclose(diagonal[1], 2.0 * np.diag(x.ravel()))
    program = traced(lambda y: derivative(lambda z: np.stack([z * 2.0, z * z]), y), shape)
    np.testing.assert_array_equal(interpret(program, x)[0], J)


def test_a_tuple_gives_a_tuple() -> None:
    by_x = derivative(lambda x: (x[0] * x[1], x), np.array([2.0, 3.0]))
    assert isinstance(by_x, tuple)
    np.testing.assert_array_equal(by_x[0], [3.0, 2.0])
    np.testing.assert_array_equal(by_x[1], np.eye(2))
    one = rate(lambda x: (x[0] * x[1],), np.array([2.0, 3.0]), np.array([1.0, 0.0]))
    assert isinstance(one, tuple)
    assert one == (3.0,)


def test_what_does_not_depend_on_the_argument_is_constant_even_where_it_is_the_same_value() -> None:
    """d/dy (y x) at y = x is x, not 2 x."""
    (result,) = interpret(traced(lambda x: derivative(lambda y: y * x, x), ()), 3.0)
    assert result == 3.0


def test_arguments_that_are_expressions_repeated_or_numbers() -> None:
    """At y = (a b, a b, 7, -a): the derivative by each place, whatever stands there."""

    def f(x: np.ndarray) -> np.ndarray:
        a, b = x
        return derivative(lambda y: y[0] * y[1] * y[2] * y[3], np.array([a * b, a * b, 7.0, -a], dtype=object))

    a, b = 2.0, 3.0
    (J,) = interpret(traced(f, (2,)), [a, b])
    p = a * b
    np.testing.assert_allclose(J, [p * 7 * -a, p * 7 * -a, p * p * -a, p * p * 7])


def test_numbers_inside_a_trace() -> None:
    """The argument is a number, what the function takes from elsewhere is traced."""
    (J,) = interpret(traced(lambda x: derivative(lambda y: x * y * y, np.array([1.0, 2.0])), ()), 5.0)
    np.testing.assert_array_equal(J, [[10.0, 0.0], [0.0, 20.0]])
    (v,) = interpret(traced(lambda x: rate(lambda y: x * y, 2.0, 1.0), ()), 5.0)
    assert v == 5.0


def test_derivative_of_a_derivative() -> None:
    """Perturbations of the inner one are not confused with those of the outer one: d/dx (x d/dy (x y)) = 2 x."""
    assert derivative(lambda x: x * derivative(lambda y: x + y, 1.0), 5.0) == 1.0
    assert derivative(lambda x: x * derivative(lambda y: x * y, 2.0), 5.0) == 10.0
    (result,) = interpret(traced(lambda z: derivative(lambda x: x * derivative(lambda y: x * y, x), z), ()), 5.0)
    assert result == 10.0


def test_second_derivatives_are_symmetric_and_right() -> None:
    def f(x: np.ndarray) -> Expr:
        return np.sin(x[0]) * x[1] ** 3 + x[2] / x[0]

    x = np.array([0.7, 1.3, -2.0])
    H = derivative(lambda y: derivative(f, y), x)
    expected = np.array([
        [-np.sin(0.7) * 1.3**3 + 2 * -2.0 / 0.7**3, 3 * np.cos(0.7) * 1.3**2, -1 / 0.7**2],
        [3 * np.cos(0.7) * 1.3**2, 6 * np.sin(0.7) * 1.3, 0.0],
        [-1 / 0.7**2, 0.0, 0.0],
    ])  # fmt: skip
    np.testing.assert_allclose(H, expected, rtol=1e-14, atol=1e-15)
    v = np.array([0.3, -1.0, 2.0])
    np.testing.assert_allclose(rate(lambda y: derivative(f, y), x, v), expected @ v, rtol=1e-13)


def test_two_traces_are_not_mixed() -> None:
    kept: list[Expr] = []
    traced(lambda x: kept.append(x) or x, ())
    with pytest.raises(TraceError, match="two traces"):
        traced(lambda x: derivative(lambda y: y * kept[0], x), ())


def test_the_argument_does_not_leave_the_function_that_is_differentiated() -> None:
    kept: list[Expr] = []

    def leaking(x: Expr) -> Expr:
        derivative(lambda y: kept.append(y) or y * y, x)
        return x + kept[0]

    with pytest.raises(TraceError, match="outside of its derivative"):
        traced(leaking, ())


def test_rate_of_another_shape() -> None:
    with pytest.raises(ShapeError, match=r"rate has shape \(2,\); expected \(3,\)"):
        rate(lambda x: x, np.zeros(3), np.zeros(2))


def total(program: Program) -> int:
    counts = program.op_counts
    return counts.multiplications + counts.additions


def test_gradients_are_taken_in_reverse() -> None:
    """Of a sum of n squares of linear forms: about as long as the function, not n times that."""
    n = 12
    A = RNG.normal(size=(n, n))

    def f(x: np.ndarray) -> Expr:
        return (A @ x) @ (A @ x)

    function, gradient = traced(f, (n,)), traced(lambda x: derivative(f, x), (n,))
    assert total(gradient) < 2.1 * total(function)
    x = RNG.normal(size=n)
    np.testing.assert_allclose(interpret(gradient, x)[0], 2 * A.T @ A @ x, rtol=1e-13)


def test_curves_are_differentiated_forward() -> None:
    """Many results of one variable: a tangent each, not a sweep each."""

    def f(t: Expr) -> np.ndarray:
        x, results = np.sin(t), []
        for _ in range(10):
            x = x * (t + x)
            results.append(x)
        return np.array(results)

    # x' = x' (t + x) + x (1 + x'): two products and two sums a step
    assert total(traced(lambda t: derivative(f, t), ())) <= total(traced(f, ())) + 10 * 4


def test_each_result_its_own_way() -> None:
    """A gradient and a curve in one call: the whole is no longer than both apart."""
    n = 8
    A = RNG.normal(size=(n, n))

    def energy(x: np.ndarray) -> Expr:
        return (A @ x[1:]) @ (A @ x[1:])

    def curve(x: np.ndarray) -> np.ndarray:
        results, value = [], x[0]
        for _ in range(12):
            value = np.sin(value) * value
            results.append(value)
        return np.array(results)

    both = traced(lambda x: derivative(lambda y: (energy(y), curve(y)), x), (n + 1,))
    apart = [traced(lambda x, f=f: derivative(f, x), (n + 1,)) for f in (energy, curve)]
    assert total(both) <= sum(total(p) for p in apart)


def test_zeros_cost_nothing() -> None:
    """A block-diagonal function has a block-diagonal Jacobian, made of zeros that nobody computes."""
    program = traced(lambda x: derivative(lambda y: y[:3] * y[3:], x), (6,))
    assert str(program.op_counts) == "0"
    constants = [program.nodes[r] == ("const", 0.0) for r in program.results]
    assert sum(constants) == 12


def test_the_function_itself_is_shared_with_its_derivative() -> None:
    robot = armdyn.load("ur5").mechanism

    def both(q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, ...]:
        def f(y: np.ndarray) -> np.ndarray:
            return armdyn.algorithms.kinetic_energy(robot, y, qd)

        return np.array(f(q)), derivative(f, q)

    shapes = ((6,), (6,))
    alone = total(
        traced(lambda q, qd: derivative(lambda y: armdyn.algorithms.kinetic_energy(robot, y, qd), q), *shapes)
    )
    energy = total(traced(lambda q, qd: armdyn.algorithms.kinetic_energy(robot, q, qd), *shapes))
    assert total(traced(both, *shapes)) <= 242 < alone + energy


def test_program_of_derivatives() -> None:
    program = trace(lambda a, b: (a * b, np.sin(b)), [Port("a", ()), Port("b", (2,))], ["force", "wave"], name="f")
    D = program.derivative()
    assert D.name == "f_derivative"
    assert D.inputs == program.inputs
    assert [(p.name, p.shape) for p in D.outputs] == [
        ("d_force_d_a", (2,)),
        ("d_force_d_b", (2, 2)),
        ("d_wave_d_a", (2,)),
        ("d_wave_d_b", (2, 2)),
    ]
    a, b = 3.0, np.array([0.5, 0.7])
    for actual, expected in zip(interpret(D, a, b), (b, a * np.eye(2), [0, 0], np.diag(np.cos(b))), strict=True):
        np.testing.assert_array_equal(actual, expected)


def test_program_of_chosen_derivatives() -> None:
    program = trace(lambda a, b: (a * b, np.sin(b)), [Port("a", ()), Port("b", (2,))], ["force", "wave"])
    D = program.derivative(of=["wave"], wrt="b")
    assert [p.name for p in D.outputs] == ["d_wave_d_b"]
    with pytest.raises(UnknownName, match=r"no output 'waves' in .*Did you mean 'wave'"):
        program.derivative(of=["waves"])
    with pytest.raises(UnknownName, match="no input 'c'"):
        program.derivative(wrt=["c"])


def test_second_derivatives_of_a_program() -> None:
    program = trace(lambda x: x[0] ** 2 * x[1], [Port("x", (2,))], ["y"])
    H = program.derivative().derivative()
    assert H.outputs == (Port("d_d_y_d_x_d_x", (2, 2)),)
    np.testing.assert_array_equal(interpret(H, [3.0, 5.0])[0], [[10.0, 6.0], [6.0, 0.0]])


def test_forward_and_reverse_agree_on_whole_arms() -> None:
    from armdyn.program.accumulation import both_ways, entries
    from armdyn.program.graph import Graph
    from armdyn.program.program import live

    program = armdyn.load("ur5").inverse_dynamics.program()
    graph, place = Graph(), []
    for name, *arguments in program.nodes:
        if name in ("input", "const"):
            place.append(graph.input(arguments[0]) if name == "input" else graph.constant(arguments[0]))
        else:
            place.append(graph.apply(name, *(place[a] for a in arguments)))
    inputs = [graph.input(k) for k in range(18)]
    both = both_ways(graph, [[place[r] for r in program.results]], [inputs])
    state = RNG.normal(size=(20, 18))
    found = []
    for blocks in both.values():
        nodes, results = live(graph, entries(blocks))
        one_way = Program("J", (Port("x", (18,)),), (Port("J", (6, 18)),), nodes, results)
        found.append(interpret(one_way, state)[0])
    assert np.abs(found[0] - found[1]).max() <= 1e-14 * np.abs(found[0]).max()


SMOOTH = {
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "exp of sin": lambda a: np.exp(np.sin(a)),
    "root": lambda a: np.sqrt(2.0 + np.sin(a)),
    "log": lambda a: np.log(2.0 + np.cos(a)),
    "arctan": np.arctan,
    "cube": lambda a: a * a * a,
    "power": lambda a: (2.0 + np.sin(a)) ** 2.5,
    "-": lambda a: -a,
}
OF_TWO = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / (2.0 + np.sin(b)),
    "power": lambda a, b: (2.0 + np.cos(a)) ** np.sin(b),
}
expressions = st.recursive(
    st.sampled_from(["x", "y", "z", 0.5, -1.25, 1.0]),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(sorted(SMOOTH)), inner), st.tuples(st.sampled_from(sorted(OF_TWO)), inner, inner)
    ),
    max_leaves=12,
)


def evaluated(expression, scalars):
    """An expression on floats, complex numbers or traced scalars."""
    if isinstance(expression, tuple):
        name, *arguments = expression
        values = [evaluated(a, scalars) for a in arguments]
        return SMOOTH[name](*values) if len(values) == 1 else OF_TWO[name](*values)
    return dict(zip("xyz", scalars, strict=True)).get(expression, expression)


@settings(max_examples=150, deadline=None)
@given(expressions, expressions)
def test_random_functions_against_complex_steps(first, second) -> None:
    """Two results at once share operations. A complex step of 1e-30 is exact for inputs within 1e-12 of x.

    A cosine of a large number changes by more than rounding where its argument changes by rounding: the tolerance
    contains the change of the derivative over 1e-12 of x.
    """
    x = np.array([0.7, -1.1, 0.4])

    def f(v: np.ndarray) -> np.ndarray:
        return np.array([evaluated(first, v), evaluated(second, v)])

    def by_steps(x: np.ndarray) -> np.ndarray:
        steps = [x + 1e-30j * e for e in np.eye(3)]
        return np.array([np.imag(np.asarray(f(step), dtype=complex)) / 1e-30 for step in steps]).T

    expected = by_steps(x)
    with np.errstate(all="ignore"):
        sizes = np.abs(np.asarray(f(x), dtype=float))
    assume(np.isfinite(expected).all() and max(np.abs(expected).max(), sizes.max()) < 1e6)
    change = np.abs(by_steps(x * (1.0 + 1e-12)) - expected).max()
    tolerance = 1e-12 * max(1.0, np.abs(expected).max()) + change
    np.testing.assert_allclose(derivative(f, x), expected, rtol=0, atol=tolerance)
    v = np.array([0.3, 2.0, -1.0])
    np.testing.assert_allclose(rate(f, x, v), expected @ v, rtol=0, atol=3.0 * tolerance)
