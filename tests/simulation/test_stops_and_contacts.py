"""Stops and contacts against closed forms: falling and bouncing masses, joints pressed and released, a pen on paper."""

import re
from itertools import pairwise

import numpy as np
import pytest

import armdyn
from armdyn import constraints as c
from armdyn.simulation import Constraints, Contact, Crossing, RungeKutta4, SaveAt, SettingError, SimulationError, Stops
from oracles.short_run import each_once

g, m = 9.81, 2.0
METHODS = [{}, {"method": RungeKutta4(step=0.01)}]
body = armdyn.Inertia(m, [0, 0, 0], 0.1 * np.eye(3))


def mass(limits=(0.0, np.inf)):
    """A mass that falls along z."""
    part = armdyn.Part("mass", "base", "prismatic", axis=(0, 0, 1), inertia=body, joint="z")
    return armdyn.Robot.from_links([part], gravity=(0, 0, -g), tip="mass").with_limits({"z": limits})


def cart(gravity=(0, -g, 0)):
    """A mass that moves in a plane."""
    parts = [
        armdyn.Part("x", "base", "prismatic", axis=(1, 0, 0), joint="along"),
        armdyn.Part("y", "x", "prismatic", axis=(0, 1, 0), joint="up", inertia=body),
    ]
    return armdyn.Robot.from_links(parts, gravity=gravity, tip="y")


def of_kind(motion, kind):
    return [one for one in motion.events if one.kind == kind]


@pytest.mark.short_run("0.5-method4", "0.0-method0")
@pytest.mark.parametrize(("e", "method"), each_once([0.0, 0.3, 0.5, 1.0], METHODS))
def test_bouncing_mass(method, e):
    """It falls for sqrt(2 h / g), and bounces with speeds e^k sqrt(2 g h): flights of 2 e^k sqrt(2 h / g)."""
    motion = armdyn.simulate(mass(), [1.0], duration=3.0, elements=[Stops(e)], save=SaveAt(every=0.1), **method)
    expected, speed = [np.sqrt(2 / g)], np.sqrt(2 * g)
    while 0 < e * speed > 1e-6 and expected[-1] + 2 * e * speed / g < 3.0:
        speed *= e
        expected.append(expected[-1] + 2 * speed / g)
    impacts = of_kind(motion, "impact")
    np.testing.assert_allclose([one.t for one in impacts], expected, rtol=0, atol=1e-12)
    assert abs(motion.energy.drift).max() < 1e-11
    if e < 1:
        assert [one.kind for one in motion.events[-2:]] == ["impact", "rest"]
        assert motion.q[-1] == motion.qd[-1] == 0.0
        np.testing.assert_allclose(motion.signals["stop_force"][-1], [m * g], rtol=1e-14)
        assert motion.qdd[-1] == 0.0
        np.testing.assert_allclose(sum(one.energy for one in impacts), m * g * 1.0, rtol=1e-12)  # all of it
        assert any(re.search(r"^\d+ impacts? took 19.62 J", note) for note in motion.notes)
    else:
        assert abs(np.array([one.energy for one in impacts])).max() < 1e-11
    assert impacts[0].energy == pytest.approx((1 - e**2) * m * g, rel=1e-12, abs=1e-11)


def test_elastic_stops_keep_the_energy_over_a_hundred_impacts():
    weightless = cart((0, 0, 0)).with_limits({"along": (-1.0, 0.5), "up": (-0.2, 0.3)})
    motion = armdyn.simulate(
        weightless, [0, 0], [1.3, 0.77], duration=100.0, elements=[Stops(1.0)], save=SaveAt(every=10.0)
    )
    # reflection: unfolded, the motion is straight, and folded back it is a triangle wave
    for k, (low, high, v) in enumerate(((-1.0, 0.5, 1.3), (-0.2, 0.3, 0.77))):
        phase = (v * motion.t - low) % (2 * (high - low))
        folded = low + np.minimum(phase, 2 * (high - low) - phase)
        np.testing.assert_allclose(motion.q[:, k], folded, rtol=0, atol=1e-11)
    assert len(of_kind(motion, "impact")) == 87 + 154  # (100 v - way to the first) / width, rounded down, and one
    assert abs(motion.energy.relative_drift).max() < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS, ids=["adaptive", "rk4"])
