"""`Imported` and `Read`: functions of other packages as methods of `Robot`, imported at first access.

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

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Made = TypeVar("Made")


class Imported(Generic[Parameters, Result]):
    """A function of (robot, ...) as a method, imported at first access, with its signature and documentation."""

    def __init__(self, find: Callable[[], Callable[Concatenate[Any, Parameters], Result]]) -> None:
        """Declare a method; ``find`` imports the function and returns it."""
        self._find = find

    @cached_property
    def function(self) -> Callable[Concatenate[Any, Parameters], Result]:
        """The function, imported at first access."""
        with undivided():
            return self._find()

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.function.__doc__

    @overload
    def __get__(self, robot: None, owner: type) -> Callable[Concatenate[Any, Parameters], Result]: ...
    @overload
    def __get__(self, robot: Any, owner: type) -> Callable[Parameters, Result]: ...
    def __get__(self, robot: Any, owner: type) -> Callable[..., Result]:
        return self.function if robot is None else MethodType(self.function, robot)


class Read(Generic[Parameters]):
    """A function that reads a model, as a class method that makes a robot: same arguments, same documentation."""

    def __init__(self, find: Callable[[], Callable[Parameters, Model]]) -> None:
        """Declare a class method; ``find`` imports the function and returns it."""
        self._find = find

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function of (class, ...) that makes a robot, imported at first access."""
        with undivided():
            read = self._find()

        @wraps(read)
        def build(cls: type[Any], *args: Parameters.args, **options: Parameters.kwargs) -> Any:
            return cls(read(*args, **options))

        own = inspect.signature(read)
        cls = inspect.Parameter("cls", inspect.Parameter.POSITIONAL_ONLY)
        build.__signature__ = own.replace(  # type: ignore[attr-defined]
            parameters=[cls, *own.parameters.values()], return_annotation="Robot"
        )
        return build

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.function.__doc__

    def __get__(self, robot: Any, owner: type[Made]) -> Callable[Parameters, Made]:
        return MethodType(self.function, owner)
