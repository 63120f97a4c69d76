"""What a robot's motors do: from the bare arm's torques, by Newton's law of each rotor, and back."""

from itertools import pairwise

import numpy as np
import pytest

import armdyn
from armdyn import ModelError, Unsupported
from armdyn.actuators import Actuator, Cogging, Coulomb, Gear, Motor, MotorLimits, Thermal, Viscous

THERMAL = Thermal(2.0, 20.0, 4.0, 150.0)
ONE = Motor(
    torque_constant=0.03,
    resistance=0.3,
    inductance=8e-5,
    rotor_inertia=1.4e-5,
    friction=0.004,
    damping=2e-6,
    thermal=THERMAL,
    cogging=Cogging(0.006, 14.0, 0.3),
)
TWO = Motor(torque_constant=0.06, resistance=1.1, inductance=3e-4, rotor_inertia=1.3e-5, friction=0.003)
DRIVES = {"joint_1": Actuator(ONE, Gear(80.0, 2e-6), Coulomb(0.7)), "joint_2": Actuator(TWO, Gear(-50.0), Viscous(0.4))}
BARE = armdyn.load("planar_2r").with_gravity((0.3, -9.8, 0.0))
ROBOT = BARE.with_actuators(DRIVES)
Q, QD, QDD, QDDD = np.random.default_rng(5).normal(size=(4, 7, 2)) * (3.0, 2.0)
F_TIP = np.array([0.1, -0.2, 0.7, 3.0, -2.0, 1.0])


def rotor_by_rotor() -> np.ndarray:
    """k_t I of each motor by its rotor's own law: I wdot = k_t I + cogging - friction - (load + losses)/G."""
    tau = BARE.inverse_dynamics(Q, QD, QDD, F_TIP)
    at_joint = [tau[:, 0] + 0.7 * np.sign(QD[:, 0]), tau[:, 1] + 0.4 * QD[:, 1]]
    G = np.array([80.0, -50.0])
    angle, w, wdot = Q * G, QD * G, QDD * G
    torques = [
        (motor.rotor_inertia + gear) * wdot[:, k] + motor.friction_torque(w[:, k]) + at_joint[k] / G[k]
        for k, (motor, gear) in enumerate(((ONE, 2e-6), (TWO, 0.0)))
    ]
    torques[0] = torques[0] - 0.006 * np.sin(14.0 * angle[:, 0] + 0.3)
    return np.column_stack(torques)


def test_torques_are_those_of_the_rotors_own_law() -> None:
    """Nothing counts twice: rotor, gear and shaft once each, beside the bare arm."""
    np.testing.assert_allclose(ROBOT.motor_torques(Q, QD, QDD, F_TIP), rotor_by_rotor(), rtol=1e-12)


def test_currents() -> None:
    np.testing.assert_allclose(ROBOT.motor_currents(Q, QD, QDD, F_TIP), rotor_by_rotor() / (0.03, 0.06), rtol=1e-12)


def test_currents_and_forces_are_inverse() -> None:
    """The currents of a motion are the commands of its joint forces, and cause its accelerations."""
    tau = ROBOT.inverse_dynamics(Q, QD, QDD)
    currents = ROBOT.motor_currents(Q, QD, QDD)
    np.testing.assert_allclose(ROBOT.current_commands(Q, tau), currents, rtol=1e-12)
    np.testing.assert_allclose(ROBOT.forces_of_currents(Q, currents), tau, rtol=1e-12)
    np.testing.assert_allclose(ROBOT.forward_dynamics(Q, QD, ROBOT.forces_of_currents(Q, currents)), QDD, rtol=1e-9)


def test_voltages_are_8_103() -> None:
    """With the rate of the current by differences along the motion."""

    def currents(t: float) -> np.ndarray:
        q = Q + t * QD + t**2 / 2 * QDD + t**3 / 6 * QDDD
        return ROBOT.motor_currents(q, QD + t * QDD + t**2 / 2 * QDDD, QDD + t * QDDD)

    h = 5e-6
    rates = (8.0 * (currents(h) - currents(-h)) - (currents(2 * h) - currents(-2 * h))) / (12.0 * h)
    steady = np.array([0.03 * 80.0, -0.06 * 50.0]) * QD + currents(0.0) * (0.3, 1.1)
    np.testing.assert_allclose(ROBOT.motor_voltages(Q, QD, QDD), steady, rtol=1e-12)
    inductive = ROBOT.motor_voltages(Q, QD, QDD, QDDD) - steady
    np.testing.assert_allclose(inductive, rates * (8e-5, 3e-4), rtol=1e-6, atol=1e-9)
    warm = ROBOT.motor_voltages(Q, QD, QDD, winding_rise=[50.0, 30.0]) - steady
    np.testing.assert_allclose(
        warm, currents(0.0) * (0.3 * 0.00393 * 50.0, 1.1 * 0.00393 * 30.0), rtol=1e-9, atol=1e-12
    )


