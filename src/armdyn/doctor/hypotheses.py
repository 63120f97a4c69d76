"""Explanations of a link's numbers: other units, orders, signs and frames, ranked by the plausibility of the result.

A judgement of mass m, centre c and tensor I adds up what is unlikely, in powers of ten beyond a tolerance:

    size        radius of gyration sqrt(I_max / m) against the extent L of the link, 0.3 L for a rod
    density     mass over the volume of the shapes, if these are primitives
    centre      distance of c from the box of the link's joints and shapes, against its diagonal
    mass        m against the masses of the neighbours
    possible    a tensor that no rigid body has is out of the question

A hypothesis is better if it lowers the judgement by more than it costs: each change of the numbers costs something.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import hypot, log10
from typing import NamedTuple

import numpy as np

from armdyn.doctor import thresholds
from armdyn.doctor.subject import MOMENTS, SubjectLink, tensor_of
from armdyn.spatial.rotations import Array

DECADES = (1e-9, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1, 1e1, 1e2, 1e3, 1e4, 1e6, 1e9)
IMPOSSIBLE, PER_DECADE, PER_CHANGE = 10.0, 0.05, 0.1
"""Penalties: of a tensor that no body has; of a factor, by its power of ten; of each kind of change."""

UNITS = {1e-3: 0.0, 1e3: 0.0, 1e-6: 0.0, 1e6: 0.0, 1e-9: 0.0, 1e9: 0.0, 1e-4: 0.0}
"""Factors of units (g, mm, g mm^2, kg mm^2, kg cm^2), which are likelier than a decimal point that has slipped."""

TYPICAL_RADIUS, TYPICAL_DENSITY = 0.3, 1500.0
"""Radius of gyration of a rod over its length; density of a link of metal with cavities, kg/m^3."""

THINNEST = 1e-6
"""Ratio of principal moments below which a body is a rod without thickness, however thin."""

PER_DISTANCE = 0.2
"""Penalty per power of ten between a number and its typical value: it ranks hypotheses that are all plausible."""


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
        box: the lowest and highest corner of the link's joints and shapes, m, shape (2, 3); None if it has no size.
        extent: the diagonal of the box, m, or the typical one of the robot.
        is_known: if it is the link's own.
        volume: of its shapes, m^3; None if it is not known.
        room: the largest volume that they may take, that of their hull, m^3; None if it is not known.
        neighbours: masses of the neighbouring links, kg; the whole masses of the limbs on a trunk.
        frame: pose of the axes of the inertia in the link.
        placement: pose of the link in its parent, joints at zero.
        world: pose of the link in the root, joints at zero.
        typical_mass: the median of the robot's moving links, kg; 0 if it is not known.
        orders: in which other programs print a tensor; the place in each of the six moments.
    """

    box: Array | None
    extent: float
    is_known: bool
    volume: float | None
    room: float | None
    neighbours: tuple[float, ...]
    frame: Array
    placement: Array
    world: Array
    typical_mass: float
    orders: Mapping[str, tuple[int, ...]]

    @classmethod
    def of(cls, body: SubjectLink, typical: float, typical_mass: float = 0.0) -> Surroundings:
        """Of a link; ``typical`` is the median extent of the robot's links, ``typical_mass`` of their masses."""
        points = body.points_within_bounds
        has_extent = body.extent > 0.0
        box = np.array([points.min(axis=0), points.max(axis=0)]) if has_extent else None
        masses = _neighbours(body)
        if body.carried_by is not None and body.carried_by.kind == "floating":
            masses = ()  # a torso, which is heavier than its limbs
        extent = body.extent if has_extent and body.hulls else max(body.extent, typical)
        volume = body.volume if body.extent_of_shapes > thresholds.PLACEHOLDER.value * typical else None
        dense = volume and body.mass and body.mass > thresholds.DENSE.value * volume
        room = body.room if dense else volume
        placement = np.eye(4) if body.carried_by is None else body.carried_by.placement
        of_body = (volume or None, room or None, masses, body.frame, placement, body.world)
        return cls(box, extent, has_extent, *of_body, typical_mass, body.orders)

    def judged(self, numbers: Numbers, principal: Array | None = None) -> dict[str, float]:
        """Unlikely properties of numbers, by kind, in powers of ten; ``principal`` are their principal moments."""
        result: dict[str, float] = {}
        principal = np.linalg.eigvalsh(tensor_of(numbers.moments)) if principal is None else principal
        if not _are_possible(principal) or not numbers.mass > 0.0:
            result["possible"] = IMPOSSIBLE
        mass = abs(numbers.mass)
        if mass > 0.0 and self.extent > 0.0:
            largest = float(np.abs(principal).max())
            if largest > 0.0:
                size = _decades_of_radius(largest, mass) - log10(self.extent)
                large, small = log10(thresholds.LARGE.value), log10(thresholds.SMALL.value)
                result["size"] = max(size - large, small - size, 0.0)
        if self.volume and self.room and mass > 0.0:
            dense = log10(mass) - log10(self.room) - log10(thresholds.DENSE.value)
            light = log10(thresholds.LIGHT.value) + log10(self.volume) - log10(mass)
            result["density"] = max(dense, light, 0.0)
        if self.box is not None and self.extent > 0.0:
            beyond = np.maximum(np.maximum(self.box[0] - numbers.com, numbers.com - self.box[1]), 0.0)
            far, near = hypot(*beyond), log10(self.extent) + log10(thresholds.OUTSIDE.value)
            result["centre"] = max(log10(far) - near, 0.0) if far > 0.0 else 0.0
        elif self.extent > 0.0 and (far := hypot(*numbers.com)) > 0.0:
            result["centre"] = max(log10(far) - log10(2.0 * self.extent), 0.0)
        if self.neighbours and mass > 0.0:
            largest, least = (pick((*self.neighbours, self.typical_mass or mass)) for pick in (max, min))
            heavier = log10(mass) - log10(largest) - log10(thresholds.NEIGHBOURS.value)
            result["mass"] = max(heavier, 0.5 * (log10(least) - log10(mass) - 3.0), 0.0)
        return result

    def distance(self, numbers: Numbers, principal: Array) -> float:
        """The powers of ten between plausible numbers and typical ones."""
        mass, far = abs(numbers.mass), 0.0
        principal = np.abs(principal)
        largest = float(principal.max())
        if largest > 0.0:
            far -= 0.5 * log10(max(float(principal.min()) / largest, THINNEST))
        if mass > 0.0 and largest > 0.0 and self.extent > 0.0:
            far += abs(_decades_of_radius(largest, mass) - log10(self.extent) - log10(TYPICAL_RADIUS))
        if mass > 0.0 and self.volume:
            far += abs(log10(mass) - log10(self.volume) - log10(TYPICAL_DENSITY))
        elif mass > 0.0 and (beside := [*self.neighbours, *([self.typical_mass] if self.typical_mass else [])]):
            far += 0.5 * abs(log10(mass) - float(np.mean(np.log10(beside))))
        return far

    def unlikely(self, numbers: Numbers) -> float:
        """The sum of what is unlikely."""
        return sum(self.judged(numbers).values())


