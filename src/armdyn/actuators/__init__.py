"""Actuators of joints: motors, gears, friction laws; each a class in a file with its data and its equations.

An `Actuator` becomes part of a robot by ``robot.with_actuators({"elbow": Actuator(...)})``; from then on every
algorithm counts it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armdyn.lazy import names_of
from armdyn.model.friction import FrictionLaw, Slopes

if TYPE_CHECKING:
    from armdyn.actuators.actuator import Actuator
    from armdyn.actuators.coulomb import Coulomb
    from armdyn.actuators.direction_dependent import DirectionDependent
    from armdyn.actuators.dry import DryFriction
    from armdyn.actuators.gear import Gear
    from armdyn.actuators.gear_loss import GearLoss
    from armdyn.actuators.lugre import LuGre
    from armdyn.actuators.motor import Motor
    from armdyn.actuators.quadratic import Quadratic
    from armdyn.actuators.servo_friction import ServoFriction
    from armdyn.actuators.sigmoid import Sigmoid
    from armdyn.actuators.smooth import Smooth
    from armdyn.actuators.static_kinetic import StaticKinetic
    from armdyn.actuators.stribeck import Stribeck
    from armdyn.actuators.viscous import Viscous

_WHERE = {
    "Actuator": "actuator",
    "Coulomb": "coulomb",
    "DirectionDependent": "direction_dependent",
    "DryFriction": "dry",
    "Gear": "gear",
    "GearLoss": "gear_loss",
    "LuGre": "lugre",
    "Motor": "motor",
    "Quadratic": "quadratic",
    "ServoFriction": "servo_friction",
    "Sigmoid": "sigmoid",
    "Smooth": "smooth",
    "StaticKinetic": "static_kinetic",
    "Stribeck": "stribeck",
    "Viscous": "viscous",
}

__all__ = [
    "Actuator",
    "Coulomb",
    "DirectionDependent",
    "DryFriction",
    "FrictionLaw",
    "Gear",
    "GearLoss",
    "LuGre",
    "Motor",
    "Quadratic",
    "ServoFriction",
    "Sigmoid",
    "Slopes",
    "Smooth",
    "StaticKinetic",
    "Stribeck",
    "Viscous",
]

__getattr__ = names_of(__name__, _WHERE)
