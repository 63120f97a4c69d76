"""Compilation of a C module to a shared library for this machine, or with the wheel ziglang for another one."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from armdyn.base.errors import ArmdynError, MissingLibrary, UnknownName
from armdyn.base.extras import extra

if TYPE_CHECKING:
    from armdyn.targets.c.code import CCode

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wdouble-promotion", "-Werror")
OPTIMISED = ("-O2", "-fno-math-errno")
"""Optimising flags; the square root of a negative number is NaN, and does not set errno."""

TARGETS = {
    "linux-x86_64": ("x86_64-linux-gnu.2.17", "lib{}.so"),
    "linux-aarch64": ("aarch64-linux-gnu.2.17", "lib{}.so"),
    "linux-armhf": ("arm-linux-gnueabihf.2.17", "lib{}.so"),
    "linux-riscv64": ("riscv64-linux-musl", "lib{}.so"),
    "windows-x86_64": ("x86_64-windows-gnu", "{}.dll"),
    "windows-aarch64": ("aarch64-windows-gnu", "{}.dll"),
    "macos-x86_64": ("x86_64-macos", "lib{}.dylib"),
    "macos-aarch64": ("aarch64-macos", "lib{}.dylib"),
}
"""ziglang's name of each machine, and the form of a library's name there."""


class CompilerError(ArmdynError, RuntimeError):
    """A missing compiler, or one that refuses the code."""


class Built(NamedTuple):
    """The results of a build: the shared library, and the folder of its sources."""

    library: Path
    folder: Path


def build(
    code: CCode, folder: Path, *, target: str | None = None, compiler: str | Sequence[str] | None = None
) -> Built:
    """Write the files of a module into a folder, and compile a shared library there.

    Args:
        code: the module.
        folder: created if it does not exist.
        target: the machine the library is for, one of `TARGETS`; this machine if not given. Another needs the wheel
            ziglang.
        compiler: a command, e.g. ``"clang"`` or ``["arm-linux-gnueabihf-gcc", "-mcpu=cortex-a53"]``; by default the
            first of cc, gcc, clang and ziglang that is installed.

    Raises:
        UnknownName: if the target is not in `TARGETS`.
        MissingLibrary: if ziglang is needed and not installed.
        CompilerError: if the compiler cannot be run, or fails.
    """
    code.write(folder)
    if target is not None and target not in TARGETS:
        raise UnknownName.of("target", target, TARGETS, "armdyn.targets.c.building")
    library = compile_library(
        [f"{code.name}.c"], code.name, folder, target=target, compiler=compiler, libm=bool(code.library_functions)
    )
    return Built(library, folder)


def compile_library(
    sources: Sequence[str],
    name: str,
    folder: Path,
    *,
    target: str | None = None,
    compiler: str | Sequence[str] | None = None,
    libm: bool = True,
    hidden: bool = False,
) -> Path:
    """Compile a shared library of C files of a folder; ``target``, ``compiler`` and errors are those of `build`.

    Args:
        sources: names of files.
        name: the name of the library.
        folder: the folder of the files and of the library.
        target: the machine.
        compiler: a command.
        libm: link C's mathematical library.
        hidden: export only the symbols that the source marks as exported.
    """
    command, form = _command(target, compiler)
    library = folder / form.format(name)
    flags = [*STRICT, *OPTIMISED, "-shared", *(["-fvisibility=hidden"] if hidden else [])]
    flags += [] if _is_windows(target) else ["-fPIC"]
    _run(
        [*command, *flags, *sources, "-o", library.name, *(["-lm"] if libm and not _is_windows(target) else [])], folder
    )
    return library


def _is_windows(target: str | None) -> bool:
    return target.startswith("windows") if target else sys.platform == "win32"


def _command(target: str | None, compiler: str | Sequence[str] | None) -> tuple[list[str], str]:
    """The compiler's command, and the form of the library's name."""
    if compiler is not None:
        values = [compiler] if isinstance(compiler, str) else list(compiler)
        return values, TARGETS[target][1] if target else _name_here()
    if target is None:
        return here(), _name_here()
    triple, name = TARGETS[target]
    return [*zig(f"build(target={target!r})"), "-target", triple], name


def _name_here() -> str:
    return {"win32": "{}.dll", "darwin": "lib{}.dylib"}.get(sys.platform, "lib{}.so")


def here() -> list[str]:
    """The command of a compiler for this machine.

    Raises:
        CompilerError: if there is none.
    """
    path = next((name for name in ("cc", "gcc", "clang") if shutil.which(name)), None)
    if path:
        return [path]
    try:
        return zig("build")
    except MissingLibrary as error:
        raise CompilerError(f"no C compiler found (cc, gcc, clang): install one, or {error}") from None


def zig(feature: str) -> list[str]:
    """The command of ziglang's C compiler, a clang.

    Raises:
        MissingLibrary: without ziglang.
    """
    extra("ziglang", feature, name="zig")
    return [sys.executable, "-m", "ziglang", "cc"]


def _run(command: Sequence[str], folder: Path) -> None:
    try:
        done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)  # noqa: S603 - the caller's compiler
    except OSError as error:
        raise CompilerError(
            f"the compiler {command[0]!r} cannot be run ({error.strerror or error}); expected the command of a C "
            "compiler, such as gcc or clang, or leave compiler= out"
        ) from None
    if done.returncode:
        complaints = re.findall(r"^.*(?:error|Error).*$", done.stderr, re.MULTILINE) or [done.stderr.strip()]
        raise CompilerError(f"{' '.join(command)} failed in {folder}: {' | '.join(complaints[:3])[:600]}")
