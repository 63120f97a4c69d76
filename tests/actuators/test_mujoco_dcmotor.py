"""MuJoCo's ``dcmotor``, of version 4, from the equations of `Motor`: constants, states, limits, cogging, controller."""

from typing import Any, NamedTuple

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, Cogging, Gear, LuGre, Motor, MotorLimits, Thermal
from armdyn.actuators.motor import WarmMotor
from armdyn.program import clip, maximum, minimum, select
from armdyn.simulation import SaveAt, Start

mujoco = pytest.importorskip("mujoco")
if not hasattr(mujoco.mjtDyn, "mjDYN_DCMOTOR"):
    pytest.skip("this MuJoCo has no dcmotor", allow_module_level=True)

STEP = 1e-3
ARM = """<mujoco><option timestep="0.001" integrator="Euler"/><worldbody>
<body><joint name="one" axis="0 1 0"/><inertial pos="0.3 0 0" mass="2" diaginertia=".02 .03 .025"/>
<body pos="0.6 0 0"><joint name="two" axis="0 1 0"/><inertial pos="0.2 0 0.1" mass="1" diaginertia=".01 .012 .015"/>
</body></body></worldbody>{}</mujoco>"""


def mujocos(attributes: str, gear: float = 1.0) -> Any:
    """An arm with that dcmotor at its first joint, in MuJoCo."""
    actuator = f'<actuator><dcmotor joint="one" gear="{gear}" {attributes}/></actuator>'
    return mujoco.MjModel.from_xml_string(ARM.format(actuator))


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> armdyn.Robot:
    """The same arm in armdyn, without the motor."""
    path = tmp_path_factory.mktemp("arm") / "arm.xml"
    path.write_text(ARM.format(""), encoding="utf-8")
    return armdyn.Robot.from_mjcf(path)


def with_motor(arm: armdyn.Robot, motor: Motor, gear: float) -> armdyn.Robot:
    """With the motor at its first joint."""
    return arm.with_actuators({"one": Actuator(motor, Gear(gear))})


# Constants


@pytest.mark.parametrize(
    ("attributes", "entries"),
    [
        ('nominal="24 0.5 500"', {"nominal_voltage": 24, "stall_torque": 0.5, "no_load_speed": 500}),
        (
            'nominal="24 0.5 500" damping="0.0001"',
            {"nominal_voltage": 24, "stall_torque": 0.5, "no_load_speed": 500, "damping": 1e-4},
        ),
        (
            'nominal="24 0.5 500" damping="0.0001" resistance="3"',
            {"nominal_voltage": 24, "no_load_speed": 500, "damping": 1e-4, "terminal_resistance": 3},
        ),
        ('motorconst="0.04 0" resistance="3"', {"torque_constant": 0.04, "terminal_resistance": 3}),
        ('motorconst="0 0.05" resistance="3"', {"voltage_constant": 0.05, "terminal_resistance": 3}),
        (
            'motorconst="0.05 0" nominal="24 0.5 0"',
            {"torque_constant": 0.05, "nominal_voltage": 24, "stall_torque": 0.5},
        ),
    ],
    ids=["nominal", "damped", "damped_with_resistance", "torque_constant", "voltage_constant", "stall"],
)
def test_constants(attributes: str, entries: dict[str, float]) -> None:
    R, K = mujocos(attributes).actuator_gainprm[0, :2]
    motor = Motor.from_data_sheet(**entries)
    np.testing.assert_allclose([motor.R, motor.k_t], [R, K], rtol=1e-14)


def test_nominal_values_come_back() -> None:
    """The motor of nominal values runs at the no-load speed it was made from, and stalls at the torque."""
    motor = Motor.from_data_sheet(nominal_voltage=24, stall_torque=0.5, no_load_speed=500, damping=1e-4)
    np.testing.assert_allclose([motor.no_load_speed(), motor.stall_torque()], [500.0, 0.5], rtol=1e-14)


# States, step by step: temperature by Euler's rule, and the time constant of the cold winding, as MuJoCo has them

