"""Check of the motors of an arm over a task that is repeated forever: values, limits, margins, temperatures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from armdyn.actuators.flexible_joints import flexible_places
from armdyn.actuators.joint_motors import CONSTANTS, JointMotor, motors_of
from armdyn.actuators.motor import Motor
from armdyn.actuators.thermal import Rises
from armdyn.base.checks import number, places
from armdyn.base.errors import DTypeError, Unsupported, excerpt
from armdyn.base.tabular import Tabulated, TextTable
from armdyn.model.constraints import refuse_constraints
from armdyn.robot import Robot
from armdyn.sizing.arm_loads import AT_REST, check_belongs
from armdyn.sizing.judging import CRITERIA, ROUNDING
from armdyn.sizing.task import MotionCycle
from armdyn.sizing.temperature import periodic_rises
from armdyn.sizing.unsaid import notes_on_motor, notes_on_task
from armdyn.spatial.rotations import Array

OF_MOTORS = ("speed", "torque", "rms_torque", "current", "rms_current", "voltage", "winding", "warm_voltage")
"""Criteria for a motor; gears of actuators have no limits."""


@dataclass(frozen=True, eq=False)
class GivenDrive:
    """One motor over a task in periodic steady state, arrays of shape (samples,).

    Args:
        joint: name of its joint.
        motor: the motor at the joint.
        ratio: G, turns of the motor per turn of the joint.
        t: times of the task, s.
        speed: speed of the motor, rad/s.
        torque: k_t I, N m.
        current: current of the warm motor, A.
        voltage: voltage of the warm motor, without the inductance, V.
        winding: temperature of the winding, degC; NaN without a thermal model.
        housing: temperature of the housing, degC; NaN without a thermal model.
        values: values by criterion, in the units of `armdyn.sizing.CRITERIA`.
        limits: limits by criterion, infinite if the motor has none.
    """

    joint: str
    motor: Motor
    ratio: float
    t: Array
    speed: Array
    torque: Array
    current: Array
    voltage: Array
    winding: Array
    housing: Array
    values: Mapping[str, float]
    limits: Mapping[str, float]

    @property
    def margins(self) -> dict[str, float]:
        """1 - value/limit of each criterion with a limit: the unused fraction of the limit."""
        return {
            name: 1.0 - value / self.limits[name] if math.isfinite(value) else -math.inf
            for name, value in self.values.items()
            if math.isfinite(self.limits[name])
        }

    @property
    def least_margin(self) -> tuple[str, float] | None:
        """The criterion with the least margin, and that margin; None for a motor without limits."""
        margins = self.margins
        name = min(margins, key=margins.__getitem__, default=None)
        return None if name is None else (name, margins[name])

    @property
    def exceeded(self) -> list[str]:
        """The criteria that the motor fails, with numbers; empty if it fulfils the task."""
        return [
            f"{CRITERIA[name].what} is {self.values[name]:.4g} {CRITERIA[name].unit}, limit {self.limits[name]:.4g}"
            for name, margin in self.margins.items()
            if margin < -ROUNDING
        ]


@dataclass(frozen=True, eq=False)
class DriveCheck(Tabulated):
    """The motors of an arm over a task that is repeated forever; returned by `check`.

    Args:
        robot: the arm with its motors.
        task: one cycle.
        drives: results by joint.
        notes: remarks on the result, one sentence each.
    """

    robot: Robot
    task: MotionCycle
    drives: Mapping[str, GivenDrive]
    notes: tuple[str, ...]

    @property
    def does_it(self) -> bool:
        """True if every motor is within its limits."""
        return not any(drive.exceeded for drive in self.drives.values())

    def table(self) -> TextTable:
        """Each motor's largest values over the cycle, its steady-state winding temperature, and its least margin."""
        headings = (
            *("joint", "ratio", "torque [N m]", "rms torque [N m]", "speed [rad/s]", "rms current [A]", "voltage [V]"),
            *("winding [°C]", "limit [°C]", "least margin [%]", "of"),
        )
        rows = []
        for name, drive in self.drives.items():
            least, thermal = drive.least_margin, drive.motor.thermal
            hottest = None if thermal is None else float(drive.winding.max())
            limit = None if thermal is None or math.isinf(thermal.winding_limit) else thermal.winding_limit
            values = (drive.values[each] for each in ("torque", "rms_torque", "speed", "rms_current", "warm_voltage"))
            margin = (None, "no limits") if least is None else (100.0 * least[1], CRITERIA[least[0]].what)
            rows.append((name, drive.ratio, *values, hottest, limit, *margin))
        failing = [f"{name}: {reason}" for name, drive in self.drives.items() for reason in drive.exceeded]
        return TextTable.of(
            headings, rows, title=repr(self), below=[*failing, *(f"note: {note}" for note in self.notes)], digits=4
        )

    def __repr__(self) -> str:
        good = sum(not drive.exceeded for drive in self.drives.values())
        return (
            f"<DriveCheck of {self.robot.name!r}: {good} of {len(self.drives)} motors do the task of "
            f"{self.task.duration:g} s, repeated>"
        )


