"""`Imported`, `OfModel`, `Edited`, `Read`: functions of other packages as methods of `Robot`, imported at first access.

>>> import inspect
>>> inspect.signature(armdyn.load("planar_2r").close_loop)
<Signature (q: 'ArrayLike', *, held: 'LockedJoints' = (), tolerance: 'float' = 1e-10) -> 'Array'>
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from armdyn.threads import cached_property, undivided

if TYPE_CHECKING:
    from armdyn.model.model import Model
    from armdyn.robot.robot import Robot

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Made = TypeVar("Made")


class Imported(Generic[Parameters, Result]):
    """A function of (robot, ...) as a method, with its signature and documentation."""

    def __init__(self, find: Callable[[], Callable[Concatenate[Any, Parameters], Result]]) -> None:
        """Declare a method; ``find`` imports the function and returns it."""
        self._find: Callable[[], Callable[..., Any]] = find

    def __init_subclass__(cls) -> None:
        cls.__doc__ = Imported.__doc__  # type: ignore[method-assign]  # the property below, which the docstring of a subclass hides

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function of (robot, ...), imported at first access."""
        with undivided():
            return self._as_method(self._find())

    def _as_method(self, found: Callable[..., Any]) -> Callable[..., Any]:
        """What the imported function is as a function of (robot, ...)."""
        return found

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.function.__doc__

    @overload
    def __get__(self, robot: None, owner: type) -> Callable[Concatenate[Any, Parameters], Result]: ...
    @overload
    def __get__(self, robot: Any, owner: type) -> Callable[Parameters, Result]: ...
    def __get__(self, robot: Any, owner: type) -> Callable[..., Result]:
        return self.function if robot is None else MethodType(self.function, robot)


class OfModel(Imported[Parameters, Result]):
    """A function of (model, ...) as a method of robots, which have models."""

    def _as_method(self, of_model: Callable[..., Any]) -> Callable[..., Any]:
        return _adapted(self.name, of_model, lambda robot, *args, **options: of_model(robot.model, *args, **options), 1)


class Edited(Imported[Parameters, "Robot"]):
    """A function of (model, ...) that returns another model, as a method that returns another robot."""

    def __init__(self, find: Callable[[], Callable[Concatenate[Any, Parameters], Model]]) -> None:
        self._find = find

    def _as_method(self, edit: Callable[..., Any]) -> Callable[..., Any]:
        def edited(robot: Robot, *args: Any, **options: Any) -> Robot:
            return type(robot)(edit(robot.model, *args, **options))

        return _adapted(self.name, edit, edited, 1, returns="Robot")


class Read(Imported[Parameters, "Robot"]):
    """A function of (...) that reads a model, as a class method that makes a robot."""

    def __init__(self, find: Callable[[], Callable[Parameters, Model]]) -> None:
        self._find = find

    def _as_method(self, read: Callable[..., Any]) -> Callable[..., Any]:
        return _adapted(self.name, read, lambda cls, *args, **options: cls(read(*args, **options)), 0, returns="Robot")

    def __get__(self, robot: Any, owner: type[Made]) -> Callable[Parameters, Made]:
        return MethodType(self.function, owner)


def _adapted(
    name: str, function: Callable[..., Any], method: Callable[..., Any], skipped: int, returns: str | None = None
) -> Callable[..., Any]:
    """``method`` with the documentation of ``function``, and its parameters but for the first ``skipped``."""
    signature = inspect.signature(function)
    robot = inspect.Parameter("robot", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation="Robot")
    parameters = [robot, *list(signature.parameters.values())[skipped:]]
    wraps(function)(method)
    method.__name__ = name  # by which bound methods are pickled
    method.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=parameters, return_annotation=returns or signature.return_annotation
    )
    return method
