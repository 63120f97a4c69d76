"""The regressor against Pinocchio, column by column, and against the robot that has other parameters.

Comparisons with Pinocchio are of the bare body, without damping and friction.
"""

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn.model import Link
from armdyn.model.standard_parameters import inertia_of
from oracles.cases import Case
from oracles.states import assert_close, random_states
from regressor.robots import NAMES, coupled, known, with_armature

RNG = np.random.default_rng(401)


@pytest.fixture(params=NAMES)
def some(request: pytest.FixtureRequest) -> Case:
    return known(request.param)


def pin_columns(case: Case) -> np.ndarray:
    """Pinocchio's ten columns of the link that each of our joints moves."""
    ids = [case.pin.getJointId(joint.name) for joint in case.robot.model.joints]
    return np.concatenate([np.arange(10) + 10 * (i - 1) for i in ids])


def assert_columns_close(actual: np.ndarray, expected: np.ndarray, relative: float = 1e-12) -> None:
    """Every column within ``relative`` of the greatest number of its own, over all states."""
    scale = np.abs(expected).max(axis=tuple(range(expected.ndim - 1)))
    error = np.abs(actual - expected).max(axis=tuple(range(expected.ndim - 1)))
    assert actual.shape == expected.shape
    assert (error <= relative * np.maximum(scale, 1.0)).all()


def with_parameters(robot: armdyn.Robot, pi: np.ndarray) -> armdyn.Robot:
    """The robot with any ten numbers a link, bodies or not."""
    vectors = pi.reshape(-1, 10)
    moving = [Link(link.name, inertia_of(v)) for link, v in zip(robot.model.links[1:], vectors, strict=True)]
    return armdyn.Robot(robot.model.replace(links=(robot.model.links[0], *moving)))


@pytest.mark.short_run("random_tree")
def test_regressor_is_pinocchios(some: Case) -> None:
    s = random_states(some.n, 12, seed=402)
    expected = [
        pin.computeJointTorqueRegressor(some.pin, some.data, some.pin_q(q), some.to_pin(v), some.to_pin(a)).copy()
        for q, v, a in zip(s.q, s.qd, s.qdd, strict=True)
    ]
    expected = np.array(expected)[:, some.column][..., pin_columns(some)]
    assert_columns_close(some.robot.regressor(s.q, s.qd, s.qdd), expected)


def test_energy_regressors_are_pinocchios(some: Case) -> None:
    s, columns = random_states(some.n, 12, seed=403), pin_columns(some)
    kinetic = [
        pin.computeKineticEnergyRegressor(some.pin, some.data, some.pin_q(q), some.to_pin(v)).copy()
        for q, v in zip(s.q, s.qd, strict=True)
    ]
    potential = [pin.computePotentialEnergyRegressor(some.pin, some.data, some.pin_q(q)).copy() for q in s.q]
    assert_columns_close(some.robot.kinetic_energy_regressor(s.q, s.qd), np.array(kinetic)[:, columns])
    assert_columns_close(some.robot.potential_energy_regressor(s.q), np.array(potential)[:, columns])


@pytest.mark.short_run("random_tree")
def test_linear_in_any_parameters(some: Case) -> None:
    """Bodies or not: with masses below zero the equations hold as well."""
    pi = RNG.normal(size=10 * some.n)
    other, s = with_parameters(some.robot, pi), random_states(some.n, 12, seed=404)
    robot = some.robot
    assert_close(robot.regressor(s.q, s.qd, s.qdd) @ pi, other.inverse_dynamics(s.q, s.qd, s.qdd))
    assert_close(robot.momentum_regressor(s.q, s.qd) @ pi, np.einsum("bij,bj->bi", other.mass_matrix(s.q), s.qd))
    kinetic, potential = other.kinetic_energy(s.q, s.qd), other.potential_energy(s.q)
    actual = robot.kinetic_energy_regressor(s.q, s.qd) @ pi, robot.potential_energy_regressor(s.q) @ pi
    assert np.abs(actual[0] - kinetic).max() <= 1e-12 * np.abs(kinetic).max()
    assert np.abs(actual[1] - potential).max() <= 1e-12 * np.abs(potential).max()


