"""The sources of a compiled function as text, by which a process finds it on disk without tracing it.

That is possible if the text can hold everything the program depends on: the model's numbers, the options, and code
that is armdyn's own. With functions of the caller's in it, the function is traced first and found by its program.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from armdyn.declaration import Function
from armdyn.model.model import Model
from armdyn.targets import cache_keys

TRACED_WITH = (".", "spatial", "model", "actuators", "functions")
"""Folders used in tracing every function, in addition to its own `Function.sources`."""


def source_key(model: Model, function: Function, *fixed: object) -> str | None:
    """The text for a function of a model with other fixed settings; None if no text holds all of it."""
    if not (function.sources and cache_keys.has_sources()):
        return None
    try:
        # laws and springs of the caller's own have other sources
        actuators = [(joint.actuator, joint.parallel_springs) for joint in model.joints]
        exact = _exact((fixed, model.constraints, model.elements, actuators, function.signature))
    except TypeError:
        return None
    where = f"{function.__module__}.{function.name}"
    return repr((model.digest, where, exact, cache_keys.source_digest(*TRACED_WITH, *function.sources)))


def _exact(value: object) -> Any:
    """A value whose ``repr`` differs for different values; a TypeError for types without one."""
    if value is None or isinstance(value, str | bytes):
        return value
    if isinstance(value, int | float | np.generic):
        return type(value).__name__, hex(value) if isinstance(value, int) else repr(value)  # of any number of digits
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, tuple | list):
        return type(value).__name__, [_exact(one) for one in value]
    if isinstance(value, Mapping):
        return "mapping", _exact_all((str(k), v) for k, v in value.items())
    if dataclasses.is_dataclass(value) and not isinstance(value, type) and _is_armdyns(type(value)):
        fields = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
        return f"{type(value).__module__}.{type(value).__qualname__}", _exact_all(fields)
    raise TypeError(type(value))


def _exact_all(pairs: Iterable[tuple[str, object]]) -> list[tuple[str, Any]]:
    return [(name, _exact(value)) for name, value in pairs]


def _is_armdyns(kind: type) -> bool:
    """True if a type is defined in the sources of armdyn."""
    return kind.__module__.startswith("armdyn.")
