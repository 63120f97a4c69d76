"""Motions of arms with flexible joints: rotors and links that swing, stick, pass events and brakes; closed forms."""

from itertools import pairwise, product

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import armdyn
from armdyn.actuators import (
    Actuator,
    Brake,
    Coulomb,
    Gear,
    GearLoss,
    Motor,
    Smooth,
    Spring,
    StaticKinetic,
    Stribeck,
    Viscous,
)
from armdyn.actuators.flexible_joints import stacked
from armdyn.simulation import (
    Adaptive,
    BrakeSwitches,
    Constraints,
    Crossing,
    JointLimit,
    OverTime,
    Plane,
    RungeKutta4,
    SaveAt,
    SettingError,
    SimulationError,
    Start,
)
from armdyn.simulation.system.bounded_rows import BoundedRows
from oracles.carried_slide import CarriedSlide
from oracles.flexible import flexible
from oracles.short_run import each_once
from oracles.two_masses import TwoMasses
from simulation.arms import (
    BACK,
    ETA,
    FINE,
    HINGE,
    LINK,
    PLANAR,
    ROTOR,
    WEIGHTLESS,
    G,
    K,
    body,
    drifts,
    geared,
    hinge,
    kinds,
    near,
    sprung,
    states,
    times,
)

# Without dry friction.

ROBOT = flexible(PLANAR, {"joint_1": Spring(900.0, cubic=4e3), "joint_2": None}, Viscous(0.3))
BEGIN = {"q0": [0.3, -0.2], "qd0": [0.4, 2.0], "elements": [Start(theta=[0.31, 0.0], thetad=[0.1, 0.0])]}
TAU, F_TIP = [9.0, -4.0], [0.1, 0.2, 0.3, 3.0, -2.0, 1.0]


@pytest.mark.short_run("rk4")
@pytest.mark.parametrize("method", ["adaptive", RungeKutta4(step=2e-4)], ids=["adaptive", "rk4"])
def test_energies_close_and_rotors_are_kept(method):
    motion = armdyn.simulate(ROBOT, **BEGIN, duration=0.4, torque=TAU, f_tip=F_TIP, method=method)
    assert drifts(motion) < 1e-8
    assert motion.energy.scale > 1.0
    theta, thetad = motion.signals["theta"], motion.signals["thetad"]
    np.testing.assert_array_equal(theta[:, 1], motion.q[:, 1])
    assert (theta[0, 0], thetad[0, 0]) == (0.31, 0.1)
    assert abs(theta - motion.q).max() > 1e-3
    state = motion.q[100], motion.qd[100], theta[100], thetad[100]
    np.testing.assert_allclose(motion.qdd[100], ROBOT.flexible_forward_dynamics(*state, TAU, F_TIP)[0], rtol=1e-11)


def test_fixed_steps_are_those_of_the_compiled_loop():
    method = RungeKutta4(step=1e-3)
    motion = armdyn.simulate(ROBOT, **BEGIN, duration=0.1, torque=TAU, method=method)
    given = {"theta": [0.31, 0.0], "thetad": [0.1, 0.0], "steps": 100, "tau": TAU}
    final = armdyn.ClosedLoop(ROBOT, method=method)(BEGIN["q0"], BEGIN["qd0"], **given).final
    np.testing.assert_allclose(motion.q[-1], final.q, rtol=1e-12)
    np.testing.assert_allclose(motion.signals["thetad"][-1], final.thetad, rtol=1e-11)


def zeros(f, until, points=81):
    """All zeros of a function of time."""
    at = np.linspace(0.0, until, points)
    return [brentq(f, a, b, xtol=1e-15) for a, b in pairwise(at) if f(a) * f(b) < 0]


DRIVE = Actuator(Motor(1e-3), Gear(20.0), Smooth(Coulomb(0.05), width=0.5), spring=Spring(500.0, damping=0.4))
ARM = PLANAR.with_actuators({"joint_1": DRIVE}).with_limits({"joint_2": (-0.02, 0.005)})
SHELF = Plane("tip", normal=(0, 1, 0), through=(0, -0.7, 0), name="shelf")
FAST = Crossing(lambda t, q, qd: qd[0] + 2.82, "fast")
LAST = Crossing(lambda t, q, qd: q[0] + 0.3, "last", terminal=True)
PUSH = np.array([3.0, 0.0])


@pytest.fixture(scope="module")
def solved():
    """(q, qd) of the arm over time by SciPy, from rest."""

    def rates(t, y):
        q, theta, qd, thetad = np.split(y, 4)
        qdd, thetadd = ARM.flexible_forward_dynamics(q, qd, theta, thetad, PUSH)
        return [*qd, thetad[0], qd[1], *qdd, thetadd[0], qdd[1]]

    found = solve_ivp(rates, (0.0, 0.8), np.zeros(8), method="DOP853", rtol=1e-13, atol=1e-13, dense_output=True)
    return lambda t: (found.sol(t)[:2], found.sol(t)[4:6])


