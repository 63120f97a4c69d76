"""``armdyn compensate``: files of an arm as described, and as a log has it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from identification.arms import fourier, recorded

Shell = Callable[..., Any]


def test_a_log_gives_the_friction_and_stiffness_the_goals(shell: Shell, tmp_path: Path) -> None:
    arm = armdyn.load("planar_2r")
    log = recorded(arm.with_friction({"joint_1": (0.4, 1.0), "joint_2": (0.2, 0.5)}), fourier(2, 12.0, 100.0))
    np.savetxt(tmp_path / "log.csv", np.column_stack([log["t"], log["q"], log["qd"], log["tau"] / 2.0]), delimiter=",")
    columns = [w for c in ("t=0", "q=1:3", "qd=3:5", "current=5:7") for w in ("--columns", c)]
    words = ["planar_2r", str(tmp_path / "log.csv"), *columns, "--gains", "2", "--share", "0.5"]
    folder = tmp_path / "out"
    said = shell("compensate", *words, "--limit", "50", "--stiffness", "10,20", "-o", str(folder), "--json")
    assert said.code == 0, said.err
    answer = json.loads(said.out)
    assert answer["inputs"]["viscous"] == pytest.approx([0.2, 0.1], rel=0.03)
    assert answer["inputs"]["coulomb"] == pytest.approx([0.5, 0.25], rel=0.03)
    assert "stiffness[2]" in (folder / "compensation.h").read_text()
    assert "compensation_stiffness[2] = {10.0f, 20.0f}" in (folder / "compensation_numbers.h").read_text()


def test_logs_of_goals_give_the_stiffness(shell: Shell, tmp_path: Path) -> None:
    arm, k = armdyn.load("planar_2r"), np.array([300.0, 100.0])
    log = recorded(arm.with_friction({"joint_1": (0.4, 1.0), "joint_2": (0.2, 0.5)}), fourier(2, 12.0, 100.0))
    rows = np.column_stack([log["t"], log["q"], log["q"] + log["tau"] / k])
    np.savetxt(tmp_path / "log.csv", rows, delimiter=",", header="t,q_0,q_1,q_ref_0,q_ref_1", comments="")
    words = ["planar_2r", str(tmp_path / "log.csv"), "--limit", "50", "--share", "0.5"]
    said = shell("compensate", *words, "-o", str(tmp_path / "out"), "--json")
    assert said.code == 0, said.err
    answer = json.loads(said.out)["inputs"]
    assert answer["stiffness"] == pytest.approx(k, rel=0.02)
    assert answer["coulomb"] == pytest.approx([0.5, 0.25], rel=0.05)
    said = shell("compensate", *words, "--stiffness", "300,100", "-o", str(tmp_path / "two"), "--json")
    assert json.loads(said.out)["inputs"]["stiffness"] == [300.0, 100.0]


def test_a_published_servo_gives_stiffness_and_limit(shell: Shell, tmp_path: Path) -> None:
    words = ["planar_2r", "--servo", "STS3215", "--servo-gain", "16"]
    said = shell("compensate", *words, "-o", str(tmp_path / "out"))
    assert said.code == 0, said.err
    assert "11.87" in said.out
    assert "3.673" in said.out
    said = shell("compensate", *words, "--stiffness", "3", "-o", str(tmp_path / "out"))
    assert said.code == 2
    assert "leave one out" in said.err


def test_limits_that_lack_are_named(shell: Shell, tmp_path: Path) -> None:
    said = shell("compensate", "planar_2r", "-o", str(tmp_path / "out"))
    assert said.code == 2
    assert "no limit of force" in said.err
