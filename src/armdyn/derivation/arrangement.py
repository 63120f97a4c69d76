"""Polynomials as SymPy expressions in the arrangement of textbooks: by rates, masses and lengths in a chosen order.

Every factor of a term is of one class: a rate (qd, qdd), an inertia (a mass, a moment), or geometry (a length, gravity,
the position of a prismatic joint, a cosine or sine). An arrangement is an order of the classes. Terms with equal
factors of the first class are collected, and so on inwards. Sums whose other factors are equal up to a number are
collected too, so that m2 L1 L2 s2 (2 qd1 qd2 + qd2^2) is one term.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from math import gcd, lcm

import sympy
from sympy.polys.rings import PolyElement

from armdyn.base.errors import ModelError, excerpt
from armdyn.base.scalars import Scalar
from armdyn.derivation.arm import SymbolicArm
from armdyn.derivation.harmonics import Groups, Wave
from armdyn.derivation.numbers import sympy_number
from armdyn.spatial.rotations import Array

CLASSES = ("motion", "mass", "geometry")

Powers = tuple[tuple[Scalar, int], ...]
"""Factors of one class: (symbol or `Wave`, power), ..."""

Terms = dict[tuple[Powers, ...], Fraction]
"""Coefficients by the factors of each remaining class."""

Summand = tuple[Fraction, tuple[Scalar, ...]]
"""A number and factors; multiplied together, because SymPy distributes a number over a single sum."""

BY_MASS = ("motion", "mass", "geometry")
"""m1 L1^2 + m2 (L1^2 + 2 L1 L2 c2 + L2^2), as Modern Robotics prints M."""

BY_GEOMETRY = ("motion", "geometry", "mass")
"""(m1 + m2) L1^2 + 2 m2 L1 L2 c2 + m2 L2^2, as the slides print M, and all print g."""

MOTION_INSIDE = ("mass", "geometry", "motion")
"""m2 (L1 c1 qdd1 + L2 c12 (qdd1 + qdd2)), as forces of single masses are printed."""

BY_LINK = ("mass", "motion", "geometry")
"""m2/2 ((L1^2 + 2 L1 L2 c2 + L2^2) qd1^2 + 2 (L1 L2 c2 + L2^2) qd1 qd2 + L2^2 qd2^2), as energies are printed."""


class Arrangement:
    """The printed forms of the polynomials of an arm.

    Args:
        arm: the arm of the polynomials.
    """

    def __init__(self, arm: SymbolicArm) -> None:
        self.arm, self.groups = arm, Groups(arm)
        algebra = arm.algebra
        motion = {symbol for kind in ("qd", "qdd", "sign_qd") for symbol in algebra.symbols[kind]}
        self._class = {
            symbol: "motion" if symbol in motion else "mass" if symbol in arm.inertial_symbols else "geometry"
            for symbol in algebra.ring.symbols
        }
        self._order = {symbol: i for i, symbol in enumerate(algebra.ring.symbols)}

    def expression(self, f: PolyElement, by: Sequence[str] | None = None) -> Scalar:
        """An element as an expression of SymPy; gravity's terms by geometry if no order is given."""
        if by is not None:
            return self._collected(self._terms(f), checked(by))
        weight, others = self._split_gravity(f)
        return self._collected(others, BY_MASS) + self._collected(weight, BY_GEOMETRY)

    def _split_gravity(self, f: PolyElement) -> tuple[Terms, Terms]:
        """The terms of gravity, and the others."""
        terms = self._terms(f)
        weight = {key: value for key, value in terms.items() if self._is_weight(key)}
        return weight, {key: value for key, value in terms.items() if key not in weight}

    def written(self, value: Scalar, name: str = "") -> Scalar:
        """An element as an expression, an array of them as a matrix, in the order of results of this name.

        Forces F_i and f_i have their rates inside, kinetic energies K_i and the Lagrangian L the numbers 1/2 and 2
        outside, as the texts print them.
        """
        by = MOTION_INSIDE if name[:2] in ("f_", "F_") else None
        if name == "L" or name.startswith("K_"):
            return self._energy(value)
        return self.array(value, by) if hasattr(value, "shape") else self.expression(value, by)

    def _energy(self, f: PolyElement) -> Scalar:
        """An energy: the kinetic part by link, with common numbers outside, the potential part by geometry."""
        weight, others = self._split_gravity(f)
        return self._collected(others, BY_LINK, common=True) + self._collected(weight, BY_GEOMETRY)

    def array(self, values: Array, by: Sequence[str] | None = None) -> Scalar:
        """A vector or matrix of elements as a matrix of SymPy, an array of higher rank as its array."""
        if values.ndim <= 2:
            rows, columns = values.shape if values.ndim == 2 else (len(values), 1)
            return sympy.ImmutableMatrix(rows, columns, [self.expression(f, by) for f in values.flat])
        return sympy.ImmutableDenseNDimArray([self.expression(f, by) for f in values.flat], values.shape)

    def function_of(self, waves: tuple[Wave, ...], powers: Sequence[int]) -> Scalar:
        """A product of waves and of powers of the generators as an expression."""
        symbols = zip(self.arm.algebra.ring.symbols, powers, strict=True)
        return product((*((symbol, power) for symbol, power in symbols if power), *_powers(waves)))

    def _terms(self, f: PolyElement) -> Terms:
        """Every term by its factors of all classes, in the order of `CLASSES`."""
        terms: Terms = {}
        for waves, polynomial in self.groups.printed(f).items():
            of_waves = _powers(waves)
            for monomial, value in polynomial.terms():
                factors: dict[str, Powers] = dict.fromkeys(CLASSES, ())
                for symbol, power in zip(polynomial.ring.symbols, monomial, strict=True):
                    if power:
                        kind = self._class[symbol]
                        factors[kind] = (*factors[kind], (symbol, power))
                factors["geometry"] = (*factors["geometry"], *of_waves)
                terms[tuple(factors[kind] for kind in CLASSES)] = Fraction(int(value.numerator), int(value.denominator))
        return terms

    def _is_weight(self, key: tuple[Powers, ...]) -> bool:
        """Return True if a term has a symbol of gravity, or no rate."""
        gravity = {symbol for g in self.arm.gravity for symbol in getattr(g, "free_symbols", ())}
        return any(symbol in gravity for symbol, _ in key[2])

    def _collected(self, terms: Terms, by: Sequence[str], *, common: bool = False) -> Scalar:
        if not terms:
            return sympy.Integer(0)
        order = [CLASSES.index(kind) for kind in by]
        ordered = {tuple(key[i] for i in order): value for key, value in terms.items()}
        return _sum(self._nested(ordered, by, common))

    def _nested(self, terms: Terms, by: Sequence[str], common: bool) -> list[Summand]:
        """The sum over the factors of the first class, each with its collected cofactor."""
        if not by:
            return [(next(iter(terms.values())), ())]
        groups: dict[Powers, Terms] = {}
        for (first, *others), value in terms.items():
            groups.setdefault(first, {})[tuple(others)] = value
        ordered = sorted(groups.items(), key=lambda item: self._powers_order(item[0]))
        if by[0] == "geometry":
            return [self._times(product(powers), rest, by[1:], common) for powers, rest in ordered]
        return [self._times(factor, rest, by[1:], common) for factor, rest in self._proportional(ordered)]

    def _times(self, factor: object, rest: Terms, by: Sequence[str], common: bool) -> Summand:
        number = abs(_content(rest)) if common and all(value.denominator in (1, 2) for value in rest.values()) else 1
        inner = self._nested({key: value / number for key, value in rest.items()}, by, common)
        if len(inner) > 1:
            return Fraction(number), (factor, _sum(inner))
        inner = self._nested(rest, by, common)
        number, factors = inner[0]
        return number, (factor, *factors)

    def _proportional(self, groups: Sequence[tuple[Powers, Terms]]) -> Iterable[tuple[Scalar, Terms]]:
        """Merge groups whose cofactors are equal up to a number: the sum of their factors, and the cofactor."""
        result: dict[Scalar, tuple[list[tuple[Powers, Fraction]], Terms]] = {}
        for powers, rest in groups:
            size = _content(rest)
            normal = {key: value / size for key, value in rest.items()}
            result.setdefault(frozenset(normal.items()), ([], normal))[0].append((powers, size))
        for sums, normal in result.values():
            common = _content({i: value for i, (_, value) in enumerate(sums)})
            rest = {key: value * common for key, value in normal.items()}
            yield _sum_of([(powers, value / common) for powers, value in sums]), rest

    def _powers_order(self, powers: Powers) -> tuple[object, ...]:
        """The sort key of powers: accelerations, then products of velocities, then terms without rates."""
        return (not powers, [(_rank(symbol), self._order.get(symbol, 0), -power) for symbol, power in powers])


