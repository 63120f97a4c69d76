"""Batches, precision, damping, couplings, functions of one's own; and what bad input gets."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import armdyn
from armdyn.model.coupling import Coordinate, Coupling
from armdyn.model.limits import Limits
from armdyn.task_space import SingularTask, TaskComponents, TaskSpace, TaskSpaceError
from oracles.cases import CASES
from oracles.states import assert_close, random_states
from oracles.trees import random_tree, to_armdyn
from task_space.expected import well_conditioned


@pytest.fixture(scope="module")
def ur5():
    return armdyn.load("ur5")


@pytest.fixture(scope="module")
def planar():
    return armdyn.load("planar_2r")


PLANE = {"components": ("vx", "vy"), "expressed_in": "world"}


def test_batch_is_its_states(ur5) -> None:
    s = random_states(6, 12, seed=411)
    batch = ur5.task_space(s.q.reshape(3, 4, 6), s.qd.reshape(3, 4, 6), components="position")
    one_by_one = [ur5.task_space(q, qd, components="position") for q, qd in zip(s.q, s.qd, strict=True)]
    for k, together in enumerate(batch):
        alone = np.array([single[k] for single in one_by_one])
        np.testing.assert_array_equal(together.reshape(alone.shape), alone)


def test_broadcasting_workers_and_out(ur5) -> None:
    s = random_states(6, 3000, seed=412)
    task = ur5.task_space(s.q, s.qd[0], components="position")
    again = ur5.task_space(s.q, s.qd[0], components="position", workers=2)
    into = tuple(np.empty_like(part) for part in task)
    returned = ur5.task_space(s.q, s.qd[0], components="position", out=into)
    for a, b, c, d in zip(task, again, into, returned, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a, c)
        assert d is c


def test_single_precision(ur5) -> None:
    s = random_states(6, 200, seed=413)
    q, qd = well_conditioned(ur5, s.q, s.qd, 20)
    low = ur5.task_space(q.astype(np.float32), qd.astype(np.float32))
    high = ur5.task_space(*(x.astype(np.float32).astype(float) for x in (q, qd)))
    for name in TaskSpace._fields[:-2]:  # N of a square J is zero
        a, b = getattr(low, name), getattr(high, name)
        assert a.dtype == np.float32
        assert_close(a.astype(float), b, 2e-3)


def test_single_precision_sees_singularities_it_can_see(ur5) -> None:
    wrist = np.float32([0.3, -1.2, 1.4, -0.7, 0.0, 0.2])
    with pytest.raises(SingularTask, match=r"where 0\.0028 is the threshold"):
        ur5.task_space(wrist, np.zeros(6, dtype=np.float32))


def test_plain_numbers_give_the_same(ur5) -> None:
    """The algorithm on floats, without tracing or compiling."""
    s = random_states(6, 1, seed=414)
    q, qd = well_conditioned(ur5, *random_states(6, 50, seed=414)[:2], 1)
    options = {"components": ("vx", "wy"), "expressed_in": "world", "point": (0.1, 0.0, 0.2)}
    plain = armdyn.algorithms.task_space(ur5.mechanism, q[0], qd[0], **options)
    for a, b in zip(plain, ur5.task_space(q[0], qd[0], **options), strict=True):
        assert_close(np.asarray(a, dtype=float)[None], b[None], floor=1e-3)
    assert s.q.shape == (1, 6)


@pytest.mark.slow
def test_damping_bounds_the_mass(ur5) -> None:
    """Lambda = (J M^-1 J^T + lambda^2 1)^-1: regular where J is not, and no more than 1 / lambda^2."""
    s = random_states(6, 30, seed=415)
    s.q[::2, 4] = 0.0  # every other state with the wrist stretched
    for damping in (0.5, 0.03):
        task = ur5.task_space(s.q, s.qd, damping=damping)
        expected = np.linalg.inv(task.mobility + damping**2 * np.eye(6))
        assert_close(task.Lambda, expected, 1e-9)  # the greatest eigenvalue of one by the least of the other: 1e6
        assert np.linalg.eigvalsh(task.Lambda).max() <= 1.0 / damping**2 * (1.0 + 1e-9)
        # What null-space forces do to the task is what the definition says: J M^-1 N = lambda^2 Lambda J M^-1.
        for q, J, N, Lambda in zip(s.q, task.J, task.N, task.Lambda, strict=True):
            JMinv = np.linalg.solve(ur5.mass_matrix(q), J.T).T
            assert_close((JMinv @ N)[None], (damping**2 * Lambda @ JMinv)[None], 1e-8, floor=np.abs(JMinv).max())
    regular = s.q[1::2]
    exact = ur5.task_space(regular, s.qd[1::2])
    nearly = ur5.task_space(regular, s.qd[1::2], damping=1e-7)
    np.testing.assert_allclose(nearly.Lambda, exact.Lambda, rtol=1e-6, atol=1e-6 * np.abs(exact.Lambda).max())


def test_damping_makes_room_for_components_that_cannot_be_moved(planar) -> None:
    task = planar.task_space([0.3, 0.9], [0.5, -0.2], components=("vy", "vz"), damping=0.2)
    assert task.Lambda[1, 1] == pytest.approx(25.0)
    assert task.Lambda[0, 1] == 0.0


def geared(model):
    """Two more joints than coordinates: a differential on joints 1 and 2, the last a belt on the fourth."""
    A = np.zeros((8, 6))
    A[0, 0], A[1, 0], A[1, 1], A[2, 0], A[2, 1] = 1.0, 0.5, 0.5, 0.5, -0.5
    A[3, 2], A[4, 3], A[5, 4], A[6, 5], A[7, 3] = 1.0, 1.0, -2.0, 1.0, 0.7
    coordinates = tuple(Coordinate(f"motor_{k}", "revolute", Limits()) for k in range(6))
    return model.replace(coupling=Coupling(coordinates, A, np.linspace(-0.3, 0.4, 8))), A


def test_coupled_joints() -> None:
    """M, J and forces of coordinates are A^T M A, J A and A^T tau; eta follows from them, and from forward dynamics."""
    model = to_armdyn(random_tree(61, 8, chain=True))
    coupled, A = geared(model)
    free, robot = armdyn.Robot(model), armdyn.Robot(coupled)
    options = {"components": ("vx", "vy", "vz", "wx"), "expressed_in": "world", "point": (0.1, -0.2, 0.05)}
    s = random_states(6, 200, seed=416)
    for q, qd in zip(*well_conditioned(robot, s.q, s.qd, 5, **options), strict=True):
        position, rate = A @ q + np.linspace(-0.3, 0.4, 8), A @ qd
        part = free.task_space(position, rate, **{**options, "damping": 1.0})
        J, M, h = part.J @ A, A.T @ free.mass_matrix(position) @ A, A.T @ free.bias_forces(position, rate)
        Minv = np.linalg.inv(M)
        Lambda = np.linalg.inv(J @ Minv @ J.T)
        Jbar = Minv @ J.T @ Lambda
        task = robot.task_space(q, qd, **options)
        for actual, expected in (
            (task.J, J), (task.Jdot_qd, part.Jdot_qd), (task.Lambda, Lambda), (task.Jbar, Jbar),
            (task.eta, Jbar.T @ h - Lambda @ part.Jdot_qd), (task.N, np.eye(6) - J.T @ Jbar.T),
        ):  # fmt: skip
            assert_close(actual[None], expected[None], 1e-11, floor=1e-2)
        qdd = robot.forward_dynamics(q, qd, task.J.T @ (task.Lambda @ np.ones(4) + task.eta))
        assert_close((task.J @ qdd + task.Jdot_qd)[None], np.ones((1, 4)), 1e-11, floor=np.abs(qdd).max())


def test_a_controller_of_ones_own(ur5) -> None:
    """The algorithm inside a declared function: motion in task space, posture in its null space, as one program."""

    @armdyn.function("(n),(n),(3)->(n)")
    def operational_space(model, q, qd, acceleration):
        """Joint forces, N m, shape (..., n), that give the tip an acceleration and damp the rest of the arm."""
        task = armdyn.algorithms.task_space(model, q, qd, components="position", expressed_in="world")
        return task.J.T @ (task.Lambda @ acceleration + task.eta) + task.N @ (-2.0 * qd)

    q, qd = well_conditioned(ur5, *random_states(6, 100, seed=417)[:2], 10, components="position")
    wanted = np.array([0.3, -0.2, 1.1])
    tau = ur5.compile(operational_space)(q, qd, wanted)
    qdd = ur5.forward_dynamics(q, qd, tau)
    J, drift = ur5.jacobian(q, expressed_in="world"), ur5.bias_acceleration(q, qd, expressed_in="world")
    reached = (np.einsum("kij,kj->ki", J, qdd) + drift)[:, 3:]
    assert_close(reached, np.broadcast_to(wanted, reached.shape), 1e-12, floor=np.abs(qdd).max())


def test_compiled_task_is_the_same_without_the_check(ur5, planar) -> None:
    task = TaskComponents(components="position", expressed_in="world", point=[0, 0, 0.1])
    compiled = ur5.compile(task.dynamics)
    s = random_states(6, 5, seed=418)
    again = pickle.loads(pickle.dumps(compiled))  # noqa: S301
    for a, b, c in zip(
        compiled(s.q, s.qd),
        ur5.task_space(s.q, s.qd, components="position", expressed_in="world", point=(0, 0, 0.1)),
        again(s.q, s.qd),
        strict=True,
    ):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a, c)
    assert [port.name for port in compiled.program().outputs] == list(TaskSpace._fields)
    stretched = planar.compile(TaskComponents(**PLANE).dynamics)
    with np.errstate(all="ignore"):
        assert not np.isfinite(stretched([0.0, 0.0], [0.0, 0.0]).Lambda).all()
    assert np.isfinite(stretched([0.0, 0.0], [0.0, 0.0]).mobility).all()


def test_tasks_are_told_apart(planar) -> None:
    """Different tasks of one robot do not share compiled code, whatever they have in common."""
    q, qd = [0.3, 0.8], [0.0, 0.0]
    tasks = [{"components": c, "expressed_in": w} for c in (("vx",), ("vy",)) for w in ("body", "world")]
    seen = {float(planar.task_space(q, qd, **task).Lambda[0, 0]) for task in tasks}
    assert len(seen) == 4
    assert (
        planar.task_space(q, qd, components=("vx",), point=(0.5, 0, 0), expressed_in="world").Lambda[0, 0] not in seen
    )


def test_operation_counts(ur5) -> None:
    """What the documentation quotes."""
    assert str(ur5.compile(TaskComponents().dynamics).op_counts) == "1036m + 844a + 11d + 10t"


def test_singular_states_are_named(ur5, planar) -> None:
    wrist = np.array([0.3, -1.2, 1.4, -0.7, 0.0, 0.2])
    with pytest.raises(
        SingularTask,
        match=r"the Jacobian of 'tool0' in 'ur5' loses rank at q = \[.*-0\.7.*\]: singular values 2\.06, .*e-1\d "
        r"\(lengths in that of the arm\), and wx is independent of the other components to .*e-09, where 1e-06.*damp",
    ):
        ur5.task_space(wrist, np.zeros(6))
    with pytest.raises(SingularTask, match=r"2 of 6 states, the first at state \[0, 1\]: the Jacobian of 'tip'"):
        planar.task_space(
            [[[0.1, 0.5], [0.2, 0.0], [0.3, 1.0]], [[0.1, np.pi], [0.2, 0.5], [0.3, 1.0]]], [0, 0], **PLANE
        )
    assert ur5.task_space(wrist, np.zeros(6), components="position").Lambda.shape == (3, 3)


def test_a_component_that_vanishes_is_singular(planar) -> None:
    """Stretched along x, no joint moves the tip along x: one row alone, and no other to depend on."""
    with pytest.raises(SingularTask, match=r"loses rank.*vx is independent of the other components to 0"):
        planar.task_space([0.0, 0.0], [0.0, 0.0], components=("vx",), expressed_in="world")
    with pytest.raises(SingularTask, match="loses rank"):
        planar.task_space([np.pi, 0.0], [0.0, 0.0], components=("vx",), expressed_in="world")


def test_threshold_is_the_callers(ur5) -> None:
    near = np.array([0.3, -1.2, 1.4, -0.7, 1e-3, 0.2])
    assert np.isfinite(ur5.task_space(near, np.zeros(6)).Lambda).all()
    with pytest.raises(SingularTask, match=r"independent of the other components to 0\.00\d+, where 0\.01 is the thr"):
        ur5.task_space(near, np.zeros(6), threshold=0.01)


def test_not_a_number_is_no_singularity(planar) -> None:
    task = planar.task_space([[0.0, np.nan], [0.3, 0.8]], [0.0, 0.0], **PLANE)
    assert np.isnan(task.Lambda[0]).all()
    assert np.isfinite(task.Lambda[1]).all()


def test_singular_mass_matrix() -> None:
    """A point mass on the axis that turns it has no inertia there."""
    ball = armdyn.Inertia(2.0, [0.0, 0.0, 0.0], np.zeros((3, 3)))
    empty = armdyn.Inertia(0.0, [0.0, 0.0, 0.0], np.zeros((3, 3)))
    arm = armdyn.Robot.from_links(
        [
            armdyn.Part("turn", "base", "revolute", axis=(0, 0, 1), inertia=empty),
            armdyn.Part("slide", "turn", "prismatic", axis=(1, 0, 0), inertia=ball),
        ],
        name="arm",
    )
    with pytest.raises(SingularTask, match=r"mass matrix of 'arm' is singular at q = .*eigenvalues 0, 2;.*armature"):
        arm.task_space([0.2, 0.0], [0.0, 0.0], components=("vx", "vy"), point=(0.3, 0, 0))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, SingularTask, r"6 components of the motion of 'tip' in 'planar_2r' are asked for \(wx, .*\), but only 2 "
         r"joints \(joint_1, joint_2\) move it; choose at most 2"),
        ({"components": "vz"}, SingularTask, "no joint of 'planar_2r' moves 'tip' along vz"),
        ({"components": ("wz", "wz")}, TaskSpaceError, "asks for wz twice"),
        ({"components": ((0, 0, 2, 0, 0, 0), (0, 0, 2.0, 0, 0, 0))}, TaskSpaceError, "asks for 2 wz twice"),
        ({"components": ()}, TaskSpaceError, "asks for nothing"),
        ({"components": ("vx", "ux")}, armdyn.UnknownName, r"no component 'ux' in a twist.*Known: pose, .*, vz"),
        ({"components": ((1, 2, 3),)}, TaskSpaceError, r"component \(1, 2, 3\) is not a row; expected a word"),
        ({"components": ((0,) * 6,)}, TaskSpaceError, "is not a row; .*not all zero"),
        ({"components": (3,)}, TaskSpaceError, "component 3 is not a row"),
        ({"components": "vx", "frame": "tipp"}, armdyn.UnknownName, "no frame 'tipp' in 'planar_2r'.*mean 'tip'"),
        ({"components": "vx", "frame": "base"}, SingularTask, "frame 'base' of 'planar_2r' is welded to the base"),
        ({"components": "vx", "expressed_in": "tool"}, armdyn.UnknownName, "no way 'tool' in expressed_in="),
        ({"components": "vx", "point": (1, 2)}, TaskSpaceError, r"point has shape \(2,\); expected \(3,\), m"),
        ({"components": "vx", "point": (1, 2, np.inf)}, TaskSpaceError, r"point\[2\] is inf; expected finite"),
        ({"components": "vx", "point": (1, 0, 0), "expressed_in": "space"}, TaskSpaceError, "point= has no meaning"),
        ({"components": "vx", "damping": -1}, TaskSpaceError, "damping is -1; expected zero, or a number between"),
        ({"components": "vx", "damping": "much"}, TaskSpaceError, "damping is 'much'; expected zero, or a number"),
        ({"components": "vx", "threshold": 0}, TaskSpaceError, "threshold is 0; expected a number above zero"),
    ],
)  # fmt: skip
def test_what_makes_no_sense(planar, options, error, message) -> None:
    with pytest.raises(error, match=message):
        planar.task_space([0.1, 0.2], [0.0, 0.0], **options)


def test_two_slides_along_one_line() -> None:
    """Rows that depend on each other whatever the configuration, found while tracing."""
    rod = armdyn.Inertia(1.0, [0.0, 0.0, 0.0], np.eye(3))
    gantry = armdyn.Robot.from_links(
        [
            armdyn.Part("one", "base", "prismatic", axis=(1, 0, 0), inertia=rod),
            armdyn.Part("two", "one", "prismatic", axis=(1, 0, 0), inertia=rod),
        ],
        name="gantry",
    )
    double = ((0, 0, 0, 1.0, 0, 0), (0, 0, 0, 2.0, 0, 0))
    with pytest.raises(
        SingularTask, match=r"no joint of 'gantry' moves 'two' along 2 vx independently of vx; leave it"
    ):
        gantry.task_space([0.1, 0.2], [0.0, 0.0], components=double)


def test_shapes(planar) -> None:
    with pytest.raises(armdyn.ShapeError, match="one value per joint of 'planar_2r'"):
        planar.task_space([0.1, 0.2, 0.3], [0.0, 0.0], **PLANE)
    with pytest.raises(TypeError, match="speed"):
        planar.task_space([0.1, 0.2], [0.0, 0.0], speed=3, **PLANE)


def test_robots_with_tasks_pickle(planar) -> None:
    planar.task_space([0.1, 0.2], [0.0, 0.0], **PLANE)
    again = pickle.loads(pickle.dumps(planar))  # noqa: S301
    np.testing.assert_array_equal(again.task_space([0.1, 0.2], [0, 0], **PLANE).Lambda,
                                  planar.task_space([0.1, 0.2], [0, 0], **PLANE).Lambda)  # fmt: skip


def test_tasks_are_values() -> None:
    task = TaskComponents(components=["vx", "wz"], point=[1, 0, 0])
    assert task == TaskComponents(components=("vx", "wz"), point=(1.0, 0.0, 0.0))
    assert replace(task, damping=0.1) != task
    assert len({task, TaskComponents(components=("wz", "vx"), point=(1, 0, 0))}) == 2


def test_panda_hand_with_fingers() -> None:
    """Joints that do not move the frame are moved by it: fingers have inertia, and the task feels it."""
    robot = CASES["panda_fingers"]().robot
    s = random_states(robot.dof, 100, seed=419)
    options = {"frame": "panda_hand", "components": "position"}
    q, qd = well_conditioned(robot, s.q, s.qd, 3, **options)
    for one, rate in zip(q, qd, strict=True):
        task = robot.task_space(one, rate, **options)
        fingers = [k for k, name in enumerate(robot.joint_names) if "finger" in name]
        assert (task.J[:, fingers] == 0.0).all()
        assert np.abs(task.Jbar[fingers]).max() > 0.1  # free to slide, they lag behind
        held = np.linalg.inv(np.delete(np.delete(robot.mass_matrix(one), fingers, 0), fingers, 1))
        J = np.delete(task.J, fingers, 1)
        assert np.linalg.eigvalsh(np.linalg.inv(J @ held @ J.T) - task.Lambda).min() > -1e-12
