"""The declaration of the algorithms: what they compute is in the sources of this package."""

from functools import partial

from armdyn import declaration

function = partial(declaration.function, sources=("algorithms",))
