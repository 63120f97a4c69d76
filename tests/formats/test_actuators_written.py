"""Robots with actuators, written as URDF and read again; what other descriptions cannot hold is refused."""

import re
from pathlib import Path

import numpy as np
import pinocchio
import pytest

import armdyn
from armdyn import ModelError, Robot, Unsupported
from armdyn.actuators import (
    Actuator,
    Brake,
    Coulomb,
    Gear,
    MaxwellSlip,
    Motor,
    Passive,
    Rotor,
    Stator,
    Stribeck,
    Viscous,
)
from armdyn.actuators.data import fields_of, known_laws
from armdyn.formats.urdf import read_urdf_text
from oracles.states import assert_close, random_states

DRIVES = {
    "elbow_joint": Actuator(Motor(rotor_inertia=0.1e-4 / 3.0), Gear(-101.3, 1e-7), [Viscous(0.4), Coulomb(0.1 + 0.2)]),
    "wrist_1_joint": Actuator(friction=()),
    "wrist_2_joint": Actuator(Motor(), Gear()),
    "wrist_3_joint": Actuator(gear=Gear(3.0, 0.01)),
}


def read_again(robot: Robot, **options: object) -> Robot:
    return Robot(read_urdf_text(robot.to_urdf(), **options))  # type: ignore[arg-type]


def test_the_same_robot_comes_back() -> None:
    robot = armdyn.load("ur5").with_actuators(DRIVES)
    other = read_again(robot)
    assert other == robot
    assert [joint.actuator for joint in other.model.joints] == [joint.actuator for joint in robot.model.joints]
    s = random_states(6, 3, seed=7)
    assert_close(other.inverse_dynamics(s.q, s.qd, s.qdd), robot.inverse_dynamics(s.q, s.qd, s.qdd), 0.0)


def test_numbers_that_were_changed_after_the_actuator_came() -> None:
    robot = armdyn.load("ur5").with_actuators(DRIVES)
    robot = robot.with_armature({"wrist_3_joint": 0.0, "elbow_joint": 0.3}).with_friction({"elbow_joint": (0.1, 0.2)})
    assert read_again(robot) == robot


@pytest.mark.parametrize("name", sorted(known_laws()))
def test_every_law(name: str) -> None:
    fields = {n: field for n, field in fields_of(known_laws()[name]).items() if field.is_required}
    numbers = {n: [0.7, 0.2] if field.several else 0.7 for n, field in fields.items()}
    law = known_laws()[name](**numbers | {n: Coulomb(2.0) for n, field in fields.items() if field.is_law})
    robot = armdyn.load("planar_2r").with_actuators({"joint_1": Actuator(friction=[law, Viscous(0.3)])})
    assert read_again(robot) == robot


def test_a_law_of_one_element() -> None:
    """Lists of one number come back as lists."""
    robot = armdyn.load("planar_2r").with_actuators({"joint_1": Actuator(friction=MaxwellSlip([100.0], [1.0]))})
    assert read_again(robot) == robot


def test_the_transmissions_say_gear_and_rotor_where_our_own_element_is_cut_out() -> None:
    """What other readers see: G and G^2 I of each joint."""
    robot = armdyn.load("ur5").with_actuators(DRIVES).with_armature({"shoulder_pan_joint": 0.3})
    text = re.sub("<armdyn .*</armdyn>", "", robot.to_urdf(), flags=re.DOTALL)
    other = Robot(read_urdf_text(text))
    assert [joint.armature for joint in other.model.joints] == [joint.armature for joint in robot.model.joints]
    gears = {joint.name: joint.actuator.gear_ratio for joint in other.model.joints if joint.actuator is not None}
    assert gears == {"elbow_joint": -101.3, "shoulder_pan_joint": 1.0, "wrist_3_joint": 3.0}
    assert '<drake:rotor_inertia value="0.01" />' in text
    assert "transmission" not in armdyn.load("ur5").to_urdf()
    assert "xmlns" not in armdyn.load("ur5").to_urdf()


