"""Hysteresis of a smooth loop (Bouc 1967; Wen 1976)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.actuators.with_state import FrictionWithState
from armdyn.base.errors import ModelError
from armdyn.base.fields import check_numbers
from armdyn.base.scalars import Scalar
from armdyn.program import less, minimum, select

PARTS = 2
"""Number of parts of a motion, each with its own slope of the loop."""

SMALL = 1e-12
"""A deflection below this, relative to the largest, counts as zero."""

SHORT = 1e-6
"""Below this product of rate constant and length of a part, 1 - x/2 equals (1 - exp(-x))/x to rounding."""


@dataclass(frozen=True)
class BoucWen(FrictionWithState):
    """Bouc-Wen friction k z of a deflection z that follows the joint, the less the nearer it is to c/k.

        dz/dt = qd - (b |qd| |u|^(n-1) u + (1 - b) qd |u|^n),    u = k z/c,    F = k z

    The usual A, beta and gamma are 1, b (k/c)^n and (1 - b) (k/c)^n; further elasticity belongs into a spring. z is a
    state as of `LuGre`, and depends on the path of q alone. With n = b = 1 it is Dahl's law. Functions of one state
    alone use the friction at a steady velocity, c sign(qd).

    Args:
        stiffness: k, of a joint that reverses at zero deflection, N m/rad or N/m.
        size: c, to which F tends, N m or N.
        exponent: n, 1 or more, the sharpness of the loop's bend there.
        shape: b, from 1/2 to 1: at 1/2 the way back from a reversal is straight until F is zero. Below, the law could
            give energy.

    Raises:
        ModelError: a number that is not above zero, an exponent below 1, or a shape outside of this range.

    >>> law = armdyn.actuators.BoucWen(stiffness=400.0, size=2.0)
    >>> z = law.state_along(0.0, 1.0, 0.0)
    >>> round(float(law.force_with(z)), 12)
    2.0
    """

    stiffness: float
    size: float
    exponent: float = 2.0
    shape: float = 0.5

    def __post_init__(self) -> None:
        self._above_zero(stiffness="N m/rad or N/m", size="N m or N")
        check_numbers(self, {"exponent": ""}, least=1.0)
        check_numbers(self, {"shape": ""}, least=0.5)
        if self.shape > 1.0:
            raise ModelError(f"shape of BoucWen is {self.shape:g}; expected a number from 0.5 to 1")

    def magnitude(self, speed: Scalar, load: Scalar) -> Scalar:
        """The size c of the friction, N m or N."""
        return self.size

    def state_rate(self, z: Scalar, rate: Scalar, load: Scalar = 0.0) -> Scalar:
        """dz/dt, rad/s or m/s; arguments as of `LuGre.state_rate`."""
        side = select(less(z, 0.0), -1.0, 1.0)
        share = abs(z * (self.stiffness / self.size)) ** self.exponent
        return rate - share * (self.shape * abs(rate) * side + (1.0 - self.shape) * rate)

    def state_along(self, z: Scalar, moved: Scalar, speed: Scalar = 0.0) -> Scalar:
        """z after a motion in one direction, rad or m: to the second order in its length, and never beyond c/k.

        Along the motion w = sign(dq) u follows dw/ds = 1 - f(w), s = k |dq|/c, f = w^n where w > 0, else
        -(2 b - 1) |w|^n. In each of `PARTS` parts f is linear: w grows by (1 - f) (1 - exp(-f' s))/f'.
        """
        scale, way = self.stiffness / self.size, select(less(moved, 0.0), -1.0, 1.0)
        w, s = way * z * scale, abs(moved) * (scale / PARTS)
        for _ in range(PARTS):
            factor, size = select(less(w, 0.0), 1.0 - 2.0 * self.shape, 1.0), abs(w)
            f = factor * size**self.exponent
            slope = abs(factor) * self._slope(size)
            w = minimum(w + (1.0 - f) * s * _mean_of_decay(slope * s), 1.0)
        return way * w * (self.size / self.stiffness)

    def _slope(self, size: Scalar) -> Scalar:
        """n |w|^(n - 1); 0 next to zero, because the slope tends to infinity there."""
        if self.exponent == 1.0 or self.exponent >= 2.0:
            return self.exponent * size ** (self.exponent - 1.0)
        small = less(size, SMALL)
        return select(small, 0.0, self.exponent * select(small, 1.0, size) ** (self.exponent - 1.0))

    def force_with(self, z: Scalar, rate: Scalar = 0.0, load: Scalar = 0.0) -> Scalar:
        """F = k z, N m or N; independent of the other arguments."""
        return self.stiffness * z

    def energy(self, z: Scalar) -> Scalar:
        """The stored energy k z^2/2, J."""
        return 0.5 * self.stiffness * z * z


def _mean_of_decay(x: Scalar) -> Scalar:
    """(1 - exp(-x))/x for x >= 0."""
    short = less(x, SHORT)
    return select(short, 1.0 - 0.5 * x, (1.0 - np.exp(-x)) / select(short, 1.0, x))
