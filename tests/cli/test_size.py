"""``armdyn size``: its tables, its files, its messages."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn

Shell = Callable[..., Any]

WRIST = ("--joint", "wrist_2_joint")


@pytest.fixture
def motion(tmp_path: Path) -> Path:
    """A swing of the UR5."""
    arm, t = armdyn.load("ur5"), np.linspace(0.0, 2.0, 41)
    q = 0.5 * np.sin(np.pi * t[:, None] + np.arange(6))
    qd, qdd = 0.5 * np.pi * np.cos(np.pi * t[:, None] + np.arange(6)), -(np.pi**2) * q
    path = tmp_path / "motion.csv"
    names = [f"{quantity}_{joint}" for quantity in ("q", "qd", "qdd") for joint in arm.joint_names]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["t", *names], *np.column_stack([t, q, qd, qdd]).tolist()])
    return path


@pytest.mark.slow
def test_tables_and_files(shell: Shell, motion: Path, tmp_path: Path) -> None:
    table, report = tmp_path / "pairs.csv", tmp_path / "report.png"
    words = ("--motion", str(motion), *WRIST, "--csv", str(table), "--plot", str(report), "--hold", "1")
    said = shell("size", "ur5", *words, columns=200)
    assert said.code == 0, said.err
    assert "for 3 s, repeated" in said.out
    assert "settled after 2 rounds" in said.out
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 200
    admitted = [row for row in rows if not row["fails_by"]]
    lightest = min(admitted, key=lambda row: (float(row["mass [kg]"]), float(row["loss [W]"])))
    line = next(line for line in said.out.splitlines() if line.startswith(" wrist_2_joint"))
    assert lightest["motor"] in line
    assert lightest["gear"] in line
    assert report.read_bytes().startswith(b"\x89PNG")


def test_joints_without_a_drive_say_what_fails(shell: Shell, motion: Path, tmp_path: Path) -> None:
    motors = tmp_path / "motors.csv"
    motors.write_text(
        "name,torque_constant [mNm/A],terminal_resistance [ohm],mass [g],nominal_voltage [V]\nm,1,9,5,1\n"
    )
    report = tmp_path / "report.pdf"
    words = ("--motion", str(motion), "--catalogue", str(motors), "--plot", str(report))
    said = shell("size", "ur5", *words, *WRIST)
    assert said.code == 1, said.err
    assert "no drive for 'wrist_2_joint' among 10 pairs; they fail by voltage (10), gear_torque (1)" in said.out
    assert "settled" not in said.out
    assert report.read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--joint", "wrist"], "no joint 'wrist' in 'ur5' (6 joints). Known: shoulder_pan_joint"),
        (["--prefer", "price"], "prefer is 'price'; expected 'mass' or 'loss'"),
        (["--catalogue", "none.csv"], "no file 'none.csv'"),
        (["--mount", "wrist_2_joint"], "--mount 'wrist_2_joint': expected JOINT=FRAME, each joint once"),
        (["--voltage", "0"], "voltage is 0.0; expected a number above zero"),
        (["--plot", "drives.xyz"], "--plot 'drives.xyz': expected a file name that ends in"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_messages(shell: Shell, motion: Path, words: list[str], message: str) -> None:
    said = shell("size", "ur5", "--motion", str(motion), *words)
    assert said.code == 2
    assert message in " ".join(said.err.split())


def test_a_joint_that_slides_needs_its_lead(shell: Shell, tmp_path: Path) -> None:
    arm, t, path = armdyn.load("rp"), np.linspace(0.0, 2.0, 41), tmp_path / "slide.csv"
    turn, slide = arm.joint_names
    q = 0.1 * np.sin(np.pi * t[:, None]) * np.ones(2) + 0.3
    np.savetxt(path, np.column_stack([t, q]), delimiter=",", header=f"t,q_{turn},q_{slide}", comments="")
    said = shell("size", "rp", "--motion", str(path))
    assert said.code == 2
    assert f"give the lead of its screw: --lead {slide}=0.005, m a turn" in " ".join(said.err.split())
    judged = shell("size", "rp", "--motion", str(path), "--lead", f"{slide}=0.005")
    assert (judged.code, judged.err) == (1, "")  # the other joint has no drive
    assert f"no drive for '{turn}'" in judged.out or f"no drive for '{slide}'" in judged.out


def test_files_in_a_new_folder(shell: Shell, motion: Path, tmp_path: Path) -> None:
    path = tmp_path / "new" / "pairs.csv"
    assert shell("size", "ur5", "--motion", str(motion), *WRIST, "--bare", "--csv", str(path)).code == 0
    assert path.read_text().startswith("joint,motor,gear")


def test_a_task_needs_its_times(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "states.csv"
    path.write_text("0,0,0,0,0,0\n1,0,0,0,0,0\n")
    said = shell("size", "ur5", "--motion", str(path))
    assert said.code == 2
    assert "has no column t" in said.err


@pytest.mark.filterwarnings("always::UserWarning")
def test_rates_of_a_task_are_read_or_derived(shell: Shell, motion: Path) -> None:
    """Without columns of qd and qdd the spline's; those of another motion are an error; others are not used."""
    table = [line.split(",") for line in motion.read_text().splitlines()]
    words = ("size", "ur5", "--motion", str(motion), *WRIST, "--bare", "--json")
    given = json.loads(shell(*words).out)["joints"]["wrist_2_joint"]["best"]
    motion.write_text("\n".join(",".join([*row[:7], "x" if k == 0 else "0"]) for k, row in enumerate(table)))
    said = shell(*words)
    assert "columns not used: 'x'" in " ".join(said.err.split())
    derived = json.loads(said.out)["joints"]["wrist_2_joint"]["best"]
    assert {k: v for k, v in derived.items() if k != "loss"} == {k: v for k, v in given.items() if k != "loss"}
    assert derived["loss"] == pytest.approx(given["loss"], rel=1e-3)
    table[0][7:13] = [f"{name} [deg/s]" for name in table[0][7:13]]
    motion.write_text("\n".join(map(",".join, table)))
    said = shell(*words)
    assert said.code == 2
    assert "qd of MotionCycle is not the rate of q: from 0 to " in " ".join(said.err.split())
    assert " s q of joint '" in " ".join(said.err.split())


def test_a_duty_cycle_may_jump_where_all_is_given(shell: Shell, tmp_path: Path) -> None:
    """A time that stands twice ends one phase and begins the next; a time that falls is named."""
    header = "t,q_joint_1,q_joint_2,qd_joint_1,qd_joint_2,qdd_joint_1,qdd_joint_2\n"
    rows = "0,0,0,0,0,1,0\n1,0.5,0,1,0,1,0\n1,0.5,0,1,0,0,0\n3,2.5,0,1,0,0,0\n"
    (tmp_path / "duty.csv").write_text(header + rows)
    said = shell("size", "planar_2r", "--motion", str(tmp_path / "duty.csv"))
    assert said.code == 0, said.err
    (tmp_path / "falls.csv").write_text(header + rows.replace("\n3,", "\n0.5,"))
    said = shell("size", "planar_2r", "--motion", str(tmp_path / "falls.csv"))
    assert said.code == 2
    assert "falls.csv:5 t is 0.5 s, after 1 s" in " ".join(said.err.split())
