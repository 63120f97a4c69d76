"""The motion of the tip and the forces of constraints along a motion."""

import dataclasses
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn import ShapeError, UnknownName
from armdyn.actuators import Actuator, Coulomb, Gear, Motor, Spring, Viscous
from armdyn.simulation import Constraints, Contact, SaveAt, SettingError, Stops
from oracles.cases import ANGULAR_FIRST, Case
from oracles.states import assert_close


def test_the_tip_of_a_planar_arm_in_closed_form() -> None:
    arm = armdyn.load("planar_2r")  # both links are 1 m long
    motion = armdyn.simulate(
        arm, [[0.3, -1.0], [1.0, 0.5]], [[1.0, 2.0], [0.0, -1.0]], duration=0.5, save=SaveAt(every=0.05)
    )
    hand = motion.tip_motion(arm)
    a, ad, add = motion.q[..., 0], motion.qd[..., 0], motion.qdd[..., 0]
    b, bd, bdd = (x.sum(axis=-1) for x in (motion.q, motion.qd, motion.qdd))
    zero = np.zeros_like(a)
    position = np.stack([np.cos(a) + np.cos(b), np.sin(a) + np.sin(b), zero], axis=-1)
    velocity = np.stack([-ad * np.sin(a) - bd * np.sin(b), ad * np.cos(a) + bd * np.cos(b), zero], axis=-1)
    acceleration = np.stack(
        [-add * np.sin(a) - bdd * np.sin(b) - ad**2 * np.cos(a) - bd**2 * np.cos(b),
         add * np.cos(a) + bdd * np.cos(b) - ad**2 * np.sin(a) - bd**2 * np.sin(b), zero], axis=-1,
    )  # fmt: skip
    np.testing.assert_allclose(hand.position, position, rtol=0, atol=1e-14)
    np.testing.assert_allclose(hand.twist[..., 3:], velocity, rtol=0, atol=1e-13)
    np.testing.assert_allclose(hand.twist_rate[..., 3:], acceleration, rtol=0, atol=2e-12)
    np.testing.assert_allclose(hand.twist[..., 2], bd, rtol=1e-14)
    np.testing.assert_allclose(hand.twist_rate[..., 2], bdd, rtol=1e-13)


def test_any_frame_is_pinocchios(ur5: Case) -> None:
    motion = armdyn.simulate(ur5.robot, np.linspace(0.1, 1.1, 6), duration=0.3, save=SaveAt(every=0.06))
    for frame in (ur5.robot.tip, "forearm_link"):
        hand = motion.tip_motion(ur5.robot, frame=frame)
        index, axes, twists, rates = ur5.pin.getFrameId(frame), pin.LOCAL_WORLD_ALIGNED, [], []
        for q, qd, qdd in zip(motion.q, motion.qd, motion.qdd, strict=True):
            pin.forwardKinematics(ur5.pin, ur5.data, ur5.pin_q(q), ur5.to_pin(qd), ur5.to_pin(qdd))
            pin.updateFramePlacements(ur5.pin, ur5.data)
            twists.append(pin.getFrameVelocity(ur5.pin, ur5.data, index, axes).vector[ANGULAR_FIRST])
            acceleration = pin.getFrameClassicalAcceleration(ur5.pin, ur5.data, index, axes).vector
            rates.append(acceleration[ANGULAR_FIRST])
        assert_close(hand.twist, np.array(twists), floor=1.0)
        assert_close(hand.twist_rate, np.array(rates), floor=1.0)
        np.testing.assert_allclose(hand.pose, ur5.robot.forward_kinematics(motion.q, frame=frame), rtol=0, atol=1e-15)


