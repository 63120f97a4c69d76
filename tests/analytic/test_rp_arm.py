"""The bundled RP arm against Lagrange's equations done by hand, in the manner of Craig's chapter 6.

K = (m1 l1^2 + I1 + m2 q2^2 + I2) q1'^2 / 2 + m2 q2'^2 / 2,  P = g (m1 l1 + m2 q2) sin q1.
"""

import numpy as np

import armdyn
from oracles.states import assert_close, random_states

M1, L1, I1, M2, I2, G = 3.0, 0.4, 0.06, 2.0, 0.03, 9.81
S = random_states(2, 50, seed=22)
Q1, Q2 = S.q.T


def test_inverse_dynamics() -> None:
    (w, v), (wd, vd) = S.qd.T, S.qdd.T
    inertia = M1 * L1**2 + I1 + M2 * Q2**2 + I2
    turning = inertia * wd + 2 * M2 * Q2 * v * w + (M1 * L1 + M2 * Q2) * G * np.cos(Q1)
    sliding = M2 * vd - M2 * Q2 * w**2 + M2 * G * np.sin(Q1)
    assert_close(armdyn.load("rp").inverse_dynamics(S.q, S.qd, S.qdd), np.stack([turning, sliding], axis=1))


def test_forward_dynamics_under_a_tip_wrench_along_the_arm() -> None:
    """A force f of the tip on a wall along the arm is felt by the slide alone; a moment about z by the turn alone."""
    robot, (w, v) = armdyn.load("rp"), S.qd.T
    push, twist = S.f_tip[:, 3], S.f_tip[:, 2]
    f_tip = np.zeros((50, 6))
    f_tip[:, 3], f_tip[:, 2] = push, twist
    inertia = M1 * L1**2 + I1 + M2 * Q2**2 + I2
    turning = S.tau[:, 0] - 2 * M2 * Q2 * v * w - (M1 * L1 + M2 * Q2) * G * np.cos(Q1) - twist
    sliding = S.tau[:, 1] + M2 * Q2 * w**2 - M2 * G * np.sin(Q1) - push
    expected = np.stack([turning / inertia, sliding / M2], axis=1)
    assert_close(robot.forward_dynamics(S.q, S.qd, S.tau, f_tip), expected)


def test_mass_matrix_is_diagonal() -> None:
    M = armdyn.load("rp").mass_matrix(S.q)
    np.testing.assert_allclose(M[:, 0, 0], M1 * L1**2 + I1 + M2 * Q2**2 + I2, rtol=1e-13)
    np.testing.assert_allclose(M[:, 1, 1], M2, rtol=1e-13)
    assert np.abs(M[:, 0, 1]).max() < 1e-15
