"""Hand-written code for binary interfaces of processor, system, Python and NumPy. README.md explains each piece.

Every piece makes something faster that works without it, and can be turned off: the environment variable
``ARMDYN_NATIVE`` lists the pieces that are on, e.g. ``direct,loader``; 0, or an empty value, turns all off, 1 turns all
on and is the default.
"""

from __future__ import annotations

import os

from armdyn.base.errors import UnknownName
from armdyn.base.lazy import modules_of

PIECES = ("direct", "sharing", "loader", "xla")
"""Single states in one C call; batches shared among threads; linker and loader of stored code; handlers of XLA."""

VARIABLE = "ARMDYN_NATIVE"


def is_on(piece: str) -> bool:
    """True if a piece may be used.

    Raises:
        UnknownName: if ``ARMDYN_NATIVE`` contains a name that is not in `PIECES`.
    """
    chosen = os.environ.get(VARIABLE, "1").strip()
    if chosen in ("0", "1"):
        return chosen == "1"
    pieces = [word.strip() for word in chosen.split(",") if word.strip()]
    for name in pieces:
        if name not in PIECES:
            raise UnknownName.of("native piece", name, PIECES, VARIABLE)
    return piece in pieces


__getattr__ = modules_of(__name__)
