"""Actuators of MJCF files: what the joints feel of them against MuJoCo, DC motors, and what is noted."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

import armdyn
from armdyn import ModelError, Robot, Unsupported
from armdyn.actuators import Actuator, Cogging, Gear, LuGre, Motor, MotorLimits, Passive, Quadratic, Thermal
from armdyn.formats.urdf import read_urdf_text
from oracles.states import assert_close, random_states

pytestmark = pytest.mark.usefixtures("compiled_here")

ARM = """<mujoco model="arm">
  <option><flag contact="disable"/></option>
  <worldbody>
    <body name="upper">
      <joint name="lift" axis="0 0.6 0.8" armature="0.05" damping="0.3"/> <geom size="0.1" pos="0.2 0.1 0.3"/>
      <body name="lower" pos="0 0.1 1"> <joint name="slide" type="slide" axis="0.6 0 0.8"/> <geom size="0.1"/> </body>
    </body>
  </worldbody>
  <actuator>%s</actuator>
</mujoco>
"""
MOTOR = '<motor name="m" joint="lift" gear="-50" armature="1e-4" damping="2e-3"/>'
DC = (
    '<dcmotor name="d" joint="slide" gear="100" motorconst="0.04 0.05" resistance="2" inductance="1e-3" '
    'thermal="2 20 0 0.004 25 20" saturation="1.5 0 100" cogging="0.01 12 0.3" armature="1e-5" damping="1e-6" %s/>'
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "arm.xml"


def read(file: Path, *actuators: str, **options: object) -> Robot:
    file.write_text(ARM % "\n".join(actuators))
    return Robot.from_mjcf(file, **options)  # type: ignore[arg-type]


@pytest.mark.short_run("two", "motor")
@pytest.mark.parametrize(
    "actuators",
    [(MOTOR,), (MOTOR, MOTOR.replace('"m"', '"n"')), (MOTOR, DC % ""), (DC.replace("slide", "lift") % "", MOTOR)],
    ids=["motor", "two", "both", "on_one_joint"],
)
def test_joints_feel_what_they_do_in_mujoco(file: Path, actuators: tuple[str, ...]) -> None:
    robot = read(file, *actuators)
    m = mujoco.MjModel.from_xml_path(str(file))
    data, s = mujoco.MjData(m), random_states(2, 3, seed=12)
    for q, qd in zip(s.q, s.qd, strict=True):
        data.qpos[:], data.qvel[:] = q, qd
        mujoco.mj_forward(m, data)
        columns = np.eye(2)
        for k in range(2):
            mujoco.mj_mulM(m, data, columns[k], np.eye(2)[k])
        assert_close(robot.mass_matrix(q), columns)
        assert_close(robot.friction_forces(q, qd), -data.qfrc_passive)


def test_dc_motor(file: Path) -> None:
    robot = read(file, DC % "")
    K = np.sqrt(0.04 * 0.05)
    motor = Motor(
        1e-5,
        damping=1e-6,
        torque_constant=K,
        resistance=2.0,
        inductance=1e-3,
        limits=MotorLimits(torque=1.5, current_rate=100.0),
        cogging=Cogging(0.01, 12.0, 0.3),
        thermal=Thermal(2.0, 20.0, ambient=20.0, reference=25.0, resistance_coefficient=0.004),
    )
    assert robot.model.joint("slide").actuator == Actuator(motor, Gear(100.0))
    assert robot.model.joint("slide").armature == pytest.approx(0.1, rel=1e-15)
    assert robot.model.joint("lift").actuator is None


def test_dc_motor_of_nominal_values(file: Path) -> None:
    robot = read(file, '<dcmotor joint="lift" nominal="24 0.5 500"/>')
    actuator = robot.model.joint("lift").actuator
    assert isinstance(actuator, Actuator)
    assert actuator.motor == Motor(torque_constant=24.0 / 500.0, resistance=(24.0 / 500.0) * 24.0 / 0.5)
    assert robot.model.joint("lift").armature == 0.05


OF_DC = '<dcmotor name="d" joint="lift" gear="40" motorconst="0.05" resistance="0.8" lugre="100 1 0.1 0.2 0.05" %s/>'


@pytest.mark.short_run("motor", "two")
@pytest.mark.parametrize(
    "actuators",
    [(MOTOR,), (MOTOR, MOTOR.replace("-50", "30").replace('"m"', '"n"')), (OF_DC % 'armature="1e-5" damping="1e-4"',)],
    ids=["motor", "two", "lugre"],
)
def test_an_actuator_comes_off_and_is_put_back(file: Path, tmp_path: Path, actuators: tuple[str, ...]) -> None:
    """Without it the joint is that of the file without <actuator>, as MuJoCo has it; with it again, the same robot."""
    joint = 'armature="0.05" damping="0.3" frictionloss="0.4"'
    text = ARM.replace('armature="0.05" damping="0.3"', joint)
    file.write_text(text % "")
    alone = Robot.from_mjcf(file)
    m = mujoco.MjModel.from_xml_path(str(file))
    file.write_text(text % "\n".join(actuators))
    robot = Robot.from_mjcf(file)
    off = robot.with_actuators({"lift": None})
    assert off == alone
    lift = off.model.joint("lift")
    assert (lift.armature, lift.damping, lift.friction) == (
        m.dof_armature[0],
        m.dof_damping[0],
        m.dof_frictionloss[0],
    )
    assert robot.model.joint("lift").armature > lift.armature
    drives = {joint.name: joint.actuator for joint in robot.model.joints}
    assert robot.with_actuators(drives) == robot
    assert off.with_actuators(drives) == robot
    armdyn.actuators.write(drives, tmp_path / "drives.json")
    assert robot.with_actuators(armdyn.actuators.read(tmp_path / "drives.json")) == robot
    assert Robot(read_urdf_text(robot.to_urdf())) == robot


def test_damping_of_several_numbers_is_put_back(file: Path) -> None:
    """The first is the joint's own and stays with it; the others are a law of its actuator."""
    file.write_text(ARM.replace('damping="0.3"', 'damping="3 0.5 0.2" frictionloss="0.4"') % "")
    robot = Robot.from_mjcf(file)
    drive = robot.model.joint("lift").actuator
    assert drive == Actuator(friction=Quadratic(0.5, 0.2), passive=Passive(0.05, 3.0, 0.4))
    assert robot.with_actuators({"lift": drive}) == robot
    off = robot.with_actuators({"lift": None})
    np.testing.assert_allclose(off.friction_forces([0.0, 0.0], [2.0, 0.0])[0], 3.0 * 2.0 + 0.4, rtol=1e-15)


