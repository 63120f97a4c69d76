"""`ClosedLoop.simulate` and `simulate(controller=...)` within steps: states at any time, interpolants and events.

Oracles: the motion under a held force in closed form; the bounce of a mass; the energy of an arm with a detent; the
event-driven driver with the same law as torque; adaptive motions from the beginning of a step.
"""

import pickle
import re
import warnings
from functools import partial
from typing import Any

import numpy as np
import pytest
from tests.simulation.matrix import Detent, Relaxing

import armdyn
from armdyn import ClosedLoop
from armdyn.actuators import Actuator, Brake, Gear, LuGre, Motor, Spring
from armdyn.base.errors import SettingError
from armdyn.base.named_tuples import named_tuple
from armdyn.constraints import PointOnPlane
from armdyn.control import callback, pd_gravity
from armdyn.simulation import (
    Adaptive,
    BrakeSwitches,
    Constraints,
    Contact,
    Crossing,
    DivergenceWarning,
    Euler,
    GainWarning,
    Heun,
    JointLimit,
    OverTime,
    Plane,
    RungeKutta4,
    SaveAt,
    SemiImplicitEuler,
    SimulationError,
    Stops,
)

PLANAR = armdyn.load("planar_2r")
HOLDS = partial(pd_gravity, q_ref=[0.5, -0.5], Kp=60.0, Kd=2.0)
Q0, QD0 = [0.1, 0.2], [0.3, -0.1]
MASS, GRAVITY, STIFFNESS, DAMPING, REST = 2.0, 9.81, 90.0, 3.0, -0.1


def mass_on_a_rail() -> armdyn.Robot:
    """A mass that falls along z."""
    inertia = armdyn.Inertia(MASS, [0, 0, 0], np.diag([1e-2, 1e-2, 1e-2]))
    return armdyn.Robot.from_links([armdyn.Part("slide", "base", kind="prismatic", axis=(0, 0, 1), inertia=inertia)])


@armdyn.function("(n),(n)->(n)")
def pulls(model: Any, q: Any, qd: Any) -> Any:
    return -STIFFNESS * (q - REST) - DAMPING * qd


@armdyn.function("(n),(n)->(n)")
def pulls_untraced(model: Any, q: Any, qd: Any) -> Any:
    return np.array([-STIFFNESS * (float(q[0]) - REST) - DAMPING * float(qd[0])])


@armdyn.function("(n),(n)->(n)")
def idle(model: Any, q: Any, qd: Any) -> Any:
    return 0.0 * q


def of_held_force(t: float, h: float, x: float, v: float) -> tuple[float, float]:
    """Position and velocity of the mass under a spring and damper that are read every h: a force held in each step."""
    for k in range(int(t / h + 1e-9) + 1):
        a = (-STIFFNESS * (x - REST) - DAMPING * v) / MASS - GRAVITY
        s = min(h, t - k * h)
        x, v = x + v * s + 0.5 * a * s * s, v + a * s
    return x, v


@pytest.mark.parametrize("law", [pulls, pulls_untraced])
def test_a_falling_mass_at_any_time(law: Any) -> None:
    """Runge-Kutta is exact for a force that is held: states within steps are to rounding those of the closed form."""
    h, times = 1e-2, np.array([0.0, 0.0034, 0.0131, 0.01999, 0.123456, 0.2])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", armdyn.simulation.UntracedControllerWarning)
        motion = armdyn.simulate(
            mass_on_a_rail(), [0.0], duration=0.2, controller=law, method=RungeKutta4(h), save=SaveAt(times, dense=True)
        )
    exact = np.array([of_held_force(t, h, 0.0, 0.0) for t in times])
    np.testing.assert_array_equal(motion.t, times)
    np.testing.assert_allclose(np.hstack([motion.q, motion.qd]), exact, rtol=0, atol=1e-13)
    between = np.linspace(0.0, 0.2, 77)
    exact = np.array([of_held_force(t, h, 0.0, 0.0) for t in between])
    there = motion.at(between)
    np.testing.assert_allclose(np.hstack([there.q, there.qd]), exact, rtol=0, atol=1e-13)
    held = np.array([-STIFFNESS * (x - REST) - DAMPING * v for x, v in (of_held_force(0.12, h, 0.0, 0.0),)])
    np.testing.assert_allclose(motion.tau[4], held, rtol=0, atol=1e-11)


