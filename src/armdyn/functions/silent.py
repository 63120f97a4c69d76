"""Users' functions that NumPy evaluates wrongly with traced scalars, without an error."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from armdyn.base.errors import is_ours
from armdyn.declaration import running
from armdyn.program import NeedsNumbers

SILENT = "nan_to_num"
"""A function that returns an array of objects unchanged."""


@contextmanager
def unless_silent() -> Iterator[None]:
    """Run functions outside this library unchanged, except those that may call `SILENT`.

    Raises:
        NeedsNumbers: for those that may call it.
    """
    with running(_unless_silent):
        yield


def _unless_silent(implementation: Callable[..., object]) -> Callable[..., Any]:
    own = getattr(implementation, "__func__", implementation)
    if not isinstance(own, FunctionType):
        return implementation
    bound = getattr(implementation, "__self__", None)
    if not any(map(_calls_it, _with_called(own, bound))):
        return implementation

    def refused(*_: object, **__: object) -> Any:
        raise NeedsNumbers(f"np.{SILENT} needs numbers")

    return refused


def _calls_it(function: FunctionType) -> bool:
    """True if it is in the code of a function, by its name or by another one."""
    names = _names(function.__code__)
    return SILENT in names or any(function.__globals__.get(name) is np.nan_to_num for name in names)


def _with_called(function: FunctionType, bound: object) -> Iterator[FunctionType]:
    """A function and those that it may call: of its closure and the names in its code, without this library's."""
    result: dict[int, FunctionType] = {}
    remaining: list[Any] = [function, *(() if bound is None else _callables_in(bound, _names(function.__code__)))]
    while remaining:
        one = remaining.pop()
        if not isinstance(one, FunctionType) or id(one) in result or not _is_users(one):
            continue
        result[id(one)] = one
        names = _names(one.__code__)
        values = [one.__globals__[name] for name in names if name in one.__globals__]
        for cell in one.__closure__ or ():
            with suppress(ValueError):  # of a name that has no value yet
                values.append(cell.cell_contents)
        for value in values:
            remaining += [value, *_callables_in(value, names)]
    yield from result.values()


def _callables_in(value: Any, names: set[str]) -> Iterator[Any]:
    """The callables in a value for code with these names: in modules and objects those, in containers all."""
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list | tuple):
        yield from value
    elif isinstance(value, ModuleType):
        yield from (vars(value).get(name) for name in names if not _is_foreign(value.__name__))
    elif not isinstance(value, FunctionType):
        of = value if isinstance(value, type) else type(value)
        result = (inspect.getattr_static(of, name, None) for name in names if not _is_foreign(of.__module__))
        yield from (getattr(one, "__func__", one) for one in result)


def _is_users(function: FunctionType) -> bool:
    """True if it is neither this library's nor NumPy's own."""
    return not _is_foreign(str(function.__module__))


def _is_foreign(module: str) -> bool:
    return is_ours(module) or module.partition(".")[0] in ("builtins", "numpy", "scipy")


def _names(code: CodeType) -> set[str]:
    """The names in a function's code, with those of functions inside it."""
    inside = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return {*code.co_names}.union(*map(_names, inside))
