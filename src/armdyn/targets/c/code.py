"""`CCode`: the files of a module of C: a header, a source, a self-test program, and a CMakeLists.txt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armdyn._version import __version__
from armdyn.base.threads import cached_property
from armdyn.base.writing import write_folder
from armdyn.targets.c.body import LONGEST
from armdyn.targets.c.dialect import Dialect
from armdyn.targets.c.functions import CFunction
from armdyn.targets.c.helpers import helpers, operations_of
from armdyn.targets.c.notes import comment
from armdyn.targets.c.selftest import selftest
from armdyn.targets.c.sine_source import SineSource

if TYPE_CHECKING:
    from armdyn.targets.c.building import Built

CMAKE = """\
cmake_minimum_required(VERSION 3.10)
project({name} C)

add_library({name} {name}.c)
target_include_directories({name} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
set_target_properties({name} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
                      POSITION_INDEPENDENT_CODE ON WINDOWS_EXPORT_ALL_SYMBOLS ON)
{libraries}
enable_testing()
add_executable({name}_selftest {name}_selftest.c)
set_target_properties({name}_selftest PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
target_link_libraries({name}_selftest {name})
add_test(NAME {name}_selftest COMMAND {name}_selftest)
"""

LIBM = """\
if(UNIX)
  target_link_libraries({name} PUBLIC m)
endif()
"""


@dataclass(frozen=True)
class CCode:
    """C99 code of one or several functions, without heap, global state or input and output.

    Args:
        name: the name of the files.
        functions: the functions, in order.
        dialect: float or double, and the names of sine and cosine.
        sines: the source of sine and cosine.
        about: lines at the head of the header.
        longest: the most characters of an expression inside another one.
    """

    name: str
    functions: tuple[CFunction, ...]
    dialect: Dialect
    sines: SineSource
    about: tuple[str, ...] = ()
    longest: int = LONGEST

    def __repr__(self) -> str:
        return f"<C of {', '.join(f.function for f in self.functions)}: {', '.join(self.files)}>"

    @cached_property
    def library_functions(self) -> tuple[str, ...]:
        """The functions of C's mathematical library that the source calls."""
        needed = operations_of(f.program for f in self.functions) - self.sines.own
        names = {name: self.dialect.functions[name] for name in needed if name in self.dialect.functions}
        return tuple(sorted(function for name, function in names.items() if name not in ("min", "max", "sign")))

    @cached_property
    def header(self) -> str:
        """``NAME.h``, for C and C++."""
        guard = f"{self.name.upper().rstrip('_')}_H"
        declared = "\n\n".join(f.declarations(self.dialect) for f in self.functions)
        own = self.sines.declarations(self.dialect)
        return (
            f"{comment(self._head())}\n#ifndef {guard}\n#define {guard}\n\n"
            f'#ifdef __cplusplus\nextern "C" {{\n#endif\n\n{own}{declared}\n\n'
            "#ifdef __cplusplus\n}\n#endif\n\n#endif\n"
        )

    def _head(self) -> Iterator[str]:
        yield f"{self.name}.h, made by armdyn {__version__}."
        yield from self.about
        yield ""
        yield f"C99, {self.dialect.scalar}. No heap, no globals that change. Arrays are row-major. A result may be the"
        yield "array of an input, but results must not overlap each other."
        called = ", ".join(self.library_functions)
        yield f"Of the mathematical library it calls: {called or 'nothing, it need not be linked'}."
        yield from self.sines.remarks

    @cached_property
    def source(self) -> str:
        """``NAME.c``."""
        programs = [f.program for f in self.functions]
        code = "\n\n".join(f.definition(self.dialect, longest=self.longest) for f in self.functions)
        sines = self.sines.definitions(self.dialect, code)
        includes = [f'#include "{self.name}.h"']
        includes += ["#include <math.h>"] if self.library_functions or self.dialect.infinity in code else []
        includes += ["#include <stdint.h>"] if sines else []
        parts = ["\n".join(includes), sines.strip(), "\n".join(helpers(programs, self.dialect)), code]
        return "\n\n".join(filter(None, parts)) + "\n"

    @cached_property
    def selftest(self) -> str:
        """``NAME_selftest.c``, a program that compares results with those of armdyn; it returns 0 if all agree."""
        return selftest(self.name, self.functions, self.dialect)

    @property
    def cmake(self) -> str:
        """``CMakeLists.txt``."""
        libraries = LIBM.format(name=self.name) if self.library_functions else ""
        return CMAKE.format(name=self.name, libraries=libraries)

    @property
    def files(self) -> Mapping[str, str]:
        """All texts by the names of their files."""
        return {
            f"{self.name}.h": self.header,
            f"{self.name}.c": self.source,
            f"{self.name}_selftest.c": self.selftest,
            "CMakeLists.txt": self.cmake,
        }

    def write(self, folder: str | Path) -> list[Path]:
        """Write the files into a folder, created if it does not exist; returns their paths.

        >>> import tempfile
        >>> code = armdyn.load("planar_2r").inverse_dynamics.to_c(name="arm")
        >>> [path.name for path in code.write(tempfile.mkdtemp())]
        ['arm.h', 'arm.c', 'arm_selftest.c', 'CMakeLists.txt']
        """
        return write_folder(folder, {name: text.encode("ascii") for name, text in self.files.items()})

    def build(self, folder: str | Path, **options: Any) -> Built:
        """Compile a shared library, with the options of `armdyn.targets.c.building.build`."""
        from armdyn.targets.c.building import build  # noqa: PLC0415 - it takes compilers

        return build(self, Path(folder), **options)
