"""Arms on a base in motion: against Pinocchio with a free-flying root of prescribed motion, and against physics."""

from functools import cache

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn import algorithms
from oracles.cases import Case
from oracles.states import assert_close, random_states
from oracles.trees import random_rotation, random_tree, to_armdyn

LINEAR_FIRST = [3, 4, 5, 0, 1, 2]


def base_states(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """V_0 and its rate, of general values."""
    rng = np.random.default_rng(seed)
    return rng.normal(0.0, 1.5, (count, 6)), rng.normal(0.0, 4.0, (count, 6))


class FreeFlyer:
    """The robot of a case on a root that flies; its pose is general, and gravity is given in the root's axes."""

    def __init__(self, case: Case) -> None:
        root = pin.Model()
        joint = root.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "flying_root")
        frame = root.addFrame(pin.Frame("flying_base", joint, 0, pin.SE3.Identity(), pin.FrameType.BODY))
        rng = np.random.default_rng(248)
        self.pose = pin.SE3(random_rotation(rng), rng.normal(size=3))
        self.pin = pin.appendModel(root, case.pin, frame, pin.SE3.Identity())
        self.pin.gravity.linear = self.pose.rotation @ case.robot.gravity
        self.data = self.pin.createData()
        joints = [self.pin.joints[self.pin.getJointId(name)] for name in case.robot.joint_names]
        self.column = np.array([joint.idx_v for joint in joints])
        self._position = [(joint.idx_q, joint.nq) for joint in joints]

    def rates(self, of_base: np.ndarray, of_joints: np.ndarray) -> np.ndarray:
        result = np.empty(self.pin.nv)
        result[:6], result[self.column] = of_base[LINEAR_FIRST], of_joints
        return result

    def position(self, q: np.ndarray) -> np.ndarray:
        result = np.empty(self.pin.nq)
        result[:7] = pin.SE3ToXYZQUAT(self.pose)
        for value, (start, size) in zip(q, self._position, strict=True):
            result[start : start + size] = value if size == 1 else (np.cos(value), np.sin(value))
        return result

    def rnea(self, q, qd, qdd, V, Vdot) -> np.ndarray:
        return pin.rnea(self.pin, self.data, self.position(q), self.rates(V, qd), self.rates(Vdot, qdd))[self.column]


@cache
def flying(case: Case) -> FreeFlyer:
    return FreeFlyer(case)


def test_inverse_dynamics_on_a_moving_base(case: Case) -> None:
    s, (V, Vdot) = random_states(case.n, 10, seed=231), base_states(10, 232)
    each = zip(s.q, s.qd, s.qdd, V, Vdot, strict=True)
    expected = np.array([flying(case).rnea(*x) for x in each])
    actual = case.robot.inverse_dynamics(s.q, s.qd, s.qdd, base_twist=V, base_twist_rate=Vdot)
    assert_close(actual, expected)


@pytest.mark.short_run("ur5")
def test_link_motion_and_reactions_on_a_moving_base(case: Case) -> None:
    """Spatial accelerations, made ordinary ones, and joint forces, in the axes of the joints' child links."""
    s, (V, Vdot) = random_states(case.n, 4, seed=233), base_states(4, 234)
    base = {"base_twist": V, "base_twist_rate": Vdot}
    motion = case.robot.link_motion(s.q, s.qd, s.qdd, **base)
    reactions = case.robot.joint_reactions(s.q, s.qd, s.qdd, **base)
    free, expected = flying(case), []
    for x in zip(s.q, s.qd, s.qdd, V, Vdot, strict=True):
        free.rnea(*x)
        q, qd, qdd, base_v, base_vdot = x
        forces = {joint.name: free.data.f[free.pin.getJointId(joint.name)].copy() for joint in case.robot.joints}
        pin.forwardKinematics(free.pin, free.data, free.position(q), free.rates(base_v, qd), free.rates(base_vdot, qdd))
        rows = []
        for joint in case.robot.joints:
            frame = free.pin.frames[free.pin.getFrameId(joint.child)]
            twist, rate = (frame.placement.actInv(x[frame.parentJoint]) for x in (free.data.v, free.data.a))
            force = frame.placement.actInv(forces[joint.name])
            a = rate.linear + np.cross(twist.angular, twist.linear)
            rows.append([twist.angular, rate.angular, a, force.linear, force.angular])
        expected.append(rows)
    actual = [motion.omega[:, 1:], motion.alpha[:, 1:], motion.a[:, 1:], reactions.f, reactions.n]
    for ours, theirs in zip(actual, np.moveaxis(np.array(expected), 2, 0), strict=True):
        assert_close(ours, theirs)


