"""The factorisation M = L^T D L from the tips inwards, and its solutions (Featherstone 2008, 6.5).

Eliminating from the tips inwards fills in no zero: L is as sparse as M, which is zero for joints on different branches.
Couplings between joints may bring some in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from armdyn.algorithms.articulated_bodies import require_joint_inertia
from armdyn.algorithms.mass_matrix import columns
from armdyn.base.scalars import Scalar
from armdyn.model.drive import Drive
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array


class Factors(NamedTuple):
    """M = L^T D L in the ``order`` of the drive; ``L[k]`` holds the entries of row k left of its diagonal of ones.

    Args:
        order: the coordinates.
        L: rows of L.
        reciprocal: 1/D, zero for a coordinate that is held at rest.
        rows: of D L, left of the diagonal; a held coordinate has its entries of M here.
    """

    order: list[int]
    L: list[dict[int, Scalar]]
    reciprocal: list[Scalar]
    rows: list[dict[int, Scalar]]

    def inwards(self, b: Sequence[Scalar] | Array) -> list[Scalar]:
        """L^-T b, from the tips inwards; b in the order of q, the result in that of the drive."""
        x = [b[i] for i in self.order]
        for k in reversed(range(len(x))):
            for i, factor in self.L[k].items():
                x[i] = x[i] - factor * x[k]
        return x

    def over_D(self, x: list[Scalar]) -> list[Scalar]:
        """D^-1 x."""
        return [one * reciprocal for one, reciprocal in zip(x, self.reciprocal, strict=True)]

    def outwards(self, x: list[Scalar]) -> Array:
        """L^-1 x, from the base outwards; the result in the order of q."""
        x = list(x)
        for k in range(len(x)):
            for i, factor in self.L[k].items():
                x[k] = x[k] - factor * x[i]
        return self._in_order_of_q(x)

    def _in_order_of_q(self, x: list[Scalar]) -> Array:
        result = np.zeros(len(x), dtype=object)
        result[self.order] = x
        return result

    def solve(self, b: Array) -> Array:
        """M^-1 b, of a vector or of each column of a matrix."""
        if b.ndim == 2:
            return np.column_stack([self.solve(column) for column in b.T])
        return self.outwards(self.over_D(self.inwards(b)))

    def with_reactions(self, b: Array) -> tuple[Array, Array]:
        """x and r with M x = b + r: x is zero for held coordinates, and r are the forces that hold these.

        r has no meaning at the others. It costs fewer operations than `solve` and M x - b.
        """
        y, alone = [b[i] for i in self.order], [0.0] * len(self.order)  # alone: x if nothing further inwards moves
        for k in reversed(range(len(y))):
            alone[k] = self.reciprocal[k] * y[k]
            for i, entry in self.rows[k].items():
                y[i] = y[i] - entry * alone[k]
        x, reactions = [0.0] * len(y), [0.0] * len(y)
        for k, row in enumerate(self.rows):  # outwards
            carried = sum(entry * x[i] for i, entry in row.items())
            x[k] = alone[k] - self.reciprocal[k] * carried
            reactions[k] = carried - y[k]
        return self._in_order_of_q(x), self._in_order_of_q(reactions)

    def inverse(self) -> Array:
        """M^-1, half of it computed, because it is symmetric."""
        inverse = np.zeros((len(self.order), len(self.order)), dtype=object)
        for k, unit in enumerate(np.eye(len(self.order))):
            column = self.solve(unit)
            inner = [j for j in self.order if self.order.index(j) <= self.order.index(k)]
            for j in inner:  # the other triangle would need the further elements of every column
                inverse[j, k] = inverse[k, j] = column[j]
        return inverse


def factored_mass_matrix(mechanism: Mechanism, q: Array) -> Factors:
    """The factors of M(q).

    Raises:
        ModelError: a joint moves no inertia, so that M has no inverse.
    """
    return factored(mechanism, mechanism.drive, links_mass(mechanism, q))


def links_mass(mechanism: Mechanism, q: Array) -> list[dict[int, Scalar]]:
    """The mass matrix of the links without rotors, by columns of the bodies."""
    return columns(mechanism, mechanism.drive.positions(q))


def factored(
    mechanism: Mechanism, drive: Drive, links: list[dict[int, Scalar]], moves: Sequence[Scalar] | Array | None = None
) -> Factors:
    """The factors of the mass matrix that ``links`` have with the rotors of a drive.

    A coordinate that is held at rest is one of infinite inertia: 1/D is zero there, and a solution by the factors
    is the motion of the others, and exactly zero of that one.

    Args:
        mechanism: for messages.
        drive: with the rotors.
        links: the mass matrix of the links.
        moves: 1 for each coordinate that moves, 0 for one that is held; all move if left out.

    Raises:
        ModelError: a joint moves no inertia, so that M has no inverse.
    """
    order = drive.order
    M = [dict(column) for column in drive.mass_matrix(links)]
    reciprocal: list[Scalar] = [0.0] * len(M)
    L: list[dict[int, Scalar]] = [{} for _ in M]
    for k in reversed(range(len(M))):
        require_joint_inertia(mechanism, mechanism.model.coordinates[order[k]].name, M[k][k])
        reciprocal[k] = 1.0 / M[k][k] if moves is None else moves[order[k]] / M[k][k]
        carriers = sorted((j for j in M[k] if j != k), reverse=True)  # inwards
        for place, i in enumerate(carriers):
            L[k][i] = M[k][i] * reciprocal[k]
            for j in carriers[place:]:
                M[i][j] = M[i].get(j, 0.0) - L[k][i] * M[k][j]
    rows = [{i: row[i] for i in lower} for row, lower in zip(M, L, strict=True)]
    return Factors(order, L, reciprocal, rows)
