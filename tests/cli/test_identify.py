"""``armdyn identify``: tables, files, exit codes, messages."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from identification.arms import fourier, recorded

Shell = Callable[..., Any]

ARM = armdyn.load("planar_2r")
TRUE = ARM.with_payload(mass=0.5, com=[0.1, 0.0, 0.0]).with_friction({"joint_1": (0.4, 1.5), "joint_2": (0.2, 0.8)})


@pytest.fixture
def logs(tmp_path: Path) -> tuple[str, str]:
    paths = []
    for name, seconds in (("fitted", 16.0), ("other", 9.0)):
        log = recorded(TRUE, fourier(2, seconds, 100.0))
        heads = ["t", *(f"{quantity}_{joint}" for quantity in ("q", "qd", "tau") for joint in ARM.joint_names)]
        table = np.column_stack([log["t"], log["q"], log["qd"], log["tau"]])
        paths.append(tmp_path / f"{name}.csv")
        np.savetxt(paths[-1], table, delimiter=",", header=",".join(heads), comments="")
    return str(paths[0]), str(paths[1])


def test_files_hold_the_fit(shell: Shell, logs: tuple[str, str], tmp_path: Path) -> None:
    fitted, other = logs
    outputs = {
        option: tmp_path / name for option, name in (("-o", "fit.urdf"), ("--csv", "p.csv"), ("--plot", "f.png"))
    }
    options = [word for option, path in outputs.items() for word in (option, str(path))]
    said = shell(
        "identify",
        "planar_2r",
        fitted,
        "--on",
        other,
        "--friction",
        "viscous",
        "--friction",
        "coulomb",
        *options,
        "--json",
    )
    assert said.code == 0, said.err
    answer = json.loads(said.out)
    assert answer["parameters"]["joint_1.coulomb"] == pytest.approx(1.5, rel=0.03)
    low, high = answer["intervals"]["joint_2.viscous"]
    assert low < 0.2 < high
    assert answer["checks"][0]["rms"]["fit"]["joint_1"] < 0.1 * answer["checks"][0]["rms"]["friction_alone"]["joint_1"]
    with outputs["--csv"].open(newline="") as file:
        rows = {row["parameter"]: row for row in csv.DictReader(file)}
    assert float(rows["joint_1.coulomb"]["fit"]) == answer["parameters"]["joint_1.coulomb"]
    again = armdyn.load(outputs["-o"])
    q, qd, qdd = [0.3, -0.4], [1.0, 2.0], [0.5, -1.0]
    assert again.inverse_dynamics(q, qd, qdd) == pytest.approx(TRUE.inverse_dynamics(q, qd, qdd), rel=0.03)
    assert outputs["--plot"].read_bytes().startswith(b"\x89PNG")


def test_tables(shell: Shell, logs: tuple[str, str]) -> None:
    said = shell("identify", "planar_2r", logs[0], columns=150)
    assert said.code == 0, said.err
    assert "joint_1.coulomb" in said.out
    assert "friction alone" in said.out


def test_rows_that_are_left_out_are_named(shell: Shell, logs: tuple[str, str]) -> None:
    lines = Path(logs[0]).read_text().splitlines()
    lines[100] = ",".join(["nan"] * len(lines[0].split(",")))
    Path(logs[0]).write_text("\n".join(lines))
    said = shell("identify", "planar_2r", logs[0], "--json")
    assert said.code == 0, said.err
    assert "left out" in said.err.partition("log 'fitted': ")[2]


def test_joints_at_which_a_fit_is_worse_are_named(shell: Shell, logs: tuple[str, str], tmp_path: Path) -> None:
    """The log that is not fitted is of the arm as described: the fit has a payload that it does not carry."""
    bare = ARM.with_friction({"joint_1": (0.4, 1.5), "joint_2": (0.2, 0.8)})
    log = recorded(bare, fourier(2, 9.0, 100.0, seed=3))
    np.savez(tmp_path / "bare.npz", **log)
    said = shell("identify", "planar_2r", logs[0], "--on", str(tmp_path / "bare.npz"))
    assert said.code == 1
    assert "worse than friction alone on the logs of --on, at joint_1" in " ".join(said.err.split())


def test_a_log_of_motors(shell: Shell, logs: tuple[str, str], tmp_path: Path) -> None:
    """Motor 2 turns with both joints; the matrix of the drives is a file, or its ratios are an option."""
    A, zeros = np.array([[50.0, 0.0], [-80.0, -80.0]]), np.array([np.pi / 2, 0.0])
    table = np.loadtxt(logs[0], delimiter=",", skiprows=1)
    q, tau = (table[:, 1:3] - zeros) @ A.T, np.linalg.solve(A.T, table[:, 5:7].T).T
    motors, matrix = tmp_path / "motors.csv", tmp_path / "drives.csv"
    heads = "t,q_joint_1,q_joint_2,tau_joint_1,tau_joint_2"
    np.savetxt(motors, np.column_stack([table[:, 0], q, tau]), delimiter=",", header=heads, comments="")
    matrix.write_text("50, 0\n-80, -80\n")
    said = shell("identify", "planar_2r", str(motors), "--drives", str(matrix), "--zeros=90deg,0", "--json")
    assert said.code == 0, said.err
    answer = json.loads(said.out)
    assert answer["residual_deviations"]["joint_1"] < 1.0  # friction of joints, fitted as that of motors
    matrix.write_text("50, x\n")
    assert "expected a file of 2 rows" in shell("identify", "planar_2r", str(motors), "--drives", str(matrix)).err
    assert "do not turn together" in shell("identify", "planar_2r", str(motors), "--drives", "0,1").err


def test_bad_input_is_named(shell: Shell, logs: tuple[str, str], tmp_path: Path) -> None:
    for options, text in (
        (["--friction", "dahl"], "dahl"),
        (["-o", str(tmp_path / "fit.xml")], ".urdf"),
        (["--gains", "1,2,3"], "--gains"),
        (["--cutoff", "-1"], "cutoff"),
        (["--cutoff", "0.05"], "raise --cutoff from 0.05 Hz"),
        (["--columns", "tau=q_{joint}", "--columns", "current=q_{joint}", "--gains", "1"], "--columns q=LABEL"),
    ):
        said = shell("identify", "planar_2r", logs[0], *options)
        assert said.code == 2, options
        assert text in said.err
