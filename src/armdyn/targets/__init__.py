"""What a program can become: machine code as NumPy ufuncs, source code, symbols. Knows no robots."""

from armdyn.lazy import modules_of
from armdyn.targets.cache_keys import source_digest
from armdyn.targets.kernels import compile_program, kernel_of, load_or_compile

__all__ = ["compile_program", "kernel_of", "load_or_compile", "source_digest"]

__getattr__ = modules_of(__name__)
