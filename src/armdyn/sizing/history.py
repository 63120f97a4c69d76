"""Torque, speed, current and temperature of one motor and gear over a task, sample by sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.actuators.motor import Motor
from armdyn.actuators.thermal import Rises
from armdyn.sizing.gear_entry import CatalogueGear
from armdyn.sizing.load import JointLoad
from armdyn.sizing.temperature import periodic_rises
from armdyn.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class DriveHistory:
    """A motor with its gear over a task in periodic steady state, arrays of shape (samples,).

    Args:
        load: load of the joint.
        speed: speed of the motor, rad/s.
        torque: k_t I, N m.
        cold_current: current at the ambient temperature, A.
        cold_voltage: voltage without the inductance, at the ambient temperature, V.
        current: current of the warm motor, A.
        voltage: voltage of the warm motor, V.
        winding: temperature of the winding, degC; NaN without a thermal model.
        housing: temperature of the housing, degC; NaN without a thermal model.
        winding_rise: highest temperature rise of the winding above the ambient, K.
    """

    load: JointLoad
    speed: Array
    torque: Array
    cold_current: Array
    cold_voltage: Array
    current: Array
    voltage: Array
    winding: Array
    housing: Array
    winding_rise: float

    @property
    def t(self) -> Array:
        """Times, s, shape (samples,)."""
        return self.load.task.t

    @property
    def rms_current(self) -> float:
        """Root of the mean square of the warm current over the cycle, A."""
        return float(np.sqrt(self.load.task.weights @ self.current**2))


def drive_torque(load: JointLoad, motor: Motor, gear: CatalogueGear) -> Array:
    """k_t I = (I_rotor + I_gear) G qdd + L/G + friction of the shaft, N m, shape (samples,) (Modern Robotics 8.9.2).

    L is the link's torque, divided by eta if the joint drives its link, times eta_b if it is driven, plus the torque of
    the joint's friction.
    """
    G = gear.ratio
    power = load.link_torque * load.qd
    back = 1.0 if gear.back_efficiency is None else gear.back_efficiency
    factor = np.where(power > 0.0, 1.0 / gear.efficiency, np.where(power < 0.0, back, 1.0))
    passed = (factor * load.link_torque + load.friction_torque) / G
    w: Array = G * load.qd
    torque: Array = (motor.rotor_inertia + gear.inertia) * G * load.qdd + passed + motor.friction_torque(w)
    return torque


def drive_history(load: JointLoad, motor: Motor, gear: CatalogueGear) -> DriveHistory:
    """Every quantity of a motor and gear over a task."""
    return drive_histories(load, [(motor, gear)])[0]


def drive_histories(load: JointLoad, drives: Sequence[tuple[Motor, CatalogueGear]]) -> list[DriveHistory]:
    """The histories of several motors and gears over a task."""
    torques = np.stack([drive_torque(load, motor, gear) for motor, gear in drives])
    winding, housing = np.zeros((2, *torques.shape))
    warm = [k for k, (motor, _) in enumerate(drives) if motor.thermal is not None]
    if warm:
        rises = periodic_rises([drives[k][0] for k in warm], torques[warm], load.task.steps)
        winding[warm], housing[warm] = rises
    return [
        _history(load, motor, gear, torques[k], Rises(winding[k], housing[k])) for k, (motor, gear) in enumerate(drives)
    ]


def _history(load: JointLoad, motor: Motor, gear: CatalogueGear, torque: Array, rises: Rises) -> DriveHistory:
    w, cold = gear.ratio * load.qd, motor.at()
    current = cold.current(torque)
    ambient = np.nan if motor.thermal is None else motor.thermal.ambient
    with np.errstate(invalid="ignore"):  # motors whose temperature grows without bound
        warm = motor.at(*rises)
        warm_current = warm.current(torque)
        voltage = warm.voltage(warm_current, w)
    return DriveHistory(
        load, w, torque, current, cold.voltage(current, w), warm_current, voltage,
        ambient + rises.winding, ambient + rises.housing, float(rises.winding.max()),
    )  # fmt: skip
