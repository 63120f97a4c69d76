"""Bounded forces along rows that depend on each other: the one solution, by looking at every case."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import armdyn
from armdyn.constraints import PointOnPlane
from armdyn.simulation import Contact, RungeKutta4, Stops
from armdyn.simulation.system.bounded import bounded_forces


def by_cases(B: np.ndarray, b: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray | None:
    """B p of the solution: of all choices of free forces and bounds that whose signs are right; None without any."""
    W, n = B.T @ B, len(b)
    for choice in product((-1, 0, 1), repeat=n):
        side = np.array(choice)
        p = np.where(side < 0, low, np.where(side > 0, high, 0.0))
        if not np.isfinite(p).all():
            continue
        free = side == 0
        p[free] = np.linalg.lstsq(W[np.ix_(free, free)], -(b + W @ p)[free], rcond=1e-10)[0]
        after = W @ p + b
        right = np.where(free, np.abs(after) < 1e-8, after * side <= 1e-8)
        if right.all() and (p >= low - 1e-8).all() and (p <= high + 1e-8).all():
            return B @ p
    return None


@pytest.mark.parametrize("bounded", [False, True])
def test_any_b_of_dependent_rows(bounded: bool) -> None:
    """More rows than there are ways to move; where no solution exists there is nothing to compare."""
    rng, compared = np.random.default_rng(5), 0
    for _ in range(150):
        n = int(rng.integers(2, 5))
        B, b = rng.normal(size=(int(rng.integers(1, n)), n)), rng.normal(size=n)
        low = -rng.uniform(0.1, 2.0, n) if bounded else np.zeros(n)
        high = rng.uniform(0.1, 2.0, n) if bounded else np.full(n, np.inf)
        expected = by_cases(B, b, low, high)
        if expected is None:
            continue
        p = bounded_forces(B, b, low, high)
        np.testing.assert_allclose(B @ p, expected, atol=1e-6)
        assert (p >= low - 1e-12).all()
        assert (p <= high + 1e-12).all()
        compared += 1
    assert compared > 40


@pytest.mark.parametrize(("stop", "wall"), [(0.5, 0.0), (1.0, 0.0), (0.0, 1.0), (0.5, 0.5)])
def test_a_stop_and_a_wall_reached_at_once(stop: float, wall: float) -> None:
    """One way to move, two barriers: it rebounds by the larger restitution."""
    arm = (
        armdyn.load("planar_2r", gravity=(0, 0, 0)).with_locked({"joint_1": 0.0}).with_limits({"joint_2": (-2.5, 0.2)})
    )
    plane = PointOnPlane("tip", (1, 0, 0), arm.forward_kinematics([0.2])[:3, 3], name="wall")
    motion = armdyn.simulate(
        arm, [0.1], [1.0], duration=0.12, elements=[Stops(stop), Contact(plane, restitution=wall)], method="rk4"
    )
    np.testing.assert_allclose(motion.qd[-1], -max(stop, wall), rtol=1e-9)


def test_stops_and_a_floor_at_once() -> None:
    """v+ + e v- >= 0 of every barrier."""
    arm = armdyn.load("planar_2r", gravity=(0, 0, 0)).with_limits({"joint_1": (-0.5, 2), "joint_2": (-0.4, 2)})
    q, qd = np.array([-0.5, -0.4]), np.array([-1.0, -0.8])
    floor = PointOnPlane("tip", (0, 1, 0), arm.forward_kinematics(q)[:3, 3], name="floor")
    motion = armdyn.simulate(
        arm, q, qd, duration=1e-3, elements=[Stops(1.0), Contact(floor)], method=RungeKutta4(step=1e-3)
    )
    after = motion.events[0].qd
    assert (after >= -qd - 1e-9).all()
