# ruff: noqa: E501 - messages stand whole on their lines
"""What is wrong in a table, in zero reference quantities or in a list of links is said by argument and row, with a remedy."""

import numpy as np
import pytest

import armdyn
from armdyn import DHRow, Inertia, ModelError, Part, Robot, ShapeError, UnknownName, Unsupported

CHOICE = "the same table means different arms: choose convention='modified' (Rx(alpha) Tx(a) Rz(theta) Tz(d), as Craig) or convention='standard' (Rz(theta) Tz(d) Tx(a) Rx(alpha), as Paul and Spong)."
KIND = "expected 'revolute' or 'prismatic' (or 'R', 'P')."


def problems_of(build, *arguments, **keywords) -> tuple[str, ...]:
    with pytest.raises(ModelError) as caught:
        build(*arguments, **keywords)
    return caught.value.problems


ROW = (0.1, 0.2, 0.3, 0.4)
DICT = {"a": 0.1, "alpha": 0.2, "d": 0.3, "theta": 0.4}

DH_ROWS = [
    ((0.1, 0.2, 0.3), "rows[1] has 3 entries; expected a, alpha, d, theta and, where the joint slides, 'prismatic'."),
    ((0.1, 0.2, 0.3, 0.4, "R", 0.0), "rows[1] has 6 entries; expected a, alpha, d, theta and, where the joint slides, 'prismatic'."),
    (7, "rows[1] is 7; expected (a, alpha, d, theta), a dict of these, or a DHRow."),
    ("RRPR", "rows[1] is 'RRPR'; expected (a, alpha, d, theta), a dict of these, or a DHRow."),
    ((0.1, 0.2, 0.3, 0.4, "slide"), f"rows[1]: kind is 'slide'; {KIND}"),
    ((0.1, np.nan, 0.3, 0.4), "rows[1]: alpha is nan; expected a finite number."),
    ((0.1, 0.2, np.inf, 0.4), "rows[1]: d is inf; expected a finite number."),
    (("0.1", 0.2, 0.3, 0.4), "rows[1]: a is '0.1'; expected a finite number."),
    ((0.1, 0.2, 0.3, None), "rows[1]: theta is None; expected a finite number."),
    ((0.1, -90, 0.3, 0.4), "rows[1]: alpha is -90 rad, more than a full turn. If the table is in degrees, pass degrees=True."),
    ({"a": 1, "d": 2}, "rows[1] has no alpha, theta; expected a, alpha, d and theta."),
    (DICT | {"dampin": 1.0}, "rows[1] has 'dampin', which is unknown; expected a, alpha, d, theta, kind, inertia, limits, damping, friction, collar, armature. Did you mean 'damping'?"),
    (DICT | {"collar": "link_2"}, "rows[1]: collar is 'link_2'; expected 'parent' or 'child', the link that carries it."),
    (DICT | {"inertia": np.eye(3)}, "rows[1]: inertia is array([[1., 0., 0.],\n       [0., 1., 0.],\n       [0., 0., 1.]]); expected an armdyn.Inertia."),
    (DICT | {"friction": -1.0}, "rows[1] joint 'joint_2': friction -1 is negative; it would add energy."),
]  # fmt: skip


@pytest.mark.parametrize(("row", "problem"), DH_ROWS)
def test_dh_row(row: object, problem: str) -> None:
    assert problems_of(Robot.from_dh, [ROW, row], convention="modified") == (problem,)


def test_all_problems_of_a_table_at_once() -> None:
    shear = np.eye(4)
    shear[0, 1] = 0.1
    found = problems_of(Robot.from_dh, [(1, 2), ROW, (0, 99, 0, 0)], tool=shear)
    assert found == (
        f"convention is not given; {CHOICE}",
        "rows[0] has 2 entries; expected a, alpha, d, theta and, where the joint slides, 'prismatic'.",
        "rows[2]: alpha is 99 rad, more than a full turn. If the table is in degrees, pass degrees=True.",
        "tool is no rigid motion; expected a rotation, a position and a last row 0 0 0 1.",
    )


