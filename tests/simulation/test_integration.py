"""The integration methods: against recursions written by hand, closed forms, orders of convergence, and Pinocchio."""

import modern_robotics as mr
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

import armdyn
from armdyn.model import Inertia
from armdyn.model.assembly import assemble
from armdyn.model.parts import JointPart, LinkPart
from armdyn.model.selection import Selection
from armdyn.simulation import Adaptive, Euler, RungeKutta4, SaveAt
from armdyn.simulation.methods import formulas
from armdyn.spatial.rotations import rigid
from oracles.cases import Case

MASS, LENGTH, INERTIA, G = 1.3, 0.7, 0.05, 9.81
OMEGA_0 = np.sqrt(MASS * G * LENGTH / (INERTIA + MASS * LENGTH**2))


def pendulum() -> armdyn.Robot:
    """A 1R arm that hangs along -y at q = 0."""
    link = Inertia(MASS, np.array([0.0, -LENGTH, 0.0]), np.diag([INERTIA, INERTIA, INERTIA]))
    joint = JointPart("pivot", "revolute", "base", "bob", rigid(np.eye(3), np.zeros(3)), np.array([0.0, 0.0, 1.0]))
    parts = [LinkPart("base"), LinkPart("bob", link)]
    return armdyn.Robot(assemble("pendulum", parts, [joint], Selection(gravity=(0.0, -G, 0.0))))


def released_from(angle: float, t: np.ndarray) -> np.ndarray:
    """sin(q / 2) = k cd(w t, k) with k = sin(angle / 2): the pendulum let go at rest."""
    m = np.sin(angle / 2) ** 2
    sn, *_ = ellipj(ellipk(m) - OMEGA_0 * t, m)
    return 2 * np.arcsin(np.sqrt(m) * sn)


@pytest.mark.parametrize("angle", [1e-4, 0.5, 2.0, 3.1])
def test_adaptive_is_the_pendulum_of_jacobi(angle: float) -> None:
    trajectory = armdyn.simulate(pendulum(), [angle], duration=5.0, method=Adaptive(rtol=1e-12, atol=1e-14))
    np.testing.assert_allclose(trajectory.q[:, 0], released_from(angle, trajectory.t), rtol=0, atol=1e-8 * angle)


@pytest.mark.parametrize("scipy_method", ["RK45", "DOP853", "Radau", "LSODA"])
def test_solvers_of_scipy_agree(scipy_method: str) -> None:
    method = Adaptive(rtol=1e-8, atol=1e-8, scipy_method=scipy_method)
    trajectory = armdyn.simulate(pendulum(), [1.0], duration=1.0, method=method, save=SaveAt(every=0.1))
    np.testing.assert_allclose(trajectory.q[:, 0], released_from(1.0, trajectory.t), rtol=0, atol=1e-5)


