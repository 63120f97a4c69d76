"""Pseudo-inertias: the ten parameters of a link as a 4x4 matrix that is positive definite for a body with volume.

P = [[S, h], [h^T, m]] with the second moment S = tr(I)/2 - I about the frame's origin and h = m c; P is linear in the
ten parameters, and positive definite exactly when the mass is positive, the principal moments are, and they satisfy the
triangle inequalities strictly (Wensing, Kim, Slotine, IEEE RA-L 3(1), 2018). The distance of P from the P_0 of a
description is the log-det divergence

    D(P || P_0) = tr(P P_0^-1) - log det(P P_0^-1) - 4,

zero at P_0, convex, infinite at the edge of what a body can have, and the same in every frame and every unit.
"""

from __future__ import annotations

import numpy as np

from armdyn.model.standard_parameters import ENTRIES, OF_LINK
from armdyn.spatial.rotations import Array

TEN = len(OF_LINK)

THINNEST = 1e-4
"""The smallest second moment of a description's link that is kept, relative to its mass times a length squared."""


def _basis() -> Array:
    """The matrices P of the ten unit parameters, shape (10, 4, 4)."""
    basis = np.zeros((TEN, 4, 4))
    basis[0, 3, 3] = 1.0
    for axis in range(3):
        basis[1 + axis, axis, 3] = basis[1 + axis, 3, axis] = 1.0
    for place, (i, j) in enumerate(ENTRIES, 4):
        moment = np.zeros((3, 3))
        moment[i, j] = moment[j, i] = 1.0
        basis[place, :3, :3] = 0.5 * np.trace(moment) * np.eye(3) - moment
    return basis


BASIS = _basis()


def pseudo_inertias(bodies: Array) -> Array:
    """P of each link, shape (links, 4, 4), of the ten parameters of each, shape (links * 10,).

    >>> from armdyn.identification.pseudo_inertia import pseudo_inertias
    >>> pi = armdyn.load("ur5").standard_parameters().values
    >>> bool((np.linalg.eigvalsh(pseudo_inertias(pi)) > 0.0).all())
    True
    """
    return np.asarray(np.einsum("lk,kab->lab", bodies.reshape(-1, TEN), BASIS))


def parameters_of(P: Array) -> Array:
    """The ten parameters of each link of pseudo-inertias, shape (links * 10,)."""
    second, moments = P[:, :3, :3], np.empty((len(P), 3, 3))
    moments[:] = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
    parts = [P[:, 3, 3], *P[:, :3, 3].T, *(moments[:, i, j] for i, j in ENTRIES)]
    return np.stack(parts, axis=1).ravel()


def with_volume(P: Array, length: float) -> tuple[Array, Array]:
    """Pseudo-inertias of links that are not thinner than `THINNEST`, and a mask of the links that were changed.

    A description may give a link no mass, or the inertia of a rod or plate, at which the divergence is infinite.

    Args:
        P: of the links of a description, shape (links, 4, 4).
        length: a size of the arm, m.
    """
    scale = np.diag([length, length, length, 1.0])
    inverse = np.diag(1.0 / np.diag(scale))
    scaled = inverse @ P @ inverse
    scaled = 0.5 * (scaled + np.swapaxes(scaled, 1, 2))
    values, vectors = np.linalg.eigh(scaled)
    masses = scaled[:, 3, 3]
    least = THINNEST * np.where(masses > 0.0, masses, max(float(np.median(masses)), 1e-6))
    changed = values[:, 0] < least
    raised = np.maximum(values, least[:, None])
    rebuilt = np.einsum("lab,lb,lcb->lac", vectors, raised, vectors)
    return np.where(changed[:, None, None], scale @ rebuilt @ scale, P), changed


def divergence(P: Array, inverse_prior: Array) -> float:
    """The sum of D(P || P_0) over links; infinite if a P is not positive definite.

    Args:
        P: pseudo-inertias, shape (links, 4, 4).
        inverse_prior: P_0^-1 of each link.
    """
    try:
        L = np.linalg.cholesky(P)
    except np.linalg.LinAlgError:
        return np.inf
    log_det = 2.0 * np.log(np.diagonal(L, axis1=1, axis2=2)).sum() + np.linalg.slogdet(inverse_prior)[1].sum()
    return float(np.einsum("lab,lba->", P, inverse_prior) - log_det - 4.0 * len(P))


def divergence_slopes(P: Array, inverse_prior: Array) -> tuple[Array, Array]:
    """Gradient and Hessian blocks of the divergence by the ten parameters of each link.

    dD/dP = P_0^-1 - P^-1, and the second derivative along A and B is tr(P^-1 A P^-1 B).

    Returns:
        Shapes (links, 10) and (links, 10, 10).
    """
    inverse = np.linalg.inv(P)
    gradient = np.einsum("lab,kba->lk", inverse_prior - inverse, BASIS)
    moved = np.einsum("lab,kbc->lkac", inverse, BASIS)
    return gradient, np.einsum("lkab,ljba->lkj", moved, moved)
