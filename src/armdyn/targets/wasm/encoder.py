"""The binary format of a WebAssembly module: its sections (WebAssembly core specification, section 5.5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from armdyn.targets.wasm.leb128 import signed, unsigned, with_size
from armdyn.targets.wasm.object_code import ObjectCode

_FUNCTION, _MEMORY, _GLOBAL = b"\x00", b"\x02", b"\x03"
_TYPE, _IMPORT, _FUNCTIONS, _MEMORIES, _GLOBALS, _EXPORT, _CODE, _DATA = 1, 2, 3, 5, 6, 7, 10, 11
_I32, _I32_CONST, _END = b"\x7f", b"\x41", b"\x0b"
PAGE = 65536
"""The size of a page of memory, bytes."""


@dataclass(frozen=True)
class Contents:
    """The parts of a module.

    Args:
        name: the name of the module, for debuggers.
        code: its functions, and those that it imports from the module ``armdyn`` of the host.
        functions: the names of its own functions, in order.
        exports: the names of those that are exported.
        data: the content of the beginning of the memory.
        heap: the first free byte of the memory, which is exported as the global ``heap``.
        custom: the contents of custom sections.
    """

    name: str
    code: ObjectCode
    functions: Sequence[str]
    exports: Sequence[str]
    data: bytes
    heap: int
    custom: Mapping[str, bytes]

    def encoded(self) -> bytes:
        """The bytes of the file."""
        code = self.code
        return b"".join(
            (
                b"\0asm\x01\0\0\0",
                _section(_TYPE, code.types),
                _section(_IMPORT, _vector(_import(*one) for one in code.imports)),
                _section(_FUNCTIONS, code.functions),
                _section(_MEMORIES, _vector([b"\0" + unsigned(-(-self.heap // PAGE) or 1)])),
                _section(_GLOBALS, _vector([_I32 + b"\0" + _constant(self.heap)])),
                _section(_EXPORT, _vector(self._exports())),
                _section(_CODE, _vector(code.bodies)),
                _section(_DATA, _vector([b"\0" + _constant(0) + with_size(self.data)])) * bool(self.data),
                *(_section(0, text(name) + content) for name, content in self.custom.items()),
                _section(0, text("name") + self._names()),
            )
        )

    @property
    def _indices(self) -> dict[str, int]:
        """The indices of the module's own functions, after the imports."""
        return {name: k for k, name in enumerate(self.functions, len(self.code.imports))}

    def _exports(self) -> Iterable[bytes]:
        yield text("memory") + _MEMORY + unsigned(0)
        yield text("heap") + _GLOBAL + unsigned(0)
        for name in self.exports:
            yield text(name) + _FUNCTION + unsigned(self._indices[name])

    def _names(self) -> bytes:
        """The names that debuggers and profilers show."""
        functions = _vector(unsigned(k) + text(name) for name, k in self._indices.items())
        return _section(0, text(self.name)) + _section(1, functions)


def text(content: str) -> bytes:
    """A name, in UTF-8."""
    return with_size(content.encode())


def _constant(value: int) -> bytes:
    """The initial value of a global or the place of data: i32.const."""
    return _I32_CONST + signed(value) + _END


def _import(name: str, type_index: int) -> bytes:
    return text("armdyn") + text(name) + _FUNCTION + unsigned(type_index)


def _vector(items: Iterable[bytes]) -> bytes:
    listed = list(items)
    return unsigned(len(listed)) + b"".join(listed)


def _section(number: int, content: bytes) -> bytes:
    return bytes((number,)) + with_size(content)
