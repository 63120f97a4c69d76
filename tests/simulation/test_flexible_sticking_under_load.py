"""Rigid joints that stick under load beside flexible joints: closed forms, all modes enumerated, stiff springs."""

from itertools import product

import numpy as np
import pytest

import armdyn
from armdyn.actuators import (
    Actuator,
    Brake,
    Coulomb,
    Gear,
    GearLoss,
    Motor,
    ServoFriction,
    Spring,
    StaticKinetic,
    Viscous,
)
from armdyn.simulation import Adaptive, OverTime, RungeKutta4, SaveAt, Start
from armdyn.simulation.system.bounded_rows import BoundedRows
from armdyn.simulation.system.coordinates import stacked
from oracles.carried_slide import CarriedSlide
from oracles.two_masses import TwoMasses

FINE = Adaptive(rtol=1e-11, atol=1e-12)
ARM = armdyn.load("planar_2r")
FIRST, SECOND = 1.2, 2.0  # kg
ROTOR, SECOND_ROTOR = 0.4, 0.3
ETA, BACK = 0.8, 0.55
RUBS = 1.0


def slides(first, second, g=9.81):
    """A mass on a vertical slide that carries the slide of another."""
    masses = [armdyn.Inertia(m, [0, 0, 0], 0.1 * np.eye(3)) for m in (FIRST, SECOND)]
    up = {"axis": (0, 0, 1)}
    parts = [
        armdyn.Part("block", "base", "prismatic", inertia=masses[0], joint="first", **up),
        armdyn.Part("load", "block", "prismatic", inertia=masses[1], joint="second", **up),
    ]
    bare = armdyn.Robot.from_links(parts, gravity=(0, 0, -g), tip="load")
    return bare.with_actuators({"first": first, "second": second})


def lossy(*friction, rotor=SECOND_ROTOR, eta=ETA, back=BACK, **more):
    return Actuator(Motor(rotor) if rotor else None, Gear(1.0, efficiency=eta, back_efficiency=back), friction, **more)


def springy(stiffness, *friction, **more):
    return Actuator(Motor(ROTOR), friction=friction, spring=Spring(stiffness, **more))


def simulated(robot, state, elements=(), **settings):
    """From (q, qd, theta, thetad) of the first slide and (q, qd) of the second."""
    q, qd, theta, thetad, q2, qd2 = state
    return armdyn.simulate(
        robot, [q, q2], [qd, qd2], elements=[Start(theta=[theta, q2], thetad=[thetad, qd2])], **settings
    )


def states(motion):
    theta, thetad = (motion.signals[name][:, 0] for name in ("theta", "thetad"))
    return np.stack([motion.q[:, 0], motion.qd[:, 0], theta, thetad, motion.q[:, 1], motion.qd[:, 1]], axis=-1)


def kinds(motion):
    return [(one.name, one.kind) for one in motion.events]


LINK_1, COULOMB_2, ROTOR_2, COULOMB_1 = 1.0, 0.6, 0.9, 2.0
"""Friction of the first link and the second joint, the second rotor's inertia, friction of the first rotor."""
LOSS = {"efficiency": 0.7, "back_efficiency": 0.4}
HANGS = ARM.with_actuators(
    {
        "joint_1": Actuator(Motor(ROTOR), Gear(1.0, **LOSS), Coulomb(COULOMB_1), spring=Spring(300.0)),
        "joint_2": lossy(Coulomb(COULOMB_2), rotor=ROTOR_2),
    }
).with_friction({"joint_1": (0.0, LINK_1)})


# Two slides, in closed form.

K, HOLDS = 120.0, 4.0  # N/m; N of Coulomb friction at the first rotor
TORQUE, START = [32.5, 29.0], (0.1, -1.03, 0.274, 0.0, 0.3, -0.7)
SLIDES = slides(springy(K, Coulomb(HOLDS)), lossy(Coulomb(RUBS)))
BELOW = TwoMasses(FIRST, ROTOR, K, tau=TORQUE[0], static=HOLDS, kinetic=HOLDS)


