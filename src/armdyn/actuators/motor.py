"""A motor (Modern Robotics 8.9.1)."""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.checks import number


@dataclass(frozen=True)
class Motor:
    """A motor, seen from its shaft.

    Args:
        rotor_inertia: I_rotor, about the shaft, kg m^2.

    >>> armdyn.actuators.Motor(rotor_inertia=1.2e-5).rotor_inertia
    1.2e-05
    """

    rotor_inertia: float = 0.0

    def __post_init__(self) -> None:
        value = number("rotor_inertia of Motor", self.rotor_inertia, least=0.0, unit="kg m^2")
        object.__setattr__(self, "rotor_inertia", value)
