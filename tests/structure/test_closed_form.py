"""The stacked closed form: its products are the equations of motion, its blocks those of the texts.

Its matrices are computed by the plain algorithm on floats, since their machine code takes seconds to make.
`tests/identities/test_plain_python.py` compares the two.
"""

import numpy as np
import pytest

import armdyn
from armdyn.spatial import ad
from oracles.cases import CASES, Case
from oracles.chains import SERIAL_ARMS, base_to_tip, chain_of, serial_arm
from oracles.coupled import coupled, with_armature
from oracles.plain import plainly
from oracles.short_run import short_run
from oracles.stacked import Stacked
from oracles.states import assert_close, random_states
from oracles.twist_wrench import ScrewArm

SMALL = ["ur5", "panda_locked", "random_tree", "right_angled_tree"]


@pytest.fixture(scope="module", params=short_run(SMALL, "ur5", "right_angled_tree"))
def some(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]()


def T(x: np.ndarray) -> np.ndarray:
    return np.swapaxes(x, -1, -2)


def times(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return np.einsum("...ij,...j->...i", matrices, vectors)


@pytest.mark.short_run("ur5")
def test_products_are_the_equations_of_motion(some: Case) -> None:
    """8.77 to 8.80."""
    s, robot = random_states(some.n, 5, seed=261), some.robot
    form = plainly(robot, "closed_form", s.q, s.qd, f_tip=s.f_tip)
    LA = form.L @ form.A
    assert_close(T(LA) @ form.G @ LA, robot.mass_matrix(s.q))
    inside = form.G @ form.L @ form.ad_Aqd @ form.W + T(form.ad_V) @ form.G
    assert_close(-times(T(LA) @ inside @ LA, s.qd), robot.velocity_forces(s.q, s.qd))
    assert_close(times(T(LA) @ form.G @ form.L, form.Vdot_base), robot.gravity_forces(s.q))
    assert_close(times(T(LA), form.F_tip), robot.tip_forces(s.q, s.f_tip))


def test_moving_base(some: Case) -> None:
    """8.73 to 8.76 with V_0 and Vdot_0."""
    s, robot = random_states(some.n, 5, seed=262), some.robot
    rng = np.random.default_rng(263)
    base = {"base_twist": rng.normal(size=(5, 6)), "base_twist_rate": rng.normal(size=(5, 6))}
    form = plainly(robot, "closed_form", s.q, s.qd, s.qdd, s.f_tip, **base)
    V = times(form.L, times(form.A, s.qd) + form.V_base)
    of_joints = times(form.A, s.qdd) - times(form.ad_Aqd, times(form.W, V) + form.V_base)
    Vdot = times(form.L, of_joints + form.Vdot_base)
    F = times(T(form.L), times(form.G, Vdot) - times(T(form.ad_V) @ form.G, V) + form.F_tip)
    for ours, product in ((form.V, V), (form.Vdot, Vdot), (form.F, F)):
        assert_close(ours, product)
    assert_close(times(T(form.A), form.F), robot.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip, **base))


@pytest.mark.short_run("right_angled_tree")
def test_twists_rates_and_wrenches_are_newton_and_eulers(some: Case) -> None:
    """8.58, 8.59: of every link of a tree, in the frame at its centre of mass, what the recursions find there."""
    s, robot = random_states(some.n, 5, seed=269), some.robot
    rng = np.random.default_rng(270)
    base = {"base_twist": rng.normal(size=(5, 6)), "base_twist_rate": rng.normal(size=(5, 6))}
    form = plainly(robot, "closed_form", s.q, s.qd, s.qdd, s.f_tip, **base)
    motion = robot.link_motion(s.q, s.qd, s.qdd, minus_gravity=True, **base)
    reactions = robot.joint_reactions(s.q, s.qd, s.qdd, s.f_tip, **base)
    V, Vdot, F = (stacked.reshape(5, -1, 6) for stacked in (form.V, form.Vdot, form.F))
    rows = [robot.link_names.index(joint.child) for joint in robot.model.joints]
    coms = np.array([robot.model.link(joint.child).inertia.com for joint in robot.model.joints])
    w, v = V[..., :3], V[..., 3:]
    assert_close(w, motion.omega[:, rows])
    assert_close(Vdot[..., :3], motion.alpha[:, rows])
    assert_close(Vdot[..., 3:] + np.cross(w, v), motion.a_com[:, rows])
    assert_close(F[..., 3:], reactions.f)
    assert_close(F[..., :3] + np.cross(coms, F[..., 3:]), reactions.n)


def test_joint_accelerations_that_are_left_out_are_zero(ur5: Case) -> None:
    s, robot = random_states(6, 3, seed=271), ur5.robot
    form = plainly(robot, "closed_form", s.q, s.qd)
    assert_close(times(T(form.A), form.F), robot.bias_forces(s.q, s.qd))
    assert_close(form.Vdot, plainly(robot, "closed_form", s.q, s.qd, np.zeros((3, 6))).Vdot)


