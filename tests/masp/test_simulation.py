"""The simulation half: the torques of a path give the path back, to the order of the predictor-corrector."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.logs import LogError
from armdyn.masp import (
    InputUnits,
    SimulationSettings,
    TorqueTable,
    TorqueTableError,
    columns,
    read_masp,
    read_torques,
    simulate_torques,
    torques_of_path,
)
from armdyn.plots import draw_simulation
from armdyn.simulation import SettingError, SimulationError
from armdyn.trajectory import follow
from oracles.masp_files import papers_arm, read

Edited = Callable[..., Path]


def off_the_path(name: str, step: float, duration: float) -> float:
    """The greatest difference of the hand's pose from the path's, m and 1."""
    problem = replace(read(name), simulated=SimulationSettings(duration=duration, step=step))
    moved = problem.simulate()
    assert abs(moved.t[-1] - duration) < 1e-12
    assert (np.diff(moved.t) > 0.0).all()
    return float(np.abs(moved.tip.pose - problem.path.evaluate(moved.t).pose).max())


@pytest.mark.slow
@pytest.mark.parametrize(("name", "duration"), [("kg_puma", 1.5), ("slider", 0.6)])
def test_the_torques_of_the_path_give_the_path_back(name: str, duration: float) -> None:
    """With the fourth order, across the cam law's switches (of the slider's), at which the torques have corners."""
    coarse, fine = (off_the_path(name, step, duration) for step in (0.005, 0.0025))
    assert coarse < 1e-7
    assert 3.4 < np.log2(coarse / fine) < 4.6


def test_corners_that_are_no_breaks_cost_accuracy() -> None:
    """Why breaks are there: the same rows without them."""
    problem = read("slider")
    table = torques_of_path(problem.robot, problem.path, near=problem.start(), load=problem.load, until=0.6)
    np.testing.assert_allclose(table.ends, [0.0, 0.3, 0.5, 0.6])
    q0 = follow(problem.robot, problem.path, [0.0], near=problem.start()).q[0]
    errors = []
    for breaks in ([0.3, 0.5], []):
        torques = TorqueTable(table.t, table.tau, breaks)
        moved = simulate_torques(problem.robot, torques, q0, step=0.0025, load=problem.load)
        errors.append(np.abs(moved.tip.pose - problem.path.evaluate(moved.t).pose).max())
    assert errors[1] > 10 * errors[0]


def test_the_hands_motion_is_the_joints() -> None:
    """Velocity and acceleration of the hand against the papers' differentiated displacements, in the file's units."""
    problem = read("slider")
    moved = replace(problem, simulated=SimulationSettings(duration=0.3, step=0.01)).simulate()
    arm, table = papers_arm("slider"), columns(moved)
    scales = np.array([1, 1, 1e-3, 1, 1, 1])
    for k in range(0, len(moved.t), 5):
        state = [x[k] / scales for x in moved.joints]
        np.testing.assert_allclose(
            arm.hand_pose(state[0])[:3, 3], [table[f"hand_{x} [mm]"][k] for x in "xyz"], atol=1e-10
        )
        last = arm.link_states(*state)[-1]
        h = arm.rotations(state[0])[-1] @ arm.d[-1]
        v_unit = [table[f"hand_omega_{x} [rad/s]"][k] for x in "xyz"]
        np.testing.assert_allclose(last.w, v_unit, rtol=0, atol=1e-13)
        np.testing.assert_allclose(last.alpha, [table[f"hand_alpha_{x} [rad/s²]"][k] for x in "xyz"], atol=1e-11)
        a = last.a_com + np.cross(last.alpha, h) + np.cross(last.w, np.cross(last.w, h))
        np.testing.assert_allclose(a, [table[f"hand_a_{x} [mm/s²]"][k] for x in "xyz"], rtol=0, atol=1e-8)


def test_accelerations_are_the_papers_direct_dynamics() -> None:
    """(39) to (44) in millimetres and newtons, from the simulation's torques and states, the load included."""
    moved = replace(read("slider"), simulated=SimulationSettings(duration=0.3, step=0.02)).simulate()
    arm = papers_arm("slider")
    scales, forces = np.array([1, 1, 1e-3, 1, 1, 1]), np.array([1e-3, 1e-3, 1, 1e-3, 1e-3, 1e-3])
    for k in range(len(moved.t)):
        q, qd, qdd = (x[k] / scales for x in moved.joints)
        R = arm.hand_pose(q)[:3, :3]
        f_tip = -np.concatenate([R.T @ [100.0, 200.0, -300.0], R.T @ [3.0, -4.0, 5.0]])
        found = arm.direct_dynamics(q, qd, moved.tau[k] / forces, f_tip)
        np.testing.assert_allclose(qdd, found, rtol=0, atol=1e-9 * max(1.0, np.abs(found).max()))


