"""Differences of two descriptions, and none where there is none."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.doctor import compare
from doctor.arms import RIGHT, replaced
from oracles.shell import Shell


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.urdf").write_text(RIGHT)
    Path("b.urdf").write_text(replaced('value="4"', 'value="5"', "link_3"))
    return tmp_path


def test_a_robot_written_back_differs_in_nothing(folder: Path) -> None:
    robot = armdyn.load("a.urdf")
    Path("back.urdf").write_text(robot.to_urdf())
    assert compare(robot, armdyn.load("back.urdf")) == []


def test_the_same_robot_in_mjcf_has_the_same_torques(folder: Path) -> None:
    robot = armdyn.load("a.urdf")
    mujoco = pytest.importorskip("mujoco")
    spec = mujoco.MjSpec.from_string(RIGHT)
    spec.compile()
    Path("a.xml").write_text(spec.to_xml())
    found = compare(robot, armdyn.load("a.xml"))
    assert not [one for one in found if "torque" in one.quantity or "mass" in one.quantity], found


def test_a_kilogram_more_is_seen_in_mass_and_torque(folder: Path) -> None:
    """A quarter of the mass of link_3, in its mass by 1/5 of the larger, and in the torque of each joint below it."""
    found = compare(armdyn.load("a.urdf"), armdyn.load("b.urdf"))
    (mass,) = (one for one in found if one.quantity == "mass, kg")
    assert (mass.element, mass.first, mass.second) == ("link 'link_3'", "4", "5")
    assert np.isclose(mass.size, 0.2)
    assert sum("torque" in one.quantity for one in found) == 3
    assert [one.size for one in found] == sorted((one.size for one in found), reverse=True)


def test_limits_types_and_missing_joints(folder: Path) -> None:
    text = replaced('upper="2.6"', 'upper="1.3"', "joint_2")
    Path("c.urdf").write_text(text.replace("joint_3", "wrist"))
    found = {(one.element, one.quantity) for one in compare(armdyn.load("a.urdf"), armdyn.load("c.urdf"))}
    assert ("joint 'joint_2'", "upper limit") in found
    assert {("joint 'joint_3'", "existence"), ("joint 'wrist'", "existence")} <= found


def test_the_command_shows_them_and_exits_with_1(folder: Path, shell: Shell) -> None:
    said = shell("diff", "a.urdf", "b.urdf", columns=160)
    assert said.code == 1
    assert "link 'link_3'" in said.out
    assert shell("diff", "a.urdf", "a.urdf").code == 0
    rows = json.loads(shell("diff", "a.urdf", "b.urdf", "--json").out)["differences"]
    assert rows[0]["size"] >= rows[-1]["size"]
    assert shell("diff", "a.urdf", "none.urdf").code == 2


def test_a_wrong_tensor_is_compared_with_its_repair(folder: Path, shell: Shell) -> None:
    """Before and after the doctor: 2 kg m^2 about the axis of a rod break the triangle inequality."""
    Path("wrong.urdf").write_text(Path("a.urdf").read_text().replace('ixx="0.00427"', 'ixx="2"', 1))
    assert shell("doctor", "wrong.urdf", "--fix", "mended.urdf").code == 1
    said = shell("diff", "wrong.urdf", "mended.urdf", columns=160)
    assert said.code == 1
    assert "moments" in said.out
