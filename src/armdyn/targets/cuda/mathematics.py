"""tan, asin, acos, atan, atan2, log and pow as LLVM functions of float64 numbers, for a GPU, which has no libm.

They are right to a few units in the last place. float32 programs call these functions too, because calls are rare.

atan z = z + z^3 P(z^2) for |z| <= tan(pi/8), to 2^-58; log m = 2 f + f^3 Q(f^2) with f = (m - 1) / (m + 1), which is
2 atanh f, for m between 1/sqrt 2 and sqrt 2, to 2^-59. The coefficients interpolate at Chebyshev points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial

from armdyn.targets.llvm.doubles import INFINITY, Doubles
from armdyn.targets.llvm.exponential import exponential, log_2_parts
from armdyn.targets.llvm.huge_angles import WORDS, reduce_huge, two_over_pi_words
from armdyn.targets.llvm.scalars import DOUBLE
from armdyn.targets.llvm.trigonometry import fast_limit, half_pi_parts, sincos, sincos_of_rest

_ATAN = (
    -0.3333333333333333,
    0.19999999999999804,
    -0.1428571428565958,
    0.11111111105131119,
    -0.09090908752290591,
    0.07692296340047557,
    -0.06666424257540567,
    0.05878921776625797,
    -0.05230401099058019,
    0.04551350736874263,
    -0.03456432733540151,
    0.01627884915138577,
)
_LOG = (
    0.6666666666666666,
    0.4000000000000088,
    0.285714285708017,
    0.22222222392147034,
    0.1818179559386321,
    0.15386242218879392,
    0.1326870577297007,
    0.13087330476603717,
)

NEEDS = {"tan": ("sin", "cos"), "asin": ("atan2",), "acos": ("atan2",), "atan": ("atan2",)}
"""The functions that a function calls; ``sin`` and ``cos`` are those of huge angles."""


def functions(operations: Iterable[str]) -> list[str]:
    """The functions of a module that needs these operations; for sin and cos only those of huge angles."""
    used = set(operations) & set(_WRITERS)
    for operation in sorted(used):
        used.update(NEEDS.get(operation, ()))
    texts = [_WRITERS[name]() for name in sorted(used)]
    return [_table(), *texts] if used & {"sin", "cos"} else texts


def _table() -> str:
    """The bits of 2/pi as a constant array of the module."""
    words = ", ".join(f"i64 {word}" for word in two_over_pi_words())
    return f"@two_over_pi = internal unnamed_addr addrspace(4) constant [{WORDS} x i64] [{words}], align 8"


def _of_huge(operation: str) -> str:
    """``@huge_sin`` or ``@huge_cos``: right for |x| >= 2^17; NaN for infinity."""
    out = Doubles()
    r, quadrant = reduce_huge(out, "%x", "ptr addrspace(4)", "@two_over_pi")
    flags = {"want_sin": operation == "sin", "want_cos": operation == "cos"}
    sin_x, cos_x = sincos_of_rest(out, DOUBLE, r, quadrant, r, **flags)
    out.put(f"ret double {sin_x or cos_x}")
    return out.function(f"huge_{operation}", "double %x")


def _tan() -> str:
    """sin x / cos x."""
    out = Doubles()
    out.put("entry:")
    sin_x, cos_x, _ = sincos(out, DOUBLE, "%x", want_sin=True, want_cos=True)
    quotient = out.div(str(sin_x), str(cos_x))
    is_huge = out.is_("ogt", out.fabs("%x"), out.number(fast_limit(DOUBLE)))
    out.put(f"br i1 {is_huge}, label %huge, label %end")
    out.put("huge:")
    huge = [out.let(f"call double @huge_{name}(double %x)") for name in ("sin", "cos")]
    of_huge = out.div(*huge)
    out.put("br label %end")
    out.put("end:")
    out.put(f"ret double {out.let(f'phi double [ {quotient}, %entry ], [ {of_huge}, %huge ]')}")
    return out.function("tan", "double %x")


def _atan2() -> str:
    """The angle of the point (x, y).

    With t = smaller / larger of |x|, |y|: atan t is pi/4 + atan((t - 1) / (t + 1)) from tan(pi/8) on.
    """
    out = Doubles()
    zero, one = out.number(0.0), out.number(1.0)
    across, up = out.fabs("%x"), out.fabs("%y")
    steep = out.is_("ogt", up, across)
    larger, smaller = out.choose(steep, up, across), out.choose(steep, across, up)
    t = out.div(smaller, larger)
    t = out.choose(out.is_("oeq", larger, zero), zero, t)  # the origin
    t = out.choose(out.is_("oeq", smaller, out.number(INFINITY)), one, t)
    beyond = out.is_("ogt", t, out.number(math.tan(math.pi / 8)))
    z = out.choose(beyond, out.div(out.sub(t, one), out.add(t, one)), t)
    square = out.mul(z, z)
    angle = out.fma(out.mul(out.mul(square, z), out.polynomial(square, _ATAN)), one, z)
    angle = out.choose(beyond, out.add(angle, out.number(math.pi / 4)), angle)
    half_pi, rest = (out.number(part) for part in half_pi_parts(DOUBLE)[:2])
    complement = out.add(out.sub(half_pi, angle), rest)
    angle = out.choose(steep, complement, angle)
    backward = out.is_("olt", out.copysign(one, "%x"), zero)
    turned = out.add(out.sub(out.number(math.pi), angle), out.number(2.0 * half_pi_parts(DOUBLE)[1]))
    angle = out.choose(backward, turned, angle)
    ordered = out.let("fcmp ord double %x, %y")
    out.put(f"ret double {out.choose(ordered, out.copysign(angle, '%y'), out.add('%x', '%y'))}")
    return out.function("atan2", "double %y, double %x")


def _atan() -> str:
    out = Doubles()
    out.put(f"ret double {out.let(f'call double @atan2(double %x, double {out.number(1.0)})')}")
    return out.function("atan", "double %x")


def _asin() -> str:
    """The angle of the point (sqrt(1 - x^2), x); the root of a negative number is NaN."""
    out = Doubles()
    out.put(f"ret double {out.let(f'call double @atan2(double %x, double {_other_side(out)})')}")
    return out.function("asin", "double %x")


def _acos() -> str:
    out = Doubles()
    out.put(f"ret double {out.let(f'call double @atan2(double {_other_side(out)}, double %x)')}")
    return out.function("acos", "double %x")


def _other_side(out: Doubles) -> str:
    one = out.number(1.0)
    return out.sqrt(out.mul(out.sub(one, "%x"), out.add(one, "%x")))


def _log() -> str:
    out = Doubles()
    high, low = _logarithm(out, "%x")
    out.put(f"ret double {_log_of_special(out, '%x', out.add(high, low))}")
    return out.function("log", "double %x")


def _logarithm(out: Doubles, x: str) -> tuple[str, str]:
    """The logarithm of a positive number in two parts, to a relative 2^-59: x = 2^k m, log x = k log 2 + log m."""
    one = out.number(1.0)
    tiny = out.is_("olt", x, out.number(2.0**-1022))
    bits = out.bits_of(out.choose(tiny, out.mul(x, out.number(2.0**54)), x))
    # From 1/sqrt 2 to sqrt 2: the bits are moved so that the exponent changes at 1/sqrt 2.
    root_half = 0x3FE6A09E667F3BCD
    moved = out.let(f"sub i64 {bits}, {root_half}")
    k = out.let(f"ashr i64 {moved}, 52")
    exponent = out.let(f"shl i64 {k}, 52")
    m = out.of_bits(out.let(f"sub i64 {bits}, {exponent}"))
    less = out.let(f"select i1 {tiny}, i64 54, i64 0")
    k = out.let(f"sitofp i64 {out.let(f'sub i64 {k}, {less}')} to double")

    above, sum_high = out.sub(m, one), out.add(m, one)
    sum_low = out.sub(m, out.sub(sum_high, one))  # the rounding error of m + 1
    f = out.div(above, sum_high)
    rest = out.fma(out.neg(f), sum_low, out.fma(out.neg(f), sum_high, above))
    f_low = out.div(rest, sum_high)
    square = out.mul(f, f)
    series = out.mul(out.mul(square, f), out.polynomial(square, _LOG))
    log_m_low = out.fma(out.number(2.0), f_low, series)

    whole, part = (out.number(part) for part in log_2_parts(DOUBLE))
    scale = out.mul(k, whole)  # exact
    log_m = out.add(f, f)
    high = out.add(scale, log_m)
    back = out.sub(high, scale)  # for the rounding error of the sum (Moller, Knuth)
    error = out.add(out.sub(scale, out.sub(high, back)), out.sub(log_m, back))
    low = out.fma(k, part, out.add(error, log_m_low))
    total = out.add(high, low)
    return total, out.add(out.sub(high, total), low)


def _log_of_special(out: Doubles, x: str, value: str) -> str:
    """-infinity for 0, infinity for infinity, NaN below 0 and for NaN."""
    zero, infinity = out.number(0.0), out.number(INFINITY)
    value = out.choose(out.is_("oeq", x, zero), out.number(-INFINITY), value)
    value = out.choose(out.is_("oeq", x, infinity), infinity, value)
    valid = out.is_("oge", x, zero)
    return out.choose(valid, value, out.number(math.nan))


def _pow() -> str:
    """a^b = e^(b log |a|), with the sign of a if b is odd; special values as in C99."""
    out = Doubles()
    zero, one, infinity = out.number(0.0), out.number(1.0), out.number(INFINITY)
    base = out.fabs("%a")
    high, low = _logarithm(out, base)
    log_base = _log_of_special(out, base, high)
    exponent = out.mul("%b", log_base)
    error = out.fma("%b", low, out.fma("%b", log_base, out.neg(exponent)))
    finite = out.both(out.is_("olt", out.fabs(exponent), infinity), out.is_("olt", out.fabs(error), infinity))
    value = exponential(out, DOUBLE, exponent)
    bounded = out.both(finite, out.is_("olt", value, infinity))
    value = out.choose(bounded, out.fma(value, error, value), value)

    whole = out.is_("oeq", out.floor("%b"), "%b")
    half = out.mul("%b", out.number(0.5))
    odd = out.both(whole, out.is_("une", out.floor(half), half))
    negative = out.is_("olt", out.copysign(one, "%a"), zero)
    value = out.choose(out.both(odd, negative), out.neg(value), value)
    below = out.both(out.is_("olt", "%a", zero), out.is_("une", out.floor("%b"), "%b"))
    real = out.is_("ogt", "%a", out.number(-INFINITY))
    value = out.choose(out.both(below, real), out.number(math.nan), value)
    unit = out.both(out.is_("oeq", base, one), out.is_("oeq", out.fabs("%b"), infinity))
    value = out.choose(unit, one, value)
    always = out.either(out.is_("oeq", "%b", zero), out.is_("oeq", "%a", one))
    out.put(f"ret double {out.choose(always, one, value)}")
    return out.function("pow", "double %a, double %b")


_WRITERS: dict[str, Callable[[], str]] = {
    "sin": partial(_of_huge, "sin"),
    "cos": partial(_of_huge, "cos"),
    "tan": _tan,
    "asin": _asin,
    "acos": _acos,
    "atan": _atan,
    "atan2": _atan2,
    "log": _log,
    "pow": _pow,
}
