"""Inverses of small matrices of polynomials, and quotients of polynomials in printed form."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import sympy
from sympy.polys.rings import PolyElement

from armdyn.base.scalars import Scalar
from armdyn.derivation.arrangement import Arrangement
from armdyn.spatial.rotations import Array

LARGEST = 3
"""Largest number of rows of inverted matrices."""

LONGEST = 10**15
"""Denominators from this number on are written as decimal fractions."""


def adjugate_of(A: Array, reduced: Callable[[PolyElement], PolyElement]) -> tuple[Array, PolyElement]:
    """The adjugate and the determinant of a matrix of up to three rows."""
    n = len(A)
    adjugate = np.empty((n, n), dtype=object)
    for i in range(n):
        for j in range(n):
            minor = np.delete(np.delete(A, j, 0), i, 1)
            adjugate[i, j] = reduced(determinant(minor, A.flat[0].ring(1)) * (-1) ** (i + j))
    return adjugate, reduced(determinant(A, A.flat[0].ring(1)))


def determinant(A: Array, one: PolyElement) -> PolyElement:
    """The determinant of a matrix by expansion along the first row."""
    if not len(A):
        return one
    return sum(
        (A[0, j] * determinant(np.delete(A[1:], j, 1), one) * (-1) ** j for j in range(len(A))), start=one.ring(0)
    )


def quotients(arrangement: Arrangement, above: Array, below: PolyElement) -> Scalar:
    """A vector or matrix of polynomials over one denominator, as a matrix of SymPy."""
    rows, columns = above.shape if above.ndim == 2 else (len(above), 1)
    return sympy.ImmutableMatrix(rows, columns, [quotient(arrangement, x, below) for x in above.flat])


def quotient(arrangement: Arrangement, above: PolyElement, below: PolyElement) -> Scalar:
    """A quotient without common factors, each part in printed form.

    Cosines and sines have two normal forms, with the squares of sines or of cosines replaced; common factors are
    searched in both, and the shorter result is returned.
    """
    if not above:
        return sympy.Integer(0)
    write, reduced = arrangement.expression, arrangement.arm.algebra.reduced
    candidates = []
    for one, other in ((above, below), (_other_form(arrangement, above), _other_form(arrangement, below))):
        numerator, denominator = _moderate(*one.cancel(other))
        candidates.append(write(reduced(numerator)) / write(reduced(denominator)))
        candidates += _split(arrangement, numerator, denominator)
    return shorter(*candidates)


def shorter(*expressions: object) -> Scalar:
    """The one of equal expressions with the fewest operations."""
    return min(expressions, key=lambda expression: (sympy.count_ops(expression), str(expression)))


def _moderate(above: PolyElement, below: PolyElement) -> tuple[PolyElement, PolyElement]:
    """Both divided by the common factor of the denominator's numbers, or by the largest if the rest is too long.

    Cancelling clears denominators, so that decimals of a description have become whole numbers.
    """
    size = below.content()
    if max(map(abs, below.values())) >= LONGEST * size:
        size = max(map(abs, below.values()))
    return above.quo_ground(size), below.quo_ground(size)


def _split(arrangement: Arrangement, above: PolyElement, below: PolyElement) -> list[object]:
    """The quotient by a single term, as a sum over reduced denominators; empty if there are several terms."""
    if len(below) > 1:
        return []
    groups: dict[Scalar, object] = {}
    for monomial, value in above.items():
        one = above.ring.from_dict({monomial: value})
        numerator, denominator = _moderate(*one.cancel(below))
        groups[denominator] = groups.get(denominator, above.ring(0)) + numerator
    write, reduced = arrangement.expression, arrangement.arm.algebra.reduced
    return [sympy.Add(*(write(reduced(n)) / write(reduced(d)) for d, n in groups.items()))]


def _other_form(arrangement: Arrangement, f: PolyElement) -> PolyElement:
    """The polynomial with c^2 = 1 - s^2 instead of s^2 = 1 - c^2."""
    algebra = arrangement.arm.algebra
    for c, s in algebra.atoms.values():
        f = algebra.without_squares(f, c, s)
    return f
