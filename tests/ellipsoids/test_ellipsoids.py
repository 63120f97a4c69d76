"""Semi-axes, directions and matrices of ellipsoids against M, Lambda and J, the printed figures, and unit balls."""

import numpy as np
import pytest

import armdyn
from armdyn import ellipsoids
from armdyn.algorithms import SingularTask, TaskSpaceError
from oracles.cases import CASES
from oracles.short_run import each_once
from oracles.states import assert_close, random_states
from oracles.trees import random_tree, to_armdyn

PLANE = {"components": ("vx", "vy")}
PRINTED = np.radians([[0.0, 90.0], [0.0, 150.0]])


@pytest.fixture(scope="module")
def ur5():
    return armdyn.load("ur5")


@pytest.fixture(scope="module")
def panda():
    return CASES["panda_locked"]().robot


@pytest.fixture(scope="module")
def planar():
    return armdyn.load("planar_2r")


def unit_vectors(count: int, size: int, seed: int) -> np.ndarray:
    u = np.random.default_rng(seed).normal(size=(count, size))
    return u / np.linalg.norm(u, axis=1, keepdims=True)


def check_parts(e: ellipsoids.Ellipsoid) -> None:
    """Axes are orthonormal, lengths descend, and the matrix is made of them."""
    k = len(e.coordinates)
    assert_close(np.swapaxes(e.axes, -1, -2) @ e.axes, np.broadcast_to(np.eye(k), e.axes.shape))
    assert (np.diff(e.lengths, axis=-1) <= 0.0).all()
    for direction, length in zip(np.moveaxis(e.axes, -1, 0), np.moveaxis(e.lengths, -1, 0), strict=True):
        np.testing.assert_allclose(
            e.image(direction), length[..., None] * direction, rtol=0, atol=1e-12 * float(e.lengths.max())
        )


def test_torque_and_acceleration_are_those_of_the_mass_matrix(ur5) -> None:
    q = random_states(6, 10, seed=501).q
    M = ur5.mass_matrix(q)
    forces, accelerations = ellipsoids.torque(ur5, q), ellipsoids.acceleration(ur5, q)
    check_parts(forces)
    check_parts(accelerations)
    assert_close(forces.matrix, M)
    assert_close(accelerations.matrix, np.linalg.inv(M))
    assert_close(forces.lengths * accelerations.lengths[:, ::-1], np.ones((10, 6)))
    u = unit_vectors(50, 6, 502)
    tau = ur5.inverse_dynamics(q[3], np.zeros(6), u) - ur5.gravity_forces(q[3])
    assert_close(forces[3].image(u), tau, 1e-12)
    assert_close(np.linalg.norm(np.linalg.solve(forces[3].matrix, tau.T), axis=0), np.ones(50), 1e-11)
    assert (forces.unit, accelerations.unit) == ("N m", "rad/s²")


def test_chosen_joints_move_while_the_others_are_held(ur5) -> None:
    q = random_states(6, 4, seed=503).q
    names = ("elbow_joint", "shoulder_lift_joint")
    chosen = [ur5.joint_names.index(name) for name in names]
    e = ellipsoids.torque(ur5, q, joints=names)
    assert e.coordinates == names
    qdd = np.zeros((4, 6))
    qdd[:, chosen] = (0.6, -0.8)
    tau = ur5.inverse_dynamics(q, np.zeros(6), qdd) - ur5.gravity_forces(q)
    assert_close(e.image((0.6, -0.8)), tau[:, chosen])
    accelerations = ellipsoids.acceleration(ur5, q, joints=names)
    assert_close(accelerations.matrix @ e.matrix, np.broadcast_to(np.eye(2), (4, 2, 2)))


