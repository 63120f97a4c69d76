"""Every solid against its volume integrals, in symbols: exact, whatever the sizes."""

from collections.abc import Callable

import pytest
import sympy as sp

from armdyn import Inertia, inertia
from armdyn.spatial import MassProperties
from oracles.short_run import short_run
from oracles.volume_integrals import Piece, Z, ball, block, integrals, turned

RHO, X, Y, H, R, T = sp.symbols("rho x y h R t", positive=True)
INNER = R * T / (1 + T)
"""A radius that is smaller than R, whatever the positive t."""
SOLIDS: dict[str, tuple[Callable[..., MassProperties], list[Piece]]] = {
    "box": (lambda **k: inertia.box((X, Y, H), **k), [block(X, Y, H)]),
    "cylinder": (lambda **k: inertia.cylinder(R, H, **k), [turned(0, R**2, -H / 2, H / 2)]),
    "tube": (lambda **k: inertia.cylinder(R, H, inner_radius=INNER, **k), [turned(INNER**2, R**2, -H / 2, H / 2)]),
    "ellipsoid": (lambda **k: inertia.ellipsoid((X, Y, H), **k), [ball(X, Y, H)]),
    "sphere": (lambda **k: inertia.sphere(R, **k), [ball(R, R, R)]),
    "cone": (lambda **k: inertia.cone(R, H, **k), [turned(0, (R * (1 - Z / H)) ** 2, 0, H)]),
    "frustum": (
        lambda **k: inertia.cone(R, H, top_radius=T, **k),
        [turned(0, (R + (T - R) * Z / H) ** 2, 0, H)],
    ),
    "capsule": (
        lambda **k: inertia.capsule(R, H, **k),
        [
            turned(0, R**2, -H / 2, H / 2),
            turned(0, R**2 - (Z - H / 2) ** 2, H / 2, H / 2 + R),
            turned(0, R**2 - (Z + H / 2) ** 2, -H / 2 - R, -H / 2),
        ],
    ),
}


def assert_same(actual: MassProperties, mass: sp.Expr, com: sp.Matrix, tensor: sp.Matrix) -> None:
    """Quotients of polynomials, all of them, of which `cancel` leaves 0 where they are equal."""
    assert sp.cancel(actual.mass - mass) == 0
    assert (sp.Matrix(actual.com) - com).applyfunc(sp.cancel) == sp.zeros(3, 1)
    assert (sp.Matrix(actual.tensor) - tensor).applyfunc(sp.cancel) == sp.zeros(3, 3)


@pytest.mark.short_run("box")
@pytest.mark.parametrize(
    "name", short_run(SOLIDS, *(name for name in SOLIDS if name not in ("capsule", "frustum", "cylinder", "sphere")))
)
def test_density(name: str) -> None:
    solid, pieces = SOLIDS[name]
    assert_same(solid(density=RHO), *integrals(pieces, RHO))


@pytest.mark.parametrize("name", SOLIDS)
def test_mass_is_density_times_volume(name: str) -> None:
    solid, _ = SOLIDS[name]
    by_density = solid(density=RHO)
    by_mass = solid(mass=by_density.mass)
    assert_same(by_mass, by_density.mass, sp.Matrix(by_density.com), sp.Matrix(by_density.tensor))


@pytest.mark.parametrize(
    ("hollow", "outer", "inner"),
    [
        (inertia.box((X, Y, H), inner=(X / 2, Y / 3, H), density=RHO), block(X, Y, H), block(X / 2, Y / 3, H)),
        (inertia.ellipsoid((X, Y, H), inner=(X / 2, Y, H / 4), density=RHO), ball(X, Y, H), ball(X / 2, Y, H / 4)),
        pytest.param(
            inertia.sphere(R, inner_radius=INNER, density=RHO), ball(R, R, R), ball(INNER, INNER, INNER),
            marks=pytest.mark.slow,
        ),
    ],
    ids=["box", "ellipsoid", "sphere"],
)  # fmt: skip
def test_hollow_is_outer_minus_inner(hollow: MassProperties, outer: Piece, inner: Piece) -> None:
    (m, _, whole), (n, _, cavity) = integrals([outer], RHO), integrals([inner], RHO)
    assert_same(hollow, m - n, sp.zeros(3, 1), whole - cavity)


def test_hollow_capsule_has_a_wall_equally_thick_all_round() -> None:
    wall = inertia.capsule(R, H, inner_radius=INNER, density=RHO)
    rest = inertia.capsule(R, H, density=RHO) - inertia.capsule(INNER, H, density=RHO)
    assert_same(wall, rest.mass, sp.zeros(3, 1), sp.Matrix(rest.tensor))


@pytest.mark.parametrize(
    ("thick", "thin", "wall"),
    [
        (lambda t: inertia.sphere(R + t, inner_radius=R, density=RHO), inertia.spherical_shell(R, area_density=X), 1),
        (lambda t: inertia.cylinder(R + t, H, inner_radius=R, density=RHO),
         inertia.cylindrical_shell(R, H, area_density=X), 1),
        (lambda t: inertia.box((2 * t + R, 2 * t + Y, 2 * t + H), inner=(R, Y, H), density=RHO),
         inertia.box_shell((R, Y, H), area_density=X), 1),
        (lambda t: inertia.box((R, Y, t), density=RHO), inertia.plate((R, Y), area_density=X), 1),
        (lambda t: inertia.cylinder(R, t, inner_radius=INNER, density=RHO),
         inertia.disc(R, inner_radius=INNER, area_density=X), 1),
        (lambda t: inertia.box((t, t, H), density=RHO), inertia.rod(H, line_density=X), 2),
    ],
    ids=["spherical_shell", "cylindrical_shell", "box_shell", "plate", "disc", "rod"],
)  # fmt: skip
def test_thin_is_the_limit_of_thick(thick: Callable[..., MassProperties], thin: MassProperties, wall: int) -> None:
    """As the thickness t goes to zero while density times t (of a rod: t^2) stays the same."""
    t = sp.Symbol("t_wall", positive=True)
    thick_body = thick(t)

    def limit(f: sp.Expr) -> sp.Expr:
        return sp.limit(sp.cancel(sp.together(f.subs(RHO, X / t**wall))), t, 0)

    assert_same(thin, limit(thick_body.mass), sp.zeros(3, 1), sp.Matrix(thick_body.tensor).applyfunc(limit))


def test_symbols_only_where_symbols_came_in() -> None:
    assert isinstance(inertia.box((1, 2, 3), mass=4), Inertia)
    for symbolic in (inertia.box((1, X, 3), mass=4), inertia.box((1, 2, 3), mass=X)):
        assert isinstance(symbolic, MassProperties)
        assert not isinstance(symbolic, Inertia)


def test_whole_numbers_beside_symbols_stay_exact() -> None:
    assert inertia.rod(X, mass=3).tensor[0, 0] == X**2 / 4
    assert inertia.sphere(R, mass=1).at((1, 0, 0)).com[0] == sp.Integer(1)
    assert inertia.sphere(R, density=3).mass == 4 * sp.pi * R**3
    assert inertia.sphere(sp.Rational(1, 2), density=3).mass == sp.pi / 2
    moved = inertia.sphere(R, mass=1).tensor_about((2, 0, 0), axes=((0, -1, 0), (1, 0, 0), (0, 0, 1)))
    assert moved[0, 0] == sp.expand(2 * R**2 / 5 + 4)
