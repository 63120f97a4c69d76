# ruff: noqa: E501 - messages stand whole on their lines
"""What is wrong in a URDF file is said with its line, what was expected, and what to do."""

from pathlib import Path

import pytest

from armdyn import ModelError, UnknownName, Unsupported
from armdyn.formats.urdf import read_urdf, read_urdf_text

GOOD = """<robot name="arm">
  <link name="base"/>
  <link name="boom">
    <inertial>
      <origin xyz="0 0 0.5"/>
      <mass value="3"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
    </inertial>
  </link>
  <joint name="turn" type="revolute">
    <parent link="base"/>
    <child link="boom"/>
    <origin xyz="0 0 1" rpy="0 0 0"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" velocity="2" effort="3"/>
    <dynamics damping="0" friction="0"/>
  </joint>
</robot>
"""


def problems_of(text: str) -> tuple[str, ...]:
    with pytest.raises(ModelError) as caught:
        read_urdf_text(text, "arm.urdf")
    return caught.value.problems


def test_the_good_file_is_good() -> None:
    assert read_urdf_text(GOOD).notes == ()


WARN = "or read the file with problems='warn', and"
TYPES = "expected one of revolute, continuous, prismatic, fixed."

ONE_CHANGE = [
    # names and ends
    ('<link name="boom">', "<link>", "arm.urdf:3 <link> has no name; expected <link name=\"...\">."),
    ('<link name="boom">', '<link name=" ">', "arm.urdf:3 <link> has no name; expected <link name=\"...\">."),
    ('joint name="turn"', "joint", "arm.urdf:10 <joint> has no name; expected <joint name=\"...\">."),
    ('<link name="base"/>', '<link name="boom"/>', "arm.urdf:3 link 'boom': the name is taken already (first at arm.urdf:2); names must differ."),
    ('<parent link="base"/>', "", "arm.urdf:10 joint 'turn': <joint> has no <parent>; expected <parent link=\"...\"/>."),
    ('<child link="boom"/>', "<child/>", "arm.urdf:12 joint 'turn': <child> has no link; expected <child link=\"...\">."),
    ('<child link="boom"/>', '<child link="bom"/>', "arm.urdf:10 joint 'turn': its child link 'bom' does not exist. Did you mean 'boom'?"),
    ('<parent link="base"/>', '<parent link="boom"/>', "arm.urdf:10 joint 'turn': its parent and its child are the same link 'boom'."),
    # joint types
    (' type="revolute"', "", f"arm.urdf:10 joint 'turn': <joint> has no type; {TYPES}"),
    ('type="revolute"', 'type="Revolute"', f"arm.urdf:10 joint 'turn': type 'Revolute' is unknown; {TYPES} Did you mean 'revolute'?"),
    ('type="revolute"', 'type="hinge"', f"arm.urdf:10 joint 'turn': type 'hinge' is unknown; {TYPES}"),
    # numbers
    ('xyz="0 0 1" rpy', 'xyz="0 0" rpy', "arm.urdf:13 joint 'turn': <origin> xyz is '0 0'; expected 3 numbers such as 0 0 0.1, these are 2."),
    ('xyz="0 0 1" rpy', 'xyz="" rpy', "arm.urdf:13 joint 'turn': <origin> xyz is ''; expected 3 numbers such as 0 0 0.1, these are 0."),
    ('rpy="0 0 0"', 'rpy="0 1,5 0"', "arm.urdf:13 joint 'turn': <origin> rpy is '0 1,5 0'; expected 3 numbers such as 0 0 0.1, '1,5' is no finite number (the decimal sign is a point, not a comma)."),
    ('rpy="0 0 0"', 'rpy="0 nan 0"', "arm.urdf:13 joint 'turn': <origin> rpy is '0 nan 0'; expected 3 numbers such as 0 0 0.1, 'nan' is no finite number."),
    ('value="3"', 'value="1_0"', "arm.urdf:6 link 'boom': <mass> value is '1_0'; expected a number."),
    ('value="3"', 'value="٣"', "arm.urdf:6 link 'boom': <mass> value is '٣'; expected a number."),
    ('value="3"', 'value="1e999"', "arm.urdf:6 link 'boom': <mass> value is '1e999'; expected a number."),
    ('value="3"', 'value="3,5"', "arm.urdf:6 link 'boom': <mass> value is '3,5'; expected a number (the decimal sign is a point, not a comma)."),
    ('value="3"', 'value="3 kg"', "arm.urdf:6 link 'boom': <mass> value is '3 kg'; expected a number."),
    # axes
    ('<axis xyz="0 0 1"/>', '<axis xyz="0 0 0"/>', "arm.urdf:14 joint 'turn': <axis> xyz is zero; expected a direction such as 0 0 1."),
    ('<axis xyz="0 0 1"/>', '<axis xyz="0 0 inf"/>', "arm.urdf:14 joint 'turn': <axis> xyz is '0 0 inf'; expected 3 numbers such as 0 0 0.1, 'inf' is no finite number."),
    ('<axis xyz="0 0 1"/>', "<axis/>", "arm.urdf:14 joint 'turn': <axis> has no xyz; expected 3 numbers such as 0 0 0.1."),
    # sizes
    ('xyz="0 0 1" rpy', 'xyz="0 1e51 0" rpy', "arm.urdf:13 joint 'turn': <origin> xyz holds 1e+51 m; expected a length of at most 1e+50 m."),
    ('xyz="0 0 0.5"', 'xyz="0 1e308 1e308"', "arm.urdf:5 link 'boom': <origin> xyz holds 1e+308 m; expected a length of at most 1e+50 m."),
    ('rpy="0 0 0"', 'rpy="0 -1e16 0"', "arm.urdf:13 joint 'turn': <origin> rpy holds -1e+16 rad; expected an angle of at most 1e+15 rad."),
    ('value="3"', 'value="1e101"', "arm.urdf:3 link 'boom': mass or inertia is as large as 1e+101; expected numbers below 1e+100."),
    # inertia
    ('<mass value="3"/>', "", "arm.urdf:4 link 'boom': <inertial> has no <mass>; expected <mass value=\"...\"/> in kg."),
    ('<mass value="3"/>', "<mass>3</mass>", "arm.urdf:6 link 'boom': <mass> has no value; expected a number."),
    ('<mass value="3"/>', '<mass value="-3"/>', "arm.urdf:3 link 'boom': mass -3 kg is negative; expected 0 or more."),
    ('<mass value="3"/>', '<mass value="0"/>', "arm.urdf:3 link 'boom': mass is 0 kg but its rotational inertia is not zero; no body without mass has it; mend it, or read it as it stands with check_inertia=False."),
    ('ixy="0" ', "", "arm.urdf:7 link 'boom': <inertia> has no ixy; expected a number."),
    ('izz="1"', 'izz="4"', "arm.urdf:3 link 'boom': principal inertia (1, 1, 4) kg m^2 breaks a+b>=c by 50 %; no rigid body has it; mend it, or read it as it stands with check_inertia=False."),
    ('izz="1"', 'izz="-1"', "arm.urdf:3 link 'boom': principal inertia (-1, 1, 1) kg m^2 has a negative moment; no rigid body has it; mend it, or read it as it stands with check_inertia=False."),
    ("<inertia ", "<mass value='3'/><inertia ", "arm.urdf:7 link 'boom': <mass> is given twice (first at line 6); expected it once."),
    ('<axis', '<axis xyz="1 0 0"/><axis', f"arm.urdf:14 joint 'turn': <axis> is given twice (first at line 14), expected it once. Mend it; {WARN} the first one is taken."),
    # limits, damping
    ('lower="-1"', 'lower="3"', f"arm.urdf:15 joint 'turn': lower limit 3 is above upper limit 1. Mend it; {WARN} the two are taken the other way round."),
    ('lower="-1"', 'lower="nan"', f"arm.urdf:15 joint 'turn': <limit> lower is 'nan'; expected a number. Mend it; {WARN} it is taken as unlimited."),
    ('effort="3"', 'effort="-3"', f"arm.urdf:15 joint 'turn': effort limit -3 is negative. Mend it; {WARN} it is taken as unlimited."),
    ('velocity="2"', 'velocity="-2"', f"arm.urdf:15 joint 'turn': velocity limit -2 is negative. Mend it; {WARN} it is taken as unlimited."),
    ('damping="0"', 'damping="-1"', "arm.urdf:10 joint 'turn': damping -1 is negative; it would add energy."),
    # misspelt words
    ("<origin xyz=\"0 0 0.5\"/>", "<orign xyz=\"0 0 0.5\"/>", "arm.urdf:5 link 'boom': <orign> is unknown. Did you mean <origin>?"),
    ('xyz="0 0 0.5"', 'xyzz="0 0 0.5"', "arm.urdf:5 link 'boom': <origin> has 'xyzz', which is unknown. Did you mean 'xyz'?"),
    ('upper="1"', 'Upper="1"', "arm.urdf:15 joint 'turn': <limit> has 'Upper', which is unknown. Did you mean 'upper'?"),
    ("<dynamics", "<dynamic", "arm.urdf:16 joint 'turn': <dynamic> is unknown. Did you mean <dynamics>?"),
    ("  </joint>", "  </joint><joints/>", "arm.urdf:17 robot: <joints> is unknown. Did you mean <joint>?"),
    # mimic
    ("<axis", '<mimic joint="tern"/><axis', "arm.urdf:14 joint 'turn': <mimic> follows joint 'tern', which does not exist. Did you mean 'turn'?"),
    ("<axis", '<mimic joint="turn"/><axis', "arm.urdf:14 joint 'turn': <mimic> follows the joint itself; expected another joint."),
    ("<axis", "<mimic/><axis", "arm.urdf:14 joint 'turn': <mimic> has no joint; expected <mimic joint=\"...\">."),
    # how the parts hang together
    ("</robot>", '<link name="stray"/></robot>', "arm.urdf:18 link 'stray': 2 links are not connected (arm.urdf:2 'base', arm.urdf:18 'stray'); expected one root link. A fixed joint welds one to another."),
    ("</robot>", '<joint name="back" type="fixed"><parent link="boom"/><child link="base"/></joint></robot>', "arm.urdf:10 joint 'turn': links hang on each other in a ring ('boom' on 'base' on 'boom'); expected a tree that grows from one root link."),
    ("</robot>", '<joint name="again" type="fixed"><parent link="base"/><child link="boom"/></joint></robot>', "arm.urdf:18 joint 'again': link 'boom' hangs on joint 'turn' (arm.urdf:10) already; what closes a loop is no joint of the tree, in URDF it is a <loop_joint>."),
]  # fmt: skip


