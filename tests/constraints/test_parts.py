"""Every kind of constraint: phi by Pinocchio's frames, A and Adot qd as derivatives that the program takes of phi."""

import numpy as np
import pinocchio as pin
import pytest
from parts import circle, every_kind, general_pose

import armdyn
from armdyn import constraints as c
from armdyn.constraints.equations import all_equations
from oracles.cases import CASES, Case
from oracles.short_run import short_run
from oracles.states import States, assert_close, random_states

KINDS = list(every_kind(armdyn.load("ur5")))
SMOOTH = [name for name in KINDS if name != "skate"]
SIMILAR = ("rx", "ry", "rx_ry", "rx_rz")
"""Of one class each with rz and ry_rz."""


@pytest.fixture(scope="module", params=short_run(["random_tree", "panda_fingers"], "random_tree"))
def case(request) -> Case:
    return CASES[request.param]()


@pytest.fixture(scope="module")
def kinds(case):
    return every_kind(case.robot)


def constrained(case, kinds, name: str) -> armdyn.Robot:
    return case.robot.with_constraints(kinds[name])


@pytest.mark.short_run(
    without=(
        "random_tree-curve",
        "random_tree-hinge",
        "random_tree-slide",
        "random_tree-weld",
        "random_tree-weld along the base",
        "random_tree-weld to the base",
        "random_tree-rz",
    )
)
@pytest.mark.parametrize("name", short_run(SMOOTH, *(name for name in SMOOTH if name not in SIMILAR)))
def test_jacobian_is_the_derivative_of_phi(case, kinds, name):
    robot = constrained(case, kinds, name)
    q = away_from_half_turns(robot, random_states(robot.dof, 40, 5)).q
    phi = robot.constraint_error.program()
    derivative = armdyn.program.interpret(phi.derivative(), q)[0]
    A = robot.constraint_jacobian(q)
    assert A.shape == (len(q), len(robot.constraint_rows), robot.dof)
    assert_close(A, derivative, 1e-11 if name == "curve" else 1e-12 * conditioning(robot, q).max())


def away_from_half_turns(robot: armdyn.Robot, s: States) -> States:
    """The states in which no held rotation is within 35 degrees of half a turn, where 2 tan(a / 2) is infinite."""
    near = conditioning(robot, s.q) > 11.0
    assert (~near).sum() >= 10
    return States(*(x[~near][:20] for x in s))


def conditioning(robot: armdyn.Robot, q: np.ndarray) -> np.ndarray:
    """By how much errors of R grow in phi = 2 tan(a / 2), which holds 1 + tr R = 4 cos^2(a / 2), of every state."""
    turns = [row.unit == "rad" for row in robot.constraint_rows if row.holonomic]
    if not any(turns):
        return np.ones(len(q))
    return 1.0 + (np.abs(robot.constraint_error(q)[:, turns]).max(axis=1) / 2) ** 2


@pytest.mark.short_run(
    without=(
        "random_tree-curve",
        "random_tree-weld along the base",
        "random_tree-weld",
        "random_tree-slide",
        "random_tree-hinge",
    )
)
@pytest.mark.parametrize("name", short_run(KINDS, *(name for name in KINDS if name not in SIMILAR)))
def test_drift_is_the_rate_of_the_jacobian(case, kinds, name):
    robot = constrained(case, kinds, name)
    s = away_from_half_turns(robot, random_states(robot.dof, 40, 6))
    A = robot.constraint_jacobian.program()
    dA = armdyn.program.interpret(A.derivative(), s.q)[0]  # (states, k, n, n)
    expected = np.einsum("sijk,sj,sk->si", dA, s.qd, s.qd)
    scale = np.einsum("sijk,sj,sk->si", abs(dA), abs(s.qd), abs(s.qd)).max(axis=1, keepdims=True)
    drift = robot.constraint_drift(s.q, s.qd)
    scale *= conditioning(robot, s.q)[:, None]
    assert (abs(drift - expected) <= 1e-12 * np.maximum(scale, 1e-300)).all()
    if name != "belt":
        assert abs(expected).max() > 0.1


def oracle_poses(case, q):
    """T_0F of the tip and of the other frame, by Pinocchio."""
    pin.framesForwardKinematics(case.pin, case.data, case.pin_q(q))
    return [
        np.array(case.data.oMf[case.pin.getFrameId(name)].homogeneous)
        for name in (case.robot.tip, case.robot.link_names[2])
    ]


