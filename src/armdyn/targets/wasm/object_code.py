"""The functions of a module as object code of WebAssembly, from LLVM's back end.

An object file has all functions of the module, and refers to no data; so its indices are those of the module, and the
only relocations are calls, whose indices have five bytes. They are replaced by the shortest ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from armdyn.base.errors import MissingLibrary
from armdyn.targets.llvm.machine import binding_for
from armdyn.targets.wasm.leb128 import unsigned, with_size

TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+bulk-memory"
"""memory.copy in addition to the first version of WebAssembly; all engines have it."""

_CUSTOM, _TYPE, _IMPORT, _FUNCTION, _CODE = 0, 1, 2, 3, 10
_FUNCTION_INDEX_LEB = 0
_PADDED = 5
"""The bytes of an index that a linker may replace."""


@dataclass(frozen=True)
class ObjectCode:
    """The functions of an object file. Functions are numbered through: the imports, then its own.

    Args:
        types: the content of the type section.
        imports: name and index of the type of each function of the host.
        functions: the content of the function section.
        bodies: the entries of the code section.
    """

    types: bytes
    imports: tuple[tuple[str, int], ...]
    functions: bytes
    bodies: tuple[bytes, ...]


def object_code(ir: str) -> ObjectCode:
    """The functions of a module in LLVM IR.

    Raises:
        MissingLibrary: without llvmlite, or if its LLVM has no back end for WebAssembly.
    """
    llvm = binding_for("WebAssembly")
    module = llvm.parse_assembly(ir)
    target = _target_machine()
    module.data_layout = str(target.target_data)
    sections, calls = _sections(target.emit_object(module))
    return ObjectCode(
        sections[_TYPE],
        tuple(_imports(sections.get(_IMPORT, b"\0"))),
        sections[_FUNCTION],
        tuple(_bodies(sections[_CODE], calls)),
    )


class _BinaryReader:
    """The numbers and texts of the binary format, one after the other."""

    def __init__(self, content: bytes, position: int = 0) -> None:
        self.content, self.position = content, position

    def __bool__(self) -> bool:
        return self.position < len(self.content)

    def number(self) -> int:
        """An unsigned LEB128."""
        value = shift = 0
        while True:
            byte = self.content[self.position]
            self.position += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def take(self, size: int) -> bytes:
        """The next bytes."""
        self.position += size
        return self.content[self.position - size : self.position]

    def text(self) -> str:
        """A name."""
        return self.take(self.number()).decode()


class _Sections(NamedTuple):
    by_number: dict[int, bytes]
    calls: list[int]
    """The places of padded indices in the code section."""


def _sections(content: bytes) -> _Sections:
    """The sections of an object file (WebAssembly core specification, 5.5), and its relocations (tool conventions)."""
    reader = _BinaryReader(content, len(b"\0asm\1\0\0\0"))
    sections: dict[int, bytes] = {}
    calls: list[int] = []
    while reader:
        (number,) = reader.take(1)
        section = reader.take(reader.number())
        if number == _CUSTOM:
            custom = _BinaryReader(section)
            if custom.text() == "reloc.CODE":
                calls = list(_relocations(custom))
        else:
            sections[number] = section
    return _Sections(sections, calls)


def _relocations(reader: _BinaryReader) -> Iterator[int]:
    reader.number()  # the section
    for _ in range(reader.number()):
        kind, place, _ = (reader.number() for _ in range(3))
        if kind != _FUNCTION_INDEX_LEB:
            raise AssertionError(f"relocation {kind} of LLVM's object code; expected calls alone")
        yield place


def _imports(section: bytes) -> Iterator[tuple[str, int]]:
    """The imported functions; the memory, the only other import, is the module's own."""
    reader = _BinaryReader(section)
    for _ in range(reader.number()):
        reader.text()
        name = reader.text()
        (kind,) = reader.take(1)
        if kind == 0:
            yield name, reader.number()
        else:
            limited = reader.number()
            reader.number()
            if limited & 1:
                reader.number()


def _bodies(section: bytes, calls: list[int]) -> Iterator[bytes]:
    """The functions, with the shortest indices in calls."""
    reader, remaining = _BinaryReader(section), list(reversed(calls))
    for _ in range(reader.number()):
        size = reader.number()
        end = reader.position + size
        body = b""
        while remaining and remaining[-1] < end:
            body += reader.take(remaining.pop() - reader.position)
            body += unsigned(_BinaryReader(reader.take(_PADDED)).number())
        yield with_size(body + reader.take(end - reader.position))


@cache
def _target_machine() -> Any:
    try:
        target = binding_for("WebAssembly").Target.from_triple(TRIPLE)
    except RuntimeError as error:
        raise MissingLibrary(
            f"llvmlite has no back end for WebAssembly here ({error}); the wheels of llvmlite have it: "
            "pip install --force-reinstall llvmlite"
        ) from None
    return target.create_target_machine(cpu="mvp", features=FEATURES, opt=2)
