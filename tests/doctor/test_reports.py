"""Nine kinds of defects that users report, each with its line and the corrected numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from armdyn.doctor import Finding, Findings, doctor
from doctor.arms import RIGHT, examined, line_of, replaced

MOMENTS = 'ixx="0.00427" ixy="0" ixz="0" iyy="0.0321" iyz="0" izz="0.0321"'


def the(findings: Findings, rule: str, part: str) -> Finding:
    mine = [one for one in findings if one.rule == rule and f"'{part}'" in one.element]
    assert len(mine) == 1, str(findings)
    return mine[0]


def mended(findings: Findings, finding: Finding) -> str:
    return findings.source.patched(finding.repairs[0].edits).decode()


def test_a_moment_a_thousand_times_too_large(tmp_path: Path) -> None:
    """Moments 1676.359E-6, 1721.244E-6 and 1.676359 in place of 1676.359E-6 kg m^2."""
    right = replaced(MOMENTS, 'ixx="1676.359E-6" ixy="0" ixz="0" iyy="1721.244E-6" iyz="0" izz="1676.359E-6"')
    right = replaced('value="4"', 'value="0.4"', text=right)
    text = right.replace('izz="1676.359E-6"', 'izz="1.676359"')
    findings = examined(text, tmp_path)
    finding = the(findings, "inertia/triangle", "link_2")
    assert finding.line in line_of(text, "link_2")
    assert 'ixx="1676.359E-6"' in mended(findings, finding)
    assert 'izz="0.001676359"' in mended(findings, finding)
    assert finding.severity == "error"


def test_the_triangle_off_by_4_per_cent(tmp_path: Path) -> None:
    """1.5e-5 + 7.9e-5 misses 9.7514e-5 by 3.6 % of the largest; the nearest tensor changes the numbers by little."""
    text = replaced(MOMENTS, 'ixx="1.5e-5" ixy="0" ixz="0" iyy="7.9e-5" iyz="0" izz="9.7514e-5"')
    text = replaced('value="4"', 'value="0.05"', text=text)
    findings = examined(text, tmp_path)
    finding = the(findings, "inertia/triangle", "link_2")
    assert "by 3.6 %" in finding.text
    assert finding.line in line_of(text, "link_2")
    again = examined(mended(findings, finding), tmp_path)
    assert not [one for one in again if one.rule == "inertia/triangle"]
    assert "a change of" in finding.repairs[0].title
    assert float(finding.repairs[0].title.split("change of ")[1].split()[0]) < 3.0  # per cent


def test_negative_moments(tmp_path: Path) -> None:
    text = replaced(MOMENTS, MOMENTS.replace('iyy="', 'iyy="-').replace('izz="', 'izz="-'))
    findings = examined(text, tmp_path)
    finding = the(findings, "inertia/negative", "link_2")
    assert mended(findings, finding) == RIGHT


def test_no_mass_with_a_collider(tmp_path: Path) -> None:
    text = replaced('value="4"', 'value="0"', "link_3")
    text = replaced(MOMENTS, MOMENTS.replace("0.00427", "0").replace("0.0321", "0"), "link_3", text)
    finding = the(examined(text, tmp_path), "mass/zero", "link_3")
    assert finding.severity == "warning"
    assert finding.line in line_of(text, "link_3")
    assert finding.repairs


def test_effort_and_velocity_of_zero(tmp_path: Path) -> None:
    text = replaced('effort="90" velocity="3"', 'effort="0" velocity="0"', "joint_2")
    findings = examined(text, tmp_path)
    assert the(findings, "limit/effort", "joint_2").line in line_of(text, "joint_2")
    assert the(findings, "limit/velocity", "joint_2").severity == "warning"


def test_3_kg_m2_of_a_rod_on_7_kg(tmp_path: Path) -> None:
    """A rod of 7.3 kg and 0.42 m has 0.107 kg m^2 across; the file states 2.95."""
    text = replaced(MOMENTS, 'ixx="0.014" ixy="0" ixz="0" iyy="2.95" iyz="0" izz="2.95"')
    text = replaced('value="4"', 'value="7.3"', text=text)
    findings = examined(text, tmp_path)
    finding = the(findings, "inertia/size", "link_2")
    assert "2.95 kg m^2 on 7.3 kg" in finding.text
    assert finding.repairs


def test_grams_and_millimetres(tmp_path: Path) -> None:
    """3,000 kg m^2 on 1.5 kg: the mass is in kg, the moments are in kg mm^2."""
    text = replaced(MOMENTS, 'ixx="1600" ixy="0" ixz="0" iyy="3000" iyz="0" izz="3000"')
    text = replaced('value="4"', 'value="1.5"', text=text)
    findings = examined(text, tmp_path)
    finding = the(findings, "inertia/size", "link_2")
    assert finding.severity == "error"
    assert "3000 kg m^2 on 1.5 kg" in finding.text
    assert 'iyy="0.003"' in mended(findings, finding)


def test_a_centre_of_mass_a_hundred_metres_away(tmp_path: Path) -> None:
    text = replaced('xyz="0.15 0 0" rpy', 'xyz="100 0 0" rpy')
    text = replaced('size="0.3 0.08 0.08"', 'size="0.2 0.08 0.08"', text=text)
    findings = examined(text, tmp_path)
    finding = the(findings, "mass/centre", "link_2")
    assert finding.severity == "error"
    assert "100 m" in finding.text
    assert 'xyz="0.1 0 0" rpy' in mended(findings, finding)


REPRODUCER = """<?xml version="1.0"?>
<robot name="typing_error">
  <link name="base"/>
  <link name="l1"> <inertial> <origin xyz="0.2 0 0"/> <mass value="7.2"/>
      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.16" iyz="0" izz="0.16"/> </inertial>
    <visual> <origin xyz="0.21 0 0" rpy="0 1.5708 0"/> <geometry> <cylinder radius="0.06" length="0.42"/> </geometry>
    </visual> </link>
  <link name="l2"> <inertial> <origin xyz="0.2 0 0"/> <mass value="42.872"/>
      <inertia ixx="0.014" ixy="0.0007" ixz="0" iyy="2.9544" iyz="0" izz="2.9595"/> </inertial>
    <visual> <origin xyz="0.21 0 0" rpy="0 1.5708 0"/> <geometry> <cylinder radius="0.06" length="0.42"/> </geometry>
    </visual> </link>
  <link name="l3"> <inertial> <origin xyz="0.2 0 0"/> <mass value="3.1"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.07" iyz="0" izz="0.07"/> </inertial>
    <visual> <origin xyz="0.21 0 0" rpy="0 1.5708 0"/> <geometry> <cylinder radius="0.05" length="0.42"/> </geometry>
    </visual> </link>
  <joint name="j1" type="revolute"> <parent link="base"/> <child link="l1"/> <axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="100" velocity="3"/> </joint>
  <joint name="j2" type="revolute"> <parent link="l1"/> <child link="l2"/> <origin xyz="0.43 0 0"/> <axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="300" velocity="3"/> </joint>
  <joint name="j3" type="revolute"> <parent link="l2"/> <child link="l3"/> <origin xyz="0.43 0 0"/> <axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="100" velocity="3"/> </joint>
</robot>
"""


@pytest.mark.parametrize("text", [REPRODUCER, REPRODUCER.replace("visual", "collision")], ids=["visual", "collision"])
def test_a_digit_too_many_beside_links_of_7_kg(text: str, tmp_path: Path) -> None:
    """42.872 kg is named beside its neighbours, and the tenth is the first repair."""
    path = tmp_path / "arm.urdf"
    path.write_text(text)
    findings = doctor(path)
    finding = the(findings, "mass/neighbours", "l2")
    assert "42.872 kg beside" in finding.text
    assert finding.line == 8
    assert 'value="4.2872"' in mended(findings, finding)
    assert {one.link for one in findings.at_least("warning") if one.rule.startswith(("mass", "inertia"))} == {"l2"}