@pytest.mark.parametrize(("good", "bad", "message"), ONE_CHANGE)
def test_one_thing_wrong(good: str, bad: str, message: str) -> None:
    assert GOOD.count(good) == 1
    assert message in problems_of(GOOD.replace(good, bad))


def test_a_misspelt_inertial_is_not_a_link_without_mass() -> None:
    text = GOOD.replace("inertial>", "intertial>")
    assert problems_of(text) == ("arm.urdf:4 link 'boom': <intertial> is unknown. Did you mean <inertial>?",)


QUATERNIONS = [
    ('rpy="0 0 0" quat_xyzw="0 0 0 1"', "<origin> has both rpy and quat_xyzw; expected one of them."),
    ('quat_xyzw="0 0 0 0"', "<origin> quat_xyzw is zero; expected a unit quaternion such as 0 0 0 1."),
    ('quat_xyzw="0 0 1"', "<origin> quat_xyzw is '0 0 1'; expected 4 numbers such as 0 0 0.1 1, these are 3."),
]


@pytest.mark.parametrize(("turn", "message"), QUATERNIONS)
def test_quaternions(turn: str, message: str) -> None:
    text = GOOD.replace('rpy="0 0 0"', turn).replace("<robot", '<robot version="1.1"')
    assert problems_of(text) == (f"arm.urdf:13 joint 'turn': {message}",)


