"""A digest of functions of the caller: their code, the functions they call outside of libraries, and its values."""

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

Met = dict[int, Any]
"""Values met before, by id; they are kept, because another object may reuse the id of a deleted one."""

OF_CLASSES = (
    "__dict__",
    "__weakref__",
    "__doc__",
    "__module__",
    "__annotations__",
    "__dataclass_fields__",
    "_abc_impl",
)
"""Attributes of classes that are not the caller's code."""


def digest_of_code(value: object) -> str:
    """A digest that changes with the code of a function and with the values that the code refers to.

    Functions and classes of libraries count by their names, other objects by their pickled form, and those that cannot
    be by their types.

    >>> def law_of(gain):
    ...     return lambda model, q, qd: -gain * qd
    >>> digest_of_code(law_of(2.0)) == digest_of_code(law_of(2.0)) != digest_of_code(law_of(3.0))
    True
    """
    digest = hashlib.sha256()
    for part in _parts(value, {}):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()


def _parts(value: object, met: Met) -> Iterator[str]:
    """A value as texts; values met before count once, because functions may call themselves."""
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        yield f"{kind} {value!r}"
        return
    yield kind
    if id(value) in met:
        return
    met[id(value)] = value
    if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
        yield f"{value.dtype.str} {value.shape} {value.tobytes().hex()}"
    elif isinstance(value, np.ndarray):
        yield from _all((value.shape, value.ravel().tolist()), met)
    elif isinstance(value, Mapping):
        yield from _all((part for pair in value.items() for part in pair), met)
    elif isinstance(value, tuple | list):
        yield from _all(value, met)
    elif isinstance(value, set | frozenset):
        yield from _all(sorted(value, key=repr), met)
    else:
        yield from _parts_of_object(value, met)


def _parts_of_object(value: Any, met: Met) -> Iterator[str]:
    model = getattr(value, "model", value)
    if isinstance(value, types.ModuleType):
        yield value.__name__
    elif isinstance(value, type):
        yield from _parts_of_class(value, met)
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
    elif isinstance(value, property):
        yield from _all((value.fget, value.fset), met)
    elif isinstance(getattr(model, "digest", None), str):  # a robot, its mechanism
        yield model.digest
    elif hasattr(value, "__wrapped__"):  # a static method, or the result of functools.cache
        yield from _parts(value.__wrapped__, met)
    elif hasattr(value, "__qualname__"):  # a function of C
        yield value.__qualname__
    else:
        yield from _all(_pickled(value), met)


def _pickled(value: object) -> list[Any]:
    """The pickled form of an object: its class, arguments and attributes; its attributes if it cannot be pickled."""
    try:
        result = value.__reduce_ex__(4)
    except Exception:  # any error of an object that cannot be pickled
        result = (getattr(value, "__dict__", {}),)
    parts = (result,) if isinstance(result, str) else result
    return [list(part) if isinstance(part, Iterator) else part for part in parts]


def _parts_of_class(kind: type, met: Met) -> Iterator[str]:
    """The name; for the caller's own classes also their contents, which include functions that a controller calls."""
    yield f"{kind.__module__}.{kind.__qualname__}"
    if not _is_of_library(kind.__module__):
        yield from _all(kind.__bases__, met)
        own = {name: member for name, member in vars(kind).items() if name not in OF_CLASSES}
        yield from _parts(dict(sorted(own.items())), met)


def _parts_of_function(function: types.FunctionType, met: Met) -> Iterator[str]:
    """Name, and values held by closures and defaults; for the caller's own also the code and the names in it."""
    yield f"{function.__module__}.{function.__qualname__}"
    cells = inspect.getclosurevars(function)
    yield from _all((cells.nonlocals, function.__defaults__, function.__kwdefaults__), met)
    if not _is_of_library(function.__module__):
        yield _code(function)
        if function.__name__ == "<lambda>":  # several may be in one line
            yield repr(_bytecode(function.__code__))
        names = _names(function.__code__)
        yield from _parts({name: function.__globals__[name] for name in names if name in function.__globals__}, met)


def _code(function: types.FunctionType) -> str:
    """The source, or the bytecode if there is none."""
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        return repr(_bytecode(function.__code__))


def _bytecode(code: types.CodeType) -> tuple[object, ...]:
    """The bytecode, without the memory addresses of the functions inside it."""
    consts = [_bytecode(one) if isinstance(one, types.CodeType) else one for one in code.co_consts]
    return code.co_code.hex(), code.co_names, consts


def _names(code: types.CodeType) -> list[str]:
    """The names in a function's code and in the functions inside it."""
    inside = [name for one in code.co_consts if isinstance(one, types.CodeType) for name in _names(one)]
    return sorted({*code.co_names, *inside})


def _is_of_library(module: str | None) -> bool:
    return str(module).partition(".")[0] in LIBRARIES


def _all(values: Any, met: Met) -> Iterator[str]:
    for value in values:
        yield from _parts(value, met)
