"""The decorator that declares the algorithms; their equations are in the sources of this package."""

from functools import partial

from armdyn import declaration

function = partial(declaration.function, sources=("algorithms",))
