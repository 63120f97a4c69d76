"""Friction of joints over speed and load: that of friction_forces, laws, numbers and fitted robots; its picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Coulomb, Gear, LuGre, Viscous, published
from armdyn.base.errors import ModelError
from identification.arms import fourier, recorded

ARM = armdyn.load("planar_2r")


def test_it_is_the_friction_of_friction_forces_at_the_load_of_gravity() -> None:
    servo = published.servo("MX-106", "M4")
    arm = ARM.with_actuators(
        {"joint_1": servo, "joint_2": Actuator(gear=Gear(50.0, efficiency=0.7), friction=Coulomb(0.3))}
    )
    for q in (np.array([0.3, 0.4]), np.array([2.5, -0.7])):
        loads = arm.gravity_forces(q)[:, None]
        friction = arm.friction_map(speeds=[-0.7, -1e-3, 0.2, 1.4], loads=loads)
        for j in range(2):
            for s, speed in enumerate(friction.speeds[j]):
                qd = np.eye(2)[j] * speed  # a joint that moves alone has no Coriolis force of its own
                expected = arm.friction_forces(q, qd, np.zeros(2))[j]
                np.testing.assert_allclose(friction.forces[j, s, 0], expected, rtol=1e-13)
        (law,) = servo.friction
        np.testing.assert_allclose(friction.at_rest[0, 0], law.at_rest(loads[0, 0]), rtol=1e-15)


def test_numbers_of_joints_and_laws_with_a_state_add_up() -> None:
    law = LuGre(stiffness=1e4, bristle_damping=1.0, viscous=0.0, static=2.0, kinetic=1.0, speed=0.1)
    arm = ARM.with_friction({"joint_1": (0.5, 2.0)}).with_actuators({"joint_2": Actuator(friction=[law, Viscous(0.4)])})
    friction = arm.friction_map(speeds=[[-1.0, 3.0], [-0.1, 0.1]])
    np.testing.assert_allclose(friction.forces[0, :, 0], [-2.5, 3.5], rtol=1e-15)
    np.testing.assert_allclose(friction.at_rest[0, 0], [-2.0, 2.0], rtol=1e-15)
    steady = 1.0 + 1.0 * np.exp(-1.0) + 0.04  # kinetic + (static - kinetic) exp(-(qd/v)^2) + viscous
    np.testing.assert_allclose(friction.forces[1, :, 0], [-steady, steady], rtol=1e-12)
    assert friction.loads.shape == (2, 1)
    assert "joint_2" in str(friction)
    assert friction.speeds.shape == (2, 2)


def test_speeds_and_loads_by_default() -> None:
    arm = ARM.with_actuators({"joint_1": published.servo("MX-106", "M4")})
    friction = arm.friction_map()
    assert friction.speeds.shape == (2, 120)
    np.testing.assert_array_equal(friction.loads[:, 1], 0.0)
    largest = np.abs(ARM.gravity_forces(ARM.random_configuration(1, size=2000))).max(axis=0)
    np.testing.assert_allclose(friction.loads[:, 2], largest, rtol=0.05)
    np.testing.assert_allclose(friction.forces[0, :, 0], -friction.forces[0, ::-1, 2], rtol=1e-13)


def test_loads_of_coupled_joints_are_their_own() -> None:
    """Without the coupling the joints of the arm bear the same gravity forces at the same positions."""
    servo = {"joint_1": published.servo("MX-106", "M4")}
    tied = ARM.with_mimic({"joint_2": ("joint_1", -2.0)}).with_actuators(servo)
    loads = tied.friction_map().loads
    angles = tied.joint_positions(tied.random_configuration(0, size=256))
    np.testing.assert_allclose(loads[:, 2], np.abs(ARM.gravity_forces(angles)).max(axis=0), rtol=1e-12)
    assert loads[1, 2] < 0.6 * loads[0, 2]


def test_a_fitted_robot_has_the_friction_of_its_log(tmp_path: Path) -> None:
    log = recorded(ARM.with_friction({"joint_1": (0.4, 1.0), "joint_2": (0.2, 0.5)}), fourier(2, 12.0, 100.0))
    fit = armdyn.identify(ARM, log, friction=("viscous", "coulomb"), delay=None)
    friction = fit.robot.friction_map(speeds=[0.5, 2.0])
    np.testing.assert_allclose(friction.forces[:, :, 0], [[1.2, 1.8], [0.6, 0.9]], rtol=0.02)
    friction.plot(tmp_path / "friction.png")
    assert (tmp_path / "friction.png").stat().st_size > 10_000


def test_bad_input_is_named() -> None:
    with pytest.raises(ModelError, match="zero"):
        ARM.friction_map(speeds=[-1.0, 0.0, 1.0])
    with pytest.raises(ModelError, match="loads has shape"):
        ARM.friction_map(loads=np.zeros((3, 4)))
