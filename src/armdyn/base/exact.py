"""Real numbers in fifty decimal digits: the arithmetic between a description and the constants of a program.

A float64 result depends on the machine wherever a library chooses the order of a sum, a fused multiplication or its own
sine. Here every operation is rounded to fifty digits by the rules of decimal arithmetic, which are the same everywhere
(Python's `decimal`), and the result is rounded to float64 once, at the end. So the constants of a program are those of
the description to the last digit, on every machine, and a zero of the geometry is a zero.

`Exact` numbers stand in object arrays: NumPy's arithmetic, ``@``, ``np.sqrt``, ``np.cos`` work on them by their
methods. Together with a traced scalar it becomes a constant of the trace, in float64.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation
from functools import cache, lru_cache
from numbers import Rational, Real
from typing import Any, TypeVar

import numpy as np

from armdyn.base.scalars import Array, Scalar

Result = TypeVar("Result")

DIGITS = 50
"""Far more than float64's 17, so that what cancels leaves enough of them."""

CANCELLED = 40
"""A sum this many digits smaller than what it is made of is zero: numbers of float64's digits do not cancel so far."""

GUARD = 10
"""Further digits of the functions' own steps."""

SAFE_QUARTERS = 64
"""Up to so many quarter turns, float64 angles are closer together than rounding of a geometry explains."""


def _context(digits: int) -> Context:
    # Nothing is trapped: what has no value is NaN and what is too large is infinite, as in float64.
    return Context(digits, ROUND_HALF_EVEN, Emin=-999999, Emax=999999, capitals=1, clamp=0, traps=[])


_DECIMAL, _WIDE = _context(DIGITS), _context(DIGITS + GUARD)


def _binary(operation: Callable[[Decimal, Decimal], Result]) -> Callable[[Any, Any], Result]:
    """The method of `Exact` that applies ``operation`` to its own decimal and to that of another real number."""

    def method(number: Scalar, other: object) -> Result:
        d = _operand(other)
        return NotImplemented if d is None else operation(number.decimal, d)

    return method


def _sum(a: Decimal, b: Decimal) -> Exact:
    """a + b; zero if the sum is as small as the rounding of the numbers that a and b were computed from."""
    total = _DECIMAL.add(a, b)
    if a and b and total and total.adjusted() < max(a.adjusted(), b.adjusted()) - CANCELLED:
        return ZERO
    return Exact._of(total)


def _power(base: Decimal, exponent: Decimal) -> Exact:
    """base^exponent, by products if the exponent is a whole number, else exp(exponent log base)."""
    if exponent == exponent.to_integral_value():
        return Exact._of(_DECIMAL.plus(_whole_power(base, int(exponent))))
    return Exact._of(_DECIMAL.plus(_WIDE.exp(_WIDE.multiply(exponent, _WIDE.ln(base)))))


