"""Friction with a state at rotors of flexible joints and at rigid joints beside them."""

import re

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import armdyn
from armdyn.actuators import Actuator, Coulomb, Gear, LuGre, MaxwellSlip, Motor, Spring, Viscous
from armdyn.simulation import (
    Adaptive,
    ClosedLoop,
    Heun,
    RungeKutta4,
    SaveAt,
    SemiImplicitEuler,
    Start,
    Stops,
)

PLAIN = armdyn.load("planar_2r")
B, K, D, VISCOUS = 0.4, 500.0, 0.4, 0.2
ROTOR = LuGre(stiffness=300.0, bristle_damping=3.0, viscous=0.1, static=1.5, kinetic=1.0, speed=0.1)
ELBOW = LuGre(stiffness=200.0, bristle_damping=2.0, viscous=0.05, static=0.6, kinetic=0.4, speed=0.2)
SPRINGY = Actuator(Motor(B / 400.0), Gear(20.0), [ROTOR, Viscous(VISCOUS)], spring=Spring(K, damping=D))
ARM = PLAIN.with_actuators({"joint_1": SPRINGY, "joint_2": Actuator(friction=ELBOW)})
BENT = {"theta": [0.31, 0.0], "thetad": [-0.5, 0.0], "bristles": [0.002, -0.001]}
START = {"q0": [0.3, 0.2], "qd0": [0.1, 0.0], "elements": [Start(**BENT)]}
TAU = np.array([6.0, 0.9])
TIMES = np.linspace(0.0, 0.5, 26)


def equations(t, y):
    """The equations of Canudas de Wit et al. (1995) at a rotor and at the joint of a link, written out."""
    q, qd, theta, thetad, z = y[:2], y[2:4], y[4], y[5], y[6:]
    rates, F, z_rates = [thetad, qd[1]], [], []
    for law, v, bend in zip((ROTOR, ELBOW), rates, z, strict=True):
        G = law.kinetic + (law.static - law.kinetic) * np.exp(-((v / law.speed) ** 2))
        z_rate = v - law.stiffness * abs(v) * bend / G
        F.append(law.stiffness * bend + law.bristle_damping * z_rate + law.viscous * v)
        z_rates.append(z_rate)
    through = K * (theta - q[0]) + D * (thetad - qd[0])
    qdd = np.linalg.solve(PLAIN.mass_matrix(q), [through, TAU[1] - F[1]] - PLAIN.bias_forces(q, qd))
    return [*qd, *qdd, thetad, (TAU[0] - through - F[0] - VISCOUS * thetad) / B, *z_rates]


@pytest.fixture(scope="module")
def solved():
    """(q, qd, theta, thetad, z) at the times."""
    start = [*START["q0"], *START["qd0"], BENT["theta"][0], BENT["thetad"][0], *BENT["bristles"]]
    return solve_ivp(equations, (0.0, 0.5), start, method="DOP853", rtol=1e-12, atol=1e-13, t_eval=TIMES).y.T


def states(motion):
    """(q, qd, theta, thetad, z) at these times, of the rotor that has a spring."""
    rotor = np.stack([motion.signals["theta"][:, 0], motion.signals["thetad"][:, 0]], axis=-1)
    return np.concatenate([motion.q, motion.qd, rotor, motion.signals["bristles"]], axis=-1)


@pytest.mark.short_run("rk4", "LSODA", "BDF")
@pytest.mark.parametrize(
    ("method", "error", "drift"),
    [
        (Adaptive(1e-11, 1e-12), 1e-9, 1e-10),
        (Adaptive(1e-11, 1e-12, "LSODA"), 1e-9, 1e-10),
        (Adaptive(1e-9, 1e-10, "Radau"), 1e-9, 1e-10),
        (Adaptive(1e-9, 1e-11, "BDF"), 2e-7, 1e-8),
        ("rk4", 4e-5, 1e-9),
    ],
    ids=["DOP853", "LSODA", "Radau", "BDF", "rk4"],
)
def test_rotor_and_rigid_joint_on_their_bristles(solved, method, error, drift):
    """Presliding, sliding and turning round; the energy account closes with what the bristles store."""
    motion = armdyn.simulate(ARM, torque=TAU, duration=0.5, method=method, save=SaveAt(times=TIMES), **START)
    np.testing.assert_allclose(states(motion), solved, rtol=0, atol=error)
    assert abs(motion.energy.relative_drift).max() < drift
    assert motion.notes == ()
    stored = 0.5 * (motion.signals["bristles"] ** 2) @ [ROTOR.stiffness, ELBOW.stiffness]
    springs = 0.5 * K * (motion.signals["theta"] - motion.q)[:, 0] ** 2
    np.testing.assert_allclose(motion.energy.potential, PLAIN.potential_energy(motion.q) + springs + stored, rtol=1e-12)
    rates = np.array([equations(t, y) for t, y in zip(motion.t, states(motion), strict=True)])
    forces = TAU[0] - K * (motion.signals["theta"] - motion.q)[:, 0] - D * (motion.signals["thetad"] - motion.qd)[:, 0]
    np.testing.assert_allclose(motion.signals["rotor_friction"][:, 0], forces - B * rates[:, 5], rtol=0, atol=1e-9)
    load = PLAIN.inverse_dynamics(motion.q, motion.qd, rates[:, 2:4])[:, 1]
    np.testing.assert_allclose(motion.signals["friction"][:, 1], TAU[1] - load, rtol=0, atol=1e-9)
    np.testing.assert_allclose(motion.qdd, rates[:, 2:4], rtol=0, atol=1e-8)


