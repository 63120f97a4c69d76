"""Stops and contacts of arms with flexible joints: closed forms, SciPy with terminal events, statics, stiff springs."""

import re

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import armdyn
from armdyn.actuators import Actuator, Coulomb, Gear, Motor, Spring
from armdyn.constraints import PointOnPlane
from armdyn.simulation import (
    Adaptive,
    Contact,
    Heun,
    RungeKutta4,
    SaveAt,
    SemiImplicitEuler,
    SimulationError,
    Start,
    Stops,
)
from armdyn.simulation.divergence import too_long_for_springs
from oracles.two_masses import TwoMasses, first_end
from simulation.arms import FINE, PLANAR, near, times
from simulation.arms import slide as slide_along_x

LINK, ROTOR, K = 2.0, 0.5, 40.0
SLIDE = slide_along_x(limits=(-0.5, 0.3), gravity=(0, 0, 0))

PLAIN = PLANAR.with_limits({"joint_1": (-0.4, 2.0), "joint_2": (-0.05, 0.6)})
DRIVE = Actuator(Motor(1e-3), Gear(20.0), spring=Spring(500.0))
ARM = PLAIN.with_actuators({"joint_1": DRIVE})
FLOOR = PointOnPlane("tip", (0, 1, 0), (0, -0.6, 0), name="floor")
PENDULUM = PLANAR.with_locked({"joint_2": 0.0}).with_limits({"joint_1": (-1.0, 0.2)})


def slide(*laws, robot=SLIDE):
    """A block before a spring and a rotor, which rubs."""
    return robot.with_actuators({"x": Actuator(Motor(rotor_inertia=ROTOR), None, laws or None, spring=Spring(K))})


def struck_block(state, tau, e, duration):
    """Events (t, kind) and the state over time of a block between its stops, piece by piece in closed form."""
    free = TwoMasses(LINK, ROTOR, K, tau=tau)
    inside = [lambda s: 0.3 - s[0], lambda s: s[0] + 0.5]
    t, pieces, events, held = 0.0, [], [], 0
    while t < duration:
        path = pressed(state, tau) if held else free.path(state, 1, driving=True)
        ends = [lambda s, way=held: way * (s[2] - s[0])] if held else inside
        after, place = first_end(path, ends, duration - t)
        pieces.append((t, path))
        t, state = t + after, path(after)
        if t >= duration:
            break
        if held:
            events.append((t, "release"))
            held = 0
            continue
        events.append((t, "impact"))
        side = 1 if place == 0 else -1
        state = state[0], -e * state[1], *state[2:]
        if e == 0.0 and side * (state[2] - state[0]) > 0.0:
            events.append((t, "rest"))
            held = side
    begins = np.array([begin for begin, _ in pieces])

    def at(t):
        begin, path = pieces[int(np.searchsorted(begins, t, side="right")) - 1]
        return path(t - begin)

    return events, at


def pressed(state, tau):
    """The rotor swings on the spring of a block that its stop holds."""
    q, _, theta, thetad = state
    w, middle = np.sqrt(K / ROTOR), q + tau / K

    def at(t):
        c, s = np.cos(w * t), np.sin(w * t)
        return (q, 0.0, middle + (theta - middle) * c + thetad / w * s, -w * (theta - middle) * s + thetad * c)

    return at


