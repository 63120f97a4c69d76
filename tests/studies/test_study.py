"""A study against plain calls of the loop, one run after the other; its folder; what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import ShapeError, UnknownName
from armdyn.simulation import AdamsBashforthMoulton4, Constraints, RungeKutta4, SemiImplicitEuler, SettingError
from armdyn.studies import OtherStudy, Results, StudyError, Uniform, grid, parts, read, sampled
from studies.arms import ROBOT, N, pid, settled, worst

STEPS = 40
SAMPLES = sampled(
    23,
    {"link_3.mass": Uniform(0.5, 2)},
    q0=Uniform(-1, 1),
    target=Uniform(-1, [1, 2, 3]),
    kp=Uniform(5, 50),
    integral=Uniform(-0.1, 0.1),
    seed=5,
)


def run(samples: Any = SAMPLES, **changes: Any) -> Results:
    settings: dict[str, Any] = {
        "inputs": {"kd": 2.0, "qd0": [0.1, 0.2, 0.3]},
        "steps": STEPS,
        "record": ["q", "error"],
        "every": 4,
        "summaries": {"worst": worst, "settled": settled},
        "method": SemiImplicitEuler(step=2e-3),
        "energy": True,
    }
    return armdyn.study(ROBOT, samples, pid, **{**settings, **changes})


def everything(results: Results) -> dict[str, Any]:
    return {name: results[name] for name in results.names}


def assert_same(found: Results, expected: Results) -> None:
    assert found.names == expected.names
    for name, value in everything(expected).items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)


def test_a_study_is_plain_calls_run_by_run() -> None:
    results = run()
    loop = armdyn.ClosedLoop(
        ROBOT, pid, method=SemiImplicitEuler(step=2e-3), record=["q", "error"], parameters=["link_3.mass"], energy=True
    )
    for k in range(23):
        given = {name: results[name][k] for name in SAMPLES.names}
        rolled = loop(**given, qd0=[0.1, 0.2, 0.3], kd=2.0, steps=STEPS, every=4)
        for name in ("q", "qd", "work", "integral"):
            expected = getattr(rolled.final, name)
            np.testing.assert_allclose(results[f"final.{name}"][k], expected, rtol=1e-15, atol=1e-15)
        np.testing.assert_allclose(results["rows.q"][k], rolled.rows.q, rtol=1e-15, atol=1e-15)
        error = np.abs(rolled.rows.error).max()
        np.testing.assert_allclose(results["worst"][k], error, rtol=1e-15)
    np.testing.assert_array_equal(results["run"], np.arange(23))
    assert results["settled"].dtype == np.bool_


@pytest.mark.short_run("7", "23")
@pytest.mark.parametrize("chunk", [1, 7, 23])
def test_chunks_change_no_number(chunk: int, tmp_path: Path) -> None:
    assert_same(run(chunk=chunk, folder=tmp_path), run())


def test_without_controller_the_arm_falls() -> None:
    results = armdyn.study(ROBOT, {"q0": np.eye(N)}, steps=10)
    rolled = armdyn.ClosedLoop(ROBOT, record=[])(np.eye(N), tau=np.zeros(N), steps=10)
    np.testing.assert_array_equal(results["final.q"], rolled.final.q)


def test_runs_keep_their_constraints(tmp_path: Path) -> None:
    channel = armdyn.constraints.PointOnPlane("tip", (1, 0, 0), (1, 0, 0))
    robot = armdyn.load("planar_2r").with_constraints(channel)
    q0 = np.array([[-np.pi / 3, 2 * np.pi / 3], [np.pi / 3, -2 * np.pi / 3]])
    given: dict[str, Any] = {"steps": 200, "method": RungeKutta4(step=1e-2), "folder": tmp_path}
    drift = {}
    for project in (True, False):
        results = armdyn.study(
            robot, {"q0": q0}, elements=[Constraints(project=project)], **given | {"folder": tmp_path / str(project)}
        )
        drift[project] = abs(robot.constraint_error(results["final.q"])).max()
        again = armdyn.ClosedLoop(robot, method=given["method"], elements=[Constraints(project=project)])(
            q0, steps=200, tau=np.zeros(2)
        )
        np.testing.assert_array_equal(results["final.q"], again.final.q)
    assert drift[True] < 1e-13
    assert drift[False] > 1e-7
    with pytest.raises(OtherStudy, match="loop"):
        armdyn.study(robot, {"q0": q0}, **given | {"folder": tmp_path / "True"})


def test_inputs_over_time_are_shared() -> None:
    pushes = np.random.default_rng(0).uniform(-1, 1, (10, N))
    results = armdyn.study(ROBOT, {"q0": np.eye(N)}, inputs={"tau": pushes}, over_time=["tau"], steps=10)
    rolled = armdyn.ClosedLoop(ROBOT, record=[], over_time=["tau"])(np.eye(N), tau=pushes[:, None], steps=10)
    np.testing.assert_array_equal(results["final.qd"], rolled.final.qd)


def test_records_may_be_for_summaries_only() -> None:
    results = run(keep_records=False)
    assert not any(name.startswith("rows.") for name in results.names)
    np.testing.assert_array_equal(results["worst"], run()["worst"])


def test_a_folder_goes_on_with_what_is_missing(tmp_path: Path) -> None:
    first = run(chunk=5, folder=tmp_path)
    gone = [first.parts.path(k) for k in (1, 4)]
    for path in gone:
        path.unlink()
    first.parts.path(2).write_bytes(b"cut off")
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.glob("part-*")}
    assert read(tmp_path).missing == (1, 2, 4)
    assert_same(run(folder=tmp_path), run())
    for path, written in kept.items():
        assert (path.stat().st_mtime_ns == written) == (path != first.parts.path(2))


def test_an_interrupted_study_goes_on(tmp_path: Path) -> None:
    calls = []

    def interrupted(runs: Any) -> Any:
        calls.append(runs.number)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return runs.number

    with pytest.raises(KeyboardInterrupt) as caught:
        run(chunk=5, folder=tmp_path, summaries={"number": interrupted})
    assert str(tmp_path) in caught.value.__notes__[0]
    assert read(tmp_path).missing == (2, 3, 4)
    results = run(chunk=5, folder=tmp_path, summaries={"number": interrupted})
    assert len(calls) == 3 + 3
    np.testing.assert_array_equal(results["number"], np.arange(23))
    assert not list(tmp_path.glob("*.unfinished"))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"steps": 41}, "steps is 40 there and 41 here"),
        ({"inputs": {"kd": 2.5}}, "its inputs differ"),
        ({"samples": sampled(23, target=Uniform(0, 1), kp=Uniform(0, 1), seed=1)}, "its samples differ"),
        ({"summaries": {"worst": settled}}, "its summaries differ"),
        ({"method": SemiImplicitEuler(step=1e-3)}, "step is 0.002 there"),
        ({"chunk": 6}, "chunks of 5 runs, not 6"),
    ],
    ids=["steps", "inputs", "samples", "summaries", "method", "chunk"],
)
def test_another_study_in_the_folder_is_refused(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    run(chunk=5, folder=tmp_path)
    with pytest.raises(OtherStudy, match=said):
        run(**{"folder": tmp_path, **changes})


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
@pytest.mark.parametrize(
    "changes", [{"steps": 41}, {"chunk": 6}, {}], ids=["another study", "other chunks", "the same"]
)
def test_of_two_studies_that_begin_at_once_the_first_has_the_folder(
    tmp_path: Path, changes: dict[str, Any], links: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second looks into the empty folder, then the first claims it and computes, then the second goes on."""
    looks, first = parts.Manifest.read, []

    def too_early(folder: Path) -> parts.Manifest | None:
        found = looks(folder)
        if not first:
            first.append(1)
            run(chunk=5, folder=tmp_path)
        return found

    monkeypatch.setattr(parts.Manifest, "read", staticmethod(too_early))
    if not links:
        monkeypatch.setattr(Path, "hardlink_to", lambda *_: (_ for _ in ()).throw(PermissionError()))
    if changes:
        with pytest.raises(
            OtherStudy, match="steps is 40 there and 41 here" if "steps" in changes else "chunks of 5 runs"
        ):
            run(**{"chunk": 5, "folder": tmp_path, **changes})
    else:
        assert_same(run(chunk=5, folder=tmp_path), run())
    monkeypatch.undo()
    assert_same(read(tmp_path), run())
    assert not list(tmp_path.glob("*.unfinished"))


