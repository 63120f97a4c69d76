"""Closed loops of joints with dry friction: they stand still, let go, stop and turn round as in the located motion."""

from __future__ import annotations

import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Coulomb, Gear, Motor, Rotor, Smooth, StaticKinetic, Stribeck, Viscous
from armdyn.algorithms.factors import factored
from armdyn.control import pd_gravity
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
    Variational,
)
from armdyn.simulation.system.arm_in_step import held_step
from simulation.test_compiled_sticking import dry_ur5
from simulation.test_sticking import block

HOLD, ROWS = 0.02, 50
"""s, and how many: torques are held for so long, so that a loop and the located motion have the same."""


def arm(static: float = 1.0) -> armdyn.Robot:
    """Two joints, the static friction of which is so many times the kinetic one."""
    sizes = {"joint_1": 2.0, "joint_2": 0.8}
    laws = {name: [StaticKinetic(static * c, c), Viscous(0.05)] for name, c in sizes.items()}
    return armdyn.load("planar_2r").with_actuators({name: Actuator(friction=law) for name, law in laws.items()})


HANGING = np.array([-np.pi / 2, 0.2])


def torques(robot: armdyn.Robot, q0: Any, sizes: Any, seed: int) -> Any:
    steps = np.random.default_rng(seed).normal(size=(ROWS, robot.dof)) * sizes
    return robot.gravity_forces(q0) + np.cumsum(steps, axis=0)


def swings() -> Any:
    """Torques under which joints of the hanging arm stick and slip."""
    t = np.arange(ROWS)[:, None] * HOLD
    return np.array([3.5, 1.4]) * np.sin(2.0 * np.pi * t * [1.7, 2.3] + [0.0, 0.5])


def located(robot: armdyn.Robot, q0: Any, table: Any) -> armdyn.Trajectory:
    held = OverTime(np.arange(ROWS + 1) * HOLD, np.vstack([table, table[-1:]]), between="hold")
    method = Adaptive(rtol=1e-10, atol=1e-11)
    return armdyn.simulate(robot, q0, duration=ROWS * HOLD, torque=held, method=method, save=SaveAt(every=HOLD))


def errors(robot: armdyn.Robot, method: Any, q0: Any, table: Any, parts: Any) -> Any:
    """The largest differences of positions from the located motion, for steps of a HOLD over these numbers."""
    true, found = located(robot, q0, table).q, []
    for k in parts:
        loop = ClosedLoop(robot, method=method(HOLD / k), over_time=["tau"], record=["q"])
        rolled = loop(q0, steps=ROWS * k, every=k, tau=np.repeat(table, k, axis=0))
        found.append(np.abs(np.concatenate([rolled.rows.q, [rolled.final.q]]) - true).max())
    return np.array(found)


def test_a_block_that_friction_holds_stands_still() -> None:
    """Ten simulated minutes, pulled by a spring with less than the breakaway force; without friction it would move."""
    loop = ClosedLoop(block(c=4.0), pd_gravity, method=SemiImplicitEuler(1e-3), record=())
    given = {"q_ref": [0.39], "qd_ref": [0.0], "Kp": [10.0], "Kd": [1.0]}
    assert loop([0.0], steps=600_000, **given).final.q[0] == 0.0
    moved = loop([0.0], steps=2000, **{**given, "q_ref": [0.41]}).final
    assert moved.q[0] > 0.0


@pytest.mark.parametrize("method", [Heun, RungeKutta4])
def test_a_thrown_block_stops_and_turns_at_the_closed_form(method: Any) -> None:
    """Constant accelerations: m v^2 / (2 (c + F)) forwards; then it stands, or comes back by (F - c)/m."""
    robot, c, v, h = block(c=4.0), 4.0, 1.3, 7e-3
    m = float(robot.mass_matrix([0.0])[0, 0])
    for pull in (3.0, 9.0):  # against the motion
        rolled = ClosedLoop(robot, method=method(h), energy=True)([0.0], [v], steps=400, tau=[-pull])
        stop, reach = m * v / (c + pull), m * v**2 / (2 * (c + pull))
        back = max(pull - c, 0.0) / m
        later = 400 * h - stop
        np.testing.assert_allclose(rolled.final.q, [reach - 0.5 * back * later**2], rtol=1e-10)
        np.testing.assert_allclose(rolled.final.qd, [-back * later], rtol=1e-10, atol=1e-300)
        path = reach + 0.5 * back * later**2
        np.testing.assert_allclose(rolled.final.heat, c * path, rtol=1e-10)
        assert (rolled.final.qd[0] == 0.0) == (pull < c)


