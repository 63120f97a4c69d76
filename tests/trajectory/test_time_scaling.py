"""The fastest way through a path within torque, velocity and acceleration limits."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, linprog
from tests.oracles.robot_data import ROBOTS

import armdyn
from armdyn.actuators import (
    Actuator,
    Coulomb,
    Gear,
    GearLoss,
    LuGre,
    Motor,
    Quadratic,
    ServoFriction,
    Smooth,
    Spring,
    Stribeck,
    Viscous,
)
from armdyn.trajectory import (
    ByLength,
    ConstantVelocity,
    Cubic,
    MotionError,
    Nonic,
    Quintic,
    cubic_spline,
    fastest_along,
    point_to_point,
)
from armdyn.trajectory.reachability import IntervalRows, Unreachable, greatest_squares


def two_masses(gravity: float = 0.0) -> armdyn.Robot:
    """A slide of 2 kg along x that carries one of 3 kg along y: two double integrators."""
    from armdyn.model import Inertia
    from armdyn.model.assembly import assemble
    from armdyn.model.parts import JointPart, LinkPart
    from armdyn.model.selection import Selection

    links = [LinkPart("base"), LinkPart("a", Inertia(2.0)), LinkPart("b", Inertia(3.0))]
    joints = [
        JointPart("x", "prismatic", "base", "a", np.eye(4), np.array([1.0, 0, 0])),
        JointPart("y", "prismatic", "a", "b", np.eye(4), np.array([0, 1.0, 0])),
    ]
    return armdyn.Robot(assemble("masses", links, joints, Selection(tip="b", gravity=[0.0, -gravity, 0.0])))


def test_a_double_integrator_takes_the_time_of_the_closed_form() -> None:
    """Full force forwards, then backwards: T = 2 sqrt(m d / f); both joints move, x is the one that lasts longer."""
    path = point_to_point([0.0, 0.0], [1.2, 0.3], armdyn.trajectory.ConstantVelocity(1.0, 1.0))
    motion = fastest_along(two_masses(), path, torque=[4.0, 90.0], velocity=[99.0, 99.0])
    assert motion.duration == pytest.approx(2 * np.sqrt(5.0 * 1.2 / 4.0), rel=1e-5)


def test_gravity_and_tip_wrench_count() -> None:
    """Upwards 3 (g + a) <= 40 speeds up, 3 (a - g) <= 40 brakes, whatever else is limited."""
    path = point_to_point([0.0, 0.0], [0.0, 0.7], armdyn.trajectory.ConstantVelocity(1.0, 1.0))
    up, down = 40.0 / 3 - 10.0, 40.0 / 3 + 10.0
    peak = np.sqrt(2 * 0.7 * up * down / (up + down))
    motion = fastest_along(two_masses(10.0), path, torque=[1.0, 40.0], velocity=[99.0, 99.0])
    assert motion.duration == pytest.approx(peak / up + peak / down, rel=1e-5)
    pressed = fastest_along(
        two_masses(), path, torque=[1.0, 40.0], velocity=[99.0, 99.0], f_tip=[0, 0, 0, 0, 30.0, 0]
    )  # 30 N pushed away is weight
    assert pressed.duration == pytest.approx(motion.duration, rel=1e-9)


def test_velocity_limits_make_a_trapezoid() -> None:
    path = point_to_point([0.0, 0.0], [1.2, 0.0], armdyn.trajectory.ConstantVelocity(1.0, 1.0))
    motion = fastest_along(two_masses(), path, torque=[4.0, 1.0], velocity=[0.5, 1.0], grid=2000)
    assert motion.duration == pytest.approx(1.2 / 0.5 + 0.5 / 0.8, rel=1e-3)
    assert np.abs(motion.sampled(2001)[1].qd).max() <= 0.5 * (1 + 1e-9)


def test_ur5_keeps_its_torques_and_uses_them() -> None:
    robot = armdyn.load("ur5")
    q = np.array([[0, -1.5, 1, 0, 1, 0], [1, -1, 0.5, 0.5, 0, 1], [1.5, -2, 1.5, -0.5, -1, 2]], dtype=float)
    path = cubic_spline([0, 1, 2], q, start_velocity=q[1] - q[0], end_velocity=q[2] - q[1])
    motion = fastest_along(robot, path)
    _, states = motion.sampled(5001)
    limits = np.array([(joint.limits.effort, joint.limits.velocity) for joint in robot.joints]).T
    used = np.maximum(np.abs(robot.inverse_dynamics(*states)) / limits[0], np.abs(states.qd) / limits[1])
    assert used.max() < 1.02  # between grid points the path curves a little
    assert (used.max(axis=1) > 0.97).mean() > 0.95  # nearly always something is at its limit: no faster way
    np.testing.assert_allclose(states.q[[0, -1]], q[[0, -1]], rtol=0, atol=1e-12)
    np.testing.assert_allclose(states.qd[[0, -1]], 0.0, rtol=0, atol=1e-9)
    slower = fastest_along(robot, path, torque=limits[0] * 0.7)
    assert slower.duration > motion.duration * 1.03


def test_the_path_is_kept() -> None:
    robot = armdyn.load("ur5")
    q = np.array([[0, -1.5, 1, 0, 1, 0], [1, -1, 0.5, 0.5, 0, 1.0]])
    path = point_to_point(*q, armdyn.trajectory.ConstantVelocity(1.0, 1.0))
    motion = fastest_along(robot, path, grid=100)
    s = motion.law.evaluate(np.linspace(0, motion.duration, 77)).s
    assert (np.diff(s) > 0).all()
    times = motion.path.times(s)
    np.testing.assert_array_equal(motion.evaluate(np.linspace(0, motion.duration, 77)).q, path.evaluate(times).q)
    np.testing.assert_allclose(times, s / np.linalg.norm(q[1] - q[0]), rtol=0, atol=1e-13)


def test_an_arm_too_weak_is_told_where() -> None:
    path = point_to_point([0.0, 0.0], [0.0, 0.7], armdyn.trajectory.ConstantVelocity(1.0, 1.0))
    with pytest.raises(MotionError, match="joint 'y' of 'masses' needs 30 N m or N to hold the arm at 0% of"):
        fastest_along(two_masses(10.0), path, torque=[1.0, 29.0], velocity=[9.0, 9.0])


def test_a_path_that_rests_on_the_way_is_refused() -> None:
    path = armdyn.trajectory.rest_to_rest([[0, 0], [1, 1], [0, 1]], [Quintic(1.0, 1.0)] * 2)
    middle = armdyn.trajectory.Cubic(1.0, 1.0, start_velocity=2.0), armdyn.trajectory.Cubic(1.0, 1.0, end_velocity=2.0)
    stops = armdyn.trajectory.rest_to_rest([[0, 0], [1, 1], [0, 1]], middle)
    with pytest.raises(MotionError, match="the path itself rests at 50%"):
        fastest_along(two_masses(), stops, torque=[4.0, 9.0], velocity=[9.0, 9.0])
    with pytest.raises(MotionError, match="the path itself rests at 50%"):
        fastest_along(two_masses(), path, torque=[4.0, 9.0], velocity=[9.0, 9.0], grid=100)


def test_limits_are_needed() -> None:
    path = point_to_point([0.0, 0.0], [0.0, 0.7], Quintic(1.0, 1.0))
    with pytest.raises(MotionError, match="'masses' has no torque limit; give torque="):
        fastest_along(two_masses(), path)
    with pytest.raises(MotionError, match="expected limits above zero"):
        fastest_along(two_masses(), path, torque=[1.0, 0.0])
    with pytest.raises(armdyn.ShapeError, match="the path has 2 joints, 'ur5' has 6"):
        fastest_along(armdyn.load("ur5"), path)


# ---- friction


def slide(*laws: armdyn.actuators.FrictionLaw, gear: Gear | None = None, rotor: float = 0.0) -> armdyn.Robot:
    """A mass of 2 kg on a level rail, with friction and a geared motor."""
    from armdyn.model import Inertia
    from armdyn.model.assembly import assemble
    from armdyn.model.parts import JointPart, LinkPart
    from armdyn.model.selection import Selection

    joint = JointPart("x", "prismatic", "base", "a", np.eye(4), np.array([1.0, 0, 0]))
    robot = armdyn.Robot(
        assemble("slide", [LinkPart("base"), LinkPart("a", Inertia(2.0))], [joint], Selection(tip="a"))
    )
    motor = Motor(rotor_inertia=rotor) if gear else None
    return robot.with_actuators({"x": Actuator(motor=motor, gear=gear, friction=list(laws) or None)})


FORCE, WAY, MASS = 8.0, 1.5, 2.0
STRAIGHT = point_to_point([0.0], [WAY], ConstantVelocity(1.0, 1.0))


def bang_bang(forwards: float, backwards: float, c: float = 0.0) -> float:
    """Least time over WAY from rest to rest with v' = forwards - c v, then v' = -backwards - c v, in closed form."""
    if not c:
        return float(np.sqrt(2 * WAY * (1 / forwards + 1 / backwards)))

    def stop(v: float) -> tuple[float, float]:
        t = np.log1p(c * v / backwards) / c
        return t, v / c - backwards / c * t

    def start(t: float) -> tuple[float, float]:
        v = forwards / c * -np.expm1(-c * t)
        return v, (forwards * t - v) / c

    t = brentq(lambda t: start(t)[1] + stop(start(t)[0])[1] - WAY, 0.0, 100.0, xtol=1e-14)
    return t + stop(start(t)[0])[0]


G, ROTOR = 40.0, 5e-4
J = G**2 * ROTOR


@pytest.mark.parametrize(
    ("robot", "duration"),
    [
        (slide(Coulomb(3.0)), bang_bang((FORCE - 3) / MASS, (FORCE + 3) / MASS)),
        (slide(Viscous(4.0)), bang_bang(FORCE / MASS, FORCE / MASS, 4.0 / MASS)),
        (slide(Viscous(4.0), Coulomb(3.0)), bang_bang((FORCE - 3) / MASS, (FORCE + 3) / MASS, 4.0 / MASS)),
        (slide(Viscous(90.0)), bang_bang(FORCE / MASS, FORCE / MASS, 90.0 / MASS)),  # at its greatest speed all the way
        (
            slide(gear=Gear(G, efficiency=0.6, back_efficiency=0.3), rotor=ROTOR),
            bang_bang(FORCE / (J + MASS / 0.6), FORCE / (J + 0.3 * MASS)),
        ),
    ],
    ids=["Coulomb", "viscous", "both", "oil", "gear"],
)
def test_friction_has_the_time_of_the_closed_form(robot: armdyn.Robot, duration: float) -> None:
    """Full force forwards, then full force backwards: friction takes from the one and adds to the other."""
    motion = fastest_along(robot, STRAIGHT, torque=FORCE)
    assert duration < motion.duration < 1.0015 * duration  # never faster; nothing given away but for the grid
    assert duration < fastest_along(robot, STRAIGHT, torque=FORCE, grid=2000).duration < 1.0004 * duration


def two_joints_by_integration(robot: armdyn.Robot, path: ByLength, limit: np.ndarray) -> float:
    """Least time by the two curves of the phase plane, from the start and back from the end, which meet once."""

    def accelerations(s: float, v: float) -> tuple[float, float]:
        q, dq, ddq = path.evaluate(min(max(s, 0.0), path.duration))
        tau, more = (robot.inverse_dynamics(q, dq * max(v, 1e-9), ddq * v * v + dq * u) for u in (0.0, 1.0))
        bounds = np.sort([(limit - tau) / (more - tau), (-limit - tau) / (more - tau)], axis=0)
        return bounds[0].max(), bounds[1].min()

    def curve(sign: int) -> Callable[[float], tuple[float, float]]:
        start = [0.0 if sign > 0 else path.duration, 0.0]
        which = 1 if sign > 0 else 0
        rate = lambda t, y: [sign * y[1], sign * accelerations(y[0], y[1])[which]]  # noqa: E731
        end = lambda t, y: (path.duration - y[0] if sign > 0 else y[0]) - 0.05 * path.duration  # noqa: E731
        end.terminal = True
        run = solve_ivp(rate, (0.0, 5.0), start, rtol=1e-9, atol=1e-11, events=end, dense_output=True)

        def at(s: float) -> tuple[float, float]:
            t = brentq(lambda t: run.sol(t)[0] - s, 0.0, run.t[-1], xtol=1e-13)
            return t, run.sol(t)[1]

        return at

    forwards, backwards = curve(1), curve(-1)
    s = brentq(lambda s: forwards(s)[1] - backwards(s)[1], 0.06 * path.duration, 0.94 * path.duration, xtol=1e-12)
    return forwards(s)[0] + backwards(s)[0]


def test_two_joints_take_the_time_of_the_phase_plane() -> None:
    robot = armdyn.load("planar_2r").with_friction({"joint_1": (1.5, 3.0), "joint_2": (0.7, 1.0)})
    path = point_to_point([-1.2, 0.4], [-0.2, 1.1], Quintic(1.0, 1.0))
    limit = 1.6 * np.abs(robot.gravity_forces(path.sampled(50)[1].q)).max(axis=0) + 5.0
    duration = two_joints_by_integration(robot, ByLength(path), limit)
    limits = {"torque": limit, "velocity": 1e6}
    assert duration < fastest_along(robot, path, **limits).duration < 1.001 * duration
    assert duration < fastest_along(robot, path, **limits, grid=2000).duration < 1.0002 * duration


def panda() -> armdyn.Robot:
    locked = {"panda_finger_joint1": 0.0, "panda_finger_joint2": 0.0}
    return armdyn.load(ROBOTS / "panda_description/urdf/panda.urdf", locked=locked)


def laws(kind: str, limit: float) -> Actuator:
    """Friction of about a fifth of a limit."""
    dry = 0.1 * limit
    if kind == "gear":
        gear = Gear(50.0, efficiency=0.75, back_efficiency=0.6)
        return Actuator(Motor(rotor_inertia=2e-6 * limit), gear, friction=[Coulomb(0.5 * dry), Viscous(0.05 * limit)])
    friction = {
        "viscous": [Viscous(0.1 * limit), Coulomb(dry)],
        "Stribeck": [Stribeck(dry, 0.5 * dry, 0.1), Viscous(0.05 * limit)],
        "quadratic": [Quadratic(0.03 * limit), Coulomb(dry)],
        "smooth": [Smooth(Coulomb(dry), 0.05), Viscous(0.05 * limit)],
        "load": [GearLoss(0.8, 0.7), Viscous(0.05 * limit)],
    }
    return Actuator(friction=friction[kind])


@pytest.mark.short_run("scara-gear", "planar_3r-Stribeck")
@pytest.mark.parametrize("kind", ["viscous", "Stribeck", "quadratic", "smooth", "load", "gear"])
@pytest.mark.parametrize("name", ["ur5", "panda", "puma560", "stanford", "scara", "planar_3r"])
def test_limits_hold_between_the_places_whatever_the_friction_and_the_timing(name: str, kind: str) -> None:
    robot = panda() if name == "panda" else armdyn.load(name)
    rng = np.random.default_rng(3)
    path = cubic_spline([0.0, 1.0, 2.2, 3.0], 0.3 + 0.8 * rng.standard_normal((4, robot.dof)))
    forces = np.abs(robot.inverse_dynamics(*path.sampled(200)[1])).max(axis=0)
    limit = 2.5 * forces + 0.1 * forces.max()
    robot = robot.with_actuators(
        {joint: laws(kind, size) for joint, size in zip(robot.joint_names, limit, strict=True)}
    )
    limits = {"torque": limit, "velocity": np.full(robot.dof, 4.0), "acceleration": np.full(robot.dof, 60.0)}
    motion = fastest_along(robot, path, **limits)
    _, states = motion.sampled(20001)
    used = np.stack([robot.inverse_dynamics(*states) / limit, states.qd / 4.0, states.qdd / 60.0])
    used = np.abs(used).max(axis=2)
    assert used.max() <= 1.0005
    assert (used.max(axis=0) > 0.98).mean() > 0.7  # nearly always something is at its limit: no faster way
    assert motion.notes == ()
    np.testing.assert_allclose([part.max() for part in motion.used], used.max(axis=1), rtol=2e-3)
    again = fastest_along(robot, path.along(Cubic(3.0, 1.0, start_velocity=3.0, end_velocity=1.0)), **limits)
    assert again.duration == pytest.approx(motion.duration, rel=1e-6)


@pytest.mark.parametrize(
    "law",
    [LuGre(1e4, 10.0, 0.5, static=3.0, kinetic=2.0, speed=0.1), ServoFriction(coulomb=0.5, motor=0.1, external=0.2)],
)
def test_laws_with_states_and_servos_keep_their_limits(law: armdyn.actuators.FrictionLaw) -> None:
    robot = slide(law)
    motion = fastest_along(robot, STRAIGHT, torque=FORCE)
    _, states = motion.sampled(20001)
    assert 0.999 < np.abs(robot.inverse_dynamics(*states)).max() / FORCE <= 1.0005


@pytest.mark.parametrize("law", [Quintic(1.0, 4.0), Nonic(1.0, 0.1), Cubic(1.0, 1.0), ConstantVelocity(1.0, 77.0)])
def test_any_timing_of_a_line_gives_one_motion(law: armdyn.trajectory.MotionLaw) -> None:
    robot = armdyn.load("planar_2r").with_friction({"joint_1": (1.0, 2.0), "joint_2": (0.3, 0.5)})
    ends = [0.2, -0.5], [1.1, 0.6]
    one, other = (
        fastest_along(robot, point_to_point(*ends, by), torque=60.0) for by in (law, ConstantVelocity(1.0, 1.0))
    )
    assert one.duration == pytest.approx(other.duration, rel=1e-7)
    t = np.linspace(0.0, 0.999, 50) * one.duration
    np.testing.assert_allclose(one.evaluate(t).qd, other.evaluate(t).qd, rtol=0, atol=1e-6)


def test_accelerations_make_a_trapezoid() -> None:
    path = point_to_point([0.0, 0.0], [1.2, 0.3], Quintic(1.0, 1.0))
    motion = fastest_along(two_masses(), path, velocity=[0.5, 9.0], acceleration=[0.8, 9.0])
    assert motion.duration == pytest.approx(1.2 / 0.5 + 0.5 / 0.8, rel=1e-4)
    _, states = motion.sampled(20001)
    assert np.abs(states.qdd).max() <= 0.8 * (1 + 1e-6)
    assert np.abs(states.qd).max() <= 0.5 * (1 + 1e-6)
    assert motion.used.torque.max() == 0.0  # no limit
    np.testing.assert_allclose(motion.used.acceleration, [1.0, 0.2 / 9.0], rtol=1e-6)


def test_motions_that_nothing_bounds_are_refused() -> None:
    path = point_to_point([0.0, 0.0], [0.0, 0.7], Quintic(1.0, 1.0))
    limited = two_masses().with_limits({"x": armdyn.Limits(effort=5.0)})
    with pytest.raises(MotionError, match=r"no limit of 'masses' bounds the acceleration at 0% of the path"):
        fastest_along(limited, path)
    still = point_to_point([0.1, 0.2], [0.1, 0.2], Quintic(1.0, 1.0))
    with pytest.raises(MotionError, match="the path goes nowhere"):
        fastest_along(two_masses(), still, acceleration=1.0)


def test_motors_that_follow_more_than_the_path_are_refused() -> None:
    sprung = armdyn.load("planar_2r").with_actuators(
        {"joint_2": Actuator(Motor(rotor_inertia=0.1), spring=Spring(100.0))}
    )
    path = point_to_point([0.0, 0.0], [0.0, 0.7], Quintic(1.0, 1.0))
    with pytest.raises(armdyn.Unsupported, match="flexible joints follow jerks and snaps"):
        fastest_along(sprung, path, torque=100.0)


# ---- beside other solvers


def test_linear_programs_are_those_of_another_solver() -> None:
    """One interval after another by SciPy's linear programs: the greatest speeds from which the end is reached."""
    rng = np.random.default_rng(8)
    places = np.cumsum(np.concatenate([[0.0], rng.uniform(0.5, 1.5, 12)]))
    by_acceleration, by_square = rng.standard_normal((2, 12, 20))
    rows = IntervalRows(by_acceleration, 0.3 * by_square, rng.uniform(1.0, 3.0, (12, 20)))
    x = greatest_squares(places, rows, 1.0)
    least, most = 0.0, 0.0
    reach = [(0.0, 0.0)]
    for i in reversed(range(12)):
        step = 2.0 * (places[i + 1] - places[i])
        A = np.vstack([np.stack([rows.by_acceleration[i], rows.by_square[i]], axis=1), [[step, 1.0], [-step, -1.0]]])
        b = np.concatenate([rows.rest[i], [most, -least]])
        ends = [linprog([0.0, sign], A_ub=A, b_ub=b, bounds=[(None, None), (0.0, None)]) for sign in (1.0, -1.0)]
        least, most = (end.x[1] for end in ends)
        reach.append((least, most))
    reach.reverse()
    expected = [0.0]
    for i in range(12):
        step = 2.0 * (places[i + 1] - places[i])
        u = linprog(
            [-1.0],
            A_ub=rows.by_acceleration[i][:, None],
            b_ub=rows.rest[i] - rows.by_square[i] * expected[-1],
            bounds=[(None, None)],
        ).x[0]
        expected.append(min(expected[-1] + step * u, reach[i + 1][1]))
    np.testing.assert_allclose(x, expected, rtol=1e-9, atol=1e-12)


