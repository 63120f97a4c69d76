"""Steps of closed loops in which several joints stop, start and turn, of which friction may only take energy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import lsq_linear

import armdyn
from armdyn.actuators import Actuator, Brake, Coulomb, Gear, Motor, StaticKinetic, Viscous
from armdyn.simulation import (
    Adaptive,
    BrakeSwitches,
    ClosedLoop,
    ConstantAcceleration,
    Euler,
    Heun,
    RungeKutta4,
    SemiImplicitEuler,
)
from armdyn.simulation.system.bounded import bounded_impulses
from armdyn.simulation.system.response import QUICK
from oracles.short_run import each_once, short_run

METHODS = [Euler, SemiImplicitEuler, ConstantAcceleration, Heun, RungeKutta4]
PLANAR = armdyn.load("planar_2r").with_gravity([0.0, 0.0, 0.0])
SCARA = armdyn.load("scara").with_gravity([0.0, 0.0, 0.0])
UR5 = armdyn.load("ur5").with_gravity([0.0, 0.0, 0.0])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("v", [0.02, 0.26, 0.5, 1.3])
def test_a_joint_that_stops_as_another_lets_go(method: Any, v: float) -> None:
    """The second joint stops after v (M22 - M12^2/M11)/c, and the first keeps its momentum, less its small friction."""
    loop = ClosedLoop(
        PLANAR.with_friction({"joint_1": (0.0, 0.01), "joint_2": (0.0, 300.0)}), method=method(1e-3), energy=True
    )
    final = loop([0.0, 0.0], [0.0, v], steps=1, tau=np.zeros(2)).final
    (M11, M12), (_, M22) = PLANAR.mass_matrix([0.0, 0.0])
    assert final.qd[1] == 0.0
    np.testing.assert_allclose(final.qd[0], M12 / M11 * v, rtol=0, atol=1e-5)
    lost = 0.5 * (M22 - M12**2 / M11) * v**2
    np.testing.assert_allclose([final.heat, -final.work], lost, rtol=5e-3, atol=1e-6)


def random_arms(robot: armdyn.Robot, count: int, seed: int) -> tuple[Any, Any]:
    """States of which some joints rest."""
    rng = np.random.default_rng(seed)
    q, qd = rng.uniform(-1.0, 1.0, (count, robot.dof)), 0.5 * rng.normal(size=(count, robot.dof))
    return q, qd * (rng.random(qd.shape) > 0.3)


@pytest.mark.parametrize("method", [SemiImplicitEuler(1e-3), RungeKutta4(1e-3), RungeKutta4(5e-3)], ids=str)
@pytest.mark.parametrize("robot", [PLANAR, SCARA, UR5], ids=lambda robot: robot.name)
def test_friction_only_takes_energy(method: Any, robot: armdyn.Robot) -> None:
    """From 0.1 to 500 N m, which stop joints within a part of a step: K never rises, and heat never falls."""
    inputs = [f"{name}.friction" for name in robot.joint_names]
    rubs = robot.with_friction(dict.fromkeys(robot.joint_names, (0.0, 1.0)))
    loop = ClosedLoop(rubs, method=method, energy=True, record=["q", "qd", "heat", "work"], parameters=inputs)
    sizes = 10.0 ** np.random.default_rng(0).uniform(-1.0, 2.7, (240, robot.dof))
    q, qd = random_arms(robot, 240, 0)
    given = dict(zip(inputs, sizes.T, strict=True))
    rows = loop(q, qd, steps=20, tau=np.zeros(robot.dof), **given).rows
    K = robot.kinetic_energy(rows.q, rows.qd)
    assert (np.diff(K, axis=0) <= 3e-3 * K[0] + 1e-15).all()
    assert (np.diff(rows.heat, axis=0) >= -1e-6 * K[0]).all()


@pytest.mark.parametrize("method", [Heun, RungeKutta4])
@pytest.mark.parametrize(("joint", "c", "h"), [("elbow", 300.0, 1e-2), ("wrist", 50.0, 5e-3)])
def test_a_strong_brake_throws_no_other_joint(method: Any, joint: str, c: float, h: float) -> None:
    """The stages of a method would go on behind the stop, where M and the Coriolis terms are others."""
    robot = SCARA.with_friction({joint: (0.0, c)})
    q0, qd0 = np.array([0.0, 0.5, 0.0, 0.0]), np.array([1.0, 1.0, 0.1, 1.0])
    true = armdyn.simulate(robot, q0, qd0, duration=0.02, method=Adaptive(rtol=1e-11, atol=1e-12))
    final = ClosedLoop(robot, method=method(h), energy=True)(q0, qd0, steps=round(0.02 / h), tau=np.zeros(4)).final
    np.testing.assert_allclose(final.qd, true.qd[-1], rtol=0, atol=1e-2)
    np.testing.assert_allclose(final.q, true.q[-1], rtol=0, atol=3e-4)
    np.testing.assert_allclose(final.heat, -true.energy.work[-1], rtol=2e-3)


@pytest.mark.parametrize("method", [Heun, RungeKutta4])
@pytest.mark.parametrize("h", [1e-2, 5e-3, 4e-3, 2e-3, 1e-3])
def test_a_light_joint_is_not_thrown_by_a_stop_at_any_step(method: Any, h: float) -> None:
    robot = SCARA.with_friction({"elbow": (0.0, 138.7)})
    q0, qd0 = np.array([-0.4335, -0.2673, -0.0119, -0.2248]), np.array([-0.1894, 0.1333, 0.0, 0.0])
    final = ClosedLoop(robot, method=method(h), energy=True)(q0, qd0, steps=round(0.02 / h), tau=np.zeros(4)).final
    true = armdyn.simulate(robot, q0, qd0, duration=0.02, method=Adaptive(rtol=1e-11, atol=1e-12))
    np.testing.assert_allclose(final.qd, true.qd[-1], rtol=0, atol=2e-5)
    np.testing.assert_allclose(final.heat, -true.energy.work[-1], rtol=1e-3)


@pytest.mark.parametrize("method", [SemiImplicitEuler, RungeKutta4])
def test_losses_under_the_load_of_a_stop_end_with_it(method: Any) -> None:
    """A gear transmits 500 N m while another joint stops, which is a tenth of a millisecond of a step of five."""
    geared = Actuator(Motor(1e-5), Gear(50.0, efficiency=0.7, back_efficiency=0.5), Coulomb(0.5))
    robot = PLANAR.with_actuators({"joint_1": geared, "joint_2": Actuator(friction=Coulomb(500.0))})
    q0, qd0 = [0.375, 0.173], [0.0, -0.261]
    true = armdyn.simulate(robot, q0, qd0, duration=5e-3, method=Adaptive(rtol=1e-10, atol=1e-11)).qd[-1]
    for steps in (1, 5, 20):
        final = ClosedLoop(robot, method=method(5e-3 / steps))(q0, qd0, steps=steps, tau=np.zeros(2)).final
        np.testing.assert_allclose(final.qd, true, rtol=0, atol=1e-3)


def test_six_brakes_at_once_at_long_steps() -> None:
    q0 = np.array([0.0, -0.8, 1.2, 0.3, 0.5, 0.0])
    robot = UR5.with_friction(dict.fromkeys(UR5.joint_names, (0.0, 100.0)))
    true = armdyn.simulate(robot, q0, np.full(6, 0.5), duration=0.04, method=Adaptive(rtol=1e-11, atol=1e-12)).q[-1]
    errors = []
    for steps in (8, 40, 160):
        found = ClosedLoop(robot, method=RungeKutta4(0.04 / steps))(q0, np.full(6, 0.5), steps=steps, tau=np.zeros(6))
        errors.append(np.abs(found.final.q - true).max())
    assert errors[0] < 2.5e-3
    assert errors[1] < errors[0] / 8
    assert errors[2] < errors[1] / 8


@pytest.mark.parametrize("kind", short_run([SemiImplicitEuler, RungeKutta4], SemiImplicitEuler))
def test_brakes_released_together_hold_nothing_any_more(kind: Any) -> None:
    """Every joint moves after one step, in the direction of its acceleration without friction."""
    drive = Actuator(Motor(2e-5), Gear(100.0), brake=Brake(2.0))
    robot = armdyn.load("ur5").with_actuators(dict.fromkeys(UR5.joint_names, drive))
    q0, _ = random_arms(UR5, 300, seed=2)
    loop = ClosedLoop(robot, method=kind(1e-3), elements=[BrakeSwitches({name: [] for name in UR5.joint_names})])
    final = loop(q0, steps=1, tau=np.zeros(6), brakes=np.zeros((1, 6))).final
    free = robot.forward_dynamics(q0, 0.0 * q0, np.zeros(6))
    assert ((final.qd * free > 0.0) | (abs(free) < 1e-3)).all()


@pytest.mark.parametrize(
    ("robot", "drive"),
    each_once(
        [PLANAR, SCARA],
        [
            Actuator(friction=[StaticKinetic(3.0, 2.0), Viscous(0.2)]),
            Actuator(Motor(1e-4), Gear(50.0, efficiency=0.7, back_efficiency=0.5), Coulomb(3.0)),
        ],
    ),
)
def test_joints_that_turn_as_others_let_go(robot: armdyn.Robot, drive: Actuator) -> None:
    """Gear losses, static friction: the books close to the method's error, and no arm is lost."""
    q, qd = random_arms(robot, 200, seed=5)
    rubs = robot.with_actuators(dict.fromkeys(robot.joint_names, drive))
    loop = ClosedLoop(rubs, method=RungeKutta4(2e-3), energy=True, record=["q", "qd", "heat", "work"])
    rows = loop(q, qd, steps=30, tau=np.zeros(robot.dof)).rows
    K = rubs.kinetic_energy(rows.q, rows.qd)
    assert (np.abs(K - K[0] - rows.work) <= 1e-3 * K[0] + 1e-12).all()
    assert (np.diff(rows.heat, axis=0) >= -1e-3 * K[0]).all()