def test_every_problem_is_reported_at_once() -> None:
    text = (
        GOOD.replace('value="3"', 'value="three"')
        .replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0 0"/>')
        .replace('upper="1"', 'upper="-2"')
        .replace("</robot>", '<link name="stray"/></robot>')
    )
    assert [problem.split(":")[1].split(" ")[0] for problem in problems_of(text)] == ["6", "14", "15", "18"]


def test_one_cause_makes_one_problem() -> None:
    assert len(problems_of(GOOD.replace('ixx="1"', 'ixx="one"'))) == 1
    assert len(problems_of(GOOD.replace('<child link="boom"/>', ""))) == 1
    assert len(problems_of(GOOD.replace('<link name="boom">', "<link>"))) == 1 + 1  # the joint's child is missing too


def test_very_many_problems_are_cut_short() -> None:
    problems = problems_of(GOOD.replace("</robot>", "<link/>" * 5000 + "</robot>"))
    assert len(problems) == 101
    assert problems[-1] == "... and perhaps more: reading stopped after 100 problems."


FINGERS = """<link name="f1"/><link name="f2"/>
  <joint name="f1" type="continuous"><parent link="boom"/><child link="f1"/></joint>
  <joint name="f2" type="continuous"><parent link="boom"/><child link="f2"/><mimic joint="f1"/></joint>
</robot>"""