def _sum(summands: Sequence[Summand]) -> Scalar:
    return sympy.Add(*(_times_number(number, sympy.Mul(*factors)) for number, factors in summands))


def _times_number(number: Fraction, factor: Scalar) -> Scalar:
    """A number times an expression; SymPy distributes one over a sum, rounded: 0.001 times 350 x is 0.35 x here."""
    if not factor.is_Add:
        return sympy_number(number) * factor
    parts = [term.as_coeff_Mul() for term in factor.args]
    if not all(value.is_Rational for value, _ in parts):
        return sympy_number(number) * factor
    return sympy.Add(*(sympy_number(number * Fraction(int(value.p), int(value.q))) * term for value, term in parts))


def checked(by: Sequence[str]) -> tuple[str, ...]:
    """A validated order of the three classes.

    Raises:
        ModelError: not an order of the three classes.
    """
    order = tuple(by)
    if sorted(order) != sorted(CLASSES):
        raise ModelError(f"by is {excerpt(by)}; expected an order of {', '.join(CLASSES)}")
    return order


def _rank(symbol: object) -> int:
    name = getattr(symbol, "name", "")
    return 0 if name.startswith("qdd") else 1


def _content(terms: Mapping[Scalar, Fraction]) -> Fraction:
    """The number that leaves whole numbers without a common divisor, the first of them positive."""
    values = list(terms.values())
    size = Fraction(reduce(gcd, (abs(v.numerator) for v in values)), reduce(lcm, (v.denominator for v in values)))
    return size if values[0] > 0 else -size


