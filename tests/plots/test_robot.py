"""Pictures of robots: everything is where forward kinematics says, labels cover nothing, meshes open or are told."""

from __future__ import annotations

import itertools
import sys
import warnings
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import armdyn
from armdyn.base.errors import ModelError, ShapeError, UnknownName
from armdyn.formats import mesh_bounds
from armdyn.formats.mesh_bounds import UnreadMesh
from armdyn.formats.mesh_files import find_file
from armdyn.model.geometry import Box, Capsule, Cylinder, Ellipsoid, Geometry, Mesh, Plane, Shape, Sphere
from armdyn.plots import PictureError
from armdyn.plots.bodies import bodies, triangles_of
from armdyn.plots.leaders import LINE, PointLabel, _cross, draw_labels, spread
from armdyn.plots.mesh_parts import MeshReader
from armdyn.plots.shaded_triangles import ShadedTriangles
from armdyn.plots.style import new_figure
from armdyn.plots.thinning import thinned
from armdyn.robot import Robot
from oracles.robot_data import ROBOTS

FILES = {
    "panda": "panda_description/urdf/panda.urdf",
    "ur5_file": "ur_description/urdf/ur5_robot.urdf",
    "talos_left_arm": "talos_data/robots/talos_left_arm.urdf",
}
NAMES = [
    "planar_2r",
    "ur5",
    "panda",
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("scara", "stanford", "puma560", "rp", "furuta")),
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("ur5_file", "talos_left_arm")),
]


def robot(name: str) -> Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", armdyn.DescriptionWarning)
        options: dict[str, Any] = {"problems": "warn", "check_inertia": False}
        return armdyn.load(ROBOTS / FILES[name], **options) if name in FILES else armdyn.load(name)


def drawn_numbers(axes: Any) -> list[Text]:
    """The numbers and names of axes; ticks beyond their range are not drawn."""
    of_axes = [getattr(axes, name) for name in ("xaxis", "yaxis", "zaxis") if hasattr(axes, name)]
    ticks = [(axis, tick) for axis in of_axes for tick in axis.majorTicks]
    ranges = [(sorted(axis.get_view_interval()), tick) for axis, tick in ticks]
    shown = [tick.label1 for (low, high), tick in ranges if low <= tick.get_loc() <= high]
    return [*(axis.label for axis in of_axes), *shown]


@pytest.mark.short_run("panda")
@pytest.mark.parametrize("name", NAMES)
def test_labels_cover_nothing_and_stay_inside(name: str) -> None:
    """At random configurations: no label over another, over a number of the axes, or beyond the figure."""
    arm = robot(name)
    figure = arm.plot(arm.random_configuration(5), meshes=False)
    figure.canvas.draw()
    labels = list(figure.texts)
    lines = [child for child in figure.get_children() if isinstance(child, mpl.lines.Line2D)]
    leaders = [np.array(line.get_xydata()) * figure.dpi for line in lines]
    assert len(labels) == 1 + 2 * (len(arm.model.joints) + 1 + (arm.tip is not None))
    of_axes = drawn_numbers(figure.axes[0])
    for one, other in itertools.combinations(labels, 2):
        assert not one.get_window_extent().overlaps(other.get_window_extent()), (one, other)
    for label, other in itertools.product(labels, of_axes):
        inside = label.get_window_extent()
        assert not inside.overlaps(other.get_window_extent()), (label, other)
        assert figure.bbox.x0 <= inside.x0 < inside.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= inside.y0 < inside.y1 <= figure.bbox.y1
    assert len(leaders) >= len(labels) // 2
    for line, text in itertools.product(leaders, drawn_numbers(figure.axes[0])):
        low, high = text.get_window_extent().get_points()
        places = np.linspace(*line, 400)
        assert not ((low < places) & (places < high)).all(axis=1).any(), text


def test_joints_frames_and_links_are_where_kinematics_has_them() -> None:
    arm, q = armdyn.load("ur5"), np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])
    axes: Any = arm.plot(q, frames=["forearm_link"]).axes[0]
    lines = [np.array(line.get_data_3d()).T for line in axes.lines]
    tip, forearm = (arm.forward_kinematics(q, frame=name) for name in ("tool0", "forearm_link"))
    for T in (tip, forearm):
        for axis in range(3):
            along = [line for line in lines if len(line) == 2 and np.allclose(line[0], T[:3, 3], atol=1e-12)]
            directions = [np.diff(line, axis=0)[0] / np.linalg.norm(np.diff(line, axis=0)) for line in along]
            assert any(np.allclose(direction, T[:3, axis], atol=1e-12) for direction in directions)
    middles = [line.mean(axis=0) for line in lines]
    origins = arm.link_poses(q)[1:, :3, 3]
    assert all(any(np.allclose(middle, origin, atol=1e-12) for middle in middles) for origin in origins)


