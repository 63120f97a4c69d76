"""LLVM's loader puts sections where memory is free: code runs also where that is far apart."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("llvmlite")

APART = """
import ctypes, os
import numpy as np
from armdyn.program import Port, trace
from armdyn.targets import machine_code
from armdyn.targets.gufunc import ENTRY
from armdyn.targets.llvm import compiler
from armdyn.targets.llvm.loop import loop_module
from armdyn.targets.llvm.machine import host

program = trace(lambda q: np.cos(q) * 3.0 + q[0] ** 1.5, [Port("q", (4,))], name="far")
header, code = machine_code.compile_code(loop_module(program, "d", host()), ENTRY)
assert header == {"kind": "object"}

memory = ctypes.CDLL(None)
memory.mmap.restype = ctypes.c_void_p
memory.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
memory.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
PAGE, GIB = os.sysconf("SC_PAGE_SIZE"), 1 << 30
reserve = lambda size: memory.mmap(None, size, 0, 0x4022, -1, 0)  # private, anonymous, without storage
start = reserve(64 * GIB)
holes = [start + 4 * GIB * k for k in range(1, 16)]  # of one page: no two sections fit
while reserve(PAGE) > start:  # nothing is free above
    pass
for hole in holes:
    memory.munmap(hole, PAGE)
address, engine = compiler.load_object(code, ENTRY, {})

q = np.linspace(0.5, 2.0, 44).reshape(11, 4)
results = np.empty(11 * 4)
loop = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(address)
arrays = np.array([q.ctypes.data, results.ctypes.data])
numbers = np.array([11, 4, 4]), np.array([32, 32, 8, 8])  # states and their length; strides of states and of numbers
loop(*(one.ctypes.data for one in (arrays, *numbers)), None)
np.testing.assert_allclose(results.reshape(q.shape), np.cos(q) * 3.0 + q[:, :1] ** 1.5, rtol=1e-14)
print("run")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="where memory goes is known of Linux")
def test_sections_may_lie_far_apart() -> None:
    done = subprocess.run(
        [sys.executable, "-c", APART],
        env={**os.environ, "ARMDYN_NATIVE": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "run\n", "")
