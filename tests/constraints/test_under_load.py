"""Constrained dynamics with friction that depends on the load: all branches enumerated, closed forms, identities."""

import itertools
from functools import partial

import mpmath as mp
import numpy as np
import pytest
from linkages import COUPLER, CRANK, GRAVITY, GROUND, ROCKER, five_bar, four_bar
from lossy import Gears, Terms, solutions
from parts import every_kind
from scipy.optimize import root

import armdyn
from armdyn import Robot, Unsupported
from armdyn import constraints as c
from armdyn.actuators import Actuator, Gear, GearLoss, Motor, Rotor, ServoFriction
from armdyn.algorithms import load_friction
from armdyn.constraints.redundant_under_load import least_squares_under_load, rotors_before_friction
from armdyn.constraints.under_load import forces_before_loads, friction_lines
from armdyn.program import interpret
from oracles.short_run import short_run
from oracles.trees import random_tree, to_armdyn

M6 = ServoFriction(0.05, 0.02, 0.1, 1.5, 1.3, 0.2, 0.02, 0.1, 0.15, 0.009, 0.005)
AS_THEY_ARE = {"tolerance": np.inf}  # states need not be closed
GENERAL = (1.0, -9.0, 2.0)


def spatial(*kinds: str) -> Robot:
    """A tree of five joints, slides among them, with general gravity."""
    tree = Robot(to_armdyn(random_tree(5, 5)))
    every = every_kind(tree)
    return tree.with_constraints(*(every[name] for name in kinds))


CLOSED = {
    "four bar": lambda: four_bar(gravity=GENERAL),
    "five bar": lambda: five_bar(gravity=GENERAL),
    "ball": lambda: spatial("ball"),
    "own": lambda: spatial("plane on a link", "skate"),
}


def states(robot: Robot, count: int, seed: int = 3) -> np.ndarray:
    """q, qd and tau or qdd, at which the rows are well apart."""
    found = np.random.default_rng(seed).normal(size=(3, 4 * count, robot.dof))
    apart = robot.compile(c.constrained_forward_dynamics)(*found).independence.min(axis=-1) > 0.02
    return found[:, np.flatnonzero(apart)[:count]]


@pytest.mark.short_run("five bar", "own")
@pytest.mark.parametrize("name", short_run(CLOSED, "five bar", "own"))
def test_forward_dynamics_is_the_only_solution_of_all_branches(name: str) -> None:
    bare = CLOSED[name]()
    gears = Gears.random(bare.dof, 7)
    robot = gears.on(bare)
    q, qd, tau = states(bare, 12)
    tau *= 10.0
    motion = robot.constrained_forward_dynamics(q, qd, tau, **AS_THEY_ARE)
    drives = set()
    for k in range(len(q)):
        found = list(solutions(Terms.of(bare, q[k], qd[k]), gears, qd[k], tau[k]))
        assert len(found) == 1
        (qdd, multipliers), size = found[0], np.abs(found[0][0]).max()
        np.testing.assert_allclose(motion.qdd[k], qdd, rtol=0.0, atol=1e-11 * size)
        np.testing.assert_allclose(motion.multipliers[k], multipliers, rtol=0.0, atol=1e-11 * np.abs(multipliers).max())
        load = bare.constrained_inverse_dynamics(q[k], qd[k], qdd, multipliers, **AS_THEY_ARE)
        drives |= set(np.sign(load * qd[k]))
    assert drives == {-1.0, 1.0}  # some drive, others are driven


@pytest.mark.short_run("five bar")
@pytest.mark.parametrize("name", short_run(CLOSED, "five bar"))
def test_inverse_dynamics_gives_the_forces_back(name: str) -> None:
    """With wrenches, within the equations and A qdd + Adot qd = 0; 500 states, efficiencies down to 0.05."""
    bare = CLOSED[name]()
    robot = Gears.random(bare.dof, 11, least=0.05).on(bare)
    q, qd, tau = states(bare, 500)
    rng = np.random.default_rng(8)
    more = {"f_tip": rng.normal(size=6), "f_ext": rng.normal(size=(len(robot.link_names), 6))}
    motion = robot.constrained_forward_dynamics(q, qd, tau, **more, **AS_THEY_ARE)
    back = robot.constrained_inverse_dynamics(q, qd, motion.qdd, motion.multipliers, **more, **AS_THEY_ARE)
    pushed = np.abs(robot.constraint_forces(q, motion.multipliers)).max(axis=-1)
    moved = np.abs(robot.mass_matrix(q)).max(axis=(-1, -2)) * np.abs(motion.qdd).max(axis=-1)
    assert (np.abs(back - tau).max(axis=-1) < 1e-12 * (np.abs(tau).max() + pushed + moved)).all()
    A, drift = robot.constraint_jacobian(q), robot.constraint_drift(q, qd)
    left = np.einsum("sij,sj->si", A, motion.qdd) + drift
    size = np.abs(A).max() * np.abs(motion.qdd).max(axis=-1) + np.abs(drift).max(axis=-1)
    assert (np.abs(left).max(axis=-1) < 1e-11 * size).all()