def test_a_planar_arm_is_drawn_in_its_plane() -> None:
    figure = armdyn.load("planar_2r").plot([0.5, 0.9])
    points = np.concatenate([line.get_xydata() for line in figure.axes[0].lines])
    tip = [np.cos(0.5) + np.cos(1.4), np.sin(0.5) + np.sin(1.4)]
    assert np.abs(points - tip).max(axis=1).min() < 1e-12
    assert [figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()] == ["x [m]", "y [m]"]
    words = [text.get_text() for text in figure.texts]
    assert "1 joint_2" in words
    assert f"revolute, at {np.degrees(0.9):.4g}°" in words


def test_several_configurations_are_ghosts() -> None:
    arm = armdyn.load("planar_3r")
    one, several = (arm.plot(q) for q in ([1.0, 0.5, 0.9], [[0.0, 0.0, 0.0], [0.5, 0.2, 0.4], [1.0, 0.5, 0.9]]))
    assert len(several.axes[0].lines) - len(one.axes[0].lines) == 2 * 2  # the chain, and from its end to the tip
    assert several.axes[0].get_xlim()[1] > one.axes[0].get_xlim()[1]


@pytest.mark.slow
def test_coupled_and_closed_robots_and_those_without_a_tip(tmp_path: Path) -> None:
    mimic = armdyn.load("planar_3r").with_mimic({"joint_3": ("joint_2", -2.0, 0.1)})
    words = [text.get_text() for text in mimic.plot([0.3, 0.2]).texts]
    assert f"revolute, at \u2212{np.degrees(0.3):.4g}°" in words  # -2 * 0.2 + 0.1
    channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    closed = armdyn.load("planar_2r").with_constraints(channel)
    closed.plot([-np.pi / 3, 2 * np.pi / 3], tmp_path / "closed.svg")
    assert (tmp_path / "closed.svg").stat().st_size > 1000
    hand = robot("panda")
    assert hand.tip is None
    assert [text.get_text() for text in hand.plot(meshes=False).texts].count("panda_link0") == 1


@pytest.mark.slow
def test_the_meshes_of_the_description_are_drawn() -> None:
    """Those of the UR5's file; the upper arm spans its length."""
    looks, notes = bodies(robot("ur5_file").model)
    arm = next(body for body in looks if body.link == "upper_arm_link")
    assert 0.42 < np.ptp(arm.triangles[..., 2]) < 0.6  # the arm is 0.425 m long from joint to joint
    assert notes == []
    figure = robot("ur5_file").plot()
    links, joints = (len(artist.triangles) for artist in surfaces(figure))
    assert (links, joints) == (95694, 6 * 120)
    assert [len(artist.triangles) for artist in surfaces(robot("ur5_file").plot(meshes=False))] == [0, 6 * 120]


def surfaces(figure: Figure) -> list[ShadedTriangles]:
    return [artist for artist in figure.axes[0].artists if isinstance(artist, ShadedTriangles)]


def test_large_meshes_are_thinned_and_that_is_said() -> None:
    looks, notes = bodies(robot("talos_left_arm").model, most=20_000)
    assert sum(len(body.triangles) for body in looks) <= 20_000
    assert any(note.startswith("meshes thinned from") for note in notes)
    full = read_triangles(
        Mesh("package://example-robot-data/robots/talos_data/meshes/arm/arm_7.STL", folder=str(ROBOTS))
    )
    thin = thinned(full, 800).triangles
    assert 100 < len(thin) <= 800
    extent = [full.min(axis=(0, 1)), full.max(axis=(0, 1))]
    np.testing.assert_allclose([thin.min(axis=(0, 1)), thin.max(axis=(0, 1))], extent, atol=0.04 * np.ptp(extent))


def read_triangles(mesh: Mesh) -> np.ndarray:
    return np.concatenate([part.triangles for part in MeshReader().parts(mesh)]) * np.asarray(mesh.scale)


def write_stl(path: Path) -> None:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    facets = [corners[list(face)] for face in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))]
    points = ["".join(f"vertex {x} {y} {z}\n" for x, y, z in facet) for facet in facets]
    text = "".join(f"facet normal 0 0 0\nouter loop\n{point}endloop\nendfacet\n" for point in points)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"solid s\n{text}endsolid s\n")


