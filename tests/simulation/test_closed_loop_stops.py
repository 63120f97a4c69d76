"""Stops and contacts in closed loops: closed forms of a mass that bounces and rests, located events, energy, C."""

from __future__ import annotations

import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Motor, Spring
from armdyn.constraints import PointOnPlane
from armdyn.simulation import (
    Adaptive,
    ClosedLoop,
    Constraints,
    Contact,
    Heun,
    RungeKutta4,
    SaveAt,
    SemiImplicitEuler,
    SettingError,
    Stops,
)
from oracles.short_run import each_once

g, m = 9.81, 2.0
FINE = Adaptive(rtol=1e-12, atol=1e-12)
METHODS = (SemiImplicitEuler, Heun, RungeKutta4)
ARM = armdyn.load("planar_2r").with_limits({"joint_1": (-0.7, 3.0)})
DRY = ARM.with_friction(dict.fromkeys(ARM.joint_names, (0.1, 1.0)))
FLOOR = PointOnPlane("tip", (0, 1, 0), (0, -0.1, 0), name="floor")
START = ([0.2, 0.3], [0.4, -0.2])


def mass(friction: float = 0.0) -> armdyn.Robot:
    """A mass that falls along z to a stop at 0."""
    body = armdyn.Inertia(m, [0, 0, 0], 0.1 * np.eye(3))
    part = armdyn.Part("mass", "base", "prismatic", axis=(0, 0, 1), inertia=body, joint="z")
    robot = armdyn.Robot.from_links([part], gravity=(0, 0, -g), tip="mass").with_limits({"z": (0.0, np.inf)})
    return robot.with_friction({"z": (0.0, friction)}) if friction else robot


def bounced(e: float, t: float) -> tuple[float, float]:
    """Height and velocity of a mass let go at 1 m: flights of 2 v/g, each with e times the speed of the last."""
    t, v = t - np.sqrt(2 / g), np.sqrt(2 * g)
    if t < 0:
        return 1.0 - 0.5 * g * (t + np.sqrt(2 / g)) ** 2, -g * (t + np.sqrt(2 / g))
    while True:
        v *= e
        if t < 2 * v / g:
            return v * t - 0.5 * g * t * t, v - g * t
        t -= 2 * v / g


