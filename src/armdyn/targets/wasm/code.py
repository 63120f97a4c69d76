"""A program as code of WebAssembly's stack machine.

A value is computed at its first use: a value with one use stays on the stack, a value with several goes into a local
(local.tee), which is free for another value after the last use. So most operations are one byte.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from armdyn.program.graph import Node
from armdyn.targets.wasm.instructions import call, get, number, op, put, tee

HOST = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "tanh", "pow")
"""Operations that WebAssembly lacks and imports from the host."""

_COMPARISONS = {"less": "f64.lt", "less_equal": "f64.le"}
_INSTRUCTIONS = {
    "add": "f64.add",
    "sub": "f64.sub",
    "mul": "f64.mul",
    "div": "f64.div",
    "neg": "f64.neg",
    "sqrt": "f64.sqrt",
    "abs": "f64.abs",
    "floor": "f64.floor",
    "min": "f64.min",
    "max": "f64.max",
    **{name: f"{compare} f64.convert_i32_s" for name, compare in _COMPARISONS.items()},
}
Step = int | bytes | Callable[[], None]
"""A step of writing code: a node whose value is needed on the stack, code, or a note that a value is there."""


@dataclass(frozen=True)
class Root:
    """A value that is stored: the code before and after it."""

    node: int
    before: bytes
    behind: bytes


def straight_code(
    nodes: Sequence[Node],
    inside: Iterable[int],
    roots: Sequence[Root],
    leaves: Mapping[int, bytes],
    functions: Mapping[str, int],
    first_local: int,
) -> tuple[bytes, int]:
    """The code that computes and stores values, and the number of locals that it needs.

    Args:
        nodes: the nodes of the program.
        inside: the operations that are computed here.
        roots: the stored values.
        leaves: the code that loads a value from memory, for inputs and values computed in other functions.
        functions: the indices of the called functions: operations of the host, ``sign`` and ``sincos``.
        first_local: the first free local.
    """
    writer = _Writer(nodes, inside, roots, leaves, functions, first_local)
    for root in roots:
        writer.write([root.before, root.node, root.behind])
    return bytes(writer.code), writer.locals - first_local


class _Writer:
    """The code so far, and the locals of the values."""

    def __init__(
        self,
        nodes: Sequence[Node],
        inside: Iterable[int],
        roots: Sequence[Root],
        leaves: Mapping[int, bytes],
        functions: Mapping[str, int],
        first_local: int,
    ) -> None:
        self.nodes, self.leaves, self.functions = nodes, leaves, functions
        self.code = bytearray()
        self.locals = first_local
        self.slots: dict[int, int] = {}  # the local of each value that is needed again
        self.free: list[int] = []
        self.twins = _twins(nodes, inside) if "sincos" in functions else {}
        self.uses = Counter(root.node for root in roots)
        for index in inside:
            if self.twins.get(index, index) >= index:  # sine and cosine of an angle share one use of it
                self.uses.update(nodes[index][1:])  # type: ignore[arg-type]

    def write(self, steps: Sequence[Step]) -> None:
        """Execute steps in turn; each may insert others before the next."""
        pending = list(reversed(steps))
        while pending:
            step = pending.pop()
            if isinstance(step, int):
                pending.extend(reversed(self.value(step)))
            elif isinstance(step, bytes):
                self.code += step
            else:
                step()

    def value(self, index: int) -> Sequence[Step]:
        """The steps that put a value on the stack."""
        slot = self.slots.get(index)
        if slot is not None:
            self._used(index)
            return (get(slot),)
        return (*self._computed(index), lambda: self._keep(index))

    def _keep(self, index: int) -> None:
        """Store a value that is on the stack for the first time in a local, if it has more uses."""
        self.uses[index] -= 1
        if self.uses[index]:
            self.code += tee(self._place(index))

    def _place(self, index: int) -> int:
        if not self.free:
            self.free.append(self.locals)
            self.locals += 1
        self.slots[index] = heapq.heappop(self.free)
        return self.slots[index]

    def _used(self, index: int) -> None:
        self.uses[index] -= 1
        if not self.uses[index]:
            heapq.heappush(self.free, self.slots.pop(index))

    def _computed(self, index: int) -> Sequence[Step]:
        if index in self.leaves:
            return (self.leaves[index],)
        name, *arguments = self.nodes[index]
        if name == "const":
            return (number(arguments[0]),)  # type: ignore[arg-type]
        return self._operation(index, str(name), *arguments)

    def _operation(self, index: int, name: str, *arguments: Any) -> Sequence[Step]:
        if name in _INSTRUCTIONS:
            return (*arguments, op(_INSTRUCTIONS[name]))
        if name == "select":
            return (*arguments[1:], *self._condition(arguments[0]), op("select"))
        if name == "guard":
            return (arguments[0], number(0.0), arguments[1], op("f64.mul f64.add"))
        if name in ("sin", "cos") and "sincos" in self.functions:
            return self._sine_and_cosine(index, name, arguments[0])
        return (*arguments, call(self.functions[name]))

    def _condition(self, index: int) -> Sequence[Step]:
        """The condition node != 0 as the integer for WebAssembly's ``select``."""
        name, *arguments = self.nodes[index]
        if name in _COMPARISONS and self.uses[index] == 1 and index not in self.slots and index not in self.leaves:
            return (*arguments, op(_COMPARISONS[str(name)]))  # type: ignore[arg-type]
        return (index, number(0.0), op("f64.ne"))

    def _sine_and_cosine(self, index: int, name: str, angle: int) -> Sequence[Step]:
        """The steps of both for one angle: the function returns sine, then cosine; the other is stored if needed."""
        other = self.twins.get(index, index)
        return (angle, call(self.functions["sincos"]), lambda: self._keep_other(name, index, other))

    def _keep_other(self, name: str, index: int, other: int) -> None:
        if name == "sin":
            self.code += op("drop") if other == index else put(self._place(other))
        elif other == index:
            mine = self._place(index)
            self.code += put(mine) + op("drop") + get(mine)
            heapq.heappush(self.free, self.slots.pop(index))
        else:
            mine, its = self._place(index), self._place(other)
            self.code += put(mine) + put(its) + get(mine)
            heapq.heappush(self.free, self.slots.pop(index))


def _twins(nodes: Sequence[Node], inside: Iterable[int]) -> dict[int, int]:
    """The cosine of the angle of each sine, and the sine for each cosine, if both are computed."""
    places = {nodes[index]: index for index in inside if nodes[index][0] in ("sin", "cos")}
    other = {"sin": "cos", "cos": "sin"}
    found = {index: places.get((other[str(node[0])], node[1])) for node, index in places.items()}
    return {index: twin for index, twin in found.items() if twin is not None}