def test_pendulum_pressed_against_a_stop_and_released(method):
    """A pendulum lies on a stop until the torque a t lifts it: from t = m g l / a on, and not before."""
    l, a = 0.4, 5.0  # noqa: E741
    bob = armdyn.Inertia(m, [l, 0, 0], np.diag([1e-3, 0.02, 0.02]))
    part = armdyn.Part("rod", "base", "revolute", axis=(0, 0, 1), inertia=bob, joint="hinge")
    robot = armdyn.Robot.from_links([part], gravity=(0, -g, 0), tip="rod").with_limits({"hinge": (0.0, 2.0)})
    motion = armdyn.simulate(
        robot,
        [0.0],
        duration=2.0,
        torque=lambda t, q, qd: [a * t],
        elements=[Stops()],
        save=SaveAt(every=0.01),
        **method,
    )
    (release,), lifts = of_kind(motion, "release"), m * g * l / a
    assert abs(release.t - lifts) < 1e-12
    pressed = motion.t < lifts
    assert max(abs(motion.q[pressed]).max(), abs(motion.qd[pressed]).max()) < 1e-15
    lower = motion.signals["stop_force"][:, 0]
    np.testing.assert_allclose(lower, np.where(pressed, m * g * l - a * motion.t, 0.0), rtol=0, atol=1e-12)
    assert (motion.signals["stop_force"] >= 0).all()
    free = armdyn.simulate(robot, [0.0], duration=2.0 - lifts, torque=lambda t, q, qd: [a * (lifts + t)])
    np.testing.assert_allclose(motion.q[-1], free.q[-1], rtol=0, atol=1e-8)


@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
def test_an_impact_changes_momentum_at_the_stop_alone(e):
    """M (qd+ - qd-) = e_i p: with v of the joint that hits, p = -(1 + e) v / (M^-1)_ii."""
    arm = armdyn.load("planar_2r", gravity=(0, 0, 0)).with_limits({"joint_2": (-2.0, 1.0)})
    motion = armdyn.simulate(arm, [0.2, 0.9], [0.5, 1.5], duration=0.2, elements=[Stops(e, joints=["joint_2"])])
    (impact,) = of_kind(motion, "impact")
    before = armdyn.simulate(arm, [0.2, 0.9], [0.5, 1.5], duration=impact.t)
    q, qd = before.q[-1], before.qd[-1]
    assert abs(q[1] - 1.0) < 1e-10
    M = arm.mass_matrix(q)
    p = -(1 + e) * qd[1] / np.linalg.inv(M)[1, 1]
    np.testing.assert_allclose(M @ (impact.qd - qd), [0.0, p], rtol=0, atol=1e-8)
    np.testing.assert_allclose(impact.qd[1], -e * qd[1], rtol=0, atol=1e-8)
    np.testing.assert_allclose(impact.energy, (1 - e**2) * qd[1] ** 2 / np.linalg.inv(M)[1, 1] / 2, rtol=0, atol=1e-8)


