"""Meshes of geoms: placed as MuJoCo's compiler places them, and masses, centres and moments beside their hulls."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh

from armdyn.doctor import Findings, doctor
from doctor.mjcf_arms import RIGHT_MJCF, replaced_mjcf

GEOM = '<geom type="box" pos="0.15 0 0" size="0.15 0.04 0.04"/>'
INERTIA = 'diaginertia="0.00427 0.0321 0.0321"'


def arm_with_mesh(folder: Path, *, mesh: str = "", geom: str = "", size: float = 1.0, text: str = RIGHT_MJCF) -> Path:
    """The right arm, whose second link shows a box of 0.3 x 0.08 x 0.08 m from a file in ``meshes/``."""
    (folder / "meshes").mkdir(exist_ok=True)
    trimesh.creation.box(size * np.array([0.3, 0.08, 0.08])).export(folder / "meshes" / "link.stl")
    text = replaced_mjcf(GEOM, f'<geom type="mesh" mesh="link" pos="0.15 0 0"{geom}/>', text=text)
    text = text.replace('<compiler angle="radian"/>', '<compiler angle="radian" meshdir="meshes"/>')
    text = text.replace("  <worldbody>", f'  <asset> <mesh file="link.stl"{mesh}/> </asset>\n  <worldbody>', 1)
    path = folder / "arm.xml"
    path.write_text(text)
    return path


def rules(findings: Findings) -> set[str]:
    return {one.rule for one in findings.at_least("warning")}


@pytest.mark.parametrize(
    ("mesh", "geom"),
    [
        ("", ""),
        (' scale="0.5 2 1"', ' euler="0.3 -0.4 0.5"'),
        (' scale="1 -1 1" refpos="0.1 0.02 -0.03"', ' quat="0.5 0.5 -0.5 0.5"'),
        (' scale="2 2 2" refpos="0.1 0.02 -0.03" refquat="0.9 0.1 -0.2 0.3"', ' axisangle="1 2 3 0.7"'),
    ],
)
def test_a_mesh_stands_where_mujoco_places_it(mesh: str, geom: str, tmp_path: Path) -> None:
    """Corners of the hull beside the vertices of the compiled mesh in the frame of its geom."""
    path = arm_with_mesh(tmp_path, mesh=mesh, geom=geom)
    hull = doctor(path).subject.bodies["link_2"].hulls[0]  # type: ignore[union-attr]
    model = mujoco.MjModel.from_xml_path(str(path))
    place = next(k for k in range(model.ngeom) if model.geom_type[k] == mujoco.mjtGeom.mjGEOM_MESH)
    R = np.empty(9)
    mujoco.mju_quat2Mat(R, model.geom_quat[place])
    expected = model.mesh_vert @ R.reshape(3, 3).T + model.geom_pos[place]
    distance = np.linalg.norm(hull.points[:, None] - expected[None], axis=2)
    assert len(hull.points) == 8
    assert distance.min(axis=1).max() < 1e-6  # MuJoCo has single precision
    assert distance.min(axis=0).max() < 1e-6


def test_a_default_class_scales_a_mesh(tmp_path: Path) -> None:
    """Millimetres in the file, metres by the class: the arm is right."""
    path = arm_with_mesh(tmp_path, size=1000.0)
    path.write_text(
        path.read_text().replace("  <asset>", '  <default> <mesh scale="0.001 0.001 0.001"/> </default>\n  <asset>')
    )
    assert not doctor(path)
    assert doctor(path).subject.bodies["link_2"].volume == pytest.approx(0.3 * 0.08**2, rel=1e-6)  # type: ignore[union-attr]


def test_the_right_arm_with_a_mesh_has_no_finding(tmp_path: Path) -> None:
    path = arm_with_mesh(tmp_path)
    assert not doctor(path), str(doctor(path))


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        (INERTIA, 'diaginertia="0.00427 0.25 0.25"', "inertia/hull"),
        ('pos="0.15 0 0" mass', 'pos="0.15 0.1 0" mass', "mass/centre"),
        (
            'mass="4" diaginertia="0.00427 0.0321 0.0321"',
            'mass="0.02" diaginertia="2.1e-5 1.6e-4 1.6e-4"',
            "mass/density",
        ),
    ],
)
def test_numbers_that_do_not_fit_the_mesh_are_found_if_it_is_opened(
    old: str, new: str, rule: str, tmp_path: Path
) -> None:
    path = arm_with_mesh(tmp_path, text=replaced_mjcf(old, new))
    found = doctor(path)
    assert rule in rules(found), str(found)
    assert {one.link for one in found.at_least("warning") if one.rule == rule} == {"link_2"}
    assert rule not in rules(doctor(path, meshes=False))


def test_the_mesh_is_the_repair_of_its_inertia(tmp_path: Path) -> None:
    """A solid box of 4 kg: m (b^2 + c^2) / 12."""
    path = arm_with_mesh(tmp_path, text=replaced_mjcf(INERTIA, 'diaginertia="0.00427 0.25 0.25"'))
    found = next(one for one in doctor(path) if one.rule == "inertia/hull")
    titles = [repair.title for repair in found.repairs]
    assert "its mesh, solid, at this mass" in titles
    path.write_bytes(doctor(path).fixed())
    moments = doctor(path).subject.bodies["link_2"].moments  # type: ignore[union-attr]
    expected = 4 / 12 * np.array([2 * 0.08**2, 0.3**2 + 0.08**2, 0.3**2 + 0.08**2])
    np.testing.assert_allclose(moments[[0, 3, 5]], expected, rtol=1e-6)  # type: ignore[index]


@pytest.mark.parametrize("stated", ["", ' scale="1 1 1"'])
def test_a_mesh_in_millimetres_gets_a_scale(stated: str, tmp_path: Path) -> None:
    path = arm_with_mesh(tmp_path, size=1000.0, mesh=stated)
    found = doctor(path)
    one = next(one for one in found if one.rule == "mesh/scale")
    assert one.link == "link_2"
    assert 'scale="0.001 0.001 0.001"' in found.fixed().decode()
    path.write_bytes(found.fixed())
    assert not doctor(path), str(doctor(path))


def test_meshes_stay_closed_and_unread_ones_are_named(tmp_path: Path) -> None:
    path = arm_with_mesh(tmp_path, text=replaced_mjcf(INERTIA, 'diaginertia="0.00427 0.25 0.25"'))
    assert doctor(path, meshes=False).subject.meshes.count == 0  # type: ignore[union-attr]
    (tmp_path / "meshes" / "link.stl").write_bytes(b"solid nothing")
    found = doctor(path, meshes=True)
    assert [one.rule for one in found] == ["mesh/unread"]
    assert found[0].line == path.read_text()[: path.read_text().index("<mesh ")].count("\n") + 1


def test_a_collision_box_that_leaves_the_visual_mesh_out_is_noted(tmp_path: Path) -> None:
    path = arm_with_mesh(tmp_path, geom=' contype="0" conaffinity="0"')
    small = '<geom type="box" pos="0.05 0 0" size="0.05 0.04 0.04"/>'
    path.write_text(path.read_text().replace('<geom type="mesh"', f'{small} <geom type="mesh"'))
    assert [one.rule for one in doctor(path)] == ["shape/collision"]
