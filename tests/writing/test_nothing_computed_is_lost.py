"""Disks that are full, and Ctrl-C, while the command line writes a motion, or a study its parts."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.base.interrupts import ctrl_c_waits
from armdyn.simulation import RungeKutta4
from oracles.shell import Shell
from writing.disks import FILLER, fill, small_disk

WORDS = "simulate planar_2r --q0 0.4,0.3 --duration 0.1 --method rk4 --set method.step=1e-3"


@pytest.fixture
def spare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files, with room."""
    folder = tmp_path / "spare"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.parametrize("outputs", ["--out {}/fall.csv --out {}/fall.npz", "--out {}/fall.npz", "--out {}/fall.png"])
def test_a_motion_that_finds_no_room_is_kept_elsewhere(outputs: str, shell: Shell, tmp_path: Path, spare: Path) -> None:
    (there := tmp_path / "there").mkdir()
    with small_disk(there):
        fill(there)
        said = shell(*WORDS.split(), *outputs.replace("{}", str(there)).split(), columns=400)
        assert [path.name for path in there.iterdir()] == [FILLER]
    assert said.code == 2
    assert "cannot be written: No space left on device" in said.err
    kept = re.search(r"the motion is kept in (\S+): armdyn\.Trajectory\.load reads it", said.err)
    assert kept is not None
    assert [path.name for path in spare.iterdir()] == [Path(kept[1]).name]
    motion = armdyn.simulate(armdyn.load("planar_2r"), [0.4, 0.3], duration=0.1, method=RungeKutta4(step=1e-3))
    np.testing.assert_array_equal(armdyn.Trajectory.load(kept[1]).q, motion.q)


def test_one_file_of_numbers_is_enough(shell: Shell, tmp_path: Path, spare: Path) -> None:
    (there := tmp_path / "there").mkdir()
    with small_disk(there):
        fill(there)
        said = shell(*WORDS.split(), f"--out={there / 'fall.csv'}", f"--out={tmp_path / 'fall.npz'}", columns=400)
    assert said.code == 2
    assert f"wrote {tmp_path / 'fall.npz'}" in said.out
    assert "kept in" not in said.err
    assert not list(spare.iterdir())


CTRL_C = """
import signal, sys
from armdyn.cli import main
from armdyn.motion import csv_file

signal.signal(signal.SIGINT, signal.default_int_handler)  # a process started in the background ignores it
usual = csv_file.content

def content(*given):
    signal.raise_signal(signal.SIGINT)  # Ctrl-C while the first file is made
    return usual(*given)

csv_file.content = content
sys.argv = ["armdyn", *sys.argv[1:]]
main()
"""


def test_ctrl_c_waits_until_the_numbers_are_written(tmp_path: Path) -> None:
    files = [f"--out={tmp_path / f'fall.{ending}'}" for ending in ("csv", "npz")]
    words = [*WORDS.split(), *files, f"--out={tmp_path / 'fall.png'}"]
    done = subprocess.run([sys.executable, "-c", CTRL_C, *words], check=False, capture_output=True, text=True)
    assert done.returncode == 130, done.stderr
    assert "the motion is being written; Ctrl-C again gives it up" in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fall.csv", "fall.npz"]  # and no picture
    assert len(armdyn.Trajectory.load(tmp_path / "fall.csv").t) == len(armdyn.Trajectory.load(tmp_path / "fall.npz").t)


def test_a_second_ctrl_c_ends_it_at_once() -> None:
    done: list[str] = []
    with pytest.raises(KeyboardInterrupt), ctrl_c_waits(lambda: done.append("told")):  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        done.append("goes on")
        signal.raise_signal(signal.SIGINT)
        done.append("never")
    assert done == ["told", "goes on"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_error_is_not_hidden_and_other_threads_and_handlers_are_left_alone() -> None:
    with pytest.raises(ValueError, match="the error"), ctrl_c_waits():  # noqa: PT012
        signal.raise_signal(signal.SIGINT)
        raise ValueError("the error")
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with ctrl_c_waits():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, usual)
    seen: list[object] = []

    def run() -> None:
        with ctrl_c_waits():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [usual]


def test_ctrl_c_while_a_part_is_written_keeps_the_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from armdyn.studies import Uniform, parts, sampled

    usual, calls = parts.tables.content, list[int]()

    def content(*given: object) -> bytes:
        calls.append(1)
        if len(calls) == 2:
            signal.raise_signal(signal.SIGINT)
        return usual(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(parts.tables, "content", content)
    samples = sampled(40, {"link_2.mass": Uniform(0.5, 1.5)}, seed=1)
    robot = armdyn.load("planar_2r")
    with pytest.raises(KeyboardInterrupt) as interrupt:
        armdyn.study(robot, samples, steps=5, chunk=10, folder=tmp_path)
    assert "the same call goes on from there" in " ".join(interrupt.value.__notes__)
    there = sorted(path.name for path in tmp_path.glob("part-*"))
    assert there == ["part-000000.parquet", "part-000001.parquet"]
    whole = armdyn.study(robot, samples, steps=5)
    again = armdyn.study(robot, samples, steps=5, chunk=10, folder=tmp_path)
    assert len(calls) == 4
    for name in whole.names:
        np.testing.assert_array_equal(again[name], whole[name])
