"""A brake on the shaft of a motor."""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.base.checks import choice, number
from armdyn.base.fields import set_fields

STATES = ("released", "engaged")


@dataclass(frozen=True)
class Brake:
    """A brake that holds the shaft of a motor, on the fast side of the gear.

    If engaged, it is dry friction of |G| times its torque at the joint, in addition to all other friction: it holds
    smaller forces and slips under larger ones. If released, it does nothing.

    Args:
        torque: the largest torque that it holds at the shaft, N m.
        state: "released" or "engaged".

    >>> from armdyn.actuators import Actuator, Brake, Gear
    >>> Actuator(gear=Gear(100.0), brake=Brake(0.4)).with_brake("engaged").losses
    (Coulomb(size=40.0),)
    """

    torque: float
    state: str = "released"

    def __post_init__(self) -> None:
        set_fields(self, torque=number("torque of Brake", self.torque, above=0.0, unit="N m"))
        choice("state of Brake", self.state, STATES)