@pytest.mark.slow
def test_contact_lost_and_found_under_a_table_of_forces():
    """One second each: at rest, lifted by twice the weight, let go. It lands 1 + sqrt(2) s later."""
    paper = Contact(c.PointOnPlane("y", (0, 1, 0), name="paper"))
    lifts = np.zeros((6, 2))
    lifts[1, 1] = 2 * m * g
    for method in METHODS:
        motion = armdyn.simulate(
            cart(),
            [0, 0],
            [0.3, 0],
            duration=6.0,
            torque=lifts if not method else np.repeat(lifts, 100, axis=0),
            elements=[paper],
            save=SaveAt(every=0.05),
            **method,
        )
        (lost,), (found,) = of_kind(motion, "release"), of_kind(motion, "impact")
        assert abs(lost.t - 1.0) < 1e-12
        assert abs(found.t - (3 + np.sqrt(2))) < 1e-11
        np.testing.assert_allclose(found.energy, m * g * g, rtol=1e-11)  # it had risen by g / 2, and g / 2 more
        s = np.clip(motion.t - 1, 0, 1), np.clip(motion.t - 2, 0, 1 + np.sqrt(2))
        height = np.where(motion.t < found.t, g / 2 * s[0] ** 2 + g * s[1] - g / 2 * s[1] ** 2, 0.0)
        np.testing.assert_allclose(motion.q[:, 1], height, rtol=0, atol=1e-11)
        np.testing.assert_allclose(motion.q[:, 0], 0.3 * motion.t, rtol=0, atol=1e-11)  # no friction
        push = motion.signals["contact_force"][:, 0]
        np.testing.assert_allclose(push, np.where((motion.t < 1) | (motion.t > found.t), m * g, 0.0), atol=1e-11)


@pytest.mark.slow
def test_pen_on_paper_is_the_constrained_motion_while_it_pushes():
    """Modern Robotics 8.7: the same motion and force as with the constraint, until the force would be a pull."""
    plane = c.PointOnPlane("tip", (-1, 0, 0), (1.2, 0, 0), name="paper")
    arm = armdyn.load("planar_2r", gravity=(0, 0, 0))
    bound = arm.with_constraints(plane)
    q = bound.close_loop([-0.5, 1.4])
    law = lambda t, q, qd: [3.0 * (t - 0.4), 3.0 * (t - 0.4)]  # noqa: E731 - pushes, later pulls
    kept = armdyn.simulate(bound, q, duration=1.0, torque=law, save=SaveAt(every=0.02))
    pen = armdyn.simulate(arm, q, duration=1.0, torque=law, save=SaveAt(every=0.02), elements=[Contact(plane)])
    push = -kept.constraint_forces(bound).multipliers[:, 0]
    assert push[0] > 0
    lost = pen.events[1]
    assert [one.kind for one in pen.events[:2]] == ["rest", "release"]
    while_on = pen.t < lost.t
    assert 5 < while_on.sum() < 50
    np.testing.assert_allclose(pen.q[while_on], kept.q[while_on], rtol=0, atol=1e-8)
    np.testing.assert_allclose(pen.signals["contact_force"][while_on, 0], push[while_on], rtol=0, atol=1e-7)
    after = armdyn.simulate(bound, q, duration=lost.t, torque=law)
    assert abs(after.constraint_forces(bound).multipliers[-1, 0]) < 1e-7  # where the force of the constraint is zero
    gaps = arm.with_constraints(plane).constraint_error(pen.q)[:, 0]
    assert gaps.min() > -1e-11
    assert gaps[~while_on].max() > 1e-3


