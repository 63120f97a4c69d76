"""Joints that stick where friction depends on the load: closed forms, all modes enumerated, SciPy's integrators."""

from itertools import product

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, root

import armdyn
from armdyn.actuators import (
    Actuator,
    Coulomb,
    Gear,
    GearLoss,
    LuGre,
    Motor,
    ServoFriction,
    Smooth,
    StaticKinetic,
    Viscous,
)
from armdyn.simulation import Adaptive, Contact, RungeKutta4, SaveAt, SemiImplicitEuler
from armdyn.simulation.drivers.state_in_motion import StateInMotion
from armdyn.simulation.elements.dry_joints import DryJoints
from armdyn.simulation.system.bounded_rows import BoundedRows
from oracles.short_run import each_once, short_run
from oracles.trees import random_tree, to_armdyn
from simulation.test_compiled_sticking import assert_same, state_by_state

g, m, length = 9.81, 2.0, 0.4
ETA, BACK = 0.8, 0.55
METHODS = {"adaptive": {}, "rk4": {"method": RungeKutta4(step=0.02)}}
methods = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
M4 = ServoFriction(0.05, 0.02, 0.1, 1.5, 0.84, 0.05, 0.05, 0.2, 0.2)
M6 = ServoFriction(0.05, 0.02, 0.1, 1.5, 1.3, 0.2, 0.02, 0.1, 0.15, 0.009, 0.005)


def geared(rotor=0.0, *friction, eta=ETA, back=BACK, **more):
    motor = Motor(rotor) if rotor else None
    return Actuator(motor, Gear(1.0, efficiency=eta, back_efficiency=back), friction, **more)


def lift(rotor=0.0, *friction, **more):
    """A mass on a vertical slide behind a lossy gear."""
    body = armdyn.Inertia(m, [0, 0, 0], 0.1 * np.eye(3))
    part = armdyn.Part("mass", "base", "prismatic", axis=(0, 0, 1), inertia=body, joint="up")
    robot = armdyn.Robot.from_links([part], gravity=(0, 0, -g), tip="mass")
    return robot.with_actuators({"up": geared(rotor, *friction, **more)})


def pendulum(rotor=0.0, *friction):
    """A rod behind a lossy gear that stretches out where q = 0; its inertia about the hinge is m length^2 + 0.02."""
    bob = armdyn.Inertia(m, [length, 0, 0], np.diag([1e-3, 0.02, 0.02]))
    part = armdyn.Part("rod", "base", "revolute", axis=(0, 0, 1), inertia=bob, joint="hinge")
    return armdyn.Robot.from_links([part], gravity=(0, -g, 0), tip="rod").with_actuators(
        {"hinge": geared(rotor, *friction)}
    )


def weights(robot, q):
    """The load at rest."""
    return m * g if robot.joint_names == ("up",) else m * g * length * np.cos(q)


def kinds(motion):
    return [(one.kind, one.name) for one in motion.events]


# One joint.


def named(case):
    return "-".join(getattr(part, "__name__", str(part)) for part in case)


HELD = [(make, coulomb) for make in (lift, pendulum) for coulomb in (0.0, 0.7)]


@pytest.mark.slow
@pytest.mark.parametrize("case", short_run(HELD, (lift, 0.7)), ids=named)
def test_a_weight_held_for_ten_minutes_does_not_creep(case):
    make, coulomb = case
    robot, q = make(0.3, Coulomb(coulomb)), 0.3
    load = weights(robot, q)
    for held in (BACK * load - coulomb, load / ETA + coulomb):
        inside = held + 1e-9 * (load - held)
        motion = armdyn.simulate(robot, [q], duration=600.0, torque=[inside])
        assert (motion.q == q).all()
        assert (motion.qd == 0.0).all()
        assert (motion.qdd == 0.0).all()
        assert motion.events == ()
        assert motion.notes == ()
        np.testing.assert_allclose(motion.signals["friction"], inside - load, rtol=0, atol=1e-12)
        assert (motion.energy.work == 0.0).all()
    swung = armdyn.simulate(robot, [q], duration=600.0, torque=lambda t, *_: [load * (0.9 + 0.3 * np.sin(0.1 * t))])
    assert (swung.q == q).all()


RAMPS = [(make, rotor, coulomb) for make in (lift, pendulum) for rotor in (0.0, 0.3) for coulomb in (0.0, 0.7)]