@pytest.mark.short_run("ur5-world")
@pytest.mark.parametrize(("arm", "way"), each_once(["ur5", "panda"], ["world", "body"]))
def test_tip_ellipsoids_are_lambda_and_its_inverse(arm, way, request) -> None:
    robot = request.getfixturevalue(arm)
    q = random_states(robot.dof, 8, seed=504).q
    options = {"components": "position", "expressed_in": way, "point": (0.1, -0.2, 0.15)}
    task = robot.task_space(q, np.zeros(robot.dof), **options)
    forces, accelerations = ellipsoids.tip_force(robot, q, **options), ellipsoids.tip_acceleration(robot, q, **options)
    check_parts(forces)
    assert_close(forces.matrix, task.Lambda, 1e-12)
    assert_close(accelerations.matrix, task.mobility, 1e-12)
    T = robot.forward_kinematics(q)
    R = T[:, :3, :3]
    assert_close(forces.centre, T[:, :3, 3] + R @ np.array([0.1, -0.2, 0.15]))
    assert_close(forces.directions, R if way == "body" else np.broadcast_to(np.eye(3), R.shape))
    turning = {"components": "orientation", "expressed_in": way}
    assert ellipsoids.tip_force(robot, q, **turning).unit == "N m"
    assert_close(
        ellipsoids.tip_force(robot, q, **turning).matrix, robot.task_space(q, np.zeros(robot.dof), **turning).Lambda
    )


def test_one_who_pushes_feels_the_ellipsoid(panda) -> None:
    """A force at the hand of an arm at rest without gravity accelerates it by what the ellipsoid says."""
    robot, q = panda.with_gravity(np.zeros(3)), random_states(7, 3, seed=505).q
    f = np.array([2.0, -1.0, 0.5])
    e = ellipsoids.tip_acceleration(robot, q, expressed_in="body")
    qdd = robot.forward_dynamics(q, np.zeros(7), np.zeros(7), f_tip=np.concatenate([np.zeros(3), -f]))
    assert_close(e.image(f), np.einsum("kij,kj->ki", robot.jacobian(q), qdd)[:, 3:])


def test_velocity_and_force_ellipsoids_are_those_of_the_jacobian(ur5, panda) -> None:
    for robot in (ur5, panda):
        q = random_states(robot.dof, 6, seed=506).q
        velocities, forces = ellipsoids.velocity(robot, q), ellipsoids.force(robot, q)
        check_parts(velocities)
        J = robot.jacobian(q, expressed_in="world")[:, 3:]
        JJt = J @ np.swapaxes(J, 1, 2)
        assert_close(velocities.matrix @ velocities.matrix, JJt)
        assert_close(forces.matrix @ forces.matrix, np.linalg.inv(JJt), 1e-12)
        assert_close(velocities.volume, 4 / 3 * np.pi * np.sqrt(np.linalg.det(JJt)), 1e-12)  # Yoshikawa
        for k in range(6):
            v = unit_vectors(400, robot.dof, 507) @ J[k].T
            inside = np.linalg.norm(np.linalg.solve(velocities[k].matrix, v.T), axis=0)
            assert inside.max() <= 1.0 + 1e-12
            assert inside.max() > 0.9
            f = forces[k].image(unit_vectors(20, 3, 508))
            assert_close(np.linalg.norm(f @ J[k], axis=1), np.ones(20))


def test_figure_8_3(planar) -> None:
    """M(0, 90 deg) = [[3, 1], [1, 1]], M(0, 150 deg) = [[3 - sqrt 3, 1 - sqrt 3 / 2], [., 1]], unit masses."""
    root = np.sqrt(3.0)
    printed = np.array([[[3.0, 1.0], [1.0, 1.0]], [[3 - root, 1 - root / 2], [1 - root / 2, 1.0]]])
    e = ellipsoids.torque(planar, PRINTED)
    assert_close(e.matrix, printed)
    assert_close(e.lengths[:1], np.array([[2 + np.sqrt(2), 2 - np.sqrt(2)]]))
    assert_close(np.abs(e.axes[0, :, 0])[None], np.array([[np.cos(np.pi / 8), np.sin(np.pi / 8)]]))


