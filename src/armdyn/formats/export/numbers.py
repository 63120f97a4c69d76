"""Numbers as the texts of an XML file, with all their digits."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable

from armdyn.spatial.rotations import Array


def numbers(values: Array | Iterable[float]) -> str:
    """Several numbers, with blanks between them."""
    return " ".join(number(value) for value in values)


def number(value: float) -> str:
    """All digits; the largest number for infinity, which other readers of URDF do not understand."""
    value = float(value)
    if math.isinf(value):
        value = math.copysign(sys.float_info.max, value)
    return repr(value)
