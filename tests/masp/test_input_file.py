"""Input files: what is wrong with them is said by table and key, all of it at once."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.masp import EXAMPLE, InputUnits, read_masp
from armdyn.robots import kg_puma
from oracles.masp_files import read

Edited = Callable[..., Path]


def test_the_papers_tables_are_typed_twice_alike() -> None:
    robot, bundled = read("kg_puma").robot, armdyn.load("kg_puma")
    for ours, theirs in zip(robot.model.links, bundled.model.links, strict=True):
        np.testing.assert_allclose(ours.inertia.com, theirs.inertia.com, rtol=0, atol=1e-16)
        np.testing.assert_allclose(ours.inertia.mass, theirs.inertia.mass, rtol=1e-15)
        np.testing.assert_allclose(ours.inertia.tensor, theirs.inertia.tensor, rtol=1e-14)
    np.testing.assert_allclose(np.sum(kg_puma.WEIGHTS), 46)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("weight = 16", "wieght = 16", r"[[joint]] 2 has no key 'wieght'. Did you mean 'weight'?"),
        ("[hand] ", "[hnad] ", "the file has no key 'hnad'. Did you mean 'hand'?"),
        ("samples = 901", "colour = 'red'", "[analysis] has no key 'colour'. Known: samples, configuration, near."),
        ('angle = "deg"', 'angel = "deg"', "[units] has no key 'angel'. Did you mean 'angle'?"),
        (
            'length = "in"',
            'length = "lbf"',
            "length is 'lbf', a unit of force; expected a unit of length: m, cm, mm, in, ft.",
        ),
        ('force = "lbf"', 'force = "kg"', "force is 'kg', a unit of mass; expected a unit of force: N, kN, lbf, kgf."),
        ('angle = "deg"', 'angle = "degree"', "expected a unit of angle: rad, deg. Did you mean 'deg'?"),
        ('length = "in"', "length = 2", "[units]: length is 2; expected a unit of length"),
        ("axis = [0, 0, 1]", "axis = [0, 1]", "[[joint]] 1: axis is [0, 1]; expected 3 numbers: the direction"),
        ("axis = [0, 0, 1]", "axis = [0, 0, 0]", "[[joint]] 1: axis is zero; expected a direction."),
        ("axis = [0, 0, 1]", "axis = [0, 0, nan]", "[[joint]] 1: axis is [0, 0, nan]; expected 3 numbers"),
        ("axis = [0, 0, 1]\n", "", "[[joint]] 1 has no axis; expected the direction of the joint's axis u_0k."),
        (
            "weight = 16",
            "weight = '16 lbf'",
            "[[joint]] 2: weight is '16 lbf'; expected a weight of at least zero, lbf.",
        ),
        ("weight = 16", "weight = -16", "[[joint]] 2: weight is -16; expected a weight of at least zero, lbf."),
        ("weight = 16", "weight = true", "[[joint]] 2: weight is True; expected a weight"),
        ("weight = 16", "weight = 16\nmass = 2", "[[joint]] 2 has mass and weight; expected one of them."),
        ("weight = 16\n", "", "[[joint]] 2 has no mass; expected a mass of at least zero, lbf s²/in, or a weight."),
        ('kind = "R"', 'kind = "revolut"', "[[joint]] 1: kind is 'revolut'; expected one of 'revolute', 'R', "),
        ('kind = "R"', 'kind = "revolut"', "Did you mean 'revolute'?"),
        (
            "inertia = [0.230, 0.005, 0.230]",
            "inertia = [1, 2]",
            "[[joint]] 1: inertia is [1, 2]; expected 6 numbers: Ixx",
        ),
        ("c = [8, 2, 0]\n", "", "[[joint]] 2 has no c, and [[joint]] 1 has; expected the same keys for all joints."),
        ("check_inertia = false", "check_inertia = 0", "[arm]: check_inertia is 0; expected true or false."),
        ("check_inertia = false", "", "breaks a+b>=c by 9.21 %"),
        (
            "axial = [0, 0, -1]",
            "axial = [0, 1, -1]",
            "[hand]: axial and transverse are 135 degrees apart; expected a right",
        ),
        ("point = [34, 0, 6]\n", "", "[begin] has no point; expected the hand point h, in."),
        (
            "point = [34, 0, 6]",
            "joints = [0, 0, 0, 0, 0, 0]",
            "[begin] has joints and axial, transverse; expected joints, or",
        ),
        (
            'curve = "circle"',
            'curve = "cicle"',
            "[[path]] 1: curve is 'cicle'; expected one of 'circle', 'arc', 'line'",
        ),
        ('curve = "circle"', 'curve = "line"', "[[path]] 1 (line) has no key 'center'. Known: curve, end, axial"),
        ("start = 3 ", "begin = 3 ", "[[path]] 1 has no key 'begin'."),
        (
            "start = 3 ",
            "start = 0 ",
            "[[path]] 1 (circle): start is 0; expected seconds of the half-cycloidal start, above",
        ),
        ("stop = 3\n", "", "[[path]] 1 (circle) has no stop; expected seconds of the half-cycloidal stop, above zero."),
        ("axis = [-1, 0, 0]", "axis = [-1, 0, 1]", "[[path]] 1 (circle): axis is 45 deg from the way between center"),
        ("center = [34, 0, 0]", "center = [34, 0, 6]", "[[path]] 1 (circle): center is the start of the arc; expected"),
        (
            "samples = 901",
            "samples = 1",
            "[analysis]: samples is 1; expected how many times, a whole number of at least 2.",
        ),
        (
            "samples = 901",
            "near = [1, 2]",
            "[analysis]: near is [1, 2]; expected 6 numbers: joint_1 in deg, joint_2 in deg",
        ),
        (
            "samples = 901",
            "near = [0, 0, 0, 0, 0, 0]",
            "[analysis] near and configuration both choose the configuration",
        ),
        ("step = 0.005", "step = -1", "[simulation]: step is -1; expected seconds, above zero."),
        ("step = 0.005", "breaks = [1.0]", "[simulation]: breaks are of a csv; those of the path are known."),
        ("[simulation]", "simulation = 3\n[analysis.x]", "[simulation] is 3; expected a table"),
        ("[hand] ", "[payload]\nweight = 1\nmas = 2\n[hand] ", "[payload] has no key 'mas'. Did you mean 'mass'?"),
        (
            "[hand] ",
            "[hand_load]\naxes = 'world'\n[hand] ",
            "[hand_load]: axes is 'world'; expected one of 'base', 'hand'.",
        ),
        (
            "[hand] ",
            "[hand_load]\nforce = 5\n[hand] ",
            "[hand_load]: force is 5; expected 3 numbers: on the hand, lbf.",
        ),
        ("weight = 16", "weight = 16\ncollar = 'parent'", "'joint_2' is revolute and has no collar"),
        (
            "weight = 16",
            "weight = 16\ncollar = 'both'",
            "[[joint]] 2: collar is 'both'; expected one of 'parent', 'child'.",
        ),
        (
            "weight = 16",
            "weight = 16\nvelocity = 0",
            "[[joint]] 2: velocity is 0; expected the largest rate, deg/s, above",
        ),
        ("[units] ", "[units", "is not TOML: "),
    ],
)
def test_what_is_wrong_is_named(edited: Edited, old: str, new: str, message: str) -> None:
    path = edited("kg_puma", (old, new))
    if "simulation = 3" in new:
        path.write_text("simulation = 3\n" + EXAMPLE.read_text(encoding="utf-8").partition("[simulation]")[0])
    with pytest.raises(armdyn.ModelError) as caught:
        read_masp(path)
    assert message in str(caught.value)
    assert "arm.toml" in str(caught.value)


def test_all_problems_come_at_once(edited: Edited) -> None:
    path = edited("kg_puma", ("weight = 16", "wieght = 16"), ("c = [0, 5, 0]", "c = [0, 5]"), ('"in" ', '"inch" '))
    with pytest.raises(armdyn.ModelError) as caught:
        read_masp(path)
    assert len(caught.value.problems) >= 4
    assert all(problem.startswith("arm.toml: ") for problem in caught.value.problems)
    said = str(caught.value)
    for part in ("'wieght'", "[[joint]] 1: c is [0, 5]", "length is 'inch'", "[[joint]] 2 has no mass"):
        assert part in said


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(armdyn.ModelError, match=r"no file .*armdyn masp --example prints one"):
        read_masp(tmp_path / "arm.toml")
    (tmp_path / "arms.toml").write_text("")
    with pytest.raises(armdyn.ModelError, match=r"no file .*Did you mean 'arms.toml'\?"):
        read_masp(tmp_path / "arm.toml")
    with pytest.raises(armdyn.ModelError, match="the file has no joints"):
        read_masp(tmp_path / "arms.toml")
    (tmp_path / "latin.toml").write_bytes("title = 'é'".encode("latin-1"))
    with pytest.raises(armdyn.ModelError, match="is not TOML"):
        read_masp(tmp_path / "latin.toml")
    with pytest.raises(armdyn.ModelError, match="cannot be read: Is a directory"):
        read_masp(tmp_path)


def test_an_arm_of_five_joints(edited: Edited) -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    last = text.rindex("[[joint]]\nkind")
    file = edited("kg_puma")
    file.write_text(text[:last] + text[text.index("[hand]") :], encoding="utf-8")
    with pytest.raises(
        armdyn.ModelError, match=r"arm.toml: the file has 5 tables \[\[joint\]\]; expected 6, for the hand"
    ):
        read_masp(file)


def test_units_follow_from_three() -> None:
    inches, si = InputUnits("in", "lbf", "deg"), InputUnits()
    assert [inches.of("prismatic", x).name for x in ("q", "qd", "qdd", "tau")] == ["in", "in/s", "in/s²", "lbf"]
    assert [inches.of("revolute", x).name for x in ("q", "qd", "qdd", "tau")] == ["deg", "deg/s", "deg/s²", "lbf in"]
    assert (inches.mass, inches.inertia, inches.power.name) == ("lbf s²/in", "lbf in s²", "lbf in/s")
    assert (si.mass, si.inertia, si.power.name, si.moment) == ("kg", "kg m²", "W", ("N m", 1.0))
    np.testing.assert_allclose(inches.moment.si, 0.45359237 * 9.80665 * 0.0254, rtol=1e-15)


def test_points_and_masses_describe_the_same_arm(edited: Edited) -> None:
    """Q_0k and h in place of body vectors, masses in place of weights."""
    text = EXAMPLE.read_text(encoding="utf-8")
    Q = np.vstack([np.zeros(3), np.cumsum(kg_puma.B, axis=0)])
    for k, (d, weight) in enumerate(zip(kg_puma.D, kg_puma.WEIGHTS, strict=True)):
        old = f"d = [{', '.join(map(str, d))}]\nweight = {weight}\n"
        assert old in text
        new = f"point = {Q[k].tolist()}\nmass = {weight * 0.0254 / 9.80665!r}\n"
        text = text.replace(old, new, 1)
    text = text.replace("[hand]", f"[hand]\npoint = {Q[6].tolist()}\n")
    file = edited("kg_puma")
    file.write_text(text, encoding="utf-8")
    q = np.array([0.3, -0.4, 0.5, 0.6, -0.7, 0.8])
    ours, theirs = read_masp(file).robot, read("kg_puma").robot
    np.testing.assert_allclose(ours.mass_matrix(q), theirs.mass_matrix(q), rtol=0, atol=1e-14)
    np.testing.assert_allclose(ours.forward_kinematics(q), theirs.forward_kinematics(q), rtol=0, atol=1e-15)


def test_gravity_is_in_the_files_units(edited: Edited) -> None:
    robot = read_masp(edited("kg_puma", ("# gravity = [0, 0, -386.0886] ", "gravity = [10, 0, 0] "))).robot
    np.testing.assert_allclose(robot.gravity, [0.254, 0, 0], rtol=1e-15)
    np.testing.assert_allclose(read("kg_puma").robot.gravity, [0, 0, -9.80665], rtol=1e-15)
