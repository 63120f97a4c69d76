"""Explanations of a link's numbers: other units, orders, signs and frames, ranked by the plausibility of the result.

A judgement of mass m, centre c and tensor I adds up what is unlikely, in powers of ten beyond a tolerance:

    size        radius of gyration sqrt(I_max / m) against the extent of the link
    density     mass over the volume of the shapes, where these are primitives
    centre      distance of c from the box of the link's joints and shapes, against its diagonal
    mass        m against the masses of the neighbours
    possible    a tensor that no rigid body has is out of the question

A hypothesis is better if it lowers the judgement by more than it costs: each change of the numbers costs something.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log10
from typing import NamedTuple

import numpy as np

from armdyn.doctor import thresholds
from armdyn.doctor.subject import MOMENTS, Body, tensor_of
from armdyn.spatial.rotations import Array

ORDERS = {
    "ixx iyy izz ixy ixz iyz": (0, 3, 4, 1, 5, 2),
    "ixx iyy izz ixy iyz ixz": (0, 3, 5, 1, 4, 2),
    "ixx ixy iyy ixz iyz izz": (0, 1, 3, 2, 4, 5),
}
"""Orders in which other programs print a tensor; the place in each of the six numbers of URDF."""

DECADES = (1e-9, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1, 1e1, 1e2, 1e3, 1e4, 1e6, 1e9)
IMPOSSIBLE, PER_DECADE, PER_CHANGE = 10.0, 0.05, 0.1
"""Penalties: of a tensor that no body has; of a factor, by its power of ten; of each kind of change."""

UNITS = {1e-3: 0.0, 1e3: 0.0, 1e-6: 0.0, 1e6: 0.0, 1e-9: 0.0, 1e9: 0.0}
"""Factors of units (g, mm, g mm^2, kg mm^2), which are likelier than a decimal point that has slipped."""

SIZE_TOLERANCE = 0.5
"""Powers of ten by which a radius of gyration may be off 0.3 of the extent."""


class Numbers(NamedTuple):
    """Mass, centre of mass and the six moments of a link in the axes of the inertia."""

    mass: float
    com: Array
    moments: Array


@dataclass(frozen=True)
class Hypothesis:
    """Other numbers, in words, and the penalty of the change."""

    title: str
    numbers: Numbers
    cost: float


@dataclass(frozen=True)
class Surroundings:
    """What the numbers of a link are judged beside.

    Args:
        box: the lowest and highest corner of the link's joints and shapes, m, shape (2, 3); None if it has one point.
        extent: the diagonal of the box, m, or the typical one of the robot.
        is_known: whether it is the link's own.
        volume: of its shapes, m^3; None if it is not known.
        neighbours: masses of the links beside it, kg.
        rotation: of the axes of the inertia in the link.
    """

    box: Array | None
    extent: float
    is_known: bool
    volume: float | None
    neighbours: tuple[float, ...]
    rotation: Array

    @classmethod
    def of(cls, body: Body, typical: float) -> Surroundings:
        """Of a link; ``typical`` is the extent of the others."""
        points = body.points[np.isfinite(body.points).all(axis=1)]
        box = np.array([points.min(axis=0), points.max(axis=0)]) if len(points) > 1 else None
        known = body.extent > 0.0
        joints = [*body.carries, *([body.carried_by] if body.carried_by else [])]
        ends = [joint.child_body if joint.parent_body is body else joint.parent_body for joint in joints]
        masses = tuple(end.mass for end in ends if end is not None and end.mass is not None and end.mass > 0.0)
        return cls(box, body.extent if known else typical, known, body.volume or None, masses, body.frame[:3, :3])

    def judged(self, numbers: Numbers) -> dict[str, float]:
        """What is unlikely about numbers, by kind, in powers of ten."""
        found: dict[str, float] = {}
        if not is_possible(numbers.moments) or not numbers.mass > 0.0:
            found["possible"] = IMPOSSIBLE
        mass = abs(numbers.mass)
        if mass > 0.0 and self.extent > 0.0:
            largest = float(np.abs(np.linalg.eigvalsh(tensor_of(numbers.moments))).max())
            if largest > 0.0:
                size = log10(np.sqrt(largest / mass) / (0.3 * self.extent))
                found["size"] = max(abs(size) - SIZE_TOLERANCE, 0.0)
        if self.volume and mass > 0.0:
            density = mass / self.volume
            found["density"] = max(
                log10(density / thresholds.DENSE.value), log10(thresholds.LIGHT.value / density), 0.0
            )
        if self.box is not None:
            beyond = np.maximum(np.maximum(self.box[0] - numbers.com, numbers.com - self.box[1]), 0.0)
            far = float(np.linalg.norm(beyond)) / self.extent
            found["centre"] = max(log10(far / thresholds.OUTSIDE.value), 0.0) if far > 0.0 else 0.0
        elif self.extent > 0.0 and (far := float(np.linalg.norm(numbers.com))) > 0.0:
            found["centre"] = max(log10(far / (2.0 * self.extent)), 0.0)
        if self.neighbours and mass > 0.0:
            heavier = log10(mass / (thresholds.NEIGHBOURS.value * max(self.neighbours)))
            found["mass"] = max(heavier, 0.5 * log10(1e-3 * min(self.neighbours) / mass), 0.0)
        return found

    def unlikely(self, numbers: Numbers) -> float:
        """The sum of what is unlikely."""
        return sum(self.judged(numbers).values())


def is_possible(moments: Array) -> bool:
    """Whether a rigid body has these six numbers."""
    a, b, c = np.linalg.eigvalsh(tensor_of(moments))
    return bool(a >= -thresholds.ROUNDED.value * c and c > 0.0 and c - a - b <= thresholds.TRIANGLE.value * c)


def hypotheses(numbers: Numbers, rotation: Array) -> Iterator[Hypothesis]:
    """Single changes of the numbers, then of units of several at once."""
    yield from _units(numbers)
    yield from _single_moments(numbers)
    yield from _orders(numbers)
    yield from _frames(numbers, rotation)
    if numbers.mass < 0.0:
        yield Hypothesis("the mass is positive", numbers._replace(mass=-numbers.mass), PER_CHANGE)


def _units(numbers: Numbers) -> Iterator[Hypothesis]:
    for factor in DECADES:
        extra = UNITS.get(factor, 2 * PER_DECADE)
        yield Hypothesis(
            f"moments times {factor:g}{_unit('moments', factor)}",
            numbers._replace(moments=numbers.moments * factor),
            PER_CHANGE + extra,
        )
    for factor in (1e-3, 1e-1, 1e1, 1e3, 1e-2, 1e2):
        extra = UNITS.get(factor, 2 * PER_DECADE)
        yield Hypothesis(
            f"mass times {factor:g}{_unit('mass', factor)}",
            numbers._replace(mass=numbers.mass * factor),
            PER_CHANGE + extra,
        )
        if numbers.com.any():
            yield Hypothesis(
                f"centre of mass times {factor:g}{_unit('com', factor)}",
                numbers._replace(com=numbers.com * factor),
                PER_CHANGE + extra,
            )
    both = numbers._replace(com=numbers.com * 1e-3, moments=numbers.moments * 1e-6)
    yield Hypothesis("lengths are in mm: centre of mass times 0.001, moments times 1e-06", both, PER_CHANGE)
    grams = numbers._replace(mass=numbers.mass * 1e-3, moments=numbers.moments * 1e-9)
    yield Hypothesis("grams and millimetres: mass times 0.001, moments times 1e-09", grams, PER_CHANGE)
    all_of_it = grams._replace(com=numbers.com * 1e-3)
    yield Hypothesis("grams and millimetres: mass and centre times 0.001, moments times 1e-09", all_of_it, PER_CHANGE)
    yield Hypothesis(
        "grams: mass and moments times 0.001",
        numbers._replace(mass=numbers.mass * 1e-3, moments=numbers.moments * 1e-3),
        PER_CHANGE,
    )
    typo = numbers._replace(mass=numbers.mass / 10.0, moments=numbers.moments / 10.0)
    yield Hypothesis("a digit too many: mass and moments times 0.1", typo, PER_CHANGE + 2 * PER_DECADE)
    yield from _lengths_and_moments(numbers)


def _lengths_and_moments(numbers: Numbers) -> Iterator[Hypothesis]:
    """A centre and moments that are both off, by factors of their own."""
    if not numbers.com.any():
        return
    for of_com in (1e-3, 1e-2, 1e-1, 1e1):
        for factor in DECADES:
            extra = UNITS.get(of_com, 2 * PER_DECADE) + UNITS.get(factor, 2 * PER_DECADE)
            both = numbers._replace(com=numbers.com * of_com, moments=numbers.moments * factor)
            title = f"centre of mass times {of_com:g}, moments times {factor:g}{_unit('moments', factor)}"
            yield Hypothesis(title, both, 2 * PER_CHANGE + extra)


def _unit(what: str, factor: float) -> str:
    known = {
        ("moments", 1e-9): "g mm^2",
        ("moments", 1e-6): "kg mm^2",
        ("moments", 1e-3): "g m^2",
        ("moments", 1e-4): "kg cm^2",
        ("mass", 1e-3): "g",
        ("com", 1e-3): "mm",
        ("com", 1e-2): "cm",
    }.get((what, factor))
    return f" ({known})" if known else ""


def _single_moments(numbers: Numbers) -> Iterator[Hypothesis]:
    for k in (0, 3, 5):
        for factor in (1e-3, 1e3, 1e-1, 1e1, 1e-2, 1e2, 1e-6, 1e6):
            other = numbers.moments.copy()
            other[k] *= factor
            cost = PER_CHANGE + UNITS.get(factor, 2 * PER_DECADE) + PER_DECADE
            yield Hypothesis(f"{MOMENTS[k]} times {factor:g}", numbers._replace(moments=other), cost)
    if (numbers.moments[[0, 3, 5]] < 0.0).any():
        other = numbers.moments.copy()
        other[[0, 3, 5]] = np.abs(other[[0, 3, 5]])
        yield Hypothesis("moments are positive", numbers._replace(moments=other), PER_CHANGE)
    for k in (1, 2, 4):
        if numbers.moments[k]:
            other = numbers.moments.copy()
            other[k] = -other[k]
            yield Hypothesis(f"{MOMENTS[k]} with the other sign", numbers._replace(moments=other), 2 * PER_CHANGE)


def _orders(numbers: Numbers) -> Iterator[Hypothesis]:
    for name, order in ORDERS.items():
        other = numbers.moments[list(order)]
        if not np.array_equal(other, numbers.moments):
            yield Hypothesis(f"numbers in the order {name}", numbers._replace(moments=other), PER_CHANGE)


def _frames(numbers: Numbers, rotation: Array) -> Iterator[Hypothesis]:
    """Moments about the link's origin in place of the centre of mass."""
    c, m = rotation.T @ numbers.com, numbers.mass
    steiner = m * (c @ c * np.eye(3) - np.outer(c, c))
    other = (tensor_of(numbers.moments) - steiner)[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
    if numbers.com.any():
        yield Hypothesis(
            "moments about the link's origin: moved to the centre of mass",
            numbers._replace(moments=other),
            2 * PER_CHANGE,
        )


def ranked(numbers: Numbers, beside: Surroundings) -> list[tuple[float, Hypothesis]]:
    """The hypotheses that explain something, the best first, with what is left unlikely of each and its cost."""
    now = beside.unlikely(numbers)
    found = [(beside.unlikely(one.numbers) + one.cost, one) for one in hypotheses(numbers, beside.rotation)]
    better = [(left, one) for left, one in found if left < now - 1e-9]
    return sorted(better, key=lambda pair: pair[0])
