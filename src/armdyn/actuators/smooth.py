"""Dry friction without its jump at rest, for optimisation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.actuators.dry import DryFriction
from armdyn.actuators.traced_law import TracedLaw
from armdyn.actuators.with_state import refuse_state
from armdyn.base.checks import choice
from armdyn.base.errors import DTypeError, excerpt
from armdyn.base.fields import set_fields
from armdyn.base.scalars import Scalar

SHAPES = ("tanh", "root")


@dataclass(frozen=True)
class Smooth(TracedLaw):
    """A dry law with a smooth function in the place of sign(qd): g F(|qd|, g load).

    g is tanh(qd/w), or qd/sqrt(qd^2 + w^2) ("root"). For a law that does not depend on the load the force is too small
    by the part 1 - |g|: by less than 2 exp(-2 |qd|/w) with tanh, by less than w^2/(2 qd^2) with the root. It holds
    nothing at rest: a joint under load creeps.

    Args:
        law: the law to make smooth: `Coulomb`, `Stribeck`, `GearLoss` or another dry law without a state of its own.
        width: w, rad/s or m/s.
        shape: "tanh" or "root".

    Raises:
        DTypeError: a law that is not dry friction.
        ModelError: a width that is not above zero, another shape, or a law with a state of its own, e.g. `LuGre`.

    >>> from armdyn.actuators import Coulomb, Smooth
    >>> round(float(Smooth(Coulomb(2.0), width=0.01).force(0.01, 0.0)), 6)  # 2 tanh(1)
    1.523188
    """

    law: DryFriction
    width: float
    shape: str = "tanh"

    def __post_init__(self) -> None:
        if not isinstance(self.law, DryFriction):
            raise DTypeError(f"law of Smooth is {excerpt(self.law)}; expected dry friction such as Coulomb(2.0)")
        refuse_state("law of Smooth", self.law)
        self._above_zero(width="rad/s or m/s")
        set_fields(self, shape=choice("shape of Smooth", self.shape, SHAPES))

    @property
    def depends_on_load(self) -> bool:  # type: ignore[override]
        """True if the law depends on the load."""
        return self.law.depends_on_load

    @property
    def lines(self) -> int | None:  # type: ignore[override]
        """The number of lines of the law."""
        return self.law.lines

    def direction(self, rate: Scalar) -> Scalar:
        """g, between -1 and 1."""
        if self.shape == "tanh":
            return np.tanh(rate * (1.0 / self.width))
        return rate / np.sqrt(rate * rate + self.width**2)

    def force(self, rate: Scalar, load: Scalar) -> Scalar:
        """g F(|qd|, g load)."""
        direction = self.direction(rate)
        return direction * self.law.magnitude(abs(rate), direction * load)

    def breakaway(self, load: Scalar) -> Scalar:
        """0, because it never sticks."""
        return 0.0