def test_electrical_power_is_what_it_becomes() -> None:
    """Heat, links (their energy changes by tau . qd of the bare arm), rotors, friction, cogging: V I = sum of it."""
    currents, power = ROBOT.motor_currents(Q, QD, QDD), ROBOT.electrical_power(Q, QD, QDD)
    heat = currents**2 * (0.3, 1.1)
    G = np.array([80.0, -50.0])
    rotors = ((1.4e-5 + 2e-6, 1.3e-5) * G**2 * QDD * QD).sum(1)
    cogging = -80.0 * 0.006 * np.sin(14.0 * 80.0 * Q[:, 0] + 0.3) * QD[:, 0]
    friction = (ROBOT.friction_forces(Q, QD) * QD).sum(1)
    links = (BARE.inverse_dynamics(Q, QD, QDD) * QD).sum(1)
    np.testing.assert_allclose(power.sum(1), heat.sum(1) + links + rotors + friction + cogging, rtol=1e-10)
    assert power.min() < 0.0 < power.max()  # some give power back


def test_a_joint_without_a_motor_has_no_entry() -> None:
    one = BARE.with_actuators({"joint_2": DRIVES["joint_2"]})
    assert one.motor_torques(Q, QD, QDD).shape == (7, 1)
    tau = one.inverse_dynamics(Q, QD, QDD)
    np.testing.assert_allclose(one.motor_torques(Q, QD, QDD)[:, 0], tau[:, 1] / -50.0, rtol=1e-13)
    np.testing.assert_array_equal(one.forces_of_currents(Q, np.ones((7, 1))), [[0.0, -50.0 * 0.06]] * 7)


def test_a_motor_carries_the_joints_that_move_with_it() -> None:
    """A mimic joint: the motor sits on the follower, which turns -2 times as far, from 0.3 rad."""
    arm = armdyn.load("planar_3r").with_mimic({"joint_3": ("joint_2", -2.0, 0.3)})
    cogs = Motor(torque_constant=0.05, resistance=1.0, cogging=Cogging(0.01, 6.0))
    arm = arm.with_actuators({"joint_1": Actuator(TWO), "joint_3": Actuator(cogs, Gear(40.0))})
    tau = arm.inverse_dynamics(Q, QD, QDD)
    cogging = 0.01 * np.sin(6.0 * 40.0 * (0.3 - 2.0 * Q[:, 1]))
    np.testing.assert_allclose(arm.motor_torques(Q, QD, QDD)[:, 1], tau[:, 1] / (-2.0 * 40.0) - cogging, rtol=1e-11)


def test_two_motors_for_one_coordinate() -> None:
    arm = armdyn.load("planar_3r").with_mimic({"joint_3": "joint_2"})
    arm = arm.with_actuators({"joint_2": Actuator(TWO), "joint_3": Actuator(TWO)})
    with pytest.raises(Unsupported, match=r"motor of joint 'joint_3' .*: another joint that moves with it has one too"):
        arm.motor_torques(Q, QD, QDD)


def test_robots_without_motors() -> None:
    with pytest.raises(ModelError, match=r"'planar_2r' has no motors; robot\.with_actuators"):
        BARE.motor_torques(Q, QD, QDD)
    inertia_alone = BARE.with_actuators({"joint_1": Actuator(Motor(rotor_inertia=1e-5), Gear(10.0))})
    assert inertia_alone.motor_torques(Q, QD, QDD).shape == (7, 1)
    words = "torque_constant of the motor of joint 'joint_1' of 'planar_2r' is not given; the equations need it"
    with pytest.raises(ModelError, match=words):
        inertia_alone.motor_currents(Q, QD, QDD)
    unknown = BARE.with_actuators(dict.fromkeys(BARE.joint_names, Actuator(Motor(torque_constant=0.03))))
    with pytest.raises(ModelError, match=r"2 problems:\n  resistance of the motor of joint 'joint_1'"):
        unknown.motor_voltages(Q, QD, QDD)
    with pytest.raises(ModelError, match="resistance of the motor of joint 'joint_2'"):
        armdyn.simulate(unknown, [0.0, 0.0], duration=0.01).drives(unknown)


