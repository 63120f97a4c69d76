"""Guesses that lead nowhere, functions of any scale, frames half a turn apart: what `close_loop` makes of them."""

import numpy as np
import pytest

import armdyn
from armdyn import constraints as c
from armdyn.constraints.fields import axes_along
from oracles.short_run import short_run
from oracles.states import assert_close

Q = np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])


@pytest.fixture(scope="module")
def arm() -> armdyn.Robot:
    return armdyn.load("ur5")


@pytest.fixture(scope="module")
def planar() -> armdyn.Robot:
    return armdyn.load("planar_2r")


def test_a_distance_between_points_that_coincide(planar):
    """It has no gradient there; beside the guess it has."""
    robot = planar.with_constraints(c.Distance("tip", length=0.5, to_point=(2, 0, 0), name="rod"))
    q = robot.close_loop([0.0, 0.0])
    p = np.array([np.cos(q[0]) + np.cos(q.sum()), np.sin(q[0]) + np.sin(q.sum())])
    assert_close(np.linalg.norm(p - [2, 0]), 0.5, 1e-9)


def test_a_guess_without_numbers_all_around(planar):
    robot = planar.with_constraints(c.Holonomic(lambda model, q: np.sqrt(q[0] - 100.0), "root", name="own"))
    with pytest.raises(c.OpenLoop, match="the guess q of 'planar_2r' does not give finite constraints"):
        robot.close_loop([0.0, 0.0])


@pytest.mark.short_run("1e-08")
@pytest.mark.parametrize("scale", short_run([1e-8, 1.0, 1e4, 1e6, 1e12], 1e-8, 1e12))
def test_no_factor_of_a_function_matters(arm, scale):
    surface = c.PointOnSurface("tool0", lambda p: scale * (p @ p - 0.3), name="sphere")
    robot = arm.with_constraints(surface, c.PointOnPlane("tool0", (0, 0, 1), (0, 0, 0.2), name="plane"))
    rng = np.random.default_rng(1)
    for _ in range(20):
        q = robot.close_loop(rng.uniform(-2.0, 2.0, 6))
        p = arm.forward_kinematics(q)[:3, 3]
        assert abs(p @ p - 0.3) < 1e-10
        assert abs(p[2] - 0.2) < 1e-10
        robot.force_projection(q)  # what is closed for the one is for the others
    moved = q + 1e-3 * np.eye(6)[1]
    phi, gradient = robot.constraint_error(moved)[0], np.linalg.norm(robot.constraint_jacobian(moved)[0])
    with pytest.raises(c.OpenLoop, match=r"'sphere' is .* by its gradient, rad or m of the joints") as caught:
        robot.force_projection(moved)
    assert f"which is {phi / gradient:.6g} by" in str(caught.value)


def test_a_function_that_only_touches_zero(planar):
    robot = planar.with_constraints(c.Holonomic(lambda model, q: (q[0] - 0.3) ** 2, "square", name="own"))
    assert abs(robot.close_loop([0.7, 0.2])[0] - 0.3) < 1e-9
    np.testing.assert_array_equal(robot.close_loop([0.3, 0.2]), [0.3, 0.2])


def test_a_gradient_that_rounding_left_of_zero(planar):
    """Stretched against a sphere: phi and A are both of the size of rounding."""
    robot = planar.with_constraints(c.PointOnSurface("tip", lambda p: p @ p - 4.0, name="sphere"))
    for q in ([0.3, 0.0], [0.7, 0.0], [1.1, 0.0]):
        assert abs(robot.constraint_jacobian(q)).max() < 1e-14
        assert np.isfinite(robot.constrained_inverse_dynamics(q, [0.0, 0.0], [0.0, 0.0])).all()
        assert_close(robot.close_loop(q), q, 1e-9)


