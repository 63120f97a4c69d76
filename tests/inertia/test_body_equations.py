"""Newton's, Euler's and the twist-wrench equation of one body against sums over its points, and momentum's derivative.

A free body's path is given in closed form and differentiated by mpmath with 40 digits.
"""

from collections.abc import Callable

import modern_robotics as mr
import mpmath as mp
import numpy as np
import pinocchio as pin
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

from armdyn import Inertia
from armdyn.spatial import (
    ad,
    adjoint,
    body_wrench,
    coadjoint,
    euler,
    euler_principal,
    lie_bracket,
    newton,
    twist_in,
    wrench_in,
)
from oracles.states import assert_close

RNG = np.random.default_rng(11)
V1, V2, V3, VDOT, F = RNG.normal(size=(5, 6))
A = RNG.normal(size=(3, 3))
S = A @ A.T
BODY = Inertia(2.7, RNG.normal(size=3), np.trace(S) * np.eye(3) - S)
T = np.eye(4)
T[:3, :3], T[:3, 3] = Rotation.random(rng=5).as_matrix(), RNG.normal(size=3)


def test_ad_is_modern_robotics() -> None:
    assert_close(ad(V1), mr.ad(V1))
    assert_close(ad(V1) @ V2, lie_bracket(V1, V2))
    assert_close(ad(V1).T @ F, coadjoint(V1, F))


def test_lie_bracket_is_the_commutator_of_matrices() -> None:
    """Modern Robotics 8.36, 8.37: [V1][V2] - [V2][V1] in se(3)."""
    X, Y = mr.VecTose3(V1), mr.VecTose3(V2)
    assert_close(mr.se3ToVec(X @ Y - Y @ X).ravel(), lie_bracket(V1, V2))


def test_jacobi_identity() -> None:
    """Modern Robotics, exercise 8.5, for all twists: in symbols."""
    a, b, c = (np.array(sp.symbols(f"{x}1:7")) for x in "abc")
    total = (
        lie_bracket(a, lie_bracket(b, c)) + lie_bracket(c, lie_bracket(a, b)) + lie_bracket(b, lie_bracket(c, a))
    )  # fmt: skip
    assert [sp.expand(x) for x in total] == [0] * 6


def test_brackets_go_along_with_a_change_of_frame() -> None:
    assert_close(twist_in(T, lie_bracket(V1, V2)), lie_bracket(twist_in(T, V1), twist_in(T, V2)))
    assert_close(wrench_in(T, coadjoint(V1, F)), coadjoint(twist_in(T, V1), wrench_in(T, F)))


def test_power_is_the_same_in_every_frame() -> None:
    np.testing.assert_allclose(twist_in(T, V1) @ wrench_in(T, F), V1 @ F, rtol=1e-12)
    assert_close(wrench_in(T, F), adjoint(np.linalg.inv(T)).T @ F)
    assert_close(twist_in(T, V1), mr.Adjoint(T) @ V1)


def test_pinocchio() -> None:
    """Momentum, energy and the wrench by a library whose twists are linear part first."""
    theirs = pin.Inertia(BODY.mass, BODY.com, BODY.tensor)
    v, a = (pin.Motion(x[3:], x[:3]) for x in (V1, VDOT))
    assert_close(BODY.momentum(V1), np.roll((theirs * v).vector, 3))
    np.testing.assert_allclose(BODY.kinetic_energy(V1), theirs.vtiv(v) / 2, rtol=1e-13)
    wrench = theirs * a + v.cross(theirs * v)
    assert_close(BODY.wrench(V1, VDOT), np.roll(wrench.vector, 3))


def test_energy_and_momentum_of_point_masses() -> None:
    m, r = RNG.uniform(0.5, 2.0, 12), RNG.normal(size=(12, 3))
    c = m @ r / m.sum()
    tensor = sum(mi * (d @ d * np.eye(3) - np.outer(d, d)) for mi, d in zip(m, r - c, strict=True))
    body = Inertia(m.sum(), c, tensor)
    v = V1[3:] + np.cross(V1[:3], r)  # of every point
    np.testing.assert_allclose(body.kinetic_energy(V1), (m * (v**2).sum(axis=1)).sum() / 2, rtol=1e-12)
    assert_close(body.momentum(V1), np.concatenate([m @ np.cross(r, v), m @ v]))


def test_form_of_the_equation_is_that_of_every_frame() -> None:
    """Modern Robotics, exercise 8.3: 8.43 follows from 8.40 for any frame fixed to the body."""
    in_a = BODY.seen_from(T).wrench(twist_in(T, V1), twist_in(T, VDOT))
    assert_close(in_a, wrench_in(T, BODY.wrench(V1, VDOT)))


def test_at_the_centre_of_mass_it_is_newton_and_euler() -> None:
    """Modern Robotics 8.22, 8.23: the acceleration of the centre of mass is vdot + w x v."""
    centred = BODY.at(-BODY.com)
    w, v, alpha, vdot = V1[:3], V1[3:], VDOT[:3], VDOT[3:]
    wrench = centred.wrench(V1, VDOT)
    assert_close(wrench[:3], euler(BODY.tensor, w, alpha))
    assert_close(wrench[3:], newton(BODY.mass, vdot + np.cross(w, v)))


