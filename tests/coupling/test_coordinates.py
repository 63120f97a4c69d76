"""Coordinates of one's own and equations between joints: what they make of names, units and limits; what is wrong."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import armdyn
from armdyn import DTypeError, Limits, ModelError, Part, Robot, ShapeError, UnknownName
from oracles.states import assert_close

ROD = armdyn.Inertia(1.0, [0.5, 0.1, 0.0], np.diag([0.1, 0.2, 0.3]))


def arm(kinds: str = "RRR", **of_joints: dict) -> Robot:
    """Joints a, b, c, ...; keywords give a joint's limits, damping and the like."""
    words = {"R": "revolute", "P": "prismatic"}
    parts = [
        Part(
            name, "base" if k == 0 else "abcdef"[k - 1], words[kind], axis=np.eye(3)[k % 3], xyz=(0.3, 0.1, 0.2),
            inertia=ROD, joint=name, **of_joints.get(name, {}),
        )
        for k, (name, kind) in enumerate(zip("abcdef", kinds, strict=False))
    ]  # fmt: skip
    return Robot.from_links(parts, name="arm")


# ---- coordinates


def test_kinds_are_those_of_the_joints() -> None:
    robot = arm("RRPP").with_coordinates(
        ["turn", "slide"], [[1, 0], [2, 0], [0, 1], [0, -1]], limits={"turn": Limits(-1.0, 1.0)}
    )
    assert [c.kind for c in robot.joints] == ["revolute", "prismatic"]
    assert robot.joints[0].limits == Limits(-1.0, 1.0)


def test_the_kind_of_a_coordinate_of_both_must_be_said() -> None:
    with pytest.raises(
        ModelError, match=r"'screw' turns joints and slides others, so its unit is open; say it: kinds="
    ):
        arm("RP").with_coordinates(["screw"], [[1.0], [0.01]])
    robot = arm("RP").with_coordinates(["screw"], [[1.0], [0.01]], kinds={"screw": "prismatic"})
    assert robot.joints[0].kind == "prismatic"


def test_a_coordinate_that_is_a_joint_has_its_kind_and_effort() -> None:
    robot = arm("RP", a={"limits": Limits(-1, 1, 2, 3)}, b={"limits": Limits(-1, 1, 2, 4)})
    (a,) = robot.with_coordinates(["a"], [[1.0], [0.5]]).joints
    assert a.kind == "revolute"
    assert a.limits == Limits(-1.0, 1.0, 2.0, 3.0)
    (x,) = robot.with_coordinates(["x"], [[1.0], [0.5]], kinds={"x": "revolute"}).joints
    assert x.limits.effort == math.inf


def test_given_limits_are_narrowed() -> None:
    robot = arm("RR", a={"limits": Limits(-1.0, 2.0, 3.0, 5.0)})
    (x,) = robot.with_coordinates(["x"], [[2.0], [1.0]], limits={"x": Limits(-0.2, 9.0, 9.0, 7.0)}).joints
    assert x.limits == Limits(-0.2, 1.0, 1.5, 7.0)
    with pytest.raises(ModelError, match=r"'x': .* at least 3 \(its own limit\) and at most 1 \(limit of 'a'\)"):
        robot.with_coordinates(["x"], [[2.0], [1.0]], limits={"x": Limits(3.0, 4.0)})


def test_limits_of_joints_that_two_coordinates_move_are_noted_and_their_friction_counts() -> None:
    robot = arm("RR", a={"limits": Limits(-1.0, 2.0, 3.0, 5.0), "damping": 0.1})
    wrist = robot.with_coordinates(["left", "right"], [[0.5, 0.5], [0.5, -0.5]])
    assert all(c.limits == Limits() and c.damping == 0.0 for c in wrist.joints)
    notes = "\n".join(wrist.notes)
    q, qd = np.zeros(2), np.array([1.0, 3.0])
    np.testing.assert_allclose(wrist.friction_forces(q, qd), [0.5 * 0.1 * 2.0, 0.5 * 0.1 * 2.0])  # A^T D A qd
    assert "limits of a, which several coordinates move, bound no single one" in notes
    assert "effort limits of a" in notes


