"""exp and tanh of a vector in LLVM IR, without a branch.

x = k log 2 + r with |r| <= log(2) / 2, and e^x = 2^k e^r. A polynomial gives e^r - 1, which keeps its accuracy if
e^x is close to 1; tanh x = t / (t + 2) with t = e^2x - 1. The coefficients are minimax (Remez) on that interval, to a
relative error of e^r - 1 of 2^-60 (float64) and 2^-29 (float32).
"""

from __future__ import annotations

import math
from fractions import Fraction

from armdyn.targets.llvm.vectors import FunctionBody, Vector, clamp, horner, multiply_add

_LOG_2 = Fraction(0xB17217F7D1CF79ABC9E3B39803F2F6AF40F343267298B62D8A0D175B8BAAFA2B, 2**256)

# e^r - 1 = r + r^2 (a0 + a1 r + ...)
_EXPM1 = {
    "double": (
        0.5,
        0.1666666666666667,
        0.041666666666666685,
        0.008333333333326082,
        0.0013888888888874277,
        0.00019841269875003065,
        2.4801587347629444e-05,
        2.755725516907595e-06,
        2.75572526311597e-07,
        2.5105313087097724e-08,
        2.092168481193945e-09,
    ),
    "float": (
        0.5,
        0.1666666716337204,
        0.041666463017463684,
        0.00833328627049923,
        0.0013933732407167554,
        0.00019907709793187678,
    ),
}


def exponential(out: FunctionBody, vector: Vector, x: str, lacking: str = "") -> str:
    """Append the instructions for e^x. Beyond the range of numbers it is 0 or infinity; NaN stays NaN.

    ``lacking`` is a small correction to be added to x, the digits that x itself cannot hold.
    """
    t = vector.type
    lowest, highest = (-746.0, 710.0) if vector.scalar == "double" else (-104.0, 89.0)
    x = clamp(out, vector, x, lowest, highest)
    k, growth = _expm1_of_rest(out, vector, x, lacking)
    # 2^k may lie outside the range of numbers although 2^k e^r does not, so it is applied in two halves.
    half = out.let(f"ashr {vector.bits_type} {k}, {vector.bits(1)}")
    rest = out.let(f"sub {vector.bits_type} {k}, {half}")
    value = out.let(f"fadd {t} {growth}, {vector.splat(1.0)}")
    value = out.let(f"fmul {t} {value}, {_power_of_two(out, vector, half)}")
    return out.let(f"fmul {t} {value}, {_power_of_two(out, vector, rest)}")


def hyperbolic_tangent(out: FunctionBody, vector: Vector, x: str) -> str:
    """Append the instructions for tanh x, accurate relative to its size also near zero."""
    t = vector.type
    magnitude = out.let(f"call {t} @llvm.fabs.{vector.suffix}({t} {x})")
    double = out.let(f"fadd {t} {magnitude}, {magnitude}")
    double = clamp(out, vector, double, 0.0, 44.0)  # from there on tanh is 1 to the last place
    k, growth = _expm1_of_rest(out, vector, double)
    scale = _power_of_two(out, vector, k)
    scale_minus_1 = out.let(f"fsub {t} {scale}, {vector.splat(1.0)}")
    expm1 = multiply_add(out, vector, scale, growth, scale_minus_1)
    denominator = out.let(f"fadd {t} {expm1}, {vector.splat(2.0)}")
    quotient = out.let(f"fdiv {t} {expm1}, {denominator}")
    return out.let(f"call {t} @llvm.copysign.{vector.suffix}({t} {quotient}, {t} {x})")


def _expm1_of_rest(out: FunctionBody, vector: Vector, x: str, lacking: str = "") -> tuple[str, str]:
    """The integer k, and e^r - 1. Adding 1.5 * 2^52 rounds, and leaves k in the last bits, as for sines."""
    t, bits = vector.type, vector.bits_type
    magic = vector.magic
    shifted = multiply_add(out, vector, x, vector.splat(float(1 / _LOG_2)), vector.splat(magic))
    rounded = out.let(f"fsub {t} {shifted}, {vector.splat(magic)}")
    r = x
    for part in log_2_parts(vector):
        r = multiply_add(out, vector, rounded, vector.splat(-part), r)
    if lacking:
        r = out.let(f"fadd {t} {r}, {lacking}")
    square = out.let(f"fmul {t} {r}, {r}")
    growth = multiply_add(out, vector, square, horner(out, vector, r, _EXPM1[vector.scalar]), r)
    as_bits = out.let(f"bitcast {t} {shifted} to {bits}")
    magic_bits = out.let(f"bitcast {t} {vector.splat(magic)} to {bits}")
    return out.let(f"sub {bits} {as_bits}, {magic_bits}"), growth


def log_2_parts(vector: Vector) -> tuple[float, float]:
    """log 2 in two parts: one so short that its product with k (11 bits) is exact, and the rest."""
    scale = 2 ** (vector.significant_bits - 11)
    high = Fraction(math.floor(_LOG_2 * scale), scale)
    return float(high), float(_LOG_2 - high)


def _power_of_two(out: FunctionBody, vector: Vector, k: str) -> str:
    """2^k, by writing the exponent's bits."""
    bits = vector.bits_type
    fraction, bias = (52, 1023) if vector.scalar == "double" else (23, 127)
    biased = out.let(f"add {bits} {k}, {vector.bits(bias)}")
    moved = out.let(f"shl {bits} {biased}, {vector.bits(fraction)}")
    return out.let(f"bitcast {bits} {moved} to {vector.type}")
