"""Meshes of strangers: sizes that a file states, copies of copies, paths out of a package; thinning without gaps."""

from __future__ import annotations

import json
import struct
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import Robot
from armdyn.formats import mesh_bounds
from armdyn.formats.mesh_bounds import UnreadMesh, check_file
from armdyn.formats.mesh_files import find_file
from armdyn.model.geometry import Geometry, Mesh, Sphere
from armdyn.plots import bodies as drawn_bodies
from armdyn.plots import mesh_parts
from armdyn.plots.bodies import bodies
from armdyn.plots.mesh_parts import MeshReader
from armdyn.plots.thinning import box_around, clustered, thinned

trimesh = pytest.importorskip("trimesh")


def with_shapes(*shapes: Geometry) -> Robot:
    return Robot(armdyn.load("planar_2r").model.replace(geometry=shapes))


def with_mesh(path: Path, **options: Any) -> Robot:
    return with_shapes(Geometry("link_1", "visual", Mesh(path.name, folder=str(path.parent)), **options))


# Paths.


@pytest.mark.parametrize(
    "inside",
    ["../secret.stl", "meshes/../../secret.stl", "a/b/../../../secret.stl", "/etc/secret.stl", "..", "..\\secret.stl",
     "C:/secret.stl"],
)  # fmt: skip
def test_a_package_path_stays_inside_its_package(inside: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "arm" / "meshes").mkdir(parents=True)
    (tmp_path / "secret.stl").write_bytes(b"secret")
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path))
    for folder in ("", str(tmp_path / "arm")):
        for scheme in ("package", "model"):
            assert find_file(Mesh(f"{scheme}://arm/{inside}", folder=folder)) is None
    for name in ("..", ".", ""):
        assert find_file(Mesh(f"package://{name}/secret.stl", folder=str(tmp_path / "arm"))) is None


def test_a_package_path_may_go_up_within_its_package(tmp_path: Path) -> None:
    (tmp_path / "arm" / "meshes").mkdir(parents=True)
    (tmp_path / "arm" / "a.stl").write_bytes(b"x")
    (tmp_path / "arm" / "..b.stl").write_bytes(b"x")
    at = str(tmp_path / "arm" / "urdf")
    assert find_file(Mesh("package://arm/meshes/../a.stl", folder=at)) == tmp_path / "arm" / "a.stl"
    assert find_file(Mesh("package://arm/..b.stl", folder=at)) == tmp_path / "arm" / "..b.stl"


def test_the_note_of_such_a_path(tmp_path: Path) -> None:
    arm = with_shapes(Geometry("link_1", "visual", Mesh("package://arm/../../etc/x.stl", folder=str(tmp_path))))
    assert bodies(arm.model) == ([], ["1 .stl meshes not drawn: not found"])


# Sizes that are stated.


def glb(**said: Any) -> bytes:
    scene = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"componentType": 5126, "count": 3, "type": "VEC3"}],
    }
    text = json.dumps(scene | said).encode()
    text += b" " * (-len(text) % 4)
    return struct.pack("<4sIIII", b"glTF", 2, 20 + len(text), len(text), 0x4E4F534A) + text


COLLADA = (
    '<?xml version="1.0"?>{head}<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>'
    '<up_axis>Z_UP</up_axis></asset><library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" '
    'count="9">0 0 0 1 0 0 0 1 0</float_array><technique_common><accessor source="#a" count="3" stride="3"><param '
    'name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common>'
    '</source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices><triangles count="1"><input '
    'semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>{more}'
    '<library_visual_scenes><visual_scene id="s">{nodes}</visual_scene></library_visual_scenes><scene>'
    '<instance_visual_scene url="#s"/></scene></COLLADA>'
)
ONE = '<node id="n"><instance_geometry url="#g"/></node>'


def collada(nodes: str = ONE, *, head: str = "", more: str = "") -> bytes:
    return COLLADA.format(head=head, nodes=nodes, more=more).encode()


def doubling(levels: int) -> bytes:
    """Each node is two of the next: 2^levels triangles."""
    two = [2 * f"<instance_node url='#n{k + 1}'/>" for k in range(levels)]
    nodes = "".join(f'<node id="n{k}">{copies}</node>' for k, copies in enumerate(two))
    last = f'<node id="n{levels}"><instance_geometry url="#g"/></node>'
    return collada(
        '<node id="n"><instance_node url="#n0"/></node>', more=f"<library_nodes>{nodes}{last}</library_nodes>"
    )


LAUGHS = "".join(f'<!ENTITY a{k} "{f"&a{k - 1};" * 10}">' for k in range(1, 12))
PLY = (
    b"ply\nformat binary_little_endian 1.0\nelement vertex 999999999999\nproperty float x\nproperty float y\nproperty \
float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
    + bytes(100)
)