def test_constraint_forces_close_the_equations_of_motion() -> None:
    channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    arm = armdyn.load("planar_2r").with_constraints(channel)
    q = [-np.pi / 3, 2 * np.pi / 3]
    push = [0.0, 0.0, 0.0, 3.0, 1.0, 0.0]
    for f_tip in (None, push):
        motion = armdyn.simulate(arm, q, duration=0.3, torque=[1.0, -2.0], f_tip=f_tip, save=SaveAt(every=0.05))
        forces = motion.constraint_forces(arm)
        assert forces.multipliers.shape == (7, 1)
        assert np.abs(forces.multipliers).min() > 1e-3
        at_tip = 0.0 if f_tip is None else arm.tip_forces(motion.q, motion.f_tip)
        M, h = arm.mass_matrix(motion.q), arm.bias_forces(motion.q, motion.qd)
        left = np.einsum("tij,tj->ti", M, motion.qdd) + h + forces.joint_forces + at_tip
        np.testing.assert_allclose(left, motion.tau, rtol=0, atol=1e-11)
        # A force of lambda along x at the tip, by its own Jacobian:
        along_x = arm.jacobian(motion.q, expressed_in="world")[:, 3] * forces.multipliers
        np.testing.assert_allclose(np.abs(forces.joint_forces), np.abs(along_x), rtol=1e-9, atol=1e-12)


def rub(robot: armdyn.Robot, kind: str) -> armdyn.Robot:
    """The robot with joints that stick: by dry friction, or by gears that lose and cannot be driven back."""
    drive = {
        "dry": Actuator(friction=[Coulomb(2.0), Viscous(0.3)]),
        "lossy": Actuator(Motor(1.4e-5), Gear(100.0, efficiency=0.45), friction=[Coulomb(0.5)]),
    }[kind]
    return robot.with_actuators(dict.fromkeys(robot.joint_names, drive))


@pytest.mark.short_run("lossy")  # has dry friction too
@pytest.mark.parametrize("kind", ["dry", "lossy"])
def test_constraint_forces_of_joints_that_stick(kind: str) -> None:
    channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    arm = rub(armdyn.load("planar_2r").with_constraints(channel).with_gravity((0, 0, 0)), kind)
    q = arm.close_loop([-0.9, 2.0], locked=["joint_1"])

    def torque(t: float, q: np.ndarray, qd: np.ndarray) -> list[float]:
        return [12.0 * np.exp(-2.0 * t) * np.sin(6.0 * t), 1.0]

    motion = armdyn.simulate(
        arm, q, duration=1.5, torque=torque, save=SaveAt(every=0.05), elements=[Constraints(project=True)]
    )
    assert {event.kind for event in motion.events} >= {"stick", "slip"}
    sticks = (motion.qd == 0.0).all(axis=-1)
    assert sticks.any()
    assert not sticks.all()
    assert_equations_close(motion, arm, np.zeros(motion.q.shape))


