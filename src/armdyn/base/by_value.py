"""Functions that other processes cannot import, in pickles: those of a script, a notebook or a prompt, by value.

Python's pickles name a function, and a process that opens one imports it. One of ``__main__`` is not found there:
a worker of Dask, or of a notebook's pool that begins with ``spawn``, has a ``__main__`` of its own. With cloudpickle,
which comes with Dask, such a function travels with its code; without it, by its name.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any
from weakref import WeakValueDictionary

_NESTED: ContextVar[bool] = ContextVar("nested", default=False)
"""True while cloudpickle pickles, which includes the code of functions."""

_opened: WeakValueDictionary[str, Any] = WeakValueDictionary()
"""Objects by the digest of their pickle: one that comes again, with each task of a worker, is the same object."""


def travels_by_value(module: str | None) -> bool:
    """True if functions of this module are pickled by value: other processes cannot import it."""
    return _cloudpickle(module) is not None and (module == "__main__" or module in _registered())


def reduced(value: object, name: str, make: Callable[..., object], arguments: tuple[object, ...]) -> tuple[object, ...]:
    """The result of ``__reduce__`` for a value that ``make(*arguments)`` makes again, with the code of the arguments.

    Args:
        value: a function.
        name: of it in its module.
        make: makes another one of the arguments.
        arguments: the code among them.

    Raises:
        PicklingError: something in it that not even cloudpickle can pickle.
    """
    if _NESTED.get():
        return make, arguments
    import hashlib  # noqa: PLC0415 - slow to import

    content = _packed((make, arguments))
    key = hashlib.sha256(content).hexdigest()
    _opened[key] = value
    return opened, (key, name, content)


def opened(key: str, name: str, content: bytes) -> Any:
    """The function of a pickle: one of this process, or a new one.

    That is the one that the pickle was made of or that was opened before; or, in a process that has run the script too,
    as workers that begin with ``spawn`` have, the one of this name and with this code in it.
    """
    result = _opened.get(key)
    if result is None:
        make, arguments = pickle.loads(content)  # noqa: S301 - a part of the pickle that is being opened
        result = make(*arguments)
        own = getattr(sys.modules["__main__"], name, None)
        if type(own) is type(result) and _code(own) == _code(result):
            result = own
        elif result.result is not None:
            result.result.__reduce__ = _reduced_tuple  # so that what it returns comes back
        _opened[key] = result
    return result


def _packed(value: object) -> bytes:
    token = _NESTED.set(True)
    try:
        content: bytes = _cloudpickle("__main__").dumps(value)
    finally:
        _NESTED.reset(token)
    return content


def _code(function: Any) -> tuple[object, object]:
    """A key that is equal for the same function in two processes."""
    return function.signature, getattr(function.implementation, "__code__", None)


def _reduced_tuple(results: Any) -> tuple[object, ...]:
    """Named results of a function that travelled: their class goes back by value, and is the caller's own there."""
    return _tuple_of, (_packed(type(results)), tuple(results))


def _tuple_of(content: bytes, values: tuple[object, ...]) -> Any:
    return pickle.loads(content)(*values)  # noqa: S301 - a part of the pickle that is being opened


def _registered() -> set[str]:
    """The modules that `cloudpickle.register_pickle_by_value` was called with."""
    cloudpickle = sys.modules.get("cloudpickle")
    return set() if cloudpickle is None else set(cloudpickle.list_registry_pickle_by_value())


def _cloudpickle(module: str | None) -> Any:
    """The library; it is imported for functions of ``__main__``, and None if it is missing or not in use."""
    if module == "__main__":
        try:
            import cloudpickle  # noqa: PLC0415 - an extra
        except ImportError:
            return None
        return cloudpickle
    return sys.modules.get("cloudpickle")
