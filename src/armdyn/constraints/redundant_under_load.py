"""Constrained dynamics with friction that depends on the load, of states at which rows of A may follow from others.

On numbers, by the singular values of A. The accelerations and A^T lambda are unique, and so is the friction
(`armdyn.constraints.under_load`). Where constraints contradict each other, the least contradiction is chosen first, in
the metric of M without friction, and then kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from armdyn.algorithms.load_friction import own_coordinates
from armdyn.algorithms.load_laws import RESIDUAL
from armdyn.constraints.solving import constrained_least_squares
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array

MOST_STEPS = 50
"""Iterations of Newton's method until the equations of all joints hold."""

Lines = Callable[[Array], tuple[Array, Array, Array]]
"""Of loads, what `armdyn.constraints.under_load.friction_lines` has there."""


class LeastSquares(NamedTuple):
    """States with constraints that may follow from others; NaN where the friction is not found.

    Args:
        qdd: accelerations, (..., n).
        multipliers: those of `armdyn.constraints.solving.constrained_least_squares`, (..., constraints).
        rank: of A.
        friction: that depends on the load, N m or N, (..., n).
        hidden: the inertia of rotors that this friction hides from the links, (..., n).
    """

    qdd: Array
    multipliers: Array
    rank: Array
    friction: Array
    hidden: Array


def least_squares_under_load(
    lines: Lines,
    rotors: Array,
    M: Array,
    A: Array,
    available: Array,
    h: Array,
    target: Array,
    rank_tolerance: float,
) -> LeastSquares:
    """The motion with A qdd = target as near as may be.

    Args:
        lines: the friction.
        rotors: before the friction that depends on the load, (n,).
        M: mass matrix with rotors, (..., n, n).
        A: constraint Jacobian, (..., constraints, n).
        available: joint forces without what rubs whatever the load, tau - d, (..., n).
        h: of the links, (..., n).
        target: A qdd, (..., constraints).
        rank_tolerance: singular values of A below this part of the greatest count as zero.
    """
    allowed = constrained_least_squares(M, A, np.zeros_like(available), target, rank_tolerance)[0]
    target = np.einsum("...ij,...j->...i", A, allowed)
    loads, unit = np.array(available), np.eye(len(rotors))
    for _ in range(MOST_STEPS):
        passed, kept, _ = lines(loads)
        hidden = rotors * (1.0 - passed)
        qdd = constrained_least_squares(
            M - hidden[..., None] * unit, A, passed * available - kept - h, target, rank_tolerance
        )[0]
        loads = passed * available - kept - rotors * passed * qdd
        friction = lines(loads)[2]
        left = np.abs(available - rotors * qdd - loads - friction)
        size = np.abs(available) + np.abs(rotors * qdd) + np.abs(loads) + np.abs(friction)
        solved = (left <= RESIDUAL * size).all(axis=-1)
        if solved.all():
            break
    _, multipliers, rank = constrained_least_squares(M, A, available - friction - h, target, rank_tolerance)
    hidden = rotors * (1.0 - lines(loads)[0])
    found = (np.where(solved[..., None], each, np.nan) for each in (qdd, multipliers))
    return LeastSquares(*found, rank, friction, hidden)


def rotors_before_friction(mechanism: Mechanism) -> Array:
    """The reflected inertias of the rotors of coordinates whose friction depends on the load, (n,); 0 of others."""
    rotors, drive = np.zeros(mechanism.dof), mechanism.drive
    for k, i in (own_coordinates(drive) or {}).items():
        rotors[i] = float(drive.armature[k])
    return rotors
