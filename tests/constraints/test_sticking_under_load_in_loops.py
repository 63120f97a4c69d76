"""Closed chains in motion whose friction depends on the load: they slide, stick and start as their equations say."""

import numpy as np
import pytest
from linkages import five_bar, four_bar
from lossy import Gears, Terms, unsatisfied

import armdyn
from armdyn import ClosedLoop, Robot
from armdyn import constraints as c
from armdyn.actuators import Actuator, Coulomb, Gear, LuGre, Motor, Rotor
from armdyn.simulation import Constraints, Heun, RungeKutta4, SaveAt, Stops
from oracles.short_run import short_run

OPEN = [-1.2, 1.0, -0.5]
CRANK = "joint_of_crank"


def on_a_point() -> Robot:
    """Six joints, slides none, whose tip is held at a point."""
    arm = armdyn.load("ur5")
    return arm.with_constraints(
        c.ball("tool0", to_point=arm.forward_kinematics([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])[:3, 3])
    )


LOOPS = {
    "four bar": (four_bar, "error"),
    "five bar": (five_bar, "error"),
    "redundant": (lambda: four_bar("hinge"), "least_squares"),
    "point": (on_a_point, "error"),
}


def closed(bare: Robot, rng: np.random.Generator) -> np.ndarray:
    near = {3: OPEN, 4: [2.0, -1.0, 1.0, 1.0], 6: [0.3, -1.2, 1.4, -0.7, 1.1, 0.2]}[bare.dof]
    return bare.close_loop(np.array(near) + rng.normal(0.0, 0.3, bare.dof))


@pytest.mark.short_run("redundant", "five bar")
@pytest.mark.parametrize("name", short_run(LOOPS, "redundant", "five bar"))
def test_what_starts_from_rest_is_the_one_solution(name: str) -> None:
    """l + f(l) grows with l, so that a motion that satisfies all conditions is the only one."""
    make, redundant = LOOPS[name]
    bare, started = make(), set()
    rng = np.random.default_rng(5)
    gears = Gears.random(bare.dof, 3, least=0.15)._replace(viscous=np.zeros(bare.dof))
    gears = gears._replace(coulomb=np.where(rng.random(bare.dof) < 0.5, 0.0, gears.coulomb))
    robot = gears.on(bare)
    for k in range(8):
        q = closed(bare, rng)
        size = 0.0 if k % 2 else 30.0
        tau = bare.gravity_forces(q) * rng.uniform(0.95, 1.05, bare.dof) + size * rng.normal(size=bare.dof)
        motion = armdyn.simulate(
            robot,
            q,
            duration=1e-7,
            torque=tau,
            method=RungeKutta4(step=1e-7),
            elements=[Constraints(redundant=redundant)],
        )
        qdd, friction = motion.qdd[0], motion.signals["friction"][0]
        assert unsatisfied(Terms.of(bare, q, np.zeros(bare.dof)), gears, tau, qdd, friction) < 1e-11
        started.add(bool(np.abs(qdd).max() > 1e-6))
    assert started == {True, False}


@pytest.mark.short_run("error")
@pytest.mark.parametrize("redundant", short_run(["error", "least_squares"], "error"))
def test_a_gear_at_the_crank_holds_a_four_bar(redundant: str) -> None:
    """At rest the crank carries g; as its torque grows it starts at g/eta, and its rotor does not count until then."""
    eta = 0.7
    bare = four_bar()
    q = bare.close_loop(OPEN)
    along = np.linalg.svd(bare.constraint_jacobian(q))[2][-1]
    g = float(along @ bare.gravity_forces(q) / along[0])
    assert g > 0.0
    robot = bare.with_actuators({CRANK: Actuator(Motor(0.3), Gear(1.0, efficiency=eta, back_efficiency=0.5))})
    law = lambda t, q, qd: [g * (1.0 + 5.0 * t), 0.0, 0.0]  # noqa: E731
    motion = armdyn.simulate(
        robot,
        q,
        duration=0.2,
        torque=law,
        method=RungeKutta4(step=2e-3),
        elements=[Constraints(redundant=redundant)],
        save=SaveAt(every=0.004),
    )
    assert [(one.kind, one.name) for one in motion.events] == [("slip", CRANK)]
    starts = motion.events[0].t
    assert starts == pytest.approx((1.0 / eta - 1.0) / 5.0, abs=1e-9)
    rests = motion.t < starts
    assert (motion.q[rests, 0] == q[0]).all()
    np.testing.assert_allclose(motion.q[rests], np.broadcast_to(q, (rests.sum(), 3)), rtol=0.0, atol=1e-13)
    np.testing.assert_allclose(motion.signals["friction"][rests, 0], 5.0 * g * motion.t[rests], rtol=0.0, atol=1e-11)
    assert motion.qd[-1, 0] > 0.1
    assert abs(motion.energy.relative_drift).max() < 1e-8


