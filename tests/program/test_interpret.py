"""The interpreter: the reference of every target."""

import numpy as np
import pytest

from armdyn.program import Port, interpret, trace
from armdyn.program.operations import OPERATIONS

PROGRAM = trace(lambda A, b, s: (A @ b * s, s - b[0]), [Port("A", (2, 3)), Port("b", (3,)), Port("s", ())])
RNG = np.random.default_rng(84)


def test_one_state() -> None:
    A, b, s = RNG.normal(size=(2, 3)), RNG.normal(size=3), 1.7
    y, t = interpret(PROGRAM, A, b, s)
    np.testing.assert_allclose(y, A @ b * s, rtol=1e-15)
    np.testing.assert_allclose(t, s - b[0], rtol=1e-15)


def test_leading_axes_broadcast() -> None:
    A, b, s = RNG.normal(size=(5, 1, 2, 3)), RNG.normal(size=(4, 3)), RNG.normal(size=(5, 4))
    y, t = interpret(PROGRAM, A, b, s)
    np.testing.assert_allclose(y, (A @ b[None, :, :, None])[..., 0] * s[..., None], rtol=1e-13)
    assert t.shape == (5, 4)


def test_empty_batch() -> None:
    y, t = interpret(PROGRAM, np.empty((0, 2, 3)), np.empty((0, 3)), 1.0)
    assert (y.shape, t.shape) == ((0, 2), (0,))


def test_single_precision_stays_single() -> None:
    y, _ = interpret(PROGRAM, np.ones((2, 3)), np.ones(3), 0.1, dtype=np.float32)
    assert y.dtype == np.float32


def test_wrong_number_of_inputs() -> None:
    with pytest.raises(ValueError, match="zip"):
        interpret(PROGRAM, np.ones((2, 3)), np.ones(3))


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_on_numbers_and_arrays(name: str) -> None:
    operation = OPERATIONS[name]
    arguments = [RNG.uniform(0.1, 0.9, 7) for _ in range(operation.arity)]
    together = operation.evaluate(*arguments)
    single = [operation.evaluate(*x) for x in zip(*arguments, strict=True)]
    np.testing.assert_allclose(together, single, rtol=1e-14)


MEANING = {
    "add": 5.0, "sub": 1.0, "mul": 6.0, "div": 1.5, "atan2": np.arctan2(3.0, 2.0), "pow": 9.0, "min": 2.0, "max": 3.0,
    "less": 0.0, "less_equal": 0.0,
}  # fmt: skip


@pytest.mark.parametrize("name", MEANING)
def test_order_of_the_arguments(name: str) -> None:
    assert OPERATIONS[name].evaluate(3.0, 2.0) == MEANING[name]


def test_comparisons_at_equality() -> None:
    assert OPERATIONS["less"].evaluate(2.0, 2.0) == 0.0
    assert OPERATIONS["less_equal"].evaluate(2.0, 2.0) == 1.0


def test_nan_travels_quietly_to_where_it_belongs() -> None:
    q = np.array([[1.0, 2.0, 3.0], [np.nan, 2.0, 3.0], [1.0, np.inf, 3.0]])
    (y,) = interpret(trace(lambda x: np.array([np.sin(x[0]) + x[1] - x[1] * x[2], x[2] * 2]), [Port("x", (3,))]), q)
    np.testing.assert_array_equal(np.isnan(y), [[False, False], [True, False], [True, False]])