def test_euler_in_principal_axes() -> None:
    """Modern Robotics 8.25."""
    moments, R, _ = BODY.principal_axes
    w, alpha = V1[:3], VDOT[:3]
    assert_close(R @ euler_principal(moments, R.T @ w, R.T @ alpha), euler(BODY.tensor, w, alpha))
    x, y, z, p, q, r, dp, dq, dr = sp.symbols("I_x I_y I_z p q r dp dq dr")
    printed = [x * dp + (z - y) * q * r, y * dq + (x - z) * p * r, z * dr + (y - x) * p * q]
    assert list(euler_principal([x, y, z], [p, q, r], [dp, dq, dr])) == printed
    general = euler(np.diag([x, y, z]), [p, q, r], [dp, dq, dr])
    assert [sp.expand(a - b) for a, b in zip(general, printed, strict=True)] == [0, 0, 0]


def pose(t: mp.mpf) -> np.ndarray:
    """A body's pose at the time t in a frame at rest: turns about three axes, and a path."""

    def turn(axis: int, angle: mp.mpf) -> np.ndarray:
        R = np.array(mp.eye(3).tolist(), dtype=object)
        i, j = (axis + 1) % 3, (axis + 2) % 3
        R[i, i] = R[j, j] = mp.cos(angle)
        R[j, i] = mp.sin(angle)
        R[i, j] = -R[j, i]
        return R

    T = np.array(mp.eye(4).tolist(), dtype=object)
    T[:3, :3] = turn(2, mp.sin(2 * t)) @ turn(0, t + t**2) @ turn(1, mp.cos(3 * t))
    T[:3, 3] = [mp.sin(t), t**3, mp.exp(-t)]
    return T


def derivative(f: Callable[[mp.mpf], np.ndarray], t: mp.mpf) -> np.ndarray:
    shape = f(t).shape
    return np.array([mp.diff(lambda s, k=k: f(s).ravel()[k], t) for k in range(f(t).size)], dtype=object).reshape(shape)


def vee(W: np.ndarray) -> np.ndarray:
    return np.array([W[2, 1], W[0, 2], W[1, 0]])


def body_twist(t: mp.mpf) -> np.ndarray:
    """T^-1 Tdot."""
    T, Td = pose(t), derivative(pose, t)
    return np.concatenate([vee(T[:3, :3].T @ Td[:3, :3]), T[:3, :3].T @ Td[:3, 3]])


def space_twist(t: mp.mpf) -> np.ndarray:
    """Tdot T^-1."""
    T, Td = pose(t), derivative(pose, t)
    W = Td[:3, :3] @ T[:3, :3].T
    return np.concatenate([vee(W), Td[:3, 3] - W @ T[:3, 3]])


def space_momentum(t: mp.mpf) -> np.ndarray:
    """Angular momentum about the origin at rest, and linear momentum, from the velocities of mass and axes alone."""
    T, Td = pose(t), derivative(pose, t)
    R, w = T[:3, :3], vee(Td[:3, :3] @ T[:3, :3].T)
    c, v = R @ BODY.com + T[:3, 3], Td[:3, :3] @ BODY.com + Td[:3, 3]
    p = BODY.mass * v
    turning = R @ (BODY.tensor @ (R.T @ w))
    return np.concatenate([turning + np.array([c[1] * p[2] - c[2] * p[1], c[2] * p[0] - c[0] * p[2],
                                               c[0] * p[1] - c[1] * p[0]]), p])  # fmt: skip


@pytest.fixture(scope="module")
def moving() -> dict[str, np.ndarray]:
    """Pose, twists, their derivatives and the derivative of momentum at one instant, in double precision at the end."""
    with mp.workdps(40):
        t = mp.mpf("0.37")
        values = {
            "T": pose(t),
            "body": body_twist(t),
            "body_dot": derivative(body_twist, t),
            "space": space_twist(t),
            "space_dot": derivative(space_twist, t),
            "force": derivative(space_momentum, t),
        }
        return {name: value.astype(float) for name, value in values.items()}


@pytest.mark.slow
def test_wrench_is_the_rate_of_momentum_in_a_frame_at_rest(moving: dict[str, np.ndarray]) -> None:
    """There G changes; the form is the same (Modern Robotics 8.43)."""
    at_rest = BODY.seen_from(moving["T"])
    assert_close(body_wrench(at_rest.spatial_inertia, moving["space"], moving["space_dot"]), moving["force"])


@pytest.mark.slow
def test_wrench_is_the_rate_of_momentum_in_the_bodys_frame(moving: dict[str, np.ndarray]) -> None:
    assert_close(wrench_in(moving["T"], BODY.wrench(moving["body"], moving["body_dot"])), moving["force"])