def test_couplings_follow_one_another() -> None:
    """Limits of joints that two coordinates shared count again where one moves both; nothing counts twice."""
    robot = arm("RR", a={"limits": Limits(-1.0, 2.0, 3.0, 5.0), "damping": 0.1, "friction": 0.3})
    wrist = robot.with_coordinates(["left", "right"], [[0.5, 0.5], [0.5, -0.5]], offset=[0.1, 0.2])
    (both,) = wrist.with_coordinates(["both"], [[1.0], [3.0]], offset=[0.0, -0.2]).joints
    # a = (left + right) / 2 + 0.1 = 2 both
    assert both.limits == Limits(-0.5, 1.0, 1.5)
    assert (both.damping, both.friction) == pytest.approx((0.4, 0.6), rel=1e-15)
    twice = wrist.with_coordinates(["both"], [[1.0], [3.0]], offset=[0.0, -0.2])
    np.testing.assert_allclose(twice.joint_positions([0.7]), [1.4, 0.5 * (0.7 - 2.1 + 0.2) + 0.2], rtol=1e-14)
    assert not any("several" in note for note in twice.notes if "limits of a," in note)


def test_limits_of_coordinates_are_handed_on() -> None:
    first = arm("RR").with_coordinates(["x"], [[1.0], [2.0]], limits={"x": Limits(-1.0, 1.0, 4.0)})
    (y,) = first.with_coordinates(["y"], [[-4.0]]).joints
    assert y.limits == Limits(-0.25, 0.25, 1.0)


WRONG_COORDINATES = [
    (["x"], [[1.0], [2.0]], {}, ShapeError, r"matrix has shape \(2, 1\); expected \(3, 1\), a row for each of a, b, c"),
    (["x"], [1.0, 2.0, 3.0], {}, ShapeError, r"matrix has shape \(3,\); expected \(3, 1\)"),
    (["x"], [["one"], [2.0], [3.0]], {}, DTypeError, r"matrix holds text, .*; expected real numbers: \(3, 1\)"),
    (["x"], [[1.0], [math.nan], [3.0]], {}, ModelError, r"matrix\[1, 0\] is nan; expected finite real numbers"),
    (["x"], [[1], [2], [3]], {"offset": [1.0]}, ShapeError, r"offset has shape \(1,\); expected \(3,\), one value for"),
    (["x", "y"], [[1, 0], [2, 0], [3, 0]], {}, ModelError, r"no joint moves with 'y': a column of the matrix is zero"),
    (
        ["x", "y", "z"], [[1, 2, 0], [2, 4, 0], [3, 6, 1]], {}, ModelError,
        r"coordinates 'x', 'y' are not independent: together they can move and no joint does",
    ),
    (list("wxyz"), np.ones((3, 4)) + np.eye(3, 4), {}, ModelError, "are not independent"),
    ([], np.zeros((3, 0)), {}, ModelError, "no coordinate is left; an arm needs at least one"),
    (["x", "x"], np.eye(3, 2), {}, ModelError, r"coordinate 'x' is there 2 times; names must differ"),
    (["x", " "], np.eye(3, 2), {}, ModelError, r"a coordinate is called ' '; expected a name"),
    (["x"], [[1], [2], [3]], {"kinds": {"y": "revolute"}}, ModelError, "kinds name 'y', which is no new coordinate"),
    (["x"], [[1], [2], [3]], {"kinds": {"x": "round"}}, ModelError, "kind of coordinate 'x' is 'round'; expected"),
    (["x"], [[1], [2], [3]], {"limits": {"x": (0, 1)}}, ModelError, r"limits of coordinate 'x' are \(0, 1\); expected"),
]  # fmt: skip


