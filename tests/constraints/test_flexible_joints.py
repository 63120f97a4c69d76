"""Arms whose joints are flexible within constraints: the links feel these, rotors feel the springs alone."""

import numpy as np
import pytest
from linkages import five_bar, four_bar
from scipy.integrate import solve_ivp

import armdyn
from armdyn import Part, Unsupported
from armdyn.actuators import (
    Actuator,
    Coulomb,
    Gear,
    GearLoss,
    LuGre,
    Motor,
    Smooth,
    Spring,
    Viscous,
    flexible_inverse_dynamics,
    flexible_motion,
)
from armdyn.constraints import PointOnPlane
from armdyn.simulation import (
    Adaptive,
    ConstantAcceleration,
    Constraints,
    Contact,
    RungeKutta4,
    SettingError,
    SimulationError,
    Start,
)
from armdyn.simulation.drivers.crossings import closes

INERTIA, RATIO = 0.02, 3.0
B = INERTIA * RATIO**2


def sprung(robot: armdyn.Robot, springs: dict[int, tuple[float, float, float]], *friction) -> armdyn.Robot:
    """Springs (k, c, d) at these joints, each behind a rotor; the others have a rotor of their own and rub."""
    actuators = {
        robot.joint_names[k]: Actuator(Motor(INERTIA), Gear(RATIO), list(friction), spring=Spring(s, d, cubic))
        for k, (s, cubic, d) in springs.items()
    }
    rigid = {
        name: Actuator(Motor(0.01), Gear(2.0), [Viscous(0.3)]) for name in robot.joint_names if name not in actuators
    }
    return robot.with_actuators(actuators | rigid)


def arm_on_a_line() -> armdyn.Robot:
    """A UR5 whose tool is held on a vertical line."""
    return armdyn.load("ur5").with_constraints(
        PointOnPlane("tool0", (1, 0, 0), (0.3, 0, 0)), PointOnPlane("tool0", (0, 1, 0), (0.2, 0.3, 0), name="y")
    )


def slide_in_a_channel(slope: float = 0.6) -> armdyn.Robot:
    """Two slides at right angles, in a channel through the origin; no gravity."""
    robot = armdyn.Robot.from_links(
        [
            Part("cart", "base", "prismatic", axis=(1, 0, 0), inertia=armdyn.Inertia.point(2.0, [0, 0, 0])),
            Part("head", "cart", "prismatic", axis=(0, 1, 0), inertia=armdyn.Inertia.point(1.5, [0, 0, 0])),
        ],
        gravity=(0, 0, 0),
    )
    normal = (-np.sin(slope), np.cos(slope), 0.0)
    return robot.with_constraints(PointOnPlane("head", normal, (0, 0, 0)))


CASES = {
    "four-bar": (four_bar(), {0: (300.0, 0.0, 2.0), 2: (500.0, 4e3, 0.0)}, [-1.2, 1.0, -0.5]),
    "five-bar": (five_bar(), {0: (300.0, 0.0, 0.0), 2: (200.0, 0.0, 0.7)}, [0.7, 0.9, 2.2, -0.9]),
    "arm on a line": (arm_on_a_line(), {0: (300.0, 0.0, 2.0), 2: (500.0, 0.0, 0.0), 4: (100.0, 50.0, 0.4)},
                      [0.4, -1.2, 1.3, -0.5, 1.1, 0.2]),
    "slides": (slide_in_a_channel(), {1: (80.0, 0.0, 0.3)}, [0.5, 0.3]),
}  # fmt: skip


def case(name: str) -> tuple[armdyn.Robot, armdyn.Robot, dict[int, tuple[float, float, float]], np.ndarray]:
    """The robot with springs, that without actuators, the springs, and a closed configuration."""
    bare, springs, near = CASES[name]
    return sprung(bare, springs), bare, springs, np.asarray(bare.close_loop(near))


