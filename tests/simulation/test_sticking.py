"""Dry friction: joints that stick and slip, against closed forms, all cases enumerated, and fine smooth laws."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

import armdyn
from armdyn import constraints as c
from armdyn.actuators import Actuator, Coulomb, Viscous
from armdyn.program import less_equal
from armdyn.simulation import (
    Adaptive,
    ConstantAcceleration,
    Contact,
    Heun,
    OverTime,
    RungeKutta4,
    SaveAt,
    SemiImplicitEuler,
    SettingError,
    SimulationError,
    Stops,
)
from armdyn.simulation.drivers import sticking_side_by_side
from armdyn.simulation.drivers.state_in_motion import StateInMotion
from armdyn.simulation.system.bounded import BoxedProblem
from armdyn.simulation.system.bounded_rows import BoundedRows
from armdyn.simulation.system.holding import Holding
from armdyn.simulation.system.rates import forces_in_modes, rates_of
from armdyn.simulation.system.segment import ModeKinds
from armdyn.simulation.system.state_parts import StateParts
from oracles.short_run import short_run
from simulation.arms import (
    MASS,
    PLANAR,
    WEIGHTLESS,
    Breaking,
    G,
    block,
    body,
    both,
    cart,
    drifts,
    dry_ur5,
    kinds,
    mimicking_slides,
    near,
    rod,
    times,
    two_slides,
)


def pendulum(viscous=0.05, coulomb=1.0):
    return rod().with_friction({"hinge": (viscous, coulomb)})


def double_pendulum(*friction):
    return PLANAR.with_friction({f"joint_{k}": one for k, one in enumerate(friction, start=1)})


# One joint.


@pytest.mark.slow
def test_a_block_held_below_breakaway_for_ten_minutes_does_not_creep():
    for torque in (3.999, -4.0, lambda t, q, qd: [3.9 * np.sin(0.3 * t)]):
        given = torque if callable(torque) else [torque]
        motion = armdyn.simulate(block(b=0.3), [0.1], duration=600.0, torque=given)
        assert (motion.q == 0.1).all()
        assert not motion.qd.any()
        assert not motion.qdd.any()
        assert motion.events == ()
        near(motion.signals["friction"], motion.tau, 1e-13)


@pytest.mark.short_run("adaptive")
@both
def test_a_block_stops_and_starts_again_at_the_analytic_times(method):
    """m v' = r t - c - c: it stops where v_0 - 2 c t/m + r t^2/(2 m) = 0, and starts where r t - c = c."""
    size, r, v, m = 4.0, 1.5, 1.0, MASS
    given = {"torque": lambda t, q, qd: [r * t - size], "save": SaveAt(every=0.5), "method": method}
    motion = armdyn.simulate(block(size), [0.1], [v], duration=8.0, **given)
    stops, starts = (2 * size - np.sqrt(4 * size**2 - 2 * r * m * v)) / r, 2 * size / r
    assert kinds(motion) == [("stick", "x"), ("slip", "x")]
    near([one.t for one in motion.events], [stops, starts], 1e-10)
    rest = 0.1 + v * stops - size * stops**2 / m + r * stops**3 / (6 * m)
    after, later = np.maximum(motion.t - starts, 0.0), motion.t > stops
    near(motion.q[later, 0], (rest + r * after**3 / (6 * m))[later], 1e-9)
    friction = np.where(later & (motion.t < starts), r * motion.t - size, size)
    near(motion.signals["friction"][:, 0], friction, 1e-10)
    assert abs(motion.energy.drift).max() < 1e-8


