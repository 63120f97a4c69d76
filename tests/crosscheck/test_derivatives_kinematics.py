"""Derivatives of poses, Jacobians and energies: Pinocchio's kinematic Hessians, Lagrange's equations."""

import numpy as np
import pinocchio as pin
import pytest

from oracles.cases import ANGULAR_FIRST, CASES, Case
from oracles.short_run import short_run
from oracles.states import assert_close, random_states

NAMES = short_run(["ur5", "random_tree", "panda_fingers"], "ur5", "random_tree")


@pytest.fixture(params=NAMES)
def some(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]()


def test_pose_by_q_is_the_jacobian(some: Case) -> None:
    """T^-1 dT/dq_j = [J_j], the body Jacobian's column as a matrix (Modern Robotics 5.18)."""
    q = random_states(some.n, 5, seed=311).q
    T, by_q = some.robot.forward_kinematics(q), some.robot.forward_kinematics.derivative("q")(q)
    assert by_q.shape == (5, 4, 4, some.n)
    columns = np.einsum("sab,sbcj->sacj", np.linalg.inv(T), by_q)
    twists = np.stack([columns[:, 2, 1], columns[:, 0, 2], columns[:, 1, 0], *np.moveaxis(columns[:, :3, 3], 1, 0)], 1)
    assert_close(twists, some.robot.jacobian(q))
    assert_close(columns[:, 0, 1], -columns[:, 1, 0], floor=1.0)
    assert (by_q[:, 3] == 0.0).all()


AXES = {"body": pin.LOCAL, "space": pin.WORLD, "world": pin.LOCAL_WORLD_ALIGNED}


@pytest.mark.parametrize("expressed_in", AXES)
def test_jacobian_by_q_is_pinocchios_kinematic_hessian(some: Case, expressed_in: str) -> None:
    q = random_states(some.n, 5, seed=312).q
    frame = some.pin.getFrameId(some.robot.tip)
    expected = []
    for row in q:
        pin.computeJointJacobians(some.pin, some.data, some.pin_q(row))
        pin.updateFramePlacements(some.pin, some.data)
        pin.computeJointKinematicHessians(some.pin, some.data)
        H = pin.getFrameKinematicHessian(some.pin, some.data, frame, AXES[expressed_in])
        H = H.ravel().reshape(H.shape, order="F")  # Eigen's tensor has its first index running fastest
        expected.append(H[ANGULAR_FIRST][:, some.column][:, :, some.column])
    actual = some.robot.jacobian.derivative("q")(q, expressed_in=expressed_in)
    assert_close(actual, np.array(expected))


@pytest.mark.parametrize("expressed_in", AXES)
def test_jacobian_along_the_velocity_is_its_rate(some: Case, expressed_in: str) -> None:
    """`jacobian_dot` is derived by hand, from Lie brackets."""
    s = random_states(some.n, 5, seed=313)
    along = some.robot.jacobian.jvp("q")(s.q, tangent_q=s.qd, expressed_in=expressed_in)
    assert_close(along, some.robot.jacobian_dot(s.q, s.qd, expressed_in=expressed_in))


@pytest.mark.short_run("random_tree")
def test_poses_of_all_links_by_q(some: Case) -> None:
    q = random_states(some.n, 3, seed=314).q
    by_q = some.robot.link_poses.derivative("q")(q)
    assert by_q.shape == (3, len(some.robot.link_names), 4, 4, some.n)
    assert (by_q[:, 0] == 0.0).all()  # the base stays
    for k in (2, 4):
        name = some.robot.link_names[k]
        linear = some.robot.jacobian(q, frame=name, expressed_in="world")[:, 3:]
        assert_close(by_q[:, k, :3, 3], linear, floor=1.0)


def test_potential_energy_by_q_is_the_gravity_forces(some: Case) -> None:
    q = random_states(some.n, 5, seed=315).q
    assert_close(some.robot.potential_energy.derivative("q")(q), some.robot.gravity_forces(q))


def test_kinetic_energy_by_qd_is_the_momentum(some: Case) -> None:
    s = random_states(some.n, 5, seed=316)
    M = some.robot.mass_matrix(s.q)
    momentum = some.robot.kinetic_energy.derivative("qd")
    assert_close(momentum(s.q, s.qd), np.einsum("sij,sj->si", M, s.qd))
    assert_close(momentum.derivative("qd")(s.q, s.qd), M)


def test_lagranges_equations(some: Case) -> None:
    """tau = d/dt dK/dqd - dK/dq + dP/dq, along a motion with these velocities and accelerations (MR 8.2)."""
    s, robot = random_states(some.n, 5, seed=317), some.robot
    momentum_rate = robot.kinetic_energy.derivative("qd").jvp("q", "qd")
    momentum_rate = momentum_rate(s.q, s.qd, tangent_q=s.qd, tangent_qd=s.qdd)
    tau = momentum_rate - robot.kinetic_energy.derivative("q")(s.q, s.qd) + robot.potential_energy.derivative("q")(s.q)
    expected = robot.inverse_dynamics(s.q, s.qd, s.qdd)
    assert_close(tau, expected, floor=np.abs(momentum_rate).max())


def test_gravity_forces_by_q_against_pinocchio(some: Case) -> None:
    q = random_states(some.n, 5, seed=318).q
    expected = [pin.computeGeneralizedGravityDerivatives(some.pin, some.data, some.pin_q(row)) for row in q]
    expected = np.array([m[np.ix_(some.column, some.column)] for m in expected])
    actual = some.robot.gravity_forces.derivative("q")(q)
    assert_close(actual, expected)
    assert_close(actual, np.swapaxes(actual, 1, 2))  # the Hessian of the potential energy


def test_mass_matrix_by_q_gives_christoffels_forces(some: Case) -> None:
    """c_i = sum (dM_ij/dq_k - dM_jk/dq_i / 2) qd_j qd_k (Modern Robotics 8.16)."""
    s = random_states(some.n, 5, seed=319)
    dM = some.robot.mass_matrix.derivative("q")(s.q)
    quadratic = np.einsum("sijk,sj,sk->si", dM, s.qd, s.qd) - 0.5 * np.einsum("sjki,sj,sk->si", dM, s.qd, s.qd)
    assert_close(quadratic, some.robot.velocity_forces(s.q, s.qd))
