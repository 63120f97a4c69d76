"""Bad input ends with exit code 2 and one message that names it, before any work is done."""

import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import pytest

import armdyn.cli.masp_circle
import armdyn.cli.simulate

Shell = Callable[..., Any]


def assert_refused(said: Any, *parts: str) -> None:
    assert said.code == 2, said
    assert said.out == ""
    shown = re.sub(r"[\s│]+", " ", said.err)
    for part in parts:
        assert part in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize("workers", ["0", "-5"])
def test_number_of_threads(shell: Shell, workers: str) -> None:
    said = shell("bench", "ur5", "--states", "10", "--workers", workers)
    assert_refused(said, f"{workers} is not a number of threads")


def test_number_of_states(shell: Shell) -> None:
    assert_refused(shell("bench", "planar_2r", "--states", "100000000000"), "--states", "10000000")


def test_too_little_memory(shell: Shell, tmp_path: Path) -> None:
    said = shell("masp", "--out", str(tmp_path), "--samples", str(10**15))
    assert_refused(said, "MemoryError: not enough memory", "Use fewer states at once.")


def test_axes_of_a_twist_by_their_option(shell: Shell) -> None:
    task = ["derive", "planar_2r", "--form", "task-space", "--components", "vx,vy", "--expressed-in"]
    assert_refused(shell(*task, "wrld"), "no way 'wrld' in --expressed-in (3 ways)", "Did you mean 'world'?")
    assert_refused(shell(*task, "WORLD"), "--expressed-in WORLD is ambiguous")


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (bytes(range(128, 256)), "is not a csv file in UTF-8: "),
        (b"\xff\xfe1,2\n", "is not a csv file in UTF-8: "),
        (b'"' + b"1" * 200_000 + b'"\n', "has no column q_joint_1, q_joint_2"),
        (b'"' + b"1" * 200_000 + b'",2\n', "is not a csv: field larger than field limit"),
    ],
)
def test_what_is_no_table(shell: Shell, tmp_path: Path, content: bytes, part: str) -> None:
    path = tmp_path / "random_bytes.csv"
    path.write_bytes(content)
    assert_refused(shell("torque", "planar_2r", "--motion", str(path)), "random_bytes.csv", part)


def test_table_that_is_not_there(shell: Shell, tmp_path: Path) -> None:
    said = shell("torque", "planar_2r", "--motion", "nosuch.csv")
    assert_refused(said, "LogError: no file 'nosuch.csv'; expected a table")
    said = shell("torque", "planar_2r", "--motion", str(tmp_path))
    assert_refused(said, f"{str(tmp_path)!r} cannot be read: Is a directory")


def test_column_named_twice(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "states.csv"
    path.write_text("q_joint_1,q_joint_1 [rad],q_joint_2\n1,2,3\n")
    assert_refused(shell("torque", "planar_2r", "--motion", str(path)), "states.csv:1 names 'q_joint_1' more than once")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("elbow_joint=0.3", "elbow_joint=0.4"), "--lock names 'elbow_joint' more than once; expected one value"),
        (("elbow_joint=abc",), "--lock elbow_joint is 'abc'; expected a number in rad"),
        (("elbow_joint=1,2",), "--lock elbow_joint has 2 numbers; expected one number"),
        (("elbow_joint=",), "--lock elbow_joint has no number; expected one number"),
        (("elbow_joint",), "--lock 'elbow_joint': expected JOINT=VALUE"),
    ],
)
def test_lock(shell: Shell, words: tuple[str, ...], message: str) -> None:
    assert_refused(shell("info", "ur5", *(part for word in words for part in ("--lock", word))), message)


def test_vectors(shell: Shell) -> None:
    assert_refused(
        shell("torque", "planar_2r", "--q", "1"),
        "--q has 1 number; expected 2 numbers separated by commas, one per joint of 'planar_2r': joint_1, joint_2",
    )
    assert_refused(shell("info", "ur5", "--gravity", "down"), "--gravity has 1 number; expected 3 numbers separated by")


@pytest.mark.parametrize("verb", ["info", "masp"])
def test_empty_name(shell: Shell, verb: str) -> None:
    assert_refused(shell(verb, ""), "ROBOT is empty; expected a bundled robot")


# ---- outputs are looked at first