def _powers(waves: tuple[Wave, ...]) -> Powers:
    counted: dict[Wave, int] = {}
    for wave in waves:
        counted[wave] = counted.get(wave, 0) + 1
    return tuple(counted.items())


def product(powers: Powers) -> Scalar:
    """The product of factors as an expression."""
    return sympy.Mul(*(_factor(base) ** power for base, power in powers))


def _factor(base: object) -> Scalar:
    if not isinstance(base, Wave):
        return _sign(base)
    return (sympy.cos if base.kind == "c" else sympy.sin)(angle_of(base))


def angle_of(wave: Wave) -> Scalar:
    """The angle of a wave, a sum of coordinates."""
    terms = (sympy.Rational(x.numerator, x.denominator) * sympy.Symbol(f"q{i + 1}") for i, x in enumerate(wave.angle))
    return sympy.Add(*terms)


def _sign(symbol: Scalar) -> Scalar:
    return sympy.sign(sympy.Symbol(symbol.name.removeprefix("sign_"))) if symbol.name.startswith("sign_") else symbol


def _sum_of(sums: Sequence[tuple[Powers, Fraction]]) -> Scalar:
    """A sum of products; a perfect power is written as such: (qd1 + qd2)^2."""
    total = sympy.Add(*(sympy_number(value) * product(powers) for powers, value in sums))
    if len(sums) in (3, 6, 10) and all(value.denominator == 1 for _, value in sums):
        number, factors = sympy.factor_list(total)
        if number == 1 and len(factors) == 1 and factors[0][1] > 1:
            return factors[0][0] ** factors[0][1]
    return total
