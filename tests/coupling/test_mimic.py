"""Joints that follow others: read from URDF, against Pinocchio, and made in Python.

Comparisons with Pinocchio are of the bare body, without damping and friction.
"""

import math
import xml.etree.ElementTree as ET
from functools import cache

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn import Limits, ModelError, UnknownName
from armdyn.formats.urdf import read_urdf_text
from oracles.robot_data import ROBOTS, bare, description, written
from oracles.short_run import short_run
from oracles.states import assert_close, random_states

GRIPPERS = {
    "panda": "panda_description/urdf/panda.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
    "pr2": "pr2_description/urdf/pr2.urdf",
    "tiago_pro": "tiago_pro_description/robots/tiago_pro.urdf",
}
"""Robots whose files have mimic joints that Pinocchio reads; PR2's pass motion on to four joints each."""


def with_mimicry(path: str) -> ET.ElementTree:
    """The bare description, inertias mended, with its mimic joints as the file has them."""
    tree = bare(path)
    for joint in tree.getroot().iter("joint"):
        given = description(path).getroot().find(f"joint[@name='{joint.get('name')}']/mimic")
        if given is not None:
            joint.append(given)
    return tree


@cache
def both(name: str) -> tuple[armdyn.Robot, pin.Model]:
    path = written(with_mimicry(GRIPPERS[name]), f"{name}_with_mimicry")
    gravity = np.array([1.0, -2.0, -9.0])
    model = pin.buildModelFromUrdf(str(path), mimic=True)
    model.gravity.linear = gravity
    return armdyn.Robot.from_urdf(path, gravity=gravity, friction="ignore", problems="warn"), model


@pytest.mark.short_run("panda")
@pytest.mark.parametrize("name", short_run(GRIPPERS, "panda", "baxter"))
def test_against_pinocchio(name: str) -> None:
    robot, model = both(name)
    assert model.nv == robot.dof < len(robot.model.joints)
    data, joints = model.createData(), [model.joints[model.getJointId(name)] for name in robot.joint_names]
    column = np.array([joint.idx_v for joint in joints])
    s = random_states(robot.dof, 4, seed=41)
    tau, M = [], []
    for q, qd, qdd in zip(s.q, s.qd, s.qdd, strict=True):
        position, velocity, acceleration = np.zeros(model.nq), *np.zeros((2, model.nv))
        for x, joint in zip(q, joints, strict=True):
            position[joint.idx_q : joint.idx_q + joint.nq] = x if joint.nq == 1 else (np.cos(x), np.sin(x))
        velocity[column], acceleration[column] = qd, qdd
        tau.append(pin.rnea(model, data, position, velocity, acceleration)[column])
        upper = pin.crba(model, data, position)
        M.append((np.triu(upper) + np.triu(upper, 1).T)[np.ix_(column, column)])
    assert_close(robot.inverse_dynamics(s.q, s.qd, s.qdd), np.array(tau))
    assert_close(robot.mass_matrix(s.q), np.array(M))


def test_the_fingers_of_the_panda() -> None:
    robot = armdyn.Robot.from_urdf(ROBOTS / GRIPPERS["panda"], tip="panda_leftfinger")
    assert robot.joint_names[-1] == "panda_finger_joint1"
    assert robot.dof == 8
    q = np.array([0.1, -0.2, 0.3, -1.4, 0.5, 1.6, 0.7, 0.03])
    np.testing.assert_array_equal(robot.joint_positions(q), [*q, 0.03])
    # the fingers are equal and opposite: what they weigh along the slide cancels
    left, right = (robot.forward_kinematics(q, frame=f"panda_{side}finger")[:3, 3] for side in ("left", "right"))
    np.testing.assert_allclose(np.linalg.norm(left - right), 0.06, rtol=1e-12)
    assert abs(robot.gravity_forces(q)[-1]) < 1e-14


# ---- files

BODY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def joint(name: str, parent: str, *inside: str, kind: str = "revolute", limits: str = "-1 1 2 5") -> str:
    lower, upper, velocity, effort = limits.split()
    return (
        f'<link name="{name}">{BODY}</link><joint name="{name}" type="{kind}"><parent link="{parent}"/>'
        f'<child link="{name}"/><axis xyz="0 0 1"/><limit lower="{lower}" upper="{upper}" velocity="{velocity}" '
        f'effort="{effort}"/>{"".join(inside)}</joint>\n'
    )


def hand(*joints: str) -> str:
    return '<robot name="hand"><link name="base"/>\n' + "".join(joints) + "</robot>"


def mimic(leader: str, multiplier: float = 1.0, offset: float = 0.0) -> str:
    return f'<mimic joint="{leader}" multiplier="{multiplier!r}" offset="{offset!r}"/>'


