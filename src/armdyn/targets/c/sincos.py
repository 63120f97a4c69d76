"""Sine and cosine in C without a library: Cody-Waite reduction, and Payne-Hanek reduction for huge angles.

The coefficients and the parts of pi/2 are those of `armdyn.targets.llvm.trigonometry`, which LLVM's vectors, CUDA and
WebAssembly print. The steps are C's own: without fused multiplication those of LLVM are wrong by up to 1.46 units in
the last place, also in float; with the rest in twice the digits 0.89, at equal time (3 million angles up to 10 rad,
gcc 12). An angle x = k pi/2 + r with |r| <= pi/4 is reduced in
parts of pi/2 whose products with k are exact, so no fused multiplication is needed. Beyond that the low 192 bits of the
product of x and 2/pi, mod 4, are computed with integers: its top two bits are k, the others r as a fraction of pi/2.
Right for every finite angle; NaN for infinities and NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from armdyn.targets.c.dialect import Dialect
from armdyn.targets.llvm import trigonometry
from armdyn.targets.llvm.vectors import Vector

HALF_PI = math.pi / 2

WORDS = 38
"""The number of words of 2/pi, for the largest exponent, 1024, and 192 bits."""


def inline_sincos(dialect: Dialect, sincos: str) -> str:
    """The definition of a static function of (x, &sine, &cosine) with this name."""
    vector = Vector(dialect.scalar, 1, has_fma=False)
    parts = trigonometry.half_pi_parts(vector)
    double = dialect.scalar == "double"
    first = math.ldexp(math.floor(math.ldexp(HALF_PI, unit := 36 if double else 7)), -unit)  # times 16 bits is exact
    values = {
        "sincos": sincos,
        "T": dialect.scalar,
        "words": ",\n    ".join(", ".join(row) for row in _rows(_words_of_two_over_pi())),
        "uint": "uint64_t" if double else "uint32_t",
        "fraction_bits": "52" if double else "23",
        "exponent_mask": "0x7ff" if double else "0xff",
        "bias": "1075" if double else "150",
        "mantissa_mask": "0xfffffffffffff" if double else "0x7fffff",
        "high": "(uint32_t)(mantissa >> 32)" if double else "0",
        "limit": dialect.literal(trigonometry.fast_limit(vector)),
        "two_over_pi": dialect.literal(0.6366197723675814),
        "half_pi": dialect.literal(HALF_PI),
        "half": dialect.literal(0.5),
        "zero": dialect.literal(0.0),
        "one": dialect.literal(1.0),
        "scale": dialect.literal(2.0**-32),
        "half_scale": dialect.literal(2.0**-16),
        "half_pi_first": dialect.literal(first),
        "half_pi_second": dialect.literal(HALF_PI - first),
        "reduction": "\n".join(_subtraction(dialect, part) for part in parts),
        "sin": _horner(dialect, trigonometry.SIN[dialect.scalar]),
        "cos": _horner(dialect, trigonometry.COS[dialect.scalar]),
    }
    return _TEXT.format_map(values)


def one_of_both(dialect: Dialect, sincos: str, operation: str) -> str:
    """The definition of the function for ``"sin"`` or ``"cos"`` alone."""
    return _ALONE.format(T=dialect.scalar, sincos=sincos, name=dialect.functions[operation], which=operation[0])


def _words_of_two_over_pi() -> list[int]:
    """The first bits of 2/pi, in words of 32."""
    bits = trigonometry.two_over_pi(32 * WORDS)
    return [bits >> (32 * (WORDS - 1 - k)) & 0xFFFFFFFF for k in range(WORDS)]


def _rows(words: Sequence[int]) -> list[list[str]]:
    texts = [f"0x{word:08x}u" for word in words]
    return [texts[k : k + 8] for k in range(0, len(texts), 8)]


def _subtraction(dialect: Dialect, part: float) -> str:
    text = dialect.literal(part)
    steps = (f"product = k * {text};", "less = rest - product;", "lost += (rest - less) - product;", "rest = less;")
    return "\n".join(f"        {step}" for step in steps)


def _horner(dialect: Dialect, coefficients: Sequence[float]) -> str:
    """c0 + z (c1 + z (...))."""
    *others, text = (dialect.literal(c) for c in coefficients)
    for c in reversed(others):
        text = f"{c} + z * ({text})"
    return text


_TEXT = """\
/* 2/pi in binary, after a word of zeros */
static const uint32_t {sincos}_two_over_pi[] = {{
    0u, {words}}};

