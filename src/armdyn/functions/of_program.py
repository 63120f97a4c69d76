"""`OfProgram`: the exports of programs as methods of compiled functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from armdyn.imported import Imported, adapted
from armdyn.program import Program


class OfProgram(Imported[..., Any]):
    """A function of (program, ...) as a method of compiled functions.

    It takes the program of the arrays that must be given and of the function's default options; for others there is
    ``function.program(given=..., **options)``, which has the same method.

    >>> armdyn.load("planar_2r").gravity_forces.to_casadi()
    Function(gravity_forces:(q[2])->(out[2]) SXFunction)
    """

    def __init__(self) -> None:
        """Declare the method of the same name."""
        super().__init__(lambda: getattr(Program, self.name))

    def _as_method(self, of_program: Callable[..., Any]) -> Callable[..., Any]:
        def method(function: Any, *args: Any, **options: Any) -> Any:
            return of_program(function.program(), *args, **options)

        return adapted(self.name, of_program, method, 1, first="CompiledFunction")
