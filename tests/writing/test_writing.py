"""Files are written beside their place and renamed: links, permissions, devices, several processes, Ctrl-C."""

from __future__ import annotations

import ast
import errno
import os
import re
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from armdyn.base.errors import ArmdynError, ModelError
from armdyn.base.writing import UNFINISHED, FileWriteError, replacement, write_all, write_bytes, write_first, write_text

SOURCE = Path(__file__).parents[2] / "src"

needs_unix = pytest.mark.skipif(sys.platform == "win32", reason="permissions and links as Unix has them")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_written_and_written_over(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    assert write_text(path, "Grüße\n") == path
    assert path.read_bytes() == "Grüße\n".encode()
    write_bytes(str(path), b"new")
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["a.txt"]


@needs_unix
def test_a_new_file_has_the_usual_permissions_and_an_older_one_keeps_its_own(tmp_path: Path) -> None:
    usual = os.umask(0o027)
    try:
        path = write_bytes(tmp_path / "new", b"1")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o600)
        write_bytes(path, b"2")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        path.chmod(0o755)
        with replacement(path) as unfinished:
            assert stat.S_IMODE(unfinished.stat().st_mode) == 0o755
            unfinished.write_bytes(b"3")
        assert stat.S_IMODE(path.stat().st_mode) == 0o755
    finally:
        os.umask(usual)


@needs_unix
def test_a_link_stays_and_its_file_is_written(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    link, target = tmp_path / "link.csv", tmp_path / "far" / "data.csv"
    link.symlink_to(Path("far") / "data.csv")
    write_bytes(link, b"first")  # where the link leads there is no file yet
    write_bytes(link, b"second")
    assert link.is_symlink()
    assert target.read_bytes() == b"second"
    assert (names(tmp_path), names(tmp_path / "far")) == (["far", "link.csv"], ["data.csv"])
    link.unlink()
    link.symlink_to(link)
    with pytest.raises(FileWriteError, match="symbolic links") as error:
        write_bytes(link, b"")
    assert error.value.errno == errno.ELOOP


@needs_unix
def test_a_pipe_and_a_device_are_written_to(tmp_path: Path) -> None:
    write_bytes(os.devnull, b"nobody reads this")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    pipe, heard = tmp_path / "pipe", list[bytes]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: heard.append(pipe.read_bytes()))
    reader.start()
    write_bytes(pipe, b"through the pipe")
    reader.join(10.0)
    assert heard == [b"through the pipe"]
    assert names(tmp_path) == ["pipe"]
    if Path("/dev/full").exists():
        with pytest.raises(FileWriteError, match=r"/dev/full cannot be written: No space left on device; free"):
            write_bytes("/dev/full", b"1")


@pytest.mark.parametrize("raised", [KeyboardInterrupt, RuntimeError, SystemExit])
def test_what_breaks_off_takes_nothing_away(raised: type[BaseException], tmp_path: Path) -> None:
    path = write_bytes(tmp_path / "a.png", b"older")
    with pytest.raises(raised), replacement(path) as unfinished:  # noqa: PT012 - the block is the subject
        unfinished.write_bytes(b"half of the ne")
        assert unfinished.suffix == ".png"
        assert UNFINISHED in unfinished.name
        raise raised
    assert path.read_bytes() == b"older"
    assert names(tmp_path) == ["a.png"]


def test_errors_name_the_file_and_the_remedy(tmp_path: Path) -> None:
    for path, words, number in (
        (
            tmp_path / "missing" / "a",
            r"missing.a cannot be written: no folder '.*missing'; make it first",
            errno.ENOENT,
        ),
        (tmp_path, "cannot be written: it is a folder; give the name of a file in it", errno.EISDIR),
        (tmp_path / ("x" * 300), "File name too long; choose a shorter name", errno.ENAMETOOLONG),
        (write_bytes(tmp_path / "file", b"") / "a", "cannot be written: .*a part of the path is a file", errno.ENOTDIR),
    ):
        with pytest.raises(FileWriteError, match=words) as error:
            write_bytes(path, b"1")
        assert error.value.errno == number
        assert isinstance(error.value, OSError | ArmdynError)
    with pytest.raises(ModelError, match="cannot be written: no folder"):
        write_bytes(tmp_path / "missing" / "a", b"1", error=ModelError)
    with pytest.raises(FileWriteError, match="no null character"):
        write_bytes("a\0b", b"1")
    assert names(tmp_path) == ["file"]


@needs_unix
def test_a_read_only_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its folder would allow that."""
    path = write_bytes(tmp_path / "a", b"older")
    path.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda *_, **__: False)  # root may write it
    with pytest.raises(FileWriteError, match="it is read-only; change the permissions"):
        write_bytes(path, b"new")
    assert path.read_bytes() == b"older"


def test_a_long_name_leaves_room_for_that_of_the_unfinished_file(tmp_path: Path) -> None:
    for name in ("x" * 250, "ж" * 120, f"a.{'y' * 200}"):
        write_bytes(tmp_path / name, b"1")
        assert names(tmp_path) == [name]
        (tmp_path / name).unlink()


def test_of_several_files_none_is_there_before_all_are(tmp_path: Path) -> None:
    first = write_bytes(tmp_path / "a", b"older")
    with pytest.raises(FileWriteError, match="no folder"):
        write_all({first: b"new", tmp_path / "missing" / "b": b"new"})
    assert first.read_bytes() == b"older"
    assert names(tmp_path) == ["a"]


@pytest.mark.parametrize("links", [True, False])
def test_one_of_several_is_first(links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not links:
        monkeypatch.setattr(Path, "hardlink_to", lambda *_: (_ for _ in ()).throw(PermissionError()))
    path = tmp_path / "study.json"
    assert write_first(path, b"first")
    assert not write_first(path, b"second")
    assert path.read_bytes() == b"first"
    assert names(tmp_path) == ["study.json"]


KILLED = """
import os, sys
from pathlib import Path
from armdyn.base.writing import replacement

