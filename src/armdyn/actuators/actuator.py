"""An actuator of a joint, made of its parts."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.actuators.gear import Gear
from armdyn.actuators.motor import Motor
from armdyn.errors import DTypeError, shown
from armdyn.model.actuator import JointActuator
from armdyn.model.friction import FrictionLaw


@dataclass(frozen=True)
class Actuator(JointActuator):
    """A motor with its gear and what rubs; a part that is left out says nothing.

    Args:
        motor: whose rotor the joint feels as G^2 I_rotor (Modern Robotics 8.9.2).
        gear: between motor and joint; a ratio of 1 where none is given.
        friction: a law, or several that add up, seen from the joint. It replaces damping and friction of the joint's
            description; () says that nothing rubs.

    >>> from armdyn.actuators import Actuator, Coulomb, Gear, Motor, Viscous
    >>> drive = Actuator(Motor(rotor_inertia=1.2e-5), Gear(100.0), [Viscous(0.4), Coulomb(1.5)])
    >>> drive.armature
    0.12
    """

    motor: Motor | None = None
    gear: Gear | None = None
    friction: FrictionLaw | Sequence[FrictionLaw] | None = None

    def __post_init__(self) -> None:
        for name, kind in (("motor", Motor), ("gear", Gear)):
            if not isinstance(getattr(self, name), kind | None):
                raise DTypeError(
                    f"{name} is {shown(getattr(self, name))}; expected an armdyn.actuators.{kind.__name__}"
                )
        if self.friction is not None:
            given = (self.friction,) if isinstance(self.friction, FrictionLaw) else tuple(self.friction)
            for law in given:
                if not isinstance(law, FrictionLaw):
                    raise DTypeError(f"friction has {shown(law)}; expected laws such as armdyn.actuators.Coulomb(2.0)")
            object.__setattr__(self, "friction", given)

    def __str__(self) -> str:
        from armdyn.actuators.data import shown_parts  # noqa: PLC0415 - which reads the fields of this class

        return shown_parts(self)

    @property
    def armature(self) -> float | None:
        """G^2 (I_rotor + I_gear); None without a motor and a gear."""
        if self.motor is None and self.gear is None:
            return None
        motor, gear = self.motor or Motor(), self.gear or Gear()
        return gear.ratio**2 * (motor.rotor_inertia + gear.inertia)

    @property
    def without_friction(self) -> Actuator:
        """The same, with nothing that rubs."""
        return dataclasses.replace(self, friction=())

    @property
    def laws(self) -> tuple[FrictionLaw, ...] | None:
        """The laws given."""
        return self.friction  # type: ignore[return-value]  # a tuple since it was made
