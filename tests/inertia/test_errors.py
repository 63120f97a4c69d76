"""Impossible sizes, masses, axes and arrays: the message names the argument and the remedy."""

from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp

import armdyn
from armdyn import DTypeError, Inertia, ModelError, ShapeError, inertia, spatial

BODY = Inertia(2.0, [0.1, 0.2, 0.3], np.diag([1.0, 1.5, 2.0]))
LEFT = np.diag([1.0, 1.0, -1.0])
STRETCHED = np.diag([1.0, 1.0, 1.1])
X = sp.Symbol("x")
BAD: list[tuple[Callable[[], object], type[Exception], str]] = [
    # sizes
    (lambda: inertia.box((1, -2, 3), mass=1), ModelError, r"size\[1\] -2 m is not positive"),
    (lambda: inertia.box((1, 0, 3), mass=1), ModelError, r"size\[1\] 0 m is not positive.*plate"),
    (lambda: inertia.box((1, 2), mass=1), ShapeError, r"size is \(1, 2\); expected 3 lengths"),
    (lambda: inertia.box("abc", mass=1), ShapeError, r"size is 'abc'; expected 3 lengths"),
    (lambda: inertia.box(2.0, mass=1), ShapeError, r"size is 2\.0; expected 3 lengths"),
    (lambda: inertia.box((1, "2", 3), mass=1), DTypeError, r"size\[1\] is '2'; expected a number or a symbol"),
    (lambda: inertia.cylinder(-0.1, 1, mass=1), ModelError, r"radius -0\.1 m is not positive"),
    (lambda: inertia.cylinder(0.1, np.nan, mass=1), ModelError, r"height is nan; expected a finite number"),
    (lambda: inertia.cylinder(0.1, None, mass=1), DTypeError, r"height is None; expected a number"),
    (lambda: inertia.cylinder([0.1], 1, mass=1), DTypeError, r"radius is \[0\.1\]; expected a number"),
    (lambda: inertia.cylinder(1j, 1, mass=1), DTypeError, r"radius is 1j; expected a number"),
    (lambda: inertia.sphere(np.array([1.0, 2.0]), mass=1), DTypeError, r"radius is array.*expected a number"),
    (lambda: inertia.sphere(sp.Integer(-1), mass=1), ModelError, r"radius -1 m is not positive"),
    (lambda: inertia.sphere(0, mass=1), ModelError, r"radius 0 m is not positive.*point mass"),
    (lambda: inertia.ellipsoid((1, 2, np.inf), mass=1), ModelError, r"semi_axes\[2\] is inf"),
    (lambda: inertia.capsule(1, -1, mass=1), ModelError, r"straight -1 m is not positive"),
    (lambda: inertia.cone(1, 2, top_radius=-1, mass=1), ModelError, r"top_radius -1 m is not positive"),
    (lambda: inertia.rod(-1, mass=1), ModelError, r"length -1 m is not positive"),
    (lambda: inertia.plate((1, -1), mass=1), ModelError, r"size\[1\] -1 m is not positive"),
    (lambda: inertia.disc(-1, mass=1), ModelError, r"radius -1 m is not positive"),
    (lambda: inertia.spherical_shell(-1, mass=1), ModelError, r"radius -1 m is not positive"),
    (lambda: inertia.cylindrical_shell(1, -1, mass=1), ModelError, r"height -1 m is not positive"),
    (lambda: inertia.box_shell((1, 1, -1), mass=1), ModelError, r"size\[2\] -1 m is not positive"),
    # cavities
    (
        lambda: inertia.cylinder(1, 1, inner_radius=1, mass=1),
        ModelError,
        r"inner_radius 1 m is not smaller than radius 1 m.*shell",
    ),
    (
        lambda: inertia.sphere(1, inner_radius=1.5, mass=1),
        ModelError,
        r"inner_radius 1\.5 m is not smaller than radius 1 m",
    ),
    (lambda: inertia.sphere(1, inner_radius=-0.5, mass=1), ModelError, r"inner_radius -0\.5 m is not positive"),
    (lambda: inertia.capsule(1, 1, inner_radius=2, mass=1), ModelError, r"inner_radius 2 m is not smaller"),
    (lambda: inertia.disc(1, inner_radius=1, mass=1), ModelError, r"inner_radius 1 m is not smaller"),
    (
        lambda: inertia.box((1, 2, 3), inner=(1, 2.5, 3), mass=1),
        ModelError,
        r"inner\[1\] 2\.5 m is larger than size\[1\] 2 m.*fit inside",
    ),
    (
        lambda: inertia.box((1, 2, 3), inner=(1, 2, 3), mass=1),
        ModelError,
        r"inner equals size; no material would be left",
    ),
    (
        lambda: inertia.ellipsoid((1, 2, 3), inner=(0.5, 1, 4), mass=1),
        ModelError,
        r"inner\[2\] 4 m is larger than semi_axes\[2\]",
    ),
    # mass and density
    (lambda: inertia.sphere(1), ModelError, r"give either mass= \(kg\) or density= \(kg/m\^3\); neither was given"),
    (lambda: inertia.sphere(1, mass=1, density=1), ModelError, r"give either mass= .*; both were given"),
    (lambda: inertia.rod(1), ModelError, r"line_density= \(kg/m\)"),
    (lambda: inertia.plate((1, 1)), ModelError, r"area_density= \(kg/m\^2\)"),
    (lambda: inertia.sphere(1, mass=-1), ModelError, r"mass -1 kg is negative"),
    (lambda: inertia.sphere(1, density=-1), ModelError, r"density -1 kg/m\^3 is negative"),
    (lambda: inertia.sphere(1, density=np.nan), ModelError, r"density is nan"),
    (lambda: inertia.sphere(1, density="steel"), DTypeError, r"density is 'steel'; expected a number"),
    (lambda: inertia.point_masses([1, -1], [[0, 0, 0], [1, 1, 1]]), ModelError, r"mass -1 kg is negative"),
    (lambda: inertia.point_masses([1, 1], [[0, 0, 0]]), ShapeError, r"positions has shape \(1, 3\) and masses \(2,\)"),
    (lambda: inertia.point_masses([], np.zeros((0, 3))), ShapeError, r"masses is empty"),
    (lambda: inertia.point_masses(1.0, [[0, 0, 0]]), ShapeError, r"masses \(\)"),
    # operations
    (lambda: BODY - BODY, ModelError, r"2 kg cannot be cut out of 2 kg"),
    (
        lambda: BODY - Inertia(1.0, [0.1, 0.2, 0.3], np.diag([3.0, 3.0, 3.0])),
        ModelError,
        r"does not lie inside the body",
    ),
    (lambda: BODY.tensor_about([0, 0]), ShapeError, r"point has shape \(2,\); expected \(3,\)"),
    (
        lambda: BODY.tensor_about([0, 0, 0], axes=STRETCHED),
        ModelError,
        r"axes is not a rotation.*not orthonormal.*by 0\.21",
    ),
    (lambda: BODY.tensor_about([0, 0, 0], axes=LEFT), ModelError, r"axes is not a rotation.*left-handed"),
    (lambda: BODY.tensor_about([0, 0, 0], axes=np.eye(4)), ShapeError, r"axes has shape \(4, 4\); expected \(3, 3\)"),
    (lambda: BODY.tensor_about([0, 0, 0], axes=np.full((3, 3), np.nan)), ModelError, r"axes is not a rotation"),
    (
        lambda: BODY.moment_about([0, 0, 2]),
        ModelError,
        r"direction has length 2; expected a unit vector, here \(0\.0, 0\.0, 1\.0\)",
    ),
    (lambda: BODY.moment_about([0, 0, 0]), ModelError, r"direction has length 0; expected a unit vector such as"),
    (lambda: BODY.moment_about(["x", 0, 0]), DTypeError, r"direction holds .* expected real numbers or symbols"),
    (lambda: BODY.seen_from(np.eye(3)), ShapeError, r"T has shape \(3, 3\); expected \(4, 4\)"),
    (lambda: BODY.seen_from(np.diag([1, 1, 2, 1])), ModelError, r"the rotation of T is not a rotation"),
    (lambda: BODY.seen_from(np.ones((4, 4)) * np.nan), ModelError, r"the rotation of T is not a rotation"),
    (
        lambda: BODY.seen_from(np.eye(4) + np.eye(4)[[3, 0, 1, 2]].T * [[0], [0], [0], [1]]),
        ModelError,
        r"last row 0 0 0 1",
    ),
    (lambda: BODY.at([1, 2]), ShapeError, r"point has shape \(2,\)"),
    (lambda: BODY.kinetic_energy([1, 2, 3]), ShapeError, r"V has shape \(3,\); expected \(6,\)"),
    (lambda: BODY.wrench(np.zeros(6), np.zeros(3)), ShapeError, r"Vdot has shape \(3,\)"),
    (lambda: BODY.momentum([[1, 2], [3]]), ShapeError, r"V is ragged"),
    (lambda: BODY.momentum([1j, 0, 0, 0, 0, 0]), DTypeError, r"V holds complex numbers"),
    # matrices
    (lambda: Inertia.from_spatial_inertia(np.eye(3)), ShapeError, r"G has shape \(3, 3\); expected \(6, 6\)"),
    (
        lambda: Inertia.from_spatial_inertia(np.zeros((6, 6))),
        ModelError,
        r"G is no spatial inertia: mass 0 kg is not positive",
    ),
    (
        lambda: Inertia.from_spatial_inertia(np.diag([2, 2, 2, 1, 2, 3])),
        ModelError,
        r"not mass times the identity; G is angular part first",
    ),
    (lambda: Inertia.from_spatial_inertia(np.diag([2, 2, 2, 1, 1, 1]) + np.eye(6, k=1)), ModelError, r"not symmetric"),
    (
        lambda: Inertia.from_spatial_inertia(np.eye(6) + np.eye(6, k=3) + np.eye(6, k=-3)),
        ModelError,
        r"cross-product matrix of m c",
    ),
    (lambda: Inertia.from_spatial_inertia(np.full((6, 6), np.nan)), ModelError, r"NaN or infinity"),
    (
        lambda: Inertia.from_pseudo_inertia(-np.eye(4)),
        ModelError,
        r"J is no pseudo-inertia: mass -1 kg is not positive",
    ),
    (lambda: Inertia.from_pseudo_inertia(np.eye(4) + np.eye(4, k=1)), ModelError, r"not symmetric"),
    (lambda: Inertia.from_pseudo_inertia(np.full((4, 4), np.inf)), ModelError, r"NaN or infinity"),
    # spatial
    (lambda: spatial.ad([1, 2, 3]), ShapeError, r"V has shape \(3,\); expected \(6,\)"),
    (lambda: spatial.lie_bracket(np.zeros(6), np.zeros(5)), ShapeError, r"V2 has shape \(5,\)"),
    (lambda: spatial.wrench_in(np.eye(3), np.zeros(6)), ShapeError, r"T_ab has shape \(3, 3\)"),
    (lambda: spatial.spatial_inertia_in(np.eye(4), np.eye(5)), ShapeError, r"G_b has shape \(5, 5\)"),
    (lambda: spatial.FrameMotion.of(R=LEFT), ModelError, r"R is not a rotation.*left-handed"),
    (lambda: spatial.FrameMotion.of(w=[1, 2]), ShapeError, r"w has shape \(2,\)"),
    (lambda: spatial.point_velocity(spatial.FrameMotion.of(), [1, 2]), ShapeError, r"Q has shape \(2,\)"),
    (lambda: spatial.euler(np.eye(2), [0, 0, 0], [0, 0, 0]), ShapeError, r"tensor has shape \(2, 2\)"),
    (
        lambda: Inertia(X, [0, 0, 0], np.eye(3)),
        DTypeError,
        r"holds numbers only; for symbols take armdyn\.spatial\.MassProperties",
    ),
    (lambda: Inertia(1, [X, 0, 0], np.eye(3)), DTypeError, r"holds numbers only"),
    (lambda: Inertia(1, [0, 0], np.eye(3)), ShapeError, r"com has shape \(2,\)"),
    (
        lambda: Inertia(1, [0, 0, 0], [[2, 0, 0], [0, 3, 0.2], [0, -0.2, 4]]),
        ModelError,
        r"^tensor\[1, 2\] is 0\.2 and tensor\[2, 1\] is -0\.2 kg m\^2; expected a symmetric matrix\. "
        r"Set both entries to the same number, or pass \(I \+ I\.T\) / 2\.$",
    ),
    (lambda: Inertia(1, [0, 0, 0], np.eye(3) + 2e-9 * np.eye(3, k=2)), ModelError, r"tensor\[0, 2\] is 2e-09 and"),
    (
        lambda: Inertia(1, [0, 0, 0], np.ones((3, 3)) + 1e-8 * np.eye(3, k=1)),
        ModelError,
        r"is 1\.00000001 and .* is 1 k",
    ),
]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_errors(number: int) -> None:
    make, error, message = BAD[number]
    with pytest.raises(error, match=message) as caught:
        make()
    assert isinstance(caught.value, armdyn.ArmdynError)


