"""The target processor of kernels: the width of its vectors, and a fingerprint that is fast to compute."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from dataclasses import dataclass
from functools import cache
from typing import Any

from armdyn.base.extras import extra


@dataclass(frozen=True)
class Machine:
    """A processor by LLVM's names of its triple, type and features."""

    triple: str
    cpu: str
    features: str

    def has(self, feature: str) -> bool:
        """True if the processor has a feature, by LLVM's name for it."""
        return f"+{feature}" in self.features.split(",")

    @property
    def vector_bytes(self) -> int:
        """The width of its vector registers, bytes."""
        if self.has("avx512f"):
            return 64
        return 32 if self.has("avx2") else 16

    @property
    def vector_registers(self) -> int:
        """The number of its vector registers."""
        return 32 if self.has("avx512f") or self._is_arm else 16

    @property
    def has_fma(self) -> bool:
        """True if a * b + c is one instruction, rounded once."""
        return self.has("fma") or self._is_arm

    @property
    def _is_arm(self) -> bool:
        return self.triple.startswith(("aarch64", "arm64"))


@cache
def llvm_binding() -> Any:
    """The module llvmlite.binding, initialised for this processor; imported only to compile."""
    import llvmlite.binding as llvm  # noqa: PLC0415

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@cache
def binding_for(purpose: str) -> Any:
    """The module llvmlite.binding, initialised for all processors it has.

    Args:
        purpose: of the machine code, for the message.

    Raises:
        MissingLibrary: without llvmlite.
    """
    llvm = extra("llvmlite.binding", purpose, library="llvmlite", command="pip install llvmlite")
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm


@cache
def host() -> Machine:
    """The processor that runs this process. Imports llvmlite."""
    llvm = llvm_binding()
    return Machine(llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())


@cache
def fingerprint() -> str:
    """A fingerprint of this processor, from /proc/cpuinfo if it exists, else from llvmlite."""
    return hashlib.sha256(f"{sys.platform} {sys.maxsize} {_processor()}".encode()).hexdigest()


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", "rb", buffering=0) as file:
            first_block = file.read(8192).decode(errors="replace").split("\n\n")[0]
    except OSError:
        return _processor_by_llvm()
    keys = ("vendor_id", "cpu family", "model", "flags", "Features", "CPU ")
    lines = [line for line in first_block.splitlines() if line.startswith(keys)]
    return "\n".join([os.uname().machine, *lines]) if lines else _processor_by_llvm()


def _processor_by_llvm() -> str:
    try:
        return repr(host())
    except ImportError:  # then nothing will be compiled either
        return platform.processor()
