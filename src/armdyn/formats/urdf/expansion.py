"""xacro files: URDF with macros, properties and arguments, expanded by the library xacro (``pip install xacrodoc``).

    <xacro:arg name="side" default="left"/>   <xacro:include filename="$(find arm_description)/urdf/rod.xacro"/>

An expansion evaluates the file's expressions, reads the files that it includes and the environment: expand only files
that you trust. So a xacro file is expanded only if the caller gives ``xacro_args=``, which may be {}.

A package, ``$(find NAME)``, is the folder whose package.xml has that name: one of those around the file, one next to
them, or one that `xacrodoc.packages` finds, which reads ROS_PACKAGE_PATH. ROS is not needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from threading import RLock
from typing import Any

from armdyn.base.advice import option
from armdyn.base.errors import ModelError, UnknownName, excerpt
from armdyn.base.extras import extra

PACKAGE_FILE = "package.xml"

USED = re.compile(r"\$\(arg\s+([^\s)]+)\s*\)")
DECLARED = re.compile(r"<(?:xacro:)?arg\b[^>]*?\bname\s*=\s*[\"']([^\"']+)[\"']")
PACKAGES = re.compile(r"\$\(find\s+([^\s)$]+)\s*\)")
NAME = re.compile(r"<name>\s*([^<\s]+)\s*</name>")

_lock = RLock()
"""xacro has its includes and the search for packages in variables of its module."""


def checked_arguments(arguments: object) -> dict[str, str]:
    """The argument ``xacro_args=`` as texts by name: True is "true".

    Raises:
        ModelError: a value of another kind.
    """
    if not isinstance(arguments, Mapping) or not all(isinstance(name, str) for name in arguments):
        raise ModelError(
            f"xacro_args is {excerpt(arguments)}; expected a mapping from names to values, "
            "such as {'ur_type': 'ur5e'}."
        )
    for name, value in arguments.items():
        if not isinstance(value, str | int | float | bool):
            raise ModelError(f"xacro_args[{name!r}] is {excerpt(value)}; expected a text, a number or a truth value.")
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in arguments.items()}


def expand(path: Path, arguments: Mapping[str, object]) -> str:
    """The URDF text of a xacro file.

    Args:
        path: of the file.
        arguments: values of its arguments, by name.

    Raises:
        MissingLibrary: if xacrodoc is not installed.
        ModelError: arguments without a value, packages that are not found, any other error of xacro.
        UnknownName: an argument that neither the file nor an included one has.
    """
    return _expanded(path, arguments)[0]


def read_files(path: Path, arguments: Mapping[str, object]) -> list[Path]:
    """The files that an expansion reads: the xacro file itself, and those that it includes.

    Args:
        path: of the file.
        arguments: values of its arguments, by name.

    Raises:
        ModelError: as `expand`.
    """
    return _expanded(path, arguments)[1]


def _expanded(path: Path, arguments: Mapping[str, object]) -> tuple[str, list[Path]]:
    values = checked_arguments(arguments)
    xacrodoc = extra("xacrodoc", "xacro_args", name="xacro", library="xacrodoc")
    xacro, substitutions = extra("xacro", "xacro_args"), extra("xacro.substitution_args", "xacro_args")
    packages = _Packages(path, xacrodoc)
    with _lock:
        included, find = xacro.all_includes, substitutions._eval_find
        xacro.all_includes, substitutions._eval_find = [], packages.find
        try:
            text: str = xacro.process_file(str(path), mappings=dict(values)).toprettyxml(indent="  ")
        except Exception as error:
            read = [path, *map(Path, xacro.all_includes)]
            raise ModelError(_fault(path, read, values, packages, error)) from None
        finally:
            read = [path, *map(Path, xacro.all_includes)]
            xacro.all_includes, substitutions._eval_find = included, find
    _refuse_unknown(path, read, values)
    return text, list(dict.fromkeys(read))


class _Packages:
    """The folders of the packages that a file names."""

    def __init__(self, path: Path, xacrodoc: Any) -> None:
        self.around = list(path.resolve().parents)
        self.xacrodoc = xacrodoc
        self.folders: dict[str, str] = {}

    def find(self, name: str) -> str:
        """The folder of a package; LookupError if there is none."""
        if name not in self.folders:
            self.folders[name] = next(self._folders(name))
        return self.folders[name]

    def has(self, name: str) -> bool:
        """True if a package is found."""
        try:
            self.find(name)
        except Exception:  # of libraries that search
            return False
        return True

    def _folders(self, name: str) -> Iterator[str]:
        for folder in self.around:
            for place in (folder, folder / name):
                if _package_name(place / PACKAGE_FILE) == name:
                    yield place.as_posix()
        yield self.xacrodoc.packages.get_path(name)


def _package_name(file: Path) -> str:
    try:
        match = NAME.search(file.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return ""
    return "" if match is None else match[1]


def _fault(
    path: Path, read: Iterable[Path], arguments: Mapping[str, str], packages: _Packages, error: Exception
) -> list[str] | str:
    """The missing arguments and packages; else the message of xacro."""
    texts = _texts(read)
    declared = set(_all(DECLARED, texts))
    missing = [name for name in _all(USED, texts) if name not in declared and name not in arguments]
    missing_packages = [name for name in _all(PACKAGES, texts) if not packages.has(name)]
    faults = []
    if missing and (missing_packages or "Undefined substitution argument" in str(error)):
        example = dict.fromkeys(missing, "...")
        faults.append(
            f"{path.name} needs the xacro arguments {', '.join(missing)}, which have no value; give them: "
            f"{option('xacro_args', example)}."
        )
    if missing_packages:
        faults.append(
            f"{path.name} needs the packages {', '.join(missing_packages)}, which are not found; expected folders of "
            f"these names with a {PACKAGE_FILE} beside {path.resolve().parent.as_posix()!r} or beside a folder around "
            "it, or the folder that holds them in the environment variable ROS_PACKAGE_PATH."
        )
    return faults or f"{path.name}: xacro refuses it: {type(error).__name__}: {str(error)[:500]}"


def _refuse_unknown(path: Path, read: Iterable[Path], arguments: Mapping[str, str]) -> None:
    texts = _texts(read)
    choices = dict.fromkeys([*_all(DECLARED, texts), *_all(USED, texts)])
    for name in arguments:
        if name not in choices:
            raise UnknownName.of("xacro argument", name, choices, path.name)


def _texts(files: Iterable[Path]) -> list[str]:
    return [file.read_text(encoding="utf-8", errors="replace") for file in dict.fromkeys(files) if file.is_file()]


def _all(pattern: re.Pattern[str], texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(name for text in texts for name in pattern.findall(text)))
