"""Shapes of URDF files: where Pinocchio puts them, through merging and locking, and written back."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn import ModelError, Robot
from armdyn.formats.urdf import read_urdf, read_urdf_text
from armdyn.model import Geometry, Model
from armdyn.model.geometry import Box, Capsule, Cylinder, Ellipsoid, Mesh, Plane, Shape, Sphere
from oracles.robot_data import ROBOTS
from oracles.short_run import short_run

TOLERANCE = 1e-12

LOCKED: Mapping[str, Mapping[str, float]] = {
    "panda_description/urdf/panda.urdf": {"panda_finger_joint1": 0.02, "panda_finger_joint2": 0.02},
    "panda_description/urdf/panda_collision.urdf": {
        "panda_finger_joint1": 0.0,
        "panda_finger_joint2": 0.0,
        "panda_joint4": -1.3,
    },
    "ur_description/urdf/ur5_robot.urdf": {"elbow_joint": 0.7, "wrist_2_joint": -1.1},
    "baxter_description/urdf/baxter.urdf": {"head_pan": 0.4, "left_s0": 0.3, "left_s1": -0.9, "right_e1": 1.2},
}


def theirs(path: str, purpose: str, held: Mapping[str, float]) -> list[tuple[str, np.ndarray, object]]:
    """Pinocchio's shapes: the joint that moves each, its place in that joint's frame, and the shape."""
    file = str(ROBOTS / path)
    model = pin.buildModelFromUrdf(file)
    kind = pin.GeometryType.VISUAL if purpose == "visual" else pin.GeometryType.COLLISION
    shapes = pin.buildGeomFromUrdf(model, file, kind, package_dirs=[str(ROBOTS.parent.parent)])
    q = pin.neutral(model)
    for name, at in held.items():
        q[model.joints[model.getJointId(name)].idx_q] = at
    model, shapes = pin.buildReducedModel(model, shapes, [model.getJointId(name) for name in held], q)
    return [(model.names[one.parentJoint], one.placement.homogeneous, one) for one in shapes.geometryObjects]


def same_shape(ours: Geometry, other: pin.GeometryObject) -> bool:
    form, shape = other.geometry, ours.shape
    if (
        ours.purpose == "visual"
        and ours.color is not None
        and not np.allclose(other.meshColor, ours.color, rtol=0, atol=1e-6)
    ):
        return False
    if isinstance(shape, Mesh):
        return other.meshPath.endswith(shape.path.removeprefix("package://example-robot-data")) and np.array_equal(
            other.meshScale, shape.scale
        )
    if isinstance(shape, Box):
        return hasattr(form, "halfSide") and np.allclose(2 * form.halfSide, shape.size, rtol=1e-14)
    if isinstance(shape, Sphere):
        return other.meshPath == "SPHERE" and form.radius == shape.radius
    assert isinstance(shape, Cylinder)
    return (form.radius, 2 * form.halfLength) == (shape.radius, shape.length)


BAXTER = "baxter_description/urdf/baxter.urdf"
"""Pinocchio takes seconds to read its meshes."""


@pytest.mark.slow
@pytest.mark.parametrize("path", short_run(LOCKED, *(path for path in LOCKED if path != BAXTER)))
@pytest.mark.parametrize("lock", [False, True])
def test_shapes_stand_where_pinocchio_puts_them(path: str, lock: bool) -> None:
    held = {name: at for name, at in LOCKED[path].items() if lock}
    model = read_urdf(ROBOTS / path, locked=held, problems="warn")
    carries = {joint.child: joint.name for joint in model.joints} | {model.base: "universe"}
    for purpose in ("visual", "collision"):
        ours = [shape for shape in model.geometry if shape.purpose == purpose]
        expected = theirs(path, purpose, held)
        assert len(ours) == len(expected)
        for joint, pose, other in expected:
            (found, *_) = [
                shape
                for shape in ours
                if carries[shape.link] == joint
                and np.abs(shape.pose - pose).max() < TOLERANCE
                and same_shape(shape, other)
            ]
            ours.remove(found)


def told(model: Model) -> list[str]:
    """Everything about the shapes of a model, as texts that sort."""
    return sorted(
        repr((g.link, g.purpose, g.shape, g.color, g.name, (g.pose.round(12) + 0.0).tolist())) for g in model.geometry
    )


@pytest.mark.short_run(
    "panda_description/urdf/panda_collision.urdf",
    "panda_description/urdf/panda.urdf",
    "ur_description/urdf/ur5_robot.urdf",
)
@pytest.mark.filterwarnings("ignore::armdyn.DescriptionWarning")
@pytest.mark.parametrize("path", LOCKED)
def test_robots_come_back_with_their_shapes(path: str) -> None:
    model = read_urdf(ROBOTS / path, locked=LOCKED[path])
    again = read_urdf_text(Robot(model).to_urdf(), check_inertia=False)
    assert model.geometry
    assert told(again) == told(model)


ARM = """<robot name="arm">
  <material name="orange"><color rgba="1 0.5 0 1"/></material>
  <link name="base">{base}</link>
  <link name="boom">
    <inertial><mass value="3"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    {boom}
  </link>
  <link name="hand">{hand}</link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="boom"/><axis xyz="0 0 1"/></joint>
  <joint name="weld" type="fixed"><parent link="boom"/><child link="hand"/><origin xyz="1 0 0" rpy="0 0 1"/></joint>
