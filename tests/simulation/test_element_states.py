"""Elements with states of their own: matrix exponentials, the adiabat of a gas, every driver, loops and refusals."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm

import armdyn
from armdyn.actuators import Actuator, Gear, Motor, Spring
from armdyn.base.errors import Unsupported
from armdyn.simulation import ElementWithState, RungeKutta4, SaveAt, SettingError, Stops, Trajectory, named_method

M = 2.0
BODY = armdyn.Inertia(M, [0, 0, 0], 0.1 * np.eye(3))
SLIDE = armdyn.Robot.from_links(
    [armdyn.Part("x", "base", "prismatic", axis=(1, 0, 0), inertia=BODY, joint="x")], tip="x"
)


@dataclass(frozen=True)
class Relaxing(ElementWithState):
    """A spring in series with a damper from the base to the first joint (Maxwell): its force is the state."""

    stiffness: float = 80.0
    damping: float = 12.0
    first: float = 3.0

    def states(self) -> Any:
        return {"force": "N"}

    def start(self) -> Any:
        return [self.first]

    def rates(self, model: Any, q: Any, qd: Any, z: Any, tau: Any) -> Any:
        return [-self.stiffness * qd[0] - self.stiffness / self.damping * z[0]]

    def force(self, model: Any, q: Any, qd: Any, z: Any) -> Any:
        return np.array([z[0], *np.zeros(model.dof - 1)])

    def energy(self, model: Any, q: Any, z: Any) -> Any:
        return z[0] * z[0] / (2.0 * self.stiffness)


@dataclass(frozen=True)
class Gas(ElementWithState):
    """A closed cylinder before a slide, without exchange of heat; ambient pressure on the other side."""

    area: float = 1e-3
    length: float = 0.2
    pressure: float = 6e5
    ambient: float = 1e5
    ratio: float = 1.4

    def states(self) -> Any:
        return {"pressure": "Pa"}

    def start(self) -> Any:
        return [self.pressure]

    def rates(self, model: Any, q: Any, qd: Any, z: Any, tau: Any) -> Any:
        return [-self.ratio * z[0] * qd[0] / (self.length + q[0])]

    def force(self, model: Any, q: Any, qd: Any, z: Any) -> Any:
        return np.array([(z[0] - self.ambient) * self.area])

    def energy(self, model: Any, q: Any, z: Any) -> Any:
        volume = self.area * (self.length + q[0])
        return z[0] * volume / (self.ratio - 1.0) + self.ambient * volume


@dataclass(frozen=True)
class Winding(ElementWithState):
    """The temperature above ambient of the motor of the first joint, and the energy that heats it."""

    heating: float = 0.3
    time: float = 0.4

    def states(self) -> Any:
        return {"rise": "K", "heat": "J"}

    def rates(self, model: Any, q: Any, qd: Any, z: Any, tau: Any) -> Any:
        power = self.heating * tau[0] * tau[0]
        return [power - z[0] / self.time, power]


@dataclass(frozen=True)
class Vessel(ElementWithState):
    """A pressure that rises until a valve opens, which lets out in proportion to the rest; it pushes the slide."""

    inflow: float = 4.0
    opening: float = 1.1
    valve: float = 6.0

    def states(self) -> Any:
        return {"pressure": "Pa"}

    def rates(self, model: Any, q: Any, qd: Any, z: Any, tau: Any) -> Any:
        return [self.inflow - self.valve * armdyn.maximum(z[0] - self.opening, 0.0)]

    def force(self, model: Any, q: Any, qd: Any, z: Any) -> Any:
        return np.array([M * z[0]])

    def located(self, model: Any, q: Any, qd: Any, z: Any) -> Any:
        return (z[0] - self.opening,)


def relaxed(t: float, tau: float, own: Relaxing, qd0: float = 0.4) -> np.ndarray:
    """x, v, force and 1 after a time: linear, so a matrix exponential."""
    A = np.zeros((4, 4))
    A[0, 1] = 1.0
    A[1, 2], A[1, 3] = 1.0 / M, tau / M
    A[2, 1], A[2, 2] = -own.stiffness, -own.stiffness / own.damping
    found: np.ndarray = expm(A * t) @ [0.1, qd0, own.first, 1.0]
    return found


def end_of(motion: Trajectory) -> np.ndarray:
    return np.array([motion.q[-1, 0], motion.qd[-1, 0], motion.signals["element_states"][-1, 0]])


@pytest.mark.parametrize("method", ["adaptive", "radau", "rk4", "heun", "semi_implicit_euler", "euler"])
def test_a_linear_element_by_every_method_in_its_order(method: str) -> None:
    own, tau, end = Relaxing(), 1.5, 0.6
    exact = relaxed(end, tau, own)[:3]
    order = {"rk4": 4, "heun": 2, "semi_implicit_euler": 1, "euler": 1}.get(method, 0)
    errors = []
    for step in (0.02, 0.01, 0.005) if order else (0.0,):
        chosen = named_method(method, step=step) if order else method
        motion = armdyn.simulate(SLIDE, [0.1], [0.4], duration=end, torque=[tau], method=chosen, elements=[own])
        errors.append(abs(end_of(motion) - exact).max())
        if not order:
            assert errors[0] < 1e-7
            assert abs(motion.energy.drift).max() < 1e-7
    if order:
        assert np.log2(errors[0] / errors[2]) / 2.0 > order - 0.4


def test_a_batch_and_its_saved_times() -> None:
    """States between steps are those of the method from the last step."""
    own, t = Relaxing(), np.array([0.0, 0.1234, 0.3, 0.5])
    for method in ("adaptive", "rk4"):
        save = SaveAt(times=t) if method == "adaptive" else SaveAt(every=0.1)
        speeds = [[0.4], [-0.7]]
        start = np.full((2, 1), 0.1)
        motion = armdyn.simulate(SLIDE, start, speeds, duration=0.5, method=method, save=save, elements=[own])
        for k, speed in enumerate((0.4, -0.7)):
            exact = np.array([relaxed(one, 0.0, own, speed)[:3] for one in motion.t])
            found = [motion.q[:, k, 0], motion.qd[:, k, 0], motion.signals["element_states"][:, k, 0]]
            np.testing.assert_allclose(np.transpose(found), exact, rtol=0, atol=1e-7)


@pytest.mark.parametrize("method", ["adaptive", "rk4"])
def test_a_gas_keeps_its_adiabat_and_its_energy(method: str) -> None:
    """p V^1.4 stays, and what the gas loses moves the slide: nothing else does work."""
    gas = Gas()
    motion = armdyn.simulate(SLIDE, [0.0], duration=0.3, method=method, elements=[gas])
    pressure = motion.signals["element_states"][:, 0]
    np.testing.assert_allclose(pressure * (0.2 + motion.q[:, 0]) ** 1.4, 6e5 * 0.2**1.4, rtol=1e-6)
    assert abs(motion.energy.work).max() < 1e-4
    assert motion.energy.kinetic.max() > 30.0
    assert motion.signal_labels["element_states"] == (("Gas pressure", "Pa"),)


def test_the_state_of_a_bouncing_slide_keeps_the_adiabat_over_impacts() -> None:
    """In both drivers; the work is what the impacts take."""
    gas, arm = Gas(pressure=1.6e5), SLIDE.with_limits({"x": (-0.1, 0.04)})
    motion = armdyn.simulate(arm, [0.0], duration=0.4, elements=[gas, Stops(0.5)])
    impacts = [event for event in motion.events if event.kind == "impact"]
    assert len(impacts) > 2
    np.testing.assert_allclose(motion.energy.work[-1], -sum(event.energy for event in impacts), rtol=1e-6)
    loop = armdyn.ClosedLoop(arm, method=RungeKutta4(1e-4), elements=[gas, Stops(0.5)])
    looped = loop.simulate([0.0], steps=4000, tau=np.zeros(1))
    for one, error in ((motion, 1e-6), (looped, 1e-4)):
        invariant = one.signals["element_states"][:, 0] * (0.2 + one.q[:, 0]) ** 1.4
        np.testing.assert_allclose(invariant, invariant[0], rtol=error)


def test_states_follow_torques_of_a_function_and_of_a_controller() -> None:
    """An element without a force: its states are the integrals of the torques of the motion."""
    winding = Winding()

    def torque(t: float, q: Any, qd: Any) -> Any:
        return np.array([2.0 * np.cos(5.0 * t) - 0.5 * qd[0]])

    motion = armdyn.simulate(SLIDE, [0.0], duration=1.0, torque=torque, elements=[winding])
    heat = np.concatenate(
        [[0.0], np.cumsum(0.5 * np.diff(motion.t) * (motion.tau[1:, 0] ** 2 + motion.tau[:-1, 0] ** 2))]
    )
    np.testing.assert_allclose(motion.signals["element_states"][:, 1], 0.3 * heat, rtol=0, atol=1e-5)

    loop = armdyn.ClosedLoop(SLIDE, armdyn.control.pd_gravity, method=RungeKutta4(1e-3), elements=[winding])
    held = loop.simulate([0.0], steps=500, q_ref=[1.0], Kp=4.0, Kd=2.0)
    heat = 0.3e-3 * np.sum(held.tau[:-1, 0] ** 2)  # held in each step
    np.testing.assert_allclose(held.signals["element_states"][-1, 1], heat, rtol=1e-12)


@pytest.mark.parametrize("method", ["heun", "rk4", "adaptive"])
def test_a_located_kink_of_a_state(method: str) -> None:
    """The order of the method stays; z = a t until the valve opens, then it tends to another level."""
    vessel, end = Vessel(), 0.7
    a, c, opens = vessel.inflow, vessel.valve, vessel.opening / vessel.inflow
    s = end - opens
    decay = np.exp(-c * s)
    z = vessel.opening + a / c * (1.0 - decay)
    x = a * opens**3 / 6.0 + a * opens**2 / 2.0 * s + vessel.opening * s * s / 2.0
    x += a / c * (s * s / 2.0 - s / c + (1.0 - decay) / c**2)
    errors = []
    for step in (0.02, 0.01, 0.005):
        chosen = method if method == "adaptive" else named_method(method, step=step)
        motion = armdyn.simulate(SLIDE, [0.0], duration=end, method=chosen, elements=[vessel])
        errors.append(max(abs(motion.q[-1, 0] - x), abs(motion.signals["element_states"][-1, 0] - z)))
    if method == "adaptive":
        assert errors[0] < 1e-8
    else:
        assert np.log2(errors[0] / errors[2]) / 2.0 > {"heun": 2, "rk4": 4}[method] - 0.4


def position(model: Any, q: Any) -> Any:
    return q[0]


@pytest.mark.parametrize("dry", [0.0, 0.5])
def test_closed_loops_their_energies_and_their_gradients(dry: float) -> None:
    own, arm = Relaxing(), SLIDE.with_friction({"x": (0.0, dry)})
    exact = armdyn.simulate(arm, [0.1], [0.4], duration=0.5, torque=[3.0], elements=[own])
    loop = armdyn.ClosedLoop(arm, method=RungeKutta4(1e-3), elements=[own])
    motion = loop.simulate([0.1], [0.4], steps=500, tau=[3.0])
    np.testing.assert_allclose(end_of(motion), end_of(exact), rtol=0, atol=1e-6 if dry else 1e-9)
    assert abs(motion.energy.drift).max() < 1e-6
    np.testing.assert_allclose(motion.qdd[-1], exact.qdd[-1], rtol=0, atol=1e-5)
    if not dry:
        cost = armdyn.function("(n)->()")(position)
        by = loop.gradient(cost, ["element_states"], [0.1], [0.4], steps=500, tau=[3.0]).d_element_states
        slope = (relaxed(0.5, 3.0, Relaxing(first=4.0)) - relaxed(0.5, 3.0, Relaxing(first=2.0)))[0] / 2.0  # linear
        np.testing.assert_allclose(by, [slope], rtol=1e-9)


def test_a_controller_sees_the_arm_without_states_and_may_run_in_python() -> None:
    @armdyn.function("(n),(n)->(n)")
    def holds(model: Any, q: Any, qd: Any) -> Any:
        return armdyn.algorithms.inverse_dynamics(model, q, qd, -4.0 * qd - 9.0 * q)

    @armdyn.function("(n),(n)->(n)")
    def by_numbers(model: Any, q: Any, qd: Any) -> Any:
        return np.array([float(M * (-4.0 * qd[0] - 9.0 * q[0]))])

    ends = []
    for law in (holds, by_numbers):
        loop = armdyn.ClosedLoop(SLIDE, law, method=RungeKutta4(1e-3), elements=[Relaxing()])
        if law is by_numbers:
            with pytest.warns(armdyn.simulation.UntracedControllerWarning):
                ends.append(end_of(loop.simulate([0.1], steps=100)))
        else:
            ends.append(end_of(loop.simulate([0.1], steps=100)))
    np.testing.assert_allclose(ends[0], ends[1], rtol=1e-12)


def test_signals_are_saved_and_read(tmp_path: Path) -> None:
    motion = armdyn.simulate(SLIDE, [0.0], duration=0.1, elements=[Gas(), Winding()], save=SaveAt(every=0.05))
    for name in ("motion.npz", "motion.csv"):
        motion.save(tmp_path / name)
        read = Trajectory.load(tmp_path / name)
        np.testing.assert_array_equal(read.signals["element_states"], motion.signals["element_states"])
        assert read.signal_labels["element_states"] == (
            ("Gas pressure", "Pa"),
            ("Winding rise", "K"),
            ("Winding heat", "J"),
        )


@dataclass(frozen=True)
class Wrong(ElementWithState):
    begin: tuple[float, ...] = (0.0, 0.0)
    count: int = 2

    def states(self) -> Any:
        return {"a": "", "b": ""}

    def start(self) -> Any:
        return self.begin

    def rates(self, model: Any, q: Any, qd: Any, z: Any, tau: Any) -> Any:
        return z[: self.count]


@dataclass(frozen=True)
class Nameless(Wrong):
    of: Any = ("a", "b")

    def states(self) -> Any:
        return self.of


def test_refused() -> None:
    arm = armdyn.load("planar_2r")
    for states in (("a", "b"), 2, None, {"a": 1.0}):
        with pytest.raises(SettingError, match=r"states of Nameless are .*; expected a dict of a unit for each name"):
            armdyn.simulate(arm, [0.0, 0.0], duration=0.1, elements=[Nameless(of=states)])
        with pytest.raises(SettingError, match=r"states of Nameless are .*; expected a dict of a unit for each name"):
            armdyn.ClosedLoop(arm, elements=Nameless(of=states))
    with pytest.raises(Unsupported, match=r"rates of Wrong have shape \(1,\); expected \(2,\), .*: a, b"):
        armdyn.simulate(arm, [0.0, 0.0], duration=0.1, elements=[Wrong(count=1)])
    for begin in ((1.0,), (np.nan, 0.0)):
        with pytest.raises(SettingError, match=r"start of Wrong is .* expected a finite number for each of its states"):
            armdyn.simulate(arm, [0.0, 0.0], duration=0.1, elements=[Wrong(begin)])
    with pytest.raises(SettingError, match="does not move the states of Relaxing; expected 'adaptive', 'rk4'"):
        armdyn.simulate(SLIDE, [0.0], duration=0.1, method="taylor", elements=[Relaxing()])
    with pytest.raises(Unsupported, match="Relaxing of 'links' has states, force, which are not arguments here"):
        SLIDE.with_elements(Relaxing()).forward_dynamics([0.0], [0.0], [0.0])
    lossy = Actuator(Motor(2e-5), Gear(50.0, efficiency=0.8, back_efficiency=0.7))
    coupled = armdyn.load("planar_3r").with_mimic({"joint_3": ("joint_2", -0.5)}).with_actuators({"joint_2": lossy})
    with pytest.raises(SettingError, match="force of Relaxing, which has states, is part of that load"):
        armdyn.simulate(coupled, [0.0, 0.0], duration=0.1, elements=[Relaxing()])


def test_the_energy_account_closes_beside_springs_gears_and_bristles() -> None:
    plain = armdyn.load("planar_2r")
    law = armdyn.actuators.LuGre(stiffness=300.0, bristle_damping=3.0, viscous=0.1, static=0.9, kinetic=0.6, speed=0.1)
    cases = {
        "spring": {"joint_1": Actuator(Motor(2e-2), spring=Spring(900.0, damping=0.5))},
        "gear": {"joint_1": Actuator(Motor(2e-5), Gear(50.0, efficiency=0.8, back_efficiency=0.7))},
        "bristles": {"joint_1": Actuator(friction=law)},
    }
    for actuators in cases.values():
        arm = plain.with_actuators(actuators)
        motion = armdyn.simulate(arm, [0.3, 0.2], duration=0.4, elements=[Relaxing()])
        assert abs(motion.energy.relative_drift).max() < 1e-7
        loop = armdyn.ClosedLoop(arm, method=RungeKutta4(2e-4), elements=[Relaxing()])
        looped = loop.simulate([0.3, 0.2], steps=2000, tau=np.zeros(2))
        assert abs(looped.energy.relative_drift).max() < 1e-5
        np.testing.assert_allclose(end_of(looped), end_of(motion), rtol=0, atol=2e-5)
