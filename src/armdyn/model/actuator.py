"""The base class of joint actuators in the equations of motion; `armdyn.actuators.Actuator` is built from parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

from armdyn.model.friction import FrictionLaw
from armdyn.model.joint_friction import JointFriction
from armdyn.model.motor_parts import Rotor, Stator
from armdyn.model.passive import NOTHING, Passive


class JointActuator(ABC):
    """A motor with its gear and their friction, seen from the joint that it drives.

    A frozen dataclass of names, numbers, laws and tuples of these. Its numbers replace those of the joint's description
    for the same quantities.
    """

    @abstractmethod
    def __str__(self) -> str:
        """Its parts in one line, as ``print(robot)`` shows them."""

    @property
    @abstractmethod
    def armature(self) -> float | None:
        """The inertia of its rotor reflected to the joint, kg m^2, or kg for a slide; None if it specifies none.

        The approximation G^2 I_rotor: it includes `of_joint`, and not a rotor of `motor_parts`.
        """

    @property
    def of_joint(self) -> Passive:
        """The numbers of the joint itself to which its own are added; zero if it replaces them."""
        return NOTHING

    @property
    def gear_ratio(self) -> float:
        """G, turns of the motor per turn of the joint, or rad/m for a slide; 1 by default."""
        return 1.0

    @property
    def motor_parts(self) -> tuple[Rotor | Stator, ...]:
        """Rotors that are bodies of their own, with their ratios and inertias, and stators; none by default."""
        return ()

    def renamed(self, names: Mapping[str, str]) -> JointActuator:
        """The actuator in a robot whose frames have other names: ``names`` maps old names to new ones."""
        return self

    @property
    def has_spring(self) -> bool:
        """True if there is a spring between its rotor and the link, so that both move by themselves."""
        return False

    @property
    def spring_numbers(self) -> Mapping[str, float]:
        """The numbers of that spring by their names; empty without one."""
        return {}

    @property
    def without_spring(self) -> JointActuator | None:
        """The actuator without its spring, stiff; None if nothing else remains."""
        return self

    @property
    @abstractmethod
    def without_friction(self) -> JointActuator:
        """The actuator without friction."""

    def without_laws(self, such: Callable[[FrictionLaw], bool]) -> JointActuator:
        """The actuator without those of its own friction laws; the friction of its motor and its brake stays."""
        return self

    def with_joint_friction(self, added: JointFriction) -> JointActuator:
        """The actuator with laws of this friction in addition to its own, at the rotor; only if it `has_spring`."""
        raise NotImplementedError

    @property
    @abstractmethod
    def laws(self) -> tuple[FrictionLaw, ...] | None:
        """The friction laws, seen from the joint; None if the actuator has none of its own."""

    @property
    def losses(self) -> tuple[FrictionLaw, ...]:
        """The losses of its gear, which add to the friction of the joint's description."""
        return ()

    @property
    def all_laws(self) -> tuple[FrictionLaw, ...]:
        """`laws` and `losses`: its whole friction, including that of its shaft and engaged brake."""
        return (*(self.laws or ()), *self.losses)

    @property
    def joint_friction(self) -> JointFriction:
        """The sum of its laws `Viscous` and `Coulomb`."""
        return JointFriction.of_laws(self.all_laws)