RUBS = {
    "elbow_joint": Actuator(Motor(1e-4, damping=2e-5, friction=1e-3), Gear(-60.0), [Viscous(0.1), Coulomb(0.2)]),
    "wrist_1_joint": Actuator(Motor(1e-4), Gear(50.0), brake=Brake(0.4, "engaged")),
    "wrist_2_joint": Actuator(friction=[Stribeck(3.0, 2.0, 0.1), Viscous(0.7)]),
    "wrist_3_joint": Actuator(gear=Gear(30.0)),
}
IN_DYNAMICS = {
    "shoulder_pan_joint": (0.3, 0.4),
    "elbow_joint": (60.0**2 * 2e-5 + 0.1 + 0.5, 0.06 + 0.2 + 0.6),
    "wrist_1_joint": (0.1, 50.0 * 0.4 + 0.2),
    "wrist_2_joint": (0.7, 0.0),
    "wrist_3_joint": (0.8, 0.9),
}


def rubbing() -> Robot:
    own = {"shoulder_pan_joint": (0.3, 0.4), "wrist_1_joint": (0.1, 0.2), "wrist_3_joint": (0.8, 0.9)}
    return armdyn.load("ur5").with_friction(own).with_actuators(RUBS).with_friction({"elbow_joint": (0.5, 0.6)})


def test_viscous_and_coulomb_friction_stand_in_dynamics_too() -> None:
    """What Pinocchio reads of the file, and we where our own element is cut out; whole, it is the same robot."""
    robot = rubbing()
    assert read_again(robot) == robot
    s = random_states(6, 3, seed=17)
    assert_close(read_again(robot).inverse_dynamics(s.q, s.qd, s.qdd), robot.inverse_dynamics(s.q, s.qd, s.qdd), 0.0)
    peer = pinocchio.buildModelFromXML(robot.to_urdf())
    bare = Robot(read_urdf_text(re.sub("<armdyn .*</armdyn>", "", robot.to_urdf(), flags=re.DOTALL)))
    for i, joint in enumerate(bare.model.joints):
        assert_close(np.array([joint.damping, joint.friction]), np.array(IN_DYNAMICS.get(joint.name, (0.0, 0.0))))
        assert (joint.damping, joint.friction) == (peer.damping[i], _coulomb(peer)[i])


OWN = Passive(armature=0.05, damping=0.7, friction=0.4)


@pytest.mark.parametrize(
    "after", [{}, {"armature": 0.3}, {"friction": (0.7, 0.0)}, {"friction": (0.1, 0.2)}, {"friction": (0.0, 0.0)}]
)
@pytest.mark.parametrize("laws", [None, Viscous(0.5)])
def test_numbers_of_the_joint_itself(laws: Viscous | None, after: dict[str, object]) -> None:
    """Those that the actuator adds to, and those that were given since."""
    robot = armdyn.load("planar_2r").with_actuators({"joint_1": Actuator(Motor(1e-3), Gear(50.0), laws, passive=OWN)})
    for quantity, value in after.items():
        robot = getattr(robot, f"with_{quantity}")({"joint_1": value})
    assert read_again(robot) == robot


def test_passive_numbers_count_where_dynamics_has_none_and_must_agree_with_it() -> None:
    robot = armdyn.load("planar_2r").with_actuators({"joint_1": Actuator(Motor(1e-3), Gear(50.0), passive=OWN)})
    text, stated = robot.to_urdf(), '<dynamics damping="0.7" friction="0.4" />'
    assert text.count(stated) == 1
    assert Robot(read_urdf_text(text.replace(stated, ""))) == robot
    with pytest.raises(ModelError, match=r"<dynamics> says friction 0\.5, and <armdyn> 0\.4"):
        read_urdf_text(text.replace(stated, stated.replace("0.4", "0.5")))


def _coulomb(peer: pinocchio.Model) -> np.ndarray:
    return peer.upperDryFrictionLimit if hasattr(peer, "upperDryFrictionLimit") else peer.friction


