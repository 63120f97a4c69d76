"""Stops and contacts against closed forms: masses that fall and bounce, joints pressed and released, a pen on paper."""

import re
import warnings
from functools import partial
from itertools import pairwise, product

import numpy as np
import pytest
from scipy.optimize import lsq_linear

import armdyn
from armdyn import constraints as c
from armdyn.simulation import (
    Adaptive,
    ClosedLoop,
    ConstantAcceleration,
    Constraints,
    Contact,
    Euler,
    Heun,
    OverTime,
    RungeKutta4,
    SaveAt,
    SemiImplicitEuler,
    SettingError,
    SimulationError,
    Stops,
)
from armdyn.simulation.system.bounded import bounded_forces
from constraints.linkages import four_bar
from oracles.short_run import each_once
from simulation.arms import MASS, PLANAR, WEIGHTLESS, G, both, cart, drifts, kinds, near, rod, slide, times

STEPS = ("adaptive", RungeKutta4(step=0.01))
FALLING = slide((0, 0, 1), (0.0, np.inf))


def impacts(motion):
    return [one for one in motion.events if one.kind == "impact"]


@pytest.mark.short_run("0.5-method4", "0.0-adaptive")
@pytest.mark.parametrize(("e", "method"), each_once([0.0, 0.3, 0.5, 1.0], STEPS))
def test_bouncing_mass(method, e):
    """It falls for sqrt(2 h / g), and bounces with speeds e^k sqrt(2 g h): flights of 2 e^k sqrt(2 h / g)."""
    motion = armdyn.simulate(FALLING, [1.0], duration=3.0, elements=[Stops(e)], save=SaveAt(every=0.1), method=method)
    expected, speed = [np.sqrt(2 / G)], np.sqrt(2 * G)
    while 0 < e * speed > 1e-6 and expected[-1] + 2 * e * speed / G < 3.0:
        speed *= e
        expected.append(expected[-1] + 2 * speed / G)
    near(times(motion, "impact"), expected, 1e-12)
    assert abs(motion.energy.drift).max() < 1e-11
    lost = np.array([one.energy for one in impacts(motion)])
    if e < 1:
        assert [one.kind for one in motion.events[-2:]] == ["impact", "rest"]
        assert motion.q[-1] == motion.qd[-1] == motion.qdd[-1] == 0.0
        np.testing.assert_allclose(motion.signals["stop_force"][-1], [MASS * G], rtol=1e-14)
        np.testing.assert_allclose(lost.sum(), MASS * G * 1.0, rtol=1e-12)  # all of it
        assert any(re.search(r"^\d+ impacts? took 19.62 J", note) for note in motion.notes)
    else:
        assert abs(lost).max() < 1e-11
    assert lost[0] == pytest.approx((1 - e**2) * MASS * G, rel=1e-12, abs=1e-11)
    assert not any("limits" in note for note in motion.notes)


def test_elastic_stops_keep_the_energy_over_a_hundred_impacts():
    weightless = cart((0, 0, 0)).with_limits({"along": (-1.0, 0.5), "up": (-0.2, 0.3)})
    given = {"elements": [Stops(1.0)], "save": SaveAt(every=10.0)}
    motion = armdyn.simulate(weightless, [0, 0], [1.3, 0.77], duration=100.0, **given)
    # reflection: unfolded, the motion is straight, and folded back it is a triangle wave
    for k, (low, high, v) in enumerate(((-1.0, 0.5, 1.3), (-0.2, 0.3, 0.77))):
        phase = (v * motion.t - low) % (2 * (high - low))
        near(motion.q[:, k], low + np.minimum(phase, 2 * (high - low) - phase), 1e-11)
    assert len(impacts(motion)) == 87 + 154  # (100 v - way to the first) / width, rounded down, and one
    assert drifts(motion) < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("method", STEPS, ids=["adaptive", "rk4"])
def test_pendulum_pressed_against_a_stop_and_released(method):
    """A pendulum lies on a stop until the torque a t lifts it: from t = m g l / a on, and not before."""
    robot, a, weight = rod().with_limits({"hinge": (0.0, 2.0)}), 5.0, MASS * G * 0.4
    given = {"torque": lambda t, q, qd: [a * t], "elements": [Stops()], "save": SaveAt(every=0.01), "method": method}
    motion = armdyn.simulate(robot, [0.0], duration=2.0, **given)
    lifts = weight / a
    near(times(motion, "release"), [lifts], 1e-12)
    pressed = motion.t < lifts
    assert max(abs(motion.q[pressed]).max(), abs(motion.qd[pressed]).max()) < 1e-15
    near(motion.signals["stop_force"][:, 0], np.where(pressed, weight - a * motion.t, 0.0), 1e-12)
    assert (motion.signals["stop_force"] >= 0).all()
    free = armdyn.simulate(robot, [0.0], duration=2.0 - lifts, torque=lambda t, q, qd: [a * (lifts + t)])
    near(motion.q[-1], free.q[-1], 1e-8)