def test_dh_convention() -> None:
    assert problems_of(Robot.from_dh, [ROW], convention="craig") == (f"convention is 'craig'; {CHOICE}",)
    assert problems_of(armdyn.load("ur5").to_dh, "proximal") == (f"convention is 'proximal'; {CHOICE}",)


@pytest.mark.parametrize("word", ["Jm", "gear_ratio", "G"])
def test_dh_motor(word: str) -> None:
    with pytest.raises(Unsupported, match=rf"rows\[0\] has '{word}': .* Give the rotor's inertia .* as 'armature'"):
        Robot.from_dh([DICT | {word: 0.1}], convention="standard")


def test_dh_inertias_twice() -> None:
    ball = Inertia(1.0, [0, 0, 0], np.eye(3))
    row = DHRow(*ROW, inertia=ball)
    found = problems_of(Robot.from_dh, [ROW, row], convention="standard", inertias=[ball, ball])
    assert found == ("rows[1] has its own inertia, and inertias is given too; give one of them.",)
    with pytest.raises(ShapeError, match=r"inertias has 1 entries; expected 2, one armdyn.Inertia a row"):
        Robot.from_dh([ROW, ROW], convention="standard", inertias=[ball])
    with pytest.raises(ShapeError, match=r"limits\[0\] is 3; expected an armdyn.Limits"):
        Robot.from_dh([ROW], convention="standard", limits=[3])


@pytest.mark.parametrize("rows", [[], 5, "RR", DICT, DHRow(*ROW), np.float64(3.0)])
def test_dh_without_rows(rows: object) -> None:
    with pytest.raises(ShapeError, match="rows must be a list with one row a joint"):
        Robot.from_dh(rows, convention="standard")


def test_dh_impossible_inertia() -> None:
    row = DHRow(*ROW, inertia=Inertia(1.0, [0, 0, 0], np.diag([1.0, 1.0, 3.0])))
    (found,) = problems_of(Robot.from_dh, [ROW, row], convention="modified")
    assert found.startswith("rows[1] link 'link_2': principal inertia (1, 1, 3) kg m^2 breaks a+b>=c by 33.3 %")
    assert any(
        "taken as it stands" in note for note in Robot.from_dh([row], convention="modified", check_inertia=False).notes
    )


ZERO = {
    "axes": [(0, 0, 1), (0, 1, 0)],
    "points": [(0, 0, 0), (0, 0, 1)],
    "hand": (1, 0, 1),
    "c": [(0, 0, 0.5), (0.5, 0, 0)],
    "masses": [2.0, 1.0],
}

