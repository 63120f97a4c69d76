"""Brakes that switch during a motion: closed forms, rest to the last digit, conditions, errors."""

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Brake, Coulomb, Gear, Motor, Viscous
from armdyn.simulation import BrakeSwitches, Crossing, SaveAt, SettingError, named_method

G, BRAKE = 50.0, 0.02
"""Of the gear; N m at the motor's shaft, 1 N m at the joint."""


def pendulum(state="released", *, gravity=0.0, friction=()):
    """One joint that turns two links, and the rotor."""
    arm = armdyn.load("planar_2r").with_gravity((0.0, -gravity, 0.0)).with_locked({"joint_2": 0.0})
    rotor = Motor(rotor_inertia=0.2 / G**2)
    return arm.with_actuators({"joint_1": Actuator(rotor, Gear(G), friction, brake=Brake(BRAKE, state))})


def inertia(arm):
    return float(arm.mass_matrix(np.zeros(1))[0, 0])


def of(events, kind):
    return [event.t for event in events if event.kind == kind]


METHODS = pytest.mark.parametrize("method", ["adaptive", "rk4"])


@pytest.mark.short_run("adaptive")
@METHODS
def test_a_brake_stops_a_joint_and_lets_it_go(method):
    """It slows by G T/I, stands until the brake opens, and a constant force then accelerates it."""
    arm, w, tau = pendulum(), 1.0, 0.3
    M, t_on, t_off = inertia(arm), 0.3337, 15.0
    switches = {"joint_1": [(t_on, "engaged"), (t_off, "released")]}
    step = None if method == "adaptive" else 0.02
    moves = armdyn.simulate(
        arm,
        [0.1],
        [w],
        duration=20.0,
        torque=[tau],
        method=named_method(method, step=step),
        save=SaveAt(every=0.5),
        elements=[BrakeSwitches(switches)],
    )
    assert of(moves.events, "engaged") == [t_on]
    assert of(moves.events, "released") == [t_off]
    at_brake = w + tau / M * t_on
    slowing = (G * BRAKE - tau) / M
    [rest] = of(moves.events, "stick")
    assert rest == pytest.approx(t_on + at_brake / slowing, rel=1e-12)
    place = 0.1 + w * t_on + tau / M * t_on**2 / 2 + at_brake**2 / (2 * slowing)
    after = np.maximum(moves.t - t_off, 0.0)
    stands = (moves.t > rest) & (moves.t < t_off)
    assert np.ptp(moves.q[stands]) == 0.0
    expected = place + tau / M * after**2 / 2
    np.testing.assert_allclose(moves.q[moves.t > rest, 0], expected[moves.t > rest], rtol=1e-10)
    np.testing.assert_allclose(moves.signals["friction"][moves.t > t_off], 0.0, atol=0.0)
    np.testing.assert_allclose(moves.signals["friction"][stands], tau, rtol=1e-12)
    assert abs(moves.energy.relative_drift).max() < 1e-9


@METHODS
def test_a_brake_that_slips_under_a_force_beyond_it(method):
    arm = pendulum("engaged", friction=Coulomb(0.5))
    M, tau = inertia(arm), 2.0
    moves = armdyn.simulate(
        arm,
        [0.0],
        duration=2.0,
        torque=[tau],
        method=named_method(method, step=None if method == "adaptive" else 0.01),
        elements=[BrakeSwitches({"joint_1": [(1.0, "released")]})],
    )
    first, second = (tau - 0.5 - G * BRAKE) / M, (tau - 0.5) / M
    assert moves.q[-1, 0] == pytest.approx(first / 2 + first + second / 2, rel=1e-9)


def test_held_against_gravity_then_falls():
    arm = pendulum("engaged", gravity=0.3)
    held = armdyn.simulate(
        arm, [0.2], duration=3.0, elements=[BrakeSwitches({"joint_1": [(2.0, "released")]})], save=SaveAt(every=0.25)
    )
    free = armdyn.simulate(pendulum(gravity=0.3), [0.2], duration=1.0, save=SaveAt(every=0.25))
    assert (held.q[held.t <= 2.0] == 0.2).all()
    np.testing.assert_allclose(held.q[held.t >= 2.0], free.q, rtol=1e-9)


@pytest.mark.short_run("adaptive")
@METHODS
def test_a_condition_engages_it(method):
    """An overspeed brake: at 1 rad/s, then held until a time."""
    arm, tau = pendulum(), 0.5
    M = inertia(arm)
    fast = Crossing(lambda t, q, qd: qd[0] - 1.0, "overspeed", direction=1)
    switches = {"joint_1": [(fast, "engaged"), (30.0, "released")]}
    step = None if method == "adaptive" else 0.05
    moves = armdyn.simulate(
        arm,
        [0.0],
        duration=40.0,
        torque=[tau],
        method=named_method(method, step=step),
        elements=[BrakeSwitches(switches)],
    )
    reached = M / tau
    [engaged] = of(moves.events, "engaged")
    assert engaged == pytest.approx(reached, rel=1e-12)
    assert of(moves.events, "stick")[0] == pytest.approx(reached + M / (G * BRAKE - tau), rel=1e-10)
    assert moves.q[-1, 0] == pytest.approx(M / (2 * tau) + M / (2 * (G * BRAKE - tau)) + tau / M * 100.0 / 2, rel=1e-9)


