"""Fifty-digit numbers against mpmath, and what they are for: sums without rounding, exact right angles."""

from __future__ import annotations

import decimal
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armdyn.base.exact import Exact, arctan2, cos_and_sin, cos_sin, exact, is_traced, pi, right_angles, rounded

FINITE = st.floats(allow_nan=False, allow_infinity=False)
MODERATE = st.floats(-1e12, 1e12)


def relative(actual: Exact, expected: mpmath.mpf) -> float:
    """The relative error of a number, in four hundred digits."""
    value = mpmath.mpf(str(actual.decimal))
    return float(abs(value - expected) / abs(expected)) if expected else float(abs(value))


@pytest.fixture(autouse=True)
def _many_digits():
    with mpmath.workdps(400):
        yield


@given(FINITE)
def test_cosine_and_sine_of_any_angle(angle: float) -> None:
    c, s = cos_sin(angle)
    assert relative(c, mpmath.cos(mpmath.mpf(angle))) < 1e-48
    assert relative(s, mpmath.sin(mpmath.mpf(angle))) < 1e-48


@given(FINITE, FINITE)
def test_angle_of_a_point(y: float, x: float) -> None:
    if x or y:
        assert relative(arctan2(y, x), mpmath.atan2(mpmath.mpf(y), mpmath.mpf(x))) < 1e-48


@pytest.mark.parametrize(
    ("method", "function", "low", "high"),
    [
        ("tan", mpmath.tan, -1.5, 1.5),
        ("arcsin", mpmath.asin, -1.0, 1.0),
        ("arccos", mpmath.acos, -1.0, 0.999),
        ("arctan", mpmath.atan, -1e3, 1e3),
        ("sqrt", mpmath.sqrt, 0.0, 1e6),
        ("exp", mpmath.exp, -30.0, 30.0),
        ("log", mpmath.log, 1e-6, 0.9),
        ("tanh", mpmath.tanh, -30.0, 30.0),
        ("tanh", mpmath.tanh, -1e-9, 1e-9),
    ],
)
def test_functions(method: str, function, low: float, high: float) -> None:
    for x in np.random.default_rng(0).uniform(low, high, 50).tolist():
        assert relative(getattr(Exact(x), method)(), function(mpmath.mpf(x))) < 1e-38


@given(MODERATE, MODERATE)
def test_arithmetic(a: float, b: float) -> None:
    assert relative(Exact(a) + b, mpmath.mpf(a) + mpmath.mpf(b)) < 1e-20
    assert relative(a * Exact(b), mpmath.mpf(a) * mpmath.mpf(b)) < 1e-49
    assert relative(a - Exact(b), mpmath.mpf(a) - mpmath.mpf(b)) < 1e-20
    if b:
        assert relative(a / Exact(b), mpmath.mpf(a) / mpmath.mpf(b)) < 1e-49
    assert (Exact(a) < b) == (a < b)
    assert (Exact(a) == a, Exact(a) <= a, float(Exact(a))) == (True, True, a)


def test_powers() -> None:
    assert float(Exact(1.5) ** 3) == 1.5**3
    assert float(Exact(1.5) ** -2) == 1 / 2.25
    assert relative(2 ** Exact(0.3), mpmath.power(2, mpmath.mpf(0.3))) < 1e-48


def test_what_has_no_value_is_not_a_number() -> None:
    nothing = (Exact(-1.0).sqrt(), cos_sin(math.inf)[0], arctan2(math.nan, 1.0), Exact(0) / 0)
    assert all(math.isnan(float(x)) for x in nothing)
    assert not any(x < 1 or x >= 1 for x in nothing)
    assert float(1 / Exact(0)) == math.inf


def test_the_context_of_the_caller_has_no_part_in_it() -> None:
    x, y = Exact(0.1), Exact(1 / 3)
    here = [x - y, y - x, x * y, -x, arctan2(-1e-3, 0.2), *cos_sin(1e9), x**0.3, y.exp()]
    with decimal.localcontext(decimal.Context(prec=3)):
        there = [x - y, y - x, x * y, -x, arctan2(-1e-3, 0.2), *cos_sin(1e9), x**0.3, y.exp()]
    assert [a.decimal for a in here] == [b.decimal for b in there]


def test_what_cancels_is_zero() -> None:
    third = Exact(1) / 3
    assert third * 3 - 1 == 0
    assert (third + Exact(1e-30)) - third != 0
    assert float(Exact(1e-300) + 0.0) == float(0 - Exact(-1e-300)) == 1e-300


def test_pi() -> None:
    assert str(pi(100)).startswith(str(+mpmath.mpf(mpmath.pi))[:100])


def test_right_angles_are_those_of_float64_numbers() -> None:
    for k in range(-60, 61):
        angle = float(mpmath.pi / 2 * k)
        assert right_angles(angle) == k
        c, s = cos_and_sin(angle)
        assert (float(c), float(s)) == ((1, 0), (0, 1), (-1, 0), (0, -1))[k % 4]
        if k:
            assert right_angles(math.nextafter(angle, 0.0)) is None


@pytest.mark.parametrize("angle", [1e15, 3.3e17, 1.5e300])
def test_angles_of_many_turns_are_no_right_angles(angle: float) -> None:
    """From 1e15 rad on, float64 numbers are so far apart that many are next to a right angle by chance."""
    for near in (angle, math.nextafter(angle, math.inf), (angle // (math.pi / 2)) * (math.pi / 2)):
        c, s = cos_and_sin(near)
        assert relative(c, mpmath.cos(mpmath.mpf(near))) < 1e-48
        assert relative(s, mpmath.sin(mpmath.mpf(near))) < 1e-48


def test_arrays_and_numbers_of_other_kinds() -> None:
    A = exact([[1, 0.5], [np.float32(0.25), Fraction(1, 3)]])
    assert A.dtype == object
    assert relative(A[1, 1] * 3, mpmath.mpf(1)) < 1e-49
    np.testing.assert_array_equal(rounded(A @ A), [[1.125, 0.5 + 0.5 / 3], [0.25 + 0.25 / 3, 0.125 + 1 / 9]])
    assert rounded(exact(0.1)) == 0.1
    assert float(np.sqrt(exact([2.0]))[0]) == math.sqrt(2.0)
    with pytest.raises(TypeError, match="'a' is not a real number"):
        Exact("a")


def test_symbols_are_told_from_numbers() -> None:
    import sympy as sp

    x = sp.Symbol("x")
    assert is_traced(np.array([x, 1.0], dtype=object))
    assert not is_traced(exact([1.0, 2.0]))
    mixed = exact(np.array([x, 1.0], dtype=object))
    assert mixed[0] is x
    assert rounded(mixed)[0] is x
