"""armdyn against Kazerounian and Gupta's zero reference position: kinematics, both recursions, both collars."""

import dataclasses

import numpy as np
import pytest

import armdyn
from oracles.chains import SERIAL_ARMS, base_to_tip, chain_of, in_file_order, serial_arm
from oracles.kazerounian_gupta import LinkState, ZeroReferenceArm, solve_symmetric
from oracles.short_run import short_run
from oracles.states import States, assert_close, random_states
from oracles.trees import random_tree, to_armdyn


@pytest.fixture(scope="module", params=short_run(SERIAL_ARMS, "chain of 5", "right-angled"))
def arm(request: pytest.FixtureRequest) -> armdyn.Robot:
    return serial_arm(request.param)


def states(arm: armdyn.Robot) -> States:
    return random_states(arm.dof, 5, seed=321)


def assert_rows_close(ours: np.ndarray, theirs: np.ndarray) -> None:
    assert_close(ours.reshape(len(ours), -1), theirs.reshape(len(theirs), -1))


def assert_motion(arm: armdyn.Robot, s: States, order: np.ndarray, found: list[list[LinkState]]) -> None:
    """w, alpha and a_G of all moving links, in base axes."""
    motion = arm.link_motion(s.q, s.qd, s.qdd, expressed_in="base")
    theirs = np.moveaxis(np.array(found), 2, 0)
    for ours, expected in zip((motion.omega, motion.alpha, motion.a_com), theirs, strict=True):
        assert_rows_close(ours[:, 1 + order], expected)


def test_displacement_matrices(arm: armdyn.Robot) -> None:
    """The hand by (1), and the motion of all links by differentiating the product of displacements."""
    chain, s = chain_of(arm), states(arm)
    zero = ZeroReferenceArm.of_chain(chain)
    assert_close(arm.forward_kinematics(s.q), np.array([zero.hand_pose(q) for q in s.q[:, chain.order]]))
    assert_motion(arm, s, chain.order, [zero.link_states(q, qd, qdd) for q, qd, qdd, *_ in base_to_tip(s, chain.order)])


@pytest.mark.parametrize("collar", ["child", "parent"])
def test_recursion_in_base_axes(arm: armdyn.Robot, collar: str) -> None:
    """(5) to (16): motions, reactions and actuator forces, and a base that turns out to stand still."""
    chain, s = chain_of(arm), states(arm)
    zero = ZeroReferenceArm.of_chain(chain, [collar == "child"] * chain.n)
    found = [zero.inverse_dynamics(q, qd, qdd, f_tip) for q, qd, qdd, _, f_tip in base_to_tip(s, chain.order)]
    links, reactions, base = zip(*found, strict=True)
    assert_motion(arm, s, chain.order, links)
    size = np.abs(np.array(links)).max()
    assert np.abs(np.array(base)).max() < 1e-12 * size
    ours = arm.joint_reactions(s.q, s.qd, s.qdd, s.f_tip, expressed_in="base", collar=collar)
    assert_rows_close(ours.f[:, chain.order], np.array([r.N for r in reactions]))
    assert_rows_close(ours.n[:, chain.order], np.array([r.T for r in reactions]))
    forces = in_file_order(chain.order, np.array([r.f for r in reactions]))
    assert_close(arm.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip), forces)


@pytest.mark.parametrize("collar", ["child", "parent"])
def test_starred_recursion(arm: armdyn.Robot, collar: str) -> None:
    """(17) to (29): the same, every vector turned back with its link."""
    chain, s = chain_of(arm), states(arm)
    zero = ZeroReferenceArm.of_chain(chain, [collar == "child"] * chain.n)
    tau, forces, moments, links = [], [], [], []
    for q, qd, qdd, _, f_tip in base_to_tip(s, chain.order):
        states_back, reactions = zero.starred_inverse_dynamics(q, qd, qdd, f_tip)
        R = zero.rotations(q)
        of_exerting = [np.eye(3), *R[:-1]]
        links.append([[r @ x for x in state] for r, state in zip(R, states_back, strict=True)])
        forces.append([r @ x for r, x in zip(of_exerting, reactions.N, strict=True)])
        moments.append([r @ x for r, x in zip(of_exerting, reactions.T, strict=True)])
        tau.append(reactions.f)
    assert_motion(arm, s, chain.order, links)
    ours = arm.joint_reactions(s.q, s.qd, s.qdd, s.f_tip, expressed_in="base", collar=collar)
    assert_rows_close(ours.f[:, chain.order], np.array(forces))
    assert_rows_close(ours.n[:, chain.order], np.array(moments))
    assert_close(arm.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip), in_file_order(chain.order, np.array(tau)))


