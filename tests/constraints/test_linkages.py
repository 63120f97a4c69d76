"""A four-bar and a five-bar: closing, motion and forces against Lagrange's equations in independent coordinates."""

import mpmath as mp
import numpy as np
import pytest
from linkages import five_bar, five_bar_by_lagrange, four_bar, four_bar_by_lagrange

import armdyn
from oracles.states import assert_close

CRANK_ANGLES = [0.4, 1.3, 2.2, 3.9, 5.5]


def wrapped(angle):
    return np.angle(np.exp(1j * np.asarray(angle)))


@pytest.fixture(scope="module", autouse=True)
def many_digits():
    with mp.workdps(30):
        yield


def motion_of_angles(angles, x, xd, xdd):
    """q, qd, qdd of all joints along x(t), by differences of 60 digits."""
    with mp.workdps(60):

        def along(t):
            return angles(*(a + b * t + c * t * t / 2 for a, b, c in zip(x, xd, xdd, strict=True)))

        h = mp.mpf(10) ** -18
        before, here, after = along(-h), along(mp.mpf(0)), along(h)
        qd = [(a - b) / (2 * h) for a, b in zip(after, before, strict=True)]
        qdd = [(a - 2 * m + b) / h**2 for a, m, b in zip(after, here, before, strict=True)]
        return [np.array([float(v) for v in values]) for values in (here, qd, qdd)]


@pytest.mark.short_run(without=("0.4", "1.3"))
@pytest.mark.parametrize("crank", CRANK_ANGLES)
def test_four_bar_closes_as_freudenstein_says(crank):
    robot = four_bar()
    expected = np.array([float(a) for a in four_bar_by_lagrange().angles(mp.mpf(crank))])
    q = robot.close_loop(expected + np.array([0.0, 0.05, -0.04]), locked={"joint_of_crank": crank})
    assert abs(wrapped(q - expected)).max() < 1e-12
    assert abs(robot.constraint_error(q)).max() < 1e-14


@pytest.mark.parametrize("crank", CRANK_ANGLES)
def test_four_bar_moves_as_lagrange_says(crank):
    """M x'' + bias = tau of the crank, in the one coordinate; and the coupler and rocker follow."""
    robot, lagrange = four_bar(), four_bar_by_lagrange()
    x, xd, tau = mp.mpf(crank), mp.mpf("1.7"), mp.mpf("-2.3")
    xdd = (tau - lagrange.bias(x, xd)[0]) / lagrange.mass(x, xd)[0, 0]
    q, qd, qdd = motion_of_angles(lagrange.angles, [x], [xd], [xdd])
    motion = robot.constrained_forward_dynamics(q, qd, [float(tau), 0.0, 0.0])
    assert_close(motion.qdd[None], qdd[None], 1e-11)
    forces = robot.actuator_forces(q, qd, qdd, actuated=["joint_of_crank"])
    assert_close(forces.tau[None], [[float(tau), 0.0, 0.0]], 1e-11)
    assert_close(forces.multipliers[None], motion.multipliers[None], 1e-11)


def test_four_bar_rates():
    robot, lagrange = four_bar(), four_bar_by_lagrange()
    q, qd, qdd = motion_of_angles(lagrange.angles, [mp.mpf("1.1")], [mp.mpf("0.8")], [mp.mpf("-3")])
    assert_close(robot.close_velocities(q, [0.8, 0.0, 0.0], locked=["joint_of_crank"])[None], qd[None], 1e-11)
    found = robot.close_accelerations(q, qd, [0.0, 0.0, 0.0], locked={"joint_of_crank": -3.0})
    assert_close(found[None], qdd[None], 1e-11)


@pytest.mark.parametrize(("left", "right"), [(2.2, 0.9), (1.9, 1.4), (2.6, 0.2)])
def test_five_bar_moves_as_lagrange_says(left, right):
    robot, lagrange = five_bar(), five_bar_by_lagrange()
    x, xd, tau = [mp.mpf(left), mp.mpf(right)], [mp.mpf("1.3"), mp.mpf("-0.7")], [mp.mpf("2.1"), mp.mpf("-1.4")]
    bias = lagrange.bias(*x, *xd)
    xdd = list(mp.lu_solve(lagrange.mass(*x, *xd), mp.matrix([t - b for t, b in zip(tau, bias, strict=True)])))
    q, qd, qdd = motion_of_angles(lagrange.angles, x, xd, xdd)
    assert abs(robot.constraint_error(q)).max() < 1e-14
    tau_joints = np.array([float(tau[0]), 0.0, float(tau[1]), 0.0])
    assert_close(robot.constrained_forward_dynamics(q, qd, tau_joints).qdd[None], qdd[None], 1e-11)
    upper = ["joint_of_upper_left", "joint_of_upper_right"]
    assert_close(robot.actuator_forces(q, qd, qdd, actuated=upper).tau[None], tau_joints[None], 1e-11)