@pytest.mark.short_run("adaptive")
@both
def test_static_friction_above_the_kinetic_one_differs_by_direction(method):
    """Forwards it starts at 1.5 times 3 N and slips with 1.5 times 2 N; backwards at 3 N, with 2 N."""
    robot = block().with_actuators({"x": Actuator(friction=[Breaking(3.0, 2.0, forwards=1.5)])})
    for r, static, kinetic in ((1.0, 4.5, 3.0), (-1.0, 3.0, 2.0)):
        ramp = OverTime([0.0, 6.0], [[0.0], [6.0 * r]])
        motion = armdyn.simulate(robot, [0.0], duration=6.0, torque=ramp, save=SaveAt(every=0.5), method=method)
        (slip,) = motion.events
        assert slip.kind == "slip"
        assert abs(slip.t - static) < 1e-9
        s = 6.0 - static
        assert abs(motion.q[-1, 0] - r * ((static - kinetic) * s**2 / 2 + s**3 / 6) / MASS) < 1e-9
        np.testing.assert_allclose(motion.signals["friction"][-1], [r * kinetic], rtol=1e-15)


def test_a_turn_without_rest_is_a_reversal():
    motion = armdyn.simulate(block(1.0), [0.0], [2.0], duration=3.0, torque=[-3.0])
    assert kinds(motion) == [("reversal", "x")]
    assert abs(motion.events[0].t - 1.0) < 1e-12
    assert abs(motion.q[-1, 0] - (1.0 - 2.0**2 / 2)) < 1e-10  # decelerates by 2, then accelerates by 1 m/s^2


def test_a_joint_that_begins_to_slip_and_is_stopped_within_the_first_step():
    """A force a little above breakaway for a moment: it slips and sticks again, whatever the length of steps."""
    pulse = lambda t, q, qd: [4.0 + 0.01 * max(1 - (t - 1.0) ** 2 / 1e-4, -10.0)]  # noqa: E731 - from 0.99 to 1.01 s
    given = {"method": RungeKutta4(step=0.05), "save": SaveAt(every=0.05)}
    motion = armdyn.simulate(block(), [0.0], duration=1.2, torque=pulse, **given)
    assert kinds(motion) == [("slip", "x"), ("stick", "x")]
    near([one.t for one in motion.events], [0.99, 1.02], 1e-8)


def test_viscous_friction_beside_dry_friction_is_not_bent_at_rest():
    """v' = -(c + b v)/m: it stops at (m/b) log(1 + b v_0/c), whether numbers or laws say so."""
    size, b, v = 2.0, 1.5, 1.2
    by_laws = block().with_actuators({"x": Actuator(friction=[Viscous(b), Coulomb(size)])})
    for robot in (block(size, b), by_laws):
        motion = armdyn.simulate(robot, [0.0], [v], duration=2.0, save=SaveAt(every=0.5))
        (stick,) = motion.events
        logarithm = np.log(1 + b * v / size)
        assert abs(stick.t - MASS / b * logarithm) < 1e-11
        np.testing.assert_allclose(motion.q[-1, 0], MASS / b * (v - size / b * logarithm), rtol=1e-10)


def test_forces_at_their_bounds():
    """A torque of exactly breakaway holds; a little more moves the block by (F - c) t^2 / (2 m)."""
    still, moves = (
        armdyn.simulate(block(), [0.0], duration=1.0, method=RungeKutta4(step=0.01), torque=[tau])
        for tau in (4.0, 4.001)
    )
    assert (still.q == 0.0).all()
    np.testing.assert_allclose(moves.q[-1], 0.001 / 4, rtol=1e-11)


@pytest.mark.short_run("LSODA")  # and the other one with rotors
@pytest.mark.parametrize("scipy_method", ["BDF", "LSODA"])
def test_solvers_with_a_history_start_anew_where_joints_stick(scipy_method):
    """A block with v0 rests at x0 + v0^2 / (2 a) from t = v0 / a on, in every digit, until a force lets it go."""
    v0, a, last = 0.5, 4.0 / MASS, 1.5
    push = lambda t, q, qd: [0.0 if t < 1.0 else 8.0 * (t - 1.0)]  # noqa: E731
    given = {"torque": push, "method": Adaptive(1e-9, 1e-11, scipy_method=scipy_method)}
    motion = armdyn.simulate(block(c=4.0), [0.1], [v0], duration=1.6, **given)
    assert kinds(motion) == [("stick", "x"), ("slip", "x")]
    stick, slip = motion.events
    near([stick.t, stick.q[0], slip.t], [v0 / a, 0.1 + v0**2 / (2 * a), last], 1e-7)
    held = (motion.t > stick.t) & (motion.t < slip.t)
    assert (motion.qd[held] == 0.0).all()
    assert np.ptp(motion.q[held]) < 1e-15
    late = motion.t - last
    near((motion.q[:, 0] - slip.q[0])[late > 0], (8.0 * late**3 / (6 * MASS))[late > 0], 1e-8)
    assert motion.notes == ()


