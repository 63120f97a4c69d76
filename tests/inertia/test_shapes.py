"""Shapes of general sizes against Pinocchio, MuJoCo's compiler and sums of others."""

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from armdyn import Inertia, inertia
from oracles.states import assert_close

MASS, A, B, C = 7.3, 0.31, 0.47, 0.83


def assert_same(actual: Inertia, expected: Inertia, relative: float = 1e-12) -> None:
    size = float(np.sqrt(np.abs(expected.tensor).max() / expected.mass))
    np.testing.assert_allclose(actual.mass, expected.mass, rtol=relative)
    np.testing.assert_allclose(actual.com, expected.com, rtol=relative, atol=relative * size)
    assert_close(actual.tensor[None], expected.tensor[None], relative)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (inertia.box((A, B, C), mass=MASS), pin.Inertia.FromBox(MASS, A, B, C)),
        (inertia.cylinder(A, C, mass=MASS), pin.Inertia.FromCylinder(MASS, A, C)),
        (inertia.sphere(A, mass=MASS), pin.Inertia.FromSphere(MASS, A)),
        (inertia.ellipsoid((A, B, C), mass=MASS), pin.Inertia.FromEllipsoid(MASS, A, B, C)),
        (inertia.capsule(A, C, mass=MASS), pin.Inertia.FromCapsule(MASS, A, C)),
    ],
    ids=["box", "cylinder", "sphere", "ellipsoid", "capsule"],
)
def test_pinocchio(ours: Inertia, theirs: pin.Inertia) -> None:
    assert_same(ours, Inertia(theirs.mass, theirs.lever, theirs.inertia))


GEOMS = {
    "box": (
        f"{A / 2} {B / 2} {C / 2}",
        inertia.box((A, B, C), density=MASS),
        inertia.box_shell((A, B, C), area_density=MASS),
    ),
    "sphere": (f"{A}", inertia.sphere(A, density=MASS), inertia.spherical_shell(A, area_density=MASS)),
    "cylinder": (
        f"{A} {C / 2}",
        inertia.cylinder(A, C, density=MASS),
        inertia.cylindrical_shell(A, C, area_density=MASS)
        + inertia.disc(A, area_density=MASS).at((0, 0, C / 2))
        + inertia.disc(A, area_density=MASS).at((0, 0, -C / 2)),
    ),
    "capsule": (f"{A} {C / 2}", inertia.capsule(A, C, density=MASS)),
    "ellipsoid": (f"{A} {B} {C}", inertia.ellipsoid((A, B, C), density=MASS)),
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "shell"), [(kind, shell) for kind, bodies in GEOMS.items() for shell in range(len(bodies) - 1)]
)
def test_mujoco(kind: str, shell: int) -> None:
    size, *bodies = GEOMS[kind]
    ours = bodies[shell]
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><worldbody><body><freejoint/><geom type="{kind}" size="{size}" density="{MASS}" '
        f'shellinertia="{("false", "true")[shell]}"/></body></worldbody></mujoco>'
    )
    np.testing.assert_allclose(ours.mass, model.body_mass[1], rtol=1e-12)
    np.testing.assert_allclose(np.sort(ours.tensor.diagonal()), np.sort(model.body_inertia[1]), rtol=1e-12)
    np.testing.assert_allclose(ours.com, 0.0, rtol=0, atol=1e-15)


def test_a_frustum_is_a_cone_without_its_tip() -> None:
    """The side goes from radius B at height 0 to A at height C, and would reach the axis at height top."""
    top = C * B / (B - A)
    tip = inertia.cone(A, top - C, density=MASS).at((0, 0, C))
    assert_same(inertia.cone(B, C, top_radius=A, density=MASS), inertia.cone(B, top, density=MASS) - tip)


def test_a_frustum_with_a_straight_side_is_a_cylinder() -> None:
    straight = inertia.cone(A, C, top_radius=A, density=MASS)
    assert_same(straight, inertia.cylinder(A, C, density=MASS).at((0, 0, C / 2)))


def test_a_frustum_upside_down() -> None:
    over = np.diag([1.0, -1.0, -1.0, 1.0])
    over[2, 3] = C
    assert_same(
        inertia.cone(A, C, top_radius=B, density=MASS), inertia.cone(B, C, top_radius=A, density=MASS).seen_from(over)
    )


def test_a_capsule_is_a_cylinder_and_two_half_balls() -> None:
    """A half ball has its centre of mass 3 r/8 from the ball's centre, and about it half the ball's inertia."""
    ball = inertia.sphere(A, density=MASS)
    m, c = ball.mass / 2, np.array([0, 0, 3 * A / 8])
    half = Inertia(m, c, ball.tensor / 2 - m * (c @ c * np.eye(3) - np.outer(c, c)))
    other = half.seen_from(np.diag([1.0, -1.0, -1.0, 1.0]))
    whole = inertia.cylinder(A, C, density=MASS) + half.at((0, 0, C / 2)) + other.at((0, 0, -C / 2))
    assert_same(inertia.capsule(A, C, density=MASS), whole)