def test_rows_that_no_motion_keeps_name_the_place() -> None:
    rows = IntervalRows(
        np.zeros((3, 1)), np.array([[1.0], [-1.0], [1.0]]), np.array([[2.0], [-1.0], [0.5]])
    )  # 1 <= x, x <= 0.5
    with pytest.raises(Unreachable) as raised:
        greatest_squares(
            np.arange(4.0),
            IntervalRows.together(
                rows,
                IntervalRows(np.ones((3, 1)), np.zeros((3, 1)), np.ones((3, 1))),
                IntervalRows(-np.ones((3, 1)), np.zeros((3, 1)), np.full((3, 1), 0.1)),
            ),
            1.0,
        )
    assert raised.value.place == 1


def test_without_friction_it_is_as_fast_as_toppra() -> None:
    """The library by the authors of the method, on a grid so fine that its violations between places are small."""
    toppra = pytest.importorskip("toppra")
    pytest.importorskip("toppra.algorithm")
    pytest.importorskip("toppra.constraint")
    rng = np.random.default_rng(5)
    knots = rng.uniform(-1.0, 1.0, (4, 6))
    path = cubic_spline([0, 1, 2, 3], knots, start_velocity=knots[1] - knots[0], end_velocity=knots[3] - knots[2])
    times = np.linspace(0.0, 3.0, 2001)
    peer = toppra.SplineInterpolator([0, 1, 2, 3], knots, bc_type=((1, knots[1] - knots[0]), (1, knots[3] - knots[2])))
    limits = np.stack([-np.ones(6), np.ones(6)], axis=1)
    constraints = [
        toppra.constraint.JointVelocityConstraint(2.0 * limits),
        toppra.constraint.JointAccelerationConstraint(
            5.0 * limits, discretization_scheme=toppra.constraint.DiscretizationType.Interpolation
        ),
    ]
    solver = toppra.algorithm.TOPPRA(constraints, peer, gridpoints=times, solver_wrapper="seidel")
    sd = solver.compute_parameterization(0.0, 0.0)[1]
    duration = (2.0 * np.diff(times) / (sd[1:] + sd[:-1])).sum()
    robot = armdyn.load("ur5")
    motion = fastest_along(robot, path, torque=1e6, velocity=2.0, acceleration=5.0, grid=2000)
    assert motion.duration == pytest.approx(duration, rel=5e-4)
