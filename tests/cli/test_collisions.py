"""``armdyn collisions``: contacts of a log on a robot as described and on a fit, their files and exit codes."""

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
ARM = armdyn.load("planar_2r").with_friction({"joint_1": (0.4, 1.0), "joint_2": (0.2, 0.5)})


def write(path: Path, *, push: float = 0.0, seed: int = 1) -> None:
    log = recorded(ARM, fourier(2, 12.0, 100.0, seed=seed), noise=0.3, seed=seed)
    log["tau"][600:630, 1] -= push
    header = "t,q_joint_1,q_joint_2,qd_joint_1,qd_joint_2,tau_joint_1,tau_joint_2"
    np.savetxt(
        path, np.column_stack([log[k] for k in ("t", "q", "qd", "tau")]), delimiter=",", header=header, comments=""
    )


@pytest.fixture
def _logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("free.csv"))
    write(Path("calm.csv"), seed=2)
    write(Path("pushed.csv"), push=5.0, seed=3)


@pytest.mark.usefixtures("_logs")
def test_a_push_on_a_fit(shell: Shell) -> None:
    words = ["planar_2r", "pushed.csv", "--fit", "free.csv", "--quiet", "calm.csv", "--quiet", "free.csv"]
    said = shell("collisions", *words, "--csv", "residual.csv", "--plot", "residual.png", "--json")
    assert said.code == 1, said.err
    answer = json.loads(said.out)
    (hit,) = answer["collisions"]
    assert hit["from"] == pytest.approx(6.0, abs=0.05)
    assert 3.0 < hit["peaks"]["joint_2"] < 6.0
    table = np.genfromtxt("residual.csv", delimiter=",", names=True)
    assert np.abs(table["residual_joint_2"]).max() > 3.0
    assert Path("residual.png").stat().st_size > 20_000
    said = shell("collisions", *words)
    assert "joint_2" in said.out
    assert "Contacts" in said.out


@pytest.mark.usefixtures("_logs")
def test_a_quiet_log_and_stated_thresholds(shell: Shell) -> None:
    said = shell("collisions", "planar_2r", "calm.csv", "--fit", "free.csv")
    assert said.code == 0, said.err
    assert "no contact" in said.out
    assert shell("collisions", "planar_2r", "pushed.csv", "--threshold", "20").code == 0
    said = shell("collisions", "planar_2r", "pushed.csv", "--threshold", "1,2,3")
    assert said.code == 2
    assert "--threshold" in said.err
    assert shell("collisions", "planar_2r", "pushed.csv", "--plot", "residual.docx").code == 2
