"""The asymmetric sigmoid by which the Panda's friction was identified."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.actuators.traced_law import TracedLaw
from armdyn.base.checks import number
from armdyn.base.fields import set_fields
from armdyn.base.scalars import Scalar


@dataclass(frozen=True)
class Sigmoid(TracedLaw):
    """Friction p1/(1 + exp(-p2 (qd + p3))) - p1/(1 + exp(-p2 p3)), 0 at rest (Gaz et al. 2019, IEEE RA-L 4(4)).

    It tends to p1 (1 - s) forwards and to -p1 s backwards, with s = 1/(1 + exp(-p2 p3)). It is smooth and never sticks.

    Args:
        span: p1, between its limits forwards and backwards, N m or N.
        steepness: p2, s/rad or s/m.
        offset: p3, rad/s or m/s; 0 makes both directions equal.

    >>> law = armdyn.actuators.Sigmoid(0.54615, 5.1181, 0.039533)
    >>> [round(float(law.force(rate, 0.0)), 4) for rate in (-9.0, 0.0, 9.0)]
    [-0.3006, 0.0, 0.2455]
    """

    span: float
    steepness: float
    offset: float = 0.0

    def __post_init__(self) -> None:
        self._not_below_zero(span="N m or N")
        self._above_zero(steepness="s/rad or s/m")
        set_fields(self, offset=number("offset of Sigmoid", self.offset, unit="rad/s or m/s"))

    def force(self, rate: Scalar, load: Scalar) -> Scalar:
        """The friction force by 1/(1 + exp(-x)) = (1 + tanh(x/2))/2, which does not overflow."""
        half = 0.5 * self.steepness
        return 0.5 * self.span * (np.tanh(half * (rate + self.offset)) - np.tanh(half * self.offset))

    def breakaway(self, load: Scalar) -> Scalar:
        """0, because it never sticks."""
        return 0.0
