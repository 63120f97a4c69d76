"""Triangular factors of the rows, joint by joint: all later work is on matrices of the size of the parameters.

QR of [A, y] keeps |A x - y| for every x in a triangle of the size of the columns. Factors of parts are joined by QR of
the triangles, so that rows are looked at once, in blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.identification.design import Parameters, RegressionRows
from armdyn.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class JointFactor:
    """The factor of a joint's rows: an upper triangle of [A, y], and the sum of the rows' weights.

    Args:
        triangle: shape (k + 1, k + 1).
        weight: the number of rows, each by its weight.
    """

    triangle: Array
    weight: float

    def cost(self, x: Array) -> float:
        """|A x - y|^2 for the parameters of the joint's columns."""
        residual = self.triangle[:, :-1] @ x - self.triangle[:, -1]
        return float(residual @ residual)


def joint_factor(A: Array, y: Array, weights: Array | None = None) -> JointFactor:
    """The factor of rows A x = y, each times the square root of its weight."""
    rows = np.column_stack([A, y])
    if weights is not None:
        rows = rows * np.sqrt(weights)[:, None]
    return JointFactor(triangle_of(rows), float(len(rows) if weights is None else weights.sum()))


def join_factors(factors: Sequence[JointFactor]) -> JointFactor:
    """The factor of the rows of several parts."""
    if len(factors) == 1:
        return factors[0]
    return JointFactor(triangle_of(np.vstack([f.triangle for f in factors])), sum(f.weight for f in factors))


def triangle_of(rows: Array) -> Array:
    """The triangle of QR, with rows of zeros below if there are fewer rows than columns."""
    width = rows.shape[1]
    triangle = np.linalg.qr(rows, mode="r") if len(rows) else np.zeros((0, width))
    if len(triangle) < width:
        triangle = np.vstack([triangle, np.zeros((width - len(triangle), width))])
    return np.asarray(triangle)


def factors_of_rows(
    parts: Iterable[RegressionRows], joints: int, weights: Sequence[Array] | None = None
) -> list[JointFactor]:
    """The factor of each joint over parts of logs.

    Args:
        parts: of logs.
        joints: n.
        weights: of the rows of each part, each of shape (rows, n); 1 if None. Rows that are not usable count as 0.
    """
    result: list[list[JointFactor]] = [[] for _ in range(joints)]
    for number, part in enumerate(parts):
        for j in range(joints):
            values = None if weights is None else weights[number][:, j]
            usable = part.usable[:, j]
            if usable.all():
                result[j].append(joint_factor(part.columns[j], part.torques[:, j], values))
            elif usable.any():
                values_of_rows = None if values is None else values[usable]
                result[j].append(joint_factor(part.columns[j][usable], part.torques[usable, j], values_of_rows))
    return [
        join_factors(each) if each else JointFactor(np.zeros((len(columns) + 1,) * 2), 0.0)
        for each, columns in zip(result, _widths(parts, joints), strict=True)
    ]


def _widths(parts: Iterable[RegressionRows], joints: int) -> list[range]:
    first = next(iter(parts))
    return [range(first.columns[j].shape[1]) for j in range(joints)]


def stack_factors(factors: Sequence[JointFactor], parameters: Parameters, scales: Array) -> tuple[Array, Array]:
    """R and z of the reduced parameters: the triangles of all joints, each times a scale, as one triangle.

    Args:
        factors: of the joints.
        parameters: of the regression.
        scales: one by the deviation of each joint's residual.

    Returns:
        R, shape (k, reduced), and z, shape (k,).
    """
    width = len(parameters.lift)
    blocks = []
    for factor, places, scale in zip(factors, parameters.of_row, scales, strict=True):
        block = np.zeros((len(factor.triangle), width + 1))
        block[:, places] = scale * factor.triangle[:, :-1]
        block[:, -1] = scale * factor.triangle[:, -1]
        blocks.append(block)
    triangle = triangle_of(np.vstack(blocks))
    return triangle[:, :-1], triangle[:, -1]
