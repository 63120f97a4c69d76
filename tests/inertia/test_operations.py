"""Moving, turning, joining and cutting bodies, principal axes and matrices, against clouds of points and Pinocchio."""

import pickle
from typing import NamedTuple

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from armdyn import Inertia, inertia
from armdyn.spatial import adjoint, spatial_inertia_in
from oracles.states import assert_close


class Cloud(NamedTuple):
    """Point masses, whose integrals are sums."""

    m: np.ndarray
    r: np.ndarray

    def tensor_about(self, q: np.ndarray) -> np.ndarray:
        d = self.r - q
        return np.einsum("i,ij,ij->", self.m, d, d) * np.eye(3) - np.einsum("i,ij,ik->jk", self.m, d, d)

    @property
    def inertia(self) -> Inertia:
        c = self.m @ self.r / self.m.sum()
        return Inertia(self.m.sum(), c, self.tensor_about(c))


RNG = np.random.default_rng(3)
CLOUD = Cloud(RNG.uniform(0.1, 2.0, 40), RNG.normal((1.0, -2.0, 0.5), size=(40, 3)))
BODY = CLOUD.inertia
R = Rotation.random(rng=4).as_matrix()
T = np.block([[R, np.array([[0.3], [-0.7], [1.1]])], [np.zeros((1, 3)), np.ones((1, 1))]])
POINT = np.array([0.4, -1.2, 2.2])


def test_tensor_about_a_point() -> None:
    assert_close(BODY.tensor_about(POINT), CLOUD.tensor_about(POINT))
    assert_close(BODY.tensor_about([0, 0, 0]), BODY.tensor_about_origin)
    assert_close(BODY.tensor_about(BODY.com), BODY.tensor)


def test_tensor_about_a_point_in_other_axes() -> None:
    """In axes whose columns stand in R, a point r of the body is R^T r."""
    turned = Cloud(CLOUD.m, (CLOUD.r - POINT) @ R)
    assert_close(BODY.tensor_about(POINT, axes=R), turned.tensor_about(np.zeros(3)))


def test_moment_about_an_axis_is_the_sum_of_squared_distances() -> None:
    d = R[:, 1]
    squares = (np.cross(CLOUD.r - POINT, d) ** 2).sum(axis=1)
    np.testing.assert_allclose(BODY.moment_about(d, point=POINT), CLOUD.m @ squares, rtol=1e-12)
    elsewhere_on_it = POINT + 3.3 * d
    np.testing.assert_allclose(BODY.moment_about(d, point=elsewhere_on_it), CLOUD.m @ squares, rtol=1e-12)
    np.testing.assert_allclose(BODY.moment_about(d), d @ BODY.tensor @ d, rtol=1e-12)


def test_parallel_axes() -> None:
    """Modern Robotics 8.28: a shift by a distance across the axis adds m d^2, along it nothing."""
    d, across = R[:, 0], R[:, 2]
    far = BODY.moment_about(d, point=BODY.com + 0.7 * across + 5.0 * d)
    np.testing.assert_allclose(far - BODY.moment_about(d), BODY.mass * 0.49, rtol=1e-10)


def test_seen_from_another_frame() -> None:
    there = Cloud(CLOUD.m, CLOUD.r @ R.T + T[:3, 3]).inertia
    ours = BODY.seen_from(T)
    np.testing.assert_allclose(ours.com, there.com, rtol=1e-12)
    assert_close(ours.tensor, there.tensor)
    back = ours.seen_from(np.linalg.inv(T))
    assert_close(back.tensor, BODY.tensor)
    np.testing.assert_allclose(BODY.at(POINT).com, BODY.com + POINT, rtol=1e-15)
    assert_close(BODY.at(POINT).tensor, BODY.tensor)


def test_bodies_add_and_are_cut_out() -> None:
    parts = [Cloud(CLOUD.m[i::3], CLOUD.r[i::3]).inertia for i in range(3)]
    whole = parts[0] + parts[1] + parts[2]
    assert_close(whole.tensor, BODY.tensor)
    np.testing.assert_allclose(whole.com, BODY.com, rtol=1e-12)
    rest = whole - parts[1]
    assert_close(rest.tensor, (parts[0] + parts[2]).tensor, 1e-11)
    np.testing.assert_allclose(rest.mass, parts[0].mass + parts[2].mass, rtol=1e-12)
    np.testing.assert_allclose(rest.com, (parts[0] + parts[2]).com, rtol=1e-12)


def test_with_mass() -> None:
    heavy = BODY.with_mass(3 * BODY.mass)
    assert_close(heavy.tensor, Cloud(3 * CLOUD.m, CLOUD.r).inertia.tensor)
    np.testing.assert_array_equal(heavy.com, BODY.com)


def test_second_moment_and_pseudo_inertia_are_integrals() -> None:
    d = CLOUD.r - BODY.com
    assert_close(BODY.second_moment, np.einsum("i,ij,ik->jk", CLOUD.m, d, d))
    one = np.column_stack([CLOUD.r, np.ones(len(CLOUD.m))])
    assert_close(BODY.pseudo_inertia, np.einsum("i,ij,ik->jk", CLOUD.m, one, one))
    assert_close(BODY.seen_from(T).pseudo_inertia, T @ BODY.pseudo_inertia @ T.T)
    theirs = pin.Inertia(BODY.mass, BODY.com, BODY.tensor).toPseudoInertia().toMatrix()
    assert_close(BODY.pseudo_inertia, theirs)


