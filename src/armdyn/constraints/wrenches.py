"""Constraint forces as a wrench of one frame: J^T F = A^T lambda (Modern Robotics 8.7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array, per_joint, places
from armdyn.constraints.arguments import RANK_TOLERANCE, ConstrainedRobot, finite, indices, multipliers_of, state_name
from armdyn.constraints.errors import ConstraintError, RedundantConstraints
from armdyn.spatial.rotations import Array

WRENCH_COMPONENTS = ("mx", "my", "mz", "fx", "fy", "fz")

WRENCH_TOLERANCE = 1e-9
"""Largest residual of a wrench, or of its multipliers, relative to the largest joint force."""


def constraint_wrench(
    robot: ConstrainedRobot,
    q: ArrayLike,
    multipliers: ArrayLike,
    *,
    frame: str | None = None,
    expressed_in: str = "body",
    components: str | Sequence[str] = WRENCH_COMPONENTS,
) -> Array:
    """Wrench F = J^-T A^T lambda of a frame on the constraints, N m and N, shape (..., 6) or (..., components).

    The frame applies F to its surroundings, as ``f_tip``, if the constraints act on this frame only.

    Args:
        robot: with constraints.
        q: joint positions, rad or m, shape (..., n).
        multipliers: lambda, N or N m, shape (..., constraints).
        frame: name of the frame; the tip by default.
        expressed_in: "body", "space" or "world", as of `Robot.jacobian`: "world" is Pinocchio's
            LOCAL_WORLD_ALIGNED, its WORLD is "space".
        components: those that the wrench may have, one or some of "mx", "my", "mz", "fx", "fy", "fz": the result holds
            these, in this order; the others are zero. For an arm with fewer than six freedoms joint forces do not
            determine all six.

    Raises:
        ConstraintError: components that joint forces do not determine there, or one twice; constraints that act
            elsewhere too.
        UnknownName: a frame or component that does not exist.

    >>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    >>> arm = armdyn.load("planar_2r").with_constraints(channel)
    >>> wrench = arm.constraint_wrench([-1.0, 2.2], [3.0], expressed_in="world", components=("fx", "fy"))
    >>> wrench.round(12) + 0.0
    array([3., 0.])
    """
    (q_,), chosen = per_joint(robot, q=q), _component_places(components)
    lam = multipliers_of(robot, multipliers)
    whole = np.asarray(robot.jacobian(q_, frame=frame, expressed_in=expressed_in))
    J, size = whole[..., chosen, :], np.linalg.norm(whole, axis=(-2, -1)).max(initial=0.0, where=finite(whole).all(-1))
    forces = np.einsum("...ji,...j->...i", np.asarray(robot.constraint_jacobian(q_)), lam)

    def solve(J_T: Array, force: Array, where: str) -> Array:
        rank = np.count_nonzero(np.linalg.svd(J_T, compute_uv=False) > RANK_TOLERANCE * size)
        if rank < len(chosen):
            raise ConstraintError(
                f"{len(chosen)} components of the wrench cannot be told from the joint forces of {robot.name!r}"
                f"{where}, where its Jacobian has rank {rank}; name fewer, components=..."
            )
        names = ", ".join(WRENCH_COMPONENTS[k] for k in chosen)
        F: Array = np.linalg.lstsq(J_T, force, rcond=None)[0]
        residual = np.abs(J_T @ F - force).max()
        if residual > WRENCH_TOLERANCE * np.abs(force).max():
            raise ConstraintError(
                f"the constraint forces of {robot.name!r}{where} are no wrench of frame {frame or robot.model.tip!r} "
                f"with components {names}: {residual:.6g} of the joint forces is left. "
                "The constraints act elsewhere too; constraint_forces has the joint forces."
            )
        return F

    return _of_each_state(np.swapaxes(J, -1, -2), forces, solve)


def multipliers_of_wrench(
    robot: ConstrainedRobot,
    q: ArrayLike,
    wrench: ArrayLike,
    *,
    frame: str | None = None,
    expressed_in: str = "body",
    components: str | Sequence[str] = WRENCH_COMPONENTS,
) -> Array:
    """Multipliers lambda, N or N m, shape (..., constraints), with A^T lambda = J^T F for a wrench F of a frame.

    For a desired wrench on the constraints, as in hybrid motion-force control: `hybrid_forces` and
    `constrained_inverse_dynamics` take this lambda (Modern Robotics 8.7: lambda = (J^-T A^T)^+ F).

    Args:
        robot: with constraints.
        q: joint positions, rad or m, shape (..., n).
        wrench: (m, f) that the frame applies to the constraints, N m and N, shape (..., 6) or (..., components).
        frame, expressed_in: as of `constraint_wrench`.
        components: of the wrench that is given, as `constraint_wrench` returns it; the others are zero.

    Raises:
        ConstraintError: a wrench that does work on motions that the constraints allow, which no lambda balances.
        RedundantConstraints: constraints that depend on others, so that lambda is not unique.
    """
    (q_,), chosen = per_joint(robot, q=q), _component_places(components)
    F = array("wrench", wrench, (..., len(chosen)), ", ".join(WRENCH_COMPONENTS[k] for k in chosen), missing=True)
    J = np.asarray(robot.jacobian(q_, frame=frame, expressed_in=expressed_in))[..., chosen, :]
    forces = np.einsum("...ji,...j->...i", J, F)
    A = np.asarray(robot.constraint_jacobian(q_))

    def solve(A_T: Array, force: Array, where: str) -> Array:
        lam: Array
        lam, _, rank, _ = np.linalg.lstsq(A_T, force, rcond=RANK_TOLERANCE)
        if rank < len(lam):
            raise RedundantConstraints(
                f"the multipliers of {robot.name!r} are not unique at q{where}: rank {rank} of {len(lam)} constraints. "
                "robot.constraint_rank(q) lists which follow from which."
            )
        residual = np.abs(A_T @ lam - force).max()
        if residual > WRENCH_TOLERANCE * np.abs(force).max():
            raise ConstraintError(
                f"the wrench{where} pushes where {robot.name!r} is free to move: {residual:.6g} of its joint forces is "
                "not against the constraints. Leave out its part along the motion they allow."
            )
        return lam

    return _of_each_state(np.swapaxes(A, -1, -2), forces, solve)


def _of_each_state(columns: Array, forces: Array, solve: Callable[[Array, Array, str], Array]) -> Array:
    """x with columns x = forces at each state; NaN if a state is not finite."""
    columns = np.broadcast_to(columns, (*forces.shape[:-1], *columns.shape[-2:]))
    result = np.full((*forces.shape[:-1], columns.shape[-1]), np.nan)
    for index in indices(finite(forces) & finite(columns).all(axis=-1)):
        result[index] = solve(columns[index], forces[index], state_name(index))
    return result


def _component_places(components: str | Sequence[str]) -> list[int]:
    """The rows of the Jacobian that belong to the components, in the order given."""
    return places("components", components, WRENCH_COMPONENTS, "component", "a wrench", error=ConstraintError)
