"""Rotations as sequences of turns about single axes: a turn by (cos, sin) costs half of a 3x3 product.

A rotation R_ab is a tuple of `Turn`, outermost first: R_ab = turns[0] turns[1] ... If cos and sin are constants, e.g. 0
and 1, tracing folds the turn away. A constant rotation of general direction is one `Axes`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from armdyn.base.scalars import Scalar
from armdyn.spatial.rotations import Array, symmetrize


class Turn(NamedTuple):
    """Rotation about axis 0 (x), 1 (y) or 2 (z) by the angle with this cosine and sine."""

    axis: int
    cos: Scalar
    sin: Scalar

    def to_parent(self, v: Array) -> Array:
        """v_a = R_ab v_b."""
        return _turn(self.axis, self.cos, self.sin, v)

    def to_child(self, v: Array) -> Array:
        """v_b = R_ab^T v_a."""
        return _turn(self.axis, self.cos, -self.sin, v)


class Axes(NamedTuple):
    """A rotation by its 3x3 matrix R_ab: for the orientation of the first joint's axes on the base."""

    matrix: Array

    def to_parent(self, v: Array) -> Array:
        """v_a = R_ab v_b."""
        v_a: Array = self.matrix @ v
        return v_a

    def to_child(self, v: Array) -> Array:
        """v_b = R_ab^T v_a."""
        v_b: Array = self.matrix.T @ v
        return v_b


Turns = tuple[Turn | Axes, ...]


def to_parent(turns: Iterable[Turn | Axes], v: Array) -> Array:
    """v_a = R_ab v_b: from the turned axes b out to the axes a."""
    for turn in reversed(tuple(turns)):
        v = turn.to_parent(v)
    return v


def to_child(turns: Iterable[Turn | Axes], v: Array) -> Array:
    """v_b = R_ab^T v_a: from the axes a into the turned axes b."""
    for turn in turns:
        v = turn.to_child(v)
    return v


def _turn(axis: int, c: Scalar, s: Scalar, v: Array) -> Array:
    """v turned about one axis."""
    x, y = (axis + 1) % 3, (axis + 2) % 3
    turned = list(v)
    turned[x] = c * v[x] - s * v[y]
    turned[y] = s * v[x] + c * v[y]
    return np.array(turned)


def tensor_to_parent(turns: Iterable[Turn | Axes], S: Array) -> Array:
    """S_a = R_ab S_b R_ab^T for a tensor S, symmetric or not; all entries get the rounding errors of the largest."""
    for turn in reversed(tuple(turns)):
        S = _turned_tensor(*turn, S) if isinstance(turn, Turn) else turn.matrix @ S @ turn.matrix.T
    return S


def _turned_tensor(axis: int, c: Scalar, s: Scalar, S: Array) -> Array:
    """S turned about one axis: 12 multiplications, because S_xx + S_yy, S_xy - S_yx and S_zz stay; 8 if symmetric."""
    x, y, z = (axis + 1) % 3, (axis + 2) % 3, axis
    u = s * (S[x, x] - S[y, y]) + c * (S[x, y] + S[y, x])
    turned = np.array(S, dtype=object)
    turned[x, x] = S[x, x] - s * u
    turned[y, y] = S[y, y] + s * u
    turned[x, y], turned[y, x] = c * u - S[y, x], c * u - S[x, y]
    turned[x, z], turned[y, z] = c * S[x, z] - s * S[y, z], s * S[x, z] + c * S[y, z]
    turned[z, x], turned[z, y] = c * S[z, x] - s * S[z, y], s * S[z, x] + c * S[z, y]
    return turned


def symmetric_to_parent(turns: Iterable[Turn | Axes], S: Array) -> Array:
    """S_a = R_ab S_b R_ab^T for a symmetric tensor S, the rows first and then the columns.

    A small moment next to large ones, e.g. a long arm's about its own axis, keeps the digits of its own size, for twice
    as many multiplications.
    """
    for turn in reversed(tuple(turns)):
        if isinstance(turn, Axes):
            S = symmetrize(turn.matrix @ S @ turn.matrix.T)
            continue
        axis, c, s = turn
        x, y, z = (axis + 1) % 3, (axis + 2) % 3, axis
        rows = _turn(axis, c, s, S)
        S = _turn(axis, c, s, rows.T)
        S[y, x], S[z, x], S[z, y] = S[x, y], rows[x, z], rows[y, z]
        S[x, z], S[y, z] = rows[x, z], rows[y, z]
    return S


def matrix(turns: Iterable[Turn | Axes]) -> Array:
    """R_ab as a 3x3 array."""
    return np.stack([to_parent(tuple(turns), e) for e in np.eye(3, dtype=object)], axis=1)
