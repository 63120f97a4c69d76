"""Elements that programs read in different ways: each finding beside the programs, run on the same text."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path

import mujoco
import numpy as np
import pinocchio
import pytest
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

from armdyn.doctor import Finding
from armdyn.doctor.checks.foreign import orders
from armdyn.doctor.examine import subject_of
from armdyn.doctor.source import SourceDocument
from doctor.arms import RIGHT, examined, replaced
from doctor.mjcf_arms import RIGHT_MJCF, examined_mjcf, replaced_mjcf


def one_of(text: str, rule: str, folder: Path) -> Finding:
    """The only finding of a rule, which the right arm does not have."""
    is_mjcf = "<mujoco" in text
    see = examined_mjcf if is_mjcf else examined
    found = [one for one in see(text, folder) if one.rule == rule]
    assert len(found) == 1, found
    assert not [one for one in see(RIGHT_MJCF if is_mjcf else RIGHT, folder) if one.rule == rule]
    return found[0]


def drake_of(text: str, time_step: float = 0.0) -> MultibodyPlant:
    plant = MultibodyPlant(time_step)
    Parser(plant).AddModelsFromString(text, "xml" if "<mujoco" in text else "urdf")
    plant.Finalize()
    return plant


def pinocchio_of(text: str, folder: Path) -> pinocchio.Model:
    path = folder / "pinocchio.xml"
    path.write_text(text)
    return pinocchio.buildModelFromMJCF(str(path))


def with_end(text: str) -> str:
    return RIGHT.replace("</robot>", f"{text}</robot>")


def test_a_spring_of_gazebo_is_dropped_by_the_others(tmp_path: Path) -> None:
    text = with_end('<gazebo reference="joint_2"> <springStiffness>5</springStiffness> </gazebo>')
    finding = one_of(text, "reader/foreign", tmp_path)
    assert "springStiffness> 5" in finding.text
    assert finding.element == "joint 'joint_2'"
    assert finding.severity == "warning"
    assert not mujoco.MjModel.from_xml_string(text).jnt_stiffness.any()
    assert drake_of(text).num_force_elements() == 1  # gravity


def test_a_joint_inside_gazebo_is_dropped_by_the_others(tmp_path: Path) -> None:
    inner = '<joint name="pin" type="ball"><parent>link_1</parent><child>link_3</child></joint>'
    text = with_end(f"<gazebo>{inner}</gazebo>")
    assert "'pin'" in one_of(text, "reader/foreign", tmp_path).text
    model = mujoco.MjModel.from_xml_string(text)
    assert (model.njnt, model.neq) == (3, 0)
    assert pinocchio.buildModelFromXML(text).nq == 3


def test_links_without_weight_in_gazebo_are_one_note(tmp_path: Path) -> None:
    text = with_end("".join(f'<gazebo reference="link_{k}"><gravity>false</gravity></gazebo>' for k in (1, 2, 3)))
    finding = one_of(text, "reader/weightless", tmp_path)
    assert finding.text.startswith("3 links")
    assert np.all(mujoco.MjModel.from_xml_string(text).body_gravcomp == 0.0)


@pytest.mark.parametrize(
    ("tag", "constraints", "why"),
    [
        (
            '<loop name="pin" type="revolute"><predecessor link="link_1"/><successor link="link_3"/></loop>',
            0,
            "Pinocchio, MuJoCo and Drake drop it",
        ),
        (
            '<drake:ball_constraint><drake:ball_constraint_body_A name="link_1"/><drake:ball_constraint_p_AP '
            'value="0.9 0 0"/><drake:ball_constraint_body_B name="link_3"/><drake:ball_constraint_p_BQ '
            'value="0.7 0 0"/></drake:ball_constraint>',
            1,
            "Drake closes the loop",
        ),
        (
            '<loop_joint name="pin" type="spherical"><link1 link="link_1"/><link2 link="link_3"/></loop_joint>',
            None,
            "Drake refuses the file",
        ),
    ],
)
def test_closed_loops(tag: str, constraints: int | None, why: str, tmp_path: Path) -> None:
    text = with_end(tag).replace("<robot", '<robot xmlns:drake="http://drake.mit.edu"', 1)
    finding = one_of(text, "reader/loop", tmp_path)
    assert why in finding.why
    assert "'link_1' and 'link_3'" in finding.text
    assert mujoco.MjModel.from_xml_string(text).neq == 0
    assert pinocchio.buildModelFromXML(text).nq == 3
    if constraints is None:
        with pytest.raises(RuntimeError, match="loop joints are not supported"):
            drake_of(text, 0.01)
    else:
        assert drake_of(text, 0.01).num_constraints() == constraints


TRANSMISSION = (
    '<transmission name="t"><type>transmission_interface/{kind}</type><joint name="{joint}"/>'
    '<actuator name="m"><mechanicalReduction>{ratio}</mechanicalReduction></actuator></transmission>'
)


@pytest.mark.parametrize(
    ("kind", "ratio", "effort", "why", "actuators"),
    [
        ("SimpleTransmission", 1, "90", "makes an actuator of it;", 1),
        ("SimpleTransmission", 4, "90", "of ratio 1 of it, not 4", 1),
        ("SimpleTransmission", 1, "0", "for the effort limit is 0", 0),
        ("DifferentialTransmission", 1, "90", "not a SimpleTransmission", 0),
    ],
)
def test_transmissions(kind: str, ratio: int, effort: str, why: str, actuators: int, tmp_path: Path) -> None:
    text = with_end(TRANSMISSION.format(kind=kind, ratio=ratio, joint="joint_2"))
    text = replaced('effort="90"', f'effort="{effort}"', "joint_2", text)
    assert why in one_of(text, "reader/transmission", tmp_path).why
    plant = drake_of(text)
    assert plant.num_actuators() == actuators
    for index in plant.GetJointActuatorIndices():
        assert plant.get_joint_actuator(index).default_gear_ratio() == 1.0
    assert mujoco.MjModel.from_xml_string(text).nu == 0


def test_names_that_gazebo_control_and_transmissions_do_not_find(tmp_path: Path) -> None:
    for text, severity in (
        ('<gazebo reference="joint_{side}"/>', "warning"),
        ('<ros2_control name="c" type="system"><joint name="joint_4"/></ros2_control>', "error"),
        (TRANSMISSION.format(kind="SimpleTransmission", ratio=1, joint="joint_4"), "warning"),
    ):
        assert one_of(with_end(text), "names/unknown", tmp_path).severity == severity


CONTROL = (
    '<ros2_control name="c" type="system">\n  <joint name="joint_2">\n    <command_interface name="{kind}">\n'
    '      <param name="{side}"> {value} </param>\n    </command_interface>\n  </joint>\n</ros2_control>\n'
)


@pytest.mark.parametrize(
    ("kind", "side", "right", "wrong", "own"),
    [
        ("position", "max", "2.6", "3.14", "2.6"),
        ("position", "min", "-1", "-3.14", "-2.5"),
        ("velocity", "max", "3", "4", "3"),
        ("velocity", "min", "-3", "-4", "-3"),
        ("effort", "max", "80", "100", "90"),
    ],
)
def test_limits_of_control_beyond_those_of_the_joint(
    kind: str, side: str, right: str, wrong: str, own: str, tmp_path: Path
) -> None:
    fine = with_end(CONTROL.format(kind=kind, side=side, value=right))
    assert not examined(fine, tmp_path).at_least("warning")
    text = with_end(CONTROL.format(kind=kind, side=side, value=wrong))
    finding = one_of(text, "limit/ros2_control", tmp_path)
    assert finding.line == text[: text.index("<param")].count("\n") + 1
    fixed = examined(text, tmp_path).fixed().decode()
    assert fixed == text.replace(f"> {wrong} <", f"> {own} <")


def branched(seed: int) -> tuple[str, str]:
    """A tree of six joints with shuffled elements and names; its text and its root."""
    shuffled = random.Random(seed)  # noqa: S311 - a test
    names = ["base", *shuffled.sample("abcdefghijklm", 6)]
    joints = [(f"j{x}", shuffled.choice(names[: k + 1]), names[k + 1]) for k, x in enumerate("qwrtyu")]
    links = names[:]
    for each in (links, joints):
        shuffled.shuffle(each)
    inertial = RIGHT[RIGHT.index("    <inertial>") : RIGHT.index("    <collision>")]
    text = "".join(f'  <link name="{name}">\n{inertial}  </link>\n' for name in links)
    limit = '<limit lower="-1" upper="1" effort="900" velocity="1"/>'
    for name, parent, child in joints:
        ends = f'<parent link="{parent}"/> <child link="{child}"/> <origin xyz="0.3 0 0"/>'
        text += f'  <joint name="{name}" type="revolute"> {ends} <axis xyz="0 1 0"/> {limit} </joint>\n'
    return f'<robot name="r">\n{text}</robot>\n', "base"


def test_orders_of_joints_in_four_programs() -> None:
    """Of twenty trees each program's order is the one that the finding has worked out, or there is no finding."""
    different = 0
    for seed in range(20):
        text, root = branched(seed)
        subject = subject_of(SourceDocument.parse("arm.urdf", text.encode()), Path())
        found = list(orders(subject))
        model = mujoco.MjModel.from_xml_string(text)
        in_mujoco = [model.joint(j).name for j in range(model.njnt)]
        in_pinocchio = list(pinocchio.buildModelFromXML(text).names)[1:]
        plant = MultibodyPlant(0.0)
        Parser(plant).AddModelsFromString(text, "urdf")
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(root))
        plant.Finalize()
        joints = [plant.get_joint(index) for index in plant.GetJointIndices()]
        moving = sorted((joint for joint in joints if joint.num_positions()), key=lambda joint: joint.position_start())
        assert [joint.name() for joint in moving] == in_mujoco
        in_file = [joint.name for joint in subject.joints]
        assert bool(found) == (not in_file == in_mujoco == in_pinocchio)
        for one in found:
            different += 1
            for order, other, word in (
                (in_file, in_mujoco, "armdyn has"),
                (in_mujoco, in_file, "MuJoCo and Drake go"),
                (in_pinocchio, in_mujoco, "Pinocchio takes"),
            ):
                k = next((k for k, (a, b) in enumerate(zip(order, other, strict=True)) if a != b), None)
                part = next((part for part in one.why.split("; ") if part.startswith(word)), "")
                assert k is None or f"joint {k + 1} is {order[k]!r}" in part or word == "armdyn has", one.why
    assert different > 10