@pytest.mark.parametrize(
    ("hollow", "outer", "inner"),
    [
        (inertia.box((A, B, C), inner=(A / 2, B, C / 3), density=MASS),
         inertia.box((A, B, C), density=MASS), inertia.box((A / 2, B, C / 3), density=MASS)),
        (inertia.cylinder(B, C, inner_radius=A, density=MASS),
         inertia.cylinder(B, C, density=MASS), inertia.cylinder(A, C, density=MASS)),
        (inertia.sphere(B, inner_radius=A, density=MASS),
         inertia.sphere(B, density=MASS), inertia.sphere(A, density=MASS)),
        (inertia.ellipsoid((B, B, C), inner=(A, B / 2, C / 2), density=MASS),
         inertia.ellipsoid((B, B, C), density=MASS), inertia.ellipsoid((A, B / 2, C / 2), density=MASS)),
        (inertia.capsule(B, C, inner_radius=A, density=MASS),
         inertia.capsule(B, C, density=MASS), inertia.capsule(A, C, density=MASS)),
        (inertia.disc(B, inner_radius=A, area_density=MASS),
         inertia.disc(B, area_density=MASS), inertia.disc(A, area_density=MASS)),
    ],
    ids=["box", "cylinder", "sphere", "ellipsoid", "capsule", "disc"],
)  # fmt: skip
def test_hollow_is_outer_minus_inner(hollow: Inertia, outer: Inertia, inner: Inertia) -> None:
    assert_same(hollow, outer - inner)
    assert_same(hollow + inner, outer)


def test_walls_of_a_micrometre_lose_no_digits() -> None:
    """Thin tubes and balls against the shell of their middle radius, which is off by the wall's square."""
    wall = 1e-6
    tube = inertia.cylinder(1 + wall / 2, C, inner_radius=1 - wall / 2, mass=MASS)
    assert_same(tube, inertia.cylindrical_shell(1.0, C, mass=MASS), 1e-12)
    ball = inertia.sphere(1 + wall / 2, inner_radius=1 - wall / 2, mass=MASS)
    assert_same(ball, inertia.spherical_shell(1.0, mass=MASS), 2e-12)


def test_a_box_shell_is_six_plates() -> None:
    faces = Inertia()
    for axis, (size, other) in enumerate([(A, (B, C)), (B, (C, A)), (C, (A, B))]):
        plate = inertia.plate(other, area_density=MASS)
        R = np.roll(np.eye(3), axis + 1, axis=0)  # the plate's x, y, z become axis + 1, axis + 2, axis
        for side in (-size / 2, size / 2):
            T = np.eye(4)
            T[:3, :3], T[axis, 3] = R, side
            faces = faces + plate.seen_from(T)
    assert_same(inertia.box_shell((A, B, C), area_density=MASS), faces)


def test_point_masses_are_the_sums_that_define_inertia() -> None:
    rng = np.random.default_rng(1)
    m, r = rng.uniform(0.1, 2.0, 9), rng.normal(size=(9, 3))
    body = inertia.point_masses(m, r)
    about_origin = sum(mi * (ri @ ri * np.eye(3) - np.outer(ri, ri)) for mi, ri in zip(m, r, strict=True))
    np.testing.assert_allclose(body.mass, m.sum(), rtol=1e-14)
    np.testing.assert_allclose(body.com, m @ r / m.sum(), rtol=1e-12)
    np.testing.assert_allclose(body.tensor_about_origin, about_origin, rtol=1e-12)


def test_a_massless_point_among_them_changes_nothing() -> None:
    one = inertia.point_masses([0.0, 2.0], [[5, 5, 5], [0, 0, 1]])
    assert_same(one, Inertia.point(2.0, [0, 0, 1]) + Inertia())


def test_cylinder_of_the_lecture() -> None:
    """UCL's question 1: a right cylinder of homogeneous density about its centre of mass, and its block."""
    m, r, h = 4.0, 0.3, 0.9
    expected = np.diag([m * (3 * r**2 + h**2) / 12, m * (3 * r**2 + h**2) / 12, m * r**2 / 2])
    assert_same(inertia.cylinder(r, h, mass=m), Inertia(m, np.zeros(3), expected))
    length, width, height = 0.3, 0.5, 0.7  # along y, x and z
    expected = m / 12 * np.diag([length**2 + height**2, width**2 + height**2, width**2 + length**2])
    assert_same(inertia.box((width, length, height), mass=m), Inertia(m, np.zeros(3), expected))
