"""x^y of vectors in LLVM IR, without a branch: e^(y log x) with the logarithm in two numbers.

y log x may be as large as 700 and its absolute error counts, so log x needs a relative error of some 2^-63. With
x = 2^k m, m between 1/sqrt(2) and sqrt(2), s = (m - 1)/(m + 1) and z = s^2,

    log x = k log 2 + 2 s (1 + z/3 + z^2 (1/5 + z/7 + ...)),

where s, z/3 and the sums are carried as a number and its rounding error, by fused operations. The relative error of the
result is 2^-52.5. It requires float64 and processors that multiply and add with one rounding.
"""

from __future__ import annotations

from fractions import Fraction

from armdyn.targets.llvm.exponential import exponential, log_2_parts
from armdyn.targets.llvm.vectors import FunctionBody, Vector, horner, multiply_add

SMALLEST, LARGEST = 2.0**-1022, float.fromhex("0x1.fffffffffffffp+1023")
"""The range of positive normal numbers."""

MOST = 700.0
"""The largest |y log x|; beyond it the result is near the end of the range of numbers, or outside."""

_THIRD = 1.0 / 3.0
_REST_OF_THIRD = float(Fraction(1, 3) - Fraction(_THIRD))
_TAIL = tuple(1.0 / (2 * j + 5) for j in range(11))
"""The coefficients 1/5, 1/7, ... of z^2, z^3, ... in log m; the remainder is below 2^-65 of it."""

_SQRT_HALF, _ONE, _TWO_TO_52 = 0x3FE6A09E667F3BCD, 0x3FF0000000000000, 0x4330000000000000
"""The bits of 1/sqrt(2), 1 and 2^52."""


def has_power(vector: Vector) -> bool:
    """True if `power` supports vectors of this kind."""
    return vector.scalar == "double" and vector.has_fma


def power(out: FunctionBody, vector: Vector, x: str, y: str) -> tuple[str, str]:
    """Append the instructions for x^y; returns its name, and that of the mask of the lanes in which it is valid.

    These have positive normal x with |y log x| up to `MOST`, or x = 0 with y > 0 (joints at rest).
    """
    t = vector.type
    high, low = _logarithm(out, vector, x)
    product = out.let(f"fmul {t} {y}, {high}")
    lacking = _rest_of_product(out, vector, y, high, product)
    lacking = multiply_add(out, vector, y, low, lacking)
    value = exponential(out, vector, product, lacking)
    size = out.let(f"call {t} @llvm.fabs.{vector.suffix}({t} {product})")
    normal = out.let(f"fcmp oge {t} {x}, {vector.splat(SMALLEST)}")
    finite = out.let(f"fcmp ole {t} {x}, {vector.splat(LARGEST)}")
    within = out.let(f"fcmp ole {t} {size}, {vector.splat(MOST)}")
    both = out.let(f"and {vector.mask_type} {normal}, {finite}")
    right = out.let(f"and {vector.mask_type} {both}, {within}")
    none = _is_power_of_zero(out, vector, x, y)
    value = out.let(f"select {vector.mask_type} {none}, {t} zeroinitializer, {t} {value}")
    return value, out.let(f"or {vector.mask_type} {right}, {none}")


def _is_power_of_zero(out: FunctionBody, vector: Vector, x: str, y: str) -> str:
    """The mask of the lanes in which x is 0, not -0, and y is positive."""
    of_x = out.let(f"bitcast {vector.type} {x} to {vector.bits_type}")
    zero = out.let(f"icmp eq {vector.bits_type} {of_x}, zeroinitializer")
    above = out.let(f"fcmp ogt {vector.type} {y}, zeroinitializer")
    return out.let(f"and {vector.mask_type} {zero}, {above}")


