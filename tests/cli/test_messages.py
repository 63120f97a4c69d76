"""Names are printed letter by letter, and messages recommend the options of the place where they are read."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import Inertia, Limits, Part, Robot
from armdyn.cli.screen import visible

Shell = Callable[..., Any]
LOAD = Inertia.point(1.0, [0.3, 1.0, 0.2])

ODD = [":x: :smile: [red]arm[/] \\[b] {task} 100%", "[/] [/red] [link=http://x] [ a\\"]


@pytest.mark.short_run("[/] [/red] [link=http://x] [ a\\\\")
@pytest.mark.parametrize("name", ODD)
def test_names_are_no_markup(shell: Shell, tmp_path: Path, name: str) -> None:
    parts = [
        Part(f"upper {name}", f"base {name}", axis=(0, 0, 1), inertia=LOAD, joint=f"turn {name}"),
        Part(
            f"{name} left",
            f"upper {name}",
            axis=(0, 1, 0),
            inertia=LOAD,
            joint=f"left {name}",
            limits=Limits(velocity=0.0),
        ),
    ]
    robot = Robot.from_links(parts, base=f"base {name}", name=f"arm {name}")
    path = tmp_path / "arm.urdf"
    robot.to_urdf(path)
    said = shell("info", str(path), columns=300)
    assert said.code == 0, said.err
    for text in (
        f"arm {name}: 2 joints",
        f"base base {name}, tip {name} left",
        f"turn {name}",
        f"of left {name} are zero",
    ):
        assert text in said.out
    table = tmp_path / "out.csv"
    for words in (("torque",), ("simulate", "--duration", "0.01", "--out", str(table))):
        verb, *rest = words
        said = shell(verb, str(path), *rest, columns=300)
        assert said.code == 0, said.err
        assert f"arm {name}" in said.out
    assert f"q_turn {name} [rad]" in table.read_text().splitlines()[0]
    said = shell("torque", str(path), "--lock", f"no {name}=1", columns=300)
    assert said.code == 2
    assert f"no moving joint {f'no {name}'!r} in" in said.err


@pytest.mark.filterwarnings("always::UserWarning")
def test_names_move_no_cursor(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "states.csv").write_text("q_joint_1,q_joint_2,\x1b[31mred\x07\n1,2,3\n")
    said = shell("torque", "planar_2r", "--motion", str(tmp_path / "states.csv"))
    assert "\x1b" not in said.err
    assert "\x07" not in said.err
    assert visible("a\tb\u202ec\n") == "a\\tb\\u202ec\n"


BAD_INERTIA = (
    "<robot name='odd'><link name='base'/><link name='b'><inertial><mass value='1'/>"
    "<inertia ixx='{0}' iyy='{0}' izz='{0}' ixy='{0}' ixz='{0}' iyz='{0}'/></inertial></link>"
    "<joint name='j' type='continuous'><parent link='{1}'/><child link='{2}'/><axis xyz='0 0 1'/></joint></robot>"
)


def test_the_option_of_the_place_is_recommended(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(BAD_INERTIA.format(0.1, "base", "b"))
    fault = "link 'b': principal inertia (0, 0, 0.3) kg m^2 breaks a+b>=c by 100 %; no rigid body has it; "
    for verb in ("info", "torque", "simulate", "bench"):
        said = shell(verb, str(path))
        assert said.code == 2
        assert f"{fault}mend it, or read it as it stands with --accept-inertia." in said.err
        assert "check_inertia" not in said.err
    with pytest.raises(armdyn.ModelError, match=r"read it as it stands with check_inertia=False\.$"):
        armdyn.load(path)
    said = shell("info", str(path), "--accept-inertia")
    assert said.code == 0
    assert f"{fault}taken as it stands" in said.out


def test_what_no_joint_feels_is_a_note(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(BAD_INERTIA.format(0.1, "b", "base"))  # the link with the odd inertia carries the other
    said = shell("info", str(path))
    assert said.code == 0
    assert "breaks a+b>=c by 100 %; no rigid body has it; no joint feels it" in said.out


def test_tips_and_locks_are_recommended_as_options(shell: Shell, tmp_path: Path) -> None:
    parts = [
        Part("upper", "base", axis=(0, 0, 1), inertia=LOAD),
        Part("pen", "upper", axis=(0, 0, 1), joint="left finger"),
        Part("eye", "upper", "fixed"),
    ]
    Robot.from_links(parts).to_urdf(tmp_path / "arm.urdf")
    path = str(tmp_path / "arm.urdf")
    said = shell("torque", path, "--f-tip", "0,0,0,1,0,0")
    assert said.code == 2
    assert "name a frame, or load it with --tip. Frames: base, upper, pen, eye" in said.err
    assert "choose one with --tip" in shell("info", path).out
    assert "name it with --tip." in shell("info", path, "--chain").err
    said = shell("simulate", path)
    assert said.code == 2
    assert "or hold it with --lock 'left finger=0.0'." in said.err
    assert shell("simulate", path, "--lock", "left finger=0.0", "--duration", "0.01").code == 0


def test_rounding_is_printed_as_zero(shell: Shell, tmp_path: Path) -> None:
    turned = 1e-17
    inertia = Inertia(2.0, [turned, 0.25, -turned], np.diag([0.5, 0.5, 0.3]) + turned)
    Robot.from_links([Part("b", "base", axis=(0, 0, 1), inertia=inertia)]).to_urdf(tmp_path / "arm.urdf")
    page = [" ".join(line.split()) for line in shell("info", str(tmp_path / "arm.urdf")).out.splitlines()]
    assert "b 2 0 0.25 0 0.3 0.5 0.5" in page
    assert page[0].startswith("links: 1 joint, base base")


def test_a_robot_at_rest_exchanges_no_energy(shell: Shell) -> None:
    for words in (("--q0=0,0", "--gravity", "0,0,0"), ("--q0=-1.5707963267948966,0",)):
        said = shell("simulate", "planar_2r", "--duration", "0.1", *words)
        assert said.code == 0
        assert "0 J, none changed hands" in " ".join(said.out.split())
    moving = shell("simulate", "planar_2r", "--duration", "0.1")
    assert "J that changed hands" in " ".join(moving.out.split())


def test_advice_names_what_the_command_line_has(shell: Shell, tmp_path: Path) -> None:
    """Not methods of robots and arguments of functions, which nobody can type there."""
    springs = tmp_path / "springs.yaml"
    springs.write_text(
        "joint_1: {motor: {rotor_inertia: 1e-4}, gear: {ratio: 10}, spring: {stiffness: 100}}\n"
        "joint_2: {motor: {torque_constant: 0.05}}\n"
    )
    rods = [f"--set=constraints.{name}={{distance: {{frame: tip, length: 1.5}}}}" for name in "ab"]
    gains = [f"--input={each}" for each in ("q_ref=0", "qd_ref=0", "Kp=1", "Kd=1")]
    pose = [f"--input={each}" for each in ("T_ref=1,0,0,1,0,1,0,1,0,0,1,0,0,0,0,1", "Kp=100", "Kd=20")]
    point = "{operational_space: {components: [vx, vy]}}"
    cases: dict[tuple[str, ...], str] = {
        (
            "--set",
            "brakes.joint_1=[[0.5, engaged]]",
        ): "--actuators FILE with joint_1: {gear: {ratio: 100}, brake: {torque: 0.4}}",
        ("--set", "stops=0.5"): "no such joint of 'planar_2r' has limits; the description gives some",
        (
            *rods,
            "--q0",
            "0.5,1",
            "--set",
            "close_loop=true",
            "--set",
            "redundant=error",
        ): "Leave them out, or choose --set redundant=least_squares.",
        ("--controller", "[pd_gravity, {saturated: {}}]", *gains): "give {saturated: {limits: [...]}}, N m or N",
        ("--controller", "[pd_gravity, {through_motors: {}}]", *gains): "a file gives it some: --actuators FILE",
        ("--controller", point, *pose): "by damping: lambda",
    }
    for options, advice in cases.items():
        said = shell("simulate", "planar_2r", "--duration", "0.01", "--method", "rk4", *options, columns=400)
        assert said.code == 2, (options, said.out)
        assert advice in said.err
        assert not re.search(r"robot\.|Actuator\(|armdyn\.[a-z]", said.err), said.err
