"""Errors of tracing a function, with the line of the caller's own code that caused them."""

from __future__ import annotations

import linecache
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from armdyn.base.errors import ArmdynError, TraceError
from armdyn.base.scalars import Scalar
from armdyn.functions.silent import unless_silent
from armdyn.program import NeedsNumbers, explained
from armdyn.program.expr import ASKED, Expr, MixedTraces

LIBRARIES = frozenset({"armdyn", "numpy", "scipy", *sys.stdlib_module_names} - {"__main__"})
"""Packages whose own lines the caller cannot change."""


NOT_OF_TRACING = (ArmdynError, ArithmeticError, AssertionError, KeyError, NameError, NotImplementedError)
"""Errors that a function would raise on numbers too."""


class TraceErrorOfLine(TraceError):
    """A `TraceError` whose message begins with the line it is about."""


class UntraceableLine(TraceErrorOfLine, NeedsNumbers):
    """A `TraceErrorOfLine` for a function that runs on numbers, but cannot be traced."""


@contextmanager
def locating(name: str, advice: str = "") -> Iterator[None]:
    """Add the deepest line outside the libraries to errors of tracing the calls inside.

    Args:
        name: of the function, for messages.
        advice: a sentence on the alternatives for a function that needs numbers.
    """
    try:
        yield
    except TraceErrorOfLine:
        raise
    except Exception as error:
        traced = explained(error, name)
        place = None if traced is None else _place(error)
        if traced is None or place is None:
            raise
        if isinstance(traced, NeedsNumbers):
            raise UntraceableLine(f"{place}: {traced}" + (f". {advice}" if advice else "")) from error
        raise TraceErrorOfLine(f"{place}: {traced}") from error


def call_traced(name: str, call: Callable[[], object], advice: str = "", *, twice: bool = True) -> Scalar:
    """The result of a traced function; it is called again with a NumPy for traced scalars if it needs that.

    A function whose result differs at the second call, by a memory of its own or random numbers, would be frozen at the
    result of the first call: that raises an error.

    Args:
        name: of the function, for messages.
        call: runs it.
        advice: as of `locating`.
        twice: call it again.
    """
    run = partial(_require_repeatable, name, call) if twice else call
    with locating(name, advice):
        try:
            with unless_silent():
                return _without_asking(run)
        except Exception as error:
            if not isinstance(explained(error, name), NeedsNumbers):
                raise
        from armdyn.functions.plain_numpy import plain, plain_numpy  # noqa: PLC0415 - few functions need it

        try:
            with plain_numpy():
                return plain(_without_asking(run))
        except NOT_OF_TRACING:
            raise
        except Exception as error:
            if explained(error, name) is not None:
                raise  # of the line that is left
            raise NeedsNumbers(f"{name} needs numbers ({type(error).__name__}: {error})") from error


def are_traced(values: Mapping[str, object]) -> bool:
    """True if any of some arguments is traced."""
    return any(isinstance(x, Expr) for value in values.values() for x in np.asarray(value, dtype=object).flat)


def _require_repeatable(name: str, call: Callable[[], object]) -> Scalar:
    """The result of a call, if a second call returns it again: the same nodes, because the graph reuses equal ones."""
    result = call()
    try:
        same = _numbers(result) == _numbers(call())
    except MixedTraces:
        same = False
    if not same:
        raise TraceError(
            f"{name} gives something else when it is called again with the same arguments: it keeps a memory outside "
            "of its arguments, or draws random numbers, which a compiled function would freeze. What it keeps must be "
            "an argument, and a result of the same name; a function of (t, q, qd) with a memory is for "
            "armdyn.simulate(..., torque=armdyn.control.callback(function, sample_time=1e-3))"
        )
    return result


def _numbers(results: Any) -> list[Any]:
    """The nodes and the numbers of results."""
    arrays = results if isinstance(results, tuple) else (results,)
    scalars = [x for array in arrays for x in np.asarray(array, dtype=object).flat]
    return [x.index if isinstance(x, Expr) else repr(x) for x in scalars]


def _without_asking(call: Callable[[], object]) -> Scalar:
    """The result of a call; raises if it converted a traced scalar to a number, even if it caught that error."""
    noted: list[NeedsNumbers] = []
    token = ASKED.set(noted)
    try:
        result = call()
    finally:
        ASKED.reset(token)
    if noted:
        raise noted[0]
    return result


def _place(error: Exception) -> str | None:
    """File, line, function and source of the deepest frame outside the libraries."""
    result = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        if str(frame.f_globals.get("__name__")).partition(".")[0] not in LIBRARIES:
            result = frame.f_code, line, frame.f_globals
    if result is None:
        return None
    code, line, names = result
    source = linecache.getline(code.co_filename, line, names).strip()
    return f"{code.co_filename}:{line}, in {code.co_name}" + (f", `{source}`" if source else "")
