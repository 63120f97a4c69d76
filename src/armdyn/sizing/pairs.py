"""All pairs of motors and gears as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from armdyn.actuators.motor import Motor
from armdyn.sizing.gear_entry import CatalogueGear
from armdyn.sizing.load import ACCELERATION, DRIVING, NOT_DRIVEN, OUTPUT, SIGN, SPEED
from armdyn.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class Motors:
    """Parameters of motors as arrays of one shape; constants are those at the ambient temperature."""

    torque_constant: Array
    resistance: Array
    rotor_inertia: Array
    friction: Array
    damping: Array
    mass: Array
    speed_limit: Array
    torque_limit: Array
    current_limit: Array
    continuous_current: Array
    voltage_limit: Array
    to_ambient: Array
    winding_capacity: Array
    hottest_rise: Array
    feedback: Array
    """Increase of the heat per K of the winding, as a fraction of the heat at the ambient temperature, 1/K."""
    warms: Array
    """Mask of motors whose constants depend on the temperature of the magnets."""

    @classmethod
    def of(cls, motors: Sequence[Motor]) -> Motors:
        """The parameters of a sequence of motors, shape (motors, 1)."""
        rows = [_numbers(motor) for motor in motors]
        return cls(*(np.array(column)[:, None] for column in zip(*rows, strict=True)))


def _numbers(motor: Motor) -> tuple[float, ...]:
    limits, thermal, cold = motor.limits, motor.thermal, motor.at()
    warm = (np.inf, np.inf, np.inf, 0.0, False)
    if thermal is not None:
        feedback = thermal.resistance_coefficient / float(thermal.resistance_factor(0.0))
        rise = thermal.winding_limit - thermal.ambient
        warm = (thermal.to_ambient, thermal.winding_capacity, rise, feedback, thermal.magnet_coefficient != 0.0)
    return (
        *(cold.k_t, cold.R, motor.rotor_inertia, motor.friction, motor.damping, motor.mass),
        *(limits.speed, limits.torque, limits.current, limits.continuous_current, limits.voltage, *warm),
    )


@dataclass(frozen=True, eq=False)
class Gears:
    """Parameters of gears as arrays of one shape."""

    ratio: Array
    mass: Array
    inertia: Array
    efficiency: Array
    back_efficiency: Array
    rated_torque: Array
    peak_torque: Array
    momentary_torque: Array
    maximum_input_speed: Array
    average_input_speed: Array

    @classmethod
    def of(cls, gears: Sequence[CatalogueGear]) -> Gears:
        """The parameters of a sequence of gears, shape (1, gears)."""
        return cls(*(np.array([getattr(gear, each.name) for gear in gears])[None, :] for each in fields(cls)))


@dataclass(frozen=True, eq=False)
class Pairs:
    """All motors with all gears; arrays of both broadcast to shape (motors, gears)."""

    motors: Motors
    gears: Gears

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of motors and gears."""
        return self.motors.mass.shape[0], self.gears.mass.shape[1]

    @property
    def G(self) -> Array:
        """The absolute value of the ratio; its sign changes the direction of the motor, not magnitudes."""
        return np.abs(self.gears.ratio)

    @property
    def inertia(self) -> Array:
        """Inertia of rotor and gear, on the motor's shaft, kg m^2."""
        return self.motors.rotor_inertia + self.gears.inertia

    @property
    def mass(self) -> Array:
        """Mass of motor and gear, kg."""
        return self.motors.mass + self.gears.mass

    def torque_coefficients(self) -> Array:
        """Coefficients x_i of k_t I = sum_i x_i z_i with z_i of `JointLoad.features`, shape (6, motors, gears)."""
        gears, motors, G = self.gears, self.motors, self.G
        x = np.empty((6, *self.shape))
        x[OUTPUT], x[NOT_DRIVEN] = gears.back_efficiency / G, (1.0 - gears.back_efficiency) / G
        x[DRIVING] = (1.0 / gears.efficiency - 1.0) / G
        x[SIGN], x[SPEED], x[ACCELERATION] = motors.friction, G * motors.damping, G * self.inertia
        return x

    def voltage_coefficients(self, torque: Array, resistance: Array) -> Array:
        """Coefficients x_i of V = k_t w + (R/k_t) k_t I = sum_i x_i z_i, from those of the torque."""
        x: Array = torque * (resistance / self.motors.torque_constant)
        x[SPEED] += self.motors.torque_constant * self.G
        return x
