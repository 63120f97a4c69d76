"""Dry friction at flexible joints: rotors and links that stick, against closed forms and all cases enumerated."""

from itertools import product

import numpy as np
import pytest

import armdyn
from armdyn.actuators import (
    Actuator,
    Brake,
    Coulomb,
    DirectionDependent,
    Gear,
    GearLoss,
    Motor,
    Spring,
    StaticKinetic,
    Stribeck,
    Viscous,
)
from armdyn.simulation import Adaptive, OverTime, RungeKutta4, SaveAt, SettingError, SimulationError, Start
from armdyn.simulation.system.bounded_rows import BoundedRows
from armdyn.simulation.system.coordinates import stacked
from oracles.short_run import each_once, short_run
from oracles.two_masses import TwoMasses

ROTOR, K = 0.4, 30.0
FINE = Adaptive(rtol=1e-11, atol=1e-12)
ARM = armdyn.load("planar_2r")
HINGE = ARM.with_gravity((0, 0, 0)).with_locked({"joint_2": 0.0})
LINK = float(HINGE.mass_matrix([0.0])[0, 0])


def hinge(*laws, spring=None, gear=None, robot=HINGE):
    """A joint with a spring between its rotor and its link."""
    drive = Actuator(Motor(rotor_inertia=ROTOR), gear, laws or None, spring=spring or Spring(K))
    return robot.with_actuators({robot.joint_names[0]: drive})


def slide(*laws, mass=2.0, g=9.81):
    """A mass on a vertical slide, which a rotor holds by a spring."""
    body = armdyn.Inertia(mass, [0, 0, 0], 0.1 * np.eye(3))
    part = armdyn.Part("block", "base", "prismatic", axis=(0, 0, 1), inertia=body, joint="z")
    return hinge(*laws, robot=armdyn.Robot.from_links([part], gravity=(0, 0, -g), tip="block"))


def simulated(robot, state, elements=(), **settings):
    """From (q, qd, theta, thetad) of one joint."""
    q, qd, theta, thetad = ([one] for one in state)
    return armdyn.simulate(robot, q, qd, elements=[Start(theta=theta, thetad=thetad), *elements], **settings)


def states(motion):
    return np.stack([motion.q, motion.qd, motion.signals["theta"], motion.signals["thetad"]], axis=-1)[:, 0]


def kinds(motion):
    return [(one.name, one.kind) for one in motion.events]


# One joint.


@pytest.mark.slow
def test_a_link_swings_on_the_spring_of_a_rotor_that_friction_holds_for_ten_minutes():
    """theta does not change in any digit, and q is a harmonic oscillation of sqrt(k/I)."""
    k = 0.13 * LINK
    robot, w = hinge(Coulomb(0.6), spring=Spring(k)), np.sqrt(k / LINK)
    most = 0.5 / k
    motion = simulated(robot, (0.3 + most, 0.0, 0.3, 0.0), duration=600.0, method=FINE)
    assert (motion.signals["theta"] == 0.3).all()
    assert (motion.signals["thetad"] == 0.0).all()
    np.testing.assert_allclose(motion.q[:, 0], 0.3 + most * np.cos(w * motion.t), rtol=0, atol=1e-9)
    np.testing.assert_allclose(motion.qdd[:, 0], -(w**2) * (motion.q[:, 0] - 0.3), rtol=0, atol=1e-11)
    np.testing.assert_allclose(motion.signals["rotor_friction"], k * (motion.q - 0.3), rtol=0, atol=1e-13)
    assert (motion.signals["friction"] == 0.0).all()
    assert motion.events == ()
    assert motion.notes == ()


