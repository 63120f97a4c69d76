"""The binary format of a WebAssembly module: its sections (WebAssembly core specification, section 5.5)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from armdyn.targets.wasm.instructions import integer, op, unsigned

Item = TypeVar("Item")

I32, I64, F64 = b"\x7f", b"\x7e", b"\x7c"
_FUNCTION, _MEMORY, _GLOBAL = b"\x00", b"\x02", b"\x03"
_TYPE, _IMPORT, _FUNCTIONS, _MEMORIES, _GLOBALS, _EXPORT, _CODE, _DATA = 1, 2, 3, 5, 6, 7, 10, 11
PAGE = 65536
"""The size of a page of memory, bytes."""


@dataclass(frozen=True)
class Signature:
    """The types of a function's parameters and results, a byte each."""

    parameters: bytes = b""
    results: bytes = b""

    def encoded(self) -> bytes:
        """The signature as an entry of the type section."""
        return b"\x60" + _sized(self.parameters) + _sized(self.results)


@dataclass(frozen=True)
class Code:
    """A function: its signature, the types of its locals after the parameters, and its instructions."""

    name: str
    signature: Signature
    locals: bytes
    body: bytes

    def encoded(self) -> bytes:
        """The function as an entry of the code section; consecutive locals of one type are grouped."""
        runs = [(len(list(run)), bytes((kind,))) for kind, run in itertools.groupby(self.locals)]
        content = _vector(unsigned(count) + kind for count, kind in runs) + self.body + op("end")
        return _sized(content)


@dataclass(frozen=True)
class Contents:
    """The parts of a module. Functions are numbered through: the imports, then its own.

    Args:
        name: the name of the module, for debuggers.
        imports: functions of the host, all from the module ``armdyn``.
        functions: the module's own functions.
        exports: the names of functions by their exported names.
        data: the content of the beginning of the memory.
        heap: the first free byte of the memory, which is exported as the global ``heap``.
        custom: the contents of custom sections.
    """

    name: str
    imports: Mapping[str, Signature]
    functions: Sequence[Code]
    exports: Mapping[str, str]
    data: bytes
    heap: int
    custom: Mapping[str, bytes]

    def encoded(self) -> bytes:
        """The bytes of the file."""
        indices = index_of([*self.imports, *(f.name for f in self.functions)])
        types = index_of([*self.imports.values(), *(f.signature for f in self.functions)])
        return b"".join(
            (
                b"\0asm\x01\0\0\0",
                _section(_TYPE, _vector(t.encoded() for t in types)),
                _section(_IMPORT, _vector(_import(n, types[s]) for n, s in self.imports.items())),
                _section(_FUNCTIONS, _vector(unsigned(types[f.signature]) for f in self.functions)),
                _section(_MEMORIES, _vector([b"\0" + unsigned(-(-self.heap // PAGE) or 1)])),
                _section(_GLOBALS, _vector([I32 + b"\0" + integer(self.heap) + op("end")])),
                _section(_EXPORT, _vector(self._exports(indices))),
                _section(_CODE, _vector(f.encoded() for f in self.functions)),
                _section(_DATA, _vector([b"\0" + integer(0) + op("end") + _sized(self.data)])) * bool(self.data),
                *(_section(0, text(name) + content) for name, content in self.custom.items()),
                _section(0, text("name") + self._names(indices)),
            )
        )

    def _exports(self, indices: Mapping[str, int]) -> Iterable[bytes]:
        yield text("memory") + _MEMORY + unsigned(0)
        yield text("heap") + _GLOBAL + unsigned(0)
        for exported, function in self.exports.items():
            yield text(exported) + _FUNCTION + unsigned(indices[function])

    def _names(self, indices: Mapping[str, int]) -> bytes:
        """The names that debuggers and profilers show."""
        functions = _vector(unsigned(k) + text(name) for name, k in indices.items())
        return _section(0, text(self.name)) + _section(1, functions)


def index_of(items: Iterable[Item]) -> dict[Item, int]:
    """The index of every distinct item."""
    return {item: k for k, item in enumerate(dict.fromkeys(items))}


def text(content: str) -> bytes:
    """A name, in UTF-8."""
    return _sized(content.encode())


def _import(name: str, type_index: int) -> bytes:
    return text("armdyn") + text(name) + _FUNCTION + unsigned(type_index)


def _vector(items: Iterable[bytes]) -> bytes:
    listed = list(items)
    return unsigned(len(listed)) + b"".join(listed)


def _sized(content: bytes) -> bytes:
    return unsigned(len(content)) + content


def _section(number: int, content: bytes) -> bytes:
    return bytes((number,)) + _sized(content)
