"""Masses and inertias of the shapes of links at a stated density: closed forms of boxes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import trimesh

import armdyn
from armdyn.base.errors import ModelError
from armdyn.doctor import Findings, doctor
from doctor.arms import RIGHT, replaced
from doctor.mjcf_arms import replaced_mjcf
from oracles.shell import Shell

MOMENTS = 'iyy="0.0321" iyz="0" izz="0.0321"'
MASS = 2700 * 0.3 * 0.08 * 0.08
BOX = MASS / 12 * np.array([2 * 0.08**2, 0.3**2 + 0.08**2, 0.3**2 + 0.08**2])
"""Mass, kg, and moments, kg m^2, of a box of 0.3 x 0.08 x 0.08 m and 2700 kg/m^3."""


def is_the_box(findings: Findings) -> None:
    body = findings.subject.bodies["link_2"]  # type: ignore[union-attr]
    assert body.mass == pytest.approx(MASS, rel=1e-6)
    np.testing.assert_allclose(body.com, [0.15, 0.0, 0.0], atol=1e-7)
    np.testing.assert_allclose(body.moments[[0, 3, 5]], BOX, rtol=1e-6)  # type: ignore[index]


def test_a_primitive_is_filled(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(replaced(MOMENTS, 'iyy="32.1" iyz="0" izz="32.1"'))
    found = doctor(path, density=2700)
    repair = next(one for one in found if one.rule == "inertia/size").repairs[0]
    assert repair.title == "its shapes, solid, of 2700 kg/m^3"
    assert f"mass 4 to {MASS:.6g} kg" in repair.consequence
    assert "gravity on 'joint_1' by up to" in repair.consequence
    path.write_bytes(found.fixed())
    is_the_box(doctor(path))
    assert armdyn.load(path).model.link("link_2").inertia.mass == pytest.approx(MASS)


def test_without_a_density_the_stated_mass_stays(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(replaced(MOMENTS, 'iyy="32.1" iyz="0" izz="32.1"'))
    titles = [repair.title for one in doctor(path) for repair in one.repairs]
    assert titles
    assert not any("kg/m^3" in title for title in titles)


def test_links_without_an_inertia_get_one(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(replaced(f'      <inertia ixx="0.00427" ixy="0" ixz="0" {MOMENTS}/>\n', "", text=RIGHT))
    found = doctor(path, density=2700)
    assert any(one.rule == "inertia/missing" and one.link == "link_2" for one in found), str(found)
    path.write_bytes(found.fixed())
    is_the_box(doctor(path))


def test_a_mesh_is_opened_and_filled(tmp_path: Path) -> None:
    trimesh.creation.box([0.3, 0.08, 0.08]).export(tmp_path / "link.stl")
    text = replaced(MOMENTS, 'iyy="32.1" iyz="0" izz="32.1"')
    begin = text.index('name="link_2"')
    text = text[:begin] + text[begin:].replace('<box size="0.3 0.08 0.08"/>', '<mesh filename="link.stl"/>', 2)
    path = tmp_path / "arm.urdf"
    path.write_text(text)
    found = doctor(path, density=2700)
    assert next(one for one in found if one.link == "link_2").repairs[0].title == "its mesh, solid, of 2700 kg/m^3"
    path.write_bytes(found.fixed())
    is_the_box(doctor(path))


def test_mjcf_alike(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(replaced_mjcf('diaginertia="0.00427 0.0321 0.0321"', 'diaginertia="0.00427 32.1 32.1"'))
    found = doctor(path, density=2700)
    assert found.at_least("warning")
    path.write_bytes(found.fixed())
    is_the_box(doctor(path))


@pytest.mark.parametrize("density", [0.0, -1.0, float("nan"), "heavy"])
def test_densities_that_are_not_positive_are_refused(density: float) -> None:
    with pytest.raises(ModelError, match=r"density is .*positive number of kg/m"):
        doctor(RIGHT, density=density)


def test_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    monkeypatch.chdir(tmp_path)
    Path("arm.urdf").write_text(replaced(MOMENTS, 'iyy="32.1" iyz="0" izz="32.1"'))
    said = shell("doctor", "arm.urdf", "--density", "2700", "--json", "--fix", "mended.urdf", columns=200)
    assert said.code == 1
    (file,) = json.loads(said.out)["files"]
    assert file["findings"][0]["repairs"][0]["title"] == "its shapes, solid, of 2700 kg/m^3"
    is_the_box(doctor(tmp_path / "mended.urdf"))
