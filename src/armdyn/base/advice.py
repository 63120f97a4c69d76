"""The spelling of a reader's options in messages, keywords in Python, flags on the command line; and hints."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from types import MappingProxyType
from typing import Any, ParamSpec, TypeVar

from armdyn.base.errors import excerpt, nearest

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

NO_VALUE = object()
"""An option that is named without a value."""


def _as_keyword(name: str, value: object) -> str:
    return f"{name}=" if value is NO_VALUE else f"{name}={value!r}"


_spelling: ContextVar[Callable[[str, Any], str]] = ContextVar("spelling", default=_as_keyword)


def option(name: str, value: object = NO_VALUE) -> str:
    """A keyword for a message that recommends it, in the spelling of the reader's front end.

    >>> from armdyn.base.advice import option
    >>> option("tip"), option("locked", {"finger": 0.0})
    ('tip=', "locked={'finger': 0.0}")
    """
    return _instead.get().get(name) or _spelling.get()(name, value)


def either(python: str, shell: str) -> str:
    """Advice in Python's words, or in those of the command line and its files while options are spelled as flags.

    >>> from armdyn.base.advice import either
    >>> either("robot.without_friction()", "--ignore-friction")
    'robot.without_friction()'
    """
    return python if _spelling.get() is _as_keyword else shell


def for_each(name: str, **values: str) -> str:
    """Advice to give an option by quantity: a mapping in Python, an option for each on the command line.

    >>> from armdyn.base.advice import for_each
    >>> for_each("columns", tau="..."), for_each("units", q="'deg'")
    ("columns={'tau': ...}", "units={'q': 'deg'}")
    """
    pairs = ", ".join(f"{quantity!r}: {value}" for quantity, value in values.items())
    in_shell = " ".join(f"--{name} {quantity}={_typed(value)}" for quantity, value in values.items())
    return _instead.get().get(name) or either(f"{name}={{{pairs}}}", in_shell)


def _typed(value: str) -> str:
    """A value of Python as it is typed after an option."""
    return {"...": "LABEL", "[...]": "LABEL_{joint}"}.get(value, value.strip("'"))


_instead: ContextVar[Mapping[str, str]] = ContextVar("instead", default=MappingProxyType({}))


@contextmanager
def instead(**words: str) -> Iterator[None]:
    """Put these words into messages in place of options that the caller cannot give.

    >>> from armdyn.base.advice import instead, option
    >>> with instead(check_inertia="check_inertia = false in [arm]"):
    ...     option("check_inertia", False)
    'check_inertia = false in [arm]'
    """
    token = _instead.set({**_instead.get(), **words})
    try:
        yield
    finally:
        _instead.reset(token)


@contextmanager
def spelled(spelling: Callable[[str, Any], str]) -> Iterator[None]:
    """Let ``spelling(name, value)`` write the options; ``value`` is `NO_VALUE` if an option is named alone."""
    token = _spelling.set(spelling)
    try:
        yield
    finally:
        _spelling.reset(token)


def answering(hints: Mapping[str, str], *, positional: str = "") -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A function whose error for an argument that it does not have is a hint, or the nearest one that it has.

    Args:
        hints: what to do, by the names of arguments of other programs.
        positional: what to do if more arguments are given by position than it takes.

    >>> from armdyn.base.advice import answering
    >>> @answering({"dt": "give step="})
    ... def move(duration, *, step=1e-3):
    ...     return duration / step
    >>> move(1.0, dt=1e-2)
    Traceback (most recent call last):
        ...
    TypeError: move() has no argument 'dt'; give step=
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = inspect.signature(function).parameters
        takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
        called = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]
        by_position = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters.values())

        @wraps(function)
        def run(*args: P.args, **keywords: P.kwargs) -> R:
            for name in () if takes_any else keywords:
                if name not in parameters:
                    raise TypeError(_message(called, name, hints, parameters))
            if positional and len(args) > by_position:
                raise TypeError(f"{called}() takes no argument {excerpt(args[by_position])}; {positional}")
            return function(*args, **keywords)

        return run

    return decorate


def answering_class(hints: Mapping[str, str]) -> Callable[[type[T]], type[T]]:
    """A class whose error for an argument that it does not have is a hint, or the nearest one that it has.

    Args:
        hints: what to do, by the names of arguments of other programs.
    """

    def decorate(kind: type[T]) -> type[T]:
        setattr(kind, "__init__", answering(hints)(kind.__init__))  # noqa: B010 - unknown to type checkers
        return kind

    return decorate


def _message(function: str, name: str, hints: Mapping[str, str], parameters: Mapping[str, inspect.Parameter]) -> str:
    """The words of the error for an argument."""
    close = nearest(name, parameters)
    takes = ", ".join(one for one in parameters if one != "self")
    answer = hints.get(name) or (f"did you mean {close!r}?" if close else f"it takes {takes}")
    return f"{function}() has no argument {name!r}; {answer}"
