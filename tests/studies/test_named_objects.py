"""Contacts, events, constraints and thresholds in scenarios: the same as by calls, and mistakes with their line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn import control
from armdyn.actuators import Actuator, Coulomb, Viscous, write
from armdyn.base.errors import ArmdynError, UnknownName
from armdyn.constraints import JointCoupling, PointOnPlane, RedundantConstraints
from armdyn.simulation import Contact, JointLimit, Plane, RungeKutta4
from armdyn.studies import StudyError
from armdyn.studies.motion import MotionSettings
from armdyn.studies.words import Words

ARM = armdyn.load("planar_2r")
FALLS = "robot: planar_2r\nduration: 0.6\n"
TABLE = "contacts:\n  table: {frame: tip, normal: [0, 1, 0], through: [0, -0.9, 0], restitution: 0.3}\n"
SHELF = "events:\n  shelf: {plane: {frame: tip, normal: [0, 1, 0], through: [0, -0.5, 0]}}\n"
WATCHED = (
    "robot: planar_2r\nq0: [-0.3, 0.4]\nduration: 0.55\nmethod: rk4\nmethod.step: 2e-3\n"
    "controller: [pd_gravity, {momentum_observer: {}}]\n"
    "inputs: {q_ref: [-1.2, 0.4], qd_ref: 0, Kp: 30, Kd: 12, K_observer: 100}\n"
    + TABLE.replace(", restitution: 0.3", "")
)


def read(text: str, folder: Path) -> MotionSettings:
    path = folder / "motion.yaml"
    path.write_text(text)
    words = Words.read(path)
    return MotionSettings.of(words, words.robot())


def told(motion: armdyn.Trajectory) -> list[tuple[float, str, str]]:
    return [(event.t, event.name, event.kind) for event in motion.events]


def test_contacts_and_events_are_those_of_the_call(tmp_path: Path) -> None:
    motion = read(FALLS + TABLE + SHELF, tmp_path).simulate()
    expected = armdyn.simulate(
        ARM,
        [0.0, 0.0],
        duration=0.6,
        elements=[Contact(PointOnPlane("tip", (0, 1, 0), (0, -0.9, 0), name="table"), 0.3)],
        events=[Plane("tip", (0, 1, 0), (0, -0.5, 0), name="shelf")],
    )
    np.testing.assert_array_equal(motion.q, expected.q)
    assert told(motion) == told(expected)
    assert {"shelf", "table"} == {event.name for event in motion.events}


def test_events_end_a_motion(tmp_path: Path) -> None:
    """A terminal event of the motion; limits have the names of their joints."""
    motion = read(
        "robot: scara\nlocked: {wrist: 0}\ngravity: [0, 0, 0]\nqd0: [1, 0, 0]\nduration: 5\n"
        "events: {end: {joint_limit: {terminal: true}}}\n",
        tmp_path,
    )
    expected = armdyn.simulate(
        motion.robot, np.zeros(3), [1.0, 0.0, 0.0], duration=5.0, events=[JointLimit(terminal=True)]
    )
    found = motion.simulate()
    assert told(found) == told(expected)
    assert found.t[-1] == expected.t[-1] < 5.0


def observed(motion: armdyn.Trajectory, gain: float, h: float) -> np.ndarray:
    """The residual by De Luca's equations in NumPy: C^T qd is the rate of the kinetic energy along q."""
    p = np.einsum("tij,tj->ti", ARM.mass_matrix(motion.q), motion.qd)
    eps = 1e-6 * np.eye(2)
    moved = [ARM.kinetic_energy(motion.q + e, motion.qd) - ARM.kinetic_energy(motion.q - e, motion.qd) for e in eps]
    rate = motion.tau + np.stack(moved, axis=-1) / 2e-6 - ARM.gravity_forces(motion.q)
    estimate, residual = p[0], np.zeros_like(p)
    for k in range(len(p)):
        residual[k] = gain * (p[k] - estimate)
        estimate = estimate + h * (rate[k] + residual[k])
    return residual


def test_a_collision_passes_the_threshold_of_a_residual(tmp_path: Path) -> None:
    """The event is at the first sample at which the recorded residual is beyond, joint by joint, and not before."""
    threshold = "events: {hit: {threshold: {signal: residual, above: [2, 3]}}}\n"
    motion = read(WATCHED + threshold, tmp_path).simulate()
    residual = motion.signals["residual"]
    for k, (joint, limit) in enumerate(zip(ARM.joint_names, (2.0, 3.0), strict=True)):
        first = motion.t[np.argmax(abs(residual[:, k]) > limit)]
        assert (first, f"hit of {joint}", "crossing") in told(motion)
    impact = next(event.t for event in motion.events if event.kind == "impact")
    assert impact < first < impact + 4e-3
    np.testing.assert_allclose(residual[:-1], observed(motion, 100.0, 2e-3)[:-1], rtol=0, atol=1e-6)
    ended = read(WATCHED + threshold.replace("3]", "3], terminal: true"), tmp_path).simulate()
    assert ended.t[-1] == first == ended.events[-1].t
    np.testing.assert_array_equal(ended.q, motion.q[: len(ended.t)])
    np.testing.assert_array_equal(ended.signals["residual"], residual[: len(ended.t)])
    assert [note for note in ended.notes if note.startswith("1 impact took")]


