"""Derivatives of arms whose joints are coupled: A^T D A of the derivatives of the same arm with every joint free."""

import dataclasses
from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

import armdyn
from oracles.states import assert_close, random_states
from oracles.trees import random_tree, spindles, to_armdyn


class Pair(NamedTuple):
    """``robot`` moves the joints of ``free`` at A q + b."""

    robot: armdyn.Robot
    free: armdyn.Robot
    A: np.ndarray
    b: np.ndarray


def pair_of(tree, A: np.ndarray, b: np.ndarray) -> Pair:
    model = to_armdyn(tree)
    joints = tuple(dataclasses.replace(j, armature=0.2 * (k % 2)) for k, j in enumerate(model.joints))
    free = armdyn.Robot(model.replace(joints=joints))
    names = [f"motor_{k}" for k in range(A.shape[1])]
    return Pair(free.with_coordinates(names, A, offset=b, kinds=dict.fromkeys(names, "revolute")), free, A, b)


def dense(seed: int, n: int) -> Pair:
    """Every coordinate moves every joint."""
    rng = np.random.default_rng(seed)
    return pair_of(random_tree(seed, 7), rng.normal(size=(7, n)), rng.normal(size=7))


def followers(seed: int, n: int) -> Pair:
    """Every joint moves with one coordinate, in no order."""
    rng = np.random.default_rng(seed)
    A = np.zeros((8, n))
    A[rng.permutation(8), [*rng.permutation(n), *rng.integers(0, n, 8 - n)]] = rng.normal(size=8)
    return pair_of(random_tree(seed, 8), A, rng.normal(size=8))


def differential() -> Pair:
    """Two motors move two spindles together, one drives two, and one joint is held."""
    A = np.zeros((6, 4))
    A[1, :2], A[2, :2] = (0.5, 0.5), (0.5, -0.5)
    A[0, 3], A[4, 2], A[5, 2] = 1.0, 1.0, -3.0
    return pair_of(spindles(), A, np.array([0.0, 0.1, 0.0, 0.7, 0.0, -0.2]))


PAIRS: Mapping[str, Callable[[], Pair]] = {
    "dense": lambda: dense(21, 4),
    "one coordinate": lambda: dense(25, 1),
    "followers": lambda: followers(26, 3),
    "permuted": lambda: followers(28, 8),
    "differential": differential,
}


@cache
def made(name: str) -> Pair:
    return PAIRS[name]()


@pytest.fixture(params=PAIRS)
def pair(request: pytest.FixtureRequest) -> Pair:
    return made(request.param)


@pytest.mark.short_run("differential")
def test_inverse_dynamics(pair: Pair) -> None:
    robot, free, A, b = pair
    s = random_states(robot.dof, 5, seed=331)
    actual = robot.inverse_dynamics_derivatives(s.q, s.qd, s.qdd)
    of_joints = free.inverse_dynamics_derivatives(s.q @ A.T + b, s.qd @ A.T, s.qdd @ A.T)
    for ours, theirs in zip(actual, of_joints, strict=True):
        assert_close(ours, A.T @ theirs @ A)


@pytest.mark.short_run("differential")
def test_forward_dynamics(pair: Pair) -> None:
    """M d qdd = -d tau at the accelerations that tau causes, all of it from the free arm."""
    robot, free, A, b = pair
    s = random_states(robot.dof, 5, seed=332)
    qdd = robot.forward_dynamics(s.q, s.qd, s.tau)
    of_joints = free.inverse_dynamics_derivatives(s.q @ A.T + b, s.qd @ A.T, qdd @ A.T)
    by_q, by_qd, M = (A.T @ D @ A for D in of_joints)
    actual = robot.forward_dynamics_derivatives(s.q, s.qd, s.tau)
    relative = max(1e-12, 1e-14 * max(np.linalg.cond(m) for m in M))
    assert_close(actual.d_q, -np.linalg.solve(M, by_q), relative)
    assert_close(actual.d_qd, -np.linalg.solve(M, by_qd), relative)
    assert_close(actual.d_tau, np.linalg.inv(M), relative)
    np.testing.assert_array_equal(actual.d_tau, np.swapaxes(actual.d_tau, 1, 2))
