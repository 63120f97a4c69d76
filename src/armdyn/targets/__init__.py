"""Programs as NumPy functions: machine code if llvmlite is installed, otherwise interpreted; independent of robots.

`armdyn.targets.llvm` is the compiler, `armdyn.targets.native` hand-written code that makes calls, threads and loading
faster and can be turned off. Both share with the interpreter the modules here: kernels, cache on disk, ufuncs, threads.
"""

from typing import TYPE_CHECKING

from armdyn.base.lazy import names_of

if TYPE_CHECKING:
    from armdyn.targets.cache_keys import source_digest
    from armdyn.targets.kernels import compile_program, kernel_of, load_or_compile

_WHERE = {
    "compile_program": "kernels",
    "kernel_of": "kernels",
    "load_or_compile": "kernels",
    "source_digest": "cache_keys",
}

__all__ = ["compile_program", "kernel_of", "load_or_compile", "source_digest"]

__getattr__ = names_of(__name__, _WHERE)
