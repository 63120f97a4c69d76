"""Motors that an arm has, over a task that is repeated for ever: margins and steady temperatures."""

from __future__ import annotations

import csv
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import sizing
from armdyn.actuators import Actuator, Gear, Motor, MotorLimits, Spring, Thermal

Shell = Callable[..., Any]
THERMAL = Thermal(1.2, 4.0, 3.5, 300.0, ambient=20.0, winding_limit=110.0)
LIMITS = MotorLimits(voltage=24.0, current=9.0, continuous_current=4.0, speed=500.0, torque=0.4)
MOTOR = Motor(
    torque_constant=0.05,
    resistance=0.6,
    rotor_inertia=2e-5,
    friction=0.004,
    damping=1e-6,
    limits=LIMITS,
    thermal=THERMAL,
)


def held(seconds: float = 1.0, q: tuple[float, float] = (0.0, 0.0)) -> sizing.MotionCycle:
    return sizing.MotionCycle.of_phases([seconds], [q], np.zeros((1, 2)), np.zeros((1, 2)))


def arm(*, motor: Motor = MOTOR, gear: Gear | None = None) -> armdyn.Robot:
    robot = armdyn.load("planar_2r")
    return robot.with_actuators({joint: Actuator(motor, gear or Gear(100.0)) for joint in robot.joint_names})


def test_a_held_arm_is_as_warm_as_its_heat_and_resistance_make_it() -> None:
    """theta = R_th I^2 R (1 + a theta): the winding's resistance rises with it, the torque g/G stays the same."""
    drive = sizing.check(arm(), held()).drives["joint_2"]
    torque = 9.81 / 100.0
    assert drive.values["torque"] == pytest.approx(torque, rel=1e-12)
    heat, R_th = (torque / 0.05) ** 2, 1.2 + 3.5
    R0, a = 0.6 * (1.0 + THERMAL.resistance_coefficient * (20.0 - 25.0)), 0.6 * THERMAL.resistance_coefficient
    rise = R_th * heat * R0 / (1.0 - R_th * heat * a)
    np.testing.assert_allclose(drive.winding, 20.0 + rise, rtol=1e-9)
    np.testing.assert_allclose(drive.housing, 20.0 + rise * 3.5 / R_th, rtol=1e-9)
    assert drive.values["winding"] == pytest.approx(rise, rel=1e-9)
    assert drive.margins["winding"] == pytest.approx(1.0 - rise / 90.0, rel=1e-9)
    assert drive.margins["rms_current"] == pytest.approx(1.0 - torque / 0.05 / 4.0, rel=1e-12)
    assert drive.values["warm_voltage"] == pytest.approx((R0 + a * rise) * torque / 0.05, rel=1e-9)
    assert drive.least_margin == min(drive.margins.items(), key=lambda item: item[1])


def swing() -> sizing.MotionCycle:
    t = np.linspace(0.0, 2.0, 201)
    far, angle = np.linspace(0.6, 1.0, 6), np.pi * t[:, None]
    rates = far * np.pi * np.sin(angle), far * np.pi**2 * np.cos(angle)
    return sizing.MotionCycle(t, far * (1 - np.cos(angle)), *rates).then_hold(1.0)


def test_drives_of_a_sizing_are_judged_as_there() -> None:
    """By another way: the sizing adds loads, friction and gear up; here it is inverse dynamics with the actuators."""
    found = sizing.size(armdyn.load("ur5"), swing(), voltage=48.0, joints=["elbow_joint", "wrist_2_joint"])
    checked = sizing.check(found.robot_with_drives(), swing(), voltage=48.0)
    for name, joint in found.joints.items():
        history, drive = joint.history(joint.best), checked.drives[name]
        for quantity in ("torque", "speed", "current", "voltage", "winding", "housing"):
            expected = getattr(history, quantity)
            largest = np.abs(expected).max()
            np.testing.assert_allclose(getattr(drive, quantity), expected, rtol=0, atol=1e-12 * largest)
        assert drive.values["rms_current"] == pytest.approx(history.rms_current, rel=1e-12)
        assert drive.exceeded == []
    assert checked.does_it
    assert sizing.check(found.robot_with_drives(), swing(), joints=["wrist_2_joint"]).drives.keys() == {"wrist_2_joint"}


