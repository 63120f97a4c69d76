"""Ctrl-C, warnings made errors, a full disk: they end a call as they should, wherever in it they come."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.program import Port, trace
from armdyn.targets import cache, kernel_of
from armdyn.targets.gufunc import LoopTable
from armdyn.targets.llvm import compiler

pytest.importorskip("llvmlite")

NUMBERS = iter(range(1, 1000))


def fresh() -> armdyn.Robot:
    """A robot that nothing was compiled for."""
    return armdyn.load("planar_2r", gravity=(0.1 * next(NUMBERS), 0.2, -9.7))


Q = np.random.default_rng(0).normal(size=(5, 2))


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_an_interrupted_compilation_ends_the_call_and_the_next_one_compiles(
    monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    """The first call with float32 arrays compiles too: before it enters NumPy."""
    robot = fresh()
    robot.bias_forces(Q, Q)

    def interrupted(*arguments: object, **how: bool) -> bytes:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(compiler, "compile_ir", interrupted)
        with pytest.raises(error):
            robot.bias_forces(Q.astype("f"), Q.astype("f"))
        for dtype in "df":
            with pytest.raises(error):
                robot.gravity_forces(Q.astype(dtype))
        robot.bias_forces(Q, Q)
    for function, count in ((robot.bias_forces, 2), (robot.gravity_forces, 1)):
        found = function(*[Q.astype("f")] * count)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, function(*[Q] * count), rtol=1e-4, atol=1e-4)


def test_warnings_made_errors_end_the_call(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    robot = fresh()
    robot.bias_forces(Q, Q)
    monkeypatch.setattr(cache, "_warned", set())
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("ARMDYN_CACHE_DIR", str(tmp_path / "file"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="armdyn's cache of compiled functions"):
            robot.bias_forces(Q.astype("f"), Q.astype("f"))
    found = robot.bias_forces(Q.astype("f"), Q.astype("f"))
    np.testing.assert_allclose(found, robot.bias_forces(Q, Q), rtol=1e-4, atol=1e-5)


def test_no_ufunc_calls_back_into_python() -> None:
    """An error in a callback would be lost; so all loops are machine code, also those that are not compiled yet."""
    kernel = kernel_of(trace(lambda q: np.sin(q) + q[0], [Port("q", (3,))], name="no callback"), cache=False)
    table = LoopTable.of(kernel.for_float64)
    assert table is not None
    assert list(table.loops) == ["d"]
    assert list(LoopTable.of(kernel.for_any()).loops) == ["f", "d"]
    assert kernel.for_arrays([Q]) is kernel.for_any()


@pytest.mark.short_run(without=("[array([0., 0., 0.], dtype=float32), array([0., 0., 0.])]-True",))
@pytest.mark.parametrize(
    ("arrays", "is_float64"),
    [
        ([np.zeros(3)], True),
        ([np.zeros(3, "f")], False),
        ([np.zeros(3, ">f8")], True),
        ([np.zeros(3, np.int64)], True),
        ([np.zeros(3, np.int16)], False),
        ([[1.0, 2.0, 3.0]], True),
        ([[1, 2, 3]], True),
        ([np.zeros(3, "f"), np.zeros(3)], True),
        ([np.zeros(3, "f"), 2.0], False),
        ([2.0, np.zeros(3, "f")], False),
        ([np.zeros((), "d"), np.zeros(3, "f")], False),  # decided by NumPy, of which versions differ
    ],
    ids=str,
)
def test_float32_is_compiled_where_arrays_may_be_computed_in_it(arrays: list[object], is_float64: bool) -> None:
    program = trace(lambda *x: x[0] + x[-1], [Port(f"x{k}", np.shape(a)) for k, a in enumerate(arrays)], name="sum")
    kernel = kernel_of(program, cache=False)
    kernel._any = None
    function = kernel.for_arrays(arrays)
    assert (function is kernel.for_float64) == is_float64
    both = kernel.for_any()
    results = function(*arrays), both(*arrays)
    np.testing.assert_array_equal(*results)
    assert results[0].dtype == results[1].dtype


# With signals and limits of their own.


def run(code: str, folder: Path) -> str:
    prelude = """
        import os, resource, signal, threading, warnings
        import numpy as np
        import armdyn
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a process started in the background ignores it
    """
    command = [sys.executable, "-c", textwrap.dedent(prelude) + textwrap.dedent(code)]
    environment = {**os.environ, "ARMDYN_CACHE_DIR": str(folder)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="signals and limits of POSIX")


@posix
@pytest.mark.slow
def test_control_c_while_float32_is_compiled(tmp_path: Path) -> None:
    code = """
        robot, Q = armdyn.load("puma560"), np.ones((4, 6), np.float32)
        f = robot.inverse_dynamics_derivatives
        right = f(*[Q.astype(float)] * 3)
        threading.Timer(0.02, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            f(Q, Q, Q)
            print("not interrupted")
        except KeyboardInterrupt:
            print("interrupted")
        assert all(np.allclose(a, b, atol=1e-3) for a, b in zip(f(Q, Q, Q), right))
    """
    assert run(code, tmp_path) == "interrupted\n"


@posix
@pytest.mark.slow
def test_a_full_disk_while_float32_is_compiled(tmp_path: Path) -> None:
    code = """
        robot, Q = armdyn.load("puma560"), np.ones((4, 6), np.float32)
        right = robot.inverse_dynamics(*[Q.astype(float)] * 3)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        warnings.simplefilter("error")
        try:
            robot.inverse_dynamics(Q, Q, Q)
        except RuntimeWarning:
            pass
        assert np.allclose(robot.inverse_dynamics(Q, Q, Q), right, atol=1e-3)
    """
    run(code, tmp_path)


@posix
@pytest.mark.slow
def test_control_c_while_a_program_is_interpreted(tmp_path: Path) -> None:
    """Programs of more than 20,000 results are not compiled."""
    code = """
        parts = [
            armdyn.Part(f"l{k}", f"l{k - 1}" if k else "base", axis=np.eye(3)[k % 3], xyz=(0.1, 0.2, 0.3),
                        inertia=armdyn.Inertia(1.0, [0.1, 0.2, 0.05], np.diag([0.1, 0.2, 0.25])))
            for k in range(28)
        ]
        robot, q = armdyn.Robot.from_links(parts), np.ones((3000, 28))
        two = robot.christoffel(q[:2])
        assert np.isfinite(two).all()
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            robot.christoffel(q)
            print("not interrupted")
        except KeyboardInterrupt:
            print("interrupted")
        assert np.array_equal(robot.christoffel(q[:2]), two)
    """
    assert run(code, tmp_path) == "interrupted\n"