@pytest.mark.slow
def test_an_arm_that_its_drives_hold_stands_still_in_every_digit():
    drives = {
        "joint_1": Actuator(Motor(0.1), Gear(5.0), Coulomb(30.0), spring=Spring(900.0, damping=2.0)),
        "joint_2": Actuator(Motor(0.1), Gear(5.0), Coulomb(20.0)),
    }
    robot = ARM.with_actuators(drives).with_friction({"joint_1": (0.1, 0.5)})
    load = robot.gravity_forces([0.2, 0.4])
    bent = robot.spring_deflections(load)
    motion = armdyn.simulate(robot, [0.2, 0.4], elements=[Start(theta=[0.2 + bent[0] + 2e-4, 0.4])], duration=600.0)
    assert (motion.signals["theta"] == motion.signals["theta"][0]).all()
    assert (motion.q == [0.2, 0.4]).all()
    push = 900.0 * 2e-4
    np.testing.assert_allclose(motion.signals["rotor_friction"][-1], [-load[0] - push, 0.0], rtol=1e-10)
    np.testing.assert_allclose(motion.signals["friction"][-1], [push, -load[1]], rtol=1e-10)
    assert motion.events == ()


DRIVES = {
    "Coulomb": ((Coulomb(2.0),), None, {"static": 2.0, "kinetic": 2.0}),
    "static and kinetic": ((StaticKinetic(3.0, 2.0),), None, {"static": 3.0, "kinetic": 2.0}),
    "gear loss": (
        (Coulomb(0.5),),
        Gear(1.0, efficiency=0.8, back_efficiency=0.6),
        {"static": 0.5, "kinetic": 0.5, "efficiency": 0.8, "back": 0.6},
    ),
}


@pytest.mark.short_run("Coulomb-0.0")
@pytest.mark.parametrize(("name", "tau"), each_once(DRIVES, [0.0, 1.3]))
def test_rotor_and_link_are_two_masses_in_closed_form(name, tau):
    laws, gear, numbers = DRIVES[name]
    start = (0.1, 1.5, 0.13, 0.0)
    events, at = TwoMasses(LINK, ROTOR, K, tau=tau, **numbers).motion(start, 4.0)
    assert len(events) >= 10
    motion = simulated(hinge(*laws, gear=gear), start, duration=4.0, torque=[tau], method=FINE)
    assert kinds(motion) == [("joint_1 rotor", kind) for _, kind in events]
    np.testing.assert_allclose([one.t for one in motion.events], [t for t, _ in events], rtol=0, atol=1e-9)
    np.testing.assert_allclose(states(motion), [at(t) for t in motion.t], rtol=0, atol=5e-9)
    assert abs(motion.energy.relative_drift).max() < 1e-9
    assert motion.notes == ()


@pytest.mark.slow
def test_fixed_steps_keep_their_order_where_the_load_of_a_gear_changes_its_sign():
    """The loss has a kink there, which no step goes over; nor over what sticks and slips."""
    laws, gear, numbers = DRIVES["gear loss"]
    start = (0.1, 1.5, 0.13, 0.0)
    events, at = TwoMasses(LINK, ROTOR, K, **numbers).motion(start, 1.6)
    assert len(events) == 7
    errors = []
    for step in (8e-3, 4e-3, 2e-3):
        motion = simulated(
            hinge(*laws, gear=gear), start, duration=1.6, method=RungeKutta4(step=step), save=SaveAt(every=0.4)
        )
        assert kinds(motion) == [("joint_1 rotor", kind) for _, kind in events]
        errors.append(abs(states(motion) - [at(t) for t in motion.t]).max())
    assert errors[2] < 5e-8
    assert errors[0] > 10.0 * errors[1] > 100.0 * errors[2]


def test_all_kinds_of_events_are_among_them():
    found = [
        kind
        for laws, _, numbers in DRIVES.values()
        for _, kind in TwoMasses(LINK, ROTOR, K, **numbers).motion((0.1, 1.5, 0.13, 0.0), 4.0)[0]
    ]
    assert set(found) == {"stick", "slip", "reversal"}


def test_it_breaks_away_at_the_time_when_the_spring_pulls_with_the_friction():
    """k v sin(w t)/w = c."""
    c, v, w = 2.0, 0.9, np.sqrt(K / LINK)
    motion = simulated(hinge(Coulomb(c)), (0.0, v, 0.0, 0.0), duration=0.4, method=FINE)
    slip = motion.events[0]
    assert (slip.name, slip.kind) == ("joint_1 rotor", "slip")
    assert abs(slip.t - np.arcsin(c * w / (K * v)) / w) < 1e-10
    assert (motion.signals["theta"][motion.t < slip.t] == 0.0).all()
    assert (motion.signals["theta"][motion.t > slip.t] > 0.0).all()


