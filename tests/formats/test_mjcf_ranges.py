"""Ranges of controls and forces in MJCF files: limits of a DC motor's voltage, of a joint's effort, or a note."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator

ARM = """<mujoco><worldbody><body><joint name="turn" axis="0 1 0"/><geom size="0.1" pos="0.3 0 0"/> <site name="at"/>
</body></worldbody><actuator>%s</actuator></mujoco>"""
MOTOR = '<dcmotor name="d" joint="turn" gear="20" motorconst="0.05 0" resistance="2" %s/>'
pytestmark = [
    pytest.mark.skipif(not hasattr(mujoco.mjtGain, "mjGAIN_DCMOTOR"), reason="this MuJoCo has no dcmotor"),
    pytest.mark.usefixtures("compiled_here"),
]


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
        ('<position name="d" joint="turn" kp="9" ctrlrange="-1 1"/>', "kp 9, ctrlrange -1 to 1"),
        ('<motor name="d" site="at" gear="1 0 0 0 0 0" forcerange="-5 4"/>', "forcerange -5 to 4"),
    ],
)
def test_other_ranges_are_noted(tmp_path: Path, actuator: str, numbers: str) -> None:
    assert f"not used of actuators: actuator 'd' (arm.xml:2) ({numbers})" in read(tmp_path, actuator).notes


@pytest.mark.parametrize(
    ("joint", "actuators", "effort"),
    [
        ("", '<motor joint="turn" gear="-5" ctrlrange="-2 2"/>', 10.0),
        ("", '<motor joint="turn" gear="5" ctrlrange="-2 2" forcerange="-1 1"/>', 5.0),
        ("", '<motor joint="turn" gear="5" ctrlrange="-2 2" ctrllimited="false"/>', np.inf),
        ("", '<general joint="turn" gainprm="3" dyntype="filter" ctrlrange="-2 2"/>', 6.0),
        ("", '<general joint="turn" gainprm="3" dyntype="integrator" ctrlrange="-2 2"/>', np.inf),
        ("", '<position joint="turn" kp="9" ctrlrange="-2 2" forcerange="-7 7"/>', 7.0),
        ("", '<motor joint="turn" ctrlrange="-2 2"/><motor joint="turn" gear="2" ctrlrange="-3 3"/>', 8.0),
        ("", '<motor joint="turn" ctrlrange="-2 2"/><motor joint="turn"/>', np.inf),
        ('actuatorfrcrange="-5 5"', '<motor joint="turn" ctrlrange="-2 2"/><motor joint="turn"/>', 5.0),
        ('actuatorfrcrange="-5 5"', '<motor joint="turn" ctrlrange="-2 2"/>', 2.0),
        ("", MOTOR % 'saturation="0.3 0 0"', 6.0),
    ],
)
def test_what_actuators_can_put_on_a_joint_is_its_effort_limit(
    tmp_path: Path, joint: str, actuators: str, effort: float
) -> None:
    path = tmp_path / "arm.xml"
    path.write_text((ARM % actuators).replace('name="turn"', f'name="turn" {joint}'), encoding="utf-8")
    robot = armdyn.Robot.from_mjcf(path)
    assert robot.joints[0].limits.effort == effort
    assert not any("forcerange" in note or "differs with the direction" in note for note in robot.notes)
    m = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(m)
    data.ctrl[:] = 1e6
    data.act[:] = 2.0 if m.actuator_dyntype[0] == int(mujoco.mjtDyn.mjDYN_FILTER) else 1e6
    mujoco.mj_forward(m, data)
    force = abs(data.qfrc_actuator[0])
    assert force > 1e5 if effort == np.inf else force == pytest.approx(effort, rel=1e-15)


def test_a_range_that_differs_with_the_direction(tmp_path: Path) -> None:
    robot = read(tmp_path, '<motor joint="turn" gear="-5" ctrlrange="-2 1"/>')
    assert robot.joints[0].limits.effort == 10.0
    assert (
        "the range of what actuators put on joint 'turn' (-5 to 10) differs with the direction; its larger end is "
        "taken as the effort limit"
    ) in robot.notes


def test_controls_that_are_not_clamped_bound_nothing(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    flag = '<mujoco><option><flag clampctrl="disable"/></option>'
    path.write_text((ARM % '<motor joint="turn" ctrlrange="-2 2"/>').replace("<mujoco>", flag), encoding="utf-8")
    assert armdyn.Robot.from_mjcf(path).joints[0].limits.effort == np.inf


def test_a_symmetric_range_of_a_voltage_is_no_note(tmp_path: Path) -> None:
    assert not any("ctrlrange" in note for note in read(tmp_path, MOTOR % 'ctrlrange="-24 24"').notes)