@pytest.mark.parametrize("driving", [True, False])
def test_a_four_bar_with_one_gear_at_its_crank(driving: bool) -> None:
    """By Lagrange m(x) x'' + b = l, of which the gear's drive needs l/eta or eta_b l, and its rotor a x'' besides."""
    eta, back, a, x, rate = 0.6, 0.4, 0.7, 0.7, 1.3
    q, m, b = crank_equation(x, rate)
    along = 1.0 if driving else -1.0
    tau = b + 40.0 * along
    expected = (eta * tau - b) / (m + eta * a) if driving else (tau / back - b) / (m + a / back)
    assert (m * expected + b) * rate * along > 0.0
    drive = Actuator(Motor(a), Gear(1.0, efficiency=eta, back_efficiency=back))
    robot = four_bar().with_actuators({"joint_of_crank": drive})
    qd = robot.close_velocities(q, [rate, 0.0, 0.0], locked=["joint_of_crank"])
    motion = robot.constrained_forward_dynamics(q, qd, [tau, 0.0, 0.0])
    assert motion.qdd[0] == pytest.approx(expected, rel=1e-12)
    forces = robot.actuator_forces(q, qd, motion.qdd, actuated=["joint_of_crank"])
    np.testing.assert_allclose(forces.tau, [tau, 0.0, 0.0], rtol=0.0, atol=1e-11 * abs(tau))


def crank_equation(x: float, rate: float) -> tuple[np.ndarray, float, float]:
    """q of the four-bar at its crank's angle, m and b of m x'' + b = (its force), by differences of 40 digits."""

    def bars(x):
        elbow = CRANK.length * mp.expj(x)
        d = GROUND - elbow
        square = abs(d) ** 2
        along = (square + mp.mpf(COUPLER.length) ** 2 - mp.mpf(ROCKER.length) ** 2) / (2 * square)
        end = elbow + d * (along + 1j * mp.sqrt(mp.mpf(COUPLER.length) ** 2 / square - along**2))
        pivots = (
            (CRANK, mp.mpc(0), x),
            (COUPLER, elbow, mp.arg(end - elbow)),
            (ROCKER, mp.mpc(GROUND), mp.arg(end - GROUND)),
        )
        return [(bar, pivot + mp.mpc(*bar.com) * mp.expj(angle), angle) for bar, pivot, angle in pivots]

    def inertia(x):
        rates = [
            (bar, mp.diff(lambda s, k=k: bars(s)[k][1], x), mp.diff(lambda s, k=k: bars(s)[k][2], x))
            for k, (bar, _, _) in enumerate(bars(x))
        ]
        return sum(bar.mass * abs(v) ** 2 + bar.inertia * w**2 for bar, v, w in rates)

    def potential(x):
        return -sum(bar.mass * (GRAVITY[0] * mp.re(p) + GRAVITY[1] * mp.im(p)) for bar, p, _ in bars(x))

    with mp.workdps(40):
        x = mp.mpf(x)
        angles = [angle for _, _, angle in bars(x)]
        q = np.array([float(x), float(angles[1] - x), float(angles[2])])
        b = mp.diff(inertia, x) * mp.mpf(rate) ** 2 / 2 + mp.diff(potential, x)
        return q, float(inertia(x)), float(b)


def test_curves_of_the_load_by_another_solver() -> None:
    """Servos M6 in all joints of a five-bar linkage: the KKT equations with friction, by SciPy."""
    bare = five_bar()
    a = 0.02
    robot = bare.with_actuators(dict.fromkeys(bare.joint_names, Actuator(Motor(a), friction=M6)))
    for q, qd, tau in zip(*states(bare, 4), strict=True):
        M, h, A, b = Terms.of(bare, q, qd)

        def left(x: np.ndarray, terms=(M, h, A, b), qd=qd, tau=tau) -> np.ndarray:
            M, h, A, b = terms
            load = M @ x[:4] + h + A.T @ x[4:]
            friction = [float(M6.force(rate, one)) for rate, one in zip(qd, load, strict=True)]
            return np.concatenate([load + friction + a * x[:4] - tau, A @ x[:4] - b])

        motion = robot.constrained_forward_dynamics(q, qd, tau, **AS_THEY_ARE)
        without = bare.constrained_forward_dynamics(q, qd, tau, **AS_THEY_ARE)
        found = root(left, np.concatenate([without.qdd, without.multipliers]), tol=1e-13)
        np.testing.assert_allclose([*motion.qdd, *motion.multipliers], found.x, rtol=1e-9, atol=1e-9)
        assert np.abs(left(np.array([*motion.qdd, *motion.multipliers]))).max() < 1e-12 * np.abs(tau).max() * 1e2


