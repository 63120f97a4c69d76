"""Logarithms of rotations from no turn to half a turn, beside mpmath; and tools that turn over."""

from typing import Any

import mpmath
import numpy as np
import pytest

import armdyn
import armdyn.modern_robotics as mr
from armdyn.control import rotation_vector
from armdyn.kinematics import aims
from armdyn.trajectory.following import _rotation_vector as followed

RNG = np.random.default_rng(29)
NEAR_ZERO = (0.0, 1e-160, 1e-12, 1e-8, 9.99e-7, 1.001e-6, 1e-3, 0.5)
NEAR_RIGHT = (1.5, np.pi / 2 - 1e-9, np.pi / 2, np.pi / 2 + 1e-9, 2.0, 3.0)
NEAR_HALF = tuple(np.pi - e for e in (1e-3, 1e-5, 1e-6, 1e-7, 1e-8, 1e-12, 2e-15))
AXES = [*np.eye(3), *-np.eye(3), *RNG.normal(size=(6, 3)), [1, -1, 0], [1, 1, -1], [1, 2e-3, 1e-3], [1e-5, -1, 1e-3]]
UNIT = [np.asarray(axis, dtype=float) / np.linalg.norm(axis) for axis in AXES]


def exponential(w: np.ndarray) -> np.ndarray:
    """exp([w]) by mpmath at 50 digits, rounded once."""
    with mpmath.workdps(50):
        x, y, z = map(mpmath.mpf, w.tolist())
        theta = mpmath.sqrt(x * x + y * y + z * z)
        K = mpmath.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        s, c = (mpmath.sinc(theta), 2 * mpmath.sin(theta / 2) ** 2 / theta**2) if theta else (1, 0)
        return np.array((mpmath.eye(3) + s * K + c * K * K).tolist(), dtype=float)


@armdyn.function("(3,3)->(3)")
def turn(model: Any, R: Any) -> Any:
    """The rotation vector w, rad, shape (..., 3)."""
    return rotation_vector(R)


TRACED = armdyn.load("planar_2r").compile(turn)

LOGARITHMS = {
    "numbers": lambda R: rotation_vector(R).astype(float),
    "traced": TRACED,
    "inverse kinematics": lambda R: aims.rotation_vector(R)[0].astype(float),
    "following": followed,
    "MatrixLog3": lambda R: mr.so3ToVec(mr.MatrixLog3(R)),
}


@pytest.mark.parametrize("name", LOGARITHMS)
def test_all_angles(name: str) -> None:
    log = LOGARITHMS[name]
    for angle in (*NEAR_ZERO, *NEAR_RIGHT, *NEAR_HALF):
        for axis in UNIT:
            w = angle * axis
            np.testing.assert_allclose(log(exponential(w)), w, rtol=0, atol=1e-12 * angle)
    for axis in UNIT:  # of half a turn one of the two, of full length
        found = log(exponential(np.pi * axis))
        np.testing.assert_allclose(min(found - np.pi * axis, found + np.pi * axis, key=np.linalg.norm), 0.0, atol=1e-12)


def test_half_turns_by_matrices_without_rounding() -> None:
    """The axial vector is exactly zero."""
    for axis in UNIT:
        R = 2.0 * np.outer(axis, axis) - np.eye(3)
        for log in LOGARITHMS.values():
            found = log(R)
            np.testing.assert_allclose(np.outer(found, found), np.pi**2 * np.outer(axis, axis), atol=1e-12)


def test_of_four_bytes_and_its_derivatives() -> None:
    """w_dot of the body twist W along w itself is W: d w = w / |w| per rad of turn about it, at every angle."""
    by = TRACED.derivative("R")
    back = TRACED.vjp("R")
    for angle in (0.0, 1e-8, 1e-3, 1.0, 2.0, np.pi - 1e-7, np.pi):
        for axis in UNIT:
            R = exponential(angle * axis)
            Rd = R @ mr.VecToso3(axis)
            np.testing.assert_allclose(np.einsum("ijk,jk->i", by(R), Rd), axis, atol=1e-8)
            np.testing.assert_allclose(np.sum(back(R, cotangent_out=axis) * Rd), 1.0, atol=1e-8)
            found = TRACED(R.astype(np.float32))  # beyond half a turn by rounding, the other way round
            expected = (
                min(angle * axis, -angle * axis, key=lambda w: np.linalg.norm(found - w)) if angle > 3 else angle * axis
            )
            np.testing.assert_allclose(found, expected, atol=4e-6)


ROBOT = armdyn.load("ur5")
Q0 = np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])
OVER = ROBOT.forward_kinematics(Q0) @ np.diag([1.0, -1.0, -1.0, 1.0])


@pytest.mark.parametrize("name", ["operational_space", "impedance", "admittance"])
def test_the_tool_turns_over(name: str) -> None:
    """Half a turn away, as far as there is: critically damped, the tool arrives."""
    gains: dict[str, Any] = {"Kp": np.full(6, 100.0), "Kd": np.full(6, 20.0)}
    if name == "impedance":
        gains = {"K": np.full(6, 100.0), "B": np.full(6, 20.0), "M_virtual": np.ones(6), "f_measured": np.zeros(6)}
    if name == "admittance":
        more = {"M_virtual": np.ones(3), "B": np.full(3, 20.0), "K": np.full(3, 100.0)}
        gains |= more | {"f_measured": np.zeros(6)}
    loop = armdyn.ClosedLoop(ROBOT, getattr(armdyn.control, name))
    end = loop(Q0, steps=2000, T_ref=OVER, **gains).final.q
    left = ROBOT.forward_kinematics(end)[:3, :3].T @ OVER[:3, :3]
    assert np.linalg.norm(mr.so3ToVec(mr.MatrixLog3(left))) < 1e-6
