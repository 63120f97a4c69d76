"""The text of live pages: one file without addresses, below its size, whatever robots are called and lack."""

from __future__ import annotations

import base64
import itertools
import json
import re
import warnings
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import Inertia, Limits, Part
from armdyn.base.errors import ShapeError
from armdyn.constraints import PointOnPlane
from armdyn.model.geometry import Geometry, Mesh
from armdyn.page import PageError, to_page
from armdyn.page.findings import findings
from armdyn.page.page import LARGEST
from armdyn.page.release import LOSS_TIME, constants, released
from armdyn.page.scene import scene
from armdyn.robot import Robot
from oracles.robot_data import ROBOTS

HOSTILE = '</script><img src=x onerror="window.broken=1">\'&{{style}}'


class Tags(HTMLParser):
    """Counts elements, and keeps the text of headings."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "action")]


def data_of(html: str) -> dict[str, Any]:
    """What the script knows of the robot."""
    found = re.search(r"^const ROBOT = (.*);$", html, re.MULTILINE)
    assert found
    return json.loads(found[1])  # type: ignore[no-any-return]


def chain(joints: int) -> Robot:
    inertia = Inertia(0.1, (0.05, 0, 0), np.eye(3) * 1e-3)
    names = ["base", *(f"link_{k}" for k in range(joints))]
    pairs = itertools.pairwise(names)
    parts = [Part(child, parent, axis=(0, 0, 1), xyz=(0.1, 0, 0), inertia=inertia) for parent, child in pairs]
    return Robot.from_links(parts, name="chain")


def test_coupled_joints_are_counted_with_their_armature() -> None:
    """Joint 2 turns twice as far as joint 1: 0.3 + 2^2 0.05 kg m^2."""
    arm = chain(3).with_armature({"joint_of_link_0": 0.3, "joint_of_link_1": 0.05})
    tied = arm.with_mimic({"joint_of_link_1": ("joint_of_link_0", -2.0)})
    html = to_page(tied).html
    assert "3 revolute joints" in html
    assert re.search(r"joint_of_link_0</td>.*?0\.5</td></tr>", html)


@pytest.mark.slow
def test_a_page_needs_nothing_else() -> None:
    page = armdyn.load("ur5").to_page()
    tags = Tags(page.html)
    assert tags.addresses == ["data:,"]
    assert not re.search(r"https?://|@import|url\(|\bimport\s|\bexport\s|fetch\(|XMLHttpRequest", page.html)
    assert "default-src 'none'" in page.html  # so that the browser itself refuses every connection
    assert page.size < 200_000
    assert page.notes == ()
    assert tags.tags.count("script") == 1


def test_names_are_no_markup() -> None:
    arm = armdyn.load("planar_2r").renamed({"joint_1": HOSTILE}, name=HOSTILE)
    page = arm.to_page()
    tags = Tags(page.html).tags
    assert tags.count("script") == 1
    assert "img" not in tags
    assert tags.count("style") == 1
    assert data_of(page.html)["name"] == HOSTILE
    assert "<td>&lt;/script&gt;&lt;img" in page.html


@pytest.mark.slow
@pytest.mark.parametrize("file", ["panda_description/urdf/panda.urdf", "ur_description/urdf/ur5_robot.urdf"])
def test_meshes_fit(file: str) -> None:
    pytest.importorskip("trimesh")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", armdyn.DescriptionWarning)
        robot = armdyn.load(ROBOTS / file)
    page = robot.to_page()
    assert page.size < LARGEST
    assert any("thinned" in note for note in page.notes)
    assert {body["link"] for body in data_of(page.html)["bodies"]} >= {1, 2, 3}


def ball(path: Path, rings: int) -> None:
    """A sphere of radius 1 m as an OBJ file."""
    a, b = np.meshgrid(np.linspace(0, np.pi, rings), np.linspace(0, 2 * np.pi, rings), indexing="ij")
    points = np.stack([np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)], axis=-1).reshape(-1, 3)
    lines = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in points]
    for i in range(rings - 1):
        for j in range(rings - 1):
            k = i * rings + j + 1
            lines += [f"f {k} {k + 1} {k + rings}", f"f {k + 1} {k + rings + 1} {k + rings}"]
    path.write_text("\n".join(lines))


def with_meshes(*paths: str) -> Robot:
    arm = armdyn.load("planar_2r")
    shapes = tuple(Geometry("link_1", "visual", Mesh(path)) for path in paths)
    return Robot(arm.model.replace(geometry=shapes))


def test_bodies_are_where_the_mesh_has_them(tmp_path: Path) -> None:
    pytest.importorskip("trimesh")
    ball(tmp_path / "ball.obj", 30)
    data, notes = scene(with_meshes(str(tmp_path / "ball.obj")), 60_000)
    (body,) = data["bodies"]
    points = np.frombuffer(base64.b64decode(body["points"]), "<u2").reshape(-1, 3) * body["step"] + body["low"]
    faces = np.frombuffer(base64.b64decode(body["faces"]), "<u2").reshape(-1, 3)
    assert notes == []
    assert len(faces) <= 2 * 29 * 29
    np.testing.assert_allclose(np.linalg.norm(points[faces], axis=-1), 1.0, atol=1e-4)


@pytest.mark.slow
def test_large_meshes_are_thinned_and_missing_ones_told(tmp_path: Path) -> None:
    pytest.importorskip("trimesh")
    ball(tmp_path / "ball.obj", 260)
    page = with_meshes(str(tmp_path / "ball.obj")).to_page()
    assert page.notes == ("meshes thinned from 134162 triangles",) or "thinned" in page.notes[0]
    assert page.size < LARGEST
    assert "thinned" in page.html
    missing = with_meshes("package://nowhere/arm.stl").to_page()
    assert missing.notes == ("1 .stl meshes not drawn: not found",)
    assert data_of(missing.html)["bodies"] == []
    assert data_of(missing.html)["segments"] == [[0, 1], [1, 2]]


def test_what_a_robot_lacks() -> None:
    upright = Inertia(1.0, (0.0, 0.0, 0.1), np.eye(3) * 1e-2)
    fingers = [Part(name, "base", axis=(0, 1, 0), inertia=upright) for name in ("left", "right")]
    without_tip = Robot.from_links(fingers, name="hand").to_page()
    assert "several ends" in without_tip.notes[0]
    assert data_of(without_tip.html)["tip"] is None
    mixed = armdyn.load("scara").to_page()
    assert "no common length" in mixed.notes[0]
    assert data_of(mixed.html)["ellipsoids"] == ["acceleration"]
    touching = armdyn.load("planar_2r").with_constraints(PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0)))
    held = touching.to_page()
    assert held.notes == (
        "no ellipsoids of the tip: those of an arm without constraints do not hold under constraints",
    )
    assert np.abs(touching.constraint_error(data_of(held.html)["start"])).max() < 1e-10
    far = armdyn.load("planar_2r").with_constraints(PointOnPlane("tip", normal=(1, 0, 0), through=(9, 0, 0)))
    (note,) = [note for note in far.to_page().notes if "no fall" in note]
    assert "cannot be closed" in note or "violate" in note or "do not hold" in note, note
    assert data_of(far.to_page().html)["fall"] is None
    light = Robot.from_links([Part("link_1", "base", axis=(0, 0, 1))], name="light").to_page()
    assert any("no fall" in note for note in light.notes)


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PageError, match=r"'chain' has 65 coordinates, and a page has sliders for 64 .*with_locked"):
        chain(65).to_page()
    with pytest.raises(ShapeError, match=r"q has shape \(3,\); expected \(2,\)"):
        armdyn.load("planar_2r").to_page(q=[0, 0, 0])
    with pytest.raises(PageError, match="cannot be written"):
        armdyn.load("planar_2r").to_page(tmp_path / "missing" / "arm.html")


def test_a_large_robot_has_a_page() -> None:
    page = chain(12).to_page()
    assert page.size < LARGEST
    assert len(data_of(page.html)["joints"]) == 12


def test_a_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "arm.html"
    path.write_text("before")
    page = to_page(armdyn.load("planar_2r"), path, q=[0.1, 0.2])
    assert path.read_text(encoding="utf-8") == page.html
    assert data_of(page.html)["start"] == [0.1, 0.2]
    assert repr(page) == f"<live page: {path.stat().st_size:,} bytes>"


def test_a_notebook_shows_the_page_in_a_frame() -> None:
    page = armdyn.load("planar_2r").to_page()
    frame = page._repr_html_()
    assert re.fullmatch(r'<iframe style="[^"]*" srcdoc="[^"]*"></iframe>', frame)
    assert unescape(frame.partition('srcdoc="')[2].removesuffix('"></iframe>')) == page.html


def test_stops_and_damping() -> None:
    arm = armdyn.load("planar_2r").with_limits({"joint_1": Limits(-1.0, 0.5), "joint_2": Limits(-2.0, np.inf)})
    law = arm.compile(released)
    q, qd, zero = np.array([0.7, -2.5]), np.array([1.0, -3.0]), np.zeros(2)
    np.testing.assert_array_equal(law(q, qd, zero, zero), zero)
    np.testing.assert_allclose(law(q, qd, [2.0, 3.0], zero), [-2.0, 9.0], rtol=1e-15)
    stiffness = np.array([100.0, 10.0])
    expected = -stiffness * (np.array([0.2, -0.5]) + LOSS_TIME * qd)
    np.testing.assert_allclose(law(q, qd, zero, stiffness), expected, rtol=1e-12)
    np.testing.assert_array_equal(law([0.0, 5.0], qd, zero, stiffness), zero)  # within the limits


@pytest.mark.parametrize("name", ["ur5", "puma560", "scara"])
def test_stops_are_not_too_stiff_for_a_step(name: str) -> None:
    """Ten seconds of bouncing stay finite, between stops that give way a little."""
    arm = armdyn.load(name)
    damping, stiffness = constants(arm)
    loop = armdyn.ClosedLoop(
        arm, released, method=armdyn.simulation.SemiImplicitEuler(step=1e-3), record=["q"], energy=True
    )
    q0 = np.clip(np.full(arm.dof, 0.3), arm.lower, arm.upper)
    rolled = loop(q0, steps=10_000, every=10, damping=0.0 * damping, stiffness=stiffness)
    assert np.isfinite(rolled.rows.q).all()
    beyond = np.maximum(rolled.rows.q - arm.upper, arm.lower - rolled.rows.q).max()
    assert beyond < 0.6


def test_a_stator_that_leaves_the_moment_across_its_axis_to_the_link_is_no_finding() -> None:
    assert not [one for one in findings(armdyn.load("planar_2r_geared")) if "no rigid body has it" in one.text]


def test_findings_are_of_the_robot() -> None:
    told = {finding.kind: finding.text for finding in findings(armdyn.load("ur5"))}
    assert set(told) == {"good"}
    heavy = armdyn.load("ur5").with_limits({"shoulder_lift_joint": Limits(-6.0, 6.0, 3.0, 10.0)})
    warned = [finding.text for finding in findings(heavy) if finding.kind == "warning"]
    (text,) = warned
    share = re.search(r"at most (\d+) %", text)
    assert share
    q = heavy.random_configuration(0, 1000)
    largest = np.abs(heavy.gravity_forces(q))[:, 1].max()
    assert int(share[1]) == round(100 * largest / 10.0)