def test_parts_of_another_process_are_not_computed_again(tmp_path: Path) -> None:
    computed: list[int] = []

    def beside(runs: Any) -> Any:
        computed.append(len(computed))
        if len(computed) == 1:  # while the first part is computed, another process does all
            run(chunk=5, folder=tmp_path, summaries={"beside": beside})
        return runs.number

    np.testing.assert_array_equal(run(chunk=5, folder=tmp_path, summaries={"beside": beside})["beside"], np.arange(23))
    assert len(computed) == 1 + 5


def test_the_manifest_says_what_it_is(tmp_path: Path) -> None:
    run(folder=tmp_path)
    said = json.loads((tmp_path / "study.json").read_text())
    assert (said["format"], said["robot"], said["controller"]) == ("armdyn study 1", ROBOT.name, "pid")
    assert set(said["varies"]) == set(SAMPLES.names)
    (tmp_path / "study.json").write_text("{}")
    with pytest.raises(StudyError, match="damaged, or no study"):
        read(tmp_path)
    (tmp_path / "study.json").unlink()
    with pytest.raises(StudyError, match="holds no study"):
        read(tmp_path)
    with pytest.raises(OtherStudy, match=r"no study\.json"):
        run(folder=tmp_path)


def test_results_are_read_part_by_part(tmp_path: Path) -> None:
    results = run(chunk=5, folder=tmp_path)
    assert [len(part["run"]) for part in results] == [5, 5, 5, 5, 3]
    assert [set(part) for part in results.columns("run", "worst")] == [{"run", "worst"}] * 5
    table = results.dataset().to_table(columns=["run", "final.q", "settled"])
    np.testing.assert_array_equal(np.array(table["final.q"].to_pylist()), results["final.q"])
    with pytest.raises(UnknownName, match=r"Did you mean 'final\.q'"):
        results["final_q"]
    with pytest.raises(StudyError, match="in memory"):
        run().dataset()