# Several joints.


def test_a_double_pendulum_comes_to_rest_for_ever():
    robot = double_pendulum((0.1, 1.0), (0.05, 0.6))
    motion = armdyn.simulate(robot, [0.3, 0.5], duration=60.0)
    last = motion.events[-1].t
    rest = motion.t > last
    assert last < 40.0
    assert (np.ptp(motion.q[rest], axis=0) == 0.0).all()
    assert (motion.qd[rest] == 0.0).all()
    near(motion.signals["friction"][-1], -robot.gravity_forces(motion.q[-1]), 1e-13)
    assert (abs(motion.signals["friction"][rest]) <= [1.0, 0.6]).all()
    assert drifts(motion) < 1e-8


def test_smooth_laws_tend_to_the_motion_with_sticking():
    """c tanh(qd / eps) in the place of c sign(qd), by an implicit solver: the difference falls with eps."""
    given = {"q0": [-0.8, 0.2], "duration": 3.0, "save": SaveAt(every=0.1)}
    sticks = armdyn.simulate(double_pendulum((0.1, 1.5), (0.05, 1.0)), **given)
    assert {"stick", "slip"} <= {one.kind for one in sticks.events}
    method, errors = Adaptive(rtol=1e-8, atol=1e-10, scipy_method="LSODA", chattering_step=None), []
    for eps in (1e-3, 1e-4):
        law = lambda t, q, qd, eps=eps: -np.array([0.1, 0.05]) * qd - [1.5, 1.0] * np.tanh(qd / eps)  # noqa: E731
        errors.append(abs(armdyn.simulate(PLANAR, torque=law, method=method, **given).q - sticks.q).max())
    assert errors[0] < 3e-3
    assert errors[1] < 0.15 * errors[0]


def test_joints_that_move_together_stick_together():
    """A coordinate moves two slides, one of them twice as far and backwards: 1 N and 2 times 1.5 N rub."""
    given = {"torque": lambda t, q, qd: [t], "save": SaveAt(every=0.5)}
    motion = armdyn.simulate(mimicking_slides(), [0.0], duration=6.0, **given)
    assert kinds(motion) == [("slip", "first and second")]
    assert abs(motion.events[0].t - 4.0) < 1e-10
    np.testing.assert_allclose(motion.q[-1, 0], 2.0**3 / (6 * 5 * MASS), rtol=1e-9)  # M = m + 4 m


def test_two_joints_that_stop_at_one_time():
    given = {"method": RungeKutta4(step=0.013), "torque": [0.2, 0.2]}
    motion = armdyn.simulate(two_slides(1.0, 1.0), np.zeros(2), np.ones(2), duration=4.0, **given)
    assert kinds(motion) == [("stick", "first"), ("stick", "second")]
    near([one.t for one in motion.events], 2.0 / 0.8, 1e-13)
    near(motion.q[-1], 2.0 / (2 * 0.8), 1e-13)


def enumerated(robot, q, tau, size):
    """All of the 3^n cases of sticking and slipping that are consistent: directions and accelerations."""
    n, M = robot.dof, robot.mass_matrix(q)
    rest, found = tau - robot.gravity_forces(q), []
    for case in product((-1, 0, 1), repeat=n):
        s = np.array(case)
        stuck, slips, qdd = np.flatnonzero(s == 0), np.flatnonzero(s), np.zeros(n)
        if len(slips):
            qdd[slips] = np.linalg.solve(M[np.ix_(slips, slips)], (rest - s * size)[slips])
        if (abs(rest - M @ qdd)[stuck] <= size[stuck]).all() and (s * qdd >= 0).all():
            found.append((s, qdd))
    return found


