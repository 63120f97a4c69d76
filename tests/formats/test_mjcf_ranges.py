"""Ranges of controls and forces in MJCF files: of a DC motor's voltage the limit of its `Motor`, of others a note."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator

ARM = """<mujoco><worldbody><body><joint name="turn" axis="0 1 0"/><geom size="0.1" pos="0.3 0 0"/></body></worldbody>
<actuator>%s</actuator></mujoco>"""
MOTOR = '<dcmotor name="d" joint="turn" gear="20" motorconst="0.05 0" resistance="2" %s/>'
pytestmark = pytest.mark.skipif(not hasattr(mujoco.mjtGain, "mjGAIN_DCMOTOR"), reason="this MuJoCo has no dcmotor")


def read(folder: Path, actuator: str) -> armdyn.Robot:
    path = folder / "arm.xml"
    path.write_text(ARM % actuator, encoding="utf-8")
    return armdyn.Robot.from_mjcf(path)


@pytest.mark.parametrize(
    ("attributes", "voltage"),
    [
        ("", np.inf),
        ('ctrlrange="-24 24"', 24.0),
        ('ctrlrange="-24 24" ctrllimited="false"', np.inf),
        ('ctrlrange="-9 12"', 12.0),
        ('ctrlrange="-24 24" controller="0 0 0 0 0 18"', 18.0),
        ('ctrlrange="-3 3" input="pos" controller="1 0 0 0 0 18"', 18.0),
        ('ctrlrange="-3 3" input="pos" controller="1"', np.inf),
        ('input="none" lugre="100 1 0.1 0.2 0.05"', np.inf),
    ],
)
def test_the_range_of_a_voltage_is_its_limit(tmp_path: Path, attributes: str, voltage: float) -> None:
    actuator = read(tmp_path, MOTOR % attributes).joints[0].actuator
    assert isinstance(actuator, Actuator)
    assert actuator.motor is not None
    assert actuator.motor.limits.voltage == voltage


def test_a_motion_within_it_is_mujocos(tmp_path: Path) -> None:
    """At 30 V asked for, of which there are 24."""

    @armdyn.function("(n),(n)->(n)")
    def held(model: object, q: object, volts: object) -> object:
        return volts

    robot = read(tmp_path, MOTOR % 'ctrlrange="-24 24"')
    m = mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml"))
    m.opt.timestep, data = 1e-3, mujoco.MjData(m)
    data.ctrl[:] = 30.0
    mujoco.mj_step(m, data, nstep=100)
    driven = armdyn.control.through_motors(held, command="voltage")
    loop = armdyn.ClosedLoop(robot, driven, method=armdyn.simulation.SemiImplicitEuler(step=1e-3))
    final = loop([0.0], steps=100, volts=[30.0]).final
    np.testing.assert_allclose([final.q, final.qd], [data.qpos, data.qvel], rtol=1e-11)


@pytest.mark.parametrize(
    ("actuator", "numbers"),
    [
        (MOTOR % 'ctrlrange="-9 12"', "ctrlrange -9 to 12"),
        (MOTOR % 'ctrlrange="-3 3" input="pos" controller="1"', "kp 1, ctrlrange -3 to 3"),
        ('<motor name="d" joint="turn" gear="5" ctrlrange="-1 1"/>', "gear 5, ctrlrange -1 to 1"),
        ('<position name="d" joint="turn" kp="9" forcerange="-5 4"/>', "kp 9, forcerange -5 to 4"),
    ],
)
def test_other_ranges_are_noted(tmp_path: Path, actuator: str, numbers: str) -> None:
    assert f"not used of actuators: actuator 'd' (arm.xml:2) ({numbers})" in read(tmp_path, actuator).notes


def test_a_symmetric_range_of_a_voltage_is_no_note(tmp_path: Path) -> None:
    assert not any("ctrlrange" in note for note in read(tmp_path, MOTOR % 'ctrlrange="-24 24"').notes)
