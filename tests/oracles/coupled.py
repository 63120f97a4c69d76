"""Robots whose joints a general linear map moves, beside the same joints left alone."""

from typing import NamedTuple

import numpy as np

import armdyn
from armdyn.model.coupling import Coordinate, Coupling
from armdyn.model.limits import UNLIMITED


class Coupled(NamedTuple):
    """``robot`` moves the joints of ``free`` by q_free = A q + b."""

    robot: armdyn.Robot
    free: armdyn.Robot
    A: np.ndarray
    b: np.ndarray

    def joints(self, q: np.ndarray) -> np.ndarray:
        """Positions of the joints."""
        return q @ self.A.T + self.b

    def rates(self, qd: np.ndarray) -> np.ndarray:
        """Velocities, accelerations or any other rates of the joints."""
        return qd @ self.A.T


def coupled(free: armdyn.Robot, coordinates: int, seed: int = 0) -> Coupled:
    """The robot with a general map: every coordinate moves about two joints in three, none by a round number."""
    rng = np.random.default_rng(seed)
    joints = free.dof
    A = rng.normal(size=(joints, coordinates)) * (rng.random((joints, coordinates)) < 0.67)
    A[:coordinates] += np.diag(rng.uniform(1.0, 2.0, coordinates))
    b = rng.normal(size=joints)
    named = tuple(Coordinate(f"coordinate{k}", "revolute", UNLIMITED) for k in range(coordinates))
    return Coupled(armdyn.Robot(free.model.replace(coupling=Coupling(named, A, b))), free, A, b)


def with_armature(robot: armdyn.Robot, seed: int = 0) -> armdyn.Robot:
    """The robot with a rotor of another inertia in every joint."""
    import dataclasses

    values = np.random.default_rng(seed).uniform(0.5, 2.0, len(robot.model.joints))
    joints = tuple(dataclasses.replace(j, armature=float(x)) for j, x in zip(robot.model.joints, values, strict=True))
    return armdyn.Robot(robot.model.replace(joints=joints))