@pytest.mark.parametrize("law", [pulls, pulls_untraced])
def test_the_time_at_which_a_falling_mass_passes_a_level(law: Any) -> None:
    """The root of the parabola in the step: to rounding."""
    h, level = 1e-2, -0.15
    passes = Crossing(lambda t, q, qd: q[0] - level, "level", direction=-1, terminal=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", armdyn.simulation.UntracedControllerWarning)
        motion = armdyn.simulate(
            mass_on_a_rail(), [0.0], duration=1.0, controller=law, method=RungeKutta4(h), events=[passes]
        )
    steps = np.arange(100)
    states = [of_held_force(k * h, h, 0.0, 0.0) for k in steps]
    k = next(k for k in steps if states[k + 1][0] < level)
    x, v = states[k]
    a = (-STIFFNESS * (x - REST) - DAMPING * v) / MASS - GRAVITY
    t = k * h + (-v - np.sqrt(v * v - 2.0 * a * (x - level))) / a
    (event,) = motion.events
    assert abs(event.t - t) < 1e-14
    assert motion.t[-1] == event.t
    assert motion.t[-2] == pytest.approx(k * h, abs=1e-15)
    assert abs(motion.q[-1, 0] - level) < 1e-14
    np.testing.assert_array_equal(event.q, motion.q[-1])
    assert motion.statistics.steps == k + 1


ORDERS = [(Euler, 2), (SemiImplicitEuler, 2), (Heun, 3), (RungeKutta4, 5)]


@pytest.mark.parametrize(("kind", "order"), ORDERS)
def test_the_order_within_a_step(kind: Any, order: int) -> None:
    """The error within a step, against an adaptive motion under the force of that step, is that of a step."""
    law, errors = PLANAR.compile(pd_gravity), []
    given = {"q_ref": np.array([0.5, -0.5]), "qd_ref": np.zeros(2), "Kp": np.full(2, 60.0), "Kd": np.full(2, 2.0)}
    tau = law(np.array(Q0), np.array(QD0), **given)
    for h in (0.01, 0.005, 0.0025):
        options = {"duration": h, "save": SaveAt(times=np.array([0.2, 0.4, 0.7]) * h)}
        motion = armdyn.simulate(PLANAR, Q0, QD0, controller=HOLDS, method=kind(h), **options)
        exact = armdyn.simulate(PLANAR, Q0, QD0, torque=tau, method=Adaptive(1e-13, 1e-13), **options)
        errors.append(abs(np.hstack([motion.q - exact.q, motion.qd - exact.qd])[:-1]).max())
    slope = np.polyfit(np.log([0.01, 0.005, 0.0025]), np.log(errors), 1)[0]
    assert order - 0.25 < slope < order + 0.5, errors


def lossless(h: float, level: float) -> Any:
    """A frictionless joint with a detent, without gravity: the event at which it passes a level."""
    inertia = armdyn.Inertia(0.8, [0.3, 0, 0], np.diag([1.5e-2, 1e-2, 2e-2]))
    parts = [armdyn.Part("arm", "base", axis=(0, 0, 1), inertia=inertia)]
    robot = armdyn.Robot.from_links(parts).with_gravity((0.0, 0.0, 0.0))
    passes = Crossing(lambda t, q, qd: q[0] - level, "level")
    options = {"controller": idle, "method": RungeKutta4(h), "elements": [Detent(0, 0.9)]}
    motion = armdyn.simulate(robot, [0.1], [3.0], duration=0.4, events=[passes], **options)
    return motion.events[0]


def test_the_speed_over_a_detent() -> None:
    """Between two positions the speed follows from the energy, with the order of the method at the located time."""
    from scipy.integrate import quad

    level, moment = 0.737, 2e-2 + 0.8 * 0.3**2

    def speed(q: float) -> float:
        return float(np.sqrt(9.0 - 0.3 / moment * (np.cos(0.6) - np.cos(6.0 * q))))

    at = quad(lambda q: 1.0 / speed(q), 0.1, level, epsabs=1e-14, epsrel=1e-13)[0]
    events = [lossless(h, level) for h in (8e-3, 4e-3, 2e-3)]
    speeds = [abs(event.qd[0] - speed(level)) for event in events]
    times = [abs(event.t - at) for event in events]
    assert abs(events[-1].q[0] - level) < 1e-14
    assert speeds[-1] < 1e-8
    assert times[-1] < 1e-9
    for errors in (speeds, times):
        assert np.log2(errors[0] / errors[2]) / 2.0 > 3.5, errors


def springy() -> armdyn.Robot:
    """An arm with a flexible joint and bristles."""
    drive = Actuator(Motor(2e-3), Gear(10.0), spring=Spring(400.0, damping=0.5))
    bristles = LuGre(stiffness=300.0, bristle_damping=3.0, viscous=0.1, static=0.9, kinetic=0.6, speed=0.1)
    return PLANAR.with_actuators({"joint_1": drive, "joint_2": Actuator(friction=bristles)})


ARMS = {
    "rigid": (PLANAR, []),
    "flexible, with bristles": (springy(), []),
    "constraint": (PLANAR.with_constraints(PointOnPlane("tip", (1, 0, 0), (1.0, 0, 0))), [Constraints(project=True)]),
    "elements of a user's own": (PLANAR, [Detent(0, 2.0), Relaxing(1, 30.0, 2.0)]),
}


@pytest.mark.parametrize("name", ARMS)
def test_events_are_those_of_the_event_driven_driver(name: str) -> None:
    """The same law as torque, read once per step: times, states and interpolants agree to rounding."""
    robot, elements = ARMS[name]
    q0 = np.array([-np.pi / 3, 2 * np.pi / 3]) if name == "constraint" else np.array(Q0)
    qd0 = np.asarray(robot.close_velocities(q0, QD0)) if name == "constraint" else np.array(QD0)
    law = PLANAR.with_elements(*(one for one in elements if isinstance(one, Detent))).compile(pd_gravity)
    given = {"q_ref": np.array([0.5, -0.5]), "qd_ref": np.zeros(2), "Kp": np.full(2, 60.0), "Kd": np.full(2, 2.0)}
    torque = callback(lambda t, q, qd: law(np.array(q), np.array(qd), **given), sample_time=5e-3)
    events = [
        Crossing(lambda t, q, qd: qd[0], "turn", direction=-1),
        Crossing(lambda t, q, qd: q[0] + 0.3 * t - q0[0] - 0.0777, "moving level"),
    ]
    times = [0.0123, 0.0777, 0.2501]
    options = {"duration": 0.3, "method": RungeKutta4(5e-3), "elements": elements, "events": events}
    loop = armdyn.simulate(robot, q0, qd0, controller=HOLDS, save=SaveAt(times), **options)
    driver = armdyn.simulate(robot, q0, qd0, torque=torque, save=SaveAt(times), **options)
    assert len(loop.events) == len(driver.events) >= 1
    near = 2e-10 if robot.model.constraints else 2e-11  # the driver puts samples onto constraints, but no events
    for one, other in zip(loop.events, driver.events, strict=True):
        assert one.name == other.name
        assert abs(one.t - other.t) < 1e-12
        np.testing.assert_allclose(np.r_[one.q, one.qd], np.r_[other.q, other.qd], rtol=0, atol=near)
    signals = [name for name in ("theta", "thetad", "bristles", "element_states") if name in driver.signals]
    for each in ("t", "q", "qd", "tau"):
        np.testing.assert_allclose(getattr(loop, each), getattr(driver, each), rtol=0, atol=1e-11, err_msg=each)
    for each in signals:
        np.testing.assert_allclose(loop.signals[each], driver.signals[each], rtol=0, atol=2e-11, err_msg=each)
    np.testing.assert_allclose(loop.energy.drift, driver.energy.drift, rtol=0, atol=1e-10)


def test_rotors_at_any_time() -> None:
    times = [0.0123, 0.0777, 0.1]
    options = {"duration": 0.1, "controller": HOLDS, "method": RungeKutta4(1e-3)}
    motion = armdyn.simulate(springy(), Q0, QD0, save=SaveAt(times, dense=True), **options)
    there = motion.rotors_at(times)
    np.testing.assert_array_equal(there.theta, motion.signals["theta"][1:])
    np.testing.assert_array_equal(there.thetad, motion.signals["thetad"][1:])
    assert abs(there.theta[:, 0] - motion.q[1:, 0]).max() > 1e-4


@pytest.mark.parametrize("save", [SaveAt(), SaveAt(dense=True)])
def test_steps_are_unchanged_by_what_is_kept(save: SaveAt) -> None:
    options = {"duration": 0.1, "controller": HOLDS, "method": RungeKutta4(5e-3)}
    plain = armdyn.simulate(PLANAR, Q0, QD0, **options)
    other = armdyn.simulate(PLANAR, Q0, QD0, save=save, events=[Crossing(lambda t, q, qd: q[0] - 0.2)], **options)
    for name in ("t", "q", "qd", "qdd", "tau"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(other, name))
    np.testing.assert_array_equal(plain.energy.work, other.energy.work)


def test_a_bouncing_mass_within_its_step() -> None:
    """Before and after an impact within a step the mass falls freely; the impact is where its velocity changes sign."""
    e, height, h = 0.6, 0.05, 8e-3
    robot = mass_on_a_rail().with_limits({mass_on_a_rail().joint_names[0]: (0.0, 1.0)})
    hits = Crossing(lambda t, q, qd: qd[0], "impact", direction=1)
    motion = armdyn.simulate(
        robot,
        [height],
        duration=0.12,
        controller=idle,
        method=RungeKutta4(h),
        elements=[Stops(e)],
        events=[hits],
        save=SaveAt(dense=True),
    )
    impact = np.sqrt(2.0 * height / GRAVITY)
    speed = np.sqrt(2.0 * height * GRAVITY)
    assert 0.1 < impact / h % 1.0 < 0.9  # within its step
    assert abs(motion.events[0].t - impact) < 1e-12
    t = impact + np.linspace(-0.9, 0.9, 19) * min(impact % h, h - impact % h)
    since = t - impact
    exact = np.where(since < 0, height - GRAVITY * t**2 / 2, e * speed * since - GRAVITY * since**2 / 2)
    rates = np.where(since < 0, -GRAVITY * t, e * speed - GRAVITY * since)
    t, exact, rates = (np.delete(one, 9) for one in (t, exact, rates))  # the impact itself
    np.testing.assert_allclose(motion.at(t).q[:, 0], exact, rtol=0, atol=1e-11)
    np.testing.assert_allclose(motion.at(t).qd[:, 0], rates, rtol=0, atol=1e-10)


def test_a_joint_that_begins_to_stick_within_its_step() -> None:
    """A sliding mass stops after v/a, and rests from then on, in the middle of a step too."""
    drag, speed, h = 7.0, 0.3, 2e-2
    robot = mass_on_a_rail().with_gravity((0.0, 0.0, 0.0))
    robot = robot.with_friction({robot.joint_names[0]: (0.0, drag)})
    motion = armdyn.simulate(
        robot, [0.0], [speed], duration=0.2, controller=idle, method=RungeKutta4(h), save=SaveAt(dense=True)
    )
    stop = speed * MASS / drag
    assert 0.1 < stop / h % 1.0 < 0.9
    t = np.linspace(stop - 0.5 * h, stop + h, 31)
    exact = np.where(t < stop, speed * t - 0.5 * drag / MASS * t**2, 0.5 * speed * stop)
    there = motion.at(t)
    np.testing.assert_allclose(there.q[:, 0], exact, rtol=0, atol=1e-13)
    assert (there.qd[t > stop] == 0.0).all()


def test_an_arm_that_sticks_near_its_located_motion() -> None:
    """Events of joints that stick, in a loop and located: changes within a step cost an error of the second order."""
    dry = PLANAR.with_friction({"joint_1": (0.05, 0.8), "joint_2": (0.05, 0.4)})
    law = PLANAR.compile(pd_gravity)
    given = {"q_ref": np.array([0.5, -0.5]), "qd_ref": np.zeros(2), "Kp": np.full(2, 60.0), "Kd": np.full(2, 2.0)}
    event = Crossing(lambda t, q, qd: q[1] + 0.4, "aim", terminal=True)
    apart = []
    for h in (8e-3, 2e-3, 5e-4):
        torque = callback(lambda t, q, qd: law(np.array(q), np.array(qd), **given), sample_time=h)
        options = {"duration": 0.5, "method": RungeKutta4(h), "events": [event]}
        loop = armdyn.simulate(dry, Q0, [0.0, 0.05], controller=HOLDS, **options)
        driver = armdyn.simulate(dry, Q0, [0.0, 0.05], torque=torque, **options)
        located = next(one for one in driver.events if one.name == "aim")
        apart.append(abs(loop.events[0].t - located.t) / h**2)
        assert loop.t[-1] == loop.events[0].t
    assert max(apart) < 0.2  # s of an event at 0.09 s, per s^2


def test_controllers_that_run_in_python_and_traced_ones_have_equal_events() -> None:
    @armdyn.function("(n),(n),()->(n),(n)", result=None)
    def traced(model: Any, q: Any, qd: Any, t: Any) -> Any:
        return 30.0 * (np.array([0.5, -0.5]) * t - q) - qd, q * t

    @armdyn.function("(n),(n),()->(n),(n)", result=None)
    def untraced(model: Any, q: Any, qd: Any, t: Any) -> Any:
        calls.append(float(t))
        if float(q[0]) > 1e9:
            return q, q
        return 30.0 * (np.array([0.5, -0.5]) * t - q) - qd, q * t

    calls: list[float] = []
    ends = Plane("tip", normal=(0, 1, 0), through=(0, -0.3, 0), name="shelf", terminal=True)
    events = [Crossing(lambda t, q, qd: qd[1], "turn"), ends]
    options = {"duration": 2.0, "method": RungeKutta4(4e-3), "events": events, "save": SaveAt(every=0.0101)}
    first = armdyn.simulate(PLANAR, Q0, QD0, controller=traced, **options)
    with pytest.warns(armdyn.simulation.UntracedControllerWarning):
        second = armdyn.simulate(PLANAR, Q0, QD0, controller=untraced, **options)
    assert [one.name for one in first.events] == [one.name for one in second.events]
    assert first.events[-1].name == "shelf"
    assert first.t[-1] == first.events[-1].t < 2.0
    for name in ("t", "q", "qd", "tau"):
        np.testing.assert_allclose(getattr(first, name), getattr(second, name), rtol=0, atol=1e-12)
    np.testing.assert_allclose(first.signals["signal_1"], second.signals["signal_1"], rtol=0, atol=1e-12)
    assert max(calls) < second.t[-1]  # never called after the end
    assert len(calls) == first.statistics.steps


def test_a_motion_that_would_diverge_after_its_end_does_not() -> None:
    unstable = partial(pd_gravity, q_ref=[0.5, -0.5], Kp=-2000.0, Kd=-200.0)
    leaves = Crossing(lambda t, q, qd: abs(qd[0]) - 5.0, "fast", terminal=True)
    options = {"duration": 2.0, "controller": unstable, "method": RungeKutta4(1e-3)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GainWarning)
        warnings.simplefilter("error", DivergenceWarning)
        motion = armdyn.simulate(PLANAR, Q0, events=[leaves], **options)
        assert abs(abs(motion.qd[-1, 0]) - 5.0) < 1e-11
        assert np.isfinite(motion.q).all()


def test_each_arm_of_a_batch_is_as_alone() -> None:
    Kp, f_tip = np.array([[40.0], [60.0], [90.0]]) * np.ones(2), np.zeros((3, 6))
    f_tip[1, 4] = 3.0
    events = [Crossing(lambda t, q, qd: qd[1], "turn"), Crossing(lambda t, q, qd: q[0] - 0.3, "level", direction=1)]
    times, options = [0.0333, 0.2222], {"duration": 0.4, "method": RungeKutta4(4e-3), "events": events}
    q0 = np.array([[0.1, 0.2], [0.1, 0.2], [0.0, 0.3]])
    all_of_them = partial(pd_gravity, q_ref=[0.5, -0.5], Kp=Kp, Kd=2.0)
    batch = armdyn.simulate(PLANAR, q0, controller=all_of_them, f_tip=f_tip, save=SaveAt(times, dense=True), **options)
    assert [one.t for one in batch.events] == sorted(one.t for one in batch.events)
    for k in range(3):
        law = partial(pd_gravity, q_ref=[0.5, -0.5], Kp=Kp[k], Kd=2.0)
        alone = armdyn.simulate(
            PLANAR, q0[k], controller=law, f_tip=f_tip[k], save=SaveAt(times, dense=True), **options
        )
        own = [one for one in batch.events if one.index == (k,)]
        assert len(own) == len(alone.events) > 0
        np.testing.assert_allclose([one.t for one in own], [one.t for one in alone.events], rtol=0, atol=1e-13)
        np.testing.assert_allclose(batch.q[:, k], alone.q, rtol=0, atol=1e-13)
        np.testing.assert_allclose(batch.pick(k).at(0.1234).q, alone.at(0.1234).q, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(batch.at(0.1234).q[1], batch.pick(1).at(0.1234).q)


def test_brakes_act_within_steps() -> None:
    """A brake that engages as a step begins acts in that step: by the loop's own next state at its end."""
    braked = PLANAR.with_actuators({"joint_2": Actuator(gear=Gear(50.0), brake=Brake(0.5))})
    stops, swings = (
        BrakeSwitches({"joint_2": [(0.1, "engaged")]}),
        partial(pd_gravity, q_ref=[0.0, 0.0], Kp=2.0, Kd=0.0),
    )
    options = {"duration": 0.2, "controller": swings, "method": RungeKutta4(4e-3), "elements": [stops]}
    motion = armdyn.simulate(braked, [0.3, 0.3], [0.0, 0.5], save=SaveAt(dense=True), **options)
    before = motion.at(motion.t[1:] - 1e-9)
    np.testing.assert_allclose(before.q, motion.q[1:], rtol=0, atol=1e-8)
    np.testing.assert_allclose(before.qd, motion.qd[1:], rtol=0, atol=1e-6)
    assert motion.qd[25, 1] != 0.0
    assert motion.qd[-1, 1] == 0.0


def test_a_joint_pressed_against_its_stop_arrives_at_its_limit_once() -> None:
    robot = PLANAR.with_limits({"joint_2": (-2.0, 0.4)})
    presses = partial(pd_gravity, q_ref=[0.1, 1.0], Kp=60.0, Kd=8.0)
    motion = armdyn.simulate(
        robot,
        [0.1, 0.0],
        duration=1.0,
        controller=presses,
        elements=[Stops()],
        events=[JointLimit("joint_2")],
    )
    assert [one.name for one in motion.events] == ["joint_2 upper limit"]
    assert motion.q[-1, 1] == 0.4
    assert abs(motion.events[0].q[1] - 0.4) < 1e-9


@pytest.mark.short_run("0.0")
@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_contacts_are_events_of_planes(restitution: float) -> None:
    """The impact is the event, also if the point rebounds within the step; it is that of the event-driven driver."""
    floor = PointOnPlane("tip", normal=(0, 1, 0), through=(0, -0.8, 0), name="floor")
    falls = partial(pd_gravity, q_ref=[-1.0, 0.2], Kp=30.0, Kd=3.0)
    plane = Plane("tip", normal=(0, 1, 0), through=(0, -0.8, 0), name="floor")
    motion = armdyn.simulate(
        PLANAR, [0.0, 0.1], duration=0.5, controller=falls, elements=[Contact(floor, restitution)], events=[plane]
    )
    step = int(np.argmax(motion.signals["contact_force"][:, 0] > 0.0))
    first = motion.events[0]
    assert motion.t[step] < first.t < motion.t[step + 1]
    assert abs(PLANAR.with_constraints(floor).constraint_error(first.q)) < 1e-9
    law = PLANAR.compile(pd_gravity)
    given = {"q_ref": np.array([-1.0, 0.2]), "qd_ref": np.zeros(2), "Kp": np.full(2, 30.0), "Kd": np.full(2, 3.0)}
    torque = callback(lambda t, q, qd: law(np.array(q), np.array(qd), **given), sample_time=1e-3)
    options = {"duration": 0.5, "method": RungeKutta4(1e-3), "events": [plane]}
    driver = armdyn.simulate(PLANAR, [0.0, 0.1], torque=torque, elements=[Contact(floor, restitution)], **options)
    assert abs(first.t - next(one.t for one in driver.events if one.kind == "crossing")) < 1e-6
    if not restitution:
        assert len(motion.events) == 1


def test_a_duration_that_ends_within_a_step() -> None:
    options = {"controller": HOLDS, "method": RungeKutta4(1e-2)}
    motion = armdyn.simulate(PLANAR, Q0, QD0, duration=0.1234, **options)
    longer = armdyn.simulate(PLANAR, Q0, QD0, duration=0.13, save=SaveAt(dense=True), **options)
    assert motion.t[-2:].tolist() == [0.12, 0.1234]
    np.testing.assert_allclose(motion.q[-1], longer.at(0.1234).q, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(motion.q[:-1], longer.q[:-1])


def test_interpolants_pickle() -> None:
    motion = armdyn.simulate(PLANAR, Q0, duration=0.1, controller=HOLDS, save=SaveAt(dense=True))
    again = pickle.loads(pickle.dumps(motion))  # noqa: S301
    np.testing.assert_array_equal(again.at(0.01234).q, motion.at(0.01234).q)


def test_errors_and_refusals() -> None:
    ends = Crossing(lambda t, q, qd: q[0] - 0.2, terminal=True)
    options = {"duration": 0.1, "controller": HOLDS}
    with pytest.raises(SettingError, match="a terminal event ends the simulation, of a single state"):
        armdyn.simulate(PLANAR, np.zeros((2, 2)), events=[ends], **options)
    with pytest.raises(
        SimulationError, match="the function of Crossing 'crossing' returned nan at t = 0 s; expected one finite number"
    ):
        armdyn.simulate(PLANAR, Q0, events=[Crossing(lambda t, q, qd: np.nan)], **options)
    with pytest.raises(SettingError, match=r"times reach from 0\.5 to 0\.5 s; the duration is 0\.1 s"):
        armdyn.simulate(PLANAR, Q0, save=SaveAt(times=[0.5]), **options)


# `ClosedLoop.simulate`: its own time, inputs over time, states of its controller.


def held_mass(t: float, h: float, force: Any, x: float = 0.0, v: float = 0.0) -> tuple[float, float]:
    """Position and velocity of the mass under a force in each step, from its number, position and velocity."""
    for k in range(int(t / h + 1e-9) + 1):
        a, s = force(k, x, v) / MASS - GRAVITY, min(h, t - k * h)
        x, v = x + v * s + 0.5 * a * s * s, v + a * s
    return x, v


@pytest.mark.parametrize("require_traced", [True, False])
def test_a_loop_locates_events_and_keeps_states_at_any_time(require_traced: bool) -> None:
    """A falling mass on a sampled spring and damper from t0 on: the roots of its parabolas, and states on them."""

    @armdyn.function("(n),(n),()->(n)")
    def pulls_at(model: Any, q: Any, qd: Any, t: Any) -> Any:
        return -STIFFNESS * (q - REST) - DAMPING * qd + 5.0 * t

    h, t0, steps, level = 1e-2, 0.7, 100, -0.28
    force = lambda k, x, v: -STIFFNESS * (x - REST) - DAMPING * v + 5.0 * (t0 + k * h)  # noqa: E731
    passes = Crossing(lambda t, q, qd: q[0] - level + 0.1 * (t - t0), "level")
    loop = ClosedLoop(mass_on_a_rail(), pulls_at, method=RungeKutta4(h), require_traced=require_traced)
    times = t0 + np.array([0.0, 0.0034, 0.0131, 0.01999, 0.123456, 1.0])
    options = {"steps": steps, "t0": t0, "events": [passes]}
    motion = loop.simulate([0.0], save=SaveAt(times, dense=True), **options)
    exact = np.array([held_mass(t - t0, h, force) for t in times])
    np.testing.assert_allclose(motion.t, times, rtol=0, atol=1e-15)
    np.testing.assert_allclose(np.hstack([motion.q, motion.qd]), exact, rtol=0, atol=1e-13)
    between = np.linspace(t0, times[-1], 77)
    there = motion.at(between)
    exact = np.array([held_mass(t - t0, h, force) for t in between])
    np.testing.assert_allclose(np.hstack([there.q, there.qd]), exact, rtol=0, atol=1e-13)
    roots = []
    for k in range(steps):
        x, v = held_mass(k * h, h, force)
        a = force(k, x, v) / MASS - GRAVITY
        for root in np.roots([0.5 * a, v + 0.1, x - level + 0.1 * k * h]):
            if abs(root.imag) == 0.0 and 0.0 <= root.real < h:
                roots.append(t0 + k * h + root.real)
    assert len(motion.events) == len(roots) >= 2
    np.testing.assert_allclose([one.t for one in motion.events], sorted(roots), rtol=0, atol=1e-13)
    rows = loop.simulate([0.0], every=7, **options)
    exact = np.array([held_mass(k * h, h, force) for k in [*range(0, steps, 7), steps]])
    np.testing.assert_allclose(np.hstack([rows.q, rows.qd]), exact, rtol=0, atol=1e-13)
    assert [one.t for one in rows.events] == [one.t for one in motion.events]
    ends = loop.simulate([0.0], steps=3, h=0.1, t0=0.1, save=SaveAt([0.1, 0.4]))  # 0.1 + 3 * 0.1 is above 0.4
    np.testing.assert_allclose(ends.t, [0.1, 0.4], rtol=1e-15)


def test_events_and_states_under_forces_over_time() -> None:
    """Without a controller: tables of joint forces and wrenches, a row for each step, for two arms at once."""
    h, steps, level = 2e-2, 30, -0.05
    tau, wrench = 15.0 + 30.0 * np.sin(np.arange(steps)), np.zeros((steps, 2, 6))
    wrench[:, 1, 5] = np.cos(np.arange(steps))  # the force that the tip applies along z
    loop = ClosedLoop(mass_on_a_rail(), method=RungeKutta4(h), over_time=["tau", "f_tip"])
    passes = Crossing(lambda t, q, qd: q[0] - level, "level", direction=-1)
    given = {"steps": steps, "tau": tau[:, None], "f_tip": wrench, "events": [passes]}
    times = [0.0, 0.0077, 0.2345, 0.6]
    motion = loop.simulate(np.zeros((2, 1)), save=SaveAt(times), **given)
    sparse = loop.simulate(np.zeros((2, 1)), save=SaveAt([0.0, 0.5 * h, 10.5 * h, 0.6]), **given | {"events": ()})
    for arm in range(2):
        force = lambda k, x, v: tau[k] - wrench[k, arm, 5]  # noqa: B023, E731
        exact = np.array([held_mass(t, h, force) for t in times[:-1]])
        np.testing.assert_allclose(motion.q[:-1, arm, 0], exact[:, 0], rtol=0, atol=1e-14)
        np.testing.assert_allclose(motion.qd[:-1, arm, 0], exact[:, 1], rtol=0, atol=1e-14)
        np.testing.assert_array_equal(motion.tau[:, arm, 0], tau[[0, 0, 11, 29]])
        middle = np.array([held_mass(t, h, force) for t in (0.5 * h, 10.5 * h)])
        np.testing.assert_allclose(sparse.q[1:-1, arm, 0], middle[:, 0], rtol=0, atol=1e-14)
        for one in (one for one in motion.events if one.index == (arm,)):
            x, v = held_mass(one.t, h, force)
            assert abs(x - level) < 1e-14
            assert v < 0.0
    assert {one.index for one in motion.events} == {(0,), (1,)}


@armdyn.function("(n),(n),()->()")
def effort(model: Any, tau: Any, q_ref: Any, price: Any) -> Any:
    return price * (tau @ tau) + q_ref @ q_ref


@armdyn.function("(n),(n),(n),(),(n),(),(),(),()->(n),(n)", result=named_tuple("Pid", ["tau", "integral"]))
def pid_with_price(
    model: Any, q: Any, qd: Any, integral: Any, h: Any, q_ref: Any, Kp: Any, Kd: Any, Ki: Any, price: Any
) -> Any:
    error = q_ref - q
    integral = integral + h * error
    return Kp * error - Kd * qd + Ki * integral, integral


def test_states_of_a_controller_and_a_running_cost_within_steps() -> None:
    """The integral of a PID has the value with which the step begins; arm and events are those of the same forces."""
    given = {"q_ref": np.array([0.5, -0.5]), "Kp": 60.0, "Kd": 9.0, "Ki": 40.0}
    loop = ClosedLoop(PLANAR, pid_with_price, method=RungeKutta4(1e-2), running_cost=effort)
    event = Crossing(lambda t, q, qd: q[0] - 0.2, "aim")
    options = {"steps": 30, "save": SaveAt([0.0, 0.0123, 0.2], dense=True), "events": [event]}
    motion = loop.simulate(Q0, QD0, price=2.0, **given, **options)
    tau = loop.simulate(Q0, QD0, steps=30, price=2.0, **given).tau[:-1]
    table = ClosedLoop(PLANAR, method=RungeKutta4(1e-2), over_time=["tau"])
    other = table.simulate(Q0, QD0, tau=tau, **options)
    for name in ("t", "q", "qd", "tau"):
        np.testing.assert_allclose(getattr(motion, name), getattr(other, name), rtol=0, atol=1e-13)
    np.testing.assert_allclose(motion.at(0.111).q, other.at(0.111).q, rtol=0, atol=1e-13)
    assert len(motion.events) == len(other.events) == 1
    assert abs(motion.events[0].t - other.events[0].t) < 1e-12
    np.testing.assert_allclose(motion.signals["integral"][1], 1e-2 * (given["q_ref"] - Q0), rtol=1e-13)


@pytest.mark.parametrize("scheduled", [True, False])
def test_a_wrench_over_time_under_a_controller(scheduled: bool) -> None:
    """A falling mass whose tip pushes by the force of a table, or by held values: parabolas from step to step."""
    h, steps = 2e-2, 15
    pushes = np.zeros((steps, 6))
    pushes[:, 5] = 5.0 * np.cos(np.arange(steps))
    f_tip: Any = pushes
    if scheduled:
        f_tip = OverTime([0.0, 0.1, 0.3], np.array([pushes[0], pushes[1], pushes[1]]), "hold")
        pushes[:5], pushes[5:] = pushes[0], pushes[1].copy()
    times = [0.0, 0.0333, 0.1111, 0.3]
    options = {"controller": pulls, "method": RungeKutta4(h), "save": SaveAt(times)}
    motion = armdyn.simulate(mass_on_a_rail(), [0.0], duration=steps * h, f_tip=f_tip, **options)
    force = lambda k, x, v: -STIFFNESS * (x - REST) - DAMPING * v - pushes[min(k, steps - 1), 5]  # noqa: E731
    exact = np.array([held_mass(t, h, force) for t in times])
    np.testing.assert_allclose(np.hstack([motion.q, motion.qd]), exact, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(motion.f_tip[:, 5], pushes[[0, 1, 5, 14], 5])


@pytest.mark.parametrize("controlled", [True, False])
def test_a_motion_begins_at_its_own_time(controlled: bool) -> None:
    """States of a law without time are those from 0 on; events, trajectories and brakes have the time from t0 on."""
    robot = mass_on_a_rail().with_gravity((0.0, 0.0, 0.0))
    drive = Actuator(gear=Gear(50.0), brake=Brake(0.5))  # 25 N
    robot = robot.with_actuators({robot.joint_names[0]: drive})
    brakes = BrakeSwitches({robot.joint_names[0]: [(2.1, "engaged")]})
    loop = ClosedLoop(robot, idle if controlled else None, method=RungeKutta4(1e-2), elements=[brakes])
    given = {} if controlled else {"tau": np.zeros(1)}
    late = Crossing(lambda t, q, qd: t - 2.0345, "late")
    motion = loop.simulate([0.0], [0.3], steps=20, t0=2.0, events=[late], save=SaveAt(every=0.05), **given)
    np.testing.assert_allclose(motion.t, 2.0 + np.arange(5) * 0.05, rtol=1e-15)
    assert abs(motion.events[0].t - 2.0345) < 1e-13
    assert abs(motion.events[0].q[0] - 0.3 * 0.0345) < 1e-13
    stop = 0.3 * MASS / 25.0  # s after the brake engages
    np.testing.assert_allclose(motion.q[-1, 0], 0.3 * 0.1 + 0.15 * stop, rtol=1e-12)
    final = loop([0.0], [0.3], steps=20, t0=2.0, **given).final
    np.testing.assert_allclose(final.q, motion.q[-1], rtol=1e-13)
    free = ClosedLoop(robot, idle).simulate([0.0], [0.3], steps=20, t0=2.0, events=[late])
    np.testing.assert_allclose(free.t, 2.0 + np.arange(21) * 1e-3, rtol=1e-15)
    assert not free.events


def test_a_motion_that_ends_within_a_step_has_no_events_after_its_end() -> None:
    """The mass falls 0.05 m in 0.101 s, in a step from 0.1 to 0.11 s."""
    event = Crossing(lambda t, q, qd: q[0] + 0.05, "level", terminal=True)
    options = {"controller": idle, "method": RungeKutta4(1e-2), "events": [event]}
    ends = [armdyn.simulate(mass_on_a_rail(), [0.0], duration=t, **options) for t in (0.1005, 0.105)]
    assert [len(one.events) for one in ends] == [0, 1]
    assert ends[0].t[-1] == 0.1005
    assert abs(ends[1].t[-1] - np.sqrt(0.1 / GRAVITY)) < 1e-14


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"every": 5, "save": SaveAt(every=1e-2)}, "every=5 and SaveAt(times=None, every=0.01, dense=False) are both"),
        ({"save": 0.01}, "save=0.01; expected armdyn.simulation.SaveAt(every=0.01)"),
        ({"save": SaveAt([0.0, 0.2])}, "times reach from 0 to 0.2 s; the duration is 0.1 s"),
        ({"events": [1]}, "JointLimit, Plane and Crossing"),
        ({"events": [JointLimit()], "q": np.zeros((2, 2))}, "JointLimit: no joint has limits"),
        ({"q": np.zeros((2, 2)), "events": [Crossing(lambda t, q, qd: q[0], terminal=True)]}, "of a single state"),
    ],
)
def test_what_a_loop_does_not_keep_or_locate(options: dict[str, Any], message: str) -> None:
    loop = ClosedLoop(PLANAR, method=RungeKutta4(1e-3))
    q = options.pop("q", np.zeros(2))
    with pytest.raises(SettingError, match=re.escape(message)):
        loop.simulate(q, steps=100, tau=np.zeros(2), **options)


