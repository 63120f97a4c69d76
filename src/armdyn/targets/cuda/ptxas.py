"""`KernelResources`: registers and spilled bytes of a kernel, by NVIDIA's assembler ptxas, if that is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from armdyn.base.errors import ArmdynError, MissingLibrary
from armdyn.base.writing import write_text


class AssemblerError(ArmdynError, RuntimeError):
    """PTX that the assembler, or the driver, refuses."""


class KernelResources(NamedTuple):
    """The resources of a kernel on one GPU.

    ``registers`` of 32 bits of a thread (255 at most), ``spill_stores`` and ``spill_loads`` in bytes of a thread's
    code, ``stack`` in bytes of a thread, ``code`` in bytes of the machine code.
    """

    arch: str
    registers: int
    spill_stores: int
    spill_loads: int
    stack: int
    code: int


def report(ptx: str, kernel: str, arch: str, command: str = "ptxas") -> KernelResources:
    """Assemble PTX and read the resources of a kernel from the assembler's output.

    Raises:
        MissingLibrary: without ptxas.
        AssemblerError: if it refuses the PTX.
    """
    path = shutil.which(command)
    if path is None:
        raise MissingLibrary(
            f"report needs NVIDIA's assembler {command}, which is not on the PATH: it comes with the CUDA toolkit, or "
            "pip install nvidia-cuda-nvcc (nvidia/.../bin/ptxas); .ptx needs neither"
        )
    with tempfile.TemporaryDirectory() as folder:
        source, code = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        write_text(source, ptx)
        options = ["-v", f"-arch={arch}", str(source), "-o", str(code)]
        done = subprocess.run([path, *options], capture_output=True, text=True, check=False)  # noqa: S603 - NVIDIA's
        if done.returncode:
            raise AssemblerError(f"{command} -arch={arch} refuses {kernel}: {done.stderr.strip()[:600]}")
        return _read(done.stderr, kernel, arch, code.stat().st_size)


def _read(text: str, kernel: str, arch: str, code: int) -> KernelResources:
    part = re.split(r"Compiling entry function", text)[-1]
    stack, stores, loads = map(
        int,
        re.search(
            rf"properties for {re.escape(kernel)}\s+(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes",
            part,
        ).groups(),  # type: ignore[union-attr]
    )
    registers = int(re.search(r"Used (\d+) registers", part).group(1))  # type: ignore[union-attr]
    return KernelResources(arch, registers, stores, loads, stack, code)