def test_gears_that_lose_nothing_and_gears_at_rest_change_nothing() -> None:
    """Of the losses 1 - eta the accelerations differ in proportion; at rest forward dynamics counts none."""
    bare = five_bar()
    q, qd, tau = states(bare, 20)
    given = bare.constrained_forward_dynamics(q, qd, tau, **AS_THEY_ARE)

    def with_loss(loss: float) -> Robot:
        return bare.with_actuators(dict.fromkeys(bare.joint_names, Actuator(friction=GearLoss(1.0 - loss, 1.0 - loss))))

    perfect = with_loss(0.0)
    assert perfect.mechanism.drive.depends_on_load
    for found, expected in zip(perfect.constrained_forward_dynamics(q, qd, tau, **AS_THEY_ARE), given, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)
    first, second = (
        with_loss(loss).constrained_forward_dynamics(q, qd, tau, **AS_THEY_ARE).qdd - given.qdd for loss in (1e-4, 1e-5)
    )
    size = np.abs(first).max()
    assert 0.0 < size < 1e-2 * np.abs(given.qdd).max()
    np.testing.assert_allclose(first, 10.0 * second, rtol=0.0, atol=1e-3 * size)
    rotors = Gears.random(bare.dof, 5)
    resting = rotors.on(bare).constrained_forward_dynamics(q, 0.0 * qd, tau, **AS_THEY_ARE)
    motors = {name: Actuator(Motor(float(a))) for name, a in zip(bare.joint_names, rotors.rotor, strict=True) if a}
    armed = bare.with_actuators(motors)
    np.testing.assert_allclose(
        resting.qdd, armed.constrained_forward_dynamics(q, 0.0 * qd, tau, **AS_THEY_ARE).qdd, rtol=1e-11
    )


