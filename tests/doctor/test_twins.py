"""Each check on a right file and on its wrong twin, which differs by one fault."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from doctor.arms import RIGHT, examined, line_of, replaced

INERTIA = 'ixx="0.00427" ixy="0" ixz="0" iyy="0.0321" iyz="0" izz="0.0321"'


class Fault(NamedTuple):
    """A replacement in a part of the right arm, the rule that finds it, and the numbers of the repair."""

    rule: str
    part: str
    old: str
    new: str
    severity: str = "warning"
    repaired: str = ""


FAULTS = [
    Fault("inertia/negative", "link_2", 'iyy="0.0321"', 'iyy="-0.0321"', "error", 'iyy="0.0321"'),
    Fault("inertia/triangle", "link_2", 'ixx="0.00427"', 'ixx="0.0921"', "error"),
    Fault("mass/density", "link_2", 'value="4"', 'value="0.004"', "warning", 'value="4"'),
    Fault("inertia/size", "link_2", 'iyy="0.0321" iyz="0" izz="0.0321"', 'iyy="32.1" iyz="0" izz="32.1"', "error"),
    Fault("inertia/missing", "link_2", f"<inertia {INERTIA}/>", ""),
    Fault("mass/missing", "link_2", '<mass value="4"/>', "", "error"),
    Fault("mass/negative", "link_2", 'value="4"', 'value="-4"', "error", 'value="4"'),
    Fault("mass/zero", "link_3", f'<mass value="4"/>\n      <inertia {INERTIA}/>', '<mass value="0"/>'),
    Fault("mass/density", "link_2", 'size="0.3 0.08 0.08"', 'size="0.3 0.008 0.008"'),
    Fault("mass/centre", "link_2", 'xyz="0.15 0 0" rpy', 'xyz="150 0 0" rpy', "error", 'xyz="0.15 0 0" rpy'),
    Fault("read/number", "link_2", 'iyy="0.0321"', 'iyy="0,0321"', "error", 'iyy="0.0321"'),
    Fault("read/number", "link_2", 'value="4"', 'value="four"', "error"),
    Fault("limit/missing", "joint_2", '<limit lower="-2.5" upper="2.6" effort="90" velocity="3"/>', "", "error"),
    Fault(
        "limit/swapped", "joint_2", 'lower="-2.5" upper="2.6"', 'lower="2.6" upper="-2.5"', "error", 'lower="-2.5" u'
    ),
    Fault("limit/zero", "joint_2", 'lower="-2.5" upper="2.6"', 'lower="0" upper="0"'),
    Fault("limit/zero", "joint_2", 'lower="-2.5" upper="2.6" ', ""),
    Fault("limit/degrees", "joint_2", 'lower="-2.5" upper="2.6"', 'lower="-143" upper="149"', "error", 'lower="-2.495'),
    Fault("limit/degrees", "joint_2", 'velocity="3"', 'velocity="172"', "warning", 'velocity="3.00'),
    Fault("limit/velocity", "joint_2", 'velocity="3"', 'velocity="0"'),
    Fault("limit/velocity", "joint_2", ' velocity="3"', ""),
    Fault("limit/velocity", "joint_2", 'velocity="3"', 'velocity="-3"', "error"),
    Fault("limit/effort", "joint_2", 'effort="90"', 'effort="0"'),
    Fault("limit/effort-below-gravity", "joint_2", 'effort="90"', 'effort="9"'),
    Fault("axis/zero", "joint_2", '<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>', "error"),
    Fault("axis/length", "joint_2", '<axis xyz="0 1 0"/>', '<axis xyz="0 2 0"/>', "warning", '<axis xyz="0 1 0"/>'),
    Fault("axis/tilted", "joint_2", '<axis xyz="0 1 0"/>', '<axis xyz="0.001 0.9999995 0"/>', "note"),
    Fault("names/unknown", "joint_2", 'parent link="link_1"', 'parent link="link_4"', "error"),
    Fault("names/repeated", "joint_2", 'name="joint_2"', 'name="joint_1"', "error"),
    Fault("tree/two-parents", "joint_3", 'child link="link_3"', 'child link="link_2"', "error"),
]


def test_nothing_is_found_in_the_right_arm(tmp_path: Path) -> None:
    findings = examined(RIGHT, tmp_path)
    assert not findings, str(findings)
    assert findings.fixed() == RIGHT.encode()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.rule}-{fault.new[:18]}")
def test_a_fault_is_found_at_its_line(fault: Fault, tmp_path: Path) -> None:
    text = replaced(fault.old, fault.new, fault.part)
    findings = examined(text, tmp_path)
    mine = [one for one in findings if one.rule == fault.rule]
    assert mine, str(findings)
    part = "joint_1" if fault.new == 'name="joint_1"' else fault.part
    lines = line_of(text, part) if part == fault.part else range(len(text.splitlines()))
    assert mine[0].line in lines
    assert mine[0].severity == fault.severity, str(mine[0])
    assert mine[0].column >= 3
    assert any(character.isdigit() for character in mine[0].text) or not mine[0].repairs
    if fault.repaired:
        assert mine[0].repairs, str(findings)
        assert fault.repaired in findings.source.patched(mine[0].repairs[0].edits).decode()


@pytest.mark.parametrize("fault", [one for one in FAULTS if one.repaired], ids=lambda fault: f"{fault.rule}")
def test_a_repair_keeps_every_other_byte(fault: Fault, tmp_path: Path) -> None:
    text = replaced(fault.old, fault.new, fault.part)
    findings = examined(text, tmp_path)
    old, new = text.encode().split(b"\n"), findings.fixed().split(b"\n")
    assert len(old) == len(new)
    changed = [k + 1 for k, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    assert changed
    assert set(changed) <= set(line_of(text, fault.part)), f"{changed}"
    assert b"<!-- a solid box of 4 kg -->" in findings.fixed()
    again = examined(findings.fixed().decode(), tmp_path)
    assert not [one for one in again if one.rule == fault.rule and one.severity != "note"], str(again)


def test_a_mesh_that_is_missing_and_one_with_backslashes(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "arm.stl").write_bytes(b"")
    right = replaced('<box size="0.3 0.08 0.08"/>', '<mesh filename="meshes/arm.stl"/>')
    assert {one.rule for one in examined(right, tmp_path) if "mesh/" in one.rule} == {"mesh/unread"}
    slipped = right.replace("meshes/arm.stl", "meshes\\arm.stl")
    (finding,) = (one for one in examined(slipped, tmp_path).at_least("warning") if one.rule.startswith("mesh/"))
    assert finding.rule == "mesh/separators"
    assert examined(slipped, tmp_path).fixed().decode() == right
    (finding,) = (one for one in examined(right.replace("arm.stl", "leg.stl"), tmp_path) if "mesh/" in one.rule)
    assert finding.rule == "mesh/missing"
    assert finding.line in line_of(right, "link_2")


def test_placeholders_are_named_once(tmp_path: Path) -> None:
    text = RIGHT
    for k, size in (("1", "0.3 0.09 0.08"), ("2", "0.32 0.08 0.08"), ("3", "0.3 0.08 0.1")):
        text = replaced('size="0.3 0.08 0.08"', f'size="{size}"', f"link_{k}", text)
    (finding,) = (one for one in examined(text, tmp_path) if one.rule == "inertia/placeholder")
    assert "3 links" in finding.text


def test_twins_of_a_left_and_a_right_side(tmp_path: Path) -> None:
    text = RIGHT.replace("link_1", "left_arm").replace("link_3", "right_arm")
    assert not examined(text, tmp_path)
    heavier = replaced('value="4"', 'value="5"', "left_arm", text)
    assert "mass/twin" in {one.rule for one in examined(heavier, tmp_path)}
    longer = replaced('iyy="0.0321" iyz="0" izz="0.0321"', 'iyy="0.042" iyz="0" izz="0.042"', "left_arm", text)
    assert "inertia/twin" in {one.rule for one in examined(longer, tmp_path)}
