"""`Imported`: functions of other modules as methods of a class, imported at first access.

>>> import inspect
>>> inspect.signature(armdyn.program.Program.to_casadi)
<Signature (program: 'Program', *, name: 'str | None' = None, states: 'str | None' = None) -> 'CasadiFunction'>
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from armdyn.base.threads import cached_property, undivided

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Imported(Generic[Parameters, Result]):
    """A function of (object, ...) as a method of objects, with its signature and documentation."""

    def __init__(self, find: Callable[[], Callable[Concatenate[Any, Parameters], Result]]) -> None:
        """Declare a method; ``find`` imports the function and returns it."""
        self._find: Callable[[], Callable[..., Any]] = find

    def __init_subclass__(cls) -> None:
        cls.__doc__ = Imported.__doc__  # type: ignore[method-assign]  # the property below, which the docstring of a subclass hides

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The function of (object, ...), imported at first access."""
        with undivided():
            return self._as_method(self._find())

    def _as_method(self, implementation: Callable[..., Any]) -> Callable[..., Any]:
        """The imported function as a function of (object, ...)."""
        return implementation

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.function.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> Callable[Concatenate[Any, Parameters], Result]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Callable[Parameters, Result]: ...
    def __get__(self, instance: object, owner: type) -> Callable[..., Result]:
        return self.function if instance is None else MethodType(self.function, instance)


def exported(module: str, name: str = "") -> Imported[..., Any]:
    """A function of a module, that of the method's own name if none is given; of a layer above: no import names it."""
    method: Imported[..., Any] = Imported(lambda: getattr(import_module(module), name or method.name))
    return method


def adapted(
    name: str,
    function: Callable[..., object],
    method: Callable[..., object],
    skipped: int,
    *,
    first: str,
    returns: str | None = None,
) -> Callable[..., Any]:
    """``method`` with the documentation of ``function``, and its parameters but for the first ``skipped``.

    ``first`` names the class of its object, ``returns`` names what it returns, if that differs.
    """
    signature = inspect.signature(function)
    itself = inspect.Parameter(first.lower(), inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=first)
    parameters = [itself, *list(signature.parameters.values())[skipped:]]
    wraps(function)(method)
    method.__name__ = name  # by which bound methods are pickled
    method.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=parameters, return_annotation=returns or signature.return_annotation
    )
    return method
