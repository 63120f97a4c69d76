"""Recorded, planned and simulated motions are the same thing: one reader, the same columns, notes and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import ArmdynError, ShapeError, UnknownName
from armdyn.logs import LogError
from armdyn.logs.joint_tables import read_cycle, read_reference, read_states, read_torques
from armdyn.logs.rates import rates_of
from armdyn.simulation import SettingError
from armdyn.viewer import Recording

RP = armdyn.load("rp")
T = np.linspace(0.0, 1.0, 41)
Q, QD, QDD = (np.stack([f(3.0 * T), g], -1) for f, g in (
    (np.sin, 1.0 + T**3), (lambda x: 3.0 * np.cos(x), 3.0 * T**2), (lambda x: -9.0 * np.sin(x), 6.0 * T)))  # fmt: skip
TAU = RP.inverse_dynamics(Q, QD, QDD)


def written(folder: Path, columns: dict[str, Any], separator: str = ",", name: str = "log.csv") -> Path:
    table = np.column_stack(list(columns.values()))
    np.savetxt(folder / name, table, delimiter=separator, header=separator.join(columns), comments="", fmt="%.17g")
    return folder / name


LAYOUTS = {
    "armdyn": ("t", "q_joint_{}", "qd_joint_{}", "qdd_joint_{}", "tau_joint_{}", 1),
    "UR's RTDE": ("timestamp", "actual_q_{}", "actual_qd_{}", "", "actual_current_as_torque_{}", 0),
    "libfranka": ("time", "q[{}]", "dq[{}]", "", "tau_J[{}]", 0),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("separator", [",", ";", " "])
def test_one_table_is_read_alike_by_everything_that_takes_a_motion(tmp_path: Path, layout: str, separator: str) -> None:
    time, *labels, first = LAYOUTS[layout]
    columns = {time: T} | {
        label.format(first + k): values[:, k]
        for label, values in zip(labels, (Q, QD, QDD, TAU), strict=True)
        if label
        for k in (1, 0)
    }
    path = written(tmp_path, columns, separator)
    log = armdyn.logs.read(path, RP)
    seen = Recording.of_log(log)
    for values, others in ((log.t, T), (log.q, Q), (log.qd, QD), (log.tau, TAU), (seen.q, Q), (seen.tau, TAU)):
        np.testing.assert_array_equal(values, others)
    motion = armdyn.Trajectory.from_log(path, RP)
    for reader in (read_states, read_reference, read_cycle):
        read: Any = reader(path, RP)
        np.testing.assert_array_equal(read.t, T)
        np.testing.assert_array_equal(read.q, Q)
        np.testing.assert_array_equal(read.qd, QD)
    for found in (read_torques(path, RP)[1], motion.tau):
        np.testing.assert_array_equal(found, TAU)
    np.testing.assert_array_equal(motion.t, T)
    np.testing.assert_array_equal(motion.q, Q)
    assert (layout == "armdyn") == (motion.notes[0].find("columns taken for those of") < 0)


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("t,q_joint_1\n0,0\n1,0\n2,0\n", LogError, "log.csv:1 has no column q_joint_2; expected q_joint_1, q_joint_2"),
        ("t,q_joint_1,q_elbow\n0,0,1\n1,0,1\n2,0,1\n", UnknownName, "no column 'q_elbow' in .*log.csv:1 for 'rp'"),
        (
            "t,q_joint_1 [mm],q_joint_2\n0,0,1\n",
            LogError,
            "column 'q_joint_1 .mm.': unit 'mm', in m; expected a unit like rad",
        ),
        ("t,q_joint_1,q_joint_1 [deg],q_joint_2\n0,0,0,1\n", LogError, "names 'q_joint_1' more than once"),
        ("t,q_joint_1,q_joint_2\n", LogError, "log.csv has a header and no rows below it"),
        ("q_joint_1,q_joint_2\n0,1\n1,1\n1,1\n", LogError, "log.csv:1 has no column t.* --rate HZ, rate= in Python"),
        ("", LogError, "log.csv is empty; expected joint states"),
    ],
)
def test_everything_that_takes_a_motion_refuses_in_the_same_words(
    tmp_path: Path, text: str, error: type[ArmdynError], words: str
) -> None:
    (tmp_path / "log.csv").write_text(text)
    messages = set()
    readers: list[Any] = [armdyn.logs.read, armdyn.Trajectory.from_log, read_reference, read_cycle]
    for reader in readers:
        with pytest.raises(error, match=words) as raised:
            reader(tmp_path / "log.csv", RP)
        messages.add(str(raised.value).partition("; expected a row")[0])
    with pytest.raises(error, match=words):
        armdyn.view(RP, motion=tmp_path / "log.csv", port=0, browser=False)
    assert len(messages) == 1


def test_columns_that_stand_twice_and_are_not_used_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("t,note,note,q_joint_2,q_joint_1\n0,1,2,1,0\n1,1,2,2,1\n2,1,2,3,2\n")
    np.testing.assert_array_equal(armdyn.logs.read(path, RP).q, [[0, 1], [1, 2], [2, 3]])
    np.testing.assert_array_equal(read_reference(path, RP).q, [[0, 1], [1, 2], [2, 3]])


def test_a_planned_path_is_a_trajectory() -> None:
    """Positions, rates and forces as given; what is missing follows from the spline and the equations."""
    motion = armdyn.Trajectory.from_arrays(T, Q, QD, QDD, robot=RP, signals={"error": Q - 1.0})
    np.testing.assert_allclose(motion.tau, TAU, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(motion.signals["error"], Q - 1.0)
    plain = armdyn.Trajectory.from_arrays(T, Q, robot=RP)
    assert plain.compare(motion).q.largest.max() == 0.0
    np.testing.assert_allclose(plain.qd, QD, rtol=0, atol=1e-6)
    assert motion.notes[-1] == "joint forces: inverse dynamics of the recorded motion, by the model"
    work = np.trapezoid((TAU * QD).sum(axis=-1), T)
    assert motion.energy.work[-1] == pytest.approx(work, rel=1e-12)
    assert abs(motion.energy.drift[-1]) < 2e-3 * motion.energy.scale  # of trapezia
    pushed = armdyn.Trajectory.from_arrays(T, Q, QD, QDD, robot=RP, f_tip=[0, 0, 0, 0, 2.0, 0])
    expected = RP.inverse_dynamics(Q, QD, QDD, np.array([0, 0, 0, 0, 2.0, 0]))
    np.testing.assert_allclose(pushed.tau, expected, rtol=0, atol=1e-12)


def test_a_batch_of_paths() -> None:
    both = np.stack([Q, 2.0 * Q], axis=1)
    motion = armdyn.Trajectory.from_arrays(T, both, robot=RP)
    one = armdyn.Trajectory.from_arrays(T, 2.0 * Q, robot=RP)
    assert motion.batch == (2,)
    for name in ("q", "qd", "qdd", "tau"):
        np.testing.assert_allclose(getattr(motion.pick(1), name), getattr(one, name), rtol=0, atol=1e-9)
    np.testing.assert_allclose(motion.pick(1).energy.work, one.energy.work, rtol=0, atol=1e-9)


def test_a_simulated_motion_comes_back_from_a_data_frame_and_is_saved_plotted_and_reported(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    fall = armdyn.simulate(RP, [0.3, 1.0], duration=0.5)
    again = armdyn.Trajectory.from_dataframe(fall.to_dataframe(), robot=RP)
    for name in ("t", "q", "qd", "qdd", "tau"):
        np.testing.assert_array_equal(getattr(again, name), getattr(fall, name))
    assert again.compare(fall).q.largest.max() == 0.0
    again.save(tmp_path / "again.npz")
    np.testing.assert_array_equal(armdyn.Trajectory.load(tmp_path / "again.npz").tau, fall.tau)
    assert len(again.plot().axes) == len(fall.plot().axes)
    degrees = {"t": T, "angle": np.rad2deg(Q[:, 0]), "slide": Q[:, 1]}
    motion = armdyn.Trajectory.from_dataframe(
        degrees, robot=RP, columns={"q": ["angle", "slide"]}, units={"q": ["deg", "m"]}
    )
    np.testing.assert_allclose(motion.q, Q, rtol=0, atol=1e-14)


def test_currents_are_a_signal_and_dates_count_from_the_first_row() -> None:
    log = {"t": 1_700_000_000_000_000_000 + (1e9 * T).astype(np.int64), "q": Q, "current": QD}
    motion = armdyn.Trajectory.from_log(log, RP)
    np.testing.assert_allclose(motion.t, T, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(motion.signals["current"], QD)
    assert any("times count from the first row, whose stamp is 1700000000.000000 s" in note for note in motion.notes)
    seen = Recording.of_log(armdyn.logs.read(log, RP))
    np.testing.assert_array_equal(seen.t, motion.t)


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"t": T[::-1]}, SettingError, r"t\[1\] is 0.975 s, after 1 s; expected times that rise"),
        ({"t": T[:1], "q": Q[:1]}, SettingError, "t has 1 times; expected two at least"),
        ({"q": Q[:, :1]}, ShapeError, r"q has shape \(41, 1\); expected \(41, ..., 2\)"),
        ({"q": Q[:5]}, ShapeError, r"q has shape \(5, 2\)"),
        ({"qd": np.stack([Q, Q], axis=1)}, ShapeError, r"qd has shape \(41, 2, 2\); expected that of q"),
        ({"q": np.where(Q > 1.5, np.nan, Q)}, SettingError, r"q\[32, 1\] is nan; expected finite"),
        ({"f_tip": np.zeros((7, 6))}, ShapeError, r"f_tip has shape \(7, 6\); expected \(6,\), or"),
    ],
)
def test_arrays_that_are_not_a_motion(changes: dict[str, Any], error: type[ArmdynError], words: str) -> None:
    given: dict[str, Any] = {"t": T, "q": Q, "robot": RP} | changes
    with pytest.raises(error, match=words):
        armdyn.Trajectory.from_arrays(**given)


def test_a_saved_trajectory_is_not_read_as_a_log(tmp_path: Path) -> None:
    """Files of other programs with the same endings are logs; a damaged trajectory is an error."""
    from armdyn.motion.opening import open_motion

    fall = armdyn.simulate(RP, [0.3, 1.0], duration=0.1)
    for ending in ("npz", "csv", "parquet"):
        if ending == "parquet":
            pytest.importorskip("pyarrow")
        path = tmp_path / f"fall.{ending}"
        fall.save(path)
        assert isinstance(open_motion(path, RP), armdyn.Trajectory)
        with pytest.raises(LogError, match="is a trajectory that armdyn saved, and rate is given too"):
            open_motion(path, RP, rate=5.0)
    np.savez(tmp_path / "other.npz", t=T, q=Q)
    assert isinstance(open_motion(tmp_path / "other.npz", RP), armdyn.logs.Log)
    arrays = dict(np.load(tmp_path / "fall.npz"))
    arrays.pop("qd")
    np.savez(tmp_path / "fall.npz", **arrays)
    with pytest.raises(armdyn.simulation.TrajectoryFileError):
        open_motion(tmp_path / "fall.npz", RP)


def test_rates_are_made_of_the_best_that_was_recorded() -> None:
    made = rates_of(T, Q, None, None)
    np.testing.assert_allclose(made[0], QD, rtol=0, atol=1e-6)
    np.testing.assert_allclose(made[1], QDD, rtol=0, atol=1e-3)
    noisy = Q + 1e-3 * np.random.default_rng(1).normal(size=Q.shape)
    kept, rates, notes = rates_of(T, noisy, QD, None)
    assert kept is QD
    np.testing.assert_allclose(rates, QDD, rtol=0, atol=1e-5)  # of qd, so that noise of q is not in it
    assert notes == ["qdd: derivative of the quintic spline through the recorded velocities"]
    assert rates_of(T, Q, None, QDD)[1] is QDD
    assert rates_of(T, Q, QD, QDD)[2] == []
    still = rates_of(T[:1], Q[:1], None, None)
    assert not still[0].any()
    assert not still[1].any()