@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
def test_an_impact_changes_momentum_at_the_stop_alone(e):
    """M (qd+ - qd-) = e_i p: with v of the joint that hits, p = -(1 + e) v / (M^-1)_ii."""
    arm, start = WEIGHTLESS.with_limits({"joint_2": (-2.0, 1.0)}), ([0.2, 0.9], [0.5, 1.5])
    motion = armdyn.simulate(arm, *start, duration=0.2, elements=[Stops(e, joints=["joint_2"])])
    (impact,) = impacts(motion)
    before = armdyn.simulate(arm, *start, duration=impact.t)
    q, qd = before.q[-1], before.qd[-1]
    assert abs(q[1] - 1.0) < 1e-10
    M, alone = arm.mass_matrix(q), np.linalg.inv(arm.mass_matrix(q))[1, 1]
    near(M @ (impact.qd - qd), [0.0, -(1 + e) * qd[1] / alone], 1e-8)
    near(impact.qd[1], -e * qd[1], 1e-8)
    near(impact.energy, (1 - e**2) * qd[1] ** 2 / alone / 2, 1e-8)


@pytest.mark.slow
def test_contact_lost_and_found_under_a_table_of_forces():
    """One second each: at rest, lifted by twice the weight, let go. It lands 1 + sqrt(2) s later."""
    paper, lifts = Contact(c.PointOnPlane("y", (0, 1, 0), name="paper")), np.zeros((6, 2))
    lifts[1, 1] = 2 * MASS * G
    for method in STEPS:
        table = lifts if method == "adaptive" else np.repeat(lifts, 100, axis=0)
        given = {"torque": table, "elements": [paper], "save": SaveAt(every=0.05), "method": method}
        motion = armdyn.simulate(cart(), [0, 0], [0.3, 0], duration=6.0, **given)
        (found,) = impacts(motion)
        near([*times(motion, "release"), found.t], [1.0, 3 + np.sqrt(2)], 1e-11)
        np.testing.assert_allclose(found.energy, MASS * G * G, rtol=1e-11)  # it had risen by g / 2, and g / 2 more
        s = np.clip(motion.t - 1, 0, 1), np.clip(motion.t - 2, 0, 1 + np.sqrt(2))
        near(motion.q[:, 1], np.where(motion.t < found.t, G / 2 * s[0] ** 2 + G * s[1] - G / 2 * s[1] ** 2, 0.0), 1e-11)
        near(motion.q[:, 0], 0.3 * motion.t, 1e-11)  # no friction
        push = np.where((motion.t < 1) | (motion.t > found.t), MASS * G, 0.0)
        near(motion.signals["contact_force"][:, 0], push, 1e-11)


@pytest.mark.slow
def test_pen_on_paper_is_the_constrained_motion_while_it_pushes():
    """Modern Robotics 8.7: the same motion and force as with the constraint, until the force would be a pull."""
    plane = c.PointOnPlane("tip", (-1, 0, 0), (1.2, 0, 0), name="paper")
    bound = WEIGHTLESS.with_constraints(plane)
    q = bound.close_loop([-0.5, 1.4])
    given = {"torque": lambda t, q, qd: [3.0 * (t - 0.4), 3.0 * (t - 0.4)]}  # pushes, later pulls
    kept = armdyn.simulate(bound, q, duration=1.0, save=SaveAt(every=0.02), **given)
    pen = armdyn.simulate(WEIGHTLESS, q, duration=1.0, save=SaveAt(every=0.02), elements=[Contact(plane)], **given)
    push = -kept.constraint_forces(bound).multipliers[:, 0]
    assert push[0] > 0
    assert [one.kind for one in pen.events[:2]] == ["rest", "release"]
    lost = pen.events[1].t
    while_on = pen.t < lost
    assert 5 < while_on.sum() < 50
    near(pen.q[while_on], kept.q[while_on], 1e-8)
    near(pen.signals["contact_force"][while_on, 0], push[while_on], 1e-7)
    after = armdyn.simulate(bound, q, duration=lost, **given)
    assert abs(after.constraint_forces(bound).multipliers[-1, 0]) < 1e-7  # where the force of the constraint is zero
    gaps = bound.constraint_error(pen.q)[:, 0]
    assert gaps.min() > -1e-11
    assert gaps[~while_on].max() > 1e-3


@pytest.mark.short_run("1.0")
@pytest.mark.parametrize("e", [0.0, 1.0])
def test_a_linkage_hits_a_stop_within_its_constraints(e):
    crank, *_ = four_bar().joint_names
    robot = four_bar().with_limits({crank: (-0.3, 3.0)})
    q = robot.close_loop([0.4, 0.3, 1.2], locked=[crank])
    motion = armdyn.simulate(robot, q, duration=1.5, elements=[Stops(e, joints=[crank]), Constraints(project=True)])
    assert impacts(motion)
    assert abs(robot.constraint_error(motion.q)).max() < 1e-12
    assert abs(robot.constraint_velocity(motion.q, motion.qd)).max() < 1e-11
    assert drifts(motion) < 1e-9
    assert motion.q[:, 0].min() > -0.3 - 1e-12
    if e == 0.0:  # the crank rests, and with it all
        near(motion.q[-1], next(one for one in motion.events if one.kind == "rest").q, 1e-11)
        held = robot.actuator_forces(motion.q[-1], np.zeros(3), np.zeros(3), actuated=[crank], tolerance=1e-6)
        near(motion.signals["stop_force"][-1, 0], held.tau[0], 1e-8)
        near(motion.qdd[-1], 0.0, 1e-9)
    else:
        assert abs(sum(one.energy for one in impacts(motion))) < 1e-12


