"""Constrained dynamics with friction that depends on the load, at states at which rows of A may depend on others.

The solution is numerical, in the motions that the constraints allow: with the columns of N, which the singular values
of A give, and one acceleration x that satisfies the constraints, qdd = x + N y, where N^T takes A^T lambda out of the
equations. The friction is unique (`armdyn.constraints.under_load`). If constraints contradict each other, x is that of
the least contradiction in the metric of M.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from armdyn.algorithms.load_friction import own_coordinates
from armdyn.algorithms.load_newton import RESIDUAL
from armdyn.constraints.solving import allowed_motions, constrained_least_squares
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array

MOST_STEPS = 50
"""Iterations of Newton's method until the equations of all joints hold."""

Lines = Callable[[Array], tuple[Array, Array, Array]]
"""A function of loads: the lines of `armdyn.constraints.under_load.friction_lines` at them."""


class LeastSquares(NamedTuple):
    """The motion of states with constraints that may depend on others; NaN if the friction is not found.

    Args:
        qdd: accelerations, (..., n).
        friction: forces that depend on the load, N m or N, (..., n).
        hidden: the inertia of rotors that this friction hides from the links, (..., n).
    """

    qdd: Array
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
    """The motion with A qdd = target in the least-squares sense.

    Args:
        lines: the friction.
        rotors: before the friction that depends on the load, (n,).
        M: mass matrix with rotors, (..., n, n).
        A: constraint Jacobian, (..., constraints, n).
        available: joint forces minus the friction that does not depend on the load, tau - d, (..., n).
        h: of the links, (..., n).
        target: A qdd, (..., constraints).
        rank_tolerance: singular values of A below this part of the greatest count as zero.
    """
    qdd = constrained_least_squares(M, A, available - h, target, rank_tolerance)[0]
    N, spare = allowed_motions(M, A, rank_tolerance)
    loads = np.array(available)
    for _ in range(MOST_STEPS):
        gain, offset, _ = lines(loads)
        hidden = rotors * (1.0 - gain)
        moving = np.einsum("...ij,...j->...i", M, qdd) - hidden * qdd
        residual = np.einsum("...ji,...j->...i", N, gain * available - offset - h - moving)
        inertia = np.swapaxes(N, -1, -2) @ (M @ N - hidden[..., None] * N) + spare
        qdd = qdd + np.einsum("...ij,...j->...i", N, np.linalg.solve(inertia, residual[..., None])[..., 0])
        loads = gain * available - offset - rotors * gain * qdd
        gain, offset, friction = lines(loads)
        off = np.abs(available - rotors * qdd - loads - friction)
        size = np.abs(available) + np.abs(rotors * qdd) + np.abs(loads) + np.abs(friction)
        solved = (off <= RESIDUAL * size).all(axis=-1)
        if solved.all():
            break
    accelerations = np.where(solved[..., None], qdd, np.nan)
    return LeastSquares(accelerations, friction, rotors * (1.0 - gain))


def rotors_before_friction(mechanism: Mechanism) -> Array:
    """The reflected inertias of the rotors of coordinates whose friction depends on the load, (n,); 0 for others."""
    rotors, drive = np.zeros(mechanism.dof), mechanism.drive
    for k, i in (own_coordinates(drive) or {}).items():
        rotors[i] = float(drive.armature[k])
    return rotors