def test_reactions_depend_on_the_collar_and_actuator_forces_do_not() -> None:
    chain, s = chain_of(armdyn.Robot(to_armdyn(random_tree(307, 7, chain=True)))), random_states(7, 1, seed=322)
    q, qd, qdd, _, f_tip = base_to_tip(s, chain.order)[0]
    sides = [
        ZeroReferenceArm.of_chain(chain, [side] * 7).inverse_dynamics(q, qd, qdd, f_tip)[1] for side in (True, False)
    ]
    np.testing.assert_allclose(sides[0].f, sides[1].f, rtol=0, atol=1e-12 * np.abs(sides[0].T).max())
    np.testing.assert_allclose(sides[0].N, sides[1].N, rtol=0, atol=1e-12 * np.abs(sides[0].N).max())
    differs = np.abs(sides[0].T - sides[1].T).max(axis=1) > 1e-3
    np.testing.assert_array_equal(differs, chain.slides)
    assert 0 < differs.sum() < 7


@pytest.mark.slow
def test_each_collar_is_where_the_description_puts_it() -> None:
    """The default; and a file that is written and read, and a zero reference position, keep them."""
    model = to_armdyn(random_tree(307, 7, chain=True))
    slides = [k for k, joint in enumerate(model.joints) if joint.kind == "prismatic"]
    assert len(slides) > 1
    joints = [
        dataclasses.replace(joint, collar="parent" if k in slides[::2] else "child")
        for k, joint in enumerate(model.joints)
    ]
    arm = armdyn.Robot(model.replace(joints=tuple(joints)))
    chain, s = chain_of(arm), states(arm)
    zero = ZeroReferenceArm.of_chain(chain, [joints[k].collar == "child" for k in chain.order])
    found = [zero.inverse_dynamics(q, qd, qdd, f_tip)[1] for q, qd, qdd, _, f_tip in base_to_tip(s, chain.order)]
    again = armdyn.Robot(armdyn.formats.urdf.read_urdf_text(arm.to_urdf()))
    for robot in (arm, again):
        ours = robot.joint_reactions(s.q, s.qd, s.qdd, s.f_tip, expressed_in="base")
        assert_rows_close(ours.f[:, chain.order], np.array([r.N for r in found]))
        assert_rows_close(ours.n[:, chain.order], np.array([r.T for r in found]))
        same = robot.joint_reactions(s.q, s.qd, s.qdd, s.f_tip, expressed_in="base", collar=None)
        np.testing.assert_array_equal(same.n, ours.n)
    for side in ("child", "parent"):
        other = arm.joint_reactions(s.q, s.qd, s.qdd, s.f_tip, expressed_in="base", collar=side)
        differs = np.abs(other.n - ours.n).max(axis=(0, 2)) > 1e-3
        np.testing.assert_array_equal(np.flatnonzero(differs), [k for k in slides if joints[k].collar != side])


@pytest.mark.parametrize("outboard", [True, False])
def test_direct_dynamics_linear_in_the_accelerations(arm: armdyn.Robot, outboard: bool) -> None:
    """(39) to (44): H and the rest column by column; H is symmetric; the triangular factors give qdd."""
    chain, s = chain_of(arm), states(arm)
    zero = ZeroReferenceArm.of_chain(chain, [outboard] * chain.n)
    H, rest, qdd = [], [], []
    for q, qd, _, tau, f_tip in base_to_tip(s, chain.order):
        system = zero.linear_in_acceleration(q, qd, f_tip)
        H.append(system[:, :-1])
        rest.append(system[:, -1])
        qdd.append(zero.direct_dynamics(q, qd, tau, f_tip))
    H = np.array(H)
    assert_close(H, np.swapaxes(H, 1, 2))
    assert_close(arm.mass_matrix(s.q)[:, chain.order[:, None], chain.order], H)
    at_rest = arm.inverse_dynamics(s.q, s.qd, np.zeros(arm.dof), s.f_tip)
    assert_close(at_rest, in_file_order(chain.order, np.array(rest)))
    relative = max(1e-12, 1e-15 * np.linalg.cond(H).max())
    actual = arm.forward_dynamics(s.q, s.qd, s.tau, s.f_tip)
    assert_close(actual, in_file_order(chain.order, np.array(qdd)), relative)


def test_triangular_decomposition_reads_the_lower_triangle_alone() -> None:
    A, b = np.random.default_rng(323).normal(size=(5, 5)), np.arange(1.0, 6.0)
    H = A @ A.T + np.eye(5)
    np.testing.assert_allclose(solve_symmetric(np.tril(H), b), np.linalg.solve(H, b), rtol=1e-12)
