"""Corrections of the steps of a compiled loop: the state is put onto its constraints at the end of each step, traced.

Joints that are held at rest do not move: the correction is the least one, in the metric of M, of the others.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from armdyn.constraints.equations import all_equations
from armdyn.constraints.projection import CLOSE, nearer, within
from armdyn.declaration import function
from armdyn.program import less, maximum, select
from armdyn.simulation.equations import SOURCES
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
