"""The solution of M x = b + r with some of x prescribed; r is the reaction of the prescribed ones.

Elimination goes from the tips inwards, like that of `armdyn.algorithms.factors`. The choice of the prescribed
coordinates may be traced numbers, 0 or 1: a prescribed coordinate is one of infinite inertia, whose 1/D is zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from armdyn.algorithms.articulated_bodies import require_joint_inertia
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array


class Prescribed(NamedTuple):
    """The solution, in the order of q.

    Args:
        x: accelerations, or changes of velocities; equal to the prescribed values if prescribed.
        reactions: r, forces, or impulses, at the coordinates that are prescribed; it has no meaning at the others.
    """

    x: Array
    reactions: Array


def solved_with_prescribed(
    mechanism: Mechanism,
    columns: Sequence[Mapping[int, Any]],
    moves: Sequence[Any] | Array,
    b: Sequence[Any] | Array,
    given: Sequence[Any] | Array,
) -> Prescribed:
    """Solve M x = b + r for the coordinates that are not prescribed, and for the reactions r.

    Args:
        mechanism: whose drive has the order of the coordinates.
        columns: M, as `armdyn.model.drive.Drive.mass_matrix` gives it.
        moves: 1 for each coordinate that is not prescribed, 0 for one that is; in the order of q, like all that
            follows.
        b: forces, or impulses.
        given: the prescribed x, and 0 where x is not prescribed.

    Raises:
        ModelError: a joint moves no inertia, so that M has no inverse.
    """
    order = mechanism.drive.order
    M = [dict(column) for column in columns]
    y, known = [b[i] for i in order], [given[i] for i in order]
    reciprocal: list[Any] = [0.0] * len(M)
    alone: list[Any] = [0.0] * len(M)  # x if nothing further inwards moves
    for k in reversed(range(len(M))):
        require_joint_inertia(mechanism, mechanism.model.coordinates[order[k]].name, M[k][k])
        reciprocal[k] = moves[order[k]] / M[k][k]
        alone[k] = reciprocal[k] * y[k] + known[k]
        carriers = sorted((j for j in M[k] if j != k), reverse=True)  # inwards
        for place, i in enumerate(carriers):
            y[i] = y[i] - M[k][i] * alone[k]
            factor = M[k][i] * reciprocal[k]
            for j in carriers[place:]:
                M[i][j] = M[i].get(j, 0.0) - factor * M[k][j]
    x: list[Any] = [0.0] * len(M)
    reactions: list[Any] = [0.0] * len(M)
    for k, row in enumerate(M):  # outwards
        carried = sum(row[i] * x[i] for i in row if i != k)
        x[k] = alone[k] - reciprocal[k] * carried
        reactions[k] = row[k] * known[k] + carried - y[k]
    return Prescribed(_in_order_of_q(order, x), _in_order_of_q(order, reactions))


def _in_order_of_q(order: Sequence[int], values: Sequence[Any]) -> Array:
    result = np.zeros(len(values), dtype=object)
    result[list(order)] = values
    return result
