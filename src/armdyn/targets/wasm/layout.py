"""The layout of a module: the index of each function, and the parts of the memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from armdyn.base.errors import Unsupported
from armdyn.program.program import Program
from armdyn.program.rollout import Rollout
from armdyn.targets.wasm import loops, trigonometry
from armdyn.targets.wasm.code import HOST
from armdyn.targets.wasm.encoder import Code, index_of
from armdyn.targets.wasm.helpers import SIGN

_MEMORY = 2**31
"""The most bytes of memory; engines allow up to 2^32."""

_TURNS = ("sin", "cos")


@dataclass(frozen=True)
class Layout:
    """The functions and the memory of a module.

    Args:
        programs: programs and rollouts by the names of their exports.
        own_sine: sine and cosine are functions of the module.
        part: the most operations of one function.
    """

    programs: Mapping[str, Program | Rollout]
    own_sine: bool
    part: int = loops.PART

    @property
    def operations(self) -> set[str]:
        """The names of the operations in the programs."""
        return {str(node[0]) for one in self.programs.values() for node in stepped(one).nodes}

    @property
    def imports(self) -> list[str]:
        """The functions imported from the host."""
        return [name for name in HOST if name in self.operations and not (self.own_sine and name in _TURNS)]

    @property
    def data(self) -> bytes:
        """The table at the beginning of the memory."""
        return trigonometry.table() if self._has_own_sine else b""

    @property
    def heap(self) -> int:
        """The first byte of the memory that callers may use."""
        return len(self.data) + max(map(self._scratch_size, self.programs.values()))

    def internal(self, name: str) -> str:
        """The name inside the module of an exported function, different from the names of operations."""
        return f"{name}()" if name in (*HOST, *self._helper_names) else name

    def codes(self) -> Iterator[Code]:
        """The functions of the module, in order."""
        indices = index_of([*self.imports, *self._function_names()])
        if "sign" in self.operations:
            yield SIGN
        if self._has_own_sine:
            yield from (trigonometry.reduction(), trigonometry.sincos(indices["reduction"]))
        for name, one in self.programs.items():
            yield from self._codes_of(self.internal(name), one, indices)

    @property
    def _has_own_sine(self) -> bool:
        return self.own_sine and not self.operations.isdisjoint(_TURNS)

    @property
    def _helper_names(self) -> list[str]:
        return ["sign"] * ("sign" in self.operations) + ["reduction", "sincos"] * self._has_own_sine

    def _function_names(self) -> Iterator[str]:
        yield from self._helper_names
        for name, one in self.programs.items():
            main = self.internal(name)
            step = _step_name(main, one)
            count = loops.parts(stepped(one), self.part)
            yield from (loops.part_name(step, k) for k in range(count) if count > 1)
            yield step
            if isinstance(one, Rollout):
                yield main

    def _codes_of(self, main: str, one: Program | Rollout, indices: Mapping[str, int]) -> Iterator[Code]:
        step, scratch = _step_name(main, one), len(self.data)
        yield from loops.over_states(stepped(one), step, indices, scratch, self.part)
        if isinstance(one, Rollout):
            handed_on = loops.BYTES * loops.handed_on(stepped(one), self.part)
            yield loops.over_time(one, main, indices[step], scratch + handed_on)

    def _scratch_size(self, one: Program | Rollout) -> int:
        results = loops.results_size(one) if isinstance(one, Rollout) else 0
        return loops.BYTES * loops.handed_on(stepped(one), self.part) + results

    def check(self) -> None:
        """Raise if the programs need more memory than WebAssembly has."""
        if self.heap >= _MEMORY:
            raise Unsupported(
                f"{', '.join(self.programs)} need {self.heap:,} bytes of memory; WebAssembly has {_MEMORY:,}"
            )


def stepped(one: Program | Rollout) -> Program:
    """The program of one step or state."""
    return one.step if isinstance(one, Rollout) else one


def _step_name(main: str, one: Program | Rollout) -> str:
    return f"{main}.step" if isinstance(one, Rollout) else main
