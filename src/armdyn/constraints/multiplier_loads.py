"""The part of constraint forces that each joint transmits: the load C_k lambda of a joint k by multipliers lambda.

A joint that one coordinate moves, and no other link with it, transmits that coordinate's share of A^T lambda. If
coordinates move several links, it follows from the constraints between frames: as if each link had a joint of its own,
with the Jacobian A_links, C = A_links^T and A = A_links B. Constraints do not act on rotors. A constraint between
coordinates, or one of a function of them, does not determine which of the joints it acts on.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from armdyn.algorithms.load_laws import loaded_bodies
from armdyn.base.advice import either
from armdyn.base.errors import Unsupported
from armdyn.constraints.distance import Distance
from armdyn.constraints.held import Held
from armdyn.constraints.point_on_curve import PointOnCurve
from armdyn.constraints.point_on_line import PointOnLine
from armdyn.constraints.point_on_plane import PointOnPlane
from armdyn.constraints.point_on_surface import PointOnSurface
from armdyn.constraints.rows_of import RowsOf
from armdyn.constraints.state import State
from armdyn.model.constraints import Constraint
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array

BETWEEN_FRAMES = (Distance, Held, PointOnCurve, PointOnLine, PointOnPlane, PointOnSurface)


def multiplier_loads(model: Mechanism, q: Array, A: Array) -> dict[int, Array]:
    """C_k, (constraints,), of each body k whose friction depends on the load.

    Args:
        model: with constraints.
        q: joint positions.
        A: constraint Jacobian there.

    Raises:
        Unsupported: a joint that moves with others, and a constraint that does not determine on which of them it acts.
    """
    alone = {k: _sole_coordinate(model, k) for k in loaded_bodies(model.drive)}
    rows = {k: A[:, i] for k, i in alone.items() if i is not None}
    shared = [k for k in alone if k not in rows]
    if shared:
        by_link = _jacobian_by_link(model, q, shared)
        rows |= {k: by_link[:, k] for k in shared}
    return {k: rows[k] for k in alone}


def _sole_coordinate(model: Mechanism, k: int) -> int | None:
    """The coordinate that moves the joint of a body one to one and no other link; None if there is none."""
    terms, links = model.drive.terms, len(model.links)
    if len(terms[k]) != 1 or terms[k][0][1] != 1.0:
        return None
    i = terms[k][0][0]
    others = [j for j in range(links) if j != k and any(i == moved_by for moved_by, _ in terms[j])]
    return None if others else i


def _jacobian_by_link(model: Mechanism, q: Array, shared: list[int]) -> Array:
    """The rows of all constraints by the velocity of each body's joint, (constraints, bodies)."""
    for constraint in model.model.constraints:
        if not isinstance(_whole(constraint), BETWEEN_FRAMES):
            raise _not_between_frames(model, constraint, shared)
    drive, bodies = model.drive, len(model.bodies)
    one_to_one = tuple(((k, 1.0),) for k in range(bodies))
    own = dataclasses.replace(drive, size=bodies, terms=one_to_one, offsets=(0.0,) * bodies)
    state = State(dataclasses.replace(model, drive=own), drive.positions(q), np.zeros(bodies))
    return np.concatenate([np.asarray(one.equations_at(state).A) for one in model.model.constraints])


def _whole(constraint: Constraint) -> Constraint:
    """The constraint of which some rows are chosen."""
    return _whole(constraint.constraint) if isinstance(constraint, RowsOf) else constraint


def _not_between_frames(model: Mechanism, constraint: Constraint, shared: list[int]) -> Unsupported:
    names = ", ".join(repr(model.model.joints[model.bodies[k].joint].name) for k in shared)
    return Unsupported(
        f"friction of {names} of {model.name!r} depends on the load, and other joints move with them: constraint "
        f"{constraint.name!r}, which is not between frames, does not say which of the joints transmit its forces. Use "
        "constraints between frames, friction that depends on velocities alone, or "
        + either("robot.without_friction()", "--ignore-friction")
    )
