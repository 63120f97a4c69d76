"""Gravity, locked positions and joints' numbers that are none are refused at once, by name, through every front end."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn import ArmdynError, DTypeError, Inertia, Limits, Model, ModelError, Part, Robot, ShapeError, UnknownName
from armdyn.formats.urdf import read_urdf_text

WANTED = "expected real numbers: (3,), three numbers, m/s^2"

GRAVITIES = [
    ([np.nan, 0, 0], ModelError, "gravity[0] is nan; expected finite real numbers: (3,), three numbers, m/s^2"),
    ([0, 0, -np.inf], ModelError, "gravity[2] is -inf; expected finite real numbers: (3,), three numbers, m/s^2"),
    ("abc", DTypeError, f"gravity holds text, 'abc'; {WANTED}"),
    (["0", "0", "-9.81"], DTypeError, f"gravity holds text, ['0', '0', '-9.81']; {WANTED}"),
    ([0, 0, 1j], DTypeError, f"gravity holds complex numbers, [0, 0, 1j]; {WANTED}"),
    (np.array([0, 0, 1j]), DTypeError, f"gravity holds complex numbers, array([0.+0.j, 0.+0.j, 0.+1.j]); {WANTED}"),
    ([0, 0, None], DTypeError, f"gravity holds Python objects, [0, 0, None]; {WANTED}"),
    ([0, 0, 10**400], DTypeError, f"gravity holds Python objects; {WANTED}"),
    (np.zeros(3, "M8[s]"), DTypeError, f"gravity holds datetime64[s]; {WANTED}"),
    (9.81, ShapeError, "gravity has shape (); expected (3,), three numbers, m/s^2"),
    ([0, 0, 0, -9.81], ShapeError, "gravity has shape (4,); expected (3,), three numbers, m/s^2"),
    ([[0], [0, 1], 2], ShapeError, "gravity is ragged: its rows differ in length; expected (3,), three numbers, m/s^2"),
]  # fmt: skip

FRONT_ENDS = {
    "load": lambda g: armdyn.load("ur5", gravity=g),
    "a module's robot": lambda g: armdyn.load("puma560", gravity=g),
    "with_gravity": lambda g: armdyn.load("ur5").with_gravity(g),
    "Model": lambda g: armdyn.load("ur5").model.replace(gravity=g),
    "dh": lambda g: Robot.from_dh([(0, 0, 1, 0)], convention="modified", gravity=g),
    "links": lambda g: Robot.from_links([Part("boom", "base", axis=(0, 0, 1))], gravity=g),
    "zero reference": lambda g: Robot.from_zero_reference([(0, 0, 1)], points=[(0, 0, 0)], gravity=g),
    "screws": lambda g: Robot.from_screws(
        [np.eye(4), np.eye(4)], [np.eye(6)], np.array([[0, 0, 1, 0, 0, 0]]).T, gravity=g
    ),
}


@pytest.mark.parametrize("front_end", FRONT_ENDS)
@pytest.mark.parametrize(("gravity", "error", "message"), GRAVITIES)
def test_gravity_that_is_none(front_end: str, gravity: object, error: type[ArmdynError], message: str) -> None:
    with pytest.raises(error) as caught:
        FRONT_ENDS[front_end](gravity)
    assert str(caught.value) == message


@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_gravity_of_any_real_numbers(front_end: str) -> None:
    made = FRONT_ENDS[front_end]([Fraction(1, 2), Decimal("0.25"), np.float32(-2)])
    model = made if isinstance(made, Model) else made.model
    np.testing.assert_array_equal(model.gravity, [0.5, 0.25, -2.0])


HELD = "expected a number, where it is held, rad or m"
MAPPING = "expected a mapping from joints to where they are held, rad or m, such as {'elbow_joint': 0.0}."

LOCKED = [
    ({"elbow_joint": "x"}, ModelError, f"locked['elbow_joint'] is 'x'; {HELD}"),
    ({"elbow_joint": "1"}, ModelError, f"locked['elbow_joint'] is '1'; {HELD}"),
    ({"elbow_joint": None}, ModelError, f"locked['elbow_joint'] is None; {HELD}"),
    ({"elbow_joint": 1j}, ModelError, f"locked['elbow_joint'] is 1j; {HELD}"),
    ({"elbow_joint": [1, 2]}, ModelError, f"locked['elbow_joint'] is [1, 2]; {HELD}"),
    ({"elbow_joint": np.nan}, ModelError, f"locked['elbow_joint'] is nan; {HELD}"),
    (["elbow_joint"], ModelError, f"locked is ['elbow_joint']; {MAPPING}"),
    ("elbow_joint", ModelError, f"locked is 'elbow_joint'; {MAPPING}"),
    ([1, 2], ModelError, f"locked is [1, 2]; {MAPPING}"),
    (np.ones(2), ModelError, f"locked is array([1., 1.]); {MAPPING}"),
    ({"elbow": 1.0}, UnknownName, "no moving joint 'elbow' in 'ur5' (6 moving joints). Did you mean 'elbow_joint'?"),
]  # fmt: skip


@pytest.mark.parametrize(("locked", "error", "message"), LOCKED)
def test_locked_that_says_nothing(locked: object, error: type[ArmdynError], message: str) -> None:
    with pytest.raises(error) as caught:
        armdyn.load("ur5", locked=locked)
    assert str(caught.value) == message


def test_locked_at_an_array_of_one_number() -> None:
    held, plain = (armdyn.load("ur5", locked={"elbow_joint": at}) for at in (np.array(0.25), 0.25))
    assert held == plain


def test_locked_outside_the_limits_is_noted() -> None:
    held = armdyn.load("ur5", locked={"elbow_joint": 99, "wrist_1_joint": 1.0})
    assert held.notes == ("locked outside their limits: elbow_joint (at 99, limits -3.14159 to 3.14159)",)
    at_the_limit = armdyn.load("ur5").model.joint("elbow_joint").limits.upper
    assert armdyn.load("ur5", locked={"elbow_joint": at_the_limit + 1e-12}).notes == ()


def test_a_follower_that_is_locked_outside_its_limits_is_noted() -> None:
    def joint(name: str, parent: str, child: str, more: str) -> str:
        ends = f'<parent link="{parent}"/><child link="{child}"/>'
        return f'<joint name="{name}" type="revolute">{ends}{more}</joint><link name="{child}"/>'

    limit = '<limit lower="-1" upper="1" velocity="1" effort="1"/>'
    joints = joint("j", "a", "b", limit) + joint("k", "b", "c", limit + '<mimic joint="j" multiplier="3"/>')
    text = f'<robot name="r"><link name="a"/>{joints}{joint("free", "c", "d", limit)}</robot>'
    assert "locked outside their limits: k (at 1.5, limits -1 to 1)" in read_urdf_text(text, locked={"j": 0.5}).notes


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"limits": Limits(lower=np.nan)}, "lower limit is nan; expected a number."),
        ({"limits": Limits(lower=True)}, "lower limit is True; expected a number."),
        ({"damping": True}, "damping is True; expected a finite number."),
        ({"armature": True}, "armature is True; expected an inertia, a finite number not below zero."),
        ({"limits": Limits(effort="x")}, "effort limit is 'x'; expected a number."),  # type: ignore[arg-type]
        ({"damping": np.nan}, "damping is nan; expected a finite number."),
        ({"friction": None}, "friction is None; expected a finite number."),
        ({"armature": "x"}, "armature is 'x'; expected an inertia, a finite number not below zero."),
    ],
)
def test_numbers_of_a_joint(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError) as caught:
        Robot.from_links([Part("boom", "base", axis=(0, 0, 1), **changes)])  # type: ignore[arg-type]
    assert str(caught.value) == f"parts[0] joint 'joint_of_boom': {message}"


@pytest.mark.parametrize("arguments", [("x",), (1.0, "abc"), (1.0, [0, 0, 1j]), (1.0, [0, 0, 0], [[None] * 3] * 3)])
def test_inertia_of_no_numbers(arguments: tuple[object, ...]) -> None:
    with pytest.raises(DTypeError, match="Inertia holds numbers only"):
        Inertia(*arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("source", [5, None, b"arm.urdf", ["arm.urdf"]])
def test_no_path(source: object) -> None:
    with pytest.raises(ModelError, match="expected the path of a URDF file, got "):
        Robot.from_urdf(source)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [5, None, ["<robot/>"], Path("arm.urdf")])
def test_no_text(text: object) -> None:
    with pytest.raises(ModelError, match="expected the text of a URDF file, str or bytes, got "):
        read_urdf_text(text)  # type: ignore[arg-type]


def test_no_name_and_no_path() -> None:
    with pytest.raises(armdyn.ModelError, match="the robot is int; expected a bundled name or the path of a file"):
        armdyn.load(5)
