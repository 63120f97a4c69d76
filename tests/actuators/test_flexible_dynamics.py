"""Flexible joints: against MuJoCo with rotors as bodies, the stiff arm, energies, and the inverse of themselves."""

import mujoco
import numpy as np
import pytest

import armdyn
from armdyn import DTypeError, ModelError, Robot, TraceError, Unsupported
from armdyn.actuators import Actuator, Coulomb, Gear, Motor, Rotor, Spring, Viscous, flexible_motion
from oracles.cases import CASES
from oracles.flexible import flexible, springs_for, with_rotors
from oracles.short_run import each_once
from oracles.states import assert_close, random_states
from oracles.trees import known_tree, to_mjcf

COUNT = 5
TREE = CASES["random_tree"]().robot
"""With slides and branches."""

ROBOTS = {"ur5": armdyn.load("ur5"), "tree": TREE}


def near(q: np.ndarray, size: float, seed: int) -> np.ndarray:
    """Positions of rotors close to those of the links."""
    return q + np.random.default_rng(seed).normal(0.0, size, q.shape)


@pytest.mark.parametrize("damped", [False, True])
def test_forward_dynamics_is_mujocos_with_rotors_as_bodies(damped: bool) -> None:
    robot = flexible(TREE, springs_for(TREE, 21, damped=damped, stiffening=False))
    model = mujoco.MjModel.from_xml_string(with_rotors(to_mjcf(known_tree("random_tree")), robot))
    model.opt.gravity[:] = robot.model.gravity
    data, s = mujoco.MjData(model), random_states(robot.dof, COUNT, seed=22)
    theta, thetad = near(s.q, 0.05, 23), near(s.qd, 0.5, 24)
    of_links = [model.joint(name).id for name in robot.joint_names]
    flex = [k for k, joint in enumerate(robot.joints) if joint.has_spring]
    of_rotors = [model.joint(f"rotor of {robot.joint_names[k]}").id for k in flex]
    places, rotors = model.jnt_qposadr[of_links], model.jnt_qposadr[of_rotors]
    motors = places.copy()
    motors[flex] = rotors
    qdd, thetadd = robot.flexible_forward_dynamics(s.q, s.qd, theta, thetad, s.tau)
    for k in range(COUNT):
        data.qpos[places], data.qpos[rotors] = s.q[k], theta[k, flex]
        data.qvel[places], data.qvel[rotors] = s.qd[k], thetad[k, flex]
        data.qfrc_applied[:] = 0.0
        data.qfrc_applied[motors] = s.tau[k]
        mujoco.mj_forward(model, data)
        assert_close(qdd[k], data.qacc[places], 1e-9)
        assert_close(thetadd[k], data.qacc[motors], 1e-9)


@pytest.mark.short_run("tree-True")
@pytest.mark.parametrize(("name", "damped"), each_once(ROBOTS, [False, True]))
def test_inverse_then_forward(name: str, damped: bool) -> None:
    bare = ROBOTS[name]
    springs = springs_for(bare, 31, damped=damped)
    robot = flexible(bare, springs, Viscous(0.7), Coulomb(1.1))
    q, qd, qdd, jerk, snap, x = 0.7 * np.random.default_rng(32).normal(size=(6, COUNT, robot.dof))
    found = robot.flexible_inverse_dynamics(q, qd, qdd, jerk, snap, *([0.05 * x] if damped else []))
    links, rotors = robot.flexible_forward_dynamics(q, qd, found.theta, found.thetad, found.tau)
    inertia, stiffness = robot.without_springs().mass_matrix(q), max(s.stiffness for s in springs.values() if s)
    # q and theta are known to rounding, which the springs make forces of: compare forces
    forces = np.einsum("kij,kj->ki", inertia, links - qdd)
    assert abs(forces).max() < 1e-14 * stiffness * max(1.0, abs(found.theta).max())
    assert_close(links, qdd, 1e-11)
    assert_close(rotors, found.thetadd, 1e-11)
    rigid = [k for k, spring in enumerate(springs.values()) if spring is None]
    np.testing.assert_array_equal(found.theta[:, rigid], q[:, rigid])
    np.testing.assert_array_equal(rotors[:, rigid], links[:, rigid])


