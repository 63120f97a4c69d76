"""Densities that are functions of the point: exact integrals, composites, jumps, what is no density."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import sympy as sp
import trimesh

from armdyn import ArmdynError, DTypeError, Inertia, ModelError, ShapeError, inertia
from armdyn.inertia import Density
from oracles.monomials import HEIGHT, Monomials, block, ellipsoid, of_polynomial, revolved
from oracles.states import assert_close

Shape = Callable[..., Inertia]
H = HEIGHT
SOLIDS: dict[str, tuple[Shape, list[Monomials], list[Monomials]]] = {
    "box": (partial(inertia.box, (0.2, 0.3, 0.4)), [block(("0.2", "0.3", "0.4"))], []),
    "hollow box": (
        partial(inertia.box, (0.2, 0.3, 0.4), inner=(0.1, 0.3, 0.25)),
        [block(("0.2", "0.3", "0.4"))],
        [block(("0.1", "0.3", "0.25"))],
    ),
    "tube": (
        partial(inertia.cylinder, 0.2, 0.5, inner_radius=0.1),
        [revolved(sp.Rational("0.04"), "-0.25", "0.25")],
        [revolved(sp.Rational("0.01"), "-0.25", "0.25")],
    ),
    "hollow sphere": (
        partial(inertia.sphere, 0.4, inner_radius=0.1),
        [ellipsoid(("0.4", "0.4", "0.4"))],
        [ellipsoid(("0.1", "0.1", "0.1"))],
    ),
    "ellipsoid": (partial(inertia.ellipsoid, (0.3, 0.4, 0.2)), [ellipsoid(("0.3", "0.4", "0.2"))], []),
    "hollow ellipsoid": (
        partial(inertia.ellipsoid, (0.3, 0.4, 0.2), inner=(0.3, 0.1, 0.15)),
        [ellipsoid(("0.3", "0.4", "0.2"))],
        [ellipsoid(("0.3", "0.1", "0.15"))],
    ),
    "frustum": (
        partial(inertia.cone, 0.3, 0.5, top_radius=0.1),
        [revolved((sp.Rational("0.3") - sp.Rational("0.4") * H) ** 2, "0", "0.5")],
        [],
    ),
    "hollow capsule": (
        partial(inertia.capsule, 0.3, 0.4, inner_radius=0.2),
        [
            revolved(sp.Rational("0.09"), "-0.2", "0.2"),
            revolved(sp.Rational("0.09") - (H - sp.Rational("0.2")) ** 2, "0.2", "0.5"),
            revolved(sp.Rational("0.09") - (H + sp.Rational("0.2")) ** 2, "-0.5", "-0.2"),
        ],
        [
            revolved(sp.Rational("0.04"), "-0.2", "0.2"),
            revolved(sp.Rational("0.04") - (H - sp.Rational("0.2")) ** 2, "0.2", "0.4"),
            revolved(sp.Rational("0.04") - (H + sp.Rational("0.2")) ** 2, "-0.4", "-0.2"),
        ],
    ),
}
OTHERS: dict[str, tuple[Shape, str]] = {
    "rod": (partial(inertia.rod, 0.7), "line_density"),
    "plate": (partial(inertia.plate, (0.2, 0.7)), "area_density"),
    "ring": (partial(inertia.disc, 0.3, inner_radius=0.1), "area_density"),
    "spherical shell": (partial(inertia.spherical_shell, 0.3), "area_density"),
    "cylindrical shell": (partial(inertia.cylindrical_shell, 0.3, 0.5), "area_density"),
    "box shell": (partial(inertia.box_shell, (0.2, 0.3, 0.5)), "area_density"),
}
TURNED = np.array([[0.36, -0.48, 0.8, 0.3], [0.8, 0.6, 0.0, -0.2], [-0.48, 0.64, 0.6, 0.5], [0.0, 0.0, 0.0, 1.0]])


def polynomial(x: Any, y: Any, z: Any) -> Any:
    """No symmetry at all, 0 or more within 0.6 m."""
    return 900 + 500 * x - 300 * y + 400 * z + 700 * x * y - 600 * y * z + 800 * x * x + 500 * x * y * z


def exponential(x: Any, y: Any, z: Any) -> Any:
    return 1000 * np.exp(2 * x - 3 * y + 4 * z)


def prism(corners: np.ndarray, height: float) -> tuple[np.ndarray, np.ndarray]:
    """A closed surface over a polygon, counter-clockwise and seen whole from its first corner."""
    n = len(corners)
    vertices = np.concatenate([np.c_[corners, np.zeros(n)], np.c_[corners, np.full(n, height)]])
    bottom = [[0, k + 1, k] for k in range(1, n - 1)]
    top = [[n, n + k, n + k + 1] for k in range(1, n - 1)]
    sides = [f for k in range(n) for f in ([k, (k + 1) % n, n + k], [(k + 1) % n, n + (k + 1) % n, n + k])]
    return vertices, np.array(bottom + top + sides)


ELL = np.array([[0.1, 0.1], [0.0, 0.4], [0.0, 0.0], [0.5, 0.0]])
"""An arrowhead, hollow between its first corner's neighbours: the middle of its bounding box lies outside."""