class Exact:
    """A real number in fifty decimal digits.

    >>> float(Exact(1.0) / 3 * 3)
    1.0
    >>> Exact(0.1) + Exact(0.2) == 0.1 + 0.2  # the sum of the two float64 numbers, not rounded to float64
    False
    """

    __slots__ = ("decimal",)

    def __init__(self, value: object) -> None:
        self.decimal = _as_decimal(value)

    @classmethod
    def _of(cls, decimal: Decimal) -> Exact:
        result = object.__new__(cls)
        result.decimal = decimal
        return result

    # Arithmetic and comparisons: each with another real number, `NotImplemented` with anything else.

    __add__ = __radd__ = _binary(_sum)
    __sub__ = _binary(lambda a, b: _sum(a, b.copy_negate()))
    __rsub__ = _binary(lambda a, b: _sum(b, a.copy_negate()))
    __mul__ = __rmul__ = _binary(lambda a, b: Exact._of(_DECIMAL.multiply(a, b)))
    __truediv__ = _binary(lambda a, b: Exact._of(_DECIMAL.divide(a, b)))
    __rtruediv__ = _binary(lambda a, b: Exact._of(_DECIMAL.divide(b, a)))
    __pow__ = _binary(_power)
    __rpow__ = _binary(lambda a, b: _power(b, a))
    __eq__ = _binary(operator.eq)
    __lt__ = _binary(lambda a, b: _holds(operator.lt, a, b))
    __le__ = _binary(lambda a, b: _holds(operator.le, a, b))
    __gt__ = _binary(lambda a, b: _holds(operator.gt, a, b))
    __ge__ = _binary(lambda a, b: _holds(operator.ge, a, b))

    def __neg__(self) -> Exact:
        return Exact._of(_DECIMAL.minus(self.decimal))

    def __pos__(self) -> Exact:
        return self

    def __abs__(self) -> Exact:
        return Exact._of(_DECIMAL.abs(self.decimal))

    def __hash__(self) -> int:
        return hash(self.decimal)

    def __bool__(self) -> bool:
        return bool(self.decimal)

    def __float__(self) -> float:
        return float(self.decimal)

    def __int__(self) -> int:
        return int(self.decimal)

    def __floor__(self) -> int:
        return math.floor(self.decimal)

    def __round__(self, digits: int | None = None) -> Any:
        return round(self.decimal) if digits is None else Exact._of(round(self.decimal, digits))

    def __repr__(self) -> str:
        return f"Exact({str(self.decimal)!r})"

    # What NumPy's functions of the same names call on the elements of an object array

    def sqrt(self) -> Exact:
        """The square root."""
        return Exact._of(_DECIMAL.sqrt(self.decimal))

    def cos(self) -> Exact:
        """The cosine."""
        return cos_sin(self)[0]

    def sin(self) -> Exact:
        """The sine."""
        return cos_sin(self)[1]

    def tan(self) -> Exact:
        """The tangent."""
        c, s = cos_sin(self)
        return s / c

    def arctan2(self, x: object) -> Exact:
        """The angle of the point (x, self)."""
        return arctan2(self, x)

    def arctan(self) -> Exact:
        """The angle whose tangent it is."""
        return arctan2(self, ONE)

    def arcsin(self) -> Exact:
        """The angle whose sine it is."""
        return arctan2(self, ((ONE - self) * (ONE + self)).sqrt())

    def arccos(self) -> Exact:
        """The angle whose cosine it is."""
        return arctan2(((ONE - self) * (ONE + self)).sqrt(), self)

    def exp(self) -> Exact:
        """The exponential function."""
        return Exact._of(_DECIMAL.exp(self.decimal))

    def log(self) -> Exact:
        """The natural logarithm."""
        return Exact._of(_DECIMAL.ln(self.decimal))

    def tanh(self) -> Exact:
        """The hyperbolic tangent, (exp(2 x) - 1) / (exp(2 x) + 1)."""
        x = self.decimal
        if x.adjusted() < -GUARD:  # the difference would lose the guard digits, and x^5 is negligible
            return self - self * self * self / 3
        if x > 2 * DIGITS:
            return ONE
        square = _WIDE.exp(_WIDE.multiply(x, Decimal(2)))
        return Exact._of(_DECIMAL.divide(_WIDE.subtract(square, Decimal(1)), _WIDE.add(square, Decimal(1))))


Real.register(Exact)  # a traced scalar takes it for the number that it is


def _as_decimal(value: object) -> Decimal:
    d = _operand(value)
    if d is None:
        raise TypeError(f"{value!r} is not a real number")
    return d


def _operand(value: Any) -> Decimal | None:
    """A number as a decimal, without rounding if that is finite; None for anything else."""
    kind = type(value)
    if kind is Exact:
        return value.decimal  # type: ignore[no-any-return]
    if kind is float or kind is int or kind is Decimal:
        return Decimal(value)
    if isinstance(value, float | np.float32 | np.float16 | np.bool_):  # np.float64 is a float
        return Decimal(float(value))
    if isinstance(value, Rational):  # np.int64, Fraction
        return _WIDE.divide(Decimal(int(value.numerator)), Decimal(int(value.denominator)))
    return value.decimal if isinstance(value, Exact) else None


