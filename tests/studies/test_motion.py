"""One motion from a scenario: the same as by calls, as a run of a study, and every mistake named with its line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import ArmdynError, DTypeError, MissingInput, ShapeError, UnknownName
from armdyn.simulation import Adaptive, OverTime, RungeKutta4, SaveAt, Stops
from armdyn.studies import Scenario, StudyError
from armdyn.studies.motion import MotionSettings
from armdyn.studies.words import KEYS, Words
from studies.arms import TIED

ARM = armdyn.load("planar_3r")
NAMES = ARM.joint_names
Q0, QD0 = np.array([0.3, -0.2, 0.4]), np.array([0.1, 0.0, -0.3])
STATE = "q0: [0.3, -0.2, 0.4]\nqd0: [0.1, 0, -0.3]\n"
PD = "controller: pd_gravity\ninputs: {q_ref: [0.5, 0.1, -0.2], Kp: 60, Kd: [8, 4, 2]}\n"
COMPUTED_TORQUE = (
    "controller: computed_torque\n"
    "inputs: {q_ref: [0.5, 0.1, -0.2], qd_ref: 0, qdd_ref: 0, Kp: 60, Kd: [8, 4, 2], Ki: [9, 0, 3]}\n"
)


def read(text: str, folder: Path) -> MotionSettings:
    path = folder / "motion.yaml"
    path.write_text(text)
    words = Words.read(path)
    return MotionSettings.of(words, words.robot())


@pytest.mark.short_run("semi_implicit_euler-pd_gravity", "semi_implicit_euler-computed_torque")
@pytest.mark.parametrize(
    "controller", [pytest.param(PD, id="pd_gravity"), pytest.param(COMPUTED_TORQUE, id="computed_torque")]
)
@pytest.mark.parametrize("method", ["rk4", "semi_implicit_euler"])
def test_a_motion_is_a_run_of_a_study(tmp_path: Path, controller: str, method: str) -> None:
    """One vocabulary: with a grid it is a study, without it one motion, and the controller is held in both."""
    text = (
        f"robot: planar_3r\nduration: 0.2\nmethod: {{name: {method}, step: 2e-3}}\n"
        "payload: {mass: 0.5, com: [0.1, 0, 0]}\n" + controller
    )
    motion = read(text + STATE, tmp_path).simulate()
    (tmp_path / "study.yaml").write_text(text + "qd0: [0.1, 0, -0.3]\ngrid: {q0: [[0.3, -0.2, 0.4], [0, 0, 0]]}\n")
    scenario = Scenario.read(tmp_path / "study.yaml")
    runs = armdyn.study(scenario.robot, scenario.samples, **scenario.settings)
    np.testing.assert_allclose(motion.q[-1], runs["final.q"][0], rtol=0, atol=1e-13)
    np.testing.assert_allclose(motion.qd[-1], runs["final.qd"][0], rtol=0, atol=1e-12)
    assert abs(runs["final.q"][0] - runs["final.q"][1]).max() > 0.01


def test_states_by_the_names_of_joints(tmp_path: Path) -> None:
    head = "robot: scara\nduration: 0.01\n"
    named = read(head + "q0: {elbow: 90deg, shoulder: 0.1, wrist: 0, quill_slide: 5mm}\n", tmp_path).simulate()
    listed = read(head + "q0: [0.1, 90deg, 5mm, 0]\n", tmp_path).simulate()
    np.testing.assert_array_equal(named.q, listed.q)
    with pytest.raises(UnknownName, match=r"motion.yaml:3: no component 'elbw' in q0.*Did you mean 'elbow'"):
        read(head + "q0: {elbw: 1}\n", tmp_path)
    with pytest.raises(StudyError, match=r"q0 lacks .*shoulder.*; expected a number for each of"):
        read(head + "q0: {elbow: 1}\n", tmp_path)


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("tip: nolink", "motion.yaml:3: no link 'nolink'"),
        ("locked: {elbw: 1}", "motion.yaml:3: no moving joint 'elbw'"),
        ("joint_order: [elbow]", "motion.yaml:3: joint_order of"),
        ("friction: none", "motion.yaml:3: friction is 'none'"),
        ("gravity: [0, 0, 1]\nrobot: none.urdf", "motion.yaml:4: no file"),
    ],
)
def test_what_the_robot_lacks_is_named_with_its_line(line: str, place: str, tmp_path: Path) -> None:
    robot = "" if "robot" in line else "robot: scara\n"
    with pytest.raises(ArmdynError, match=re.escape(place)):
        read(f"{robot or 'q0: 0' + chr(10)}duration: 0.01\n{line}\n", tmp_path)


def test_a_motion_is_the_call_it_describes(tmp_path: Path) -> None:
    motion = read(
        "robot: scara\ngravity: [0, -3, -9]\nduration: 0.3\nstops: {restitution: 0.5}\nsave: {every: 0.1}\n"
        "payload: 0.7\nmethod.rtol: 1e-9\ntorque: [1, 0.2, -0.1, 0]\nf_tip: [0, 0, 0, 1, 2, 0]\nq0: 0.1\n",
        tmp_path,
    )
    arm = armdyn.load("scara", gravity=(0, -3, -9)).with_payload(armdyn.Inertia(0.7))
    expected = armdyn.simulate(
        arm,
        np.full(4, 0.1),
        duration=0.3,
        torque=[1, 0.2, -0.1, 0],
        f_tip=[0, 0, 0, 1, 2, 0],
        elements=[Stops(0.5)],
        method=Adaptive(rtol=1e-9),
        save=SaveAt(every=0.1),
    )
    np.testing.assert_array_equal(motion.simulate().q, expected.q)
    assert motion.driven_by == "constant"


def test_torques_of_a_csv(tmp_path: Path) -> None:
    (tmp_path / "tau.csv").write_text(f"t [ms],{','.join(f'tau_{n}' for n in NAMES)}\n0,1,2,3\n50,0,-1,1\n100,2,2,2\n")
    values = np.array([[1, 2, 3], [0, -1, 1], [2, 2, 2.0]])
    for between in ("linear", "hold"):
        motion = read(f"robot: planar_3r\ntorque: {{file: tau.csv, between: {between}}}\n", tmp_path).simulate()
        assert motion.t[-1] == 0.1
        law = OverTime([0, 0.05, 0.1], values, between)
        np.testing.assert_array_equal(motion.q, armdyn.simulate(ARM, np.zeros(3), duration=0.1, torque=law).q)
    with pytest.raises(
        ArmdynError, match=r"torque is known from t = 0 to 0\.1 s; expected from 0 to the duration, 1 s"
    ):
        read("robot: planar_3r\ntorque: tau.csv\nduration: 1\n", tmp_path).simulate()


@pytest.mark.parametrize("columns", ["q", "q qd qdd"])
def test_a_reference_is_followed(tmp_path: Path, columns: str) -> None:
    """Started on a reference, computed torque stays on it; rates that the csv does not have are found.

    Forces are held for a step h, so the error is a series in h; three steps take its first two terms away.
    """
    t = np.linspace(0, 0.5, 26)
    q = 0.3 * np.stack([np.sin(3 * t), np.cos(2 * t), t**2], axis=-1)
    qd = 0.3 * np.stack([3 * np.cos(3 * t), -2 * np.sin(2 * t), 2 * t], axis=-1)
    qdd = 0.3 * np.stack([-9 * np.sin(3 * t), -4 * np.cos(2 * t), 2 + 0 * t], axis=-1)
    given = {"q": q, "qd": qd, "qdd": qdd}
    kinds = columns.split()
    header = ",".join(["t", *(f"{name}_{joint}" for name in kinds for joint in NAMES)])
    table = np.column_stack([t, *(given[name] for name in kinds)])
    np.savetxt(tmp_path / "path.csv", table, delimiter=",", header=header, comments="", fmt="%.17g")
    words = (
        f"robot: planar_3r\nq0: {q[0].tolist()}\nqd0: {qd[0].tolist()}\ncontroller: computed_torque\n"
        "reference: path.csv\ninputs: {Kp: 100, Kd: 20}\nsave: {every: 0.01}\nmethod: rk4\nmethod.step: "
    )
    coarse, middle, fine = (read(f"{words}{step}\n", tmp_path).simulate() for step in (2e-3, 1e-3, 5e-4))
    exact = 0.3 * np.stack([np.sin(3 * fine.t), np.cos(2 * fine.t), fine.t**2], axis=-1)
    np.testing.assert_allclose(fine.signals["q_ref"], exact, rtol=0, atol=1e-8)
    np.testing.assert_allclose((coarse.q - 6.0 * middle.q + 8.0 * fine.q) / 3.0, exact, rtol=0, atol=1e-7)


def test_what_a_controller_does_not_know_of(tmp_path: Path) -> None:
    """The key payload is part of the robot and compensated; parameters of the inputs are not."""
    hold = "robot: planar_3r\nq0: [0.5, 0.1, -0.2]\nduration: 0.05\n" + PD
    known = read(hold + "payload: {mass: 2}\n", tmp_path).simulate()
    np.testing.assert_allclose(known.q[-1], known.q[0], rtol=0, atol=1e-12)
    unknown = read(hold.replace("inputs: {", "inputs: {tip.payload.mass: 2, link_3.mass: 3, "), tmp_path)
    assert unknown.robot.model.link("link_3").inertia.mass == pytest.approx(5.0)
    assert abs(unknown.simulate().q[-1] - unknown.settings["q0"]).max() > 1e-3


def test_words_of_the_other_verb(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="every, summaries: for armdyn study, not used here"):
        read("robot: planar_3r\nevery: 10\nsummaries: [tip_error]\n", tmp_path)
    (tmp_path / "study.yaml").write_text("robot: planar_3r\ngrid: {q0: [[0, 0, 0]]}\nsave: 0.1\n")
    with pytest.warns(UserWarning, match="save: for armdyn simulate, not used by a study"):
        Scenario.read(tmp_path / "study.yaml")
    (tmp_path / "study.yaml").write_text("robot: planar_3r\ngrid: {q0: [[0, 0, 0]]}\nevents: {up: {threshold: {}}}\n")
    with pytest.raises(StudyError, match=r"study.yaml:3: 'events' is for one motion, by armdyn simulate"):
        Scenario.read(tmp_path / "study.yaml")


@pytest.mark.slow
def test_projection_in_both_verbs(tmp_path: Path) -> None:
    (tmp_path / "tied.xml").write_text(TIED)
    robot = armdyn.load(tmp_path / "tied.xml")
    words = "robot: tied.xml\nduration: 1\nmethod: rk4\nmethod.step: 0.01\nproject: true\n"
    motion = read(words, tmp_path).simulate()
    assert np.ptp(motion.q, axis=0).min() > 0.01
    assert abs(robot.constraint_error(motion.q)).max() < 1e-14
    drifting = read(words.replace("true", "false"), tmp_path).simulate()
    assert abs(robot.constraint_error(drifting.q)).max() > 1e-9
    (tmp_path / "study.yaml").write_text(words + "grid: {three.mass: [1, 2]}\n")
    scenario = Scenario.read(tmp_path / "study.yaml")
    runs = armdyn.study(scenario.robot, scenario.samples, **scenario.settings)
    assert abs(robot.constraint_error(runs["final.q"])).max() < 1e-14
    np.testing.assert_allclose(runs["final.q"][0], motion.q[-1], rtol=0, atol=1e-10)
    assert abs(runs["final.q"][1] - motion.q[-1]).max() > 1e-3


@pytest.mark.parametrize(
    ("error", "text", "said"),
    [
        (UnknownName, "tourque: a.csv", r"no key 'tourque' in .*motion.yaml:2 .* Did you mean 'torque'"),
        (UnknownName, "torques: a.csv", r"no key 'torques' in .*motion.yaml:2; expected torque=FILE.csv"),
        (UnknownName, "step: 1e-3", r"no key 'step' in .*motion.yaml:2; expected method.step=VALUE"),
        (UnknownName, "torque: {between: cubic, file: tau.csv}", r"no interpolation 'cubic' in .*:2 "),
        (UnknownName, "torque: {fle: tau.csv}", r"no part 'fle' in .*:2 .*Did you mean 'file'"),
        (StudyError, "torque: {between: hold}", r":2: torque has no file; expected such as {file: torques.csv}"),
        (UnknownName, "outputs: {png: a.png}", r"no key 'outputs' in .*:2; expected out=FILE"),
        (UnknownName, "stops: {restitutoin: 0.5}", "Did you mean 'restitution'"),
        (UnknownName, "payload: {mas: 2}", r"no part of a payload 'mas' in .*:2 .*Did you mean 'mass'"),
        (UnknownName, "method: rk5", r"no method 'rk5' in .*:2 .*Did you mean 'rk4'"),
        (StudyError, "inputs:\n  tau: 1", r"yaml:3: 'tau' is not an input; expected the key 'torque'"),
        (StudyError, "samples: {q0: {normal: [0, 1]}}", ":2: 'samples' makes this a study"),
        (StudyError, "method.step: soon\nmethod: rk4", ":2: method.step is 'soon'; expected a number in s"),
        (ArmdynError, "method.step: 1e-3", r":2: method 'adaptive' has no step"),
        (StudyError, "duration: -1", r":2: duration is -1"),
        (ArmdynError, "q0: [1, 2]", r":2: q0 has shape \(2,\)"),
        (MissingInput, "controller: pd_gravity", ":2: the controller has no q_ref, Kp, Kd; expected in inputs"),
        (StudyError, "controller: pd", ":2: the controller 'pd' is called 'pd_gravity', and its inputs q_ref"),
        (StudyError, "controller: [pid, {saturated: {}}]\ninputs: {target: 0}", ":3: 'target' is called 'q_ref'"),
        (StudyError, "controller: pid\ninputs: {kp: 0}", ":3: 'kp' is called 'Kp'"),
        (StudyError, "inputs: {target: 0}", ":2: 'target' is of a controller, and there is none"),
        (StudyError, "controller: [none, {sampled: {}}]", ":2: controller 'none' takes no options, and nothing stands"),
        (MissingInput, "controller: pd_gravity\ninputs: {q_ref: 0}", ":3: the controller has no Kp, Kd; expected"),
        (StudyError, PD + "torque: tau.csv", ":4: a controller and torque are both given"),
        (StudyError, "sample_time: 0.01", ":2: 'sample_time' is of a controller, and there is none"),
        (StudyError, PD + "sample_time: 0.01", ":4: sample_time needs a method with steps of one length"),
        (StudyError, "project: 1", ":2: project is 1; expected True or False"),
        (ArmdynError, "stops: 2", r":2: restitution is 2; expected a number between 0"),
        (
            ArmdynError,
            "torque: nosuch.csv",
            r":2: no file '.*nosuch.csv'; expected a table",
        ),
        (StudyError, "q0: 0\ninputs: {q0: 1}", ":3: 'q0' is not an input; expected the key 'q0'"),
        (StudyError, "payload: {com: [0, 0, 1]}", ":2: payload has no mass"),
        (StudyError, "out: 3", ":2: out is 3; expected a list of names"),
        (DTypeError, "q0: true", ":2: q0 holds True; expected real numbers"),
        (DTypeError, "torque: [1, 0, false]", ":2: torque holds False; expected real numbers"),
        (DTypeError, "payload: {mass: 2, com: [0, 0, true]}", ":2: com of the payload holds True"),
        (DTypeError, "gravity: [0, 0, true]", ":2: gravity holds True"),
        (ShapeError, "inputs: {gravity: -9.81}", r":2: gravity has shape \(\); expected \(3,\)"),
        (StudyError, PD + "method: taylor", ":4: method 'taylor' differentiates the joint forces"),
        (StudyError, "record: [q, qd, q]", ":2: record names 'q' twice; expected each name once"),
        (UnknownName, "record: [theta]", r"no state or signal 'theta' in .*:2 .* Known: q, qd, tau"),
        (StudyError, "redundant: least_squares", ":2: redundant is of constraints, and 'planar_3r' has none"),
        (StudyError, "redundant: least", ":2: redundant is 'least'; expected 'auto', 'error' or 'least_squares'"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, error: Any, text: str, said: str) -> None:
    with pytest.raises(error, match=said):
        read(f"robot: planar_3r\n{text}\n", tmp_path)


def test_options_come_first(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("robot: planar_3r\nmethod: euler\nmethod.step: 1e-2\n" + STATE + PD)
    words = Words.read(tmp_path / "a.yaml").with_options(
        {("method",): "rk4", ("inputs", "Kp"): 7.0, ("q0",): np.zeros(3)},
        {("method",): "--method", ("inputs", "Kp"): "--Kp", ("q0",): "--q0"},
    )
    motion = MotionSettings.of(words, words.robot())
    assert motion.settings["method"] == RungeKutta4(step=1e-2)
    np.testing.assert_array_equal(motion.settings["q0"], np.zeros(3))
    np.testing.assert_array_equal(motion.settings["qd0"], QD0)
    assert words.entries["inputs"]["Kp"] == 7.0
    assert words.where("inputs", "Kp") == "--Kp"
    assert words.where("qd0").endswith("a.yaml:5")


def test_no_key_has_two_meanings() -> None:
    assert len(set(KEYS)) == len(KEYS)


def test_numbers_of_parallel_springs(tmp_path: Path) -> None:
    robot = armdyn.load("planar_3r").with_parallel_springs({"joint_2": (12.0, 0.4)})
    with pytest.warns(armdyn.DescriptionWarning, match="springs of 'joint_2'"):
        robot.to_urdf(tmp_path / "sprung.urdf")
    text = f"robot: {tmp_path / 'sprung.urdf'}\nduration: 0.1\n{STATE}inputs: {{joint_2.parallel_spring.stiffness: "
    found = read(text + "20}\n", tmp_path).robot
    assert found == robot.with_parallel_springs({"joint_2": (20.0, 0.4)})
    with pytest.raises(ArmdynError, match="stiffness of JointSpring is -1"):
        read(text + "-1}\n", tmp_path)


def test_parameters_of_joints(tmp_path: Path) -> None:
    """Damping, friction, armature, a rotor that is a body of its own and a spring, each as a robot with that number."""
    path = tmp_path / "drives.yaml"
    path.write_text(
        "joint_1: {gear: {ratio: 20}, motor: {rotor_inertia: 1e-3}, rotor: {}}\n"
        "joint_3: {motor: {rotor_inertia: 0.1}, spring: {stiffness: 900}}\n"
    )
    text = f"robot: planar_3r\nactuators: {path}\nduration: 0.1\n{STATE}"
    given = {
        "joint_1.rotor": 3e-3,
        "joint_2.armature": 0.4,
        "joint_2.damping": 0.3,
        "joint_2.friction": 0.2,
        "joint_3.spring.stiffness": 700.0,
    }
    robot = read(text + f"inputs: {given!r}".replace("'", '"') + "\n", tmp_path).robot
    known = read(text, tmp_path).robot
    found = robot.model
    assert found.rotors["joint_1.rotor"].inertia == 3e-3
    assert found.springs["joint_3.spring.stiffness"] == 700.0
    assert [getattr(found.joint("joint_2"), name) for name in ("armature", "damping", "friction")] == [0.4, 0.3, 0.2]
    q, qd, qdd = np.random.default_rng(3).normal(size=(3, 3))
    names = [name for name in given if "spring" not in name]
    compiled = known.compile(armdyn.algorithms.inverse_dynamics, parameters=names)
    tau = compiled(q, qd, qdd, **{name: given[name] for name in names})
    np.testing.assert_allclose(robot.inverse_dynamics(q, qd, qdd), tau, rtol=1e-12)
    with pytest.raises(ArmdynError, match=r"joint_2\.damping is -1"):
        read(text + "inputs: {joint_2.damping: -1}\n", tmp_path)
