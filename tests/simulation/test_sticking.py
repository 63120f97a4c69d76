"""Dry friction: joints that stick and slip, against closed forms, all cases enumerated, and fine smooth laws."""

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

import armdyn
from armdyn import constraints as c
from armdyn.actuators import Actuator, Coulomb, FrictionLaw, Gear, Motor, Slopes, Spring, Viscous
from armdyn.simulation import Adaptive, Contact, OverTime, RungeKutta4, SaveAt, SettingError, SimulationError, Stops
from armdyn.simulation.system.bounded_rows import BoundedRows
from armdyn.simulation.system.holding import Holding

g, m = 9.81, 2.0
METHODS = {"adaptive": {}, "rk4": {"method": RungeKutta4(step=0.02)}}
methods = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)


@dataclass(frozen=True)
class Breaking(FrictionLaw):
    """Static friction above the kinetic one, each with its own size forwards; an independent law of the test."""

    static: float
    kinetic: float
    forwards: float = 1.0

    def force(self, rate, load):
        size = armdyn.program.select(armdyn.program.less(rate, 0.0), self.kinetic, self.kinetic * self.forwards)
        return size * armdyn.program.sign(rate)

    def slopes(self, rate, load):
        return Slopes(0.0, 0.0)

    def breakaway(self, load):
        return self.static * max(self.forwards, 1.0)

    def at_rest(self, load):
        return -self.static, self.static * self.forwards


def block(c=4.0, b=0.0, limits=(-np.inf, np.inf)):
    """A mass that slides along x."""
    body = armdyn.Inertia(m, [0, 0, 0], 0.1 * np.eye(3))
    part = armdyn.Part("block", "base", "prismatic", axis=(1, 0, 0), inertia=body, joint="x")
    robot = armdyn.Robot.from_links([part], gravity=(0, 0, -g), tip="block").with_limits({"x": limits})
    return robot.with_friction({"x": (b, c)})


def pendulum(l=0.4, friction=(0.05, 1.0)):  # noqa: E741
    """A rod that hangs down where q = -pi/2."""
    bob = armdyn.Inertia(m, [l, 0, 0], np.diag([1e-3, 0.02, 0.02]))
    part = armdyn.Part("rod", "base", "revolute", axis=(0, 0, 1), inertia=bob, joint="hinge")
    return armdyn.Robot.from_links([part], gravity=(0, -g, 0), tip="rod").with_friction({"hinge": friction})


def double_pendulum(*friction):
    return armdyn.load("planar_2r").with_friction({f"joint_{k}": one for k, one in enumerate(friction, start=1)})


def kinds(motion):
    return [(one.kind, one.name) for one in motion.events]


# One joint.


@pytest.mark.slow
def test_a_block_held_below_breakaway_for_ten_minutes_does_not_creep():
    for torque in (3.999, -4.0, lambda t, q, qd: [3.9 * np.sin(0.3 * t)]):
        given = torque if callable(torque) else [torque]
        motion = armdyn.simulate(block(b=0.3), [0.1], duration=600.0, torque=given)
        assert (motion.q == 0.1).all()
        assert (motion.qd == 0.0).all()
        assert (motion.qdd == 0.0).all()
        assert motion.events == ()
        np.testing.assert_allclose(motion.signals["friction"], motion.tau, rtol=0, atol=1e-13)


@pytest.mark.short_run("adaptive")
@methods
def test_a_block_stops_and_starts_again_at_the_analytic_times(method):
    """m v' = r t - c - c: it stops where v_0 - 2 c t/m + r t^2/(2 m) = 0, and starts where r t - c = c."""
    size, r, v = 4.0, 1.5, 1.0
    motion = armdyn.simulate(
        block(size), [0.1], [v], duration=8.0, torque=lambda t, q, qd: [r * t - size], save=SaveAt(every=0.5), **method
    )
    stops = (2 * size - np.sqrt(4 * size**2 - 2 * r * m * v)) / r
    starts = 2 * size / r
    assert kinds(motion) == [("stick", "x"), ("slip", "x")]
    np.testing.assert_allclose([one.t for one in motion.events], [stops, starts], rtol=0, atol=1e-10)
    rest = 0.1 + v * stops - size * stops**2 / m + r * stops**3 / (6 * m)
    after = np.maximum(motion.t - starts, 0.0)
    later = motion.t > stops
    np.testing.assert_allclose(motion.q[later, 0], (rest + r * after**3 / (6 * m))[later], rtol=0, atol=1e-9)
    friction = np.where(later & (motion.t < starts), r * motion.t - size, size)
    np.testing.assert_allclose(motion.signals["friction"][:, 0], friction, rtol=0, atol=1e-10)
    assert abs(motion.energy.drift).max() < 1e-8


