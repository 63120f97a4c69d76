"""Null parameters from the regressor of many random states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.identification.identifiability.combinations import own_gravity, own_length, own_units
from armdyn.model.standard_parameters import StandardParameters, standard_parameters
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.functions.robot_like import RobotLike

TOLERANCE = 1e-8
"""Values below this, relative to the greatest, count as zero: above the rounding of descriptions and of arithmetic."""

EQUATIONS = 6
"""Equations from random states, for each parameter."""


def null_parameters_of_states(
    robot: RobotLike, *, tolerance: float = TOLERANCE, **options: Any
) -> tuple[Array, tuple[float, float]]:
    """The standard parameters without effect on random states, in the arm's own units, and the gap they show.

    The singular value decomposition of the stacked regressors; the states are the same at every call.

    Args:
        robot: any.
        tolerance: singular values below this, relative to the greatest, count as zero.
        options: those of ``robot.standard_parameters``.

    Returns:
        A basis of the null vectors, shape (parameters, k), and the smallest singular value that counts as one with the
        greatest that counts as zero, relative to the greatest of all.
    """
    standard = standard_parameters(robot.model, **options)
    Y = stacked_regressor(robot, standard, **options) * own_units(robot.mechanism, standard)
    _, sizes, directions = np.linalg.svd(Y)
    rank = int((sizes > tolerance * sizes[0]).sum())
    below = sizes[rank] / sizes[0] if rank < len(sizes) else 0.0
    return np.asarray(directions[rank:].T), (float(sizes[rank - 1] / sizes[0]), float(below))


def stacked_regressor(robot: RobotLike, standard: StandardParameters, **options: object) -> Array:
    """The regressors of random states, one below the other, each force in the arm's own units."""
    rng, n, L = np.random.default_rng(0), robot.dof, own_length(robot.mechanism)
    count = -(-EQUATIONS * len(standard) // n)
    turns = np.array([joint.kind == "revolute" for joint in robot.joints])
    rate = np.sqrt(own_gravity(robot.mechanism) / L)  # so that motion counts for as much as weight
    lengths = np.where(turns, 1.0, L)
    q = rng.uniform(-np.pi, np.pi, (count, n)) * lengths
    qd, qdd = rng.normal(size=(2, count, n)) * lengths * np.array([rate, rate**2])[:, None, None]
    Y = robot.regressor(q, qd, qdd, **options) * np.where(turns, 1.0 / L, 1.0)[:, None]
    return np.asarray(Y.reshape(count * n, len(standard)))