@pytest.mark.parametrize("seed", range(40))
def test_coordinates_as_rows_against_bounded_least_squares(seed: int) -> None:
    """|L^T v0 + L^-1 p| is least within bounds of p, with M = L L^T; joints without dry friction have none."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    root = rng.normal(size=(n, n))
    M, v0 = root @ root.T + np.eye(n), rng.normal(size=n)
    dry = sorted(rng.permutation(n)[: max(n - 1, 1)].tolist())
    most = 10.0 ** rng.uniform(-1.5, 1.0, len(dry))
    L = np.linalg.cholesky(M)
    exact = lsq_linear(np.linalg.inv(L)[:, dry], -L.T @ v0, bounds=(-most, most), method="bvls", tol=1e-14).x
    rows = np.eye(n)[dry]
    columns = np.linalg.solve(M, rows.T).T
    v = v0 + columns.T @ exact
    found = bounded_impulses(v0, rows, columns, -most, most, independent=True, **QUICK)
    impulses, after = np.asarray(found.impulses, float), np.asarray(found.velocities, float)
    assert (abs(impulses) <= most * (1.0 + 1e-12)).all()
    energies = [0.5 * one @ M @ one for one in (after, v, v0)]
    assert energies[0] - energies[1] < 0.01 * (energies[2] - energies[1]) + 1e-12
    if energies[0] - energies[1] < 1e-10:
        np.testing.assert_allclose(after, v, rtol=0, atol=1e-4)
    resting = np.asarray(found.rests) == 1.0
    assert abs(after[np.array(dry)[resting]]).max(initial=0.0) < 1e-13 * (1.0 + abs(v0).max())
