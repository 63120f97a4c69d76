"""Closed loops of rigid and flexible joints with dry friction and lossy gears: they hold, let go, stop and turn."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.optimize import lsq_linear

import armdyn
from armdyn import Robot
from armdyn.actuators import (
    Actuator,
    Coulomb,
    FrictionLaw,
    Gear,
    GearLoss,
    LuGre,
    Motor,
    Rotor,
    Slopes,
    Spring,
    StaticKinetic,
    Stribeck,
    Viscous,
)
from armdyn.actuators.published import servo
from armdyn.algorithms.factors import factored
from armdyn.control import motor_pd_gravity, pd_gravity
from armdyn.simulation import (
    Adaptive,
    ClosedLoop,
    ConstantAcceleration,
    DivergenceWarning,
    Euler,
    FrictionWarning,
    Heun,
    OverTime,
    RungeKutta4,
    SaveAt,
    SemiImplicitEuler,
    StepWarning,
)
from armdyn.simulation.drivers.fixed_step import held_step
from armdyn.simulation.system.bounded import bounded_impulses
from armdyn.simulation.system.frictional_arm import motion_of_rows
from armdyn.simulation.system.response import QUICK
from armdyn.targets.llvm.sections import Arithmetic, cut
from oracles.short_run import each_once, short_run
from oracles.sticking_under_load import LoadedArm
from oracles.trees import random_tree, to_armdyn
from oracles.two_masses import TwoMasses
from simulation.arms import (
    LINK,
    MASS,
    PLANAR,
    ROTOR,
    WEIGHTLESS,
    G,
    K,
    block,
    boom,
    geared,
    hinge,
    lift,
    mimicking_slides,
    near,
)
from simulation.test_flexible_joints import CARRIED, DRIVES, LIFTED, SLIDES, TORQUE

HOLD, HANGING = 0.02, np.array([-np.pi / 2, 0.2])
"""s, for which a loop and the located motion hold one torque; where the arm begins."""
ETA, BACK, REFLECTED = 0.8, 0.6, 0.7
STATE = ("q", "qd", "theta", "thetad")
METHODS = [Euler, SemiImplicitEuler, ConstantAcceleration, Heun, RungeKutta4]
LIFT = lift(REFLECTED, back=BACK)


def swings(rows: int = 50) -> Any:
    """Torques under which joints of the hanging arm stick and slip."""
    t = np.arange(rows)[:, None] * HOLD
    return np.array([3.5, 1.4]) * np.sin(2.0 * np.pi * t * [1.7, 2.3] + [0.0, 0.5])


def dry(static: float = 1.0) -> Robot:
    """Two joints, the static friction of which is so many times the kinetic one."""
    sizes = {"joint_1": 2.0, "joint_2": 0.8}
    laws = {name: [StaticKinetic(static * c, c), Viscous(0.05)] for name, c in sizes.items()}
    return PLANAR.with_actuators({name: Actuator(friction=law) for name, law in laws.items()})


def gears() -> tuple[Robot, LoadedArm]:
    """Gears with losses behind rotors; the second joint has dry friction besides."""
    rotors, losses = (0.01, 0.005), [(0.7, 0.5), (0.8, 0.6)]
    laws = [(Viscous(0.05),), (Viscous(0.05), Coulomb(0.2))]
    drives = {
        name: Actuator(Motor(a), Gear(5.0, efficiency=eta, back_efficiency=back), friction=own)
        for name, a, (eta, back), own in zip(PLANAR.joint_names, rotors, losses, laws, strict=True)
    }
    every = [[GearLoss(*eta), *own] for eta, own in zip(losses, laws, strict=True)]
    return PLANAR.with_actuators(drives), LoadedArm(PLANAR, 25.0 * np.array(rotors), every)


def servos(law: str) -> tuple[Robot, LoadedArm]:
    """A servo in both joints, reflected inertia included."""
    drive: Any = servo("MX-106", law)
    robot = PLANAR.with_actuators(dict.fromkeys(PLANAR.joint_names, drive))
    return robot, LoadedArm(PLANAR, np.full(2, drive.motor.rotor_inertia), [list(drive.friction)] * 2)


def loaded(law: str) -> tuple[Robot, LoadedArm]:
    return gears() if law == "gear" else servos(law)


def located(robot: Robot, q0: Any, table: Any) -> armdyn.Trajectory:
    """The event-driven motion by torques that are held."""
    held = OverTime(np.arange(len(table) + 1) * HOLD, np.vstack([table, table[-1:]]), between="hold")
    settings: Any = {"method": Adaptive(rtol=1e-10, atol=1e-11), "save": SaveAt(every=HOLD)}
    return armdyn.simulate(robot, q0, duration=len(table) * HOLD, torque=held, **settings)


def energy(robot: Robot, state: Any) -> Any:
    """Of links, rotors and springs, J."""
    q, qd, theta, thetad = state
    return robot.flexible_kinetic_energy(q, qd, thetad) + robot.potential_energy(q) + robot.spring_energy(q, theta)


def state_of(rolled: Any) -> list[Any]:
    return [getattr(rolled, name) for name in STATE]


# One joint in closed form.


def test_a_block_that_friction_holds_stands_still() -> None:
    """Ten simulated minutes, pulled by a spring with less than the breakaway force; without friction it would move."""
    loop = ClosedLoop(block(c=4.0), pd_gravity, method=SemiImplicitEuler(1e-3), record=())
    given = {"q_ref": [0.39], "qd_ref": [0.0], "Kp": [10.0], "Kd": [1.0]}
    assert loop([0.0], steps=600_000, **given).final.q[0] == 0.0
    assert loop([0.0], steps=2000, **{**given, "q_ref": [0.41]}).final.q[0] > 0.0


@pytest.mark.parametrize("robot", [lift(0.7), boom(0.7)], ids=["prismatic", "revolute"])
def test_a_gear_under_load_holds_for_ten_minutes(robot: Robot) -> None:
    """Between eta_b l and l/eta it stands still exactly, beyond it moves; without its loss it would always move."""
    load = float(robot.gravity_forces([0.1])[0])
    loop = ClosedLoop(robot, method=SemiImplicitEuler(1e-3), record=())
    for part in (1.0001 * 0.55, 0.8, 0.9999 / ETA):
        assert loop([0.1], steps=600_000, tau=[part * load]).final.q[0] == 0.1
    for part, way in ((0.9999 * 0.55, -1.0), (1.0001 / ETA, 1.0)):
        moved = loop([0.1], steps=10, tau=[part * load]).final.q[0] - 0.1
        assert np.sign(moved) == way * np.sign(load)


@pytest.mark.parametrize("method", [Heun, RungeKutta4])
def test_a_thrown_block_stops_and_turns_at_the_closed_form(method: Any) -> None:
    """Constant accelerations: m v^2 / (2 (c + F)) forwards; then it stands, or comes back by (F - c)/m."""
    c, v, h = 4.0, 1.3, 7e-3
    for pull in (3.0, 9.0):  # against the motion
        final = ClosedLoop(block(c), method=method(h), energy=True)([0.0], [v], steps=400, tau=[-pull]).final
        stop, reach = MASS * v / (c + pull), MASS * v**2 / (2 * (c + pull))
        back = max(pull - c, 0.0) / MASS
        later = 400 * h - stop
        path = reach + 0.5 * back * later**2
        np.testing.assert_allclose(final.q, [reach - 0.5 * back * later**2], rtol=1e-10)
        np.testing.assert_allclose(final.qd, [-back * later], rtol=1e-10, atol=1e-300)
        np.testing.assert_allclose(final.heat, c * path, rtol=1e-10)
        assert (final.qd[0] == 0.0) == (pull < c)


@pytest.mark.parametrize("method", [Heun, RungeKutta4])
def test_a_mass_thrown_up_by_a_lossy_gear_comes_back_at_the_closed_form(method: Any) -> None:
    """Up by tau = l/eta + a qdd, down by tau = eta_b l + a qdd, with l = m (g + qdd); between the two it stands."""
    v, h, weight = 1.3, 7e-3, MASS * G
    for tau in (-3.0, 5.0, 15.0):
        final = ClosedLoop(LIFT, method=method(h), energy=True)([0.0], [v], steps=400, tau=[tau]).final
        up = (tau - weight / ETA) / (MASS / ETA + REFLECTED)
        down = min((tau - BACK * weight) / (BACK * MASS + REFLECTED), 0.0)
        later, reach = 400 * h + v / up, -(v**2) / (2.0 * up)
        np.testing.assert_allclose(final.q, [reach + 0.5 * down * later**2], rtol=1e-12)
        np.testing.assert_allclose(final.qd, [down * later], rtol=1e-12, atol=1e-300)
        losses = (1.0 / ETA - 1.0) * (G + up) * reach - (1.0 - BACK) * (G + down) * 0.5 * down * later**2
        np.testing.assert_allclose(final.heat, MASS * losses, rtol=1e-12)
        assert (final.qd[0] == 0.0) == (tau >= BACK * weight)


def test_a_joint_lets_go_when_the_torque_reaches_the_load_over_eta() -> None:
    """A torque that rises at 40 N/s: it starts then, and moves by k (t - t*)^3/6 over what it moves."""
    rate, first, duration = 40.0, 0.8 * MASS * G, 0.5
    start = (MASS * G / ETA - first) / rate
    moved = rate * (duration - start) ** 3 / 6.0 / (MASS / ETA + REFLECTED)
    for h in (4e-3, 2e-3, 1e-3):
        steps = round(duration / h)
        loop = ClosedLoop(LIFT, method=RungeKutta4(h), over_time=["tau"], record=["qd"])
        rolled = loop([0.0], steps=steps, tau=first + rate * h * np.arange(steps)[:, None])
        lets_go = h * (np.argmax(rolled.rows.qd[:, 0] != 0.0) - 1)  # when the step begins after which it moves
        assert lets_go - h < start <= lets_go
        assert abs(rolled.final.q[0] - moved) < 2.0 * h / (duration - start) * moved


@pytest.mark.parametrize("method", [*METHODS, partial(ConstantAcceleration, as_printed=True)])
def test_a_joint_that_stops_within_a_step_goes_as_far_as_friction_lets_it(method: Any) -> None:
    """I v^2 / (2 c) for strong friction, h^2 c/I many times that, of a joint and of a rotor; its energy is lost."""
    c, v, h = 300.0, 2e-2, 5e-3
    stiff = WEIGHTLESS.with_locked({"joint_2": 0.3}).with_friction({"joint_1": (0.0, c)})
    final = ClosedLoop(stiff, method=method(h), energy=True)([0.0], [v], steps=3, tau=[0.0]).final
    inertia = stiff.mass_matrix([0.0])[0, 0]
    np.testing.assert_allclose(final.q, [inertia * v**2 / (2.0 * c)], rtol=1e-10)
    np.testing.assert_allclose([final.heat, -final.work], 0.5 * inertia * v**2, rtol=1e-10)
    assert final.qd[0] == 0.0

    soft = hinge(Coulomb(40.0), spring=Spring(1e-6, damping=1e-7))
    final = ClosedLoop(soft, method=method(2e-3), energy=True)([0.0], [0.0], thetad=[v], steps=3, tau=[0.0]).final
    np.testing.assert_allclose(final.theta, [ROTOR * v**2 / 80.0], rtol=1e-6)
    np.testing.assert_allclose([final.heat, -final.work], 0.5 * ROTOR * v**2, rtol=1e-6)
    assert final.thetad[0] == 0.0


def test_joints_that_one_coordinate_moves() -> None:
    loop = ClosedLoop(mimicking_slides(), method=Heun(1e-3), record=())
    final = loop([0.0], steps=100, tau=np.array([[3.9], [-3.9], [5.0], [-5.0]])).final
    np.testing.assert_allclose(final.qd[:, 0], [0.0, 0.0, 0.01, -0.01], rtol=1e-10)
    assert (final.q[:2] == 0.0).all()


# Two joints, against located motions and against every mode tried.


@pytest.mark.short_run("1.3-SemiImplicitEuler-1-2e-02", "M4-RungeKutta4-2-5e-07")
@pytest.mark.parametrize(
    ("law", "method", "order", "most"),
    [
        (1.0, RungeKutta4, 2, 2e-5),
        (1.3, Heun, 2, 2e-5),
        (1.3, SemiImplicitEuler, 1, 2e-2),
        ("gear", RungeKutta4, 2, 2e-6),
        ("gear", SemiImplicitEuler, 1, 1e-3),
        ("M4", RungeKutta4, 2, 5e-7),
    ],
    ids=lambda value: (
        value
        if isinstance(value, str)
        else getattr(value, "__name__", f"{value:.0e}"[:5] if isinstance(value, float) and value < 0.1 else str(value))
    ),
)
def test_order_of_the_error_at_stops_and_starts(law: Any, method: Any, order: int, most: float) -> None:
    """Dry friction with static friction so many times the kinetic one, lossy gears and servos."""
    if isinstance(law, float):
        robot, table = dry(law), swings()
        motion = located(robot, HANGING, table)
        assert min([one.kind for one in motion.events].count(kind) for kind in ("stick", "slip")) >= 2
        true = motion.q
    else:
        (robot, oracle), table = loaded(law), swings(40) if law == "gear" else 1.5 * swings(30)
        true = oracle.run(HANGING, table, HOLD)
        assert len(oracle.events) >= 2
    errors = []
    for k in (4, 16):
        loop = ClosedLoop(robot, method=method(HOLD / k), over_time=["tau"], record=["q"])
        rolled = loop(HANGING, steps=len(table) * k, every=k, tau=np.repeat(table, k, axis=0))
        errors.append(np.abs(np.concatenate([rolled.rows.q, [rolled.final.q]]) - true).max())
    assert errors[-1] < most
    assert np.log2(errors[0] / errors[-1]) / 2 > order - 0.15


def test_a_stop_that_sets_another_joint_free_does_so_at_its_time() -> None:
    """Both happen at one instant, whatever the step: errors go with the square of it."""
    robot = PLANAR.with_friction({"joint_1": (0.3, 3.4), "joint_2": (0.3, 1.48)})
    q0, qd0, tau = np.array([-0.21, -0.99]), np.array([0.0, -0.29]), np.array([23.2, 5.3])
    exact = armdyn.simulate(robot, q0, qd0, duration=0.4, torque=tau, method=Adaptive(rtol=1e-11, atol=1e-12))
    assert [(event.kind, event.name) for event in exact.events[-2:]] == [("stick", "joint_1"), ("slip", "joint_2")]
    assert abs(exact.events[-1].t - exact.events[-2].t) < 1e-12
    for steps in (100, 200, 400, 800, 1600):
        h = 0.4 / steps
        reached = ClosedLoop(robot, method=RungeKutta4(h))(q0, qd0, steps=steps, tau=tau).final.q
        assert abs(reached - exact.q[-1]).max() < 0.15 * h**2


SLIPPING = PLANAR.with_friction({"joint_1": (0.1, 0.2), "joint_2": (0.1, 0.1)})


@pytest.mark.short_run("gear")
@pytest.mark.parametrize("robot", [SLIPPING, gears()[0]], ids=["dry", "gear"])
def test_without_changes_it_is_the_step_of_the_method(robot: Robot) -> None:
    """Joints that slip on and on; a joint that much more than it needs holds is one that is locked."""
    method, q, qd = RungeKutta4(1e-3), np.array([0.3, -0.2]), np.array([1.5, -2.0])
    expected = robot.compile(held_step(method.scheme))(q, qd, 0.0, method.step, [1.0, 2.0])
    found = ClosedLoop(robot, method=method, energy=True)(q, qd, steps=1, tau=[1.0, 2.0]).final
    for name, value in zip(("q", "qd", "work"), expected, strict=True):
        np.testing.assert_allclose(getattr(found, name), value, rtol=1e-12)
    held = SLIPPING.with_friction({"joint_2": (0.0, 1e3)})
    found = ClosedLoop(held, method=method)(q, [1.5, 0.0], steps=200, tau=[1.0, 2.0]).final
    locked = ClosedLoop(SLIPPING.with_locked({"joint_2": -0.2}), method=method)(
        [0.3], [1.5], steps=200, tau=[1.0]
    ).final
    np.testing.assert_allclose([found.q[0], found.qd[0]], [locked.q[0], locked.qd[0]], rtol=1e-12)
    assert found.q[1] == -0.2


@pytest.mark.short_run("dry", "gear")
@pytest.mark.parametrize("law", ["dry", "gear", "M4", "M6"])
def test_energy_account_and_dissipated_energy(law: str) -> None:
    """K + P - work stays, better with shorter steps, and the heat is the integral of friction's power."""
    robot, table = (dry(1.3), swings()) if law == "dry" else (loaded(law)[0], 1.5 * swings())
    drifts = []
    for k in (8, 64):
        loop = ClosedLoop(robot, method=RungeKutta4(HOLD / k), over_time=["tau"], record=["q", "qd"], energy=True)
        tau = np.repeat(table, k, axis=0)
        rolled = loop(HANGING, steps=len(tau), tau=tau)
        q, qd, final = rolled.rows.q, rolled.rows.qd, rolled.final
        stored = robot.kinetic_energy(final.q, final.qd) + robot.potential_energy(final.q)
        drifts.append(abs(stored - robot.potential_energy(HANGING) - final.work))
    assert (qd == 0.0).any()
    assert drifts[0] < 1e-6
    assert drifts[1] < drifts[0] / 4
    forces = robot.friction_forces(q, qd, robot.forward_dynamics(q, qd, tau))
    np.testing.assert_allclose(final.heat, np.trapezoid((forces * qd).sum(axis=-1), dx=HOLD / k), rtol=5e-3)
    assert final.heat > 0.3


