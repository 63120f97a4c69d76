"""What the joints transmit, against Pinocchio and against Newton's law for the parts of the robot they carry."""

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn.algorithms import JointReactions
from oracles.cases import Case
from oracles.states import States, assert_close, random_states


def states(case: Case) -> States:
    return random_states(case.n, 6, seed=211)


def carried_links(case: Case) -> list[list[int]]:
    """For every joint, the rows in ``robot.link_names`` of the links it carries."""
    model = case.robot.model
    carried = {link: [k] for k, link in enumerate(model.link_names)}
    hangs_on = {joint.child: joint.parent for joint in model.joints}
    for k, link in enumerate(model.link_names):
        inner = hangs_on.get(link)
        while inner is not None:
            carried[inner].append(k)
            inner = hangs_on.get(inner)
    return [carried[joint.child] for joint in model.joints]


def parents(case: Case) -> list[int]:
    """For every joint, the row of the link it stands on."""
    return [case.robot.link_names.index(joint.parent) for joint in case.robot.joints]


def rotations(case: Case, q: np.ndarray) -> np.ndarray:
    return case.robot.link_poses(q)[..., :3, :3]


def turned(R: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return np.einsum("klij,klj->kli", R, vectors)


def assert_reactions_close(actual: JointReactions, expected: JointReactions, relative: float = 1e-12) -> None:
    for name, ours, theirs in zip(JointReactions._fields, actual, expected, strict=True):
        scale = np.abs(theirs).max(axis=(-2, -1), keepdims=True)
        assert (np.abs(ours - theirs) / scale).max() < relative, name


@pytest.mark.parametrize("with_tip", [False, True])
def test_every_joint(case: Case, with_tip: bool) -> None:
    """Pinocchio's joint forces after rnea, in the child link's frame and about its origin."""
    s, model = states(case), case.robot.model
    forces, moments = [], []
    for q, qd, qdd, f_tip in zip(s.q, s.qd, s.qdd, s.f_tip, strict=True):
        case.inverse_dynamics(q, qd, qdd, f_tip if with_tip else None)
        transmitted = [case.data.f[case.pin.getJointId(joint.name)] for joint in model.joints]
        places = [case.pin.frames[case.pin.getFrameId(joint.child)].placement for joint in model.joints]
        in_link = [place.actInv(f) for place, f in zip(places, transmitted, strict=True)]
        forces.append([f.linear for f in in_link])
        moments.append([f.angular for f in in_link])
    actual = case.robot.joint_reactions(s.q, s.qd, s.qdd, s.f_tip if with_tip else None)
    assert_reactions_close(actual, JointReactions(np.array(forces), np.array(moments)))


@pytest.mark.parametrize("collar", ["child", "parent"])
def test_component_along_the_axis_is_the_joint_force(case: Case, collar: str) -> None:
    s = states(case)
    reactions = case.robot.joint_reactions(s.q, s.qd, s.qdd, s.f_tip, collar=collar)
    axes = np.array([joint.axis for joint in case.robot.joints])
    slides = np.array([joint.kind == "prismatic" for joint in case.robot.joints])
    along = np.where(slides, *(np.einsum("kji,ji->kj", rows, axes) for rows in reactions))
    tau = case.robot.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip)
    # what is left of moments that mostly cancel is good to the size of the moments
    size = np.abs(reactions.n).max(axis=2) + np.abs(reactions.f).max(axis=2)
    assert (np.abs(along - tau) / size.max(axis=1, keepdims=True)).max() < 1e-12


def test_in_parent_and_in_base_axes(case: Case) -> None:
    s = states(case)
    arrays = (s.q, s.qd, s.qdd, s.f_tip)
    of_link, of_parent, of_base = (
        case.robot.joint_reactions(*arrays, expressed_in=axes) for axes in ("link", "parent", "base")
    )
    R = rotations(case, s.q)
    in_base = JointReactions(*(turned(R[:, 1:], rows) for rows in of_link))
    assert_reactions_close(of_base, in_base)
    in_parent = JointReactions(*(turned(np.swapaxes(R[:, parents(case)], 2, 3), rows) for rows in in_base))
    assert_reactions_close(of_parent, in_parent)


