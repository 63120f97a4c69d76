"""The motion of every link, and the force it takes, against Pinocchio, joint by joint, by name."""

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn.algorithms import LinkMotion
from oracles.cases import Case
from oracles.flying import RATES, TWISTS, Flying
from oracles.states import States, assert_close, random_states


def states(case: Case) -> States:
    return random_states(case.n, 6, seed=201)


def one_motion(case: Case, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, felt: bool) -> LinkMotion:
    """The moving links' rows in link axes, from Pinocchio's spatial velocities and accelerations."""
    pin.forwardKinematics(case.pin, case.data, case.pin_q(q), case.to_pin(qd), case.to_pin(qdd))
    rows = []
    for link in case.robot.model.links[1:]:
        frame = case.pin.frames[case.pin.getFrameId(link.name)]
        pose = case.data.oMi[frame.parentJoint] * frame.placement
        twist = frame.placement.actInv(case.data.v[frame.parentJoint])
        rate = frame.placement.actInv(case.data.a[frame.parentJoint])
        w, wd, c = twist.angular, rate.angular, link.inertia.com
        a = rate.linear + np.cross(w, twist.linear)  # from spatial to ordinary acceleration
        if felt:
            a = a - pose.rotation.T @ case.robot.gravity
        inertia = pin.Inertia(link.inertia.mass, c, link.inertia.tensor)
        momentum_rate = inertia * rate + twist.cross(inertia * twist)  # about the frame's origin
        F, N = momentum_rate.linear, momentum_rate.angular - np.cross(c, momentum_rate.linear)
        if felt:
            F = F - link.inertia.mass * pose.rotation.T @ case.robot.gravity
        rows.append([w, wd, a, a + np.cross(wd, c) + np.cross(w, np.cross(w, c)), F, N])
    return LinkMotion(*np.swapaxes(rows, 0, 1))


def assert_motions_close(actual: LinkMotion, expected: LinkMotion) -> None:
    """Every quantity relative to its largest value in the robot."""
    for name, ours, theirs in zip(LinkMotion._fields, actual, expected, strict=True):
        scale = np.abs(theirs).max(axis=(-2, -1), keepdims=True)
        assert np.abs(ours - theirs).max() > 0.0  # two computations, not one
        assert (np.abs(ours - theirs) / scale).max() < 1e-12, name


def moving(motion: LinkMotion) -> LinkMotion:
    return LinkMotion(*(rows[..., 1:, :] for rows in motion))


@pytest.mark.parametrize("felt", [False, True])
def test_every_link(case: Case, felt: bool) -> None:
    s = states(case)
    expected = [one_motion(case, *x, felt) for x in zip(s.q, s.qd, s.qdd, strict=True)]
    actual = case.robot.link_motion(s.q, s.qd, s.qdd, minus_gravity=felt)
    assert_motions_close(moving(actual), LinkMotion(*map(np.array, zip(*expected, strict=True))))


@pytest.mark.short_run("ur5")
def test_base_axes_are_link_axes_turned_by_the_pose(case: Case) -> None:
    s = states(case)
    of_link = case.robot.link_motion(s.q, s.qd, s.qdd)
    of_base = case.robot.link_motion(s.q, s.qd, s.qdd, expressed_in="base")
    R = case.robot.link_poses(s.q)[..., :3, :3]
    turned = LinkMotion(*(np.einsum("klij,klj->kli", R, rows) for rows in of_link))
    assert_motions_close(of_base, turned)


def test_a_base_at_rest_does_not_move(case: Case) -> None:
    s = states(case)
    for rows in case.robot.link_motion(s.q, s.qd, s.qdd):
        assert rows.shape == (6, len(case.robot.link_names), 3)
        np.testing.assert_array_equal(rows[:, 0], 0.0)


def test_a_robot_at_rest_feels_its_weight_alone(case: Case) -> None:
    q, still = states(case).q, np.zeros(case.n)
    motion = case.robot.link_motion(q, still, still, expressed_in="base", minus_gravity=True)
    masses = np.array([link.inertia.mass for link in case.robot.model.links])
    for rows in (motion.omega, motion.alpha, motion.N):
        np.testing.assert_array_equal(rows, 0.0)
    for rows, each in ((motion.a, np.ones_like(masses)), (motion.a_com, np.ones_like(masses)), (motion.F, masses)):
        assert_close(rows, np.broadcast_to(-np.outer(each, case.robot.gravity), rows.shape), 1e-13)