def test_corner_that_two_barriers_make():
    robot = cart((0, 0, 0)).with_limits({"along": (0.0, 5.0)})
    floor = Contact(c.PointOnPlane("y", (0, 1, 0), name="floor"), restitution=1.0)
    motion = armdyn.simulate(robot, [1.0, 1.0], [-1.0, -1.0], duration=2.0, elements=[Stops(0.5), floor])
    assert {one.name for one in impacts(motion)} == {"along lower stop", "floor"}
    near([motion.q[-1], motion.qd[-1]], [[0.5, 1.0]] * 2, 1e-11)


def test_a_batch_hits_as_each_state_alone():
    states = np.array([[1.0], [0.5]])
    together = armdyn.simulate(FALLING, states, duration=1.0, elements=[Stops(0.5)])
    assert {one.index for one in together.events} == {(0,), (1,)}
    assert all(a.t <= b.t for a, b in pairwise(together.events))
    for k, state in enumerate(states):
        alone = armdyn.simulate(FALLING, state, duration=1.0, elements=[Stops(0.5)])
        np.testing.assert_array_equal(together.q[:, k], alone.q)
        assert [one.t for one in together.events if one.index == (k,)] == [one.t for one in alone.events]


@pytest.mark.parametrize("e", [0.0, 0.5])
def test_dense_output_has_its_pieces_between_impacts(e):
    """Parabolas that meet at the impacts, whose time itself belongs to the flight before; then rest."""
    landed, t = np.sqrt(2 / G), np.linspace(0.0, 1.5, 301)
    motion = armdyn.simulate(FALLING, [1.0], duration=1.5, elements=[Stops(e)], save=SaveAt(every=0.5, dense=True))
    since, rises = t - landed, e * np.sqrt(2 * G)
    flown = np.where(since <= 0, 1.0 - G * t**2 / 2, rises * since - G * since**2 / 2)
    speed = np.where(since <= 0, -G * t, rises - G * since)
    known = since < 2 * rises / G if e else since < 0
    found = motion.at(t)
    near(found.q[known, 0], flown[known], 1e-12)
    near(found.qd[known, 0], speed[known], 1e-11)
    if e == 0.0:
        assert not motion.at(t[since > 0]).qd.any()
        assert abs(motion.at(t[since > 0]).q).max() < 1e-15
    np.testing.assert_allclose(motion.at(motion.events[0].t).qd[0], -np.sqrt(2 * G), rtol=1e-12)


@pytest.mark.short_run("1.0")
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_six_joints_that_kick_each_other_off_their_stops(e):
    """Impacts of one joint throw others off theirs, ever more slowly, until they rest together."""
    ur5 = armdyn.load("ur5")
    ur5 = ur5.with_limits(dict.fromkeys(ur5.joint_names, (-1.5, 1.2)))
    start = np.full(6, 0.1), [1, 0.5, -0.5, 2, -2, 1]
    motion = armdyn.simulate(ur5, *start, duration=2.0, elements=[Stops(e)], save=SaveAt(every=0.01))
    assert len(impacts(motion)) > 20
    assert motion.q.max() < 1.2 + 1e-12
    assert motion.q.min() > -1.5 - 1e-12
    assert motion.signals["stop_force"].min() >= 0.0
    assert drifts(motion) < 1e-9
    assert all(one.energy > -1e-10 for one in motion.events)


TURNING = PLANAR.with_limits({"joint_1": (-1.0, 1.0)})
HIGH = Contact(c.PointOnPlane("tip", (0, 1, 0), (0.0, 0.2, 0.0), name="floor"))