def _decades_of_radius(moment: float, mass: float) -> float:
    """The logarithm of the radius of gyration, m; the quotient of the moment by the mass may overflow."""
    return 0.5 * (log10(moment) - log10(mass))


def _neighbours(body: SubjectLink) -> tuple[float, ...]:
    """Masses of the link's parent and children, kg, which are finite and not zero.

    A trunk, which carries several limbs, holds and drives all of each: the masses of its children are those of limbs.
    """
    carrier = None if body.carried_by is None else body.carried_by.parent_body
    children = [joint.child_body for joint in body.carries if joint.child_body is not None]
    limbs = [joint for joint in body.carries if joint.kind != "fixed" and joint.child_body is not None]
    masses = [0.0 if carrier is None else abs(carrier.mass or 0.0)]
    masses += [child.limb_mass if len(limbs) > 1 else abs(child.mass or 0.0) for child in children]
    return tuple(mass for mass in masses if 0.0 < mass < np.inf)


def is_possible(moments: Array) -> bool:
    """Whether a rigid body, or a point mass, has these six numbers."""
    return _are_possible(np.linalg.eigvalsh(tensor_of(moments)))


def _are_possible(principal: Array) -> bool:
    a, b, c = principal
    return bool(a >= -thresholds.ROUNDED.value * c and c >= 0.0 and c - a - b <= thresholds.TRIANGLE.value * c)