@pytest.mark.parametrize("cubic", [0.0, 4e4])
def test_rates_of_the_rotors_are_those_over_time(cubic: float) -> None:
    """Jerk and snap are taken exactly: central differences of theta along a motion give its rates."""
    spring = Spring(700.0, cubic=cubic)
    robot = flexible(armdyn.load("planar_2r"), {"joint_1": spring, "joint_2": spring}, Viscous(0.2))
    a, b = np.array([0.9, -1.3]), np.array([1.7, 2.3])

    def motion(t: float) -> tuple[np.ndarray, ...]:
        p = b * t
        return a * np.sin(p), a * b * np.cos(p), -a * b**2 * np.sin(p), -a * b**3 * np.cos(p), a * b**4 * np.sin(p)

    def theta(t: float) -> np.ndarray:
        return np.asarray(robot.flexible_inverse_dynamics(*motion(t)).theta)

    h, t = 2e-3, 0.4
    found = robot.flexible_inverse_dynamics(*motion(t))
    thetad = (8.0 * (theta(t + h) - theta(t - h)) - (theta(t + 2 * h) - theta(t - 2 * h))) / (12.0 * h)
    sides = 16.0 * (theta(t + h) + theta(t - h)) - (theta(t + 2 * h) + theta(t - 2 * h))
    np.testing.assert_allclose(found.thetad, thetad, rtol=1e-9)
    np.testing.assert_allclose(found.thetadd, (sides - 30.0 * theta(t)) / (12.0 * h * h), rtol=1e-7)


@pytest.mark.slow
def test_a_wrench_that_changes_counts_with_its_rates() -> None:
    """Central differences of theta while the tip pushes with a changing wrench; forward dynamics gives the motion."""
    bare = ROBOTS["ur5"]
    robot = flexible(bare, springs_for(bare, 71), Viscous(0.2))
    rng = np.random.default_rng(72)
    a, b, c = rng.normal(size=6), rng.uniform(0.5, 2.0, 6), rng.normal(0.0, 9.0, (3, 6))
    f_ext = rng.normal(0.0, 5.0, (len(robot.link_names), 6))

    def motion(t: float) -> tuple[np.ndarray, ...]:
        p = b * t
        return a * np.sin(p), a * b * np.cos(p), -a * b**2 * np.sin(p), -a * b**3 * np.cos(p), a * b**4 * np.sin(p)

    def wrench(t: float) -> dict[str, np.ndarray]:
        f, rate = c[0] + c[1] * np.sin(3.0 * t + c[2]), 3.0 * c[1] * np.cos(3.0 * t + c[2])
        second = -9.0 * c[1] * np.sin(3.0 * t + c[2])
        return {"f_tip": f, "f_tip_rate": rate, "f_tip_second_rate": second, "f_ext": f_ext}

    def theta(t: float) -> np.ndarray:
        return np.asarray(robot.flexible_inverse_dynamics(*motion(t), **wrench(t)).theta)

    h, t = 4e-3, 0.4
    found = robot.flexible_inverse_dynamics(*motion(t), **wrench(t))
    thetad = (8.0 * (theta(t + h) - theta(t - h)) - (theta(t + 2 * h) - theta(t - 2 * h))) / (12.0 * h)
    sides = 16.0 * (theta(t + h) + theta(t - h)) - (theta(t + 2 * h) + theta(t - 2 * h))
    thetadd = (sides - 30.0 * theta(t)) / (12.0 * h * h)
    np.testing.assert_allclose(found.thetad, thetad, rtol=0.0, atol=2e-8 * abs(thetad).max())
    np.testing.assert_allclose(found.thetadd, thetadd, rtol=0.0, atol=2e-7 * abs(thetadd).max())
    q, qd, qdd = motion(t)[:3]
    links, rotors = robot.flexible_forward_dynamics(
        q, qd, found.theta, found.thetad, found.tau, wrench(t)["f_tip"], f_ext
    )
    assert_close(links[None], qdd[None], 1e-9)
    assert_close(rotors[None], found.thetadd[None], 1e-9)
    held = robot.flexible_inverse_dynamics(*motion(t), f_tip=wrench(t)["f_tip"], f_ext=f_ext)
    assert abs(held.theta - found.theta).max() == 0.0
    assert abs(held.thetad - found.thetad).max() > 1e-4
    rigid = robot.without_springs().inverse_dynamics(q, qd, qdd, f_tip=wrench(t)["f_tip"], f_ext=f_ext)
    stiff = [k for k, joint in enumerate(robot.joints) if not joint.has_spring]
    assert_close(found.tau[None, stiff], rigid[None, stiff], 1e-11)


