"""Histories of drives whose motion has the motors' own signals: those of a loop under `through_motors`."""

import dataclasses

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Gear, Motor, MotorLimits, Thermal

MOTOR = Motor(
    1e-4, torque_constant=0.05, resistance=1.0, inductance=2e-4,
    limits=MotorLimits(torque=0.1), thermal=Thermal(2.0, 5.0),
)  # fmt: skip
VOLTS = np.array([12.0, 0.0])


@armdyn.function("(n),(n)->(n)")
def held(model, q, volts):
    return volts


def arm(motor: Motor) -> armdyn.Robot:
    return armdyn.load("planar_2r").with_actuators({"joint_2": Actuator(motor, Gear(50.0))})


def moved(motor: Motor = MOTOR, every: int = 1) -> armdyn.Trajectory:
    loop = armdyn.ClosedLoop(arm(motor), armdyn.control.through_motors(held, command="voltage"))
    return loop.simulate([0.0, 0.0], steps=500, every=every, volts=VOLTS[::-1])


@pytest.mark.parametrize("every", [1, 7])
def test_the_loops_own_signals_where_the_torque_is_at_its_limit(every: int) -> None:
    """Currents from the torque would be k_t times too small for the voltage that is on the motor."""
    motion = moved(every=every)
    drives, signals = motion.drives(arm(MOTOR)), motion.signals
    assert drives.torque.max() == pytest.approx(0.1)
    assert drives.current.max() > 9.0
    for found, name in (("current", "current"), ("voltage", "voltage"), ("power", "electrical_power")):
        np.testing.assert_array_equal(getattr(drives, found)[:, 0], signals[name][:, 1])
    np.testing.assert_array_equal(drives.winding[:, 0], 25.0 + signals["winding_rise"][:, 1])
    np.testing.assert_array_equal(drives.housing[:, 0], 25.0 + signals["housing_rise"][:, 1])
    assert drives.winding[-1, 0] > 28.0  # 0.4 K warmer by the torque alone


def test_resampled_signals_too() -> None:
    motion = moved().resample(rate=77.0)
    np.testing.assert_array_equal(motion.drives(arm(MOTOR)).current[:, 0], motion.signals["current"][:, 1])


@pytest.mark.parametrize(
    "other", [dataclasses.replace(MOTOR, torque_constant=0.07), dataclasses.replace(MOTOR, thermal=None)]
)
def test_of_another_motor_than_ran_the_current_follows_from_the_torque(other: Motor) -> None:
    other = dataclasses.replace(other, limits=MotorLimits())
    motion = moved(dataclasses.replace(MOTOR, limits=MotorLimits()))
    drives = motion.drives(arm(other))
    for name, expected in vars(dataclasses.replace(motion, signals={}).drives(arm(other))).items():
        np.testing.assert_array_equal(getattr(drives, name), expected)


def test_within_its_limits_a_torque_is_that_of_the_current_at_the_end_of_its_step() -> None:
    free = dataclasses.replace(MOTOR, limits=MotorLimits())
    drives = moved(free).drives(arm(free))
    k_t = [
        free.at(winding - 25.0, housing - 25.0).k_t
        for winding, housing in zip(drives.winding, drives.housing, strict=True)
    ]
    np.testing.assert_allclose(drives.torque[:-1, 0], np.ravel(k_t)[:-1] * drives.current[1:, 0], rtol=1e-12)
