# ruff: noqa: E501 - messages stand whole on their lines
"""Loops in URDF files: both forms, every type, what is left out, and every fault with its line."""

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn.formats.urdf import read_urdf_text
from oracles.states import assert_close
from oracles.trees import random_tree, to_urdf

ENDS = '<link1 link="tool" xyz="0.1 -0.2 0.3" rpy="0.3 0.2 0.1"/><link2 link="link0" xyz="0.3 0.1 0" rpy="0 0.4 0"/>'
PLUS = (
    '<predecessor link="tool"><origin xyz="0.1 -0.2 0.3" rpy="0.3 0.2 0.1"/></predecessor>'
    '<successor link="link0"><origin xyz="0.3 0.1 0" rpy="0 0.4 0"/></successor>'
)
AXIS = '<axis xyz="0.6 0 0.8"/>'
TYPES = {
    "fixed": ("x", "y", "z", "rx", "ry", "rz"),
    "revolute": ("x", "y", "z", "rx", "ry"),
    "continuous": ("x", "y", "z", "rx", "ry"),
    "prismatic": ("x", "y", "rx", "ry", "rz"),
    "spherical": ("x", "y", "z"),
    "planar": ("z", "rx", "ry"),
}


def text(loop: str) -> str:
    return to_urdf(random_tree(5, chain=True)).replace("</robot>", f"\n{loop}</robot>")


def read(loop: str, **options) -> armdyn.Robot:
    return armdyn.Robot(read_urdf_text(text(loop), "tree.urdf", tip="tool", **options))


@pytest.mark.parametrize("kind", TYPES)
def test_both_forms_are_read(kind):
    one = read(f'<loop_joint name="pin" type="{kind}">{ENDS}{AXIS}</loop_joint>')
    two = read(f'<loop name="pin" type="{kind}">{PLUS}{AXIS}</loop>')
    assert one.model.constraints == two.model.constraints
    assert one == two
    assert one != one.without_constraints()  # the digest has them
    (constraint,) = one.model.constraints
    assert constraint.axes == TYPES[kind]
    assert (constraint.frame, constraint.to, constraint.name) == ("tool", "link0", "pin")


@pytest.mark.parametrize("kind", TYPES)
def test_frames_are_where_the_file_puts_them(kind):
    """Against Pinocchio's frames and rpy: what the type leaves free does not count, all else does."""
    robot = read(f'<loop_joint name="pin" type="{kind}">{ENDS}{AXIS}</loop_joint>')
    model = pin.buildModelFromXML(to_urdf(random_tree(5, chain=True)))
    data = model.createData()
    u = np.array([0.6, 0.0, 0.8])
    for q in np.random.default_rng(3).uniform(-0.4, 0.4, (4, 8)):
        x = np.empty(8)
        for name, value in zip(robot.joint_names, q, strict=True):
            x[model.joints[model.getJointId(name)].idx_q] = value
        pin.framesForwardKinematics(model, data, x)
        A, B = (
            data.oMf[model.getFrameId(link)] * pin.SE3(pin.rpy.rpyToMatrix(*rpy), np.array(xyz))
            for link, xyz, rpy in (
                ("tool", (0.1, -0.2, 0.3), (0.3, 0.2, 0.1)),
                ("link0", (0.3, 0.1, 0.0), (0.0, 0.4, 0.0)),
            )
        )
        seen = B.inverse() * A
        phi = dict(zip(TYPES[kind], robot.constraint_error(q), strict=True))
        position = [phi[axis] for axis in "xyz" if axis in phi]
        expected = {3: seen.translation, 2: np.cross(u, seen.translation), 1: [u @ seen.translation]}[len(position)]
        assert_close([np.linalg.norm(position)], [np.linalg.norm(expected)])
        lean = [phi[axis] for axis in ("rx", "ry", "rz") if axis in phi]
        if len(lean) == 3:
            assert_close([np.linalg.norm(lean)], [2 * np.tan(np.linalg.norm(pin.log3(seen.rotation)) / 2)], 1e-11)
        elif len(lean) == 2:
            assert_close([np.linalg.norm(lean)], [2 * np.tan(np.arccos(u @ seen.rotation @ u) / 2)], 1e-9)


def test_axis_is_x_where_there_is_none():
    with_axis = read(f'<loop_joint name="pin" type="revolute">{ENDS}<axis xyz="1 0 0"/></loop_joint>')
    assert with_axis == read(f'<loop_joint name="pin" type="revolute">{ENDS}</loop_joint>')


