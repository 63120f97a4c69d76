"""Controllers of `armdyn.control` in scenarios: the same as the closed loop made by calls, and mistakes by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import control
from armdyn.base.errors import ArmdynError, UnknownName
from armdyn.simulation import RungeKutta4
from armdyn.studies import Scenario
from armdyn.studies.motion import MotionSettings
from armdyn.studies.words import Words

ARM = armdyn.load("planar_3r")
Q0 = np.array([0.3, -0.2, 0.4])
START = "robot: planar_3r\nq0: [0.3, -0.2, 0.4]\nduration: 0.1\nmethod: rk4\nmethod.step: 2e-3\n"
PID = "inputs: {q_ref: [0.5, 0.1, -0.2], qd_ref: 0, Kp: 60, Ki: 30, Kd: [8, 4, 2]}\n"
PID_VALUES: dict[str, Any] = {
    "q_ref": np.array([0.5, 0.1, -0.2]),
    "qd_ref": np.zeros(3),
    "Kp": np.full(3, 60.0),
    "Ki": np.full(3, 30.0),
    "Kd": np.array([8.0, 4.0, 2.0]),
}
T = ARM.forward_kinematics(Q0 + 0.1)
POSE = f"T_ref: {T.tolist()}"
TIP: dict[str, Any] = {"T_ref": T}


def read(text: str, folder: Path) -> MotionSettings:
    path = folder / "motion.yaml"
    path.write_text(START + text)
    words = Words.read(path)
    return MotionSettings.of(words, words.robot())


CASES = {
    "pid": ("controller: pid\n" + PID, control.pid, PID_VALUES),
    "around": (
        "controller: [pid, {quantised: {resolution: 1e-3}}, {saturated: {limits: [9, 5, 2]}}, "
        "{delayed: {steps: 2}}, {sampled: {every: 3}}]\n" + PID,
        control.sampled(
            control.delayed(control.saturated(control.quantised(control.pid, 1e-3), [9, 5, 2]), 2), every=3
        ),
        PID_VALUES,
    ),
    "impedance": (
        f"controller: [{{impedance: {{components: [vx, vy]}}}}]\ninputs: {{{POSE}, K: 200, B: [30, 20]}}\n",
        control.with_options(control.impedance, components=("vx", "vy")),
        {**TIP, "K": np.full(2, 200.0), "B": np.array([30.0, 20.0])},
    ),
    "operational_space": (
        f"controller: [{{operational_space: {{components: [vx, vy]}}}}]\n"
        f"inputs: {{{POSE}, Kp: 100, Kd: 20, Kd_null: 1}}\n",
        control.with_options(control.operational_space, components=("vx", "vy")),
        {**TIP, "Kp": np.full(2, 100.0), "Kd": np.full(2, 20.0), "Kd_null": np.ones(3)},
    ),
}


@pytest.mark.short_run("pid")
@pytest.mark.parametrize("case", CASES)
def test_as_the_closed_loop_made_by_calls(tmp_path: Path, case: str) -> None:
    text, controller, inputs = CASES[case]
    motion = read(text, tmp_path).simulate()
    loop = armdyn.ClosedLoop(ARM, controller, method=RungeKutta4(2e-3))
    rolled = loop(Q0, steps=50, **inputs)
    np.testing.assert_allclose(motion.q[-1], rolled.final.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(motion.qd[-1], rolled.final.qd, rtol=0, atol=1e-12)
    assert abs(motion.q[-1] - Q0).max() > 1e-3


REFERENCES = {"pid": {"q_ref", "qd_ref"}, "impedance": {"T_ref"}, "around": {"q_ref", "qd_ref"}}


@pytest.mark.parametrize("case", REFERENCES)
def test_references_are_signals(tmp_path: Path, case: str) -> None:
    """With names and units, those of the closed loop as well."""
    text, controller, inputs = CASES[case]
    motion = read(text, tmp_path).simulate()
    loop = armdyn.ClosedLoop(ARM, controller, method=RungeKutta4(2e-3)).simulate(Q0, steps=50, **inputs)
    for found in (motion, loop):
        names = {name for name in found.signals if name.endswith("_ref")}
        assert names == REFERENCES[case]
        for name in names:
            expected = np.broadcast_to(np.ravel(inputs[name]), found.signals[name].shape)
            np.testing.assert_array_equal(found.signals[name], expected)
            assert len(found.signal_labels[name]) == expected.shape[-1]
    assert motion.signal_labels.get("T_ref", ((), (), (), ("14", "m")))[3] == ("14", "m")


def test_a_second_motion_begins_anew(tmp_path: Path) -> None:
    motion = read(CASES["around"][0], tmp_path)
    np.testing.assert_array_equal(motion.simulate().q, motion.simulate().q)


def test_pd_within_limits(tmp_path: Path) -> None:
    limited = "controller: [pd_gravity, {saturated: {limits: 3}}]\ninputs: {q_ref: 0.5, Kp: 60, Kd: 4}\n"
    values = {"q_ref": np.full(3, 0.5), "qd_ref": np.zeros(3), "Kp": np.full(3, 60.0), "Kd": np.full(3, 4.0)}
    loop = armdyn.ClosedLoop(ARM, control.saturated(control.pd_gravity, 3.0), method=RungeKutta4(2e-3))
    final = loop(Q0, steps=50, **values).final
    np.testing.assert_allclose(read(limited, tmp_path).simulate().q[-1], final.q, rtol=0, atol=1e-12)


def test_positions_to_follow_come_from_a_csv(tmp_path: Path) -> None:
    """A csv whose rows are all alike is a constant reference at rest."""
    names = [f"q_{name}" for name in ARM.joint_names]
    (tmp_path / "path.csv").write_text(",".join(["t", *names]) + "\n0,0.5,0.1,-0.2\n0.1,0.5,0.1,-0.2\n")
    text = "controller: pid\ninputs: {Kp: 60, Ki: 30, Kd: [8, 4, 2]}\nreference: path.csv\n"
    followed, held = read(text, tmp_path).simulate(), read("controller: pid\n" + PID, tmp_path).simulate()
    np.testing.assert_allclose(followed.q, held.q, rtol=0, atol=1e-12)
    with pytest.raises(ArmdynError, match="given in inputs too"):
        read("controller: pid\n" + PID + "reference: path.csv\n", tmp_path)


def test_a_study_takes_the_same_words(tmp_path: Path) -> None:
    motion = read(CASES["around"][0], tmp_path).simulate()
    text = START.replace("q0: [0.3, -0.2, 0.4]\n", "") + CASES["around"][0] + "grid: {q0: [[0.3, -0.2, 0.4]]}\n"
    (tmp_path / "study.yaml").write_text(text)
    scenario = Scenario.read(tmp_path / "study.yaml")
    runs = armdyn.study(scenario.robot, scenario.samples, **scenario.settings)
    np.testing.assert_allclose(motion.q[-1], runs["final.q"][0], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (UnknownName, "controller: pidd\n", "'pid'"),
        (UnknownName, "controller: [pid, {saturatd: {}}]\n", "'saturated'"),
        (UnknownName, "controller: [pid, {saturated: {limit: 2}}]\n", "'limits'"),
        (UnknownName, "controller: [{impedance: {component: position}}]\n", "'components'"),
        (UnknownName, "controller: pid\n" + PID.replace("Ki", "Kii"), "'Ki'"),
        (ArmdynError, "controller: [pid, sampled]\n" + PID, "sampled has no every"),
        (ArmdynError, "controller: [none, {saturated: {}}]\n", "nothing stands around"),
        (ArmdynError, "controller: pid\n" + PID.replace("Ki: 30, ", ""), "has no Ki"),
        (ArmdynError, "controller: pid\n" + PID.replace("[8, 4, 2]", "[8, 4]"), "Kd"),
        (ArmdynError, "controller: impedance\ninputs: {T_ref: 1, K: 1, B: 1}\n", "T_ref"),
        (ArmdynError, "controller: 3\n", "expected a name, or a list"),
        (
            ArmdynError,
            "controller: [pid, {saturated: {limits: [1, true, 2]}}]\n" + PID,
            "limits=[1, True, 2]; expected",
        ),
        (ArmdynError, "controller: [pid, {quantised: {resolution: true}}]\n" + PID, "resolution=True; expected"),
        (ArmdynError, "controller: impedance\nreference: path.csv\n", "'impedance' takes no q_ref, so it follows no"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, kind: type[Exception], text: str, message: str) -> None:
    with pytest.raises(kind, match=r"motion\.yaml") as caught:
        read(text, tmp_path)
    assert message in str(caught.value)


def test_an_adaptive_method_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "motion.yaml"
    path.write_text("robot: planar_3r\ncontroller: pid\n" + PID)
    words = Words.read(path)
    with pytest.raises(ArmdynError, match="sample time"):
        MotionSettings.of(words, words.robot())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("controller: [{impedance: {components: [vz, vzz]}}]\ninputs: {T_ref: 1, K: 1, B: 1}\n", "component 'vzz'"),
        ("controller: [pid, {saturated: {}}]\n" + PID, "has no effort limits"),
    ],
)
def test_options_are_refused_with_the_line_of_the_controller(tmp_path: Path, text: str, message: str) -> None:
    line = START.count("\n") + 1
    with pytest.raises(ArmdynError, match=rf"motion\.yaml:{line}: .*{message}"):
        read(text, tmp_path)


@pytest.mark.parametrize("sample_time", ["1e-4", "3e-3"])
def test_sample_times_between_steps_are_refused(tmp_path: Path, sample_time: str) -> None:
    """The controller would integrate with another time than passes between its calls."""
    with pytest.raises(
        ArmdynError, match=r"motion\.yaml:\d+: sample_time is .*the step 0\.002 s.*a whole number of steps"
    ):
        read(f"controller: pid\nsample_time: {sample_time}\n" + PID, tmp_path)
    twice = read("controller: pid\nsample_time: 4e-3\n" + PID, tmp_path).simulate()
    e = PID_VALUES["q_ref"] - twice.q[0]
    assert np.abs(e).max() > 0.1


def test_the_integral_is_that_of_the_samples(tmp_path: Path) -> None:
    """At twice the step z[k+1] = z[k] + h e[k] with that h."""
    motion = read("controller: pid\nsample_time: 4e-3\nrecord: [integral]\n" + PID, tmp_path).simulate()
    e = PID_VALUES["q_ref"] - motion.q
    expected = np.concatenate([np.zeros((1, 3)), np.cumsum(4e-3 * e[::2], axis=0)])[: len(motion.t[::2])]
    np.testing.assert_allclose(motion.signals["integral"][::2][:-1], expected[:-1], atol=1e-14)
