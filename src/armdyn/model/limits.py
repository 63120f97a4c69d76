"""The bounds of one joint."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The bounds a description gives for one joint; rad or m, rad/s or m/s, N m or N."""

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf


UNLIMITED = Limits()
