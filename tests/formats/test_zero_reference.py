"""The zero reference position against the paper's displacement matrices, and Pinocchio."""

from itertools import pairwise

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from oracles.states import assert_close, random_states
from oracles.trees import random_inertia, random_rotation

KINDS = ["R", "P", "RR", "PR", "RRPRPR", "RRRRRR"]
GRAVITY = np.array([1.1, -2.2, -9.3])
INCH, POUND = 0.0254, 4.4482216152605


def random_arm(kinds: str) -> dict:
    """Every quantity of the paper, general."""
    rng = np.random.default_rng(len(kinds) + 7 * kinds.count("P"))
    n = len(kinds)
    axes, hand_axes = rng.normal(size=(n, 3)), random_rotation(rng)
    bodies = [random_inertia(rng) for _ in range(n)]
    points = rng.normal(size=(n + 1, 3))
    return {
        "axes": axes / np.linalg.norm(axes, axis=1, keepdims=True),
        "kinds": kinds,
        "points": points[:-1],
        "hand": points[-1],
        "axial": hand_axes[:, 0],
        "transverse": hand_axes[:, 1],
        "c": np.array([com for _, com, _ in bodies]),
        "masses": np.array([mass for mass, *_ in bodies]),
        "inertias": np.array([tensor for *_, tensor in bodies]),
    }


def displacement(theta: float, s: float, u: np.ndarray, Q: np.ndarray) -> np.ndarray:
    """D(theta, s, u_0, Q_0), the paper's (1b): a rotation about and a translation along a line."""
    K = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    D = np.eye(4)
    D[:3, :3] += K * np.sin(theta) + K @ K * (1 - np.cos(theta))
    D[:3, 3] = s * u - (D[:3, :3] - np.eye(3)) @ Q
    return D


@pytest.mark.parametrize("kinds", KINDS)
def test_hand_is_displaced_from_its_zero_position(kinds: str) -> None:
    """The product of displacements (1a) moves the hand point and its two unit vectors."""
    given = random_arm(kinds)
    arm = armdyn.Robot.from_zero_reference(**given)
    home = np.eye(4)
    home[:3, 0], home[:3, 2] = given["transverse"], given["axial"]
    home[:3, 1] = np.cross(home[:3, 2], home[:3, 0])
    home[:3, 3] = given["hand"]
    for q in random_states(len(kinds), 4, seed=41).q:
        T = np.eye(4)
        for qk, kind, u, Q in zip(q, kinds, given["axes"], given["points"], strict=True):
            T = T @ displacement(qk * (kind == "R"), qk * (kind == "P"), u, Q)
        np.testing.assert_allclose(arm.forward_kinematics(q), T @ home, rtol=0, atol=1e-13)


@pytest.mark.parametrize("kinds", KINDS)
def test_dynamics_are_pinocchios(kinds: str) -> None:
    given = random_arm(kinds)
    arm = armdyn.Robot.from_zero_reference(**given, gravity=GRAVITY)
    model, at = pin.Model(), [np.zeros(3), *given["points"]]
    for k, (before, here) in enumerate(pairwise(at)):
        joint = {"R": pin.JointModelRevoluteUnaligned, "P": pin.JointModelPrismaticUnaligned}[kinds[k]]
        index = model.addJoint(k, joint(*given["axes"][k]), pin.SE3(np.eye(3), here - before), f"joint_{k + 1}")
        body = pin.Inertia(given["masses"][k], given["c"][k], given["inertias"][k])
        model.appendBodyToJoint(index, body, pin.SE3.Identity())
    model.gravity.linear = GRAVITY
    data, s = model.createData(), random_states(len(kinds), 6, seed=42)
    each = list(zip(s.q, s.qd, s.qdd, strict=True))
    assert_close(arm.inverse_dynamics(s.q, s.qd, s.qdd), np.array([pin.rnea(model, data, *state) for state in each]))