def test_packages_keep_their_meshes(tmp_path: Path) -> None:
    """A file outside of the package is not found, whatever the path says."""
    folder = tmp_path / "arm_description" / "urdf"
    folder.mkdir(parents=True)
    (tmp_path / "secret.stl").touch()
    (folder.parent / "a.stl").touch()
    inside = "package://arm_description/urdf/../a.stl"
    assert find_file(Mesh(inside, folder=str(folder))) == folder.parent / "a.stl"
    for path in (
        "package://arm_description/../secret.stl",
        "package://arm_description/urdf/../../secret.stl",
        "package://../secret.stl",
        "package://./secret.stl",
        f"package://arm_description/{tmp_path}/secret.stl",
        "model://arm_description\\..\\secret.stl",
    ):
        assert find_file(Mesh(path, folder=str(folder))) is None


def test_backslashes_of_windows_are_slashes(tmp_path: Path) -> None:
    folder = tmp_path / "assets" / "merged"
    folder.mkdir(parents=True)
    (folder / "a.stl").touch()
    for path in (r"assets\merged\a.stl", r"package://assets\merged\a.stl"):
        assert find_file(Mesh(path, folder=str(tmp_path))) == folder / "a.stl"


def test_meshes_are_found_in_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_stl(tmp_path / "work/arm_description/meshes/a.stl")
    folder = tmp_path / "work/arm_description/urdf"
    folder.mkdir()
    here = find_file(Mesh("package://arm_description/meshes/a.stl", folder=str(folder)))
    assert here == tmp_path / "work/arm_description/meshes/a.stl"
    beside = tmp_path / "work/arm_bringup/urdf"
    beside.mkdir(parents=True)
    assert find_file(Mesh("package://arm_description/meshes/a.stl", folder=str(beside))) == here
    assert find_file(Mesh(f"file://{here}")) == here
    assert find_file(Mesh("../meshes/a.stl", folder=str(folder))).samefile(here)  # type: ignore[union-attr]
    elsewhere = Mesh("package://arm_description/meshes/a.stl")
    assert find_file(elsewhere) is None
    monkeypatch.setenv("ROS_PACKAGE_PATH", f"{tmp_path / 'nowhere'}:{tmp_path / 'work'}")
    assert find_file(elsewhere) == here
    monkeypatch.delenv("ROS_PACKAGE_PATH")
    write_stl(tmp_path / "install/share/arm_description/meshes/a.stl")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "install"))
    assert find_file(elsewhere) == tmp_path / "install/share/arm_description/meshes/a.stl"
    assert find_file(Mesh("https://example.org/a.stl")) is None
    assert find_file(Mesh("a" * 5000 + ".stl")) is None


def test_meshes_are_scaled_and_mirrored(tmp_path: Path) -> None:
    write_stl(tmp_path / "a.stl")
    triangles = read_triangles(Mesh("a.stl", (2.0, -3.0, 0.5), str(tmp_path)))
    np.testing.assert_allclose(triangles.max(axis=(0, 1)), [2.0, 0.0, 0.5])
    np.testing.assert_allclose(triangles.min(axis=(0, 1)), [0.0, -3.0, 0.0])


def test_meshes_that_cannot_be_drawn_are_told(tmp_path: Path) -> None:
    (tmp_path / "broken.stl").write_bytes(b"solid nothing\n" + bytes(range(256)) * 4)
    (tmp_path / "empty.obj").write_text("# nothing\n")
    for name, why in (("broken.stl", "unreadable|empty"), ("empty.obj", "unreadable|empty"), ("none.stl", "not found")):
        with pytest.raises(UnreadMesh, match=why):
            read_triangles(Mesh(name, folder=str(tmp_path)))
    arm = armdyn.load("planar_2r")
    shapes = (Geometry("link_1", "visual", Mesh("none.stl")), Geometry("link_1", "collision", Box((1, 0.1, 0.1))))
    drawn = Robot(arm.model.replace(geometry=shapes))
    looks, notes = bodies(drawn.model)
    assert [len(body.triangles) for body in looks] == [12]  # the box instead
    assert notes == ["1 .stl meshes not drawn: not found"]
    assert notes[0] in [text.get_text() for text in drawn.plot().texts]


def test_without_trimesh_and_of_huge_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_stl(tmp_path / "a.stl")
    mesh = Mesh("a.stl", folder=str(tmp_path))
    monkeypatch.setattr(mesh_bounds, "LARGEST_TEXT", 10)
    with pytest.raises(UnreadMesh, match="larger than 0 MB"):
        read_triangles(mesh)
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(UnreadMesh, match="trimesh is not installed"):
        read_triangles(mesh)


