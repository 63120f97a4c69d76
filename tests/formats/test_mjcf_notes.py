"""What the notes on an MJCF file count and name."""

from pathlib import Path

import numpy as np
import pytest

from armdyn import Robot

ARM = """<mujoco model="arm">
  <compiler angle="degree"/>
  <option><flag contact="disable"/></option>
  <worldbody>
    <body>
      <joint name="a" axis="0 1 0" ref="20"/> <geom size="0.1" pos="0.1 0.2 0.3"/>
      <body pos="0 0 0.3">
        <joint name="b" axis="1 0 0" ref="-15"/> <geom size="0.12" pos="0.1 0 0"/>
        <body pos="0 0.2 0.3">
          <joint name="c" axis="1 0 0"/> <geom size="0.08" pos="0 0.1 0.2"/>
          <body pos="0.1 0 0.2">
            <joint name="d" axis="0 0 1"/> <geom size="0.09"/>
            <body pos="0 0 0.2"> <joint name="e" axis="0 1 0"/> <geom size="0.07"/> </body>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <equality/>
</mujoco>"""


def read(tmp_path: Path, *equalities: str, more: str = "") -> Robot:
    file = tmp_path / "arm.xml"
    lines = "\n".join(equalities)  # a line each
    file.write_text(ARM.replace("<equality/>", f"<equality>\n{lines}\n</equality>{more}"))
    return Robot.from_mjcf(file)


def tie(name: str, joint: str, other: str, offset: float, ratio: float, more: str = "") -> str:
    called = f'name="{name}"' if name else ""
    return f'<joint {called} joint1="{joint}" joint2="{other}" polycoef="{offset} {ratio} 0 0 0" {more}/>'


def test_inactive_equalities_are_named(tmp_path: Path) -> None:
    off = 'active="false"'
    one = read(tmp_path, tie("gear", "a", "b", 0, 1, off))
    assert "equality 'gear' (arm.xml:20) is inactive and left out" in one.notes
    two = read(tmp_path, tie("gear", "a", "b", 0, 1, off), tie("", "c", "d", 0, 1, off), tie("on", "a", "c", 0, 1))
    assert "equality 'gear' (arm.xml:20), equality 1 (arm.xml) are inactive and left out" in two.notes
    assert not any("inactive" in note for note in read(tmp_path, tie("on", "a", "c", 0, 1)).notes)
    twelve = read(tmp_path, *(tie(f"gear{k}", "a", "b", 0, k, off) for k in range(1, 13)))
    (note,) = [note for note in twelve.notes if "inactive" in note]
    assert note.endswith("equality 'gear10' (arm.xml:29) and 2 more are inactive and left out")


def test_one_of_a_kind_and_several(tmp_path: Path) -> None:
    def notes(count: int) -> tuple[str, ...]:
        motors = "".join(f'<motor joint="{joint}"/>' for joint in "ab"[:count])
        sensors = "".join(f'<jointpos joint="{joint}"/>' for joint in "ab"[:count])
        cables = "".join(f'<fixed><joint joint="{joint}" coef="1"/></fixed>' for joint in "ab"[:count])
        keys = "<key/>" * count
        sections = {"actuator": motors, "sensor": sensors, "tendon": cables, "keyframe": keys}
        return read(tmp_path, more="".join(f"<{word}>{inside}</{word}>" for word, inside in sections.items())).notes

    one, two = notes(1), notes(2)
    assert "1 actuator is not part of the equations: tau is what it puts on the joints" in one
    assert "2 actuators are not part of the equations: tau is what they put on the joints" in two
    assert "1 tendon is not part of the equations, nor are its limits" in one
    assert "2 tendons are not part of the equations, nor are their limits" in two
    assert {"1 keyframe is not used", "1 sensor is not used"} <= {*one}
    assert {"2 keyframes are not used", "2 sensors are not used"} <= {*two}


def test_joints_that_two_ratios_hold_still_are_noted(tmp_path: Path) -> None:
    """a = b and a = 2 b, measured from where the file draws them: both stand there."""
    robot = read(tmp_path, tie("one", "a", "b", 0, 1), tie("two", "a", "b", 0, 2), tie("other", "c", "d", 0, 3))
    assert robot.dof == 2
    at = np.radians([20.0, -15.0])
    np.testing.assert_allclose(robot.joint_positions([0.4, 0.5])[:2], at, atol=1e-15)
    expected = (
        "joints 'a' at 0.349066, 'b' at -0.261799 are held still by equality 'one' (arm.xml:20), equality 'two' "
        "(arm.xml:21), which together leave them no motion"
    )
    assert [note for note in robot.notes if "held still" in note] == [expected]


def test_every_group_of_joints_is_noted_with_all_that_it_holds(tmp_path: Path) -> None:
    """b = 3 a follows what a = 2 c and a = c + 0.1 hold: a = 0.2, c = 0.1; d and e move together."""
    ties = tie("x", "b", "a", 0, 3), tie("y", "a", "c", 0, 2), tie("z", "a", "c", 0.1, 1), tie("w", "d", "e", 0, 1)
    robot = read(tmp_path, *ties)
    assert robot.dof == 1
    where = dict(zip(robot.model.joint_names, robot.joint_positions([0.7]), strict=True))
    assert [where[name] for name in "abc"] == pytest.approx([0.2 + np.radians(20), 0.6 - np.radians(15), 0.1])
    (note,) = [note for note in robot.notes if "held still" in note]
    assert note.startswith("joints 'a' at 0.549066, 'b' at 0.338201, 'c' at 0.1 are held still by equality 'x' ")
    assert "'y'" in note
    assert "'z'" in note
    assert "'w'" not in note


def test_gears_that_let_joints_move_hold_nothing(tmp_path: Path) -> None:
    robot = read(tmp_path, tie("x", "b", "a", 0.2, 3), tie("y", "c", "a", 0, 2))
    assert not any("held still" in note for note in robot.notes)
