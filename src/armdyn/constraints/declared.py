"""The declaration of the functions of constraints: what they compute is in these sources."""

from functools import partial

from armdyn import declaration

function = partial(declaration.function, sources=("algorithms", "constraints"))
