"""Every writer of armdyn on a disk that is full: the older file stays, byte for byte, and no part of a new one."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import ArmdynError
from armdyn.actuators import Actuator, Gear, Motor
from armdyn.base.writing import write_all
from armdyn.plots.movie import ffmpeg
from armdyn.simulation import SaveAt
from armdyn.studies import StudyError, Uniform, sampled
from armdyn.targets.wasm import module
from oracles.shell import Shell
from writing.disks import FILLER, fill, short_files, small_disk

OLDER = b"the older file, which nobody wants to lose"


@cache
def arm() -> armdyn.Robot:
    return armdyn.load("planar_2r")


@cache
def motion() -> armdyn.Trajectory:
    return armdyn.simulate(arm(), [0.4, 0.3], duration=0.2, save=SaveAt(every=0.02))


def drives(path: Path) -> object:
    return armdyn.actuators.write({"joint_1": Actuator(Motor(rotor_inertia=1e-4), Gear(100.0))}, path)


def picture_of_view(path: Path) -> None:
    from armdyn.viewer.pictures import write_png

    write_png(path, np.random.default_rng(1).integers(0, 255, (40, 40, 3), dtype=np.uint8))


def view(path: Path) -> None:
    pytest.importorskip("viser")
    with arm().view(port=0, browser=False, quiet=True) as viewer:
        viewer.save(path)


Write = Callable[[Path], object]

FILES: dict[str, tuple[str, Write]] = {
    "csv of a motion": ("fall.csv", lambda path: motion().save(path)),
    "npz of a motion": ("fall.npz", lambda path: motion().save(path)),
    "parquet of a motion": ("fall.parquet", lambda path: motion().save(path)),
    "png of a motion": ("fall.png", lambda path: motion().plot(path)),
    "svg of a motion": ("fall.svg", lambda path: motion().plot(path)),
    "pdf of a motion": ("fall.pdf", lambda path: motion().plot(path)),
    "gif": ("fall.gif", lambda path: motion().animate(path, robot=arm(), fps=10)),
    "mp4": ("fall.mp4", lambda path: motion().animate(path, robot=arm(), fps=10)),
    "player": ("fall.html", lambda path: motion().animate(path, robot=arm(), fps=10)),
    "picture of a robot": ("arm.png", lambda path: arm().plot([0.1, 0.2], path)),
    "urdf": ("arm.urdf", lambda path: arm().to_urdf(path)),
    "mjcf": ("arm.xml", lambda path: arm().to_mjcf(path)),
    "actuators": ("drives.json", drives),
    "derivation": ("arm.tex", lambda path: armdyn.derive(arm()).document(path)),
    "page": ("arm.html", lambda path: arm().to_page(path)),
    "page of a motion": ("fall.html", lambda path: motion().page(path)),
    "report": ("fall.html", lambda path: motion().report(path)),
    "fmu": ("arm.fmu", lambda path: arm().to_fmu(derivatives=False).write(path)),
    "picture of a view": ("view.png", picture_of_view),
    "view": ("view.html", view),
}
"""Functions of the library that write a file, and a name for it."""

FOLDERS: dict[str, Write] = {
    "c": lambda folder: arm().mass_matrix.to_c(name="arm").write(folder),
    "wasm": lambda folder: module([arm().mass_matrix.program()], name="arm").write(folder),
}
"""Functions of the library that write several files into a folder."""

COMMANDS: dict[str, str] = {
    "torque": "torque planar_2r --q 1,2 --out {}/tau.csv",
    "torques of a motion": "torque planar_2r --motion motion.csv --out {}/tau.csv",
    "fk": "fk planar_2r --motion motion.csv --out {}/pose.csv",
    "jacobian": "jacobian planar_2r --out {}/jacobian.csv",
    "convert, urdf": "convert planar_2r -o {}/arm.urdf",
    "convert, json": "convert planar_2r --to screws -o {}/arm.json",
    "convert, py": "convert planar_2r --to screws -o {}/arm.py",
    "derive": "derive planar_2r --latex {}/arm.tex --python {}/arm.py --c {} --overwrite",
    "export, c": "export planar_2r --to c -f mass_matrix --overwrite -o {}",
    "export, python": "export planar_2r --to python -f mass_matrix -f gravity_forces --overwrite -o {}",
    "export, numpy": "export planar_2r --to numpy -f mass_matrix --overwrite -o {}",
    "export, latex": "export planar_2r --to latex -f mass_matrix --overwrite -o {}",
    "export, wasm": "export planar_2r --to wasm -f mass_matrix --overwrite -o {}",
    "export, cuda": "export planar_2r --to cuda -f mass_matrix --overwrite -o {}",
    "export, fmu": "export planar_2r --to fmu --option derivatives=no --overwrite -o {}/arm.fmu",
    "size": "size planar_2r --motion motion.csv --joint joint_2 --bare --csv {}/drives.csv --plot {}/drives.png",
    "masp": "masp --samples 5 --out {}",
    "page": "page planar_2r -o {}/arm.html",
    "report": "report motion.csv --robot planar_2r -o {}/motion.html",
    "list": "list --pictures {}",
    "simulate": "simulate planar_2r --duration 0.05 --out {0}/fall.csv --out {0}/fall.npz --out {0}/fall.png",
    "study": "study study.yaml --out {}/study",
    "view": "view planar_2r --save {}/view.html --no-browser",
}
"""Verbs that write files, into the folder that is put in the place of {}."""

STUDY = "robot: planar_2r\nduration: 0.02\nsamples: {q0: {normal: [0, 0.1]}}\nruns: 3\nmethod: rk4\n"


@contextmanager
def full(way: str, folder: Path) -> Iterator[None]:
    """A folder in which nothing more can be written."""
    if way == "disk":
        fill(folder)
        try:
            yield
        finally:
            (folder / FILLER).unlink()
    else:
        with short_files():
            yield


@pytest.fixture(params=["disk", "limit"])
def way(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A small disk at tmp_path/there, or the limit on the size of files and an ordinary folder."""
    (tmp_path / "there").mkdir()
    if request.param == "limit":
        yield "limit"
    else:
        with small_disk(tmp_path / "there"):
            yield "disk"


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refuses(write: Write, place: str, way: str, tmp_path: Path) -> str:
    """Where the disk is full, the words of the error; the files that a writer would write over are as they were."""
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    write(here / place)
    written = contents(here)
    assert written
    assert all(len(content) > 16 for content in written.values())
    for name in written:
        (there / name).parent.mkdir(parents=True, exist_ok=True)
        (there / name).write_bytes(OLDER)
    with full(way, there), pytest.raises(ArmdynError) as error:
        write(there / place)
    assert contents(there) == dict.fromkeys(written, OLDER)
    return str(error.value)