@pytest.mark.slow
def test_phi_from_poses(case, kinds):
    """Every phi that poses decide, written again from 4x4 matrices."""
    p, r = np.array([0.1, -0.2, 0.3]), np.array([0.3, 0.2, -0.4])
    n = np.array([1.0, 2.0, 3.0]) / np.sqrt(14)
    T, U = general_pose(1), general_pose(2)
    for q in random_states(case.n, 5, 7).q:
        tip, other = oracle_poses(case, q)
        point = tip[:3, :3] @ r + tip[:3, 3]
        in_other = other[:3, :3].T @ (point - other[:3, 3])
        A, B = tip @ T, other @ U
        seen = np.linalg.inv(B) @ A
        rotation = pin.log3(seen[:3, :3])
        angle = np.linalg.norm(rotation)
        turned = 2 * np.tan(angle / 2) * rotation / angle

        def phi(name, q=q):
            return constrained(case, kinds, name).constraint_error(q)

        assert_close(phi("plane"), [n @ (point - p)], floor=1.0)
        assert_close(phi("plane on a link"), [n @ (in_other - p)], floor=1.0)
        assert_close(phi("weld")[:3], seen[:3, 3], floor=1.0)
        assert_close(phi("weld")[3:] / np.abs(turned).max(), turned / np.abs(turned).max(), 1e-11)
        assert_close(phi("part"), [seen[1, 3], turned[2]], 1e-11, floor=10.0)
        ball_a, ball_b = tip[:3, :3] @ p + tip[:3, 3], other[:3, :3] @ r + other[:3, 3]
        assert_close(phi("ball"), ball_a - ball_b, floor=1.0)
        assert_close(phi("rod"), [np.linalg.norm(ball_a - ball_b) - 0.7], floor=1.0)
        across = np.cross([1, -2, 3], in_other - p) / np.sqrt(14)  # distance from the line
        assert_close([np.linalg.norm(phi("line"))], [np.linalg.norm(across)])
        assert_close(phi("belt"), [q[0] - 2.5 * q[2] - 0.3])
        axis_a = tip[:3, :3] @ np.array([1, 2, -1]) / np.sqrt(6)
        axis_b = other[:3, :3] @ np.array([0.3, 0.1, 2]) / np.linalg.norm([0.3, 0.1, 2])
        lean = np.arctan2(np.linalg.norm(np.cross(axis_a, axis_b)), axis_a @ axis_b)
        size = 2 * np.tan(lean / 2)
        assert_close([np.linalg.norm(phi("hinge")[3:]) / size], [1.0], 1e-11)
        off = ball_of_curve(tip, other)
        nearest = np.linalg.norm(off[:, None] - circle(np.linspace(0, 2 * np.pi, 200_001)), axis=0).min()
        assert abs(np.linalg.norm(phi("curve")) - nearest) < 1e-8


def ball_of_curve(tip, other):
    point = tip[:3, :3] @ np.array([0.1, -0.2, 0.3]) + tip[:3, 3]
    return other[:3, :3].T @ (point - other[:3, 3])


@pytest.mark.parametrize("axes", [("rx",), ("ry",), ("rz",)])
def test_one_rotation_is_a_universal_joint(case, axes):
    """Held about x alone: A's y axis at right angles to B's z; and so on in turn."""
    T, U = general_pose(1), general_pose(2)
    tip, other = case.robot.tip, case.robot.link_names[2]
    robot = case.robot.with_constraints(c.Held(tip, other, axes, T, U))
    a = ("rx", "ry", "rz").index(axes[0])
    q = random_states(case.n, 1, 9).q[0]
    A, B = oracle_poses(case, q)
    y, z = (A @ T)[:3, (a + 1) % 3], (B @ U)[:3, (a + 2) % 3]
    assert_close(robot.constraint_error(q), [y @ z], floor=1.0)


def test_multiplier_of_a_plane_is_the_force_on_it(case):
    """A^T lambda = J^T f with f = lambda n at the point: what the tip does to the plane, along its normal."""
    n, p = np.array([2.0, -1.0, 0.5]) / np.sqrt(5.25), np.array([0.1, 0.2, -0.3])
    robot = case.robot.with_constraints(c.PointOnPlane(case.robot.tip, n, point=p))
    for q in random_states(case.n, 5, 10).q:
        R = robot.forward_kinematics(q)[:3, :3]
        f = R.T @ n * 7.0
        wrench = np.concatenate([np.cross(p, f), f])
        assert_close(robot.constraint_forces(q, [7.0])[None], robot.tip_forces(q, wrench)[None])
        assert_close(robot.multipliers_of_wrench(q, wrench), [7.0], 1e-11)


def test_multiplier_of_a_rod_is_its_tension(case):
    robot = case.robot.with_constraints(c.Distance(case.robot.tip, length=1.0, to_point=(0.2, 5.0, 1.0)))
    for q in random_states(case.n, 5, 11).q:
        T = robot.forward_kinematics(q)
        away = T[:3, 3] - [0.2, 5.0, 1.0]
        f = T[:3, :3].T @ away / np.linalg.norm(away) * 3.0  # the tip pulls at the rod's end, away from the other
        assert_close(robot.constraint_forces(q, [3.0])[None], robot.tip_forces(q, np.array([0, 0, 0, *f]))[None])


@pytest.mark.slow
def test_floats_and_traces_agree(case, kinds):
    """The plain functions on floats are what is compiled."""
    robot = case.robot.with_constraints(*kinds.values())
    s = random_states(case.n, 2, 12)
    for q, qd in zip(s.q, s.qd, strict=True):
        plain = all_equations(robot.mechanism, q, qd)
        assert_close(np.array(plain.phi, dtype=float), robot.constraint_error(q), 1e-11)
        assert_close(np.array(plain.A, dtype=float), robot.constraint_jacobian(q), 1e-11)
        assert_close(np.array(plain.drift, dtype=float), robot.constraint_drift(q, qd), 1e-9)
        assert_close(robot.constraint_velocity(q, qd), robot.constraint_jacobian(q) @ qd, 1e-11)


@pytest.mark.slow
def test_batches(case, kinds):
    robot = case.robot.with_constraints(*kinds.values())
    q = random_states(case.n, 6, 13).q.reshape(2, 3, case.n)
    A = robot.constraint_jacobian(q)
    assert A.shape == (2, 3, len(robot.constraint_rows), case.n)
    np.testing.assert_array_equal(A[1, 2], robot.constraint_jacobian(q[1, 2]))
