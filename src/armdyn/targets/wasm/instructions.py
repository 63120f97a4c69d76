"""Instructions of WebAssembly as bytes: the few that programs need (WebAssembly core specification, section 5.4)."""

from __future__ import annotations

import struct
from collections.abc import Mapping

_PLAIN = {
    "else": 0x05,
    "end": 0x0B,
    "return": 0x0F,
    "drop": 0x1A,
    "select": 0x1B,
    "i32.eqz": 0x45,
    "i32.eq": 0x46,
    "i32.lt_s": 0x48,
    "i32.ge_s": 0x4E,
    "f64.eq": 0x61,
    "f64.ne": 0x62,
    "f64.lt": 0x63,
    "f64.gt": 0x64,
    "f64.le": 0x65,
    "f64.ge": 0x66,
    "i32.add": 0x6A,
    "i32.sub": 0x6B,
    "i32.mul": 0x6C,
    "i32.and": 0x71,
    "i32.shl": 0x74,
    "i32.shr_u": 0x76,
    "i64.add": 0x7C,
    "i64.sub": 0x7D,
    "i64.mul": 0x7E,
    "i64.and": 0x83,
    "i64.or": 0x84,
    "i64.xor": 0x85,
    "i64.shl": 0x86,
    "i64.shr_s": 0x87,
    "i64.shr_u": 0x88,
    "i64.rotl": 0x89,
    "f64.abs": 0x99,
    "f64.neg": 0x9A,
    "f64.floor": 0x9C,
    "f64.sqrt": 0x9F,
    "f64.add": 0xA0,
    "f64.sub": 0xA1,
    "f64.mul": 0xA2,
    "f64.div": 0xA3,
    "f64.min": 0xA4,
    "f64.max": 0xA5,
    "f64.copysign": 0xA6,
    "i32.wrap_i64": 0xA7,
    "i64.extend_i32_u": 0xAD,
    "f64.convert_i32_s": 0xB7,
    "f64.convert_i64_u": 0xBA,
    "f64.promote_f32": 0xBB,
    "i64.reinterpret_f64": 0xBD,
    "f64.reinterpret_i64": 0xBF,
}
_INDEXED = {"br": 0x0C, "br_if": 0x0D, "call": 0x10, "get": 0x20, "set": 0x21, "tee": 0x22}
_BLOCKS = {"block": 0x02, "loop": 0x03, "if": 0x04}
_MEMORY = {"i64.load": 0x29, "f64.load": 0x2B, "f64.store": 0x39}
_NO_RESULT = 0x40
_EIGHT_BYTES = 3
"""The alignment of a load, as the exponent of a power of two."""

MEMORY_COPY = bytes((0xFC, 0x0A, 0x00, 0x00))
"""memory.copy: destination, source and number of bytes are on the stack."""


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


def op(names: str) -> bytes:
    """Instructions without an operand in the code.

    >>> op("f64.mul f64.add").hex()
    'a2a0'
    """
    return bytes(_PLAIN[name] for name in names.split())


def get(local: int) -> bytes:
    """Put the value of a local on the stack."""
    return indexed("get", local)


def put(local: int) -> bytes:
    """Pop the top of the stack into a local."""
    return indexed("set", local)


def tee(local: int) -> bytes:
    """Copy the top of the stack to a local."""
    return indexed("tee", local)


def call(function: int) -> bytes:
    """Call a function by its index."""
    return indexed("call", function)


def indexed(name: str, index: int) -> bytes:
    """An instruction on a local, a function or a label."""
    return bytes((_INDEXED[name],)) + unsigned(index)


def integer(value: int) -> bytes:
    """A constant i32."""
    return b"\x41" + signed(value)


def load(offset: int) -> bytes:
    """The f64 at the address on the stack, plus an offset in bytes."""
    return _memory("f64.load", offset)


def store(offset: int) -> bytes:
    """Store an f64 at the address below it on the stack, plus an offset in bytes."""
    return _memory("f64.store", offset)


def _memory(name: str, offset: int) -> bytes:
    return bytes((_MEMORY[name], _EIGHT_BYTES)) + unsigned(offset)


def number(value: float) -> bytes:
    """A constant f64, in the fewest bytes: small integers and float32 numbers are converted, which engines do once.

    >>> [len(number(x)) for x in (2.0, 0.5, 0.1)]
    [3, 6, 9]
    """
    plain = b"\x44" + struct.pack("<d", value)
    if value.is_integer() and abs(value) < 2**31 and struct.pack("<d", float(int(value))) == plain[1:]:
        return integer(int(value)) + op("f64.convert_i32_s")
    short = _as_float32(value)
    return plain if short is None else b"\x43" + short + op("f64.promote_f32")


def _as_float32(value: float) -> bytes | None:
    try:
        short = struct.pack("<f", value)
    except OverflowError:
        return None
    return short if struct.unpack("<f", short)[0] == value else None


def assembled(text: str, names: Mapping[str, int]) -> bytes:
    """The code of instructions in text form, with the operand after its instruction.

    Args:
        text: instructions; ``f64.const 0.5``, ``i32.const 3``, ``i64.load 8``, ``br_if 0``, ``get x`` for local.get x.
        names: the indices of locals and functions.

    >>> assembled("get x f64.const 0.5 f64.mul", {"x": 3}).hex()
    '2003430000003fbba2'
    """
    words = iter(text.split())
    return b"".join(_instruction(word, words, names) for word in words)


def _instruction(word: str, words: object, names: Mapping[str, int]) -> bytes:
    if word in _PLAIN:
        return op(word)
    if word in _BLOCKS:
        return bytes((_BLOCKS[word], _NO_RESULT))
    operand = next(words)  # type: ignore[call-overload]
    if word in _INDEXED:
        return indexed(word, names[operand] if operand in names else int(operand))
    if word in _MEMORY:
        return _memory(word, int(operand))
    return _constant(word, operand)


def _constant(word: str, operand: str) -> bytes:
    if word == "f64.const":
        return number(float(operand))
    return {"i32.const": b"\x41", "i64.const": b"\x42"}[word] + signed(int(operand))
