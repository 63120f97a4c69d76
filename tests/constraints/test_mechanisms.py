"""Mechanisms of the IFToMM benchmark library, against a closed form, a published reference, and their energy."""

import numpy as np
import pytest
from benchmarks.mechanisms import (
    SQUEEZER_ACCELERATIONS,
    SQUEEZER_END,
    SQUEEZER_MULTIPLIERS,
    SQUEEZER_ORDER,
    SQUEEZER_START,
    bricard,
    four_bars,
    four_bars_period,
    four_bars_state,
    four_bars_swing,
    squeezer,
    squeezer_forces,
)

import armdyn
from armdyn.simulation import Adaptive, Constraints, SaveAt

START = 1.2


@pytest.mark.short_run("1")
@pytest.mark.parametrize("n", [1, 2, pytest.param(40, marks=pytest.mark.slow)])
def test_parallelograms_swing_as_one_pendulum(n):
    robot, q = four_bars(n), four_bars_state(n, START)
    motion = armdyn.simulate(robot, q, duration=5.0, save=SaveAt(every=0.1), elements=[Constraints(project=True)])
    swing = four_bars_swing(n, START, motion.t)
    assert motion.t[-1] > 2 * four_bars_period(n, START)
    expected = np.array([four_bars_state(n, angle) for angle in swing])
    np.testing.assert_allclose(motion.q, expected, rtol=0, atol=1e-9)
    assert abs(robot.constraint_error(motion.q)).max() < 1e-13
    assert abs(motion.energy.relative_drift).max() < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2])
def test_parallelograms_over_a_hundred_seconds(n):
    robot, q = four_bars(n), four_bars_state(n, START)
    motion = armdyn.simulate(robot, q, duration=100.0, save=SaveAt(every=0.1), elements=[Constraints(project=True)])
    np.testing.assert_allclose(motion.q[:, 0] + np.pi / 2, four_bars_swing(n, START, motion.t), rtol=0, atol=3e-8)
    assert abs(robot.constraint_error(motion.q)).max() < 1e-10
    assert abs(robot.constraint_velocity(motion.q, motion.qd)).max() < 1e-10


@pytest.fixture(scope="module")
def squeezed():
    q = np.empty(7)
    q[SQUEEZER_ORDER] = SQUEEZER_START
    return squeezer(), q


def test_squeezer_starts_as_published(squeezed):
    robot, q = squeezed
    assert abs(robot.constraint_error(q)).max() < 1e-16
    motion = robot.constrained_forward_dynamics(q, np.zeros(7), squeezer_forces(0.0, q, np.zeros(7)))
    qdd = motion.qdd[SQUEEZER_ORDER]
    np.testing.assert_allclose(qdd[:2], SQUEEZER_ACCELERATIONS, rtol=1e-13)
    np.testing.assert_allclose(qdd[2:], 0.0, atol=1e-9)
    np.testing.assert_allclose(abs(motion.multipliers[:2]), SQUEEZER_MULTIPLIERS, rtol=1e-13)
    np.testing.assert_allclose(motion.multipliers[2:], 0.0, atol=1e-12)


@pytest.mark.short_run("False")
@pytest.mark.parametrize("project", [False, True])
def test_squeezer_ends_as_published(squeezed, project):
    """The crank turns two and a half times; the reference is good to some ten digits."""
    robot, q = squeezed
    motion = armdyn.simulate(
        robot,
        q,
        duration=0.03,
        torque=squeezer_forces,
        method=Adaptive(rtol=1e-12, atol=1e-12),
        elements=[Constraints(project=project)],
        save=SaveAt(every=0.03),
    )
    np.testing.assert_allclose(motion.q[-1][SQUEEZER_ORDER], SQUEEZER_END, rtol=1e-9, atol=0)
    assert abs(robot.constraint_error(motion.q)).max() < (1e-16 if project else 1e-12)


@pytest.mark.slow
def test_bricard_moves_though_its_rows_are_redundant():
    """One freedom, so that constraints and energy are all of its equations of motion."""
    robot = bricard()
    start = np.zeros(5)
    rank = robot.constraint_rank(start)
    assert (rank.rank, len(rank.rows)) == (4, 5)
    with pytest.raises(armdyn.constraints.RedundantConstraints):
        armdyn.simulate(robot, start, duration=1.0, elements=[Constraints(redundant="error")])
    motion = armdyn.simulate(
        robot,
        start,
        duration=10.0,
        elements=[Constraints(redundant="least_squares", project=True)],
        save=SaveAt(every=0.1),
    )
    assert abs(robot.constraint_error(motion.q)).max() < 1e-14
    assert abs(robot.constraint_velocity(motion.q, motion.qd)).max() < 1e-13
    assert abs(motion.energy.relative_drift).max() < 1e-8
    assert abs(motion.q).max() > 3.0  # it turns far from the cube
    smaller = robot.with_independent_constraints(motion.q[7])
    assert len(smaller.constraint_rows) == 4
    same = armdyn.simulate(smaller, start, duration=10.0, elements=[Constraints(project=True)], save=SaveAt(every=0.1))
    np.testing.assert_allclose(same.q, motion.q, rtol=0, atol=1e-8)
    assert abs(robot.constraint_error(same.q)).max() < 1e-13  # the row left out holds as well