def _holds(compare: Callable[[Decimal, Decimal], bool], a: Decimal, b: Decimal) -> bool:
    """True if a comparison holds; none does with NaN."""
    try:
        return compare(a, b)
    except InvalidOperation:
        return False


ZERO, ONE, NAN = Exact(0), Exact(1), Exact(Decimal("NaN"))


def exact(values: object) -> Scalar:
    """Numbers as `Exact` ones, in an array if an array is given; traced scalars stay as they are.

    >>> exact([[1.0, 2.0]])[0, 1]
    Exact('2')
    """
    array = np.asarray(values)
    result = np.empty(array.shape, dtype=object)
    for index, value in zip(np.ndindex(array.shape), array.astype(object).flat, strict=True):
        result[index] = Exact(value) if isinstance(value, Real | np.bool_) else value
    return result if result.shape else result[()]


def rounded(values: object) -> Scalar:
    """`Exact` numbers in float64, each rounded once; an array that holds traced scalars stays one of objects.

    >>> rounded(exact([1.0, 2.0]) / 3)
    array([0.33333333, 0.66666667])
    """
    array = np.asarray(values)
    if array.dtype == object:
        numbers = [float(x) + 0.0 if isinstance(x, Real) else x for x in array.flat]
        array = np.array([*numbers, None], dtype=object)[:-1].reshape(array.shape)
        array = array if is_traced(array) else array.astype(float)
    return array if array.shape else array[()]


def is_traced(values: object) -> bool:
    """True if any of the values is a traced scalar or a symbol."""
    array = np.asarray(values)
    return array.dtype == object and not all(isinstance(x, Real) for x in array.flat)


def is_zero(value: Any) -> bool:
    """True if a value is the constant zero; a traced scalar that depends on an input is not."""
    try:
        return float(value) == 0.0
    except TypeError:
        return False


def norm(v: Array) -> Exact:
    """The length of a vector of `Exact` numbers."""
    return sum((x * x for x in v), start=ZERO).sqrt()


def unit(v: Array) -> Array:
    """A vector of `Exact` numbers in unit length."""
    length: Array = v / norm(v)
    return length


@cache
def pi(digits: int = DIGITS + GUARD) -> Decimal:
    """Pi to so many digits, by Machin's formula 4 atan(1/5) - atan(1/239) in whole numbers."""
    one = 10 ** (digits + GUARD)
    quarter = 4 * _arctan_of_reciprocal(5, one) - _arctan_of_reciprocal(239, one)
    return Decimal(4 * quarter).scaleb(-(digits + GUARD), _context(digits + 2 * GUARD))


def _arctan_of_reciprocal(x: int, one: int) -> int:
    power, total, k = one // x, one // x, 1
    while power:
        power = -power // (x * x) if power > 0 else -(power // (x * x))
        k += 2
        total += power // k if power > 0 else -(-power // k)
        if abs(power) <= 1:
            break
    return total


def right_angles(angle: Scalar) -> int | None:
    """k if the angle is the float64 number next to k right angles, as a description states them; else None.

    >>> right_angles(1.5707963267948966), right_angles(1.5708)
    (1, None)
    """
    angle = float(angle)
    k = round(angle / (math.pi / 2)) if abs(angle) < 2 * SAFE_QUARTERS else SAFE_QUARTERS
    return k if abs(k) < SAFE_QUARTERS and angle == float(_quarter_turns(k)) else None


@cache
def _quarter_turns(k: int) -> Decimal:
    return _WIDE.multiply(_WIDE.divide(pi(), Decimal(2)), Decimal(k))


@lru_cache(maxsize=1024)
def cos_and_sin(angle: object) -> tuple[Exact, Exact]:
    """cos and sin of an angle of a description: exact ones of right angles, which float64 numbers never are."""
    k = right_angles(angle)
    return cos_sin(angle) if k is None else _of_quarters(k, ONE, ZERO)


