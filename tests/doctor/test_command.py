"""``armdyn doctor`` as a shell runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doctor.arms import RIGHT, replaced
from oracles.shell import Shell

SWAPPED = replaced('lower="-2.5" upper="2.6"', 'lower="2.6" upper="-2.5"', "joint_2")
SLOW = replaced('velocity="3"', 'velocity="0"', "joint_2")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("right.urdf", RIGHT), ("swapped.urdf", SWAPPED), ("slow.urdf", SLOW)):
        Path(name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("right.urdf", 0),
        ("swapped.urdf", 1),
        ("slow.urdf", 0),
        ("slow.urdf --fail-on warning", 1),
        ("right.urdf --fail-on note", 0),
        ("swapped.urdf --fail-on never", 0),
        ("right.urdf slow.urdf swapped.urdf", 1),
    ],
)
def test_the_exit_code_is_that_of_the_worst_finding(words: str, code: int, folder: Path, shell: Shell) -> None:
    assert shell("doctor", *words.split()).code == code


def test_a_table_with_line_evidence_and_repair(folder: Path, shell: Shell) -> None:
    said = shell("doctor", "swapped.urdf", columns=160)
    assert "limit/swapped" in said.out
    assert "lower limit 2.6 is above upper limit -2.5" in said.out
    assert "swap lower and upper" in said.out
    assert "swapped.urdf: 1 error" in said.out


def test_fix_writes_another_file_and_leaves_the_first(folder: Path, shell: Shell) -> None:
    said = shell("doctor", "swapped.urdf", "--fix", "mended.urdf")
    assert said.code == 1
    assert Path("swapped.urdf").read_text() == SWAPPED
    assert Path("mended.urdf").read_text() == RIGHT
    assert shell("doctor", "mended.urdf").code == 0


def test_in_place_writes_over_each_file_with_a_repair_alone(folder: Path, shell: Shell) -> None:
    before = Path("right.urdf").stat().st_mtime_ns
    shell("doctor", "swapped.urdf", "right.urdf", "--in-place")
    assert Path("swapped.urdf").read_text() == RIGHT
    assert Path("right.urdf").stat().st_mtime_ns == before


def test_a_diff_shows_the_changed_lines_alone(folder: Path, shell: Shell) -> None:
    said = shell("doctor", "swapped.urdf", "--diff", columns=160)
    changed = [line.strip() for line in said.out.splitlines() if line.startswith(("+ ", "- "))]
    assert changed == [
        '-    <limit lower="2.6" upper="-2.5" effort="90" velocity="3"/>',
        '+    <limit lower="-2.5" upper="2.6" effort="90" velocity="3"/>',
    ]
    assert Path("swapped.urdf").read_text() == SWAPPED


def test_json_has_every_finding_of_every_file(folder: Path, shell: Shell) -> None:
    said = shell("doctor", "swapped.urdf", "slow.urdf", "--json")
    files = json.loads(said.out)["files"]
    assert [one["file"] for one in files] == ["swapped.urdf", "slow.urdf"]
    (finding,) = files[0]["findings"]
    assert finding["rule"] == "limit/swapped"
    assert SWAPPED.splitlines()[finding["line"] - 1][finding["column"] - 1 :].startswith("<limit")
    assert finding["repairs"][0]["title"] == "swap lower and upper"


def test_sarif_has_places_and_fixes_of_both_files(folder: Path, shell: Shell) -> None:
    shell("doctor", "swapped.urdf", "slow.urdf", "--sarif", "out.sarif")
    (run,) = json.loads(Path("out.sarif").read_text())["runs"]
    assert [one["ruleId"] for one in run["results"]] == ["limit/swapped", "limit/velocity"]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "swapped.urdf"
    first = run["results"][0]["fixes"][0]["artifactChanges"][0]["replacements"][0]
    region = first["deletedRegion"]
    line = SWAPPED.splitlines()[region["startLine"] - 1]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == "2.6"
    assert first["insertedContent"]["text"] == "-2.5"


@pytest.mark.parametrize(
    ("words", "excerpt"),
    [
        ("right.urdf --fail-on bad", "bad"),
        ("right.urdf slow.urdf --fix out.urdf", "--in-place"),
        ("right.urdf --fix right.urdf", "--in-place writes over it"),
        ("right.urdf --fix slow.urdf/out.urdf", "slow.urdf"),
        ("missing.urdf", "missing.urdf"),
    ],
)
def test_a_wrong_request_is_refused_by_name(words: str, excerpt: str, folder: Path, shell: Shell) -> None:
    said = shell("doctor", *words.split(), columns=200)
    assert said.code == 2
    assert excerpt in said.err
    assert "Traceback" not in said.err


def test_info_counts_the_findings_of_a_file(folder: Path, shell: Shell) -> None:
    assert "doctor: 1 warning; see armdyn doctor" in shell("info", "slow.urdf", columns=160).out
    assert "doctor:" not in shell("info", "right.urdf", columns=160).out
    counts = json.loads(shell("info", "slow.urdf", "--json").out)["findings"]
    assert counts == {"error": 0, "warning": 1, "note": 0}
    assert "findings" not in json.loads(shell("info", "scara", "--json").out)