@pytest.mark.short_run("adaptive")
@pytest.mark.parametrize("method", [FINE, armdyn.simulation.RungeKutta4(2e-3)], ids=["adaptive", "rk4"])
def test_a_vertical_slide(method):
    """A mass hangs on the spring of a rotor that rubs; gravity is the pull."""
    events, at = TwoMasses(2.0, ROTOR, K, tau=18.0, pull=-2.0 * 9.81, static=6.0, kinetic=5.0).motion(
        (0.2, -2.0, 0.1, 0.0), 2.0
    )
    assert {kind for _, kind in events} == {"stick", "slip", "reversal"}
    motion = simulated(
        slide(StaticKinetic(6.0, 5.0)),
        (0.2, -2.0, 0.1, 0.0),
        duration=2.0,
        torque=[18.0],
        method=method,
        save=SaveAt(every=0.1),
    )
    assert kinds(motion) == [("z rotor", kind) for _, kind in events]
    tolerance = 1e-9 if method is FINE else 1e-6
    np.testing.assert_allclose([one.t for one in motion.events], [t for t, _ in events], rtol=0, atol=tolerance)
    np.testing.assert_allclose(states(motion), [at(t) for t in motion.t], rtol=0, atol=10 * tolerance)


def test_the_stribeck_effect_and_viscous_friction():
    """Against smooth equations of the slip alone, from the analytic breakaway on until it comes to rest."""
    from scipy.integrate import solve_ivp

    law = Stribeck(3.0, 2.0, 0.1)
    v, w = 1.5, np.sqrt(K / LINK)
    motion = simulated(hinge(law, Viscous(0.3)), (0.0, v, 0.0, 0.0), duration=1.0, method=FINE, save=SaveAt(every=0.05))
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
    assert abs(stick.t - slips.t_events[0][0]) < 1e-8
    assert stick.kind == "stick"
    np.testing.assert_allclose([stick.q[0], stick.qd[0]], slips.y_events[0][0][:2], rtol=0, atol=1e-8)
    assert abs(motion.energy.relative_drift).max() < 1e-9


@pytest.mark.slow
def test_friction_that_differs_between_directions():
    """A torque of 2 N m starts a rotor against 1.5 N m forwards, and does not against 2.5 N m backwards."""
    robot = hinge(DirectionDependent(Coulomb(1.5), Coulomb(2.5)))
    for tau, moves in ((2.0, True), (-2.0, False)):
        motion = armdyn.simulate(robot, [0.0], duration=0.05, torque=[tau])
        assert (motion.signals["theta"][-1, 0] != 0.0) == moves
        assert (motion.q[-1, 0] != 0.0) == moves


def test_a_link_sticks_in_its_bearing_while_the_rotor_moves():
    """A ramp r t at the rotor: theta = r (t - sin(w t)/w)/k, w^2 = k/B, until k theta is the bearing's friction."""
    from scipy.optimize import brentq

    r, c, w = 3.0, 2.0, np.sqrt(K / ROTOR)
    robot = hinge().with_friction({"joint_1": (0.0, c)})
    motion = armdyn.simulate(
        robot, [0.2], duration=1.0, torque=OverTime([0.0, 1.0], [[0.0], [r]]), method=FINE, save=SaveAt(every=0.02)
    )
    bent = lambda t: r * (t - np.sin(w * t) / w) / K  # noqa: E731
    slip = motion.events[0]
    assert (slip.name, slip.kind) == ("joint_1", "slip")
    assert abs(slip.t - brentq(lambda t: K * bent(t) - c, 0.3, 0.9, xtol=1e-14)) < 1e-9
    held = motion.t < slip.t
    assert held.sum() > 20
    assert (motion.q[held] == 0.2).all()
    np.testing.assert_allclose(motion.signals["theta"][held, 0], 0.2 + bent(motion.t[held]), rtol=0, atol=1e-10)
    np.testing.assert_allclose(motion.signals["friction"][held, 0], K * bent(motion.t[held]), rtol=0, atol=1e-9)
    assert (motion.signals["rotor_friction"] == 0.0).all()
    assert abs(motion.energy.relative_drift).max() < 1e-9