def test_redundant_rows_by_least_squares() -> None:
    """Closed by a hinge in space, three rows of a four-bar follow from others: the motion is that of the plane."""
    gears = Gears.random(3, 4)
    plane, ball, space = (gears.on(four_bar(closed)) for closed in ("pin", "ball", "hinge"))
    q = plane.close_loop([-1.2, 1.0, -0.5])
    rng = np.random.default_rng(2)
    qd = plane.close_velocities(q, rng.normal(size=(6, 3)))
    tau = 10.0 * rng.normal(size=(6, 3))
    with pytest.raises(c.RedundantConstraints, match="rank 2 of 5"):
        space.constrained_forward_dynamics(q, qd, tau, redundant="error")
    motion = space.constrained_forward_dynamics(q, qd, tau)
    expected = plane.constrained_forward_dynamics(q, qd, tau)
    np.testing.assert_allclose(motion.qdd, expected.qdd, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(
        space.constraint_forces(q, motion.multipliers), plane.constraint_forces(q, expected.multipliers), atol=1e-11
    )
    stabilised = {"damping": 3.0, "stiffness": 2.0}
    open_q = q + np.array([0.01, -0.02, 0.01])
    np.testing.assert_allclose(
        ball.constrained_forward_dynamics(open_q, qd, tau, redundant="least_squares", **stabilised).qdd,
        plane.constrained_forward_dynamics(open_q, qd, tau, **stabilised).qdd,
        rtol=1e-10,
        atol=1e-10,
    )
    back = space.hybrid_forces(q, qd, motion.qdd, motion.multipliers, redundant="least_squares")
    np.testing.assert_allclose(back, tau, atol=1e-11)


def test_hybrid_forces_bring_about_what_is_wanted() -> None:
    bare = five_bar()
    robot = Gears.random(4, 9).on(bare)
    q, qd, wanted = states(bare, 20)
    multipliers = np.random.default_rng(5).normal(0.0, 10.0, (20, 2))
    tau = robot.hybrid_forces(q, qd, wanted, multipliers, **AS_THEY_ARE)
    motion = robot.constrained_forward_dynamics(q, qd, tau, **AS_THEY_ARE)
    np.testing.assert_allclose(motion.multipliers, multipliers, rtol=0.0, atol=1e-10)
    rotors = robot.without_friction()
    nearest = rotors.constrained_forward_dynamics(
        q, qd, rotors.hybrid_forces(q, qd, wanted, multipliers, **AS_THEY_ARE), **AS_THEY_ARE
    ).qdd
    np.testing.assert_allclose(motion.qdd, nearest, rtol=0.0, atol=1e-10 * np.abs(nearest).max())


def test_actuators_move_passive_joints_that_rub_under_load() -> None:
    """A passive joint transmits what leaves nothing of its own friction and rotor: forward dynamics agrees."""
    robot = Gears.random(3, 6).on(four_bar())
    q = robot.close_loop([-1.2, 1.0, -0.5])
    qd = robot.close_velocities(q, [1.0, 0.3, -0.4])
    qdd = robot.close_accelerations(q, qd, [2.0, 1.0, -3.0])
    for joint in robot.joint_names:
        driven = robot.actuator_forces(q, qd, qdd, actuated=[joint])
        assert np.count_nonzero(driven.tau) == 1
        motion = robot.constrained_forward_dynamics(q, qd, driven.tau)
        np.testing.assert_allclose(motion.qdd, qdd, rtol=0.0, atol=1e-11)
        np.testing.assert_allclose(motion.multipliers, driven.multipliers, rtol=0.0, atol=1e-10)
    with pytest.raises(Unsupported, match="and friction of joint_of_crank, joint_of_coupler depends"):
        robot.actuator_forces(q, qd, qdd, actuated=robot.joint_names[:2])
    other = four_bar().with_actuators({"joint_of_rocker": Actuator(Motor(0.3), Gear(1.0, efficiency=0.6))})
    both = other.actuator_forces(q, qd, qdd, actuated=["joint_of_crank", "joint_of_coupler"])
    np.testing.assert_allclose(other.constrained_forward_dynamics(q, qd, both.tau).qdd, qdd, rtol=0.0, atol=1e-11)
    one = other.actuator_forces(q, qd, qdd, actuated=["joint_of_crank"])
    assert np.linalg.norm(both.tau) < np.linalg.norm(one.tau)


def test_states_that_are_not_solved_are_nan_and_are_solved_on_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step of Newton's method is too few for some, as the independence says, which is NaN: then others follow."""
    monkeypatch.setattr(load_friction, "STEPS", 1)
    bare = five_bar()
    robot = Gears.random(4, 21, least=0.05).on(bare)
    q, qd, tau = states(bare, 30)
    with np.errstate(invalid="ignore"):
        qdd, multipliers = interpret(robot.program(one_step), q, qd, 10.0 * tau)
    lost = np.isnan(qdd).any(axis=-1)
    assert lost.any()
    assert not lost.all()
    assert np.isnan(qdd[lost]).all()
    assert np.isnan(multipliers[lost]).all()
    available, h = robot.compile(forces_before_loads)(q, qd, 10.0 * tau)
    lines, rotors = partial(robot.compile(friction_lines), qd), rotors_before_friction(robot.mechanism)
    M, A, target = robot.mass_matrix(q), robot.constraint_jacobian(q), -robot.constraint_drift(q, qd)
    found = least_squares_under_load(lines, rotors, M, A, available, h, target, 1e-10)
    assert np.isfinite(found.qdd).all()
    np.testing.assert_allclose(found.qdd[~lost], qdd[~lost], rtol=0.0, atol=1e-11 * np.abs(found.qdd).max())


@armdyn.function("(n),(n),(n)->(n),(constraints)")
def one_step(model, q, qd, tau):
    """Constrained forward dynamics, traced anew."""
    return c.constrained_forward_dynamics(model, q, qd, tau)[:2]


def test_float32_has_its_own_rounding() -> None:
    bare = five_bar()
    robot = Gears.random(4, 9).on(bare)
    kernel = robot.compile(c.constrained_forward_dynamics)
    state = states(bare, 100)
    found = kernel(*state.astype(np.float32))
    expected = kernel(*state.astype(np.float32).astype(np.float64))
    assert found.qdd.dtype == np.float32
    assert np.isfinite(found.qdd).all()
    assert np.abs(found.qdd - expected.qdd).max() < 1e-3 * np.abs(expected.qdd).max()


# Joints that are coupled, or turn rotors that are bodies.


def test_rotors_across_the_axes_of_a_linkage_are_armatures() -> None:
    parts = Motor(1e-4), Gear(60.0, efficiency=0.7, back_efficiency=0.5)
    bare = four_bar()
    armed = bare.with_actuators(dict.fromkeys(bare.joint_names, Actuator(*parts)))
    turning = bare.with_actuators(dict.fromkeys(bare.joint_names, Actuator(*parts, rotor=Rotor(axis=(1.0, 0.0, 0.0)))))
    q, qd, tau = states(bare, 50)
    motion = turning.constrained_forward_dynamics(q, qd, 20.0 * tau, **AS_THEY_ARE)
    expected = armed.constrained_forward_dynamics(q, qd, 20.0 * tau, **AS_THEY_ARE)
    size = np.abs(expected.qdd).max()
    np.testing.assert_allclose(motion.qdd, expected.qdd, rtol=1e-9, atol=1e-12 * size)
    np.testing.assert_allclose(motion.multipliers, expected.multipliers, rtol=1e-9, atol=1e-9)
    back = turning.constrained_inverse_dynamics(q, qd, motion.qdd, motion.multipliers, **AS_THEY_ARE)
    np.testing.assert_allclose(back, 20.0 * tau, rtol=0.0, atol=1e-11)


B = np.zeros((5, 3))
B[[0, 1, 2, 3, 4], [0, 1, 2, 1, 0]] = [1.0, 1.0, 1.0, -0.7, 1.3]


def mimics() -> tuple[Robot, Robot, list[Gear]]:
    """Five joints with gears, two of them moved by others, on a plane; and the same with all of them free."""
    free = Robot(to_armdyn(random_tree(5, 5)))
    names = free.joint_names
    gears = [Gear(2.0, efficiency=0.7 + 0.05 * k, back_efficiency=0.6) for k in range(5)]
    arm = free.with_mimic({names[3]: (names[1], -0.7), names[4]: (names[0], 1.3)})
    arm = arm.with_actuators({name: Actuator(gear=gear) for name, gear in zip(names, gears, strict=True)})
    plane = every_kind(free)["plane"]
    return arm.with_constraints(plane), free.with_constraints(plane), gears


def test_coupled_joints_are_the_only_solution_of_all_branches() -> None:
    """Of each joint's load, which needs the constraint's Jacobian by joint."""
    robot, free, gears = mimics()
    rng = np.random.default_rng(9)
    q, qd, tau = rng.normal(size=(3, 12, 3))
    motion = robot.constrained_forward_dynamics(q, qd, 5.0 * tau, **AS_THEY_ARE)
    solved = 0
    for k in range(len(q)):
        M, h, A, b = Terms.of(free, B @ q[k], B @ qd[k])
        found = []
        for drives in itertools.product((-1.0, 1.0), repeat=5):
            phi = np.array(
                [1 / g.efficiency if d > 0 else g.back_efficiency for g, d in zip(gears, drives, strict=True)]
            )
            left = np.block([[B.T @ (phi[:, None] * (M @ B)), B.T @ (phi[:, None] * A.T)], [A @ B, np.zeros((1, 1))]])
            x = np.linalg.solve(left, np.concatenate([5.0 * tau[k] - B.T @ (phi * h), b]))
            if ((M @ B @ x[:3] + h + A.T @ x[3:]) * (B @ qd[k]) * drives >= 0.0).all():
                found.append(x)
        if np.isnan(motion.qdd[k]).any():
            assert len(found) != 1  # a gear locks, or the arm may move in several ways
            continue
        solved += 1
        ways = [np.abs(x[:3] - motion.qdd[k]).max() / np.abs(x[:3]).max() for x in found]
        assert min(ways) < 1e-11
        np.testing.assert_allclose(motion.multipliers[k], found[int(np.argmin(ways))][3:], rtol=1e-10)
        back = robot.constrained_inverse_dynamics(q[k], qd[k], motion.qdd[k], motion.multipliers[k], **AS_THEY_ARE)
        np.testing.assert_allclose(back, 5.0 * tau[k], rtol=0.0, atol=1e-10)
    assert solved >= 10


def test_what_does_not_say_which_joints_it_loads_is_refused_by_name() -> None:
    robot, free, _ = mimics()
    names = free.joint_names
    belt = robot.without_constraints().with_constraints(c.JointCoupling({names[0]: 1.0, names[1]: 0.5}, name="belt"))
    q = np.zeros(3)
    with pytest.raises(Unsupported, match="constraint 'belt', which is not between frames"):
        belt.constrained_forward_dynamics(q, q, q)
    twice = robot.with_constraints(c.RowsOf(robot.model.constraints[0], ["plane"], name="again"))
    with pytest.raises(c.RedundantConstraints, match="rank 1 of 2"):
        twice.constrained_forward_dynamics(q, q, q, tolerance=np.inf, redundant="error")
    with pytest.raises(Unsupported, match="loads do not follow joint by joint"):
        twice.constrained_forward_dynamics(q, q, q, tolerance=np.inf, redundant="least_squares")
