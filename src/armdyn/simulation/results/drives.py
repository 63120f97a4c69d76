"""Torques, speeds, currents, voltages, powers and temperatures of the motors over a motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armdyn.actuators.bus_account import BusAccount
from armdyn.actuators.driven import CONSTANTS, Driven, motors_of
from armdyn.actuators.motor import Motor
from armdyn.actuators.supply import Supply
from armdyn.actuators.thermal import Rises
from armdyn.errors import DTypeError, ShapeError, shown
from armdyn.robot import Robot
from armdyn.simulation.results.motion_data import MotionData
from armdyn.simulation.results.with_robot import check_it_moved
from armdyn.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class DriveHistories:
    """The motors of a robot over a motion, in the order of the coordinates that they move.

    Args:
        joints: the coordinates' names.
        motors: at those joints.
        t: s, shape (T,).
        torque: k_t I, N m, shape (T, motors).
        speed: w of the rotors, rad/s, shape (T, motors).
        current: I of motors as warm as they are, A, shape (T, motors).
        winding: temperature, degC, shape (T, motors); NaN of motors without a thermal model.
        housing: temperature, degC, shape (T, motors); NaN likewise.
        voltage: k_t w + R I, without the inductance's part, V, shape (T, motors).
        power: electrical, V I, W, shape (T, motors); negative what they give back.
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

    def on(self, supply: Supply) -> BusAccount:
        """The powers of the drives on one supply, W."""
        if not isinstance(supply, Supply):
            raise DTypeError(f"supply is {shown(supply)}; expected an armdyn.actuators.Supply, such as Supply(48.0)")
        return supply.account(self.t, self.power, self.joints, self.voltage)


def drive_histories(trajectory: MotionData, robot: Robot) -> DriveHistories:
    """From the joint forces tau = G (k_t I + tau_cogging) and the motion of the rotors (Modern Robotics 8.9.1)."""
    check_it_moved(trajectory, robot)
    if trajectory.batch:
        raise ShapeError(f"the trajectory is a batch of shape {trajectory.batch}; pick one of its motions")
    drives = motors_of(robot.mechanism, *CONSTANTS)
    columns = [_history(own, trajectory) for own in drives]
    torque, speed, current, winding, housing, voltage = (
        np.stack(column, axis=-1) for column in zip(*columns, strict=True)
    )
    joints = tuple(trajectory.joint_names[own.coordinate] for own in drives)
    motors = tuple(own.motor for own in drives)
    return DriveHistories(
        joints, motors, trajectory.t, torque, speed, current, winding, housing, voltage, voltage * current
    )


def _history(own: Driven, trajectory: MotionData) -> Sequence[Array]:
    """Torque, speed, current, temperatures of winding and housing, and voltage of one motor."""
    motor, signals = own.motor, trajectory.signals
    theta, thetad = (signals.get(name, joints) for name, joints in (("theta", trajectory.q), ("thetad", trajectory.qd)))
    torque, w = own.motor_torque(trajectory.tau.T, theta.T), own.speed(thetad.T)
    if motor.thermal is None:
        current, none = motor.current(torque), np.full(len(w), np.nan)
        return torque, w, current, none, none, motor.voltage(current, w)
    rises = warming(motor, trajectory.t, torque)
    warm, ambient = motor.at(*rises), motor.thermal.ambient
    current = warm.current(torque)
    return torque, w, current, ambient + rises.winding, ambient + rises.housing, warm.voltage(current, w)


def warming(motor: Motor, t: Array, torque: Array) -> Rises:
    """How much warmer than the ambient a motor gets that begins as warm as that, K, shape (T,) each.

    In each interval the mean of I^2 of a torque that is linear in it heats the winding, with the k_t of its beginning;
    the step is exact, R(T) included.
    """
    a, b = torque[:-1], torque[1:]
    held = np.sqrt((a * a + a * b + b * b) / 3.0)
    rises = [Rises(0.0, 0.0)]
    for h, mean in zip(np.diff(t), held, strict=True):
        rises.append(motor.next_rises(rises[-1], motor.at(*rises[-1]).current(mean), h))
    return Rises(*np.array(rises, dtype=float).T)
