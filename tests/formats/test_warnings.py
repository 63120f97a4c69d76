"""What a description says and the equations do not contain is warned of once a load, where the robot is loaded."""

import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn import DescriptionWarning, DHRow, Inertia, Limits, Part, Robot

LOAD = Inertia.point(2.5, [0.0, 1.0, 0.0])


def said(load: Callable[[], Robot]) -> list[str]:
    """What a load warns of; a note has each sentence too."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        robot = load()
    assert all(warning.category is DescriptionWarning for warning in caught)
    assert all(Path(warning.filename) == Path(__file__) for warning in caught)
    messages = [str(warning.message) for warning in caught]
    for message in messages:
        assert message.startswith(f"{robot.name!r}: ")
        assert message.removeprefix(f"{robot.name!r}: ") in robot.notes
    return messages


UNMOVING = Limits(0.0, 0.0)
"""Limits that are zero, of which every way to load a robot warns."""


def arm(**changes: object) -> list[Part]:
    return [
        Part("a", "base", axis=(0, 0, 1), inertia=LOAD, **changes),
        Part("b", "a", axis=(0, 1, 0), xyz=(1, 0, 0), inertia=LOAD, **changes),
    ]


def test_nothing_is_said_of_a_plain_robot() -> None:
    assert said(lambda: Robot.from_links(arm())) == []
    for name in armdyn.bundled_robots():
        assert said(lambda name=name: armdyn.load(name)) == []


def test_friction_is_part_of_the_equations() -> None:
    for what in ({"damping": 0.1}, {"friction": 0.1}, {"damping": 0.1, "friction": 0.2}):
        assert said(lambda what=what: Robot.from_links(arm(**what))) == []


def test_friction_that_is_ignored_is_noted(tmp_path: Path) -> None:
    Robot.from_links(arm(damping=0.1)).to_urdf(tmp_path / "arm.urdf")
    bare = armdyn.load(tmp_path / "arm.urdf", friction="ignore")
    assert "damping and friction of joint_of_a, joint_of_b are left out, as friction='ignore' says" in bare.notes
    assert bare.friction_forces([0, 0], [1, 1]).tolist() == [0.0, 0.0]
    assert armdyn.load(tmp_path / "arm.urdf").friction_forces([0, 0], [1, 1]).tolist() == [0.1, 0.1]
    with pytest.raises(armdyn.ModelError, match="friction is 'none'; expected 'count' or 'ignore'"):
        armdyn.load(tmp_path / "arm.urdf", friction="none")


def test_every_way_to_load_says_it(tmp_path: Path) -> None:
    robot = Robot.from_links(arm(limits=UNMOVING))
    robot.to_urdf(tmp_path / "arm.urdf")
    (tmp_path / "arm.xml").write_text(
        '<mujoco><worldbody><body name="b"><joint/><geom size="0.1"/><body name="c" pos="1 0 0"/>'
        '<body name="d"><joint/><geom size="0.1"/></body></body></worldbody></mujoco>'
    )
    ways: list[Callable[[], Robot]] = [
        lambda: armdyn.load(tmp_path / "arm.urdf"),
        lambda: Robot.from_urdf(tmp_path / "arm.urdf"),
        lambda: armdyn.load(tmp_path / "arm.xml", tip="c", chain=True),
        lambda: Robot.from_mjcf(tmp_path / "arm.xml", tip="c", chain=True),
        lambda: Robot.from_dh([DHRow(1.0, 0.0, 0.0, 0.0, inertia=LOAD, limits=UNMOVING)], convention="modified"),
        lambda: Robot(armdyn.formats.urdf.read_urdf_text(robot.to_urdf())),
    ]
    for way in ways:
        (message,) = said(way)
        assert "limits of" in message or "not on the chain to 'c'" in message


def test_other_robots_from_one_say_nothing() -> None:
    robot = Robot.from_links(arm(limits=UNMOVING))
    assert said(lambda: robot.with_gravity([0, 0, -1]).with_tip("a").with_payload(LOAD)) == []


def test_mass_that_a_chain_leaves_out(tmp_path: Path) -> None:
    parts = [
        *arm(),
        Part("finger", "b", axis=(1, 0, 0), inertia=Inertia.point(0.25, [0, 0, 1.0])),
        Part("nail", "finger", "fixed", inertia=Inertia.point(0.25, [0, 0, 1.0])),
        Part("pointer", "b", axis=(1, 0, 0), armature=0.1),
        Part("tool", "b", "fixed", inertia=Inertia.point(1.0, [0, 0, 0])),
    ]
    Robot.from_links(parts, tip="tool").to_urdf(tmp_path / "arm.urdf")
    assert said(lambda: armdyn.load(tmp_path / "arm.urdf", tip="tool")) == []
    (message,) = said(lambda: armdyn.load(tmp_path / "arm.urdf", tip="tool", chain=True))
    assert message == (
        "'links': 0.5 kg are not on the chain to 'tool' and left out: what is moved by 'joint_of_finger' (0.5 kg); to "
        "keep the mass, hold these joints with locked="
    )
    chain = armdyn.load(tmp_path / "arm.urdf", tip="tool", chain=True)
    assert chain.notes[1] == (
        "no mass is lost with what is not on the chain to 'tool' and left out: what is moved by 'joint_of_pointer'"
    )
    assert sum(link.inertia.mass for link in chain.model.links) == 6.0
    # a joint that is locked keeps its mass: that is the way to lose a joint and no mass
    locked = {"joint_of_finger": 0.0}
    assert said(lambda: armdyn.load(tmp_path / "arm.urdf", tip="tool", chain=True, locked=locked)) == []


@pytest.mark.parametrize(
    ("limits", "what"),
    [
        (Limits(0.0, 0.0, 0.0, 0.0), "the position limits of {0} and the velocity limits of {0} are zero"),
        (Limits(0.0, 0.0, 1.0, 1.0), "the position limits of {0} are zero"),
        (Limits(velocity=0.0, effort=0.0), "the velocity limits of {0} are zero"),
        (Limits(-1.0, 1.0, 0.0, 10.0), "the velocity limits of {0} are zero"),
    ],
)
def test_limits_that_are_zero(limits: Limits, what: str) -> None:
    (message,) = said(lambda: Robot.from_links(arm(limits=limits)))
    assert message == (
        f"'links': {what.format('joint_of_a, joint_of_b')}, as many files have them that know none: motions that keep "
        "to limits cannot move these joints"
    )


@pytest.mark.parametrize("limits", [Limits(), Limits(0.0, 1.0), Limits(-1.0, 0.0), Limits(effort=0.0)])
def test_limits_that_mean_something(limits: Limits) -> None:
    """A joint without a motor has an effort limit of zero."""
    assert said(lambda: Robot.from_links(arm(limits=limits))) == []


def test_a_robot_that_is_refused_is_not_warned_of() -> None:
    bad = [*arm(limits=UNMOVING), Part("b", "a", axis=(0, 0, 1))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(armdyn.ModelError):
            Robot.from_links(bad)


def test_it_can_be_made_an_error_and_silenced(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", DescriptionWarning)
        with pytest.raises(DescriptionWarning, match="position limits of joint_of_a"):
            Robot.from_links(arm(limits=UNMOVING))
    Robot.from_links(arm(limits=UNMOVING)).to_urdf(tmp_path / "arm.urdf")
    script = f"import armdyn\nfor _ in range(3): armdyn.load({str(tmp_path / 'arm.urdf')!r})\n"
    (tmp_path / "script.py").write_text(script)
    done = subprocess.run(
        [sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=True,
        env={"PYTHONPATH": str(Path(armdyn.__file__).parents[1])},
    )  # fmt: skip
    assert done.stderr.count("DescriptionWarning: ") == 1  # once for the line, as Python's own filter has it
    assert "script.py:2: DescriptionWarning: 'links': the position limits" in done.stderr
    np.testing.assert_array_equal(done.stdout, "")
