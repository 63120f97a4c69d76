"""A gear of a catalogue."""

from __future__ import annotations

import math
from dataclasses import dataclass

from armdyn.actuators.gear import Gear
from armdyn.base.fields import check_numbers, set_fields


@dataclass(frozen=True)
class CatalogueGear:
    """A reduction with its losses, its limits and its mass.

    Args:
        ratio: G, turns of the motor per turn of the output; negative if the gear reverses the direction.
        mass: mass, kg.
        inertia: inertia of the gear's parts, reflected to its fast side, kg m^2.
        efficiency: eta, the fraction of the motor's power that reaches the output, above 0 and at most 1.
        back_efficiency: eta_b, the fraction of the output's power that reaches the motor if the load drives it; eta by
            default.
        rated_torque: largest rms torque of the output, N m.
        peak_torque: largest torque of the output for a limited time, N m.
        momentary_torque: largest torque of the output at any time, N m.
        maximum_input_speed: largest input speed, rad/s.
        average_input_speed: largest mean input speed, rad/s.

    >>> gear = armdyn.sizing.CatalogueGear(100.0, 1.5, 105e-7, efficiency=0.7, rated_torque=50.0)
    >>> gear.gear()
    Gear(ratio=100.0, inertia=1.05e-05, efficiency=0.7, back_efficiency=0.7)
    """

    ratio: float
    mass: float
    inertia: float = 0.0
    efficiency: float = 1.0
    back_efficiency: float | None = None
    rated_torque: float = math.inf
    peak_torque: float = math.inf
    momentary_torque: float = math.inf
    maximum_input_speed: float = math.inf
    average_input_speed: float = math.inf

    def __post_init__(self) -> None:
        gear = self.gear()  # its constructor checks the values
        set_fields(
            self, **{name: getattr(gear, name) for name in ("ratio", "inertia", "efficiency", "back_efficiency")}
        )
        check_numbers(self, {"mass": "kg"}, least=0.0)
        check_numbers(self, LIMITS, above=0.0, infinite=True)

    def gear(self, turns: float = 1.0) -> Gear:
        """The gear as a part of an actuator, followed by a screw of ``turns`` rad/m for a prismatic joint."""
        return Gear(self.ratio * turns, self.inertia, self.efficiency, self.back_efficiency)


LIMITS = {
    "rated_torque": "N m",
    "peak_torque": "N m",
    "momentary_torque": "N m",
    "maximum_input_speed": "rad/s",
    "average_input_speed": "rad/s",
}
