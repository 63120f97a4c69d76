"""How a declared function becomes a method of `Robot`."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from armdyn.algorithms.declaration import Function
from armdyn.compiled import CompiledFunction
from armdyn.model.constraints.base import refuse_constraints

if TYPE_CHECKING:
    from armdyn.robot.front_door import Robot


class Method:
    """A `Function` as a method of `Robot`: bound, documented and compiled from its one declaration."""

    def __init__(self, declared: Function, *, with_constraints: str = "") -> None:
        """Args: the function, and which method a robot with constraints, where it would be wrong, has instead of it."""
        self.function = declared
        self.with_constraints = with_constraints
        self.__doc__ = declared.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def fits(self, robot: Robot) -> bool:
        """Whether it is public and means something for a robot: constraints, or none."""
        if self.name.startswith("_"):
            return False
        of_constraints = self.function.__module__.startswith("armdyn.constraints.")
        return not self.with_constraints if robot.model.constraints else not of_constraints

    @overload
    def __get__(self, robot: None, owner: type) -> Function: ...
    @overload
    def __get__(self, robot: Robot, owner: type) -> CompiledFunction: ...
    def __get__(self, robot: Robot | None, owner: type) -> Function | CompiledFunction:
        if robot is None:
            return self.function
        if self.with_constraints:
            refuse_constraints(robot.model, self.name, self.with_constraints)
        bound = CompiledFunction(robot, self.function)
        # An instance attribute hides this descriptor: the next access costs nothing.
        return robot.__dict__.setdefault(self.name, bound)  # type: ignore[no-any-return]