@pytest.mark.short_run("Stribeck")  # has static friction, and a curve besides
@pytest.mark.parametrize(
    "law", [Coulomb(2.0), StaticKinetic(2.0, 1.5), Stribeck(2.0, 1.5, speed=0.1)], ids=lambda law: type(law).__name__
)
def test_float32_rounds_and_loses_nothing_else(law: Any) -> None:
    """Joints that stop, start and turn within a step, with no number that float32 takes for zero."""
    robot = PLANAR.with_actuators(dict.fromkeys(["joint_1", "joint_2"], Actuator(friction=law)))
    loop = ClosedLoop(robot, pd_gravity, method=RungeKutta4(1e-3), record=())
    constants = [float(node[1]) for node in loop.program().step.nodes if node[0] == "const"]
    assert all(np.float32(c) != 0.0 for c in constants if c != 0.0)
    rng, pair = np.random.default_rng(5), np.ones(2, np.float32)
    q0, qd0 = rng.uniform(-1, 1, (2, 300, 2)).astype(np.float32) * np.float32([[[1.0]], [[0.02]]])
    single = {"q_ref": 0.3 * pair, "qd_ref": 0.0 * pair, "Kp": 50.0 * pair, "Kd": 10.0 * pair, "h": np.float32(1e-3)}
    double = {name: value.astype(float) for name, value in single.items()}
    found = loop(q0, qd0, steps=20, **single).final
    exact = loop(q0.astype(float), qd0.astype(float), steps=20, **double).final
    assert found.qd.dtype == np.float32
    assert (np.sign(exact.qd) != np.sign(qd0)).mean() > 0.2
    near(found.qd, exact.qd, 1e-5)