def test_it_is_written_and_read_again(file: Path, tmp_path: Path) -> None:
    robot = read(file, MOTOR, DC % "")
    robot.to_urdf(tmp_path / "arm.urdf")
    assert Robot.from_urdf(tmp_path / "arm.urdf") == robot


PLAIN = "are not part of the equations: tau is what they put on the joints"


def test_notes_say_the_numbers(file: Path) -> None:
    robot = read(
        file,
        '<motor name="a" joint="lift" gear="30"/>',
        '<position name="b" joint="lift" kp="100" kv="5"/>',
        '<velocity name="c" joint="slide" kv="7"/>',
        '<general name="d" joint="slide" gainprm="3" biasprm="0.5 -2 -1" biastype="affine"/>',
        '<muscle name="e" joint="lift"/>',
        '<general name="f" joint="lift" gainprm="2.5"/>',
    )
    assert [joint.actuator for joint in robot.model.joints] == [None, None]
    assert f"6 actuators {PLAIN}" in robot.notes
    assert (
        "not used of actuators: actuator 'a' (arm.xml:9) (gear 30), actuator 'b' (arm.xml:10) (kp 100, kv 5), "
        "actuator 'c' (arm.xml:11) (kv 7), actuator 'd' (arm.xml:12) (gain 3, bias 0.5 -2 -1), "
        "actuator 'e' (arm.xml:13) (muscle), actuator 'f' (arm.xml:14) (gain 2.5)"
    ) in robot.notes


def test_notes_on_dc_motors(file: Path) -> None:
    """One with three controls, which MuJoCo counts as three."""
    control = 'input="pos vel ff" controller="1 2 3 4 5 6" lugre="1e3 1 0.01 0.02 0"'
    robot = read(file, DC % control, DC.replace('"d"', '"e"') % "")
    numbers = "kp 1, ki 2, kd 3, slewmax 4, Imax 5, lugre 1000 1 0.01 0.02 0"
    assert f"not used of actuators: actuator 'd' (arm.xml:9) ({numbers})" in robot.notes
    assert "constants of the second motor on a joint are left out: actuator 'e' (arm.xml:10)" in robot.notes
    but = "but for what their joints feel of gears, rotors and shafts: tau is what they put on the joints"
    assert f"2 actuators are not part of the equations, {but}" in robot.notes
    actuator = robot.model.joint("slide").actuator
    assert isinstance(actuator, Actuator)
    assert actuator.motor is not None
    assert actuator.motor.limits.voltage == 6.0


def test_locked_joints_and_ignored_friction(file: Path) -> None:
    robot = read(file, MOTOR, DC % "", locked={"lift": 0.2})
    assert robot.joint_names == ("slide",)
    assert robot.model.joints[0].armature == pytest.approx(0.1, rel=1e-15)
    robot = read(file, MOTOR, friction="ignore")
    assert not any(joint.rubs for joint in robot.model.joints)
    assert robot.model.joint("lift").armature == pytest.approx(0.05 + 0.25, rel=1e-15)
    assert robot.with_actuators({"lift": robot.model.joint("lift").actuator}) == robot


DRAG = MOTOR.replace("2e-3", "2e-3 5e-4")