ZERO_PROBLEMS = [
    ({"axes": [(0, 0, 1), (0, 2, 0)]}, "axes[1] = (0, 2, 0) has length 2; expected a unit vector, here (0.0, 1.0, 0.0); the direction of the axis, not a point on it (points go into points=)."),
    ({"axes": [(0, 0, 0), (0, 1, 0)]}, "axes[0] = (0, 0, 0) has length 0; expected a unit vector such as (0, 0, 1); the direction of the axis, not a point on it (points go into points=)."),
    ({"axes": [(0, 0, 1), (0, 3, 4)]}, "axes[1] = (0, 3, 4) has length 5; expected a unit vector, here (0.0, 0.6, 0.8); the direction of the axis, not a point on it (points go into points=)."),
    ({"kinds": ["R", "slider"]}, f"kinds[1] is 'slider'; {KIND}"),
    ({"axial": (1, 0, 0)}, "transverse is not given; the hand needs both unit vectors, axial and transverse, or neither."),
    ({"transverse": (1, 0, 0)}, "axial is not given; the hand needs both unit vectors, axial and transverse, or neither."),
    ({"axial": (1, 0, 0), "transverse": (0.6, 0.8, 0)}, "axial (1, 0, 0) and transverse (0.6, 0.8, 0) are 53.1301 degrees apart; expected a right angle."),
    ({"axial": (1, 1, 0), "transverse": (0, 0, 1)}, "axial = (1, 1, 0) has length 1.41421356; expected a unit vector, here (0.7071067811865475, 0.7071067811865475, 0.0)."),
    ({"b": [(0, 0, 1), (1, 0, 0)]}, "points and b both say where the joints are; give one of them."),
    ({"first_center": (0, 0, 1)}, "points and first_center both say where the joints are; give one of them."),
    ({"points": None}, "hand belongs to points=; with body vectors the last one ends at the hand point."),
    ({"points": None, "hand": None}, "where the joints are is not given; expected points= (Q_0k) with hand= (h), or the body vectors: b, or c and d."),
    ({"d": [(0, 0, 0.5), (0.4, 0, 0)]}, "c[1] + d[1] = (0.9, 0, 0), but b[1] = (1, 0, 0); expected b = c + d."),
    ({"hand": None, "c": None, "d": [(0, 0, 0.5), (0.4, 0, 0)]}, "d leads to the hand point, which is not given; pass hand=, or c instead of d."),
    ({"c": None}, "the centres of mass are not given; expected body vectors c (from Q_0k to the centre of mass) or d."),
    ({"masses": None}, "centres of mass or inertias are given, but neither masses nor weights."),
    ({"weights": [1, 2]}, "masses and weights are both given; give one of them."),
    ({"masses": None, "weights": [1, 2], "weighed_at": 0.0}, "weighed_at is 0.0; expected the free fall that makes a weight, m/s^2, above 0"),
    ({"masses": [2.0, -1.0]}, "joint 2 of the zero reference position: link 'link_2': mass -1 kg is negative; expected 0 or more."),
    ({"inertias": [np.eye(3), [[1, 2, 0], [0, 1, 0], [0, 0, 1]]]}, "inertias[1] is not symmetric."),
    ({"collars": {"joint_1": "link_1"}}, "collars: joint 'joint_1' is revolute and has no collar; only prismatic joints have one."),
    ({"kinds": "RP", "collars": {"joint_2": "link_7"}}, "collars: the collar of joint 'joint_2' is said to be on link 'link_7'; expected one of the two links it joins, 'link_1' or 'link_2'."),
]  # fmt: skip


@pytest.mark.parametrize(("change", "problem"), ZERO_PROBLEMS)
def test_zero_reference(change: dict, problem: str) -> None:
    assert problems_of(Robot.from_zero_reference, **{**ZERO, **change}) == (problem,)


def test_the_good_zero_reference_is_good() -> None:
    assert Robot.from_zero_reference(**ZERO).notes == ()


ZERO_SHAPES = [
    ({"axes": []}, "axes must hold one unit vector a joint"),
    ({"axes": 3.0}, r"axes has shape \(\); expected \(1, 3\), one unit vector a joint"),
    ({"axes": [(0, 0, 1), (0, 1)]}, "axes is ragged: its rows differ in length; expected one unit vector a joint"),
    ({"axes": [(0, 0, 1), (0, 1, 0), (1, 0, 0)]}, r"c has shape \(2, 3\); expected \(3, 3\), one body vector a joint"),
    ({"points": [(0, 0, 0), (0, np.nan, 1)]}, r"points\[1, 1\] is nan; expected finite"),
    ({"hand": (1, 2)}, r"hand has shape \(2,\); expected \(3,\), the hand point in base coordinates"),
    ({"masses": [1, 2, 3]}, r"masses has shape \(3,\); expected \(2,\), one mass a link"),
    ({"inertias": np.ones((2, 3))}, r"inertias has shape \(2, 3\); expected \(2, 3, 3\), one 3x3 matrix a link"),
    ({"kinds": "RRR"}, "kinds has 3 entries; expected 2, 'R' or 'P' for each joint"),
    ({"joint_names": ["a"]}, "joint_names has 1 entries; expected 2, one name a joint"),
    ({"gravity": 9.81}, r"gravity has shape \(\); expected \(3,\), three numbers, m/s\^2"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), ZERO_SHAPES)