@pytest.fixture
def _no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where the work begins."""

    def begin(*_: Any, **__: Any) -> None:
        raise AssertionError("the work began")

    monkeypatch.setattr(armdyn.studies.motion, "simulate", begin)
    monkeypatch.setattr(armdyn.cli.masp_circle, "run_masp", begin)


@pytest.mark.usefixtures("_no_work")
@pytest.mark.parametrize(
    ("option", "name", "expected"),
    [
        ("--out", "x.foo", ".png"),
        ("--out", "x", ".pdf"),
        ("-o", "t.txt", ".csv"),
        ("--out", "csv", ".npz"),
        ("--out", "x.avi", ".gif"),
        ("--out", "gif", ".parquet"),
    ],
)
def test_ending(shell: Shell, tmp_path: Path, option: str, name: str, expected: str) -> None:
    said = shell("simulate", "ur5", option, str(tmp_path / name))
    option = "--out"
    assert_refused(said, f"{option} {str(tmp_path / name)!r}: expected a file name that ends in", expected)


@pytest.mark.usefixtures("_no_work")
@pytest.mark.parametrize("option", ["--out x.png", "--out x.csv", "-o x.npz", "-o x.gif"])
def test_folder_that_takes_no_file(shell: Shell, tmp_path: Path, option: str) -> None:
    option, name = option.split()
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "deeper"):
        said = shell("simulate", "ur5", option, str(folder / name))
        assert_refused(said, f"no file can be written in {str(tmp_path / 'file')!r}: it is no folder")
    (tmp_path / name).mkdir()
    assert_refused(shell("simulate", "ur5", option, str(tmp_path / name)), "is a folder; expected the name of a file")


@pytest.mark.usefixtures("_no_work")
def test_libraries_that_are_missing(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("armdyn.plots.movie.ffmpeg", lambda: None)
    said = shell("simulate", "ur5", "--out", str(tmp_path / "x.mp4"))
    assert_refused(said, "MP4 needs ffmpeg, which is not installed: install the program (apt install ffmpeg")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    said = shell("simulate", "ur5", "--out", str(tmp_path / "x.parquet"))
    assert_refused(said, "a Parquet file needs pyarrow, which is not installed: pip install pyarrow")


@pytest.mark.usefixtures("_no_work")
def test_folder_of_figures(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said = shell("masp", "--out", str(tmp_path / "file"))
    assert_refused(said, f"no file can be written in {str(tmp_path / 'file')!r}: it is no folder")


@pytest.mark.usefixtures("_no_work")
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_folder_that_is_read_only(shell: Shell, tmp_path: Path) -> None:
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    assert_refused(shell("simulate", "ur5", "--out", str(tmp_path / "x.csv")), "Permission denied")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder in which nobody can make files")
@pytest.mark.usefixtures("_no_work")
def test_folder_in_which_nobody_can_make_files(shell: Shell) -> None:
    assert_refused(
        shell("simulate", "ur5", "--out", "/proc/self/new/x.csv"), "no file can be written in '/proc/self': "
    )


def test_torque_looks_at_its_output_too(shell: Shell, tmp_path: Path) -> None:
    assert_refused(shell("torque", "ur5", "--out", str(tmp_path)), "--out", "is a folder")


def test_missing_folders_are_made(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "motion.CSV"
    said = shell("simulate", "planar_2r", "--duration", "0.01", "--out", str(path))
    assert said.code == 0, said.err
    assert path.stat().st_size > 0


def test_a_motion_in_every_form(shell: Shell, tmp_path: Path) -> None:
    names = ["a.csv", "a.npz", "a.parquet", "a.svg", "a.gif"]
    options = [word for name in names for word in ("--out", str(tmp_path / name))]
    said = shell("simulate", "planar_2r", "--duration", "0.1", *options, columns=200)
    assert said.code == 0, said.err
    assert [line for line in said.out.splitlines() if line.startswith("wrote")] == [
        f"wrote {tmp_path / name}" for name in names
    ]
    assert {path.name for path in tmp_path.iterdir()} == set(names)
    motions = [armdyn.Trajectory.load(tmp_path / name) for name in ("a.csv", "a.npz", "a.parquet")]
    for motion in motions[1:]:
        np.testing.assert_array_equal(motion.q, motions[0].q)
    with PIL.Image.open(tmp_path / "a.gif") as film:
        assert film.n_frames == 4  # at 0, 0.04, 0.08 and 0.1 s


def test_what_is_no_file_can_be_written_to(shell: Shell) -> None:
    assert shell("torque", "planar_2r", "--out", os.devnull).code == 0


# ---- what is said of a robot


DAMPED = (
    "<robot name='damped'><link name='a'/><link name='b'><inertial><mass value='1'/>"
    "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='j' type='continuous'>"
    "<parent link='a'/><child link='b'/><axis xyz='0 0 1'/><dynamics damping='0.5'/></joint></robot>"
)


def test_torque_counts_friction(shell: Shell, tmp_path: Path) -> None:
    arm, states, out = tmp_path / "arm.urdf", tmp_path / "states.csv", tmp_path / "out.csv"
    arm.write_text(DAMPED)
    states.write_text("q_j,qd_j\n0.0,2.0\n")
    note = "note: damping and friction of j are left out, as --ignore-friction says\n"
    assert shell("torque", str(arm), "--motion", str(states)).out == "tau_j\n1.0\n"
    assert shell("torque", str(arm), "--qd", "2", "--ignore-friction").out.endswith(note)
    said = shell("torque", str(arm), "--motion", str(states), "--ignore-friction")
    assert said.out == "tau_j\n0.0\n"
    assert said.err == note
    assert shell("torque", str(arm), "--motion", str(states), "--out", str(out), "--ignore-friction").out == note
    assert np.loadtxt(out, skiprows=1) == 0.0


def test_help_names_both_formats(shell: Shell) -> None:
    assert "URDF or MJCF file" in re.sub(r"[\s│]+", " ", shell("--help").out)
    assert "URDF or MJCF file" in re.sub(r"[\s│]+", " ", shell("info", "--help").out)


def test_python_runs_the_package() -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, "-m", "armdyn", "--version"], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, f"armdyn {armdyn.__version__}\n"), done.stderr


def test_faults_that_no_equation_contains(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(
        '<robot name="arm"><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/>'
        '<child link="b"/><limit lower="1" upper="-1" velocity="1" effort="1"/></joint></robot>'
    )
    assert_refused(shell("info", str(path)), "upper limit -1. Mend it; or read the file with --accept, and the two")
    said = shell("info", str(path), "--accept", columns=200)
    assert said.code == 0
    assert "arm.urdf:1 joint 'j': lower limit 1 is above upper limit -1; the two are taken the other way" in said.out
    assert "±1" in said.out
