"""Adams-Bashforth-Moulton and variational steps between events: joints that stick, stops, springs, constraints, states.

Oracles are closed forms, matrix exponentials, SciPy's integration of the equations in other coordinates, and motions of
the same method without events.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import armdyn
from armdyn.actuators import Actuator, Motor, Spring
from armdyn.constraints import Distance
from armdyn.control import callback
from armdyn.simulation import (
    AdamsBashforthMoulton4,
    Adaptive,
    ClosedLoop,
    Crossing,
    Heun,
    OverTime,
    RungeKutta4,
    SaveAt,
    Start,
    Stops,
    Variational,
)
from armdyn.simulation.divergence import longest_step
from simulation.arms import MASS, PLANAR, WEIGHTLESS, G, block, body, kinds, near, slide

METHODS = pytest.mark.parametrize(("method", "order"), [(AdamsBashforthMoulton4, 4), (Variational, 2)])
NEVER = Crossing(lambda t, q, qd: float(1.0 + q[0] ** 2), name="never")


def require_order(errors: list[float], order: int) -> None:
    """Errors of steps halved each time fall by 2^order, to a third of an order."""
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (abs(orders - order) < 0.34).all(), (errors, orders)


@METHODS
def test_a_block_stops_rests_and_breaks_away(method: Any, order: int) -> None:
    """Under a push k t: m a = k t - c while it slides; from rest at c/k the cubic (t - c/k)^3 k/6m."""
    c, k, v0, end = 4.0, 6.0, -1.0, 1.5
    push = OverTime([0.0, end], [[0.0], [k * end]])
    stop = float(min(r.real for r in np.roots([k / 2 / MASS, c / MASS, v0]) if r.real > 0))
    rest = v0 * stop + c / MASS * stop**2 / 2 + k / 6 / MASS * stop**3
    begin = c / k
    exact = rest + k / 6 / MASS * (end - begin) ** 3
    errors = []
    for h in (0.04, 0.02, 0.01):
        found = armdyn.simulate(block(c), [0.0], [v0], duration=end, torque=push, method=method(h))
        assert kinds(found) == [("stick", "x"), ("slip", "x")]
        near([one.t for one in found.events], [stop, begin], 1e-9 if order == 4 else h**2)
        still = found.qd[(found.t > found.events[0].t) & (found.t < found.events[1].t), 0]
        assert len(still) > 2
        assert not still.any()
        errors.append(abs(found.q[-1, 0] - exact))
    if order == 4:
        near(errors, 0.0, 1e-12)  # rates of the second degree in time
    else:
        require_order(errors, order)


@METHODS
def test_a_falling_mass_bounces(method: Any, order: int) -> None:
    """Parabolas, which both formulas keep to rounding."""
    height, e = 1.0, 0.6
    ball = slide((0, 0, 1), (0.0, np.inf))
    hit = np.sqrt(2 * height / G)
    speed, after = e * np.sqrt(2 * height * G), 0.9 - hit
    found = armdyn.simulate(ball, [height], duration=0.9, method=method(7e-3), elements=[Stops(e)])
    near(found.events[0].t, hit, 1e-12)
    near(found.q[-1, 0], speed * after - G * after**2 / 2, 1e-12)
    near(found.qd[-1, 0], speed - G * after, 1e-12)
    assert abs(found.energy.relative_drift).max() < 1e-12


@METHODS
@pytest.mark.parametrize("loop", [False, True])
def test_a_flexible_joint_is_its_matrix_exponential(method: Any, order: int, loop: bool) -> None:
    """The two masses of a slide and its rotor on a damped spring, a linear system."""
    k, d, B, tau = 50.0, 0.8, 0.7, 1.5
    robot = slide(gravity=(0, 0, 0)).with_actuators({"x": Actuator(Motor(B), spring=Spring(k, d))})
    A = np.zeros((5, 5))
    A[0, 1] = A[2, 3] = 1.0  # q, qd, theta, thetad, 1
    A[1, [2, 0, 3, 1]] = np.array([k, -k, d, -d]) / MASS
    A[3, [2, 0, 3, 1]] = -np.array([k, -k, d, -d]) / B
    A[3, 4] = tau / B
    begin, end = np.array([0.1, -0.2, 0.0, 0.3, 1.0]), 0.8
    exact, errors = expm(A * end) @ begin, []
    if loop and order == 4:
        with pytest.raises(armdyn.simulation.SettingError, match="needs rates of steps ago"):
            ClosedLoop(robot, method=method(1e-3))
        return
    for steps in (160, 320, 640):
        if loop:
            run = ClosedLoop(robot, method=method(end / steps))
            last = run([0.1], [-0.2], theta=[0.0], thetad=[0.3], steps=steps, tau=[tau]).final
            state = [last.q[0], last.qd[0], last.theta[0], last.thetad[0]]
        else:
            settings = {"elements": [Start(theta=[0.0], thetad=[0.3])], "events": [NEVER]}
            found = armdyn.simulate(
                robot, [0.1], [-0.2], duration=end, torque=[tau], method=method(end / steps), **settings
            )
            rotor = found.signals["theta"][-1, 0], found.signals["thetad"][-1, 0]
            state = [found.q[-1, 0], found.qd[-1, 0], *rotor]
        errors.append(float(abs(np.array(state) - exact[:4]).max()))
    require_order(errors, order)


@METHODS
@pytest.mark.parametrize("events", [(), (NEVER,)])
def test_a_mass_on_two_slides_and_a_rod_is_a_pendulum(method: Any, order: int, events: Any) -> None:
    """Constraint rows: the angle by SciPy's integration of the pendulum itself."""
    light = armdyn.Inertia(0.0, (0, 0, 0), np.zeros((3, 3)))
    parts = [
        armdyn.Part("cross", "base", "prismatic", axis=(1, 0, 0), inertia=light, joint="x"),
        armdyn.Part("bob", "cross", "prismatic", axis=(0, 0, 1), inertia=body(), joint="z"),
    ]
    free = armdyn.Robot.from_links(parts, gravity=(0, 0, -G), tip="bob")
    robot = free.with_constraints(Distance("bob", "base", 1.0, name="rod"))
    angle, rate, end = 0.7, 1.1, 0.6
    q0 = [np.sin(angle), -np.cos(angle)]
    qd0 = [rate * np.cos(angle), rate * np.sin(angle)]
    fine: dict[str, Any] = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-13}
    true = solve_ivp(lambda t, y: [y[1], -G * np.sin(y[0])], (0.0, end), [angle, rate], **fine)
    last = true.y[0, -1]
    errors = []
    for steps in (30, 60, 120):
        found = armdyn.simulate(robot, q0, qd0, duration=end, method=method(end / steps), events=events)
        errors.append(float(abs(found.q[-1] - [np.sin(last), -np.cos(last)]).max()))
    require_order(errors, order)


