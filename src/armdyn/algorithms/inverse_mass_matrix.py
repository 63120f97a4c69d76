"""The inverse of the mass matrix from the factors of forward dynamics (Featherstone 2008, 6.5)."""

from __future__ import annotations

from armdyn.algorithms.declared import function
from armdyn.algorithms.factors import factored_mass_matrix
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array


@function("(n)->(n,n)")
def inverse_mass_matrix(mechanism: Mechanism, q: Array) -> Array:
    """Inverse M^-1(q) of the mass matrix, 1/(kg m^2), 1/(kg m) or 1/kg, shape (..., n, n), filled on both sides.

    Column k holds the accelerations that a unit force of joint k causes, from the factors M = L^T D L of
    `forward_dynamics` (Modern Robotics 8.81). Forward dynamics itself needs no inverse; it costs less.

    Args:
        q: joint positions, rad or m, shape (..., n).

    Raises:
        ModelError: a joint moves no inertia, so that no force determines its acceleration.

    >>> robot, q = armdyn.load("ur5"), np.full(6, 0.4)
    >>> bool(np.allclose(robot.inverse_mass_matrix(q) @ robot.mass_matrix(q), np.eye(6)))
    True
    """
    return factored_mass_matrix(mechanism, q).inverse()