@pytest.mark.parametrize("e", [0.5, 1.0])
@pytest.mark.parametrize("method", [Heun, RungeKutta4])
def test_a_bouncing_mass_is_that_of_the_closed_form(e: float, method: Any) -> None:
    """One hit in a step is exact: accelerations are constant."""
    loop = ClosedLoop(mass(), method=method(1e-3), elements=[Stops(e)], energy=True, record=["q", "qd", "work"])
    rows = loop([1.0], steps=1200, every=50, tau=[0.0]).rows
    expected = np.array([bounced(e, 0.05 * k) for k in range(24)])
    np.testing.assert_allclose(np.stack([rows.q[:, 0], rows.qd[:, 0]], axis=-1), expected, rtol=0, atol=1e-11)
    energy = 0.5 * m * rows.qd[:, 0] ** 2 + m * g * rows.q[:, 0]
    np.testing.assert_allclose(energy - rows.work, m * g, rtol=1e-12)
    hits = np.count_nonzero(
        np.array([0.0, *np.cumsum(2 * np.sqrt(2 / g) * e ** np.arange(1, 9))]) + np.sqrt(2 / g) < 1.15
    )
    np.testing.assert_allclose(rows.work[-1], m * g * (e ** (2 * hits) - 1.0), rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("friction", [0.0, 3.0])
def test_it_comes_to_rest_exactly_at_the_stop_and_leaves_it(method: Any, friction: float) -> None:
    loop = ClosedLoop(mass(friction), method=method(2e-3), elements=[Stops(0.4)])
    rest = loop([1.0], steps=1500, tau=[0.0]).final
    assert rest.q[0] == rest.qd[0] == 0.0
    push = m * g + friction + 1.0  # 1 N above what holds it
    lifted = loop(rest.q, rest.qd, steps=100, tau=[push]).final
    np.testing.assert_allclose(lifted.qd, [0.2 / m], rtol=1e-12)
    held = loop(rest.q, rest.qd, steps=100, tau=[m * g - friction - 1.0]).final
    assert held.q[0] == held.qd[0] == 0.0


CASES: dict[str, tuple[armdyn.Robot, list[Any]]] = {
    "stop": (ARM, [Stops(0.5, joints=["joint_1"])]),
    "pressed": (ARM, [Stops(0.0, joints=["joint_1"])]),
    "contact": (ARM, [Contact(FLOOR, 0.3)]),
    "dry": (DRY, [Stops(0.5, joints=["joint_1"]), Contact(FLOOR, 0.3)]),
    "flexible": (
        ARM.with_limits({"joint_1": (-0.3, 3.0)}).with_actuators(
            {"joint_2": Actuator(Motor(5e-2), spring=Spring(900.0, damping=1.0))}
        ),
        [Stops(0.2, joints=["joint_1"])],
    ),
    "constrained": (
        ARM.with_limits({"joint_1": (0.1, 0.25)}).with_constraints(
            PointOnPlane("tip", (1, 0, 0), ARM.forward_kinematics(START[0])[:3, 3], name="wall")
        ),
        [Stops(0.5, joints=["joint_1"]), Constraints(project=True)],
    ),
}


def ends(loop: ClosedLoop, start: Any, duration: float, steps: tuple[int, ...]) -> list[np.ndarray]:
    tau = np.zeros(loop.robot.dof)
    found = [loop(*start, steps=n, h=duration / n, tau=tau).final for n in steps]
    return [np.concatenate([one.q, one.qd]) for one in found]


@pytest.mark.short_run("dry-SemiImplicitEuler", "contact-RungeKutta4", "constrained-RungeKutta4", "pressed-Heun")
@pytest.mark.parametrize(("name", "method"), each_once(list(CASES), METHODS))
def test_errors_are_of_the_first_order_beside_located_events(name: str, method: Any) -> None:
    """The order is the slope over nine lengths of steps: an event is elsewhere in its step in each of them."""
    robot, elements = CASES[name]
    start = (START[0], robot.close_velocities(*START)) if robot.model.constraints else START
    others = [one for one in elements if not isinstance(one, Constraints)]
    true = armdyn.simulate(robot, *start, duration=0.5, method=FINE, elements=others, save=SaveAt(every=0.5))
    assert any(event.kind == "impact" for event in true.events)
    steps = (250, 350, 500, 700, 1000, 1400, 2000, 2800, 4000)
    found = ends(ClosedLoop(robot, method=method(1e-3), elements=elements), start, 0.5, steps)
    errors = [abs(one - np.concatenate([true.q[-1], true.qd[-1]])).max() for one in found]
    assert -np.polyfit(np.log(steps), np.log(errors), 1)[0] > 0.75
    assert errors[-1] < 3e-3


@pytest.mark.parametrize("name", ["pressed", "dry"])
def test_the_account_closes_with_the_step(name: str) -> None:
    robot, elements = CASES[name]
    for n in (250, 1000, 4000):
        loop = ClosedLoop(robot, method=RungeKutta4(0.5 / n), elements=elements, energy=True)
        end = loop(*START, steps=n, tau=np.zeros(2)).final
        first, last = (robot.kinetic_energy(q, qd) + robot.potential_energy(q) for q, qd in (START, (end.q, end.qd)))
        assert abs(last - first - end.work) < 20.0 * 0.5 / n  # J, of the order of the step
        assert (end.heat == 0.0) == (robot is ARM)
        assert end.work <= -end.heat + 1e-9  # nothing but friction and impacts takes energy


def test_a_batch_hits_as_each_state_alone() -> None:
    robot, elements = CASES["dry"]
    loop = ClosedLoop(robot, method=SemiImplicitEuler(1e-3), elements=elements)
    q0 = np.random.default_rng(0).uniform(0.0, 0.5, (20, 2))
    batch = loop(q0, steps=600, tau=np.zeros(2)).final
    for k in (0, 7, 19):
        alone = loop(q0[k], steps=600, tau=np.zeros(2)).final
        np.testing.assert_array_equal(batch.q[k], alone.q)
    assert (batch.q[:, 0] > -0.7 - 1e-12).all()


@armdyn.function("(n),(n)->()")
def miss(model: Any, q: Any, qd: Any) -> Any:
    return q @ q + 0.3 * (qd @ qd)


@pytest.mark.parametrize("name", ["stop", "contact", "dry"])
def test_gradients_are_those_of_the_steps(name: str) -> None:
    robot, elements = CASES[name]
    loop = ClosedLoop(robot, method=RungeKutta4(1e-3), elements=elements)
    run = partial(loop, *START, steps=400)
    slopes = loop.gradient(miss, ["tau"], *START, steps=400, tau=[0.3, -0.2]).d_tau
    for k, e in enumerate(1e-6 * np.eye(2)):
        up, down = (run(tau=np.array([0.3, -0.2]) + s * e).final for s in (1, -1))
        slope = (miss(None, up.q, up.qd) - miss(None, down.q, down.qd)) / 2e-6
        np.testing.assert_allclose(slopes[k], slope, rtol=2e-5)


def test_simulate_under_a_controller_has_them() -> None:
    hold = partial(armdyn.control.pd_gravity, q_ref=[-1.0, 0.5], Kp=30.0, Kd=5.0)
    motion = armdyn.simulate(ARM, *START, duration=3.0, controller=hold, elements=[Stops(0.2)])
    assert motion.q[-1, 0] == -0.7
    assert motion.qd[-1, 0] == 0.0
    assert abs(motion.q[-1, 1] - 0.5) < 1e-2


def test_a_pickled_loop_and_the_program_in_c_have_them() -> None:
    robot, elements = CASES["dry"]
    loop = ClosedLoop(robot, method=SemiImplicitEuler(1e-3), elements=elements)
    again = pickle.loads(pickle.dumps(loop))  # noqa: S301 - our own
    first, second = (one(*START, steps=300, tau=np.zeros(2)).final for one in (loop, again))
    np.testing.assert_array_equal(first.q, second.q)
    plain = ClosedLoop(robot, method=SemiImplicitEuler(1e-3))
    assert len(loop.to_c(name="arm").source) > len(plain.to_c(name="arm").source)
    assert (loop(*START, steps=600, tau=np.zeros(2)).final.q != plain(*START, steps=600, tau=np.zeros(2)).final.q).any()


def test_mistakes_are_named() -> None:
    with pytest.raises(SettingError, match="no such joint of 'planar_2r' has limits"):
        ClosedLoop(armdyn.load("planar_2r"), elements=[Stops(joints=["joint_2"])])
    with pytest.raises(SettingError, match="restitution is 2"):
        ClosedLoop(ARM, elements=[Stops(2.0)])
    with pytest.raises(
        TypeError, match=r"ClosedLoop\(\) has no argument 'stops'; give elements=\[armdyn.simulation.Stops"
    ):
        ClosedLoop(ARM, stops=0.5)  # type: ignore[call-arg]
    with pytest.raises(
        TypeError, match=r"study\(\) has no argument 'project'; give elements=\[.*Constraints\(project=True"
    ):
        armdyn.study(ARM, {"q0": np.zeros((2, 2))}, steps=1, project=True)  # type: ignore[call-arg]
    loop = ClosedLoop(ARM, elements=[Stops()])
    with pytest.raises(SettingError, match=r"q0 is 0.3 rad behind 'joint_1 lower stop'"):
        loop([-1.0, 0.0], steps=1, tau=np.zeros(2))
    with pytest.raises(SettingError, match=r"q0 of arm \(1,\) is 0.1 rad behind 'joint_1 lower stop'"):
        loop([[0.0, 0.0], [-0.8, 0.0]], steps=1, tau=np.zeros(2))