def test_axes_with_six_digits_are_axes() -> None:
    """What a description prints is taken; the inertia is off by no more than the axes are."""
    c = np.sqrt(0.5)
    R = np.array([[c, -c, 0], [c, c, 0], [0, 0, 1]])
    printed = BODY.tensor_about([0, 0, 0], axes=R.round(6))
    np.testing.assert_allclose(printed, BODY.tensor_about([0, 0, 0], axes=R), rtol=5e-6, atol=1e-6)


def test_asymmetry_by_rounding_is_accepted() -> None:
    """Also if a large part about the origin leaves a small tensor about the centre of mass."""
    Inertia(1.0, [0, 0, 0], np.eye(3) + 0.9e-9 * np.eye(3, k=1))
    Inertia(1.0, [0, 0, 0], np.full((3, 3), np.nan))  # the model that has it refuses it
    body = Inertia(2000.0, [3.1, -7.3, 5.7], [[1e-3, 2e-5, 3e-5], [2e-5, 2e-3, 4e-5], [3e-5, 4e-5, 2.5e-3]])
    G = body.spatial_inertia
    G[0, 1] += 1e-7
    for again in (Inertia.from_spatial_inertia(G), Inertia.from_pseudo_inertia(body.pseudo_inertia)):
        np.testing.assert_array_equal(again.tensor, again.tensor.T)
        np.testing.assert_allclose(again.tensor, body.tensor, rtol=0, atol=1e-7)


