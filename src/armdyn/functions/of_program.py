"""`OfProgram`: the exports of programs as methods of compiled functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from armdyn.base.imported import Imported, adapted
from armdyn.base.scalars import Scalar
from armdyn.program import Program


class OfProgram(Imported[..., Any]):
    """A function of (program, ...) as a method of compiled functions.

    It takes the program of the arrays that must be given and of the function's default options. As of
    `CompiledFunction.program`, ``optional_inputs`` names optional arrays that are arguments too, and options of the
    function are given by their names.

    >>> robot = armdyn.load("planar_2r")
    >>> robot.gravity_forces.to_casadi()
    Function(gravity_forces:(q[2])->(out[2]) SXFunction)
    >>> robot.jacobian.to_casadi(expressed_in="body").name_in()
    ['q']
    >>> robot.gravity_forces.to_casadi(optional_inputs="f_tip").name_in()
    ['q', 'f_tip']
    """

    def __init__(self) -> None:
        """Declare the method under the name of its attribute."""
        super().__init__(lambda: getattr(Program, self.name))

    def _as_method(self, of_program: Callable[..., object]) -> Callable[..., Any]:
        parameters = signature(of_program).parameters

        def method(function: Any, *args: object, **options: object) -> Scalar:
            own = [
                name
                for name in ("optional_inputs", *function.function.options)
                if name in options and name not in parameters
            ]
            program = function.program(**{name: options.pop(name) for name in own})
            return of_program(program, *args, **{**self.defaults(function), **options})

        return adapted(self.name, of_program, method, 1, first="CompiledFunction")

    def defaults(self, function: Any) -> Mapping[str, Any]:
        """The further arguments of the function of programs."""
        return {}