@pytest.mark.short_run("here-adaptive", "here-rk4", "elsewhere-rk4")
@METHODS
@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "elsewhere"])
def test_viscous_friction_counts_while_no_joint_can_stick(method, elsewhere):
    """d qd of every joint in the signal, whichever joint it is in, before the brake engages and after it."""
    d, after = 0.4, 0.2
    drives = {"joint_1": Actuator(friction=Viscous(d))} if elsewhere else {}
    rubs = () if elsewhere else Viscous(d)
    arm = armdyn.load("planar_2r").with_actuators(
        {**drives, "joint_2": Actuator(gear=Gear(G), friction=rubs, brake=Brake(BRAKE))}
    )
    step = None if method == "adaptive" else 1e-2
    motion = armdyn.simulate(
        arm,
        [0.1, 0.2],
        [0.5, 0.8],
        duration=0.4,
        method=named_method(method, step=step),
        save=SaveAt(every=0.1),
        elements=[BrakeSwitches({"joint_2": [(after + 0.05, "engaged")]})],
    )
    rubbing = 0 if elsewhere else 1
    before = motion.t <= after
    wanted = np.zeros_like(motion.qd)
    wanted[:, rubbing] = d * motion.qd[:, rubbing]
    assert before.sum() == 3
    assert np.abs(wanted[before]).max() > 0.1
    np.testing.assert_allclose(motion.signals["friction"][before], wanted[before], rtol=1e-12, atol=1e-14)
    if elsewhere:
        np.testing.assert_allclose(motion.signals["friction"][:, 0], wanted[:, 0], rtol=1e-12, atol=1e-14)
    loads = arm.inverse_dynamics(motion.q, motion.qd, motion.qdd)[before]  # what no force drives
    np.testing.assert_allclose(loads, 0.0, rtol=0, atol=1e-10)


@pytest.mark.slow
def test_one_brake_of_an_arm_in_a_batch():
    """The other joints go on: as the arm with the joint locked, from the state at which it stands."""
    arm = armdyn.load("planar_2r")
    braked = arm.with_actuators({"joint_2": Actuator(gear=Gear(1.0), brake=Brake(1e3))})
    q0 = np.array([[0.1, 0.7], [-0.4, 1.1]])
    moves = armdyn.simulate(braked, q0, duration=1.0, elements=[BrakeSwitches({"joint_2": [(0.4, "engaged")]})])
    begin = armdyn.simulate(arm, q0, duration=0.4)
    for k in range(2):
        rests = of([event for event in moves.events if event.index == (k,)], "stick")
        assert len(rests) == 1
        assert 0.4 < rests[0] < 0.45
        late = moves.t > rests[0]
        assert np.ptp(moves.q[late, k, 1]) == 0.0
        at = int(np.argmax(late))
        locked = arm.with_locked({"joint_2": float(moves.q[at, k, 1])})
        goes_on = armdyn.simulate(
            locked,
            moves.q[at, k, :1],
            moves.qd[at, k, :1],
            duration=float(1.0 - moves.t[at]),
            save=SaveAt(times=moves.t[at:] - moves.t[at]),
        )
        np.testing.assert_allclose(moves.q[at:, k, 0], goes_on.q[:, 0], atol=1e-8)
        np.testing.assert_allclose(moves.q[moves.t <= 0.4][-1, k], begin.q[-1, k], atol=1e-8)


def test_what_was_said_of_the_joint_later_stays():
    arm = pendulum().with_friction({"joint_1": (0.4, 0.0)})
    moves = armdyn.simulate(arm, [0.0], [1.0], duration=2.0, elements=[BrakeSwitches({"joint_1": [(1.0, "released")]})])
    assert moves.qd[-1, 0] == pytest.approx(np.exp(-0.4 / inertia(arm) * 2.0), rel=1e-8)


@pytest.mark.parametrize(
    ("brakes", "error", "says"),
    [
        ([(0.1, "engaged")], SettingError, "expected a mapping from joints"),
        ({"joint_9": []}, armdyn.UnknownName, "no joint 'joint_9'"),
        ({"joint_1": (0.1, "engaged")}, SettingError, "expected pairs of a time or event and a state"),
        ({"joint_1": [(0.1, "locked")]}, armdyn.ArmdynError, "locked"),
        ({"joint_1": [(-0.1, "engaged")]}, SettingError, "time of the brake of joint 'joint_1' is -0.1"),
        ({"joint_1": [(9.0, "engaged")]}, SettingError, "behind the end of the motion at 1 s"),
        ({"joint_1": [(Crossing(lambda t, q, qd: t, terminal=True), "engaged")]}, SettingError, "is terminal"),
    ],
)
def test_errors(brakes, error, says):
    with pytest.raises(error, match=says):
        armdyn.simulate(pendulum(), [0.0], duration=1.0, elements=[BrakeSwitches(brakes)])


def test_joints_that_cannot_be_held():
    with pytest.raises(SettingError, match="which has no brake; give it one"):
        armdyn.simulate(
            armdyn.load("planar_2r"), [0, 0], duration=1.0, elements=[BrakeSwitches({"joint_1": [(0.1, "engaged")]})]
        )
    lossy = Actuator(gear=Gear(2.0, efficiency=0.8), brake=Brake(1.0))
    arm = armdyn.load("planar_3r").with_mimic({"joint_3": ("joint_1", 1.0)}).with_actuators({"joint_1": lossy})
    with pytest.raises(SettingError, match="depends on the load of gears whose joints are coupled"):
        armdyn.simulate(arm, [0, 0], duration=1.0, elements=[BrakeSwitches({"joint_1": [(0.1, "engaged")]})])
    with pytest.raises(SettingError, match="Variational"):
        armdyn.simulate(
            pendulum(),
            [0],
            duration=1.0,
            method="variational",
            elements=[BrakeSwitches({"joint_1": [(0.1, "engaged")]})],
        )
