"""Temperatures over a repeated cycle against an integrator, and their bounds."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import armdyn
from armdyn.actuators import Motor
from armdyn.sizing import Catalogue, CatalogueGear, JointLoad, MotionCycle, joint_loads
from armdyn.sizing.history import drive_history
from armdyn.sizing.pairs import Motors
from armdyn.sizing.temperature import periodic_rises, winding_bounds


@pytest.fixture(scope="module")
def load(arm: armdyn.Robot, task: MotionCycle) -> JointLoad:
    return joint_loads(arm, task, ["elbow_joint"])["elbow_joint"]


GEAR = CatalogueGear(120.0, 1.0, efficiency=0.7)


def warm_motor(magnets: float = 0.0) -> Motor:
    motor = Catalogue.bundled().motors["maxon EC 60 flat 614949"]
    assert motor.thermal is not None
    return dataclasses.replace(motor, thermal=dataclasses.replace(motor.thermal, magnet_coefficient=magnets))


@pytest.mark.parametrize("magnets", [0.0, -0.001])
def test_a_cycle_begins_as_it_ends_and_is_the_integrators(load: JointLoad, magnets: float) -> None:
    motor = warm_motor(magnets)
    thermal = motor.thermal
    assert thermal is not None
    history = drive_history(load, motor, GEAR)
    winding, housing = history.winding - thermal.ambient, history.housing - thermal.ambient
    assert winding[0] == pytest.approx(winding[-1], rel=1e-10)
    assert housing[0] == pytest.approx(housing[-1], rel=1e-10)
    assert np.ptp(winding) > 0.1
    Rwh, Rha = thermal.winding_to_housing, thermal.housing_to_ambient
    for k in range(0, len(winding) - 1, 3):
        h = history.t[k + 1] - history.t[k]
        if h == 0.0:
            continue
        I2 = 0.5 * (history.current[k] ** 2 + history.current[k + 1] ** 2)

        def rates(_: float, theta: np.ndarray, I2: float = I2) -> list[float]:
            w, hs = theta
            power = I2 * motor.R * (1.0 + thermal.resistance_coefficient * (w + thermal.ambient - thermal.reference))
            across = (w - hs) / Rwh
            return [(power - across) / thermal.winding_capacity, (across - hs / Rha) / thermal.housing_capacity]

        end = solve_ivp(rates, (0.0, h), [winding[k], housing[k]], method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
        np.testing.assert_allclose([winding[k + 1], housing[k + 1]], end, rtol=2e-9 if magnets else 1e-11)


def test_one_body_alone(load: JointLoad) -> None:
    motor = dataclasses.replace(warm_motor(), thermal=armdyn.actuators.Thermal(3.0, 20.0, winding_limit=155.0))
    history = drive_history(load, motor, GEAR)
    assert history.winding[0] == pytest.approx(history.winding[-1], rel=1e-12)
    assert (history.housing == 25.0).all()


def test_heat_that_grows_without_end_is_infinite(load: JointLoad) -> None:
    motor = warm_motor()
    torques = np.full((1, len(load.task.t)), motor.k_t * 3.0)
    for factor, ends in ((1.0, True), (30.0, False)):
        rises = periodic_rises([motor], factor * torques, load.task.steps)
        assert np.isfinite(rises.winding).all() == ends
        steady = motor.steady_rises(3.0 * factor).winding
        assert rises.winding[0, 0] == pytest.approx(float(steady), rel=1e-9)


def test_bounds_hold_the_highest_rise_between_them(load: JointLoad, catalogue: Catalogue) -> None:
    tight = []
    for motor in (motor for motor in catalogue.motors.values() if motor.thermal is not None):
        fixed = dataclasses.replace(motor, thermal=dataclasses.replace(motor.thermal, magnet_coefficient=0.0))
        assert fixed.thermal is not None
        for size in (0.2, 0.5, 0.8):
            limit = fixed.thermal.winding_limit - fixed.thermal.ambient
            wave = np.abs(np.sin(np.arange(len(load.task.t))))
            torque = size * fixed.k_t * fixed.continuous_current() * wave
            heat = load.task.weights @ (torque / fixed.k_t) ** 2 * fixed.at().R
            low, high = winding_bounds(Motors.of([fixed]), np.array([[heat]]), load.task.duration)
            exact = periodic_rises([fixed], torque[None], load.task.steps).winding.max()
            assert low[0, 0] <= exact * (1.0 + 1e-12)
            if high[0, 0] <= limit:
                assert exact <= high[0, 0]
                tight.append(low[0, 0] / high[0, 0])
    assert len(tight) > 10
    assert max(tight) > 0.9