@pytest.mark.slow
def test_where_the_slip_of_one_joint_decides_that_of_another():
    rng = np.random.default_rng(5)
    chain = armdyn.load("ur5", locked=dict.fromkeys(armdyn.load("ur5").joint_names[3:], 0.3))
    size = np.array([4.0, 13.0, 7.0])
    robot = chain.with_friction({name: (0.2, float(f)) for name, f in zip(chain.joint_names, size, strict=True)})
    rows, cases, coupled, rest = BoundedRows(robot), set(), 0, np.zeros(3)
    for _ in range(150):
        q = rng.uniform(-2, 2, 3)
        push = rng.uniform(-1.6, 1.6, 3) * size
        tau = robot.gravity_forces(q) + push
        mode = rows.decided(q, rest, (tau,), np.ones(3, dtype=bool), np.zeros(3, dtype=int))
        ((expected, qdd),) = enumerated(robot, q, tau, size)  # there is one
        np.testing.assert_array_equal(mode.slip, expected)
        near(rows.rates(q, rest, (tau,), mode, shared=True).qdd, qdd, 1e-10 * max(1.0, abs(qdd).max()))
        np.testing.assert_array_equal(mode.held, expected == 0)
        coupled += not np.array_equal(np.where(abs(push) > size, np.sign(push), 0), expected)
        cases.add(tuple(map(int, expected)))
    assert len(cases) >= 15
    assert coupled >= 20


def test_the_faces_of_forces_that_are_not_decided():
    """Three columns in a plane: the forces are within their bounds as long as a linear programme finds some."""
    rng = np.random.default_rng(8)
    inside = 0
    for _ in range(60):
        B, p = rng.normal(size=(2, 4)), rng.normal(size=4)
        low = np.array([0.0, *-rng.uniform(0.2, 1.0, 3)])
        high = np.array([np.inf, *rng.uniform(0.2, 1.0, 3)])
        holding = Holding(B, -B.T @ (B @ p), low, high)
        feasible = linprog(np.zeros(4), A_eq=B, b_eq=B @ p, bounds=list(zip(low, high, strict=True))).status == 0
        assert (holding.nearest.distance > 0) == feasible
        inside += feasible
        if feasible:
            shared = holding.within_bounds()
            assert (low <= shared).all()
            assert (shared <= high).all()
            near(B @ shared, B @ p, 1e-12)
    assert 10 < inside < 50


# Stops, contacts and constraints.


@pytest.mark.short_run("rk4")
@both
def test_a_block_pressed_against_a_stop_leaves_it_against_friction(method):
    """The stop lets go where r t - 5 = 0, and friction where it is c: it leaves at (5 + c)/r."""
    r = 3.0
    given = {"elements": [Stops()], "save": SaveAt(every=0.04), "method": method}
    motion = armdyn.simulate(
        block(limits=(0.0, 1.0)), [0.0], duration=4.0, torque=lambda t, q, qd: [r * t - 5.0], **given
    )
    assert kinds(motion)[0] == ("rest", "x lower stop")
    starts = (5.0 + 4.0) / r
    assert times(motion, "release")
    near(times(motion, "slip"), starts, 1e-10)
    rests = motion.t < starts
    assert (motion.q[rests] == 0.0).all()
    push, friction = motion.signals["stop_force"], motion.signals["friction"]
    assert (push >= 0.0).all()
    assert (abs(friction) <= 4.0 * (1 + 1e-11)).all()
    near(push[rests, 0] - friction[rests, 0] + motion.tau[rests, 0], 0.0, 1e-12)
    near(motion.q[-1, 0], r * (4.0 - starts) ** 3 / (6 * MASS), 1e-9)


