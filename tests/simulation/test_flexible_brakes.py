"""Brakes that switch at flexible joints, where they hold the rotor, against closed forms."""

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Brake, Gear, Motor, Spring
from armdyn.simulation import Adaptive, BrakeSwitches, Crossing, RungeKutta4, SaveAt, Start
from oracles.two_masses import TwoMasses

ROTOR, K, G = 0.4, 30.0, 20.0
T = 2.0
"""N m at the joint."""

HINGE = armdyn.load("planar_2r").with_gravity((0, 0, 0)).with_locked({"joint_2": 0.0})
LINK = float(HINGE.mass_matrix([0.0])[0, 0])
FINE = Adaptive(rtol=1e-11, atol=1e-12)
START = (0.1, 1.5, 0.13, 0.4)


def hinge(state="released"):
    drive = Actuator(Motor(ROTOR / G**2), Gear(G), spring=Spring(K), brake=Brake(T / G, state))
    return HINGE.with_actuators({"joint_1": drive})


def simulated(robot, state, elements=(), **settings):
    q, qd, theta, thetad = ([one] for one in state)
    return armdyn.simulate(robot, q, qd, elements=[Start(theta=theta, thetad=thetad), *elements], **settings)


def in_turn(parts, state):
    """Closed forms one after the other: events (time, kind), and the state over time.

    Args:
        parts: the masses, and how long they move so, s.
        state: (q, qd, theta, thetad) at the begin.
    """
    events, pieces, begin = [], [], 0.0
    for masses, duration in parts:
        own, at = masses.motion(state, duration)
        events += [(begin + t, kind) for t, kind in own if masses.kinetic > 0.0]
        pieces.append((begin, at))
        state, begin = at(duration), begin + duration

    def whole(t):
        first, at = [one for one in pieces if one[0] <= t][-1]
        return at(t - first)

    return events, whole


@pytest.mark.short_run("adaptive")
@pytest.mark.parametrize(
    ("method", "error"),
    [(FINE, 1e-9), (RungeKutta4(step=4e-3), 5e-7)],
    ids=["adaptive", "rk4"],
)
def test_a_rotor_that_a_brake_stops_holds_and_lets_slip(method, error):
    """Free, then braked: it sticks twice, is pulled away by its spring at k x = T, and is free again."""
    free, braked = (TwoMasses(LINK, ROTOR, K, static=size, kinetic=size) for size in (0.0, T))
    expected, at = in_turn([(free, 0.73), (braked, 1.8), (free, 0.47)], START)
    switches = {"joint_1": [(0.73, "engaged"), (2.53, "released")]}
    motion = simulated(
        hinge(), START, duration=3.0, method=method, save=SaveAt(every=0.02), elements=[BrakeSwitches(switches)]
    )
    own = [(one.t, one.kind) for one in motion.events if one.name == "joint_1 rotor"]
    assert [kind for _, kind in own] == [kind for _, kind in expected]
    assert [kind for _, kind in own] == ["stick", "slip"] * 2
    np.testing.assert_allclose([t for t, _ in own], [t for t, _ in expected], rtol=0, atol=error)
    states = np.stack([motion.q, motion.qd, motion.signals["theta"], motion.signals["thetad"]], axis=-1)[:, 0]
    np.testing.assert_allclose(states, [at(t) for t in motion.t], rtol=0, atol=error)
    assert [(one.name, one.kind, one.t) for one in motion.events if one.name == "joint_1"] == [
        ("joint_1", "engaged", 0.73),
        ("joint_1", "released", 2.53),
    ]
    assert abs(motion.energy.relative_drift).max() < 1e-7


def test_brakes_of_rotor_and_rigid_joint_hold_until_a_condition_opens_one():
    """The arm swings on its spring as one body, w = sqrt(k/I), about a rotor that does not move in any digit."""
    drives = {
        "joint_1": Actuator(Motor(ROTOR), spring=Spring(K), brake=Brake(T, "engaged")),
        "joint_2": Actuator(brake=Brake(50.0, "engaged")),
    }
    arm = armdyn.load("planar_2r").with_gravity((0, 0, 0)).with_actuators(drives)
    x, w = 0.03, np.sqrt(K / LINK)
    back = Crossing(lambda t, q, qd: q[0] - 0.3, "back", direction=1)
    switches = {"joint_2": [(back, "released")]}
    elements = [BrakeSwitches(switches), Start(theta=[0.3, 0.0])]
    motion = armdyn.simulate(arm, [0.3 + x, 0.0], duration=2.2, method=FINE, elements=elements, save=SaveAt(every=0.02))
    opened = 1.5 * np.pi / w  # the second passage, upwards
    assert [(one.name, one.kind) for one in motion.events][:1] == [("joint_2", "released")]
    assert abs(motion.events[0].t - opened) < 1e-9
    before = motion.t < opened
    np.testing.assert_allclose(motion.q[before, 0], 0.3 + x * np.cos(w * motion.t[before]), rtol=0, atol=1e-9)
    assert (motion.signals["theta"][:, 0] == 0.3).all()
    assert (motion.q[before, 1] == 0.0).all()
    assert abs(motion.q[-1, 1]) > 1e-3


def test_what_touches_across_a_play_touches_behind_a_switch():
    """As in the motion of an arm whose brake is engaged from the first."""
    arms = [
        HINGE.with_actuators({"joint_1": Actuator(Motor(ROTOR), spring=Spring(K, backlash=0.2), brake=Brake(T, state))})
        for state in ("released", "engaged")
    ]
    settings = {"duration": 0.4, "save": SaveAt(every=0.02)}
    switched = simulated(
        arms[0], (0.0, 1.0, 0.11, 1.2), elements=[BrakeSwitches({"joint_1": [(0.0, "engaged")]})], **settings
    )
    engaged = simulated(arms[1], (0.0, 1.0, 0.11, 1.2), **settings)
    assert [one.kind for one in switched.events] == ["engaged", *(one.kind for one in engaged.events)]
    np.testing.assert_allclose(switched.q, engaged.q, rtol=0, atol=1e-12)
