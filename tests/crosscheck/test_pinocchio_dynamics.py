"""The dynamics of real arms and random trees against Pinocchio, joint by joint, under gravity of any direction.

Of the bare body, without the damping and friction that a file states.
"""

import numpy as np
import pinocchio as pin

import armdyn
from oracles.cases import FROM_URDF, Case
from oracles.states import States, assert_close, random_states


def each(*arrays: np.ndarray) -> list[tuple[np.ndarray, ...]]:
    return list(zip(*arrays, strict=True))


def states(case: Case) -> States:
    return random_states(case.n, 25, seed=1)


def test_friction_is_counted(panda: Case) -> None:
    """The Panda's file states damping and friction: Pinocchio has read them, and joint forces are its and these."""
    robot = armdyn.Robot.from_urdf(panda.urdf, gravity=panda.robot.gravity, **FROM_URDF["panda_locked"][1])
    joints, s = robot.joints, states(panda)
    D = np.array([joint.damping for joint in joints])
    friction = np.array([joint.friction for joint in joints])
    np.testing.assert_array_equal(panda.from_pin(panda.pin.damping), D)
    np.testing.assert_array_equal(panda.from_pin(panda.pin.upperDryFrictionLimit), friction)
    assert (D > 0.0).all()
    rubbing = D * s.qd + friction * np.sign(s.qd)
    tau = np.array([panda.inverse_dynamics(*x) for x in each(s.q, s.qd, s.qdd)]) + rubbing
    assert_close(robot.inverse_dynamics(s.q, s.qd, s.qdd), tau)
    assert_close(robot.forward_dynamics(s.q, s.qd, tau), s.qdd, relative=1e-10)
    assert robot.without_friction() == panda.robot


def test_inverse_dynamics_is_rnea(case: Case) -> None:
    s = states(case)
    expected = np.array([case.inverse_dynamics(*x) for x in each(s.q, s.qd, s.qdd)])
    assert_close(case.robot.inverse_dynamics(s.q, s.qd, s.qdd), expected)


def test_tip_wrench_acts_on_the_surroundings(case: Case) -> None:
    """tau = M qdd + h + J^T f_tip: the surroundings push back on the tip with -f_tip."""
    s = states(case)
    expected = np.array([case.inverse_dynamics(*x) for x in each(s.q, s.qd, s.qdd, s.f_tip)])
    assert_close(case.robot.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip), expected)


def test_mass_matrix_is_crba(case: Case) -> None:
    s = states(case)
    expected = np.array([case.mass_matrix(q) for q in s.q])
    assert_close(case.robot.mass_matrix(s.q), expected)


def test_forward_dynamics_is_aba(case: Case) -> None:
    s = states(case)
    condition = max(np.linalg.cond(M) for M in case.robot.mass_matrix(s.q))
    expected = np.array([case.forward_dynamics(*x) for x in each(s.q, s.qd, s.tau)])
    assert_close(case.robot.forward_dynamics(s.q, s.qd, s.tau), expected, relative=max(1e-12, 1e-16 * condition))


def test_forward_dynamics_with_a_tip_wrench(case: Case) -> None:
    s = states(case)
    condition = max(np.linalg.cond(M) for M in case.robot.mass_matrix(s.q))
    expected = np.array([case.forward_dynamics(*x) for x in each(s.q, s.qd, s.tau, s.f_tip)])
    actual = case.robot.forward_dynamics(s.q, s.qd, s.tau, s.f_tip)
    assert_close(actual, expected, relative=max(1e-12, 1e-16 * condition))


def test_bias_forces_are_the_nonlinear_effects(case: Case) -> None:
    s = states(case)
    expected = [pin.nonLinearEffects(case.pin, case.data, case.pin_q(q), case.to_pin(qd)) for q, qd in each(s.q, s.qd)]
    assert_close(case.robot.bias_forces(s.q, s.qd), case.from_pin(np.array(expected)))


def test_gravity_forces(case: Case) -> None:
    s = states(case)
    expected = [pin.computeGeneralizedGravity(case.pin, case.data, case.pin_q(q)) for q in s.q]
    assert_close(case.robot.gravity_forces(s.q), case.from_pin(np.array(expected)))


def test_velocity_forces_are_coriolis_matrix_times_velocity(case: Case) -> None:
    s = states(case)
    expected = [
        pin.computeCoriolisMatrix(case.pin, case.data, case.pin_q(q), case.to_pin(qd)) @ case.to_pin(qd)
        for q, qd in each(s.q, s.qd)
    ]
    assert_close(case.robot.velocity_forces(s.q, s.qd), case.from_pin(np.array(expected)))


def test_kinetic_energy(case: Case) -> None:
    s = states(case)
    expected = [
        pin.computeKineticEnergy(case.pin, case.data, case.pin_q(q), case.to_pin(v)) for q, v in each(s.q, s.qd)
    ]
    assert_close(case.robot.kinetic_energy(s.q, s.qd), np.array(expected))


def test_potential_energy_with_its_zero_at_the_base(case: Case) -> None:
    s = states(case)
    expected = np.array([pin.computePotentialEnergy(case.pin, case.data, case.pin_q(q)) for q in s.q])
    scale = np.abs(expected).max()  # single values may cross zero
    assert np.abs(case.robot.potential_energy(s.q) - expected).max() <= 1e-12 * scale


def test_every_joint_sits_where_the_description_names_it(case: Case) -> None:
    """A force on one named joint accelerates the joint of that name most directly: (M^-1)_ii > 0, matched by name."""
    q = states(case).q[0]
    M = pin.crba(case.pin, case.data, case.pin_q(q))
    for index, name in enumerate(case.robot.joint_names):
        column = case.pin.joints[case.pin.getJointId(name)].idx_v
        np.testing.assert_allclose(case.robot.mass_matrix(q)[index, index], M[column, column], rtol=1e-12)