def test_five_bar_with_all_joints_driven_takes_the_least_forces():
    """Four actuators, two freedoms: the least forces of all that give the motion."""
    robot = five_bar()
    q = robot.close_loop([2.2, -1.0, 0.9, 1.0], locked={"joint_of_upper_left": 2.2, "joint_of_upper_right": 0.9})
    qd = robot.close_velocities(q, [1.0, 0, -0.5, 0], locked=["joint_of_upper_left", "joint_of_upper_right"])
    qdd = robot.close_accelerations(q, qd, [2.0, 0, 1.0, 0], locked=["joint_of_upper_left", "joint_of_upper_right"])
    forces = robot.actuator_forces(q, qd, qdd, actuated=robot.joint_names)
    assert_close(forces.tau[None], robot.constrained_inverse_dynamics(q, qd, qdd, forces.multipliers)[None])
    assert abs(robot.constraint_jacobian(q) @ forces.tau).max() < 1e-11  # nothing along A^T could be taken off
    some = robot.actuator_forces(q, qd, qdd, actuated=["joint_of_upper_left", "joint_of_upper_right"])
    assert np.linalg.norm(forces.tau) < np.linalg.norm(some.tau)
    assert_close(robot.constrained_forward_dynamics(q, qd, forces.tau).qdd[None], qdd[None], 1e-11)


def test_hinge_of_a_planar_linkage_has_three_rows_too_many():
    robot = four_bar("hinge")
    q = robot.close_loop([0.4, 0.3, 1.2], locked=["joint_of_crank"])
    rank = robot.constraint_rank(q)
    assert rank.rank == 2
    assert set(rank.dependent) == {"loop: z", "loop: rx", "loop: ry"}
    assert all(not terms for terms in rank.dependent.values())  # in the plane they are zero
    qd = robot.close_velocities(q, [1.0, 0, 0], locked=["joint_of_crank"])
    with pytest.raises(armdyn.constraints.RedundantConstraints, match=r"rank 2 of 5 constraints; 'loop: z' is zero"):
        robot.constrained_forward_dynamics(q, qd, np.zeros(3), redundant="error")
    least = robot.constrained_forward_dynamics(q, qd, np.zeros(3))
    np.testing.assert_array_equal(
        robot.constrained_forward_dynamics(q, qd, np.zeros(3), redundant="least_squares").qdd, least.qdd
    )
    plain = four_bar().constrained_forward_dynamics(q, qd, np.zeros(3))
    assert_close(least.qdd[None], plain.qdd[None], 1e-12)
    assert_close(least.multipliers[None, [2, 3, 4]], np.zeros((1, 3)), floor=1e-12)
    fewer = robot.with_independent_constraints(q)
    assert [row.name for row in fewer.constraint_rows] == ["loop: x", "loop: y"]
    assert_close(fewer.constrained_forward_dynamics(q, qd, np.zeros(3)).qdd[None], plain.qdd[None], 1e-12)


def test_energy_is_kept_by_the_motion():
    """d/dt (T + V) = tau . qd: the constraints do no work."""
    for robot, guess, free in ((four_bar(), [0.4, 0.3, 1.2], 1), (five_bar(), [2.2, -1.0, 0.9, 1.0], 2)):
        q = robot.close_loop(guess)
        rng = np.random.default_rng(3)
        qd = robot.close_velocities(q, rng.normal(0, 2, robot.dof))
        tau = rng.normal(0, 5, robot.dof)
        motion = robot.constrained_forward_dynamics(q, qd, tau)
        M, Mdot_qd = robot.mass_matrix(q), mass_matrix_rate(robot, q, qd) @ qd
        power = qd @ M @ motion.qdd + 0.5 * qd @ Mdot_qd + robot.gravity_forces(q) @ qd
        assert abs(power - tau @ qd) < 1e-11 * max(1.0, abs(tau) @ abs(qd))
        assert abs(robot.constraint_forces(q, motion.multipliers) @ qd) < 1e-11
        assert np.linalg.matrix_rank(robot.constraint_jacobian(q)) == robot.dof - free


def mass_matrix_rate(robot, q, qd):
    M = robot.mass_matrix.program().derivative()
    return armdyn.program.interpret(M, q)[0] @ qd
