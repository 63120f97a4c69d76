"""What a program can become: machine code as NumPy ufuncs, source code, symbols. Knows no robots."""

from armdyn.targets.cache_keys import source_digest
from armdyn.targets.kernels import compile_program, kernel_of, load_or_compile

__all__ = ["compile_program", "kernel_of", "load_or_compile", "source_digest"]