def test_torques_as_csv_go_there_and_back(edited: Edited) -> None:
    """The analysis's numbers, written and read in the file's units, with the switches as breaks."""
    problem = read("slider")
    run = replace(problem, samples=761).analyse()  # every 5 ms
    file = edited(
        "slider",
        ("[simulation]\nduration = 1.2", "[simulation]\ntorques = 'run.csv'\nbreaks = [0.3, 0.5]\nduration = 0.6"),
    )
    write(file.with_name("run.csv"), columns(run))
    again = read_torques(file.with_name("run.csv"), problem.robot, problem.units, [0.3])
    np.testing.assert_allclose(again.tau, run.tau, rtol=0, atol=1e-12)
    moved = read_masp(file).simulate()
    assert abs(moved.t[-1] - 0.6) < 1e-12
    assert len(moved.pieces) == 3
    assert np.abs(moved.tip.pose - problem.path.evaluate(moved.t).pose).max() < 1e-7


def test_times_of_a_csv_have_units(edited: Edited) -> None:
    """As of every csv: a column "t [ms]" is in milliseconds."""
    run = replace(read("slider"), samples=20).analyse()
    path = edited("slider").with_name("run.csv")
    table = columns(run)
    write(path, {"t [ms]" if name == "t [s]" else name: values for name, values in table.items()})
    found = read_torques(path, run.robot, InputUnits("mm", "N", "rad"))
    np.testing.assert_allclose(found.t, 1e-3 * run.t, rtol=1e-15)
    np.testing.assert_allclose(found.tau, run.tau, rtol=0, atol=1e-12)