def test_steps_are_of_the_second_order(solved):
    errors = [
        abs(
            states(armdyn.simulate(ARM, torque=TAU, duration=0.5, method=Heun(h), save=SaveAt(times=TIMES), **START))
            - solved
        ).max()
        for h in (2e-3, 1e-3)
    ]
    assert 3.6 < errors[0] / errors[1] < 4.4


@pytest.mark.parametrize(("method", "order"), [(RungeKutta4, 2), (SemiImplicitEuler, 1)])
def test_closed_loops_carry_what_bends(solved, method, order):
    """At the rotor and at the rigid joint; K + P + springs + bristles - work stays what it is."""
    errors = []
    for h in (1e-3, 2.5e-4):
        loop = ClosedLoop(ARM, method=method(h), record=["q", "qd", "theta", "thetad", "bristles"], energy=True)
        every = round(0.02 / h)
        rolled = loop(START["q0"], START["qd0"], **BENT, steps=25 * every, every=every, tau=TAU)
        rows = rolled.rows
        found = np.concatenate([rows.q, rows.qd, rows.theta[:, :1], rows.thetad[:, :1], rows.bristles], axis=-1)
        errors.append(abs(found - solved[:-1])[:, [0, 1, 4, 6, 7]].max())
    assert errors[1] < (2e-6 if order == 2 else 5e-4)
    assert np.log2(errors[0] / errors[1]) / 2 > order - 0.1

    def stored(q, qd, theta, thetad, z):
        bent = 0.5 * z**2 @ [ROTOR.stiffness, ELBOW.stiffness]
        springs = ARM.potential_energy(q) + ARM.spring_energy(q, theta)
        return ARM.flexible_kinetic_energy(q, qd, thetad) + springs + bent

    begun = stored(*map(np.array, (START["q0"], START["qd0"], *BENT.values())))
    ended = stored(*(getattr(rolled.final, name) for name in ("q", "qd", "theta", "thetad", "bristles")))
    assert abs(ended - begun - rolled.final.work) < (1e-9 if order == 2 else 1e-2)
    assert rolled.final.heat > 0.1


def test_a_closed_loop_of_what_bends_beside_dry_friction():
    """The rigid joint comes to rest exactly, the rotor swings on its bristles; the account closes."""
    robot = PLAIN.with_actuators({"joint_1": SPRINGY, "joint_2": Actuator(friction=[ELBOW, Coulomb(2.0)])})
    loop = ClosedLoop(robot, method=Heun(5e-4), record=["q", "bristles"], energy=True)
    assert loop.state == ("q", "qd", "theta", "thetad", "bristles", "work", "heat")
    q0, qd0 = np.array([-1.5, 0.1]), np.array([0.0, 0.3])
    rolled = loop(q0, qd0, steps=3000, tau=PLAIN.gravity_forces(q0))
    final, rows = rolled.final, rolled.rows
    assert final.qd[1] == 0.0
    assert (rows.q[-2000:, 1] == final.q[1]).all()
    assert np.ptp(rows.bristles[-2000:, 0]) > 1e-6
    assert (rows.bristles[-2000:, 1] == final.bristles[1]).all()
    bent = 0.5 * final.bristles**2 @ [ROTOR.stiffness, ELBOW.stiffness]
    kinetic = robot.flexible_kinetic_energy(final.q, final.qd, final.thetad) - PLAIN.kinetic_energy(q0, qd0)
    stored = robot.spring_energy(final.q, final.theta) + bent
    gained = kinetic + PLAIN.potential_energy(final.q) - PLAIN.potential_energy(q0) + stored
    assert abs(gained - final.work) < 1e-7
    assert final.heat > 0.01


