"""Controllers of arms with flexible joints, simulated until they are where they should be."""

import numpy as np
import pytest

import armdyn
from armdyn import TraceError, Unsupported
from armdyn.actuators import Actuator, Cogging, Gear, Motor, MotorLimits, Spring, Viscous
from armdyn.control import momentum_observer, motor_pd_gravity
from armdyn.simulation import RungeKutta4
from oracles.flexible import flexible

ARM = armdyn.load("planar_2r").with_gravity((0.0, -9.81, 0.0))
SPRINGS = {"joint_1": Spring(1200.0, cubic=4e4), "joint_2": Spring(700.0)}
METHOD = RungeKutta4(step=1e-3)
ROTOR = 0.3


def arm(springs: dict[str, Spring | None] = SPRINGS) -> armdyn.Robot:
    drives = {name: Actuator(Motor(ROTOR / 100.0**2), Gear(100.0), spring=spring) for name, spring in springs.items()}
    return ARM.with_actuators(drives)


@pytest.mark.parametrize("mixed", [False, True])
def test_the_links_come_to_rest_at_the_aim(mixed: bool) -> None:
    """From everywhere, the deflections by gravity counted, though only rotors are measured."""
    robot = arm({**SPRINGS, "joint_2": None} if mixed else SPRINGS)
    loop = armdyn.ClosedLoop(robot, armdyn.control.motor_pd_gravity, method=METHOD)
    aim = np.array([0.5, -0.4])
    q0 = np.random.default_rng(91).uniform(-2.5, 2.5, (8, 2))
    final = loop(q0, steps=30_000, q_ref=aim, Kp=[300.0, 200.0], Kd=[120.0, 60.0]).final
    np.testing.assert_allclose(final.q, np.broadcast_to(aim, (8, 2)), atol=1e-7)
    bent = robot.spring_deflections(robot.gravity_forces(aim))
    assert bent[0] > 0.01
    np.testing.assert_allclose(final.theta - final.q, np.broadcast_to(bent, (8, 2)), atol=1e-7)


def wave(t: np.ndarray) -> tuple[np.ndarray, ...]:
    """A motion with four derivatives."""
    a, w, t = np.array([0.6, -0.8]), np.array([2.0, 3.0]), np.asarray(t)[..., None]
    s, c = np.sin(w * t), np.cos(w * t)
    return a * s, a * w * c, -a * w**2 * s, -a * w**3 * c, a * w**4 * s


NAMES = ("q_ref", "qd_ref", "qdd_ref", "jerk_ref", "snap_ref")