/* Angles too large for the quick reduction: x 2/pi mod 4 in integers. The nearest quarter turn; the rest as a sum. */
static int {sincos}_reduce_huge({T} x, {T} *rest, {T} *lost)
{{
    union {{ {T} number; {uint} bits; }} as;
    uint32_t window[6], product[6] = {{0}}, factor[2];
    {uint} mantissa;
    {T} fraction, low = {zero};
    int exponent, start, i, j, quarter, up;

    as.number = x;
    exponent = (int)(as.bits >> {fraction_bits} & {exponent_mask}u) - {bias};
    mantissa = (as.bits & {mantissa_mask}u) | ({uint})1 << {fraction_bits};
    factor[0] = (uint32_t)mantissa;
    factor[1] = {high};
    start = exponent - 2 + 32; /* bits in front are multiples of four turns */
    for (i = 0; i < 6; ++i) {{
        const int word = start / 32 + i, shift = start % 32;
        const uint64_t two = (uint64_t){sincos}_two_over_pi[word] << 32 | {sincos}_two_over_pi[word + 1];
        window[5 - i] = (uint32_t)(two >> (32 - shift));
    }}
    for (i = 0; i < 2; ++i) {{
        uint64_t carry = 0;
        for (j = 0; i + j < 6; ++j) {{
            carry += (uint64_t)factor[i] * window[j] + product[i + j];
            product[i + j] = (uint32_t)carry;
            carry >>= 32;
        }}
    }}
    quarter = (int)(product[5] >> 30);
    for (i = 5; i > 0; --i)
        product[i] = product[i] << 2 | product[i - 1] >> 30;
    product[0] <<= 2;
    up = (int)(product[5] >> 31); /* more than half: the rest is negative */
    for (i = 0; i < 6; ++i)
        product[i] = up ? ~product[i] : product[i];
    for (i = 0; i < 5; ++i)
        low = (low + ({T})product[i]) * {scale};
    low = (low + ({T})(product[5] & 0xffffu)) * {scale};
    fraction = ({T})(product[5] >> 16) * {half_scale};
    *rest = (up ? -fraction : fraction) * {half_pi_first};
    *lost = (up ? -fraction : fraction) * {half_pi_second} + (up ? -low : low) * {half_pi};
    return quarter + up;
}}

static inline void {sincos}({T} x, {T} *s, {T} *c)
{{
    {T} rest, lost = {zero}, r, low, z, half, one_less, sine, cosine;
    int quarter;

    if (x == {zero}) {{
        *s = x; /* with its sign */
        *c = {one};
        return;
    }}
    if (x > -{limit} && x < {limit}) {{
        {T} k, product, less;
        const long whole = (long)(x * {two_over_pi} + (x < {zero} ? -{half} : {half}));

        k = ({T})whole;
        rest = x;
{reduction}
        quarter = (int)(whole & 3);
    }} else if (x - x == {zero}) {{
        quarter = {sincos}_reduce_huge(x < {zero} ? -x : x, &rest, &lost);
        if (x < {zero}) {{
            quarter = -quarter;
            rest = -rest;
            lost = -lost;
        }}
    }} else {{
        *s = *c = x - x;
        return;
    }}
    r = rest + lost; /* r + low is the rest, to twice as many digits */
    low = (rest - r) + lost;
    z = r * r;
    sine = r + (low + z * r * ({sin}));
    half = z * {half};
    one_less = {one} - half;
    cosine = one_less + ((({one} - one_less) - half) + (z * z * ({cos}) - r * low));
    switch (quarter & 3) {{
    case 0: *s = sine; *c = cosine; break;
    case 1: *s = cosine; *c = -sine; break;
    case 2: *s = -sine; *c = -cosine; break;
    default: *s = -cosine; *c = sine; break;
    }}
}}
"""

_ALONE = """
static inline {T} {name}({T} x)
{{
    {T} s, c;

    {sincos}(x, &s, &c);
    return {which};
}}
"""