def assert_same(actual: Inertia, expected: Inertia, relative: float = 1e-12) -> None:
    """Within ``relative`` of m, of m L, of m L^2."""
    L = float(np.sqrt(np.abs(expected.tensor_about_origin).max() / expected.mass))
    np.testing.assert_allclose(actual.mass, expected.mass, rtol=relative)
    np.testing.assert_allclose(actual.com, expected.com, rtol=0, atol=relative * L)
    np.testing.assert_allclose(actual.tensor, expected.tensor, rtol=0, atol=relative * expected.mass * L**2)


@pytest.mark.short_run(without=("hollow capsule", "hollow ellipsoid"))
@pytest.mark.parametrize("name", SOLIDS)
def test_polynomials_against_their_integrals(name: str) -> None:
    """Monomial by monomial, which integrate exactly; of a hollow body the difference of two."""
    shape, solids, holes = SOLIDS[name]
    exact = of_polynomial(polynomial, solids, holes)
    assert_same(shape(density=Density(polynomial, rtol=1e-12)), exact)
    assert_same(shape(density=polynomial), exact, 1e-11)


@pytest.mark.parametrize("name", [*SOLIDS, *OTHERS])
def test_a_function_that_is_constant_is_a_number(name: str) -> None:
    shape, keyword = (SOLIDS[name][0], "density") if name in SOLIDS else OTHERS[name]
    uniform = shape(**{keyword: 7.5})
    assert_same(shape(**{keyword: lambda x, y, z: np.full_like(x, 7.5)}), uniform)
    assert_same(shape(**{keyword: lambda x, y, z: 7.5}), uniform)


@pytest.mark.parametrize("name", OTHERS)
def test_thin_bodies_are_bodies_with_thin_walls(name: str) -> None:
    """The error of a wall as thick as t is proportional to t^2 about its middle: Richardson's limit of two."""
    thick: dict[str, Callable[[float], Inertia]] = {
        "rod": lambda t: inertia.box((t, t, 0.7), density=lambda *r: exponential(*r) / t**2),
        "plate": lambda t: inertia.box((0.2, 0.7, t), density=lambda *r: exponential(*r) / t),
        "ring": lambda t: inertia.cylinder(0.3, t, inner_radius=0.1, density=lambda *r: exponential(*r) / t),
        "spherical shell": lambda t: inertia.sphere(
            0.3 + t / 2, inner_radius=0.3 - t / 2, density=lambda *r: exponential(*r) / t
        ),
        "cylindrical shell": lambda t: inertia.cylinder(
            0.3 + t / 2, 0.5, inner_radius=0.3 - t / 2, density=lambda *r: exponential(*r) / t
        ),
        "box shell": lambda t: inertia.box(
            (0.2 + t, 0.3 + t, 0.5 + t), inner=(0.2 - t, 0.3 - t, 0.5 - t), density=lambda *r: exponential(*r) / t
        ),
    }
    shape, keyword = OTHERS[name]
    first, second, third = (thick[name](t).pseudo_inertia for t in (0.004, 0.002, 0.001))
    better, best = (4 * second - first) / 3, (4 * third - second) / 3
    J = shape(**{keyword: exponential}).pseudo_inertia
    np.testing.assert_allclose((16 * best - better) / 15, J, rtol=0, atol=2e-11 * np.abs(J).max())


