"""Closed loops of flexible joints with dry friction: rotors and links stick, slip, stop and turn round."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import Robot
from armdyn.actuators import Actuator, Brake, Coulomb, Gear, LuGre, Motor, Spring
from armdyn.control import motor_pd_gravity
from armdyn.program import less
from armdyn.simulation import (
    Adaptive,
    BrakeSwitches,
    ClosedLoop,
    ConstantAcceleration,
    Euler,
    FrictionWarning,
    Heun,
    OverTime,
    RungeKutta4,
    SaveAt,
    SemiImplicitEuler,
    Start,
    StepWarning,
)
from oracles.carried_slide import CarriedSlide
from oracles.two_masses import TwoMasses
from simulation.test_closed_loop_brakes import Braking
from simulation.test_flexible_sticking import DRIVES, LINK, ROTOR, K, hinge
from simulation.test_flexible_sticking_under_load import (
    BACK,
    BELOW,
    ETA,
    RUBS,
    SECOND,
    SECOND_ROTOR,
    SLIDES,
    START,
    TORQUE,
    lossy,
)

STATE = ("q", "qd", "theta", "thetad")
PLANAR = armdyn.load("planar_2r")


def energy(robot: Robot, q: Any, qd: Any, theta: Any, thetad: Any) -> Any:
    """Of links, rotors and springs, J."""
    return robot.flexible_kinetic_energy(q, qd, thetad) + robot.potential_energy(q) + robot.spring_energy(q, theta)


# One joint.


@pytest.mark.parametrize("method", [Euler, SemiImplicitEuler, ConstantAcceleration, Heun, RungeKutta4])
def test_a_rotor_that_stops_within_a_step_goes_as_far_as_friction_lets_it(method: Any) -> None:
    """I v^2 / (2 c) of a rotor alone, which h^2 c/I is many times; its spring is soft, its link at rest."""
    robot, c, v = hinge(Coulomb(40.0), spring=Spring(1e-6, damping=1e-7)), 40.0, 2e-2
    loop = ClosedLoop(robot, method=method(2e-3), energy=True)
    final = loop([0.0], [0.0], thetad=[v], steps=3, tau=[0.0]).final
    np.testing.assert_allclose(final.theta, [ROTOR * v**2 / (2.0 * c)], rtol=1e-6)
    np.testing.assert_allclose([final.heat, -final.work], 0.5 * ROTOR * v**2, rtol=1e-6)
    assert final.thetad[0] == 0.0


def test_what_motor_and_spring_do_while_a_rotor_stops_is_counted() -> None:
    """Work against the energy of links, rotors and springs; what the formulas miss of it, h c v/2, and no more."""
    c, v = 400.0, 0.5
    robot = hinge(Coulomb(c), spring=Spring(K, damping=0.5))
    for method in (Euler, SemiImplicitEuler, ConstantAcceleration):
        drifts = []
        for h in (1e-4, 1e-5):
            loop, steps = ClosedLoop(robot, method=method(h), energy=True), round(2e-3 / h)
            final = loop([0.0], [0.1], theta=[0.02], thetad=[v], steps=steps, tau=[1.0]).final
            before = energy(robot, *np.array([[0.0], [0.1], [0.02], [v]]))
            after = energy(robot, final.q, final.qd, final.theta, final.thetad)
            drifts.append(abs(after - before - final.work))
            assert final.thetad[0] == 0.0
        assert drifts[1] < drifts[0] / 7
        assert drifts[1] < 0.5 * h * c * v * 1.01


def test_the_books_of_strong_stops_close() -> None:
    """Rotors that friction stops within a small part of a step: what springs store is not that of a path behind it."""
    drives = [Actuator(Motor(1e-2), friction=Coulomb(c), spring=Spring(2000.0, 0.5)) for c in (90.0, 0.3)]
    robot = PLANAR.with_gravity([0.0, 0.0, 0.0]).with_actuators(dict(zip(PLANAR.joint_names, drives, strict=True)))
    rng = np.random.default_rng(5)
    q0, qd0 = rng.uniform(-1.0, 1.0, (100, 2)), 0.5 * rng.normal(size=(100, 2))
    for h, most in ((2e-3, 2e-2), (2e-4, 2e-5)):
        loop = ClosedLoop(robot, method=RungeKutta4(h), energy=True, record=["work", "heat", *STATE])
        rows = loop(q0, qd0, steps=round(0.06 / h), tau=np.zeros(2)).rows
        held = energy(robot, *(getattr(rows, name) for name in STATE)) - robot.potential_energy(rows.q)
        assert (np.abs(held - held[0] - rows.work) < most * held[0]).all()
        np.testing.assert_allclose(rows.heat, -rows.work, rtol=0, atol=1e-10)  # nothing else is done
        assert (np.diff(rows.heat, axis=0) > -most * held[0]).all()


def test_steps_too_long_for_a_spring_are_warned_of() -> None:
    """Beyond w h = 2.83 by Runge-Kutta 4, where there are enough of them; be h the method's or an input."""
    robot = hinge(spring=Spring(K))
    w = np.sqrt(K * (1.0 / LINK + 1.0 / ROTOR))
    given = {"q0": [0.0], "theta": [1e-6], "tau": [0.0]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ClosedLoop(robot, method=RungeKutta4(2.8 / w))(**given, steps=100)
        ClosedLoop(robot, method=RungeKutta4(2.9 / w))(**given, steps=10)
    loop = ClosedLoop(robot, method=RungeKutta4(1e-3 / w))
    with pytest.warns(StepWarning, match=f"for the spring of joint '{robot.joint_names[0]}': .* Use a step well below"):
        loop(**given, steps=100, h=2.9 / w)


def test_a_rotor_that_stops_on_its_spring_does_not_move_for_ten_minutes() -> None:
    """Thrown, it comes to rest behind a bent spring, which friction holds; its link swings on and on."""
    robot = hinge(Coulomb(3.0), spring=Spring(K, damping=0.02))
    loop = ClosedLoop(robot, method=SemiImplicitEuler(1e-3), record=["theta"])
    stopped = loop([0.0], [1.5], steps=5_000, tau=[1.0]).final
    assert stopped.thetad[0] == 0.0
    assert stopped.theta[0] > 0.1
    given = {name: getattr(stopped, name) for name in STATE if name != "q"}
    rows = loop(stopped.q, given.pop("qd"), **given, steps=600_000, every=1000, tau=[1.0]).rows
    assert (rows.theta == stopped.theta).all()
    assert abs(loop(stopped.q, theta=stopped.theta, steps=1000, tau=[3.5]).final.theta - stopped.theta) > 1e-3


def test_a_rotor_lets_go_when_its_spring_pulls_with_the_friction() -> None:
    """The link moves off at v: k v sin(w t)/w = c, up to a step late; then it is two masses in closed form."""
    c, v, w = 2.0, 0.9, np.sqrt(K / LINK)
    lets_go = np.arcsin(c * w / (K * v)) / w
    (event, *_), at = TwoMasses(LINK, ROTOR, K, static=c, kinetic=c).motion((0.0, v, 0.0, 0.0), 0.4)
    assert abs(event[0] - lets_go) < 1e-9
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        loop = ClosedLoop(hinge(Coulomb(c)), method=RungeKutta4(h), record=["thetad"])
        rolled = loop([0.0], [v], thetad=[0.0], steps=round(0.4 / h), tau=[0.0])
        moved = h * (np.argmax(rolled.rows.thetad[:, 0] != 0.0) - 1)  # the beginning of the step behind which it moves
        assert moved - h < lets_go <= moved
        errors.append(abs(rolled.final.theta[0] - at(0.4)[2]))
    assert (np.array(errors) < [2e-5, 5e-6, 1.25e-6]).all()  # C h^2: the constant depends on the phase of the start


@pytest.mark.parametrize(
    ("name", "method", "order", "most"),
    [
        ("Coulomb", RungeKutta4, 2, 1.3e-4),
        ("gear loss", RungeKutta4, 2, 2.6e-4),
        ("gear loss", SemiImplicitEuler, 1, 7e-4),
        ("static and kinetic", Heun, 1, 1.75e-3),
    ],
)
def test_rotor_and_link_are_two_masses_in_closed_form(name: str, method: Any, order: int, most: float) -> None:
    """They stick, slip and turn round; the account of energy closes, and what friction takes is heat."""
    laws, gear, numbers = DRIVES[name]
    robot, start, duration = hinge(*laws, gear=gear), (0.1, 1.5, 0.13, 0.0), 2.0
    events, at = TwoMasses(LINK, ROTOR, K, tau=1.3, **numbers).motion(start, duration)
    assert len(events) >= 5
    q, qd, theta, thetad = ([one] for one in start)
    errors = []
    for h in (4e-3, 5e-4):
        loop = ClosedLoop(robot, method=method(h), record=STATE, energy=True)
        every = round(0.02 / h)
        rolled = loop(q, qd, theta=theta, thetad=thetad, steps=100 * every, every=every, tau=[1.3])
        true = np.array([at(0.02 * k) for k in range(100)])
        errors.append(max(abs(rolled.rows.q[:, 0] - true[:, 0]).max(), abs(rolled.rows.theta[:, 0] - true[:, 2]).max()))
    assert errors[0] < most
    assert errors[1] < most / 8**order  # at an eighth of the step
    final = rolled.final
    gained = energy(robot, *(getattr(final, one) for one in STATE)) - energy(robot, q, qd, theta, thetad)
    once = method is SemiImplicitEuler  # its powers are those at the beginning of a step
    assert abs(gained - final.work) < (1e-2 if once else 5e-7)
    np.testing.assert_allclose(final.work + final.heat, 1.3 * (final.theta[0] - theta[0]), rtol=1e-2 if once else 1e-5)
    assert final.heat > 3.0


def test_heat_is_what_the_damping_of_a_spring_takes_too() -> None:
    robot = hinge(spring=Spring(K, damping=8.0))
    final = ClosedLoop(robot, method=RungeKutta4(1e-3), energy=True)([0.1], [1.5], steps=500, tau=[0.7]).final
    gained = energy(robot, *(getattr(final, one) for one in STATE)) - energy(robot, [0.1], [1.5], [0.1], [1.5])
    np.testing.assert_allclose(gained, final.work, rtol=1e-9)
    np.testing.assert_allclose(final.work + final.heat, 0.7 * (final.theta[0] - 0.1), rtol=1e-9)
    assert final.heat > 0.005


# Arms.


@pytest.mark.parametrize(("method", "order"), [(RungeKutta4, 2), (SemiImplicitEuler, 1)])
def test_a_slide_behind_a_lossy_gear_on_a_mass_on_a_spring_is_the_closed_form(method: Any, order: int) -> None:
    """A rigid joint under load beside a flexible one, each of which sticks, slips and turns round."""
    events, at = CarriedSlide(BELOW, SECOND, SECOND_ROTOR, TORQUE[1], RUBS, ETA, BACK).motion(START, 0.41)
    assert len({(name, kind) for _, name, kind in events}) == 6
    q, qd, theta, thetad, q2, qd2 = START
    errors = []
    for h in (2e-3, 2.5e-4):
        loop, every = ClosedLoop(SLIDES, method=method(h), record=STATE), round(0.01 / h)
        assert loop.state == (*STATE, "last_loads")
        rows = loop(
            [q, q2], [qd, qd2], theta=[theta, q2], thetad=[thetad, qd2], steps=40 * every, every=every, tau=TORQUE
        ).rows
        true = np.array([at(0.01 * k) for k in range(40)])
        found = np.stack([rows.q[:, 0], rows.theta[:, 0], rows.q[:, 1]], axis=-1)
        errors.append(abs(found - true[:, [0, 2, 4]]).max())
    assert errors[1] < (1e-5 if order == 2 else 2e-3)
    assert np.log2(errors[0] / errors[1]) / 3 > order - 0.2


HOLD = 0.02


def springy_planar() -> Robot:
    """The first joint has a stiffening, damped spring, a rotor and a bearing that rub; the second one a lossy gear."""
    first = Actuator(Motor(2e-2), Gear(5.0), Coulomb(1.0), spring=Spring(400.0, damping=2.0, cubic=1e4))
    second = Actuator(Motor(2e-2), Gear(5.0, efficiency=0.8, back_efficiency=0.6), Coulomb(0.3))
    robot = PLANAR.with_actuators({"joint_1": first, "joint_2": second})
    return robot.with_friction({"joint_1": (0.05, 0.4)})


def springy_ur5() -> Robot:
    """A spring and Coulomb friction in every joint."""
    bare, sizes = armdyn.load("ur5"), [8.0, 8.0, 6.0, 2.0, 2.0, 1.0]
    drives = {
        name: Actuator(Motor(1e-4), Gear(100.0), Coulomb(c), spring=Spring(9000.0 if c > 2.0 else 4000.0, damping=5.0))
        for name, c in zip(bare.joint_names, sizes, strict=True)
    }
    return bare.with_actuators(drives)


def compared(robot: Robot, q0: Any, table: Any, method: Any, parts: Any) -> tuple[Any, armdyn.Trajectory, Any]:
    """The largest differences from the located motion, for steps of a HOLD over these numbers; that, and the last."""
    rows, theta = len(table), q0 + robot.spring_deflections(robot.gravity_forces(q0))
    held = OverTime(np.arange(rows + 1) * HOLD, np.vstack([table, table[-1:]]), between="hold")
    settings: dict[str, Any] = {"duration": rows * HOLD, "method": Adaptive(1e-9, 1e-10), "save": SaveAt(every=HOLD)}
    true, found = armdyn.simulate(robot, q0, elements=[Start(theta=theta)], torque=held, **settings), []
    for k in parts:
        loop = ClosedLoop(robot, method=method(HOLD / k), over_time=["tau"], record=["q", "theta"], energy=True)
        rolled = loop(q0, theta=theta, steps=rows * k, every=k, tau=np.repeat(table, k, axis=0))
        differences = rolled.rows.q - true.q[:-1], rolled.rows.theta - true.signals["theta"][:-1]
        found.append(max(abs(one).max() for one in differences))
    return np.array(found), true, rolled.final


def test_links_and_rotors_against_the_located_motion() -> None:
    """A rotor and the bearing of its link, and a rigid joint whose gear's loss depends on the load."""
    robot, q0, t = springy_planar(), np.array([-1.5, 0.4]), np.arange(15)[:, None] * HOLD
    table = 0.8 * robot.gravity_forces(q0) + np.array([8.0, 4.0]) * np.sin(2.0 * np.pi * t * [1.7, 2.3] + [0.0, 0.5])
    errors, true, final = compared(robot, q0, table, RungeKutta4, (8, 64))
    assert {one.name for one in true.events} == {"joint_1", "joint_1 rotor", "joint_2"}
    assert len(true.events) >= 9
    assert errors[1] < 5e-6
    assert np.log2(errors[0] / errors[1]) / 3 > 1.7
    gained = energy(robot, *(getattr(final, one) for one in STATE))
    theta = q0 + robot.spring_deflections(robot.gravity_forces(q0))
    assert abs(gained - energy(robot, q0, 0.0 * q0, theta, 0.0 * q0) - final.work) < 1e-6
    np.testing.assert_allclose(final.work, true.energy.work[-1], atol=2e-5)
    assert final.heat > 0.05


@pytest.mark.slow
def test_an_arm_of_six_springs_against_the_located_motion() -> None:
    robot, q0 = springy_ur5(), np.array([0.2, -0.8, 0.9, 0.3, -0.4, 0.5])
    steps = 0.5 * np.random.default_rng(0).normal(size=(15, 6)) * [8.0, 8.0, 6.0, 2.0, 2.0, 1.0]
    table = robot.gravity_forces(q0) + np.cumsum(steps, axis=0)
    errors, true, final = compared(robot, q0, table, RungeKutta4, (20, 320))
    assert len({one.name for one in true.events}) == 6
    assert errors[1] < 1e-7
    assert np.log2(errors[0] / errors[1]) / 4 > 1.7
    np.testing.assert_allclose(final.work, true.energy.work[-1], atol=1e-5)


def test_many_arms_are_each_as_alone_in_every_bit() -> None:
    robot, rng = springy_planar(), np.random.default_rng(5)
    loop = ClosedLoop(robot, method=RungeKutta4(1e-3), record=STATE, energy=True)
    q, qd = rng.normal(size=(13, 2)), rng.normal(size=(13, 2))
    qd[::3], tau = 0.0, robot.gravity_forces(q) + 2.0 * rng.normal(size=(13, 2))
    theta = q + robot.spring_deflections(robot.gravity_forces(q))
    many = loop(q, qd, theta=theta, steps=200, every=10, tau=tau)
    for k in range(13):
        alone = loop(q[k], qd[k], theta=theta[k], steps=200, every=10, tau=tau[k])
        for name in STATE:
            np.testing.assert_array_equal(getattr(many.rows, name)[:, k], getattr(alone.rows, name))
        assert (alone.final.work, alone.final.heat) == (many.final.work[k], many.final.heat[k])
    rests = many.rows.thetad == 0.0
    assert rests.any()
    assert not rests.all()


def test_a_controller_by_the_rotors_rates_and_float32() -> None:
    """Friction holds the rotors off the target exactly; rates by a gain in a motion that stops, against differences."""
    drive = Actuator(Motor(2e-2), Gear(5.0), Coulomb(1.0), spring=Spring(400.0, damping=4.0))
    robot = PLANAR.with_gravity((0, 0, 0)).with_actuators({"joint_1": drive})
    loop = ClosedLoop(robot, motor_pd_gravity, method=Heun(1e-3), record=["thetad"])
    given: Any = {"steps": 4000, "q_ref": [0.2, 0.0], "Kd": [3.0, 1.0]}
    ends = {k: loop([0.0, 0.1], Kp=[k, 20.0], **given) for k in (40.0, 40.0001, 39.9999)}
    assert (ends[40.0].rows.thetad[-200:, 0] == 0.0).all()
    assert abs(40.0 * (ends[40.0].final.theta[0] - 0.2)) < 1.0
    rate = loop.jvp("Kp")([0.0, 0.1], Kp=[40.0, 20.0], tangent_Kp=[1.0, 0.0], **given).final.theta
    np.testing.assert_allclose(rate, (ends[40.0001].final.theta - ends[39.9999].final.theta) / 2e-4, rtol=1e-5)
    single = {name: np.array(value, np.float32) if name != "steps" else value for name, value in given.items()}
    found = loop(np.array([0.0, 0.1], np.float32), Kp=np.array([40.0, 20.0], np.float32), **single)
    assert found.final.theta.dtype == np.float32
    assert (found.rows.thetad[-200:, 0] == 0.0).all()
    np.testing.assert_allclose(found.final.theta, ends[40.0].final.theta, atol=2e-5)


def test_friction_of_the_bearing_and_the_spring_are_inputs() -> None:
    """The friction of a flexible joint itself holds its link; that of the actuator its rotor."""
    robot, q0 = springy_planar(), np.array([-1.5, 0.4])
    names = ["joint_1.friction", "joint_1.spring.stiffness"]
    loop = ClosedLoop(robot, method=Heun(1e-3), record=STATE, parameters=names)
    given: Any = {"steps": 200, "tau": 0.9 * robot.gravity_forces(q0) + [2.0, 0.5]}
    plain = ClosedLoop(robot, method=Heun(1e-3), record=STATE)(q0, **given).rows
    same = loop(q0, joint_1_friction=0.4, joint_1_spring_stiffness=400.0, **given).rows
    for name in STATE:
        np.testing.assert_allclose(getattr(same, name), getattr(plain, name), rtol=0, atol=1e-12)
    held = loop(q0, joint_1_friction=20.0, joint_1_spring_stiffness=400.0, **given).rows
    assert (held.q[:, 0] == q0[0]).all()
    assert (held.theta[-1, 0] != q0[0]).all()


# Beside brakes, plays, and what bends.

BRAKED = PLANAR.with_friction({"joint_1": (0.2, 0.3)}).with_actuators(
    {"joint_2": Actuator(Motor(1e-4), Gear(-50.0), Coulomb(0.5), spring=Spring(300.0, damping=1.0), brake=Brake(0.4))}
)


def test_brakes_hold_the_rotors_as_in_simulate() -> None:
    switches: Any = {"joint_2": [(0.1, "engaged"), (0.3, "released")]}
    true = armdyn.simulate(
        BRAKED, [0.3, 0.4], duration=0.4, elements=[BrakeSwitches(switches)], save=SaveAt(every=0.02)
    )
    loop = ClosedLoop(
        BRAKED, method=RungeKutta4(5e-4), record=["q", "theta", "thetad"], elements=[BrakeSwitches({"joint_2": []})]
    )
    rows = loop([0.3, 0.4], steps=800, every=40, tau=np.zeros(2), brakes=switches).rows
    np.testing.assert_allclose(rows.q, true.q[:-1], rtol=0, atol=2e-5)
    np.testing.assert_allclose(rows.theta[:, 1], true.signals["theta"][:-1, 1], rtol=0, atol=2e-5)
    assert (rows.thetad[8:15, 1] == 0.0).all()
    assert (rows.q[8:15, 1] != rows.theta[8:15, 1]).all()


@armdyn.function("(n),(n),()->(n),(1)", result=Braking)
def held_when_fast(model: Any, q: Any, thetad: Any, limit: Any) -> Any:
    """No torques; the brake is engaged while the second rotor is faster than a limit."""
    return Braking(0.0 * q, np.array([less(limit, abs(thetad[1]))]))


def test_a_controller_engages_a_brake_by_the_speed_of_the_rotor() -> None:
    loop = ClosedLoop(
        BRAKED,
        held_when_fast,
        method=SemiImplicitEuler(1e-3),
        record=["thetad", "brakes"],
        elements=[BrakeSwitches({"joint_2": []})],
    )
    rows = loop([0.3, 0.4], steps=200, limit=0.5).rows
    engaged = rows.brakes[:, 0] == 1.0
    assert engaged.any()
    np.testing.assert_array_equal(engaged, np.abs(rows.thetad[:, 1]) > 0.5)
    assert (np.diff(np.abs(rows.thetad[:, 1]))[engaged[:-1]] < 0.0).all()


def test_a_rotor_that_rubs_before_a_play() -> None:
    drive = Actuator(Motor(1e-4), Gear(50.0), Coulomb(0.5), spring=Spring(300.0, damping=1.0, backlash=0.02))
    robot, tau = PLANAR.with_friction({"joint_1": (0.2, 0.3)}).with_actuators({"joint_2": drive}), [0.0, 2.0]
    true = armdyn.simulate(
        robot, [0.3, 0.4], duration=0.6, torque=tau, save=SaveAt(every=0.02), method=Adaptive(1e-9, 1e-10)
    )
    assert {one.kind for one in true.events} == {"contact", "release", "reversal"}
    loop = ClosedLoop(robot, method=RungeKutta4(2.5e-4), record=["q", "theta"])
    rows = loop([0.3, 0.4], steps=2400, every=80, tau=tau).rows
    np.testing.assert_allclose(rows.q, true.q[:-1], rtol=0, atol=2e-5)
    np.testing.assert_allclose(rows.theta[:, 1], true.signals["theta"][:-1, 1], rtol=0, atol=2e-5)


# What is said.


def flexible_first(**actuators: Actuator) -> dict[str, Actuator]:
    return {"joint_1": Actuator(Motor(0.1), friction=Coulomb(2.0), spring=Spring(300.0)), **actuators}


def test_where_joints_beside_flexible_ones_do_not_stick_it_says_so() -> None:
    bare = armdyn.load("planar_3r")
    coupled = bare.with_mimic({"joint_3": ("joint_2", 1.0)}).with_actuators(flexible_first(joint_2=lossy()))
    with pytest.warns(FrictionWarning, match=r"do not stick .*, for friction depends on the load of joints that are"):
        ClosedLoop(coupled, method=Heun(1e-3))
    bends = Actuator(friction=LuGre(300.0, 3.0, 0.1, 1.5, 1.0, 0.1))
    mimics = bare.with_mimic({"joint_3": ("joint_1", 1.0)}).with_actuators(flexible_first(joint_3=bends))
    with pytest.warns(FrictionWarning, match="state of its own counts at its steady force .*: joint_3$"):
        ClosedLoop(mimics, method=Heun(1e-3))