def test_zero_reference_of_wrong_shape(change: dict, message: str) -> None:
    with pytest.raises(ModelError if "finite" in message else ShapeError, match=message):
        Robot.from_zero_reference(**{**ZERO, **change})


def test_collar_of_a_joint_that_is_not_there() -> None:
    with pytest.raises(UnknownName, match="no joint 'joint_9' in collars"):
        Robot.from_zero_reference(**ZERO, collars={"joint_9": "link_1"})


def test_mixed_units() -> None:
    """Inertias in kg mm^2 beside lengths in m: a radius of gyration of hundreds of metres."""
    mixed = ZERO | {"inertias": [np.eye(3) * 2e5, np.eye(3) * 1e5]}
    (found,) = problems_of(Robot.from_zero_reference, **mixed)
    assert found == (
        "inertias[0]: a mass of 2 kg with 2e+05 kg m^2 has a radius of gyration of 316.2 m, in an arm of 3 m; are the units "
        "mixed? Lengths, masses and inertias must be in one set of units, see units=; if it is so, pass check_inertia=False."
    )
    assert Robot.from_zero_reference(**mixed, check_inertia=False).dof == 2


def test_mixed_units_within_one_inertia() -> None:
    """One moment in other units than the two beside it: no body has it."""
    (found,) = problems_of(Robot.from_zero_reference, **ZERO, inertias=[np.eye(3), np.diag([0.02, 0.02, 0.02 * 8.85])])
    assert "breaks a+b>=c" in found


@pytest.mark.parametrize("wrong", [{"length": 0.0}, {"mass": -1.0}, {"length": np.nan}, {"mass": "lb"}])
def test_units(wrong: dict) -> None:
    with pytest.raises(
        ModelError, match=f"Units: {next(iter(wrong))} is .*; expected what one unit is in m or kg, above 0"
    ):
        armdyn.Units(**wrong)


def part(**changes) -> Part:
    return Part(**{"name": "boom", "parent": "base", "kind": "revolute", "axis": (0, 0, 1)} | changes)


PARTS = [
    ({"kind": "hinge"}, "parts[0] 'boom': kind is 'hinge'; expected one of revolute, prismatic, fixed."),
    ({"axis": None}, "parts[0] 'boom': a revolute joint needs its axis, a unit vector in the link's own axes such as (0, 0, 1)."),
    ({"axis": (0, 0, 2)}, "parts[0] 'boom': axis = (0, 0, 2) has length 2; expected a unit vector, here (0.0, 0.0, 1.0)."),
    ({"kind": "fixed"}, "parts[0] 'boom': a fixed joint has no axis."),
    ({"T": np.eye(4), "xyz": (0, 0, 1)}, "parts[0] 'boom': T and xyz both say where the joint is; give one of them."),
    ({"T": 2 * np.eye(4)}, "parts[0] 'boom': T is no rigid motion; expected a rotation, a position and a last row 0 0 0 1."),
    ({"collar": "parent"}, "parts[0] 'boom': a revolute joint has no collar; only prismatic joints have one."),
    ({"collar": "left"}, "parts[0] 'boom': collar is 'left'; expected 'parent' or 'child', the link that carries it."),
    ({"parent": "bse"}, "parts[0] joint 'joint_of_boom': its parent link 'bse' does not exist. Did you mean 'base'?"),
    ({"damping": -1.0}, "parts[0] joint 'joint_of_boom': damping -1 is negative; it would add energy."),
    ({"limits": armdyn.Limits(2.0, 1.0)}, "parts[0] joint 'joint_of_boom': lower limit 2 is above upper limit 1; swap them."),
]  # fmt: skip


@pytest.mark.parametrize(("change", "problem"), PARTS)
def test_part(change: dict, problem: str) -> None:
    assert problems_of(Robot.from_links, [part(**change)]) == (problem,)


