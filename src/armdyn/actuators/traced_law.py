"""Base of the friction laws: their derivatives, and the check of their numbers."""

from __future__ import annotations

import numpy as np

from armdyn.base.checks import divisor
from armdyn.base.errors import ModelError
from armdyn.base.fields import check_numbers, set_fields
from armdyn.base.scalars import Scalar
from armdyn.model.friction import FrictionLaw, Slopes
from armdyn.program import derivative


class TracedLaw(FrictionLaw):
    """A law whose derivatives follow from the operations of its force."""

    def slopes(self, rate: Scalar, load: Scalar) -> Slopes:
        """The exact derivatives, by the chain rule; at a kink the mean of both sides, and 0 at a step."""
        at = np.array([rate, load, 0.0], dtype=object)[:2]  # the third keeps NumPy from making floats of two numbers
        by_rate, by_load = derivative(lambda x: self.force(x[0], x[1]), at if _traced(at) else at.astype(float))
        return Slopes(by_rate, by_load)

    def sliding_slope(self, direction: Scalar, speed: Scalar, load: Scalar) -> Scalar:
        """The exact derivative of the sliding friction by the load, by the chain rule."""
        at = np.array([direction, speed, load, 0.0], dtype=object)[:3]
        slopes = derivative(lambda x: self.sliding(x[0], x[1], x[2]), at if _traced(at) else at.astype(float))
        return slopes[2]

    def _not_below_zero(self, **units: str) -> None:
        """Check fields of the frozen dataclass while it is made: finite numbers that are not negative."""
        check_numbers(self, units, least=0.0)

    def _above_zero(self, **units: str) -> None:
        """Check fields while it is made: finite numbers above zero, which laws divide by."""
        for name, unit in units.items():
            value = divisor(f"{name} of {type(self).__name__}", getattr(self, name), unit=unit)
            set_fields(self, **{name: value})

    def _ordered(self, larger: str, smaller: str) -> None:
        """Check two fields while it is made: the first is not below the second."""
        most, least = getattr(self, larger), getattr(self, smaller)
        if most < least:
            raise ModelError(
                f"{larger} of {type(self).__name__} is {most:g}, below {smaller}, {least:g}; expected at least as much"
            )


def _traced(values: Scalar) -> bool:
    return any(not isinstance(value, float | int | np.number) for value in values)