def _of_quarters(k: int, c: Exact, s: Exact) -> tuple[Exact, Exact]:
    """cos and sin of an angle and k right angles, from c and s of the angle."""
    return ((c, s), (-s, c), (-c, -s), (s, -c))[k % 4]


def cos_sin(angle: object) -> tuple[Exact, Exact]:
    """cos and sin of an angle, rad, however large it is.

    >>> [float(x) for x in cos_sin(1.0)]
    [0.5403023058681398, 0.8414709848078965]
    """
    x = _as_decimal(angle)
    if not x.is_finite():
        return NAN, NAN
    digits = DIGITS + GUARD + max(0, x.adjusted())
    wide = _WIDE if digits == DIGITS + GUARD else _context(digits)
    half_pi = wide.divide(pi(digits), Decimal(2))
    k = int(wide.divide(x, half_pi).to_integral_value(ROUND_HALF_EVEN))
    rest = _WIDE.plus(wide.subtract(x, wide.multiply(half_pi, Decimal(k))))
    square = _WIDE.minus(_WIDE.multiply(rest, rest))
    c, s = _series(square, Decimal(1), 0), _series(square, rest, 1)
    return _of_quarters(k, Exact._of(_DECIMAL.plus(c)), Exact._of(_DECIMAL.plus(s)))


def _series(factor: Decimal, term: Decimal, n: int) -> Decimal:
    """The sum of term (1 + factor/((n+1)(n+2)) (1 + factor/((n+3)(n+4)) (...))), until it changes no more."""
    total, before = term, None
    while total != before:
        term = _WIDE.divide(_WIDE.multiply(term, factor), Decimal((n + 1) * (n + 2)))
        before, total, n = total, _WIDE.add(total, term), n + 2
    return total


HALVINGS = 5
"""After so many, an angle of at most a quarter turn is below 0.05, and its series is short."""


def arctan2(y: object, x: object) -> Exact:
    """The angle of the point (x, y), rad, from -pi to pi; 0 of the origin.

    >>> float(arctan2(1.0, -1.0))
    2.356194490192345
    """
    a, b = _as_decimal(y), _as_decimal(x)
    if a.is_nan() or b.is_nan():
        return NAN
    if not a:
        return ZERO if b >= 0 else Exact._of(_DECIMAL.plus(pi()))
    if b.copy_abs() < a.copy_abs():  # atan2(y, x) = +-pi/2 - atan(x/y)
        quarter = _WIDE.divide(pi(), Decimal(2)).copy_sign(a)
        return Exact._of(_DECIMAL.subtract(quarter, _arctan(_WIDE.divide(b, a))))
    angle = _arctan(_WIDE.divide(a, b))
    return Exact._of(_DECIMAL.add(angle, pi().copy_sign(a)) if b < 0 else _DECIMAL.plus(angle))


def _arctan(t: Decimal) -> Decimal:
    """atan t of |t| <= 1: atan t = 2 atan(t / (1 + sqrt(1 + t^2))), several times, and the series of the rest."""
    for _ in range(HALVINGS):
        root = _WIDE.sqrt(_WIDE.fma(t, t, 1))
        t = _WIDE.divide(t, _WIDE.add(root, Decimal(1)))
    square, power, total, before, n = _WIDE.minus(_WIDE.multiply(t, t)), t, t, None, 1
    while total != before:
        power, n = _WIDE.multiply(power, square), n + 2
        before, total = total, _WIDE.add(total, _WIDE.divide(power, Decimal(n)))
    return _WIDE.multiply(total, Decimal(2**HALVINGS))


def _whole_power(base: Decimal, exponent: int) -> Decimal:
    if exponent < 0:
        return _WIDE.divide(Decimal(1), _whole_power(base, -exponent))
    result = Decimal(1)
    while exponent:
        if exponent & 1:
            result = _WIDE.multiply(result, base)
        exponent >>= 1
        base = _WIDE.multiply(base, base) if exponent else base
    return result