def test_figure_8_4(planar) -> None:
    """Along y both masses are felt at (0, 90 deg), along x the second alone; (1, 0) N makes (0.4, 0.35) m/s^2."""
    e = ellipsoids.tip_force(planar, PRINTED, **PLANE)
    assert_close(e.lengths, np.array([[2.0, 1.0], [5.0, 1.0]]))
    assert_close(e.matrix[0][None], np.diag([1.0, 2.0])[None])
    accelerations = ellipsoids.tip_acceleration(planar, PRINTED, **PLANE)
    assert accelerations[1].image((1.0, 0.0)).round(2).tolist() == [0.4, 0.35]
    np.testing.assert_allclose(e.condition, [2.0, 5.0], rtol=1e-12)
    np.testing.assert_allclose(e.volume, np.pi * np.array([2.0, 5.0]), rtol=1e-12)


def test_flat_ellipsoids(planar) -> None:
    """An arm in a plane moves nothing across it; stretched, nothing along itself."""
    e = ellipsoids.velocity(planar, [0.3, 0.8])
    assert e.lengths[2] == 0.0
    np.testing.assert_allclose(np.abs(e.axes[:, 2]), [0.0, 0.0, 1.0], atol=1e-15)
    assert e.condition == np.inf
    assert e.volume == 0.0
    stretched = ellipsoids.tip_acceleration(planar, [0.0, 0.0], **PLANE)
    np.testing.assert_allclose(stretched.matrix, [[0.0, 0.0], [0.0, 1.0]], atol=1e-15)
    np.testing.assert_allclose(stretched.matrix, planar.task_space([0, 0], [0, 0], damping=1, components=("vx", "vy"),
                               expressed_in="world").mobility, atol=1e-15)  # fmt: skip


def test_rows_in_any_direction(ur5) -> None:
    q = random_states(6, 1, seed=509).q[0]
    d = np.array([2.0, -1.0, 2.0]) / 3.0
    along = ellipsoids.velocity(ur5, q, components=((0, 0, 0, *d),))
    whole = ellipsoids.velocity(ur5, q)
    assert along.lengths[0] == pytest.approx(np.sqrt(d @ whole.matrix @ whole.matrix @ d), rel=1e-12)
    np.testing.assert_allclose(along.directions[:, 0], d, rtol=1e-15)


def test_batches(ur5) -> None:
    q = random_states(6, 6, seed=510).q
    for of in (ellipsoids.torque, ellipsoids.tip_force, ellipsoids.velocity):
        batch = of(ur5, q.reshape(2, 3, 6))
        assert batch.batch == (2, 3)
        assert repr(batch).endswith("batch (2, 3)>")
        for k, one in enumerate(q):
            np.testing.assert_allclose(batch[divmod(k, 3)].matrix, of(ur5, one).matrix, rtol=1e-13, atol=1e-15)
    with pytest.raises(ValueError, match="read-only"):
        batch.lengths[0] = 1.0


def test_sliding_joints() -> None:
    robot = armdyn.Robot(to_armdyn(random_tree(52, 8, chain=True)))
    q = random_states(8, 1, seed=511).q[0]
    slides = [joint.name for joint in robot.joints if joint.kind == "prismatic"]
    assert ellipsoids.torque(robot, q, joints=slides).unit == "N"
    assert ellipsoids.acceleration(robot, q, joints=slides).unit == "m/s²"
    for of in (ellipsoids.velocity, ellipsoids.force):
        with pytest.raises(TaskSpaceError, match=r"rad and m have no common length.*\(prismatic\).*joints of one kind"):
            of(robot, q)
    task = robot.task_space(q, np.zeros(8), components="position", expressed_in="world")
    assert_close(ellipsoids.tip_force(robot, q).matrix[None], task.Lambda[None], 1e-11)


