"""What must not change the physics: other base axes, other link frames, other orders, other placements of a joint."""

import numpy as np
import pytest

import armdyn
from armdyn.base.exact import rounded
from armdyn.model import Frame, Inertia, Joint, Link, Model
from armdyn.spatial.rotations import inverse_rigid, rigid, rotation_about
from oracles.cases import Case
from oracles.states import assert_close, random_states
from oracles.trees import random_rotation, random_tree, to_armdyn


def assert_same_forces(one: armdyn.Robot, other: armdyn.Robot) -> None:
    s = random_states(one.dof, 10, seed=51)
    assert_close(other.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip), one.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip))
    assert_close(other.mass_matrix(s.q), one.mass_matrix(s.q))
    assert_close(other.kinetic_energy(s.q, s.qd), one.kinetic_energy(s.q, s.qd))
    accelerations = one.forward_dynamics(s.q, s.qd, s.tau, s.f_tip)
    assert_close(other.forward_dynamics(s.q, s.qd, s.tau, s.f_tip), accelerations, relative=1e-10)


def reframed(model: Model, change: dict[str, np.ndarray]) -> Model:
    """The same robot with the frame of link L moved to L', where ``change[L]`` is T_LL' (the axis stays in place)."""
    identity = np.eye(4)

    def seen(link: str) -> np.ndarray:
        return change.get(link, identity)

    links = [Link(x.name, x.inertia.seen_from(inverse_rigid(seen(x.name)))) for x in model.links]
    joints = [
        Joint(
            j.name, j.kind, j.parent, j.child,
            inverse_rigid(seen(j.parent)) @ j.placement @ seen(j.child),
            seen(j.child)[:3, :3].T @ j.axis, j.limits,
        )
        for j in model.joints
    ]  # fmt: skip
    frames = [Frame(f.name, f.link, inverse_rigid(seen(f.link)) @ f.pose) for f in model.frames]
    return model.replace(links=tuple(links), joints=tuple(joints), frames=tuple(frames))


@pytest.fixture(params=["ur5", "random_tree", "right_angled_tree"])
def some(request: pytest.FixtureRequest) -> Case:
    from oracles.cases import CASES

    return CASES[request.param]()


@pytest.mark.short_run("random_tree")
def test_base_and_gravity_turned_together(some: Case) -> None:
    """Move the base by T and turn gravity with it: no joint feels it, every pose is moved by T."""
    rng = np.random.default_rng(52)
    T = rigid(random_rotation(rng), rng.normal(size=3))
    moved = reframed(some.robot.model, {some.robot.model.base: inverse_rigid(T)})
    robot = armdyn.Robot(moved.replace(gravity=T[:3, :3] @ some.robot.gravity))
    assert_same_forces(some.robot, robot)
    q = random_states(some.n, 5, seed=53).q
    assert_close(robot.forward_kinematics(q), T @ some.robot.forward_kinematics(q))
    assert_close(robot.jacobian(q), some.robot.jacobian(q))


def test_gravity_turned_alone_is_felt(ur5: Case) -> None:
    q = random_states(6, 1).q[0]
    turned = ur5.robot.with_gravity(ur5.robot.gravity[[1, 2, 0]])
    assert np.abs(turned.gravity_forces(q) - ur5.robot.gravity_forces(q)).max() > 1.0


@pytest.mark.short_run("right_angled_tree")
def test_frames_of_the_links_are_only_names(some: Case) -> None:
    """Other frames on the same bodies: turned about and slid along the joint's axis, and turned any way."""
    rng = np.random.default_rng(54)
    change = {}
    for joint in some.robot.joints:
        slide = rigid(p=joint.axis * rng.normal())
        change[joint.child] = slide @ rigid(random_rotation(rng))
    assert_same_forces(some.robot, armdyn.Robot(reframed(some.robot.model, change)))


def test_frame_of_a_sliding_link_may_stand_anywhere(tree: Case) -> None:
    rng = np.random.default_rng(55)
    change = {
        j.child: rigid(random_rotation(rng), rng.normal(size=3)) for j in tree.robot.joints if j.kind == "prismatic"
    }
    assert len(change) >= 2
    assert_same_forces(tree.robot, armdyn.Robot(reframed(tree.robot.model, change)))


def test_order_of_the_joints_is_only_an_order(tree: Case) -> None:
    model = tree.robot.model
    order = np.random.default_rng(56).permutation(tree.n)
    joints = tuple(model.joints[i] for i in order)
    links = (model.links[0], *(model.link(j.child) for j in joints))
    other = armdyn.Robot(model.replace(joints=joints, links=links))
    s = random_states(tree.n, 10, seed=57)
    expected = tree.robot.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip)
    assert_close(other.inverse_dynamics(s.q[:, order], s.qd[:, order], s.qdd[:, order], s.f_tip), expected[:, order])
    accelerations = tree.robot.forward_dynamics(s.q, s.qd, s.tau)
    assert_close(other.forward_dynamics(s.q[:, order], s.qd[:, order], s.tau[:, order]), accelerations[:, order], 1e-11)


def test_reversed_axis_reverses_that_joint_alone(some: Case) -> None:
    model, k = some.robot.model, 1
    joints = list(model.joints)
    j = joints[k]
    joints[k] = Joint(j.name, j.kind, j.parent, j.child, j.placement, -j.axis)
    other = armdyn.Robot(model.replace(joints=tuple(joints)))
    sign = np.where(np.arange(some.n) == k, -1.0, 1.0)
    s = random_states(some.n, 10, seed=58)
    expected = sign * some.robot.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip)
    assert_close(other.inverse_dynamics(sign * s.q, sign * s.qd, sign * s.qdd, s.f_tip), expected)


def test_zero_of_a_joint_is_only_a_convention(some: Case) -> None:
    model, k, shift = some.robot.model, some.n - 1, 0.83
    joints = list(model.joints)
    j = joints[k]
    step = rigid(rounded(rotation_about(j.axis, shift))) if j.kind == "revolute" else rigid(p=shift * j.axis)
    joints[k] = Joint(j.name, j.kind, j.parent, j.child, j.placement @ step, j.axis)
    other = armdyn.Robot(model.replace(joints=tuple(joints)))
    moved = np.where(np.arange(some.n) == k, shift, 0.0)
    s = random_states(some.n, 10, seed=59)
    expected = some.robot.inverse_dynamics(s.q + moved, s.qd, s.qdd, s.f_tip)
    assert_close(other.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip), expected)


def test_base_does_not_count() -> None:
    """What the base weighs changes no joint force and no energy."""
    model = to_armdyn(random_tree(6, 4))
    heavy = model.replace(links=(Link("base", Inertia(1e3, [1, 2, 3], np.eye(3))), *model.links[1:]))
    s = random_states(4, 3, seed=60)
    one, other = armdyn.Robot(model), armdyn.Robot(heavy)
    np.testing.assert_array_equal(one.inverse_dynamics(s.q, s.qd, s.qdd), other.inverse_dynamics(s.q, s.qd, s.qdd))
    np.testing.assert_array_equal(one.potential_energy(s.q), other.potential_energy(s.q))


def test_split_body_is_the_body() -> None:
    """A link of two welded halves moves like the one they make."""
    model = to_armdyn(random_tree(7, 3))
    link = model.links[2]
    whole = link.inertia
    half = Inertia(0.5 * whole.mass, whole.com, 0.5 * whole.tensor)
    split = model.replace(links=tuple(Link(x.name, half + half) if x is link else x for x in model.links))
    assert_same_forces(armdyn.Robot(model), armdyn.Robot(split))
