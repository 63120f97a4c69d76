"""Without the hand-written native code: the same numbers, errors and threads' results, by what stands behind it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armdyn.base.errors import UnknownName
from armdyn.program import Port, trace
from armdyn.targets import machine_code, native, parallel
from armdyn.targets.kernels import compile_program
from armdyn.targets.llvm import compiler
from armdyn.targets.llvm.module import Module
from armdyn.targets.native import PIECES, direct, is_on, work_queue

pytest.importorskip("llvmlite")
ROOT = Path(__file__).parents[2]

CODE = """
import sys
import numpy as np
import armdyn
from armdyn.targets import parallel
from armdyn.targets.native import direct, work_queue
parallel.SMALLEST_SHARE = 1
parallel._processors = lambda: 2
robot, q = armdyn.load("scara"), np.random.default_rng(3).normal(size=(999, 4))
results = [robot.inverse_dynamics(q[0], q[1], q[2]), *robot.forward_dynamics(q, q, q, workers=2)[:3]]
results += [robot.mass_matrix(q[0].astype("f")), robot.inverse_dynamics(q[0], q[1], q[2])]
on = [direct._entry() is not None, work_queue.queue_loop() is not None, "llvmlite" not in sys.modules]
print([int(x) for x in on])
print([result.tolist() for result in results])
"""


def run(chosen: str | None, folder: Path) -> tuple[list[int], str]:
    """Which pieces are in use, in a process of its own, and the numbers it computes."""
    environment = {name: value for name, value in os.environ.items() if name != native.VARIABLE}
    environment |= {"ARMDYN_CACHE_DIR": str(folder)} | ({} if chosen is None else {native.VARIABLE: chosen})
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, timeout=120, check=False, env=environment
    )
    assert (done.returncode, done.stderr) == (0, "")
    on, numbers = done.stdout.splitlines()
    return [int(digit) for digit in on if digit.isdigit()], numbers


def test_the_numbers_are_the_same_without(tmp_path: Path) -> None:
    """In the second process the code comes from disk: an image for our loader, or an object file for LLVM's."""
    all_on = [run(None, tmp_path) for _ in range(2)]
    all_off = [run("0", tmp_path) for _ in range(2)]
    assert [on for on, _ in all_on] == [[1, 1, 0], [1, 1, 1]]
    assert [on for on, _ in all_off] == [[0, 0, 0], [0, 0, 0]]
    assert len({numbers for _, numbers in (*all_on, *all_off)}) == 1


@pytest.mark.parametrize(
    ("chosen", "on"),
    [
        (None, {"direct", "sharing", "loader", "xla"}),
        ("1", {"direct", "sharing", "loader", "xla"}),
        ("0", set()),
        ("", set()),
        (" loader , direct", {"direct", "loader"}),
        ("sharing", {"sharing"}),
    ],
)
def test_what_the_variable_says(monkeypatch: pytest.MonkeyPatch, chosen: str | None, on: set[str]) -> None:
    if chosen is None:
        monkeypatch.delenv(native.VARIABLE, raising=False)
    else:
        monkeypatch.setenv(native.VARIABLE, chosen)
    assert {piece for piece in PIECES if is_on(piece)} == on


def test_a_name_that_is_no_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(native.VARIABLE, "direct,shareing")
    program = trace(lambda x: 3.0 * x, [Port("x", (7,))], name="for_a_wrong_variable")
    with pytest.raises(UnknownName, match=r"no native piece 'shareing' in ARMDYN_NATIVE .* mean 'sharing'"):
        compile_program(program)


def test_every_piece_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(native.VARIABLE, "0")
    assert direct._entry.__wrapped__() is None
    assert work_queue.queue_loop.__wrapped__() is None
    refused: Any = lambda *_: pytest.fail("the linker was asked")  # noqa: E731
    monkeypatch.setattr(machine_code, "link", refused)
    monkeypatch.setattr(compiler, "compile_ir", lambda ir, _, anywhere: ir.encode())
    module = Module("own", ("shared",))
    assert machine_code.compile_code(module, "entry") == ({"kind": "object"}, module.whole.encode())


def test_every_piece_is_explained() -> None:
    text = Path(native.__file__).with_name("README.md").read_text()
    for piece in PIECES:
        part = text.split(f"## `{piece}`")[1].split("\n## ")[0]
        assert all(f"*{word}.*" in part for word in ("What", "Why", "Interfaces", "Fallback"))


def test_workers_without_a_work_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "queue_loop", lambda: None)
    monkeypatch.setattr(parallel, "_team", parallel.Team)
    monkeypatch.setattr(parallel, "_processors", lambda: 4)
    kernel = compile_program(trace(np.sin, [Port("x", (3,))], name="sines"))
    x = np.random.default_rng(0).normal(size=(500, 3))
    np.testing.assert_array_equal(parallel.run_in_parallel(kernel, 3, x), kernel(x))


REPRESENTATIVE = (
    "tests/program/test_llvm.py", "tests/program/test_gufunc.py", "tests/program/test_cache.py",
    "tests/program/test_threads.py", "tests/program/test_direct.py", "tests/program/test_parallel.py",
    "tests/errors/test_shapes.py", "tests/properties", "tests/crosscheck/test_derivatives_first.py",
)  # fmt: skip


@pytest.mark.slow
def test_the_tests_pass_without() -> None:
    """But those of the pieces themselves, which are skipped."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *REPRESENTATIVE]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, native.VARIABLE: "0"}
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout
