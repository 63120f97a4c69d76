"""Friction that depends on the load: joints that stick, stops, contacts, brakes; closed forms, all modes enumerated."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import brentq

import armdyn
from armdyn import constraints as c
from armdyn.actuators import Actuator, Brake, Coulomb, Gear, GearLoss, Motor, ServoFriction, Smooth, Viscous
from armdyn.model.friction import is_dry
from armdyn.simulation import BrakeSwitches, Contact, RungeKutta4, SaveAt, SemiImplicitEuler, Stops
from armdyn.simulation.drivers.state_in_motion import StateInMotion
from armdyn.simulation.elements.contact_modes import TOUCHED
from armdyn.simulation.system.bounded_rows import BoundedRows
from armdyn.simulation.system.friction_rows import FrictionRows, bounds_under_load
from oracles.short_run import each_once, short_run
from oracles.trees import random_tree, to_armdyn
from simulation.arms import (
    BACK,
    ETA,
    MASS,
    PLANAR,
    G,
    boom,
    both,
    cart,
    drifts,
    geared,
    kinds,
    lift,
    near,
    slide,
    times,
)
from simulation.test_sticking import assert_same, state_by_state

M4 = ServoFriction(0.05, 0.02, 0.1, 1.5, 0.84, 0.05, 0.05, 0.2, 0.2)
M6 = ServoFriction(0.05, 0.02, 0.1, 1.5, 1.3, 0.2, 0.02, 0.1, 0.15, 0.009, 0.005)
STEPS = ("adaptive", RungeKutta4(step=0.02))


def weights(robot, q):
    """The load at rest."""
    return MASS * G if robot.joint_names == ("x",) else MASS * G * 0.4 * np.cos(q)


# One joint.


def named(case):
    return "-".join(getattr(part, "__name__", str(part)) for part in case)


HELD = [(make, coulomb) for make in (lift, boom) for coulomb in (0.0, 0.7)]


@pytest.mark.slow
@pytest.mark.parametrize("case", short_run(HELD, (lift, 0.7)), ids=named)
def test_a_weight_held_for_ten_minutes_does_not_creep(case):
    make, coulomb = case
    robot, q = make(0.3, Coulomb(coulomb)), 0.3
    load = weights(robot, q)
    for bound in (BACK * load - coulomb, load / ETA + coulomb):
        tau = bound + 1e-9 * (load - bound)
        motion = armdyn.simulate(robot, [q], duration=600.0, torque=[tau])
        assert (motion.q == q).all()
        assert not motion.qd.any()
        assert not motion.qdd.any()
        assert motion.events == motion.notes == ()
        near(motion.signals["friction"], tau - load, 1e-12)
        assert (motion.energy.work == 0.0).all()


RAMPS = [(make, rotor, coulomb) for make in (lift, boom) for rotor in (0.0, 0.3) for coulomb in (0.0, 0.7)]


@pytest.mark.short_run("boom-0.0-0.0-rk4")
@both
@pytest.mark.parametrize("case", short_run(RAMPS, (lift, 0.3, 0.7), (boom, 0.0, 0.0)), ids=named)
def test_a_ramp_lets_a_joint_go_where_its_drive_gives_load_over_eta_or_eta_b_load(method, case):
    make, rotor, coulomb = case
    robot, q, r = make(rotor, Coulomb(coulomb)), 0.3, 2.0
    load = weights(robot, q)
    for way, bound in ((1.0, load / ETA + coulomb), (-1.0, BACK * load - coulomb)):
        starts = abs(bound - load) / r
        ramp = lambda t, *_, way=way: [load + way * r * t]  # noqa: E731
        given = {"duration": starts + 0.5, "torque": ramp, "save": SaveAt(every=0.1), "method": method}
        motion = armdyn.simulate(robot, [q], **given)
        assert motion.events[0].kind == "slip"
        assert abs(motion.events[0].t - starts) < 1e-9
        assert (motion.q[motion.t < starts] == q).all()
        assert (motion.q[-1] - q) * way > 0
        assert drifts(motion) < (1e-9 if method == "adaptive" else 1e-6)


@pytest.mark.short_run("0.0-rk4", "0.0-adaptive", "0.6-adaptive")
@both
@pytest.mark.parametrize("rotor", [0.0, 0.6])
def test_a_weight_thrown_upwards_stops_and_stays_or_falls_back(method, rotor):
    """Upwards (m + a eta) v' = eta (tau - c) - m g while it drives its load; downwards with eta_b and -c."""
    coulomb, v = 0.4, 1.7
    robot = lift(rotor, Coulomb(coulomb))
    up = lambda tau: ((tau - coulomb) * ETA - MASS * G) / (MASS + rotor * ETA)  # noqa: E731
    down = lambda tau: ((tau + coulomb) / BACK - MASS * G) / (MASS + rotor / BACK)  # noqa: E731
    for tau, stays in ((15.0, True), (6.0, False)):
        assert -G < up(tau) < 0  # the load is positive all the way
        given = {"torque": [tau], "save": SaveAt(every=0.1), "method": method}
        motion = armdyn.simulate(robot, [0.1], [v], duration=2.0, **given)
        stops, top = -v / up(tau), 0.1 - v**2 / (2 * up(tau))
        (event,) = motion.events
        assert event.kind == ("stick" if stays else "reversal")
        near([event.t, event.q[0]], [stops, top], 1e-9)
        after = motion.t > stops
        assert after.sum() > 5
        qdd = 0.0 if stays else down(tau)
        near(motion.qdd[after, 0], qdd, 1e-12)
        near(motion.q[after, 0], top + qdd * (motion.t[after] - stops) ** 2 / 2, 1e-9)
        friction = tau - MASS * (G + qdd) - rotor * qdd
        near(motion.signals["friction"][after, 0], friction, 1e-11)
        if stays:
            assert np.ptp(motion.q[after]) == 0.0
        else:
            near(MASS * (G + qdd) * (BACK - 1) - coulomb, friction, 1e-12)
        assert drifts(motion) < 1e-10


