"""Errors of tracing a function, with the line of the caller's own code that caused them."""

from __future__ import annotations

import linecache
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from armdyn.errors import TraceError
from armdyn.program import NeedsNumbers, explained

LIBRARIES = frozenset({"armdyn", "numpy", "scipy", *sys.stdlib_module_names} - {"__main__"})
"""Packages whose own lines are not what a caller can change."""


class LocatedTraceError(TraceError):
    """A `TraceError` whose message begins with the line it is about."""


class LocatedNeedsNumbers(LocatedTraceError, NeedsNumbers):
    """The same of a function that runs on numbers, but cannot be traced."""


@contextmanager
def locating(name: str, advice: str = "") -> Iterator[None]:
    """Add the deepest line outside the libraries to errors of tracing what is called inside.

    Args:
        name: of the function, for messages.
        advice: a sentence on what else can be done with a function that needs numbers.
    """
    try:
        yield
    except LocatedTraceError:
        raise
    except Exception as error:
        traced = explained(error, name)
        place = None if traced is None else _place(error)
        if traced is None or place is None:
            raise
        if isinstance(traced, NeedsNumbers):
            raise LocatedNeedsNumbers(f"{place}: {traced}" + (f". {advice}" if advice else "")) from error
        raise LocatedTraceError(f"{place}: {traced}") from error


def _place(error: Exception) -> str | None:
    """File, line, function and source of the deepest frame outside the libraries."""
    found = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        if str(frame.f_globals.get("__name__")).partition(".")[0] not in LIBRARIES:
            found = frame.f_code, line, frame.f_globals
    if found is None:
        return None
    code, line, names = found
    source = linecache.getline(code.co_filename, line, names).strip()
    return f"{code.co_filename}:{line}, in {code.co_name}" + (f", `{source}`" if source else "")