@pytest.mark.parametrize(
    ("robot", "q0", "elements", "options", "error", "message"),
    [
        (FALLING, [-0.1], [Stops()], {}, SettingError, r"0\.1 m behind 'x lower stop'"),
        (TURNING, [1.5, 0.0], [Stops()], {}, SettingError, r"0\.5 rad behind .*, at 1\.5 beyond the limit 1 rad;"),
        (TURNING, [0.0, 0.0], [Stops(), HIGH], {}, SettingError, r"0\.2 m behind 'floor'"),
        (cart(), [0, 0], [Stops()], {}, SettingError, r"no such joint of .* has limits"),
        (FALLING, [1.0], [Stops(joints=[])], {}, SettingError, r"no such joint of .* has limits"),
        (FALLING, [1.0], [Stops(joints=["zz"])], {}, armdyn.UnknownName, "zz"),
        (FALLING, [1.0], [True], {}, SettingError, "elements has True"),
        (FALLING, [1.0], [c.ball("mass", "base")], {}, SettingError, "elements has Held"),
        (FALLING, [1.0], [Stops()], {"torque": lambda t, q, qd: [np.nan]}, SimulationError, "nan"),
        (FALLING, [1.0], [Stops()], {"method": "taylor"}, SettingError, "cannot stop at events, stops, contacts"),
    ],
)  # fmt: skip
def test_refused(robot, q0, elements, options, error, message):
    with pytest.raises(error, match=message):
        armdyn.simulate(robot, q0, duration=1.0, elements=elements, **options)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Stops(1.5), r"restitution is 1\.5; expected a number between 0"),
        (lambda: Contact(c.PointOnPlane("tip", (0, 0, 1)), restitution=-0.1), "restitution"),
        (lambda: Contact("floor"), "expected a plane"),
    ],
)
def test_elements_that_cannot_be(make, message):
    with pytest.raises(SettingError, match=message):
        make()


# Stops and contacts that are touched without a push, and pushed later.


@pytest.mark.short_run("adaptive")
@both
def test_a_stop_that_is_touched_holds_when_it_is_pushed(method):
    """A reference goes smoothly beyond the stop on which the joint stands: nothing pushes at first."""
    arm = armdyn.load("ur5").with_limits({"shoulder_pan_joint": (-1.0, 0.5)})
    q0 = np.array([0.5, -1.2, 1.4, -0.7, 1.1, 0.2])
    M, way = arm.mass_matrix(q0).diagonal(), np.array([0.5, 0, 0, 0, 0, 0])

    def pd(t, q, qd):
        ref = q0 + way * (10 * t**3 - 15 * t**4 + 6 * t**5)
        return arm.gravity_forces(q) + 100 * M * (ref - q) - 20 * M * qd

    motion = armdyn.simulate(arm, q0, duration=1.0, torque=pd, elements=[Stops()], method=method)
    assert (motion.q[:, 0] - 0.5).max() < 1.1e-9
    force = motion.signals["stop_force"].max(axis=1)
    np.testing.assert_allclose(force[-1], pd(1.0, motion.q[-1], motion.qd[-1])[0], rtol=0.02)
    assert motion.events[-1].kind == "rest"


@pytest.mark.short_run("rk4")
@pytest.mark.parametrize("method", ["adaptive", RungeKutta4(1e-2)], ids=["adaptive", "rk4"])
def test_pushed_after_a_rest_without_a_push(method):
    """After an impact that took all speed; by a function, and by a table on straight lines."""
    arm = WEIGHTLESS.with_locked({"joint_1": 0.0}).with_limits({"joint_2": (-2.5, 0.2)})
    later = OverTime([0.0, 0.6, 1.0], [[0.0], [0.0], [2.0]], "linear")
    for torque in (lambda t, q, qd: [5 * max(t - 0.6, 0)], later):
        motion = armdyn.simulate(arm, [0.1], [0.5], duration=1.0, method=method, elements=[Stops()], torque=torque)
        assert motion.q.max() - 0.2 < 1.1e-9
        np.testing.assert_allclose(motion.signals["stop_force"][-1].max(), 2.0, rtol=1e-6)


@pytest.mark.short_run("weight-rk4", "torque of the other-adaptive")
@pytest.mark.parametrize("method", ["rk4", "adaptive"])
@pytest.mark.parametrize(
    "torque",
    [None, lambda t, q, qd: [0, 8 * np.sin(5 * t)], lambda t, q, qd: [3 * np.sin(4 * t), 0]],
    ids=["weight", "torque of its own", "torque of the other"],
)
def test_two_stops_at_one_place_take_turns(method, torque):
    """The arm is that whose joint is locked there, also where the load changes its side."""
    given = {"duration": 1.0, "method": method}
    tight = PLANAR.with_limits({"joint_2": (0.2, 0.2)})
    swing = armdyn.simulate(tight, [0.3, 0.2], elements=[Stops()], torque=torque, **given)
    near(swing.q[:, 1], 0.2, 1.1e-9)
    alone = None if torque is None else lambda t, q, qd: torque(t, q, qd)[:1]
    locked = armdyn.simulate(PLANAR.with_locked({"joint_2": 0.2}), [0.3], torque=alone, **given)
    near(swing.q[-1, 0], locked.q[-1, 0], 1e-8)
    force = swing.signals["stop_force"]
    assert (force >= 0).all()
    assert (force.max(axis=0) > 0.1).all()


def test_a_contact_that_is_touched_holds_when_it_is_pushed():
    arm, q0 = armdyn.load("planar_3r"), np.array([-0.4, -0.5, -0.3])
    height = arm.forward_kinematics(q0)[1, 3]
    floor = Contact(c.PointOnPlane("tip", normal=(0, 1, 0), through=(0, height, 0), name="floor"))

    def down(t, q, qd):
        J = arm.jacobian(q, expressed_in="world")[4]
        return arm.gravity_forces(q) - 5.0 * qd - 30.0 * t**2 * J

    motion = armdyn.simulate(arm, q0, duration=0.8, method=RungeKutta4(4e-3), torque=down, elements=[floor])
    assert arm.forward_kinematics(motion.q)[:, 1, 3].min() - height > -1.1e-9
    assert motion.signals["contact_force"][-1, 0] > 10.0


