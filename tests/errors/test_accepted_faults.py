# ruff: noqa: E501 - descriptions and messages stand whole on their lines
"""Faults of a URDF file that no equation contains: refused with advice, or accepted with a warning and a note."""

from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn import DescriptionWarning, Model, ModelError
from armdyn.formats.urdf import read_urdf, read_urdf_text

GOOD = """<robot name="arm">
  <link name="base"/>
  <link name="boom">
    <inertial>
      <origin xyz="0 0.2 0.5"/>
      <mass value="3"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
    </inertial>
  </link>
  <joint name="turn" type="revolute">
    <parent link="base"/>
    <child link="boom"/>
    <origin xyz="0 0 1" rpy="0 0.3 0"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" velocity="2" effort="3"/>
  </joint>
</robot>
"""

OTHER_INERTIAL = (
    '</inertial><inertial><mass value="5"/><inertia ixx="9" ixy="0" ixz="0" iyy="9" iyz="0" izz="9"/></inertial>'
)
LEFT = "it is passed over, and what it stands for is not in the robot"

FAULTS = [
    ('lower="-1" upper="1"', 'lower="1" upper="-1"', "15 joint 'turn': lower limit 1 is above upper limit -1", "the two are taken the other way round"),
    ('lower="-1"', 'lower="low"', "15 joint 'turn': <limit> lower is 'low'; expected a number", "it is taken as unlimited"),
    ('upper="1"', 'upper="-inf"', "15 joint 'turn': <limit> upper is '-inf'; expected a number", "it is taken as unlimited"),
    ('velocity="2"', 'velocity="-2"', "15 joint 'turn': velocity limit -2 is negative", "it is taken as unlimited"),
    ('effort="3"', 'effort="-1"', "15 joint 'turn': effort limit -1 is negative", "it is taken as unlimited"),
    ('effort="3"', 'effort="nan"', "15 joint 'turn': <limit> effort is 'nan'; expected a number", "it is taken as unlimited"),
    ("</inertial>", OTHER_INERTIAL, "8 link 'boom': <inertial> is given twice (first at line 4), expected it once", "the first one is taken"),
    ('<axis xyz="0 1 0"/>', '<axis xyz="0 1 0"/><axis xyz="1 0 0"/>', "14 joint 'turn': <axis> is given twice (first at line 14), expected it once", "the first one is taken"),
    ('<link name="base"/>', '<link name="base"/><xacro:gripper side="left"/>', "2 <xacro:gripper> is an instruction of xacro", LEFT),
    ('<link name="base"/>', '<include filename="x"/><link name="base"/>', "2 <include> is an instruction of xacro", LEFT),
    ('<link name="base"/>', '<link name="base"><visual><geometry><mesh filename="$(find d)/m"/></geometry></visual></link>', "2 filename='$(find d)/m' is an instruction of xacro", LEFT),
    ("<inertial>", '<visual><xacro:shape/></visual><inertial>', "4 <xacro:shape> is an instruction of xacro", LEFT),
]  # fmt: skip


def accepted(text: str) -> tuple[Model, str]:
    """The model, and what was warned of."""
    with pytest.warns(DescriptionWarning) as said:
        model = read_urdf_text(text, "arm.urdf", problems="warn")
    assert [warning.filename for warning in said] == [__file__]
    return model, str(said[0].message)


@pytest.mark.parametrize(("good", "bad", "fault", "taken"), FAULTS)
def test_a_fault_is_refused_or_accepted(good: str, bad: str, fault: str, taken: str) -> None:
    text = GOOD.replace(good, bad)
    with pytest.raises(ModelError, match="problems='warn'"):
        read_urdf_text(text, "arm.urdf")
    model, warned = accepted(text)
    assert warned == f"arm.urdf:{fault}; {taken}"
    assert warned in model.notes
    q, qd, qdd = np.array([[0.3], [-0.7], [1.1]])
    same = armdyn.Robot(read_urdf_text(GOOD)).inverse_dynamics(q, qd, qdd)
    assert armdyn.Robot(model).inverse_dynamics(q, qd, qdd) == same  # masses, axes and poses are untouched


def test_what_is_taken_for_limits() -> None:
    def limits(good: str, bad: str) -> tuple[float, ...]:
        found = accepted(GOOD.replace(good, bad))[0].joints[0].limits
        return found.lower, found.upper, found.velocity, found.effort

    assert limits('lower="-1" upper="1"', 'lower="2" upper="-1"') == (-1.0, 2.0, 2.0, 3.0)
    assert limits('lower="-1"', 'lower="x"') == (-np.inf, 1.0, 2.0, 3.0)
    assert limits('velocity="2"', 'velocity="-2"') == (-1.0, 1.0, np.inf, 3.0)
    assert limits('effort="3"', 'effort="x"') == (-1.0, 1.0, 2.0, np.inf)


