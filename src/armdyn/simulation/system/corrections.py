"""Projections of states onto constraints, traced: after each step of a compiled loop, and while some joints rest.

Joints that are held at rest keep their positions: the correction is the least one, in the metric of M, of the others.
In time steps the joints at rest are rows in addition to those of the constraints (`projected_at_rest`). Constraints
that follow from these are left out: the coordinates that they bind do not move.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from armdyn.algorithms.factors import factored_mass_matrix
from armdyn.constraints.equations import all_equations
from armdyn.constraints.projection import CLOSE, nearer, projected, within
from armdyn.declaration import function
from armdyn.model.constraints import rows_of
from armdyn.model.mechanism import Mechanism
from armdyn.program import less, less_equal, maximum, select
from armdyn.simulation.equations import SOURCES
from armdyn.simulation.system.bounded import FOLLOWS, solved_for_some
from armdyn.simulation.system.friction_rows import FrictionRows
from armdyn.simulation.system.state_parts import CORRECTED, CORRECTING, DRIFT, Correction
from armdyn.spatial.rotations import Array


def corrected(model: Any, at: dict[str, Any], correction: Correction) -> dict[str, Array]:
    """The parts of the state that a correction changes, by name: corrected if "correcting" is 1.

    Args:
        model: the traced arm, with constraints that are independent in the coordinates that move.
        at: the arguments of the rates by name; "held" is 1 for each coordinate that is held at rest, none by default.
        correction: of the state after each step.
    """
    if not correction:
        return {}
    q, qd, held = at["q"], at["qd"], at.get("held")
    moves = None if held is None else [1.0 - one for one in held]
    active = list(at["closed"]) if correction == "contacts" else None
    on_q = q if correction == "velocities" else nearest(model, q, moves, active)
    on, condition = {"q": on_q, "qd": within(model, on_q, qd, moves, active)}, at[CORRECTING]
    if correction == "positions":
        on[DRIFT] = largest_drift(model, q, qd, at[DRIFT])
    elif active is not None:
        condition = condition * reduce(maximum, active)
    elif held is not None:
        condition = condition * reduce(maximum, held)
    return {name: _select(condition, on[name], at[name]) for name in CORRECTED[correction]}


def nearest(model: Any, q: Array, moves: Any = None, active: Any = None) -> Array:
    """Positions on the constraints by two of Newton's steps, or three if phi is large; NaN if these do not suffice.

    A step from phi below `CLOSE` reaches rounding.
    """
    first = nearer(model, q, moves, active)
    second = nearer(model, first, moves, active)
    third = nearer(model, second, moves, active)
    far, farther = (
        sum(less(CLOSE, abs(one) if active is None else abs(one) * active[k]) for k, one in enumerate(phi))
        for phi in (all_equations(model, at).phi for at in (first, second))
    )
    return _select(far, third * np.sqrt(select(farther, -1.0, 1.0)), second)


def largest_drift(model: Any, q: Array, qd: Array, before: Array) -> Array:
    """The largest |phi| and |A qd|, of this state or before, (2,)."""
    phi, A, _ = all_equations(model, q)
    sizes = zip(before, (phi, A @ qd), strict=True)
    return np.array([reduce(maximum, [abs(one) for one in values], most) for most, values in sizes])


def _select(condition: Any, a: Array, b: Array) -> Array:
    return np.array([select(condition, one, other) for one, other in zip(a, b, strict=True)], dtype=object)


@function("(n),(n),(n),(constraints)?->(n),(n)", sources=SOURCES)
def put_on_constraints(model: Any, q: Any, qd: Any, held: Any, closed: Any = None) -> tuple[Array, Array]:
    """Positions and velocities on the constraints, or at closed contacts, near those given, shape (..., n) each.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        held: 1 for each coordinate that is held at rest, else 0, shape (..., n).
        closed: 1 for each contact that is closed, else 0, shape (..., constraints).
    """
    moves, active = [1.0 - one for one in held], None if closed is None else list(closed)
    on_q = nearest(model, q, moves, active)
    return on_q, within(model, on_q, qd, moves, active)


@function("(n),(n),(n)->(n)", sources=SOURCES)
def velocities_within(model: Any, q: Any, qd: Any, held: Any) -> Array:
    """Velocities that the constraints allow, near those given, rad/s or m/s, shape (..., n).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        held: 1 for each coordinate that is held at rest, else 0, shape (..., n).
    """
    return within(model, q, qd, [1.0 - one for one in held])


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


def standing(
    mechanism: Mechanism, rows: FrictionRows, rests: Array, before: Array, q: Array, qd: Array
) -> tuple[Array, Array]:
    """The state on the constraints whose joints at rest, 1 in ``rests``, stand as they did at the positions before."""
    holonomic = np.array([row.holonomic for row in rows_of(mechanism.model.constraints)], dtype=bool)
    matrix, rests = rows.matrix[: rows.of_links, : rows.n], rests[: rows.of_links]
    phi, A = np.zeros(0), np.zeros((0, rows.n))
    for _ in range(2):
        if len(holonomic):
            phi, A, _ = all_equations(mechanism, q)
        q = q - _least(mechanism, q, rows, rests, A[holonomic], phi, matrix @ (q - before))
    if len(holonomic):
        A = all_equations(mechanism, q).A
    qd = qd - _least(mechanism, q, rows, rests, A, A @ qd, matrix @ qd)
    return q, rows.resting(rests, qd, less_equal(abs(qd), 0.0))


def _least(
    mechanism: Mechanism, q: Array, rows: FrictionRows, rests: Array, A: Array, b: Array, of_rests: Any = None
) -> Array:
    """The x of the least x . M x with A x = b that moves resting joints by the values given, by default not at all."""
    factors, of_rests = factored_mass_matrix(mechanism, q), np.zeros(rows.of_links) if of_rests is None else of_rests
    Y = np.array([factors.inwards(row) for row in (*rows.matrix[: rows.of_links, : rows.n], *A)], dtype=object)
    weighted = np.array([factors.over_D(list(row)) for row in Y], dtype=object)
    S: Array = Y @ weighted.T
    counts = np.array([*rests, *np.ones(len(A))], dtype=object)
    x = solved_for_some(S, [FOLLOWS * one for one in np.diagonal(S)], counts, np.array([*of_rests, *b]))
    change: list[Any] = list(x @ weighted)
    return np.asarray(factors.outwards(change))
