"""Compilation of LLVM IR to PTX, the assembly of NVIDIA's GPUs, by the back end that comes with llvmlite."""

from __future__ import annotations

from functools import cache
from typing import Any

from armdyn.base.errors import Unsupported
from armdyn.targets.cuda.kernel_ir import GPU
from armdyn.targets.llvm.machine import binding_for

ARCHITECTURES = {
    "sm_80": 70,
    "sm_86": 71,
    "sm_87": 74,
    "sm_89": 78,
    "sm_90": 78,
    "sm_100": 86,
    "sm_103": 88,
    "sm_120": 87,
    "sm_121": 88,
}
"""The supported GPUs, and for each the version of PTX that supports it (7.0 is 70)."""


def ptx_of(ir: str, arch: str) -> str:
    """The PTX of a module.

    Raises:
        Unsupported: if the GPU is not in `ARCHITECTURES`.
    """
    module = binding_for("PTX").parse_assembly(ir)
    target = _machine(require_supported(arch))
    module.data_layout = str(target.target_data)
    return str(target.emit_assembly(module))


def require_supported(arch: str) -> str:
    """The name of a supported GPU; for an unsupported one LLVM itself would end the process."""
    if arch not in ARCHITECTURES:
        raise Unsupported(f"arch={arch!r} is no GPU that PTX is written for; expected {', '.join(ARCHITECTURES)}")
    return arch


def newest_for(capability: tuple[int, int]) -> str:
    """The newest of `ARCHITECTURES` that a GPU of a compute capability, e.g. (9, 0), can run.

    Raises:
        Unsupported: if the GPU is older than all of them.
    """
    choices = [arch for arch in ARCHITECTURES if int(arch[3:]) <= 10 * capability[0] + capability[1]]
    if not choices:
        raise Unsupported(
            f"the GPU's compute capability is {capability[0]}.{capability[1]}; expected 8.0 (Ampere) or newer"
        )
    return max(choices, key=lambda arch: int(arch[3:]))


@cache
def _machine(arch: str) -> Any:
    version = ARCHITECTURES[arch]
    return binding_for("PTX").Target.from_triple(GPU).create_target_machine(cpu=arch, features=f"+ptx{version}", opt=3)
