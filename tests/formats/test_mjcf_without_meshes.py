"""MJCF files whose meshes are not there: the robot is the one with them, unless an inertia comes from a mesh."""

import shutil
from pathlib import Path

import mujoco
import numpy as np
import pytest

from armdyn import ModelError, Robot
from armdyn.formats.mjcf.apart import compile_apart
from armdyn.model.geometry import Mesh

pytestmark = [
    pytest.mark.skipif(not hasattr(mujoco, "MjSpec"), reason="this MuJoCo has no MjSpec"),
    pytest.mark.usefixtures("compiled_here"),
]

WEDGE = (
    "v 0 0 0\nv 1 0.1 0\nv 0 2 0.3\nv 0.2 0 3\nv -1 -0.5 0.4\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 5 3\nf 5 4 3\nf 1 4 5\n"
)

ARM = """<mujoco model="arm">
  <compiler angle="radian" meshdir="meshes" {compiler}/>
  <default><default class="looks"><geom type="mesh" group="2" contype="0" conaffinity="0"/></default></default>
  <asset>
    <mesh name="shell" file="sub/a.obj" scale="0.1 0.1 0.1" refpos="0.1 0.2 0.3" refquat="0.9 0.1 0.3 -0.2"/>
    <mesh file="b.obj" scale="0.1 -0.2 0.3"/>
    <texture name="grain" type="2d" file="grain.png"/> <material name="wood" texture="grain"/>
    {asset}
  </asset>
  <worldbody>
    <body name="pedestal"> <geom class="looks" mesh="b"/>
      <body name="one" pos="0 0 0.5"> <joint name="a" axis="0 1 0" damping="0.1" springdamper="0 0"/>
        <inertial pos="0.1 0 0" mass="1" diaginertia="0.001 0.005 0.005"/>
        <geom class="looks" mesh="shell" pos="0.1 0.2 0" euler="0.1 0.2 0.3" material="wood"/>
        <body name="two" pos="0.3 0 0"> <joint name="b" axis="0.6 0.8 0"/>
          {inertial}
          <geom name="touch" type="mesh" mesh="b" {geom}/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><position joint="a" kp="10" dampratio="1"/></actuator>
</mujoco>"""
INERTIAL = '<inertial pos="0.1 0.02 0.03" mass="0.5" fullinertia="0.004 0.005 0.006 1e-4 2e-4 -3e-4"/>'
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000000301010018dd8db0"
    "0000000049454e44ae426082"
)


