"""The disk cache: used without a compiler, never believed when it should not be, never in the way."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytest.importorskip("llvmlite")

PROGRAM = """
import sys, warnings
import numpy as np
from armdyn.program import Port, trace
from armdyn.targets import compile_program, load_or_compile

traced = []
def make():
    traced.append(1)
    return trace(lambda q: np.sin(q) * 3.0 + q[0], [Port("q", (4,))], name="cached")

def check(dtype="d"):
    q = np.linspace(-2, 2, 44).reshape(11, 4).astype(dtype)
    result = load_or_compile("my key", make)(q)
    assert result.dtype == dtype and np.allclose(result, np.sin(q) * 3.0 + q[:, :1], atol=1e-5)
"""


def start(code: str, folder: Path | str, **environment: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "always", "-c", PROGRAM + textwrap.dedent(code)]
    environment = {**os.environ, "ARMDYN_CACHE_DIR": str(folder), **environment}
    return subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(code: str, folder: Path | str, **environment: str) -> str:
    process = start(code, folder, **environment)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return output + errors


def entries(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.kernel"))


def test_the_second_process_neither_traces_nor_imports_the_compiler(tmp_path: Path) -> None:
    run("check(); check('f'); assert traced == [1]", tmp_path)
    assert len(entries(tmp_path)) == 2
    run("check(); check('f'); assert not traced; assert 'llvmlite' not in sys.modules", tmp_path)


def test_float32_is_compiled_only_when_used(tmp_path: Path) -> None:
    run("check()", tmp_path)
    assert len(entries(tmp_path)) == 1
    run("check('f'); assert traced == [1]", tmp_path)
    assert len(entries(tmp_path)) == 2


def test_the_folder_is_the_users_alone(tmp_path: Path) -> None:
    run("check()", tmp_path / "new")
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in entries(tmp_path / "new"))
    assert not list((tmp_path / "new").glob(".*"))


@pytest.mark.parametrize("damage", ["truncate", "empty", "flip", "flip header", "foreign", "garbage", "header"])
def test_a_damaged_entry_is_rebuilt(tmp_path: Path, damage: str) -> None:
    run("check()", tmp_path)
    (entry,) = entries(tmp_path)
    good = entry.read_bytes()
    bad = bytearray(good)
    if damage == "truncate":
        bad = bad[: len(bad) // 2]
    elif damage == "empty":
        bad = bytearray()
    elif damage == "flip":
        bad[-50] ^= 1
    elif damage == "flip header":
        bad[90] ^= 1
    elif damage == "garbage":
        bad = bytearray(os.urandom(1000))
    elif damage == "header":  # intact by its own checksum, but not what this version writes
        import hashlib

        payload = b'{"key": 3}\n'
        bad = bytearray(good[:16] + hashlib.sha256(payload).digest() + payload)
    elif damage == "foreign":
        other = tmp_path / "other"
        run("load_or_compile('other key', make)(np.zeros(4))", other)
        bad = bytearray(entries(other)[0].read_bytes())
    entry.write_bytes(bytes(bad))
    run("check(); assert traced == [1]", tmp_path)
    assert entry.read_bytes() == good
    run("check(); assert not traced", tmp_path)


def test_an_edit_of_the_compiler_or_another_processor_makes_entries_stale(tmp_path: Path) -> None:
    run("check()", tmp_path)
    run(
        "from armdyn.targets import cache; cache.source_digest = lambda *folders: 'edited'; check(); assert traced",
        tmp_path,
    )
    run("from armdyn.targets import cache; cache.fingerprint = lambda: 'other'; check(); assert traced", tmp_path)
    run("check(); assert not traced", tmp_path)


def test_the_cache_can_be_switched_off(tmp_path: Path) -> None:
    run("check(); assert traced", "", HOME=str(tmp_path), XDG_CACHE_HOME=str(tmp_path / "x"))
    assert not list(tmp_path.rglob("*.kernel"))
    run("load_or_compile('my key', make, cache=False)(np.zeros(4))", tmp_path)
    assert not entries(tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="the place differs")
def test_the_usual_place(tmp_path: Path) -> None:
    code = "import os; del os.environ['ARMDYN_CACHE_DIR']; check()"
    run(code, "", XDG_CACHE_HOME=str(tmp_path / "x"))
    assert entries(tmp_path / "x" / "armdyn")


def test_an_unusable_folder_is_one_warning(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    output = run("check(); check('f'); load_or_compile('other', make)(np.zeros(4))", blocked / "below")
    assert output.count("RuntimeWarning") == 1
    assert "ARMDYN_CACHE_DIR" in output


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give files away")
def test_entries_of_other_users_are_refused(tmp_path: Path) -> None:
    run("check()", tmp_path)
    os.chown(entries(tmp_path)[0], 12345, 12345)
    assert "belongs to user 12345" in run("check(); assert traced", tmp_path)
    os.chown(tmp_path, 12345, 12345)
    assert "belongs to user 12345" in run("check(); assert traced", tmp_path)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="POSIX permissions")
def test_a_folder_that_anyone_may_write_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    assert "anyone may write" in run("check(); assert traced", tmp_path)
    assert not entries(tmp_path)


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_read(tmp_path: Path) -> None:
    run("check()", tmp_path)
    tmp_path.chmod(0o500)
    assert run("check(); assert not traced", tmp_path) == ""
    assert run("check('f')", tmp_path).count("RuntimeWarning") == 1


def test_processes_at_once(tmp_path: Path) -> None:
    processes = [start("check(); check('f')", tmp_path) for _ in range(4)]
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")
    assert len(entries(tmp_path)) == 2
    run("check(); check('f'); assert not traced", tmp_path)


def test_where_memory_cannot_be_made_executable_the_interpreter_runs(tmp_path: Path) -> None:
    code = """
    from armdyn.targets import machine_code
    from armdyn.targets.image import LoadError
    def refuse(image): raise LoadError("forbidden")
    machine_code.load = refuse
    check(); check("f")
    """
    assert "the compiled code cannot be loaded" in run(code, tmp_path)


def test_object_files_load_where_the_linker_does_not_know_them(tmp_path: Path) -> None:
    code = """
    from armdyn.targets import machine_code
    from armdyn.targets.image import LinkError
    def refuse(object_code, entry): raise LinkError("Mach-O")
    machine_code.link = refuse
    check(); check("f")
    """
    assert run(code, tmp_path) == ""
    assert len(entries(tmp_path)) == 2
    assert run("check(); check('f'); assert not traced", tmp_path) == ""