@pytest.mark.short_run("pendulum-0.0-0.0-rk4")
@methods
@pytest.mark.parametrize("case", short_run(RAMPS, (lift, 0.3, 0.7), (pendulum, 0.0, 0.0)), ids=named)
def test_a_ramp_lets_a_joint_go_where_its_drive_gives_load_over_eta_or_eta_b_load(method, case):
    make, rotor, coulomb = case
    robot, q, r = make(rotor, Coulomb(coulomb)), 0.3, 2.0
    load = weights(robot, q)
    for way, bound in ((1.0, load / ETA + coulomb), (-1.0, BACK * load - coulomb)):
        starts = abs(bound - load) / r
        motion = armdyn.simulate(
            robot,
            [q],
            duration=starts + 0.5,
            torque=lambda t, *_, way=way: [load + way * r * t],
            save=SaveAt(every=0.1),
            **method,
        )
        slip = motion.events[0]
        assert slip.kind == "slip"
        assert abs(slip.t - starts) < 1e-9
        assert (motion.q[motion.t < starts] == q).all()
        assert (motion.q[-1] - q) * way > 0
        assert abs(motion.energy.relative_drift).max() < (1e-9 if not method else 1e-6)


@pytest.mark.short_run("0.0-rk4", "0.0-adaptive", "0.6-adaptive")
@methods
@pytest.mark.parametrize("rotor", [0.0, 0.6])
def test_a_weight_thrown_upwards_stops_and_stays_or_falls_back(method, rotor):
    """Upwards (m + a eta) v' = eta (tau - c) - m g while it drives its load; downwards with eta_b and -c."""
    coulomb, v = 0.4, 1.7
    robot = lift(rotor, Coulomb(coulomb))
    up = lambda tau: ((tau - coulomb) * ETA - m * g) / (m + rotor * ETA)  # noqa: E731
    down = lambda tau: ((tau + coulomb) / BACK - m * g) / (m + rotor / BACK)  # noqa: E731
    for tau, stays in ((15.0, True), (6.0, False)):
        assert -g < up(tau) < 0  # the load is positive all the way
        motion = armdyn.simulate(robot, [0.1], [v], duration=2.0, torque=[tau], save=SaveAt(every=0.1), **method)
        stops = -v / up(tau)
        top = 0.1 - v**2 / (2 * up(tau))
        (event,) = motion.events
        assert event.kind == ("stick" if stays else "reversal")
        assert abs(event.t - stops) < 1e-9
        assert abs(event.q[0] - top) < 1e-9
        after = motion.t > stops
        assert after.sum() > 5
        qdd = 0.0 if stays else down(tau)
        s = motion.t[after] - stops
        np.testing.assert_allclose(motion.qdd[after, 0], qdd, rtol=0, atol=1e-12)
        np.testing.assert_allclose(motion.q[after, 0], top + qdd * s**2 / 2, rtol=0, atol=1e-9)
        load = m * (g + qdd)
        np.testing.assert_allclose(motion.signals["friction"][after, 0], tau - load - rotor * qdd, rtol=0, atol=1e-11)
        if stays:
            assert np.ptp(motion.q[after]) == 0.0
        else:
            np.testing.assert_allclose(load * (BACK - 1) - coulomb, tau - load - rotor * qdd, rtol=0, atol=1e-12)
        assert abs(motion.energy.relative_drift).max() < 1e-10


@pytest.mark.short_run("rk4")
@methods
def test_without_load_and_torque_a_gear_holds_nothing(method):
    """A slide across gravity begins to move with its torque, whichever way."""
    body = armdyn.Inertia(m, [0, 0, 0], 0.1 * np.eye(3))
    part = armdyn.Part("mass", "base", "prismatic", axis=(1, 0, 0), inertia=body, joint="along")
    bare = armdyn.Robot.from_links([part], gravity=(0, 0, -g), tip="mass")
    rotor = 0.9
    robot = bare.with_actuators({"along": geared(rotor)})
    for r in (1.3, -1.3):
        motion = armdyn.simulate(robot, [0.0], duration=2.0, torque=lambda t, *_, r=r: [r * t], **method)
        assert kinds(motion) == [("slip", "along")]
        assert motion.events[0].t < 1e-12
        assert abs(motion.q[-1, 0] - ETA * r * 2.0**3 / 6 / (m + ETA * rotor)) < 1e-9
    rests = armdyn.simulate(robot, [0.0], duration=2.0, **method)
    assert (rests.q == 0.0).all()


