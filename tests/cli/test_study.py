"""``armdyn study``: its table, its folder, its messages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armdyn.studies import read

Shell = Callable[..., Any]

SCENARIO = """
robot: planar_2r
duration: 0.1
controller: pd_gravity
inputs: {q_ref: [0.5, 0.5], Kp: 100, Kd: 10}
samples: {tip.payload.mass: {uniform: [0, 2]}}
runs: 100
summaries: [joint_error]
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "payloads.yaml"
    path.write_text(SCENARIO)
    return path


def test_the_table_and_the_folder(shell: Shell, scenario: Path, tmp_path: Path) -> None:
    said = shell("study", str(scenario), "--out", str(tmp_path / "out"))
    assert said.code == 0, said.err
    results = read(tmp_path / "out")
    line = next(line for line in said.out.splitlines() if "joint_error" in line)
    np.testing.assert_allclose(float(line.split()[-2]), results["joint_error"].max(), rtol=1e-3)
    assert "tip.payload.mass" in said.out
    again = shell("study", str(scenario), "--out", str(tmp_path / "out"))
    assert again.out == said.out
    scenario.write_text(SCENARIO.replace("Kp: 100", "Kp: 200"))
    refused = shell("study", str(scenario), "--out", str(tmp_path / "out"))
    assert refused.code == 2
    assert "OtherStudy" in refused.err
    assert "its inputs differ" in refused.err


def test_a_misspelt_key_is_named(shell: Shell, scenario: Path) -> None:
    scenario.write_text(SCENARIO.replace("runs:", "run:"))
    said = shell("study", str(scenario), columns=300)
    assert said.code == 2
    assert "no key 'run'" in said.err
    assert "Did you mean 'runs'?" in said.err


def test_help_shows_a_scenario_as_it_is_written(shell: Shell) -> None:
    said = shell("study", "--help", columns=120)
    assert "inputs: {q_ref: [0.5, -1, 1, 0, 0, 0], qd_ref: 0, qdd_ref: 0, Kp: 100, Kd: 20}" in said.out
    assert "summaries: [tip_error, diverged]" in said.out


@pytest.mark.parametrize("address", ["nonsense", "tcp://127.0.0.1:9"])
def test_a_cluster_that_is_not_there(shell: Shell, scenario: Path, address: str) -> None:
    dask = pytest.importorskip("dask")
    pytest.importorskip("distributed")
    with dask.config.set({"distributed.comm.timeouts.connect": "0.5s"}):
        said = shell("study", str(scenario), "--cluster", address, columns=300)
    assert said.code == 2
    assert f"ClusterLost: --cluster '{address}': no cluster is reached" in said.err


def test_what_was_refused_leaves_the_folder_free(shell: Shell, tmp_path: Path) -> None:
    """A study that did not come to its first part; tables have the names of joints and units."""
    text = (
        "robot: planar_2r\nduration: 0.05\nmethod: rk4\nmethod.step: 1e-3\ncontroller: none\ngrid: {q0: [[0.1, 0.2], "
        "[0.3, 0.2]], link_2.mass: [1, 2]}\nsummaries: [%s]\n"
    )
    path, out = tmp_path / "study.yaml", tmp_path / "out"
    path.write_text(text % "joint_error")
    refused = shell("study", str(path), "--out", str(out))
    assert refused.code == 2
    assert "need a controller with an input q_ref" in " ".join(refused.err.split())
    path.write_text(text % "tip_position")
    said = shell("study", str(path), "--out", str(out), columns=200)
    assert said.code == 0, said.err
    for label in ("final.q joint_1 [rad]", "final.qd joint_2 [rad/s]", "tip_position z [m]", "link_2.mass [kg]"):
        assert label in said.out
