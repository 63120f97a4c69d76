"""Friction with a state, of rigid joints and rotors: beside SciPy on the same equations, and known laws."""

import re

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import armdyn
from armdyn import ShapeError
from armdyn.actuators import Actuator, Coulomb, Gear, LuGre, MaxwellSlip, Motor, Spring, Viscous
from armdyn.base.errors import Unsupported
from armdyn.simulation import (
    Adaptive,
    ClosedLoop,
    Heun,
    RungeKutta4,
    SaveAt,
    SemiImplicitEuler,
    SettingError,
    Start,
    named_method,
)
from armdyn.simulation.elements.bristles import bristle_energy
from simulation.arms import PLANAR, drifts, near

LUGRE = LuGre(stiffness=300.0, bristle_damping=3.0, viscous=0.4, static=1.5, kinetic=1.0, speed=0.05)
DAHL = LuGre(stiffness=200.0, bristle_damping=2.0, viscous=0.4, static=1.1, kinetic=1.1, speed=0.05)
K, C = np.array([400.0, 150.0, 50.0]), np.array([1.0, 0.8, 1.2])
SLIP = MaxwellSlip(list(K), list(C))


def lugre(z, v, law=LUGRE):
    """dz/dt and F written out: equations 1, 3 and 4 of Canudas de Wit et al. 1995."""
    g = law.kinetic + (law.static - law.kinetic) * np.exp(-((v / law.speed) ** 2))
    rate = v - law.stiffness * abs(v) / g * z
    return rate, law.stiffness * z + law.bristle_damping * rate + law.viscous * v


def slide(law, mass=1.0):
    """A mass on a horizontal slide."""
    block = armdyn.Part("block", "base", "prismatic", axis=(1, 0, 0), joint="x", inertia=armdyn.Inertia(mass))
    return armdyn.Robot.from_links([block], gravity=(0, 0, 0)).with_actuators({"x": Actuator(friction=law)})


def three(laws):
    """Two turning joints and a slide along axes of general directions; the laws by joint."""
    rng, parts = np.random.default_rng(3), []
    for k, kind in enumerate(("revolute", "prismatic", "revolute")):
        Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        inertia = armdyn.Inertia(rng.uniform(1, 2), rng.uniform(-0.3, 0.3, 3), Q @ np.diag([0.3, 0.4, 0.5]) @ Q.T)
        on, xyz = f"link_{k - 1}" if k else "base", rng.uniform(0.1, 0.4, 3)
        parts.append(armdyn.Part(f"link_{k}", on, kind, axis=Q[0], joint=f"j{k}", xyz=xyz, inertia=inertia))
    arm = armdyn.Robot.from_links(parts, gravity=(0.4, -0.7, -2.0), tip="link_2")
    return arm.with_actuators({f"j{k}": Actuator(friction=law) for k, law in laws.items()})


# The same equations by SciPy.


TAU, START = np.array([2.0, 6.0, -2.5]), np.array([0.2, -0.1, 0.4])


@pytest.fixture(scope="module")
def arm():
    return three({0: [LUGRE, Viscous(0.3)], 1: DAHL, 2: [Viscous(0.2), LUGRE]})


@pytest.fixture(scope="module")
def exact(arm):
    """q, qd, z after 0.5 s, by SciPy around the arm without friction."""
    bare = arm.without_friction()

    def rates(_, y):
        q, qd, z = y.reshape(3, 3)
        rate, force = np.transpose([lugre(*each) for each in zip(z, qd, [LUGRE, DAHL, LUGRE], strict=True)])
        return np.concatenate([qd, bare.forward_dynamics(q, qd, TAU - force - [0.3, 0, 0.2] * qd), rate])

    start = np.concatenate([START, np.zeros(6)])
    return solve_ivp(rates, (0.0, 0.5), start, method="Radau", rtol=1e-11, atol=1e-13).y[:, -1].reshape(3, 3)


def states(motion):
    """(q, qd, z) over time."""
    return np.stack([motion.q, motion.qd, motion.signals["bristles"]], axis=1)


@pytest.mark.slow
def test_lugre_of_an_arm_by_tolerance(arm, exact):
    fine = Adaptive(rtol=1e-11, atol=1e-11)
    found = armdyn.simulate(arm, START, duration=0.5, torque=TAU, method=fine, save=SaveAt(every=0.1, dense=True))
    np.testing.assert_allclose(states(found)[-1], exact, rtol=1e-9, atol=1e-11)
    assert drifts(found) < 1e-9
    half = armdyn.simulate(arm, START, duration=0.25, torque=TAU, method=fine)
    np.testing.assert_allclose(found.at(0.25), [half.q[-1], half.qd[-1]], rtol=1e-6)


