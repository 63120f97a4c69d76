"""Friction with a state in motion: beside SciPy's integration of the same equations, and what is known of the laws."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import armdyn
from armdyn import ShapeError, simulation
from armdyn.actuators import Actuator, Coulomb, LuGre, MaxwellSlip, Viscous
from armdyn.base.errors import Unsupported
from armdyn.simulation import Adaptive, RungeKutta4, SaveAt, SettingError, Start, named_method
from armdyn.simulation.elements.bristles import bristle_energy

LUGRE = LuGre(stiffness=300.0, bristle_damping=3.0, viscous=0.4, static=1.5, kinetic=1.0, speed=0.05)
DAHL = LuGre(stiffness=200.0, bristle_damping=2.0, viscous=0.4, static=1.1, kinetic=1.1, speed=0.05)
K, C = np.array([400.0, 150.0, 50.0]), np.array([1.0, 0.8, 1.2])
SLIP = MaxwellSlip(list(K), list(C))
RADAU = Adaptive(rtol=1e-11, atol=1e-13, scipy_method="Radau")


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
        on = f"link_{k - 1}" if k else "base"
        parts.append(
            armdyn.Part(f"link_{k}", on, kind, axis=Q[0], joint=f"j{k}", xyz=rng.uniform(0.1, 0.4, 3), inertia=inertia)
        )
    arm = armdyn.Robot.from_links(parts, gravity=(0.4, -0.7, -2.0), tip="link_2")
    return arm.with_actuators({f"j{k}": Actuator(friction=law) for k, law in laws.items()})


# The same equations by SciPy


@pytest.mark.slow
def test_lugre_of_a_slide():
    def rates(t, y):
        rate, force = lugre(y[2], y[1])
        return [y[1], (2.0 * np.sin(9.0 * t) - force) / 1.7, rate]

    exact = solve_ivp(rates, (0.0, 1.0), [0.0, 0.3, 1e-3], method="Radau", rtol=1e-12, atol=1e-15).y[:, -1]
    found = armdyn.simulate(
        slide(LUGRE, 1.7),
        [0.0],
        [0.3],
        elements=[Start(bristles=[1e-3])],
        duration=1.0,
        method=RADAU,
        torque=lambda t, q, qd: [2.0 * np.sin(9.0 * t)],
        save=SaveAt(every=0.1),
    )
    np.testing.assert_allclose(found.q[-1, 0], exact[0], rtol=1e-9)
    np.testing.assert_allclose(found.qd[-1, 0], exact[1], rtol=1e-8)
    np.testing.assert_allclose(found.signals["bristles"][-1, 0], exact[2], rtol=1e-8)
    assert found.notes == ()
    assert abs(found.energy.relative_drift).max() < 1e-9


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
        laws = [LUGRE, DAHL, LUGRE]
        rate, force = np.transpose([lugre(*each) for each in zip(z, qd, laws, strict=True)])
        return np.concatenate([qd, bare.forward_dynamics(q, qd, TAU - force - [0.3, 0, 0.2] * qd), rate])

    start = np.concatenate([START, np.zeros(6)])
    return solve_ivp(rates, (0.0, 0.5), start, method="Radau", rtol=1e-11, atol=1e-13).y[:, -1].reshape(3, 3)


@pytest.mark.slow
def test_lugre_of_an_arm_by_tolerance(arm, exact):
    fine = Adaptive(rtol=1e-11, atol=1e-11)
    found = armdyn.simulate(arm, START, duration=0.5, torque=TAU, method=fine, save=SaveAt(every=0.1, dense=True))
    state = (found.q, found.qd, found.signals["bristles"])
    np.testing.assert_allclose([each[-1] for each in state], exact, rtol=1e-9, atol=1e-11)
    assert abs(found.energy.relative_drift).max() < 1e-9
    q, qd = found.at(0.25)
    half = armdyn.simulate(arm, START, duration=0.25, torque=TAU, method=fine)
    np.testing.assert_allclose([q, qd], [half.q[-1], half.qd[-1]], rtol=1e-6)


@pytest.mark.parametrize(
    ("method", "order"), [("euler", 1), ("semi_implicit_euler", 1), ("constant_acceleration", 1), ("heun", 2)]
)
def test_orders_of_fixed_steps(arm, exact, method, order):
    errors = []
    for steps in (800, 1600):
        found = armdyn.simulate(arm, START, duration=0.5, torque=TAU, method=named_method(method, step=0.5 / steps))
        errors.append(abs(np.array([found.q[-1], found.qd[-1], found.signals["bristles"][-1]]) - exact).max())
    assert errors[1] < 2e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.25)


def slows(law):
    """q, qd, z of a slide on a spring after 0.4 s, before it turns round, by SciPy."""

    def rates(t, y):
        rate, force = lugre(y[2], y[1], law)
        return [y[1], 4.0 - 3.0 * y[0] - force, rate]

    return solve_ivp(rates, (0.0, 0.4), [0.0, 0.02, 0.0], method="Radau", rtol=1e-12, atol=1e-15).y[:, -1]


@pytest.mark.short_run("path_alone-rk4", "path_alone-abm4", "falling-variational")
@pytest.mark.parametrize("method", ["rk4", "abm4", "variational"])
@pytest.mark.parametrize("law", [DAHL, LUGRE], ids=["path_alone", "falling"])
def test_orders_before_a_slide_turns_round(law, method):
    """Where G depends on the velocity, z is exact to the second order in the step; so is a variational step."""
    order, exact, errors = 4 if law is DAHL and method != "variational" else 2, slows(law), []
    for steps in (160, 320):
        found = armdyn.simulate(
            slide(law),
            [0.0],
            [0.02],
            duration=0.4,
            method=named_method(method, step=0.4 / steps),
            torque=lambda t, q, qd: 4.0 - 3.0 * q,
        )
        errors.append(abs(np.array([found.q[-1, 0], found.qd[-1, 0], found.signals["bristles"][-1, 0]]) - exact).max())
        assert abs(found.energy.relative_drift).max() < 1e-7
        assert found.notes == ()
    assert errors[1] < 1e-5
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)


@pytest.mark.parametrize("method", ["abm4", "variational"])
def test_orders_of_an_arm_by_past_rates_and_at_the_middle(arm, exact, method):
    """Forces of numbers, in compiled steps; the slide is that of Dahl's law."""
    errors = []
    for steps in (400, 800):
        found = armdyn.simulate(arm, START, duration=0.5, torque=TAU, method=named_method(method, step=0.5 / steps))
        errors.append(abs(np.array([found.q[-1], found.qd[-1], found.signals["bristles"][-1]]) - exact).max())
    assert abs(found.energy.relative_drift).max() < 5e-8
    assert errors[1] < 2e-6
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)