@pytest.mark.short_run("adaptive")
@pytest.mark.parametrize(("method", "error"), [(FINE, 1e-9), ("rk4", 1e-7)], ids=["adaptive", "rk4"])
def test_events_have_the_times_of_a_dense_solution(solved, method, error):
    """To 1e-9 s by the adaptive method; Runge-Kutta steps of 1 ms have an error of their own."""
    events = [JointLimit("joint_2"), SHELF, FAST]
    motion = armdyn.simulate(ARM, [0, 0], torque=PUSH, duration=0.8, method=method, events=events)
    tip = lambda t: PLANAR.forward_kinematics(solved(t)[0])[1, 3]  # noqa: E731
    expected = {
        "shelf": zeros(lambda t: tip(t) + 0.7, 0.8),
        "fast": zeros(lambda t: solved(t)[1][0] + 2.82, 0.8),
        "joint_2 upper limit": [t for t in zeros(lambda t: solved(t)[0][1] - 0.005, 0.8) if solved(t)[1][1] > 0],
        "joint_2 lower limit": [t for t in zeros(lambda t: solved(t)[0][1] + 0.02, 0.8) if solved(t)[1][1] < 0],
    }
    assert [len(found) for found in expected.values()] == [1, 3, 2, 1]
    for name, wanted in expected.items():
        near(times(motion, name=name), wanted, error)
    for one in motion.events:
        q, qd = solved(one.t)
        near(one.q, q, error)
        near(one.qd, qd, 100 * error)


def test_a_terminal_event_ends_the_motion(solved):
    motion = armdyn.simulate(ARM, [0, 0], torque=PUSH, duration=0.8, method=FINE, events=[LAST])
    near(motion.t[-1], zeros(lambda t: solved(t)[0][0] + 0.3, 0.8)[0], 1e-10)
    assert abs(motion.q[-1, 0] + 0.3) < 1e-12
    assert np.isfinite(motion.signals["theta"]).all()


@pytest.mark.parametrize(
    ("robot", "options", "error", "message"),
    [
        (ARM, {"events": [LAST], "q0": [[0, 0], [0, 1]]}, SettingError, "terminal event ends the simulation, of a sin"),
        (ARM, {"events": [SHELF], "method": "taylor"}, SettingError, "cannot stop at events"),
        (ARM, {"elements": [Constraints(project=True)]}, SettingError, "has no constraints to project onto"),
        (PLANAR, {"elements": [Start(theta=[0, 0])]}, SettingError, r"Start\(theta=\.\.\.\) is given, but no joint"),
        (ROBOT, {"method": "taylor"}, SettingError, "flexible joints"),
        (ROBOT, {"elements": [Start(theta=[0, 0, 0])]}, armdyn.ShapeError, "theta"),
        (
            PLANAR.with_actuators({"joint_1": Actuator(Motor(1e-7), spring=Spring(1e6))}),
            {"elements": [Start(theta=[0.1, 0])], "duration": 0.5, "method": "rk4"},
            SimulationError,
            r"fastest\. The step of 0\.001 s is too long for the spring of joint 'joint_1'",
        ),
    ],
)  # fmt: skip
def test_refused(robot, options, error, message):
    with pytest.raises(error, match=message):
        armdyn.simulate(robot, **{"q0": [0, 0], "duration": 0.1} | options)


# One joint with dry friction.


@pytest.mark.slow
def test_a_link_swings_on_the_spring_of_a_rotor_that_friction_holds_for_ten_minutes():
    """theta does not change in any digit, and q is a harmonic oscillation of sqrt(k/I)."""
    k = 0.13 * LINK
    most, w = 0.5 / k, np.sqrt(k / LINK)
    motion = sprung(hinge(Coulomb(0.6), spring=Spring(k)), (0.3 + most, 0.0, 0.3, 0.0), duration=600.0, method=FINE)
    assert (motion.signals["theta"] == 0.3).all()
    assert not motion.signals["thetad"].any()
    near(motion.q[:, 0], 0.3 + most * np.cos(w * motion.t), 1e-9)
    near(motion.qdd[:, 0], -(w**2) * (motion.q[:, 0] - 0.3), 1e-11)
    near(motion.signals["rotor_friction"], k * (motion.q - 0.3), 1e-13)
    assert not motion.signals["friction"].any()
    assert motion.events == motion.notes == ()


@pytest.mark.short_run("BDF")  # and the other one without springs
@pytest.mark.parametrize("scipy_method", ["BDF", "LSODA"])
def test_solvers_with_a_history_hold_rotors_too(scipy_method):
    """They start anew at events; the link swings on the spring of a rotor that friction holds."""
    k, method = 60.0 * LINK, Adaptive(1e-9, 1e-11, scipy_method=scipy_method)
    robot = hinge(Coulomb(5.0), spring=Spring(k))
    motion = sprung(robot, (0.3 + 0.5 / k, 0.0, 0.3, 0.0), duration=1.0, method=method)
    assert (motion.signals["theta"] == 0.3).all()
    near(motion.q[:, 0], 0.3 + 0.5 / k * np.cos(np.sqrt(60.0) * motion.t), 2e-6 / k)
    assert motion.events == motion.notes == ()