def test_removing_friction_takes_the_shafts_too() -> None:
    smooth = ROBOT.without_friction()
    assert not smooth.friction_forces(Q, QD).any()
    np.testing.assert_allclose(smooth.mass_matrix(Q), ROBOT.mass_matrix(Q), rtol=1e-15)


# Controllers through motors

IDEAL = {
    name: Actuator(Motor(torque_constant=0.05, resistance=0.8, rotor_inertia=1e-5), Gear(60.0))
    for name in ("joint_1", "joint_2")
}
AIM = {"q_ref": [0.6, -0.4], "qd_ref": np.zeros(2), "Kp": [400.0, 100.0], "Kd": [60.0, 20.0]}
METHOD = armdyn.simulation.SemiImplicitEuler(step=1e-3)


def run(drives: dict[str, Actuator], steps: int = 400, **options: object):
    robot = BARE.with_actuators(drives)
    driven = armdyn.control.through_motors(armdyn.control.pd_gravity)
    names = ["q", "qd", "tau", "current", "winding_rise", "housing_rise", "voltage", "electrical_power"]
    return armdyn.ClosedLoop(robot, driven, method=METHOD, record=names)([0.0, 0.0], steps=steps, **AIM, **options)


@pytest.mark.parametrize("inductance", [0.0, 3e-4])
def test_motors_without_limits_give_the_commanded_torque(inductance: float) -> None:
    """Whatever the inductance: the amplifier's voltage brings the current there in a step."""
    drives = {
        name: Actuator(
            Motor(torque_constant=0.05, resistance=0.8, inductance=inductance, rotor_inertia=1e-5), Gear(60.0)
        )
        for name in IDEAL
    }
    plain = armdyn.ClosedLoop(BARE.with_actuators(IDEAL), armdyn.control.pd_gravity, method=METHOD)
    expected = plain([0.0, 0.0], steps=400, **AIM).final
    rolled = run(drives)
    np.testing.assert_allclose(rolled.final.q, expected.q, rtol=1e-9)
    np.testing.assert_allclose(rolled.rows.tau[:-1], 60.0 * 0.05 * rolled.rows.current[1:], rtol=1e-12)


def test_limits_hold() -> None:
    limits = MotorLimits(voltage=4.0, current=5.0, current_rate=900.0)
    rows = run(
        {
            name: Actuator(Motor(torque_constant=0.05, resistance=0.8, inductance=3e-4, limits=limits), Gear(60.0))
            for name in IDEAL
        }
    ).rows
    assert abs(rows.voltage).max() == 4.0
    assert 4.5 < abs(rows.current).max() <= 5.0 * (1.0 + 1e-12)
    steepest = max(abs(b - a).max() for a, b in pairwise(rows.current))
    assert 0.3 < steepest <= 0.9


def test_temperatures_follow_the_heat() -> None:
    """The recursion of the rises, step by step, with the current of each step."""
    motor = Motor(torque_constant=0.05, resistance=0.8, inductance=3e-4, thermal=Thermal(2.0, 0.5, 4.0, 3.0))
    rows = run({name: Actuator(motor, Gear(60.0)) for name in IDEAL}).rows
    rises = armdyn.actuators.Rises(np.zeros(2), np.zeros(2))
    for current, winding, housing in zip(rows.current[1:], rows.winding_rise[1:], rows.housing_rise[1:], strict=True):
        rises = motor.thermal.next_rises(rises, motor.at(*rises).heat(current), 1e-3)
        np.testing.assert_allclose([winding, housing], rises, rtol=1e-11, atol=1e-15)
    assert rows.winding_rise[-1].max() > 0.01


def test_a_joint_without_a_motor_gets_the_controllers_tau() -> None:
    rows = run({"joint_1": IDEAL["joint_1"]}, steps=5).rows
    assert (rows.current[1:, 0] != 0.0).all()
    assert not rows.current[:, 1].any()
    assert rows.tau[:, 1].all()