def compared(method):
    """The errors of events and of states, against the closed form, of a motion with all kinds of events."""
    events, at = CarriedSlide(BELOW, SECOND, SECOND_ROTOR, TORQUE[1], RUBS, ETA, BACK).motion(START, 0.41)
    expected = [(name, kind) for _, name, kind in events]
    assert set(expected) == set(product(["first rotor", "second"], ["stick", "slip", "reversal"]))
    motion = simulated(SLIDES, START, method=method, duration=0.41, torque=TORQUE, save=SaveAt(every=0.05))
    assert kinds(motion) == expected
    assert motion.notes == ()
    assert abs(motion.energy.relative_drift).max() < (1e-9 if method is FINE else 1e-6)
    late = max(abs(one.t - t) for one, (t, *_) in zip(motion.events, events, strict=True))
    return late, abs(states(motion) - [at(t) for t in motion.t]).max()


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
    both, g, most = FIRST + SECOND, 0.05, 10.0
    k = 9e-4 * both
    w, tau, sag = np.sqrt(k / both), 0.1, both * g / k
    first = Actuator(Motor(ROTOR), spring=Spring(k), brake=Brake(50.0, "engaged"))
    robot, method = slides(first, lossy(), g), Adaptive(1e-9, 1e-10)
    motion = simulated(
        robot,
        (most - sag, 0.0, 0.0, 0.0, 0.3, 0.0),
        duration=600.0,
        torque=[0.0, tau],
        method=method,
        save=SaveAt(every=20),
    )
    q = most * np.cos(w * motion.t) - sag
    load = SECOND * (g - w**2 * (q + sag))
    assert (BACK * load < tau).all()
    assert (tau < load / ETA).all()
    assert (motion.q[:, 1] == 0.3).all()
    assert (motion.qd[:, 1] == 0.0).all()
    assert (motion.signals["theta"][:, 0] == 0.0).all()
    assert motion.events == ()
    assert motion.notes == ()
    np.testing.assert_allclose(motion.q[:, 0], q, rtol=0, atol=1e-6)
    np.testing.assert_allclose(motion.signals["friction"][:, 1], tau - load, rtol=0, atol=1e-6)


@pytest.mark.short_run("rk4")
@pytest.mark.parametrize("method", [Adaptive(), RungeKutta4(10.0)], ids=["adaptive", "rk4"])
def test_an_arm_whose_drives_hold_everything_stands_still_in_every_digit(method):
    q = np.array([-1.2, 0.4])
    load = HANGS.gravity_forces(q)
    theta = q + HANGS.spring_deflections(load) + [2e-3, 0.0]
    push = 300.0 * 2e-3
    tau = np.array([load[0] + push + 1.0, load[1] / ETA + COULOMB_2 - 1e-6])
    motion = armdyn.simulate(
        HANGS, q, elements=[Start(theta=theta)], torque=tau, duration=600.0, method=method, save=SaveAt(every=100)
    )
    assert (motion.q == q).all()
    assert (motion.signals["theta"] == theta).all()
    np.testing.assert_allclose(motion.signals["friction"][-1], [push, tau[1] - load[1]], rtol=1e-10)
    np.testing.assert_allclose(motion.signals["rotor_friction"][-1], [1.0, 0.0], rtol=1e-9)
    assert motion.events == ()


def test_a_ramp_lets_a_loaded_joint_go_where_its_gear_says():
    """At rest on a spring the load is the weight."""
    r, weight, both = 20.0, SECOND * 9.81, (FIRST + SECOND) * 9.81
    starts = (weight * (1.0 / ETA - 1.0) + RUBS) / r
    ramp = OverTime([0.0, 1.0], [[both, weight], [both, weight + r]])
    at_rest = (-both / K, 0.0, 0.0, 0.0, 0.0, 0.0)
    motion = simulated(SLIDES, at_rest, duration=starts + 0.02, torque=ramp, save=SaveAt(every=0.05))
    assert kinds(motion) == [("second", "slip")]
    assert abs(motion.events[0].t - starts) < 1e-9
    assert motion.q[-1, 1] > 0


