"""Christoffel symbols against differences of the mass matrix in 50 digits, and the configuration-space form."""

from functools import cache

import numpy as np
import pytest
from mpmath import mpf

import armdyn
from oracles.cases import CASES, Case
from oracles.coupled import coupled, with_armature
from oracles.newton_euler_mp import ExactTree, exact
from oracles.short_run import short_run
from oracles.states import assert_close, random_states

STEP = mpf(10) ** -15  # its square is the relative error of a central difference, 1e-30


@cache
def exact_tree(name: str) -> ExactTree:
    case = CASES[name]()
    return ExactTree.of_urdf(case.urdf, case.robot.joint_names, case.robot.gravity)


def derivatives_of_mass_matrix(tree: ExactTree, q: np.ndarray) -> np.ndarray:
    """dM_ij/dq_k."""
    steps = exact(np.eye(len(q))) * STEP
    at = exact(q)
    return np.stack([(tree.mass_matrix(at + e) - tree.mass_matrix(at - e)) / (2 * STEP) for e in steps], axis=-1)


def of_definition(dM: np.ndarray) -> np.ndarray:
    """Modern Robotics 8.17."""
    return (dM + dM.transpose(0, 2, 1) - dM.transpose(2, 0, 1)) / 2


@pytest.mark.short_run("random_tree")
@pytest.mark.parametrize("name", short_run(["ur5", "random_tree", "right_angled_tree"], "random_tree", "ur5"))
def test_definition_in_fifty_digits(name: str) -> None:
    robot, q = CASES[name]().robot, random_states(CASES[name]().n, 2, seed=221).q
    dM = [derivatives_of_mass_matrix(exact_tree(name), x) for x in q]
    assert_close(robot.christoffel(q), np.array([of_definition(x) for x in dM], dtype=float))
    qd = random_states(robot.dof, 2, seed=222).qd
    assert_close(robot.mass_matrix_dot(q, qd), np.array([x @ v for x, v in zip(dM, qd, strict=True)], dtype=float))
    assert_close(
        robot.coriolis_matrix(q, qd), np.array([of_definition(x) @ v for x, v in zip(dM, qd, strict=True)], float)
    )


def test_symmetric_in_the_last_two_indices_to_the_last_bit(case: Case) -> None:
    Gamma = case.robot.christoffel(random_states(case.n, 5, seed=223).q)
    np.testing.assert_array_equal(Gamma, Gamma.transpose(0, 1, 3, 2))


def test_contracted_it_is_the_coriolis_matrix(case: Case) -> None:
    s = random_states(case.n, 10, seed=224)
    C = np.einsum("sijk,sk->sij", case.robot.christoffel(s.q), s.qd)
    assert_close(case.robot.coriolis_matrix(s.q, s.qd), C)


def test_configuration_space_form(case: Case) -> None:
    """c = B(q) [qd_j qd_k] + C(q) [qd_j^2], the pairs in the order the documentation names."""
    s, robot = random_states(case.n, 10, seed=225), case.robot
    pairs = [(j, k) for j in range(case.n) for k in range(j + 1, case.n)]
    products = np.array([s.qd[:, j] * s.qd[:, k] for j, k in pairs]).T
    B, C = robot.coriolis_coefficients(s.q), robot.centrifugal_coefficients(s.q)
    assert B.shape == (10, case.n, len(pairs))
    c = np.einsum("sip,sp->si", B, products) + np.einsum("sij,sj->si", C, s.qd**2)
    assert_close(c, robot.velocity_forces(s.q, s.qd))


def test_single_rates_and_pairs(tree: Case) -> None:
    """One joint moving alone feels a column of C; two feel a column of B beyond that."""
    q = random_states(tree.n, 1, seed=226).q[0]
    c, unit = tree.robot.velocity_forces, np.eye(tree.n)
    C, B = tree.robot.centrifugal_coefficients(q), tree.robot.coriolis_coefficients(q)
    scale = np.abs(B).max() + np.abs(C).max()
    for j in range(tree.n):
        assert np.abs(C[:, j] - c(q, unit[j])).max() <= 1e-13 * scale
    for column, (j, k) in enumerate(zip(*np.triu_indices(tree.n, 1), strict=True)):
        both = c(q, unit[j] + unit[k]) - c(q, unit[j]) - c(q, unit[k])
        assert np.abs(B[:, column] - both).max() <= 1e-13 * scale


def test_two_link_arm_of_the_texts() -> None:
    """Point masses at the ends of the links: -m2 L1 L2 s2 (2 qd1 qd2 + qd2^2) and m2 L1 L2 s2 qd1^2."""
    m, L = (3.1, 2.3), (0.7, 0.9)
    ends = [armdyn.Inertia.point(m[k], [L[k], 0.0, 0.0]) for k in range(2)]
    arm = armdyn.Robot.from_links([
        armdyn.Part("upper", "base", "revolute", axis=(0, 0, 1), inertia=ends[0]),
        armdyn.Part("lower", "upper", "revolute", axis=(0, 0, 1), xyz=(L[0], 0, 0), inertia=ends[1]),
    ])  # fmt: skip
    q = np.array([0.4, 1.1])
    k = m[1] * L[0] * L[1] * np.sin(q[1])
    np.testing.assert_allclose(arm.coriolis_coefficients(q), [[-2 * k], [0.0]], rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(arm.centrifugal_coefficients(q), [[0.0, -k], [k, 0.0]], rtol=1e-14, atol=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ur5", "random_tree"])
def test_coupled_joints(name: str) -> None:
    some = coupled(CASES[name]().robot, 3, seed=2)
    s, A = random_states(3, 5, seed=227), some.A
    expected = np.einsum("sijk,ia,jb,kc->sabc", some.free.christoffel(some.joints(s.q)), A, A, A)
    assert_close(some.robot.christoffel(s.q), expected)
    np.testing.assert_array_equal(some.robot.christoffel(s.q), some.robot.christoffel(s.q).transpose(0, 1, 3, 2))
    j, k = np.triu_indices(3, 1)
    B, C = some.robot.coriolis_coefficients(s.q), some.robot.centrifugal_coefficients(s.q)
    c = np.einsum("sip,sp->si", B, s.qd[:, j] * s.qd[:, k]) + np.einsum("sij,sj->si", C, s.qd**2)
    assert_close(c, some.robot.velocity_forces(s.q, s.qd))


def test_rotors_do_not_count(tree: Case) -> None:
    q = random_states(tree.n, 3, seed=228).q
    np.testing.assert_array_equal(with_armature(tree.robot).christoffel(q), tree.robot.christoffel(q))


def test_one_joint_has_no_pairs() -> None:
    rod = armdyn.Inertia(1.0, [0.5, 0.0, 0.0], np.diag([0.0, 1 / 12, 1 / 12]))
    arm = armdyn.Robot.from_links([armdyn.Part("rod", "base", "revolute", axis=(0, 1, 0), inertia=rod)])
    assert arm.christoffel([0.3]).shape == (1, 1, 1)
    with pytest.raises(armdyn.Unsupported, match="empty arrays"):
        arm.coriolis_coefficients([0.3])
