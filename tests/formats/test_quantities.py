"""Numbers with units as they are typed: 90deg, pi/2, 20mm; one reader, whose grammar docs/numbers.md has."""

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.base.errors import ModelError
from armdyn.base.quantities import quantity, split_quantities, unit_size

Shell = Callable[..., Any]


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("90deg", "rad", math.pi / 2),
        ("-45.0 deg", "rad", -math.pi / 4),
        ("3e1°", "rad", math.pi / 6),
        ("0.25rev", "rad", math.pi / 2),
        ("1.5rad", "rad", 1.5),
        ("5 mrad", "rad", 5e-3),
        ("pi/2", "rad", math.pi / 2),
        ("-pi", "rad", -math.pi),
        ("2pi/3", "rad", 2 * math.pi / 3),
        ("-3*pi / 4", "rad", -3 * math.pi / 4),
        ("π/6", "rad", math.pi / 6),
        ("1/8", "rad", 0.125),
        ("+.5e-1", "", 0.05),
        ("2*3/8", "", 0.75),
        ("20mm", "m", 0.02),
        ("-2 cm", "m", -0.02),
        ("1in", "m", 0.0254),
        ("1e-3m", "m", 1e-3),
        ("1ft", "m", 0.3048),
        ("30rpm", "rad/s", math.pi),
        ("30/min", "rad/s", math.pi),
        ("180 deg / s", "rad/s", math.pi),
        ("1deg/s²", "rad/s^2", math.pi / 180),
        ("2 lbf in", "N m", 2 * 4.4482216152605 * 0.0254),
        ("2lbfin", "N m", 2 * 4.4482216152605 * 0.0254),
        ("16 lb-in", "N m", 16 * 4.4482216152605 * 0.0254),
        ("1kNm", "N m", 1000.0),
        ("20 ms", "s", 0.02),
        ("250 us", "s", 2.5e-4),
        ("3 ns", "s", 3e-9),
        ("500 g", "kg", 0.5),
        ("inf", "N m", math.inf),
    ],
)
def test_numbers(text: str, unit: str, value: float) -> None:
    assert quantity("x", text, unit) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    "text", ["", "deg", "pi*", "--1", "1.2.3", "1+1", "2**3", "abs(1)", "pi2", "1_0deg", "1/", "1//2", "٣"]
)
def test_texts_that_are_not_numbers(text: str) -> None:
    with pytest.raises(ModelError, match=r"x is '.*'; expected a number in rad, or one with a unit, such as '90 deg'"):
        quantity("x", text, "rad")


def test_one_division_by_zero_is_not_finite() -> None:
    assert quantity("x", "1/0", "") == math.inf
    assert math.isnan(quantity("x", "0/0", ""))


@pytest.mark.parametrize(
    ("text", "unit", "message"),
    [
        ("20mm", "rad", "x is '20mm', in m; expected a unit like rad"),
        ("90deg", "m", "x is '90deg', an angle; expected a unit like m"),
        ("5 1/s", "rad/s", "x is '5 1/s', in s^-1; expected a unit like rad/s"),
        ("5 %", "rad", "'%' is read of what changes with temperature alone"),
        ("90degrees", "rad", "unknown unit 'degrees'. Did you mean 'deg'"),
        ("0x10", "rad", "unknown unit 'x'"),
        ("30 grad", "rad", "unknown unit 'grad'. Did you mean 'rad'?"),
        ("1e9999", "rad", "unknown unit 'e'"),
        ("1rad", "", "x is '1rad', with a unit; expected a number without one"),
        ("1,5 m", "m", "x is '1,5 m', with a comma; expected a point before decimals"),
        ("2 N m s", "N m", "in m^2 kg s^-1; expected a unit like N m, which is m^2 kg s^-2"),
    ],
)
def test_units_of_another_quantity(text: str, unit: str, message: str) -> None:
    with pytest.raises(ModelError) as raised:
        quantity("x", text, unit)
    assert message in str(raised.value)


def test_the_unit_of_a_column() -> None:
    assert unit_size("column q", "deg/s", "rad/s") == math.pi / 180
    with pytest.raises(ModelError, match="column q: unit 'mm', in m; expected a unit like rad"):
        unit_size("column q", "mm", "rad")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1, 2 3", ["1", "2", "3"]),
        ("90 deg, pi / 2 20mm", ["90 deg", "pi/2", "20mm"]),
        ("1 nan pi inf", ["1", "nan", "pi", "inf"]),
        ("-90deg -pi", ["-90deg", "-pi"]),
        ("2 lbf in, 1 N m", ["2 lbf in", "1 N m"]),
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
    assert "--lock elbow is '90mm', in m; expected a unit like rad" in " ".join(said.err.split())
    assert "no moving joint 'elbo'" in shell("info", "scara", "--lock", "elbo=90deg").err


def test_units_of_another_kind_are_named(shell: Shell) -> None:
    said = shell("torque", "scara", "--q", "1,2,90deg,0")
    assert said.code == 2
    assert "--q of quill_slide is '90deg', an angle; expected a unit like m" in " ".join(said.err.split())
    said = shell("info", "ur5", "--gravity", "0,0,9deg")
    assert "--gravity[2] is '9deg', an angle; expected a unit like m/s^2" in " ".join(said.err.split())
