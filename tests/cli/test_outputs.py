"""Files that are written and read: no verb writes over what it reads."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import armdyn
from oracles.shell import Shell

HEADER = "t,q_joint_1,q_joint_2,tau_joint_1,tau_joint_2"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    t = np.linspace(0.0, 0.1, 5)
    np.savetxt("log.csv", np.column_stack([t, t, t, t, t]), delimiter=",", header=HEADER, comments="")
    shutil.copy("log.csv", "log.html")
    Path("arm.urdf").write_text(armdyn.load("planar_2r").to_urdf())
    Path("fall.yaml").write_text("robot: planar_2r\nduration: 0.05\ntorque: log.csv\nout: ../here/log.csv\n")
    (tmp_path / "here").symlink_to(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "option"),
    [
        ("report log.html --robot planar_2r -o log.html", "--out"),
        ("report log.html --robot planar_2r", "-o"),  # the name that is made is that of the log
        ("report arm.urdf --robot log.html -o log.html", "--out"),
        ("view planar_2r --motion log.html --save log.html --no-browser", "--save"),
        ("torque planar_2r --motion log.csv --out ./log.csv", "--out"),
        ("fk planar_2r --motion log.csv --out log.csv", "--out"),
        ("convert arm.urdf -o arm.urdf", "--out"),
        ("page log.html -o log.html", "--out"),
        ("simulate planar_2r --torque log.csv --out log.csv", "--out"),
        ("size planar_2r --motion log.csv --csv log.csv", "--csv"),
        ("size planar_2r --motion log.csv --plot log.csv", "--plot"),
        ("simulate planar_2r --controller pd_gravity --set reference=log.csv --out log.csv", "--out"),
    ],
)
def test_no_file_that_is_read_is_written_over(shell: Shell, folder: Path, words: str, option: str) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    said = shell(*words.split(), columns=400)
    assert said.code == 2
    assert said.err.startswith(f"OutputError: {option} ")
    assert "is read here" in said.err
    assert before == {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_nor_one_that_a_scenario_reads(shell: Shell, folder: Path) -> None:
    Path("fall.yaml").write_text(Path("fall.yaml").read_text().replace("../here", str(folder / "here")))
    before = Path("log.csv").read_bytes()
    said = shell("simulate", "fall.yaml", columns=400)
    assert said.code == 2
    assert "is read here" in said.err
    assert Path("log.csv").read_bytes() == before
    assert shell("simulate", "fall.yaml", "--out", "other.csv").code == 0
    assert shell("simulate", "fall.yaml", "--out", "other.csv").code == 0  # which is written over


@pytest.mark.parametrize(
    "words",
    [
        "torque planar_2r --motion plain.csv --out new/deep/out.csv",
        "fk planar_2r --motion plain.csv --out new/deep/out.csv",
        "convert planar_2r -o new/deep/out.urdf",
        "simulate planar_2r --duration 0.01 --out new/deep/out.csv",
        "page planar_2r -o new/deep/out.html",
    ],
)
def test_missing_folders_are_made(shell: Shell, folder: Path, words: str) -> None:
    Path("plain.csv").write_text("t,q_joint_1,q_joint_2\n0,0,0\n0.1,0,0\n0.2,0,0\n")
    said = shell(*words.split(), columns=400)
    assert said.code == 0, said.err
    assert (folder / words.rsplit(maxsplit=1)[-1]).is_file()


def test_rounding_of_a_torque_is_shown_as_zero(shell: Shell) -> None:
    """Gravity does not load an axis that is vertical."""
    said = shell("torque", "puma560", "--q=0.3,-0.5,-0.9,-1,0.6,0.8", columns=100)
    (waist,) = (line.split() for line in said.out.splitlines() if " 0.3 " in line)
    assert waist[1:] == ["0.3", "0", "0", "0", "N", "m"]
