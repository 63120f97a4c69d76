"""Findings of xacro files at their lines, mended there if a number stands there as a number."""

from __future__ import annotations

from pathlib import Path

import pytest

from armdyn.base.errors import ArmdynError, ModelError
from armdyn.doctor import doctor
from doctor.arms import RIGHT, replaced
from oracles.shell import Shell

XMLNS = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
LITERAL = RIGHT.replace('<robot name="right">', f'<robot name="right" {XMLNS}>\n  <xacro:arg name="mass" default="4"/>')
LINK = RIGHT[RIGHT.index('  <link name="link_1">') : RIGHT.index('  <link name="link_2">')]
INNER = LINK.replace('name="link_1"', 'name="link_${k}"').replace('mass value="4"', 'mass value="${mass}"')
MACROS = f"""<robot {XMLNS}>
<xacro:macro name="box" params="k mass">
{INNER}</xacro:macro>
</robot>
"""
BY_MACRO = RIGHT.replace(
    RIGHT[RIGHT.index('  <link name="link_1">') : RIGHT.index("  <joint")],
    '<xacro:include filename="macros.xacro"/>\n' + "".join(f'<xacro:box k="{k}" mass="4"/>\n' for k in (1, 2, 3)),
).replace('<robot name="right">', f'<robot name="right" {XMLNS}>')


def written(folder: Path, text: str, macros: str = MACROS) -> Path:
    """A xacro file, and the macros beside it."""
    (folder / "macros.xacro").write_text(macros)
    path = folder / "arm.urdf.xacro"
    path.write_text(text)
    return path


@pytest.mark.parametrize("text", [LITERAL, BY_MACRO], ids=["literal", "macros"])
def test_nothing_is_found_in_right_arms(text: str, tmp_path: Path) -> None:
    findings = doctor(written(tmp_path, text), xacro_args={})
    assert not findings, str(findings)
    assert findings.fixed() == text.encode()


def test_a_number_is_mended_where_it_stands(tmp_path: Path) -> None:
    text = replaced('lower="-2.5" upper="2.6"', 'lower="2.6" upper="-2.5"', "joint_2", LITERAL)
    findings = doctor(written(tmp_path, text), xacro_args={})
    (finding,) = findings.at_least("warning")
    assert (finding.rule, finding.file) == ("limit/swapped", "arm.urdf.xacro")
    assert text.splitlines()[finding.line - 1][finding.column - 1 :].startswith("<limit")
    assert "of the generated URDF" in finding.element
    assert findings.fixed() == LITERAL.encode()


def test_a_number_of_an_expression_is_mended_by_hand(tmp_path: Path) -> None:
    text = replaced('<mass value="4"/>', '<mass value="$(arg mass)"/>', "link_2", LITERAL)
    assert not doctor(written(tmp_path, text), xacro_args={})
    findings = doctor(written(tmp_path, text), xacro_args={"mass": -4})
    (finding,) = findings.at_least("warning")
    assert finding.rule == "mass/negative"
    assert text.splitlines()[finding.line - 1][finding.column - 1 :].startswith("<inertial")
    assert "in the xacro source, by hand" in finding.repairs[0].title
    assert not finding.repairs[0].edits
    assert findings.fixed() == text.encode()


def test_a_macro_in_an_included_file_is_named(tmp_path: Path) -> None:
    macros = MACROS.replace('iyy="0.0321"', 'iyy="-0.0321"')
    findings = doctor(written(tmp_path, BY_MACRO, macros), xacro_args={})
    wrong = [one for one in findings if one.rule == "inertia/negative"]
    assert len(wrong) == 3
    assert {one.file for one in wrong} == {"macros.xacro"}
    assert {one.line for one in wrong} == {macros[: macros.index("<inertial>")].count("\n") + 1}
    assert all("a macro with other uses" in one.repairs[0].title for one in wrong)
    assert not findings.edits
    assert findings.to_sarif()["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"] == {
        "uri": "macros.xacro"
    }


def test_a_xacro_file_is_not_expanded_unasked(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"arm\.urdf\.xacro is a xacro file.*xacro_args=\{\}"):
        doctor(written(tmp_path, LITERAL))


@pytest.mark.parametrize(
    "text", ["", LITERAL[: len(LITERAL) // 2], LITERAL.replace('value="4"', 'value="${missing}"', 1), "<html/>"]
)
def test_files_that_xacro_refuses_are_named(text: str, tmp_path: Path) -> None:
    assert "arm.urdf.xacro" in _said(written(tmp_path, text))


def _said(path: Path) -> str:
    """The findings, of which one is an error, or the reason for which the file is refused."""
    try:
        findings = doctor(path, xacro_args={})
    except ArmdynError as error:
        return str(error)
    assert findings.count("error") == 1
    return str(findings)


def test_in_place_and_arguments_in_a_shell(tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = replaced('lower="-2.5" upper="2.6"', 'lower="2.6" upper="-2.5"', "joint_2", LITERAL)
    written(tmp_path, text)
    assert shell("doctor", "arm.urdf.xacro", columns=200).code == 2
    said = shell("doctor", "arm.urdf.xacro", "--xacro-arg", "mass=4", "--in-place", columns=200)
    assert said.code == 1
    assert "wrote arm.urdf.xacro" in said.out
    assert Path("arm.urdf.xacro").read_text() == LITERAL
    assert shell("doctor", "arm.urdf.xacro", "--xacro").code == 0
