"""An actuator of a joint, made of its parts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from armdyn.actuators.brake import Brake
from armdyn.actuators.coulomb import Coulomb
from armdyn.actuators.gear import Gear
from armdyn.actuators.motor import Motor
from armdyn.actuators.spring import Spring
from armdyn.actuators.unique_load import check_unique_load
from armdyn.actuators.viscous import Viscous
from armdyn.actuators.with_state import FrictionWithState
from armdyn.base.checks import number
from armdyn.base.errors import DTypeError, ModelError, excerpt
from armdyn.base.fields import set_fields
from armdyn.model.actuator import JointActuator
from armdyn.model.friction import FrictionLaw
from armdyn.model.joint_friction import JointFriction
from armdyn.model.motor_parts import Rotor, Stator
from armdyn.model.passive import NOTHING, Passive


@dataclass(frozen=True)
class Actuator(JointActuator):
    """A motor with its gear, friction and spring; a part that is left out has no effect, and at least one is required.

    Args:
        motor: the joint feels its rotor as the armature G^2 I_rotor, an approximation that neglects the rotation of the
            link that carries the rotor (Modern Robotics 8.9.2), unless ``rotor`` specifies its place. If motor and gear
            have no inertia, the joint keeps the armature of its description.
        gear: between motor and joint; a ratio of 1 if None.
        friction: a law, or several that add up, seen from the joint, in addition to the friction of the motor's shaft.
            Either replaces damping and friction of the joint's description; () means no other friction.
        rotor: an `armdyn.actuators.Rotor`, or several, e.g. those of a gear's stages: bodies that turn, with all
            their gyroscopic moments (Modern Robotics 8.104-8.112). One without an inertia of its own is the motor's,
            which is then no armature.
        stator: an `armdyn.actuators.Stator`, or several: mass on the links.
        spring: between gear and link, an `armdyn.actuators.Spring`; rigid without one. Functions whose names do not
            begin with ``flexible`` take the arm as stiff, rotor and link as one. See docs/actuators.md.
        brake: on the motor's shaft, an `armdyn.actuators.Brake`.
        passive: the joint's own armature, damping and friction, an `armdyn.actuators.Passive`, to which motor, gear and
            friction add. It stays when the actuator is taken away. Those that are read from MJCF have it.

    >>> from armdyn.actuators import Actuator, Coulomb, Gear, Motor, Viscous
    >>> drive = Actuator(Motor(rotor_inertia=1.2e-5), Gear(100.0), [Viscous(0.4), Coulomb(1.5)])
    >>> round(drive.armature, 9)
    0.12
    """

    motor: Motor | None = None
    gear: Gear | None = None
    friction: FrictionLaw | Sequence[FrictionLaw] | None = None
    rotor: Rotor | Sequence[Rotor] | None = None
    stator: Stator | Sequence[Stator] | None = None
    spring: Spring | None = None
    brake: Brake | None = None
    passive: Passive | None = None

    def __post_init__(self) -> None:
        kinds = {"motor": Motor, "gear": Gear, "spring": Spring, "brake": Brake, "passive": Passive}
        for name, kind in kinds.items():
            if not isinstance(getattr(self, name), kind | None):
                raise DTypeError(
                    f"{name} is {excerpt(getattr(self, name))}; expected an armdyn.actuators.{kind.__name__}"
                )
        if self.friction is not None:
            set_fields(self, friction=_laws(self.friction))
        set_fields(self, rotor=_several("rotor", self.rotor, Rotor), stator=_several("stator", self.stator, Stator))
        self._check_parts()
        self._check_rotors()
        self._check_reflected()
        check_unique_load((*(self.laws or ()), *self.losses))

    def _check_parts(self) -> None:
        """Require at least one part; friction=() counts as one and means a joint without friction."""
        parts = (self.motor, self.gear, self.rotor, self.stator, self.spring, self.brake, self.passive)
        if self.friction is None and not any(parts):
            raise ModelError(
                "Actuator has no parts; expected a motor, a gear, friction or another, such as "
                "Actuator(gear=Gear(100.0)). To take the actuator of a joint away give None in its place"
            )

    def _check_rotors(self) -> None:
        """Require that one rotor is the motor's and has an inertia, and that none of them is beyond a spring."""
        if self.spring is not None and self._rotors:
            raise ModelError(
                "Actuator has a spring and a rotor that is a body of its own; behind a spring a rotor counts by its "
                "spin alone, G^2 I_rotor. Leave rotor out"
            )
        of_motor = [rotor for rotor in self._rotors if rotor.inertia is None]
        stated = [rotor for rotor in self._rotors if rotor.inertia is not None and rotor.ratio is None]
        if stated and not of_motor and self.motor is not None and self.motor.rotor_inertia:
            inertia, own = stated[0].inertia, self.motor.rotor_inertia
            raise ModelError(
                f"Actuator has a Motor of rotor_inertia {own:g} and a Rotor of inertia {inertia:g} without a ratio, "
                "which could be the motor's rotor or another body. If it is the motor's, state its inertia once: "
                f"Rotor() with Motor(rotor_inertia={own:g}). If it is another body that turns, such as a gear's stage, "
                f"state its turns for one of the joint: Rotor(inertia={inertia:g}, ratio=...)"
            )
        if len(of_motor) > 1:
            raise ModelError(
                f"{len(of_motor)} rotors of Actuator have no inertia of their own; that of the motor belongs to one. "
                "Give the others theirs: Rotor(inertia=...)"
            )
        if of_motor and self._rotor_inertia == 0.0:
            raise ModelError(
                "the rotor of Actuator has no inertia; give Motor(rotor_inertia=...), Gear(inertia=...) or "
                "Rotor(inertia=...)"
            )

    def _check_reflected(self) -> None:
        """Refuse reflected inertia and friction of motor and gear that are not finite."""
        if self.armature is not None:
            number("G^2 (I_rotor + I_gear) of Actuator", self.armature, unit="kg m^2 or kg")
        self._of_shaft()

    @property
    def gear_ratio(self) -> float:
        """G, turns of the motor for one of the joint, or rad/m of a slide; 1 without a gear."""
        return 1.0 if self.gear is None else self.gear.ratio

    @property
    def _rotors(self) -> tuple[Rotor, ...]:
        return self.rotor  # type: ignore[return-value]  # a tuple since it was made

    @property
    def _stators(self) -> tuple[Stator, ...]:
        return self.stator  # type: ignore[return-value]  # a tuple since it was made

    @property
    def _rotor_inertia(self) -> float:
        """I_rotor + I_gear."""
        return (self.motor or Motor()).rotor_inertia + (self.gear or Gear()).inertia

    def __str__(self) -> str:
        from armdyn.actuators.data import shown_parts  # noqa: PLC0415 - which reads the fields of this class

        return shown_parts(self)

    @property
    def of_joint(self) -> Passive:
        """The joint's own ``passive``; zero if None."""
        return self.passive or NOTHING

    @property
    def armature(self) -> float | None:
        """The joint's own armature, if `passive` has one, plus that of motor and gear; None if neither is given.

        G^2 (I_rotor + I_gear), 0 if rotors are bodies of their own.
        """
        own, reflected = self.of_joint.armature, self._reflected
        return own or None if reflected is None else own + reflected

    @property
    def _reflected(self) -> float | None:
        """The armature of motor and gear; None if they have no inertia."""
        if self.motor is None and self.gear is None:
            return None
        if any(rotor.inertia is None for rotor in self._rotors):
            return 0.0
        if self._rotor_inertia == 0.0:
            return 0.0 if self._rotors else None
        return self.gear_ratio**2 * self._rotor_inertia

    @property
    def motor_parts(self) -> tuple[Rotor | Stator, ...]:
        """Rotors, with the motor's inertia and the gear's ratio if they have none of their own, and stators."""
        ratio = self.gear_ratio
        rotors = (
            dataclasses.replace(
                rotor,
                inertia=self._rotor_inertia if rotor.inertia is None else rotor.inertia,
                ratio=ratio if rotor.ratio is None else rotor.ratio,
            )
            for rotor in self._rotors
        )
        return (*rotors, *self._stators)

    @property
    def has_spring(self) -> bool:
        """True if the joint is flexible."""
        return self.spring is not None

    @property
    def spring_numbers(self) -> Mapping[str, float]:
        """The stiffness, damping and cubic term of the spring; empty without a spring."""
        return {} if self.spring is None else dataclasses.asdict(self.spring)

    @property
    def without_spring(self) -> Actuator | None:
        """The actuator with a rigid joint; None if the spring is its only part."""
        if self.spring is None:
            return self
        return None if self == Actuator(spring=self.spring) else dataclasses.replace(self, spring=None)

    @property
    def without_friction(self) -> Actuator:
        """The actuator without friction, without loss in its gear and with its brake released."""
        motor = None if self.motor is None else self.motor.without_friction
        free = self if self.brake is None else self.with_brake("released")
        passive = self.passive and dataclasses.replace(self.passive, damping=0.0, friction=0.0)
        return dataclasses.replace(
            free, motor=motor, friction=(), gear=self.gear and self.gear.lossless, passive=passive
        )

    @property
    def without_bristles(self) -> Actuator:
        """The actuator without its friction laws that have a state of their own."""
        return self.without_laws(lambda law: isinstance(law, FrictionWithState))

    def without_laws(self, such: Callable[[FrictionLaw], bool]) -> Actuator:
        """The actuator without some of the laws of ``friction``; friction of its motor, gear and brake stays."""
        laws: tuple[FrictionLaw, ...] | None = self.friction  # type: ignore[assignment]  # a tuple since it was made
        if laws is None:
            return self
        rest = tuple(law for law in laws if not such(law))
        return self if len(rest) == len(laws) else dataclasses.replace(self, friction=rest)

    def with_joint_friction(self, added: JointFriction) -> Actuator:
        """The actuator with `Viscous` and `Coulomb` of these sizes in addition to its own laws."""
        laws: tuple[FrictionLaw, ...] = self.friction or ()  # type: ignore[assignment]  # a tuple since it was made
        more = [law(size) for law, size in ((Viscous, added.damping), (Coulomb, added.friction)) if size]
        return dataclasses.replace(self, friction=(*laws, *more)) if more else self

    def with_brake(self, state: str) -> Actuator:
        """The actuator with its brake "engaged" or "released".

        Raises:
            ModelError: an actuator without a brake.
        """
        if self.brake is None:
            raise ModelError("the actuator has no brake; give it one: Actuator(motor, gear, brake=Brake(0.4)), N m")
        return dataclasses.replace(self, brake=dataclasses.replace(self.brake, state=state))

    def renamed(self, names: Mapping[str, str]) -> Actuator:
        """The actuator with other names of the frames that carry rotor and stator."""
        rotors = [rotor.renamed(names) for rotor in self._rotors]
        return dataclasses.replace(self, rotor=rotors, stator=[stator.renamed(names) for stator in self._stators])

    @property
    def laws(self) -> tuple[FrictionLaw, ...] | None:
        """Friction laws at the joint: those of the shaft, reflected by the gear, then ``friction``; None without."""
        shaft = self._of_shaft()
        friction: tuple[FrictionLaw, ...] | None = self.friction  # type: ignore[assignment]  # a tuple since it was made
        return friction if friction is None and not shaft else (*shaft, *(friction or ()))

    def _of_shaft(self) -> tuple[FrictionLaw, ...]:
        """Viscous and Coulomb friction of the shaft at the joint, G^2 damping qd + |G| friction sign(qd), w = G qd."""
        if self.motor is None:
            return ()
        G = self.gear_ratio
        viscous, coulomb = Viscous(G**2 * self.motor.damping), Coulomb(abs(G) * self.motor.friction)
        return tuple(law for law, size in ((viscous, viscous.coefficient), (coulomb, coulomb.size)) if size)

    @property
    def losses(self) -> tuple[FrictionLaw, ...]:
        """The loss of its gear, if it has one, and the friction of an engaged brake, |G| times its torque."""
        gear, brake = self.gear or Gear(), self.brake
        loss = () if gear.loss is None else (gear.loss,)
        if brake is None or brake.state != "engaged":
            return loss
        return (*loss, Coulomb(self.brake_torque))

    @property
    def brake_torque(self) -> float:
        """The greatest joint force that the engaged brake holds, N m or N: |G| times its torque; 0 without one."""
        return 0.0 if self.brake is None else abs(self.gear_ratio) * self.brake.torque


def _laws(friction: object) -> tuple[FrictionLaw, ...]:
    """The laws given: one, or several."""
    laws = friction if isinstance(friction, list | tuple) else (friction,)
    for law in laws:
        if not isinstance(law, FrictionLaw):
            raise DTypeError(
                f"friction of Actuator has {excerpt(law)}; expected laws such as armdyn.actuators.Coulomb(2.0), one or "
                "a list of them"
            )
    return tuple(laws)


def _several(name: str, value: object, kind: type) -> tuple[object, ...]:
    """The parts as a tuple: empty, one or several."""
    parts = () if value is None else (value,) if isinstance(value, kind) else value
    if not isinstance(parts, Sequence) or not all(isinstance(part, kind) for part in parts):
        raise DTypeError(
            f"{name} of Actuator is {excerpt(value)}; expected an armdyn.actuators.{kind.__name__}, or several"
        )
    return tuple(parts)
