"""Exact integrals of x^i y^j z^k over blocks, solids of revolution and ellipsoids, and the inertia of polynomials."""

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import sympy as sp

from armdyn import Inertia

Monomials = Callable[[int, int, int], float]
"""i, j, k to the integral of x^i y^j z^k over a solid."""

HEIGHT = sp.Symbol("h")


def block(size: Sequence[str]) -> Monomials:
    """A box about its centre."""

    def along(side: str, power: int) -> Fraction:
        return Fraction(0) if power % 2 else 2 * (Fraction(side) / 2) ** (power + 1) / (power + 1)

    return lambda *powers: float(np.prod([along(s, p) for s, p in zip(size, powers, strict=True)]))


def revolved(squared_radius: sp.Expr, low: str, high: str) -> Monomials:
    """A solid of revolution about z: rho^(i+j+1) integrates to a power of the radius; its square is a polynomial."""

    def integral(i: int, j: int, k: int) -> float:
        if i % 2 or j % 2:
            return 0.0
        round_the_axis = (
            2 * sp.gamma(sp.Rational(i + 1, 2)) * sp.gamma(sp.Rational(j + 1, 2)) / sp.gamma((i + j) // 2 + 1)
        )
        power = (i + j) // 2 + 1
        along = sp.Poly(HEIGHT**k * squared_radius**power, HEIGHT).integrate()
        return float(round_the_axis * (along.eval(sp.Rational(high)) - along.eval(sp.Rational(low))) / (2 * power))

    return integral


def ellipsoid(semi_axes: Sequence[str]) -> Monomials:
    """The unit ball, stretched."""
    ball = revolved(1 - HEIGHT**2, "-1", "1")
    a = [float(Fraction(s)) for s in semi_axes]
    return lambda i, j, k: ball(i, j, k) * a[0] ** (i + 1) * a[1] ** (j + 1) * a[2] ** (k + 1)


def of_polynomial(density: Callable[..., sp.Expr], solids: Sequence[Monomials], holes: Sequence[Monomials]) -> Inertia:
    """The inertia of solids without holes in them, of a density that is a polynomial of x, y and z."""
    terms = sp.Poly(density(*sp.symbols("x y z")), *sp.symbols("x y z")).terms()

    def moment(i: int, j: int, k: int) -> float:
        def over(solid: Monomials) -> float:
            return sum(float(factor) * solid(a + i, b + j, c + k) for (a, b, c), factor in terms)

        return sum(map(over, solids)) - sum(map(over, holes))

    m = moment(0, 0, 0)
    c = np.array([moment(*powers) for powers in np.eye(3, dtype=int)]) / m
    S = np.array([[moment(*(a + b)) for a in np.eye(3, dtype=int)] for b in np.eye(3, dtype=int)]) - m * np.outer(c, c)
    return Inertia(m, c, np.trace(S) * np.eye(3) - S)
