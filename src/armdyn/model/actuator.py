"""The base of what drives a joint, as the equations of motion read it; `armdyn.actuators.Actuator` is made of parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

from armdyn.model.friction import FrictionLaw
from armdyn.model.motor_parts import Rotor, Stator
from armdyn.model.passive import NOTHING, Passive


class JointActuator(ABC):
    """A motor with its gear and what rubs in them, seen from the joint it drives.

    A frozen dataclass of names, numbers, laws and tuples of these. What it says replaces what the joint's description
    says of the same quantity.
    """

    @abstractmethod
    def __str__(self) -> str:
        """Its parts in one line, as ``print(robot)`` shows them."""

    @property
    @abstractmethod
    def armature(self) -> float | None:
        """The inertia of its rotor as the joint feels it, kg m^2, or kg of a slide; None where it says nothing.

        The approximation G^2 I_rotor: a rotor of `motor_parts` is not in it. `of_joint` is.
        """

    @property
    def of_joint(self) -> Passive:
        """The numbers of the joint itself to which its own are added; zero where it replaces them."""
        return NOTHING

    @property
    def gear_ratio(self) -> float:
        """G, turns of the motor for one of the joint, or rad/m of a slide; 1 where it says none."""
        return 1.0

    @property
    def motor_parts(self) -> tuple[Rotor | Stator, ...]:
        """Rotors that are bodies of their own, with their ratios and inertias, and stators; none unless it says so."""
        return ()

    def renamed(self, names: Mapping[str, str]) -> JointActuator:
        """The same where the frames of the robot have other names."""
        return self

    @property
    def has_spring(self) -> bool:
        """Whether a spring stands between its rotor and the link, so that both move by themselves."""
        return False

    @property
    def spring_numbers(self) -> Mapping[str, float]:
        """The numbers of that spring by their names; none without one."""
        return {}

    @property
    def without_spring(self) -> JointActuator | None:
        """The same, stiff; None where nothing else is left."""
        return self

    @property
    @abstractmethod
    def without_friction(self) -> JointActuator:
        """The same, with nothing that rubs."""

    def without_laws(self, such: Callable[[FrictionLaw], bool]) -> JointActuator:
        """The same without those of its own friction laws; what its motor and its brake take stays."""
        return self

    def with_two_numbers(self, damping: float, friction: float) -> JointActuator:
        """The same with these laws besides its own, at the rotor of its joint; only where it `has_spring`."""
        raise NotImplementedError

    @property
    @abstractmethod
    def laws(self) -> tuple[FrictionLaw, ...] | None:
        """The friction laws, seen from the joint; None where the actuator has none of its own."""

    @property
    def losses(self) -> tuple[FrictionLaw, ...]:
        """The losses of its gear, which add to the friction of the joint's description."""
        return ()
