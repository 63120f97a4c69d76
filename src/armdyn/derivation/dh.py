"""Arms of Denavit-Hartenberg tables with symbols."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import sympy

from armdyn.base.errors import ModelError, ShapeError, excerpt
from armdyn.base.exact import cos_and_sin
from armdyn.base.scalars import Scalar
from armdyn.derivation.arm import SymbolicArm, SymbolicBody, Tip, symbols_in
from armdyn.derivation.numbers import EXACT, rational
from armdyn.derivation.parameters import RESERVED
from armdyn.model.model import STANDARD_GRAVITY
from armdyn.spatial.mass_properties import MassProperties
from armdyn.spatial.rotations import Array

KINDS = ("revolute", "prismatic")


def from_dh(
    rows: Sequence[Sequence[Scalar]],
    *,
    inertias: Sequence[MassProperties],
    convention: str,
    gravity: Sequence[Scalar] = STANDARD_GRAVITY,
    name: str = "dh",
) -> SymbolicArm:
    """An arm from a Denavit-Hartenberg table whose lengths, masses and inertias are numbers or SymPy's symbols.

    Args:
        rows: (a, alpha, d, theta) of each joint, optionally followed by "prismatic". a and d may be symbols; alpha and
            theta, rad, are numbers. q is added to theta, or to d for a prismatic joint.
        inertias: inertia of each link, in the link's own frame; `armdyn.spatial.MassProperties` accepts symbols.
        convention: "modified" (Craig) or "standard".
        gravity: acceleration of free fall in base axes, numbers or symbols.
        name: name of the arm.

    Raises:
        ShapeError: rows or inertias that are not one per joint.
        ModelError: a symbol instead of a required number, or a symbol with the name of a coordinate.

    >>> import sympy
    >>> m1, m2, L1, L2, g = sympy.symbols("m1 m2 L1 L2 g")
    >>> point = lambda m, x: armdyn.spatial.MassProperties(m, np.array([x, 0, 0]), np.zeros((3, 3), dtype=object))
    >>> arm = armdyn.derivation.from_dh(
    ...     [(0, 0, 0, 0), (L1, 0, 0, 0)],
    ...     inertias=[point(m1, L1), point(m2, L2)],
    ...     convention="modified",
    ...     gravity=(0, -g, 0),
    ... )
    >>> armdyn.derive(arm).g[1]
    L2*g*m2*cos(q1 + q2)
    """
    if convention not in ("modified", "standard"):
        raise ModelError(f"convention is {excerpt(convention)}; expected 'modified' (Craig) or 'standard'")
    if not rows or len(rows) != len(inertias):
        raise ShapeError(f"{len(rows)} rows and {len(inertias)} inertias; expected one of each a joint")
    bodies, before = list[SymbolicBody](), (_numbers(np.eye(3)), _numbers(np.zeros(3)))
    for i, (row, inertia) in enumerate(zip(rows, inertias, strict=True)):
        a, alpha, d, theta, kind = _row(i, row)
        along, across = _along(d, theta), _across(a, alpha)
        R, p = _compose(_compose(before, across), along) if convention == "modified" else _compose(before, along)
        far = across if convention == "standard" else (_numbers(np.eye(3)), _numbers(np.zeros(3)))
        bodies.append(_body(i, kind, (R, p), far, inertia))
        before = far
    n = len(bodies)
    matrix = np.array([[Fraction(j == k) for j in range(n)] for k in range(n)], dtype=object)
    arm = SymbolicArm(
        name,
        tuple(bodies),
        np.array([_value("gravity", g) for g in gravity], dtype=object),
        tuple(body.joint for body in bodies),
        tuple(not body.revolute for body in bodies),
        matrix,
        np.array([Fraction(0)] * n, dtype=object),
        tip=Tip("tip", n - 1, *before),
        inexact=any((np.eye(3, dtype=int) != body.R.T @ body.R).any() for body in bodies),
    )
    names_in_use = sorted(s.name for s in arm.parameters if s.name.rstrip("0123456789") in RESERVED)
    if names_in_use:
        raise ModelError(f"{names_in_use[0]!r} is the name of a coordinate or a rate; choose another symbol")
    return arm


def _row(i: int, row: Sequence[Scalar]) -> tuple[Scalar, Scalar, Scalar, Scalar, str]:
    if len(row) not in (4, 5) or (len(row) == 5 and row[4] not in KINDS):
        raise ShapeError(f"rows[{i}] is {excerpt(row)}; expected a, alpha, d, theta and, where it slides, 'prismatic'")
    for word, angle in (("alpha", row[1]), ("theta", row[3])):
        if symbols_in(angle):
            raise ModelError(f"rows[{i}]: {word} is {angle}; axes are numbers, lengths may be symbols")
    kind = row[4] if len(row) == 5 else "revolute"
    return _value(f"rows[{i}]", row[0]), float(row[1]), _value(f"rows[{i}]", row[2]), float(row[3]), kind


def _value(where: str, value: Scalar) -> Scalar:
    """A number as a rational; a polynomial of symbols unchanged."""
    if isinstance(value, sympy.Expr) and value.free_symbols:
        if not value.is_polynomial(*value.free_symbols):
            raise ModelError(f"{where} has {value}; expected numbers, symbols, and polynomials of symbols")
        return value
    try:
        return rational(float(value))
    except (TypeError, ValueError):
        raise ModelError(
            f"{where} has {excerpt(value)}; expected numbers, symbols, and polynomials of symbols"
        ) from None


def _numbers(values: Array) -> Array:
    return np.asarray(np.vectorize(Fraction, otypes=[object])(values))


def _turn(angle: float) -> tuple[Fraction, Fraction]:
    c, s = cos_and_sin(angle)
    return rational(c, EXACT), rational(s, EXACT)


def _along(d: object, theta: float) -> tuple[Array, Array]:
    """Rz(theta) Tz(d)."""
    (c, s), o, one = _turn(theta), Fraction(0), Fraction(1)
    return np.array([[c, -s, o], [s, c, o], [o, o, one]], dtype=object), np.array([o, o, d], dtype=object)


def _across(a: Scalar, alpha: float) -> tuple[Array, Array]:
    """Tx(a) Rx(alpha)."""
    (c, s), o, one = _turn(alpha), Fraction(0), Fraction(1)
    return np.array([[one, o, o], [o, c, -s], [o, s, c]], dtype=object), np.array([a, o, o], dtype=object)


def _compose(pose: tuple[Array, Array], step: tuple[Array, Array]) -> tuple[Array, Array]:
    """The composition of two poses; with SymPy numbers if lengths are symbols."""
    (R, p), (R_step, p_step) = pose, step
    return R @ R_step, p + _rotated(R, p_step)


def _rotated(R: Array, p: Array) -> Array:
    """R p; converts fractions, which SymPy does not accept."""
    return np.asarray(_exact(R) @ p) if symbols_in(*p) else np.asarray(R @ p)


def _exact(R: Array) -> Array:
    return np.asarray(np.vectorize(lambda x: sympy.Rational(x.numerator, x.denominator), otypes=[object])(R))


def _body(
    i: int, kind: str, pose: tuple[Array, Array], far: tuple[Array, Array], inertia: MassProperties
) -> SymbolicBody:
    """The link; its frame is at its joint, and its inertia is given in the frame at its far end."""
    R, p = far
    com = np.array([_value(f"inertias[{i}]", x) for x in inertia.com], dtype=object)
    tensor = np.array([[_value(f"inertias[{i}]", x) for x in row] for row in inertia.tensor], dtype=object)
    exact = _exact(R)
    return SymbolicBody(
        f"link_{i + 1}",
        f"joint_{i + 1}",
        kind == "revolute",
        i - 1,
        *pose,
        _numbers(np.array([0, 0, 1])),
        _value(f"inertias[{i}]", inertia.mass),
        _sum(p, _sympified(exact @ _sympified(com))),
        _sympified(exact @ _sympified(tensor) @ exact.T),
    )


def _sum(a: Array, b: Array) -> Array:
    return np.asarray(_sympified(a) + b)


def _sympified(values: Array) -> Array:
    """Fractions as rationals of SymPy."""
    return np.asarray(np.vectorize(_as_sympy, otypes=[object])(values))


def _as_sympy(value: object) -> Scalar:
    return sympy.Rational(value.numerator, value.denominator) if isinstance(value, Fraction) else value