K, R = 0.05477, 1.7
INDUCTANCE = {"": 0.0, 'inductance="0.002 0"': 0.002, 'inductance="0 0.0007"': 0.0007 * R}
THERMAL = {
    "": None,
    'thermal="3.1 9.2 0 0.0039 25 21"': Thermal(3.1, 9.2, ambient=21.0, resistance_coefficient=0.0039),
    'thermal="4 0 55 0.0039 25 30"': Thermal.of_time_constants(4.0, 55.0, ambient=30.0, resistance_coefficient=0.0039),
}
SATURATION = {
    "": MotorLimits(),
    'saturation="0.03 0 0"': MotorLimits(torque=0.03),
    'saturation="0 1.1 0"': MotorLimits(torque=K * 1.1),
    'saturation="0.04 0 120"': MotorLimits(torque=0.04, current_rate=120.0),
}
COGGING = {"": None, 'cogging="0.011 7 0.4"': Cogging(0.011, 7.0, 0.4)}


def cases() -> list[tuple[str, Motor]]:
    """Every combination."""
    return [
        (
            f'motorconst="{K} {K}" resistance="{R}" armature="2e-5" {a} {b} {c} {d}',
            Motor(
                torque_constant=K,
                resistance=R,
                inductance=L,
                rotor_inertia=2e-5,
                thermal=thermal,
                limits=limits,
                cogging=cogging,
            ),
        )
        for a, L in INDUCTANCE.items()
        for b, thermal in THERMAL.items()
        for c, limits in SATURATION.items()
        for d, cogging in COGGING.items()
    ]


def warm(motor: Motor, rise: float) -> WarmMotor:
    """MuJoCo's warm motor: R rises, and the inductance as much, so that L/R stays."""
    at = motor.at(rise)
    return WarmMotor(at.k_t, at.R, motor.L * at.R / motor.R, 0.0, 0.0)


def step(
    motor: Motor, voltage: float, angle: float, speed: float, current: float, rise: float
) -> tuple[float, float, float]:
    """Torque of the rotor, current and rise a step later."""
    at, limits = warm(motor, rise), motor.limits
    later = at.next_current(current, voltage, speed, STEP, limits.current_rate if motor.L else np.inf)
    if motor.thermal is not None:
        rise = rise + STEP * motor.thermal.rates((rise, 0.0), at.heat(current if motor.L else later))[0]
    torque = np.clip(at.torque(later), -limits.torque, limits.torque)
    return torque + motor.cogging_torque(angle), later, rise


def test_steps() -> None:
    """Random states of every combination of inductance, thermal, saturation and cogging: force and next state."""
    rng = np.random.default_rng(7)
    for attributes, motor in cases():
        gear = rng.choice([1.0, -3.5])
        model = mujocos(attributes, gear)
        data = mujoco.MjData(model)
        for speed in (0.02, 3.0, 40.0):
            data.qpos[:], data.qvel[:], data.ctrl[:] = rng.normal(size=2), speed * rng.normal(size=2), 3 * rng.normal()
            data.act[:] = rng.normal(size=model.na) * 3.0
            rise = data.act[0] if motor.thermal else 0.0
            current = data.act[-1] if motor.L else 0.0
            found = step(motor, data.ctrl[0], gear * data.qpos[0], gear * data.qvel[0], current, rise)
            mujoco.mj_forward(model, data)
            force = data.actuator_force[0]
            mujoco.mj_step(model, data)
            later = data.act[-1] if motor.L else found[1]
            warmer = data.act[0] if motor.thermal else 0.0
            np.testing.assert_allclose(found, [force, later, warmer], rtol=1e-12, atol=1e-14, err_msg=attributes)


def test_a_motion_with_everything(arm: armdyn.Robot) -> None:
    """300 steps with inductance, heat, cogging, limits of torque and of the current's rate, on a geared joint."""
    attributes, motor = cases()[-1]
    gear, model = 3.0, mujocos(attributes, 3.0)
    data = mujoco.MjData(model)
    robot = with_motor(arm, motor, gear)
    q, qd, current, rise = np.array([0.3, -0.4]), np.array([2.0, 1.0]), 0.0, 0.0
    data.qpos[:], data.qvel[:] = q, qd
    for k in range(300):
        voltage = data.ctrl[0] = 6.0 * np.cos(0.05 * k)
        torque, current, rise = step(motor, voltage, gear * q[0], gear * qd[0], current, rise)
        qd = qd + STEP * robot.forward_dynamics(q, qd, [gear * torque, 0.0])
        q = q + STEP * qd
        mujoco.mj_step(model, data)
    np.testing.assert_allclose(q, data.qpos, rtol=1e-11)
    np.testing.assert_allclose(qd, data.qvel, rtol=1e-11)
    np.testing.assert_allclose([rise, current], data.act, rtol=1e-11)


# In a closed loop


class Voltage(NamedTuple):
    """The voltages of the joints' motors."""

    tau: Any


