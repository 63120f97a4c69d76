"""States of a user's elements in compiled loops: equal to those of the equations in Python, and side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, LuGre, Motor, Spring
from armdyn.constraints import PointOnPlane
from armdyn.simulation import (
    Adaptive,
    ConstantAcceleration,
    Constraints,
    Contact,
    ElementWithState,
    Heun,
    OverTime,
    RungeKutta4,
    SaveAt,
    Stops,
)
from armdyn.simulation.system.system import System
from simulation.matrix import Relaxing

PLANAR = armdyn.load("planar_2r")
LOOSE = {"joint_1": Actuator(motor=Motor(5e-2), spring=Spring(900.0, damping=1.0, backlash=2e-3))}
SOFT = {"joint_1": Actuator(motor=Motor(5e-2), spring=Spring(900.0, damping=1.0))}
BRISTLES = LuGre(stiffness=300.0, bristle_damping=3.0, viscous=0.1, static=0.9, kinetic=0.6, speed=0.1)
START, RATES = np.array([-0.6, 0.9]), np.array([0.5, -0.8])
FLOOR = PointOnPlane("tip", (0, 1, 0), (0, -1.2, 0), name="floor")
WALL = PLANAR.with_constraints(
    PointOnPlane("tip", (1, 0, 0), np.asarray(PLANAR.forward_kinematics(START))[:3, 3], name="wall")
)
RELAX = (Relaxing(1, 30.0, 2.0), Relaxing(0, 50.0, 4.0))


@dataclass(frozen=True)
class Yielding(ElementWithState):
    """A spring that yields beyond a bound, at which its rate has a kink."""

    def states(self) -> Any:
        return {"force": "N m"}

    def rates(self, model: Any, q: Any, qd: Any, z: Any, tau: Any) -> Any:
        return [-40.0 * qd[0] - 5.0 * armdyn.maximum(z[0] - 0.5, 0.0) * abs(z[0]) + 0.01 * tau[1]]

    def force(self, model: Any, q: Any, qd: Any, z: Any) -> Any:
        return np.array([z[0], 0.0 * q[1]])

    def energy(self, model: Any, q: Any, z: Any) -> Any:
        return z[0] * z[0] / 80.0

    def located(self, model: Any, q: Any, qd: Any, z: Any) -> Any:
        return (z[0] - 0.5,)


SIDE_BY_SIDE = {
    "alone": (PLANAR, RELAX),
    "flexible joint": (PLANAR.with_actuators(SOFT), RELAX),
    "constraint": (WALL, RELAX),
    "projected": (WALL, (*RELAX, Constraints(project=True))),
}
IN_SEGMENTS = {
    "dry friction": (PLANAR.with_friction({"joint_1": (0.05, 0.4), "joint_2": (0.05, 0.3)}), RELAX),
    "stops": (PLANAR.with_limits({"joint_2": (0.5, 1.2)}), (*RELAX, Stops(0.5))),
    "contact": (PLANAR, (*RELAX, Contact(FLOOR, 0.3))),
    "backlash": (PLANAR.with_actuators(LOOSE), RELAX),
    "bristles": (PLANAR.with_actuators({"joint_2": Actuator(friction=BRISTLES)}), RELAX),
    "kink": (PLANAR, (Yielding(), RELAX[0])),
}
COMPILED = SIDE_BY_SIDE | IN_SEGMENTS


def _near(values: Any, expected: Any, allowed: float) -> None:
    np.testing.assert_allclose(values, expected, rtol=0, atol=allowed)


def _both(name: str, method: Any, q0: Any = START) -> Any:
    """The motion by compiled loops, and by Python for a force that is a function."""
    robot, elements = COMPILED[name]
    qd0 = np.asarray(robot.close_velocities(START, RATES)) if robot is WALL else RATES
    options = {"duration": 0.3, "elements": elements, "save": SaveAt(every=0.01), "method": method}
    compiled = armdyn.simulate(robot, q0, qd0, torque=[2.0, -1.0], **options)
    return compiled, armdyn.simulate(robot, q0, qd0, torque=lambda t, q, qd: np.array([2.0, -1.0]), **options)


@pytest.mark.parametrize("method", [RungeKutta4(2e-3), Heun(2e-3), ConstantAcceleration(2e-3)])
@pytest.mark.parametrize("name", COMPILED)
@pytest.mark.short_run(
    "alone-method0", "constraint-method0", "dry friction-method1", "bristles-method0", "kink-method2"
)
def test_fixed_steps_in_compiled_loops_are_those_of_python(name: str, method: Any) -> None:
    """Equal formulas: states, accelerations, work and events agree to rounding."""
    compiled, python = _both(name, method)
    assert [one.kind for one in compiled.events] == [one.kind for one in python.events]
    if name != "kink":  # a loop makes some steps before they are searched for kinks, and counts those after one
        assert compiled.statistics.steps == python.statistics.steps
    for one, other in zip(compiled.events, python.events, strict=True):
        assert abs(one.t - other.t) < 1e-12
    for quantity in ("q", "qd", "qdd"):
        values, expected = getattr(compiled, quantity), getattr(python, quantity)
        _near(values, expected, 1e-12 * max(1.0, abs(expected).max()))
    _near(compiled.energy.work, python.energy.work, 1e-12)
    assert compiled.signals.keys() == python.signals.keys()
    for signal, expected in python.signals.items():
        _near(compiled.signals[signal], expected, 2e-11 * max(1.0, abs(expected).max()))


@pytest.mark.parametrize("name", COMPILED)
@pytest.mark.short_run("alone", "stops", "kink")
def test_adaptive_steps_in_compiled_loops(name: str) -> None:
    """Other steps to the same tolerance, of 1e-11: the stiff bristles to 1e-6."""
    compiled, python = _both(name, Adaptive(1e-11, 1e-11))
    assert [one.kind for one in compiled.events] == [one.kind for one in python.events]
    allowed = 5e-6 if name == "bristles" else 1e-9
    for quantity in ("q", "qd"):
        _near(getattr(compiled, quantity), getattr(python, quantity), allowed)
    _near(compiled.signals["element_states"], python.signals["element_states"], allowed)
    assert abs(compiled.energy.drift).max() < (1e-7 if name == "bristles" else 1e-9)


@pytest.mark.parametrize("method", [RungeKutta4(2e-3), Adaptive(1e-11, 1e-11)])
@pytest.mark.parametrize("name", SIDE_BY_SIDE)
@pytest.mark.short_run("alone-method0", "alone-method1")
def test_a_batch_is_side_by_side_in_one_loop(name: str, method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No rate is computed in Python, and each state moves as alone; interpolants too."""
    robot, elements = SIDE_BY_SIDE[name]
    q0, qd0 = np.broadcast_to(START, (3, 2)), np.linspace(0.5, 1.0, 3)[:, None] * RATES
    if robot is WALL:
        qd0 = np.array([robot.close_velocities(START, one) for one in qd0])
    save = SaveAt(every=0.02, dense=isinstance(method, Adaptive))
    options = {"duration": 0.2, "elements": elements, "torque": [2.0, -1.0], "method": method, "save": save}
    alone = [armdyn.simulate(robot, START, one, **options) for one in qd0]
    monkeypatch.setattr(System, "of_states", lambda *_: pytest.fail("rates in Python"))
    batch = armdyn.simulate(robot, q0, qd0, **options)
    for k, one in enumerate(alone):
        _near(batch.q[:, k], one.q, 1e-13)
        _near(batch.qdd[:, k], one.qdd, 1e-12 * abs(one.qdd).max())
        _near(batch.signals["element_states"][:, k], one.signals["element_states"], 1e-12)
        _near(batch.energy.drift[:, k], one.energy.drift, 1e-12)
        if save.dense:
            _near(batch.pick(k).at(0.1234).q, one.at(0.1234).q, 1e-13)


def test_accelerations_under_a_wrench_and_a_ramp() -> None:
    """qdd of a compiled loop satisfies the equations of motion with the forces of the elements at each saved time."""
    ramp = OverTime([0.0, 0.1, 0.3], [[0, 0], [3, 1], [2, -1]])
    wrench = np.array([0.0, 0.0, 0.1, 1.0, 0.5, 0.0])
    options = {"duration": 0.3, "torque": ramp, "f_tip": wrench, "save": SaveAt(every=0.03)}
    motion = armdyn.simulate(PLANAR, START, RATES, elements=RELAX, **options)
    of_elements = motion.signals["element_states"][:, ::-1]  # z of the second element acts on the first joint
    tau = PLANAR.inverse_dynamics(motion.q, motion.qd, motion.qdd, wrench) - of_elements
    _near(tau, motion.tau, 1e-12)
