"""Trees whose joints are coupled in many ways, beside the same trees with every joint free and the map between them."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

import armdyn
from oracles.trees import random_tree, spindles, to_armdyn


@dataclass(frozen=True, eq=False)
class Coupled:
    """q_joints = A q + b between the coordinates of ``robot`` and the joints of ``free``."""

    robot: armdyn.Robot
    free: armdyn.Robot
    A: np.ndarray
    b: np.ndarray

    def joints(self, q: np.ndarray) -> np.ndarray:
        """Positions of the joints."""
        return q @ self.A.T + self.b

    def rates(self, qd: np.ndarray) -> np.ndarray:
        """Velocities or accelerations of the joints."""
        return qd @ self.A.T

    def forces(self, tau: np.ndarray) -> np.ndarray:
        """Forces of the coordinates from those of the joints."""
        return tau @ self.A


def with_rotors(robot: armdyn.Robot, seed: int) -> armdyn.Robot:
    """Armature on every other joint."""
    rng = np.random.default_rng(seed)
    joints = [
        dataclasses.replace(joint, armature=rng.uniform(0.1, 0.5) * (k % 2))
        for k, joint in enumerate(robot.model.joints)
    ]
    return armdyn.Robot(robot.model.replace(joints=tuple(joints)))


def coupled(free: armdyn.Robot, A: np.ndarray, b: np.ndarray) -> Coupled:
    """Through the front door."""
    names = [f"motor_{i}" for i in range(A.shape[1])]
    kinds = dict.fromkeys(names, "revolute")
    return Coupled(free.with_coordinates(names, A, offset=b, kinds=kinds), free, A, b)


def dense(seed: int, n: int, **options: object) -> Coupled:
    """Every coordinate moves every joint, as no machine does."""
    rng = np.random.default_rng(seed)
    free = with_rotors(armdyn.Robot(to_armdyn(random_tree(seed, 7, **options))), seed)
    return coupled(free, rng.normal(size=(7, n)), rng.normal(size=7))


def followers(seed: int, n: int) -> Coupled:
    """Every joint moves with one coordinate, in no order."""
    rng = np.random.default_rng(seed)
    free = with_rotors(armdyn.Robot(to_armdyn(random_tree(seed, 8))), seed)
    A = np.zeros((8, n))
    leaders = [*rng.permutation(n), *rng.integers(0, n, 8 - n)]
    A[rng.permutation(8), leaders] = rng.normal(size=8)
    return coupled(free, A, rng.normal(size=8) * (rng.random(8) < 0.5))


def differential() -> Coupled:
    """Two motors move two joints of spindles together, one drives two joints, and one joint is held."""
    free = with_rotors(armdyn.Robot(to_armdyn(spindles())), 5)
    A = np.zeros((6, 4))
    A[1, :2], A[2, :2] = (0.5, 0.5), (0.5, -0.5)
    A[0, 3], A[4, 2], A[5, 2] = 1.0, 1.0, -3.0
    return coupled(free, A, np.array([0.0, 0.1, 0.0, 0.7, 0.0, -0.2]))


def braced() -> Coupled:
    """Two coordinates that do not feel each other but through a third: factors of M gain what M has not."""
    A = np.zeros((6, 4))
    A[1, 0], A[2, 1], A[3, 1:3], A[4, [0, 2]] = 1.0, 1.0, (0.7, 1.3), (-0.4, 0.8)
    A[0, 3] = 1.0  # and a fourth turns the arm that carries them all
    return coupled(with_rotors(armdyn.Robot(to_armdyn(spindles())), 5), A, np.linspace(-0.3, 0.6, 6))


MAKERS: Mapping[str, Callable[[], Coupled]] = {
    "dense": lambda: dense(21, 4),
    "dense, right-angled": lambda: dense(22, 3, right_angled=True),
    "one coordinate": lambda: dense(25, 1),
    "followers": lambda: followers(26, 3),
    "permuted": lambda: followers(28, 8),
    "differential": differential,
    "braced": braced,
}


@cache
def maker(name: str) -> Coupled:
    """The pair of that name, made once."""
    return MAKERS[name]()
