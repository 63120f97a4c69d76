"""``armdyn simulate``: any controller, contacts, events and constraints by options, as in a scenario."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.cli.word_options import inputs_of

Shell = Callable[..., Any]

RUN = ("--method", "rk4", "--set", "method.step=2e-3", "--duration", "0.04")
WORDS = "robot: planar_2r\nmethod: rk4\nmethod.step: 2e-3\nduration: 0.04\n"
PID = ["--input", "q_ref=90deg,0", "--input", "qd_ref=0", "--input", "Kp=60", "--input", "Ki=30", "--input", "Kd=8,4"]
POSE = ["--input", "T_ref=1,0,0,1.5,0,1,0,0.8,0,0,1,0,0,0,0,1", "--input", "K=100", "--input", "B=20,30"]

CASES: dict[str, tuple[tuple[str, ...], str]] = {
    "inputs": (
        ("--controller", "pid", *PID),
        "controller: pid\ninputs: {q_ref: [1.5707963267948966, 0], qd_ref: 0, Kp: 60, Ki: 30, Kd: [8, 4]}\n",
    ),
    "computed torque": (
        ("--controller", "computed_torque", *PID, "--input", "qdd_ref=0"),
        "controller: computed_torque\n"
        "inputs: {q_ref: [1.5707963267948966, 0], qd_ref: 0, qdd_ref: 0, Kp: 60, Ki: 30, Kd: [8, 4]}\n",
    ),
    "a list, and a matrix by its numbers": (
        (
            *("--controller", "[{impedance: {components: [vx, vy]}}, {saturated: {limits: 9}}]", *POSE),
            *("--q0", "0.3,0.4", "--input", "link_2.inertia=0.1,0,0,0,0.1,0,0,0,0.1"),
        ),
        "q0: [0.3, 0.4]\ncontroller: [{impedance: {components: [vx, vy]}}, {saturated: {limits: 9}}]\n"
        "inputs: {T_ref: [[1, 0, 0, 1.5], [0, 1, 0, 0.8], [0, 0, 1, 0], [0, 0, 0, 1]], K: 100, B: [20, 30], "
        "link_2.inertia: [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]}\n",
    ),
    "contacts and events": (
        (
            *("--set", "contacts.table={frame: tip, normal: [0, 1, 0], through: [0, -0.002, 0]}"),
            *("--set", "events.shelf={plane: {frame: tip, normal: [0, 1, 0], through: [0, -0.001, 0]}}"),
        ),
        "contacts: {table: {frame: tip, normal: [0, 1, 0], through: [0, -0.002, 0]}}\n"
        "events: {shelf: {plane: {frame: tip, normal: [0, 1, 0], through: [0, -0.001, 0]}}}\n",
    ),
    "states within steps and an event under a controller": (
        (
            *("--controller", "pid", *PID, "--set", "save.times=0,0.0123,0.0255", "--set", "save.dense=true"),
            *("--set", "events.shelf={plane: {frame: tip, normal: [1, 0, 0], through: [1.99, 0, 0]}}"),
        ),
        "controller: pid\ninputs: {q_ref: [1.5707963267948966, 0], qd_ref: 0, Kp: 60, Ki: 30, Kd: [8, 4]}\n"
        "save: {times: [0, 0.0123, 0.0255], dense: true}\n"
        "events: {shelf: {plane: {frame: tip, normal: [1, 0, 0], through: [1.99, 0, 0]}}}\n",
    ),
    "a constraint": (
        (
            *("--set", "constraints.tied={joint_coupling: {factors: {joint_1: 1, joint_2: 2}}}"),
            *("--q0", "0.3,0.4", "--set", "close_loop=true"),
        ),
        "q0: [0.3, 0.4]\nclose_loop: true\n"
        "constraints: {tied: {joint_coupling: {factors: {joint_1: 1, joint_2: 2}}}}\n",
    ),
}


@pytest.mark.short_run("inputs", "states within steps and an event under a controller")
@pytest.mark.parametrize("case", CASES)
def test_options_and_a_scenario_say_the_same(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    monkeypatch.chdir(tmp_path)
    options, text = CASES[case]
    Path("motion.yaml").write_text(WORDS + text)
    motions = []
    for words in (("planar_2r", *RUN, *options), ("motion.yaml",)):
        said = shell("simulate", *words, "--out", "motion.npz")
        assert said.code == 0, said.err
        motions.append(armdyn.Trajectory.load("motion.npz"))
    np.testing.assert_array_equal(motions[0].q, motions[1].q)
    assert [event.name for event in motions[0].events] == [event.name for event in motions[1].events]
    assert len(motions[0].events) >= 2 * (case == "contacts and events")


def test_events_and_signals_are_told(shell: Shell) -> None:
    said = shell("simulate", "planar_2r", *CASES["contacts and events"][0], "--duration", "0.04", columns=120)
    lines = said.out.splitlines()
    assert any(
        line.split()[:3] == ["signals,", "in", "output"] and line.split()[-1] == "contact_force" for line in lines
    )
    assert any(line.split()[:2] == ["shelf", "crossing"] for line in lines)
    said = shell("simulate", "planar_2r", *CASES["contacts and events"][0], "--duration", "0.04", "--json")
    found = json.loads(said.out)
    assert found["events"][0]["name"] == "shelf"
    assert found["signals"] == ["contact_force"]


def test_inputs_are_completed() -> None:
    assert inputs_of("pid") == ["integral=", "q_ref=", "qd_ref=", "Kp=", "Ki=", "Kd="]
    assert "K_observer=" in inputs_of("[pd_gravity, {momentum_observer: {}}]")


REST = ("--input", "qd_ref=0", "--input", "Kp=3", "--input", "Ki=0", "--input", "Kd=1")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--controller", "[pid, {delayed"), "--controller has '[pid, {delayed', which is not YAML"),
        (("--controller", "[pid, delayd]"), "no wrapper 'delayd' in --controller (8 wrappers). Did you mean 'delayed'"),
        (("--controller", "pid", "--input", "q_ref"), "--input has 'q_ref'; expected NAME=VALUE, such as Kp=900"),
        (("--controller", "pid", *REST, "--input", "q_rf=1"), "--input q_rf: no quantity 'q_rf' in inputs of"),
        (("--controller", "pid", *REST, "--input", "q_ref=1,2mm"), "q_ref of joint_2 is '2mm', in m; expected a unit"),
        (("--controller", "pid", *REST, "--input", "q_ref=x"), "--input q_ref: q_ref of joint_1 is 'x'; expected a"),
        (("--controller", "pid", *REST, "--input", "q_ref=[1"), "--input q_ref has '[1', which is not YAML"),
        (("--controller", "pid", *REST, "--input", "q_ref=[1]"), "--input q_ref: q_ref has shape (1,); expected (2,)"),
        (("--controller", "pid", *REST, "--input", "target=1,2"), "--input target: 'target' is called 'q_ref'"),
        (("--controller", "pid", *REST, *REST), "inputs.qd_ref is given by --input qd_ref twice; expected it once"),
        (("--controller", "pid", *REST), "the controller has no q_ref; expected in inputs"),
        (
            ("--controller", "pd_gravity", "--set", "inputs.Kp=1", "--input", "Kp=1"),
            "inputs.Kp is given by --input Kp and --set inputs.Kp; expected one of them",
        ),
        (("--controller", "pid", *REST[2:], "--input", "q_ref=0", "--input", "qd_ref=10kg"), "in kg; expected a unit"),
        (("--input", "tau=1"), "--input tau: 'tau' is not an input; expected the key 'torque'"),
        (("--input", "q0=1,1"), "--input q0: 'q0' is not an input; expected the key 'q0'"),
        (("--set", "project=true"), "but 'planar_2r' has no constraints to project onto; leave it out"),
        (("--set", "contacts=table"), "--set contacts: contacts is 'table'; expected names with values"),
        (("--set", "contacts.a={frame: tp, normal: [0, 1, 0]}"), "--set contacts.a: no frame 'tp' in 'planar_2r'"),
        (("--set", "contacts.a={}", "--set", "contacts.a={}"), "contacts.a is given by --set contacts.a twice"),
        (("--set", "contacts.a.frame=tip"), "contact 'a' has no normal; expected such as {frame: tip"),
        (("--set", "events.a={plan: {}}"), "--set events.a: no kind of event 'plan' in event 'a' (3 kinds of event)"),
        (("--set", "constraints.a=3"), "--set constraints.a: constraint 'a' is '3'; expected its kind, such as {point"),
    ],
)
def test_mistakes_are_named(shell: Shell, words: tuple[str, ...], message: str) -> None:
    said = shell("simulate", "planar_2r", *RUN, *words)
    assert (said.code, said.out) == (2, "")
    assert message in " ".join(said.err.split())
