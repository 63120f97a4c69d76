"""The tip where none is named: the one end, the description's own word, a usual name; else none, and that is said."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn import Inertia, Part, Robot
from armdyn.formats.urdf import read_urdf_text
from oracles.robot_data import ROBOTS

LOAD = Inertia.point(1.0, [0.0, 1.0, 0.0])
ARM = [
    Part("upper", "base", axis=(0, 0, 1), inertia=LOAD),
    Part("lower", "upper", axis=(0, 1, 0), xyz=(1, 0, 0), inertia=LOAD),
]


def welded(name: str, to: str = "lower", x: float = 0.5) -> Part:
    return Part(name, to, "fixed", xyz=(x, 0, 0))


def tip_and_notes(*more: Part) -> tuple[str | None, tuple[str, ...]]:
    robot = Robot.from_links([*ARM, *more])
    return robot.tip, robot.notes


def test_the_one_end_needs_no_word() -> None:
    assert tip_and_notes() == ("lower", ())
    assert tip_and_notes(welded("tcp")) == ("tcp", ())
    assert tip_and_notes(welded("anything"), welded("more", "anything")) == ("more", ())


def test_what_is_welded_to_the_base_is_no_end() -> None:
    assert tip_and_notes(welded("pedestal_camera", "base")) == ("lower", ())


def test_a_camera_does_not_move_the_tip() -> None:
    for carrier, ends in (("lower", "tcp, camera"), ("upper", "camera, tcp")):
        tip, notes = tip_and_notes(welded("tcp"), welded("camera", carrier))
        assert tip == "tcp"
        assert notes == (f"tip 'tcp', by its name: the robot has 2 end frames ({ends}); choose another with tip=",)


def test_usual_names_have_an_order() -> None:
    names = ["ee_link", "flange", "tcp", "tool0"]
    for count in range(1, 5):
        assert tip_and_notes(welded("camera"), *map(welded, names[:count]))[0] == names[count - 1]
    assert tip_and_notes(welded("camera"), welded("flange"), welded("gripper", "flange"))[0] == "flange"


@pytest.mark.parametrize("name", ["Tool0", "tool0_link", "left_tcp", "my_flange"])
def test_names_that_are_only_like_them_are_not_taken(name: str) -> None:
    assert tip_and_notes(welded("camera"), welded(name))[0] is None


def test_none_is_taken_where_nothing_says_which() -> None:
    tip, notes = tip_and_notes(welded("camera"), welded("gripper"))
    assert tip is None
    assert notes == (
        "no tip: the robot has 2 end frames (camera, gripper), and no frame called tool0, tcp, flange or ee_link; "
        "choose one with tip=",
    )
    assert tip_and_notes(*(welded(f"end_{k}") for k in range(9)))[1][0].startswith(
        "no tip: the robot has 9 end frames (end_0, end_1, end_2, end_3, end_4, end_5 and 3 more), and"
    )


def test_the_error_names_the_choices() -> None:
    robot = Robot.from_links([*ARM, welded("camera"), welded("gripper")])
    for call in (
        lambda: robot.forward_kinematics([0.0, 0.0]),
        lambda: robot.jacobian([0.0, 0.0]),
        lambda: robot.tip_forces([0.0, 0.0], np.zeros(6)),
        lambda: robot.inverse_dynamics(*np.zeros((3, 2)), np.zeros(6)),
        lambda: robot.inverse_kinematics(np.eye(4)),
        lambda: armdyn.simulate(robot, [0.0, 0.0], duration=0.1, f_tip=np.zeros(6)),
    ):
        with pytest.raises(armdyn.UnknownName, match=r"with tip=\. Frames: base, upper, lower, camera, gripper"):
            call()
    robot.inverse_dynamics(*np.zeros((3, 2)))  # which needs none


@pytest.mark.parametrize("name", ["left_tool0", "arm-tool0", "ur5e/tool0", "robot.tool0"])
def test_a_usual_name_with_a_prefix(name: str) -> None:
    tip, notes = tip_and_notes(welded("camera"), welded(name))
    assert tip == name
    assert notes == (
        f"tip {name!r}, by its name: the robot has 2 end frames (camera, {name}); choose another with tip=",
    )


def test_two_arms_have_no_single_tip() -> None:
    assert tip_and_notes(welded("left_tool0"), welded("right_tool0"))[0] is None
    assert tip_and_notes(welded("left_tool0"), welded("tcp"))[0] == "tcp"
    assert tip_and_notes(welded("nottool0"), welded("camera"))[0] is None


def test_the_callers_word_comes_first() -> None:
    parts = [*ARM, welded("camera"), welded("tcp")]
    robot = Robot.from_links(parts, tip="camera")
    assert (robot.tip, robot.notes) == ("camera", ())
    chosen = Robot.from_links(parts).with_tip("camera")
    assert (chosen.tip, chosen.notes) == ("camera", ())  # what was said of the tip is out of date
    again = pickle.loads(pickle.dumps(Robot.from_links(parts)))  # noqa: S301
    assert again.with_tip("camera").notes == ()


@pytest.mark.parametrize("tip", ["camera", "lower", "base"])
def test_what_is_written_is_read(tip: str) -> None:
    robot = Robot.from_links([*ARM, welded("camera"), welded("tcp")], tip=tip)
    model = read_urdf_text(robot.to_urdf())
    assert model.tip == tip
    note = f"tip {tip!r}, which the description names; the robot has 2 end frames (camera, tcp)"
    assert model.notes[-1] == note


def test_the_written_word_where_only_a_part_is_read() -> None:
    robot = Robot.from_links([*ARM, Part("other", "base", axis=(1, 0, 0), inertia=LOAD), welded("tcp", "other")])
    assert robot.tip == "tcp"
    model = read_urdf_text(robot.to_urdf(), base="upper")
    assert model.tip == "lower"
    assert model.notes[0] == "the description names the tip 'tcp', which is not in the robot"


@pytest.mark.parametrize(
    ("path", "tip"),
    [
        ("ur_description/urdf/ur5_robot.urdf", "tool0"),
        ("ur_description/urdf/ur10_robot.urdf", "tool0"),
        ("xarm_description/urdf/xarm7.urdf", "link_eef"),
        ("kinova_description/robots/kinova.urdf", None),
        ("panda_description/urdf/panda.urdf", None),
        ("baxter_description/urdf/baxter.urdf", None),
    ],
)
def test_published_robots(path: str, tip: str | None) -> None:
    robot = armdyn.load(ROBOTS / path)
    assert robot.tip == tip
    assert any("end frames" in note for note in robot.notes) == (tip in ("tool0", None))


def test_the_tip_of_the_published_ur5_is_that_of_the_bundled_one() -> None:
    q = [0.3, -1.2, 1.4, -0.7, 1.1, 0.2]
    published = armdyn.load(ROBOTS / "ur_description/urdf/ur5_robot.urdf")
    bundled = armdyn.load("ur5")
    np.testing.assert_allclose(published.forward_kinematics(q), bundled.forward_kinematics(q), rtol=0, atol=1e-4)


def test_mjcf(tmp_path: Path) -> None:
    body = '<mujoco><worldbody><body name="arm"><joint name="turn"/><geom size="0.1"/>{}</body></worldbody></mujoco>'
    sites = '<site name="camera"/><site name="tcp" pos="0 0 0.1"/>'
    for more, tip in (("", "arm"), ('<site name="end"/>', "end"), (sites, "tcp"), (sites.replace("tcp", "pen"), None)):
        (tmp_path / "arm.xml").write_text(body.format(more))
        assert armdyn.load(tmp_path / "arm.xml").tip == tip
