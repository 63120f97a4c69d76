"""Meshes: shapes of exact answers, a sum over tetrahedra as an independent formula, files, and meshes that are none."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from armdyn import ArmdynError, Inertia, ModelError, ShapeError, Unsupported, inertia
from oracles.states import assert_close

Surface = tuple[np.ndarray, np.ndarray]
DENSITY = 7500.0


def cube(*size: float) -> Surface:
    """A box with corners at the origin and at ``size``."""
    corners = np.array([[i & 1, i >> 1 & 1, i >> 2] for i in range(8)]) * np.array(size)
    quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    return corners, np.array([t for a, b, c, d in quads for t in ([a, b, c], [a, c, d])])


def torus(R: float, r: float, n: int, k: int) -> Surface:
    """n tubes round the axis z, k corners round each tube."""
    u, v = np.meshgrid(2 * np.pi * np.arange(n) / n, 2 * np.pi * np.arange(k) / k, indexing="ij")
    ring = R + r * np.cos(v)
    points = np.stack([ring * np.cos(u), ring * np.sin(u), r * np.sin(v)], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(n), np.arange(k), indexing="ij")
    i, j = i.ravel(), j.ravel()
    a, b, c, d = i * k + j, (i + 1) % n * k + j, (i + 1) % n * k + (j + 1) % k, i * k + (j + 1) % k
    return points, np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def by_tetrahedra(surface: Surface, density: float) -> Inertia:
    """Signed tetrahedra to every face from a point near: <r r^T> of each is (sum v v^T + s s^T)/20, s = sum v."""
    vertices, faces = surface
    middle = vertices.mean(axis=0)
    v = (vertices - middle)[faces]
    volume = np.linalg.det(v) / 6
    s = v.sum(axis=1)
    mass = density * volume.sum()
    first = density * volume @ s / 4
    second = density * (np.einsum("f,fki,fkj->ij", volume, v, v) + np.einsum("f,fi,fj->ij", volume, s, s)) / 20
    second -= np.outer(first, first) / mass
    return Inertia(mass, middle + first / mass, np.trace(second) * np.eye(3) - second)


def moved(surface: Surface, seed: int) -> tuple[Surface, np.ndarray]:
    T = np.eye(4)
    T[:3, :3] = Rotation.random(rng=seed).as_matrix()
    T[:3, 3] = np.random.default_rng(seed).normal(size=3)
    return (surface[0] @ T[:3, :3].T + T[:3, 3], surface[1]), T


def assert_same(actual: Inertia, expected: Inertia, relative: float = 1e-12) -> None:
    size = float(np.sqrt(np.abs(expected.tensor).max() / expected.mass)) + float(np.abs(expected.com).max())
    np.testing.assert_allclose(actual.mass, expected.mass, rtol=relative)
    np.testing.assert_allclose(actual.com, expected.com, rtol=0, atol=relative * size)
    assert_close(actual.tensor[None], expected.tensor[None], relative)


def test_box() -> None:
    exact = inertia.box((0.2, 0.3, 0.5), density=DENSITY).at((0.1, 0.15, 0.25))
    assert_same(inertia.mesh(cube(0.2, 0.3, 0.5), density=DENSITY), exact)
    turned, T = moved(cube(0.2, 0.3, 0.5), 1)
    assert_same(inertia.mesh(turned, density=DENSITY), exact.seen_from(T))
    assert_same(inertia.mesh(turned, mass=3.0), exact.seen_from(T).with_mass(3.0))


def test_box_far_away_keeps_its_digits() -> None:
    """At 1 km, with corners that are exact in floating point there."""
    vertices, faces = cube(0.5, 0.25, 1.0)
    far = inertia.mesh((vertices + 1024.0, faces), density=DENSITY)
    exact = inertia.box((0.5, 0.25, 1.0), density=DENSITY)
    assert_close(far.tensor[None], exact.tensor[None], 1e-14)
    np.testing.assert_allclose(far.com, 1024 + np.array([0.25, 0.125, 0.5]), rtol=1e-15)


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1e3])
def test_size_does_not_matter(size: float) -> None:
    surface, _ = moved(torus(1.0, 0.3, 9, 7), 2)
    small = inertia.mesh((surface[0] * size, surface[1]), density=1.0)
    whole = inertia.mesh(surface, density=1.0)
    assert_same(Inertia(small.mass / size**3, small.com / size, small.tensor / size**5), whole)


def test_general_meshes_against_tetrahedra() -> None:
    rng = np.random.default_rng(7)
    for seed in range(5):
        vertices, faces = moved(torus(1.0, 0.3, 12, 8), seed)[0]
        rough = (vertices + 0.05 * rng.normal(size=vertices.shape), faces)
        assert_same(inertia.mesh(rough, density=DENSITY), by_tetrahedra(rough, DENSITY))


def test_icosphere_converges_to_the_ball() -> None:
    """Its vertices lie on the sphere: the error falls fourfold with every halving of the edges."""
    exact = inertia.sphere(0.4, density=DENSITY)
    errors = []
    for n in range(1, 5):
        ball = trimesh.creation.icosphere(subdivisions=n, radius=0.4)
        ours = inertia.mesh(ball, density=DENSITY)
        errors.append([abs(ours.mass / exact.mass - 1), abs(ours.tensor[0, 0] / exact.tensor[0, 0] - 1)])
    ratios = np.array(errors[:-1]) / np.array(errors[1:])
    assert (ratios > 3.5).all()
    assert (ratios < 4.1).all()
    assert np.max(errors[-1]) < 0.01


def test_torus_converges_to_the_torus() -> None:
    """m = rho 2 pi^2 R r^2, I_z = m (R^2 + 3 r^2/4), I_x = m (R^2/2 + 5 r^2/8); Richardson's limit of two meshes."""
    R, r = 0.5, 0.2
    m = DENSITY * 2 * np.pi**2 * R * r**2
    exact = np.array([m, m * (R**2 / 2 + 5 * r**2 / 8), m * (R**2 + 3 * r**2 / 4)])

    def values(n: int) -> np.ndarray:
        body = inertia.mesh(torus(R, r, n, n), density=DENSITY)
        np.testing.assert_allclose(body.com, 0.0, rtol=0, atol=1e-15)
        return np.array([body.mass, body.tensor[0, 0], body.tensor[2, 2]])

    coarse, middle, fine = values(32), values(64), values(128)
    better, best = (4 * middle - coarse) / 3, (4 * fine - middle) / 3
    np.testing.assert_allclose((16 * best - better) / 15, exact, rtol=1e-7)
    assert (np.abs(fine / exact - 1) < 3e-3).all()


