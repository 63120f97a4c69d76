"""Locked joints, sub-chains and chosen tips: the rest of the robot is the robot Pinocchio makes of the same choice.

Comparisons with Pinocchio are of the bare body, without damping and friction.
"""

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from oracles.cases import Case, general_gravity, pinocchio_from_urdf
from oracles.robot_data import ROBOTS, bare, sub_chain, written
from oracles.states import assert_close, random_states

TIAGO = "tiago_description/robots/tiago_no_hand.urdf"
BAXTER = "baxter_description/urdf/baxter.urdf"


def assert_same_robot(case: Case) -> None:
    s = random_states(case.n, 10, seed=7)
    torques = np.array([case.inverse_dynamics(*x) for x in zip(s.q, s.qd, s.qdd, s.f_tip, strict=True)])
    assert_close(case.robot.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip), torques)
    accelerations = np.array([case.forward_dynamics(*x) for x in zip(s.q, s.qd, s.tau, s.f_tip, strict=True)])
    assert_close(case.robot.forward_dynamics(s.q, s.qd, s.tau, s.f_tip), accelerations, relative=1e-10)


def test_locked_joints_are_welded_where_they_are_held() -> None:
    locked = {"torso_lift_joint": 0.17, "arm_3_joint": -0.83, "head_1_joint": 0.4, "wheel_left_joint": 2.5}
    path, gravity = written(bare(TIAGO), "tiago_locked"), general_gravity("locked")
    robot = armdyn.Robot.from_urdf(path, tip="arm_tool_link", locked=locked, gravity=gravity, friction="ignore")
    assert not set(locked) & set(robot.joint_names)
    assert_same_robot(Case("tiago_locked", robot, pinocchio_from_urdf(path, gravity, locked)))


@pytest.mark.slow
def test_sub_chain_keeps_the_joints_between_base_and_tip_and_what_is_welded_to_them() -> None:
    gravity = general_gravity("chain")
    whole = bare(TIAGO)
    part = written(sub_chain(whole, "torso_fixed_link", "arm_tool_link"), "tiago_chain")
    robot = armdyn.Robot.from_urdf(
        written(whole, "tiago_whole"),
        base="torso_fixed_link",
        tip="arm_tool_link",
        chain=True,
        gravity=gravity,
        friction="ignore",
    )
    assert robot.joint_names[0] == "torso_lift_joint"
    assert robot.dof == 8
    assert_same_robot(Case("tiago_chain", robot, pinocchio_from_urdf(part, gravity, {})))


def test_arm_of_a_two_armed_robot_from_its_shoulder() -> None:
    gravity = general_gravity("arm")
    whole = bare(BAXTER)
    part = written(sub_chain(whole, "left_arm_mount", "left_gripper"), "baxter_arm")
    robot = armdyn.Robot.from_urdf(
        written(whole, "baxter_whole"),
        base="left_arm_mount",
        tip="left_gripper",
        chain=True,
        gravity=gravity,
        friction="ignore",
    )
    assert robot.dof == 7
    assert_same_robot(Case("baxter_arm", robot, pinocchio_from_urdf(part, gravity, {})))


def test_fingers_follow_their_locked_leader() -> None:
    path = ROBOTS / "panda_description/urdf/panda.urdf"
    robot = armdyn.Robot.from_urdf(path, locked={"panda_finger_joint1": 0.03})
    model = pinocchio_from_urdf(path, robot.gravity, {"panda_finger_joint1": 0.03, "panda_finger_joint2": 0.03})
    q = random_states(7, 1).q[0]
    np.testing.assert_allclose(robot.mass_matrix(q), Case("panda", robot, model).mass_matrix(q), rtol=1e-12, atol=1e-14)


def test_another_tip_moves_the_wrench_and_not_the_robot(tree: Case) -> None:
    s = random_states(tree.n, 5, seed=8)
    other = Case("other tip", tree.robot.with_tip("link4"), tree.pin)
    np.testing.assert_array_equal(other.robot.gravity_forces(s.q), tree.robot.gravity_forces(s.q))
    assert_same_robot(other)


def test_gravity_is_the_acceleration_of_free_fall_in_base_axes(ur5: Case) -> None:
    q = random_states(6, 1).q[0]
    for gravity in ([0.0, 0.0, -9.81], [1.2, -3.4, 5.6]):
        model = ur5.pin.copy()
        model.gravity.linear = np.array(gravity)
        expected = pin.computeGeneralizedGravity(model, model.createData(), q)
        np.testing.assert_allclose(ur5.robot.with_gravity(gravity).gravity_forces(q), expected, rtol=1e-12, atol=1e-13)