@pytest.mark.parametrize(
    ("was", "given", "said"),
    [
        ('damping="0.7"', 'damping="0.8"', "damping 0.8, and <armdyn> 0.7; expected the same numbers, damping 0.7 and"),
        ('friction="0.86', 'friction="0.96', "friction 0.96, and <armdyn> 0.86"),
        ('size="0.2"', 'size="0.3"', "joint 'elbow_joint': <dynamics> says friction 0.86, and <armdyn> 0.96"),
        ('damping="0.5"', 'damping="0.4"', "damping 0.672, and <armdyn> 0.572"),
        ('torque="0.4"', 'torque="0.5"', "joint 'wrist_1_joint': <dynamics> says friction 20.2, and <armdyn> 25.2"),
        ('damping="0.7"', 'damping="0.70000001"', None),
        ('<dynamics damping="0.7" friction="0.0" />', '<dynamics friction="0" />', None),
        ('<dynamics damping="0.7" friction="0.0" />', "", None),
    ],
)
def test_dynamics_that_contradict_our_own_element_are_named(was: str, given: str, said: str | None) -> None:
    text = rubbing().to_urdf()
    assert text.count(was) == 1
    text = text.replace(was, given)
    if said is None:
        assert Robot(read_urdf_text(text)) == rubbing()
        return
    with pytest.raises(ModelError, match=re.escape(said)):
        read_urdf_text(text)
    with pytest.warns(armdyn.DescriptionWarning, match="<armdyn> is taken"):
        taken = read_urdf_text(text, problems="warn")
    own = read_urdf_text(re.sub("<dynamics.*?/>", "", text)).joints
    of_elbow = own[2:5]  # the others have no law that <dynamics> states
    assert [(j.damping, j.friction, j.laws) for j in taken.joints[2:5]] == [
        (j.damping, j.friction, j.laws) for j in of_elbow
    ]


def test_a_rotor_that_is_a_body_is_a_reflected_inertia_to_others() -> None:
    motor, gear = Motor(rotor_inertia=2e-5), Gear(-80.0)
    apart = Actuator(motor, gear, rotor=[Rotor(mass=0.2), Rotor(inertia=3e-4, ratio=8.0)], stator=Stator(mass=0.3))
    robot = armdyn.load("ur5").with_actuators({"elbow_joint": apart})
    assert read_again(robot) == robot
    assert f'<drake:rotor_inertia value="{2e-5 + 8.0**2 * 3e-4 / 80.0**2}" />' in robot.to_urdf()


SLOW = Stator(inertia=5.0, axis=(1.0, 0.0, 0.0))
ON_TOOL = Stator(inertia=0.5, mass=1e-3, axis=(0.0, 0.6, 0.8), carrier="tool0")


@pytest.mark.parametrize(
    ("name", "drives"),
    [
        ("planar_2r_geared", {}),
        ("planar_2r", {"joint_2": Actuator(stator=[SLOW, SLOW, Stator(inertia=2.0, axis=(0.6, 0.8, 0.0))])}),
        ("ur5", {"wrist_3_joint": Actuator(stator=Stator(inertia=0.5, mass=1e-3))}),
        ("ur5", {"elbow_joint": Actuator(stator=[ON_TOOL, Stator(inertia=0.3)])}),
    ],
)
def test_stators_that_leave_the_moment_across_their_axis_to_the_link(name: str, drives: dict[str, Actuator]) -> None:
    robot = armdyn.load(name).with_actuators(drives)
    other = read_again(robot)
    assert other == robot
    assert [note for note in other.notes if "of another size" not in note] == list(robot.notes)
    assert other.with_actuators(drives) == robot
    text = re.sub("<stator.*?/>", "", robot.to_urdf())
    with pytest.raises(ModelError, match=r"principal inertia .* breaks a\+b>=c by"):
        read_urdf_text(text)


@pytest.mark.parametrize(("link", "given"), [("link_1", "0.02"), ("link_2", "0.001")])
def test_a_stator_excuses_no_more_than_its_own_moment(link: str, given: str) -> None:
    """link_1 carries the stator of motor 2, of 0.005 kg m^2; link_2 carries none."""
    of_link = re.compile(rf'(<link name="{link}">.*?izz=)".*?"', re.DOTALL)
    text = of_link.sub(rf'\g<1>"{given}"', armdyn.load("planar_2r_geared").to_urdf(), count=1)
    with pytest.raises(ModelError, match=rf"link '{link}': principal inertia \(0, 0, {given}\) kg m\^2 breaks"):
        read_urdf_text(text)


