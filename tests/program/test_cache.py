"""The disk cache: used without a compiler, never believed when it should not be, never in the way."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import textwrap
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.base.threads import Once
from armdyn.program import Port, Program, trace
from armdyn.targets import cache, cache_keys, kernels, machine_code
from armdyn.targets.gufunc import ENTRY
from armdyn.targets.llvm import compiler
from armdyn.targets.llvm.machine import Machine, host
from armdyn.targets.native import is_on
from armdyn.targets.native.loader import LoadError
from armdyn.targets.native.relocations import LinkError

pytest.importorskip("llvmlite")
needs_loader = pytest.mark.skipif(not is_on("loader"), reason="LLVM's loader is used")


class Process:
    """What a process that calls a function does, without starting one: the disk alone is kept from one to the next."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self._monkeypatch = monkeypatch
        self.folder = folder
        monkeypatch.setenv("ARMDYN_CACHE_DIR", str(folder))
        compile_ir = compiler.compile_ir

        def counting(ir: str, machine: Machine, **how: bool) -> bytes:
            is_kernel = f"define void @{ENTRY}(" in ir
            self.compiled += is_kernel
            self.shared += not is_kernel
            return compile_ir(ir, machine, **how)

        monkeypatch.setattr(compiler, "compile_ir", counting)
        self.start()

    def start(self) -> None:
        """Forget everything that is in memory."""
        self.traced = self.compiled = self.shared = 0
        for name in ("_by_source", "_by_program", "_loops", "_ufuncs"):
            self._monkeypatch.setattr(kernels, name, Once())
        self._monkeypatch.setattr(machine_code, "_shared", Once())
        for module in (kernels, cache):
            self._monkeypatch.setattr(module, "_warned", set())

    def make(self) -> Program:
        self.traced += 1
        return trace(lambda q: np.sin(q) * 3.0 + q[0], [Port("q", (4,))], name="cached")

    def call(self, dtype: str = "d", key: str = "my key") -> tuple[int, int]:
        """Call the function in this process; how often it was traced, and compiled."""
        q = np.linspace(-2, 2, 44).reshape(11, 4).astype(dtype)
        result = kernels.load_or_compile(key, self.make).for_arrays([q])(q)
        assert result.dtype == dtype
        np.testing.assert_allclose(result, np.sin(q) * 3.0 + q[:, :1], atol=1e-5)
        return self.traced, self.compiled

    def run(self, dtype: str = "d", key: str = "my key") -> tuple[int, int]:
        """Call the function in a new process."""
        self.start()
        return self.call(dtype, key)

    def entries(self, kind: str = "kernel") -> list[Path]:
        return sorted(self.folder.glob(f"*.{kind}"))


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Process:
    return Process(monkeypatch, tmp_path / "cache")


def said(call: Callable[[], object]) -> list[str]:
    """What is warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(one.message) for one in caught]


def test_what_is_kept_is_neither_traced_nor_compiled(process: Process) -> None:
    assert process.call() == (1, 1)
    assert process.call("f") == (1, 2)
    assert process.run() == process.run("f") == (0, 0)
    assert [len(process.entries(kind)) for kind in ("traced", "lowered", "kernel")] == [1, 2, 2]


@needs_loader
def test_what_kernels_have_in_common_is_compiled_once(process: Process) -> None:
    process.call()
    common = process.shared
    assert common == len(process.entries("shared")) >= 3  # more where results are streamed past the cache
    q = np.array([0.1, 0.2, 0.3, 0.4])
    another = trace(lambda q: np.cos(q) * 3.0, [Port("q", (4,))], name="another")
    np.testing.assert_allclose(kernels.kernel_of(another).for_float64(q), np.cos(q) * 3.0, rtol=1e-15)
    assert process.compiled == 2
    assert process.shared == common + 1  # the cosines of large angles
    process.start()
    for entry in process.entries():
        entry.unlink()
    assert process.call()[1] == 1
    assert process.shared == 0


def test_float32_is_compiled_only_when_used(process: Process) -> None:
    process.call()
    assert len(process.entries()) == 1
    assert process.run("f") == (1, 1)
    assert len(process.entries()) == 2


def test_another_source_of_the_same_program_compiles_nothing(process: Process) -> None:
    process.call()
    assert process.call(key="another key") == (2, 1)  # traced; the kernel is in memory
    assert process.run(key="a third key") == (1, 0)
    assert process.run(key="a third key") == (0, 0)
    assert len(process.entries()) == 1


def test_edited_sources_of_the_same_instructions_compile_nothing(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    process.call()
    linker = cache_keys.source_digest(*cache_keys.CODE_FORMAT)
    monkeypatch.setattr(cache_keys, "source_digest", lambda *of: linker if of == cache_keys.CODE_FORMAT else "edited")
    assert process.run() == (1, 0)
    assert process.run() == (0, 0)
    monkeypatch.setattr(cache_keys, "source_digest", lambda *of: "another linker")
    assert process.run() == (1, 1)


def test_another_processor_has_code_of_its_own(process: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    process.call()
    plain = Machine(host().triple, "", "")
    for module in (kernels, machine_code):
        monkeypatch.setattr(module, "host", lambda: plain)
    monkeypatch.setattr(cache_keys, "fingerprint", lambda: "another processor")
    assert process.run() == (1, 1)
    assert len(process.entries()) == 2


def test_a_program_packed_without_its_sources_keeps_nothing(process: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing would tell code of this version from that of the next."""
    monkeypatch.setattr(cache_keys, "has_sources", lambda: False)
    assert process.call() == process.run() == (1, 1)
    assert not process.folder.exists()
    robot = armdyn.load("planar_2r")
    assert robot.mass_matrix._source_key((("q",), ())) is None