def check_words(words: str, names: list[str], way: str) -> None:
    reason = {"disk": "No space left on device; free some space", "limit": "File too large; it is larger than"}[way]
    flat = " ".join(words.split())
    assert any(f"{name} cannot be written: " in flat for name in names), words
    assert reason in flat, words


OF_ONE_WRITER = ("svg of a motion", "pdf of a motion", "page", "report", "fmu")
"""Files that the function of the PNG, or a verb below, writes; they are tested in the long run."""


@pytest.mark.short_run(
    without=[*(f"limit-{name}" for name in [*FILES][1:]), *(f"disk-{name}" for name in OF_ONE_WRITER)]
)  # the error of any file comes from one module
@pytest.mark.parametrize("name", FILES)
def test_the_older_file_stays(name: str, way: str, tmp_path: Path) -> None:
    file, write = FILES[name]
    if name == "mp4" and ffmpeg() is None:
        pytest.skip("no ffmpeg")
    if name in ("fmu", "player") and way == "limit":
        pytest.skip("a compiler, or matplotlib, writes longer files elsewhere first")
    words = refuses(write, file, way, tmp_path)
    if name == "mp4":  # ffmpeg has words of its own
        assert f"{file} cannot be written: ffmpeg" in words
    else:
        check_words(words, [file], way)


