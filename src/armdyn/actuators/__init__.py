"""Actuators of joints: motors, gears, friction laws; each a class in a file with its data and its equations.

An `Actuator` becomes part of a robot by ``robot.with_actuators({"elbow": Actuator(...)})``; from then on every
algorithm counts it. `read` has them from a file, `write` makes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armdyn.lazy import names_of
from armdyn.model.friction import FrictionLaw, Slopes

if TYPE_CHECKING:
    from armdyn.actuators.actuator import Actuator
    from armdyn.actuators.coulomb import Coulomb
    from armdyn.actuators.file import read, write
    from armdyn.actuators.gear import Gear
    from armdyn.actuators.motor import Motor
    from armdyn.actuators.viscous import Viscous

_WHERE = {
    "Actuator": "actuator",
    "Coulomb": "coulomb",
    "Gear": "gear",
    "Motor": "motor",
    "Viscous": "viscous",
    "read": "file",
    "write": "file",
}

__all__ = [
    "Actuator",
    "Coulomb",
    "FrictionLaw",
    "Gear",
    "Motor",
    "Slopes",
    "Viscous",
    "read",
    "write",
]

__getattr__ = names_of(__name__, _WHERE)