@pytest.mark.short_run("1.0")
@pytest.mark.parametrize("e", [0.0, 1.0])
def test_a_linkage_hits_a_stop_within_its_constraints(e):
    bar, z = armdyn.Inertia(1.0, [0.25, 0, 0], np.diag([0.001, 0.03, 0.03])), (0, 0, 1)
    tree = armdyn.Robot.from_links(
        [
            armdyn.Part("crank", "base", axis=z, inertia=bar, joint="crank_turns"),
            armdyn.Part("coupler", "crank", axis=z, xyz=(0.3, 0, 0), inertia=bar, joint="elbow"),
            armdyn.Part("rocker", "base", axis=z, xyz=(0.8, 0, 0), inertia=bar, joint="rocker_turns"),
        ],
        tip="coupler",
        gravity=(0, -g, 0),
    )
    pin = c.RowsOf(
        c.ball("coupler", "rocker", point=(0.9, 0, 0), to_point=(0.7, 0, 0), name="pin"), ["pin: x", "pin: y"]
    )
    robot = tree.with_constraints(pin).with_limits({"crank_turns": (-0.3, 3.0)})
    q = robot.close_loop([0.4, 0.3, 1.2], held=["crank_turns"])
    motion = armdyn.simulate(robot, q, duration=1.5, elements=[Stops(e), Constraints(project=True)])
    assert of_kind(motion, "impact")
    assert abs(robot.constraint_error(motion.q)).max() < 1e-12
    assert abs(robot.constraint_velocity(motion.q, motion.qd)).max() < 1e-11
    assert abs(motion.energy.relative_drift).max() < 1e-9
    assert motion.q[:, 0].min() > -0.3 - 1e-12
    if e == 0.0:  # the crank rests, and with it all
        np.testing.assert_allclose(motion.q[-1], of_kind(motion, "rest")[0].q, rtol=0, atol=1e-11)
        held = robot.actuator_forces(motion.q[-1], np.zeros(3), np.zeros(3), actuated=["crank_turns"], tolerance=1e-6)
        np.testing.assert_allclose(motion.signals["stop_force"][-1, 0], held.tau[0], rtol=0, atol=1e-8)
        np.testing.assert_allclose(motion.qdd[-1], 0.0, atol=1e-9)
    else:
        assert abs(sum(one.energy for one in of_kind(motion, "impact"))) < 1e-12


def test_corner_that_two_barriers_make():
    robot = cart((0, 0, 0)).with_limits({"along": (0.0, 5.0)})
    floor = Contact(c.PointOnPlane("y", (0, 1, 0), name="floor"), restitution=1.0)
    motion = armdyn.simulate(robot, [1.0, 1.0], [-1.0, -1.0], duration=2.0, elements=[Stops(0.5), floor])
    assert {one.name for one in of_kind(motion, "impact")} == {"along lower stop", "floor"}
    np.testing.assert_allclose(motion.q[-1], [0.5, 1.0], rtol=0, atol=1e-11)
    np.testing.assert_allclose(motion.qd[-1], [0.5, 1.0], rtol=0, atol=1e-11)


def test_a_batch_hits_as_each_state_alone():
    states = np.array([[1.0], [0.5]])
    together = armdyn.simulate(mass(), states, duration=1.0, elements=[Stops(0.5)])
    assert {one.index for one in together.events} == {(0,), (1,)}
    assert all(a.t <= b.t for a, b in pairwise(together.events))
    for k, state in enumerate(states):
        alone = armdyn.simulate(mass(), state, duration=1.0, elements=[Stops(0.5)])
        np.testing.assert_array_equal(together.q[:, k], alone.q)
        assert [one.t for one in together.events if one.index == (k,)] == [one.t for one in alone.events]


def test_refused():
    with pytest.raises(SettingError, match=r"restitution is 1\.5; expected a number between 0"):
        Stops(1.5)
    with pytest.raises(SettingError, match="restitution"):
        Contact(c.PointOnPlane("tip", (0, 0, 1)), restitution=-0.1)
    with pytest.raises(SettingError, match="expected a plane"):
        Contact("floor")
    with pytest.raises(SettingError, match=r"0\.1 m behind 'z lower stop'"):
        armdyn.simulate(mass(), [-0.1], duration=1.0, elements=[Stops()])
    turning = armdyn.load("planar_2r").with_limits({"joint_1": (-1.0, 1.0)})
    with pytest.raises(SettingError, match=r"0\.5 rad behind 'joint_1 upper stop'"):
        armdyn.simulate(turning, [1.5, 0.0], duration=1.0, elements=[Stops()])
    floor = Contact(c.PointOnPlane("tip", (0, 1, 0), (0.0, 0.2, 0.0), name="floor"))
    with pytest.raises(SettingError, match=r"0\.2 m behind 'floor'"):
        armdyn.simulate(turning, [0.0, 0.0], duration=1.0, elements=[Stops(), floor])
    with pytest.raises(SettingError, match=r"no such joint of .* has limits"):
        armdyn.simulate(cart(), [0, 0], duration=1.0, elements=[Stops()])
    with pytest.raises(armdyn.UnknownName, match="zz"):
        armdyn.simulate(mass(), [1.0], duration=1.0, elements=[Stops(joints=["zz"])])
    for method in ("taylor", "abm4", "variational"):
        with pytest.raises(SettingError, match="cannot stop at events, stops, contacts and brakes"):
            armdyn.simulate(mass(), [1.0], duration=1.0, elements=[Stops()], method=method)
    with pytest.raises(SettingError, match="elements has True"):
        armdyn.simulate(mass(), [1.0], duration=1.0, elements=[True])
    with pytest.raises(SettingError, match="elements has Held"):
        armdyn.simulate(mass(), [1.0], duration=1.0, elements=[c.ball("mass", "base")])
    with pytest.raises(SimulationError):
        armdyn.simulate(mass(), [1.0], duration=1.0, elements=[Stops()], torque=lambda t, q, qd: [np.nan])