def test_an_engaged_brake_holds_the_rotor_alone():
    drive = Actuator(Motor(ROTOR / 100.0), Gear(10.0), spring=Spring(K), brake=Brake(0.3, "engaged"))
    motion = simulated(HINGE.with_actuators({"joint_1": drive}), (0.0, 0.2, 0.0, 0.0), duration=3.0, method=FINE)
    w = np.sqrt(K / LINK)
    assert (motion.signals["theta"] == 0.0).all()
    np.testing.assert_allclose(motion.q[:, 0], 0.2 * np.sin(w * motion.t) / w, rtol=0, atol=1e-9)


@pytest.mark.slow
def test_a_gear_loss_alone_holds_within_its_cone():
    """tau between eta load and load/eta_b."""
    robot, load = hinge(gear=Gear(1.0, efficiency=0.8, back_efficiency=0.6)), -1.0
    robot = robot.with_friction({"joint_1": (0.0, 50.0)})
    for tau, moves in ((-0.7, 0), (-1.2, 0), (-0.55, 1), (-1.3, -1)):
        motion = armdyn.simulate(robot, [0.0], elements=[Start(theta=[load / K])], duration=0.05, torque=[tau])
        moved = motion.signals["theta"][-1, 0] - load / K
        assert np.sign(moved) == moves
        assert (motion.q == 0.0).all()


# Several joints.


def two_joints(*laws, efficiency=None):
    """The first flexible, with a bearing that rubs, the second rigid."""
    gear = Gear(10.0) if efficiency is None else Gear(10.0, efficiency=efficiency[0], back_efficiency=efficiency[1])
    drives = {
        "joint_1": Actuator(Motor(0.004), gear, laws, spring=Spring(300.0, damping=0.8, cubic=2e3)),
        "joint_2": Actuator(Motor(0.002), Gear(10.0), StaticKinetic(1.5, 1.2)),
    }
    return ARM.with_actuators(drives).with_friction({"joint_1": (0.05, 1.0)})


SWING = {
    "q0": [-0.9, 0.7],
    "qd0": [1.0, -2.0],
    "elements": [Start(theta=[-0.95, 0.7], thetad=[0.0, -2.0])],
    "duration": 1.0,
}


@pytest.mark.slow
def test_an_arm_that_swings_and_sticks_closes_its_energy_account_by_every_method():
    robot = two_joints(Coulomb(2.5), Viscous(0.1))
    exact = armdyn.simulate(robot, method=FINE, save=SaveAt(every=0.25), **SWING)
    assert {name for name, _ in kinds(exact)} == {"joint_1", "joint_1 rotor", "joint_2"}
    assert {"stick", "slip"} <= {kind for _, kind in kinds(exact)}
    assert abs(exact.energy.relative_drift).max() < 1e-9
    errors = []
    for step in (5e-3, 2.5e-3, 1.25e-3):
        motion = armdyn.simulate(robot, method=RungeKutta4(step=step), save=SaveAt(every=0.25), **SWING)
        assert kinds(motion) == kinds(exact)
        errors.append(abs(motion.q - exact.q).max())
    assert errors[0] < 1e-5
    assert errors[2] < errors[0] / 100.0
    radau = armdyn.simulate(robot, method=Adaptive(1e-8, 1e-10, scipy_method="Radau"), save=SaveAt(every=0.25), **SWING)
    np.testing.assert_allclose(radau.q, exact.q, rtol=0, atol=1e-6)


def free_and_inertia(smooth, behind, q, theta, tau):
    """Accelerations of links and rotor that rest, without friction, and the inertia of (q, theta_1).

    smooth is the arm without friction, and behind that without what stands before the spring.
    """
    qdd, thetadd = smooth.flexible_forward_dynamics(q, [0.0, 0.0], theta, [0.0, 0.0], tau)
    M = np.zeros((3, 3))
    M[:2, :2] = behind.mass_matrix(q)
    M[2, 2] = 0.004 * 10.0**2
    return np.append(qdd, thetadd[0]), M