def test_forward_dynamics_undoes_inverse_dynamics_on_a_moving_base(case: Case) -> None:
    s, (V, Vdot) = random_states(case.n, 10, seed=235), base_states(10, 236)
    tau = case.robot.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip, V, Vdot)
    back = case.robot.forward_dynamics(s.q, s.qd, tau, s.f_tip, V, Vdot)
    M = case.robot.mass_matrix(s.q)
    amplified = np.linalg.cond(M).max() * np.abs(tau).max() / np.abs(np.einsum("kij,kj->ki", M, s.qdd)).max()
    assert_close(back, s.qdd, max(1e-12, 1e-15 * amplified))


def test_bias_forces_on_a_moving_base(case: Case) -> None:
    s, (V, Vdot) = random_states(case.n, 10, seed=237), base_states(10, 238)
    whole = case.robot.inverse_dynamics(s.q, s.qd, s.qdd, None, V, Vdot)
    inertial = np.einsum("kij,kj->ki", case.robot.mass_matrix(s.q), s.qdd)
    assert_close(case.robot.bias_forces(s.q, s.qd, V, Vdot) + inertial, whole)


def test_constant_linear_velocity_changes_nothing(case: Case) -> None:
    """Galileo: v enters through w x v alone."""
    s, (V, _) = random_states(case.n, 10, seed=239), base_states(10, 240)
    V[:, :3] = 0.0
    actual = case.robot.inverse_dynamics(s.q, s.qd, s.qdd, base_twist=V)
    assert_close(actual, case.robot.inverse_dynamics(s.q, s.qd, s.qdd), 1e-13)


def test_a_falling_base_weighs_nothing(case: Case) -> None:
    """Einstein: a base that accelerates by g takes gravity away."""
    s = random_states(case.n, 10, seed=241)
    falling = np.concatenate([np.zeros(3), case.robot.gravity])
    weightless = case.robot.with_gravity([0.0, 0.0, 0.0])
    actual = case.robot.inverse_dynamics(s.q, s.qd, s.qdd, base_twist_rate=falling)
    assert_close(actual, weightless.inverse_dynamics(s.q, s.qd, s.qdd))


def test_the_first_joint_turns_the_rest_of_the_arm_as_a_turning_base_does() -> None:
    """A base in steady rotation about the axis of a first joint is that joint at a steady rate."""
    tree = random_tree(77, 5, chain=True)
    parts = (tree.parts[0]._replace(kind="revolute"), *tree.parts[1:])
    whole = armdyn.Robot(to_armdyn(type(tree)(tree.name, parts, tree.order, tree.tip, tree.gravity)))
    first = whole.joint_names.index(parts[0].joint)
    s = random_states(5, 10, seed=242)
    on_base = [joint for joint in tree.order if joint != parts[0].joint]
    held_parts = tuple(p._replace(kind="fixed") if p is parts[0] else p for p in parts)
    held = armdyn.Robot(to_armdyn(type(tree)(tree.name, held_parts, tuple(on_base), tree.tip, tree.gravity)))
    others = [whole.joint_names.index(name) for name in held.joint_names]
    # the held arm stands where joint 1 is at zero; there the turning base has the joint's own twist
    q = s.q.copy()
    q[:, first] = 0.0
    axis, place = parts[0].rotation @ parts[0].axis, parts[0].position
    screw = np.concatenate([axis, np.cross(place, axis)])
    V, Vdot = s.qd[:, [first]] * screw, s.qdd[:, [first]] * screw
    actual = held.inverse_dynamics(q[:, others], s.qd[:, others], s.qdd[:, others], base_twist=V, base_twist_rate=Vdot)
    assert_close(actual, whole.inverse_dynamics(q, s.qd, s.qdd)[:, others])


