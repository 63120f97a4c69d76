"""Events: found at the times that closed forms say, once each, and as the end of a simulation."""

import dataclasses

import numpy as np
import pytest

import armdyn
from armdyn.constraints import PointOnPlane
from armdyn.simulation import (
    Adaptive,
    Contact,
    Crossing,
    JointLimit,
    OverTime,
    Plane,
    RungeKutta4,
    SaveAt,
    SettingError,
    SimulationError,
    Stops,
)
from simulation.arms import PLANAR, G, near, slide, times

THROWN = slide((0, 0, 1), (-5.0, 1.5))
STEPS = ["adaptive", Adaptive(scipy_method="RK45"), RungeKutta4(step=0.01), "heun"]


def passes(height, v):
    """Up and down through a height, thrown at v from 0."""
    root = np.sqrt(v * v - 2 * G * height)
    return (v - root) / G, (v + root) / G


@pytest.mark.short_run("rk4", "DOP853", "RK45")
@pytest.mark.parametrize("method", STEPS, ids=["DOP853", "RK45", "rk4", "heun"])
def test_times_of_a_throw(method):
    v, given = 6.0, {"duration": 1.1, "save": SaveAt(every=0.1), "method": method}
    events = [
        Plane("mass", (0, 0, 2), (0, 0, 1.0), name="plane"),
        Plane("mass", (0, 0, 1), (0, 0, 1.2), direction=-1, name="down"),
        Crossing(lambda t, q, qd: qd[0], "apex"),
        JointLimit("x"),
    ]
    motion = armdyn.simulate(THROWN, [0.0], [v], events=events, **given)
    (up, down), limit, apex, fallen = passes(1.0, v), passes(1.5, v)[0], v / G, passes(1.2, v)[1]
    assert [one.name for one in motion.events] == ["plane", "x upper limit", "apex", "down", "plane"]
    near([one.t for one in motion.events], [up, limit, apex, fallen, down], 1e-12)
    for one in motion.events:
        near([*one.q, *one.qd], [v * one.t - G / 2 * one.t**2, v - G * one.t], 1e-12)
        assert one.kind == "crossing"
    near(motion.q, armdyn.simulate(THROWN, [0.0], [v], **given).q, 1e-12)  # events change nothing
    np.testing.assert_allclose(motion.qdd, -G)


@pytest.mark.short_run("rk4", "DOP853", "RK45")
@pytest.mark.parametrize("method", STEPS, ids=["DOP853", "RK45", "rk4", "heun"])
def test_terminal_event_ends_the_motion(method):
    floor = Plane("mass", (0, 0, 1), terminal=True, name="floor")
    motion = armdyn.simulate(THROWN, [1.0], duration=5.0, events=[floor], save=SaveAt(every=0.1), method=method)
    near([motion.t[-1], motion.q[-1, 0]], [np.sqrt(2 / G), 0.0], 1e-12)
    assert len(motion.t) == 6
    assert motion.events[-1].name == "floor"
    assert abs(motion.energy.drift).max() < 1e-11


@pytest.mark.parametrize(
    ("robot", "q0", "event", "error", "message"),
    [
        (THROWN, [0.0], Crossing(lambda t, q, qd: 0.0, direction=2), SettingError, "direction is 2"),
        (THROWN, [0.0], Crossing(3.0), SettingError, "not a function of"),
        (
            THROWN,
            [0.0],
            Crossing(lambda t, q, qd: "up"),
            SimulationError,
            r"'crossing' returned 'up' at t = 0 s; expected",
        ),
        (
            THROWN,
            [0.0],
            Crossing(lambda t, q, qd: q, "z"),
            SimulationError,
            r"'z' returned array\(.* expected one finite",
        ),
        (THROWN, [0.0], Crossing(lambda t, q, qd: q[0] > 0, "z"), SimulationError, "'z' returned .* one finite number"),
        (THROWN, [0.0], Crossing(lambda t, q, qd: None, "z"), SimulationError, "'z' returned None at t = 0 s"),
        (THROWN, [0.0], Crossing(lambda q: q[0], "z"), SettingError, r"'z' cannot be called as function\(t, q, qd\)"),
        (THROWN, [0.0], JointLimit, SettingError, r"events has the class JointLimit; expected an object, JointLimit\("),
        (slide(), [0.0], JointLimit(), SettingError, "JointLimit: no joint has limits in 'links'"),
        (
            PLANAR,
            [0.0, 0.0],
            JointLimit("joint_2"),
            SettingError,
            "joint 'joint_2' has no limits in 'planar_2r'; with_limits",
        ),
        (THROWN, [[0.0], [1.0]], JointLimit(terminal=True), SettingError, "terminal event ends the simulation, of a"),
        (THROWN, [0.0], Plane("elbow", (0, 0, 1)), armdyn.UnknownName, "elbow"),
    ],
)
def test_refused(robot, q0, event, error, message):
    with pytest.raises(error, match=message):
        armdyn.simulate(robot, q0, duration=1.0, events=[event])


def test_an_error_of_a_function_names_its_event():
    with pytest.raises(IndexError) as error:
        armdyn.simulate(THROWN, [0.0], duration=1.0, events=[Crossing(lambda t, q, qd: q[3], "z")])
    assert "the function of Crossing 'z' at t = 0 s" in error.value.__notes__[0]


