"""Arms whose joints are of every kind, for inverse kinematics; and turns of angles."""

from functools import cache

import numpy as np

import armdyn
from armdyn.kinematics.limits import Range, length_of
from oracles.trees import random_tree, to_armdyn


@cache
def chain(seed: int, joints: int) -> armdyn.Robot:
    """A serial arm of revolute and prismatic joints in general directions, without limits."""
    return armdyn.Robot(to_armdyn(random_tree(seed, joints, chain=True)))


def reachable(robot: armdyn.Robot, count: int, seed: int) -> np.ndarray:
    """Configurations within the limits; rad, and metres of slide."""
    return Range.of(robot, length_of(robot, {robot.tip}), limited=True).random(count, seed)


def apart(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The greatest difference of angles, whole turns apart from that."""
    return np.abs(np.remainder(a - b + np.pi, 2 * np.pi) - np.pi).max(axis=-1)


def rotation_between(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The angle between two orientations, through unit quaternions."""
    from scipy.spatial.transform import Rotation

    return (Rotation.from_matrix(A) * Rotation.from_matrix(B).inv()).magnitude()