def read(*joints: str, **options: object) -> armdyn.Robot:
    return armdyn.Robot(read_urdf_text(hand(*joints), "hand.urdf", **options))


def test_chains_of_followers_in_any_order() -> None:
    """c = -2 b + 0.25 with b = 0.5 a + 0.125, before a is met."""
    robot = read(joint("c", "base", mimic("b", -2.0, 0.25)), joint("b", "c", mimic("a", 0.5, 0.125)), joint("a", "b"))
    assert robot.joint_names == ("a",)
    np.testing.assert_array_equal(robot.joint_positions([0.3]), [-0.3, 0.275, 0.3])
    assert robot.mass_matrix([0.3]).shape == (1, 1)


def test_multiplier_is_one_and_offset_zero_where_not_given() -> None:
    robot = read(joint("a", "base"), joint("b", "a", '<mimic joint="a"/>'))
    np.testing.assert_array_equal(robot.joint_positions([0.3]), [0.3, 0.3])


def test_limits_are_what_all_joints_leave() -> None:
    """b = -2 a + 0.5 in [-1, 1] leaves a in [-0.25, 0.75]; 2 |qd_a| <= 3; the leader's own effort."""
    follower = joint("b", "a", mimic("a", -2.0, 0.5), limits="-1 1 3 9")
    (leader,) = read(joint("a", "base", limits="-0.5 0.6 2 7"), follower).joints
    assert leader.limits == Limits(-0.25, 0.6, 1.5, 7.0)
    (leader,) = read(joint("a", "base", limits="-0.1 0.6 1 7"), follower).joints
    assert leader.limits == Limits(-0.1, 0.6, 1.0, 7.0)


def test_the_effort_limit_of_a_follower_is_noted() -> None:
    notes = read(joint("a", "base"), joint("b", "a", mimic("a"))).notes
    assert "effort limits of b, which other coordinates drive, are kept in the joints alone" in notes


def test_damping_and_friction_are_what_the_leader_feels() -> None:
    """Power 0.1 qd^2 + 0.2 (3 qd)^2, and friction by |3|."""
    robot = read(
        joint("a", "base", '<dynamics damping="0.1" friction="0.5"/>'),
        joint("b", "a", mimic("a", -3.0), '<dynamics damping="0.2" friction="0.25"/>'),
    )
    assert robot.joints[0].damping == pytest.approx(0.1 + 9 * 0.2, rel=1e-15)
    assert robot.joints[0].friction == pytest.approx(0.5 + 3 * 0.25, rel=1e-15)


def test_a_slide_that_follows_a_turn() -> None:
    """A rack: rad in, m out. The coordinate is the pinion's."""
    robot = read(joint("pinion", "base"), joint("rack", "base", mimic("pinion", 0.02), kind="prismatic"))
    assert robot.joints[0].kind == "revolute"
    assert robot.mass_matrix([0.0])[0, 0] == pytest.approx(1.0 + 0.02**2, rel=1e-14)


def test_a_massless_follower_needs_no_mass_of_its_own() -> None:
    massless = joint("b", "a", mimic("a")).replace(BODY, "")
    robot = read(joint("a", "base"), massless)
    assert not any("no mass" in note for note in robot.notes)
    assert np.isfinite(robot.forward_dynamics([0.1], [0.2], [0.3])).all()
    assert any("no mass moves with b" in note for note in robot.without_couplings().notes)


def test_a_locked_leader_holds_the_whole_row() -> None:
    joints = (
        joint("a", "base"),
        joint("b", "a", mimic("a", 2.0)),
        joint("c", "b", mimic("b", 1.0, 0.1)),
        joint("d", "c"),
    )
    robot = read(*joints, locked={"a": 0.2})
    assert robot.joint_names == ("d",)
    assert robot.model.coupling is None
    turned = robot.forward_kinematics([0.0], frame="c")
    assert math.atan2(turned[1, 0], turned[0, 0]) == pytest.approx(0.2 + 0.4 + 0.5, rel=1e-14)


def test_a_locked_follower_leaves_the_others_coupled() -> None:
    joints = (joint("a", "base"), joint("b", "a", mimic("a", 2.0)), joint("c", "b", mimic("a", 3.0)))
    robot = read(*joints, locked={"b": 0.1})
    assert robot.joint_names == ("a",)
    np.testing.assert_array_equal(robot.joint_positions([0.5]), [0.5, 1.5])