@pytest.mark.short_run("actuators1-0.3 0.7", "actuators0-0.3 0 0.2", "actuators3-0.3 0.7 0.2")
@pytest.mark.parametrize("damping", ["0.3 0.7", "0.3 0 0.2", "0.3 0.7 0.2"])
@pytest.mark.parametrize(
    "actuators",
    [(), (DRAG,), (DRAG, DRAG.replace('"m"', '"n"'), DC % ""), (DRAG.replace("5e-4", "5e-4 1e-4"),)],
)
def test_higher_coefficients_of_damping(file: Path, actuators: tuple[str, ...], damping: str) -> None:
    """Two and three numbers, on joints and on the actuators' side of a gear, against MuJoCo's passive forces."""
    file.write_text(ARM.replace('damping="0.3"', f'damping="{damping}"') % "\n".join(actuators))
    robot, m = Robot.from_mjcf(file), mujoco.MjModel.from_xml_path(str(file))
    data, s = mujoco.MjData(m), random_states(2, 3, seed=13)
    for q, qd in zip(s.q, s.qd, strict=True):
        data.qpos[:], data.qvel[:] = q, qd
        mujoco.mj_forward(m, data)
        assert_close(robot.friction_forces(q, qd), -data.qfrc_passive)
    assert not any("higher coefficients" in note for note in robot.notes)
    robot.to_urdf(file.with_suffix(".urdf"))
    assert Robot.from_urdf(file.with_suffix(".urdf")) == robot
    assert not any(joint.rubs for joint in Robot.from_mjcf(file, friction="ignore").model.joints)


def test_negative_damping_is_refused(file: Path) -> None:
    file.write_text(ARM.replace('damping="0.3"', 'damping="0.3 -0.7 0.1"') % DRAG.replace("5e-4", "5e-4 -1e-4"))
    with pytest.raises(Unsupported) as caught:
        Robot.from_mjcf(file)
    would = "expected none below 0, which would add energy. Mend them, or set them to 0."
    assert str(caught.value).splitlines() == [
        f"damping of joint 'lift' (arm.xml:5) has the higher coefficients -0.7 0.1: {would}",
        f"damping of actuator 'm' (arm.xml:9) has the higher coefficients 0.0005 -0.0001: {would}",
    ]
    assert Robot.from_mjcf(file, friction="ignore").dof == 2


@pytest.mark.parametrize("actuator", [MOTOR.replace("-50", "0"), (DC % "").replace('gear="100"', 'gear="0"')])
def test_a_gear_of_zero_is_refused(file: Path, actuator: str) -> None:
    with pytest.raises(ModelError, match=r"actuator '[md]' \(arm\.xml:9\): .*ratio.* is 0"):
        read(file, actuator)


@pytest.mark.short_run("100.0")
@pytest.mark.parametrize("gear", [100.0, -3.0])
def test_lugre_of_a_dc_motor(file: Path, gear: float) -> None:
    """Force and rate of the bristles at any bending, and the friction that stays at a steady velocity."""
    robot = read(
        file,
        f'<dcmotor name="d" joint="slide" gear="{gear:g}" input="none" motorconst="0.04 0" resistance="2" '
        'lugre="1e3 0.3 0.01 0.02 0.1"/>',
    )
    actuator = robot.model.joint("slide").actuator
    assert isinstance(actuator, Actuator)
    (law,) = actuator.laws or ()
    assert isinstance(law, LuGre)
    m = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(m)
    for qd, z in ((0.02, 1e-5), (-0.001, 2e-6), (0.05, float(law.steady_state(0.05)) * gear)):
        data.qvel[1], data.act[0] = qd, z
        mujoco.mj_forward(m, data)
        braking = 0.04**2 / 2.0 * gear**2 * qd  # of the motor, whose terminals are shorted
        np.testing.assert_allclose(law.force_with(z / gear, qd, 0.0), -data.qfrc_actuator[1] - braking, rtol=1e-11)
        after = float(law.state_after(z / gear, qd, 0.0, m.opt.timestep)) * gear
        mujoco.mj_step(m, data)
        np.testing.assert_allclose(after, data.act[0], rtol=1e-9)
    np.testing.assert_allclose(robot.friction_forces([0.0, 0.0], [0.0, 0.05])[1], law.force(0.05, 0.0), rtol=1e-12)
    assert any(
        note.startswith("LuGre friction of actuator 'd' (arm.xml:9): its bristles bend in simulate and ClosedLoop")
        for note in robot.notes
    )


def test_numbers_that_make_no_motor_are_named(file: Path) -> None:
    with pytest.raises(ModelError, match=r"actuator 'd' \(arm\.xml:9\): resistance_coefficient of Thermal is -0\.004"):
        read(file, DC.replace("0.004", "-0.004") % "")


def test_rotors_that_no_joint_feels_are_refused(file: Path) -> None:
    cable = '</actuator><tendon><fixed name="t"><joint joint="lift" coef="2"/></fixed></tendon><actuator>'
    with pytest.raises(Unsupported, match=r"actuator 's' \(arm\.xml:9\) has armature or damping, and drives no joint"):
        read(file, '<general name="s" tendon="t" armature="0.1"/>' + cable)
