"""Sine and cosine of huge angles in float64 by Payne-Hanek reduction, for a processor without libm.

The bits of 2/pi that matter for x = M 2^E, M integer, are those after the ones that make multiples of 4: bit E - 1 is
the first, of weight 2^-(E - 1) (Payne and Hanek, "Radian reduction for trigonometric functions", SIGNUM 1983). The
product of M with 192 of them, modulo 2^192, is x 2/pi modulo 4 in units of 2^-190, wrong by less than 2^-126. The
nearest float64 to a multiple of pi/2 is within 2^-62 of it, so at least 64 bits of the rest are right.
"""

from __future__ import annotations

from itertools import pairwise

from armdyn.targets.cuda.doubles import Doubles
from armdyn.targets.cuda.scalars import DOUBLE
from armdyn.targets.llvm.trigonometry import half_pi_parts, sincos_of_rest, two_over_pi

_WORDS = 20
"""The number of 64-bit words: one of zeros before the binary point, then the bits of 2/pi for the largest float64."""


def table() -> str:
    """The words of 2/pi, the first before the binary point, which is 0, as a constant array of the module."""
    bits = two_over_pi(64 * (_WORDS - 1))
    words = ", ".join(f"i64 {(bits >> 64 * (_WORDS - 1 - k)) % 2**64}" for k in range(_WORDS))
    return f"@two_over_pi = internal unnamed_addr addrspace(4) constant [{_WORDS} x i64] [{words}], align 8"


def huge_function(operation: str) -> str:
    """``@huge_sin`` or ``@huge_cos``: right for |x| >= 2^17; NaN for infinity."""
    out = Doubles()
    r, quadrant = _reduced(out, "%x")
    wanted = {"want_sin": operation == "sin", "want_cos": operation == "cos"}
    sin_x, cos_x = sincos_of_rest(out, DOUBLE, r, quadrant, r, **wanted)
    out.put(f"ret double {sin_x or cos_x}")
    return out.function(f"huge_{operation}", "double %x")


def _reduced(out: Doubles, x: str) -> tuple[str, str]:
    """The rest r of x = k pi/2 + r, |r| <= pi/4, and k modulo 4."""
    high, low = _modulo_4(out, out.fabs(x))
    fraction = out.let(f"call i64 @llvm.fshl.i64(i64 {high}, i64 {low}, i64 2)")  # signed: from -1/2 to 1/2
    tail = out.let(f"shl i64 {low}, 2")
    k = out.let(f"lshr i64 {high}, 62")
    k = out.let(f"add i64 {k}, {out.let(f'lshr i64 {fraction}, 63')}")
    r = _times_half_pi(out, fraction, tail)
    r = out.add(r, out.sub(x, x))  # NaN for infinity
    negative = out.is_("olt", x, out.number(0.0))
    minus_k = out.let(f"sub i64 0, {k}")
    return out.choose(negative, out.neg(r), r), out.let(f"select i1 {negative}, i64 {minus_k}, i64 {k}")


def _modulo_4(out: Doubles, magnitude: str) -> tuple[str, str]:
    """The number x 2/pi modulo 4 in 128 bits, two of them before the point: its upper and its lower word."""
    bits = out.bits_of(magnitude)
    exponent = out.let(f"lshr i64 {bits}, 52")
    fraction = out.let(f"and i64 {bits}, {2**52 - 1}")
    M = out.let(f"shl i64 {out.let(f'or i64 {fraction}, {2**52}')}, 11")
    # x = M 2^E with E = exponent - 1086. Bit E - 1 of 2/pi is bit E - 2 + 64 of the table, counted from 0.
    first = out.let(f"sub i64 {exponent}, {1086 + 2 - 64}")
    word = out.let(f"lshr i64 {first}, 6")
    words = []
    for k in range(4):
        at = out.let(f"add i64 {word}, {k}")
        pointer = out.let(f"getelementptr i64, ptr addrspace(4) @two_over_pi, i64 {at}")
        words.append(out.let(f"load i64, ptr addrspace(4) {pointer}, align 8"))
    shift = out.let(f"and i64 {first}, 63")
    t0, t1, t2 = (out.let(f"call i64 @llvm.fshl.i64(i64 {a}, i64 {b}, i64 {shift})") for a, b in pairwise(words))
    wide_M = out.let(f"zext i64 {M} to i128")
    lowest = out.let(f"mul i128 {wide_M}, {out.let(f'zext i64 {t2} to i128')}")
    middle = out.let(f"mul i128 {wide_M}, {out.let(f'zext i64 {t1} to i128')}")
    middle = out.let(f"add i128 {middle}, {out.let(f'lshr i128 {lowest}, 64')}")
    carried = out.let(f"trunc i128 {out.let(f'lshr i128 {middle}, 64')} to i64")
    high = out.let(f"add i64 {out.let(f'mul i64 {M}, {t0}')}, {carried}")
    return high, out.let(f"trunc i128 {middle} to i64")


def _times_half_pi(out: Doubles, fraction: str, tail: str) -> str:
    """The number (fraction 2^64 + tail) 2^-128 pi/2; fraction is signed, tail is not."""
    upper = out.let(f"and i64 {fraction}, -2048")  # 53 bits: exact
    rest = out.let(f"and i64 {fraction}, 2047")
    hi = out.mul(out.let(f"sitofp i64 {upper} to double"), out.number(2.0**-64))
    lo = out.mul(out.let(f"uitofp i64 {rest} to double"), out.number(2.0**-64))
    lo = out.fma(out.let(f"uitofp i64 {tail} to double"), out.number(2.0**-128), lo)
    first, second = (out.number(part) for part in half_pi_parts(DOUBLE)[:2])
    product = out.mul(hi, first)
    error = out.fma(hi, first, out.neg(product))
    return out.add(product, out.fma(lo, first, out.fma(hi, second, error)))
