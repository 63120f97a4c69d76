"""Modern Robotics example 8.5, number by number, and exactly: a 2R arm whose tip runs in a channel at x = 1.

theta = (-pi/3, 2 pi/3), thetadot = (1, 0), no gravity. The book prints three digits; the numbers behind them are
0.866 = sqrt(3)/2, 1.155 = 2/sqrt(3), 0.577 = 1/sqrt(3), 0.289 = 1/(2 sqrt(3)), 0.167 = 1/6.
"""

import numpy as np
import pytest

import armdyn
from armdyn import algorithms

ROOT3 = np.sqrt(3.0)
THETA, THETADOT = np.array([-np.pi / 3, 2 * np.pi / 3]), np.array([1.0, 0.0])
TAU = np.array([1.7, -0.6])
EXACT = {"rtol": 0, "atol": 4e-15}


def close_to_one(model, q):
    """c_1 + c_12 - 1, as the book writes the constraint."""
    return np.cos(q[0]) + np.cos(q[0] + q[1]) - 1.0


def row(model, q):
    """A(theta) as the book writes it."""
    return [-np.sin(q[0]) - np.sin(q[0] + q[1]), -np.sin(q[0] + q[1])]


CHANNELS = {
    "plane": armdyn.constraints.PointOnPlane("tip", (1, 0, 0), (1, 0, 0), name="channel"),
    "held frame": armdyn.constraints.Held(
        "tip", axes=("x",), to_pose=np.eye(4) + np.eye(4, k=3) * [[1]], name="channel"
    ),
    "own equation": armdyn.constraints.Holonomic(close_to_one, ["x"], name="channel"),
    "own Pfaffian": armdyn.constraints.Pfaffian(row, ["x"], name="channel"),
    "surface": armdyn.constraints.PointOnSurface("tip", lambda p: p[0] - 1.0, name="channel"),
}


@pytest.fixture(scope="module", params=CHANNELS)
def arm(request) -> armdyn.Robot:
    return armdyn.load("planar_2r", gravity=(0.0, 0.0, 0.0)).with_constraints(CHANNELS[request.param])


def test_constraint(arm):
    np.testing.assert_allclose(arm.constraint_jacobian(THETA), [[0.0, -ROOT3 / 2]], **EXACT)
    np.testing.assert_allclose(arm.constraint_velocity(THETA, THETADOT), [0.0], **EXACT)
    np.testing.assert_allclose(arm.constraint_drift(THETA, THETADOT), [-1.0], **EXACT)  # [-1, -0.5] (1, 0)


def test_rate_of_the_constraint_jacobian(arm):
    """Adot = [-1, -0.5]."""
    dA = armdyn.program.interpret(arm.constraint_jacobian.program().derivative(), THETA)[0]
    np.testing.assert_allclose(dA @ THETADOT, [[-1.0, -0.5]], **EXACT)


def test_constrained_forward_dynamics(arm):
    motion = arm.constrained_forward_dynamics(THETA, THETADOT, TAU)
    np.testing.assert_allclose(motion.multipliers, [TAU[0] / (2 * ROOT3) - 2 / ROOT3 * TAU[1] - 1 / 6], **EXACT)
    np.testing.assert_allclose(motion.qdd, [TAU[0] / 2 + 1 / (2 * ROOT3), -2 / ROOT3], **EXACT)


def test_printed_digits(arm):
    """lambda = 0.289 tau1 - 1.155 tau2 - 0.167, thetaddot = (0.5 tau1 + 0.289, -1.155)."""
    at_rest, first, second = (
        arm.constrained_forward_dynamics(THETA, THETADOT, tau) for tau in ((0, 0), (1, 0), (0, 1))
    )
    for tau, multiplier, slope in ((first, 0.289, 0.5), (second, -1.155, 0.0)):
        assert round(float(tau.multipliers[0] - at_rest.multipliers[0]), 3) == multiplier
        np.testing.assert_allclose(tau.qdd - at_rest.qdd, [slope, 0.0], **EXACT)
    assert round(float(at_rest.multipliers[0]), 3) == -0.167
    np.testing.assert_array_equal(at_rest.qdd.round(3), [0.289, -1.155])


