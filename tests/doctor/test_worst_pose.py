"""The worst pose of gravity: closed forms and brute force on arms of two and three joints, and repairs in N m."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.doctor.checks.efforts import change_of_gravity, worst, worst_gravity
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
    change = change_of_gravity(robot, link, after.mass - before.mass, moment)(q)
    expected = heavier.gravity_forces(q) - robot.gravity_forces(q)
    np.testing.assert_allclose(change, expected, rtol=0, atol=1e-12 * np.abs(heavier.gravity_forces(q)).max())
    largest, _ = worst(robot, change_of_gravity(robot, link, after.mass - before.mass, moment))
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