WELDED = """<robot name="r">
  <armdyn><of_joint joint="j"><stator inertia="1" axis="0 0 1" carrier="c"/></of_joint></armdyn>
  <link name="base"/> <link name="b"/> <link name="c"/>
  <link name="a">
    <inertial><mass value="1"/><inertia ixx="0" iyy="0" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="j" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/></joint>
  <joint name="f" type="fixed"><parent link="b"/><child link="c"/></joint>
  <joint name="g" type="fixed"><parent link="%s"/><child link="b"/></joint>
</robot>"""


def test_a_stator_on_a_frame_that_is_welded_to_the_link_with_its_inertia() -> None:
    assert not read_urdf_text(WELDED % "a").notes
    with pytest.raises(ModelError, match="links hang on each other in a ring"):
        read_urdf_text(WELDED % "c")


def test_a_stator_on_a_link_without_mass() -> None:
    parts = [
        armdyn.Part("a", "base", axis=(0, 0, 1)),
        armdyn.Part("b", "a", axis=(0, 1, 0), inertia=armdyn.Inertia(1.0, [0.1, 0.2, 0.3])),
    ]
    robot = Robot.from_links(parts).with_actuators({"joint_of_b": Actuator(stator=Stator(inertia=0.5))})
    assert read_again(robot) == robot


@pytest.mark.parametrize(
    ("was", "given", "said"),
    [
        (">5.0<", ">7.0<", "the reduction is not that of <drake:gear_ratio>, which is taken"),
        ("5.0", "7.0", "it says gear ratio 7, rotor inertia 0.003 kg m^2, and <armdyn> says gear ratio 5"),
        ('value="0.003"', 'value="0.00301"', "and <armdyn> says gear ratio 5, rotor inertia 0.003 kg m^2 of joint"),
        ('value="0.003"', 'value="0.003000001"', None),
        ('<drake:rotor_inertia value="0.003" />', "", None),
    ],
)
def test_a_transmission_that_contradicts_our_own_element_is_named(was: str, given: str, said: str | None) -> None:
    """<armdyn> is read; numbers of other elements must be the same to six digits."""
    robot = armdyn.load("planar_2r").with_actuators({"joint_1": Actuator(Motor(3e-3), Gear(5.0))})
    own, transmissions = robot.to_urdf().split("<transmission", 1)
    assert was in transmissions
    text = own + "<transmission" + transmissions.replace(was, given)
    if said is None or said.startswith("the reduction"):
        model = read_urdf_text(text)
        assert [note.partition(": ")[0] for note in model.notes] == ([] if said is None else [said])
        assert Robot(model) == robot
        return
    with pytest.raises(ModelError, match=re.escape(said)):
        read_urdf_text(text)
    with pytest.warns(armdyn.DescriptionWarning, match="<armdyn> is taken"):
        assert Robot(read_urdf_text(text, problems="warn")) == robot


@pytest.mark.parametrize(
    ("was", "given", "said"),
    [
        ('ratio="5.0"', 'ratio="0"', "<actuator>: ratio of Gear is 0; expected the turns"),
        ('ratio="5.0"', 'ratio="five"', "<actuator>: ratio of Gear is 'five'; expected a finite number"),
        ('ratio="5.0"', 'ration="5.0"', "Did you mean 'ratio'?"),
        ("</armdyn>", '<of_joint joint="joint_1"/></armdyn>', "<of_joint> of joint 'joint_1' stands here again"),
        ("gear ratio", "gera ratio", "Did you mean 'gear'?"),
        ("Coulomb size", "Coulom size", "no friction law 'Coulom' in armdyn.actuators"),
        ("<friction>", '<friction remark="7">', "no friction law 'remark' in armdyn.actuators"),
        ('Coulomb size="2.0"', 'Coulomb size="-2.0"', "size of Coulomb is -2.0; expected a number"),
        ('Coulomb size="2.0"', "Coulomb", "Coulomb has no size; expected its fields: size"),
        (
            '<gear ratio="5.0" />',
            '<gear ratio="5.0"/><gear ratio="6.0"/>',
            "{'ratio': 6.0}] is not a Gear",
        ),
    ],
)
def test_what_is_wrong_is_named(was: str, given: str, said: str) -> None:
    drive = Actuator(gear=Gear(5.0), friction=Coulomb(2.0))
    text = armdyn.load("planar_2r").with_actuators({"joint_1": drive}).to_urdf()
    assert was in text
    with pytest.raises(ModelError) as caught:
        read_urdf_text(text.replace(was, given))
    assert said in str(caught.value)
    assert str(caught.value).startswith("robot:")


