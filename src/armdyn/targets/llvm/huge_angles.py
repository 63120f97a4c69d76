"""Sine and cosine of huge angles in float64 by Payne-Hanek reduction, for GPUs and WebAssembly, which have no libm.

The bits of 2/pi that matter for x = M 2^E, M integer, are those after the ones that make multiples of 4: bit E - 1 is
the first, of weight 2^-(E - 1) (Payne and Hanek, "Radian reduction for trigonometric functions", SIGNUM 1983). The
product of M with 192 of them, modulo 2^192, is x 2/pi modulo 4 in units of 2^-190, wrong by less than 2^-126. The
nearest float64 to a multiple of pi/2 is within 2^-62 of it, so at least 64 bits of the rest are right.

No product is rounded that must be exact, and none is fused: the numbers are equal on every machine.
"""

from __future__ import annotations

from itertools import pairwise

from armdyn.targets.llvm.doubles import Doubles
from armdyn.targets.llvm.trigonometry import PI, round_to_bits, two_over_pi

WORDS = 20
"""The number of 64-bit words of the table: one of zeros before the binary point, then the bits of 2/pi for the largest
float64."""

_LOWER_HALF = 2**32 - 1


def two_over_pi_words() -> list[int]:
    """The words of 2/pi, the first before the binary point, which is 0."""
    bits = two_over_pi(64 * (WORDS - 1))
    return [(bits >> 64 * (WORDS - 1 - k)) % 2**64 for k in range(WORDS)]


def reduce_huge(out: Doubles, x: str, pointer: str, table: str) -> tuple[str, str]:
    """The rest r of x = k pi/2 + r, |r| <= pi/4, and k modulo 4, for |x| >= 2^17; r is NaN for infinity.

    Args:
        out: the function.
        x: the angle, rad.
        pointer: LLVM's type of a pointer to the table.
        table: the address of `two_over_pi_words`.
    """
    high, low = _modulo_4(out, out.fabs(x), pointer, table)
    fraction = out.let(f"call i64 @llvm.fshl.i64(i64 {high}, i64 {low}, i64 2)")
    tail = out.let(f"shl i64 {low}, 2")
    down = out.let(f"ashr i64 {fraction}, 63")  # -1 if the fraction is more than 1/2: then k is the next integer
    k = out.let(f"sub i64 {out.let(f'lshr i64 {high}, 62')}, {down}")
    distance = _times_half_pi(out, out.let(f"xor i64 {fraction}, {down}"), out.let(f"xor i64 {tail}, {down}"))
    r = out.add(distance, out.sub(x, x))  # NaN for infinity
    negative = out.is_("olt", x, out.number(0.0))
    below = out.let(f"xor i1 {negative}, {out.let(f'icmp ne i64 {down}, 0')}")
    minus_k = out.let(f"sub i64 0, {k}")
    return out.choose(below, out.neg(r), r), out.let(f"select i1 {negative}, i64 {minus_k}, i64 {k}")


def _modulo_4(out: Doubles, magnitude: str, pointer: str, table: str) -> tuple[str, str]:
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
        address = out.let(f"getelementptr i64, {pointer} {table}, i64 {at}")
        words.append(out.let(f"load i64, {pointer} {address}, align 8"))
    shift = out.let(f"and i64 {first}, 63")
    t0, t1, t2 = (out.let(f"call i64 @llvm.fshl.i64(i64 {a}, i64 {b}, i64 {shift})") for a, b in pairwise(words))
    middle = out.let(f"mul i64 {M}, {t1}")
    low = out.let(f"add i64 {middle}, {_upper_half(out, M, t2)}")
    carry = out.let(f"zext i1 {out.let(f'icmp ult i64 {low}, {middle}')} to i64")
    carried = out.let(f"add i64 {_upper_half(out, M, t1)}, {carry}")
    return out.let(f"add i64 {out.let(f'mul i64 {M}, {t0}')}, {carried}"), low


def _upper_half(out: Doubles, a: str, b: str) -> str:
    """The upper 64 bits of the product of two words, from products of their halves."""
    (a0, a1), (b0, b1) = (
        (out.let(f"and i64 {word}, {_LOWER_HALF}"), out.let(f"lshr i64 {word}, 32")) for word in (a, b)
    )
    lowest = out.let(f"lshr i64 {out.let(f'mul i64 {a0}, {b0}')}, 32")
    one = out.let(f"add i64 {out.let(f'mul i64 {a1}, {b0}')}, {lowest}")
    part = out.let(f"and i64 {one}, {_LOWER_HALF}")
    other = out.let(f"add i64 {out.let(f'mul i64 {a0}, {b1}')}, {part}")
    upper = out.let(f"add i64 {out.let(f'lshr i64 {one}, 32')}, {out.let(f'lshr i64 {other}, 32')}")
    return out.let(f"add i64 {out.let(f'mul i64 {a1}, {b1}')}, {upper}")


def _times_half_pi(out: Doubles, fraction: str, tail: str) -> str:
    """The number (fraction 2^64 + tail) 2^-128 pi/2: the first 32 bits times a short part of pi/2 are exact."""
    short = round_to_bits(PI / 2, 21)
    begin = out.mul(_as_double(out, out.let(f"lshr i64 {fraction}, 32")), out.number(2.0**-32))
    rest = out.mul(_as_double(out, out.let(f"and i64 {fraction}, {_LOWER_HALF}")), out.number(2.0**-64))
    rest = out.add(rest, out.mul(_as_double(out, tail), out.number(2.0**-128)))
    corrections = out.add(out.mul(begin, out.number(float(PI / 2 - short))), out.mul(rest, out.number(float(PI / 2))))
    return out.add(out.mul(begin, out.number(float(short))), corrections)


def _as_double(out: Doubles, integer: str) -> str:
    return out.let(f"uitofp i64 {integer} to double")