def test_commands_that_are_none() -> None:
    with pytest.raises(armdyn.simulation.SettingError, match="command is 'current'; expected 'torque' or 'voltage'"):
        armdyn.control.through_motors(armdyn.control.pd_gravity, command="current")


@armdyn.function("(n),(n),(n)->(n)")
def volts(model, q, qd, supply):
    """Voltages from outside."""
    return supply


@pytest.mark.parametrize("inductance", [0.0, 3e-4])
@pytest.mark.parametrize("warm", [None, Thermal(1.9, 20.0, 4.6, 170.0, magnet_coefficient=-0.001)])
def test_an_amplifier_that_is_given_voltages_keeps_its_limit_of_the_current(
    inductance: float, warm: Thermal | None
) -> None:
    """24 V at rest would drive 80 A through 0.3 ohm; the voltage is then that of 20 A, else the one commanded."""
    limits = MotorLimits(voltage=48.0, current=20.0)
    motor = Motor(1e-5, torque_constant=0.05, resistance=0.3, inductance=inductance, limits=limits, thermal=warm)
    arm = BARE.with_actuators(dict.fromkeys(BARE.joint_names, Actuator(motor, Gear(60.0))))
    driven = armdyn.control.through_motors(volts, command="voltage")
    loop = armdyn.ClosedLoop(arm, driven, method=METHOD, record=["qd", "current", "voltage", "winding_rise"])
    rows = loop([0.0, 0.0], steps=1500, supply=[24.0, -2.0]).rows
    currents, given = rows.current[1:], rows.voltage[:-1]
    assert np.abs(currents).max() == pytest.approx(20.0, rel=1e-12)
    limited = np.abs(currents) > 20.0 * (1 - 1e-12)
    assert 0.1 < limited[:, 0].mean() < 0.9
    np.testing.assert_array_equal(given[~limited], np.broadcast_to([24.0, -2.0], given.shape)[~limited])
    assert (np.abs(given[limited]) < 24.0).all()


def test_voltages_and_powers_of_warm_motors_have_one_current() -> None:
    """V I = tau w + R I^2 with I = tau/k_t of the warm magnets, where the ambient is no reference."""
    thermal = Thermal(2.0, 15.0, 4.0, 120.0, ambient=40.0, reference=25.0, magnet_coefficient=-0.002)
    motor = Motor(2e-5, torque_constant=0.05, resistance=0.7, thermal=thermal)
    arm = BARE.with_actuators(dict.fromkeys(BARE.joint_names, Actuator(motor, Gear(50.0))))
    state, rise = ([0.1, 0.4], [1.0, -0.5], [2.0, 3.0]), np.array([0.0, 30.0])
    w, tau = 50.0 * np.array(state[1]), arm.motor_torques(*state)
    k, R = np.transpose([(motor.at(x).k_t, motor.at(x).R) for x in rise])
    current = tau / k
    np.testing.assert_allclose(arm.motor_voltages(*state, winding_rise=rise), k * w + R * current, rtol=1e-12)
    np.testing.assert_allclose(arm.electrical_power(*state, winding_rise=rise), tau * w + R * current**2, rtol=1e-12)


def test_currents_of_a_lossy_gear_beside_the_books() -> None:
    """I_com = tau_motor/(eta k_t), with eta on the load alone: the rotor's own torque passes no gear."""
    eta, G, rotor = 0.8, 60.0, 1.4e-5
    motor = Motor(torque_constant=0.03, resistance=0.3, rotor_inertia=rotor)
    drives = {"joint_2": Actuator(motor, Gear(G, efficiency=eta))}
    robot = BARE.with_actuators({"joint_2": drives["joint_2"]})
    q, qd, qdd = np.array([0.3, 0.4]), np.array([0.0, 0.5]), np.array([0.2, 0.7])
    load = BARE.inverse_dynamics(q, qd, qdd)[1]
    assert load * qd[1] > 0.0  # the motor drives
    current = robot.current_commands(q, robot.inverse_dynamics(q, qd, qdd))[0]
    np.testing.assert_allclose(current, (load / (G * eta) + G * rotor * qdd[1]) / 0.03, rtol=1e-12)
    still = robot.current_commands(q, robot.inverse_dynamics(q, qd, 0.0 * qdd))[0]
    book = BARE.inverse_dynamics(q, qd, 0.0 * qdd)[1] / G / (eta * 0.03)
    np.testing.assert_allclose(still, book, rtol=1e-12)