def test_a_bouncing_block_rests_at_the_stop():
    """m v' = -6 + 4 sign: it falls with 1 m/s^2, rises with 5 m/s^2, and loses the rest of the energy at the stop."""
    given = {"torque": [-6.0], "elements": [Stops(0.5)], "save": SaveAt(every=0.1)}
    motion = armdyn.simulate(block(limits=(0.0, np.inf)), [0.5], duration=3.0, **given)
    expected, speed = [1.0], 0.5  # 0.5 = t^2 / 2; half of 1 m/s
    while speed**2 / 10 > 1e-12:  # the height it rises to, m; lower ones are rounding
        expected.append(expected[-1] + speed / 5.0 + speed / np.sqrt(5.0))
        speed *= 0.5 / np.sqrt(5.0)
    near(times(motion, "impact"), expected, 1e-9)
    assert motion.q[-1] == motion.qd[-1] == 0.0
    np.testing.assert_allclose(motion.signals["stop_force"][-1] - motion.signals["friction"][-1], [6.0], rtol=1e-12)
    assert abs(motion.energy.drift).max() < 1e-11


def test_low_rebounds_of_a_slide_with_friction_keep_their_energy():
    """A slide of 5 kg falls onto its stop: no potential energy is lost but by friction and impacts."""
    body = armdyn.Inertia(5.0, [0.0, 0.0, 0.0], 0.01 * np.eye(3))
    limits = armdyn.Limits(0.0, 1.0)
    part = armdyn.Part("slide", "base", "prismatic", axis=(0, 0, 1), inertia=body, limits=limits, friction=5.0)
    motion = armdyn.simulate(armdyn.Robot.from_links([part]), [0.01], duration=0.2, elements=[Stops(0.3)])
    assert motion.q[-1] == motion.qd[-1] == 0.0
    assert motion.energy.potential[0] == pytest.approx(0.01 * 5.0 * 9.81, rel=1e-12)
    assert abs(motion.energy.drift).max() < 1e-10


def test_a_joint_that_rests_on_its_stop_has_the_same_forces_in_every_row():
    """The motion does not divide 6 N between the stop and friction of at most 1 N: in no row, the last one included."""
    given = {"torque": [-6.0], "elements": [Stops(0.0)]}
    motion = armdyn.simulate(block(1.0, limits=(0.0, np.inf)), [0.5], duration=2.0, **given)
    push, friction = (motion.signals[name][-10:] for name in ("stop_force", "friction"))
    np.testing.assert_allclose(push.sum(axis=1) - friction[:, 0], 6.0, rtol=1e-12)
    np.testing.assert_allclose(friction, -1.0, rtol=1e-12)


@pytest.mark.slow
def test_an_impact_sets_stuck_joints_free():
    """The elbow hits its stop; the shoulder, which stuck, jumps by -M_12/M_11 of the elbow's jump."""
    arm = WEIGHTLESS.with_friction({"joint_1": (0.0, 20.0), "joint_2": (0.0, 0.1)}).with_limits(
        {"joint_2": (-2.0, 1.0)}
    )
    start = [0.2, 0.5], [0.0, 1.0]
    motion = armdyn.simulate(arm, *start, duration=0.8, elements=[Stops(joints=["joint_2"])])
    (impact,) = (one for one in motion.events if one.kind == "impact")
    assert (motion.q[motion.t < impact.t, 0] == 0.2).all()
    M, before = arm.mass_matrix(impact.q), armdyn.simulate(arm, *start, duration=impact.t).qd[-1]
    near(impact.qd, [M[0, 1] / M[0, 0] * before[1], 0.0], 1e-9)
    assert motion.events[-1].kind == "stick"
    assert (motion.qd[-1] == 0.0).all()
    assert abs(motion.energy.drift).max() < 1e-9


@pytest.mark.slow
def test_a_contact_with_a_joint_that_sticks():
    """A cart lies on a table and rubs in its slide along x: lifted, it goes up and stays where it is along x."""
    robot, table = cart().with_friction({"along": (0.0, 3.0)}), Contact(c.PointOnPlane("y", (0, 1, 0), name="table"))
    forces = [[0, 0], [2.9, 0], [2.9, 2 * MASS * G]]
    motion = armdyn.simulate(robot, [0, 0], [1.0, 0], duration=3.0, torque=forces, elements=[table])
    stick, release = motion.events[-2:]
    assert (stick.kind, release.kind) == ("stick", "release")
    near([stick.t, release.t], [MASS / 3.0, 2.0], 1e-12)
    near(motion.q[-1], [MASS / 6.0, G / 2], 1e-10)