def test_parts_of_a_motion_have_their_events():
    given = {"duration": 1.1, "events": [JointLimit()], "save": SaveAt(every=0.1)}
    motion = armdyn.simulate(THROWN, [[0.0], [0.1]], [6.0], **given)
    first, second = motion.events
    assert first.index == (1,)  # it starts higher
    assert [one.t for one in motion.pick(0).events] == [second.t]
    assert motion.pick(-1).events[0].index == ()
    assert motion.between(0.5, 1.0).events == ()
    assert motion.between(0.0, 0.5).events == motion.events


# What something holds arrives once.


@pytest.mark.short_run("rough")
@pytest.mark.parametrize("method", ["adaptive", "rk4", Adaptive(1e-4, 1e-5)], ids=["adaptive", "rk4", "rough"])
def test_where_something_holds_a_point_it_arrives_once(method):
    """On the floor, on which it comes to rest, and on what constrains it: rounding is no crossing."""
    floor = Contact(PointOnPlane("tip", (0, 1, 0), (0, 0.4, 0), name="floor"))
    watched = Plane("tip", (0, 1, 0), (0, 0.4, 0), name="arrives")

    def fallen(**changes):
        given = {"duration": 1.5, "torque": lambda t, q, qd: -4 * qd, "elements": [floor], "method": method}
        events = [dataclasses.replace(watched, **changes)]
        return armdyn.simulate(armdyn.load("planar_3r"), [0.9, -0.5, -0.3], events=events, **given)

    motion = fallen()
    (arrives,) = times(motion, name="arrives")
    if isinstance(method, Adaptive):  # within a step what holds the point is off by the error of the integrator
        return
    near(arrives, times(motion, name="floor")[0], 1e-12)
    near(fallen(terminal=True).t[-1], arrives, 1e-12)
    assert [one.kind for one in fallen(direction=1).events] == ["impact", "rest"]

    runner = PLANAR.with_constraints(PointOnPlane("tip", (1, 0, 0), (1, 0, 0)))
    across = [Plane("tip", (1, 0, 0), (1, 0, 0), name="held"), Plane("tip", (0, 1, 0), (0, -1, 0), name="free")]
    motion = armdyn.simulate(runner, [-np.pi / 3, 2 * np.pi / 3], duration=3.0, events=across, method=method)
    assert {one.name for one in motion.events} == {"free"}


@pytest.mark.parametrize("method", ["adaptive", "rk4"])
def test_a_mass_that_bounces_arrives_each_time(method):
    """At the times of a closed form, while it leaves the floor by more than a micrometre."""
    v, e = 3.0, 0.4
    floor = Contact(PointOnPlane("mass", (0, 0, 1), (0, 0, -0.2), name="floor"), restitution=e)
    given = {"elements": [floor], "events": [Plane("mass", (0, 0, 1), (0, 0, -0.2), name="level")], "method": method}
    arrivals = times(armdyn.simulate(THROWN, [0.0], [v], duration=1.4, **given), name="level")
    speed = np.sqrt(v * v + 2 * G * 0.2)
    expected = (v + speed) / G + 2 * speed / G * np.cumsum(np.concatenate([[0.0], e ** np.arange(1, 30)]))
    high = int(np.sum((e ** np.arange(1, 30) * speed) ** 2 / (2 * G) > 4e-6))
    assert high <= len(arrivals) <= high + 3
    near(arrivals, expected[: len(arrivals)], 1e-9)


def test_a_limit_whose_stop_is_pushed_arrives_once():
    """Also where the joint leaves the stop, and comes back."""
    there_and_back = OverTime([0.0, 1.0, 1.5, 3.0], [[9.0], [9.0], [-9.0], [60.0]], "linear")
    given = {"torque": there_and_back, "elements": [Stops()], "events": [JointLimit("x")]}
    motion = armdyn.simulate(slide(limits=(-1.0, 0.3)), [0.0], duration=3.0, method=RungeKutta4(step=1e-2), **given)
    assert [one.name for one in motion.events if one.kind == "crossing"] == ["x upper limit"] * 2


@pytest.mark.short_run("adaptive")
@pytest.mark.parametrize("method", ["adaptive", "rk4"])
def test_a_function_that_is_zero_where_a_contact_is_hit_ends_the_motion_there(method):
    """Rounding may put its zero after the hit; two that end the motion at one time are both noted."""
    floor = Contact(PointOnPlane("mass", (0, 0, 1), (0, 0, -0.2), name="floor"))
    ends = [Crossing(lambda t, q, qd: q[0] + 0.2, name=name, terminal=True) for name in ("one", "other")]
    given = {"method": method, "elements": [floor], "events": ends, "save": SaveAt(every=0.5)}
    for v in np.linspace(0.5, 3.0, 8):
        motion = armdyn.simulate(THROWN, [0.0], [v], duration=1.0, **given)
        near(motion.t[-1], (v + np.sqrt(v * v + 2 * G * 0.2)) / G, 1e-9)
        assert {one.name for one in motion.events} == {"one", "other"}
