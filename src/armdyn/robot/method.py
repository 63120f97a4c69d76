"""`Method`: a declared function as a method of `Robot`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, overload

from armdyn.base.threads import cached_property, undivided
from armdyn.declaration import Function
from armdyn.model.constraints import refuse_constraints

if TYPE_CHECKING:
    from armdyn.functions.arm import Arm
    from armdyn.functions.compiled import CompiledFunction


class Method:
    """A `Function` as a method of `Robot`: bound, documented and compiled from its one declaration."""

    def __init__(
        self,
        where: str,
        *,
        of_constraints: bool = False,
        of_motors: bool = False,
        of_springs: bool = False,
        with_constraints: str = "",
        derivatives_of: str = "",
    ) -> None:
        """Declare a method.

        Args:
            where: the package that has a function of this name.
            of_constraints: True if it is defined only for robots with constraints.
            of_motors: True if it is defined only for robots with motors.
            of_springs: True if it is about flexible joints.
            with_constraints: the method to call instead on a robot with constraints.
            derivatives_of: the method whose first derivatives it gives; their own program may be shorter.
        """
        self.where, self.of_constraints = where, of_constraints
        self.of_motors, self.of_springs = of_motors, of_springs
        self.with_constraints, self.derivatives_of = with_constraints, derivatives_of

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @cached_property
    def function(self) -> Function:
        """The declared function, imported at first access."""
        result: Function = getattr(import_module(self.where), self.name.removeprefix("_"))
        return result

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.function.__doc__

    def fits(self, robot: Arm) -> bool:
        """True if it is public and defined for the robot, with its constraints, motors and springs, if any."""
        from armdyn.actuators.flexible_joints import spring_count  # noqa: PLC0415
        from armdyn.actuators.joint_motors import motor_count  # noqa: PLC0415 - slow to import

        if self.name.startswith("_") or (self.of_motors and not motor_count(robot.model)):
            return False
        if self.of_springs and not spring_count(robot.model):
            return False
        return not self.with_constraints if robot.model.constraints else not self.of_constraints

    def refuse_where_wrong(self, robot: Arm) -> None:
        """Raise if the robot has constraints that the function ignores."""
        if self.with_constraints:
            refuse_constraints(robot.model, self.name, self.with_constraints)

    @overload
    def __get__(self, robot: None, owner: type) -> Function: ...
    @overload
    def __get__(self, robot: Arm, owner: type) -> CompiledFunction: ...
    def __get__(self, robot: Arm | None, owner: type) -> Function | CompiledFunction:
        if robot is None:
            return self.function
        self.refuse_where_wrong(robot)
        with undivided():
            bound = self._bound(robot)
        # An instance attribute hides this descriptor: the next access costs nothing.
        return robot.__dict__.setdefault(self.name, bound)  # type: ignore[no-any-return]

    def _bound(self, robot: Arm) -> CompiledFunction:
        from armdyn.functions.compiled import CompiledFunction  # noqa: PLC0415 - slow to import

        if not self.derivatives_of:
            return CompiledFunction(robot, self.function)
        from armdyn.functions.derivatives import Shorter  # noqa: PLC0415 - when it is called

        return Shorter(robot, self.function, getattr(type(robot), self.derivatives_of))
