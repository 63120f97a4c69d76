"""armdyn against the texts' own recursions, written as they print them, on general arms that turn and slide.

Craig's iterations in link frames, Modern Robotics' twists and wrenches, the same stacked into matrices.
"""

import numpy as np
import pytest

import armdyn
from oracles.chains import SERIAL_ARMS, base_to_tip, chain_of, in_file_order, serial_arm
from oracles.craig import CraigArm, Iterations
from oracles.short_run import short_run
from oracles.stacked import Stacked
from oracles.states import States, assert_close, random_states
from oracles.trees import random_inertia
from oracles.twist_wrench import ScrewArm


@pytest.fixture(scope="module", params=short_run(SERIAL_ARMS, "chain of 5", "right-angled"))
def arm(request: pytest.FixtureRequest) -> armdyn.Robot:
    return serial_arm(request.param)


def states(arm: armdyn.Robot) -> States:
    return random_states(arm.dof, 5, seed=301)


def stack(results: list) -> list[np.ndarray]:
    return [np.array(x) for x in zip(*results, strict=True)]


def assert_rows_close(ours: np.ndarray, theirs: np.ndarray) -> None:
    """Vectors of all links, relative to the largest of the state."""
    assert_close(ours.reshape(len(ours), -1), theirs.reshape(len(theirs), -1))


def test_the_arms_turn_and_slide() -> None:
    for name in ("chain of 5", "chain of 7"):
        assert len(set(chain_of(serial_arm(name)).slides)) == 2


@pytest.mark.short_run("chain of 5")
def test_craigs_iterations(arm: armdyn.Robot) -> None:
    """Every intermediate of 6.45 to 6.53, turned from Craig's frames into the links' own."""
    chain, s = chain_of(arm), states(arm)
    craig, C = CraigArm.of_chain(chain)
    found = stack([craig.iterate(q, qd, qdd, f_tip) for q, qd, qdd, _, f_tip in base_to_tip(s, chain.order)])
    *vectors, tau = Iterations(*found)
    w, wd, vd, vd_c, F, N, f, n = (np.einsum("lij,klj->kli", C, x) for x in vectors)
    motion = arm.link_motion(s.q, s.qd, s.qdd, minus_gravity=True)
    reactions = arm.joint_reactions(s.q, s.qd, s.qdd, s.f_tip)
    for ours, theirs in zip(motion, (w, wd, vd, vd_c, F, N), strict=True):
        assert_rows_close(ours[:, 1 + chain.order], theirs)
    for ours, theirs in zip(reactions, (f, n), strict=True):
        assert_rows_close(ours[:, chain.order], theirs)
    assert_close(arm.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip), in_file_order(chain.order, tau))


@pytest.mark.parametrize("slides", ["000", "101", "010010", "000000"])
def test_craigs_iterations_from_a_table_of_modified_dh(slides: str) -> None:
    """The arm of a table, entered into armdyn link by link."""
    from armdyn.model import Inertia
    from armdyn.model.assembly import assemble
    from armdyn.model.parts import JointPart, LinkPart
    from armdyn.model.selection import Selection

    n, rng = len(slides), np.random.default_rng(int(slides, 2) + len(slides))
    table, kinds = rng.uniform(-1.5, 1.5, (n, 4)), np.array([c == "1" for c in slides])
    masses, coms, tensors = map(np.array, zip(*(random_inertia(rng) for _ in range(n)), strict=True))
    tool, gravity = np.eye(4), rng.normal(0.0, 6.0, 3)
    craig = CraigArm.of_modified_dh(
        table, kinds, masses=masses, P_C=coms, C_I=tensors, tool=tool, gravity=gravity
    )  # fmt: skip
    links = [
        LinkPart("0"),
        *(LinkPart(str(i + 1), Inertia(*x)) for i, x in enumerate(zip(masses, coms, tensors, strict=True))),
    ]
    joints = [
        JointPart(f"joint {i + 1}", "prismatic" if kinds[i] else "revolute", str(i), str(i + 1), craig.fixed[i],
                  np.array([0.0, 0.0, 1.0]))
        for i in range(n)
    ]  # fmt: skip
    robot = armdyn.Robot(assemble("table", links, joints, Selection(gravity=gravity)))
    s = random_states(n, 5, seed=302)
    found = Iterations(*stack([craig.iterate(q, qd, qdd, f) for q, qd, qdd, _, f in zip(*s, strict=True)]))
    assert_close(robot.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip), found.tau)
    reactions = robot.joint_reactions(s.q, s.qd, s.qdd, s.f_tip)
    assert_rows_close(reactions.f, found.f)
    assert_rows_close(reactions.n, found.n)
    # theta and d of the table add to the joint's own coordinate
    shifted = table.copy()
    shifted[np.arange(n), np.where(kinds, 2, 3)] += s.q[0]
    at_zero = CraigArm.of_modified_dh(
        shifted, kinds, masses=masses, P_C=coms, C_I=tensors, tool=tool, gravity=gravity
    )  # fmt: skip
    assert_close(at_zero.iterate(np.zeros(n), s.qd[0], s.qdd[0], s.f_tip[0]).tau[None], found.tau[:1])