def test_the_plane_of_a_planar_joint(tmp_path: Path) -> None:
    """With the axis along y: Pinocchio moves in x and y, Drake and MuJoCo in x and z."""
    text = replaced('type="revolute"', 'type="planar"', "joint_3")
    assert "Pinocchio takes the x-y plane" in one_of(text, "joint/planar", tmp_path).why
    assert "x-y plane" not in one_of(replaced("0 1 0", "0 0 1", "joint_3", text), "joint/planar", tmp_path).why
    model = pinocchio.buildModelFromXML(text)
    data, reached = model.createData(), []
    for k in (0, 1):
        q = pinocchio.neutral(model)
        pinocchio.forwardKinematics(model, data, q)
        before = data.oMi[3].translation.copy()
        q[2 + k] = 1.0
        pinocchio.forwardKinematics(model, data, q)
        reached.append(data.oMi[3].translation - before)
    assert np.allclose(reached, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    slides = mujoco.MjModel.from_xml_string(text).jnt_axis[2:4]
    assert np.allclose(slides @ [0.0, 1.0, 0.0], 0.0)


def test_a_chain_of_mimic_joints(tmp_path: Path) -> None:
    text = replaced("<axis", '<mimic joint="joint_1" multiplier="2"/> <axis', "joint_2")
    chain = replaced("<axis", '<mimic joint="joint_2" multiplier="2"/> <axis', "joint_3", text)
    assert "Pinocchio refuses" in one_of(chain, "joint/mimic-chain", tmp_path).why
    assert pinocchio.buildModelFromXML(text, mimic=True).nq == 2
    with pytest.raises(ValueError, match="Mimicking and mimicked"):
        pinocchio.buildModelFromXML(chain, mimic=True)
    assert mujoco.MjModel.from_xml_string(chain).neq == 2


def test_composite_inertias_that_are_not_moved(tmp_path: Path) -> None:
    """Two boxes of 2 kg at either end of a link: each has 0.0032 kg m^2 about its own y, m d^2 adds 0.045 kg m^2."""
    begin, end = (RIGHT.index(tag, RIGHT.index('name="link_2"')) for tag in ("<inertial>", "</link>"))
    shapes = "".join(
        f'<collision> <origin xyz="{x} 0 0"/> <geometry> <box size="0.1 0.08 0.08"/> </geometry> </collision>\n'
        for x in (0.0, 0.3)
    )
    tensor = '<inertia ixx="{0}" ixy="0" ixz="0" iyy="{1}" iyz="0" izz="{1}"/>'
    inner = '<inertial> <origin xyz="0.15 0 0"/> <mass value="4"/> {0} </inertial>\n' + shapes
    own = (4 / 12 * (0.08**2 + 0.08**2), 4 / 12 * (0.1**2 + 0.08**2))
    right = inner.format(tensor.format(f"{own[0]:.6g}", f"{own[1] + 4 * 0.15**2:.6g}"))
    wrong = inner.format(tensor.format(f"{own[0]:.6g}", f"{own[1]:.6g}"))
    texts = [RIGHT[:begin] + one + RIGHT[end:] for one in (right, wrong)]
    assert not examined(texts[0], tmp_path).at_least("warning")
    finding = one_of(texts[1], "inertia/composite", tmp_path)
    assert finding.link == "link_2"
    body = subject_of(SourceDocument.parse("arm", examined(texts[1], tmp_path).fixed()), tmp_path).bodies["link_2"]
    assert body.moments is not None
    assert np.allclose(body.moments[[0, 3, 5]], [own[0], own[1] + 0.09, own[1] + 0.09], rtol=1e-5)


def test_masses_that_mujoco_scales_and_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its warnings into a file there
    for word, rule, in_pinocchio in (
        ('settotalmass="5"', "mass/total", 4.0),
        ('boundmass="5"', "inertia/changed", 5.0),
    ):
        text = RIGHT_MJCF.replace('angle="radian"', f'angle="radian" {word}')
        found = [one for one in examined_mjcf(text, tmp_path) if one.rule == rule]
        assert found
        assert "Drake" in found[0].why
        assert ("Pinocchio" in found[0].why) == (in_pinocchio == 4.0)
        assert pinocchio_of(text, tmp_path).inertias[1].mass == in_pinocchio
        assert drake_of(text, 0.01).GetBodyByName("link_1").default_mass() == 4.0
        assert mujoco.MjModel.from_xml_string(text).body_mass[1] != 4.0


@pytest.mark.parametrize(
    ("name", "rule", "in_pinocchio"), [("stiffness", "reader/spring", False), ("frictionloss", "reader/spring", True)]
)
def test_springs_and_friction_of_mjcf(name: str, rule: str, in_pinocchio: bool, tmp_path: Path) -> None:
    text = replaced_mjcf('axis="0 1 0"', f'axis="0 1 0" {name}="3"')
    why = one_of(text, rule, tmp_path).why
    assert ("Pinocchio" in why) != in_pinocchio
    model = pinocchio_of(text, tmp_path)
    friction = np.max(model.upperDryFrictionLimit)
    assert (friction == 3.0) == in_pinocchio
    assert drake_of(text, 0.01).num_force_elements() == 1


@pytest.mark.parametrize("tag", ["", "motor", "position", "velocity", "general"])
def test_armature_of_mjcf(tag: str, tmp_path: Path) -> None:
    actuator = f'<actuator><{tag} joint="joint_2"/></actuator>' if tag else ""
    text = replaced_mjcf('axis="0 1 0"', 'axis="0 1 0" armature="0.25"')
    text = re.sub("<actuator>.*</actuator>", actuator, text, flags=re.DOTALL)
    q = np.array([0.1, 0.2, 0.3])
    model = pinocchio_of(text, tmp_path)
    plant = drake_of(text, 0.01)
    context = plant.CreateDefaultContext()
    plant.SetPositions(context, q)
    difference = pinocchio.crba(model, model.createData(), q)[1, 1] - plant.CalcMassMatrix(context)[1, 1]
    is_dropped = tag not in ("motor", "position")
    assert difference == pytest.approx(0.25 if is_dropped else 0.0, abs=1e-12)
    found = [one for one in examined_mjcf(text, tmp_path) if one.rule == "reader/armature"]
    assert [one.text for one in found] == ["armature 0.25"] * is_dropped


def test_gravity_compensation_of_a_body(tmp_path: Path) -> None:
    text = replaced_mjcf('name="link_2"', 'name="link_2" gravcomp="1"')
    assert "Pinocchio and Drake do not" in one_of(text, "reader/gravcomp", tmp_path).why
    model, right = (pinocchio_of(one, tmp_path) for one in (text, RIGHT_MJCF))
    q = np.array([0.1, 0.2, 0.3])
    torques = [pinocchio.computeGeneralizedGravity(one, one.createData(), q) for one in (model, right)]
    assert np.allclose(*torques)
    assert list(itertools.chain(mujoco.MjModel.from_xml_string(text).body_gravcomp)).count(1.0) == 1
