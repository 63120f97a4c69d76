"""e^(-x^y) of vectors in LLVM IR, for constant y, without a branch: the Stribeck curve of friction.

With p = x^y the result changes by p e^-p times the relative error of p, so by 0.37 of that at most. So a logarithm in
one number suffices, unlike for a power alone (`armdyn.targets.llvm.power`). In powers of two,

    t = y log2 x + log2 log2 e,    p log2 e = 2^t,    e^-p = 2^-(p log2 e),

where x = 2^k m with m from 1/sqrt(2) to sqrt(2), and with s = (m - 1)/(m + 1), log2 m is s times a polynomial in s^2.
The absolute error of the result is 2^-51; numbers below `SMALLEST` are 0. It requires vectors that have `power`. It is
written in two parts, because the first one ends with a division, which takes long, and other work is done meanwhile.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from armdyn.program.graph import Node
from armdyn.program.program import Program
from armdyn.targets.llvm.power import exponent_and_rest, has_power
from armdyn.targets.llvm.sections import arguments_of
from armdyn.targets.llvm.vectors import FunctionBody, Vector, clamp, horner, multiply_add

OPERATION = "decay"
"""The operation, of arguments x and y, that replaces an exponential of a power."""

EXPONENTS = 1.0 / 16.0, 64.0
"""The range of constant, non-integer y: x^y is below 2^-63 if x is not a normal number."""

_TO_POWERS_OF_2 = math.log2(math.log2(math.e))

MOST, LEAST = math.log2(700.0) + _TO_POWERS_OF_2, -1000.0
"""The range of t: above it the result is 0, below it is 1."""

SMALLEST = math.exp(-700.0)

# log2 m = s (a0 + a1 s^2 + ...), and 2^r for |r| <= 1/2; minimax (Remez), to 2^-59 and 2^-58 of themselves.
_LOG2 = (
    2.8853900817779268,
    0.9617966939259899,
    0.5770780163454085,
    0.4121985858650959,
    0.3205985324297445,
    0.26233448303076695,
    0.22090969288742263,
    0.2136934870214775,
)
_EXP2 = (
    1.0,
    0.6931471805599453,
    0.24022650695910155,
    0.05550410866481992,
    0.009618129107588271,
    0.0013333558146790547,
    0.0001540353046259711,
    1.5252733489566603e-05,
    1.3215433046846361e-06,
    1.0178198130062089e-07,
    7.074113272316042e-09,
    4.4352757850693325e-10,
)

_STEPS = 4
"""The depth of operations that `is_never_negative` examines."""


def with_decays(program: Program, vector: Vector) -> Program:
    """The program with e^(-x^y) as one operation, for y within `EXPONENTS`.

    Indices stay: a node without readers becomes a constant.
    """
    if not has_power(vector):
        return program
    nodes = [_as_decay(program.nodes, node) for node in program.nodes]
    read = set(program.results)
    for index in reversed(range(len(nodes))):
        if index in read:
            read.update(arguments_of(nodes[index]))
    nodes = [node if index in read else ("const", 0.0) for index, node in enumerate(nodes)]
    return replace(program, nodes=tuple(nodes))


def _as_decay(nodes: Sequence[Node], node: Node) -> Node:
    """The operation e^(-x^y) in place of an exponential of a power; any other node unchanged."""
    inner = node
    for operation in ("exp", "neg"):
        if inner[0] != operation:
            return node
        inner = nodes[arguments_of(inner)[0]]
    if inner[0] != "pow":
        return node
    x, y = arguments_of(inner)
    exponent = nodes[y][1] if nodes[y][0] == "const" else 0.0
    least, most = EXPONENTS
    is_such = least <= float(exponent) <= most and not float(exponent).is_integer()
    return (OPERATION, x, y) if is_such else node


def is_never_negative(nodes: Sequence[Node], index: int, steps: int = _STEPS) -> bool:
    """True if the operations of a number prove that it is NaN, a zero of either sign, or positive."""
    operation, *arguments = nodes[index]
    if operation == "const":
        return float(arguments[0]) >= 0.0
    if operation in ("abs", "exp"):
        return True
    if steps == 0 or operation not in ("max", "mul", "select"):
        return False
    relevant = arguments[1:] if operation == "select" else arguments
    signs = [is_never_negative(nodes, int(a), steps - 1) for a in relevant]
    return any(signs) if operation == "max" else all(signs)


class Logarithm(NamedTuple):
    """The logarithm's parts of x: its magnitude, and k and s of x = 2^k m with s = (m - 1)/(m + 1)."""

    x: str
    size: str
    k: str
    s: str


