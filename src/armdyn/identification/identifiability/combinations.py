"""Base parameters: the smallest set of combinations of the standard parameters that joint forces depend on.

A vector of standard parameters that causes no joint force in any state is a null vector; null vectors show the
dependences between parameters. The number of independent columns of the regressor is the number of parameters minus
that of null vectors, and with beta = K pi of these columns alone, Y pi = Y_independent beta (Khalil and Dombre 2002,
9.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.errors import ShapeError
from armdyn.base.threads import cached_property
from armdyn.model.mechanism import Mechanism
from armdyn.model.standard_parameters import ENTRIES, OF_LINK, StandardParameters
from armdyn.spatial.rotations import Array

PREFERRED = ("m", "mc_z", "mc_y", "mc_x", "I_yy", "I_xx", "I_zz", "I_xy", "I_yz", "I_xz")
"""The order in which parameters of a link become dependent: first those the literature gives to the link before."""

CLEAR = 0.5
"""A parameter is preferred if its part in the null vectors is at least this fraction of the largest."""

FOUND = 1e-6
"""Entries of null vectors of unit length below this count as zero."""

ROUNDING = 1e-12
"""Entries of K below this, in units of the arm's own size, are rounding errors of exact zeros."""


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """Combinations beta = K pi with Y_independent beta = Y pi.

    Args:
        standard: the standard parameters pi of the robot, with their names.
        independent: the columns of the regressor that are kept, in order.
        matrix: K, shape (rank, parameters); the identity in the independent columns.
        gap: for a numerical rank, the smallest singular value counted as nonzero and the largest counted as zero,
            relative to the largest of all. None if the combinations follow from the structure.
        scales: the size of each standard parameter in kg and the arm's own length, shape (parameters,); 1 by default.
            `to_standard` measures distances of parameters in them.

    >>> base = armdyn.load("planar_2r").base_parameters()
    >>> base.rank, base.names[0]
    (6, 'link_1.mc_x + link_2.m')
    """

    standard: StandardParameters
    independent: tuple[int, ...]
    matrix: Array = field(repr=False)
    gap: tuple[float, float] | None = None
    scales: Array | None = field(default=None, repr=False)

    @property
    def rank(self) -> int:
        """The number of base parameters."""
        return len(self.independent)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every base parameter written as a sum, e.g. "link_1.mc_x + 0.4 link_2.m"."""
        rows = zip(self.matrix, self.independent, strict=True)
        return tuple(_sum(row, column, self.standard.names) for row, column in rows)

    @property
    def units(self) -> tuple[str, ...]:
        """The units of the base parameters."""
        return tuple(self.standard.units[column] for column in self.independent)

    @property
    def values(self) -> Array:
        """beta = K pi of the robot, shape (rank,)."""
        beta: Array = self.matrix @ self.standard.values
        return beta

    @property
    def dependent(self) -> tuple[str, ...]:
        """Standard parameters that joint forces depend on only within sums, the base parameters."""
        others = [column for column in range(len(self.standard)) if column not in set(self.independent)]
        return tuple(self.standard.names[column] for column in others if self.matrix[:, column].any())

    @property
    def without_effect(self) -> tuple[str, ...]:
        """Standard parameters that no joint force depends on."""
        return tuple(n for n, column in zip(self.standard.names, self.matrix.T, strict=True) if not column.any())

    def columns(self, Y: Array) -> Array:
        """The columns of a regressor that belong to the base parameters, shape (..., n, rank).

        Args:
            Y: regressor of the standard parameters, shape (..., n, parameters).

        >>> robot = armdyn.load("ur5")
        >>> Y, base = robot.regressor(*np.ones((3, 6))), robot.base_parameters()
        >>> bool(np.allclose(base.columns(Y) @ base.values, Y @ robot.standard_parameters().values))
        True
        """
        Y = np.asarray(Y)
        if Y.shape[-1:] != (len(self.standard),):
            raise ShapeError(
                f"the regressor has shape {Y.shape}; expected (..., {len(self.standard)}): compute it with the options "
                "of these base parameters"
            )
        return Y[..., list(self.independent)]

    def to_standard(self, beta: ArrayLike, near: ArrayLike | None = None) -> Array:
        """Standard parameters pi with the base parameters beta = K pi, shape (..., parameters).

        All such pi cause the same joint forces. Without ``near`` it is the simplest, with all dependent parameters
        zero, which real bodies cannot have in general: links have a first moment and no mass. With ``near``, it is the
        one nearest to approximate parameters, e.g. those of a description:

            pi = near + D^2 K^T (K D^2 K^T)^-1 (beta - K near)

        with D = diag(scales), so that |D^-1 (pi - near)| is minimal: a kilogram, a kilogram at the arm's own length,
        and its moment there have equal weight. Parameters that no joint force depends on stay as they are in ``near``.
        The result is likely, not certain, to be physically possible if ``near`` is a good guess:
        `Robot.with_standard_parameters` checks it, or accepts it unchecked.

        Args:
            beta: base parameters, shape (..., rank).
            near: standard parameters, shape (..., parameters), e.g. ``robot.standard_parameters()``.

        Raises:
            ShapeError: arrays of another length.

        >>> robot = armdyn.load("planar_2r")
        >>> base = robot.base_parameters()
        >>> pi = base.to_standard(1.1 * base.values, near=robot.standard_parameters())
        >>> bool(np.allclose(base.matrix @ pi, 1.1 * base.values)), float(pi[0])
        (True, 1.0)
        """
        beta = np.asarray(beta, dtype=float)
        if beta.shape[-1:] != (self.rank,):
            raise ShapeError(f"beta has shape {beta.shape}; expected (..., {self.rank}), one value a base parameter")
        if near is not None:
            return self._nearest(beta, np.asarray(near, dtype=float))
        pi = np.zeros((*beta.shape[:-1], len(self.standard)))
        pi[..., list(self.independent)] = beta
        return pi

    def _nearest(self, beta: Array, near: Array) -> Array:
        if near.shape[-1:] != (len(self.standard),):
            raise ShapeError(
                f"near has shape {near.shape}; expected (..., {len(self.standard)}), standard parameters "
                "with the options of these base parameters"
            )
        D = np.ones(len(self.standard)) if self.scales is None else self.scales
        of_beta = D[list(self.independent)]
        K = self.matrix * D / of_beta[:, None]  # the identity in the independent columns: K K^T is never near singular
        missing = (beta - near @ self.matrix.T) / of_beta
        return np.asarray(near + D * (np.linalg.solve(K @ K.T, missing[..., None])[..., 0] @ K))

    def __str__(self) -> str:
        """A table: number, value, unit, and the sum of each base parameter."""
        rows = zip(self.values, self.units, self.names, strict=True)
        lines = [f"{k:>3}  {value:>12.6g} {unit:<9}  {name}" for k, (value, unit, name) in enumerate(rows)]
        if self.without_effect:
            lines.append(f"without effect: {', '.join(self.without_effect)}")
        return "\n".join(lines)


def _sum(row: Array, own: int, names: Sequence[str]) -> str:
    """The independent column first, then the terms added to it."""
    text = names[own]
    for column in np.flatnonzero(row).tolist():
        if column != own:
            factor = f"{abs(row[column]):.6g}"
            text += (" + " if row[column] > 0.0 else " - ") + ("" if factor == "1" else f"{factor} ") + names[column]
    return text


def group_parameters(
    mechanism: Mechanism, standard: StandardParameters, null_vectors: Array, gap: tuple[float, float] | None = None
) -> BaseParameters:
    """The base parameters if the columns of ``null_vectors`` cause no joint force.

    Dependent columns are chosen from the tips inwards, so that sums belong to inner links. ``null_vectors`` are a basis
    in the arm's own units (`own_units`), shape (parameters, k).
    """
    units = own_units(mechanism, standard)
    dependent = _dependent(null_vectors, columns_of_bodies(mechanism, standard))
    independent = [column for column in range(len(standard)) if column not in set(dependent)]
    K = np.zeros((len(independent), len(standard)))
    K[:, independent] = np.eye(len(independent))
    if dependent:
        K[:, dependent] = -np.linalg.solve(null_vectors[dependent].T, null_vectors[independent].T).T
    K = np.where(np.abs(K) < ROUNDING, 0.0, K) * units[independent, None] / units
    K[:, independent] = np.eye(len(independent))
    K.setflags(write=False)
    units.setflags(write=False)
    return BaseParameters(standard, tuple(independent), K, gap, units)


def columns_of_bodies(mechanism: Mechanism, standard: StandardParameters) -> list[list[int]]:
    """The columns of every body's link and joint, those to be made dependent first in front."""
    links = len(mechanism.links)
    first_rotor = len(standard) - len(mechanism.rotors)
    of_rotors: list[list[int]] = [[] for _ in mechanism.model.joints]
    for column, rotor in enumerate(mechanism.rotors, start=first_rotor):
        of_rotors[rotor.joint].append(column)
    joint_blocks = range(len(OF_LINK) * links, first_rotor, links)
    preferred = [OF_LINK.index(name) for name in PREFERRED]
    return [
        [
            *of_rotors[body.joint],
            *(start + body.joint for start in joint_blocks),
            *(len(OF_LINK) * body.joint + place for place in preferred),
        ]
        for body in mechanism.links
    ]


