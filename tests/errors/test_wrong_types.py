# ruff: noqa: E501 - messages stand whole on their lines
"""Arguments of other types than the readers take, and numbers that no float holds, are refused by name."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn import ArmdynError, DHRow, DTypeError, Inertia, Limits, ModelError, Part, Robot, ShapeError, Units

ROBOTS = Path(armdyn.robots.__file__).parent
HUGE = 10**400
MASKED = np.ma.array([0.0, 0.0, 1.0], mask=[True, False, False])
TEXT, BLANK = "expected a text.", "expected a text that is not blank."
ROW = (0.1, 0.2, 0.3, 0.4)


def links(**changes: object) -> Robot:
    return Robot.from_links([Part(**({"name": "boom", "parent": "base", "axis": (0, 0, 1)} | changes))])  # type: ignore[arg-type]


def tree(**options: object) -> Robot:
    return Robot.from_links([Part("boom", "base", axis=(0, 0, 1))], **options)  # type: ignore[arg-type]


def dh(*rows: object, **options: object) -> Robot:
    return Robot.from_dh(list(rows) or [ROW], **({"convention": "modified"} | options))  # type: ignore[arg-type]


def zero(**changes: object) -> Robot:
    given = {"axes": [(0, 0, 1)], "points": [(0, 0, 0)], "hand": (1, 0, 0), "c": [(0, 0, 1)], "masses": [1.0]}
    return Robot.from_zero_reference(**(given | changes))  # type: ignore[arg-type]


def screws(**changes: object) -> Robot:
    given = {"Mlist": [np.eye(4)] * 2, "Glist": [np.eye(6)], "Slist": np.array([[0, 0, 1, 0, 0, 0]]).T}
    return Robot.from_screws(**(given | changes))  # type: ignore[arg-type]


CALLS: list[tuple[Callable[[], object], type[ArmdynError], str | None]] = [
    (lambda: links(name=5), ModelError, f"parts[0] 5: name is 5; {TEXT}"),
    (lambda: links(name=" "), ModelError, f"parts[0] ' ': name is ' '; {BLANK}"),
    (lambda: links(parent=None), ModelError, f"parts[0] 'boom': parent is None; {TEXT}"),
    (lambda: links(joint=b"j"), ModelError, f"parts[0] 'boom': joint is b'j'; {TEXT}"),
    (lambda: links(inertia="x"), ModelError, "parts[0] 'boom': inertia is 'x'; expected an armdyn.Inertia."),
    (lambda: links(inertia=Inertia), ModelError, "parts[0] 'boom': inertia is <class 'armdyn.model.inertia.Inertia'>; expected an armdyn.Inertia."),
    (lambda: links(limits=1), ModelError, "parts[0] 'boom': limits is 1; expected an armdyn.Limits."),
    (lambda: links(kind=["revolute"]), ModelError, "parts[0] 'boom': kind is ['revolute']; expected one of revolute, prismatic, fixed."),
    (lambda: links(kind=np.eye(2)), ModelError, "parts[0] 'boom': kind is array([[1., 0.],\n       [0., 1.]]); expected one of revolute, prismatic, fixed."),
    (lambda: links(collar=[]), ModelError, "parts[0] 'boom': collar is []; expected 'parent' or 'child', the link that carries it."),
    (lambda: links(xyz=(0, 0, HUGE)), DTypeError, "parts[0] xyz holds Python objects; expected real numbers: (3,), x, y, z in m"),
    (lambda: links(xyz="abc"), DTypeError, "parts[0] xyz holds text, 'abc'; expected real numbers: (3,), x, y, z in m"),
    (lambda: links(axis=MASKED), DTypeError, "parts[0] 'boom': axis has masked values; expected real numbers: (3,), a unit vector"),
    (lambda: links(axis=(0, 3e90, 4e90)), ModelError, "parts[0] 'boom': axis = (0, 3e+90, 4e+90) has length 5e+90; expected a unit vector, here (0.0, 0.6, 0.8)."),
    (lambda: links(axis=(0, 1.5e308, 1.5e308)), ModelError, "parts[0] 'boom': axis holds 1.5e+308; expected a unit vector, numbers below 1e+100."),
    (lambda: links(T=np.full((4, 4), 1e90)), ModelError, "parts[0] 'boom': T is no rigid motion; expected a rotation, a position and a last row 0 0 0 1."),
    (lambda: links(rpy=(0, 1e16, 0)), ModelError, "parts[0] 'boom': rpy holds 1e+16 rad; expected an angle of at most 1e+15 rad."),
    (lambda: links(xyz=(0, 1e60, 0)), ModelError, "parts[0] joint 'joint_of_boom': its origin is off by 1e+60 m; expected a length of at most 1e+50 m."),
    (lambda: tree(name=7), ModelError, f"name is 7; {TEXT}"),
    (lambda: tree(base=[1]), ModelError, f"base is [1]; {TEXT}"),
    (lambda: tree(tip=3), ModelError, f"tip is 3; {TEXT}"),
    (lambda: tree(base_inertia=np.eye(3)), ModelError, "inertia of link 'base' is array([[1., 0., 0.],\n       [0., 1., 0.],\n       [0., 0.,...; expected an armdyn.Inertia."),
    (lambda: tree(check_inertia=np.eye(2)), ModelError, "check_inertia is array([[1., 0.],\n       [0., 1.]]); expected True or False"),
    (lambda: Robot.from_links(np.array(3)), ShapeError, "parts is array(3); expected a list of armdyn.Part, one for each link but the base"),
    (lambda: Robot.from_links({"boom"}), ShapeError, "parts is {'boom'}; expected a list of armdyn.Part, one for each link but the base"),
    (lambda: dh(convention=[]), ModelError, "convention is []; the same table means different arms: choose convention='modified' (Rx(alpha) Tx(a) Rz(theta) Tz(d), as Craig) or convention='standard' (Rz(theta) Tz(d) Tx(a) Rx(alpha), as Paul and Spong)."),
    (lambda: dh((0, HUGE, 0, 0)), ModelError, "rows[0]: alpha is 100000000000000000000000000000000000000000000000000000000...; expected a finite number."),
    (lambda: dh((0, np.zeros(2), 0, 0)), ModelError, "rows[0]: alpha is array([0., 0.]); expected a finite number."),
    (lambda: dh((*ROW, ["P"])), ModelError, "rows[0]: kind is ['P']; expected 'revolute' or 'prismatic' (or 'R', 'P')."),
    (lambda: dh({"a": 1, "alpha": 0, "d": 0, "theta": 0, 5: 1}), ModelError, "rows[0] has 5, which is unknown; expected a, alpha, d, theta, kind, inertia, limits, damping, friction, collar, armature."),
    (lambda: dh(DHRow(*ROW, collar={})), ModelError, "rows[0]: collar is {}; expected 'parent' or 'child', the link that carries it."),  # type: ignore[arg-type]
    (lambda: dh(degrees="no"), ModelError, "degrees is 'no'; expected True or False"),
    (lambda: dh(joint_names=[3]), ModelError, f"joint_names[0] is 3; {TEXT}"),
    (lambda: dh(inertias=np.array(1.0)), ShapeError, "inertias has array(1.); expected 1, one armdyn.Inertia a row"),
    (lambda: dh(base=np.ma.masked_array(np.eye(4), mask=np.eye(4))), DTypeError, "base has masked values; expected real numbers: (4, 4), a homogeneous matrix"),
    (lambda: Robot.from_dh(np.array(3), convention="modified"), ShapeError, "rows must be a list with one row a joint: (a, alpha, d, theta), a dict, or a DHRow"),
    (lambda: dh(inertias=[Inertia(1.0, [np.inf, 0, 0])]), ModelError, "rows[0] link 'link_1': mass, centre of mass or inertia is not a finite number."),
    (lambda: zero(axes=[(0, 0, HUGE)]), DTypeError, "axes holds Python objects; expected real numbers: one unit vector a joint"),
    (lambda: zero(axes=5), ShapeError, "axes has shape (); expected (1, 3), one unit vector a joint"),
    (lambda: zero(kinds=[{}]), ModelError, "kinds[0] is {}; expected 'revolute' or 'prismatic' (or 'R', 'P')."),
    (lambda: zero(kinds=5), ShapeError, "kinds has 5; expected 1, 'R' or 'P' for each joint"),
    (lambda: zero(kinds=[memoryview(np.zeros(1))], collars={"joint_1": "link_1"}), ModelError, None),
    (lambda: dh({"a": 1, "alpha": 0, "d": 0, "theta": 0, "limits": Limits(np.zeros(3))}, limits=[Limits()]), ModelError, "rows[0] has its own limits, and limits is given too; give one of them."),
    (lambda: zero(masses=[1e-320], inertias=[np.eye(3)]), ModelError, "inertias[0]: a mass of 1e-320 kg with 1 kg m^2 has a radius of gyration of 1e+160 m, in an arm of 2 m; are the units mixed? Lengths, masses and inertias must be in one set of units, see units=; if it is so, pass check_inertia=False."),
    (lambda: zero(collars=["joint_1"]), ModelError, "collars is ['joint_1']; expected a mapping from slides to links."),
    (lambda: zero(units="inch"), ModelError, "units is 'inch'; expected an armdyn.Units."),
    (lambda: zero(masses=None, weights=[1.0], weighed_at="g"), ModelError, "weighed_at is 'g'; expected the free fall that makes a weight, m/s^2, above 0"),
    (lambda: zero(limits=[5]), ModelError, "joint 1 of the zero reference position: limits of joint 'joint_1' is 5; expected an armdyn.Limits."),
    (lambda: zero(joint_names=["", 5]), ShapeError, "joint_names has 2 entries; expected 1, one name a joint"),
    (lambda: zero(check_inertia=None), ModelError, "check_inertia is None; expected True or False"),
    (lambda: screws(Mlist=[[1, [2]], 3]), ShapeError, "Mlist is ragged: its rows differ in length; expected (n + 1, 4, 4)"),
    (lambda: screws(Slist=[[HUGE]] * 6), DTypeError, "Slist holds Python objects; expected real numbers: (6, n)"),
    (lambda: screws(Mlist=[np.eye(4), np.diag([1e308, 1, 1, 1])]), ModelError, "Mlist holds 1e+308; expected numbers below 1e+100."),
    (lambda: screws(Slist=np.array([[0, 0, 1, 1e60, 0, 0]]).T), ModelError, "Slist column 0: v = -w x p is 1e+60 m; expected a length of at most 1e+50 m."),
    (lambda: zero(hand=(1e200, 0, 0)), ModelError, "hand holds 1e+200; expected the hand point in base coordinates, numbers below 1e+100."),
    (lambda: links(limits=Limits(lower=-HUGE)), ModelError, "parts[0] joint 'joint_of_boom': lower limit is -10000000000000000000000000000000000000000000000000000000...; expected a number."),
    (lambda: screws(joint_names=[1j]), ModelError, f"joint_names[0] is 1j; {TEXT}"),
    (lambda: Inertia.point(1.0, [0, 0, HUGE]), DTypeError, "position holds Python objects; expected real numbers: (3,), x, y and z, m"),
    (lambda: Inertia.point(1.0, [0, [1], 2]), ShapeError, "position is ragged: its rows differ in length; expected (3,), x, y and z, m"),
    (lambda: Inertia(HUGE), DTypeError, "Inertia holds numbers only; for symbols take armdyn.spatial.MassProperties (mass holds Python objects; expected real numbers: (), kg)"),
    (lambda: Inertia.from_spatial_inertia([[{}] * 6] * 6), DTypeError, "G holds Python objects; expected real numbers: (6, 6), kg m^2, kg m and kg"),
    (lambda: Inertia.from_pseudo_inertia(1e200 * np.eye(4)), ModelError, "J is no pseudo-inertia: it holds 1e+200; expected numbers below 1e+100."),
    (lambda: Units(length=HUGE), ModelError, "Units: length is 100000000000000000000000000000000000000000000000000000000...; expected what one unit is in m or kg, above 0"),
    (lambda: Units.gravitational(length=0, force=1), ModelError, "Units: length is 0; expected what one unit is in m, above 0"),
    (lambda: Units.gravitational(length=1, force=[]), ModelError, "Units: force is []; expected what one unit is in N, above 0"),
    (lambda: armdyn.inertia.sphere(HUGE, mass=1), ModelError, "radius is inf; expected a finite number."),
    (lambda: armdyn.inertia.sphere(1e200, mass=1), ModelError, "radius is 1e+200 m; expected a length of at most 1e+50 m."),
    (lambda: armdyn.inertia.sphere(1e-320, density=0), ModelError, "radius is 9.99989e-321 m; expected a length of at least 1e-50 m."),
    (lambda: armdyn.inertia.sphere(float, mass=1), DTypeError, "radius is <class 'float'>; expected a number or a symbol."),
    (lambda: armdyn.inertia.box([[1, 2], 3, 4], mass=1), ShapeError, "size is [[1, 2], 3, 4]; expected 3 lengths, m"),
    (lambda: armdyn.inertia.box(np.array(3), mass=1), ShapeError, "size is array(3); expected 3 lengths, m"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "message"), CALLS)
def test_wrong_types_are_named(call: Callable[[], object], error: type[ArmdynError], message: str | None) -> None:
    with pytest.raises(error) as caught:
        call()
    assert message is None or str(caught.value) == message


def test_numbers_of_other_types_are_numbers() -> None:
    half = [Fraction(1, 2), Decimal("0.5"), np.float32(0.5), np.array(0.5), np.longdouble(0.5)]
    masses = [Inertia(m).mass for m in half] + [armdyn.inertia.sphere(1, mass=m).mass for m in half]  # type: ignore[arg-type]
    assert set(map(float, masses)) == {0.5}
    arms = [dh((m, 0, 0, 0)).model.joints[0].placement[0, 3] for m in half]
    assert set(arms) == {0.5}
    for m in half:
        limits = Limits(-m, m, m, m)  # type: ignore[arg-type, operator]
        joint = links(damping=m, friction=m, armature=m, limits=limits).model.joints[0]
        edited = dh((1, 0, 0, 0)).with_limits({"joint_1": limits}).model.joints[0]
        numbers = [joint.damping, joint.friction, joint.armature, joint.limits.effort, edited.limits.effort]
        assert [(type(number), number) for number in numbers] == [(float, 0.5)] * 5


def test_names_and_kinds_as_one_text() -> None:
    assert zero(kinds="P").model.joints[0].kind == "prismatic"
    assert zero(joint_names="lift").joint_names == ("lift",)
    assert dh(limits=(Limits(),)).dof == 1


ODD = (5, None, [], {}, ["b"], b"b", np.eye(2), object(), HUGE, {"j": None}, {"j": np.eye(2)}, {5: 1.0}, [0, 0, np.nan])


@pytest.mark.parametrize("option", ["base", "tip", "chain", "locked", "gravity", "check_inertia", "problems", "source"])
@pytest.mark.parametrize("kind", ["urdf", "mjcf"])
def test_options_of_the_files_readers(kind: str, option: str, tmp_path: Path) -> None:
    mjcf = tmp_path / "arm.xml"
    mjcf.write_text('<mujoco><worldbody><body name="b"><joint name="j"/><geom size=".1"/></body></worldbody></mujoco>')
    source, read = (mjcf, Robot.from_mjcf) if kind == "mjcf" else (ROBOTS / "planar_2r.urdf", Robot.from_urdf)
    unset = ("base", "tip", "locked", "gravity")
    for value in ODD:
        if (value is None and option in unset) or (option == "locked" and isinstance(value, dict) and not value):
            continue
        with pytest.raises(ArmdynError):
            read(value if option == "source" else source, **({} if option == "source" else {option: value}))