LOSS = Gear(1.0, efficiency=0.8, back_efficiency=0.6)
DRIVES = {
    "Coulomb": ((Coulomb(2.0),), None, {"static": 2.0, "kinetic": 2.0}),
    "static and kinetic": ((StaticKinetic(3.0, 2.0),), None, {"static": 3.0, "kinetic": 2.0}),
    "gear loss": ((Coulomb(0.5),), LOSS, {"static": 0.5, "kinetic": 0.5, "efficiency": 0.8, "back": 0.6}),
}
START = (0.1, 1.5, 0.13, 0.0)


@pytest.mark.short_run("Coulomb-0.0")
@pytest.mark.parametrize(("name", "tau"), each_once(DRIVES, [0.0, 1.3]))
def test_rotor_and_link_are_two_masses_in_closed_form(name, tau):
    laws, gear, numbers = DRIVES[name]
    events, at = TwoMasses(LINK, ROTOR, K, tau=tau, **numbers).motion(START, 4.0)
    assert len(events) >= 10
    motion = sprung(hinge(*laws, gear=gear), START, duration=4.0, torque=[tau], method=FINE)
    assert kinds(motion) == [(kind, "joint_1 rotor") for _, kind in events]
    near([one.t for one in motion.events], [t for t, _ in events], 1e-9)
    near(states(motion), [at(t) for t in motion.t], 5e-9)
    assert drifts(motion) < 1e-9
    assert motion.notes == ()


@pytest.mark.short_run("adaptive")
@pytest.mark.parametrize(("method", "within"), [(FINE, 1e-9), (RungeKutta4(2e-3), 1e-6)], ids=["adaptive", "rk4"])
def test_a_vertical_slide(method, within):
    """A mass hangs on the spring of a rotor that rubs; gravity is the pull."""
    start, masses = (0.2, -2.0, 0.1, 0.0), TwoMasses(2.0, ROTOR, K, tau=18.0, pull=-2.0 * G, static=6.0, kinetic=5.0)
    events, at = masses.motion(start, 2.0)
    assert {kind for _, kind in events} == {"stick", "slip", "reversal"}
    part = armdyn.Part("block", "base", "prismatic", axis=(0, 0, 1), inertia=body(), joint="z")
    robot = hinge(StaticKinetic(6.0, 5.0), robot=armdyn.Robot.from_links([part], gravity=(0, 0, -G), tip="block"))
    motion = sprung(robot, start, duration=2.0, torque=[18.0], method=method, save=SaveAt(every=0.1))
    assert kinds(motion) == [(kind, "z rotor") for _, kind in events]
    near([one.t for one in motion.events], [t for t, _ in events], within)
    near(states(motion), [at(t) for t in motion.t], 10 * within)


def test_the_stribeck_effect_and_viscous_friction():
    """Against smooth equations of the slip alone, from the analytic breakaway on until it comes to rest."""
    v, w = 1.5, np.sqrt(K / LINK)
    robot = hinge(Stribeck(3.0, 2.0, 0.1), Viscous(0.3))
    motion = sprung(robot, (0.0, v, 0.0, 0.0), duration=1.0, method=FINE, save=SaveAt(every=0.05))
    starts = np.arcsin(3.0 * w / (K * v)) / w

    def f(t, y):
        q, qd, theta, thetad = y
        pull = K * (theta - q)
        rubs = 2.0 + np.exp(-((thetad / 0.1) ** 2)) + 0.3 * thetad
        return qd, pull / LINK, thetad, (-pull - rubs) / ROTOR

    def rests(t, y):
        return y[3] - 1e-9 * (t < starts + 1e-6)

    rests.terminal, rests.direction = True, -1
    begin = (v * np.sin(w * starts) / w, v * np.cos(w * starts), 0.0, 1e-300)
    slips = solve_ivp(f, (starts, 1.0), begin, events=rests, rtol=1e-11, atol=1e-13, method="DOP853")
    slip, stick = motion.events[:2]
    assert abs(slip.t - starts) < 1e-9
    assert stick.kind == "stick"
    near([stick.t, stick.q[0], stick.qd[0]], [slips.t_events[0][0], *slips.y_events[0][0][:2]], 1e-8)
    assert drifts(motion) < 1e-9


def test_a_link_sticks_in_its_bearing_while_the_rotor_moves():
    """A ramp r t at the rotor: theta = r (t - sin(w t)/w)/k, w^2 = k/B, until k theta is the bearing's friction."""
    r, c, w = 3.0, 2.0, np.sqrt(K / ROTOR)
    given = {"torque": OverTime([0.0, 1.0], [[0.0], [r]]), "method": FINE, "save": SaveAt(every=0.02)}
    motion = armdyn.simulate(hinge().with_friction({"joint_1": (0.0, c)}), [0.2], duration=1.0, **given)
    bent = lambda t: r * (t - np.sin(w * t) / w) / K  # noqa: E731
    slip = motion.events[0]
    assert (slip.name, slip.kind) == ("joint_1", "slip")
    assert abs(slip.t - brentq(lambda t: K * bent(t) - c, 0.3, 0.9, xtol=1e-14)) < 1e-9
    held = motion.t < slip.t
    assert held.sum() > 20
    assert (motion.q[held] == 0.2).all()
    near(motion.signals["theta"][held, 0], 0.2 + bent(motion.t[held]), 1e-10)
    near(motion.signals["friction"][held, 0], K * bent(motion.t[held]), 1e-9)
    assert not motion.signals["rotor_friction"].any()
    assert drifts(motion) < 1e-9