@pytest.mark.parametrize(
    ("method", "order"),
    [
        ("euler", 1),
        ("semi_implicit_euler", 1),
        ("constant_acceleration", 1),
        ("heun", 2),
        ("abm4", 2),
        ("variational", 2),
    ],
)
def test_orders_of_fixed_steps(arm, exact, method, order):
    """Forces of numbers, in compiled steps; the slide is that of Dahl's law."""
    errors = []
    for steps in (800, 1600):
        found = armdyn.simulate(arm, START, duration=0.5, torque=TAU, method=named_method(method, step=0.5 / steps))
        errors.append(abs(states(found)[-1] - exact).max())
    assert errors[1] < 2e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.25)


def slows(law):
    """q, qd, z of a slide on a spring after 0.4 s, before it turns round, by SciPy."""

    def rates(t, y):
        rate, force = lugre(y[2], y[1], law)
        return [y[1], 4.0 - 3.0 * y[0] - force, rate]

    return solve_ivp(rates, (0.0, 0.4), [0.0, 0.02, 0.0], method="Radau", rtol=1e-12, atol=1e-15).y[:, -1]


@pytest.mark.short_run("path_alone-rk4", "path_alone-abm4")
@pytest.mark.parametrize("method", ["rk4", "abm4", "variational"])
@pytest.mark.parametrize("law", [DAHL, LUGRE], ids=["path_alone", "falling"])
def test_orders_before_a_slide_turns_round(law, method):
    """Where G depends on the velocity, z is exact to the second order in the step; so is a variational step."""
    order, true, errors = 4 if law is DAHL and method != "variational" else 2, slows(law), []
    for steps in (160, 320):
        given = {"method": named_method(method, step=0.4 / steps), "torque": lambda t, q, qd: 4.0 - 3.0 * q}
        found = armdyn.simulate(slide(law), [0.0], [0.02], duration=0.4, **given)
        errors.append(abs(states(found)[-1, :, 0] - true).max())
        assert drifts(found) < 1e-7
        assert found.notes == ()
    assert errors[1] < 1e-5
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)


# All ways through a simulation are one motion.

BENT = np.array([1e-3, -2e-3, 5e-4])