def lossy_four_bar() -> Robot:
    bare = four_bar()
    drives = {
        name: Actuator(
            Motor(0.1 * (k + 1)), Gear(1.0, efficiency=0.8 - 0.1 * k, back_efficiency=0.6 - 0.1 * k), Coulomb(0.2)
        )
        for k, name in enumerate(bare.joint_names)
    }
    return bare.with_actuators(drives)


def test_it_swings_and_comes_to_rest_with_its_heat_in_the_account() -> None:
    """Joints turn round together and stick at one time; then the friction is what the equations at rest ask for."""
    robot = lossy_four_bar()
    q = robot.close_loop(OPEN)
    motion = armdyn.simulate(robot, q, duration=4.0, save=SaveAt(every=0.05))
    stuck = [one for one in motion.events if one.kind == "stick"]
    assert {one.name for one in stuck} == set(robot.joint_names)
    assert len({one.t for one in stuck}) == 1
    assert (motion.qd[-1] == 0.0).all()
    assert abs(motion.energy.relative_drift).max() < 1e-8
    assert motion.energy.work[-1] < -0.1  # heat
    assert abs(robot.constraint_error(motion.q)).max() < 1e-8
    slides = (motion.t > 0.05) & (motion.t < stuck[0].t)
    back = robot.actuator_forces(motion.q[slides], motion.qd[slides], motion.qdd[slides], actuated=[CRANK])
    assert abs(back.tau).max() < 1e-7  # no torque acts
    last = motion.q[-1]
    left = -motion.signals["friction"][-1] - robot.gravity_forces(last)
    A = robot.constraint_jacobian(last)
    np.testing.assert_allclose(A.T @ np.linalg.lstsq(A.T, left)[0], left, rtol=0.0, atol=1e-9)


def lossy_swing() -> tuple[Robot, np.ndarray, np.ndarray, armdyn.Trajectory]:
    """The four-bar, its start and its exact motion."""
    robot = lossy_four_bar()
    q = robot.close_loop(OPEN)
    qd = robot.close_velocities(q, [3.0, 0.0, 0.0], locked=[CRANK])
    return robot, q, qd, armdyn.simulate(robot, q, qd, duration=0.5, save=SaveAt(times=[0.4]))


def test_fixed_steps_go_the_same_way() -> None:
    """Runge-Kutta steps of 4 ms through reversals of all joints."""
    robot, q, qd, exact = lossy_swing()
    steps = armdyn.simulate(
        robot, q, qd, duration=0.5, method=RungeKutta4(step=4e-3), elements=[Constraints(project=True)]
    )
    turned = [one for one in exact.events if one.kind == "reversal"]
    assert len(turned) == 3
    assert turned[0].t == pytest.approx(steps.events[0].t, abs=1e-6)
    np.testing.assert_allclose(steps.q[-1], exact.q[-1], rtol=0.0, atol=1e-6)


@pytest.mark.slow  # `simulation/test_closed_loop.py` compares a loop with a constraint and one lossy gear
def test_closed_loops_go_the_same_way() -> None:
    """The compiled loop, whose stops cost h^2."""
    robot, q, qd, exact = lossy_swing()
    loop = ClosedLoop(robot, method=Heun(step=5e-4), elements=[Constraints(project=True)])
    for steps, at, most in ((800, 1, 1e-6), (1000, -1, 2e-5)):
        found = loop(q, qd, steps=steps, tau=np.zeros(3))
        np.testing.assert_allclose(found.final.q, exact.q[at], rtol=0.0, atol=most)


