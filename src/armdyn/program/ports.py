"""The arrays that a program reads and returns."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import count, islice

from armdyn.program.graph import Graph

Names = Iterable[str] | None


@dataclass(frozen=True)
class Port:
    """One named input or output array of a program."""

    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of its scalars."""
        return math.prod(self.shape)


def inputs_of(graph: Graph, ports: Iterable[Port], start: int = 0) -> list[list[int]]:
    """The nodes of the scalars of input ports, the first of which is number ``start``."""
    positions = count(start)
    return [[graph.input(k) for k in islice(positions, port.size)] for port in ports]


def unused(name: str, taken: Collection[str]) -> str:
    """The name, with a number appended if it is taken."""
    tries = (name if k == 1 else f"{name}_{k}" for k in range(1, len(taken) + 2))
    return next(candidate for candidate in tries if candidate not in taken)