def test_other_descriptions_have_no_place() -> None:
    robot = armdyn.load("planar_2r").with_actuators({"joint_1": Actuator(friction=Coulomb(2.0))})
    for write in (robot.to_screws, robot.to_zero_reference, lambda: robot.to_dh("modified")):
        with pytest.raises(Unsupported, match="joint 'joint_1' has an actuator, for which"):
            write()


def test_sub_chains_and_locked_joints_keep_the_others() -> None:
    text = armdyn.load("ur5").with_actuators(DRIVES).to_urdf()
    chain = read_urdf_text(text, base="upper_arm_link", tip="wrist_2_link", chain=True)
    assert {joint.name: joint.actuator for joint in chain.joints} == {
        name: DRIVES[name] for name in ("elbow_joint", "wrist_1_joint", "wrist_2_joint")
    }
    locked = read_urdf_text(text, locked={"elbow_joint": 0.3})
    whole = armdyn.load("ur5").with_actuators(DRIVES).with_locked({"elbow_joint": 0.3})
    assert [joint.actuator for joint in locked.joints] == [joint.actuator for joint in whole.model.joints]
    assert locked.joint("wrist_3_joint").actuator == DRIVES["wrist_3_joint"]


@pytest.mark.slow
def test_edits_keep_actuators(tmp_path: Path) -> None:
    robot = armdyn.load("ur5").with_actuators(DRIVES)
    payload = armdyn.Inertia.point(2.0, [0.1, 0.0, 0.2])
    s = random_states(6, 3, seed=8)
    bare = armdyn.load("ur5")

    def extra(one: Robot, other: Robot) -> np.ndarray:
        return one.inverse_dynamics(s.q, s.qd, s.qdd) - other.inverse_dynamics(s.q, s.qd, s.qdd)

    expected = extra(robot, bare)
    assert np.abs(expected).max() > 0.1
    assert_close(extra(robot.with_payload(payload, "tool0"), bare.with_payload(payload, "tool0")), expected, 1e-11)
    names = {"elbow_joint": "elbow", "wrist_1_joint": "w1"}
    assert_close(extra(robot.renamed(names), bare), expected, 0.0)
    assert robot.renamed(names).model.joint("elbow").actuator == DRIVES["elbow_joint"]
    A = np.random.default_rng(9).normal(size=(6, 6))
    moved = [one.with_coordinates([f"r{i}" for i in range(6)], A, kinds={}) for one in (robot, bare)]
    x = [np.linalg.solve(A, each.T).T for each in (s.q, s.qd, s.qdd)]
    difference = moved[0].inverse_dynamics(*x) - moved[1].inverse_dynamics(*x)
    assert_close(difference, expected @ A, 1e-10)
    follows = {"wrist_1_joint": ("elbow_joint", -2.0)}
    tied = [one.with_mimic(follows) for one in (robot, bare)]
    assert tied[0].model.joint("wrist_1_joint").actuator == DRIVES["wrist_1_joint"]
    assert tied[0].without_couplings() == robot
    q = np.delete(s.q, 3, axis=1), np.delete(s.qd, 3, axis=1), np.delete(s.qdd, 3, axis=1)
    J = np.insert(np.eye(5), 3, -2.0 * np.eye(5)[2], axis=0)
    whole = [each @ J.T for each in q]
    expected = (robot.inverse_dynamics(*whole) - bare.inverse_dynamics(*whole)) @ J
    assert_close(tied[0].inverse_dynamics(*q) - tied[1].inverse_dynamics(*q), expected, 1e-10)