def by_scipy(torque, rotor, coulomb, viscous, q0, qd0, duration):
    """The pendulum by SciPy, from one stop to the next; it sticks where the drive can hold the load."""
    inertia = m * length**2 + 0.02
    weight = lambda q: m * g * length * np.cos(q)  # noqa: E731

    def qdd(t, q, qd, way):
        """l = inertia qdd + weight; drive: l/eta or eta_b l, where the sign of way l says which."""
        for factor, driving in ((1 / ETA, True), (BACK, False)) if way > 0 else ((BACK, False), (1 / ETA, True)):
            found = (torque(t) - way * coulomb - viscous * qd - factor * weight(q)) / (rotor + factor * inertia)
            if (way * (inertia * found + weight(q)) >= 0) == driving:
                return found
        raise AssertionError

    def stops(t, y, way):
        return y[1] * way

    stops.terminal, stops.direction = True, -1
    t, q, qd, way, events = 0.0, q0, qd0, np.sign(qd0), []
    settings = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13, "max_step": 0.01}
    while t < duration:
        run = solve_ivp(
            lambda t, y, way: [y[1], qdd(t, *y, way)], (t, duration), [q, qd], args=(way,), events=stops, **settings
        )
        t, (q, qd) = run.t[-1], run.y[:, -1]
        if run.status == 0:
            break
        least, most = sorted((weight(q) / ETA, weight(q) * BACK))
        excess = lambda s, q=q, least=least, most=most: max(torque(s) - most, least - torque(s)) - coulomb  # noqa: E731
        if excess(t) < 0:
            events.append(("stick", t, q))
            later = np.linspace(t, duration, 400)
            lost = [k for k, s in enumerate(later) if excess(s) > 0]
            if not lost:
                return events, q
            t = brentq(excess, later[lost[0] - 1], later[lost[0]], xtol=1e-14)
            events.append(("slip", t, q))
        else:
            events.append(("reversal", t, q))
        way = 1.0 if torque(t) > most else -1.0
        qd = way * 1e-14
        run = None
    return events, q


@pytest.mark.slow
@pytest.mark.parametrize(("rotor", "method"), each_once([0.0, 0.25], METHODS.values()))
def test_a_pendulum_that_sticks_and_turns_agrees_with_scipy(method, rotor):
    torque = lambda t: 5.0 * np.sin(2.0 * t) + 2.0 * t  # noqa: E731
    coulomb, viscous, q0, qd0, duration = 0.2, 0.3, -0.9, 0.4, 5.0
    events, q = by_scipy(torque, rotor, coulomb, viscous, q0, qd0, duration)
    robot = pendulum(rotor, Coulomb(coulomb), Viscous(viscous))
    given = {"method": RungeKutta4(step=8e-3)} if method else {}
    motion = armdyn.simulate(robot, [q0], [qd0], duration=duration, torque=lambda t, *_: [torque(t)], **given)
    assert {"stick", "slip"} <= {kind for kind, *_ in events}
    assert [one.kind for one in motion.events] == [kind for kind, *_ in events]
    tolerance = 1e-4 if method else 1e-7
    np.testing.assert_allclose([one.t for one in motion.events], [t for _, t, _ in events], rtol=0, atol=tolerance)
    np.testing.assert_allclose(motion.q[-1, 0], q, rtol=0, atol=tolerance)
    assert abs(motion.energy.relative_drift).max() < (1e-4 if method else 1e-8)


# Several joints: which of them stick.


def arm():
    """Three joints of a UR5."""
    return armdyn.load("ur5", locked=dict.fromkeys(armdyn.load("ur5").joint_names[3:], 0.3))


def decided(robot, q, tau):
    """What is decided of joints that all rest, and the motion that follows."""
    rows = BoundedRows(robot)
    assert rows.loaded is not None
    n = robot.dof
    mode = rows.decided(q, np.zeros(n), (tau,), np.ones(n, dtype=bool), np.zeros(n, dtype=int))
    return mode, rows.rates(q, np.zeros(n), (tau,), mode)


