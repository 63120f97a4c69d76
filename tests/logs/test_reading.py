"""Logs from tables of every kind: the same joint states, by joint names, in the robot's order and in SI."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import UnknownName
from armdyn.logs import LogError, read

SCARA = armdyn.load("scara")  # its third joint slides
NAMES = SCARA.joint_names
T = np.arange(40) * 0.01
WAVES = np.array([2.0, 2.5, 3.1, 3.7])
Q, QD = np.sin(np.outer(T, WAVES)) + 0.1, WAVES * np.cos(np.outer(T, WAVES))
TAU = np.random.default_rng(3).normal(size=(40, 4))


def assert_states(log: armdyn.logs.Log, *, qd: bool = True, tau: bool = True) -> None:
    np.testing.assert_allclose(log.t, T, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(log.q, Q)
    if qd:
        np.testing.assert_array_equal(log.qd, QD)
    if tau:
        np.testing.assert_array_equal(log.tau, TAU)


def table(labels: list[str], columns: np.ndarray, separator: str = ",") -> str:
    rows = [separator.join(map(repr, row)) for row in columns.tolist()]
    return "\n".join([separator.join(labels), *rows]) + "\n"


LAYOUTS: dict[str, list[str]] = {
    "UR's RTDE": ["timestamp"] + [f"{name}_{k}" for name in ("actual_q", "actual_qd", "actual_current_as_torque") for k
    in range(4)], "libfranka": ["t"] + [f"{name}{k}" for name in ("q", "dq", "tau") for k in range(1, 5)],
    "ROS JointState": ["/joint_states/header.stamp"]
    + [f"/joint_states/{joint}/{what}" for what in ("position", "velocity", "effort") for joint in NAMES],
    "LeRobot": ["timestamp"] + [f"{joint}.{what}" for what in ("pos", "vel", "torque") for joint in NAMES],
    "plain names": ["time"] + [f"{name}[{k}]" for name in ("q", "qd", "torque") for k in range(4)],
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
def test_known_layouts_are_recognised_and_the_guess_is_stated(layout: str, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(table(LAYOUTS[layout], np.column_stack([100.0 + T, Q, QD, TAU])))
    log = read(path, SCARA, columns={"t": LAYOUTS[layout][0]} if layout == "ROS JointState" else None)
    assert_states(log)
    assert log.start == 100.0
    assert any(layout in guess and LAYOUTS[layout][1] in guess for guess in log.guesses)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", "  "])
def test_any_separator_with_and_without_a_header(separator: str, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    names = [f"{what}_{joint}" for what in ("q", "qd", "tau") for joint in NAMES]
    path.write_text(table(["t", *names], np.column_stack([T, Q, QD, TAU]), separator))
    assert_states(read(path, SCARA))
    assert read(path, SCARA).guesses == ()
    np.savetxt(path, np.column_stack([T, Q, QD]), delimiter=separator, fmt="%.17g")
    assert_states(read(path, SCARA), tau=False)


def test_columns_by_number_slice_pattern_label_and_list(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    np.savetxt(path, np.column_stack([np.zeros(40), T, QD, Q, TAU]), delimiter=",", fmt="%.17g")
    log = read(path, SCARA, columns={"t": 1, "q": slice(6, 10), "qd": range(2, 6), "tau": [10, 11, 12, -1]})
    assert_states(log)
    labels = ["when", *(f"axis{k}.angle" for k in range(4)), "a", "b", "c", "d"]
    path.write_text(table(labels, np.column_stack([T, Q, TAU])))
    assert_states(read(path, SCARA, columns={"t": "when", "q": "axis{i}.angle", "tau": ["a", "b", "c", "d"]}), qd=False)


def test_a_decimal_comma_between_semicolons(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(table([f"q_{joint}" for joint in NAMES], Q, ";").replace(".", ","))
    np.testing.assert_array_equal(read(path, SCARA, rate=100.0).q, Q)


def test_joints_in_another_order_and_units_in_labels_and_arguments(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    a, b, c, d = NAMES
    columns = np.column_stack([T * 1e3, np.rad2deg(Q[:, 3]), Q[:, 2] * 1e3, Q[:, 0], np.rad2deg(Q[:, 1])])
    path.write_text(table(["t [ms]", f"q_{d} [deg]", f"q_{c} [mm]", f"q_{a}", f"q_{b} (deg)"], columns))
    np.testing.assert_allclose(read(path, SCARA).q, Q, rtol=1e-14)
    plain = np.column_stack([np.rad2deg(Q[:, :2]), Q[:, 2], np.rad2deg(Q[:, 3])])
    path.write_text(table([f"q{k}" for k in range(4)], plain))
    np.testing.assert_allclose(read(path, SCARA, rate=100.0, units={"q": "deg"}).q, Q, rtol=1e-14)


def test_npz_mappings_frames_and_parquet_hold_the_same(tmp_path: Path) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    np.savez(tmp_path / "log.npz", t=T, q=Q, qd=QD, tau=TAU, note=np.array(["x"]))
    assert_states(read(tmp_path / "log.npz", SCARA))
    assert_states(read({"t": T, "q": Q, "qd": QD, "tau": TAU}, SCARA))
    columns: dict[str, Any] = {"t": T} | {
        f"{name}_{joint}": values[:, k]
        for name, values in (("q", Q), ("qd", QD), ("tau", TAU))
        for k, joint in enumerate(NAMES)
    }
    for frame in (pandas.DataFrame(columns), polars.DataFrame(columns)):
        assert_states(read(frame, SCARA))
    pandas.DataFrame(columns).to_parquet(tmp_path / "log.parquet")
    assert_states(read(tmp_path / "log.parquet", SCARA))
    stamped = (
        pandas.DataFrame(columns)
        .drop(columns="t")
        .set_index(pandas.to_datetime("2026-01-01") + pandas.to_timedelta(T, "s"))
    )
    assert_states(read(stamped, SCARA))


def test_a_null_of_polars_and_a_nan_of_pandas_are_the_same_row_left_out() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    columns: dict[str, Any] = {"t": T.tolist()} | {f"q_{joint}": Q[:, k].tolist() for k, joint in enumerate(NAMES)}
    columns[f"q_{NAMES[1]}"][7] = None
    for frame in (pandas.DataFrame(columns), polars.DataFrame(columns)):
        log = read(frame, SCARA)
        np.testing.assert_array_equal(log.q, np.delete(Q, 7, axis=0))
        assert [finding.text for finding in log.findings if not finding.used] == [
            "1 row with NaN or infinity left out: row 7"
        ]


def test_lists_of_lerobot_are_joined_by_the_names_of_their_entries(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    import json

    order = [3, 0, 2, 1]
    frame = pandas.DataFrame({"timestamp": T, "observation.state": list(Q[:, order]), "task": ["pick"] * 40})
    (tmp_path / "data").mkdir()
    (tmp_path / "meta").mkdir()
    path = tmp_path / "data" / "episode.parquet"
    frame.to_parquet(path)
    np.testing.assert_array_equal(read(path, SCARA).q, Q[:, order])
    names = [f"{NAMES[k]}.pos" for k in order]
    (tmp_path / "meta" / "info.json").write_text(json.dumps({"features": {"observation.state": {"names": names}}}))
    assert_states(read(path, SCARA), qd=False, tau=False)


def test_lines_as_they_come_and_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    text = table(["t", *(f"q_{joint}" for joint in NAMES)], np.column_stack([T, Q]))
    assert_states(read(iter(text.splitlines()), SCARA), qd=False, tau=False)
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert_states(read("-", SCARA), qd=False, tau=False)


def test_a_simulated_motion_is_a_log() -> None:
    arm = armdyn.load("planar_2r")
    motion = armdyn.simulate(arm, [0.3, 0.2], duration=0.1)
    log = read(motion, arm)
    for name in ("t", "q", "qd", "qdd", "tau"):
        np.testing.assert_array_equal(getattr(log, name), getattr(motion, name))


def test_stamps_in_nanoseconds_since_1970_keep_their_digits() -> None:
    stamps = 1_764_400_000_000_000_000 + np.arange(40) * 10_000_000
    log = read({"t": stamps, "q": Q}, SCARA)
    np.testing.assert_allclose(log.t, T, rtol=0, atol=1e-15)
    assert any("taken for ns since 1970" in guess for guess in log.guesses)
    assert read({"t": stamps, "q": Q}, SCARA, units={"t": "ns"}).guesses[-1:] != log.guesses[-1:]


def test_currents_become_torques_by_gains() -> None:
    log = read({"t": T, "q": Q, "current": TAU}, SCARA, gains=[10.0, 2.0, 3.0, -1.0])
    np.testing.assert_allclose(log.tau, TAU * [10.0, 2.0, 3.0, -1.0], rtol=1e-15)
    assert read({"t": T, "q": Q, "current": TAU}, SCARA).tau is None
    for words, arrays, gains in (
        ("has no currents", {"q": Q}, 1.0),
        ("joint forces and currents", {"q": Q, "current": TAU, "tau": TAU}, 1.0),
        (r"gains has shape \(3,\)", {"q": Q, "current": TAU}, [1.0, 2.0, 3.0]),
    ):
        with pytest.raises(LogError, match=words):
            read({"t": T, **arrays}, SCARA, gains=gains)


@pytest.mark.parametrize(
    ("source", "options", "error", "words"),
    [
        ({"q": Q}, {}, LogError, "has no column t, so that its rows have no times"),
        ({"t": T, "q": Q}, {"rate": 10.0}, LogError, "rate=10 Hz is given too"),
        ({"q": Q}, {"rate": -1.0}, LogError, "rate is -1.0; expected"),
        ({"t": T, "q": Q, "qd": QD[1:]}, {}, LogError, "qd has 39 rows; expected 40, as others"),
        ({"t": T, "q": Q[:, 1:]}, {}, LogError, r"q has shape \(40, 3\); expected \(rows, 4\), for 4 joints"),
        ({"t": T, "angle": Q}, {}, LogError, "none of the labels of UR's RTDE, libfranka"),
        ({"t": T, "angle": Q}, {"columns": {"q": "angel"}}, UnknownName, "no column 'angel'.*Did you mean 'angle'"),
        ({"t": T, "q": Q}, {"columns": {"position": "q"}}, UnknownName, "no quantity 'position' in columns="),
        ({"t": T, "q": Q}, {"units": {"q": "parsec"}}, LogError, "unit 'parsec': unknown unit 'parsec'"),
        ({"t": T, "q": Q}, {"units": {"p": "deg"}}, UnknownName, "no quantity 'p' in units="),
        ({"t": T, "q": Q}, {"columns": {"q": [0, 1]}}, LogError, "names 2 columns; expected 4"),
        ({"t": T, "q": Q}, {"fewest": 100}, LogError, "has 40 rows of numbers; a motion needs 100 at least"),
        ("nothing.csv", {}, LogError, "no file 'nothing.csv'"),
        ("nothing.npz", {}, LogError, "no file 'nothing.npz'"),
        ("nothing.mcap", {}, LogError, "no file 'nothing.mcap'"),
        (3.0, {}, LogError, "source is 3.0; expected a path, a data frame"),
        ("log.csv", {"topic": "/joint_states"}, LogError, "is not a bag; leave it out"),
    ],
)
def test_bad_input_is_named(source: Any, options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        read(source, SCARA, **options)


def test_a_file_that_is_not_a_table(tmp_path: Path) -> None:
    for name, content, words in (
        ("a.csv", b"", "is empty"),
        ("b.csv", b"\xff\xfe\x00", "is not a csv file in UTF-8"),
        ("c.csv", b"t,q_shoulder,q_elbow,q_quill_slide,q_wrist\n", "has a header and no rows below it"),
        ("d.csv", b"t,t,q_shoulder,q_elbow,q_quill_slide,q_wrist\n1,2,3,4,5,6\n", "names 't' more than once"),
        ("e.npz", b"PK\x03\x04", "is not an npz file"),
        ("f.parquet", b"PAR1", "is not a Parquet file"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(LogError, match=words):
            read(tmp_path / name, SCARA)


def test_joints_of_another_robot() -> None:
    log = read({"t": T, "q": Q}, SCARA)
    with pytest.raises(LogError, match=r"has joints .*; expected those of 'stanford'"):
        read(log, armdyn.load("stanford"))
    assert read(log, SCARA) is log


def test_an_entry_that_is_missing_is_not_a_number(tmp_path: Path) -> None:
    """NumPy's fromstring returns -1 for it."""
    lines = table(["t", *(f"q_{joint}" for joint in NAMES)], np.column_stack([T, Q])).splitlines()
    for row, column in ((6, 1), (9, 2), (12, 4)):
        words = lines[row].split(",")
        lines[row] = ",".join("" if k == column else word for k, word in enumerate(words))
    (tmp_path / "log.csv").write_text("\n".join(lines))
    log = read(tmp_path / "log.csv", SCARA)
    np.testing.assert_array_equal(log.q, np.delete(Q, [5, 8, 11], axis=0))
    assert "3 rows with NaN or infinity left out: lines 7, 10, 13" in log.notes
    assert str(log).splitlines() == [repr(log), *(f"  {note}" for note in log.notes)]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " "])
def test_long_texts_are_read_by_polars_and_by_numpy_alike(separator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every bit, of numbers of all sizes."""
    pytest.importorskip("polars")
    from armdyn.formats.tables import csv_file

    rng = np.random.default_rng(7)
    values = rng.normal(size=(300, 6)) * 10.0 ** rng.integers(-300, 300, size=(300, 6))
    values[3, 2], values[4, 0] = np.inf, np.nan
    text = "\n".join(separator.join(map(repr, row)) for row in values.tolist())
    for long in (True, False):
        monkeypatch.setattr(csv_file, "_is_long", lambda body, long=long: long)
        np.testing.assert_array_equal(
            np.column_stack(list(csv_file.parse_csv(text, "x", LogError).columns.values())), values
        )
        short = csv_file.parse_csv(text + f"\n1{separator}2", "x", LogError)
        assert (short.odd, len(short)) == (((301, 2),), 300)
