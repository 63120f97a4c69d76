"""The worst pose of gravity: closed forms and brute force on arms of two and three joints, and repairs in N m."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.doctor.checks.efforts import worst_gravity
from armdyn.doctor.worst_pose import AddedMass, bounds, carried, change_of_gravity, largest_change, worst
from doctor.arms import RIGHT, examined, replaced

G = 9.81


def arm_of(text: str) -> armdyn.Robot:
    return armdyn.load(text)


def test_an_arm_of_three_equal_links_is_worst_when_it_is_stretched() -> None:
    """Each link of 4 kg and 0.3 m: g_1 = 4 g (0.15 + 0.45 + 0.75), g_2 = 4 g (0.15 + 0.45), g_3 = 4 g 0.15."""
    largest, poses = worst_gravity(arm_of(RIGHT))
    np.testing.assert_allclose(largest, 4 * G * np.array([1.35, 0.6, 0.15]), rtol=1e-12)
    np.testing.assert_allclose(poses[0][1:], 0.0, atol=1e-6)


def test_limits_keep_two_joints_from_the_stretched_pose() -> None:
    """With q_2 >= 0.5 the resultant of a and b at the angle q_2 is sqrt(a^2 + b^2 + 2 a b cos 0.5)."""
    limited = replaced('lower="-2.5"', 'lower="0.5"', "joint_2", RIGHT)
    robot = arm_of(limited).with_locked({"joint_3": 0.0})
    largest, poses = worst_gravity(robot)
    a, b = 4 * G * (0.15 + 0.6), 4 * G * (0.15 + 0.45)
    assert largest[0] == pytest.approx(np.sqrt(a**2 + b**2 + 2 * a * b * np.cos(0.5)), rel=1e-12)
    assert poses[0][1] == pytest.approx(0.5)


@pytest.mark.parametrize(("low", "high"), [(-2.5, 2.6), (0.4, 1.1), (-2.0, -1.7)])
def test_no_pose_of_a_fine_grid_is_worse(low: float, high: float) -> None:
    """Brute force over 61^3 poses of three joints with skew axes."""
    text = RIGHT.replace('lower="-2.5" upper="2.6"', f'lower="{low}" upper="{high}"')
    text = replaced('<axis xyz="0 1 0"/>', '<axis xyz="0.6 0 0.8"/>', "joint_2", text)
    robot = arm_of(text)
    q = np.array(list(product(np.linspace(low, high, 61), repeat=3)))
    brute = np.abs(robot.gravity_forces(q)).max(axis=0)
    largest, poses = worst_gravity(robot)
    assert (largest >= brute * (1 - 1e-12)).all()
    np.testing.assert_allclose(largest, brute, rtol=5e-3)
    for k in range(3):
        assert abs(robot.gravity_forces(poses[k])[k]) == pytest.approx(largest[k], rel=1e-12)
        assert (poses[k] >= low - 1e-12).all()
        assert (poses[k] <= high + 1e-12).all()


@pytest.mark.parametrize("name", ["ur5", "scara", "stanford"])
def test_a_change_of_mass_and_centre_changes_gravity_by_so_much(name: str) -> None:
    """The difference of g(q) of two robots, at random poses."""
    robot = armdyn.load(name)
    link = robot.link_names[-2]
    before = robot.model.link(link).inertia
    after = armdyn.Inertia(before.mass + 1.3, before.com + np.array([0.02, -0.05, 0.1]), before.tensor + np.eye(3))
    links = tuple(armdyn.model.Link(one.name, after) if one.name == link else one for one in robot.model.links)
    heavier = armdyn.Robot(robot.model.replace(links=links))
    q = robot.random_configuration(3, 20)
    moment = after.mass * after.com - before.mass * before.com
    added = AddedMass.at(robot, link, after.mass - before.mass, moment)
    change = change_of_gravity(robot, added)(q)
    expected = heavier.gravity_forces(q) - robot.gravity_forces(q)
    np.testing.assert_allclose(change, expected, rtol=0, atol=1e-12 * np.abs(heavier.gravity_forces(q)).max())
    largest, _ = worst(robot, change_of_gravity(robot, added))
    assert (largest >= np.abs(expected).max(axis=0) - 1e-12).all()


def test_a_repair_states_gravity_at_the_worst_pose(tmp_path: Path) -> None:
    """4000 kg to 4 kg on the second link: joint 1 carries 3996 g (0.3 + 0.15) less when stretched."""
    findings = examined(replaced('value="4"', 'value="4000"'), tmp_path)
    repair = next(one.repairs[0] for one in findings if one.link == "link_2" and one.repairs)
    stated = re.search(r"gravity on 'joint_1' by up to (\S+) N m, at q = ", repair.consequence)
    assert stated, repair.consequence
    assert float(stated[1]) == pytest.approx(3996 * G * 0.45, rel=5e-3)


def test_a_repair_of_moments_states_the_torque_of_an_acceleration(tmp_path: Path) -> None:
    findings = examined(replaced('iyy="0.0321" iyz="0" izz="0.0321"', 'iyy="32.1" iyz="0" izz="32.1"'), tmp_path)
    repair = next(one.repairs[0] for one in findings if one.link == "link_2" and one.repairs)
    assert "1 rad/s^2 of 'joint_2' takes 32.1 N m less" in repair.consequence


@pytest.mark.parametrize("name", ["planar_2r", "scara", "stanford", "ur5"])
def test_no_pose_exceeds_the_bound(name: str) -> None:
    """The bound of the stretched chain; zero for a joint with a vertical axis that nothing tilts."""
    robot = armdyn.load(name)
    highest = bounds(robot.model, carried(robot.model))
    largest, _ = worst_gravity(robot)
    assert (highest >= largest - 1e-12 * largest.max()).all()
    assert highest[0] == pytest.approx(0.0, abs=1e-9) or name == "planar_2r"


def test_the_bound_of_an_arm_with_parallel_axes_is_its_largest_force() -> None:
    model = arm_of(RIGHT).model
    np.testing.assert_allclose(bounds(model, carried(model)), 4 * G * np.array([1.35, 0.6, 0.15]), rtol=1e-12)


def test_a_joint_on_a_tilted_joint_has_the_whole_gravity_in_its_bound() -> None:
    """Gravity is not fixed in the frame of the second joint, whose axis is vertical at zero."""
    text = replaced('<axis xyz="0 1 0"/>', '<axis xyz="0 0 1"/>', "joint_2", RIGHT)
    model = arm_of(text).model
    np.testing.assert_allclose(bounds(model, carried(model)), 4 * G * np.array([1.35, 0.6, 0.15]), rtol=1e-12)
    text = replaced('<axis xyz="0 1 0"/>', '<axis xyz="0 0 1"/>', "joint_1", text)
    model = arm_of(text).model
    np.testing.assert_allclose(bounds(model, carried(model)), 4 * G * np.array([0, 0, 0.15]), rtol=1e-12, atol=1e-12)


def test_an_endless_slide_bounds_the_coordinates_that_it_does_not_load() -> None:
    """Joint 1 carries the endless slide 2 with 8 kg; joint 3 on it moves with joint 1."""
    text = replaced('type="revolute"', 'type="prismatic"', "joint_2")
    text = replaced('<axis xyz="0 1 0"/>', '<axis xyz="0 0 1"/>', "joint_2", text)
    text = replaced('lower="-2.5" upper="2.6"', 'lower="-inf" upper="inf"', "joint_2", text)
    text = replaced('<axis xyz="0 1 0"/>', '<axis xyz="0 1 0"/> <mimic joint="joint_1"/>', "joint_3", text)
    model = arm_of(text).model
    np.testing.assert_allclose(bounds(model, carried(model)), [np.inf, 8 * G], rtol=1e-12)


def test_coupled_joints_are_as_bad_as_on_a_fine_grid() -> None:
    """joint_3 = -0.5 joint_2 + 0.2: the force of the coordinate of both is no sine; a slide at the end is a line."""
    text = replaced(
        '<limit lower="-2.5"',
        '<mimic joint="joint_2" multiplier="-0.5" offset="0.2"/> <limit lower="-2.5"',
        "joint_3",
        RIGHT,
    )
    robot = arm_of(text)
    q = np.array(list(product(np.linspace(-2.5, 2.6, 801), repeat=2)))
    brute = np.abs(robot.gravity_forces(q)).max(axis=0)
    largest, _ = worst_gravity(robot)
    assert robot.dof == 2
    np.testing.assert_allclose(largest, brute, rtol=2e-2)
    assert (bounds(robot.model, carried(robot.model)) >= brute).all()


def test_a_slide_is_worst_at_one_of_its_ends() -> None:
    """A slide of 0.2 m to -0.5 m along the arm of joint 1: 4 g (0.15 + 0.3 - s + 0.15) with s down to -0.5."""
    text = replaced('type="revolute"', 'type="prismatic"', "joint_2", RIGHT)
    text = replaced('<axis xyz="0 1 0"/>', '<axis xyz="-1 0 0"/>', "joint_2", text)
    text = replaced('lower="-2.5" upper="2.6"', 'lower="-0.5" upper="0.2"', "joint_2", text)
    robot = arm_of(text).with_locked({"joint_3": 0.0})
    largest, poses = worst_gravity(robot)
    np.testing.assert_allclose(largest, 4 * G * np.array([0.15 + 0.95 + 1.25, 2.0]), rtol=1e-12)
    assert poses[0][1] == pytest.approx(-0.5)
    highest = bounds(robot.model, carried(robot.model))
    assert (highest >= largest * (1 - 1e-12)).all()


def test_a_joint_with_equal_limits_stays_there() -> None:
    """Only joint 1 moves: a and b at the angle q_2 = 0.5."""
    limited = replaced('lower="-2.5" upper="2.6"', 'lower="0.5" upper="0.5"', "joint_2", RIGHT)
    robot = arm_of(limited).with_locked({"joint_3": 0.0})
    largest, poses = worst_gravity(robot)
    a, b = 4 * G * (0.15 + 0.6), 4 * G * (0.15 + 0.45)
    assert largest[0] == pytest.approx(np.sqrt(a**2 + b**2 + 2 * a * b * np.cos(0.5)), rel=1e-12)
    np.testing.assert_array_equal(poses[:, 1], 0.5)


@pytest.mark.parametrize("mass", [2.0, 0.0])
def test_the_largest_change_is_that_of_a_search_over_all_joints(mass: float) -> None:
    """Without a change of mass the first moment of the link alone changes."""
    robot = armdyn.load("ur5")
    link, moment = robot.link_names[-2], np.array([0.1, -0.2, 0.3])
    added = AddedMass.at(robot, link, mass, moment)
    k, largest, pose = largest_change(robot, added)
    change = change_of_gravity(robot, added)
    every, _ = worst(robot, change)
    assert largest == pytest.approx(every.max(), rel=1e-9)
    assert abs(change(pose)[k]) == pytest.approx(largest, rel=1e-12)


def test_joints_that_do_not_matter_stay_at_zero() -> None:
    """The first joint of the arm turns about gravity, the last link is on the axis of the last joint."""
    robot = armdyn.load("ur5")
    _, _, pose = largest_change(robot, AddedMass.at(robot, robot.link_names[2], 1.0, np.array([0.3, 0.0, 0.0])))
    np.testing.assert_array_equal(pose[3:], 0.0)
