"""Brakes on the shafts of motors: friction while they are engaged, nothing while they are released."""

from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn import DTypeError, ModelError
from armdyn.actuators import Actuator, Brake, Coulomb, Gear, Motor, read, write

DRIVE = Actuator(Motor(1e-5, torque_constant=0.03), Gear(-50.0, efficiency=0.8), Coulomb(0.5), brake=Brake(0.4))
STATE = [0.3, -0.2], [0.4, -1.1], [2.0, 3.0]


def robot(state: str) -> armdyn.Robot:
    bare = armdyn.load("planar_2r").with_friction({"joint_1": (0.2, 0.0)})
    return bare.with_actuators({"joint_2": DRIVE.with_brake(state)})


def test_engaged_it_takes_its_torque_through_the_gear() -> None:
    """|G| torque against the motion of its joint, besides the joint's and the gear's own friction."""
    more = robot("engaged").inverse_dynamics(*STATE) - robot("released").inverse_dynamics(*STATE)
    np.testing.assert_allclose(more, [0.0, -50.0 * 0.4], atol=1e-13)
    without = Actuator(DRIVE.motor, DRIVE.gear, DRIVE.friction)
    np.testing.assert_array_equal(
        robot("released").inverse_dynamics(*STATE),
        robot("released").with_actuators({"joint_2": without}).inverse_dynamics(*STATE),
    )
    tau = robot("engaged").inverse_dynamics(*STATE)
    np.testing.assert_allclose(robot("engaged").forward_dynamics(*STATE[:2], tau), STATE[2], rtol=1e-11)


def test_it_replaces_nothing_that_the_joint_says() -> None:
    rubbing = armdyn.load("planar_2r").with_friction({"joint_2": (0.3, 1.5)})
    held = rubbing.with_actuators({"joint_2": Actuator(brake=Brake(7.0, "engaged"))})
    np.testing.assert_allclose(held.friction_forces(*STATE[:2])[1], -0.3 * 1.1 - 1.5 - 7.0, rtol=1e-14)
    assert not any(joint.rubs for joint in held.without_friction().model.joints)


def test_it_is_written_and_read_again(tmp_path: Path) -> None:
    engaged = robot("engaged")
    engaged.to_urdf(tmp_path / "arm.urdf")
    assert armdyn.load(tmp_path / "arm.urdf") == engaged
    write({"joint_2": DRIVE}, tmp_path / "drives.yaml")
    assert read(tmp_path / "drives.yaml") == {"joint_2": DRIVE}


def test_errors() -> None:
    with pytest.raises(ModelError, match=r"torque of Brake is 0; expected a number above zero, in N m"):
        Brake(0)
    with pytest.raises(ModelError, match="state of Brake is 'on'"):
        Brake(1.0, "on")
    with pytest.raises(DTypeError, match=r"brake is 4\.0; expected an armdyn\.actuators\.Brake"):
        Actuator(brake=4.0)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="the actuator has no brake; give it one"):
        Actuator(gear=Gear(2.0)).with_brake("engaged")