@armdyn.function("(n),(n)->(n)", result=Voltage)
def given(model: Any, q: Any, supply: Any) -> Voltage:
    """The voltages that are given."""
    return Voltage(supply)


@pytest.mark.parametrize("inductance", INDUCTANCE.values(), ids=["none", "inductance", "time_constant"])
def test_closed_loop(arm: armdyn.Robot, inductance: float) -> None:
    """`through_motors` with voltages moves the arm as MuJoCo does."""
    attributes = next(text for text, L in INDUCTANCE.items() if inductance == L)
    motor = Motor(
        torque_constant=K,
        resistance=R,
        inductance=inductance,
        rotor_inertia=2e-5,
        limits=SATURATION['saturation="0 1.1 0"'],
        cogging=Cogging(0.011, 7, 0.4),
    )
    model = mujocos(
        f'motorconst="{K} {K}" resistance="{R}" armature="2e-5" {attributes} saturation="0 1.1 0" '
        'cogging="0.011 7 0.4"',
        20.0,
    )
    data = mujoco.MjData(model)
    data.qpos[:], volts = (0.3, -0.4), 9.0 * np.cos(0.05 * np.arange(300))
    for volt in volts:
        data.ctrl[0] = volt
        mujoco.mj_step(model, data)
    driven = armdyn.control.through_motors(given, command="voltage")
    method = armdyn.simulation.SemiImplicitEuler(step=STEP)
    loop = armdyn.ClosedLoop(with_motor(arm, motor, 20.0), driven, method=method, over_time=["supply"])
    rolled = loop([0.3, -0.4], steps=300, supply=np.column_stack([volts, 0.0 * volts]))
    np.testing.assert_allclose(rolled.final.q, data.qpos, rtol=1e-10)
    np.testing.assert_allclose(rolled.final.qd, data.qvel, rtol=1e-10)
    if inductance:
        np.testing.assert_allclose(rolled.final.current[0], data.act[-1], rtol=1e-10)


class Control(NamedTuple):
    """The voltages, and the states of the controller a step later."""

    tau: Any
    slew: Any
    integral: Any


KP, KI, KD, SLEW, IMAX, VMAX, GEAR = 2.0, 5.0, 0.05, 40.0, 0.3, 8.0, 20.0


@armdyn.function("(n),(n),(n),(n),(),(n),(n),(n)->(n),(n),(n)", result=Control)
def positioning(
    model: Any, q: Any, qd: Any, slew: Any, integral: Any, h: Any, position: Any, velocity: Any, torque: Any
) -> Control:
    """MuJoCo's controller of position, velocity and feed-forward torque, at the first joint's motor."""
    motor = Motor(torque_constant=K, resistance=R)
    angle, speed, x = GEAR * q[0], GEAR * qd[0], integral[0]
    aim = clip(position[0], slew[0] - SLEW * h, slew[0] + SLEW * h)
    error = aim - angle
    error = select(x >= IMAX, minimum(error, 0.0), select(x <= -IMAX, maximum(error, 0.0), error))
    wanted = KP * (aim - angle) + KD * (velocity[0] - speed) + KI * x + torque[0]
    volts = clip(motor.voltage(motor.current(wanted), speed), -VMAX, VMAX)
    return Control(
        np.array([volts, 0.0], dtype=object),
        np.array([aim, 0.0], dtype=object),
        np.array([clip(x + h * error, -IMAX, IMAX), 0.0], dtype=object),
    )


def test_controller(arm: armdyn.Robot) -> None:
    """The gains in torque, back-EMF compensated, with slew rate, held integral and clamped voltage."""
    attributes = (
        f'motorconst="{K} {K}" resistance="{R}" armature="2e-5" inductance="0.002 0" input="pos vel ff" '
        f'controller="{KP} {KI} {KD} {SLEW} {IMAX} {VMAX}"'
    )
    model = mujocos(attributes, GEAR)
    data = mujoco.MjData(model)
    data.qpos[:] = 0.3, -0.4
    references = np.column_stack([10.0 * np.sin(0.02 * np.arange(600)), np.full(600, 0.3), np.full(600, -0.1)])
    saturated = 0
    for reference in references:
        data.ctrl[:] = reference
        mujoco.mj_step(model, data)
        saturated += abs(data.act[1]) >= IMAX
    assert 0 < saturated < 600
    driven = armdyn.control.through_motors(positioning, command="voltage")
    method = armdyn.simulation.SemiImplicitEuler(step=STEP)
    names = ["position", "velocity", "torque"]
    robot = with_motor(arm, Motor(torque_constant=K, resistance=R, inductance=0.002, rotor_inertia=2e-5), GEAR)
    loop = armdyn.ClosedLoop(robot, driven, method=method, over_time=names)
    tables = {name: np.column_stack([references[:, k], np.zeros(600)]) for k, name in enumerate(names)}
    final = loop([0.3, -0.4], steps=600, **tables).final
    np.testing.assert_allclose(final.q, data.qpos, rtol=1e-10)
    np.testing.assert_allclose(final.qd, data.qvel, rtol=1e-10)
    np.testing.assert_allclose([final.slew[0], final.integral[0], final.current[0]], data.act, rtol=1e-10)


