"""`CasadiFunction`: a `casadi.Function` that refuses batches whose axes may be exchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from armdyn.base.errors import ShapeError
from armdyn.base.extras import extra

ca: Any = extra("casadi", "to_casadi", library="CasADi")


class CasadiFunction(ca.Function):  # type: ignore[misc]  # CasADi has no types
    """A program as a `casadi.Function`, made by `Program.to_casadi`.

    CasADi reads a matrix with more columns than an argument has as a batch with one state per column; armdyn's other
    functions have one state per row. A square one fits both, so it is accepted only if ``states`` is "last".
    """

    def __init__(self, *of: object) -> None:
        """Construct it with the arguments of `casadi.Function`; a copy keeps ``states`` of the original."""
        super().__init__(*of)
        self.states: str | None = getattr(of[0], "states", None)

    def call(self, arguments: object, *options: object) -> Any:
        """The results for a list of arguments or for a dict of them by name, as in `casadi.Function`.

        Raises:
            ShapeError: if a matrix has, or may have, one state per row, or if it has no state.
        """
        named = arguments.items() if isinstance(arguments, Mapping) else self._by_position(arguments)
        for name, argument in named:
            self._check(name, tuple(getattr(argument, "shape", ())))
        return super().call(arguments, *options)

    def _by_position(self, arguments: object) -> list[tuple[str, Any]]:
        return list(zip(self.name_in(), arguments, strict=False)) if isinstance(arguments, Sequence) else []

    def _check(self, name: str, shape: tuple[int, ...]) -> None:
        """Raise for an argument of n numbers that is a matrix with n columns, or without any state."""
        size = self.size_in(name) if name in self.name_in() else (0, 0)
        if shape in ((size[0], 0), (0, size[0])) and size[0]:
            raise ShapeError(f"{name} of {self.name()} has shape {shape}, of no state, which CasADi reads as zeros")
        if len(shape) != 2 or size[1] != 1 or shape[1] != size[0] or min(shape) < 2:
            return
        if shape[0] != shape[1]:
            raise ShapeError(
                f"{name} of {self.name()} has shape {shape}; CasADi's batches have a state in each column: {name}.T"
            )
        if self.states is None:
            raise ShapeError(
                f"{name} of {self.name()} has shape {shape}, of which CasADi reads each column as a state, and "
                'armdyn\'s other functions each row. Give columns, and state it: to_casadi(states="last")'
            )

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "states": self.states}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.states = state["states"]