@pytest.mark.short_run("abm4")
@pytest.mark.parametrize("method", ["abm4", "variational"])
def test_kinks_of_a_law_that_turns_round_and_slips(method):
    """Rates of the past reach over the kinks: the order drops to the second, as of SciPy's motion."""

    def swings(t):
        return 2.2 * np.sin(8.0 * t)

    options = {"duration": 1.2, "torque": lambda t, q, qd: [swings(t)], "save": SaveAt(every=0.1)}
    hysteresis = slide([SLIP, Viscous(3.0)], 2.0)
    fine = armdyn.simulate(hysteresis, [0.0], method=Adaptive(rtol=1e-11, atol=1e-12), **options)
    errors = []
    for h in (4e-3, 5e-4):
        found = armdyn.simulate(hysteresis, [0.0], method=named_method(method, step=h), **options)
        errors.append(abs(found.q - fine.q).max())
    assert errors[1] < 2e-6
    assert np.log2(errors[0] / errors[1]) / 3.0 > 1.7


# All ways through a simulation are one motion


@pytest.mark.parametrize("method", ["abm4", "variational"])
def test_compiled_steps_callables_batches_and_loops_agree(arm, method):
    q0, settings = np.array([START, START + 0.1]), {"duration": 0.02, "method": named_method(method, step=1e-3)}
    bent = np.array([1e-3, -2e-3, 5e-4])
    whole = armdyn.simulate(arm, q0, elements=[Start(bristles=bent)], torque=TAU, **settings)
    others = [
        armdyn.simulate(
            arm, q0, elements=[Start(bristles=bent)], torque=lambda t, q, qd: np.tile(TAU, (2, 1)), **settings
        ),
        armdyn.simulate(arm, q0, elements=[Start(bristles=bent)], torque=np.tile(TAU, (20, 1, 1)), **settings),
    ]
    for other in others:
        for found, same in ((other.q, whole.q), (other.qd, whole.qd), (other.energy.work, whole.energy.work)):
            np.testing.assert_allclose(found, same, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(other.signals["bristles"], whole.signals["bristles"], rtol=1e-9, atol=1e-14)
    alone = armdyn.simulate(arm, q0[1], elements=[Start(bristles=bent)], torque=TAU, **settings)
    np.testing.assert_allclose(alone.q, whole.q[:, 1], rtol=1e-12)
    if method == "variational":
        loop = armdyn.ClosedLoop(arm, method=simulation.Variational(step=1e-3))
        rolled = loop(START, steps=20, tau=TAU, bristles=bent).final
        np.testing.assert_allclose(rolled.bristles, whole.signals["bristles"][-1, 0], rtol=1e-11)
        np.testing.assert_allclose(rolled.qd, whole.qd[-1, 0], rtol=1e-11)


@pytest.mark.slow
def test_compiled_steps_callables_events_and_batches_agree(arm):
    q0 = np.array([START, START + 0.1])
    settings = {"duration": 0.05, "method": RungeKutta4(step=1e-3)}
    whole = armdyn.simulate(arm, q0, torque=TAU, **settings)
    assert whole.signals["bristles"].shape == (51, 2, 3)
    watched = simulation.Crossing(lambda t, q, qd: t - 0.02, "later")
    for other in (
        armdyn.simulate(arm, q0, torque=lambda t, q, qd: np.tile(TAU, (2, 1)), **settings),
        armdyn.simulate(arm, q0, torque=TAU, events=[watched], **settings),
    ):
        for name in ("q", "qd", "qdd"):
            np.testing.assert_allclose(getattr(other, name), getattr(whole, name), rtol=1e-9, atol=1e-12)
        for name in ("bristles", "friction"):
            np.testing.assert_allclose(other.signals[name], whole.signals[name], rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(other.energy.work, whole.energy.work, rtol=1e-9, atol=1e-12)
    alone = armdyn.simulate(arm, q0[1], torque=TAU, elements=[Start(bristles=[0, 0, 0])], **settings)
    np.testing.assert_allclose(alone.q, whole.q[:, 1], rtol=1e-13)
    goes_on = armdyn.simulate(
        arm,
        alone.q[20],
        alone.qd[20],
        elements=[Start(bristles=alone.signals["bristles"][20])],
        torque=TAU,
        **settings | {"duration": 0.03},
    )
    np.testing.assert_allclose(goes_on.q[-1], alone.q[-1], rtol=1e-12)


def test_accelerations_and_friction(arm):
    """M qdd + h + friction = tau along the motion, friction that of the laws and their states."""
    found = armdyn.simulate(arm, START, duration=0.2, torque=TAU, save=SaveAt(every=0.05))
    z, friction = found.signals["bristles"], found.signals["friction"]
    law = np.stack([lugre(z[:, k], found.qd[:, k], law)[1] for k, law in enumerate((LUGRE, DAHL, LUGRE))], axis=-1)
    np.testing.assert_allclose(friction, law + [0.3, 0.0, 0.2] * found.qd, rtol=1e-11)
    rest = arm.without_friction().inverse_dynamics(found.q, found.qd, found.qdd)
    np.testing.assert_allclose(rest, TAU - friction, rtol=1e-10, atol=1e-12)


@pytest.mark.slow
def test_stops_and_joints_that_stick_beside_bristles():
    arm = three({0: LUGRE, 1: Coulomb(1.5), 2: SLIP}).with_limits({"j0": (-0.4, 0.3)})
    settings = {"duration": 0.6, "torque": TAU, "elements": [simulation.Stops(0.4)]}
    fine = armdyn.simulate(arm, START, [0.1, 0.0, 0.3], **settings)
    steps = armdyn.simulate(arm, START, [0.1, 0.0, 0.3], method=RungeKutta4(step=2e-3), **settings)
    assert {"impact", "stick"} & {event.kind for event in fine.events}
    assert [e.kind for e in steps.events] == [e.kind for e in fine.events]
    np.testing.assert_allclose(steps.q[-1], fine.q[-1], atol=1e-4)
    np.testing.assert_allclose(steps.signals["bristles"][-1], fine.signals["bristles"][-1], atol=1e-4)
    assert abs(fine.energy.relative_drift).max() < 1e-7


def test_within_constraints():
    arm = armdyn.load("planar_3r")
    q0 = np.array([0.3, -0.9, 0.4])
    plane = armdyn.constraints.PointOnPlane("tip", (0.6, 0.8, 0), tuple(arm.forward_kinematics(q0)[:3, 3]))
    arm = arm.with_constraints(plane)
    rubs = arm.with_actuators({arm.joint_names[0]: Actuator(friction=LUGRE)})
    found = armdyn.simulate(rubs, q0, duration=0.1)

    def torque(t, q, qd):
        z = np.interp(t, found.t, found.signals["bristles"][:, 0])
        return -np.eye(arm.dof)[0] * lugre(z, qd[0])[1]

    again = armdyn.simulate(arm, q0, duration=0.1, torque=torque, method=Adaptive(rtol=1e-8, atol=1e-8))
    np.testing.assert_allclose(again.q[-1], found.q[-1], atol=1e-6)


# What is known of the laws


def test_below_breakaway_a_block_stays_within_elastic_displacement():
    push = 0.45 * LUGRE.static  # that comes at once, and swings up to its double
    held = armdyn.simulate(
        slide(LUGRE), [0.0], duration=20.0, torque=[push], method=RungeKutta4(step=5e-3), save=SaveAt(every=1.0)
    )
    small = armdyn.simulate(
        slide(LUGRE), [0.0], duration=8.0, torque=[0.01], method=RungeKutta4(step=5e-3), save=SaveAt(every=4.0)
    )
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
    held = armdyn.simulate(stiff, [0.0], duration=2.0, torque=[0.7], method=named_method(method, step=2e-3))
    np.testing.assert_allclose(held.signals["bristles"][-1], 0.7 / 1e4, rtol=1e-6)
    assert held.q[-1, 0] < 4.0 * 0.7 / 1e4
    coarse = armdyn.simulate(stiff, [0.0], duration=2.0, torque=[0.7], method=named_method(method, step=3e-2))
    assert any("shorter" in note for note in coarse.notes)
    assert abs(coarse.signals["bristles"]).max() <= 1.5 / 1e4


def test_above_breakaway_a_block_slides_on_the_stribeck_curve():
    push = 1.02 * LUGRE.static
    slides = armdyn.simulate(slide(LUGRE), [0.0], duration=40.0, torque=[push], method=RungeKutta4(step=5e-3))
    steady = brentq(lambda v: float(LUGRE.force(v, 0.0)) - push, 0.3, 5.0)
    assert slides.qd[-1, 0] == pytest.approx(steady, rel=1e-5)
    assert slides.signals["bristles"][-1, 0] == pytest.approx(LUGRE.steady_state(steady), rel=1e-9)


@pytest.mark.slow
def test_a_mass_pulled_by_a_spring_sticks_and_slips():
    """The limit cycle of the article's section IV, with numbers of other sizes; each cycle is the same as the last."""
    law, k, v = LuGre(1e4, 100.0, 0.4, static=1.5, kinetic=1.0, speed=0.01), 20.0, 0.1

    def pulled(t, q, qd):
        return k * (v * t - q)

    def rates(t, y):
        rate, force = lugre(y[2], y[1], law)
        return [y[1], k * (v * t - y[0]) - force, rate]

    exact = solve_ivp(rates, (0.0, 3.0), [0.0, 0.0, 0.0], method="Radau", rtol=1e-10, atol=1e-13, dense_output=True)
    found = armdyn.simulate(
        slide(law),
        [0.0],
        duration=3.0,
        torque=pulled,
        save=SaveAt(every=0.05),
        method=Adaptive(rtol=1e-8, atol=1e-10, scipy_method="Radau"),
    )
    np.testing.assert_allclose(found.q[:, 0], exact.sol(found.t)[0], atol=2e-6)
    coarse = armdyn.simulate(
        slide(law), [0.0], duration=3.0, torque=pulled, method=RungeKutta4(step=2e-3), save=SaveAt(every=0.05)
    )
    np.testing.assert_allclose(coarse.q[:, 0], found.q[:, 0], atol=2e-3)
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
    v, b, G = 1.0, 0.4 / 50.0, 1.0 / 0.4
    np.testing.assert_allclose(found.qd[-1, 0], (v + G) * np.exp(-b) - G, rtol=1e-4)  # m qdd = -k - s2 qd


def virgin(x):
    return np.minimum(np.multiply.outer(np.abs(x), K), C).sum(axis=-1) * np.sign(x)


@pytest.mark.short_run("adaptive-None")
@pytest.mark.parametrize(("method", "step"), [("adaptive", None), ("rk4", 2e-4)])
def test_hysteresis_follows_masings_rule(method, step):
    """Whatever the motion: behind a turn at q_r, F_r the force is F_r + 2 f((q - q_r)/2), f the curve from rest."""
    found = armdyn.simulate(
        slide([SLIP, Viscous(3.0)], 2.0),
        [0.0],
        duration=1.2,
        method=named_method(method, step=step),
        torque=lambda t, q, qd: [2.2 * np.sin(8.0 * t)],
    )
    q, force = found.q[:, 0], found.signals["friction"][:, 0] - 3.0 * found.qd[:, 0]
    turns = np.flatnonzero(np.diff(np.sign(found.qd[1:, 0]))) + 1
    assert len(turns) >= 3
    first = slice(0, turns[0])
    tolerance = 2e-3 if method == "rk4" else 1e-3  # q_r is known to the saved times
    np.testing.assert_allclose(force[first], virgin(q[first]), atol=1e-6)
    after = slice(turns[0] + 1, turns[1])
    back = force[turns[0]] + 2.0 * virgin((q[after] - q[turns[0]]) / 2.0)
    np.testing.assert_allclose(force[after], back, atol=tolerance)
    assert force[after].min() < -2.0  # elements slip
    assert abs(found.energy.relative_drift).max() < 1e-6


def test_small_swings_on_springs_that_do_not_slip():
    mass, small = 2.0, 1e-4
    w = np.sqrt(K.sum() / mass)
    found = armdyn.simulate(slide(SLIP, mass), [0.0], [small * w], duration=1.0, save=SaveAt(every=0.01))
    np.testing.assert_allclose(found.q[:, 0], small * np.sin(w * found.t), atol=1e-9 * small / 1e-4)
    np.testing.assert_allclose(found.energy.work, 0.0, atol=1e-11)  # nothing is lost


# Closed loops


def test_a_closed_loop_is_the_simulation(arm):
    method = simulation.RungeKutta4(step=1e-3)
    loop = armdyn.ClosedLoop(arm, method=method, record=["q", "bristles"])
    assert loop.state == ("q", "qd", "bristles")
    start = np.array([1e-3, -2e-3, 5e-4])
    rolled = loop(START, steps=100, tau=TAU, bristles=start)
    same = armdyn.simulate(arm, START, duration=0.1, torque=TAU, elements=[Start(bristles=start)], method=method)
    np.testing.assert_allclose(rolled.final.q, same.q[-1], rtol=1e-12)
    np.testing.assert_allclose(rolled.rows.bristles, same.signals["bristles"][:-1], rtol=1e-11, atol=1e-15)
    unbent = loop(START, steps=100, tau=TAU)
    assert abs(unbent.final.bristles - rolled.final.bristles).max() > 1e-12


@pytest.mark.short_run("alone")
@pytest.mark.parametrize("beside", [None, Coulomb(0.8)], ids=["alone", "beside_joints_that_stick"])
def test_energy_of_a_closed_loop(beside):
    laws = {0: LUGRE, 1: SLIP, 2: DAHL} | ({} if beside is None else {1: [beside]})
    arm = three(laws)
    size = 5 if beside is None else 2
    loop = armdyn.ClosedLoop(arm, method=simulation.RungeKutta4(step=5e-4), energy=True)
    end = loop(START, np.array([0.5, 0.0, -0.4]), steps=1000, tau=TAU).final
    assert end.bristles.shape == (size,)
    begin = arm.kinetic_energy(START, [0.5, 0.0, -0.4]) + arm.potential_energy(START)
    held = arm.kinetic_energy(end.q, end.qd) + arm.potential_energy(end.q)
    stored = arm.compile(bristle_energy)(end.bristles)
    assert held + stored - begin - end.work == pytest.approx(0.0, abs=2e-6)
    assert stored > 1e-3
    assert end.heat > 0.1
    assert end.work + end.heat == pytest.approx(TAU @ (end.q - START), rel=1e-6)


def test_joints_with_bristles_alone_do_not_stick_and_warn_of_nothing(recwarn):
    arm = three({0: LUGRE, 1: SLIP})
    armdyn.ClosedLoop(arm)
    assert not recwarn.list


def test_rates_of_a_closed_loop(arm):
    loop = armdyn.ClosedLoop(arm, method=simulation.SemiImplicitEuler(step=1e-3))
    rates = loop.jvp("tau")(START, steps=60, tau=TAU, tangent_tau=np.array([1.0, 0.0, 0.0])).final
    more, less = (loop(START, steps=60, tau=TAU + np.array([d, 0, 0])).final for d in (1e-5, -1e-5))
    np.testing.assert_allclose(rates.bristles, (more.bristles - less.bristles) / 2e-5, rtol=1e-5, atol=1e-9)


# What is kept, and what is refused


@pytest.mark.parametrize("ending", [".npz", ".csv", ".parquet"])
def test_files(arm, tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    found = armdyn.simulate(arm, START, duration=0.02, torque=TAU, save=SaveAt(every=0.01))
    found.save(tmp_path / f"motion{ending}")
    back = simulation.Trajectory.load(tmp_path / f"motion{ending}")
    np.testing.assert_array_equal(back.signals["bristles"], found.signals["bristles"])
    np.testing.assert_array_equal(back.signals["friction"], found.signals["friction"])
    np.testing.assert_array_equal(back.energy.potential, found.energy.potential)


def test_a_series_needs_analytic_equations(arm):
    pytest.importorskip("heyoka")
    with pytest.raises(
        Unsupported, match=r"Taylor series, .* needs analytic equations, .* bristles slip are not: .* abs"
    ):
        armdyn.simulate(arm, START, duration=0.01, torque=TAU, method="taylor")


def test_errors(arm):
    with pytest.raises(ShapeError, match=r"bristles has shape \(2,\); expected \(3,\)"):
        armdyn.simulate(arm, START, duration=0.1, elements=[Start(bristles=[0.0, 0.0])])
    with pytest.raises(SettingError, match=r"Start\(bristles=\.\.\.\) is given, but this simulation of"):
        armdyn.simulate(arm.without_friction(), START, duration=0.1, elements=[Start(bristles=[0.0])])


@pytest.mark.slow
def test_a_controller_in_python(arm):
    """What cannot be traced runs between compiled steps, which carry the bristles all the same."""

    @armdyn.function("(n),(n)->(n)")
    def pushes(model, q, qd):
        return TAU if float(q[0]) < 10.0 else -TAU

    method = simulation.RungeKutta4(step=1e-3)
    with pytest.warns(UserWarning, match="runs in Python"):
        final = armdyn.ClosedLoop(arm, pushes, method=method)(START, steps=20).final
    same = armdyn.ClosedLoop(arm, method=method)(START, steps=20, tau=TAU).final
    np.testing.assert_allclose(final.bristles, same.bristles, rtol=1e-13)
