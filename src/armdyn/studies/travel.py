"""A recipe as bytes that another process can open: with functions of the program that was started, and of a prompt."""

from __future__ import annotations

import io
import pickle
from typing import Any

from armdyn.declaration import Function, _declare
from armdyn.errors import MissingLibrary
from armdyn.studies.recipe import Recipe


def packed(recipe: Recipe) -> bytes:
    """The recipe with the code of functions that other processes cannot import."""
    try:
        import cloudpickle  # noqa: PLC0415 - comes with Dask
    except ImportError:
        raise MissingLibrary("a study on a cluster needs Dask: pip install distributed") from None

    by_value = {"__main__", *cloudpickle.list_registry_pickle_by_value()}

    class Pickler(cloudpickle.Pickler):  # type: ignore[misc]
        def reducer_override(self, given: Any) -> Any:
            if isinstance(given, Function) and given.implementation.__module__ in by_value:
                options: dict[str, Any] = {"result": given.result, "sizes": given.sizes, "choices": given.choices}
                options["gains"] = tuple(given.gains)
                return _declare, (given.implementation, given.signature, options)
            return super().reducer_override(given)

    buffer = io.BytesIO()
    Pickler(buffer).dump(recipe)
    return buffer.getvalue()


def unpacked(content: bytes) -> Recipe:
    """The recipe that `packed` wrote; the bytes come from the cluster's own client."""
    recipe: Recipe = pickle.loads(content)  # noqa: S301 - Dask itself runs what its client sends
    return recipe