@armdyn.function("(n)->()")
def first_position(model: Any, q: Any) -> Any:
    """The first joint's position, rad, scalar."""
    return q[0]


@pytest.mark.short_run("dry")
@pytest.mark.parametrize("law", ["dry", "gear"])
def test_rates_and_gradients_go_along_the_motion(law: str) -> None:
    """By a gain in a motion that stops, against differences; forwards and backwards are the same."""
    robot, q0 = dry() if law == "dry" else gears()[0], [0.5, 0.1]
    given: Any = {"q_ref": [0.0, 0.0], "qd_ref": [0.0, 0.0], "Kd": [2.0, 1.0], "steps": 400 if law == "dry" else 1000}
    loop = ClosedLoop(robot, pd_gravity, method=RungeKutta4(1e-3), record=())
    more, less, at = (loop(q0, Kp=[k, 20.0], **given).final for k in (40.01, 39.99, 40.0))
    assert law == "dry" or (at.qd == 0.0).any()
    rate = loop.jvp("Kp")(q0, Kp=[40.0, 20.0], tangent_Kp=[1.0, 0.0], **given).final.q
    np.testing.assert_allclose(rate, (more.q - less.q) / 0.02, rtol=2e-3, atol=1e-8)
    found = loop.gradient(first_position, ["Kp"], q0, Kp=[40.0, 20.0], **given)
    np.testing.assert_allclose(found.d_Kp[0], rate[0], rtol=1e-9)


