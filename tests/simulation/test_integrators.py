"""Integration methods: orders, the texts' formulas transcribed, closed forms, Pinocchio; stiff and symplectic ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import modern_robotics as mr
import mpmath
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.special import ellipj, ellipk

import armdyn
from armdyn.actuators import Actuator, Gear, Motor
from armdyn.base.errors import UnknownName
from armdyn.simulation import (
    AdamsBashforthMoulton4,
    Adaptive,
    ConstantAcceleration,
    Crossing,
    Euler,
    Heun,
    JointLimit,
    OverTime,
    RungeKutta4,
    SaveAt,
    SemiImplicitEuler,
    SettingError,
    SimulationError,
    Stops,
    Taylor,
    Variational,
    named_method,
)
from armdyn.simulation.drivers.fixed_step import held_step
from armdyn.simulation.methods import formulas
from armdyn.simulation.methods.catalogue import NAMES, STIFF
from armdyn.spatial.rotations import rigid
from armdyn.studies.motion import MotionSettings
from armdyn.studies.words import Words
from oracles.cases import Case
from oracles.shell import Shell
from oracles.short_run import each_once
from simulation.arms import PLANAR, near, times

UR5, UCL = armdyn.load("ur5"), armdyn.load("ucl_2r")
Q0, QD0 = np.array([0.1, -0.5, 0.7, 0.2, 0.4, -0.3]), np.array([2.0, -3.0, 2.5, -1.0, 1.5, 2.0])
DURATION = 0.32
TIGHT = Adaptive(rtol=1e-13, atol=1e-15)
SIXTH = Adaptive(rtol=1e-13, atol=1e-13)

METHODS = {  # order, and the power of two of steps in the duration, where neither rounding nor the next term shows
    "euler": (Euler, 1, 9),
    "semi_implicit_euler": (SemiImplicitEuler, 1, 9),
    "constant_acceleration": (ConstantAcceleration, 1, 9),
    "as_printed": (lambda step: ConstantAcceleration(step, as_printed=True), 1, 9),
    "heun": (Heun, 2, 9),
    "rk4": (RungeKutta4, 4, 7),
    "abm4": (AdamsBashforthMoulton4, 4, 9),
    "variational": (Variational, 2, 9),
}


def state_at_the_end(robot: armdyn.Robot, method: Any, torque: Any) -> np.ndarray:
    given: Any = {"duration": DURATION, "torque": torque, "method": method, "save": SaveAt(every=DURATION)}
    end = armdyn.simulate(robot, Q0[: robot.dof], QD0[: robot.dof], **given)
    return np.concatenate([end.q[-1], end.qd[-1], end.energy.work[-1:]])


@pytest.mark.short_run("ur5-constant")
@pytest.mark.parametrize(("name", "kind"), each_once(["ur5", "planar_2r"], ["constant", "callable"]))
def test_order_of_convergence(name: str, kind: str) -> None:
    robot = armdyn.load(name)
    tau = np.linspace(1.0, 2.0, robot.dof)
    torque = tau if kind == "constant" else lambda t, q, qd: tau * np.cos(2 * t) - 0.3 * qd - q
    exact = state_at_the_end(robot, RungeKutta4(DURATION / 2**12), torque)
    for method, order, power in METHODS.values():
        errors = [
            np.linalg.norm(state_at_the_end(robot, method(DURATION / 2**k), torque) - exact) for k in (power, power + 1)
        ]
        assert abs(np.log2(errors[0] / errors[1]) - order) < 0.1, method


def test_euler_is_the_step_of_modern_robotics() -> None:
    h, q, qd, tau, f_tip = 0.01, Q0, QD0, np.linspace(-3, 3, 6), np.linspace(1, 2, 6)
    motion = armdyn.simulate(UR5, q, qd, duration=0.2, torque=tau, f_tip=f_tip, method=Euler(h))
    for k in range(20):
        qdd = UR5.forward_dynamics(q, qd, tau, f_tip)
        np.testing.assert_allclose(motion.qdd[k], qdd, rtol=1e-10, atol=1e-10)
        q, qd = mr.EulerStep(q, qd, qdd, h)
        np.testing.assert_allclose([motion.q[k + 1], motion.qd[k + 1]], [q, qd], rtol=1e-12, atol=1e-12)
    assert motion.statistics.steps == motion.statistics.evaluations == 20


# A pendulum in elliptic functions.

MASS, LENGTH, INERTIA, GRAVITY, ANGLE = 1.7, 0.6, 0.23, 9.81, 1.9
"""SI units; rad from the vertical, at which the pendulum is let go."""
BOB = armdyn.Inertia(MASS, [0, 0, -LENGTH], np.diag([INERTIA, INERTIA, 0.1]))
PENDULUM = armdyn.Robot.from_links(
    [armdyn.Part("bob", "base", "revolute", axis=(0, 1, 0), inertia=BOB, joint="swing")],
    gravity=(0, 0, -GRAVITY),
    tip="bob",
)
"""A body on a horizontal axis that hangs down at q = 0."""


def released_from(angle: float, t: np.ndarray) -> np.ndarray:
    """sin(q / 2) = k cd(w t, k) with k = sin(angle / 2): the pendulum let go at rest."""
    m = np.sin(angle / 2) ** 2
    sn, *_ = ellipj(ellipk(m) - np.sqrt(MASS * GRAVITY * LENGTH / (INERTIA + MASS * LENGTH**2)) * t, m)
    return 2 * np.arcsin(np.sqrt(m) * sn)


@pytest.mark.parametrize("angle", [1e-4, 0.5, 2.0, 3.1])
def test_adaptive_is_the_pendulum_of_jacobi(angle: float) -> None:
    trajectory = armdyn.simulate(PENDULUM, [angle], duration=5.0, method=Adaptive(rtol=1e-12, atol=1e-14))
    near(trajectory.q[:, 0], released_from(angle, trajectory.t), 1e-8 * angle)


@pytest.mark.parametrize("scipy_method", ["RK45", "DOP853", "Radau", "LSODA"])
def test_solvers_of_scipy_agree(scipy_method: str) -> None:
    method = Adaptive(rtol=1e-8, atol=1e-8, scipy_method=scipy_method)
    trajectory = armdyn.simulate(PENDULUM, [1.0], duration=1.0, method=method, save=SaveAt(every=0.1))
    near(trajectory.q[:, 0], released_from(1.0, trajectory.t), 1e-5)


def test_what_is_saved() -> None:
    rk4, exact = RungeKutta4(step=0.01), Adaptive()

    def moved(method: Any, duration: float = 1.0, **options: Any) -> armdyn.Trajectory:
        return armdyn.simulate(PENDULUM, [1.0], duration=duration, method=method, **options)

    sparse, dense = moved(rk4, save=SaveAt(every=0.25)), moved(rk4)
    np.testing.assert_array_equal(sparse.q, dense.q[::25])
    np.testing.assert_allclose(sparse.t, [0, 0.25, 0.5, 0.75, 1])
    chosen, on_steps = (moved(method, save=SaveAt(times=[0.1, 0.7])) for method in (exact, rk4))
    assert chosen.t.tolist() == [0.0, 0.1, 0.7, 1.0]
    near(chosen.q[:, 0], released_from(1.0, chosen.t), 1e-9)
    np.testing.assert_array_equal(on_steps.q, dense.q[[0, 10, 70, 100]])
    shortened = moved(RungeKutta4(step=0.1), 0.25)  # its last step
    np.testing.assert_allclose(shortened.t, [0, 0.1, 0.2, 0.25])
    np.testing.assert_allclose(shortened.q[:, 0], released_from(1.0, shortened.t), atol=1e-4)
    assert moved(Euler(step=0.1), 0.01).t.tolist() == [0.0, 0.01]


def test_the_initial_state_is_left_alone() -> None:
    q0 = np.array([1.0])
    trajectory = armdyn.simulate(PENDULUM, q0, duration=0.1, torque=lambda t, q, qd: -qd, method="euler")
    assert trajectory.qd[0] == 0.0
    assert q0.flags.writeable
    assert not np.shares_memory(q0, trajectory.q)


def time_of(angle: float, start: float = ANGLE) -> float:
    """The time from rest at ``start`` to an angle on the way down, by elliptic integrals, s.

    theta'^2 = 4 w^2 (k^2 - sin^2(theta / 2)), so that w t = K(k) - F(asin(sin(theta / 2) / k), k).
    """
    with mpmath.workdps(40):
        w = mpmath.sqrt(mpmath.mpf(MASS) * GRAVITY * LENGTH / (INERTIA + mpmath.mpf(MASS) * mpmath.mpf(LENGTH) ** 2))
        k = mpmath.sin(mpmath.mpf(start) / 2)
        phi = mpmath.asin(mpmath.sin(mpmath.mpf(angle) / 2) / k)
        return float((mpmath.ellipk(k**2) - mpmath.ellipf(phi, k**2)) / w)


def test_times_of_crossings_are_those_of_elliptic_integrals() -> None:
    """Three angles, and the same on the way back: a period is four times that to the vertical."""
    angles = (1.3, 0.41, -0.77)
    events = [Crossing(lambda t, q, qd, angle=angle: q[0] - angle, f"{angle}") for angle in angles]
    period = 4.0 * time_of(0.0)
    motion = armdyn.simulate(PENDULUM, [ANGLE], duration=period, method=TIGHT, events=events)
    for angle in angles:
        near(times(motion, name=f"{angle}"), [time_of(angle), period - time_of(angle)], 1e-12)


def test_times_of_joint_limits_and_impacts_are_those_of_elliptic_integrals() -> None:
    """At a stop that takes half the speed the pendulum turns back, and meets it again after a swing of less height."""
    robot, stop = PENDULUM.with_limits({"swing": (-0.5, 5.0)}), -0.5
    first = time_of(stop)
    free = armdyn.simulate(robot, [ANGLE], duration=1.1 * first, method=TIGHT, events=[JointLimit("swing")])
    assert abs(free.events[0].t - first) < 1e-12
    with mpmath.workdps(40):
        k, there = mpmath.sin(mpmath.mpf(ANGLE) / 2), mpmath.sin(mpmath.mpf(stop) / 2)
        height = 2 * mpmath.asin(mpmath.sqrt(there**2 + (k**2 - there**2) / 4))  # of the next swing
    back = 2.0 * time_of(stop, float(height))
    motion = armdyn.simulate(robot, [ANGLE], duration=first + 1.1 * back, method=TIGHT, elements=[Stops(0.5)])
    near(times(motion, "impact")[:2], [first, first + back], 1e-12)


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
    given: Any = {"torque": lambda t, q, qd: tau - qd, "save": SaveAt(times=t), "method": Adaptive(1e-12, 1e-12)}
    trajectory = armdyn.simulate(case.robot, q0, qd0, duration=0.5, **given)
    np.testing.assert_allclose(trajectory.q, expected[:, : case.n], rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(trajectory.qd, expected[:, case.n :], rtol=1e-8, atol=1e-8)


@pytest.mark.short_run("planar_2r-2.0", "ur5-1.0")
@pytest.mark.parametrize(("name", "duration"), [("planar_2r", 2.0), ("ucl_2r", 2.0), ("ur5", 1.0)])
def test_errors_are_at_most_those_of_scipy_at_the_same_tolerance(name: str, duration: float) -> None:
    """Over 20 random starts: the median error, and the mean of the logarithms of the ratios."""
    robot = armdyn.load(name)
    n, random = robot.dof, np.random.default_rng(3)
    q, qd = random.uniform(-1.0, 1.0, (2, 20, n))

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[n:], robot.forward_dynamics(y[:n], y[n:], np.zeros(n))])

    def by_scipy(rtol: float, atol: float) -> np.ndarray:
        options: dict[str, Any] = {"method": "DOP853", "rtol": rtol, "atol": atol}
        starts = np.concatenate([q, qd], axis=1)
        return np.array([solve_ivp(rates, (0.0, duration), y, **options).y[:, -1] for y in starts])

    exact, theirs = by_scipy(3e-14, 1e-15), by_scipy(1e-10, 1e-10)
    motion = armdyn.simulate(robot, q, qd, duration=duration, save=SaveAt(every=duration))
    own = np.concatenate([motion.q[-1], motion.qd[-1]], axis=1)
    errors = [np.abs(ends - exact).max(axis=1) for ends in (own, theirs)]
    assert np.median(errors[0]) < np.median(errors[1])
    assert np.log(errors[0] / errors[1]).mean() < 0.0


# UCL week 9: m = (3, 2) kg, L = (3, 2) m, g = 9.8 m/s^2, T = 1 ms, 10,000 steps, from rest at q = 0.


M_1, M_2, L_1, L_2, G, T, STEPS = 3.0, 2.0, 3.0, 2.0, 9.8, 1e-3, 10_000


def ucls_equations(q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> tuple[np.ndarray, float]:
    """Accelerations M^-1 (tau - V - G) as the slides print them, and the energy of the two point masses."""
    (s2, c2), (c1, c12) = (np.sin(q[1]), np.cos(q[1])), (np.cos(q[0]), np.cos(q[0] + q[1]))
    m11 = M_2 * L_2**2 + 2 * M_2 * L_1 * L_2 * c2 + (M_1 + M_2) * L_1**2
    m12 = M_2 * L_2**2 + M_2 * L_1 * L_2 * c2
    M = np.array([[m11, m12], [m12, M_2 * L_2**2]])
    v1 = -M_2 * L_1 * L_2 * s2 * qd[1] ** 2 - 2 * M_2 * L_1 * L_2 * s2 * qd[0] * qd[1]
    V = np.array([v1, M_2 * L_1 * L_2 * s2 * qd[0] ** 2])
    gravity = np.array([M_2 * G * L_2 * c12 + (M_1 + M_2) * G * L_1 * c1, M_2 * G * L_2 * c12])
    heights = L_1 * np.sin(q[0]), L_1 * np.sin(q[0]) + L_2 * np.sin(q[0] + q[1])
    energy = qd @ M @ qd / 2 + G * (M_1 * heights[0] + M_2 * heights[1])
    return np.linalg.inv(M) @ (tau - V - gravity), energy


def ucls_simulation(torque: np.ndarray, as_printed: bool, T: float = T) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The loop of the slides; its update as the formula of "Simulation (4)", or in the order of the printed program."""
    q, qd = np.zeros(2), np.zeros(2)
    positions, velocities, energies = [q], [qd], []
    for tau in torque:
        qdd, energy = ucls_equations(q, qd, tau)
        if as_printed:
            qd = qd + qdd * T
            q = q + qd * T + 1 / 2 * qdd * T**2
        else:
            q, qd = q + qd * T + 1 / 2 * qdd * T**2, qd + qdd * T
        positions.append(q)
        velocities.append(qd)
        energies.append(energy)
    return np.array(positions), np.array(velocities), np.array([*energies, ucls_equations(q, qd, tau)[1]])


