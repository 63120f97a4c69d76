"""A gear between a motor and a joint (Modern Robotics 8.9.2)."""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.checks import number
from armdyn.errors import ModelError


@dataclass(frozen=True)
class Gear:
    """A reduction: the motor turns ``ratio`` times as fast as the joint.

    Args:
        ratio: G, turns of the motor for one of the joint; rad/m where the joint slides. Negative where it turns round.
        inertia: of the gear's parts, as its fast side feels them, kg m^2.

    >>> armdyn.actuators.Gear(100.0).ratio
    100.0
    """

    ratio: float = 1.0
    inertia: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "ratio", number("ratio of Gear", self.ratio))
        if self.ratio == 0.0:
            raise ModelError("ratio of Gear is 0; expected the turns of the motor for one of the joint")
        object.__setattr__(self, "inertia", number("inertia of Gear", self.inertia, least=0.0, unit="kg m^2"))
