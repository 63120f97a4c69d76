"""Shapes of MJCF files: where MuJoCo puts them, meshes where their files say, welded and locked."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

from armdyn import Robot
from armdyn.model import Geometry
from armdyn.model.geometry import Box, Capsule, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere

pytestmark = pytest.mark.usefixtures("compiled_here")

OBJ = "v 0 0 0\nv 1 0 0\nv 0 1.5 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
VERTICES = np.array([[0, 0, 0], [1, 0, 0], [0, 1.5, 0], [0, 0, 3]])

ARM = """<mujoco model="arm">
  <compiler angle="radian" meshdir="m"/>
  <default><default class="seen"><geom contype="0" conaffinity="0" rgba="1 0 0 0.5"/></default>
    <default class="felt"><geom group="3" type="capsule" size="0.04 0.3"/></default></default>
  <asset>
    <material name="blue" rgba="0 0 1 1"/>
    <mesh name="wedge" file="wedge.obj" scale="2 1 -1"/>
    <mesh name="moved" file="wedge.obj" refpos="0.1 0.2 0.3" scale="1 2 3"/>
    <mesh file="turned.obj" refpos="0.1 0.2 0.3" refquat="1 0.2 0.3 0.1" scale="2 2 2"/>
    <mesh name="crooked" file="wedge.obj" refquat="1 0.2 0.3 0.1" scale="1 2 3"/>
    <mesh name="listed" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
    <hfield name="hills" nrow="2" ncol="2" size="1 1 1 1"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="0 3 1"/>
    <geom name="hills" type="hfield" hfield="hills"/>
    <body name="upper" pos="0.1 0.2 0.3" quat="1 0.3 0.2 0.1">
      <joint name="turn" axis="1 2 3" pos="0.1 0 0.2" ref="0.4"/>
      <geom name="bar" type="capsule" fromto="0 0 0 0.3 0.4 0.5" size="0.05" material="blue"/>
      <geom name="box" class="seen" type="box" size="0.1 0.2 0.3" pos="0.1 0.2 0.3" euler="0.1 0.2 0.3"/>
      <geom name="felt" class="felt" pos="0.3 0.1 0.2" axisangle="1 1 0 0.5"/>
      <body name="lower" pos="0.5 0 0.1" quat="1 -0.3 0.2 0.5">
        <joint name="slide" type="slide" axis="0 1 1"/> <joint name="roll" axis="0 0 1" pos="0.2 0.1 0"/>
        <geom name="egg" type="ellipsoid" size="0.1 0.2 0.3" pos="0.1 0 0"/>
        <geom name="can" type="cylinder" size="0.1 0.2" euler="0.3 0 0.5"/>
        <geom name="wedge" type="mesh" mesh="wedge" pos="1 2 3" quat="1 0.3 0.2 0.1"/>
        <geom name="moved" type="mesh" mesh="moved" pos="3 2 1" quat="1 0.1 0.5 0.1"/>
        <geom name="turned" type="mesh" mesh="turned" pos="3 1 1" quat="1 0.1 0.5 0.3"/>
        <geom name="crooked" type="mesh" mesh="crooked"/>
        <geom name="listed" type="mesh" mesh="listed"/>
        <body name="eye" pos="0.2 0.3 0.1" quat="1 0 0.4 0"> <geom name="ball" size="0.02" pos="0.1 0.1 0"/> </body>
      </body>
    </body>
  </worldbody>
