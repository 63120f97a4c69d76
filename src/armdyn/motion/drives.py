"""Torques, speeds, currents, voltages, powers and temperatures of the motors over a motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armdyn.actuators.bus_account import BusAccount
from armdyn.actuators.joint_motors import CONSTANTS, JointMotor, motors_of
from armdyn.actuators.motor import Motor
from armdyn.actuators.supply import Supply
from armdyn.actuators.thermal import Rises
from armdyn.base.errors import DTypeError, ShapeError, excerpt
from armdyn.base.extras import extra
from armdyn.base.tabular import Tabulated, TextTable
from armdyn.motion.limits_passed import integral
from armdyn.motion.motion_data import MotionData
from armdyn.motion.with_robot import check_it_moved
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, eq=False)
class DriveHistories(Tabulated):
    """The motors of a robot over a motion, in the order of the coordinates that they move.

    Args:
        joints: the coordinates' names.
        motors: at those joints.
        t: s, shape (T,).
        torque: k_t I, N m, shape (T, motors).
        speed: w of the rotors, rad/s, shape (T, motors).
        current: I at the motors' temperatures, A, shape (T, motors); if recorded, at t.
        winding: temperature, degC, shape (T, motors); NaN for motors without a thermal model.
        housing: temperature, degC, shape (T, motors); NaN for motors without a thermal model.
        voltage: k_t w + R I, without the inductance's part, V, shape (T, motors); if recorded, the amplifier's in the
            step that begins at t.
        power: electrical, V I, W, shape (T, motors); negative if regenerated; if recorded, that of the step.
    """

    joints: tuple[str, ...]
    motors: tuple[Motor, ...]
    t: Array
    torque: Array
    speed: Array
    current: Array
    winding: Array
    housing: Array
    voltage: Array
    power: Array

    def table(self) -> TextTable:
        """The largest values of each motor over the motion, the rms current and the energies; one row each."""
        headings = (
            *("joint", "torque [N m]", "speed [rad/s]", "current [A]", "rms current [A]", "voltage [V]", "power [W]"),
            *("taken [J]", "given back [J]", "winding [°C]", "housing [°C]"),
        )
        rows = [
            (
                joint,
                *(_largest(values[:, k]) for values in (self.torque, self.speed, self.current)),
                float(np.sqrt(_mean(self.t, self.current[:, k] ** 2))),
                *(_largest(values[:, k]) for values in (self.voltage, self.power)),
                *(_mean(self.t, np.maximum(sign * self.power[:, k], 0.0)) * self.duration for sign in (1.0, -1.0)),
                *(_warmest(values[:, k]) for values in (self.winding, self.housing)),
            )
            for k, joint in enumerate(self.joints)
        ]
        return TextTable.of(headings, rows, title=repr(self), digits=4)

    def to_dataframe(self) -> DataFrame:
        """The histories as a ``pandas.DataFrame``: t, torque_JOINT, ...; ``attrs["units"]`` has the columns' units.

        Raises:
            MissingLibrary: if pandas is not installed.
        """
        columns, units = {"t": self.t}, {"t": "s"}
        for name, unit in UNITS.items():
            for k, joint in enumerate(self.joints):
                columns[f"{name}_{joint}"], units[f"{name}_{joint}"] = getattr(self, name)[:, k], unit
        frame = extra("pandas", "to_dataframe").DataFrame(columns)
        frame.attrs["units"] = units
        return frame

    @property
    def duration(self) -> float:
        """Duration of the motion, s."""
        return float(self.t[-1] - self.t[0])

    def __repr__(self) -> str:
        return f"<DriveHistories of {len(self.joints)} motors over {self.duration:g} s, {len(self.t)} times>"

    def on(self, supply: Supply) -> BusAccount:
        """The powers of the drives on one supply, W."""
        if not isinstance(supply, Supply):
            raise DTypeError(f"supply is {excerpt(supply)}; expected an armdyn.actuators.Supply, such as Supply(48.0)")
        return supply.account(self.t, self.power, self.joints, self.voltage)


UNITS = {
    "torque": "N m",
    "speed": "rad/s",
    "current": "A",
    "voltage": "V",
    "power": "W",
    "winding": "degC",
    "housing": "degC",
}

RECORDED = ("current", "winding_rise", "housing_rise", "voltage", "electrical_power")
"""Signals of a loop whose joint forces come by `armdyn.control.through_motors`: states at t, and results of a step."""

FITS = 0.02
"""A recorded current fits a motor if the median torque error, over the largest torque, is at most this."""


def _largest(values: Array) -> float:
    return float(np.abs(values).max())


def _warmest(values: Array) -> float | None:
    return None if np.isnan(values).all() else float(np.nanmax(values))


def _mean(t: Array, values: Array) -> float:
    """The mean over time, by trapezia; of one time its value."""
    lasts = float(t[-1] - t[0])
    return integral(t, values) / lasts if lasts > 0.0 else float(values[0])


def drive_histories(trajectory: MotionData, robot: Robot) -> DriveHistories:
    """Torques, speeds, currents, temperatures, voltages and powers of the motors over time (Modern Robotics 8.9).

    The torques are those that gave the motion its joint forces, tau = G (k_t I + tau_cogging). A motion of a loop under
    `armdyn.control.through_motors` has signals of the motors' currents, temperatures, voltages and powers, which
    are returned unchanged, unless they do not fit the torques of the robot's motor, which is then not the one that
    ran. Its currents, and those of any other motion, are the torque over k_t, and windings and housings begin at
    ambient temperature. The rotors of flexible joints have the motion of the signals theta and thetad.

    Args:
        trajectory: the motion.
        robot: the robot that moved, with its motors.

    Raises:
        ShapeError: a robot of other joints, or a batch.
        ModelError: a robot without motors, or a motor without torque constant or resistance.
        Unsupported: motors on coupled joints whose torques do not follow from the motion.
    """
    check_it_moved(trajectory, robot)
    if trajectory.batch:
        raise ShapeError(f"the trajectory is a batch of shape {trajectory.batch}; pick one of its motions")
    drives = motors_of(robot.mechanism, *CONSTANTS)
    columns = [_history(own, trajectory) for own in drives]
    joints = tuple(trajectory.joint_names[own.coordinate] for own in drives)
    motors = tuple(own.motor for own in drives)
    return DriveHistories(
        joints, motors, trajectory.t, *(np.stack(column, axis=-1) for column in zip(*columns, strict=True))
    )


def _history(own: JointMotor, trajectory: MotionData) -> Sequence[Array]:
    """Torque, speed, current, temperatures of winding and housing, voltage and power of one motor."""
    motor, signals = own.motor, trajectory.signals
    theta, thetad = (signals.get(name, joints) for name, joints in (("theta", trajectory.q), ("thetad", trajectory.qd)))
    torque, w = own.motor_torque(trajectory.tau.T, theta.T), own.speed(thetad.T)
    none = np.full(len(w), np.nan)
    if (recorded := _recorded(own, trajectory, torque)) is not None:
        current, rises, voltage, power = recorded
    else:
        rises = Rises(none, none) if motor.thermal is None else warming(motor, trajectory.t, torque)
        warm = motor if motor.thermal is None else motor.at(*rises)
        current = warm.current(torque)
        voltage = warm.voltage(current, w)
        power = voltage * current
    if motor.thermal is None:
        return torque, w, current, none, none, voltage, power
    ambient = motor.thermal.ambient
    return torque, w, current, ambient + rises.winding, ambient + rises.housing, voltage, power


def _recorded(own: JointMotor, trajectory: MotionData, torque: Array) -> tuple[Array, Rises, Array, Array] | None:
    """Recorded current, rises, voltage and power of a motor; None if they are missing or belong to another motor.

    The current that acted in a step is its power over its voltage. While the torque is at its limit, the current is
    larger than the one that follows from the torque.
    """
    motor, signals = own.motor, trajectory.signals
    if any(name not in signals or signals[name].shape != trajectory.q.shape for name in RECORDED):
        return None
    current, winding, housing, voltage, power = (signals[name][:, own.coordinate] for name in RECORDED)
    if current.any() and winding.any() != (motor.thermal is not None):
        return None
    warm, fed = motor if motor.thermal is None else motor.at(winding, housing), voltage != 0.0
    acted = np.divide(power, voltage, out=np.zeros_like(power), where=fed)
    off = abs(np.clip(warm.torque(acted), -motor.limits.torque, motor.limits.torque) - torque)[fed]
    if off.size and not np.median(off) <= FITS * abs(torque).max():
        return None
    return current, Rises(winding, housing), voltage, power


def warming(motor: Motor, t: Array, torque: Array) -> Rises:
    """Temperature rises above ambient of winding and housing that begin at ambient temperature, K, shape (T,) each.

    The torque is linear in each interval; the mean of its I^2, with the k_t at the beginning, heats the winding. The
    step is exact, R(T) included.
    """
    a, b = torque[:-1], torque[1:]
    rms = np.sqrt((a * a + a * b + b * b) / 3.0)
    rises = [Rises(0.0, 0.0)]
    for h, mean in zip(np.diff(t), rms, strict=True):
        rises.append(motor.next_rises(rises[-1], motor.at(*rises[-1]).current(mean), h))
    return Rises(*np.array(rises, dtype=float).T)