def test_stiff_springs_tend_to_the_rigid_arm() -> None:
    """The torques differ by 1/k: ten times stiffer, ten times closer."""
    bare = armdyn.load("stanford")
    q, qd, qdd, jerk, snap = np.random.default_rng(41).normal(size=(5, COUNT, bare.dof))
    errors = []
    for soft in (1e3, 1e4):
        robot = flexible(bare, springs_for(bare, 42, soft=soft), Viscous(0.3))
        tau = robot.flexible_inverse_dynamics(q, qd, qdd, jerk, snap).tau
        errors.append(abs(tau - robot.inverse_dynamics(q, qd, qdd)).max())
    assert errors[0] < 0.1
    assert errors[0] / errors[1] == pytest.approx(10.0, rel=0.02)


def test_without_springs_it_is_the_stiff_arm() -> None:
    bare = ROBOTS["ur5"]
    drives = dict.fromkeys(bare.joint_names, Actuator(Motor(2e-5), Gear(100.0), Viscous(0.5)))
    robot, s = bare.with_actuators(drives), random_states(6, COUNT, seed=51)
    qdd, thetadd = robot.flexible_forward_dynamics(s.q, s.qd, s.q, s.qd, s.tau, s.f_tip)
    assert_close(qdd, robot.forward_dynamics(s.q, s.qd, s.tau, s.f_tip), 0.0)
    assert_close(thetadd, qdd, 0.0)
    springs = springs_for(bare, 52)
    assert flexible(bare, springs).without_springs() == flexible(bare, dict.fromkeys(springs))
    assert flexible(bare, springs) != flexible(bare, dict.fromkeys(springs))
    felt = bare.with_armature({"elbow_joint": 0.2})
    assert felt.with_actuators({"elbow_joint": Actuator(spring=Spring(900.0))}).without_springs() == felt
    assert_close(  # what is not called flexible takes the arm as stiff
        flexible(bare, springs).inverse_dynamics(s.q, s.qd, s.qdd),
        flexible(bare, dict.fromkeys(springs)).inverse_dynamics(s.q, s.qd, s.qdd),
        0.0,
    )


