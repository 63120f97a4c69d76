"""Masses, centres and moments beside the hulls of opened meshes: closed forms of boxes, balls and cylinders."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import trimesh

from armdyn.doctor import Finding, Findings, doctor
from armdyn.doctor.checks.shapes import DIRECTIONS
from armdyn.doctor.meshes import COLUMNS, EXACT_POINTS, hull_of_points, outermost
from armdyn.doctor.source import SourceDocument
from armdyn.doctor.subject import Subject, tensor_of
from doctor.arms import RIGHT, line_of, replaced

BOX = '<box size="0.3 0.08 0.08"/>'
MESH = '<mesh filename="link.stl"/>'
MOMENTS = 'ixx="0.00427" ixy="0" ixz="0" iyy="0.0321" iyz="0" izz="0.0321"'


def box(*size: float) -> trimesh.Trimesh:
    return trimesh.creation.box(size)


def examined(folder: Path, mesh: trimesh.Trimesh, text: str, **options: bool | None) -> Findings:
    """The findings of an arm whose second link has a mesh."""
    mesh.export(folder / "link.stl")
    (folder / "arm.urdf").write_text(replaced(BOX, MESH, "link_2", text))
    return doctor(folder / "arm.urdf", **options)


def of(findings: Findings, rule: str) -> Finding:
    mine = [one for one in findings if one.rule == rule]
    assert len(mine) == 1, str(findings)
    return mine[0]


# Hulls in closed form.


def test_the_hull_of_a_box_is_the_box() -> None:
    """Second moments m a^2 / 12 and the volume a b c, to rounding, also far from the origin."""
    size, far = np.array([0.3, 0.08, 0.02]), np.array([5.0, -7.0, 11.0])
    points, J = hull_of_points(box(*size).vertices + far)
    volume = float(np.prod(size))
    assert len(points) == 8
    np.testing.assert_allclose(J[3, 3], volume, rtol=1e-12)
    np.testing.assert_allclose(J[:3, 3] / volume, far, rtol=1e-13)
    central = J[:3, :3] - np.outer(J[:3, 3], J[:3, 3]) / J[3, 3]
    np.testing.assert_allclose(central, np.diag(size**2) / 12 * volume, rtol=0, atol=1e-12 * volume)


def test_the_hull_of_a_tetrahedron() -> None:
    """Volume 1/6; integrals of x^2 1/60, of x y 1/120, of x 1/24 over the corner of the unit cube."""
    _, J = hull_of_points(np.vstack([np.zeros(3), np.eye(3)]))
    expected = np.full((4, 4), 1 / 120) + np.diag([1 / 120] * 3 + [0.0])
    expected[3, :] = expected[:, 3] = 1 / 24
    expected[3, 3] = 1 / 6
    np.testing.assert_allclose(J, expected, rtol=1e-13)


def test_hulls_of_points_in_a_plane_have_no_volume() -> None:
    points, J = hull_of_points(np.random.default_rng(0).normal(size=(40, 3)) * [1.0, 1.0, 0.0])
    assert not J.any()
    assert points.shape == (8, 3)


def test_of_many_points_the_outermost_have_nearly_the_same_hull() -> None:
    """A ball of 82,000 triangles: V = 4/3 pi r^3 and integrals of x^2 of V r^2 / 5, from 6,144 points at most."""
    ball = trimesh.creation.icosphere(subdivisions=6, radius=0.1)
    corners = ball.triangles.reshape(-1, 3)
    assert len(corners) > EXACT_POINTS
    assert len(outermost(corners)) <= 6 * COLUMNS**2
    _, J = hull_of_points(corners)
    volume = 4 / 3 * np.pi * 0.1**3
    assert J[3, 3] == pytest.approx(volume, rel=3e-3)
    np.testing.assert_allclose(np.diag(J)[:3], volume * 0.01 / 5, rtol=3e-3)


@pytest.mark.parametrize("scale", ["0.001 0.001 0.001", "0.001 -0.001 0.002", "1 1 1"])
def test_a_scaled_and_turned_mesh_fills_the_scaled_and_turned_box(scale: str, tmp_path: Path) -> None:
    """Volume, centre and tensor beside those of the primitive box at the same pose."""
    factors = np.array([float(word) for word in scale.split()])
    size = np.array([0.3, 0.08, 0.05])
    box(*np.abs(size / factors)).export(tmp_path / "link.stl")
    shape = '<visual><origin xyz="0.1 0.2 -0.3" rpy="0.4 -0.5 0.6"/><geometry>{}</geometry></visual></link>'
    made = []
    for form in (f'<mesh filename="link.stl" scale="{scale}"/>', '<box size="0.3 0.08 0.05"/>'):
        text = f'<robot name="r"><link name="a">{shape.format(form)}</robot>'
        subject = Subject.of(SourceDocument.parse("r.urdf", text.encode()), tmp_path)
        subject.open_meshes(True)
        made.append(subject.bodies["a"])
    mesh, primitive = made
    assert mesh.volume == pytest.approx(primitive.volume, rel=1e-6)
    for got, expected in zip(mesh.solid(2.0), primitive.solid(2.0), strict=True):  # type: ignore[arg-type]
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-8)  # STL has single precision
    np.testing.assert_allclose(mesh.hulls[0].points.min(axis=0), primitive.hulls[0].points.min(axis=0), atol=1e-7)


# A mesh counts as a volume only if it bounds one.


def test_the_inertia_of_a_mesh_that_bounds_a_volume_is_its_own_and_else_that_of_its_hull(tmp_path: Path) -> None:
    """An L of two boxes in closed form; the same with a hole is filled as its hull."""
    whole = trimesh.creation.extrude_triangulation(
        np.array([[0, 0], [0.2, 0], [0.2, 0.1], [0.1, 0.1], [0.1, 0.2], [0, 0.2]]) * 1.0,
        np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]),
        0.05,
    )
    assert whole.is_volume
    subject = Subject.of(
        SourceDocument.parse(
            "r", b'<robot><link name="a"><visual><geometry><mesh filename="l.stl"/></geometry></visual></link></robot>'
        ),
        tmp_path,
    )
    whole.export(tmp_path / "l.stl")
    subject.open_meshes(True)
    body = subject.bodies["a"]
    com, moments = body.solid(3.0)  # type: ignore[misc]
    parts = [(2.0, [0.1, 0.05, 0.025], [0.2, 0.1, 0.05]), (1.0, [0.05, 0.15, 0.025], [0.1, 0.1, 0.05])]
    centre = sum(m * np.array(c) for m, c, _ in parts) / 3.0
    tensor = np.zeros((3, 3))
    for m, c, size in parts:
        r, squares = np.array(c) - centre, np.array(size) ** 2
        tensor += m * ((r @ r) * np.eye(3) - np.outer(r, r)) + m / 12 * (squares.sum() * np.eye(3) - np.diag(squares))
    np.testing.assert_allclose(com, centre, rtol=1e-6)
    np.testing.assert_allclose(tensor_of(moments), tensor, rtol=1e-6, atol=1e-10)
    assert body.solid_words == "its mesh"

    whole.update_faces(np.arange(len(whole.faces)) > 0)
    whole.export(tmp_path / "l.stl")
    subject = Subject.of(subject.source, tmp_path)
    subject.open_meshes(True)
    body = subject.bodies["a"]
    assert re.match(r"the convex hull of its mesh \(the surface is not closed, 3 of its \d+ edges", body.solid_words)
    hull = body.solid(3.0)
    expected = trimesh.Trimesh(whole.vertices, whole.faces).convex_hull
    np.testing.assert_allclose(hull[0], expected.center_mass, rtol=1e-6)  # type: ignore[index]
    np.testing.assert_allclose(
        tensor_of(hull[1]), expected.moment_inertia * 3.0 / expected.volume, rtol=1e-6, atol=1e-10
    )  # type: ignore[index]


# Right and wrong twins.


def test_nothing_is_found_beside_the_right_mesh(tmp_path: Path) -> None:
    findings = examined(tmp_path, box(0.3, 0.08, 0.08), RIGHT, meshes=True)
    assert not findings, str(findings)


def test_moments_that_no_mass_inside_the_mesh_has(tmp_path: Path) -> None:
    """Mass in a rod of 0.3 m has at most m 0.15^2 = 0.09 kg m^2 about its middle; 0.2 is 1.5 times as far out."""
    wrong = replaced(MOMENTS, 'ixx="0.00427" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"')
    finding = of(examined(tmp_path, box(0.3, 0.08, 0.08), wrong, meshes=True), "inertia/hull")
    text = (tmp_path / "arm.urdf").read_text()
    assert finding.line in line_of(text, "link_2")
    second = (0.2 + 0.2 - 0.00427) / 2
    assert f"{2 * np.sqrt(5 * second / 4):.3g} m long along (1, 0, 0)" in finding.text
    assert f"{np.sqrt(second / 4) / 0.15:.2g} times" in finding.text
    mended = SourceDocument.parse("arm.urdf", text.encode()).patched(finding.repairs[0].edits).decode()
    numbers = dict(re.findall(r'(i[xyz]{2})="([^"]*)"', mended[mended.index('name="link_2"') :].split("/>")[2]))
    size = np.array([0.3, 0.08, 0.08]) ** 2
    for name, value in zip(("ixx", "iyy", "izz"), 4 / 12 * (size.sum() - size), strict=True):
        assert float(numbers[name]) == pytest.approx(value, rel=1e-6)
    assert finding.repairs[0].title == "its mesh, solid, at this mass"
    assert not examined(tmp_path, box(0.3, 0.08, 0.08), wrong, meshes=False).at_least("warning")


def test_a_centre_of_mass_beside_the_mesh(tmp_path: Path) -> None:
    wrong = replaced('xyz="0.15 0 0" rpy', 'xyz="0.15 0.1 0" rpy')
    finding = of(examined(tmp_path, box(0.3, 0.08, 0.08), wrong, meshes=True), "mass/centre")
    assert "is 0.06 m outside the hull" in finding.text
    right = examined(tmp_path, box(0.3, 0.22, 0.08), wrong, meshes=True)
    assert not [one for one in right if one.rule == "mass/centre"], str(right)


def test_a_density_of_no_material(tmp_path: Path) -> None:
    """4 kg in 0.3 x 0.02 x 0.02 m is 33,000 kg/m^3; in a hollow mesh of that size too, since the hull counts."""
    finding = of(examined(tmp_path, box(0.3, 0.02, 0.02), RIGHT, meshes=True), "mass/density")
    assert "4 kg in 0.12 l" in finding.text


@pytest.mark.parametrize(("unit", "word"), [(1000.0, "mm"), (100.0, "cm"), (1 / 0.0254, "inches")])
def test_a_scale_that_was_forgotten(unit: float, word: str, tmp_path: Path) -> None:
    findings = examined(tmp_path, box(0.3 * unit, 0.08 * unit, 0.08 * unit), RIGHT, meshes=True)
    finding = of(findings, "mesh/scale")
    assert finding.repairs[0].title.startswith(f"the mesh is in {word}: scale")
    (tmp_path / "arm.urdf").write_bytes(findings.source.patched(finding.repairs[0].edits))
    again = doctor(tmp_path / "arm.urdf", meshes=True)
    assert not [one for one in again if one.rule == "mesh/scale"], str(again)


def test_a_scale_of_millimetres_on_a_mesh_in_metres(tmp_path: Path) -> None:
    text = replaced(BOX, '<mesh filename="link.stl" scale="0.001 0.001 0.001"/>')
    box(0.3, 0.08, 0.08).export(tmp_path / "link.stl")
    (tmp_path / "arm.urdf").write_text(text)
    findings = doctor(tmp_path / "arm.urdf", meshes=True)
    finding = of(findings, "mesh/scale")
    assert 'scale="1 1 1"' in findings.source.patched(finding.repairs[0].edits).decode()


def test_collision_shapes_that_leave_a_part_of_the_mesh_out(tmp_path: Path) -> None:
    """A collision box of half the length: the visual mesh stands out by 0.15 m along x."""
    visual = '<visual> <origin xyz="0.15 0 0"/> <geometry> <mesh filename="link.stl"/> </geometry> </visual>\n    <coll'
    text = replaced("<coll", visual)
    text = replaced('<collision> <origin xyz="0.15 0 0"/>', '<collision> <origin xyz="0.075 0 0"/>', text=text)
    short = replaced("0.3 0.08 0.08", "0.15 0.08 0.08", text=text)
    box(0.3, 0.08, 0.08).export(tmp_path / "link.stl")
    for words, count in ((short, 1), (replaced("<coll", visual), 0)):
        (tmp_path / "arm.urdf").write_text(words)
        found = [one for one in doctor(tmp_path / "arm.urdf", meshes=True) if one.rule == "shape/collision"]
        assert len(found) == count
        assert all("stand out by 0.15 m along (1, 0, 0)" in one.text for one in found)


# Files.


def test_a_collada_file_in_inches_is_as_large_as_it_states(tmp_path: Path) -> None:
    """RViz and Gazebo multiply by the unit of the file, and so does the doctor."""
    box(0.3 / 0.0254, 0.08 / 0.0254, 0.08 / 0.0254).export(tmp_path / "link.dae")
    text = (tmp_path / "link.dae").read_text()
    stated = re.sub(r"<unit[^>]*/>", '<unit name="inch" meter="0.0254"/>', text)
    if stated == text:
        stated = text.replace("<asset>", '<asset><unit name="inch" meter="0.0254"/>')
    assert "0.0254" in stated
    (tmp_path / "link.dae").write_text(stated)
    (tmp_path / "arm.urdf").write_text(replaced(BOX, '<mesh filename="link.dae"/>'))
    findings = doctor(tmp_path / "arm.urdf", meshes=True)
    assert not findings, str(findings)
    (tmp_path / "link.dae").write_text(stated.replace("0.0254", "1"))
    assert of(doctor(tmp_path / "arm.urdf", meshes=True), "mesh/scale").line in line_of(RIGHT, "link_2")


@pytest.mark.parametrize(("content", "reason"), [(b"", "empty"), (b"solid nothing", "empty"), (b"\x00" * 90, "empty")])
def test_a_mesh_that_cannot_be_read_is_a_note(content: bytes, reason: str, tmp_path: Path) -> None:
    (tmp_path / "link.stl").write_bytes(content)
    (tmp_path / "arm.urdf").write_text(replaced(BOX, MESH))
    finding = of(doctor(tmp_path / "arm.urdf", meshes=True), "mesh/unread")
    assert finding.severity == "note"
    assert reason in finding.text


def test_a_path_with_a_slash_too_many_and_one_of_another_case(tmp_path: Path) -> None:
    """As talos_full_v2.urdf has package:///PACKAGE/..., which names no package."""
    folder = tmp_path / "my_arm"
    folder.mkdir()
    box(0.3, 0.08, 0.08).export(folder / "link.stl")
    path = folder / "arm.urdf"
    right = replaced(BOX, '<mesh filename="package://my_arm/link.stl"/>')
    path.write_text(right)
    assert not doctor(path)
    for wrong in (right.replace("://", ":///"), right.replace("link.stl", "link.STL")):
        path.write_text(wrong.replace(BOX, '<mesh filename="package://my_arm/link.stl"/>'))
        findings = doctor(path)
        finding = of(findings, "mesh/missing")
        path.write_bytes(findings.source.patched(finding.repairs[0].edits))
        assert not [one for one in doctor(path) if one.rule == "mesh/missing"]