@pytest.mark.short_run("sampled", "without events")  # the former has the contact too
@pytest.mark.parametrize(
    "words",
    [
        WATCHED,
        WATCHED + "sample_time: 4e-3\n",
        WATCHED.partition("contacts")[0] + "f_tip: [0, 0, 0, 9, 9, 0]\n",
    ],
    ids=["contact", "sampled", "without events"],
)
def test_a_threshold_ends_a_motion_whose_states_are_rarely_saved(words: str, tmp_path: Path) -> None:
    """At the state of the threshold, with the controller's forces there: the same as where all states are saved."""
    ends = "events: {hit: {threshold: {signal: residual, above: 3, terminal: true}}}\n"
    each, rare = (read(words + every + ends, tmp_path).simulate() for every in ("", "save: {every: 0.2}\n"))
    assert each.t[-1] == rare.t[-1] == rare.events[-1].t < 0.55
    np.testing.assert_allclose(rare.t[:-1], np.arange(0.0, rare.t[-1], 0.2), atol=1e-15)
    for name in ("q", "qd", "qdd", "tau"):
        np.testing.assert_array_equal(getattr(rare, name)[-1], getattr(each, name)[-1], err_msg=name)
    np.testing.assert_array_equal(rare.signals["residual"][-1], each.signals["residual"][-1])
    np.testing.assert_allclose(rare.energy.drift[-1], each.energy.drift[-1], rtol=0, atol=1e-12)
    assert told(rare) == told(each)


@pytest.mark.slow
def test_signals_are_those_of_the_closed_loop(tmp_path: Path) -> None:
    free = WATCHED.partition("contacts")[0].replace("0.55", "0.1")
    motion = read(free + "record: [observed_momentum]\n", tmp_path).simulate()
    names = ["residual", "observed_momentum"]
    loop = armdyn.ClosedLoop(ARM, control.momentum_observer(control.pd_gravity), method=RungeKutta4(2e-3), record=names)
    aim = {"q_ref": [-1.2, 0.4], "qd_ref": np.zeros(2), "Kp": np.full(2, 30.0), "Kd": np.full(2, 12.0)}
    rows = loop([-0.3, 0.4], steps=50, **aim, K_observer=np.full(2, 100.0)).rows
    for name in names:
        np.testing.assert_allclose(motion.signals[name][:-1], getattr(rows, name), rtol=0, atol=1e-10)
    assert "observed_momentum" not in read(free, tmp_path).simulate().signals


def test_constraints_and_an_initial_state_on_them(tmp_path: Path) -> None:
    text = "robot: planar_3r\nq0: [0.4, 0.5, 0]\nduration: 0.1\n" + (
        "constraints: {tied: {joint_coupling: {factors: {joint_1: 1, joint_2: -1}}}}\n"
    )
    arm = armdyn.load("planar_3r").with_constraints(JointCoupling({"joint_1": 1, "joint_2": -1}))
    with pytest.raises(StudyError, match=r"motion\.yaml:2: .*close_loop: true, or --set close_loop=true"):
        read(text, tmp_path)
    motion = read(text + "close_loop: true\n", tmp_path).simulate()
    expected = armdyn.simulate(arm, arm.close_loop([0.4, 0.5, 0.0]), duration=0.1)
    np.testing.assert_allclose(motion.q, expected.q, rtol=0, atol=1e-12)
    assert np.ptp(motion.q, axis=0).min() > 1e-3


