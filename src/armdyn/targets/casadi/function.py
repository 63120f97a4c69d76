"""`CasadiFunction`: a `casadi.Function` that takes no batch whose axes could be exchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from armdyn.errors import ShapeError
from armdyn.extras import extra

ca: Any = extra("casadi", "to_casadi", library="CasADi")


class CasadiFunction(ca.Function):  # type: ignore[misc]  # CasADi has no types
    """A program as a `casadi.Function`, made by `Program.to_casadi`, where it is described.

    CasADi takes a matrix of more columns than an argument has for a batch, a state in each column, where armdyn's
    other functions have a state in each row. A square one fits both, so it is taken only where ``states`` is "last".
    """

    def __init__(self, *of: Any) -> None:
        """Make it of what a `casadi.Function` is made of; a copy of another one takes a batch as that does."""
        super().__init__(*of)
        self.states: str | None = getattr(of[0], "states", None)

    def call(self, arguments: Any, *options: Any) -> Any:
        """The results for a list of arguments or for a dict of them by name, as of a `casadi.Function`.

        Raises:
            ShapeError: a matrix that has a state in each row, or may have; one of no state.
        """
        named = arguments.items() if isinstance(arguments, Mapping) else self._by_position(arguments)
        for name, argument in named:
            self._check(name, tuple(getattr(argument, "shape", ())))
        return super().call(arguments, *options)

    def _by_position(self, arguments: Any) -> list[tuple[str, Any]]:
        return list(zip(self.name_in(), arguments, strict=False)) if isinstance(arguments, Sequence) else []

    def _check(self, name: str, shape: tuple[int, ...]) -> None:
        """An argument of n numbers that is given as a matrix with n columns."""
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
                'armdyn\'s other functions each row. Give columns, and say so: to_casadi(states="last")'
            )

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "states": self.states}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.states = state["states"]
