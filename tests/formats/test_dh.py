"""Denavit-Hartenberg tables against the texts' matrices, written out entry by entry, and Pinocchio."""

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn import DHRow, Inertia
from oracles.plain import plainly
from oracles.short_run import each_once
from oracles.states import assert_close, random_states
from oracles.trees import random_inertia, random_rotation

KINDS = ["R", "P", "RR", "RP", "PR", "RRPRPR", "RRRRRRR"]
CONVENTIONS = ["modified", "standard"]


def craig(a: float, alpha: float, d: float, theta: float) -> np.ndarray:
    """Craig 3.6, with a_{i-1} and alpha_{i-1}."""
    ca, sa, ct, st = np.cos(alpha), np.sin(alpha), np.cos(theta), np.sin(theta)
    return np.array([
        [ct, -st, 0, a],
        [st * ca, ct * ca, -sa, -sa * d],
        [st * sa, ct * sa, ca, ca * d],
        [0, 0, 0, 1],
    ])  # fmt: skip


def paul(a: float, alpha: float, d: float, theta: float) -> np.ndarray:
    """A_i of the standard convention, as Paul prints it."""
    ca, sa, ct, st = np.cos(alpha), np.sin(alpha), np.cos(theta), np.sin(theta)
    return np.array([
        [ct, -st * ca, st * sa, a * ct],
        [st, ct * ca, -ct * sa, a * st],
        [0, sa, ca, d],
        [0, 0, 0, 1],
    ])  # fmt: skip


MATRIX = {"modified": craig, "standard": paul}


def random_rows(kinds: str) -> list[DHRow]:
    rng = np.random.default_rng(sum(map(ord, kinds)) + len(kinds))
    words = {"R": "revolute", "P": "prismatic"}
    return [DHRow(*rng.normal(size=4), kind=words[kind], inertia=Inertia(*random_inertia(rng))) for kind in kinds]