@pytest.mark.short_run("1.0-method1-1e-09")
@pytest.mark.parametrize(
    ("e", "method", "error"), [(0.0, FINE, 1e-9), (1.0, FINE, 1e-9), (0.0, RungeKutta4(0.01), 1e-4)]
)
def test_a_block_between_stops_in_closed_form(e, method, error):
    """Impacts, and with e = 0 rests at a stop that end where the spring pulls."""
    state = 0.0, 1.0, 0.02, 0.8
    events, at = struck_block(state, 12.0, e, 1.8)
    q, qd, theta, thetad = ([one] for one in state)
    settings = {"torque": [12.0], "duration": 1.8, "save": SaveAt(every=0.1), "method": method}
    motion = armdyn.simulate(slide(), q, qd, elements=[Stops(e), Start(theta=theta, thetad=thetad)], **settings)
    assert [one.kind for one in motion.events] == [kind for _, kind in events]
    assert len(events) >= 4
    near([one.t for one in motion.events], [t for t, _ in events], error)
    found = np.stack([motion.q, motion.qd, motion.signals["theta"], motion.signals["thetad"]], axis=-1)[:, 0]
    near(found, [at(t) for t in motion.t], 10 * error)
    assert abs(motion.energy.relative_drift).max() < error
    push = motion.signals["stop_force"]
    held = push.any(axis=1)
    assert held.any() == (e == 0.0)
    spring = K * (motion.signals["theta"] - motion.q)[held, 0]
    near(push[held, 1] - push[held, 0], spring, 1e-12)


def test_a_rotor_that_friction_holds_does_not_feel_the_impacts_of_its_link():
    """The link swings on the spring of a rotor at rest, against an elastic stop, and theta does not change."""
    w, v = np.sqrt(K / LINK), 2.0
    first = np.arcsin(0.3 * w / v) / w
    robot = slide(Coulomb(1.1 * v * np.sqrt(K * LINK)))
    settings = {"duration": 5.0, "save": SaveAt(every=0.2), "method": FINE}
    motion = armdyn.simulate(robot, [0.0], [v], elements=[Stops(1.0), Start(thetad=[0.0])], **settings)
    expected = first + np.arange(9) * (np.pi / w + 2 * first)
    near(times(motion, "impact"), expected[expected < 5.0], 1e-9)
    assert len(motion.events) >= 5
    assert (motion.signals["theta"] == 0.0).all()
    near(motion.signals["rotor_friction"], K * motion.q, 1e-9)
    assert abs(motion.energy.drift).max() < 1e-9


def struck_arm(gaps, rows, e, state, duration):
    """Times and states behind the impacts of the arm by SciPy with terminal events; M is that of the links alone."""

    def rates(t, y):
        q, theta, qd, thetad = np.split(y, 4)
        qdd, thetadd = ARM.flexible_forward_dynamics(q, qd, theta, thetad, np.zeros(2))
        return [*qd, thetad[0], qd[1], *qdd, thetadd[0], qdd[1]]

    def event(k):
        def gap(t, y):
            return gaps(y[:2])[k]

        gap.terminal, gap.direction = True, -1
        return gap

    events, t, y, found = [event(k) for k in range(len(gaps(state[:2])))], 0.0, state, []
    while True:
        piece = solve_ivp(rates, (t, duration), y, method="DOP853", rtol=1e-13, atol=1e-13, events=events)
        t, y = piece.t[-1], piece.y[:, -1]
        if piece.status == 0:
            return found, y
        k = next(k for k, each in enumerate(piece.t_events) if len(each))
        a, lever = rows(y[:2])[k], np.linalg.solve(PLAIN.mass_matrix(y[:2]), rows(y[:2])[k])
        y[4:6] -= (1.0 + e) * (a @ y[4:6]) / (a @ lever) * lever
        y[7] = y[5]
        found.append((t, y[:2], y[4:6]))


ON_FLOOR = PLAIN.with_constraints(FLOOR)
BARRIERS = {
    "stops": (
        {"elements": [Stops(1.0)]},
        lambda q: [q[0] + 0.4, 2.0 - q[0], q[1] + 0.05, 0.6 - q[1]],
        lambda q: np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]),
        1.0,
    ),
    "contact": ({"elements": [Contact(FLOOR, 0.7)]}, ON_FLOOR.constraint_error, ON_FLOOR.constraint_jacobian, 0.7),
}