def test_a_stop_pushes_a_linkage_and_its_push_is_part_of_the_load() -> None:
    """A crank pressed against a stop by tau: the gear takes what it may, and the stop what is left."""
    bare = four_bar()
    q = bare.close_loop(OPEN)
    limits = {CRANK: armdyn.Limits(lower=-2.0, upper=float(q[0]))}
    gear = Gear(1.0, efficiency=0.7, back_efficiency=0.5)
    robot = bare.with_limits(limits).with_actuators({CRANK: Actuator(Motor(0.3), gear)})
    along = np.linalg.svd(bare.constraint_jacobian(q))[2][-1]
    g = float(along @ bare.gravity_forces(q) / along[0])
    tau = 5.0 * abs(g)
    for redundant in ("error", "least_squares"):
        motion = armdyn.simulate(
            robot,
            q,
            duration=0.1,
            torque=[tau, 0.0, 0.0],
            elements=[Stops(), Constraints(redundant=redundant)],
            save=SaveAt(every=0.05),
        )
        assert (motion.q[:, 0] == q[0]).all()
        push, friction = motion.signals["stop_force"][-1], motion.signals["friction"][-1, 0]
        load = tau - friction
        assert 0.5 * load <= tau <= load / 0.7
        assert load - g == pytest.approx(np.abs(push).sum(), abs=1e-9)


def test_bristles_beside_gears_of_a_linkage() -> None:
    """The friction that is kept is that of the motion: with it lambda is found for all rows."""
    bare = four_bar()
    lugre = LuGre(static=0.3, kinetic=0.2, speed=0.1, stiffness=1e3, bristle_damping=3.0, viscous=0.1)
    gear = Gear(1.0, efficiency=0.8, back_efficiency=0.6)
    robot = bare.with_actuators(
        {name: Actuator(Motor(0.1), gear, lugre if k == 1 else None) for k, name in enumerate(bare.joint_names)}
    )
    q = robot.close_loop(OPEN)
    qd = robot.close_velocities(q, [3.0, 0.0, 0.0], locked=[CRANK])
    motion = armdyn.simulate(robot, q, qd, duration=0.2, save=SaveAt(every=0.05))
    assert abs(motion.energy.relative_drift).max() < 1e-7
    for q, qd, qdd, friction in zip(motion.q, motion.qd, motion.qdd, motion.signals["friction"], strict=True):
        M, h, A, _ = Terms.of(bare, q, qd)
        left = -friction - M @ qdd - 0.1 * qdd - h
        np.testing.assert_allclose(A.T @ np.linalg.lstsq(A.T, left)[0], left, rtol=0.0, atol=1e-8)


def test_rotors_that_are_bodies_of_a_linkage_slide_as_armatures_do() -> None:
    """Across the axes of a planar linkage both are the same, but that joints with such rotors do not stick."""
    parts = Motor(1e-4), Gear(60.0, efficiency=0.7, back_efficiency=0.5), Coulomb(0.1)
    across = Rotor(axis=(1.0, 0.0, 0.0))
    bare = four_bar()
    q = bare.close_loop(OPEN)
    qd = bare.close_velocities(q, [3.0, 0.0, 0.0], locked=[CRANK])
    armed, turning = (
        armdyn.simulate(
            bare.with_actuators(dict.fromkeys(bare.joint_names, drive)), q, qd, duration=0.2, save=SaveAt(times=[0.1])
        )
        for drive in (Actuator(*parts), Actuator(*parts, rotor=across))
    )
    np.testing.assert_allclose(turning.q, armed.q, rtol=0.0, atol=1e-10)
    assert abs(turning.energy.relative_drift).max() < 1e-8
    assert any("joints that are coupled or turn rotors that are bodies" in note for note in turning.notes)
