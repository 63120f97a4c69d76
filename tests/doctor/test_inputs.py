"""A robot, a text, several files and patterns; files that cannot be read among them; MJCF that is hardly readable."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

import armdyn
from armdyn.base.errors import ArmdynError, ModelError
from armdyn.cli import doctor as command
from armdyn.doctor import Findings, doctor
from armdyn.doctor.checks.efforts import MOST_JOINTS
from doctor.arms import BOX, JOINT, RIGHT, replaced
from doctor.mjcf_arms import RIGHT_MJCF, examined_mjcf, replaced_mjcf
from oracles.shell import Shell

SWAPPED = replaced('lower="-2.5" upper="2.6"', 'lower="2.6" upper="-2.5"', "joint_2")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (
        ("right.urdf", RIGHT),
        ("swapped.urdf", SWAPPED),
        ("half.urdf", RIGHT[: len(RIGHT) // 2]),
        ("arm.xml", replaced_mjcf('range="-2.5 2.6"', 'range="2.6 -2.5"', "joint_2")),
    ):
        Path(name).write_text(text)
    return tmp_path


def test_a_text_has_the_findings_of_its_file() -> None:
    for text in (SWAPPED, replaced_mjcf('range="-2.5 2.6"', 'range="2.6 -2.5"', "joint_2")):
        (finding,) = doctor(text).at_least("warning")
        assert finding.rule == "limit/swapped"
        assert finding.file == "text"
        assert '"2.6 -2.5"' in text.splitlines()[finding.line - 1] or "2.6" in text.splitlines()[finding.line - 1]


def test_a_robot_has_the_findings_of_its_urdf() -> None:
    robot = armdyn.load(replaced('iyy="0.0321" iyz="0" izz="0.0321"', 'iyy="32.1" iyz="0" izz="32.1"'))
    findings = doctor(robot)
    (finding,) = findings.at_least("warning")
    assert (finding.rule, finding.link) == ("inertia/size", "link_2")
    assert robot.to_urdf().splitlines()[finding.line - 1].strip().startswith("<inertial")
    mended = armdyn.load(findings.fixed().decode())
    assert not doctor(mended).at_least("warning")
    assert not doctor(armdyn.load(RIGHT)).at_least("warning")


def test_another_kind_of_value_is_refused() -> None:
    with pytest.raises(ModelError, match=r"expected the path of a description, its text or a Robot, got 3"):
        doctor(3)  # type: ignore[arg-type]


def test_too_many_joints_for_the_worst_pose_are_noted() -> None:
    number = MOST_JOINTS + 1
    text = '<robot name="r">\n<link name="base"/>\n' + "".join(BOX.format(name=f"l_{k}") for k in range(number))
    text += "".join(JOINT.format(name=f"j_{k}", parent="base", child=f"l_{k}", x=0.3) for k in range(number))
    assert "limit/effort-unchecked" not in {
        one.rule for one in doctor(f"{text}</robot>")
    }  # 90 N m are above all bounds
    weak = text.replace('effort="90"', 'effort="5"', 2)
    (finding,) = (one for one in doctor(f"{weak}</robot>") if one.rule == "limit/effort-unchecked")
    assert finding.severity == "note"
    assert f"2 of {number} joints" in finding.text


def test_patterns_and_files_that_cannot_be_read(folder: Path, shell: Shell) -> None:
    said = shell("doctor", "*.urdf", "arm.xml", "--json", columns=200)
    assert said.code == 2
    assert "half.urdf" in said.err
    files = {one["file"]: one for one in json.loads(said.out)["files"]}
    assert files.keys() == {"right.urdf", "swapped.urdf", "half.urdf", "arm.xml"}
    assert "error" in files["half.urdf"]
    assert [one["rule"] for one in files["arm.xml"]["findings"]] == ["limit/swapped"]
    assert shell("doctor", "none_*.urdf").code == 2


def test_a_read_only_target_is_left_alone(folder: Path, shell: Shell) -> None:
    path = Path("arm.xml")
    before = path.read_text()
    path.chmod(stat.S_IRUSR)
    said = shell("doctor", "arm.xml", "--in-place", columns=200)
    assert said.code == 2
    assert "arm.xml is read-only" in said.err
    assert path.read_text() == before


def test_an_included_file_that_changed_meanwhile_is_left_alone(
    tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    begin, end = RIGHT_MJCF.index("  <worldbody>"), RIGHT_MJCF.index("  <actuator>")
    Path("arm.xml").write_text(f'{RIGHT_MJCF[:begin]}<include file="in.xml"/>\n{RIGHT_MJCF[end:]}')
    wrong = RIGHT_MJCF[begin:end].replace('mass="4"', 'mass="-4"', 1)
    Path("in.xml").write_text(f"<mujocoinclude>{wrong}</mujocoinclude>")

    def changing(file: Path, **options: object) -> object:
        findings = doctor(file, **options)  # type: ignore[arg-type]
        Path("in.xml").write_text("<mujocoinclude/>")
        return findings

    monkeypatch.setattr(command, "examine", changing)
    said = shell("doctor", "arm.xml", "--in-place", columns=200)
    assert said.code == 2
    assert "in.xml has changed since it was read" in said.err
    assert Path("in.xml").read_text() == "<mujocoinclude/>"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<mujoco",
        RIGHT_MJCF[: len(RIGHT_MJCF) // 2],
        "<mujoco/>",
        "<mujoco><worldbody/></mujoco>",
        "<mujoco><worldbody><body><inertial/><joint/><geom/></body></worldbody></mujoco>",
        '<mujoco><worldbody><body><joint range="a b" axis="1"/><geom size=""/></body></worldbody></mujoco>',
        '<mujoco><compiler angle="turns" eulerseq="abc"/><worldbody><body euler="1 2 3"/></worldbody></mujoco>',
        '<mujoco><worldbody><body quat="0 0 0 0"><geom fromto="0 0 0 0 0 0" size="1" type="capsule"/></body>'
        "</worldbody></mujoco>",
        '<mujoco><include file="arm.xml"/><include/></mujoco>',
        '<mujoco><default class="a"><default class="a"/></default><worldbody/></mujoco>',
        '<mujoco><compiler settotalmass="-1" boundmass="x" inertiagrouprange="0"/><worldbody/></mujoco>',
        "<mujocoinclude><worldbody/></mujocoinclude>",
    ],
)
def test_mjcf_that_is_hardly_readable_is_named(text: str, tmp_path: Path) -> None:
    findings = _or_refused(text, tmp_path)
    if isinstance(findings, str):
        assert "arm.xml" in findings
        return
    assert all(one.file == "arm.xml" and one.line >= 1 for one in findings)
    assert findings, "an empty description is no arm"
    assert "arm.xml" in str(findings)
    assert findings.fixed()


def _or_refused(text: str, folder: Path) -> Findings | str:
    """The findings of a description, or the reason for which it is refused."""
    try:
        return examined_mjcf(text, folder)
    except ArmdynError as error:
        return str(error)


def test_many_findings_of_mjcf_are_grouped(tmp_path: Path) -> None:
    number = 300
    bodies = "".join(
        f'<body name="b_{k}"><joint axis="0 0 0"/><inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/></body>\n'
        for k in range(number)
    )
    findings = examined_mjcf(f"<mujoco><worldbody>\n{bodies}</worldbody></mujoco>", tmp_path)
    assert sum(one.rule == "mass/negative" for one in findings) == number
    shown = str(findings)
    assert f"{number - 20} more of mass/negative" in shown
    assert len(shown.splitlines()) < 300


def test_repairs_of_mjcf_that_contradict_each_other_are_not_both_made(tmp_path: Path) -> None:
    """A range that is both swapped and in degrees: one repair is made, the next run makes the other."""
    text = replaced_mjcf('range="-2.5 2.6"', 'range="149 -143"', "joint_2")
    findings = examined_mjcf(text, tmp_path)
    both = [edit for one in findings for repair in one.repairs for edit in repair.edits]
    assert len(both) == 2
    with pytest.raises(ModelError, match="two repairs change the same text"):
        findings.source.patched(both)
    again = examined_mjcf(findings.fixed().decode(), tmp_path)
    last = examined_mjcf(again.fixed().decode(), tmp_path)
    assert not last.at_least("warning"), str(last)