@pytest.mark.parametrize(("names", "matrix", "options", "kind", "message"), WRONG_COORDINATES)
def test_wrong_coordinates(names, matrix, options, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        arm().with_coordinates(names, matrix, **options)


def test_a_joint_may_be_held() -> None:
    robot = arm("RR", b={"limits": Limits(-0.2, 0.2)}).with_coordinates(["x"], [[1.0], [0.0]], offset=[0.0, 0.2])
    np.testing.assert_array_equal(robot.joint_positions([0.7]), [0.7, 0.2])
    with pytest.raises(ModelError, match=r"joint 'b' is held at 0\.3, outside its limits -0\.2 to 0\.2"):
        arm("RR", b={"limits": Limits(-0.2, 0.2)}).with_coordinates(["x"], [[1.0], [0.0]], offset=[0.0, 0.3])


# ---- equations


def holds(robot: Robot, equations: list, seed: int = 51) -> None:
    """Every equation holds for every q."""
    q = np.random.default_rng(seed).normal(size=(5, robot.dof))
    joints = dict(zip(robot.model.joint_names, robot.joint_positions(q).T, strict=True))
    for equation in equations:
        coefficients, value = equation if isinstance(equation, tuple) else (equation, 0.0)
        terms = [a * joints[name] for name, a in coefficients.items()]
        size = sum(map(np.abs, terms)) + abs(value)
        assert (np.abs(sum(terms) - value) <= 4e-16 * size).all()


def test_the_last_joint_follows_where_nothing_is_said() -> None:
    equations = [({"a": 2.0, "c": 1.0}, 0.5)]
    robot = arm().with_joint_equations(equations)
    assert robot.joint_names == ("a", "b")
    holds(robot, equations)


def test_dependent_joints_are_chosen() -> None:
    equations = [({"a": 2.0, "c": 1.0}, 0.5), {"a": 1.0, "b": 3.0}]
    robot = arm().with_joint_equations(equations, dependent=["a", "b"])
    assert robot.joint_names == ("c",)
    holds(robot, equations)


def test_several_at_once_are_exact() -> None:
    """A train of gears 1 : 3 : 7 and back: thirds come out as the nearest numbers to thirds."""
    equations = [{"b": 3.0, "a": -1.0}, {"c": 7.0, "b": -1.0}, {"d": 0.1, "c": -0.3}]
    robot = arm("RRRR").with_joint_equations(equations)
    third = Fraction(1, 3)
    ratio = Fraction(0.3) / Fraction(0.1)
    expected = [1.0, float(third), float(third / 7), float(third / 7 * ratio)]
    np.testing.assert_array_equal(robot.model.coupling.matrix[:, 0], expected)


def test_equations_may_hold_a_joint() -> None:
    robot = arm().with_joint_equations([({"a": 1.0, "b": 1.0}, 0.3), ({"a": 1.0, "b": -1.0}, 0.1)])
    assert robot.joint_names == ("c",)
    np.testing.assert_allclose(robot.joint_positions([0.9]), [0.2, 0.1, 0.9], rtol=1e-15)


def test_equations_on_a_coupled_robot_are_on_its_coordinates() -> None:
    robot = arm().with_mimic({"b": ("a", 2.0)}).with_joint_equations([({"a": 1.0, "c": 1.0}, 0.0)])
    np.testing.assert_array_equal(robot.joint_positions([0.25]), [0.25, 0.5, -0.25])
    with pytest.raises(UnknownName, match="no joint 'b'"):
        arm().with_mimic({"b": "a"}).with_joint_equations([{"b": 1.0, "c": 1.0}])


def test_equations_say_the_same_as_mimicry() -> None:
    assert arm().with_joint_equations([({"c": 1.0, "a": 2.0}, 0.5)]) == arm().with_mimic({"c": ("a", -2.0, 0.5)})


WRONG_EQUATIONS = [
    (
        [{"a": 1.0, "b": -2.0}, {"b": 1.0, "c": -2.0}, {"a": 1.0, "c": -4.0}],
        r"equation 2 says nothing that equation 0, equation 1 do not say already; leave it out",
    ),
    (
        [{"a": 0.1, "b": -0.3}, {"a": 0.3, "b": -0.9}],  # 0.3 / 0.1 is not 0.9 / 0.3 to the last bit
        r"equation 1 says nothing that equation 0 does not say already",
    ),
    (
        [{"a": 1.0, "b": -2.0}, {"b": 1.0, "c": -2.0}, ({"a": 1.0, "c": -4.0}, 0.25)],
        r"equation 2 contradicts equation 0, equation 1: together they ask for 0 = -0\.25",
    ),
    ([({"a": 1.0}, 0.1), ({"a": 2.0}, 0.3)], r"equation 1 contradicts equation 0"),
    ([{"a": 0.0, "b": 0.0}], r"equation 0 has no coefficient that is not zero"),
    ([{"a": math.inf, "b": 1.0}], r"equation 0 holds inf; expected finite numbers"),
    ([({"a": 1.0}, 0), ({"b": 1.0}, 0), ({"c": 1.0}, 0)], "the equations hold every joint of 'arm' still"),
    (["a = b"], r"equation 0 is 'a = b'; expected coefficients by joint, such as"),
    ([({"a": "much"}, 0.0)], r"equation 0 is \(\{'a': 'much'\}, 0\.0\); expected coefficients by joint"),
    ([{"a": 1e300, "b": 1e-300}], "no finite solution for 'b'"),
]


@pytest.mark.parametrize(("equations", "message"), WRONG_EQUATIONS)
def test_wrong_equations(equations: list, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        arm().with_joint_equations(equations)


def test_equations_that_cannot_be_solved_as_asked() -> None:
    with pytest.raises(ModelError, match=r"cannot be solved for 'c': no equation that is left holds it"):
        arm().with_joint_equations([{"a": 1.0, "b": 1.0}], dependent=["c"])
    with pytest.raises(UnknownName, match="no joint 'd' in 'arm'"):
        arm().with_joint_equations([{"a": 1.0, "d": 1.0}])
    with pytest.raises(UnknownName, match="no joint 'd' in 'arm'"):
        arm().with_joint_equations([{"a": 1.0, "b": 1.0}], dependent=["d"])


def test_every_conflict_is_named_at_once() -> None:
    with pytest.raises(ModelError) as caught:
        arm().with_joint_equations([{"a": 1, "b": 1}, {"a": 2, "b": 2}, ({"a": 1, "b": 1}, 1.0)])
    assert len(caught.value.problems) == 2


COEFFICIENTS = st.floats(-10.0, 10.0).filter(lambda x: abs(x) > 1e-3)
EQUATIONS = st.lists(
    st.tuples(st.dictionaries(st.sampled_from("abcdef"), COEFFICIENTS, min_size=1), st.floats(-3.0, 3.0)),
    min_size=1,
    max_size=4,
)


@settings(max_examples=50, deadline=None)
@given(EQUATIONS)
def test_whatever_is_solved_holds(equations: list) -> None:
    try:
        robot = arm("RRRRRR").with_joint_equations(equations)
    except ModelError:
        A = np.array([[row.get(name, 0.0) for name in "abcdef"] for row, _ in equations])
        rank = np.linalg.matrix_rank(A, tol=1e-9)
        assert rank < len(equations) or rank == 6
        return
    A, b = robot.model.coupling.matrix, robot.model.coupling.offset
    for row, value in equations:
        a = np.array([row.get(name, 0.0) for name in "abcdef"])
        size = (np.abs(a) @ np.abs(A)).max() + np.abs(a) @ np.abs(b) + abs(value)
        assert np.abs(a @ A).max() <= 1e-12 * size
        assert abs(a @ b - value) <= 1e-12 * size + np.finfo(float).tiny  # below it there are no more digits


def test_order_of_the_equations_does_not_matter() -> None:
    equations = [{"a": 1.0, "b": 2.0, "c": -1.0}, ({"b": 1.0, "d": 3.0}, 0.2), {"a": 1.0, "d": 1.0}]
    q = np.array([[0.3]])
    whole = [
        arm("RRRR").with_joint_equations(list(order), dependent=["b", "c", "d"]).joint_positions(q)
        for order in itertools.permutations(equations)
    ]
    for other in whole:
        assert_close(other, whole[0], 1e-15)