def logarithm(out: FunctionBody, vector: Vector, x: str) -> Logarithm:
    """Append the first part of the instructions for e^(-x^y); returns the parts of log x."""
    t, one = vector.type, vector.splat(1.0)
    size = out.let(f"call {t} @llvm.fabs.{vector.suffix}({t} {x})")  # -0 is 0, and NaN has no sign
    k, m = exponent_and_rest(out, vector, size)
    s = out.let(f"fdiv {t} {out.let(f'fsub {t} {m}, {one}')}, {out.let(f'fadd {t} {m}, {one}')}")
    return Logarithm(x, size, k, s)


def decay(out: FunctionBody, vector: Vector, of: Logarithm, y: str, *, never_negative: bool) -> str:
    """Append the rest of the instructions for e^(-x^y), y within `EXPONENTS`; the result is NaN for negative x.

    For x = 0 (joints at rest) and for subnormal numbers log2 counts as -1023: the result is 1, which is correct. For
    infinity and NaN it counts as 1024 or more.
    """
    t, mask = vector.type, vector.mask_type
    z = out.let(f"fmul {t} {of.s}, {of.s}")
    log2 = multiply_add(out, vector, of.s, horner(out, vector, z, _LOG2), of.k)
    power = multiply_add(out, vector, y, log2, vector.splat(_TO_POWERS_OF_2))
    p = _exp2(out, vector, clamp(out, vector, power, LEAST, MOST))
    value = _exp2(out, vector, out.let(f"fneg {t} {p}"))
    ends = out.let(f"fcmp oge {t} {power}, {vector.splat(MOST)}")
    above = out.let(f"fcmp ogt {t} {of.size}, zeroinitializer")
    nothing = out.let(f"select {mask} {above}, {t} zeroinitializer, {t} {of.size}")  # NaN stays NaN
    value = out.let(f"select {mask} {ends}, {t} {nothing}, {t} {value}")
    if never_negative:
        return value
    from_zero = out.let(f"fcmp oge {t} {of.x}, zeroinitializer")
    lowest = out.let(f"fcmp oeq {t} {of.x}, {vector.splat(-math.inf)}")  # its powers are infinite
    has_power = out.let(f"or {mask} {from_zero}, {lowest}")
    return out.let(f"select {mask} {has_power}, {t} {value}, {t} {vector.splat(math.nan)}")


def _exp2(out: FunctionBody, vector: Vector, x: str) -> str:
    """2^x, if that is a normal number. Adding 1.5 * 2^52 rounds, and leaves k in the last bits, as for sines."""
    t, bits, magic = vector.type, vector.bits_type, vector.splat(vector.magic)
    shifted = out.let(f"fadd {t} {x}, {magic}")
    r = out.let(f"fsub {t} {x}, {out.let(f'fsub {t} {shifted}, {magic}')}")
    value = out.let(f"bitcast {t} {horner(out, vector, r, _EXP2)} to {bits}")
    k = out.let(f"shl {bits} {out.let(f'bitcast {t} {shifted} to {bits}')}, {vector.bits(52)}")
    return out.let(f"bitcast {bits} {out.let(f'add {bits} {value}, {k}')} to {t}")
