"""The numbers of a kernel, and its memory, in LLVM's notation."""

from __future__ import annotations

from armdyn.targets.llvm.scalars import ScalarRegister

GLOBAL = "ptr addrspace(1)"
"""A pointer to the GPU's main memory; on a processor it is an ordinary pointer."""

DTYPES = {"float32": "float", "float64": "double"}


def scalar_of(dtype: str) -> ScalarRegister:
    """The register of a ``"float32"`` or ``"float64"`` number; a * b + c is one instruction on every GPU."""
    return ScalarRegister(DTYPES[dtype], 1, has_fma=True)
