"""How a function of (robot, ...) of another package becomes a method of `Robot`.

>>> import inspect
>>> inspect.signature(armdyn.load("planar_2r").close_loop)
<Signature (q: 'ArrayLike', *, held: 'LockedJoints' = (), tolerance: 'float' = 1e-10) -> 'Array'>
"""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from armdyn.threads import cached_property, undivided

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Imported(Generic[Parameters, Result]):
    """A function of (robot, ...) as a method: imported when first asked for, with its signature and documentation."""

    def __init__(self, find: Callable[[], Callable[Concatenate[Any, Parameters], Result]]) -> None:
        """Declare a method.

        Args:
            find: imports the function and returns it.
        """
        self._find = find

    @cached_property
    def function(self) -> Callable[Concatenate[Any, Parameters], Result]:
        """What it calls, imported when it is first asked for."""
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