def test_torques_that_are_no_numbers_are_not_held() -> None:
    """Nor do they reach the other arms."""
    tau = np.array([[np.nan, 0.0], [0.5, 0.2]])
    with pytest.warns(
        DivergenceWarning, match=r"1 of 2 arms, the first of them \(0,\), .*: tau that it was given is not"
    ):
        final = ClosedLoop(dry(), method=Heun(1e-3))(HANGING * [1.0, 0.0], steps=5, tau=tau).final
    assert np.isnan(final.q[0]).any()
    np.testing.assert_array_equal(final.q[1], HANGING * [1.0, 0.0])


def test_reactions_of_held_coordinates_against_dense_solves() -> None:
    rng = np.random.default_rng(3)
    mechanism = armdyn.load("ur5").mechanism.rounded
    root = rng.normal(size=(6, 6))
    M = root @ root.T + 6.0 * np.eye(6)
    columns = [{j: M[j, k] for j in range(k + 1)} for k in range(6)]
    moves = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0])
    free, b, x = moves == 1.0, rng.normal(size=6), np.zeros(6)
    qdd, reactions = factored(mechanism, mechanism.drive, columns, moves).with_reactions(b)
    x[free] = np.linalg.solve(M[np.ix_(free, free)], b[free])
    np.testing.assert_allclose(qdd.astype(float), x, rtol=1e-12)
    np.testing.assert_allclose(reactions[~free].astype(float), (M @ x - b)[~free], rtol=1e-11)


# Friction under load.


def test_what_sticks_is_what_agrees_with_the_equations() -> None:
    """Random trees at rest: of all 3^n modes one agrees, and one step finds it."""
    sizes, held = [], 0
    for seed in range(40):
        try:
            bare = Robot(to_armdyn(random_tree(5, seed)))
        except armdyn.ModelError:  # a tree of fixed joints
            continue
        if not 2 <= bare.dof <= 3:
            continue
        rng, n = np.random.default_rng(seed), bare.dof
        rotors = rng.uniform(0.0, 1.5, n) * np.diag(bare.mass_matrix(np.zeros(n)))
        losses, coulomb = rng.uniform(0.3, 0.9, (n, 2)), rng.uniform(0.1, 0.5, n)
        drives = {
            name: Actuator(Motor(a), Gear(1.0, efficiency=eta, back_efficiency=back), friction=Coulomb(c))
            for name, a, (eta, back), c in zip(bare.joint_names, rotors, losses, coulomb, strict=True)
        }
        laws = [[GearLoss(*eta), Coulomb(c)] for eta, c in zip(losses, coulomb, strict=True)]
        oracle, q = LoadedArm(bare, rotors, laws), rng.uniform(-1.0, 1.0, (20, n))
        gravity = bare.gravity_forces(q)
        tau = gravity + 0.7 * rng.normal(size=(20, n)) * (np.abs(gravity) + coulomb)
        expected = np.array([oracle.mode(*state) for state in zip(q, np.zeros_like(q), tau, strict=True)])
        loop = ClosedLoop(bare.with_actuators(drives), method=SemiImplicitEuler(1e-7), record=())
        np.testing.assert_array_equal(np.sign(loop(q, steps=1, tau=tau).final.qd), expected)
        sizes.append(n)
        held += int((expected == 0.0).sum())
    assert set(sizes) == {2, 3}
    assert 40 < held < 20 * sum(sizes) - 40