</robot>"""


def read(boom: str = "", base: str = "", hand: str = "", **options: object) -> Model:
    return read_urdf_text(ARM.format(boom=boom, base=base, hand=hand), "arm.urdf", **options)  # type: ignore[arg-type]


def shape(form: str, tag: str = "visual") -> str:
    return f"<{tag}><geometry>{form}</geometry></{tag}>"


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ('<box size="1 2 3"/>', Box((1, 2, 3))),
        ('<sphere radius="0.2"/>', Sphere(0.2)),
        ('<cylinder length="0.5" radius="0.1"/>', Cylinder(0.1, 0.5)),
        ('<capsule length="0.5" radius="0.1"/>', Capsule(0.1, 0.5)),
        ('<ellipsoid radii="1 2 3"/>', Ellipsoid((1, 2, 3))),
        ("<plane/>", Plane()),
        ('<plane size="2 1.7976931348623157e+308"/>', Plane((2, np.inf))),
        ('<mesh filename="package://arm/a.stl" scale="1 -1 0.001"/>', Mesh("package://arm/a.stl", (1, -1, 0.001))),
        ('<mesh filename="a.stl"/>', Mesh("a.stl")),
    ],
)
def test_every_form_is_read_and_comes_back(form: str, expected: Shape) -> None:
    model = read(shape(form) + shape(form, "collision"))
    assert [(g.link, g.purpose, g.shape) for g in model.geometry] == [
        ("boom", "visual", expected),
        ("boom", "collision", expected),
    ]
    assert model.notes == ()
    assert told(read_urdf_text(Robot(model).to_urdf())) == told(model)


def test_place_name_and_color() -> None:
    boom = """<visual name="cover"><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><geometry><box size="1 1 1"/></geometry>
        <material name="blue"><color rgba="0 0 1 0.5"/></material></visual>
      <visual><geometry><box size="1 1 1"/></geometry><material name="orange"/></visual>
      <visual><geometry><box size="1 1 1"/></geometry><material name="blue"/></visual>
      <visual><geometry><box size="1 1 1"/></geometry><material name="red"/></visual>
      <visual><geometry><box size="1 1 1"/></geometry><material><color rgba="0 2 0 1"/></material></visual>"""
    model = read(boom)
    colors = [g.color for g in model.geometry]
    assert colors == [(0, 0, 1, 0.5), (1, 0.5, 0, 1), (0, 0, 1, 0.5), None, (0, 1, 0, 1)]
    assert set(model.notes) == {
        "rgba of <color> exceeds 0 to 1 and is cut off: material ''",
        "material 'red' is not defined: visual of link 'boom'",
    }
    cover = model.geometry[0]
    assert cover.name == "cover"
    np.testing.assert_array_equal(cover.pose[:3, 3], [1, 2, 3])
    np.testing.assert_allclose(cover.pose[:3, :3], pin.rpy.rpyToMatrix(0.1, 0.2, 0.3), atol=1e-15)


def test_shapes_of_welded_and_locked_links_stay_where_they_are() -> None:
    hand = '<visual><origin xyz="0 0.5 0"/><geometry><sphere radius="1"/></geometry></visual>'
    (welded,) = read(hand=hand).geometry
    assert welded.link == "boom"
    np.testing.assert_allclose(welded.pose[:3, 3], [1 - 0.5 * np.sin(1), 0.5 * np.cos(1), 0], atol=1e-15)
    more = """<link name="tool"><visual><geometry><box size="1 1 1"/></geometry></visual>
      <inertial><mass value="3"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
      <joint name="roll" type="continuous"><parent link="hand"/><child link="tool"/><axis xyz="0 0 1"/></joint>
      </robot>"""
    text = ARM.format(boom="", base=shape('<box size="1 1 1"/>'), hand=hand).replace("</robot>", more)
    arm = Robot(read_urdf_text(text))
    held = read_urdf_text(text, locked={"roll": 0.3})
    assert [g.link for g in held.geometry] == ["base", "boom", "boom"]
    turned = armdyn.Robot(held).link_poses([0.7])[1] @ held.geometry[2].pose
    np.testing.assert_allclose(turned, arm.link_poses([0.7, 0.3])[2], atol=1e-15)
    part = read_urdf_text(text, base="boom")
    assert [g.link for g in part.geometry] == ["boom", "tool"]
    chain = read_urdf_text(text, tip="hand", chain=True, check_inertia=False)
    assert [g.link for g in chain.geometry] == ["base", "boom"]


def test_meshes_are_looked_for_from_the_folder_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(
        ARM.format(
            boom=shape('<mesh filename="m/a.stl"/>') + shape('<mesh filename="package://m/a.stl"/>'), base="", hand=""
        )
    )
    robot = Robot.from_urdf(tmp_path / "arm.urdf")
    relative, package = (g.shape for g in robot.model.geometry)
    assert (relative.path, relative.folder, relative.location) == ("m/a.stl", str(tmp_path), str(tmp_path / "m/a.stl"))
    assert (package.folder, package.location) == (str(tmp_path), "package://m/a.stl")
    assert re.findall('filename="(.*?)"', robot.to_urdf()) == [relative.location, package.path]


FAULTS = [
    ('<box size="1 2"/>', "<box> size is '1 2'; expected 3 numbers such as 0 0 0.1, these are 2"),
    ("<box/>", "<box> has no size; expected 3 numbers such as 0 0 0.1"),
    ('<box size="1 -2 3"/>', "size of a box is 1 -2 3; expected lengths in m, none of them negative"),
    ('<sphere radius="-0.2"/>', "radius of a sphere is -0.2; expected lengths in m, none of them negative"),
    ('<sphere radius="wide"/>', "<sphere> radius is 'wide'; expected a number"),
    ('<sphere radius="nan"/>', "<sphere> radius is 'nan'; expected a number"),
    ("<sphere/>", "<sphere> has no radius; expected a number"),
    ('<cylinder radius="1"/>', "<cylinder> has no length; expected a number"),
    ('<cylinder radius="1" lenght="2" length="2"/>', None),
    ('<cylinder radius="1" lenght="2"/>', "<cylinder> has 'lenght', which is unknown. Did you mean 'length'?"),
    ("<mesh/>", '<mesh> has no filename; expected <mesh filename="...">'),
    (
        '<mesh filename="a" scale="1 0 1"/>',
        "scale of a mesh is 1 0 1; expected three finite factors, none of them zero",
    ),
    ('<box size="1 1 1"/><sphere radius="1"/>', "<geometry> has a <sphere> beside a <box>; expected one shape"),
    ('<shpere radius="1"/>', "<shpere> is unknown. Did you mean <sphere>?"),
]


@pytest.mark.parametrize(("form", "fault"), FAULTS)
def test_faults_are_refused_or_left_out(form: str, fault: str | None) -> None:
    if fault is None:
        assert read(shape(form)).notes == ("'lenght' of <cylinder> is not used: visual of link 'boom'",)
        return
    with pytest.raises(ModelError) as caught:
        read(shape(form))
    first = f"arm.urdf:6 visual of link 'boom': {fault}"
    assert caught.value.problems[0].startswith(first)
    assert caught.value.problems[0].endswith("problems='warn', and the shape is left out.")
    with pytest.warns(armdyn.DescriptionWarning):
        model = read(shape(form) + shape('<box size="1 1 1"/>'), problems="warn")
    assert [g.shape for g in model.geometry] == [Box((1, 1, 1))]
    assert model.notes[0] == f"{first}; the shape is left out"


@pytest.mark.parametrize(
    ("origin", "fault"),
    [
        ('xyz="0 0"', "<origin> xyz is '0 0'; expected 3 numbers"),
        ('rpy="0 0 inf"', "<origin> rpy is '0 0 inf'; expected"),
    ],
)
def test_places_that_are_none(origin: str, fault: str) -> None:
    boom = f'<collision><origin {origin}/><geometry><box size="1 1 1"/></geometry></collision>'
    with pytest.raises(ModelError, match=re.escape(fault)):
        read(boom)
    with pytest.warns(armdyn.DescriptionWarning, match="the shape is left out"):
        assert read(boom, problems="warn").geometry == ()


def test_colors_that_are_none() -> None:
    boom = (
        '<visual><geometry><box size="1 1 1"/></geometry><material name="x"><color rgba="1 1 1"/></material></visual>'
    )
    with pytest.raises(ModelError, match=r"material 'x': <color> rgba is '1 1 1'; expected 4 numbers"):
        read(boom)
    with pytest.warns(armdyn.DescriptionWarning, match="it has no color"):
        (found,) = read(boom, problems="warn").geometry
    assert found.color is None


def test_forms_of_others_and_none_are_noted() -> None:
    notes = read(shape('<torus radius="1"/>') + "<collision/>").notes
    assert notes == (
        "<torus> is not used: visual of link 'boom'",
        "has no shape in it, and is left out: visual of link 'boom', collision of link 'boom'",
    )


def test_own_words_for_shapes_name_a_link() -> None:
    own = '<armdyn><of_link link="bom"><visual><geometry><plane/></geometry></visual></of_link></armdyn>'
    with pytest.raises(ModelError, match=r"<of_link> link 'bom' is no link of this file\. Did you mean 'boom'"):
        read_urdf_text(ARM.format(boom="", base="", hand="").replace("</robot>", own + "</robot>"))


WRONG: Sequence[tuple[type[Shape], Sequence[object]]] = [
    (Box, [(1, 2)]), (Box, ["1 2 3"]), (Box, [(1, np.nan, 2)]), (Sphere, [None]), (Sphere, [np.inf]),
    (Capsule, [1.0, -1.0]), (Ellipsoid, [(1, 2, -3)]), (Plane, [(-1, 1)]), (Mesh, [""]), (Mesh, [3]),
    (Mesh, ["a", (1, 1)]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "sizes"), WRONG)
def test_shapes_that_are_none(kind: type[Shape], sizes: Sequence[object]) -> None:
    with pytest.raises(armdyn.ArmdynError):
        kind(*sizes)


def test_geometry_that_is_none() -> None:
    with pytest.raises(ModelError, match="color is 2 0 0 1; expected red, green, blue and opacity from 0 to 1"):
        Geometry("boom", "visual", Sphere(1.0), color=(2, 0, 0, 1))
    with pytest.raises(ModelError, match="pose of a visual shape on 'boom'"):
        Geometry("boom", "visual", Sphere(1.0), pose=np.full((4, 4), np.nan))


def test_backslashes_in_the_path_of_a_mesh() -> None:
    """Written on Windows: read as slashes, with a note, and written so."""
    model = read(boom=shape(r'<mesh filename="package://assets\merged\a.stl"/>'))
    (mesh,) = (one.shape for one in model.geometry)
    assert mesh.location == "package://assets/merged/a.stl"
    assert "backslashes in the path of a mesh are read as slashes: visual of link 'boom'" in model.notes
