"""Functions of the caller's that travel to other processes with the objects made of them."""

from __future__ import annotations

import pickle

from armdyn.base.errors import ArmdynError
from armdyn.declaration import Function


class FunctionPicklingError(ArmdynError, pickle.PicklingError):
    """A function that other processes cannot import, e.g. one defined inside another function."""


def require_picklable(function: Function | None) -> None:
    """Raise by name for a function that cannot be pickled.

    Raises:
        FunctionPicklingError: with the name of the function, and the remedy.
    """
    try:
        pickle.dumps(function)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        name = getattr(function, "name", function)
        raise FunctionPicklingError(
            f"{name} cannot be pickled: {error}. Define it, and what it is made of, at the top of a module, from where "
            "other processes import it"
        ) from error
