"""The layout of a module: its functions, in order, and the parts of the memory."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from armdyn.base.errors import Unsupported
from armdyn.base.threads import cached_property
from armdyn.program.program import Program
from armdyn.program.rollout import Rollout
from armdyn.targets.llvm.evaluation import INTRINSICS
from armdyn.targets.llvm.huge_angles import WORDS, two_over_pi_words
from armdyn.targets.wasm.code import HOST, Function, functions_of, scratch_size, step_program
from armdyn.targets.wasm.object_code import TRIPLE
from armdyn.targets.wasm.parts import BYTES, PART
from armdyn.targets.wasm.sincos import NAME, sincos_function

_MEMORY = 2**31
"""The most bytes of memory; engines allow up to 2^32."""

_TURNS = ("sin", "cos")
_PURE = "nounwind willreturn memory(none)"
"""Attributes of the host's functions: values that they do not depend on are loaded and stored in any order."""

_TABLE, _COSINE = 0, BYTES * WORDS
"""The addresses of the bits of 2/pi, and of the last cosine."""


@dataclass(frozen=True)
class ModuleLayout:
    """The functions and the memory of a module.

    Args:
        programs: programs and rollouts by the names of their exports.
        own_sine: sine and cosine are functions of the module.
        part: the most operations of one function.
    """

    programs: Mapping[str, Program | Rollout]
    own_sine: bool
    part: int = PART

    @cached_property
    def operations(self) -> set[str]:
        """The names of the operations in the programs."""
        return {str(node[0]) for one in self.programs.values() for node in step_program(one).nodes}

    @property
    def imports(self) -> list[str]:
        """The functions imported from the host."""
        return [name for name in HOST if name in self.operations and not (self.own_sine and name in _TURNS)]

    @property
    def _has_own_sine(self) -> bool:
        return self.own_sine and not self.operations.isdisjoint(_TURNS)

    @property
    def data(self) -> bytes:
        """The beginning of the memory: the bits of 2/pi, and room for a cosine."""
        return struct.pack(f"<{WORDS + 1}Q", *two_over_pi_words(), 0) if self._has_own_sine else b""

    @property
    def heap(self) -> int:
        """The first byte of the memory that callers may use."""
        return len(self.data) + max(scratch_size(one, self.part) for one in self.programs.values())

    @cached_property
    def functions(self) -> list[Function]:
        """The functions of the module, in order."""
        own = [(NAME, sincos_function(_TABLE, _COSINE))] if self._has_own_sine else []
        return [*own, *self._functions()]

    def _functions(self) -> Iterator[Function]:
        for name, one in self.programs.items():
            yield from functions_of(one, name, self.imports, _COSINE, len(self.data), self.part)

    @property
    def ir(self) -> str:
        """The module in LLVM IR."""
        host = (f"declare double @{name}({', '.join(['double'] * _arity(name))}) {_PURE}" for name in self.imports)
        memory = "declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)"
        definitions = (definition for _, definition in self.functions)
        return "\n".join([f'target triple = "{TRIPLE}"', *host, memory, INTRINSICS, *definitions])

    def check(self) -> None:
        """Raise if the programs need more memory than WebAssembly has."""
        if self.heap >= _MEMORY:
            raise Unsupported(
                f"{', '.join(self.programs)} need {self.heap:,} bytes of memory; WebAssembly has {_MEMORY:,}"
            )


def _arity(name: str) -> int:
    return 2 if name in ("atan2", "pow") else 1
