"""An actuator of a joint, made of its parts."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.actuators.coulomb import Coulomb
from armdyn.actuators.gear import Gear
from armdyn.actuators.motor import Motor
from armdyn.actuators.viscous import Viscous
from armdyn.errors import DTypeError, shown
from armdyn.model.actuator import JointActuator
from armdyn.model.friction import FrictionLaw


@dataclass(frozen=True)
class Actuator(JointActuator):
    """A motor with its gear and what rubs; a part that is left out says nothing.

    Args:
        motor: whose rotor the joint feels as G^2 I_rotor (Modern Robotics 8.9.2).
        gear: between motor and joint; a ratio of 1 where none is given.
        friction: a law, or several that add up, seen from the joint, besides what rubs on the motor's shaft. Either
            replaces damping and friction of the joint's description; () says that nothing else rubs.

    >>> from armdyn.actuators import Actuator, Coulomb, Gear, Motor, Viscous
    >>> drive = Actuator(Motor(rotor_inertia=1.2e-5), Gear(100.0), [Viscous(0.4), Coulomb(1.5)])
    >>> round(drive.armature, 9)
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
        """The same, with nothing that rubs and no loss in its gear."""
        motor = None if self.motor is None else self.motor.without_friction
        return dataclasses.replace(self, motor=motor, friction=(), gear=self.gear and self.gear.lossless)

    @property
    def laws(self) -> tuple[FrictionLaw, ...] | None:
        """What rubs on the motor's shaft, as the joint feels it, and the laws given."""
        shaft = self._of_shaft()
        given: tuple[FrictionLaw, ...] | None = self.friction  # type: ignore[assignment]  # a tuple since it was made
        return given if given is None and not shaft else (*shaft, *(given or ()))

    def _of_shaft(self) -> tuple[FrictionLaw, ...]:
        """With w = G qd and a torque that the joint feels G times: G^2 damping qd + |G| friction sign(qd)."""
        if self.motor is None:
            return ()
        G = (self.gear or Gear()).ratio
        viscous, coulomb = Viscous(G**2 * self.motor.damping), Coulomb(abs(G) * self.motor.friction)
        return tuple(law for law, size in ((viscous, viscous.coefficient), (coulomb, coulomb.size)) if size)

    @property
    def losses(self) -> tuple[FrictionLaw, ...]:
        """The loss of its gear, where it has one."""
        return () if self.gear is None or self.gear.loss is None else (self.gear.loss,)
