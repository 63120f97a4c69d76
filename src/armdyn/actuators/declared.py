"""The declaration of the functions of motors: what they compute is in this package and in the algorithms."""

from functools import partial

from armdyn import declaration

function = partial(declaration.function, sources=("algorithms", "constraints", "actuators"))
