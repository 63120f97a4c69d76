"""Functions of C that C's library lacks: minimum, maximum and sign as NumPy defines them, with NaN and zero.

>>> from armdyn.targets.c.dialect import DOUBLE
>>> print(helper("min", DOUBLE))
static inline double min_of(double a, double b) { return a < b || a != a ? a : b; }
"""

from __future__ import annotations

from collections.abc import Iterable

from armdyn.program.program import Program
from armdyn.targets.c.dialect import INLINE, Dialect

_TEXTS = {
    "min": "{qualifiers} {scalar} {name}({scalar} a, {scalar} b) {{ return a < b || a != a ? a : b; }}",
    "max": "{qualifiers} {scalar} {name}({scalar} a, {scalar} b) {{ return a > b || a != a ? a : b; }}",
    "sign": "{qualifiers} {scalar} {name}({scalar} x) "
    "{{ return x > {zero} ? {one} : x < {zero} ? -{one} : x != x ? x : {zero}; }}",
}


def helper(operation: str, dialect: Dialect, qualifiers: str = "static inline") -> str:
    """The definition of the function that the dialect calls for one of `armdyn.targets.c.dialect.INLINE`.

    Args:
        operation: ``"min"``, ``"max"`` or ``"sign"``.
        dialect: the dialect with the names of the function and the scalar.
        qualifiers: the text before it, e.g. ``"__device__ static inline"``.
    """
    zero, one = dialect.literal(0.0), dialect.literal(1.0)
    name = dialect.functions[operation]
    return _TEXTS[operation].format(qualifiers=qualifiers, scalar=dialect.scalar, name=name, zero=zero, one=one)


def helpers(programs: Iterable[Program], dialect: Dialect, qualifiers: str = "static inline") -> list[str]:
    """The definitions that some programs need."""
    needed = operations_of(programs)
    return [helper(name, dialect, qualifiers) for name in INLINE if name in needed]


def operations_of(programs: Iterable[Program]) -> set[str]:
    """The names of the operations that programs contain."""
    return {str(node[0]) for program in programs for node in program.nodes} - {"input", "const"}