# Ways to simulate.


def test_batches_dense_output_and_callbacks():
    robot, q0, rk4 = pendulum(), np.array([[-0.9], [-1.4], [np.nan]]), RungeKutta4(step=0.01)
    batch = armdyn.simulate(robot, q0, duration=2.0, method=rk4)
    for k in (0, 1):
        alone = armdyn.simulate(robot, q0[k], duration=2.0, method=rk4)
        np.testing.assert_array_equal(batch.pick(k).q, alone.q)
        assert [one.t for one in batch.pick(k).events] == [one.t for one in alone.events]
    assert np.isnan(batch.q[-1, 2]).all()
    assert batch.signals["friction"].shape == (201, 3, 1)

    dense = armdyn.simulate(robot, q0[0], duration=2.0, save=SaveAt(every=0.5, dense=True))
    fine = armdyn.simulate(robot, q0[0], duration=2.0, save=SaveAt(every=0.125))
    near(dense.at(fine.t).q, fine.q, 1e-12)

    seen = []

    def held(t, q, qd):
        seen.append(t)
        return [3.0 * np.cos(t)]

    sampled = armdyn.control.callback(held, sample_time=0.1)
    motion = armdyn.simulate(robot, q0[0], duration=1.0, torque=sampled, method=RungeKutta4(step=0.02))
    near(seen, np.arange(10) * 0.1, 1e-12)
    table = np.repeat(3.0 * np.cos(np.array(seen)), 5)[:, None]
    tabled = armdyn.simulate(robot, q0[0], duration=1.0, torque=table, method=RungeKutta4(step=0.02))
    near(motion.q, tabled.q, 1e-14)
    for start, error, message, more in (
        (q0[:2], SettingError, "acts on a single state if events, stops, contacts or dry friction", {"method": "rk4"}),
        (q0[0], SettingError, r"has a sample time of 0\.1 s of its own", {}),
        (q0[2:], SimulationError, "initial state", {"torque": None}),
    ):
        with pytest.raises(error, match=message):
            armdyn.simulate(robot, start, duration=1.0, **{"torque": sampled} | more)


# Compiled steps: the motion of the path state by state, its events, and what is left to it.


def dry_scara():
    scara = armdyn.load("scara")
    return scara.with_friction(dict(zip(scara.joint_names, [(0.3, f) for f in (3.0, 2.0, 25.0, 0.5)], strict=True)))


def breaking_arm():
    laws = {"joint_1": Breaking(3.0, 1.2, 1.2), "joint_2": Breaking(1.6, 1.3, 1.2)}
    return PLANAR.with_actuators({name: Actuator(friction=law) for name, law in laws.items()})


def state_by_state(monkeypatch, robot, q0, qd0=None, **settings):
    """The same simulation in Python."""
    with monkeypatch.context() as without:
        without.setattr(sticking_side_by_side, "has_loop", lambda *_: False)
        return armdyn.simulate(robot, q0, qd0, **settings)


def assert_same(compiled, expected, digits=1e-12):
    before, after = (
        sorted((one.index, one.t, one.kind, one.name) for one in motion.events) for motion in (expected, compiled)
    )
    assert [(index, kind, name) for index, _, kind, name in after] == [(i, k, n) for i, _, k, n in before]
    near([one[1] for one in after], [one[1] for one in before], digits)
    for name in ("q", "qd", "qdd"):
        wanted = getattr(expected, name)
        near(getattr(compiled, name), wanted, 100 * digits * max(1.0, abs(wanted).max()))
    friction = expected.signals["friction"]
    near(compiled.signals["friction"], friction, 10 * digits * abs(friction).max())
    np.testing.assert_array_equal(compiled.tau, expected.tau)
    near(compiled.energy.work, expected.energy.work, 100 * digits)


STEPS = (RungeKutta4(5e-3), RungeKutta4(0.03), Heun(5e-3), ConstantAcceleration(4e-3), SemiImplicitEuler(4e-3))
START = np.random.default_rng(3).uniform(-1, 1, (2, 2, 6))