def test_constraints_of_which_some_follow_from_others(tmp_path: Path) -> None:
    """A line in space holds a planar arm twice: its second row moves against nothing."""
    text = "robot: planar_3r\nq0: [0.5, 1.0, -0.5]\nclose_loop: true\nduration: 0.1\nmethod: rk4\n" + (
        "constraints: {rail: {point_on_line: {frame: tip, direction: [1, 0, 0], through: [0, 5, 0]}}}\n"
    )
    with pytest.raises(RedundantConstraints, match="redundant='least_squares'"):
        read(text + "redundant: error\n", tmp_path).simulate()
    motion = read(text + "redundant: least_squares\n", tmp_path).simulate()
    by_default = read(text, tmp_path).simulate()
    np.testing.assert_allclose(by_default.q, motion.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(by_default.signals["multipliers"], motion.signals["multipliers"], rtol=0, atol=1e-9)
    assert any(note.startswith("rows of constraints that follow from others") for note in by_default.notes)
    arm = armdyn.load("planar_3r").with_constraints(PointOnPlane("tip", (0, 1, 0), (0, 5, 0)))
    alone = armdyn.simulate(arm, motion.q[0], duration=0.1, method="rk4")
    np.testing.assert_allclose(motion.q, alone.q, rtol=0, atol=1e-12)
    assert np.ptp(motion.q, axis=0).min() > 1e-3


def test_multipliers_beside_stops_contacts_and_joints_that_stick(tmp_path: Path) -> None:
    """An arm that slides down a wall with friction comes to rest on a floor: statics say what the wall takes."""
    text = "robot: planar_2r\nq0: [-0.6, 1.5]\nclose_loop: true\nduration: 2\nproject: true\nsave: {every: 0.1}\n" + (
        "constraints: {wall: {point_on_plane: {frame: tip, normal: [1, 0, 0], through: [1, 0, 0]}}}\n"
        "contacts: {floor: {frame: tip, normal: [0, 1, 0], through: [0, -0.3, 0]}}\nactuators: rubs.yaml\n"
    )
    write({"joint_1": Actuator(friction=[Viscous(0.3), Coulomb(0.2)])}, tmp_path / "rubs.yaml")
    described = read(text, tmp_path)
    motion, arm = described.simulate(), described.robot
    push, friction = motion.signals["contact_force"][-1, 0], motion.signals["friction"][-1]
    assert push > 1.0
    bare, q = arm.without_friction().without_constraints(), motion.q[-1]
    wall, floor = (bare.jacobian(q, expressed_in="world")[row] for row in (3, 4))
    left = bare.gravity_forces(q) + friction + wall * motion.signals["multipliers"][-1, 0] - floor * push
    np.testing.assert_allclose(left, 0.0, rtol=0, atol=1e-9)


HIT = "events:\n  hit: {threshold: {signal: residual, above: 3}}\n"


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        (UnknownName, TABLE.replace("normal", "norml"), r":4: no setting 'norml' .* Did you mean 'normal'"),
        (UnknownName, TABLE.replace("tip", "tipp"), r":4: no frame 'tipp' .* Did you mean 'tip'"),
        (ArmdynError, TABLE.replace("0.3", "2"), r":4: restitution is 2"),
        (StudyError, "contacts:\n  table: 3\n", r":4: contact 'table' is 3; expected such as \{frame"),
        (StudyError, "contacts: {table: {frame: tip}}\n", r":3: contact 'table' has no normal; expected such as"),
        (UnknownName, SHELF.replace("plane", "plan"), r":4: no kind of event 'plan' .* Did you mean 'plane'"),
        (ArmdynError, SHELF.replace("normal", "terminal: 3, normal"), r":4: terminal is 3; expected True or False"),
        (ArmdynError, "events: {e: {joint_limit: {}}}\n", r":3: JointLimit: no joint has limits"),
        (StudyError, HIT, r":4: a threshold is of a signal of the controller, and here is none"),
        (UnknownName, "record: [residual]\n", r"no state or signal 'residual' in .*:3"),
        (
            UnknownName,
            "constraints: {a: {weldd: {}}}\n",
            r":3: no kind of constraint 'weldd' .*\(8 kinds of constraint",
        ),
        (StudyError, "constraints: {a: 3}\n", r":3: constraint 'a' is 3; expected its kind, such as \{point_on_plane"),
        (ArmdynError, "constraints: {a: {joint_coupling: {factors: 3}}}\n", r":3: factors of a joint coupling are 3"),
        (StudyError, "close_loop: true\n", r":3: close_loop is of constraints, and 'planar_2r' has none"),
        (StudyError, "inputs: {Kp: 3}\n", r":3: 'Kp' is of a controller, and there is none"),
        (ArmdynError, TABLE.replace("1, 0]", "true, 0]", 1), r":4: normal of constraint 'table' is \[0, True, 0\]"),
        (ArmdynError, "constraints: {a: {distance: {frame: tip, length: true}}}\n", r":3: length of constraint 'a' is"),
        (StudyError, TABLE.replace("table", "5"), r":4: contacts has the name 5; expected a text, in quotes"),
        (StudyError, SHELF.replace("shelf", "yes"), r":4: events has the name True; expected a text"),
        (StudyError, "constraints: {'': {distance: {frame: tip, length: 1}}}\n", r":3: constraints has the name ''"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, kind: type[Exception], text: str, said: str) -> None:
    with pytest.raises(kind, match=said):
        read(FALLS + text, tmp_path)


@pytest.mark.parametrize(
    ("kind", "old", "new", "said"),
    [
        (UnknownName, "residual", "residul", r":11: no signal 'residul' in the controller .* Did you mean 'residual'"),
        (ArmdynError, "above: 3", "above: -3", r":11: above is -3; expected numbers above zero"),
        (ArmdynError, "above: 3", "above: [1, true]", r":11: above holds True; expected real numbers"),
        (ArmdynError, "above: 3", "above: [1, 2, 3]", r":11: above has shape \(3,\); expected a number, or \(2,\)"),
        (StudyError, ", above: 3", "", r":11: threshold 'hit' has no above; expected such as \{signal"),
        (ArmdynError, ", K_observer: 100", "", r":7: the controller has no K_observer; expected in inputs"),
        (ArmdynError, "[pd_gravity", "[pd_gravity, {saturated: {limits: [1, 2, 3]}}", r":6: limits has 3 values"),
    ],
)
def test_mistakes_about_the_controller(tmp_path: Path, kind: type[Exception], old: str, new: str, said: str) -> None:
    with pytest.raises(kind, match=said):
        read(WATCHED.replace(old, new) + HIT.replace(old, new), tmp_path)