@pytest.mark.slow
def test_it_slips_when_a_contact_at_the_end_of_a_play_pushes_with_the_friction():
    """Without gravity the load in contact is m2 k v sin(w s)/(w (m1 + m2)), of which the gear is driven by eta_b."""
    both, b, v, k = FIRST + SECOND, 0.02, 0.2, 90.0
    w = np.sqrt(k / both)
    most = SECOND * k * v / (w * both)
    robot = slides(springy(k, Coulomb(50.0), backlash=b), lossy(Coulomb(0.4 * BACK * most)), g=0.0)
    motion = simulated(robot, (0.0, v, 0.0, 0.0, 0.1, 0.0), duration=0.2, method=FINE, save=SaveAt(every=0.05))
    assert kinds(motion)[:2] == [("first", "contact"), ("second", "slip")]
    contact, slip = motion.events[:2]
    assert abs(contact.t - b / 2 / v) < 1e-9
    assert abs(slip.t - contact.t - np.arcsin(0.4) / w) < 1e-9
    assert (motion.q[motion.t < slip.t, 1] == 0.1).all()
    assert abs(motion.energy.relative_drift).max() < 1e-9


# Limits.


@pytest.mark.slow
def test_stiff_springs_lead_to_the_rigid_arm_with_errors_of_one_over_their_stiffness():
    start = {"q0": [-1.5, 0.4], "qd0": [0.8, -0.5], "torque": ARM.gravity_forces([-1.5, 0.4]) * [0.9, 1.0]}
    start |= {"duration": 0.15, "save": SaveAt(every=0.15), "method": Adaptive(1e-7, 1e-9)}
    friction = {"joint_1": (Coulomb(0.8),), "joint_2": (Coulomb(0.3),)}
    rigid = ARM.with_actuators({name: lossy(*laws) for name, laws in friction.items()})
    exact, errors = armdyn.simulate(rigid, **start), []
    assert ("joint_2", "stick") in kinds(exact)
    for k in (1e3, 4e3):
        spring = Spring(k, damping=0.4 * np.sqrt(k))
        robot = rigid.with_actuators({"joint_1": lossy(*friction["joint_1"], spring=spring)})
        load = exact.tau[0] - exact.signals["friction"][0] - SECOND_ROTOR * exact.qdd[0]
        bent = robot.spring_deflections(load)
        motion = armdyn.simulate(robot, elements=[Start(theta=start["q0"] + bent)], **start)
        assert ("joint_2", "stick") in kinds(motion)
        errors.append(abs(motion.q[-1] - exact.q[-1]).max())
    assert errors[0] < 3e-3
    assert 3.0 < errors[0] / errors[1] < 5.0


@pytest.mark.slow
def test_gears_that_lose_almost_nothing_are_those_that_lose_nothing():
    """So the two ways to solve for what sticks agree: with friction under load, and without."""
    start = {"q0": [-0.9, 0.7], "qd0": [0.6, -0.3], "duration": 0.2, "save": SaveAt(every=0.1), "method": FINE}
    motions = []
    for gear in (Gear(1.0), Gear(1.0, efficiency=1.0 - 1e-13, back_efficiency=1.0 - 1e-13)):
        drive = Actuator(Motor(0.2), gear, StaticKinetic(2.5, 2.0))
        robot = ARM.with_actuators({"joint_1": springy(300.0, Coulomb(2.5)), "joint_2": drive})
        motions.append(armdyn.simulate(robot.with_friction({"joint_1": (0.05, 1.0)}), **start))
    without, with_loss = motions
    assert {"stick", "slip"} <= {kind for name, kind in kinds(without)}
    assert {name for name, _ in kinds(without)} == {"joint_1", "joint_2", "joint_1 rotor"}
    assert kinds(with_loss) == kinds(without)
    times = [[one.t for one in motion.events] for motion in motions]
    np.testing.assert_allclose(times[1], times[0], rtol=0, atol=1e-10)
    np.testing.assert_allclose(with_loss.q, without.q, rtol=0, atol=1e-11)