@pytest.mark.short_run("rk4")
@both
def test_without_load_and_torque_a_gear_holds_nothing(method):
    """A slide across gravity begins to move with its torque, whichever way."""
    rotor = 0.9
    robot = slide().with_actuators({"x": geared(rotor)})
    for r in (1.3, -1.3):
        motion = armdyn.simulate(robot, [0.0], duration=2.0, torque=lambda t, *_, r=r: [r * t], method=method)
        assert kinds(motion) == [("slip", "x")]
        assert motion.events[0].t < 1e-12
        assert abs(motion.q[-1, 0] - ETA * r * 2.0**3 / 6 / (MASS + ETA * rotor)) < 1e-9
    assert (armdyn.simulate(robot, [0.0], duration=2.0, method=method).q == 0.0).all()


# Several joints: which of them stick.


def enumerated(bare, q, tau, eta, back, coulomb, rotors):
    """Each joint sticks, or moves one of two ways and drives its load or is driven: those of 5^n cases that hold."""
    n, M, h = bare.dof, bare.mass_matrix(q), bare.gravity_forces(q)
    found = []
    for case in product([(0, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)], repeat=n):  # direction, sign of the load along it
        A, b = np.eye(n), np.zeros(n)
        for i, (way, drives) in enumerate(case):
            if way:
                factor = 1 / eta[i] if drives > 0 else back[i]
                A[i] = factor * M[i]
                A[i, i] += rotors[i]
                b[i] = tau[i] - way * coulomb[i] - factor * h[i]
        qdd = np.linalg.solve(A, b)
        load = M @ qdd + h
        ends = np.sort([load / eta, load * back], axis=0)
        sticks = (ends[0] - coulomb <= tau) & (tau <= ends[1] + coulomb)
        if all(
            sticks[i] if way == 0 else way * qdd[i] > 0 and way * drives * load[i] > 0
            for i, (way, drives) in enumerate(case)
        ):
            found.append((tuple(way for way, _ in case), qdd, tau - load - rotors * qdd))
    return found


def require_decided(robot, q, tau, expected, digits):
    """The mode of joints that all rest, and the motion that follows."""
    (modes, qdd, friction), n, rows = expected, robot.dof, BoundedRows(robot)
    assert rows.loaded
    mode = rows.decided(q, np.zeros(n), (tau,), np.ones(n, dtype=bool), np.zeros(n, dtype=int))
    found = rows.rates(q, np.zeros(n), (tau,), mode)
    assert tuple(mode.slip) == modes
    np.testing.assert_array_equal(mode.held, np.array(modes) == 0)
    near(found.qdd, qdd, digits * max(1.0, abs(qdd).max()))
    assert (found.qdd[mode.held] == 0.0).all()
    near(found.friction, friction, 10 * digits * max(1.0, abs(friction).max()))


