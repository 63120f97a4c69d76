"""A fingerprint of functions of the caller's: their code, what they call outside of libraries, and the values in it."""

from __future__ import annotations

import functools
import hashlib
import inspect
import types
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from armdyn.declaration import Function, MadeFunction
from armdyn.functions.locating import LIBRARIES


def digest_of_code(value: Any) -> str:
    """A digest that changes with the code of a function and with the values that the code refers to.

    Functions of libraries count by their names, and objects without numbers of their own by their types.

    >>> def law_of(gain):
    ...     return lambda model, q, qd: -gain * qd
    >>> digest_of_code(law_of(2.0)) == digest_of_code(law_of(2.0)) != digest_of_code(law_of(3.0))
    True
    """
    digest = hashlib.sha256()
    for part in _parts(value, set()):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()


def _parts(value: Any, met: set[int]) -> Iterator[str]:
    """A value as texts; what was met before counts once, for functions call themselves."""
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        yield f"{kind} {value!r}"
        return
    yield kind
    if id(value) in met:
        return
    met.add(id(value))
    if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        yield f"{value.dtype.str} {value.shape} {value.tobytes().hex()}"
    elif isinstance(value, Mapping):
        yield from _all((part for pair in value.items() for part in pair), met)
    elif isinstance(value, tuple | list):
        yield from _all(value, met)
    elif isinstance(value, set | frozenset):
        yield from _all(sorted(value, key=repr), met)
    else:
        yield from _parts_of_object(value, met)


def _parts_of_object(value: Any, met: set[int]) -> Iterator[str]:
    model = getattr(value, "model", value)
    if isinstance(value, types.ModuleType | type):
        yield value.__name__
    elif isinstance(value, MadeFunction):
        yield from _parts(value.made, met)
    elif isinstance(value, Function):
        yield value.signature
        yield from _parts(value.implementation, met)
    elif isinstance(value, functools.partial):
        yield from _all((value.func, value.args, value.keywords), met)
    elif isinstance(value, types.FunctionType):
        yield from _parts_of_function(value, met)
    elif isinstance(value, types.MethodType):
        yield from _all((value.__func__, value.__self__), met)
    elif isinstance(getattr(model, "digest", None), str):  # a robot, its mechanism
        yield model.digest
    elif hasattr(value, "__qualname__"):  # a function of C
        yield value.__qualname__
    elif not _is_of_library(type(value).__module__):
        yield from _parts(getattr(value, "__dict__", {}), met)


def _parts_of_function(function: types.FunctionType, met: set[int]) -> Iterator[str]:
    """Name, values held by closures and defaults; of the caller's own also the code and what it names."""
    yield f"{function.__module__}.{function.__qualname__}"
    cells = inspect.getclosurevars(function)
    yield from _all((cells.nonlocals, function.__defaults__, function.__kwdefaults__), met)
    if not _is_of_library(function.__module__):
        yield _code(function)
        names = _names(function.__code__)
        yield from _parts({name: function.__globals__[name] for name in names if name in function.__globals__}, met)


def _code(function: types.FunctionType) -> str:
    """The source, or the bytecode where there is none."""
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        code = function.__code__
        return repr((code.co_code.hex(), code.co_names, str(code.co_consts)))


def _names(code: types.CodeType) -> list[str]:
    """The names in a function's code and in the functions inside it."""
    inside = [name for one in code.co_consts if isinstance(one, types.CodeType) for name in _names(one)]
    return sorted({*code.co_names, *inside})


def _is_of_library(module: str | None) -> bool:
    return str(module).partition(".")[0] in LIBRARIES


def _all(values: Any, met: set[int]) -> Iterator[str]:
    for value in values:
        yield from _parts(value, met)
