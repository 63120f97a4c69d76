"""The decorator that declares the functions of motors; their equations are in this package and in the algorithms."""

from functools import partial

from armdyn import declaration

function = partial(declaration.function, sources=("algorithms", "constraints", "actuators"))