@pytest.mark.parametrize("name", ROBOTS)
def test_power_is_the_rate_of_the_energies(name: str) -> None:
    bare = ROBOTS[name]
    bare = bare.with_friction(dict.fromkeys(bare.model.joint_names, (0.4, 0.9)))
    springs = springs_for(bare, 61, damped=True)
    some = {joint: spring for joint, spring in springs.items() if joint != bare.joint_names[2]}
    robot = flexible(bare, some, Viscous(0.2), Coulomb(0.3))
    s = random_states(robot.dof, COUNT, seed=62)
    theta, thetad = near(s.q, 0.05, 63), near(s.qd, 0.5, 64)
    rigid = [k for k, joint in enumerate(robot.joints) if not joint.has_spring]
    theta[:, rigid], thetad[:, rigid] = s.q[:, rigid], s.qd[:, rigid]
    qdd, thetadd, power = robot.compile(flexible_motion)(s.q, s.qd, theta, thetad, s.tau, s.f_tip)

    @armdyn.function("(n),(n),(n),(n),(n),(n)->()")
    def rate_of_energy(model, q, qd, theta, thetad, qdd, thetadd):
        def energy(x):
            stored = armdyn.actuators.spring_energy(model, x[0], x[2]) + armdyn.algorithms.potential_energy(model, x[0])
            return stored + armdyn.actuators.flexible_kinetic_energy(model, x[0], x[1], x[3])

        return armdyn.program.rate(energy, np.array([q, qd, theta, thetad]), np.array([qd, qdd, thetad, thetadd]))

    expected = robot.compile(rate_of_energy)(s.q, s.qd, theta, thetad, qdd, thetadd)
    scale = abs(s.tau * thetad).max(axis=-1) + abs(qdd).max(axis=-1)
    np.testing.assert_allclose((power - expected) / scale, 0.0, atol=1e-11)
    assert abs(power).min() > 1.0


def test_friction_of_the_motor_acts_at_the_rotor_that_of_the_joint_at_the_link() -> None:
    bare = armdyn.load("planar_2r")
    spring, state = Spring(500.0), ([0.1, 0.2], [1.0, -2.0], [0.1, 0.2], [-3.0, 4.0], [0.0, 0.0])
    drive = Actuator(Motor(0.2), spring=spring)
    smooth = bare.with_actuators({"joint_1": drive, "joint_2": drive})
    qdd, thetadd = smooth.flexible_forward_dynamics(*state)
    rubbing = Actuator(Motor(0.2), friction=(Viscous(0.5), Coulomb(2.0)), spring=spring)
    behind = bare.with_actuators({"joint_1": rubbing, "joint_2": rubbing}).flexible_forward_dynamics(*state)
    np.testing.assert_array_equal(behind[0], qdd)
    np.testing.assert_allclose(behind[1] - thetadd, [(1.5 + 2.0) / 0.2, -(2.0 + 2.0) / 0.2], rtol=1e-13)
    bearings = smooth.with_friction(dict.fromkeys(smooth.joint_names, (0.5, 2.0))).flexible_forward_dynamics(*state)
    np.testing.assert_array_equal(bearings[1], thetadd)
    moved = smooth.without_springs().without_friction()
    links = moved.with_actuators({"joint_1": None, "joint_2": None}).mass_matrix(state[0])
    np.testing.assert_allclose(links @ (bearings[0] - qdd), [-(0.5 + 2.0), 1.0 + 2.0], rtol=1e-12)


def test_loss_of_a_gear_is_that_of_the_springs_force() -> None:
    """The spring's force is the load of the gear: tau = load/eta where the rotor drives it, eta_b load where driven."""
    robot = armdyn.load("planar_2r").with_actuators(
        {"joint_2": Actuator(Motor(1e-5), Gear(100.0, efficiency=0.8, back_efficiency=0.6), spring=Spring(500.0))}
    )
    still, theta = [0.0, 0.0], [0.0, 0.02]
    for rate, tau in ((1.0, 10.0 / 0.8), (-1.0, 0.6 * 10.0)):
        thetadd = robot.flexible_forward_dynamics(still, still, theta, [0.0, rate], [0.0, tau])[1]
        assert thetadd[1] == pytest.approx(0.0, abs=1e-12)


def test_derivatives_are_differences() -> None:
    robot = flexible(ROBOTS["ur5"], springs_for(ROBOTS["ur5"], 71, damped=True), Viscous(0.3))
    q, qd, theta, thetad, tau = np.random.default_rng(72).normal(size=(5, 6)) * 0.6
    theta = q + 0.02 * theta
    exact = robot.flexible_forward_dynamics.derivative("theta")(q, qd, theta, thetad, tau)
    h = 1e-5
    for k, step in enumerate(h * np.eye(6)):
        above, below = (robot.flexible_forward_dynamics(q, qd, theta + sign * step, thetad, tau) for sign in (1, -1))
        for found, a, b in zip(exact, above, below, strict=True):
            np.testing.assert_allclose(found[:, k], (a - b) / (2 * h), rtol=1e-6, atol=1e-4)


