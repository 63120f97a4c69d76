"""What threads share: values that are made once, and locks that fork() does not leave held for ever.

``fork()`` copies every lock as it stands, but only the thread that calls it. A lock that another thread holds at that
moment is never released in the child, which waits for it for ever. So a lock here is either forgotten by the child
(`Once`), or taken by ``fork()`` itself, which then waits until nobody else holds it (`lock_that_fork_takes`).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Generic, TypeVar, overload

Key = TypeVar("Key")
Value = TypeVar("Value")


class Once(Generic[Key, Value]):
    """Values that are made once for each key; other threads wait for a value in the making, and for no other.

    What a thread was making at a ``fork()`` is made anew by the child. An object of a module: it is never freed.
    """

    def __init__(self) -> None:
        self._values: dict[Key, Value] = {}
        self._locks: dict[Key, Any] = {}
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._locks.clear)

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value of a key, made now where there is none; where making it fails, the next caller tries again."""
        try:
            return self._values[key]
        except KeyError:
            pass
        with self._locks.setdefault(key, threading.RLock()):
            if key not in self._values:
                self._values[key] = make()
            return self._values[key]

    def __contains__(self, key: Key) -> bool:
        return key in self._values

    def __len__(self) -> int:
        return len(self._values)


def lock_that_fork_takes() -> AbstractContextManager[Any]:
    """A lock for work with a library that has locks of its own: no process is forked in the middle of it."""
    lock = threading.RLock()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return lock


Owner = TypeVar("Owner")


class cached_property(Generic[Owner, Value]):  # noqa: N801 - it takes the place of the standard library's
    """`functools.cached_property` without the lock that Python 3.11 holds, for all instances, while it computes.

    Two threads that ask at once may compute the value twice; both get the one that was there first.
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
