"""C99 of programs, compiled with warnings as errors and called, beside the interpreter."""

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from armdyn.program import Program, interpret
from armdyn.targets.c import CCode, CFunction, c_code
from targets.exported import ROBOTS, arguments, assert_same, public_programs, single_operations

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wdouble-promotion", "-Werror"]
ZIG = [sys.executable, "-m", "ziglang", "cc"]
COMPILERS = [[name] for name in ("gcc", "clang") if shutil.which(name)] or [ZIG]


def library(
    code: CCode, folder: Path, *, compiler: list[str] | None = None, flags: tuple[str, ...] = ("-O1",)
) -> ctypes.CDLL:
    """A shared library of the source alone."""
    code.write(folder)
    command = [*(compiler or COMPILERS[0]), *STRICT, *flags, "-shared", "-fPIC", f"{code.name}.c", "-o", "module.so"]
    subprocess.run([*command, *(["-lm"] if code.library_functions else [])], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "module.so"))


def called(function: CFunction, module: ctypes.CDLL, arrays: list[np.ndarray], dtype: type) -> list[np.ndarray]:
    """The results for states along the first axis."""
    number = ctypes.c_double if dtype is np.float64 else ctypes.c_float
    states = len(arrays[0]) if arrays else 1
    results = [np.zeros((states, *port.shape), dtype) for port in function.program.outputs]
    given = [np.ascontiguousarray(a, dtype) for a in arrays]
    for k in range(states):
        inputs = [
            a[k].ctypes.data_as(ctypes.c_void_p) if port.shape else number(a[k])
            for a, port in zip(given, function.program.inputs, strict=True)
        ]
        outputs = [r[k : k + 1].ctypes.data_as(ctypes.c_void_p) for r in results]
        module[function.function](*inputs, *outputs)
    return results


def functions_of(programs: list[Program]) -> list[CFunction]:
    return [CFunction.of(f"f{k}", program) for k, program in enumerate(programs)]


@pytest.mark.parametrize("robot", ROBOTS)
def test_every_public_function(robot: str, tmp_path: Path) -> None:
    functions = functions_of([program for _, program in public_programs(robot)])
    module = library(c_code(functions, "all"), tmp_path)
    for function in functions:
        arrays = arguments(function.program)
        assert_same(called(function, module, arrays, np.float64), function.program, arrays)


def test_every_public_function_in_float(tmp_path: Path) -> None:
    functions = functions_of([program for _, program in public_programs("scara")])
    code = c_code(functions, "all", scalar="float", sincos="inline")
    code.write(tmp_path)
    command = [*COMPILERS[-1], *STRICT, "-O1", "all.c", "all_selftest.c", "-o", "selftest"]
    subprocess.run([*command, *(["-lm"] if code.library_functions else [])], cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "selftest"], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count(": ok") == len(functions)


@pytest.mark.parametrize("sincos", ["libm", "inline"])
def test_every_operation(sincos: str, tmp_path: Path) -> None:
    functions = functions_of(list(single_operations()))
    module = library(c_code(functions, "operations", sincos=sincos), tmp_path)
    for function in functions:
        arrays = arguments(function.program)
        assert_same(called(function, module, arrays, np.float64), function.program, arrays)
        special = np.array([0.0, -0.0, 1.0, -1.5, 0.5, np.nan, np.inf, -np.inf, 1e300])
        size = function.program.inputs[0].size
        grid = np.stack(np.meshgrid(*[special] * size, indexing="ij"), axis=-1).reshape(-1, size)
        (found,), (expected,) = called(function, module, [grid], np.float64), interpret(function.program, grid)
        np.testing.assert_allclose(found, expected, rtol=1e-15, err_msg=function.program.name)
