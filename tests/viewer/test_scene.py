"""What is drawn where: link poses, rods, ellipsoids, surfaces and what is said of files that do not open."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from PIL import Image
from scipy.spatial.transform import Rotation

import armdyn
from armdyn.formats.export.numbers import quaternions
from armdyn.model.geometry import Box, Geometry, Mesh, Sphere
from armdyn.robot import Robot
from armdyn.viewer.arm import DrawnArm
from armdyn.viewer.ellipsoids import Solid, inertia_ellipsoid, tip_ellipsoid
from armdyn.viewer.numbers import Now, holding_torques, numbers_html
from armdyn.viewer.skeleton import rod_pose, rods, unit_rod
from armdyn.viewer.sliders import sliders_of
from armdyn.viewer.surfaces import SKIN, looks_of
from oracles.robot_data import ROBOTS

Q = np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])


def with_geometry(robot: Robot, *geometry: Geometry) -> Robot:
    return Robot(replace(robot.model, geometry=geometry))


def test_rods_run_between_origins_of_links() -> None:
    robot = armdyn.load("ur5")
    lines = rods(robot, Q)
    poses = dict(zip(robot.link_names, robot.link_poses(Q)[:, :3, 3], strict=True))
    assert len(lines) == len(robot.model.joints) + 1
    for line, joint in zip(lines, robot.model.joints, strict=False):
        np.testing.assert_allclose(line, [poses[joint.parent], poses[joint.child]], rtol=0, atol=1e-15)
        T, length = rod_pose(line)
        np.testing.assert_allclose((T @ [0, 0, length, 1])[:3], line[1], rtol=0, atol=1e-14)
        np.testing.assert_allclose(T[:3, :3].T @ T[:3, :3], np.eye(3), rtol=0, atol=1e-14)
    np.testing.assert_allclose(lines[-1][1], robot.forward_kinematics(Q)[:3, 3], rtol=0, atol=1e-14)


def test_a_rod_is_closed_and_faces_outwards() -> None:
    mesh = trimesh.Trimesh(*unit_rod(0.1), process=False)
    assert mesh.is_watertight
    assert mesh.volume == pytest.approx(np.pi * 0.01, rel=0.02)


def test_inertia_ellipsoids_have_the_inertia_of_their_links() -> None:
    """Of a solid of that mass (Modern Robotics, figure 8.5), turned and moved to its place."""
    for link in armdyn.load("ur5").model.links:
        solid = inertia_ellipsoid(link.inertia)
        if solid is None:
            assert link.inertia.mass == 0.0
            continue
        body = armdyn.inertia.ellipsoid(solid.semi_axes, mass=link.inertia.mass)
        R = solid.T[:3, :3]
        assert np.linalg.det(R) == pytest.approx(1.0)
        np.testing.assert_allclose(R @ body.tensor @ R.T, link.inertia.tensor, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(solid.T[:3, 3], link.inertia.com)


@pytest.mark.parametrize("which", ["force", "acceleration", "velocity"])
def test_tip_ellipsoids_stand_at_the_tip_with_the_shape_of_their_matrix(which: str) -> None:
    robot = armdyn.load("ur5")
    solid = tip_ellipsoid(robot, Q, which, 1.0)
    assert isinstance(solid, Solid)
    np.testing.assert_allclose(solid.T[:3, 3], robot.forward_kinematics(Q)[:3, 3], rtol=0, atol=1e-14)
    J = robot.jacobian(Q, expressed_in="world")[3:]
    Lambda_inverse = J @ np.linalg.solve(robot.mass_matrix(Q), J.T)
    matrix = {"force": np.linalg.inv(Lambda_inverse), "acceleration": Lambda_inverse}.get(which)
    expected = J @ J.T if matrix is None else matrix @ matrix
    R, a = solid.T[:3, :3], solid.semi_axes
    drawn = R @ np.diag(a**2) @ R.T
    np.testing.assert_allclose(drawn / np.trace(drawn), expected / np.trace(expected), rtol=0, atol=1e-12)


def test_tip_ellipsoids_of_planar_arms_lie_in_their_plane() -> None:
    robot = armdyn.load("planar_2r")
    solid = tip_ellipsoid(robot, np.array([0.2, 1.0]), "velocity", 1.0)
    assert isinstance(solid, Solid)
    assert abs(solid.T[2, 2]) == pytest.approx(1.0)


def test_quaternions_are_those_of_the_rotations() -> None:
    T = armdyn.load("ur5").link_poses(Q)
    w, x, y, z = quaternions(T).T
    back = Rotation.from_quat(np.stack([x, y, z, w], -1)).as_matrix()
    np.testing.assert_allclose(back, T[:, :3, :3], rtol=0, atol=1e-14)


# Surfaces.


def test_meshes_of_published_robots_open_in_their_colours() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = armdyn.load(ROBOTS / "ur_description/urdf/ur5_robot.urdf", problems="warn")
    end = [shape for shape in robot.model.geometry if shape.link == "wrist_3_link"]
    looks = looks_of(with_geometry(robot, *end).model)
    assert looks.notes == looks.as_lines == ()
    colours = {tuple(round(255 * x) for x in surface.colour) for surface in looks.of("visual")}
    assert colours == {(55, 55, 55, 255), (25, 26, 28, 255)}  # as wrist3.dae has them
    assert DrawnArm(robot, "ur5", looks).known_looks == ("visual", "collision", "skeleton")


def test_huge_meshes_are_decimated_and_it_is_said(tmp_path: Path) -> None:
    trimesh.creation.icosphere(5, 0.5).export(tmp_path / "ball.stl")  # 20480 triangles
    ball = Geometry("link_1", "visual", Mesh("ball.stl", folder=str(tmp_path)))
    looks = looks_of(with_geometry(armdyn.load("planar_2r"), ball).model, most=2000)
    (surface,) = looks.surfaces
    assert looks.notes == (f"meshes decimated from 20,480 to {len(surface.faces):,} triangles",)
    assert 1000 < len(surface.faces) <= 2200
    np.testing.assert_allclose(np.linalg.norm(surface.vertices, axis=1), 0.5, rtol=0.02)
    grains = np.random.default_rng(1).uniform(size=(6000, 3, 3))  # which no edge joins
    trimesh.Trimesh(grains.reshape(-1, 3), np.arange(18_000).reshape(-1, 3)).export(tmp_path / "ball.stl")
    (surface,) = looks_of(with_geometry(armdyn.load("planar_2r"), ball).model, most=500).surfaces
    assert 0 < len(surface.faces) <= 1000


def _mesh(tmp_path: Path, name: str, **options: Any) -> Mesh:
    trimesh.creation.box((1.0, 1.0, 1.0)).export(tmp_path / name, **options)
    return Mesh(name, folder=str(tmp_path))


def test_surfaces_are_scaled_mirrored_and_placed(tmp_path: Path) -> None:
    mesh = replace(_mesh(tmp_path, "cube.stl"), scale=(1.0, 2.0, -3.0))
    pose = np.eye(4)
    pose[:3, 3] = (5.0, 0.0, 0.0)
    robot = with_geometry(armdyn.load("planar_2r"), Geometry("link_1", "visual", mesh, pose, (1, 0, 0, 1)))
    (surface,) = looks_of(robot.model).surfaces
    assert surface.colour == (1.0, 0.0, 0.0, 1.0)
    np.testing.assert_allclose(surface.vertices.min(axis=0), [4.5, -1.0, -1.5])
    np.testing.assert_allclose(surface.vertices.max(axis=0), [5.5, 1.0, 1.5])
    assert trimesh.Trimesh(surface.vertices, surface.faces).volume == pytest.approx(6.0)


def test_missing_meshes_are_named_and_replaced(tmp_path: Path) -> None:
    """By the collision shape of the link where it has one, by its lines where not."""
    arm = armdyn.load("planar_2r")
    missing = Mesh("package://nowhere/boom.dae", folder=str(tmp_path))
    broken = tmp_path / "broken.stl"
    broken.write_bytes(b"no mesh")
    shapes = [
        Geometry("link_1", "visual", missing),
        Geometry("link_1", "collision", Box((1.0, 0.1, 0.1))),
        Geometry("link_2", "visual", Mesh("broken.stl", folder=str(tmp_path))),
    ]
    looks = looks_of(with_geometry(arm, *shapes).model)
    assert looks.as_lines == ("link_2",)
    assert any("boom.dae of link_1" in note and "not found" in note for note in looks.notes)
    assert any("broken.stl of link_2" in note for note in looks.notes)
    (hull,) = looks.of("visual")
    assert (hull.link, hull.colour) == ("link_1", SKIN)
    shown = DrawnArm(arm, "arm", looks).rods_shown("visual", 3)
    carriers = [*(joint.parent for joint in arm.model.joints), arm.model.frame(str(arm.tip)).link]
    assert shown == [carrier == "link_2" for carrier in carriers]
    assert any(shown)
    assert DrawnArm(arm, "arm", looks).rods_shown("skeleton", 3) == [True] * 3


def _textured(tmp_path: Path) -> Mesh:
    (tmp_path / "cube.obj").write_text(
        "mtllib cube.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl skin\nf 1/1 2/2 3/3\n"
    )
    (tmp_path / "cube.mtl").write_text("newmtl skin\nKd 0.2 0.4 0.6\nmap_Kd skin.png\n")
    return Mesh("cube.obj", folder=str(tmp_path))


@pytest.mark.parametrize("image", ["good", "missing", "damaged"])
def test_textures_are_drawn_or_missed(tmp_path: Path, image: str) -> None:
    mesh = _textured(tmp_path)
    if image != "missing":
        Image.fromarray(np.full((8, 8, 3), 200, dtype=np.uint8)).save(tmp_path / "skin.png")
    if image == "damaged":
        (tmp_path / "skin.png").write_bytes((tmp_path / "skin.png").read_bytes()[:40])
    looks = looks_of(with_geometry(armdyn.load("rp"), Geometry(armdyn.load("rp").link_names[1], "visual", mesh)).model)
    (surface,) = looks.surfaces
    assert (surface.textured is not None) == (image == "good")
    assert any("skin.png" in note for note in looks.notes) == (image != "good")


def test_simple_shapes_need_no_files() -> None:
    robot = armdyn.load("planar_2r")
    looks = looks_of(with_geometry(robot, Geometry("link_1", "visual", Sphere(0.5), color=(0, 1, 0, 0.5))).model)
    (ball,) = looks.surfaces
    np.testing.assert_allclose(np.linalg.norm(ball.vertices, axis=1), 0.5, rtol=1e-12)
    assert DrawnArm(robot, "arm", looks).look("collision") == "skeleton"


# Sliders and numbers.


def test_sliders_have_the_limits_in_degrees_or_millimetres() -> None:
    scara = armdyn.load("scara")
    for k, slider in enumerate(sliders_of(scara)):
        scale = 1000.0 if scara.joints[k].kind == "prismatic" else 180.0 / np.pi
        assert slider.unit == ("mm" if scale == 1000.0 else "deg")
        if slider.limited:
            assert scara.lower[k] * scale - 0.01 <= slider.low <= scara.lower[k] * scale + 0.1
            assert scara.upper[k] * scale + 0.01 >= slider.high >= scara.upper[k] * scale - 0.1
        assert slider.position(slider.displayed(slider.high / scale)) * scale == pytest.approx(slider.high)
    free = sliders_of(armdyn.load("planar_2r"), np.array([[0.0, 9.0]]))
    assert (free[0].low, free[0].high) == (-180.0, 180.0)
    assert free[1].high == pytest.approx(np.degrees(9.0), abs=0.1)


def test_numbers_are_those_of_the_robot() -> None:
    robot = armdyn.load("ur5")
    heavier = robot.with_payload(mass=3.0, com=[0, 0, 0])
    np.testing.assert_allclose(holding_torques(robot, Q, 3.0), heavier.gravity_forces(Q), rtol=0, atol=1e-12)
    html = numbers_html(robot, Now(Q, load=3.0))
    for value in (*robot.gravity_forces(Q), *heavier.gravity_forces(Q)):
        assert f"{abs(value):.3f}" in html
    assert f"{robot.potential_energy(Q):.4f}".lstrip("-") in html
    assert "<script" not in numbers_html(robot.renamed({"elbow_joint": "<script>"}), Now(Q))
