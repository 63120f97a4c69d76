"""``armdyn convert``: the same robot from another description."""

import json
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import Inertia, Robot
from armdyn.cli.conversions import CONVERSIONS, literal
from oracles.short_run import each_once
from oracles.states import assert_close, random_states

Shell = Callable[..., Any]


def assert_same_arm(one: Robot, other: Robot) -> None:
    """Joint forces and the tip's pose on general states; the frames of links may differ."""
    q, qd, qdd = random_states(one.dof, 5, seed=8)[:3]
    assert other.joint_names == one.joint_names
    assert_close(other.inverse_dynamics(q, qd, qdd), one.inverse_dynamics(q, qd, qdd))
    np.testing.assert_allclose(other.forward_kinematics(q), one.forward_kinematics(q), atol=1e-12)


CHAINS = [
    ("dh", "--convention", "modified"),
    ("dh", "--convention", "standard"),
    ("screws",),
    ("zero_reference",),
]


@pytest.mark.short_run("ur5-('dh', '--convention', 'standard')", "stanford-('screws',)", "ur5-('zero_reference',)")
@pytest.mark.parametrize(("name", "to"), each_once(["stanford", "ur5"], CHAINS), ids=str)
def test_modules_make_the_same_robot(shell: Shell, tmp_path: Path, name: str, to: tuple[str, ...]) -> None:
    path = tmp_path / "arm.py"
    said = shell("convert", name, "--to", *to, "--out", str(path), columns=300)
    assert (said.code, said.out) == (0, f"wrote {path}\n"), said.err
    assert_same_arm(armdyn.load(name), runpy.run_path(str(path))["robot"])


@pytest.mark.parametrize("to", ["screws", "zero-reference"])
def test_json_holds_all_of_it(shell: Shell, to: str) -> None:
    said = shell("convert", "stanford", "--to", to, "--json")
    answer = json.loads(said.out)
    reader = f"from_{to.replace('-', '_')}"
    arguments = answer[reader] | {"limits": None}
    if reader == "from_screws":
        del arguments["limits"]
    assert_same_arm(armdyn.load("stanford"), getattr(Robot, reader)(**arguments))
    assert answer["robot"] == "stanford"


def test_dh_in_json(shell: Shell) -> None:
    answer = json.loads(shell("convert", "stanford", "--to", "dh", "--convention", "standard", "--json").out)["from_dh"]
    for row in answer["rows"]:
        row["inertia"] = Inertia(**row["inertia"])
        del row["limits"]
    assert_same_arm(armdyn.load("stanford"), Robot.from_dh(**answer))


def test_urdf(shell: Shell, tmp_path: Path) -> None:
    text = shell("convert", "scara").out
    (tmp_path / "printed.urdf").write_text(text)
    said = shell("convert", "scara", "-o", str(tmp_path / "new" / "written.urdf"))
    assert said.code == 0, said.err
    assert (tmp_path / "new" / "written.urdf").read_text() == text
    assert armdyn.load(tmp_path / "printed.urdf") == armdyn.load("scara")
    assert json.loads(shell("convert", "scara", "--json").out)["urdf"] == text


MJCF = """<mujoco model="crane"><compiler angle="radian"/><worldbody><body name="mast" pos="0 0 0.3">
<joint name="slew" type="hinge" axis="0 0 1"/><geom type="box" size="0.1 0.2 0.3" density="900"/>
<body name="boom" pos="0.4 0.1 0.2" euler="0.3 0.2 0.1"><joint name="reach" type="slide" axis="1 0 0"/>
<geom type="capsule" size="0.05 0.4" density="700"/></body></body></worldbody></mujoco>"""


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_mjcf_is_read(shell: Shell, tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    path, out = tmp_path / "crane.xml", tmp_path / "crane.urdf"
    path.write_text(MJCF)
    said = shell("convert", str(path), "--out", str(out))
    assert said.code == 0, said.err
    assert_same_arm(armdyn.load(path), armdyn.load(out))
    module = tmp_path / "crane.py"
    assert shell("convert", str(path), "--to", "zero_reference", "--out", str(module)).code == 0
    assert_same_arm(armdyn.load(path), runpy.run_path(str(module))["robot"])


def test_parts_of_a_tree(shell: Shell) -> None:
    answer = json.loads(shell("convert", "ur5", "--to", "screws", "--lock", "elbow_joint=90deg", "--json").out)
    assert len(answer["from_screws"]["joint_names"]) == 5


@pytest.mark.parametrize("to", CHAINS, ids=" ".join)
def test_tables(shell: Shell, to: tuple[str, ...]) -> None:
    page = shell("convert", "ur5", "--to", *to).out
    for joint in armdyn.load("ur5").joint_names:
        assert joint in page
    assert max(map(len, page.splitlines())) <= 100


def test_robots_that_stand_as_printed(shell: Shell, tmp_path: Path) -> None:
    """Inertias that no body has are in the module as they stand, and it says so."""
    path = tmp_path / "arm.py"
    assert shell("convert", "kg_puma", "--to", "dh", "--convention", "modified", "--out", str(path)).code == 0
    assert "check_inertia=False" in path.read_text()
    assert_same_arm(armdyn.load("kg_puma"), runpy.run_path(str(path))["robot"])


def test_names_are_quoted(tmp_path: Path) -> None:
    odd = 'it\'s "odd"\n\\'
    assert eval(literal({odd: (odd, None, True, -0.5)})) == {odd: [odd, None, True, -0.5]}  # noqa: S307


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("ur5", "--to", "dhh"), "no description 'dhh' in armdyn convert (5 descriptions). Did you mean 'dh'?"),
        (("ur5", "--to", "dh"), "convention is not given; the same table means different arms: choose --convention"),
        (("ur5", "--to", "dh", "--convention", "craig"), "convention is 'craig'"),
        (
            ("ur5", "--to", "screws", "--convention", "modified"),
            "--convention belongs to --to dh; --to",
        ),
        (("ur5", "--to", "screws", "-o", "x.urdf"), "--out 'x.urdf': expected a file name that ends in .json, .py"),
        (("ur5", "-o", "x.py"), "--out 'x.py': expected a file name that ends in .json, .urdf, .xml"),
        (("ur5", "--to", "screws", "--tip", "elbow"), "no link 'elbow' in 'ur5' (8 links)"),
        (("planar_2r_geared", "--to", "screws"), "has no place"),
    ],
)
def test_bad_input(shell: Shell, words: tuple[str, ...], expected: str) -> None:
    said = shell("convert", *words, columns=400)
    assert said.code == 2, said
    assert said.out == ""
    assert expected in " ".join(said.err.split())


def test_every_word_is_known() -> None:
    assert tuple(CONVERSIONS) == ("urdf", "mjcf", "dh", "screws", "zero_reference")
