"""An ellipsoid as data: semi-axes, their directions, and the matrix that maps the unit ball to it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class Ellipsoid:
    """An ellipsoid about a centre: all centre + axes (lengths * u) with unit vectors u. Immutable; batched.

    Args:
        name: name of the quantity, e.g. "torque".
        coordinates: the names of its k coordinates.
        unit: unit of the coordinates.
        lengths: semi-axes, longest first, in that unit per unit of the ball, shape (..., k).
        axes: their directions, unit vectors, a column each, shape (..., k, k).
        matrix: axes diag(lengths) axes^T, which maps the unit ball to it, symmetric, shape (..., k, k): M, Lambda, ...
        centre: position in pictures of the arm: the point of the frame in base axes, m, shape (..., 3). None in joint
            space.
        directions: directions of the coordinates in base axes, as columns, shape (..., 3, k). None in joint space.
        q: configurations of the ellipsoid, rad or m, shape (..., n).
        arm: digest of its arm, with which pictures check that it belongs there; None if unknown.
        frame: name of its frame. None in joint space.

    >>> mass = armdyn.ellipsoids.torque(armdyn.load("planar_2r"), [0.0, np.pi / 2])
    >>> mass
    <torque ellipsoid of joint_1, joint_2: semi-axes 3.41421, 0.585786 N m>
    >>> mass.matrix.round(12)
    array([[3., 1.],
           [1., 1.]])
    """

    name: str
    coordinates: tuple[str, ...]
    unit: str
    lengths: Array = field(repr=False)
    axes: Array = field(repr=False)
    matrix: Array = field(repr=False)
    centre: Array | None = field(default=None, repr=False)
    directions: Array | None = field(default=None, repr=False)
    q: Array | None = field(default=None, repr=False)
    arm: str | None = field(default=None, repr=False)
    frame: str | None = field(default=None, repr=False)

    @classmethod
    def of(cls, U: Array, lengths: Array, **fields: Any) -> Ellipsoid:
        """The ellipsoid of orthonormal columns and the semi-axes along them, in any order."""
        order = np.argsort(-lengths, axis=-1, kind="stable")
        lengths = np.take_along_axis(lengths, order, axis=-1)
        axes = np.take_along_axis(U, order[..., None, :], axis=-1)
        matrix = (axes * lengths[..., None, :]) @ np.swapaxes(axes, -1, -2)
        return cls(lengths=lengths, axes=axes, matrix=matrix, **fields)

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    @property
    def batch(self) -> tuple[int, ...]:
        """The shape of the batch of configurations, () for a single one."""
        return self.lengths.shape[:-1]

    @property
    def condition(self) -> Array:
        """The longest semi-axis over the shortest, shape (...); 1 for a ball, infinite for a flat ellipsoid."""
        longest, shortest = self.lengths[..., 0], self.lengths[..., -1]
        return np.where(shortest > 0.0, longest / np.where(shortest > 0.0, shortest, 1.0), np.inf)

    @property
    def volume(self) -> Array:
        """pi^(k/2) / Gamma(k/2 + 1) times the product of the semi-axes, shape (...); an area for k = 2.

        For the velocity ellipsoid, this is proportional to Yoshikawa's manipulability sqrt(det(J J^T)).
        """
        k = self.lengths.shape[-1]
        return np.asarray(math.pi ** (k / 2) / math.gamma(k / 2 + 1) * np.prod(self.lengths, axis=-1))

    def image(self, u: ArrayLike) -> Array:
        """The image of a point u of the unit ball, matrix u, shape (..., k)."""
        image: Array = np.einsum("...ij,...j->...i", self.matrix, np.asarray(u, dtype=float))
        return image

    def __getitem__(self, index: Any) -> Ellipsoid:
        """One or several ellipsoids of a batch."""

        def part(values: Array | None) -> Any:
            return None if values is None else np.array(values[index])  # a copy, which becomes read-only

        return Ellipsoid(
            self.name, self.coordinates, self.unit, part(self.lengths), part(self.axes), part(self.matrix),
            part(self.centre), part(self.directions), part(self.q), self.arm, self.frame,
        )  # fmt: skip

    def __repr__(self) -> str:
        of = ", ".join(self.coordinates)
        if self.batch:
            return f"<{self.name} ellipsoids of {of}: batch {self.batch}>"
        return f"<{self.name} ellipsoid of {of}: semi-axes {', '.join(f'{x:g}' for x in self.lengths)} {self.unit}>"
