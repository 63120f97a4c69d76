"""Parameters that cause no joint force: exactly, link by link, from the structure of the arm.

Parameters pi cause no joint force in any state if and only if their kinetic energy is zero and their potential energy
constant (Gautier and Khalil 1990). Both are sums over the links, and only joint k and the links outboard of it depend
on q_k and qd_k. So from the tips inwards: the terms of the parameters of link k must not depend on q_k and qd_k for any
motion of the link before, and then they equal those of the body fixed to that link. One such null vector of the body
belongs to link k, and its negative, seen from there, to the link before.

    V_k = X(q_k) V_P + S qd_k          twist of link k, with V_P that of the link before
    V_k^T G V_k,  linear in pi_k:      2 K, G being the spatial inertia

The kinetic energy of link k depends on V_P through V_P V_P^T alone, the potential energy on the direction of gravity in
P's axes; both lie in spaces that grow from the base outwards. A link whose motion is restricted (the first, those of
planar arms, those that follow parallel axes or slides) has smaller spaces and more null vectors: the rule of seven
parameters per revolute and four per prismatic joint (Khalil and Kleinfinger 1987) holds if the spaces are full.

X is of the first degree in cos q and sin q, or in q, so that five angles, or three positions, span all its values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from armdyn.identification.identifiability.combinations import own_gravity, own_length, own_units
from armdyn.model.mechanism import Body, Mechanism
from armdyn.model.standard_parameters import ENTRIES, TEN, StandardParameters
from armdyn.spatial.rotations import Array, adjoint, inverse_rigid, rigid, skew
from armdyn.spatial.turns import matrix

ANGLES = tuple(2.0 * np.pi * k / 5 for k in range(5))
"""Angles, rad: they span every trigonometric polynomial of the second degree."""
PLACES = (0.0, 1.0, -1.0)
"""Positions in units of the arm's own length: they span every polynomial of the second degree."""


class MotionSpaces(NamedTuple):
    """The twists and gravity that can occur at a link: a basis of each, one vector per row."""

    twists: Array
    """Basis of the twists V, shape (:, 6)."""
    squares: Array
    """Basis of V V^T, shape (:, 6, 6)."""
    gravities: Array
    """Basis of (g, 1) in the link's axes, shape (:, 4)."""


def null_parameters(mechanism: Mechanism, standard: StandardParameters, tolerance: float) -> Array:
    """A basis of the standard parameters without effect on an arm without couplings, in its own units, one per column.

    Singular values below the ``tolerance``, relative to the largest, count as zero.
    """
    L, strength = own_length(mechanism), own_gravity(mechanism)
    units = own_units(mechanism, standard)
    reaches: list[MotionSpaces] = []
    vectors: list[Array] = []
    for body in mechanism.bodies:
        before = reaches[body.parent] if body.parent >= 0 else _of_base(mechanism.gravity / strength)
        steps = [_step(body, q, L) for q in (ANGLES if body.revolute else PLACES)]
        reaches.append(_spaces_of_child(body, before, steps, tolerance))
        columns = _Columns.of(mechanism, standard, body)
        for own in _null_space(body, before, steps, columns.present, tolerance):
            vectors.append(_vector(mechanism, columns, body, own * _sizes(body, L, strength), steps[0], L))
    return np.array(vectors).reshape(-1, len(standard)).T / units[:, None]


class _Columns(NamedTuple):
    """The columns of a body's parameters."""

    size: int
    link: slice
    joint: dict[int, int]
    """Quantities by index in the twelve numbers of `_null_space`: 10, the rotor's inertia; 11, the constant force."""

    @property
    def present(self) -> list[int]:
        """The indices of the twelve numbers that this body has."""
        return [*range(TEN), *self.joint]

    @classmethod
    def of(cls, mechanism: Mechanism, standard: StandardParameters, body: Body) -> _Columns:
        joint = mechanism.model.joints[body.joint].name
        names = {TEN: f"{joint}.armature", TEN + 1: f"{joint}.offset"}
        of_joint = {place: standard.index(name) for place, name in names.items() if name in standard.names}
        return cls(len(standard), slice(TEN * body.joint, TEN * (body.joint + 1)), of_joint)


def _sizes(body: Body, L: float, strength: float) -> Array:
    """The units of the twelve numbers: the arm's own length, and the strength of gravity."""
    return np.array([1.0, *[L] * 3, *[L**2] * 6, L**2 if body.revolute else 1.0, strength])


def _of_base(gravity: Array) -> MotionSpaces:
    """The base rests, and gravity has one direction there."""
    return MotionSpaces(np.zeros((0, 6)), np.zeros((0, 6, 6)), np.array([[*gravity, 1.0]]))


class JointPosition(NamedTuple):
    """The link in its parent at one joint position: T_PB and q, in the arm's own length.

    X transforms a twist of the parent to the axes of the body.
    """

    q: float
    pose: Array
    X: Array


def _step(body: Body, q: float, L: float) -> JointPosition:
    R = matrix(body.turns_at(q)).astype(float)
    slide = 0.0 if body.revolute else q
    pose = rigid(R, body.offset / L + slide * R[:, 2])
    return JointPosition(q, pose, adjoint(inverse_rigid(pose)))


def _spaces_of_child(
    body: Body, before: MotionSpaces, steps: Sequence[JointPosition], tolerance: float
) -> MotionSpaces:
    """The `MotionSpaces` of the link from that of its parent."""
    S = _screw(body)
    twists = [step.X @ V for step in steps for V in before.twists]
    squares = [step.X @ Q @ step.X.T for step in steps for Q in before.squares]
    mixed = [_symmetric(V, S) for V in twists]
    gravities = [np.append(step.pose[:3, :3].T @ g[:3], g[3]) for step in steps for g in before.gravities]
    return MotionSpaces(
        _span([*twists, S], tolerance),
        _span([Q.ravel() for Q in (*squares, *mixed, np.outer(S, S))], tolerance).reshape(-1, 6, 6),
        _span(gravities, tolerance),
    )