def test_a_link_knocks_about_a_rotor_that_friction_holds_in_the_play():
    """Through the play in b/v, in contact half a period of sqrt(k/I)."""
    b, v, w = 0.02, 0.05, np.sqrt(K / LINK)
    robot = hinge(Coulomb(K * v / w * 1.001), spring=Spring(K, backlash=b))
    crosses, touches = b / v, np.pi / w
    motion = sprung(robot, (0.3, v, 0.3, 0.0), duration=4.0 * (crosses + touches), method=FINE)
    assert (motion.signals["theta"] == 0.3).all()
    expected = [b / 2 / v + n * (crosses + touches) + then for n in range(4) for then in (0.0, touches)]
    assert kinds(motion) == [(kind, "joint_1") for _ in range(4) for kind in ("contact", "release")]
    near([one.t for one in motion.events], expected, 1e-9)
    near(abs(motion.qd[motion.t < expected[0], 0]), v, 1e-15)
    assert drifts(motion) < 1e-9


@pytest.mark.short_run("4.0")
@pytest.mark.parametrize("damping", [0.0, 4.0])
def test_plays_beside_joints_that_stick_are_those_of_arms_without(damping):
    """A second joint that friction holds is one that is locked, where no joint rubs."""
    arm = WEIGHTLESS.with_actuators({"joint_1": Actuator(Motor(ROTOR), spring=Spring(300.0, damping, backlash=0.02))})
    given = {"duration": 0.7, "method": FINE, "save": SaveAt(times=np.linspace(0.0, 0.7, 15))}
    alone = armdyn.simulate(arm.with_locked({"joint_2": 0.4}), [0.0], elements=[Start(thetad=[0.5])], **given)
    rubs = arm.with_friction({"joint_2": (0.0, 40.0)})
    beside = armdyn.simulate(rubs, [0.0, 0.4], elements=[Start(thetad=[0.5, 0.0])], **given)
    assert len(alone.events) > 5
    assert kinds(beside) == kinds(alone)
    near([one.t for one in beside.events], [one.t for one in alone.events], 1e-8)
    near(beside.q[:, 0], alone.q[:, 0], 1e-9)
    near(beside.signals["theta"][:, 0], alone.signals["theta"][:, 0], 1e-9)
    assert (beside.q[:, 1] == 0.4).all()
    assert drifts(beside) < 1e-8


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
@pytest.mark.parametrize(("method", "error"), [(FINE, 1e-9), (RungeKutta4(4e-3), 5e-7)], ids=["adaptive", "rk4"])
def test_a_rotor_that_a_brake_stops_holds_and_lets_slip(method, error):
    """Free, then braked: it sticks twice, is pulled away by its spring at k x = T, and is free again."""
    free, braked = (TwoMasses(LINK, ROTOR, K, static=size, kinetic=size) for size in (0.0, 2.0))
    expected, at = in_turn([(free, 0.73), (braked, 1.8), (free, 0.47)], (0.1, 1.5, 0.13, 0.4))
    drive = Actuator(Motor(ROTOR / 400.0), Gear(20.0), spring=Spring(K), brake=Brake(0.1))
    switches = [BrakeSwitches({"joint_1": [(0.73, "engaged"), (2.53, "released")]})]
    given = {"duration": 3.0, "method": method, "save": SaveAt(every=0.02)}
    motion = sprung(HINGE.with_actuators({"joint_1": drive}), (0.1, 1.5, 0.13, 0.4), switches, **given)
    own = [(one.t, one.kind) for one in motion.events if one.name == "joint_1 rotor"]
    assert [kind for _, kind in own] == [kind for _, kind in expected] == ["stick", "slip"] * 2
    near([t for t, _ in own], [t for t, _ in expected], error)
    near(states(motion), [at(t) for t in motion.t], error)
    assert [(one.kind, one.t) for one in motion.events if one.name == "joint_1"] == [
        ("engaged", 0.73),
        ("released", 2.53),
    ]
    assert drifts(motion) < 1e-7


def test_brakes_of_rotor_and_rigid_joint_hold_until_a_condition_opens_one():
    """The arm swings on its spring as one body, w = sqrt(k/I), about a rotor that does not move in any digit."""
    first = Actuator(Motor(ROTOR), spring=Spring(K), brake=Brake(2.0, "engaged"))
    arm = WEIGHTLESS.with_actuators({"joint_1": first, "joint_2": Actuator(brake=Brake(50.0, "engaged"))})
    x, w = 0.03, np.sqrt(K / LINK)
    back = Crossing(lambda t, q, qd: q[0] - 0.3, "back", direction=1)
    elements = [BrakeSwitches({"joint_2": [(back, "released")]}), Start(theta=[0.3, 0.0])]
    motion = armdyn.simulate(arm, [0.3 + x, 0.0], duration=2.2, method=FINE, elements=elements, save=SaveAt(every=0.02))
    opened = 1.5 * np.pi / w  # the second passage, upwards
    assert kinds(motion)[0] == ("released", "joint_2")
    assert abs(motion.events[0].t - opened) < 1e-9
    before = motion.t < opened
    near(motion.q[before, 0], 0.3 + x * np.cos(w * motion.t[before]), 1e-9)
    assert (motion.signals["theta"][:, 0] == 0.3).all()
    assert (motion.q[before, 1] == 0.0).all()
    assert abs(motion.q[-1, 1]) > 1e-3