def furthest(h: float, start: float = 0.0) -> tuple[float, float]:
    """How far the links are from the motion wanted, at most and in the last tenth."""
    robot, steps = flexible(arm(), SPRINGS, Viscous(0.4)), round(2.0 / h)
    tables = dict(zip(NAMES, wave(h * np.arange(steps)), strict=True))
    loop = armdyn.ClosedLoop(
        robot, armdyn.control.flexible_feedforward, method=RungeKutta4(step=h), over_time=NAMES, record=["q"]
    )
    q, qd, *more = wave(np.array(0.0))
    begin = robot.flexible_inverse_dynamics(q, qd, *more)
    rows = loop(q + start, qd, theta=begin.theta + start, thetad=begin.thetad, steps=steps, **tables,
                Kp=[400.0, 300.0], Kd=[60.0, 40.0]).rows  # fmt: skip
    error = abs(rows.q - wave(h * np.arange(steps))[0]).max(axis=-1)
    return float(error.max()), float(error[-steps // 10 :].max())


def test_feedforward_follows_exactly() -> None:
    """Up to what is held during a step: of first order in its length, through the feedback; and beginnings fade."""
    coarse, fine = furthest(2e-3)[0], furthest(1e-3)[0]
    assert fine < 2e-3
    assert coarse / fine == pytest.approx(2.0, rel=0.1)
    begun, late = furthest(1e-3, start=0.05)
    assert begun >= 0.05
    assert late < 0.01


def test_damped_springs_need_their_deflection() -> None:
    robot = arm({**SPRINGS, "joint_2": Spring(700.0, damping=1.0)})
    with pytest.raises(TraceError, match="deflection="):
        robot.compile(armdyn.control.flexible_feedforward)(*np.zeros((9, 2)))


MOTOR = Motor(
    1e-5, torque_constant=0.05, resistance=0.5, inductance=4e-4, cogging=Cogging(0.01, 6.0), limits=MotorLimits(3.0)
)  # fmt: skip
DRIVEN = {"joint_1": Actuator(MOTOR, Gear(100.0), spring=Spring(900.0)), "joint_2": Actuator(MOTOR, Gear(-60.0))}
AIM = {"q_ref": np.array([0.3, -0.2]), "Kp": np.array([60.0, 40.0]), "Kd": np.array([6.0, 4.0])}


def test_motors_behind_springs_turn_with_their_rotors() -> None:
    """Step by step: current and cogging at theta and thetad of the flexible joint, at q and qd of the rigid one."""
    robot, h, G = ARM.with_actuators(DRIVEN), 5e-4, np.array([100.0, -60.0])
    through = armdyn.control.through_motors(armdyn.control.motor_pd_gravity, flexible=True)
    loop = armdyn.ClosedLoop(robot, through, method=armdyn.simulation.SemiImplicitEuler(step=h))
    rolled = loop([0.1, 0.2], theta=[0.15, 0.2], steps=40, **AIM).final
    law = robot.compile(armdyn.control.motor_pd_gravity)
    (q, theta), qd, thetad, current = np.array([[0.1, 0.2], [0.15, 0.2]]), np.zeros(2), np.zeros(2), np.zeros(2)
    for _ in range(40):
        wanted = law(theta, thetad, *AIM.values()) / (G * 0.05)
        volts = [MOTOR.voltage_for(a, i, w, h) for a, i, w in zip(wanted, current, G * thetad, strict=True)]
        steps = zip(current, np.clip(volts, -3.0, 3.0), G * thetad, strict=True)
        current = np.array([MOTOR.next_current(i, volt, w, h) for i, volt, w in steps])
        tau = G * (0.05 * current + MOTOR.cogging_torque(G * theta))
        links, rotors = robot.flexible_forward_dynamics(q, qd, theta, thetad, tau)
        qd, thetad = qd + h * links, thetad + h * np.array([rotors[0], links[1]])
        q, theta = q + h * qd, theta + h * thetad
    assert abs(theta - q)[0] > 1e-3
    np.testing.assert_allclose([rolled.q, rolled.theta], [q, theta], rtol=1e-11)
    np.testing.assert_allclose(rolled.current, current, rtol=1e-10)


@pytest.mark.parametrize(("robot", "flexible"), [(ARM.with_actuators(DRIVEN), False), (ARM, True)])
def test_motors_whose_speeds_are_not_known_are_refused(robot: armdyn.Robot, flexible: bool) -> None:
    loop = armdyn.ClosedLoop(robot, armdyn.control.through_motors(armdyn.control.pd_gravity, flexible=flexible))
    rotors = {"theta": [0, 0], "thetad": [0, 0]} if flexible else {}
    with pytest.raises(Unsupported, match="flexible joints; leave" if flexible else "flexible joints, whose rotors"):
        loop([0.0, 0.0], steps=1, q_ref=[0, 0], qd_ref=[0, 0], Kp=[1, 1], Kd=[1, 1], **rotors)


def test_theta_of_an_arm_without_springs_is_no_state() -> None:
    """It would be an input, a number that is held; that the controller is for other arms is said."""
    stiff, aim = armdyn.load("planar_2r"), dict.fromkeys(("q_ref", "Kp", "Kd"), np.zeros(2))
    loop = armdyn.ClosedLoop(stiff, armdyn.control.motor_pd_gravity)
    with pytest.raises(
        TypeError, match=r"misses theta, thetad; .* the states of their rotors; this arm has no springs"
    ):
        loop([0.0, 0.0], steps=1, **aim)
    with pytest.raises(TypeError, match=r"misses Kd; it takes theta, thetad, q_ref, Kp, Kd, f_tip$"):
        loop([0.0, 0.0], steps=1, theta=np.zeros(2), thetad=np.zeros(2), q_ref=np.zeros(2), Kp=np.zeros(2))


def test_no_observer_of_the_stiff_arm() -> None:
    drive = Actuator(Motor(rotor_inertia=0.3), spring=Spring(2000.0, damping=3.0))
    arm = armdyn.load("planar_2r").with_actuators({"joint_1": drive, "joint_2": drive})
    given = dict.fromkeys(("q_ref", "Kp", "Kd", "K_observer"), np.ones(2))
    with pytest.raises(Unsupported, match="has flexible joints, between which springs stand"):
        armdyn.ClosedLoop(arm, momentum_observer(motor_pd_gravity)).simulate(np.zeros(2), steps=2, **given)
