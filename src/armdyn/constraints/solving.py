"""The solution of constrained functions: compiled if the rows of A are well independent, else by singular values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, get_args
from weakref import WeakKeyDictionary

import numpy as np

from armdyn.base.advice import either, option
from armdyn.base.checks import choice
from armdyn.constraints import dynamics
from armdyn.constraints.arguments import (
    ConstrainedRobot,
    Redundant,
    finite,
    indices,
    keywords,
    rank_tolerance_of,
    state_name,
    tolerance_of,
)
from armdyn.constraints.checks import check_gradients, check_inertia
from armdyn.constraints.errors import RedundantConstraints, SingularState
from armdyn.constraints.generic_rank import generic_rank
from armdyn.constraints.rank import rank_of, why_singular
from armdyn.constraints.row_sizes import moving_part, unit_rows
from armdyn.declaration import Function
from armdyn.functions.robot_like import compile_for
from armdyn.spatial.rotations import Array

MIN_INDEPENDENCE = 1e-4
"""The compiled solution keeps its digits if the independence of every row, the square of a sine, is above this."""

_untraceable: WeakKeyDictionary[ConstrainedRobot, set[Function]] = WeakKeyDictionary()
"""The functions of a robot in which a row depends on those before it at every state."""

Pick = Callable[[Array], Array]
"""Selects the states to be solved from an array of all states."""


@dataclass(frozen=True)
class RankSettings:
    """The treatment of open states and dependent rows by a constrained function."""

    redundant: Redundant
    tolerance: float
    rank_tolerance: float

    @classmethod
    def of(cls, redundant: Redundant, tolerance: float, rank_tolerance: float) -> RankSettings:
        """The settings, each checked."""
        choice("redundant", redundant, get_args(Redundant))
        return cls(redundant, tolerance_of(tolerance), rank_tolerance_of(rank_tolerance))


def solve_compiled(robot: ConstrainedRobot, function: Function, *arrays: object, **options: object) -> Any:
    """The compiled function at all states; None if a row depends on those before it at every state."""
    untraceable = _untraceable.setdefault(robot, set())
    if function in untraceable:
        return None
    try:
        with np.errstate(all="ignore"):  # states at which A has lost rank are solved afterwards
            return compile_for(function, robot)(*arrays, **keywords(**options))
    except RedundantConstraints:
        untraceable.add(function)
        return None


def solve_dependent(
    robot: ConstrainedRobot,
    settings: RankSettings,
    q: Array,
    dependent: Array,
    results: Sequence[Array],
    dense: Callable[[Pick, Array, Array], Sequence[Array]],
) -> None:
    """Put the solutions of states with dependent rows into the results of all states.

    Args:
        robot: the robot of the states.
        settings: the treatment of rows that depend on others.
        q: joint positions of all states, shape (..., n).
        dependent: True for the states to be solved, shape (...).
        results: arrays of all states.
        dense: of the picked states, their A and M: a solution for each of the results, and the rank of A.
    """
    if not dependent.any():
        return

    def pick(array: Array) -> Array:
        picked: Array = np.broadcast_to(array, (*dependent.shape, array.shape[-1]))[dependent]
        return picked

    states, at = indices(dependent), pick(q)
    A, M = np.asarray(robot.constraint_jacobian(at)), np.asarray(robot.mass_matrix(at))
    check_gradients(robot, A, states)
    check_inertia(robot, M, states, np.ones(robot.dof, dtype=bool))
    *solutions, rank = dense(pick, A, M)
    low = np.flatnonzero(rank < A.shape[-2])
    if len(low) and settings.redundant == "auto":
        apart = np.broadcast_to(finite(q), dependent.shape) & ~dependent
        usual = A.shape[-2] if apart.any() else int(rank.max())
        low = low[rank[low] < generic_rank(robot, at[low[0]], usual, settings.rank_tolerance)]
    if len(low) and settings.redundant != "least_squares":
        first = int(low[0])
        raise _redundant(robot, at[first], A[first], M[first], states[first], settings.rank_tolerance)
    for result, solution in zip(results, solutions, strict=True):
        result[dependent] = solution


def _by_least_squares() -> str:
    """The remedy that leaves constraints unchanged."""
    chosen = option("redundant", "least_squares")
    return chosen + either(", which armdyn.simulate and methods take and compiled loops do not", "")


def _redundant(
    robot: ConstrainedRobot, q: Array, A: Array, M: Array, index: tuple[int, ...], rank_tolerance: float
) -> RedundantConstraints:
    """The error that names rows that depend on others, at this state only or everywhere, and the remedy."""
    rank = rank_of(A, M, tuple(row.name for row in robot.constraint_rows), rank_tolerance)
    reason = f"constraints of {robot.name!r} are redundant at q{state_name(index)}: {rank}. "
    if why_singular(robot, q, rank, rank_tolerance):
        return SingularState(
            reason + "They are so at this state and not near it, so all of them are needed: choose another state, or "
            f"{_by_least_squares()}."
        )
    by_name = either(", as robot.with_independent_constraints(q) does", "")
    return RedundantConstraints(f"{reason}Leave them out{by_name}, or choose {_by_least_squares()}.")


def has_dependent_rows(robot: ConstrainedRobot, q: Array, *rates: Array) -> Array:
    """True for finite states with rows that are not well independent, shape (...)."""
    independence = solve_compiled(robot, dynamics.independence, q)
    return finite(q, *rates) if independence is None else are_dependent(independence, q, *rates)


def are_dependent(independence: object, *state: Array) -> Array:
    """True for finite states whose rows have no more than `MIN_INDEPENDENCE`, shape (...)."""
    dependent = np.asarray(~(np.asarray(independence) > MIN_INDEPENDENCE).all(axis=-1))
    return np.asarray(dependent & finite(*state)) if dependent.any() else dependent


def constrained_least_squares(
    M: Array, A: Array, pushed: Array, target: Array, rank_tolerance: float
) -> tuple[Array, Array, Array]:
    """qdd and lambda with M qdd + A^T lambda = pushed and least-squares A qdd = target, and the rank of A.

    With M = L L^T, x = L^T qdd and the columns B = L^-1 A^T N brought to length one by N:
    x = L^-1 pushed - B y, B^T x = N target, so y = B^+ L^-1 pushed - B^+ B^+T N target and lambda = N y.
    """
    L = np.linalg.cholesky(M)
    B, length = unit_rows(A, M)
    N = np.where(length > 0.0, 1.0 / np.where(length > 0.0, length, 1.0), 0.0)
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    nonzero = _nonzero(s, rank_tolerance)
    inverse = np.where(nonzero, 1.0 / np.where(nonzero, s, 1.0), 0.0)
    free = np.linalg.solve(L, pushed[..., None])[..., 0]
    along = inverse * np.einsum("...ij,...i->...j", U, free)
    of_target = inverse**2 * np.einsum("...ij,...j->...i", Vt, N * target)
    y = np.einsum("...ji,...j->...i", Vt, along - of_target)
    x = free - np.einsum("...ij,...j->...i", B, y)
    qdd = np.linalg.solve(np.swapaxes(L, -1, -2), x[..., None])[..., 0]
    return qdd, N * y, nonzero.sum(axis=-1)


def least_change(
    M: Array, A: Array, b: Array, rank_tolerance: float, ways: Array | None = None, whole: Array | None = None
) -> Array:
    """The least-squares solution x of A x = b with the least x^T M x, row by row in the metric of M^-1, shape (..., n).

    Along ``ways`` x = W z. With W^T M W = L L^T and the columns B = L^-1 W^T A^T N, each as long as the part of its row
    that moves along the ways: z = L^-T B^+T N b. Singular values of B count as zero below a part of 1, the length of a
    whole row, so that no rounding is brought to length one.

    Args:
        M: mass matrix, shape (..., n, n).
        A: constraint Jacobian, shape (..., constraints, n).
        b: A x, shape (..., constraints).
        rank_tolerance: singular values below this count as zero.
        ways: directions of the coordinates that may move, orthonormal columns, shape (n, ways); all if left out.
        whole: lengths of whole rows in the metric of M^-1, shape (constraints,); those at the state if left out.
    """
    W = np.eye(M.shape[-1]) if ways is None else ways
    if not W.shape[1]:
        return np.zeros(M.shape[:-1])
    M_W, A_W = W.T @ M @ W, A @ W
    unit, length = unit_rows(A_W, M_W)
    share = moving_part(M, A, W) if ways is not None else np.ones_like(length)
    part = share if whole is None else length / whole
    U, s, Vt = np.linalg.svd(part[..., None, :] * unit, full_matrices=False)
    nonzero = s > rank_tolerance
    inverse = np.where(nonzero, 1.0 / np.where(nonzero, s, 1.0), 0.0)
    N = np.where(length > 0.0, part / np.where(length > 0.0, length, 1.0), 0.0)
    y = np.einsum("...ij,...j->...i", U, inverse * np.einsum("...ij,...j->...i", Vt, N * b))
    L = np.linalg.cholesky(M_W)
    z = np.linalg.solve(np.swapaxes(L, -1, -2), y[..., None])[..., 0]
    return np.asarray(z @ W.T)


def allowed_motions(M: Array, A: Array, rank_tolerance: float) -> tuple[Array, Array]:
    """N, whose columns are motions that the constraints allow, shape (..., n, n), and ones for its columns of zeros.

    With M = L L^T and U_0 the left singular vectors of L^-1 A^T without a singular value: N = L^-T U_0, N^T M N = 1.
    Zero columns replace the others, so that all states have one shape; theirs are the ones on the diagonal of the
    second array.
    """
    L = np.linalg.cholesky(M)
    U, s, _ = np.linalg.svd(unit_rows(A, M)[0], full_matrices=True)
    constrained = np.zeros(U.shape[:-1], dtype=bool)
    constrained[..., : s.shape[-1]] = _nonzero(s, rank_tolerance)
    N = np.linalg.solve(np.swapaxes(L, -1, -2), np.where(constrained[..., None, :], 0.0, U))
    return N, constrained[..., None] * np.eye(M.shape[-1])


def _nonzero(s: Array, rank_tolerance: float) -> Array:
    """True for singular values that do not count as zero."""
    result: Array = s > rank_tolerance * np.maximum(s[..., :1], np.finfo(float).tiny)
    return result


def projection_by_singular_values(M: Array, A: Array, rank_tolerance: float) -> tuple[Array, Array]:
    """P of 8.100 from the row space of A, for independent and dependent rows, and the rank of A.

    With M = L L^T and U an orthonormal basis of the column space of L^-1 A^T: P = 1 - L U U^T L^-1.
    """
    L = np.linalg.cholesky(M)
    U, s, _ = np.linalg.svd(unit_rows(A, M)[0], full_matrices=False)
    nonzero = _nonzero(s, rank_tolerance)
    U = U * nonzero[..., None, :]
    against = np.linalg.solve(np.swapaxes(L, -1, -2), U @ np.swapaxes(U, -1, -2) @ np.swapaxes(L, -1, -2))
    return np.eye(M.shape[-1]) - np.swapaxes(against, -1, -2), nonzero.sum(axis=-1)