@METHODS
@pytest.mark.parametrize("kind", ["constant", "table", "lines", "function", "samples"])
def test_events_that_change_nothing_leave_the_motion_as_it_is(method: Any, order: int, kind: str) -> None:
    """The event-driven driver makes the steps of the driver without events, with the same past."""
    h, steps = 4e-3, 25
    rows = np.repeat([[1.0, 2.0], [-2.0, 1.0], [3.0, 0.0], [3.0, 0.0], [0.5, 1.0]], 5, axis=0)
    times = np.array([0.0, 0.031, 0.1])
    forces: dict[str, Any] = {
        "constant": np.array([2.0, -1.0]),
        "table": rows,
        "lines": OverTime(times, [[0.0, 1.0], [3.0, -1.0], [0.0, 2.0]]),
        "function": lambda t, q, qd: np.array([3.0 * np.sin(5 * t), -0.3 * qd[0]]),
        "samples": callback(lambda t, q, qd: -2.0 * qd + [1.0, 0.0], sample_time=5 * h),
    }
    given: dict[str, Any] = {"duration": h * steps, "torque": forces[kind], "method": method(h)}
    plain, located = (armdyn.simulate(PLANAR, [0.3, 0.4], [1.0, -0.5], events=e, **given) for e in ((), (NEVER,)))
    np.testing.assert_allclose(located.q, plain.q, rtol=0, atol=1e-13)
    np.testing.assert_allclose(located.qd, plain.qd, rtol=0, atol=1e-12)
    np.testing.assert_allclose(located.energy.work, plain.energy.work, rtol=0, atol=1e-12)
    assert located.statistics.steps == plain.statistics.steps


