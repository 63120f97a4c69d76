"""Backlash between gear and link: periods in closed form, contacts that only push, what is inverse to what."""

import numpy as np
import pytest

import armdyn
from armdyn import ModelError, Unsupported
from armdyn.actuators import Actuator, Motor, Spring
from armdyn.simulation import SaveAt, Start
from oracles.flexible import flexible, springs_for
from oracles.states import assert_close

K, PLAY, ROTOR = 300.0, 0.02, 0.4
FINE = armdyn.simulation.Adaptive(rtol=1e-12, atol=1e-12)


def one_joint(spring):
    """A joint that nothing drives: link, play, rotor."""
    arm = armdyn.load("planar_2r").with_gravity((0.0, 0.0, 0.0)).with_locked({"joint_2": 0.0})
    return arm.with_actuators({"joint_1": Actuator(Motor(rotor_inertia=ROTOR), spring=spring)})


def test_rotor_and_link_knock_at_each_other():
    """Through the play in b/v, in contact half a period of k and 1/(1/I + 1/B): on either side of the play."""
    arm, v = one_joint(Spring(K, backlash=PLAY)), 0.5
    link = float(arm.without_springs().mass_matrix(np.zeros(1))[0, 0]) - ROTOR
    w = np.sqrt(K * (1.0 / link + 1.0 / ROTOR))
    quarter = PLAY / 2 / v + np.pi / 2 / w
    drift = ROTOR * v / (link + ROTOR)  # of the common centre
    times = quarter * np.arange(9)
    moves = armdyn.simulate(
        arm, [0.0], [0.0], elements=[Start(thetad=[v])], duration=float(times[-1]), save=SaveAt(times=times)
    )
    x = (moves.signals["theta"] - moves.q)[:, 0]
    most = PLAY / 2 + v / w
    np.testing.assert_allclose(x, most * np.array([0, 1, 0, -1, 0, 1, 0, -1, 0]), atol=1e-9)
    xd = (moves.signals["thetad"] - moves.qd)[:, 0]
    np.testing.assert_allclose(xd, v * np.array([1, 0, -1, 0, 1, 0, -1, 0, 1]), atol=1e-8)
    centre = (link * moves.q[:, 0] + ROTOR * moves.signals["theta"][:, 0]) / (link + ROTOR)
    np.testing.assert_allclose(centre, drift * times, atol=1e-9)
    assert abs(moves.energy.relative_drift).max() < 1e-8
    assert [event.kind for event in moves.events] == ["contact", "release"] * 4
    knocks = PLAY / 2 / v + np.array([[0.0, np.pi / w]]) + np.arange(4)[:, None] * 2.0 * quarter
    np.testing.assert_allclose([event.t for event in moves.events], knocks.ravel(), rtol=1e-9)
    first = moves.events[0]
    assert (first.name, first.index, first.q.tolist()) == ("joint_1", (), [0.0])


@pytest.mark.slow
def test_damped_contacts_only_push_and_take_energy():
    spring = Spring(K, damping=4.0, backlash=PLAY)
    x, xd = np.random.default_rng(5).normal(0.0, (0.02, 1.0), (1000, 2)).T
    force = np.array([float(spring.force(*state)) for state in zip(x, xd, strict=True)])
    within = abs(x) <= PLAY / 2
    assert 100 < within.sum() < 900
    assert (force[within] == 0.0).all()
    assert (force * x >= 0.0).all()
    touches = ~within & (force != 0.0)
    e = x - np.sign(x) * PLAY / 2
    np.testing.assert_allclose(force[touches], (K * e + 4.0 * xd)[touches], rtol=1e-14)
    lost = np.array([float(spring.lost_power(*state)) for state in zip(x, xd, strict=True)])
    assert (lost >= 0.0).all()
    arm = one_joint(spring)
    moves = armdyn.simulate(arm, [0.0], [0.0], elements=[Start(thetad=[0.5])], duration=3.0, method=FINE)
    total = moves.energy.kinetic + moves.energy.potential
    assert total[-1] < 0.9 * total[0]
    assert abs(moves.energy.relative_drift).max() < 1e-7
    for event in moves.events:
        at = armdyn.simulate(arm, [0.0], [0.0], elements=[Start(thetad=[0.5])], duration=event.t, method=FINE)
        x, xd = (at.signals["theta"] - at.q)[-1, 0], (at.signals["thetad"] - at.qd)[-1, 0]
        pressed = (abs(x) - PLAY / 2) * np.sign(x)
        reached = pressed if event.kind == "contact" else K * pressed + 4.0 * xd  # contacts end where they would pull
        assert reached == pytest.approx(0.0, abs=1e-8)
    assert [event.kind for event in moves.events[:3]] == ["contact", "release", "contact"]


