"""The spelling of a reader's options in messages: keywords in Python, flags on the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

NO_VALUE = object()
"""Stands for an option that is named without a value."""


def _as_keyword(name: str, value: Any) -> str:
    return f"{name}=" if value is NO_VALUE else f"{name}={value!r}"


_spelling: ContextVar[Callable[[str, Any], str]] = ContextVar("spelling", default=_as_keyword)


def option(name: str, value: Any = NO_VALUE) -> str:
    """A keyword for a message that recommends it, as it is written where the message is read.

    >>> from armdyn.advice import option
    >>> option("tip"), option("locked", {"finger": 0.0})
    ('tip=', "locked={'finger': 0.0}")
    """
    return _instead.get().get(name) or _spelling.get()(name, value)


def either(python: str, shell: str) -> str:
    """Advice in Python's words, or, where options are spelled as flags, in those of the command line and its files.

    >>> from armdyn.advice import either
    >>> either("robot.without_friction()", "--ignore-friction")
    'robot.without_friction()'
    """
    return python if _spelling.get() is _as_keyword else shell


_instead: ContextVar[Mapping[str, str]] = ContextVar("instead", default=MappingProxyType({}))


@contextmanager
def instead(**words: str) -> Iterator[None]:
    """Let messages say these words in the place of options that are not there to be given.

    >>> from armdyn.advice import instead, option
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
    """Let ``spelling(name, value)`` write the options; ``value`` is `NO_VALUE` where an option is named alone."""
    token = _spelling.set(spelling)
    try:
        yield
    finally:
        _spelling.reset(token)