def hypotheses(numbers: Numbers, beside: Surroundings) -> Iterator[Hypothesis]:
    """Single changes of the numbers, then of units of several at once."""
    yield from _units(numbers)
    yield from _single_moments(numbers)
    yield from _orders(numbers, beside)
    yield from _frames(numbers, beside)
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
    yield Hypothesis("mass and moments times 0.1", typo, PER_CHANGE + 3 * PER_DECADE)
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


def _unit(quantity: str, factor: float) -> str:
    factors = {
        ("moments", 1e-9): "g mm^2",
        ("moments", 1e-6): "kg mm^2",
        ("moments", 1e-3): "g m^2",
        ("moments", 1e-4): "kg cm^2",
        ("mass", 1e-3): "g",
        ("com", 1e-3): "mm",
        ("com", 1e-2): "cm",
    }.get((quantity, factor))
    return f" ({factors})" if factors else ""


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


def _orders(numbers: Numbers, beside: Surroundings) -> Iterator[Hypothesis]:
    for name, order in beside.orders.items():
        other = numbers.moments[list(order)]
        if not np.array_equal(other, numbers.moments):
            yield Hypothesis(f"numbers in the order {name}", numbers._replace(moments=other), PER_CHANGE)


def _frames(numbers: Numbers, beside: Surroundings) -> Iterator[Hypothesis]:
    """Moments about an origin in place of the centre of mass, or in the axes of another link."""
    A, m = beside.frame[:3, :3], numbers.mass
    c = A.T @ numbers.com
    tensor = tensor_of(numbers.moments)
    if numbers.com.any():
        about_origin = numbers._replace(moments=_six(tensor - _steiner(m, c)))
        yield Hypothesis("moments about the link's origin: moved to the centre of mass", about_origin, 2 * PER_CHANGE)
    for name, T in (("the base", beside.world), ("the parent link", beside.placement)):
        R = T[:3, :3]
        p_of_com, p_of_moments = R.T @ (numbers.com - T[:3, 3]), A.T @ R.T
        if not np.isfinite(T).all():
            continue
        if not np.array_equal(R, np.eye(3)):
            turned = p_of_moments @ A @ tensor @ A.T @ p_of_moments.T
            title = f"moments in the axes of {name}: turned into those of the link"
            yield Hypothesis(title, numbers._replace(moments=_six(turned)), 2 * PER_CHANGE)
        if T[:3, 3].any():
            moved = p_of_moments @ (A @ tensor @ A.T - _steiner(m, numbers.com)) @ p_of_moments.T
            title = f"centre and moments in the frame of {name}, about its origin: moved into that of the link"
            yield Hypothesis(title, Numbers(m, p_of_com, _six(moved)), PER_CHANGE)
            title = f"centre of mass in the frame of {name}: moved into that of the link"
            yield Hypothesis(title, numbers._replace(com=p_of_com), 2 * PER_CHANGE)


def _steiner(m: float, c: Array) -> Array:
    """Steiner's term m (c c 1 - c c^T), kg m^2, shape (3, 3)."""
    about: Array = m * (c @ c * np.eye(3) - np.outer(c, c))
    return about


def _six(tensor: Array) -> Array:
    """ixx ixy ixz iyy iyz izz of a tensor."""
    return np.array([tensor[0, 0], tensor[0, 1], tensor[0, 2], tensor[1, 1], tensor[1, 2], tensor[2, 2]])


def ranked(numbers: Numbers, beside: Surroundings) -> list[tuple[float, Hypothesis]]:
    """The hypotheses that explain something, the best first, with the remaining improbability of each and its cost."""
    now = sum(beside.judged(numbers).values())
    every = list(hypotheses(numbers, beside))
    xx, xy, xz, yy, yz, zz = np.array([one.numbers.moments for one in every]).T
    principal = np.linalg.eigvalsh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).transpose(2, 0, 1))
    result = []
    for one, of_one in zip(every, principal, strict=True):
        remaining = sum(beside.judged(one.numbers, of_one).values()) + one.cost
        if remaining < now - 1e-9:
            result.append((remaining + PER_DISTANCE * beside.distance(one.numbers, of_one), one))
    return sorted(result, key=lambda pair: pair[0])
