"""The drive between the coordinates q and the links: couplings of joints, and the rotors of their motors.

The recursions know the links and a joint a body; q counts coordinates. With q_bodies = A q + b, and a the reflected
inertias of the rotors, which follow their own joints alone,

    qd_bodies = A qd,   J = J_bodies A,
    tau = A^T (tau_bodies + diag(a) qdd_bodies),   M = A^T (M_bodies + diag(a)) A.

So everything that a motor or a gear adds to the equations is added here, where results leave the bodies.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.errors import ShapeError
from armdyn.model.coupling import Coupling
from armdyn.spatial.rotations import Array

Terms = tuple[tuple[int, float], ...]
"""The coordinates that move a joint: (coordinate, factor), ..."""


@dataclass(frozen=True)
class Drive:
    """The map from coordinates to the joints of a mechanism's bodies: q_bodies = A q + b.

    Args:
        size: n, the number of coordinates.
        terms: for each body, what moves its joint.
        offsets: for each body, where its joint stands where q = 0.
        armature: for each body, the reflected inertia of its joint's rotor, kg m^2, or kg of a slide.
    """

    size: int
    terms: tuple[Terms, ...]
    offsets: tuple[float, ...]
    armature: tuple[Any, ...]

    @classmethod
    def of(cls, joints: Sequence[int], coupling: Coupling | None, armature: Sequence[Any]) -> Drive:
        """The drive of bodies whose joints have these numbers in the model."""
        rotors = tuple(armature)
        if coupling is None:
            return cls(len(joints), tuple(((k, 1.0),) for k in joints), (0.0,) * len(joints), rotors)
        if len(coupling.offset) != len(joints):
            raise ShapeError(f"the coupling has {len(coupling.offset)} rows; expected {len(joints)}, one a joint")
        rows = [coupling.matrix[k] for k in joints]
        terms = tuple(tuple((i, float(f)) for i, f in enumerate(row) if f != 0.0) for row in rows)
        return cls(coupling.matrix.shape[1], terms, tuple(float(coupling.offset[k]) for k in joints), rotors)

    @property
    def is_one_to_one(self) -> bool:
        """Whether every coordinate is the position of one joint."""
        return sorted(self.terms) == [((i, 1.0),) for i in range(self.size)] and not any(self.offsets)

    def rates(self, x: Array) -> Array:
        """A x, in the order of the bodies: joint velocities from qd, accelerations from qdd."""
        return np.array([_sum([_times(factor, x[i]) for i, factor in row]) for row in self.terms])

    def positions(self, q: Array) -> Array:
        """A q + b, in the order of the bodies."""
        return np.array([p + b if b else p for p, b in zip(self.rates(q), self.offsets, strict=True)])

    def forces(self, of_bodies: Sequence[Any], rotors_rates: Array | None = None) -> Array:
        """A^T (f + diag(a) x): the forces of the coordinates from those of the bodies' joints.

        Args:
            of_bodies: f, what the joints transmit to the links.
            rotors_rates: x, the accelerations of the joints where f are forces, their velocities where f are momenta;
                left out where f has nothing to do with inertia.
        """
        f = list(of_bodies)
        if rotors_rates is not None:
            f = [own + inertia * rate for own, inertia, rate in zip(f, self.armature, rotors_rates, strict=True)]
        return np.array([_sum(terms) for terms in self._gathered(dict(enumerate(f)))])

    def rotors_energy(self, rates: Array) -> Any:
        """The kinetic energy of the rotors, a qd_bodies^2 / 2 each."""
        return sum(0.5 * inertia * rate**2 for inertia, rate in zip(self.armature, rates, strict=True))

    def columns(self, of_bodies: Mapping[int, Array], rows: int = 6) -> Array:
        """J A: the columns of a Jacobian by coordinate, from those by body; bodies left out do not count."""
        J = np.zeros((rows, self.size), dtype=object)
        for i, terms in enumerate(self._gathered(of_bodies)):
            if terms:
                J[:, i] = _sum(terms)
        return J

    def mass_matrix(self, of_bodies: Sequence[Mapping[int, Any]]) -> list[dict[int, Any]]:
        """A^T (M + diag(a)) A by columns, as `matrix` has them."""
        rotors = enumerate(zip(of_bodies, self.armature, strict=True))
        return self.matrix([{**column, k: column[k] + inertia} for k, (column, inertia) in rotors])

    def with_rotors(self, of_bodies: Mapping[tuple[int, ...], Any]) -> dict[tuple[int, ...], Any]:
        """M + diag(a) by row and column, for `tensor`."""
        return {**of_bodies, **{(k, k): of_bodies[k, k] + inertia for k, inertia in enumerate(self.armature)}}

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

    def filled(self, columns: Sequence[Mapping[int, Any]]) -> Array:
        """The symmetric matrix, in the order of q, of which `matrix` gives the columns."""
        filled, order = np.zeros((self.size, self.size), dtype=object), self.order
        for k, column in zip(order, columns, strict=True):
            for j, entry in column.items():
                filled[order[j], k] = filled[k, order[j]] = entry
        return filled

    def tensor(self, of_bodies: Mapping[tuple[int, ...], Any], rank: int) -> Array:
        """T_ab... = sum A_ja A_kb ... T_jk...: a matrix (rank 2) or more, from those entries by body that exist."""
        terms: dict[tuple[int, ...], list[Any]] = {}
        for index, entry in of_bodies.items():
            for moved in itertools.product(*(self.terms[k] for k in index)):
                place = tuple(i for i, _ in moved)
                terms.setdefault(place, []).append(_times(math.prod(f for _, f in moved), entry))
        T = np.zeros((self.size,) * rank, dtype=object)
        for place, summands in terms.items():
            T[place] = _sum(summands)
        return T

    def _pairs(self, j: int, k: int) -> Iterator[tuple[int, int, float]]:
        """The coordinates a, b and the factor of each entry to which M_jk, and M_kj if j is not k, contribute."""
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
