"""Friction that two numbers state, damping qd + friction sign(qd): of a joint, and of the laws of its actuator."""

from __future__ import annotations

from typing import NamedTuple

from armdyn.actuators.coulomb import Coulomb
from armdyn.actuators.viscous import Viscous
from armdyn.model.actuator import JointActuator
from armdyn.model.friction import FrictionLaw
from armdyn.model.joint import Joint
from armdyn.model.parts import JointPart


class TwoNumbers(NamedTuple):
    """Viscous friction, N m s/rad or N s/m, and Coulomb friction, N m or N."""

    damping: float
    friction: float

    def __str__(self) -> str:
        return f"damping {self.damping:g} and friction {self.friction:g}"


def of_laws(actuator: JointActuator | None) -> TwoNumbers:
    """The sums of the laws `Viscous` and `Coulomb` of an actuator, those of its shaft and engaged brake among them."""
    laws = _laws(actuator)
    damping = sum(law.coefficient for law in laws if isinstance(law, Viscous))
    return TwoNumbers(damping, sum(law.size for law in laws if isinstance(law, Coulomb)))


def of_joint(joint: Joint | JointPart) -> TwoNumbers:
    """The joint's own numbers and those of its actuator's laws."""
    laws = of_laws(joint.actuator)
    return TwoNumbers(joint.damping + laws.damping, joint.friction + laws.friction)


def other_laws(actuator: JointActuator | None) -> list[FrictionLaw]:
    """The laws of an actuator that two numbers do not state."""
    return [law for law in _laws(actuator) if not isinstance(law, Viscous | Coulomb)]


def _laws(actuator: JointActuator | None) -> tuple[FrictionLaw, ...]:
    return () if actuator is None else (*(actuator.laws or ()), *actuator.losses)
