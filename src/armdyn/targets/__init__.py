"""Programs as NumPy functions: machine code where llvmlite is installed, otherwise interpreted. Knows no robots.

`armdyn.targets.llvm` is the compiler, `armdyn.targets.native` hand-written code that makes calls, threads and loading
faster and can be turned off. Here is what both and the interpreter share: kernels, the cache on disk, ufuncs, threads.
"""

from armdyn.lazy import modules_of
from armdyn.targets.cache_keys import source_digest
from armdyn.targets.kernels import compile_program, kernel_of, load_or_compile

__all__ = ["compile_program", "kernel_of", "load_or_compile", "source_digest"]

__getattr__ = modules_of(__name__)