@pytest.mark.slow
def test_points_and_body_vectors_are_two_ways_to_the_same_arm() -> None:
    given = random_arm("RRPRPR")
    arm = armdyn.Robot.from_zero_reference(**given)
    points = np.vstack([given.pop("points"), given.pop("hand")])
    b, c, start = np.diff(points, axis=0), given.pop("c"), points[0]
    s = random_states(6, 4, seed=43)
    expected = arm.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip)
    for vectors in ({"b": b, "c": c}, {"b": b, "d": b - c}, {"c": c, "d": b - c}, {"b": b, "c": c, "d": b - c}):
        other = armdyn.Robot.from_zero_reference(**given, **vectors, first_center=start)
        assert_close(other.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip), expected)
    with_d = armdyn.Robot.from_zero_reference(**given, points=points[:-1], hand=points[-1], d=b - c)
    assert_close(with_d.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip), expected)


def test_pounds_and_inches() -> None:
    """Weights in lbf, lengths in inches, inertias in lbf in s^2: the same arm as in SI, converted by hand."""
    given = random_arm("RPR")
    si = armdyn.Robot.from_zero_reference(**given)
    lengths = {name: np.asarray(given.pop(name)) / INCH for name in ("points", "hand", "c")}
    weights = given.pop("masses") * 9.80665 / POUND
    inertias = given.pop("inertias") / (POUND * INCH)
    units = armdyn.Units.pounds_and_inches()
    s = random_states(3, 4, seed=44)
    other = armdyn.Robot.from_zero_reference(**given, **lengths, weights=weights, inertias=inertias, units=units)
    assert_close(other.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip), si.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip))
    moon = armdyn.Robot.from_zero_reference(
        **given, **lengths, weights=weights / 6, inertias=inertias, units=units, weighed_at=9.80665 / 6
    )
    assert_close(moon.mass_matrix(s.q), si.mass_matrix(s.q))


def test_units() -> None:
    units = armdyn.Units(length=0.3048, mass=0.45359237)  # feet and pounds of mass: force in poundals
    assert units.force == pytest.approx(0.138254954376, rel=1e-15)
    assert units.inertia == pytest.approx(0.04214011009, rel=1e-9)
    assert armdyn.Units.pounds_and_inches().mass == pytest.approx(175.1268352, rel=1e-9)  # lbf s^2/in
    assert armdyn.Units() == armdyn.Units.gravitational(length=1.0, force=1.0)


SAID = [("link_1", "parent"), ("link_2", "child"), ("parent", "parent"), (None, "child")]


@pytest.mark.parametrize(("said", "side"), SAID)
def test_collar_is_kept_and_moves_no_joint_force(said: str | None, side: str) -> None:
    given = random_arm("RPR")
    arm = armdyn.Robot.from_zero_reference(**given, collars={} if said is None else {"joint_2": said})
    assert arm.joints[1].collar == side
    s = random_states(3, 3, seed=45)
    other = armdyn.Robot.from_zero_reference(**given)
    np.testing.assert_array_equal(arm.inverse_dynamics(s.q, s.qd, s.qdd), other.inverse_dynamics(s.q, s.qd, s.qdd))
    assert (arm == other) == (side == "child")


def test_kinematics_alone_need_no_masses() -> None:
    arm = armdyn.Robot.from_zero_reference([(0, 0, 1), (0, 1, 0)], points=[(0, 0, 0), (0, 0, 1)], hand=(1, 0, 1))
    np.testing.assert_allclose(arm.forward_kinematics([np.pi / 2, 0.0])[:3, 3], [0, 1, 1], atol=1e-15)
    assert any("no mass moves" in note for note in arm.notes)


def test_the_papers_hand_frame() -> None:
    """Tip: x along the transverse, z along the axial unit vector."""
    T = armdyn.load("kg_puma").forward_kinematics(np.zeros(6))
    np.testing.assert_array_equal(T[:3, :3] + 0.0, [[0, -1, 0], [-1, 0, 0], [0, 0, -1]])
    np.testing.assert_allclose(T[:3, 3], np.array([17, 10, -22]) * INCH, rtol=1e-15)


def test_units_that_leave_the_range_of_numbers() -> None:
    given = {"c": [[0.9, 0.0, 0.0]], "masses": [4.0], "points": [[0.9, 0.0, 0.0]], "hand": [0.0, 0.0, 0.6]}
    with pytest.raises(armdyn.ModelError, match="inertias are beyond the range of numbers"):
        armdyn.Robot.from_zero_reference(
            [[0.0, 0.0, 1.0]], **given, inertias=[np.diag([3.0, 5.0, 6.0])], units=armdyn.Units(1e200)
        )