# Steps of one length without a controller's loop, as on the command line.


@pytest.mark.parametrize(("kind", "order"), ORDERS)
def test_the_order_of_fixed_steps_at_any_time(kind: Any, order: int) -> None:
    """States that are kept within a step, and interpolants: the error of a step, against an adaptive motion."""
    tau, kept, interpolated = np.array([8.0, -3.0]), [], []
    for h in (0.01, 0.005, 0.0025):
        t, options = np.array([0.2, 0.4, 0.7]) * h, {"duration": h, "torque": tau}
        motion = armdyn.simulate(PLANAR, Q0, QD0, save=SaveAt(t), method=kind(h), **options)
        dense = armdyn.simulate(PLANAR, Q0, QD0, save=SaveAt(dense=True), method=kind(h), **options).at(t)
        exact = armdyn.simulate(PLANAR, Q0, QD0, save=SaveAt(t), method=Adaptive(1e-13, 1e-13), **options)
        y = np.hstack([exact.q, exact.qd])[1:-1]
        kept.append(abs(np.hstack([motion.q, motion.qd])[1:-1] - y).max())
        interpolated.append(abs(np.hstack([dense.q, dense.qd]) - y).max())
    for errors in (kept, interpolated):
        slope = np.polyfit(np.log([0.01, 0.005, 0.0025]), np.log(errors), 1)[0]
        assert min(order, 4) - 0.25 < slope < order + 0.5, errors


