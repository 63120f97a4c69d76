"""Each check of MJCF on a right file and on its wrong twin, which differs by one fault."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import mujoco
import numpy as np
import pytest

from doctor.mjcf_arms import RIGHT_MJCF, examined_mjcf, replaced_mjcf
from oracles.shell import Shell

MOMENTS = 'diaginertia="0.00427 0.0321 0.0321"'
DEGREES = RIGHT_MJCF.replace('angle="radian"', 'angle="degree"').replace('range="-2.5 2.6"', 'range="-143 149"')
FULL = RIGHT_MJCF.replace(MOMENTS, 'fullinertia="0.00427 0.0321 0.0321 0.0001 0.0002 0.0003"')


class Fault(NamedTuple):
    """A replacement in a part of the right arm, the rule that finds it, and a part of the mended text."""

    rule: str
    part: str
    old: str
    new: str
    severity: str = "warning"
    repaired: str = ""
    text: str = RIGHT_MJCF


FAULTS = [
    Fault("inertia/negative", "link_2", "0.00427 0.0321", "0.00427 -0.0321", "error", "0.00427 0.0321"),
    Fault("inertia/triangle", "link_2", "0.00427", "0.0921", "error"),
    Fault("inertia/size", "link_2", MOMENTS, 'diaginertia="4.27 32.1 32.1"', "error", MOMENTS),
    Fault("inertia/missing", "link_2", f" {MOMENTS}", "", "error"),
    Fault(
        "inertia/negative",
        "link_2",
        "0.00427 0.0321 0.0321 0.0001 0.0002 0.0003",
        "0.00427 0.0001 0.0002 0.0321 0.0003 0.0321",
        "error",
        "0.00427 0.0321 0.0321 0.0001 0.0002 0.0003",
        FULL,
    ),
    Fault("mass/missing", "link_2", ' mass="4"', "", "error"),
    Fault("mass/negative", "link_2", 'mass="4"', 'mass="-4"', "error", 'mass="4"'),
    Fault("mass/density", "link_2", 'mass="4"', 'mass="0.004"', "warning", 'mass="4"'),
    Fault("mass/centre", "link_2", 'pos="0.15 0 0" mass', 'pos="150 0 0" mass', "error", 'pos="0.15 0 0" mass'),
    Fault("mass/total", "", 'angle="radian"', 'angle="radian" settotalmass="5"'),
    Fault(
        "inertia/ignored",
        "",
        'angle="radian"',
        'angle="radian" inertiafromgeom="true"',
        "warning",
        'inertiafromgeom="auto"',
    ),
    Fault("inertia/changed", "", 'angle="radian"', 'angle="radian" boundmass="5"'),
    Fault("inertia/changed", "", 'angle="radian"', 'angle="radian" boundinertia="0.01"'),
    Fault("read/number", "link_2", 'mass="4"', 'mass="4,1"', "error", 'mass="4.1"'),
    Fault("read/number", "link_2", 'range="-2.5 2.6"', 'range="-2.5, 2.6"', "error"),
    Fault("read/number", "link_2", 'axis="0 1 0"', 'axis="0 1"', "error"),
    Fault("limit/swapped", "joint_2", 'range="-2.5 2.6"', 'range="2.6 -2.5"', "error", 'range="-2.5 2.6"'),
    Fault("limit/swapped", "motor_2", 'ctrlrange="-90 90"', 'ctrlrange="90 -90"', "error", 'ctrlrange="-90 90"'),
    Fault("limit/zero", "joint_2", 'range="-2.5 2.6"', 'range="1 1"', "error"),
    Fault("limit/degrees", "joint_2", 'range="-2.5 2.6"', 'range="-143 149"', "error", 'range="-2.49582083 2.60054058'),
    Fault("limit/radians", "joint_2", 'range="-143 149"', 'range="-2.5 2.6"', "warning", 'range="-143.23', DEGREES),
    Fault("limit/radians", "", 'angle="radian"', "", "error", '<compiler  angle="radian"/>'),
    Fault("limit/radians", "", '  <compiler angle="radian"/>\n', "", "error", '<compiler angle="radian"/>'),
    Fault("limit/ignored", "", 'angle="radian"', 'angle="radian" autolimits="false"', "error", 'limited="true"'),
    Fault("limit/ignored", "joint_2", 'range="-2.5 2.6"', 'range="-2.5 2.6" limited="false"', "note"),
    Fault("limit/turns", "joint_2", 'range="-2.5 2.6"', 'range="-9 9"', "note"),
    Fault("limit/effort-below-gravity", "joint_2", "-90 90", "-9 9"),
    Fault("axis/zero", "joint_2", 'axis="0 1 0"', 'axis="0 0 0"', "error"),
    Fault("axis/tilted", "joint_2", 'axis="0 1 0"', 'axis="0.001 1 0"', "note"),
    Fault("names/repeated", "", 'name="joint_2"', 'name="joint_1"', "error"),
    Fault("names/unknown", "motor_2", 'joint="joint_2"', 'joint="joint_22"', "error", 'joint="joint_2"'),
    Fault("names/unknown", "link_2", 'pos="0.3 0 0"', 'pos="0.3 0 0" childclass="boxes"', "error"),
    Fault("mesh/missing", "", "<worldbody>", '<asset><mesh file="a.stl"/></asset><worldbody>'),
    Fault("mesh/separators", "", "<worldbody>", '<asset><mesh file="a\\b.stl"/></asset><worldbody>', "warning", "a/b"),
    Fault("read/include", "", "<worldbody>", '<include file="none.xml"/><worldbody>', "error"),
]


@pytest.mark.parametrize("text", [RIGHT_MJCF, DEGREES, FULL], ids=["radian", "degree", "fullinertia"])
def test_nothing_is_found_in_right_arms(text: str, tmp_path: Path) -> None:
    findings = examined_mjcf(text, tmp_path)
    assert not findings, str(findings)
    assert findings.fixed() == text.encode()
    mujoco.MjModel.from_xml_string(text)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.rule}-{fault.new[:18]}")
def test_a_fault_is_found_and_its_repair_keeps_every_other_line(fault: Fault, tmp_path: Path) -> None:
    text = replaced_mjcf(fault.old, fault.new, fault.part, fault.text)
    findings = examined_mjcf(text, tmp_path)
    mine = [one for one in findings if one.rule == fault.rule]
    assert mine, str(findings)
    assert mine[0].severity == fault.severity, str(mine[0])
    if fault.part:
        begin = text[: text.index(f'name="{fault.part}"')].count("\n") + 1
        assert begin <= mine[0].line <= begin + 2, str(mine[0])
    assert text.splitlines()[mine[0].line - 1][mine[0].column - 1] == "<"
    if not fault.repaired:
        return
    mended = findings.source.patched(mine[0].repairs[0].edits).decode()
    assert fault.repaired in mended
    again = examined_mjcf(findings.fixed().decode(), tmp_path)
    assert not [one for one in again if one.rule == fault.rule and one.severity != "note"], str(again)
    old, new = (set(one.splitlines()) for one in (text, findings.fixed().decode()))
    assert len(old - new) <= 3
    assert mended.count("<!-- a solid box of 4 kg -->") == 3


def test_a_range_of_a_default_class_is_one_finding_with_one_repair(tmp_path: Path) -> None:
    right = RIGHT_MJCF.replace(' range="-2.5 2.6"', "").replace(
        "  <worldbody>", '  <default> <joint range="-2.5 2.6"/> </default>\n  <worldbody>'
    )
    assert not examined_mjcf(right, tmp_path)
    (finding,) = examined_mjcf(right.replace('range="-2.5 2.6"', 'range="-143 149"'), tmp_path).at_least("warning")
    assert finding.rule == "limit/degrees"
    assert finding.line == 3
    assert "2 more of its class" in finding.element


def test_masses_of_geoms(tmp_path: Path) -> None:
    begin = RIGHT_MJCF.index("      <inertial", RIGHT_MJCF.index('"link_2"'))
    end = RIGHT_MJCF.index("\n", begin) + 1
    from_geoms = RIGHT_MJCF[:begin] + RIGHT_MJCF[end:]
    assert not examined_mjcf(from_geoms, tmp_path).at_least("warning")
    light = replaced_mjcf('type="box"', 'type="box" density="1"', text=from_geoms)
    (finding,) = examined_mjcf(light, tmp_path).at_least("warning")
    assert finding.rule == "mass/density"
    assert 'density="1000"' in examined_mjcf(light, tmp_path).fixed().decode()
    negative = replaced_mjcf('type="box"', 'type="box" mass="-2"', text=from_geoms)
    assert "mass/negative" in {one.rule for one in examined_mjcf(negative, tmp_path).at_least("error")}
    assert 'mass="2"' in examined_mjcf(negative, tmp_path).fixed().decode()


def test_moments_beside_an_orientation_become_principal_moments_and_axes(tmp_path: Path) -> None:
    """MuJoCo refuses fullinertia beside quat; the repaired tensor is that of the file before the slip."""
    right = RIGHT_MJCF.replace(MOMENTS, 'quat="0.8 0.6 0 0" diaginertia="0.00427 0.0281 0.0301"')
    findings = examined_mjcf(right, tmp_path)
    body = _body_of(right, tmp_path)
    A = body.frame[:3, :3]
    wanted = np.array([[0.01, 0.001, 0.0], [0.001, 0.03, 0.002], [0.0, 0.002, 0.028]])
    inner = A.T @ wanted @ A
    edits = body.edits(body.mass, body.com, inner[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]])
    mended = findings.source.patched(edits).decode()
    model = mujoco.MjModel.from_xml_string(mended)
    R = np.empty(9)
    mujoco.mju_quat2Mat(R, model.body("link_2").iquat)
    R = R.reshape(3, 3)
    assert np.allclose(R @ np.diag(model.body("link_2").inertia) @ R.T, wanted, atol=1e-9)


def test_products_without_an_orientation_become_fullinertia(tmp_path: Path) -> None:
    body = _body_of(RIGHT_MJCF, tmp_path)
    edits = body.edits(4.0, body.com, np.array([0.01, 0.001, 0.0, 0.03, 0.002, 0.028]))
    mended = examined_mjcf(RIGHT_MJCF, tmp_path).source.patched(edits).decode()
    assert 'fullinertia="0.01 0.03 0.028 0.001 0 0.002"' in mended
    mujoco.MjModel.from_xml_string(mended)


def _body_of(text: str, folder: Path):
    from armdyn.doctor.examine import subject_of
    from armdyn.doctor.source import SourceDocument

    return subject_of(SourceDocument.parse("arm.xml", text.encode()), folder).bodies["link_2"]


def test_a_fault_in_an_included_file_has_its_name_and_is_mended_there(
    tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, end = RIGHT_MJCF.index("  <worldbody>"), RIGHT_MJCF.index("  <actuator>")
    inner = f"<mujocoinclude>\n{RIGHT_MJCF[begin:end]}</mujocoinclude>\n"
    outer = f'{RIGHT_MJCF[:begin]}  <include file="bodies.xml"/>\n{RIGHT_MJCF[end:]}'
    wrong = inner.replace('mass="4"', 'mass="-4"', 1)
    (tmp_path / "bodies.xml").write_text(wrong)
    (finding,) = examined_mjcf(outer, tmp_path).at_least("warning")
    assert (finding.file, finding.line, finding.rule) == ("bodies.xml", 4, "mass/negative")
    (result,) = examined_mjcf(outer, tmp_path).to_sarif()["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "bodies.xml"
    assert result["fixes"][0]["artifactChanges"][0]["artifactLocation"]["uri"] == "bodies.xml"
    monkeypatch.chdir(tmp_path)
    said = shell("doctor", "arm.xml", "--fix", "mended.xml", columns=200)
    assert "bodies.xml are not written" in said.out
    assert Path("mended.xml").read_text() == outer
    assert Path("bodies.xml").read_text() == wrong
    shell("doctor", "arm.xml", "--in-place")
    assert Path("bodies.xml").read_text() == inner
    assert Path("arm.xml").read_text() == outer
