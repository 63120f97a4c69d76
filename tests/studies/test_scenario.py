"""Scenarios: the same study as by a call, and every misspelt word named with what was meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import ArmdynError, DTypeError, ShapeError, UnknownName
from armdyn.constraints import PointOnPlane
from armdyn.simulation import Contact, RungeKutta4, Stops
from armdyn.studies import Normal, Scenario, StudyError, Uniform, definition, sampled
from armdyn.studies.summaries import SUMMARIES
from armdyn.studies.words import Words

TEXT = """
robot: planar_3r
gravity: [0, 0, -9.81]
duration: 0.05
method.step: 1e-3          # a number, though YAML 1.1 says it is text
method: rk4
controller: pd_gravity
inputs: {q_ref: [0.1, 0.2, 0.3], Kp: 50, Kd: [5, 4, 3]}
samples:
  link_3.mass: {uniform: [0.5, 2]}
  q0: {normal: [[0.1, 0.2, 0.3], 0.1]}
runs: 30
seed: 4
record: [q]
every: 10
summaries: [tip_error, joint_error, diverged, tip_position]
"""


def test_stops_and_contacts_are_those_of_the_call(tmp_path: Path) -> None:
    text = """
robot: ur5
duration: 0.6
method: {name: semi_implicit_euler, step: 1e-3}
stops: {restitution: 0.3, joints: [elbow_joint]}
contacts: {floor: {frame: tool0, normal: [0, 0, 1], through: [0, 0, -0.1], restitution: 0.2}}
samples: {q0: {uniform: [[0, -0.3, 2.7, 0, 0, 0], [0.2, -0.2, 2.8, 0.1, 0.1, 0.1]]}}
qd0: [0, 0, 6, 0, 0, 0]
runs: 5
seed: 1
record: [q]
every: 10
"""
    scenario = read(text, tmp_path)
    results = armdyn.study(scenario.robot, scenario.samples, **scenario.settings)
    floor = PointOnPlane("tool0", (0, 0, 1), (0, 0, -0.1), name="floor")
    stops, contact = Stops(0.3, joints=["elbow_joint"]), Contact(floor, 0.2)
    settings = {name: value for name, value in scenario.settings.items() if name != "elements"}
    expected, without_floor, without_stops = (
        armdyn.study(scenario.robot, scenario.samples, **settings, elements=one)["rows.q"]
        for one in ([stops, contact], [stops], [contact])
    )
    np.testing.assert_array_equal(results["rows.q"], expected)
    assert np.abs(expected - without_floor).max() > 0.01
    assert np.abs(expected - without_stops).max() > 0.01


def test_the_documented_scenario_runs(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "studies.md").read_text()
    text = page.partition("```yaml\n")[2].partition("```")[0]
    scenario = read(text.replace("runs: 1000", "runs: 20"), tmp_path)
    results = armdyn.study(scenario.robot, scenario.samples, **scenario.settings)
    assert results["rows.q"].shape == (20, 10, 6)
    assert results["tip_error"].max() < 0.1


def read(text: str, folder: Path) -> Scenario:
    path = folder / "scenario.yaml"
    path.write_text(text)
    return Scenario.read(path)


def test_a_scenario_is_the_study_it_describes(tmp_path: Path) -> None:
    scenario = read(TEXT, tmp_path)
    results = armdyn.study(scenario.robot, scenario.samples, **scenario.settings)
    robot = armdyn.load("planar_3r", gravity=(0, 0, -9.81))
    q_ref = np.array([0.1, 0.2, 0.3])
    expected = armdyn.study(
        robot,
        sampled(30, {"link_3.mass": Uniform(0.5, 2)}, q0=Normal(q_ref, 0.1), seed=4),
        armdyn.control.with_model(armdyn.control.pd_gravity, robot),
        inputs={"q_ref": q_ref, "Kp": [50, 50, 50], "Kd": [5, 4, 3]},
        steps=50,
        method=RungeKutta4(step=1e-3),
        record=["q"],
        every=10,
        summaries=dict(SUMMARIES),
    )
    assert set(results.names) == set(expected.names)
    for name in expected.names:
        np.testing.assert_array_equal(results[name], expected[name])
    np.testing.assert_allclose(results["joint_error"], np.abs(results["final.q"] - q_ref).max(axis=1), rtol=1e-15)
    place = np.array([robot.forward_kinematics(q)[:3, 3] for q in results["final.q"]])
    np.testing.assert_allclose(results["tip_position"], place, rtol=1e-15, atol=1e-15)
    error = np.linalg.norm(place - robot.forward_kinematics(q_ref)[:3, 3], axis=1)
    np.testing.assert_allclose(results["tip_error"], error, rtol=1e-12, atol=1e-15)


def test_a_grid_spreads_one_number_over_all_joints(tmp_path: Path) -> None:
    scenario = read(
        "robot: planar_3r\nduration: 0.01\ncontroller: computed_torque\n"
        "inputs: {q_ref: 0.1, qd_ref: 0, qdd_ref: 0, Kd: 5}\ngrid: {Kp: [10, 20], q0: [[0, 0, 0], [1, 1, 1]]}\n",
        tmp_path,
    )
    results = armdyn.study(scenario.robot, scenario.samples, **scenario.settings)
    np.testing.assert_array_equal(results["Kp"], np.repeat([[10.0] * 3, [20.0] * 3], 2, axis=0))


def test_numbers_of_joints_have_units(tmp_path: Path) -> None:
    text = "robot: rp\nq0: [30deg, 50 mm]\nqd0: [10 rpm, 0.1]\nduration: 0.01\ncontroller: pd_gravity\n"
    scenario = read(f"{text}inputs: {{q_ref: [pi/4, 20mm], Kd: 5}}\ngrid: {{Kp: [10, 20]}}\n", tmp_path)
    inputs = scenario.settings["inputs"]
    np.testing.assert_allclose(inputs["q0"], [np.pi / 6.0, 0.05], rtol=1e-15)
    np.testing.assert_allclose(inputs["qd0"], [np.pi / 3.0, 0.1], rtol=1e-15)
    np.testing.assert_allclose(inputs["q_ref"], [np.pi / 4.0, 0.02], rtol=1e-15)
    with pytest.raises(StudyError, match="yaml:2: q0 of joint_1 is '50 mm', in m; expected a unit like rad"):
        read(text.replace("[30deg, 50 mm]", "[50 mm, 30deg]") + "grid: {Kp: [10]}\n", tmp_path)


def test_gravity_compensation_holds_a_robot_where_it_stands() -> None:
    robot = armdyn.load("ur5")
    q, rest = np.linspace(-1, 1, 6), np.zeros(6)
    controller = Words.of_options({"robot": "ur5", "controller": "pd_gravity"}).controller(robot)
    tau = robot.compile(controller)(q, rest, q, Kp=np.ones(6), Kd=np.ones(6)).tau
    np.testing.assert_allclose(tau, robot.gravity_forces(q), rtol=1e-12, atol=1e-12)


def test_computed_torque_gives_the_acceleration_it_asks_for() -> None:
    """Also with the integral of `armdyn.control.computed_torque`, whose name it has, and the friction of the joints."""
    robot = armdyn.load("ur5", friction="count")
    controller = Words.of_options({"robot": "ur5", "controller": "computed_torque"}).controller(robot)
    values = np.random.default_rng(0).uniform(0.5, 1, (9, 6))
    given = dict(zip(("q", "qd", "integral", "q_ref", "qd_ref", "qdd_ref", "Kp", "Kd", "Ki"), values, strict=True))
    q, qd, z, q_ref, qd_ref, qdd_ref, Kp, Kd, Ki = values
    tau = robot.compile(controller)(**given, h=1e-3).tau
    asked = qdd_ref + Kp * (q_ref - q) + Kd * (qd_ref - qd) + Ki * z
    np.testing.assert_allclose(robot.forward_dynamics(q, qd, tau), asked, rtol=1e-9)


@pytest.mark.parametrize(
    ("error", "old", "new", "said"),
    [
        (UnknownName, "duration:", "durations:", "Did you mean 'duration'"),
        (UnknownName, "controller: pd_gravity", "controller: pdd_gravity", "Did you mean 'pd_gravity'"),
        (
            StudyError,
            "controller: pd_gravity",
            "controller: pd",
            r"yaml:\d+: the controller 'pd' is called 'pd_gravity'",
        ),
        (StudyError, "q_ref:", "target:", r"yaml:\d+: 'target' is called 'q_ref'"),
        (StudyError, "Kp: 50", "kp: 50", r"yaml:\d+: 'kp' is called 'Kp'"),
        (UnknownName, "method: rk4", "method: rk5", "Did you mean 'rk4'"),
        (StudyError, "method: rk4", "method: adaptive", r"yaml:\d+: a controller is given, and the method is adaptive"),
        (UnknownName, "link_3.mass", "link_3.mas", "Did you mean 'link_3.mass'"),
        (UnknownName, "Kp: 50", "Kpp: 50", "Did you mean 'Kp'"),
        (UnknownName, "uniform", "unifrom", "Did you mean 'uniform'"),
        (UnknownName, "[tip_error", "[tip_eror", "Did you mean 'tip_error'"),
        (UnknownName, "planar_3r", "planar_4r", "planar_"),
        (StudyError, "runs: 30", "", "need 'runs'"),
        (StudyError, "runs: 30", "grid: {Kp: [1]}", "either 'samples'"),
        (StudyError, "robot: planar_3r", "", "names no robot"),
        (StudyError, "duration: 0.05", "duration: 0.0505", "no multiple"),
        (StudyError, "duration: 0.05", "duration: soon", "duration is 'soon'"),
        (StudyError, "uniform: [0.5, 2]", "uniform: 2", r"expected two values, \[low, high\]"),
        (StudyError, "record: [q]", "record: 3", "expected a list"),
        (StudyError, "record: [q]", "record: [q, q]", "record names 'q' twice; expected each name once"),
        (DTypeError, "uniform: [0.5, 2]", "uniform: [false, 2]", "holds False; expected real numbers"),
        (StudyError, "every: 10", "every: 0", r"yaml:\d+: every is 0; expected a whole number of at least 1"),
        (StudyError, "every: 10", "chunk: 2.5", r"yaml:\d+: chunk is 2.5; expected a whole number of at least 1"),
        (ShapeError, "[0, 0, -9.81]", "[0, 0]", r"yaml:\d+: gravity has shape \(2,\); expected \(3,\)"),
        (StudyError, "[0, 0, -9.81]", "[0, 0, .nan]", r"yaml:\d+: gravity\[2\] is nan; expected finite"),
        (StudyError, "seed: 4", "seed: 4\nseed: 5", r"yaml:14: 'seed' stands twice"),
        (StudyError, "seed: 4", "seed: [4", "scenario.yaml:"),
        (StudyError, "Kp: 50", "Kp: &x 50, tau: *x", "aliases are not read"),
        (StudyError, TEXT, "- robot", "holds no scenario"),
        (StudyError, TEXT, "robot: !!python/object:os.system {}", "could not determine a constructor"),
    ],
)
def test_what_makes_no_scenario_is_refused(tmp_path: Path, error: Any, old: str, new: str, said: str) -> None:
    assert old in TEXT
    with pytest.raises(error, match=said):
        read(TEXT.replace(old, new, 1), tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "controller: pd_gravity",
            "controller: [pd_gravity, {delayed: {steps: 1000000000}}]",
            "steps is 1000000000; expected a whole number from 1 to 1,000",
        ),
        (
            "controller: pd_gravity",
            "controller: [pd_gravity, {sampled: {every: 10000000000000}}]",
            "every is 10000000000000; expected a whole number from 1 to 1,000,000,000",
        ),
        ("runs: 30", "runs: 30000000000", "a study of 30000000000 runs; expected 100,000,000 at most"),
        ("every: 10", "every: 1" + 40 * "0", "every is 10+; expected a whole number from 1 to 1,000,000,000"),
        ("duration: 0.05", "duration: 1e300", r"duration 1e\+300 s in steps of 0\.001 s takes 1e\+303 steps"),
        ("duration: 0.05", "duration: 1e300\nmethod.step: 1e-300", "takes inf steps; expected 1e"),
    ],
)
def test_sizes_of_a_file_have_bounds(tmp_path: Path, old: str, new: str, said: str) -> None:
    """A file of a stranger neither fills the memory nor computes for ever: each size is refused, with its line."""
    text = TEXT.replace("method.step: 1e-3 ", "# ") if "step:" in new else TEXT
    with pytest.raises(ArmdynError, match=rf"scenario\.yaml:\d+: .*{said}"):
        read(text.replace(old, new), tmp_path)


def test_results_that_do_not_fit_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(definition, "memory", lambda: 1e6)
    robot, samples = armdyn.load("planar_2r"), sampled(1000, q0=Uniform(-1, 1), seed=1)
    given = {"inputs": {"tau": np.zeros(2)}, "record": ["q"]}
    armdyn.study(robot, samples, **given, steps=1000, chunk=10, every=100)
    with pytest.raises(StudyError, match=r"100 runs, computed together, would fill 0\.0016 GB of memory"):
        armdyn.study(robot, samples, **given, steps=1000, chunk=100)
    with pytest.raises(StudyError, match="1 runs, computed together"):
        armdyn.study(robot, samples, **given, steps=10**8)
    with pytest.raises(StudyError, match="workers is 100000; expected a whole number from 1 to 1,024"):
        armdyn.study(robot, samples, **given, steps=10, workers=100_000)


def test_the_robot_stands_beside_the_scenario(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(armdyn.load("planar_3r").to_urdf())
    assert read(TEXT.replace("planar_3r", "arm.urdf"), tmp_path).robot.dof == 3
    with pytest.raises(StudyError, match=r"no file .*expected that of a scenario"):
        Scenario.read(tmp_path / "none.yaml")