@pytest.mark.parametrize("restitution", [1.0, 0.9, 0.3])
def test_impacts_give_no_energy_beside_a_barrier_that_is_left(restitution):
    """Joint 1 hits its stop while joint 2 leaves its own, which has to push as well."""
    arm = WEIGHTLESS.with_limits({"joint_1": (0.3, 2.0), "joint_2": (0.4, 2.0)})
    given = {"elements": [Stops(restitution)], "method": "rk4"}
    motion = armdyn.simulate(arm, [0.3, 0.4], [-1.0, 1.0], duration=0.01, **given)
    assert motion.energy.kinetic[1] <= motion.energy.kinetic[0] * (1 + 1e-12)
    assert (motion.events[0].qd >= -1e-12).all()
    assert motion.events[0].energy >= -1e-12


def pulse(t):
    """0.4 s out of 3.2."""
    return float(np.clip((t - 1.2) / 0.05, 0, 1) - np.clip((t - 1.6) / 0.05, 0, 1))


FAR = Contact(c.PointOnPlane("tip", (0, 1, 0), (0, -9, 0), name="far"))
RESTING = {
    "held by friction, a contact far away": (
        WEIGHTLESS.with_friction({"joint_1": (0, 1.0), "joint_2": (0, 1.0)}),
        lambda t, q, qd: [2 * pulse(t), 0],
        FAR,
    ),
    "pressed against stops": (
        WEIGHTLESS.with_limits({"joint_1": (-1, 0.3), "joint_2": (-1, 0.2)}),
        lambda t, q, qd: np.array([2.0, 1.0]) * (1 - 2.5 * pulse(t)),
        Stops(),
    ),
}


@pytest.mark.short_run("held by friction, a contact far away")
@pytest.mark.parametrize("name", RESTING)
def test_an_adaptive_method_does_not_step_over_a_pulse_where_nothing_moves(name):
    arm, torque, element = RESTING[name]
    adaptive, steps = (
        armdyn.simulate(arm, [0.3, 0.2], duration=3.2, torque=torque, method=method, elements=[element])
        for method in ("adaptive", RungeKutta4(1e-2))
    )
    assert [event.kind for event in adaptive.events] == [event.kind for event in steps.events]
    assert np.abs(steps.q - steps.q[0]).max() > 0.02
    near(adaptive.q[-1], steps.q[-1], 1e-6)


# Bounded forces along rows that depend on each other.


def by_cases(B, b, low, high):
    """B p of the solution: of all choices of free forces and bounds that whose signs are right; None without any."""
    W, n = B.T @ B, len(b)
    for choice in product((-1, 0, 1), repeat=n):
        side = np.array(choice)
        p = np.where(side < 0, low, np.where(side > 0, high, 0.0))
        if not np.isfinite(p).all():
            continue
        free = side == 0
        p[free] = np.linalg.lstsq(W[np.ix_(free, free)], -(b + W @ p)[free], rcond=1e-10)[0]
        after = W @ p + b
        right = np.where(free, np.abs(after) < 1e-8, after * side <= 1e-8)
        if right.all() and (p >= low - 1e-8).all() and (p <= high + 1e-8).all():
            return B @ p
    return None


@pytest.mark.parametrize("bounded", [False, True])
def test_forces_along_dependent_rows_are_the_solution_of_all_cases(bounded):
    """More rows than there are ways to move; where no solution exists there is nothing to compare."""
    rng, compared = np.random.default_rng(5), 0
    for _ in range(150):
        n = int(rng.integers(2, 5))
        B, b = rng.normal(size=(int(rng.integers(1, n)), n)), rng.normal(size=n)
        low = -rng.uniform(0.1, 2.0, n) if bounded else np.zeros(n)
        high = rng.uniform(0.1, 2.0, n) if bounded else np.full(n, np.inf)
        expected = by_cases(B, b, low, high)
        if expected is None:
            continue
        p = bounded_forces(B, b, low, high)
        near(B @ p, expected, 1e-6)
        assert (p >= low - 1e-12).all()
        assert (p <= high + 1e-12).all()
        compared += 1
    assert compared > 40