LEVEL = Crossing(lambda t, q, qd: qd[0] - 0.72, "level")
TIMES = np.random.default_rng(3).uniform(0.0, 2.0, (2, 30))
SWING = np.array([(0.4, 1.0, 0.0, 0.2), (0.5, 1.1, 0.1, 0.3)])


@pytest.mark.short_run("0.0-events1", "0.0-events0")
@pytest.mark.parametrize(("friction", "events"), [(0.0, []), (0.0, [LEVEL]), (2.0, []), (2.0, [LEVEL])])
def test_interpolants_are_as_accurate_as_the_steps(friction, events):
    """At times between states that are saved every half second: without friction and events, with each."""
    robot, starts = hinge(*[Coulomb(friction)] * (friction > 0)), SWING[:1] if events else SWING
    q, qd, theta, thetad = np.moveaxis(starts[0] if events else starts, -1, 0)[..., None]
    given = {"duration": 2.0, "method": FINE, "events": events, "save": SaveAt(every=0.5, dense=True)}
    motion = armdyn.simulate(robot, q, qd, elements=[Start(theta=theta, thetad=thetad)], **given)
    for k, start in enumerate(starts):
        stick_slip, at = TwoMasses(LINK, ROTOR, K, static=friction, kinetic=friction).motion(tuple(start), 2.0)
        expected = np.array([at(t) for t in TIMES.ravel()]).reshape(2, 30, 4)
        own = motion if events else motion.pick(k)
        near(np.concatenate([*own.at(TIMES), *own.rotors_at(TIMES)], axis=-1), expected, 1e-8)
        near(times(own, name="joint_1 rotor"), [t for t, _ in stick_slip] if friction else [], 1e-9)
        if events:
            near(times(own, name="level"), zeros(lambda t, at=at: at(t)[1] - 0.72, 2.0), 1e-9)
    assert motion.rotors_at(TIMES).theta.shape == motion.at(TIMES).q.shape


def test_without_interpolants_the_error_is_of_the_fourth_order():
    at = TwoMasses(LINK, ROTOR, K).motion(tuple(SWING[0]), 2.0)[1]
    expected, errors = np.array([at(t)[2] for t in TIMES.ravel()]), []
    for every in (0.1, 0.05):
        motion = sprung(hinge(), SWING[0], duration=2.0, method=RungeKutta4(2e-3), save=SaveAt(every=every))
        errors.append(abs(motion.rotors_at(TIMES.ravel()).theta[:, 0] - expected).max())
    assert 12.0 < errors[0] / errors[1] < 20.0
    with pytest.raises(SettingError, match="has no rotors: no joint has a spring"):
        armdyn.simulate(HINGE, [0.0], duration=0.1).rotors_at(0.05)


# A mass on a vertical slide that carries the slide of another behind a lossy gear, in closed form.

FIRST, SECOND, SECOND_ROTOR, RUBS, HOLDS, K_SLIDE = 1.2, 2.0, 0.3, 1.0, 4.0, 120.0
"""kg; kg m^2; N of Coulomb friction at the second joint and at the first rotor; N/m."""


def slides(first, second, g=G):
    up = {"axis": (0, 0, 1)}
    parts = [
        armdyn.Part("block", "base", "prismatic", inertia=body(FIRST), joint="first", **up),
        armdyn.Part("load", "block", "prismatic", inertia=body(SECOND), joint="second", **up),
    ]
    bare = armdyn.Robot.from_links(parts, gravity=(0, 0, -g), tip="load")
    return bare.with_actuators({"first": first, "second": second})


def springy(stiffness, *friction, **more):
    return Actuator(Motor(ROTOR), friction=friction, spring=Spring(stiffness), **more)


def carried(robot, state, **settings):
    """From (q, qd, theta, thetad) of the first slide and (q, qd) of the second."""
    q, qd, theta, thetad, q2, qd2 = state
    start = Start(theta=[theta, q2], thetad=[thetad, qd2])
    return armdyn.simulate(robot, [q, q2], [qd, qd2], elements=[start], **settings)


TORQUE, LIFTED = [32.5, 29.0], (0.1, -1.03, 0.274, 0.0, 0.3, -0.7)
SLIDES = slides(springy(K_SLIDE, Coulomb(HOLDS)), geared(SECOND_ROTOR, Coulomb(RUBS)))
BELOW = TwoMasses(FIRST, ROTOR, K_SLIDE, tau=TORQUE[0], static=HOLDS, kinetic=HOLDS)
CARRIED = CarriedSlide(BELOW, SECOND, SECOND_ROTOR, TORQUE[1], RUBS, ETA, BACK)


