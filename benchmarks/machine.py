"""The machine and the versions behind the figures."""

from __future__ import annotations

import os
import platform
import shutil
from importlib import metadata
from pathlib import Path

from benchmarks.build_pinocchio import compiler_version
from benchmarks.timing import available_cores

PACKAGES = ("armdyn", "numpy", "llvmlite", "pin", "cmeel-eigen", "mujoco", "drake", "modern_robotics", "mpmath")
VECTORS = ("avx512f", "avx2", "asimd")


def describe() -> dict[str, object]:
    """Processor, cores, system, load at the start, compilers and package versions."""
    return {
        "processor": _processor(),
        "vectors": next((name for name in VECTORS if name in _cpu_info("flags", "Features").split()), "unknown"),
        "cores": available_cores(),
        "system": platform.platform(),
        "load_average": os.getloadavg() if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "compilers": {name: compiler_version(name) for name in ("clang++", "g++") if shutil.which(name)},
        "packages": {name: _version(name) for name in PACKAGES},
    }


def _processor() -> str:
    names = [_cpu_info(field) for field in ("model name", "cpu family", "model")]
    return f"{names[0]} (family {names[1]}, model {names[2]})" if names[0] else platform.processor()


def _cpu_info(*fields: str) -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    values = (line.partition(":")[2].strip() for line in lines if line.partition(":")[0].strip() in fields)
    return next(values, "")


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed as a distribution"
