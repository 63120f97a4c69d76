"""Factors of extreme size, arguments of the wrong kind, and mimics that have nothing to do."""

import numpy as np
import pytest

import armdyn
from armdyn import ModelError
from armdyn.formats.urdf import read_urdf_text

RANGE = r"between 1e-100 and 1e\+100"


@pytest.fixture(scope="module")
def arm() -> armdyn.Robot:
    return armdyn.load("planar_3r")


@pytest.mark.parametrize("factor", [1e300, -1e200, 1.1e100, 9e-101, 1e-200, -5e-324])
def test_multipliers_beyond_any_gear(arm, factor):
    with pytest.raises(ModelError, match=rf"joint 'joint_2': it follows 'joint_1' with multiplier .* {RANGE}"):
        arm.with_mimic({"joint_2": ("joint_1", factor)})


def test_offsets_beyond_any_joint(arm):
    with pytest.raises(ModelError, match=r"offset 1e\+300; expected .* an offset of at most 1e\+100"):
        arm.with_mimic({"joint_2": ("joint_1", 1.0, 1e300)})
    with pytest.raises(ModelError, match=r"'joint_2' has offset 1e\+300; expected one whose size is at most"):
        arm.with_coordinates(["a", "b", "c"], np.eye(3), offset=[0, 1e300, 0])


@pytest.mark.parametrize("factor", [1e60, 1e-60, 1e90, 1e-90])
def test_products_of_multipliers(arm, factor):
    with pytest.raises(ModelError, match=rf"joint 'joint_3': it follows 'joint_1' with multiplier .* {RANGE}"):
        arm.with_mimic({"joint_3": ("joint_2", factor), "joint_2": ("joint_1", factor)})
    with pytest.raises(ModelError, match=rf"'joint_3' moves .* times as 'joint_1'; expected 0, or .* {RANGE}"):
        arm.with_mimic({"joint_3": ("joint_2", factor)}).with_mimic({"joint_2": ("joint_1", factor)})


@pytest.mark.parametrize("factor", [1e80, 1e-80])
def test_factors_within_are_taken(arm, factor):
    geared = arm.with_mimic({"joint_2": ("joint_1", factor)})
    np.testing.assert_allclose(geared.joint_positions([0.5, 0.1]), [0.5, 0.5 * factor, 0.1], rtol=1e-15)


def test_matrices_name_the_factor(arm):
    two = armdyn.load("planar_2r")
    with pytest.raises(ModelError) as caught:
        two.with_coordinates(["a", "b"], [[1e200, 0], [0, 1e-200]])
    assert len(caught.value.problems) == 2
    assert "'joint_1' moves 1e+200 times as 'a'" in caught.value.problems[0]
    assert "'joint_2' moves 1e-200 times as 'b'" in caught.value.problems[1]


@pytest.mark.parametrize("coefficient", [1e300, 1e-300])
def test_equations_with_solutions_beyond(arm, coefficient):
    with pytest.raises(ModelError, match="the equations have no finite solution for 'joint_2', or one beyond"):
        arm.with_joint_equations([{"joint_1": 1.0, "joint_2": coefficient}], dependent=["joint_2"])
    with pytest.raises(ModelError, match="no finite solution for 'joint_2'"):  # the factor itself is zero as a float
        arm.with_joint_equations([{"joint_1": 1e-300, "joint_2": 1e300}], dependent=["joint_2"])


@pytest.mark.parametrize("followers", [None, [("joint_2", "joint_1")], "joint_2", 3])
def test_followers_that_are_no_mapping(arm, followers):
    with pytest.raises(ModelError, match=r"followers are .*; expected a mapping from joints to what they follow"):
        arm.with_mimic(followers)


@pytest.mark.parametrize("equations", [None, 3, 1.5])
def test_equations_that_are_no_list(arm, equations):
    with pytest.raises(ModelError, match=r"equations are .*; expected a list of coefficients by joint"):
        arm.with_joint_equations(equations)


URDF = """<robot name="hand">
<link name="base"/>
<link name="a"><inertial><mass value="1"/><origin xyz="0.1 0 0"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="b"><inertial><mass value="1"/><origin xyz="0.1 0 0"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="first" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/></joint>
<joint name="second" type="{type}"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<mimic joint="first" multiplier="{multiplier}"/></joint>
</robot>"""  # noqa: E501


def read(text: str, name: str) -> armdyn.Robot:
    return armdyn.Robot(read_urdf_text(text, name))


@pytest.mark.parametrize("multiplier", ["1e200", "1e-200"])
def test_multipliers_of_a_file(multiplier):
    with pytest.raises(ModelError, match=rf"hand:7 joint 'second': it follows 'first' with multiplier .* {RANGE}"):
        read(URDF.format(type="continuous", multiplier=multiplier), "hand")


def test_a_mimic_of_a_fixed_joint_is_noted():
    robot = read(URDF.format(type="fixed", multiplier="2"), "hand")
    assert robot.joint_names == ("first",)
    (note,) = [note for note in robot.notes if "mimic" in note]
    assert "the joint is fixed" in note
    assert "second" in note


@pytest.mark.parametrize("multiplier", [0.0, 1.0, -2.0])
def test_a_locked_joint_that_follows_itself(multiplier):
    text = URDF.format(type="continuous", multiplier=multiplier).replace('mimic joint="first"', 'mimic joint="second"')
    with pytest.raises(ModelError, match=r"hand:7 joint 'second': (locked at 0\.3|<mimic> follows the joint itself)"):
        read_urdf_text(text, "hand", locked={"second": 0.3})
