"""Forward dynamics: the accelerations that given joint forces cause (Modern Robotics 8.5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from armdyn.algorithms.declaration import function
from armdyn.algorithms.mass_matrix import columns
from armdyn.algorithms.newton_euler import inverse_dynamics
from armdyn.errors import ModelError
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array


@function("(n),(n),(n),(6)?,(6)?,(6)?->(n)")
def forward_dynamics(
    model: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_tip: Array | None = None,
    base_twist: Array | None = None,
    base_twist_rate: Array | None = None,
) -> Array:
    """Joint accelerations qdd = M^-1(q) (tau - h(q, qd) - J^T(q) f_tip), rad/s^2 or m/s^2, shape (..., n).

    Composite bodies, and the factors M = L^T D L from the tips inwards, which keep the zeros that branches put into M
    (Modern Robotics 8.81; Featherstone 2008, 6.5).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        tau: joint forces, N m or N, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (..., 6).
        base_twist: V_0 = (w, v) of the base frame in base axes, rad/s and m/s, shape (..., 6); at rest if left out.
        base_twist_rate: the rate at which those six numbers change, rad/s^2 and m/s^2, shape (..., 6).

    Raises:
        ModelError: where a joint moves no inertia, so that no force decides its acceleration.
    """
    rest = inverse_dynamics(model, q, qd, np.zeros(model.dof), f_tip, base_twist, base_twist_rate)
    M, order = model.drive.matrix(columns(model, model.drive.positions(q))), model.drive.order
    check_inertia_is_moved(model, M)
    solution = solve_from_tips(M, [tau[i] - rest[i] for i in order])
    qdd = np.zeros(model.dof, dtype=object)
    qdd[order] = solution
    return qdd


def check_inertia_is_moved(model: Mechanism, M: list[dict[int, Any]]) -> None:
    """Refuse a mass matrix with a zero on its diagonal whatever the configuration."""
    for k, i in enumerate(model.drive.order):
        try:
            is_zero = float(M[k][k]) == 0.0
        except TypeError:  # a traced scalar without a value: it depends on q
            is_zero = False
        if is_zero:
            joint = model.model.coordinates[i].name
            raise ModelError(
                f"joint {joint!r} of {model.name!r} moves no inertia, so no force decides its acceleration; "
                f"give the links it moves mass, or hold it with locked={{{joint!r}: 0.0}}."
            )


def solve_from_tips(M: list[dict[int, Any]], b: list[Any]) -> list[Any]:
    """x with M x = b, where ``M[k]`` holds the entries M_jk for k and the bodies j that carry it.

    Eliminating from the tips inwards fills in no zero: M = L^T D L with L as sparse as M. Couplings may bring some in.
    """
    M, x = [dict(column) for column in M], list(b)
    reciprocal = [0.0] * len(M)
    L: list[dict[int, Any]] = [{} for _ in M]
    for k in reversed(range(len(M))):
        reciprocal[k] = 1.0 / M[k][k]
        carriers = sorted((j for j in M[k] if j != k), reverse=True)  # inwards
        for place, i in enumerate(carriers):
            L[k][i] = M[k][i] * reciprocal[k]
            for j in carriers[place:]:
                M[i][j] = M[i].get(j, 0.0) - L[k][i] * M[k][j]
            x[i] = x[i] - L[k][i] * x[k]
    for k in range(len(M)):
        x[k] = x[k] * reciprocal[k]
        for i, factor in L[k].items():
            x[k] = x[k] - factor * x[i]
    return x
