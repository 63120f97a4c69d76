"""The torque of a motor's magnets on its slotted iron."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.base.checks import number
from armdyn.base.fields import check_numbers, set_fields
from armdyn.base.scalars import Scalar


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
        check_numbers(self, {"amplitude": "N m"}, least=0.0)
        check_numbers(self, {"phase": "rad"})
        periods = number("periods of Cogging", self.periods, above=0.0, expected="a number above zero, in one turn")
        set_fields(self, periods=periods)

    def torque(self, angle: Scalar) -> Scalar:
        """A sin(N angle + phi), N m, at the rotor's angle, rad; numbers and traced scalars."""
        return self.amplitude * np.sin(self.periods * angle + self.phase)