@pytest.mark.short_run("SemiImplicitEuler, step 0.004 s")
@pytest.mark.parametrize("method", short_run(STEPS, STEPS[0], STEPS[-1]), ids=str)
def test_an_arm_moves_as_it_does_state_by_state(monkeypatch, method):
    compiled = armdyn.simulate(dry_ur5(), *START, duration=0.7, method=method)
    expected = state_by_state(monkeypatch, dry_ur5(), *START, duration=0.7, method=method)
    assert {"stick", "reversal"} <= {one.kind for one in compiled.events}
    assert_same(compiled, expected)


def cases():
    rng = np.random.default_rng(7)
    scara = rng.uniform(-0.2, 0.2, (2, 4)), rng.uniform(-1, 1, (2, 4))
    jumps = OverTime(np.linspace(0, 0.8, 9), rng.normal(size=(9, 2, 4)) * [5, 5, 30, 1], "hold")
    held = np.repeat(rng.normal(size=(20, 2, 2)) * 3, 20, axis=0)
    ramps = np.linspace(0, 6, 600)[:, None, None] * [[1.0], [-1.0], [2.0]]
    states = rng.uniform(-2, 2, (2, 2))
    wrench = {"duration": 0.5, "f_tip": [0, 2.0, 0, 9.0, -40.0, 5.0]}
    return {
        "slides and jumps between steps": (dry_scara(), *scara, 3e-3, {"duration": 0.7999, "torque": jumps}),
        "static friction": (breaking_arm(), states, None, 5e-3, {"duration": 2.0, "torque": held}),
        "joints that move together": (
            mimicking_slides(), np.zeros((3, 1)), None, 0.01, {"duration": 6.0, "torque": ramps}
        ),
        "a wrench": (dry_ur5(), np.full(6, 0.4), None, 5e-3, wrench),
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", cases())
def test_other_joints_and_forces(monkeypatch, case):
    robot, q0, qd0, step, settings = cases()[case]
    compiled = armdyn.simulate(robot, q0, qd0, method=RungeKutta4(step), **settings)
    assert compiled.events
    assert_same(compiled, state_by_state(monkeypatch, robot, q0, qd0, method=RungeKutta4(step), **settings), 1e-11)


def test_what_is_unusual_is_integrated_again_state_by_state(monkeypatch):
    """The results are the same if no mode is determined."""
    settings = {"duration": 0.4, "method": RungeKutta4(step=4e-3)}
    usual = armdyn.simulate(dry_ur5(), *START, **settings)
    alone, run = [], StateInMotion.run
    monkeypatch.setattr(StateInMotion, "run", lambda *given: alone.append(given[1]) or run(*given))
    monkeypatch.setattr(
        sticking_side_by_side.DryModes, "decided", lambda _, states, acting: np.zeros(len(states.q), bool)
    )
    assert_same(armdyn.simulate(dry_ur5(), *START, **settings), usual)
    assert len(alone) == 2


def test_states_that_are_lost():
    q0, qd0 = np.array([[0.1] * 6, [np.nan] * 6, [0.2] * 6]), np.zeros((3, 6))
    qd0[2] = 1e9
    given = {"duration": 0.2, "method": SemiImplicitEuler(step=0.01)}
    motion = armdyn.simulate(dry_ur5(), q0, qd0, **given)
    assert np.isnan(motion.q[:, 1]).all()
    assert np.isnan(motion.q[-1, 2]).all()
    assert np.isnan(motion.tau[-1, 1:]).all()
    near(motion.q[:, 0], armdyn.simulate(dry_ur5(), q0[0], **given).q, 1e-14)
    with pytest.raises(SimulationError, match=r"Use a (shorter step|step shorter)") as error:
        armdyn.simulate(dry_ur5(), q0[2], qd0[2], **given)
    assert error.value.trajectory is not None
    with pytest.raises(SimulationError, match="initial state is not finite"):
        armdyn.simulate(dry_ur5(), q0[1:2], duration=0.2, method="rk4")


def test_the_motion_of_joints_of_which_some_stick():
    """M qdd + h + friction = tau, qdd = 0 where joints stick, and the friction of the law where they slip."""
    rng, robot = np.random.default_rng(2), dry_ur5()
    q, qd, tau = rng.uniform(-1, 1, (3, 50, 6))
    slip = rng.integers(-1, 2, (50, 6)).astype(float)
    qd = np.where(slip == 0, 0.0, qd)
    held, none, width = (slip == 0).astype(float), np.zeros(6), np.ones(6)
    qdd, friction = robot.compile(forces_in_modes(StateParts()))(q, qd, slip, held, tau)
    rates = robot.compile(rates_of(StateParts(), ModeKinds()))(q, qd, slip, held, -width, width, none, tau)
    assert (qdd[slip == 0] == 0.0).all()
    residual = robot.without_friction().inverse_dynamics(q, qd, qdd) + friction - tau
    near(residual, 0.0, 1e-12 * abs(friction).max())
    law = 0.5 * qd + slip * np.array([8.0, 8.0, 6.0, 2.0, 2.0, 1.0])
    np.testing.assert_allclose(friction[slip != 0], law[slip != 0], rtol=1e-14)
    np.testing.assert_allclose(rates.d_work, ((tau - friction) * qd).sum(axis=-1), rtol=1e-11)


def test_many_states_are_decided_as_one_by_one():
    """Static friction above the kinetic one: all ways to stick and slip but one, (1, 1), come up."""
    rng, robot = np.random.default_rng(5), breaking_arm()
    rows = BoundedRows(robot)
    q, none = rng.uniform(-2, 2, (200, 2)), np.zeros((200, 2))
    tau = robot.gravity_forces(q) + rng.uniform(-2.0, 2.0, (200, 2)) * [3.0, 1.6]
    found = sticking_side_by_side.States(q, none, none.copy())
    assert sticking_side_by_side.DryModes(rows).decided(found, (tau,)).all()
    modes = [rows.decided(*state, (force,), np.ones(2, dtype=bool), np.zeros(2, dtype=int)).slip
             for *state, force in zip(q, none, tau, strict=True)]  # fmt: skip
    np.testing.assert_array_equal(found.slip, modes)
    assert len(np.unique(found.slip, axis=0)) == 8


@armdyn.function("(n,n),(n),(n),(n)->(n),(n),()")
def boxed(model, W, b, low, high):
    """The forces and motions of a boxed LCP, and 1 if they are right."""
    solution = BoxedProblem(W, b, low, high, sizes=abs(b)).solved()
    return solution.p, solution.after, less_equal(solution.wrong, 0.0)


def slides(count):
    parts = [armdyn.Part(f"slide_{k}", "base", "prismatic", axis=(1, 0, 0), inertia=body()) for k in range(count)]
    return armdyn.Robot.from_links(parts, tip="slide_0")


def test_forces_between_bounds_of_large_and_badly_scaled_problems():
    """The conditions of the problem hold, whatever the first guesses."""
    rng = np.random.default_rng(9)
    for n in (1, 3, 7, 10):
        B = rng.normal(size=(300, n, n)) * 10.0 ** rng.uniform(-1.5, 1.5, (300, n, 1))
        W = B @ B.swapaxes(-1, -2)
        b = rng.normal(size=(300, n)) * np.sqrt(np.einsum("sii->si", W)) * 5
        low, high = -rng.uniform(0.1, 2.0, (300, n)), rng.uniform(0.1, 2.0, (300, n))
        rests = rng.random((300, n)) < 0.9
        low, high = np.where(rests, low, 0.0), np.where(rests, high, 0.0)
        p, w, right = slides(n).compile(boxed)(W, b, low, high)
        found = right == 1.0
        assert found.mean() > 0.99
        p, w, low, high, own = (array[found] for array in (p, w, low, high, rests))
        size = 1e-8 * (abs(W[found]) @ abs(p)[..., None])[..., 0] + 1e-9
        assert (p[~own] == 0.0).all()
        assert ((low <= p) & (p <= high))[own].all()
        assert (abs(w) <= size)[own & (low < p) & (p < high)].all()
        assert (w >= -size)[own & (p == low)].all()
        assert (w <= size)[own & (p == high)].all()