@pytest.mark.short_run("M6")  # whose curve has all terms of M4's
@pytest.mark.parametrize("law", ["M4", "M6"])
def test_arms_at_rest_start_with_the_accelerations_of_event_driven_motions(law: str) -> None:
    """Which joints start is a boxed LCP: one sweep without the rounds after it was wrong for one start in ten."""
    robot, rng = servos(law)[0], np.random.default_rng(3)
    q, rest = rng.uniform(-3.0, 3.0, (30, 2)), np.zeros(2)
    tau = PLANAR.gravity_forces(q) + rng.uniform(-80.0, 80.0, (30, 2))
    accelerations = robot.compile(motion_of_rows)(q, np.zeros((30, 2)), tau)[0]
    assert np.any(accelerations, axis=0).all()
    for one, force, expected in zip(q, tau, accelerations, strict=True):
        motion = armdyn.simulate(robot, one, rest, duration=1e-6, torque=force)
        np.testing.assert_allclose(expected, motion.qdd[0], rtol=1e-10, atol=1e-9 * abs(expected).max())


def test_a_gear_that_turns_round_beside_a_falling_link_does_not_rest() -> None:
    """An error of the second order wherever in its step the joint turns; a rest until the step ends costs 5e-3."""
    gear = Actuator(gear=Gear(20.0, efficiency=0.8, back_efficiency=0.7))
    robot = armdyn.load("planar_2r").with_actuators({"joint_2": gear})
    q, qd, tau = [-0.2, 0.9], [-1.5, 0.8], [2.0, -1.0]
    fine = armdyn.simulation.Adaptive(rtol=1e-12, atol=1e-12)
    true = armdyn.simulate(robot, q, qd, duration=0.24, torque=tau, method=fine)
    assert [event.kind for event in true.events] == ["reversal"]
    loop = ClosedLoop(robot, method=RungeKutta4(1e-3), record=())
    for steps in range(60, 100, 3):
        end = loop(q, qd, steps=steps, h=0.24 / steps, tau=np.array(tau)).final
        error = max(abs(end.q - true.q[-1]).max(), abs(end.qd - true.qd[-1]).max())
        assert error < 3.0 * (0.24 / steps) ** 2


def test_loads_are_carried_and_bear_on_rounding_only() -> None:
    """As those of the last stage, by joint; a motion that begins with other ones is the same."""
    robot, tau = gears()[0], np.array([3.0, -1.0])
    loop = ClosedLoop(robot, method=SemiImplicitEuler(1e-3), record=["q", "qd"])
    assert loop.state == ("q", "qd", "last_loads")
    rolled = loop(HANGING, steps=300, tau=tau)
    q, qd = rolled.rows.q[-1], rolled.rows.qd[-1]  # where the last step began
    expected = PLANAR.inverse_dynamics(q, qd, robot.forward_dynamics(q, qd, tau))
    np.testing.assert_allclose(rolled.final.last_loads, expected, rtol=1e-11)
    other = loop(HANGING, steps=300, tau=tau, last_loads=[-50.0, 20.0]).final
    np.testing.assert_allclose(other.q, rolled.final.q, rtol=1e-12)
    assert loop.to_c(name="arm").functions[0].symbols == ("arm_init", "arm_step")


@dataclass(frozen=True)
class Lossy(FrictionLaw):
    """The losses of `GearLoss`, written again."""

    depends_on_load = True

    def force(self, rate: Any, load: Any) -> Any:
        along = armdyn.program.sign(rate) * load
        return armdyn.program.sign(rate) * armdyn.program.maximum((1.0 / ETA - 1.0) * along, (BACK - 1.0) * along)

    def slopes(self, rate: Any, load: Any) -> Slopes:
        way = armdyn.program.sign(rate)
        drives = armdyn.program.less(0.0, way * load)
        return Slopes(0.0, armdyn.program.select(drives, 1.0 / ETA - 1.0, BACK - 1.0) * way * way)

    def breakaway(self, load: Any) -> Any:
        return (1.0 / ETA - 1.0) * abs(load)

    def at_rest(self, load: Any) -> tuple[Any, Any]:
        more, less = (1.0 / ETA - 1.0) * load, (1.0 - BACK) * load
        return -armdyn.program.maximum(-more, less), armdyn.program.maximum(more, -less)


def test_laws_of_ones_own_may_depend_on_the_load() -> None:
    """One without a method for what slips sticks and stops as the gear of the same losses."""
    motions = []
    for law in (GearLoss(ETA, BACK), Lossy()):
        robot = LIFT.with_actuators({"x": Actuator(Motor(REFLECTED), friction=law)})
        loop = ClosedLoop(robot, method=RungeKutta4(1e-3), over_time=["tau"], record=["q"])
        motions.append(loop([0.0], [1.0], steps=800, tau=np.repeat([[14.0], [40.0]], 400, axis=0)).rows.q)
    assert (motions[0][310:400] == motions[0][310]).all()
    np.testing.assert_allclose(motions[1], motions[0], rtol=1e-13)


LOSSY = {"gear": Actuator(Motor(1e-5), Gear(100.0, efficiency=0.8))} | {
    law: servo("MX-106", law) for law in ("M3", "M4", "M5", "M6")
}


@pytest.mark.parametrize("law", short_run(LOSSY, "gear", "M6"))
def test_most_of_a_step_is_left_out_where_no_arm_needs_it(law: str) -> None:
    """Further steps of Newton's method, and what only joints need that stop or start.

    A choice by another condition among the steps would keep them from being left out.
    """
    robot = armdyn.load("ur5")
    lossy_arm = robot.with_actuators(dict.fromkeys(robot.joint_names, LOSSY[law]))
    step = ClosedLoop(lossy_arm, pd_gravity, method=SemiImplicitEuler(step=1e-3)).program().step
    sections = [section for section in cut(step).sections if isinstance(section, Arithmetic)]
    left_out = sum(len(section.nodes) for section in sections if section.conditions)
    assert left_out > 0.7 * sum(len(section.nodes) for section in sections)


# Several joints that stop, start and turn in one step, of which friction may only take energy.

SCARA, UR5 = (armdyn.load(name).with_gravity([0.0, 0.0, 0.0]) for name in ("scara", "ur5"))