def test_a_mimic_joint_that_follows_a_fixed_one() -> None:
    text = GOOD.replace("</robot>", FINGERS.replace("continuous", "fixed", 1))
    assert problems_of(text) == (
        "arm.urdf:20 joint 'f2': <mimic> follows 'f1', a fixed joint; expected a joint that moves.",
    )


@pytest.mark.parametrize("kind", ["floating", "planar"])
def test_a_base_that_is_free_is_refused_with_what_to_do(kind: str) -> None:
    free = f'<link name="world"/><joint name="free" type="{kind}"><parent link="world"/><child link="base"/></joint>'
    with pytest.raises(Unsupported) as caught:
        read_urdf_text(GOOD.replace("</robot>", f"{free}</robot>"), "arm.urdf")
    assert str(caught.value) == (
        f"{kind} joint 'free' (arm.urdf:18): an arm stands on something, and its joints have one number each. "
        "Read what this joint carries, with base='base', or make it fixed in the file."
    )


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        ({"base": "bas"}, "no link 'bas' in 'arm' (2 links). Did you mean 'base'?"),
        ({"tip": "bom"}, "no link 'bom' in 'arm' (2 links). Did you mean 'boom'?"),
        ({"locked": {"trun": 0.0}}, "no moving joint 'trun' in 'arm' (1 moving joint). Did you mean 'turn'?"),
    ],
)
def test_a_selection_that_names_nothing(selection: dict[str, object], message: str) -> None:
    with pytest.raises(UnknownName) as caught:
        read_urdf_text(GOOD, **selection)  # type: ignore[arg-type]
    assert str(caught.value) == message


# ------------------------------------------------------------------------------------------------ the wrong file


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<mujoco/>", "arm.urdf:1 is an MJCF file (MuJoCo): its root element is <mujoco>; expected <robot>."),
        ("\n<sdf/>", "arm.urdf:2 is an SDF file (Gazebo): its root element is <sdf>; expected <robot>."),
        ("<COLLADA/>", "arm.urdf:1 is a mesh (COLLADA): its root element is <COLLADA>; expected <robot>."),
        ("<Robot/>", "arm.urdf:1 is no URDF file: its root element is <Robot>; expected <robot>."),
        ("<!DOCTYPE html><html>", "arm.urdf:1 is a web page, not a robot description; save the raw file instead."),
        ("<robot/>", 'arm.urdf:1 <robot> has no links; expected at least one <link name="...">.'),
        ("", "arm.urdf is empty; expected an XML document."),
        (" \n", "arm.urdf is empty; expected an XML document."),
        ('<robot name="a"><link name="b"/></robot>', "'a' has no moving joint; an arm needs at least one that is revolute or prismatic."),
    ],
)  # fmt: skip
def test_another_kind_of_file(text: str, message: str) -> None:
    assert problems_of(text) == (message,)


XACRO = "from which a URDF file is still to be made. Expand it: xacro arm.urdf > arm.expanded.urdf"


LEFT = " If it is expanded already, problems='warn' passes over what is left of xacro in it."
POSE = '<origin xyz="0 0 ${h}"/>'