@pytest.mark.short_run("2.0")
@pytest.mark.parametrize("rotors", short_run([0.0, 0.05, 2.0, 300.0], 0.0, 2.0))
def test_one_mode_of_geared_joints_is_consistent_and_is_found(rotors):
    rng, bare = (
        np.random.default_rng(11),
        armdyn.load("ur5", locked=dict.fromkeys(armdyn.load("ur5").joint_names[3:], 0.3)),
    )
    eta, back, coulomb = np.array([0.6, 0.9, 0.35]), np.array([0.5, 0.15, 0.8]), np.array([1.0, 0.0, 2.0])
    inertia = rotors * np.array([1.0, 0.7, 0.4])
    drives = [geared(inertia[k], Coulomb(coulomb[k]), eta=eta[k], back=back[k]) for k in range(3)]
    robot, modes, coupled = bare.with_actuators(dict(zip(bare.joint_names, drives, strict=True))), set(), 0
    for _ in range(100):
        q = rng.uniform(-2, 2, 3)
        load = bare.gravity_forces(q)
        tau = load * rng.uniform(0.2, 2.0, 3) + rng.normal(size=3) * 3.0
        (expected,) = enumerated(bare, q, tau, eta, back, coulomb, inertia)
        require_decided(robot, q, tau, expected, 1e-11)
        ends = np.sort([load / eta, load * back], axis=0)
        alone = np.where(tau > ends[1] + coulomb, 1, np.where(tau < ends[0] - coulomb, -1, 0))
        coupled += tuple(alone) != expected[0]
        modes.add(expected[0])
    assert len(modes) >= 10
    assert coupled >= (2 if rotors > 100 else 5)


LAWS = {
    "gears": lambda k: geared(0.3 * k, Coulomb(0.2 * k), eta=0.5 + 0.1 * k, back=0.8 - 0.15 * k),
    "M3": lambda k: Actuator(Motor(0.2), friction=ServoFriction(coulomb=0.1, viscous=0.2, motor=0.1, external=0.1)),
    "M4": lambda k: Actuator(Motor(0.2), friction=M4),
    "M6": lambda k: Actuator(Motor(0.2 * k) if k else None, friction=M6),
    "gears and M4": lambda k: geared(0.3, M4) if k % 2 else Actuator(friction=Coulomb(0.8)),
}


@pytest.mark.short_run("gears")
@pytest.mark.parametrize("laws", LAWS)
def test_every_joint_of_a_branched_tree_obeys_its_law(laws):
    """Joints that turn and slide; some move, the others rest, and stick or begin to move the way they accelerate."""
    rng, bare = np.random.default_rng(21), armdyn.Robot(to_armdyn(random_tree(9, 4)))
    assert len({joint.kind for joint in bare.joints}) > 1
    robot = bare.with_actuators({name: LAWS[laws](k) for k, name in enumerate(bare.joint_names)})
    rotors = np.array([0.0 if (motor := LAWS[laws](k).motor) is None else motor.rotor_inertia for k in range(4)])
    rows, order, counts = BoundedRows(robot), FrictionRows.of(robot).own, np.zeros(3, dtype=int)
    assert sorted(order) == [0, 1, 2, 3]
    for _ in range(100):
        q, moves = rng.normal(size=4), rng.uniform(size=4) < 0.3
        qd = np.where(moves, rng.normal(size=4), 0.0)
        tau = bare.bias_forces(q, qd) * rng.uniform(0.5, 1.7, 4) + rng.normal(size=4)
        mode = rows.decided(q, qd, (tau,), ~moves[order], np.sign(qd[order]).astype(int))
        qdd, _, _, friction = rows.rates(q, qd, (tau,), mode)
        load = bare.inverse_dynamics(q, qd, qdd)
        near(load + friction + rotors * qdd, tau, 1e-11 * abs(tau).max())
        for k, slip in zip(order, mode.slip, strict=True):
            joint = robot.joints[k]
            f, size = friction[k], 1e-10 * max(1.0, abs(load[k]), abs(tau[k]))
            if slip:
                assert moves[k] or slip * qdd[k] > 0
                rate = qd[k] if moves[k] else slip * 1e-300
                assert abs(f - sum(float(law.force(rate, load[k])) for law in joint.laws)) < size
            else:
                assert qdd[k] == 0.0
                low, high = np.sum([law.at_rest(load[k]) for law in joint.laws], axis=0)
                assert low - size <= f <= high + size
            counts[0 if moves[k] else 1 if slip else 2] += 1
    assert (counts > 50).all()


