"""Sine and cosine of a vector of angles in LLVM IR: branch-free for ordinary angles, libm for huge ones.

x = k pi/2 + r with |r| <= pi/4. The multiple of pi/2 is subtracted in parts (Cody and Waite), each of which either
has so few bits that its product with k is exact, or is multiplied and subtracted with one rounding (fused). Then
sin r and cos r are polynomials, and the last two bits of k select which of them, with which sign, is sin x.

The coefficients are minimax in relative error on |r| <= 1.0005 pi/4, by Remez' exchange in 60 digits, rounded one
after the other with the rest fitted again. Relative error of the float64 polynomials: 2^-58 (sin), 2^-64 (cos);
of the float32 polynomials: 2^-28, 2^-33.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

from armdyn.base.exact import pi
from armdyn.targets.llvm.vectors import FunctionBody, Vector, horner, multiply_add

PI = 3 + Fraction(0x243F6A8885A308D313198A2E03707344A4093822299F31D0082EFA98EC4E6C89, 16**64)

# sin r = r + r^3 (s0 + s1 r^2 + ...);  cos r = 1 - r^2/2 + r^4 (c0 + c1 r^2 + ...)
SIN = {
    "double": (
        -0.16666666666666632,
        0.008333333333322472,
        -0.00019841269829835647,
        2.7557313697313586e-06,
        -2.505075848308519e-08,
        1.5896795864110072e-10,
    ),
    "float": (-0.16666655242443085, 0.008332191035151482, -0.00019518598855938762),
}
COS = {
    "double": (
        0.041666666666666595,
        -0.0013888888888873325,
        2.4801587288983675e-05,
        -2.7557314210071697e-07,
        2.0875704270279447e-09,
        -1.1358683281564817e-11,
    ),
    "float": (0.04166664555668831, -0.0013887309469282627, 2.4432327336398885e-05),
}


def fast_limit(vector: Vector) -> float:
    """The largest |x| of the polynomial path: k then has at most 30, 17 or 12 bits."""
    return float(2 ** _bits_of_k(vector))


def _bits_of_k(vector: Vector) -> int:
    if vector.scalar == "double":
        return 30
    return 17 if vector.has_fma else 12


def half_pi_parts(vector: Vector) -> list[float]:
    """pi/2 as a sum of numbers of decreasing size, of which only the last may be negative.

    They suffice for angles next to a multiple of pi/2: the nearest one below 2^30 is within some 2^-62 of it.
    """
    bits = vector.significant_bits
    widths = [bits, bits, bits] if vector.has_fma else [bits - _bits_of_k(vector)] * 4 + [bits]
    parts, rest = [], PI / 2
    for number, width in enumerate(widths, start=1):
        part = round_to_bits(rest, width, round if number + 1 >= len(widths) else math.floor)
        parts.append(float(part))
        rest -= part
    return parts


@cache
def two_over_pi(bits: int) -> int:
    """The first bits of 2/pi after the binary point, as an integer, for the reduction of angles of any size."""
    return int(2 / Fraction(pi(bits * 31 // 100 + 10)) * 2**bits)


def round_to_bits(value: Fraction, bits: int, to_integer: Callable[[Fraction], int] = round) -> Fraction:
    """The nearest number with ``bits`` significant bits, or the next one by the rounding ``to_integer``."""
    scale = Fraction(2) ** (bits - math.frexp(value)[1])
    return to_integer(value * scale) / scale


def sincos(
    out: FunctionBody, vector: Vector, x: str, *, want_sin: bool, want_cos: bool
) -> tuple[str | None, str | None, str]:
    """Append the instructions for sin x and cos x, right for |x| <= `fast_limit` and for NaN and infinity.

    Returns:
        sin x and cos x as far as requested, and integers from which `may_be_huge` computes its mask.
    """
    r, signed, quadrant = reduce_ordinary(out, vector, x)
    sin_x, cos_x = sincos_of_rest(out, vector, r, quadrant, signed, want_sin=want_sin, want_cos=want_cos)
    return sin_x, cos_x, out.let(f"xor {vector.bits_type} {quadrant}, {vector.bits(_magic(vector)[1])}")


def may_be_huge(out: FunctionBody, vector: Vector, beyond: Sequence[str]) -> str:
    """The mask of the lanes with an angle beyond `fast_limit`, and of some others: from pi/4 of it on, and NaN.

    If k is small enough, k + 2^(b-1) is not negative and has at most b bits: all bits before them are those of
    `_magic`.
    """
    bits = vector.bits_type
    together = beyond[0]
    for other in beyond[1:]:
        together = out.let(f"or {bits} {together}, {other}")
    before = out.let(f"and {bits} {together}, {vector.bits(-(2 ** _bits_of_k(vector)))}")
    return out.let(f"icmp ne {bits} {before}, zeroinitializer")


def _magic(vector: Vector) -> tuple[float, int]:
    """The number that rounds to integers when it is added, and its bits. Half of `fast_limit` is for `beyond`."""
    value = vector.magic + fast_limit(vector) / 2
    return value, int.from_bytes(struct.pack(">d" if vector.scalar == "double" else ">f", value), "big")


def sincos_of_rest(
    out: FunctionBody, vector: Vector, r: str, quadrant: str, signed: str, *, want_sin: bool, want_cos: bool
) -> tuple[str | None, str | None]:
    """Append the instructions for sin x and cos x of x = k pi/2 + r.

    The last two bits of ``quadrant`` are k's; ``signed`` has the sign of r, and that of a zero.
    """
    t, bits = vector.type, vector.bits_type
    z = out.let(f"fmul {t} {r}, {r}")
    sin_r = _with_sign_of(out, vector, _sin_polynomial(out, vector, r, z), signed)
    cos_r = _cos_polynomial(out, vector, z)
    odd_bit = out.let(f"and {bits} {quadrant}, {vector.bits(1)}")
    odd = out.let(f"icmp ne {bits} {odd_bit}, zeroinitializer")
    sin_x = cos_x = None
    if want_sin:
        magnitude = out.let(f"select {vector.mask_type} {odd}, {t} {cos_r}, {t} {sin_r}")
        sin_x = _negated_if_bit_1(out, vector, magnitude, quadrant)
    if want_cos:
        magnitude = out.let(f"select {vector.mask_type} {odd}, {t} {sin_r}, {t} {cos_r}")
        next_quadrant = out.let(f"add {bits} {quadrant}, {vector.bits(1)}")
        cos_x = _negated_if_bit_1(out, vector, magnitude, next_quadrant)
    return sin_x, cos_x


def reduce_ordinary(out: FunctionBody, vector: Vector, x: str) -> tuple[str, str, str]:
    """The rest r, a number with its sign, and an integer whose last two bits are those of k.

    Adding 1.5 * 2^52 (float32: 1.5 * 2^23) rounds to the nearest integer and leaves it in the last bits. The
    sign is taken before the last part is subtracted, so that it is right for -0.0, which then becomes 0.0.
    """
    t = vector.type
    magic = vector.splat(_magic(vector)[0])
    shifted = multiply_add(out, vector, x, vector.splat(float(2 / PI)), magic)
    quadrant = out.let(f"bitcast {t} {shifted} to {vector.bits_type}")
    k = out.let(f"fsub {t} {shifted}, {magic}")
    r = signed = x
    if vector.has_fma:
        for part in half_pi_parts(vector):
            signed, r = r, multiply_add(out, vector, k, vector.splat(-part), r)
        return r, signed, quadrant
    rounding = vector.splat(0.0)  # the rounding errors of r, added at the end
    for part in half_pi_parts(vector):
        multiple = out.let(f"fmul {t} {k}, {vector.splat(part)}")
        less = out.let(f"fsub {t} {r}, {multiple}")
        difference = out.let(f"fsub {t} {r}, {less}")
        error = out.let(f"fsub {t} {difference}, {multiple}")
        rounding = out.let(f"fadd {t} {rounding}, {error}")
        signed, r = r, less
    return out.let(f"fadd {t} {r}, {rounding}"), signed, quadrant


def _sin_polynomial(out: FunctionBody, vector: Vector, r: str, z: str) -> str:
    tail = horner(out, vector, z, SIN[vector.scalar])
    cube = out.let(f"fmul {vector.type} {z}, {r}")
    return multiply_add(out, vector, cube, tail, r)


def _cos_polynomial(out: FunctionBody, vector: Vector, z: str) -> str:
    return horner(out, vector, z, (1.0, -0.5, *COS[vector.scalar]))


def _with_sign_of(out: FunctionBody, vector: Vector, value: str, other: str) -> str:
    """A value with the sign of another number; the two agree already, but sums lose the sign of zero."""
    t, bits = vector.type, vector.bits_type
    of_other = out.let(f"bitcast {t} {other} to {bits}")
    sign = out.let(f"and {bits} {of_other}, {vector.bits(-(2 ** (8 * vector.itemsize - 1)))}")
    as_bits = out.let(f"bitcast {t} {value} to {bits}")
    both = out.let(f"or {bits} {as_bits}, {sign}")
    return out.let(f"bitcast {bits} {both} to {t}")


def _negated_if_bit_1(out: FunctionBody, vector: Vector, value: str, integer: str) -> str:
    """-value if bit 1 of the integer is set: that bit is moved to the sign's place."""
    t, bits = vector.type, vector.bits_type
    width = 8 * vector.itemsize
    moved = out.let(f"shl {bits} {integer}, {vector.bits(width - 2)}")
    sign = out.let(f"and {bits} {moved}, {vector.bits(-(2 ** (width - 1)))}")
    as_bits = out.let(f"bitcast {t} {value} to {bits}")
    flipped = out.let(f"xor {bits} {as_bits}, {sign}")
    return out.let(f"bitcast {bits} {flipped} to {t}")
