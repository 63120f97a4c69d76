"""Wrenches of the surroundings on any link, against Pinocchio and against the Jacobians of their frames."""

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn import ShapeError, UnknownName, algorithms
from armdyn.program import interpret
from oracles.cases import Case
from oracles.plain import plainly
from oracles.short_run import each_once
from oracles.states import assert_close, random_states

COUNT = 6
WAYS = ("body", "space", "world")


def wrenches(case: Case, seed: int) -> np.ndarray:
    """A wrench on every link, the base's too."""
    return np.random.default_rng(seed).normal(0.0, 8.0, (COUNT, len(case.robot.link_names), 6))


def test_inverse_dynamics(case: Case) -> None:
    s, f_ext = random_states(case.n, COUNT, seed=301), wrenches(case, 302)
    expected = [
        case.from_pin(
            pin.rnea(case.pin, case.data, case.pin_q(q), case.to_pin(qd), case.to_pin(qdd), case.on_links(row))
        )
        for q, qd, qdd, row in zip(s.q, s.qd, s.qdd, f_ext, strict=True)
    ]
    assert_close(case.robot.inverse_dynamics(s.q, s.qd, s.qdd, f_ext=f_ext), np.array(expected))


def test_forward_dynamics(case: Case) -> None:
    s, f_ext = random_states(case.n, COUNT, seed=303), wrenches(case, 304)
    expected = [
        case.from_pin(
            pin.aba(case.pin, case.data, case.pin_q(q), case.to_pin(qd), case.to_pin(tau), case.on_links(row))
        )
        for q, qd, tau, row in zip(s.q, s.qd, s.tau, f_ext, strict=True)
    ]
    condition = max(np.linalg.cond(M) for M in case.robot.mass_matrix(s.q))
    actual = case.robot.forward_dynamics(s.q, s.qd, s.tau, f_ext=f_ext)
    assert_close(actual, np.array(expected), max(1e-12, 1e-15 * condition))


def test_joint_forces_are_jacobians_transposed_times_wrenches(case: Case) -> None:
    """tau = ID + J^T f_tip - sum J_k^T f_k; bias forces likewise; the base's row has no effect."""
    s, f_ext, robot = random_states(case.n, COUNT, seed=305), wrenches(case, 306), case.robot
    J = np.array([robot.jacobian(s.q, frame=name) for name in robot.link_names])
    pushed = np.einsum("lkij,kli->kj", J, f_ext)
    size = np.einsum("lkij,kli->kj", np.abs(J), np.abs(f_ext)).max()
    without = robot.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip)
    actual = robot.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip, f_ext=f_ext)
    assert_close(actual, without - pushed, floor=size)
    assert_close(robot.bias_forces(s.q, s.qd, f_ext=f_ext), robot.bias_forces(s.q, s.qd) - pushed, floor=size)
    other_base = f_ext.copy()
    other_base[:, 0] += 1e3
    np.testing.assert_array_equal(robot.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip, f_ext=other_base), actual)


def test_forward_dynamics_undoes_inverse_dynamics(case: Case) -> None:
    """With everything that can act at once."""
    s, f_ext = random_states(case.n, COUNT, seed=307), wrenches(case, 308)
    V, Vdot = np.random.default_rng(309).normal(0.0, 2.0, (2, COUNT, 6))
    outer = (s.f_tip, V, Vdot, f_ext)
    tau = case.robot.inverse_dynamics(s.q, s.qd, s.qdd, *outer)
    M = case.robot.mass_matrix(s.q)
    amplified = np.linalg.cond(M).max() * np.abs(tau).max() / np.abs(np.einsum("kij,kj->ki", M, s.qdd)).max()
    assert_close(case.robot.forward_dynamics(s.q, s.qd, tau, *outer), s.qdd, max(1e-12, 1e-15 * amplified))


def test_reactions_carry_the_wrenches_of_all_links_outboard(case: Case) -> None:
    """Pinocchio's joint forces, in the child link's frame and about its origin."""
    s, f_ext, robot = random_states(case.n, COUNT, seed=310), wrenches(case, 311), case.robot
    f, n = [], []
    for q, qd, qdd, row in zip(s.q, s.qd, s.qdd, f_ext, strict=True):
        pin.rnea(case.pin, case.data, case.pin_q(q), case.to_pin(qd), case.to_pin(qdd), case.on_links(row))
        places = [case.pin.frames[case.pin.getFrameId(joint.child)].placement for joint in robot.joints]
        ids = [case.pin.getJointId(joint.name) for joint in robot.joints]
        in_link = [place.actInv(case.data.f[i]) for place, i in zip(places, ids, strict=True)]
        f.append([one.linear for one in in_link])
        n.append([one.angular for one in in_link])
    actual = robot.joint_reactions(s.q, s.qd, s.qdd, f_ext=f_ext)
    for ours, theirs in zip(actual, (np.array(f), np.array(n)), strict=True):
        assert_close(ours, theirs)