def enumerated(free, M, static, kinetic):
    """All of the 27 cases of sticking and slipping that are consistent: directions and accelerations.

    static and kinetic have the least and the largest friction of every row, shape (2, 3).
    """
    forces, found = M @ free, []
    for case in product((-1, 0, 1), repeat=3):
        s = np.array(case)
        stuck, slips = np.flatnonzero(s == 0), np.flatnonzero(s)
        friction = np.where(s > 0, kinetic[1], kinetic[0])
        change = np.zeros(3)
        if len(slips):
            change[slips] = np.linalg.solve(M[np.ix_(slips, slips)], (forces - friction)[slips])
        takes = forces - M @ change
        within = (static[0][stuck] <= takes[stuck]) & (takes[stuck] <= static[1][stuck])
        if within.all() and (s * change >= 0).all():
            found.append((s, change))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("efficiency", [None, (0.8, 0.6)], ids=["Coulomb", "gear loss"])
def test_what_is_decided_at_rest_is_a_consistent_case_of_all(efficiency):
    rng = np.random.default_rng(17)
    robot = two_joints(StaticKinetic(2.5, 2.0), efficiency=efficiency)
    rows, seen, several = BoundedRows(robot), set(), 0
    smooth = robot.without_friction()
    behind = smooth.with_actuators({"joint_1": None})
    assert rows.dry.names == ["joint_1", "joint_2", "joint_1 rotor"]
    loss = None if efficiency is None else GearLoss(*efficiency)
    for _ in range(250):
        q, tau = rng.uniform(-2, 2, 2), rng.uniform(-4, 4, 2)
        theta = q + robot.spring_deflections(robot.gravity_forces(q) * rng.uniform(0.7, 1.3, 2))
        load = float(Spring(300.0, 0.8, 2e3).force(theta[0] - q[0], 0.0))
        tau += [load, robot.gravity_forces(q)[1]]
        free, M = free_and_inertia(smooth, behind, q, theta, tau)
        static, kinetic = np.array([1.0, 1.5, 2.5]), np.array([1.0, 1.2, 2.0])
        static, kinetic = np.array([-static, static]), np.array([-kinetic, kinetic])
        if loss is not None:
            static[:, 2] += loss.at_rest(load)
            kinetic[:, 2] += [loss.force(-1.0, load), loss.force(1.0, load)]
        every = enumerated(free, M, static, kinetic)
        x, xd = stacked(q, theta, [0]), np.zeros(3)
        mode = rows.decided(x, xd, (tau,), np.ones(3, dtype=bool), np.zeros(3, dtype=int))
        rates = rows.rates(x, xd, (tau,), mode)
        matching = [change for s, change in every if np.array_equal(s, mode.slip)]
        assert len(matching) == 1
        np.testing.assert_array_equal(mode.held, mode.slip == 0)
        np.testing.assert_allclose(rates.qdd, matching[0], rtol=0, atol=1e-10 * max(1.0, abs(matching[0]).max()))
        assert (rates.qdd[mode.held] == 0.0).all()
        if any((s == 0).all() for s, _ in every):
            assert mode.held.all()  # what can stay at rest does
        seen.add(tuple(mode.slip.tolist()))
        several += len(every) > 1
    assert len(seen) >= 15
    assert several > 3


# Backlash.


