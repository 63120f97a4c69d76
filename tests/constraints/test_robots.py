"""Robots with constraints are robots: they pickle, compare, share nothing, and their functions broadcast."""

import pickle

import numpy as np
import pytest
from linkages import five_bar, four_bar

import armdyn
from armdyn import constraints as c
from oracles.states import assert_close


def test_pickles_and_equality():
    robot = four_bar()
    again = pickle.loads(pickle.dumps(robot))  # noqa: S301
    assert again == robot
    assert again.model.constraints == robot.model.constraints
    q = [0.4, 0.3, 1.2]
    np.testing.assert_array_equal(again.constraint_jacobian(q), robot.constraint_jacobian(q))
    assert robot != five_bar()
    assert robot.without_constraints() != robot
    assert robot.without_constraints().with_constraints(*robot.model.constraints) == robot


def test_functions_of_ones_own_tell_robots_apart():
    arm = armdyn.load("planar_2r")
    one, two = (arm.with_constraints(c.Holonomic(lambda model, q, k=k: q[0] - k, "at")) for k in (0.1, 0.2))
    assert one != two
    assert one.constraint_error([0.0, 0.0]) == pytest.approx([-0.1])
    assert two.constraint_error([0.0, 0.0]) == pytest.approx([-0.2])


def test_constraints_are_frozen():
    part = c.PointOnPlane("tip", [0, 0, 2.0], through=np.ones(3))
    assert part == c.PointOnPlane("tip", (0.0, 0.0, 1.0), through=(1, 1, 1))
    assert hash(part) == hash(c.PointOnPlane("tip", (0.0, 0.0, 1.0), through=(1, 1, 1)))
    with pytest.raises(AttributeError):
        part.frame = "base"


@pytest.mark.slow
def test_batches_broadcast_and_threads_change_nothing():
    robot = five_bar()
    rng = np.random.default_rng(4)
    q = robot.close_loop(np.array([2.2, -1.0, 0.9, 1.0]) + rng.normal(0.0, 0.05, (40, 1, 4)))
    qd = robot.close_velocities(q, rng.normal(0.0, 1.0, (40, 1, 4)))
    tau = rng.normal(0.0, 5.0, (3, 4))
    motion = robot.constrained_forward_dynamics(q, qd, tau)
    assert motion.qdd.shape == (40, 3, 4)
    assert motion.multipliers.shape == (40, 3, 2)
    one = robot.constrained_forward_dynamics(q[7, 0], qd[7, 0], tau[2])
    assert_close(motion.qdd[7, 2][None], one.qdd[None], 1e-14)
    threads = robot.constrained_forward_dynamics(q, qd, tau, workers=2)
    np.testing.assert_array_equal(threads.qdd, motion.qdd)


def test_a_batch_of_good_and_singular_states():
    """A folded arm's tip cannot be kept from moving along it: that state alone is solved by least squares."""
    robot = armdyn.load("planar_2r").with_constraints(
        c.PointOnPlane("tip", (1, 0, 0), name="x"), c.PointOnPlane("tip", (0, 1, 0), name="y")
    )
    q = np.array([[0.3, 1.0], [0.3, 0.0], [0.3, 2.0]])  # the second is stretched
    with pytest.raises(c.RedundantConstraints, match=r"redundant at q of state 1: rank 1 of 2"):
        robot.constrained_forward_dynamics(q, np.zeros(2), np.ones(2), tolerance=np.inf)
    motion = robot.constrained_forward_dynamics(q, np.zeros(2), np.ones(2), tolerance=np.inf, redundant="least_squares")
    assert np.isfinite(motion.qdd).all()
    assert abs(motion.qdd[[0, 2]]).max() < 1e-11  # nothing is left to move
    A, M, h = robot.constraint_jacobian(q[1]), robot.mass_matrix(q[1]), robot.bias_forces(q[1], np.zeros(2))
    assert abs(A @ motion.qdd[1]).max() < 1e-12
    assert_close((M @ motion.qdd[1] + h + A.T @ motion.multipliers[1])[None], np.ones((1, 2)), 1e-12)
    assert abs(motion.qdd[1]).max() > 0.1


@pytest.mark.slow
def test_near_singular_states_keep_their_digits():
    """Rows that are almost one, from 1e-3 to 1e-7 rad apart: against forty digits."""
    import mpmath as mp

    arm = armdyn.load("ur5")
    q = np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])
    tau = np.array([3.0, -20.0, 8.0, 1.0, -2.0, 0.5])
    at = arm.forward_kinematics(q)[:3, 3]
    for angle in (1e-3, 1e-5, 1e-7):
        robot = arm.with_constraints(
            c.PointOnPlane("tool0", (1, 0, 0), at, name="one"),
            c.PointOnPlane("tool0", (1, angle, 0), at, name="two"),
        )
        motion = robot.constrained_forward_dynamics(q, np.zeros(6), tau)
        with mp.workdps(40):
            M, A = mp.matrix(robot.mass_matrix(q).tolist()), mp.matrix(robot.constraint_jacobian(q).tolist())
            pushed = mp.matrix((tau - robot.bias_forces(q, np.zeros(6))).tolist())
            lam = mp.lu_solve(A * M**-1 * A.T, A * M**-1 * pushed)
            qdd = M**-1 * (pushed - A.T * lam)
        # what the rows' own rounding does to the small angle between them is no error of the solution
        assert_close(motion.multipliers[None], np.array([[float(x) for x in lam]]), 1e-14 / angle + 1e-11)
        assert_close(motion.qdd[None], np.array([[float(x) for x in qdd]]), 1e-14 / angle + 1e-11)
