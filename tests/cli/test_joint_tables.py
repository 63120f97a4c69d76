"""Tables of states as other programs write them: units, times, separators, what is missing, what is no number."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.logs.joint_tables import read_states

Shell = Callable[..., Any]
ARM = armdyn.load("planar_2r")
SCARA = armdyn.load("scara")  # its third joint slides


def torques(shell: Shell, tmp_path: Path, text: str, robot: str = "planar_2r", *options: str) -> Any:
    (tmp_path / "states.csv").write_text(text, encoding="utf-8")
    return shell("torque", robot, "--motion", str(tmp_path / "states.csv"), *options)


def table(text: str) -> np.ndarray:
    return np.loadtxt(io.StringIO(text), delimiter=",", skiprows=1, ndmin=2)


PLAIN = "q_joint_1,q_joint_2,qd_joint_1,qd_joint_2,qdd_joint_1,qdd_joint_2\n0.3,-0.7,0.5,1.1,-0.4,0.9\n"


def expected(q: Any, qd: Any = (0, 0), qdd: Any = (0, 0)) -> np.ndarray:
    return np.atleast_2d(ARM.inverse_dynamics(q, qd, qdd))


@pytest.mark.parametrize("separator", [",", ";", "\t", ", ", " ; "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_separators_and_ends_of_lines(shell: Shell, tmp_path: Path, separator: str, end: str) -> None:
    said = torques(shell, tmp_path, PLAIN.replace(",", separator).replace("\n", end))
    assert (said.code, said.err) == (0, "")
    np.testing.assert_array_equal(table(said.out), expected([0.3, -0.7], [0.5, 1.1], [-0.4, 0.9]))


def test_byte_order_mark_blank_lines_and_quotes(shell: Shell, tmp_path: Path) -> None:
    text = "\ufeff\n" + PLAIN.replace("q_joint_1", '"q_joint_1"', 1).replace("\n", "\n\n  \n")
    said = torques(shell, tmp_path, text)
    assert (said.code, said.err) == (0, "")
    np.testing.assert_array_equal(table(said.out), expected([0.3, -0.7], [0.5, 1.1], [-0.4, 0.9]))


def test_units_are_obeyed(shell: Shell, tmp_path: Path) -> None:
    header = (
        "q_joint_1 [deg],q_joint_2 [rad],qd_joint_1 [deg/s],qd_joint_2 [rpm],qdd_joint_1 [rev/s^2],qdd_joint_2[°/s²]"
    )
    said = torques(shell, tmp_path, header + "\n90,-0.7,30,12,0.25,-45\n")
    state = [np.pi / 2, -0.7], [np.pi / 6, 0.4 * np.pi], [np.pi / 2, -np.pi / 4]
    assert (said.code, said.err) == (0, "")
    np.testing.assert_allclose(table(said.out), expected(*state), rtol=1e-14)


def test_units_of_slides(tmp_path: Path) -> None:
    names = SCARA.joint_names
    header = [
        f"q_{names[0]} [deg]",
        f"q_{names[2]} [mm]",
        f"qd_{names[2]} [cm/s]",
        f"qdd_{names[2]} [in/s^2]",
        "t [ms]",
    ]
    (tmp_path / "states.csv").write_text(f"{';'.join(header)}\n180;50;2;10;1500\n")
    with pytest.warns(UserWarning, match="no column q_"):
        states = read_states(tmp_path / "states.csv", SCARA)
    assert states.t == pytest.approx([1.5])
    np.testing.assert_allclose(states.q, [[np.pi, 0, 0.05, 0]], rtol=1e-15)
    np.testing.assert_allclose(states.qd, [[0, 0, 0.02, 0]], rtol=1e-15)
    np.testing.assert_allclose(states.qdd, [[0, 0, 0.254, 0]], rtol=1e-15)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("q_joint_1 [degrees]", ": unknown unit 'degrees'. Did you mean 'deg'?"),
        ("q_joint_1 [m]", ", in m; expected a unit like rad"),
        ("q_joint_1 [rad/s]", ", in s^-1; expected a unit like rad"),
        ("q_joint_1 []", ": '' is not a unit; expected such as"),
        ("qd_joint_1 [rad]", ", an angle; expected a unit like rad/s"),
        ("qd_joint_1 [s^-1]", ", in s^-1; expected a unit like rad/s"),
        ("qdd_joint_1 [rad/s]", ", in s^-1; expected a unit like rad/s^2"),
        ("t [Hz]", ": unknown unit 'Hz'"),
        ("t [m]", ", in m; expected a unit like s"),
    ],
)
def test_units_that_do_not_fit_are_refused(shell: Shell, tmp_path: Path, column: str, message: str) -> None:
    said = torques(shell, tmp_path, f"{column},q_joint_2\n90,0\n", "planar_2r")
    unit = column[column.index("[") + 1 : -1]
    assert said.code == 2
    assert said.out == ""
    assert f"states.csv:1 column {column!r}: unit {unit!r}{message}" in said.err


def test_times_are_kept(shell: Shell, tmp_path: Path) -> None:
    text = "t,q_joint_1,q_joint_2\n0.0,0.3,-0.7\n0.1,0.4,-0.6\n"
    out = tmp_path / "torques.csv"
    assert torques(shell, tmp_path, text, "planar_2r", "--out", str(out)).code == 0
    lines = out.read_text().splitlines()
    assert lines[0] == "t,tau_joint_1,tau_joint_2"
    np.testing.assert_array_equal(table(out.read_text())[:, 0], [0.0, 0.1])
    np.testing.assert_array_equal(table(out.read_text())[:, 1:], expected([[0.3, -0.7], [0.4, -0.6]]))


@pytest.mark.filterwarnings("always::UserWarning")
def test_a_saved_motion_can_be_read(shell: Shell, tmp_path: Path) -> None:
    """Its columns name their units; torques, energies and the time are there too."""
    motion = armdyn.simulate(ARM, [0.3, 0.2], duration=0.2)
    motion.save(tmp_path / "motion.csv")
    said = shell("torque", "planar_2r", "--motion", str(tmp_path / "motion.csv"))
    assert said.code == 0
    assert "warning: " in said.err
    assert "columns not used: 'tau_joint_1 [N m]', 'tau_joint_2 [N m]', 'kinetic [J]'" in " ".join(said.err.split())
    np.testing.assert_array_equal(table(said.out)[:, 0], motion.t)
    np.testing.assert_array_equal(table(said.out)[:, 1:], ARM.inverse_dynamics(motion.q, motion.qd, motion.qdd))


@pytest.mark.filterwarnings("always::UserWarning")
@pytest.mark.parametrize(
    ("text", "state", "warned"),
    [
        ("qd_joint_1,qd_joint_2\n1,2\n", ([0, 0], [1, 2]), ""),
        ("qdd_joint_2\n2\n", ([0, 0], [0, 0], [0, 2]), "no column qdd_joint_1; taken as zero"),
        ("q_joint_2,qd_joint_1\n0.5,1\n", ([0, 0.5], [1, 0]), "no column q_joint_1, qd_joint_2; taken as zero"),
        ("0.1,0.2\n", ([0.1, 0.2],), ""),
        ("0.1,0.2,0.3,0.4\n", ([0.1, 0.2], [0.3, 0.4]), ""),
        ("0,5;1,25\n", ([0.5, 1.25],), ""),
        ("q_joint_1;q_joint_2\n0,5;1\n", ([0.5, 1.0],), ""),
        ("# of a robot\n  0.1 0.2  0.3 0.4\n", ([0.1, 0.2], [0.3, 0.4]), ""),
        ("actual_q_0,actual_q_1\n0.1,0.2\n", ([0.1, 0.2],), "columns taken for those of UR's RTDE"),
    ],
)
def test_what_is_missing_is_zero(shell: Shell, tmp_path: Path, text: str, state: Any, warned: str) -> None:
    said = torques(shell, tmp_path, text)
    assert said.code == 0
    np.testing.assert_array_equal(table(said.out), expected(*state))
    assert warned in " ".join(said.err.split())
    assert ("warning" in said.err) == bool(warned)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "q_joint_1,q_joint_3\n1,2\n",
            "no column 'q_joint_3' in {0}:1 for 'planar_2r' (2 columns). Did you mean 'q_jo",
        ),
        ("q_a,q_b,qd_joint_1,qd_joint_2\n1,2,3,4\n", "no column 'q_a' in {0}:1 for 'planar_2r'"),
        (
            "time,load\n1,2\n",
            "{0}:1 has no column q_joint_1, q_joint_2 and none of the labels of UR's RTDE",
        ),
        ("t\n1\n", "{0}:1 has no column q_joint_1, q_joint_2"),
        (
            "q_joint_1,q_joint_2\n'0,5',1\n1,2\n",
            "{0}:2 has 3 values; expected 2, as the first row has",
        ),
        (
            'q_joint_1,q_joint_2\n"0,5",1\n',
            "{0}:2 column 'q_joint_1' holds '0,5'; expected a finite number (the decimal",
        ),
        (
            "1,2,3,4,5,6,7,8\n",
            "{0} has 8 columns and no header; expected 2, 4 or 6: q, then qd, then qdd of joint_1, joint_2, or one",
        ),
        ("q_joint_1,q_joint_2\n1,2\n3\n", "{0}:3 has 1 values; expected 2, as the first row has"),
        ("q_joint_1,q_joint_2\n\n1,nan\n", "{0}:3 column 'q_joint_2' holds 'nan'; expected a finite number"),
        ("q_joint_1,q_joint_2\n1,2\n-inf,3\n", "{0}:3 column 'q_joint_1' holds '-inf'; expected a finite number"),
        ("1,2\n3,NaN\n", "{0}:2 column 'q_joint_2' holds 'NaN'; expected a finite number"),
        ("q_joint_1,q_joint_2\n1,\n", "{0}:2 column 'q_joint_2' holds ''; expected a finite number"),
        ("q_joint_1,q_joint_2\n1,1_000\n", "{0}:2 column 'q_joint_2' holds '1_000'; expected a finite number"),
        ("t,q_joint_1,q_joint_2\nnan,1,2\n", "{0}:2 column 't' holds 'nan'; expected a finite number"),
        ("\n\n", "{0} is empty; expected joint states: a row for each time"),
    ],
)
def test_tables_that_are_wrong(shell: Shell, tmp_path: Path, text: str, message: str) -> None:
    said = torques(shell, tmp_path, text)
    assert (said.code, said.out) == (2, "")
    assert message.format(tmp_path / "states.csv") in said.err
    assert "Traceback" not in said.err


@pytest.mark.filterwarnings("always::UserWarning")
def test_what_is_not_used_may_be_anything(shell: Shell, tmp_path: Path) -> None:
    said = torques(shell, tmp_path, "label,q_joint_1,q_joint_2,tau_joint_1\nfirst,0.3,-0.7,nan\n")
    assert said.code == 0
    assert "columns not used: 'label', 'tau_joint_1'" in " ".join(said.err.split())
    np.testing.assert_array_equal(table(said.out), expected([0.3, -0.7]))


def test_standard_input_and_output(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("\ufeffq_joint_1;q_joint_2\n0.3;-0.7\n"))
    said = shell("torque", "planar_2r", "--motion", "-", "--out", "-")
    assert (said.code, said.err) == (0, "")
    np.testing.assert_array_equal(table(said.out), expected([0.3, -0.7]))
    said = shell("torque", "planar_2r", "--q", "0.3,-0.7", "--out", "-")
    assert (said.code, said.err) == (0, "")
    np.testing.assert_array_equal(table(said.out), expected([0.3, -0.7]))
    monkeypatch.setattr(sys, "stdin", io.StringIO("q_joint_1,q_joint_2\n0.3,nan\n"))
    said = shell("torque", "planar_2r", "--motion", "-")
    assert (said.code, said.out) == (2, "")
    assert "standard input:2 column 'q_joint_2' holds 'nan'" in said.err


def test_no_file_is_called_like_standard_output(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shell("torque", "planar_2r", "--q", "0.3,-0.7", "--out", "-")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("torque", "--q", "1,nan"), "--q of joint_2 is nan; expected a finite number"),
        (("torque", "--qdd", "inf,1"), "--qdd of joint_1 is inf; expected a finite number"),
        (("torque", "--f-tip", "0,0,nan,0,0,0"), "--f-tip[2] is nan; expected a finite number"),
        (("info", "--gravity", "0,nan,0"), "--gravity[1] is nan; expected a finite number"),
        (("info", "--lock", "joint_1=nan"), "--lock joint_1 is nan; expected a finite number"),
        (("simulate", "--q0", "nan,1"), "--q0: q0[0] is nan; expected finite real numbers"),
    ],
)
def test_options_that_are_no_numbers(shell: Shell, words: tuple[str, ...], message: str) -> None:
    verb, *rest = words
    said = shell(verb, "planar_2r", *rest)
    assert (said.code, said.out) == (2, "")
    assert message in said.err


# ---- limits


LIMITED = """t,q_shoulder_pan_joint,q_shoulder_lift_joint,q_elbow_joint,q_wrist_1_joint,q_wrist_2_joint,q_wrist_3_joint
0,0,-0.1,0.2,0,0,0
0.5,0,0,0,0,0,0
1.0,7,0,0,0,0,0
1.5,8,0,0,0,0,0
2.0,0,0,-9,0,0,0
"""


def test_a_motion_beyond_its_limits_is_told_which(shell: Shell, tmp_path: Path) -> None:
    """Joint, value, time and limit of each; the table of torques is the same as ever."""
    payload = armdyn.load("ur5").with_payload(armdyn.inertia.sphere(0.05, mass=30.0), "tool0")
    payload.to_urdf(tmp_path / "loaded.urdf")
    said = torques(shell, tmp_path, LIMITED, str(tmp_path / "loaded.urdf"))
    assert said.code == 0
    q = np.loadtxt(io.StringIO(LIMITED), delimiter=",", skiprows=1)[:, 1:]
    tau = armdyn.load(tmp_path / "loaded.urdf").inverse_dynamics(q, 0 * q, 0 * q)
    np.testing.assert_array_equal(table(said.out)[:, 1:], tau)
    k = int(np.abs(tau[:, 1]).argmax())
    pan = "limit: shoulder_pan_joint: position 8 rad at 1.5 s; first at 1 s, 1 s in all; limit 6.283 rad"
    lift = f"limit: shoulder_lift_joint: effort {abs(tau[k, 1]):.4g} N m at {0.5 * k:g} s; first at 0 s, "
    assert pan in said.err.splitlines()
    assert lift in said.err
    assert "limit: elbow_joint: position -9 rad at 2 s; first at 2 s, 0.25 s in all; limit -" in said.err
    found = json.loads(torques(shell, tmp_path, LIMITED, str(tmp_path / "loaded.urdf"), "--json").out)["limits_passed"]
    assert len(found) == said.err.count("limit: ")
    assert found[0] == {
        "joint": "shoulder_pan_joint",
        "quantity": "position",
        "reached": 8.0,
        "limit": armdyn.load("ur5").joints[0].limits.upper,
        "unit": "rad",
        "at": 1.5,
        "since": 1.0,
        "lasts": 1.0,
        "timed": True,
    }


def test_rows_without_times_beyond_limits_are_told_by_number(shell: Shell, tmp_path: Path) -> None:
    rows = "\n".join(line.split(",", 1)[1] for line in LIMITED.splitlines())
    said = torques(shell, tmp_path, rows, "ur5")
    assert "limit: shoulder_pan_joint: position 8 rad in row 4; first in row 3, 2 rows in all; limit 6.28" in said.err


def test_a_motion_within_its_limits_is_silent(shell: Shell, tmp_path: Path) -> None:
    header, first, *_ = LIMITED.splitlines()
    assert "limit:" not in torques(shell, tmp_path, f"{header}\n{first}\n", "ur5").err
