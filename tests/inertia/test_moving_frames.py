"""Velocities and accelerations seen from another moving frame, against derivatives by mpmath with 40 digits."""

from collections.abc import Callable

import mpmath as mp
import numpy as np
import pytest
import sympy as sp

from armdyn.spatial import (
    AccelerationTerms,
    FrameMotion,
    angular_acceleration,
    angular_velocity,
    frame_motion,
    point_acceleration,
    point_velocity,
)
from oracles.states import assert_close

NOW = "0.37"
Path = Callable[[mp.mpf], np.ndarray]


def turn(axis: int, angle: mp.mpf) -> np.ndarray:
    R = np.array(mp.eye(3).tolist(), dtype=object)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R[i, i] = R[j, j] = mp.cos(angle)
    R[j, i] = mp.sin(angle)
    R[i, j] = -R[j, i]
    return R


def axes_of_b(t: mp.mpf) -> np.ndarray:
    return turn(2, mp.sin(2 * t)) @ turn(0, t + t**2) @ turn(1, mp.cos(3 * t))


def origin_of_b(t: mp.mpf) -> np.ndarray:
    return np.array([mp.sin(t), t**3, mp.exp(-t)])


def axes_of_c(t: mp.mpf) -> np.ndarray:
    """In B."""
    return turn(0, mp.exp(t)) @ turn(2, 1 - t**3)


def point(t: mp.mpf) -> np.ndarray:
    """In B, where it is also C's origin."""
    return np.array([t**2 + 1, mp.cos(4 * t), mp.sinh(t)])


def derivative(f: Path, order: int = 1) -> np.ndarray:
    shape, t = f(mp.mpf(NOW)).shape, mp.mpf(NOW)
    values = [mp.diff(lambda s, k=k: f(s).ravel()[k], t, order) for k in range(f(t).size)]
    return np.array(values, dtype=object).reshape(shape)


def turning(R: Path) -> tuple[np.ndarray, np.ndarray]:
    """Angular velocity and acceleration of axes: [w] = Rdot R^T, [alpha] = Rddot R^T + Rdot Rdot^T."""
    R0, R1, R2 = R(mp.mpf(NOW)), derivative(R), derivative(R, 2)
    w, alpha = R1 @ R0.T, R2 @ R0.T + R1 @ R1.T
    return tuple(np.array([W[2, 1], W[0, 2], W[1, 0]]) for W in (w, alpha))  # type: ignore[return-value]


def motion(R: Path, p: Path) -> FrameMotion:
    """In double precision, from derivatives of the paths."""
    w, alpha = turning(R)
    t = mp.mpf(NOW)
    values = {"R": R(t), "p": p(t), "w": w, "v": derivative(p), "alpha": alpha, "a": derivative(p, 2)}
    return FrameMotion(**{name: value.astype(float) for name, value in values.items()})


@pytest.fixture(scope="module", autouse=True)
def _forty_digits() -> object:
    with mp.workdps(40):
        yield


@pytest.fixture(scope="module")
def B(_forty_digits: None) -> FrameMotion:
    """B seen from A."""
    return motion(axes_of_b, origin_of_b)


@pytest.fixture(scope="module")
def C(_forty_digits: None) -> FrameMotion:
    """C seen from B."""
    return motion(axes_of_c, point)


@pytest.fixture(scope="module")
def C_from_A(_forty_digits: None) -> FrameMotion:
    """C seen from A, by differentiating its pose in A."""
    return motion(lambda t: axes_of_b(t) @ axes_of_c(t), lambda t: origin_of_b(t) + axes_of_b(t) @ point(t))


def test_point(B: FrameMotion, C: FrameMotion, C_from_A: FrameMotion) -> None:
    assert_close(point_velocity(B, C.p, C.v)[None], C_from_A.v[None])
    assert_close(point_acceleration(B, C.p, C.v, C.a).total[None], C_from_A.a[None])


def test_frame(B: FrameMotion, C: FrameMotion, C_from_A: FrameMotion) -> None:
    assert_close(angular_velocity(B, C.w)[None], C_from_A.w[None])
    assert_close(angular_acceleration(B, C.w, C.alpha)[None], C_from_A.alpha[None])
    for ours, theirs in zip(frame_motion(B, C), C_from_A, strict=True):
        assert_close(ours[None], theirs[None])


def test_point_at_rest_in_b(B: FrameMotion, C: FrameMotion) -> None:
    """Without the terms of relative motion, as for revolute joints: Omega x (Omega x R Q), not Omega x (V x R Q)."""
    fixed = C.p

    def path(t: mp.mpf) -> np.ndarray:
        return origin_of_b(t) + axes_of_b(t) @ fixed

    terms = point_acceleration(B, fixed)
    assert_close(terms.total[None], derivative(path, 2).astype(float)[None])
    assert_close(point_velocity(B, fixed)[None], derivative(path).astype(float)[None])
    for name in ("relative", "coriolis"):
        np.testing.assert_array_equal(getattr(terms, name), 0.0)


def test_terms_have_their_names() -> None:
    """Each alone: what remains when everything else stands still."""
    Q, v, a, w = ([1.0, 2.0, 3.0], [0.3, -0.5, 0.7], [2.0, 1.0, -1.0], [0.5, 0.6, -0.7])
    cross = np.cross
    cases = {
        "origin": point_acceleration(FrameMotion.of(a=a), [0, 0, 0]),
        "relative": point_acceleration(FrameMotion.of(), Q, v, a),
        "euler": point_acceleration(FrameMotion.of(alpha=a), Q, v),
        "centripetal": point_acceleration(FrameMotion.of(w=w), Q),
        "coriolis": point_acceleration(FrameMotion.of(w=w), [0, 0, 0], v),
    }
    expected = {
        "origin": a,
        "relative": a,
        "euler": cross(a, Q),
        "centripetal": cross(w, cross(w, Q)),
        "coriolis": 2 * cross(w, v),
    }
    for name, terms in cases.items():
        for term in AccelerationTerms._fields:
            value = expected[name] if term == name else np.zeros(3)
            np.testing.assert_allclose(getattr(terms, term), value, rtol=1e-14, atol=0, err_msg=f"{name}: {term}")


def test_symbols_come_out_as_printed() -> None:
    """A link that turns with a slide on it: Craig's equation for prismatic joints."""
    w, alpha, d, dd, ddd = sp.symbols("omega alpha d d_dot d_ddot")
    terms = point_acceleration(FrameMotion.of(w=(0, 0, w), alpha=(0, 0, alpha)), (d, 0, 0), (dd, 0, 0), (ddd, 0, 0))
    assert list(terms.coriolis) == [0, 2 * w * dd, 0]
    assert [sp.expand(x) for x in terms.total] == [ddd - w**2 * d, 2 * w * dd + alpha * d, 0]