def test_locked_where_the_mimic_does_not_put_it() -> None:
    joints = (joint("a", "base"), joint("b", "a", mimic("a", 2.0, 0.1)), joint("c", "b", mimic("b")), joint("d", "c"))
    with pytest.raises(ModelError) as caught:
        read(*joints, locked={"a": 0.3, "b": 0.5, "c": 0.5})
    assert caught.value.problems == (
        "hand.urdf:3 joint 'b': locked at 0.5, and 'a', which it mimics, at 0.3; <mimic> asks for 2 * 0.3 + 0.1 = 0.7. "
        "Lock 'a' alone: 'b' is held with it.",
    )
    with pytest.raises(ModelError, match=r"joint 'c': locked at 0.6, and 'b', which it mimics, at 0.7;"):
        read(*joints, locked={"a": 0.3, "c": 0.6})
    agreeing = read(*joints, locked={"a": 0.3, "b": 0.7, "c": 0.7})
    assert agreeing.joint_names == ("d",)
    assert_close(agreeing.mass_matrix([[0.2]]), read(*joints, locked={"a": 0.3}).mass_matrix([[0.2]]))


def test_fingers_of_the_panda_locked_apart() -> None:
    with pytest.raises(ModelError, match=r"'panda_finger_joint2': locked at 0.02, and 'panda_finger_joint1'.*at 0.03"):
        armdyn.Robot.from_urdf(
            ROBOTS / GRIPPERS["panda"], locked={"panda_finger_joint1": 0.03, "panda_finger_joint2": 0.02}
        )


def test_a_part_of_the_tree_without_the_followers() -> None:
    joints = (joint("a", "base"), joint("b", "a"), joint("c", "base", mimic("a")))
    robot = read(*joints, tip="b", chain=True)
    assert robot.joint_names == ("a", "b")
    assert robot.model.coupling is None


def test_a_part_of_the_tree_whose_middle_follower_is_left_out() -> None:
    joints = (joint("a", "base"), joint("b", "a", mimic("c", 2.0, 0.1)), joint("c", "base", mimic("a", 3.0)))
    robot = read(*joints, tip="b", chain=True)
    np.testing.assert_allclose(robot.joint_positions([0.5]), [0.5, 3.1], rtol=1e-15)


def test_a_part_of_the_tree_without_what_is_followed() -> None:
    joints = (joint("a", "base"), joint("b", "base", mimic("a")), joint("c", "b", mimic("b")))
    with pytest.raises(ModelError) as caught:
        read(*joints, tip="c", chain=True)
    advice = (
        "follows 'a', which is not in the part of the file that is read; lock what it follows, and it is held too: "
        "locked={'a': 0.0}, or choose base= and tip= so that both are in."
    )
    assert caught.value.problems == (f"hand.urdf:3 joint 'b' {advice}", f"hand.urdf:4 joint 'c' {advice}")
    with pytest.raises(ModelError, match="no moving joint"):
        read(*joints, tip="c", chain=True, locked={"a": 0.0})


PROBLEMS = [
    (
        (joint("a", "base", mimic("b")), joint("b", "a", mimic("c")), joint("c", "b", mimic("a")), joint("d", "c")),
        "hand.urdf:2 joint 'a': <mimic> closes a ring: 'a' follows 'b' follows 'c' follows 'a'; expected one that "
        "follows none.",
    ),
    (
        (joint("a", "base"), joint("b", "a", mimic("a", 0.0))),
        "hand.urdf:3 joint 'b': <mimic> multiplier is 0, which holds the joint still; expected another number, or a "
        "fixed joint.",
    ),
    (
        (joint("a", "base"), joint("b", "a", mimic("a"), mimic("a", 2.0))),
        "hand.urdf:3 joint 'b': <mimic> is given twice (first at line 3); expected it once.",
    ),
    (
        (joint("a", "base"), joint("b", "a", '<mimic joint="a" multiplier="inf"/>')),
        "hand.urdf:3 joint 'b': <mimic> multiplier is 'inf'; expected a number.",
    ),
    (
        (joint("a", "base"), joint("b", "a", mimic("a", 1.0, 2.5))),
        "hand.urdf:3 coordinate 'a': the limits of the joints that move with it leave no position: at least -1 "
        "(limit of 'a') and at most -1.5 (limit of 'b').",
    ),
]


@pytest.mark.parametrize(("joints", "message"), PROBLEMS, ids=["ring", "zero", "twice", "infinite", "limits"])
def test_what_is_no_gear(joints: tuple[str, ...], message: str) -> None:
    with pytest.raises(ModelError) as caught:
        read(*joints)
    assert caught.value.problems == (message,)


def test_a_ring_that_is_locked_anywhere_is_a_ring_all_the_same() -> None:
    with pytest.raises(ModelError, match="closes a ring"):
        read(joint("a", "base", mimic("b")), joint("b", "a", mimic("a")), joint("c", "b"), locked={"a": 0.0})


