"""Trigonometric polynomials as sums of cosines and sines of sums of angles, and in the form of textbooks.

The joints of an arm form groups with parallel axes, so that their angles add up. Within a group every
product of cosines and sines becomes a sum, c1 c2 - s1 s2 = c12, which is a normal form (a Fourier series). Then terms
with twice an angle are split again, cos(2 q2 + q3) = 2 c2 c23 - c3, so that fewer terms remain.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from sympy import QQ
from sympy.polys.rings import PolyElement

from armdyn.base.exact import Exact, cos_sin
from armdyn.base.scalars import Scalar
from armdyn.base.threads import cached_property
from armdyn.derivation.arm import SymbolicArm
from armdyn.derivation.numbers import EXACT, rational

Angle = tuple[Fraction, ...]
"""Factors of the coordinates in an angle."""


class Wave(NamedTuple):
    """The cosine or the sine of a sum of coordinates."""

    kind: str
    angle: Angle


Waves = tuple[Wave, ...]
"""A product of waves; () is 1."""

Series = dict[Waves, PolyElement]
"""A sum of products of waves, with coefficients free of waves."""


class Groups:
    """The groups of rotations about parallel axes of an arm, and the resulting normal form of polynomials."""

    def __init__(self, arm: SymbolicArm) -> None:
        self.arm, self.algebra = arm, arm.algebra
        self._turns = _absolute_angles(arm)
        self._products: dict[tuple[tuple[int, int, int], ...], dict[Wave | None, Fraction]] = {}

    @cached_property
    def members(self) -> list[list[int]]:
        """The bodies of each group: parallel along the arm, or moved by a common coordinate."""
        groups: list[set[int]] = []
        for k, (_, carrier) in self._turns.items():
            own = {k, carrier} - {-1}
            touching = [g for g in groups if g & own or self._coordinates(g) & self._coordinates({k})]
            groups = [g for g in groups if g not in touching] + [{k}.union(*touching)]
        return [sorted(g) for g in groups]

    def _coordinates(self, group: set[int]) -> set[int]:
        return {i for k in group for i, factor in enumerate(self.algebra.turns[k].factors) if factor}

    def series(self, f: PolyElement) -> Series:
        """The normal form of an element: sums of angles only."""
        result: dict[Waves, dict[tuple[int, ...], object]] = {}
        for powers, value in f.items():
            rest = list(powers)
            for places in self.algebra.atoms.values():
                for place in places:
                    rest[place] = 0
            key = tuple(rest)
            for waves, factor in self._expanded(powers):
                of_waves = result.setdefault(waves, {})
                of_waves[key] = of_waves.get(key, QQ(0)) + value * QQ(factor.numerator, factor.denominator)
        series = {waves: self._polynomial(terms) for waves, terms in result.items()}
        return {waves: series[waves] for waves in sorted(series, key=_order) if series[waves]}

    def _polynomial(self, terms: dict[tuple[int, ...], Scalar]) -> PolyElement:
        p = self.algebra.ring.from_dict({key: value for key, value in terms.items() if value})
        return self.algebra.reduced(p)

    def _expanded(self, powers: Sequence[int]) -> Iterator[tuple[Waves, Fraction]]:
        """A product of powers of cosines and sines as a sum of products of waves, one of each group."""
        sums: list[tuple[Waves, Fraction]] = [((), Fraction(1))]
        for group in self.members:
            atoms = [(k, *(powers[place] for place in self.algebra.atoms[k])) for k in group]
            of_group = self._product(tuple((k, c, s) for k, c, s in atoms if c or s))
            sums = [
                (waves if wave is None else (*waves, wave), factor * own)
                for waves, factor in sums
                for wave, own in of_group.items()
            ]
        yield from sums

    def _product(self, atoms: tuple[tuple[int, int, int], ...]) -> dict[Wave | None, Fraction]:
        """c^m s^n ... of a group as a sum of waves."""
        if atoms not in self._products:
            total: dict[Wave | None, Fraction] = {None: Fraction(1)}
            for k, c, s in atoms:
                cosine, sine = self._of_joint(k)
                for factor in [cosine] * c + [sine] * s:
                    total = _multiplied(total, factor)
            self._products[atoms] = total
        return self._products[atoms]

    def _of_joint(self, k: int) -> tuple[dict[Wave | None, Fraction], dict[Wave | None, Fraction]]:
        """cos and sin of A q + b as waves of A q."""
        turn = self.algebra.turns[k]
        c, s = (rational(x, EXACT) for x in cos_sin(_exact(turn.offset)))
        angle = Wave("c", turn.factors), Wave("s", turn.factors)
        return _without_zeros({angle[0]: c, angle[1]: -s}), _without_zeros({angle[1]: c, angle[0]: s})

    def printed(self, f: PolyElement) -> Series:
        """The element in the form of textbooks: sums of angles, and products instead of twice an angle."""
        series = self.series(f)
        for group in self.members:
            series = self._split(series, group)
        return {waves: series[waves] for waves in sorted(series, key=_order)}

    def _split(self, series: Series, group: list[int]) -> Series:
        """The series without waves of this group that are not an angle between two links."""
        angles = list(dict.fromkeys(self._turns[k][0] for k in group))
        single = {a for x in angles for a in (x, *(_minus(x, y) for y in angles))}
        coordinates, between = self._coordinates(set(group)), sorted(x for x in single if _is_positive(x))
        while True:
            result = next((at for at in series if _long(at, single, coordinates)), None)
            if result is None:
                return series
            i = _long(result, single, coordinates)[0]
            wave = result[i]
            pair = _halves(wave.angle, angles) or _halves(wave.angle, between)
            if pair is None:
                single |= {wave.angle}
                continue
            series = self._replaced(series, result, i, pair)

    def _replaced(self, series: Series, at: Waves, i: int, pair: tuple[Angle, Angle]) -> Series:
        """The series with cos(a + b) or sin(a + b) written as the product that gives fewer terms."""
        rest, (a, b) = (at[:i], at[i + 1 :]), pair
        value = series[at]
        candidates = [{**{w: v for w, v in series.items() if w != at}} for _ in range(2)]
        for candidate, (kind_a, kind_b, factor, difference) in zip(candidates, _WAYS[at[i].kind], strict=True):
            _add(candidate, (*rest[0], Wave(kind_a, a), Wave(kind_b, b), *rest[1]), value * factor)
            wave, sign = _wave(at[i].kind, _minus(a, b))
            if sign:
                inner = () if wave is None else (wave,)
                _add(candidate, (*rest[0], *inner, *rest[1]), value * (difference * sign))
        return min(candidates, key=_size)


_WAYS = {
    "c": (("c", "c", 2, -1), ("s", "s", -2, 1)),  # cos(a + b) = 2 ca cb - cos(a - b) = -2 sa sb + cos(a - b)
    "s": (("s", "c", 2, -1), ("c", "s", 2, 1)),  # sin(a + b) = 2 sa cb - sin(a - b) = 2 ca sb + sin(a - b)
}


def _size(series: Series) -> int:
    return sum(map(len, series.values()))


def _add(series: Series, at: Waves, value: PolyElement) -> None:
    at = tuple(sorted(at, key=lambda wave: (_angle_order(wave.angle), wave.kind)))
    total = series[at] + value if at in series else value
    series.pop(at, None)
    if total:
        series[at] = total


def _long(at: Waves, single: set[Angle], coordinates: set[int]) -> list[int]:
    """Indices of waves of these coordinates whose angle, or its negative, is not in ``single``."""
    return [
        i
        for i, wave in enumerate(at)
        if any(wave.angle[j] for j in coordinates)
        and wave.angle not in single
        and tuple(-x for x in wave.angle) not in single
    ]


def _halves(angle: Angle, angles: Sequence[Angle]) -> tuple[Angle, Angle] | None:
    """Two angles whose sum is the given one: those nearest to each other."""
    pairs = [(a, b) for a in angles for b in angles if tuple(x + y for x, y in zip(a, b, strict=True)) == angle]
    pairs = [pair for pair in pairs if sum(map(abs, _minus(*pair))) < sum(map(abs, angle))]  # so that splitting ends
    nearest = sorted(pairs, key=lambda pair: (sum(map(abs, _minus(*pair))), tuple(map(_angle_order, pair))))
    return nearest[0] if nearest else None


def _multiplied(sums: dict[Wave | None, Fraction], factor: dict[Wave | None, Fraction]) -> dict[Wave | None, Fraction]:
    total: dict[Wave | None, Fraction] = {}
    for one, x in sums.items():
        for other, y in factor.items():
            for wave, z in _product_of_two(one, other):
                total[wave] = total.get(wave, Fraction(0)) + x * y * z
    return _without_zeros(total)


def _product_of_two(one: Wave | None, other: Wave | None) -> Iterator[tuple[Wave | None, Fraction]]:
    """ca cb = (c(a-b) + c(a+b))/2, sa sb = (c(a-b) - c(a+b))/2, sa cb = (s(a+b) + s(a-b))/2."""
    if one is None or other is None:
        yield (other if one is None else one), Fraction(1)
        return
    if one.kind == "c" and other.kind == "s":
        one, other = other, one
    kind = "c" if one.kind == other.kind else "s"
    plus = tuple(x + y for x, y in zip(one.angle, other.angle, strict=True))
    signs = (-1, 1) if one.kind == other.kind == "s" else (1, 1)
    for angle, half in ((plus, signs[0]), (_minus(one.angle, other.angle), signs[1])):
        wave, sign = _wave(kind, angle)
        if sign:
            yield wave, Fraction(half * sign, 2)


def _wave(kind: str, angle: Angle) -> tuple[Wave | None, int]:
    """cos or sin of an angle, as a sign times that of the angle whose first factor is positive; 1 is None."""
    if not any(angle):
        return None, int(kind == "c")
    if _is_positive(angle):
        return Wave(kind, angle), 1
    return Wave(kind, tuple(-x for x in angle)), 1 if kind == "c" else -1


def _is_positive(angle: Angle) -> bool:
    return next((x for x in angle if x), Fraction(0)) > 0


def _minus(a: Angle, b: Angle) -> Angle:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def _without_zeros(sums: dict[Scalar, Fraction]) -> dict[Scalar, Fraction]:
    return {key: value for key, value in sums.items() if value}


def _exact(number: Fraction) -> Exact:
    return Exact(number.numerator) / number.denominator


def _angle_order(angle: Angle) -> tuple[Scalar, ...]:
    return tuple((i, x) for i, x in enumerate(angle) if x)


def _order(waves: Waves) -> tuple[object, ...]:
    return len(waves), [(_angle_order(wave.angle), wave.kind) for wave in waves]


def _absolute_angles(arm: SymbolicArm) -> dict[int, tuple[Angle, int]]:
    """For every rotation, the angle of its link since the first parallel rotation before it, and the last one.

    The angle is positive in its first coordinate; the index of the last parallel rotation is -1 if there is none.
    """
    turns: dict[int, tuple[Angle, int]] = {}
    signed: dict[int, Angle] = {}
    axes: dict[int, tuple[int, Scalar]] = {}  # by body: the last rotation before it, and that axis in its own axes
    for k, body in enumerate(arm.bodies):
        carrier, seen = axes.get(body.parent, (-1, None))
        seen = None if seen is None else body.R.T @ seen
        if not body.revolute:
            axes[k] = carrier, seen
            continue
        own = tuple(arm.matrix[k])
        sign = 0 if seen is None else _parallel(seen, body.axis)
        if sign:  # the common direction is that of the first joint
            own = tuple(x + sign * y for x, y in zip(signed[carrier], own, strict=True))
        signed[k], axes[k] = own, (k, body.axis * (sign or 1))
        turns[k] = own if _is_positive(own) else tuple(-x for x in own), carrier if sign else -1
    return turns


def _parallel(a: Scalar, b: object) -> int:
    """1 or -1 for axes of equal or opposite direction, otherwise 0."""
    along = float(a @ b)
    return int(math.copysign(1, along)) if abs(abs(along) - 1.0) < 1e-14 else 0
