"""Arms whose numbers are of very different size, against fifty digits: axes that are nearly parallel in any direction,
a base far from the origin, links as thin as needles."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn import Inertia, Limits, Part
from armdyn.spatial.turns import matrix
from oracles.newton_euler_mp import ExactTree
from oracles.short_run import short_run
from oracles.states import random_states

BODY = Inertia(1.3, [0.1, 0.2, 0.05], [[0.1, 0.01, -0.02], [0.01, 0.2, 0.03], [-0.02, 0.03, 0.25]])
GRAVITY = (1.0, 2.0, -9.81)
BOUNDED = Limits(-3.0, 3.0, 1.0, 1.0)
TILTS = [1.0, 0.1, 1e-2, 1e-4, 3e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 3e-14, 1.1e-14, 1e-14, 1e-15, 1e-16]


def worst(robot: armdyn.Robot, folder: Path, seed: int = 7) -> np.ndarray:
    """The largest relative errors of inverse dynamics by joint, of its own reading of the URDF file."""
    path = folder / "arm.urdf"
    robot.with_gravity([0, 0, -9.81]).to_urdf(path)  # else a link "world" is turned, and gravity with it
    exact = ExactTree.of_urdf(path, robot.joint_names, robot.gravity)
    s = random_states(robot.dof, 5, seed=seed)
    actual = robot.inverse_dynamics(s.q, s.qd, s.qdd)
    expected = [exact.inverse_dynamics(*state) for state in zip(s.q, s.qd, s.qdd, strict=True)]
    sizes = np.abs(np.array(expected, dtype=float))
    return np.max(np.array(np.abs(actual - expected) / sizes, dtype=float), axis=0)


def unit(v: np.ndarray) -> np.ndarray:
    return v / np.sqrt((v * v).sum())


def leaning(tilt: float, rng: np.random.Generator) -> armdyn.Robot:
    """Three axes off all coordinate axes, each leaned by ``tilt`` against the one before; the last link slides."""
    z = unit(rng.normal(size=3))
    parts = []
    for k in range(4):
        across = unit(np.cross(z, rng.normal(size=3)))
        kind = "prismatic" if k == 3 else "revolute"
        place = rng.normal(0.0, 0.3, 3)
        parent = f"link{k - 1}" if k else "base"
        parts.append(Part(f"link{k}", parent, kind, axis=z, xyz=place, inertia=BODY, limits=BOUNDED))
        z = unit(z + tilt * across)
    return armdyn.Robot.from_links(parts, gravity=GRAVITY, tip="link3")


@pytest.mark.short_run(without=("0.0001",))
@pytest.mark.parametrize("tilt", short_run(TILTS, 1e-4, 1e-8, 1.1e-14, 1e-14, 1e-16))
def test_nearly_parallel_axes_of_any_direction(tilt: float, tmp_path: Path) -> None:
    robot = leaning(tilt, np.random.default_rng(3))
    assert worst(robot, tmp_path).max() < 1e-12
    q = np.array([0.3, -1.2, 0.7, 0.4])
    expected = np.eye(4)
    for joint, position in zip(robot.model.joints, q, strict=True):
        expected = expected @ joint.placement @ motion(joint, position)
    np.testing.assert_allclose(robot.forward_kinematics(q), expected, rtol=0, atol=5e-14)


def motion(joint: armdyn.Joint, q: float) -> np.ndarray:
    T = np.eye(4)
    if joint.kind == "prismatic":
        T[:3, 3] = q * joint.axis
    else:
        x, y, z = joint.axis
        K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        T[:3, :3] += np.sin(q) * K + (1 - np.cos(q)) * K @ K
    return T


@pytest.mark.parametrize("tilt", TILTS)
def test_canonical_frames_are_rotations(tilt: float) -> None:
    mechanism = leaning(tilt, np.random.default_rng(3)).mechanism
    rotations = [np.array(matrix(body.turns_at(0.7)), dtype=float) for body in mechanism.bodies]
    rotations += [body.link_pose[:3, :3] for body in mechanism.bodies]
    rotations += [pose[:3, :3] for _, pose in mechanism.frames.values()]
    assert max(np.abs(R.T @ R - np.eye(3)).max() for R in rotations) < 1e-15


@pytest.mark.short_run("PRR", "PPR", "RRR")
@pytest.mark.parametrize("kinds", ["RPR", "PRR", "RRR", "PPR"])
def test_place_of_the_base_does_not_matter(kinds: str) -> None:
    """Forces are those of the same arm at the origin, however far away it stands."""

    def standing(x: float) -> armdyn.Robot:
        axes = [unit(np.array(v)) for v in ([0, 1, 0.5], [1, 1, 0.5], [0.2, -0.4, 1.0])]
        parts = [
            Part(
                f"link{k}", f"link{k - 1}" if k else "base", "prismatic" if kind == "P" else "revolute",
                axis=axes[k], xyz=(0.125 + (x if k == 0 else 0.0), 0.25, 0.5), rpy=(0.1 * k, 0.2, 0.0), inertia=BODY,
            )
            for k, kind in enumerate(kinds)
        ]  # fmt: skip
        return armdyn.Robot.from_links(parts, gravity=GRAVITY)

    s = random_states(3, 5, seed=9)
    expected = standing(0.0).inverse_dynamics(s.q, s.qd, s.qdd)
    for far in (1.0, 1e2, 1e3, 1e5, 2.0**40):
        np.testing.assert_allclose(standing(far).inverse_dynamics(s.q, s.qd, s.qdd), expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("ratio", [1e-3, 1e-5, 1e-7, 1e-9, 1e-11])
def test_needles_keep_the_digits_of_their_axial_inertia(ratio: float, tmp_path: Path) -> None:
    """The joint along a needle feels its small moment alone: every joint's own torque has all its digits.

    The second moments are what a URDF file says in decimal numbers, in axes that are those of no link.
    """
    rng = np.random.default_rng(1)
    parts = [Part("a", "base", axis=unit(rng.normal(size=3)), xyz=(0.1, 0.2, 0.3), inertia=BODY, limits=BOUNDED)]
    parts += [Part("b", "a", axis=unit(rng.normal(size=3)), xyz=(0.3, 0.1, 0.2), inertia=BODY, limits=BOUNDED)]
    needle = Inertia(1.0, (0.0, 0.0, 0.3), np.diag([1.0, 1.0, ratio]))
    parts += [Part("c", "b", axis=(0, 0, 1), xyz=(0, 0, 0.3), rpy=(0.3, 0.5, 0.2), inertia=needle, limits=BOUNDED)]
    robot = armdyn.Robot.from_links(parts, gravity=GRAVITY, check_inertia=False)
    assert worst(robot, tmp_path).max() < 1e-12


@pytest.mark.parametrize("height", [3.0, 1e3, 1e6, 1e12])
@pytest.mark.parametrize("heavy", [True, False])
def test_an_empty_branch_far_away_costs_no_digits(height: float, heavy: bool, tmp_path: Path) -> None:
    """The first child without mass stands high above a link that carries the rest of the arm near its own origin."""
    first = BODY if heavy else Inertia()
    parts = [
        Part("a", "base", axis=(0, 0, 1), xyz=(0.1, 0.2, 0.3), inertia=first, limits=BOUNDED),
        Part("high", "a", axis=(1, 0, 0), xyz=(0.0, 2.0, height), inertia=Inertia(), limits=BOUNDED),
        Part("b", "a", axis=(0.6, 0.0, 0.8), xyz=(0.3, 0.1, 0.2), inertia=BODY, limits=BOUNDED),
    ]
    robot = armdyn.Robot.from_links(parts, gravity=GRAVITY)
    path = tmp_path / "arm.urdf"
    robot.with_gravity([0, 0, -9.81]).to_urdf(path)  # else a link "world" is turned, and gravity with it
    exact = ExactTree.of_urdf(path, robot.joint_names, robot.gravity)
    s = random_states(robot.dof, 5, seed=4)
    expected = np.array([exact.inverse_dynamics(*x) for x in zip(s.q, s.qd, s.qdd, strict=True)], dtype=float)
    np.testing.assert_allclose(robot.inverse_dynamics(s.q, s.qd, s.qdd), expected, rtol=1e-12, atol=1e-12)