def test_plain_numbers_give_the_same() -> None:
    robot = flexible(TREE, springs_for(TREE, 81), Viscous(0.3))
    q, qd, qdd, jerk, snap = np.random.default_rng(82).normal(size=(5, robot.dof))
    compiled = robot.flexible_inverse_dynamics(q, qd, qdd, jerk, snap)
    plain = armdyn.actuators.flexible_inverse_dynamics(robot.mechanism, q, qd, qdd, jerk, snap)
    for one, other in zip(compiled, plain, strict=True):
        assert_close(one, np.asarray(other, dtype=float), 1e-11)


def test_the_deflection_of_a_force() -> None:
    """Newton's steps end at the root for all sizes of the force."""
    spring = Spring(3.0, cubic=7.0)
    force = np.concatenate([-np.logspace(-12, 12, 200), [0.0], np.logspace(-12, 12, 200)])
    x = spring.deflection(force)
    np.testing.assert_allclose(spring.elastic_force(x), force, rtol=3e-15)
    assert spring.deflection(0.0) == 0.0


def test_errors() -> None:
    for wrong in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ModelError, match="stiffness of Spring"):
            Spring(wrong)
    with pytest.raises(ModelError, match="damping of Spring"):
        Spring(1.0, damping=-1.0)
    with pytest.raises(DTypeError, match="Spring"):
        Actuator(spring=100.0)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="a spring and a rotor that is a body"):
        Actuator(Motor(1e-5), rotor=Rotor(), spring=Spring(100.0))
    bare = armdyn.load("planar_2r")
    with pytest.raises(ModelError, match=r"'joint_2' has a spring, but the rotor behind it has no inertia"):
        bare.with_actuators({"joint_2": Actuator(spring=Spring(100.0))})
    arm = bare.with_actuators({"joint_2": Actuator(Motor(0.1), spring=Spring(100.0, damping=1.0))})
    with pytest.raises(TraceError, match="deflection="):
        arm.flexible_inverse_dynamics(*np.zeros((5, 2)))
    with pytest.raises(ModelError, match="no inertia"):
        arm.with_armature({"joint_2": 0.0}).flexible_forward_dynamics(*np.zeros((5, 2)))
    with pytest.raises(Unsupported, match="coupled"):
        arm.with_mimic({"joint_2": ("joint_1", 2.0)}).flexible_forward_dynamics(*np.zeros((5, 1)))
    loop = arm.with_constraints(armdyn.constraints.JointCoupling({"joint_1": 1.0, "joint_2": 1.0}))
    with pytest.raises(Unsupported, match=r"without_springs\(\)"):
        loop.compile(armdyn.actuators.flexible_inverse_dynamics)(*np.zeros((5, 2)))


def test_a_joint_with_armature_of_its_own_needs_no_motor() -> None:
    arm = armdyn.load("planar_2r").with_armature({"joint_2": 0.3})
    arm = arm.with_actuators({"joint_2": Actuator(spring=Spring(100.0))})
    thetadd: Robot = arm.flexible_forward_dynamics([0, 0], [0, 0], [0, 0.1], [0, 0], [0, 13.0])[1]
    assert thetadd[1] == pytest.approx(10.0, rel=1e-13)


def test_springs_in_files() -> None:
    drives = {"joint_1": Actuator(Motor(1e-5), Gear(100.0), spring=Spring(900.0, cubic=4e3))}
    robot = armdyn.load("planar_2r").with_actuators(drives)
    assert "spring" in armdyn.actuators.write(drives)
    again = Robot(armdyn.formats.urdf.read_urdf_text(robot.to_urdf()))
    assert again.joints[0].actuator == drives["joint_1"]
