"""The compiler: a program becomes LLVM IR, one vector lane per state, and then object code. Requires llvmlite."""

from armdyn.base.lazy import modules_of

__getattr__ = modules_of(__name__)