def test_separable_density_of_a_box() -> None:
    """exp(a x) of a side s: m = 2 sinh(a s/2)/a, and its derivatives by a are the moments."""
    a, s = (2, -3, 4), (0.2, 0.3, 0.4)
    t = sp.Symbol("t")
    moments = [
        [
            float(sp.diff(2 * sp.sinh(t * sp.Rational(str(side)) / 2) / t, t, k).subs(t, rate).evalf(30))
            for k in range(3)
        ]
        for rate, side in zip(a, s, strict=True)
    ]
    m = 1000 * np.prod([k[0] for k in moments])
    c = np.array([k[1] / k[0] for k in moments])
    spread = np.array([k[2] / k[0] - (k[1] / k[0]) ** 2 for k in moments])
    exact = Inertia(m, c, m * (spread.sum() * np.eye(3) - np.diag(spread)))
    assert_same(inertia.box(s, density=Density(exponential, rtol=1e-12)), exact)


def test_density_that_falls_with_the_radius() -> None:
    """exp(-k r): m = 4 pi, I = 8 pi/3 times the integrals of r^2 and r^4 exp(-k r)."""
    r, k = sp.Symbol("r", positive=True), 7
    m, I = (  # noqa: E741
        float((factor * sp.integrate(r**power * sp.exp(-k * r), (r, 0, sp.Rational(3, 10)))).evalf(30))
        for factor, power in ((4 * sp.pi, 2), (8 * sp.pi / 3, 4))
    )

    def rho(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        return np.exp(-k * np.sqrt(x**2 + y**2 + z**2))

    assert_same(inertia.sphere(0.3, density=Density(rho, rtol=1e-12)), Inertia(m, np.zeros(3), I * np.eye(3)))


def test_mesh_is_the_body_it_encloses() -> None:
    """A box anywhere, at any angle: the density is a function of the mesh's own frame."""
    vertices, faces = prism(np.array([[-0.1, -0.15], [0.1, -0.15], [0.1, 0.15], [-0.1, 0.15]]), 0.4)
    in_box = vertices - np.array([0.0, 0.0, 0.2])
    R, p = TURNED[:3, :3], TURNED[:3, 3]

    def seen(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        return exponential(*(R.T @ (np.array([x, y, z]) - p[:, None])))

    block_of_ours = inertia.box((0.2, 0.3, 0.4), density=Density(exponential, rtol=1e-12))
    mesh = inertia.mesh((in_box @ R.T + p, faces), density=Density(seen, rtol=1e-12))
    assert_same(mesh, block_of_ours.seen_from(TURNED))
    millimetres = inertia.mesh(((in_box @ R.T + p) * 1e3, faces), density=Density(seen, rtol=1e-12), scale=1e-3)
    assert_same(millimetres, block_of_ours.seen_from(TURNED))


@pytest.mark.slow
def test_rules_are_exact_for_polynomials_whatever_the_tolerance() -> None:
    """Of degree 9 in a block and 7 in a mesh, of few faces and of many, where the first rules are the last."""

    def power(degree: int) -> Callable[..., Any]:
        return lambda x, y, z: (x + 2 * y + 3 * z + 2) ** degree

    for degree, shape in (
        (9, SOLIDS["box"][0]),
        (7, partial(inertia.mesh, trimesh.creation.box((0.2, 0.3, 0.4)))),
        (7, partial(inertia.mesh, trimesh.creation.box((0.2, 0.3, 0.4)).subdivide().subdivide().subdivide())),
    ):
        exact = of_polynomial(power(degree), [block(("0.2", "0.3", "0.4"))], [])
        assert_same(shape(density=Density(power(degree), rtol=0.1)), exact)


def test_mesh_with_a_hollow() -> None:
    """Some tetrahedra reach outside; what they count there cancels. Against the two convex bodies it is made of."""
    whole = inertia.mesh(prism(ELL, 0.3), density=Density(exponential, rtol=1e-12))
    halves = [
        inertia.mesh(prism(ELL[k], 0.3), density=Density(exponential, rtol=1e-12)) for k in ([0, 1, 2], [0, 2, 3])
    ]
    assert_same(whole, halves[0] + halves[1])


def test_densities_add_and_place_like_bodies() -> None:
    """Two halves of a cylinder, one below and one above, are the cylinder."""
    half = inertia.cylinder(0.1, 0.2, density=lambda x, y, z: exponential(x, y, z - 0.1))
    other = inertia.cylinder(0.1, 0.2, density=lambda x, y, z: exponential(x, y, z + 0.1))
    assert_same(half.at((0, 0, -0.1)) + other.at((0, 0, 0.1)), inertia.cylinder(0.1, 0.4, density=exponential), 1e-11)


@pytest.mark.short_run("1e-06", "0.001")
@pytest.mark.parametrize("rtol", [1e-3, 1e-6, 1e-9])
def test_a_jump_across_an_edge_is_found(rtol: float) -> None:
    rng = np.random.default_rng(5)
    for height in rng.uniform(-0.19, 0.19, 3):
        lower, upper = height + 0.2, 0.2 - height
        halves = (
            inertia.box((0.2, 0.3, lower), density=2700).at((0, 0, -upper / 2)),
            inertia.box((0.2, 0.3, upper), density=7800).at((0, 0, lower / 2)),
        )
        rho = Density(lambda x, y, z, height=height: np.where(z > height, 7800.0, 2700.0), rtol=rtol)
        assert_same(inertia.box((0.2, 0.3, 0.4), density=rho), halves[0] + halves[1], 2 * rtol)


def test_a_jump_across_a_corner_keeps_a_larger_tolerance() -> None:
    """A plane through the centre, which halves the block: the mass is that of the mean density."""
    rng = np.random.default_rng(6)
    for normal in rng.normal(size=(4, 3)):
        rho = Density(lambda x, y, z, n=normal: np.where(n[0] * x + n[1] * y + n[2] * z > 0, 7800.0, 2700.0), rtol=1e-2)
        np.testing.assert_allclose(inertia.box((0.2, 0.3, 0.4), density=rho).mass, 0.024 * 5250, rtol=1e-2)


def test_what_is_not_reached_is_said() -> None:
    rho = Density(lambda x, y, z: np.where(x + y + z > 0.01, 7800.0, 2700.0), rtol=1e-9, most_points=200_000)
    with pytest.raises(
        ModelError, match=r"density: 1\d\d,\d{3} points leave a relative error of up to \d\.\de-0\d"
    ) as found:
        inertia.box((0.2, 0.3, 0.4), density=rho)
    assert "expected rtol 1e-09. A density that jumps" in str(found.value)
    loose = float(str(found.value).split("rtol=")[1].split(")")[0])
    inertia.box((0.2, 0.3, 0.4), density=Density(rho.function, rtol=loose))  # the advice works


def test_a_body_of_no_mass_is_nothing() -> None:
    nothing = inertia.sphere(0.3, density=lambda x, y, z: 0 * x)
    assert (nothing.mass, nothing.tensor.any()) == (0.0, False)
    half = inertia.capsule(0.1, 0.2, density=Density(lambda x, y, z: np.where(z > 0.1, 7.0, 0.0), rtol=1e-6))
    np.testing.assert_allclose(half.mass, 7 * 2 / 3 * np.pi * 0.1**3, rtol=1e-6)


def scalar_only(x: float, y: float, z: float) -> float:
    return 1000.0 if z > 0 else 500.0


def one_that_fails(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    raise KeyError("table")


BAD: dict[str, tuple[object, type[Exception], str]] = {
    "negative": (lambda x, y, z: z, ModelError, r"density is -0\.2 kg/m\^3 at \(x, y, z\) = \(.*, -0\.2\) m; expected"),
    "nan": (
        lambda x, y, z: np.where(x > 0.05, np.nan, 1.0),
        ModelError,
        r"density is nan kg/m\^3 at \(x, y, z\) = \(0\.",
    ),
    "infinite": (lambda x, y, z: np.where(y > 0, np.inf, 1.0), ModelError, r"density is inf kg/m\^3 at"),
    "another shape": (lambda x, y, z: np.ones(3), ShapeError, r"density returned shape \(3,\) for x, y and z of shape"),
    "ragged": (lambda x, y, z: [[1.0], [1.0, 2.0]], ShapeError, r"density returned something ragged"),
    "complex": (lambda x, y, z: x + 1j, DTypeError, r"density returned complex128 values; expected real numbers"),
    "words": (lambda x, y, z: "steel", DTypeError, r"density returned <U5 values"),
    "single numbers only": (scalar_only, DTypeError, r"function of single numbers .*numpy\.vectorize\(function\)"),
    "called otherwise": (
        lambda x: x,
        ShapeError,
        r"density cannot be called with three arrays x, y, z: ",
    ),
    "its own error": (one_that_fails, KeyError, r"table"),
}


@pytest.mark.parametrize("name", BAD)
def test_functions_that_are_no_densities(name: str) -> None:
    function, error, message = BAD[name]
    with pytest.raises(error, match=message) as caught:
        inertia.box((0.2, 0.3, 0.4), density=function)
    assert isinstance(caught.value, ArmdynError) or error is KeyError


def test_single_numbers_through_vectorize() -> None:
    body = inertia.cylinder(0.1, 0.2, density=Density(np.vectorize(scalar_only), rtol=1e-4))
    np.testing.assert_allclose(body.mass, np.pi * 0.01 * 0.1 * 1500, rtol=1e-4)


def test_thin_bodies_name_their_density_and_its_unit() -> None:
    with pytest.raises(ModelError, match=r"area_density is -1 kg/m\^2 at"):
        inertia.disc(0.1, area_density=lambda x, y, z: -1.0)
    with pytest.raises(ModelError, match=r"line_density is -1 kg/m at"):
        inertia.rod(0.1, line_density=lambda x, y, z: -1.0)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"rtol": 0.0}, ModelError, r"rtol is 0\.0; expected a number from 1e-13 to 1"),
        ({"rtol": 1e-15}, ModelError, r"rtol is 1e-15"),
        ({"rtol": "tight"}, ModelError, r"rtol is 'tight'"),
        ({"rtol": np.nan}, ModelError, r"rtol is nan"),
        ({"most_points": 0}, ModelError, r"most_points is 0; expected a whole number above 0"),
        ({"most_points": 1e6}, ModelError, r"most_points is 1000000\.0"),
        ({"function": 7800.0}, DTypeError, r"function is 7800\.0; expected a function rho\(x, y, z\)"),
    ],
)
def test_bad_tolerances(given: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Density(**{"function": polynomial, **given})


def test_mass_and_a_function_are_one_too_many() -> None:
    with pytest.raises(ModelError, match=r"give either mass= \(kg\) or density= .*; both were given"):
        inertia.sphere(0.1, mass=1.0, density=polynomial)
    weighed = inertia.sphere(0.1, density=polynomial).with_mass(2.0)
    assert weighed.mass == 2.0


def test_symbols_for_sizes_are_refused() -> None:
    with pytest.raises(ModelError, match=r"a size is R; expected numbers for the sizes of a body whose density"):
        inertia.sphere(sp.Symbol("R", positive=True), density=polynomial)


def test_same_bits_every_time() -> None:
    first, second = (inertia.capsule(0.1, 0.3, inner_radius=0.05, density=exponential) for _ in range(2))
    assert_close(first.tensor, second.tensor, 0.0)
