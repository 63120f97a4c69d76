"""Descriptions that are hardly readable, repairs that contradict each other, files that change meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from armdyn.base.errors import ArmdynError, ModelError
from armdyn.cli import doctor as command
from armdyn.doctor import doctor
from doctor.arms import BOX, JOINT, RIGHT, examined, replaced
from doctor.mjcf_arms import examined_mjcf, replaced_mjcf
from oracles.shell import Shell


@pytest.mark.parametrize(
    ("text", "excerpt"),
    [
        ("", "arm.urdf"),
        ("robot", "arm.urdf"),
        (RIGHT[: len(RIGHT) // 2], "arm.urdf"),
        ('<!DOCTYPE r [<!ENTITY a "b">]><robot name="r"/>', "arm.urdf"),
        (RIGHT.partition("\n")[2].encode("utf-16"), r"arm\.urdf is in UTF-16; .* Save it as UTF-8\.$"),
    ],
)
def test_what_is_not_xml_is_refused_by_name(text: str | bytes, excerpt: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=excerpt):
        examined(text, tmp_path)


def test_a_page_of_the_web_is_not_a_robot(tmp_path: Path) -> None:
    findings = examined("<html><body/></html>", tmp_path)
    assert findings.count("error") == 1
    assert "robot" in findings[0].text


@pytest.mark.parametrize(
    "text",
    [
        '<robot name="r"/>',
        '<robot name="r"><link/><joint/></robot>',
        '<robot name="r"><link name="a"><inertial/></link></robot>',
        '<robot name="r"><link name="a"><inertial><mass/><inertia/><origin/></inertial></link></robot>',
        '<robot name="r"><link name="a"><visual><geometry><box/></geometry></visual><visual/></link></robot>',
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/>'
        '<child link="b"/><limit lower="x" upper="nan" effort="" velocity="1e999"/><axis xyz="1 2"/></joint></robot>',
    ],
)
def test_parts_that_are_missing_are_findings(text: str, tmp_path: Path) -> None:
    findings = examined(text, tmp_path)
    assert findings.count("error")
    assert str(findings)


def test_a_ring_of_links_ends(tmp_path: Path) -> None:
    text = RIGHT.replace('<parent link="base"/>', '<parent link="link_3"/>')
    findings = examined(text, tmp_path)
    assert findings.count("error")


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e400", "", "0x10", "1_0"])
def test_numbers_that_are_not_finite_are_named(number: str, tmp_path: Path) -> None:
    for old in ('value="4"', 'ixx="0.00427"', 'xyz="0.15 0 0" rpy'):
        findings = examined(replaced(old, f'{old.partition("=")[0]}="{number}"' + " rpy" * ("rpy" in old)), tmp_path)
        assert any(one.rule in ("read/number", "read/refused") for one in findings), f"{old}: {findings}"


def test_many_findings_are_grouped(tmp_path: Path) -> None:
    wrong = BOX.replace('iyy="0.0321"', 'iyy="-0.0321"')
    number = 100
    text = '<robot name="r">\n<link name="base"/>\n'
    text += "".join(wrong.format(name=f"link_{k}") for k in range(number))
    text += "".join(JOINT.format(name=f"joint_{k}", parent="base", child=f"link_{k}", x=0.3) for k in range(number))
    findings = examined(f"{text}</robot>", tmp_path)
    assert sum(one.rule == "inertia/negative" for one in findings) == number
    shown = str(findings)
    assert f"{number - 20} more of inertia/negative" in shown
    assert len(shown.splitlines()) < 200


def test_repairs_that_contradict_each_other_are_not_both_made(tmp_path: Path) -> None:
    """Limits that are both swapped and in degrees: one repair is made, the next run makes the other."""
    text = replaced('lower="-2.5" upper="2.6"', 'lower="149" upper="-143"', "joint_2")
    findings = examined(text, tmp_path)
    both = [edit for one in findings for repair in one.repairs for edit in repair.edits]
    again = examined(findings.fixed().decode(), tmp_path)
    last = examined(again.fixed().decode(), tmp_path)
    assert not last.at_least("warning"), str(last)
    if len(both) > 2:
        with pytest.raises(ModelError, match="two repairs change the same text"):
            findings.source.patched(both)


def test_overlapping_edits_are_refused_by_line(tmp_path: Path) -> None:
    findings = examined(replaced('iyy="0.0321"', 'iyy="-0.0321"'), tmp_path)
    (edit, *_) = findings[0].repairs[0].edits
    with pytest.raises(ModelError, match=r"arm\.urdf:16 two repairs"):
        findings.source.patched([edit, edit._replace(text="7")])


@pytest.mark.skipif(os.name == "nt", reason="modes of files are those of POSIX")
def test_a_target_that_cannot_be_written_is_named(tmp_path: Path, shell: Shell) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(replaced('iyy="0.0321"', 'iyy="-0.0321"'))
    said = shell("doctor", str(path), "--fix", str(tmp_path), columns=200)
    assert said.code == 2
    assert tmp_path.name in said.err


def test_a_file_that_changed_meanwhile_is_left_alone(
    tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(replaced('iyy="0.0321"', 'iyy="-0.0321"'))

    def changing(file: Path, **options: bool | None) -> object:
        findings = doctor(file, **options)
        path.write_text(RIGHT)
        return findings

    monkeypatch.setattr(command, "examine", changing)
    said = shell("doctor", str(path), "--in-place", columns=200)
    assert said.code == 2
    assert "has changed since it was read" in said.err
    assert path.read_text() == RIGHT


def test_windows_lines_a_mark_of_order_and_single_quotes_stay(tmp_path: Path) -> None:
    wrong = replaced('iyy="0.0321"', "iyy='-0.0321'").replace("\n", "\r\n")
    path = tmp_path / "arm.urdf"
    path.write_bytes(b"\xef\xbb\xbf" + wrong.encode())
    findings = doctor(path)
    assert findings.fixed() == b"\xef\xbb\xbf" + wrong.replace("'-0.0321'", "'0.0321'").encode()


def test_a_folder_and_a_missing_file_are_named(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.urdf"):
        with pytest.raises((ArmdynError, OSError), match=path.name):
            doctor(path)


@pytest.mark.parametrize(
    ("old", "new", "excerpt"),
    [
        (
            '<mass value="4"/>',
            '<mass value="5e-324"/>',
            "a density of no material: 4.941e-324 kg in 1.92 l",
        ),
        ('<mass value="4"/>', '<mass value="1.7e308"/>', "mass or inertia is as large as 1.7e+308"),
        ('<origin xyz="0.15 0 0"', '<origin xyz="1e200 0 0"', "1e+200 m; expected a length of at most 1e+50 m"),
        ('iyy="0.0321"', 'iyy="1.7e308"', "mass or inertia is as large as 1.7e+308"),
    ],
    ids=["smallest mass", "largest mass", "centre", "moment"],
)
def test_numbers_that_over_and_underflow_are_findings(old: str, new: str, excerpt: str, tmp_path: Path) -> None:
    assert excerpt in str(examined(replaced(old, new), tmp_path)[0])


def test_a_long_axis_is_three_numbers(tmp_path: Path) -> None:
    findings = examined(replaced('<axis xyz="0 1 0"/>', '<axis xyz="0 1e200 0"/>', "joint_2"), tmp_path)
    assert [finding.rule for finding in findings] == ["axis/length"]


@pytest.mark.parametrize("size", ["1e-60", "1e200"])
def test_shapes_of_no_size_leave_the_other_findings(size: str, tmp_path: Path) -> None:
    text = replaced('<box size="0.3', f'<box size="{size}').replace('<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>')
    assert "axis/zero" in {finding.rule for finding in examined(text, tmp_path)}


def test_a_geom_without_a_size_leaves_the_other_findings(tmp_path: Path) -> None:
    geom = '<geom type="capsule" fromto="0 0 0 0.3 0 0" size=""/>'
    text = replaced_mjcf('<geom type="box" pos="0.15 0 0" size="0.15 0.04 0.04"/>', geom)
    assert "axis/zero" in {one.rule for one in examined_mjcf(text.replace('axis="0 1 0"', 'axis="0 0 0"'), tmp_path)}
