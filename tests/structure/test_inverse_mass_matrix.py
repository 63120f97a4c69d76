"""The inverse of the mass matrix."""

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from oracles.cases import CASES, Case
from oracles.coupled import coupled, with_armature
from oracles.states import assert_close, random_states


def amplification(robot: armdyn.Robot, q: np.ndarray) -> float:
    """What rounding of relative size 1 may become on its way through the inverse."""
    return float(np.linalg.cond(robot.mass_matrix(q)).max())


def test_product_with_the_mass_matrix_is_one(case: Case) -> None:
    q, robot = random_states(case.n, 20, seed=231).q, case.robot
    error = robot.inverse_mass_matrix(q) @ robot.mass_matrix(q) - np.eye(case.n)
    assert np.abs(error).max() <= max(1e-12, 1e-15 * amplification(robot, q))


def test_it_is_pinocchios(case: Case) -> None:
    q, robot = random_states(case.n, 10, seed=232).q, case.robot
    theirs = []
    for x in q:
        upper = pin.computeMinverse(case.pin, case.data, case.pin_q(x))
        whole = np.triu(upper) + np.triu(upper, 1).T
        theirs.append(whole[np.ix_(case.column, case.column)])
    assert_close(robot.inverse_mass_matrix(q), np.array(theirs), max(1e-12, 1e-15 * amplification(robot, q)))


def test_symmetric_to_the_last_bit(case: Case) -> None:
    inverse = case.robot.inverse_mass_matrix(random_states(case.n, 10, seed=233).q)
    np.testing.assert_array_equal(inverse, np.swapaxes(inverse, 1, 2))


def test_columns_are_accelerations_of_unit_forces(ur5: Case) -> None:
    q = random_states(6, 5, seed=234).q[:, None, :]
    robot = ur5.robot.with_gravity([0.0, 0.0, 0.0])
    columns = robot.forward_dynamics(q, np.zeros(6), np.eye(6))
    assert_close(robot.inverse_mass_matrix(q[:, 0]), np.swapaxes(columns, 1, 2))


@pytest.mark.parametrize("name", ["ur5", "random_tree"])
def test_coupled_joints_with_rotors(name: str) -> None:
    some = coupled(with_armature(CASES[name]().robot), 4, seed=3)
    q = random_states(4, 10, seed=235).q
    M = some.A.T @ some.free.mass_matrix(some.joints(q)) @ some.A
    assert_close(some.robot.mass_matrix(q), M)
    error = some.robot.inverse_mass_matrix(q) @ M - np.eye(4)
    assert np.abs(error).max() <= 1e-15 * max(1e3, float(np.linalg.cond(M).max()))


def test_a_joint_that_moves_nothing_is_named() -> None:
    arm = armdyn.Robot.from_links([armdyn.Part("hand", "base", "revolute", axis=(0, 0, 1))])
    with pytest.raises(armdyn.ModelError, match="moves no inertia"):
        arm.inverse_mass_matrix([0.0])