HOSTILE = {
    "many numbers.glb": (glb(accessors=[{"componentType": 5126, "count": 10**12}]), "30,000,000 numbers"),
    "many nodes.gltf": (glb(nodes=[{"mesh": 0}] * 20_000)[20:], "10,000 nodes"),
    "no json.glb": (b"glTF" + bytes(40), "unreadable"),
    "count.glb": (glb(accessors=[{"count": "x"}]), "unreadable"),
    "vertices.ply": (PLY, "unreadable"),
    "counts.off": (b"OFF\n999999999999 999999999999 0\n0 0 0\n", "unreadable"),
    "index.obj": (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 999999999999\n", "unreadable"),
    "counts.stl": (bytes(80) + struct.pack("<I", 2**32 - 1) + bytes(50), "empty"),
    "laughs.dae": (collada(head=f'<!DOCTYPE C [<!ENTITY a0 "a">{LAUGHS}]>'), "it has a DOCTYPE"),
    "file.dae": (collada(head='<!DOCTYPE C [<!ENTITY x SYSTEM "file:///etc/hostname">]>'), "it has a DOCTYPE"),
    "sixteen.dae": (collada(head="<!DOCTYPE C []>").decode().encode("utf-16"), "it has a DOCTYPE"),
    "doubling.dae": (doubling(40), "more than 10,000 copies"),
    "itself.dae": (
        collada('<node id="n"><instance_node url="#l"/></node>', more="<library_nodes><node id='l'><instance_node "
                "url='#l'/></node></library_nodes>"),
        "more than 10,000 copies",
    ),
    "many.dae": (collada(ONE * 20_000), "more than 10,000 copies"),
    "archive.zip": (b"PK\5\6" + bytes(18), "of a type that is not read"),
    "noending": (b"solid", "of a type that is not read"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_what_a_file_states_has_a_bound(name: str, tmp_path: Path) -> None:
    """Within a second of work, the mesh is left out, and the picture tells why."""
    content, why = HOSTILE[name]
    (tmp_path / name).write_bytes(content)
    before = time.process_time()
    looks, notes = bodies(with_mesh(tmp_path / name).model)
    assert looks == []
    assert len(notes) == 1
    assert why in notes[0]
    assert time.process_time() - before < 5.0  # trimesh's import is among it


def test_good_files_pass(tmp_path: Path) -> None:
    (tmp_path / "copies.dae").write_bytes(doubling(3))
    looks, notes = bodies(with_mesh(tmp_path / "copies.dae").model)
    assert (sum(len(body.triangles) for body in looks), notes) == (8, [])
    (tmp_path / "nested.dae").write_bytes(collada(f'<node id="a"><node id="b">{ONE}</node><node/></node>{ONE}'))
    assert sum(len(body.triangles) for body in bodies(with_mesh(tmp_path / "nested.dae").model)[0]) == 2


def test_large_files_are_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mesh_bounds, "LARGEST_TEXT", 1_000)
    monkeypatch.setattr(mesh_bounds, "LARGEST_BINARY", 2_000_000)
    ball = trimesh.creation.icosphere(2, 0.5)
    for name, text, read in (
        ("a.stl", False, True),
        ("b.stl", True, False),
        ("c.ply", False, True),
        ("d.ply", True, False),
    ):
        options = (
            {"file_type": "stl_ascii" if text else "stl"}
            if name.endswith("stl")
            else {"encoding": "ascii" if text else "binary"}
        )
        ball.export(tmp_path / name, **options)
        if read:
            check_file(tmp_path / name)
        else:
            with pytest.raises(UnreadMesh, match="larger than 0 MB"):
                check_file(tmp_path / name)


def test_a_mesh_that_is_too_fine_is_its_box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mesh_parts, "MOST_TRIANGLES", 1000)
    ball = trimesh.creation.icosphere(3, 0.5)  # 1280 triangles
    ball.apply_translation([1.0, 0.0, 0.0])
    ball.export(tmp_path / "ball.stl")
    (body,), notes = bodies(with_mesh(tmp_path / "ball.stl").model)
    assert notes == ["meshes of more than 1,000 triangles, or of 4,000,000 together, drawn as boxes: ball.stl (1,280)"]
    assert len(body.triangles) == 12
    np.testing.assert_allclose(body.triangles.min(axis=(0, 1)), [0.5, -0.5, -0.5], atol=1e-6)
    np.testing.assert_allclose(body.triangles.max(axis=(0, 1)), [1.5, 0.5, 0.5], atol=1e-6)
    pytest.importorskip("viser")
    from armdyn.viewer.surfaces import looks_of

    looks = looks_of(with_mesh(tmp_path / "ball.stl").model)
    assert looks.notes == tuple(notes)
    assert np.ptp(looks.surfaces[0].vertices, axis=0).round(6).tolist() == [1.0, 1.0, 1.0]


def test_one_file_in_many_places_is_read_once_and_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mesh_parts, "MOST_OF_ALL", 5000)
    trimesh.creation.icosphere(3, 0.5).export(tmp_path / "ball.stl")
    opened: list[Path] = []
    usual = mesh_parts.open_mesh
    monkeypatch.setattr(
        mesh_parts, "open_mesh", lambda path, *given, **options: opened.append(path) or usual(path, *given, **options)
    )
    shape = Geometry("link_1", "visual", Mesh("ball.stl", folder=str(tmp_path)))
    looks, notes = bodies(with_shapes(*[shape] * 10).model)
    assert len(opened) == 1
    assert [len(body.triangles) for body in looks] == [1280] * 3 + [12] * 7
    assert "ball.stl (1,280)" in notes[0]