def test_f_tip_is_the_opposite_wrench_on_the_tip(case: Case) -> None:
    s, robot = random_states(case.n, COUNT, seed=312), case.robot
    rows = robot.external_wrench(s.q, -s.f_tip, frame=robot.tip, expressed_in="body")
    expected = robot.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip)
    assert_close(robot.inverse_dynamics(s.q, s.qd, s.qdd, f_ext=rows), expected)


@pytest.mark.short_run("random_tree-world")
@pytest.mark.parametrize(("case", "expressed_in"), each_once(["random_tree", "ur5"], WAYS), indirect=["case"])
def test_a_wrench_in_any_axes_works_through_the_jacobian_in_these_axes(case: Case, expressed_in: str) -> None:
    """Virtual work: J^T F is the same in all axes, for frames on every link, merged ones included, and on the base."""
    s, robot = random_states(case.n, COUNT, seed=313), case.robot
    still = np.zeros((COUNT, case.n))
    weightless = robot.with_gravity([0.0, 0.0, 0.0])
    carried = [frame.name for frame in robot.model.frames]
    rng = np.random.default_rng(314)
    for frame in {robot.tip, robot.model.base, *rng.choice(carried, 3)}:
        way = {"frame": str(frame), "expressed_in": expressed_in}
        rows = robot.external_wrench(s.q, s.f_tip, **way)
        tau = -weightless.inverse_dynamics(s.q, still, still, f_ext=rows)
        J = plainly(robot, "jacobian", s.q, **way)
        size = np.einsum("kij,ki->kj", np.abs(J), np.abs(s.f_tip)).max()
        assert_close(tau, np.einsum("kij,ki->kj", J, s.f_tip), 1e-12, floor=size)


@pytest.mark.parametrize("expressed_in", WAYS)
def test_rows_are_the_wrench_in_link_frames(case: Case, expressed_in: str) -> None:
    """By adjoints (Modern Robotics 3.98) from poses that are tested elsewhere; all other rows are exactly zero."""
    s, robot = random_states(case.n, COUNT, seed=315), case.robot
    poses = robot.link_poses(s.q)
    frames = {frame.name: frame for frame in robot.model.frames}
    for name in {robot.tip, robot.link_names[1], robot.model.base}:
        row = robot.link_names.index(frames[name].link)
        expected = np.zeros((COUNT, len(robot.link_names), 6))
        for k in range(COUNT):
            T_0L, T_LF = pin.SE3(poses[k, row]), pin.SE3(frames[name].pose.copy())
            given = pin.Force(s.f_tip[k, 3:], s.f_tip[k, :3])
            at = {
                "body": T_LF,
                "space": T_0L.inverse(),
                "world": T_LF * pin.SE3((T_0L * T_LF).rotation.T, np.zeros(3)),
            }[expressed_in]
            in_link = at.act(given)
            expected[k, row] = [*in_link.angular, *in_link.linear]
        actual = robot.external_wrench(s.q, s.f_tip, frame=name, expressed_in=expressed_in)
        assert_close(actual, expected)
        others = np.arange(len(robot.link_names)) != row
        assert not actual[:, others].any()


def test_several_wrenches_add_up(ur5: Case) -> None:
    s, robot = random_states(6, COUNT, seed=316), ur5.robot
    one = robot.external_wrench(s.q, s.f_tip, frame="tool0", expressed_in="world")
    other = robot.external_wrench(s.q, 2.0 * s.f_tip, frame="forearm_link", expressed_in="space")
    both = robot.gravity_forces(s.q) - robot.inverse_dynamics(s.q, 0 * s.q, 0 * s.q, f_ext=one + other)
    J, J_k = robot.jacobian(s.q, expressed_in="world"), robot.jacobian(s.q, frame="forearm_link", expressed_in="space")
    expected = np.einsum("kij,ki->kj", J, s.f_tip) + np.einsum("kij,ki->kj", J_k, 2.0 * s.f_tip)
    assert_close(both, expected, 1e-11)


