"""Mass, centre of mass and inertia tensor by SymPy's volume integrals, straight from their definitions (Craig 6.3)."""

from collections.abc import Iterable, Sequence

import sympy as sp

Piece = tuple[Sequence[sp.Expr], sp.Expr, Sequence[tuple[sp.Symbol, sp.Expr, sp.Expr]]]
"""Point (x, y, z) in some coordinates, |d(x, y, z)/d(coordinates)|, and the coordinates' limits, innermost first."""

A, B, Z = sp.symbols("a phi zeta", real=True)


def integrals(pieces: Iterable[Piece], density: sp.Expr) -> tuple[sp.Expr, sp.Matrix, sp.Matrix]:
    """m, c and I_c: the integrals of dm, r dm and (r.r 1 - r r^T) dm, the last about c."""
    mass, first, about_origin = sp.Integer(0), sp.zeros(3, 1), sp.zeros(3, 3)
    for point, volume, limits in pieces:
        r = sp.Matrix(point)

        def whole(f: sp.Expr, volume: sp.Expr = volume, limits: object = limits) -> sp.Expr:
            f = sp.expand(f * volume * density)
            for one in limits:  # type: ignore[attr-defined]
                f = sp.integrate(f, one)
            return sp.simplify(f)

        mass += whole(sp.Integer(1))
        first += r.applyfunc(whole)
        about_origin += (r.dot(r) * sp.eye(3) - r * r.T).applyfunc(whole)
    c = (first / mass).applyfunc(sp.simplify)
    return mass, c, (about_origin - mass * (c.dot(c) * sp.eye(3) - c * c.T)).applyfunc(sp.simplify)


def block(x: sp.Expr, y: sp.Expr, z: sp.Expr) -> Piece:
    """A box about its centre."""
    return (A, B, Z), sp.Integer(1), [(A, -x / 2, x / 2), (B, -y / 2, y / 2), (Z, -z / 2, z / 2)]


def turned(inner_squared: sp.Expr, outer_squared: sp.Expr, low: sp.Expr, high: sp.Expr) -> Piece:
    """A solid of revolution about z; the squares of its radii are functions of the height Z.

    In u = rho^2, rho d(rho) d(phi) is du/2 d(phi), which keeps the integrands plain.
    """
    rho = sp.sqrt(A)
    return (
        (rho * sp.cos(B), rho * sp.sin(B), Z),
        sp.Rational(1, 2),
        [(B, 0, 2 * sp.pi), (A, inner_squared, outer_squared), (Z, low, high)],
    )


def ball(a: sp.Expr, b: sp.Expr, c: sp.Expr) -> Piece:
    """An ellipsoid: the unit ball, stretched."""
    return (
        (a * A * sp.sin(Z) * sp.cos(B), b * A * sp.sin(Z) * sp.sin(B), c * A * sp.cos(Z)),
        a * b * c * A**2 * sp.sin(Z),
        [(B, 0, 2 * sp.pi), (A, 0, 1), (Z, 0, sp.pi)],
    )
