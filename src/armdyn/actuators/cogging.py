"""The torque of a motor's magnets on its slotted iron."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.base.checks import number


@dataclass(frozen=True)
class Cogging:
    """A torque A sin(N angle + phi) on the rotor, independent of the current; over a turn it does no work.

    Args:
        amplitude: A, N m.
        periods: N, in one turn of the rotor: the least common multiple of poles and slots.
        phase: phi, rad.

    >>> round(float(armdyn.actuators.Cogging(0.01, 12.0).torque(0.1)), 6)
    0.00932
    """

    amplitude: float
    periods: float
    phase: float = 0.0

    def __post_init__(self) -> None:
        for name, least, unit in (("amplitude", 0.0, "N m"), ("phase", -np.inf, "rad")):
            value = number(f"{name} of Cogging", getattr(self, name), least=least, unit=unit)
            object.__setattr__(self, name, value)
        periods = number("periods of Cogging", self.periods, above=0.0, expected="a number above zero, in one turn")
        object.__setattr__(self, "periods", periods)

    def torque(self, angle: Any) -> Any:
        """A sin(N angle + phi), N m, at the rotor's angle, rad; numbers and traced scalars."""
        return self.amplitude * np.sin(self.periods * angle + self.phase)
