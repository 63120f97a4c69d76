"""Functions of a user's with what NumPy does wrong with traced scalars, without an error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import CodeType, FunctionType
from typing import Any

from armdyn.declaration import running
from armdyn.errors import is_ours
from armdyn.program import NeedsNumbers

SILENT = "nan_to_num"
"""Of an array of objects it returns the array."""


@contextmanager
def unless_silent() -> Iterator[None]:
    """Run functions outside this library as they are, but for those that may call `SILENT`.

    Raises:
        NeedsNumbers: of these.
    """
    with running(_unless_silent):
        yield


def _unless_silent(implementation: Callable[..., Any]) -> Callable[..., Any]:
    own = getattr(implementation, "__func__", implementation)
    if not isinstance(own, FunctionType) or not any(SILENT in _names(one.__code__) for one in _with_called(own)):
        return implementation

    def refused(*_: Any, **__: Any) -> Any:
        raise NeedsNumbers(f"np.{SILENT} needs numbers")

    return refused


def _with_called(function: FunctionType) -> Iterator[FunctionType]:
    """A function and those that it may call: of its closure and of the names in its code, but none of this library."""
    found: dict[int, FunctionType] = {}
    left: list[Any] = [function]
    while left:
        one = left.pop()
        if not isinstance(one, FunctionType) or id(one) in found or not _is_users(one):
            continue
        found[id(one)] = one
        left += [one.__globals__[name] for name in _names(one.__code__) if name in one.__globals__]
        for cell in one.__closure__ or ():
            with suppress(ValueError):  # of a name that has no value yet
                left.append(cell.cell_contents)
    yield from found.values()


def _is_users(function: FunctionType) -> bool:
    """Whether it is neither this library's nor NumPy's own."""
    module = str(function.__module__)
    return not is_ours(module) and module.partition(".")[0] not in ("numpy", "scipy")


def _names(code: CodeType) -> set[str]:
    """The names in a function's code, with those of functions inside it."""
    inside = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return {*code.co_names}.union(*map(_names, inside))