def test_floats_traced_and_compiled_agree(case: Case) -> None:
    s = random_states(case.n, 3, seed=317)
    for expressed_in in WAYS:
        way = {"frame": case.robot.tip, "expressed_in": expressed_in}
        plain = [algorithms.external_wrench(case.robot.mechanism, *x, **way) for x in zip(s.q, s.f_tip, strict=True)]
        expected = np.array(plain, dtype=float)
        (interpreted,) = interpret(case.robot.external_wrench.program(**way), s.q, s.f_tip)
        assert_close(interpreted, expected)
        assert_close(case.robot.external_wrench(s.q, s.f_tip, **way), expected)


def test_batches_and_single_states(ur5: Case) -> None:
    s, f_ext = random_states(6, 4, seed=318), np.random.default_rng(319).normal(size=(4, 7, 6))
    whole = ur5.robot.inverse_dynamics(s.q, s.qd, s.qdd, f_ext=f_ext)
    for k in range(4):
        one = ur5.robot.inverse_dynamics(s.q[k], s.qd[k], s.qdd[k], None, None, None, f_ext[k])
        np.testing.assert_array_equal(one, whole[k])
    way = {"frame": "tool0", "expressed_in": "world"}
    table = ur5.robot.external_wrench(s.q[:, None], s.f_tip, **way)
    assert table.shape == (4, 4, 7, 6)
    np.testing.assert_array_equal(table[1, 2], ur5.robot.external_wrench(s.q[1], s.f_tip[2], **way))


def test_what_is_not_touched_costs_nothing(ur5: Case) -> None:
    """In one function with the dynamics the zero rows fold away; left out, f_ext is not in the program."""

    @armdyn.function("(n),(n),(n),(6)->(n)")
    def pushed(model, q, qd, qdd, wrench):
        rows = algorithms.external_wrench(model, q, wrench, frame="tool0", expressed_in="body")
        return algorithms.inverse_dynamics(model, q, qd, qdd, f_ext=rows)

    s = random_states(6, 4, seed=320)
    assert_close(ur5.robot.compile(pushed)(s.q, s.qd, s.qdd, -s.f_tip), ur5.robot.inverse_dynamics(*s[:3], s.f_tip))
    costs = ur5.robot.program(pushed).op_counts
    tip = ur5.robot.inverse_dynamics.program(optional_inputs=("f_tip",)).op_counts
    everywhere = ur5.robot.inverse_dynamics.program(optional_inputs=("f_ext",)).op_counts
    assert costs.multiplications <= tip.multiplications
    assert costs.additions <= tip.additions + 6
    assert everywhere.additions > costs.additions
    assert "f_ext" not in {port.name for port in ur5.robot.inverse_dynamics.program().inputs}


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        (
            {"expressed_in": "world"},
            UnknownName,
            r"of 'ur5' misses frame= \(one of base_link, .*\), to be given by name",
        ),
        ({"frame": "tool0"}, UnknownName, r"of 'ur5' misses expressed_in= \(one of body, space, world\), to be given"),
        (
            {},
            UnknownName,
            r"misses frame= \(one of base_link, .*\) and expressed_in= \(one of body, space, world\), to",
        ),
        (
            {"frame": None, "expressed_in": "world"},
            UnknownName,
            r"frame=None: name the frame the wrench acts on, one of 'ur5': base_link, .*upper_arm_link, ",
        ),
        (
            {"frame": "tool", "expressed_in": "world"},
            UnknownName,
            r"no frame 'tool' in 'ur5' .* Did you mean 'tool0'\?",
        ),
        ({"frame": "tool0", "expressed_in": "link"}, UnknownName, r"no way 'link' in expressed_in= \(3 ways\)"),
    ],
)
def test_what_is_not_said_or_not_there(ur5: Case, options: dict, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        ur5.robot.external_wrench(np.zeros(6), np.ones(6), **options)


@pytest.mark.parametrize("shape", [(6,), (6, 6), (7, 3), (3, 6, 7)])
@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "joint_reactions"])
def test_wrong_shapes(ur5: Case, name: str, shape: tuple[int, ...]) -> None:
    with pytest.raises(ShapeError, match=r"f_ext has shape .*; expected \(..., 7, 6\) for 'ur5'"):
        getattr(ur5.robot, name)(*np.zeros((3, 6)), f_ext=np.zeros(shape))
