"""The equations of all constraints of a robot: phi(q), A(q), Adot qd and A^T lambda (Modern Robotics 8.92, 8.93)."""

from __future__ import annotations

from functools import partial

import numpy as np

from armdyn import declaration
from armdyn.base.advice import either
from armdyn.base.errors import ModelError
from armdyn.constraints.own_function import wrong_shape
from armdyn.constraints.state import State
from armdyn.model.constraints import Constraint, Equations
from armdyn.model.mechanism import Mechanism
from armdyn.model.model import Model
from armdyn.spatial.rotations import Array

function = partial(declaration.function, sources=("algorithms", "constraints"))
"""Declares a function of constraints; its compiled code is cached until the sources here change."""


def require_constraints(model: Model) -> None:
    """Raise a ModelError if a model has no constraints."""
    if not model.constraints:
        more = either(
            "robot.with_constraints(armdyn.constraints.PointOnPlane(...)) has some",
            "--set constraints.NAME=... adds one",
        )
        raise ModelError(f"{model.name!r} has no constraints; {more}")


def all_equations(model: Mechanism, q: Array, qd: Array | None = None) -> Equations:
    """The equations of all constraints of a model, one below the other; at rest by default."""
    require_constraints(model.model)
    state = State(model, q, np.zeros(model.dof) if qd is None else qd)
    parts = [_check_shapes(constraint, constraint.equations_at(state), model) for constraint in model.model.constraints]
    stacked = [np.concatenate([np.asarray(part[k]) for part in parts]) for k in range(3)]
    return Equations(*stacked)


def _check_shapes(constraint: Constraint, part: Equations, model: Mechanism) -> Equations:
    """The equations of a constraint, after a check that they have the shapes of its rows."""
    rows, n = constraint.rows, model.dof
    holonomic = sum(row.holonomic for row in rows)
    expected = ((holonomic,), (len(rows), n), (len(rows),))
    if tuple(np.shape(x) for x in part) != expected:
        raise wrong_shape(constraint, np.shape(part.phi) if holonomic else np.shape(part.A), n)
    return part


@function("(n)->(holonomic)")
def constraint_error(model: Mechanism, q: Array) -> Array:
    """Values phi(q) of the holonomic constraints, m or rad, shape (..., holonomic).

    They are zero if every loop is closed: one number for each row of ``robot.constraint_rows`` that is holonomic. For
    frames held about two or three axes, a remaining rotation by the angle a counts as 2 tan(a / 2), which is zero only
    if they agree; about one axis it counts as sin a, which is zero half a turn away, too (`armdyn.constraints.Held`).
    Functions of your own keep their values.

    Args:
        q: joint positions, rad or m, shape (..., n).

    >>> arm = armdyn.load("planar_2r").with_constraints(armdyn.constraints.PointOnPlane("tip", (1, 0, 0), (1, 0, 0)))
    >>> arm.constraint_error([0.0, 0.0])
    array([1.])
    """
    phi = all_equations(model, q).phi
    if not len(phi):
        raise ModelError(f"no constraint of {model.name!r} is holonomic: they do not restrict positions")
    return phi


@function("(n)->(constraints,n)")
def constraint_jacobian(model: Mechanism, q: Array) -> Array:
    """Constraint Jacobian A(q) with A qd = 0, m or rad per unit of q, shape (..., constraints, n).

    The rows of Pfaffian constraints, and the derivative of phi of holonomic ones (Modern Robotics 8.92). There is one
    row for each of ``robot.constraint_rows``.

    Args:
        q: joint positions, rad or m, shape (..., n).
    """
    return all_equations(model, q).A


@function("(n),(n)->(constraints)")
def constraint_velocity(model: Mechanism, q: Array, qd: Array) -> Array:
    """Velocities against the constraints A(q) qd, m/s or rad/s, shape (..., constraints).

    They are zero if the motion satisfies the constraints; the rate of phi of holonomic ones (Modern Robotics 8.92).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
    """
    return np.asarray(all_equations(model, q).A @ qd)


@function("(n),(n)->(constraints)")
def constraint_drift(model: Mechanism, q: Array, qd: Array) -> Array:
    """Acceleration of the constraints from velocities alone Adot(q, qd) qd, m/s^2 or rad/s^2, shape (..., constraints).

    A qdd + Adot qd = 0 keeps a motion within its constraints (Modern Robotics 8.95).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
    """
    return all_equations(model, q, qd).drift


@function("(n),(constraints)->(n)")
def constraint_forces(model: Mechanism, q: Array, multipliers: Array) -> Array:
    """Joint forces against the constraints A^T(q) lambda, N m or N, shape (..., n).

    The part of tau that acts on the constraints; their reaction on the robot is -A^T lambda (Modern Robotics 8.93).

    Args:
        q: joint positions, rad or m, shape (..., n).
        multipliers: lambda, a force in N or moment in N m for each row, shape (..., constraints).
    """
    return np.asarray(all_equations(model, q).A.T @ multipliers)