# LuGre's bristles in motion


LUGRE = 'motorconst="0.04" resistance="2" lugre="100 0.1 0.02 0.03 0.5"'
BRAKING = (0.04 * 20.0) ** 2 / 2.0
"""N m s/rad at the joint: of the motor, whose terminals are shorted."""


def with_bristles(folder: Any) -> tuple[Any, armdyn.Robot]:
    """An arm with LuGre's bristles at its first joint, in MuJoCo and in armdyn."""
    text = ARM.format(f'<actuator><dcmotor joint="one" gear="20" {LUGRE}/></actuator>')
    (folder / "arm.xml").write_text(text, encoding="utf-8")
    return mujoco.MjModel.from_xml_string(text), armdyn.Robot.from_mjcf(folder / "arm.xml")


def mujocos_step(robot: armdyn.Robot, q: Any, qd: Any, z: float, h: float) -> tuple[Any, Any, float]:
    """What MuJoCo's Euler integrator does in a step, from the law and the arm of armdyn.

    The force is that of z and the velocity at the begin; z follows a motion at that velocity, exactly; the new velocity
    moves the joints.
    """
    actuator = robot.joints[0].actuator
    assert isinstance(actuator, Actuator)
    (law,) = actuator.laws or ()
    assert isinstance(law, LuGre)
    taken = law.force_with(z, qd[0]) + BRAKING * qd[0]
    qdd = robot.without_friction().forward_dynamics(q, qd, [-taken, 0.0])
    after = qd + h * qdd
    return q + h * after, after, float(law.state_after(z, qd[0], 0.0, h))


def test_steps_with_bristles(tmp_path: Any) -> None:
    """A slide that slows down, turns round and slides back: q, qd and z after each of MuJoCo's steps."""
    model, robot = with_bristles(tmp_path)
    data = mujoco.MjData(model)
    h = model.opt.timestep = 2e-4
    q, qd, z = np.array([0.2, 0.3]), np.array([-0.5, -0.2]), 1e-5
    data.qpos[:], data.qvel[:], data.act[:] = q, qd, z * 20.0
    found, ours = [], []
    for _ in range(400):
        mujoco.mj_step(model, data)
        q, qd, z = mujocos_step(robot, q, qd, z, h)
        found.append(np.concatenate([data.qpos, data.qvel, data.act / 20.0]))
        ours.append([*q, *qd, z])
    np.testing.assert_allclose(ours, found, rtol=1e-10, atol=1e-15)
    bent = np.array(ours)[:, 4]
    assert bent.min() < -5e-6
    assert bent.max() > 5e-6


def test_a_motion_with_bristles(tmp_path: Any) -> None:
    """The steps above are of the first order; what two lengths say of length zero has an error of the second."""
    model, robot = with_bristles(tmp_path)
    found = []
    for steps in (1000, 2000):
        model.opt.timestep = 0.05 / steps
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:], data.act[:] = [0.2, 0.3], [0.5, -0.2], 2e-4
        for _ in range(steps):
            mujoco.mj_step(model, data)
        found.append(np.concatenate([data.qpos, data.qvel, data.act / 20.0]))
    ours = armdyn.simulate(
        robot,
        [0.2, 0.3],
        [0.5, -0.2],
        elements=[Start(bristles=[1e-5])],
        duration=0.05,
        save=SaveAt(every=0.05),
        torque=lambda t, q, qd: [-BRAKING * qd[0], 0.0],
    )
    last = np.concatenate([ours.q[-1], ours.qd[-1], ours.signals["bristles"][-1]])
    assert abs(found[1] - last).max() > 1e-5
    np.testing.assert_allclose(2.0 * found[1] - found[0], last, rtol=2e-6)
