"""Simplification keeps values: random expressions, traced and interpreted, beside the same in plain NumPy."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import armdyn
from armdyn.program import Expr, Port, interpret, maximum, sign, trace

STATES = np.random.default_rng(81).uniform(0.2, 1.7, (16, 3)) * np.random.default_rng(82).choice([-1.0, 1.0], (16, 3))

UNARY = {
    "-": lambda a: -a,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "arctan": np.arctan,
    "abs": np.abs,
    "exp of tanh": lambda a: np.exp(np.tanh(a)),
    "root": lambda a: np.sqrt(1.0 + a * a),
    "square": lambda a: a**2,
    "reciprocal of 1 + square": lambda a: (1.0 + a * a) ** -1,
    "arcsin of sine": lambda a: np.arcsin(0.9 * np.sin(a)),
    "sign": armdyn.sign,
    "clip": lambda a: armdyn.clip(a, -0.7, 0.9),
}
BINARY = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / (1.5 + np.cos(b)),
    "min": armdyn.minimum,
    "max": armdyn.maximum,
    "arctan2": lambda a, b: np.arctan2(a + (b - b), 1.5 + np.cos(b)),  # NumPy wants a traced first argument
    "select": lambda a, b: armdyn.select(a < b, a * 2.0, b - a),
    "select or equal": lambda a, b: armdyn.select(a >= b, b, -a),
}
CONSTANTS = (0.0, 1.0, -1.0, 2.0, 0.5, -3.25, 0.1)

leaves = st.one_of(st.sampled_from(["x", "y", "z"]), st.sampled_from(CONSTANTS))
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(sorted(UNARY)), inner),
        st.tuples(st.sampled_from(sorted(BINARY)), inner, inner),
    ),
    max_leaves=16,
)


def value(expression, x, y, z):
    """The expression on floats, arrays or traced scalars."""
    if isinstance(expression, tuple):
        name, *arguments = expression
        values = [value(a, x, y, z) for a in arguments]
        result = UNARY[name](*values) if len(values) == 1 else BINARY[name](*values)
        return float(result) if not isinstance(result, Expr) and np.ndim(result) == 0 else result
    return {"x": x, "y": y, "z": z}.get(expression, expression)


def magnitude(expression, x, y, z) -> float:
    """The largest value on the way: what rounding is relative to."""
    own = float(np.max(np.abs(value(expression, x, y, z))))
    return max([own] + [magnitude(a, x, y, z) for a in expression[1:]]) if isinstance(expression, tuple) else own


def bounded(expression) -> bool:
    return magnitude(expression, *STATES.T) < 1e6


def is_delicate(expression) -> bool:
    """Holds a jump (sign, comparison), which rounding of its arguments can flip."""
    return isinstance(expression, tuple) and (
        expression[0] in ("sign", "select", "select or equal") or any(map(is_delicate, expression[1:]))
    )


@settings(max_examples=300, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.filter_too_much])
@given(expressions.filter(bounded))
def test_traced_is_plain(expression) -> None:
    plain = np.broadcast_to(value(expression, *STATES.T), 16)
    program = trace(lambda s: np.array([value(expression, *s)]), [Port("s", (3,))])
    (interpreted,) = interpret(program, STATES)
    error = np.abs(interpreted[:, 0] - plain)
    close = error <= 1e-11 * max(1.0, magnitude(expression, *STATES.T))
    # Where two sides of a comparison are equal up to rounding, either side is right: such states are rare.
    assert close.all() if not is_delicate(expression) else close.mean() >= 0.5


@settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.filter_too_much])
@given(expressions.filter(bounded))
def test_simplification_never_adds_operations(expression) -> None:
    """At most one instruction for each operation written, counting those inside the helpers above."""

    def size(e) -> int:
        return 4 + sum(map(size, e[1:])) if isinstance(e, tuple) else 1

    program = trace(lambda s: np.array([value(expression, *s)]), [Port("s", (3,))])
    assert sum(node[0] not in ("input", "const") for node in program.nodes) <= size(expression)


def test_matrices_of_traced_scalars() -> None:
    """Products, transposes, traces and outer products of object arrays are those of numbers."""

    def function(A: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, ...]:
        return A @ b, A.T @ A, np.array(np.trace(A)), np.outer(b, b) - A, A.sum(axis=0) / 3

    rng = np.random.default_rng(83)
    A, b = rng.normal(size=(3, 3)), rng.normal(size=3)
    results = interpret(trace(function, [Port("A", (3, 3)), Port("b", (3,))]), A, b)
    for actual, expected in zip(results, function(A, b), strict=True):
        assert_allclose(actual, expected, rtol=1e-14)


def test_sign_times_a_number_is_its_size() -> None:
    """One operation for what is three or four: equal in every digit, of zeros, infinity and NaN too."""

    def function(x: np.ndarray) -> np.ndarray:
        speeds = [sign(x[0]) * x[0], maximum(x[0] * sign(x[0]), 0.0), maximum(-1.0, abs(x[0])), maximum(abs(x[0]), 2.0)]
        return np.array([*speeds, sign(x[1]) * x[0]], dtype=object)

    program = trace(function, [Port("x", (2,))])
    assert sorted(str(node[0]) for node in program.nodes) == sorted(
        ["input", "input", "abs", "const", "max", "sign", "mul"]
    )
    for x in (-2.5, 2.5, 0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324):
        given = np.array([x, -3.0])
        with np.errstate(invalid="ignore"):
            (found,) = interpret(program, given)
            np.testing.assert_array_equal(found, [abs(x)] * 3 + [maximum(abs(x), 2.0), -x])