def test_so_many_shapes_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawn_bodies, "MOST_SHAPES", 3)
    looks, notes = bodies(with_shapes(*[Geometry("link_1", "visual", Sphere(0.1))] * 5).model)
    assert (len(looks), notes) == (3, ["shapes after the first 3 not drawn"])


# Colours.


def test_parts_have_the_colours_of_the_file_and_the_description_has_the_last_word(tmp_path: Path) -> None:
    white, black = (trimesh.creation.box((1.0, 1.0, 1.0)) for _ in range(2))
    black.apply_translation([0.0, 0.0, 1.0])
    for mesh, shade in ((white, 230), (black, 25)):
        material = trimesh.visual.material.PBRMaterial(baseColorFactor=[shade, shade, shade, 255])
        mesh.visual = trimesh.visual.TextureVisuals(material=material)
    (tmp_path / "two.dae").write_bytes(trimesh.exchange.dae.export_collada([white, black]))
    looks, notes = bodies(with_mesh(tmp_path / "two.dae").model)
    assert notes == []
    assert sorted(round(255 * body.color[0]) for body in looks if body.color) == [25, 230]
    painted, _ = bodies(with_mesh(tmp_path / "two.dae", color=(1.0, 0.0, 0.0, 1.0)).model)
    assert [body.color for body in painted] == [(1.0, 0.0, 0.0, 1.0)]
    assert len(painted[0].triangles) == 24


def test_a_textured_mesh_has_the_mean_of_its_image(tmp_path: Path) -> None:
    """Of an image elsewhere in its package too; one that is too large is left away."""
    from PIL import Image

    for folder in ("meshes", "textures"):
        (tmp_path / folder).mkdir()
    (tmp_path / "package.xml").write_text("<package/>")
    (tmp_path / "meshes" / "cube.obj").write_text(
        "mtllib cube.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl skin\nf 1/1 2/2 3/3\n"
    )
    (tmp_path / "meshes" / "cube.mtl").write_text("newmtl skin\nKd 0 1 0\nmap_Kd ../textures/skin.png\n")
    pixels = np.zeros((8, 8, 3), dtype=np.uint8)
    pixels[:, :4] = (200, 100, 50)
    Image.fromarray(pixels).save(tmp_path / "textures" / "skin.png")
    mesh = Mesh("cube.obj", folder=str(tmp_path / "meshes"))
    (part,) = MeshReader().parts(mesh)
    assert part.textured is not None
    assert part.colour is not None
    assert np.round(255 * np.array(part.colour[:3])).tolist() == [100, 50, 25]
    mesh_bounds_of = mesh_parts.MOST_PIXELS
    try:
        mesh_parts.MOST_PIXELS = 63
        reader = MeshReader()
        (plain,) = reader.parts(mesh)
    finally:
        mesh_parts.MOST_PIXELS = mesh_bounds_of
    assert plain.textured is None
    assert reader.without_image == ["skin.png"]


# Thinning.


def grid(rows: int, columns: int, at: Any) -> np.ndarray:
    """Triangles of a surface over the unit square."""
    u, v = np.meshgrid(np.linspace(0, 1, rows), np.linspace(0, 1, columns), indexing="ij")
    p = at(u, v)
    a, b, c, d = p[:-1, :-1], p[1:, :-1], p[1:, 1:], p[:-1, 1:]
    both = np.stack([np.stack([a, b, c], axis=-2), np.stack([a, c, d], axis=-2)])
    return both.reshape(-1, 3, 3)


def tube(u: Any, v: Any) -> np.ndarray:
    """A cylinder of radius 0.3 m and height 1 m, open at its ends."""
    return np.stack([0.3 * np.cos(2 * np.pi * u), 0.3 * np.sin(2 * np.pi * u), v], axis=-1)


