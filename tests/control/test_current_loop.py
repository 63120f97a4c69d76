"""The two-rate loop beside its closed forms: the exactly discretised winding, and the linear motor with its load."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy.signal import cont2discrete

import armdyn
from armdyn.actuators import Actuator, Gear, Motor, MotorLimits, Spring
from armdyn.base.errors import ModelError, SettingError, Unsupported
from armdyn.control import current_gains, current_loop

K_T, R, L, G, ROTOR = 0.03, 0.3, 3e-4, 100.0, 1.4e-5
STEP, W = 1e-4, 2500.0
KP, KI = L * W, R * W
NO_GAINS = {"Kp_current": np.zeros(2), "Ki_current": np.zeros(2)}


@armdyn.function("(n),(n)->(n)")
def constant(model: Any, q: Any, wanted: Any) -> Any:
    """The torque that is wanted tau(q), N m, shape (..., n)."""
    return wanted + 0.0 * q


@armdyn.function("(n),(n),(n),(n),(n)->(n)")
def spring_and_damper(model: Any, q: Any, qd: Any, q_ref: Any, Kp: Any, Kd: Any) -> Any:
    """Joint forces tau(q, qd), N m, shape (..., n)."""
    return Kp * (q_ref - q) - Kd * qd


def pendulum(friction: float = 0.0, **limits: float) -> armdyn.Robot:
    """One link without gravity, driven by a motor; held by dry friction if there is much."""
    motor = Motor(ROTOR, torque_constant=K_T, resistance=R, inductance=L, limits=MotorLimits(**limits))
    arm = armdyn.load("planar_2r").with_gravity((0, 0, 0)).with_locked({"joint_2": 0.0})
    return arm.with_actuators({"joint_1": Actuator(motor, Gear(G))}).with_friction({"joint_1": (0.0, friction)})


def loop_of(robot: armdyn.Robot, controller: Any, every: int = 10, step: float = STEP) -> armdyn.ClosedLoop:
    method = armdyn.simulation.SemiImplicitEuler(step=step)
    record = ["q", "current", "current_command", "voltage", "current_integral"]
    return armdyn.ClosedLoop(robot, current_loop(controller, every), method=method, record=record)


def test_current_at_rest_is_that_of_the_exactly_discretised_winding() -> None:
    wanted, gains = 3.6, {"Kp_current": [0.7], "Ki_current": [900.0]}
    rolled = loop_of(pendulum(friction=1e4), constant)([0.2], steps=60, wanted=[wanted], **gains)
    # the plant dI/dt = (V - R I)/L held over a step, z' = z + Ki h (I_com - I), V = Kp (I_com - I) + z
    winding = ([[-R / L]], [[1.0 / L]], [[1.0]], [[0.0]])
    a, b, *_ = cont2discrete(tuple(map(np.array, winding)), STEP)
    command = wanted / (G * K_T)
    closed = np.array([[a[0, 0] - b[0, 0] * 0.7, b[0, 0]], [-STEP * 900.0, 1.0]])
    drive = np.array([b[0, 0] * 0.7, STEP * 900.0]) * command
    x, expected = np.zeros(2), []
    for _ in range(60):
        x = closed @ x + drive
        expected.append(x)
    np.testing.assert_allclose(rolled.rows.current[1:60, 0], np.array(expected)[:59, 0], rtol=1e-12)
    np.testing.assert_allclose(rolled.rows.current_command[:60, 0], command, rtol=1e-14)
    np.testing.assert_allclose(rolled.final.q, [0.2], rtol=0, atol=0)


def test_cancelled_pole_makes_a_first_order_lag() -> None:
    """The continuous loop is 1/(1 + s/w_c); at steps of a hundredth of 1/w_c the current is within a per cent of it."""
    robot, step = pendulum(friction=1e4), 4e-6
    gains = current_gains(robot, W)
    np.testing.assert_allclose([gains["Kp_current"][0], gains["Ki_current"][0]], [KP, KI], rtol=1e-14)
    rolled = loop_of(robot, constant, step=step)([0.0], steps=300, wanted=[3.0], **gains)
    t = step * np.arange(300)
    np.testing.assert_allclose(rolled.rows.current[:300, 0], 1.0 - np.exp(-W * t), atol=6e-3)


def test_motor_and_load_are_a_linear_system_in_two_rates() -> None:
    """Torques at every tenth step, currents at every step: the matrices of the sampled system, step by step."""
    robot, m = pendulum(), 10
    inertia = robot.mass_matrix([0.0])[0, 0]
    kp, kd, aim = 300.0, 40.0, 0.3
    rolled = loop_of(robot, spring_and_damper, m)(
        [0.0], steps=200, q_ref=[aim], Kp=[kp], Kd=[kd], Kp_current=[KP], Ki_current=[KI]
    )
    kept, gained = np.exp(-STEP * R / L), (1.0 - np.exp(-STEP * R / L)) / R
    q = qd = current = z = command = 0.0
    expected = []
    for k in range(200):
        if k % m == 0:
            command = (kp * (aim - q) - kd * qd) / (G * K_T)
        error = command - current
        voltage, z = KP * error + z, z + KI * STEP * error
        before, current = current, kept * current + gained * (voltage - K_T * G * qd)
        qd += STEP * G * K_T * current / inertia
        q += STEP * qd
        expected.append((before, command))
    found = np.array([rolled.rows.current[:200, 0], rolled.rows.current_command[:200, 0]])
    np.testing.assert_allclose(found, np.array(expected).T, rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(rolled.final.q, [q], rtol=1e-11)


def test_steps_tend_to_the_continuous_motor_in_first_order() -> None:
    """A current loop in open air: the exact discretisation of current and speed together, V held over a step."""
    robot = pendulum()
    inertia = robot.mass_matrix([0.0])[0, 0]

    def exact(step: float, steps: int) -> float:
        A = np.array([[-R / L, -K_T * G / L], [G * K_T / inertia, 0.0]])
        a, b, *_ = cont2discrete((A, np.array([[1.0 / L], [0.0]]), np.eye(2), np.zeros((2, 1))), step)
        x, z = np.zeros(2), 0.0
        for _ in range(steps):
            error = 1.2 - x[0]
            voltage, z = KP * error + z, z + KI * step * error
            x = a @ x + b[:, 0] * voltage
        return float(x[1])

    errors = []
    for step in (1e-4, 5e-5, 2.5e-5):
        steps = round(0.02 / step)
        rolled = loop_of(robot, constant, step=step)(
            [0.0], steps=steps, wanted=[1.2 * G * K_T], **current_gains(robot, W)
        )
        errors.append(rolled.final.qd[0] / exact(step, steps) - 1.0)
    assert abs(errors[-1]) < 2e-3
    np.testing.assert_allclose(np.log2(np.abs(errors[:-1]) / np.abs(errors[1:])), 1.0, atol=0.1)


def test_limits_of_current_and_voltage() -> None:
    robot = pendulum(friction=1e4, voltage=2.0, current=5.0)
    rolled = loop_of(robot, constant)([0.0], steps=400, wanted=[90.0], **current_gains(robot, W))
    assert rolled.rows.current_command.max() == 5.0
    assert rolled.rows.voltage.max() == 2.0
    limited = rolled.rows.voltage[:, 0] == 2.0
    assert limited[:5].all()
    assert not limited[-1]
    z = rolled.rows.current_integral[:, 0]
    assert (np.diff(z)[limited[1:-1].nonzero()[0]] == 0.0).all()  # no windup while the voltage is at its limit
    np.testing.assert_allclose(rolled.rows.current[-1], 5.0, rtol=1e-6)


def test_commands_are_held_between_the_steps_of_the_controller() -> None:
    robot = pendulum()
    rolled = loop_of(robot, spring_and_damper, 4)(
        [0.0], steps=16, q_ref=[0.3], Kp=[300.0], Kd=[40.0], **current_gains(robot, W)
    )
    command = rolled.rows.current_command[:16, 0].reshape(4, 4)
    assert (command == command[:, :1]).all()
    assert len(np.unique(command[:, 0])) == 4


def test_made_again_and_refused() -> None:
    made = current_loop(armdyn.control.pd_gravity, 10)
    assert pickle.loads(pickle.dumps(made)).name == made.name  # noqa: S301 - of this test
    with pytest.raises(SettingError, match="every is 0"):
        current_loop(constant, 0)
    with pytest.raises(ModelError, match="has no motors"):
        loop_of(armdyn.load("planar_2r"), constant)(np.zeros(2), steps=1, wanted=np.zeros(2), **NO_GAINS)
    with pytest.raises(ModelError, match="bandwidth is 0"):
        current_gains(pendulum(), 0.0)
    with pytest.raises(ModelError, match="torque_constant of the motor of joint 'joint_1'"):
        current_gains(armdyn.load("planar_2r").with_actuators({"joint_1": Actuator(Motor(1e-5))}), 100.0)
    soft = Actuator(Motor(1e-5, torque_constant=0.1, resistance=0.1), Gear(50.0), spring=Spring(900.0))
    flexible = armdyn.load("planar_2r").with_actuators({"joint_1": soft})
    with pytest.raises(Unsupported, match="flexible joints, whose rotors move by themselves"):
        loop_of(flexible, constant)(np.zeros(2), steps=1, wanted=np.zeros(2), **NO_GAINS)
