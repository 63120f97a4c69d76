"""Motions that begin at a dead point, where the constraints alone decide how a joint with dry friction moves.

The tip of a planar arm with links of 1 m slides on the wall x = 1: with q = (-60, 120) degrees joint 2 has reached the
largest angle that it has there. Where joint 1 turns, joint 2 turns back, and it begins to by the fourth power of time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import armdyn
from armdyn import Robot
from armdyn import constraints as c
from armdyn.actuators import Actuator, Coulomb, Gear, Motor
from armdyn.simulation import Constraints, RungeKutta4
from armdyn.simulation.drivers.crossings import reverses
from armdyn.simulation.system.mode_motion import mode_motion_of
from oracles.short_run import short_run

WALL = c.PointOnPlane("tip", (1, 0, 0), (1, 0, 0), name="wall")
JOINTS = ("joint_1", "joint_2")
DEAD = np.radians([-60.0, 120.0])
AT_REST: Any = {"duration": 0.5, "method": RungeKutta4(step=2e-2)}
"""Few steps: an adaptive method takes as many as in a motion."""


def arm(which: tuple[int, ...], kind: str, amount: float) -> Robot:
    """An arm some of whose joints have a lossy gear, of such an efficiency, or such a dry friction."""
    robot = armdyn.load("planar_2r").with_constraints(WALL)
    if kind == "dry":
        return robot.with_actuators({JOINTS[k]: Actuator(friction=[Coulomb(amount)]) for k in which})
    efficiency = {k: amount if k in which else 1.0 for k in range(2)}
    return robot.with_actuators(
        {name: Actuator(Motor(1.4e-5), Gear(100.0, efficiency=efficiency[k])) for k, name in enumerate(JOINTS)}
    )


def by_one_coordinate(robot: Robot, q: np.ndarray, tau: np.ndarray, duration: float, **given: Any) -> np.ndarray:
    """The positions behind a motion, by an equation of motion in q_1 alone."""
    side = np.sign(np.sin(q.sum()))

    def whole(q_1: float, qd_1: float) -> tuple[np.ndarray, np.ndarray]:
        both = side * np.arccos(min(1.0, 1.0 - np.cos(q_1)))
        return np.array([q_1, both - q_1]), qd_1 * np.array([1.0, -(np.sin(q_1) + np.sin(both)) / np.sin(both)])

    def rates(_: float, y: np.ndarray) -> list[float]:
        return [y[1], robot.constrained_forward_dynamics(*whole(*y), tau, **given).qdd[0]]

    found = solve_ivp(rates, (0.0, duration), [q[0], 0.0], method="DOP853", rtol=1e-11, atol=1e-13)
    return whole(*found.y[:, -1])[0]


STARTS = [(side, tau) for side in (1.0, -1.0) for tau in ((0.0, 0.0), (30.0, 0.0), (0.0, 7.0), (25.0, -8.0))]
"""The dead point on either side, and constant torques."""


@pytest.mark.parametrize("start", short_run(STARTS, (1.0, (30.0, 0.0)), (-1.0, (0.0, 0.0))))
@pytest.mark.parametrize(("kind", "amount"), [("dry", 0.5), ("lossy", 0.8)])
@pytest.mark.parametrize("which", [(1,), (0, 1)])
def test_a_motion_from_rest(
    which: tuple[int, ...], kind: str, amount: float, start: tuple[float, tuple[float, float]]
) -> None:
    side, tau = start
    robot, q, forces = arm(which, kind, amount), side * DEAD, np.array(tau)
    found = robot.simulate(q, np.zeros(2), torque=forces, duration=0.2)
    np.testing.assert_allclose(found.q[-1], by_one_coordinate(robot, q, forces, 0.2), rtol=0, atol=1e-9)
    assert not found.events


@pytest.mark.parametrize("beside", [1e-7, -1e-7])
@pytest.mark.parametrize(("kind", "amount"), [("dry", 0.5), ("lossy", 0.8)])
def test_a_motion_from_rest_hardly_beside_it(kind: str, amount: float, beside: float) -> None:
    """The acceleration of joint 2 is small then, and its sign on one side is not that of its later speeds."""
    robot = arm((0, 1), kind, amount)
    q = robot.close_loop(DEAD + np.array([beside, 0.0]), locked=["joint_1"])
    found = robot.simulate(q, np.zeros(2), duration=0.2)
    np.testing.assert_allclose(found.q[-1], by_one_coordinate(robot, q, np.zeros(2), 0.2), rtol=0, atol=1e-9)


@pytest.mark.parametrize(("kind", "amount"), [("dry", 0.5), ("lossy", 0.8)])
def test_a_force_at_the_tip_alone_moves_the_arm(kind: str, amount: float) -> None:
    robot, wrench = arm((0, 1), kind, amount).with_gravity((0, 0, 0)), np.array([0.0, 0.0, 0.0, 6.0, 8.0, 0.0])
    found = robot.simulate(DEAD, np.zeros(2), f_tip=wrench, duration=0.1)
    expected = by_one_coordinate(robot, DEAD, np.zeros(2), 0.1, f_tip=wrench)
    np.testing.assert_allclose(found.q[-1], expected, rtol=0, atol=1e-9)
    assert abs(found.q[-1] - DEAD).max() > 1e-3


@pytest.mark.parametrize(("kind", "amount", "tau"), [("dry", 90.0, 0.0), ("lossy", 0.45, 30.0)])
def test_what_holds_joint_1_holds_joint_2_too(kind: str, amount: float, tau: float) -> None:
    found = arm((0, 1), kind, amount).simulate(DEAD, np.zeros(2), torque=np.array([tau, 0.0]), **AT_REST)
    assert np.array_equal(found.q[-1], DEAD)
    assert not found.events


@pytest.mark.parametrize(("kind", "amount"), [("dry", 0.5), ("lossy", 0.8)])
def test_without_forces_nothing_moves(kind: str, amount: float) -> None:
    still = arm((1,), kind, amount).with_gravity((0, 0, 0))
    found = still.simulate(DEAD, np.zeros(2), **AT_REST)
    assert np.array_equal(found.q[-1], DEAD)
    assert not found.events


def test_joint_1_that_is_let_go_at_a_dead_point_of_joint_2() -> None:
    """Dry friction holds the arm until the force on joint 1 has fallen to that of gravity less that of friction."""
    robot, holds = arm((0, 1), "dry", 2.5), 2.5
    gravity = float(robot.gravity_forces(DEAD)[0])
    begins, fall = 0.2, 4.0

    def torque(t: float, q: np.ndarray, qd: np.ndarray) -> list[float]:
        return [gravity - holds + fall * (begins - t), 0.0]

    found = robot.simulate(DEAD, np.zeros(2), torque=torque, duration=0.5, method=RungeKutta4(step=5e-3))
    first = found.events[0]
    assert (first.name, first.kind) == ("joint_1", "slip")
    assert first.t == pytest.approx(begins, abs=1e-9)
    assert np.array_equal(first.q, DEAD)
    assert (found.qd[-1] < 0.0).all()


def test_equations_of_sliding_have_a_solution_where_nothing_is_left_of_a_load() -> None:
    """At structured states forces cancel but for rounding; the load of joint 2 is none at its dead point."""
    rng = np.random.default_rng(5)
    for points in (DEAD, np.radians([-90.0, 90.0]), np.radians([60.0, -120.0])):
        place = armdyn.load("planar_2r").forward_kinematics(points)[:3, 3]
        robot = arm((0, 1), "lossy", 0.8).without_constraints()
        robot = robot.with_constraints(c.PointOnPlane("tip", (1, 0, 0), tuple(place), name="wall"))
        sliding = mode_motion_of(robot, "error")
        for tau in rng.choice([0.0, 0.0, 10.0, -7.0], size=(60, 2)):
            for directions in ([1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]):
                found = sliding(points, np.zeros(2), tau, np.array(directions), np.ones(2), np.zeros(2))
                assert np.isfinite(found[0]).all()


def test_a_speed_that_begins_at_zero_may_be_on_either_side_of_it_by_rounding() -> None:
    times = np.linspace(0.0, 1.0, 5)

    def dips(depth: float) -> object:
        return reverses(lambda t: t**3 - depth * t, lambda t: 3 * t**2 - depth, times)

    assert dips(1e-9) is None
    assert dips(0.5) is not None


@pytest.mark.parametrize("begin", [5e-324, 1e-17, 5e-11])
def test_a_speed_that_begins_at_rounding_has_not_turned_round_below_it(begin: float) -> None:
    times = np.linspace(0.0, 1.0, 5)
    falls = lambda depth: reverses(lambda t: begin - depth * t, lambda t: -depth, times)  # noqa: E731
    assert falls(1e-17 + 2.0 * begin) is None
    a, b = falls(1e-3)
    assert a <= begin / 1e-3 <= b


def slider_crank() -> tuple[Robot, np.ndarray]:
    """A crank of 0.3 m that drives a slide by a rod of 0.8 m, and its dead centre."""
    bar, z = armdyn.Inertia(1.0, [0.15, 0, 0], np.diag([1e-3, 1e-2, 1e-2])), (0, 0, 1)
    parts = [
        armdyn.Part("crank", "base", axis=z, inertia=bar, joint="crank_turns"),
        armdyn.Part("rod", "crank", axis=z, xyz=(0.3, 0, 0), inertia=bar, joint="pin"),
        armdyn.Part("slider", "base", "prismatic", axis=(1, 0, 0), inertia=bar, joint="slides"),
    ]
    tree = armdyn.Robot.from_links(parts, tip="rod", gravity=(0, -9.81, 0))
    robot = tree.with_constraints(c.ball("rod", "slider", point=(0.8, 0, 0), name="bolt"))
    bent = robot.close_loop([0.4, -0.1, 1.0], locked=["crank_turns"])
    return robot.with_independent_constraints(bent), np.array([0.0, 0.0, 1.1])


@pytest.mark.short_run("dry slider", "all lossy")
@pytest.mark.parametrize("kind", ["dry slider", "all dry", "lossy crank", "all lossy"])
def test_a_slider_crank_leaves_its_dead_centre(kind: str) -> None:
    """Two methods agree, and no energy is lost but by friction."""
    robot, q = slider_crank()
    which = {"dry slider": ["slides"], "lossy crank": ["crank_turns"]}.get(kind, list(robot.joint_names))
    dry = Actuator(friction=[Coulomb(0.3)]) if "dry" in kind else Actuator(Motor(1e-5), Gear(20.0, efficiency=0.8))
    robot = robot.with_actuators(dict.fromkeys(which, dry))
    given = {"torque": np.array([-3.0, 0.0, 5.0]), "duration": 0.3, "elements": [Constraints(project=True)]}
    one = robot.simulate(q, np.zeros(3), **given)
    other = robot.simulate(q, np.zeros(3), method=RungeKutta4(step=1e-3), **given)
    np.testing.assert_allclose(one.q[-1], other.q[-1], rtol=0, atol=1e-6)
    assert np.abs(one.energy.drift).max() < 1e-8
    assert abs(one.q[-1, 2] - 1.1) > 0.01