@pytest.mark.short_run("adaptive")
@methods
def test_static_friction_above_the_kinetic_one_differs_by_direction(method):
    """Forwards it starts at 1.5 times 3 N and slips with 1.5 times 2 N; backwards at 3 N, with 2 N."""
    robot = block().with_actuators({"x": Actuator(friction=[Breaking(3.0, 2.0, forwards=1.5)])})
    for r, static, kinetic in ((1.0, 4.5, 3.0), (-1.0, 3.0, 2.0)):
        motion = armdyn.simulate(
            robot,
            [0.0],
            duration=6.0,
            torque=OverTime([0.0, 6.0], [[0.0], [6.0 * r]]),
            save=SaveAt(every=0.5),
            **method,
        )
        (slip,) = motion.events
        assert slip.kind == "slip"
        assert abs(slip.t - static) < 1e-9
        s = 6.0 - static
        assert abs(motion.q[-1, 0] - r * ((static - kinetic) * s**2 / 2 + s**3 / 6) / m) < 1e-9
        np.testing.assert_allclose(motion.signals["friction"][-1], [r * kinetic], rtol=1e-15)


@pytest.mark.slow
@methods
def test_a_pendulum_sticks_and_is_pulled_off_by_a_ramp(method):
    """It sticks at q_s, and slips where a (t - t_s) + m g l cos q_s is beyond c."""
    l, size, a = 0.4, 3.0, 2.0  # noqa: E741
    robot = pendulum(l, (0.0, size))
    motion = armdyn.simulate(
        robot, [-0.9], duration=8.0, torque=lambda t, q, qd: [a * t], save=SaveAt(every=0.1), **method
    )
    stick, slip = motion.events[-2:]
    assert [one.kind for one in (stick, slip)] == ["stick", "slip"]
    held = float(stick.q[0])
    starts = (size + m * g * l * np.cos(held)) / a
    assert abs(slip.t - starts) < 1e-9
    between = (motion.t > stick.t) & (motion.t < slip.t)
    assert between.sum() > 5
    assert (motion.q[between] == held).all()
    expected = a * motion.t[between] - m * g * l * np.cos(held)
    np.testing.assert_allclose(motion.signals["friction"][between, 0], expected, rtol=0, atol=1e-12)
    assert abs(motion.energy.relative_drift).max() < (1e-9 if not method else 2e-5)


def test_a_turn_without_rest_is_a_reversal():
    motion = armdyn.simulate(block(1.0), [0.0], [2.0], duration=3.0, torque=[-3.0])
    (turn,) = motion.events
    assert (turn.kind, turn.name) == ("reversal", "x")
    assert abs(turn.t - 1.0) < 1e-12
    assert abs(motion.q[-1, 0] - (1.0 - 2.0**2 / 2)) < 1e-10  # decelerates by 2, then accelerates by 1 m/s^2


def test_a_joint_that_begins_to_slip_and_is_stopped_within_the_first_step():
    """A force a little above breakaway for a moment: it slips and sticks again, whatever the length of steps."""
    pulse = lambda t, q, qd: [4.0 + 0.01 * max(1 - (t - 1.0) ** 2 / 1e-4, -10.0)]  # noqa: E731 - from 0.99 to 1.01 s
    motion = armdyn.simulate(
        block(), [0.0], duration=1.2, torque=pulse, method=RungeKutta4(step=0.05), save=SaveAt(every=0.05)
    )
    assert kinds(motion) == [("slip", "x"), ("stick", "x")]
    np.testing.assert_allclose([one.t for one in motion.events], [0.99, 1.02], rtol=0, atol=1e-8)


# Several joints.