def test_cavity_is_an_inner_surface_turned_round() -> None:
    (outer, faces), (inner, _) = cube(1.0, 1.0, 1.0), cube(0.5, 0.5, 0.5)
    hollow = (np.concatenate([outer, inner + 0.25]), np.concatenate([faces, faces[:, ::-1] + 8]))
    exact = inertia.box((1, 1, 1), inner=(0.5, 0.5, 0.5), density=DENSITY).at((0.5, 0.5, 0.5))
    assert_same(inertia.mesh(hollow, density=DENSITY), exact)


def test_two_cubes_that_share_an_edge_are_closed() -> None:
    """Four faces meet at that edge, and still the surface encloses both."""
    vertices, faces = cube(1, 1, 1)
    both = (np.concatenate([vertices, vertices + np.array([1, 1, 0])]), np.concatenate([faces, faces + 8]))
    one = inertia.box((1, 1, 1), density=DENSITY)
    assert_same(inertia.mesh(both, density=DENSITY), one.at((0.5, 0.5, 0.5)) + one.at((1.5, 1.5, 0.5)))


def test_faces_that_shrank_to_a_line_do_no_harm() -> None:
    vertices, faces = cube(1, 1, 1)
    with_line = np.concatenate([faces, [[0, 0, 1], [3, 3, 3]]])
    assert_same(inertia.mesh((vertices, with_line), mass=1.0), inertia.mesh((vertices, faces), mass=1.0))


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply", "off", "STL"])
def test_files(tmp_path: Path, suffix: str) -> None:
    surface, _ = moved(torus(200.0, 60.0, 16, 12), 3)  # millimetres
    path = tmp_path / f"ring.{suffix}"
    trimesh.Trimesh(*surface, process=False).export(path, file_type=suffix.lower())
    digits = 1e-6  # binary STL and PLY hold 7 digits, OBJ and OFF 8
    expected = inertia.mesh((surface[0] * 1e-3, surface[1]), density=DENSITY)
    assert_same(inertia.mesh(path, density=DENSITY, scale=1e-3), expected, digits)
    assert_same(inertia.mesh(str(path), density=DENSITY, scale=1e-3), expected, digits)


def test_ascii_stl(tmp_path: Path) -> None:
    path = tmp_path / "box.stl"
    path.write_text(trimesh.Trimesh(*cube(1, 2, 3)).export(file_type="stl_ascii"))
    assert_same(inertia.mesh(path, mass=12), inertia.box((1, 2, 3), mass=12).at((0.5, 1, 1.5)))


def test_obj_with_normals_quads_and_two_objects(tmp_path: Path) -> None:
    """Every face with normals of its own, as exporters write it: the vertices are still the same points."""
    lines = []
    for k in range(2):
        lines.append(f"o box{k}")
        lines += [f"v {x + 2 * k} {y} {z}" for z in (0, 1) for y in (0, 1) for x in (0, 1)]
        lines += ["vn 0 0 -1", "vn 0 0 1", "vn 0 -1 0", "vn 0 1 0", "vn -1 0 0", "vn 1 0 0"]
        quads = [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]]
        lines += [
            "f " + " ".join(f"{corner + 8 * k}//{face + 1 + 6 * k}" for corner in q) for face, q in enumerate(quads)
        ]
    path = tmp_path / "two.obj"
    path.write_text("mtllib missing.mtl\n" + "\n".join(lines))
    one = inertia.box((1, 1, 1), density=2.0).at((0.5, 0.5, 0.5))
    assert_same(inertia.mesh(path, density=2.0), one + one.at((2, 0, 0)))