def arm(**parts: str) -> str:
    return ARM.format(**{"compiler": "", "asset": "", "inertial": INERTIAL, "geom": "", **parts})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An arm with its meshes."""
    (tmp_path / "meshes" / "sub").mkdir(parents=True)
    for name in ("sub/a.obj", "b.obj"):
        (tmp_path / "meshes" / name).write_text(WEDGE)
    (tmp_path / "grain.png").write_bytes(PNG)
    path = tmp_path / "arm.xml"
    path.write_text(arm())
    return path


def take_away(file: Path) -> None:
    shutil.rmtree(file.parent / "meshes")
    (file.parent / "grain.png").unlink()


def test_the_robot_is_the_one_with_meshes(file: Path) -> None:
    whole = Robot.from_mjcf(file)
    take_away(file)
    bare = Robot.from_mjcf(file)
    for joint, other in zip(bare.model.joints, whole.model.joints, strict=True):
        np.testing.assert_array_equal(joint.placement, other.placement)
    for link, other_link in zip(bare.model.links[1:], whole.model.links[1:], strict=True):
        assert link.inertia.mass == other_link.inertia.mass
        np.testing.assert_array_equal(link.inertia.com, other_link.inertia.com)
        np.testing.assert_array_equal(link.inertia.tensor, other_link.inertia.tensor)
    assert bare.program("inverse_dynamics").digest == whole.program("inverse_dynamics").digest
    assert [note for note in bare.notes if note not in whole.notes] == [
        "3 files that pictures alone need are not there: sub/a.obj, b.obj, grain.png"
    ]


def test_shapes_keep_their_files_and_places(file: Path) -> None:
    whole = Robot.from_mjcf(file).model.geometry
    take_away(file)
    bare = Robot.from_mjcf(file).model.geometry
    assert len(bare) == len(whole) == 4
    for shape, other in zip(bare, whole, strict=True):
        assert isinstance(shape.shape, Mesh)
        assert (shape.link, shape.purpose, shape.shape, shape.color) == (
            other.link,
            other.purpose,
            other.shape,
            other.color,
        )
        np.testing.assert_allclose(shape.pose, other.pose, rtol=0, atol=1e-12)


def test_a_mesh_is_needed_where_an_inertia_comes_from_it(file: Path) -> None:
    file.write_text(arm(inertial=""))
    whole = Robot.from_mjcf(file)
    assert whole.model.link("two").inertia.mass > 0.0
    take_away(file)
    with pytest.raises(ModelError) as caught:
        Robot.from_mjcf(file)
    assert str(caught.value) == (
        "arm.xml: mesh 'b.obj', from which the inertia of body 'two' comes, is not there. Put it where the document "
        "looks for it, or state the body's <inertial>."
    )


@pytest.mark.parametrize(
    ("parts", "is_needed"),
    [
        ({"compiler": 'inertiafromgeom="true"'}, True),
        ({"compiler": 'inertiafromgeom="false"'}, False),
        ({"inertial": '<geom size="0.1"/>', "geom": 'group="3"', "compiler": 'inertiagrouprange="0 1"'}, False),
        ({"inertial": '<geom size="0.1"/>', "geom": 'group="3"', "compiler": 'inertiagrouprange="0 3"'}, True),
        ({"inertial": '<geom size="0.1"/>', "geom": 'mass="0"'}, False),
        ({"inertial": '<geom size="0.1"/>', "geom": 'density="0"'}, False),
        ({"inertial": '<geom size="0.1"/>', "geom": 'mass="0.3"'}, True),
        ({"compiler": 'settotalmass="3"'}, True),
        ({"asset": '<hfield name="h" file="hills.bin" size="1 1 1 1"/>'}, False),
    ],
)
def test_which_meshes_are_needed(file: Path, parts: dict[str, str], is_needed: bool) -> None:
    """Where they are not, the arm is MuJoCo's own with them."""
    file.write_text(arm(**parts))
    (file.parent / "meshes" / "hills.bin").write_bytes(np.int32([2, 2]).tobytes() + np.float32([0, 0, 0, 1]).tobytes())
    whole = Robot.from_mjcf(file)
    take_away(file)
    if is_needed:
        with pytest.raises(ModelError, match=r"from which the inertia of body .* comes"):
            Robot.from_mjcf(file)
        return
    q, qd, qdd = np.random.default_rng(3).normal(size=(3, 5, 2))
    np.testing.assert_array_equal(
        Robot.from_mjcf(file).inverse_dynamics(q, qd, qdd), whole.inverse_dynamics(q, qd, qdd)
    )


def test_a_shape_that_is_fitted_to_a_mesh_is_the_mesh(file: Path) -> None:
    file.write_text(arm().replace('type="mesh" mesh="b"', 'type="capsule" mesh="b"'))
    take_away(file)
    assert all(isinstance(shape.shape, Mesh) for shape in Robot.from_mjcf(file).model.geometry)


def test_other_files_are_still_needed(file: Path) -> None:
    take_away(file)
    file.write_text(arm().replace("<worldbody>", '<worldbody><include file="part.xml"/>'))
    with pytest.raises(ModelError, match=r"part\.xml"):
        Robot.from_mjcf(file)


def test_in_a_process_of_its_own(file: Path) -> None:
    take_away(file)
    found = compile_apart(mujoco, file)
    assert found.refusal == ""
    assert found.replaced == ("sub/a.obj", "b.obj", "grain.png")
    assert {name: scale for name, (_, scale) in found.meshes.items()} == {"shell": [0.1] * 3, "b": [0.1, -0.2, 0.3]}
    file.write_text(arm(inertial=""))
    assert (
        compile_apart(mujoco, file).refusal == "mesh 'b.obj', from which the inertia of body 'two' comes, is not there"
    )