def test_task_space_constraint_force(arm):
    """f_tip = (0.289 tau1 - 1.155 tau2 - 0.167, 0): the tip pushes against the channel along x alone."""
    motion = arm.constrained_forward_dynamics(THETA, THETADOT, TAU)
    wrench = arm.constraint_wrench(THETA, motion.multipliers, expressed_in="world", components=("fx", "fy"))
    force = TAU[0] / (2 * ROOT3) - 2 / ROOT3 * TAU[1] - 1 / 6
    np.testing.assert_allclose(wrench, [force, 0], **EXACT)
    at_rest = arm.constrained_forward_dynamics(THETA, THETADOT, [0, 0])
    wrench = arm.constraint_wrench(THETA, at_rest.multipliers, expressed_in="world", components=("fx", "fy"))
    assert wrench[0] < 0  # with no torque the tip pushes to the left on the channel


def test_inverse_transpose_of_the_jacobian(arm):
    """J^-T = [[0.577, -1.155], [1, 0]] and J^-T A^T = (1, 0)."""
    J = arm.jacobian(THETA, expressed_in="world")[3:5]
    np.testing.assert_allclose(np.linalg.inv(J).T, [[1 / ROOT3, -2 / ROOT3], [1, 0]], **EXACT)
    np.testing.assert_allclose(np.linalg.solve(J.T, arm.constraint_jacobian(THETA)[0]), [1, 0], **EXACT)


@pytest.mark.short_run(without=("own equation",))
def test_constrained_inverse_dynamics(arm):
    """tau = (2a - 0.578, 0.5a - 0.866 f - 0.289) for thetaddot = (a, -1.155) and lambda = f."""
    a, f = 0.8, 1.3
    expected = [2 * a - 1 / ROOT3, a / 2 - ROOT3 / 2 * f - 1 / (2 * ROOT3)]
    lam = arm.multipliers_of_wrench(THETA, [0, 0, 0, f, 0, 0], expressed_in="world")
    np.testing.assert_allclose(lam, [f], **EXACT)
    np.testing.assert_allclose(
        arm.constrained_inverse_dynamics(THETA, THETADOT, [a, -2 / ROOT3], lam), expected, **EXACT
    )
    # hybrid motion-force control may ask for any acceleration: what goes against the channel is left out
    for against in (-2 / ROOT3, 0.0, 7.0):
        wanted = np.array([a, against])
        tau = arm.hybrid_forces(THETA, THETADOT, wanted, lam)
        motion = arm.constrained_forward_dynamics(THETA, THETADOT, tau)
        np.testing.assert_allclose(motion.multipliers, [f], **EXACT)
        assert motion.qdd[1] == pytest.approx(-2 / ROOT3, abs=1e-14)
        P_qdd = arm.acceleration_projection(THETA)
        np.testing.assert_allclose(P_qdd @ motion.qdd, P_qdd @ wanted, **EXACT)
    np.testing.assert_allclose(arm.hybrid_forces(THETA, THETADOT, [a, -2 / ROOT3], lam), expected, **EXACT)


def test_projections(arm):
    P = arm.force_projection(THETA)
    np.testing.assert_allclose(P, [[1.0, 0.0], [0.25, 0.0]], **EXACT)
    np.testing.assert_allclose(np.eye(2) - P, [[0.0, 0.0], [-0.25, 1.0]], **EXACT)
    np.testing.assert_allclose(arm.acceleration_projection(THETA), P.T, **EXACT)


def test_torques_that_leave_the_constraint_force_alone(arm):
    """0.289 tau1 = 1.155 tau2 changes no lambda; tau1 = 0 changes no motion."""
    here = arm.constrained_forward_dynamics(THETA, THETADOT, TAU)
    moved = arm.constrained_forward_dynamics(THETA, THETADOT, TAU + np.array([4.0, 1.0]))
    np.testing.assert_allclose(moved.multipliers, here.multipliers, **EXACT)
    pushed = arm.constrained_forward_dynamics(THETA, THETADOT, TAU + np.array([0.0, 3.0]))
    np.testing.assert_allclose(pushed.qdd, here.qdd, **EXACT)


def test_the_book_s_functions_are_the_library_s(arm):
    q = THETA + 0.3
    x = algorithms.forward_kinematics(arm.mechanism, q)[0, 3]
    assert float(x) - 1.0 == pytest.approx(float(close_to_one(None, q)), abs=1e-15)
