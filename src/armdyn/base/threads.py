"""Threads: values that are made once for all of them, and work that fork() does not interrupt.

``fork()`` copies all locks as they stand, but only the thread that calls it. A lock that another thread holds at that
moment, of ours, of a library or of a module that is being imported, is never released in the child, which waits for it
for ever. So code that takes such locks runs `undivided`: ``fork()`` waits until no other thread is inside such code.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Generic, TypeVar, overload
from weakref import WeakSet

LONGEST_WAIT = 60.0
"""s that fork() waits for other threads: they might wait for the one that calls it."""

Key = TypeVar("Key")
Value = TypeVar("Value")

_locks: WeakSet[Any] = WeakSet()
_adding = threading.Lock()


class _OfThread(threading.local):
    """A lock for each thread, taken by this thread and by a thread that forks."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        with _adding:
            _locks.add(self.lock)


_of_thread = _OfThread()


def undivided() -> AbstractContextManager[Any]:
    """A lock that fork() waits for, held around an import, for example; threads hold theirs side by side."""
    return _of_thread.lock


class _Fork:
    """Takes the locks of all threads before a fork, and gives them back after it, in both processes."""

    def __init__(self) -> None:
        self._taken: list[Any] = []

    def before(self) -> None:
        deadline = time.monotonic() + LONGEST_WAIT
        _adding.acquire()
        for lock in list(_locks):
            if lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
                self._taken.append(lock)

    def after(self) -> None:
        while self._taken:
            self._taken.pop().release()
        if _adding.locked():  # or Ctrl-C came before
            _adding.release()


if hasattr(os, "register_at_fork"):
    _fork = _Fork()
    os.register_at_fork(before=_fork.before, after_in_parent=_fork.after, after_in_child=_fork.after)


class Once(Generic[Key, Value]):
    """Values that are made once for each key; other threads wait only for a value that is being made.

    What a thread was making at a ``fork()`` that did not wait for it is made anew by the child. An object of a module:
    it is never freed.
    """

    def __init__(self) -> None:
        self._values: dict[Key, Value] = {}
        self._locks: dict[Key, Any] = {}
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._locks.clear)

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value of a key, made at the first call; if making it fails, the next caller tries again."""
        try:
            return self._values[key]
        except KeyError:
            pass
        with undivided(), self._locks.setdefault(key, threading.RLock()):
            if key not in self._values:
                self._values[key] = make()
            return self._values[key]

    def __contains__(self, key: Key) -> bool:
        return key in self._values

    def __len__(self) -> int:
        return len(self._values)


Owner = TypeVar("Owner")


class cached_property(Generic[Owner, Value]):  # noqa: N801 - it takes the place of the standard library's
    """`functools.cached_property` without the lock that Python 3.11 holds, for all instances, while it computes.

    Two threads may compute the value twice at the same time; both get the first one.
    """

    def __init__(self, function: Callable[[Owner], Value]) -> None:
        self.function = function
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__

    def __set_name__(self, owner: type, name: str) -> None:
        self.__name__ = name

    @overload
    def __get__(self, instance: None, owner: type) -> cached_property[Owner, Value]: ...
    @overload
    def __get__(self, instance: Owner, owner: type) -> Value: ...
    def __get__(self, instance: Owner | None, owner: type) -> cached_property[Owner, Value] | Value:
        if instance is None:
            return self
        values: dict[str, Value] = instance.__dict__
        return values.setdefault(self.__name__, self.function(instance))