def check(
    robot: Robot,
    task: MotionCycle,
    *,
    joints: Sequence[str] | None = None,
    voltage: float | None = None,
    current: float | None = None,
) -> DriveCheck:
    """Check of the motors of an arm for a task that is repeated forever: margins, and steady-state temperatures, degC.

    Torques are those of `armdyn.Robot.inverse_dynamics` with the arm's own motors, gears, rotors and friction,
    k_t I = tau/G - cogging (Modern Robotics 8.9). The windings' temperatures are the fixed point of the cycle, with the
    resistance's rise; currents and voltages are those of warm motors.

    Args:
        robot: robot with motors that have torque constant and resistance.
        task: one cycle of motion of all joints.
        joints: names of the joints to check; by default all with motors.
        voltage: voltage of the supply, V, instead of the motors' own limit.
        current: current of the amplifiers, A, instead of the motors' own peak.

    Raises:
        UnknownName: a joint without a motor.
        ShapeError: a task of another number of joints.
        ModelError: a robot without motors, or motors without torque constant or resistance.
        Unsupported: a robot with constraints or flexible joints, or motors on coupled joints.

    >>> from armdyn.actuators import Actuator, Gear, Motor, MotorLimits
    >>> motor = Motor(torque_constant=0.1, resistance=1.0, limits=MotorLimits(voltage=24.0, current=5.0))
    >>> arm = armdyn.load("planar_2r")
    >>> arm = arm.with_actuators({joint: Actuator(motor, Gear(50.0)) for joint in arm.joint_names})
    >>> still = armdyn.sizing.MotionCycle.of_phases([1.0], np.zeros((1, 2)), np.zeros((1, 2)), np.zeros((1, 2)))
    >>> held = armdyn.sizing.check(arm, still).drives["joint_2"]
    >>> round(held.values["torque"], 4), held.exceeded, held.least_margin
    (0.1962, [], ('current', 0.6076))
    """
    if not isinstance(robot, Robot):
        raise DTypeError(f"robot is {excerpt(robot)}; expected an armdyn.Robot with motors")
    if not isinstance(task, MotionCycle):
        raise DTypeError(f"task is {excerpt(task)}; expected an armdyn.sizing.MotionCycle")
    refuse_constraints(robot.model, "check of drives", "armdyn.simulate and trajectory.drives(robot)")
    check_belongs(robot, task)
    if flexible_places(robot.model):
        raise Unsupported(
            f"check of drives of {robot.name!r}: the motors of its flexible joints move by the jerk and the snap of "
            "the task, which it does not have. robot.without_springs() has stiff joints"
        )
    drives = _motors_of_joints(robot, motors_of(robot.mechanism, *CONSTANTS), joints)
    qd = np.where(np.abs(task.qd) > AT_REST * np.abs(task.qd).max(axis=0), task.qd, 0.0)
    tau = robot.inverse_dynamics(task.q, qd, task.qdd, task.f_tip)
    result = {}
    for own in drives:
        name = robot.joint_names[own.coordinate]
        fed = own._replace(motor=_supplied(own.motor, voltage, current))
        result[name] = _over(name, fed, task, qd, tau)
    notes = [*notes_on_task(task, robot.joint_names)]
    for name, drive in result.items():
        notes += notes_on_motor(f"of {name}", drive.motor)
    return DriveCheck(robot, task, result, tuple(notes))


def _motors_of_joints(robot: Robot, drives: list[JointMotor], joints: Sequence[str] | None) -> list[JointMotor]:
    """The motors of these joints."""
    by_name = {robot.joint_names[own.coordinate]: own for own in drives}
    if joints is None:
        return list(by_name.values())
    owner = f"the motors of {robot.name!r}"
    return [list(by_name.values())[k] for k in places("joints", joints, tuple(by_name), "joint", owner)]


def _supplied(motor: Motor, voltage: float | None, current: float | None) -> Motor:
    """The motor with the limits of a supply and of an amplifier."""
    limits = motor.limits
    if voltage is not None:
        limits = replace(limits, voltage=number("voltage", voltage, above=0.0, unit="V"))
    if current is not None:
        peak = number("current", current, above=0.0, unit="A")
        limits = replace(limits, current=peak, continuous_current=min(limits.continuous_current, peak))
    return motor if limits is motor.limits else replace(motor, limits=limits)


def _over(name: str, own: JointMotor, task: MotionCycle, qd: Array, tau: Array) -> GivenDrive:
    """One motor over the task."""
    motor, cold = own.motor, own.motor.at()
    torque, w = own.motor_torque(tau.T, task.q.T), own.speed(qd.T)
    nothing = np.full(len(w), np.nan)
    rises, ambient = Rises(nothing, nothing), math.nan
    if motor.thermal is not None:
        rises = Rises(*(part[0] for part in periodic_rises([motor], torque[None], task.steps)))
        ambient = motor.thermal.ambient
    with np.errstate(invalid="ignore"):  # motors whose temperature grows without bound
        warm = cold if motor.thermal is None else motor.at(*rises)
        current = warm.current(torque)
        voltage = warm.voltage(current, w)
    values = {
        "speed": _largest(w),
        "torque": _largest(torque),
        "rms_torque": _rms(task, torque),
        "current": _largest(current),
        "rms_current": _rms(task, current),
        "voltage": _largest(cold.voltage(cold.current(torque), w)),
        "warm_voltage": _largest(voltage),
    }
    limits = {
        "speed": motor.limits.speed,
        "torque": motor.limits.torque,
        "rms_torque": cold.k_t * motor.limits.continuous_current,
        "current": motor.limits.current,
        "rms_current": motor.limits.continuous_current,
        "voltage": motor.limits.voltage,
        "warm_voltage": motor.limits.voltage,
    }
    if motor.thermal is not None:
        values["winding"], limits["winding"] = float(rises.winding.max()), motor.thermal.winding_limit - ambient
    return GivenDrive(
        name, motor, own.ratio, task.t, w, torque, current, voltage,
        ambient + rises.winding, ambient + rises.housing, values, limits,
    )  # fmt: skip


def _largest(values: Array) -> float:
    return float(np.abs(values).max())


def _rms(task: MotionCycle, values: Array) -> float:
    return float(np.sqrt(task.weights @ values**2))