def test_newton_and_euler_for_all_that_a_joint_carries(case: Case) -> None:
    """f = sum m (a - g), and n = sum N + (C - L) x m (a - g), over the links that the joint carries, in base axes."""
    s, robot = states(case), case.robot
    reactions = robot.joint_reactions(s.q, s.qd, s.qdd, expressed_in="base")
    motion = robot.link_motion(s.q, s.qd, s.qdd, expressed_in="base", minus_gravity=True)
    poses = robot.link_poses(s.q)
    coms = np.array([link.inertia.com for link in robot.model.links])
    centres = poses[..., :3, 3] + turned(poses[..., :3, :3], np.broadcast_to(coms, motion.F.shape))
    f, n = [], []
    for k, links in enumerate(carried_links(case)):
        f.append(motion.F[:, links].sum(axis=1))
        levers = centres[:, links] - poses[:, [k + 1]][..., :3, 3]
        n.append((motion.N[:, links] + np.cross(levers, motion.F[:, links])).sum(axis=1))
    assert_reactions_close(reactions, JointReactions(np.stack(f, axis=1), np.stack(n, axis=1)))


def test_at_rest_the_base_carries_the_weight(case: Case) -> None:
    q, still = states(case).q, np.zeros(case.n)
    f, _ = case.robot.joint_reactions(q, still, still, expressed_in="base")
    on_base = [k for k, joint in enumerate(case.robot.joints) if joint.parent == case.robot.model.base]
    weight = sum(link.inertia.mass for link in case.robot.model.links[1:]) * case.robot.gravity
    assert_close(f[:, on_base].sum(axis=1), np.broadcast_to(-weight, (len(q), 3)))


def test_a_collar_on_the_parent_takes_the_moment_where_it_stays(case: Case) -> None:
    """n' = n + q u x f for a slide; forces and turning joints do not know where the collar is."""
    s, robot = states(case), case.robot
    child, parent = (robot.joint_reactions(s.q, s.qd, s.qdd, s.f_tip, collar=side) for side in ("child", "parent"))
    assert_close(child.f, parent.f, 1e-14)
    for k, joint in enumerate(robot.joints):
        if joint.kind == "revolute":
            assert_close(child.n[:, k], parent.n[:, k], 1e-13)
        else:
            lever = s.q[:, [k]] * joint.axis
            assert_close(parent.n[:, k], child.n[:, k] + np.cross(lever, child.f[:, k]), 1e-12 * 30)
            assert np.abs(parent.n[:, k] - child.n[:, k]).max() > 1e-3


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"expressed_in": "world"}, r"no way 'world' in expressed_in= \(3 ways\)"),
        ({"collar": "childs"}, r"no collar 'childs' in collar=.*Did you mean 'child'\?"),
    ],
)
def test_unknown_words(ur5: Case, option: dict[str, str], message: str) -> None:
    with pytest.raises(armdyn.UnknownName, match=message):
        ur5.robot.joint_reactions(*np.zeros((3, 6)), **option)


def test_a_hanging_pendulum_by_hand() -> None:
    """A point mass on a rod that swings about y: the pin pulls with m g cos + m l qd^2 along the rod."""
    from armdyn.model import Inertia
    from armdyn.model.assembly import assemble
    from armdyn.model.parts import JointPart, LinkPart

    m, length, q, qd = 1.7, 0.6, 0.4, 2.3
    links = [LinkPart("ceiling"), LinkPart("rod", Inertia.point(m, [0.0, 0.0, -length]))]
    joints = [JointPart("pin", "revolute", "ceiling", "rod", np.eye(4), np.array([0.0, 1.0, 0.0]))]
    robot = armdyn.Robot(assemble("pendulum", links, joints))
    qdd = -9.81 / length * np.sin(q)  # it swings freely
    f, n = robot.joint_reactions([q], [qd], [qdd])
    np.testing.assert_allclose(f[0], [0.0, 0.0, m * (9.81 * np.cos(q) + length * qd**2)], rtol=1e-14, atol=1e-13)
    np.testing.assert_allclose(n[0], np.zeros(3), atol=1e-14)


def test_pinocchio_is_asked_for_the_same_robot(case: Case) -> None:
    """The oracle's own joints are where armdyn's child links are: no weld hides a displaced frame."""
    q = states(case).q[0]
    pin.framesForwardKinematics(case.pin, case.data, case.pin_q(q))
    for k, joint in enumerate(case.robot.joints):
        pose = case.data.oMf[case.pin.getFrameId(joint.child)].homogeneous
        np.testing.assert_allclose(case.robot.link_poses(q)[k + 1], pose, rtol=0, atol=1e-12)
