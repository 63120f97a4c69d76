"""Projection of states onto constraints while some joints rest, traced: these keep their positions.

As `armdyn.constraints.projection`, in the metric of M, with the rows of the joints at rest in addition to those of the
constraints. Constraints that follow from these are left out: the coordinates that they bind do not move.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from armdyn.algorithms.factors import factored_mass_matrix
from armdyn.constraints.equations import all_equations
from armdyn.constraints.projection import projected
from armdyn.model.constraints import rows_of
from armdyn.model.mechanism import Mechanism
from armdyn.program import less_equal, select
from armdyn.simulation.system.bounded import FOLLOWS, solved_for_some
from armdyn.simulation.system.friction_rows import FrictionRows
from armdyn.spatial.rotations import Array


def projected_at_rest(mechanism: Mechanism, rows: FrictionRows, q: Array, qd: Array) -> tuple[Array, Array]:
    """Positions two Newton steps nearer to the constraints, and velocities that keep them; joints at rest stay so."""
    plain = projected(mechanism, q, qd)
    if not rows.of_links:
        return plain
    rests = 1.0 - abs(rows.directions(np.concatenate([qd, np.ones(rows.matrix.shape[1] - rows.n)])))[: rows.of_links]
    holonomic = np.array([row.holonomic for row in rows_of(mechanism.model.constraints)])
    nearer = q
    for _ in range(2):
        phi, A, _ = all_equations(mechanism, nearer)
        nearer = nearer - _least(mechanism, nearer, rows, rests, A[holonomic], phi) if len(phi) else nearer
    A = all_equations(mechanism, nearer).A
    within = rows.resting(rests, qd - _least(mechanism, nearer, rows, rests, A, A @ qd), less_equal(abs(qd), 0.0))
    # a compiled loop leaves this out if no joint rests
    return select(sum(rests), nearer, plain[0]), select(sum(rests), within, plain[1])


def _least(mechanism: Mechanism, q: Array, rows: FrictionRows, rests: Array, A: Array, b: Array) -> Array:
    """The x of the least x . M x with A x = b that does not move resting joints."""
    factors = factored_mass_matrix(mechanism, q)
    Y = np.array([factors.inwards(row) for row in (*rows.matrix[: rows.of_links, : rows.n], *A)], dtype=object)
    weighted = np.array([factors.over_D(list(row)) for row in Y], dtype=object)
    S: Array = Y @ weighted.T
    counts = np.array([*rests, *np.ones(len(A))], dtype=object)
    x = solved_for_some(S, [FOLLOWS * one for one in np.diagonal(S)], counts, np.array([*np.zeros(rows.of_links), *b]))
    found: list[Any] = list(x @ weighted)
    return np.asarray(factors.outwards(found))