ONE_STEP = [Euler, SemiImplicitEuler, ConstantAcceleration, partial(ConstantAcceleration, as_printed=True), Heun]


@pytest.mark.parametrize("method", [*ONE_STEP, RungeKutta4])
def test_a_joint_that_stops_within_a_step_goes_as_far_as_friction_lets_it(method: Any) -> None:
    """I v^2 / (2 c), be c as large as a brake's, when h^2 c/I is many times that; what it had of energy is heat."""
    robot = armdyn.load("planar_2r").with_gravity([0.0, 0.0, 0.0]).with_locked({"joint_2": 0.3})
    c, v, h, inertia = 300.0, 2e-2, 5e-3, robot.mass_matrix([0.0])[0, 0]
    loop = ClosedLoop(robot.with_friction({"joint_1": (0.0, c)}), method=method(h), energy=True)
    final = loop([0.0], [v], steps=3, tau=[0.0]).final
    np.testing.assert_allclose(final.q, [inertia * v**2 / (2.0 * c)], rtol=1e-10)
    np.testing.assert_allclose([final.heat, -final.work], 0.5 * inertia * v**2, rtol=1e-10)
    assert final.qd[0] == 0.0


def test_six_brakes_that_fall_in_together_move_no_joint() -> None:
    """Each stops after another part of the same step, and is where the located motion stops it."""
    robot = armdyn.load("ur5").with_friction(dict.fromkeys(armdyn.load("ur5").joint_names, (0.0, 200.0)))
    q0, qd0 = np.random.default_rng(0).uniform(-0.5, 0.5, size=(2, 6))
    true = armdyn.simulate(robot, q0, qd0, duration=0.05, method=Adaptive(rtol=1e-11, atol=1e-12)).q[-1]
    for method in (SemiImplicitEuler, RungeKutta4):
        found = ClosedLoop(robot, method=method(5e-4))(q0, qd0, steps=100, tau=np.zeros(6)).final.q
        np.testing.assert_allclose(found, true, rtol=0, atol=1e-4)


@pytest.mark.short_run("SemiImplicitEuler-1.3-1")
@pytest.mark.parametrize(
    ("method", "static", "order"), [(RungeKutta4, 1.0, 2), (Heun, 1.3, 2), (SemiImplicitEuler, 1.3, 1)]
)
def test_order_of_the_error_at_stops_and_starts(method: Any, static: float, order: int) -> None:
    robot, table = arm(static), swings()
    kinds = [one.kind for one in located(robot, HANGING, table).events]
    assert kinds.count("stick") >= 2
    assert kinds.count("slip") >= 2
    found = errors(robot, method, HANGING, table, (4, 8, 16))
    assert found[-1] < (2e-5 if order == 2 else 2e-2)
    assert np.log2(found[0] / found[-1]) / 2 > order - 0.15


def test_a_stop_that_sets_another_joint_free_does_so_at_its_time() -> None:
    """Both happen at one instant, whatever the step: errors go with the square of it."""
    robot = armdyn.load("planar_2r").with_friction({"joint_1": (0.3, 3.4), "joint_2": (0.3, 1.48)})
    q0, qd0, tau = np.array([-0.21, -0.99]), np.array([0.0, -0.29]), np.array([23.2, 5.3])
    given = {"duration": 0.4, "torque": tau, "method": Adaptive(rtol=1e-11, atol=1e-12)}
    exact = armdyn.simulate(robot, q0, qd0, **given)
    assert [(event.kind, event.name) for event in exact.events[-2:]] == [("stick", "joint_1"), ("slip", "joint_2")]
    stop, start = (event.t for event in exact.events[-2:])
    assert abs(stop - start) < 1e-12
    for steps in (100, 200, 400, 800, 1600):
        h = 0.4 / steps
        reached = ClosedLoop(robot, method=RungeKutta4(h))(q0, qd0, steps=steps, tau=tau).final.q
        assert abs(reached - exact.q[-1]).max() < 0.15 * h**2