def test_open_ends_stay_where_they_are() -> None:
    """The mean of the corners of a cell would take half a cell from each end: a gap between two links."""
    thin = thinned(grid(200, 200, tube), 800)
    assert thin.indices is not None
    assert 100 < len(thin.triangles) <= 800
    corners = thin.triangles.reshape(-1, 3)
    np.testing.assert_allclose([corners[:, 2].min(), corners[:, 2].max()], [0.0, 1.0], atol=1e-9)
    radii = np.linalg.norm(corners[:, :2], axis=1)
    assert 0.285 < radii.min() <= radii.max() < 0.301
    ends = corners[np.abs(corners[:, 2] - 1.0) < 1e-9]
    assert len(np.unique(ends.round(6), axis=0)) >= 8  # a rim all around


def test_flat_sides_and_edges_of_a_box_stay_flat_and_sharp() -> None:
    """Of a cube whose sides are fine grids: all corners of the thin one are on the cube, and its own are among them."""
    fine = box_around(np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]))
    for _ in range(5):
        fine = np.concatenate(
            [
                np.stack([fine[:, i], (fine[:, i] + fine[:, j]) / 2, (fine[:, i] + fine[:, k]) / 2], axis=1)
                for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
            ]
            + [
                np.stack(
                    [(fine[:, 0] + fine[:, 1]) / 2, (fine[:, 1] + fine[:, 2]) / 2, (fine[:, 2] + fine[:, 0]) / 2],
                    axis=1,
                )
            ]
        )
    thin = thinned(fine, 500).triangles
    corners = thin.reshape(-1, 3)
    off = np.minimum(np.abs(corners), np.abs(corners - 1.0)).min(axis=1)
    assert off.max() < 1e-9
    for corner in np.ndindex(2, 2, 2):
        assert np.linalg.norm(corners - np.array(corner), axis=1).min() < 1e-9
    normals = np.cross(thin[:, 1] - thin[:, 0], thin[:, 2] - thin[:, 0])
    assert abs(np.linalg.norm(normals, axis=1).sum() / 2 - 6.0) < 1e-9  # its area: nothing is torn, nothing is twice
    volume = [np.einsum("ki,ki->k", each[:, 0], np.cross(each[:, 1], each[:, 2])).sum() for each in (thin, fine)]
    assert abs(volume[0] - volume[1]) < 1e-9  # and all of it turned as it was


def test_two_shells_meet_without_a_gap() -> None:
    """Two tubes end to end, thinned by themselves."""
    lower = grid(150, 150, tube)
    upper = lower + np.array([0.0, 0.0, 1.0])
    first, second = (thinned(shell, 600).triangles[..., 2] for shell in (lower, upper))
    assert abs(first.max() - second.min()) < 1e-9


def test_the_work_has_a_bound_and_no_surface_is_a_box() -> None:
    """Triangles that form none, and corners that are all one."""
    grains = np.random.default_rng(1).normal(size=(20_000, 3, 3))
    before = time.process_time()
    thin = thinned(grains, 300)
    assert time.process_time() - before < 3.0
    assert thin.indices is None
    np.testing.assert_allclose(thin.triangles.min(axis=(0, 1)), grains.min(axis=(0, 1)))
    np.testing.assert_allclose(thin.triangles.max(axis=(0, 1)), grains.max(axis=(0, 1)))
    point = thinned(np.ones((1000, 3, 3)), 50)
    assert len(point.triangles) <= 50
    assert np.isfinite(point.triangles).all()
    flat = thinned(grid(60, 60, lambda u, v: np.stack([u, v, 0.0 * u], axis=-1)), 200)
    assert flat.indices is not None
    assert not flat.triangles[..., 2].any()


def test_what_is_kept_is_named() -> None:
    fine = grid(40, 40, tube)
    coarse, kept = clustered(fine, 8)
    assert len(coarse) == len(kept) == len(set(kept.tolist()))
    cell = 1.0 / 8
    assert np.abs(coarse - fine[kept]).max() <= cell + 1e-12


def test_boxes_are_said(tmp_path: Path) -> None:
    grains = np.random.default_rng(1).normal(size=(30_000, 3, 3))
    trimesh.Trimesh(grains.reshape(-1, 3), np.arange(90_000).reshape(-1, 3), process=False).export(tmp_path / "a.stl")
    looks, notes = bodies(with_mesh(tmp_path / "a.stl").model, most=300)
    assert notes == [
        "meshes thinned from 30000 triangles",
        "1 of them drawn as boxes: their triangles form no surface that gets coarser",
    ]
    assert [len(body.triangles) for body in looks] == [12]
