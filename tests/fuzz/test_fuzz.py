"""Fuzzing finds nothing, and would find what is planted."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from armdyn.formats.urdf import read_urdf
from fuzz import urdf
from fuzz.cases import Hang, input_of
from fuzz.findings import judged
from fuzz.kinds import WHERE, kind_of
from fuzz.minimise import minimise
from fuzz.runner import run

KINDS = [name for name in WHERE if name != "planted"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "count"),
    [
        *(("urdf", 8000), ("mjcf", 4000), ("calls", 4000), ("options", 3000), ("tables", 500)),
        *(("actuator_files", 2000), ("catalogues", 3000), ("motion_tables", 5000), ("urdf_drives", 1000)),
        *(("mjcf_drives", 500), ("scenarios", 500), ("masp_files", 300), ("archives", 100_000)),
        ("scenario_words", 10_000),
        ("stream_lines", 45_000),  # inputs of 2.25 lines each
    ],
)
def test_nothing_is_found(kind: str, count: int, tmp_path: Path) -> None:
    report = run(kind, count, seed=2026, jobs=1, findings=tmp_path)
    found = [json.loads(file.read_text()) for file in tmp_path.glob("*.json")]
    assert not found
    assert report.findings == 0
    assert report.done == count


def test_damaged_archives_are_one_error() -> None:
    """Of zipfile's, NumPy's and JSON's two dozen kinds of exception none comes through."""
    kind = kind_of("archives")
    verdicts = [judged(kind, input_of(kind, 37, i), no_stage) for i in range(1000)]
    assert not [verdict.finding for verdict in verdicts if verdict.finding is not None]
    assert sum(verdict.outcome == "refused" for verdict in verdicts) > 800


def test_damaged_lines_of_a_stream_are_states_or_one_error() -> None:
    """Of JSON's, csv's and NumPy's kinds of exception none comes through, and each state can be shown."""
    kind = kind_of("stream_lines")
    verdicts = [judged(kind, input_of(kind, 37, i), no_stage) for i in range(300)]
    assert not [verdict.finding for verdict in verdicts if verdict.finding is not None]
    assert sum(verdict.outcome == "states" for verdict in verdicts) > 100


def test_damaged_scenarios_are_read_or_one_error() -> None:
    """Their words and their sizes."""
    kind = kind_of("scenario_words")
    verdicts = [judged(kind, input_of(kind, 37, i), no_stage) for i in range(60)]
    assert not [verdict.finding for verdict in verdicts if verdict.finding is not None]
    assert sum(verdict.outcome == "refused" for verdict in verdicts) > 30


DIGESTS = """
import hashlib, sys; sys.path.insert(0, "tests")
from fuzz.cases import input_of
from fuzz.kinds import kind_of
for name in sys.argv[1:]:
    print(hashlib.sha256(b"".join(input_of(kind_of(name), 3, i) for i in range(20))).hexdigest())
"""


def test_inputs_follow_from_their_numbers() -> None:
    other = subprocess.run(
        [sys.executable, "-c", DIGESTS, *KINDS],
        env=os.environ | {"PYTHONHASHSEED": "1"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    inputs = {name: [input_of(kind_of(name), 3, i) for i in range(20)] for name in KINDS}
    assert other.stdout.split() == [hashlib.sha256(b"".join(some)).hexdigest() for some in inputs.values()]
    assert min(len(set(some)) for some in inputs.values()) > 15


def first(kind: str, condition: Callable[[bytes], bool]) -> bytes:
    return next(data for i in range(1000) if condition(data := input_of(kind_of(kind), 0, i)))


def no_stage(_: str) -> None:
    pass


def test_a_wrong_torque_and_a_wrong_mass_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = kind_of("urdf")
    data = first("urdf", lambda data: judged(kind, data, no_stage).outcome == "compared")
    assert judged(kind, data, no_stage).finding is None
    right = urdf.torques_of_armdyn
    with monkeypatch.context() as planted:
        off = lambda *given: {name: (1 + 1e-6) * value + 1e-6 for name, value in right(*given).items()}  # noqa: E731
        planted.setattr(urdf, "torques_of_armdyn", off)
        verdict = judged(kind, data, no_stage)
    assert verdict.finding is not None
    assert verdict.finding.signature == "torques: read rightly, computed wrongly"

    def misread(*given: object, **options: object) -> object:
        model = read_urdf(*given, **options)  # type: ignore[arg-type]
        joints = [j if k else j.replace(axis=-j.axis) for k, j in enumerate(model.joints)]
        return model.replace(joints=tuple(joints))

    monkeypatch.setattr(urdf, "read_urdf", misread)
    verdict = judged(kind, data, no_stage)
    assert verdict.finding is not None
    assert verdict.finding.signature == "torques: read differently"


def test_exceptions_and_hangs_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = kind_of("urdf")
    for raised, what in ((KeyError("planted"), "exception"), (Hang(), "hang")):

        def raises(*_: object, error: BaseException = raised, **__: object) -> None:
            raise error

        monkeypatch.setattr(urdf, "read_urdf", raises)
        finding = judged(kind, input_of(kind, 0, 0), no_stage).finding
        assert finding is not None
        assert finding.what == what


def test_inputs_are_made_small() -> None:
    data = b'<a><b x="1" y="2"><c/></b><d><e z="keep"/><f/></d></a>'
    assert minimise(data, lambda smaller: b"keep" in smaller) in (b"keep", b'<a><d><e z="keep" /></d></a>')


@pytest.mark.slow
def test_the_runner_outlives_crashes_and_hangs(tmp_path: Path) -> None:
    said: list[str] = []
    count = 24
    report = run("planted", count, seed=1, jobs=2, findings=tmp_path, progress=lambda r: said.append(str(r)), every=0.5)
    assert report.done == count
    wishes = [input_of(kind_of("planted"), 1, i).split(b'"')[3].decode() for i in range(count)]
    assert report.findings == sum(wish in ("raise", "crash", "hang", "difference") for wish in wishes)
    assert report.outcomes["crash of the peer"] == wishes.count("crash of the peer")
    assert report.outcomes["FINDING hang"] == wishes.count("hang")
    kept = {json.loads(file.read_text())["what"] for file in tmp_path.glob("*.json")}
    assert kept == {"exception", "crash", "hang", "difference"}
    assert min(len(file.read_bytes()) for file in tmp_path.glob("planted-exception*.xml")) < 30
    assert said