@pytest.mark.slow
def test_six_joints_that_stick_and_slip_together() -> None:
    """Up to six joints change at once when torques jump; the mean order over a factor of 16 is still the second."""
    robot, q0 = dry_ur5(), np.array([0.2, -0.8, 0.9, 0.3, -0.4, 0.5])
    table = torques(robot, q0, 0.5 * np.array([8.0, 8.0, 6.0, 2.0, 2.0, 1.0]), seed=0)
    assert len(located(robot, q0, table).events) > 12
    found = errors(robot, RungeKutta4, q0, table, (5, 80))
    assert found[1] < 1e-5
    assert np.log2(found[0] / found[1]) / 4 > 1.6


def test_stops_and_starts_are_at_the_located_times() -> None:
    robot, q0, k, table = arm(1.3), HANGING, 40, swings()
    loop = ClosedLoop(robot, method=RungeKutta4(HOLD / k), over_time=["tau"], record=["qd"])
    rests = loop(q0, steps=ROWS * k, tau=np.repeat(table, k, axis=0)).rows.qd == 0.0
    changes = np.argwhere(np.diff(rests, axis=0))
    found = sorted((t * HOLD / k, f"joint_{j + 1}") for t, j in changes if t)
    true = sorted((one.t, one.name) for one in located(robot, q0, table).events if one.kind != "reversal" and one.t)
    assert [name for _, name in found] == [name for _, name in true]
    assert np.abs(np.array([t for t, _ in found]) - [t for t, _ in true]).max() <= 1.5 * HOLD / k


def test_without_changes_it_is_the_step_of_the_method() -> None:
    """Joints that slip on and on, and one that is held by much more than it needs."""
    robot = armdyn.load("planar_2r").with_friction({"joint_1": (0.1, 0.2), "joint_2": (0.1, 0.1)})
    method, q, qd = RungeKutta4(1e-3), np.array([0.3, -0.2]), np.array([1.5, -2.0])
    expected = robot.compile(held_step(method.scheme))(q, qd, 0.0, method.step, [1.0, 2.0])
    found = ClosedLoop(robot, method=method, energy=True)(q, qd, steps=1, tau=[1.0, 2.0]).final
    for name, value in zip(("q", "qd", "work"), expected, strict=True):
        np.testing.assert_allclose(getattr(found, name), value, rtol=1e-13)
    held = robot.with_friction({"joint_2": (0.0, 1e3)})
    found = ClosedLoop(held, method=method)([0.3, -0.2], [1.5, 0.0], steps=200, tau=[1.0, 2.0]).final
    locked = robot.with_locked({"joint_2": -0.2})
    expected = ClosedLoop(locked, method=method)([0.3], [1.5], steps=200, tau=[1.0]).final
    np.testing.assert_allclose([found.q[0], found.qd[0]], [expected.q[0], expected.qd[0]], rtol=1e-12)
    assert found.q[1] == -0.2