@pytest.mark.short_run("contact")
@pytest.mark.parametrize("what", BARRIERS)
def test_impacts_of_an_arm_are_those_of_scipy_with_terminal_events(what):
    given, gaps, rows, e = BARRIERS[what]
    duration = 0.5 if what == "stops" else 0.9
    found, y = struck_arm(gaps, rows, e, np.zeros(8), duration)
    motion = armdyn.simulate(ARM, [0, 0], duration=duration, method=FINE, **given)
    assert len(found) >= 2
    near(times(motion, "impact"), [t for t, *_ in found], 1e-9)
    for one, (_, q, qd) in zip(motion.events, found, strict=True):
        near(one.q, q, 1e-8)
        near(one.qd, qd, 1e-7)
    near(motion.q[-1], y[:2], 1e-8)
    near(motion.signals["theta"][-1], y[2:4], 1e-8)
    assert abs(motion.energy.drift).max() < 1e-9
    if e == 1.0:
        assert abs(np.array([one.energy for one in motion.events])).max() < 1e-12


def test_what_holds_the_tip_on_a_floor_pushes_along_its_normal():
    """M qdd + h - tau_J of the links, two numbers, is the one force of the contact by its row."""
    drives = {name: Actuator(Motor(1e-3), Gear(20.0), spring=Spring(500.0, 3.0)) for name in ("joint_1", "joint_2")}
    robot = PLAIN.with_actuators(drives)
    motion = armdyn.simulate(robot, [0, 0], duration=0.5, elements=[Contact(FLOOR)], save=SaveAt(every=0.01))
    (_, (t, *_)) = [[one.t for one in motion.events if one.kind == kind] for kind in ("impact", "rest")]
    later = motion.t > t
    assert later.sum() > 5
    q, qd, qdd, f = (each[later] for each in (motion.q, motion.qd, motion.qdd, motion.signals["contact_force"]))
    theta, thetad = (motion.signals[name][later] for name in ("theta", "thetad"))
    springs = 500.0 * (theta - q) + 3.0 * (thetad - qd)
    left = PLAIN.inverse_dynamics(q, qd, qdd) - springs
    near(left, ON_FLOOR.constraint_jacobian(q)[:, 0] * f, 1e-9)
    assert (f >= 0.0).all()
    assert f.max() > 1.0
    near(ON_FLOOR.constraint_error(q), 0.0, 1e-9)


def pendulum(stiffness):
    """Before a spring that is damped critically."""
    inertia = 0.4
    spring = Spring(stiffness, damping=2.0 * np.sqrt(stiffness * inertia))
    return PENDULUM.with_actuators({"joint_1": Actuator(Motor(rotor_inertia=inertia), spring=spring)})


def test_a_stop_that_holds_a_link_pushes_with_what_statics_says():
    robot, tau = pendulum(500.0), 60.0
    settings = {
        "duration": 1.0,
        "elements": [Stops()],
        "save": SaveAt(every=0.5),
        "method": Adaptive(rtol=1e-8, atol=1e-8),
    }
    motion = armdyn.simulate(robot, [0.0], torque=[tau], **settings)
    assert [one.kind for one in motion.events] == ["impact", "rest"]
    assert motion.q[-1, 0] == 0.2
    assert motion.qd[-1, 0] == motion.qdd[-1, 0] == 0.0
    weight = robot.gravity_forces([0.2])[0]
    np.testing.assert_allclose(motion.signals["stop_force"][-1], [0.0, tau - weight], rtol=1e-7)
    np.testing.assert_allclose(motion.signals["theta"][-1] - 0.2, [tau / 500.0], rtol=1e-7)