def test_constraint_forces_beside_stops_and_contacts() -> None:
    """An arm whose tip slides down a wall comes to rest on a floor, or at the stop of its first joint."""
    wall = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="wall")
    floor = armdyn.constraints.PointOnPlane("tip", normal=(0, 1, 0), through=(0, -0.3, 0), name="floor")
    arm = armdyn.load("planar_2r").with_constraints(wall)
    q, contacts = arm.close_loop([-0.6, 1.5], locked=["joint_1"]), [Contact(floor)]
    falls = armdyn.simulate(
        arm, q, duration=1.5, elements=[*contacts, Constraints(project=True)], save=SaveAt(every=0.05)
    )
    push = falls.signals["contact_force"]
    assert push[-1, 0] > 1.0
    up = arm.without_constraints().with_constraints(floor).constraint_jacobian(falls.q)
    assert_equations_close(falls, arm, np.einsum("tk,tkn->tn", push, up), contacts=contacts)
    with pytest.raises(ShapeError, match=r"0 contacts; 1 push in this motion, .* Give contacts= as they were given"):
        falls.constraint_forces(arm)
    for wrong in ([floor], floor, "floor"):
        with pytest.raises(
            SettingError, match=r"contacts has .*; expected objects such as armdyn\.simulation\.Contact"
        ):
            falls.constraint_forces(arm, contacts=wrong)
    alone = falls.constraint_forces(arm, contacts=contacts[0])
    np.testing.assert_array_equal(alone.multipliers, falls.constraint_forces(arm, contacts=contacts).multipliers)

    stopped = arm.with_limits({"joint_1": (-0.9, 0.5), "joint_2": (0.1, 2.5)})
    falls = armdyn.simulate(
        stopped,
        q,
        duration=1.5,
        elements=[Stops(joints=["joint_1"]), Constraints(project=True)],
        save=SaveAt(every=0.05),
    )
    push = falls.signals["stop_force"] @ [1.0, -1.0]  # the lower stop pushes forwards, the upper one backwards
    assert push[-1] > 1.0
    assert_equations_close(falls, stopped, np.stack([push, 0.0 * push], axis=-1))
    with pytest.raises(
        ShapeError, match=r"does not say which stops push\. Give their names, as trajectory\.with_signal"
    ):
        dataclasses.replace(falls, signal_labels={}).constraint_forces(stopped)
    with pytest.raises(ShapeError, match=r"does not say which stops push"):
        falls.with_signal_labels(stop_force=[("a", "N m"), ("b", "N m")]).constraint_forces(stopped)


def test_flexible_arms_that_stick_or_press_are_refused() -> None:
    channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    floor = armdyn.constraints.PointOnPlane("tip", normal=(0, 1, 0), through=(0, -0.3, 0), name="floor")
    arm = armdyn.load("planar_2r").with_constraints(channel)
    arm = arm.with_actuators({"joint_1": Actuator(Motor(1e-3), Gear(10.0), spring=Spring(500.0, 3.0))})
    q = arm.close_loop([-0.6, 1.5], locked=["joint_1"])
    motion = armdyn.simulate(arm, q, duration=1.0, elements=[Contact(floor)], save=SaveAt(every=0.05))
    with pytest.raises(armdyn.Unsupported, match=r"press against contacts in this motion; .* trajectory\.between"):
        motion.constraint_forces(arm)
    free = motion.between(0.0, 0.05)
    assert np.isfinite(free.constraint_forces(arm).multipliers).all()


def assert_equations_close(motion: armdyn.Trajectory, robot: armdyn.Robot, pushed: np.ndarray, **given: Any) -> None:
    """M qdd + h + friction + A^T lambda = tau + a^T p in every sample, M with its rotors."""
    forces = motion.constraint_forces(robot, **given)
    friction = motion.signals.get("friction", np.zeros(motion.q.shape))
    bare = robot.without_friction()
    M, h = bare.mass_matrix(motion.q), bare.bias_forces(motion.q, motion.qd)
    left = np.einsum("tij,tj->ti", M, motion.qdd) + h + friction + forces.joint_forces
    np.testing.assert_allclose(left, motion.tau + pushed, rtol=0, atol=1e-8)


def test_what_did_not_move_is_refused() -> None:
    motion = armdyn.simulate(armdyn.load("rp"), [0.0, 1.0], duration=0.1)
    for ask in (motion.tip_motion, motion.constraint_forces):
        with pytest.raises(
            ShapeError, match=r"the joints of 'ur5' are shoulder_pan_joint, .*; those that moved are joint"
        ):
            ask(armdyn.load("ur5"))
        with pytest.raises(ShapeError, match="robot is 'rp'; expected the Robot that moved"):
            ask("rp")
    with pytest.raises(ShapeError, match="Give the robot that was simulated"):
        motion.tip_motion(armdyn.load("planar_2r"))  # the same names, and no slide
    with pytest.raises(UnknownName, match="no frame 'hand'"):
        motion.tip_motion(armdyn.load("rp"), frame="hand")
    with pytest.raises(armdyn.ModelError, match="no constraints"):
        motion.constraint_forces(armdyn.load("rp"))
