"""Joints that move together: the joint positions as an exact linear map of the coordinates q.

A robot without couplings has a coordinate for each joint. A joint that mimics another, a belt, a gear train or a
differential leaves fewer or other coordinates: joint k stands at sum_i A_ki q_i + b_k. The map stands in front of every
algorithm: positions, velocities and accelerations of the joints come out of it, joint forces go back through A^T, so
that the power is the same on both sides, qd . tau.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from armdyn.model.frozen import frozen_array
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.model.model import Limits


@dataclass(frozen=True)
class Coordinate:
    """One entry of q that is not simply the position of one joint; rad or m, and what goes with them.

    Args:
        name: of the coordinate: that of the joint the others follow, or one of its own.
        kind: "revolute" (rad) or "prismatic" (m).
        limits: what the limits of the joints it alone moves leave of it.
        damping: viscous friction of those joints as this coordinate feels it.
        friction: their Coulomb friction likewise.
    """

    name: str
    kind: Literal["revolute", "prismatic"]
    limits: Limits
    damping: float = 0.0
    friction: float = 0.0


@dataclass(frozen=True, eq=False)
class Coupling:
    """The linear map from coordinates to joint positions: q_joints = matrix q + offset.

    Args:
        coordinates: what q counts, in its order.
        matrix: A, a row for each joint of the model, a column for each coordinate, shape (joints, n).
        offset: b, joint positions where q = 0, rad or m, shape (joints,).
    """

    coordinates: tuple[Coordinate, ...]
    matrix: Array = field(repr=False)
    offset: Array = field(repr=False)

    def __post_init__(self) -> None:
        joints = len(self.offset)
        object.__setattr__(self, "matrix", frozen_array(self.matrix, (joints, len(self.coordinates)), "coupling"))
        object.__setattr__(self, "offset", frozen_array(self.offset, (joints,), "coupling offset"))


Terms = tuple[tuple[int, float], ...]
"""What moves a joint: (coordinate, factor), ..."""


@dataclass(frozen=True)
class Drive:
    """The same map in the order of a mechanism's bodies, and what it makes of the algorithms' results.

    Args:
        size: n, the number of coordinates.
        terms: for each body, what moves its joint.
        offsets: for each body, where its joint stands where q = 0.
    """

    size: int
    terms: tuple[Terms, ...]
    offsets: tuple[float, ...]

    @classmethod
    def of(cls, joints: Sequence[int], coupling: Coupling | None) -> Drive:
        """The drive of bodies whose joints have these numbers in the model."""
        if coupling is None:
            return cls(len(joints), tuple(((k, 1.0),) for k in joints), (0.0,) * len(joints))
        rows = [coupling.matrix[k] for k in joints]
        terms = tuple(tuple((i, float(f)) for i, f in enumerate(row) if f != 0.0) for row in rows)
        return cls(coupling.matrix.shape[1], terms, tuple(float(coupling.offset[k]) for k in joints))

    def rates(self, x: Array) -> Array:
        """A x, in the order of the bodies: joint velocities from qd, accelerations from qdd."""
        return np.array([_sum([_times(factor, x[i]) for i, factor in row]) for row in self.terms])

    def positions(self, q: Array) -> Array:
        """A q + b, in the order of the bodies."""
        return np.array([p + b if b else p for p, b in zip(self.rates(q), self.offsets, strict=True)])

    def forces(self, of_bodies: Sequence[Any]) -> Array:
        """A^T f: the forces of the coordinates from those of the bodies' joints."""
        return np.array([_sum(terms) for terms in self._gathered(dict(enumerate(of_bodies)))])

    def columns(self, of_bodies: Mapping[int, Array], rows: int = 6) -> Array:
        """J A: the columns of a Jacobian by coordinate, from those by body; bodies left out do not count."""
        J = np.zeros((rows, self.size), dtype=object)
        for i, terms in enumerate(self._gathered(of_bodies)):
            if terms:
                J[:, i] = _sum(terms)
        return J

    def matrix(self, of_bodies: Sequence[Mapping[int, Any]]) -> list[dict[int, Any]]:
        """A^T M A by columns. ``of_bodies[k]`` holds M_jk for j <= k; so does the result, in `order` of coordinates."""
        place = {i: k for k, i in enumerate(self.order)}
        terms: list[dict[int, list[Any]]] = [{} for _ in range(self.size)]
        for k, column in enumerate(of_bodies):
            for j, entry in column.items():
                for a, b, factor in self._pairs(j, k):
                    low, high = sorted((place[a], place[b]))
                    terms[high].setdefault(low, []).append(_times(factor, entry))
        return [{low: _sum(column[low]) for low in sorted(column, reverse=True)} for column in terms]

    def _pairs(self, j: int, k: int) -> Iterator[tuple[int, int, float]]:
        """Where M_jk goes, with M_kj where they are two: the coordinates a, b and the factor of each entry."""
        for x, (a, f) in enumerate(self.terms[j]):
            for b, g in self.terms[k][x:] if j == k else self.terms[k]:
                yield a, b, f * g * (2.0 if a == b and j != k else 1.0)

    @property
    def order(self) -> list[int]:
        """The coordinates in the order of the bodies they move first, so that factors keep the zeros of a tree."""
        met = dict.fromkeys(i for row in self.terms for i, _ in row)
        return [*met, *(i for i in range(self.size) if i not in met)]

    def _gathered(self, of_bodies: Mapping[int, Any]) -> list[list[Any]]:
        gathered: list[list[Any]] = [[] for _ in range(self.size)]
        for k, value in of_bodies.items():
            for i, factor in self.terms[k]:
                gathered[i].append(_times(factor, value))
        return gathered


def _times(factor: float, value: Any) -> Any:
    return value if factor == 1.0 else value * factor


def _sum(terms: Sequence[Any]) -> Any:
    return sum(terms[1:], start=terms[0]) if terms else 0.0