def test_a_smooth_function_is_called_twice_a_step() -> None:
    """Events end the past of the formula; the ends of steps under a function do not."""
    calls: list[float] = []

    def torque(t: float, q: Any, qd: Any) -> Any:
        calls.append(t)
        return -0.2 * qd

    given: dict[str, Any] = {"torque": torque, "method": AdamsBashforthMoulton4(1e-3), "save": SaveAt(every=0.2)}
    armdyn.simulate(PLANAR, [0.3, 0.4], duration=0.2, events=[NEVER], **given)
    assert len(calls) < 2.5 * 200


@METHODS
def test_states_within_steps_and_dense_output(method: Any, order: int) -> None:
    """Of the order of the method, also of bristles and after events."""
    arm = PLANAR.with_friction({"joint_1": (0.2, 3.0), "joint_2": (0.1, 2.0)})
    times = np.linspace(0.013, 0.371, 29)
    given: dict[str, Any] = {"q0": [0.3, 0.4], "qd0": [1.0, -2.0], "duration": 0.4}
    exact = armdyn.simulate(arm, **given, method=Adaptive(1e-12, 1e-12), save=SaveAt(times=times))
    saved, dense = [], []
    for h in (8e-3, 4e-3, 2e-3):
        found = armdyn.simulate(arm, **given, method=method(h), save=SaveAt(times=times, dense=True))
        assert kinds(found) == kinds(exact) != []
        saved.append(float(max(abs(found.q - exact.q).max(), abs(found.qd - exact.qd).max())))
        dense.append(float(abs(found.at(times).q - exact.q[1:-1]).max()))
    for errors in (saved, dense):
        assert np.log2(errors[0] / errors[-1]) / 2 > order - 0.6, errors


@pytest.mark.parametrize("method", [AdamsBashforthMoulton4, Variational])
def test_the_longest_step_of_a_spring_is_that_of_the_motion(method: Any) -> None:
    """Steps a little shorter keep an undamped vibration, a little longer ones make it grow."""
    k, B = 400.0, 0.7
    robot = slide(gravity=(0, 0, 0)).with_actuators({"x": Actuator(Motor(B), spring=Spring(k))})
    w = np.sqrt(k * (1 / MASS + 1 / B))
    longest = longest_step(method(1.0), w, 0.0)

    def largest(h: float) -> float:
        settings: dict[str, Any] = {"elements": [Start(theta=[1e-3])], "duration": 300 * h, "method": method(h)}
        found = armdyn.simulate(robot, [0.0], **settings)
        return float(abs(found.signals["theta"][-50:, 0] - found.q[-50:, 0]).max()) / 1e-3

    assert largest(0.9 * longest) < 1.3
    assert largest(1.6 * longest) > 3.0


def _plain() -> armdyn.Robot:
    return WEIGHTLESS.with_friction({"joint_1": (0.0, 3.0), "joint_2": (0.0, 4.0)})


def _coupled() -> armdyn.Robot:
    """Joints 2 and 3 move together, with friction at both: one row of one coordinate."""
    arm = armdyn.load("planar_3r").with_gravity((0, 0, 0)).with_mimic({"joint_3": ("joint_2", -0.5)})
    return arm.with_friction({"joint_1": (0.0, 1.0), "joint_3": (0.0, 200.0)})


MIX = np.array([[0.5, 0.5], [0.7, -0.4]])
"""The rates of two joints by those of the two coordinates that move both."""


def _across() -> armdyn.Robot:
    """Each joint is moved by two coordinates: rows of two."""
    arm = WEIGHTLESS.with_friction({"joint_1": (0.1, 0.3), "joint_2": (0.0, 6.0)})
    return arm.with_coordinates(["left", "right"], MIX)


def _constrained() -> armdyn.Robot:
    """The tip on a line, the last joint with friction that holds it."""
    arm = armdyn.load("planar_3r").with_gravity((0, 0, 0)).with_friction({"joint_3": (0.0, 400.0)})
    return arm.with_constraints(armdyn.constraints.PointOnPlane("tip", (1, 0, 0), (1.2, 0, 0), name="wall"))


