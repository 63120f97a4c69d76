"""`NamedCall`, the base of programs as functions of a framework's arrays: argument names, results, repr."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import Parameter, Signature
from keyword import kwlist
from typing import Any

from armdyn.base.named_tuples import named_tuple
from armdyn.program.ports import Port
from armdyn.program.program import Program
from armdyn.targets.identifiers import chosen_name, identifier, identifiers


class NamedCall:
    """A program as a function of arrays, by position or by name; it returns several results as a named tuple."""

    KIND = "arrays"
    """The framework's term for its arrays."""
    LANGUAGE = "Python"
    """The framework's name."""

    def __init__(self, program: Program, name: str | None) -> None:
        """Declare it; nothing is compiled."""
        self.program = program
        self.__name__ = chosen_name(name, program.name)
        self._names = list(identifiers((port.name for port in program.inputs), self.LANGUAGE, kwlist).values())
        fields = list(identifiers((port.name for port in program.outputs), self.LANGUAGE, kwlist).values())
        self._result = named_tuple(identifier(self.__name__, kwlist), fields) if len(fields) > 1 else _only
        self.__signature__ = Signature([Parameter(n, Parameter.POSITIONAL_OR_KEYWORD) for n in self._names])

    def _bound(self, arrays: Sequence[object], by_name: Mapping[str, object]) -> Sequence[object]:
        """The arrays in the order of the program's inputs."""
        if not by_name and len(arrays) == len(self._names):
            return arrays
        rest = self._names[len(arrays) :]
        if len(arrays) > len(self._names) or set(rest) != set(by_name):
            names = ", ".join(self._names)
            got = ", ".join([f"{len(arrays)} by position", *by_name])
            raise TypeError(f"{self.__name__}() takes {len(self._names)} {self.KIND} ({names}); got {got}")
        return [*arrays, *(by_name[name] for name in rest)]

    def __repr__(self) -> str:
        inputs, outputs = (", ".join(map(_quote, ports)) for ports in (self.program.inputs, self.program.outputs))
        return f"<{self.__name__}({inputs}) -> {outputs} of {self.LANGUAGE} {self.KIND}>"


def _only(result: object) -> Any:
    return result


def _quote(port: Port) -> str:
    return f"{port.name}[{'x'.join(map(str, port.shape))}]" if port.shape else port.name