@pytest.mark.short_run("ur5")
def test_tip_acceleration_is_that_of_the_jacobians(case: Case) -> None:
    """alpha and a of every link frame are J qdd + Jdot qd with v at the frame's origin in base axes."""
    s, robot = states(case), case.robot
    motion = robot.link_motion(s.q, s.qd, s.qdd, expressed_in="base")
    for k, link in list(enumerate(robot.link_names))[1 :: max(1, case.n // 3)]:
        J, Jdot = (
            f(*x, frame=link, expressed_in="world")
            for f, x in ((robot.jacobian, (s.q,)), (robot.jacobian_dot, (s.q, s.qd)))
        )
        rate = np.einsum("kij,kj->ki", J, s.qdd) + np.einsum("kij,kj->ki", Jdot, s.qd)
        assert_close(np.concatenate([motion.alpha[:, k], motion.a[:, k]], axis=1), rate)


def test_results_have_names_however_they_are_asked_for(ur5: Case) -> None:
    s, robot = random_states(6, 1500, seed=202), ur5.robot
    motion = robot.link_motion(s.q, s.qd, s.qdd)
    out = LinkMotion(*(np.empty((1500, 7, 3)) for _ in LinkMotion._fields))
    for same in (
        robot.link_motion(s.q, s.qd, s.qdd),
        robot.link_motion(q=s.q, qd=s.qd, qdd=s.qdd),
        robot.link_motion(s.q, s.qd, s.qdd, workers=2),
        robot.link_motion(s.q, s.qd, s.qdd, out=out),
        robot.link_motion(s.q, s.qd, s.qdd, None, None),
    ):
        assert isinstance(same, LinkMotion)
        for a, b in zip(same, motion, strict=True):
            np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(out.a_com, motion.a_com)
    assert [port.name for port in robot.link_motion.program().outputs] == list(LinkMotion._fields)


def test_a_link_without_mass_has_a_centre_where_its_description_says() -> None:
    """The acceleration of that very point, no force and no moment; on a link that turns, and on one that slides."""
    from armdyn.model import Inertia
    from armdyn.model.assembly import assemble
    from armdyn.model.parts import JointPart, LinkPart
    from oracles.trees import random_rotation

    rng = np.random.default_rng(204)
    place, com = np.eye(4), np.array([0.4, -0.1, 0.25])
    place[:3, :3], place[:3, 3] = random_rotation(rng), (0.3, -0.2, 0.5)
    links = [
        LinkPart("base"),
        LinkPart("yoke", Inertia(0.0, com)),
        LinkPart("carriage", Inertia(0.0, com)),
        LinkPart("arm", Inertia(2.0, [0.1, 0.2, 0.3], np.diag([0.1, 0.2, 0.25]))),
    ]
    joints = [
        JointPart("turn", "revolute", "base", "yoke", place, np.array([0.0, 0.6, 0.8])),
        JointPart("slide", "prismatic", "yoke", "carriage", place, np.array([0.6, 0.0, 0.8])),
        JointPart("swing", "revolute", "carriage", "arm", place, np.array([0.8, 0.6, 0.0])),
    ]
    robot = armdyn.Robot(assemble("carriage", links, joints))
    motion = robot.link_motion([0.3, 0.4, -0.7], [1.0, -2.0, 0.6], [3.0, 0.5, -1.5])
    w, wd = motion.omega, motion.alpha
    expected = motion.a + np.cross(wd, com) + np.cross(w, np.cross(w, com))
    np.testing.assert_allclose(motion.a_com[1:3], expected[1:3], rtol=1e-13)
    np.testing.assert_array_equal([motion.F[1:3], motion.N[1:3]], np.zeros((2, 2, 3)))
    assert np.abs(motion.F[3]).min() > 0.1


def test_masses_and_centres_that_are_inputs(ur5: Case) -> None:
    """F and a_com follow a payload that is given with the state."""
    s, link = random_states(6, 5, seed=203), "wrist_3_link"
    names = [f"{link}.mass", f"{link}.com", f"{link}.inertia", "gravity"]
    varied = ur5.robot.compile(armdyn.algorithms.link_motion, parameters=names)
    own = ur5.robot.model.link(link).inertia
    same = varied(s.q, s.qd, s.qdd, None, None, own.mass, own.com, own.tensor, ur5.robot.gravity)
    for a, b in zip(same, ur5.robot.link_motion(s.q, s.qd, s.qdd), strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-12 * np.abs(b).max())
    com = np.array([0.3, -0.2, 0.1])
    moved = varied(s.q, s.qd, s.qdd, None, None, 2.0 * own.mass, com, own.tensor, ur5.robot.gravity)
    k = ur5.robot.link_names.index(link)
    w, wd = moved.omega[:, k], moved.alpha[:, k]
    expected = moved.a[:, k] + np.cross(wd, com) + np.cross(w, np.cross(w, com))
    assert_close(moved.a_com[:, k], expected)
    assert_close(moved.F[:, k], 2.0 * own.mass * expected)
    assert_close(moved.N[:, k], same.N[:, k], 1e-11)  # the moment about C does not know where C is


def test_unknown_axes(ur5: Case) -> None:
    with pytest.raises(armdyn.UnknownName, match=r"no way 'links' in expressed_in=.*Did you mean 'link'\?"):
        ur5.robot.link_motion(*np.zeros((3, 6)), expressed_in="links")


def test_a_base_in_motion_takes_its_own_force() -> None:
    """Newton's and Euler's equations for the base, whose inertia is that of no ball, in its own axes."""
    robot, s = Flying(161, False).robot, random_states(6, 5, seed=205)
    motion = robot.link_motion(s.q, s.qd, s.qdd, TWISTS[:5], RATES[:5])
    base, w, wd = robot.model.links[0].inertia, TWISTS[:5, :3], RATES[:5, :3]
    a = RATES[:5, 3:] + np.cross(w, TWISTS[:5, 3:])
    a_com = a + np.cross(wd, base.com) + np.cross(w, np.cross(w, base.com))
    N = wd @ base.tensor + np.cross(w, w @ base.tensor)
    for rows, expected in zip(motion, (w, wd, a, a_com, base.mass * a_com, N), strict=True):
        assert_close(rows[:, 0], expected)
