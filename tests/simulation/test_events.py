"""Events: found at the times that closed forms say, in files, and as the end of a simulation."""

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
    Trajectory,
)

g = 9.81
METHODS = [{}, {"method": Adaptive(scipy_method="RK45")}, {"method": RungeKutta4(step=0.01)}, {"method": "heun"}]


def thrown(limits=(-5.0, 1.5)):
    """A mass on a vertical slide."""
    body = armdyn.Inertia(2.0, [0, 0, 0], 0.1 * np.eye(3))
    part = armdyn.Part("mass", "base", "prismatic", axis=(0, 0, 1), inertia=body, joint="z")
    return armdyn.Robot.from_links([part], gravity=(0, 0, -g), tip="mass").with_limits({"z": limits})


def passes(height, v):
    """Up and down through a height, thrown at v from 0."""
    root = np.sqrt(v * v - 2 * g * height)
    return (v - root) / g, (v + root) / g


@pytest.mark.short_run("rk4", "DOP853", "RK45")
@pytest.mark.parametrize("method", METHODS, ids=["DOP853", "RK45", "rk4", "heun"])
def test_times_of_a_throw(method):
    v = 6.0
    events = [
        Plane("mass", (0, 0, 2), (0, 0, 1.0), name="plane"),
        Plane("mass", (0, 0, 1), (0, 0, 1.2), direction=-1, name="down"),
        Crossing(lambda t, q, qd: qd[0], "apex"),
        JointLimit("z"),
    ]
    motion = armdyn.simulate(thrown(), [0.0], [v], duration=1.1, events=events, save=SaveAt(every=0.1), **method)
    up, down = passes(1.0, v)
    expected = sorted(
        [
            ("plane", up),
            ("plane", down),
            ("down", passes(1.2, v)[1]),
            ("apex", v / g),
            ("z upper limit", passes(1.5, v)[0]),
        ],
        key=lambda one: one[1],
    )
    assert [one.name for one in motion.events] == [name for name, _ in expected]
    np.testing.assert_allclose([one.t for one in motion.events], [t for _, t in expected], rtol=0, atol=1e-12)
    for one in motion.events:
        np.testing.assert_allclose(one.q, [v * one.t - g / 2 * one.t**2], rtol=0, atol=1e-12)
        np.testing.assert_allclose(one.qd, [v - g * one.t], rtol=0, atol=1e-12)
        assert one.kind == "crossing"
    alone = armdyn.simulate(thrown(), [0.0], [v], duration=1.1, save=SaveAt(every=0.1), **method)
    np.testing.assert_allclose(motion.q, alone.q, rtol=0, atol=1e-12)  # events change nothing
    np.testing.assert_allclose(motion.qdd, -g)


@pytest.mark.short_run("rk4", "DOP853", "RK45")
@pytest.mark.parametrize("method", METHODS, ids=["DOP853", "RK45", "rk4", "heun"])
def test_terminal_event_ends_the_motion(method):
    floor = Plane("mass", (0, 0, 1), terminal=True, name="floor")
    motion = armdyn.simulate(thrown(), [1.0], duration=5.0, events=[floor], save=SaveAt(every=0.1), **method)
    assert abs(motion.t[-1] - np.sqrt(2 / g)) < 1e-12
    assert abs(motion.q[-1]).max() < 1e-12
    assert len(motion.t) == 6
    assert motion.events[-1].name == "floor"
    assert abs(motion.energy.drift).max() < 1e-11


def test_a_pendulum_passes_zero_as_often_as_it_should():
    """Of an undamped pendulum, two times a period 4 K(sin(a / 2)) sqrt(I / (m g l))."""
    from scipy.special import ellipk

    bob = armdyn.Inertia(1.0, [0, -0.5, 0], np.diag([0.02, 1e-3, 0.02]))
    part = armdyn.Part("rod", "base", "revolute", axis=(0, 0, 1), inertia=bob)
    robot = armdyn.Robot.from_links([part], gravity=(0, -g, 0), tip="rod")
    motion = armdyn.simulate(robot, [1.2], duration=10.0, events=[Crossing(lambda t, q, qd: q[0])])
    period = 4 * ellipk(np.sin(0.6) ** 2) * np.sqrt((0.02 + 0.25) / (0.5 * g))
    times = [one.t for one in motion.events]
    np.testing.assert_allclose(times, period * (0.25 + 0.5 * np.arange(len(times))), rtol=0, atol=1e-8)
    assert len(times) == int((10.0 / period - 0.25) * 2) + 1