def compared(method):
    """The errors of events and of states, against the closed form, of a motion with all kinds of events."""
    events, at = CARRIED.motion(LIFTED, 0.41)
    expected = [(kind, name) for _, name, kind in events]
    assert set(expected) == set(product(["stick", "slip", "reversal"], ["first rotor", "second"]))
    motion = carried(SLIDES, LIFTED, method=method, duration=0.41, torque=TORQUE, save=SaveAt(every=0.05))
    assert kinds(motion) == expected
    assert motion.notes == ()
    assert drifts(motion) < (1e-9 if method is FINE else 1e-6)
    late = max(abs(one.t - t) for one, (t, *_) in zip(motion.events, events, strict=True))
    theta, thetad = (motion.signals[name][:, 0] for name in ("theta", "thetad"))
    found = np.stack([motion.q[:, 0], motion.qd[:, 0], theta, thetad, motion.q[:, 1], motion.qd[:, 1]], axis=-1)
    return late, abs(found - [at(t) for t in motion.t]).max()


def test_a_lossy_slide_on_a_mass_on_a_spring_is_the_closed_form():
    assert max(compared(FINE)) < 1e-9
    late, error = compared(RungeKutta4(1e-2))
    assert late < 1e-5
    assert error < 1e-4


@pytest.mark.slow
def test_fixed_steps_keep_their_order():
    errors = [compared(RungeKutta4(step)) for step in (5e-3, 2.5e-3)]
    assert (np.divide(*errors) > 13.0).all()


def test_a_gear_holds_its_load_for_ten_minutes_on_a_mass_that_swings():
    """q2 does not change in any digit; q1 is a harmonic oscillation of sqrt(k/(m1 + m2)), and the load that of q1."""
    mass, g, most, tau = FIRST + SECOND, 0.05, 10.0, 0.1
    k = 9e-4 * mass
    w, sag = np.sqrt(k / mass), mass * g / k
    robot = slides(springy(k, brake=Brake(50.0, "engaged")), geared(SECOND_ROTOR), g)
    given = {"torque": [0.0, tau], "method": Adaptive(1e-9, 1e-10), "save": SaveAt(every=20)}
    motion = carried(robot, (most - sag, 0.0, 0.0, 0.0, 0.3, 0.0), duration=600.0, **given)
    q = most * np.cos(w * motion.t) - sag
    load = SECOND * (g - w**2 * (q + sag))
    assert ((BACK * load < tau) & (tau < load / ETA)).all()
    assert (motion.q[:, 1] == 0.3).all()
    assert not motion.qd[:, 1].any()
    assert not motion.signals["theta"][:, 0].any()
    assert motion.events == motion.notes == ()
    near(motion.q[:, 0], q, 1e-6)
    near(motion.signals["friction"][:, 1], tau - load, 1e-6)


# Limits.


@pytest.mark.slow
def test_stiff_springs_lead_to_the_rigid_arm_with_errors_of_one_over_their_stiffness():
    start = {"q0": [-1.5, 0.4], "qd0": [0.8, -0.5], "torque": PLANAR.gravity_forces([-1.5, 0.4]) * [0.9, 1.0]}
    start |= {"duration": 0.15, "save": SaveAt(every=0.15), "method": Adaptive(1e-7, 1e-9)}
    rigid = PLANAR.with_actuators({f"joint_{k}": geared(0.3, Coulomb(c)) for k, c in ((1, 0.8), (2, 0.3))})
    exact, errors = armdyn.simulate(rigid, **start), []
    assert ("stick", "joint_2") in kinds(exact)
    for k in (1e3, 4e3):
        spring = Spring(k, damping=0.4 * np.sqrt(k))
        robot = rigid.with_actuators({"joint_1": geared(0.3, Coulomb(0.8), spring=spring)})
        bent = robot.spring_deflections(exact.tau[0] - exact.signals["friction"][0] - 0.3 * exact.qdd[0])
        motion = armdyn.simulate(robot, elements=[Start(theta=start["q0"] + bent)], **start)
        assert ("stick", "joint_2") in kinds(motion)
        errors.append(abs(motion.q[-1] - exact.q[-1]).max())
    assert errors[0] < 3e-3
    assert 3.0 < errors[0] / errors[1] < 5.0


@pytest.mark.slow
def test_gears_that_lose_almost_nothing_are_those_that_lose_nothing():
    """So the two ways to solve for what sticks agree: with friction under load, and without."""
    start = {"q0": [-0.9, 0.7], "qd0": [0.6, -0.3], "duration": 0.2, "save": SaveAt(every=0.1), "method": FINE}
    motions = []
    for gear in (Gear(1.0), Gear(1.0, efficiency=1.0 - 1e-13, back_efficiency=1.0 - 1e-13)):
        second = Actuator(Motor(0.2), gear, StaticKinetic(2.5, 2.0))
        robot = PLANAR.with_actuators({"joint_1": springy(300.0, Coulomb(2.5)), "joint_2": second})
        motions.append(armdyn.simulate(robot.with_friction({"joint_1": (0.05, 1.0)}), **start))
    without, with_loss = motions
    assert {"stick", "slip"} <= {kind for kind, _ in kinds(without)}
    assert {name for _, name in kinds(without)} == {"joint_1", "joint_2", "joint_1 rotor"}
    assert kinds(with_loss) == kinds(without)
    near([one.t for one in with_loss.events], [one.t for one in without.events], 1e-10)
    near(with_loss.q, without.q, 1e-11)


