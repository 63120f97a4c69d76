"""Polynomials in the parameters of an arm, its coordinates and rates, and the cosine and sine of every turn.

Equations of motion of rigid bodies are such polynomials. They are added, multiplied and differentiated exactly, with
rational coefficients, and reduced by s^2 = 1 - c^2, so that equal ones look equal: nothing has to be simplified.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from sympy import QQ, Symbol
from sympy.polys.rings import PolyElement, ring

from armdyn.base.scalars import Scalar
from armdyn.spatial.rotations import Array

DIGITS = 60
"""Decimal digits of rounded coefficients if the description has irrational numbers, e.g. cos 30 deg."""

RESIDUE = Fraction(1, 10**30)
"""Coefficients below this fraction of the largest of their polynomial are rounding errors of zeros."""


@dataclass(frozen=True)
class JointAngle:
    """The angle of a revolute joint, factors . q + offset, with its cosine and sine as generators of the ring."""

    factors: tuple[Fraction, ...]
    offset: Fraction
    c: PolyElement
    s: PolyElement


class Algebra:
    """The ring of polynomials of an arm.

    Args:
        parameters: the symbols of the description.
        factors: for each body, the row of A in q_joints = A q + b for its joint.
        offsets: for each body, b.
        revolute: for each body, True if its joint is revolute.
        inexact: True if the description has rounded numbers.
    """

    def __init__(
        self,
        parameters: Sequence[Symbol],
        factors: Sequence[Sequence[Fraction]],
        offsets: Sequence[Fraction],
        revolute: Sequence[bool],
        *,
        inexact: bool,
    ) -> None:
        n = len(factors[0])
        self.size, self.inexact = n, inexact
        self.parameters = tuple(parameters)
        self.symbols: dict[str, tuple[Symbol, ...]] = {
            kind: tuple(Symbol(f"{kind}{i + 1}") for i in range(n)) for kind in ("q", "qd", "qdd", "sign_qd")
        }
        turning = [k for k, turns in enumerate(revolute) if turns]
        atoms = [Symbol(f"{name}#{k}") for name in ("cos", "sin") for k in turning]  # not a name of any parameter
        motions = [symbol for kind in self.symbols.values() for symbol in kind]
        self.ring, *generators = ring([*self.parameters, *motions, *atoms], QQ)
        self.generators: Mapping[Symbol, PolyElement] = dict(zip(self.ring.symbols, generators, strict=True))
        self.place = {symbol: i for i, symbol in enumerate(self.ring.symbols)}
        self.q, self.qd, self.qdd, self.sign = (
            [self.generators[symbol] for symbol in self.symbols[kind]] for kind in ("q", "qd", "qdd", "sign_qd")
        )
        m = len(turning)
        c, s = generators[-2 * m : len(generators) - m], generators[len(generators) - m :]
        self.turns: dict[int, JointAngle] = {
            k: JointAngle(tuple(factors[k]), offsets[k], c[i], s[i]) for i, k in enumerate(turning)
        }
        self.atoms = {k: (self.place[Symbol(f"cos#{k}")], self.place[Symbol(f"sin#{k}")]) for k in turning}

    def element(self, value: object) -> PolyElement:
        """A number, or a polynomial of SymPy in the parameters, as an element of the ring."""
        if isinstance(value, Fraction | int):
            return self.ring(QQ(value.numerator, value.denominator))
        return self.ring.from_expr(value)

    def array(self, values: object) -> Array:
        """An array of elements."""
        return np.asarray(np.vectorize(self.element, otypes=[object])(np.asarray(values, dtype=object)))

    def zeros(self, *shape: int) -> Array:
        """An array of zeros of the ring."""
        filled = np.empty(shape, dtype=object)
        filled[...] = self.ring(0)
        return filled

    def linear(self, factors: Iterable[Fraction], x: Sequence[PolyElement]) -> PolyElement:
        """The scalar product factors . x."""
        return sum((self.element(f) * x_i for f, x_i in zip(factors, x, strict=True) if f), start=self.ring(0))

    def by_q(self, f: PolyElement, i: int) -> PolyElement:
        """df/dq_i, with dc/dq_i = -s A_i and ds/dq_i = c A_i."""
        total = f.diff(self.q[i])
        for turn in self.turns.values():
            if turn.factors[i]:
                total += (f.diff(turn.s) * turn.c - f.diff(turn.c) * turn.s) * self.element(turn.factors[i])
        return self.reduced(total)

    def by_time(self, f: PolyElement) -> PolyElement:
        """df/dt of a function of q and qd."""
        total = self.ring(0)
        for i in range(self.size):
            total += self.by_q(f, i) * self.qd[i] + f.diff(self.qd[i]) * self.qdd[i]
        return self.reduced(total)

    def rates(self, array: Array) -> Array:
        """d/dt of every entry."""
        return np.asarray(np.vectorize(self.by_time, otypes=[object])(array))

    def each(self, array: Array) -> Array:
        """Every entry, reduced."""
        return np.asarray(np.vectorize(self.reduced, otypes=[object])(array))

    def reduced(self, f: PolyElement) -> PolyElement:
        """The normal form: s^2 = 1 - c^2; without the residues of rounded numbers."""
        for c, s in self.atoms.values():
            if any(powers[s] > 1 for powers in f):
                f = self.without_squares(f, s, c)
        return self._cleaned(f) if self.inexact else f

    def without_squares(self, f: PolyElement, s: int, c: int) -> PolyElement:
        """The element with s^2 replaced by 1 - c^2 for the generators at these indices."""
        result: dict[tuple[int, ...], object] = {}
        for powers, coefficient in f.items():
            half, odd = divmod(powers[s], 2)
            terms = {0: coefficient}
            for _ in range(half):  # times 1 - c^2
                terms = {e: terms.get(e, 0) - terms.get(e - 2, 0) for e in {*terms, *(e + 2 for e in terms)}}
            for extra, value in terms.items():
                key = list(powers)
                key[s], key[c] = odd, powers[c] + extra
                result[tuple(key)] = result.get(tuple(key), QQ(0)) + value
        return self.ring.from_dict({k: v for k, v in result.items() if v})

    def _cleaned(self, f: PolyElement) -> PolyElement:
        if not f:
            return f
        largest = max(map(abs, f.values()))
        limit, scale = largest * QQ(RESIDUE.numerator, RESIDUE.denominator), 10**DIGITS
        terms = {k: v for k, v in f.items() if abs(v) > limit}
        return self.ring.from_dict({k: v if v.denominator < scale else _rounded(v, scale) for k, v in terms.items()})

    def coefficient(self, f: PolyElement, **powers: Mapping[int, int]) -> PolyElement:
        """The coefficient of a product of rates: ``coefficient(f, qd={0: 1, 1: 1})`` that of qd1 qd2, as a polynomial.

        Every rate that is not given has the power 0.
        """
        terms = {
            self.place[symbol]: powers.get(kind, {}).get(i, 0)
            for kind in ("qd", "qdd", "sign_qd")
            for i, symbol in enumerate(self.symbols[kind])
        }
        result = {}
        for monomial, value in f.items():
            if all(monomial[place] == power for place, power in terms.items()):
                key = tuple(0 if place in terms else power for place, power in enumerate(monomial))
                result[key] = value
        return self.ring.from_dict(result)


def _rounded(value: Scalar, scale: int) -> Scalar:
    return QQ(round(Fraction(int(value.numerator), int(value.denominator)) * scale), scale)