@pytest.mark.short_run("rk4", "abm4")
@pytest.mark.parametrize("method", ["rk4", "abm4", "variational"])
def test_compiled_steps_callables_tables_batches_and_loops_agree(arm, method):
    q0, settings = np.array([START, START + 0.1]), {"duration": 0.02, "method": named_method(method, step=1e-3)}
    settings["elements"] = [Start(bristles=BENT)]
    whole = armdyn.simulate(arm, q0, torque=TAU, **settings)
    for torque in (lambda t, q, qd: np.tile(TAU, (2, 1)), np.tile(TAU, (20, 1, 1))):
        other = armdyn.simulate(arm, q0, torque=torque, **settings)
        for found, same in ((other.q, whole.q), (other.qd, whole.qd), (other.energy.work, whole.energy.work)):
            np.testing.assert_allclose(found, same, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(other.signals["bristles"], whole.signals["bristles"], rtol=1e-9, atol=1e-14)
    alone = armdyn.simulate(arm, q0[1], torque=TAU, **settings)
    np.testing.assert_allclose(alone.q, whole.q[:, 1], rtol=1e-12)
    if method != "abm4":
        loop = ClosedLoop(arm, method=settings["method"], record=["q", "bristles"])
        rolled = loop(START, steps=20, tau=TAU, bristles=BENT)
        np.testing.assert_allclose(rolled.final.bristles, whole.signals["bristles"][-1, 0], rtol=1e-11)
        np.testing.assert_allclose(rolled.final.qd, whole.qd[-1, 0], rtol=1e-11)
        np.testing.assert_allclose(rolled.rows.bristles, whole.signals["bristles"][:-1, 0], rtol=1e-11, atol=1e-15)
        assert abs(loop(START, steps=20, tau=TAU).final.bristles - rolled.final.bristles).max() > 1e-12


def test_accelerations_and_friction(arm):
    """M qdd + h + friction = tau along the motion, friction that of the laws and their states."""
    found = armdyn.simulate(arm, START, duration=0.2, torque=TAU, save=SaveAt(every=0.05))
    z, friction = found.signals["bristles"], found.signals["friction"]
    law = np.stack([lugre(z[:, k], found.qd[:, k], law)[1] for k, law in enumerate((LUGRE, DAHL, LUGRE))], axis=-1)
    np.testing.assert_allclose(friction, law + [0.3, 0.0, 0.2] * found.qd, rtol=1e-11)
    rest = arm.without_friction().inverse_dynamics(found.q, found.qd, found.qdd)
    np.testing.assert_allclose(rest, TAU - friction, rtol=1e-10, atol=1e-12)


# What is known of the laws.


def pushed(law, tau, duration, step, every):
    """A block from rest under a constant force."""
    given = {"torque": [tau], "method": RungeKutta4(step=step), "save": SaveAt(every=every)}
    return armdyn.simulate(slide(law), [0.0], duration=duration, **given)


def test_below_breakaway_a_block_stays_within_elastic_displacement():
    push = 0.45 * LUGRE.static  # that comes at once, and swings up to its double
    held, small = pushed(LUGRE, push, 20.0, 5e-3, 1.0), pushed(LUGRE, 0.01, 8.0, 5e-3, 4.0)
    assert abs(held.q[-1, 0] - held.q[-2, 0]) < 1e-6  # no drift
    assert held.q[-1, 0] < 4.0 * push / LUGRE.stiffness
    assert held.signals["friction"][-1, 0] == pytest.approx(push, rel=1e-5)
    assert small.signals["bristles"][-1, 0] == pytest.approx(0.01 / LUGRE.stiffness, rel=1e-5)
    assert small.q[-1, 0] == pytest.approx(0.01 / LUGRE.stiffness, rel=0.05)  # presliding, of stiffness s0
    assert held.energy.potential[-1] == pytest.approx(push**2 / (2.0 * LUGRE.stiffness), rel=1e-4)


@pytest.mark.parametrize("method", ["abm4", "variational"])
def test_steps_that_do_not_follow_the_motion_on_stiff_bristles_are_told(method):
    """h sqrt(s0/M) = 0.2 holds the block below breakaway, to the elastic displacement; 3 does not, or is a note."""
    stiff = slide(LuGre(1e4, 30.0, 0.4, static=1.5, kinetic=1.0, speed=0.01))
    held, coarse = (
        armdyn.simulate(stiff, [0.0], duration=2.0, torque=[0.7], method=named_method(method, step=h))
        for h in (2e-3, 3e-2)
    )
    np.testing.assert_allclose(held.signals["bristles"][-1], 0.7 / 1e4, rtol=1e-6)
    assert held.q[-1, 0] < 4.0 * 0.7 / 1e4
    assert any("shorter" in note for note in coarse.notes)
    assert abs(coarse.signals["bristles"]).max() <= 1.5 / 1e4


def test_above_breakaway_a_block_slides_on_the_stribeck_curve():
    push = 1.02 * LUGRE.static
    slides = pushed(LUGRE, push, 40.0, 5e-3, 1.0)
    steady = brentq(lambda v: float(LUGRE.force(v, 0.0)) - push, 0.3, 5.0)
    assert slides.qd[-1, 0] == pytest.approx(steady, rel=1e-5)
    assert slides.signals["bristles"][-1, 0] == pytest.approx(LUGRE.steady_state(steady), rel=1e-9)


@pytest.mark.slow
def test_a_mass_pulled_by_a_spring_sticks_and_slips():
    """The limit cycle of the article's section IV, with numbers of other sizes; each cycle is the same as the last."""
    law, k, v = LuGre(1e4, 100.0, 0.4, static=1.5, kinetic=1.0, speed=0.01), 20.0, 0.1

    def rates(t, y):
        rate, force = lugre(y[2], y[1], law)
        return [y[1], k * (v * t - y[0]) - force, rate]

    true = solve_ivp(rates, (0.0, 3.0), [0.0, 0.0, 0.0], method="Radau", rtol=1e-10, atol=1e-13, dense_output=True)
    given = {"duration": 3.0, "torque": lambda t, q, qd: k * (v * t - q), "save": SaveAt(every=0.05)}
    radau = Adaptive(rtol=1e-8, atol=1e-10, scipy_method="Radau")
    found, coarse = (armdyn.simulate(slide(law), [0.0], method=m, **given) for m in (radau, RungeKutta4(step=2e-3)))
    near(found.q[:, 0], true.sol(found.t)[0], 2e-6)
    near(coarse.q[:, 0], found.q[:, 0], 2e-3)
    creeps = abs(found.qd[:, 0]) < 0.1 * v
    assert np.flatnonzero(np.diff(creeps.astype(int)) < 0).size == 2  # breaks away twice
    friction = found.signals["friction"][:, 0]
    np.testing.assert_allclose([friction[:20].max(), friction[20:].max()], law.static, rtol=0.07)


@pytest.mark.parametrize("method", ["rk4", "abm4", "variational"])
def test_steps_far_longer_than_the_bristles_relax_stay_on_the_curve(method):
    """s0 |qd| h/G = 5e3: an explicit formula of z would be lost; z stays where it belongs."""
    stiff = LuGre(1e6, 10.0, 0.4, static=1.5, kinetic=1.0, speed=0.01)
    settings = {"elements": [Start(bristles=[1e-6])], "duration": 1.0, "method": named_method(method, step=5e-3)}
    found = armdyn.simulate(slide(stiff, 50.0), [0.0], [1.0], **settings)
    assert np.isfinite(found.q).all()
    np.testing.assert_allclose(found.signals["bristles"][5:, 0], 1e-6, rtol=1e-6)
    v, b, g = 1.0, 0.4 / 50.0, 1.0 / 0.4
    np.testing.assert_allclose(found.qd[-1, 0], (v + g) * np.exp(-b) - g, rtol=1e-4)  # m qdd = -k - s2 qd


def virgin(x):
    return np.minimum(np.multiply.outer(np.abs(x), K), C).sum(axis=-1) * np.sign(x)


@pytest.mark.short_run("adaptive-None")
@pytest.mark.parametrize(("method", "step"), [("adaptive", None), ("rk4", 2e-4)])
def test_hysteresis_follows_masings_rule(method, step):
    """Whatever the motion: after a turn at q_r, F_r the force is F_r + 2 f((q - q_r)/2), f the curve from rest."""
    given = {"torque": lambda t, q, qd: [2.2 * np.sin(8.0 * t)], "method": named_method(method, step=step)}
    found = armdyn.simulate(slide([SLIP, Viscous(3.0)], 2.0), [0.0], duration=1.2, **given)
    q, force = found.q[:, 0], found.signals["friction"][:, 0] - 3.0 * found.qd[:, 0]
    turns = np.flatnonzero(np.diff(np.sign(found.qd[1:, 0]))) + 1
    assert len(turns) >= 3
    near(force[: turns[0]], virgin(q[: turns[0]]), 1e-6)
    after = slice(turns[0] + 1, turns[1])
    back = force[turns[0]] + 2.0 * virgin((q[after] - q[turns[0]]) / 2.0)
    near(force[after], back, 2e-3 if method == "rk4" else 1e-3)  # q_r is known to the saved times
    assert force[after].min() < -2.0  # elements slip
    assert drifts(found) < 1e-6


def test_small_swings_on_springs_that_do_not_slip():
    mass, small = 2.0, 1e-4
    w = np.sqrt(K.sum() / mass)
    found = armdyn.simulate(slide(SLIP, mass), [0.0], [small * w], duration=1.0, save=SaveAt(every=0.01))
    near(found.q[:, 0], small * np.sin(w * found.t), 1e-9)
    near(found.energy.work, 0.0, 1e-11)  # nothing is lost


# Closed loops.


@pytest.mark.short_run("alone")
@pytest.mark.parametrize("beside", [SLIP, [Coulomb(0.8)]], ids=["alone", "beside_joints_that_stick"])
def test_energy_of_a_closed_loop(beside):
    arm, qd0 = three({0: LUGRE, 1: beside, 2: DAHL}), np.array([0.5, 0.0, -0.4])
    end = ClosedLoop(arm, method=RungeKutta4(step=5e-4), energy=True)(START, qd0, steps=1000, tau=TAU).final
    assert end.bristles.shape == (5 if beside is SLIP else 2,)
    begin, held = (arm.kinetic_energy(q, qd) + arm.potential_energy(q) for q, qd in ((START, qd0), (end.q, end.qd)))
    stored = arm.compile(bristle_energy)(end.bristles)
    assert held + stored - begin - end.work == pytest.approx(0.0, abs=2e-6)
    assert stored > 1e-3
    assert end.heat > 0.1
    assert end.work + end.heat == pytest.approx(TAU @ (end.q - START), rel=1e-6)


def test_rates_of_a_closed_loop(arm):
    loop = ClosedLoop(arm, method=SemiImplicitEuler(step=1e-3))
    rates = loop.jvp("tau")(START, steps=60, tau=TAU, tangent_tau=np.array([1.0, 0.0, 0.0])).final
    more, less = (loop(START, steps=60, tau=TAU + np.array([d, 0, 0])).final for d in (1e-5, -1e-5))
    np.testing.assert_allclose(rates.bristles, (more.bristles - less.bristles) / 2e-5, rtol=1e-5, atol=1e-9)


# Refusals.


def test_a_series_needs_analytic_equations(arm):
    pytest.importorskip("heyoka")
    message = r"Taylor series, .* needs analytic equations, .* bristles slip are not: .* abs"
    with pytest.raises(Unsupported, match=message):
        armdyn.simulate(arm, START, duration=0.01, torque=TAU, method="taylor")


def test_errors(arm):
    with pytest.raises(ShapeError, match=r"bristles has shape \(2,\); expected \(3,\)"):
        armdyn.simulate(arm, START, duration=0.1, elements=[Start(bristles=[0.0, 0.0])])
    with pytest.raises(SettingError, match=r"Start\(bristles=\.\.\.\) is given, but this simulation of"):
        armdyn.simulate(arm.without_friction(), START, duration=0.1, elements=[Start(bristles=[0.0])])


# Rotors of flexible joints, and rigid joints beside them.

REFLECTED, SPRING, DAMPING, VISCOUS = 0.4, 500.0, 0.4, 0.2
ROTOR = LuGre(stiffness=300.0, bristle_damping=3.0, viscous=0.1, static=1.5, kinetic=1.0, speed=0.1)
ELBOW = LuGre(stiffness=200.0, bristle_damping=2.0, viscous=0.05, static=0.6, kinetic=0.4, speed=0.2)
SPRINGY = Actuator(Motor(1e-3), Gear(20.0), [ROTOR, Viscous(VISCOUS)], spring=Spring(SPRING, damping=DAMPING))
FLEXIBLE = PLANAR.with_actuators({"joint_1": SPRINGY, "joint_2": Actuator(friction=ELBOW)})
ROTORS = {"theta": [0.31, 0.0], "thetad": [-0.5, 0.0], "bristles": [0.002, -0.001]}
BEGIN = {"q0": [0.3, 0.2], "qd0": [0.1, 0.0], "elements": [Start(**ROTORS)]}
FORCES = np.array([6.0, 0.9])
TIMES = np.linspace(0.0, 0.5, 26)


def equations(t, y):
    """The equations of Canudas de Wit et al. (1995) at a rotor and at the joint of a link, written out."""
    q, qd, theta, thetad, z = y[:2], y[2:4], y[4], y[5], y[6:]
    (rate, F), (elbow_rate, elbow_F) = lugre(z[0], thetad, ROTOR), lugre(z[1], qd[1], ELBOW)
    through = SPRING * (theta - q[0]) + DAMPING * (thetad - qd[0])
    qdd = np.linalg.solve(PLANAR.mass_matrix(q), [through, FORCES[1] - elbow_F] - PLANAR.bias_forces(q, qd))
    return [*qd, *qdd, thetad, (FORCES[0] - through - F - VISCOUS * thetad) / REFLECTED, rate, elbow_rate]


@pytest.fixture(scope="module")
def solved():
    """(q, qd, theta, thetad, z) at the times."""
    start = [*BEGIN["q0"], *BEGIN["qd0"], ROTORS["theta"][0], ROTORS["thetad"][0], *ROTORS["bristles"]]
    return solve_ivp(equations, (0.0, 0.5), start, method="DOP853", rtol=1e-12, atol=1e-13, t_eval=TIMES).y.T


@pytest.mark.short_run("rk4", "BDF")
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
    motion = armdyn.simulate(FLEXIBLE, torque=FORCES, duration=0.5, method=method, save=SaveAt(times=TIMES), **BEGIN)
    theta, thetad, z = (motion.signals[name] for name in ("theta", "thetad", "bristles"))
    found = np.concatenate([motion.q, motion.qd, theta[:, :1], thetad[:, :1], z], axis=-1)
    near(found, solved, error)
    assert drifts(motion) < drift
    assert motion.notes == ()
    stored = 0.5 * z**2 @ [ROTOR.stiffness, ELBOW.stiffness] + 0.5 * SPRING * (theta - motion.q)[:, 0] ** 2
    np.testing.assert_allclose(motion.energy.potential, PLANAR.potential_energy(motion.q) + stored, rtol=1e-12)
    rates = np.array([equations(t, y) for t, y in zip(motion.t, found, strict=True)])
    forces = FORCES[0] - SPRING * (theta - motion.q)[:, 0] - DAMPING * (thetad - motion.qd)[:, 0]
    near(motion.signals["rotor_friction"][:, 0], forces - REFLECTED * rates[:, 5], 1e-9)
    load = PLANAR.inverse_dynamics(motion.q, motion.qd, rates[:, 2:4])[:, 1]
    near(motion.signals["friction"][:, 1], FORCES[1] - load, 1e-9)
    near(motion.qdd, rates[:, 2:4], 1e-8)


@pytest.mark.parametrize(("method", "order"), [(RungeKutta4, 2), (SemiImplicitEuler, 1)])
def test_closed_loops_carry_bristles(solved, method, order):
    """At the rotor and at the rigid joint; K + P + springs + bristles - work stays what it is."""
    names, errors = ("q", "qd", "theta", "thetad", "bristles"), []
    for h in (1e-3, 2.5e-4):
        loop, every = ClosedLoop(FLEXIBLE, method=method(h), record=names, energy=True), round(0.02 / h)
        rolled = loop(BEGIN["q0"], BEGIN["qd0"], **ROTORS, steps=25 * every, every=every, tau=FORCES)
        q, _, theta, _, z = (getattr(rolled.rows, name) for name in names)
        errors.append(abs(np.concatenate([q, theta[:, :1], z], axis=-1) - solved[:-1][:, [0, 1, 4, 6, 7]]).max())
    assert errors[1] < (2e-6 if order == 2 else 5e-4)
    assert np.log2(errors[0] / errors[1]) / 2 > order - 0.1

    def stored(q, qd, theta, thetad, z):
        springs = FLEXIBLE.potential_energy(q) + FLEXIBLE.spring_energy(q, theta)
        bent = 0.5 * np.square(z) @ [ROTOR.stiffness, ELBOW.stiffness]
        return FLEXIBLE.flexible_kinetic_energy(q, qd, thetad) + springs + bent

    ended = stored(*(getattr(rolled.final, name) for name in names))
    begun = stored(BEGIN["q0"], BEGIN["qd0"], *ROTORS.values())
    assert abs(ended - begun - rolled.final.work) < (1e-9 if order == 2 else 1e-2)
    assert rolled.final.heat > 0.1


def test_closed_loops_carry_bristles_beside_joints_of_several_coordinates():
    """Where several coordinates move joints with dry friction; as `simulate`, which moves bristles alike."""
    bare = armdyn.load("planar_3r").with_coordinates(["joint_1", "u", "v"], [[1, 0, 0], [0, 1, 0.5], [0, -1, 0.5]])
    rubs = {name: Actuator(friction=Coulomb(0.3)) for name in ("joint_2", "joint_3")}
    robot, start = bare.with_actuators({"joint_1": SPRINGY, **rubs}), ([0.3, 0.2, 0.1], [0.5, 0.6, 0.1])
    final = ClosedLoop(robot, method=Heun(5e-4), energy=True)(*start, steps=40, tau=np.zeros(3)).final
    true = armdyn.simulate(robot, *start, duration=0.02, method=Heun(5e-4))  # no joint comes to rest
    near(final.q, true.q[-1], 1e-12)
    near(final.bristles, true.signals["bristles"][-1], 1e-12)
    near(final.work, true.energy.work[-1], 1e-12)


def test_bristles_that_are_not_carried_are_told():
    """A joint that moves with the link of a flexible one."""
    mimics = armdyn.load("planar_3r").with_mimic({"joint_3": ("joint_1", 1.0)})
    robot = mimics.with_actuators({"joint_1": SPRINGY, "joint_3": Actuator(friction=ELBOW)})
    for method in ("euler", Adaptive(1e-4, 1e-4, "BDF")):
        motion = armdyn.simulate(robot, [0.3, 0.2], duration=0.01, method=method)
        why = "joints beside flexible ones are coup.*, so friction with a state of its own counts at its steady"
        assert any(re.match(why, note) for note in motion.notes)
        assert "bristles" not in motion.signals
