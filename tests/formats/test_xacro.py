"""xacro files, expanded as they are read: arguments, includes, packages; what is missing is named."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn import ModelError, UnknownName
from oracles.states import assert_close

XMLNS = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
ROD = f"""<robot {XMLNS}> <xacro:arg name="color" default="red"/>
<xacro:macro name="rod" params="name mass"> <link name="${{name}}"> <inertial> <origin xyz="0.5 0 0"/>
  <mass value="${{mass}}"/> <inertia ixx="0.1" ixy="0" ixz="0" iyy="${{mass/12}}" iyz="0" izz="${{mass/12}}"/>
</inertial> </link> </xacro:macro> </robot>"""
ARM = f"""<robot name="arm" {XMLNS}> <xacro:arg name="side" default="left"/> <xacro:arg name="fixed" default="false"/>
<xacro:include filename="INCLUDED"/>
<link name="base"/> <xacro:rod name="$(arg side)_rod" mass="$(arg mass)"/>
<joint name="turn" type="continuous"> <parent link="base"/> <child link="$(arg side)_rod"/> <axis xyz="0 1 0"/> </joint>
<xacro:if value="$(arg fixed)"> <link name="$(arg extra)"/> </xacro:if> </robot>"""


def write(folder: Path, included: str = "rod.xacro") -> Path:
    """A package around the file, and one beside it."""
    for name in ("arm_description", "other_description"):
        (folder / name / "urdf").mkdir(parents=True, exist_ok=True)
        (folder / name / "package.xml").write_text(f"<package format='3'> <name>{name}</name> </package>")
        (folder / name / "urdf" / "rod.xacro").write_text(ROD)
    path = folder / "arm_description" / "urdf" / "arm.urdf.xacro"
    path.write_text(ARM.replace("INCLUDED", included))
    return path


@pytest.mark.parametrize(
    "included",
    ["rod.xacro", "$(find arm_description)/urdf/rod.xacro", "$(find other_description)/urdf/rod.xacro"],
)
def test_arguments_includes_and_packages(tmp_path: Path, included: str) -> None:
    """A rod of mass 3 and length 1: M = 3/12 + 3/4 = 1."""
    robot = armdyn.load(write(tmp_path, included), xacro_args={"mass": 3.0, "side": "right"})
    assert (robot.name, robot.tip) == ("arm", "right_rod")
    assert_close(robot.mass_matrix([0.3]), np.array([[1.0]]))


def test_two_packages_of_one_name_in_two_folders(tmp_path: Path) -> None:
    """Nothing is left of one call in the next."""
    included = "$(find arm_description)/urdf/rod.xacro"
    first, second = write(tmp_path / "one", included), write(tmp_path / "two", included)
    rod = second.with_name("rod.xacro")
    rod.write_text(ROD.replace("${mass}", "${2*mass}"))
    masses = [armdyn.load(file, xacro_args={"mass": 3}).model.links[1].inertia.mass for file in (first, second, first)]
    assert masses == [3.0, 6.0, 3.0]


def test_missing_arguments_and_packages_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"needs the xacro arguments mass, extra, .*xacro_args=\{'mass': '\.\.\.', "):
        armdyn.load(write(tmp_path), xacro_args={"fixed": True})
    lost = write(tmp_path, "$(find lost_description)/urdf/rod.xacro")
    with pytest.raises(ModelError, match=r"needs the packages lost_description, which are not found"):
        armdyn.load(lost, xacro_args={"mass": 1, "extra": "e"})
    with pytest.raises(ModelError) as error:
        armdyn.load(lost, xacro_args={})
    assert len(error.value.problems) == 2


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"mass": 1, "sidde": "left"}, UnknownName, r"no xacro argument 'sidde' in arm.urdf.xacro .* 'side'"),
        ({"mass": [1]}, ModelError, r"xacro_args\['mass'\] is \[1\]; expected a text, a number"),
        ("mass=1", ModelError, "expected a mapping from names to values"),
        ({"mass": "heavy/"}, ModelError, r"arm.urdf.xacro: xacro refuses it"),
        ({"mass": "-1"}, ModelError, r"arm.urdf.xacro \(expanded\):\d+ link 'left_rod': mass -1"),
    ],
)
def test_wrong_arguments(tmp_path: Path, arguments: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        armdyn.load(write(tmp_path), xacro_args=arguments)  # type: ignore[arg-type]


def test_a_file_is_expanded_only_where_it_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"have it expanded as it is read, if you trust it .*xacro_args="):
        armdyn.load(write(tmp_path))
    with pytest.raises(UnknownName, match="no option 'xacro_args'"):
        armdyn.load("ur5", xacro_args={})


def test_command_line(tmp_path: Path) -> None:
    path = str(write(tmp_path))
    command = [sys.executable, "-m", "armdyn", "info", path, "--json"]
    run = subprocess.run([*command, "--xacro-arg", "mass=3"], capture_output=True, text=True, check=True)
    assert '"left_rod"' in run.stdout
    failed = subprocess.run([*command, "--xacro"], capture_output=True, text=True, check=False)
    assert failed.returncode
    assert "--xacro-arg mass=... --xacro-arg extra=..." in failed.stderr


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("arm.usda", "#usda 1.0\n", "a USD file"),
        ("arm.urdf", "#usda 1.0\n", "a USD file"),
        ("arm.yaml", "directives:\n- add_model:\n", "a YAML file"),
        ("arm.sdf", '<sdf version="1.9"/>', "an SDF file"),
        ("arm.stl", "solid arm\n", "a mesh"),
    ],
)
def test_files_of_other_kinds_are_named(tmp_path: Path, name: str, text: str, kind: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ModelError, match=f"is {kind}"):
        armdyn.load(tmp_path / name)