@pytest.mark.parametrize("arm", [_plain, _coupled, _across, _constrained])
def test_joints_that_friction_holds_rest_in_a_variational_loop(arm: Any) -> None:
    """To the last digit of their velocity, while others move, and as in the event-driven motion."""
    robot = arm()
    q0 = np.full(robot.dof, 0.4)
    qd0 = np.zeros(robot.dof)
    qd0[0] = 0.5
    if robot.model.constraints:
        q0 = robot.close_loop([0.9, -1.2, 0.4])
        qd0 = np.zeros(3)
    if arm is _across:  # joint 2 rests
        qd0 = np.linalg.solve(MIX, [0.5, 0.0])
    tau = np.array([40.0 if robot.model.constraints else 1.0, -0.5, 0.0])[: robot.dof]
    loop = ClosedLoop(robot, method=Variational(5e-3), record=["q", "qd"])
    found = loop(q0, qd0, steps=100, tau=tau).rows
    exact = armdyn.simulate(robot, q0, qd0, duration=0.5, torque=tau, save=SaveAt(every=5e-3))
    near(found.q, exact.q[:-1], 1e-4)
    joints = MIX.T if arm is _across else np.eye(robot.dof)
    rates, expected = found.qd @ joints, exact.qd[:-1] @ joints
    still = abs(expected) < 1e-14
    assert still[:, -1].all()
    assert abs(expected[:, 0]).max() > 0.01
    assert abs(rates[:, -1]).max() < 1e-15


@pytest.mark.parametrize("method", [RungeKutta4, Heun])
def test_a_corner_of_a_force_within_a_step_is_the_same_with_and_without_events(method: Any) -> None:
    force = OverTime([0.0, 0.031, 0.1], [[0.0, 1.0], [3.0, -1.0], [0.0, 2.0]])
    given: dict[str, Any] = {"duration": 0.1, "torque": force, "method": method(4e-3)}
    plain, located = (armdyn.simulate(PLANAR, [0.3, 0.4], [1.0, -0.5], events=e, **given) for e in ((), (NEVER,)))
    np.testing.assert_allclose(located.q, plain.q, rtol=0, atol=1e-13)


@pytest.mark.parametrize("arm", [_plain, _across])
def test_joints_that_friction_holds_do_not_move_in_variational_steps(arm: Any) -> None:
    """One of them touches its stop, which a step that moved it by its error would hit again and again."""
    mixed = arm is _across
    robot = PLANAR.with_friction({"joint_1": (0.0, 90.0)}).with_limits({"joint_1": (-1.2, 2.0)})
    robot, to_joints = (robot.with_coordinates(["left", "right"], MIX), MIX) if mixed else (robot, np.eye(2))
    q0, qd0 = np.linalg.solve(to_joints, np.array([[-1.2, 0.7], [0.0, 3.0]]).T).T
    for elements in ([], [Stops(1.0, joints=["joint_1"])]):
        found = armdyn.simulate(robot, q0, qd0, duration=0.3, method=Variational(5e-3), elements=elements)
        q = found.q @ to_joints.T
        assert np.ptp(q[:, 1]) > 0.1
        near(q[:, 0], -1.2, 1e-14 if mixed else 0.0)
        assert "impact" not in [event.kind for event in found.events]


def test_joints_within_constraints_start_from_rest_in_a_variational_loop() -> None:
    """One of them stays at rest, the others start together."""
    arm = armdyn.load("planar_3r").with_gravity((0, 0, 0))
    arm = arm.with_friction({"joint_1": (0.0, 1.0), "joint_2": (0.0, 1.0), "joint_3": (0.0, 400.0)})
    arm = arm.with_constraints(armdyn.constraints.PointOnPlane("tip", (1, 0, 0), (1.2, 0, 0), name="wall"))
    q0, tau = arm.close_loop([0.9, -1.2, 0.4]), np.array([40.0, -0.5, 0.0])
    exact = armdyn.simulate(arm, q0, duration=0.1, torque=tau)
    found = ClosedLoop(arm, method=Variational(2e-3))(q0, steps=50, tau=tau).final
    assert abs(exact.qd[-1, :2]).min() > 5e-3
    near(found.qd, exact.qd[-1], 1e-5)
    assert found.qd[2] == 0.0