def test_a_cycle_begins_as_it_ends_and_the_same_as_a_long_run() -> None:
    """After minutes of swings the integrator's temperatures are those of the steady cycle."""
    t = np.linspace(0.0, 2.0, 21)
    angle = np.pi * t[:, None] + np.array([0.0, 1.0])
    task = sizing.MotionCycle(t, 0.5 * np.sin(angle), 0.5 * np.pi * np.cos(angle), -0.5 * np.pi**2 * np.sin(angle))
    light = dataclasses.replace(MOTOR, thermal=dataclasses.replace(THERMAL, housing_capacity=2.0))
    robot = arm(motor=light, gear=Gear(200.0, efficiency=0.8))
    drive = sizing.check(robot, task).drives["joint_1"]
    assert drive.winding[0] == pytest.approx(drive.winding[-1], rel=1e-9)
    rises = armdyn.actuators.Rises(0.0, 0.0)
    current = np.sqrt(0.5 * (drive.current[:-1] ** 2 + drive.current[1:] ** 2))
    for _ in range(400):
        for h, now in zip(np.diff(t), current, strict=True):
            rises = light.next_rises(rises, now, h)
    assert 20.0 + rises.winding == pytest.approx(drive.winding[-1], rel=1e-9)


def test_limits_of_supply_and_amplifier_and_what_fails() -> None:
    checked = sizing.check(arm(), held(), current=1.5, voltage=0.5)
    assert not checked.does_it
    drive = checked.drives["joint_1"]
    assert drive.limits["current"] == drive.limits["rms_current"] == 1.5
    assert "peak current is 5.886 A, limit 1.5" in drive.exceeded
    assert "peak voltage, warm" in " ".join(drive.exceeded)
    text = str(checked)
    assert "joint_1: peak current is 5.886 A, limit 1.5" in text
    assert "1 of 2 motors do the task" not in text
    frame = checked.to_dataframe()
    assert frame["least margin [%]"][0] == 100.0 * drive.least_margin[1]  # type: ignore[index]


def test_a_winding_that_heats_up_without_end_fails() -> None:
    hot = Motor(torque_constant=0.02, resistance=0.6, thermal=Thermal(3.0, 4.0, 9.0, 300.0, winding_limit=120.0))
    drive = sizing.check(arm(motor=hot), held()).drives["joint_1"]
    assert drive.margins["winding"] == -np.inf
    assert any(text.startswith("temperature of the winding above the ambient is inf K") for text in drive.exceeded)


def test_joints_brakes_and_friction_count_as_the_robot_has_them() -> None:
    robot = arm().with_friction({"joint_2": (0.3, 0.7)})
    t = np.linspace(0.0, 1.0, 11)
    ramp = np.stack([0 * t, t], axis=1)
    drive = sizing.check(robot, sizing.MotionCycle(t, ramp, ramp * 0 + [0.0, 1.0], 0 * ramp, jumps=True)).drives[
        "joint_2"
    ]
    shaft = 0.004 + 1e-6 * 100.0
    expected = (9.81 * np.cos(t) + 0.3 + 0.7) / 100.0 + shaft
    np.testing.assert_allclose(drive.torque, expected, rtol=1e-12)


