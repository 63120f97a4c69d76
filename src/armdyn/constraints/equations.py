"""The equations of a constraint at a state: phi(q), A(q) and Adot(q, qd) qd, whatever it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from armdyn.constraints.frames import State
from armdyn.errors import ModelError
from armdyn.model.constraints import Constraint, RowsOf
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array


class Equations(NamedTuple):
    """Rows of constraints: phi = 0 where they are holonomic, A qd = 0, A qdd + drift = 0.

    Args:
        phi: their values, shape (h,); shape (0,) of those that are for velocities alone.
        A: shape (k, n); the derivative of phi by q.
        drift: Adot qd, shape (k,).
    """

    phi: Array
    A: Array
    drift: Array


@singledispatch
def equations(constraint: Constraint, state: State) -> Equations:
    """The equations of one constraint."""
    raise ModelError(f"{type(constraint).__name__} {constraint.name!r} has no equations; register armdyn's `equations`")


@equations.register
def rows_of(constraint: RowsOf, state: State) -> Equations:
    """Some rows of another constraint."""
    rows, whole = constraint.constraint.rows, equations(constraint.constraint, state)
    kept = [k for k, row in enumerate(rows) if row.name in constraint.chosen]
    of_phi = [k for k, row in enumerate(row for row in rows if row.holonomic) if row.name in constraint.chosen]
    return Equations(whole.phi[of_phi], whole.A[kept], whole.drift[kept])


def all_equations(model: Mechanism, q: Array, qd: Array | None = None) -> Equations:
    """The equations of all constraints of a model, one below the other; at rest where no velocities are given."""
    if not model.model.constraints:
        raise ModelError(
            f"{model.name!r} has no constraints; robot.with_constraints(armdyn.constraints.PointOnPlane(...)) has some"
        )
    state = State(model, q, np.zeros(model.dof) if qd is None else qd)
    parts = [_checked(constraint, equations(constraint, state), model) for constraint in model.model.constraints]
    stacked = [np.concatenate([np.asarray(part[k]) for part in parts]) for k in range(3)]
    return Equations(*stacked)


def _checked(constraint: Constraint, part: Equations, model: Mechanism) -> Equations:
    """Functions of the caller's may return anything; say what was expected."""
    rows, n = constraint.rows, model.dof
    holonomic = sum(row.holonomic for row in rows)
    expected = ((holonomic,), (len(rows), n), (len(rows),))
    if tuple(np.shape(x) for x in part) != expected:
        raise wrong_shape(constraint, np.shape(part.phi) if holonomic else np.shape(part.A), n)
    return part


def returned(constraint: Constraint, values: Any, n: int) -> Array:
    """What a function of the caller's returned, as an array of numbers."""
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.array(None)
    if any(x is None or isinstance(x, str | bytes | dict | set) for x in array.flat):
        raise ModelError(
            f"the function of constraint {constraint.name!r} returned {values!r}; expected numbers of shape "
            f"{_expected(constraint, n)}"
        )
    return array


def wrong_shape(constraint: Constraint, shape: Sequence[int], n: int) -> ModelError:
    """The complaint of a function that returned an array of another shape."""
    return ModelError(
        f"the function of constraint {constraint.name!r} returned shape {tuple(shape)}; expected "
        f"{_expected(constraint, n)}"
    )


def _expected(constraint: Constraint, n: int) -> str:
    k = len(constraint.rows)
    holonomic = constraint.rows[0].holonomic
    return f"({k},), a number for each equation" if holonomic else f"({k}, {n}), a row for each equation"