def test_a_link_that_an_inelastic_stop_releases_does_not_hit_it_again() -> None:
    """The rotor behind the spring swings back and takes the link off the stop, where it rests but for rounding."""
    bare = armdyn.load("scara")
    shoulder, _, quill, wrist = bare.joint_names
    drives = {
        shoulder: Actuator(Motor(1e-5), Gear(100.0, efficiency=0.8), spring=Spring(1131.48, damping=1.0)),
        quill: Actuator(
            Motor(1e-5), Gear(100.0, efficiency=0.6), friction=(Coulomb(0.874772),), spring=Spring(2122.72, damping=1.0)
        ),
        wrist: Actuator(Motor(1e-5), Gear(100.0, efficiency=0.8), friction=(Coulomb(1.2067),), spring=Spring(1183.59)),
    }
    start = [0.0, 0.0, 0.001, 0.0], [-2.0] * 4
    motion = armdyn.simulate(bare.with_actuators(drives), *start, duration=0.03, elements=[Stops(0.0)])
    of_quill = [one.kind for one in motion.events if one.name == f"{quill} lower stop"]
    assert of_quill == ["impact", "impact", "rest", "release"]
    assert motion.q[-1, 2] > 1e-4
    assert motion.qd[-1, 2] > 0.0


def test_steps_that_are_too_long_for_a_spring_are_named():
    """w^2 = k (1/M + 1/B); with z = w h a step of semi-implicit Euler has the factors of the sum 2 - z^2 and product 1.

    Those of Heun are 1 + i z - z^2 / 2 and its conjugate.
    """
    w = np.sqrt(K * (1.0 / LINK + 1.0 / ROTOR))
    words = (
        rf"is too long for the spring of joint 'x': the arm vibrates .* up to {w:.4g} rad/s there, and each step "
        r"multiplies such a vibration by %.4g. Use a step well below %s s, or method="
    )
    settings = {"duration": 4.0, "elements": [Stops(0.0), Start(theta=[1e6])]}
    with pytest.raises(SimulationError, match="more than 100 events at .*" + words % (abs(-7.0 + 4.0j), r"0\.\d+")):
        armdyn.simulate(slide(), [0.0], [0.5], torque=lambda t, q, qd: [0.0], method=Heun(4.0 / w), **settings)
    semi_implicit = words % (7.0 + np.sqrt(48.0), f"{2.0 / w:.2g}")
    for torque in (lambda t, q, qd: [0.0], None):
        motion = armdyn.simulate(slide(), [0.0], [0.5], torque=torque, method=SemiImplicitEuler(4.0 / w), **settings)
        assert any(re.search(semi_implicit, note) for note in motion.notes)
    assert too_long_for_springs(slide(), SemiImplicitEuler(1.99 / w), np.zeros(1)) == ""


def test_a_link_leaves_its_stop_by_heun_steps():
    """There its acceleration is zero, and the first step off the stop leaves the position what it is."""
    start = (0.2, 0.5, 0.25, 1.5)
    events, at = struck_block(start, 0.0, 0.0, 0.8)
    q, qd, theta, thetad = ([one] for one in start)
    motion = armdyn.simulate(
        slide(), q, qd, elements=[Stops(0.0), Start(theta=theta, thetad=thetad)], duration=0.8, method=Heun(step=4e-3)
    )
    assert [one.kind for one in motion.events] == [kind for _, kind in events] == ["impact", "rest", "release"]
    near([one.t for one in motion.events], [t for t, _ in events], 2e-4)
    near(motion.q[:, 0], [at(t)[0] for t in motion.t], 1e-4)


def test_a_step_that_is_too_long_for_a_spring_and_stays_finite_is_told() -> None:
    found = ARM.simulate([0.1, 0.2], duration=1.0, method=SemiImplicitEuler(0.05), elements=[Stops(0.3)])
    (told,) = (note for note in found.notes if "energy drifts" in note)
    assert "the step of 0.05 s is too long for the spring of joint 'joint_1'" in told
    fine = ARM.simulate([0.1, 0.2], duration=1.0, method=SemiImplicitEuler(0.01), elements=[Stops(0.3)])
    assert not any("energy drifts" in note for note in fine.notes)