def test_infinite_moments_are_the_fault_of_the_model_that_has_them() -> None:
    """Without a warning about infinity minus infinity, or about a difference of 2e308."""
    infinite = Inertia(1.0, [0, 0, 0], np.diag([1.0, -np.inf, 1.0]))
    with pytest.raises(ModelError, match="inertia is not a finite number"):
        armdyn.Robot.from_links([armdyn.Part("l", "base", kind="revolute", axis=[0, 0, 1], inertia=infinite)])
    with pytest.raises(ModelError, match=r"tensor\[0, 1\] is 1e\+308 and tensor\[1, 0\] is -1e\+308 kg m\^2"):
        Inertia(1.0, [0, 0, 0], 1e308 * (np.eye(3, k=1) - np.eye(3, k=-1)))


def test_numpy_numbers_are_numbers() -> None:
    plain = inertia.cylinder(0.5, 2.0, mass=3.0)
    for kind in (np.float64, np.float32, np.array, sp.Float):
        other = inertia.cylinder(kind(0.5), kind(2.0), mass=kind(3.0))
        np.testing.assert_array_equal(np.array(other.tensor, dtype=float), plain.tensor)
    assert isinstance(inertia.sphere(np.int64(1), mass=np.int32(2)), Inertia)


def test_a_body_of_no_mass_is_nothing() -> None:
    whole = inertia.sphere(1.0, density=0.0) + BODY
    np.testing.assert_array_equal(whole.tensor, BODY.tensor)
    assert whole.mass == BODY.mass
