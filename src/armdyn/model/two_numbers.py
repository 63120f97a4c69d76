"""Friction as two numbers, damping qd + friction sign(qd): of a joint, and of the laws of its actuator."""

from __future__ import annotations

from armdyn.model.actuator import JointActuator
from armdyn.model.friction import FrictionLaw, TwoNumbers
from armdyn.model.joint import Joint
from armdyn.model.parts import JointPart


def of_laws(actuator: JointActuator | None) -> TwoNumbers:
    """The sums of the laws `Viscous` and `Coulomb` of an actuator, including those of its shaft and engaged brake."""
    stated = [numbers for law in _laws(actuator) if (numbers := law.two_numbers) is not None]
    return TwoNumbers(sum(numbers.damping for numbers in stated), sum(numbers.friction for numbers in stated))


def of_joint(joint: Joint | JointPart) -> TwoNumbers:
    """The joint's own numbers and those of its actuator's laws."""
    laws = of_laws(joint.actuator)
    return TwoNumbers(joint.damping + laws.damping, joint.friction + laws.friction)


def other_laws(actuator: JointActuator | None) -> list[FrictionLaw]:
    """The laws of an actuator that two numbers do not state."""
    return [law for law in _laws(actuator) if law.two_numbers is None]


def _laws(actuator: JointActuator | None) -> tuple[FrictionLaw, ...]:
    return () if actuator is None else (*(actuator.laws or ()), *actuator.losses)