def random_arms(robot: Robot, count: int, seed: int) -> tuple[Any, Any]:
    """States of which some joints rest."""
    rng = np.random.default_rng(seed)
    q, qd = rng.uniform(-1.0, 1.0, (count, robot.dof)), 0.5 * rng.normal(size=(count, robot.dof))
    return q, qd * (rng.random(qd.shape) > 0.3)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("v", [0.02, 0.26, 0.5, 1.3])
def test_a_joint_that_stops_as_another_lets_go(method: Any, v: float) -> None:
    """The second joint stops after v (M22 - M12^2/M11)/c, and the first keeps its momentum, less its small friction."""
    robot = WEIGHTLESS.with_friction({"joint_1": (0.0, 0.01), "joint_2": (0.0, 300.0)})
    final = ClosedLoop(robot, method=method(1e-3), energy=True)([0.0, 0.0], [0.0, v], steps=1, tau=np.zeros(2)).final
    (M11, M12), (_, M22) = WEIGHTLESS.mass_matrix([0.0, 0.0])
    assert final.qd[1] == 0.0
    near(final.qd[0], M12 / M11 * v, 1e-5)
    np.testing.assert_allclose([final.heat, -final.work], 0.5 * (M22 - M12**2 / M11) * v**2, rtol=5e-3, atol=1e-6)


@pytest.mark.short_run("planar_2r-RungeKutta4, step 0.005 s", "scara-SemiImplicitEuler, step 0.001 s")
@pytest.mark.parametrize("method", [RungeKutta4(5e-3), RungeKutta4(1e-3), SemiImplicitEuler(1e-3)], ids=str)
@pytest.mark.parametrize("robot", [WEIGHTLESS, SCARA, UR5], ids=lambda robot: robot.name)
def test_friction_only_takes_energy(method: Any, robot: Robot) -> None:
    """From 0.1 to 500 N m, which stop joints within a part of a step: K never rises, and heat never falls."""
    inputs = [f"{name}.friction" for name in robot.joint_names]
    rubs = robot.with_friction(dict.fromkeys(robot.joint_names, (0.0, 1.0)))
    loop = ClosedLoop(rubs, method=method, energy=True, record=["q", "qd", "heat", "work"], parameters=inputs)
    sizes = 10.0 ** np.random.default_rng(0).uniform(-1.0, 2.7, (240, robot.dof))
    q, qd = random_arms(robot, 240, 0)
    rows = loop(q, qd, steps=20, tau=np.zeros(robot.dof), **dict(zip(inputs, sizes.T, strict=True))).rows
    energies = robot.kinetic_energy(rows.q, rows.qd)
    assert (np.diff(energies, axis=0) <= 3e-3 * energies[0] + 1e-15).all()
    assert (np.diff(rows.heat, axis=0) >= -1e-6 * energies[0]).all()


@pytest.mark.short_run("elbow-Heun", "light-RungeKutta4")
@pytest.mark.parametrize("method", [Heun, RungeKutta4])
@pytest.mark.parametrize(
    ("friction", "state", "steps", "within"),
    [
        ({"elbow": 300.0}, [[0.0, 0.5, 0.0, 0.0], [1.0, 1.0, 0.1, 1.0]], (2,), 1e-2),
        ({"wrist": 50.0}, [[0.0, 0.5, 0.0, 0.0], [1.0, 1.0, 0.1, 1.0]], (4,), 1e-2),
        (
            {"elbow": 138.7},
            [[-0.4335, -0.2673, -0.0119, -0.2248], [-0.1894, 0.1333, 0.0, 0.0]],
            (2, 4, 5, 10, 20),
            2e-5,
        ),
    ],
    ids=["elbow", "wrist", "light"],
)
def test_a_strong_brake_throws_no_other_joint(
    method: Any, friction: Any, state: Any, steps: Any, within: float
) -> None:
    """The stages of a method would go on beyond the stop, where M and the Coriolis terms are others."""
    robot = SCARA.with_friction({name: (0.0, c) for name, c in friction.items()})
    true = armdyn.simulate(robot, *state, duration=0.02, method=Adaptive(rtol=1e-11, atol=1e-12))
    for count in steps:
        final = ClosedLoop(robot, method=method(0.02 / count), energy=True)(*state, steps=count, tau=np.zeros(4)).final
        near(final.qd, true.qd[-1], within)
        near(final.q, true.q[-1], 3e-4)
        np.testing.assert_allclose(final.heat, -true.energy.work[-1], rtol=2e-3)


@pytest.mark.short_run("SemiImplicitEuler")
@pytest.mark.parametrize("method", [SemiImplicitEuler, RungeKutta4])
def test_losses_under_the_load_of_a_stop_end_with_it(method: Any) -> None:
    """A gear transmits 500 N m while another joint stops, which is a tenth of a millisecond of a step of five."""
    drive = Actuator(Motor(1e-5), Gear(50.0, efficiency=0.7, back_efficiency=0.5), Coulomb(0.5))
    robot = WEIGHTLESS.with_actuators({"joint_1": drive, "joint_2": Actuator(friction=Coulomb(500.0))})
    start = [0.375, 0.173], [0.0, -0.261]
    true = armdyn.simulate(robot, *start, duration=5e-3, method=Adaptive(rtol=1e-10, atol=1e-11)).qd[-1]
    for steps in (1, 5, 20):
        final = ClosedLoop(robot, method=method(5e-3 / steps))(*start, steps=steps, tau=np.zeros(2)).final
        near(final.qd, true, 1e-3)


@pytest.mark.slow  # one strong brake is above
def test_six_brakes_at_once_at_long_steps() -> None:
    start = np.array([0.0, -0.8, 1.2, 0.3, 0.5, 0.0]), np.full(6, 0.5)
    robot = UR5.with_friction(dict.fromkeys(UR5.joint_names, (0.0, 100.0)))
    true = armdyn.simulate(robot, *start, duration=0.04, method=Adaptive(rtol=1e-11, atol=1e-12)).q[-1]
    errors = []
    for steps in (8, 40, 160):
        found = ClosedLoop(robot, method=Heun(0.04 / steps))(*start, steps=steps, tau=np.zeros(6))
        errors.append(np.abs(found.final.q - true).max())
    assert errors[0] < 2.5e-3
    assert errors[1] < errors[0] / 8
    assert errors[2] < errors[1] / 8