def enumerated(bare, q, tau, eta, back, coulomb, rotors):
    """Each joint sticks, or moves one of two ways and drives its load or is driven: those of 5^n cases that hold."""
    n, M, h = bare.dof, bare.mass_matrix(q), bare.gravity_forces(q)
    found = []
    for case in product([(0, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)], repeat=n):  # direction, sign of the load along it
        A, b = np.zeros((n, n)), np.zeros(n)
        for i, (way, drives) in enumerate(case):
            if way == 0:
                A[i, i] = 1.0
            else:
                factor = 1 / eta[i] if drives > 0 else back[i]
                A[i] = factor * M[i]
                A[i, i] += rotors[i]
                b[i] = tau[i] - way * coulomb[i] - factor * h[i]
        qdd = np.linalg.solve(A, b)
        load = M @ qdd + h
        ends = np.sort([load / eta, load * back], axis=0)
        sticks = (ends[0] - coulomb <= tau) & (tau <= ends[1] + coulomb)
        fine = [
            sticks[i] if way == 0 else way * qdd[i] > 0 and way * drives * load[i] > 0
            for i, (way, drives) in enumerate(case)
        ]
        if all(fine):
            found.append((tuple(way for way, _ in case), qdd, tau - load - rotors * qdd))
    return found


@pytest.mark.short_run("0.0")
@pytest.mark.parametrize("rotors", short_run([0.0, 0.05, 2.0, 300.0], 0.0, 2.0))
def test_one_mode_of_geared_joints_is_consistent_and_is_found(rotors):
    rng, bare = np.random.default_rng(11), arm()
    eta, back, coulomb = np.array([0.6, 0.9, 0.35]), np.array([0.5, 0.15, 0.8]), np.array([1.0, 0.0, 2.0])
    inertia = rotors * np.array([1.0, 0.7, 0.4])
    actuators = [geared(*row[:1], Coulomb(row[1]), eta=row[2], back=row[3]) for row in zip(inertia, coulomb, eta, back)]  # noqa: B905
    robot, modes, coupled = bare.with_actuators(dict(zip(bare.joint_names, actuators, strict=True))), set(), 0
    for _ in range(100):
        q = rng.uniform(-2, 2, 3)
        load = bare.gravity_forces(q)
        tau = load * rng.uniform(0.2, 2.0, 3) + rng.normal(size=3) * 3.0
        ((expected, qdd, friction),) = enumerated(bare, q, tau, eta, back, coulomb, inertia)
        mode, found = decided(robot, q, tau)
        assert tuple(mode.slip) == expected
        np.testing.assert_array_equal(mode.held, np.array(expected) == 0)
        np.testing.assert_allclose(found.qdd, qdd, rtol=0, atol=1e-11 * max(1.0, abs(qdd).max()))
        assert (found.qdd[mode.held] == 0.0).all()
        np.testing.assert_allclose(found.friction, friction, rtol=0, atol=1e-10 * max(1.0, abs(friction).max()))
        ends = np.sort([load / eta, load * back], axis=0)
        alone = np.where(tau > ends[1] + coulomb, 1, np.where(tau < ends[0] - coulomb, -1, 0))
        coupled += tuple(alone) != expected
        modes.add(expected)
    assert len(modes) >= 10
    assert coupled >= (2 if rotors > 100 else 5)