def write(path: Path, table: dict[str, np.ndarray]) -> None:
    rows = np.column_stack(list(table.values()))
    lines = [",".join(table), *(",".join(map(repr, row.tolist())) for row in rows)]
    path.write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty; expected joint states"),
        ("t,tau_waist\n0,1\n", "has no column tau_shoulder, tau_slide, tau_roll, tau_pitch, tau_hand; expected "),
        ("t,tau_wrist\n0,1\n", "no column 'tau_wrist' in .* for 'slider'"),
        ("MM\n", r"column 'tau_slide \[N mm\]': unit 'N mm', in m\^2 kg s\^-2; expected a unit like N"),
        ("METRES\n", r"column 't \[m\]': unit 'm', in m; expected a unit like s"),
        ("HEAD,tau_slide\n", "names 'tau_slide' more than once"),
        ("HEAD\n", "has a header and no rows"),
        ("HEAD\n0,1,1,1,1,1,1\n1,1,1,1,x,1,1\n", "csv:3 column 'tau_roll' holds 'x'; expected a finite number"),
        ("HEAD\n0,1,1,1,1,1,1\n1,1,1,1,nan,1,1\n", "holds 'nan'; expected a finite number"),
        ("HEAD\n0,1,1,1,1,1,1\n1,1\n", "csv:3 has 2 values; expected 7"),
        ("HEAD\n1,1,1,1,1,1,1\n0,1,1,1,1,1,1\n", "each with a time after that of the row before"),
    ],
)
def test_tables_that_are_none(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "torques.csv"
    head = "t,tau_waist,tau_shoulder,tau_slide,tau_roll,tau_pitch,tau_hand"
    heads = {"HEAD": head, "MM": head.replace("slide", "slide [N mm]"), "METRES": head.replace("t,", "t [m],", 1)}
    for word, heading in heads.items():
        text = text.replace(word, heading)
    path.write_text(text)
    with pytest.raises((LogError, armdyn.UnknownName), match=message):
        read_torques(path, read("slider").robot, InputUnits("mm", "N", "rad"))


def test_what_cannot_be_simulated() -> None:
    problem = read("kg_puma")
    hold = TorqueTable([0.0, 1.0], np.zeros((2, 6)))
    with pytest.raises(SettingError, match="duration is 2 s; expected at most the 1 s for which there are torques"):
        simulate_torques(problem.robot, hold, np.zeros(6), duration=2.0)
    with pytest.raises(armdyn.ShapeError, match="the torques are of 2 joints; expected 6"):
        simulate_torques(problem.robot, TorqueTable([0.0, 1.0], np.zeros((2, 2))), np.zeros(6))
    with pytest.raises(SettingError, match="step is 0"):
        simulate_torques(problem.robot, hold, np.zeros(6), step=0.0)
    with pytest.raises(TorqueTableError, match=r"the break at 0.4 s is not a time of the table; the nearest is 0 s"):
        TorqueTable([0.0, 1.0], np.zeros((2, 6)), breaks=[0.4])
    with pytest.raises(LogError, match=r"no file 'nosuch\.csv'; expected a table"):
        read_torques(Path("nosuch.csv"), problem.robot, problem.units)
    with pytest.raises(armdyn.ArmdynError, match=r"has no table \[simulation\]"):
        replace(problem, simulated=None).simulate()
    thrown = TorqueTable([0.0, 0.5, 1.0], 1e9 * np.ones((3, 6)), breaks=[0.5])
    with pytest.raises(SimulationError):
        simulate_torques(problem.robot, thrown, np.zeros(6), step=0.1)


def test_a_table_is_smooth_between_breaks_and_jumps_there() -> None:
    t = np.linspace(0.0, 2.0, 41)
    tau = np.where(t < 1.0, np.sin(t), np.cos(3 * t))[:, None]
    table = TorqueTable(t, tau, breaks=[1.0])
    assert abs(table.at(1.525)[0] - np.cos(3 * 1.525)) < 1e-8
    np.testing.assert_allclose(table.in_piece(1, 1.0), np.cos([3.0]), rtol=0, atol=1e-14)
    np.testing.assert_allclose([table.at(-1.0), table.at(5.0)], tau[[0, -1]], rtol=0, atol=1e-14)


def test_pictures_of_a_simulation() -> None:
    moved = replace(read("slider"), simulated=SimulationSettings(duration=0.6, step=0.01)).simulate()
    figure = draw_simulation(moved)
    axes = [a for a in figure.axes if a.get_title(loc="left")]
    assert len(axes) == 12
    assert [a.get_ylabel().partition("$ ")[2] for a in axes[6:]] == [
        "[mm]",
        "",
        "[mm/s]",
        "[rad/s]",
        "[mm/s²]",
        "[rad/s²]",
    ]
    np.testing.assert_allclose(axes[6].lines[1].get_ydata(), moved.tip.pose[:, 1, 3] * 1e3)
    np.testing.assert_allclose(axes[10].lines[2].get_ydata(), moved.tip.twist_rate[:, 5] * 1e3, atol=1e-3)
    sliding = [a for a in figure.axes if a.get_ylabel().startswith("slides")]
    assert [a.get_ylabel() for a in sliding] == ["slides [mm]", "slides [mm/s]", "slides [N]"]
    assert any("torque limits, which are not enforced, are left by waist" in note for note in moved.notes)


def test_steps_that_are_too_long_are_said_and_drawn() -> None:
    """The paper's arm at such steps turns and turns, more than an axis of degrees has ticks for."""
    problem = replace(read("kg_puma"), simulated=SimulationSettings(duration=2.4, step=0.15))
    moved = problem.simulate()
    assert np.abs(moved.joints.q).max() > 7 * 2 * np.pi
    assert re.match(r"the energy drifts by .* the step of 0\.15 s is too long for this motion\. Use a", moved.notes[0])
    draw_simulation(moved).draw_without_rendering()
    assert not any(
        "the energy" in note for note in replace(problem, simulated=SimulationSettings(duration=0.1)).simulate().notes
    )


def test_what_was_simulated_until_it_broke_off_is_kept() -> None:
    """An error has the pieces before it and the begun one; so has Ctrl-C."""
    robot = armdyn.load("kg_puma")
    q0 = np.array([0.1, -0.7, -0.8, -0.2, -1.0, 2.8])
    hold = robot.gravity_forces(q0)
    rows = [hold, hold, hold, hold + 1e160]
    torques = TorqueTable([0.0, 0.1, 0.2, 0.3], rows, [0.1, 0.2])
    with pytest.raises(
        SimulationError, match=r"continued at t = 0\.21 s: .* What was simulated until then is in error\.sim"
    ) as raised:
        simulate_torques(robot, torques, q0, step=0.01)
    assert "armdyn.simulate with method='adaptive'" in str(raised.value)
    kept = raised.value.simulation  # type: ignore[attr-defined]
    assert 0.2 <= kept.t[-1] < 0.3
    np.testing.assert_allclose(kept.t[:21], np.linspace(0.0, 0.2, 21), atol=1e-12)
    np.testing.assert_allclose(kept.joints.q[:20], np.tile(q0, (20, 1)), atol=1e-6)
