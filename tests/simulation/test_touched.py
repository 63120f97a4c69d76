"""Stops and contacts that are touched without a push, and pushed later; impacts beside barriers that are being left."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import Unsupported
from armdyn.constraints import PointOnPlane
from armdyn.control import momentum_observer, motor_pd_gravity
from armdyn.simulation import Contact, OverTime, RungeKutta4, Stops

PLANAR = armdyn.load("planar_2r", gravity=(0, 0, 0))


@pytest.mark.short_run("adaptive")
@pytest.mark.parametrize("method", ["adaptive", "rk4"])
def test_a_stop_that_is_touched_holds_when_it_is_pushed(method: str) -> None:
    """A reference goes smoothly beyond the stop on which the joint stands: nothing pushes at first."""
    arm = armdyn.load("ur5").with_limits({"shoulder_pan_joint": (-1.0, 0.5)})
    q0 = np.array([0.5, -1.2, 1.4, -0.7, 1.1, 0.2])
    M, way = arm.mass_matrix(q0).diagonal(), np.array([0.5, 0, 0, 0, 0, 0])

    def pd(t: float, q: Any, qd: Any) -> Any:
        ref = q0 + way * (10 * t**3 - 15 * t**4 + 6 * t**5)
        return arm.gravity_forces(q) + 100 * M * (ref - q) - 20 * M * qd

    motion = armdyn.simulate(arm, q0, duration=1.0, torque=pd, elements=[Stops()], method=method)
    assert (motion.q[:, 0] - 0.5).max() < 1.1e-9
    force = motion.signals["stop_force"].max(axis=1)
    np.testing.assert_allclose(force[-1], pd(1.0, motion.q[-1], motion.qd[-1])[0], rtol=0.02)
    assert [event.kind for event in motion.events][-1] == "rest"


@pytest.mark.short_run("adaptive")
@pytest.mark.parametrize("method", ["adaptive", "rk4"])
def test_pushed_after_a_rest_without_a_push(method: str) -> None:
    """Behind an impact that took all speed; by a function, and by a table on straight lines."""
    arm = PLANAR.with_locked({"joint_1": 0.0}).with_limits({"joint_2": (-2.5, 0.2)})
    later = OverTime([0.0, 0.6, 1.0], [[0.0], [0.0], [2.0]], "linear")
    for torque in (lambda t, q, qd: [5 * max(t - 0.6, 0)], later):
        motion = armdyn.simulate(arm, [0.1], [0.5], duration=1.0, method=method, elements=[Stops()], torque=torque)
        assert motion.q.max() - 0.2 < 1.1e-9
        np.testing.assert_allclose(motion.signals["stop_force"][-1].max(), 2.0, rtol=1e-6)


@pytest.mark.short_run("weight-rk4", "torque of its own-adaptive", "torque of the other-adaptive")
@pytest.mark.parametrize("method", ["rk4", "adaptive"])
@pytest.mark.parametrize(
    "torque",
    [None, lambda t, q, qd: [0, 8 * np.sin(5 * t)], lambda t, q, qd: [3 * np.sin(4 * t), 0]],
    ids=["weight", "torque of its own", "torque of the other"],
)
def test_two_stops_at_one_place_take_turns(method: str, torque: Any) -> None:
    """The arm is that whose joint is locked there, also where the load changes its side."""
    arm = armdyn.load("planar_2r")
    tight = arm.with_limits({"joint_2": (0.2, 0.2)})
    given = {"duration": 1.0, "method": method}
    swing = armdyn.simulate(tight, [0.3, 0.2], elements=[Stops()], torque=torque, **given)
    np.testing.assert_allclose(swing.q[:, 1], 0.2, rtol=0, atol=1.1e-9)
    alone = None if torque is None else lambda t, q, qd: torque(t, q, qd)[:1]
    locked = armdyn.simulate(arm.with_locked({"joint_2": 0.2}), [0.3], torque=alone, **given)
    np.testing.assert_allclose(swing.q[-1, 0], locked.q[-1, 0], rtol=0, atol=1e-8)
    force = swing.signals["stop_force"]
    assert (force >= 0).all()
    assert (force.max(axis=0) > 0.1).all()


def test_a_contact_that_is_touched_holds_when_it_is_pushed() -> None:
    arm, q0 = armdyn.load("planar_3r"), np.array([-0.4, -0.5, -0.3])
    height = arm.forward_kinematics(q0)[1, 3]
    floor = Contact(PointOnPlane("tip", normal=(0, 1, 0), through=(0, height, 0), name="floor"))

    def down(t: float, q: Any, qd: Any) -> Any:
        J = arm.jacobian(q, expressed_in="world")[4]
        return arm.gravity_forces(q) - 5.0 * qd - 30.0 * t**2 * J

    motion = armdyn.simulate(arm, q0, duration=0.8, method="rk4", torque=down, elements=[floor])
    assert arm.forward_kinematics(motion.q)[:, 1, 3].min() - height > -1.1e-9
    assert motion.signals["contact_force"][-1, 0] > 10.0


@pytest.mark.parametrize("restitution", [1.0, 0.9, 0.3])
def test_impacts_give_no_energy_beside_a_barrier_that_is_left(restitution: float) -> None:
    """Joint 1 hits its stop while joint 2 leaves its own, which has to push as well."""
    arm = PLANAR.with_limits({"joint_1": (0.3, 2.0), "joint_2": (0.4, 2.0)})
    q, qd = np.array([0.3, 0.4]), np.array([-1.0, 1.0])
    motion = armdyn.simulate(arm, q, qd, duration=0.01, elements=[Stops(restitution)], method="rk4")
    assert motion.energy.kinetic[1] <= motion.energy.kinetic[0] * (1 + 1e-12)
    assert (motion.events[0].qd >= -1e-12).all()
    assert motion.events[0].energy >= -1e-12


def test_no_observer_of_the_stiff_arm_for_flexible_joints() -> None:
    from armdyn.actuators import Actuator, Motor, Spring

    drive = Actuator(Motor(rotor_inertia=0.3), spring=Spring(2000.0, damping=3.0))
    arm = armdyn.load("planar_2r").with_actuators({"joint_1": drive, "joint_2": drive})
    with pytest.raises(Unsupported, match="has flexible joints, between which springs stand"):
        armdyn.ClosedLoop(arm, momentum_observer(motor_pd_gravity)).simulate(
            np.zeros(2), steps=2, q_ref=np.zeros(2), Kp=np.ones(2), Kd=np.ones(2), K_observer=np.ones(2)
        )


def pulse(t: float) -> float:
    """0.4 s out of 3.2."""
    return float(np.clip((t - 1.2) / 0.05, 0, 1) - np.clip((t - 1.6) / 0.05, 0, 1))


FAR = Contact(PointOnPlane("tip", (0, 1, 0), (0, -9, 0), name="far"))
RESTING: dict[str, tuple[armdyn.Robot, Any, dict[str, Any]]] = {
    "held by friction, a contact far away": (
        PLANAR.with_friction({"joint_1": (0, 1.0), "joint_2": (0, 1.0)}),
        lambda t, q, qd: [2 * pulse(t), 0],
        {"elements": [FAR]},
    ),
    "pressed against stops": (
        PLANAR.with_limits({"joint_1": (-1, 0.3), "joint_2": (-1, 0.2)}),
        lambda t, q, qd: np.array([2.0, 1.0]) * (1 - 2.5 * pulse(t)),
        {"elements": [Stops()]},
    ),
}


@pytest.mark.parametrize("name", RESTING)
def test_an_adaptive_method_does_not_step_over_a_pulse_where_nothing_moves(name: str) -> None:
    arm, torque, more = RESTING[name]
    adaptive, steps = (
        armdyn.simulate(arm, [0.3, 0.2], duration=3.2, torque=torque, method=method, **more)
        for method in ("adaptive", RungeKutta4(2e-3))
    )
    assert [event.kind for event in adaptive.events] == [event.kind for event in steps.events]
    assert np.abs(steps.q - steps.q[0]).max() > 0.02
    np.testing.assert_allclose(adaptive.q[-1], steps.q[-1], atol=1e-6)