def _null_space(
    body: Body, before: MotionSpaces, steps: Sequence[JointPosition], identified: list[int], tolerance: float
) -> Array:
    """Parameters of the body, with rotor inertia and constant force, whose energy its own joint does not change.

    There are twelve numbers per row; those that are not ``identified`` are zero.
    """
    conditions = np.array([*_kinetic_conditions(body, before, steps), *_potential_conditions(body, before, steps)])
    _, sizes, directions = np.linalg.svd(conditions[:, identified])
    rank = int((sizes > tolerance * sizes.max()).sum())
    null_vectors = np.zeros((len(identified) - rank, TEN + 2))
    null_vectors[:, identified] = directions[rank:]
    return null_vectors


def _kinetic_conditions(body: Body, before: MotionSpaces, steps: Sequence[JointPosition]) -> Iterator[Array]:
    """2 K = V_k^T G V_k + armature qd_k^2 must depend on neither qd_k nor q_k."""
    S = _screw(body)
    yield np.array([*_energy(np.outer(S, S)), 1.0, 0.0])
    for step in steps:
        for V in before.twists:
            yield np.array([*_energy(_symmetric(step.X @ V, S)), 0.0, 0.0])
    first = steps[0].X
    for step in steps[1:]:
        for Q in before.squares:
            yield np.array([*(_energy(step.X @ Q @ step.X.T) - _energy(first @ Q @ first.T)), 0.0, 0.0])


def _potential_conditions(body: Body, before: MotionSpaces, steps: Sequence[JointPosition]) -> Iterator[Array]:
    """P = -g . (m p + R h) + offset q_k must not depend on q_k."""
    first = steps[0].pose
    for step in steps[1:]:
        R, p = step.pose[:3, :3] - first[:3, :3], step.pose[:3, 3] - first[:3, 3]
        for g in before.gravities:
            yield np.array([-(g[:3] @ p), *-(g[:3] @ R), *np.zeros(6), 0.0, g[3] * (step.q - steps[0].q)])


def _screw(body: Body) -> Array:
    return np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0] if body.revolute else [0.0, 0.0, 0.0, 0.0, 0.0, 1.0])


def _symmetric(a: Array, b: Array) -> Array:
    return np.asarray(np.outer(a, b) + np.outer(b, a))


def _span(vectors: Sequence[Array], tolerance: float) -> Array:
    """An orthonormal basis of the span of the vectors, one per row."""
    _, sizes, directions = np.linalg.svd(np.array(vectors), full_matrices=False)
    return np.asarray(directions[sizes > tolerance * sizes.max()])


def _energy(Q: Array) -> Array:
    """tr(G Q) for each of the ten parameters alone."""
    return np.asarray(np.einsum("kij,ij->k", SPATIAL_INERTIAS, Q))


def _spatial_inertias() -> Array:
    """G = [[I, [h]], [[h]^T, m 1]] of every parameter alone (Modern Robotics 8.32), shape (10, 6, 6)."""
    G = np.zeros((TEN, 6, 6))
    G[0, 3:, 3:] = np.eye(3)
    for k, e in enumerate(np.eye(3), start=1):
        G[k, :3, 3:], G[k, 3:, :3] = skew(e), skew(e).T
    for k, (i, j) in enumerate(ENTRIES, start=4):
        G[k, i, j] = G[k, j, i] = 1.0
    return G


SPATIAL_INERTIAS = _spatial_inertias()


def _vector(mechanism: Mechanism, columns: _Columns, body: Body, own: Array, step: JointPosition, L: float) -> Array:
    """The null vector of a body, on its link and joint, and taken from the link before."""
    vector = np.zeros(columns.size)
    vector[columns.link] = seen_from(inverse_rigid(body.link_pose)) @ own[:TEN]
    for place, column in columns.joint.items():
        vector[column] = own[place]
    if body.parent >= 0:
        parent = mechanism.bodies[body.parent]
        pose = rigid(step.pose[:3, :3], step.pose[:3, 3] * L)  # T_PB
        at_parent = seen_from(inverse_rigid(parent.link_pose) @ pose) @ own[:TEN]
        vector[TEN * parent.joint : TEN * (parent.joint + 1)] -= at_parent
    return vector


def seen_from(T: Array) -> Array:
    """The matrix that brings the ten parameters of a body from frame F to frame A, with T = T_AF.

    The pseudo-inertia [[Sigma, h], [h^T, m]] becomes T J T^T.
    """
    return np.array([_parameters(T @ J @ T.T) for J in PSEUDO_INERTIAS]).T


def _pseudo_inertia(parameters: Array) -> Array:
    """[[Sigma, h], [h^T, m]] with Sigma = tr(I)/2 1 - I."""
    I = np.zeros((3, 3))  # noqa: E741
    for (i, j), value in zip(ENTRIES, parameters[4:], strict=True):
        I[i, j] = I[j, i] = value
    h = parameters[1:4, None]
    return np.block([[0.5 * np.trace(I) * np.eye(3) - I, h], [h.T, np.array([[parameters[0]]])]])


def _parameters(J: Array) -> Array:
    """The ten parameters of a pseudo-inertia: I = tr(Sigma) 1 - Sigma."""
    I = np.trace(J[:3, :3]) * np.eye(3) - J[:3, :3]  # noqa: E741
    return np.array([J[3, 3], *J[:3, 3], *(I[entry] for entry in ENTRIES)])


PSEUDO_INERTIAS = np.array([_pseudo_inertia(parameters) for parameters in np.eye(TEN)])