def test_parts_that_are_no_tree() -> None:
    found = problems_of(
        Robot.from_links, [part(), part(name="eye", parent="ear"), part(name="ear", parent="eye"), part()]
    )
    assert "parts[3] link 'boom': the name is taken already (first at parts[0]); names must differ." in found
    with pytest.raises(ShapeError, match=r"parts\[0\] is 'boom'; expected an armdyn.Part"):
        Robot.from_links(["boom"])
    with pytest.raises(ShapeError, match=r"xyz has shape \(2,\); expected \(3,\), x, y, z in m"):
        Robot.from_links([part(xyz=(1, 2))])


def fork() -> Robot:
    body = Inertia.point(1.0, [0.1, 0.2, 0.3])
    return Robot.from_links(
        [part(inertia=body), part(name="left", parent="boom", inertia=body), part(name="right", parent="boom", inertia=body)],
        tip="left", name="fork",
    )  # fmt: skip


@pytest.mark.parametrize("write", ["to_screws", "to_zero_reference", "to_dh"])
def test_trees_have_no_serial_description(write: str) -> None:
    arguments = ["standard"] if write == "to_dh" else []
    with pytest.raises(
        Unsupported,
        match=r"'fork' branches at link 'boom' \(joints joint_of_left, joint_of_right\); .* holds one chain",
    ):
        getattr(fork(), write)(*arguments)


def test_joints_out_of_order() -> None:
    upper, fore = part(name="upper"), part(name="fore", parent="upper")
    shuffled, in_order = Robot.from_links([fore, upper]), Robot.from_links([upper, fore])
    for one, other in zip(shuffled.to_screws(), in_order.to_screws(), strict=True):
        assert np.array_equal(one, other)


def test_tip_elsewhere_than_at_the_end() -> None:
    arm = armdyn.load("ur5").with_tip("forearm_link")
    with pytest.raises(Unsupported, match=r"its tip 'forearm_link' is on link 'forearm_link', not on the last one"):
        arm.to_zero_reference()


def test_nearly_parallel_axes_have_no_table_and_are_told_where_to_go() -> None:
    """The paper's own point: axes that were meant to be parallel have a common normal that is nowhere near."""
    tilt = 1e-13
    axis = np.array([tilt, 0.0, np.sqrt(1 - tilt**2)])
    arm = Robot.from_zero_reference(
        [(0, 0, 1), axis, (0, 1, 0)], points=[(0, 0, 0), (0.3, 0.4, 0), (0.7, 0.5, 0.1)], hand=(1, 1, 1)
    )
    with pytest.raises(ModelError, match="so nearly parallel that their common normal is far away"):
        arm.to_dh("modified")
    again = Robot.from_zero_reference(**arm.to_zero_reference().arguments())
    np.testing.assert_array_equal(again.forward_kinematics([0.1, 0.2, 0.3]), arm.forward_kinematics([0.1, 0.2, 0.3]))


@pytest.mark.parametrize("name", ["a\x00b", "a\x0bb", "\ud800"])
def test_names_that_no_xml_file_can_hold(name: str) -> None:
    arm = Robot.from_links([part(inertia=Inertia.point(1.0, [1, 0, 0]))], name=name)
    with pytest.raises(ModelError, match="has a name that an XML file cannot hold"):
        arm.to_urdf()


def test_screws_with_an_asymmetric_inertia() -> None:
    """About the centre of mass, where what is rounding of mass times length is much."""
    G = np.diag([1e-3, 1e-3, 1e-3, 1.0, 1.0, 1.0])
    G[0, 1] = 5e-10
    screw = np.array([[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]]).T
    fault = "tensor[0, 1] is 5e-10 and tensor[1, 0] is 0 kg m^2; expected a symmetric matrix."
    remedy = "Set both entries to the same number, or pass (I + I.T) / 2."
    assert problems_of(Robot.from_screws, [np.eye(4)] * 2, [G], screw) == (f"Glist[0]: {fault} {remedy}",)