def test_very_many_followers_are_refused_and_do_not_fill_the_memory() -> None:
    joints = [joint("j0", "base"), *(joint(f"j{k}", f"j{k - 1}", mimic("j0")) for k in range(1, 1100))]
    with pytest.raises(armdyn.Unsupported, match="couples some of 1100 joints; at most 1000"):
        read(*joints)


# ---- in Python


def three() -> armdyn.Robot:
    return read(joint("a", "base"), joint("b", "a"), joint("c", "b"))


def test_with_mimic_is_what_the_file_would_say() -> None:
    from_file = read(joint("a", "base"), joint("b", "a", mimic("a", -2.0, 0.1)), joint("c", "b", mimic("b")))
    assert three().with_mimic({"b": ("a", -2.0, 0.1), "c": "b"}) == from_file
    assert three().with_mimic({"b": ["a", -2, 0.1], "c": ("b",)}) == from_file
    assert three().with_mimic({"c": "b"}).with_mimic({"b": ("a", -2.0, 0.1)}) == from_file


WRONG_FOLLOWERS = [
    ({"b": "a", "a": "b"}, ModelError, r"joint 'b': joints follow each other in a ring: 'b' follows 'a' follows 'b'\."),
    ({"a": "a"}, ModelError, r"joint 'a': it follows itself; expected another joint\."),
    ({"b": ("a", 0.0, 0.2)}, ModelError, r"'b': it follows 'a' with multiplier 0, which holds it still at 0\.2"),
    ({"b": ("a", math.nan)}, ModelError, "'b': it follows 'a' with multiplier nan and offset 0; expected finite"),
    (
        {"b": ("a", 1.0, 5.0)},
        ModelError,
        r"coordinate 'a': .* at least -1 \(limit of 'a'\) and at most -4 \(limit of 'b'\)",
    ),
    ({"b": "aa"}, UnknownName, r"no joint 'aa' in 'hand' \(3 joints\)\. Did you mean 'a'\?"),
    ({"x": "a"}, UnknownName, r"no joint 'x' in 'hand' \(3 joints\)"),
    (
        {"b": 2.0},
        ModelError,
        r"joint 'b' shall follow 2\.0; expected the name of a joint, or \(name, multiplier, offset\)",
    ),
    ({"b": ("a", "twice")}, ModelError, r"joint 'b' shall follow \('a', 'twice'\); expected the name of a joint"),
]


@pytest.mark.parametrize(("followers", "kind", "message"), WRONG_FOLLOWERS)
def test_wrong_followers(followers: dict[str, object], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        three().with_mimic(followers)


def test_a_follower_is_no_entry_of_q_any_more() -> None:
    coupled = three().with_mimic({"b": "a"})
    already = r"joint 'b' of 'hand' follows 'a' already, so it has no entry in q; call without_couplings\(\) first"
    for followers in ({"c": "b"}, {"b": "c"}, {"b": "a"}):
        with pytest.raises(ModelError, match=already):
            coupled.with_mimic(followers)
    with pytest.raises(UnknownName, match=r"no joint 'd' in 'hand' \(2 joints\)\. Known: a, c\."):
        coupled.with_mimic({"d": "a"})
    again = coupled.without_couplings().with_mimic({"b": "c"})
    assert again.joint_names == ("a", "c")


def test_joints_that_others_move_together_or_hold_say_so() -> None:
    sums = three().with_joint_equations([({"a": 1, "b": 1, "c": -1}, 0.0)])
    with pytest.raises(ModelError, match="joint 'c' of 'hand' follows 'a' and 'b' already"):
        sums.with_mimic({"c": "a"})
    held = three().with_joint_equations([({"c": 1}, 0.2)])
    with pytest.raises(ModelError, match="joint 'c' of 'hand' is held still already"):
        held.with_mimic({"c": "a"})


def test_a_multiplier_of_zero_says_how_to_hold_a_joint() -> None:
    with pytest.raises(ModelError) as caught:
        three().with_mimic({"b": ("a", 0.0, 0.2)})
    (said,) = caught.value.problems
    advice = "with_joint_equations([({'b': 1.0}, 0.2)])"
    assert "read the robot with locked={'b': 0.2}" in said
    assert said.endswith(f"or say {advice}.")
    held = three().with_joint_equations([({"b": 1.0}, 0.2)])  # the advice, followed
    locked = read(joint("a", "base"), joint("b", "a"), joint("c", "b"), locked={"b": 0.2})
    assert held.joint_names == locked.joint_names == ("a", "c")
    q = np.array([0.3, -0.4])
    assert_close(held.mass_matrix(q)[None], locked.mass_matrix(q)[None])
