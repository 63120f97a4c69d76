"""Angles and lengths as they are typed: 90deg, pi/2, 20mm."""

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.formats.csv_table import LENGTHS
from armdyn.formats.quantities import UnknownUnit, joint_units, read_quantity, split_quantities

Shell = Callable[..., Any]

TURNS, SLIDES = joint_units("revolute"), joint_units("prismatic")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("90deg", math.pi / 2),
        ("-45.0 deg", -math.pi / 4),
        ("3e1°", math.pi / 6),
        ("0.25rev", math.pi / 2),
        ("1.5rad", 1.5),
        ("pi/2", math.pi / 2),
        ("-pi", -math.pi),
        ("2pi/3", 2 * math.pi / 3),
        ("-3*pi / 4", -3 * math.pi / 4),
        ("π/6", math.pi / 6),
        ("1/8", 0.125),
        ("+.5e-1", 0.05),
    ],
)
def test_angles(text: str, value: float) -> None:
    assert read_quantity(text, TURNS) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(("text", "value"), [("20mm", 0.02), ("-2 cm", -0.02), ("1in", 0.0254), ("1e-3m", 1e-3)])
def test_lengths(text: str, value: float) -> None:
    assert read_quantity(text, SLIDES) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize("text", ["", "deg", "pi*", "--1", "1.2.3", "1+1", "2**3", "abs(1)", "pi2", "1_0deg"])
def test_what_is_no_number(text: str) -> None:
    with pytest.raises(ValueError, match="is no number"):
        read_quantity(text, TURNS)


def test_units_are_those_of_the_kind() -> None:
    for text, units in (("20mm", TURNS), ("90deg", SLIDES), ("90degrees", TURNS), ("0x10", TURNS), ("1rad", {})):
        with pytest.raises(UnknownUnit):
            read_quantity(text, units)
    assert read_quantity("30rpm", joint_units("revolute", "qd")) == pytest.approx(math.pi)
    assert read_quantity("2 lbf in", joint_units("revolute", "tau")) == pytest.approx(2 * 4.4482216152605 * 0.0254)
    assert set(SLIDES) == set(LENGTHS)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1, 2 3", ["1", "2", "3"]),
        ("90 deg, pi / 2 20mm", ["90deg", "pi/2", "20mm"]),
        ("1 nan pi inf", ["1", "nan", "pi", "inf"]),
        ("-90deg -pi", ["-90deg", "-pi"]),
        (" ", []),
    ],
)
def test_lists(text: str, words: list[str]) -> None:
    assert split_quantities(text) == words


def test_every_option_of_joint_values_has_units(shell: Shell) -> None:
    arm, q = armdyn.load("scara"), [math.pi / 2, -math.pi / 6, 0.05, 0.1]
    typed = "90deg,-pi/6,50mm,0.1"
    assert json.loads(shell("fk", "scara", "--q", typed, "--json").out)["q"] == pytest.approx(q, rel=1e-15)
    qd, qdd = [math.pi, 0.1, 0.02, 0.0], [math.pi / 180, 0.0, 0.3, 0.0]
    said = shell(
        "torque", "scara", "--q", typed, "--qd", "30rpm,.1,2cm/s,0", "--qdd", "1deg/s2,0,300mm/s^2,0", "--json"
    )
    answer = json.loads(said.out)
    np.testing.assert_allclose(answer["tau"], arm.inverse_dynamics(q, qd, qdd), rtol=1e-12, atol=1e-12)
    said = shell("simulate", "scara", "--q0", typed, "--qd0", "30rpm,0,20mm/s,0", "--torque", "1kNm,0,2lbf,0",
                 "--duration", "1e-9", "--json")  # fmt: skip
    start = json.loads(said.out)
    assert start["q"]["start"] == pytest.approx(q, rel=1e-15)
    assert start["qd"]["start"] == pytest.approx([math.pi, 0.0, 0.02, 0.0], rel=1e-15)
    found = json.loads(shell("ik", "scara", "--xyz", "0.4,200mm,0.1", "--q0", typed, "--json").out)
    assert arm.forward_kinematics(found["q"])[:3, 3] == pytest.approx([0.4, 0.2, 0.1], abs=1e-9)


def test_locks_have_units(shell: Shell) -> None:
    held = json.loads(shell("fk", "scara", "--lock", "elbow=90deg", "--lock", "quill_slide=50 mm", "--json").out)
    T = armdyn.load("scara").forward_kinematics([0.0, math.pi / 2, 0.05, 0.0])
    np.testing.assert_allclose(held["frames"]["tip"]["T"], T, atol=1e-15)
    said = shell("info", "scara", "--lock", "elbow=90mm")
    assert said.code == 2
    assert "--lock elbow has '90mm'; unit 'mm', expected one of rad, deg, °, rev" in " ".join(said.err.split())
    assert "no moving joint 'elbo'" in shell("info", "scara", "--lock", "elbo=90deg").err


def test_units_of_another_kind_are_named(shell: Shell) -> None:
    said = shell("torque", "scara", "--q", "1,2,90deg,0")
    assert said.code == 2
    assert "--q has '90deg' for 'quill_slide'; unit 'deg', expected one of m, cm, mm, in" in " ".join(said.err.split())
    assert "unit 'deg', expected a number alone" in " ".join(shell("info", "ur5", "--gravity", "0,0,9deg").err.split())
    said = shell("simulate", "ur5", "--Kp", "10deg", "--controller", "pd_gravity", "--q-ref", "0,0,0,0,0,0")
    assert "--Kp has '10deg'; unit 'deg', expected a number alone" in " ".join(said.err.split())
