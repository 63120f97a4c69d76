"""The standard parameters of a joint: JOINT.armature, JOINT.damping, JOINT.friction.

Damping and friction are totals of a joint: its own numbers, and the laws `Viscous` and `Coulomb` of its actuator, those
of the motor's shaft and of an engaged brake among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from armdyn.model.actuator import JointActuator
from armdyn.model.friction import FrictionLaw
from armdyn.model.joint import Joint
from armdyn.model.joint_friction import JointFriction
from armdyn.model.joint_units import UNITS

CLOSE = 1e-9
"""Relative tolerance by which friction may be below that of the motor and the brake and still count as equal."""


def value_of_joint(joint: Joint, quantity: str) -> float:
    """The value of JOINT.quantity in pi; 0 for a constant offset, which no robot has."""
    if quantity in JointFriction._fields:
        return float(getattr(joint.total_friction, quantity))
    return float(getattr(joint, quantity, 0.0))


class NewFriction(NamedTuple):
    """The changes of a joint by damping and friction in pi.

    Args:
        fields: those of the joint that change, with their values.
        problems: friction below that of the motor and the brake.
    """

    fields: dict[str, Any]
    problems: list[str]

    @classmethod
    def of(cls, joint: Joint, totals: Mapping[str, float]) -> NewFriction:
        """The changes for the values in pi, of one quantity or both; a value equal to the joint's changes nothing."""
        new = {quantity: total for quantity, total in totals.items() if total != value_of_joint(joint, quantity)}
        same = {quantity: getattr(joint, quantity) for quantity in totals if quantity not in new}
        if joint.actuator is None or not new:
            return cls(same | new, [])

        def is_replaced(law: FrictionLaw) -> bool:
            return law.joint_friction is not None and any(getattr(law.joint_friction, quantity) for quantity in new)

        actuator = joint.actuator.without_laws(is_replaced)
        stays = actuator.joint_friction._asdict()
        problems = [
            f"joint {joint.name!r}: {quantity} {total:g} {UNITS[joint.kind][quantity]}; expected {stays[quantity]:g} "
            "at least, which the shaft of its motor and its engaged brake take. Release the brake, or give the joint "
            "an actuator whose motor has less, by with_actuators."
            for quantity, total in new.items()
            if 0.0 <= total < stays[quantity] * (1.0 - CLOSE)
        ]
        rest = {quantity: max(0.0, total - stays[quantity]) for quantity, total in new.items()}
        if joint.actuator.has_spring:
            rest, actuator = _behind_spring(joint, rest, actuator)
        return cls(same | rest | {"actuator": actuator}, problems)


def _behind_spring(
    joint: Joint, rest: Mapping[str, float], actuator: JointActuator
) -> tuple[dict[str, float], JointActuator]:
    """The friction that stays at the link, and the actuator with the rest, which acts at the rotor of a flexible joint.

    A joint whose actuator had no such laws keeps all at its link.
    """
    had = JointFriction.of_laws(joint.laws)
    at_rotor = {
        name: max(0.0, total - getattr(joint, name)) if getattr(had, name) else 0.0 for name, total in rest.items()
    }
    at_link = {name: total - at_rotor[name] for name, total in rest.items()}
    return at_link, actuator.with_joint_friction(JointFriction(**at_rotor))
