"""A static linker of ELF object files for x86-64 or aarch64 to a position-independent image.

Code and constants lie side by side; relocations between them are applied relative to the instruction. Only the
addresses of libm's and Python's functions remain open: each is called through a trampoline, a jump to the address in
the 8-byte cell after it, which the loader fills.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from armdyn.targets.native.relocations import PROCESSORS, LinkError, Processor

_SHT_PROGBITS, _SHT_SYMTAB, _SHT_RELA = 1, 2, 4
_SHF_ALLOC = 2
_STB_GLOBAL = 1


@dataclass(frozen=True)
class Image:
    """Position-independent code: its bytes, the offset of its entry, and the names and offsets of the cells."""

    code: bytes
    entry: int
    cells: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class _Section:
    name: str
    kind: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int


@dataclass(frozen=True)
class _Symbol:
    name: str
    section: int
    value: int
    is_global: bool


def can_link(triple: str) -> bool:
    """True if the linker supports the object files of a machine."""
    return triple.startswith(("x86_64", "aarch64")) and "linux" in triple


def link(objects: Sequence[bytes], entry: str) -> Image:
    """Lay out the sections of object files that are needed at run time, and apply the relocations between them.

    The entry is a function of the first; all files can call functions of the others by name.
    """
    processor = _processor(objects[0])
    code = bytearray()
    files = [_File(data, code) for data in objects]
    functions = {name: address for file in files for name, address in file.functions()}
    trampolines = _Trampolines(code, processor.jump)
    for file in files:
        for kind, place, symbol, addend in file.references():
            if symbol.section or not symbol.name:
                target = file.address(symbol)
            else:
                is_function = symbol.name in functions
                target = functions[symbol.name] if is_function else trampolines.address(symbol.name)
            processor.write(kind, code, place, target + addend)
    for symbol in files[0].symbols:
        if symbol.name == entry and symbol.section:
            return Image(bytes(code), files[0].address(symbol), tuple(trampolines.cells))
    raise LinkError(f"no function {entry!r}")


class _File:
    """An object file whose sections lie in the code of an image.

    Args:
        data: the bytes of the file.
        code: the code of the image, to which code and constants are appended.
    """

    def __init__(self, data: bytes, code: bytearray) -> None:
        self._data = data
        self._sections = _sections(data)
        self.symbols = _symbols(data, self._sections)
        self._addresses = _laid_out(data, self._sections, code)

    def address(self, symbol: _Symbol) -> int:
        """The offset of a symbol in the image."""
        if symbol.section not in self._addresses:
            raise LinkError(f"a symbol in section {symbol.section}")
        return self._addresses[symbol.section] + symbol.value

    def functions(self) -> Iterator[tuple[str, int]]:
        """The names and addresses of the global symbols, which other files may call."""
        for symbol in self.symbols:
            if symbol.is_global and symbol.section:
                yield symbol.name, self.address(symbol)

    def references(self) -> Iterator[tuple[int, int, _Symbol, int]]:
        """The type, place in the image, symbol and addend of each relocation."""
        for section in self._sections:
            if section.kind != _SHT_RELA or section.info not in self._addresses:
                continue
            for position in range(section.offset, section.offset + section.size, 24):
                offset, info, addend = struct.unpack_from("<QQq", self._data, position)
                yield info & 0xFFFFFFFF, self._addresses[section.info] + offset, self.symbols[info >> 32], addend


def _processor(object_code: bytes) -> Processor:
    """The target processor of the code."""
    number = struct.unpack_from("<H", object_code, 18)[0] if object_code[:6] == b"\x7fELF\x02\x01" else 0
    if number not in PROCESSORS:
        raise LinkError("not an ELF object for a supported processor")
    return PROCESSORS[number]


def _laid_out(object_code: bytes, sections: list[_Section], code: bytearray) -> dict[int, int]:
    """Append code and constants one after the other; returns the offset of each section."""
    addresses: dict[int, int] = {}
    for number, section in enumerate(sections):
        if not section.flags & _SHF_ALLOC or section.name.startswith((".eh_frame", ".note")):
            continue
        if section.kind != _SHT_PROGBITS or not section.name.startswith((".text", ".rodata")):
            raise LinkError(f"section {section.name}")
        code += bytes(-len(code) % section.alignment)
        addresses[number] = len(code)
        code += object_code[section.offset : section.offset + section.size]
    return addresses


class _Trampolines:
    """Jumps to the addresses in cells, appended to the code on first use."""

    def __init__(self, code: bytearray, jump: bytes) -> None:
        self._code, self._jump = code, jump
        self._known: dict[str, int] = {}
        self.cells: list[tuple[str, int]] = []

    def address(self, name: str) -> int:
        if name not in self._known:
            self._code += bytes(-len(self._code) % 16)
            start = len(self._code)
            self._code += self._jump + bytes(8)  # the cell follows, aligned
            self.cells.append((name, start + len(self._jump)))
            self._known[name] = start
        return self._known[name]


def _sections(data: bytes) -> list[_Section]:
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count, names_index = struct.unpack_from("<HHH", data, 58)
    raw = [struct.unpack_from("<IIQQQQIIQQ", data, table + k * size) for k in range(count)]
    names = raw[names_index][4]
    return [
        _Section(_text(data, names + name), kind, flags, offset, extent, link_, info, max(alignment, 1))
        for name, kind, flags, _, offset, extent, link_, info, alignment, _ in raw
    ]


def _symbols(data: bytes, sections: list[_Section]) -> list[_Symbol]:
    for section in sections:
        if section.kind == _SHT_SYMTAB:
            names = sections[section.link].offset
            entries = (
                struct.unpack_from("<IBBHQQ", data, position)
                for position in range(section.offset, section.offset + section.size, 24)
            )
            return [
                _Symbol(_text(data, names + name), home, value, is_global=kind >> 4 == _STB_GLOBAL)
                for name, kind, _, home, value, _ in entries
            ]
    raise LinkError("no symbol table")


def _text(data: bytes, start: int) -> str:
    return data[start : data.index(b"\0", start)].decode()