@pytest.mark.parametrize("one_sided", [False, True])
def test_boxed_problems_against_bounded_least_squares(one_sided: bool) -> None:
    """Motions of the rows, which are unique if forces are not; all active sets are found, to rounding."""
    rng = np.random.default_rng(5)
    for _ in range(200):
        n = int(rng.integers(2, 8))
        B = rng.normal(size=(int(rng.integers(1, n + 2)), n))
        d = rng.normal(size=len(B))
        low, high = -(10.0 ** rng.uniform(-1.5, 1.0, n)), 10.0 ** rng.uniform(-1.5, 1.0, n)
        low, high = (np.zeros(n), np.full(n, np.inf)) if one_sided else (low, high)
        expected = lsq_linear(B, d, (low, high), method="bvls", tol=1e-15, max_iter=100 * n).x
        p = bounded_forces(B, -B.T @ d, low, high)
        assert ((low <= p) & (p <= high)).all()
        size = np.linalg.norm(B, axis=0) * (np.linalg.norm(d) + np.linalg.norm(B @ expected))
        np.testing.assert_allclose(B.T @ (B @ p - d) / size, B.T @ (B @ expected - d) / size, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("stop", "wall"), [(0.5, 0.0), (1.0, 0.0), (0.0, 1.0), (0.5, 0.5)])
def test_a_stop_and_a_wall_reached_at_once(stop, wall):
    """One way to move, two barriers: it rebounds by the larger restitution."""
    arm = WEIGHTLESS.with_locked({"joint_1": 0.0}).with_limits({"joint_2": (-2.5, 0.2)})
    plane = c.PointOnPlane("tip", (1, 0, 0), arm.forward_kinematics([0.2])[:3, 3], name="wall")
    elements = [Stops(stop), Contact(plane, restitution=wall)]
    motion = armdyn.simulate(arm, [0.1], [1.0], duration=0.12, elements=elements, method="rk4")
    np.testing.assert_allclose(motion.qd[-1], -max(stop, wall), rtol=1e-9)


def test_stops_and_a_floor_at_once():
    """v+ + e v- >= 0 of every barrier."""
    arm = WEIGHTLESS.with_limits({"joint_1": (-0.5, 2), "joint_2": (-0.4, 2)})
    q, qd = np.array([-0.5, -0.4]), np.array([-1.0, -0.8])
    floor = Contact(c.PointOnPlane("tip", (0, 1, 0), arm.forward_kinematics(q)[:3, 3], name="floor"))
    motion = armdyn.simulate(arm, q, qd, duration=1e-3, elements=[Stops(1.0), floor], method=RungeKutta4(step=1e-3))
    assert (motion.events[0].qd >= -qd - 1e-9).all()


# Limits of joints that several coordinates move.

A, B = np.array([[0.5, 0.5], [0.7, -0.4]]), np.array([0.1, -0.2])
ALONE = PLANAR.with_limits({"joint_1": (-1.1, 1.0), "joint_2": (-0.9, 0.5)})
DIFFERENTIAL = ALONE.with_coordinates(["left", "right"], A, offset=B)
Q0, QD0 = np.array([0.6, -0.3]), np.array([1.0, 2.0])
WITHIN = np.linalg.solve(A, Q0 - B), np.linalg.solve(A, QD0)


@pytest.mark.short_run("0.0-adaptive", "0.6-adaptive")
@pytest.mark.parametrize("method", ["rk4", "adaptive"])
@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_a_differential_has_the_stops_of_its_joints(method, restitution):
    """Until all has come to rest, or for some impacts; the joints are those of the arm without the differential."""
    duration = 2.0 if restitution == 0.0 else 1.4
    given = {"duration": duration, "method": method, "elements": [Stops(restitution)], "save": SaveAt(every=0.05)}
    alone = armdyn.simulate(ALONE, Q0, QD0, torque=lambda t, q, qd: -3.0 * qd, **given)
    coupled = armdyn.simulate(DIFFERENTIAL, *WITHIN, torque=lambda t, q, qd: A.T @ (-3.0 * (A @ qd)), **given)
    near(DIFFERENTIAL.joint_positions(coupled.q), alone.q, 1e-7)
    near(coupled.qd @ A.T, alone.qd, 1e-6)
    near(coupled.signals["stop_force"], alone.signals["stop_force"], 1e-5)
    assert kinds(coupled) == kinds(alone)
    assert len({one.name for one in coupled.events}) > (restitution == 0.0)
    near([one.t for one in coupled.events], [one.t for one in alone.events], 1e-7)
    assert not any("position limits" in note for note in coupled.notes)


def test_stops_of_some_joints():
    """A joint of the description is named beside the coordinates; another name is refused."""
    given = {"elements": [Stops(joints="joint_1")], "method": RungeKutta4(5e-3)}
    some = armdyn.simulate(DIFFERENTIAL, WITHIN[0], duration=1.0, **given)
    assert [label.name for label in some.signal_labels["stop_force"]] == ["joint_1 lower stop", "joint_1 upper stop"]
    assert DIFFERENTIAL.joint_positions(some.q)[:, 0].min() > -1.1 - 1e-8
    with pytest.raises(armdyn.UnknownName, match="no joint 'joint_3' in 'planar_2r'"):
        armdyn.simulate(DIFFERENTIAL, np.zeros(2), duration=0.1, elements=[Stops(joints="joint_3")])