# What sticks, of all that rests.


def enumerated(q, load, tau, free_rotor):
    """Each consistent case of 3 ways of the first link, 5 of the second joint, 3 of the first rotor.

    A second joint that moves drives its load or is driven.
    """
    M, h = ARM.mass_matrix(q), ARM.gravity_forces(q)
    found = []
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
        fine = [
            first * qdd[0] > 0 if first else abs(load - own[0]) <= LINK_1,
            (second * qdd[1] > 0 and second * drives * own[1] > 0)
            if second
            else ends[0] - COULOMB_2 <= tau[1] <= ends[1] + COULOMB_2,
        ]
        if all(fine):
            found.append((first, second, qdd))
    ((first, second, qdd),) = found
    loss = GearLoss(**LOSS)
    least, most = (float(side) for side in loss.at_rest(load))
    rotor = int(free_rotor > most + COULOMB_1) - int(free_rotor < least - COULOMB_1)
    rubs = rotor * COULOMB_1 + float(loss.force(float(rotor), load))
    return (first, second, rotor), [*qdd, (free_rotor - rubs) / ROTOR if rotor else 0.0]


def test_one_mode_at_rest_is_consistent_and_is_found():
    rng = np.random.default_rng(23)
    rows, seen = BoundedRows(HANGS), set()
    assert rows.dry.names == ["joint_1", "joint_2", "joint_1 rotor"]
    for _ in range(60):
        q = rng.uniform(-2, 2, 2)
        weight = ARM.gravity_forces(q)
        bent = HANGS.spring_deflections(weight * rng.uniform(0.9, 1.1) + 2.0 * rng.normal(size=2))
        load = 300.0 * bent[0]
        tau = np.array([load, weight[1]]) * rng.uniform(0.1, 2.2, 2) + rng.normal(size=2)
        modes, qdd = enumerated(q, load, tau, tau[0] - load)
        x, xd = stacked(q, q + bent, [0]), np.zeros(3)
        mode = rows.decided(x, xd, (tau,), np.ones(3, dtype=bool), np.zeros(3, dtype=int))
        assert tuple(mode.slip) == modes
        np.testing.assert_array_equal(mode.held, mode.slip == 0)
        found = rows.rates(x, xd, (tau,), mode)
        np.testing.assert_allclose(found.qdd, qdd, rtol=0, atol=1e-11 * max(1.0, np.abs(qdd).max()))
        assert (found.qdd[mode.held] == 0.0).all()
        if mode.held.any():
            holding = rows.holding(x, xd, (tau,), mode)
            np.testing.assert_allclose(-holding.forces, found.friction[mode.held], rtol=0, atol=1e-9)
            assert holding.nearest.distance >= 0
        seen.add(modes)
    assert len(seen) >= 12