def random_pose(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = random_rotation(rng), rng.normal(size=3)
    return T


def frames_of(rows: list[DHRow], convention: str, base: np.ndarray, q: np.ndarray) -> list[np.ndarray]:
    """T_{base,i} of every DH frame, with q in theta or d."""
    poses, T = [], base
    for row, qi in zip(rows, q, strict=True):
        slides = row.kind == "prismatic"
        d, theta = row.d + qi * slides, row.theta + qi * (not slides)
        T = T @ MATRIX[convention](row.a, row.alpha, d, theta)
        poses.append(T)
    return poses


def pinocchio_arm(rows: list[DHRow], convention: str, base: np.ndarray, gravity: np.ndarray) -> pin.Model:
    """Each link's Pinocchio frame is the joint's: its pose at q = 0 comes from the printed matrices."""
    model, at_zero = pin.Model(), frames_of(rows, convention, base, np.zeros(len(rows)))
    before, carrier = np.eye(4), 0
    for i, row in enumerate(rows):
        joint = at_zero[i] if convention == "modified" else [base, *at_zero][i]  # joint i turns about z_i, or z_{i-1}
        kind = pin.JointModelRZ if row.kind == "revolute" else pin.JointModelPZ
        carrier = model.addJoint(carrier, kind(), pin.SE3(np.linalg.inv(before) @ joint), f"joint_{i + 1}")
        body = pin.Inertia(row.inertia.mass, row.inertia.com, row.inertia.tensor)
        model.appendBodyToJoint(carrier, body, pin.SE3(np.linalg.inv(joint) @ at_zero[i]))
        before = joint
    model.gravity.linear = gravity
    return model


@pytest.mark.parametrize(("kinds", "convention"), each_once(KINDS, CONVENTIONS))
def test_poses_are_products_of_the_printed_matrices(kinds: str, convention: str) -> None:
    rows, base, tool = random_rows(kinds), random_pose(1), random_pose(2)
    arm = armdyn.Robot.from_dh(rows, convention=convention, base=base, tool=tool)
    positions = random_states(len(kinds), 4, seed=31).q
    found = [plainly(arm, "forward_kinematics", positions, frame=f"link_{i}") for i in range(len(kinds) + 1)]
    for k, q in enumerate(positions):
        expected = frames_of(rows, convention, base, q)
        for i, T in enumerate(expected, start=1):
            np.testing.assert_allclose(found[i][k], T, rtol=0, atol=1e-13)
        np.testing.assert_allclose(arm.forward_kinematics(q), expected[-1] @ tool, rtol=0, atol=1e-13)
        np.testing.assert_array_equal(found[0][k], base)


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("kinds", KINDS)
def test_dynamics_are_pinocchios(kinds: str, convention: str) -> None:
    rows, base, gravity = random_rows(kinds), random_pose(3), np.array([2.1, -3.3, -8.7])
    arm = armdyn.Robot.from_dh(rows, convention=convention, base=base, gravity=gravity)
    model = pinocchio_arm(rows, convention, base, gravity)
    data, s = model.createData(), random_states(len(kinds), 6, seed=32)
    each = list(zip(s.q, s.qd, s.qdd, strict=True))
    found = plainly(arm, "inverse_dynamics", s.q, s.qd, s.qdd)
    assert_close(found, np.array([pin.rnea(model, data, *state) for state in each]))


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_tuples_dicts_and_rows_in_degrees_are_the_same_arm(convention: str) -> None:
    table = [(0.1, 90, 0.2, 30), (0.3, -90, 0.4, 180, "P"), (0.5, 33, 0.6, -70, "R")]
    words = [dict(zip(("a", "alpha", "d", "theta", "kind"), row, strict=False)) for row in table]
    in_rad = [DHRow(a, np.radians(alpha), d, np.radians(theta)) for a, alpha, d, theta, *_ in table]
    in_rad[1] = DHRow(0.3, -np.pi / 2, 0.4, np.pi, kind="prismatic")
    arms = [
        armdyn.Robot.from_dh(table, convention=convention, degrees=True),
        armdyn.Robot.from_dh(words, convention=convention, degrees=True),
        armdyn.Robot.from_dh(in_rad, convention=convention),
    ]
    assert arms[0] == arms[1] == arms[2]


def test_inertias_and_limits_beside_the_rows() -> None:
    rows = random_rows("RPR")
    inertias, limits = [row.inertia for row in rows], [armdyn.Limits(-1, 1, 2, 3)] * 3
    plain = [(row.a, row.alpha, row.d, row.theta, row.kind) for row in rows]
    full = [DHRow(*row, inertia=inertia, limits=limits[0]) for row, inertia in zip(plain, inertias, strict=True)]
    beside = armdyn.Robot.from_dh(plain, convention="modified", inertias=inertias, limits=limits)
    assert beside == armdyn.Robot.from_dh(full, convention="modified")
    assert beside.joints[1].limits == limits[1]


def test_right_angles_are_exact() -> None:
    arm = armdyn.Robot.from_dh([(0, -np.pi / 2, 0.2, np.pi), (0.4, np.pi / 2, 0, 3 * np.pi / 2)], convention="modified")
    for joint in arm.joints:
        assert set(np.abs(joint.placement[:3, :3]).ravel()) == {0.0, 1.0}


def test_what_a_row_says_of_friction_and_collar_is_kept() -> None:
    row = {"a": 0, "alpha": 0, "d": 0, "theta": 0, "kind": "P", "damping": 3, "friction": 4, "collar": "parent"}
    joint = armdyn.Robot.from_dh([row], convention="standard", joint_names=["boom"]).joints[0]
    assert (joint.name, joint.damping, joint.friction, joint.collar) == ("boom", 3.0, 4.0, "parent")


def test_craigs_three_link_arm() -> None:
    """Craig's example 3.3: the planar 3R arm, whose tip is at (L1 c1 + L2 c12 + L3 c123, ...)."""
    L = 4.0, 3.0, 2.0
    tool = np.eye(4)
    tool[0, 3] = L[2]
    arm = armdyn.Robot.from_dh([(0, 0, 0, 0), (L[0], 0, 0, 0), (L[1], 0, 0, 0)], convention="modified", tool=tool)
    for q in random_states(3, 5, seed=33).q:
        angles = np.cumsum(q)
        expected = [L @ np.cos(angles), L @ np.sin(angles), 0.0]
        np.testing.assert_allclose(arm.forward_kinematics(q)[:3, 3], expected, rtol=0, atol=1e-14)


def test_ucls_two_link_arm() -> None:
    """UCL's example: point masses m at the ends of links L, gravity along -y; its M, V and G in closed form."""
    m, L, g = (3.0, 2.0), (3.0, 2.0), 9.8
    tool = np.eye(4)
    tool[0, 3] = L[1]
    inertias = [Inertia.point(m[i], [L[i], 0, 0]) for i in range(2)]
    arm = armdyn.Robot.from_dh(
        [(0, 0, 0, 0), (L[0], 0, 0, 0)], convention="modified", inertias=inertias, tool=tool, gravity=(0, -g, 0)
    )
    for q, qd, qdd, *_ in zip(*random_states(2, 5, seed=34), strict=True):
        c2, s2, c1, c12 = np.cos(q[1]), np.sin(q[1]), np.cos(q[0]), np.cos(q[0] + q[1])
        far, cross = m[1] * L[1] ** 2, m[1] * L[0] * L[1]
        M = [[far + 2 * cross * c2 + sum(m) * L[0] ** 2, far + cross * c2], [far + cross * c2, far]]
        V = [-cross * s2 * qd[1] ** 2 - 2 * cross * s2 * qd[0] * qd[1], cross * s2 * qd[0] ** 2]
        G = [m[1] * L[1] * g * c12 + sum(m) * L[0] * g * c1, m[1] * L[1] * g * c12]
        tau = M @ qdd + V + G
        np.testing.assert_allclose(arm.inverse_dynamics(q, qd, qdd), tau, rtol=0, atol=1e-12 * np.abs(tau).max())
