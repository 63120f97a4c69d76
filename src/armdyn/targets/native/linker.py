"""A static linker: an ELF object file for x86-64 or aarch64 becomes a position-independent image.

Code and constants lie side by side, relocations between them are applied relative to the instruction. What remains open
are the addresses of libm's and Python's functions: each is called through a trampoline, a jump to the address in the
8-byte cell behind it, which the loader fills.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from armdyn.targets.native.relocations import PROCESSORS, LinkError, Processor

_SHT_PROGBITS, _SHT_SYMTAB, _SHT_RELA = 1, 2, 4
_SHF_ALLOC = 2


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


def link(object_code: bytes, entry: str) -> Image:
    """Lay out the sections that are needed to run, and apply the relocations between them."""
    processor = _processor(object_code)
    sections = _sections(object_code)
    symbols = _symbols(object_code, sections)
    code, addresses = _laid_out(object_code, sections)
    trampolines = _Trampolines(code, processor.jump)
    for section in sections:
        if section.kind != _SHT_RELA or section.info not in addresses:
            continue
        for position in range(section.offset, section.offset + section.size, 24):
            offset, info, addend = struct.unpack_from("<QQq", object_code, position)
            name, home, value = symbols[info >> 32]
            target = trampolines.address(name) if home == 0 and name else _address(addresses, home, value)
            processor.write(info & 0xFFFFFFFF, code, addresses[section.info] + offset, target + addend)
    for name, home, value in symbols:
        if name == entry and home:
            return Image(bytes(code), _address(addresses, home, value), tuple(trampolines.cells))
    raise LinkError(f"no function {entry!r}")


def _processor(object_code: bytes) -> Processor:
    """The processor that the code is for."""
    number = struct.unpack_from("<H", object_code, 18)[0] if object_code[:6] == b"\x7fELF\x02\x01" else 0
    if number not in PROCESSORS:
        raise LinkError("not an ELF object for a processor we know")
    return PROCESSORS[number]


def _laid_out(object_code: bytes, sections: list[_Section]) -> tuple[bytearray, dict[int, int]]:
    """Code and constants one after the other, and the offset of each section."""
    code = bytearray()
    addresses: dict[int, int] = {}
    for number, section in enumerate(sections):
        if not section.flags & _SHF_ALLOC or section.name.startswith((".eh_frame", ".note")):
            continue
        if section.kind != _SHT_PROGBITS or not section.name.startswith((".text", ".rodata")):
            raise LinkError(f"section {section.name}")
        code += bytes(-len(code) % section.alignment)
        addresses[number] = len(code)
        code += object_code[section.offset : section.offset + section.size]
    return code, addresses


def _address(addresses: dict[int, int], section: int, value: int) -> int:
    if section not in addresses:
        raise LinkError(f"a symbol in section {section}")
    return addresses[section] + value


class _Trampolines:
    """Jumps to the addresses in cells, appended to the code as they are asked for."""

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


def _symbols(data: bytes, sections: list[_Section]) -> list[tuple[str, int, int]]:
    """(name, section number, value) of every symbol."""
    for section in sections:
        if section.kind == _SHT_SYMTAB:
            names = sections[section.link].offset
            entries = (
                struct.unpack_from("<IBBHQQ", data, position)
                for position in range(section.offset, section.offset + section.size, 24)
            )
            return [(_text(data, names + name), home, value) for name, _, _, home, value, _ in entries]
    raise LinkError("no symbol table")


def _text(data: bytes, start: int) -> str:
    return data[start : data.index(b"\0", start)].decode()
