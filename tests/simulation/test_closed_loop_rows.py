"""Closed loops whose joints stick within constraints, or where several coordinates move one of them."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.optimize import lsq_linear

import armdyn
from armdyn import constraints
from armdyn.actuators import Actuator, Coulomb, Gear, Motor, Spring
from armdyn.control import pd_gravity
from armdyn.simulation import (
    Adaptive,
    ClosedLoop,
    Constraints,
    Euler,
    FrictionWarning,
    Heun,
    RungeKutta4,
    SaveAt,
    SemiImplicitEuler,
)
from armdyn.simulation.system.bounded import bounded_impulses
from constraints.linkages import four_bar
from oracles.short_run import each_once
from oracles.states import assert_close
from simulation.arms import near

CHANNEL = armdyn.load("planar_2r").with_constraints(constraints.PointOnPlane("tip", (1, 0, 0), (1, 0, 0)))
THETA = np.array([-np.pi / 3, 2 * np.pi / 3])
A, B = np.array([[0.5, 0.5], [0.7, -0.4]]), np.array([0.1, -0.2])
ALONE = armdyn.load("planar_2r").with_friction({"joint_1": (0.3, 1.5), "joint_2": (0.2, 0.6)})
DIFFERENTIAL = ALONE.with_coordinates(["left", "right"], A, offset=B)
EXACT = Adaptive(rtol=1e-10, atol=1e-12)
UR5, UR5_AT = armdyn.load("ur5"), np.array([0.3, -1.0, 1.2, -0.5, 0.7, 0.2])
SWING = four_bar().close_loop([0.4, 0.3, 1.2], locked=["joint_of_crank"])


def linkage(coulomb: float, viscous: float = 0.02) -> armdyn.Robot:
    return four_bar().with_friction(dict.fromkeys(four_bar().joint_names, (viscous, coulomb)))


def four_joints_of_ur5() -> tuple[armdyn.Robot, Any]:
    """A UR5 without its first and fourth joint; and its q."""
    return UR5.with_locked({UR5.joint_names[k]: UR5_AT[k] for k in (0, 3)}), UR5_AT[[1, 2, 4, 5]]


def on_a_plane(*sizes: float) -> tuple[armdyn.Robot, Any]:
    """A UR5 of six or four joints with dry friction of these sizes whose tip stays on a sloping plane; and its q."""
    arm, q = (UR5, UR5_AT) if len(sizes) == UR5.dof else four_joints_of_ur5()
    plane = constraints.PointOnPlane("tool0", (0, 0.3, 1), tuple(arm.forward_kinematics(q)[:3, 3]))
    friction = {name: (0.3, size) for name, size in zip(arm.joint_names, sizes, strict=True)}
    return arm.with_constraints(plane).with_friction(friction), q


@cache
def of_linkages(method: Any, project: bool) -> ClosedLoop:
    """One loop of all linkages of `linkage`, whose dry friction is an input."""
    options: dict[str, Any] = {"energy": True, "record": ["q", "qd", "work", "heat"], "parameters": [*rubbing(1.0)]}
    return ClosedLoop(linkage(1.0), method=method(1e-2), elements=[Constraints(project=project)], **options)


def rubbing(coulomb: float) -> dict[str, float]:
    """The inputs of the loop for `linkage` of this friction."""
    return {f"{name}.friction": coulomb for name in four_bar().joint_names}


def errors(loop: ClosedLoop, exact: armdyn.Trajectory, steps: Any, tau: Any, **inputs: float) -> Any:
    """The errors at the end of an exact motion, for several numbers of steps."""
    start, h = (exact.q[0], exact.qd[0]), exact.t[-1] / np.array(steps)
    ends = [loop(*start, steps=count, tau=tau, h=at, **inputs).final.q for count, at in zip(steps, h, strict=True)]
    return abs(np.array(ends) - exact.q[-1]).max(axis=-1)


@pytest.mark.parametrize(("method", "project"), each_once([RungeKutta4, SemiImplicitEuler], [False, True]), ids=str)
def test_a_linkage_that_friction_holds_stands_still_for_ten_minutes(method: Any, project: bool) -> None:
    """Every joint holds it, so that no friction is known by itself; gravity would let it fall."""
    loop = of_linkages(method, project)
    found = loop(SWING, steps=60_000, tau=np.zeros(3), **rubbing(8.0)).final
    assert (found.qd == 0.0).all()
    assert abs(found.q - SWING).max() < 1e-12
    assert abs(found.work) < 1e-12
    assert abs(found.heat) < 1e-12
    assert (loop(SWING, steps=10, tau=np.zeros(3), **rubbing(0.5)).final.qd != 0.0).all()


def test_a_linkage_swings_turns_and_stops_as_in_the_located_motion() -> None:
    exact = armdyn.simulate(linkage(0.6), SWING, duration=4.0, method=EXACT)
    assert len(exact.events) == 16
    assert (exact.qd[-1] == 0.0).all()
    for project in (True, False):
        loop = of_linkages(RungeKutta4, project)
        found = errors(loop, exact, (1000, 4000), np.zeros(3), **rubbing(0.6))
        assert found[1] < 2e-4
        assert found[0] / found[1] > 4**1.8
        assert (loop(SWING, steps=1000, tau=np.zeros(3), h=4e-3, **rubbing(0.6)).final.qd == 0.0).all()
    rough = errors(of_linkages(SemiImplicitEuler, True), exact, (1000, 4000), np.zeros(3), **rubbing(0.6))
    assert rough[1] < 2e-3
    assert rough[0] / rough[1] > 3.0


@pytest.mark.slow  # as of a linkage that swings, and of a differential that is the arm without it
def test_the_error_of_stops_goes_with_the_square_of_the_step() -> None:
    """In a channel, whose joints stop together, and of joints that two motors move."""
    rough = CHANNEL.with_friction(dict.fromkeys(CHANNEL.joint_names, (0.1, 2.0)))
    steps = (500, 1000, 2000, 4000)
    for robot, method, start, tau, project, most in (
        (rough, RungeKutta4, (THETA, np.array([1.0, 0.0])), np.zeros(2), True, 2.0),
        (DIFFERENTIAL, Heun, (np.array([0.6, -0.3]), np.array([1.0, 2.0])), np.array([3.0, -1.0]), False, 500.0),
    ):
        exact = armdyn.simulate(robot, *start, duration=2.0, torque=tau, method=EXACT)
        loop = ClosedLoop(robot, method=method(1e-3), elements=[Constraints(project=project)])
        assert (errors(loop, exact, steps, tau) < most * (2.0 / np.array(steps)) ** 2).all()


def test_a_differential_is_the_arm_without_it() -> None:
    """Joints stick by what moves them; motors turn as the joints say."""
    start, tau = (np.array([0.4, -0.3]), np.array([2.0, -3.0])), np.array([4.0, 1.0])
    within = [np.linalg.solve(A, one) for one in (start[0] - B, start[1])]
    given = {"method": RungeKutta4(2.5e-4), "energy": True}
    alone = ClosedLoop(ALONE, **given)(*start, steps=8000, tau=tau).final
    moved = ClosedLoop(DIFFERENTIAL, **given)(*within, steps=8000, tau=A.T @ tau).final
    assert_close(A @ moved.q + B, alone.q, 1e-5)
    assert_close(A @ moved.qd, alone.qd, 1e-5)
    assert_close(moved.heat, alone.heat, 1e-5)
    hold = A.T @ (ALONE.gravity_forces(start[0]) + np.array([1.4, -0.55]))
    still = ClosedLoop(DIFFERENTIAL, method=Heun(1e-3))(within[0], steps=10_000, tau=hold).final
    assert abs(still.q - within[0]).max() < 1e-12


def test_joints_of_several_coordinates_come_to_rest_exactly() -> None:
    """A differential in a wrist, and a joint that goes along: what rounding leaves is no slip, in results neither."""
    arm, q = four_joints_of_ur5()
    rubbing = zip(arm.joint_names, (25.0, 15.0, 1.5, 0.3), strict=True)
    matrix = np.eye(4)
    matrix[2:, 2:], matrix[1, 0] = [[0.5, 0.5], [0.5, -0.5]], 0.4
    robot = arm.with_friction({name: (0.3, c) for name, c in rubbing}).with_coordinates(list("abcd"), matrix)
    loop, hold = ClosedLoop(robot, method=SemiImplicitEuler(1e-3)), np.asarray(robot.gravity_forces(q))
    motion = loop.simulate(q, np.array([-0.02, 0.01, 0.03, -0.04]), steps=300, every=100, tau=hold)
    assert (motion.qd[1:] == 0.0).all()
    assert (motion.qdd[1:] == 0.0).all()
    at_rest = motion.signals["friction"][-1]
    assert_close(at_rest, hold - np.asarray(robot.gravity_forces(motion.q[-1])), 1e-9)
    assert not np.signbit(motion.qd[1:]).any()


def test_work_is_that_of_the_method_where_joints_stop_and_turn() -> None:
    """Viscous friction changes in the step in which one does."""
    viscous = ALONE.with_friction({"joint_1": (6.0, 1.5), "joint_2": (3.0, 0.6)})
    robot = viscous.with_coordinates(["left", "right"], A, offset=B)
    loop = ClosedLoop(robot, method=RungeKutta4(1e-3), energy=True, record=["q", "qd", "work", "heat"])
    rows = loop([0.6, -0.3], [1.0, 2.0], steps=3000, tau=np.array([3.0, -1.0])).rows
    assert (np.diff(np.sign(rows.qd @ A.T), axis=0) != 0).sum() > 10
    total = robot.kinetic_energy(rows.q, rows.qd) + robot.potential_energy(rows.q) - rows.work
    assert abs(total - total[0]).max() < 1e-6 * rows.heat[-1]


@pytest.mark.slow
def test_a_crank_turns_fast_beside_a_rocker_that_turns_round() -> None:
    """What turns round costs others no accuracy: the books close in steps of a twentieth of a radian."""
    robot = four_bar().with_gravity((0.0, 0.0, 0.0)).with_friction({"joint_of_rocker": (0.0, 0.5)})
    J = robot.constraint_jacobian(SWING)
    qd = np.linalg.svd(J)[2][-1]
    qd *= 25.0 / qd[0]
    for h, most, given in ((2e-3, 1e-3, 1e-12), (1e-2, 0.1, 1e-3)):
        loop = ClosedLoop(
            robot,
            method=RungeKutta4(h),
            elements=[Constraints(project=True)],
            energy=True,
            record=["q", "qd", "work", "heat"],
        )
        rows = loop(SWING, qd, steps=round(2.0 / h), tau=np.zeros(3)).rows
        K = robot.kinetic_energy(rows.q, rows.qd)
        assert abs(K - rows.work - K[0]).max() < most * K[0]
        assert (np.diff(rows.heat) > -given * K[0]).all()


def test_a_step_that_slows_a_slide_by_exactly_one() -> None:
    """In round numbers: one slide goes from 2 to 1 m/s in a second while another stops, by what they come from."""
    parts = [
        armdyn.Part(name, parent, "prismatic", axis=axis, joint=axis_name, inertia=armdyn.Inertia(mass))
        for name, parent, axis, axis_name, mass in (
            ("saddle", "base", (1, 0, 0), "x", 0.0),
            ("block", "saddle", (0, 1, 0), "y", 1.0),
        )
    ]
    slides = armdyn.Robot.from_links(parts, gravity=(0, 0, 0)).with_friction(dict.fromkeys("xy", (0.0, 0.5)))
    robot = slides.with_coordinates(["a", "b"], [[1.0, 1.0], [1.0, -1.0]])
    final = ClosedLoop(robot, method=Euler(1.0))([0.0, 0.0], [1.125, 0.875], steps=1, tau=[-0.5, -0.5]).final
    assert_close([final.qd.sum(), final.qd[0] - final.qd[1]], [1.0, 0.0], 1e-12)


@pytest.mark.slow  # the joint that rests and the errors are in `test_constraint_forces_of_what_sticks_and_slips` too
@pytest.mark.parametrize(
    ("kind", "most"), [(RungeKutta4, 1e-7), (SemiImplicitEuler, 5e-3)], ids=["RungeKutta4", "SemiImplicitEuler"]
)
def test_projections_leave_what_sticks_where_it_is(kind: Any, most: float) -> None:
    """A light joint is at rest, others move; a projection in the metric of M would turn the light ones first."""
    robot, q = on_a_plane(1.0, 10.0, 0.6, 0.1)
    exact = armdyn.simulate(robot, q, duration=0.6, method=EXACT)
    assert [(event.kind, event.name) for event in exact.events] == [("slip", "wrist_2_joint")]
    motion = ClosedLoop(robot, method=kind(1e-3), elements=[Constraints(project=True)]).simulate(
        q, steps=600, tau=np.zeros(4)
    )
    assert (motion.q[:, 3] == q[3]).all()
    assert (motion.qd[:, 3] == 0.0).all()
    moving = motion.t[np.flatnonzero(motion.qd[:, 2])[0]]
    assert abs(moving - exact.events[0].t) < 2.5e-3
    assert abs(motion.q[-1] - exact.q[-1]).max() < most
    assert abs(robot.constraint_error(motion.q[-1])).max() < 1e-13


def test_joints_near_their_breakaway_force_stand_still() -> None:
    """More joints than ways to move, none of them far from what holds it: no friction is known by itself."""
    most, rng = np.array([60.0, 40.0, 6.0, 3.0]), np.random.default_rng(0)
    robot, q = on_a_plane(*most)
    push = most / rng.uniform(1.001, 1.3, (400, 4)) * rng.choice([-1.0, 1.0], size=(400, 4))
    loop = ClosedLoop(robot, method=SemiImplicitEuler(1e-3))
    found = loop(np.tile(q, (400, 1)), steps=50, tau=robot.gravity_forces(q) + push).final
    assert (found.q == q).all()
    assert (found.qd == 0.0).all()


def test_joints_stick_beside_those_that_constraints_hold() -> None:
    """The point of a spherical wrist is held, and with it three joints; friction holds two of the others."""
    arm, q = armdyn.load("puma560"), np.array([0.3, -0.7, 0.9, 0.4, 0.8, -0.3])
    p = tuple(arm.forward_kinematics(q)[:3, 3])
    normals = [(1.0, 0.2, 0.0), (0.0, 1.0, 0.3), (0.1, 0.0, 1.0)]
    held = [constraints.PointOnPlane(arm.tip, normal, p, name=f"plane_{k}") for k, normal in enumerate(normals)]
    robot = arm.with_constraints(*held).with_friction(dict.fromkeys(arm.joint_names, (0.1, 2.0)))
    loop = ClosedLoop(robot, method=RungeKutta4(1e-3), record=["q", "qd"])
    push = arm.gravity_forces(q) + np.array([50.0, -30.0, 20.0, 1.9, 1.9, 2.1])
    rows = loop(q, steps=200, tau=push).rows
    assert (rows.q[:, 3:5] == q[3:5]).all()
    assert abs(rows.q[:, :3] - q[:3]).max() < 1e-12
    assert abs(rows.qd[-1, 5]) > 0.01


@pytest.mark.slow  # `test_closed_loop_friction.py` has the arms without constraints
@pytest.mark.parametrize("kind", [RungeKutta4, SemiImplicitEuler])
def test_friction_takes_energy_and_brings_everything_to_rest(kind: Any) -> None:
    """Without gravity, whatever the step: strong friction at light joints, six joints of which five can move."""
    robot, q = on_a_plane(30.0, 90.0, 60.0, 9.0, 6.0, 3.0)
    robot, rng = robot.with_gravity((0.0, 0.0, 0.0)), np.random.default_rng(4)
    J = robot.constraint_jacobian(q)
    qd = rng.normal(size=(100, 6)) * rng.choice([0.1, 1.0, 3.0], size=(100, 1))
    qd -= qd @ J.T @ np.linalg.pinv(J.T)
    loop = ClosedLoop(robot, method=kind(1e-2), energy=True, record=["q", "qd", "heat"])
    rolled = loop(np.tile(q, (100, 1)), qd, steps=200, tau=np.zeros(6))
    K = robot.kinetic_energy(rolled.rows.q, rolled.rows.qd)
    assert (np.diff(K, axis=0) < 1e-12 * K[0]).all()
    assert (np.diff(rolled.rows.heat, axis=0) > -1e-12 * K[0]).all()
    assert (rolled.final.qd == 0.0).all()


def test_the_books_close() -> None:
    robot, loop = linkage(0.6), of_linkages(RungeKutta4, True)
    for h in (2e-3, 1e-3):
        rows = loop(SWING, steps=round(3.0 / h), tau=np.zeros(3), h=h, **rubbing(0.6)).rows
        total = robot.kinetic_energy(rows.q, rows.qd) + robot.potential_energy(rows.q) - rows.work
        assert abs(total - total[0]).max() < 1500.0 * h**2
        assert rows.heat[-1] > 9.0
        assert abs(rows.work + rows.heat).max() < 1e-9


def test_constraint_forces_of_what_sticks_and_slips() -> None:
    """The friction of a trajectory is that which holds, so that its constraint forces are those of the motion."""
    robot, q = on_a_plane(1.0, 10.0, 0.6, 0.1)
    motion = ClosedLoop(robot, method=RungeKutta4(1e-3), elements=[Constraints(project=True)]).simulate(
        q, steps=500, every=50, tau=np.zeros(4)
    )
    exact = armdyn.simulate(robot, q, duration=0.5, method=EXACT, save=SaveAt(every=0.05))
    assert (motion.q[:, 3] == q[3]).all()  # a light joint, which a projection in the metric of M would turn first
    assert abs(motion.q[-1] - exact.q[-1]).max() < 1e-7
    assert abs(robot.constraint_error(motion.q[-1])).max() < 1e-13
    assert_close(motion.signals["friction"], exact.signals["friction"], 1e-6)
    assert_close(motion.qdd, exact.qdd, 1e-5)
    forces, expected = (one.constraint_forces(robot).joint_forces for one in (motion, exact))
    assert_close(forces, expected, 1e-5)
    standing, q = linkage(8.0), SWING
    held = ClosedLoop(standing, method=RungeKutta4(1e-3)).simulate(q, steps=3, tau=np.zeros(3))
    friction, taken = held.signals["friction"], held.constraint_forces(standing).joint_forces
    assert (abs(friction) <= 8.0).all()
    assert abs(friction).max() > 1.0
    assert_close(friction + taken, np.broadcast_to(-standing.gravity_forces(q), friction.shape), 1e-12)


@armdyn.function("(n)->()")
def distance(model: Any, q: Any) -> Any:
    return q @ q


def test_gradients_and_rates_go_along() -> None:
    """By gains, of a linkage that sticks, slips and is projected; against differences."""
    loop = ClosedLoop(linkage(0.6), pd_gravity, method=SemiImplicitEuler(5e-3), elements=[Constraints(project=True)])
    given: Any = {"steps": 60, "q_ref": SWING + 0.8 * np.eye(3)[0], "qd_ref": np.zeros(3), "Kd": np.full(3, 0.5)}
    Kp, v, s = np.array([9.0, 7.0, 3.0]), np.array([0.4, -1.0, 0.5]), 1e-4
    more, less, at = (loop(SWING, Kp=Kp + k * s * v, **given).final.q for k in (1, -1, 0))
    rates = loop.jvp("Kp")(SWING, Kp=Kp, tangent_Kp=v, **given).final.q
    assert_close(rates, (more - less) / (2 * s), 1e-6)
    assert abs(rates).max() > 1e-3
    assert_close(loop.gradient(distance, ["Kp"], SWING, Kp=Kp, **given).d_Kp @ v, 2.0 * at @ rates, 1e-10)


def test_who_sticks_is_not_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", FrictionWarning)
        ClosedLoop(linkage(1.0), method=Euler(1e-3))
        ClosedLoop(DIFFERENTIAL, method=Euler(1e-3))
        ClosedLoop(beside({CRANK: LOSSY}), method=Euler(1e-3))
        ClosedLoop(beside({CRANK: SPRINGY}), method=Euler(1e-3))


CRANK, COUPLER, _ = four_bar().joint_names
LOSSY = Actuator(Motor(1e-3), Gear(10.0, efficiency=0.8, back_efficiency=0.7), Coulomb(0.3))
SPRINGY = Actuator(Motor(1e-3), Gear(10.0), Coulomb(0.6), spring=Spring(60.0, damping=0.05))


def beside(drives: dict[str, Actuator]) -> armdyn.Robot:
    """A four-bar with dry friction in all joints and some drives."""
    return linkage(0.1).with_actuators(drives)


@pytest.mark.short_run("spring and gear")  # has the gear too
@pytest.mark.parametrize("drives", [{CRANK: LOSSY}, {CRANK: SPRINGY, COUPLER: LOSSY}], ids=["gear", "spring and gear"])
def test_linkages_that_their_drives_hold_stand_still(drives: Any) -> None:
    """Two seconds at rest, in every digit, where friction holds links and rotors; then a torque moves them."""
    robot = beside(
        {name: Actuator(drive.motor, drive.gear, Coulomb(6.0), spring=drive.spring) for name, drive in drives.items()}
    )
    loop = ClosedLoop(robot, method=SemiImplicitEuler(1e-3), record=["q", "qd"])
    rows = loop(SWING, steps=2000, tau=np.zeros(3)).rows
    assert (rows.q[1000:] == rows.q[1000]).all() or abs(rows.qd[1000:]).max() < 1e-12
    moved = loop(SWING, steps=200, tau=np.array([30.0, 0.0, 0.0])).final
    assert abs(moved.q - SWING).max() > 1e-3


@pytest.mark.parametrize(
    ("method", "steps"), [(RungeKutta4(1e-2), 10000), (SemiImplicitEuler(1e-3), 100000), (Euler(1e-3), 20000)], ids=str
)
def test_no_drift_is_left(method: Any, steps: int) -> None:
    """Over 100 s; 20 s of Euler's method, whose energy grows."""
    loop = ClosedLoop(CHANNEL, method=method, elements=[Constraints(project=True)])
    rows = loop(THETA, [1.0, 0.0], steps=steps, every=steps // 1000, tau=np.zeros(2)).rows
    assert np.ptp(rows.q, axis=0).min() > 1.0
    assert abs(CHANNEL.constraint_error(rows.q)).max() < 1e-13
    assert abs(CHANNEL.constraint_velocity(rows.q, rows.qd)).max() < 1e-12
    if method == RungeKutta4(1e-2):
        free = ClosedLoop(CHANNEL, method=method)(THETA, [1.0, 0.0], steps=steps, tau=np.zeros(2))
        assert abs(CHANNEL.constraint_error(free.final.q)).max() > 1e-3


@pytest.mark.short_run("False")
@pytest.mark.parametrize("project", [False, True])
def test_rows_that_follow_from_others_are_left_out(project: bool) -> None:
    """A wall that is said twice is one wall; at a state where two walls meet none is left out."""
    walls = [constraints.PointOnPlane("tip", (k, 0, 0), (1, 0, 0), name=f"wall_{k}") for k in (1, 2)]
    arm = armdyn.load("planar_2r")
    twice, once = (
        ClosedLoop(arm.with_constraints(*some), elements=[Constraints(project=project)]) for some in (walls, walls[:1])
    )
    start = [np.pi / 3, -2 * np.pi / 3]
    found, expected = (loop(start, steps=50, tau=np.array([1.0, 0.5])).final for loop in (twice, once))
    np.testing.assert_array_equal(found.q, expected.q)
    note = "rows of constraints that follow from others are left out: wall_2"
    assert note in twice.robot.notes
    assert note in twice.simulate(start, steps=2, tau=np.zeros(2)).notes
    corner = arm.with_constraints(walls[0], constraints.PointOnPlane("tip", (0, 1, 0), (0, 0, 0), name="floor"))
    assert len(ClosedLoop(corner).robot.constraint_rows) == 2


@pytest.mark.parametrize("seed", range(60))
def test_bounded_impulses_against_bounded_least_squares(seed: int) -> None:
    """Rows that follow from others or from constraints among them: velocities are unique, impulses are not."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    m, c = int(rng.integers(1, n + 2)), int(rng.integers(0, n))
    root = rng.normal(size=(n, n))
    M = root @ root.T + np.eye(n)
    inverse, C = np.linalg.inv(M), rng.normal(size=(c, n))
    P = inverse - inverse @ C.T @ np.linalg.solve(C @ inverse @ C.T, C @ inverse) if c else inverse
    rows = np.where(rng.random((m, n)) < 0.3, rng.normal(size=(m, n)), 0.0)
    rows[~rows.any(axis=1)] = np.eye(n)[rng.integers(n)]
    low, high = -(10.0 ** rng.uniform(-1.5, 1.0, m)), 10.0 ** rng.uniform(-1.5, 1.0, m)
    v0 = P @ M @ rng.normal(size=n)
    free = rows @ inverse @ rows.T if c else None
    found = bounded_impulses(v0, rows, rows @ P, low, high, free=free)
    impulses, v = np.asarray(found.impulses, float), np.asarray(found.velocities, float)
    L = np.linalg.cholesky(M)
    exact = lsq_linear(L.T @ (rows @ P).T, -L.T @ v0, bounds=(low, high), method="bvls", tol=1e-15).x
    best = v0 + (rows @ P).T @ exact
    assert (low - 1e-12 <= impulses).all()
    assert (impulses <= high + 1e-12).all()
    near(v, v0 + (rows @ P).T @ impulses, 1e-12 * (1.0 + abs(v0).max()))
    assert v @ M @ v - best @ M @ best < 1e-3 * (v0 @ M @ v0 - best @ M @ best) + 1e-12
    resting = np.asarray(found.rests) == 1.0
    assert abs(rows[resting] @ v).max(initial=0.0) < 1e-11 * (1.0 + abs(v0).max())
