"""The numbers of a joint itself, in addition to those of its actuator."""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.base.fields import check_numbers


@dataclass(frozen=True)
class Passive:
    """Armature, damping and friction of a joint itself, to which its actuator adds, as in MJCF.

    Without it an actuator replaces them. They stay at the joint when the actuator is removed.

    Args:
        armature: kg m^2, or kg for a slide.
        damping: N m s/rad or N s/m.
        friction: N m or N.

    >>> from armdyn.actuators import Actuator, Gear, Motor, Passive
    >>> drive = Actuator(Motor(rotor_inertia=1e-3), Gear(50.0), passive=Passive(armature=0.05))
    >>> arm = armdyn.load("planar_2r").with_actuators({"joint_2": drive})
    >>> arm.model.joint("joint_2").armature, arm.with_actuators({"joint_2": None}).model.joint("joint_2").armature
    (2.55, 0.05)
    """

    armature: float = 0.0
    damping: float = 0.0
    friction: float = 0.0

    def __post_init__(self) -> None:
        units = {"armature": "kg m^2 or kg", "damping": "N m s/rad or N s/m", "friction": "N m or N"}
        check_numbers(self, units, least=0.0)

    @property
    def rubs(self) -> bool:
        """True if it has damping or friction."""
        return bool(self.damping or self.friction)


NOTHING = Passive()