def test_fixed_steps_at_any_time_of_a_batch_under_a_callable_and_with_rotors() -> None:
    """A batch as each state alone; kept times on steps are those of the motion without others; rotors too."""
    torque = lambda t, q, qd: np.array([np.sin(9.0 * t), -0.4]) - 0.3 * qd  # noqa: E731
    times = [0.0123, 0.02, 0.0999]
    start = Q0 + np.linspace(0.0, 0.1, 3)[:, None]
    options = {"duration": 0.1, "torque": torque, "method": RungeKutta4(4e-3)}
    batch = armdyn.simulate(springy(), start, save=SaveAt(times, dense=True), **options)
    plain = armdyn.simulate(springy(), start, **options)
    np.testing.assert_allclose(batch.q[2], plain.q[5], rtol=0, atol=1e-14)
    np.testing.assert_allclose(batch.q[-1], plain.q[-1], rtol=0, atol=1e-14)
    for k in range(3):
        alone = armdyn.simulate(springy(), start[k], save=SaveAt(times), **options)
        np.testing.assert_allclose(batch.q[:, k], alone.q, rtol=0, atol=1e-14)
        np.testing.assert_allclose(batch.signals["theta"][:, k], alone.signals["theta"], rtol=0, atol=1e-14)
    fine = armdyn.simulate(springy(), start, save=SaveAt(times), **options | {"method": RungeKutta4(1e-3)})
    np.testing.assert_allclose(batch.q, fine.q, rtol=0, atol=5e-6)
    np.testing.assert_allclose(batch.rotors_at(times).theta, fine.signals["theta"][1:-1], rtol=0, atol=5e-6)


