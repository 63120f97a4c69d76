"""Flexible arms and their actuators where two parts of the library meet: parameters, results, loops, events."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.actuators import Actuator, BoucWen, Brake, Coulomb, Gear, LuGre, Motor, Spring, Viscous
from armdyn.base.errors import Unsupported
from armdyn.constraints import PointOnPlane
from armdyn.simulation import Adaptive, BrakeSwitches, RungeKutta4, Start

BARE = armdyn.load("planar_2r")
ELASTIC = Actuator(Motor(2e-4), Gear(40.0), spring=Spring(300.0, damping=1.0))
RK = RungeKutta4(step=1e-3)


def test_friction_in_pi_stays_at_the_rotor_or_the_link() -> None:
    """B thetadd = -(b thetad + c) of the rotor alone; what the description says rubs stays at the link."""
    drive = Actuator(Motor(2e-4), Gear(40.0), [Viscous(5.0), Coulomb(3.0)], spring=Spring(300.0))
    arm = BARE.with_actuators({"joint_1": drive}).with_friction({"joint_1": (0.5, 0.25), "joint_2": (0.1, 0.0)})
    pi = arm.standard_parameters()
    values = pi.values.copy()
    names = list(pi.names)
    for name, factor in (("joint_1.damping", 1.1), ("joint_1.friction", 0.9), ("joint_2.damping", 2.0)):
        values[names.index(name)] *= factor
    new = arm.with_standard_parameters(values)
    joint = new.model.joint("joint_1")
    assert (joint.damping, joint.friction) == (0.5, 0.25)
    rest = ([0.1, 0.2], [0.0, 0.0], [0.1, 0.2])
    only_rotor = new.flexible_forward_dynamics(*rest, [1.0, 0.0], [0.0, 0.0])
    B = 2e-4 * 40.0**2
    np.testing.assert_allclose(only_rotor[1][0], -(5.5 * 1.1 - 0.5 + 3.25 * 0.9 - 0.25) / B, rtol=1e-13)
    np.testing.assert_allclose(new.standard_parameters().values, values, rtol=1e-13)


def test_a_joint_that_follows_one_with_a_spring() -> None:
    """A^T M A qdd = tau_J - A^T h of the links, B thetadd = tau - tau_J of the rotor, with q_joints = A q + offset."""
    arm = BARE.with_actuators({"joint_1": ELASTIC}).with_mimic({"joint_2": ("joint_1", 0.5, 0.1)})
    q, qd, theta, thetad, tau = 0.1, 0.2, 0.11, 0.5, 1.0
    A = np.array([1.0, 0.5])
    at = A * q + [0.0, 0.1]
    spring = 300.0 * (theta - q) + 1.0 * (thetad - qd)
    link = (spring - A @ BARE.inverse_dynamics(at, A * qd, [0.0, 0.0])) / (A @ BARE.mass_matrix(at) @ A)
    found = arm.flexible_forward_dynamics([q], [qd], [theta], [thetad], [tau])
    np.testing.assert_allclose(np.ravel(found), [link, (tau - spring) / (2e-4 * 40.0**2)], rtol=1e-13)


def test_springs_of_coupled_joints_are_never_left_out() -> None:
    """The arm whose sprung joint follows another is not simulated as if it were stiff."""
    arm = BARE.with_actuators({"joint_1": ELASTIC})
    for coupled in (
        arm.with_mimic({"joint_1": ("joint_2", 0.5)}),
        arm.with_coordinates(["u", "v"], [[0.5, 0.5], [0.5, -0.5]]),
    ):
        assert coupled.without_springs().mass_matrix(np.zeros(coupled.dof)).shape == (coupled.dof, coupled.dof)
        with pytest.raises(Unsupported, match="'joint_1' of 'planar_2r' has a spring and is coupled"):
            armdyn.simulate(coupled, np.zeros(coupled.dof), duration=0.01)
        with pytest.raises(Unsupported, match="has a spring and is coupled"):
            coupled.vibration_modes(np.zeros(coupled.dof))


HELD: dict[str, tuple[Actuator, dict[str, Any]]] = {
    "brake": (
        Actuator(gear=Gear(20.0), brake=Brake(0.1)),
        {"elements": [BrakeSwitches({"joint_2": [(0.02, "engaged")]})]},
    ),
    "bristles": (Actuator(friction=LuGre(3e3, 30.0, 0.1, static=15.0, kinetic=10.0, speed=0.1)), {}),
    "sticking": (Actuator(friction=Coulomb(50.0)), {}),
}


@pytest.mark.short_run("brake", "bristles")  # a brake sticks as dry friction does
@pytest.mark.parametrize("name", HELD)
def test_forces_of_constraints_are_those_of_the_motion(name: str) -> None:
    """A^T lambda = what acts on the links less friction, M qdd and h: one number from two equations."""
    rubs, more = HELD[name]
    q0 = np.array([0.4, 0.9])
    plane = PointOnPlane("tip", normal=(1, 0, 0), through=tuple(BARE.forward_kinematics(q0)[:3, 3]))
    held = BARE.with_actuators({"joint_1": ELASTIC, "joint_2": rubs}).with_constraints(plane)
    motion = armdyn.simulate(held, q0, duration=0.05, method=RungeKutta4(step=1e-4), **more)
    s, k = motion.signals, slice(250, None)
    on = motion.tau[k].copy()
    on[:, 0] = 300.0 * (s["theta"] - motion.q)[k, 0] + (s["thetad"] - motion.qd)[k, 0]
    left = on - s["friction"][k] - BARE.inverse_dynamics(motion.q[k], motion.qd[k], motion.qdd[k])
    expected = left / held.constraint_jacobian(motion.q[k])[:, 0]
    found = motion.constraint_forces(held).multipliers[k]
    np.testing.assert_allclose(np.repeat(found, 2, axis=1), expected, rtol=1e-8, atol=1e-8)


def test_what_rubs_at_the_link_beside_bristles_is_refused() -> None:
    q0 = np.array([0.4, 0.9])
    plane = PointOnPlane("tip", normal=(1, 0, 0), through=tuple(BARE.forward_kinematics(q0)[:3, 3]))
    arm = BARE.with_friction({"joint_1": (0.3, 0.0)}).with_actuators(
        {"joint_1": ELASTIC, "joint_2": HELD["bristles"][0]}
    )
    motion = armdyn.simulate(arm.with_constraints(plane), q0, duration=0.01, method=RungeKutta4(step=1e-4))
    with pytest.raises(Unsupported, match="rub while brakes or bristles hold others"):
        motion.constraint_forces(arm.with_constraints(plane))


def test_theta_of_rigid_joints_is_not_read() -> None:
    """Neither by the controller in its first step nor by what is recorded."""
    motor = Motor(2e-4, torque_constant=0.05, resistance=0.4)
    drives = {"joint_1": Actuator(motor, Gear(40.0), spring=Spring(300.0)), "joint_2": Actuator(motor, Gear(40.0))}
    arm = BARE.with_actuators(drives)
    loop = armdyn.ClosedLoop(arm, armdyn.control.motor_pd_gravity, method=RK, record=["tau", "theta"])
    given = {"q_ref": np.array([0.1, 0.3]), "Kp": np.array([400.0, 200.0]), "Kd": np.array([9.0, 4.0])}
    right, other = (
        loop([0.1, 0.3], steps=3, theta=theta, thetad=rates, **given).rows
        for theta, rates in (([0.12, 0.3], [0.1, 0.0]), ([0.12, -7.0], [0.1, 8.0]))
    )
    np.testing.assert_array_equal(right.tau, other.tau)
    np.testing.assert_array_equal(right.theta, other.theta)
    assert right.theta[0].tolist() == [0.12, 0.3]


@pytest.mark.parametrize("at", ["friction", "rotor_friction"])
def test_friction_of_loops_with_bristles(at: str) -> None:
    """At rest what holds the joint, as of a simulation, or no signal at all where that is not known."""
    bends = LuGre(300.0, 3.0, 0.1, static=1.5, kinetic=1.0, speed=0.1)
    dry = Actuator(friction=Coulomb(30.0))
    if at == "rotor_friction":
        dry = Actuator(Motor(2e-4), Gear(40.0), Coulomb(30.0), spring=Spring(300.0, damping=1.0))
    arm = BARE.with_actuators({"joint_1": dry, "joint_2": Actuator(friction=bends)})
    tau = np.array([2.0, 1.0])
    true = armdyn.simulate(arm, [0.1, 0.3], duration=0.2, torque=tau, method=RK)
    found = armdyn.ClosedLoop(arm, method=RK).simulate([0.1, 0.3], steps=200, tau=tau)
    np.testing.assert_allclose(found.q, true.q, rtol=1e-9)
    assert abs(true.signals[at][-1, 0]) > 10.0
    if at == "friction":
        np.testing.assert_allclose(found.signals[at], true.signals[at], rtol=1e-7, atol=1e-7)
    else:
        assert at not in found.signals


def test_plays_beside_friction_with_a_state_have_the_same_events_by_any_method() -> None:
    loose = Actuator(Motor(2e-4), Gear(40.0), BoucWen(100.0, 0.2), spring=Spring(300.0, damping=2.0, backlash=0.02))
    arm = BARE.with_actuators({"joint_1": loose}).with_gravity((0, 0, 0))
    events = []
    for name in ("DOP853", "LSODA", "BDF"):
        motion = armdyn.simulate(
            arm,
            [0.0, 0.3],
            [0.0, 1.5],
            elements=[Start(theta=[0.03, 0.0], thetad=[-3.0, 0.0])],
            duration=0.2,
            torque=lambda t, q, qd: np.array([5.0 * np.cos(25.0 * t), 0.0]),
            method=Adaptive(scipy_method=name, rtol=1e-9, atol=1e-9),
        )
        events.append([(event.kind, round(event.t, 4)) for event in motion.events])
    assert len(events[0]) == 4
    assert events[0] == events[1] == events[2]
    assert [kind for kind, _ in events[0]] == ["contact", "release"] * 2


def test_rates_along_loops_from_unbent_loops_of_hysteresis() -> None:
    """Where the slope of the loop has an infinite slope of its own, 1 < n < 2, at no bending."""
    arm = BARE.with_actuators({"joint_1": Actuator(friction=BoucWen(100.0, 1.0, exponent=1.5))})
    loop, tau, d = armdyn.ClosedLoop(arm, method=RK), np.array([25.0, 4.0]), np.array([1.0, -0.5])
    found = loop.jvp("tau")([0.3, 0.4], steps=80, tau=tau, tangent_tau=d).final.q
    moved = [loop([0.3, 0.4], steps=80, tau=tau + s * d).final.q for s in (1e-5, -1e-5)]
    np.testing.assert_allclose(found, (moved[0] - moved[1]) / 2e-5, rtol=1e-5)


def test_gradients_and_rates_count_the_rotors_of_rigid_joints_as_their_links() -> None:
    """Those by theta of a rigid joint are 0, those by q have the way through it."""
    drives = {"joint_1": ELASTIC, "joint_2": Actuator(Motor(2e-4), Gear(40.0))}
    arm = BARE.with_actuators(drives)

    @armdyn.function("(n),(n),(n),(n),(n)->(n)")
    def law(model: Any, q: Any, qd: Any, theta: Any, thetad: Any, q_ref: Any) -> Any:
        return 50 * (q_ref - theta) - 5 * thetad

    @armdyn.function("(n)->()")
    def cost(model: Any, q: Any) -> Any:
        return q @ q

    loop, names = armdyn.ClosedLoop(arm, law, method=RK), ["q", "qd", "theta", "thetad"]
    state = [np.array(x) for x in ([0.1, 0.3], [0.2, -0.4], [0.12, 0.3], [0.1, -0.4])]
    more: dict[str, Any] = {"steps": 20, "q_ref": np.array([0.4, 0.5])}

    def after(q: Any, qd: Any, theta: Any, thetad: Any) -> Any:
        found = loop(q, qd, theta=theta, thetad=thetad, **more).final.q
        return found @ found

    slopes = loop.gradient(cost, names, *state[:2], theta=state[2], thetad=state[3], **more)
    for k in range(4):
        for joint, e in enumerate(1e-6 * np.eye(2)):
            up, down = ([x + s * e if i == k else x for i, x in enumerate(state)] for s in (1, -1))
            np.testing.assert_allclose(slopes[k + 1][joint], (after(*up) - after(*down)) / 2e-6, atol=1e-8)
    assert slopes.d_theta[1] == slopes.d_thetad[1] == 0.0