def test_forward_dynamics_undoes_inverse_dynamics():
    bare = armdyn.load("ur5")
    springs = {
        name: spring and Spring(spring.stiffness, cubic=spring.cubic, backlash=0.01 * (k + 1))
        for k, (name, spring) in enumerate(springs_for(bare, 12).items())
    }
    robot, tight = flexible(bare, springs), flexible(bare, springs_for(bare, 12))
    motion = 0.7 * np.random.default_rng(13).normal(size=(5, 8, 6))
    found, without = robot.flexible_inverse_dynamics(*motion), tight.flexible_inverse_dynamics(*motion)
    links, rotors = robot.flexible_forward_dynamics(*motion[:2], found.theta, found.thetad, found.tau)
    assert_close(links, motion[2], 1e-9)
    assert_close(rotors, found.thetadd, 1e-9)
    shift = found.theta - without.theta
    for k, spring in enumerate(springs.values()):
        expected = 0.0 if spring is None else spring.backlash / 2
        np.testing.assert_allclose(abs(shift[:, k]), expected, atol=1e-14)
    for name in ("thetad", "thetadd", "tau"):
        assert_close(getattr(found, name), getattr(without, name), 1e-12)


def test_energy_deflection_and_input():
    spring = Spring(700.0, cubic=9e4, backlash=0.03)
    x = np.linspace(-0.1, 0.1, 41)
    energy = np.array([spring.energy(one) for one in x])
    tight, e = spring.tight, np.sign(x) * np.maximum(abs(x) - 0.015, 0.0)
    assert tight == Spring(700.0, cubic=9e4)
    np.testing.assert_allclose(energy, [tight.energy(one) for one in e], rtol=1e-13, atol=1e-300)
    force = np.array([-40.0, -1e-9, 0.0, 1e-9, 40.0])
    bent = spring.deflection(force)
    np.testing.assert_allclose(spring.elastic_force(bent[[0, 4]]), force[[0, 4]], rtol=1e-13)
    assert bent[2] == 0.0
    assert bent[3] == pytest.approx(0.015, rel=1e-9)
    arm = one_joint(Spring(700.0))
    compiled = arm.compile(armdyn.actuators.flexible_forward_dynamics, parameters=["joint_1.spring.backlash"])
    state = [0.1], [0.2], [0.17], [0.3], [1.0]
    found = compiled(*state, joint_1_spring_backlash=0.03)
    expected = one_joint(Spring(700.0, backlash=0.03)).flexible_forward_dynamics(*state)
    np.testing.assert_allclose(np.ravel(found), np.ravel(expected), rtol=1e-13)


def test_errors():
    with pytest.raises(ModelError, match=r"backlash of Spring is -0\.1"):
        Spring(10.0, backlash=-0.1)
    with pytest.raises(Unsupported, match="damped and has backlash"):
        one_joint(Spring(10.0, damping=1.0, backlash=0.1)).flexible_inverse_dynamics(*np.zeros((6, 1)))


def test_knocks_of_a_batch_and_its_files(tmp_path):
    arm = one_joint(Spring(K, backlash=PLAY))
    moves = armdyn.simulate(arm, np.zeros((2, 1)), elements=[Start(thetad=[[0.5], [-0.25]])], duration=0.1)
    assert [(event.index, round(event.t, 9)) for event in moves.events] == [((0,), 0.02), ((1,), 0.04)]
    moves.save(tmp_path / "knocks.npz")
    back = armdyn.simulation.Trajectory.load(tmp_path / "knocks.npz")
    assert [event.kind for event in back.events] == ["contact", "contact"]


def test_two_plays_knock_each_at_its_own_times():
    plays = {"joint_1": 0.02, "joint_2": 0.03}
    drives = {
        name: Actuator(Motor(rotor_inertia=ROTOR), spring=Spring(K, cubic=1e5, backlash=play))
        for name, play in plays.items()
    }
    arm = armdyn.load("planar_2r").with_actuators(drives)
    moves = armdyn.simulate(arm, [0.2, -0.5], elements=[Start(thetad=[0.5, -0.7])], duration=0.3)
    assert {event.name for event in moves.events} == set(plays)
    for event in moves.events:
        end = armdyn.simulate(arm, [0.2, -0.5], elements=[Start(thetad=[0.5, -0.7])], duration=event.t)
        k = arm.joint_names.index(event.name)
        assert abs(end.signals["theta"] - end.q)[-1, k] == pytest.approx(plays[event.name] / 2.0, abs=1e-10)
