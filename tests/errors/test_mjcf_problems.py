# ruff: noqa: E501 - messages stand whole on their lines
"""What is wrong in an MJCF file, and what armdyn does not model, is said with its place and what to do."""

import sys
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pytest

from armdyn import ModelError, Robot, UnknownName, Unsupported, load
from armdyn.base.errors import MissingLibrary

GOOD = """<mujoco model="arm">
  <option/>
  <worldbody>
    <body name="upper">
      <joint name="lift" axis="0 1 0"/>
      <geom name="tube" size="0.1"/>
      <body name="lower" pos="0 0 1">
        <joint name="bend" axis="0 1 0"/>
        <geom size="0.1"/>
        <body name="hand" pos="0 0 1"><geom size="0.1"/></body>
      </body>
    </body>
  </worldbody>
  <equality/>
</mujoco>
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "arm.xml"


def refusal(file: Path, old: str, new: str, kind: type[Exception] = Unsupported, **options: object) -> str:
    assert GOOD.count(old) == 1
    file.write_text(GOOD.replace(old, new))
    with pytest.raises(kind) as caught:
        Robot.from_mjcf(file, **options)
    return str(caught.value)


def test_the_good_file_is_good(file: Path) -> None:
    file.write_text(GOOD)
    assert Robot.from_mjcf(file).notes == ("contacts between geoms are not part of the equations",)


LIFT = '<joint name="lift" axis="0 1 0"/>'
BEND = '<joint name="bend" axis="0 1 0"/>'
SPRING = BEND.replace("/>", ' stiffness="3" springyield="0.5"/>')

UNMODELLED = [
    (LIFT, '<freejoint name="fly"/>', "free joint 'fly' (arm.xml:5): an arm stands on something. Read what this joint carries, with base='upper', or delete the joint."),
    (BEND, '<joint name="ball" type="ball"/><geom name="g" size="0.1"/>', "ball joint 'ball' (arm.xml:8): the joints of an arm have one number each. Read what this joint carries, with base='lower', or make it three hinges on one body."),
    (BEND, SPRING, "the spring of joint 'bend' (arm.xml:8) has springyield: springs that yield are not modelled. Delete springyield, and it is elastic, or lock the joint: locked={'bend': 0.0}."),
    ("<equality/>", '<equality><joint name="gear" joint1="lift" joint2="bend" polycoef="0 1 0.5 0 0"/></equality>', "equality 'gear' (arm.xml:14): joint 'lift' is a curve of 'bend' (polycoef 0 1 0.5 0 0), and couplings are linear. Make its last three coefficients 0, or hold both: locked={'bend': 0.0}."),
    ("<equality/>", '<tendon><fixed name="cable"><joint joint="bend" coef="1"/></fixed></tendon><equality><tendon name="tied" tendon1="cable"/></equality>', "equality 'tied' (arm.xml:14), a tendon constraint: it is not modelled. Delete it, or say what it asks for with robot.with_constraints(...)."),
    ('<body name="lower"', '<body gravcomp="1" name="lower"', "gravcomp of 'lower' (arm.xml:7): weight that is taken off some bodies, or by different parts, is not modelled. Set one gravcomp of all bodies, or delete it; or read the arm with gravity=(0, 0, 0)."),
    ("<option/>", '<option density="1.2"/>', "<option> density is 1.2 (arm.xml): the forces of a fluid on the bodies are not modelled. Delete density."),
    ("<option/>", '<option viscosity="0.01"/>', "<option> viscosity is 0.01 (arm.xml): the forces of a fluid on the bodies are not modelled. Delete viscosity."),
    ("<equality/>", '<tendon><fixed name="cable" stiffness="2"><joint joint="bend" coef="1"/></fixed></tendon>', "tendon 'cable' (arm.xml:14) has stiffness: tendons are not modelled. Set it to 0, and make the tendon's force a part of tau."),
    ("<equality/>", '<tendon><fixed name="cable" damping="2 1" frictionloss="1"><joint joint="bend" coef="1"/></fixed></tendon>', "tendon 'cable' (arm.xml:14) has damping and frictionloss: tendons are not modelled. Set it to 0, and make the tendon's force a part of tau."),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), UNMODELLED)
def test_what_acts_by_itself_is_refused(file: Path, old: str, new: str, expected: str) -> None:
    assert refusal(file, old, new) == expected


CUP = '<body name="cup" pos="1 0 0"><freejoint name="loose"/><geom size="0.05"/></body>'
PEDESTAL = '<body name="pedestal"><geom size="0.1"/>'
LOOSE = "free joint 'loose' (arm.xml:3): an arm stands on something. "


@pytest.mark.parametrize(
    ("upright", "advice", "selection", "joints"),
    [
        (True, "base='pedestal'", {"base": "pedestal"}, ("lift", "bend")),
        (False, "tip='hand' and chain=True", {"tip": "hand", "chain": True}, ("lift", "bend")),
    ],
)
def test_of_an_arm_beside_an_object_the_arm_is_advised(
    file: Path, upright: bool, advice: str, selection: dict[str, object], joints: tuple[str, ...]
) -> None:
    text = GOOD.replace("</worldbody>", "</body></worldbody>") if upright else GOOD
    scene = text.replace("<worldbody>", f"<worldbody>{CUP}{PEDESTAL if upright else ''}")
    file.write_text(scene)
    with pytest.raises(Unsupported) as caught:
        Robot.from_mjcf(file)
    assert str(caught.value) == f"{LOOSE}Read the arm beside it, with {advice}, or delete the joint."
    alone, chosen = file.with_name("alone.xml"), Robot.from_mjcf(file, **selection)
    alone.write_text(scene.replace(CUP, ""))
    assert chosen.joint_names == joints
    states = np.array([[0.3, -0.4], [1.0, 0.5], [-0.7, 0.2]])
    np.testing.assert_allclose(chosen.inverse_dynamics(*states), Robot.from_mjcf(alone).inverse_dynamics(*states))


def test_the_arm_of_most_joints_is_advised_and_a_ball_joint_of_its_own_is_not_left_out(file: Path) -> None:
    file.write_text(
        GOOD.replace(
            "<worldbody>", f'<worldbody>{CUP}<body name="knob">{BEND.replace("bend", "turn")}<geom size=".1"/></body>'
        )
    )
    with pytest.raises(Unsupported, match="with tip='hand' and chain=True, or delete"):
        Robot.from_mjcf(file)
    file.write_text(GOOD.replace("<worldbody>", f"<worldbody>{CUP}").replace(BEND, '<joint name="ball" type="ball"/>'))
    with pytest.raises(Unsupported) as caught:
        Robot.from_mjcf(file)
    free, ball = str(caught.value).splitlines()
    assert "the arm beside it, with tip='hand' and chain=True" in free
    assert "Read what this joint carries, with base='lower'" in ball


def test_all_refusals_come_at_once(file: Path) -> None:
    file.write_text(GOOD.replace(BEND, SPRING).replace("<option/>", '<option density="1"/>'))
    with pytest.raises(Unsupported) as caught:
        Robot.from_mjcf(file)
    assert len(str(caught.value).splitlines()) == 2


def reads(file: Path, old: str, new: str, **options: object) -> Robot:
    assert GOOD.count(old) == 1
    file.write_text(GOOD.replace(old, new))
    return Robot.from_mjcf(file, **options)


def test_what_is_left_out_or_held_does_no_harm(file: Path) -> None:
    gear = '<equality><joint joint1="lift" joint2="bend"/></equality>'
    weld = '<equality><weld body1="lower" body2="hand"/></equality>'
    assert reads(file, LIFT, "<freejoint/>", base="upper").joint_names == ("bend",)
    assert reads(file, BEND, SPRING, locked={"bend": 0.1}).joint_names == ("lift",)
    assert reads(file, BEND, SPRING, tip="upper", chain=True).joint_names == ("lift",)
    assert reads(file, "<equality/>", gear, tip="upper", chain=True).joint_names == ("lift",)
    assert reads(file, "<equality/>", weld).joint_names == ("lift", "bend")


def test_what_is_switched_off_does_no_harm(file: Path) -> None:
    gear = '<equality><joint joint1="lift" joint2="bend" active="false"/></equality>'
    assert "equality 0 (arm.xml) is inactive and left out" in reads(file, "<equality/>", gear).notes
    weightless = reads(file, '<body name="lower"', '<body gravcomp="1" name="lower"', gravity=(0, 0, 0))
    assert not weightless.gravity_forces([0.1, 0.2]).any()


CABLE = '<tendon><fixed name="cable" {}><joint joint="bend" coef="1"/></fixed></tendon>'


def test_tendons_and_equalities_of_what_is_left_out_or_held_do_no_harm(file: Path) -> None:
    stiff, rubbing = CABLE.format('stiffness="2"'), CABLE.format('damping="2" frictionloss="1"')
    tied = f'{CABLE.format("")}<equality><tendon tendon1="cable"/></equality>'
    rotor = f'{CABLE.format("")}<actuator><motor tendon="cable" armature="1"/></actuator>'
    for words in (stiff, rubbing, tied, rotor):
        assert reads(file, "<equality/>", words, locked={"bend": 0.1}).joint_names == ("lift",)
        assert reads(file, "<equality/>", words, tip="upper", chain=True).joint_names == ("lift",)
        with pytest.raises(Unsupported):
            reads(file, "<equality/>", words)
    assert reads(file, "<equality/>", rubbing, friction="ignore").joint_names == ("lift", "bend")
    with pytest.raises(Unsupported, match="has stiffness"):
        reads(file, "<equality/>", stiff, friction="ignore")


def test_gravity_compensation(file: Path) -> None:
    """The arm of `GOOD` under the rest of its weight; a gravity that is given is reduced alike."""
    file.write_text(GOOD)
    weight = Robot.from_mjcf(file).gravity_forces([0.3, -0.4])
    file.write_text(GOOD.replace("<body ", '<body gravcomp="0.75" '))
    robot = Robot.from_mjcf(file)
    np.testing.assert_allclose(robot.gravity_forces([0.3, -0.4]), 0.25 * weight, rtol=1e-14)
    assert (
        "gravcomp takes 0.75 of its weight off every body: gravity counts 0.25 times; with_gravity sets another"
    ) in robot.notes
    np.testing.assert_array_equal(Robot.from_mjcf(file, gravity=(0, 0, -8)).gravity, [0.0, 0.0, -2.0])
    np.testing.assert_allclose(robot.with_gravity((0, 0, -9.81)).gravity_forces([0.3, -0.4]), weight, rtol=1e-14)


def test_a_mocap_body_is_noted(file: Path) -> None:
    robot = reads(file, "<worldbody>", '<worldbody><body name="goal" mocap="true"/>')
    assert "mocap bodies stand where the file puts them: goal" in robot.notes


def test_the_armature_of_an_actuator_is_felt_by_its_joint(file: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    if not hasattr(mujoco.MjModel, "actuator_armature"):
        pytest.skip("this version of MuJoCo has no such thing")
    driven = '<actuator><motor name="drive" joint="bend" gear="3" armature="0.25"/></actuator>'
    assert reads(file, "<equality/>", driven, locked={"bend": 0.0}).dof == 1
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    M = np.zeros((2, 2))
    mujoco.mj_fullM(model, data, M)
    np.testing.assert_allclose(reads(file, "<equality/>", driven).mass_matrix([0.0, 0.0]), M, rtol=1e-12)
    bare = reads(file, BEND, BEND.replace("/>", f' armature="{0.25 * 9}"/>'))
    np.testing.assert_allclose(bare.mass_matrix([0.0, 0.0]), M, rtol=1e-12)


MALFORMED = [
    ("", "arm.xml is empty; expected an XML document."),
    ("<mujoco>\n<worldbody>", "arm.xml:2 is not well-formed XML: no element found (column 12). It happened in <worldbody>, opened on line 2."),
    ("<robot name='r'/>", "arm.xml:1 is a URDF file; read it with Robot.from_urdf: its root element is <robot>; expected <mujoco>."),
    ("<gltf/>", "arm.xml:1 is no MJCF file: its root element is <gltf>; expected <mujoco>."),
    ("<mujoco><bdy/></mujoco>", "arm.xml is refused by MuJoCo's compiler: Schema violation: unrecognized element Element 'bdy', line 1."),
    ("<mujoco><worldbody><body name='b'><joint/></body></worldbody></mujoco>", "arm.xml is refused by MuJoCo's compiler: mass and inertia of moving bodies must be larger than mjMINVAL Element name 'b', id 1, line 1."),
    ("<mujoco><asset><model file='no.xml'/></asset><worldbody><attach model='no' body='b' prefix='p'/></worldbody></mujoco>", "arm.xml is refused by MuJoCo's compiler: *no.xml*."),
    ("<mujoco><asset><mesh file='no.stl'/></asset><worldbody><body name='b'><joint/><geom type='mesh' mesh='no'/></body></worldbody></mujoco>", "arm.xml: mesh 'no.stl', from which the inertia of body 'b' comes, is not there. Put it where the document looks for it, or state the body's <inertial>."),
    ("<mujoco/>", "'arm' has no moving joint; an arm needs at least one that is revolute or prismatic."),
]  # fmt: skip


@pytest.mark.short_run(without=("<mujoco><bdy/></mujoco>-expected4",))
@pytest.mark.parametrize(("text", "expected"), MALFORMED)
def test_what_is_no_arm(file: Path, text: str, expected: str) -> None:
    file.write_text(text)
    with pytest.raises(ModelError) as caught:
        Robot.from_mjcf(file)
    assert fnmatchcase(str(caught.value), expected)  # versions of MuJoCo differ in their words


def test_a_missing_file(file: Path) -> None:
    file.write_text(GOOD)
    with pytest.raises(ModelError, match=r"^no file '.*arn\.xml'\. Did you mean 'arm\.xml'\?$"):
        Robot.from_mjcf(file.with_name("arn.xml"))
    with pytest.raises(ModelError, match=r"is a folder; expected the file of one robot, such as 'arm\.xml' in it\.$"):
        Robot.from_mjcf(file.parent)


def test_text_in_place_of_a_path() -> None:
    with pytest.raises(ModelError, match=r"^expected the path of an MJCF file, got the text of one"):
        Robot.from_mjcf(GOOD)


def test_unknown_names(file: Path) -> None:
    file.write_text(GOOD)
    with pytest.raises(UnknownName, match="Did you mean 'lower'"):
        Robot.from_mjcf(file, base="lowr")
    with pytest.raises(UnknownName, match="Did you mean 'bend'"):
        Robot.from_mjcf(file, locked={"bnd": 0.0})


def test_without_mujoco(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text(GOOD)
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(MissingLibrary, match=r"pip install mujoco$"):
        load(file)
