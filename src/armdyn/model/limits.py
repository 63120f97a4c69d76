"""The bounds of one joint."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Limits:
    """The bounds a description gives for one joint; rad or m, rad/s or m/s, N m or N."""

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf


UNLIMITED = Limits()


def float_limits(limits: Limits) -> Limits:
    """The limits as floats; they may be any real numbers of Python and NumPy."""
    return Limits(*(float(getattr(limits, field.name)) for field in fields(limits)))