def test_a_link_knocks_about_a_rotor_that_friction_holds_in_the_play():
    """Through the play in b/v, in contact half a period of sqrt(k/I)."""
    b, v, w = 0.02, 0.05, np.sqrt(K / LINK)
    robot = hinge(Coulomb(K * v / w * 1.001), spring=Spring(K, backlash=b))
    crosses, touches = b / v, np.pi / w
    motion = simulated(robot, (0.3, v, 0.3, 0.0), duration=4.0 * (crosses + touches), method=FINE)
    assert (motion.signals["theta"] == 0.3).all()
    expected = [b / 2 / v + n * (crosses + touches) + then for n in range(4) for then in (0.0, touches)]
    assert kinds(motion) == [("joint_1", kind) for _ in range(4) for kind in ("contact", "release")]
    np.testing.assert_allclose([one.t for one in motion.events], expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(abs(motion.qd[motion.t < expected[0], 0]), v, rtol=0, atol=1e-15)
    assert abs(motion.energy.relative_drift).max() < 1e-9


@pytest.mark.parametrize("method", [FINE, armdyn.simulation.RungeKutta4(5e-3)], ids=["adaptive", "rk4"])
def test_it_slips_when_the_contact_pushes_with_the_friction(method):
    """k v sin(w s)/w = c, s after the contact."""
    b, v, w, c = 0.02, 0.2, np.sqrt(K / LINK), 1.0
    robot = hinge(Coulomb(c), spring=Spring(K, backlash=b))
    motion = simulated(robot, (0.0, v, 0.0, 0.0), duration=0.5, method=method)
    contact, slip = motion.events[:2]
    assert [(one.name, one.kind) for one in (contact, slip)] == [("joint_1", "contact"), ("joint_1 rotor", "slip")]
    assert abs(contact.t - b / 2 / v) < 1e-9
    assert abs(slip.t - b / 2 / v - np.arcsin(c * w / (K * v)) / w) < (1e-9 if method is FINE else 1e-8)


@pytest.mark.short_run("4.0")
@pytest.mark.parametrize("damping", [0.0, 4.0])
def test_plays_beside_joints_that_stick_are_those_of_arms_without(damping):
    """A second joint that friction holds is one that is locked, where no joint rubs."""
    drive = Actuator(Motor(ROTOR), spring=Spring(300.0, damping, backlash=0.02))
    arm = ARM.with_gravity((0, 0, 0)).with_actuators({"joint_1": drive})
    locked = arm.with_locked({"joint_2": 0.4})
    times = np.linspace(0.0, 0.7, 15)
    alone = armdyn.simulate(
        locked, [0.0], elements=[Start(thetad=[0.5])], duration=0.7, method=FINE, save=SaveAt(times=times)
    )
    beside = armdyn.simulate(
        arm.with_friction({"joint_2": (0.0, 40.0)}),
        [0.0, 0.4],
        elements=[Start(thetad=[0.5, 0.0])],
        duration=0.7,
        method=FINE,
        save=SaveAt(times=times),
    )
    assert len(alone.events) > 5
    assert kinds(beside) == kinds(alone)
    np.testing.assert_allclose([one.t for one in beside.events], [one.t for one in alone.events], rtol=0, atol=1e-8)
    np.testing.assert_allclose(beside.q[:, 0], alone.q[:, 0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(beside.signals["theta"][:, 0], alone.signals["theta"][:, 0], rtol=0, atol=1e-9)
    assert (beside.q[:, 1] == 0.4).all()
    assert abs(beside.energy.relative_drift).max() < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("damping", short_run([0.0, 4.0], 4.0))
def test_fixed_steps_keep_their_order_across_a_play(damping):
    drive = Actuator(Motor(ROTOR), friction=Coulomb(0.3), spring=Spring(300.0, damping, backlash=0.02))
    robot = ARM.with_actuators({"joint_1": drive}).with_friction({"joint_2": (0.1, 0.5)})
    settings = {"q0": [0.0, 0.4], "elements": [Start(thetad=[0.5, 0.0])], "duration": 0.8, "save": SaveAt(every=0.2)}
    exact = armdyn.simulate(robot, method=FINE, **settings)
    assert {"contact", "release", "reversal"} <= {kind for _, kind in kinds(exact)}
    errors = [
        abs(armdyn.simulate(robot, method=RungeKutta4(step=step), **settings).q - exact.q).max()
        for step in (4e-3, 2e-3)
    ]
    assert errors[0] < 1e-6
    assert errors[1] < errors[0] / 12.0


# Ways to simulate.


@pytest.mark.slow
def test_batches_tables_and_callables():
    robot, method = two_joints(Coulomb(2.5)), {"method": RungeKutta4(step=5e-3)}
    q0 = np.array([[-0.9, 0.7], [0.1, 0.2], [np.nan, 0.0]])
    table = np.repeat([[3.0, 0.0], [0.0, 1.0]], 20, axis=0)
    for settings in (method, {}):
        torque = table if settings else np.array([[3.0, 0.0], [0.0, 1.0]])
        batch = armdyn.simulate(robot, q0, duration=0.2, torque=torque[:, None], save=SaveAt(every=0.05), **settings)
        for k in (0, 1):
            alone = armdyn.simulate(robot, q0[k], duration=0.2, torque=torque, save=SaveAt(every=0.05), **settings)
            for name in ("theta", "friction", "rotor_friction"):
                np.testing.assert_array_equal(batch.signals[name][:, k], alone.signals[name])
            np.testing.assert_array_equal(batch.qdd[:, k], alone.qdd)
            assert [one.t for one in batch.events if one.index == (k,)] == [one.t for one in alone.events]
        assert np.isnan(batch.q[-1, 2]).all()

    seen = []

    def law(t, q, qd):
        seen.append(q.shape)
        return [3.0 * np.cos(9 * t), -qd[1]]

    by_law = armdyn.simulate(robot, q0[0], duration=0.2, torque=law, save=SaveAt(every=0.1))
    stepped = armdyn.simulate(robot, q0[0], duration=0.2, torque=law, save=SaveAt(every=0.1), **method)
    np.testing.assert_allclose(by_law.q, stepped.q, rtol=0, atol=1e-6)
    assert set(seen) == {(2,)}
    sampled = armdyn.control.callback(law, sample_time=0.05)
    assert np.isfinite(armdyn.simulate(robot, q0[0], duration=0.2, torque=sampled, **method).q).all()
    with pytest.raises(SettingError, match="acts on a single state if events, stops, contacts or dry friction"):
        armdyn.simulate(robot, q0[:2], duration=0.2, torque=sampled, **method)
    with pytest.raises(SimulationError, match="initial state"):
        armdyn.simulate(robot, q0[2:], duration=0.2)


@pytest.mark.short_run("0.0")
@pytest.mark.parametrize("coulomb", [0.4, 0.0])
def test_a_law_that_switches_is_carried_through_by_fixed_steps(coulomb):
    """A motor that brakes a rigid joint by the sign of its velocity, against a steep smooth law by a stiff solver."""
    drive = Actuator(Motor(ROTOR), friction=Coulomb(coulomb), spring=Spring(300.0, damping=2.0))
    robot = ARM.with_gravity((0, 0, 0)).with_actuators({"joint_1": drive})
    settings = {"q0": [0.0, 0.3], "qd0": [0.3, 0.2], "duration": 0.5, "save": SaveAt(every=0.05)}
    steps = Adaptive(1e-8, 1e-8, chattering_step=5e-4)
    motion = armdyn.simulate(robot, torque=lambda t, q, qd: [0.0, -4.0 * np.sign(qd[1])], method=steps, **settings)
    (note,) = motion.notes
    assert note.startswith("chattering: the torque of 'joint_2' switched faster than the adaptive method can follow")
    stiff = Adaptive(1e-8, 1e-8, scipy_method="Radau", chattering_step=None)
    smooth = armdyn.simulate(
        robot, torque=lambda t, q, qd: [0.0, -4.0 * np.tanh(qd[1] / 1e-5)], method=stiff, **settings
    )
    np.testing.assert_allclose(motion.q, smooth.q, rtol=0, atol=5e-4)  # the first order of 0.5 ms
    assert abs(smooth.q[-1, 0]) > 0.02


@pytest.mark.parametrize("scipy_method", ["BDF", "LSODA"])
def test_solvers_with_a_history_hold_rotors_too(scipy_method):
    """They start anew at events; the link swings on the spring of a rotor that friction holds."""
    robot, k = hinge(Coulomb(5.0), spring=Spring(60.0 * LINK)), 60.0 * LINK
    method = Adaptive(1e-9, 1e-11, scipy_method=scipy_method)
    motion = simulated(robot, (0.3 + 0.5 / k, 0.0, 0.3, 0.0), duration=1.0, method=method)
    assert (motion.signals["theta"] == 0.3).all()
    swing = 0.3 + 0.5 / k * np.cos(np.sqrt(60.0) * motion.t)
    np.testing.assert_allclose(motion.q[:, 0], swing, rtol=0, atol=2e-6 / k)
    assert motion.events == ()
    assert motion.notes == ()
