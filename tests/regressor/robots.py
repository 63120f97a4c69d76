"""Robots for the regressors: arms and trees of the shared cases, coupled joints, and arms of special geometry."""

from dataclasses import replace
from functools import cache

import numpy as np

import armdyn
from armdyn.model.coupling import Coordinate, Coupling
from armdyn.model.limits import Limits
from oracles.cases import CASES, Case
from oracles.short_run import short_run

NAMES = short_run(["ur5", "panda_fingers", "random_tree", "right_angled_tree"], "ur5", "random_tree")
Z, Y = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)


@cache
def known(name: str) -> Case:
    return CASES[name]()


@cache
def coupled(seed: int = 5) -> tuple[armdyn.Robot, armdyn.Robot, np.ndarray, np.ndarray]:
    """A tree whose eight joints five coordinates move, the same tree with free joints, A and b."""
    free = known("right_angled_tree").robot
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(free.dof, 5)), rng.normal(size=free.dof)
    A[np.abs(A) < 0.4] = 0.0
    coordinates = tuple(Coordinate(f"c{k}", "revolute", Limits()) for k in range(5))
    return armdyn.Robot(free.model.replace(coupling=Coupling(coordinates, A, b))), free, A, b


def with_armature(robot: armdyn.Robot, values: np.ndarray) -> armdyn.Robot:
    joints = tuple(replace(j, armature=float(x)) for j, x in zip(robot.model.joints, values, strict=True))
    return armdyn.Robot(robot.model.replace(joints=joints))


def chain(kinds: str, axes: list, gravity: tuple[float, float, float], seed: int = 3) -> armdyn.Robot:
    """A serial arm of joints "R" and "P" about these axes, with link frames that are parallel at q = 0."""
    rng = np.random.default_rng(seed)
    inertia = armdyn.inertia.box((0.2, 0.3, 0.5), mass=2.0)
    parts = [
        armdyn.Part(
            f"link{k}",
            f"link{k - 1}" if k else "base",
            "revolute" if kind == "R" else "prismatic",
            axis=axis,
            xyz=tuple(rng.uniform(0.2, 0.6, 3)),
            inertia=inertia.at(rng.normal(0.0, 0.2, 3)),
        )
        for k, (kind, axis) in enumerate(zip(kinds, axes, strict=True))
    ]
    return armdyn.Robot.from_links(parts, gravity=gravity)