STATIC = Actuator(friction=[StaticKinetic(3.0, 2.0), Viscous(0.2)])
STRONG = Actuator(Motor(1e-4), Gear(50.0, efficiency=0.7, back_efficiency=0.5), Coulomb(3.0))


@pytest.mark.parametrize(("robot", "drive"), each_once([SCARA, WEIGHTLESS], [STATIC, STRONG]))
def test_joints_that_turn_as_others_let_go(robot: Robot, drive: Actuator) -> None:
    """Gear losses, static friction: the account closes to the method's error, and no arm is lost."""
    q, qd = random_arms(robot, 200, seed=5)
    rubs = robot.with_actuators(dict.fromkeys(robot.joint_names, drive))
    loop = ClosedLoop(rubs, method=RungeKutta4(2e-3), energy=True, record=["q", "qd", "heat", "work"])
    rows = loop(q, qd, steps=30, tau=np.zeros(robot.dof)).rows
    energies = rubs.kinetic_energy(rows.q, rows.qd)
    assert (np.abs(energies - energies[0] - rows.work) <= 1e-3 * energies[0] + 1e-12).all()
    assert (np.diff(rows.heat, axis=0) >= -1e-3 * energies[0]).all()


@pytest.mark.parametrize("seed", range(40))
def test_coordinates_as_rows_against_bounded_least_squares(seed: int) -> None:
    """|L^T v0 + L^-1 p| is least within bounds of p, with M = L L^T; joints without dry friction have none."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    root = rng.normal(size=(n, n))
    M, v0 = root @ root.T + np.eye(n), rng.normal(size=n)
    coordinates = sorted(rng.permutation(n)[: max(n - 1, 1)].tolist())
    most = 10.0 ** rng.uniform(-1.5, 1.0, len(coordinates))
    L = np.linalg.cholesky(M)
    exact = lsq_linear(np.linalg.inv(L)[:, coordinates], -L.T @ v0, bounds=(-most, most), method="bvls", tol=1e-14).x
    rows = np.eye(n)[coordinates]
    columns = np.linalg.solve(M, rows.T).T
    v = v0 + columns.T @ exact
    found = bounded_impulses(v0, rows, columns, -most, most, independent=True, **QUICK)
    impulses, after = np.asarray(found.impulses, float), np.asarray(found.velocities, float)
    assert (abs(impulses) <= most * (1.0 + 1e-12)).all()
    energies = [0.5 * one @ M @ one for one in (after, v, v0)]
    assert energies[0] - energies[1] < 0.01 * (energies[2] - energies[1]) + 1e-12
    if energies[0] - energies[1] < 1e-10:
        near(after, v, 1e-4)
    resting = np.asarray(found.rests) == 1.0
    assert abs(after[np.array(coordinates)[resting]]).max(initial=0.0) < 1e-13 * (1.0 + abs(v0).max())


# Flexible joints.


def test_work_while_a_rotor_stops_is_counted() -> None:
    """Work against the energy of links, rotors and springs; what the formulas miss of it, h c v/2, and no more."""
    c, v = 400.0, 0.5
    robot = hinge(Coulomb(c), spring=Spring(K, damping=0.5))
    for method in (Euler, SemiImplicitEuler, ConstantAcceleration):
        drifts = []
        for h in (1e-4, 1e-5):
            loop, steps = ClosedLoop(robot, method=method(h), energy=True), round(2e-3 / h)
            final = loop([0.0], [0.1], theta=[0.02], thetad=[v], steps=steps, tau=[1.0]).final
            before = energy(robot, np.array([[0.0], [0.1], [0.02], [v]]))
            drifts.append(abs(energy(robot, state_of(final)) - before - final.work))
            assert final.thetad[0] == 0.0
        assert drifts[1] < drifts[0] / 7
        assert drifts[1] < 0.5 * h * c * v * 1.01


def test_the_account_of_strong_stops_closes() -> None:
    """Rotors that friction stops within a small part of a step: what springs store is not that of a path beyond it."""
    drives = [Actuator(Motor(1e-2), friction=Coulomb(c), spring=Spring(2000.0, 0.5)) for c in (90.0, 0.3)]
    robot = WEIGHTLESS.with_actuators(dict(zip(PLANAR.joint_names, drives, strict=True)))
    rng = np.random.default_rng(5)
    q0, qd0 = rng.uniform(-1.0, 1.0, (100, 2)), 0.5 * rng.normal(size=(100, 2))
    for h, most in ((2e-3, 2e-2), (2e-4, 2e-5)):
        loop = ClosedLoop(robot, method=RungeKutta4(h), energy=True, record=["work", "heat", *STATE])
        rows = loop(q0, qd0, steps=round(0.06 / h), tau=np.zeros(2)).rows
        held = energy(robot, state_of(rows))
        assert (np.abs(held - held[0] - rows.work) < most * held[0]).all()
        near(rows.heat, -rows.work, 1e-10)  # nothing else is done
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
    loop = ClosedLoop(
        hinge(Coulomb(3.0), spring=Spring(K, damping=0.02)), method=SemiImplicitEuler(1e-3), record=["theta"]
    )
    stopped = loop([0.0], [1.5], steps=5_000, tau=[1.0]).final
    assert stopped.thetad[0] == 0.0
    assert stopped.theta[0] > 0.1
    start: Any = {"theta": stopped.theta, "thetad": stopped.thetad}
    rows = loop(stopped.q, stopped.qd, **start, steps=600_000, every=1000, tau=[1.0]).rows
    assert (rows.theta == stopped.theta).all()
    assert abs(loop(stopped.q, theta=stopped.theta, steps=1000, tau=[3.5]).final.theta - stopped.theta) > 1e-3


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
    true, errors = np.array([at(0.02 * k) for k in range(100)]), []
    for h in (4e-3, 5e-4):
        loop, every = ClosedLoop(robot, method=method(h), record=STATE, energy=True), round(0.02 / h)
        rolled = loop(q, qd, theta=theta, thetad=thetad, steps=100 * every, every=every, tau=[1.3])
        errors.append(max(abs(rolled.rows.q[:, 0] - true[:, 0]).max(), abs(rolled.rows.theta[:, 0] - true[:, 2]).max()))
    assert errors[0] < most
    assert errors[1] < most / 8**order  # at an eighth of the step
    final = rolled.final
    gained = energy(robot, state_of(final)) - energy(robot, (q, qd, theta, thetad))
    once = method is SemiImplicitEuler  # its powers are those at the beginning of a step
    assert abs(gained - final.work) < (1e-2 if once else 5e-7)
    np.testing.assert_allclose(final.work + final.heat, 1.3 * (final.theta[0] - theta[0]), rtol=1e-2 if once else 1e-5)
    assert final.heat > 3.0


def test_the_damping_of_a_spring_dissipates_too() -> None:
    robot = hinge(spring=Spring(K, damping=8.0))
    final = ClosedLoop(robot, method=RungeKutta4(1e-3), energy=True)([0.1], [1.5], steps=500, tau=[0.7]).final
    np.testing.assert_allclose(
        energy(robot, state_of(final)) - energy(robot, ([0.1], [1.5]) * 2), final.work, rtol=1e-9
    )
    np.testing.assert_allclose(final.work + final.heat, 0.7 * (final.theta[0] - 0.1), rtol=1e-9)
    assert final.heat > 0.005


@pytest.mark.parametrize(("method", "order"), [(RungeKutta4, 2), (SemiImplicitEuler, 1)])
def test_a_slide_behind_a_lossy_gear_on_a_mass_on_a_spring_is_the_closed_form(method: Any, order: int) -> None:
    """A rigid joint under load beside a flexible one, each of which sticks, slips and turns round."""
    events, at = CARRIED.motion(LIFTED, 0.41)
    assert len({(name, kind) for _, name, kind in events}) == 6
    q, qd, theta, thetad, q2, qd2 = LIFTED
    given: Any = {"theta": [theta, q2], "thetad": [thetad, qd2], "tau": TORQUE}
    true, errors = np.array([at(0.01 * k) for k in range(40)]), []
    for h in (2e-3, 2.5e-4):
        loop, every = ClosedLoop(SLIDES, method=method(h), record=STATE), round(0.01 / h)
        assert loop.state == (*STATE, "last_loads")
        rows = loop([q, q2], [qd, qd2], **given, steps=40 * every, every=every).rows
        found = np.stack([rows.q[:, 0], rows.theta[:, 0], rows.q[:, 1]], axis=-1)
        errors.append(abs(found - true[:, [0, 2, 4]]).max())
    assert errors[1] < (1e-5 if order == 2 else 2e-3)
    assert np.log2(errors[0] / errors[1]) / 3 > order - 0.2


def springy() -> Robot:
    """The first joint has a stiffening, damped spring, a rotor and a bearing that rub; the second one a lossy gear."""
    first = Actuator(Motor(2e-2), Gear(5.0), Coulomb(1.0), spring=Spring(400.0, damping=2.0, cubic=1e4))
    second = Actuator(Motor(2e-2), Gear(5.0, efficiency=0.8, back_efficiency=0.6), Coulomb(0.3))
    return PLANAR.with_actuators({"joint_1": first, "joint_2": second}).with_friction({"joint_1": (0.05, 0.4)})


def test_a_controller_by_the_rotors_rates_and_float32() -> None:
    """Friction holds the rotors off the target exactly; rates by a gain in a motion that stops, against differences."""
    drive = Actuator(Motor(2e-2), Gear(5.0), Coulomb(1.0), spring=Spring(400.0, damping=4.0))
    loop = ClosedLoop(
        WEIGHTLESS.with_actuators({"joint_1": drive}), motor_pd_gravity, method=Heun(1e-3), record=["thetad"]
    )
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
    robot, q0 = springy(), np.array([-1.5, 0.4])
    names = ["joint_1.friction", "joint_1.spring.stiffness"]
    loop = ClosedLoop(robot, method=Heun(1e-3), record=STATE, parameters=names)
    given: Any = {"steps": 200, "tau": 0.9 * robot.gravity_forces(q0) + [2.0, 0.5], "joint_1_spring_stiffness": 400.0}
    plain = ClosedLoop(robot, method=Heun(1e-3), record=STATE)(q0, steps=200, tau=given["tau"]).rows
    same = loop(q0, joint_1_friction=0.4, **given).rows
    near(state_of(same), state_of(plain), 1e-12)
    held = loop(q0, joint_1_friction=20.0, **given).rows
    assert (held.q[:, 0] == q0[0]).all()
    assert (held.theta[-1, 0] != q0[0]).all()


# Warnings.

ACROSS = Rotor(axis=(0.0, 1.0, 0.0), carrier="link_1")
BRISTLES = Actuator(friction=LuGre(300.0, 3.0, 0.1, 1.5, 1.0, 0.1))
FLEXIBLE = Actuator(Motor(0.1), friction=Coulomb(2.0), spring=Spring(300.0))
UNDER_LOAD = "friction depends on the load of joints that are coupled, or that turn rotors which are bodies"


@pytest.mark.parametrize(
    ("coupled", "actuators", "method", "message"),
    [
        (
            {},
            {"joint_2": Actuator(Motor(1e-3), Gear(10.0, efficiency=0.8), rotor=ACROSS)},
            Heun,
            rf"^joints of 'planar_3r' .*, for {UNDER_LOAD} .*: joint_2$",
        ),
        (
            {"joint_3": ("joint_2", 1.0)},
            {"joint_1": FLEXIBLE, "joint_2": geared(0.3)},
            Heun,
            "do not stick .*, for friction depends on the load of joints that are",
        ),
        (
            {"joint_3": ("joint_1", 1.0)},
            {"joint_1": FLEXIBLE, "joint_3": BRISTLES},
            Heun,
            "state of its own counts at its steady force .*: joint_3$",
        ),
    ],
)
def test_joints_that_cannot_stick_are_warned_of(coupled: Any, actuators: Any, method: Any, message: str) -> None:
    robot = armdyn.load("planar_3r")
    robot = (robot.with_mimic(coupled) if coupled else robot).with_actuators(actuators)
    with pytest.warns(FrictionWarning, match=message):
        ClosedLoop(robot, method=method(1e-3))
