"""Elements that other programs read in another way: each note beside the program itself."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pinocchio
import pytest
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

import armdyn
from armdyn.doctor import Finding
from doctor.arms import RIGHT, examined, replaced

CONTINUOUS = replaced('type="revolute"', 'type="continuous"', "joint_3")


def one_of(text: str, rule: str, folder: Path) -> Finding:
    findings = [one for one in examined(text, folder) if one.rule == rule]
    assert len(findings) == 1, findings
    assert not [one for one in examined(RIGHT, folder) if one.rule == rule]
    return findings[0]


def test_drake_alone_keeps_the_limits_of_a_continuous_joint(tmp_path: Path) -> None:
    finding = one_of(CONTINUOUS, "limit/continuous", tmp_path)
    assert "[-2.5, 2.6]" in finding.text
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModelsFromString(CONTINUOUS, "urdf")
    plant.Finalize()
    assert plant.GetJointByName("joint_3").position_upper_limits()[0] == 2.6
    assert not mujoco.MjModel.from_xml_string(CONTINUOUS).jnt_limited[2]
    assert pinocchio.buildModelFromXML(CONTINUOUS).upperPositionLimit[2] != 2.6


def test_effort_0_is_a_limit_for_pinocchio_and_none_for_mujoco(tmp_path: Path) -> None:
    text = replaced('effort="90"', 'effort="0"', "joint_2")
    finding = one_of(text, "limit/effort", tmp_path)
    assert "MuJoCo takes 0 as no limit" in finding.why
    assert not mujoco.MjModel.from_xml_string(text).jnt_actfrclimited[1]
    assert pinocchio.buildModelFromXML(text).effortLimit[1] == 0.0


def test_mujoco_fills_the_shapes_of_a_link_without_inertia(tmp_path: Path) -> None:
    begin, end = (RIGHT.index(tag, RIGHT.index('name="link_2"')) for tag in ("<inertial>", "</inertial>"))
    text = RIGHT[:begin] + RIGHT[end + len("</inertial>") :]
    finding = one_of(text, "mass/none", tmp_path)
    assert "1.92 kg" in finding.why  # 0.3 x 0.08 x 0.08 m of water
    model = mujoco.MjModel.from_xml_string(text)
    assert np.isclose(model.body_mass[mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, "link_2")], 1.92)
    assert pinocchio.buildModelFromXML(text).inertias[2].mass == 0.0


def test_a_mimic_joint_is_free_in_pinocchio(tmp_path: Path) -> None:
    text = replaced("<axis", '<mimic joint="joint_1" multiplier="2"/> <axis', "joint_2")
    one_of(text, "joint/mimic", tmp_path)
    assert pinocchio.buildModelFromXML(text).nq == 3
    assert mujoco.MjModel.from_xml_string(text).neq == 1
    model = pinocchio.buildModelFromXML(text, mimic=True)
    q, v = np.array([0.3, -0.4]), np.array([0.9, -0.5])
    g = pinocchio.computeGeneralizedGravity(model, model.createData(), q)
    c = pinocchio.nonLinearEffects(model, model.createData(), q, v) - g
    C = pinocchio.computeCoriolisMatrix(model, model.createData(), q, v)
    path = tmp_path / "arm.urdf"
    path.write_text(text)
    robot = armdyn.load(path)
    assert np.allclose(robot.velocity_forces(q, v), c, rtol=0.0, atol=1e-12)
    assert np.allclose(robot.coriolis_matrix(q, v) @ v, c, rtol=0.0, atol=1e-12)
    assert np.abs(C @ v - c).max() > 0.1  # Pinocchio's own, without the part of the joint that follows
    chain = replaced("<axis", '<mimic joint="joint_2" multiplier="2"/> <axis', "joint_3", text)
    one_of(chain, "joint/mimic-chain", tmp_path)


def test_a_reduction_without_a_rotor(tmp_path: Path) -> None:
    transmission = (
        '<transmission name="t"><joint name="joint_1"/><actuator name="m">{rotor}'
        "<mechanicalReduction>100</mechanicalReduction></actuator></transmission></robot>"
    )
    text = RIGHT.replace("</robot>", transmission.format(rotor=""))
    assert "10000" in one_of(text, "drive/armature", tmp_path).why.replace("1e+04", "10000")
    rotor = RIGHT.replace("</robot>", transmission.format(rotor="<motorInertia>1e-5</motorInertia>"))
    assert not [one for one in examined(rotor, tmp_path) if one.rule == "drive/armature"]


@pytest.mark.parametrize(("parent", "number"), [("link_1", 1), ("link_3", 0)])
def test_a_tool_frame_before_the_last_joints(parent: str, number: int, tmp_path: Path) -> None:
    frame = f'<link name="tool0"/><joint name="f" type="fixed"><parent link="{parent}"/><child link="tool0"/></joint>'
    findings = examined(RIGHT.replace("</robot>", f"{frame}</robot>"), tmp_path)
    assert len([one for one in findings if one.rule == "names/tip"]) == number


def test_products_of_inertia_of_mirror_twins(tmp_path: Path) -> None:
    """The centres are at y = 0.01 and -0.01 m; Ixy = -m x y of the one has the other sign in the other."""
    text = RIGHT.replace("link_1", "left_arm").replace("link_3", "right_arm")
    for part, y, xy in (("left_arm", "0.01", "-0.002"), ("right_arm", "-0.01", "0.002")):
        text = replaced('xyz="0.15 0 0" rpy', f'xyz="0.15 {y} 0" rpy', part, text)
        text = replaced('ixy="0"', f'ixy="{xy}"', part, text)
    assert not examined(text, tmp_path).at_least("warning")
    wrong = replaced('ixy="0.002"', 'ixy="-0.002"', "right_arm", text)
    (finding,) = (one for one in examined(wrong, tmp_path) if one.rule == "inertia/mirror")
    assert "'right_arm'" in finding.text


def test_paths_out_of_a_package_and_small_collision_shapes(tmp_path: Path) -> None:
    text = replaced('<box size="0.3 0.08 0.08"/>', '<mesh filename="package://arm/../other/a.stl"/>')
    assert "mesh/outside" in {one.rule for one in examined(text, tmp_path)}
    visual = '<visual> <origin xyz="0.15 0 0"/> <geometry> <box size="0.3 0.08 0.08"/> </geometry> </visual>\n</link>'
    begin = RIGHT.index("</link>", RIGHT.index('name="link_2"'))
    both = RIGHT[:begin] + visual + RIGHT[begin + len("</link>") :]
    assert not [one for one in examined(both, tmp_path) if one.rule == "shape/collision"]
    small = replaced('size="0.3 0.08 0.08"', 'size="0.1 0.08 0.08"', text=both)
    assert "shape/collision" in {one.rule for one in examined(small, tmp_path)}