def test_the_cache_can_be_switched_off(process: Process, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kernels.load_or_compile("my key", process.make, cache=False)
    monkeypatch.setenv("ARMDYN_CACHE_DIR", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert not said(process.run)
    assert not list(tmp_path.rglob("*.kernel"))


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "truncate": lambda good: good[: len(good) // 2],
    "empty": lambda good: b"",
    "flip": lambda good: good[:-50] + bytes([good[-50] ^ 1]) + good[-49:],
    "flip header": lambda good: good[:90] + bytes([good[90] ^ 1]) + good[91:],
    "garbage": lambda good: os.urandom(1000),
    "header": lambda good: good[:15] + hashlib.sha256(b'{"key": 3}\n').digest() + b'{"key": 3}\n',
}


@pytest.mark.parametrize("kind", ["traced", "lowered", "kernel"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_rebuilt(process: Process, damage: str, kind: str) -> None:
    process.call()
    (entry,) = process.entries(kind)
    good = entry.read_bytes()
    entry.write_bytes(DAMAGES[damage](good))
    assert process.run() == (1, int(kind == "kernel"))
    assert entry.read_bytes() == good
    assert process.run() == (0, 0)


@pytest.mark.parametrize("kind", ["traced", "lowered", "kernel"])
def test_an_entry_of_something_else_is_not_taken(process: Process, kind: str) -> None:
    process.call()
    before = set(process.entries(kind))
    process.start()
    other = trace(lambda q: np.sin(q) * 3.0 + q[1], [Port("q", (4,))], name="cached")
    kernels.load_or_compile("other key", lambda: other)
    (mine,) = before
    foreign = next(path for path in process.entries(kind) if path not in before)
    mine.write_bytes(foreign.read_bytes())
    process.run()


def test_one_warning_where_nothing_can_be_kept(process: Process, tmp_path: Path) -> None:
    tmp_path.joinpath("cache").write_text("no folder")
    warned = said(lambda: (process.call(), process.call("f"), process.call(key="other")))
    assert len(warned) == 1
    assert "armdyn's cache of compiled functions in " in warned[0]
    assert "ARMDYN_CACHE_DIR" in warned[0]


@needs_loader
def test_where_memory_cannot_be_made_executable_the_interpreter_runs(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(image: object, functions: object) -> None:
        raise LoadError("forbidden")

    monkeypatch.setattr(machine_code, "load", refuse)
    (warned,) = said(lambda: (process.call(), process.call("f")))
    assert "the compiled code cannot be loaded" in warned


def test_object_files_load_where_the_linker_does_not_know_them(
    process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(object_code: bytes, entry: str) -> None:
        raise LinkError("Mach-O")

    monkeypatch.setattr(machine_code, "link", refuse)
    assert not said(lambda: (process.call(), process.call("f")))
    assert process.run() == process.run("f") == (0, 0)


def test_an_interrupted_write_leaves_nothing(process: Process, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*paths: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        process.call()
    assert not [path for path in process.folder.iterdir() if path.name != ".looked_through"]
    monkeypatch.undo()


# With processes of their own.

PRELUDE = """
import sys, warnings
import numpy as np
import armdyn
from armdyn.targets.gufunc import ENTRY
from armdyn.targets.llvm import compiler

def mass():
    q = np.linspace(-2.0, 2.0, 44).reshape(22, 2)
    robot = armdyn.load("planar_2r")
    M = robot.mass_matrix(q), robot.mass_matrix(q.astype("f"))
    assert [m.dtype for m in M] == [np.float64, np.float32] and np.allclose(*M, atol=1e-6)
    return M[0].sum()
"""


def start(code: str, folder: Path, **environment: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "always", "-c", PRELUDE + textwrap.dedent(code)]
    environment = {**os.environ, "ARMDYN_CACHE_DIR": str(folder), **environment}
    return subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finished(process: subprocess.Popen[str]) -> str:
    output, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, "")
    return output


@needs_loader
def test_the_second_process_does_not_import_the_compiler(tmp_path: Path) -> None:
    finished(start("mass(); assert 'llvmlite' in sys.modules", tmp_path))
    finished(start("mass(); assert 'llvmlite' not in sys.modules", tmp_path))


@needs_loader
def test_processes_at_once(tmp_path: Path) -> None:
    for process in [start("mass()", tmp_path) for _ in range(3)]:
        finished(process)
    finished(start("mass(); assert 'llvmlite' not in sys.modules", tmp_path))
    assert not list(tmp_path.glob("*.temporary"))


@pytest.mark.slow
@needs_loader
def test_a_docstring_edited_anywhere_compiles_nothing(tmp_path: Path) -> None:
    package = tmp_path / "armdyn"
    shutil.copytree(cache_keys.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    place = {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    here = f"assert armdyn.__file__.startswith({str(tmp_path)!r}); "
    forbidden = "compiler.compile_ir = None; "
    finished(start(here + "mass()", tmp_path / "cache", **place))
    for edited in ("algorithms/mass_matrix.py", "program/expr.py", "targets/llvm/loop.py", "functions/compiled.py"):
        source = (package / edited).read_text()
        (package / edited).write_text(source.replace('"""', '"""Edited. ', 1))
        finished(start(here + forbidden + "mass()", tmp_path / "cache", **place))
        finished(start(here + "mass(); assert 'llvmlite' not in sys.modules", tmp_path / "cache", **place))
