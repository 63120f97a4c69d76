"""`Fmu`: the file of a system: a zip of the description, the sources, and libraries for machines."""

from __future__ import annotations

import io
import platform
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path

from armdyn.base.errors import UnknownName
from armdyn.base.threads import cached_property
from armdyn.base.writing import write_bytes, write_folder
from armdyn.targets.c.building import compile_library
from armdyn.targets.fmi.code import Code
from armdyn.targets.fmi.description import build_description, model_description
from armdyn.targets.fmi.layout import FmiLayout
from armdyn.targets.fmi.system import FmiSystem

SHARED = ("fmi3_api.h", "fmu.h", "instance.c", "values.c", "derivatives.c", "states.c", "model_exchange.c",
          "co_simulation.c")  # fmt: skip
"""The C sources shared by all FMUs."""

PLATFORMS: Mapping[str, str] = {
    "linux-x86_64": "x86_64-linux/{}.so",
    "linux-aarch64": "aarch64-linux/{}.so",
    "windows-x86_64": "x86_64-windows/{}.dll",
    "windows-aarch64": "aarch64-windows/{}.dll",
    "macos-x86_64": "x86_64-darwin/{}.dylib",
    "macos-aarch64": "aarch64-darwin/{}.dylib",
}
"""The path of a machine's library in the archive, by the standard."""

_FIRST = (1980, 1, 1, 0, 0, 0)
"""The time stamp of every file, so that equal FMUs are identical files."""


@dataclass(frozen=True)
class Fmu:
    """An FMU of FMI 3.0.

    Args:
        system: the system that it calculates.
        derivatives: it has directional and adjoint derivatives.
        arrays: its variables are arrays; otherwise their numbers are variables, for importers without arrays.
    """

    system: FmiSystem
    derivatives: bool = True
    arrays: bool = True

    @cached_property
    def code(self) -> Code:
        """The C code of the FMU."""
        return Code(FmiLayout(self.system, self.arrays), self.derivatives)

    @cached_property
    def sources(self) -> Mapping[str, str]:
        """The files of the folder ``sources``, by their names."""
        folder = files(__package__) / "sources"
        shared = {name: (folder / name).read_text(encoding="ascii") for name in SHARED}
        texts = shared | dict(self.code.files)
        return texts | {"buildDescription.xml": build_description(self.code, _compiled(texts))}

    @cached_property
    def description(self) -> str:
        """``modelDescription.xml``."""
        return model_description(self.code)

    def write(
        self, path: str | Path, *, platforms: Iterable[str] = (), compiler: str | Sequence[str] | None = None
    ) -> Path:
        """Write the file.

        Args:
            path: the name of the file; ".fmu" is added if it is missing. The folder is created if it does not exist.
            platforms: the machines of its libraries, from `PLATFORMS`; this machine if none is given.
            compiler: a command for this machine, as in `armdyn.targets.c.building.build`.

        Raises:
            IsADirectoryError: if the path is a folder.
            UnknownName: if a machine is not in `PLATFORMS`.
            MissingLibrary: if ziglang is needed and not installed.
            CompilerError: if a compiler cannot be run, or fails.
        """
        targets: list[str | None] = [platforms] if isinstance(platforms, str) else list(platforms)
        for target in targets:
            if target is None or target not in PLATFORMS:
                raise UnknownName.of("platform", str(target), PLATFORMS, "armdyn.targets.fmi")
        place = Path(path)
        if place.is_dir():
            raise IsADirectoryError(
                f"{path} is a folder; expected the name of a file, such as {self.code.name}.fmu in it"
            )
        place.parent.mkdir(parents=True, exist_ok=True)  # before compilers take their time
        place = place if place.suffix == ".fmu" else place.with_name(f"{place.name}.fmu")
        libraries = dict(self._library(target, compiler) for target in targets or [None])
        texts = {f"sources/{name}": text for name, text in self.sources.items()}
        texts |= {"modelDescription.xml": self.description, "documentation/index.html": self._page}
        contents = {name: text.encode() for name, text in texts.items()} | libraries
        return write_bytes(place, _zipped(contents))

    def _library(self, target: str | None, compiler: str | Sequence[str] | None) -> tuple[str, bytes]:
        """The path of a machine's library in the archive, and its bytes."""
        with tempfile.TemporaryDirectory() as folder:
            write_folder(folder, {name: text.encode() for name, text in self.sources.items()})
            built = compile_library(
                _compiled(self.sources), self.code.name, Path(folder), target=target, compiler=compiler, hidden=True
            )
            where = PLATFORMS[target] if target else _library_path()
            return f"binaries/{where.format(self.code.name)}", built.read_bytes()

    @property
    def _page(self) -> str:
        """The documentation in the archive."""
        lines = "".join(f"<p>{escape(line)}</p>\n" for line in (self.system.description, *self.system.about))
        rows = "".join(
            f"<tr><td>{escape(p.name)}</td><td>{escape(p.variable.unit)}</td><td>{escape(p.variable.description)}</td></tr>\n"
            for p in self.code.layout.variables
        )
        title = escape(self.system.name)
        head = f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>\n'
        return f"{head}<body><h1>{title}</h1>\n{lines}<table>\n{rows}</table></body></html>\n"


def _zipped(contents: Mapping[str, bytes]) -> bytes:
    """The bytes of the archive."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(contents):
            archive.writestr(_entry(name), contents[name], zipfile.ZIP_DEFLATED)
    return whole.getvalue()


def _compiled(names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if name.endswith(".c"))


def _entry(name: str) -> zipfile.ZipInfo:
    """The header of a file of the archive, identical on every machine."""
    entry = zipfile.ZipInfo(name, _FIRST)
    entry.create_system, entry.external_attr = 3, 0o644 << 16
    return entry


def _library_path() -> str:
    """The path of the library for this machine in the archive."""
    system = {"win32": "windows", "darwin": "macos"}.get(sys.platform, "linux")
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    if f"{system}-{machine}" not in PLATFORMS:
        return f"{machine}-{system}/{{}}.so"
    return PLATFORMS[f"{system}-{machine}"]