# Modes of links and rotors that all rest.


def decided(robot, q, theta, tau):
    """The mode, and the motion that follows."""
    rows, x, xd = BoundedRows(robot), stacked(q, theta, [0]), np.zeros(3)
    assert rows.dry.names == ["joint_1", "joint_2", "joint_1 rotor"]
    mode = rows.decided(x, xd, (tau,), np.ones(3, dtype=bool), np.zeros(3, dtype=int))
    found = rows.rates(x, xd, (tau,), mode)
    np.testing.assert_array_equal(mode.held, mode.slip == 0)
    assert (found.qdd[mode.held] == 0.0).all()
    if rows.loaded is not None and mode.held.any():
        holding = rows.holding(x, xd, (tau,), mode)
        near(-holding.forces, found.friction[mode.held], 1e-9)
        assert holding.nearest.distance >= 0
    return mode, found


def two_joints(efficiency):
    """The first flexible, with a bearing that rubs, the second rigid."""
    gear = Gear(10.0) if efficiency is None else Gear(10.0, efficiency=efficiency[0], back_efficiency=efficiency[1])
    first = Actuator(Motor(0.004), gear, StaticKinetic(2.5, 2.0), spring=Spring(300.0, damping=0.8, cubic=2e3))
    drives = {"joint_1": first, "joint_2": Actuator(Motor(0.002), Gear(10.0), StaticKinetic(1.5, 1.2))}
    return PLANAR.with_actuators(drives).with_friction({"joint_1": (0.05, 1.0)})


def enumerated(free, M, static, kinetic):
    """All of the 27 cases of sticking and slipping that are consistent: directions and accelerations.

    static and kinetic have the least and the largest friction of every row, shape (2, 3).
    """
    forces, found = M @ free, []
    for case in product((-1, 0, 1), repeat=3):
        s, change = np.array(case), np.zeros(3)
        stuck, slips = np.flatnonzero(s == 0), np.flatnonzero(s)
        friction = np.where(s > 0, kinetic[1], kinetic[0])
        if len(slips):
            change[slips] = np.linalg.solve(M[np.ix_(slips, slips)], (forces - friction)[slips])
        takes = (forces - M @ change)[stuck]
        if ((static[0][stuck] <= takes) & (takes <= static[1][stuck])).all() and (s * change >= 0).all():
            found.append((s, change))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("efficiency", [None, (0.8, 0.6)], ids=["Coulomb", "gear loss"])
def test_what_is_decided_at_rest_is_a_consistent_case_of_all(efficiency):
    rng, robot = np.random.default_rng(17), two_joints(efficiency)
    smooth, seen, several = robot.without_friction(), set(), 0
    behind, M = smooth.with_actuators({"joint_1": None}), np.diag([0.0, 0.0, 0.4])  # (q, theta_1)
    for _ in range(250):
        q, tau = rng.uniform(-2, 2, 2), rng.uniform(-4, 4, 2)
        theta = q + robot.spring_deflections(robot.gravity_forces(q) * rng.uniform(0.7, 1.3, 2))
        load = float(Spring(300.0, 0.8, 2e3).force(theta[0] - q[0], 0.0))
        tau += [load, robot.gravity_forces(q)[1]]
        qdd, thetadd = smooth.flexible_forward_dynamics(q, [0.0, 0.0], theta, [0.0, 0.0], tau)
        M[:2, :2] = behind.mass_matrix(q)
        static, kinetic = (np.outer([-1.0, 1.0], sizes) for sizes in ([1.0, 1.5, 2.5], [1.0, 1.2, 2.0]))
        if efficiency is not None:
            loss = GearLoss(*efficiency)
            static[:, 2] += loss.at_rest(load)
            kinetic[:, 2] += [loss.force(-1.0, load), loss.force(1.0, load)]
        every = enumerated(np.append(qdd, thetadd[0]), M, static, kinetic)
        mode, found = decided(robot, q, theta, tau)
        (change,) = [change for s, change in every if np.array_equal(s, mode.slip)]
        near(found.qdd, change, 1e-10 * max(1.0, abs(change).max()))
        if any((s == 0).all() for s, _ in every):
            assert mode.held.all()  # what can stay at rest does
        seen.add(tuple(mode.slip.tolist()))
        several += len(every) > 1
    assert len(seen) >= 15
    assert several > 3


