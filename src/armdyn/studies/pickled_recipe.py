"""A recipe as bytes that another process can open: with functions of the main program or of a prompt."""

from __future__ import annotations

import pickle

from armdyn.base.errors import MissingLibrary
from armdyn.studies.recipe import Recipe


def packed(recipe: Recipe) -> bytes:
    """The recipe with the code of functions that other processes cannot import."""
    try:
        import cloudpickle  # noqa: PLC0415 - comes with Dask
    except ImportError:
        raise MissingLibrary("a study on a cluster needs Dask: pip install distributed") from None
    content: bytes = cloudpickle.dumps(recipe)
    return content


def unpacked(content: bytes) -> Recipe:
    """The recipe that `packed` wrote; the bytes come from the cluster's own client."""
    recipe: Recipe = pickle.loads(content)  # noqa: S301 - Dask itself runs what its client sends
    return recipe