@pytest.mark.slow
def test_coupled_joints() -> None:
    robot, free, A, b = coupled()
    s = random_states(5, 12, seed=405)
    Y = free.regressor(s.q @ A.T + b, s.qd @ A.T, s.qdd @ A.T)
    assert_columns_close(robot.regressor(s.q, s.qd, s.qdd), A.T @ Y)
    pi = robot.standard_parameters().values
    assert_close(robot.regressor(s.q, s.qd, s.qdd) @ pi, robot.inverse_dynamics(s.q, s.qd, s.qdd))
    p = np.einsum("bij,bj->bi", robot.mass_matrix(s.q), s.qd)
    assert_close(robot.momentum_regressor(s.q, s.qd) @ pi, p)
    K = robot.kinetic_energy(s.q, s.qd)
    assert_close(robot.kinetic_energy_regressor(s.q, s.qd) @ pi, K)
    assert_close((robot.potential_energy_regressor(s.q) @ pi)[:, None], robot.potential_energy(s.q)[:, None], floor=100)


def test_rotors_have_columns_where_there_are_some() -> None:
    """Y pi is the inverse dynamics, whatever the robot has."""
    bare = known("right_angled_tree").robot
    robot = with_armature(bare, RNG.uniform(0.1, 2.0, bare.dof))
    s, pi = random_states(robot.dof, 12, seed=406), robot.standard_parameters()
    assert len(pi) == 11 * robot.dof
    assert pi.names[-1] == f"{robot.joint_names[-1]}.armature"
    assert_close(robot.regressor(s.q, s.qd, s.qdd) @ pi.values, robot.inverse_dynamics(s.q, s.qd, s.qdd))
    assert_close(robot.kinetic_energy_regressor(s.q, s.qd) @ pi.values, robot.kinetic_energy(s.q, s.qd))
    p = np.einsum("bij,bj->bi", robot.mass_matrix(s.q), s.qd)
    assert_close(robot.momentum_regressor(s.q, s.qd) @ pi.values, p)
    assert robot.lagrangian_gradient_regressor(s.q, s.qd).shape == (12, robot.dof, len(pi))
    assert not robot.potential_energy_regressor(s.q)[:, 10 * robot.dof :].any()
    assert bare.regressor(s.q, s.qd, s.qdd, armature=False).shape[-1] == 10 * robot.dof
    with_columns = bare.regressor(s.q, s.qd, s.qdd, armature=True)
    np.testing.assert_array_equal(with_columns, robot.regressor(s.q, s.qd, s.qdd))


def test_joint_columns_are_what_they_say() -> None:
    """Rotor inertia, viscous and Coulomb friction and offset, in the order of the joints, also where coupled."""
    robot, free, A, _ = coupled()
    s = random_states(5, 12, seed=407)
    s.qd[0] = 0.0  # at rest no Coulomb friction
    options = {"armature": True, "damping": True, "friction": True, "offset": True}
    joint_qd, joint_qdd = s.qd @ A.T, s.qdd @ A.T
    size = 10 * free.dof
    Y = robot.regressor(s.q, s.qd, s.qdd, **options)[..., size:].reshape(12, 5, 4, free.dof)
    for k, factor in enumerate((joint_qdd, joint_qd, np.sign(joint_qd), np.ones_like(joint_qd))):
        expected = A.T * factor[:, None, :]  # row i of joint j: A_ji times what its parameter multiplies
        np.testing.assert_allclose(Y[:, :, k], expected, rtol=1e-12, atol=1e-12)
    names = robot.standard_parameters(**options).names[size:]
    first = robot.model.joints[0].name
    assert names[:: free.dof] == tuple(f"{first}.{q}" for q in ("armature", "damping", "friction", "offset"))


def test_friction_of_no_number_is_no_number() -> None:
    robot = armdyn.load("planar_2r")
    Y = robot.regressor([0.1, 0.2], [np.nan, -1.0], [0.0, 0.0], friction=True)
    assert np.isnan(Y[0, 20])
    assert Y[1, 21] == -1.0