def test_velocities_of_a_function_of_any_scale(planar):
    still = planar.with_constraints(c.Holonomic(lambda model, q: 1e-9 * (q[0] - 0.3), "slow", name="own"))
    with pytest.raises(c.InconsistentMotion, match=r"'own: slow' is 1e-09, which is 1 by its gradient"):
        still.constrained_forward_dynamics([0.3, 0.2], [1.0, 0.0], [0.0, 0.0])
    with pytest.raises(c.InconsistentMotion, match="no velocities qd of 'planar_2r' keep the constraints"):
        still.close_velocities([0.3, 0.2], [1.0, 0.0], locked=["joint_1"])


@pytest.mark.parametrize("flip", [(1, -1, -1), (-1, 1, -1), (-1, -1, 1)])
def test_a_guess_half_a_turn_about_three_axes_away(arm, flip):
    T = arm.forward_kinematics(Q)
    T[:3, :3] = T[:3, :3] @ np.diag(flip)
    robot = arm.with_constraints(c.Held("tool0", axes=("rx", "ry", "rz"), to_pose=T, name="held"))
    q = robot.close_loop(Q)
    assert_close(arm.forward_kinematics(q)[:3, :3], T[:3, :3], 1e-9)


def test_one_held_axis_is_a_sine_and_pi_is_not_closed(planar):
    robot = planar.with_constraints(c.Held("tip", axes=("rz",), name="upright"))
    assert_close(robot.constraint_error([0.3, 0.0]), [np.sin(0.3)], 1e-14)
    assert abs(robot.constraint_error([np.pi, 0.0])[0]) < 1e-15  # the second zero
    for guess in ([np.pi, 0.0], [3.0, 0.0], [1.0, 2.5], [-2.0, -1.0]):
        q = robot.close_loop(guess)
        assert_close(np.cos(q.sum()), 1.0, 1e-12)
    q = robot.close_loop([np.pi, 0.0], locked=["joint_2"])
    assert q[1] == 0.0
    assert_close(np.cos(q[0]), 1.0, 1e-12)


def test_what_is_half_a_turn_away_whatever_the_motion_is_named():
    """The only joint stands along the held axis's own normal: no motion turns the frame back."""
    part = armdyn.Part("arm", "base", axis=(1, 0, 0), inertia=armdyn.Inertia(1.0, [0.1, 0, 0], np.eye(3) * 0.01))
    robot = armdyn.Robot.from_links([part], tip="arm", name="one")
    turned = np.diag([1.0, -1.0, -1.0, 1.0])
    slid = c.JointCoupling({robot.joint_names[0]: 1.0}, name="stays")
    held = robot.with_constraints(slid, c.Held("arm", axes=("rx",), to_pose=turned, name="held"))
    assert abs(held.constraint_error([0.0])).max() < 1e-15
    with pytest.raises(c.OpenLoop, match="has the frames of 'held: rx' half a turn apart"):
        held.close_loop([0.0])


def test_components_of_a_wrench_by_one_word_and_by_none(planar):
    robot = planar.with_constraints(c.PointOnPlane("tip", (1, 0, 0), name="channel"))
    one = robot.with_constraints()
    three = armdyn.load("planar_3r").with_constraints(c.PointOnPlane("tip", (1, 0, 0), name="channel"))
    q = [0.3, 0.5, 0.2]
    word = three.constraint_wrench(q, [2.0], expressed_in="world", components="fx")
    np.testing.assert_array_equal(word, three.constraint_wrench(q, [2.0], expressed_in="world", components=("fx",)))
    assert_close(word, np.array([2.0]), 1e-12)
    with pytest.raises(c.ConstraintError, match=r"components=\(\) names none; expected some of mx, my"):
        one.constraint_wrench([0.3, 0.5], [1.0], components=())
    with pytest.raises(armdyn.UnknownName, match="no component 'fw' in a wrench"):
        one.constraint_wrench([0.3, 0.5], [1.0], components="fw")
    with pytest.raises(c.ConstraintError, match="names one more than once"):
        one.constraint_wrench([0.3, 0.5], [1.0], components=("fx", "fx"))