@pytest.mark.parametrize("e", [0.0, 0.5])
def test_dense_output_has_its_pieces_between_impacts(e):
    """Parabolas that meet at the impacts, whose time itself belongs to the flight before; then rest."""
    landed, t = np.sqrt(2 / g), np.linspace(0.0, 1.5, 301)
    motion = armdyn.simulate(mass(), [1.0], duration=1.5, elements=[Stops(e)], save=SaveAt(every=0.5, dense=True))
    since, rises = t - landed, e * np.sqrt(2 * g)
    flown = np.where(since <= 0, 1.0 - g * t**2 / 2, rises * since - g * since**2 / 2)
    speed = np.where(since <= 0, -g * t, rises - g * since)
    known = since < 2 * rises / g if e else since < 0
    found = motion.at(t)
    np.testing.assert_allclose(found.q[known, 0], flown[known], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.qd[known, 0], speed[known], rtol=0, atol=1e-11)
    if e == 0.0:
        assert (motion.at(t[since > 0]).qd == 0.0).all()
        assert abs(motion.at(t[since > 0]).q).max() < 1e-15
    before = motion.at(motion.events[0].t).qd[0]
    np.testing.assert_allclose(before, -np.sqrt(2 * g), rtol=1e-12)


def test_dense_output_up_to_a_terminal_event():
    level = Crossing(lambda t, q, qd: q[0] - 0.4, "level", terminal=True)
    motion = armdyn.simulate(mass(), [1.0], duration=1.5, events=[level], save=SaveAt(dense=True))
    end = np.sqrt(2 * 0.6 / g)
    np.testing.assert_allclose(motion.t[-1], end, rtol=1e-13)
    np.testing.assert_allclose(motion.at([0.1, motion.t[-1]]).q[:, 0], [1.0 - g * 0.01 / 2, 0.4], rtol=0, atol=1e-13)
    with pytest.raises(SettingError, match="the motion is known from"):
        motion.at(end + 1e-6)


def test_joints_at_their_stops_are_within_their_limits():
    motion = armdyn.simulate(mass(), [1.0], duration=1.0, elements=[Stops(0.5)])
    assert not any("limits" in note for note in motion.notes)


@pytest.mark.short_run("1.0")
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_six_joints_that_kick_each_other_off_their_stops(e):
    """Impacts of one joint throw others off theirs, ever more slowly, until they rest together."""
    ur5 = armdyn.load("ur5")
    ur5 = ur5.with_limits(dict.fromkeys(ur5.joint_names, (-1.5, 1.2)))
    start = np.full(6, 0.1), [1, 0.5, -0.5, 2, -2, 1]
    motion = armdyn.simulate(ur5, *start, duration=2.0, elements=[Stops(e)], save=SaveAt(every=0.01))
    assert len(of_kind(motion, "impact")) > 20
    assert motion.q.max() < 1.2 + 1e-12
    assert motion.q.min() > -1.5 - 1e-12
    assert motion.signals["stop_force"].min() >= 0.0
    assert abs(motion.energy.relative_drift).max() < 1e-9
    assert all(one.energy > -1e-10 for one in motion.events)