def test_temperatures_of_a_repeated_cycle_are_those_of_one_body_in_closed_form(shell: Shell, tmp_path: Path) -> None:
    """Heat P for t1, none for t2: theta = R P (1 - e1)/(1 - e1 e2) at the end of t1, with e = exp(-t/(R C))."""
    R_th, capacity, heated, idle = 3.0, 20.0, 7.0, 11.0
    thermal = Thermal(R_th, capacity, ambient=30.0, winding_limit=130.0, resistance_coefficient=0.0)
    motor = Motor(torque_constant=0.05, resistance=0.6, limits=MotorLimits(current=9.0), thermal=thermal)
    robot = arm(motor=motor, gear=Gear(50.0))
    e1, e2 = np.exp(-heated / (R_th * capacity)), np.exp(-idle / (R_th * capacity))
    steady = R_th * 0.6 * (np.array([3.0, 1.0]) * 9.81 / 50.0 / 0.05) ** 2
    warmest = steady * (1.0 - e1) / (1.0 - e1 * e2)
    cooled = warmest * e2
    q = np.array([[0.0, 0.0], [0.0, 0.0], [np.pi / 2, 0.0], [np.pi / 2, 0.0]])
    t = np.array([0.0, heated, heated + 1e-9, heated + idle])  # stretched out, then upright without load
    judged = sizing.check(robot, sizing.MotionCycle(t, q, 0.0 * q, 0.0 * q))
    for name, high, low in zip(robot.joint_names, warmest, cooled, strict=True):
        drive = judged.drives[name]
        np.testing.assert_allclose(drive.winding, 30.0 + np.array([low, high, high, low]), rtol=1e-8)
        assert drive.margins["winding"] == pytest.approx(1.0 - high / 100.0, rel=1e-8)
    armdyn.actuators.write({joint.name: joint.actuator for joint in robot.model.joints}, tmp_path / "drives.yaml")
    names = [f"{quantity}_{joint}" for quantity in ("q", "qd", "qdd") for joint in robot.joint_names]
    with (tmp_path / "motion.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["t", *names], *np.column_stack([t, q, 0.0 * q, 0.0 * q]).tolist()])
    words = ("planar_2r", "--actuators", str(tmp_path / "drives.yaml"), "--motion", str(tmp_path / "motion.csv"))
    printed = json.loads(shell("size", *words, "--check", "--json").out)["drives"]
    for name, high in zip(robot.joint_names, warmest, strict=True):
        assert printed[name]["values"]["winding"] == pytest.approx(high, rel=1e-8)
        assert printed[name]["margins"]["winding"] == pytest.approx(1.0 - high / 100.0, rel=1e-8)
    said = shell("size", *words, "--check", columns=200)
    assert said.code == (0 if judged.does_it else 1)
    assert f"{30.0 + warmest[1]:.4g}" in said.out


def test_what_is_refused() -> None:
    with pytest.raises(armdyn.ModelError, match="'planar_2r' has no motors"):
        sizing.check(armdyn.load("planar_2r"), held())
    with pytest.raises(armdyn.UnknownName, match="joint_3"):
        sizing.check(arm(), held(), joints=["joint_3"])
    with pytest.raises(armdyn.ShapeError, match="the task has 6 joints; expected 2"):
        sizing.check(arm(), swing())
    sprung = armdyn.load("planar_2r").with_actuators({"joint_2": Actuator(MOTOR, Gear(10.0), spring=Spring(100.0))})
    with pytest.raises(armdyn.Unsupported, match="flexible joints move by the jerk"):
        sizing.check(sprung, held())


def test_the_command(shell: Shell, tmp_path: Path) -> None:
    robot = arm()
    armdyn.actuators.write({joint.name: joint.actuator for joint in robot.model.joints}, tmp_path / "drives.yaml")
    t = np.linspace(0.0, 1.0, 11)
    names = [f"{quantity}_{joint}" for quantity in ("q", "qd", "qdd") for joint in robot.joint_names]
    with (tmp_path / "motion.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["t", *names], *np.column_stack([t, np.zeros((11, 6))]).tolist()])
    words = (
        "planar_2r",
        "--actuators",
        str(tmp_path / "drives.yaml"),
        "--motion",
        str(tmp_path / "motion.csv"),
        "--check",
    )
    said = shell("size", *words, columns=200)
    assert said.code == 1  # joint_1 is too warm, and a task that is not done is exit code 1, as without --check
    assert "Motors of planar_2r for 1 s, repeated" in said.out
    assert "limit: joint_1: root mean square current is 5.886 A, limit 4" in said.out
    found = json.loads(shell("size", *words, "--json").out)["drives"]
    assert found["joint_2"]["margins"]["rms_current"] == pytest.approx(1.0 - 1.962 / 4.0, rel=1e-9)
    said = shell("size", *words, "--gears", str(tmp_path / "drives.yaml"), "--bare")
    assert said.code == 2
    assert "--check judges the motors that the arm has; leave --gears, --bare out" in said.err