def test_a_double_pendulum_comes_to_rest_for_ever():
    robot = double_pendulum((0.1, 1.0), (0.05, 0.6))
    motion = armdyn.simulate(robot, [0.3, 0.5], duration=60.0)
    last = motion.events[-1].t
    rest = motion.t > last
    assert last < 40.0
    assert (np.ptp(motion.q[rest], axis=0) == 0.0).all()
    assert (motion.qd[rest] == 0.0).all()
    np.testing.assert_allclose(motion.signals["friction"][-1], -robot.gravity_forces(motion.q[-1]), atol=1e-13)
    assert (abs(motion.signals["friction"][rest]) <= [1.0, 0.6]).all()
    assert abs(motion.energy.relative_drift).max() < 1e-8


def test_smooth_laws_tend_to_the_motion_with_sticking():
    """c tanh(qd / eps) in the place of c sign(qd), by an implicit solver: the difference falls with eps."""
    sticks = armdyn.simulate(
        double_pendulum((0.1, 1.5), (0.05, 1.0)), [-0.8, 0.2], duration=3.0, save=SaveAt(every=0.1)
    )
    assert {"stick", "slip"} <= {one.kind for one in sticks.events}
    bare, viscous = armdyn.load("planar_2r"), np.array([0.1, 0.05])
    errors = []
    for eps in (1e-3, 1e-4):
        law = lambda t, q, qd, eps=eps: -viscous * qd - [1.5, 1.0] * np.tanh(qd / eps)  # noqa: E731
        method = Adaptive(rtol=1e-8, atol=1e-10, scipy_method="LSODA", chattering_step=None)
        smooth = armdyn.simulate(bare, [-0.8, 0.2], duration=3.0, torque=law, method=method, save=SaveAt(every=0.1))
        errors.append(abs(smooth.q - sticks.q).max())
    assert errors[0] < 3e-3
    assert errors[1] < 0.15 * errors[0]


def decided(robot, q, tau, resting=None, stops=None, slip=None):
    """The modes of joints that all rest, and the accelerations that follow."""
    rows = BoundedRows(robot, stops)
    rests = np.ones(len(rows.is_joint), dtype=bool) if resting is None else resting
    at_rest, acting = np.zeros(robot.dof), (np.asarray(tau, dtype=float),)
    mode = rows.decided(q, at_rest, acting, rests, np.zeros(len(rows.dry), dtype=int) if slip is None else slip)
    return mode, rows.rates(q, at_rest, acting, mode, shared=True)


def enumerated(robot, q, tau, static, kinetic):
    """All of the 3^n cases of sticking and slipping that are consistent, with static friction where it can hold."""
    n, M = robot.dof, robot.mass_matrix(q)
    rest = tau - robot.gravity_forces(q)
    found = []
    for case in product((-1, 0, 1), repeat=n):
        s = np.array(case)
        stuck, slips = np.flatnonzero(s == 0), np.flatnonzero(s)
        qdd = np.zeros(n)
        if len(slips):
            qdd[slips] = np.linalg.solve(M[np.ix_(slips, slips)], (rest - s * kinetic)[slips])
        friction = rest - M @ qdd
        if (abs(friction[stuck]) <= static[stuck]).all() and (s * qdd >= 0).all():
            found.append((s, qdd))
    return found


@pytest.mark.slow
def test_where_the_slip_of_one_joint_decides_that_of_another():
    rng = np.random.default_rng(5)
    chain = armdyn.load("ur5", locked=dict.fromkeys(armdyn.load("ur5").joint_names[3:], 0.3))
    size = np.array([4.0, 13.0, 7.0])
    robot = chain.with_friction({name: (0.2, float(f)) for name, f in zip(chain.joint_names, size, strict=True)})
    cases, coupled = set(), 0
    for _ in range(150):
        q = rng.uniform(-2, 2, 3)
        tau = robot.gravity_forces(q) + rng.uniform(-1.6, 1.6, 3) * size
        mode, found = decided(robot, q, tau)
        ((expected, qdd),) = enumerated(robot, q, tau, size, size)  # there is one
        np.testing.assert_array_equal(mode.slip, expected)
        np.testing.assert_allclose(found.qdd, qdd, rtol=0, atol=1e-10 * max(1.0, abs(qdd).max()))
        np.testing.assert_array_equal(mode.held, expected == 0)
        alone = np.where(abs(tau - robot.gravity_forces(q)) > size, np.sign(tau - robot.gravity_forces(q)), 0)
        coupled += not np.array_equal(alone, expected)
        cases.add(tuple(map(int, expected)))
    assert len(cases) >= 15
    assert coupled >= 20


