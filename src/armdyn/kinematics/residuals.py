"""What is left of a target at given configurations, in NumPy, apart from the code that searches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.kinematics.aims import SIZES, Aim, axes_square_to
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class Residuals:
    """Of many configurations: ``position`` m, ``angle`` rad, the greatest of all aims; ``cost``, e.e / 2 weighted."""

    position: Array
    angle: Array
    cost: Array

    @classmethod
    def at(cls, robot: Robot, aims: Sequence[Aim], target: Array, q: Array) -> Residuals:
        """Measured on the poses that forward kinematics gives."""
        position, angle, cost = (np.zeros(q.shape[:-1]) for _ in range(3))
        for aim, numbers in each(aims, target):
            T = robot.forward_kinematics(q, frame=aim.frame)
            if aim.kind == "position":
                left = np.linalg.norm(_from_place(aim, T, numbers)[..., aim.counted], axis=-1)
                position = np.maximum(position, left)
            else:
                left = _angle_between(aim, T[..., :3, :3], numbers)
                angle = np.maximum(angle, left)
            cost = cost + 0.5 * (numbers[..., -1] * left) ** 2
        return cls(position, angle, cost)


def each(aims: Sequence[Aim], target: Array) -> Iterator[tuple[Aim, Array]]:
    """Every aim with its numbers."""
    start = 0
    for aim in aims:
        yield aim, target[..., start : start + SIZES[aim.kind]]
        start += SIZES[aim.kind]


def _from_place(aim: Aim, T: Array, numbers: Array) -> Array:
    goal, point = numbers[..., :3], numbers[..., 3:6]
    here: Array = T[..., :3, 3] + np.einsum("...ij,...j->...i", T[..., :3, :3], point)
    away: Array = goal - here
    return away


def _angle_between(aim: Aim, R: Array, numbers: Array) -> Array:
    if aim.kind == "pointing":
        a, d = R @ np.array(aim.axis), numbers[..., :3]
        sine, cosine = np.linalg.norm(np.cross(a, d), axis=-1), np.sum(a * d, axis=-1)
        return np.asarray(np.arctan2(sine, cosine))
    goal = numbers[..., :9].reshape(*numbers.shape[:-1], 3, 3)
    E = goal @ np.swapaxes(R, -1, -2)
    v = 0.5 * np.stack([E[..., 2, 1] - E[..., 1, 2], E[..., 0, 2] - E[..., 2, 0], E[..., 1, 0] - E[..., 0, 1]], axis=-1)
    cosine = 0.5 * (np.trace(E, axis1=-2, axis2=-1) - 1.0)
    return np.asarray(np.arctan2(np.linalg.norm(v, axis=-1), cosine))


def downhill(robot: Robot, aims: Sequence[Aim], target: Array, q: Array) -> tuple[Array, Array]:
    """Weighted residuals e, shape (N, rows), and how the joints lower them, shape (N, rows, n); J^T e is downhill."""
    residuals, rows = [], []
    for aim, numbers in each(aims, target):
        T = robot.forward_kinematics(q, frame=aim.frame)
        J = robot.jacobian(q, frame=aim.frame, expressed_in="world")
        R, w, v = T[:, :3, :3], J[:, :3], J[:, 3:]
        if aim.kind == "position":
            lever = np.einsum("kij,kj->ki", R, numbers[:, 3:6])
            e, part = _from_place(aim, T, numbers), v + np.cross(w, lever[:, :, None], axis=1)  # v of the point
            e, part = e[:, aim.counted], part[:, aim.counted]
        elif aim.kind == "orientation":
            e, part = _rotation_vectors(numbers[:, :9].reshape(-1, 3, 3) @ R.swapaxes(1, 2)), w
        else:
            # A turn about the axis itself changes nothing: two directions are left.
            across = (R @ np.array(axes_square_to(np.array(aim.axis))).T).swapaxes(1, 2)
            turn = _turn_between(R @ np.array(aim.axis), numbers[:, :3])
            e, part = np.einsum("kij,kj->ki", across, turn), across @ w
        residuals.append(numbers[:, -1, None] * e)
        rows.append(numbers[:, -1, None, None] * part)
    return np.concatenate(residuals, axis=1), np.concatenate(rows, axis=1)


def _rotation_vectors(R: Array) -> Array:
    from scipy.spatial.transform import Rotation  # noqa: PLC0415 - only failures need it

    if not len(R):  # before its version 1.15, scipy refuses none
        return np.zeros((0, 3))
    vectors: Array = Rotation.from_matrix(R).as_rotvec()
    return vectors


def _turn_between(a: Array, d: Array) -> Array:
    """The rotation vector that takes unit vectors a to d the short way; zero where they are opposite."""
    n = np.cross(a, d)
    sine = np.linalg.norm(n, axis=1)
    angle = np.arctan2(sine, np.sum(a * d, axis=1))
    ratio = np.divide(angle, sine, out=np.zeros_like(sine), where=sine > 0.0)
    turn: Array = ratio[:, None] * n
    return turn
