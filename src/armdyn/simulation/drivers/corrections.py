"""Corrections of the steps of a compiled loop: the state is put onto its constraints at the end of each step, traced.

Joints that are held at rest do not move: the correction is the least one, in the metric of M, of the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Any, Literal

import numpy as np

from armdyn.constraints.equations import all_equations
from armdyn.constraints.projection import CLOSE, nearer, within
from armdyn.declaration import Argument, Shape, function
from armdyn.program import less, maximum, select
from armdyn.simulation.equations import SOURCES
from armdyn.spatial.rotations import Array

Correction = Literal["", "velocities", "positions", "contacts"]
"""The correction: none, of velocities, of positions and velocities, or of both at closed contacts."""

DRIFT = "drift"
"""The name of the largest |phi| and |A qd| met after a step, a part of the state of a loop without a rate."""

CORRECTING = "correcting"
"""The name of the argument that is 1 if the state is to be corrected."""

_BOTH = {"q": "on_q", "qd": "on_qd"}

RESULTS = {"": {}, "velocities": {"qd": "on_qd"}, "positions": _BOTH | {DRIFT: "on_drift"}, "contacts": _BOTH}
"""The name of the corrected value of each part of the state."""


def arguments(correction: Correction, *, along: bool = False) -> tuple[Argument, ...]:
    """The arguments of rates whose state is corrected, or follows the path of a step: is ``along`` it."""
    drift = (Argument(DRIFT, (2,)),) if correction == "positions" else ()
    return (*drift, Argument(CORRECTING, ())) if correction or along else ()


def shapes(correction: Correction) -> tuple[Shape, ...]:
    """The shapes of the corrected values."""
    sizes: dict[str, Shape] = {"q": ("n",), "qd": ("n",), DRIFT: (2,)}
    return tuple(sizes[name] for name in RESULTS[correction])


def state(rates: Mapping[str, str], correction: Correction, along: Iterable[str] = ()) -> dict[str, str | None]:
    """The parts of the state of a loop, with the names of their rates; those along a path have none."""
    drift = {DRIFT: None} if correction == "positions" else {}
    return {**rates, **dict.fromkeys(along), **drift}


def options(correction: Correction, along: Iterable[str] = ()) -> dict[str, Any]:
    """The arguments of `armdyn.functions.integrations.CompiledIntegration` for a state that is corrected."""
    on = {**RESULTS[correction], **{name: f"on_{name}" for name in along}}
    return {"corrections": on, "correcting": CORRECTING} if on else {}


def with_correction(
    model: Any, at: dict[str, Any], correction: Correction, held: Any = None
) -> tuple[dict[str, Any], tuple[Array, ...]]:
    """The state of a loop, corrected if "correcting" is 1, and its corrected values in the order of `RESULTS`.

    Args:
        model: the traced arm, with constraints that are independent in the coordinates that move.
        at: the arguments of the rates by name.
        correction: of positions, of velocities alone, or none.
        held: 1 for each coordinate that is held at rest, else 0; none is by default.
    """
    if not correction:
        return at, ()
    q, qd, moves = at["q"], at["qd"], None if held is None else [1.0 - one for one in held]
    active = list(at["closed"]) if correction == "contacts" else None
    on_q = q if correction == "velocities" else nearest(model, q, moves, active)
    on, condition = {"q": on_q, "qd": within(model, on_q, qd, moves, active)}, at[CORRECTING]
    if correction == "positions":
        on[DRIFT] = largest_drift(model, q, qd, at[DRIFT])
    elif active is not None:
        condition = condition * reduce(maximum, active)
    elif held is not None:
        condition = condition * reduce(maximum, held)
    values = {name: _select(condition, on[name], at[name]) for name in RESULTS[correction]}
    return at | values, tuple(values.values())


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


@function("(n),(n),(n)->(n),(n)", sources=SOURCES)
def put_on_constraints(model: Any, q: Any, qd: Any, held: Any) -> tuple[Array, Array]:
    """Positions and velocities on the constraints, near those given, shape (..., n) each.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        held: 1 for each coordinate that is held at rest, else 0, shape (..., n).
    """
    moves = [1.0 - one for one in held]
    on_q = nearest(model, q, moves)
    return on_q, within(model, on_q, qd, moves)


@function("(n),(n),(n),(constraints)->(n),(n)", sources=SOURCES)
def put_on_contacts(model: Any, q: Any, qd: Any, held: Any, closed: Any) -> tuple[Array, Array]:
    """Positions and velocities at which closed contacts stay closed, near those given, shape (..., n) each.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        held: 1 for each coordinate that is held at rest, else 0, shape (..., n).
        closed: 1 for each contact that is closed, else 0, shape (..., constraints).
    """
    moves, active = [1.0 - one for one in held], list(closed)
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