def test_meshes_that_take_long_are_not_opened_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    monkeypatch.setattr(importlib.import_module("armdyn.doctor.meshes"), "AFFORDABLE", 1e-9)
    wrong = replaced(MOMENTS, 'ixx="0.00427" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"')
    findings = examined(tmp_path, box(0.3, 0.08, 0.08), wrong)
    assert not findings.at_least("warning")
    assert findings.summary() == "arm.urdf: nothing found (1 meshes not opened: --meshes opens all)"
    assert examined(tmp_path, box(0.3, 0.08, 0.08), wrong, meshes=True).at_least("warning")


def test_triangles_beyond_the_room_of_one_robot_are_not_kept(tmp_path: Path) -> None:
    box(0.3, 0.08, 0.08).export(tmp_path / "link.stl")
    text = replaced(BOX, MESH)
    subject = Subject.of(SourceDocument.parse("arm.urdf", text.encode()), tmp_path)
    subject.open_meshes(True)
    subject.meshes._room = 11
    assert not subject.bodies["link_2"].hulls
    assert subject.meshes.unread == {"link.stl": "of 12 triangles, too many with those of the others"}


def test_the_directions_cover_the_sphere() -> None:
    """No direction is further than 0.2 rad from one of them or its opposite."""
    u = np.random.default_rng(0).normal(size=(2000, 3))
    u /= np.linalg.norm(u, axis=1)[:, None]
    assert np.arccos(np.abs(u @ DIRECTIONS.T).max(axis=1).clip(max=1.0)).max() < 0.2
