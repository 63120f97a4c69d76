"""Actuators of joints: motors, gears, friction laws; each a class in a file with its data and its equations.

A `Motor` is made of numbers, `MotorLimits`, `Cogging` and `Thermal`, or read from its data sheet.

An `Actuator` becomes part of a robot by ``robot.with_actuators({"elbow": Actuator(...)})``; from then on every
algorithm counts it. `read` has them from a file, `write` makes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armdyn.base.lazy import names_of
from armdyn.model.balancer import Balancer
from armdyn.model.friction import FrictionLaw, Slopes
from armdyn.model.motor_parts import Rotor, Stator
from armdyn.model.parallel_spring import JointSpring, ParallelSpring
from armdyn.model.passive import Passive

if TYPE_CHECKING:
    from armdyn.actuators.actuator import Actuator
    from armdyn.actuators.bouc_wen import BoucWen
    from armdyn.actuators.brake import Brake
    from armdyn.actuators.bus_account import BusAccount, Overload, Shortage
    from armdyn.actuators.cogging import Cogging
    from armdyn.actuators.coulomb import Coulomb
    from armdyn.actuators.data_sheet import DataSheetError
    from armdyn.actuators.direction_dependent import DirectionDependent
    from armdyn.actuators.dry import DryFriction
    from armdyn.actuators.file import read, write
    from armdyn.actuators.flexible_dynamics import (
        flexible_forward_dynamics,
        flexible_kinetic_energy,
        flexible_motion,
        flexible_multipliers,
        spring_deflections,
        spring_energy,
    )
    from armdyn.actuators.flexible_inverse_dynamics import FlexibleInverseDynamics, flexible_inverse_dynamics
    from armdyn.actuators.gear import Gear
    from armdyn.actuators.gear_loss import GearLoss
    from armdyn.actuators.limits import MotorLimits
    from armdyn.actuators.lugre import LuGre
    from armdyn.actuators.maxwell_slip import MaxwellSlip
    from armdyn.actuators.motor import Motor
    from armdyn.actuators.motor_functions import (
        current_commands,
        electrical_power,
        forces_of_currents,
        motor_currents,
        motor_torques,
        motor_voltages,
    )
    from armdyn.actuators.quadratic import Quadratic
    from armdyn.actuators.servo_friction import ServoFriction
    from armdyn.actuators.sigmoid import Sigmoid
    from armdyn.actuators.smooth import Smooth
    from armdyn.actuators.spring import Spring
    from armdyn.actuators.static_kinetic import StaticKinetic
    from armdyn.actuators.stribeck import Stribeck
    from armdyn.actuators.supply import Supply
    from armdyn.actuators.thermal import Rises, Thermal
    from armdyn.actuators.vibration import FlexibleStiffness, VibrationModes, flexible_stiffness, vibration_modes
    from armdyn.actuators.viscous import Viscous
    from armdyn.actuators.with_state import FrictionWithState

_WHERE = {
    "Actuator": "actuator",
    "BoucWen": "bouc_wen",
    "Brake": "brake",
    "BusAccount": "bus_account",
    "Cogging": "cogging",
    "Coulomb": "coulomb",
    "DataSheetError": "data_sheet",
    "DirectionDependent": "direction_dependent",
    "DryFriction": "dry",
    "FlexibleInverseDynamics": "flexible_inverse_dynamics",
    "FrictionWithState": "with_state",
    "Gear": "gear",
    "GearLoss": "gear_loss",
    "LuGre": "lugre",
    "MaxwellSlip": "maxwell_slip",
    "Motor": "motor",
    "MotorLimits": "limits",
    "Overload": "bus_account",
    "Quadratic": "quadratic",
    "Rises": "thermal",
    "ServoFriction": "servo_friction",
    "Shortage": "bus_account",
    "Sigmoid": "sigmoid",
    "Smooth": "smooth",
    "Spring": "spring",
    "StaticKinetic": "static_kinetic",
    "Stribeck": "stribeck",
    "Supply": "supply",
    "Thermal": "thermal",
    "Viscous": "viscous",
    **dict.fromkeys(
        (
            "flexible_forward_dynamics",
            "flexible_kinetic_energy",
            "flexible_motion",
            "flexible_multipliers",
            "spring_deflections",
            "spring_energy",
        ),
        "flexible_dynamics",
    ),
    "flexible_inverse_dynamics": "flexible_inverse_dynamics",
    **dict.fromkeys(
        (
            "current_commands",
            "electrical_power",
            "forces_of_currents",
            "motor_currents",
            "motor_torques",
            "motor_voltages",
        ),
        "motor_functions",
    ),
    **dict.fromkeys(("FlexibleStiffness", "VibrationModes", "flexible_stiffness", "vibration_modes"), "vibration"),
    "read": "file",
    "write": "file",
}

__all__ = [
    "Actuator",
    "Balancer",
    "BoucWen",
    "Brake",
    "BusAccount",
    "Cogging",
    "Coulomb",
    "DataSheetError",
    "DirectionDependent",
    "DryFriction",
    "FlexibleInverseDynamics",
    "FlexibleStiffness",
    "FrictionLaw",
    "FrictionWithState",
    "Gear",
    "GearLoss",
    "JointSpring",
    "LuGre",
    "MaxwellSlip",
    "Motor",
    "MotorLimits",
    "Overload",
    "ParallelSpring",
    "Passive",
    "Quadratic",
    "Rises",
    "Rotor",
    "ServoFriction",
    "Shortage",
    "Sigmoid",
    "Slopes",
    "Smooth",
    "Spring",
    "StaticKinetic",
    "Stator",
    "Stribeck",
    "Supply",
    "Thermal",
    "VibrationModes",
    "Viscous",
    "current_commands",
    "electrical_power",
    "flexible_forward_dynamics",
    "flexible_inverse_dynamics",
    "flexible_kinetic_energy",
    "flexible_motion",
    "flexible_multipliers",
    "flexible_stiffness",
    "forces_of_currents",
    "motor_currents",
    "motor_torques",
    "motor_voltages",
    "read",
    "spring_deflections",
    "spring_energy",
    "vibration_modes",
    "write",
]

__getattr__ = names_of(__name__, _WHERE)
