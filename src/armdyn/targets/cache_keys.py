"""Keys of compiled code: the program, sources, processor and versions that it depends on."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from armdyn.targets.llvm.machine import fingerprint
from armdyn.targets.native import is_on

PACKAGE = Path(__file__).parents[1]

_COMMON = ("targets", "targets/llvm", "targets/native", "program")
"""Sources that every kernel depends on."""

CODE_FORMAT = (
    "targets/llvm/compiler.py",
    "targets/llvm/module.py",
    "targets/machine_code.py",
    "targets/native/linker.py",
    "targets/native/relocations.py",
)
"""Sources that determine the stored bytes of a module of LLVM IR."""


@cache
def has_sources() -> bool:
    """True if armdyn's sources can be read; a program packed without them has nothing that identifies its version."""
    return (PACKAGE / "targets" / "cache_keys.py").is_file()


@cache
def source_digest(*places: str) -> str:
    """A fingerprint of armdyn's source files, for keys that must change when they are edited.

    Args:
        places: sub-packages ("." is armdyn itself), without the packages in them, or single modules, e.g.
            "targets/gufunc.py"; all sources if empty.
    """
    digest = hashlib.sha256()
    for name in [name for place in places for name in _sources(place)] if places else _all_sources():
        digest.update(f"{name}\0".encode() + PACKAGE.joinpath(name).read_bytes() + b"\0")
    return digest.hexdigest()


def _sources(place: str) -> list[str]:
    """The paths within the package of a sub-package's modules, or of the one module that is named."""
    if place.endswith(".py"):
        return [place]
    return sorted(f"{place}/{name}" for name in os.listdir(PACKAGE / place) if name.endswith(".py"))


def _all_sources() -> list[str]:
    return sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


def of_trace(key: str) -> str:
    """The full key of the trace of a function."""
    return json.dumps([key, source_digest(*_COMMON)])


def of_code(key: str) -> str:
    """The full key of the machine code of ``key``, a program or a C function, on this processor."""
    versions = [_llvmlite_version(), sys.version_info[:2]]
    return json.dumps([key, fingerprint(), source_digest(*_COMMON), is_on("loader"), *versions])


def of_ir(ir: str, machine: object) -> str:
    """The full key of the machine code of a module of LLVM IR."""
    how = source_digest(*CODE_FORMAT), is_on("loader"), _llvmlite_version()
    return json.dumps([hashlib.sha256(ir.encode()).hexdigest(), repr(machine), *how])


@cache
def _llvmlite_version() -> str:
    """The text of llvmlite's version file; importing llvmlite would take longer than loading a kernel."""
    try:
        spec = find_spec("llvmlite")
        return (Path(spec.origin).parent / "_version.py").read_text() if spec and spec.origin else "none"
    except (OSError, ImportError, ValueError):
        return "unknown"
