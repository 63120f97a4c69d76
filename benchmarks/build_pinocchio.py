"""Compile ``pinocchio_loop.cpp`` against the headers of the Pinocchio wheel, once for each way of compiling it."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_name("pinocchio_loop.cpp")
BUILD_FOLDER = Path(__file__).with_name(".build")
OPTIMISE = ("-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-fPIC", "-shared")
BOOST = (  # what Pinocchio's own CMake targets define
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)
WHEEL_ALIGNMENT = "-DEIGEN_MAX_ALIGN_BYTES=16"  # the memory layout the wheel's libraries were compiled with


@dataclass(frozen=True)
class Variant:
    """A way of compiling the loop: the compiler, further flags, and whether the wheel's instantiations are linked."""

    name: str
    compiler: str
    flags: tuple[str, ...] = ()
    linked: bool = False


def variants(size: int, everything: bool = False) -> list[Variant]:
    """The ways to compile the loop for a robot with ``size`` joints; the default ones are those that came out best."""
    chosen = [
        Variant("g++ headers", "g++"),
        Variant("clang++ headers", "clang++"),
        Variant("clang++ headers, no Eigen vectors", "clang++", ("-DEIGEN_DONT_VECTORIZE",)),
        Variant("g++ linked", "g++", (WHEEL_ALIGNMENT, "-DPINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION"), linked=True),
    ]
    if everything:
        chosen += [
            Variant("g++ headers, static size", "g++", (f"-DSTATIC_SIZE={size}",)),
            Variant("clang++ headers, static size", "clang++", (f"-DSTATIC_SIZE={size}",)),
            Variant("g++ headers, 16-byte alignment", "g++", (WHEEL_ALIGNMENT,)),
            Variant("clang++ headers, 16-byte alignment", "clang++", (WHEEL_ALIGNMENT,)),
            Variant("g++ headers, no Eigen vectors", "g++", ("-DEIGEN_DONT_VECTORIZE",)),
        ]
    return [variant for variant in chosen if shutil.which(variant.compiler)]


def build(wanted: Iterable[Variant]) -> tuple[dict[Variant, Path], dict[Variant, str]]:
    """Compile what is not yet compiled, side by side; returns the libraries, and the complaints where it failed."""
    libraries: dict[Variant, Path] = {}
    failures: dict[Variant, str] = {}
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        pending = {variant: pool.submit(_compile, variant) for variant in dict.fromkeys(wanted)}
        for variant, future in pending.items():
            try:
                libraries[variant] = future.result()
            except (RuntimeError, FileNotFoundError) as error:
                failures[variant] = str(error)
    return libraries, failures


def compiler_version(compiler: str) -> str:
    """The first line the compiler says about itself."""
    return subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]


def wheel_prefix() -> Path:
    """The folder of the Pinocchio wheel that holds include/ and lib/."""
    return _on_path("cmeel.prefix", "pinocchio").parent.parent


def _compile(variant: Variant) -> Path:
    prefix = wheel_prefix()
    command = [variant.compiler, *OPTIMISE, *BOOST, *variant.flags]
    command += [f"-I{prefix / 'include'}", f"-isystem{_eigen()}", str(SOURCE)]
    if variant.linked:
        command += [f"-L{prefix / 'lib'}", "-lpinocchio_default", f"-Wl,-rpath,{prefix / 'lib'}"]
    key = [*command, compiler_version(variant.compiler), SOURCE.read_text(), _cpu_flags()]
    library = BUILD_FOLDER / f"{hashlib.sha256(repr(key).encode()).hexdigest()[:20]}.so"
    if not library.exists():
        BUILD_FOLDER.mkdir(exist_ok=True)
        unfinished = library.with_suffix(f".{os.getpid()}.tmp")
        print(f"compiling Pinocchio's loop ({variant.name}), once, takes minutes ...", file=sys.stderr, flush=True)
        start = time.perf_counter()
        done = subprocess.run([*command, "-o", str(unfinished)], check=False, capture_output=True, text=True)
        if done.returncode:
            complaint = [line for line in done.stderr.splitlines() if "error" in line][:3]
            raise RuntimeError(f"{variant.name}: {' | '.join(complaint)[:500] or done.stderr[-500:]}")
        unfinished.replace(library)
        print(f"  {variant.name}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    return library


def _eigen() -> Path:
    """The folder of Eigen's headers: ``EIGEN_INCLUDE_DIR``, the package cmeel-eigen, or the system's."""
    if "EIGEN_INCLUDE_DIR" in os.environ:
        return Path(os.environ["EIGEN_INCLUDE_DIR"])
    try:
        return _on_path("cmeel.prefix", "eigen3")
    except FileNotFoundError:
        for folder in (Path("/usr/include/eigen3"), Path("/usr/local/include/eigen3")):
            if folder.is_dir():
                return folder
    raise FileNotFoundError("Eigen's headers not found: pip install cmeel-eigen, or set EIGEN_INCLUDE_DIR")


def _on_path(prefix: str, headers: str) -> Path:
    for entry in sys.path:
        folder = Path(entry, prefix, "include", headers)
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"{headers} headers not found in any {prefix}/include on sys.path")


def _cpu_flags() -> str:
    """What -march=native depends on."""
    try:
        return next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags"))
    except (OSError, StopIteration):
        return ""
