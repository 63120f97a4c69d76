"""The drive between the coordinates q and the links: couplings of joints, and the rotors of their motors.

The recursions run over the links, with one joint per body; q holds coordinates. With q_bodies = A q + b, and a the
reflected inertias of the rotors, which follow their own joints alone,

    qd_bodies = A qd,   J = J_bodies A,
    tau = A^T (tau_bodies + diag(a) qdd_bodies),   M = A^T (M_bodies + diag(a)) A.

A spring in parallel with the drive of a joint takes a force s(q_bodies), which is part of the force that the drive
transmits: it is added to tau_bodies. The friction of a joint is damping qd + friction sign(qd) and the laws of its
actuator, which may depend on the load, the force tau_bodies that its drive transmits: it is added to tau_bodies too.

So all terms of motors and gears in the equations are added here, after the recursion over the bodies.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armdyn.base.errors import ShapeError
from armdyn.base.exact import Exact, is_zero, rounded
from armdyn.base.scalars import Scalar
from armdyn.model.coupling import Coupling
from armdyn.model.friction import FrictionLaw, Slopes
from armdyn.model.parallel_spring import ParallelSpring
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.model.joint import Joint

Terms = tuple[tuple[int, float], ...]
"""The coordinates that move a joint: (coordinate, factor), ..."""

Entries = dict[tuple[int, ...], Scalar]
"""Entries of a matrix by row and column body; missing ones are zero."""

OF_JOINT = ("armature", "damping", "friction")
"""The numbers that a joint adds to the equations; `armdyn.model.parameters` may make any of them an input."""


@dataclass(frozen=True)
class Drive:
    """The map from coordinates to the joints of a mechanism's bodies: q_bodies = A q + b.

    Args:
        size: n, the number of coordinates.
        terms: for each body, the coordinates that move its joint, with factors.
        offsets: for each body, the position of its joint at q = 0.
        armature: for each body, the reflected inertia of its joint's rotor, kg m^2, or kg for a slide.
        damping: for each body, the viscous friction of its joint, N m s/rad or N s/m.
        friction: for each body, the Coulomb friction of its joint, N m or N.
        laws: for each body, the other friction laws of its joint.
        springs: for each body, the springs in parallel with the drive of its joint.
    """

    size: int
    terms: tuple[Terms, ...]
    offsets: tuple[float, ...]
    armature: tuple[Scalar, ...]
    damping: tuple[Scalar, ...]
    friction: tuple[Scalar, ...]
    laws: tuple[tuple[FrictionLaw, ...], ...]
    springs: tuple[tuple[ParallelSpring, ...], ...]

    @classmethod
    def of(cls, joints: Sequence[int], coupling: Coupling | None, all_joints: Sequence[Joint]) -> Drive:
        """The drive of links whose joints have these numbers among all joints of the model."""
        own = [all_joints[k] for k in joints]
        numbers: dict[str, Scalar] = {name: tuple(Exact(getattr(j, name)) for j in own) for name in OF_JOINT}
        numbers |= {"laws": tuple(j.laws for j in own), "springs": tuple(j.parallel_springs for j in own)}
        if coupling is None:
            return cls(len(joints), tuple(((k, 1.0),) for k in joints), (0.0,) * len(joints), **numbers)
        if len(coupling.offset) != len(joints):
            raise ShapeError(f"the coupling has {len(coupling.offset)} rows; expected {len(joints)}, one a joint")
        rows = [coupling.matrix[k] for k in joints]
        terms = tuple(tuple((i, float(f)) for i, f in enumerate(row) if f != 0.0) for row in rows)
        offsets = tuple(float(coupling.offset[k]) for k in joints)
        return cls(coupling.matrix.shape[1], terms, offsets, **numbers)

    def with_rotors_of(self, rotors: Sequence[tuple[int, float]]) -> Drive:
        """The drive of these bodies and of rotors after them: each by the body whose joint it turns with, and G."""
        if not rotors:
            return self
        none = (Exact(0),) * len(rotors)
        of_rotors = [tuple((i, factor * ratio) for i, factor in self.terms[k]) for k, ratio in rotors]
        numbers: dict[str, Scalar] = {name: (*getattr(self, name), *none) for name in OF_JOINT}
        numbers |= {name: (*getattr(self, name), *(() for _ in rotors)) for name in ("laws", "springs")}
        offsets = (*self.offsets, *(0.0 for _ in rotors))
        return dataclasses.replace(self, terms=(*self.terms, *of_rotors), offsets=offsets, **numbers)

    @property
    def rounded(self) -> Drive:
        """The drive with every number in float64; traced scalars stay."""
        numbers: dict[str, Scalar] = {name: tuple(map(rounded, getattr(self, name))) for name in OF_JOINT}
        return dataclasses.replace(self, **numbers)

    @property
    def without_friction(self) -> Drive:
        """The drive without friction."""
        none = (Exact(0),) * len(self.terms)
        return dataclasses.replace(self, damping=none, friction=none, laws=((),) * len(self.terms))

    @property
    def without_springs(self) -> Drive:
        """The drive without springs in parallel with it."""
        return dataclasses.replace(self, springs=((),) * len(self.terms))

    @property
    def has_friction(self) -> bool:
        """True if any joint has friction."""
        return any(self.laws) or not all(map(is_zero, (*self.damping, *self.friction)))

    @property
    def depends_on_load(self) -> bool:
        """True if the friction of some joint depends on the force it transmits."""
        return any(law.depends_on_load for laws in self.laws for law in laws)

    @property
    def is_one_to_one(self) -> bool:
        """True if every coordinate is the position of one joint."""
        return sorted(self.terms) == [((i, 1.0),) for i in range(self.size)] and not any(self.offsets)

    def rates(self, x: Array) -> Array:
        """A x, in the order of the bodies: joint velocities from qd, accelerations from qdd."""
        return np.array([_sum([_times(factor, x[i]) for i, factor in row]) for row in self.terms])

    def positions(self, q: Array) -> Array:
        """A q + b, in the order of the bodies."""
        return np.array([p + b if b else p for p, b in zip(self.rates(q), self.offsets, strict=True)])

    def forces(
        self, of_bodies: Sequence[Scalar], rotors_rates: Array | None = None, rubbing_at: Array | None = None
    ) -> Array:
        """A^T (f + diag(a) x + friction): the forces of the coordinates from those of the bodies' joints.

        Args:
            of_bodies: f, forces that the joints transmit to the links.
            rotors_rates: x, the accelerations of the joints if f are forces, their velocities if f are momenta; left
                out if f is independent of inertia.
            rubbing_at: the velocities of the joints, if their friction is part of the forces.
        """
        f = list(of_bodies)
        friction = [0.0] * len(f) if rubbing_at is None else self.friction_forces(rubbing_at, f)
        if rotors_rates is not None:
            f = [own + inertia * rate for own, inertia, rate in zip(f, self.armature, rotors_rates, strict=True)]
        f = [own + of_joint for own, of_joint in zip(f, friction, strict=True)]
        return np.array([_sum(terms) for terms in self._gather(dict(enumerate(f)))])

    def with_springs(self, of_bodies: Sequence[Scalar], positions: Array) -> list[Scalar]:
        """f + s(q): forces that the drives transmit, by body, from those that the links take.

        Args:
            of_bodies: f, forces that the joints transmit to the links.
            positions: of the joints, by body.
        """
        return [
            sum((spring.force(position) for spring in springs), start=force)
            for force, springs, position in zip(of_bodies, self.springs, positions, strict=True)
        ]

    def springs_energy(self, positions: Array) -> Scalar:
        """The energy of the springs in parallel with the drives, of joint positions by body."""
        of_joints = zip(self.springs, positions, strict=True)
        return sum((spring.energy(position) for springs, position in of_joints for spring in springs), start=0.0)

    def with_stiffness(self, d_q: Entries, positions: Array) -> Entries:
        """The derivatives by q of the drives' forces, by row and column, from those of the forces on the links."""
        by_position = dict(d_q)
        for k, (springs, position) in enumerate(zip(self.springs, positions, strict=True)):
            for spring in springs:
                by_position[k, k] = by_position[k, k] + spring.slope(position)
        return by_position

    def friction_forces(self, rates: Array, loads: Sequence[Scalar]) -> list[Scalar]:
        """The friction in every joint, by body: damping qd + friction sign(qd) + laws; 0 at rest."""
        return [
            damping * rate + friction * sign(rate) + sum(law.force(rate, load) for law in laws)
            for damping, friction, laws, rate, load in zip(
                self.damping, self.friction, self.laws, rates, loads, strict=True
            )
        ]

    def rotors_energy(self, rates: Array) -> Scalar:
        """The kinetic energy of the rotors, a qd_bodies^2 / 2 each."""
        return sum(0.5 * inertia * rate**2 for inertia, rate in zip(self.armature, rates, strict=True))

    def columns(self, of_bodies: Mapping[int, Array], rows: int = 6) -> Array:
        """J A: the columns of a Jacobian by coordinate, from those by body; bodies left out do not count."""
        J = np.zeros((rows, self.size), dtype=object)
        for i, terms in enumerate(self._gather(of_bodies)):
            if terms:
                J[:, i] = _sum(terms)
        return J

    def mass_matrix(self, of_bodies: Sequence[Mapping[int, Scalar]]) -> list[dict[int, Scalar]]:
        """A^T (M + diag(a)) A by columns, as `matrix` has them."""
        rotors = enumerate(zip(of_bodies, self.armature, strict=True))
        return self.matrix([{**column, k: column[k] + inertia} for k, (column, inertia) in rotors])

    def with_rotors(self, of_bodies: Entries) -> Entries:
        """M + diag(a) by row and column, for `tensor`."""
        return {**of_bodies, **{(k, k): of_bodies[k, k] + inertia for k, inertia in enumerate(self.armature)}}

    def matrix(self, of_bodies: Sequence[Mapping[int, Scalar]]) -> list[dict[int, Scalar]]:
        """A^T M A by columns. ``of_bodies[k]`` holds M_jk for j <= k; so does the result, in `order` of coordinates."""
        place = {i: k for k, i in enumerate(self.order)}
        terms: list[dict[int, list[Scalar]]] = [{} for _ in range(self.size)]
        for k, column in enumerate(of_bodies):
            for j, entry in column.items():
                for a, b, factor in self._pairs(j, k):
                    low, high = sorted((place[a], place[b]))
                    terms[high].setdefault(low, []).append(_times(factor, entry))
        return [{low: _sum(column[low]) for low in sorted(column, reverse=True)} for column in terms]

    def filled(self, columns: Sequence[Mapping[int, Scalar]]) -> Array:
        """The symmetric matrix, in the order of q, of which `matrix` gives the columns."""
        filled, order = np.zeros((self.size, self.size), dtype=object), self.order
        for k, column in zip(order, columns, strict=True):
            for j, entry in column.items():
                filled[order[j], k] = filled[k, order[j]] = entry
        return filled

    def with_friction(
        self, d_q: Entries, d_qd: Entries, d_qdd: Entries, rates: Array, loads: Sequence[Scalar]
    ) -> tuple[Entries, Entries, Entries]:
        """The derivatives of the joint forces by row and column, from those of the loads, for `tensor`.

        With tau = load + a qdd + friction(qd, load): d tau = (1 + dfriction/dload) d load + a + dfriction/dqd.
        """
        slopes = self._slopes(rates, loads)

        def scaled(matrix: Entries) -> Entries:
            return {(j, k): entry * (1.0 + slopes[j].by_load) for (j, k), entry in matrix.items()}

        by_rate = scaled(d_qd)
        for k, slope in enumerate(slopes):
            by_rate[k, k] = by_rate.get((k, k), 0.0) + slope.by_rate
        return scaled(d_q), by_rate, self.with_rotors(scaled(d_qdd))

    def _slopes(self, rates: Array, loads: Sequence[Scalar]) -> list[Slopes]:
        """The derivatives of the friction of every joint; those of Coulomb's friction are 0."""
        of_joints = zip(self.damping, self.laws, rates, loads, strict=True)
        return [
            Slopes(*map(sum, zip((damping, 0.0), *(law.slopes(rate, load) for law in laws), strict=True)))
            for damping, laws, rate, load in of_joints
        ]

    def tensor(self, of_bodies: Mapping[tuple[int, ...], Scalar], rank: int) -> Array:
        """T_ab... = sum A_ja A_kb ... T_jk...: a matrix (rank 2) or more, from those entries by body that exist."""
        terms: dict[tuple[int, ...], list[Scalar]] = {}
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

    def _gather(self, of_bodies: Mapping[int, Scalar]) -> list[list[Scalar]]:
        gathered: list[list[Scalar]] = [[] for _ in range(self.size)]
        for k, value in of_bodies.items():
            for i, factor in self.terms[k]:
                gathered[i].append(_times(factor, value))
        return gathered


def sign(x: Scalar) -> Scalar:
    """-1, 0 or 1, the sign of a number or a traced scalar; NaN for NaN."""
    return x.sign() if hasattr(x, "sign") else np.sign(x)


def _times(factor: float, value: Scalar) -> Scalar:
    return value if factor == 1.0 else value * factor


def _sum(terms: Sequence[Scalar]) -> Scalar:
    return sum(terms[1:], start=terms[0]) if terms else 0.0