with replacement(sys.argv[1]) as unfinished:
    unfinished.write_bytes(b"half of the ne")
    os._exit(9)
"""


def test_a_killed_process_leaves_the_older_file(tmp_path: Path) -> None:
    path = write_bytes(tmp_path / "a.csv", b"older")
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert done.returncode == 9
    assert path.read_bytes() == b"older"
    assert [name for name in names(tmp_path) if UNFINISHED not in name] == ["a.csv"]


# No other module opens a file for writing.

_WORDS = """write_text write_bytes savefig imsave save savez savez_compressed savetxt tofile memmap to_csv to_parquet
to_json to_excel to_pickle to_hdf write_table dump TarFile ParquetWriter copyfile copy2 copytree move mkstemp
NamedTemporaryFile FileIO touch renames hardlink_to symlink_to extractall mj_saveModel fdopen write_image"""

WRITERS = frozenset(_WORDS.split())
"""Names of functions of Python and of libraries that write files, by whatever object they are called."""

NAMES = {*WRITERS, "open", "ZipFile"}
NAMED = re.compile(rf"\b({'|'.join(sorted(NAMES))})\b")
"""Modules without one of the names are not parsed."""

REASONS = {
    "cache.py: open": "compiled functions: an entry is private (0600), no link is followed, and a failure is a warning",
    "cache_eviction.py: touch": "the time of the last look at the cache",
    "child.py: write_text": "a process that knows MuJoCo alone answers in a temporary folder",
    "child.py: mj_saveModel": "the model in that temporary folder",
    "app.py: open": "standard output that nobody reads leads to the null device",
    "movie.py: save": "frames go into the file that `armdyn.base.writing.replacement` gives",
    "trajectory.py: save": "an animation, whose own method writes it",
    "motion_files.py: save": "a trajectory, whose own method writes it",
    "excite.py: to_csv": "an exciting motion, whose own method writes it",
}
"""Calls that may write without `armdyn.base.writing`, and why."""

IN_MEMORY = ("buffer", "written", "drawn", "png", "whole", "content")
"""Names of the buffers that functions of libraries write into."""

OTHERS = ("webbrowser.open", "viewer.open")
"""What opens no file."""


def opens_for_writing(call: ast.Call) -> bool:
    """Whether an ``open`` is more than reading: another mode, or one that is not written out."""
    modes = [word.value for word in call.keywords if word.arg in ("mode", "flags")]
    of_path = isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) not in ("os", "zipfile", "tarfile")
    modes += call.args[:1] if of_path else call.args[1:2]
    reading = ("'r'", "'rb'", "_READ", "os.O_RDONLY")
    return not all(ast.unparse(mode) in reading for mode in modes)


def writing_calls(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The names of functions that write files, where a module calls them, and the lines."""
    ours = {alias.asname or alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
            and (node.module or "").startswith("armdyn") for alias in node.names}  # fmt: skip
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in NAMES or (isinstance(node.func, ast.Name) and name in ours):
            continue
        if any(isinstance(part, ast.Name) and part.id in IN_MEMORY for part in ast.walk(node)):
            continue
        opens = name in ("open", "ZipFile") and ast.unparse(node.func) not in OTHERS and opens_for_writing(node)
        if opens or (name in WRITERS and (node.args or node.keywords or name == "touch")):
            yield name, node.lineno


def test_no_other_module_writes_files() -> None:
    """Buffers in memory, and the reasons above, apart."""
    found = set()
    for path in sorted((SOURCE / "armdyn").rglob("*.py")):
        if path.name == "writing.py":
            continue
        text = path.read_text(encoding="utf-8")
        for name, line in writing_calls(ast.parse(text)) if NAMED.search(text) else ():
            found.add((f"{path.name}: {name}", f"{path.relative_to(SOURCE)}:{line}"))
    assert sorted(where for what, where in found if what not in REASONS) == []
    assert {what for what, _ in found} == set(REASONS)


def test_the_scan_sees_what_writes() -> None:
    for text in (
        "Path(p).write_text(t)", "p.open('w')", "open(p, 'ab')", "p.open(mode='x')", "open(p, mode)", "fig.savefig(p)",
        "np.savez(p, a=1)", "os.open(p, os.O_WRONLY)", "zipfile.ZipFile(p, 'w')", "frame.to_csv(p)", "image.save(p)",
    ):  # fmt: skip
        assert list(writing_calls(ast.parse(text))), text
    for text in ("p.open()", "open(p)", "p.open('rb')", "os.open(p, os.O_RDONLY)", "fig.savefig(buffer)"):
        assert not list(writing_calls(ast.parse(text))), text