@pytest.mark.short_run(without=["M4"])  # which gears and M4 are too
@pytest.mark.parametrize("laws", LAWS)
def test_bounds_of_friction_solve_the_laws_for_the_load(laws):
    """f with l + f(l) = tau: at rest least and largest, and of a joint that begins to slip backwards and forwards."""
    rng, bare = np.random.default_rng(3), armdyn.Robot(to_armdyn(random_tree(9, 4)))
    robot = bare.with_actuators({name: LAWS[laws](k) for k, name in enumerate(bare.joint_names)})
    for tau in rng.normal(size=(20, 4)) * 5.0:
        bounds = np.array(robot.compile(bounds_under_load)(tau))
        for i, joint in enumerate(map(robot.model.joint, robot.joint_names)):
            dry = [law for law in joint.laws if is_dry(law)]
            forces = [
                lambda load, dry=dry: sum(float(law.at_rest(load)[0]) for law in dry),
                lambda load, dry=dry: sum(float(law.at_rest(load)[1]) for law in dry),
                lambda load, dry=dry: sum(float(law.sliding(-1.0, 0.0, load)) for law in dry),
                lambda load, dry=dry: sum(float(law.sliding(1.0, 0.0, load)) for law in dry),
            ]
            for bound, force in zip(bounds[:, i], forces, strict=True):
                load = brentq(lambda x, f=force, t=tau[i]: x + f(x) - t, -1e3, 1e3, xtol=1e-14, rtol=1e-15)
                near(bound, force(load), 1e-12)


# Motions of arms.