def test_moving_base(some: Case) -> None:
    robot, s = some.robot, random_states(some.n, 8, seed=408)
    twist, rate = RNG.normal(size=(2, 8, 6))
    pi = robot.standard_parameters().values
    expected = robot.inverse_dynamics(s.q, s.qd, s.qdd, None, twist, rate)
    assert_close(robot.regressor(s.q, s.qd, s.qdd, twist, rate) @ pi, expected)
    K = robot.kinetic_energy(s.q, s.qd, twist)
    assert_close(robot.kinetic_energy_regressor(s.q, s.qd, twist) @ pi, K)


def slope(f, x: np.ndarray, h: float = 1e-5) -> np.ndarray:
    """df/dx by central differences of sixth order, a row each of x's entries."""
    steps = h * np.eye(len(x))
    return np.array(
        [
            (45.0 * (f(x + e) - f(x - e)) - 9.0 * (f(x + 2 * e) - f(x - 2 * e)) + (f(x + 3 * e) - f(x - 3 * e)))
            / (60.0 * h)
            for e in steps
        ]
    )


def test_lagrangian_gradient(some: Case) -> None:
    """dL/dq by differences of the energies, for each parameter alone; and with the momentum, Lagrange's equation."""
    robot, s = some.robot, random_states(some.n, 3, seed=409)
    for q, qd, qdd in zip(s.q, s.qd, s.qdd, strict=True):

        def lagrangian(x: np.ndarray, qd: np.ndarray = qd) -> np.ndarray:
            return robot.kinetic_energy_regressor(x, qd) - robot.potential_energy_regressor(x)

        gradient = robot.lagrangian_gradient_regressor(q, qd)
        np.testing.assert_allclose(gradient, slope(lagrangian, q, 1e-3), rtol=0, atol=1e-9 * np.abs(gradient).max())
        Y = robot.regressor(q, qd, qdd)

        def momentum(t: np.ndarray, q=q, qd=qd, qdd=qdd) -> np.ndarray:
            return robot.momentum_regressor(q + qd * t[0] + qdd * t[0] ** 2 / 2, qd + qdd * t[0])

        rate = slope(momentum, np.zeros(1), 1e-3)[0]
        np.testing.assert_allclose(rate - gradient, Y, rtol=0, atol=1e-8 * np.abs(Y).max())


def test_lagrangian_gradient_to_rounding(some: Case) -> None:
    """dM/dt qd = C qd + C^T qd: the momentum's rate at constant speed, and at rest minus gravity."""
    robot, s, pi = some.robot, random_states(some.n, 12, seed=410), some.robot.standard_parameters().values
    M_dot_qd = [
        (pin.computeCoriolisMatrix(some.pin, some.data, some.pin_q(q), some.to_pin(v)).T @ some.to_pin(v))
        for q, v in zip(s.q, s.qd, strict=True)
    ]
    expected = some.from_pin(np.array(M_dot_qd)) - robot.gravity_forces(s.q)
    assert_close(robot.lagrangian_gradient_regressor(s.q, s.qd) @ pi, expected)


@pytest.mark.slow
def test_lagrangian_gradient_of_coupled_joints() -> None:
    robot, free, A, b = coupled()
    s = random_states(5, 6, seed=411)
    expected = A.T @ free.lagrangian_gradient_regressor(s.q @ A.T + b, s.qd @ A.T)
    assert_columns_close(robot.lagrangian_gradient_regressor(s.q, s.qd), expected)


def test_costs_less_than_a_column_at_a_time() -> None:
    """One inverse dynamics for each of the 60 parameters costs ten times as much and more."""
    robot = armdyn.load("ur5")
    whole, one = (
        sum((c.multiplications, c.additions)) for c in (robot.regressor.op_counts, robot.bias_forces.op_counts)
    )
    assert whole <= 820
    assert whole < 60 * one / 10


def test_out_is_checked_with_the_options() -> None:
    robot = armdyn.load("planar_2r")
    state = np.zeros((3, 2))
    wide = robot.regressor(*state, damping=True, out=np.empty((2, 22)))
    assert wide.shape == (2, 22)
    with pytest.raises(armdyn.ShapeError, match=r"out has shape \(2, 20\); expected \(..., 2, 22\)"):
        robot.regressor(*state, damping=True, out=np.empty((2, 20)))