@pytest.mark.slow
def test_static_friction_lets_go_of_one_joint_after_the_other():
    """With static above kinetic friction, what is decided is one of the consistent cases."""
    rng = np.random.default_rng(6)
    static, kinetic = np.array([3.0, 1.6]), np.array([1.2, 1.3])
    robot = armdyn.load("planar_2r").with_actuators(
        {f"joint_{k + 1}": Actuator(friction=Breaking(float(static[k]), float(kinetic[k]))) for k in (0, 1)}
    )
    several = 0
    for _ in range(100):
        q = rng.uniform(-2, 2, 2)
        tau = robot.gravity_forces(q) + rng.uniform(-2.0, 2.0, 2) * static
        mode, found = decided(robot, q, tau)
        every = enumerated(robot, q, tau, static, kinetic)
        several += len(every) > 1
        matching = [qdd for s, qdd in every if np.array_equal(s, mode.slip)]
        assert len(matching) == 1
        np.testing.assert_allclose(found.qdd, matching[0], rtol=0, atol=1e-10 * max(1.0, abs(matching[0]).max()))
        if any((s == 0).all() for s, _ in every):
            assert mode.held.all()  # what can stay at rest does
    assert several > 3


def test_the_faces_of_forces_that_are_not_decided():
    """Three columns in a plane: the forces are within their bounds as long as a linear programme finds some."""
    from scipy.optimize import linprog

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
            np.testing.assert_allclose(B @ shared, B @ p, rtol=0, atol=1e-12)
    assert 10 < inside < 50


# Stops, contacts and constraints.