@pytest.mark.short_run("sinusoidal-True")
@pytest.mark.parametrize("as_printed", [False, True])
@pytest.mark.parametrize("input_torque", ["constant", "sinusoidal"])
def test_ucls_simulation_step_by_step(input_torque: str, as_printed: bool) -> None:
    """A start 1e-12 rad aside ends at most 2e-11 aside: 10,000 steps multiply a rounding by twenty."""
    t = np.arange(STEPS) * T
    torque = np.full((STEPS, 2), 0.1) if input_torque == "constant" else np.sin(t)[:, None] * [1.0, 0.5]
    method = ConstantAcceleration(T, as_printed=as_printed)
    motion = armdyn.simulate(UCL, [0, 0], duration=STEPS * T, torque=torque, method=method)
    q, qd, energy = ucls_simulation(torque, as_printed)
    near(motion.q, q, 1e-12)
    near(motion.qd, qd, 1e-12)
    near(motion.energy.total, energy, 1e-12 * motion.energy.scale)


def test_ucls_variants_beside_the_exact_motion() -> None:
    """Constant torque. Of 188 J that change hands in ten seconds the formula adds 2.0 J and the program takes 0.7 J."""
    tau = np.full(2, 0.1)
    options = {"t_eval": [1.0, 10.0], "method": "DOP853", "rtol": 1e-12, "atol": 1e-12}
    exact = solve_ivp(
        lambda t, y: np.concatenate([y[2:], ucls_equations(y[:2], y[2:], tau)[0]]), (0, 10), np.zeros(4), **options
    ).y.T
    own = armdyn.simulate(UCL, [0, 0], duration=10, torque=tau, method=Adaptive(rtol=1e-12, atol=1e-12))
    near(own.at([1.0, 10.0]).q, exact[:, :2], 1e-8)
    assert np.abs(own.energy.drift).max() < 1e-8
    for as_printed, gained, away in ((False, 1.9563, 0.0014), (True, -0.6703, 0.0022)):
        (q, _, energy), (finer, *_) = (
            ucls_simulation(np.tile(tau, (steps, 1)), as_printed, T=length)
            for steps, length in ((STEPS, T), (STEPS // 5, T / 2))
        )
        assert energy[-1] - energy[0] - tau @ (q[-1] - q[0]) == pytest.approx(gained, abs=1e-3)
        errors = [np.abs(one - exact[0, :2]).max() for one in (q[1000], finer[2000])]
        assert errors[0] == pytest.approx(away, rel=0.05)
        assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.02)  # of the first order, both


def test_the_printed_program_adds_three_halves() -> None:
    robot, q, qd, h = UR5, Q0, QD0, 1e-3
    qdd = robot.forward_dynamics(q, qd, np.zeros(6))
    slides, printed = (
        armdyn.simulate(robot, q, qd, duration=h, method=ConstantAcceleration(h, as_printed=flag))
        for flag in (False, True)
    )
    np.testing.assert_allclose(slides.q[-1], q + qd * h + 0.5 * qdd * h**2, rtol=1e-14)
    np.testing.assert_allclose(printed.q[-1], q + qd * h + 1.5 * qdd * h**2, rtol=1e-14)
    np.testing.assert_array_equal(slides.qd, printed.qd)


# Adams-Bashforth-Moulton.


def predict_correct(f: Callable[[np.ndarray], np.ndarray], y: np.ndarray, h: float, count: int) -> list[np.ndarray]:
    """PECE as the books on numerical analysis have it: the rates are evaluated again behind the corrector."""
    ys, rates = [y], [f(y)]
    for _ in range(3):
        k1 = rates[-1]
        k2 = f(y + h / 2 * k1)
        k3 = f(y + h / 2 * k2)
        k4 = f(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        ys.append(y)
        rates.append(f(y))
    while len(ys) <= count:
        predicted = y + h * (np.array([-9, 37, -59, 55]) / 24) @ rates[-4:]
        y = y + h * (np.array([1, -5, 19, 9]) / 24) @ [*rates[-3:], f(predicted)]
        ys.append(y)
        rates.append(f(y))
    return ys


def test_abm4_is_the_textbook_recursion() -> None:
    robot, h, tau, f_tip = UR5, 2e-3, np.linspace(-3, 3, 6), np.linspace(2, -1, 6)

    def f(y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[6:], robot.forward_dynamics(y[:6], y[6:], tau, f_tip)])

    expected, given = predict_correct(f, np.concatenate([Q0, QD0]), h, 100), {"duration": 0.2, "f_tip": f_tip}
    for torque in (tau, lambda t, q, qd: tau):
        motion = armdyn.simulate(robot, Q0, QD0, torque=torque, method=AdamsBashforthMoulton4(step=h), **given)
        np.testing.assert_allclose(np.hstack([motion.q, motion.qd]), expected, rtol=1e-11, atol=1e-11)
        assert motion.statistics.evaluations == 3 * 4 + 97 * 2


def test_abm4_starts_anew_where_a_table_jumps() -> None:
    """Two runs, one from where the other ended; and with rows that all differ, Runge-Kutta."""
    robot, h = UR5, 1e-3
    rows = np.repeat([[5.0, 0, 0, 0, 0, 0], [-5.0, 8, 0, 0, 0, 1]], 50, axis=0)
    whole = armdyn.simulate(robot, Q0, QD0, duration=0.1, torque=rows, method=AdamsBashforthMoulton4(step=h))
    first = armdyn.simulate(robot, Q0, QD0, duration=0.05, torque=rows[0], method=AdamsBashforthMoulton4(step=h))
    second = armdyn.simulate(
        robot, first.q[-1], first.qd[-1], duration=0.05, torque=rows[-1], method=AdamsBashforthMoulton4(step=h)
    )
    np.testing.assert_allclose(whole.q, [*first.q[:-1], *second.q], rtol=1e-13, atol=1e-13)
    noise = np.random.default_rng(0).normal(size=(100, 6))
    motions = [
        armdyn.simulate(robot, Q0, QD0, duration=0.1, torque=noise, method=named_method(m, step=h))
        for m in ("abm4", "rk4")
    ]
    np.testing.assert_allclose(motions[0].q, motions[1].q, rtol=1e-13, atol=1e-13)
    assert motions[0].statistics.evaluations == motions[1].statistics.evaluations == 400


def test_abm4_starts_anew_where_one_of_two_forces_jumps() -> None:
    """A torque that is a callable beside a wrench that is a table: the jump of the table alone starts it anew."""
    robot, wrenches = UR5, np.repeat(np.random.default_rng(0).normal(size=(2, 6)) * 20, 10, axis=0)
    given: Any = {"torque": lambda t, q, qd: -qd, "f_tip": wrenches, "method": AdamsBashforthMoulton4(step=1e-3)}
    motion = armdyn.simulate(robot, Q0, QD0, duration=0.02, **given)
    assert motion.statistics.evaluations == 2 * (3 * 4 + 7 * 2)


def test_abm4_starts_anew_where_straight_lines_meet() -> None:
    """On a step or within one: the fourth order stays where corners are on steps."""
    robot = PLANAR
    torque = OverTime([0.0, 0.5, 1.0], [[1.0, 0.0], [-3.0, 2.0], [0.0, 0.0]])
    given = {"q0": [0.3, 0.2], "duration": 1.0, "torque": torque}
    true = armdyn.simulate(robot, **given, method=Adaptive(rtol=1e-13, atol=1e-13)).q[-1]
    found = [armdyn.simulate(robot, **given, method=AdamsBashforthMoulton4(h)).q[-1] for h in (4e-3, 1e-3)]
    coarse, fine = (np.abs(q - true).max() for q in found)
    assert fine < 1e-9
    assert np.log2(coarse / fine) / 2 > 3.7


def test_abm4_ends_with_a_step_of_runge_kutta_where_it_is_shorter() -> None:
    robot, h = UR5, 1e-3
    motion = armdyn.simulate(robot, Q0, QD0, duration=0.0505, method=AdamsBashforthMoulton4(step=h))
    last = armdyn.simulate(robot, motion.q[-2], motion.qd[-2], duration=0.0005, method=RungeKutta4(step=0.0005))
    np.testing.assert_allclose(motion.q[-1], last.q[-1], rtol=1e-14)


@pytest.mark.parametrize("method", sorted(set(METHODS) - {"as_printed"}))
def test_a_batch_is_its_states_one_by_one(method: str) -> None:
    robot, rng = armdyn.load("planar_3r"), np.random.default_rng(1)
    q, qd = rng.normal(size=(2, 2, 3, 3))
    for torque in (np.ones(3), lambda t, q, qd: np.sin(q) - qd):
        options = {"duration": 0.05, "torque": torque, "method": named_method(method, step=0.01)}
        batch = armdyn.simulate(robot, q, qd, **options)
        for index in np.ndindex(2, 3):
            alone = armdyn.simulate(robot, q[index], qd[index], **options)
            np.testing.assert_allclose(batch.pick(*index).q, alone.q, rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(batch.pick(*index).energy.work, alone.energy.work, rtol=1e-11, atol=1e-11)


# The variational method.


def test_energy_of_a_long_motion_stays_bounded() -> None:
    """The two-link arm swings for 400 s in steps of 20 ms: the error of the last quarter is that of the first."""
    robot, worst = PLANAR, {}
    for method in ("variational", "rk4"):
        motion = armdyn.simulate(
            robot, [1.0, 0.5], duration=400.0, method=named_method(method, step=0.02), save=SaveAt(every=0.02)
        )
        worst[method] = np.abs(motion.energy.drift[1:]).reshape(4, -1).max(axis=1)
    assert worst["variational"].max() < 1.3 * worst["variational"].min()
    assert worst["variational"].max() < 0.03 * motion.energy.scale
    assert worst["rk4"][3] > 2.5 * worst["rk4"][0]


def test_the_discrete_action_is_stationary() -> None:
    """D2 L_d(q_k-1, q_k) + D1 L_d(q_k, q_k+1) + h tau = 0, by differences of the energies."""
    robot, h, tau = UR5, 5e-3, np.linspace(-3, 3, 6)
    q = armdyn.simulate(robot, Q0, QD0, duration=0.1, torque=tau, method=Variational(h)).q

    def action(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return h * (robot.kinetic_energy((a + b) / 2, (b - a) / h) - robot.potential_energy((a + b) / 2))

    eps = 1e-4 * np.eye(6)
    for a, b, c in zip(q[:-2], q[1:-1], q[2:], strict=True):
        near, far = (
            (action(a, b + k * eps) + action(b + k * eps, c) - action(a, b - k * eps) - action(b - k * eps, c))
            / (2e-4 * k)
            for k in (1, 2)
        )
        np.testing.assert_allclose((4 * near - far) / 3 + h * tau, 0, atol=1e-9)


@pytest.mark.short_run("furuta")
@pytest.mark.parametrize("name", ["planar_3r", "furuta"])
def test_the_variational_step_is_symplectic(name: str) -> None:
    """The Jacobian of (q, p) after a step by (q, p) before it keeps dq ^ dp."""
    robot, h = armdyn.load(name), 0.01
    n = robot.dof
    step, one, zero = robot.compile(held_step(Variational.scheme)), np.eye(n), np.zeros((n, n))
    state = (Q0[:n], QD0[:n], 0.0, 0.0, h, np.zeros(n))
    J = step.derivative("q", "qd")(*state)
    by_state = np.block([[J.d_q_d_q, J.d_q_d_qd], [J.d_qd_d_q, J.d_qd_d_qd]])

    def to_momentum(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        p_q = robot.generalized_momentum.derivative("q")(q, qd)
        return np.block([[one, zero], [p_q, robot.mass_matrix(q)]])

    A = to_momentum(*step(*state)[:2]) @ by_state @ np.linalg.inv(to_momentum(*state[:2]))
    form = np.block([[zero, one], [-one, zero]])
    np.testing.assert_allclose(A.T @ form @ A, form, atol=1e-13 * np.abs(A).max() ** 2)


def test_the_variational_step_goes_back_the_way_it_came() -> None:
    there = armdyn.simulate(UR5, Q0, QD0, duration=0.2, torque=np.ones(6), method=Variational(5e-3))
    back = armdyn.simulate(UR5, there.q[-1], -there.qd[-1], duration=0.2, torque=np.ones(6), method=Variational(5e-3))
    near(back.q, there.q[::-1], 1e-10)
    near(back.qd, -there.qd[::-1], 1e-9)


def test_a_variational_step_that_is_too_long_says_so() -> None:
    assert armdyn.simulate(UR5, Q0, QD0, duration=0.1, method=Variational(2e-3)).notes == ()
    note, *_ = armdyn.simulate(UR5, Q0, QD0, duration=0.4, method=Variational(0.04)).notes
    assert note.startswith("the implicit equation of a step was solved to ")
    assert note.endswith("of the velocities only, so that the energy may drift; use a shorter step")


@pytest.mark.parametrize("called", [False, True], ids=["held", "called"])
def test_the_variational_method_with_friction_that_depends_on_the_load(called: bool) -> None:
    """Of second order while no joint comes to rest: the friction is that of the accelerations at the middle."""
    lossy = Actuator(Motor(2e-5), Gear(100.0, efficiency=0.7, back_efficiency=0.5))
    arm = PLANAR.with_actuators({"joint_1": lossy, "joint_2": lossy})
    tau = np.array([40.0, 8.0])
    torque: Any = (lambda t, q, qd: tau - 0.1 * qd) if called else tau
    motion: dict[str, Any] = {"qd0": [1.0, 1.5], "duration": 0.04, "torque": torque, "f_tip": [0, 0, 0, 1.0, 2.0, 0]}
    true = armdyn.simulate(arm, [0.3, 0.4], **motion)
    assert not true.events
    assert abs(true.qd).min() > 0.3

    def error(step: float) -> float:
        found = armdyn.simulate(arm, [0.3, 0.4], method=Variational(step=step), **motion)
        return float(abs(found.q[-1] - true.q[-1]).max())

    long, short = error(4e-3), error(2e-3)
    assert long / short == pytest.approx(4.0, rel=0.1)
    assert short < 1e-6


# Taylor series by heyoka, where it is installed.


@pytest.fixture
def heyoka() -> None:
    pytest.importorskip("heyoka")


@pytest.mark.usefixtures("heyoka")
def test_taylor_is_the_pendulum_of_jacobi_to_machine_precision() -> None:
    motion = armdyn.simulate(PENDULUM, [2.0], duration=5.0, method="taylor")
    near(motion.q[:, 0], released_from(2.0, motion.t), 2e-13)
    assert np.abs(motion.energy.relative_drift).max() < 1e-14


@pytest.mark.usefixtures("heyoka")
@pytest.mark.short_run("wrench")
@pytest.mark.parametrize("f_tip", [None, np.linspace(3, 1, 6)], ids=["free", "wrench"])
def test_ur5_with_a_table_against_the_adaptive_method(f_tip: np.ndarray | None) -> None:
    options: Any = {"duration": 0.4, "torque": np.random.default_rng(0).normal(size=(4, 6)) * 3, "f_tip": f_tip}
    series, solver = (
        armdyn.simulate(UR5, Q0, np.full(6, 0.5), method=method, save=SaveAt(every=0.05, dense=True), **options)
        for method in ("taylor", SIXTH)
    )
    for name in ("t", "q", "qd", "qdd", "tau"):
        np.testing.assert_allclose(getattr(series, name), getattr(solver, name), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(series.energy.work, solver.energy.work, rtol=1e-9, atol=1e-10)
    assert np.abs(series.energy.relative_drift).max() < 1e-14
    np.testing.assert_allclose(series.at(series.t).q, series.q, rtol=1e-13, atol=1e-14)


@pytest.mark.usefixtures("heyoka")
def test_a_batch_of_series_is_its_states_one_by_one() -> None:
    q0 = np.random.default_rng(0).normal(size=(3, 2))
    batch = armdyn.simulate(PLANAR, q0, duration=0.5, method=Taylor(1e-12), save=SaveAt(dense=True))
    for k in range(3):
        alone = armdyn.simulate(PLANAR, q0[k], duration=0.5, method=Taylor(1e-12))
        np.testing.assert_allclose(batch.pick(k).q, alone.q, rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(batch.pick(k).at(0.123).q, alone.at(0.123).q, atol=1e-10)


@pytest.mark.usefixtures("heyoka")
def test_errors_of_series() -> None:
    with pytest.raises(SettingError, match="cannot where torque or f_tip is a callable; give numbers or a table"):
        armdyn.simulate(PLANAR, [0, 0], duration=0.1, torque=lambda t, q, qd: -qd, method="taylor")
    with pytest.raises(SettingError, match="tolerance is 0; expected"):
        Taylor(0)
    with pytest.raises(SimulationError, match=r"not be continued at t = 0 s: joint 'joint_1' had reached 1e\+200"):
        armdyn.simulate(PLANAR, [0, 0], [1e200, 0], duration=0.1, method="taylor")


@pytest.mark.usefixtures("heyoka")
@pytest.mark.parametrize("tolerance", [2.3e-16, 1e-10])
@pytest.mark.parametrize(("robot", "q0"), [(PLANAR, [0.0, 0.0]), (PLANAR, [np.pi, 0.0]), (UCL, [0.0, np.pi])])
def test_steps_end_where_symmetry_leaves_few_coefficients(robot: armdyn.Robot, q0: Any, tolerance: float) -> None:
    """From rest in a symmetric state most orders of the series vanish, the last ones among them."""
    motion, true = (armdyn.simulate(robot, q0, duration=1.0, method=method) for method in (Taylor(tolerance), SIXTH))
    near(motion.q[-1], true.q[-1], 1e-11)
    assert np.abs(motion.energy.drift).max() < 1e-9
    assert motion.statistics.steps > 10


# Stiff motions by the names of their methods, and orders under friction.


HEAVY = armdyn.Inertia(2.0, [0.2, 0, 0], np.diag([3e-3, 3e-2, 3e-2]))


LIGHT = armdyn.Inertia(0.3, [0.0, 0.0, 0.0], np.diag([1e-4, 3e-4, 3e-4]))


PARTS = [
    armdyn.Part("upper", "base", joint="shoulder", axis=(0, 0, 1), inertia=HEAVY),
    armdyn.Part("hand", "upper", joint="wrist", axis=(1, 0, 0), xyz=(0.4, 0, 0), inertia=LIGHT),
]


ARM = armdyn.Robot.from_links(PARTS, name="stiff")  # each joint moves for itself: no gravity, a hand that is balanced


KP, KV, AIM = np.array([2000.0, 500.0]), np.array([100.0, 50.0]), np.array([0.5, 1.0])


def servo(t: float, q: Any, qd: Any) -> Any:
    """Position servos as MJCF means them."""
    return KP * (AIM - q) - KV * qd


def exact(t: float) -> np.ndarray:
    """q of the wrist: I qdd = kp (aim - q) - kv qd, by its exponential."""
    A = np.array([[0.0, 1.0], [-KP[1] / 1e-4, -KV[1] / 1e-4]])
    return AIM[1] + (expm(A * t) @ [-AIM[1], 0.0])[0]


@pytest.mark.short_run(without=["radau"])
@pytest.mark.parametrize("method", STIFF)
def test_stiff_servos_by_name(method: str) -> None:
    motion = armdyn.simulate(ARM, [0, 0], duration=0.2, torque=servo, method=method)
    np.testing.assert_allclose(motion.q[-1, 1], exact(0.2), rtol=1e-8)
    assert motion.statistics.evaluations < 20_000
    assert named_method(method, rtol=1e-6) == Adaptive(rtol=1e-6, scipy_method=STIFF[method])
    with pytest.raises(SettingError, match=f"method '{method}' has no step; it chooses its steps itself"):
        named_method(method, step=1e-3)


def test_what_runs_away_names_stiffness() -> None:
    with pytest.raises(SimulationError, match=r" 0.001 s, or method='adaptive'; method='radau' if the motion is stiff"):
        armdyn.simulate(ARM, [0, 0], duration=1.0, torque=servo, method="rk4")
    few = Adaptive(max_steps=50)
    with pytest.raises(SimulationError, match=r"larger rtol, or method='radau' if the motion is stiff: gains, dampers"):
        armdyn.simulate(ARM, [0, 0], duration=1.0, torque=servo, method=few)
    with pytest.raises(SimulationError, match=r"allow a larger rtol\. What"):
        armdyn.simulate(ARM, [0, 0], duration=1.0, torque=servo, method=Adaptive(max_steps=5, scipy_method="Radau"))


def test_names_of_scipy_are_answered() -> None:
    for name in ("RK45", "RK23", "DOP853"):
        with pytest.raises(UnknownName, match=rf"it is a solver of SciPy.*Adaptive\(scipy_method='{name}'\)"):
            armdyn.simulate(ARM, [0, 0], duration=1.0, method=name)
    with pytest.raises(UnknownName, match="Did you mean 'radau'"):
        armdyn.simulate(ARM, [0, 0], duration=1.0, method="Radau")


def test_scenarios_and_the_command_line(tmp_path: Path, shell: Shell) -> None:
    """Viscous friction of 1000 N m s/rad makes a motion stiff."""
    (tmp_path / "arm.yaml").write_text(
        "robot: planar_2r\nqd0: [1, -1]\nduration: 0.1\nmethod: radau\nmethod.rtol: 1e-8\n"
        "inputs: {joint_1.damping: 1000, joint_2.damping: 1000}\n"
    )
    words = Words.read(tmp_path / "arm.yaml")
    motion = MotionSettings.of(words, words.robot())
    assert motion.settings["method"] == Adaptive(rtol=1e-8, scipy_method="Radau")
    assert motion.simulate().statistics.method.startswith("Radau, rtol 1e-08")
    said = shell("simulate", str(tmp_path / "arm.yaml"), "--method", "lsoda", "--json")
    assert said.code == 0, said.err
    assert '"LSODA, rtol 1e-08, atol 1e-10"' in said.out
    said = shell("simulate", "planar_2r", "--method", "bdf", "--set", "method.step=1e-3")
    assert "--set method.step: method 'bdf' has no step" in said.err
    assert list(NAMES)[-1] == "taylor"
