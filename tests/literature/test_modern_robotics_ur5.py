"""The bundled UR5 against what Modern Robotics prints of it (sections 4.1.2 and 4.2), in metres to three digits."""

import modern_robotics as mr
import numpy as np

import armdyn
from oracles.states import random_states

W1, W2, L1, L2, H1, H2 = 0.109, 0.082, 0.425, 0.392, 0.089, 0.095
HOME = np.array([[-1, 0, 0, L1 + L2], [0, 0, 1, W1 + W2], [0, 1, 0, H1 - H2], [0, 0, 0, 1]])
SCREWS = np.array([
    [0, 0, 1, 0, 0, 0],
    [0, 1, 0, -H1, 0, 0],
    [0, 1, 0, -H1, 0, L1],
    [0, 1, 0, -H1, 0, L1 + L2],
    [0, 0, -1, -W1, L1 + L2, 0],
    [0, 1, 0, H2 - H1, 0, L1 + L2],
]).T  # fmt: skip
MILLIMETRE = 1.5e-3
"""The printed lengths are rounded to it, and several add up."""


def test_home_pose() -> None:
    np.testing.assert_allclose(armdyn.load("ur5").forward_kinematics(np.zeros(6)), HOME, rtol=0, atol=MILLIMETRE)


def test_screw_axes() -> None:
    J = armdyn.load("ur5").jacobian(np.zeros(6), expressed_in="space")
    np.testing.assert_allclose(J, SCREWS, rtol=0, atol=MILLIMETRE)


def test_poses_everywhere() -> None:
    for q in random_states(6, 10, seed=25).q:
        printed = mr.FKinSpace(HOME, SCREWS, q)
        np.testing.assert_allclose(armdyn.load("ur5").forward_kinematics(q), printed, rtol=0, atol=5 * MILLIMETRE)


def test_example_4_5_position() -> None:
    """theta_2 = -pi/2, theta_5 = pi/2, the others zero: T as printed, with p = (0.095, 0.109, 0.988) m."""
    T = armdyn.load("ur5").forward_kinematics([0, -np.pi / 2, 0, 0, np.pi / 2, 0])
    printed = [[0, -1, 0, 0.095], [1, 0, 0, 0.109], [0, 0, 1, 0.988], [0, 0, 0, 1]]
    np.testing.assert_allclose(T, printed, rtol=0, atol=MILLIMETRE)