@pytest.mark.parametrize(
    ("text", "sign", "advice"),
    [
        ("<xacro:macro name='m'/>", "<xacro:macro>", LEFT),
        ("<link name='${prefix}base'/>", "name='${prefix}base'", ""),
        ("<include filename='b.xacro'/>", "<include>", LEFT),
        ("<link name='b'><visual><mesh f='$(find d)/m'/></visual></link>", "f='$(find d)/m'", LEFT),
        ("<xi:include href='/etc/passwd'/>", "<xi:include>", LEFT),
        ("<link name='b'><xacro:cylinder mass='3'/></link>", "<xacro:cylinder>", ""),
        (f"<joint name='b' type='fixed'>{POSE}</joint>", "xyz='0 0 ${h}'", ""),
        (f"<xacro:property name='h'/><joint name='b' type='fixed'>{POSE}</joint>", "<xacro:property>", ""),
    ],
)
def test_a_xacro_file_is_recognised(text: str, sign: str, advice: str) -> None:
    found = problems_of(f"<robot name='a'>\n{text}</robot>")
    assert found == (f"arm.urdf:2 is a xacro file ({sign}), {XACRO}{advice}",)


def test_a_xacro_file_is_recognised_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "my arm.urdf.xacro"
    file.write_text(GOOD)
    with pytest.raises(ModelError) as caught:
        read_urdf(file)
    expand = "Expand it: xacro 'my arm.urdf.xacro' > 'my arm.urdf'; or have it expanded as it is read, if you trust it "
    assert str(caught.value).endswith(expand + "(pip install xacrodoc): xacro_args={'name': 'value'}, or {}.")


@pytest.mark.parametrize(("kind", "position"), [("revolute", 1e16), ("prismatic", 1e60)])
def test_a_joint_locked_nowhere(kind: str, position: float) -> None:
    text = GOOD.replace('"revolute"', f'"{kind}"')
    with pytest.raises(
        ModelError, match=r"^robot:10 joint 'turn': locked at 1e\+(16 rad|60 m); expected an? .* at most"
    ):
        read_urdf_text(text, locked={"turn": position})


def test_a_follower_of_a_locked_joint_whose_position_overflows() -> None:
    follower = FINGERS.replace('joint="f1"/>', 'joint="f1" multiplier="1e300"/>')
    with pytest.raises(ModelError, match=r"^locked\['f2'\] is inf; expected a number"):
        read_urdf_text(GOOD.replace("</robot>", follower), locked={"f1": 1e10})


def test_a_missing_file(tmp_path: Path) -> None:
    (tmp_path / "panda.urdf").write_text(GOOD)
    with pytest.raises(ModelError, match=r"no file '.*pnda.urdf'. Did you mean 'panda.urdf'\?"):
        read_urdf(tmp_path / "pnda.urdf")
    with pytest.raises(ModelError, match=r"no file '.*one.urdf' \(looked in"):
        read_urdf(tmp_path / "one.urdf")
    with pytest.raises(ModelError, match=r"no file '.*nowhere.*'; there is no folder '.*nowhere'."):
        read_urdf(tmp_path / "nowhere" / "panda.urdf")


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "panda.urdf").write_text(GOOD)
    with pytest.raises(ModelError, match=r"is a folder; expected the file of one robot, such as 'panda.urdf' in it."):
        read_urdf(tmp_path)


@pytest.mark.parametrize("path", ["a\0b", "a" * 5000])
def test_an_impossible_path(path: str) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        read_urdf(path)


def test_text_where_a_path_is_expected() -> None:
    with pytest.raises(ModelError, match=r"got the text of one, which armdyn\.load reads"):
        read_urdf(GOOD)


def test_impossible_inertia_can_be_taken_as_it_stands_with_a_note() -> None:
    text = GOOD.replace('izz="1"', 'izz="4"')
    model = read_urdf_text(text, "arm.urdf", check_inertia=False)
    assert model.link("boom").inertia.tensor[2, 2] == 4.0
    assert any("arm.urdf:3 link 'boom'" in note and "taken as it stands" in note for note in model.notes)


def test_what_is_no_inertia_at_all_is_refused_even_then() -> None:
    text = GOOD.replace('<mass value="3"/>', '<mass value="-3"/>')
    with pytest.raises(ModelError, match="negative"):
        read_urdf_text(text, "arm.urdf", check_inertia=False)
