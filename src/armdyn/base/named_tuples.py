"""Named tuples whose fields are known at run time only, and that can be pickled."""

from __future__ import annotations

import re
from collections import namedtuple
from collections.abc import Iterable
from functools import cache
from typing import Any


def named_tuple(name: str, fields: Iterable[str]) -> Any:
    """The type of tuples of this name with these fields, the same one at every call.

    >>> import pickle
    >>> Final = named_tuple("Final", ["q", "qd"])
    >>> pickle.loads(pickle.dumps(Final(1.0, 2.0))) == Final(1.0, 2.0)
    True
    """
    return _make_class(re.sub(r"\W", "_", name), tuple(fields))  # that of a lambda is not a word


@cache
def _make_class(name: str, fields: tuple[str, ...]) -> type[Any]:
    plain: Any = namedtuple  # mypy infers it from literal names only
    base = plain(name, fields)
    return type(name, (base,), {"__slots__": (), "__reduce__": lambda self: (_revived, (name, fields, tuple(self)))})


def _revived(name: str, fields: tuple[str, ...], values: tuple[object, ...]) -> Any:
    return _make_class(name, fields)(*values)