def test_files_keep_events(tmp_path):
    motion = armdyn.simulate(thrown(), [[0.0], [0.1]], [6.0], duration=1.1, events=[JointLimit()])
    endings = ["npz"]
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        pass
    else:
        endings.append("parquet")
    for ending in endings:
        motion.save(tmp_path / f"motion.{ending}")
        back = Trajectory.load(tmp_path / f"motion.{ending}")
        assert len(back.events) == len(motion.events) == 2
        for one, other in zip(back.events, motion.events, strict=True):
            assert (one.t, one.name, one.kind, one.index) == (other.t, other.name, other.kind, other.index)
            np.testing.assert_array_equal([*one.q, *one.qd], [*other.q, *other.qd])


def test_refused():
    robot = thrown()
    with pytest.raises(SettingError, match="direction is 2"):
        armdyn.simulate(robot, [0.0], duration=1.0, events=[Crossing(lambda t, q, qd: 0.0, direction=2)])
    with pytest.raises(SettingError, match="not a function of"):
        armdyn.simulate(robot, [0.0], duration=1.0, events=[Crossing(3.0)])
    with pytest.raises(SimulationError, match="'crossing' is not finite at t = 0 s"):
        armdyn.simulate(robot, [0.0], duration=1.0, events=[Crossing(lambda t, q, qd: "up")])
    with pytest.raises(SettingError, match=r"events has the class JointLimit; expected an object, JointLimit\("):
        armdyn.simulate(robot, [0.0], duration=1.0, events=[JointLimit])
    with pytest.raises(SettingError, match="JointLimit: no joint has limits in 'links'"):
        armdyn.simulate(thrown((-np.inf, np.inf)), [0.0], duration=1.0, events=[JointLimit()])
    with pytest.raises(SettingError, match="JointLimit: joint 'joint_2' has no limits in 'planar_2r'"):
        armdyn.simulate(armdyn.load("planar_2r"), [0.0, 0.0], duration=1.0, events=[JointLimit("joint_2")])
    with pytest.raises(SettingError, match="terminal event ends the simulation, of a single state"):
        armdyn.simulate(robot, [[0.0], [1.0]], duration=1.0, events=[JointLimit(terminal=True)])
    with pytest.raises(armdyn.UnknownName, match="elbow"):
        armdyn.simulate(robot, [0.0], duration=1.0, events=[Plane("elbow", (0, 0, 1))])


def test_parts_of_a_motion_have_their_events():
    motion = armdyn.simulate(
        thrown(), [[0.0], [0.1]], [6.0], duration=1.1, events=[JointLimit()], save=SaveAt(every=0.1)
    )
    first, second = motion.events
    assert first.index == (1,)  # it starts higher
    assert [one.t for one in motion.pick(0).events] == [second.t]
    assert motion.pick(-1).events[0].index == ()
    assert motion.between(0.5, 1.0).events == ()
    assert motion.between(0.0, 0.5).events == motion.events


@pytest.mark.short_run("adaptive")
@pytest.mark.parametrize("method", ["adaptive", "rk4"])
def test_where_something_holds_a_point_it_arrives_once(method):
    """On the floor, on which it comes to rest, at a stop, and on what constrains it: rounding is no crossing."""
    floor = PointOnPlane("tip", (0, 1, 0), (0, 0.4, 0), name="floor")
    watched = [Plane("tip", (0, 1, 0), (0, 0.4, 0), name="arrives")]
    given = {"duration": 1.5, "torque": lambda t, q, qd: -4 * qd, "elements": [Contact(floor)], "method": method}
    arm, q0 = armdyn.load("planar_3r"), [0.9, -0.5, -0.3]
    motion = armdyn.simulate(arm, q0, events=watched, **given)
    named = {name: [one.t for one in motion.events if one.name == name] for name in ("arrives", "floor")}
    assert len(named["arrives"]) == 1
    np.testing.assert_allclose(named["arrives"], named["floor"][:1], rtol=0, atol=1e-12)
    ended = armdyn.simulate(arm, q0, events=[dataclasses.replace(watched[0], terminal=True)], **given)
    np.testing.assert_allclose(ended.t[-1], named["arrives"][0], rtol=0, atol=1e-12)
    rises = armdyn.simulate(arm, q0, events=[dataclasses.replace(watched[0], direction=1)], **given)
    assert [one.kind for one in rises.events] == ["impact", "rest"]

    channel = PointOnPlane("tip", (1, 0, 0), (1, 0, 0))
    runner = armdyn.load("planar_2r").with_constraints(channel)
    across = [Plane("tip", (1, 0, 0), (1, 0, 0), name="held"), Plane("tip", (0, 1, 0), (0, -1, 0), name="free")]
    motion = armdyn.simulate(runner, [-np.pi / 3, 2 * np.pi / 3], duration=3.0, events=across, method=method)
    assert {one.name for one in motion.events} == {"free"}


