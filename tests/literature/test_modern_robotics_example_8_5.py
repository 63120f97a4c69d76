"""The 2R arm of Modern Robotics example 8.5, printed to three digits: theta = (-pi/3, 2 pi/3), thetadot = (1, 0)."""

import numpy as np
import pytest

import armdyn

THETA, THETADOT = np.array([-np.pi / 3, 2 * np.pi / 3]), np.array([1.0, 0.0])
PRINTED = 5e-4
"""Half a unit of the third decimal."""


@pytest.fixture(scope="module")
def arm() -> armdyn.Robot:
    return armdyn.load("planar_2r", gravity=(0.0, 0.0, 0.0))


def test_mass_matrix(arm: armdyn.Robot) -> None:
    np.testing.assert_allclose(arm.mass_matrix(THETA), [[2.0, 0.5], [0.5, 1.0]], rtol=0, atol=1e-15)


def test_velocity_products(arm: armdyn.Robot) -> None:
    np.testing.assert_allclose(arm.bias_forces(THETA, THETADOT), [0.0, 0.866], rtol=0, atol=PRINTED)


def test_tip_moves_straight_up_the_channel(arm: armdyn.Robot) -> None:
    J = arm.jacobian(THETA, expressed_in="world")
    np.testing.assert_allclose((J @ THETADOT)[3:], [0.0, 1.0, 0.0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(J[3], [0.0, -0.866], rtol=0, atol=PRINTED)  # A(theta)


def test_constrained_forward_dynamics(arm: armdyn.Robot) -> None:
    """lambda = 0.289 tau1 - 1.155 tau2 - 0.167 keeps x = 1, and leaves thetaddot = (0.5 tau1 + 0.289, -1.155).

    The tip applies lambda to the channel along x; it is an f_tip.
    """
    tau = np.array([1.7, -0.6])
    force = 0.289 * tau[0] - 1.155 * tau[1] - 0.167
    in_tip_axes = arm.forward_kinematics(THETA)[:3, :3].T @ [force, 0.0, 0.0]
    acceleration = arm.forward_dynamics(THETA, THETADOT, tau, [0.0, 0.0, 0.0, *in_tip_axes])
    np.testing.assert_allclose(acceleration, [0.5 * tau[0] + 0.289, -1.155], rtol=0, atol=5 * PRINTED)


def test_constrained_inverse_dynamics(arm: armdyn.Robot) -> None:
    """tau = (2a - 0.578, 0.5a - 0.866f - 0.289) for thetaddot = (a, -1.155) while the tip pushes f along x."""
    a, f = 0.8, 1.3
    in_tip_axes = arm.forward_kinematics(THETA)[:3, :3].T @ [f, 0.0, 0.0]
    tau = arm.inverse_dynamics(THETA, THETADOT, [a, -1.155], [0.0, 0.0, 0.0, *in_tip_axes])
    np.testing.assert_allclose(tau, [2 * a - 0.578, 0.5 * a - 0.866 * f - 0.289], rtol=0, atol=3 * PRINTED)