def test_spatial_inertia_is_pinocchios_with_its_halves_swapped() -> None:
    theirs = pin.Inertia(BODY.mass, BODY.com, BODY.tensor).matrix()
    assert_close(BODY.spatial_inertia, np.roll(theirs, (3, 3), axis=(0, 1)))


def test_spatial_inertia_in_another_frame() -> None:
    """Modern Robotics 8.42, and by carrying the body over first; T is the pose of the old frame in the new."""
    G = BODY.spatial_inertia
    X = adjoint(np.linalg.inv(T))
    assert_close(spatial_inertia_in(T, G), X.T @ G @ X)
    assert_close(spatial_inertia_in(T, G), BODY.seen_from(T).spatial_inertia)


@pytest.mark.parametrize("matrix", ["spatial_inertia", "pseudo_inertia"])
def test_matrices_and_back(matrix: str) -> None:
    again = getattr(Inertia, f"from_{matrix}")(getattr(BODY, matrix))
    np.testing.assert_allclose(again.mass, BODY.mass, rtol=1e-15)
    np.testing.assert_allclose(again.com, BODY.com, rtol=1e-14)
    assert_close(again.tensor, BODY.tensor)


def test_principal_axes_of_a_general_body() -> None:
    moments, axes, unique = BODY.principal_axes
    assert (np.diff(moments) > 0).all()
    assert_close(axes @ np.diag(moments) @ axes.T, BODY.tensor)
    assert_close(axes.T @ axes, np.eye(3))
    np.testing.assert_allclose(np.linalg.det(axes), 1.0, rtol=1e-14)
    assert unique == (True, True, True)
    assert_close(BODY.tensor_about(BODY.com, axes=axes), np.diag(moments), 1e-11)
    for i in (0, 1):
        assert axes[np.abs(axes[:, i]).argmax(), i] > 0


def test_principal_axes_of_a_box_are_its_edges() -> None:
    box = inertia.box((1.0, 3.0, 2.0), mass=12.0)
    moments, axes, unique = box.principal_axes
    np.testing.assert_allclose(moments, [5.0, 10.0, 13.0], rtol=1e-14)
    np.testing.assert_allclose(axes.T, [[0, 1, 0], [0, 0, 1], [1, 0, 0]], rtol=0, atol=1e-15)
    assert unique == (True, True, True)


@pytest.mark.parametrize("turn", [np.eye(3), R], ids=["straight", "turned"])
@pytest.mark.parametrize("height", [0.1, 5.0], ids=["flat", "long"])
def test_principal_axes_of_a_cylinder(turn: np.ndarray, height: float) -> None:
    """Its own axis is unique, up to sign; across it any two are principal, and one choice is always made."""
    pose = np.eye(4)
    pose[:3, :3] = turn
    body = inertia.cylinder(0.5, height, mass=3.0).seen_from(pose)
    moments, axes, unique = body.principal_axes
    own = 0 if height > 1 else 2
    assert unique == tuple(i == own for i in range(3))
    np.testing.assert_allclose(abs(axes[:, own] @ turn[:, 2]), 1.0, rtol=1e-14)
    assert_close(axes @ np.diag(moments) @ axes.T, body.tensor)
    np.testing.assert_allclose(np.linalg.det(axes), 1.0, rtol=1e-14)
    noise = 1e-16 * np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0]])
    again = Inertia(body.mass, body.com, body.tensor + noise).principal_axes
    np.testing.assert_allclose(again.axes, axes, rtol=0, atol=1e-12)


@pytest.mark.parametrize("turn", [np.eye(3), R], ids=["straight", "turned"])
def test_principal_axes_of_a_ball_are_the_frames(turn: np.ndarray) -> None:
    pose = np.eye(4)
    pose[:3, :3] = turn
    moments, axes, unique = inertia.sphere(0.5, mass=10.0).seen_from(pose).principal_axes
    np.testing.assert_allclose(moments, 1.0, rtol=1e-14)
    np.testing.assert_array_equal(axes, np.eye(3))
    assert unique == (False, False, False)


@given(st.lists(st.floats(-3, 3), min_size=9, max_size=9), st.integers(0, 2**32 - 1))
def test_principal_axes_always_give_the_tensor_back(points: list[float], seed: int) -> None:
    turn = Rotation.random(rng=seed).as_matrix()
    body = Cloud(np.array([1.0, 2.0, 3.0]), np.array(points).reshape(3, 3) @ turn.T).inertia
    moments, axes, _ = body.principal_axes
    scale = max(float(np.abs(body.tensor).max()), 1e-300)
    np.testing.assert_allclose(axes @ np.diag(moments) @ axes.T, body.tensor, rtol=0, atol=1e-11 * scale)
    np.testing.assert_allclose(axes.T @ axes, np.eye(3), rtol=0, atol=1e-13)
    np.testing.assert_allclose(np.linalg.det(axes), 1.0, rtol=1e-13)


def test_inertias_stay_immutable_and_pickle() -> None:
    turned = BODY.seen_from(T)
    with pytest.raises(ValueError, match="read-only"):
        turned.com[0] = 1.0
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(turned)).tensor, turned.tensor)  # noqa: S301