TIP = np.array([0.0, 0.0, 0.2, 0.6, -0.4, 0.0])
"""What the tip applies to its surroundings, N m and N."""
MIXED = {
    "geared": lambda k: geared(0.3 / (1 + k), Coulomb(0.3), Viscous(0.4)),
    "with Coulomb": lambda k: geared(0.2, Viscous(0.3)) if k == 0 else Actuator(friction=[Coulomb(1.5), Viscous(0.2)]),
    "with a smooth law": lambda k: (
        geared(0.2, Coulomb(2.0))
        if k == 1
        else Actuator(Motor(0.1), friction=[Smooth(GearLoss(0.8, 0.6), 0.3), Viscous(0.5)])
    ),
    "servos": lambda k: Actuator(Motor(0.05), friction=[M4 if k else M6, Coulomb(1.0), Viscous(0.3)]),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", short_run(MIXED, "with a smooth law", "servos"))
def test_motions_of_arms_keep_their_equations_and_their_energy(kind):
    """What acts is what links, rotors and friction take; what moves has the friction of its load, what sticks stays."""
    robot = PLANAR.with_actuators({name: MIXED[kind](k) for k, name in enumerate(PLANAR.joint_names)})
    given = {"torque": lambda t, *_: [4.0 * np.sin(2.0 * t), 2.0 * np.cos(3.0 * t)], "f_tip": TIP, "duration": 2.5}
    motion = armdyn.simulate(robot, [-0.6, 0.7], [0.4, -0.3], **given)
    assert len(FrictionRows.of(robot)) == (1 if kind == "with a smooth law" else 2)
    assert len(motion.events) >= 4
    wrench = np.broadcast_to(TIP, (len(motion.t), 6))
    rest = robot.without_friction().inverse_dynamics(motion.q, motion.qd, motion.qdd, wrench)
    near(rest + motion.signals["friction"], motion.tau, 1e-9)
    taken, moves = robot.inverse_dynamics(motion.q, motion.qd, motion.qdd, wrench) - rest, motion.qd != 0.0
    near(motion.signals["friction"][moves], taken[moves], 1e-9)
    stuck = {robot.joint_names.index(one.name) for one in motion.events if one.kind == "stick"}
    assert stuck
    for k in stuck:
        assert (~moves[:, k]).sum() > 3
        assert (motion.qdd[~moves[:, k], k] == 0.0).all()
    assert drifts(motion) < 1e-8
    assert motion.notes == ()
    steps = {"method": RungeKutta4(step=5e-3), "save": SaveAt(every=0.1)}
    fine = armdyn.simulate(robot, [-0.6, 0.7], [0.4, -0.3], **steps, **given)
    assert kinds(fine) == kinds(motion)
    near([a.t for a in fine.events], [b.t for b in motion.events], 1e-3)
    near(fine.q[-1], motion.q[-1], 1e-4)


def many():
    """Arms, states and forces that are known beforehand, so that all steps are one compiled loop."""
    rng, tree = np.random.default_rng(5), armdyn.Robot(to_armdyn(random_tree(9, 4)))
    servos = PLANAR.with_actuators(
        dict.fromkeys(PLANAR.joint_names, Actuator(Motor(0.05), friction=[M6, Viscous(0.3)]))
    )
    geared_tree = tree.with_actuators({n: geared(0.2 * k, Coulomb(1.0)) for k, n in enumerate(tree.joint_names)})
    table, ramp = np.repeat(rng.normal(size=(12, 3, 2)) * 4, 10, axis=0), np.linspace(0, 40, 50)[:, None, None]
    return {
        "servos": (servos, rng.uniform(-1, 1, (3, 2)), {"duration": 2.4, "torque": table}),
        "tree": (geared_tree, rng.normal(size=(4, 4)) * 0.3, {"duration": 0.6, "method": SemiImplicitEuler(4e-3)}),
        "lift": (lift(0.3, Coulomb(0.2)), np.zeros((2, 1)), {"duration": 1.0, "torque": ramp}),
    }


@pytest.mark.slow
@pytest.mark.parametrize("case", short_run(["servos", "tree", "lift"], "tree", "lift"))
def test_one_compiled_loop_moves_many_states_as_state_by_state(monkeypatch, case):
    robot, q0, settings = many()[case]
    settings = {"method": RungeKutta4(0.02), "save": SaveAt(every=0.04 if case != "tree" else 0.02)} | settings
    expected = state_by_state(monkeypatch, robot, q0, **settings)
    seen = []
    monkeypatch.setattr(StateInMotion, "run", lambda *_: seen.append(1))
    assert_same(armdyn.simulate(robot, q0, **settings), expected)
    assert {one.kind for one in expected.events} >= ({"reversal", "slip"} if case == "tree" else {"stick", "slip"})
    assert not seen  # none was left to the Python path


@pytest.mark.parametrize("case", short_run([(m, r) for m in STEPS for r in (0.0, 0.3)], (STEPS[1], 0.0)), ids=str)
def test_joints_without_load_rest_but_for_rounding(case):
    """The base and the last joint of a UR5 carry no weight: their gears hold nothing, and nothing moves them."""
    (method, rotor), bare, q = case, armdyn.load("ur5"), np.array([0.3, -1.0, 1.2, 0.4, 0.5, 0.1])
    robot = bare.with_actuators(dict.fromkeys(bare.joint_names, geared(rotor)))
    weight = bare.gravity_forces(q)
    assert abs(weight[[0, 5]]).max() < 1e-12
    rise = bare.jacobian(q, expressed_in="world")[5]  # of the tip
    height = bare.forward_kinematics(q)[2, 3]
    table = Contact(c.PointOnPlane("tool0", (0, 0, 1), (0, 0, height), name="table"))
    for force, contacts in product((0.0, 1e-9, 10.0), ([], [table])):
        torque = weight - force * rise * len(contacts)
        motion = armdyn.simulate(robot, q, duration=0.4, torque=torque, elements=contacts, method=method)
        assert (motion.q == q).all()
        assert len(motion.events) == (1 if contacts and force else 0)  # the rest on the table


@pytest.mark.parametrize(
    ("actuators", "joints", "signal"),
    [
        ({"joint_2": Actuator(gear=Gear(50.0, efficiency=0.8))}, "joint_2", "friction"),
        (
            {"joint_1": Actuator(Motor(0.4), friction=Coulomb(2.0), spring=armdyn.actuators.Spring(300.0)),
             "joint_2": geared(0.3)},
            "joint_1, joint_2",
            "rotor_friction",
        ),
    ],
    ids=["rigid", "flexible"],
)  # fmt: skip
def test_joints_that_do_not_move_by_themselves_do_not_stick_and_say_so(actuators, joints, signal):
    robot = armdyn.load("planar_3r").with_mimic({"joint_3": ("joint_2", 1.0)}).with_actuators(actuators)
    motion = armdyn.simulate(robot, [0.1, 0.2], duration=0.02, method="rk4")
    (note,) = (note for note in motion.notes if "do not stick" in note)
    assert note.startswith("friction depends on the load of joints that are coupled")
    assert f"({joints}); use friction that does not, or a smooth law" in note
    assert signal not in motion.signals


# Stops, contacts and brakes: what they push is part of the load.


SLOPE = 0.5
slope = Contact(c.PointOnPlane("y", (-np.sin(SLOPE), np.cos(SLOPE), 0.0), name="slope"))


def pushed_cart(rotor, friction):
    """A mass that a lossy gear pushes along x, and that moves up and down as a slope wants."""
    return cart().with_actuators({"along": geared(rotor, Coulomb(friction))})


@pytest.mark.short_run("0.0-method3")
@pytest.mark.parametrize(("rotor", "method"), each_once([0.7, 0.0], STEPS))
def test_a_gear_that_drives_a_mass_up_a_slope_is_loaded_by_the_slope_alone(method, rotor):
    """l = m v'/cos^2 + m g tan, for the slope pushes N = m (g + v' tan)/cos; the drive gives l/eta + c + a v'."""
    coulomb, tau = 0.3, 20.0
    given = {"torque": [tau, 0.0], "elements": [slope], "save": SaveAt(every=0.1), "method": method}
    motion = armdyn.simulate(pushed_cart(rotor, coulomb), [0.0, 0.0], duration=1.0, **given)
    rise = np.tan(SLOPE)
    qdd = (ETA * (tau - coulomb) - MASS * G * rise) / (MASS / np.cos(SLOPE) ** 2 + ETA * rotor)
    assert qdd > 0
    near(motion.qdd, np.tile([qdd, qdd * rise], (11, 1)), 1e-11)
    near(motion.q[-1], [qdd / 2, qdd / 2 * rise], 1e-10)
    push = MASS * (G + qdd * rise) / np.cos(SLOPE)
    near(motion.signals["contact_force"][:, 0], push, 1e-10)
    load = MASS * qdd + push * np.sin(SLOPE)
    near(motion.signals["friction"][:, 0], load * (1 / ETA - 1) + coulomb, 1e-10)
    assert abs(motion.energy.drift).max() < 1e-9


@pytest.mark.short_run("0.7-method3")  # an adaptive method takes some thousand steps at rest
@pytest.mark.parametrize(("rotor", "method"), each_once([0.0, 0.7], STEPS))
def test_a_gear_holds_a_mass_on_a_slope_and_lets_it_go(method, rotor):
    load, coulomb, r = MASS * G * np.tan(SLOPE), 0.3, 20.0
    for way, bound in ((1, load / ETA + coulomb), (-1, BACK * load - coulomb)):
        starts = abs(bound - load) / r
        ramp = lambda t, *_, way=way: [load + way * r * t, 0.0]  # noqa: E731
        given = {"torque": ramp, "elements": [slope], "save": SaveAt(every=0.02), "method": method}
        motion = armdyn.simulate(pushed_cart(rotor, coulomb), [0.0, 0.0], duration=starts + 0.2, **given)
        assert kinds(motion)[-1] == ("slip", "along")
        assert abs(motion.events[-1].t - starts) < 1e-9
        before = motion.t < starts
        assert (motion.q[before, 0] == 0.0).all()
        assert abs(motion.q[before, 1]).max() < 1e-15  # the slope holds it
        np.testing.assert_allclose(motion.signals["contact_force"][before, 0], MASS * G / np.cos(SLOPE), rtol=1e-12)
        assert motion.q[-1, 0] * way > 0
        assert abs(motion.energy.drift).max() < 1e-8


@pytest.mark.short_run("rk4")
@both
def test_a_mass_that_rests_on_its_stop_is_lifted_from_it(method):
    """The stop carries what the drive does not; friction and stop share what is not decided."""
    robot, r, coulomb = lift(0.4, Coulomb(0.5), limits=(0.0, 1.0)), 10.0, 0.5
    given = {"elements": [Stops()], "save": SaveAt(every=0.04), "method": method}
    motion = armdyn.simulate(robot, [0.0], duration=4.0, torque=lambda t, *_: [r * t], **given)
    starts = (MASS * G / ETA + coulomb) / r
    moved = motion.t > starts
    assert (motion.q[~moved] == 0.0).all()
    near(times(motion, "slip"), starts, 1e-9)
    push, friction = motion.signals["stop_force"], motion.signals["friction"][:, 0]
    assert (push >= 0.0).all()
    near(motion.tau[~moved, 0] - friction[~moved] + push[~moved, 0] - MASS * G, 0.0, 1e-11)
    load = MASS * G - push[~moved, 0]
    least, most = np.sort([load / ETA, load * BACK], axis=0) - load + [[-coulomb], [coulomb]]
    assert (friction[~moved] >= least - 1e-9).all()
    assert (friction[~moved] <= most + 1e-9).all()
    first = moved & (motion.t < starts + 0.5)
    near(motion.q[first, 0], ETA * r * (motion.t[first] - starts) ** 3 / 6 / (MASS + ETA * 0.4), 1e-9)
    assert drifts(motion) < 1e-9


def test_a_mass_that_falls_on_its_stop_stays_there():
    """Without a rotor it falls freely, for its gear has no load; an inelastic stop takes its energy."""
    given = {"elements": [Stops()], "save": SaveAt(every=0.1)}
    motion = armdyn.simulate(lift(limits=(0.0, np.inf)), [0.5], duration=2.0, **given)
    impact = motion.events[0]
    assert kinds(motion)[0] == ("impact", "x lower stop")
    assert abs(impact.t - np.sqrt(2 * 0.5 / G)) < 1e-10
    assert abs(impact.energy - MASS * G * 0.5) < 1e-9
    rest = motion.t > impact.t
    assert (motion.q[rest] == 0.0).all()
    np.testing.assert_allclose(motion.signals["stop_force"][rest, 0], MASS * G, rtol=1e-12)
    assert any("does not feel the impulses" in note for note in motion.notes)


@pytest.mark.short_run("adaptive")
@both
def test_a_mass_with_a_rotor_that_bounces_on_its_stop(method):
    """It falls with its load driving the rotor, and rises with the rotor driving the load, until it rests."""
    rotor, e = 0.5, 0.6
    given = {"elements": [Stops(e)], "save": SaveAt(every=0.1), "method": method}
    motion = armdyn.simulate(lift(rotor, limits=(0.0, np.inf)), [0.5], duration=3.0, **given)
    falls, rises = BACK * MASS * G / (BACK * MASS + rotor), MASS * G / (MASS + ETA * rotor)
    t = np.sqrt(2 * 0.5 / falls)
    speed, expected = falls * t, [t]
    while (e * speed) ** 2 / (2 * rises) > 1e-7:
        speed *= e
        height = speed**2 / (2 * rises)
        t += speed / rises + np.sqrt(2 * height / falls)
        speed = np.sqrt(2 * height * falls)
        expected.append(t)
    assert len(expected) > 8
    near(times(motion, "impact")[: len(expected)], expected, 1e-9)
    assert motion.q[-1] == motion.qd[-1] == 0.0
    assert abs(motion.energy.drift).max() < MASS * G * TOUCHED + 1e-9  # the last bounce is put on the stop


SLIDING = {
    "gears": lambda k: geared(0.3 / (1 + k), Coulomb(0.3), Viscous(0.5)),
    "a smooth gear": lambda k: Actuator(Motor(0.2), friction=[Smooth(GearLoss(0.8, 0.6), 0.2), Viscous(1.5 - k)]),
}
TABLE = Contact(c.PointOnPlane("tip", (0, 1, 0), (0, -0.7, 0), name="table"))


@pytest.mark.slow
@pytest.mark.parametrize("laws", short_run(SLIDING, "gears"))
def test_an_arm_whose_tip_slides_on_a_table(laws):
    """Each joint's equation with what the table pushes in its load."""
    robot = PLANAR.with_actuators({name: SLIDING[laws](k) for k, name in enumerate(PLANAR.joint_names)})
    given = {"torque": lambda t, *_: [8.0 * np.sin(5 * t), 5.0 * np.cos(7 * t)], "save": SaveAt(every=5e-3)}
    motion = armdyn.simulate(robot, [-0.2, -0.2], duration=2.5, elements=[TABLE], **given)
    push = motion.signals["contact_force"][:, 0]
    pressed = push > 1e-3
    assert pressed.sum() > 50
    assert (push >= 0.0).all()
    J = PLANAR.jacobian(motion.q, expressed_in="world")[:, 4]  # how fast the tip rises
    load = PLANAR.inverse_dynamics(motion.q, motion.qd, motion.qdd) - push[:, None] * J
    rotors = np.array([SLIDING[laws](k).motor.rotor_inertia for k in (0, 1)])
    friction = motion.tau - load - rotors * motion.qdd
    if laws == "gears":
        near(motion.signals["friction"], friction, 1e-8)
        assert {"reversal", "stick", "release"} <= {one.kind for one in motion.events}
    expected = np.zeros_like(friction)
    for k, joint in enumerate(robot.joints):
        for one in joint.laws:
            expected[:, k] += [float(one.force(*each)) for each in zip(motion.qd[:, k], load[:, k], strict=True)]
    moves = (abs(motion.qd) > 1e-9).all(axis=-1)
    assert (moves & pressed).sum() > 30
    near(friction[moves], expected[moves], 1e-8)
    assert PLANAR.forward_kinematics(motion.q)[:, 1, 3].min() > -0.7 - 1e-8
    assert drifts(motion) < 1e-8


@pytest.mark.slow
def test_an_arm_that_rests_on_a_table_slips_where_no_push_leaves_all_joints_within_their_friction():
    """Both joints stick together; the push is not decided, and they slip when no push is left that would do."""
    robot = PLANAR.with_actuators({name: SLIDING["gears"](k) for k, name in enumerate(PLANAR.joint_names)})
    coulomb, torque = 0.3, lambda t, *_: np.array([5.0 + 6.0 * np.sin(5 * t), -2.0])
    given = {"elements": [TABLE], "torque": torque, "method": RungeKutta4(step=5e-3), "save": SaveAt(every=0.01)}
    motion = armdyn.simulate(robot, [-0.2, -0.2], duration=2.5, **given)
    assert drifts(motion) < 1e-6

    def pushes(t, q):
        """The pushes that each joint allows: its load lies between those at which it would begin to move."""
        forth, back = torque(t) - coulomb, torque(t) + coulomb
        loads = np.array([np.where(forth > 0, ETA * forth, forth / BACK), np.where(back > 0, back / BACK, ETA * back)])
        ends = np.sort((PLANAR.gravity_forces(q) - loads) / PLANAR.jacobian(q, expressed_in="world")[4], axis=0)
        return max(0.0, *ends[0]), min(ends[1])

    slips = [one for one in motion.events if one.kind == "slip" and one.t > 0.5]
    assert len(slips) == 6
    for one in slips:
        least, most = pushes(one.t, one.q)
        assert abs(most - least) < 1e-8 * most
    held = (motion.qd == 0.0).all(axis=-1) & (motion.t > 0.5)
    assert held.sum() > 40
    for t, q, push in zip(motion.t[held], motion.q[held], motion.signals["contact_force"][held, 0], strict=True):
        least, most = pushes(t, q)
        assert least - 1e-9 <= push <= most + 1e-9


@pytest.mark.short_run("0.0-rk4", "0.0-adaptive", "0.6-rk4")
@both
@pytest.mark.parametrize("rotor", [0.0, 0.6])
def test_a_brake_holds_a_weight_behind_a_lossy_gear(method, rotor):
    """Released it falls, the load driving the rotor; the brake stops it again."""
    robot, size = lift(rotor, brake=Brake(30.0, "engaged")), 30.0
    switches = BrakeSwitches({"x": [(0.5, "released"), (0.8, "engaged")]})
    motion = armdyn.simulate(robot, [0.1], duration=2.0, elements=[switches], save=SaveAt(every=0.04), method=method)
    falls = -BACK * MASS * G / (BACK * MASS + rotor)
    slows = (size - BACK * MASS * G) / (BACK * MASS + rotor)
    stops = 0.8 - falls * 0.3 / slows
    found = [kind for kind, _ in kinds(motion) if kind not in ("slip", "reversal")]
    assert found == ["released", "engaged", "stick"]
    assert abs(motion.events[-1].t - stops) < 1e-9
    assert (motion.q[motion.t <= 0.5] == 0.1).all()
    rest = motion.t > stops
    assert np.ptp(motion.q[rest]) == 0.0
    near(motion.q[rest, 0], 0.1 + falls * 0.3**2 / 2 - (falls * 0.3) ** 2 / (2 * slows), 1e-9)
    assert drifts(motion) < 1e-9
