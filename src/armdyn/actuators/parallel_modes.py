"""Modes of arms with springs in parallel with drives: the generalised eigenproblem K v = w^2 M v of links and rotors.

The stiffness of the links is K_l = A^T diag(ds/dq) A, that of springs in series k (theta - q)^2 besides. Constraints
leave the motions Z z with A Z = 0, and matrices Z^T M Z and Z^T K Z.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from armdyn.actuators.declared import function
from armdyn.actuators.flexible_joints import flexible_joints, links_side
from armdyn.algorithms.mass_matrix import mass_matrix
from armdyn.algorithms.newton_euler import bias_forces
from armdyn.base.errors import ModelError
from armdyn.base.scalars import Scalar
from armdyn.model.mechanism import Mechanism
from armdyn.model.model import Model
from armdyn.program import derivative
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.actuators.vibration import FlexibleStiffness

AT_REST = 1e-11
"""Squared frequencies this much smaller than the largest are of motions that no spring opposes."""


class LinksElasticity(NamedTuple):
    """The links of an arm about a configuration at rest: mass matrix, damping, stiffness of parallel springs.

    Args:
        M: of the links and of the rotors of rigid joints, shape (..., n, n).
        D: damping by friction, N m s/rad or N s/m, shape (..., n, n).
        K: N m/rad or N/m, shape (..., n, n).
    """

    M: Array
    D: Array
    K: Array


@function("(n)->(n,n),(n,n),(n,n)", result=LinksElasticity)
def links_elasticity(mechanism: Mechanism, q: Array) -> LinksElasticity:
    """Mass matrix, damping and stiffness of parallel springs of the links M, D, K, shape (..., n, n) each.

    Args:
        q: positions of the links, rad or m, shape (..., n).
    """
    side, at_rest, n = links_side(mechanism, flexible_joints(mechanism)), np.zeros(mechanism.dof), mechanism.dof
    D: Array = np.zeros((n, n))
    if side.drive.has_friction:
        D = derivative(lambda qd: bias_forces(side, q, qd), at_rest)
    entries: dict[tuple[int, ...], Scalar] = {(k, k): 0.0 for k in range(len(side.drive.terms))}
    stiffness = side.drive.with_stiffness(entries, side.drive.positions(q))
    return LinksElasticity(mass_matrix(side, q), D, side.drive.tensor(stiffness, rank=2))


def passive_places(model: Model) -> list[int]:
    """The places in q of joints that move with closed brakes: flexible ones, and those of springs without a drive."""
    names = [
        joint.name for joint in model.joints
        if joint.has_spring or (joint.parallel_springs and joint.actuator is None)
    ]  # fmt: skip
    return [i for i, coordinate in enumerate(model.coordinates) if coordinate.name in names]


@dataclass(frozen=True, eq=False)
class ElasticSystem:
    """The matrices of links and rotors.

    Args:
        n: the number of coordinates of the links.
        springs: the places in q of joints with springs in series.
        moving: the places among (q, rotors) that move.
        M, K: mass and stiffness of all of them, shape (..., n + springs, n + springs).
        A: rows of constraints of the links, shape (..., rows, n).
    """

    n: int
    springs: list[int]
    moving: list[int]
    M: Array
    K: Array
    A: Array

    @classmethod
    def of(
        cls, stiffness: FlexibleStiffness, K_links: Array, A: Array, springs: list[int], places: list[int] | None
    ) -> ElasticSystem:
        """The system from `FlexibleStiffness`, the stiffness of parallel springs, and the places that move."""
        n, f = stiffness.M.shape[-1], len(springs)
        M, K = np.zeros((*stiffness.M.shape[:-2], n + f, n + f)), np.zeros((*stiffness.M.shape[:-2], n + f, n + f))
        M[..., :n, :n], K[..., :n, :n] = stiffness.M, K_links
        for s, i in enumerate(springs):
            k = stiffness.K[..., s]
            M[..., n + s, n + s] = stiffness.B[..., s]
            K[..., i, i] += k
            K[..., n + s, n + s] += k
            K[..., i, n + s] -= k
            K[..., n + s, i] -= k
        return cls(n, springs, list(range(n + f)) if places is None else places, M, K, A)


def modes_of(system: ElasticSystem, robot: str) -> tuple[Array, Array, Array]:
    """Frequencies and mode shapes of links and rotors, shapes (..., f), (..., n, f) twice, slowest first.

    Raises:
        ModelError: a stiffness that is negative in some direction; states of a batch with different numbers of modes.
    """
    shape, n = system.M.shape[:-2], system.n
    modes = [_modes(system, place, robot) for place in np.ndindex(shape)]
    counts = {len(w) for w, _ in modes}
    if len(counts) > 1:
        raise ModelError(
            f"the springs and constraints of {robot!r} leave {min(counts)} to {max(counts)} modes, by the state, and "
            "modes of one call are as many at all states: call vibration_modes state by state"
        )
    f = counts.pop() if counts else 0
    w = np.array([own for own, _ in modes]).reshape(*shape, f)
    v = np.array([own for _, own in modes]).reshape(*shape, system.M.shape[-1], f)
    links, rotors = v[..., :n, :], v[..., :n, :].copy()
    rotors[..., system.springs, :] = v[..., n:, :]
    return w, links, rotors


def _modes(system: ElasticSystem, place: tuple[int, ...], robot: str) -> tuple[Array, Array]:
    from scipy.linalg import eigh, null_space  # noqa: PLC0415 - for this function alone; the command line starts without

    moving = system.moving
    M, K = (X[place][np.ix_(moving, moving)] for X in (system.M, system.K))
    rows = np.zeros((system.A.shape[-2], system.M.shape[-1]))
    rows[:, : system.n] = system.A[place]
    Z = null_space(rows[:, moving]) if len(rows) else np.eye(len(moving))
    if not Z.shape[1]:
        return np.zeros(0), np.zeros((system.M.shape[-1], 0))
    w2, v = eigh(Z.T @ K @ Z, Z.T @ M @ Z)
    least = AT_REST * np.abs(w2).max()
    if w2[0] < -least:
        raise ModelError(
            f"the springs of {robot!r} push away from this position in some direction (w^2 = {w2[0]:.3g} 1/s^2), so it "
            "does not vibrate about it; expected a position at which the stiffness of all springs is positive"
        )
    vibrating = w2 > least
    modes = np.zeros((system.M.shape[-1], int(vibrating.sum())))
    modes[moving] = Z @ v[:, vibrating]
    return np.sqrt(w2[vibrating]), modes
