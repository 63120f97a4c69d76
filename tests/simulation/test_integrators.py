"""The fixed-step integrators: orders of convergence, the texts' formulas transcribed, what a symplectic one keeps."""

from collections.abc import Callable
from typing import Any

import modern_robotics as mr
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import armdyn
from armdyn.actuators import Actuator, Gear, Motor
from armdyn.simulation import (
    AdamsBashforthMoulton4,
    Adaptive,
    ConstantAcceleration,
    Euler,
    Heun,
    OverTime,
    RungeKutta4,
    SaveAt,
    SemiImplicitEuler,
    SettingError,
    Variational,
    named_method,
)
from armdyn.simulation.system.arm_in_step import held_step
from oracles.short_run import each_once

Q0, QD0 = np.array([0.1, -0.5, 0.7, 0.2, 0.4, -0.3]), np.array([2.0, -3.0, 2.5, -1.0, 1.5, 2.0])
DURATION = 0.32

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
    n = robot.dof
    end = armdyn.simulate(
        robot, Q0[:n], QD0[:n], duration=DURATION, torque=torque, method=method, save=SaveAt(every=DURATION)
    )
    return np.concatenate([end.q[-1], end.qd[-1], end.energy.work[-1:]])


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
    robot, h, q, qd, tau = armdyn.load("ur5"), 0.01, Q0, QD0, np.linspace(-3, 3, 6)
    motion = armdyn.simulate(robot, q, qd, duration=0.2, torque=tau, method=Euler(h))
    for k in range(20):
        q, qd = mr.EulerStep(q, qd, robot.forward_dynamics(q, qd, tau), h)
        np.testing.assert_allclose(motion.q[k + 1], q, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(motion.qd[k + 1], qd, rtol=1e-12, atol=1e-12)


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
    motion = armdyn.simulate(armdyn.load("ucl_2r"), [0, 0], duration=STEPS * T, torque=torque, method=method)
    q, qd, energy = ucls_simulation(torque, as_printed)
    np.testing.assert_allclose(motion.q, q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(motion.qd, qd, rtol=0, atol=1e-12)
    np.testing.assert_allclose(motion.energy.total, energy, rtol=0, atol=1e-12 * motion.energy.scale)


def test_ucls_variants_beside_the_exact_motion() -> None:
    """Constant torque. Of 188 J that change hands in ten seconds the formula adds 2.0 J and the program takes 0.7 J."""
    tau = np.full(2, 0.1)
    options = {"t_eval": [1.0, 10.0], "method": "DOP853", "rtol": 1e-12, "atol": 1e-12}
    exact = solve_ivp(
        lambda t, y: np.concatenate([y[2:], ucls_equations(y[:2], y[2:], tau)[0]]), (0, 10), np.zeros(4), **options
    ).y.T
    own = armdyn.simulate(
        armdyn.load("ucl_2r"), [0, 0], duration=10, torque=tau, method=Adaptive(rtol=1e-12, atol=1e-12)
    )
    np.testing.assert_allclose(own.at([1.0, 10.0]).q, exact[:, :2], rtol=0, atol=1e-8)
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
    robot, q, qd, h = armdyn.load("ur5"), Q0, QD0, 1e-3
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
    robot, h, tau, f_tip = armdyn.load("ur5"), 2e-3, np.linspace(-3, 3, 6), np.linspace(2, -1, 6)

    def f(y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[6:], robot.forward_dynamics(y[:6], y[6:], tau, f_tip)])

    expected = predict_correct(f, np.concatenate([Q0, QD0]), h, 100)
    held = armdyn.simulate(robot, Q0, QD0, duration=0.2, torque=tau, f_tip=f_tip, method=AdamsBashforthMoulton4(step=h))
    called = armdyn.simulate(
        robot, Q0, QD0, duration=0.2, torque=lambda t, q, qd: tau, f_tip=f_tip, method=AdamsBashforthMoulton4(step=h)
    )
    for motion in (held, called):
        np.testing.assert_allclose(np.hstack([motion.q, motion.qd]), expected, rtol=1e-11, atol=1e-11)
        assert motion.statistics.evaluations == 3 * 4 + 97 * 2


def test_abm4_starts_anew_where_a_table_jumps() -> None:
    """Two runs, one from where the other ended; and with rows that all differ, Runge-Kutta."""
    robot, h = armdyn.load("ur5"), 1e-3
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
    robot, wrenches = armdyn.load("ur5"), np.repeat(np.random.default_rng(0).normal(size=(2, 6)) * 20, 10, axis=0)
    motion = armdyn.simulate(
        robot,
        Q0,
        QD0,
        duration=0.02,
        torque=lambda t, q, qd: -qd,
        f_tip=wrenches,
        method=AdamsBashforthMoulton4(step=1e-3),
    )
    assert motion.statistics.evaluations == 2 * (3 * 4 + 7 * 2)


def test_abm4_starts_anew_where_straight_lines_meet() -> None:
    """On a step or within one: the fourth order stays where corners are on steps."""
    robot = armdyn.load("planar_2r")
    torque = OverTime([0.0, 0.5, 1.0], [[1.0, 0.0], [-3.0, 2.0], [0.0, 0.0]])
    given = {"q0": [0.3, 0.2], "duration": 1.0, "torque": torque}
    true = armdyn.simulate(robot, **given, method=Adaptive(rtol=1e-13, atol=1e-13)).q[-1]
    found = [armdyn.simulate(robot, **given, method=AdamsBashforthMoulton4(h)).q[-1] for h in (4e-3, 1e-3)]
    coarse, fine = (np.abs(q - true).max() for q in found)
    assert fine < 1e-9
    assert np.log2(coarse / fine) / 2 > 3.7


def test_abm4_ends_with_a_step_of_runge_kutta_where_it_is_shorter() -> None:
    robot, h = armdyn.load("ur5"), 1e-3
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
    robot, worst = armdyn.load("planar_2r"), {}
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
    robot, h, tau = armdyn.load("ur5"), 5e-3, np.linspace(-3, 3, 6)
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
    by_state = np.block([[J.d_out0_d_q, J.d_out0_d_qd], [J.d_out1_d_q, J.d_out1_d_qd]])

    def to_momentum(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        p_q = robot.generalized_momentum.derivative("q")(q, qd)
        return np.block([[one, zero], [p_q, robot.mass_matrix(q)]])

    A = to_momentum(*step(*state)[:2]) @ by_state @ np.linalg.inv(to_momentum(*state[:2]))
    form = np.block([[zero, one], [-one, zero]])
    np.testing.assert_allclose(A.T @ form @ A, form, atol=1e-13 * np.abs(A).max() ** 2)


def test_the_variational_step_goes_back_the_way_it_came() -> None:
    robot = armdyn.load("ur5")
    there = armdyn.simulate(robot, Q0, QD0, duration=0.2, torque=np.ones(6), method=Variational(5e-3))
    back = armdyn.simulate(robot, there.q[-1], -there.qd[-1], duration=0.2, torque=np.ones(6), method=Variational(5e-3))
    np.testing.assert_allclose(back.q, there.q[::-1], rtol=0, atol=1e-10)
    np.testing.assert_allclose(back.qd, -there.qd[::-1], rtol=0, atol=1e-9)


def test_a_variational_step_that_is_too_long_says_so() -> None:
    robot = armdyn.load("ur5")
    assert armdyn.simulate(robot, Q0, QD0, duration=0.1, method=Variational(2e-3)).notes == ()
    note, *_ = armdyn.simulate(robot, Q0, QD0, duration=0.4, method=Variational(0.04)).notes
    assert note.startswith("the implicit equation of a step was solved to ")
    assert note.endswith("of the velocities only, so that the energy may drift; use a shorter step")


def test_the_variational_method_refuses_constraints() -> None:
    plane = armdyn.constraints.PointOnPlane("tip", (1, 0, 0), (1, 0, 0))
    robot = armdyn.load("planar_3r").with_constraints(plane)
    with pytest.raises(
        SettingError, match=r"Variational, step 0\.001 s does not keep constraints, and 'planar_3r' has some"
    ):
        armdyn.simulate(robot, robot.close_loop([1.0, -1.0, 0.5]), duration=0.1, method="variational")


@pytest.mark.parametrize("called", [False, True], ids=["held", "called"])
def test_the_variational_method_with_friction_that_depends_on_the_load(called: bool) -> None:
    """Of second order while no joint comes to rest: the friction is that of the accelerations at the middle."""
    lossy = Actuator(Motor(2e-5), Gear(100.0, efficiency=0.7, back_efficiency=0.5))
    arm = armdyn.load("planar_2r").with_actuators({"joint_1": lossy, "joint_2": lossy})
    tau = np.array([40.0, 8.0])
    torque: Any = (lambda t, q, qd: tau - 0.1 * qd) if called else tau
    motion: dict[str, Any] = {"qd0": [1.0, 1.5], "duration": 0.04, "torque": torque, "f_tip": [0, 0, 0, 1.0, 2.0, 0]}
    true = armdyn.simulate(arm, [0.3, 0.4], **motion)
    assert not true.events
    assert abs(true.qd).min() > 0.3

    def error(step: float) -> float:
        found = armdyn.simulate(arm, [0.3, 0.4], method=Variational(step=step), **motion)
        return float(abs(found.q[-1] - true.q[-1]).max())

    assert error(4e-3) / error(2e-3) == pytest.approx(4.0, rel=0.1)
    assert error(2e-3) < 1e-6
