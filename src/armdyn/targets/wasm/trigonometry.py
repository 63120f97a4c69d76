"""armdyn's own sine and cosine as functions of a WebAssembly module, with identical bits on every machine.

The method and the polynomials are those of `armdyn.targets.llvm.trigonometry` without fused multiplication. Angles
beyond 2^30 rad are reduced by Payne and Hanek's method: x = m 2^e with an integer m of 53 bits, and of 2/pi only the
192 bits that influence the fraction of x 2/pi and the last two bits of its integer part.
"""

from __future__ import annotations

import struct

from armdyn.targets.llvm.trigonometry import COS, PI, SIN, fast_limit, half_pi_parts, rounded, two_over_pi
from armdyn.targets.llvm.vectors import Vector
from armdyn.targets.wasm.encoder import F64, I32, I64, Code, Signature
from armdyn.targets.wasm.instructions import assembled

_NUMBERS = Vector("double", 1, has_fma=False)
_TWO_OVER_PI = float(2 / PI)
_WORDS = 6
"""The number of 32-bit words of 2/pi that are multiplied."""
_PADDING = 32
"""The number of zero bits before the bits of 2/pi in the table."""
_TABLE_WORDS = 38
"""The size of the table, words: for the largest exponent the first bit is number 1002, in word 31, and six words
from any bit on span seven."""


def sincos(reduce: int) -> Code:
    """The function of (x) that returns sin x and cos x; ``reduce`` is the index of `reduction`."""
    locals_ = ("x", "r", "z", "s", "c", "lost", "t", "u", "k")
    names = {name: place for place, name in enumerate(locals_)} | {"reduce": reduce}
    limit = fast_limit(_NUMBERS)
    text = f"""
        get x  f64.abs  f64.const {limit!r}  f64.le
        if  {_ordinary_angle()}
        else  get x  call reduce  set k  set r
        end
        {_polynomials()}
        get s  get c  get k  i32.const 1  i32.and  {_chosen("c", "s")}  {_negated_if("get k")}
        {_itself_where_zero()}
        get s  get c  get k  i32.const 1  i32.and  {_chosen("s", "c")}
        {_negated_if("get k  i32.const 1  i32.add")}
    """
    return Code("sincos", Signature(F64, F64 + F64), F64 * 7 + I32, assembled(text, names))


def _itself_where_zero() -> str:
    """The sine on the stack, replaced by x if x is zero: the sine of -0.0 is -0.0, but the sums give 0.0."""
    return "get x  get x  f64.const 0.0  f64.ne  select"


def _ordinary_angle() -> str:
    """Cody-Waite reduction: the multiple k of pi/2 is subtracted in parts; rounding errors are added at the end."""
    magic = _NUMBERS.magic
    begin = f"""
        get x  f64.const {_TWO_OVER_PI!r}  f64.mul  f64.const {magic!r}  f64.add  tee z
        i64.reinterpret_f64  i32.wrap_i64  set k
        get z  f64.const {magic!r}  f64.sub  set z
        f64.const 0.0  set lost
        get x  set r
    """
    parts = (
        f"""
        get r  get z  f64.const {part!r}  f64.mul  tee t  f64.sub  set u
        get lost  get r  get u  f64.sub  get t  f64.sub  f64.add  set lost
        get u  set r
        """
        for part in half_pi_parts(_NUMBERS)
    )
    return f"{begin} {' '.join(parts)} get r  get lost  f64.add  set r"


def _polynomials() -> str:
    """The sine and cosine of r: s = r + r^3 (s0 + s1 r^2 + ...) and c = 1 - r^2/2 + r^4 (c0 + ...)."""
    return f"""
        get r  get r  f64.mul  set z
        {_horner(SIN["double"])}  get z  get r  f64.mul  f64.mul  get r  f64.add  set s
        {_horner((1.0, -0.5, *COS["double"]))}  set c
    """


def _horner(coefficients: tuple[float, ...]) -> str:
    """The polynomial of z, the constant first."""
    *rest, last = coefficients
    return f"f64.const {last!r}" + "".join(f"  get z  f64.mul  f64.const {c!r}  f64.add" for c in reversed(rest))


def _chosen(if_odd: str, if_even: str) -> str:
    """The first one if the condition holds that is on the stack above s and c, else the second."""
    return "select" if (if_odd, if_even) == ("s", "c") else "i32.eqz  select"


def _negated_if(integer: str) -> str:
    """The number on the stack, negated if bit 1 of an integer is set."""
    return f"tee t  f64.neg  get t  {integer}  i32.const 2  i32.and  select"