def _dependent(null_vectors: Array, groups: Sequence[Sequence[int]]) -> list[int]:
    """The dependent columns, one per null vector, chosen so that no null vector is zero in all of them."""
    basis = np.linalg.qr(null_vectors)[0] if null_vectors.size else null_vectors
    result: list[int] = []
    from_the_tips = groups[::-1]
    for group in (*from_the_tips, [column for columns in from_the_tips for column in columns]):
        while basis.shape[1]:
            moved = np.linalg.norm(basis[group], axis=1)
            if moved.max() < FOUND:
                break
            column = group[int(np.argmax(moved >= CLEAR * moved.max()))]
            result.append(column)
            basis = _without(basis, basis[column])
    return result


def _without(basis: Array, row: Array) -> Array:
    """A basis of the null vectors that are zero in one column: one fewer."""
    complement = np.linalg.svd(row[None, :])[2][1:].T
    return np.asarray(basis @ complement)


def own_units(mechanism: Mechanism, standard: StandardParameters) -> Array:
    """The size of each parameter in kg, gravity and the arm's own length, so that those of different units compare."""
    L, strength = own_length(mechanism), own_gravity(mechanism)
    scales = [1.0, *[L] * 3, *[L**2] * len(ENTRIES)] * len(mechanism.links)
    turning = {joint.name: joint.kind == "revolute" for joint in mechanism.model.joints}
    rotors = mechanism.model.rotors
    for name in standard.names[len(scales) : len(standard.names) - len(rotors)]:
        joint, _, quantity = name.rpartition(".")
        lever = L if turning[joint] else 1.0
        scales.append({"armature": lever**2, "offset": lever * strength}.get(quantity, 1.0))
    scales += [(L / rotor.gear_ratio) ** 2 for rotor in rotors.values()]
    return np.array(scales)


def own_gravity(mechanism: Mechanism) -> float:
    """The strength of gravity, m/s^2; 1 if it is zero."""
    return float(np.linalg.norm(mechanism.gravity)) or 1.0


def own_length(mechanism: Mechanism) -> float:
    """The greatest distance from joint to joint, m; 1 if it is zero."""
    places = [body.offset for body in mechanism.links] + [body.link_pose[:3, 3] for body in mechanism.links]
    greatest = max(float(np.linalg.norm(place)) for place in places)
    return greatest if greatest > 0.0 else 1.0