def _logarithm(out: FunctionBody, vector: Vector, x: str) -> tuple[str, str]:
    """The logarithm of x, as a number and its rounding error."""
    t, one = vector.type, vector.splat(1.0)
    k, m = exponent_and_rest(out, vector, x)
    # s = f/d, d = m + 1 with its rounding error
    f, d = out.let(f"fsub {t} {m}, {one}"), out.let(f"fadd {t} {m}, {one}")
    d_low = out.let(f"fsub {t} {m}, {out.let(f'fsub {t} {d}, {one}')}")
    reciprocal = out.let(f"fdiv {t} {one}, {d}")
    s = out.let(f"fmul {t} {f}, {reciprocal}")
    rest = multiply_add(out, vector, _minus(out, vector, s), d, f)
    rest = multiply_add(out, vector, _minus(out, vector, s), d_low, rest)
    s_low = out.let(f"fmul {t} {rest}, {reciprocal}")
    double, twice_low = out.let(f"fadd {t} {s}, {s}"), out.let(f"fadd {t} {s_low}, {s_low}")
    # z = s^2, T = z/3 + z^2 (...)
    z = out.let(f"fmul {t} {s}, {s}")
    z_low = multiply_add(out, vector, double, s_low, _rest_of_product(out, vector, s, s, z))
    third = out.let(f"fmul {t} {z}, {vector.splat(_THIRD)}")
    small = _rest_of_product(out, vector, z, vector.splat(_THIRD), third)
    small = multiply_add(out, vector, z, vector.splat(_REST_OF_THIRD), small)
    small = multiply_add(out, vector, z_low, vector.splat(_THIRD), small)
    square = out.let(f"fmul {t} {z}, {z}")
    small = multiply_add(out, vector, square, horner(out, vector, z, _TAIL), small)
    T, T_low = _sum(out, vector, third, small)
    # log m = 2 s + 2 s T
    product = out.let(f"fmul {t} {double}, {T}")
    lacking = _rest_of_product(out, vector, double, T, product)
    lacking = multiply_add(out, vector, double, T_low, lacking)
    lacking = multiply_add(out, vector, twice_low, T, lacking)
    log_m, log_m_low = _sum(out, vector, double, product)
    lacking = out.let(f"fadd {t} {lacking}, {twice_low}")
    log_m_low = out.let(f"fadd {t} {log_m_low}, {lacking}")
    # + k log 2
    part, last = log_2_parts(vector)
    whole = out.let(f"fmul {t} {k}, {vector.splat(part)}")  # exact
    high, low = _sum(out, vector, whole, log_m)
    low = out.let(f"fadd {t} {low}, {multiply_add(out, vector, k, vector.splat(last), log_m_low)}")
    return high, low


def exponent_and_rest(out: FunctionBody, vector: Vector, x: str) -> tuple[str, str]:
    """k and m of x = 2^k m with m from 1/sqrt(2) to sqrt(2), as numbers, for positive normal x."""
    t, bits = vector.type, vector.bits_type
    of_x = out.let(f"bitcast {t} {x} to {bits}")
    moved = out.let(f"add {bits} {of_x}, {vector.bits(_ONE - _SQRT_HALF)}")
    biased = out.let(f"lshr {bits} {moved}, {vector.bits(52)}")  # k + 1023
    fraction = out.let(f"and {bits} {moved}, {vector.bits(2**52 - 1)}")
    m = out.let(f"bitcast {bits} {out.let(f'add {bits} {fraction}, {vector.bits(_SQRT_HALF)}')} to {t}")
    # written into the last bits of 2^52, an integer becomes a number
    above = out.let(f"bitcast {bits} {out.let(f'or {bits} {biased}, {vector.bits(_TWO_TO_52)}')} to {t}")
    return out.let(f"fsub {t} {above}, {vector.splat(2.0**52 + 1023.0)}"), m


def _minus(out: FunctionBody, vector: Vector, a: str) -> str:
    return out.let(f"fneg {vector.type} {a}")


def _rest_of_product(out: FunctionBody, vector: Vector, a: str, b: str, product: str) -> str:
    """a b less its rounded value."""
    return multiply_add(out, vector, a, b, _minus(out, vector, product))


def _sum(out: FunctionBody, vector: Vector, large: str, small: str) -> tuple[str, str]:
    """The sum of two numbers, of which the first is the larger one or zero, and its rounding error."""
    t = vector.type
    total = out.let(f"fadd {t} {large}, {small}")
    return total, out.let(f"fsub {t} {small}, {out.let(f'fsub {t} {total}, {large}')}")