LINK_1, COULOMB_2, ROTOR_2, COULOMB_1 = 1.0, 0.6, 0.9, 2.0
"""Friction of the first link and the second joint, the second rotor's inertia, friction of the first rotor."""
WORM = {"efficiency": 0.7, "back_efficiency": 0.4}
HANGS = PLANAR.with_actuators(
    {
        "joint_1": Actuator(Motor(ROTOR), Gear(1.0, **WORM), Coulomb(COULOMB_1), spring=Spring(300.0)),
        "joint_2": geared(ROTOR_2, Coulomb(COULOMB_2)),
    }
).with_friction({"joint_1": (0.0, LINK_1)})


def consistent(q, load, tau, free_rotor):
    """The one consistent case of 3 ways of the first link, 5 of the second joint, 3 of the first rotor.

    A second joint that moves drives its load or is driven.
    """
    M, h, found = PLANAR.mass_matrix(q), PLANAR.gravity_forces(q), []
    for first, (second, drives) in product((-1, 0, 1), [(0, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)]):
        A, b, phi = np.eye(2), np.zeros(2), 1.0 / ETA if drives > 0 else BACK
        if first:
            A[0], b[0] = M[0], load - first * LINK_1 - h[0]
        if second:
            A[1], b[1] = phi * M[1], tau[1] - second * COULOMB_2 - phi * h[1]
            A[1, 1] += ROTOR_2
        qdd = np.linalg.solve(A, b)
        own = M @ qdd + h
        ends = np.sort([own[1] / ETA, own[1] * BACK])
        moves = second * qdd[1] > 0 and second * drives * own[1] > 0
        stays = ends[0] - COULOMB_2 <= tau[1] <= ends[1] + COULOMB_2
        if (first * qdd[0] > 0 if first else abs(load - own[0]) <= LINK_1) and (moves if second else stays):
            found.append((first, second, qdd))
    ((first, second, qdd),) = found
    loss = GearLoss(**WORM)
    least, most = (float(side) for side in loss.at_rest(load))
    rotor = int(free_rotor > most + COULOMB_1) - int(free_rotor < least - COULOMB_1)
    rubs = rotor * COULOMB_1 + float(loss.force(float(rotor), load))
    return (first, second, rotor), [*qdd, (free_rotor - rubs) / ROTOR if rotor else 0.0]


def test_one_mode_at_rest_is_consistent_and_is_found():
    rng, seen = np.random.default_rng(23), set()
    for _ in range(60):
        q = rng.uniform(-2, 2, 2)
        weight = PLANAR.gravity_forces(q)
        bent = HANGS.spring_deflections(weight * rng.uniform(0.9, 1.1) + 2.0 * rng.normal(size=2))
        load = 300.0 * bent[0]
        tau = np.array([load, weight[1]]) * rng.uniform(0.1, 2.2, 2) + rng.normal(size=2)
        modes, qdd = consistent(q, load, tau, tau[0] - load)
        mode, found = decided(HANGS, q, q + bent, tau)
        assert tuple(mode.slip) == modes
        near(found.qdd, qdd, 1e-11 * max(1.0, np.abs(qdd).max()))
        seen.add(modes)
    assert len(seen) >= 12


# Motions that were wrong once.


@pytest.mark.slow
def test_a_joint_without_load_starts_where_the_motion_of_others_takes_it():
    """Its motor pushes it forwards by 80 t; what the damper of the next joint does pushes it backwards by more."""
    bare = armdyn.load("scara")
    second = Actuator(Motor(1e-5), Gear(100.0), friction=(Coulomb(0.5),), spring=Spring(800.0, damping=2.0))
    first = Actuator(Motor(1e-5), Gear(100.0, efficiency=0.8))
    robot = bare.with_actuators(dict(zip(bare.joint_names[:2], (first, second), strict=True)))
    torque = lambda t, q, qd: [20.0 * np.sin(4.0 * t), 8.0 * np.cos(3.0 * t), 0.0, 0.0]  # noqa: E731
    fine, stepped = (
        armdyn.simulate(robot, [0.0] * 4, [0.0, 3.0, 0.0, 0.0], duration=0.02, torque=torque, method=method)
        for method in (Adaptive(rtol=1e-10, atol=1e-11), RungeKutta4(1e-3))
    )
    assert [kind for kind, _ in kinds(fine)] == [kind for kind, _ in kinds(stepped)] == ["slip"]
    assert (fine.qd[1:, 0] < 0.0).all()
    near(stepped.q[-1], fine.q[-1], 1e-8)


@pytest.mark.slow
def test_a_lossy_rotor_without_coulomb_friction_follows_its_link_from_a_spring_at_rest():
    """At first the deflection is rounding of its two positions, and so is the load that decides whether it sticks."""
    bare = armdyn.load("stanford")
    name = bare.joint_names[2]
    drive = Actuator(Motor(1e-5), Gear(100.0, efficiency=0.6), friction=(Viscous(0.27),), spring=Spring(1544.68))
    start = [0.0, 0.0, 0.3058, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, -2.0, 1.0, -2.0]
    motion = armdyn.simulate(bare.with_actuators({name: drive}), *start, duration=0.02)
    assert kinds(motion) == [("slip", f"{name} rotor")]
    assert motion.events[0].t < 1e-7
    assert (motion.signals["thetad"][1:, 2] < 0.0).all()