@pytest.mark.parametrize("name", FOLDERS)
def test_the_older_files_stay(name: str, way: str, tmp_path: Path) -> None:
    words = refuses(FOLDERS[name], ".", way, tmp_path)
    check_words(words, list(contents(tmp_path / "here")), way)


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("name", COMMANDS)
def test_the_older_files_of_verbs_stay(
    name: str, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One message with the name of a file, exit code 2, and all older files as they were."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setattr("armdyn.cli.list_robots.bundled_robots", lambda: ("rp", "planar_2r"))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))  # for a motion that finds no room
    Path("study.yaml").write_text(STUDY)
    t = np.linspace(0.0, 2.0, 21)
    table = np.column_stack([t, *[0.1 * np.sin(np.pi * t)] * 2])
    np.savetxt("motion.csv", table, delimiter=",", header="t,q_joint_1,q_joint_2", comments="")

    def run(folder: Path) -> Any:
        return shell(*COMMANDS[name].replace("{0}", "{}").replace("{}", str(folder)).split(), columns=400)

    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    said = run(here)
    assert said.code == 0, said.err
    written = contents(here)
    assert written
    there.mkdir()
    with small_disk(there):
        for file in written:
            (there / file).parent.mkdir(parents=True, exist_ok=True)
            (there / file).write_bytes(OLDER)
        if name == "study":  # a folder of another study is refused: one of this, without its parts, goes on
            (there / "study/study.json").write_bytes(written["study/study.json"])
            for part in there.glob("study/part-*"):
                part.unlink()
        before = contents(there)
        fill(there)
        said = run(there)
        (there / FILLER).unlink()
        assert said.code == 2
        check_words(said.err, [*written, "part-000000.parquet"], "disk")
        assert "Traceback" not in said.err
        assert contents(there) == before


def test_of_several_files_none_changes_where_one_finds_no_room(tmp_path: Path) -> None:
    """Room for two of three files."""
    with small_disk(tmp_path):
        paths = [tmp_path / name for name in ("a.h", "b.c", "c.c")]
        for path in paths:
            path.write_bytes(OLDER)
        fill(tmp_path, leave=5 * 4096)
        with pytest.raises(ArmdynError, match=r"c\.c cannot be written: No space left on device"):
            write_all(dict.fromkeys(paths, bytes(2 * 4096)))
        (tmp_path / FILLER).unlink()
        assert contents(tmp_path) == {path.name: OLDER for path in paths}
        write_all(dict.fromkeys(paths, bytes(2 * 4096)))
        assert contents(tmp_path) == {path.name: bytes(2 * 4096) for path in paths}


def test_a_study_goes_on_when_there_is_room_again(tmp_path: Path) -> None:
    """Parts that were written before the disk was full are kept, and count."""
    samples = sampled(40, {"link_2.mass": Uniform(0.5, 1.5)}, seed=1)
    options: dict[str, Any] = {"steps": 5, "chunk": 10}
    whole = armdyn.study(arm(), samples, **options)
    with small_disk(tmp_path):
        folder = tmp_path / "study"
        size = _size_of_a_part(samples, tmp_path, options)
        fill(tmp_path, leave=4096 + 2 * size + size // 2)  # the manifest, two parts and a half
        with pytest.raises(StudyError, match=r"part-000002\.parquet cannot be written: No space left.*study\(\) again"):
            armdyn.study(arm(), samples, folder=folder, **options)
        parts = sorted(path.name for path in folder.iterdir())
        assert parts == ["part-000000.parquet", "part-000001.parquet", "study.json"]
        before = {name: (folder / name).stat().st_mtime_ns for name in parts}
        (tmp_path / FILLER).unlink()
        again = armdyn.study(arm(), samples, folder=folder, **options)
        assert {name: (folder / name).stat().st_mtime_ns for name in parts} == before
        for name in whole.names:
            np.testing.assert_array_equal(again[name], whole[name])


def _size_of_a_part(samples: Any, folder: Path, options: dict[str, Any]) -> int:
    """The room that a part takes, in whole pages."""
    first = folder / "first"
    armdyn.study(arm(), samples, folder=first, **options)
    size = -(-(first / "part-000000.parquet").stat().st_size // 4096) * 4096
    for path in first.iterdir():
        path.unlink()
    first.rmdir()
    return size