def test_a_world_that_no_link_declares() -> None:
    text = GOOD.replace('<link name="base"/>', "").replace('"base"', '"world"')
    with pytest.raises(ModelError) as caught:
        read_urdf_text(text, "arm.urdf")
    fault, taken = (
        "arm.urdf:10 joint 'turn': its parent link 'world' does not exist",
        "a link 'world' without mass is put in",
    )
    assert caught.value.problems == (f"{fault}. Mend it; or read the file with problems='warn', and {taken}.",)
    model, warned = accepted(text)
    assert warned == f"{fault}; {taken}"
    assert model.base == "world"


@pytest.mark.parametrize("kind", ["urdf", "mjcf"])
def test_blanks_before_the_xml_declaration(tmp_path: Path, kind: str) -> None:
    """Python's triple-quoted texts begin with them."""
    mjcf = '<mujoco><worldbody><body name="boom"><joint axis="0 1 0"/><geom size=".1"/></body></worldbody></mujoco>'
    file = tmp_path / "arm.xml"
    file.write_text(f'\n \n<?xml version="1.0"?>\n{GOOD if kind == "urdf" else mjcf}')
    fault, taken = "arm.xml:1 blanks stand before <?xml ...?>, where XML has none", "they are passed over"
    with pytest.raises(ModelError) as caught:
        armdyn.Robot.from_urdf(file) if kind == "urdf" else armdyn.Robot.from_mjcf(file)
    assert caught.value.problems == (f"{fault}. Mend it; or read the file with problems='warn', and {taken}.",)
    with pytest.warns(DescriptionWarning, match=r"arm.xml:1 blanks stand before"):
        robot = armdyn.load(file, problems="warn")
    assert f"{fault}; {taken}" in robot.notes


def test_lines_are_counted_from_the_first_blank_one() -> None:
    text = f'\n\n<?xml version="1.0"?>\n{GOOD.replace("<limit", "<limits")}'
    with pytest.raises(ModelError, match=r"r.urdf:18 joint 'turn': <limits> is unknown. Did you mean <limit>\?"):
        read_urdf_text(text, "r.urdf", problems="warn")
    with pytest.raises(ModelError, match=r"r\.urdf:3 is not well-formed XML"):
        read_urdf_text("\n\n<?xml", "r.urdf", problems="warn")


REFUSED = [
    ('value="3"', 'value="-3"'),
    ('xyz="0 1 0"', 'xyz="0 0 0"'),
    ('rpy="0 0.3 0"', 'rpy="0 x 0"'),
    ("<limit", '<dynamics damping="-1"/><limit'),
    ("<inertial>", "<xacro:inertial_of_a_box/><inertial>"),
    ('value="3"', 'value="${mass}"'),
    ("<mass", '<mass value="5"/><mass'),
    ("<robot", "<!DOCTYPE robot><robot"),
    ('<child link="boom"/>', '<child link="bom"/>'),
    ('<parent link="base"/>', '<parent link="word"/>'),
    ('xyz="0 0 1"', 'xyzz="0 0 1"'),
]


@pytest.mark.parametrize(("good", "bad"), REFUSED)
def test_what_may_be_part_of_an_equation_stays_refused(good: str, bad: str) -> None:
    with pytest.raises(ModelError):
        read_urdf_text(GOOD.replace(good, bad), "arm.urdf", problems="warn")


def test_one_warning_has_every_fault() -> None:
    text = GOOD.replace('velocity="2" effort="3"', 'velocity="-2" effort="-3"')
    model, warned = accepted(text)
    assert warned.splitlines() == list(model.notes)
    assert len(model.notes) == 2


def test_very_many_faults_are_cut_short() -> None:
    model, warned = accepted(GOOD.replace("</robot>", "<xacro:a/>" * 5000 + "</robot>"))
    assert len(model.notes) == len(warned.splitlines()) == 101
    assert model.notes[-1] == "... and 4900 more faults that were accepted"


@pytest.mark.parametrize("policy", ["ignore", True, None, ["warn"]])
def test_what_to_do_with_faults_is_one_of_two_words(policy: object, tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(GOOD)
    with pytest.raises(ModelError, match=r"^problems is .*; expected 'refuse' or 'warn'\.$"):
        read_urdf(tmp_path / "arm.urdf", problems=policy)