</mujoco>"""

EXPECTED: dict[str, tuple[set[str], Shape]] = {
    "floor": ({"visual", "collision"}, Plane((np.inf, 6))),
    "bar": ({"visual", "collision"}, Capsule(0.05, 0.5**0.5)),
    "box": ({"visual"}, Box((0.2, 0.4, 0.6))),
    "felt": ({"collision"}, Capsule(0.04, 0.6)),
    "egg": ({"visual", "collision"}, Ellipsoid((0.1, 0.2, 0.3))),
    "can": ({"visual", "collision"}, Cylinder(0.1, 0.4)),
    "wedge": ({"visual", "collision"}, Mesh("m/wedge.obj", (2, 1, -1))),
    "moved": ({"visual", "collision"}, Mesh("m/wedge.obj", (1, 2, 3))),
    "turned": ({"visual", "collision"}, Mesh("m/turned.obj", (2, 2, 2))),
    "ball": ({"visual", "collision"}, Sphere(0.02)),
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scene")
    (folder / "m").mkdir()
    for name in ("wedge", "turned"):
        (folder / "m" / f"{name}.obj").write_text(OBJ)
    (folder / "arm.xml").write_text(ARM)
    return folder / "arm.xml"


def place(robot: Robot, q: np.ndarray, shape: Geometry) -> np.ndarray:
    return robot.link_poses(q)[robot.link_names.index(shape.link)] @ shape.pose  # type: ignore[no-any-return]


def test_forms_purposes_colors_and_notes(file: Path) -> None:
    model = Robot.from_mjcf(file).model
    by_name: dict[str, list[Geometry]] = {}
    for shape in model.geometry:
        by_name.setdefault(shape.name, []).append(shape)
    assert by_name.keys() == EXPECTED.keys()
    for name, (purposes, expected) in EXPECTED.items():
        assert {shape.purpose for shape in by_name[name]} == purposes
        assert len(by_name[name]) == len(purposes)
        for shape in by_name[name]:
            assert shape.shape == expected
    colors = {name: shapes[0].color for name, shapes in by_name.items()}
    assert (colors["bar"], colors["box"], colors["can"]) == ((0, 0, 1, 1), (1, 0, 0, 0.5), (0.5, 0.5, 0.5, 1))
    mesh = by_name["wedge"][0].shape
    assert isinstance(mesh, Mesh)
    assert mesh.location == str(file.parent / "m" / "wedge.obj")
    left_out = [note for note in model.notes if "left out of the shapes" in note]
    assert left_out == [
        "geom 'hills' (arm.xml:16) is of type hfield, which is not kept: it is left out of the shapes",
        "geom 'crooked' (arm.xml:29) is mesh 'crooked', which refquat turns before its axes are scaled differently: "
        "it is left out of the shapes",
        "geom 'listed' (arm.xml:30) is mesh 'listed', which no file holds: it is left out of the shapes",
    ]


@pytest.mark.short_run("locked2")
@pytest.mark.parametrize("locked", [{}, {"slide": 0.3}, {"turn": -0.7, "roll": 0.9}])
def test_shapes_stand_where_mujoco_puts_them(file: Path, locked: dict[str, float]) -> None:
    robot = Robot.from_mjcf(file, locked=locked)
    m = mujoco.MjModel.from_xml_path(str(file))
    d = mujoco.MjData(m)
    rng = np.random.default_rng(1)
    for _ in range(3):
        q = rng.normal(size=robot.dof)
        for joint in ("turn", "slide", "roll"):
            d.joint(joint).qpos[0] = locked.get(joint, 0.0) if joint in locked else q[robot.joint_names.index(joint)]
        mujoco.mj_kinematics(m, d)
        for shape in robot.model.geometry:
            T = place(robot, q, shape)
            geom = d.geom(shape.name)
            if not isinstance(shape.shape, Mesh):
                np.testing.assert_allclose(T[:3, 3], geom.xpos, rtol=0, atol=1e-12)
                np.testing.assert_allclose(T[:3, :3].ravel(), geom.xmat, rtol=0, atol=1e-12)
                continue
            i = m.geom(shape.name).dataid[0]
            first, count = m.mesh_vertadr[i], m.mesh_vertnum[i]
            compiled = m.mesh_vert[first : first + count] @ geom.xmat.reshape(3, 3).T + geom.xpos
            ours = (VERTICES * shape.shape.scale) @ T[:3, :3].T + T[:3, 3]
            np.testing.assert_allclose(ours, compiled, rtol=0, atol=3e-6)  # its vertices are float32


def test_a_mesh_stands_where_the_file_puts_it(file: Path) -> None:
    robot = Robot.from_mjcf(file)
    (wedge, _) = [shape for shape in robot.model.geometry if shape.name == "wedge"]
    m = mujoco.MjModel.from_xml_path(str(file))
    d = mujoco.MjData(m)
    mujoco.mj_kinematics(m, d)
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, np.array([1, 0.3, 0.2, 0.1]) / np.sqrt(1.14))
    body, T = d.body("lower"), place(robot, m.qpos0, wedge)
    np.testing.assert_allclose(T[:3, :3], body.xmat.reshape(3, 3) @ R.reshape(3, 3), rtol=0, atol=1e-12)
    np.testing.assert_allclose(T[:3, 3], body.xpos + body.xmat.reshape(3, 3) @ [1, 2, 3], rtol=0, atol=1e-12)


def test_a_geom_that_a_pair_names_collides(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("""<mujoco><worldbody><body><joint/>
      <geom name="a" size="1" contype="0" conaffinity="0" group="4"/></body>
      <geom name="b" size="1" contype="0" conaffinity="0" group="4"/></worldbody>
      <contact><pair geom1="a" geom2="b"/></contact></mujoco>""")
    assert [shape.purpose for shape in Robot.from_mjcf(tmp_path / "a.xml").model.geometry] == ["collision"] * 2


def test_written_as_urdf(file: Path) -> None:
    robot = Robot.from_mjcf(file)
    path = file.with_name("arm.urdf")
    robot.to_urdf(path)
    again = Robot.from_urdf(path, check_inertia=False)
    assert len(again.model.geometry) == len(robot.model.geometry)
    for one in robot.model.geometry:
        (other,) = [g for g in again.model.geometry if (g.name, g.purpose) == (one.name, one.purpose)]
        assert (other.link, other.color) == (one.link, one.color)
        np.testing.assert_allclose(other.pose, one.pose, rtol=0, atol=1e-14)
        if isinstance(one.shape, Mesh) and isinstance(other.shape, Mesh):
            assert (other.shape.location, other.shape.scale) == (one.shape.location, one.shape.scale)
        else:
            assert other.shape == one.shape
