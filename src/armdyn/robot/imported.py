"""`OfModel`, `Edited`, `ImportedReader`: functions of models as methods of `Robot`, imported at first access.

>>> import inspect
>>> inspect.signature(armdyn.load("planar_2r").close_loop)
<Signature (q: 'ArrayLike', *, locked: 'LockedJoints' = (), tolerance: 'float' = 1e-10) -> 'Array'>
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, TypeVar, overload

from armdyn.base.imported import Imported, Parameters, Result, adapted

if TYPE_CHECKING:
    from armdyn.model.model import Model

Made = TypeVar("Made")

_adapted = partial(adapted, first="Robot")


class OfModel(Imported[Parameters, Result]):
    """A function of (model, ...) as a method of robots, which have models."""

    def _as_method(self, of_model: Callable[..., object]) -> Callable[..., Any]:
        return _adapted(self.name, of_model, lambda robot, *args, **options: of_model(robot.model, *args, **options), 1)


class Edited(Imported[Parameters, Any]):
    """A function of (model, ...) that returns another model, as a method that returns another robot."""

    def __init__(self, find: Callable[[], Callable[Concatenate[Any, Parameters], Model]]) -> None:
        self._find = find

    def _as_method(self, edit: Callable[..., object]) -> Callable[..., Any]:
        def edited(robot: Any, *args: object, **options: object) -> Any:
            return type(robot)(edit(robot.model, *args, **options))

        return _adapted(self.name, edit, edited, 1, returns="Robot")

    @overload
    def __get__(self, robot: None, owner: type[Made]) -> Callable[Concatenate[Made, Parameters], Made]: ...
    @overload
    def __get__(self, robot: Made, owner: type[Made]) -> Callable[Parameters, Made]: ...
    def __get__(self, robot: object, owner: type) -> Callable[..., Any]:
        return super().__get__(robot, owner)


class ImportedReader(Imported[Parameters, Any]):
    """A function of (...) that reads a model, as a class method that makes a robot."""

    def __init__(self, find: Callable[[], Callable[Parameters, Model]]) -> None:
        self._find = find

    def _as_method(self, read: Callable[..., object]) -> Callable[..., Any]:
        return _adapted(self.name, read, lambda cls, *args, **options: cls(read(*args, **options)), 0, returns="Robot")

    def __get__(self, robot: Any, owner: type[Made]) -> Callable[Parameters, Made]:
        return MethodType(self.function, owner)
