"""A task of the UR5, and catalogues of numbers that no maker prints."""

from __future__ import annotations

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Motor, MotorLimits, Thermal
from armdyn.sizing import Catalogue, CatalogueGear, MotionCycle


def swinging(samples: int = 31, duration: float = 2.0, n: int = 6, seed: int = 1) -> MotionCycle:
    """Two harmonics of each joint at uneven times, and a pause."""
    rng = np.random.default_rng(seed)
    t = np.concatenate([[0.0], np.sort(rng.uniform(0.0, duration, samples - 2)), [duration]])
    w = 2.0 * np.pi / duration * np.array([1.0, 2.0])[:, None, None]
    size, phase = rng.uniform(0.1, 0.5, (2, 1, n)), rng.uniform(0.0, 6.0, (2, 1, n))
    angle = w * t[:, None] + phase
    q, qd, qdd = size * np.sin(angle), size * w * np.cos(angle), -size * w**2 * np.sin(angle)
    return MotionCycle(t, q.sum(axis=0), qd.sum(axis=0), qdd.sum(axis=0), f_tip=rng.normal(size=6)).then_hold(0.7)


def some_motors(count: int, seed: int = 2) -> dict[str, Motor]:
    """Motors from very weak to far too strong; some without a thermal model, some with magnets that fade."""
    rng = np.random.default_rng(seed)
    found = {}
    for k in range(count):
        size = 10.0 ** rng.uniform(-1.0, 1.0)
        thermal = Thermal.of_time_constants(
            rng.uniform(1.0, 4.0) / size, rng.uniform(3.0, 40.0),
            rng.uniform(2.0, 8.0) / size, rng.uniform(200.0, 900.0),
            ambient=rng.uniform(15.0, 40.0), winding_limit=rng.uniform(80.0, 155.0),
            magnet_coefficient=-0.002 if k % 4 == 1 else 0.0,
        )  # fmt: skip
        rated = rng.uniform(1.0, 6.0) * size**0.5
        limits = MotorLimits(
            voltage=rng.choice([24.0, 48.0]), current=rated * rng.uniform(1.5, 6.0), continuous_current=rated,
            speed=rng.uniform(300.0, 900.0), torque=rng.uniform(0.1, 2.0) * size,
        )  # fmt: skip
        found[f"motor {k}"] = Motor(
            torque_constant=rng.uniform(0.02, 0.06) * size**0.5, resistance=rng.uniform(0.2, 1.5),
            rotor_inertia=1e-5 * size**1.5,
            friction=rng.uniform(0.0, 0.01) * size, damping=rng.uniform(0.0, 2e-5), limits=limits,
            thermal=None if k % 5 == 4 else thermal, mass=0.4 * size,
        )  # fmt: skip
    return found


def some_gears(count: int, seed: int = 3) -> dict[str, CatalogueGear]:
    """Gears of ratios from 5 to 300, one of them negative."""
    rng = np.random.default_rng(seed)
    found = {}
    for k in range(count):
        eta = rng.uniform(0.5, 1.0)
        found[f"gear {k}"] = CatalogueGear(
            np.exp(rng.uniform(np.log(5.0), np.log(300.0))) * (-1.0 if k == 2 else 1.0), rng.uniform(0.2, 3.0),
            rng.uniform(0.0, 1e-5), efficiency=eta, back_efficiency=rng.uniform(0.3, 1.0),
            rated_torque=rng.uniform(5.0, 150.0), peak_torque=rng.uniform(10.0, 300.0),
            maximum_input_speed=rng.uniform(200.0, 900.0), average_input_speed=rng.uniform(100.0, 500.0),
        )  # fmt: skip
    return found


@pytest.fixture(scope="session")
def task() -> MotionCycle:
    return swinging()


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return Catalogue(some_motors(15), some_gears(14))


@pytest.fixture(scope="session")
def arm() -> armdyn.Robot:
    return armdyn.load("ur5").with_friction(dict.fromkeys(armdyn.load("ur5").joint_names, (0.3, 0.6)))