@pytest.mark.parametrize("method", ["adaptive", "rk4"])
def test_a_mass_that_bounces_arrives_each_time(method):
    """At the times of a closed form, while it leaves the floor by more than a micrometre."""
    v, e = 3.0, 0.4
    floor = Contact(PointOnPlane("mass", (0, 0, 1), (0, 0, -0.2), name="floor"), restitution=e)
    motion = armdyn.simulate(
        thrown(),
        [0.0],
        [v],
        duration=1.4,
        method=method,
        elements=[floor],
        events=[Plane("mass", (0, 0, 1), (0, 0, -0.2), name="floor level")],
    )
    arrivals = [one.t for one in motion.events if one.name == "floor level"]
    speed = np.sqrt(v * v + 2 * g * 0.2)
    expected = (v + speed) / g + 2 * speed / g * np.cumsum(np.concatenate([[0.0], e ** np.arange(1, 30)]))
    high = int(np.sum((e ** np.arange(1, 30) * speed) ** 2 / (2 * g) > 4e-6))
    assert high <= len(arrivals) <= high + 3
    np.testing.assert_allclose(arrivals, expected[: len(arrivals)], rtol=0, atol=1e-9)


def test_a_limit_whose_stop_is_pushed_arrives_once():
    """Also where the joint leaves the stop, and comes back."""
    there_and_back = OverTime([0.0, 1.0, 1.5, 3.0], [[9.0], [9.0], [-9.0], [60.0]], "linear")
    motion = armdyn.simulate(
        thrown((-1.0, 0.3)).with_gravity((0, 0, 0)),
        [0.0],
        duration=3.0,
        method=RungeKutta4(step=5e-3),
        torque=there_and_back,
        elements=[Stops()],
        events=[JointLimit("z")],
    )
    assert [one.name for one in motion.events if one.kind == "crossing"] == ["z upper limit"] * 2


@pytest.mark.short_run("adaptive")
@pytest.mark.parametrize("method", ["adaptive", "rk4"])
def test_a_function_that_is_zero_where_a_contact_is_hit_ends_the_motion_there(method):
    """Rounding may put its zero behind the hit; two that end the motion at one time are both noted."""
    floor = Contact(PointOnPlane("mass", (0, 0, 1), (0, 0, -0.2), name="floor"))
    ends = [Crossing(lambda t, q, qd: q[0] + 0.2, name=name, terminal=True) for name in ("one", "other")]
    for v in np.linspace(0.5, 3.0, 8):
        motion = armdyn.simulate(
            thrown(), [0.0], [v], duration=1.0, method=method, elements=[floor], events=ends, save=SaveAt(every=0.5)
        )
        hit = (v + np.sqrt(v * v + 2 * g * 0.2)) / g
        np.testing.assert_allclose(motion.t[-1], hit, rtol=0, atol=1e-9)
        assert {one.name for one in motion.events} == {"one", "other"}


def test_a_point_that_is_held_arrives_once_also_by_rough_steps():
    """What holds it does so at the end of a step; within one it is off by the integrator's error."""
    floor = PointOnPlane("tip", (0, 1, 0), (0, 0.4, 0), name="floor")
    motion = armdyn.simulate(
        armdyn.load("planar_3r"),
        [0.9, -0.5, -0.3],
        duration=1.5,
        torque=lambda t, q, qd: -4 * qd,
        elements=[Contact(floor)],
        method=Adaptive(1e-4, 1e-5),
        events=[Plane("tip", (0, 1, 0), (0, 0.4, 0), name="arrives")],
    )
    assert [one.name for one in motion.events].count("arrives") == 1