def test_fixed_steps_with_friction_stops_and_constraints_at_any_time() -> None:
    """Between events states have the error of the method; after an impact within a step too."""
    robot = PLANAR.with_friction({"joint_1": (0.05, 0.3)}).with_limits({"joint_2": (-2.0, 0.3)})
    times = np.linspace(0.0, 0.6, 71)
    options = {"duration": 0.6, "elements": [Stops(0.5)], "torque": [0.0, 8.0]}
    fixed = armdyn.simulate(robot, Q0, save=SaveAt(times, dense=True), method=RungeKutta4(4e-3), **options)
    exact = armdyn.simulate(robot, Q0, save=SaveAt(times), method=Adaptive(1e-12, 1e-12), **options)
    assert len(fixed.events) == len(exact.events) > 2
    np.testing.assert_allclose(fixed.q, exact.q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(fixed.at(times).q, exact.q, rtol=0, atol=1e-8)
    again = pickle.loads(pickle.dumps(fixed))  # noqa: S301
    np.testing.assert_array_equal(again.at(times).q, fixed.at(times).q)


@pytest.mark.parametrize("traced", [True, False])
def test_a_brake_of_a_controller_is_engaged_by_one_at_most(traced: bool) -> None:
    """A result "brakes" of 3 holds as 1 does, if the controller is traced and if it runs in Python."""

    def brakes_by(size: float) -> Any:
        @armdyn.function("(n),(n)->(n),(1)", result=named_tuple("Braked", ["tau", "brakes"]))
        def law(model: Any, q: Any, qd: Any) -> Any:
            if not traced:
                float(q[0])
            return 0.0 * q, np.array([size])

        return law

    braked = PLANAR.with_actuators({"joint_2": Actuator(gear=Gear(50.0), brake=Brake(0.02))})
    options = {
        "duration": 0.1,
        "elements": [BrakeSwitches({"joint_2": []})],
        "save": SaveAt(times=[0.0123], dense=True),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", armdyn.simulation.UntracedControllerWarning)
        one, three = (armdyn.simulate(braked, [0.3, 0.3], controller=brakes_by(size), **options) for size in (1.0, 3.0))
    assert abs(one.q[-1, 1] - 0.3) > 1e-3
    np.testing.assert_allclose(three.q, one.q, rtol=0, atol=1e-14)
    np.testing.assert_allclose(three.at(0.0456).q, one.at(0.0456).q, rtol=0, atol=1e-14)