def test_a_joint_leaves_its_stop_in_whole_steps_of_euler_however_it_is_saved():
    """A first step from rest changes the velocity alone: nothing closes within it."""
    given = {"duration": 0.05, "torque": [3.0 * MASS + MASS * G], "method": Euler(0.01), "elements": [Stops()]}
    for save in (SaveAt(), SaveAt(dense=True)):
        found = armdyn.simulate(FALLING, [0.0], save=save, **given)
        k = np.arange(6)
        near(found.qd[:, 0], 3.0 * 0.01 * k, 1e-14)
        near(found.q[:, 0], 3.0 * 0.01**2 * k * (k - 1) / 2, 1e-14)


# Closed loops.

LIMITED = PLANAR.with_limits({"joint_1": (-0.7, 3.0)})
DRY = LIMITED.with_friction(dict.fromkeys(PLANAR.joint_names, (0.1, 1.0)))
LOW = Contact(c.PointOnPlane("tip", (0, 1, 0), (0, -0.1, 0), name="floor"), 0.3)
START = ([0.2, 0.3], [0.4, -0.2])


def bounced(e, t):
    """Height and velocity of a mass let go at 1 m: flights of 2 v/g, each with e times the speed of the last."""
    t, v = t - np.sqrt(2 / G), np.sqrt(2 * G)
    if t < 0:
        return 1.0 - 0.5 * G * (t + np.sqrt(2 / G)) ** 2, -G * (t + np.sqrt(2 / G))
    while True:
        v *= e
        if t < 2 * v / G:
            return v * t - 0.5 * G * t * t, v - G * t
        t -= 2 * v / G


@pytest.mark.parametrize("e", [0.5, 1.0])
@pytest.mark.parametrize("method", [Heun, RungeKutta4])
def test_a_mass_that_bounces_in_a_loop_is_that_of_the_closed_form(e, method):
    """One hit in a step is exact: accelerations are constant."""
    loop = ClosedLoop(FALLING, method=method(1e-3), elements=[Stops(e)], energy=True, record=["q", "qd", "work"])
    rows = loop([1.0], steps=1200, every=50, tau=[0.0]).rows
    q, qd = np.array([bounced(e, 0.05 * k) for k in range(24)]).T
    near([rows.q[:, 0], rows.qd[:, 0]], [q, qd], 1e-11)
    energies = 0.5 * MASS * rows.qd[:, 0] ** 2 + MASS * G * rows.q[:, 0]
    np.testing.assert_allclose(energies - rows.work, MASS * G, rtol=1e-12)
    near(rows.work, 0.5 * MASS * qd**2 + MASS * G * q - MASS * G, 1e-9)


@pytest.mark.parametrize("method", [SemiImplicitEuler, Heun, RungeKutta4])
@pytest.mark.parametrize("friction", [0.0, 3.0])
def test_it_comes_to_rest_exactly_at_the_stop_and_leaves_it(method, friction):
    robot = FALLING.with_friction({"x": (0.0, friction)}) if friction else FALLING
    loop = ClosedLoop(robot, method=method(2e-3), elements=[Stops(0.4)])
    rest = loop([1.0], steps=1500, tau=[0.0]).final
    assert rest.q[0] == rest.qd[0] == 0.0
    for beyond, speed in ((1.0, 0.2 / MASS), (-2.0 * friction - 1.0, 0.0)):  # N, of what holds it
        final = loop(rest.q, rest.qd, steps=100, tau=[MASS * G + friction + beyond]).final
        np.testing.assert_allclose(final.qd, [speed], rtol=1e-12)
        assert (final.q[0] == 0.0) == (speed == 0.0)


@pytest.mark.parametrize(("method", "friction"), [(SemiImplicitEuler, 3.0), (Euler, 0.0)])
def test_methods_of_the_first_order_hold_a_pressed_joint_in_every_step(method, friction):
    """Friction that gives way in a step, or a velocity that moves the joint in the next one, press it no further."""
    robot = FALLING.with_friction({"x": (0.0, friction)}) if friction else FALLING
    pressed = ClosedLoop(robot, method=method(2e-3), elements=[Stops()], record=["q", "qd", "stop_force"])
    rows = pressed([0.0], steps=11, tau=[0.0]).rows
    assert (rows.q == 0.0).all()
    assert (rows.qd == 0.0).all()
    near(rows.stop_force, MASS * G - friction, 1e-11)


@pytest.mark.parametrize(
    ("robot", "elements"),
    [(LIMITED, [Stops(0.0, joints=["joint_1"])]), (DRY, [Stops(0.5, joints=["joint_1"]), LOW])],
    ids=["pressed", "dry"],
)
def test_the_account_closes_with_the_step(robot, elements):
    for n in (250, 1000, 4000):
        loop = ClosedLoop(robot, method=RungeKutta4(0.5 / n), elements=elements, energy=True)
        end = loop(*START, steps=n, tau=np.zeros(2)).final
        first, last = (robot.kinetic_energy(q, qd) + robot.potential_energy(q) for q, qd in (START, (end.q, end.qd)))
        assert abs(last - first - end.work) < 20.0 * 0.5 / n  # J, of the order of the step
        assert (end.heat == 0.0) == (robot is LIMITED)
        assert end.work <= -end.heat + 1e-9  # nothing but friction and impacts takes energy