def test_centrifugal_force_on_a_turntable() -> None:
    """A slide that points away from the axis of a turntable must hold its mass in: tau = -m r w^2."""
    from armdyn.model import Inertia
    from armdyn.model.assembly import assemble
    from armdyn.model.parts import JointPart, LinkPart

    links = [LinkPart("turntable"), LinkPart("bead", Inertia.point(1.7, np.zeros(3)))]
    joints = [JointPart("slide", "prismatic", "turntable", "bead", np.eye(4), np.array([1.0, 0.0, 0.0]))]
    robot = armdyn.Robot(assemble("turntable", links, joints))
    w, r = 2.5, 0.8
    tau = robot.inverse_dynamics([r], [0.3], [0.0], base_twist=[0.0, 0.0, w, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(tau, [-1.7 * r * w**2], rtol=1e-15)
    f, _ = robot.joint_reactions([r], [0.3], [0.0], base_twist=[0.0, 0.0, w, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(f[0], [-1.7 * r * w**2, 2 * 1.7 * w * 0.3, 1.7 * 9.81], rtol=1e-15)


def test_gravity_that_turns_under_a_tilting_base(ur5: Case) -> None:
    """Gravity as an input, in the axes of the base: the joint forces of the robot under that gravity."""
    s, (V, Vdot) = random_states(6, 4, seed=243), base_states(4, 244)
    tilted = np.random.default_rng(245).normal(0.0, 6.0, (4, 3))
    varied = ur5.robot.compile(algorithms.inverse_dynamics, parameters=["gravity"])
    actual = varied(s.q, s.qd, s.qdd, base_twist=V, base_twist_rate=Vdot, gravity=tilted)
    expected = [
        ur5.robot.with_gravity(g).inverse_dynamics(q, qd, qdd, base_twist=v, base_twist_rate=vd)
        for q, qd, qdd, v, vd, g in zip(s.q, s.qd, s.qdd, V, Vdot, tilted, strict=True)
    ]
    assert_close(actual, np.array(expected))


def test_the_rate_alone_and_the_twist_alone(case: Case) -> None:
    s, (V, Vdot) = random_states(case.n, 4, seed=246), base_states(4, 247)
    zero = np.zeros(6)
    for given, whole in (({"base_twist": V}, (V, zero)), ({"base_twist_rate": Vdot}, (zero, Vdot))):
        actual = case.robot.inverse_dynamics(s.q, s.qd, s.qdd, **given)
        assert_close(actual, case.robot.inverse_dynamics(s.q, s.qd, s.qdd, None, *whole), 1e-13)


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "bias_forces"])
def test_a_base_at_rest_costs_nothing(case: Case, name: str) -> None:
    """Left out, it is not in the program; at rest by value, the numbers are the same."""
    function = getattr(case.robot, name)
    ports = {port.name for port in function.program().inputs}
    assert not {"base_twist", "base_twist_rate"} & ports
    moving = function.program(optional_inputs=("base_twist", "base_twist_rate")).op_counts
    assert moving.multiplications > function.op_counts.multiplications


def test_wrong_shape_of_the_base_twist(ur5: Case) -> None:
    with pytest.raises(armdyn.ShapeError, match=r"base_twist has shape \(3,\); expected \(..., 6\) for 'ur5'"):
        ur5.robot.inverse_dynamics(*np.ones((3, 6)), base_twist=np.ones(3))