def test_closed_loops_carry_what_bends_beside_joints_of_several_coordinates():
    """Where several coordinates move joints with dry friction; as `simulate`, which moves bristles alike."""
    bare = armdyn.load("planar_3r").with_coordinates(["joint_1", "u", "v"], [[1, 0, 0], [0, 1, 0.5], [0, -1, 0.5]])
    rubs = {name: Actuator(friction=Coulomb(0.3)) for name in ("joint_2", "joint_3")}
    robot, start = bare.with_actuators({"joint_1": SPRINGY, **rubs}), ([0.3, 0.2, 0.1], [0.5, 0.6, 0.1])
    loop = ClosedLoop(robot, method=Heun(5e-4), energy=True)
    final = loop(*start, steps=40, tau=np.zeros(3)).final  # no joint comes to rest
    true = armdyn.simulate(robot, *start, duration=0.02, method=Heun(5e-4))
    np.testing.assert_allclose(final.q, true.q[-1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(final.bristles, true.signals["bristles"][-1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(final.work, true.energy.work[-1], rtol=0, atol=1e-12)


@pytest.mark.slow
def test_a_play_dry_friction_and_stops_beside_what_bends():
    """The account closes over contacts, releases, impacts, and rotors that turn round."""
    laws = [MaxwellSlip(stiffnesses=[40.0, 15.0], forces=[0.3, 0.2]), Coulomb(0.4)]
    loose = Actuator(Motor(B), friction=laws, spring=Spring(K, damping=D, backlash=0.02))
    arm = PLAIN.with_actuators({"joint_1": loose}).with_limits({"joint_2": (-0.02, 0.05)})
    elements = [Stops(0.5), Start(theta=[0.3, 0.0], thetad=[1.5, 0.0])]
    motion = armdyn.simulate(arm, [0.3, 0.0], [0.4, 0.1], torque=[4.0, 0.0], duration=0.3, elements=elements)
    assert {one.kind for one in motion.events} == {"contact", "release", "impact", "reversal"}
    assert abs(motion.energy.relative_drift).max() < 1e-9


@pytest.mark.parametrize("solver", ["BDF", "LSODA"])
def test_solvers_with_a_history_beside_a_play_and_friction(solver):
    """Ends of a play start them anew; dry friction slips all along."""
    laws = [MaxwellSlip(stiffnesses=[40.0, 15.0], forces=[0.3, 0.2]), Coulomb(0.4)]
    loose = Actuator(Motor(B), friction=laws, spring=Spring(K, damping=D, backlash=0.02))
    arm = PLAIN.with_actuators({"joint_1": loose})
    start = {"q0": [0.3, 0.0], "elements": [Start(theta=[0.3, 0.0], thetad=[1.5, 0.0])], "qd0": [0.4, 0.1]}
    options = {"torque": [9.0, 0.0], "duration": 0.05, "save": SaveAt(every=0.01, dense=True)}
    fine = armdyn.simulate(arm, **start, **options)
    assert {one.kind for one in fine.events} <= {"contact", "release"}
    found = armdyn.simulate(arm, **start, **options, method=Adaptive(1e-9, 1e-10, solver))
    np.testing.assert_allclose(found.q, fine.q, rtol=0, atol=1e-6)
    for name in ("theta", "bristles"):
        np.testing.assert_allclose(found.signals[name], fine.signals[name], rtol=0, atol=1e-6)
    for name in ("friction", "rotor_friction"):
        np.testing.assert_allclose(found.signals[name], fine.signals[name], rtol=0, atol=1e-4)
    np.testing.assert_allclose(found.rotors_at(0.013).theta, fine.rotors_at(0.013).theta, rtol=0, atol=1e-6)
    assert abs(found.energy.relative_drift).max() < 1e-6
    assert not any("stick" in note for note in found.notes)
    assert [(one.name, one.kind) for one in found.events] == [(one.name, one.kind) for one in fine.events]
    np.testing.assert_allclose([one.t for one in found.events], [one.t for one in fine.events], rtol=0, atol=1e-7)


def test_what_is_not_carried_is_said():
    """A joint that moves with the link of a flexible one."""
    mimics = armdyn.load("planar_3r").with_mimic({"joint_3": ("joint_1", 1.0)})
    rubs = mimics.with_actuators({"joint_1": SPRINGY, "joint_3": Actuator(friction=ELBOW)})
    for method in ("euler", Adaptive(1e-4, 1e-4, "BDF")):
        motion = armdyn.simulate(rubs, [0.3, 0.2], duration=0.01, method=method)
        why = "joints beside flexible ones are coup.*, so friction with a state of its own counts at its steady"
        assert any(re.match(why, note) for note in motion.notes)
        assert "bristles" not in motion.signals
