"""Relocations of x86-64 and aarch64 object code, and jumps to functions outside the image."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Write = Callable[[bytearray, int, int], None]
"""A function that writes a reference to a target into the code at a place; both count from the start of the code."""


class LinkError(Exception):
    """Object code that armdyn's linker does not support; another loader is needed."""


@dataclass(frozen=True)
class Processor:
    """The relocations and the jump instruction of a processor.

    Args:
        references: the function that writes each supported type of reference, by its number in the ELF specification.
        jump: eight bytes of code that jump to the address in the eight bytes after them.
    """

    references: Mapping[int, Write]
    jump: bytes

    def write(self, kind: int, code: bytearray, place: int, target: int) -> None:
        """Write a reference of a type, by number; all are relative, so that the code may lie on any page."""
        if kind not in self.references:
            raise LinkError(f"relocation of type {kind}")
        self.references[kind](code, place, target)


def _distance(code: bytearray, place: int, target: int) -> None:
    """x86-64: the distance in bytes, 32 bits."""
    struct.pack_into("<i", code, place, target - place)


def _branch(code: bytearray, place: int, target: int) -> None:
    """aarch64: the distance in instructions, 26 bits of the instruction."""
    instructions = (target - place) >> 2
    if not -(1 << 25) <= instructions < 1 << 25:
        raise LinkError(f"a call over {target - place} bytes")
    _insert(code, place, instructions & 0x3FFFFFF)


def _page(code: bytearray, place: int, target: int) -> None:
    """aarch64: the distance in pages of 4096 bytes, two bits at 29, nineteen at 5. Code begins at a page."""
    pages = (target >> 12) - (place >> 12)
    _insert(code, place, (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5)


def _in_page(code: bytearray, place: int, target: int) -> None:
    """aarch64: the offset within the page, twelve bits at 10."""
    _insert(code, place, (target & 0xFFF) << 10)


def _insert(code: bytearray, place: int, bits: int) -> None:
    (instruction,) = struct.unpack_from("<I", code, place)
    struct.pack_into("<I", code, place, instruction | bits)


PROCESSORS: Mapping[int, Processor] = {
    62: Processor(  # EM_X86_64
        references={2: _distance, 4: _distance},  # R_X86_64_PC32, R_X86_64_PLT32
        jump=b"\xff\x25\x02\x00\x00\x00\x00\x00",  # jmp *[rip + 2], and two unused bytes
    ),
    183: Processor(  # EM_AARCH64
        references={
            275: _page,  # R_AARCH64_ADR_PREL_PG_HI21
            277: _in_page,  # R_AARCH64_ADD_ABS_LO12_NC
            282: _branch,  # R_AARCH64_JUMP26
            283: _branch,  # R_AARCH64_CALL26
        },
        jump=struct.pack("<II", 0x58000050, 0xD61F0200),  # ldr x16, [pc + 8]; br x16
    ),
}
"""The supported processors, by the machine number in the header of an ELF file."""
