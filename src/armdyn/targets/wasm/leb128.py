"""Numbers of variable length in the binary format of WebAssembly: LEB128."""

from __future__ import annotations


def unsigned(number: int) -> bytes:
    """LEB128: seven bits a byte, the lowest first.

    >>> unsigned(624485).hex()
    'e58e26'
    """
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*out, number))


def signed(number: int) -> bytes:
    """LEB128 in two's complement: bit 6 of the last byte is the sign.

    >>> signed(-123456).hex()
    'c0bb78'
    """
    out = bytearray()
    while not -0x40 <= number < 0x40:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*out, number & 0x7F))


def with_size(content: bytes) -> bytes:
    """The content after its size in bytes."""
    return unsigned(len(content)) + content