def test_what_is_left_out_is_noted():
    loop = f'<loop_joint name="pin" type="fixed">{ENDS}</loop_joint>'
    part = read(loop, base="link1")
    assert not part.model.constraints
    assert "loop_joint 'pin' is left out, as one of the links it joins is" in part.notes
    held = {name: 0.1 for name in read(loop).joint_names if name != "joint_of_link0"}
    rigid = read(loop, locked=held)
    assert not rigid.model.constraints
    assert "loop_joint 'pin' is left out: the links it joins do not move against each other" in rigid.notes


FAULTS = [
    ('<loop_joint type="fixed"/>', 'tree.urdf:2 <loop_joint> has no name; expected <loop_joint name="...">.'),
    (f'<loop_joint name="p" type="hinge">{ENDS}</loop_joint>', "tree.urdf:2 loop_joint 'p': type 'hinge' closes no loop; expected one of fixed, revolute, continuous, prismatic, spherical, ball, planar."),
    (f'<loop_joint name="p">{ENDS}</loop_joint>', "tree.urdf:2 loop_joint 'p': <loop_joint> has no type; expected one of fixed, revolute, continuous, prismatic, spherical, ball, planar."),
    ('<loop_joint name="p" type="fixed"><link1 link="tool"/></loop_joint>', "tree.urdf:2 loop_joint 'p': <loop_joint> has no <link2>; expected <link2 link=\"...\">."),
    (f'<loop_joint name="p" type="fixed">{ENDS.replace("link0", "link9")}</loop_joint>', "tree.urdf:2 loop_joint 'p': it joins link 'link9', which does not exist. Did you mean 'link7'?"),
    ('<loop name="p" type="fixed"><predecessor link="tool"/><successor link="tool"/></loop>', "tree.urdf:2 loop 'p': both of its ends are on link 'tool'."),
    (f'<loop name="p" type="fixed">{PLUS.replace("successor", "sucessor")}</loop>', "tree.urdf:2 loop 'p': <sucessor> is unknown. Did you mean <successor>?"),
    (f'<loop_joint name="p" type="fixed">{ENDS}</loop_joint>\n<loop name="p" type="fixed">{PLUS}</loop>', "tree.urdf:3 loop 'p': the name is taken already (first at tree.urdf:2)."),
    (f'<loop_joint name="p" type="revolute">{ENDS}<axis xyz="0 0 0"/></loop_joint>', "tree.urdf:2 loop_joint 'p': <axis> xyz is zero; expected a direction such as 0 0 1."),
    (f'<loop_joint name="p" type="fixed">{ENDS.replace("0.1 -0.2", "0.1 zero")}</loop_joint>', "tree.urdf:2 loop_joint 'p': <link1> xyz is '0.1 zero 0.3'; expected 3 numbers such as 0 0 0.1, 'zero' is no finite number."),
]  # fmt: skip


@pytest.mark.parametrize("size", [1.7e308, 1e-323])
def test_an_axis_of_any_size(size):
    """Its length overflows, or has no digits left."""
    loops = [
        f'<loop_joint name="p" type="revolute">{ENDS}<axis xyz="{x!r} {x!r} 0"/></loop_joint>' for x in (size, 1.0)
    ]
    huge, plain = (read(loop).model.constraints[0] for loop in loops)
    assert repr(huge) == repr(plain)


@pytest.mark.parametrize(("loop", "expected"), FAULTS)
def test_faults_are_named(loop, expected):
    with pytest.raises(armdyn.ModelError) as caught:
        read(loop)
    assert expected in caught.value.problems


def test_a_four_bar_from_a_file():
    """The linkage of test_linkages.py, through a file of its own form."""
    from linkages import COUPLER, GROUND, ROCKER, four_bar

    tree = four_bar().without_constraints()
    loop = (
        f'<loop_joint name="loop" type="spherical"><link1 link="coupler" xyz="{COUPLER.length} 0 0"/>'
        f'<link2 link="rocker" xyz="{ROCKER.length} 0 0"/></loop_joint></robot>'
    )
    model = read_urdf_text(tree.to_urdf().replace("</robot>", loop), gravity=tree.gravity, tip="coupler")
    robot = armdyn.Robot(model)
    q = robot.close_loop([0.4, 0.3, 1.2], locked=["joint_of_crank"])
    with pytest.raises(armdyn.constraints.RedundantConstraints, match="'loop: z' is zero"):
        robot.constrained_forward_dynamics(q, np.zeros(3), np.zeros(3), redundant="error")
    planar = robot.with_independent_constraints(q)
    expected = four_bar().constrained_forward_dynamics(q, np.zeros(3), np.zeros(3))
    assert_close(planar.constrained_forward_dynamics(q, np.zeros(3), np.zeros(3)).qdd[None], expected.qdd[None], 1e-11)
    assert GROUND > 0