def reduction() -> Code:
    """The function of (x), |x| > 2^30, that returns the rest r in radians, |r| <= pi/4, and the integer k mod 4.

    The product of m and the bits of 2/pi, modulo 2^192, is k in its first two bits and then the fraction.
    """
    words = [f"w{j}" for j in range(_WORDS)]
    wide = ("bits", "low", "high", "t", "first", "second", "turned", *words)
    names = {name: place for place, name in enumerate(("x", *wide, "r", "position", "k"))}
    text = f"""
        get x  f64.abs  i64.reinterpret_f64  tee bits
        i64.const 52  i64.shr_u  i32.wrap_i64  i32.const {1075 - _PADDING + 2}  i32.sub  set position
        get bits  i64.const {2**52 - 1}  i64.and  i64.const {2**52}  i64.or  tee bits
        i64.const {2**32 - 1}  i64.and  set low
        get bits  i64.const 32  i64.shr_u  set high
        {" ".join(_word(j) for j in range(_WORDS))}
        {_product()}
        {_fraction()}
        {_signed_rest()}
    """
    kinds = I64 * len(wide) + F64 + I32 * 2
    return Code("reduction", Signature(F64, F64 + I32), kinds, assembled(text, names))


def _word(j: int) -> str:
    """32 bits of 2/pi, from the bit ``position`` + 32 j on: of two words of the table, the first above the second."""
    return f"""
        get position  i32.const 5  i32.shr_u  i32.const 2  i32.shl  i64.load {4 * j}  i64.const 32  i64.rotl
        get position  i32.const 31  i32.and  i64.extend_i32_u  i64.shl  i64.const 32  i64.shr_u  set w{j}
    """


def _product() -> str:
    """The words times m, the last first: its lower 32 bits, with the carry in t, and its upper 21, a word higher."""
    mask = f"i64.const {2**32 - 1}  i64.and"
    text = ["i64.const 0  set t  i64.const 0  set first"]
    for j in reversed(range(_WORDS)):
        # second: this word times the upper part of m, for the word above; first: that of the word below
        text.append(f"""
            get w{j}  get high  i64.mul  set second
            get w{j}  get low  i64.mul  get t  i64.add  tee t  {mask}
            get first  {mask}  i64.add  set w{j}
            get t  i64.const 32  i64.shr_u  get first  i64.const 32  i64.shr_u  i64.add
            get w{j}  i64.const 32  i64.shr_u  i64.add  set t
            get w{j}  {mask}  set w{j}
            get second  set first
        """)
    return " ".join(text)


def _fraction() -> str:
    """k and, in two words of 64 bits, the distance of the fraction to the nearest integer; turned is -1 if below."""
    return """
        get w0  i64.const 30  i64.shr_u  i32.wrap_i64  set k
        get w0  i64.const 34  i64.shl  get w1  i64.const 2  i64.shl  i64.or  get w2  i64.const 30  i64.shr_u  i64.or
        set first
        get w2  i64.const 34  i64.shl  get w3  i64.const 2  i64.shl  i64.or  get w4  i64.const 30  i64.shr_u  i64.or
        set second
        get first  i64.const 63  i64.shr_s  tee turned
        get first  i64.xor  set first
        get second  get turned  i64.xor  set second
        get k  get turned  i32.wrap_i64  i32.sub  set k
    """


def _signed_rest() -> str:
    """The distance times pi/2, its first 32 bits times a short part of pi/2 without rounding; then signs.

    Adding x - x makes the result NaN for infinite x.
    """
    short = rounded(PI / 2, 21)
    rest, whole = float(PI / 2 - short), float(PI / 2)
    return f"""
        get first  i64.const 32  i64.shr_u  f64.convert_i64_u  f64.const {2.0**-32!r}  f64.mul  tee r
        f64.const {float(short)!r}  f64.mul
        get r  f64.const {rest!r}  f64.mul
        get first  i64.const {2**32 - 1}  i64.and  f64.convert_i64_u  f64.const {2.0**-64!r}  f64.mul
        get second  f64.convert_i64_u  f64.const {2.0**-128!r}  f64.mul  f64.add
        f64.const {whole!r}  f64.mul  f64.add
        f64.add  get x  get x  f64.sub  f64.add  set r
        get r  f64.neg  get r  get turned  i32.wrap_i64  get x  f64.const 0.0  f64.lt  i32.add  i32.const 1  i32.and
        select
        i32.const 0  get k  i32.sub  get k  get x  f64.const 0.0  f64.lt  select
    """


def table() -> bytes:
    """Zeros, then the bits of 2/pi, in words of 32 bits, which the reduction reads from address 0 on."""
    bits = 32 * _TABLE_WORDS
    content = two_over_pi(bits - _PADDING)
    return struct.pack(
        f"<{_TABLE_WORDS}I", *(content >> (bits - 32 * (k + 1)) & (2**32 - 1) for k in range(_TABLE_WORDS))
    )