@pytest.mark.parametrize(
    ("shape", "volume", "size"),
    [
        (Box((0.2, 0.3, 0.5)), 0.2 * 0.3 * 0.5, (0.2, 0.3, 0.5)),
        (Sphere(0.3), 4 / 3 * np.pi * 0.3**3, (0.6, 0.6, 0.6)),
        (Ellipsoid((0.1, 0.2, 0.3)), 4 / 3 * np.pi * 0.006, (0.2, 0.4, 0.6)),
        (Cylinder(0.2, 0.7), np.pi * 0.04 * 0.7, (0.4, 0.4, 0.7)),
        (Capsule(0.2, 0.7), np.pi * 0.04 * 0.7 + 4 / 3 * np.pi * 0.008, (0.4, 0.4, 1.1)),
    ],
)
def test_shapes_have_their_volume_and_size(shape: Shape, volume: float, size: tuple[float, ...]) -> None:
    """The volume of the polyhedron by the divergence theorem, a few per cent below that of what is round."""
    triangles = triangles_of(shape)
    signed = np.einsum("ki,ki->k", triangles[:, 0], np.cross(triangles[:, 1], triangles[:, 2])) / 6.0
    enclosed = float(np.abs(signed).sum())  # every shape is seen whole from its middle
    assert 0.93 * volume < enclosed <= volume * (1 + 1e-12)
    np.testing.assert_allclose(np.ptp(triangles.reshape(-1, 3), axis=0), size, rtol=0.02)


def test_a_plane_has_no_triangles() -> None:
    assert triangles_of(Plane()).shape == (0, 3, 3)


def test_spread_keeps_distance_and_order() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        wanted = np.sort(rng.uniform(0.0, 4.0, 9))[::-1]
        heights = spread(list(wanted), LINE, 0.0, 4.0)
        assert (-np.diff(heights) >= LINE - 1e-12).all()
        assert heights.max() <= 4.0 - LINE / 2.0 + 1e-12
        assert heights.min() >= LINE / 2.0 - 1e-12
    assert spread([], LINE, 0.0, 1.0).size == 0


def test_lines_to_labels_do_not_cross() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        figure = new_figure(8.0, 5.0)
        places = [(float(x), float(y)) for x, y in rng.uniform([0.0, 0.0], [5.0, 5.0], (10, 2))]
        draw_labels(figure, [PointLabel(str(k), "", place) for k, place in enumerate(places)], 6.0, 0.0, 5.0)
        lines = [np.array(line.get_xydata()) for line in figure.findobj(mpl.lines.Line2D)]
        assert len(lines) == 10
        assert not any(_cross(*one, *other) for one, other in itertools.combinations(lines, 2))


def test_axes_of_ones_own() -> None:
    figure = Figure()
    flat, space = figure.add_subplot(121), figure.add_subplot(122, projection="3d")
    assert armdyn.load("rp").plot([0.4, 1.3], ax=flat) is figure
    armdyn.load("puma560").plot(ax=space)
    parts = Figure(figsize=(12, 5), layout="constrained").subfigures(1, 2)
    armdyn.load("ur5").plot(ax=parts[0].add_subplot(projection="3d")).canvas.draw()  # warns if its axes collapse
    assert flat.lines
    assert space.lines
    with pytest.raises(PictureError, match=r"do not fit 'ur5': expected axes of projection=\"3d\""):
        armdyn.load("ur5").plot(ax=flat)
    with pytest.raises(PictureError, match="do not fit 'rp': expected axes of no projection"):
        armdyn.load("rp").plot(ax=space)


def test_what_cannot_be_drawn() -> None:
    arm = armdyn.load("ur5")
    with pytest.raises(
        ShapeError, match=r"q has shape \(5,\); expected \(6,\), or \(k, 6\) .*'ur5': shoulder_pan_joint"
    ):
        arm.plot(np.zeros(5))
    with pytest.raises(ShapeError, match=r"q has shape \(2, 2, 6\)"):
        arm.plot(np.zeros((2, 2, 6)))
    with pytest.raises(PictureError, match="q"):
        arm.plot([np.nan] * 6)
    with pytest.raises(UnknownName, match="Did you mean 'tool0'"):
        arm.plot(frames=["tool"])
    with pytest.raises(PictureError, match="cannot be written"):
        arm.plot(path="a.xyz")
    with pytest.raises(ModelError, match="width"):
        arm.plot(width=0.0)
    with pytest.raises(ShapeError, match="view"):
        arm.plot(view=(1.0, 2.0, 3.0))


def test_notebooks_show_pictures_and_pyplot_opens_them(monkeypatch: pytest.MonkeyPatch) -> None:
    figure: Any = armdyn.load("planar_2r").plot([0.1, 0.2])
    data, size = figure._repr_png_()
    assert data.startswith(b"\x89PNG")
    assert size["width"] == round(figure.get_figwidth() * 100)
    from matplotlib import pyplot

    monkeypatch.setattr(pyplot, "show", lambda: None)
    pyplot.switch_backend("Agg")
    before = set(pyplot.get_fignums())
    figure.show()
    (number,) = set(pyplot.get_fignums()) - before
    assert figure.canvas.manager.canvas.figure is figure
    pyplot.close(number)
