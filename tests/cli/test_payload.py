"""``armdyn payload``: the table, the calls of controllers, logs without a header, messages."""

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

ARM = armdyn.load("planar_2r")


@pytest.fixture
def logs(tmp_path: Path) -> tuple[Path, Path]:
    """Without a header: t, q, qd, currents of drives with 2 and 4 N m/A."""
    paths = []
    for name, arm in (("empty", ARM), ("held", ARM.with_payload(mass=0.8, com=[0.1, 0.0, 0.0]))):
        log = recorded(arm, fourier(2, 12.0, 100.0))
        table = np.column_stack([log["t"], log["q"], log["qd"], log["tau"] / [2.0, 4.0]])
        paths.append(tmp_path / f"{name}.csv")
        np.savetxt(paths[-1], table, delimiter=",")
    return paths[0], paths[1]


def words(logs: tuple[Path, Path]) -> list[str]:
    columns = ("t=0", "q=1:3", "qd=3:5", "current=5:7")
    return ["planar_2r", str(logs[1]), "--unloaded", str(logs[0]), *(w for c in columns for w in ("--columns", c))]


def test_a_body_from_currents_without_a_header(shell: Shell, logs: tuple[Path, Path]) -> None:
    said = shell("payload", *words(logs), "--gains", "2,4", "--json")
    assert said.code == 0, said.err
    answer = json.loads(said.out)
    assert answer["mass"] == pytest.approx(0.8, rel=0.01)
    assert answer["com"][0] == pytest.approx(0.1, abs=0.005)
    assert "I_xx" in answer["not_determined"]
    text = shell("payload", *words(logs), "--gains", "2,4", columns=150)
    assert "robot.setLoad(0.8" in text.out
    assert "set_target_payload(0.8" in text.out
    assert "95 %" in text.out


def test_currents_without_gains_and_wrong_options_are_named(shell: Shell, logs: tuple[Path, Path]) -> None:
    said = shell("payload", *words(logs))
    assert said.code == 2
    assert "gains" in said.err
    said = shell("payload", *words(logs), "--gains", "2,4,1")
    assert said.code == 2
    assert "--gains" in said.err
    said = shell("payload", *words(logs), "--units", "q", "--gains", "2")
    assert said.code == 2
    assert "QUANTITY=VALUE" in said.err