def test_euler_is_the_recursion_of_the_book() -> None:
    robot, h = armdyn.load("ur5"), 0.01
    q, qd, tau, f_tip = np.linspace(-1, 1, 6), np.linspace(0.5, -0.2, 6), np.arange(6.0), np.linspace(1, 2, 6)
    trajectory = armdyn.simulate(
        robot, q, qd, duration=0.2, torque=tau, f_tip=f_tip, method=Euler(step=h), save=SaveAt(every=h)
    )
    for k in range(20):
        np.testing.assert_allclose(trajectory.q[k], q, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(trajectory.qd[k], qd, rtol=1e-12, atol=1e-13)
        qdd = robot.forward_dynamics(q, qd, tau, f_tip)
        np.testing.assert_allclose(trajectory.qdd[k], qdd, rtol=1e-10, atol=1e-10)
        q, qd = q + qd * h, qd + qdd * h
    np.testing.assert_allclose(trajectory.q[20], q, rtol=1e-12, atol=1e-13)
    assert trajectory.statistics.steps == trajectory.statistics.evaluations == 20


def test_euler_with_tables_is_forward_dynamics_trajectory_of_modern_robotics() -> None:
    Mlist = np.array([np.eye(4), rigid(np.eye(3), np.array([1.0, 0, 0])), rigid(np.eye(3), np.array([1.0, 0, 0]))])
    Mlist[0][:3, 3] = [0.5, 0.0, 0.1]
    Glist = np.array([np.diag([0.1, 0.2, 0.3, 2.0, 2.0, 2.0]), np.diag([0.02, 0.03, 0.04, 1.0, 1.0, 1.0])])
    Slist = np.array([[0, 0, 1, 0, 0, 0], [0, 1, 0, -0.1, 0, 1.0]]).T
    gravity, q0, qd0, dt = [0.3, -0.2, -9.8], np.array([0.1, 0.2]), np.array([0.3, -0.4]), 0.01
    rng = np.random.default_rng(3)
    taumat, Ftipmat = rng.normal(size=(31, 2)), rng.normal(size=(31, 6))
    angles, rates = mr.ForwardDynamicsTrajectory(
        q0, qd0, taumat, np.array(gravity), Ftipmat, Mlist, Glist, Slist, dt, 1
    )
    robot = armdyn.Robot.from_screws(Mlist, Glist, Slist, gravity=gravity)
    trajectory = armdyn.simulate(
        robot, q0, qd0, duration=0.3, torque=taumat[:-1], f_tip=Ftipmat[:-1], method=Euler(step=dt)
    )
    np.testing.assert_allclose(trajectory.q, angles, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(trajectory.qd, rates, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize(("method", "order"), [(Euler, 1), (RungeKutta4, 4)])
@pytest.mark.parametrize("torque", [None, lambda t, q, qd: 5 * np.sin(3 * t) - qd], ids=["held", "callable"])
def test_order_of_convergence(method: type, order: int, torque: object) -> None:
    robot = armdyn.load("ur5")
    q0, qd0 = np.array([0.1, -0.5, 0.7, 0.2, 0.4, -0.3]), np.full(6, 0.2)
    exact = armdyn.simulate(robot, q0, qd0, duration=0.32, torque=torque, method=Adaptive(rtol=1e-13, atol=1e-13))
    errors = []
    for step in (0.02, 0.01, 0.005) if order == 4 else (0.001, 0.0005, 0.00025):
        end = armdyn.simulate(robot, q0, qd0, duration=0.32, torque=torque, method=method(step=step))
        errors.append([np.abs(end.q[-1] - exact.q[-1]).max(), abs(end.energy.work[-1] - exact.energy.work[-1])])
    columns = 1 if torque is None else 2  # without torque there is no work
    ratios = np.array(errors)[1, :columns] / np.array(errors)[2, :columns]
    np.testing.assert_allclose(ratios, 2.0**order, rtol=0.35)


def test_the_traced_step_is_the_formula() -> None:
    """Held forces run compiled whole steps, callables the same formula around compiled equations."""
    robot, tau = armdyn.load("ur5"), np.linspace(-3, 3, 6)
    held = armdyn.simulate(robot, np.ones(6), duration=0.3, torque=tau, method=RungeKutta4(step=0.01))
    called = armdyn.simulate(
        robot, np.ones(6), duration=0.3, torque=lambda t, q, qd: tau, method=RungeKutta4(step=0.01)
    )
    np.testing.assert_allclose(called.q, held.q, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(called.energy.work, held.energy.work, rtol=1e-10, atol=1e-11)


def test_runge_kutta_formula_on_an_equation_without_a_robot() -> None:
    """y'' = t: the formula is exact for it."""
    q, qd, work = formulas.runge_kutta_4(lambda t, q, qd: (t, t**3), (0.5, 0.125), 0.5, (1.0, 2.0, 0.0), 1.0)
    np.testing.assert_allclose([q, qd], [1 + 2 + 0.25 + 1 / 6, 2 + 0.5 + 0.5])
    np.testing.assert_allclose(work, (1.5**4 - 0.5**4) / 4)


@pytest.mark.short_run("ur5")
@pytest.mark.parametrize("name", ["ur5", "panda"])
def test_pinocchio_in_the_same_solver_moves_in_the_same_way(name: str, request: pytest.FixtureRequest) -> None:
    case: Case = request.getfixturevalue(name)
    rng = np.random.default_rng(7)
    q0, qd0, tau = rng.uniform(-1, 1, (3, case.n))

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        q, qd = y[: case.n], y[case.n :]
        return np.concatenate([qd, case.forward_dynamics(q, qd, tau - qd)])

    t = np.linspace(0, 0.5, 11)
    expected = solve_ivp(rates, (0, 0.5), np.concatenate([q0, qd0]), "DOP853", t, rtol=1e-12, atol=1e-12).y.T
    trajectory = armdyn.simulate(
        case.robot,
        q0,
        qd0,
        duration=0.5,
        torque=lambda t, q, qd: tau - qd,
        save=SaveAt(times=t),
        method=Adaptive(rtol=1e-12, atol=1e-12),
    )
    np.testing.assert_allclose(trajectory.q, expected[:, : case.n], rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(trajectory.qd, expected[:, case.n :], rtol=1e-8, atol=1e-8)


def test_last_step_is_shortened() -> None:
    robot = pendulum()
    trajectory = armdyn.simulate(robot, [1.0], duration=0.25, method=RungeKutta4(step=0.1))
    np.testing.assert_allclose(trajectory.t, [0, 0.1, 0.2, 0.25])
    np.testing.assert_allclose(trajectory.q[:, 0], released_from(1.0, trajectory.t), atol=1e-4)


def test_a_duration_shorter_than_the_step_is_one_step() -> None:
    assert armdyn.simulate(pendulum(), [1.0], duration=0.01, method=Euler(step=0.1)).t.tolist() == [0.0, 0.01]


def test_what_is_saved() -> None:
    robot = pendulum()
    sparse = armdyn.simulate(robot, [1.0], duration=1.0, method=RungeKutta4(step=0.01), save=SaveAt(every=0.25))
    dense = armdyn.simulate(robot, [1.0], duration=1.0, method=RungeKutta4(step=0.01))
    np.testing.assert_array_equal(sparse.q, dense.q[::25])
    np.testing.assert_allclose(sparse.t, [0, 0.25, 0.5, 0.75, 1])
    chosen = armdyn.simulate(robot, [1.0], duration=1.0, save=SaveAt(times=[0.1, 0.7]))
    assert chosen.t.tolist() == [0.0, 0.1, 0.7, 1.0]
    np.testing.assert_allclose(chosen.q[:, 0], released_from(1.0, chosen.t), atol=1e-9)
    on_steps = armdyn.simulate(robot, [1.0], duration=1.0, method=RungeKutta4(step=0.01), save=SaveAt(times=[0.1, 0.7]))
    np.testing.assert_array_equal(on_steps.q, dense.q[[0, 10, 70, 100]])


def test_without_velocity_it_starts_at_rest() -> None:
    assert armdyn.simulate(pendulum(), [1.0], duration=0.1).qd[0] == 0.0


def test_the_initial_state_is_left_alone() -> None:
    q0 = np.array([1.0])
    trajectory = armdyn.simulate(pendulum(), q0, duration=0.1, torque=lambda t, q, qd: -qd, method="euler")
    assert q0.flags.writeable
    assert not np.shares_memory(q0, trajectory.q)