def servo_force(law, load):
    """F of a servo at rest that is to move along its load's sign, by the equation that defines it."""

    def left(F):
        motor, external = load + F, -load
        Q = law.external_quadratic * external**2 if load > 0 else law.motor_quadratic * motor**2 if motor < 0 else 0.0
        first = abs(law.motor * motor - law.external * external)
        second = abs(law.motor_stribeck * motor - law.external_stribeck * external)
        return law.coulomb + first + law.stribeck + second + Q - F

    return brentq(left, 0.0, 1e4, xtol=1e-15, rtol=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize(("law", "rotors"), each_once([M4, M6], [0.0, 0.5]))
def test_one_mode_of_servos_is_consistent_and_is_found(law, rotors):
    """Each of the 3^n modes by SciPy's root, the friction by the equation that defines it."""
    rng, bare = np.random.default_rng(12), armdyn.load("planar_2r")
    motor = Motor(rotors) if rotors else None
    robot = bare.with_actuators({name: Actuator(motor, friction=law) for name in bare.joint_names})
    modes = set()
    for _ in range(25):
        q = rng.uniform(-2, 2, 2)
        M, h = bare.mass_matrix(q), bare.gravity_forces(q)
        tau = h * rng.uniform(0.4, 2.0, 2) + rng.normal(size=2)
        consistent = []
        for case in product((-1, 0, 1), repeat=2):
            way = np.array(case)

            def left(y, way=way, M=M, h=h, tau=tau):
                load = M @ y + h
                forces = [s * servo_force(law, s * one) if s else 0.0 for s, one in zip(way, load, strict=True)]
                return np.where(way == 0, y, tau - load - forces - rotors * y)

            solved = root(left, np.zeros(2), tol=1e-13)
            y = np.where(way == 0, 0.0, solved.x)
            load = M @ y + h
            bounds = [(-servo_force(law, -one), servo_force(law, one)) for one in load]
            friction = tau - load - rotors * y
            fine = [
                s * one > 0 if s else low <= f <= high
                for s, one, f, (low, high) in zip(case, y, friction, bounds, strict=True)
            ]
            if all(fine) and abs(left(y)).max() < 1e-9:
                consistent.append((case, y, friction))
        ((expected, qdd, friction),) = consistent
        mode, found = decided(robot, q, tau)
        assert tuple(mode.slip) == expected
        np.testing.assert_allclose(found.qdd, qdd, rtol=0, atol=1e-9 * max(1.0, abs(qdd).max()))
        np.testing.assert_allclose(found.friction, friction, rtol=0, atol=1e-9 * max(1.0, abs(friction).max()))
        modes.add(expected)
    assert len(modes) >= 5


@pytest.mark.slow
@pytest.mark.parametrize(("rotor", "method"), each_once([0.3, 0.0], METHODS.values()))
def test_static_friction_above_the_kinetic_one_beside_a_gear(method, rotor):
    """It starts at load/eta + 3 N, or below eta_b load - 3 N, and slips with 2 N."""
    robot, load, r = lift(rotor, StaticKinetic(3.0, 2.0)), m * g, 4.0
    for way, bound, kinetic, factor in ((1, load / ETA + 3, 2, 1 / ETA), (-1, BACK * load - 3, -2, BACK)):
        starts = abs(bound - load) / r
        motion = armdyn.simulate(
            robot,
            [0.0],
            duration=5.0,
            torque=lambda t, *_, way=way: [load + way * r * t],
            save=SaveAt(every=0.1),
            **method,
        )
        assert kinds(motion) == [("slip", "up")]
        assert abs(motion.events[0].t - starts) < 1e-9
        after = motion.t > starts
        pushed = load + way * r * motion.t[after] - kinetic
        qdd = (pushed - factor * load) / (rotor + factor * m)
        assert ((g + qdd) > 0).all()  # the load does not change its sign
        np.testing.assert_allclose(motion.qdd[after, 0], qdd, rtol=0, atol=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("name", short_run(["M4", "M6"], "M6"))
def test_servos_hold_a_weight_and_let_it_go_where_their_laws_say(name):
    law = {"M4": M4, "M6": M6}[name]
    bob = armdyn.Inertia(m, [length, 0, 0], np.diag([1e-3, 0.02, 0.02]))
    part = armdyn.Part("rod", "base", "revolute", axis=(0, 0, 1), inertia=bob, joint="hinge")
    rod = armdyn.Robot.from_links([part], gravity=(0, -g, 0), tip="rod")
    robot, q, r = rod.with_actuators({"hinge": Actuator(Motor(0.02), friction=law)}), 0.5, 1.0
    load = m * g * length * np.cos(q)
    for way in (1, -1):
        starts = servo_force(law, way * load) / r
        held = armdyn.simulate(robot, [q], duration=600.0, torque=[load + way * (starts * r - 1e-9)])
        assert (held.q == q).all()
        for given in METHODS.values():
            motion = armdyn.simulate(
                robot, [q], duration=starts + 0.2, torque=lambda t, *_, way=way: [load + way * r * t], **given
            )
            assert kinds(motion)[0] == ("slip", "hinge")
            assert abs(motion.events[0].t - starts) < 1e-9
            assert (motion.q[-1] - q) * way > 0


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
    dry = DryJoints.of(robot)
    rows, order = BoundedRows(robot), dry.moved_by
    assert sorted(order) == [0, 1, 2, 3]
    counts = np.zeros(3, dtype=int)
    for _ in range(100):
        q, moves = rng.normal(size=4), rng.uniform(size=4) < 0.3
        qd = np.where(moves, rng.normal(size=4), 0.0)
        tau = bare.bias_forces(q, qd) * rng.uniform(0.5, 1.7, 4) + rng.normal(size=4)
        mode = rows.decided(q, qd, (tau,), ~moves[order], np.sign(qd[order]).astype(int))
        qdd, _, _, friction = rows.rates(q, qd, (tau,), mode)
        load = bare.inverse_dynamics(q, qd, qdd)
        np.testing.assert_allclose(load + friction + rotors * qdd, tau, rtol=0, atol=1e-11 * abs(tau).max())
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


# Motions of arms.


TIP = np.array([0.0, 0.0, 0.2, 0.6, -0.4, 0.0])
"""What the tip applies to its surroundings, N m and N."""


def check_equations(robot, motion):
    """What acts is what links, rotors and friction take; what moves has the friction of its load, what sticks stays."""
    wrench = np.broadcast_to(TIP, (len(motion.t), 6))
    rest = robot.without_friction().inverse_dynamics(motion.q, motion.qd, motion.qdd, wrench)
    np.testing.assert_allclose(rest + motion.signals["friction"], motion.tau, rtol=0, atol=1e-9)
    taken = robot.inverse_dynamics(motion.q, motion.qd, motion.qdd, wrench) - rest
    moves = motion.qd != 0.0
    np.testing.assert_allclose(motion.signals["friction"][moves], taken[moves], rtol=0, atol=1e-9)
    stuck = {robot.joint_names.index(one.name) for one in motion.events if one.kind == "stick"}
    assert stuck
    for k in stuck:
        assert (~moves[:, k]).sum() > 3
        assert (motion.qdd[~moves[:, k], k] == 0.0).all()


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
    bare = armdyn.load("planar_2r")
    robot = bare.with_actuators({name: MIXED[kind](k) for k, name in enumerate(bare.joint_names)})
    q0, torque = np.array([-0.6, 0.7]), lambda t, *_: [4.0 * np.sin(2.0 * t), 2.0 * np.cos(3.0 * t)]
    given = {"duration": 2.5, "torque": torque, "f_tip": TIP}
    motion = armdyn.simulate(robot, q0, [0.4, -0.3], **given)
    assert len(DryJoints.of(robot)) == (1 if kind == "with a smooth law" else 2)
    assert len(motion.events) >= 4
    check_equations(robot, motion)
    assert abs(motion.energy.relative_drift).max() < 1e-8
    assert motion.notes == ()
    fine = armdyn.simulate(robot, q0, [0.4, -0.3], method=RungeKutta4(step=5e-3), save=SaveAt(every=0.1), **given)
    assert kinds(fine) == kinds(motion)
    np.testing.assert_allclose([a.t for a in fine.events], [b.t for b in motion.events], rtol=0, atol=1e-3)
    np.testing.assert_allclose(fine.q[-1], motion.q[-1], rtol=0, atol=1e-4)


@pytest.mark.slow
def test_smooth_laws_tend_to_the_motion_with_sticking():
    """Gears and Coulomb friction made smooth, by forward dynamics and an implicit solver: the difference falls."""
    bare = armdyn.load("planar_2r")
    given = {
        "duration": 2.0,
        "torque": lambda t, *_: [6.0 * np.sin(2 * t), 2.0 * np.cos(3 * t)],
        "save": SaveAt(every=0.1),
    }
    robot = bare.with_actuators({name: geared(0.3, Coulomb(0.6), Viscous(0.4)) for name in bare.joint_names})
    sticks = armdyn.simulate(robot, [-1.2, -0.3], [0.3, -0.2], **given)
    assert {"stick", "slip", "reversal"} <= {one.kind for one in sticks.events}
    method = Adaptive(rtol=1e-8, atol=1e-10, scipy_method="LSODA", chattering_step=None)
    errors = []
    for width in (1e-2, 1e-3):
        laws = [Smooth(GearLoss(ETA, BACK), width), Smooth(Coulomb(0.6), width), Viscous(0.4)]
        smooth = bare.with_actuators({name: Actuator(Motor(0.3), friction=laws) for name in bare.joint_names})
        motion = armdyn.simulate(smooth, [-1.2, -0.3], [0.3, -0.2], method=method, **given)
        errors.append(abs(motion.q - sticks.q).max())
    assert errors[0] < 1e-2
    assert errors[1] < 0.2 * errors[0]


@pytest.mark.slow
def test_an_arm_with_rotors_falls_and_comes_to_rest_for_ever():
    bare = armdyn.load("planar_3r")
    robot = bare.with_actuators({name: geared(20.0, Coulomb(60.0), Viscous(90.0)) for name in bare.joint_names})
    motion = armdyn.simulate(robot, [-0.5, 0.4, 0.3], duration=20.0, save=SaveAt(every=0.05))
    last = motion.events[-1]
    assert last.kind == "stick"
    rest = motion.t > last.t
    assert rest.sum() > 60
    assert (np.ptp(motion.q[rest], axis=0) == 0.0).all()
    assert (motion.qd[rest] == 0.0).all()
    load = bare.gravity_forces(motion.q[-1])
    lower, upper = robot.holding_forces(motion.q[-1])
    assert (lower <= 0).all()
    assert (upper >= 0).all()
    np.testing.assert_allclose(motion.signals["friction"][-1], -load, rtol=0, atol=1e-10)
    assert abs(motion.energy.relative_drift).max() < 1e-8


@pytest.mark.slow
def test_joints_that_several_coordinates_move_rub_beside_a_geared_one():
    """A differential with Coulomb friction in its joints; the third joint has a gear."""
    bare = armdyn.load("planar_3r").with_coordinates(["u", "v", "w"], [[1, 0.5, 0], [-1, 0.5, 0], [0, 0, 1]])
    robot = bare.with_actuators(
        {
            "joint_1": Actuator(friction=Coulomb(90.0)),
            "joint_2": Actuator(friction=Coulomb(70.0)),
            "joint_3": geared(0.2),
        }
    )
    assert DryJoints.of(robot).moved_by.tolist() == [-1, -1, 2]
    motion = armdyn.simulate(robot, [0.2, -0.5, 0.4], [0.2, -0.1, 0.3], duration=3.0)
    assert abs(motion.energy.relative_drift).max() < 1e-8
    rest = robot.without_friction().inverse_dynamics(motion.q, motion.qd, motion.qdd)
    np.testing.assert_allclose(rest + motion.signals["friction"], 0.0, rtol=0, atol=1e-9)
    assert {"joint_1", "joint_2"} & {one.name for one in motion.events if one.kind == "stick"}
    taken = robot.inverse_dynamics(motion.q, motion.qd, motion.qdd) - rest
    moves = motion.qd[:, 2] != 0.0
    np.testing.assert_allclose(motion.signals["friction"][moves, 2], taken[moves, 2], rtol=0, atol=1e-9)


@pytest.mark.slow
def test_bristles_beside_a_geared_joint():
    bare = armdyn.load("planar_2r")
    robot = bare.with_actuators(
        {"joint_1": geared(0.3, Viscous(0.3)), "joint_2": Actuator(friction=LuGre(2e3, 20.0, 0.2, 1.5, 1.0, 0.1))}
    )
    motion = armdyn.simulate(
        robot, [-0.5, 0.4], [0.3, 0.0], duration=1.5, torque=lambda t, *_: [5.0 * np.cos(4 * t), 0.0]
    )
    assert any(one.name == "joint_1" for one in motion.events)
    assert abs(motion.energy.relative_drift).max() < 1e-7
    rest = bare.with_actuators({"joint_1": Actuator(Motor(0.3))}).inverse_dynamics(motion.q, motion.qd, motion.qdd)
    np.testing.assert_allclose(rest + motion.signals["friction"], motion.tau, rtol=0, atol=1e-7)


# Ways to simulate, and what is said.


def many():
    """Arms, states and forces that are known beforehand, so that all steps are one compiled loop."""
    rng = np.random.default_rng(5)
    two = armdyn.load("planar_2r")
    tree = armdyn.Robot(to_armdyn(random_tree(9, 4)))
    servos = two.with_actuators({n: Actuator(Motor(0.05), friction=[M6, Viscous(0.3)]) for n in two.joint_names})
    geared_tree = tree.with_actuators({n: geared(0.2 * k, Coulomb(1.0)) for k, n in enumerate(tree.joint_names)})
    table = np.repeat(rng.normal(size=(12, 3, 2)) * 4, 10, axis=0)
    return {
        "servos": (servos, rng.uniform(-1, 1, (3, 2)), {"duration": 2.4, "torque": table, "method": RungeKutta4(0.02)}),
        "tree": (geared_tree, rng.normal(size=(4, 4)) * 0.3, {"duration": 0.6, "method": SemiImplicitEuler(4e-3)}),
        "lift": (
            lift(0.3, Coulomb(0.2)),
            np.zeros((2, 1)),
            {"duration": 1.0, "torque": np.linspace(0, 40, 50)[:, None, None]},
        ),
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


BOTH = [(method, rotor) for method in METHODS for rotor in (0.0, 0.3)]


@pytest.mark.parametrize("case", short_run(BOTH, ("rk4", 0.0)), ids=str)
def test_joints_without_load_rest_but_for_rounding(case):
    """The base and the last joint of a UR5 carry no weight: their gears hold nothing, and nothing moves them."""
    (method, rotor), bare, q = case, armdyn.load("ur5"), np.array([0.3, -1.0, 1.2, 0.4, 0.5, 0.1])
    robot = bare.with_actuators(dict.fromkeys(bare.joint_names, geared(rotor)))
    weight = bare.gravity_forces(q)
    assert abs(weight[[0, 5]]).max() < 1e-12
    rise = bare.jacobian(q, expressed_in="world")[5]  # of the tip
    height = bare.forward_kinematics(q)[2, 3]
    table = Contact(armdyn.constraints.PointOnPlane("tool0", (0, 0, 1), (0, 0, height), name="table"))
    for force in (0.0, 1e-9, 10.0):
        for contacts in ([], [table]):
            torque = weight - force * rise * len(contacts)
            motion = armdyn.simulate(robot, q, duration=1.0, torque=torque, elements=[*contacts], **METHODS[method])
            assert (motion.q == q).all()
            assert len(motion.events) == (1 if contacts and force else 0)  # the rest on the table


@pytest.mark.slow
def test_batches_and_tables_are_as_states_alone():
    robot, q0 = pendulum(0.2, Coulomb(0.1)), np.array([[-0.9], [-0.2]])
    table = np.linspace(2.0, 9.0, 40)[:, None, None]
    batch = armdyn.simulate(robot, q0, duration=2.0, torque=table, method=RungeKutta4(step=0.05))
    for k in (0, 1):
        alone = armdyn.simulate(robot, q0[k], duration=2.0, torque=table[:, 0], method=RungeKutta4(step=0.05))
        np.testing.assert_array_equal(batch.pick(k).q, alone.q)
        assert [one.t for one in batch.pick(k).events] == [one.t for one in alone.events]
    assert batch.signals["friction"].shape == (41, 2, 1)
    dense = armdyn.simulate(robot, q0[0], duration=1.0, save=SaveAt(every=0.5, dense=True))
    fine = armdyn.simulate(robot, q0[0], duration=1.0, save=SaveAt(every=0.125))
    np.testing.assert_allclose(dense.at(fine.t).q, fine.q, rtol=0, atol=1e-12)


def test_joints_that_do_not_move_by_themselves_do_not_stick_and_say_so():
    bare = armdyn.load("planar_3r").with_mimic({"joint_3": ("joint_2", 1.0)})
    robot = bare.with_actuators({"joint_2": Actuator(gear=Gear(50.0, efficiency=0.8, back_efficiency=0.6))})
    motion = armdyn.simulate(robot, [-1.2, 0.3], duration=0.02)
    (note,) = (note for note in motion.notes if "do not stick" in note)
    assert note.startswith("friction depends on the load of joints that are coupled")
    assert "(joint_2); use friction that does not, or a smooth law" in note
    assert "friction" not in motion.signals


@pytest.mark.parametrize("method", ["abm4"])
def test_methods_that_cannot_stop_say_so(method):
    motion = armdyn.simulate(pendulum(), [-1.2], duration=0.02, method=method)
    (note,) = (note for note in motion.notes if "do not stick" in note)
    assert "(hinge); use method='adaptive' or 'rk4'" in note