@pytest.mark.slow
def test_servos_beside_flexible_joints_obey_their_law():
    """What the law takes at the load that follows: all of it in motion, at most that at rest."""
    rng, law = np.random.default_rng(24), ServoFriction(coulomb=0.1, viscous=0.2, motor=0.1, external=0.2)
    robot = ARM.with_actuators({"joint_1": springy(300.0, Coulomb(2.0)), "joint_2": Actuator(Motor(0.2), friction=law)})
    rows, held = BoundedRows(robot), 0
    assert rows.dry.names == ["joint_2", "joint_1 rotor"]
    for _ in range(40):
        q, qd = rng.uniform(-2, 2, 2), np.array([rng.normal(), 0.0])
        on_links = ARM.bias_forces(q, qd) * rng.uniform(0.8, 1.2, 2)
        tau = ARM.bias_forces(q, qd) * rng.uniform(0.5, 2.0, 2) + rng.normal(size=2)
        theta = q + np.array([on_links[0] / 300.0, 0.0])
        x, xd = stacked(q, theta, [0]), stacked(qd, np.zeros(2), [0])
        mode = rows.decided(x, xd, (tau,), np.ones(2, dtype=bool), np.zeros(2, dtype=int))
        qdd, _, _, friction = rows.rates(x, xd, (tau,), mode)
        load = ARM.inverse_dynamics(q, qd, qdd[:2])
        np.testing.assert_allclose(load[0], on_links[0], rtol=0, atol=1e-11)
        np.testing.assert_allclose(load[1] + friction[1] + 0.2 * qdd[1], tau[1], rtol=0, atol=1e-11)
        least, most = (float(side) for side in law.at_rest(load[1]))
        if mode.held[0]:
            assert qdd[1] == 0.0
            assert least <= friction[1] <= most
        else:
            assert mode.slip[0] * qdd[1] > 0
            np.testing.assert_allclose(friction[1], most if mode.slip[0] > 0 else least, rtol=0, atol=1e-9)
        held += int(mode.held[0])
    assert 5 < held < 35


# What is said.


def test_coupled_joints_beside_flexible_ones_do_not_stick_and_say_so():
    bare = armdyn.load("planar_3r").with_mimic({"joint_3": ("joint_2", 1.0)})
    robot = bare.with_actuators({"joint_1": springy(300.0, Coulomb(2.0)), "joint_2": lossy()})
    motion = armdyn.simulate(robot, [0.1, 0.2], duration=0.02, method="rk4")
    (note,) = (note for note in motion.notes if "do not stick" in note)
    assert note.startswith("friction depends on the load of joints that are coupled")
    assert "(joint_1, joint_2); use friction that does not, or a smooth law" in note
    assert "rotor_friction" not in motion.signals


@pytest.mark.slow
def test_a_joint_without_load_starts_where_the_motion_of_others_takes_it() -> None:
    """Its motor pushes it forwards by 80 t; what the damper of the next joint does pushes it backwards by more."""
    bare = armdyn.load("scara")
    names, gear = bare.joint_names, Gear(100.0)
    drives = {
        names[0]: Actuator(Motor(1e-5), Gear(100.0, efficiency=0.8)),
        names[1]: Actuator(Motor(1e-5), gear, friction=(Coulomb(0.5),), spring=Spring(800.0, damping=2.0)),
    }
    robot, start = bare.with_actuators(drives), ([0.0] * 4, [0.0, 3.0, 0.0, 0.0])

    def torque(t, q, qd):
        return np.array([20.0 * np.sin(4.0 * t), 8.0 * np.cos(3.0 * t), 0.0, 0.0])

    fine, stepped = (
        armdyn.simulate(robot, *start, duration=0.02, torque=torque, method=method)
        for method in (Adaptive(rtol=1e-10, atol=1e-11), RungeKutta4(1e-3))
    )
    assert [kind for _, kind in kinds(fine)] == [kind for _, kind in kinds(stepped)] == ["slip"]
    assert (fine.qd[1:, 0] < 0.0).all()
    np.testing.assert_allclose(stepped.q[-1], fine.q[-1], atol=1e-8)


@pytest.mark.slow
def test_a_lossy_rotor_without_coulomb_friction_follows_its_link_from_a_spring_at_rest() -> None:
    """At first the deflection is rounding of its two positions, and so is the load that decides whether it sticks."""
    bare = armdyn.load("stanford")
    slide = bare.joint_names[2]
    drive = Actuator(Motor(1e-5), Gear(100.0, efficiency=0.6), friction=(Viscous(0.27),), spring=Spring(1544.68))
    start = [0.0, 0.0, 0.3058, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, -2.0, 1.0, -2.0]
    motion = armdyn.simulate(bare.with_actuators({slide: drive}), *start, duration=0.02)
    assert kinds(motion) == [(f"{slide} rotor", "slip")]
    assert motion.events[0].t < 1e-7
    assert (motion.signals["thetad"][1:, 2] < 0.0).all()