def test_energy_account_with_the_heat_of_friction() -> None:
    """The account closes better with shorter steps, all of them together; the heat is what the located motion loses."""
    robot, q0, table = arm(1.3), HANGING, swings()
    true = located(robot, q0, table)
    drifts, kept = [], ["q", "qd", "work"]
    for k in (8, 32):
        loop = ClosedLoop(robot, method=RungeKutta4(HOLD / k), over_time=["tau"], record=kept, energy=True)
        rolled = loop(q0, steps=ROWS * k, tau=np.repeat(table, k, axis=0))
        final, (q, qd, work) = rolled.final, (getattr(rolled.rows, name) for name in kept)
        held = robot.kinetic_energy(q, qd) + robot.potential_energy(q) - work
        drifts.append(abs(np.diff(held)).sum())
    assert drifts[0] < 1e-6
    assert drifts[1] < drifts[0] / 4
    np.testing.assert_allclose(final.work, true.energy.work[-1], atol=1e-5)
    power = (true.signals["friction"] * true.qd).sum(axis=-1)
    np.testing.assert_allclose(final.heat, np.trapezoid(power, true.t), rtol=0.05)
    assert final.heat > 0.3


@pytest.mark.parametrize("law", [Coulomb(2.0), StaticKinetic(2.0, 1.5), Stribeck(2.0, 1.5, speed=0.1)])
def test_float32_rounds_and_loses_nothing_else(law: Any) -> None:
    """Joints that stop, start and turn within a step, with no number that float32 takes for zero."""
    robot = armdyn.load("planar_2r").with_actuators(dict.fromkeys(["joint_1", "joint_2"], Actuator(friction=law)))
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
    np.testing.assert_allclose(found.qd, exact.qd, rtol=0, atol=1e-5)


def test_friction_as_an_input_and_rates_by_gains() -> None:
    """A parameter of the model; and the rate by a gain in a motion that stops, against differences."""
    robot = arm()
    q0, given = [0.5, 0.1], {"q_ref": [0.0, 0.0], "qd_ref": [0.0, 0.0], "Kd": [2.0, 1.0]}
    loop = ClosedLoop(robot, pd_gravity, method=RungeKutta4(1e-3), record=())
    ends = {k: loop(q0, steps=400, Kp=[k, 20.0], **given).final.q for k in (40.0, 40.01, 39.99)}
    rate = loop.jvp("Kp")(q0, steps=400, Kp=[40.0, 20.0], tangent_Kp=[1.0, 0.0], **given).final.q
    np.testing.assert_allclose(rate, (ends[40.01] - ends[39.99]) / 0.02, rtol=1e-3, atol=1e-8)
    bare = armdyn.load("planar_2r").with_friction({"joint_1": (0.05, 0.0), "joint_2": (0.05, 0.8)})
    varied = ClosedLoop(bare, pd_gravity, method=RungeKutta4(1e-3), record=(), parameters=["joint_1.friction"])
    found = varied(q0, steps=400, Kp=[40.0, 20.0], joint_1_friction=[0.0, 2.0], **given).final
    np.testing.assert_allclose(found.q[1], ends[40.0], rtol=1e-11)
    without = ClosedLoop(bare, pd_gravity, method=RungeKutta4(1e-3), record=())
    np.testing.assert_allclose(found.q[0], without(q0, steps=400, Kp=[40.0, 20.0], **given).final.q, rtol=1e-5)
    other: ClosedLoop = pickle.loads(pickle.dumps(loop))  # noqa: S301
    again = other(q0, steps=400, Kp=[40.0, 20.0], **given)
    np.testing.assert_array_equal(again.final.q, ends[40.0])


def test_joints_that_one_coordinate_moves() -> None:
    """Slides of which the second goes back twice as far as the first forwards: 1 + 2 * 1.5 holds them together."""
    body = armdyn.Inertia(2.0, [0, 0, 0], 0.1 * np.eye(3))
    parts = [
        armdyn.Part(name, "base", "prismatic", axis=(1, 0, 0), inertia=body, joint=joint)
        for name, joint in (("a", "first"), ("b", "second"))
    ]
    slides = armdyn.Robot.from_links(parts, tip="a").with_friction({"first": (0.0, 1.0), "second": (0.0, 1.5)})
    loop = ClosedLoop(slides.with_mimic({"second": ("first", -2.0)}), method=Heun(1e-3), record=())
    pushes = np.array([[3.9], [-3.9], [5.0], [-5.0]])
    final = loop([0.0], steps=100, tau=pushes).final
    np.testing.assert_allclose(final.qd[:, 0], [0.0, 0.0, 0.1 * 1.0 / 10.0, -0.1 * 1.0 / 10.0], rtol=1e-10)
    assert (final.q[:2] == 0.0).all()