def test_simulate_under_a_controller_has_stops():
    hold = partial(armdyn.control.pd_gravity, q_ref=[-1.0, 0.5], Kp=30.0, Kd=5.0)
    motion = armdyn.simulate(LIMITED, *START, duration=3.0, controller=hold, elements=[Stops(0.2)])
    assert (motion.q[-1, 0], motion.qd[-1, 0]) == (-0.7, 0.0)
    assert abs(motion.q[-1, 1] - 0.5) < 1e-2


def test_mistakes_of_loops_are_named():
    stopped, none = ClosedLoop(LIMITED, elements=[Stops()]), np.zeros(2)
    with pytest.raises(SettingError, match="no such joint of 'planar_2r' has limits"):
        ClosedLoop(PLANAR, elements=[Stops(joints=["joint_2"])])
    with pytest.raises(
        TypeError, match=r"ClosedLoop\(\) has no argument 'stops'; give elements=\[armdyn.simulation.St"
    ):
        ClosedLoop(LIMITED, stops=0.5)
    with pytest.raises(
        TypeError, match=r"study\(\) has no argument 'project'; give elements=\[.*Constraints\(project=T"
    ):
        armdyn.study(LIMITED, {"q0": np.zeros((2, 2))}, steps=1, project=True)
    with pytest.raises(SettingError, match=r"q0 is 0.3 rad behind 'joint_1 lower stop'"):
        stopped([-1.0, 0.0], steps=1, tau=none)
    with pytest.raises(SettingError, match=r"q0 of arm \(1,\) is 0.1 rad behind 'joint_1 lower stop'"):
        stopped([[0.0, 0.0], [-0.8, 0.0]], steps=1, tau=none)


@pytest.mark.parametrize(("traced", "restitution"), each_once([True, False], [0.0, 0.5]))
def test_forces_of_stops_and_contacts_are_those_of_the_momentum(restitution, traced):
    """m dv = sum of h (tau + forces): impulses of hits, and the weight of what rests on a stop or a plane."""
    body = armdyn.Inertia(2.0, [0, 0, 0], 0.1 * np.eye(3))
    part = armdyn.Part("z", "base", "prismatic", axis=(0, 0, 1), inertia=body, joint="z")
    arm = armdyn.Robot.from_links([part], tip="z")
    floor = Contact(c.PointOnPlane("z", (0, 0, 1), (0, 0, -0.1), name="floor"), restitution)

    @armdyn.function("(n)->(n)")
    def traced_law(model, qd):
        return -3.0 * qd

    @armdyn.function("(n)->(n)")
    def by_numbers(model, qd):
        return np.array([-3.0 * float(qd[0])])

    law = traced_law if traced else by_numbers
    cases = [
        (arm, [floor], "contact_force", "floor", "N"),
        (arm.with_limits({"z": (-0.1, 1.0)}), [Stops(restitution)], "stop_force", "z lower stop", "N"),
    ]
    for robot, elements, name, label, unit in cases:
        loop = ClosedLoop(robot, law, method=RungeKutta4(1e-3), elements=elements)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", armdyn.simulation.UntracedControllerWarning)
            motion = loop.simulate([0.0], [-1.0], steps=900)
        force = motion.signals[name]
        assert motion.signal_labels[name][0] == (label, unit)
        change = 1e-3 * np.cumsum(motion.tau[:-1, 0] - 2.0 * 9.81 + force[:-1].sum(axis=1))
        np.testing.assert_allclose(2.0 * (motion.qd[1:, 0] + 1.0), change, rtol=0, atol=1e-10)
        assert (force >= 0.0).all()
        if restitution == 0.0:
            np.testing.assert_allclose(force[-1].sum(), 2.0 * 9.81, rtol=1e-10)


@pytest.mark.parametrize("method", [SemiImplicitEuler, ConstantAcceleration, Euler])
def test_a_contact_that_is_left_in_steps_of_the_first_order(method):
    """A tip on a curved way lets go of the floor; an error of a step would lead it back at once, again and again."""
    arm = armdyn.load("planar_2r").with_parallel_springs({"joint_2": (30.0, 0.2)})
    q0, qd0 = np.array([-0.6, 0.9]), np.array([0.5, -0.8])
    floor = c.PointOnPlane("tip", (0, 1, 0), arm.forward_kinematics(q0)[:3, 3] - [0, 0.02, 0], name="floor")
    given = {"duration": 0.24, "torque": [2.0, -1.0], "elements": [Contact(floor, 0.0)]}
    exact = armdyn.simulate(arm, q0, qd0, method=Adaptive(1e-11, 1e-11), **given)
    assert [one.kind for one in exact.events] == ["impact", "rest", "release"]
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        found = armdyn.simulate(arm, q0, qd0, method=method(h), **given)
        errors.append(abs(found.q[-1] - exact.q[-1]).max())
    assert errors[0] < 0.02
    assert np.log2(errors[0] / errors[2]) / 2 == pytest.approx(1.0, abs=0.4)
