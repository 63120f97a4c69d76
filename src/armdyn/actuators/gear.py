"""A gear between a motor and a joint (Modern Robotics 8.9.2)."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from armdyn.actuators.gear_loss import GearLoss, check_efficiencies
from armdyn.base.checks import number
from armdyn.base.errors import ModelError
from armdyn.base.fields import set_fields
from armdyn.model.motor_parts import LARGEST_RATIO, RATIO


@dataclass(frozen=True)
class Gear:
    """A reduction: the motor turns ``ratio`` times as fast as the joint.

    Args:
        ratio: G, turns of the motor for one of the joint; rad/m if the joint slides. Negative if it reverses.
        inertia: of the gear's parts, as its fast side feels them, kg m^2.
        efficiency: the part of the power that reaches the joint if the motor drives it, above 0, at most 1.
        back_efficiency: the part that reaches the motor if the load drives the joint; ``efficiency`` if none is
            given. Data sheets of worm gears state zero or less, i.e. the load does not drive them back.

    Raises:
        ModelError: a ratio of zero, or an efficiency above one or not above zero; a ``back_efficiency`` of zero or
            below, of a self-locking gear, too, for the reason in `GearLoss`.

    >>> gear = armdyn.actuators.Gear(100.0, efficiency=0.8)
    >>> gear.ratio, gear.back_efficiency
    (100.0, 0.8)
    """

    ratio: float = 1.0
    inertia: float = 0.0
    efficiency: float = 1.0
    back_efficiency: float | None = None

    def __post_init__(self) -> None:
        set_fields(
            self, ratio=number("ratio of Gear", self.ratio, above=-LARGEST_RATIO, below=LARGEST_RATIO, expected=RATIO)
        )
        if abs(self.ratio) < 1.0 / LARGEST_RATIO:
            raise ModelError(
                f"ratio of Gear is {self.ratio:g}; expected the turns of the motor for one of the joint, not zero"
            )
        set_fields(self, inertia=number("inertia of Gear", self.inertia, least=0.0, unit="kg m^2"))
        if self.back_efficiency is None:
            set_fields(self, back_efficiency=self.efficiency)
        check_efficiencies(self)

    @property
    def loss(self) -> GearLoss | None:
        """The friction law of its losses, at the joint; None if both efficiencies are 1."""
        if self.efficiency == self.back_efficiency == 1.0:
            return None
        return GearLoss(self.efficiency, self.back_efficiency)  # type: ignore[arg-type]  # a number since it was made

    @property
    def lossless(self) -> Gear:
        """The gear with efficiencies of 1."""
        return dataclasses.replace(self, efficiency=1.0, back_efficiency=1.0)
