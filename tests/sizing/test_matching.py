"""Matching ratios, and a motor behind gears of many ratios."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import armdyn
from armdyn.actuators import Motor
from armdyn.sizing import CatalogueGear, MotionCycle, joint_loads, matching_ratio, ratio_sweep, task_matching_ratio
from armdyn.sizing.history import drive_torque


def test_exercise_8_9_the_ratio_that_accelerates_the_link_most() -> None:
    """Modern Robotics: qdd = G tau_m/(I_link + G^2 I_rotor) has its maximum at G = sqrt(I_link/I_rotor)."""
    link, rotor = 0.37, 2.1e-5
    G = matching_ratio(link, rotor)
    found = minimize_scalar(lambda g: -g / (link + g**2 * rotor), bounds=(1.0, 1e4), method="bounded")
    assert pytest.approx(found.x, rel=1e-5) == G
    assert G**2 * rotor == pytest.approx(link, rel=1e-14)  # the reflected inertia is the link's


def test_ratio_of_a_task_has_the_least_torque(arm: armdyn.Robot, task: MotionCycle) -> None:
    load = joint_loads(arm, task, ["elbow_joint"])["elbow_joint"]
    motor = Motor(torque_constant=0.05, resistance=0.5, rotor_inertia=3e-5, mass=0.5)
    G = task_matching_ratio(load, motor.rotor_inertia)
    # the sum of a cross term, which no ratio changes, and of two squares
    sweep = ratio_sweep(load, motor, G * np.array([0.9, 0.999, 1.0, 1.001, 1.1]))
    assert sweep.rms_torque.argmin() == 2


def test_ratio_of_a_pure_inertia_is_exercise_8_9(task: MotionCycle) -> None:
    arm = armdyn.load("planar_2r").with_gravity([0, 0, 0])
    zero = np.zeros_like(task.t)
    alone = MotionCycle(*(task.t, *(np.column_stack([x[:, 0], zero]) for x in (task.q, task.qd, task.qdd))))
    load = joint_loads(arm, alone)["joint_1"]
    assert task_matching_ratio(load, 1e-4) == pytest.approx(matching_ratio(load.inertia[0], 1e-4), rel=1e-12)


def test_sweep_is_each_ratio_sample_by_sample(arm: armdyn.Robot, task: MotionCycle) -> None:
    load = joint_loads(arm, task, ["wrist_1_joint"])["wrist_1_joint"]
    motor = Motor(torque_constant=0.05, resistance=0.5, rotor_inertia=3e-5, friction=0.004, damping=1e-5, mass=0.5)
    like = CatalogueGear(7.0, 1.0, 2e-6, efficiency=0.8, back_efficiency=0.6)
    sweep = ratio_sweep(load, motor, [20.0, -60.0, 150.0], like)
    for k, G in enumerate((20.0, -60.0, 150.0)):
        torque = drive_torque(load, motor, CatalogueGear(G, 1.0, 2e-6, efficiency=0.8, back_efficiency=0.6))
        voltage = motor.voltage(motor.current(torque), G * load.qd)
        expected = (abs(G * load.qd).max(), abs(torque).max(), abs(voltage).max())
        np.testing.assert_allclose([sweep.speed[k], sweep.torque[k], sweep.voltage[k]], expected, rtol=1e-12)
        heat = load.task.weights @ motor.heat(motor.current(torque))
        np.testing.assert_allclose([sweep.heat[k], sweep.rms_torque[k] ** 2 * motor.R / motor.k_t**2], heat, rtol=1e-11)
