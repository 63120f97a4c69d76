"""What the equations of motion are to each other, on every robot, without any other library."""

import numpy as np

from oracles.cases import Case
from oracles.states import States, assert_close, random_states


def states(case: Case, seed: int) -> States:
    return random_states(case.n, 20, seed)


def conditioning(case: Case, q: np.ndarray) -> float:
    """How much solving with M may amplify rounding."""
    return max(1e-12, 1e-15 * max(np.linalg.cond(M) for M in case.robot.mass_matrix(q)))


def test_forward_after_inverse_dynamics_returns_the_acceleration(case: Case) -> None:
    s, robot = states(case, 31), case.robot
    tau = robot.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip)
    scale = np.linalg.norm(tau, axis=1) / np.linalg.norm(np.einsum("kij,kj->ki", robot.mass_matrix(s.q), s.qdd), axis=1)
    relative = conditioning(case, s.q) * max(scale.max(), 1.0)
    assert_close(robot.forward_dynamics(s.q, s.qd, tau, s.f_tip), s.qdd, relative)


def test_inverse_after_forward_dynamics_returns_the_torque(case: Case) -> None:
    s, robot = states(case, 32), case.robot
    qdd = robot.forward_dynamics(s.q, s.qd, s.tau, s.f_tip)
    assert_close(robot.inverse_dynamics(s.q, s.qd, qdd, s.f_tip), s.tau, conditioning(case, s.q))


def test_torque_is_mass_times_acceleration_plus_the_rest(case: Case) -> None:
    s, robot = states(case, 33), case.robot
    parts = (
        np.einsum("kij,kj->ki", robot.mass_matrix(s.q), s.qdd)
        + robot.velocity_forces(s.q, s.qd)
        + robot.gravity_forces(s.q)
        + robot.tip_forces(s.q, s.f_tip)
    )
    assert_close(robot.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip), parts)


def test_bias_is_velocity_plus_gravity_forces(case: Case) -> None:
    s, robot = states(case, 34), case.robot
    assert_close(robot.bias_forces(s.q, s.qd), robot.velocity_forces(s.q, s.qd) + robot.gravity_forces(s.q))


def test_columns_of_the_mass_matrix_are_torques_of_unit_accelerations(case: Case) -> None:
    q = states(case, 35).q[:, None, :]
    weightless = case.robot.with_gravity([0.0, 0.0, 0.0])
    columns = weightless.inverse_dynamics(q, np.zeros(case.n), np.eye(case.n))
    assert_close(case.robot.mass_matrix(q[:, 0]), np.swapaxes(columns, 1, 2))


def test_mass_matrix_is_symmetric_to_the_last_bit_and_positive_definite(case: Case) -> None:
    M = case.robot.mass_matrix(states(case, 36).q)
    np.testing.assert_array_equal(M, np.swapaxes(M, 1, 2))
    assert np.linalg.eigvalsh(M).min() > 0.0


def test_inverse_dynamics_is_affine_in_the_acceleration(case: Case) -> None:
    s, robot = states(case, 37), case.robot
    at_rest = robot.inverse_dynamics(s.q, s.qd, np.zeros(case.n))
    one, other = robot.inverse_dynamics(s.q, s.qd, s.qdd), robot.inverse_dynamics(s.q, s.qd, s.tau)
    both = robot.inverse_dynamics(s.q, s.qd, 2.0 * s.qdd - 3.0 * s.tau)
    assert_close(both, at_rest + 2.0 * (one - at_rest) - 3.0 * (other - at_rest), relative=2e-12)


def test_velocity_forces_are_quadratic(case: Case) -> None:
    """c(q, 2 qd) = 4 c(q, qd) to the last bit; c(q, u + v) + c(q, u - v) = 2 c(q, u) + 2 c(q, v)."""
    s, c = states(case, 38), case.robot.velocity_forces
    np.testing.assert_array_equal(c(s.q, 2.0 * s.qd), 4.0 * c(s.q, s.qd))
    u, v = s.qd, s.qdd
    assert_close(c(s.q, u + v) + c(s.q, u - v), 2.0 * c(s.q, u) + 2.0 * c(s.q, v))


def test_kinetic_energy_is_half_the_mass_matrix_form(case: Case) -> None:
    s, robot = states(case, 39), case.robot
    assert_close(robot.kinetic_energy(s.q, s.qd), 0.5 * np.einsum("ki,kij,kj->k", s.qd, robot.mass_matrix(s.q), s.qd))


def test_tip_forces_are_the_transposed_jacobian(case: Case) -> None:
    s, robot = states(case, 40), case.robot
    assert_close(robot.tip_forces(s.q, s.f_tip), np.einsum("kij,ki->kj", robot.jacobian(s.q), s.f_tip))