def solved(bare, springs, q, qd, theta, thetad, tau):
    """qdd, lambda and thetadd by NumPy's solution of the stacked equations."""
    n, on_links = bare.dof, np.array(tau)
    for k, (s, cubic, d) in springs.items():
        x = theta[k] - q[k]
        on_links[k] = s * x + cubic * x**3 + d * (thetad[k] - qd[k])
    rigid = [k for k in range(n) if k not in springs]
    M, h = np.array(bare.mass_matrix(q)), np.array(bare.bias_forces(q, qd))
    M[rigid, rigid] += 0.01 * 4.0
    h[rigid] += 0.3 * qd[rigid]
    A = np.asarray(bare.constraint_jacobian(q))
    whole = np.block([[M, A.T], [A, np.zeros((len(A), len(A)))]])
    found = np.linalg.solve(whole, np.concatenate([on_links - h, -np.asarray(bare.constraint_drift(q, qd))]))
    thetadd = found[:n].copy()
    for k in springs:
        thetadd[k] = (tau[k] - on_links[k]) / B
    return found[:n], found[n:], thetadd


def test_friction_under_load_of_rigid_joints_beside_springs_within_constraints():
    """The equations of links and rotors hold with the gear's loss of the load, and the energy account closes."""
    bare = four_bar()
    actuators = {
        bare.joint_names[0]: Actuator(Motor(INERTIA), Gear(RATIO), spring=Spring(300.0, damping=2.0)),
        bare.joint_names[2]: Actuator(Motor(0.01), Gear(2.0, efficiency=0.8, back_efficiency=0.7), [Viscous(0.3)]),
    }
    robot = bare.with_actuators(actuators)
    q = np.asarray(bare.close_loop([-1.2, 1.0, -0.5]))
    rng = np.random.default_rng(2)
    for _ in range(4):
        qd = np.asarray(bare.close_velocities(q, rng.normal(size=3)))
        theta, thetad, tau = q + 0.05 * rng.normal(size=3), qd + rng.normal(size=3), 5.0 * rng.normal(size=3)
        qdd, thetadd, power = robot.compile(flexible_motion)(q, qd, theta, thetad, tau)
        multipliers = robot.flexible_multipliers(q, qd, theta, thetad, tau)
        loads = bare.constrained_inverse_dynamics(q, qd, qdd, multipliers, tolerance=np.inf)
        spring = 300.0 * (theta[0] - q[0]) + 2.0 * (thetad[0] - qd[0])
        factor = 1.0 / 0.8 if loads[2] * qd[2] > 0.0 else 0.7
        drive = factor * loads[2] + 0.3 * qd[2] + 0.04 * qdd[2]
        size = abs(loads).max() + abs(tau).max()
        np.testing.assert_allclose([loads[0], loads[1], drive], [spring, tau[1], tau[2]], rtol=0, atol=1e-11 * size)
        np.testing.assert_allclose(B * thetadd[0] + spring, tau[0], rtol=0, atol=1e-11 * size)
        lost = 2.0 * (thetad[0] - qd[0]) ** 2 + ((factor - 1.0) * loads[2] + 0.3 * qd[2]) * qd[2]
        given = tau[0] * thetad[0] + tau[1:] @ qd[1:]
        np.testing.assert_allclose(power, given - lost, rtol=0, atol=1e-11 * abs(given))
    smooth = robot.with_actuators(
        {bare.joint_names[2]: Actuator(Motor(0.01), Gear(2.0), Smooth(GearLoss(0.8, 0.7), 0.1))}
    )
    motion = armdyn.simulate(smooth, q, duration=0.3, method=RungeKutta4(step=1e-3))
    assert abs(motion.energy.relative_drift).max() < 1e-6
    final = armdyn.ClosedLoop(smooth, method=RungeKutta4(step=1e-3))(q, [0.0] * 3, steps=300, tau=[0.0] * 3).final
    np.testing.assert_allclose(final.q, motion.q[-1], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_accelerations_and_multipliers_solve_the_stacked_equations(name):
    robot, bare, springs, q = case(name)
    rng = np.random.default_rng(len(name))
    for _ in range(3):
        qd = np.asarray(bare.close_velocities(q, rng.normal(size=bare.dof)))
        theta, thetad = q + 0.05 * rng.normal(size=bare.dof), qd + 0.3 * rng.normal(size=bare.dof)
        tau = 5.0 * rng.normal(size=bare.dof)
        qdd, multipliers, thetadd = solved(bare, springs, q, qd, theta, thetad, tau)
        found = robot.flexible_forward_dynamics(q, qd, theta, thetad, tau)
        size = max(abs(qdd).max(), abs(thetadd).max())
        np.testing.assert_allclose(found[0], qdd, rtol=0, atol=1e-12 * size)
        np.testing.assert_allclose(found[1], thetadd, rtol=0, atol=1e-12 * size)
        pushed = robot.flexible_multipliers(q, qd, theta, thetad, tau)
        np.testing.assert_allclose(pushed, multipliers, rtol=0, atol=1e-12 * max(1.0, abs(multipliers).max()))


def test_a_slide_in_a_channel_vibrates_in_closed_form():
    """Along the channel, at the angle a: w^2 = k (cos^2 a/m + 1/B), m being the mass that moves along it."""
    slope, k = 0.6, 80.0
    robot = slide_in_a_channel(slope).with_actuators(
        {"joint_of_cart": Actuator(Motor(INERTIA), Gear(RATIO), spring=Spring(k))}
    )
    mass = 3.5 * np.cos(slope) ** 2 + 1.5 * np.sin(slope) ** 2
    w = np.sqrt(k * (np.cos(slope) ** 2 / mass + 1.0 / B))
    motion = armdyn.simulate(
        robot, [0.0, 0.0], elements=[Start(theta=[0.1, 0.0])], duration=2.0, method=Adaptive(rtol=1e-12, atol=1e-14)
    )
    bending = motion.signals["theta"][:, 0] - motion.q[:, 0]
    np.testing.assert_allclose(bending, 0.1 * np.cos(w * motion.t), rtol=0, atol=1e-10)
    np.testing.assert_allclose(motion.q[:, 1], np.tan(slope) * motion.q[:, 0], rtol=0, atol=1e-12)
    force = motion.constraint_forces(robot)
    pushed = -1.5 * np.tan(slope) * np.cos(slope) ** 2 / mass * k * bending  # A^T lambda = -m qdd of the head
    np.testing.assert_allclose(force.joint_forces[:, 1], pushed, rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", ["adaptive", "rk4"])
def test_a_motion_is_that_of_the_stacked_equations(method):
    robot, bare, springs, q = case("four-bar")
    tau, n, places = np.array([3.0, -1.0, 0.5]), 3, [0, 2]

    def rates(t, y):
        qd = y[5:8]
        theta, thetad = y[:n].copy(), qd.copy()
        theta[places], thetad[places] = y[3:5], y[8:]
        qdd, _, thetadd = solved(bare, springs, y[:n], qd, theta, thetad, tau)
        return np.concatenate([qd, y[8:], qdd, thetadd[places]])

    start = np.concatenate([q, q[places], np.zeros(5)])
    exact = solve_ivp(rates, (0.0, 0.3), start, method="DOP853", rtol=1e-11, atol=1e-13).y[:, -1]
    chosen = Adaptive(rtol=1e-11, atol=1e-13) if method == "adaptive" else RungeKutta4(step=5e-4)
    for project in (False, True):
        motion = armdyn.simulate(
            robot, q, duration=0.3, torque=tau, method=chosen, elements=[Constraints(project=project)]
        )
        np.testing.assert_allclose(motion.q[-1], exact[:n], rtol=0, atol=1e-8)
        np.testing.assert_allclose(motion.signals["theta"][-1, places], exact[3:5], rtol=0, atol=1e-8)
        assert abs(motion.energy.relative_drift).max() < 1e-9
        assert abs(robot.constraint_error(motion.q)).max() < (1e-14 if project else 1e-9)


def test_stiff_springs_tend_to_the_rigid_mechanism():
    bare, _, near = CASES["four-bar"]
    q, tau = np.asarray(bare.close_loop(near)), [3.0, 0.0, 0.0]
    rigid = sprung(bare, {}).with_actuators({bare.joint_names[0]: Actuator(Motor(INERTIA), Gear(RATIO))})
    exact = armdyn.simulate(rigid, q, duration=0.2, torque=tau, method=Adaptive(rtol=1e-11, atol=1e-13)).q[-1]
    errors = []
    for k in (1e4, 1e5):
        x = 3.0 / k  # a spring that carries the motor's force begins bent, and does not ring
        robot = sprung(bare, {0: (k, 0.0, 0.3 * np.sqrt(k))})
        motion = armdyn.simulate(
            robot,
            q,
            elements=[Start(theta=[q[0] + x, *q[1:]])],
            duration=0.2,
            torque=tau,
            method=Adaptive(rtol=1e-10, atol=1e-12),
        )
        errors.append(abs(motion.q[-1] - exact).max())
    assert 6.0 < errors[0] / errors[1] < 14.0
    assert errors[1] < 1e-4


def test_a_rotor_sticks_and_slips_within_constraints():
    """Both methods see the same events; the account closes. Held below breakaway the rotor does not move at all."""
    bare, springs, near = CASES["four-bar"]
    q = np.asarray(bare.close_loop(near))
    robot = sprung(bare, {k: (s, c, 1.0) for k, (s, c, _) in springs.items()}, Coulomb(4.0))
    crank = f"{bare.joint_names[0]} rotor"
    push = lambda t, q, qd: [12.0 * np.sin(9.0 * t), 0.0, 0.0]  # noqa: E731
    motion = armdyn.simulate(robot, q, duration=0.5, torque=push, method=Adaptive(rtol=1e-11, atol=1e-13))
    by_steps = armdyn.simulate(robot, q, duration=0.5, torque=push, method=RungeKutta4(step=4e-3))
    first, second = ([one for one in run.events if one.name == crank] for run in (motion, by_steps))
    assert {one.kind for one in first} >= {"slip", "stick"}
    assert [one.kind for one in first] == [one.kind for one in second]
    np.testing.assert_allclose([one.t for one in first], [one.t for one in second], rtol=0, atol=1e-4)
    np.testing.assert_allclose(by_steps.q[-1], motion.q[-1], rtol=0, atol=1e-4)
    assert abs(motion.energy.relative_drift).max() < 1e-7
    assert abs(robot.constraint_error(motion.q)).max() < 1e-7
    held = armdyn.simulate(robot, q, duration=0.1)
    assert not [one for one in held.events if one.name == crank and one.t < 0.01]
    theta = held.signals["theta"][:, 0]
    until = next((one.t for one in held.events if one.name == crank), held.t[-1])
    assert (theta[held.t < until] == q[0]).all()


@pytest.mark.slow
def test_contacts_losses_and_bristles_beside_springs_and_constraints():
    q = np.asarray(arm_on_a_line().close_loop(CASES["arm on a line"][2]))
    robot = sprung(arm_on_a_line(), CASES["arm on a line"][1])
    names = robot.joint_names
    floor = Contact(PointOnPlane("tool0", (0, 0, 1), (0, 0, -0.2), name="floor"), restitution=0.3)
    falls = armdyn.simulate(robot, q, duration=0.9, elements=[floor])
    kinds = [one.kind for one in falls.events]
    assert kinds.count("impact") > 8
    assert "rest" in kinds
    assert abs(falls.energy.relative_drift).max() < 1e-7
    lossy = robot.with_actuators({names[1]: Actuator(Motor(INERTIA), Gear(RATIO, efficiency=0.8))})
    bristles = LuGre(1e3, 30.0, 0.1, static=3.0, kinetic=2.0, speed=0.1)
    rubbing = Actuator(Motor(INERTIA), Gear(RATIO), [bristles], spring=Spring(300.0))
    for one in (lossy, robot.with_actuators({names[0]: rubbing})):
        motion = armdyn.simulate(one, q, duration=0.2, elements=[Constraints(project=True)])
        assert abs(motion.energy.relative_drift).max() < 1e-6
        assert abs(one.constraint_error(motion.q)).max() < 1e-12


@pytest.mark.parametrize("project", [False, True])
def test_a_closed_loop_takes_the_steps_of_a_simulation(project):
    robot, _, _, q = case("four-bar")
    loop = armdyn.ClosedLoop(robot, method=RungeKutta4(2e-3), elements=[Constraints(project=project)])
    rolled = loop(q, steps=100, tau=[2.0, 0.0, 0.0])
    motion = armdyn.simulate(
        robot,
        q,
        duration=0.2,
        torque=[2.0, 0.0, 0.0],
        method=RungeKutta4(step=2e-3),
        elements=[Constraints(project=project)],
    )
    np.testing.assert_allclose(rolled.final.q, motion.q[-1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(rolled.final.theta, motion.signals["theta"][-1], rtol=0, atol=1e-12)
    if project:
        assert abs(robot.constraint_error(rolled.rows.q)).max() < 1e-14


def test_where_the_constraints_have_lost_rank_the_others_hold():
    twice = slide_in_a_channel().with_constraints(
        PointOnPlane("head", (-np.sin(0.6), np.cos(0.6), 0), (0, 0, 0), name="2")
    )
    robot = sprung(twice, {0: (80.0, 0.0, 0.0)})
    with pytest.raises(armdyn.constraints.RedundantConstraints):
        armdyn.simulate(robot, [0.0, 0.0], duration=0.1, elements=[Constraints(redundant="error")])
    found = armdyn.simulate(robot, [0.0, 0.0], duration=0.1)  # without the second
    once = armdyn.simulate(sprung(slide_in_a_channel(), {0: (80.0, 0.0, 0.0)}), [0.0, 0.0], duration=0.1)
    np.testing.assert_allclose(found.q, once.q, atol=1e-12)
    assert "rows of constraints that follow from others are left out: 2" in found.notes


def test_a_gap_that_opens_tangentially_is_not_hit_by_rounding():
    gap, rate = (lambda t: -1e-16 * t + t**3), (lambda t: -1e-16 + 3.0 * t**2)
    times = np.linspace(0.0, 0.01, 5)
    assert closes(gap, rate, times, starts=True) is None
    deep, fast = (lambda t: -1e-3 * t + t**2), (lambda t: -1e-3 + 2.0 * t)
    assert closes(deep, fast, times, starts=True) is not None


def test_what_is_not_solved_is_named():
    robot, _, _, q = case("four-bar")
    zero = np.zeros(3)
    with pytest.raises(Unsupported, match=r"flexible_inverse_dynamics of .* would leave out its constraints"):
        robot.flexible_inverse_dynamics(q, zero, zero, zero, zero)

    @armdyn.function("(n)->(n)")
    def holding(model, q):
        return flexible_inverse_dynamics(model, q, zero, zero, zero, zero).tau

    with pytest.raises(Unsupported, match=r"flexible joints and constraints .*, and flexible_inverse_dynamics"):
        robot.compile(holding)(q)
    with pytest.raises(SettingError, match=r"Constraints\(redundant='least_squares'\) is not for arms"):
        armdyn.simulate(robot, q, duration=0.1, elements=[Constraints(redundant="least_squares")])
    with pytest.raises(armdyn.ModelError, match="has no constraints"):
        robot.without_constraints().flexible_multipliers(q, zero, q, zero, zero)
    armdyn.simulate(robot, q, duration=0.01, method=ConstantAcceleration(1e-3))
    with pytest.raises((SimulationError, armdyn.ArmdynError)):
        armdyn.simulate(robot, q + 0.1, duration=0.1)