def test_a_wrench_holds_the_components_asked_for_in_their_order():
    slope = c.PointOnPlane("tip", np.array([3.0, 4.0, 0.0]) / 5.0, name="slope")
    arm = armdyn.load("planar_3r").with_constraints(slope)
    states, way = np.array([[0.3, 0.5, 0.2], [-0.7, 1.1, 0.4]]), {"expressed_in": "world"}
    xy = arm.constraint_wrench(states, [[2.0], [-1.0]], components=("fx", "fy"), **way)
    assert_close(xy, np.array([[1.2, 1.6], [-0.6, -0.8]]), 1e-12)
    yzx = arm.constraint_wrench(states, [[2.0], [-1.0]], components=("fy", "mz", "fx"), **way)
    assert_close(yzx, np.column_stack([xy[:, 1], [0, 0], xy[:, 0]]), 1e-12)
    back = arm.multipliers_of_wrench(states, yzx, components=("fy", "mz", "fx"), **way)
    assert_close(back, np.array([[2.0], [-1.0]]), 1e-12)
    with pytest.raises(armdyn.ShapeError, match=r"wrench has shape \(2, 3\); expected \(..., 2\), fx, fy"):
        arm.multipliers_of_wrench(states, yzx, components=("fx", "fy"), **way)


@pytest.mark.parametrize(
    ("axis", "x"),
    [((1, 0, 0), (0, 1, 0)), ((0, -2, 0), (0, 0, 1)), ((0, 0, 3), (1, 0, 0)), ((3, 0, 4), (0, 1, 0)),
     ((1, 2, -3), (13, -2, 3))],
)  # fmt: skip
def test_the_turn_that_a_slide_holds(axis, x):
    """x of its axes is what of one coordinate axis lies across the slide's: the rule that the docstring states."""
    R = axes_along(c.PointOnPlane("tip", axis).normal)
    assert_close(R[:, 2], np.array(axis) / np.linalg.norm(axis), 1e-15)
    assert_close(R[:, 0], np.array(x) / np.linalg.norm(x), 1e-15, floor=1.0)
    assert_close(np.linalg.det(R), 1.0, 1e-14)
    held = c.slide("carriage", axis=axis, to_axis=(0, 0, 1))
    np.testing.assert_array_equal(held.T_frame_A[:3, :3], R)
    np.testing.assert_array_equal(held.T_to_B[:3, :3], np.eye(3))


def test_a_coupling_of_a_joint_that_is_no_coordinate_any_more(planar):
    robot = planar.with_constraints(c.JointCoupling({"joint_1": 1.0, "joint_2": -2.0}, name="belt"))
    with pytest.raises(armdyn.UnknownName, match=r"'joint_2' .* constraint 'belt' .* moves with others") as caught:
        robot.with_mimic({"joint_2": ("joint_1", 0.5)})
    assert str(caught.value).startswith("no coordinate 'joint_2' in 'planar_2r', which constraint 'belt' still names")
    with pytest.raises(armdyn.UnknownName, match=r"no joint 'joint_3' in 'planar_2r', which constraint 'belt' names"):
        planar.with_constraints(c.JointCoupling({"joint_3": 1.0}, name="belt"))


def test_forces_of_actuators_have_units():
    part = armdyn.Part("car", "base", "prismatic", axis=(1, 0, 0), inertia=armdyn.Inertia(1.0, [0, 0, 0], np.eye(3)))
    pole = armdyn.Part("pole", "car", "revolute", axis=(0, 0, 1), inertia=armdyn.Inertia(1.0, [0.5, 0, 0], np.eye(3)))
    robot = armdyn.Robot.from_links([part, pole], tip="pole", name="cart", gravity=(1.5, -9.81, 0))
    car, turn = robot.joint_names
    other = robot.with_constraints(c.Pfaffian(lambda model, q: np.array([0.0, 1.0]), "still", name="brake"))
    with pytest.raises(c.ConstraintError, match=rf"passive joint '{car}' would have to carry 3 N\."):
        other.actuator_forces([0.0, 0.0], [0, 0], [0, 0], actuated=[turn])