def test_bounds_that_do_not_exist(planar, ur5) -> None:
    for of in (ellipsoids.tip_force, ellipsoids.force):
        with pytest.raises(SingularTask, match=r"cannot move 'tip' along all of vx, vy at q = .*singular values .*, 0"):
            of(planar, [0.0, 0.0], **PLANE)
        with pytest.raises(SingularTask, match=r"\(state \[1\] of the batch\)"):
            of(planar, [[0.0, 1.0], [0.0, 0.0]], **PLANE)
        with pytest.raises(SingularTask, match="along all of vx, vy, vz"):
            of(planar, [0.0, 1.0])
    for q in ([0.0, 0.0], [np.pi, 0.0]):  # along the arm no joint moves the tip, to the last digit or nearly
        with pytest.raises(SingularTask, match="along all of vx at"):
            ellipsoids.tip_force(planar, q, components="vx")
    point = armdyn.Inertia(1.0, [0.0, 0.0, 0.0], np.zeros((3, 3)))
    pin = armdyn.Robot.from_links([armdyn.Part("pin", "base", "revolute", axis=(0, 0, 1), inertia=point)], name="pin")
    with pytest.raises(SingularTask, match="the mass matrix of 'pin' is singular: eigenvalues 0; some joint moves no"):
        ellipsoids.acceleration(pin, [0.0])


@pytest.mark.parametrize(
    ("of", "options", "error", "message"),
    [
        (
            "torque",
            {"joints": ("elbow",)},
            armdyn.UnknownName,
            r"no joint 'elbow' in 'ur5'.*Did you mean 'elbow_joint'",
        ),
        ("torque", {"joints": ()}, TaskSpaceError, "names none; expected some of shoulder_pan_joint, .*, each once"),
        ("torque", {"joints": ("elbow_joint", "elbow_joint")}, TaskSpaceError, "each once"),
        ("velocity", {"components": "pose"}, TaskSpaceError, "rad and m have no common length"),
        ("velocity", {"components": ((0, 0, 0, 1, 1, 0),)}, TaskSpaceError, "not unit vectors at right angles"),
        ("velocity", {"expressed_in": "space"}, TaskSpaceError, "at the base's origin is none of the frame"),
        ("velocity", {"expressed_in": "tool"}, armdyn.UnknownName, "no way 'tool'"),
        ("velocity", {"frame": "tol0"}, armdyn.UnknownName, "no frame 'tol0' in 'ur5'"),
        ("velocity", {"point": (0, 1)}, TaskSpaceError, r"point has shape \(2,\); expected \(3,\)"),
        ("tip_force", {"components": "up"}, armdyn.UnknownName, "no component 'up'"),
    ],
)
def test_what_makes_no_sense(ur5, of, options, error, message) -> None:
    with pytest.raises(error, match=message):
        getattr(ellipsoids, of)(ur5, np.zeros(6) + 0.3, **options)


def test_not_a_number(planar) -> None:
    for of in (ellipsoids.torque, ellipsoids.velocity, ellipsoids.tip_force):
        with pytest.raises(TaskSpaceError, match="q holds NaN or infinity"):
            of(planar, [0.3, np.nan])


@pytest.mark.slow
def test_coupled_joints() -> None:
    """What counts are coordinates: the ellipsoids of A^T M A, and of J A."""
    from task_space.test_behaviour import geared

    model = to_armdyn(random_tree(61, 8, chain=True))
    coupled, A = geared(model)
    free, robot = armdyn.Robot(model), armdyn.Robot(coupled)
    q = random_states(6, 1, seed=512).q[0]
    M = A.T @ free.mass_matrix(A @ q + np.linspace(-0.3, 0.4, 8)) @ A
    J = free.jacobian(A @ q + np.linspace(-0.3, 0.4, 8), expressed_in="world")[3:] @ A
    assert_close(ellipsoids.torque(robot, q).matrix[None], M[None])
    assert_close((ellipsoids.velocity(robot, q).matrix @ ellipsoids.velocity(robot, q).matrix)[None], (J @ J.T)[None])