def test_both_spellings_of_a_parameter_are_the_same_study(tmp_path: Path) -> None:
    for name in ("link_3.mass", "link_3_mass"):
        results = armdyn.study(ROBOT, sampled(4, {name: Uniform(1, 2)}, seed=1), steps=5, folder=tmp_path)
        assert "link_3.mass" in results.names


@pytest.mark.parametrize(
    ("error", "samples", "changes", "said"),
    [
        (UnknownName, {"kpp": [1.0]}, {}, "Did you mean 'kp'"),
        (UnknownName, {"link_3.masss": [1.0]}, {}, "Did you mean 'link_3.mass'"),
        (UnknownName, {"kp": [1.0]}, {"inputs": {"targt": [0, 0, 0]}}, "Did you mean 'target'"),
        (StudyError, {"kp": [1.0]}, {}, "needs target too"),
        (StudyError, {"kp": [1.0], "target": np.zeros((1, N))}, {"inputs": {"kd": 1.0, "kp": 1.0}}, "in samples and"),
        (ShapeError, {"target": [1.0, 2.0]}, {}, r"expected \(runs, 3\)"),
        (ShapeError, {"kp": [1.0]}, {"inputs": {"kd": [1.0], "target": np.zeros(3)}}, r"kd has shape \(1,\)"),
        (StudyError, SAMPLES, {"summaries": {"run": worst}}, "rename it"),
        (StudyError, SAMPLES, {"summaries": {"x": 1.0}}, "expected a function"),
        (StudyError, SAMPLES, {"summaries": {"x": lambda runs: 1.0}}, "a value for each"),
        (StudyError, SAMPLES, {"summaries": {"x": lambda runs: ["a"] * 23}}, "real numbers"),
        (StudyError, SAMPLES, {"steps": 0}, "steps"),
        (StudyError, SAMPLES, {"chunk": 0}, "chunk"),
        (StudyError, SAMPLES, {"method": AdamsBashforthMoulton4()}, "expected one of Euler"),
        (StudyError, SAMPLES, {"record": "q"}, "several names"),
        (StudyError, {"heat": [1.0]}, {"inputs": {"kp": 1.0, "kd": 1.0, "target": np.zeros(N)}}, "no joint of .* rubs"),
        (SettingError, SAMPLES, {"elements": [3]}, "elements has 3; expected objects of Stops, Contact,"),
        (SettingError, SAMPLES, {"elements": [Constraints(project=True)]}, "has no constraints to project onto"),
        (UnknownName, SAMPLES, {"record": ["eror"]}, "Did you mean 'error'"),
        (StudyError, SAMPLES, {"client": "tcp://host:8786"}, "expected a distributed.Client"),
    ],
)
def test_what_makes_no_study_is_refused(error: type[Exception], samples: Any, changes: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        run(samples, **changes)


def test_accounts_begin_where_they_are_told() -> None:
    dry = armdyn.load("planar_2r").with_friction({"joint_1": (0.1, 0.1)})
    given: dict[str, Any] = {"steps": 5, "energy": True}
    results = armdyn.study(dry, {"qd0": np.ones((2, 2)), "heat": [0.0, 3.0]}, inputs={"work": 2.0}, **given)
    assert results["final.heat"][1] - results["final.heat"][0] == pytest.approx(3.0, abs=1e-12)
    assert results["final.work"][0] == pytest.approx(2.0, abs=0.1)


def test_an_error_of_a_summary_says_which() -> None:
    with pytest.raises(ZeroDivisionError) as error:
        run(summaries={"broken": lambda runs: 1 / 0})
    assert error.value.__notes__ == ["while the summary 'broken' of runs 0 to 22 was computed"]


def test_a_grid_of_gains() -> None:
    design = grid(kp=[5.0, 50.0], kd=[1.0, 2.0, 3.0])
    results = run(design, inputs={"target": np.ones(N)})
    assert results["worst"].reshape(design.shape).shape == (2, 3)


def test_progress_is_shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    run(progress=True)
    assert "of 23 runs" in capsys.readouterr().err