def base_states(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(0.0, 1.5, (5, 6)), rng.normal(0.0, 4.0, (5, 6))


@pytest.mark.short_run("right-angled")
def test_twists_and_wrenches_on_a_moving_base(arm: armdyn.Robot) -> None:
    """8.50 to 8.54 with V_0 and Vdot_0; twists and wrenches of frames {i} at the centres of mass, in link axes."""
    chain, s, (V0, V0dot) = chain_of(arm), states(arm), base_states(303)
    screws, base = ScrewArm.of_chain(chain), {"base_twist": V0, "base_twist_rate": V0dot}
    rows = zip(base_to_tip(s, chain.order), V0, V0dot, strict=True)
    V, Vdot, F, tau = stack([screws.recursion(q, qd, qdd, f, v, vd) for (q, qd, qdd, _, f), v, vd in rows])
    motion = arm.link_motion(s.q, s.qd, s.qdd, minus_gravity=True, **base)
    w, v, wd, vd = V[..., :3], V[..., 3:], Vdot[..., :3], Vdot[..., 3:]
    for ours, theirs in ((motion.omega, w), (motion.alpha, wd), (motion.a_com, vd + np.cross(w, v))):
        assert_rows_close(ours[:, 1 + chain.order], theirs)
    reactions = arm.joint_reactions(s.q, s.qd, s.qdd, s.f_tip, **base)
    about_frame = F[..., :3] + np.cross(chain.coms, F[..., 3:])
    assert_rows_close(reactions.f[:, chain.order], F[..., 3:])
    assert_rows_close(reactions.n[:, chain.order], about_frame)
    assert_close(arm.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip, **base), in_file_order(chain.order, tau))


def test_stacked_matrices_on_a_moving_base(arm: armdyn.Robot) -> None:
    chain, s, (V0, V0dot) = chain_of(arm), states(arm), base_states(304)
    screws = ScrewArm.of_chain(chain)
    rows = zip(base_to_tip(s, chain.order), V0, V0dot, strict=True)
    tau = [Stacked(screws, q, qd, v).inverse_dynamics(qdd, f, vd) for (q, qd, qdd, _, f), v, vd in rows]
    actual = arm.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip, V0, V0dot)
    assert_close(actual, in_file_order(chain.order, np.array(tau)))


@pytest.mark.short_run("right-angled")
def test_stacked_closed_forms(arm: armdyn.Robot) -> None:
    """M, c, g and J^T F_tip of 8.77 to 8.80, each by its own formula."""
    chain, s = chain_of(arm), states(arm)
    screws = ScrewArm.of_chain(chain)
    forms = [Stacked(screws, q, qd, np.zeros(6)) for q, qd, *_ in base_to_tip(s, chain.order)]
    M = np.array([form.mass_matrix() for form in forms])
    assert_close(arm.mass_matrix(s.q)[:, chain.order[:, None], chain.order], M)
    for ours, theirs in (
        (arm.velocity_forces(s.q, s.qd), [form.velocity_forces() for form in forms]),
        (arm.gravity_forces(s.q), [form.gravity_forces() for form in forms]),
        (arm.tip_forces(s.q, s.f_tip), [form.tip_forces(f) for form, f in zip(forms, s.f_tip, strict=True)]),
    ):
        assert_close(ours, in_file_order(chain.order, np.array(theirs)), floor=1.0)
