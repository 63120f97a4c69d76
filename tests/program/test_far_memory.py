"""LLVM's loader where little of the address space is left nearby, as beside a GPU's driver."""

import subprocess
import sys

import pytest

from armdyn.targets.llvm.machine import host

pytest.importorskip("llvmlite")

IN_A_PROCESS = """
import ctypes, mmap
from armdyn.targets.llvm.compiler import compile_ir, load_object
from armdyn.targets.llvm.machine import host

TEXT = '''
@table = internal unnamed_addr constant [2 x i64] [i64 41, i64 42]
define i64 @of(i64 %k) {
  %at = getelementptr [2 x i64], ptr @table, i64 0, i64 %k
  %found = load i64, ptr %at
  ret i64 %found
}'''

PAGE, REGION = mmap.PAGESIZE, 1 << 34  # bytes
NO_ACCESS, UNRESERVED = 0, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.munmap.argtypes = ctypes.c_void_p, ctypes.c_size_t


def taken(size):
    return libc.mmap(None, ctypes.c_size_t(size), NO_ACCESS, UNRESERVED, -1, ctypes.c_size_t(0))


code = compile_ir(TEXT, host())
region = taken(REGION)
while (page := taken(PAGE)) > region:  # every gap above
    pass
libc.munmap(page, PAGE)
libc.munmap(region + REGION - 8 * PAGE, PAGE)  # the only one, of one page
address, engine = load_object(code, "of", {})
print(ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(address)(1))
"""


@pytest.mark.skipif(not (sys.platform == "linux" and host().triple.startswith("x86_64")), reason="by Linux's mmap")
def test_code_and_constants_in_one_piece() -> None:
    """In a process of its own, which LLVM would end."""
    done = subprocess.run([sys.executable, "-c", IN_A_PROCESS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "42\n"), done.stderr[-500:]
