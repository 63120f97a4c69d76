"""Logs of joint states: one reader for views and reports, the same columns, notes and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import report, viewer
from armdyn.errors import ArmdynError, UnknownName
from armdyn.formats.csv_table import TableError
from armdyn.simulation.files.log_file import rates_of, read_log_file

RP = armdyn.load("rp")


def _csv(folder: Path, text: str) -> Path:
    path = folder / "log.csv"
    path.write_text(text)
    return path


def test_rows_and_columns_that_are_not_used_are_said(tmp_path: Path) -> None:
    text = "t [ms],q_joint_2,q_joint_1 [deg],q_gripper\n0,1,90,0\n100,nan,90,0\n200,2,180,0\n"
    log = read_log_file(_csv(tmp_path, text), RP)
    assert log.t.tolist() == [0.0, 0.2]
    np.testing.assert_allclose(log.q, [[np.pi / 2, 1.0], [np.pi, 2.0]], rtol=1e-15)
    assert (log.name, log.qd, log.qdd, log.tau) == ("log", None, None, None)
    assert log.notes == ("columns not used: 'q_gripper'", "1 rows with NaN or infinity left out: the first in line 3")


def test_rows_at_a_rate_keep_their_time_where_others_are_left_out(tmp_path: Path) -> None:
    log = read_log_file(_csv(tmp_path, "0,1,0,0\n1,inf,0,0\n2,1,0,0\n3,1,0,0\n"), RP, rate=10.0)
    np.testing.assert_allclose(log.t, [0.0, 0.2, 0.3], rtol=1e-15)
    assert log.qd is not None


@pytest.mark.parametrize(
    ("text", "rate", "words"),
    [
        ("q_joint_1,q_joint_2\n0,1\n", None, r"log.csv:1 has no column t.* --rate HZ, rate= in Python"),
        ("0,1\n1,1\n1,1\n", None, "has no column t"),
        ("t,q_joint_1,q_joint_2\n0,0,1\n1,0,1\n2,0,1\n", 10.0, "has a column t, and rate=10 Hz is given too"),
        ("t,q_joint_1,q_joint_2\n0,0,1\n1,nan,1\n0,0,1\n2,0,1\n", None, r"log.csv:4 t is 0 s, behind 0 s"),
        ("t,q_joint_1,q_joint_2,tau_joint_1\n0,0,1,0\n1,0,1,0\n2,0,1,0\n", None, "no column tau_joint_2"),
        ("q_joint_1,q_joint_2\n0,1\n", -1.0, "rate is -1.0; expected"),
    ],
)
def test_views_and_reports_refuse_the_same_in_the_same_words(
    tmp_path: Path, text: str, rate: float | None, words: str
) -> None:
    path, said = _csv(tmp_path, text), []
    readers: list[tuple[Any, type[ArmdynError]]] = [
        (read_log_file, TableError),
        (viewer.read_log, viewer.LogError),
        (report.read_log, report.ReportError),
    ]
    for reader, error in readers:
        with pytest.raises(error, match=words) as raised:
            reader(path, RP, rate=rate)
        said.append(str(raised.value))
    assert len(set(said)) == 1


def test_joints_that_the_robot_does_not_have(tmp_path: Path) -> None:
    path = _csv(tmp_path, "t,q_joint_1,q_elbow\n0,0,1\n1,0,1\n2,0,1\n")
    for reader in (viewer.read_log, report.read_log):
        with pytest.raises(UnknownName, match="no column 'q_elbow'"):
            reader(path, RP)


def test_views_and_reports_make_the_same_motion(tmp_path: Path) -> None:
    t = np.linspace(0.0, 1.0, 51)
    table = np.column_stack([t, np.sin(t), 1.0 + t**2])
    np.savetxt(path := tmp_path / "log.csv", table, delimiter=",", header="t,q_joint_1,q_joint_2", comments="")
    seen, told = viewer.read_log(path, RP).completed(RP), report.read_log(path, RP)
    for name in ("t", "q", "qd", "qdd", "tau"):
        np.testing.assert_array_equal(getattr(seen, name), getattr(told, name))
    assert seen.notes[0] == told.notes[0]


def test_rates_are_made_of_the_best_that_was_recorded() -> None:
    t = np.linspace(0.0, 1.0, 41)
    q, qd, qdd = (np.stack([f(3.0 * t), g], -1) for f, g in (
        (np.sin, t**3), (lambda x: 3.0 * np.cos(x), 3.0 * t**2), (lambda x: -9.0 * np.sin(x), 6.0 * t)))  # fmt: skip
    made = rates_of(t, q, None, None)
    np.testing.assert_allclose(made[0], qd, rtol=0, atol=1e-6)
    np.testing.assert_allclose(made[1], qdd, rtol=0, atol=1e-3)
    noisy = q + 1e-3 * np.random.default_rng(1).normal(size=q.shape)
    kept, rates, notes = rates_of(t, noisy, qd, None)
    assert kept is qd
    np.testing.assert_allclose(rates, qdd, rtol=0, atol=1e-5)  # of qd, so that noise of q is not in it
    assert notes == ["qdd: derivative of the quintic spline through the recorded velocities"]
    assert rates_of(t, q, None, qdd)[1] is qdd
    assert rates_of(t, q, qd, qdd)[2] == []
    still = rates_of(t[:1], q[:1], None, None)
    assert not still[0].any()
    assert not still[1].any()