def open_box(faces_left_out: int) -> Surface:
    vertices, faces = cube(1, 1, 1)
    return vertices, faces[:-faces_left_out]


def one_face_turned() -> Surface:
    vertices, faces = cube(1, 1, 1)
    faces[4] = faces[4][::-1]
    return vertices, faces


BAD: dict[str, tuple[Callable[[], object], type[ArmdynError], str]] = {
    "one face missing": (lambda: open_box(1), ModelError, r"not closed, 3 of its 18 edges are open.*convex_hull"),
    "a side missing": (lambda: open_box(2), ModelError, r"not closed, 4 of its 17 edges are open"),
    "one face turned": (one_face_turned, ModelError, r"not all turned the same way, 3 of 18 edges.*fix_normals"),
    "inside out": (lambda: (cube(1, 1, 1)[0], cube(1, 1, 1)[1][:, ::-1]), ModelError, r"inside out.*faces\[:, ::-1\]"),
    "mirrored": (lambda: (cube(-1, 1, 1)[0], cube(1, 1, 1)[1]), ModelError, r"inside out"),
    "flat": (lambda: (cube(1, 1, 0)[0], cube(1, 1, 0)[1]), ModelError, r"closed but flat.*plate"),
    "a point": (lambda: (np.ones((8, 3)), cube(1, 1, 1)[1]), ModelError, r"all vertices are the same point"),
    "nan": (lambda: (np.full((8, 3), np.nan), cube(1, 1, 1)[1]), ModelError, r"a vertex is NaN or infinite"),
    "face too high": (lambda: (cube(1, 1, 1)[0][:7], cube(1, 1, 1)[1]), ModelError, r"does not exist; expected 0 to 6"),
    "face negative": (lambda: (cube(1, 1, 1)[0], cube(1, 1, 1)[1] - 1), ModelError, r"does not exist"),
    "face half": (lambda: (cube(1, 1, 1)[0], cube(1, 1, 1)[1] * 0.5), ModelError, r"does not exist"),
    "quads": (lambda: (cube(1, 1, 1)[0], [[0, 1, 2, 3]]), ShapeError, r"faces has shape \(1, 4\).*triangles"),
    "no faces": (lambda: (cube(1, 1, 1)[0], np.zeros((0, 3))), ShapeError, r"faces has shape \(0, 3\)"),
    "ragged": (lambda: ([[0, 1], [2]], [[0, 0, 0]]), ShapeError, r"vertices is ragged"),
    "nothing": (lambda: None, ShapeError, r"mesh is NoneType; expected a path, a Trimesh or a pair"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_meshes(name: str) -> None:
    make, error, message = BAD[name]
    with pytest.raises(error, match=message):
        inertia.mesh(make(), density=1.0)


@pytest.mark.parametrize(
    ("name", "content", "error", "message"),
    [
        ("part.step", b"", Unsupported, r"type \.step are not read; convert it to one of \.stl"),
        ("part", b"", Unsupported, r"type \(none\) are not read"),
        ("part.stl", b"nonsense", ModelError, r"part\.stl' (is not a valid STL file|holds no triangles)"),
        ("part.stl", b"", ModelError, r"part\.stl' (is not a valid STL file|holds no triangles)"),
        (
            "part.obj",
            b"v 0 0 0\nv 1 0 0\nf 1 2 77\n",
            ModelError,
            r"part\.obj' (is not a valid OBJ file|holds no triangles)",
        ),
        ("part.ply", b"ply\n", ModelError, r"part\.ply' (is not a valid PLY file|holds no triangles)"),
        ("part.off", b"OFF 3 1", ModelError, r"part\.off' (is not a valid OFF file|holds no triangles)"),
    ],
)
def test_bad_files(tmp_path: Path, name: str, content: bytes, error: type[ArmdynError], message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(error, match=message):
        inertia.mesh(tmp_path / name, density=1.0)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"none\.stl' cannot be read: No such file"):
        inertia.mesh(tmp_path / "none.stl", density=1.0)


def test_open_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "open.stl"
    trimesh.Trimesh(*open_box(2)).export(path)
    with pytest.raises(ModelError, match=r"open\.stl': the surface is not closed, 4 of its 17 edges"):
        inertia.mesh(path, density=1.0)


@pytest.mark.parametrize("scale", [0, -1.0, np.nan, "mm", None, (1, 1, 1)])
def test_bad_scale(scale: object) -> None:
    with pytest.raises(ModelError, match=r"scale is .*; expected metres for one unit"):
        inertia.mesh(cube(1, 1, 1), density=1.0, scale=scale)


@pytest.mark.parametrize("given", [{}, {"mass": 1.0, "density": 1.0}, {"density": -1.0}, {"mass": np.inf}])
def test_bad_mass(given: dict[str, float]) -> None:
    with pytest.raises(ModelError, match=r"mass|density"):
        inertia.mesh(cube(1, 1, 1), **given)


def test_without_trimesh_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(ImportError, match=r"not installed: pip install trimesh$") as caught:
        inertia.mesh(cube(1, 1, 1), density=1.0)
    assert isinstance(caught.value, ArmdynError)
