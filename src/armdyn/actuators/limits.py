"""`MotorLimits`: the greatest voltage, current, torque and speed of a motor and its amplifier."""

from __future__ import annotations

import math
from dataclasses import dataclass

from armdyn.base.errors import ModelError
from armdyn.base.fields import check_numbers

UNITS = {
    "voltage": "V",
    "current": "A",
    "continuous_current": "A",
    "current_rate": "A/s",
    "speed": "rad/s",
    "torque": "N m",
}


@dataclass(frozen=True)
class MotorLimits:
    """Bounds of a motor's voltage, current, torque and speed, in both directions; infinite without a limit.

    Args:
        voltage: V_max, of the supply or of the winding, V.
        current: I_max, the peak that amplifier or magnets bear for a short time, A.
        continuous_current: the current that the winding bears continuously, A.
        current_rate: the largest rate of the current that the amplifier gives, A/s.
        speed: the largest speed that bearings and brushes bear, rad/s.
        torque: the largest torque that the shaft bears, N m.

    >>> armdyn.actuators.MotorLimits(voltage=24.0, current=10.0, continuous_current=6.0).current
    10.0
    """

    voltage: float = math.inf
    current: float = math.inf
    continuous_current: float = math.inf
    current_rate: float = math.inf
    speed: float = math.inf
    torque: float = math.inf

    def __post_init__(self) -> None:
        check_numbers(self, UNITS, above=0.0, infinite=True)
        if math.isfinite(self.continuous_current) and self.continuous_current > self.current:
            raise ModelError(
                f"continuous_current of MotorLimits is {self.continuous_current:g} A, above current, the peak of "
                f"{self.current:g} A; expected no more than it"
            )