def test_structure(some: Case) -> None:
    """L = (1 - W)^-1, W is nilpotent, and in W every link has one parent or none."""
    s, robot = random_states(some.n, 3, seed=264), some.robot
    form, N = plainly(robot, "closed_form", s.q, s.qd), len(robot.model.joints)
    one = np.eye(6 * N)
    assert np.abs(form.L @ (one - form.W) - one).max() < 1e-12
    assert not np.linalg.matrix_power(form.W, N).any()
    blocks = form.W.reshape(3, N, 6, N, 6).any(axis=(0, 2, 4))
    links = robot.link_names[1:]
    for row, joint in zip(blocks, robot.model.joints, strict=True):
        assert [links[k] for k in np.flatnonzero(row)] == ([joint.parent] if joint.parent in links else [])
    for k in range(N):
        block = np.s_[6 * k : 6 * k + 6]
        V = times(form.L, times(form.A, s.qd))[0, block]
        np.testing.assert_allclose(form.ad_V[0, block, block], ad(V), atol=1e-13 * np.abs(V).max())
        of_joint = form.A[0, block, k] * s.qd[0, k]
        np.testing.assert_allclose(form.ad_Aqd[0, block, block], ad(of_joint), atol=1e-13)
    off_diagonal = ~np.kron(np.eye(N), np.ones((6, 6))).astype(bool)
    for name in ("G", "ad_V", "ad_Aqd"):
        assert not getattr(form, name)[:, off_diagonal].any()
    assert form.F_tip.any() == 0


@pytest.mark.parametrize("name", short_run(SERIAL_ARMS, "chain of 5", "right-angled"))
def test_blocks_are_those_of_the_twist_wrench_form(name: str) -> None:
    """W, L, A, G, the brackets and the ends, number by number, written independently for serial arms."""
    arm = serial_arm(name)
    chain = chain_of(arm)
    screws = ScrewArm.of_chain(chain)
    s, rng = random_states(arm.dof, 3, seed=265), np.random.default_rng(266)
    V0, V0dot = rng.normal(size=(2, 3, 6))
    form = plainly(arm, "closed_form", s.q, s.qd, s.qdd, s.f_tip, base_twist=V0, base_twist_rate=V0dot)
    rows = (6 * chain.order[:, None] + np.arange(6)).ravel()
    for k, (q, qd, qdd, _, f) in enumerate(base_to_tip(s, chain.order)):
        theirs = Stacked(screws, q, qd, V0[k])
        links = screws.recursion(q, qd, qdd, f, V0[k], V0dot[k])  # 8.50 to 8.54, link by link
        expected = {
            "W": theirs.W,
            "L": theirs.L,
            "G": theirs.G,
            "ad_V": theirs.ad_V,
            "ad_Aqd": theirs.ad_Aqd,
            "V_base": theirs.V_base,
            "Vdot_base": theirs.Vdot_base(V0dot[k]),
            "F_tip": theirs.F_tip(f),
            "V": links.V.ravel(),
            "Vdot": links.Vdot.ravel(),
            "F": links.F.ravel(),
        }
        for field, matrix in expected.items():
            ours = getattr(form, field)[k]
            ours = ours[rows] if ours.ndim == 1 else ours[np.ix_(rows, rows)]
            assert np.abs(ours - matrix).max() <= 1e-12 * np.abs(matrix).max(), field
        A = form.A[k][np.ix_(rows, chain.order)]
        assert np.abs(A - theirs.A).max() <= 1e-13


@pytest.mark.slow
def test_inertias_and_axes_are_those_of_the_screw_lists(ur5: Case) -> None:
    _, Glist, _ = ur5.robot.to_screws()
    form = ur5.robot.closed_form(np.zeros(6), np.zeros(6))
    for k, G in enumerate(Glist):
        block = np.s_[6 * k : 6 * k + 6]
        np.testing.assert_allclose(form.G[block, block], G, rtol=1e-12, atol=1e-15)


def test_coupled_joints_with_rotors() -> None:
    """A has a column for each coordinate; the rotors come beside."""
    some = coupled(with_armature(CASES["random_tree"]().robot), 3, seed=5)
    s = random_states(3, 4, seed=267)
    form = plainly(some.robot, "closed_form", s.q, s.qd)
    LA = form.L @ form.A
    rotors = some.A.T @ np.diag([j.armature for j in some.robot.model.joints]) @ some.A
    assert_close(T(LA) @ form.G @ LA + rotors, some.robot.mass_matrix(s.q))
    inside = form.G @ form.L @ form.ad_Aqd @ form.W + T(form.ad_V) @ form.G
    assert_close(-times(T(LA) @ inside @ LA, s.qd), some.robot.velocity_forces(s.q, s.qd))
    assert_close(times(T(LA) @ form.G @ form.L, form.Vdot_base), some.robot.gravity_forces(s.q))


def test_a_link_without_mass_has_a_place_too() -> None:
    rod = armdyn.Inertia(1.0, [0.5, 0.0, 0.0], np.diag([0.0, 1 / 12, 1 / 12]))
    arm = armdyn.Robot.from_links([
        armdyn.Part("cross", "base", "revolute", axis=(0, 0, 1)),
        armdyn.Part("rod", "cross", "revolute", axis=(0, 1, 0), xyz=(0.1, 0, 0), inertia=rod),
    ])  # fmt: skip
    q = np.array([0.3, -0.7])
    form = arm.closed_form(q, np.ones(2))
    LA = form.L @ form.A
    np.testing.assert_allclose(LA.T @ form.G @ LA, arm.mass_matrix(q), atol=1e-14)