@pytest.mark.short_run("adaptive")
@methods
def test_a_block_pressed_against_a_stop_leaves_it_against_friction(method):
    """The stop lets go where r t - 5 = 0, and friction where it is c: it leaves at (5 + c)/r."""
    motion = armdyn.simulate(
        block(limits=(0.0, 1.0)),
        [0.0],
        duration=8.0,
        elements=[Stops()],
        save=SaveAt(every=0.04),
        torque=lambda t, q, qd: [1.5 * t - 5.0],
        **method,
    )
    assert kinds(motion)[0] == ("rest", "x lower stop")
    starts = (5.0 + 4.0) / 1.5
    left = [one for one in motion.events if one.kind in ("release", "slip")]
    assert {one.kind for one in left} == {"release", "slip"}
    assert max(abs(one.t - starts) for one in left if one.kind == "slip") < 1e-10
    rests = motion.t < starts
    assert (motion.q[rests] == 0.0).all()
    push, friction = motion.signals["stop_force"], motion.signals["friction"]
    assert (push >= 0.0).all()
    assert (abs(friction) <= 4.0 * (1 + 1e-11)).all()
    held = push[rests, 0] - friction[rests, 0] + motion.tau[rests, 0]
    np.testing.assert_allclose(held, 0.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(motion.q[-1, 0], 1.5 * (8.0 - starts) ** 3 / (6 * m), rtol=0, atol=1e-9)


def test_a_bouncing_block_rests_at_the_stop():
    """m v' = -6 + 4 sign: it falls with 1 m/s^2, rises with 5 m/s^2, and loses the rest of the energy at the stop."""
    motion = armdyn.simulate(
        block(limits=(0.0, np.inf)), [0.5], duration=3.0, torque=[-6.0], elements=[Stops(0.5)], save=SaveAt(every=0.1)
    )
    impacts = [one for one in motion.events if one.kind == "impact"]
    expected, speed = [1.0], 0.5  # 0.5 = t^2 / 2; half of 1 m/s
    while speed**2 / 10 > 1e-8:  # the height it rises to; lower ones count as none
        expected.append(expected[-1] + speed / 5.0 + speed / np.sqrt(5.0))
        speed *= 0.5 / np.sqrt(5.0)
    np.testing.assert_allclose([one.t for one in impacts], expected, rtol=0, atol=1e-9)
    assert motion.q[-1] == motion.qd[-1] == 0.0
    np.testing.assert_allclose(motion.signals["stop_force"][-1] - motion.signals["friction"][-1], [6.0], rtol=1e-12)
    assert abs(motion.energy.drift).max() < 1e-9


@pytest.mark.slow
def test_an_impact_sets_stuck_joints_free():
    """The elbow hits its stop; the shoulder, which stuck, jumps by -M_12/M_11 of the elbow's jump."""
    arm = double_pendulum((0.0, 20.0), (0.0, 0.1)).with_gravity((0, 0, 0)).with_limits({"joint_2": (-2.0, 1.0)})
    motion = armdyn.simulate(arm, [0.2, 0.5], [0.0, 1.0], duration=0.8, elements=[Stops(joints=["joint_2"])])
    (impact,) = (one for one in motion.events if one.kind == "impact")
    assert (motion.q[motion.t < impact.t, 0] == 0.2).all()
    M = arm.mass_matrix(impact.q)
    before = armdyn.simulate(arm, [0.2, 0.5], [0.0, 1.0], duration=impact.t).qd[-1]
    np.testing.assert_allclose(impact.qd, [M[0, 1] / M[0, 0] * before[1], 0.0], rtol=0, atol=1e-9)
    assert motion.events[-1].kind == "stick"
    assert (motion.qd[-1] == 0.0).all()
    assert abs(motion.energy.drift).max() < 1e-9


@pytest.mark.slow
def test_a_contact_with_a_joint_that_sticks():
    """A cart lies on a table and rubs in its slide along x: lifted, it goes up and stays where it is along x."""
    body = armdyn.Inertia(m, [0, 0, 0], 0.1 * np.eye(3))
    parts = [
        armdyn.Part("x", "base", "prismatic", axis=(1, 0, 0), joint="along"),
        armdyn.Part("y", "x", "prismatic", axis=(0, 1, 0), joint="up", inertia=body),
    ]
    cart = armdyn.Robot.from_links(parts, gravity=(0, -g, 0), tip="y").with_friction({"along": (0.0, 3.0)})
    table = Contact(c.PointOnPlane("y", (0, 1, 0), name="table"))
    motion = armdyn.simulate(
        cart, [0, 0], [1.0, 0], duration=3.0, torque=[[0, 0], [2.9, 0], [2.9, 2 * m * g]], elements=[table]
    )
    stick, release = motion.events[-2:]
    assert (stick.kind, release.kind) == ("stick", "release")
    np.testing.assert_allclose([stick.t, release.t], [m / 3.0, 2.0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(motion.q[-1], [m / 6.0, g / 2], rtol=0, atol=1e-10)


# Ways to simulate.


@pytest.mark.slow
def test_an_arm_of_a_file_falls_and_comes_to_rest_by_default(tmp_path):
    links = "".join(
        f'''<link name="link_{k}"><inertial><origin xyz="0.25 0 0"/><mass value="{1.5 / k}"/>
        <inertia ixx="0.01" iyy="0.03" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="j{k}" type="continuous"><parent link="link_{k - 1}"/><child link="link_{k}"/>
        <origin xyz="{0.5 * (k > 1)} 0 0"/><axis xyz="0 1 0"/>
        <dynamics damping="{0.2 / k}" friction="{0.8 / k}"/></joint>'''
        for k in (1, 2, 3)
    )
    path = tmp_path / "arm.urdf"
    path.write_text(f'<robot name="arm"><link name="link_0"/>{links}</robot>')
    arm = armdyn.load(path)
    motion = armdyn.simulate(arm, [-0.3, 0.2, 0.1], duration=20.0)
    assert kinds(motion)[-1][0] == "stick"
    assert (motion.qd[-1] == 0.0).all()
    assert (motion.qdd[-1] == 0.0).all()
    assert (abs(arm.gravity_forces(motion.q[-1])) <= np.array([0.8, 0.4, 0.8 / 3])).all()
    assert abs(motion.energy.relative_drift).max() < 1e-8


def test_joints_that_move_together_stick_together():
    """A coordinate moves two slides, one of them twice as far and backwards: 1 N and 2 times 1.5 N rub."""
    body = armdyn.Inertia(m, [0, 0, 0], 0.1 * np.eye(3))
    parts = [
        armdyn.Part(name, "base", "prismatic", axis=(1, 0, 0), inertia=body, joint=joint)
        for name, joint in (("a", "first"), ("b", "second"))
    ]
    slides = armdyn.Robot.from_links(parts, tip="a").with_friction({"first": (0.0, 1.0), "second": (0.0, 1.5)})
    robot = slides.with_mimic({"second": ("first", -2.0)})
    motion = armdyn.simulate(robot, [0.0], duration=6.0, torque=lambda t, q, qd: [t], save=SaveAt(every=0.5))
    (slip,) = motion.events
    assert (slip.name, slip.kind) == ("first and second", "slip")
    assert abs(slip.t - 4.0) < 1e-10
    np.testing.assert_allclose(motion.q[-1, 0], 2.0**3 / (6 * 5 * m), rtol=1e-9)  # M = m + 4 m


def test_batches_dense_output_and_callbacks():
    robot = pendulum()
    q0 = np.array([[-0.9], [-1.4], [np.nan]])
    batch = armdyn.simulate(robot, q0, duration=2.0, method=RungeKutta4(step=0.01))
    for k in (0, 1):
        alone = armdyn.simulate(robot, q0[k], duration=2.0, method=RungeKutta4(step=0.01))
        np.testing.assert_array_equal(batch.pick(k).q, alone.q)
        assert [one.t for one in batch.pick(k).events] == [one.t for one in alone.events]
    assert np.isnan(batch.q[-1, 2]).all()
    assert batch.signals["friction"].shape == (201, 3, 1)

    dense = armdyn.simulate(robot, q0[0], duration=2.0, save=SaveAt(every=0.5, dense=True))
    fine = armdyn.simulate(robot, q0[0], duration=2.0, save=SaveAt(every=0.125))
    np.testing.assert_allclose(dense.at(fine.t).q, fine.q, rtol=0, atol=1e-12)

    seen = []

    def held(t, q, qd):
        seen.append(t)
        return [3.0 * np.cos(t)]

    sampled = armdyn.control.callback(held, sample_time=0.1)
    motion = armdyn.simulate(robot, q0[0], duration=1.0, torque=sampled, method=RungeKutta4(step=0.02))
    np.testing.assert_allclose(seen, np.arange(10) * 0.1, atol=1e-12)
    table = np.repeat(3.0 * np.cos(np.array(seen)), 5)[:, None]
    tabled = armdyn.simulate(robot, q0[0], duration=1.0, torque=table, method=RungeKutta4(step=0.02))
    np.testing.assert_allclose(motion.q, tabled.q, rtol=0, atol=1e-14)
    with pytest.raises(SettingError, match="acts on a single state if events, stops, contacts or dry friction"):
        armdyn.simulate(robot, q0[:2], duration=1.0, torque=sampled, method="rk4")
    with pytest.raises(SimulationError, match="initial state"):
        armdyn.simulate(robot, q0[2:], duration=1.0)


@pytest.mark.parametrize("method", ["abm4", "variational"])
def test_methods_that_cannot_stop_say_that_joints_do_not_stick(method):
    motion = armdyn.simulate(pendulum(), [-1.2], duration=0.02, method=method)
    (note,) = (note for note in motion.notes if "do not stick" in note)
    assert "(hinge); use method='adaptive' or 'rk4'" in note
    assert "friction" not in motion.signals
    smooth = armdyn.simulate(pendulum(friction=(0.5, 0.0)), [-1.2], duration=0.02, method=method)
    assert not any("stick" in note for note in smooth.notes)


@pytest.mark.parametrize("scipy_method", ["BDF", "LSODA"])
def test_solvers_with_a_history_start_anew_where_joints_stick(scipy_method):
    """A block with v0 rests at x0 + v0^2 / (2 a) from t = v0 / a on, in every digit, until a force lets it go."""
    v0, a, last = 0.5, 4.0 / m, 1.5
    method = Adaptive(1e-9, 1e-11, scipy_method=scipy_method)
    push = lambda t, q, qd: [0.0 if t < 1.0 else 8.0 * (t - 1.0)]  # noqa: E731
    motion = armdyn.simulate(block(c=4.0), [0.1], [v0], duration=1.6, torque=push, method=method)
    assert kinds(motion) == [("stick", "x"), ("slip", "x")]
    stick, slip = motion.events
    np.testing.assert_allclose([stick.t, stick.q[0], slip.t], [v0 / a, 0.1 + v0**2 / (2 * a), last], rtol=0, atol=1e-7)
    held = (motion.t > stick.t) & (motion.t < slip.t)
    assert (motion.qd[held] == 0.0).all()
    assert np.ptp(motion.q[held]) < 1e-15
    late = motion.t - last
    moved = np.where(late > 0, 8.0 * late**3 / (6 * m), 0.0)
    np.testing.assert_allclose(motion.q[late > 0, 0] - slip.q[0], moved[late > 0], rtol=0, atol=1e-8)
    assert motion.notes == ()


def test_flexible_joints_stick_too():
    """A rotor that friction of 0.5 N m holds until the pendulum pulls at its spring with more."""
    actuator = Actuator(Motor(rotor_inertia=1e-4), Gear(50.0), friction=Coulomb(0.5), spring=Spring(500.0))
    robot = pendulum(friction=(0.0, 0.0)).with_actuators({"hinge": actuator})
    motion = armdyn.simulate(robot, [-1.2], duration=0.02, method="rk4")
    (slip,) = motion.events
    assert (slip.name, slip.kind) == ("hinge rotor", "slip")
    assert (motion.signals["theta"][motion.t < slip.t] == -1.2).all()
    assert abs(500.0 * (-1.2 - slip.q[0]) - 0.5) < 1e-9
    assert motion.notes == ()


def test_a_law_that_switches_beside_joints_that_stick_is_carried_through():
    """Against a smooth law of the same friction by a stiff solver."""
    robot, given = double_pendulum((0.1, 0.5)), {"q0": [-1.5, 0.3], "duration": 0.4, "save": SaveAt(every=0.01)}
    law = lambda t, q, qd: -0.3 * np.sign(qd)  # noqa: E731
    motion = armdyn.simulate(robot, torque=law, method=Adaptive(1e-8, 1e-8, chattering_step=1e-3), **given)
    stiff = Adaptive(1e-8, 1e-8, scipy_method="Radau")
    smooth = armdyn.simulate(robot, torque=lambda t, q, qd: -0.3 * np.tanh(qd / 1e-5), method=stiff, **given)
    assert motion.notes[0].startswith("chattering: the torque of 'joint_1'")
    np.testing.assert_allclose(motion.q, smooth.q, rtol=0, atol=1e-4)
    stepped = armdyn.simulate(robot, [-1.5, 0.3], duration=0.2, torque=law, method=RungeKutta4(step=5e-3))
    assert np.isfinite(stepped.q).all()


def test_a_callback_of_an_adaptive_method_is_refused_as_before():
    sampled = armdyn.control.callback(lambda t, q, qd: -qd, sample_time=0.1)
    with pytest.raises(SettingError, match=r"has a sample time of 0\.1 s of its own"):
        armdyn.simulate(pendulum(), [-1.2], duration=0.2, torque=sampled)


def test_viscous_friction_beside_dry_friction_is_not_bent_at_rest():
    """v' = -(c + b v)/m: it stops at (m/b) log(1 + b v_0/c), whether numbers or laws say so."""
    size, b, v = 2.0, 1.5, 1.2
    by_laws = block().with_actuators({"x": Actuator(friction=[Viscous(b), Coulomb(size)])})
    for robot in (block(size, b), by_laws):
        motion = armdyn.simulate(robot, [0.0], [v], duration=2.0, save=SaveAt(every=0.5))
        (stick,) = motion.events
        assert abs(stick.t - m / b * np.log(1 + b * v / size)) < 1e-11
        np.testing.assert_allclose(motion.q[-1, 0], m / b * (v - size / b * np.log(1 + b * v / size)), rtol=1e-10)


@pytest.mark.slow
def test_a_short_pulse_lets_joints_go_that_all_stick():
    """Nothing limits the steps of a solver where nothing moves; a callable is asked often enough all the same."""
    resting = (
        armdyn.load("planar_2r")
        .with_gravity((0, 0, 0))
        .with_friction(dict.fromkeys(("joint_1", "joint_2"), (0.1, 4.0)))
    )
    times, values = [0.0, 57.0, 57.3, 120.0], np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 0.0], [0.0, 0.0]])

    def pulse(t, q, qd):
        return values[1] if times[1] <= t < times[2] else values[0]

    known = armdyn.simulate(resting, [0.0, 0.0], duration=120.0, torque=OverTime(times, values, "hold"))
    asked = armdyn.simulate(resting, [0.0, 0.0], duration=120.0, torque=pulse)
    assert known.q[-1, 0] > 0.02
    np.testing.assert_allclose(asked.q[-1], known.q[-1], atol=1e-6)
    assert [event.kind for event in asked.events] == [event.kind for event in known.events] == ["slip", "stick"]
