"""Electrical energy is heat, friction, and what rotors, links, height and inductance hold: over a minute of motion."""

from typing import Any, NamedTuple

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Gear, Motor, Rises, Thermal
from armdyn.functions import CompiledRollout

THERMAL = Thermal.of_time_constants(1.93, 12.8, 4.65, 80.0)
MOTORS = (
    Motor(
        torque_constant=0.0302,
        resistance=0.299,
        inductance=1.7e-3,
        rotor_inertia=1.42e-5,
        damping=2e-6,
        thermal=THERMAL,
    ),
    Motor(torque_constant=0.06, resistance=1.13, inductance=4e-3, rotor_inertia=1.37e-5, damping=5e-6, thermal=THERMAL),
)
RATIOS = (60.0, -40.0)


class State(NamedTuple):
    """Of arm and motors, and the energies that went in as electricity and out as heat of windings and friction."""

    q: Any
    qd: Any
    current: Any
    winding: Any
    housing: Any
    electrical: Any
    heat: Any
    rubbed: Any


def rates(model: Any, t: Any, y: State) -> State:
    """Their rates at time t, with sinusoidal voltages."""
    volts = np.array([20.0 * np.sin(0.7 * t), 14.0 * np.sin(1.1 * t + 0.4)])
    tau = armdyn.actuators.forces_of_currents(model, y.q, y.current)
    tau_fric = armdyn.algorithms.friction_forces(model, y.q, y.qd)
    di, warmer, electrical, heat = [], [], 0.0, 0.0
    for k, (motor, G) in enumerate(zip(MOTORS, RATIOS, strict=True)):
        at = motor.at(y.winding[k])
        di.append(at.current_rate(y.current[k], volts[k], G * y.qd[k]))
        warmer.append(THERMAL.rates(Rises(y.winding[k], y.housing[k]), at.heat(y.current[k])))
        electrical = electrical + at.electrical_power(y.current[k], G * y.qd[k], di[k])
        heat = heat + at.heat(y.current[k])
    qdd = armdyn.algorithms.forward_dynamics(model, y.q, y.qd, tau)
    return State(y.qd, qdd, np.array(di), *np.array(warmer).T, electrical, heat, tau_fric @ y.qd)


@armdyn.function("(n),(n),(n),(n),(n),(),(),(),(),()->(n),(n),(n),(n),(n),(),(),()", result=State)
def runge_kutta(
    model: Any, q: Any, qd: Any, current: Any, winding: Any, housing: Any, electrical: Any, heat: Any, rubbed: Any,
    t: Any, h: Any,
) -> State:  # fmt: skip
    """One step of the classical fourth-order rule."""
    y = State(q, qd, current, winding, housing, electrical, heat, rubbed)

    def moved(k: State, by: Any) -> State:
        return State(*(x + by * xd for x, xd in zip(y, k, strict=True)))

    k1 = rates(model, t, y)
    k2 = rates(model, t + h / 2, moved(k1, h / 2))
    k3 = rates(model, t + h / 2, moved(k2, h / 2))
    k4 = rates(model, t + h, moved(k3, h))
    return State(*(x + h / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip(y, k1, k2, k3, k4, strict=True)))


def stored(robot: armdyn.Robot, state: Any) -> float:
    """Kinetic energy, of the rotors too, potential, and that of the magnetic fields, J."""
    magnetic = sum(motor.magnetic_energy(i) for motor, i in zip(MOTORS, state.current, strict=True))
    return float(robot.kinetic_energy(state.q, state.qd) + robot.potential_energy(state.q) + magnetic)


@pytest.fixture(scope="module")
def robot() -> armdyn.Robot:
    drives = [Actuator(motor, Gear(ratio)) for motor, ratio in zip(MOTORS, RATIOS, strict=True)]
    return (
        armdyn.load("planar_2r")
        .with_gravity((0.0, -9.81, 0.0))
        .with_actuators(dict(zip(("joint_1", "joint_2"), drives, strict=True)))
    )


def account(robot: armdyn.Robot, h: float) -> tuple[float, float]:
    """What is missing after 60 s, and the electrical energy, J."""
    steps = round(60.0 / h)
    rollout = CompiledRollout(robot, runge_kutta, over_time=["t"])
    start = State(*np.array([[0.3, 0.2], [0, 0], [0, 0], [0, 0], [0, 0]]), 0.0, 0.0, 0.0)
    final = rollout(*start, h * np.arange(steps), h, steps=steps).final
    gained = stored(robot, final) - stored(robot, start)
    assert final.winding.min() > 0.1
    return float(final.electrical - final.heat - final.rubbed - gained), float(final.electrical)


def test_sixty_seconds(robot: armdyn.Robot) -> None:
    """It closes to the error of the integrator, which falls as the fourth power of the step."""
    coarse, _ = account(robot, 4e-3)
    fine, electrical = account(robot, 1e-3)
    assert electrical > 100.0
    assert abs(fine) < 1e-8 * electrical
    assert abs(fine) < abs(coarse) / 100.0  # 4^4 = 256 times less, but for rounding