@pytest.mark.parametrize(
    ("actuator", "method", "reason"),
    [
        (
            Actuator(Motor(1e-3), Gear(10.0, efficiency=0.8), rotor=Rotor(axis=(0.0, 1.0, 0.0), carrier="link_1")),
            Heun(1e-3),
            "friction depends on the load of joints that are coupled, or that turn rotors which are bodies",
        ),
        (Actuator(friction=Coulomb(1.0)), Variational(1e-3), "Variational does not stop"),
    ],
)
def test_where_joints_cannot_stick_it_says_so(actuator: Actuator, method: Any, reason: str) -> None:
    robot = armdyn.load("planar_2r").with_actuators({"joint_2": actuator})
    with pytest.warns(FrictionWarning, match=rf"^joints of 'planar_2r' .*, for {reason} .*: joint_2$"):
        ClosedLoop(robot, method=method)


def test_torques_that_are_no_numbers_are_not_held() -> None:
    """Nor do they reach the other arms."""
    tau = np.array([[np.nan, 0.0], [0.5, 0.2]])
    with pytest.warns(
        DivergenceWarning, match=r"1 of 2 arms, the first of them \(0,\), .*: tau that it was given is not"
    ):
        final = ClosedLoop(arm(), method=Heun(1e-3))(HANGING * [1.0, 0.0], steps=5, tau=tau).final
    assert np.isnan(final.q[0]).any()
    np.testing.assert_array_equal(final.q[1], HANGING * [1.0, 0.0])


@pytest.mark.slow
def test_rotors_that_are_bodies_count() -> None:
    """Without changes the step is that of the method, rotors on other axes included."""
    drive = Actuator(Motor(1e-3), Gear(20.0), Coulomb(0.3), rotor=Rotor(axis=(0.0, 1.0, 0.0), carrier="link_1"))
    robot = armdyn.load("planar_3r").with_actuators({"joint_3": drive})
    q, qd, method = np.array([0.3, -0.2, 0.5]), np.array([1.5, -2.0, 1.0]), RungeKutta4(1e-3)
    expected = robot.compile(held_step(method.scheme))(q, qd, 0.0, method.step, [1.0, 2.0, 3.0])
    found = ClosedLoop(robot, method=method)(q, qd, steps=1, tau=[1.0, 2.0, 3.0]).final
    np.testing.assert_allclose([*found.q, *found.qd], [*expected[0], *expected[1]], rtol=1e-12)


def test_smooth_laws_need_no_warning() -> None:
    law = Smooth(Coulomb(1.0), width=0.01)
    robot = armdyn.load("planar_2r").with_actuators({"joint_2": Actuator(friction=law)})
    loop = ClosedLoop(robot, method=Heun(1e-3), energy=True)
    final = loop([0.0, 0.1], [0.0, 1.0], steps=10, tau=[0.0, 0.0]).final
    assert 0.0 < final.heat < 0.1


def test_reactions_of_held_coordinates_against_dense_solves() -> None:
    rng = np.random.default_rng(3)
    mechanism = armdyn.load("ur5").mechanism.rounded
    root = rng.normal(size=(6, 6))
    M = root @ root.T + 6.0 * np.eye(6)
    columns = [{j: M[j, k] for j in range(k + 1)} for k in range(6)]
    moves = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0])
    free, b = moves == 1.0, rng.normal(size=6)
    qdd, reactions = factored(mechanism, mechanism.drive, columns, moves).with_reactions(b)
    x = np.zeros(6)
    x[free] = np.linalg.solve(M[np.ix_(free, free)], b[free])
    np.testing.assert_allclose(qdd.astype(float), x, rtol=1e-12)
    np.testing.assert_allclose(reactions[~free].astype(float), (M @ x - b)[~free], rtol=1e-11)
